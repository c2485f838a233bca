"""Variance and standard deviation of clipped values.

Under add/remove each record, scaled to x in [0, 1], adds (1-x)², 2x(1-x) and x² to three sums.
They add up to one whatever x is, so Laplace noise of scale 1/ε on each costs one ε, and
variance = (s0·s2 - s1²/4)/(s0 + s1 + s2)².

Under replace the number n is public and two sums suffice: Σx and Σx(1-x).  One record moves
|Δx| + 2·|Δx(1-x)| by at most 9/8, so noise of scale 9/(8ε) and 9/(16ε) costs one ε.
Proof: docs/proofs/variance.md
"""

from fractions import Fraction
from math import inf

from discreet.engines import arrays
from discreet.measures.measure import Statistic
from discreet.measures.moments import DEVIATION, VARIANCE, Moments, spread_of
from discreet.measures.ratio import LARGEST
from discreet.mechanisms.laplace import Laplace
from discreet.noise import BitSource
from discreet.privacy.estimate import BoundedError, Estimate, Interval
from discreet.privacy.pairs import distance, read_miss, read_steps
from discreet.privacy.uncertainty import as_float
from discreet.statistics.counts import public_size
from discreet.statistics.question import Bounds, Question, read_bounds

_POINTS = 1 << 20
_MEAN_PART = Fraction(1, 16)  # of the chance to miss: where the mean is, which matters little
_ROUNDED = 2.0**-48


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
    return _spread(values, epsilon, bounds, neighbors, source, VARIANCE)


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
    return _spread(values, epsilon, bounds, neighbors, source, DEVIATION)


def _spread(
    values: object,
    epsilon: object,
    bounds: object,
    neighbors: object,
    source: BitSource | None,
    statistic: Statistic,
) -> Estimate:
    question = Question.read(epsilon, neighbors, source)
    public = read_bounds(bounds, statistic.name, _POINTS)
    if question.fixed_size:
        return _fixed(values, question, public, statistic)
    measure = Moments(public.value, squares=True)
    return question.measured(
        statistic,
        measure,
        lambda: arrays.sums(measure, arrays.clip(values, public.range, keep_all=False)),
        question.caveat(public),
    )


def _fixed(values: object, question: Question, public: Bounds, statistic: Statistic) -> Estimate:
    bounded = public.range
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

    def shown(variance: float) -> float:
        squared = statistic is VARIANCE
        return spread_of(variance, width * bounded.grid.step, squared=squared)

    def shown_interval(confidence: Fraction) -> Interval:
        least, most = interval(confidence)
        return shown(least), shown(most)

    return question.estimate(
        shown(float(mean * (1 - mean) - product_mean)),
        BoundedError(shown_interval),
        release,
        (first, second),
        question.caveat(public),
    )
