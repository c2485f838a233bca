"""What a SELECT is measured as, against a naive interpreter and against SQL itself."""

from dataclasses import replace
from itertools import product
from random import Random
from typing import Any
from unittest.mock import patch

import duckdb
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.measures.measure import SHARE, Norm, Output, Steps
from discreet.plan.schema import ROW, Schema
from discreet.privacy.sensitivity import Neighbors
from discreet.question import query
from discreet.question.check import Question, checked_question
from discreet.question.conditions import Conditions
from discreet.question.query import PerPerson, has_pairs, origin
from discreet.sql.read.select import parse_select
from tests.support import interpreter
from tests.support.drawn_sql import PEOPLE, ROWS_OF_WARDS, Rows, accepted, relations, schema
from tests.support.measuring import BOTH, NORMS, QUICK, UNITS, Vector
from tests.support.several_tables import Engine, cells_of, interpreted
from tests.support.trials import examples

seeds = st.randoms(use_true_random=True)


@pytest.mark.slow
@examples(160, QUICK)
@given(
    seeds,
    st.sampled_from(BOTH),
    st.sampled_from([*UNITS, "id", "id"]),
    st.sampled_from(["text", "double"]),
    st.sampled_from(NORMS),
)
def test_a_select_is_what_plain_arithmetic_says(
    random: Random, neighbors: Neighbors, unit: str, stored: str, norm: Norm
) -> None:
    caps = {"max_rows": random.randint(1, 4), "max_groups": random.randint(1, 3)}
    caps["max_rows_per_group"] = random.choice([None, 1, 2])
    declared = schema(neighbors, unit, **caps, beside_rows=random.choice([None, 1, 2]))
    with patch.object(query, "MOST_PAIRS", random.choice([1, 4, 9, 1_000_000])):
        text, question = accepted(random, declared)
    rows = Rows(random)
    people = random.sample(PEOPLE, 4)
    visits, patients = rows.visits(people, 12), rows.patients(people, 8)
    if unit == ROW:
        patients = []
    engine, tables = Engine(visits, patients, unit, stored), interpreted(visits, patients, stored)
    cells = None
    if question.selects_keys:
        for share in (SHARE, None) if question.unit.by_person else (None,):
            found = engine.candidates(question, share)
            assert found == interpreter.candidates(question, tables, share), text
        cells = cells_of(question, found)
    measured = engine.integers(question, question.measures, cells, norm)
    expected = interpreter.measure(question, tables, question.measures, cells, norm)
    for block in question.measures:
        assert measured[block] == expected[block], (text, block)


@pytest.mark.slow
def test_the_questions_that_are_drawn_are_of_every_kind() -> None:
    random = Random(1)
    declared = schema()
    drawn = [accepted(random, declared) for _ in range(150)]
    made_of = {kind for _, question in drawn for kind in relations(question.source)}
    assert made_of == {"Scan", "Selected", "Lookup", "Pair", "PerPerson"}
    keys = {type(key).__name__ for _, question in drawn for _, key in question.keys}
    assert keys == {
        "ListedGrouping",
        "BooleanGrouping",
        "IntegerGrouping",
        "BinGrouping",
        "PrivateGrouping",
    }
    blocks = {type(block).__name__ for _, question in drawn for block in question.measures}
    assert blocks >= {
        "People",
        "Rows",
        "Present",
        "Partition",
        "Total",
        "Moments",
        "Ranks",
        "Extreme",
    }
    words = ("LEFT JOIN", "WITH ", "HAVING", "FILTER", "COUNT(DISTINCT CASE")
    assert all(any(word in text for text, _ in drawn) for word in words)


def test_an_interpreter_without_a_rule_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: the comparison sees a person's pairs that are not limited."""
    declared = schema(max_rows=2)
    text = "SELECT SUM(v.stay) AS s FROM visits v JOIN patients p ON v.id = p.pid"
    with patch.object(query, "MOST_PAIRS", 4):
        question = checked_question(parse_select(text, declared), declared)
    rows = Rows(Random(2), clean=True)
    visits = [{**rows.visit("p"), "stay": place} for place in range(5)]
    patients = [rows.patient("p"), rows.patient("q")]
    visits.append(rows.visit("q"))
    found = Engine(visits, patients).integers(question, question.measures)
    tables = interpreted(visits, patients)
    assert found == interpreter.measure(question, tables, question.measures)
    monkeypatch.setattr(interpreter, "_few", lambda rows, used, cap: rows)
    assert found != interpreter.measure(question, tables, question.measures)


@pytest.mark.slow
@examples(60, QUICK)
@given(seeds, st.sampled_from(["text", "double"]))
def test_conditions_before_a_join_leave_the_rows_of_conditions_after_it(
    random: Random, stored: str
) -> None:
    """Missing values and rows without a partner included: the relation as it was asked says so."""
    declared = schema(max_rows=random.randint(1, 4), max_groups=3)
    text, question = accepted(random, declared)
    while not has_pairs(question.source):
        text, question = accepted(random, declared)
    as_asked = replace(
        question,
        source=origin(question.query.source, declared).relation,
        remaining=question.where,
    )
    rows = Rows(random)
    people = random.sample(PEOPLE, 3)
    tables = interpreted(rows.visits(people, 12), rows.patients(people, 8), stored)
    cells = cells_of(question, interpreter.candidates(question, tables))
    moved, not_moved = (
        interpreter.measure(one, tables, question.measures, cells) for one in (question, as_asked)
    )
    assert moved == not_moved, text


# ---------------------------------------------------------------------- against SQL itself


@pytest.mark.slow
@examples(40, QUICK)
@given(seeds)
def test_a_select_is_what_a_database_says_where_no_cap_is_reached(random: Random) -> None:
    """The same text, run by DuckDB on the rows as they are: no interpreter of ours."""
    declared = schema(max_rows=100_000, max_groups=1000, beside_rows=100_000)
    text, question = accepted(random, declared, plain=True)
    while not _on_whole_numbers(question):
        text, question = accepted(random, declared, plain=True)
    rows = Rows(random, clean=True)
    visits, patients = rows.visits(PEOPLE[:4], 10), rows.patients(PEOPLE[:4], 6)
    found = Engine(visits, patients).integers(question, question.measures)
    answers = _answered(text, visits, patients, len(question.keys))
    labels, every = (
        list(product(*(grouping.labels for _, grouping in one.keys)))  # type: ignore[union-attr]
        for one in (question, _with_all_groups(text, declared))
    )
    assert not set(answers) & (set(every) - set(labels)), text
    for place, output in enumerate(question.outputs):
        for cell, label in enumerate(labels):
            expected = answers.get(label, (0,) * len(question.outputs))[place] or 0
            decoded = _decoded(output, question, found[output.measure], cell)
            assert decoded == pytest.approx(float(expected), rel=1e-12, abs=1e-12), text


def _with_all_groups(text: str, declared: Schema) -> Question:
    """The same question, with the groups that its conditions exclude."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Conditions, "left", lambda self, grouping, few: grouping)
        return checked_question(parse_select(text, declared), declared)


def _on_whole_numbers(question: Question) -> bool:
    """Whether no step of a grid is larger than 1, so that nothing is rounded."""
    values = [getattr(block, "value", None) for block in question.measures]
    stack = [question.source]
    while stack:
        one = stack.pop()
        stack += [getattr(one, part) for part in ("inner", "first", "second") if hasattr(one, part)]
        if isinstance(one, PerPerson):
            values += [summary.value for summary in one.summaries]
    return all(one.range.grid.exponent <= 0 for one in values if isinstance(one, Steps))


def _decoded(output: Output, question: Question, found: Vector, cell: int) -> float:
    """The answer of a group, had no noise been added."""
    width = output.measure.width
    integers = [found[place] for place in range(cell * width, (cell + 1) * width)]
    value, _ = output.measure.decoder(output, None, question.unit, None)(integers)
    return float(value)


def _answered(
    text: str, visits: list[Any], patients: list[Any], keys: int
) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """What DuckDB answers, by the groups' names."""
    whole = {"level", "code", "age", "floor"}
    with duckdb.connect() as connection:
        # In some texts it fails by itself: "BindBuiltinScalarFunction did not return …".
        connection.execute("SET disabled_optimizers = 'statistics_propagation'")
        tables = {"visits": visits, "patients": patients, "wards": list(ROWS_OF_WARDS)}
        empty = {"visits": Rows(Random(0)).visit("p"), "patients": Rows(Random(0)).patient("p")}
        for name, listed in tables.items():
            columns = {}
            for column in empty.get(name) or ROWS_OF_WARDS[0]:
                values = [None if row[column] is None else str(row[column]) for row in listed]
                columns[column] = pyarrow.array(values, pyarrow.string())
            connection.register(f"{name}_texts", pyarrow.table(columns))
            kinds = dict.fromkeys(whole, "BIGINT") | {"flag": "BOOLEAN", "smoker": "BOOLEAN"}
            kinds |= {"stay": "DOUBLE", "score": "DOUBLE", "mass": "DOUBLE", "size": "DOUBLE"}
            kinds["day"] = "DATE"
            casts = [f"CAST({one} AS {kinds.get(one, 'VARCHAR')}) AS {one}" for one in columns]
            connection.execute(
                f"CREATE TABLE {name} AS SELECT {', '.join(casts)} FROM {name}_texts"
            )
        found = connection.execute(text).fetchall()
    return {
        tuple(str(one) if hasattr(one, "year") else one for one in row[:keys]): row[keys:]
        for row in found
    }
