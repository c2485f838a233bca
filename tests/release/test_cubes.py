"""Tables whose totals agree and running totals, from the question to every form of the answer."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import discreet as dp
from discreet.errors import DiscreetError, QueryError
from discreet.plots import Picture
from tests.support.cases import each

Opened = Callable[..., dp.Table]
UP_TO_HERE = "BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
BANDS = dp.col("age").bins([0, 30, 60, 121]).alias("band")


def cube(table: dp.Table, **changes: Any) -> Any:
    return table.cube("ward", "smoker", BANDS, **changes)


@each("unit", ["patient", "row"])
@each("neighbors", ["add-remove", "replace"])
def test_all_totals_agree_to_the_last_digit(visits: Opened, unit: str, neighbors: str) -> None:
    table = visits(unit=unit, neighbors=neighbors)
    asked = cube(table).agg(n=dp.rows(), days=dp.col("stay").sum(), known=dp.col("stay").count())
    answer = asked.release(rho="0.05")
    labels = [list(dict.fromkeys(group[key] for group in answer.groups)) for key in range(3)]
    assert all(None in one for one in labels)
    for name in ("n", "days", "known"):
        found = dict(zip(answer.groups, answer.column(name), strict=True))
        assert len(found) == len(list(product(*labels)))
        for group in product(*labels):
            for key in range(3):
                if group[key] is None:
                    parts = [
                        found[*group[:key], label, *group[key + 1 :]].value
                        for label in labels[key]
                        if label is not None
                    ]
                    assert sum(parts) == found[group].value
        if name != "days":
            assert all(type(one.value) is int for one in found.values())


def test_numbers_are_near_the_truth(visits: Opened) -> None:
    table = visits(unit="row")
    known = table.where(dp.col("ward").is_not_null(), dp.col("smoker").is_not_null())
    known = known.where(dp.col("age").is_between(0, 120))
    asked = {"n": dp.rows(), "m": dp.col("stay").mean()}
    together = cube(known).agg(**asked).release(rho="0.5")
    alone = known.agg(**asked).release(rho="0.5")
    for name in asked:
        total = dict(zip(together.groups, together.column(name), strict=True))[None, None, None]
        low, high = total.interval(0.9999999)
        wide = alone[name].interval(0.9999999)
        assert low <= wide[1]
        assert wide[0] <= high


def test_a_question_in_sql_is_the_one_in_python(visits: Opened) -> None:
    table = visits()
    written = table.ask(
        "SELECT ward, smoker, COUNT(*) AS n FROM visits GROUP BY CUBE (ward, smoker)"
    )
    built = table.cube("ward", "smoker").agg(n=dp.rows())
    assert written.plan(rho=0.01).text == built.plan(rho=0.01).text
    assert written.query.text == built.query.text


@each(
    "groups, tables",
    [
        ("CUBE (ward, smoker)", [(0, 1), (0,), (1,), ()]),
        ("ROLLUP (ward, smoker)", [(0, 1), (0,), ()]),
        ("GROUPING SETS ((ward, smoker), smoker, ())", [(0, 1), (1,), ()]),
        ("ward, CUBE (smoker)", [(0, 1), (0,)]),
        ("ROLLUP (ward), ROLLUP (smoker)", [(0, 1), (0,), (1,), ()]),
        ("GROUPING SETS (ROLLUP (ward), CUBE (smoker))", [(0,), (), (1,)]),
        ("CUBE ((ward, smoker))", [(0, 1), ()]),
        ("GROUPING SETS ((smoker, ward), (ward, smoker), (ward))", [(0, 1), (0,)]),
    ],
)
def test_group_by_says_which_tables(visits: Opened, groups: str, tables: Any) -> None:
    asked = visits().ask(f"SELECT ward, smoker, COUNT(*) AS n FROM visits GROUP BY {groups}")
    assert asked.question.strategy is not None
    assert list(asked.question.strategy.tables) == tables


def test_grouping_tells_totals_apart(visits: Opened) -> None:
    answer = visits().sql(
        "SELECT ward, COUNT(*) AS n, GROUPING(ward) AS total FROM visits GROUP BY ROLLUP (ward) "
        "HAVING GROUPING(ward) = 1",
        rho=0.01,
    )
    assert answer.groups == ((None,),)
    assert answer.column("total")[0].value == 1
    assert answer.column("total")[0].exact


def test_one_table_by_all_groups_is_an_ordinary_question(visits: Opened) -> None:
    asked = visits().ask("SELECT ward, COUNT(*) AS n FROM visits GROUP BY GROUPING SETS ((ward))")
    assert asked.question.strategy is None


@each(
    "total, by_group",
    [
        ("SUM(COUNT(*)) OVER (ORDER BY age)", True),
        (
            "SUM(SUM(stay)) OVER (ORDER BY age ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
            False,
        ),
    ],
)
def test_running_totals_in_sql(visits: Opened, total: str, by_group: bool) -> None:
    beside = "COUNT(*) AS n, " if by_group else ""
    text = (
        f"SELECT age, {beside}{total} AS upto FROM visits WHERE age BETWEEN 30 AND 39 GROUP BY age"
    )
    answer = visits(unit="row").sql(text, rho=0.1)
    totals = [one.value for one in answer.column("upto")]
    if by_group:
        counts = [one.value for one in answer.column("n")]
        assert [sum(counts[: last + 1]) for last in range(len(counts))] == totals
        difference = answer.column("upto")[4] - answer.column("upto")[3]
        assert difference.interval() == answer.column("n")[4].interval()


def test_running_totals_of_each_group(visits: Opened) -> None:
    table = visits(unit="row")
    answer = table.group_by("ward", BANDS).cumulative().agg(n=dp.rows()).release(rho=1)
    found = dict(zip(answer.groups, answer.column("n"), strict=True))
    ward = answer.groups[0][0]
    own = [found[group] for group in answer.groups if group[0] == ward]
    assert len(own) == 3
    assert (own[2] - own[0]).interval()[0] <= (own[2] - own[0]).value


# ---------------------------------------------------------------------- plans, prices, records


def test_a_plan_says_how_exact_each_level_is(visits: Opened) -> None:
    plan = cube(visits(unit="row"), ways=2).agg(n=dp.rows()).plan(rho=0.01)
    assert any(note.startswith("n: ± ") and "in the total" in note for note in plan.notes)
    margins = plan.table_margins()["n"]
    assert set(map(len, margins)) == {0, 1, 2}
    assert max(filter(None, margins.values())) == plan.margins()["n"]
    heavier = cube(visits(unit="row"), ways=2, weights={0: 100}).agg(n=dp.rows()).plan(rho=0.01)
    assert (heavier.table_margins()["n"][()] or 0) < (margins[()] or 0)


def test_a_margin_is_met_in_every_table(visits: Opened) -> None:
    plan = cube(visits(unit="row")).agg(n=dp.rows()).plan(margin={"n": 40})
    assert all((one or 0) <= 40 for one in plan.table_margins()["n"].values())


def test_what_caps_leave_out_is_said_of_cubes_too(visits: Opened) -> None:
    plan = visits().cube("ward", "smoker").agg(n=dp.rows()).plan(rho=0.01)
    assert any("counts for 6" in note for note in plan.notes)
    answer = plan.release()
    assert any("counts for 6" in note for note in answer.notes)
    assert all(one.truth is not None for one in answer.column("n"))
    assert any("is in no total either" in note for note in answer.notes)


def test_an_answer_is_shown_again_and_given_again(visits: Opened) -> None:
    table = visits()
    asked = cube(table, weights={1: 2}).agg(n=dp.rows(), m=dp.col("stay").mean())
    first = asked.release(rho=0.01, key="cube")
    again = asked.release(rho=0.01, key="cube")
    assert again.repeated
    shown = table.paid(first.certificate.entry)
    assert first.to_csv() == again.to_csv() == shown.to_csv()
    assert first.certificate.answer == shown.certificate.answer
    running = table.group_by(BANDS).cumulative().agg(n=dp.rows()).release(rho=0.01)
    assert table.paid(running.certificate.entry).to_csv() == running.to_csv()


@each("price", [{"rho": "0.01"}, {"spend": "5%"}, {"epsilon": 1, "delta": "1e-5"}])
def test_the_price_is_that_of_one_gaussian_vector(visits: Opened, price: Any) -> None:
    table = visits()
    plan = cube(table).agg(n=dp.rows()).plan(**price)
    assert type(plan.price.event).__name__ == "DiscreteGaussianEvent"
    before = table.standing().totals.rho
    plan.release()
    assert table.standing().totals.rho - before == plan.rho
    if "rho" in price:
        assert plan.rho <= dp.Budget(rho=price["rho"]).rho


def test_replacing_costs_more_and_signed_sums_most(visits: Opened) -> None:
    def moved(neighbors: str, asked: Any) -> int:
        table = visits(neighbors=neighbors)
        [priced] = table.cube("ward", "smoker").agg(a=asked).plan(rho=1).price.priced
        return priced.sensitivity.squared_l2

    count, signed = dp.rows(), (dp.col("stay") - 5).clip(-5, 5).sum()
    assert moved("add-remove", count) < moved("replace", count) < 4 * moved("add-remove", count)
    assert moved("replace", signed) == pytest.approx(4 * moved("add-remove", signed), rel=1e-9)


# ---------------------------------------------------------------------- forms of the answer


def test_totals_have_no_label_in_frames_and_are_called_all_in_print(visits: Opened) -> None:
    answer = cube(visits()).agg(n=dp.rows()).release(rho=0.1)
    totals = sum(None in group for group in answer.groups)
    frame = answer.to_pandas()
    assert frame["ward"].isna().sum() == sum(group[0] is None for group in answer.groups)
    assert str(frame["smoker"].dtype) == "boolean"
    assert answer.to_polars()["smoker"].null_count() > 0
    assert answer.to_arrow().column("ward").null_count > 0
    assert totals
    assert "all" in repr(answer)
    assert ",,," in answer.to_csv()


def test_dates_and_whole_numbers_keep_their_types_beside_totals(visits: Opened) -> None:
    month = dp.col("admitted").truncate("month").alias("month")
    answer = visits().cube(month, "smoker").agg(n=dp.rows()).release(rho=0.1)
    assert str(answer.to_polars()["month"].dtype) == "Date"
    assert answer.to_polars()["month"].null_count() == 3
    numbered = visits().where(dp.col("age").is_between(30, 33)).cube("age").agg(n=dp.rows())
    frame = numbered.release(rho=0.1)
    assert str(frame.to_pandas()["age"].dtype) == "Int64"
    assert str(frame.to_polars()["age"].dtype) == "Int64"


@each("ending", ["csv", "json", "html", "md", "parquet", "xlsx", "png", "svg"])
def test_every_file_holds_a_cube(visits: Opened, tmp_path: Any, ending: str) -> None:
    answer = cube(visits()).agg(n=dp.rows(), m=dp.col("stay").mean()).release(rho=0.1)
    path = answer.save(tmp_path / f"cube.{ending}")
    assert path.stat().st_size > 100


def test_a_cube_is_drawn_as_a_table_with_its_totals(visits: Opened) -> None:
    answer = visits().cube("ward", "smoker").agg(n=dp.rows()).release(rho=0.1)
    picture = answer.plot()
    assert isinstance(picture, Picture)
    values = next(iter(picture.spec.get("datasets", {}).values()), None)
    values = values or picture.spec["data"]["values"]
    assert len(values) == len(answer)
    assert sum(one["total"] for one in values) == sum(None in group for group in answer.groups)
    assert "all" in picture.svg


# ---------------------------------------------------------------------- refusals


@each(
    "ask, fact, remedy",
    [
        (lambda t: t.cube("diagnosis"), "private", "Find the values first"),
        (lambda t: t.cube("ward").agg(p=dp.people()), "not add up", "max_rows=1"),
        (lambda t: t.cube("ward").agg(q=dp.col("stay").median()), "added up over rows", ""),
        (lambda t: t.cube("ward", ways=2), "1 keys", "ways=1"),
        (lambda t: t.cube(), "without keys", "cube("),
        (lambda t: t.group_by("ward").cube("smoker"), "after group_by", "cube("),
        (lambda t: t.cube("ward", weights={3: 1}), "a weight of 3", "weights="),
        (lambda t: t.group_by("ward").cumulative(), "no order", "bins"),
        (lambda t: t.agg(n=dp.rows()).cumulative(), "not grouped", "cumulative()"),
        (
            lambda t: t.cube("age", dp.col("age").alias("b"), dp.col("age").alias("c")),
            "cells",
            "fit",
        ),
        (lambda t: t.cube(*(dp.col("age").alias(f"k{n}") for n in range(20))), "tables", "ways=2"),
    ],
)
def test_what_has_no_totals_is_refused_with_what_would(
    visits: Opened, ask: Any, fact: str, remedy: str
) -> None:
    table = visits()
    before = table.standing().totals
    with pytest.raises(DiscreetError) as refused:
        _released(ask, table)
    assert fact in str(refused.value)
    assert remedy in str(refused.value)
    assert table.standing().totals == before


def _again(many: int) -> list[Any]:
    return [dp.col("age").alias(f"k{number}") for number in range(many)]


def _released(ask: Any, table: dp.Table) -> None:
    asked = ask(table)
    asked = asked if asked.query.outputs else asked.agg(n=dp.rows())
    asked.release(rho=0.1)


def test_an_epsilon_alone_is_refused_before_the_charge(visits: Opened) -> None:
    table = visits()
    with pytest.raises(QueryError, match="needs δ as well as ε"):
        table.cube("ward").agg(n=dp.rows()).release(epsilon=1)
    assert not table.standing().totals.rho
