"""How many different values there are."""

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
from discreet.measures.reading import Different, Summed
from discreet.measures.unit import CapName, Reach, Unit
from discreet.plan.expressions import Node


@dataclass(frozen=True, slots=True)
class Distinct:
    """How many different values there are; of each person the cap's worth of them counts."""

    node: Node
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_rows"
    free: ClassVar[bool] = False
    uses_delta: ClassVar[bool] = False
    moves: ClassVar[str] = ""

    @property
    def recorded(self) -> str:
        """As version 0.1.0 wrote it."""
        return f"Distinct(node={self.node!r})"

    @property
    def reading(self) -> Different:
        """Different values."""
        return Different(self.node)

    def vector(self, summed: Summed) -> list[int]:
        """Their number."""
        return [summed.rows]

    def step(self, unit: Unit) -> Fraction:
        """A value."""
        return Fraction(1)

    def sensitivity(self, unit: Unit) -> Reach:
        """What the cap on rows allows: no more values come or go than a unit has."""
        return unit.reach(unit.row_cap)

    def mechanism(self, unit: Unit, epsilon: Fraction, delta: Fraction) -> Noise:
        """Laplace noise."""
        return laplace(self.sensitivity(unit).l1, epsilon)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The released number."""
        return linear([Fraction(1)], noise)

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """The error does not depend on it."""
        return [0]

    def note(self, output: Output, unit: Unit) -> str:
        """What the cap on rows does."""
        return not_covered(weighed_down(unit))


def _measured(asked: Asked, everything: Everything) -> Measure:
    if asked.typed is None:
        raise TypeError("different values have an expression")
    return Distinct(asked.typed.node)


DISTINCT = Statistic(
    symbol="DISTINCT",
    name="n_unique",
    words="the number of different values of {of}",
    measured=_measured,
    sql=("N_UNIQUE",),
    label="count_distinct",
    adds_up=True,
    counts=True,
)
