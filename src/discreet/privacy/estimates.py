"""Released numbers with their errors and their price: one ``Estimate``, or several together."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import cached_property, lru_cache
from importlib import import_module
from itertools import pairwise
from math import inf, isfinite, isnan
from typing import Any

from discreet.errors import DataError
from discreet.exact import rational
from discreet.privacy.joint_noise import FloatInterval, are_known
from discreet.privacy.losses import ApproximateDP, PureDP, ZeroConcentratedDP
from discreet.privacy.number_functions import (
    ABSOLUTE,
    DECIMAL_LOGARITHM,
    EXPONENTIAL,
    FLOOR,
    LARGEST_POWER,
    LOGARITHM,
    SQUARE_ROOT,
    NumberFunction,
    clipping,
    power,
    rounding,
)
from discreet.privacy.number_text import (
    NumberText,
    distance,
    interval_step,
    number_text,
    rank_text,
    truth_text,
    value_text,
)
from discreet.privacy.uncertainty import (
    BOX,
    BoundedError,
    LinearError,
    MeasuredRankError,
    NoiseDraw,
    RankError,
    RealNumber,
    SharedTerms,
    SumTruth,
    Uncertainty,
    added_bounds,
    as_float,
    divided_bounds,
    multiplied_bounds,
    possible_quotient,
    possible_value,
    product_interval,
    quotient,
    quotient_interval,
    scaled_bounds,
    summed_errors,
    within_bounds,
)
from discreet.templates import table_html
from discreet.text_table import TextTable, aligned

Released = Any
"""An int or a float; a category where one was chosen."""
PaidLoss = PureDP | ApproximateDP | ZeroConcentratedDP
_CONFIDENCE = Fraction(95, 100)
_ONE = Fraction(1)
_MOST_DIGITS = 15
"""Of a number that is rounded."""


__all__ = [
    "BoundedError",
    "Estimate",
    "FloatInterval",
    "IntervalKind",
    "LinearError",
    "MeasuredRankError",
    "NoiseDraw",
    "PaidLoss",
    "Payment",
    "RankError",
    "Uncertainty",
    "computed",
    "payments_loss",
]


class IntervalKind(Enum):
    """What an interval rests on."""

    NOISE = "noise"
    """Nothing but noise stands between the value and the truth."""
    COUNTED = "counted"
    """It holds the same of the rows as they are counted: caps may have moved it either way."""
    SURE = "sure"
    """It holds the truth, whatever the caps left out; an end may be infinite."""
    LIKELY = "likely"
    """It does, if people are as rare where a profile sees none as its last ones let expect."""


@dataclass(frozen=True, eq=False)
class Payment:
    """One payment of a loss; payments are compared by identity."""

    loss: PaidLoss


def payments_loss(releases: tuple[Payment, ...]) -> PaidLoss:
    """The total loss of several payments; one that is listed twice is counted once.

    It is in ρ if one of them is: but for probability δ what is (ε,δ)-DP is ε-DP, and so ε²/2-zCDP.
    """
    losses = [release.loss for release in dict.fromkeys(releases)]
    if any(isinstance(loss, ZeroConcentratedDP) for loss in losses):
        concentrated = ZeroConcentratedDP(rho=Fraction(0))
        for loss in losses:
            concentrated = concentrated + _concentrated(loss)
        return concentrated
    total: PureDP | ApproximateDP = PureDP(epsilon=Fraction(0))
    for loss in losses:
        if not isinstance(loss, ZeroConcentratedDP):
            total = total + loss
    return total


def _concentrated(loss: PaidLoss) -> ZeroConcentratedDP:
    if isinstance(loss, ZeroConcentratedDP):
        return loss
    delta = loss.delta if isinstance(loss, ApproximateDP) else Fraction(0)
    return replace(PureDP(epsilon=loss.epsilon).to_zcdp(), delta=delta)


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimate:
    """A private number: its value, where the truth lies, and what it cost.

    ``value``, ``lower``, ``upper`` and ``margin`` (the larger half width) are at 95% confidence;
    ``interval(0.99)`` gives another.  ``note`` says what the interval does not cover.

    The interval holds all that is known.  Where caps may have left rows out, that is more than the
    noise, which ``noise_interval`` has alone: an end of which nothing is known is infinite, and
    ``kind`` says on what the interval rests.
    """

    value: Released
    error: Uncertainty | RankError
    """The error of the noise."""
    releases: tuple[Payment, ...]
    mechanism: object
    neighbors: str
    note: str = ""
    safe: bool = True
    truth: Uncertainty | None = None
    """Where the truth lies, if more than noise stands between it and the value."""
    condition: str = ""
    """What must hold so that the truth lies there, where that is no more than likely: "if no …"."""
    counted: bool = False
    """Whether its interval is of the rows as they are counted, of which caps left some out."""
    whole: bool = False
    """Whether it counts something: it is whole in print, also where weights split rows."""
    moved: Released | None = None
    """By how much it was moved after it was measured; None where it stands as it was measured."""

    __array_ufunc__ = None  # NumPy leaves arithmetic with an estimate to the estimate

    # ------------------------------------------------------------------ error

    def interval(self, confidence: object = _CONFIDENCE) -> FloatInterval:
        """Bounds that hold the truth with at least this probability."""
        if self.truth is None:
            return self.noise_interval(confidence)
        level = self._level(confidence)
        if level == _CONFIDENCE:
            return self._usual_truth
        return self.truth.interval(self.value, level)

    def noise_interval(self, confidence: object = _CONFIDENCE) -> FloatInterval:
        """Bounds that the noise keeps to with this probability: of what was counted, not of all."""
        if isinstance(self.error, RankError):
            raise DataError(
                "this estimate has no interval. How far it is off depends on the data, so only its "
                "rank is guaranteed. Use .rank_error: so many records at most lie between the "
                "value and the one that was asked for."
            )
        level = self._level(confidence)
        return self._usual if level == _CONFIDENCE else self.error.interval(self.value, level)

    def _level(self, confidence: object) -> Fraction:
        if confidence == _CONFIDENCE:
            return _CONFIDENCE
        level = rational(confidence, "confidence")
        if not 0 < level < 1:
            raise DataError(
                "confidence is not between 0 and 1. It is the probability that the bounds hold. "
                "Use estimate.interval(0.99)."
            )
        return level

    @cached_property
    def _usual(self) -> FloatInterval:
        """The bounds of the noise at 95%, which are shown and compared again and again."""
        if isinstance(self.error, RankError):
            raise TypeError("a rank has no bounds")
        return self.error.interval(self.value, _CONFIDENCE)

    @cached_property
    def _usual_truth(self) -> FloatInterval:
        if self.truth is None:
            raise TypeError("nothing but noise stands between the value and the truth")
        return self.truth.interval(self.value, _CONFIDENCE)

    @property
    def likely(self) -> bool:
        """Whether the truth lies there only if nobody is where no profile could see them."""
        return bool(self.condition)

    @property
    def kind(self) -> IntervalKind:
        """What the interval rests on."""
        if self.counted:
            return IntervalKind.COUNTED
        if self.truth is None:
            return IntervalKind.NOISE
        return IntervalKind.LIKELY if self.likely else IntervalKind.SURE

    @property
    def bounded(self) -> bool:
        """Whether it has an interval: not where its rank alone is guaranteed."""
        return not isinstance(self.error, RankError)

    @property
    def lower(self) -> float | None:
        """The lower bound at 95%, of a date as text; None where only the rank is guaranteed."""
        return self.interval()[0] if self.bounded else None

    @property
    def upper(self) -> float | None:
        """The upper bound at 95%, of a date as text; None where only the rank is guaranteed."""
        return self.interval()[1] if self.bounded else None

    @property
    def margin(self) -> float | None:
        """The larger distance from the value to a bound at 95%.

        Of dates it is in days, of datetimes and times of day in seconds.
        """
        if not self.bounded:
            return None
        lower, upper = self.interval()
        return max(distance(lower, self.value), distance(self.value, upper))

    @property
    def noise_margin(self) -> float | None:
        """The larger distance from the value to where the noise may reach, at 95%."""
        if not self.bounded:
            return None
        lower, upper = self.noise_interval()
        return max(float(distance(lower, self.value)), float(distance(self.value, upper)))

    @property
    def exact(self) -> bool:
        """Whether no noise is in it: it was public, or computed from what was."""
        noiseless = isinstance(self.error, LinearError) and not self.error.terms
        return noiseless and self.truth is None

    @property
    def rank_error(self) -> float | None:
        """How many records lie at most between the value and its quantile, at 95%."""
        error = self.error
        return error.records if isinstance(error, RankError | MeasuredRankError) else None

    @property
    def loss(self) -> PaidLoss:
        """What all the releases that went into this number cost together."""
        return payments_loss(self.releases)

    # ------------------------------------------------------------------ as a number

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __format__(self, specification: str) -> str:
        return format(self.value, specification) if specification else str(self)

    def __round__(self, digits: int | None = None) -> Released:
        return round(self.value, digits)

    def printed(self, confidence: Fraction = _CONFIDENCE) -> NumberText:
        """The value and its error, as every form that people read shows them."""
        return self._marked(self._printed(confidence))

    @property
    def text(self) -> str:
        """The same in one, with the probability."""
        shown = self._printed(_CONFIDENCE)
        level = "" if self.exact or not shown.error else " (95%)"
        condition = f", {self.condition}" if self.condition and self.truth is not None else ""
        return self._marked(shown.followed_by(f"{level}{condition}")).text

    def _printed(self, confidence: Fraction) -> NumberText:
        if self.exact:
            return NumberText(value_text(self.value, None), "exact")
        rank, error = "", self.error
        if isinstance(error, RankError | MeasuredRankError):
            behind = isinstance(error, RankError) and error.behind
            rank = rank_text(error.records, behind=behind)
            rank += "" if confidence == _CONFIDENCE else " (95%)"  # guaranteed at no other level
        if isinstance(error, RankError):
            value = self.value if isinstance(self.value, str) else value_text(self.value, None)
            return NumberText(value, rank)
        noise = self.noise_interval(confidence)
        shown = number_text(self.value, noise, whole=self.whole)
        if self.truth is not None and shown.error:
            step = interval_step(self.value, noise, whole=self.whole)
            truth = self.interval(confidence)
            shown = shown.followed_by(truth_text(truth, noise, step))
            bounded = any(abs(end) < inf for end in truth)
            shown = shown.followed_by(" (likely)" if self.likely and bounded else "")
        shown = shown.followed_by(" counted" if self.counted else "")
        return shown.followed_by(f", {rank}" if rank else "")

    def _marked(self, shown: NumberText) -> NumberText:
        return shown if self.safe else shown.followed_by(" UNSAFE: seeded noise")

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
            return self._multiplied(other)
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
        return self._mapped(
            quotient(top, _number(self.value)), lambda inner: divided_bounds((top, top), inner)
        )

    # ------------------------------------------------------------------ functions

    def abs(self) -> "Estimate":
        """The distance from zero; the interval is that of all the distances."""
        return self._function(ABSOLUTE)

    __abs__ = abs

    def floor(self) -> "Estimate":
        """The largest whole number not above it."""
        return self._function(FLOOR)

    def round(self, digits: int = 0) -> "Estimate":
        """The nearest number with so many digits after the point, and where that of the truth is.

        Halves go up, as in SQL.
        """
        if type(digits) is not int or abs(digits) > _MOST_DIGITS:
            raise DataError(
                f"an estimate is rounded to {digits!r:.40} digits. 64-bit floats have about "
                f"{_MOST_DIGITS}. Write .round(1), or .round(-1) for tens."
            )
        return self._function(rounding(digits))

    def clip(self, low: object, high: object) -> "Estimate":
        """It, moved between two numbers, with the interval moved in the same way."""
        least, most = (rational(end, "a bound of clip") for end in (low, high))
        if least >= most:
            raise DataError(
                "the bounds of clip do not increase. An estimate is moved between them. Write "
                ".clip(0, 100)."
            )
        return self._function(clipping(least, most))

    def sqrt(self) -> "Estimate":
        """The square root; no number below 0."""
        return self._function(SQUARE_ROOT)

    def log(self) -> "Estimate":
        """The natural logarithm; no number at 0 and below."""
        return self._function(LOGARITHM)

    def log10(self) -> "Estimate":
        """The logarithm to base 10; no number at 0 and below."""
        return self._function(DECIMAL_LOGARITHM)

    def exp(self) -> "Estimate":
        """The exponential."""
        return self._function(EXPONENTIAL)

    def __pow__(self, exponent: object) -> "Estimate":
        written = _plain(exponent)
        if written is None:
            return NotImplemented
        if abs(written) > LARGEST_POWER:
            raise DataError(
                f"an estimate is raised to the power {exponent!s:.40}. Powers go up to "
                f"{LARGEST_POWER}. Write estimate ** 2."
            )
        return self._function(power(written))

    def _function(self, function: NumberFunction) -> "Estimate":
        value = function.value(_number(self.value))
        if self.exact:
            return self._with(value, LinearError(()))
        return self._mapped(value, function.bounds, keeps_order=function.keeps_order)

    # ------------------------------------------------------------------ how errors are carried

    def _linear(self, other: object, own: Fraction, others: Fraction) -> "Estimate":
        if other is self:
            return self._scaled(own + others, Fraction(0))
        if not isinstance(other, Estimate):
            shift = _plain(other)
            return NotImplemented if shift is None else self._scaled(own, others * shift)
        value = _moved(self.value, own) + _moved(other.value, others)
        whole = self.whole and other.whole

        def added(a: FloatInterval, b: FloatInterval) -> FloatInterval:
            return added_bounds(scaled_bounds(a, own), scaled_bounds(b, others))

        if isinstance(self.error, LinearError) and isinstance(other.error, LinearError):
            noise = self.error.plus(own, other.error, others)
            truth = _summed_truth(self.truth, own, other.truth, others)
            joined = self._joined_truth(other, added)
            return self._with(value, noise, other, _with_bounds(truth, joined), whole=whole)
        return self._combined(other, value, added, whole=whole)

    def _scaled(self, factor: Fraction, shift: Fraction) -> "Estimate":
        value, constant = _moved(self.value, factor, shift), as_float(shift)

        def changed(inner: FloatInterval) -> FloatInterval:
            return added_bounds(scaled_bounds(inner, factor), (constant, constant))

        if isinstance(self.error, LinearError):
            noise, truth = self.error.times(factor, shift), self._changed_truth(changed)
            scaled = _summed_truth(self.truth, factor, self.truth, Fraction(0))
            return self._with(value, noise, truth=_with_bounds(scaled, truth) if factor else None)
        return self._mapped(value, changed)

    def _mapped(
        self,
        value: Released,
        change: Callable[[FloatInterval], FloatInterval],
        *,
        keeps_order: bool = True,
    ) -> "Estimate":
        if isinstance(self.error, RankError):
            return self._with(value, self.error if keeps_order else RankError(inf))
        bounds = lambda level: change(self.noise_interval(level))  # noqa: E731
        if isinstance(self.error, MeasuredRankError) and keeps_order:
            return self._with(value, MeasuredRankError(self.error.records, bounds))
        return self._with(value, BoundedError(bounds), truth=self._changed_truth(change))

    def _combined(
        self,
        other: "Estimate",
        value: Released,
        join: Callable[[FloatInterval, FloatInterval], FloatInterval],
        *,
        whole: bool = False,
    ) -> "Estimate":
        if isinstance(self.error, RankError) or isinstance(other.error, RankError):
            return self._with(value, RankError(inf), other, whole=whole)

        def bounds(confidence: Fraction) -> FloatInterval:
            each = self._each(other, confidence)
            return join(self.noise_interval(each), other.noise_interval(each))

        truth = self._joined_truth(other, join)
        return self._with(value, BoundedError(bounds), other, truth, whole=whole)

    def _each(self, other: "Estimate", confidence: Fraction) -> Fraction:
        """The confidence of each of two intervals that hold at once with the one asked for."""
        return confidence if self.exact or other.exact else 1 - (1 - confidence) / 2

    def _changed_truth(
        self, change: Callable[[FloatInterval], FloatInterval]
    ) -> BoundedError | None:
        """Where the truth lies, if more than noise stands before it."""
        if self.truth is None:
            return None
        return BoundedError(lambda level: change(self.interval(level)))

    def _joined_truth(
        self, other: "Estimate", join: Callable[[FloatInterval, FloatInterval], FloatInterval]
    ) -> BoundedError | None:
        """Where the truth lies, if more than noise stands before it in either number."""
        if self.truth is None and other.truth is None:
            return None

        def bounds(confidence: Fraction) -> FloatInterval:
            each = self._each(other, confidence)
            return join(self.interval(each), other.interval(each))

        return BoundedError(bounds)

    def _multiplied(self, other: "Estimate") -> "Estimate":
        value = _number(self.value) * _number(other.value)
        terms = _shared_terms(self.error, other.error)
        errors = (self.error, other.error)
        if value < 0 and all(isinstance(one, LinearError) and one.nonnegative for one in errors):
            value = 0  # neither number is below 0 in truth
        if not terms:
            return self._combined(other, value, multiplied_bounds)

        def bounds(confidence: Fraction) -> FloatInterval:
            miss = 1 - confidence
            each = 1 - miss * BOX / 2
            ends = self._noise_ends(each), other._noise_ends(each)
            return product_interval(as_float(self.value), as_float(other.value), ends, terms, miss)

        truth = self._joined_truth(other, multiplied_bounds)
        return self._with(value, BoundedError(bounds), other, truth)

    def _noise_ends(self, confidence: Fraction) -> FloatInterval:
        """The bounds of the noise, none of them negative where the number cannot be."""
        error, ends = self.error, self.noise_interval(confidence)
        known = isinstance(error, LinearError) and error.nonnegative
        return within_bounds(ends, (0.0, inf)) if known else ends

    def _divided(self, other: "Estimate") -> "Estimate":
        top, bottom = _number(self.value), _number(other.value)
        first, second = self.error, other.error
        if not isinstance(first, LinearError) or not isinstance(second, LinearError):
            return self._combined(other, quotient(top, bottom), divided_bounds)
        possible = possible_quotient(first, second)
        value = possible_value(top, bottom, possible)
        terms = _shared_terms(first, second)

        def divided(top: FloatInterval, bottom: FloatInterval) -> FloatInterval:
            return within_bounds(divided_bounds(top, bottom), possible)

        if not terms:
            return self._combined(other, value, divided)
        truths = [isinstance(one.truth, SumTruth | None) for one in (self, other)]

        released = as_float(self.value), as_float(other.value)

        def bounds(confidence: Fraction) -> FloatInterval:
            low, high = quotient_interval(*released, terms, 1 - confidence, possible)
            return (low, high) if isnan(value) else (min(low, value), max(high, value))

        truth = self._averaged_truth(other, bounds, possible)
        if truth is None:  # what is said of sums does not hold where values themselves are cut
            truth = self._joined_truth(other, divided if all(truths) else divided_bounds)
        return self._with(value, BoundedError(bounds), other, truth)

    def _averaged_truth(
        self,
        other: "Estimate",
        noise: Callable[[Fraction], FloatInterval],
        possible: FloatInterval,
    ) -> BoundedError | None:
        """Where a quotient lies in truth that is a share or a mean of what the other one counts.

        What caps left out of the divisor has a quotient of its own, anywhere where one is possible.
        """
        top, bottom, error = self.truth, other.truth, other.error
        if not isinstance(top, SumTruth) or not isinstance(bottom, SumTruth):
            return None
        low, high = possible
        if top.counted is not bottom.counted or not (isfinite(low) and isfinite(high)):
            return None
        if not isinstance(error, LinearError) or bottom.high <= 0:
            return None
        counted, factor = bottom.counted, bottom.high
        rows = _moved(other.value, 1 / factor)

        def bounds(confidence: Fraction) -> FloatInterval:
            miss = 1 - confidence
            share = counted.least_share(rows, _scaled_error(error, 1 / factor), miss / 2)
            least, most = noise(1 - miss / 2)
            return share * least + (1 - share) * low, share * most + (1 - share) * high

        return BoundedError(bounds)

    def _with(
        self,
        value: Released,
        error: Uncertainty | RankError,
        other: "Estimate | None" = None,
        truth: Uncertainty | None = None,
        *,
        whole: bool = False,
    ) -> "Estimate":
        parts = [self] if other is None else [self, other]
        return computed(value, error, parts, truth, whole=whole)


def _has_total(name: Hashable) -> bool:
    """Whether a key stands for all values of a part of it."""
    return isinstance(name, tuple) and None in name


def summed(parts: Sequence[Estimate]) -> Estimate:
    """The sum of several estimates, with one error for all of them."""
    total = sum(_number(part.value) for part in parts)
    if any(isinstance(part.error, RankError) for part in parts):
        return computed(total, RankError(inf), parts)
    linear = [part.error for part in parts if isinstance(part.error, LinearError)]
    error: Uncertainty
    if len(linear) == len(parts):
        error = summed_errors(linear)
    else:
        error = BoundedError(lambda level: _sum_of_bounds(parts, level, noise=True))
    truth: Uncertainty | None = None
    if any(part.truth is not None for part in parts):
        joined = BoundedError(lambda level: _sum_of_bounds(parts, level, noise=False))
        truth = _with_bounds(_truth_of_sum(parts), joined)
    return computed(total, error, parts, truth, whole=all(part.whole for part in parts))


def _truth_of_sum(parts: Sequence[Estimate]) -> SumTruth | None:
    """Where a sum lies, if of all parts the same was left out."""
    truths = [part.truth for part in parts if isinstance(part.truth, SumTruth)]
    same = len(truths) == len(parts) and all(one.counted is truths[0].counted for one in truths)
    if not same:
        return None
    low = sum((one.low for one in truths), Fraction(0))
    high = sum((one.high for one in truths), Fraction(0))
    return replace(truths[0], low=low, high=high)


def _sum_of_bounds(parts: Sequence[Estimate], level: Fraction, *, noise: bool) -> FloatInterval:
    """The ends of all intervals together, each of which may miss so much less often."""
    each = 1 - (1 - level) / len(parts)
    ends = [part.noise_interval(each) if noise else part.interval(each) for part in parts]
    return sum(low for low, _ in ends), sum(high for _, high in ends)


def joined_conditions(parts: Iterable[Estimate]) -> str:
    """What must hold so that the truth of each lies where it says."""
    return " and ".join(dict.fromkeys(part.condition for part in parts if part.condition))


def computed(
    value: Released,
    error: Uncertainty | RankError,
    parts: Sequence[Estimate],
    truth: Uncertainty | None = None,
    *,
    whole: bool = False,
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
    counted = any(part.counted for part in parts)
    truth = None if counted else truth
    mechanisms = _distinct([one for part in parts for one in _as_tuple(part.mechanism)])
    return Estimate(
        value=value,
        error=error,
        releases=tuple(dict.fromkeys(one for part in parts for one in part.releases)),
        mechanism=mechanisms[0] if len(mechanisms) == 1 else mechanisms,
        neighbors=first.neighbors,
        note=note,
        safe=all(part.safe for part in parts),
        truth=truth,
        condition="" if truth is None else joined_conditions(parts),
        counted=counted,
        whole=whole,
    )


def _shared_terms(first: Uncertainty | RankError, second: Uncertainty | RankError) -> SharedTerms:
    """The draws of two errors that are sums of draws; none where their joint law is not known."""
    if not isinstance(first, LinearError) or not isinstance(second, LinearError):
        return Counter()
    terms = first.beside(second)
    known = first.terms and second.terms and are_known([noise for noise, _, _ in terms])
    return terms if known else Counter()


@lru_cache(maxsize=16)  # the groups of a table are divided by one total
def _scaled_error(error: LinearError, factor: Fraction) -> LinearError:
    return error.times(factor)


def _summed_truth(
    first: Uncertainty | None, own: Fraction, second: Uncertainty | None, others: Fraction
) -> SumTruth | None:
    """Where own·first + others·second lies, if of both the same was left out."""
    if not isinstance(first, SumTruth) or not isinstance(second, SumTruth):
        return None
    if first.counted is not second.counted:
        return None
    ends = [
        sorted((factor * one.low, factor * one.high))
        for one, factor in ((first, own), (second, others))
    ]
    low, high = (sum((pair[side] for pair in ends), Fraction(0)) for side in (0, 1))
    return replace(first, low=low, high=high)


def _with_bounds(truth: SumTruth | None, joined: BoundedError | None) -> Uncertainty | None:
    """The truth of a sum with its bounds."""
    return joined if truth is None or joined is None else replace(truth, bounds=joined.bounds)


def _plain(value: object) -> Fraction | None:
    """A number as the rational that was written, or None if it is not a number."""
    try:
        return None if isinstance(value, bool | str) else rational(value, "the number")
    except ValueError:
        return None


def _moved(value: Released, factor: Fraction, shift: Fraction = Fraction(0)) -> Released:
    """factor·value + shift: an integer where all three are, else the nearest float."""
    if isinstance(_number(value), int):
        exact = factor * value + shift
        return exact.numerator if factor.denominator == shift.denominator == 1 else as_float(exact)
    return as_float(factor) * value + as_float(shift)


def _number(value: Released) -> RealNumber:
    """A released number; what else is released is not computed with."""
    if isinstance(value, int | float):
        return value
    raise DataError(
        "this estimate is a text: a date, a datetime, a time or a category. Only numbers are added "
        "and multiplied, so that errors are known. Use its .value."
    )


def _joined(first: str, second: str) -> str:
    """Both notes, and one that is part of the other once."""
    if second in first:
        return first
    return second if first in second else f"{first} {second}"


def _as_tuple(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else (value,)


def _distinct(values: list[object]) -> tuple[object, ...]:
    return tuple({id(value): value for value in values}.values())


@dataclass(frozen=True, eq=False)
class Estimates(Mapping[Any, Estimate]):
    """Estimates keyed by bin, category or quantile, in public order."""

    label: str
    cells: Mapping[Hashable, Estimate]

    def __getitem__(self, key: Hashable) -> Estimate:
        return self.cells[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def loss(self) -> PaidLoss:
        """What all of them cost together: one release, not one per cell."""
        return payments_loss(
            tuple(release for estimate in self.values() for release in estimate.releases)
        )

    def simultaneous(self, confidence: object = Fraction(95, 100)) -> dict[Any, FloatInterval]:
        """Intervals that hold all at once with at least this probability.

        Each of k intervals may miss with a k-th of the chance that is left, so together they miss
        no more often than that, whether their errors are independent or not.
        """
        level = rational(confidence, "confidence")
        if not 0 < level < 1:
            raise DataError(
                "confidence is not between 0 and 1. It is the probability that all bounds hold. "
                "Use estimates.simultaneous(0.99)."
            )
        each = 1 - (1 - level) / len(self)
        return {name: estimate.interval(each) for name, estimate in self.items()}

    def sum(self) -> Estimate:
        """All of them together: noise that several have in common is counted as what it is.

        Of a cube the total is one of its numbers, and so it is asked for by its key.
        """
        return summed(self._parts())

    def mean(self) -> Estimate:
        """Their mean: each of them counts the same, however many rows it is of."""
        return self.sum() / len(self)

    def moving_mean(self, width: int) -> "Estimates":
        """The mean of each with those before it, of so many in all, in their order.

        The first ones, which have fewer before them, have none.
        """
        if type(width) is not int or not 1 <= width <= len(self):
            raise DataError(
                f"a moving mean is asked over {width!r:.40} of {len(self):,} estimates. It is over "
                "as many as there are at most. Write .moving_mean(3)."
            )
        parts, names = self._parts(), list(self.cells)
        means = {
            names[end - 1]: summed(parts[end - width : end]) / width
            for end in range(width, len(parts) + 1)
        }
        return Estimates(self.label, means)

    def share_of_total(self) -> "Estimates":
        """Each of them as a part of the sum, with the interval of both together."""
        total = self.sum()
        return Estimates(self.label, {name: one / total for name, one in self.cells.items()})

    def diff(self) -> "Estimates":
        """Each of them less the one before it, in their order; the first one has none."""
        changes = [later - earlier for earlier, later in pairwise(self._parts())]
        return Estimates(self.label, dict(zip(list(self.cells)[1:], changes, strict=True)))

    def _parts(self) -> list[Estimate]:
        """The estimates, none of which is the total of others."""
        totals = [name for name in self.cells if name is None or _has_total(name)]
        if totals or not self.cells:
            raise DataError(
                "the estimates are none, or some of them are totals of others. A sum would count "
                "what is in both twice. Take the total itself, estimates[None], or those of one "
                "table: Estimates(label, {…})."
            )
        return list(self.cells.values())

    def to_dict(self) -> dict[Any, float]:
        """The values by key."""
        return {name: estimate.value for name, estimate in self.items()}

    def to_pandas(self) -> Any:
        """A DataFrame with the value and its 95% bounds per key, and a quantile's rank error."""
        pandas: Any = import_module("pandas")
        columns: dict[str, list[Any]] = {
            self.label: self._names,
            "value": [estimate.value for estimate in self.values()],
        }
        if any(estimate.bounded for estimate in self.values()):
            columns["lower"] = [estimate.lower for estimate in self.values()]
            columns["upper"] = [estimate.upper for estimate in self.values()]
        if any(estimate.rank_error is not None for estimate in self.values()):
            columns["rank_error"] = [estimate.rank_error for estimate in self.values()]
        return pandas.DataFrame(columns)

    def plot(self) -> Any:
        """A picture of the values with their 95% intervals."""
        from discreet.plots import estimates_picture

        return estimates_picture(
            self._names,
            [estimate.value for estimate in self.values()],
            [estimate.lower for estimate in self.values()],
            [estimate.upper for estimate in self.values()],
            title=f"Value per {self.label}, {self.loss}",
            bars=self.label != "quantile",
            texts=[estimate.printed().text for estimate in self.values()],
        )

    def __repr__(self) -> str:
        return "\n".join([*aligned(self._rows), *self._below])

    def _repr_html_(self) -> str:
        table = TextTable((self.label, "± (95%)"), self._rows, 1)
        return table_html(table, self._below, numbers=1)

    @property
    def _below(self) -> list[str]:
        """What is said below the numbers."""
        return [f"together {self.loss}"]

    @property
    def _rows(self) -> tuple[tuple[str, str], ...]:
        texts = (estimate.text for estimate in self.values())
        return tuple(zip(map(str, self._names), texts, strict=True))

    @property
    def _names(self) -> list[Any]:
        """The keys as they are shown: bins are half open, the last one is closed."""
        names: list[Any] = list(self)
        if self.label != "bin":
            return names
        closed = [")"] * (len(names) - 1) + ["]"]
        return [f"[{low}, {high}{end}" for (low, high), end in zip(names, closed, strict=True)]
