"""The type objects and constructors of PEP 249."""

# ruff: noqa: N802 - the names are given by PEP 249

from dataclasses import dataclass
from datetime import date, datetime, time


@dataclass(frozen=True, slots=True)
class TypeObject:
    """What a column holds; the type codes of ``Cursor.description`` are these objects."""

    name: str

    def __repr__(self) -> str:
        return self.name


STRING = TypeObject("STRING")
BINARY = TypeObject("BINARY")
NUMBER = TypeObject("NUMBER")
DATETIME = TypeObject("DATETIME")
ROWID = TypeObject("ROWID")

Date = date
Time = time
Timestamp = datetime
Binary = bytes


def DateFromTicks(ticks: float) -> date:
    """The local day of a number of seconds since 1970."""
    return date.fromtimestamp(ticks)


def TimeFromTicks(ticks: float) -> time:
    """The local time of day of a number of seconds since 1970."""
    return datetime.fromtimestamp(ticks).time()


def TimestampFromTicks(ticks: float) -> datetime:
    """The local time of a number of seconds since 1970."""
    return datetime.fromtimestamp(ticks)
