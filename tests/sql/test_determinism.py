"""Joins and each person's sums are the same bit by bit on any threads and in any order of rows."""

from random import Random
from typing import Any

import duckdb
import numpy as np
import pyarrow
import pytest

from discreet.plan.schema import PartnerTable, Schema, number
from discreet.question import query
from discreet.question.check import Question, checked_question
from discreet.sql.read.select import parse_select
from discreet.sql.write import rows
from discreet.sql.write.queries import keys_query, queries
from discreet.sql.write.rows import DUCKDB
from tests.support.drawn_sql import Rows, accepted, schema
from tests.support.several_tables import TIMES, frames
from tests.support.trials import all_but

MANY = 250_000
SIZES = np.array([0.0, -0.0, 0.1, 1 / 3, 2.5, 59.9, 1e-300, np.nan, np.inf, -np.inf, 1e308])

QUESTIONS = {
    "a sum for each person": "SELECT SUM(t) AS s, MEDIAN(t) AS m FROM (SELECT id, SUM(stay) AS t "
    "FROM visits GROUP BY id) AS q",
    "a mean for each person and key": "SELECT BINS(k, 0, 1, 3) AS b, COUNT(*) AS n, AVG(t) AS s "
    "FROM (SELECT id, stay AS k, AVG(score / 3) AS t FROM visits GROUP BY 1, 2) AS q GROUP BY 1",
    "ends for each person": "SELECT AVG(a) AS l, VAR_POP(b) AS m FROM (SELECT id, MIN(stay) AS a, "
    "MAX(score) AS b, COUNT(DISTINCT stay) AS d FROM visits GROUP BY id) AS q WHERE d > 1",
    "rows by person": "SELECT COUNT(*) AS n, SUM(v.stay + p.mass) AS s, AVG(p.mass) AS m "
    "FROM visits AS v JOIN patients AS p ON v.id = p.id",
    "sums beside rows": "SELECT COUNT(*) AS n, SUM(q.t - v.stay) AS s FROM visits AS v LEFT JOIN "
    "(SELECT id, mass AS k, SUM(mass) AS t FROM patients GROUP BY id, mass) AS q ON v.id = q.id",
    "people by a condition": "SELECT BINS(v.stay, 0, 2, 60) AS b, COUNT(DISTINCT CASE WHEN p.mass "
    "> 1 THEN v.id END) AS n FROM visits AS v JOIN patients AS p ON v.id = p.id GROUP BY 1",
}


def _schema() -> Schema:
    return Schema(
        name="visits",
        columns={"stay": number(0, 60), "score": number(-8, 8)},
        unit="id",
        max_rows=3,
        max_groups=2,
        private={"patients": PartnerTable(columns={"mass": number(-2, 90)}, unit="id", max_rows=2)},
    )


def _tables() -> dict[str, Any]:
    """Many people with several rows each, among them every odd number, zeros of both signs."""
    places = np.arange(MANY)
    visits = {
        "id": places * 7919 % (MANY // 5),
        "stay": SIZES[places * 31 % 101 % len(SIZES)],
        "score": np.sin(places),
    }
    half = places[: MANY // 2]
    patients = {"id": half * 104729 % (MANY // 5), "mass": SIZES[half * 17 % 103 % len(SIZES)]}
    return {"source": pyarrow.table(visits), "private_0": pyarrow.table(patients)}


def _found(question: Question, tables: dict[str, Any], threads: int, cells: Any = None) -> Any:
    """What every query of a question finds; the order of groups says nothing."""
    asked = queries(question, question.measures, cells, DUCKDB, question.unit)
    texts = [query.sql("duckdb") for _, query, _ in asked]
    with duckdb.connect(config={"threads": threads}) as connection:
        for name, table in tables.items():
            connection.register(name, table)
        return [sorted(connection.execute(text).fetchall(), key=repr) for text in texts]


def _shuffled(tables: dict[str, Any], seed: int) -> dict[str, Any]:
    orders = np.random.default_rng(seed)
    return {name: table.take(orders.permutation(len(table))) for name, table in tables.items()}


@pytest.mark.parametrize("name", all_but(["a sum for each person"], QUESTIONS, pytest.mark.slow))
def test_neither_threads_nor_the_order_of_rows_show(name: str) -> None:
    declared, tables = _schema(), _tables()
    question = checked_question(parse_select(QUESTIONS[name], declared), declared)
    expected = _found(question, tables, 1)
    assert any(any(row[1:]) for found in expected for row in found)
    for threads in (2, 8):
        assert _found(question, tables, threads) == expected
        assert _found(question, _shuffled(tables, threads), threads) == expected


@pytest.mark.slow
def test_the_order_of_odd_rows_never_shows() -> None:
    """Small tables of the oddest values, and questions of every kind."""
    for seed in range(30):
        random = Random(seed)
        declared = schema(max_rows=random.randint(1, 2), beside_rows=1)
        text, question = accepted(random, declared)
        rows = Rows(random)
        visits, patients = rows.visits(("p", "q"), 16), rows.patients(("p", "q"), 9)
        tables = frames([*visits, *({**row, TIMES: 3} for row in visits)], patients, "double")
        cells = [("a",) * len(question.keys)] if question.selects_keys else None
        expected = _found(question, tables, 1, cells)
        shuffled = _shuffled(tables, seed)
        assert _found(question, shuffled, 2, cells) == expected, text
        if question.selects_keys:
            keys = keys_query(question).sql("duckdb")
            with duckdb.connect() as connection:
                both = []
                for one in (tables, shuffled):
                    for name, table in one.items():
                        connection.register(name, table)
                    both.append(connection.execute(keys).fetchall())
            assert both[0] == both[1], text


def _zeros(declared: Schema) -> set[str]:
    """What is found for somebody with zeros of both signs, in either order."""
    text = (
        "SELECT SUM(q.k) AS s FROM visits AS v JOIN (SELECT id, mass AS k, COUNT(*) AS n "
        "FROM patients GROUP BY id, mass) AS q ON v.id = q.id"
    )
    question = checked_question(parse_select(text, declared), declared)
    found = set()
    for whole in range(1, 12):
        for zeros in ([0.0, -0.0], [-0.0, 0.0]):
            patients = pyarrow.table({"id": [7] * 3, "mass": [*zeros, float(whole)]})
            visits = pyarrow.table({"id": [7], "stay": [1.0], "score": [1.0]})
            tables = {"source": visits, "private_0": patients}
            found.add(f"{whole}: {_found(question, tables, 1)}")
    return found


@pytest.mark.slow
def test_the_sign_of_a_zero_does_not_choose_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "MOST_PAIRS", 1)
    declared = _schema()
    assert len(_zeros(declared)) == 11
    monkeypatch.setattr(rows, "plain_zero", lambda value: value)  # negative control
    assert len(_zeros(declared)) > 11


def test_sums_of_floats_would_show_the_order_of_rows() -> None:
    """Negative control: what is compared is fine enough to see it."""
    tables = {"source": pyarrow.table({"x": np.sin(np.arange(MANY)) * 1e9})}
    found = []
    for one in (tables, _shuffled(tables, 1)):
        with duckdb.connect(config={"threads": 1}) as connection:
            connection.register("source", one["source"])
            found.append(connection.execute("SELECT SUM(x) FROM source").fetchall())
    assert found[0] != found[1]
