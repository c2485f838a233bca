"""A stored column as it is declared, in Spark's SQL: each cell by itself, without failing."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from discreet.engines.clocks import MILLISECONDS, clock_of, clock_sql, zoned_error
from discreet.engines.sources import TableView
from discreet.engines.spark.connection import SparkConnection
from discreet.engines.spark.session import session_of
from discreet.engines.spark.source import SparkFrame, SparkSource
from discreet.engines.writer import LONGEST_TEXT
from discreet.errors import Remedy, SourceError
from discreet.plan.calendar import (
    DAY_SECONDS,
    FIRST_DAY,
    FIRST_SECOND,
    LAST_DAY,
    LAST_SECOND,
    Dated,
)
from discreet.plan.schema import BooleanColumn, CategoryColumn, Column, NumberColumn
from discreet.plan.zones import ZoneOffsets

Types = tuple[tuple[str, str], ...]
"""The names and types of columns, in their order."""
_WORDS = {
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "decimal": "DECIMAL",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "time": "TIME",
    "timestamp": "TIMESTAMPTZ",
    "timestamp_ntz": "TIMESTAMP",
    **dict.fromkeys(("string", "varchar", "char"), "VARCHAR"),
}
"""Types as every engine calls them."""
_READING = {
    "datetimeRebaseMode": "CORRECTED",
    "int96RebaseMode": "CORRECTED",
    "ignoreCorruptFiles": "false",
}
"""How Parquet is read, whatever the session's settings say: old dates are what is stored."""
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_FLOATS = ("float", "double")
_DATES = ("date", "timestamp", "timestamp_ntz")
_TIME = (
    "r'\\A[ \\t\\n\\x0B\\f\\r]*([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:[.][0-9]+)?)?"
    "[ \\t\\n\\x0B\\f\\r]*\\z'"
)
"""How texts of times of day are written, with blanks around them."""
_SECOND = 1_000_000
_DAY = DAY_SECONDS * _SECOND
_FENCE = "SPARK_PARTITION_ID() >= 0"
"""Always true, and not known to be before the rows are read: no condition is moved across it."""


def are_mixed(families: Iterable[str]) -> bool:
    """Whether ids are to be compared as texts, since some are whole numbers and some texts.

    ``families`` are the kinds of ids, table by table.

    >>> are_mixed(["whole", "text"]), are_mixed(["text", "text"])
    (True, False)
    """
    distinct = set(families)
    if len(distinct) > 1 and not distinct <= {"whole", "text"}:
        raise SourceError(
            "the people's ids are of different types in the tables: "
            f"{', '.join(sorted(distinct))}. Who is the same person must not depend on how an id "
            "is written, and bytes are often a hash, which is no text. Store them as one type."
        )
    return len(distinct) > 1


def found_frame(session: Any, source: SparkSource) -> Any:
    """The frame of a source: names and types are looked up, and no row is read."""
    with suppress(Exception):
        if isinstance(source, SparkFrame):
            frame = source.frame
        elif source.table is not None:
            frame = session.table(_quoted(source.table))
        else:
            frame = session.read.options(**_READING).parquet(source.path)
        if frame.schema:  # Connect looks it up only when it is asked for
            return frame
    raise _missing(source)


def _missing(source: SparkSource) -> SourceError:
    if isinstance(source, SparkFrame):
        return SourceError(
            "Spark finds no columns for the frame. What it is made of must be there, and its "
            "session must be reached. Look at its schema, and make the frame anew."
        )
    if source.table is not None:
        return SourceError(
            f"{source.text} is not found, or may not be read. It is looked up in the session's "
            "catalog. Correct its name, and put its schema before it: hospital.visits."
        )
    return SourceError(
        f"Spark finds no Parquet files at {(source.path or '')[:200]!r}, or may not read them. The "
        "path is looked up by the machines of the cluster, and files say their own types. Write "
        "one that every machine can read; save other files as Parquet first."
    )


def _quoted(table: str) -> str:
    if "`" in table:
        return table
    return ".".join(f"`{part}`" for part in table.split("."))


def types_of(frame: Any) -> Types:
    """The names and types of a frame's columns, in their order."""
    return tuple((field.name, field.dataType.simpleString()) for field in frame.schema.fields)


def described(source: SparkSource) -> list[tuple[str, str | None]]:
    """The names and types of a table's columns, for a policy to be filled in."""
    session, own = session_of(source)
    connection = SparkConnection(session, own=own)
    try:
        types = types_of(found_frame(session, source))
    finally:
        connection.close()
    return [(name, _WORDS.get(re.split(r"\W", kind)[0], "BLOB")) for name, kind in types]


def relation(
    table: TableView, types: Mapping[str, str], places: Mapping[str, str], *, mixed: bool = False
) -> dict[str, str]:
    """The columns of a table that are read, each as it is declared, by their names.

    ``types`` says how each is stored, ``places`` what it is called in Spark.  With ``mixed``, ids
    are texts.
    """
    columns_sql = {
        name: _read(places[name], types[name], declared, name)
        for name, declared in table.columns.items()
    }
    if table.unit is not None:
        columns_sql[table.unit] = _unit(places[table.unit], types[table.unit], mixed=mixed)
    return {name: f"IF({_FENCE}, {read}, NULL)" for name, read in columns_sql.items()}


def check_units(types: Iterable[tuple[str, str]]) -> bool:
    """Whether ids are to be compared as texts, since some are whole numbers and some texts.

    ``types`` are the names and types of the columns that say whose row it is, table by table.
    """
    families = []
    for name, kind in types:
        family = _family(kind)
        if family is None:
            raise SourceError(
                f"the unit {name[:60]!r} is stored as {_word(kind)}. Ids are compared, sorted and "
                "counted.",
                Remedy(
                    python="Cast it in a frame, and pass that: "
                    f"frame.withColumn({name[:60]!r}, F.col({name[:60]!r}).cast('string')).",
                    policy=f"Cast it in a view, by CAST(`{name[:60]}` AS STRING), and name the "
                    "view as the source.",
                ),
            )
        families.append(family)
    return are_mixed(families)


def _family(kind: str) -> str | None:
    if kind in _WHOLE:
        return "whole"
    if kind in _FLOATS:
        return "float"
    if _is_text(kind):
        return "text"
    if kind.startswith("decimal"):
        return kind
    return kind if kind in (*_DATES, "boolean", "binary") else None


def _unit(place: str, kind: str, *, mixed: bool) -> str:
    """Whose row it is.  A NaN names nobody, as a NULL does, and 0 is -0."""
    if kind in _FLOATS:
        return f"({_float(place)} + CAST('0.0' AS DOUBLE))"
    if kind in _WHOLE:
        whole = f"CAST({place} AS BIGINT)"
        return f"CAST({whole} AS STRING)" if mixed else whole
    if kind in _DATES:
        known = f"UNIX_MICROS({place})" if kind == "timestamp" else place
        return f"CASE WHEN {_days(place, kind)} IS NOT NULL THEN {known} END"
    if kind == "binary":
        return _short(place, f"HEX({place})")
    return _text(place, kind) if _is_text(kind) else place


def _read(place: str, kind: str, declared: Column, name: str) -> str:
    if isinstance(declared, NumberColumn) and declared.dated == Dated.DAYS:
        if kind in _DATES:
            return f"CAST({_days(place, kind)} AS DOUBLE)"
        raise _unreadable(name, kind, "a date", "date")
    if isinstance(declared, NumberColumn) and declared.dated == Dated.TIME:
        if _is_text(kind) or kind == "binary":
            return _time(_text(place, kind))
        raise _unreadable(name, kind, "a time of day", "string")
    if isinstance(declared, NumberColumn) and declared.dated:
        return _datetime(place, kind, declared, name)
    if isinstance(declared, NumberColumn) or (
        isinstance(declared, CategoryColumn) and declared.numeric
    ):
        if kind in _FLOATS:
            return _float(place)
        if kind in (*_WHOLE, "boolean") or kind.startswith("decimal"):
            return f"CAST({place} AS DOUBLE)"
        if kind in _DATES:
            raise SourceError(
                f"the column {name[:60]!r} is declared as a number, and Spark stores it as "
                f"{_word(kind)}. Dates have bounds of their own.",
                Remedy(
                    python='Declare it so: dp.date("2020-01-01", "2029-12-31").',
                    policy='Declare it so: { type = "date", low = "2020-01-01", high = '
                    '"2029-12-31" }.',
                ),
            )
        raise _unreadable(name, kind, "a number", "double")
    if isinstance(declared, BooleanColumn):
        if kind == "boolean":
            return place
        if kind in (*_WHOLE, *_FLOATS):
            number = f"CAST({place} AS DOUBLE)"
            return f"CASE WHEN {number} = 1 THEN TRUE WHEN {number} = 0 THEN FALSE END"
        raise _unreadable(name, kind, "true or false", "boolean")
    if _is_text(kind) or kind == "binary":
        return _text(place, kind)
    if kind in (*_WHOLE, "boolean"):
        return f"CAST({place} AS STRING)"
    raise _unreadable(name, kind, "a text", "string")


def _datetime(place: str, kind: str, declared: NumberColumn, name: str) -> str:
    """Whole seconds of a clock since 1970.  Seconds of UTC are computed once, and then shown."""
    clock = clock_of(declared)
    if declared.unit is not None and clock is not None:
        if kind in _DATES or not (
            kind in (*_WHOLE, *_FLOATS, "boolean") or kind.startswith("decimal")
        ):
            raise _unreadable(name, kind, f"a datetime in {declared.unit} since 1970", "double")
        number = _float(place)
        if declared.unit == "ms":
            number = f"({number} / CAST('{MILLISECONDS}' AS DOUBLE))"
        within = f"{number} >= {FIRST_SECOND} AND {number} < {LAST_SECOND + 1}"
        return _shown(f"CASE WHEN {within} THEN FLOOR({number}) END", clock)
    if kind not in _DATES:
        raise _unreadable(name, kind, "a datetime", "timestamp_ntz")
    days = f"{_days(place, kind)} * CAST({DAY_SECONDS} AS BIGINT)"
    if kind == "date":
        return f"CAST({days} AS DOUBLE)"
    if kind == "timestamp_ntz":
        time = f"HOUR({place}) * 3600 + MINUTE({place}) * 60 + SECOND({place})"
        return f"CAST({days} + {time} AS DOUBLE)"
    if clock is None:
        raise zoned_error(name, "Spark's timestamp")
    moment = f"UNIX_MICROS({place})"
    second = f"({moment} - PMOD({moment}, {_SECOND})) DIV {_SECOND}"
    inside = f"CASE WHEN {_days(place, kind)} IS NOT NULL THEN {second} END"
    return _shown(inside, clock)


def _time(text: str) -> str:
    """Whole seconds since midnight of a text."""
    parts = [f"REGEXP_EXTRACT(x, {_TIME}, {place})" for place in (1, 2, 3)]
    hour, minute, second = (f"COALESCE(TRY_CAST({one} AS BIGINT), 0)" for one in parts)
    body = f"IF(RLIKE(x, {_TIME}), {hour} * 3600 + {minute} * 60 + {second}, NULL)"
    return f"CAST(TRANSFORM(ARRAY({text}), x -> {body})[0] AS DOUBLE)"


def _shown(second: str, clock: ZoneOffsets) -> str:
    return f"CAST(TRANSFORM(ARRAY({second}), u -> {clock_sql('u', clock)})[0] AS DOUBLE)"


def _is_text(kind: str) -> bool:
    return kind.partition(" ")[0].partition("(")[0] in ("string", "varchar", "char")


def _text(place: str, kind: str) -> str:
    """A text that is compared by its bytes, whatever collation its column has.

    Spark's texts may hold any bytes.  Those that are no text are missing.
    """
    text = f"COLLATE({place}, 'UTF8_BINARY')" if "collate" in kind.lower() else place
    if kind == "binary":
        text = f"CAST({place} AS STRING)"
    return _short(place, f"TRY_VALIDATE_UTF8({text})")


def _short(place: str, found: str) -> str:
    """The SQL of an operation on a text or bytes; NULL if they are too long for it."""
    return f"CASE WHEN OCTET_LENGTH({place}) <= {LONGEST_TEXT} THEN {found} END"


def _float(place: str) -> str:
    """A float, and NULL for NaN."""
    return f"NANVL(CAST({place} AS DOUBLE), CAST(NULL AS DOUBLE))"


def _days(place: str, kind: str) -> str:
    """The number of days from 1970 in UTC, whatever the session's time zone is.

    What the calendar does not have is missing.
    """
    if kind == "timestamp":
        moment = f"UNIX_MICROS({place})"
        before = f"CASE WHEN {moment} < 0 AND PMOD({moment}, {_DAY}) <> 0 THEN 1 ELSE 0 END"
        days = f"(({moment} DIV {_DAY}) - {before})"
    else:
        days = f"UNIX_DATE({place if kind == 'date' else f'CAST({place} AS DATE)'})"
    return f"CASE WHEN {days} BETWEEN {FIRST_DAY} AND {LAST_DAY} THEN {days} END"


def _unreadable(name: str, kind: str, what: str, wanted: str) -> SourceError:
    return SourceError(
        f"the column {name[:60]!r} is declared as {what}, and Spark stores it as {_word(kind)}. A "
        "cast between them could fail on a row, and that would show it. Cast it as you mean it in "
        f"a view or a frame, by try_cast(`{name[:60]}` AS {wanted}), and name that as the source."
    )


def _word(kind: str) -> str:
    return kind if len(kind) <= 40 else f"{kind[:40]}…"
