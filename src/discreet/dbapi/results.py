"""Result sets: the columns and rows that a cursor hands out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from discreet.dbapi.values import DATETIME, NUMBER, STRING, TypeObject
from discreet.release.answer import Release

Description = tuple[str, TypeObject, None, None, None, None, None]
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """Columns with their types, and rows in order."""

    types: dict[str, TypeObject]
    rows: Sequence[Row]

    @property
    def description(self) -> tuple[Description, ...]:
        """The seven items of PEP 249 per column; all but name and type are unknown."""
        return tuple(
            (name, kind, None, None, None, None, None) for name, kind in self.types.items()
        )


def texts(name: str, lines: Sequence[str]) -> Result:
    """One column of texts."""
    return Result({name: STRING}, [(line,) for line in lines])


def released(release: Release) -> Result:
    """An answer: one row per group, with ``n``, ``n_lower`` and ``n_upper`` for a column ``n``.

    Statistics of days are days.  Keys stand as the answer writes them: truths and numbers as they
    are, everything else as text.
    """
    table = release.to_dict()
    types = dict.fromkeys(table, NUMBER)
    for key in release.keys:
        if not table[key] or any(isinstance(label, str) for label in table[key]):
            types[key] = DATETIME if key in release.dated else STRING
    for name in release.columns:
        if any(isinstance(value, str) for value in table[name]):
            types |= dict.fromkeys((name, f"{name}_lower", f"{name}_upper"), DATETIME)
    columns = [
        map(_day, values) if types[name] is DATETIME else values for name, values in table.items()
    ]
    return Result(types, list(zip(*columns, strict=True)))


def _day(value: str | None) -> date | None:
    return None if value is None else date.fromisoformat(value)
