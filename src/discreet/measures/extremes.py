"""The largest and the smallest value of a column."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from discreet.exact import Rounding
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
from discreet.measures.quantiles import rank_error, rank_price, rank_reach, rank_weight
from discreet.mechanisms.extremes import NearMaximum
from discreet.mechanisms.ranks import toward_middle
from discreet.plan.expressions import Node
from discreet.privacy.estimates import RankError

END_POINTS = 1 << 24  # every doubling widens the rank error by 1.7/ε


@dataclass(frozen=True, slots=True)
class Extreme:
    """A value near the largest or the smallest one of a column.

    Values are rounded away from the others, so that what is above the released value was above it
    before rounding.  ``given`` says that somebody gave the grid.
    """

    value: Steps
    largest: bool
    given: bool = False
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = False
    draws: ClassVar[int] = 1
    moves: ClassVar[str] = "row"

    @property
    def node(self) -> Node:
        """The column."""
        return self.value.node

    @property
    def recorded(self) -> str:
        """As version 0.1.0 wrote it."""
        return f"Extreme(value={self.value!r}, largest={self.largest!r})"

    @property
    def reading(self) -> PositionsReading:
        """Rows in order, counted so that the end that is asked for is the largest."""
        return PositionsReading(self.value, mirrored=True)

    def vector(self, summed: GroupSums) -> list[int]:
        """It is not made of sums."""
        raise TypeError("an end is chosen from rows in order")

    def step(self, unit: Unit) -> Fraction:
        """A row is so many steps."""
        return Fraction(1, unit.rank_share)

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """The weight that one unit adds or takes away."""
        return rank_reach(unit)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> NearMaximum:
        """The exponential mechanism on ranks near the end."""
        bounds = self.value.range if self.largest else self.value.range.flipped
        return NearMaximum(
            epsilon=rank_price(unit, epsilon)[0],
            width=bounds.width,
            share=rank_weight(unit),
            measure=None if self.given else toward_middle(bounds),
        )

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The value, and how many rows may lie beyond it."""
        error = rank_error(noise.rank_error(CONFIDENCE), unit)

        def decoded(noisy: Sequence[int]) -> tuple[Any, RankError]:
            number = self.number(noisy[0])
            return output.shown(number), error

        return decoded

    def unbounded_mechanism(self, unit: Unit, epsilon: Fraction) -> NearMaximum:
        """The same: it has never had an interval."""
        return self.mechanism(unit, epsilon)

    def planned_rank_error(self, output: Output, noise: Any, unit: Unit) -> tuple[float, bool]:
        """How many rows may lie beyond it, which is known before any is seen."""
        return rank_error(noise.rank_error(CONFIDENCE), unit).records, False

    def number(self, point: int) -> int | float:
        """The value at a released point, which is counted toward the end that is asked for."""
        bounds = self.value.range
        return self.value.number(bounds.low + point if self.largest else bounds.high - point)

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """The error of a rank does not depend on it."""
        return [0]

    def left_out(self, output: Output, unit: Unit) -> LeftOut | None:
        """Rows beyond the cap."""
        return LeftOut("max_rows", Answers.RANK) if unit.by_person else None

    def note(self, output: Output, unit: Unit) -> str:
        """What the bounds do, and missing values."""
        parts = [self.value.clipping, *self.value.filling]
        return treatment(parts)


def _largest(asked: CheckedAggregate, everything: MeasureContext) -> Measure:
    return _measured(asked, everything, largest=True)


def _smallest(asked: CheckedAggregate, everything: MeasureContext) -> Measure:
    return _measured(asked, everything, largest=False)


def _measured(asked: CheckedAggregate, everything: MeasureContext, *, largest: bool) -> Measure:
    if asked.typed is None:
        raise TypeError("an end has an expression")
    rounding = Rounding.UP if largest else Rounding.DOWN
    return Extreme(grid_steps(asked.typed, END_POINTS, everything.rules, rounding), largest)


MIN = Statistic(
    symbol="LEAST",
    name="min",
    words="about the smallest {of}",
    measured=_smallest,
    takes=ArgumentKind.ORDER,
    sql=("MIN",),
    ranked=True,
)
MAX = Statistic(
    symbol="MOST",
    name="max",
    words="about the largest {of}",
    measured=_largest,
    takes=ArgumentKind.ORDER,
    sql=("MAX",),
    ranked=True,
)
