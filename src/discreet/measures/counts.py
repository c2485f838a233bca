"""Counts: rows, rows that have a value, people, and different values."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from discreet.measures.measure import (
    ArgumentKind,
    CapName,
    CheckedAggregate,
    Decoder,
    DistinctReading,
    GroupSums,
    Measure,
    MeasureContext,
    MeasureSensitivity,
    Norm,
    Output,
    PeopleReading,
    Presence,
    Statistic,
    SumsReading,
    Unit,
    fills_missing,
    linear_estimate,
    not_covered,
    sums_weighed_down,
    weighed_down,
)
from discreet.measures.noise_choice import laplace_noise
from discreet.mechanisms.additive_noise import Exact
from discreet.mechanisms.laplace import Laplace
from discreet.plan.expressions import Chosen, Constant, Node
from discreet.privacy.estimates import LinearError


@dataclass(frozen=True, slots=True)
class Rows:
    """The number of rows in each group."""

    node: ClassVar[None] = None
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = False
    draws: ClassVar[int] = 0
    moves: ClassVar[str] = ""
    recorded: ClassVar[str] = "Rows()"
    reading: ClassVar[SumsReading] = SumsReading()

    def vector(self, summed: GroupSums) -> list[int]:
        """Their weight."""
        return [summed.rows]

    def step(self, unit: Unit) -> Fraction:
        """One row is so many steps."""
        return Fraction(1, unit.row_share)

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """What the cap on rows allows."""
        return unit.moved_by_row(1)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> Laplace:
        """Laplace noise."""
        return laplace_noise(self.sensitivity(unit).l1, epsilon)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The released number."""
        return linear_estimate([self.step(unit)], noise)

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """The error does not depend on it."""
        return [0]

    def note(self, output: Output, unit: Unit) -> str:
        """What the cap on rows does."""
        return not_covered(sums_weighed_down(unit))


@dataclass(frozen=True, slots=True)
class Size:
    """The public number of rows of the table, under replace neighbors.

    The number is the same on all neighboring tables, so it is given without noise, for ε = 0.
    """

    node: ClassVar[None] = None
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = True
    draws: ClassVar[int] = 0
    moves: ClassVar[str] = ""
    recorded: ClassVar[str] = "Size()"
    reading: ClassVar[SumsReading] = SumsReading()

    def vector(self, summed: GroupSums) -> list[int]:
        """Their number."""
        return [summed.rows]

    def step(self, unit: Unit) -> Fraction:
        """A row."""
        return Fraction(1)

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """None."""
        return MeasureSensitivity(0, 0)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> Exact:
        """No noise."""
        return Exact()

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The number itself."""
        return lambda noisy: (noisy[0], LinearError(()))

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """It has no error."""
        return [0]

    def note(self, output: Output, unit: Unit) -> str:
        """Why it is exact."""
        return "It is exact. Neighbors replace one row, so the number of rows is public."


@dataclass(frozen=True, slots=True)
class Present:
    """The number of rows that have a value."""

    node: Node
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = False
    draws: ClassVar[int] = 0
    moves: ClassVar[str] = ""

    @property
    def recorded(self) -> str:
        """As version 0.1.0 wrote it."""
        return f"Present(node={self.node!r})"

    @property
    def reading(self) -> SumsReading:
        """Rows with a value."""
        return SumsReading(Presence(self.node), present=True)

    def vector(self, summed: GroupSums) -> list[int]:
        """Their weight."""
        return [summed.present]

    def step(self, unit: Unit) -> Fraction:
        """One row is so many steps."""
        return Fraction(1, unit.row_share)

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """What the cap on rows allows."""
        return unit.moved_by_row(1)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> Laplace:
        """Laplace noise."""
        return laplace_noise(self.sensitivity(unit).l1, epsilon)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The released number."""
        return linear_estimate([self.step(unit)], noise)

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """The error does not depend on it."""
        return [0]

    def note(self, output: Output, unit: Unit) -> str:
        """What the cap on rows does."""
        return not_covered(sums_weighed_down(unit))


def value_where_true(condition: Node) -> Node:
    """A value where a condition is true, and none elsewhere."""
    return Chosen(condition, Constant(Fraction(1)), Constant(None))


def rows_measured(asked: CheckedAggregate, everything: MeasureContext) -> Measure:
    """Rows, which come with a column's moments where those are asked for too."""
    if everything.rules.fixed:
        return Size()
    return next(iter(everything.moments.values()), Rows())


def _present_measured(asked: CheckedAggregate, everything: MeasureContext) -> Measure:
    if asked.typed is None:
        raise TypeError("a count of values has an expression")
    # Where missing values take the default, the moments no longer know which were missing.
    if fills_missing(asked.typed, everything.rules):
        return Present(asked.typed.node)
    return everything.moments.get(asked.typed.node) or Present(asked.typed.node)


ROWS = Statistic(
    symbol="ROWS",
    name="rows",
    words="the number of rows",
    measured=rows_measured,
    sql=("COUNT", "ROWS"),
    label="count",
    adds_up=True,
    counts=True,
    sizes=True,
)
COUNT = Statistic(
    symbol="COUNT",
    name="count",
    words="the number of rows that have {of}",
    measured=_present_measured,
    sql=("COUNT",),
    adds_up=True,
    counts=True,
    sizes=True,
)


@dataclass(frozen=True, slots=True)
class People:
    """The number of distinct people in each group; with a condition, of those it is true for.

    A person in n groups adds min(1, cap/n) to each of them, so at most cap in L1; the squares add
    up to at most cap, so that over many groups Gaussian noise can have the lower error.  Where
    weights are capped in L2, it is min(1, √(cap/n)), and the squares add up to the same.
    """

    node: Node | None = None
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_groups"
    free: ClassVar[bool] = False
    draws: ClassVar[int] = 0
    moves: ClassVar[str] = ""

    @property
    def recorded(self) -> str:
        """As version 0.1.0 wrote it."""
        return f"People(node={self.node!r})"

    @property
    def reading(self) -> PeopleReading:
        """People, by group."""
        return PeopleReading(self.node)

    def vector(self, summed: GroupSums) -> list[int]:
        """Their weight."""
        return [summed.rows]

    def step(self, unit: Unit) -> Fraction:
        """One person is so many steps."""
        return Fraction(1, unit.group_share)

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """What the cap on groups allows."""
        weights, twice = unit.group_weights, 2 if unit.replaced and unit.keyed else 1
        share, cap = weights.share, weights.cap
        added = twice * share * cap if weights.norm is Norm.L1 else None
        return MeasureSensitivity(added, twice * cap * share**2)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> Laplace:
        """Laplace noise."""
        return laplace_noise(self.sensitivity(unit).l1, epsilon)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The released number."""
        return linear_estimate([self.step(unit)], noise)

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """The error does not depend on it."""
        return [0]

    def note(self, output: Output, unit: Unit) -> str:
        """What the cap on groups does."""
        if unit.group_share == 1:
            return ""
        return not_covered([f"weighing down of people with more than {unit.group_cap} groups"])


def _people_measured(asked: CheckedAggregate, everything: MeasureContext) -> Measure:
    if not everything.rules.by_person:
        if asked.typed is not None:
            return Present(value_where_true(asked.typed.node))
        return rows_measured(asked, everything)
    return People(None if asked.typed is None else asked.typed.node)


PEOPLE = Statistic(
    symbol="PEOPLE",
    name="people",
    words="the number of {people}",
    measured=_people_measured,
    takes=ArgumentKind.CONDITION,
    sql=("PEOPLE",),
    adds_up=True,
    counts=True,
    sizes=True,
)


@dataclass(frozen=True, slots=True)
class Distinct:
    """The number of distinct values; of each person at most as many count as the cap says."""

    node: Node
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = False
    draws: ClassVar[int] = 0
    moves: ClassVar[str] = ""

    @property
    def recorded(self) -> str:
        """As version 0.1.0 wrote it."""
        return f"Distinct(node={self.node!r})"

    @property
    def reading(self) -> DistinctReading:
        """Different values."""
        return DistinctReading(self.node)

    def vector(self, summed: GroupSums) -> list[int]:
        """Their number."""
        return [summed.rows]

    def step(self, unit: Unit) -> Fraction:
        """A value."""
        return Fraction(1)

    def sensitivity(self, unit: Unit) -> MeasureSensitivity:
        """What the cap on rows allows: no more values come or go than a unit has."""
        twice, cap = 2 if unit.replaced and unit.keyed else 1, unit.row_cap
        return MeasureSensitivity(twice * cap, twice * cap**2)

    def mechanism(self, unit: Unit, epsilon: Fraction) -> Laplace:
        """Laplace noise."""
        return laplace_noise(self.sensitivity(unit).l1, epsilon)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The released number."""
        return linear_estimate([Fraction(1)], noise)

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """The error does not depend on it."""
        return [0]

    def note(self, output: Output, unit: Unit) -> str:
        """What the cap on rows does."""
        return not_covered(weighed_down(unit))


def _distinct_measured(asked: CheckedAggregate, everything: MeasureContext) -> Measure:
    if asked.typed is None:
        raise TypeError("different values have an expression")
    return Distinct(asked.typed.node)


DISTINCT = Statistic(
    symbol="DISTINCT",
    name="n_unique",
    words="the number of different values of {of}",
    measured=_distinct_measured,
    sql=("N_UNIQUE",),
    label="count_distinct",
    adds_up=True,
    counts=True,
)
