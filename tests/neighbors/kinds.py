"""What a column of a store may hold: types, the odd cells of each, and usual values written so."""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import inf, nan
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow

from tests.reading import rule

Cell = Any

_MIDDAY = datetime.time(12, 30)
_IN_SECONDS = [0, 1, -1, 10**9, 253402300799, 253402300800, -62135596800, -62135596801, 2**40]
_IN_SECONDS += [1710053999, 1710054000, 1730613599, 1730613600, 253402300798, -62135578800]
_UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def _moments(unit: str) -> list[Cell]:
    """Moments within and outside of the calendar, and of what the unit can count."""
    scaled = [seconds * _UNITS[unit] + rest for seconds in _IN_SECONDS for rest in (0, -1)]
    numbers = [*scaled, *[2**62, -(2**62), 2**63 - 1, 2**63 - 2, -(2**63) + 1] * 6]
    held = [number for number in numbers if abs(number) < 2**63]
    return [None, *(np.datetime64(number, unit) for number in held)]


def _whole(value: Any) -> Cell:
    return int(value) if isinstance(value, bool | int | float) and value == int(value) else None


def _real(value: Any) -> Cell:
    return float(value) if isinstance(value, bool | int | float) else None


def _decimal(value: Any) -> Cell:
    number = _real(value)
    return None if number is None else Decimal(str(round(number, 2))).quantize(Decimal("0.01"))


def _truth(value: Any) -> Cell:
    return bool(value) if isinstance(value, bool) or value in (0, 1) else None


def _text(value: Any) -> Cell:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def _bytes(value: Any) -> Cell:
    return _text(value).encode()


def _day(value: Any) -> Cell:
    if isinstance(value, datetime.datetime):
        return value.date()
    return value if isinstance(value, datetime.date) else None


def _moment(unit: str) -> Callable[[Any], Cell]:
    def made(value: Any) -> Cell:
        if not isinstance(value, datetime.date):
            return None
        if not isinstance(value, datetime.datetime):
            value = datetime.datetime.combine(value, _MIDDAY)
        return np.datetime64(value).astype(f"datetime64[{unit}]")

    return made


def _time(value: Any) -> Cell:
    """A time of day in microseconds."""
    if not isinstance(value, datetime.time):
        return None
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 10**6


def _nothing(value: Any) -> Cell:
    return None


@dataclass(frozen=True)
class Kind:
    """A type of stored columns.  ``made`` writes a usual value so, or gives None."""

    name: str
    odd: Sequence[Cell] = field(repr=False)
    made: Callable[[Any], Cell] = field(repr=False)
    arrow: Any = None
    duckdb: str | None = None
    """Its type in a DuckDB table, if that is not what Arrow's is read as."""
    postgres: str | None = None
    text: bool = False
    """Whether bytes in it are called a text."""

    def array(self, cells: Sequence[Cell]) -> pyarrow.Array:
        """Cells as Arrow holds them; every cell is what it is, whatever a calendar says."""
        kind = self.arrow
        if pyarrow.types.is_timestamp(kind):
            counts = [None if cell is None else int(cell.astype(np.int64)) for cell in cells]
            return pyarrow.array(counts, pyarrow.int64()).view(kind)
        if self.text:
            raw = [cell.encode() if isinstance(cell, str) else cell for cell in cells]
            return pyarrow.array(raw, pyarrow.binary()).view(pyarrow.string())
        if pyarrow.types.is_dictionary(kind):
            return pyarrow.array(cells, pyarrow.string()).dictionary_encode()
        if self.name == "time":
            return pyarrow.array(cells, pyarrow.int64()).view(kind)
        return pyarrow.array(cells, kind)


def _kinds(*kinds: Kind) -> dict[str, Kind]:
    return {kind.name: kind for kind in kinds}


_SMALL = [None, 0, 1, 7, 100, 127, -128]
_TEXTS = [*rule.TEXTS, "TRUE", "b", "B", "7,5", "09/01/2024", "09/06/2024 23:30:00"]
_WIDE = pyarrow.decimal128(38, 10)
NUMERIC = _kinds(
    Kind("int64", [*rule.INTEGERS, *[None] * 8, 7, 7, 7], _whole, pyarrow.int64(), None, "bigint"),
    Kind("int8", _SMALL, _whole, pyarrow.int8(), None, "smallint"),
    Kind("uint64", [None, 0, 1, 7, 2**64 - 1, 2**53 + 1], _whole, pyarrow.uint64(), None, None),
    Kind(
        "float64",
        [*rule.FLOATS, *[nan] * 16, *[inf] * 3, *[100.0] * 3],
        _real,
        pyarrow.float64(),
        None,
        "double precision",
    ),
    Kind("float32", [*rule.SMALL_FLOATS, *[nan] * 4], _real, pyarrow.float32(), None, "real"),
    Kind("decimal", rule.DECIMALS, _decimal, pyarrow.decimal128(5, 2), None, "numeric(5, 2)"),
    Kind("wide decimal", rule.WIDE_DECIMALS, _decimal, _WIDE, None, "numeric"),
)
TEXTUAL = _kinds(
    Kind("text", _TEXTS, _text, pyarrow.string(), None, "text"),
    Kind("dictionary", _TEXTS, _text, pyarrow.dictionary(pyarrow.int32(), pyarrow.string())),
    Kind("text of bytes", [*rule.NOT_UTF8 * 5, *_TEXTS], _text, pyarrow.string(), text=True),
    Kind("bytes", [*rule.BYTES, *rule.NOT_UTF8], _bytes, pyarrow.binary(), None, "bytea"),
)
CALENDAR = _kinds(
    Kind("date", rule.DATES, _day, pyarrow.date32(), None, "date"),
    *(
        Kind(f"timestamp {unit}", _moments(unit), _moment(unit), pyarrow.timestamp(unit))
        for unit in ("s", "ms", "ns")
    ),
    Kind("timestamp us", _moments("us"), _moment("us"), pyarrow.timestamp("us"), None, "timestamp"),
    *(
        Kind(f"zoned {unit}", _moments(unit), _moment(unit), pyarrow.timestamp(unit, zone))
        for unit, zone in (("us", "UTC"), ("ns", "Asia/Tokyo"), ("s", "UTC"))
    ),
)
_OF_DAY = pyarrow.time64("us")
_MICROSECONDS = [None, 0, 1, 30_600_500_000, 86_399_999_999]
WITHIN_A_DAY = Kind("time", _MICROSECONDS, _time, _OF_DAY, "TIME")
"""Times that the calendar has: others end what writes them."""
TIMES = [
    *(None, datetime.time(0), datetime.time.max, datetime.time(8, 30, 0, 500_000)),
    datetime.time(8, 30, tzinfo=datetime.UTC),
]
OBJECTS = Kind("time", TIMES, lambda value: value if isinstance(value, datetime.time) else None)
"""Times as Python has them."""
TRUTHS = _kinds(Kind("bool", rule.BOOLEANS, _truth, pyarrow.bool_(), None, "boolean"))
PARTS = _kinds(
    Kind("time", [*_MICROSECONDS, -1, 86_400 * 10**6, 2**63 - 1], _time, _OF_DAY, "TIME"),
    Kind("list", [None, [], [7], [None]], _nothing, pyarrow.list_(pyarrow.int64())),
    Kind("struct", [None, {"a": 7}], _nothing, pyarrow.struct({"a": pyarrow.int64()})),
    Kind("null", [None], _nothing, pyarrow.null()),
)


def _enumeration(words: Sequence[str]) -> str:
    listed = ", ".join("'" + word.replace("'", "''") + "'" for word in words)
    return f"ENUM({listed})"


_HUGE = [None if cell is None else str(cell) for cell in rule.HUGE]
_UUIDS = [None, *(str(UUID(int=number)) for number in (0, 1, 7, 2**128 - 1))]
_ENUMERATED = ("A", "B", "it's", "é", "a", "b", "7", "true", "1", "2024-01-09", "")
ONLY_DUCKDB = _kinds(
    Kind("hugeint", _HUGE, lambda value: _shown(_whole(value)), pyarrow.string(), "HUGEINT"),
    Kind("uuid", _UUIDS, _nothing, pyarrow.string(), "UUID", "uuid"),
    Kind(
        "enumeration",
        [None, *_ENUMERATED],
        lambda value: _text(value) if _text(value) in _ENUMERATED else None,
        pyarrow.string(),
        _enumeration(_ENUMERATED),
    ),
    Kind("text without case", _TEXTS, _text, pyarrow.string(), "VARCHAR COLLATE NOCASE"),
    Kind("interval", [None, "1 day", "99 years"], _nothing, pyarrow.string(), "INTERVAL"),
)


def _shown(value: Any) -> Cell:
    return None if value is None else str(value)


EVERY = NUMERIC | TEXTUAL | CALENDAR | TRUTHS | PARTS
IDS = ("int64", "text", "float64", "decimal", "bytes", "date", "uint64", "text of bytes")
IDS += ("timestamp us", "bool", "dictionary", "int8", "zoned us", "wide decimal", "hugeint")


def whose(cell: Cell, kind: Kind, *, merges: bool = False) -> str | None:
    """Whose row it is by the rule.

    With ``merges``, as in pandas, whole numbers from 2^53 on are nobody's, and true is 1.
    """
    if merges and isinstance(cell, bool):
        return str(int(cell))
    if kind.text and isinstance(cell, bytes):
        return None  # a text that is not UTF-8
    if merges and isinstance(cell, int | float | Decimal):
        return rule.read_id(cell) if cell == cell and abs(cell) < rule.EXACT else None  # noqa: PLR0124
    return rule.read_id(cell)
