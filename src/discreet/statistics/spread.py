"""Variance and standard deviation of clipped values.

Under add/remove each record, scaled to x in [0, 1], adds (1-x)², 2x(1-x) and x² to three sums.
They add up to one whatever x is, so Laplace noise of scale 1/ε on each costs one ε, and
variance = (s0·s2 - s1²/4)/(s0 + s1 + s2)².

Under replace the number n is public and two sums suffice: Σx and Σx(1-x).  One record moves
|Δx| + 2·|Δx(1-x)| by at most 9/8, so noise of scale 9/(8ε) and 9/(16ε) costs one ε.
Proof: docs/proofs/variance.md
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import sqrt

from discreet.engines import arrays
from discreet.exact import Range
from discreet.mechanisms.laplace import Laplace
from discreet.noise import BitSource
from discreet.privacy.estimate import BoundedError, Estimate, Interval, Release
from discreet.privacy.uncertainty import as_float
from discreet.statistics.counts import public_size
from discreet.statistics.question import Question, read_bounds

Number = int | Fraction
Box = tuple[Fraction, Fraction]

_POINTS = 1 << 20
_LARGEST = Fraction(1, 4)  # the variance of values half at either end, in squared widths


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

    def shown(variance: Fraction) -> float:
        return shape(float(min(max(variance, Fraction(0)), _LARGEST)), half_width)

    def bounds_at(confidence: Fraction) -> Interval:
        least, most = answer.interval(confidence)
        return shown(least), shown(most)

    return question.estimate(
        shown(answer.variance),
        BoundedError(bounds_at),
        answer.release,
        answer.mechanism,
        question.caveat(public),
    )


@dataclass(frozen=True, slots=True)
class _Answer:
    """A variance in units of the squared width, its interval, and what was paid for it."""

    variance: Fraction
    interval: Callable[[Fraction], Box]
    release: Release
    mechanism: object


def _counted(values: object, question: Question, bounded: Range) -> _Answer:
    mechanism = question.noise(bounded.width**2)
    release = question.charge()
    column = arrays.clip(values, bounded, keep_all=False)
    sums = mechanism.release(arrays.squares(column), question.source)

    def interval(confidence: Fraction) -> Box:
        reach = int(mechanism.accuracy(confidence, cells=3))
        return extreme_variances([(number - reach, number + reach) for number in sums])

    return _Answer(variance_of(*sums), interval, release, mechanism)


def _fixed(values: object, question: Question, bounded: Range) -> _Answer:
    width, records = bounded.width, public_size(values)
    first = Laplace(scale=Fraction(9, 8) * width / question.epsilon)
    second = Laplace(scale=Fraction(9, 16) * width**2 / question.epsilon)
    release = question.charge()
    column = arrays.clip(values, bounded, keep_all=True)
    linear, mixed = arrays.moments(column)
    mean = Fraction(first.release(linear, question.source), records * width)
    product_mean = Fraction(second.release(mixed, question.source), records * width**2)

    def interval(confidence: Fraction) -> Box:
        each = 1 - (1 - confidence) / 2
        reach = Fraction(int(first.accuracy(each)), records * width)
        slack = Fraction(int(second.accuracy(each)), records * width**2)
        ends = [end * (1 - end) for end in (mean - reach, mean + reach)]
        top = _LARGEST if abs(mean - Fraction(1, 2)) <= reach else max(ends)
        return min(ends) - (product_mean + slack), top - (product_mean - slack)

    return _Answer(mean * (1 - mean) - product_mean, interval, release, (first, second))


def variance_of(below: Number, between: Number, above: Number) -> Fraction:
    """The variance that three sums say, in any unit; 0 where the noise left nothing."""
    whole = below + between + above
    return Fraction(4 * below * above - between**2) / (4 * whole**2) if whole > 0 else Fraction(0)


def extreme_variances(box: Sequence[tuple[Number, Number]]) -> Box:
    """The least and the greatest variance of sums within a box.

    The variance falls with the middle sum, and in each outer sum rises to one peak and falls,
    so its extremes are at corners, or at a peak along an edge.  Proof: docs/proofs/variance.md
    """
    below, between, above = [(max(low, 0), max(high, 0)) for low, high in box]
    corners = [variance_of(*corner) for corner in product(below, between, above)]
    peaks = [
        variance_of(place, middle, other)
        for near, far in ((below, above), (above, below))
        for middle, other in product(between, far)
        if other > 0
        for place in [other + middle + Fraction(middle**2) / (2 * other)]
        if near[0] <= place <= near[1]
    ]
    return min(corners), max([*corners, *peaks])
