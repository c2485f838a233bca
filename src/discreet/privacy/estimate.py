"""A released number with its error and its price.

An estimate never carries a true value: everything in it was computed from what was released.
Errors are carried through arithmetic.  Sums and differences of independent noise are combined
exactly (up to a stated rounding), a quotient of two draws of Laplace noise by the law of both, and
other products and quotients by interval arithmetic at a higher confidence, which covers at least
as often as it says.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any

from discreet.errors import DataError
from discreet.exact import rational
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.pairs import quotient_interval
from discreet.privacy.rounding import bounds_text, interval_text, number_text, records_text
from discreet.privacy.uncertainty import (
    BoundedError,
    Interval,
    LinearError,
    RankError,
    Source,
    Uncertainty,
    added,
    as_float,
    divided,
    multiplied,
    quotient,
    scaled,
)

__all__ = [
    "BoundedError",
    "Estimate",
    "Interval",
    "LinearError",
    "Loss",
    "RankError",
    "Release",
    "Source",
    "Uncertainty",
    "computed",
    "total_loss",
]

Released = Any
"""An int or a float; a category where one was chosen."""
Loss = PureDP | ApproximateDP

_CONFIDENCE = Fraction(95, 100)
_ONE = Fraction(1)


@dataclass(frozen=True, eq=False)
class Release:
    """One payment, told apart from every other by identity."""

    loss: Loss


def total_loss(releases: tuple[Release, ...]) -> Loss:
    """What several payments come to; one that is listed twice was made once."""
    total: Loss = PureDP(epsilon=Fraction(0))
    for release in dict.fromkeys(releases):
        total = total + release.loss
    return total


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

    __array_ufunc__ = None  # NumPy leaves arithmetic with an estimate to the estimate

    # ------------------------------------------------------------------ error

    def interval(self, confidence: object = _CONFIDENCE) -> Interval:
        """Bounds that hold the truth with at least this probability."""
        if isinstance(self.error, RankError):
            raise DataError(
                "this estimate has no interval. The error of a quantile depends on the data, so "
                "only its rank is guaranteed. Use .rank_error: so many records at most lie "
                "between the value and the quantile that was asked for."
            )
        if confidence is _CONFIDENCE:
            return self._usual
        level = rational(confidence, "confidence")
        if not 0 < level < 1:
            raise DataError(
                "confidence is not between 0 and 1. It is the probability that the bounds hold. "
                "Use estimate.interval(0.99)."
            )
        return self.error.interval(self.value, level)

    @cached_property
    def _usual(self) -> Interval:
        """The bounds at 95%, which are shown, compared and printed again and again."""
        if isinstance(self.error, RankError):
            raise TypeError("a rank has no bounds")
        return self.error.interval(self.value, _CONFIDENCE)

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
        below: float = self.value - lower
        above: float = upper - self.value
        return max(below, above)

    @property
    def exact(self) -> bool:
        """Whether no noise is in it: it was public, or computed from what was."""
        return isinstance(self.error, LinearError) and not self.error.terms

    @property
    def rank_error(self) -> float | None:
        """How many records lie at most between the value and its quantile, at 95%."""
        return self.error.records if isinstance(self.error, RankError) else None

    @property
    def loss(self) -> Loss:
        """What all the releases that went into this number cost together."""
        return total_loss(self.releases)

    # ------------------------------------------------------------------ as a number

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __format__(self, specification: str) -> str:
        return format(self.value, specification) if specification else str(self)

    def __round__(self, digits: int | None = None) -> Released:
        return round(self.value, digits)

    @property
    def text(self) -> str:
        """The value and its error; both bounds where they are not equally far."""
        if isinstance(self.error, RankError):
            records = f"{records_text(self.error.records)}, 95%"
            if isinstance(self.value, int | float):
                text = f"{number_text(self.value, None)} (rank ± {records})"
            else:
                text = f"{self.value} (behind the fullest by at most {records})"
        elif self.exact:
            text = f"{number_text(self.value, None)} (exact)"
        else:
            text = interval_text(self.value, *self.interval())
        return text if self.safe else f"{text} UNSAFE: seeded noise"

    def __str__(self) -> str:
        return f"{self.text}   {self.loss}"

    __repr__ = __str__

    # ------------------------------------------------------------------ arithmetic

    def __add__(self, other: object) -> "Estimate":
        return self._linear(other, _ONE, _ONE)

    __radd__ = __add__

    def __sub__(self, other: object) -> "Estimate":
        return self._linear(other, _ONE, -_ONE)

    def __rsub__(self, other: object) -> "Estimate":
        return self._linear(other, -_ONE, _ONE)

    def __neg__(self) -> "Estimate":
        return self._scaled(-_ONE, Fraction(0))

    def __mul__(self, other: object) -> "Estimate":
        if isinstance(other, Estimate):
            return self._combined(other, self.value * other.value, multiplied)
        factor = _plain(other)
        return NotImplemented if factor is None else self._scaled(factor, Fraction(0))

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> "Estimate":
        if isinstance(other, Estimate):
            return self._divided(other)
        divisor = _plain(other)
        return NotImplemented if divisor is None else self._scaled(1 / divisor, Fraction(0))

    def __rtruediv__(self, other: object) -> "Estimate":
        dividend = _plain(other)
        if dividend is None:
            return NotImplemented
        top = as_float(dividend)
        return self._mapped(quotient(top, self.value), lambda inner: divided((top, top), inner))

    def _linear(self, other: object, own: Fraction, others: Fraction) -> "Estimate":
        if other is self:
            return self._scaled(own + others, Fraction(0))
        if not isinstance(other, Estimate):
            shift = _plain(other)
            return NotImplemented if shift is None else self._scaled(own, others * shift)
        value = _moved(self.value, own) + _moved(other.value, others)
        if isinstance(self.error, LinearError) and isinstance(other.error, LinearError):
            return self._with(value, self.error.plus(own, other.error, others), other)
        return self._combined(other, value, lambda a, b: added(scaled(a, own), scaled(b, others)))

    def _scaled(self, factor: Fraction, shift: Fraction) -> "Estimate":
        value = _moved(self.value, factor, shift)
        if isinstance(self.error, LinearError):
            return self._with(value, self.error.times(factor))
        constant = as_float(shift)
        return self._mapped(value, lambda inner: added(scaled(inner, factor), (constant, constant)))

    def _mapped(self, value: Released, change: Callable[[Interval], Interval]) -> "Estimate":
        if isinstance(self.error, RankError):
            return self._with(value, self.error)
        return self._with(value, BoundedError(lambda level: change(self.interval(level))))

    def _combined(
        self, other: "Estimate", value: Released, join: Callable[[Interval, Interval], Interval]
    ) -> "Estimate":
        if isinstance(self.error, RankError) or isinstance(other.error, RankError):
            return self._with(value, RankError(inf), other)

        def bounds(confidence: Fraction) -> Interval:
            # Both hold at once with the confidence asked for.
            each = confidence if self.exact or other.exact else 1 - (1 - confidence) / 2
            return join(self.interval(each), other.interval(each))

        return self._with(value, BoundedError(bounds), other)

    def _divided(self, other: "Estimate") -> "Estimate":
        value = quotient(self.value, other.value)
        first, second = _draw(self.error), _draw(other.error)
        if first is None or second is None or first.source is second.source:
            return self._combined(other, value, divided)

        def bounds(confidence: Fraction) -> Interval:
            return quotient_interval(
                as_float(self.value),
                as_float(other.value),
                (first.steps, second.steps),
                (first.size, second.size),
                1 - confidence,
            )

        return self._with(value, BoundedError(bounds), other)

    def _with(
        self, value: Released, error: Uncertainty | RankError, other: "Estimate | None" = None
    ) -> "Estimate":
        return computed(value, error, [self] if other is None else [self, other])


def value_text(estimate: Estimate) -> str:
    """The value alone, to two digits of its margin; negative ones as they are."""
    if not isinstance(estimate.value, int | float):
        return str(estimate.value)
    text = number_text(estimate.value, estimate.margin)
    return text if text.strip("-0.,") else text.removeprefix("-")  # a rounded -0.3 is 0


def error_text(estimate: Estimate) -> str:
    """What stands beside the value: ± where both ends are about equally far, else both ends."""
    if estimate.exact:
        return "exact"
    if estimate.rank_error is not None:
        records = f"{estimate.rank_error:,.0f}" if estimate.rank_error < inf else "∞"
        text = f"rank ± {records}"
    else:
        text = bounds_text(estimate.value, *estimate.interval())
    return text if estimate.safe else f"{text} UNSAFE: seeded noise"


def cell_text(estimate: Estimate) -> str:
    """Both."""
    return f"{value_text(estimate)} {error_text(estimate)}"


def computed(
    value: Released, error: Uncertainty | RankError, parts: Sequence[Estimate]
) -> Estimate:
    """The result of arithmetic: it costs what went into it, and is as safe."""
    first = parts[0]
    note = first.note
    for part in parts[1:]:
        note = _joined(note, part.note)
        if part.neighbors != first.neighbors:
            raise DataError(
                f"one estimate is for {first.neighbors} neighbors, the other for "
                f"{part.neighbors}. Losses add up only under one relation. Ask both with the "
                "same neighbors=."
            )
    mechanisms = _distinct([one for part in parts for one in _as_tuple(part.mechanism)])
    return Estimate(
        value=value,
        error=error,
        releases=tuple(dict.fromkeys(one for part in parts for one in part.releases)),
        mechanism=mechanisms[0] if len(mechanisms) == 1 else mechanisms,
        neighbors=first.neighbors,
        note=note,
        safe=all(part.safe for part in parts),
    )


@dataclass(frozen=True, slots=True)
class _Draw:
    """One draw of Laplace noise: its scale in steps, and in the unit of the number it is in."""

    source: Source
    steps: Fraction
    size: float


def _draw(error: Uncertainty | RankError) -> _Draw | None:
    """The draw that is all of an error, if its law is that of Laplace noise."""
    if not isinstance(error, LinearError) or len(error.terms) != 1:
        return None
    ((weight, source),) = error.terms
    steps = getattr(source.noise, "steps", None)
    if not isinstance(steps, Fraction):
        return None
    return _Draw(source, steps, as_float(abs(weight) * source.noise.grid.step * steps))


def _plain(value: object) -> Fraction | None:
    """A number as the rational that was written, or None if it is not a number."""
    try:
        return None if isinstance(value, bool | str) else rational(value, "the number")
    except ValueError:
        return None


def _moved(value: Released, factor: Fraction, shift: Fraction = Fraction(0)) -> Released:
    """factor·value + shift: an integer where all three are, else the nearest float."""
    if not isinstance(value, int | float):
        raise DataError(
            "this estimate is a category. Only numbers are added and multiplied. Use its .value."
        )
    if isinstance(value, int):
        exact = factor * value + shift
        return exact.numerator if factor.denominator == shift.denominator == 1 else as_float(exact)
    return as_float(factor) * value + as_float(shift)


def _joined(first: str, second: str) -> str:
    """Both notes, and one that is part of the other once."""
    if second in first:
        return first
    return second if first in second else f"{first} {second}"


def _as_tuple(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else (value,)


def _distinct(values: list[object]) -> tuple[object, ...]:
    return tuple({id(value): value for value in values}.values())
