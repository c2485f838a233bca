"""The same question in SQL and in Python is the same plan, with the same price."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import pandas
import pytest

import discreet as dp
from discreet.plan.schema import boolean, category, date, integer, number, text
from discreet.privacy.losses import Budget
from discreet.question.builder import col, people, rows, when
from discreet.question.check import checked_question
from discreet.release.price import price_question
from discreet.release.table import QuestionBuilder, Table
from tests.support.cases import each

COLUMNS = {
    "ward": category(["A", "B", "C"]),
    "stay": number(0, 60),
    "age": integer(0, 120),
    "smoker": boolean(),
    "diagnosis": text(),
    "admitted": date("2024-01-01", "2025-12-31"),
}
STAY, AGE, WARD = col("stay"), col("age"), col("ward")


@pytest.fixture(scope="module")
def visits() -> Iterator[Table]:
    with dp.table(
        pandas.DataFrame({name: [] for name in [*COLUMNS, "patient_id"]}),
        name="visits",
        unit="patient_id",
        max_groups=3,
        max_rows=10,
        columns=COLUMNS,
        budget=Budget(epsilon=1),
        ledger=":memory:",
    ) as opened:
        yield opened


Asks = Callable[[Table], QuestionBuilder]

PAIRS: list[tuple[str, Asks]] = [
    ("SELECT COUNT(*) AS n FROM visits", lambda t: t.agg(n=rows())),
    ("SELECT COUNT(DISTINCT patient_id) AS n FROM visits", lambda t: t.agg(n=people())),
    ("SELECT PEOPLE() AS n, ROWS() AS m FROM visits", lambda t: t.agg(n=people(), m=rows())),
    ("SELECT COUNT(stay) AS n FROM visits", lambda t: t.agg(n=STAY.count())),
    (
        "SELECT COUNT(DISTINCT diagnosis) AS n FROM visits",
        lambda t: t.agg(n=col("diagnosis").n_unique()),
    ),
    (
        "SELECT SUM(stay) AS s, AVG(stay) AS m FROM visits",
        lambda t: t.agg(s=STAY.sum(), m=STAY.mean()),
    ),
    (
        "SELECT VAR_POP(stay) AS v, STDDEV(stay) AS d FROM visits",
        lambda t: t.agg(v=STAY.var(), d=STAY.std()),
    ),
    (
        "SELECT MIN(stay) AS a, MAX(stay) AS b FROM visits",
        lambda t: t.agg(a=STAY.min(), b=STAY.max()),
    ),
    ("SELECT MEDIAN(stay) AS m FROM visits", lambda t: t.agg(m=STAY.median())),
    (
        "SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY stay) AS p FROM visits",
        lambda t: t.agg(p=STAY.quantile(0.9)),
    ),
    (
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
        lambda t: t.group_by("ward").agg(n=rows()),
    ),
    (
        "SELECT ward, smoker, AVG(stay) AS m FROM visits GROUP BY 1, 2",
        lambda t: t.group_by("ward", "smoker").agg(m=STAY.mean()),
    ),
    (
        "SELECT BINS(age, 0, 18, 65, 120) AS band, COUNT(*) AS n FROM visits GROUP BY band",
        lambda t: t.group_by(AGE.bins([0, 18, 65, 120]).alias("band")).agg(n=rows()),
    ),
    (
        "SELECT BINS(admitted, DATE '2024-01-01', '2025-01-01') AS y, ROWS() AS n FROM visits "
        "GROUP BY y",
        lambda t: t.group_by(col("admitted").bins(["2024-01-01", "2025-01-01"]).alias("y")).agg(
            n=rows()
        ),
    ),
    (
        "SELECT age // 10 * 10 AS decade, COUNT(*) AS n FROM visits GROUP BY decade",
        lambda t: t.group_by((AGE // 10 * 10).alias("decade")).agg(n=rows()),
    ),
    (
        "SELECT stay > 7 AS long, COUNT(*) AS n FROM visits GROUP BY long",
        lambda t: t.group_by((STAY > 7).alias("long")).agg(n=rows()),
    ),
    (
        "SELECT CASE WHEN age < 18 THEN 'child' ELSE 'adult' END AS band, ROWS() AS n FROM visits "
        "GROUP BY band",
        lambda t: t.group_by(when(AGE < 18).then("child").otherwise("adult").alias("band")).agg(
            n=rows()
        ),
    ),
    ("SELECT COUNT(*) AS n FROM visits WHERE stay > 2", lambda t: t.where(STAY > 2).agg(n=rows())),
    (
        "SELECT COUNT(*) AS n FROM visits WHERE stay > 2",
        lambda t: t.where("stay > 2").agg(n=rows()),
    ),
    (
        "SELECT COUNT(*) AS n FROM visits WHERE stay > 2 AND ward = 'A'",
        lambda t: t.where(STAY > 2, WARD == "A").agg(n=rows()),
    ),
    (
        "SELECT COUNT(*) AS n FROM visits WHERE stay > 2 OR NOT smoker",
        lambda t: t.where((STAY > 2) | ~col("smoker")).agg(n=rows()),
    ),
    (
        "SELECT COUNT(*) AS n FROM visits WHERE stay BETWEEN 2 AND 7",
        lambda t: t.where(STAY.is_between(2, 7)).agg(n=rows()),
    ),
    (
        "SELECT COUNT(*) AS n FROM visits WHERE ward IN ('A', 'B', 'C')",
        lambda t: t.where(WARD.is_in(["A", "B", "C"])).agg(n=rows()),
    ),
    (
        "SELECT COUNT(*) AS n FROM visits WHERE stay IS NULL",
        lambda t: t.where(STAY.is_null()).agg(n=rows()),
    ),
    (
        "SELECT AVG(COALESCE(stay, 0)) AS m FROM visits",
        lambda t: t.agg(m=STAY.fill_null(0).mean()),
    ),
    ("SELECT AVG(CLIP(stay, 0, 30)) AS m FROM visits", lambda t: t.agg(m=STAY.clip(0, 30).mean())),
    ("SELECT AVG(ABS(stay - 30)) AS m FROM visits", lambda t: t.agg(m=(STAY - 30).abs().mean())),
    ("SELECT AVG(stay * 24 + 1) AS m FROM visits", lambda t: t.agg(m=(STAY * 24 + 1).mean())),
    ("SELECT AVG(smoker) AS p FROM visits", lambda t: t.agg(p=col("smoker").mean())),
    ("SELECT AVG(stay > 7) AS p FROM visits", lambda t: t.agg(p=(STAY > 7).mean())),
    (
        "SELECT AVG(CASE WHEN stay > 7 THEN 1 ELSE 0 END) AS p FROM visits",
        lambda t: t.agg(p=when(STAY > 7).then(1).otherwise(0).mean()),
    ),
    (
        "SELECT AVG(stay) FILTER (WHERE age >= 65) AS m FROM visits",
        lambda t: t.agg(m=when(AGE >= 65).then(STAY).otherwise(None).mean()),
    ),
    (
        "SELECT COUNT(DISTINCT patient_id) FILTER (WHERE stay > 7) AS n FROM visits",
        lambda t: t.agg(n=people(STAY > 7)),
    ),
    (
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC LIMIT 2",
        lambda t: t.group_by("ward").agg(n=rows()).top(2),
    ),
    (
        "SELECT diagnosis, COUNT(DISTINCT patient_id) AS n FROM visits GROUP BY diagnosis",
        lambda t: t.group_by("diagnosis").agg(n=people()),
    ),
    (
        "SELECT ward, AVG(stay) AS m FROM (SELECT ward, stay FROM visits WHERE age > 18) "
        "GROUP BY ward",
        lambda t: t.where(AGE > 18).group_by("ward").agg(m=STAY.mean()),
    ),
    (
        "WITH v AS (SELECT ward, stay FROM visits) SELECT ward, AVG(stay) AS m FROM v GROUP BY 1",
        lambda t: t.group_by("ward").agg(m=STAY.mean()),
    ),
]
DERIVED: list[tuple[str, Asks]] = [
    (
        "SELECT AVG(hours) AS m FROM (SELECT stay * 24 AS hours FROM visits)",
        lambda t: t.with_columns(hours=STAY * 24).agg(m=col("hours").mean()),
    ),
    (
        "SELECT long, COUNT(*) AS n FROM (SELECT stay > 7 AS long FROM visits) GROUP BY long",
        lambda t: t.with_columns(long="stay > 7").group_by("long").agg(n=rows()),
    ),
]


@each(("sql", "asks"), PAIRS, ids=[sql for sql, _ in PAIRS])
def test_sql_and_python_ask_the_same_question(visits: Table, sql: str, asks: Asks) -> None:
    written, built = visits.ask(sql), asks(visits)
    assert written.query == built.query
    assert written.query.text == built.query.text
    questions = [checked_question(one.query, visits.schema) for one in (written, built)]
    assert questions[0] == questions[1]
    delta = Fraction(1, 10**6)
    first, second = (price_question(question, Fraction(1), delta) for question in questions)
    assert first == second


@pytest.mark.parametrize(("sql", "asks"), DERIVED, ids=[sql for sql, _ in DERIVED])
def test_columns_of_a_subquery_are_derived_columns(visits: Table, sql: str, asks: Asks) -> None:
    written, built = (
        checked_question(one.query, visits.schema) for one in (visits.ask(sql), asks(visits))
    )
    assert replace(written, query=built.query) == built


def test_there_are_enough_pairs() -> None:
    assert len(PAIRS) + len(DERIVED) >= 25
