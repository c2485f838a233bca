"""Result sets: the columns and rows that a cursor hands out, with the types of PEP 249."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from discreet.release.exports import ColumnType
from discreet.release.release import Release

# ruff: noqa: N802 - the names are given by PEP 249


Date = date
Time = time
Timestamp = datetime
Binary = bytes
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class TypeObject:
    """A type code of ``Cursor.description``, as PEP 249 has it."""

    name: str

    def __repr__(self) -> str:
        return self.name


STRING = TypeObject("STRING")
BINARY = TypeObject("BINARY")
NUMBER = TypeObject("NUMBER")
DATETIME = TypeObject("DATETIME")
ROWID = TypeObject("ROWID")


def DateFromTicks(ticks: float) -> date:
    """The local day of a number of seconds since 1970."""
    return date.fromtimestamp(ticks)


def TimeFromTicks(ticks: float) -> time:
    """The local time of day of a number of seconds since 1970."""
    return datetime.fromtimestamp(ticks).time()


def TimestampFromTicks(ticks: float) -> datetime:
    """The local time of a number of seconds since 1970."""
    return datetime.fromtimestamp(ticks)


Description = tuple[str, TypeObject, None, None, None, None, None]


@dataclass(frozen=True, slots=True)
class ResultSet:
    """Columns with their types, and rows in order."""

    types: dict[str, TypeObject]
    rows: Sequence[Row]

    @property
    def description(self) -> tuple[Description, ...]:
        """The seven items of PEP 249 per column; all but name and type are unknown."""
        return tuple(
            (name, kind, None, None, None, None, None) for name, kind in self.types.items()
        )


def text_result(name: str, lines: Sequence[str]) -> ResultSet:
    """One column of texts."""
    return ResultSet({name: STRING}, [(line,) for line in lines])


def release_result(release: Release) -> ResultSet:
    """An answer: one row per group, with ``n``, ``n_lower`` and ``n_upper`` for a column ``n``.

    Statistics of days are days.  Keys stand as the answer writes them: truths and numbers as they
    are, everything else as text.
    """
    table = release.to_dict()
    types = {name: _TYPES.get(kind, NUMBER) for name, kind in release.types.items()}
    columns = [
        map(_date, values) if types[name] is DATETIME else values for name, values in table.items()
    ]
    return ResultSet(types, list(zip(*columns, strict=True)))


_TYPES = {
    ColumnType.TEXT: STRING,
    ColumnType.DAY: DATETIME,
    ColumnType.MOMENT: DATETIME,
    ColumnType.TIME: DATETIME,
}
"""Those of columns that hold no numbers; what is true or false is 1 or 0."""


def _date(value: str | None) -> date | time | None:
    if value is None:
        return None
    if ":" not in value:
        return date.fromisoformat(value)
    return datetime.fromisoformat(value) if "-" in value else time.fromisoformat(value)
