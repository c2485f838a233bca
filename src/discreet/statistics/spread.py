"""Variance and standard deviation of clipped values.

Under add/remove each record, scaled to x in [0, 1], adds (1-x)², 2x(1-x) and x² to three sums.
They add up to one whatever x is, so Laplace noise of scale 1/ε on each costs one ε, and
variance = (s0·s2 - s1²/4)/(s0 + s1 + s2)².

Under replace the number n is public and two sums suffice: Σx and Σx(1-x).  One record moves
|Δx| + 2·|Δx(1-x)| by at most 9/8, so noise of scale 9/(8ε) and 9/(16ε) costs one ε.
Proof: docs/proofs/variance.md
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf, sqrt

from discreet.engines import arrays
from discreet.exact import Range
from discreet.mechanisms.laplace import Laplace
from discreet.noise import BitSource
from discreet.privacy.estimate import BoundedError, Estimate, Interval, Release
from discreet.privacy.pairs import distance, read_miss, read_steps
from discreet.privacy.uncertainty import as_float
from discreet.statistics.counts import public_size
from discreet.statistics.question import Question, read_bounds
from discreet.statistics.ratio import (
    share_of_squares_interval,
    triple_distance,
)

_POINTS = 1 << 20
_MEAN_PART = Fraction(1, 16)  # of the chance to miss: where the mean is, which matters little
_NARROWINGS = 3
_ROUNDED = 2.0**-48

LARGEST = 0.25
"""The variance of values half at either end, in squared widths."""


def var(
    values: object,
    *,
    epsilon: object = None,
    bounds: object = None,
    neighbors: object = "add-remove",
    source: BitSource | None = None,
) -> Estimate:
    """The variance (mean squared distance from the mean) of the values, clipped to public bounds.

    >>> answer = var([0, 10] * 5000, bounds=(0, 10), epsilon=1)
    >>> 24 < answer.value <= 25
    True
    """
    return _spread(values, epsilon, bounds, neighbors, source, "var", _var)


def std(
    values: object,
    *,
    epsilon: object = None,
    bounds: object = None,
    neighbors: object = "add-remove",
    source: BitSource | None = None,
) -> Estimate:
    """The standard deviation of the values, clipped to public bounds.

    >>> answer = std([0, 10] * 5000, bounds=(0, 10), epsilon=1)
    >>> 4.9 < answer.value <= 5
    True
    """
    return _spread(values, epsilon, bounds, neighbors, source, "std", _std)


def _var(variance: float, half_width: float) -> float:
    return 4 * variance * half_width * half_width


def _std(variance: float, half_width: float) -> float:
    return 2 * sqrt(variance) * half_width


def _spread(
    values: object,
    epsilon: object,
    bounds: object,
    neighbors: object,
    source: BitSource | None,
    name: str,
    shape: Callable[[float, float], float],
) -> Estimate:
    question = Question.read(epsilon, neighbors, source)
    public = read_bounds(bounds, name, _POINTS)
    half_width = as_float(public.range.width * public.range.grid.step / 2)
    ask = _fixed if question.fixed_size else _counted
    answer = ask(values, question, public.range)

    def shown(variance: float) -> float:
        return shape(min(max(variance, 0.0), LARGEST), half_width)

    def bounds_at(confidence: Fraction) -> Interval:
        least, most = answer.interval(confidence)
        return shown(least), shown(most)

    return question.estimate(
        shown(float(answer.variance)),
        BoundedError(bounds_at),
        answer.release,
        answer.mechanism,
        question.caveat(public),
    )


@dataclass(frozen=True, slots=True)
class _Answer:
    """A variance in units of the squared width, its interval, and what was paid for it."""

    variance: Fraction
    interval: Callable[[Fraction], Interval]
    release: Release
    mechanism: object


def _counted(values: object, question: Question, bounded: Range) -> _Answer:
    mechanism = question.noise(bounded.width**2)
    release = question.charge()
    column = arrays.clip(values, bounded, keep_all=False)
    sums = mechanism.release(arrays.squares(column), question.source)

    return _Answer(
        variance_of(*sums),
        lambda confidence: variance_interval(sums, mechanism, confidence),
        release,
        mechanism,
    )


def _fixed(values: object, question: Question, bounded: Range) -> _Answer:
    width, records = bounded.width, public_size(values)
    first = Laplace(scale=Fraction(9, 8) * width / question.epsilon)
    second = Laplace(scale=Fraction(9, 16) * width**2 / question.epsilon)
    release = question.charge()
    column = arrays.clip(values, bounded, keep_all=True)
    linear, mixed = arrays.moments(column)
    mean = Fraction(first.release(linear, question.source), records * width)
    product_mean = Fraction(second.release(mixed, question.source), records * width**2)

    def interval(confidence: Fraction) -> Interval:
        miss = 1 - confidence
        reach = Fraction(int(first.accuracy(1 - miss * _MEAN_PART)), records * width)
        low, high = (
            float(min(max(mean + side, Fraction(0)), Fraction(1))) for side in (-reach, reach)
        )
        sizes = (
            as_float(first.steps / (records * width)) * max(abs(1 - 2 * low), abs(1 - 2 * high)),
            as_float(second.steps / (records * width**2)),
        )
        steps = [read_steps(first.steps), read_steps(second.steps)]
        if inf in steps:
            return 0.0, LARGEST
        slack = distance(sizes, steps, read_miss(miss * (1 - _MEAN_PART)))
        # Around c the values have the mean square variance + (mean - c)², which is linear in both.
        center, offset = float(mean), float(mean * (1 - mean) - product_mean)
        near = max(low - center, center - high, 0.0)
        far = max(abs(low - center), abs(high - center))
        return offset + near**2 - slack - _ROUNDED, offset + far**2 + slack + _ROUNDED

    return _Answer(mean * (1 - mean) - product_mean, interval, release, (first, second))


def variance_of(below: int, between: int, above: int) -> Fraction:
    """The variance that three sums say, in any unit; 0 where the noise left nothing."""
    whole = below + between + above
    return Fraction(4 * below * above - between**2, 4 * whole**2) if whole > 0 else Fraction(0)


def variance_interval(
    sums: tuple[int, int, int], mechanism: Laplace, confidence: Fraction
) -> Interval:
    """Bounds of the variance, for three sums with independent noise of one mechanism.

    If m is the mean and v the variance, m²·s0 - m(1-m)·s1 + (1-m)²·s2 = v·(s0 + s1 + s2).  Where
    the mean may be is found first, with a small part of the chance to miss.  Of a variance within
    bounds the noise of both sides together has a known law, which gives narrower bounds.
    """
    miss = 1 - confidence
    whole = sum(sums)
    if whole <= 0 or read_steps(mechanism.steps) == inf:
        return 0.0, LARGEST
    low, high = share_of_squares_interval(sums, mechanism, 1 - miss * _MEAN_PART)
    center = float(Fraction(sums[1] + 2 * sums[2], 2 * whole))
    found = float(variance_of(*sums))
    scales = as_float(Fraction(read_steps(mechanism.steps)) / whole)
    near, far = max(low - center, center - high, 0.0), max(abs(low - center), abs(high - center))
    least, most = 0.0, LARGEST
    for _ in range(_NARROWINGS):
        spread = 0.25 if low <= 0.5 <= high else max(low * (1 - low), high * (1 - high))
        weights = (
            max(abs(low * low - most), abs(high * high - least)),
            spread + most,
            max(abs((1 - high) ** 2 - most), abs((1 - low) ** 2 - least)),
        )
        slack = scales * triple_distance(weights, mechanism, read_miss(miss * (1 - _MEAN_PART)))
        least = max(least, min(found + near**2 - slack - _ROUNDED, most))
        most = min(most, max(found + far**2 + slack + _ROUNDED, least))
    return min(least, max(found, 0.0)), max(most, min(found, LARGEST))
