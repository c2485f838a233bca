"""A connection that can read one source and nothing else.

Of the rules of its optimizer few may change a plan, and none that looks at rows.  Most rules use
what a file or a table says about its rows: the least and the largest value, how many are missing,
how many rows there are.  Those facts leave NaN out, may be wrong, and change with one row; folded
into a plan they change what other rows are read as, or whether a row that cannot be read is looked
at.  So every rule is off but those below, and one that a later version of DuckDB adds is off until
somebody has looked at it.
"""

import os
import shutil
import weakref
from contextlib import suppress
from importlib.metadata import version
from itertools import count
from tempfile import mkdtemp
from threading import Lock
from typing import Any

from discreet.engines.duckdb.columns import (
    FileCopies,
    check_duplicates,
    decode_views,
    frame_name,
    open_views,
    widen_views,
)
from discreet.engines.duckdb.source import FileSource, FrameSource, quoted_text, unchanged
from discreet.engines.frames.frame import FrameReader
from discreet.engines.sources import TableView
from discreet.errors import SourceError

_CONFIGURATION = {
    "allow_community_extensions": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    # Types of Python objects are not guessed from a sample of the rows: they are read as text.
    "pandas_analyze_sample": "0",
    "python_enable_replacements": "false",
}
_SETTINGS = {
    # Groups are not placed by the least and the largest value that a file tells.
    "perfect_ht_threshold": "0",
}
_PROGRESS = {  # it is asked for, never printed
    "enable_progress_bar_print": "false",
    "enable_progress_bar": "true",
}

_OPEN: "weakref.WeakSet[DuckDBConnection]" = weakref.WeakSet()


HARMLESS = (
    "expression_rewriter",  # constants, by the text of the query alone
    "unused_columns",  # a column that the query does not use is not read
    "column_lifetime",  # nor carried on when it is used no more
    "common_aggregate",  # the same sum is made once
    "cte_inlining",  # a query with a name that is used once is put in its place
)


def _leave() -> None:
    """In a forked process, leave the connections of the other one alone for good.

    To end one, also when Python exits, would wait for its threads, which are not here.
    """
    import ctypes

    for one in _OPEN:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(one.connection))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave)


class DuckDBConnection:
    """DuckDB with a view of each table; no other file, no extension, no setting can be reached.

    A process that was forked opens the tables again when it first asks.
    """

    def __init__(self, *tables: TableView) -> None:
        self._tables = tables
        self._frames = {
            one.view: FrameReader(one.source.frame, one.columns, one.unit)
            for one in tables
            if isinstance(one.source, FrameSource)
        }
        self._numbers = count()
        self.connection: Any = None
        self._has_rows = False
        self._connect()

    def close(self) -> None:
        """Give back the connection and what it has put aside."""
        if self._process == os.getpid():
            self.connection.close()
            self._remove()

    @property
    def software(self) -> tuple[str, str]:
        """What runs the queries, and its version."""
        return "duckdb", version("duckdb")

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The result as Python values: integers of any size."""
        fetched: list[tuple[Any, ...]] = self._run(query, "fetchall")
        return fetched

    def arrays(self, query: str) -> dict[str, Any]:
        """The result as NumPy arrays: integers of 64 bits."""
        fetched: dict[str, Any] = self._run(query, "fetchnumpy")
        return fetched

    def bind(self, query: str) -> None:
        """Find the columns and functions of a query, without running it; then it runs as found."""
        self._here()
        self._check_unchanged()
        with self._turn:
            name = f"bound_{next(self._numbers)}"
            self.connection.execute(f"PREPARE {name} AS {query}")
            self._deallocate(self._bound.pop(query, None))
            self._bound[query] = name

    def forget(self, query: str) -> None:
        """Give back what is kept of a query that was bound, unless it has run."""
        if self._process == os.getpid():
            with self._turn:
                self._deallocate(self._bound.pop(query, None))

    def progress(self) -> float:
        """How much of the running query is done, from 0 to 1; another thread may ask."""
        if self._process != os.getpid():
            return 0.0
        return min(max(float(self.connection.query_progress()) / 100, 0.0), 1.0)

    def _run(self, query: str, fetch: str) -> Any:
        """What a query finds.  One that is bound runs once as it was bound, and is forgotten."""
        self._here()
        with self._turn:
            self._check_unchanged()
            self._read_frames()
            self._copies.renew()
            name = self._bound.pop(query, None)
            try:
                result = self._once(query if name is None else f"EXECUTE {name}", fetch)
            finally:
                self._deallocate(name)
            if result is None:
                result = self._once(query, fetch, last=True)
            self._check_unchanged()
            return result

    def _check_unchanged(self) -> None:
        """What is read by its place must be there by its name, before and after a query."""
        for one in self._tables:
            if isinstance(one.source, FileSource) and not unchanged(one.source):
                raise ValueError("the tables are not as they were opened")

    def _once(self, query: str, fetch: str, *, last: bool = False) -> Any:
        """What a query finds, or None if it is to run again since some text is not UTF-8."""
        import duckdb

        try:
            return getattr(self.connection.execute(query), fetch)()
        except (duckdb.InterruptException, duckdb.FatalException):
            raise
        except duckdb.Error:
            if last or self._widened or not self._widen():
                raise
        return None

    def _widen(self) -> bool:
        self._widened = True
        return widen_views(self.connection, self._tables, self._copies)

    def _read_frames(self) -> None:
        """Put the rows of frames in the place of their types, once."""
        if self._has_rows:
            return
        for view, reader in self._frames.items():
            self.connection.register(frame_name(view), reader.arrays())
        if self._frames:  # what is bound would go on to read what was there when it was
            for name in self._bound.values():
                self._deallocate(name)
            self._bound.clear()
        self._has_rows = True

    def _deallocate(self, name: str | None) -> None:
        if name is not None:
            self.connection.execute(f"DEALLOCATE {name}")

    def _here(self) -> None:
        if self._process != os.getpid():
            self._connect()

    def _connect(self) -> None:
        import duckdb

        for one in self._tables:
            if isinstance(one.source, FileSource):
                check_duplicates(one.source.header)
        self._process = os.getpid()
        self._widened = False  # whether texts are read by their bytes
        self._turn = Lock()  # a frame is known to one connection, which runs one query at a time
        self._has_rows = False
        self._bound: dict[str, str] = {}  # by its text, the name of each query that is bound
        spill = mkdtemp(prefix="discreet-")
        self._copies = FileCopies(spill)
        self._remove = weakref.finalize(self, _remove, spill, self._process)
        self.connection = duckdb.connect(":memory:", config=dict(_CONFIGURATION))
        _OPEN.add(self)
        columns: dict[str, tuple[str, ...]] | None = None
        try:
            folders = {
                "temp_directory": quoted_text(spill),
                "allowed_directories": f"[{quoted_text(spill)}]",
            }
            for name, value in (folders | _SETTINGS).items():
                self.connection.execute(f"SET {name} = {value}")
            with suppress(duckdb.Error):  # in a notebook without ipywidgets DuckDB has no progress
                for name, value in _PROGRESS.items():
                    self.connection.execute(f"SET {name} = {value}")
            disable(self.connection)
            with suppress(duckdb.Error):  # a moment's date must not depend on the machine
                self.connection.execute("SET TimeZone = 'UTC'")
            open_views(self.connection, self._tables, self._frames)
            self.connection.execute("SET enable_external_access = false")
            self.connection.execute("SET lock_configuration = true")
            columns = decode_views(self.connection, self._tables)
        except duckdb.Error:
            pass
        except SourceError:
            self.close()
            raise
        if columns is None:
            self.close()
            names = ", ".join(one.source.text for one in self._tables)
            raise SourceError(
                f"{names} cannot be opened as a table. Its schema is read before anything is "
                "spent. Check that it is whole, of the format its ending says, and readable."
            )
        own = {view: tuple(reader.names) for view, reader in self._frames.items()}
        self.columns = columns | own


def _remove(folder: str, process: int) -> None:
    """Delete what was put aside, unless it is another process's."""
    if process == os.getpid():
        shutil.rmtree(folder, ignore_errors=True)


def disable(connection: Any) -> None:
    """Turn every other rule off, by the names that this version of DuckDB has for them."""
    optimizers = [
        str(name) for (name,) in connection.execute("FROM duckdb_optimizers()").fetchall()
    ]
    others = ",".join(name for name in optimizers if name not in HARMLESS)
    connection.execute(f"SET disabled_optimizers = '{others}'")
