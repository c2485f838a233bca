"""Quantiles of a column, the median among them."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from discreet.measures.measure import (
    CONFIDENCE,
    Answers,
    ArgumentKind,
    CapName,
    CheckedAggregate,
    Decoder,
    GroupSums,
    LeftOut,
    Measure,
    MeasureContext,
    MeasureSensitivity,
    Output,
    PositionsReading,
    Statistic,
    Steps,
    Unit,
    grid_steps,
    treatment,
)
from discreet.mechanisms.quantile_intervals import BoundedQuantiles, equal_draws
from discreet.mechanisms.quantiles import Quantiles
from discreet.mechanisms.ranks import BaseMeasure, round_numbers
from discreet.plan.expressions import Node
from discreet.privacy.estimates import MeasuredRankError, RankError
from discreet.privacy.sensitivity import Neighbors

RANK_POINTS = 1 << 26  # every doubling widens the rank error of a median by 0.7/ε


@dataclass(frozen=True, slots=True)
class Ranks:
    """Quantiles of a column, on a grid that was chosen to hold round numbers.

    ``given`` says that somebody gave the grid: then no value of it is more likely than another.
    """

    value: Steps
    levels: tuple[Fraction, ...]
    given: bool = False
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = False
    moves: ClassVar[str] = "row"

    @property
    def node(self) -> Node:
        """The column."""
        return self.value.node

    @property
    def width(self) -> int:
        """For each level its value, the size of its interval, and how far off its rank is."""
        return 3 * len(self.levels)

    @property
    def draws(self) -> Fraction:
        """One after the other: values, intervals around them, and noise on their ranks."""
        return equal_draws(self.levels, self.value.range.width, self._likely)

    @property
    def recorded(self) -> str:
        """As version 0.1.0 wrote it."""
        return f"Ranks(value={self.value!r}, levels={self.levels!r})"

    @property
    def reading(self) -> PositionsReading:
        """Rows in order."""
        return PositionsReading(self.value)

    def vector(self, summed: GroupSums) -> list[int]:
        """It is not made of sums."""
        raise TypeError("quantiles are chosen from rows in order")

    def step(self, unit: Unit) -> Fraction:
        """A row is so many steps."""
        return Fraction(1, unit.rank_share)

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """The weight that one unit adds or takes away."""
        return rank_reach(unit)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> BoundedQuantiles:
        """The exponential mechanism for values and intervals, Laplace noise for ranks."""
        level, relation = rank_price(unit, epsilon)
        return BoundedQuantiles(
            probabilities=self.levels,
            epsilon=level,
            width=self.value.range.width,
            neighbors=relation,
            share=rank_weight(unit),
            measure=self._likely,
        )

    def unbounded_mechanism(self, unit: Unit, epsilon: Fraction) -> Quantiles:
        """What released values alone, before they had intervals: answers of that time are kept."""
        level, relation = rank_price(unit, epsilon)
        return Quantiles(
            probabilities=self.levels,
            epsilon=level,
            width=self.value.range.width,
            neighbors=relation,
            share=rank_weight(unit),
            measure=self._likely,
        )

    @property
    def _likely(self) -> BaseMeasure | None:
        return None if self.given else round_numbers(self.value.range)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The value at a level, an interval that holds it, and how far its rank may be off."""
        place, count = self._place(output), len(self.levels)
        interval = noise.interval(place)

        def decoded(noisy: Sequence[int]) -> tuple[Any, RankError | MeasuredRankError]:
            point = noisy[place]
            error = rank_error(noise.stated_rank(noisy, place, CONFIDENCE), unit)
            if interval is None:
                return self._shown(point, output), error
            size = noisy[count + place]

            def bounds(confidence: Fraction) -> tuple[Any, Any]:
                low, high = interval.ends(point, size, confidence)
                return self._shown(low, output), self._shown(high, output)

            whole = interval.ends(point, size) == (0, self.value.range.width)
            return self._shown(point, output), MeasuredRankError(error.records, bounds, whole)

        return decoded

    def planned_rank_error(self, output: Output, noise: Any, unit: Unit) -> tuple[float, bool]:
        """About how far off a rank will be stated to be, and whether it is measured then."""
        error, measured = noise.planned_rank(self._place(output), CONFIDENCE)
        return rank_error(error, unit).records, measured

    def _place(self, output: Output) -> int:
        return self.levels.index(output.level or Fraction(1, 2))

    def _shown(self, point: int, output: Output) -> Any:
        """The value at a point; a date or a datetime as text."""
        return output.shown(self.value.number(self.value.range.low + point))

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """The error of a rank does not depend on it."""
        return [0] * self.width

    def left_out(self, output: Output, unit: Unit) -> LeftOut | None:
        """Rows beyond the cap."""
        return LeftOut("max_rows", Answers.RANK) if unit.by_person else None

    def note(self, output: Output, unit: Unit) -> str:
        """What the bounds and the grid do, and missing values."""
        grid = f"they are rounded to multiples of {float(self.value.range.grid.step):.2g}"
        rounded = [] if self.value.whole else [grid]
        parts = [self.value.clipping, *self.value.filling, *rounded]
        return treatment(parts)


def rank_reach(unit: Unit) -> MeasureSensitivity:
    """The weight that one unit adds or takes away."""
    weight = rank_weight(unit)
    return MeasureSensitivity(weight, weight**2)


def rank_weight(unit: Unit) -> int:
    """The weight of all rows of one unit, at most."""
    return unit.rank_share * unit.row_cap


def rank_error(weight: float, unit: Unit) -> RankError:
    """An error of rank in rows, from one in weight."""
    return RankError(weight if unit.rank_share == 1 else weight / unit.rank_share)


def rank_price(unit: Unit, epsilon: Fraction) -> tuple[Fraction, Neighbors]:
    """The ε of each group, and the relation that it is for.

    Between groups, replacing is removing and adding: what costs ε/2 for each costs ε for both.
    """
    if not unit.keyed:
        return epsilon, unit.neighbors
    return epsilon / 2 if unit.replaced else epsilon, Neighbors.ADD_REMOVE


def _measured(asked: CheckedAggregate, everything: MeasureContext) -> Measure:
    if asked.typed is None:
        raise TypeError("a quantile has an expression")
    levels = {
        level
        for other in everything.asked
        if other.aggregate.statistic is QUANTILE
        and other.typed is not None
        and other.typed.node == asked.typed.node
        for level in other.aggregate.levels
    }
    value = grid_steps(asked.typed, RANK_POINTS, everything.rules)
    return Ranks(value, tuple(sorted(levels)))


QUANTILE = Statistic(
    symbol="QUANTILE",
    name="quantile",
    words="{levels} of {of}",
    measured=_measured,
    takes=ArgumentKind.ORDER,
    sql=("QUANTILE",),
    ranked=True,
)
