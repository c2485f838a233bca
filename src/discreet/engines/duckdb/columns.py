"""A stored column as it is declared, in DuckDB's SQL: each cell by itself, without failing.

In the view of a stored table no stored type decides anything about rows.
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
from discreet.plan.schema import BooleanColumn, CategoryColumn, Column, NumberColumn

TEXTS = ("VARCHAR", "JSON")
"""Types whose cells are UTF-8, if they are what they are called."""
_WHOLE = tuple(
    f"{sign}{kind}" for sign in ("", "U") for kind in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
)
_WIDE = ("HUGEINT", "UHUGEINT", "BIGNUM")
_FLOATS = ("FLOAT", "DOUBLE")
_ZONED = {"TIMESTAMP WITH TIME ZONE": "us", "TIMESTAMPTZ_NS": "ns"}
_MOMENTS = ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", *_ZONED)
_FIRST, _LAST = "0001-01-01 00:00:00", "9999-12-31 23:59:59"
_BEFORE, _AFTER = "1677-09-21 00:12:43.145224194", "2262-04-11 23:47:16.854775806"
"""The least and the largest moment in nanoseconds: one further is DuckDB's infinity."""
_DAY = 86_400 * 10**9
_EXACT_DIGITS = 15
_BLANKS = "E' \\t\\n\\x0B\\x0C\\r'"
_WRITTEN_DATE = (
    "'(?s)[ \\t\\n\\x0B\\x0C\\r]*[0-9]{4}-[0-9]{2}-[0-9]{2}([ \\t\\n\\x0B\\x0C\\rT].*)?'"
)
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")


def decoded_column(column: str, stored: str, declared: Column) -> str:
    """The SQL of a column, by its quoted name and its stored type, as it is declared.

    A number may still be NaN, which stands for NULL: who uses it takes care.
    """
    if isinstance(declared, NumberColumn) and declared.dated:
        return _date(column, stored)
    if isinstance(declared, NumberColumn) or (
        isinstance(declared, CategoryColumn) and declared.numeric
    ):
        return _number(column, stored)
    if isinstance(declared, BooleanColumn):
        return _truth(column, stored)
    return _text(column, stored)


def are_texts(units: Iterable[tuple[str, str]]) -> bool:
    """Whether ids are compared as texts, by the names and types of the columns that hold them.

    Where they are whole numbers everywhere, or the same of some other kinds, they are compared as
    they are: that is the same relation.
    """
    families = {}
    for name, kind in units:
        if not _is_read(kind):
            raise SourceError(
                f"the unit {name[:60]!r} is stored as {type_name(kind)}. Ids are compared, sorted "
                "and counted. Store them as texts or whole numbers."
            )
        families["whole" if kind in _WHOLE else kind] = type_name(kind)
    if "BLOB" in families and len(families) > 1:
        words = sorted(set(families.values()))
        raise SourceError(
            f"the people's ids are of different types in the tables: {', '.join(words)}. Bytes "
            "are often a hash, which is no text, so that they are compared with bytes alone. Store "
            "them as one type."
        )
    return not (len(families) == 1 and set(families) <= {"whole", "UUID", "BLOB"})


def unit_sql(column: str, stored: str, *, texts: bool) -> str:
    """The SQL of whose row it is, or NULL for nobody's."""
    if texts:
        return _text(column, stored)
    return f"HEX({column})" if stored == "BLOB" else column


def type_name(kind: str) -> str:
    """The name of a type without its parameters: an ENUM would list its values."""
    return kind.partition("(")[0]


# ---------------------------------------------------------------------- by what is declared


def _number(column: str, stored: str) -> str:
    digits = _decimal(stored)
    if stored in (*_WHOLE, *_FLOATS, "BOOLEAN") or (digits and digits[0] <= _EXACT_DIGITS):
        return f"CAST({column} AS DOUBLE)"
    if stored in _WIDE or digits:  # the casts of these round more than once
        return f"TRY_CAST(CAST({column} AS VARCHAR) AS DOUBLE)"
    text = _said(column, stored)
    if text is None:
        return _missing("DOUBLE")
    number = f"TRY_CAST({text} AS DOUBLE)"
    if stored != "JSON":
        return number
    truth = f"CASE WHEN {_json_kind(column)} = 'BOOLEAN' THEN TRY_CAST({text} AS BOOLEAN) END"
    return f"COALESCE({number}, CAST({truth} AS DOUBLE))"


def _truth(column: str, stored: str) -> str:
    if stored == "BOOLEAN":
        return column
    if stored in (*_WHOLE, *_WIDE, *_FLOATS):
        return f"CASE WHEN {column} = 1 THEN TRUE WHEN {column} = 0 THEN FALSE END"
    if _decimal(stored):  # 1 may be more than the type holds
        text_sql = _text(column, stored)
        return f"CASE WHEN {text_sql} = '1' THEN TRUE WHEN {text_sql} = '0' THEN FALSE END"
    text = _said(column, stored)
    if text is None:
        return _missing("BOOLEAN")
    number = f"TRY_CAST({text} AS DOUBLE)"
    by_number = f"CASE WHEN {number} = 1 THEN TRUE WHEN {number} = 0 THEN FALSE END"
    return f"COALESCE(TRY_CAST({text} AS BOOLEAN), {by_number})"


def _text(column: str, stored: str) -> str:
    text_sql = f"CAST({column} AS VARCHAR)"
    if stored in (*_WHOLE, *_WIDE, "BOOLEAN", "UUID"):
        return text_sql
    if stored in _FLOATS:
        return _float_text(f"CAST({column} AS DOUBLE)")
    if (digits := _decimal(stored)) is not None:
        if digits[0] == digits[1]:  # nothing stands before the point
            text_sql = f"REGEXP_REPLACE({text_sql}, '^(-?)\\.', '\\10.')"
        return f"RTRIM(RTRIM({text_sql}, '0'), '.')" if digits[1] else text_sql
    if stored in _MOMENTS:
        moment = f"CAST({_moment(column, stored)} AS VARCHAR)"
        return f"{moment} || '+00'" if stored in _ZONED else moment
    text = _said(column, stored)
    return _missing("VARCHAR") if text is None else text


def _date(column: str, stored: str) -> str:
    if stored in _MOMENTS and stored.endswith(
        "_NS"
    ):  # the cast rounds to a microsecond, and may reach the next day
        units = f"CAST(EPOCH_NS({_moment(column, stored)}) AS HUGEINT)"
        days = f"({units} - ({units} % {_DAY} + {_DAY}) % {_DAY}) // {_DAY}"
        return f"DATE '1970-01-01' + CAST({days} AS INTEGER)"
    if stored in _MOMENTS:
        return f"CAST({_moment(column, stored)} AS DATE)"
    text = _said(column, stored)
    if text is None:
        return _missing("DATE")
    date = f"TRY_CAST(LEFT(LTRIM({text}, {_BLANKS}), 10) AS DATE)"
    begins = f"REGEXP_FULL_MATCH({text}, {_WRITTEN_DATE})"
    return f"CASE WHEN {begins} AND {date} >= DATE '0001-01-01' THEN {date} END"


# ---------------------------------------------------------------------- by what is stored


def _is_read(stored: str) -> bool:
    kinds = (*_WHOLE, *_WIDE, *_FLOATS, *_MOMENTS, *TEXTS, "BOOLEAN", "UUID", "BLOB", '"NULL"')
    return stored in kinds or _decimal(stored) is not None or _is_enumeration(stored)


def _is_enumeration(stored: str) -> bool:
    return stored.startswith("ENUM(") and stored.endswith(")")


def _decimal(stored: str) -> tuple[int, int] | None:
    """The digits of a decimal type, and how many of them are after the point."""
    match = _DECIMAL.fullmatch(stored)
    return (int(match[1]), int(match[2])) if match else None


def _said(column: str, stored: str) -> str | None:
    """The text that a cell is, if it is one."""
    if stored == "VARCHAR":
        return _short(column)
    if stored == "BLOB":
        return f"CASE WHEN OCTET_LENGTH({column}) <= {LONGEST_TEXT} THEN TRY(DECODE({column})) END"
    if stored == "JSON":
        return _short(_json_text(column))
    return f"CAST({column} AS VARCHAR)" if _is_enumeration(stored) else None


def _short(text: str) -> str:
    """A text that is not too long for what a question may make of it."""
    return f"CASE WHEN STRLEN({text}) <= {LONGEST_TEXT} THEN {text} END"


def _json_kind(column: str) -> str:
    return f"TRY(JSON_TYPE({column}))"


def _json_text(column: str) -> str:
    """The text of a JSON text, number or truth; a number that is not whole is a float."""
    kind, text_sql = _json_kind(column), f"TRY({column} ->> '$')"
    whole = f"REGEXP_FULL_MATCH({text_sql}, '-?[0-9]+')"
    number = _float_text(f"TRY_CAST({text_sql} AS DOUBLE)")
    return (
        f"CASE WHEN {kind} IN ('VARCHAR', 'BOOLEAN', 'UBIGINT', 'BIGINT') THEN {text_sql} "
        f"WHEN {kind} = 'DOUBLE' AND {whole} THEN {text_sql} WHEN {kind} = 'DOUBLE' THEN {number} "
        "END"
    )


def _float_text(number: str) -> str:
    """A float as its shortest digits; up to 2^53, a whole number as the integer that it is."""
    known = f"NULLIF({number}, 'NaN'::DOUBLE)"
    whole = f"ABS({known}) <= {EXACT}::DOUBLE AND FLOOR({known}) = {known}"
    digits = f"CAST(TRY_CAST({known} AS BIGINT) AS VARCHAR)"
    return f"CASE WHEN {whole} THEN {digits} ELSE CAST({known} AS VARCHAR) END"


def _moment(column: str, stored: str) -> str:
    """A date or a moment of the calendar in UTC, without its zone; NULL for any other."""
    first, last = (_BEFORE, _AFTER) if stored.endswith("_NS") else (_FIRST, _LAST)
    if stored in ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE"):
        last += ".999999"
    elif stored == "TIMESTAMP_MS":
        last += ".999"
    if stored in _ZONED:
        first, last = f"{first}+00", f"{last}+00"
    kind = "DATE" if stored == "DATE" else stored
    ends = f"CAST('{first}' AS {kind}) AND CAST('{last}' AS {kind})"
    in_calendar = f"CASE WHEN {column} BETWEEN {ends} THEN {column} END"
    if stored not in _ZONED:
        return in_calendar
    unit = _ZONED[stored]
    constructor = "MAKE_TIMESTAMP" if unit == "us" else "MAKE_TIMESTAMP_NS"
    return f"{constructor}(EPOCH_{unit.upper()}({in_calendar}))"


def _missing(kind: str) -> str:
    return f"CAST(NULL AS {kind})"


_TEXT = "VARCHAR"


Run = Callable[[str], list[tuple[Any, ...]]]


_MARK = "\ue000"
_ITSELF, _BAD = f"{_MARK}0", f"{_MARK}1"
_ESCAPED = re.compile("[\udc80-\udcff]+")
_AT_ONCE = 1 << 20


def open_views(
    connection: Any, tables: Sequence[TableView], frames: Mapping[str, FrameReader]
) -> None:
    """Make the views; afterwards nothing else needs to be reached.

    ``frames``, by their views, have their types now, and their rows when they are read.
    """
    files = [one for one in map(_local, tables) if isinstance(one, FileSource)]
    paths = {path for one in files if one.format != "duckdb" for path in one.paths}
    if paths:
        allowed = sorted({*paths, *map(escape, paths)})
        connection.execute(f"SET allowed_paths = [{', '.join(map(quoted_text, allowed))}]")
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


def _local(table: TableView) -> LocalSource:
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


def _opened(connection: Any, table: TableView) -> str:
    """Make one view; the quoted paths of its files."""
    source, view, run = _local(table), table.view, connection.execute
    if isinstance(source, FrameSource):
        run(f"CREATE VIEW {view} AS SELECT * FROM {frame_name(view)}")
        return ""
    if source.format == "duckdb":
        for path in source.paths[:1]:
            run(f"ATTACH {quoted_text(path)} AS stored_{view} (READ_ONLY)")
        run(
            f"CREATE VIEW {view} AS SELECT * FROM "
            f"stored_{view}.{quoted_identifier(source.table or '')}"
        )
        return ""
    run(f"CREATE VIEW {view} AS SELECT * FROM {reader_sql(source, table.declared)}")
    return quoted_paths(source)


def decode_views(connection: Any, tables: Sequence[TableView]) -> dict[str, tuple[str, ...]]:
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
            continue  # nothing is declared: the table is looked at as it is
        connection.execute(f"ALTER VIEW {view} RENAME TO raw_{view}")
        if isinstance(table.source, FileSource) and table.source.format == "duckdb":
            _change(
                connection,
                view,
                _replaced(columns, lambda name: f"CAST({name} AS VARCHAR) COLLATE POSIX"),
            )
        connection.execute(f"CREATE VIEW {view} AS SELECT {', '.join(columns_sql)} FROM raw_{view}")
    return {view: tuple(columns) for view, columns in described.items()}


def widen_views(connection: Any, tables: Sequence[TableView], copies: "FileCopies") -> bool:
    """From now on read every text of files by its bytes, which takes longer; whether any is.

    What is not UTF-8 ends DuckDB's scan of a file.  A text of Parquet, read with each such byte
    replaced and again with each left out, is the same if it has none.  CSV files are copied.
    """
    changed = False
    for table in tables:
        view, source = table.view, table.source
        if not isinstance(source, FileSource) or not table.declared:
            continue
        columns = _described(connection, f"raw_{view}")
        declared = {name: columns[name] for name in table.declared if name in columns}
        if source.format == "parquet":
            texts = _replaced(
                declared,
                lambda one: f"CASE WHEN replaced.{one} = left_out.{one} THEN replaced.{one} END",
            )
            first, second = reader_sql(source, (), "replace"), reader_sql(source, (), "ignore")
            source_sql = f"{first} AS replaced POSITIONAL JOIN {second} AS left_out"
        elif source.format == "csv":
            texts = _replaced(declared, unmarked)
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


def _described(connection: Any, view: str) -> dict[str, str]:
    """The types of a view's columns."""
    rows = connection.execute(f"DESCRIBE {view}").fetchall()
    return {str(name): str(kind) for name, kind, *_ in rows}


def _replaced(columns: Mapping[str, str], change: Callable[[str], str]) -> str:
    """Every text with a change made to it."""
    names = [quoted_identifier(name) for name, kind in columns.items() if kind in TEXTS]
    return ", ".join(f"{change(name)} AS {name}" for name in names)


def _change(connection: Any, view: str, changes: str) -> None:
    if changes:
        connection.execute(f"ALTER VIEW raw_{view} RENAME TO stored_as_{view}")
        connection.execute(
            f"CREATE VIEW raw_{view} AS SELECT * REPLACE ({changes}) FROM stored_as_{view}"
        )


def quoted_identifier(value: str) -> str:
    """A name as SQL writes it."""
    return '"' + value.replace('"', '""') + '"'


def check_names(source: LocalSource, described: Sequence[str], run: Run, paths: str) -> None:
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


def _names(source: LocalSource, run: Run, paths: str) -> Sequence[str] | None:
    if isinstance(source, FrameSource):
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


class FileCopies:
    """The copies in one folder, and what each file was like when it was copied."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._made: dict[str, tuple[Path, tuple[int, int, int]]] = {}

    def of(self, source: FileSource) -> FileSource:
        """The copied files of a source."""
        for path in source.paths:
            self._copy(path)
        paths = tuple(str(self._made[path][0]) for path in source.paths)
        return FileSource(paths, source.format, source.table, source.header, source.delimiter)

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
    status = os.stat(path)
    return status.st_mtime_ns, status.st_size, status.st_ino
