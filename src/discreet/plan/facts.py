"""What a condition says about the bounds of the values it compares.

``CASE WHEN x < 0 THEN 0 ELSE x END`` is at least 0, though x has no bound: where the condition is
not true, x is at least 0 or missing.
"""

from collections.abc import Mapping
from fractions import Fraction

from discreet.plan.expressions import Both, Compared, Constant, Either, Negated, Node
from discreet.plan.intervals import Interval, narrowed

Facts = Mapping[Node, Interval]
"""Expressions that lie between bounds, or are missing, wherever a branch is taken."""

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "<>", "<>": "="}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}


def where_true(condition: Node) -> Facts:
    """What holds where a condition is true.

    >>> from discreet.plan.expressions import Named
    >>> where_true(Compared("<", Named("x"), Constant(Fraction(7))))
    {Named(name='x'): Interval(low=None, high=Fraction(7, 1))}
    """
    match condition:
        case Compared(operator, left, right):
            return _compared(operator, left, right)
        case Both(left, right):
            return both(where_true(left), where_true(right))
        case Negated(operand):
            return where_not_true(operand)
    return {}


def where_not_true(condition: Node) -> Facts:
    """What holds where a condition is false or missing: the other side of it, or missing."""
    match condition:
        case Compared(operator, left, right):
            return _compared(_OPPOSITE[operator], left, right)
        case Either(left, right):
            return both(where_not_true(left), where_not_true(right))
    return {}


def both(first: Facts, second: Facts) -> Facts:
    """What holds where both do."""
    shared = {node: narrowed(first[node], second[node]) for node in first if node in second}
    return {**first, **second, **shared}


def _compared(operator: str, left: Node, right: Node) -> Facts:
    """A written number bounds what stands on the other side of it."""
    if isinstance(left, Constant):
        operator, left, right = _MIRRORED[operator], right, left
    if isinstance(left, Constant) or not isinstance(right, Constant):
        return {}
    value = right.value
    if not isinstance(value, Fraction):
        return {}
    low = value if operator in (">", ">=", "=") else None
    high = value if operator in ("<", "<=", "=") else None
    return {} if low is None and high is None else {left: Interval(low, high)}
