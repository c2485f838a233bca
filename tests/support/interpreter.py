"""A naive interpreter of questions about several tables: plain Python, one row at a time.

It takes a checked question and does what its relations say with lists of rows.  Nothing of it is
shared with the SQL that an engine runs: joins are nested loops, and a person's rows are a list.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import md5
from typing import Any

from discreet.measures import registry as statistics
from discreet.measures.counts import People
from discreet.measures.measure import Measure, Norm, Steps
from discreet.plan.calendar import day
from discreet.plan.expressions import Named, Node, walk
from discreet.plan.schema import Column, NumberColumn, Schema
from discreet.question.check import Question
from discreet.question.query import (
    Lookup,
    Pair,
    PerPerson,
    Relation,
    Scan,
    Selected,
    Summary,
    origin,
)
from tests.support import engine_twin as twin
from tests.support.measuring import Vector

Stored = Mapping[str, object]
Row = dict[str, Any]
Owned = tuple[Any, Row]
"""Whose row it is, and its values."""


@dataclass(frozen=True)
class Tables:
    """Rows as they are stored: of the table that is asked, and of the others by their names."""

    main: Sequence[Stored]
    others: Mapping[str, Sequence[Stored]]

    def of(self, table: str | None) -> Sequence[Stored]:
        return self.main if table is None else self.others[table]


def read(stored: object, column: Column) -> Any:
    """A stored value as the declaration says."""
    if isinstance(column, NumberColumn) and column.dated:
        found = day(stored)
        return None if found is None else float(found)
    return twin.read(stored, column)


def names(nodes: Iterable[Node]) -> set[str]:
    return {one.name for node in nodes for one in walk(node) if isinstance(one, Named)}


# ---------------------------------------------------------------------- relations


def relation_rows(
    source: Relation, schema: Schema, tables: Tables, wanted: set[str]
) -> list[Owned]:
    """The rows of a relation; those without an owner are still there."""
    match source:
        case Scan(table):
            columns = schema.columns if table is None else schema.private[table].columns
            unit = schema.unit if table is None else schema.private[table].unit
            return [
                (stored.get(unit), {name: read(stored[name], columns[name]) for name in wanted})
                for stored in tables.of(table)
            ]
        case Selected():
            return _selected(source, schema, tables, wanted)
        case Lookup():
            return _looked_up(source, schema, tables, wanted)
        case Pair():
            return _paired(source, schema, tables, wanted)
        case PerPerson():
            return _per_person(source, schema, tables, wanted)


def _true(conditions: Iterable[Node], row: Row) -> bool:
    return all(twin.evaluate(one, row) is True for one in conditions)


def _selected(source: Selected, schema: Schema, tables: Tables, wanted: set[str]) -> list[Owned]:
    nodes = {name: node for name, node in source.columns if name in wanted}
    inner = names([*nodes.values(), *source.where])
    return [
        (unit, {name: twin.evaluate(node, row) for name, node in nodes.items()})
        for unit, row in relation_rows(source.inner, schema, tables, inner)
        if _true(source.where, row)
    ]


def _split(wanted: set[str], prefix: str, own: Iterable[str]) -> dict[str, str]:
    """Names in a join by the names that one of its sides has for them."""
    return {
        joined: name for name in own if (joined := f"{prefix}.{name}" if prefix else name) in wanted
    }


def _looked_up(source: Lookup, schema: Schema, tables: Tables, wanted: set[str]) -> list[Owned]:
    public = schema.public[source.table].columns
    left = _split(wanted, source.left, origin(source.inner, schema).columns)
    right = _split(wanted, source.right, public)
    inner = {*left.values(), *names(node for node, _ in source.on)}
    lookup = [
        {name: read(stored[name], column) for name, column in public.items()}
        for stored in tables.of(source.table)
    ]
    found = []
    for unit, row in relation_rows(source.inner, schema, tables, inner):
        partners = [
            other
            for other in lookup
            if all(_same(twin.evaluate(node, row), other[name]) for node, name in source.on)
        ]
        found += _put_together(unit, row, left, partners, right, source.keep)
    return found


def _same(one: Any, two: Any) -> bool:
    return one is not None and two is not None and one == two


def _put_together(
    unit: Any,
    row: Row,
    left: dict[str, str],
    partners: Sequence[Row],
    right: dict[str, str],
    keep: bool,
) -> list[Owned]:
    own = {joined: row[name] for joined, name in left.items()}
    if not partners and keep:
        return [(unit, own | dict.fromkeys(right))]
    return [
        (unit, own | {joined: other[name] for joined, name in right.items()}) for other in partners
    ]


def _paired(source: Pair, schema: Schema, tables: Tables, wanted: set[str]) -> list[Owned]:
    sides = []
    for place, (relation, prefix) in enumerate(
        ((source.first, source.left), (source.second, source.right))
    ):
        checked = origin(relation, schema)
        mine = _split(wanted, prefix, checked.columns)
        used = {*mine.values(), *(pair[place] for pair in source.on)}
        by_person = defaultdict(list)
        for unit, row in relation_rows(relation, schema, tables, used):
            if unit is not None:
                by_person[unit].append((unit, row))
        sides.append((mine, sorted(used), by_person))
    (left, used, first), (right, other_used, second) = sides
    found = []
    for unit, all_own in first.items():
        own, others = all_own, second.get(unit, [])
        if source.pairs is not None and len(own) * len(others) > source.pairs:
            own, others = (
                _few(own, used, _kept_beside(len(others), source.pairs)),
                _few(others, other_used, _kept_beside(len(own), source.pairs)),
            )
        for _, row in own:
            partners = [
                other
                for _, other in others
                if all(_same(row[one], other[two]) for one, two in source.on)
            ]
            found += _put_together(unit, row, left, partners, right, source.keep)
    return found


def _kept_beside(others: int, pairs: int) -> int:
    """How many rows somebody keeps beside the others: no more pairs are made than may be."""
    return max(math.isqrt(pairs), pairs // others)


def _few(rows: list[Owned], used: list[str], cap: int) -> list[Owned]:
    """Of each person's rows the first by a hash of the row."""

    def order(one: Owned) -> Any:
        unit, row = one
        texts = [str(unit), *(_text(row[name]) for name in used)]
        values = [(row[name] is None, row[name]) for name in used]
        return md5("\x1f".join(texts).encode()).hexdigest(), values

    by_person = defaultdict(list)
    for one in rows:
        by_person[one[0]].append(one)
    return [one for own in by_person.values() for one in sorted(own, key=order)[:cap]]


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value + 0.0) if isinstance(value, float) else str(value)


def _per_person(source: PerPerson, schema: Schema, tables: Tables, wanted: set[str]) -> list[Owned]:
    summaries = {
        name: summary
        for (name, _), summary in zip(source.columns, source.summaries, strict=True)
        if name in wanted
    }
    operands = [
        one.value.node if isinstance(one.value, Steps) else one.value for one in summaries.values()
    ]
    keys = dict(source.keys)
    used = names([*keys.values(), *(one for one in operands if one), *source.where])
    groups: dict[Any, list[Row]] = defaultdict(list)
    for unit, row in relation_rows(source.inner, schema, tables, used):
        if unit is not None and _true(source.where, row):
            key = tuple(twin.evaluate(node, row) for node in keys.values())
            groups[unit, key].append(row)
    found = []
    for (unit, key), rows in groups.items():
        values = {name: one for name, one in zip(keys, key, strict=True) if name in wanted}
        values |= {name: _summed(one, rows) for name, one in summaries.items()}
        found.append((unit, values))
    return found


def _summed(summary: Summary, rows: list[Row]) -> float | None:
    found = _statistic(summary, rows)
    if found is None or summary.low is None or summary.high is None:
        return found
    return min(max(found, float(summary.low)), float(summary.high))


def _statistic(summary: Summary, rows: list[Row]) -> float | None:
    value = summary.value
    if value is None:
        return float(len(rows))
    if isinstance(value, Steps):
        places = [one for row in rows if (one := twin.place(value, row)) is not None]
        total = float(sum(places)) * float(Fraction(2) ** value.range.grid.exponent)
        if not places:
            return None
        return total / len(places) if summary.statistic is statistics.MEAN else total
    known = [one for row in rows if (one := twin.evaluate(value, row)) is not None]
    match summary.statistic:
        case statistics.COUNT:
            return float(len(known))
        case statistics.DISTINCT:
            return float(len(set(known)))
        case statistics.MIN:
            return min(known, default=None)
        case statistics.MAX:
            return max(known, default=None)
    raise TypeError(summary.statistic)


# ---------------------------------------------------------------------- questions


def kept(question: Question, tables: Tables, cells: Any = None) -> list[tuple[Any, Any, Row]]:
    """Unit, cell and values of every row that is asked about and in a group."""
    found = []
    wanted = question.used
    for unit, row in relation_rows(question.source, question.declared, tables, wanted):
        if not _true(question.remaining, row) or (question.schema.by_person and unit is None):
            continue
        groups = [twin.group(grouping, row) for _, grouping in question.keys]
        cell = None if None in groups else twin._cell(groups, question, cells)
        if cell is not None:
            found.append((unit, cell, row))
    return found


def measure(
    question: Question,
    tables: Tables,
    blocks: Iterable[Measure],
    cells: Any = None,
    norm: Norm = Norm.L1,
) -> dict[Measure, Vector]:
    """What the engine should make of the same tables."""
    rows = kept(question, tables, cells)
    many = len(cells) if cells is not None else question.cells or 0
    return {block: _block(block, rows, question, many, norm) for block in blocks}


def _block(block: Measure, rows: list[Any], question: Question, many: int, norm: Norm) -> Vector:
    if not isinstance(block, People):
        return twin._block(block, rows, question, many, norm)
    node = block.node
    counted = rows if node is None else [one for one in rows if _true([node], one[2])]
    return twin._people(counted, question, many, norm)


def candidates(question: Question, tables: Tables, share: int | None = None) -> Vector:
    """How many units hold each combination of keys that occurs, or what they add to it."""
    return twin.held_keys(kept(question, tables, "texts"), question, share)
