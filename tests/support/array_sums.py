"""The sums of a column in memory, as the measures make them, by the names of what is summed."""

from discreet.engines import arrays
from discreet.exact import Grid, Range
from discreet.measures.measure import Measure, Steps
from discreet.measures.moments import Moments
from discreet.measures.sums import Total
from discreet.plan.expressions import Named
from discreet.privacy.sensitivity import Sensitive


def _value(column: arrays.ClippedColumn, low: int = 0) -> Steps:
    return Steps(Named("x"), Range(grid=Grid(0), low=low, high=low + column.width))


def _measured(measure: Measure, column: arrays.ClippedColumn) -> Sensitive[tuple[int, ...]]:
    return arrays.sums(measure, column)


def total(column: arrays.ClippedColumn, low: int) -> Sensitive[int]:
    """The sum from zero."""
    (found,) = _measured(Total(_value(column, low)), column).open()
    return Sensitive(found)


def distances(column: arrays.ClippedColumn) -> Sensitive[tuple[int, ...]]:
    """The summed distances from the lower and to the upper bound."""
    return _measured(Moments(_value(column)), column)


def squares(column: arrays.ClippedColumn) -> Sensitive[tuple[int, ...]]:
    """The sums of (w-x)², 2x(w-x) and x²."""
    return _measured(Moments(_value(column), squares=True), column)
