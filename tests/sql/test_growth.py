"""Nothing that a question computes grows with a row or with its depth beyond public limits."""

import time
from typing import Any

import pandas
import pytest

import discreet as dp
from discreet.errors import KeyReusedError, QueryError
from discreet.plan.expressions import LONGEST_JOINED
from discreet.question.query import Lookup, Pair

SECONDS = 5.0
"""For what took minutes, or did not end, before it was limited."""
ROWS = pandas.DataFrame({"id": [1, 2], "name": ["Alice", "Bob"], "x": [1.0, 2.0], "y": [1.0, 2.0]})


def opened(**changes: Any) -> dp.Table:
    declared: dict[str, Any] = {
        "name": "t",
        "unit": "id",
        "budget": dp.Budget(epsilon=20),
        "columns": {"x": dp.number(0, 10), "y": dp.number(0, 10), "name": dp.text()},
        "max_rows": 2,
        "max_groups": 2,
        "ledger": ":memory:",
        "public": {"p": pandas.DataFrame({"code": range(1000), "kind": ["A"] * 1000})},
    } | changes
    return dp.table(declared.pop("source", ROWS), **declared)


def joined(column: str, times: int) -> str:
    return f"CONCAT({', '.join([column] * times)})"


@pytest.mark.slow
@pytest.mark.parametrize(
    "question",
    [
        f"SELECT SUM(CLIP({'+'.join('x' * 30)}, 0, 1)) FROM t",
        f"SELECT COUNT(*) FROM t WHERE {'+'.join('x' * 50)} > 3",
        f"SELECT FLOOR(x / 50){' + FLOOR(x / 50)' * 11} AS g, COUNT(*) FROM t GROUP BY g",
        f"SELECT COUNT(*) FROM t WHERE {'x / (1 + ' * 5}x{')' * 5} > 0",
        "SELECT AVG(CLIP((x + 1) / ((y + 1) * (y + 1)) * 10000 / 2 + 3, 0, 100)) FROM t",
        "SELECT AVG(CLIP(x*x*x*x + x*x*x + x*x + x, 0, 100)) FROM t",
        "SELECT SUM(LEAST(x, y, x + 1, y + 1, 3)) FROM t",
    ],
)
def test_binding_takes_time_by_length_and_not_by_depth(question: str) -> None:
    with opened() as table:
        plan = table.ask(question).plan(epsilon=1)
        start = time.process_time()
        with table.engine().prepared(plan.question, plan.question.measures, plan.question.unit):
            assert time.process_time() - start < SECONDS


@pytest.mark.parametrize(
    ("question", "part"),
    [
        (f"SELECT COUNT(*) FROM t WHERE {'x / (1 + ' * 14}x{')' * 14} > 0", "too long"),
        (f"SELECT SUM({'CLIP(' * 9}x{', 0, 9)' * 9}) FROM t", "too long"),
    ],
)
def test_what_is_written_out_too_often_is_refused(question: str, part: str) -> None:
    with opened() as table, pytest.raises(QueryError, match=part):
        table.ask(question).plan(epsilon=1)


def test_texts_do_not_grow_through_subqueries() -> None:
    inner = "SELECT id, name FROM t"
    for _ in range(3):
        inner = f"SELECT DISTINCT id, {joined('name', 55)} AS name FROM ({inner}) AS q"
    with opened() as table, pytest.raises(QueryError, match="parts"):
        table.ask(f"SELECT COUNT(*) FROM ({inner}) AS q WHERE name = 'x'").plan(epsilon=1)


def test_a_text_is_cut_where_another_is_joined_to_it() -> None:
    long = pandas.DataFrame({"id": [1], "name": ["a" * (3 * LONGEST_JOINED)]})
    columns = {"name": dp.text()}
    with opened(source=long, columns=columns) as table:
        for times in (2, 3, 40):
            length = f"LENGTH({joined('name', times)})"
            question = f"SELECT COUNT(*) FROM t WHERE {length} = {2 * LONGEST_JOINED}"
            plan = table.ask(question).plan(epsilon=1)
            found = table.engine().measure(
                plan.question, plan.question.measures, None, plan.question.unit
            )
            assert [list(one.open()) for one in found.of.values()] == [[1 << 30]]


def test_lookups_do_not_multiply_beyond_a_public_limit() -> None:
    chain = " ".join(f"JOIN p AS p{place} ON p{place}.kind = t.name" for place in range(2))
    with opened() as table:
        with pytest.raises(QueryError, match="1,000,000 partners"):
            table.ask(f"SELECT COUNT(*) FROM t {chain}").plan(epsilon=1)
        table.ask("SELECT COUNT(*) FROM t JOIN p ON p.kind = t.name").plan(epsilon=1)


def test_lookups_do_not_multiply_behind_a_subquery_or_a_join() -> None:
    """A person's rows stay as many where they differ in a looked-up column."""
    first = "SELECT DISTINCT t.id, t.name, p.code AS c FROM t JOIN p ON p.kind = t.name"
    second = f"SELECT COUNT(*) FROM ({first}) AS q JOIN p ON p.kind = q.name"
    with opened(max_rows=1000) as table:
        with pytest.raises(QueryError, match="partners"):
            table.ask(second).plan(epsilon=1)
        few = f"SELECT COUNT(*) FROM ({first}) AS q JOIN p ON p.code = q.c"
        table.ask(few).plan(epsilon=1)


def test_pairs_that_find_many_partners_are_fewer() -> None:
    """A person's pairs and their partners in a public table are a million rows together."""
    pairs = "SELECT COUNT(*) FROM t AS a JOIN t AS b USING (id)"
    partners = f"{pairs} JOIN p ON p.kind = a.name"
    with opened() as table:
        alone, both = (table.ask(one).plan(epsilon=1).question.source for one in (pairs, partners))
    assert isinstance(alone, Pair)
    assert isinstance(both, Lookup)
    assert isinstance(both.inner, Pair)
    assert both.inner.pairs == alone.pairs // both.partners == 1000


def test_a_person_with_very_many_rows_on_both_sides_makes_a_million_pairs() -> None:
    """Never an error and never a refusal, however large the caps are: others lose nothing."""
    many = 100_000
    rows = pandas.DataFrame({"id": [1] * many + [2] * 3, "x": [1.0] * many + [2.0] * 3})
    beside = {"u": dp.beside(rows, columns={"x": dp.number(0, 1)}, max_rows=10_000)}
    columns = {"x": dp.number(0, 10)}
    declared = {"source": rows, "private": beside, "max_rows": 1_000_000, "columns": columns}
    with opened(**declared) as table:
        plan = table.ask("SELECT COUNT(*) FROM t JOIN u USING (id)").plan(epsilon=1)
        start = time.process_time()
        found = table.engine().measure(
            plan.question, plan.question.measures, None, plan.question.unit
        )
        assert time.process_time() - start < SECONDS
        assert [list(one.open()) for one in found.of.values()] == [[(1_000_000 + 9) << 30]]


def test_a_key_answers_no_question_about_another_public_table() -> None:
    ledger = dp.Ledger(":memory:")
    question = "SELECT region, COUNT(*) AS n FROM t JOIN p ON t.name = p.who GROUP BY region"
    regions = (["north", "south"], ["east", "south"])
    for place, region in enumerate(regions):
        public = pandas.DataFrame({"who": ["Alice", "Bob"], "region": region})
        table = opened(public={"p": public}, ledger=ledger)
        if place == 0:
            table.sql(question, epsilon=1, key="k")
        else:
            with pytest.raises(KeyReusedError):
                table.sql(question, epsilon=1, key="k")


def test_a_huge_power_in_a_subquery_has_no_bounds() -> None:
    text = "SELECT id, MAX(POWER(x * 1000000, 100)) AS m FROM t GROUP BY id"
    with opened() as table, pytest.raises(dp.BoundsError):
        table.ask(f"SELECT SUM(m) FROM ({text}) AS q").plan(epsilon=1)
