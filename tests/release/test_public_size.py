"""The number of all rows is public where one row replaces another: exact, for ε = 0."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas
import pytest

import discreet as dp
from discreet.errors import QueryError
from discreet.plan.schema import category, integer
from discreet.privacy.losses import PureDP
from discreet.question.builder import col, people, rows
from discreet.release.certificate import check_certificate

PUBLIC = "the number of rows is public"
ROWS = 137


def frame(many: int = ROWS) -> pandas.DataFrame:
    ages = [30 + place % 7 for place in range(many)]
    wards = ["A" if place % 3 else "B" for place in range(many)]
    return pandas.DataFrame(
        {"age": ages, "ward": wards, "who": [f"p{p % 50}" for p in range(many)]}
    )


def opened(source: Any = None, **changes: Any) -> dp.Table:
    how: dict[str, Any] = {
        "name": "visits",
        "unit": "row",
        "neighbors": "replace",
        "budget": dp.Budget(epsilon=3),
        "columns": {"age": integer(0, 120), "ward": category(["A", "B"])},
        "ledger": ":memory:",
    }
    return dp.table(frame() if source is None else source, **how | changes)


@pytest.mark.parametrize("ask", [rows(), people()], ids=["rows", "people"])
def test_it_is_exact_and_costs_nothing(ask: Any) -> None:
    table = opened()
    plan = table.agg(n=ask).plan(epsilon=1)
    assert (plan.epsilon, plan.delta, plan.margins()) == (0, 0, {"n": 0})
    answer = plan.release()
    number = answer["n"]
    assert isinstance(number, dp.Estimate)
    assert (number.value, number.interval("0.999999"), number.loss) == (
        ROWS,
        (ROWS, ROWS),
        PureDP(epsilon=Fraction(0)),
    )
    assert number.exact
    assert table.budget.spent.epsilon == 0


def test_every_form_says_so() -> None:
    table = opened()
    plan = table.agg(n=rows()).plan()
    assert PUBLIC in repr(plan)
    assert "exact" in repr(plan)
    assert "costs ε = 0" in repr(plan)
    assert "n          rows(): exact, ε = 0" in plan.explain()
    answer = plan.release()
    assert f"{ROWS} exact" in repr(answer)
    assert str(answer["n"]).startswith(f"{ROWS} exact")
    data = json.loads(answer.to_json())
    assert data["rows"] == [{"n": ROWS, "n_lower": ROWS, "n_upper": ROWS}]
    assert any(PUBLIC in note for note in data["notes"])
    assert PUBLIC in data["certificate"]["mechanisms"][0]["mechanism"]
    assert data["certificate"]["epsilon"] == "0"
    assert PUBLIC in answer.certificate.text
    for page in (answer.report(), answer._repr_html_()):
        assert PUBLIC in page
        assert "exact" in page
    assert "Random noise was added" not in answer.report()


def test_it_is_charged_before_it_is_read() -> None:
    table = opened()
    answer = table.sql("SELECT COUNT(*) AS n FROM visits", epsilon=1)
    kinds = [entry.kind for entry in table.ledger.history("visits")]
    assert kinds[-2:] == ["charge", "released"]
    assert isinstance(answer, dp.Release)
    assert check_certificate(answer.certificate, table.ledger) == []
    assert answer.certificate.price == "ε = 0"


def test_nothing_left_is_enough_for_it() -> None:
    table = opened()
    table.agg(m=col("age").mean()).release(epsilon=3)
    assert table.agg(n=rows()).release(epsilon=1)["n"].value == ROWS  # type: ignore[union-attr]


def test_what_is_asked_beside_it_gets_all_of_epsilon() -> None:
    table = opened()
    alone, beside = (
        table.agg(**asked).plan(epsilon=1)
        for asked in ({"m": col("age").mean()}, {"n": rows(), "m": col("age").mean()})
    )
    assert beside.epsilon == 1
    assert [line.epsilon for line in beside.lines] == [0, 1]
    assert beside.lines[1].mechanism == alone.lines[0].mechanism
    answer = table.sql("SELECT COUNT(*) AS n, SUM(age) / COUNT(*) AS m FROM visits", epsilon=1)
    assert answer["n"].value == ROWS  # type: ignore[union-attr]
    assert answer["m"].value == pytest.approx(33, abs=30)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "question",
    [
        "SELECT COUNT(*) AS n FROM visits WHERE age > 0",
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
        "SELECT COUNT(*) FILTER (WHERE age > 0) AS n FROM visits",
        "SELECT COUNT(age) AS n FROM visits",
        "SELECT COUNT(DISTINCT age) AS n FROM visits",
        "SELECT COUNT(*) AS n FROM (SELECT age FROM visits WHERE age > 0) AS kept",
        "SELECT COUNT(*) AS n FROM visits JOIN wards ON visits.ward = wards.ward",
    ],
)
def test_what_a_replaced_row_can_change_has_noise(question: str) -> None:
    wards = pandas.DataFrame({"ward": ["A", "B"], "floor": [1, 2]})
    plan = opened(public={"wards": wards}).ask(question).plan(epsilon=1)
    assert plan.epsilon == 1
    assert all("Laplace" in line.mechanism for line in plan.lines)


@pytest.mark.parametrize(
    "changes",
    [
        {"neighbors": "add-remove"},
        {"unit": "who", "max_rows": 5, "max_groups": 1},
        {"unit": "who", "max_rows": 5, "max_groups": 1, "neighbors": "add-remove"},
    ],
)
def test_it_is_private_where_rows_can_come_or_go(changes: dict[str, Any]) -> None:
    plan = opened(**changes).agg(n=rows()).plan(epsilon=1)
    assert plan.epsilon == 1
    assert "Laplace" in plan.lines[0].mechanism


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
@pytest.mark.parametrize("many", [0, 1, ROWS])
def test_every_source_says_the_same(kind: str, many: int, tmp_path: Path) -> None:
    """Missing values, of which some fit no declaration, do not make a row less."""
    rows_of = frame(many)
    if many:
        rows_of.loc[0, ["age", "ward"]] = [None, "no such ward"]
    source: Any = rows_of
    if kind == "csv":
        source = tmp_path / "visits.csv"
        rows_of.to_csv(source, index=False)
    elif kind == "parquet":
        source = tmp_path / "visits.parquet"
        rows_of.to_parquet(source)
    with opened(source) as table:
        assert table.agg(n=rows()).release()["n"].value == many  # type: ignore[union-attr]


def test_margins_and_batches() -> None:
    table = opened()
    assert table.agg(n=rows()).plan(margin={"n": 3}).epsilon == 0
    with pytest.raises(QueryError, match="exact and costs nothing"):
        table.agg(n=rows(), m=col("age").sum()).plan(margin={"n": 3})
    both = table.agg(n=rows(), m=col("age").sum()).plan(margin={"n": 3, "m": 400})
    assert both.margins()["m"] <= 400
    planned = dp.batch([table.agg(n=rows()), table.agg(m=col("age").sum())]).plan(
        budget=dp.Budget(epsilon=1)
    )
    assert [plan.epsilon for plan in planned.plans] == [0, 1]


def test_arithmetic_with_it_costs_no_confidence() -> None:
    table = opened()
    answer = table.agg(n=rows(), s=col("age").sum(), v=col("age").var()).release(epsilon=2)
    n, spread = answer["n"], answer["v"]
    assert (2 * n).exact
    assert (n - n).exact
    doubled = (n * spread).interval()
    assert doubled == pytest.approx([ROWS * end for end in spread.interval()])  # type: ignore[union-attr]
