"""The table of all statistics, and the measures that answer what is asked at once."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from discreet.errors import BoundsError, DiscreetError, QueryError, Remedy
from discreet.measures.counts import COUNT, DISTINCT, PEOPLE, ROWS
from discreet.measures.extremes import MAX, MIN
from discreet.measures.joint import least_regret, ways
from discreet.measures.measure import (
    Aggregate,
    ArgumentKind,
    CheckedAggregate,
    Measure,
    MeasureContext,
    MeasureRules,
    Output,
    Statistic,
    has_value_in_every_row,
)
from discreet.measures.moments import DEVIATION, MEAN, NEED_MOMENTS, VARIANCE
from discreet.measures.quantiles import QUANTILE
from discreet.measures.relations import (
    CORRELATION,
    COVARIANCE,
    INTERCEPT,
    R_SQUARED,
    REGRESSION,
    ROWS_TOGETHER,
    SLOPE,
)
from discreet.measures.sums import SUM
from discreet.plan.added_bounds import bounds_remedy
from discreet.plan.calendar import Dated
from discreet.plan.expressions import Chosen, Constant, Negated, Node, expression_text, together
from discreet.plan.schema import Column
from discreet.plan.types import (
    COUNTED,
    DATES,
    CheckedExpression,
    Kind,
    check_expression,
    example_comparison,
    example_condition,
)

__all__ = [
    "CORRELATION",
    "COUNT",
    "COVARIANCE",
    "DEVIATION",
    "DISTINCT",
    "INTERCEPT",
    "MAX",
    "MEAN",
    "MIN",
    "PEOPLE",
    "QUANTILE",
    "REGRESSION",
    "ROWS",
    "ROWS_TOGETHER",
    "R_SQUARED",
    "SLOPE",
    "STATISTICS",
    "SUM",
    "VARIANCE",
    "measured",
]

STATISTICS: tuple[Statistic, ...] = (
    PEOPLE,
    ROWS,
    COUNT,
    SUM,
    MEAN,
    VARIANCE,
    DEVIATION,
    MIN,
    MAX,
    QUANTILE,
    DISTINCT,
    COVARIANCE,
    CORRELATION,
    SLOPE,
    INTERCEPT,
    ROWS_TOGETHER,
    R_SQUARED,
    REGRESSION,
)


def measured(
    outputs: Iterable[tuple[str, Aggregate]], columns: Mapping[str, Column], rules: MeasureRules
) -> tuple[Output, ...]:
    """The measure that answers each aggregate; aggregates that fit share one."""
    asked = [
        CheckedAggregate(name, aggregate, *_arguments(aggregate, columns))
        for name, aggregate in outputs
    ]
    if len(asked) == 1 and asked[0].aggregate.statistic not in NEED_MOMENTS:
        return _outputs(MeasureContext(asked, rules, {}))  # there is nothing to share
    return least_regret([_outputs(one) for one in ways(asked, rules)], rules)


def _outputs(everything: MeasureContext) -> tuple[Output, ...]:
    """The outputs of all aggregates, measured in one way."""
    measures = []
    for aggregate in everything.asked:
        measure, typed = _measure(aggregate, everything), aggregate.typed
        dated = Dated.NOT if typed is None else DATES.get(typed.kind, Dated.NOT)
        node = None if typed is None else typed.node
        if aggregate.together:
            node = together([one.node for one in aggregate.together])
        measures += [
            Output(name, aggregate.aggregate, measure, level, dated, node, part)
            for name, level, part in aggregate.aggregate.columns(aggregate.name)
        ]
    return tuple(measures)


def _measure(asked: CheckedAggregate, everything: MeasureContext) -> Measure:
    try:
        return asked.aggregate.statistic.measured(asked, everything)
    except DiscreetError as error:
        error.at(asked.aggregate.place)
        raise


def _arguments(
    aggregate: Aggregate, columns: Mapping[str, Column]
) -> tuple[CheckedExpression | None, tuple[CheckedExpression, ...]]:
    """What was found out about the expression of an aggregate, which must be of the right kind.

    Or about its expressions, where it is asked of several of a row.
    """
    if aggregate.of is None:
        return None, ()
    try:
        if aggregate.statistic.takes is ArgumentKind.TOGETHER:
            return None, tuple(_typed(aggregate, one, columns) for one in aggregate.together)
        return _typed(aggregate, aggregate.of, columns), ()
    except DiscreetError as error:
        error.at(aggregate.place)
        raise


def _typed(aggregate: Aggregate, of: Node, columns: Mapping[str, Column]) -> CheckedExpression:
    typed, statistic = check_expression(of, columns), aggregate.statistic
    if statistic.takes is ArgumentKind.CONDITION and typed.kind is not Kind.BOOLEAN:
        raise QueryError(
            f"{aggregate.said} counts people by a {typed.kind}. It counts those for whom a "
            "condition is true.",
            Remedy(
                python=f"Write dp.people({example_comparison(columns)}).",
                sql=f"Write PEOPLE() FILTER (WHERE {example_condition(columns)}).",
            ),
        )
    if statistic.takes in (ArgumentKind.ANYTHING, ArgumentKind.CONDITION):
        return typed
    ordered = statistic.takes is ArgumentKind.ORDER
    if typed.kind is Kind.BOOLEAN and not ordered:
        missing = Fraction(0) if has_value_in_every_row(typed.node) else None
        return CheckedExpression(
            _flag(typed.node), Kind.NUMBER, Fraction(0), Fraction(1), True, missing
        )
    if typed.kind in (Kind.DATE, Kind.DATETIME, Kind.TIME) and not ordered:
        raise QueryError(
            f"{aggregate.said} asks for the {statistic} of a {typed.kind}. Dates and times have an "
            "order and no sum. Ask for its median, a quantile, its least or its largest value."
        )
    if typed.kind not in COUNTED:
        raise QueryError(
            f"{aggregate.said} asks for the {statistic} of a {typed.kind}. It needs numbers. Use a "
            "numeric column, or a condition for a proportion.",
            Remedy(
                python="Count different values with .n_unique().",
                sql="Count different values with COUNT(DISTINCT "
                f"{expression_text(typed.node)[:60]}).",
            ),
        )
    if not typed.bounded:
        raise BoundsError(
            f"{aggregate.said} has no bounds. They must be public, so discreet never reads them "
            "from the data.",
            bounds_remedy(typed, columns),
        )
    return typed


def _flag(condition: Node) -> Node:
    """A condition as 1 and 0; missing where it is missing."""
    one, zero = Constant(Fraction(1)), Constant(Fraction(0))
    return Chosen(condition, one, Chosen(Negated(condition), zero, Constant(None)))
