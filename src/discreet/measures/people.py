"""How many different people there are."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any, ClassVar

from discreet.measures.counts import Present, rows_measured, true_for
from discreet.measures.measure import (
    CONFIDENCE,
    Asked,
    Decoder,
    Everything,
    Measure,
    Noise,
    Output,
    Statistic,
    Takes,
    laplace,
    linear,
    not_covered,
)
from discreet.measures.reading import PeopleIn, Summed
from discreet.measures.unit import CapName, Reach, Unit
from discreet.mechanisms.gaussian import Gaussian
from discreet.plan.expressions import Node
from discreet.privacy.sensitivity import Sensitivity


@dataclass(frozen=True, slots=True)
class People:
    """How many different people are in each group; with a condition, those it is true for.

    A person in n groups adds min(1, cap/n) to each of them, so at most cap in L1; the squares add
    up to at most cap, so that over many groups Gaussian noise can have the lower error.
    """

    node: Node | None = None
    width: ClassVar[int] = 1
    cap_name: ClassVar[CapName] = "max_groups"
    free: ClassVar[bool] = False
    uses_delta: ClassVar[bool] = True
    moves: ClassVar[str] = ""

    @property
    def recorded(self) -> str:
        """As version 0.1.0 wrote it."""
        return f"People(node={self.node!r})"

    @property
    def reading(self) -> PeopleIn:
        """People, by group."""
        return PeopleIn(self.node)

    def vector(self, summed: Summed) -> list[int]:
        """Their weight."""
        return [summed.rows]

    def step(self, unit: Unit) -> Fraction:
        """One person is so many steps."""
        return Fraction(1, unit.group_share)

    def sensitivity(self, unit: Unit) -> Reach:
        """What the cap on groups allows."""
        share, cap = unit.group_share, unit.group_cap
        twice = 2 if unit.replaced and unit.keyed else 1
        return Reach(twice * share * cap, twice * cap * share**2)

    def mechanism(self, unit: Unit, epsilon: Fraction, delta: Fraction) -> Noise:
        """Laplace or, with a δ, Gaussian noise, whichever has the lower error."""
        reach = self.sensitivity(unit)
        found = laplace(reach.l1, epsilon)
        if delta == 0:
            return found
        gaussian = _gaussian(reach.squared_l2, epsilon, delta)
        if gaussian.accuracy(CONFIDENCE) < found.mechanism.accuracy(CONFIDENCE):
            return Noise(gaussian, delta, found.mechanism)
        return Noise(found.mechanism, instead=gaussian)

    def decoder(self, output: Output, noise: Any, unit: Unit, rows: int | None) -> Decoder:
        """The released number."""
        return linear([self.step(unit)], noise)

    def expected(self, output: Output, unit: Unit, rows: int | None) -> list[int] | None:
        """The error does not depend on it."""
        return [0]

    def note(self, output: Output, unit: Unit) -> str:
        """What the cap on groups does."""
        if unit.group_share == 1:
            return ""
        return not_covered([f"weighing down of people with more than {unit.group_cap} groups"])


@lru_cache(maxsize=256)
def _gaussian(squares: int, epsilon: Fraction, delta: Fraction) -> Gaussian:
    return Gaussian.calibrated(
        sensitivity=Sensitivity(l2=Fraction(isqrt(squares - 1) + 1)),
        epsilon=epsilon,
        delta=delta,
    )


def _measured(asked: Asked, everything: Everything) -> Measure:
    if not everything.rules.by_person:
        if asked.typed is not None:
            return Present(true_for(asked.typed.node))
        return rows_measured(asked, everything)
    return People(None if asked.typed is None else asked.typed.node)


PEOPLE = Statistic(
    symbol="PEOPLE",
    name="people",
    words="the number of {people}",
    measured=_measured,
    takes=Takes.CONDITION,
    sql=("PEOPLE",),
    adds_up=True,
    counts=True,
    sizes=True,
)
