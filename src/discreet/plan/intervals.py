"""Interval arithmetic: between which public bounds the result of an operator lies.

Either bound may be absent.  An interval says where a value lies if there is one: what is missing
lies nowhere.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor, inf

_End = Fraction | float  # a float is an infinity


@dataclass(frozen=True, slots=True)
class Interval:
    """From ``low`` to ``high``, both included; None where there is no bound."""

    low: Fraction | None = None
    high: Fraction | None = None


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
