"""The sum of a column."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from discreet.measures.counts import flagged
from discreet.measures.measure import (
    POINTS,
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
    Norm,
    Output,
    Statistic,
    Steps,
    SumsReading,
    Unit,
    fills_missing,
    grid_steps,
    linear_estimate,
    treatment,
)
from discreet.measures.noise_choice import laplace_noise
from discreet.mechanisms.laplace import Laplace
from discreet.plan.expressions import Node


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of a column.

    Under add/remove one unit moves it by at most its weight times the bound that is farthest from
    zero.  Under replace one sum goes and another comes: in one group both lie between the same
    ends, in two groups each moves by itself.  In L2, where a person's weights may be spread over
    groups without getting less, what goes and what comes can be of both signs in both groups.
    """

    value: Steps
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = False
    draws: ClassVar[int] = 0
    moves: ClassVar[str] = ""

    @property
    def node(self) -> Node:
        """The column."""
        return self.value.node

    @property
    def recorded(self) -> str:
        """As version 0.1.0 wrote it."""
        return f"Total(value={self.value!r})"

    @property
    def reading(self) -> SumsReading:
        """Sums from the lower bound up: where that is not zero, also of how many."""
        return SumsReading(self.value, present=self.value.range.low != 0)

    def vector(self, summed: GroupSums) -> list[int]:
        """The sum from zero."""
        return [summed.total + self.value.range.low * summed.present]

    def step(self, unit: Unit) -> Fraction:
        """A grid step, by weight."""
        return self.value.range.grid.step / unit.row_share

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """What the cap on rows and the bounds allow."""
        weights, bounds = unit.row_weights, self.value.range
        below, above = max(-bounds.low, 0), max(bounds.high, 0)
        farthest, within = max(below, above), below + above
        if not unit.replaced:
            return weights.reach(farthest, farthest**2)
        if not unit.keyed:
            return weights.reach(within, within**2)
        squared = max(2 * farthest**2, within**2)
        if weights.norm is Norm.L2:
            squared = 2 * (below**2 + above**2)
        return weights.reach(2 * farthest, squared)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> Laplace:
        """Laplace noise."""
        return laplace_noise(self.sensitivity(unit).l1, epsilon)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The released sum."""
        return linear_estimate([self.step(unit)], noise, signed=self.value.range.low < 0)

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """The error does not depend on it."""
        return [0]

    def left_out(self, output: Output, unit: Unit) -> LeftOut | None:
        """Values of rows beyond the cap."""
        return self.value.left_out(Answers.SUM) if unit.by_person else None

    def note(self, output: Output, unit: Unit) -> str:
        """What the bounds do, and missing values."""
        return treatment([self.value.clipping, *self.value.filling])


@dataclass(frozen=True, slots=True)
class FixedTotal:
    """The sum of a column over a public number of rows, from which its mean follows.

    No row can leave, so that replacing one moves the sum by at most the length of the range.
    """

    value: Steps
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = False
    draws: ClassVar[int] = 0
    moves: ClassVar[str] = ""

    @property
    def node(self) -> Node:
        """The column."""
        return self.value.node

    @property
    def recorded(self) -> str:
        """As version 0.1.0 wrote it."""
        return f"FixedTotal(value={self.value!r})"

    @property
    def reading(self) -> SumsReading:
        """Sums from the lower bound up: where that is not zero, also of how many."""
        return SumsReading(self.value, present=self.value.range.low != 0)

    def vector(self, summed: GroupSums) -> list[int]:
        """The sum from zero."""
        return [summed.total + self.value.range.low * summed.present]

    def step(self, unit: Unit) -> Fraction:
        """A grid step."""
        return self.value.range.grid.step

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """The length of the range."""
        moved = self.value.range.width
        return MeasureSensitivity(moved, moved**2)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> Laplace:
        """Laplace noise."""
        return laplace_noise(self.sensitivity(unit).l1, epsilon)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The released sum, or its share of each row."""
        parts = 1 if output.aggregate.statistic is SUM else max(rows or 0, 1)
        signed = self.value.range.low < 0
        return linear_estimate([self.step(unit) / parts], noise, signed=signed)

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """The error of a mean depends on the number of rows."""
        return [0] if output.aggregate.statistic is SUM or rows is not None else None

    def left_out(self, output: Output, unit: Unit) -> LeftOut | None:
        """Nothing."""
        return None

    def note(self, output: Output, unit: Unit) -> str:
        """What the bounds do, and missing values."""
        return treatment([self.value.clipping, *self.value.filling])


def fixed_total(asked: CheckedAggregate, everything: MeasureContext) -> FixedTotal | None:
    """The sum over a public number of rows, where that is what a sum or a mean needs."""
    if asked.typed is None or not everything.rules.fixed:
        return None
    if not fills_missing(asked.typed, everything.rules):
        return None
    return FixedTotal(grid_steps(asked.typed, POINTS, everything.rules))


def _measured(asked: CheckedAggregate, everything: MeasureContext) -> Measure:
    if asked.typed is None:
        raise TypeError("a sum has an expression")
    fixed = fixed_total(asked, everything)
    if fixed is not None:
        return fixed
    shared, ones = everything.moments.get(asked.typed.node), flagged(asked.typed.node)
    if shared is None and ones is not None and not fills_missing(asked.typed, everything.rules):
        shared = everything.parts.get(ones)
    return shared or Total(grid_steps(asked.typed, POINTS, everything.rules))


SUM = Statistic(
    symbol="SUM",
    name="sum",
    words="the sum of {of}",
    measured=_measured,
    takes=ArgumentKind.NUMBERS,
    sql=("SUM",),
    adds_up=True,
)
