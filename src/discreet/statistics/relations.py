"""Covariance, correlation and regression: of columns in memory, or of those of a table."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, overload

from discreet.engines import arrays
from discreet.errors import BoundsError, QueryError, Remedy
from discreet.measures.measure import Aggregate, Output, Statistic, Steps
from discreet.measures.registry import CORRELATION, COVARIANCE, REGRESSION
from discreet.measures.relations import MOST_COLUMNS, RELATION_POINTS, Relations
from discreet.noise import BitSource
from discreet.plan.expressions import Named, together
from discreet.privacy.estimates import Estimate, Estimates
from discreet.privacy.uncertainty import left_open
from discreet.question.builder import AggregateExpression, Expression, related
from discreet.statistics.array_call import ArrayCall, read_bounds


@overload
def cov(x: Expression, y: Expression) -> AggregateExpression: ...


@overload
def cov(
    x: Any,
    y: Any,
    *,
    epsilon: object,
    bounds: object,
    neighbors: object = ...,
    source: BitSource | None = ...,
) -> Estimate: ...


def cov(
    x: object,
    y: object,
    *,
    epsilon: object = None,
    bounds: object = None,
    neighbors: object = "add-remove",
    source: BitSource | None = None,
) -> Estimate | AggregateExpression:
    """The covariance of two columns: of ``dp.col`` for a table, or of values in memory.

    In memory both are clipped to public bounds, one pair for each; a record counts if it has both.

    >>> answer = cov(list(range(101)) * 9, list(range(101)) * 9, bounds=[(0, 100)] * 2, epsilon=1)
    >>> answer.lower < 850 < answer.upper
    True
    """
    if _asked_of_a_table(x, y):
        return related(COVARIANCE, x, y)
    return _of_two(COVARIANCE, x, y, epsilon, bounds, neighbors, source)


@overload
def corr(x: Expression, y: Expression) -> AggregateExpression: ...


@overload
def corr(
    x: Any,
    y: Any,
    *,
    epsilon: object,
    bounds: object,
    neighbors: object = ...,
    source: BitSource | None = ...,
) -> Estimate: ...


def corr(
    x: object,
    y: object,
    *,
    epsilon: object = None,
    bounds: object = None,
    neighbors: object = "add-remove",
    source: BitSource | None = None,
) -> Estimate | AggregateExpression:
    """The correlation of two columns: of ``dp.col`` for a table, or of values in memory.

    In memory both are clipped to public bounds, one pair for each; a record counts if it has both.

    >>> answer = corr(list(range(101)) * 9, list(range(101)) * 9, bounds=[(0, 100)] * 2, epsilon=1)
    >>> 0.8 < answer.lower < answer.value <= 1
    True
    """
    if _asked_of_a_table(x, y):
        return related(CORRELATION, x, y)
    return _of_two(CORRELATION, x, y, epsilon, bounds, neighbors, source)


@overload
def regression(y: Expression, *others: Expression) -> AggregateExpression: ...


@overload
def regression(
    y: Any,
    *others: Any,
    epsilon: object,
    bounds: object,
    neighbors: object = ...,
    source: BitSource | None = ...,
) -> Estimates: ...


def regression(
    y: object,
    *others: object,
    epsilon: object = None,
    bounds: object = None,
    neighbors: object = "add-remove",
    source: BitSource | None = None,
) -> Estimates | AggregateExpression:
    """Least squares of ``y`` on one or several others: of ``dp.col`` for a table, or in memory.

    Of a table it is several columns of the answer: named ``fit``, they are ``fit_intercept``, a
    slope for each of the others such as ``fit_education``, ``fit_r2`` and ``fit_count``.  In memory
    the others are called x1, x2 and so on, and ``bounds`` are those of y, x1, x2, in this order.

    >>> years = list(range(21)) * 100
    >>> wages = [300 + 50 * one for one in years]
    >>> fit = regression(wages, years, bounds=[(0, 2000), (0, 20)], epsilon=1)
    >>> fit["x1"].lower < 50 < fit["x1"].upper, list(fit)
    (True, ['intercept', 'x1', 'r2', 'count'])
    """
    if not others or len(others) >= MOST_COLUMNS:
        raise QueryError(
            f"regression explains a column by {len(others)} others. It is explained by at least "
            f"one, and by {MOST_COLUMNS - 1} at most, since noise is added for every two. Name "
            "others.",
            Remedy(python='Write dp.regression(dp.col("wage"), dp.col("education")).'),
        )
    if _asked_of_a_table(y, *others):
        return related(REGRESSION, y, *others)
    names = ["y", *(f"x{place}" for place in range(1, len(others) + 1))]
    found = _estimates(REGRESSION, names, (y, *others), epsilon, bounds, neighbors, source)
    return Estimates("coefficient", found)


def _asked_of_a_table(*values: object) -> bool:
    named = next((one for one in values if isinstance(one, str)), None)
    if named is not None:
        raise QueryError(
            f"a column is {named[:60]!r}, which is a text. Columns of a table are named by dp.col, "
            "and those in memory are lists of values. Write "
            f'dp.corr(dp.col("{named[:60]}"), dp.col("y")), or dp.regression likewise.'
            if named.isidentifier()
            else "a column is a text. Columns of a table are named by dp.col, and those in memory "
            'are lists of values. Write dp.corr(dp.col("x"), dp.col("y")), or dp.regression '
            "likewise."
        )
    return any(isinstance(one, Expression) for one in values)


def _of_two(
    statistic: Statistic,
    x: object,
    y: object,
    epsilon: object,
    bounds: object,
    neighbors: object,
    source: BitSource | None,
) -> Estimate:
    found = _estimates(statistic, ["x", "y"], (x, y), epsilon, bounds, neighbors, source)
    return next(iter(found.values()))


def _estimates(
    statistic: Statistic,
    names: Sequence[str],
    columns: Sequence[object],
    epsilon: object,
    bounds: object,
    neighbors: object,
    source: BitSource | None,
) -> dict[Any, Estimate]:
    """The numbers of a relation: one release of integers, from which all of them follow."""
    call = ArrayCall.read(epsilon, neighbors, source)
    values = [
        _steps(name, pair, statistic, call)
        for name, pair in zip(names, _pairs(bounds, names, statistic), strict=True)
    ]
    measure, unit = Relations(tuple(values)), call.unit
    of = together([one.node for one in values])
    aggregate = Aggregate(statistic, of)
    mechanism = measure.mechanism(unit, call.epsilon)
    release = call.charge(mechanism.event(measure.sensitivity(unit).norms, call.loss))
    clipped = arrays.clip_together(columns, values, keep_all=call.fixed_size)
    noisy = mechanism.release(arrays.products(measure, clipped), call.source)
    integers = [int(number) for number in noisy]
    found = {}
    for name, level, part in aggregate.columns(""):
        output = Output(name, aggregate, measure, level, node=of, part=part)
        value, error = measure.decoder(output, mechanism, unit, None)(integers)
        note = measure.note(output, unit)
        if opened := left_open([error]):
            note += f" {opened[0].upper()}{opened[1:]}"
        found[part] = call.estimate(value, error, release, mechanism, note)
    return found


def _steps(name: str, pair: object, statistic: Statistic, call: ArrayCall) -> Steps:
    public = read_bounds(pair, statistic.name, RELATION_POINTS)
    return replace(public.filled if call.fixed_size else public.value, node=Named(name))


def _pairs(bounds: object, names: Sequence[str], statistic: Statistic) -> Sequence[object]:
    several = isinstance(bounds, list | tuple) and all(
        isinstance(one, list | tuple) for one in bounds
    )
    if not isinstance(bounds, list | tuple) or not several or len(bounds) != len(names):
        pairs = ", ".join("(0, 100)" for _ in names)
        raise BoundsError(
            f"{statistic.name} has no bounds for each column. They must be public, so discreet "
            f"never reads them from the data. Pass a pair for each of {', '.join(names)}: "
            f"bounds=[{pairs}]."
        )
    return bounds
