"""One Python object of a frame ▶ the text by which it is read, or None where it is missing.

An object is read by what it *is*: a subclass of a type of Python or NumPy is read by the methods
of that type, and never by its own.  So no object can raise, warn or do anything when it is read,
and nothing but itself decides what it is.
"""

import datetime
from collections.abc import Callable, Iterable
from decimal import Decimal
from math import isfinite, isnan
from typing import Any, Literal, TypeGuard

import numpy as np

from discreet.engines.frames.calendar import date_text, moment_text, split_moment

Kind = Literal["number", "truth", "day", "text", "id"]
"""What a column is declared as; the last one says whose row it is."""

EXACT = 1 << 53
_MOST_PLACES = 400
_LARGEST = 1 << 1100
_ZONES = frozenset({"datetime", "zoneinfo", "pytz", "dateutil", "pandas"})

Read = Callable[[Any, Kind, bool], str | None]


def texts_of(cells: Iterable[object], kind: Kind, merges: bool) -> list[str | None]:
    """A text for every cell, which the engine reads as the declared kind.

    ``merges``: numbers from 2^53 on are missing, and true and false are 1 and 0, since their
    container may have merged them.
    """
    listed = list(cells)
    if _are_texts(listed):
        return listed
    readers: dict[type, Read] = {}
    found: list[str | None] = []
    with np.errstate(all="ignore"):
        for cell in listed:
            try:
                read = readers.get(type(cell)) or readers.setdefault(
                    type(cell), _reader(type(cell))
                )
                found.append(read(cell, kind, merges))
            except Exception:  # whatever a strange object does, it is missing
                found.append(None)
    return found


def _are_texts(cells: list[Any]) -> TypeGuard[list[str | None]]:
    """Whether all cells are texts that have UTF-8, or missing: they stay as they are."""
    try:
        if not set(map(type, cells)) <= {str, type(None)}:
            return False
        "".join(filter(None, cells)).encode()
    except Exception:
        return False
    return True


def decoded(stored: bytes | None) -> str | None:
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


def _nothing(cell: object, kind: Kind, merges: bool) -> str | None:
    return None


def _text(cell: Any, kind: Kind, merges: bool) -> str | None:
    text = cell if type(cell) is str else str.__str__(cell)
    if not text.isascii():
        text.encode()  # half of a surrogate pair has no UTF-8: it raises, and is missing
    return text


def _bytes(cell: Any, kind: Kind, merges: bool) -> str | None:
    stored = bytes(memoryview(cell))
    return shown_bytes(stored) if kind == "id" else decoded(stored)


def _truth(cell: Any, kind: Kind, merges: bool) -> str | None:
    if kind == "day":
        return None
    if kind == "number" or merges:
        return "1" if cell else "0"
    return "true" if cell else "false"


def _whole(cell: Any, kind: Kind, merges: bool) -> str | None:
    value = int.__index__(cell) if issubclass(type(cell), int) else int(np.generic.item(cell))
    if kind == "day" or (merges and abs(value) >= EXACT):
        return None
    if kind == "truth":
        return str(value) if value in (0, 1) else None
    if abs(value) >= _LARGEST:  # as a number it is infinite; nothing that long is an id
        return ("inf" if value > 0 else "-inf") if kind == "number" else None
    return str(value)


def _real(cell: Any, kind: Kind, merges: bool) -> str | None:
    value = float.__float__(cell) if issubclass(type(cell), float) else float(cell)
    if kind == "day":
        return None
    if kind == "truth":
        return str(int(value)) if value in (0, 1) else None
    return float_text(value, merges)


def _complex(cell: Any, kind: Kind, merges: bool) -> str | None:
    # One complex number makes complex numbers of a whole column.
    plain = cell if issubclass(type(cell), complex) else np.generic.item(cell)
    real, imaginary = complex.real.__get__(plain), complex.imag.__get__(plain)
    return _real(real, kind, merges) if imaginary == 0 else None


def _decimal(cell: Any, kind: Kind, merges: bool) -> str | None:
    value = Decimal(cell)
    if not value.is_finite():
        return None if value.is_nan() else _real(Decimal.__float__(value), kind, merges)
    if kind == "day" or (merges and value.copy_abs() >= EXACT):
        return None
    if kind == "truth":
        return str(int(value)) if value in (0, 1) else None
    if kind == "number":
        return repr(Decimal.__float__(value))
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > _MOST_PLACES:
        return None
    shown = format(value, "f")
    shown = shown.rstrip("0").rstrip(".") if "." in shown else shown
    return "0" if shown == "-0" else shown


def _day(cell: Any, kind: Kind, merges: bool) -> str | None:
    if kind in ("number", "truth"):
        return None
    return datetime.date.isoformat(cell)


def _moment(cell: Any, kind: Kind, merges: bool) -> str | None:
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
    shown = datetime.datetime.isoformat(datetime.datetime.replace(plain, tzinfo=None), " ")
    shown = shown.rstrip("0") if "." in shown else shown
    return shown if zone is None else shown + "+00"


def _timestamp(cell: Any, kind: Kind, merges: bool) -> str | None:
    """pandas' own: its calendar is larger than that of the class it is made from."""
    if kind in ("number", "truth"):
        return None
    return _shown(cell.to_datetime64(), kind, zoned=cell.tzinfo is not None)


def _datetime64(cell: Any, kind: Kind, merges: bool) -> str | None:
    return None if kind in ("number", "truth") else _shown(cell, kind, zoned=False)


def _shown(cell: Any, kind: Kind, *, zoned: bool) -> str | None:
    found = split_moment(cell)
    if found is None:
        return None
    return date_text(found[0]) if kind == "day" else moment_text(*found, zoned=zoned)


def _uuid(cell: Any, kind: Kind, merges: bool) -> str | None:
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
    (np.datetime64, _datetime64),
)
