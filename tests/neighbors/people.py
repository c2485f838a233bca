"""Hostile tables that differ in one unit: a row, or all rows of a person in every table."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import nan
from random import Random
from typing import Any

import numpy as np
import pyarrow

from discreet.plan.calendar import Dated
from discreet.plan.schema import BooleanColumn, CategoryColumn, Column, NumberColumn, Schema
from discreet.privacy.sensitivity import Neighbors
from tests.neighbors.kinds import CALENDAR, IDS, NUMERIC, TEXTUAL, TRUTHS, Cell, Kind, whose
from tests.reading.rule import LONGEST
from tests.support.drawn_sql import WARDS

Row = dict[str, Cell]
Table = list[tuple[Row, int]]
"""Rows, and how often each is there."""

_DAYS = [datetime.date(2024, 1, day) for day in (1, 2, 9, 20)]
USUAL: dict[str, Sequence[Any]] = {
    "stay": (0, 1, 5, 12, 60, 2.5),
    "score": (-8, -5, -3, -2),
    "level": (0, 1, 2, 3),
    "ward": WARDS,
    "code": (1, 2, 7),
    "flag": (True, False),
    "tag": ("a", "b"),
    "day": _DAYS,
    "at": [
        datetime.datetime.fromisoformat(f"2024-{text}")
        for text in (
            "03-10 06:59:59",
            "03-10 07:00",
            "11-03 05:30",
            "11-03 06:30",
            "05-05 12:00:30",
        )
    ],
    "clock": [
        datetime.time.fromisoformat(text) for text in ("00:00", "08:29:59", "08:30", "12:00:30")
    ],
    "age": (0, 17, 18, 64, 120),
    "mass": (-2, 40, 90),
    "smoker": (True, False),
}
_DENSE = ("float64", "int64", "text of bytes", "timestamp s", "timestamp ms", "zoned s", "moment")
_WHOLE_IDS = ("int64", "text", "float64", "int8", "decimal", "uint64", "dictionary")
_LONG = ("text", "text of bytes", "bytes", "varchar")
_NATURAL = {
    "date": [*CALENDAR, "text", "bytes"],
    "datetime": [*CALENDAR, "text", "bytes"],
    "time": ["time", "time", "text", "bytes"],
    "number": [*NUMERIC, "float64", "float64", "text"],
    "boolean": [*TRUTHS, "int64", "float64", "text", "bytes"],
    "text": [*TEXTUAL, "int64", "int64", "float64", *["timestamp s"] * 2, "bool"],
}
"""Types that are mostly used for what is declared."""
MANY = 100_000


def group_of(column: Column) -> str:
    """What a column is declared as, in a word."""
    if isinstance(column, NumberColumn) and column.unit is not None:
        return "number"  # of seconds since 1970
    if isinstance(column, NumberColumn) and column.dated:
        return {Dated.DAYS: "date", Dated.SECONDS: "datetime", Dated.TIME: "time"}[column.dated]
    if isinstance(column, NumberColumn) or (isinstance(column, CategoryColumn) and column.numeric):
        return "number"
    return "boolean" if isinstance(column, BooleanColumn) else "text"


@dataclass(frozen=True)
class Held:
    """A table to be stored: the type of every column, its different rows, and where each stands."""

    kinds: Mapping[str, Kind]
    rows: Sequence[Row]
    places: Any

    @cached_property
    def arrow(self) -> pyarrow.Table:
        """The rows by their types."""
        return pyarrow.table(
            {name: kind.array(self.cells(name)) for name, kind in self.kinds.items()}
        ).take(pyarrow.array(self.places, pyarrow.int64()))

    def cells(self, name: str) -> list[Cell]:
        """The cells of a column, each row once."""
        return [row[name] for row in self.rows]


@dataclass(frozen=True)
class Pair:
    """Two neighbors: the tables of each, by their names."""

    before: Mapping[str, Held]
    after: Mapping[str, Held]
    rows: int
    """How many rows the unit has on either side at most."""
    without_id: int = 0
    """How many rows without an id are on one side alone: in a profile each is a unit of its own."""


@dataclass
class Drawer:
    """Draws pairs of neighboring tables for a kind of store.

    ``mixes``: a column may hold cells of several types.  ``merges``: as pandas, which makes floats
    of integers.
    """

    random: Random
    kinds: Mapping[str, Kind]
    mixes: bool = False
    merges: bool = False
    fits: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By what is declared, the types that the store's engine does not refuse, where it does."""
    dense: bool = False
    """Whether many people have usual values and one hostile unit is beside them: then all whose
    reading it changes are counted together."""

    def pair(self, declared: Schema, most_rows: int) -> Pair:
        """Two neighbors by what is declared."""
        self.dense = self.random.random() < 0.8
        tables = {"visits": (declared.columns, "id")}
        if declared.by_person:
            tables["patients"] = (declared.private["patients"].columns, "pid")
        ids = self._id_kinds()
        columns = {
            name: {column: self._kind(one) for column, one in of.items()} | {unit: ids[unit]}
            for name, (of, unit) in tables.items()
        }
        people = self._people(ids, 40 if self.dense else self.random.choice([0, 1, 6, 12, 40]))
        if self.random.random() < 0.03:
            people = self._people(ids, 300)
        usual = {
            name: {column: self._pool(column, kind) for column, kind in columns[name].items()}
            for name in tables
        }
        others = {
            name: self._others(people, usual[name], unit) for name, (_, unit) in tables.items()
        }
        moving = [self._moving(people, ids) for _ in range(2)]
        if declared.neighbors is Neighbors.ADD_REMOVE:
            moving = [None, moving[1]]
        if self.random.random() < 0.5 and declared.neighbors is Neighbors.ADD_REMOVE:
            moving.reverse()
        if declared.by_person:
            gone = {self._whose(one[0], ids["id"]) for one in moving if one}
            for name, (_, unit) in tables.items():
                others[name] = [
                    row for row in others[name] if self._whose(row[0][unit], ids[unit]) not in gone
                ]
        sides, most, without_id = [], 0, 0
        for one in moving:
            held = {}
            for name, (_, unit) in tables.items():
                own = self._own(one, usual[name], columns[name], unit, declared, most_rows)
                most = max(most, sum(times for _, times in own))
                if name == "visits":
                    nobody = [n for row, n in own if self._whose(row[unit], ids[unit]) is None]
                    without_id += sum(nobody)
                held[name] = self._held(columns[name], others[name], own)
            sides.append(held)
        return Pair(sides[0], sides[1], most, without_id)

    # ------------------------------------------------------------------ columns

    def _kind(self, column: Column) -> Kind:
        """A type for a declared column: mostly one that is made for it."""
        group = group_of(column)
        found = [name for name in _NATURAL[group] if name in self.kinds]
        if self.fits:
            found = [name for name in self.fits[group] if name in self.kinds]
        few = [name for name in found if name in _DENSE]
        if self.dense and few:
            found = few
        elif not found or self.random.random() < (0.01 if self.fits else 0.15):
            found = list(self.kinds)
        return self.kinds[self.random.choice(found)]

    def _id_kinds(self) -> dict[str, Kind]:
        kinds = [name for name in IDS if name in self.kinds]
        first = self.random.choice(kinds)
        second = first
        if first in _WHOLE_IDS and self.random.random() < 0.4:
            second = self.random.choice([name for name in _WHOLE_IDS if name in self.kinds])
        return {"id": self.kinds[first], "pid": self.kinds[second]}

    def _people(self, ids: Mapping[str, Kind], many: int) -> list[tuple[Cell, Cell]]:
        """Ids as they stand in both tables."""
        first, second = ids["id"], ids["pid"]
        numbers = range(1, max(many, 1) + 1)
        found = [(first.made(number), second.made(number)) for number in numbers]
        if first is second:
            odd = [
                (cell, cell) for cell in self.random.sample(list(first.odd), min(4, len(first.odd)))
            ]
            found = [one for one in found if one[0] is not None]
            found = (odd + found)[: max(many, 1)]
        self.random.shuffle(found)
        return found[:many]

    def _moving(
        self, people: Sequence[tuple[Cell, Cell]], ids: Mapping[str, Kind]
    ) -> tuple[Cell, Cell]:
        """Somebody who is known, or not yet."""
        known = [one for one in people if self._whose(one[0], ids["id"]) is not None]
        if known and self.random.random() < 0.3:
            return self.random.choice(known)
        first, second = ids["id"], ids["pid"]
        made = [(first.made(number), second.made(number)) for number in (101, 1, 0)]
        if first is second:
            made += [(cell, cell) for cell in first.odd]
        known = [one for one in made if self._whose(one[0], first) is not None]
        return known[0] if self.random.random() < 0.5 else self.random.choice(known)

    def _whose(self, cell: Cell, kind: Kind) -> str | None:
        return whose(cell, kind, merges=self.merges)

    # ------------------------------------------------------------------ cells

    def _pool(self, column: str, kind: Kind) -> list[Cell]:
        """What the others have in a column: few values, or many, odd ones among them."""
        for values in (USUAL.get(column, ()), (7, 1, 2), (True, False), _DAYS):
            usual = [cell for cell in map(kind.made, values) if cell is not None]
            if usual:
                break
        usual = usual or list(kind.odd)
        if self.dense or self.random.random() < 0.3:
            # Usual values, and one odd one again and again.
            odd = [nan if kind.name == "float64" else self.random.choice(kind.odd)]
            odd = odd * self.random.choice(
                [0, 2] if kind.name in ("float64", "int8") else [0, 0, 1]
            )
            return [self.random.choice(usual) for _ in range(3)] + odd
        share = self.random.choice([0.1, 0.5, 1])
        pool = [
            self.random.choice(kind.odd if self.random.random() < share else usual)
            for _ in range(self.random.choice([1, 2, 3, 8]))
        ]
        return pool

    def _others(
        self, people: Sequence[tuple[Cell, Cell]], pools: Mapping[str, list[Cell]], unit: str
    ) -> Table:
        found: Table = []
        for one in people:
            for _ in range(1 if self.dense else self.random.choice([0, 1, 1, 1, 2, 4])):
                row = {name: self.random.choice(pool) for name, pool in pools.items()}
                found.append((row | {unit: one[unit == "pid"]}, 1))
        return found

    def _own(
        self,
        one: tuple[Cell, Cell] | None,
        pools: Mapping[str, list[Cell]],
        kinds: Mapping[str, Kind],
        unit: str,
        declared: Schema,
        most_rows: int,
    ) -> Table:
        """What the unit has in a table: odd cells, few rows or very many."""
        if one is None:
            return []
        # Lists, since the order of a set is another one in every process.
        strange = [name for name in kinds if self.random.random() < (0.8 if self.dense else 0.5)]
        mixed = [name for name in strange if self.mixes and self.random.random() < 0.6]
        every = list(self.kinds.values())

        def cell(name: str) -> Cell:
            if name in mixed:
                return self.random.choice(self.random.choice(every).odd)
            return self.random.choice(kinds[name].odd if name in strange else pools[name])

        def row() -> Row:
            return {name: cell(name) for name in kinds} | {unit: one[unit == "pid"]}

        if not declared.by_person:
            return [(row(), 1)]
        if most_rows == MANY:
            return [(row(), 1), (row(), MANY)] if unit == "id" else [(row(), 9)]
        many = self.random.choice([[1], [1], [1, 3], [1, 7, 60], [1, 300]])
        found = [
            (row(), self.random.choice(many)) for _ in range(self.random.choice([1, 1, 2, 4, 8]))
        ]
        if self.random.random() < 0.1:
            self._lengthen(found, {name: one for name, one in kinds.items() if name != unit})
        if self.random.random() < 0.2:  # rows that are nobody's count for nothing
            nobody = [one for one in kinds[unit].odd if self._whose(one, kinds[unit]) is None]
            found += [(row() | {unit: nobody[0]}, 2)] if nobody else []
        return found if unit == "id" or self.random.random() < 0.8 else []

    def _lengthen(self, own: Table, kinds: Mapping[str, Kind]) -> None:
        """Make a cell as long as a text may be, or longer by one byte: that is missing."""
        columns = [name for name, kind in kinds.items() if kind.name in _LONG]
        once = [row for row, times in own if times == 1]
        if columns and once:
            column, row = self.random.choice(columns), self.random.choice(once)
            row[column] = kinds[column].made("x" * (LONGEST + self.random.choice([0, 1])))

    def _held(self, kinds: Mapping[str, Kind], others: Table, own: Table) -> Held:
        """The unit's rows before, after or among those of the others."""
        rows = [row for row, _ in (*own, *others)]
        places = np.repeat(np.arange(len(rows)), [times for _, times in (*own, *others)])
        where = self.random.choice(["first", "last", "among"])
        if where == "last":
            places = places[::-1]
        elif where == "among":
            places = np.random.default_rng(self.random.getrandbits(32)).permutation(places)
        return Held(kinds, rows, places)
