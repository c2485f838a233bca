"""The answers to the corpus, at an ε that leaves no noise, are what DuckDB says of the same SQL."""

import datetime
import re
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from discreet.engines.sources import Sources, find_source
from discreet.ledger import Ledger
from discreet.plan.schema import (
    Column,
    NumberColumn,
)
from discreet.privacy.losses import Budget
from discreet.release.open_table import open_engine
from discreet.release.table import Table
from tests.sql.corpus.facts import Case, cases
from tests.sql.corpus.frames import frames_of
from tests.sql.corpus.schemas import SCHEMAS

pytestmark = pytest.mark.filterwarnings("ignore:epsilon is")
_MACROS = """
CREATE MACRO clip(x, a, b) AS CASE WHEN x < a THEN a WHEN x > b THEN b ELSE x END;
CREATE MACRO width_bucket(x, a, b, n) AS
    CASE WHEN x < a THEN 0 WHEN x >= b THEN n + 1 ELSE FLOOR((x - a) * n / (b - a)) + 1 END;
"""
_OURS = (
    "BINS(",
    "PEOPLE(",
    "QUANTILE(income, [",
    "AVG(smoker",
    "AVG(married",
    "AVG(stars =",
    "AVG(good",
)
"""What DuckDB does not know: our words, lists as columns, and means of conditions."""
_EXTREME = re.compile(r"(\w+) = (max|min)\(")
_TIES = {"the second most common ward", "requests by hour", "ratings of each film"}
"""Which of several equal groups come first is left to the noise."""


def _typed(name: str, column: Column | None) -> str:
    dated = isinstance(column, NumberColumn) and column.dated
    whole = isinstance(column, NumberColumn) and column.whole
    kind = (
        "DATE"
        if dated
        else "BIGINT"
        if whole
        else "DOUBLE"
        if isinstance(column, NumberColumn)
        else ""
    )
    return f'CAST("{name}" AS {kind}) AS "{name}"' if kind else f'"{name}"'


@pytest.fixture(scope="module")
def engines() -> Iterator[dict[str, tuple[Table, duckdb.DuckDBPyConnection]]]:
    opened = {}
    for file, schema in SCHEMAS.items():
        frames = frames_of(schema)
        connection = duckdb.connect()
        connection.execute(_MACROS)
        for name, (frame, columns) in frames.items():
            connection.register(f"raw_{name}", frame)
            parts = ", ".join(_typed(one, columns.get(one)) for one in frame.columns)
            connection.execute(f'CREATE TABLE "{name}" AS SELECT {parts} FROM raw_{name}')
        sources = Sources(
            find_source(frames[schema.name][0], None),
            {name: find_source(frames[name][0]) for name in schema.private},
            {name: find_source(frames[name][0]) for name in schema.public},
        )
        table = Table(open_engine(sources, schema), schema, Ledger(":memory:"))
        table.ledger.declare(
            schema.name,
            neighbors=schema.neighbors,
            budget=Budget(epsilon=10**12, delta="1/10"),
            details=schema.to_data(),
        )
        opened[file] = (table, connection)
    yield opened
    for table, connection in opened.values():
        table.close()
        connection.close()


def _plain(value: Any) -> Any:
    if isinstance(value, datetime.date):
        return str(value)[:10]
    found = value.item() if hasattr(value, "item") else value
    return int(found) if isinstance(found, float) and found.is_integer() else found


def _known(value: Any) -> bool:
    return value is not None and value == value  # noqa: PLR0124 - NaN


def _extremes(case: Case) -> dict[str, str]:
    """The outputs that are a largest or a least value, by name.

    Whatever ε is, up to 5% of them lie anywhere between that value and the declared bound.
    """
    return dict(_EXTREME.findall(case.expected["plan"].partition(" FROM ")[0]))


def _compared(case: Case, truth: Any, answer: Any) -> Iterator[tuple[str, Any, Any]]:
    """The true and the released numbers of every group that has rows, by the output's name."""
    names = {str(one).casefold(): str(one) for one in answer.columns}
    keys = [one for one in truth.columns if f"{one}_lower".casefold() not in names]
    values = [one for one in truth.columns if one not in keys]
    released = {
        tuple(_plain(row[names[key.casefold()]]) for key in keys): row
        for row in answer.to_dict("records")
    }
    for row in truth.to_dict("records"):
        group = tuple(_plain(row[key]) for key in keys)
        if not all(map(_known, group)):
            continue  # rows without a value are in no group
        assert group in released, (case.sql, group)
        for value in values:
            if _known(row[value]):
                yield value, _plain(row[value]), _plain(released[group][names[value.casefold()]])


@pytest.mark.parametrize("case", cases("accepted"), ids=str)
def test_an_answer_without_noise_is_that_of_the_sql(case: Case, engines: Any) -> None:
    table, connection = engines[case.file]
    private = case.expected["groups"] == "private"
    epsilon, delta = (60, "1/1000000") if private else (10**7, 0)
    answer = table.sql(case.sql, epsilon=epsilon, delta=delta).to_pandas()
    if any(word in case.sql for word in _OURS) or case.asks in _TIES or private:
        return  # answered, and not comparable
    sql = case.sql.replace("COUNT(*)\nFROM", "COUNT(*) AS count\nFROM")
    sql = sql.replace("SELECT COUNT(*) FROM", "SELECT COUNT(*) AS count FROM")
    sql = sql.replace("AVG(stay) FROM", "AVG(stay) AS avg_stay FROM")
    if case.asks == "a mean over released groups":
        sql = re.sub(r"(AVG\(\w+\)) FROM", r"\1 AS avg FROM", sql)
    alone = "SELECT COUNT(*) AS n\nFROM visits\nGROUP BY ward"  # the answer shows the group too
    sql = sql.replace(alone, alone.replace("SELECT", "SELECT ward,"))
    truth = connection.execute(sql).df()
    pairs = list(_compared(case, truth, answer))
    assert pairs or truth.empty
    extremes = _extremes(case)
    for name, true, released in pairs:
        if isinstance(true, str):
            assert released == true
        elif extremes.get(name) == "max":
            assert released >= true - max(0.02, 0.02 * abs(true))
        elif extremes.get(name) == "min":
            assert released <= true + max(0.02, 0.02 * abs(true))
        else:
            assert released == pytest.approx(true, rel=0.02, abs=0.02)


def test_the_extremes_of_the_corpus_are_known() -> None:
    found = {name: kind for case in cases("accepted") for name, kind in _extremes(case).items()}
    assert {("most", "max"), ("least", "min"), ("oldest", "max")} <= set(found.items())
