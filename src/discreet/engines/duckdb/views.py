"""A view of every stored table, in which no stored type decides anything about rows."""

from collections.abc import Mapping, Sequence
from glob import escape
from typing import Any

from discreet.engines.duckdb.names import check_doubles, check_names
from discreet.engines.duckdb.sources import Files, Frame, Local
from discreet.engines.frames.reading import FrameReader
from discreet.engines.sources import Stored
from discreet.errors import SourceError

_LONGEST_LINE = 1 << 24
_TEXT = "VARCHAR"
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_UNSIGNED = tuple(f"U{kind}" for kind in _WHOLE)


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
    # A path is one file, also where it looks like a pattern.
    paths = ", ".join(quoted(escape(path)) for path in source.paths)
    run(f"CREATE VIEW {view} AS SELECT * FROM {_reader(source, paths, table.declared)}")
    return paths


def neutralized(connection: Any, tables: Sequence[Stored]) -> dict[str, tuple[str, ...]]:
    """Take away what a stored type would decide about rows; the columns of every view.

    A NaN names nobody, as a NULL does: together they would be one person without caps.  A
    collation would make one group of several spellings, and show one person's.  Ids of several
    tables are compared as what they are, or as texts where some are whole numbers and some texts.
    """
    described = {
        table.view: connection.execute(f"DESCRIBE {table.view}").fetchall() for table in tables
    }
    kinds = {
        kind for table in tables for name, kind, *_ in described[table.view] if name == table.unit
    }
    if len(kinds) > 1 and not kinds <= {_TEXT, *_WHOLE, *_UNSIGNED}:
        # Only the first word of a type is told: an ENUM goes on with the ids that it has.
        words = sorted({kind.partition("(")[0] for kind in kinds})
        raise SourceError(
            f"the people's ids are of different types in the tables: {', '.join(words)}. Who is "
            "the same person must not depend on how a number is written. Store them as one type."
        )
    for table in tables:
        columns = described[table.view]
        changed = [
            change
            for name, kind, *_ in columns
            if (change := _changed(table, str(name), str(kind), mixed=len(kinds) > 1))
        ]
        if changed:
            view = table.view
            connection.execute(f"ALTER VIEW {view} RENAME TO raw_{view}")
            connection.execute(
                f"CREATE VIEW {view} AS SELECT * REPLACE ({', '.join(changed)}) FROM raw_{view}"
            )
    return {view: tuple(str(row[0]) for row in rows) for view, rows in described.items()}


def _changed(table: Stored, name: str, kind: str, *, mixed: bool) -> str | None:
    column = named(name)
    collated = isinstance(table.source, Files) and table.source.format == "duckdb"
    if name == table.unit and kind in ("FLOAT", "DOUBLE"):
        return f"NULLIF({column}, 'NaN'::{kind}) AS {column}"
    if collated and kind == _TEXT:
        return f"{column} COLLATE POSIX AS {column}"
    if mixed and name == table.unit and kind != _TEXT:
        return f"CAST({column} AS {_TEXT}) AS {column}"
    return None


def _reader(source: Files, paths: str, declared: Sequence[str]) -> str:
    if source.format == "parquet":
        # A folder's name must not stand in for a column.
        return f"read_parquet([{paths}], hive_partitioning = false)"
    names = source.header or tuple(declared)
    columns = ", ".join(f"{quoted(name)}: 'VARCHAR'" for name in names)
    if source.format == "json":
        # Every line by itself: one that is no object has no values, and changes no other.
        return (
            f"read_json([{paths}], hive_partitioning = false, auto_detect = false, "
            f"format = 'newline_delimited', records = true, ignore_errors = true, "
            f"columns = {{{columns}}})"
        )
    delimiter = quoted(source.delimiter)
    return (
        f"read_csv([{paths}], hive_partitioning = false, max_line_size = {_LONGEST_LINE}, "
        f"auto_detect = false, header = true, delim = {delimiter}, "
        f"quote = '\"', escape = '\"', nullstr = '', strict_mode = true, "
        f"columns = {{{columns}}})"
    )


def quoted(value: str) -> str:
    """A text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"


def named(value: str) -> str:
    """A name as SQL writes it."""
    return '"' + value.replace('"', '""') + '"'
