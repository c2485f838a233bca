"""What is done with released numbers: new columns, conditions on groups, their order.

Sums and differences of noise are combined exactly, and a quotient of two numbers by the law of
both.  Any other expression is computed on intervals:
each of the k numbers in it may miss with a k-th of the chance that is left, so that all hold at
once, and so does the result.  Where a condition is not certain, both branches count.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import floor, inf, isfinite, isnan, nan
from typing import Any

from discreet.plan.columns import day
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
    walk,
)
from discreet.privacy.estimate import (
    BoundedError,
    Estimate,
    Interval,
    LinearError,
    RankError,
    computed,
)
from discreet.privacy.uncertainty import added, as_float, divided, multiplied, scaled
from discreet.question.query import After

Row = Mapping[str, Any]
"""What the names of one group's row stand for: estimates of outputs, labels of groups."""

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def rows_kept(after: After, rows: Sequence[Row]) -> list[int]:
    """The places of the rows that are shown, in their order."""
    places = list(range(len(rows)))
    if after.having is not None:
        places = [place for place in places if value(after.having, rows[place]) is True]
    for node, falling in reversed(after.order):  # what decides first is sorted by last
        keys = {place: value(node, rows[place]) for place in places}
        # Rows with the same key stay in public order; those without one come last.
        known = [place for place in places if keys[place] is not None]
        missing = [place for place in places if keys[place] is None]
        places = [*sorted(known, key=lambda place: keys[place], reverse=falling), *missing]
    last = None if after.limit is None else after.offset + after.limit
    return places[after.offset : last]


def column(node: Node, row: Row) -> Estimate:
    """A released number, or one that is computed from several, with its error."""
    found = _linear(node, row)
    if isinstance(found, Estimate):
        return found
    quotient = _quotient(node, row)
    if quotient is not None:
        return quotient
    names = sorted({one.name for one in walk(node) if isinstance(one, Named)})
    parts = [row[name] for name in names]
    reached = value(node, row)
    number = nan if reached is None else reached
    if any(isinstance(part.error, RankError) for part in parts):
        return computed(number, RankError(inf), parts)

    def bounds(confidence: Fraction) -> Interval:
        each = 1 - (1 - confidence) / len(parts)
        return _interval(node, {name: row[name].interval(each) for name in names}) or (-inf, inf)

    return computed(number, BoundedError(bounds), parts)


def value(node: Node, row: Row) -> Any:
    """What an expression comes to for the released values; None where it is missing."""
    match node:
        case Named(name):
            return _released(row[name])
        case Constant(Fraction() as number):
            return number.numerator if number.denominator == 1 else float(number)
        case Constant(constant):
            return constant
        case Calculation(operator, left, right):
            return _calculated(operator, value(left, row), value(right, row))
        case Compared(operator, left, right):
            first, second = value(left, row), value(right, row)
            return None if None in (first, second) else _COMPARISONS[operator](first, second)
        case Both(left, right):
            return _all(value(left, row), value(right, row))
        case Either(left, right):
            return _not(_all(_not(value(left, row)), _not(value(right, row))))
        case Negated(operand):
            return _not(value(operand, row))
        case Missing(operand):
            return value(operand, row) is None
        case Absolute(operand):
            inner = value(operand, row)
            return None if inner is None else abs(inner)
        case Floored(operand):
            inner = value(operand, row)
            return inner if inner is None or not isfinite(inner) else floor(inner)
        case Clipped(operand, low, high):
            inner = value(operand, row)
            return None if inner is None else min(max(inner, as_float(low)), as_float(high))
        case Chosen(condition, then, otherwise):
            return value(then if value(condition, row) is True else otherwise, row)
    raise TypeError(f"{type(node).__name__} is refused before anything is released")


def _released(found: Any) -> Any:
    """A label, or an estimate's value; a date is its day, and NaN is missing."""
    plain = found.value if isinstance(found, Estimate) else found
    if isinstance(found, Estimate) and isinstance(plain, str):
        return day(plain)
    return None if isinstance(plain, float) and isnan(plain) else plain


def _calculated(operator: str, left: Any, right: Any) -> Any:
    if left is None or right is None or (operator == "/" and right == 0):
        return None
    try:
        match operator:
            case "+":
                found = left + right
            case "-":
                found = left - right
            case "*":
                found = left * right
            case _:
                found = left / right
    except OverflowError:
        return None
    return None if isinstance(found, float) and isnan(found) else found


def _all(left: bool | None, right: bool | None) -> bool | None:
    if left is False or right is False:
        return False
    return None if None in (left, right) else True


def _not(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def _linear(node: Node, row: Row) -> Estimate | Fraction | None:
    """A sum of released numbers times constants, combined exactly; None for anything else."""
    match node:
        case Named(name):
            found = row[name]
            return found if isinstance(found, Estimate) else None
        case Constant(Fraction() as number):
            return number
        case Calculation(operator, left, right):
            first, second = _linear(left, row), _linear(right, row)
            if first is None or second is None:
                return None
            if isinstance(first, Estimate) and isinstance(first.value, str):
                return None
            if isinstance(second, Estimate) and isinstance(second.value, str):
                return None
            both = isinstance(first, Estimate) and isinstance(second, Estimate)
            match operator:
                case "+":
                    return first + second
                case "-":
                    return first - second
                case "*" if not both:
                    return first * second
                case "/" if isinstance(second, Fraction) and second:
                    return first / second
    return None


def _quotient(node: Node, row: Row) -> Estimate | None:
    """A sum of released numbers by another, whose interval may be that of both together."""
    match node:
        case Calculation("/", left, right):
            first, second = _linear(left, row), _linear(right, row)
            if isinstance(first, Estimate) and isinstance(second, Estimate):
                known = [isinstance(one.error, LinearError) for one in (first, second)]
                return first / second if all(known) and second.value else None
    return None


def _interval(node: Node, ends: Mapping[str, Interval]) -> Interval | None:
    """Between which numbers an expression lies while its parts do; None where it is missing."""
    match node:
        case Named(name):
            return ends[name]
        case Constant(Fraction() as number):
            return as_float(number), as_float(number)
        case Calculation(operator, left, right):
            first, second = _interval(left, ends), _interval(right, ends)
            if first is None or second is None:
                return None
            match operator:
                case "+":
                    return added(first, second)
                case "-":
                    return added(first, scaled(second, Fraction(-1)))
                case "*":
                    return multiplied(first, second)
                case _:
                    return divided(first, second)
        case Absolute(operand):
            inner = _interval(operand, ends)
            if inner is None:
                return None
            least = 0.0 if inner[0] <= 0 <= inner[1] else min(map(abs, inner))
            return least, max(map(abs, inner))
        case Floored(operand):
            return _each(operand, ends, lambda end: floor(end) if isfinite(end) else end)
        case Clipped(operand, low, high):
            least, most = as_float(low), as_float(high)
            return _each(operand, ends, lambda end: min(max(end, least), most))
        case Chosen(condition, then, otherwise):
            truth = _certain(condition, ends)
            sides = [
                None if truth is False else _interval(then, ends),
                None if truth is True else _interval(otherwise, ends),
            ]
            known = [side for side in sides if side is not None]
            if not known:
                return None
            return min(side[0] for side in known), max(side[1] for side in known)
    return None


def _each(
    operand: Node, ends: Mapping[str, Interval], change: Callable[[float], float]
) -> Interval | None:
    inner = _interval(operand, ends)
    return None if inner is None else (change(inner[0]), change(inner[1]))


def _certain(condition: Node, ends: Mapping[str, Interval]) -> bool | None:
    """Whether a condition holds, where that is the same for all numbers between the bounds."""
    match condition:
        case Compared(operator, left, right):
            first, second = _interval(left, ends), _interval(right, ends)
            if first is None or second is None:
                return None
            return _compared(operator, first, second)
        case Both(left, right):
            return _all(_certain(left, ends), _certain(right, ends))
        case Either(left, right):
            return _not(_all(_not(_certain(left, ends)), _not(_certain(right, ends))))
        case Negated(operand):
            return _not(_certain(operand, ends))
    return None


def _compared(operator: str, first: Interval, second: Interval) -> bool | None:
    match operator:
        case "<":
            return True if first[1] < second[0] else False if first[0] >= second[1] else None
        case "<=":
            return True if first[1] <= second[0] else False if first[0] > second[1] else None
        case ">":
            return _compared("<", second, first)
        case ">=":
            return _compared("<=", second, first)
    apart = first[1] < second[0] or second[1] < first[0]
    if operator == "=":
        return False if apart else None
    return True if apart else None
