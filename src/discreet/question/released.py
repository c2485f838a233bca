"""What may be done with released numbers, checked before anything is paid.

It is free: nothing but what was released is read.  Names are those of outputs and groups.
"""

from collections.abc import Mapping

from discreet.errors import QueryError
from discreet.plan.columns import Column
from discreet.plan.expressions import (
    Absolute,
    Both,
    Calculation,
    Chosen,
    Clipped,
    Compared,
    Constant,
    Either,
    Floored,
    Missing,
    Named,
    Negated,
    Node,
    shown,
    walk,
)
from discreet.plan.types import Kind, Typed, check
from discreet.question.query import After

OFFERED = "+ - * /, ABS, FLOOR, CEIL, ROUND, CLIP, LEAST, GREATEST, COALESCE, NULLIF and CASE"
_Offered = (
    Named
    | Constant
    | Calculation
    | Absolute
    | Floored
    | Clipped
    | Chosen
    | Compared
    | Both
    | Either
    | Negated
    | Missing
)


def check_after(after: After, columns: Mapping[str, Column], groups: frozenset[str]) -> After:
    """The same steps with every expression checked; ``columns`` are the outputs and groups."""
    return After(
        tuple((name, _column(name, node, columns, groups)) for name, node in after.columns),
        None if after.having is None else _condition(after.having, columns),
        tuple((_checked(node, columns, "ORDER BY").node, falling) for node, falling in after.order),
        after.limit,
        after.offset,
    )


def _condition(node: Node, columns: Mapping[str, Column]) -> Node:
    """A condition of HAVING; of those that AND combines, each is one by itself."""
    if isinstance(node, Both):
        left, right = (_condition(part, columns) for part in (node.left, node.right))
        return Both(left, right, place=node.place)
    typed = _checked(node, columns, "HAVING")
    if typed.kind is not Kind.BOOLEAN:
        raise QueryError(
            f"HAVING got {shown(node)[:60]!r}, which is not a condition. It keeps the groups whose "
            "released numbers fulfil it. Write HAVING COUNT(*) > 100."
        ).at(node.place)
    return typed.node


def _column(name: str, node: Node, columns: Mapping[str, Column], groups: frozenset[str]) -> Node:
    typed = _checked(node, columns, "SELECT")
    found = typed.node
    if isinstance(found, Named):
        return found
    if typed.kind is not Kind.NUMBER:
        raise QueryError(
            f"the column {name[:60]!r} is {shown(node)[:60]!r}, which is not a number. Columns "
            f"computed from released numbers are numbers with an error: {OFFERED}. Use these, or "
            "change the answer afterwards."
        ).at(node.place)
    for part in walk(found):
        if isinstance(part, Named) and part.name in groups:
            raise QueryError(
                f"the column {name[:60]!r} computes with the group {part.name[:60]!r}. Only "
                "aggregates have an error to carry on. Select the group by itself, and compute "
                "afterwards."
            ).at(part.place or node.place)
    return found


def _checked(node: Node, columns: Mapping[str, Column], clause: str) -> Typed:
    for part in walk(node):
        if not isinstance(part, _Offered):
            raise QueryError(
                f"{clause} uses {shown(part)[:60]!r} on released numbers. Their errors are carried "
                f"through {OFFERED}. Use these, or change the answer afterwards."
            ).at(part.place or node.place)
    return check(node, columns)
