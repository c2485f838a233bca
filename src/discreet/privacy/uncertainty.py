"""How far the truth may be from a released number, and how that is carried through arithmetic."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Protocol

from discreet.privacy.combination import Noise, combined_margin

Number = int | float
Interval = tuple[float, float]


class Uncertainty(Protocol):
    """How far the truth may be from a released value."""

    def interval(self, value: Number, confidence: Fraction) -> Interval:
        """Bounds that hold with at least this probability."""


@dataclass(frozen=True, eq=False)
class Source:
    """One draw of noise, told apart from every other by identity."""

    noise: Noise


@dataclass(frozen=True)
class LinearError:
    """The error is a weighted sum of independent draws."""

    terms: tuple[tuple[Fraction, Source], ...]

    def interval(self, value: Number, confidence: Fraction) -> Interval:
        """The value plus and minus the margin of the sum."""
        terms = [(weight, source.noise) for weight, source in self.terms]
        margin = combined_margin(terms, confidence)
        try:
            return value - margin, value + margin
        except OverflowError:  # one is a float, the other an integer beyond the floats
            return -inf, inf

    def times(self, factor: Fraction) -> "LinearError":
        """The error of factor times the number."""
        terms = ((factor * weight, source) for weight, source in self.terms)
        return LinearError(tuple(terms) if factor else ())

    def plus(self, own: Fraction, other: "LinearError", others: Fraction) -> "LinearError":
        """The error of own·this + others·other; a draw that is in both is counted once."""
        weights: dict[Source, Fraction] = {}
        for error, factor in ((self, own), (other, others)):
            for weight, source in error.terms:
                weights[source] = weights.get(source, Fraction(0)) + factor * weight
        return LinearError(tuple((weight, source) for source, weight in weights.items() if weight))


@dataclass(frozen=True)
class BoundedError:
    """The error is known through a function from confidence to bounds."""

    bounds: Callable[[Fraction], Interval]

    def interval(self, value: Number, confidence: Fraction) -> Interval:
        """The bounds at this confidence."""
        return self.bounds(confidence)


@dataclass(frozen=True)
class RankError:
    """The value's error depends on the data; what is guaranteed is counted in records.

    With probability 95% at most so many records lie between the released value and the quantile
    that was asked for, or are missing from a chosen category to make it the fullest.
    """

    records: float


# ---------------------------------------------------------------------- interval arithmetic


def as_float(number: Fraction) -> float:
    """The nearest float; infinite beyond the largest."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def scaled(inner: Interval, factor: Fraction) -> Interval:
    """The bounds of a number times a constant."""
    if factor == 0:
        return 0.0, 0.0
    low, high = (as_float(factor) * end for end in inner)
    return min(low, high), max(low, high)


def added(first: Interval, second: Interval) -> Interval:
    """The bounds of a sum."""
    return first[0] + second[0], first[1] + second[1]


def multiplied(first: Interval, second: Interval) -> Interval:
    """The bounds of a product; 0·∞ is 0, since the ends of an interval are not both reached."""
    corners = [a * b if a and b else 0.0 for a in first for b in second]
    return min(corners), max(corners)


def divided(first: Interval, second: Interval) -> Interval:
    """The bounds of a quotient: none where the divisor may be 0."""
    if second[0] <= 0 <= second[1]:
        return -inf, inf
    return multiplied(first, (1 / second[1], 1 / second[0]))


def quotient(top: Number, bottom: Number) -> float:
    """The quotient of two released numbers, NaN if the divisor is 0."""
    try:
        return top / bottom if bottom else float("nan")
    except OverflowError:
        return inf if (top > 0) == (bottom > 0) else -inf
