"""Promises about SQL, on the shipped code and through the user's own surface."""

import re
from typing import Any

import pandas
import pytest

import discreet as dp
from discreet.errors import DiscreetError
from discreet.sql.statements import AGGREGATES, CLAUSES, TABLES

ROWS = [
    {"patient_id": person, "ward": "AB"[person % 2], "stay": float(person), "note": f"n{person}"}
    for person in range(6)
]
ODD: list[dict[str, Any]] = [
    {"patient_id": 99, "ward": "Z", "stay": float("nan"), "note": "x" * 10_000},
    {"patient_id": 99, "ward": None, "stay": float("inf"), "note": None},
    {"patient_id": None, "ward": "A", "stay": 1e308, "note": "'; DROP TABLE source; --"},
]
QUESTIONS = (
    "SELECT ward, COUNT(*) AS n, AVG(stay / (stay - 3)) FILTER (WHERE LN(stay) > 0) AS m "
    "FROM visits GROUP BY ward",
    "SELECT SUM(CLIP(EXP(stay * stay), 0, 9)) AS s, COUNT(TRY_CAST(note AS DATE)) AS d FROM visits",
    "SELECT AVG(t) FROM (SELECT patient_id, SUM(stay) AS t FROM visits GROUP BY patient_id) AS p",
    "SELECT nothing FROM visits",
    "SELECT COUNT(*) FROM visits WHERE note > 3",
)


def opened(rows: list[dict[str, Any]]) -> dp.Table:
    return dp.table(
        pandas.DataFrame(rows),
        name="visits",
        unit="patient_id",
        budget=dp.Budget(epsilon=20),
        columns={
            "ward": dp.category(["A", "B"]),
            "stay": dp.number(0, 10),
            "note": dp.text(),
        },
        max_rows=2,
        max_groups=2,
        ledger=":memory:",
    )


def seen(table: dp.Table, question: str) -> tuple[object, ...]:
    """All that can be seen of an answer or a refusal, but for the noise."""
    try:
        release = table.ask(question).release(epsilon=1)
    except DiscreetError as error:
        return type(error).__name__, str(error)
    return release.header, release.groups, table.ask(question).plan(epsilon=1).explain()


@pytest.mark.parametrize("question", QUESTIONS)
def test_promise_4_no_row_makes_an_error_or_another_shape(question: str) -> None:
    with opened(ROWS) as one, opened([*ROWS, *ODD]) as other:
        assert seen(one, question) == seen(other, question)


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
    with opened(ROWS) as table:
        try:
            plan = table.ask(question).plan(epsilon=1)
        except DiscreetError:
            return
        for query in plan.queries:
            assert '"patient_id" AS "unit"' in query
            assert len(re.findall('AS "unit"', query)) == 1


@pytest.mark.parametrize("question", [one.example for one in (*AGGREGATES, *CLAUSES, *TABLES)])
def test_promise_23_no_word_of_the_analyst_reaches_the_engine(question: str) -> None:
    """Comments, hints, aliases and spelling stay behind: the engine sees names of its own."""
    canary = "canary_7c1f"
    hinted = question.replace("SELECT", f"SELECT /*+ {canary} */", 1) + f" -- {canary}"
    columns = {
        **{name: dp.number(0, 9) for name in ("stay", "age", "cost")},
        "ward": dp.category(["A", "B"]),
        "smoker": dp.boolean(),
        "diagnosis": dp.text(),
        "admitted": dp.date("2020-01-01", "2020-12-31"),
    }
    people = pandas.DataFrame({"patient_id": [1], "sex": ["f"]})
    table = dp.table(
        pandas.DataFrame({name: [] for name in (*columns, "patient_id")}, dtype=object),
        name="visits",
        unit="patient_id",
        budget=dp.Budget(epsilon=1),
        columns=columns | {"age": dp.integer(0, 9)},
        max_rows=4,
        max_groups=2,
        ledger=":memory:",
        private={"patients": dp.beside(people, columns={"sex": dp.category(["f", "m"])})},
        public={"wards": pandas.DataFrame({"ward": ["A", "B"], "region": ["n", "s"]})},
    )
    with table:
        found = table.sql("EXPLAIN " + hinted.removeprefix("EXPLAIN "), epsilon=1)
        for query in found.queries:  # type: ignore[union-attr]
            assert canary not in query
            assert "--" not in query
            assert "/*" not in query
