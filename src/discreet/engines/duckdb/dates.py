"""Dates and datetimes in DuckDB's SQL, from every type that a cell may be stored as.

Nothing here can fail on a cell: moments are compared with the ends of the calendar before they
are cast, and texts are taken apart by a regular expression, which gives parts that are numbers.
"""

import re
from dataclasses import replace

from discreet.engines.clocks import MILLISECONDS, clock_of, clock_sql, zoned_error
from discreet.engines.frames.cells import NOT_A_TEXT
from discreet.plan.calendar import DAY_SECONDS
from discreet.plan.schema import NumberColumn

ZONED = {"TIMESTAMP WITH TIME ZONE": "us", "TIMESTAMPTZ_NS": "ns"}
TIMES = ("TIME", "TIME_NS")
DATE_TIMES = ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", *ZONED)
BLANKS_SQL = "E' \\t\\n\\x0B\\x0C\\r'"
_BLANK = "[ \\t\\n\\x0B\\x0C\\r]*"
_DATE_PATTERN_SQL = f"'(?s){_BLANK}[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}([ \\t\\n\\x0B\\x0C\\rT].*)?'"
_FIRST_MOMENT, _LAST_MOMENT = "0001-01-01 00:00:00", "9999-12-31 23:59:59"
_FIRST_NANOSECOND = "1677-09-21 00:12:43.145224194"
_LAST_NANOSECOND = "2262-04-11 23:47:16.854775806"
"""The ends of what 64-bit nanoseconds hold: one further is DuckDB's infinity."""
_NANOSECONDS, _MICROSECONDS = 10**9, 10**6
_PARTS, _SECOND = "discreet_parts_of_a_text", "discreet_second_of_utc"
"""Names inside of an expression.  No column may be called so."""
_ZONE = "Z|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?"
_TIME = (
    "(?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9])(?:\\.[0-9]+)?)?"
)
"""How texts of times of day are written: ISO 8601."""
_USUAL = (
    "(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    f"(?:[ T]{_TIME}(?P<zone> ?(?:{_ZONE}))?)?"
)
"""How texts of datetimes are written unless a format says otherwise: ISO 8601."""
_DIRECTIVES = {
    "Y": ("year", "[0-9]{4}", "[0-9]{4}"),
    "m": ("month", "0?[1-9]|1[0-2]", "0[1-9]|1[0-2]"),
    "d": ("day", "0?[1-9]|[12][0-9]|3[01]", "0[1-9]|[12][0-9]|3[01]"),
    "H": ("hour", "[01]?[0-9]|2[0-3]", "[01][0-9]|2[0-3]"),
    "I": ("hour", "0?[1-9]|1[0-2]", "0[1-9]|1[0-2]"),
    "M": ("minute", "[0-5]?[0-9]", "[0-5][0-9]"),
    "S": ("second", "[0-5]?[0-9]", "[0-5][0-9]"),
    "f": ("fraction", "[0-9]{1,9}", "[0-9]{1,9}"),
    "p": ("half", "(?i:am|pm)", "(?i:am|pm)"),
    "z": ("zone", _ZONE, _ZONE),
}
"""The part that a directive stands for, how it is written, and how beside other digits."""
_COLON_SQL = "':'"
_DIGITS = "YmdHIMSf"


def date_sql(column: str, stored: str, text: str | None, declared: NumberColumn) -> str:
    """The SQL of a date; ``text`` is that of the cell's text, if cells of its type have one."""
    if stored in DATE_TIMES and stored.endswith("_NS"):
        # A cast to DATE rounds to microseconds, and may reach the next day.
        nanoseconds = f"CAST(EPOCH_NS({moment_sql(column, stored)}) AS HUGEINT)"
        days = _floor_divided(nanoseconds, DAY_SECONDS * _NANOSECONDS)
        return f"DATE '1970-01-01' + CAST({days} AS INTEGER)"
    if stored in DATE_TIMES:
        return f"CAST({moment_sql(column, stored)} AS DATE)"
    if text is None:
        return "CAST(NULL AS DATE)"
    if declared.format is not None:
        usual = date_sql(column, stored, _without_mark(text), replace(declared, format=None))
        return _by_mark(text, usual, _taken_apart(text, _regular(declared.format), _day()))
    date = f"TRY_CAST(LEFT(LTRIM({text}, {BLANKS_SQL}), 10) AS DATE)"
    is_date = f"REGEXP_FULL_MATCH({text}, {_DATE_PATTERN_SQL})"
    return f"CASE WHEN {is_date} AND {date} >= DATE '0001-01-01' THEN {date} END"


def datetime_sql(
    column: str, stored: str, text: str | None, number: str, declared: NumberColumn
) -> str:
    """The SQL of a datetime, in whole seconds of its clock; ``number`` is that of a number."""
    clock = clock_of(declared)
    if declared.unit is not None and clock is not None:
        divided = f"{number} / CAST({MILLISECONDS} AS DOUBLE)" if declared.unit == "ms" else number
        return _double(_applied(f"FLOOR({divided})", _SECOND, clock_sql(_SECOND, clock)))
    if stored in ZONED and clock is None:
        raise zoned_error(column.strip('"'), stored)
    if stored in DATE_TIMES:
        nano = stored.endswith("_NS")
        count = f"EPOCH_{'NS' if nano else 'US'}({moment_sql(column, stored)})"
        second = _floor_divided(count, _NANOSECONDS if nano else _MICROSECONDS)
        if stored in ZONED and clock is not None:
            second = _applied(second, _SECOND, clock_sql(_SECOND, clock))
        return _double(second)
    if text is None:
        return "CAST(NULL AS DOUBLE)"
    pattern = _USUAL if declared.format is None else _regular(declared.format)
    shown = _clock_parts(pattern)
    if "?P<zone>" in pattern:
        zone = f"LTRIM({_PARTS}.zone)"
        utc = f"{shown} - {_zone_seconds(zone)}"
        moment = "NULL" if clock is None else _applied(utc, _SECOND, clock_sql(_SECOND, clock))
        shown = f"CASE WHEN {zone} = '' THEN {shown} ELSE {moment} END"
    found = _double(_taken_apart(text, pattern, shown))
    if declared.format is None:
        return found
    plain = replace(declared, format=None)
    return _by_mark(text, datetime_sql(column, stored, _without_mark(text), number, plain), found)


def time_sql(column: str, stored: str, text: str | None) -> str:
    """The SQL of a time of day, in whole seconds since midnight."""
    if stored in TIMES:
        found = f"EPOCH_{'NS' if stored.endswith('_NS') else 'US'}({column})"
        second = _floor_divided(found, _NANOSECONDS if stored.endswith("_NS") else _MICROSECONDS)
        body = f"CASE WHEN {_SECOND} BETWEEN 0 AND {DAY_SECONDS - 1} THEN {_SECOND} END"
        return _double(_applied(second, _SECOND, body))
    if text is None:
        return "CAST(NULL AS DOUBLE)"
    shown = f"CASE WHEN {_PARTS}.hour <> '' THEN {_seconds_of_day(_TIME)} END"
    return _double(_taken_apart(text, _TIME, shown))


def _without_mark(text: str) -> str:
    return f"SUBSTR({text}, 2)"


def _by_mark(text: str, usual: str, by_format: str) -> str:
    """A cell of objects that is no text is read as usual, and texts by their format."""
    marked = f"STARTS_WITH({text}, CHR({ord(NOT_A_TEXT)}))"
    return f"CASE WHEN {marked} THEN {usual} ELSE {by_format} END"


def moment_sql(column: str, stored: str) -> str:
    """The SQL of a date or time in UTC, without its zone; NULL outside of the calendar."""
    first, last = _FIRST_MOMENT, _LAST_MOMENT
    if stored.endswith("_NS"):
        first, last = _FIRST_NANOSECOND, _LAST_NANOSECOND
    if stored in ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE"):
        last += ".999999"
    elif stored == "TIMESTAMP_MS":
        last += ".999"
    if stored in ZONED:
        first, last = f"{first}+00", f"{last}+00"
    bounds = f"CAST('{first}' AS {stored}) AND CAST('{last}' AS {stored})"
    in_calendar = f"CASE WHEN {column} BETWEEN {bounds} THEN {column} END"
    if stored not in ZONED:
        return in_calendar
    unit = ZONED[stored]
    constructor = "MAKE_TIMESTAMP" if unit == "us" else "MAKE_TIMESTAMP_NS"
    return f"{constructor}(EPOCH_{unit.upper()}({in_calendar}))"


def _floor_divided(whole: str, size: int) -> str:
    """The SQL of a quotient of whole numbers, rounded down: DuckDB's own is cut at the point."""
    return f"({whole} - ({whole} % {size} + {size}) % {size}) // {size}"


def _double(second: str) -> str:
    return f"CAST({second} AS DOUBLE)"


def _applied(value: str, name: str, body: str) -> str:
    """The SQL of an expression of a value, which is computed once however often it is named."""
    return f"LIST_TRANSFORM([{value}], LAMBDA {name}: {body})[1]"


# ---------------------------------------------------------------------- texts


def _regular(written: str) -> str:
    """The regular expression of a format; a part beside another one has all its digits."""
    pieces = re.findall(r"%.|[^%]+", written)
    pattern = []
    for place, piece in enumerate(pieces):
        if not piece.startswith("%") or piece == "%%":
            pattern.append(re.sub(r"([^\w ])", r"\\\1", piece.replace("%%", "%"), flags=re.ASCII))
            continue
        part, alone, beside = _DIRECTIVES[piece[1]]
        neighbors = pieces[max(place - 1, 0) : place] + pieces[place + 1 : place + 2]
        touches = any(one[0] == "%" and one[1] in _DIGITS for one in neighbors)
        pattern.append(f"(?P<{part}>{beside if touches else alone})")
    return "".join(pattern)


def _taken_apart(text: str, pattern: str, body: str) -> str:
    """The SQL of what is made of the parts of a text; they are empty where it does not fit."""
    names = re.findall(r"\?P<(\w+)>", pattern)
    plain = re.sub(r"\?P<\w+>", "", pattern).replace("'", "''")
    listed = ", ".join(f"'{name}'" for name in names)
    parts = f"REGEXP_EXTRACT({text}, '\\A{_BLANK}{plain}{_BLANK}\\z', [{listed}])"
    return _applied(parts, _PARTS, body)


def _day() -> str:
    month, day = (f"LPAD({_PARTS}.{part}, 2, '0')" for part in ("month", "day"))
    date = f"TRY_CAST({_PARTS}.year || '-' || {month} || '-' || {day} AS DATE)"
    return f"CASE WHEN {_PARTS}.year <> '0000' THEN {date} END"


def _clock_parts(pattern: str) -> str:
    """The seconds since 1970 that a text shows."""
    days = f"DATE_DIFF('day', DATE '1970-01-01', {_day()}) * {DAY_SECONDS}"
    return f"({days} + {_seconds_of_day(pattern)})"


def _seconds_of_day(pattern: str) -> str:
    """The seconds since midnight that a text shows."""
    sizes = {"hour": 3600, "minute": 60, "second": 1}
    parts = [
        f"{_number(f'{_PARTS}.{part}')} * {size}"
        for part, size in sizes.items()
        if f"?P<{part}>" in pattern
    ]
    if "?P<half>" in pattern:
        hour = f"{_number(f'{_PARTS}.hour')} % 12"
        afternoon = f"CASE WHEN LOWER({_PARTS}.half) = 'pm' THEN 12 ELSE 0 END"
        parts[0] = f"({hour} + {afternoon}) * 3600"
    return " + ".join(parts) or "0"


def _zone_seconds(zone: str) -> str:
    """How far a clock that is written with its offset is from UTC."""
    sign = f"CASE WHEN LEFT({zone}, 1) = '-' THEN -1 ELSE 1 END"
    hours = f"{_number(f'SUBSTRING({zone}, 2, 2)')} * 3600"
    minutes = f"{_number(f'LTRIM(SUBSTRING({zone}, 4), {_COLON_SQL})')} * 60"
    return f"({sign} * ({hours} + {minutes}))"


def _number(text: str) -> str:
    """The number that digits are; 0 where there are none."""
    return f"COALESCE(TRY_CAST({text} AS BIGINT), 0)"
