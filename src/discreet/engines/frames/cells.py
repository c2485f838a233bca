"""One Python object of a frame ▶ the text by which it is read, or None where it is missing."""

import datetime
from collections.abc import Callable, Iterable
from decimal import Decimal
from math import isfinite, isnan
from typing import Any, Literal, TypeGuard

import numpy as np
from numpy.typing import NDArray

_EPOCH = datetime.date(1970, 1, 1).toordinal()
FIRST = datetime.date.min.toordinal() - _EPOCH
LAST = datetime.date.max.toordinal() - _EPOCH
_NANOSECONDS_PER_DAY = 86_400 * 10**9
# How many of a unit are in a day, or how many days it has.
_PER_DAY = {"D": 1, "h": 24, "m": 1440, "s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6}
_PER_DAY |= {"ns": _NANOSECONDS_PER_DAY, "ps": 86_400 * 10**12}
_PER_DAY |= {"fs": 86_400 * 10**15, "as": 86_400 * 10**18}
_MONTHS = {"Y": 12, "M": 1}
_FIRST_MONTH, _LAST_MONTH = (1 - 1970) * 12, (10_000 - 1970) * 12

Integers = NDArray[np.int64]


CellKind = Literal["number", "comma", "truth", "day", "moment", "time", "text", "id"]
"""What a column is declared as; the last one says whose row it is.

Texts of a number with a comma have one in the place of the point.
"""
NOT_A_TEXT = "\x1d"
"""Before what stands for an object that is no text, in a column whose texts have a format."""
EXACT = 1 << 53
_MOST_PLACES = 400
_LARGEST = 1 << 1100
_ZONES = frozenset({"datetime", "zoneinfo", "pytz", "dateutil", "pandas"})
Read = Callable[[Any, CellKind, bool], str | None]


def split(counts: Integers, unit: str) -> tuple[Integers, Integers, NDArray[np.bool_]]:
    """Days since 1970, nanoseconds of the day, and what lies outside of the calendar."""
    per_day = _PER_DAY[unit]
    days, rest = np.divmod(counts, np.int64(per_day))
    outside = (days < FIRST) | (days > LAST)
    return days, rest * np.int64(_NANOSECONDS_PER_DAY // per_day), outside


def split_moment(moment: np.datetime64) -> tuple[int, int] | None:
    """Days since 1970 and nanoseconds of one NumPy moment; None outside of the calendar."""
    if np.isnat(moment):
        return None
    unit, many = np.datetime_data(moment.dtype)
    count = int(moment.astype(np.int64)) * many
    if unit in _MONTHS:
        months = count * _MONTHS[unit]
        if not _FIRST_MONTH <= months < _LAST_MONTH:
            return None
        return int(np.datetime64(months, "M").astype("datetime64[D]").astype(np.int64)), 0
    per_day = 1 if unit == "W" else _PER_DAY[unit]
    days, rest = divmod(count * 7 if unit == "W" else count, per_day)
    if not FIRST <= days <= LAST:
        return None
    return days, rest * _NANOSECONDS_PER_DAY // per_day


def date_text(day: int) -> str:
    """A day as it is written."""
    return datetime.date.fromordinal(day + _EPOCH).isoformat()


def moment_text(day: int, nanoseconds: int, *, zoned: bool) -> str:
    """A moment as it is written: to the last digit that is not zero.

    >>> moment_text(0, 1_500_000_000, zoned=True)
    '1970-01-01 00:00:01.5+00'
    """
    seconds, rest = divmod(nanoseconds, 10**9)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    digits = f".{rest:09d}".rstrip("0") if rest else ""
    zone = "+00" if zoned else ""
    return f"{date_text(day)} {hours:02d}:{minutes:02d}:{seconds:02d}{digits}{zone}"


def midnights(days: Integers, missing: NDArray[np.bool_]) -> NDArray[Any]:
    """Days as moments that DuckDB reads; NaT where there is none."""
    moments = np.where(missing, 0, days).astype("datetime64[D]").astype("datetime64[us]")
    moments[missing] = np.datetime64("NaT")
    return moments


def texts_of(cells: Iterable[object], kind: CellKind, merges: bool) -> list[str | None]:
    """A text for every cell, which the engine reads as the declared kind.

    ``merges``: numbers from 2^53 on are missing, and true and false are 1 and 0, since their
    container may have merged them.
    """
    listed = list(cells)
    if _are_texts(listed):
        return listed
    readers: dict[type, Read] = {}
    texts: list[str | None] = []
    with np.errstate(all="ignore"):
        for cell in listed:
            try:
                reader = readers.get(type(cell)) or readers.setdefault(
                    type(cell), _reader(type(cell))
                )
                text = reader(cell, "number" if kind == "comma" else kind, merges)
                if kind == "comma" and text is not None and reader not in (_text, _bytes):
                    text = text.replace(".", ",")
                texts.append(text)
            except Exception:  # whatever a strange object does, it is missing
                texts.append(None)
    return texts


def _are_texts(cells: list[Any]) -> TypeGuard[list[str | None]]:
    """Whether all cells are texts that have UTF-8, or missing: they stay as they are."""
    try:
        if not set(map(type, cells)) <= {str, type(None)}:
            return False
        "".join(filter(None, cells)).encode()
    except Exception:
        return False
    return True


def utf8_text(stored: bytes | None) -> str | None:
    """The text that UTF-8 bytes are."""
    try:
        return None if stored is None else bytes.decode(stored)
    except UnicodeDecodeError:
        return None


def shown_bytes(stored: bytes | None) -> str | None:
    """Bytes as an id: often a hash, which is no text."""
    return None if stored is None else bytes.hex(stored).upper()


def float_text(value: float, merges: bool) -> str | None:
    """A number's text, which does not tell whether an integer or a float held it."""
    if isnan(value) or (merges and isfinite(value) and abs(value) >= EXACT):
        return None
    return str(int(value)) if abs(value) <= EXACT and value == int(value) else repr(value)


def _reader(kind: type) -> Read:
    """How objects of a type are read; the first type that it is a subclass of decides."""
    if kind.__name__ == "NaTType":  # it claims to be a moment
        return _nothing
    if kind.__name__ == "Timestamp" and kind.__module__.partition(".")[0] == "pandas":
        return _timestamp
    if kind.__name__ == "UUID" and kind.__module__ == "uuid":
        return _uuid
    for base, read in _READERS:
        if issubclass(kind, base):
            return read
    return _nothing


def _nothing(cell: object, kind: CellKind, merges: bool) -> str | None:
    return None


def _text(cell: Any, kind: CellKind, merges: bool) -> str | None:
    text = cell if type(cell) is str else str.__str__(cell)
    if not text.isascii():
        text.encode()  # half of a surrogate pair has no UTF-8: it raises, and is missing
    return text


def _bytes(cell: Any, kind: CellKind, merges: bool) -> str | None:
    stored = bytes(memoryview(cell))
    return shown_bytes(stored) if kind == "id" else utf8_text(stored)


def _truth(cell: Any, kind: CellKind, merges: bool) -> str | None:
    if kind in ("day", "moment"):
        return None
    if kind == "number" or merges:
        return "1" if cell else "0"
    return "true" if cell else "false"


def _whole(cell: Any, kind: CellKind, merges: bool) -> str | None:
    value = int.__index__(cell) if issubclass(type(cell), int) else int(np.generic.item(cell))
    if kind in ("day", "moment") or (merges and abs(value) >= EXACT):
        return None
    if kind == "truth":
        return str(value) if value in (0, 1) else None
    if abs(value) >= _LARGEST:  # as a number it is infinite; nothing that long is an id
        return ("inf" if value > 0 else "-inf") if kind == "number" else None
    return str(value)


def _real(cell: Any, kind: CellKind, merges: bool) -> str | None:
    value = float.__float__(cell) if issubclass(type(cell), float) else float(cell)
    if kind in ("day", "moment"):
        return None
    if kind == "truth":
        return str(int(value)) if value in (0, 1) else None
    return float_text(value, merges)


def _complex(cell: Any, kind: CellKind, merges: bool) -> str | None:
    # One complex number makes complex numbers of a whole column.
    plain = cell if issubclass(type(cell), complex) else np.generic.item(cell)
    real, imaginary = complex.real.__get__(plain), complex.imag.__get__(plain)
    return _real(real, kind, merges) if imaginary == 0 else None


def _decimal(cell: Any, kind: CellKind, merges: bool) -> str | None:
    value = Decimal(cell)
    if not value.is_finite():
        return None if value.is_nan() else _real(Decimal.__float__(value), kind, merges)
    if kind in ("day", "moment") or (merges and value.copy_abs() >= EXACT):
        return None
    if kind == "truth":
        return str(int(value)) if value in (0, 1) else None
    if kind == "number":
        return repr(Decimal.__float__(value))
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > _MOST_PLACES:
        return None
    digits = format(value, "f")
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return "0" if digits == "-0" else digits


def _day(cell: Any, kind: CellKind, merges: bool) -> str | None:
    if kind in ("number", "truth"):
        return None
    return datetime.date.isoformat(cell)


def _moment(cell: Any, kind: CellKind, merges: bool) -> str | None:
    if kind in ("number", "truth"):
        return None
    zone = datetime.datetime.tzinfo.__get__(cell)
    if zone is None:
        plain = cell
    elif type(zone).__module__.partition(".")[0] in _ZONES:
        plain = datetime.datetime.astimezone(cell, datetime.UTC)
    else:  # to ask it for its offset could do anything
        return None
    if kind == "day":
        return datetime.date.isoformat(datetime.datetime.date(plain))
    text = datetime.datetime.isoformat(datetime.datetime.replace(plain, tzinfo=None), " ")
    text = text.rstrip("0") if "." in text else text
    return text if zone is None else text + "+00"


def _time(cell: Any, kind: CellKind, merges: bool) -> str | None:
    if kind != "time" or datetime.time.tzinfo.__get__(cell) is not None:
        return None
    return datetime.time.isoformat(cell, "seconds")


def _timestamp(cell: Any, kind: CellKind, merges: bool) -> str | None:
    """pandas' own: its calendar is larger than that of the class it is made from."""
    if kind in ("number", "truth"):
        return None
    return _shown(cell.to_datetime64(), kind, zoned=cell.tzinfo is not None)


def _datetime64(cell: Any, kind: CellKind, merges: bool) -> str | None:
    return None if kind in ("number", "truth") else _shown(cell, kind, zoned=False)


def _shown(cell: Any, kind: CellKind, *, zoned: bool) -> str | None:
    day_and_time = split_moment(cell)
    if day_and_time is None:
        return None
    return date_text(day_and_time[0]) if kind == "day" else moment_text(*day_and_time, zoned=zoned)


def _uuid(cell: Any, kind: CellKind, merges: bool) -> str | None:
    digits = f"{cell.int:032x}"
    if kind not in ("text", "id") or type(cell.int) is not int or len(digits) != 32:
        return None
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


_READERS: tuple[tuple[type | tuple[type, ...], Read], ...] = (
    (str, _text),
    ((bytes, bytearray, memoryview), _bytes),
    ((bool, np.bool_), _truth),
    (np.timedelta64, _nothing),  # NumPy counts it among the integers
    ((int, np.integer), _whole),
    ((float, np.floating), _real),
    ((complex, np.complexfloating), _complex),
    (Decimal, _decimal),
    (datetime.datetime, _moment),
    (datetime.date, _day),
    (datetime.time, _time),
    (np.datetime64, _datetime64),
)
