"""One person's rows in all tables at once move an answer by no more than is priced."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.measures import counts as measures
from discreet.measures.measure import SHARE, Measure, Norm
from discreet.plan.schema import ROW, Schema
from discreet.privacy.sensitivity import Neighbors
from discreet.question import query
from discreet.question.check import Question, checked_question
from discreet.sql.read.select import parse_select
from discreet.sql.write import queries, rows
from tests.support import interpreter
from tests.support.drawn_sql import NUMBERS, PEOPLE, ROWS_OF_WARDS, WARDS, Rows, accepted, schema
from tests.support.early_weights import sums_by_rows_before_a_join
from tests.support.measuring import (
    BOTH,
    NORMS,
    QUICK,
    UNITS,
    assert_keys_move_within,
    bound,
    distance,
    l1_bound,
    squared,
    squared_bound,
)
from tests.support.several_tables import TIMES, Engine, cells_of, interpreted
from tests.support.trials import all_but, examples, rounds

seeds = st.randoms(use_true_random=True)
Table = list[dict[str, Any]]
Person = tuple[Table, Table]
"""All that somebody has: visits, and rows among the patients."""
NOBODY: Person = ([], [])


def person(random: Random, unit: str, whose: str = "moving") -> Person:
    """The worst that one unit may hold: few rows or very many, the same one or all different."""
    rows = Rows(random)
    if unit == ROW:
        return [_worst(random, rows.visit(whose))], []
    many = random.choice([[1], [1, 3], [1, 7, 60], [1, 300, 5000], [20_000]])

    def held(draw: Callable[[object], dict[str, Any]]) -> Table:
        found = [_worst(random, draw(whose)) for _ in range(random.choice([0, 1, 2, 4, 8, 8, 8]))]
        return [{**row, TIMES: random.choice(many)} for row in found]

    return held(rows.visit), held(rows.patient)


def _worst(random: Random, row: dict[str, Any]) -> dict[str, Any]:
    """A row of which one value is the most extreme."""
    name = random.choice([one for one in row if one in ("stay", "score", "level", "age", "mass")])
    return {**row, name: random.choice([*NUMBERS, *[1e9, -1e9] * 10])}


def moves(
    question: Question,
    others: Person,
    gone: Person,
    come: Person,
    stored: str = "text",
    norm: Norm = Norm.L1,
) -> tuple[dict[Measure, int], dict[Measure, int]]:
    """By how much each block moves, in L1 and in squared L2; candidates are compared too."""
    unit = question.declared.unit
    tables = [
        Engine(person[0] + others[0], person[1] + others[1], unit, stored)
        for person in (gone, come)
    ]
    cells = None
    written: AbstractContextManager[None] = nullcontext()
    if question.selects_keys:
        one, two = (engine.candidates(question) for engine in tables)
        units = 2 if question.rules.replace else 1
        assert distance(one, two) <= units * question.unit.group_cap
        assert all(abs(one.get(key, 0) - two.get(key, 0)) <= 1 for key in {*one, *two})
        if question.unit.by_person:
            weights = (engine.candidates(question, SHARE) for engine in tables)
            assert_keys_move_within(question, *weights, SHARE)
        cells = cells_of(question, {*one, *two})
    else:
        written = tables[0].prepared(question, norm)
    with written:
        before, after = (
            engine.integers(question, question.measures, cells, norm) for engine in tables
        )
    return (
        {block: distance(before[block], after[block]) for block in question.measures},
        {block: squared(before[block], after[block]) for block in question.measures},
    )


@pytest.mark.slow
@examples(40, QUICK)
@given(seeds, st.sampled_from(BOTH), st.sampled_from([*UNITS, "id", "id"]), st.sampled_from(NORMS))
def test_nobody_moves_an_answer_by_more_than_is_priced(
    random: Random, neighbors: Neighbors, unit: str, norm: Norm
) -> None:
    caps = {"max_rows": random.randint(1, 4), "max_groups": random.randint(1, 3)}
    caps["max_rows_per_group"] = random.choice([None, 1, 2])
    declared = schema(neighbors, unit, **caps, beside_rows=random.choice([None, 1, 3]))
    with patch.object(query, "MOST_PAIRS", random.choice([1, 4, 100, 1_000_000])):
        text, question = accepted(random, declared)
    rows, people = Rows(random), random.sample(PEOPLE, 3)
    others = rows.visits(people, 5), [] if unit == ROW else rows.patients(people, 4)
    gone = NOBODY if neighbors is Neighbors.ADD_REMOVE else person(random, unit)
    come = person(random, unit, random.choice(["moving", "another"]))
    stored = random.choice(["text", "double"])
    distances, squares = moves(question, others, gone, come, stored, norm)
    for block, moved in distances.items():
        priced = l1_bound(block, question, norm)
        assert priced is None or moved <= priced, (text, block, gone, come)
        assert squares[block] <= squared_bound(block, question, norm), (text, block, gone, come)


# ---------------------------------------------------------------------- at their most


JOINED = {
    "by person": "visits v JOIN patients p ON v.id = p.pid",
    "by person, kept": "visits v LEFT JOIN patients p ON v.id = p.pid AND v.ward = p.ward",
    "with itself": "visits v JOIN visits o ON v.id = o.id JOIN patients p ON o.id = p.pid",
    "many partners": "visits v JOIN wards w ON v.level = w.floor",
    "one partner": "visits v LEFT JOIN wards w ON v.ward = w.ward",
    "per person": "(SELECT id, AVG(stay) AS stay, MIN(level) AS level FROM visits GROUP BY id) v",
    "per person and ward": "(SELECT id, ward, SUM(stay) AS stay FROM visits GROUP BY 1, 2) v",
    "twice per person": "(SELECT id, SUM(stay) AS stay FROM (SELECT id, ward, MAX(stay) AS stay "
    "FROM visits GROUP BY id, ward) AS i GROUP BY id) v JOIN visits o ON v.id = o.id",
    "row by row": "(SELECT id, stay + 1 AS stay FROM (SELECT * FROM visits WHERE stay > 0)) v",
}


def asked(source: str, declared: Schema, key: str = "CASE WHEN stay > 9 THEN 1 ELSE 0 END") -> Any:
    stay = "v.stay"
    text = (
        f"SELECT {key.replace('stay', stay)} AS far, COUNT(*) AS n, SUM({stay}) AS total, "
        f"MEDIAN({stay}) AS middle, COUNT(DISTINCT CASE WHEN {stay} > 1 THEN v.id END) AS people "
        f"FROM {source} GROUP BY 1"
    )
    return checked_question(parse_select(text, declared), declared)


def everywhere(times: int, whose: str = "moving") -> Person:
    """Somebody with the largest values in every ward, so many times, on both sides of a join."""
    rows = Rows(Random(3), clean=True)
    visits = [
        {**rows.visit(whose), "ward": ward, "stay": stay, "level": 1, TIMES: times}
        for ward in WARDS
        for stay in (1e300, 1.5)
    ]
    return visits, [{**rows.patient(whose), "ward": ward, TIMES: times} for ward in WARDS]


OTHERS: Person = (
    [Rows(Random(4), clean=True).visit(one) for one in ("p", "q", "q")],
    [Rows(Random(5), clean=True).patient(one) for one in ("p", "r")],
)


@pytest.mark.slow
@pytest.mark.parametrize("source", JOINED)
@pytest.mark.parametrize("neighbors", BOTH)
def test_a_person_with_very_many_rows_everywhere_counts_for_the_caps(
    neighbors: Neighbors, source: str
) -> None:
    question = asked(JOINED[source], schema(neighbors, max_rows=3))
    gone = NOBODY if neighbors is Neighbors.ADD_REMOVE else everywhere(1)
    # Not all have as many outside of the soak: weights are given out in the same way.
    many = neighbors is Neighbors.ADD_REMOVE and source in ("per person", "many partners")
    come = everywhere(100_000 if many else min(100_000, rounds(5_000)))
    distances, squares = moves(question, OTHERS, gone, come)
    for block, moved in distances.items():
        assert moved <= bound(block, question), block
        assert squares[block] <= squared_bound(block, question)


@pytest.mark.parametrize("source", all_but(["by person"], JOINED, pytest.mark.slow))
def test_a_person_counts_for_nearly_all_that_is_priced(source: str) -> None:
    """So that the bound is not far from what is there to be seen."""
    question = asked(JOINED[source], schema(max_rows=3))
    distances, _ = moves(question, OTHERS, NOBODY, everywhere(2))
    found = {type(block).__name__: block for block in distances}
    moments = found["Moments"]  # of the sum, with the number of rows
    assert distances[moments] > bound(moments, question) * Fraction(99, 100)


# ---------------------------------------------------------------------- negative controls


def test_without_shares_a_person_moves_more_than_is_priced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: rows of a join that are not weighed down."""
    monkeypatch.setattr(
        queries, "_share", lambda weights, count: queries.integer_constant(weights.share)
    )
    for source in ("by person", "many partners", "per person and ward", "row by row"):
        question = asked(JOINED[source], schema(max_rows=3))
        distances, _ = moves(question, OTHERS, NOBODY, everywhere(3))
        beyond = {type(one).__name__ for one in distances if distances[one] > bound(one, question)}
        assert beyond >= {"Moments", "Ranks"}, source


@pytest.mark.parametrize("source", ["by person", "many partners"])
def test_weights_of_the_rows_before_a_join_let_a_person_move_more(source: str) -> None:
    """Negative control: shares by the number of a person's visits, not of what a join makes."""
    question = asked(JOINED[source], schema(max_rows=8))
    visits, patients = everywhere(1)
    tables = interpreted(visits, patients)
    rows = interpreter.kept(question, tables)
    early = SHARE * question.unit.row_cap // max(len(visits), question.unit.row_cap)
    block = measures.Rows()
    assert len(rows) * early > bound(block, question)
    late = interpreter.measure(question, tables, [block])[block]
    assert sum(late.values()) <= bound(block, question)


@pytest.mark.parametrize("most", [1, 4, 50, 1_000_000])
def test_the_limit_on_pairs_is_not_what_the_bound_rests_on(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Without it only time is lost: weights are given out after the join."""
    monkeypatch.setattr(query, "MOST_PAIRS", most)
    for source in ("with itself", "by person", "by person, kept"):
        question = asked(JOINED[source], schema(max_rows=3))
        found, _ = moves(question, OTHERS, NOBODY, everywhere(9))
        assert all(moved <= bound(block, question) for block, moved in found.items())


def test_weights_given_out_before_a_join_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control, in the shipped SQL: a person's rows on one side decide, not the pairs."""
    monkeypatch.setattr(queries, "sums_query", sums_by_rows_before_a_join)
    for source in ("by person", "by person, kept"):
        question = asked(JOINED[source], schema(max_rows=3))
        distances, _ = moves(question, OTHERS, NOBODY, everywhere(3))
        beyond = {type(one).__name__ for one in distances if distances[one] > bound(one, question)}
        assert beyond == {"Moments"}, source


# ---------------------------------------------------------------------- partners of a row


def doubled(monkeypatch: pytest.MonkeyPatch) -> Question:
    """A question by row about a lookup in which, against what was declared, a ward is twice."""
    from tests.support import several_tables as several

    monkeypatch.setattr(several, "ROWS_OF_WARDS", (*ROWS_OF_WARDS, *ROWS_OF_WARDS))
    declared = schema(unit=ROW)
    text = "SELECT COUNT(*) AS n FROM visits v JOIN wards w ON v.ward = w.ward"
    return checked_question(parse_select(text, declared), declared)


def test_a_row_has_one_partner_even_where_the_lookup_says_so_wrongly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    question = doubled(monkeypatch)
    visit = Rows(Random(6), clean=True).visit("p")
    distances, _ = moves(question, NOBODY, NOBODY, ([visit], []))
    assert list(distances.values()) == [1] == [bound(one, question) for one in question.measures]


def test_without_that_a_row_counts_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control."""
    question = doubled(monkeypatch)
    monkeypatch.setattr(rows, "_partners", lambda lookup, keys, found, most: lookup)
    visit = Rows(Random(6), clean=True).visit("p")
    distances, _ = moves(question, NOBODY, NOBODY, ([visit], []))
    assert list(distances.values()) == [2]


# ---------------------------------------------------------------------- who is the same person


@pytest.mark.parametrize("source", all_but(["by person"], JOINED, pytest.mark.slow))
def test_rows_that_are_nobodys_move_nothing(source: str) -> None:
    question = asked(JOINED[source], schema())
    visits, patients = everywhere(3)
    nobody: Person = (
        [{**row, "id": None} for row in visits],
        [{**row, "pid": None} for row in patients],
    )
    distances, _ = moves(question, OTHERS, NOBODY, nobody)
    assert set(distances.values()) == {0}


@pytest.mark.parametrize(
    "source",
    all_but(["by person"], ["by person", "by person, kept", "twice per person"], pytest.mark.slow),
)
@pytest.mark.parametrize("alike", ["P", "p ", " p", "p\x00", "", "\x1f", "p\u0301"])
def test_ids_that_look_alike_are_different_people(source: str, alike: str) -> None:
    """Nobody's rows meet those of somebody whose id differs by a space, a capital or a zero."""
    question = asked(JOINED[source], schema())
    apart = [everywhere(1, "p"), everywhere(2, alike)]
    alone = [Engine(*one).integers(question, question.measures) for one in apart]
    visits, patients = (apart[0][side] + apart[1][side] for side in (0, 1))
    together = Engine(visits, patients).integers(question, question.measures)
    for block in question.measures:
        added: Mapping[Any, int] = {
            key: sum(one[block].get(key, 0) for one in alone) for key in together[block]
        }
        assert together[block] == added
