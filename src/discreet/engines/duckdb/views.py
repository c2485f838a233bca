"""A view of every stored table, in which no stored type decides anything about rows."""

from collections.abc import Callable, Mapping, Sequence
from glob import escape
from typing import Any

from discreet.engines.duckdb.cells import TEXTS, are_texts, decoded, identity
from discreet.engines.duckdb.copies import Copies, unmarked
from discreet.engines.duckdb.names import check_doubles, check_names
from discreet.engines.duckdb.sources import Files, Frame, Local
from discreet.engines.frames.reading import FrameReader
from discreet.engines.sources import Stored
from discreet.errors import SourceError

_LONGEST_LINE = 1 << 24
_TEXT = "VARCHAR"


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
        'place. Put the tables into one database, save them as files, or add engine="spark" to all.'
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


def widen_views(connection: Any, tables: Sequence[Stored], copies: Copies) -> bool:
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
