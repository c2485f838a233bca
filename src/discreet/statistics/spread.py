"""Variance and standard deviation of clipped values.

Under add/remove each record, scaled to x in [0, 1], adds (1-x)², 2x(1-x) and x² to three sums.
They add up to one whatever x is, so Laplace noise of scale 1/ε on each costs one ε, and
variance = (s0·s2 - s1²/4)/(s0 + s1 + s2)².

Under replace the number n is public and two sums suffice: Σx and Σx(1-x).  One record moves
|Δx| + 2·|Δx(1-x)| by at most 9/8, so noise of scale 9/(8ε) and 9/(16ε) costs one ε.
Proof: docs/proofs/variance.md
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import sqrt

from discreet.engines import arrays
from discreet.engines.arrays import Range
from discreet.mechanisms.laplace import Laplace
from discreet.noise import BitSource
from discreet.privacy.estimate import BoundedError, Estimate, Interval
from discreet.statistics.counts import public_size
from discreet.statistics.question import Question, read_bounds

_POINTS = 1 << 20


def var(
    values: object,
    *,
    epsilon: object,
    bounds: object = None,
    neighbors: object = "add-remove",
    source: BitSource | None = None,
) -> Estimate:
    """The variance (mean squared distance from the mean) of the values, clipped to public bounds.

    >>> answer = var([0, 10] * 5000, bounds=(0, 10), epsilon=1)
    >>> 24 < answer.value <= 25
    True
    """
    return _spread(values, epsilon, bounds, neighbors, source, "var", lambda variance: variance)


def std(
    values: object,
    *,
    epsilon: object,
    bounds: object = None,
    neighbors: object = "add-remove",
    source: BitSource | None = None,
) -> Estimate:
    """The standard deviation of the values, clipped to public bounds.

    >>> answer = std([0, 10] * 5000, bounds=(0, 10), epsilon=1)
    >>> 4.9 < answer.value <= 5
    True
    """
    return _spread(values, epsilon, bounds, neighbors, source, "std", sqrt)


def _spread(
    values: object,
    epsilon: object,
    bounds: object,
    neighbors: object,
    source: BitSource | None,
    name: str,
    shape: Callable[[float], float],
) -> Estimate:
    question = Question.read(epsilon, neighbors, source)
    public = read_bounds(bounds, name, _POINTS)
    bounded = public.range
    square = float(bounded.width * bounded.grid.step) ** 2
    ask = _fixed if question.fixed_size else _counted
    variance, interval, release, mechanism = ask(values, question, bounded)

    def bounds_at(confidence: Fraction) -> Interval:
        least, most = (square * min(max(end, 0.0), 0.25) for end in interval(confidence))
        return shape(least), shape(most)

    value = shape(square * min(max(variance, 0.0), 0.25))
    return question.estimate(value, BoundedError(bounds_at), release, mechanism, public.note)


def _counted(values: object, question: Question, bounded: Range):  # type: ignore[no-untyped-def]
    """Variance in units of the squared width, its interval, and what was paid for it."""
    unit = bounded.width**2
    mechanism = question.noise(unit)
    release = question.charge()
    column = arrays.clip(values, bounded, keep_all=False)
    noisy = mechanism.release(arrays.squares(column), question.source)
    sums = [int(number) / unit for number in noisy]

    def interval(confidence: Fraction) -> Interval:
        reach = float(mechanism.accuracy(confidence, cells=3)) / unit
        return extreme_variances([(number - reach, number + reach) for number in sums])

    return _variance(*sums), interval, release, mechanism


def _fixed(values: object, question: Question, bounded: Range):  # type: ignore[no-untyped-def]
    width, records = bounded.width, public_size(values)
    first = Laplace(scale=Fraction(9, 8) * width / question.epsilon)
    second = Laplace(scale=Fraction(9, 16) * width**2 / question.epsilon)
    release = question.charge()
    column = arrays.clip(values, bounded, keep_all=True)
    linear, product_ = arrays.moments(column)
    mean = first.release(linear, question.source) / (records * width)
    mixed = second.release(product_, question.source) / (records * width**2)

    def interval(confidence: Fraction) -> Interval:
        each = 1 - (1 - confidence) / 2
        reach = float(first.accuracy(each)) / (records * width)
        slack = float(second.accuracy(each)) / (records * width**2)
        ends = [end * (1 - end) for end in (mean - reach, mean + reach)]
        top = 0.25 if mean - reach <= 0.5 <= mean + reach else max(ends)
        return min(ends) - (mixed + slack), top - (mixed - slack)

    return mean * (1 - mean) - mixed, interval, release, (first, second)


def _variance(below: float, between: float, above: float) -> float:
    whole = below + between + above
    return (below * above - between**2 / 4) / whole**2 if whole > 0 else 0.0


def extreme_variances(box: list[Interval]) -> Interval:
    """The least and the greatest variance of sums within a box.

    The variance falls with the middle sum, and in each outer sum rises to one peak and falls,
    so its extremes are at corners, or at a peak along an edge.
    """
    (below, between, above) = [(max(low, 0.0), max(high, 0.0)) for low, high in box]
    corners = [_variance(*corner) for corner in product(below, between, above)]
    peaks = [
        _variance(place, middle, other)
        for near, far in ((below, above), (above, below))
        for middle, other in product(between, far)
        if other > 0
        for place in [other + middle + middle**2 / (2 * other)]
        if near[0] <= place <= near[1]
    ]
    least = 0.0 if min(below[0], above[0]) + between[0] <= 0 else min(corners)
    return least, max([*corners, *peaks])
