"""How many rows there are, and how many have a value."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from discreet.measures.measure import (
    Asked,
    Decoder,
    Everything,
    Measure,
    Noise,
    Output,
    Statistic,
    laplace,
    linear,
    not_covered,
    weighed_down,
)
from discreet.measures.reading import Given, Summed, Sums
from discreet.measures.steps import filled
from discreet.measures.unit import CapName, Reach, Unit
from discreet.mechanisms.exact import Exact
from discreet.plan.expressions import Chosen, Constant, Node
from discreet.privacy.estimate import LinearError


@dataclass(frozen=True, slots=True)
class Rows:
    """How many rows are in each group."""

    node: ClassVar[None] = None
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = False
    uses_delta: ClassVar[bool] = False
    moves: ClassVar[str] = ""
    recorded: ClassVar[str] = "Rows()"
    reading: ClassVar[Sums] = Sums()

    def vector(self, summed: Summed) -> list[int]:
        """Their weight."""
        return [summed.rows]

    def step(self, unit: Unit) -> Fraction:
        """One row is so many steps."""
        return Fraction(1, unit.row_share)

    def sensitivity(self, unit: Unit) -> Reach:
        """What the cap on rows allows."""
        return unit.reach(unit.row_share * unit.row_cap)

    def mechanism(self, unit: Unit, epsilon: Fraction, delta: Fraction) -> Noise:
        """Laplace noise."""
        return laplace(self.sensitivity(unit).l1, epsilon)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The released number."""
        return linear([self.step(unit)], noise)

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """The error does not depend on it."""
        return [0]

    def note(self, output: Output, unit: Unit) -> str:
        """What the cap on rows does."""
        return not_covered(weighed_down(unit))


@dataclass(frozen=True, slots=True)
class Size:
    """How many rows the table has where replacing one row by another leaves that as it is.

    The number is the same on all neighboring tables, so it is given without noise, for ε = 0.
    """

    node: ClassVar[None] = None
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = True
    uses_delta: ClassVar[bool] = False
    moves: ClassVar[str] = ""
    recorded: ClassVar[str] = "Size()"
    reading: ClassVar[Sums] = Sums()

    def vector(self, summed: Summed) -> list[int]:
        """Their number."""
        return [summed.rows]

    def step(self, unit: Unit) -> Fraction:
        """A row."""
        return Fraction(1)

    def sensitivity(self, unit: Unit) -> Reach:
        """None."""
        return Reach(0, 0)

    def mechanism(self, unit: Unit, epsilon: Fraction, delta: Fraction) -> Noise:
        """No noise."""
        return Noise(Exact())

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
    """How many rows have a value."""

    node: Node
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = False
    uses_delta: ClassVar[bool] = False
    moves: ClassVar[str] = ""

    @property
    def recorded(self) -> str:
        """As version 0.1.0 wrote it."""
        return f"Present(node={self.node!r})"

    @property
    def reading(self) -> Sums:
        """Rows with a value."""
        return Sums(Given(self.node), present=True)

    def vector(self, summed: Summed) -> list[int]:
        """Their weight."""
        return [summed.present]

    def step(self, unit: Unit) -> Fraction:
        """One row is so many steps."""
        return Fraction(1, unit.row_share)

    def sensitivity(self, unit: Unit) -> Reach:
        """What the cap on rows allows."""
        return unit.reach(unit.row_share * unit.row_cap)

    def mechanism(self, unit: Unit, epsilon: Fraction, delta: Fraction) -> Noise:
        """Laplace noise."""
        return laplace(self.sensitivity(unit).l1, epsilon)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The released number."""
        return linear([self.step(unit)], noise)

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """The error does not depend on it."""
        return [0]

    def note(self, output: Output, unit: Unit) -> str:
        """What the cap on rows does."""
        return not_covered(weighed_down(unit))


def true_for(condition: Node) -> Node:
    """A value where a condition is true, and none elsewhere."""
    return Chosen(condition, Constant(Fraction(1)), Constant(None))


def rows_measured(asked: Asked, everything: Everything) -> Measure:
    """Rows, which come with a column's moments where those are asked for too."""
    if everything.rules.fixed:
        return Size()
    return next(iter(everything.moments.values()), Rows())


def _present_measured(asked: Asked, everything: Everything) -> Measure:
    if asked.typed is None:
        raise TypeError("a count of values has an expression")
    # Where missing values take the default, the moments no longer know which were missing.
    if filled(asked.typed, everything.rules):
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
