"""Counts that are moved to be non-negative: the numbers, their errors, and every form of them."""

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.errors import DiscreetError, QueryError
from discreet.privacy.uncertainty import BoundedError
from discreet.release.consistent import nearest_shares, nonnegative_tables, rising_totals
from tests.support.cases import each
from tests.support.trials import examples

Opened = Callable[..., dp.Table]
BANDS = dp.col("age").bins([0, 30, 60, 121]).alias("band")
WANTED = "non-negative"
WHOLE = st.integers(-40, 60)


# ---------------------------------------------------------------------- the numbers


def projected(measured: Sequence[int], total: int) -> list[Fraction]:
    """The naive twin: the nearest real numbers, by trying how many of the largest stay above 0."""
    ordered = sorted(measured, reverse=True)
    for many in range(len(ordered), 0, -1):
        level = Fraction(sum(ordered[:many]) - total, many)
        if ordered[many - 1] >= level:
            return [max(number - level, Fraction(0)) for number in measured]
    raise AssertionError("one number alone is as large as the total")


def squared(first: Sequence[Any], second: Sequence[Any]) -> Any:
    return sum((a - b) ** 2 for a, b in zip(first, second, strict=True))


def shares(measured: Sequence[int], total: int) -> list[int]:
    found = nearest_shares(np.array([measured]), np.array([total]))[0]
    return [int(number) for number in found]


@examples(300)
@given(st.lists(WHOLE, min_size=1, max_size=12), st.integers(0, 200))
def test_shares_are_the_nearest_real_ones_rounded(measured: list[int], total: int) -> None:
    found, exact = shares(measured, total), projected(measured, total)
    assert sum(found) == sum(exact) == total
    assert min(found) >= 0
    assert all(abs(one - near) < 1 for one, near in zip(found, exact, strict=True))


@examples(100)
@given(st.lists(st.integers(-4, 6), min_size=1, max_size=4), st.integers(0, 7))
def test_no_whole_shares_are_nearer(measured: list[int], total: int) -> None:
    found = squared(shares(measured, total), measured)
    every = product(range(total + 1), repeat=len(measured))
    assert found == min(squared(one, measured) for one in every if sum(one) == total)


@examples(100)
@given(
    st.lists(st.lists(WHOLE, min_size=3, max_size=3), min_size=1, max_size=5),
    st.lists(st.integers(0, 50), min_size=5, max_size=5),
)
def test_rows_are_shared_out_one_by_one(rows: list[list[int]], totals: list[int]) -> None:
    totals = totals[: len(rows)]
    together = nearest_shares(np.array(rows), np.array(totals))
    for row, total, found in zip(rows, totals, together, strict=True):
        assert squared(found, row) == squared(shares(row, total), row)
    wide = [np.array(one, dtype=object) * 10**30 for one in (rows, totals)]
    large = nearest_shares(wide[0], wide[1])
    assert large.sum(axis=1).tolist() == [total * 10**30 for total in totals]


@examples(100)
@given(
    st.lists(WHOLE, min_size=24, max_size=24),
    st.sampled_from(
        [
            [(0, 1, 2), (0, 1), (0, 2), (1, 2), (0,), (1,), (2,), ()],
            [(0, 1, 2), (0, 1), (0,), ()],
            [(0, 1, 2), (2,), ()],
            [(0, 1, 2), (1, 2)],
        ]
    ),
)
def test_tables_agree_and_keep_the_grand_total(cells: list[int], asked: Any) -> None:
    finest = np.array(cells).reshape(2, 3, 4)

    def summed(table: Any, keys: Any) -> Any:
        return table.sum(axis=tuple(key for key in range(3) if key not in keys))

    made = nonnegative_tables({keys: summed(finest, keys) for keys in asked})
    assert list(made) == asked
    for keys in asked:
        assert made[keys].min() >= 0
        assert (made[keys] == summed(made[0, 1, 2], keys)).all()
    assert made[0, 1, 2].sum() == max(finest.sum(), 0)
    least = min((keys for keys in asked if keys), key=len)
    exact = projected(summed(finest, least).ravel().tolist(), max(int(finest.sum()), 0))
    assert all(abs(a - b) < 1 for a, b in zip(made[least].ravel().tolist(), exact, strict=True))


def test_equally_good_cells_are_chosen_all_over_the_table() -> None:
    """A control that must fail: in the order of the cells, half of a table would get all of it."""
    cells = np.ones((100, 100), dtype=np.int64)
    cells[:, -1] = -1 - 99 // 2
    made = nonnegative_tables({(0, 1): cells, (): cells.sum()})
    margins = made[0, 1].sum(axis=1)
    in_order = np.arange(cells.size) < made[0, 1].sum()
    assert np.ptp(in_order.reshape(cells.shape).sum(axis=1)) == 100
    assert np.ptp(margins) < 35
    assert np.ptp(made[0, 1].sum(axis=0)[:-1]) < 35


def pooled(measured: Sequence[int]) -> list[Fraction]:
    """The naive twin of the nearest rising numbers: the largest of the least means (min-max)."""
    places = range(len(measured))
    return [
        max(
            min(
                Fraction(sum(measured[first : last + 1]), last + 1 - first)
                for last in places
                if last >= at
            )
            for first in places
            if first <= at
        )
        for at in places
    ]


@examples(200)
@given(st.lists(WHOLE, min_size=1, max_size=9))
def test_running_totals_are_the_nearest_rising_ones(measured: list[int]) -> None:
    found, last = rising_totals(measured), max(measured[-1], 0)
    assert found == sorted(found)
    assert found[0] >= 0
    assert found[-1] == last
    exact = [min(max(one, Fraction(0)), Fraction(last)) for one in pooled(measured[:-1])]
    assert all(abs(a - b) <= Fraction(1, 2) for a, b in zip(found[:-1], exact, strict=True))


@examples(100)
@given(st.lists(st.integers(-3, 5), min_size=1, max_size=5))
def test_no_whole_rising_totals_are_nearer(measured: list[int]) -> None:
    last = max(measured[-1], 0)
    every = product(range(last + 1), repeat=len(measured) - 1)
    nearest = min(squared(one, measured[:-1]) for one in every if list(one) == sorted(one))
    assert squared(rising_totals(measured)[:-1], measured[:-1]) == nearest


def test_a_million_cells_are_moved_exactly() -> None:
    cells = np.random.default_rng(5).integers(-90, 100, (50, 200, 100))
    every = {keys: cells.sum(axis=tuple({0, 1, 2} - set(keys))) for keys in [(0, 1), (0,), ()]}
    made = nonnegative_tables({(0, 1, 2): cells, **every})
    assert made[0, 1, 2].min() == 0
    assert made[()] == cells.sum()
    assert (made[0,] == every[0,]).all()


# ---------------------------------------------------------------------- answers


def test_totals_of_an_answer_agree_and_say_what_was_measured(visits: Opened) -> None:
    table = visits(unit="row")
    asked = table.cube("ward", "smoker", BANDS, consistent=WANTED)
    answer = asked.agg(n=dp.rows(), m=dp.col("stay").mean()).release(rho="1e-7")
    found = dict(zip(answer.groups, answer.column("n"), strict=True))
    cells = {group: one for group, one in found.items() if None not in group}
    assert any(one.moved > 0 for one in cells.values())
    for group, one in found.items():
        fits = [group[key] in (None, label[key]) for label in cells for key in range(3)]
        inside = [all(fits[place : place + 3]) for place in range(0, len(fits), 3)]
        parts = [cell for cell, inner in zip(cells.values(), inside, strict=True) if inner]
        assert type(one.value) is int
        assert one.value == sum(part.value for part in parts) >= 0
        low, high = one.interval()
        assert 0 <= low <= one.value <= high
        assert low < high
        measured = one.value - one.moved
        assert measured == sum(part.value - part.moved for part in parts)
    total = found[None, None, None]
    assert total.value == max(total.value - total.moved, 0)
    assert all(one.moved is None for one in answer.column("m"))


def test_running_totals_of_an_answer_never_fall(visits: Opened) -> None:
    text = (
        "SELECT age, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER BY age) AS upto FROM visits "
        "WHERE age BETWEEN 30 AND 49 GROUP BY age"
    )
    table = visits(unit="row")
    answer = table.sql(text, rho="0.001", consistent=WANTED)
    groups = [one.value for one in answer.column("n")]
    totals = [one.value for one in answer.column("upto")]
    assert min(groups) >= 0
    assert totals == np.cumsum(groups).tolist()
    last = answer.column("upto")[-1]
    assert last.value == max(last.value - last.moved, 0)
    again = table.group_by("ward", BANDS).cumulative(consistent=WANTED).agg(n=dp.rows())
    for ward, found in _by_first(again.release(rho="0.0005"), "n").items():
        assert [0, *found] == sorted([0, *found]), ward


def _by_first(answer: Any, name: str) -> dict[Any, list[Any]]:
    series: dict[Any, list[Any]] = {}
    for group, one in zip(answer.groups, answer.column(name), strict=True):
        series.setdefault(group[0], []).append(one.value)
    return series


def test_groups_without_totals_are_cut_at_0(visits: Opened) -> None:
    table = visits(unit="row")
    asked = table.group_by("ward", "smoker", BANDS, consistent=WANTED).agg(n=dp.rows())
    answer = asked.release(epsilon="0.001")
    found = answer.column("n")
    assert any(one.moved > 0 for one in found)
    assert all(one.moved == 0 or one.value == 0 for one in found)
    assert all(one.lower == 0 <= one.value < one.upper for one in found if one.moved)


def test_the_numbers_measured_are_those_of_the_question_without_it(visits: Opened) -> None:
    plain = visits().cube("ward", "smoker").agg(n=dp.rows()).plan(rho="0.001")
    moved = visits().cube("ward", "smoker", consistent=WANTED).agg(n=dp.rows()).plan(rho="0.001")
    assert moved.price == plain.price
    assert moved.rho == plain.rho
    assert moved.margins() == plain.margins()
    assert moved.text != plain.text


def test_arithmetic_has_bounds_of_both_numbers(visits: Opened) -> None:
    answer = visits(unit="row").cube("ward", "smoker", consistent=WANTED).agg(n=dp.rows())
    first, second, *_ = answer.release(rho="0.0005").column("n")
    for one in (first - second, first + second, first / second, 2 * first):
        assert isinstance(one.error, BoundedError)
        assert one.moved is None
        assert WANTED in one.note
    each = [one.interval(Fraction(975, 1000)) for one in (first, second)]
    assert (first - second).interval() == (each[0][0] - each[1][1], each[0][1] - each[1][0])


def test_windows_conditions_and_orders_take_the_moved_numbers(visits: Opened) -> None:
    text = (
        "SELECT ward, smoker, COUNT(*) AS n, 100.0 * n / SUM(n) OVER () AS percent FROM visits "
        "GROUP BY ward, smoker ORDER BY n DESC"
    )
    answer = visits(unit="row").sql(text, epsilon="0.002", consistent=WANTED)
    counts = [one.value for one in answer.column("n")]
    assert counts == sorted(counts, reverse=True)
    assert min(counts) >= 0
    assert sum(one.value for one in answer.column("percent")) == pytest.approx(100)
    kept = visits(unit="row").sql(
        "SELECT ward, smoker, COUNT(*) AS n FROM visits GROUP BY ROLLUP (ward, smoker) "
        "HAVING COUNT(*) >= 0",
        rho="0.0001",
        consistent=WANTED,
    )
    assert len(kept) == 1 + 4 + 8
    plan = visits(unit="row").ask(text, consistent=WANTED).plan(epsilon="0.002")
    assert "percent" not in plan.computed_margins


def test_an_answer_is_shown_again_as_it_was(visits: Opened) -> None:
    table = visits()
    asked = table.cube("ward", "smoker", consistent=WANTED).agg(n=dp.rows())
    first = asked.release(rho="0.0001", key="cube")
    again = asked.release(rho="0.0001", key="cube")
    assert again.repeated
    assert first.to_csv() == again.to_csv() == table.paid(first.certificate.entry).to_csv()


def test_every_form_says_it(visits: Opened, tmp_path: Any) -> None:
    asked = visits().cube("ward", "smoker", BANDS, consistent=WANTED).agg(n=dp.rows())
    plan = asked.plan(rho="1e-7")
    assert any("moved to be non-negative" in note for note in plan.notes)
    assert "MADE NON-NEGATIVE: done with released numbers, free" in plan.explain()
    answer = plan.release()
    [note] = [one for one in answer.notes if "lean upward" in one]
    assert "large ones downward" in note
    assert "those by ward, then those by ward and smoker are moved least" in note
    assert any("of 24 groups were moved, by" in one for one in answer.notes)
    assert not any("can make a small count negative" in one for one in answer.notes)
    assert "moved to be non-negative" in repr(answer)
    assert "MADE NON-NEGATIVE" in answer.certificate.question
    assert answer.to_csv().splitlines()[0].endswith("n_moved")
    data = json.loads(answer.to_json())
    assert note in data["notes"]
    assert sum(row["n_moved"] != 0 for row in data["rows"]) > 0
    assert min(row["n"] for row in data["rows"]) == 0
    assert "MADE NON-NEGATIVE" in data["certificate"]["question"]
    assert str(answer.to_pandas()["n_moved"].dtype) == "int64"
    assert str(answer.to_polars()["n_moved"].dtype) == "Int64"
    assert "moved to be non-negative" in answer.report()
    for ending in ("html", "md", "json"):
        page = answer.save(tmp_path / f"cube.{ending}").read_text()
        assert "moved to be non-negative" in page
    assert "n_moved" in answer.save(tmp_path / "cube.csv").read_text()


def test_nothing_is_said_where_nothing_was_asked(visits: Opened) -> None:
    answer = visits().cube("ward", "smoker").agg(n=dp.rows()).release(rho="0.0001")
    assert "moved" not in "".join(answer.notes) + answer.to_csv() + repr(answer)
    sure = visits().cube("smoker", consistent=WANTED).agg(n=dp.rows()).release(rho=1)
    assert any("no number had to be moved" in note for note in sure.notes)


# ---------------------------------------------------------------------- refusals


@each(
    "ask, fact, remedy",
    [
        (
            lambda t: t.cube("ward", consistent="positive"),
            "'positive'",
            'consistent="non-negative"',
        ),
        (lambda t: t.cube("ward", consistent=True), "True", 'consistent="non-negative"'),
        (
            lambda t: t.cube("ward", "smoker", BANDS, ways=2, consistent=WANTED),
            "no table has all of the keys: ward, smoker, band",
            "Leave ways out",
        ),
        (
            lambda t: t.ask(
                "SELECT ward, smoker, COUNT(*) AS n FROM visits "
                "GROUP BY GROUPING SETS ((ward), (smoker))",
                consistent=WANTED,
            ),
            "no table has all of the keys",
            "Add (ward, smoker) to the GROUPING SETS",
        ),
        (
            lambda t: t.cube("ward", consistent=WANTED).agg(m=dp.col("stay").mean()),
            "nothing is counted",
            "dp.rows()",
        ),
        (
            lambda t: t.cube("ward", consistent=WANTED).agg(n=dp.rows(), n_moved=dp.rows()),
            "'n_moved'",
            "other names",
        ),
    ],
)
def test_what_cannot_fit_is_refused_before_the_charge(
    visits: Opened, ask: Any, fact: str, remedy: str
) -> None:
    table = visits()
    with pytest.raises(DiscreetError) as refused:
        _released(ask, table)
    assert fact in str(refused.value)
    assert remedy in str(refused.value)
    assert not table.standing().totals.rho


def _released(ask: Any, table: dp.Table) -> None:
    asked = ask(table)
    asked = asked if asked.query.outputs else asked.agg(n=dp.rows())
    asked.release(rho=0.1)


def test_python_and_sql_ask_the_same(visits: Opened) -> None:
    table = visits()
    text = "SELECT ward, smoker, COUNT(*) AS n FROM visits GROUP BY CUBE (ward, smoker)"
    written = table.ask(text, consistent=WANTED)
    built = table.cube("ward", "smoker", consistent=WANTED).agg(n=dp.rows())
    assert written.plan(rho=0.01).text == built.plan(rho=0.01).text
    assert table.sql(f"EXPLAIN {text}", rho=0.01, consistent=WANTED) == built.plan(rho=0.01)
    with pytest.raises(QueryError, match="consistent is 'no'"):
        table.sql(text, rho=0.01, consistent="no")
