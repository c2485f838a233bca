"""A stored cell as its column is declared, in DuckDB's SQL: by the cell alone, and without failing.

What cannot be decoded is NULL.  Casts of DuckDB that can fail on a value, even inside TRY_CAST, are
only asked for values that were checked before: a moment that the calendar does not have is NULL
before anything is made of it.  Which decoder is used depends on the column's type in the file,
which is known before any row is read.
"""

import re
from collections.abc import Iterable

from discreet.engines.writing import EXACT, LONGEST_TEXT
from discreet.errors import SourceError
from discreet.plan.columns import Boolean, Category, Column, Number

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


def decoded(column: str, stored: str, declared: Column) -> str:
    """The SQL of a column, by its quoted name and its stored type, as it is declared.

    A number may still be NaN, which stands for NULL: who uses it takes care.
    """
    if isinstance(declared, Number) and declared.dated:
        return _date(column, stored)
    if isinstance(declared, Number) or (isinstance(declared, Category) and declared.numeric):
        return _number(column, stored)
    if isinstance(declared, Boolean):
        return _truth(column, stored)
    return _text(column, stored)


def are_texts(units: Iterable[tuple[str, str]]) -> bool:
    """Whether ids are compared as texts, by the names and types of the columns that hold them.

    Where they are whole numbers everywhere, or the same of some other kinds, they are compared as
    they are: that is the same relation.
    """
    found = {}
    for name, kind in units:
        if not _is_read(kind):
            raise SourceError(
                f"the unit {name[:60]!r} is stored as {word(kind)}. Ids are compared, sorted and "
                "counted. Store them as texts or whole numbers."
            )
        found["whole" if kind in _WHOLE else kind] = word(kind)
    if "BLOB" in found and len(found) > 1:
        words = sorted(set(found.values()))
        raise SourceError(
            f"the people's ids are of different types in the tables: {', '.join(words)}. Bytes "
            "are often a hash, which is no text, so that they are compared with bytes alone. Store "
            "them as one type."
        )
    return not (len(found) == 1 and set(found) <= {"whole", "UUID", "BLOB"})


def identity(column: str, stored: str, *, texts: bool) -> str:
    """The SQL of whose row it is, or NULL for nobody's."""
    if texts:
        return _text(column, stored)
    return f"HEX({column})" if stored == "BLOB" else column


def word(kind: str) -> str:
    """A type without what stands in it: an ENUM goes on with the values that it has."""
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
        shown = _text(column, stored)
        return f"CASE WHEN {shown} = '1' THEN TRUE WHEN {shown} = '0' THEN FALSE END"
    text = _said(column, stored)
    if text is None:
        return _missing("BOOLEAN")
    number = f"TRY_CAST({text} AS DOUBLE)"
    by_number = f"CASE WHEN {number} = 1 THEN TRUE WHEN {number} = 0 THEN FALSE END"
    return f"COALESCE(TRY_CAST({text} AS BOOLEAN), {by_number})"


def _text(column: str, stored: str) -> str:
    shown = f"CAST({column} AS VARCHAR)"
    if stored in (*_WHOLE, *_WIDE, "BOOLEAN", "UUID"):
        return shown
    if stored in _FLOATS:
        return _float_text(f"CAST({column} AS DOUBLE)")
    if (digits := _decimal(stored)) is not None:
        if digits[0] == digits[1]:  # nothing stands before the point
            shown = f"REGEXP_REPLACE({shown}, '^(-?)\\.', '\\10.')"
        return f"RTRIM(RTRIM({shown}, '0'), '.')" if digits[1] else shown
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
    found = _DECIMAL.fullmatch(stored)
    return (int(found[1]), int(found[2])) if found else None


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
    kind, shown = _json_kind(column), f"TRY({column} ->> '$')"
    whole = f"REGEXP_FULL_MATCH({shown}, '-?[0-9]+')"
    number = _float_text(f"TRY_CAST({shown} AS DOUBLE)")
    return (
        f"CASE WHEN {kind} IN ('VARCHAR', 'BOOLEAN', 'UBIGINT', 'BIGINT') THEN {shown} "
        f"WHEN {kind} = 'DOUBLE' AND {whole} THEN {shown} WHEN {kind} = 'DOUBLE' THEN {number} END"
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
    known = f"CASE WHEN {column} BETWEEN {ends} THEN {column} END"
    if stored not in _ZONED:
        return known
    unit = _ZONED[stored]
    made = "MAKE_TIMESTAMP" if unit == "us" else "MAKE_TIMESTAMP_NS"
    return f"{made}(EPOCH_{unit.upper()}({known}))"


def _missing(kind: str) -> str:
    return f"CAST(NULL AS {kind})"
