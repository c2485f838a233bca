"""A question is checked once, and a refusal points at the innermost part of the text.

Calls are counted by the hook of ``benchmarks/walk.py``, which every call of the source passes.
"""

import copy
import pickle
from fractions import Fraction
from typing import Any

import pandas
import pytest

import discreet as dp
from discreet.errors import DiscreetError, Place
from discreet.measures.measure import Aggregate
from discreet.measures.registry import MEAN
from discreet.plan.expressions import (
    Both,
    Calculation,
    Compared,
    Constant,
    Named,
    Node,
    all_of,
    conjuncts,
    placed,
    read_size,
    replaced,
    walk,
)
from discreet.plan.types import check_expression
from discreet.question.check import checked_question
from discreet.question.query import GroupKey, PerPerson, Scan
from discreet.sql.read.expressions import parse_expression
from discreet.sql.read.select import parse_select
from tests.cli.test_walk import walked
from tests.sql.corpus.facts import cases
from tests.sql.corpus.schemas import VISITS

CHECK = ("plan/types.py", "check_expression")
GROUPING = ("question/groupings.py", "grouping_of")
MEASURED = ("measures/registry.py", "measured")
ORIGIN = ("question/query.py", "_origin")
AFTER = ("question/check.py", "check_after")
CHECKS = (CHECK, GROUPING, MEASURED, ORIGIN, AFTER)
TEXT = "SELECT AVG(stay) FROM visits"
HERE, THERE = Place(7, TEXT), Place(11, TEXT)


def refused(sql: str) -> tuple[str, str]:
    """The text from the place on at which a question is refused, and the message behind it."""
    with pytest.raises(DiscreetError) as caught:
        checked_question(parse_select(sql, VISITS), VISITS)
    place = caught.value.place
    assert place is not None
    assert place.text == sql
    assert str(caught.value).startswith(f"line {place.line}, column {place.column}: ")
    line = sql.split("\n")[place.line - 1]
    return line[place.column - 1 :], str(caught.value).partition(": ")[2]


def calls(run: Any) -> list[int]:
    walk = walked(run)
    return [walk.functions[function] for function in CHECKS]


@pytest.mark.parametrize(
    ("sql", "parts"),
    [
        ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", [1, 1, 1, 1, 0]),
        ("SELECT AVG(stay), MAX(cost) FROM visits WHERE age > 3 AND smoker", [4, 0, 1, 1, 0]),
        # A condition, a group, an aggregate; of the answer two columns, a condition and an order.
        (
            "SELECT ward, SUM(stay) / COUNT(*) AS each, COUNT(*) FROM visits WHERE age > 3 "
            "GROUP BY ward HAVING COUNT(*) > 5 ORDER BY 2",
            [1 + 1 + 1 + 4, 1, 1, 1, 1],
        ),
        # The subquery's condition, its sum, and what is asked of it: two relations.
        (
            "SELECT AVG(s) FROM (SELECT patient_id, SUM(cost) AS s FROM visits WHERE smoker GROUP "
            "BY patient_id) WHERE s > 3",
            [2 + 2, 0, 1, 2, 0],
        ),
    ],
)
def test_planning_checks_every_part_once(sql: str, parts: list[int]) -> None:
    assert calls(lambda: checked_question(parse_select(sql, VISITS), VISITS)) == parts


@pytest.mark.slow
def test_reading_checks_nothing() -> None:
    accepted = cases("accepted")
    read = calls(lambda: [parse_select(case.sql, case.schema) for case in accepted])
    assert read == [0] * len(CHECKS)
    sql = "SELECT AVG(ward + 1) FROM visits WHERE LOWER(stay) HAVING SQRT(COUNT(*)) > 'x'"
    assert calls(lambda: parse_select(sql, VISITS)) == [0] * len(CHECKS)


def test_a_second_check_is_seen() -> None:
    query = parse_select("SELECT ward, COUNT(*) FROM visits GROUP BY ward", VISITS)
    found = calls(lambda: [checked_question(query, VISITS) for _ in range(2)])
    assert found == [2, 2, 2, 2, 0]


def test_equality_and_hash_ignore_the_place() -> None:
    pairs: list[tuple[Any, Any]] = [
        (Named("stay"), Named("stay", place=HERE)),
        (Constant(None), Constant(None, place=HERE)),
        (Aggregate(MEAN, Named("x")), Aggregate(MEAN, Named("x", place=HERE), place=THERE)),
        (GroupKey("x", Named("x")), GroupKey("x", Named("x", place=HERE), place=THERE)),
        (Scan("a"), Scan("a", place=HERE)),
        (PerPerson(Scan(), (), (), ()), PerPerson(Scan(), (), (), (), place=HERE)),
    ]
    for plain, located in pairs:
        assert plain == located
        assert hash(plain) == hash(located)
        assert repr(plain) == repr(located)
        assert located.place is not None
        for other in (copy.deepcopy(located), pickle.loads(pickle.dumps(located))):
            assert other.place == located.place


def test_one_question_is_one_however_its_text_is_laid_out() -> None:
    sql = "SELECT ward, AVG(stay + 1) FROM visits WHERE age > 3 GROUP BY ward"
    spaced = sql.replace(" ", "\n   ")
    one, two = (parse_select(text, VISITS) for text in (sql, spaced))
    assert one == two
    assert hash(one) == hash(two)
    assert repr(one) == repr(two)
    assert one.where[0].place != two.where[0].place
    assert one.keys[0].place is not None


def test_a_place_survives_what_is_done_with_a_node() -> None:
    inner = Calculation("+", Named("x", place=THERE), Constant(Fraction(1)), place=HERE)
    moved = replaced(inner, {"x": Named("stay")})
    assert isinstance(moved, Calculation)
    assert (moved.place, moved.left.place) == (HERE, THERE)
    assert replaced(Named("x", place=HERE), {"x": Named("y", place=THERE)}).place == THERE
    assert placed(inner, THERE) is inner
    assert read_size(inner) is inner
    parts: list[Node] = [Compared(">", inner, inner, place=place) for place in (HERE, THERE)]
    whole = all_of(parts)
    assert [one.place for one in conjuncts(whole)] == [HERE, THERE]
    both = Both(Named("a"), Named("b", place=THERE), place=HERE)
    assert [one.place for one in conjuncts(both)] == [HERE, THERE]


def test_a_checked_node_stands_where_it_stood() -> None:
    sql = (
        "SELECT COUNT(*) FROM visits WHERE CASE WHEN NOT smoker OR stay IS NULL THEN ABS(stay) "
        "ELSE FLOOR(CLIP(stay, 0, 3) + admitted - '2024-01-01') END > SQRT(LENGTH(ward || 'x'))"
    )
    query = parse_select(sql, VISITS)
    written = {one: one.place for one in walk(query.where[0]) if one.place is not None}
    typed = check_expression(query.where[0], VISITS.columns).node
    found = {one: one.place for one in walk(typed) if one.place is not None}
    shared = written.keys() & found.keys()
    assert len(shared) > 12
    assert all(written[one] == found[one] for one in shared)


@pytest.mark.parametrize(
    ("sql", "there", "said"),
    [
        ("SELECT AVG(stay + ward) FROM visits", "ward)", "the operator + takes a number"),
        ("SELECT ward,\n  AVG(stay),\n  SUM(ward)\nFROM visits\nGROUP BY 1", "SUM(", "SUM(ward)"),
        ("SELECT\n COUNT(*) FROM visits\nWHERE smoker\n AND stay > 'x'", "'x'", '"stay >'),
        ("SELECT COUNT(*) FROM visits\nWHERE smoker OR\n LOWER(age) = 'x'", "age)", "LOWER"),
        ("SELECT COUNT(*) FROM visits WHERE smoker\n  AND age", "age", "WHERE has 'age'"),
        ("SELECT cost, COUNT(*) FROM visits\nGROUP BY cost", "cost", "groups are asked by"),
        ("SELECT COUNT(*) FROM visits\nGROUP BY\n  cost", "cost", "groups are asked by"),
        ("SELECT BINS(ward, 0, 9), COUNT(*) FROM visits GROUP BY 1", "BINS(", "bins are asked of"),
        ("SELECT BINS(stay + ward, 0, 9), COUNT(*) FROM visits GROUP BY 1", "ward, 0", "the opera"),
        ("SELECT AVG(stay) + MOD(COUNT(*), 2) FROM visits", "MOD(", "SELECT uses"),
        ("SELECT COUNT(*) AS n FROM visits\nHAVING n > 3\n AND n", "n", "HAVING got 'n'"),
        ("SELECT COUNT(*) AS n FROM visits HAVING n > 3\n AND n > 'x'", "'x'", "\"n > 'x'\""),
        ("SELECT COUNT(*) > 3 AS n FROM visits", "COUNT(*) > 3", "the column 'n' is"),
        ("SELECT CAST(AVG(stay) AS INTEGER) FROM visits", "CAST(", "SELECT uses"),
        ("SELECT TRY_CAST( (AVG(stay)) AS INTEGER) FROM visits", "TRY_CAST(", "SELECT uses"),
        ("SELECT CAST(CAST(AVG(stay) AS DOUBLE) AS INTEGER) FROM visits", "CAST(CAST", "SELECT"),
        ("SELECT 1 + AVG(stay)::INTEGER FROM visits", "AVG(", "SELECT uses"),
        ("SELECT QUANTILE(stay, 90) FROM visits", "90)", "'QUANTILE(stay, 90)' has no level"),
        ("SELECT COUNT(*) FROM visits JOIN wards USING (war)", "war)", "USING names 'war'"),
        ("SELECT COUNT(*) FROM visits JOIN tests USING (x)", "x)", "USING names 'x'"),
        ("SELECT cost AS c, COUNT(*) FROM visits GROUP BY c", "cost AS", "groups are asked"),
        ("SELECT COUNT(*) FROM visits WHERE stay IN (1, 'x')", "'x'", "\"stay = 'x'\" compares"),
        ("SELECT COUNT(*) FROM visits WHERE stay > 3 OR age = NULL", "age", "'age = NULL' comp"),
        ("SELECT -COUNT(*) AS n FROM visits ORDER BY\n LOWER(n)", "LOWER(n)", "ORDER BY uses"),
        # What a subquery computes is refused where it is computed.
        ("SELECT AVG(x) FROM (\n  SELECT stay + ward AS x FROM visits)", "ward AS", "the operator"),
        (
            "SELECT COUNT(*) FROM (SELECT * FROM visits\n  WHERE stay + ward > 1)",
            "ward >",
            "the op",
        ),
        (
            "WITH a AS (\n  SELECT ward = 3 AS x FROM visits)\nSELECT AVG(x) FROM a",
            "3 AS x",
            "'ward",
        ),
        (
            "SELECT AVG(t) FROM (SELECT patient_id,\n  SUM(ward) AS t FROM visits GROUP BY 1)",
            "SUM(ward)",
            "SUM(ward) asks for the sum of a text",
        ),
        # A join is refused in the part at fault, or else where its FROM begins.
        (
            "SELECT COUNT(*) FROM visits v JOIN wards w\n  ON v.stay + v.ward = w.beds",
            "v.ward =",
            "the operator + takes a number",
        ),
        (
            "SELECT COUNT(*) FROM visits v JOIN wards w\n  ON v.ward = w.beds",
            "v.ward =",
            "the join compares 'ward', a text",
        ),
        (
            "SELECT COUNT(*) FROM\n visits v JOIN tests t USING (patient_id) JOIN wards w "
            "ON t.result = w.beds AND v.stay > 'x'",
            "'x'",
            "\"v.stay > 'x'\" compares",
        ),
        (
            "SELECT COUNT(*) FROM (SELECT patient_id, COUNT(*) AS n FROM visits GROUP BY 1)\n"
            "WHERE n > 12",
            "n > 12",
            "'n > 12' compares how many rows",
        ),
    ],
)
def test_a_refusal_points_at_the_innermost_part(sql: str, there: str, said: str) -> None:
    rest, message = refused(sql)
    assert rest.startswith(there)
    assert message.startswith(said)


def test_a_condition_in_python_has_no_place() -> None:
    assert all(one.place is None for one in walk(parse_expression("LOWER(stay) = 'x'")))
    visits = dp.table(
        pandas.DataFrame({"ward": ["A"], "stay": [1.0]}),
        name="visits",
        unit="row",
        budget=dp.Budget(epsilon=1),
        columns={"ward": dp.category(["A", "B"]), "stay": dp.number(0, 60)},
        ledger=":memory:",
    )
    with pytest.raises(DiscreetError) as caught:
        visits.where("LOWER(stay) = 'x'").agg(n=dp.rows()).plan(epsilon=1)
    assert str(caught.value).startswith("LOWER takes a text, and 'stay' is a number.")
