"""Predicate pushdown: conditions on one side of a join are applied before rows are paired.

A condition keeps the rows for which it is true.  One that names columns of one side only is true
for a pair if it is true for that side's row, so that the same pairs are left, and what is not asked
about neither makes pairs nor counts among them.  The side that a LEFT JOIN may leave empty keeps
its rows: a missing partner is not a row that fulfils nothing.
"""

from collections.abc import Sequence
from dataclasses import replace

from discreet.plan.expressions import Named, Node, conjuncts, names_in, replaced
from discreet.plan.schema import Schema
from discreet.question.query import (
    Lookup,
    Pair,
    PerPerson,
    Relation,
    Scan,
    Selected,
    has_pairs,
    origin,
    prefixed,
)

Conditions = tuple[Node, ...]


def pushed_down(
    source: Relation, conditions: Sequence[Node], schema: Schema
) -> tuple[Relation, Conditions]:
    """A checked relation whose joins are of fewer rows, and the conditions that remain above it."""
    if not has_pairs(source):
        return source, tuple(conditions)
    match source:
        case Pair():
            return _paired(source, conditions, schema)
        case Lookup():
            below, above = _apart(conditions, _renamed(source.left, source.inner, schema))
            return replace(source, inner=_filtered(source.inner, below, schema)), above
        case Selected():
            # A column that is computed would have to be written out in the condition.
            plain: dict[str, Node] = {
                name: node for name, node in source.columns if isinstance(node, Named)
            }
            below, above = _apart(conditions, plain)
            inner, where = pushed_down(source.inner, (*source.where, *below), schema)
            return replace(source, inner=inner, where=where), above
        case PerPerson():
            inner, where = pushed_down(source.inner, source.where, schema)
            return replace(source, inner=inner, where=where), tuple(conditions)
        case Scan():
            raise TypeError("a table has no pairs")


def _paired(
    source: Pair, conditions: Sequence[Node], schema: Schema
) -> tuple[Relation, Conditions]:
    first, above = _apart(conditions, _renamed(source.left, source.first, schema))
    second: Conditions = ()
    if not source.keep:
        second, above = _apart(above, _renamed(source.right, source.second, schema))
    rows = replace(
        source,
        first=_filtered(source.first, first, schema),
        second=_filtered(source.second, second, schema),
    )
    return rows, above


def _filtered(source: Relation, conditions: Conditions, schema: Schema) -> Relation:
    """The rows of a relation that fulfil conditions, with all of its columns."""
    rows, remaining = pushed_down(source, conditions, schema)
    if not remaining:
        return rows
    columns = tuple((name, Named(name)) for name in origin(rows, schema).columns)
    return Selected(rows, columns, remaining, place=source.place)


def _renamed(prefix: str, side: Relation, schema: Schema) -> dict[str, Node]:
    """A side's columns by the names that a join gives them."""
    return {prefixed(prefix, name): Named(name) for name in origin(side, schema).columns}


def _apart(conditions: Sequence[Node], own: dict[str, Node]) -> tuple[Conditions, Conditions]:
    """The conditions that name these columns only, by the side's own names; and the others."""
    below, above = [], []
    for condition in (part for one in conditions for part in conjuncts(one)):
        if names_in([condition]) <= own.keys():
            below.append(replaced(condition, own))
        else:
            above.append(condition)
    return tuple(below), tuple(above)
