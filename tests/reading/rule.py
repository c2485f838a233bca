"""The rule by which a stored cell is read, as one naive function, and cells to try it with.

A cell's value is a function of its own stored bytes and the declared kind.  What cannot be decoded
is missing.  ``docs/reference/reading.md`` says the same in a table.
"""

import datetime
import re
from decimal import Decimal
from fractions import Fraction
from math import floor, inf, isnan, nan
from typing import Any
from uuid import UUID

import numpy as np

from discreet.plan.calendar import Dated
from discreet.plan.schema import (
    BooleanColumn,
    CategoryColumn,
    Column,
    NumberColumn,
    TextColumn,
    number,
)
from discreet.plan.schema import (
    datetime as declared_datetime,
)
from discreet.plan.schema import (
    time as declared_time,
)
from discreet.plan.zones import _zone

EXACT = 1 << 53
"""Up to here every whole number is a float of its own."""
LONGEST = 1 << 16
"""How many bytes a text has at most: a question may make many others of it."""

_BLANKS = " \t\n\v\f\r"
_DIGITS = r"[0-9](?:_?[0-9])*"
_NUMBER = re.compile(
    rf"\+?-?(?:(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?"
    r"|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?)"
)
_DATE = re.compile(rf"([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})(?:[{_BLANKS}T].*)?", re.DOTALL)
_DATETIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[ T]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?"
    r"(?: ?(Z)| ?([+-])([0-9]{2})(?::?([0-9]{2}))?)?)?"
)
_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?")
_YEAR = 366 * 86_400
_TRUTHS = {"true": True, "t": True, "yes": True, "y": True}
_TRUTHS |= {"false": False, "f": False, "no": False, "n": False}
_EPOCH = datetime.date(1970, 1, 1).toordinal()
_FIRST, _LAST = (np.datetime64(f"{year}-01-01", "s").astype(int) for year in ("0001", "10000"))

Value = float | bool | str | None


def read(declared: Column, stored: object) -> Value:
    """A stored cell as its column's declared kind says, or None where that is missing.

    Where it says more than the draft that came before it:

    - A text says a number as DuckDB reads one: blanks around it, a sign (also "+-"), digits with
      single underscores between them, a point, an exponent, "inf" or "infinity" in any capitals.
      "nan" is missing.  Beyond the floats it is infinite.
    - A text says a date if it begins (after blanks) with YYYY-MM-DD, and then ends or goes on with
      a blank or T; what follows is not looked at.  So the date is the one that is written, whatever
      zone follows it.
    - A text is true or false by the words true, t, yes, y, false, f, no, n in any capitals, without
      blanks, or by the number that it says.
    - A float is the 64-bit float that equals it: a 32-bit 0.1 reads as "0.10000000149011612".
      Texts of floats are Python's repr.
    - A moment's text is YYYY-MM-DD HH:MM:SS, then the fraction without trailing zeros, then +00
      where it has a zone.  The calendar is that of Python: the years 1 to 9999.
    - A text says a datetime as ISO 8601 has it, to the minute, the second or a fraction of one,
      with blanks around it; a date alone is its midnight.  With an offset it is a moment of the
      world.  Seconds are whole: fractions are dropped.
    - A moment of the world is shown by the clock of the declared zone, by the offset that it has
      then, or that it has a year beyond the declared bounds; without a zone it is missing.
    - A time of day is one without a zone, or a text of HH:MM, HH:MM:SS or HH:MM:SS.fraction with
      blanks around it; fractions are dropped, and what a datetime shows is none.
    - A UUID's text has small letters.
    - An id that is stored as bytes is told apart by its bytes (``read_id``).
    """
    if _too_long(stored):
        return None
    if isinstance(stored, bytes):
        return read(declared, _decoded(stored))
    if isinstance(declared, NumberColumn) and declared.dated == Dated.SECONDS:
        return _second(declared, stored)
    if isinstance(declared, NumberColumn) and declared.dated == Dated.TIME:
        return _of_day(stored)
    if isinstance(declared, NumberColumn) and declared.dated:
        return _day(stored)
    if isinstance(declared, NumberColumn) and declared.decimal and isinstance(stored, str):
        if "." in stored:
            return None
        stored = stored.replace(declared.decimal, ".")
    if isinstance(declared, NumberColumn) or (
        isinstance(declared, CategoryColumn) and declared.numeric
    ):
        found = _number(stored)
        return None if found is None else float(found) + 0.0
    if isinstance(declared, BooleanColumn):
        return _truth(stored)
    return _text(stored)


def read_id(stored: object) -> str | None:
    """Whose row it is, as a text that is the same for the same person; None for nobody.

    Bytes are often a hash, which is no text: an id of bytes is the same as one of the same bytes.
    """
    if isinstance(stored, bytes):
        return stored.hex().upper()
    return None if _too_long(stored) else _text(stored)


def _too_long(stored: object) -> bool:
    return isinstance(stored, str) and len(stored.encode("utf-8", "replace")) > LONGEST


def _decoded(stored: bytes) -> str | None:
    if len(stored) > LONGEST:
        return None
    try:
        return stored.decode()
    except UnicodeDecodeError:
        return None


def _number(stored: object) -> float | None:
    if isinstance(stored, str):
        text = stored.strip(_BLANKS)
        if not _NUMBER.fullmatch(text):
            return None
        return float(text.replace("_", "").removeprefix("+"))
    if isinstance(stored, bool | np.bool_ | int | float | np.integer | np.floating | Decimal):
        if stored != stored:  # noqa: PLR0124
            return None
        try:
            return float(stored)
        except OverflowError:
            return inf if stored > 0 else -inf
    return None


def _truth(stored: object) -> bool | None:
    if isinstance(stored, str) and stored.lower() in _TRUTHS:
        return _TRUTHS[stored.lower()]
    number = _exact(stored)
    return bool(number) if number in (0, 1) else None


def _exact(stored: object) -> Fraction | float | None:
    """A number without rounding: 1 + 10^-30 is not 1, and a text says the nearest float."""
    if isinstance(stored, Decimal) and stored.is_finite():
        return Fraction(stored)
    if isinstance(stored, int):
        return Fraction(stored)
    return _number(stored)


def _text(stored: object) -> str | None:
    match stored:
        case str():
            return stored if _is_unicode(stored) else None
        case bool() | np.bool_():
            return "true" if stored else "false"
        case int() | np.integer():
            return str(int(stored))
        case float() | np.floating():
            number = float(stored)
            if isnan(number):
                return None
            return str(int(number)) if abs(number) <= EXACT and number % 1 == 0 else repr(number)
        case Decimal():
            if not stored.is_finite():
                return _text(float(stored)) if stored == stored else None  # noqa: PLR0124
            shown = format(stored, "f")
            shown = shown.rstrip("0").rstrip(".") if "." in shown else shown
            return "0" if shown in ("", "-0", "-") else shown
        case UUID():
            return str(stored)
        case np.datetime64():
            return _moment(stored)
        case datetime.datetime():
            return _moment(np.datetime64(_utc(stored))) + "+00" * (stored.tzinfo is not None)
        case datetime.date():
            return stored.isoformat()
    return None


def _is_unicode(text: str) -> bool:
    """Whether a text has no lone half of a pair: those have no UTF-8."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _utc(moment: datetime.datetime) -> datetime.datetime:
    if moment.tzinfo is None:
        return moment
    return moment.astimezone(datetime.UTC).replace(tzinfo=None)


def _moment(stored: np.datetime64) -> Any:
    if not _in_calendar(stored):
        return None
    day, _, time = str(stored).partition("T")
    whole, _, rest = (time or "00:00:00").partition(".")
    rest = rest.rstrip("0")
    return f"{day} {whole}" + (f".{rest}" if rest else "")


def _in_calendar(stored: np.datetime64) -> bool:
    return not np.isnat(stored) and bool(_FIRST <= _seconds(stored) < _LAST)


def _seconds(stored: np.datetime64) -> int:
    """Rounded down, by Python's integers: NumPy wraps around near the ends of nanoseconds."""
    unit, count = np.datetime_data(stored.dtype)
    ticks = int(stored.astype(np.int64)) * count
    if unit == "D":
        return ticks * 86_400
    return ticks // {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]


def _day(stored: object) -> float | None:
    if isinstance(stored, np.datetime64):
        if not _in_calendar(stored):
            return None
        return float(_seconds(stored) // 86_400)
    if isinstance(stored, datetime.datetime):
        stored = _utc(stored).date()
    elif isinstance(stored, str):
        found = _DATE.fullmatch(stored.lstrip(_BLANKS))
        try:
            stored = datetime.date.fromisoformat(found[1]) if found else None
        except ValueError:
            return None
    return float(stored.toordinal() - _EPOCH) if isinstance(stored, datetime.date) else None


def _of_day(stored: object) -> float | None:
    if isinstance(stored, str):
        text = stored.strip(_BLANKS)
        if not _TIME.fullmatch(text):
            return None
        stored = datetime.time(*map(int, text.partition(".")[0].split(":")))
    if not isinstance(stored, datetime.time) or stored.tzinfo is not None:
        return None
    return float(stored.hour * 3600 + stored.minute * 60 + stored.second)


def _second(declared: NumberColumn, stored: object) -> float | None:
    if declared.unit is not None:
        found = _number(stored)
        if found is None or isinstance(stored, datetime.date) or abs(found) == inf:
            return None
        return _by_clock(declared, floor(found / (1000 if declared.unit == "ms" else 1)))
    if isinstance(stored, np.datetime64):
        return float(_seconds(stored)) if _in_calendar(stored) else None
    if isinstance(stored, datetime.datetime) and stored.tzinfo is not None:
        return _by_clock(declared, _seconds(np.datetime64(_utc(stored))))
    if isinstance(stored, datetime.datetime):
        return float(_seconds(np.datetime64(stored)))
    if isinstance(stored, datetime.date):
        return float((stored.toordinal() - _EPOCH) * 86_400)
    if not isinstance(stored, str):
        return None
    found_text = _DATETIME.fullmatch(stored.strip(_BLANKS))
    if found_text is None:
        return None
    day, hour, minute, second, utc, sign, ahead, further = found_text.groups()
    try:
        date, time = datetime.date.fromisoformat(day), datetime.time(*_parts(hour, minute, second))
        offset = datetime.time(*_parts(ahead, further))
    except ValueError:
        return None
    shown = datetime.datetime.combine(date, time)
    seconds = _seconds(np.datetime64(shown))
    if not (utc or sign):
        return float(seconds)
    change = offset.hour * 3600 + offset.minute * 60
    return _by_clock(declared, seconds + change if sign == "-" else seconds - change)


def _parts(*digits: str | None) -> list[int]:
    return [int(one or 0) for one in digits]


def _by_clock(declared: NumberColumn, second: int) -> float | None:
    """What the clock of the declared zone shows at a second of UTC."""
    if declared.zone is None or not _FIRST <= second < _LAST:
        return None
    low, high = int(declared.low or 0) - _YEAR, int(declared.high or 0) + _YEAR
    moment = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    moment += datetime.timedelta(seconds=min(max(second, low), high))
    offset = moment.astimezone(_zone(declared.zone)).utcoffset() or datetime.timedelta()
    shown = second + int(offset.total_seconds())
    return float(shown) if _FIRST <= shown < _LAST else None


# ---------------------------------------------------------------------- cells to try it with

DECLARED: dict[str, Column] = {
    "number": NumberColumn(low=Fraction(-1000), high=Fraction(1000)),
    "integer": NumberColumn(low=Fraction(0), high=Fraction(100), whole=True),
    "numeric category": CategoryColumn((0, 1, 7)),
    "boolean": BooleanColumn(),
    "text": TextColumn(),
    "text category": CategoryColumn(("7", "true", "a", "2.5")),
    "date": NumberColumn(low=Fraction(0), high=Fraction(30000), whole=True, dated=Dated.DAYS),
    "datetime": declared_datetime("1965-01-01", "2030-12-31", zone="America/New_York"),
    "milliseconds": declared_datetime("2000-01-01", "2030-12-31", zone="Europe/Paris", unit="ms"),
    "time of day": declared_time("00:00", "23:59:59"),
    "decimal comma": number(-1000, 1000, decimal=","),
}
CHANGES = [
    *("2024-03-10 01:59:59", "2024-03-10 02:00:00", "2024-03-10 02:30:00", "2024-03-10 03:00:00"),
    *("2024-11-03 00:59:59", "2024-11-03 01:30:00", "2024-11-03 02:00:00", "2024-03-31 02:30"),
]
"""Around the hour that a clock leaves out, and the one that it shows twice."""
INSTANTS = [
    *("2024-03-10T06:59:59Z", "2024-03-10T07:00:00Z", "2024-03-10 07:00:00+00:00"),
    *("2024-11-03T05:59:59Z", "2024-11-03T06:00:00Z", "2024-11-03 01:30:00-05:00"),
    *("2024-11-03 01:30:00 -0400", "2024-03-31T00:59:59Z", "2024-03-31T01:00:00.999Z"),
    *("2020-01-02 03:04+23:59", "2020-01-02 03:04+24:00", "2020-01-02 03:04-05:60"),
    *("0001-01-01 00:00:00Z", "0001-01-01 00:00:00+00:01", "0001-01-01T05:00:00Z"),
    *(
        "9999-12-31 23:59:59Z",
        "9999-12-31T23:59:59-00:01",
        "1000-06-01 12:00Z",
        "5000-07-01 12:00Z",
    ),
]

INTEGERS: list[Any] = [None, 0, 1, 2, 7, -1, 100, 127, -128, 2**31 - 1, -(2**31), 2**53, 2**53 + 1]
INTEGERS += [-(2**53) - 1, 2**63 - 1, -(2**63), 10**18, 1711846799999, 1711846800000]
INTEGERS += [253402300799999, 253402300800000, -62135596800000, -62135596800001]
HUGE: list[Any] = [None, 1, 7, 2**64 - 1, 2**64, 2**64 + 2**11 + 1, -(2**64) - 1, 2**127 - 1]
HUGE += [-(2**127), 10**20 + 1, 2**53 + 1, 2**80 + 2**27 + 1]
FLOATS: list[Any] = [None, nan, inf, -inf, 0.0, -0.0, 1.0, 7.0, -7.0, 2.5, 0.1, 1 / 3, 5e-324]
FLOATS += [1e15, 2.0**53, -(2.0**53), 2.0**53 + 2, 1e16, 1e22, 1e100, -1.7976931348623157e308]
FLOATS += [1e-5, 1.0000000000000002, 0.9999999999999999, 1e-310]
SMALL_FLOATS: list[Any] = [None, nan, inf, -inf, 0.0, -0.0, 1.0, 7.0, 0.5, 0.10000000149011612]
SMALL_FLOATS += [2.0**24, 3.4028234663852886e38, 1.401298464324817e-45]
_NARROW = ["0.00", "1.00", "7.00", "-7.00", "2.50", "0.01", "-0.01", "1.01", "100.00", "0.10"]
DECIMALS: list[Any] = [None, *map(Decimal, _NARROW)]
_WIDE = ["0", "1", "7.0000000000", "1.0000000001", "0.1", "0.3", "9007199254740993.0000000001"]
_WIDE += ["-9007199254740993", "1234567890123456789012345678.0123456789", "0.0000000001", "-2.5"]
_WIDE += ["9999999999999999999999999999.9999999999", "1152921504606847105.5"]
WIDE_DECIMALS: list[Any] = [None, *map(Decimal, _WIDE)]
BOOLEANS: list[Any] = [None, True, False]
TEXTS: list[Any] = [
    None,
    "",
    " ",
    "a",
    "A",
    "7",
    "7.0",
    " 7 ",
    "+7",
    "-0",
    "+-7",
    "1",
    "1.0",
    "0.0",
]
TEXTS += ["0", "1e0", "1e3", "1E+3", ".5", "5.", ".", "1_000", "1__0", "_1", "1_", "1,5"]
TEXTS += [
    "inf",
    "-Infinity",
    "infinit",
    "nan",
    "NaN",
    "-nan",
    "1e400",
    "-1e400",
    "1e-400",
    "9" * 400,
]
TEXTS += ["true", "TRUE", "True", "t", "f", "yes", "No", "y", "n", "on", "off", " true", "2", "01"]
TEXTS += ["2020-01-02", " 2020-01-02 ", "2020-01-02 03:04:05", "2020-01-02T23:59:59-05:00"]
TEXTS += ["2020-01-02Tx", "2020-01-02x", "2020-1-2", "2020/01/02", "2020-02-30", "20200102"]
TEXTS += [
    "0001-01-01",
    "0000-01-01",
    "9999-12-31",
    "10000-01-01",
    "-001-01-01",
    "infinity",
    "epoch",
]
TEXTS += ["infinity", "epoch"]
TEXTS += ["2020-01-2 ", "2020-01-02\n03", "2020-01-02\u00a003", "٢٠٢٠-01-02", "0001-01-01 (BC)"]
TEXTS += [
    "٧",
    "\u00a07",
    "7\u00a0",
    "\t7\n",
    "7\0",
    "\0",
    "Ä",
    "日本語",
    "👍",
    "e\u0301",
    "\ufeffa",
]
TEXTS += [
    "\ufffd",
    "it's",
    '"',
    "a,b",
    "a\nb",
    "a\\x41",
    "\\xFF",
    "{}",
    "[1]",
    "null",
    "NULL",
    "N/A",
]
TEXTS += ["NULL", "N/A", "x" * 5000, "ı", "K", "TRUE\u200b", "tRuE", "00012", "7 8", "1 e3"]
TEXTS += ["--7", "+ 7", "-2,50", "1.234,5", "1,2,3", ",5", "1704067200000", "1710054000", "-1"]
TEXTS += [*CHANGES, *INSTANTS, "2020-01-02 3:04", "2020-01-02 24:00", "2020-01-02 23:59:60"]
TEXTS += [
    "2020-01-02 03:04:05.",
    "2020-01-02T03",
    "2020-01-02  03:04",
    "2020-01-02 03:04 ",
    "2020-01-02Z",
]
TEXTS += ["2020-01-02 03:04:05,5", "2020-01-02 03:04:05.123456789012 Z", "2020-01-02t03:04z"]
TEXTS += ["08:30", "08:30:59", " 08:30:59.999999\n", "24:00", "23:59:60", "8:30", "08:30Z"]
TEXTS += [
    "08:30:59.",
    "08:30:",
    "08:30+00",
    "08:30 AM",
    "-08:30",
    "08:30\u00a0",
    "٠٨:٣٠",
]
BYTES: list[Any] = [None, b"", b"7", b"7.0", b"true", b"2020-01-02", "Ä".encode(), b"a\0b"]
NOT_UTF8: list[bytes] = [b"\xff", b"\xc3", b"\xc3\x28", b"\xc0\x80", b"\xed\xa0\x80", b"a\xffb"]
NOT_UTF8 += [b"\xf4\x90\x80\x80", b"\x80", b"\xe2\x82", b"7\xff", b"\xf8\x88\x80\x80\x80"]
NOT_UTF8 += [b"abcdefghijklmnop\xff", b"true\xff", b"2020-01-02 \xff"]
DATES: list[Any] = [None, datetime.date(1970, 1, 1), datetime.date(1969, 12, 31)]
DATES += [datetime.date.min, datetime.date.max, datetime.date(2020, 2, 29)]
MOMENTS: list[Any] = [None, datetime.datetime(1970, 1, 1), datetime.datetime(1969, 12, 31, 23, 59)]
MOMENTS += [
    datetime.datetime(2020, 1, 2, 3, 4, 5, 500_000),
    datetime.datetime(2020, 1, 2, 3, 4, 5, 1),
]
MOMENTS += [datetime.datetime.min, datetime.datetime.max, datetime.datetime(1677, 9, 21)]
MOMENTS += [datetime.datetime.fromisoformat(text) for text in CHANGES]
MOMENTS += [datetime.datetime(2024, 3, 10, 7), datetime.datetime(2024, 11, 3, 6)]
ZONED: list[Any] = [
    None if moment is None else moment.replace(tzinfo=datetime.UTC) for moment in MOMENTS
]
TIMES: list[Any] = [None, datetime.time(0), datetime.time(8, 30), datetime.time.max]
TIMES += [datetime.time(8, 30, 59, 999_999), datetime.time(0, 0, 0, 1)]
OTHERS: list[Any] = [
    datetime.time(1, tzinfo=datetime.UTC),
    datetime.timedelta(1),
    [],
    [7],
    {"a": 7},
    (1,),
    object(),
    1j,
]
"""Of these nothing is read: times in a zone, spans of time, and what is made of parts."""

CELLS: list[Any] = [
    *INTEGERS,
    *HUGE,
    *FLOATS,
    *DECIMALS,
    *WIDE_DECIMALS,
    *BOOLEANS,
    *TEXTS,
    *BYTES,
    *NOT_UTF8,
    *DATES,
    *MOMENTS,
    *ZONED,
    *TIMES,
    *OTHERS,
]
