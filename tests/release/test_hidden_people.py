"""People whom a profile does not see: how many may hide is counted, said, and in the interval.

The shapes of tables were written down by somebody who had not read the code.  Rows are never read:
a naive twin counts them in plain arithmetic, and profile and answer get fresh noise in each trial.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any

import numpy
import pandas
import pytest
from scipy.stats import binom

import discreet as dp
from discreet.accounting.filters import Filter
from discreet.engines.base import SIZES, SizeKind
from discreet.errors import Front
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
from discreet.release.caps import cap_effects, cap_notes, suggest_caps
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


QUICK = pytest.param(16, id="short")
SOAK = pytest.param(1000, id="long", marks=pytest.mark.soak)


# ---------------------------------------------------------------------- intervals hold the truth


@pytest.mark.parametrize("tries", [QUICK, SOAK])
@pytest.mark.parametrize("epsilon", ["0.2", "1"])
@pytest.mark.parametrize("shape", SHAPES)
def test_intervals_hold_the_truth_whatever_shape_a_table_has(
    shape: str, epsilon: str, tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert believed(list(Trials(SHAPES[shape], epsilon).holds(monkeypatch, tries)))


@pytest.mark.parametrize("tries", [QUICK, SOAK])
@pytest.mark.parametrize("shape", SHAPES | FEW)
def test_where_the_printed_condition_holds_so_does_the_interval(
    shape: str, tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The condition names the largest size there is: then any crowd may hide, and few whales."""
    trials = Trials((SHAPES | FEW)[shape], "0.2")

    def true(self: SizeHistogram) -> int | None:
        return trials.largest if self.again and self.again.counts else None

    monkeypatch.setattr(SizeHistogram, "largest", property(true))
    assert believed(list(trials.holds(monkeypatch, tries)))


@pytest.mark.parametrize("shape", FEW)
def test_of_those_too_few_to_be_counted_the_answer_says_what_would_have_to_hold(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials = Trials(FEW[shape], "0.2")
    for _ in range(20):
        known = trials.profile(monkeypatch)
        low, high, condition = trials.interval(known)
        if not low <= trials.rows <= high:
            largest = known.rows.largest
            assert largest is not None
            assert largest < trials.largest  # so the condition that is printed is false
            assert condition == f"if no patient has more than {largest:,} rows"
            assert "may have more than" in known.hidden_text


@pytest.mark.parametrize("tries", [QUICK, SOAK])
@pytest.mark.parametrize("shape", SHAPES | FEW)
def test_as_many_are_hidden_as_is_said(
    shape: str, tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials, held, tail = Trials((SHAPES | FEW)[shape], "0.2"), [], Fraction(1, 40)
    for _ in range(tries):
        again = trials.profile(monkeypatch).rows.again
        assert again is not None
        hidden = trials.beyond(again.reach)
        held.append(again.beyond.lower(tail) <= hidden <= again.beyond.upper(tail))
    assert believed(held)


@pytest.mark.parametrize("shape", ["hidden crowd", "uniform", "crowds at several distances"])
def test_a_ceiling_needs_nobody_counted_twice(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trials = Trials(SHAPES[shape], "0.2", ceiling=4096)
    for _ in range(5):
        known = trials.profile(monkeypatch)
        assert known.rows.again is None
        assert trials.interval(known)[2] == ""
    assert believed(list(trials.holds(monkeypatch, 30)))


def test_the_share_that_is_said_to_be_counted_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 16,000 rows 8% are counted: "about 100%" was said of them."""
    trials, held = Trials(HIDDEN, "0.2"), []
    share = sum(people * min(many, CAP) for people, many in HIDDEN) / trials.rows
    for _ in range(30):
        known = trials.profile(monkeypatch)
        effect = cap_effects(trials.question, trials.question.unit, known).rows
        assert effect is not None
        if effect.kept is None:  # where noise shows somebody very far out, nothing is said
            continue
        assert (effect.kept.about is None) == known.rows.unplaced
        held.append(effect.kept.least <= share <= effect.kept.most)
    assert believed(held)


def test_suggested_caps_allow_for_a_hidden_crowd(monkeypatch: pytest.MonkeyPatch) -> None:
    trials, high = Trials(HIDDEN, "0.2"), []
    for _ in range(30):
        found = suggest_caps(trials.profile(monkeypatch), trials.schema, 1)
        high.append(found.max_rows >= 300)
        assert f" {found.condition}" in str(found)
    assert believed(high)


# ---------------------------------------------------------------------- negative controls


def test_to_forget_the_hidden_would_be_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule of 0.2.0 in its plainest form: nobody is where nobody is seen."""
    monkeypatch.setattr(SizeHistogram, "lost", lambda self, weigh, most: self.total(weigh, most))
    for shape in ("hidden crowd", "crowd far away"):
        assert not believed(list(Trials(SHAPES[shape], "0.2").holds(monkeypatch, 30))), shape


def test_to_take_the_hidden_for_little_larger_than_the_seen_would_be_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """32 times the largest that is seen, which 0.2.0 took for the largest size there is."""

    def largest(self: SizeHistogram) -> int | None:
        return SIZES[min(self.seen + 9, len(SIZES) - 1)] if self.seen else None

    monkeypatch.setattr(SizeHistogram, "largest", property(largest))
    assert not believed(list(Trials(HIDDEN, "0.2").holds(monkeypatch, 60)))


# ---------------------------------------------------------------------- profiles of 0.2.0


def old(trials: Trials, patched: pytest.MonkeyPatch) -> Profile:
    """A profile as 0.2.0 wrote it, of a table without a ceiling."""
    plan = plan_profile(replace(trials.schema, at_most_rows=4096), Filter, epsilon=trials.epsilon)
    trials.profile(patched)
    data = plan.run(None, BITS)  # type: ignore[arg-type]
    assert b"again" not in data
    found = read_profile(
        Entry(1, "", "", "released", "visits", None, None, 1, "", ""), data, trials.schema
    )
    assert found is not None
    return found


def test_of_a_profile_that_did_not_count_the_hidden_no_upper_end_follows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trials = Trials(HIDDEN, "0.2")
    known = old(trials, monkeypatch)
    low, high, condition = trials.interval(known)
    assert (high, condition) == (inf, "")
    assert low <= trials.rows
    assert "is not known" in known.hidden_text
    unit, front = trials.question.unit, Front.PYTHON
    [note] = cap_notes(cap_effects(trials.question, unit, known), trials.question, unit, front)[:1]
    assert "again=True" in note
    with pytest.raises(dp.QueryError, match="again=True"):
        suggest_caps(known, trials.schema, 1)
    # With a ceiling it knows all that a profile of today knows.
    sure = Trials(HIDDEN, "0.2", ceiling=4096)
    low, high, _ = sure.interval(known)
    assert low <= sure.rows <= high < inf


# ---------------------------------------------------------------------- what people read


def test_the_condition_stands_beside_the_interval() -> None:
    rows = [(person, "A") for people, many in HIDDEN for person in range(people)]
    with dp.table(
        pandas.DataFrame(rows, columns=["patient", "ward"]),
        name="visits",
        unit="patient",
        budget=dp.Budget(epsilon=20),
        columns={"ward": dp.category(["A", "B", "C"])},
        max_rows=CAP,
        max_groups=1,
        ledger=":memory:",
    ) as table:
        known = table.profile(epsilon=2)
        answer = table.group_by("ward").agg(n=dp.rows()).release(epsilon=1)
        assert known.hidden_text in f"{known} {answer.notes}"
    condition = f"if no patient has more than {known.rows.largest:,} rows"
    for one in answer.column("n"):
        assert condition in str(one)
        assert one.condition == condition
        assert (one + one).condition == condition
    assert f"likely: {condition}" in " ".join(str(answer).split())
    assert any(note.startswith(f"likely: {condition}. ") for note in answer.notes)
