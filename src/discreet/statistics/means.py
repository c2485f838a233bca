"""Sums and means of clipped values."""

from fractions import Fraction

from discreet.engines import arrays
from discreet.noise import BitSource
from discreet.privacy.estimate import BoundedError, Estimate
from discreet.privacy.uncertainty import as_float
from discreet.statistics.counts import public_size
from discreet.statistics.question import Question, noise_error, read_bounds
from discreet.statistics.ratio import share, share_interval

_POINTS = 1 << 30  # fine enough that rounding never shows beside the noise


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
    question = Question.read(epsilon, neighbors, source)
    public = read_bounds(bounds, "sum", _POINTS, grid)
    bounded = public.range
    moved = bounded.width if question.fixed_size else bounded.farthest
    mechanism = question.noise(moved, bounded.grid)
    release = question.charge()
    column = arrays.clip(values, bounded, keep_all=question.fixed_size)
    noisy = mechanism.release(arrays.total(column, bounded.low), question.source)
    value = bounded.grid.value(noisy)
    return question.estimate(
        value, noise_error(mechanism), release, mechanism, question.caveat(public)
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
    question = Question.read(epsilon, neighbors, source)
    public = read_bounds(bounds, "mean", _POINTS)
    bounded = public.range
    mechanism = question.noise(bounded.width, bounded.grid)
    if question.fixed_size:
        records = public_size(values)
        release = question.charge()
        column = arrays.clip(values, bounded, keep_all=True)
        noisy = mechanism.release(arrays.total(column, bounded.low), question.source)
        value = as_float(Fraction(noisy, records) * bounded.grid.step)
        error = noise_error(mechanism, Fraction(1, records))
        return question.estimate(value, error, release, mechanism, question.caveat(public))
    release = question.charge()
    column = arrays.clip(values, bounded, keep_all=False)
    above, below = mechanism.release(arrays.distances(column), question.source)
    low, high = float(bounded.grid.value(bounded.low)), float(bounded.grid.value(bounded.high))

    def interval(confidence: Fraction) -> tuple[float, float]:
        least, most = share_interval(above, below, mechanism, confidence)
        return _between(low, high, least), _between(low, high, most)

    value = _between(low, high, share(above, below))
    return question.estimate(
        value, BoundedError(interval), release, mechanism, question.caveat(public)
    )


def _between(low: float, high: float, share: float) -> float:
    """The point that divides the range; high - low itself may be beyond the floats."""
    return low * (1 - share) + high * share
