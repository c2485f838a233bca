"""Promises 7, 8 and 9: people are who the table says, and none moves more than is priced."""

import re
from fractions import Fraction
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet.errors import DiscreetError, PolicyError, QueryError
from discreet.question.builder import col, rows
from discreet.release.table import Table
from tests.promises.aggregates import aggregates, bounded, moved
from tests.promises.visits import SOME, SQL_ROWS, visits, visits_for_sql

# ---------------------------------------------------------------------- 7


def test_promise_7_nothing_can_write_the_id() -> None:
    with visits(SOME, unit="patient", max_rows=3, max_groups=2) as opened:
        for name in ("patient", "ward"):
            with pytest.raises(QueryError, match="has the name of another one"):
                opened.with_columns(**{name: col("stay")}).agg(n=rows()).plan(epsilon=1)
        for asks in (col("patient").n_unique(), col("patient").count()):
            with pytest.raises(QueryError, match="only be counted"):
                opened.agg(x=asks).plan(epsilon=1)
        with pytest.raises(QueryError, match="only be counted"):
            opened.where(col("patient") == "p1").agg(n=rows()).plan(epsilon=1)
        with pytest.raises(QueryError, match="only be counted"):
            opened.group_by("patient").agg(n=rows()).plan(epsilon=1)
    with pytest.raises(PolicyError, match="also declared as a column"):
        visits(SOME, unit="ward", max_rows=3)


@pytest.mark.parametrize(
    "question",
    [
        "SELECT ward AS patient_id, COUNT(DISTINCT patient_id) FROM visits GROUP BY 1",
        "SELECT COUNT(DISTINCT patient_id) FROM (SELECT ward AS patient_id FROM visits) AS v",
        "SELECT COUNT(*) FROM (SELECT ward AS patient_id, COUNT(*) AS n FROM visits GROUP BY "
        "patient_id) AS v",
        "SELECT COUNT(*) FROM visits v JOIN (SELECT ward AS patient_id FROM visits) w "
        "USING (patient_id)",
        "SELECT patient_id, COUNT(*) FROM visits GROUP BY patient_id",
        "SELECT SUM(patient_id) FROM visits",
    ],
)
def test_promise_7_nothing_in_sql_can_write_the_id(question: str) -> None:
    """It is refused, or people are those that the table names: rows still count by person."""
    with visits_for_sql(SQL_ROWS) as table:
        try:
            plan = table.ask(question).plan(epsilon=1)
        except DiscreetError:
            return
        for query in plan.queries:
            assert '"patient_id" AS "unit"' in query
            assert len(re.findall('AS "unit"', query)) == 1


# ---------------------------------------------------------------------- 8, mission C1


def in_answer(opened: Table, **asked: Any) -> list[Fraction]:
    """What is priced for each block, in the answer's own unit rather than in grid steps."""
    question = opened.agg(**asked).plan(epsilon=1).question
    found = []
    for block in question.measures:
        value = getattr(block, "value", None)
        step = Fraction(1) if value is None else value.range.grid.step
        found.append(block.sensitivity(question.unit).l1 * step)
    return found


def grouped(opened: Table, key: Any) -> int:
    question = opened.group_by(key).agg(n=rows()).plan(epsilon=1).question
    return question.measures[0].sensitivity(question.unit).l1


@pytest.mark.parametrize(
    ("neighbors", "count", "histogram", "total", "filtered"),
    [("add-remove", 1, 1, 10, 10), ("replace", 1, 2, 9, 10)],
)
def test_promise_8_the_table_of_sensitivities(
    neighbors: str, count: int, histogram: int, total: int, filtered: int
) -> None:
    with visits(SOME, neighbors=neighbors) as opened:
        adult = opened.where(col("age") > 4).agg(n=rows()).plan(epsilon=1).question
        assert adult.measures[0].sensitivity(adult.unit).l1 == count
        assert grouped(opened, "ward") == grouped(opened, "smoker") == histogram
        assert grouped(opened, col("stay").bins([0, 10, 60])) == histogram
        assert in_answer(opened, s=col("age").sum()) == [total]
        assert in_answer(opened.where(col("stay") > 2), s=col("age").sum()) == [filtered]
        # k arbitrary counts cost k times one, whatever the relation.
        several = in_answer(
            opened, a=col("age").count(), b=col("stay").count(), c=col("smoker").count()
        )
        assert several == [1, 1, 1]


def test_promise_8_proportion_and_average_with_a_public_number_of_rows() -> None:
    with visits(SOME, neighbors="replace") as opened:
        assert in_answer(opened, m=col("height").mean()) == [299]  # of the sum: 299/n of the mean
        part = in_answer(opened, p=col("smoker").mean())
        assert part == [1]
        plan = opened.agg(m=col("height").mean()).plan(epsilon=1, expect_rows=20)
        (line,) = plan.lines
        assert line.margin.value == pytest.approx(299 * np.log(20) / 20, rel=0.01)


def test_promise_8_one_relation_per_table(tmp_path: Path) -> None:
    ledger = str(tmp_path / "visits.ledger")
    visits(SOME, ledger=ledger).close()
    with pytest.raises(DiscreetError, match="neighbors"):
        visits(SOME, ledger=ledger, neighbors="replace")


# ---------------------------------------------------------------------- 8 and 9


def every_data_set(universe, sizes):
    for size in sizes:
        yield from combinations_with_replacement(universe, size)


def neighbors_of(records, universe, replace):
    if replace:
        for place, value in product(range(len(records)), universe):
            yield (*records[:place], value, *records[place + 1 :])
    else:
        for value in universe:
            yield (*records, value)


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_promise_8_and_9_no_pair_of_neighbors_costs_more_than_the_claim(relation):
    # Laplace noise on integer vectors: the loss on a pair is Σ |difference|/scale, exactly.
    replace = relation == "replace"
    bounds = bounded(1, 4)
    universe = (1, 2, 3, 4, None)
    epsilon = Fraction(1)
    worst = dict.fromkeys(("sum", "mean", "var"), Fraction(0))
    width = bounds.width
    for records in every_data_set(universe, (1, 2, 3)):
        before = aggregates(list(records), replace, bounds)
        for other in neighbors_of(records, universe, replace):
            after = aggregates(list(other), replace, bounds)
            loss = {
                "sum": Fraction(
                    moved(before["sum"], after["sum"]), width if replace else bounds.farthest
                ),
                "mean": Fraction(moved(before["mean"], after["mean"]), width)
                if not replace
                else Fraction(moved(before["sum"], after["sum"]), width),
                "var": Fraction(moved(before["var"], after["var"]), width**2)
                if not replace
                else Fraction(abs(before["moments"][0] - after["moments"][0]) * 8, 9 * width)
                + Fraction(abs(before["moments"][1] - after["moments"][1]) * 16, 9 * width**2),
            }
            for name, value in loss.items():
                worst[name] = max(worst[name], value * epsilon)
    assert all(value <= epsilon for value in worst.values())
    assert worst["sum"] == worst["mean"] == epsilon, "and the claim is reached"

    # The shipped functions use these very scales.
    data = [1, 2, 3, 4]
    scale = dp.sum(data, bounds=(1, 4), grid=1, epsilon=1, neighbors=relation).mechanism.scale
    assert scale == (3 if replace else 4)
    spread = dp.var(data, bounds=(1, 4), epsilon=1, neighbors=relation).mechanism
    assert isinstance(spread, tuple) == replace
