"""Quantiles of a column, the median among them."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
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
from discreet.mechanisms.quantiles import Quantiles, equal_draws
from discreet.mechanisms.ranks import round_numbers
from discreet.plan.expressions import Node
from discreet.plan.schema import date_text
from discreet.privacy.estimates import RankError
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
    moves: ClassVar[str] = " rows"

    @property
    def node(self) -> Node:
        """The column."""
        return self.value.node

    @property
    def width(self) -> int:
        """One for each level."""
        return len(self.levels)

    @property
    def draws(self) -> Fraction:
        """One after the other: the middle level first, then those on either side at once."""
        return equal_draws(len(self.levels))

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

    def mechanism(self, unit: Unit, epsilon: Fraction) -> Quantiles:
        """The exponential mechanism, by recursive halving."""
        level, relation = rank_price(unit, epsilon)
        return Quantiles(
            probabilities=self.levels,
            epsilon=level,
            width=self.value.range.width,
            neighbors=relation,
            share=rank_weight(unit),
            measure=None if self.given else round_numbers(self.value.range),
        )

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The value at a level, and how far its rank may be off."""
        place = self.levels.index(output.level or Fraction(1, 2))
        error = rank_error(_rank_errors(noise)[place], unit)
        value = self.value

        def decoded(noisy: Sequence[int]) -> tuple[Any, RankError]:
            number = value.number(value.range.low + noisy[place])
            return (date_text(int(number)) if output.dated else number), error

        return decoded

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


@lru_cache(maxsize=64)
def _rank_errors(mechanism: Quantiles) -> list[float]:
    """The errors of all levels: each output asks for its own."""
    return mechanism.rank_errors(CONFIDENCE)


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
