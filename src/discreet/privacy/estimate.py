"""A released number with its error and its price.

An estimate never carries a true value: everything in it was computed from what was released.
Errors are carried through arithmetic.  Sums and differences of independent noise are combined
exactly (up to a stated rounding), products and quotients by interval arithmetic at a higher
confidence, which covers at least as often as it says.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor, inf, isfinite, log10
from typing import Any, Protocol

from discreet.errors import DataError
from discreet.exact import rational
from discreet.privacy.combination import Noise, combined_margin
from discreet.privacy.losses import ApproximateDP, PureDP

Released = Any
"""An int or a float; a category where one was chosen."""
Interval = tuple[float, float]
Loss = PureDP | ApproximateDP

_CONFIDENCE = Fraction(95, 100)


class Uncertainty(Protocol):
    """How far the truth may be from a released value."""

    def interval(self, value: Released, confidence: Fraction) -> Interval:
        """Bounds that hold with at least this probability."""


@dataclass(frozen=True, eq=False)
class Source:
    """One draw of noise, told apart from every other by identity."""

    noise: Noise


@dataclass(frozen=True)
class LinearError:
    """The error is a weighted sum of independent draws."""

    terms: tuple[tuple[Fraction, Source], ...]

    def interval(self, value: Released, confidence: Fraction) -> Interval:
        margin = combined_margin(
            [(weight, source.noise) for weight, source in self.terms], confidence
        )
        return value - margin, value + margin


@dataclass(frozen=True)
class BoundedError:
    """The error is known through a function from confidence to bounds."""

    bounds: Callable[[Fraction], Interval]

    def interval(self, value: Released, confidence: Fraction) -> Interval:
        return self.bounds(confidence)


@dataclass(frozen=True)
class RankError:
    """The value's error depends on the data; what is guaranteed is counted in records.

    With probability 95% at most so many records lie between the released value and the quantile
    that was asked for, or are missing from a chosen category to make it the fullest.
    """

    records: float


@dataclass(frozen=True, eq=False)
class Release:
    """One payment, told apart from every other by identity."""

    loss: Loss


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimate:
    """A private number: its value, where the truth lies, and what it cost.

    ``value``, ``lower``, ``upper`` and ``margin`` (the larger half width) are at 95% confidence;
    ``interval(0.99)`` gives another.  ``note`` says what the interval does not cover.
    """

    value: Released
    error: Uncertainty | RankError
    releases: tuple[Release, ...]
    mechanism: object
    neighbors: str
    note: str = ""
    safe: bool = True

    # ------------------------------------------------------------------ error

    def interval(self, confidence: object = _CONFIDENCE) -> Interval:
        """Bounds that hold the truth with at least this probability."""
        if isinstance(self.error, RankError):
            raise DataError(
                "this estimate has no interval. The error of a quantile depends on the data, so "
                "only its rank is guaranteed. Use .rank_error: so many records at most lie "
                "between the value and the quantile that was asked for."
            )
        level = rational(confidence, "confidence")
        if not 0 < level < 1:
            raise DataError(
                "confidence is not between 0 and 1. It is the probability that the bounds hold. "
                "Use estimate.interval(0.99)."
            )
        return self.error.interval(self.value, level)

    @property
    def lower(self) -> float | None:
        """The lower bound at 95%; None where only the rank is guaranteed."""
        return None if isinstance(self.error, RankError) else self.interval()[0]

    @property
    def upper(self) -> float | None:
        """The upper bound at 95%; None where only the rank is guaranteed."""
        return None if isinstance(self.error, RankError) else self.interval()[1]

    @property
    def margin(self) -> float | None:
        """The larger distance from the value to a bound at 95%."""
        if isinstance(self.error, RankError):
            return None
        lower, upper = self.interval()
        return max(self.value - lower, upper - self.value)

    @property
    def rank_error(self) -> float | None:
        """How many records lie at most between the value and its quantile, at 95%."""
        return self.error.records if isinstance(self.error, RankError) else None

    @property
    def loss(self) -> Loss:
        """What all the releases that went into this number cost together."""
        total: Loss = PureDP(epsilon=Fraction(0))
        for release in self.releases:
            total = release.loss + total if isinstance(total, PureDP) else total + release.loss
        return total

    # ------------------------------------------------------------------ as a number

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __format__(self, specification: str) -> str:
        return format(self.value, specification) if specification else str(self)

    def __str__(self) -> str:
        if isinstance(self.error, RankError):
            records = f"{self.error.records:,.0f} records, 95%)"
            if isinstance(self.value, int | float):
                body = f"{_number(self.value, None)} (rank ± {records}"
            else:
                body = f"{self.value} (behind the fullest by at most {records}"
        else:
            margin = self.margin
            body = f"{_number(self.value, margin)} ± {_margin(margin)} (95%)"
        return body if self.safe else f"{body} UNSAFE: seeded noise"

    def __repr__(self) -> str:
        return f"{self}   {self.loss}"

    # ------------------------------------------------------------------ arithmetic

    def __add__(self, other: object) -> "Estimate":
        return self._linear(other, Fraction(1), Fraction(1))

    __radd__ = __add__

    def __sub__(self, other: object) -> "Estimate":
        return self._linear(other, Fraction(1), Fraction(-1))

    def __rsub__(self, other: object) -> "Estimate":
        return self._linear(other, Fraction(-1), Fraction(1))

    def __neg__(self) -> "Estimate":
        return self._linear(0, Fraction(-1), Fraction(1))

    def __mul__(self, other: object) -> "Estimate":
        if isinstance(other, Estimate):
            return self._combine(other, self.value * other.value, _product)
        factor = _plain(other)
        return NotImplemented if factor is None else self._scaled(factor)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> "Estimate":
        if isinstance(other, Estimate):
            return self._combine(other, _quotient_value(self.value, other.value), _quotient)
        divisor = _plain(other)
        if divisor is None:
            return NotImplemented
        return self._scaled(1 / divisor)

    def __rtruediv__(self, other: object) -> "Estimate":
        dividend = _plain(other)
        if dividend is None:
            return NotImplemented
        top = float(dividend)
        return self._mapped(
            _quotient_value(top, self.value), lambda inner: _quotient((top, top), inner)
        )

    def _linear(self, other: object, own: Fraction, others: Fraction) -> "Estimate":
        if isinstance(other, Estimate):
            value = int(own) * self.value + int(others) * other.value
            if isinstance(self.error, LinearError) and isinstance(other.error, LinearError):
                error = _merged(self.error, own, other.error, others)
                return self._with(value, error, other)
            return self._combine(other, value, lambda a, b: _sum(_scale(a, own), _scale(b, others)))
        shift = _plain(other)
        if shift is None:
            return NotImplemented
        moved = _shifted(self.value, own, others * shift)
        if isinstance(self.error, LinearError):
            terms = tuple((own * weight, source) for weight, source in self.error.terms)
            return self._with(moved, LinearError(terms))
        constant = float(others * shift)
        return self._mapped(moved, lambda inner: _sum(_scale(inner, own), (constant, constant)))

    def _scaled(self, factor: Fraction) -> "Estimate":
        value = _shifted(self.value, factor, Fraction(0))
        if isinstance(self.error, LinearError):
            terms = tuple((factor * weight, source) for weight, source in self.error.terms)
            return self._with(value, LinearError(terms))
        return self._mapped(value, lambda inner: _scale(inner, factor))

    def _mapped(self, value: Released, change: Callable[[Interval], Interval]) -> "Estimate":
        if isinstance(self.error, RankError):
            return self._with(value, self.error)
        return self._with(value, BoundedError(lambda level: change(self.interval(level))))

    def _combine(
        self, other: "Estimate", value: Released, join: Callable[[Interval, Interval], Interval]
    ) -> "Estimate":
        for side in (self, other):
            if isinstance(side.error, RankError):
                return self._with(value, RankError(inf), other)

        def bounds(confidence: Fraction) -> Interval:
            each = 1 - (1 - confidence) / 2  # both hold at once with the confidence asked for
            return join(self.interval(each), other.interval(each))

        return self._with(value, BoundedError(bounds), other)

    def _with(
        self, value: Released, error: Uncertainty | RankError, other: "Estimate | None" = None
    ) -> "Estimate":
        releases, notes, safe, mechanism = self.releases, [self.note], self.safe, self.mechanism
        if other is not None:
            if other.neighbors != self.neighbors:
                raise DataError(
                    f"one estimate is for {self.neighbors} neighbors, the other for "
                    f"{other.neighbors}. Losses add up only under one relation. Ask both with "
                    "the same neighbors=."
                )
            releases = tuple(dict.fromkeys((*releases, *other.releases)))
            notes.append(other.note)
            safe = safe and other.safe
            mechanism = (mechanism, other.mechanism)
        return Estimate(
            value=value,
            error=error,
            releases=releases,
            mechanism=mechanism,
            neighbors=self.neighbors,
            note=" ".join(dict.fromkeys(note for note in notes if note)),
            safe=safe,
        )


def _merged(
    first: LinearError, own: Fraction, second: LinearError, others: Fraction
) -> LinearError:
    weights: dict[Source, Fraction] = {}
    for error, factor in ((first, own), (second, others)):
        for weight, source in error.terms:
            weights[source] = weights.get(source, Fraction(0)) + factor * weight
    return LinearError(tuple((weight, source) for source, weight in weights.items() if weight))


def _plain(value: object) -> Fraction | None:
    """A number as the rational that was written, or None if it is not a number."""
    if isinstance(value, bool) or isinstance(value, str):
        return None
    try:
        return rational(value, "the number")
    except ValueError:
        return None


def _shifted(value: Released, factor: Fraction, shift: Fraction) -> Released:
    if isinstance(value, int) and factor.denominator == shift.denominator == 1:
        return value * factor.numerator + shift.numerator
    return float(factor) * value + float(shift)


def _scale(inner: Interval, factor: Fraction) -> Interval:
    low, high = (float(factor) * end for end in inner)
    return min(low, high), max(low, high)


def _sum(first: Interval, second: Interval) -> Interval:
    return first[0] + second[0], first[1] + second[1]


def _product(first: Interval, second: Interval) -> Interval:
    corners = [a * b if a and b else 0.0 for a in first for b in second]
    return min(corners), max(corners)


def _quotient(first: Interval, second: Interval) -> Interval:
    if second[0] <= 0 <= second[1]:
        return -inf, inf
    return _product(first, (1 / second[1], 1 / second[0]))


def _quotient_value(top: Released, bottom: Released) -> float:
    return top / bottom if bottom else float("nan")


def _decimals(margin: float | None) -> int | None:
    """How many decimals show two digits of the margin; None where there is none to show."""
    if margin is None or not isfinite(margin) or margin <= 0:
        return None
    return max(0, 1 - floor(log10(margin)))


def _margin(margin: float | None) -> str:
    decimals = _decimals(margin)
    if margin is None or decimals is None:
        return "0" if margin == 0 else "∞"
    return f"{margin:,}" if isinstance(margin, int) else f"{margin:,.{decimals}f}"


def _number(value: Released, margin: float | None) -> str:
    """The value to the digits that its margin leaves meaning."""
    if isinstance(value, int):
        return f"{value:,}"
    decimals = _decimals(margin)
    return f"{value:,.6g}" if decimals is None else f"{value:,.{decimals}f}"
