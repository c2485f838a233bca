"""What strategies measure of odd rows: as plain Python does, and priced as no person exceeds it."""

from contextlib import closing
from random import Random
from typing import Any

import pytest

from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.source import FrameSource
from discreet.engines.sources import Sources
from discreet.plan.schema import ROW
from tests.support import engine_contract as contract
from tests.support import engine_twin as twin
from tests.support.arrow_frames import frame
from tests.support.measuring import Engine, Row, integers, squared, squared_bound

QUESTIONS = contract.together()
SOME = [
    pytest.param(one, id=one[0], marks=[pytest.mark.slow] if place % 5 else [])
    for place, one in enumerate(QUESTIONS)
]


@pytest.mark.parametrize("one", SOME)
def test_a_strategy_measures_what_its_matrix_makes_of_the_finest_cells(one: Any) -> None:
    _, _, question = one
    random = Random(one[0])
    rows = [_row(random) for _ in range(40)]
    found = Engine().integers(rows, question, question.measures)
    assert found == twin.measure(rows, question, question.measures)


@pytest.mark.parametrize("one", SOME)
def test_nobody_moves_what_is_measured_by_more_than_is_priced(one: Any) -> None:
    """One person comes, goes or is another one, with rows in few cells or in many."""
    _, declared, question = one
    random, engine = Random(one[0]), Engine()
    others = [_row(random) for _ in range(10)]
    whose = {} if declared.unit == ROW else {"id": "somebody"}
    for _ in range(6):
        many = 1 if declared.unit == ROW else random.choice([1, 2, 3, 12])
        same = random.random() < 0.5
        mine = [_row(random, **whose) for _ in range(many)]
        mine = mine[:1] * many if same else mine
        before = [_row(random, **whose)] if question.rules.replace else []
        first = engine.integers([*others, *before], question, question.measures)
        second = engine.integers([*others, *mine], question, question.measures)
        for measure in question.measures:
            moved = squared(first[measure], second[measure])
            assert moved <= squared_bound(measure, question)


def _row(random: Random, **fixed: Any) -> Row:
    drawn: dict[str, Any] = {
        "id": random.choice(["p", "q", "r", None]),
        "x": random.choice([None, -9.0, -1.0, 0.0, 0.3, 2.0, 7.0, 50.0]),
        "ward": random.choice(["A", "B", "it's", "D", None, "a"]),
        "flag": random.choice(["true", "false", None]),
        "z": random.choice([None, 0.5, 1.0, 2.0, 4.0, 5.0]),
        "code": random.choice([1.0, 2.0, 7.0, None, 3.0]),
        "level": random.choice([0.0, 1.0, 2.0, 3.0, 1.5, None]),
    }
    return Row(**(drawn | fixed))


def test_very_many_tables_are_made_by_several_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, question = next(one for one in QUESTIONS if "some tables" in one[0])
    random = Random(5)
    rows = [_row(random) for _ in range(40)]
    at_once = Engine().integers(rows, question, question.measures)
    monkeypatch.setattr("discreet.sql.write.queries._TABLES_AT_ONCE", 1)
    assert Engine().integers(rows, question, question.measures) == at_once


@pytest.mark.parametrize("one", [pytest.param(one, id=one[0]) for one in QUESTIONS[::5]])
def test_an_empty_table_is_measured_as_zeros(one: Any) -> None:
    _, declared, question = one
    with closing(DuckDB(Sources(FrameSource(frame(contract.TYPES, []))), declared)) as engine:
        found = integers(engine, question, question.measures)
        assert not any(any(vector.values()) for vector in found.values())
