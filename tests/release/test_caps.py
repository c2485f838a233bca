"""Intervals hold the truth, whatever the caps leave out: every small table, without noise.

The twin weighs people down in fractions, from what the page of proofs says, and knows nothing of
histograms.  The truth is the plain answer of all rows, also of those without an id.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import inf, isqrt, sqrt
from random import Random
from typing import Any

import pytest

from discreet.engines.base import SIZES
from discreet.measures.measure import SHARE, Norm, Weights
from discreet.mechanisms.laplace import Laplace
from discreet.plan.schema import Schema, category, number
from discreet.privacy.estimates import BoundedError, LinearError
from discreet.question.builder import col, people, rows
from discreet.question.check import Question, checked_question
from discreet.question.query import GroupKey, Query
from discreet.release import profile
from discreet.release.caps import CapEffect, cap_effects
from discreet.release.profile import Amount, Profile, Recount, SizeHistogram

BOUNDS = {"stay": (0, 7), "debt": (-5, 0), "change": (-3, 4)}
"""Columns whose values are never negative, never positive, and of both signs."""
ASKED = {
    "n": rows(),
    "people": people(),
    "kinds": col("stay").n_unique(),
    "total": col("stay").sum(),
    "owed": col("debt").sum(),
    "moved": col("change").sum(),
    "mean": col("change").mean(),
    "variance": col("change").var(),
    "deviation": col("change").std(),
}
WARDS = ("A", "B")
SMALL = 1e-9
"""Floats round so much, relative to numbers of this size."""
Held = tuple[int, int, int]
"""How many rows a person has in the ward A, in B, and in none that is declared."""
Values = dict[str, Fraction]


@dataclass(frozen=True)
class Ward:
    """A row's ward and its values."""

    ward: str | None
    values: Values


@dataclass(frozen=True)
class SmallTable:
    """The rows of each person, and rows without an id."""

    people: tuple[tuple[Ward, ...], ...]
    nobody: tuple[Ward, ...] = ()

    def in_ward(self, ward: str) -> list[Ward]:
        """All rows of a ward."""
        everybody = [*(row for own in self.people for row in own), *self.nobody]
        return [row for row in everybody if row.ward == ward]


def drawn(held: Sequence[Held], missing: int, seed: object) -> SmallTable:
    """A table with values drawn from the ends of the bounds and between, as often as not at one
    end for all rows of a person."""
    random = Random(str((held, missing, seed)))

    def values(person: dict[str, Fraction] | None) -> Values:
        own = {name: Fraction(random.choice([*ends, ends[0] + 2])) for name, ends in BOUNDS.items()}
        return own if person is None else person

    def person(spread: Held) -> tuple[Ward, ...]:
        alike = values(None) if random.random() < 0.6 else None
        places = (*WARDS, None)
        wards = [ward for ward, many in zip(places, spread, strict=True) for _ in range(many)]
        return tuple(Ward(ward, values(alike)) for ward in wards)

    nobody = tuple(Ward(random.choice((*WARDS, None)), values(None)) for _ in range(missing))
    return SmallTable(tuple(map(person, held)), nobody)


# ---------------------------------------------------------------------- the naive twin


@dataclass(frozen=True)
class Caps:
    """What is declared, and how people over it are weighed."""

    max_rows: int = 1
    max_groups: int = 1
    in_group: int | None = None
    norm: Norm = Norm.L1


def squared_cap(cap: Caps) -> int:
    """The largest sum of squares of rows in two groups within all caps, by trying."""
    few = range(min(cap.in_group or cap.max_rows, cap.max_rows) + 1)
    return max(
        a * a + b * b
        for a, b in product(few, repeat=2)
        if a + b <= cap.max_rows and bool(a) + bool(b) <= cap.max_groups
    )


def row_weight(held: Sequence[int], cap: Caps) -> Fraction:
    """What each row of somebody counts for who has so many rows in each group."""
    if cap.norm is Norm.L1:
        return Fraction(SHARE * cap.max_rows // max(sum(held), cap.max_rows), SHARE)
    most = squared_cap(cap)
    return Fraction(isqrt(SHARE**2 * most // max(sum(m * m for m in held), most)), SHARE)


def group_weight(groups: int, cap: Caps) -> Fraction:
    """What somebody counts for in each of so many groups."""
    most = min(cap.max_groups, len(WARDS))
    if cap.norm is Norm.L1 or most == len(WARDS):
        return Fraction(SHARE * most // max(groups, most), SHARE)
    return Fraction(isqrt(SHARE**2 * most // max(groups, most)), SHARE)


def moments(weighed: Iterable[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
    """Mean and variance; of nothing, those of nothing in particular."""
    pairs = list(weighed)
    whole = sum((weight for weight, _ in pairs), Fraction(0))
    if not whole:
        return Fraction(1, 2), Fraction(0)
    mean = sum((weight * value for weight, value in pairs), Fraction(0)) / whole
    return mean, sum((w * (x - mean) ** 2 for w, x in pairs), Fraction(0)) / whole


def answers(weighed: Sequence[tuple[Fraction, Ward]], column: str) -> tuple[Fraction, ...]:
    """Sum, mean and variance of a column."""
    pairs = [(weight, row.values[column]) for weight, row in weighed]
    return (sum((w * x for w, x in pairs), Fraction(0)), *moments(pairs))


def plain(table: SmallTable, ward: str) -> dict[str, float]:
    """The truth: what the query answers on all rows."""
    held = [(Fraction(1), row) for row in table.in_ward(ward)]
    found = {"n": len(held), "kinds": len({row.values["stay"] for _, row in held})}
    found["people"] = sum(any(row.ward == ward for row in own) for own in table.people)
    return {name: float(one) for name, one in (found | statistics(held)).items()}


def statistics(held: Sequence[tuple[Fraction, Ward]]) -> dict[str, Any]:
    total, owed = answers(held, "stay")[0], answers(held, "debt")[0]
    moved, mean, variance = answers(held, "change")
    spread = {"variance": variance, "deviation": sqrt(variance)}
    return {"total": total, "owed": owed, "moved": moved, "mean": mean} | spread


def counted(table: SmallTable, ward: str, cap: Caps) -> dict[str, Any]:
    """What is counted: everybody weighed down, and no row without an id."""
    held: list[tuple[Fraction, Ward]] = []
    inside, kinds = Fraction(0), set()
    for own in table.people:
        spread = [sum(row.ward == one for row in own) for one in WARDS]
        weight = row_weight(spread, cap)
        held += [(weight, row) for row in own if row.ward == ward]
        if any(row.ward == ward for row in own):
            inside += group_weight(sum(map(bool, spread)), cap)
        # Of a person's values in groups the first few are kept: any would do.
        pairs = sorted({(row.ward, row.values["stay"]) for row in own if row.ward in WARDS})
        kinds |= {value for where, value in pairs[: cap.max_rows] if where == ward}
    found = {"n": sum((weight for weight, _ in held), Fraction(0)), "kinds": len(kinds)}
    return found | {"people": inside} | statistics(held)


# ---------------------------------------------------------------------- what is tried


def declared(cap: Caps, **ceilings: Any) -> Schema:
    columns = {name: number(*ends) for name, ends in BOUNDS.items()}
    return Schema(
        name="visits",
        columns={"ward": category(WARDS), **columns},
        unit="patient",
        max_rows=cap.max_rows,
        max_groups=cap.max_groups,
        max_rows_per_group=cap.in_group,
        **ceilings,
    )


@cache
def asked(name: str, cap: Caps, most_rows: int | None, most_groups: int | None) -> Question:
    schema = declared(cap, at_most_rows=most_rows, at_most_groups=most_groups)
    keys = (GroupKey("ward", col("ward").node),)
    return checked_question(Query(keys=keys, outputs=((name, ASKED[name].aggregate),)), schema)


def histogram(sizes: Iterable[int]) -> SizeHistogram:
    counts = [0] * (len(SIZES) + 1)
    for size in sizes:
        if size:
            counts[next(place for place, top in enumerate((*SIZES, inf)) if size <= top)] += 1
    once = SizeHistogram(tuple(counts), Laplace(scale=1))
    bins = once.counted_again
    again = Recount(once.counts[:bins], sum(once.counts[bins:]), once.noise)
    return replace(once, again=again)


def profiled(table: SmallTable) -> Profile:
    groups = (len({row.ward for row in own} & set(WARDS)) for own in table.people)
    return Profile(
        version="",
        rows=histogram(map(len, table.people)),
        groups={"ward": histogram(groups)},
        fullest={},
        missing=Amount(Fraction(len(table.nobody)), LinearError(())),
        entry=1,
        time="",
    )


def interval(question: Question, cap: Caps, known: Profile | None, found: dict[str, Any]) -> Any:
    """Where the truth is said to lie, and whether that is likely."""
    [output] = question.outputs
    unit, value = question.unit.weighed_by(cap.norm), found[output.name]
    linear = output.aggregate.statistic.adds_up
    error: Any = LinearError(())
    if not linear:
        error = BoundedError(lambda level: (float(value), float(value)))
    rows_counted = Amount(found["n"], LinearError(()))
    effects = cap_effects(question, unit, known)
    truth, likely = effects.truth(output, unit, value, error, rows_counted)
    ends = (float(value),) * 2 if truth is None else truth.interval(value, Fraction(19, 20))
    return ends, likely, truth is None


def holds(ends: tuple[float, float], truth: float) -> bool:
    room = SMALL * max(1.0, abs(truth))
    return ends[0] - room <= truth <= ends[1] + room


@dataclass(frozen=True)
class Tried:
    """One question about one table under some caps and what is known of it."""

    table: SmallTable
    cap: Caps
    most_rows: int | None
    most_groups: int | None
    profile: bool = True

    def misses(self) -> Iterator[tuple[str, str]]:
        """Where the interval does not hold the truth."""
        known = profiled(self.table) if self.profile else None
        for ward in WARDS:
            found, truths = counted(self.table, ward, self.cap), plain(self.table, ward)
            for name in ASKED:
                if name in ("mean", "variance", "deviation") and not self.table.in_ward(ward):
                    continue  # of no rows there is no mean
                question = asked(name, self.cap, self.most_rows, self.most_groups)
                ends, likely, _ = interval(question, self.cap, known, found)
                if self.profile and self.most_rows is not None:
                    assert not likely
                if not holds(ends, truths[name]):
                    yield name, ward


SPREADS: tuple[Held, ...] = tuple(
    spread for spread in product(range(4), range(4), range(2)) if 0 < sum(spread) <= 4
)
LARGE: tuple[Held, ...] = ((5, 0, 0), (0, 6, 0), (3, 3, 1), (8, 1, 0), (12, 0, 0), (2, 7, 2))
"""People whose size is not the only one in its bin."""
CAPS = tuple(
    Caps(rows_, groups, in_group, norm)
    for rows_, groups, in_group, norm in product((1, 2, 3), (1, 2), (None, 1, 2), Norm)
    if in_group is None or (norm is Norm.L2 and in_group < rows_)
)


def tables(pairs: int, crowds: int) -> Iterator[SmallTable]:
    """Pairs of people with few rows, and small crowds with some who have many."""
    random = Random(11)
    few = list(combinations_with_replacement(SPREADS, 2))
    for place, held in enumerate(random.sample(few, min(pairs, len(few)))):
        yield drawn(held, place % 3, 0)
    for seed in range(crowds):
        crowd = random.choices(SPREADS, k=random.randint(0, 2))
        held_by_crowd = [*crowd, *random.choices(LARGE, k=random.randint(0, 2))]
        yield drawn(held_by_crowd, random.choice((0, 0, 1, 2, 5)), seed)


def tried(pairs: int, crowds: int) -> Iterator[Tried]:
    """Each table under one of the caps, with what is known in every way, in turn."""
    random = Random(7)
    for table in tables(pairs, crowds):
        largest = max((len(own) for own in table.people), default=1) or 1
        cap = random.choice(CAPS)
        beyond = max(largest + random.choice((0, 0, 1)), cap.max_rows)
        groups = max(2, cap.max_groups) if random.random() < 0.5 else None
        yield Tried(table, cap, beyond, groups)
        yield Tried(table, cap, None, None)
        without = SmallTable(table.people)  # of rows without an id only a profile knows
        yield Tried(without, cap, beyond, groups, profile=False)
        yield Tried(table, cap, None, None, profile=False)


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise of no size, so that it hides nothing."""
    monkeypatch.setattr(profile, "combined_margin", lambda terms, confidence: Fraction(0))


def found_out(*names: str) -> bool:
    """Whether intervals of each of these miss the truth of some table."""
    left = set(names)
    for one in tried(40, 200):
        left -= {name for name, _ in one.misses()}
        if not left:
            return True
    return False


@pytest.mark.usefixtures("exact")
def test_intervals_of_small_tables_hold_the_truth() -> None:
    for one in tried(40, 50):
        assert not list(one.misses()), one


@pytest.mark.soak
@pytest.mark.usefixtures("exact")
def test_intervals_of_more_tables_hold_the_truth() -> None:
    for one in tried(378, 2000):
        assert not list(one.misses()), one


@pytest.mark.soak
@pytest.mark.usefixtures("exact")
def test_intervals_of_all_tables_of_three_people_hold_the_truth() -> None:
    for place, held in enumerate(combinations_with_replacement(SPREADS, 3)):
        table = drawn(held, place % 3, place)
        for cap in CAPS:
            largest = max(map(sum, held))
            for ceiling in (None, *range(max(largest, cap.max_rows), 6)):
                one = Tried(table, cap, ceiling, None)
                assert not list(one.misses()), one


@pytest.mark.usefixtures("exact")
def test_nothing_but_noise_is_said_only_where_nobody_can_be_over_the_cap() -> None:
    """With a ceiling at the cap and a profile without rows that lack an id, noise is all."""
    table = drawn([(2, 1, 0), (0, 1, 1)], 0, 1)
    cap, found = Caps(3, 2), counted(table, "A", Caps(3, 2))
    for name in ASKED:
        by_profile = interval(asked(name, cap, None, None), cap, profiled(table), found)
        if name == "people":  # a person can be in all groups, by the cap
            assert by_profile[2]
        else:
            assert by_profile[1], name  # likely: nobody is seen over the cap
        assert holds(by_profile[0], plain(table, "A")[name])


# ---------------------------------------------------------------------- negative controls


@pytest.mark.usefixtures("exact")
def test_the_lower_ends_of_bins_would_be_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = SizeHistogram.total

    def careless(self: SizeHistogram, weigh: Any, ceiling: int | None, **_: bool) -> Amount:
        return honest(self, weigh, ceiling, least=True)

    def lower(place: int) -> tuple[int, int]:
        low = 1 if place == 0 else SIZES[place - 1] + 1
        return low, low

    monkeypatch.setattr(SizeHistogram, "total", careless)
    monkeypatch.setattr(profile, "bin_bounds", lower)
    assert found_out("n", "total", "owed", "moved")


@pytest.mark.usefixtures("exact")
def test_forgotten_rows_without_an_id_would_be_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = CapEffect.__init__

    def careless(self: CapEffect, *arguments: Any, **named: Any) -> None:
        kept = list(arguments)
        if len(kept) > 3:
            kept[3] = None
        honest(self, *kept, **named)

    monkeypatch.setattr(CapEffect, "__init__", careless)
    assert found_out("n", "total", "owed", "moved", "mean", "variance", "kinds")


@pytest.mark.usefixtures("exact")
def test_the_weights_of_l1_in_the_place_of_those_of_l2_would_be_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def careless(self: Weights, many: int) -> Fraction:
        cap = isqrt(self.cap) if self.norm is Norm.L2 and not self.each_group else self.cap
        cap = max(cap, self.cap if self.norm is Norm.L2 else cap)
        return Fraction(self.share * cap // max(many, cap), self.share)

    monkeypatch.setattr(Weights, "of", careless)
    assert found_out("n", "total", "owed", "moved")


@pytest.mark.usefixtures("exact")
def test_the_noise_alone_would_be_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CapEffect, "truth", lambda *_: None)
    assert found_out(*ASKED)


@pytest.mark.usefixtures("exact")
def test_a_ceiling_that_does_not_hold_would_be_found_out() -> None:
    """The interval believes it, so whoever declares it must know it."""
    table = drawn([(12, 0, 0), (1, 0, 0)], 0, 1)
    false, true = Tried(table, Caps(1), 2, None), Tried(table, Caps(1), 12, None)
    assert {name for name, _ in false.misses()} >= {"n"}
    assert not list(true.misses())


@pytest.mark.usefixtures("exact")
def test_people_with_more_rows_than_there_are_groups_are_not_forgotten() -> None:
    """Whoever is in more groups of a column than are asked for is in all that are asked for."""
    crowd = [(6, 6, 0)] * 3
    table, cap = drawn(crowd, 0, 1), Caps(20, 1)
    known = profiled(table)
    question = asked("people", cap, None, None)
    by_rows = Profile("", known.rows, {}, {}, known.missing, 1, "")
    found = counted(table, "A", cap)
    for one in (known, by_rows):
        ends, likely, _ = interval(question, cap, one, found)
        assert holds(ends, 3)
        assert not likely  # there are but two groups
