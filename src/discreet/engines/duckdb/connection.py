"""A connection that can read one source and nothing else."""

import os
import shutil
import weakref
from collections.abc import Sequence
from contextlib import suppress
from glob import escape
from tempfile import mkdtemp
from threading import Lock
from typing import Any

from discreet.engines.duckdb.names import check_doubles, check_names
from discreet.engines.duckdb.sources import Files, Frame, Source
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
    # Up to 2^22 different whole numbers are grouped by their own value, without a hash.
    "perfect_ht_threshold": "22",
    # Progress is asked for, never printed.
    "enable_progress_bar": "true",
    "enable_progress_bar_print": "false",
}

_LONGEST_LINE = 1 << 24

_OPEN: "weakref.WeakSet[Connection]" = weakref.WeakSet()


def _leave() -> None:
    """In a forked process, leave the connections of the other one alone for good.

    To end one, also when Python exits, would wait for its threads, which are not here.
    """
    import ctypes

    for one in _OPEN:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(one.connection))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave)


class Connection:
    """DuckDB with one view, ``source``; no other file, no extension, no setting can be reached.

    A process that was forked opens the source again when it first asks.
    """

    def __init__(self, source: Source, declared: Sequence[str], unit: str | None = None) -> None:
        """``declared`` are the columns to read from files that do not list theirs."""
        self._source = source  # a registered frame lives as long as the connection
        self._declared = declared
        self._unit = unit
        self._connect()

    def close(self) -> None:
        """Give back the connection and what it has put aside."""
        if self._process == os.getpid():
            self.connection.close()
            self._remove()

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The result as Python values: integers of any size."""
        self._here()
        with self._turn:
            found: list[tuple[Any, ...]] = self.connection.execute(query).fetchall()
        return found

    def arrays(self, query: str) -> dict[str, Any]:
        """The result as NumPy arrays: integers of 64 bits."""
        self._here()
        with self._turn:
            found: dict[str, Any] = self.connection.execute(query).fetchnumpy()
        return found

    def bind(self, query: str) -> None:
        """Find the columns and functions of a query, without running it."""
        self._here()
        with self._turn:
            self.connection.execute(f"PREPARE bound AS {query}")

    def progress(self) -> float:
        """How much of the running query is done, from 0 to 1; another thread may ask."""
        if self._process != os.getpid():
            return 0.0
        return min(max(float(self.connection.query_progress()) / 100, 0.0), 1.0)

    def _here(self) -> None:
        if self._process != os.getpid():
            self._connect()

    def _connect(self) -> None:
        import duckdb

        if isinstance(self._source, Files):
            check_doubles(self._source.header)
        self._process = os.getpid()
        self._turn = Lock()  # a frame is known to one connection, which runs one query at a time
        spill = mkdtemp(prefix="discreet-")
        self._remove = weakref.finalize(self, _remove, spill, self._process)
        self.connection = duckdb.connect(":memory:", config=dict(_CONFIGURATION))
        _OPEN.add(self)
        described: list[Any] | None = None
        try:
            for name, value in (("temp_directory", _text(spill)), *_SETTINGS.items()):
                self.connection.execute(f"SET {name} = {value}")
            # TRY_CAST of a text file's column must not become the reader's own, strict conversion;
            # versions that do not know the name do not do that.
            with suppress(duckdb.InvalidInputException, duckdb.ParserException):
                self.connection.execute("SET disabled_optimizers = 'type_pushdown'")
            with suppress(duckdb.Error):  # a moment's date must not depend on the machine
                self.connection.execute("SET TimeZone = 'UTC'")
            paths = self._open()
            named = [str(row[0]) for row in self.connection.execute("DESCRIBE source").fetchall()]
            check_names(
                self._source, named, lambda query: self.connection.execute(query).fetchall(), paths
            )
            self.connection.execute("SET enable_external_access = false")
            self.connection.execute("SET lock_configuration = true")
            described = self.connection.execute("DESCRIBE source").fetchall()
            self._neutralized(described)
        except duckdb.Error:
            pass
        if described is None:
            self.close()
            raise SourceError(
                f"{self._source.text} cannot be opened as a table. Its schema is read before "
                "anything is spent. Check that it is whole, of the format its ending says, and "
                "readable."
            )
        self.columns = tuple(str(row[0]) for row in described)

    def _neutralized(self, described: list[Any]) -> None:
        """Take away what a stored type would decide about rows.

        A NaN names nobody, as a NULL does: together they would be one person without caps.  A
        collation would make one group of several spellings, and show one person's.
        """
        collated = isinstance(self._source, Files) and self._source.format == "duckdb"
        changed = [
            f"NULLIF({_name(name)}, 'NaN'::{kind}) AS {_name(name)}"
            for name, kind, *_ in described
            if name == self._unit and kind in ("FLOAT", "DOUBLE")
        ]
        changed += [
            f"{_name(name)} COLLATE POSIX AS {_name(name)}"
            for name, kind, *_ in described
            if collated and kind == "VARCHAR"
        ]
        if changed:
            self.connection.execute("ALTER VIEW source RENAME TO stored_source")
            self.connection.execute(
                f"CREATE VIEW source AS SELECT * REPLACE ({', '.join(changed)}) FROM stored_source"
            )

    def _open(self) -> str:
        """Make the view; the quoted paths of its files."""
        source, run = self._source, self.connection.execute
        if isinstance(source, Frame):
            self.connection.register("frame", source.frame)
            run("CREATE VIEW source AS SELECT * FROM frame")
            return ""
        if source.format == "duckdb":
            for path in source.paths[:1]:
                run(f"ATTACH {_text(path)} AS stored (READ_ONLY)")
            run(f"CREATE VIEW source AS SELECT * FROM stored.{_name(source.table or '')}")
            return ""
        # A path is one file, also where it looks like a pattern.
        escaped = [escape(path) for path in source.paths]
        run(f"SET allowed_paths = [{', '.join(map(_text, {*source.paths, *escaped}))}]")
        paths = ", ".join(map(_text, escaped))
        run(f"CREATE VIEW source AS SELECT * FROM {_reader(source, paths, self._declared)}")
        return paths


def _remove(folder: str, process: int) -> None:
    """Delete what was put aside, unless it is another process's."""
    if process == os.getpid():
        shutil.rmtree(folder, ignore_errors=True)


def _reader(source: Files, paths: str, declared: Sequence[str]) -> str:
    if source.format == "parquet":
        # A folder's name must not stand in for a column.
        return f"read_parquet([{paths}], hive_partitioning = false)"
    names = source.header or tuple(declared)
    columns = ", ".join(f"{_text(name)}: 'VARCHAR'" for name in names)
    if source.format == "json":
        # Every line by itself: one that is no object has no values, and changes no other.
        return (
            f"read_json([{paths}], hive_partitioning = false, auto_detect = false, "
            f"format = 'newline_delimited', records = true, ignore_errors = true, "
            f"columns = {{{columns}}})"
        )
    delimiter = _text(source.delimiter)
    return (
        f"read_csv([{paths}], hive_partitioning = false, max_line_size = {_LONGEST_LINE}, "
        f"auto_detect = false, header = true, delim = {delimiter}, "
        f"quote = '\"', escape = '\"', nullstr = '', strict_mode = true, "
        f"columns = {{{columns}}})"
    )


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _name(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'
