"""Views of stored tables in DuckDB, with every column read as it is declared.

Each cell is read by itself and without failing; the type that a column is stored as decides
nothing about which rows there are.  The SQL of a column comes first, then the views, the check of
their names, and copies of CSV files that are not UTF-8.
"""

import os
import re
from codecs import getincrementaldecoder
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from glob import escape
from gzip import open as open_compressed
from itertools import groupby
from pathlib import Path
from typing import Any

from discreet.engines.duckdb.dates import (
    DATE_TIMES,
    ZONED,
    date_sql,
    datetime_sql,
    moment_sql,
    time_sql,
)
from discreet.engines.duckdb.source import (
    FileSource,
    FrameSource,
    LocalSource,
    quoted_paths,
    quoted_text,
    reader_sql,
)
from discreet.engines.frames.frame import FrameReader
from discreet.engines.sources import TableView
from discreet.engines.writer import EXACT, LONGEST_TEXT
from discreet.errors import Remedy, SourceError
from discreet.plan.calendar import Dated
from discreet.plan.schema import BooleanColumn, CategoryColumn, Column, NumberColumn

TEXTS = ("VARCHAR", "JSON")
"""Types whose cells are UTF-8, unless a file breaks the rules of its format."""
_INTEGERS = tuple(
    f"{sign}{kind}" for sign in ("", "U") for kind in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
)
_WIDE_INTEGERS = ("HUGEINT", "UHUGEINT", "BIGNUM")
_FLOATS = ("FLOAT", "DOUBLE")
_EXACT_DIGITS = 15
_DECIMAL_TYPE = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_CHUNK_BYTES = 1 << 20
_MARK = "\ue000"
_ESCAPED_MARK, _BAD_BYTES_MARK = f"{_MARK}0", f"{_MARK}1"
_BAD_BYTES = re.compile("[\udc80-\udcff]+")
RunQuery = Callable[[str], list[tuple[Any, ...]]]


def decoded_column(column: str, stored: str, declared: Column) -> str:
    """The SQL of a column as it is declared, by its quoted name and its stored type.

    A number may still be NaN, which the queries read as NULL.
    """
    if isinstance(declared, NumberColumn):
        text, number = _cell_text(column, stored), _number(column, stored, declared.decimal)
        if declared.dated == Dated.DAYS:
            return date_sql(column, stored, text, declared)
        if declared.dated == Dated.TIME:
            return time_sql(column, stored, text)
        if declared.dated == Dated.SECONDS:
            return datetime_sql(column, stored, text, number, declared)
        return number
    if isinstance(declared, CategoryColumn) and declared.numeric:
        return _number(column, stored)
    if isinstance(declared, BooleanColumn):
        return _boolean(column, stored)
    return _text(column, stored)


def compared_as_texts(units: Iterable[tuple[str, str]]) -> bool:
    """Whether ids are compared as texts, by the names and types of the columns that hold them.

    If all columns hold whole numbers, or all UUIDs or bytes, ids are compared as they are stored:
    they are equal exactly if their texts are.
    """
    families = {}
    for name, kind in units:
        if not _is_readable(kind):
            raise SourceError(
                f"the unit {name[:60]!r} is stored as {type_name(kind)}. Ids are compared, sorted "
                "and counted. Store them as texts or whole numbers."
            )
        families["whole" if kind in _INTEGERS else kind] = type_name(kind)
    if "BLOB" in families and len(families) > 1:
        types = sorted(set(families.values()))
        raise SourceError(
            f"the people's ids are of different types in the tables: {', '.join(types)}. Bytes "
            "are often a hash, which is no text, so that they are compared with bytes alone. Store "
            "them as one type."
        )
    return not (len(families) == 1 and set(families) <= {"whole", "UUID", "BLOB"})


def unit_sql(column: str, stored: str, *, texts: bool) -> str:
    """The SQL of the id of a row's unit; NULL if it has none."""
    if texts:
        return _text(column, stored)
    return f"HEX({column})" if stored == "BLOB" else column


def type_name(kind: str) -> str:
    """The name of a type without its parameters: an ENUM would list its values."""
    return kind.partition("(")[0]


def quoted_identifier(value: str) -> str:
    """A name as an identifier of SQL."""
    return '"' + value.replace('"', '""') + '"'


# ---------------------------------------------------------------------- by declared type


def _number(column: str, stored: str, decimal: str | None = None) -> str:
    digits = _decimal_digits(stored)
    if stored in (*_INTEGERS, *_FLOATS, "BOOLEAN") or (digits and digits[0] <= _EXACT_DIGITS):
        return f"CAST({column} AS DOUBLE)"
    if stored in _WIDE_INTEGERS or digits:  # a direct cast rounds more than once
        return f"TRY_CAST(CAST({column} AS VARCHAR) AS DOUBLE)"
    text = _cell_text(column, stored)
    if text is None:
        return _null("DOUBLE")
    number = f"TRY_CAST({text} AS DOUBLE)"
    if decimal is not None:  # a point is then no sign of a number
        pointed = f"TRY_CAST(REPLACE({text}, '{decimal}', '.') AS DOUBLE)"
        number_sql = f"CASE WHEN NOT CONTAINS({text}, '.') THEN {pointed} END"
        is_text = f"{_json_kind(column)} = 'VARCHAR'"
        number = (
            number_sql
            if stored != "JSON"
            else f"CASE WHEN {is_text} THEN {number_sql} ELSE {number} END"
        )
    if stored != "JSON":
        return number
    truth = f"CASE WHEN {_json_kind(column)} = 'BOOLEAN' THEN TRY_CAST({text} AS BOOLEAN) END"
    return f"COALESCE({number}, CAST({truth} AS DOUBLE))"


def _boolean(column: str, stored: str) -> str:
    if stored == "BOOLEAN":
        return column
    if stored in (*_INTEGERS, *_WIDE_INTEGERS, *_FLOATS):
        return f"CASE WHEN {column} = 1 THEN TRUE WHEN {column} = 0 THEN FALSE END"
    if _decimal_digits(stored):  # a DECIMAL(2,2) cannot be compared with 1
        text_sql = _text(column, stored)
        return f"CASE WHEN {text_sql} = '1' THEN TRUE WHEN {text_sql} = '0' THEN FALSE END"
    text = _cell_text(column, stored)
    if text is None:
        return _null("BOOLEAN")
    number = f"TRY_CAST({text} AS DOUBLE)"
    by_number = f"CASE WHEN {number} = 1 THEN TRUE WHEN {number} = 0 THEN FALSE END"
    return f"COALESCE(TRY_CAST({text} AS BOOLEAN), {by_number})"


def _text(column: str, stored: str) -> str:
    text_sql = f"CAST({column} AS VARCHAR)"
    if stored in (*_INTEGERS, *_WIDE_INTEGERS, "BOOLEAN", "UUID"):
        return text_sql
    if stored in _FLOATS:
        return _float_text(f"CAST({column} AS DOUBLE)")
    if (digits := _decimal_digits(stored)) is not None:
        if digits[0] == digits[1]:  # DuckDB writes no 0 before the point
            text_sql = f"REGEXP_REPLACE({text_sql}, '^(-?)\\.', '\\10.')"
        return f"RTRIM(RTRIM({text_sql}, '0'), '.')" if digits[1] else text_sql
    if stored in DATE_TIMES:
        moment = f"CAST({moment_sql(column, stored)} AS VARCHAR)"
        return f"{moment} || '+00'" if stored in ZONED else moment
    text = _cell_text(column, stored)
    return _null("VARCHAR") if text is None else text


# ---------------------------------------------------------------------- by stored type


def _is_readable(stored: str) -> bool:
    """Whether cells of a type can be read as texts."""
    kinds = (
        *_INTEGERS,
        *_WIDE_INTEGERS,
        *_FLOATS,
        *DATE_TIMES,
        *TEXTS,
        "BOOLEAN",
        "UUID",
        "BLOB",
        '"NULL"',
    )
    return stored in kinds or _decimal_digits(stored) is not None or _is_enumeration(stored)


def _is_enumeration(stored: str) -> bool:
    return stored.startswith("ENUM(") and stored.endswith(")")


def _decimal_digits(stored: str) -> tuple[int, int] | None:
    """The number of digits of a decimal type, and of those after the point; else None."""
    match = _DECIMAL_TYPE.fullmatch(stored)
    return (int(match[1]), int(match[2])) if match else None


def _cell_text(column: str, stored: str) -> str | None:
    """The SQL of a cell's text; None for a type whose cells are no texts."""
    if stored == "VARCHAR":
        return _limited_text(column)
    if stored == "BLOB":
        return f"CASE WHEN OCTET_LENGTH({column}) <= {LONGEST_TEXT} THEN TRY(DECODE({column})) END"
    if stored == "JSON":
        return _limited_text(_json_text(column))
    return f"CAST({column} AS VARCHAR)" if _is_enumeration(stored) else None


def _limited_text(text: str) -> str:
    """The SQL of a text; NULL if it is too long for what a question may make of it."""
    return f"CASE WHEN STRLEN({text}) <= {LONGEST_TEXT} THEN {text} END"


def _json_kind(column: str) -> str:
    return f"TRY(JSON_TYPE({column}))"


def _json_text(column: str) -> str:
    """The SQL of the text of a JSON string, number or boolean; a fraction is read as a float."""
    kind, text_sql = _json_kind(column), f"TRY({column} ->> '$')"
    whole = f"REGEXP_FULL_MATCH({text_sql}, '-?[0-9]+')"
    number = _float_text(f"TRY_CAST({text_sql} AS DOUBLE)")
    return (
        f"CASE WHEN {kind} IN ('VARCHAR', 'BOOLEAN', 'UBIGINT', 'BIGINT') THEN {text_sql} "
        f"WHEN {kind} = 'DOUBLE' AND {whole} THEN {text_sql} WHEN {kind} = 'DOUBLE' THEN {number} "
        "END"
    )


def _float_text(number: str) -> str:
    """The SQL of a float's text: the shortest digits; up to 2^53, integers without a point."""
    number_sql = f"NULLIF({number}, 'NaN'::DOUBLE)"
    whole = f"ABS({number_sql}) <= {EXACT}::DOUBLE AND FLOOR({number_sql}) = {number_sql}"
    digits = f"CAST(TRY_CAST({number_sql} AS BIGINT) AS VARCHAR)"
    return f"CASE WHEN {whole} THEN {digits} ELSE CAST({number_sql} AS VARCHAR) END"


def _null(kind: str) -> str:
    return f"CAST(NULL AS {kind})"


# ---------------------------------------------------------------------- views


def open_views(
    connection: Any, tables: Sequence[TableView], frames: Mapping[str, FrameReader]
) -> None:
    """Create a view of each table as it is stored; after that no other file need be reached.

    ``frames`` are the readers of frames by view.  Here their arrays have no rows yet.
    """
    sources = map(_local_source, tables)
    files = [source for source in sources if isinstance(source, FileSource)]
    paths = {path for source in files if source.format != "duckdb" for path in source.paths}
    if paths:
        allowed = sorted({*paths, *map(escape, paths)})
        connection.execute(f"SET allowed_paths = [{', '.join(map(quoted_text, allowed))}]")
    for table in tables:
        if table.view in frames:
            check_duplicates(frames[table.view].names)
            connection.register(frame_name(table.view), frames[table.view].empty_arrays())
        paths_sql = _create_view(connection, table)
        check_names(
            _local_source(table),
            list(_column_types(connection, table.view)),
            lambda query: connection.execute(query).fetchall(),
            paths_sql,
        )


def decode_views(connection: Any, tables: Sequence[TableView]) -> dict[str, tuple[str, ...]]:
    """Replace each view by one of its declared columns; the names of all columns, by view.

    Ids of several tables are compared as they are stored, or as texts.  A collation would make one
    group of several spellings, and show one person's: so texts have none.
    """
    described = {table.view: _column_types(connection, table.view) for table in tables}
    texts = compared_as_texts(
        (table.unit, described[table.view][table.unit])
        for table in tables
        if table.unit in described[table.view]
    )
    for table in tables:
        columns, view = described[table.view], table.view
        columns_sql = [
            f"{decoded_column(quoted_identifier(name), columns[name], declared)} AS "
            f"{quoted_identifier(name)}"
            for name, declared in table.columns.items()
            if name in columns
        ]
        if table.unit is not None and table.unit in columns:
            unit = quoted_identifier(table.unit)
            columns_sql.append(f"{unit_sql(unit, columns[table.unit], texts=texts)} AS {unit}")
        if not columns_sql:
            continue  # a table without declarations stays as it is stored
        connection.execute(f"ALTER VIEW {view} RENAME TO raw_{view}")
        if isinstance(table.source, FileSource) and table.source.format == "duckdb":
            _replace_columns(
                connection,
                view,
                _text_replacements(columns, lambda name: f"CAST({name} AS VARCHAR) COLLATE POSIX"),
            )
        connection.execute(f"CREATE VIEW {view} AS SELECT {', '.join(columns_sql)} FROM raw_{view}")
    return {view: tuple(columns) for view, columns in described.items()}


def widen_views(connection: Any, tables: Sequence[TableView], copies: "FileCopies") -> bool:
    """Let the views read texts that are not UTF-8 as NULL, which takes longer; whether any does.

    Such a text ends DuckDB's scan of a file.  In Parquet it is found by two readings, one with bad
    bytes replaced and one with them left out: they differ.  CSV files are copied, with marks.
    """
    changed = False
    for table in tables:
        view, source = table.view, table.source
        if not isinstance(source, FileSource) or not table.declared:
            continue
        columns = _column_types(connection, f"raw_{view}")
        declared = {name: columns[name] for name in table.declared if name in columns}
        if source.format == "parquet":
            texts = _text_replacements(
                declared,
                lambda name: (
                    f"CASE WHEN replaced.{name} = left_out.{name} THEN replaced.{name} END"
                ),
            )
            first, second = reader_sql(source, (), "replace"), reader_sql(source, (), "ignore")
            source_sql = f"{first} AS replaced POSITIONAL JOIN {second} AS left_out"
        elif source.format == "csv":
            texts = _text_replacements(declared, unmarked_sql)
            source_sql = f"{reader_sql(copies.of(source), ())} AS replaced"
        else:
            continue
        if texts:
            connection.execute(
                f"CREATE OR REPLACE VIEW raw_{view} AS "
                f"SELECT replaced.* REPLACE ({texts}) FROM {source_sql}"
            )
            changed = True
    return changed


def frame_name(view: str) -> str:
    """The name that the arrays of a frame are registered by."""
    return f"frame_{view}"


def _local_source(table: TableView) -> LocalSource:
    """The source of a table, which must be files or a frame."""
    if isinstance(table.source, LocalSource):
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


def _create_view(connection: Any, table: TableView) -> str:
    """Create the view of one table; the quoted paths of its files, if it has any."""
    source, view, run = _local_source(table), table.view, connection.execute
    if isinstance(source, FrameSource):
        run(f"CREATE VIEW {view} AS SELECT * FROM {frame_name(view)}")
        return ""
    if source.format == "duckdb":
        run(f"ATTACH {quoted_text(source.paths[0])} AS stored_{view} (READ_ONLY)")
        run(
            f"CREATE VIEW {view} AS SELECT * FROM "
            f"stored_{view}.{quoted_identifier(source.table or '')}"
        )
        return ""
    run(f"CREATE VIEW {view} AS SELECT * FROM {reader_sql(source, table.declared)}")
    return quoted_paths(source)


def _column_types(connection: Any, view: str) -> dict[str, str]:
    """The types of a view's columns by name."""
    rows = connection.execute(f"DESCRIBE {view}").fetchall()
    return {str(name): str(kind) for name, kind, *_ in rows}


def _text_replacements(columns: Mapping[str, str], change: Callable[[str], str]) -> str:
    """The SQL that replaces every column of texts by a changed one; empty if there is none."""
    names = [quoted_identifier(name) for name, kind in columns.items() if kind in TEXTS]
    return ", ".join(f"{change(name)} AS {name}" for name in names)


def _replace_columns(connection: Any, view: str, replacements: str) -> None:
    """Let the view of a stored table show some columns replaced."""
    if replacements:
        connection.execute(f"ALTER VIEW raw_{view} RENAME TO stored_as_{view}")
        connection.execute(
            f"CREATE VIEW raw_{view} AS SELECT * REPLACE ({replacements}) FROM stored_as_{view}"
        )


# ---------------------------------------------------------------------- names


def check_names(source: LocalSource, described: Sequence[str], run: RunQuery, paths: str) -> None:
    """Refuse names that are the same but for capitals, and names that DuckDB has changed."""
    names = _stored_names(source, run, paths)
    if names is None:
        return
    check_duplicates(names)
    if list(described) != list(names):
        raise SourceError(
            "the data's columns have names that cannot be kept as they are. A column is meant by "
            "its name. Give them plain names."
        )


def check_duplicates(names: Sequence[str]) -> None:
    """Refuse names that are the same but for capitals."""
    counts = Counter(name.casefold() for name in names)
    duplicates = [name for name in names if counts[name.casefold()] > 1]
    if duplicates:
        raise SourceError(
            f"the data have the column {duplicates[0][:60]!r} twice, capitals apart. A column is "
            "meant by its name. Rename one of them."
        )


def _stored_names(source: LocalSource, run: RunQuery, paths: str) -> Sequence[str] | None:
    """The names of a source's columns as its files have them; None where they need no check."""
    if isinstance(source, FrameSource):
        return None  # checked by ``open_views``
    if source.format == "csv":
        return source.header
    # JSON lines are read by the declared names, and a table of a database has no duplicates.
    return _parquet_names(run, paths) if source.format == "parquet" else None


def _parquet_names(run: RunQuery, paths: str) -> Sequence[str]:
    """The names of top-level columns in the schemas of Parquet files, which must be the same."""
    schema_rows = run(
        "SELECT file_name, name, num_children, type, converted_type, logical_type "
        f"FROM parquet_schema([{paths}])"
    )
    schemas = {
        tuple(row[1:] for row in list(rows)[1:])
        for _, rows in groupby(schema_rows, lambda row: row[0])
    }
    if len(schemas) != 1:
        raise SourceError(
            "the Parquet files have different columns, or columns of different types. What one "
            "person is called must not depend on the file. Write them with one schema."
        )
    names, pending_children = [], 0
    for name, children, *_ in schemas.pop():
        if pending_children == 0:
            names.append(str(name))
        else:
            pending_children -= 1
        pending_children += children or 0
    return names


# ---------------------------------------------------------------------- copies


class FileCopies:
    """Copies of CSV files in one folder, made again when a file has changed.

    In a copy, bytes that are not UTF-8 are replaced by a mark, which ``unmarked_sql`` reads.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._copied: dict[str, tuple[Path, tuple[int, int, int]]] = {}

    def of(self, source: FileSource) -> FileSource:
        """A source with copies of the files, made now."""
        for path in source.paths:
            self._copy(path)
        paths = tuple(str(self._copied[path][0]) for path in source.paths)
        return FileSource(paths, source.format, source.table, source.header, source.delimiter)

    def renew(self) -> None:
        """Copy the files again that have changed since they were copied."""
        for path, (_, before) in list(self._copied.items()):
            if _file_state(path) != before:
                self._copy(path)

    def _copy(self, path: str) -> None:
        target = self._copied[path][0] if path in self._copied else self._next_path()
        state = _file_state(path)
        open_file: Any = open_compressed if path.endswith(".gz") else open
        decoder = getincrementaldecoder("utf-8")("surrogateescape")
        with open_file(path, "rb") as file, open(target, "w", encoding="utf-8", newline="") as copy:
            while chunk := file.read(_CHUNK_BYTES):
                copy.write(_with_marks(decoder.decode(chunk)))
            copy.write(_with_marks(decoder.decode(b"", final=True)))
        self._copied[path] = target, state  # only now: a copy that broke off is made again

    def _next_path(self) -> Path:
        return self._folder / f"copy_{len(self._copied)}.csv"


def unmarked_sql(column: str) -> str:
    """The SQL of a copied text without marks; NULL if the text was not UTF-8."""
    text = f"REPLACE({column}, '{_ESCAPED_MARK}', '{_MARK}')"
    return f"CASE WHEN NOT CONTAINS({column}, '{_BAD_BYTES_MARK}') THEN {text} END"


def _with_marks(text: str) -> str:
    """A text with bad bytes replaced by a mark, and the mark's own character escaped."""
    return _BAD_BYTES.sub(_BAD_BYTES_MARK, text.replace(_MARK, _ESCAPED_MARK))


def _file_state(path: str) -> tuple[int, int, int]:
    """What changes when a file does: its time, size and inode."""
    status = os.stat(path)
    return status.st_mtime_ns, status.st_size, status.st_ino
