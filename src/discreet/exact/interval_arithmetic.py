"""Interval arithmetic: between which public bounds the result of an operator lies.

Either bound may be absent.  An interval says where a value lies if there is one: what is missing
lies nowhere.  Bounds are exact while they are short, and else rounded outward to a fixed number of
bits, so that no question makes them grow.

Proof: docs/proofs/intervals.md
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor, inf

from discreet.exact.enclosure import exp_minus, logarithm, square_root

_End = Fraction | float  # a float is an infinity

EXACT_BITS = 512
"""A bound is kept as it is while its numerator and its denominator have no more bits."""
KEPT_BITS = 128
"""Significant bits of a bound that is longer."""
LARGEST_EXPONENT = 1024
"""Beyond 2^1024, which no 64-bit float reaches, a bound is none."""
LEAST_EXPONENT = -1100
"""Between zero and 2^-1100, where no 64-bit float is, a bound is one of the two."""
_FAR, _NEAR = Fraction(1 << LARGEST_EXPONENT), Fraction(1, 1 << -LEAST_EXPONENT)
_FUNCTION_BITS = 160
"""Bits after the point of what is between two enclosures, before it is rounded outward."""


@dataclass(frozen=True, slots=True)
class Interval:
    """From ``low`` to ``high``, both included; None where there is no bound."""

    low: Fraction | None = None
    high: Fraction | None = None

    def __post_init__(self) -> None:
        if self.low is not None and _long(self.low):
            object.__setattr__(self, "low", _below(self.low))
        if self.high is not None and _long(self.high):
            above = _below(-self.high)
            object.__setattr__(self, "high", None if above is None else -above)


def added(first: Interval, second: Interval) -> Interval:
    """Where a sum lies."""
    return Interval(_sum(first.low, second.low), _sum(first.high, second.high))


def negative(inner: Interval) -> Interval:
    """Where the negative lies."""
    return Interval(
        None if inner.high is None else -inner.high, None if inner.low is None else -inner.low
    )


def multiplied(first: Interval, second: Interval) -> Interval:
    """Where a product lies."""
    return _hull([_product(a, b) for a in _ends(first) for b in _ends(second)])


def divided(first: Interval, second: Interval) -> Interval:
    """Where a quotient lies; anywhere, if the divisor comes close to zero.

    >>> divided(Interval(Fraction(0), Fraction(6)), Interval(Fraction(2)))
    Interval(low=Fraction(0, 1), high=Fraction(3, 1))
    """
    low, high = _ends(second)
    if low <= 0 <= high:
        return Interval()
    return multiplied(first, _hull([_inverse(low), _inverse(high)]))


def remainder(first: Interval, second: Interval, whole: bool) -> Interval:
    """Where the remainder of a division lies: nearer to zero than the divisor and the number.

    >>> remainder(Interval(Fraction(0)), Interval(Fraction(5), Fraction(5)), True)
    Interval(low=Fraction(0, 1), high=Fraction(4, 1))
    """
    farthest = absolute(second).high
    if farthest is not None and whole:
        farthest = max(farthest - 1, Fraction(0))
    most: _End = inf if farthest is None else farthest
    low, high = _ends(first)
    least = Fraction(0) if low >= 0 else low if -low < most else -most
    largest = Fraction(0) if high <= 0 else high if high < most else most
    return _hull([least, largest])


def absolute(inner: Interval) -> Interval:
    """Where the distance from zero lies."""
    low, high = _ends(inner)
    least = max(low, -high, Fraction(0))
    return _hull([least, max(-low, high)])


def floored(inner: Interval) -> Interval:
    """Where the largest whole number below lies."""
    return increasing(lambda end: Fraction(floor(end)), inner)


def increasing(function: Callable[[Fraction], Fraction | None], inner: Interval) -> Interval:
    """Where an increasing function of a value lies; None where the function has no value."""
    return Interval(
        None if inner.low is None else function(inner.low),
        None if inner.high is None else function(inner.high),
    )


def raised(inner: Interval, power: int) -> Interval:
    """Where a value to a whole power from 0 up lies.

    >>> raised(Interval(Fraction(-3), Fraction(2)), 2), raised(Interval(Fraction(-3)), 3).low
    (Interval(low=Fraction(0, 1), high=Fraction(9, 1)), Fraction(-27, 1))
    """
    if power == 0:
        return Interval(Fraction(1), Fraction(1))
    if power % 2 == 0:
        inner = absolute(inner)
    return Interval(
        None if inner.low is None else _to_power(inner.low, power).low,
        None if inner.high is None else _to_power(inner.high, power).high,
    )


def powered(inner: Interval, exponent: Fraction) -> Interval:
    """Where a value to any rational power lies, if it has a value.

    >>> powered(Interval(Fraction(0), Fraction(2)), Fraction(-1))
    Interval(low=Fraction(1, 2), high=None)
    """
    whole = exponent.denominator == 1
    even = whole and exponent % 2 == 0
    base = absolute(inner) if even else inner
    if not whole:
        base = narrowed(base, Interval(Fraction(0)))
    if exponent < 0:
        low, high = _ends(base)
        if low < 0 < high or low == high == 0:
            return Interval()
        ends = [_inverse(high) if high else -inf, _inverse(low) if low else inf]
        base = _hull(ends)
    if whole:
        return raised(base, abs(int(exponent)))
    if base.high == 0:
        return Interval(Fraction(0), Fraction(0))
    # x^p = e^(p·ln x); where x may be 0, that is the lower end.
    power = Interval(abs(exponent), abs(exponent))
    return exponential(multiplied(natural_logarithm(base), power))


def square_rooted(inner: Interval) -> Interval:
    """Where the square root of a value from 0 up lies."""
    return _enclosed(square_root, narrowed(inner, Interval(Fraction(0))))


def natural_logarithm(inner: Interval) -> Interval:
    """Where the natural logarithm of a value above 0 lies."""
    low = None if inner.low is None or inner.low <= 0 else inner.low
    high = None if inner.high is None or inner.high <= 0 else inner.high
    return _enclosed(logarithm, Interval(low, high))


def decimal_logarithm(inner: Interval) -> Interval:
    """Where the logarithm to base 10 of a value above 0 lies."""
    ten = Interval(Fraction(10), Fraction(10))
    return divided(natural_logarithm(inner), natural_logarithm(ten))


def exponential(inner: Interval) -> Interval:
    """Where the exponential of a value lies."""
    low = Fraction(0) if inner.low is None else _exponential(inner.low).low
    return Interval(low, None if inner.high is None else _exponential(inner.high).high)


def hull(first: Interval, second: Interval) -> Interval:
    """The least interval that holds both."""
    return _hull([*_ends(first), *_ends(second)])


def narrowed(first: Interval, second: Interval) -> Interval:
    """Where a value lies that is in both; where there is no such value, the second."""
    low = max(_ends(first)[0], _ends(second)[0])
    high = min(_ends(first)[1], _ends(second)[1])
    return second if low > high else _hull([low, high])


def _ends(interval: Interval) -> tuple[_End, _End]:
    return (
        -inf if interval.low is None else interval.low,
        inf if interval.high is None else interval.high,
    )


def _hull(ends: list[_End]) -> Interval:
    low, high = min(ends), max(ends)
    return Interval(
        low if isinstance(low, Fraction) else None, high if isinstance(high, Fraction) else None
    )


def _long(end: Fraction) -> bool:
    return max(end.numerator.bit_length(), end.denominator.bit_length()) > EXACT_BITS


def _below(end: Fraction) -> Fraction | None:
    """The largest number of KEPT_BITS bits that is not above a long one; None far below zero."""
    if end <= -_FAR:
        return None
    if end >= _FAR:
        return _FAR
    if abs(end) < _NEAR:
        return Fraction(0) if end >= 0 else -_NEAR
    # 2^(shift + KEPT_BITS - 1) < |end| < 2^(shift + KEPT_BITS + 1)
    shift = end.numerator.bit_length() - end.denominator.bit_length() - KEPT_BITS
    if shift >= 0:
        return Fraction(end.numerator // (end.denominator << shift) << shift)
    return Fraction((end.numerator << -shift) // end.denominator, 1 << -shift)


def _to_power(base: Fraction, power: int) -> Interval:
    """An enclosure of a number to a whole power from 1 up."""
    if base < 0:
        power_interval = _to_power(-base, power)
        return negative(power_interval) if power % 2 else power_interval
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if bits * power <= EXACT_BITS:
        exact = base**power
        return Interval(exact, exact)
    point = power_interval = Interval(base, base)
    for bit in f"{power:b}"[1:]:
        power_interval = _positive_product(power_interval, power_interval)
        if bit == "1":
            power_interval = _positive_product(power_interval, point)
    return power_interval


def _positive_product(first: Interval, second: Interval) -> Interval:
    low = Fraction(0) if first.low is None or second.low is None else first.low * second.low
    high = None if first.high is None or second.high is None else first.high * second.high
    return Interval(low, high)


def _enclosed(function: Callable[[Fraction, int], tuple[int, int]], inner: Interval) -> Interval:
    """Where an increasing function lies of which there is an enclosure."""

    def end(value: Fraction | None, side: int) -> Fraction | None:
        if value is None:
            return None
        small = max(0, value.denominator.bit_length() - value.numerator.bit_length())
        bits = _FUNCTION_BITS + small
        return Fraction(function(value, bits)[side], 1 << bits)

    return Interval(end(inner.low, 0), end(inner.high, 1))


def _exponential(end: Fraction) -> Interval:
    """An enclosure of e to a rational power."""
    if end > LARGEST_EXPONENT:  # e > 2
        return Interval(_FAR)
    if end < LEAST_EXPONENT:
        return Interval(Fraction(0), _NEAR)
    bits = _FUNCTION_BITS + 2 * abs(floor(end))  # e < 4: as many are significant in any case
    low, high = exp_minus(abs(end), bits)
    scale = 1 << bits
    if end <= 0:
        return Interval(Fraction(low, scale), Fraction(high, scale))
    return Interval(Fraction(scale, high), Fraction(scale, low))


def _sum(first: Fraction | None, second: Fraction | None) -> Fraction | None:
    return None if first is None or second is None else first + second


def _product(first: _End, second: _End) -> _End:
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return first * second
    if first == 0 or second == 0:
        return Fraction(0)
    return inf if (first > 0) == (second > 0) else -inf


def _inverse(end: _End) -> _End:
    return 1 / end if isinstance(end, Fraction) else Fraction(0)
