"""Relations between columns: covariance, correlation and regression, from tables of two columns.

Of each two columns a table of nine sums is released, from which all their moments up to the second
follow.  What is said about intervals is proved in docs/proofs/relations-between-columns.md; why
sums are cut in this way: docs/decisions/tables_of_two.md
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from discreet.errors import QueryError, Remedy
from discreet.measures.counts import ROWS_LEFT_OUT
from discreet.measures.measure import (
    Aggregate,
    Answers,
    ArgumentKind,
    CapName,
    CheckedAggregate,
    Decoder,
    GroupSums,
    Jointly,
    LeftOut,
    Measure,
    MeasureContext,
    MeasureSensitivity,
    Output,
    Statistic,
    Steps,
    SumsReading,
    Unit,
    grid_steps,
    linear_estimate,
    sentence_list,
)
from discreet.measures.noise_choice import laplace_noise
from discreet.measures.noisy_moments import CELLS, NoisyMoments, related
from discreet.mechanisms.laplace import Laplace
from discreet.plan.expressions import Node, expression_text, together, values_together
from discreet.privacy.estimates import BoundedError
from discreet.privacy.uncertainty import as_float

RELATION_POINTS = 1 << 12
"""About how many grid points lie between the bounds of a column that is related to another."""
MOST_COLUMNS = 9
"""Of how many columns a relation is: one that is explained, and those that explain it."""
_EVEN = 1 << 8
"""Tables of several columns are made of nearly one size: to one part in so many."""


@dataclass(frozen=True, slots=True)
class Relations:
    """The tables of every two of some columns, from which their means and covariances follow.

    A row at x of w steps of one column, and y of v steps of another, adds to the nine sums of
    their table the products of (w-x)², 2x(w-x), x² with (v-y)², 2y(v-y), y²: w²v² in all, whatever
    it is, and none of them negative.  Of several columns each table counts a whole number of times,
    so that all are of nearly one size.  A row counts only if it has a value of each.
    """

    values: tuple[Steps, ...]
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = False
    draws: ClassVar[int] = 0
    moves: ClassVar[str] = "row"

    @property
    def node(self) -> Node:
        """The columns."""
        return together([one.node for one in self.values])

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The places of the two columns of each table."""
        return tuple(combinations(range(len(self.values)), 2))

    @property
    def width(self) -> int:
        """Nine sums for each two columns."""
        return CELLS * len(self.pairs)

    @property
    def recorded(self) -> str:
        """As the ledger keeps it."""
        return f"Relations(values={self.values!r})"

    @property
    def reading(self) -> SumsReading:
        """Products of the columns' steps."""
        return SumsReading(Jointly(self.values))

    @property
    def times(self) -> tuple[int, ...]:
        """How often each table counts."""
        sizes = [self._size(*pair) for pair in self.pairs]
        most = max(sizes) * (_EVEN if len(sizes) > 1 else 1)
        return tuple(most // size for size in sizes)

    @property
    def row_sizes(self) -> tuple[int, ...]:
        """What a row adds to each table in all."""
        tables = zip(self.pairs, self.times, strict=True)
        return tuple(self._size(*pair) * times for pair, times in tables)

    def _size(self, first: int, second: int) -> int:
        return (self.values[first].range.width * self.values[second].range.width) ** 2

    def vector(self, summed: GroupSums) -> list[int]:
        """The sums of the tables, from those of products of powers."""
        powers = Jointly(self.values).powers
        sums = dict(zip(powers, summed.products or (0,) * len(powers), strict=True))
        cells = []
        for (first, second), times in zip(self.pairs, self.times, strict=True):
            ways = [_in_powers(self.values[place].range.width) for place in (first, second)]
            for one in ways[0]:
                for other in ways[1]:
                    total = 0
                    for a, left in enumerate(one):
                        for b, right in enumerate(other):
                            if left and right:
                                total += left * right * sums[self._powers(first, second, a, b)]
                    cells.append(times * total)
        return cells

    def _powers(self, first: int, second: int, a: int, b: int) -> tuple[int, ...]:
        powers = [0] * len(self.values)
        powers[first], powers[second] = a, b
        return tuple(powers)

    def step(self, unit: Unit) -> Fraction:
        """A row counts as one in each table: together as many rows as there are tables."""
        return Fraction(len(self.pairs), unit.row_share * sum(self.row_sizes))

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """What the cap on rows and the bounds allow.

        In L1 a row adds the size of every table, in L2 at most that, and as much at a corner.  Sums
        that are not negative move by the squares of both rows at most where one replaces another,
        and by that much between opposite corners.
        """
        twice = 2 if unit.replaced else 1
        squared = sum(size * size for size in self.row_sizes)
        return unit.row_weights.reach(twice * sum(self.row_sizes), twice * squared)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> Laplace:
        """Laplace noise on each sum."""
        return laplace_noise(self.sensitivity(unit).l1, epsilon)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The number of rows by weights; all else from the noisy moments."""
        part, sizes = _part(output), tuple(unit.row_share * size for size in self.row_sizes)
        if part == "count":
            many = len(sizes)
            weights = [Fraction(1, size * many) for size in sizes for _ in range(CELLS)]
            return linear_estimate(weights, noise)
        places = tuple(self._places(output))
        ranges = [self.values[place].range for place in places]
        middles = [Fraction(one.low + one.high, 2) * one.grid.step for one in ranges]
        halves = [Fraction(one.width, 2) * one.grid.step for one in ranges]
        ends = zip(middles[1:], halves[1:], strict=True)
        at = np.array([as_float(-middle / half) for middle, half in ends])
        scale = {
            "cov": as_float(halves[0] * halves[1]) if len(halves) == 2 else 1.0,
            "intercept": as_float(halves[0]),
        }.get(part, 1.0)
        start = as_float(middles[0]) if part == "intercept" else 0.0
        if part.isdecimal():
            scale = as_float(halves[0] / halves[1 + int(part)])

        def decoded(noisy: Sequence[int]) -> tuple[float, BoundedError]:
            moments = NoisyMoments(len(self.values), sizes, noise, tuple(noisy))
            told = related(moments, part, places, at)

            def interval(confidence: Fraction) -> tuple[float, float]:
                low, high = related(moments, part, places, at, confidence).bounds
                return start + scale * low, start + scale * high

            return start + scale * told.value, BoundedError(interval, told.times)

        return decoded

    def _places(self, output: Output) -> list[int]:
        """The places of the columns in the order in which they were asked for."""
        if output.node is None:
            raise TypeError("a relation is asked of columns")
        of = {one.node: place for place, one in enumerate(self.values)}
        return [of[node] for node in values_together(output.node)]

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """Rows spread evenly over all columns, which are not related."""
        if _part(output) == "count":
            return [0] * self.width
        if rows is None:
            return None
        weight = rows * unit.row_share
        return [weight * size // CELLS for size in self.row_sizes for _ in range(CELLS)]

    def left_out(self, output: Output, unit: Unit) -> LeftOut | None:
        """Rows beyond the cap, of which nothing else is known."""
        if not unit.by_person:
            return None
        if _part(output) == "count":
            return ROWS_LEFT_OUT
        return LeftOut("max_rows", Answers.OTHER)

    def note(self, output: Output, unit: Unit) -> str:
        """What the bounds do, and missing values; of which rows it is the least squares."""
        names = [_short(node) for node in output.aggregate.together]
        columns = [self.values[place] for place in self._places(output)]
        told = dict(zip(names, columns, strict=True))
        part = _part(output)
        sentences = [] if part in ("count", "cov", "corr") else [_LEAST_SQUARES]
        if part != "count":
            clipped = [
                f"{name} to [{one.label(one.range.low)}, {one.label(one.range.high)}]"
                for name, one in told.items()
            ]
            sentences.append(f"Values are clipped: {sentence_list(clipped)}.")
        filled = {
            name: one.label(one.default) for name, one in told.items() if one.default is not None
        }
        if filled:
            counted = [f"of {name} as {default}" for name, default in filled.items()]
            sentences.append(f"Missing values count: {sentence_list(counted)}.")
        if len(filled) < len(told):
            others = [name for name in told if name not in filled]
            sentences.append(f"A row counts if it has a value of {sentence_list(others)}.")
        return " ".join(sentences)


_LEAST_SQUARES = "It is the least squares of the rows as they are clipped and weighed."


def _short(node: Node) -> str:
    return expression_text(node)[:60]


@lru_cache(maxsize=64)
def _in_powers(width: int) -> tuple[tuple[int, int, int], ...]:
    """(w-x)², 2x(w-x) and x² as sums of 1, x and x²."""
    return (width * width, -2 * width, 1), (0, 2 * width, -2), (0, 0, 1)


def _part(output: Output) -> str:
    """What is asked of the moments; a slope by its place."""
    statistic = output.aggregate.statistic
    if statistic is not REGRESSION:
        return _PARTS[statistic.symbol]
    parts = regression_parts(output.aggregate)
    kinds = ["intercept", *map(str, range(len(parts) - 3)), "r2", "count"]
    return kinds[parts.index(output.part)]


def regression_parts(asked: Aggregate) -> list[str]:
    """The names of a regression's numbers: intercept, a slope for each column, R² and rows."""
    names = ["intercept"]
    for node in asked.together[1:]:
        text = re.sub(r"\W+", "_", expression_text(node)).strip("_")[:40] or "slope"
        taken = {*names, "r2", "count"}
        tries = (text, *(f"{text}_{number}" for number in range(2, MOST_COLUMNS + 4)))
        names.append(next(one for one in tries if one not in taken))
    return [*names, "r2", "count"]


def _measured(asked: CheckedAggregate, everything: MeasureContext) -> Measure:
    """The tables of the columns, in an order that does not depend on which explains which."""
    columns = sorted(asked.together, key=lambda one: expression_text(one.node))
    said = asked.aggregate.said
    nodes = [one.node for one in columns]
    repeated = [node for place, node in enumerate(nodes) if node in nodes[:place]]
    if repeated:
        twice = expression_text(repeated[0])[:60]
        raise QueryError(
            f"{said[:80]} names a column twice. A column is wholly explained by itself. Name each "
            "one once.",
            Remedy(
                python="Ask for the spread of one column by .var().",
                sql=f"Ask for the spread of one column by VAR_POP({twice}).",
            ),
        )
    if len(columns) > MOST_COLUMNS:
        raise QueryError(
            f"{said[:80]} explains a column by {len(columns) - 1} others. Noise is added for every "
            f"two of them, so that at most {MOST_COLUMNS - 1} are taken. Name fewer."
        )
    return Relations(tuple(grid_steps(one, RELATION_POINTS, everything.rules) for one in columns))


COVARIANCE = Statistic(
    symbol="COVARIANCE",
    name="cov",
    words="the covariance of {first} and {others}",
    measured=_measured,
    takes=ArgumentKind.TOGETHER,
    sql=("COVAR_POP",),
    label="covar_pop",
)
CORRELATION = Statistic(
    symbol="CORRELATION",
    name="corr",
    words="the correlation of {first} and {others}",
    measured=_measured,
    takes=ArgumentKind.TOGETHER,
    sql=("CORR",),
)
SLOPE = Statistic(
    symbol="SLOPE",
    name="slope",
    words="the slope of {first} on {others}",
    measured=_measured,
    takes=ArgumentKind.TOGETHER,
    sql=("REGR_SLOPE",),
    label="regr_slope",
)
INTERCEPT = Statistic(
    symbol="INTERCEPT",
    name="intercept",
    words="the intercept of {first} on {others}",
    measured=_measured,
    takes=ArgumentKind.TOGETHER,
    sql=("REGR_INTERCEPT",),
    label="regr_intercept",
)
ROWS_TOGETHER = Statistic(
    symbol="ROWS_TOGETHER",
    name="count_together",
    words="the number of rows with {first} and {others}",
    measured=_measured,
    takes=ArgumentKind.TOGETHER,
    sql=("REGR_COUNT",),
    label="regr_count",
    adds_up=True,
    counts=True,
)
R_SQUARED = Statistic(
    symbol="R_SQUARED",
    name="r_squared",
    words="the share of the variance of {first} that {others} explain",
    measured=_measured,
    takes=ArgumentKind.TOGETHER,
    sql=("REGR_R2",),
    label="regr_r2",
)
REGRESSION = Statistic(
    symbol="REGRESSION",
    name="regression",
    words="the least squares of {first} on {others}",
    measured=_measured,
    takes=ArgumentKind.TOGETHER,
    parts=regression_parts,
)
_PARTS = {
    "COVARIANCE": "cov",
    "CORRELATION": "corr",
    "SLOPE": "0",
    "INTERCEPT": "intercept",
    "ROWS_TOGETHER": "count",
    "R_SQUARED": "r2",
}
