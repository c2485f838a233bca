"""Sums and means of clipped values."""

from discreet.engines import arrays
from discreet.measures.moments import MEAN, Moments
from discreet.measures.steps import POINTS
from discreet.measures.totals import SUM, FixedTotal, Total
from discreet.noise import BitSource
from discreet.privacy.estimate import Estimate
from discreet.statistics.counts import public_size
from discreet.statistics.question import Bounds, Question, read_bounds


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
    question = Question.read(epsilon, neighbors, source)
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


def _column(values: object, public: Bounds, question: Question) -> arrays.Steps:
    return arrays.clip(values, public.range, keep_all=question.fixed_size)
