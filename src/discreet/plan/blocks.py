"""What is measured to answer a question: sums that are released together, and ranks.

A block is what one mechanism releases for every group.  Aggregates of one column share a block
where their sums do, so that count, mean and variance of a column cost one ε together.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import BoundsError, QueryError
from discreet.exact import Grid, Range, Rounding
from discreet.plan.aggregate import Aggregate, Statistic
from discreet.plan.columns import Column
from discreet.plan.expressions import Chosen, Constant, Negated, Node, shown, walk
from discreet.plan.types import Kind, Typed, check

POINTS = 1 << 30
"""About how many grid points lie between the bounds of a sum: rounding never shows."""
SQUARE_POINTS = 1 << 15
RANK_POINTS = 1 << 26
END_POINTS = 1 << 24
_LEAST_STEP, _MOST_STEP = Fraction(1, 10**220), Fraction(10**150)
_FARTHEST = 1 << 50  # grid steps from zero to a bound: floats hold them exactly


@dataclass(frozen=True, slots=True)
class Steps:
    """A numeric expression, clipped and rounded in the row to steps of a public grid.

    ``default`` stands for a missing value; where it is None, a missing value is skipped.  The
    steps are counted from the lower bound, or from the upper one where values are rounded up.
    ``ends`` are the bounds as declared, which need not be grid points.  ``whole`` says that no
    value of the column lies between two grid points.
    """

    node: Node
    range: Range
    default: int | None = None
    dated: bool = False
    rounding: Rounding = Rounding.NEAREST
    ends: tuple[Fraction, Fraction] | None = None
    whole: bool = False

    def number(self, place: int) -> int | float:
        """The number at a grid point, or the bound that it is beyond."""
        found = self.range.grid.value(place)
        if self.ends is None or self.ends[0] <= found <= self.ends[1]:
            return found
        end = self.ends[0] if found < self.ends[0] else self.ends[1]
        return end.numerator if end.denominator == 1 else float(end)


@dataclass(frozen=True, slots=True)
class People:
    """How many different people are in each group; with a condition, those it is true for."""

    node: Node | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """How many rows are in each group."""


@dataclass(frozen=True, slots=True)
class Size:
    """How many rows the table has where replacing one row by another leaves that as it is.

    The number is the same on all neighboring tables, so it is given without noise, for ε = 0.
    """


@dataclass(frozen=True, slots=True)
class Present:
    """How many rows have a value."""

    node: Node


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of a column."""

    value: Steps


@dataclass(frozen=True, slots=True)
class Moments:
    """The sums from which count, sum, mean and, with ``squares``, variance follow.

    Each row, at x steps above the lower bound of a range of w steps, adds x and w - x; with
    squares it adds (w-x)², 2x(w-x) and x².  With ``rows``, a row without a value adds w (or w²) to
    a sum of its own, so that the number of all rows follows too.  A row adds w (or w²) in all.
    """

    value: Steps
    squares: bool = False
    rows: bool = False


@dataclass(frozen=True, slots=True)
class FixedTotal:
    """The sum of a column over a public number of rows, from which its mean follows."""

    value: Steps


@dataclass(frozen=True, slots=True)
class Ranks:
    """Quantiles of a column."""

    value: Steps
    levels: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Extreme:
    """A value near the largest or the smallest one of a column."""

    value: Steps
    largest: bool


@dataclass(frozen=True, slots=True)
class Distinct:
    """How many different values there are."""

    node: Node


Linear = Rows | Size | Present | Total | Moments | FixedTotal
Block = People | Linear | Ranks | Extreme | Distinct


def components(block: Block) -> int:
    """How many integers a block releases for each group."""
    if isinstance(block, Moments):
        return 2 + block.squares + block.rows
    return len(block.levels) if isinstance(block, Ranks) else 1


@dataclass(frozen=True, slots=True)
class Output:
    """A column of the answer: what is asked, and the block that answers it."""

    name: str
    aggregate: Aggregate
    block: Block
    level: Fraction | None = None
    dated: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides how rows are measured: public facts of the declarations and the question."""

    replace: bool
    """Missing values take the default, unless a choice in the question leaves rows out."""
    fixed: bool
    """The number of rows is public: replaced rows, no person, no filter and no groups."""
    by_person: bool


def blocks_of(
    outputs: Iterable[tuple[str, Aggregate]], columns: dict[str, Column], rules: Rules
) -> tuple[Output, ...]:
    """The block that answers each aggregate; aggregates that fit share one."""
    wanted = [(name, aggregate, _typed(name, aggregate, columns)) for name, aggregate in outputs]
    moments = _shared_moments(wanted, rules)
    found = []
    for name, aggregate, typed in wanted:
        block = _block(aggregate, typed, moments, wanted, rules)
        dated = typed is not None and typed.kind is Kind.DATE
        if aggregate.statistic is Statistic.QUANTILE and len(aggregate.levels) > 1:
            found += [
                Output(f"{name}_{float(level):g}", aggregate, block, level, dated)
                for level in aggregate.levels
            ]
        else:
            level = aggregate.levels[0] if aggregate.levels else None
            found.append(Output(name, aggregate, block, level, dated))
    return tuple(found)


_NEED_BOUNDS = {
    Statistic.SUM,
    Statistic.MEAN,
    Statistic.VARIANCE,
    Statistic.DEVIATION,
    Statistic.LEAST,
    Statistic.MOST,
    Statistic.QUANTILE,
}
_OF_MOMENTS = {Statistic.MEAN, Statistic.VARIANCE, Statistic.DEVIATION}
_SQUARED = {Statistic.VARIANCE, Statistic.DEVIATION}
_RANKED = {Statistic.QUANTILE, Statistic.LEAST, Statistic.MOST}

_Wanted = list[tuple[str, Aggregate, Typed | None]]


def _typed(name: str, aggregate: Aggregate, columns: dict[str, Column]) -> Typed | None:
    if aggregate.of is None:
        return None
    typed = check(aggregate.of, columns)
    statistic = aggregate.statistic
    if statistic is Statistic.PEOPLE and typed.kind is not Kind.BOOLEAN:
        raise QueryError(
            f"{aggregate.text} counts people by a {typed.kind}. It counts those for whom a "
            'condition is true. Write dp.people(dp.col("stay") > 2).'
        )
    if statistic not in _NEED_BOUNDS:
        return typed
    if typed.kind is Kind.BOOLEAN and statistic not in _RANKED:
        missing = Fraction(0) if _always(typed.node) else None
        return Typed(_flag(typed.node), Kind.NUMBER, Fraction(0), Fraction(1), True, missing)
    if typed.kind is Kind.DATE and statistic not in _RANKED:
        raise QueryError(
            f"{aggregate.text} asks for the {statistic} of a date. Dates have an order and no "
            "sum. Ask for its median, a quantile, its least or its largest value."
        )
    if typed.kind not in (Kind.NUMBER, Kind.DATE):
        raise QueryError(
            f"{aggregate.text} asks for the {statistic} of a {typed.kind}. It needs numbers. Use a "
            "numeric column, or a condition for a proportion. Count different values with "
            f"COUNT(DISTINCT {shown(typed.node)[:60]}), in Python .n_unique()."
        )
    if not typed.bounded:
        raise _without_bounds(aggregate, typed)
    return typed


def _always(node: Node) -> bool:
    """Whether every row is meant to have a value: a choice may leave rows out, as FILTER does."""
    return not any(isinstance(one, Chosen) for one in walk(node))


def _filled(typed: Typed, rules: Rules) -> bool:
    """Whether a missing value takes the default, so that no row leaves because of one."""
    return rules.replace and (typed.default is not None or _always(typed.node))


def _flag(condition: Node) -> Node:
    """A condition as 1 and 0; missing where it is missing."""
    one, zero = Constant(Fraction(1)), Constant(Fraction(0))
    return Chosen(condition, one, Chosen(Negated(condition), zero, Constant(None)))


def true_for(condition: Node) -> Node:
    """A value where a condition is true, and none elsewhere."""
    return Chosen(condition, Constant(Fraction(1)), Constant(None))


def _without_bounds(aggregate: Aggregate, typed: Typed) -> BoundsError:
    text = shown(typed.node)
    declared = f"columns={{{text!r}: dp.number(0, 120)}}, or in the policy {text} = " + (
        "{ low = 0, high = 120 }"
    )
    words = {"mean": "AVG", "var": "VAR_POP", "std": "STDDEV_POP"}
    word = words.get(aggregate.statistic, aggregate.statistic.upper())
    derived = (
        f"dp.col(…).clip(0, 120).{aggregate.statistic}(), in SQL {word}(CLIP({text[:60]}, 0, 120))"
    )
    remedy = f"Declare them: {declared}." if text.isidentifier() else f"Give them: {derived}."
    return BoundsError(
        f"{aggregate.text} has no bounds. They must be public, so discreet never reads them from "
        f"the data. {remedy}"
    )


def _shared_moments(wanted: _Wanted, rules: Rules) -> dict[Node, Moments]:
    """The block of moments for each expression whose mean or variance is asked for."""
    squared: dict[Node, bool] = {}
    typed_of: dict[Node, Typed] = {}
    for _, aggregate, typed in wanted:
        if typed is not None and aggregate.statistic in _OF_MOMENTS:
            squared[typed.node] = squared.get(typed.node, False) or aggregate.statistic in _SQUARED
            typed_of[typed.node] = typed
    counts_rows = not rules.fixed and any(
        aggregate.statistic is Statistic.ROWS
        or (aggregate.statistic is Statistic.PEOPLE and not rules.by_person)
        for _, aggregate, _ in wanted
    )
    found = {}
    for place, (node, squares) in enumerate(squared.items()):
        points = SQUARE_POINTS if squares else POINTS
        # The number of all rows comes with the first column's moments, at no further price.
        found[node] = Moments(
            steps(typed_of[node], points, rules), squares, counts_rows and place == 0
        )
    return found


def _block(
    aggregate: Aggregate,
    typed: Typed | None,
    moments: dict[Node, Moments],
    wanted: _Wanted,
    rules: Rules,
) -> Block:
    statistic = aggregate.statistic
    if statistic is Statistic.PEOPLE and typed is not None:
        return People(typed.node) if rules.by_person else Present(true_for(typed.node))
    if typed is None:
        if statistic is Statistic.PEOPLE and rules.by_person:
            return People()
        shared = next((block for block in moments.values() if block.rows), None)
        if rules.fixed:
            return Size()
        return Rows() if shared is None else shared
    node = typed.node
    if rules.fixed and _filled(typed, rules) and statistic in (Statistic.MEAN, Statistic.SUM):
        return FixedTotal(steps(typed, POINTS, rules))
    if statistic in _OF_MOMENTS:
        return moments[node]
    if statistic is Statistic.COUNT:
        # Where missing values take the default, the moments no longer know which were missing.
        shared = None if _filled(typed, rules) else moments.get(node)
        return shared or Present(node)
    if statistic is Statistic.SUM:
        return moments.get(node) or Total(steps(typed, POINTS, rules))
    if statistic is Statistic.QUANTILE:
        levels = {
            level
            for _, other, its in wanted
            if other.statistic is Statistic.QUANTILE and its is not None and its.node == node
            for level in other.levels
        }
        return Ranks(steps(typed, RANK_POINTS, rules), tuple(sorted(levels)))
    if statistic in (Statistic.LEAST, Statistic.MOST):
        largest = statistic is Statistic.MOST
        # Away from the others: what is above the released value was above it before rounding.
        rounding = Rounding.UP if largest else Rounding.DOWN
        return Extreme(steps(typed, END_POINTS, rules, rounding), largest)
    return Distinct(node)


def steps(typed: Typed, points: int, rules: Rules, rounding: Rounding = Rounding.NEAREST) -> Steps:
    """The grid of an expression with bounds: whole numbers where they are few enough."""
    low, high = typed.low, typed.high
    if low is None or high is None:
        raise QueryError("an expression without bounds cannot be summed. Give it bounds by clip.")
    if low == high:  # of one value the sum still says how many rows have it
        low, high = (min(low, Fraction(0)), max(high, Fraction(0))) if low else (low, Fraction(1))
    farthest = max(abs(low), abs(high))
    finest = max((high - low) / points, farthest / _FARTHEST)
    if not _LEAST_STEP < finest < _MOST_STEP:
        raise BoundsError(
            f"the bounds of {shown(typed.node)[:60]!r} are closer together than 10^-200 or farther "
            "apart than 10^150. Values are computed in 64-bit floats. Use another unit."
        )
    grid = Grid(max(0, Grid.below(finest).exponent)) if typed.whole else Grid.below(finest)
    nearest = rounding is Rounding.NEAREST
    first, last = (grid.index(low), grid.index(high)) if nearest else grid.around(low, high)
    if grid.index(low) == grid.index(high):
        raise BoundsError(
            f"the bounds of {shown(typed.node)[:60]!r} are so close together, and so far from "
            "zero, that 64-bit floats do not tell them apart. Subtract a constant first, or use "
            "wider bounds."
        )
    bounded = Range(grid=grid, low=first, high=last)
    default = None
    if _filled(typed, rules):
        default = bounded.middle
        if typed.default is not None:
            default = min(max(grid.index(typed.default), first), last)
    dated, ends = typed.kind is Kind.DATE, None if nearest else (low, high)
    whole = typed.whole and grid.exponent == 0
    return Steps(typed.node, bounded, default, dated, rounding, ends, whole)
