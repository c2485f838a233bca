"""The table of all statistics, and the measures that answer what is asked at once."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from discreet.errors import BoundsError, DiscreetError, QueryError, Remedy
from discreet.measures.counts import COUNT, ROWS
from discreet.measures.distinct import DISTINCT
from discreet.measures.ends import LEAST, MOST
from discreet.measures.measure import (
    Aggregate,
    Asked,
    Everything,
    Measure,
    Output,
    Statistic,
    Takes,
)
from discreet.measures.moments import DEVIATION, MEAN, VARIANCE, shared_moments
from discreet.measures.people import PEOPLE
from discreet.measures.quantiles import QUANTILE
from discreet.measures.steps import Rules, always
from discreet.measures.totals import SUM
from discreet.plan.columns import Column
from discreet.plan.expressions import Chosen, Constant, Negated, Node, shown
from discreet.plan.types import Kind, Typed, check

__all__ = [
    "COUNT",
    "DEVIATION",
    "DISTINCT",
    "LEAST",
    "MEAN",
    "MOST",
    "PEOPLE",
    "QUANTILE",
    "ROWS",
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
    LEAST,
    MOST,
    QUANTILE,
    DISTINCT,
)


def measured(
    outputs: Iterable[tuple[str, Aggregate]], columns: Mapping[str, Column], rules: Rules
) -> tuple[Output, ...]:
    """The measure that answers each aggregate; aggregates that fit share one."""
    asked = [Asked(name, one, _argument(one, columns)) for name, one in outputs]
    everything = Everything(asked, rules, shared_moments(asked, rules))
    found = []
    for one in asked:
        measure = _measure(one, everything)
        dated = one.typed is not None and one.typed.kind is Kind.DATE
        levels = one.aggregate.levels
        if len(levels) > 1:
            found += [
                Output(f"{one.name}_{float(level):g}", one.aggregate, measure, level, dated)
                for level in levels
            ]
        else:
            level = levels[0] if levels else None
            found.append(Output(one.name, one.aggregate, measure, level, dated))
    return tuple(found)


def _measure(asked: Asked, everything: Everything) -> Measure:
    try:
        return asked.aggregate.statistic.measured(asked, everything)
    except DiscreetError as error:
        error.at(asked.aggregate.place)
        raise


def _argument(aggregate: Aggregate, columns: Mapping[str, Column]) -> Typed | None:
    """What was found out about the expression of an aggregate, which must be of the right kind."""
    if aggregate.of is None:
        return None
    try:
        return _typed(aggregate, aggregate.of, columns)
    except DiscreetError as error:
        error.at(aggregate.place)
        raise


def _typed(aggregate: Aggregate, of: Node, columns: Mapping[str, Column]) -> Typed:
    typed, statistic = check(of, columns), aggregate.statistic
    if statistic.takes is Takes.CONDITION and typed.kind is not Kind.BOOLEAN:
        raise QueryError(
            f"{aggregate.said} counts people by a {typed.kind}. It counts those for whom a "
            "condition is true.",
            Remedy(
                python='Write dp.people(dp.col("stay") > 2).',
                sql="Write PEOPLE() FILTER (WHERE stay > 2).",
            ),
        )
    if statistic.takes not in (Takes.NUMBERS, Takes.ORDER):
        return typed
    ordered = statistic.takes is Takes.ORDER
    if typed.kind is Kind.BOOLEAN and not ordered:
        missing = Fraction(0) if always(typed.node) else None
        return Typed(_flag(typed.node), Kind.NUMBER, Fraction(0), Fraction(1), True, missing)
    if typed.kind is Kind.DATE and not ordered:
        raise QueryError(
            f"{aggregate.said} asks for the {statistic} of a date. Dates have an order and no "
            "sum. Ask for its median, a quantile, its least or its largest value."
        )
    if typed.kind not in (Kind.NUMBER, Kind.DATE):
        raise QueryError(
            f"{aggregate.said} asks for the {statistic} of a {typed.kind}. It needs numbers. Use a "
            "numeric column, or a condition for a proportion.",
            Remedy(
                python="Count different values with .n_unique().",
                sql=f"Count different values with COUNT(DISTINCT {shown(typed.node)[:60]}).",
            ),
        )
    if not typed.bounded:
        raise _without_bounds(aggregate, typed)
    return typed


def _flag(condition: Node) -> Node:
    """A condition as 1 and 0; missing where it is missing."""
    one, zero = Constant(Fraction(1)), Constant(Fraction(0))
    return Chosen(condition, one, Chosen(Negated(condition), zero, Constant(None)))


def _without_bounds(aggregate: Aggregate, typed: Typed) -> BoundsError:
    text = shown(typed.node)
    if text.isidentifier():
        remedy = Remedy(
            python=f"Declare them: columns={{{text!r}: dp.number(0, 120)}}.",
            policy=f"Declare them: {text} = {{ low = 0, high = 120 }} in the policy.",
        )
    else:
        remedy = Remedy(
            python=f"Give them: dp.col(…).clip(0, 120).{aggregate.statistic}().",
            sql=f"Give them: CLIP({text[:60]}, 0, 120).",
        )
    return BoundsError(
        f"{aggregate.said} has no bounds. They must be public, so discreet never reads them from "
        "the data.",
        remedy,
    )
