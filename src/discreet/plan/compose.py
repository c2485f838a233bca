"""Operators that are made of others.

SQL and Python share them, so that a question means the same in both, and each adds no rule of its
own to what is trusted.
"""

from collections.abc import Sequence
from fractions import Fraction

from discreet.errors import QueryError, Remedy
from discreet.plan.expressions import (
    Applied,
    Both,
    Calculation,
    Chosen,
    Compared,
    Constant,
    Either,
    Floored,
    Missing,
    Negated,
    Node,
)

_NOTHING = Constant(None)
_ZERO, _ONE = Constant(Fraction(0)), Constant(Fraction(1))
_MOST_DIGITS = 15
_MOST_BUCKETS = 1_000_000


def any_of(conditions: Sequence[Node]) -> Node:
    """Whether one of several conditions is true; a long list is not nested deep."""
    return _balanced(Either, conditions)


def all_of(conditions: Sequence[Node]) -> Node:
    """Whether all conditions are true; a long list is not nested deep."""
    return _balanced(Both, conditions)


def _balanced(kind: type[Both] | type[Either], parts: Sequence[Node]) -> Node:
    if len(parts) == 1:
        return parts[0]
    middle = (len(parts) + 1) // 2
    return kind(_balanced(kind, parts[:middle]), _balanced(kind, parts[middle:]))


def negative(operand: Node) -> Node:
    """The number on the other side of zero."""
    return Calculation("-", _ZERO, operand)


def ceiling(operand: Node) -> Node:
    """The smallest whole number not below a number."""
    return negative(Floored(negative(operand)))


def rounded(operand: Node, digits: int = 0) -> Node:
    """The nearest number with so many digits after the point; halves go up.

    >>> from discreet.plan.expressions import Named, shown
    >>> shown(rounded(Named("x"), -1))
    'FLOOR((x / 10) + 0.5) * 10'
    """
    if abs(digits) > _MOST_DIGITS:
        raise QueryError(
            f"a number is rounded to {digits} digits. 64-bit floats have about {_MOST_DIGITS}.",
            Remedy(
                python="Write .round(2), or .round(-1) for tens.",
                sql="Write ROUND(x, 2), or ROUND(x, -1) for tens.",
            ),
        )
    half = Constant(Fraction(1, 2))
    if digits == 0:
        return Floored(Calculation("+", operand, half))
    scale = Constant(Fraction(10 ** abs(digits)))
    there, back = ("*", "/") if digits > 0 else ("/", "*")
    scaled = Calculation(there, operand, scale)  # type: ignore[arg-type]
    return Calculation(back, Floored(Calculation("+", scaled, half)), scale)  # type: ignore[arg-type]


def floor_divided(left: Node, right: Node) -> Node:
    """The largest whole number not above a quotient."""
    return Floored(Calculation("/", left, right))


def sign(operand: Node) -> Node:
    """1, 0 or -1."""
    below = Chosen(Compared("<", operand, _ZERO), Constant(Fraction(-1)), _NOTHING)
    zero = Chosen(Compared("=", operand, _ZERO), _ZERO, below)
    return Chosen(Compared(">", operand, _ZERO), _ONE, zero)


def bucket(operand: Node, low: Fraction, high: Fraction, count: Fraction) -> Node:
    """The number of the bucket, of equal ones from low to high; 0 below, count + 1 above."""
    if low >= high or count.denominator != 1 or not 1 <= count <= _MOST_BUCKETS:
        raise QueryError(
            "WIDTH_BUCKET has no increasing ends or no whole number of buckets. It cuts the "
            "values between two ends into equal parts. Write WIDTH_BUCKET(age, 0, 100, 10)."
        )
    above = Calculation("-", operand, Constant(low))
    share = Calculation("/", above, Constant((high - low) / count))
    inside = Calculation("+", Floored(share), _ONE)
    over = Chosen(Compared(">=", operand, Constant(high)), Constant(count + 1), inside)
    return Chosen(Compared("<", operand, Constant(low)), _ZERO, over)


def flag(condition: Node, true: Node = _ONE, false: Node = _ZERO) -> Node:
    """A condition as 1 and 0; missing where it is missing."""
    return Chosen(condition, true, Chosen(Negated(condition), false, _NOTHING))


def is_exactly(operand: Node, wanted: bool) -> Node:
    """Whether a condition is true, or false; never missing."""
    condition = operand if wanted else Negated(operand)
    return Chosen(condition, Constant(True), Constant(False))


def same(left: Node, right: Node) -> Node:
    """Whether two values are equal or both missing; never missing."""
    neither = Both(Missing(left), Missing(right))
    return Chosen(Compared("=", left, right), Constant(True), neither)


def coalesced(values: Sequence[Node]) -> Node:
    """The first value that is not missing."""
    *first, found = values
    for value in reversed(first):
        found = Chosen(Missing(value), found, value)
    return found


def null_if(value: Node, other: Node) -> Node:
    """A value, missing where it equals another."""
    return Chosen(Compared("=", value, other), _NOTHING, value)


def extreme(values: Sequence[Node], *, least: bool) -> Node:
    """The least or the greatest: missing where any of the values is, on every engine alike.

    Values are compared in halves, since each stands in its comparison three times.
    """
    if len(values) == 1:
        return values[0]
    middle = (len(values) + 1) // 2
    found, other = (extreme(half, least=least) for half in (values[:middle], values[middle:]))
    sides = (found, other) if least else (other, found)
    smaller, larger = Compared("<=", *sides), Compared(">", *sides)
    return Chosen(smaller, found, Chosen(larger, other, _NOTHING))


def first_characters(operand: Node, count: Fraction) -> Node:
    """The first characters of a text."""
    return Applied("SUBSTRING", operand, (Fraction(1), count))


def starts_with(operand: Node, text: str) -> Node:
    """Whether a text begins so."""
    return Compared("=", first_characters(operand, Fraction(len(text))), Constant(text))


def ends_with(operand: Node, text: str) -> Node:
    """Whether a text ends so."""
    return Compared("=", Applied("RIGHT", operand, (Fraction(len(text)),)), Constant(text))


def difference(unit: str, start: Node, end: Node) -> Node | None:
    """How many days lie between two dates, or how often the month or year changes."""
    if unit == "day":
        return Calculation("-", end, start)
    if unit == "year":
        return Calculation("-", Applied("YEAR", end), Applied("YEAR", start))
    return Calculation("-", _months(end), _months(start)) if unit == "month" else None


def _months(date: Node) -> Node:
    years = Calculation("*", Applied("YEAR", date), Constant(Fraction(12)))
    return Calculation("+", years, Applied("MONTH", date))
