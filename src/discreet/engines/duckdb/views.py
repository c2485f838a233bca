"""A view of every stored table, in which no stored type decides anything about rows.

DuckDB does not tell capitals apart and renames what is then double, so that a declared name could
mean another column, and the unit another person.  A source with such names is refused.

Bytes that are not UTF-8 end DuckDB's scan of a CSV file.  When one has failed, the file is copied
with those bytes marked, into the folder for what is put aside, and again when it has changed since.
"""

import os
import re
from codecs import getincrementaldecoder
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from glob import escape
from gzip import open as open_compressed
from itertools import groupby
from pathlib import Path
from typing import Any

from discreet.engines.duckdb.cells import TEXTS, are_texts, decoded, identity
from discreet.engines.duckdb.sources import Files, Frame, Local
from discreet.engines.frames.reading import FrameReader
from discreet.engines.sources import Stored
from discreet.errors import Remedy, SourceError

_LONGEST_LINE = 1 << 24
_TEXT = "VARCHAR"


Run = Callable[[str], list[tuple[Any, ...]]]


_MARK = "\ue000"
_ITSELF, _BAD = f"{_MARK}0", f"{_MARK}1"
_ESCAPED = re.compile("[\udc80-\udcff]+")
_AT_ONCE = 1 << 20


def open_views(
    connection: Any, tables: Sequence[Stored], frames: Mapping[str, FrameReader]
) -> None:
    """Make the views; afterwards nothing else needs to be reached.

    ``frames``, by their views, have their types now, and their rows when they are read.
    """
    files = [one for one in map(_local, tables) if isinstance(one, Files)]
    paths = {path for one in files if one.format != "duckdb" for path in one.paths}
    if paths:
        allowed = sorted({*paths, *map(escape, paths)})
        connection.execute(f"SET allowed_paths = [{', '.join(map(quoted, allowed))}]")
    for table in tables:
        if table.view in frames:
            check_doubles(frames[table.view].names)
            connection.register(frame_name(table.view), frames[table.view].types())
        escaped = _opened(connection, table)
        named_so = [row[0] for row in connection.execute(f"DESCRIBE {table.view}").fetchall()]
        check_names(
            _local(table),
            list(map(str, named_so)),
            lambda query: connection.execute(query).fetchall(),
            escaped,
        )


def frame_name(view: str) -> str:
    """What the arrays of a frame are registered as."""
    return f"frame_{view}"


def _local(table: Stored) -> Local:
    if isinstance(table.source, Local):
        return table.source
    raise SourceError(
        f"{table.source.text} is to be joined with files or frames. What is joined is read in one "
        "place.",
        Remedy(
            python="Put the tables into one database, save them as files, or add "
            'engine="spark" to all.',
            policy="Put the tables into one database, save them as files, or add "
            'engine = "spark" to all.',
        ),
    )


def _opened(connection: Any, table: Stored) -> str:
    """Make one view; the quoted paths of its files."""
    source, view, run = _local(table), table.view, connection.execute
    if isinstance(source, Frame):
        run(f"CREATE VIEW {view} AS SELECT * FROM {frame_name(view)}")
        return ""
    if source.format == "duckdb":
        for path in source.paths[:1]:
            run(f"ATTACH {quoted(path)} AS stored_{view} (READ_ONLY)")
        run(f"CREATE VIEW {view} AS SELECT * FROM stored_{view}.{named(source.table or '')}")
        return ""
    run(f"CREATE VIEW {view} AS SELECT * FROM {_reader(source, table.declared)}")
    return _paths(source)


def decode_views(connection: Any, tables: Sequence[Stored]) -> dict[str, tuple[str, ...]]:
    """Read every declared column by the rule for stored cells; the columns that the tables have.

    Ids of several tables are compared as what they are, or as texts.  A collation would make
    one group of several spellings, and show one person's: texts have none.
    """
    described = {table.view: _described(connection, table.view) for table in tables}
    texts = are_texts(
        (table.unit, described[table.view][table.unit])
        for table in tables
        if table.unit in described[table.view]
    )
    for table in tables:
        columns, view = described[table.view], table.view
        read = [
            f"{decoded(named(name), columns[name], declared)} AS {named(name)}"
            for name, declared in table.columns.items()
            if name in columns
        ]
        if table.unit is not None and table.unit in columns:
            unit = named(table.unit)
            read.append(f"{identity(unit, columns[table.unit], texts=texts)} AS {unit}")
        if not read:
            continue  # nothing is declared: the table is looked at as it is
        connection.execute(f"ALTER VIEW {view} RENAME TO raw_{view}")
        if isinstance(table.source, Files) and table.source.format == "duckdb":
            _change(
                connection,
                view,
                _replaced(columns, lambda name: f"CAST({name} AS VARCHAR) COLLATE POSIX"),
            )
        connection.execute(f"CREATE VIEW {view} AS SELECT {', '.join(read)} FROM raw_{view}")
    return {view: tuple(columns) for view, columns in described.items()}


def widen_views(connection: Any, tables: Sequence[Stored], copies: "Copies") -> bool:
    """From now on read every text of files by its bytes, which takes longer; whether any is.

    What is not UTF-8 ends DuckDB's scan of a file.  A text of Parquet, read with each such byte
    replaced and again with each left out, is the same if it has none.  CSV files are copied.
    """
    changed = False
    for table in tables:
        view, source = table.view, table.source
        if not isinstance(source, Files) or not table.declared:
            continue
        columns = _described(connection, f"raw_{view}")
        declared = {name: columns[name] for name in table.declared if name in columns}
        if source.format == "parquet":
            texts = _replaced(
                declared,
                lambda one: f"CASE WHEN replaced.{one} = left_out.{one} THEN replaced.{one} END",
            )
            first, second = _reader(source, (), "replace"), _reader(source, (), "ignore")
            read = f"{first} AS replaced POSITIONAL JOIN {second} AS left_out"
        elif source.format == "csv":
            texts = _replaced(declared, unmarked)
            read = f"{_reader(copies.of(source), ())} AS replaced"
        else:
            continue
        if texts:
            connection.execute(
                f"CREATE OR REPLACE VIEW raw_{view} AS "
                f"SELECT replaced.* REPLACE ({texts}) FROM {read}"
            )
            changed = True
    return changed


def _described(connection: Any, view: str) -> dict[str, str]:
    """The types of a view's columns."""
    rows = connection.execute(f"DESCRIBE {view}").fetchall()
    return {str(name): str(kind) for name, kind, *_ in rows}


def _replaced(columns: Mapping[str, str], change: Callable[[str], str]) -> str:
    """Every text with a change made to it."""
    names = [named(name) for name, kind in columns.items() if kind in TEXTS]
    return ", ".join(f"{change(name)} AS {name}" for name in names)


def _change(connection: Any, view: str, changes: str) -> None:
    if changes:
        connection.execute(f"ALTER VIEW raw_{view} RENAME TO stored_as_{view}")
        connection.execute(
            f"CREATE VIEW raw_{view} AS SELECT * REPLACE ({changes}) FROM stored_as_{view}"
        )


def _paths(source: Files) -> str:
    """The quoted paths; a path is one file, also where it looks like a pattern."""
    return ", ".join(quoted(escape(path)) for path in source.paths)


def _reader(source: Files, declared: Sequence[str], invalid: str = "strict") -> str:
    """What reads files; ``invalid`` says what becomes of bytes that are not UTF-8."""
    paths = _paths(source)
    if source.format == "parquet":
        # A folder's name must not stand in for a column, nor a statistic for a row.
        return (
            f"read_parquet([{paths}], hive_partitioning = false, can_have_nan = true, "
            f"utf8_validation = '{invalid}')"
        )
    kind = "JSON" if source.format == "json" else _TEXT
    names = source.header or tuple(declared)
    columns = ", ".join(f"{quoted(name)}: '{kind}'" for name in names)
    if source.format == "json":
        # Every line by itself: one that is no object has no values, and changes no other.
        return (
            f"read_json([{paths}], hive_partitioning = false, auto_detect = false, "
            f"format = 'newline_delimited', records = true, ignore_errors = true, "
            f"columns = {{{columns}}})"
        )
    return (
        f"read_csv([{paths}], hive_partitioning = false, max_line_size = {_LONGEST_LINE}, "
        f"auto_detect = false, header = true, delim = {quoted(source.delimiter)}, "
        f"quote = '\"', escape = '\"', nullstr = '', strict_mode = true, "
        f"columns = {{{columns}}})"
    )


def quoted(value: str) -> str:
    """A text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"


def named(value: str) -> str:
    """A name as SQL writes it."""
    return '"' + value.replace('"', '""') + '"'


def check_names(source: Local, described: Sequence[str], run: Run, paths: str) -> None:
    """Refuse names that are double, capitals apart, and names that DuckDB has changed."""
    names = _names(source, run, paths)
    if names is None:
        return
    check_doubles(names)
    if list(described) != list(names):
        raise SourceError(
            "the data's columns have names that cannot be kept as they are. A column is meant by "
            "its name. Give them plain names."
        )


def check_doubles(names: Sequence[str]) -> None:
    """Refuse names that are double, capitals apart."""
    counted = Counter(name.casefold() for name in names)
    doubled = [name for name in names if counted[name.casefold()] > 1]
    if doubled:
        raise SourceError(
            f"the data have the column {doubled[0][:60]!r} twice, capitals apart. A column is "
            "meant by its name. Rename one of them."
        )


def _names(source: Local, run: Run, paths: str) -> Sequence[str] | None:
    if isinstance(source, Frame):
        return None  # they are given as they are
    if source.format == "csv":
        return source.header
    # JSON lines are read by the declared names, and a database has no two that are alike.
    return _parquet_names(run, paths) if source.format == "parquet" else None


def _parquet_names(run: Run, paths: str) -> Sequence[str]:
    """The names in the files' own schemas, which must be the same in all of them."""
    listed = run(
        "SELECT file_name, name, num_children, type, converted_type, logical_type "
        f"FROM parquet_schema([{paths}])"
    )
    schemas = {
        tuple(row[1:] for row in list(rows)[1:]) for _, rows in groupby(listed, lambda row: row[0])
    }
    if len(schemas) != 1:
        raise SourceError(
            "the Parquet files have different columns, or columns of different types. What one "
            "person is called must not depend on the file. Write them with one schema."
        )
    names, inside = [], 0
    for name, children, *_ in schemas.pop():
        if inside == 0:
            names.append(str(name))
        else:
            inside -= 1
        inside += children or 0
    return names


class Copies:
    """The copies in one folder, and what each file was like when it was copied."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._made: dict[str, tuple[Path, tuple[int, int, int]]] = {}

    def of(self, source: Files) -> Files:
        """The same files, copied."""
        for path in source.paths:
            self._copy(path)
        paths = tuple(str(self._made[path][0]) for path in source.paths)
        return Files(paths, source.format, source.table, source.header, source.delimiter)

    def renew(self) -> None:
        """Copy again what has changed."""
        for path, (_, before) in list(self._made.items()):
            if _likeness(path) != before:
                self._copy(path)

    def _copy(self, path: str) -> None:
        place = self._made[path][0] if path in self._made else self._next()
        self._made[path] = place, _likeness(path)
        opened: Any = open_compressed if path.endswith(".gz") else open
        decoder = getincrementaldecoder("utf-8")("surrogateescape")
        with opened(path, "rb") as file, open(place, "w", encoding="utf-8", newline="") as copy:
            while part := file.read(_AT_ONCE):
                copy.write(_marked(decoder.decode(part)))
            copy.write(_marked(decoder.decode(b"", final=True)))

    def _next(self) -> Path:
        return self._folder / f"copy_{len(self._made)}.csv"


def unmarked(column: str) -> str:
    """The SQL of a text of a copy: as it was, or NULL if it was not UTF-8."""
    text = f"REPLACE({column}, '{_ITSELF}', '{_MARK}')"
    return f"CASE WHEN NOT CONTAINS({column}, '{_BAD}') THEN {text} END"


def _marked(text: str) -> str:
    """A text with its bad bytes marked, and the mark itself told apart from that."""
    return _ESCAPED.sub(_BAD, text.replace(_MARK, _ITSELF))


def _likeness(path: str) -> tuple[int, int, int]:
    found = os.stat(path)
    return found.st_mtime_ns, found.st_size, found.st_ino
