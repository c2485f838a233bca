"""The same rows give the same integers on Spark and on DuckDB, at the same price."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from math import isqrt
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import discreet as dp
from discreet.engines.base import Engine
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.source import FrameSource
from discreet.engines.sources import Sources, find_source
from discreet.engines.spark.engine import Spark
from discreet.errors import QueryError
from discreet.plan.schema import ROW, Schema
from discreet.question import query
from tests.support import drawn_sql as drawn
from tests.support import engine_contract as contract
from tests.support.arrow_frames import frame
from tests.support.engine_contract import DECLARED, LOOKUP, PATIENTS, held, offered, types
from tests.support.measuring import every_block, schema
from tests.support.several_tables import cells_of
from tests.support.trials import rounds

EVERY = 12
"""Spark takes seconds for a question: of the questions that other engines are asked, so many-th."""
QUESTIONS = contract.questions(quick=True)[::EVERY]


def read(session: Any, rows: pyarrow.Table) -> Any:
    """Rows as a Spark frame of two partitions, so that no person's are all in one."""
    return session.createDataFrame(rows).repartition(2)


def both(session: Any, rows: pyarrow.Table, declared: Schema) -> tuple[Engine, Engine]:
    here = DuckDB(Sources(FrameSource(rows)), declared)
    return here, Spark(Sources(find_source(read(session, rows))), declared)


@pytest.fixture(scope="module")
def engines(local_cluster: Any) -> Iterator[dict[str, tuple[Engine, Engine]]]:
    """DuckDB and Spark on the same odd rows, for each unit."""
    rows = frame(contract.TYPES, contract.adversarial())
    found = {unit: both(local_cluster, rows, schema(unit=unit)) for unit in (ROW, "id")}
    yield found
    for pair in found.values():
        for engine in pair:
            engine.close()


@pytest.mark.parametrize("one", QUESTIONS, ids=[question[0] for question in QUESTIONS])
def test_all_blocks_of_odd_rows_are_the_same_integers(engines: Any, one: Any) -> None:
    check_alike(engines[one[1].unit], one)


@pytest.mark.soak
@pytest.mark.parametrize("one", contract.questions())
def test_all_blocks_of_every_question_are_the_same_integers(engines: Any, one: Any) -> None:
    check_alike(engines[one[1].unit], one)


TOGETHER = contract.together()[::11]


@pytest.mark.parametrize("one", TOGETHER, ids=[question[0] for question in TOGETHER])
def test_strategies_measure_the_same_integers_of_odd_rows(engines: Any, one: Any) -> None:
    _, declared, question = one
    contract.check_alike(engines[declared.unit], question, question.measures, None)


def check_alike(pair: tuple[Engine, Engine], one: Any) -> None:
    contract.check_alike(pair, *one[2:])


def test_connect_measures_the_same_integers(connect_session: Any) -> None:
    rows = frame(contract.TYPES, contract.adversarial())
    for one in QUESTIONS[:: len(QUESTIONS) // 2 + 1]:
        here, there = both(connect_session, rows, one[1])
        bound = there.prepared(one[2], one[2].measures, one[2].unit)
        with closing(here), closing(there), bound:
            check_alike((here, there), one)


def test_an_empty_table_is_measured_alike(local_cluster: Any) -> None:
    question, blocks = every_block(schema(unit="id"), ("ward",))
    here, there = both(local_cluster, frame(contract.TYPES, []), schema(unit="id"))
    with closing(here), closing(there):
        with there.prepared(question, question.measures, question.unit):
            found = contract.measured(there, question, blocks, None)
        assert found == contract.measured(here, question, blocks, None)
        assert not any(any(vector.values()) for vector in found.values())


def test_times_of_day_are_the_same_integers(local_cluster: Any, tmp_path: Path) -> None:
    rows, declared, place = contract.clock_frame(), contract.clock_schema(), tmp_path / "t.parquet"
    tmp_path.chmod(0o755)
    pyarrow.parquet.write_table(rows, place)  # a frame made from Arrow would lose what has no zone
    frame_of_spark = local_cluster.read.parquet(str(place)).repartition(2)
    here = DuckDB(Sources(FrameSource(rows)), declared)
    there = Spark(Sources(find_source(frame_of_spark)), declared)
    with closing(here), closing(there):
        contract.check_clocks(here, there)


def test_a_million_rows_of_one_person_count_for_the_caps(local_cluster: Any) -> None:
    declared, questions = contract.many_rows()
    values = np.arange(1, 1_000_001) % 13
    rows = pyarrow.table({"id": ["p"] * len(values), "x": values.astype(float)})
    made = local_cluster.range(1, 1_000_001).selectExpr("'p' AS id", "CAST(id % 13 AS DOUBLE) AS x")
    here = DuckDB(Sources(FrameSource(rows)), declared)
    there = Spark(Sources(find_source(made)), declared)
    with closing(here), closing(there):
        for question in questions:
            contract.check_alike((here, there), question, question.measures, None)


def test_whole_roots_are_found(local_cluster: Any) -> None:
    numbers = pyarrow.table({"quotient": contract.quotients()})
    local_cluster.createDataFrame(numbers).createOrReplaceTempView("numbers")
    found = local_cluster.sql(contract.rooted().sql("spark")).select("quotient", "weight").collect()
    assert sorted(map(tuple, found)) == [(one, isqrt(one)) for one in contract.quotients()]


@pytest.mark.parametrize("unit", ["id", ROW])
def test_selects_as_chance_has_them_are_measured_alike(local_cluster: Any, unit: str) -> None:
    random = Random(f"spark {unit}")
    answered = 0
    kinds = {"visits": types(DECLARED.columns, "id"), "patients": types(PATIENTS.columns, "pid")}
    wards = types(LOOKUP.columns, None)
    public = {"wards": FrameSource(frame(wards, held(drawn.ROWS_OF_WARDS, wards)))}
    declared = drawn.schema(unit=unit)
    for _ in range(rounds(1)):
        people = [random.choice(drawn.PEOPLE) for _ in range(5)]
        rows = drawn.Rows(random)
        made = {"visits": rows.visits(people, 30), "patients": rows.patients(people, 12)}
        frames = {name: frame(kinds[name], held(made[name], kinds[name])) for name in kinds}

        def sources(found: Mapping[str, Any]) -> Sources:
            private = {} if unit == ROW else {"patients": found["patients"]}
            return Sources(found["visits"], private, public)

        here = DuckDB(sources({name: FrameSource(one) for name, one in frames.items()}), declared)
        there = Spark(
            sources({name: find_source(read(local_cluster, one)) for name, one in frames.items()}),
            declared,
        )
        with closing(here), closing(there):
            for _ in range(4):
                with patch.object(query, "MOST_PAIRS", random.choice([1, 4, 10, 1_000_000])):
                    text, question = drawn.accepted(random, declared)
                if not offered(there, question):
                    continue
                cells = None
                if question.selects_keys:
                    found = contract.keys(here, question)
                    assert found == contract.keys(there, question), text
                    cells = cells_of(question, found)
                assert contract.measured(
                    here, question, question.measures, cells
                ) == contract.measured(there, question, question.measures, cells), text
                answered += 1
    assert answered >= 2


def test_joins_of_private_tables_are_measured_alike(local_cluster: Any) -> None:
    kinds = {"visits": types(DECLARED.columns, "id"), "patients": types(PATIENTS.columns, "pid")}
    wards = types(LOOKUP.columns, None)
    public = {"wards": FrameSource(frame(wards, held(drawn.ROWS_OF_WARDS, wards)))}
    made = contract.joined_rows()
    frames = {name: frame(kinds[name], held(made[name], kinds[name])) for name in kinds}
    private = {"patients": FrameSource(frames["patients"])}
    here = DuckDB(Sources(FrameSource(frames["visits"]), private, public), DECLARED)
    private = {"patients": find_source(read(local_cluster, frames["patients"]))}
    visits = find_source(read(local_cluster, frames["visits"]))
    with closing(here), closing(Spark(Sources(visits, private, public), DECLARED)) as there:
        for question in contract.joins(4)[1::2]:
            cells = [("a",)] if question.selects_keys else None
            assert contract.measured(here, question, question.measures, cells) == contract.measured(
                there, question, question.measures, cells
            ), question.text


def test_a_join_with_one_partner_a_row_changes_no_count(local_cluster: Any) -> None:
    rows = contract.treatments()
    frames = [
        read(local_cluster, frame(kinds, rows[name])) for name, kinds in contract.TREATMENTS.items()
    ]
    with contract.treatments_table(*frames) as table:
        contract.check_joins_count_what_is_there(table, every=3)


# ---------------------------------------------------------------------- prices and refusals


@pytest.fixture(scope="module")
def hospitals(local_cluster: Any) -> Iterator[tuple[dp.Table, dp.Table]]:
    """The same table, opened from memory and from Spark."""
    rows = frame(contract.VISITS, contract.visits())
    with (
        dp.table(rows, **contract.hospital()) as here,
        dp.table(read(local_cluster, rows), **contract.hospital()) as there,
    ):
        yield here, there


@pytest.mark.parametrize("text", contract.ASKED)
def test_a_question_costs_the_same_and_is_answered(hospitals: Any, text: str) -> None:
    contract.check_price_and_answer(*hospitals, text)


@pytest.mark.parametrize("text", contract.NOT_ANSWERED)
def test_what_is_refused_is_refused_in_the_same_words(hospitals: Any, text: str) -> None:
    contract.check_refusal(*hospitals, text)


def test_a_profile_is_made_of_the_same_numbers(hospitals: Any) -> None:
    contract.check_profiles(*hospitals)


def test_bounds_and_caps_are_suggested(hospitals: Any) -> None:
    contract.check_suggestions(hospitals[1])


def test_a_cast_of_texts_is_refused_uncharged(local_cluster: Any) -> None:
    rows = frame(contract.VISITS, contract.visits())
    asked = "SELECT COUNT(*) AS n FROM visits WHERE CAST(diagnosis AS DOUBLE) > 1"
    with dp.table(read(local_cluster, rows), **contract.hospital()) as there:
        spent = there.budget.spent
        with pytest.raises(QueryError, match="not offered on Spark"):
            there.sql(asked, epsilon=1)
        assert there.budget.spent == spent
