"""Sums, means, variances and standard deviations of clipped values."""

from fractions import Fraction
from math import inf

from discreet.engines import arrays
from discreet.measures.measure import POINTS, Statistic
from discreet.measures.moments import (
    DEVIATION,
    LARGEST_VARIANCE,
    MEAN,
    VARIANCE,
    Moments,
    spread_of,
)
from discreet.measures.sums import SUM, FixedTotal, Total
from discreet.mechanisms.laplace import Laplace
from discreet.noise import BitSource
from discreet.privacy.estimates import BoundedError, Estimate, FloatInterval
from discreet.privacy.events import loss_event
from discreet.privacy.joint_noise import read_steps, weighted_distance
from discreet.privacy.uncertainty import as_float
from discreet.statistics.array_call import ArrayCall, GridBounds, read_bounds
from discreet.statistics.counts import public_size

_POINTS = 1 << 20
_MEAN_PART = Fraction(1, 16)  # of the chance to miss: where the mean is, which matters little
_ROUNDED = 2.0**-48


def sum(
    values: object,
    *,
    epsilon: object = None,
    bounds: object = None,
    grid: object = None,
    neighbors: object = "add-remove",
    source: BitSource | None = None,
) -> Estimate:
    """The sum of the values, clipped to public bounds.

    One record moves it by at most max(|low|, |high|) under add/remove (missing values are
    skipped) and by high - low under replace (a missing value takes the middle).  ``grid=1``
    rounds to integers and answers in integers.

    >>> sum([1, 10, 3], bounds=(1, 10), epsilon=1, grid=1).mechanism
    Laplace(scale=10)
    >>> sum([1, 10, 3], bounds=(1, 10), epsilon=1, grid=1, neighbors="replace").mechanism
    Laplace(scale=9)
    """
    question = ArrayCall.read(epsilon, neighbors, source)
    public = read_bounds(bounds, "sum", POINTS, grid)
    measure = FixedTotal(public.filled) if question.fixed_size else Total(public.value)
    return question.measured(
        SUM,
        measure,
        lambda: arrays.sums(measure, _column(values, public, question)),
        question.caveat(public),
        grid=public.range.grid,
    )


def mean(
    values: object,
    *,
    epsilon: object = None,
    bounds: object = None,
    neighbors: object = "add-remove",
    source: BitSource | None = None,
) -> Estimate:
    """The mean of the values, clipped to public bounds.

    Under add/remove the number of records is private.  The summed distances from the lower
    bound and to the upper bound get Laplace noise of scale (high - low)/ε each: one record
    adds exactly high - low to the two together, so both cost one ε, and their ratio is the mean.
    Under replace the number of records is public and the mean moves by at most (high - low)/n.

    >>> answer = mean(range(1001), bounds=(0, 1000), epsilon=1)
    >>> 480 < answer.lower < answer.value < answer.upper < 520
    True
    """
    question = ArrayCall.read(epsilon, neighbors, source)
    public = read_bounds(bounds, "mean", POINTS)
    measure = FixedTotal(public.filled) if question.fixed_size else Moments(public.value)
    return question.measured(
        MEAN,
        measure,
        lambda: arrays.sums(measure, _column(values, public, question)),
        question.caveat(public),
        rows=public_size(values) if question.fixed_size else None,
        grid=public.range.grid,
    )


def _column(values: object, public: GridBounds, question: ArrayCall) -> arrays.ClippedColumn:
    return arrays.clip(values, public.range, keep_all=question.fixed_size)


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
    question = ArrayCall.read(epsilon, neighbors, source)
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


def _fixed(
    values: object, question: ArrayCall, public: GridBounds, statistic: Statistic
) -> Estimate:
    bounded = public.range
    width, records = bounded.width, public_size(values)
    first = Laplace(scale=Fraction(9, 8) * width / question.epsilon)
    second = Laplace(scale=Fraction(9, 16) * width**2 / question.epsilon)
    # One record moves the two sums within the ε of both, and no part of it is either's alone.
    release = question.charge(loss_event(question.loss))
    column = arrays.clip(values, bounded, keep_all=True)
    linear, mixed = arrays.moments(column)
    mean = Fraction(first.release(linear, question.source), records * width)
    product_mean = Fraction(second.release(mixed, question.source), records * width**2)

    def interval(confidence: Fraction) -> FloatInterval:
        miss = 1 - confidence
        reach = Fraction(int(first.accuracy(1 - miss * _MEAN_PART)), records * width)
        low, high = (
            float(min(max(mean + side, Fraction(0)), Fraction(1))) for side in (-reach, reach)
        )
        sizes = (
            as_float(first.steps / (records * width)) * max(abs(1 - 2 * low), abs(1 - 2 * high)),
            as_float(second.steps / (records * width**2)),
        )
        if inf in (read_steps(first.steps), read_steps(second.steps)):
            return 0.0, LARGEST_VARIANCE
        slack = weighted_distance((first, second), sizes, miss * (1 - _MEAN_PART))
        # Around c the values have the mean square variance + (mean - c)², which is linear in both.
        center, offset = float(mean), float(mean * (1 - mean) - product_mean)
        near = max(low - center, center - high, 0.0)
        far = max(abs(low - center), abs(high - center))
        return offset + near**2 - slack - _ROUNDED, offset + far**2 + slack + _ROUNDED

    def shown(variance: float) -> float:
        squared = statistic is VARIANCE
        return spread_of(variance, width * bounded.grid.step, squared=squared)

    def shown_interval(confidence: Fraction) -> FloatInterval:
        least, most = interval(confidence)
        return shown(least), shown(most)

    return question.estimate(
        shown(float(mean * (1 - mean) - product_mean)),
        BoundedError(shown_interval),
        release,
        (first, second),
        question.caveat(public),
    )
