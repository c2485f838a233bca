"""The mean of a bounded number, from randomized reports alone, and how wide its interval is."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, log, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BoundsError, DataError, DiscreetError, Remedy
from discreet.exact import rational
from discreet.exact.rational import WrittenNumber
from discreet.local import wire
from discreet.local.mean_law import KINDS, Integers, MeanLaw, derive_law
from discreet.local.proportions import binomial_interval
from discreet.local.scheme import Tally, register_scheme
from discreet.noise import BitSource, Keystream
from discreet.privacy.estimates import BoundedError, Estimate, FloatInterval, Payment
from discreet.privacy.laws import MAX_ATOMS, WeightedLaw
from discreet.privacy.losses import PureDP, read_epsilon
from discreet.privacy.sensitivity import Neighbors

ZERO_TO_HUNDRED = Remedy(
    python="Use low=0, high=100 for a number from 0 to 100.",
    policy="Write low = 0 and high = 100 for a number from 0 to 100.",
)


BERRY_ESSEEN = 0.56  # Shevtsova 2010, for independent summands that may differ in law
_FOR_VARIANCE = Fraction(1, 20)  # of the chance to miss, for the bound from the reports
_ROUNDING = 1e-9
_MOST_STEPS = 1 << 24
_MOST_WIDTH = 1e140  # whose square, times that of any score, is a float
_FLOATS = 1 << 49  # seven roundings of 2^-53 and their products, with room
_LEAST = Fraction(1, 1 << 1070)  # the same for the least floats
_SAMPLE = "It is for the respondents, and for a population if they are a random sample of it."
_GUARANTEED = f"The interval holds for any number of reports. {_SAMPLE}"
_NORMAL = (
    "The interval is the normal approximation with the reports' own variance; for few reports it "
    f"may cover less often than it says. {_SAMPLE}"
)


def read_numbers(values: object) -> NDArray[np.float64]:
    """Numbers as floats; what is not a number is refused without showing it."""
    array = array_of(values)
    if array is not None and array.dtype.kind == "O":
        array = _exact_numbers(array)
    if array is None or array.dtype.kind not in "iuf" or np.isnan(array).any():
        if array is not None and array.size == 0:
            return np.empty(array.shape)
        raise DataError(
            "a value is not a number. A mean is of numbers. Leave out those who gave none."
        )
    with np.errstate(over="ignore"):  # a longer float than any is clipped, and not told of
        return array.astype(np.float64)


def _exact_numbers(array: NDArray[Any]) -> NDArray[np.float64] | None:
    """Fractions, decimals and integers of any length as the nearest floats."""
    most = Fraction(np.finfo(np.float64).max)
    flat = array.ravel().tolist()
    if any(isinstance(value, str) for value in flat):
        return None
    try:
        numbers = [
            value if isinstance(value, float) else float(max(-most, min(most, rational(value))))
            for value in flat
        ]
    except DiscreetError:
        return None
    return np.array(numbers).reshape(array.shape)


def array_of(values: object) -> NDArray[Any] | None:
    """One value or several as an array, or None where there is none."""
    if isinstance(values, Iterable) and not isinstance(values, np.ndarray | str | bytes | dict):
        values = values if hasattr(values, "__array__") else list(values)
    try:
        return np.asarray(values)
    except (TypeError, ValueError):
        return None


def read_bound(value: object, name: str) -> Fraction:
    """A finite bound, exactly as written."""
    try:
        bound = rational(value, name)
        float(bound)
    except (DiscreetError, OverflowError):
        raise bad_bound(name) from None
    return bound


def bad_bound(name: str) -> BoundsError:
    """The error for a bound that is not a finite number."""
    return BoundsError(
        f"{name} is not a finite number, or too large. The bounds are public and every number is "
        "clipped to them.",
        ZERO_TO_HUNDRED,
    )


def mean_margin(
    law: MeanLaw, reports: int, confidence: Fraction, sampled: Fraction | None = None
) -> Fraction:
    """Half the width in steps, from the reports' own variance of scores if it is given."""
    miss = 1 - confidence
    deviation = sqrt(float(law.worst_spread))
    if sampled is not None and reports > 1:
        for_variance = miss * _FOR_VARIANCE
        miss -= for_variance
        deviation = min(deviation, sampled_bound(law, reports, for_variance, sampled))
    found = min(
        hoeffding(law, reports, miss),
        bernstein(law, reports, miss, deviation),
        berry_esseen(law, reports, miss, deviation),
    )
    return Fraction(found * (1 + _ROUNDING))


def sampled_bound(law: MeanLaw, reports: int, miss: Fraction, sampled: Fraction) -> float:
    """A deviation that the true one exceeds with at most this chance (Maurer and Pontil 2009)."""
    low, high = law.score_range
    wider = float(high - low) * sqrt(2 * _level(miss) / (reports - 1))
    return sqrt(float(sampled)) * (1 + _ROUNDING) + wider


def hoeffding(law: MeanLaw, reports: int, miss: Fraction) -> float:
    """The margin from the range of the scores alone."""
    low, high = law.score_range
    return float(high - low) * sqrt(_level(miss / 2) / (2 * reports))


def bernstein(law: MeanLaw, reports: int, miss: Fraction, deviation: float) -> float:
    """The margin t with n·t² = 2·ln(2/miss)·(variance + most·t/3)."""
    level = _level(miss / 2)
    linear = level * _most(law) / (3 * reports)
    return linear + sqrt(linear**2 + 2 * level * deviation**2 / reports)


def berry_esseen(law: MeanLaw, reports: int, miss: Fraction, deviation: float) -> float:
    """The normal margin for what is left of the chance to miss, or infinity if nothing is.

    A third moment is at most the largest distance times the variance, so the law of the mean
    differs from the normal one by at most 0.56·most/(least deviation·√n) anywhere.
    """
    least = sqrt(float(law.least_variance))
    if least == 0:
        return inf
    apart = BERRY_ESSEEN * _most(law) / (least * sqrt(reports)) * (1 + _ROUNDING)
    left = float(miss / 2) * (1 - _ROUNDING) - apart
    if left <= 0:
        return inf
    return -NormalDist().inv_cdf(left) * deviation / sqrt(reports)


def _most(law: MeanLaw) -> float:
    """The largest distance of a score from its mean, which lies between the ends."""
    low, high = law.score_range
    return float(max(high, law.steps - low))


def _level(miss: Fraction) -> float:
    """ln(1/miss), also where a float would be 0."""
    return log(miss.denominator) - log(miss.numerator)


@register_scheme
@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A question for a number, such as hours or an income, whose answer nobody sees.

    ``kind`` is how a number is randomized: "duchi" sends one bit, "piecewise" an integer that is
    more often near the number than not, "hybrid" one or the other by chance, with the lowest
    worst variance.  A number beyond ``low`` and ``high`` is clipped to them, then rounded to
    one of ``steps`` + 1 public positions between them, which moves it by at most ``rounding``:
    half a step, and what floats lose of the bounds.  Intervals are widened by it.

    Guarantee: local ε-DP.  Whatever one respondent's number is changed to, no report becomes
    more than e^ε times as likely.  The estimate is unbiased for the rounded numbers.
    Proof: docs/proofs/local-mean.md

    >>> hours = Mean(low=0, high=24, epsilon=1)
    >>> reports = hours.randomize([7.5] * 10_000)
    >>> low, high = hours.estimate(reports).interval(0.999999)
    >>> low < 7.5 < high
    True
    """

    name: ClassVar[str] = "mean"
    """What the scheme is called on the wire."""

    low: Fraction
    high: Fraction
    epsilon: Fraction
    kind: str = "hybrid"
    steps: int = _MOST_STEPS
    _law: MeanLaw = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            low: WrittenNumber,
            high: WrittenNumber,
            epsilon: WrittenNumber,
            kind: str = "hybrid",
            steps: int = _MOST_STEPS,
        ) -> None: ...

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BoundsError(
                "kind is none of the three that there are. It says how a number is randomized: "
                "'duchi', 'piecewise' or 'hybrid'. Use kind='hybrid' for the lowest variance."
            )
        if type(self.steps) is not int or not 1 <= self.steps <= _MOST_STEPS:
            raise BoundsError(
                "steps is not a whole number from 1 to 2^24. Numbers are rounded to so many "
                "steps between the bounds. Leave it out for 2^24."
            )
        low, high = read_bound(self.low, "low"), read_bound(self.high, "high")
        if float(low) >= float(high):
            raise BoundsError(
                "low is not below high. The bounds are public and every number is clipped to them.",
                ZERO_TO_HUNDRED,
            )
        if float(high) - float(low) > _MOST_WIDTH:
            raise bad_bound("high - low")
        epsilon = read_epsilon(self.epsilon)
        law = derive_law(self.kind, epsilon, self.steps)
        for name, value in (("low", low), ("high", high), ("epsilon", epsilon), ("_law", law)):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        grid = "" if self.steps == _MOST_STEPS else f", steps={self.steps}"
        bounds = f"low={self.low}, high={self.high}"
        return f"Mean({bounds}, epsilon={self.epsilon}, kind={self.kind!r}{grid})"

    @property
    def loss(self) -> PureDP:
        """What one report may reveal of one number."""
        return PureDP(epsilon=self.epsilon)

    @property
    def message_bits(self) -> int:
        """How many bits tell the possible reports apart."""
        return max(1, (len(self._law.reports) - 1).bit_length())

    @property
    def rounding(self) -> Fraction:
        """The most that rounding to the public grid moves a number: half a step, and what floats
        lose, which matters where the bounds are far from 0 and near to each other."""
        width, largest = self.high - self.low, max(abs(self.low), abs(self.high))
        return min(width, width / (2 * self.steps) + largest / _FLOATS + _LEAST)

    @property
    def report_range(self) -> Fraction:
        """How far apart the numbers lie that two reports can stand for: replacing one report of n
        moves an estimate by at most this over n."""
        least, largest = self._law.score_range
        return (largest - least) * (self.high - self.low) / self.steps

    @property
    def possible_reports(self) -> range:
        """The reports that can occur."""
        return self._law.reports

    @property
    def identity(self) -> str:
        """The SHA-256 of the scheme's JSON, by which reports and tallies name it."""
        return wire.scheme_identity(self.to_json())

    # ------------------------------------------------------------------ at the respondent

    def randomize(self, values: object, *, source: BitSource | None = None) -> Any:
        """A report for the number, or for each of several."""
        positions = self._positions(values)
        drawn = self._law.draw(positions.ravel(), Keystream() if source is None else source)
        return drawn.reshape(positions.shape) if positions.ndim else int(drawn[0])

    def law(self, value: object) -> WeightedLaw:
        """The exact law of the report on a number, with as many outcomes as reports."""
        if len(self._law.reports) > MAX_ATOMS:
            raise DataError(
                f"there are more than {MAX_ATOMS} reports. The law holds a probability for each. "
                "Verify with steps=1000: the worst ratio is the same but for its rounding."
            )
        law = self._law.probabilities(self._position(value))
        return WeightedLaw.of_probabilities(dict(law.items()))

    def _position(self, value: object) -> int:
        positions = self._positions(value)
        if positions.ndim:
            raise DataError("there are several numbers. Laws and variances are of one. Give one.")
        return int(positions)

    def _positions(self, values: object) -> Integers:
        """The nearest public positions, halves up."""
        low, high = float(self.low), float(self.high)
        share = (np.clip(read_numbers(values), low, high) - low) / (high - low)
        return np.floor(share * self.steps + 0.5).astype(np.int64)

    # ------------------------------------------------------------------ at the collector

    @property
    def cells(self) -> int:
        """A tally has five counters: bits, ones among them, the sum of the cells, and the sum of
        their squares in two parts."""
        return 5

    def tally(self, reports: object = None) -> Tally:
        """A tally of these reports, or an empty one."""
        tally = Tally(self)
        return tally if reports is None else tally.add(reports)

    def count(self, reports: object) -> tuple[Integers, int]:
        """The counters and the number of these reports."""
        codes = self._codes(reports)
        return self._law.count(codes), codes.size

    def possible(self, counts: Integers, reports: int) -> bool:
        """Whether this number of reports can have these counters, as far as bounds can tell."""
        return self._law.possible(counts, reports)

    def estimate(self, reports: object, *, interval: str = "guaranteed") -> Estimate:
        """The mean of the respondents' clipped numbers, from reports or a tally of them.

        The value may lie beyond the bounds, as it is unbiased.  The interval is "guaranteed",
        which holds for any number of reports (for bits by the binomial law, else by the best of
        three inequalities, with the reports' own variance where that is lower than the worst), or
        "normal", which is narrower, uses the reports' own variance and is only approximate.
        """
        if interval not in ("guaranteed", "normal"):
            raise DataError(
                "interval is neither 'guaranteed' nor 'normal', the approximate and narrower one. "
                "Use interval='guaranteed'."
            )
        tally = self._counted(reports)
        center = self._law.moments(tally.counts, tally.reports)[0] / tally.reports
        error = self.standard_error(tally) if interval == "normal" else None

        def bounds(confidence: Fraction) -> FloatInterval:
            if error is not None:
                return self._normal(center, error, confidence)
            return self._guaranteed(tally, center, confidence)

        return Estimate(
            value=self._number(center),
            error=BoundedError(bounds),
            releases=(Payment(self.loss),),
            mechanism=self,
            neighbors=Neighbors.REPLACE.value,
            note=_NORMAL if interval == "normal" else _GUARANTEED,
        )

    def standard_error(self, reports: object) -> float:
        """The standard error of the estimate from the reports' own variance; at least two."""
        tally = self._counted(reports)
        if tally.reports < 2:
            raise DataError(
                "there is one report. A variance is estimated from at least two. Use variance()."
            )
        return sqrt(float(self._sampled(tally) / tally.reports)) * self._step

    def variance(self, reports: int, value: object = None) -> float:
        """The variance of an estimate from so many reports, if everyone has this number.

        Without a number it is the largest over all numbers.  Respondents whose numbers differ
        have the mean of their variances.

        >>> from math import e
        >>> hours = Mean(low=-1, high=1, epsilon=1, kind="duchi")
        >>> round(hours.variance(1), 4), round(((e + 1) / (e - 1)) ** 2, 4)
        (4.6827, 4.6827)
        """
        if type(reports) is not int or reports < 1:
            raise DataError("the variance is for at least one report. Use scheme.variance(1_000).")
        if value is None:
            return float(self._law.worst_variance / reports) * self._step**2
        return float(self._law.variance(self._position(value)) / reports) * self._step**2

    @property
    def _step(self) -> float:
        return float((self.high - self.low) / self.steps)

    def _number(self, position: Fraction) -> float:
        return float(self.low + (self.high - self.low) * position / self.steps)

    def _sampled(self, tally: Tally) -> Fraction:
        """The variance of the scores among the reports, at least two, in squared steps."""
        first, second = self._law.moments(tally.counts, tally.reports)
        return (second - first**2 / tally.reports) / (tally.reports - 1)

    def _normal(self, center: Fraction, error: float, confidence: Fraction) -> FloatInterval:
        value = self._number(center)
        margin = NormalDist().inv_cdf(float((1 + confidence) / 2)) * error + float(self.rounding)
        return value - margin, value + margin

    def _guaranteed(self, tally: Tally, center: Fraction, confidence: Fraction) -> FloatInterval:
        slack = self.rounding / (self.high - self.low) * self.steps
        if self._law.mix == 0:
            zero, one = self._law.bit_scores
            ends = binomial_interval(int(tally.counts[1]), tally.reports, confidence)
            low, high = (zero + (one - zero) * Fraction(end) for end in ends)
            return self._number(low - slack), self._number(high + slack)
        sampled = self._sampled(tally) if tally.reports > 1 else None
        margin = mean_margin(self._law, tally.reports, confidence, sampled) + slack
        return self._number(center - margin), self._number(center + margin)

    def _counted(self, reports: object) -> Tally:
        tally = reports if isinstance(reports, Tally) else self.tally(reports)
        if tally.identity != self.identity:
            raise DataError(
                "the tally is of another scheme. Estimate with its own: tally.scheme.estimate()."
            )
        if not self.possible(tally.counts, tally.reports):
            raise DataError(
                "the tally has sums that no reports have, or over 2^38 reports. Count again."
            )
        if tally.reports == 0:
            raise DataError(
                "there are no reports. A mean is estimated from at least one. Collect some first."
            )
        return tally

    def _codes(self, reports: object) -> Integers:
        """Reports as a flat array of the integers that can occur."""
        array = array_of(reports)
        possible = self._law.reports
        if array is None or (array.size and array.dtype.kind not in "iu"):
            raise _not_reports(possible)
        if array.size and not (array.min() >= possible.start and array.max() < possible.stop):
            raise _not_reports(possible)
        return array.astype(np.int64).ravel()

    # ------------------------------------------------------------------ on the wire

    def to_json(self) -> str:
        """The scheme as text, for the respondent's device: all that it needs to randomize."""
        stated = {"epsilon": self.epsilon, "low": self.low, "high": self.high, "kind": self.kind}
        return wire.write(self.name, {**stated, "steps": self.steps, **self.derived})

    @property
    def derived(self) -> dict[str, str | int]:
        """What follows from the other parameters, as it stands on the wire: chances as text."""
        law = self._law
        sizes: dict[str, str | int] = {"window": law.window, "cells": law.cells}
        return {"mix": str(law.mix), "bit": str(law.bit), "keep": str(law.keep), **sizes}

    @classmethod
    def from_json(cls, text: str | bytes) -> "Mean":
        """The scheme that ``to_json`` wrote; anything else is refused.

        >>> Mean.from_json(Mean(low=0, high=1, epsilon=1).to_json())
        Mean(low=0, high=1, epsilon=1, kind='hybrid')
        """
        fields = wire.read_scheme_fields(text, cls.name)
        epsilon = wire.take_rational(fields, "epsilon")
        low, high = (wire.take_rational(fields, name, signed=True) for name in ("low", "high"))
        kind, steps = (wire.take(fields, name) for name in ("kind", "steps"))
        scheme = cls(low=low, high=high, epsilon=epsilon, kind=kind, steps=steps)
        for name, value in scheme.derived.items():
            wire.take_derived(fields, name, value)
        wire.refuse_other_fields(fields)
        return scheme

    def report_to_wire(self, report: object) -> str:
        """One report as JSON text."""
        codes = self._codes(report)
        if codes.size != 1:
            raise DataError("a message carries one report. Each is sent by itself. Give one.")
        return wire.write_report(self.identity, int(codes[0]))

    def report_from_wire(self, text: str | bytes) -> int:
        """One report from JSON text; what the randomizer cannot have made is refused."""
        report = wire.read_report(text, self.identity)
        if type(report) is not int or report not in self._law.reports:
            raise wire.bad_report()
        return report


def _not_reports(possible: range) -> DataError:
    return DataError(
        f"a report is not one of this scheme. Its reports are the integers from {possible.start} "
        f"to {possible.stop - 1}. Give what randomize() made."
    )
