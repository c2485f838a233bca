"""The same rows give the same integers on PostgreSQL and on DuckDB, at the same price."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
import psycopg
import pyarrow
import pytest

import discreet as dp
from discreet.engines.base import Engine
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.source import FrameSource
from discreet.engines.postgres.engine import Postgres
from discreet.engines.sources import Sources, find_source
from discreet.plan.schema import ROW
from discreet.question import query
from tests.support import drawn_sql as drawn
from tests.support import engine_contract as contract
from tests.support.arrow_frames import frame
from tests.support.measuring import every_block, schema
from tests.support.postgres_tables import fill, new_table
from tests.support.several_tables import cells_of
from tests.support.trials import rounds


@pytest.fixture(scope="module")
def odd(server: str) -> str:
    return new_table(server, contract.TYPES, contract.adversarial())


@pytest.fixture(scope="module")
def engines(odd: str) -> Iterator[dict[str, tuple[Engine, Engine]]]:
    """DuckDB and PostgreSQL on the same odd rows, for each unit."""
    rows = FrameSource(frame(contract.TYPES, contract.adversarial()))
    found: dict[str, tuple[Engine, Engine]] = {
        unit: (
            DuckDB(Sources(rows), schema(unit=unit)),
            Postgres(Sources(find_source(odd)), schema(unit=unit)),
        )
        for unit in (ROW, "id")
    }
    yield found
    for pair in found.values():
        for engine in pair:
            engine.close()


QUESTIONS = contract.questions(quick=True)


@pytest.mark.parametrize(
    "one",
    [  # Every sixth is of another grouping.
        pytest.param(one, id=one[0], marks=[pytest.mark.slow] if place % 6 else [])
        for place, one in enumerate(QUESTIONS)
    ],
)
def test_all_blocks_of_odd_rows_are_the_same_integers(engines: Any, one: Any) -> None:
    _, declared, question, blocks, cells = one
    contract.check_alike(engines[declared.unit], question, blocks, cells)


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(one, id=one[0], marks=[pytest.mark.slow] if place % 5 else [])
        for place, one in enumerate(contract.together())
    ],
)
def test_strategies_measure_the_same_integers_of_odd_rows(engines: Any, one: Any) -> None:
    _, declared, question = one
    contract.check_alike(engines[declared.unit], question, question.measures, None)


def test_an_empty_table_is_measured_alike(server: str) -> None:
    address = new_table(server, contract.TYPES, [])
    question, blocks = every_block(schema(unit="id"), ("ward",))
    with (
        closing(DuckDB(Sources(FrameSource(frame(contract.TYPES, []))), schema(unit="id"))) as here,
        closing(Postgres(Sources(find_source(address)), schema(unit="id"))) as there,
    ):
        with there.prepared(question, question.measures, question.unit):
            found = contract.measured(there, question, blocks, None)
        assert found == contract.measured(here, question, blocks, None)
        assert not any(any(vector.values()) for vector in found.values())


def test_times_of_day_are_the_same_integers(server: str) -> None:
    address, declared = (
        new_table(server, contract.CLOCKS, contract.clock_rows()),
        contract.clock_schema(),
    )
    with (
        closing(DuckDB(Sources(FrameSource(contract.clock_frame())), declared)) as here,
        closing(Postgres(Sources(find_source(address)), declared)) as there,
    ):
        contract.check_clocks(here, there)


@pytest.mark.slow
def test_a_million_rows_of_one_person_count_for_the_caps(server: str) -> None:
    address = new_table(server, {"id": "text", "x": "double precision"}, [])
    with psycopg.connect(server) as connection:
        connection.execute(
            f"INSERT INTO {address.rpartition('=')[2]} "
            "SELECT 'p', n % 13 FROM generate_series(1, 1000000) AS n"
        )
    declared, questions = contract.many_rows()
    values = np.arange(1, 1_000_001) % 13
    rows = pyarrow.table({"id": ["p"] * len(values), "x": values.astype(float)})
    with (
        closing(DuckDB(Sources(FrameSource(rows)), declared)) as here,
        closing(Postgres(Sources(find_source(address)), declared)) as there,
    ):
        for question in questions:
            contract.check_alike((here, there), question, question.measures, None)


# ---------------------------------------------------------------------- joins, people, lookups


class Several:
    """Both engines, with one set of rows after another behind them."""

    def __init__(self, server: str, unit: str) -> None:
        self.kinds = {
            "visits": contract.types(contract.DECLARED.columns, "id"),
            "patients": contract.types(contract.PATIENTS.columns, "pid"),
        }
        self.places = {name: new_table(server, kinds, []) for name, kinds in self.kinds.items()}
        self.server = server
        kinds = contract.types(contract.LOOKUP.columns, None)
        self.wards = FrameSource(frame(kinds, contract.held(drawn.ROWS_OF_WARDS, kinds)))
        self.unit = unit
        self.there = Postgres(self._sources(self.places), drawn.schema(unit=unit))

    def _sources(self, places: Mapping[str, Any]) -> Sources:
        found = {
            name: find_source(place) if isinstance(place, str) else place
            for name, place in places.items()
        }
        private = {} if self.unit == ROW else {"patients": found["patients"]}
        return Sources(found["visits"], private, {"wards": self.wards})

    def read(self, **rows: Any) -> tuple[Engine, Engine]:
        frames = {}
        with psycopg.connect(self.server) as connection:
            for name, kinds in self.kinds.items():
                table = self.places[name].rpartition("=")[2]
                connection.execute(f"TRUNCATE {table}")
                fill(connection, table, kinds, contract.held(rows[name], kinds))
                frames[name] = FrameSource(frame(kinds, contract.held(rows[name], kinds)))
        return DuckDB(self._sources(frames), drawn.schema(unit=self.unit)), self.there


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["id", ROW])
def test_selects_as_chance_has_them_are_measured_alike(server: str, unit: str) -> None:
    random = Random(f"postgres {unit}")
    several = Several(server, unit)
    answered = refused = 0
    for _ in range(rounds(2)):
        people = [random.choice(drawn.PEOPLE) for _ in range(5)]
        rows = drawn.Rows(random)
        here, there = several.read(
            visits=rows.visits(people, 30), patients=rows.patients(people, 12)
        )
        for _ in range(10):
            with patch.object(query, "MOST_PAIRS", random.choice([1, 4, 10, 1_000_000])):
                text, question = drawn.accepted(random, drawn.schema(unit=unit))
            cells = None
            if not contract.offered(there, question):
                refused += 1
                continue
            if question.selects_keys:
                found = contract.keys(here, question)
                assert found == contract.keys(there, question), text
                cells = cells_of(question, found)
            assert contract.measured(here, question, question.measures, cells) == contract.measured(
                there, question, question.measures, cells
            ), text
            answered += 1
        here.close()
    several.there.close()
    assert answered > 2 * refused


def test_joins_of_private_tables_are_measured_alike(server: str) -> None:
    here, there = Several(server, "id").read(**contract.joined_rows())
    with closing(here), closing(there):
        for question in (one for most in (1, 4, 10, 1_000_000) for one in contract.joins(most)):
            cells = [("a",)] if question.selects_keys else None
            contract.check_alike((here, there), question, question.measures, cells)
        few, all_pairs = (contract.joins(most)[3] for most in (4, 1_000_000))
        assert contract.measured(there, few, few.measures, None) != contract.measured(
            there, all_pairs, few.measures, None
        )


def test_a_join_with_one_partner_a_row_changes_no_count(server: str) -> None:
    rows = contract.treatments()
    places = [new_table(server, kinds, rows[name]) for name, kinds in contract.TREATMENTS.items()]
    with contract.treatments_table(*places) as table:
        contract.check_joins_count_what_is_there(table)


# ---------------------------------------------------------------------- prices and refusals


@pytest.fixture(scope="module")
def hospitals(server: str) -> Iterator[tuple[dp.Table, dp.Table]]:
    """The same table, opened from memory and from PostgreSQL."""
    rows = contract.visits()
    address = new_table(server, contract.VISITS, rows)
    with (
        dp.table(frame(contract.VISITS, rows), **contract.hospital()) as here,
        dp.table(address, **contract.hospital()) as there,
    ):
        yield here, there


@pytest.mark.parametrize("text", contract.ASKED)
def test_a_question_costs_the_same_and_is_answered(hospitals: Any, text: str) -> None:
    contract.check_price_and_answer(*hospitals, text)


@pytest.mark.parametrize("text", contract.NOT_ANSWERED)
def test_a_refusal_is_the_same(hospitals: Any, text: str) -> None:
    contract.check_refusal(*hospitals, text)


def test_a_profile_is_made_of_the_same_numbers(hospitals: Any) -> None:
    contract.check_profiles(*hospitals)


def test_bounds_and_caps_are_suggested(hospitals: Any) -> None:
    contract.check_suggestions(hospitals[1])
