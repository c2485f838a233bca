"""What an expression without bounds is written as, so that it has some: a refusal's remedy.

Bounds are lost where a logarithm, a divisor or a power comes near to zero.  There the operand is
clipped, between bounds that its own columns have: that is narrower than any clip of the result.
"""

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import Final

from discreet.errors import Remedy
from discreet.exact.interval_arithmetic import Interval, absolute, powered
from discreet.plan.expressions import (
    Applied,
    Calculation,
    Clipped,
    Named,
    Node,
    expression_text,
    with_operands,
)
from discreet.plan.schema import Column
from discreet.plan.types import CheckedExpression, Kind, bounds_of

Columns = Mapping[str, Column]
_WIDTH: Final = Fraction(120)
"""Of bounds that stand for those which nobody declared."""
_LARGEST_EXPONENT: Final = 20
"""Beyond it an exponential has no bounds that anybody means."""
_FAR: Final = 10
_LONGEST: Final = 120
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")


def with_bounds(node: Node, columns: Columns) -> Node:
    """A checked number with a clip wherever it loses its bounds."""
    whole = bounds_of(node, columns)
    if whole.kind is not Kind.NUMBER or whole.bounded:
        return node
    inside = with_operands(node, lambda part: with_bounds(part, columns))
    match inside:
        case Applied("LN" | "LOG10" as function, operand):
            clipped = _away_from_zero(bounds_of(operand, columns), logarithm=True)
            inside = Applied(function, clipped)
        case Applied("POWER", operand, parameters):
            inside = Applied("POWER", _away_from_zero(bounds_of(operand, columns)), parameters)
        case Applied("EXP", operand):
            low = bounds_of(operand, columns).low or Fraction(0)
            least = min(low, Fraction(_LARGEST_EXPONENT - 1))
            inside = Applied("EXP", _clipped(operand, least, Fraction(_LARGEST_EXPONENT)))
        case Calculation("/", left, right):
            inside = Calculation("/", left, _away_from_zero(bounds_of(right, columns)))
    if bounds_of(inside, columns).bounded:
        return inside
    low, high = _usual_bounds(inside, whole.interval, columns)
    return _clipped(inside, low, high)


def _away_from_zero(operand: CheckedExpression, *, logarithm: bool = False) -> Node:
    """A number clipped between where it is far enough from zero and its own other bound."""
    low, high = operand.interval.low, operand.interval.high
    if low is None or high is None:
        return operand.node
    step = _step(operand)
    if high > step and (low >= 0 or logarithm):
        return _clipped(operand.node, step, high) if low < step else operand.node
    if low < -step and high <= 0 and not logarithm:
        return _clipped(operand.node, low, -step)
    return operand.node


def _step(operand: CheckedExpression) -> Fraction:
    """How near to zero a value may come: 1, or a hundredth of what is never far from zero."""
    farthest = absolute(operand.interval).high
    if operand.whole or farthest is None or farthest >= _FAR:
        return Fraction(1)
    return farthest / 100


def _usual_bounds(inside: Node, known: Interval, columns: Columns) -> tuple[Fraction, Fraction]:
    """Where a value lies unless a divisor comes near to zero; an example where nobody knows."""
    most = None
    match inside:
        case Calculation("/", left, right):
            top = absolute(bounds_of(left, columns).interval).high
            most = None if top is None else top / _step(bounds_of(right, columns))
        case Applied("POWER", operand, (Fraction() as exponent,)) if exponent < 0:
            step = _step(bounds_of(operand, columns))
            most = powered(Interval(step, step), exponent).high
    if most:
        return (-most if known.low is None else max(known.low, -most)), most
    if known.low is not None:
        return known.low, known.low + _WIDTH
    return (Fraction(0), _WIDTH) if known.high is None else (known.high - _WIDTH, known.high)


def _clipped(node: Node, low: Fraction, high: Fraction) -> Node:
    """A number moved between two bounds, once, which are as short as their columns' are."""
    inside = node.operand if isinstance(node, Clipped) else node
    return Clipped(inside, low, high if high < 1 else Fraction(ceil(high * 100), 100))


def bounds_remedy(typed: CheckedExpression, columns: Columns) -> Remedy:
    """How a number gets the bounds that it lacks: a column by its declaration, else by a clip."""
    node = typed.node
    if isinstance(node, Named):
        kind = "integer" if typed.whole else "number"
        stated = 'type = "integer", ' if typed.whole else ""
        key = node.name if _BARE_KEY.fullmatch(node.name) else json.dumps(node.name)
        return Remedy(
            python=f"Declare them: columns={{{node.name!r}: dp.{kind}(0, 120)}}.",
            policy=f"Declare them: {key} = {{ {stated}low = 0, high = 120 }} in the policy.",
        )
    bounded = expression_text(with_bounds(node, columns))
    if len(bounded) > _LONGEST:
        bounded = "CLIP(…, 0, 120)"
    return Remedy(
        python=f'Give them: .with_columns(bounded={bounded!r}), and ask about dp.col("bounded").',
        sql=f"Give them: {bounded}.",
    )
