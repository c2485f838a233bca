"""Joins of private tables: what is counted, which pairs are made, and what comes before them."""

from math import isqrt
from random import Random

import pytest

from discreet.measures.counts import Rows as CountedRows
from discreet.plan.expressions import expression_text
from discreet.plan.schema import Schema
from discreet.question import query
from discreet.question.check import Question, checked_question
from discreet.question.query import Pair, Relation, Selected, relations_in
from discreet.release.plan import make_plan
from discreet.sql.read.select import parse_select
from tests.support import engine_contract as contract
from tests.support import interpreter
from tests.support.arrow_frames import frame
from tests.support.drawn_sql import Rows, schema
from tests.support.several_tables import TIMES, Engine, interpreted

JOIN = "visits v JOIN patients p ON v.id = p.pid"
LEFT = "visits v LEFT JOIN patients p ON v.id = p.pid"


def asked(text: str, declared: Schema | None = None) -> Question:
    declared = declared or schema()
    return checked_question(parse_select(text, declared), declared)


def test_a_join_with_one_partner_a_row_changes_no_count_and_no_share() -> None:
    rows = contract.treatments()
    frames = [frame(kinds, rows[name]) for name, kinds in contract.TREATMENTS.items()]
    with contract.treatments_table(*frames) as table:
        contract.check_joins_count_what_is_there(table)


# ---------------------------------------------------------------------- the limit on pairs


@pytest.mark.parametrize("most", [1, 2, 3, 4, 10, 99, 1_000_000])
def test_no_more_pairs_are_made_than_may_be_and_all_where_they_may(most: int) -> None:
    """The rule by numbers alone: of n rows beside m, max(root, most // m) are kept."""
    sizes = [*range(1, 25), most - 1, most, most + 1, 10**6, 10**9]
    for first in sizes:
        for second in sizes:
            if min(first, second) < 1:
                continue
            kept = min(first, max(isqrt(most), most // second))
            other_kept = min(second, max(isqrt(most), most // first))
            assert 1 <= kept * other_kept <= most
            if first * second <= most:
                assert (kept, other_kept) == (first, second)
            else:  # not far fewer than may be
                assert 4 * kept * other_kept >= most


@pytest.mark.parametrize("source", [JOIN, LEFT])
@pytest.mark.parametrize(
    ("visits", "patients", "made"),
    [(2, 5, 10), (5, 2, 10), (3, 4, 9), (30, 1, 10), (1, 30, 10), (30, 30, 9), (2, 30, 10)],
)
def test_a_person_makes_as_many_pairs_as_the_limit_leaves(
    monkeypatch: pytest.MonkeyPatch, source: str, visits: int, patients: int, made: int
) -> None:
    monkeypatch.setattr(query, "MOST_PAIRS", 10)
    question = asked(f"SELECT COUNT(*) AS n FROM {source}", schema(max_rows=9, beside_rows=9))
    rows = Rows(Random(1), clean=True)
    mine = [{**rows.visit("p"), TIMES: visits}], [{**rows.patient("p"), TIMES: patients}]
    others = [rows.visit("q")], [rows.patient("q")]
    engine = Engine(mine[0] + others[0], mine[1] + others[1])
    [vector] = engine.integers(question, [CountedRows()]).values()
    share = (9 << 30) // max(made, 9)
    assert vector == {0: made * share + (1 << 30)}


def test_people_without_a_partner_keep_all_of_their_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "MOST_PAIRS", 4)
    question = asked(f"SELECT COUNT(*) AS n FROM {LEFT}", schema(max_rows=9))
    engine = Engine([{**Rows(Random(1)).visit("p"), TIMES: 8}], [])
    assert engine.integers(question, [CountedRows()]) == {CountedRows(): {0: 8 << 30}}


def test_which_pairs_are_made_is_decided_by_a_persons_own_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same ones, whoever else is in the tables."""
    monkeypatch.setattr(query, "MOST_PAIRS", 6)
    question = asked(f"SELECT SUM(v.stay) AS s, SUM(p.age) AS a FROM {JOIN}", schema(max_rows=9))
    rows = Rows(Random(7), clean=True)
    mine = [rows.visit("p") for _ in range(9)], [rows.patient("p") for _ in range(9)]
    others = [rows.visit("q") for _ in range(9)], [rows.patient("q") for _ in range(9)]
    parts = [Engine(*one).integers(question, question.measures) for one in (mine, others)]
    both = Engine(*(a + b for a, b in zip(mine, others, strict=True)))
    together = both.integers(question, question.measures)
    for measure, vector in together.items():
        assert vector == {key: sum(one[measure][key] for one in parts) for key in vector}
    tables = interpreted(mine[0] + others[0], mine[1] + others[1])
    assert together == interpreter.measure(question, tables, question.measures)


@pytest.mark.parametrize(
    ("source", "limits"),
    [
        (JOIN, [1_000_000]),
        (f"{JOIN} JOIN visits o ON v.id = o.id", [1_000_000]),
        ("visits v JOIN wards w ON v.ward = w.ward", []),
        ("visits v JOIN (SELECT pid, COUNT(*) AS n FROM patients GROUP BY pid) p ON id = pid", []),
        (f"{JOIN} JOIN wards w ON v.level = w.floor", [1_000]),
    ],
)
def test_a_limit_is_told_where_it_may_apply_and_nowhere_else(
    source: str, limits: list[int]
) -> None:
    question = asked(f"SELECT COUNT(*) AS n FROM {source}")
    assert list(question.pair_limits) == limits
    plan = make_plan(question, epsilon=1)
    for most in limits:
        told = f"the join makes at most {most:,} pairs of one person's rows; of a person with more"
        assert f"joins      {told}" in plan.explain()
        assert plan.explain().count(told) == 1
        assert f"note: {told}" in repr(plan)
    assert ("pairs of one person" in plan.explain() + repr(plan)) == bool(limits)


# ---------------------------------------------------------------------- conditions before a join


def sides(question: Question) -> tuple[list[str], list[str], list[str]]:
    """The conditions on the first side of a join, on the second, and on its pairs."""
    pair = next(one for one in relations_in(question.source) if isinstance(one, Pair))
    above = [
        node
        for one in relations_in(question.source)
        if isinstance(one, Selected) and pair in list(relations_in(one))
        for node in one.where
    ]
    return _where(pair.first), _where(pair.second), _texts([*above, *question.remaining])


def _where(side: Relation) -> list[str]:
    return _texts(side.where) if isinstance(side, Selected) else []


def _texts(nodes: object) -> list[str]:
    return [expression_text(node) for node in nodes]  # type: ignore[attr-defined]


MOVED = {
    f"{JOIN} WHERE v.stay > 1 AND p.age < 9": (["stay > 1"], ["age < 9"], []),
    f"{JOIN} AND p.age < 9 AND v.stay > 1": (["stay > 1"], ["age < 9"], []),
    f"{JOIN} WHERE v.stay > p.age": ([], [], ["v.stay > p.age"]),
    f"{JOIN} WHERE v.stay > 1 OR p.age < 9": (
        [],
        [],
        ["(v.stay > 1) OR (p.age < 9)"],
    ),
    f"{LEFT} WHERE v.stay > 1 AND p.age < 9": (["stay > 1"], [], ["p.age < 9"]),
    f"{LEFT} AND p.age < 9 WHERE v.stay > 1": (["stay > 1"], ["age < 9"], []),
    f"{LEFT} WHERE p.age IS NULL": ([], [], ["p.age IS NULL"]),
    f"{JOIN} JOIN wards w ON v.ward = w.ward WHERE v.stay > 1 AND w.size > 2": (
        ["stay > 1"],
        [],
        ["w.size > 2"],
    ),
    "visits v JOIN (SELECT pid, age + 1 AS older, mass FROM patients WHERE smoker) p "
    "ON id = pid WHERE p.mass > 1 AND v.flag": (["flag"], ["mass > 1"], []),
}


@pytest.mark.parametrize("source", MOVED)
def test_conditions_on_one_table_come_before_the_join(source: str) -> None:
    question = asked(f"SELECT COUNT(*) AS n FROM {source}")
    assert sides(question) == MOVED[source]


def test_conditions_of_a_subquery_come_before_its_join() -> None:
    inner = f"SELECT v.id, COUNT(*) AS n FROM {JOIN} WHERE v.stay > 1 AND p.age < 9 GROUP BY v.id"
    question = asked(f"SELECT SUM(q.n) AS s FROM ({inner}) AS q WHERE q.n > 1")
    assert sides(question) == (["stay > 1"], ["age < 9"], ["n > 1"])


def test_a_question_is_told_as_it_was_asked() -> None:
    """The text that the ledger hashes is not what the conditions were moved to."""
    question = asked(f"SELECT COUNT(*) AS n FROM {JOIN} WHERE v.stay > 1 AND p.age < 9")
    assert question.text == (
        "n = rows() FROM visits AS v JOIN patients AS p BY PERSON WHERE (v.stay > 1) "
        "AND (p.age < 9)"
    )


def test_rows_that_a_condition_leaves_out_take_no_pair_from_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(query, "MOST_PAIRS", 12)
    rows = Rows(Random(3), clean=True)
    visits = [{**rows.visit("p"), "stay": stay} for stay in [5] * 3 + [50] * 40]
    patients = [{**rows.patient("p"), "age": age} for age in [20] * 4 + [80] * 40]
    where = "v.stay < 9 AND p.age < 30"
    for text in (
        f"SELECT COUNT(*) AS n FROM {JOIN} WHERE {where}",
        f"SELECT COUNT(*) AS n FROM {JOIN} AND {where}",
        f"SELECT COUNT(*) AS n FROM {LEFT} AND p.age < 30 WHERE v.stay < 9",
    ):
        question = asked(text, schema(max_rows=12, beside_rows=12))
        found = Engine(visits, patients).integers(question, [CountedRows()])
        assert found == {CountedRows(): {0: 12 << 30}}, text
