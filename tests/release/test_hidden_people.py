"""People whom a profile does not see: how many may hide is counted, said, and in the interval.

The shapes of tables were written down by somebody who had not read the code.  Rows are never read:
a naive twin counts them in plain arithmetic, and profile and answer get fresh noise in each trial.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import inf
from typing import Any

import numpy
import pytest
from scipy.stats import binom

import discreet as dp
from discreet.accounting.filters import Filter
from discreet.engines.base import SIZES, SizeKind
from discreet.ledger import Entry
from discreet.mechanisms.laplace import Laplace
from discreet.noise import Keystream
from discreet.plan.schema import Schema
from discreet.privacy.estimates import LinearError
from discreet.privacy.sensitivity import Sensitive
from discreet.privacy.uncertainty import NoiseDraw
from discreet.question.check import Question, checked_question
from discreet.question.query import Query
from discreet.release import profile
from discreet.release.caps import cap_effects
from discreet.release.profile import Profile, SizeHistogram, plan_profile, read_profile

FALSE_ALARM = 1e-6
"""How often a test of this file may fail without a fault."""
CAP, ASKED = 5, Fraction(1)
BITS = Keystream()
Crowd = tuple[int, int]
"""So many people with so many rows each."""

HIDDEN: list[Crowd] = [(950, 1), (50, 300)]
"""94% of the rows are those of people who are fewer than a bin of a small profile shows."""
SHAPES: dict[str, list[Crowd]] = {
    "hidden crowd": HIDDEN,
    "uniform": [(2000, 3)],
    "two kinds, near": [(1000, 2), (60, 8)],
    "crowd far away": [(5000, 1), (40, 2000)],
    "crowds at several distances": [(3000, 1), (60, 5), (50, 40), (40, 500)],
    "power law": [(1, max(1, int(3000 / place ** (1 / 1.2)))) for place in range(1, 4001)],
    "geometric": [(round(1500 * 0.1 * 0.9 ** (size - 1)), size) for size in range(1, 50)],
    "doubling steps": [(30, 1 << power) for power in range(11)],
    "at the edge of being seen": [(1500, 2), (90, 64)],
    "mostly large": [(100, 1), (2000, 50)],
    "tiny": [(60, 1), (20, 90)],
}
FEW: dict[str, list[Crowd]] = {
    "few whales": [(1000, 4), (3, 10_000)],
    "one whale": [(800, 1), (1, 100_000)],
}
"""Nobody can count those who are so few: what they have breaks the condition that is printed."""


@dataclass(frozen=True, eq=False)
class Trials:
    """One table, of which profiles and counts are made again and again."""

    crowds: Sequence[Crowd]
    epsilon: str
    ceiling: int | None = None

    @cached_property
    def rows(self) -> int:
        return sum(people * many for people, many in self.crowds)

    @property
    def largest(self) -> int:
        return max(many for _, many in self.crowds)

    def beyond(self, size: int) -> int:
        """How many people have more rows than this."""
        return sum(people for people, many in self.crowds if many > size)

    @cached_property
    def schema(self) -> Schema:
        wards = {"ward": dp.category(["A", "B", "C"])}
        return Schema(
            name="visits",
            unit="patient",
            columns=wards,
            max_rows=CAP,
            max_groups=1,
            at_most_rows=self.ceiling,
        )

    @cached_property
    def question(self) -> Question:
        return checked_question(Query(keys=(), outputs=(("n", dp.rows().aggregate),)), self.schema)

    def tally(self, _: Any, asked: Question, kind: SizeKind, bins: int = len(SIZES)) -> Any:
        """People by size: everybody is in one ward."""
        held = Counter[int]()
        for people, many in self.crowds:
            size = many if kind is SizeKind.ROWS else 1
            held[min(next((i for i, top in enumerate(SIZES) if size <= top), 41), bins)] += people
        return Sensitive(numpy.array([held[place] for place in range(bins + 1)], numpy.int64))

    def profile(self, patched: pytest.MonkeyPatch) -> Profile:
        """A profile with fresh noise, written down and read."""
        patched.setattr(profile, "people_by_size", self.tally)
        nobody = numpy.zeros(1, numpy.int64)
        patched.setattr(profile, "rows_without_unit", lambda *_: Sensitive(nobody.copy()))
        plan = plan_profile(self.schema, Filter, epsilon=self.epsilon)
        entry = Entry(1, "", "", "released", "visits", None, None, 1, "", "")
        found = read_profile(entry, plan.run(None, BITS), self.schema)  # type: ignore[arg-type]
        assert found is not None
        return found

    def interval(self, known: Profile) -> tuple[float, float, str]:
        """Where the number of rows is said to lie, and on which condition."""
        [output] = self.question.outputs
        noise = Laplace(scale=CAP / ASKED)
        counted = sum(people * min(many, CAP) for people, many in self.crowds)
        [value] = noise.release(Sensitive(numpy.array([counted], numpy.int64)), BITS)
        error = LinearError(((Fraction(1), NoiseDraw(noise)),))
        effects = cap_effects(self.question, self.question.unit, known)
        truth, condition = effects.truth(output, self.question.unit, int(value), error, None)
        low, high = (truth or error).interval(int(value), Fraction(19, 20))
        return low, high, condition

    def holds(self, patched: pytest.MonkeyPatch, tries: int) -> Iterator[bool]:
        """Whether the truth is where each answer says."""
        for _ in range(tries):
            low, high, _ = self.interval(self.profile(patched))
            yield low <= self.rows <= high


def believed(held: Sequence[bool], chance: float = 0.05) -> bool:
    """Whether so many misses are no more than chance makes."""
    missed = len(held) - sum(held)
    return missed <= binom.isf(FALSE_ALARM, len(held), chance)


QUICK = pytest.param(30, id="short")
SOAK = pytest.param(1000, id="long", marks=pytest.mark.soak)
