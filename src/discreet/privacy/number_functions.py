"""Functions of a released number: their value, and where that of the true number lies.

What is known of the true number is an interval, and what is known of its function is the image of
it, rounded outward: where a number has no value, such as the root of -1, nothing lies there.

Proof: docs/proofs/margins.md
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import floor, inf, isfinite, isnan, nan, nextafter
from sys import float_info

from discreet.exact.interval_arithmetic import (
    Interval,
    absolute,
    added,
    decimal_logarithm,
    exponential,
    floored,
    multiplied,
    natural_logarithm,
    powered,
    square_rooted,
)
from discreet.privacy.joint_noise import FloatInterval
from discreet.privacy.uncertainty import RealNumber, as_float

LARGEST_POWER = 100
"""Of a number that is raised to a power."""
_LARGEST = Fraction(float_info.max)
_ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class NumberFunction:
    """A function of a number; ``keeps_order`` says that a larger number has a larger value."""

    value: Callable[[RealNumber], RealNumber]
    """Its value; not a number where it has none."""
    image: Callable[[Interval], Interval]
    """Between which bounds its values lie."""
    keeps_order: bool = True

    def bounds(self, inner: FloatInterval) -> FloatInterval:
        """Where it lies while the number is between these bounds."""
        low, high = (Fraction(end) if isfinite(end) else None for end in inner)
        found = self.image(Interval(low, high))
        least = -inf if found.low is None else _below(found.low)
        return least, inf if found.high is None else -_below(-found.high)


def _below(number: Fraction) -> float:
    """The largest float that is not above a number."""
    if number > _LARGEST:
        return float_info.max
    nearest = as_float(number)
    return nearest if nearest == -inf or Fraction(nearest) <= number else nextafter(nearest, -inf)


def _enclosed(
    image: Callable[[Interval], Interval], has_value: Callable[[RealNumber], bool]
) -> Callable[[RealNumber], float]:
    """The nearest float to a value that is known by an enclosure."""

    @lru_cache(maxsize=4096)  # of a point, for cells that are printed again
    def value(number: RealNumber) -> float:
        if isnan(number) or not has_value(number):
            return nan
        point = Fraction(number) if isfinite(number) else (_LARGEST if number > 0 else -_LARGEST)
        found = image(Interval(point, point))
        return as_float(found.low) if found.high is not None and found.low is not None else inf

    return value


def _clipped(low: Fraction, high: Fraction, inner: Interval) -> Interval:
    ends = (low if inner.low is None else inner.low, high if inner.high is None else inner.high)
    return Interval(*(min(max(end, low), high) for end in ends))


def clipping(low: Fraction, high: Fraction) -> NumberFunction:
    """The number moved between two bounds."""
    ends = as_float(low), as_float(high)
    return NumberFunction(
        lambda number: min(max(number, ends[0]), ends[1]), partial(_clipped, low, high), False
    )


def rounding(digits: int) -> NumberFunction:
    """The nearest number with so many digits after the point; halves are rounded up."""
    scale, half = Fraction(10) ** digits, Interval(_ONE / 2, _ONE / 2)
    scaling, unscaling = Interval(scale, scale), Interval(1 / scale, 1 / scale)

    def image(inner: Interval) -> Interval:
        return multiplied(floored(added(multiplied(inner, scaling), half)), unscaling)

    def value(number: RealNumber) -> RealNumber:
        if not isfinite(number):
            return number
        exact = floor(Fraction(number) * scale + _ONE / 2) / scale
        return int(exact) if digits <= 0 else as_float(exact)

    return NumberFunction(value, image, False)


def power(exponent: Fraction) -> NumberFunction:
    """The number to a written power."""
    image = partial(_powered, exponent)
    odd = exponent.denominator == 1 and exponent % 2 == 1

    def has_value(number: RealNumber) -> bool:
        return (number != 0 or exponent >= 0) and (number >= 0 or exponent.denominator == 1)

    return NumberFunction(_enclosed(image, has_value), image, odd and exponent > 0)


def _powered(exponent: Fraction, inner: Interval) -> Interval:
    return powered(inner, exponent)


def _floored(number: RealNumber) -> RealNumber:
    return floor(number) if isfinite(number) else number


ABSOLUTE = NumberFunction(abs, absolute, False)
FLOOR = NumberFunction(_floored, floored, False)
SQUARE_ROOT = NumberFunction(_enclosed(square_rooted, lambda number: number >= 0), square_rooted)
LOGARITHM = NumberFunction(
    _enclosed(natural_logarithm, lambda number: number > 0), natural_logarithm
)
DECIMAL_LOGARITHM = NumberFunction(
    _enclosed(decimal_logarithm, lambda number: number > 0), decimal_logarithm
)
EXPONENTIAL = NumberFunction(_enclosed(exponential, lambda _: True), exponential)
