"""A profile is a release like any other: private, paid for first, and remembered."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy
import pandas
import pytest

import discreet as dp
from discreet.accounting.filters import charge
from discreet.engines.base import SIZES, SizeKind, people_by_size, rows_without_unit
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.noise import Keystream
from discreet.plan.schema import LONGEST_VERSION
from discreet.privacy.events import DiscreteLaplaceEvent
from discreet.privacy.sensitivity import Sensitive
from discreet.release.profile import (
    SizeHistogram,
    bin_bounds,
    counted_by,
    moved_by_unit,
    plan_profile,
    profile_key,
    read_profile,
)
from tests.support.evidence import most_misses

COLUMNS = {
    "ward": dp.category(["A", "B", "C", "D"]),
    "stay": dp.number(0, 20),
    "age": dp.integer(0, 9),
    "smoker": dp.boolean(),
    "note": dp.text(),
}
Rows = list[tuple[Any, ...]]


def own(patient: object, wards: str) -> Rows:
    """A person's rows, one for each letter."""
    return [(patient, ward, 1.0, 5, True, ward * 2) for ward in wards]


OTHERS = [row for person in range(9) for row in own(person, "ABCD"[: 1 + person % 4] + "A")]


def opened(rows: Rows, **changes: Any) -> dp.Table:
    declared: dict[str, Any] = {
        "name": "visits",
        "unit": "patient",
        "columns": COLUMNS,
        "budget": dp.Budget(epsilon=5),
        "max_rows": 2,
        "max_groups": 2,
        "ledger": ":memory:",
    } | changes
    frame = pandas.DataFrame(rows, columns=["patient", *COLUMNS], dtype=object)
    return dp.table(frame, **{name: one for name, one in declared.items() if one is not None})


Tallies = dict[str, numpy.ndarray[Any, Any]]


def tallies(rows: Rows, **changes: Any) -> Tallies:
    """All that noise is added to, for a profile by wards and notes."""
    with opened(rows, **changes) as table:
        engine, everybody = table.engine(), counted_by(table.schema)
        found = {"rows": people_by_size(engine, everybody, SizeKind.ROWS).open()}
        for name in ("ward", "note", "smoker", "age"):
            asked = counted_by(table.schema, name)
            found[f"groups of {name}"] = people_by_size(engine, asked, SizeKind.GROUPS).open()
            fullest = people_by_size(engine, asked, SizeKind.ROWS_IN_A_GROUP).open()
            found[f"rows in a {name}"] = fullest
        return found | {"missing": rows_without_unit(engine, everybody).open()}


# ---------------------------------------------------------------------- neighbors


@pytest.mark.parametrize("wards", ["A", "AA", "AB", "ABCDA", "A" * 7, "??", "A?", "ABCD" * 30])
def test_who_comes_is_in_one_bin_of_each_histogram_or_in_none(wards: str) -> None:
    before = tallies(OTHERS)
    after = tallies([*OTHERS, *own("new", wards.replace("?", "~"))])
    for name, tally in after.items():
        moved = numpy.abs(tally - before[name]).sum()
        if name == "missing":
            assert moved == 0
        elif "ward" in name:  # whoever has no declared ward at all is in no bin
            assert moved == bool(set(wards) - {"?"})
        else:
            assert moved == 1


@pytest.mark.parametrize("bins", [0, 1, 3, len(SIZES)])
def test_who_comes_is_in_a_bin_or_beyond_all_that_are_counted_again(bins: int) -> None:
    """Wherever the first count ends the second: a person is in one of its numbers."""
    found = []
    for rows in ([*OTHERS], [*OTHERS, *own("new", "ABC" * 4)]):
        with opened(rows) as table:
            engine, everybody = table.engine(), counted_by(table.schema)
            found.append(people_by_size(engine, everybody, SizeKind.ROWS, bins).open())
    moved = found[1] - found[0]
    assert (moved.sum(), numpy.abs(moved).sum()) == (1, 1)
    assert moved[min(SIZES.index(12), bins)] == 1
    assert len(moved) == bins + 1


def test_who_is_replaced_leaves_a_bin_and_enters_another() -> None:
    people = [own("new", wards) for wards in ("A", "AB", "AAAA", "~", "ABCD" * 3, "AABB")]
    found = [tallies([*OTHERS, *rows], neighbors="replace") for rows in people]
    seen = set()
    for one, two in combinations(found, 2):
        for name, tally in one.items():
            moved = tally - two[name]
            assert set(moved[moved != 0]) <= {-1, 1}
            assert numpy.abs(moved).sum() <= 2
            seen.add(int(numpy.abs(moved).sum()))
    assert seen == {0, 1, 2}


@pytest.mark.parametrize("nobody", [None, float("nan"), pandas.NA])
def test_a_row_without_an_id_moves_only_the_number_of_such_rows(nobody: object) -> None:
    before = tallies(OTHERS)
    after = tallies([*OTHERS, *own(nobody, "AB")])
    assert after.pop("missing") - before.pop("missing") == 2
    assert all((after[name] == before[name]).all() for name in before)


def test_caps_do_not_change_what_is_counted() -> None:
    """A person with ninety rows is in the bin of ninety rows, whatever the caps are."""
    rows = [*OTHERS, *own("new", "A" * 90)]
    found = [tallies(rows, max_rows=cap, max_groups=groups) for cap, groups in ((1, 1), (90, 4))]
    found.append(tallies(rows, max_rows=None, max_groups=None))
    for other in found[1:]:
        assert all((tally == other[name]).all() for name, tally in found[0].items())
    [place] = [place for place in range(len(SIZES) + 1) if 90 in _bin(place)]
    assert found[0]["rows"][place] == 1


def _bin(place: int) -> range:
    low, high = bin_bounds(place)
    return range(low, (high or 10**9) + 1)


def test_bins_are_public_and_every_size_is_in_one() -> None:
    assert [bin_bounds(place) for place in range(8)] == [
        *((size, size) for size in (1, 2, 3, 4)),
        *((5, 6), (7, 8), (9, 12), (13, 16)),
    ]
    ends = [bin_bounds(place) for place in range(len(SIZES) + 1)]
    assert all(two[0] == (one[1] or 0) + 1 for one, two in pairwise(ends))
    assert ends[-1] == (2**20 + 1, None)


# ---------------------------------------------------------------------- the price


def charges(table: dp.Table) -> list[Any]:
    return [entry for entry in table.ledger.history() if entry.kind == "charge"]


@pytest.mark.parametrize("neighbors", ["add-remove", "replace"])
@pytest.mark.parametrize("by", [(), ("ward",), ("ward", "note")])
@pytest.mark.parametrize("in_a_group", [False, True])
def test_it_costs_exactly_the_epsilon_that_was_offered(
    neighbors: str, by: Sequence[str], in_a_group: bool
) -> None:
    with opened(OTHERS, neighbors=neighbors) as table:
        table.profile(epsilon="0.7", by=by, rows_in_a_group=in_a_group)
        assert table.budget.spent.epsilon == Fraction(7, 10)
        assert table.budget.charges == 1


@pytest.mark.parametrize("neighbors", ["add-remove", "replace"])
@pytest.mark.parametrize("by", [(), ("ward", "note")])
def test_it_costs_no_more_than_the_rho_that_was_offered(neighbors: str, by: Sequence[str]) -> None:
    with opened(OTHERS, neighbors=neighbors, budget=dp.Budget(rho=1)) as table:
        table.profile(rho="0.01", by=by)
        spent = table.budget.spent.rho
        assert Fraction(1, 100) * (1 - Fraction(1, 10**6)) < spent <= Fraction(1, 100)


@pytest.mark.parametrize(
    "budget",
    [dp.Budget(epsilon=2), dp.Budget(epsilon=2, delta=1e-6), dp.Budget(rho="0.1")],
)
def test_it_costs_the_part_of_the_budget_that_was_offered(budget: dp.Budget) -> None:
    with opened(OTHERS, budget=budget) as table:
        table.profile(spend="5%", by=["ward"])
        left = table.budget.share_left
        assert Fraction(95, 100) <= left < Fraction(95, 100) + Fraction(1, 10**6)
        for _ in range(18):
            table.profile(spend="5%", by=["ward"], again=True)
        with pytest.raises(dp.BudgetExhaustedError):
            table.profile(spend="10%", by=["ward"], again=True)
        assert table.budget.charges == 19


def test_a_profile_does_not_end_the_sum_of_epsilon() -> None:
    """Gaussian noise would: no question that is priced in ε alone would fit any more."""
    with opened(OTHERS, budget=dp.Budget(epsilon=2, delta=1e-6)) as table:
        first = table.profile(spend="1%", by=["ward", "note", "smoker", "age"])
        assert isinstance(first.rows.noise, Laplace)
        table.agg(n=dp.rows()).release(epsilon=1.9)
        with pytest.raises(dp.BudgetExhaustedError):
            table.agg(n=dp.rows()).release(epsilon="0.1")
    with opened(OTHERS, budget=dp.Budget(epsilon=2)) as table:
        assert isinstance(table.profile(spend="1%").rows.noise, Laplace)


def test_where_gaussian_noise_ended_that_sum_a_profile_has_it_too() -> None:
    with opened(OTHERS, budget=dp.Budget(epsilon=2, delta=1e-6)) as table:
        table.agg(n=dp.rows()).release(rho="0.001")
        assert isinstance(table.profile(spend="5%").rows.noise, Gaussian)


@pytest.mark.parametrize(("neighbors", "moved"), [("add-remove", 1), ("replace", 2)])
def test_each_number_has_noise_for_all_histograms_and_rows_without_an_id_for_one(
    neighbors: str, moved: int
) -> None:
    with opened(OTHERS, neighbors=neighbors) as table:
        plan = plan_profile(
            table.schema, table.standing, epsilon="1/2", by=["ward", "note"], in_a_group=True
        )
        assert moved_by_unit(table.schema) == moved
        assert plan.histograms == 5
        assert plan.noise.on_rows() == Laplace(scale=10 * moved)
        assert plan.noise.on_again() == Laplace(scale=Fraction(40, 13) * moved)
        assert plan.noise.on_groups() == Laplace(scale=Fraction(4 * 40, 3) * moved)
        assert plan.noise.on_missing() == Laplace(scale=2 * moved)
        known = replace(table.schema, at_most_rows=9)
        sure = plan_profile(known, table.standing, epsilon="1/2", by=["ward"])
        assert sure.noise.on_again() is None
        assert sure.noise.on_rows() == sure.noise.on_groups() == Laplace(scale=4 * moved)
        assert charge(sure.event).epsilon == Fraction(1, 2)
        # In ε both cost the same; in ρ the noise in one part, that of rows without an id, more.
        assert plan.event == DiscreteLaplaceEvent(scale=2 * moved, sensitivity=moved)
        assert charge(plan.event).epsilon == Fraction(1, 2)


def test_a_profile_beyond_the_budget_is_refused_before_rows_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with opened(OTHERS) as table:
        monkeypatch.setattr(type(table.engine()), "guarded_rows", lambda *_: pytest.fail("read"))
        with pytest.raises(dp.BudgetExhaustedError):
            table.profile(epsilon=6)
        with pytest.raises(dp.DiscreetError):
            table.profile(spend="110%")
        assert table.budget.charges == 0


def test_the_charge_is_in_the_ledger_before_the_first_row_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with opened(OTHERS) as table:
        engine, seen = type(table.engine()), []
        honest = engine.guarded_rows

        def watched(self: Any, query: Any) -> Any:
            seen.append(table.budget.spent.epsilon)
            return honest(self, query)

        monkeypatch.setattr(engine, "guarded_rows", watched)
        table.profile(epsilon=1, by=["ward"])
        # People by rows, those seen once more, people by wards, rows without an id.
        assert seen == [1] * 4


def test_what_is_refused_costs_nothing() -> None:
    with opened(OTHERS) as table:
        for prices in ({}, {"epsilon": 1, "rho": 1}, {"spend": "5%", "epsilon": 1}):
            with pytest.raises(dp.QueryError, match="has one price"):
                table.profile(**prices)
        for by in (["sward"], ["patient"], ["stay"]):
            with pytest.raises(dp.DiscreetError):
                table.profile(epsilon=1, by=by)
        with pytest.raises(dp.QueryError, match="no profile"):
            table.suggest_caps(epsilon=1)
        assert table.budget.charges == 0
    with (
        opened(OTHERS, unit="row", max_rows=None, max_groups=None) as rows,
        pytest.raises(dp.PolicyError, match="the unit is the row"),
    ):
        rows.profile(epsilon=1)


def test_columns_by_which_people_group_have_a_histogram_each() -> None:
    with opened(OTHERS) as table:
        assert list(table.profile(epsilon=1).groups) == ["ward", "note"]
    with opened(OTHERS) as table:
        found = table.profile(epsilon=1, by=["smoker", "age", "note", "age"], rows_in_a_group=True)
        assert list(found.groups) == list(found.fullest) == ["smoker", "age", "note"]


# ---------------------------------------------------------------------- it is remembered


def test_it_is_free_the_second_time_whoever_asks_and_again_pays_again() -> None:
    with opened(OTHERS) as table:
        first = table.profile(epsilon=1, analyst="ann")
        for ask in ({}, {"epsilon": 3, "analyst": "bob"}, {"spend": "5%"}, {"again": True}):
            again = table.profile(**ask)
            assert (again.entry, again.rows.counts) == (first.entry, first.rows.counts)
        assert table.budget.spent.epsilon == 1
        second = table.profile(epsilon="0.5", again=True, analyst="bob")
        assert table.budget.spent.epsilon == Fraction(3, 2)
        assert second.entry > first.entry
        known = table.remembered_profile()
        assert known is not None
        assert known.entry == second.entry
        assert table.agg(n=dp.rows()).plan(epsilon=1).profile is not None


def in_another_process(place: Path, version: str) -> str:
    script = f"""
import discreet as dp, pandas
from tests.release.test_profile import OTHERS, opened
table = opened(OTHERS, ledger={str(place)!r}, version={version!r})
found = table.remembered_profile()
print(found and (found.entry, found.rows.counts, table.budget.spent.epsilon))
"""
    run = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.strip()


def test_another_process_remembers_it(tmp_path: Path) -> None:
    place = tmp_path / "visits.ledger"
    with opened(OTHERS, ledger=place, version="2026-11") as table:
        made = table.profile(epsilon=1)
    said = in_another_process(place, "2026-11")
    assert said == str((made.entry, made.rows.counts, Fraction(1)))


def test_of_another_version_of_the_data_nothing_is_known(tmp_path: Path) -> None:
    ledger = tmp_path / "visits.ledger"
    with opened(OTHERS, ledger=ledger, version="2026-11") as table:
        first = table.profile(epsilon=1)
    with opened(OTHERS, ledger=ledger, version="2026-11") as table:
        table.ledger.set_details("visits", table.declared | {"version": "2026-12"}, why="new")
    with opened(OTHERS, ledger=ledger, version="2026-12") as table:
        assert table.remembered_profile() is None
        second = table.profile(epsilon=1)
        assert second.entry > first.entry
        assert table.budget.spent.epsilon == 2
        assert read_profile(*_kept(table, first.entry), table.schema) is None
        assert read_profile(*_kept(table, second.entry), table.schema) is not None


def _kept(table: dp.Table, charge: int) -> tuple[Any, bytes]:
    [entry] = [one for one in table.ledger.history() if one.charge == charge]
    data = table.ledger.stored(entry)
    assert data is not None
    return entry, data


def test_of_a_column_that_is_declared_otherwise_now_nothing_is_known(tmp_path: Path) -> None:
    """More wards are more groups, of which the profile did not know."""
    ledger = tmp_path / "visits.ledger"
    with opened(OTHERS, ledger=ledger) as table:
        table.profile(epsilon=1)
        wider = COLUMNS | {"ward": dp.category(["A", "B", "C", "D", "E"])}
        with opened(OTHERS, columns=wider) as other:
            details = other.declared
        table.ledger.set_details("visits", details, why="a ward is new")
    with opened(OTHERS, ledger=ledger, columns=wider) as table:
        known = table.remembered_profile()
        assert known is not None
        assert list(known.groups) == ["note"]


@pytest.mark.parametrize(
    "change",
    [
        {"version": 1},
        {"version": 3},
        {"again": None},
        {"again": {"noise": "0", "counts": [], "beyond": 1}},
        {"again": {"noise": "1", "counts": [1] * 50, "beyond": 1}},
        {"again": {"noise": "1", "counts": [1], "beyond": 1 << 63}},
        {"profile": "other"},
        {"rows": [1, 2, 3]},
        {"groups": {"ward": [1]}},
        {"noise": ["uniform", "1", "1"]},
        {"missing": "many"},
        {"more": 1},
    ],
)
def test_what_is_not_a_profile_is_not_taken_for_one(change: dict[str, Any]) -> None:
    with opened(OTHERS) as table:
        made = table.profile(epsilon=1)
        entry, data = _kept(table, made.entry)
        assert read_profile(entry, data, table.schema) is not None
        damaged = json.dumps(json.loads(data) | change).encode()
        assert read_profile(entry, damaged, table.schema) is None
        assert read_profile(entry, data[:-1], table.schema) is None
        assert read_profile(entry, b"", table.schema) is None


def test_no_question_is_asked_under_the_key_of_a_profile() -> None:
    """It would stand in front of the profile, which is looked for whoever asked."""
    with opened(OTHERS) as table:
        asking = table.agg(n=dp.rows())
        key = profile_key(table.schema, 1)
        with pytest.raises(dp.QueryError, match="Use another key"):
            asking.release(epsilon=1, key=key)
        assert table.budget.charges == 0
        made = table.profile(epsilon=1)
        # Written into the ledger in another way, it is no profile, and the next one counts.
        asking.release(epsilon=1, key="mine")
        known = table.remembered_profile()
        assert known is not None
        assert known.entry == made.entry


def test_an_answer_that_stands_under_the_key_of_a_profile_is_passed_over() -> None:
    with opened(OTHERS) as table:
        key = profile_key(table.schema, 1)
        plan = plan_profile(table.schema, table.standing, epsilon=1)
        charge = table.ledger.charge(
            table.name,
            event=plan.event,
            question="another",
            key=key,
            neighbors=table.schema.neighbors,
            details=table.declared,
        )
        table.ledger.answer(charge, lambda: b"{}", safe=True)
        assert table.remembered_profile() is None
        made = table.profile(epsilon=1)
        known = table.remembered_profile()
        assert known is not None
        assert known.entry == made.entry


# ---------------------------------------------------------------------- what is seen of it


def test_somebody_is_seen_where_more_is_than_noise_makes_of_nothing() -> None:
    """Of empty histograms one in twenty shows somebody, or fewer."""
    noise, empty = Laplace(scale=3), numpy.zeros(len(SIZES) + 1, numpy.int64)
    bits, tries, wrong = Keystream(), 400, 0
    for _ in range(tries):
        noisy = noise.release(Sensitive(empty.copy()), bits)
        wrong += SizeHistogram(tuple(int(one) for one in noisy), noise).seen > 0
    assert wrong <= most_misses(tries, 0.05)
    crowd = empty.copy()
    crowd[9] = 100
    assert SizeHistogram(tuple(int(one) for one in crowd), noise).seen == 10
    # Four neighboring bins show together what none of them shows alone.
    spread = empty.copy()
    spread[6:10] = 18
    assert SizeHistogram(tuple(int(one) for one in spread), noise).seen == 10
    alone = empty.copy()
    alone[9] = 18
    assert SizeHistogram(tuple(int(one) for one in alone), noise).seen == 0


def test_a_version_is_a_name_that_a_key_can_hold() -> None:
    for version in ("", " 2026", "2026 ", "a\nb", "x" * (LONGEST_VERSION + 1), 7):
        with pytest.raises(dp.PolicyError, match="version"):
            opened(OTHERS, version=version)
    longest = "é" * LONGEST_VERSION
    with opened(OTHERS, version=longest) as table:
        made = table.profile(epsilon=1)
        assert made.version == longest
        assert table.remembered_profile() is not None


def test_what_is_shown_of_it_are_its_released_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without noise, so that nobody seems to be where nobody is."""
    monkeypatch.setattr(Laplace, "release", lambda self, steps, source: steps.open())
    with opened([row for person in range(500) for row in own(person, "ABA")]) as table:
        found = table.profile(epsilon=4, rows_in_a_group=True)
        text, data = repr(found), found.to_data()
        assert "rows without an id" in text
        heading, *lines = found.table()
        assert heading == ["size", "rows", *(f"groups of {name}" for name in ("ward", "note"))] + [
            f"rows in a {name}" for name in ("ward", "note")
        ]
        assert [line[0] for line in lines] == ["1", "2", "3"]
        assert data["rows"]["3"] == found.rows.counts[2] == 500
        assert json.loads(json.dumps(data)) == data
        assert found.rows.seen == 3
        assert found.groups["ward"].seen == 2


def test_a_source_that_changed_is_refused_before_the_charge(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_text("patient,ward\n1,A\n2,B\n")
    declared = {"ward": dp.category(["A", "B", "C"])}
    with dp.table(
        str(path), unit="patient", budget=dp.Budget(epsilon=9), columns=declared, ledger=":memory:"
    ) as table:
        path.write_text("patient,room\n1,A\n2,B\n")
        with pytest.raises(dp.SourceError, match="Nothing was spent"):
            table.profile(epsilon=1)
        assert table.budget.charges == table.budget.suspensions == 0


def test_after_a_profile_was_lost_another_one_can_be_paid_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with opened(OTHERS) as table:
        with monkeypatch.context() as broken:
            broken.setattr(type(table.engine()), "guarded_rows", lambda *_: 1 / 0)
            with pytest.raises(dp.UnansweredError):
                table.profile(epsilon=1)
        table.ledger.resume(table.name, why="the disk was full")
        for price in (1, "1/2"):
            made = table.profile(epsilon=price, again=True)
            known = table.remembered_profile()
            assert known is not None
            assert known.entry == made.entry
        assert table.budget.charges == 3


def test_a_profile_that_sees_nobody_says_nothing_of_what_is_left_out() -> None:
    rows = [(person, "A") for person in range(20) for _ in range(50)]
    frame = pandas.DataFrame(rows, columns=["patient", "ward"])
    with dp.table(
        frame,
        name="few",
        unit="patient",
        budget=dp.Budget(epsilon=20),
        columns={},
        max_rows=3,
        ledger=":memory:",
    ) as table:
        profiles = [table.profile(epsilon="1/100", again=True) for _ in range(20)]
        blind = [one.rows for one in profiles if one.rows.seen == 0]
        assert len(blind) > 10  # somebody seems to be seen in one of twenty
        assert {one.largest for one in blind} == {None}
        while table.remembered_profile().rows.seen:  # type: ignore[union-attr]
            table.profile(epsilon="1/100", again=True)
        answer = table.agg(n=dp.rows()).release(epsilon=1)
        assert answer["n"].upper == float("inf")
        with pytest.raises(dp.QueryError, match="stands out"):
            table.suggest_caps(epsilon=1)


def test_a_crowd_that_is_spread_over_many_sizes_is_seen() -> None:
    counts = numpy.zeros(len(SIZES) + 1, numpy.int64)
    counts[2:18] = 20  # 320 people, none of whose sizes stands out by itself
    sizes = SizeHistogram(tuple(int(one) for one in counts), Laplace(scale=10))
    assert sizes.seen >= 18


def test_values_that_are_in_a_bin_and_in_no_group_are_counted_with() -> None:
    """Of an integer column 2.5 is in no group of the profile, and in one of the bins."""
    rows = [(person, age) for person in range(300) for age in (2.5, 7.5, 12.5)]
    with dp.table(
        pandas.DataFrame(rows, columns=["patient", "age"]),
        name="halves",
        unit="patient",
        budget=dp.Budget(epsilon=20),
        columns={"age": dp.integer(0, 20)},
        max_rows=3,
        max_groups=1,
        at_most_rows=3,
        ledger=":memory:",
    ) as table:
        table.profile(epsilon=10, by=["age"])
        asked = table.group_by(dp.col("age").bins([0, 5, 10, 15])).agg(n=dp.people())
        for one in asked.release(epsilon=10).column("n"):
            low, high = one.interval(1 - 1e-7)
            assert low <= 300 <= high


@pytest.mark.parametrize("by", [5, [1], [None], [["ward"]], "ward"])
def test_by_is_a_list_of_columns(by: Any) -> None:
    with opened(OTHERS) as table, pytest.raises(dp.QueryError, match="by is not a list"):
        table.profile(epsilon=1, by=by)
