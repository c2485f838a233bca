"""The same rows give the same integers on PostgreSQL and on DuckDB, at the same price."""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from random import Random
from typing import Any

import numpy as np
import psycopg
import pyarrow
import pytest

import discreet as dp
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.sources import Frame
from discreet.engines.measuring import Engine
from discreet.engines.postgres.engine import Postgres
from discreet.engines.sources import Sources, find
from discreet.errors import QueryError
from discreet.plan.check import Question
from discreet.plan.columns import Boolean, Category, Column, Number
from discreet.plan.schema import ROW, Schema
from tests.engines import contract
from tests.engines.duckdb.measuring import as_double, asked, every_block, schema
from tests.engines.postgres.tables import fill, frame, new_table
from tests.release.conftest import visits_columns
from tests.sql import drawn
from tests.sql.several import cells_of


@pytest.fixture(scope="module")
def odd(server: str) -> str:
    return new_table(server, contract.TYPES, contract.adversarial())


@pytest.fixture(scope="module")
def engines(odd: str) -> Iterator[dict[str, tuple[Engine, Engine]]]:
    """DuckDB and PostgreSQL on the same odd rows, for each unit."""
    rows = Frame(frame(contract.TYPES, contract.adversarial()))
    found: dict[str, tuple[Engine, Engine]] = {
        unit: (
            DuckDB(Sources(rows), schema(unit=unit)),
            Postgres(Sources(find(odd)), schema(unit=unit)),
        )
        for unit in (ROW, "id")
    }
    yield found
    for pair in found.values():
        for engine in pair:
            engine.close()


QUESTIONS = contract.questions(quick=True)


@pytest.mark.parametrize("one", QUESTIONS, ids=[question[0] for question in QUESTIONS])
def test_all_blocks_of_odd_rows_are_the_same_integers(engines: Any, one: Any) -> None:
    _, declared, question, blocks, cells = one
    here, there = engines[declared.unit]
    assert contract.measured(here, question, blocks, cells) == contract.measured(
        there, question, blocks, cells
    )
    if question.selects_keys:
        assert contract.keys(here, question) == contract.keys(there, question)


def test_an_empty_table_is_measured_alike(server: str) -> None:
    address = new_table(server, contract.TYPES, [])
    question, blocks = every_block(schema(unit="id"), ("ward",))
    with (
        closing(DuckDB(Sources(Frame(frame(contract.TYPES, []))), schema(unit="id"))) as here,
        closing(Postgres(Sources(find(address)), schema(unit="id"))) as there,
    ):
        there.prepare(question, question.blocks)
        found = contract.measured(there, question, blocks, None)
        assert found == contract.measured(here, question, blocks, None)
        assert not any(any(vector.values()) for vector in found.values())


def test_a_million_rows_of_one_person_count_for_the_caps(server: str) -> None:
    address = new_table(server, {"id": "text", "x": "double precision"}, [])
    with psycopg.connect(server) as connection:
        connection.execute(
            f"INSERT INTO {address.rpartition('=')[2]} "
            "SELECT 'p', n % 13 FROM generate_series(1, 1000000) AS n"
        )
    declared = Schema(
        name="t",
        columns={"x": dp.number(0, 10)},
        unit="id",
        neighbors=schema().neighbors,
        max_rows=3,
        max_groups=2,
    )
    values = np.arange(1, 1_000_001) % 13
    rows = pyarrow.table({"id": ["p"] * len(values), "x": values.astype(float)})
    query = {"n": dp.rows(), "s": dp.col("x").sum(), "m": dp.col("x").median()}
    question = asked(declared, query)
    with (
        closing(DuckDB(Sources(Frame(rows)), declared)) as here,
        closing(Postgres(Sources(find(address)), declared)) as there,
    ):
        assert contract.measured(here, question, question.blocks, None) == contract.measured(
            there, question, question.blocks, None
        )


# ---------------------------------------------------------------------- joins, people, lookups

DECLARED = drawn.schema()
PATIENTS = DECLARED.private["patients"]
WARDS = DECLARED.public["wards"]


def types(columns: Mapping[str, Column], unit: str | None) -> dict[str, str]:
    found = {name: _type(column) for name, column in columns.items()}
    return found if unit is None else found | {unit: "text"}


def _type(column: Column) -> str:
    if isinstance(column, Boolean):
        return "boolean"
    if isinstance(column, Number):
        return "date" if column.dated else "double precision"
    return "double precision" if isinstance(column, Category) and column.numeric else "text"


def held(rows: Sequence[Mapping[str, Any]], kinds: Mapping[str, str]) -> list[tuple[Any, ...]]:
    """What columns of these types can hold of the rows; PostgreSQL's texts have no zero byte."""
    return [tuple(_held(row[name], kind) for name, kind in kinds.items()) for row in rows]


def _held(value: Any, kind: str) -> Any:
    if kind == "double precision":
        return as_double(value)
    if kind == "boolean":
        return {"true": True, "false": False, "FALSE": False}.get(value)
    if kind == "date":
        try:
            return None if value is None else datetime.date.fromisoformat(value)
        except ValueError:
            return None
    return None if value is None else str(value).replace("\0", "0")


class Several:
    """Both engines, with one set of rows after another behind them."""

    def __init__(self, server: str, unit: str) -> None:
        self.kinds = {
            "visits": types(DECLARED.columns, "id"),
            "patients": types(PATIENTS.columns, "pid"),
        }
        self.places = {name: new_table(server, kinds, []) for name, kinds in self.kinds.items()}
        self.server = server
        kinds = types(WARDS.columns, None)
        self.wards = Frame(frame(kinds, held(drawn.ROWS_OF_WARDS, kinds)))
        self.unit = unit
        self.there = Postgres(self._sources(self.places), drawn.schema(unit=unit))

    def _sources(self, places: Mapping[str, Any]) -> Sources:
        found = {
            name: find(place) if isinstance(place, str) else place for name, place in places.items()
        }
        private = {} if self.unit == ROW else {"patients": found["patients"]}
        return Sources(found["visits"], private, {"wards": self.wards})

    def read(self, **rows: Any) -> tuple[Engine, Engine]:
        frames = {}
        with psycopg.connect(self.server) as connection:
            for name, kinds in self.kinds.items():
                table = self.places[name].rpartition("=")[2]
                connection.execute(f"TRUNCATE {table}")
                fill(connection, table, kinds, held(rows[name], kinds))
                frames[name] = Frame(frame(kinds, held(rows[name], kinds)))
        return DuckDB(self._sources(frames), drawn.schema(unit=self.unit)), self.there


def offered(engine: Engine, question: Question) -> bool:
    """Whether an engine answers a question; nothing else may keep it from that."""
    with suppress(QueryError):
        engine.prepare(question, question.blocks)
        return True
    return False


@pytest.mark.parametrize("unit", ["id", ROW])
def test_selects_as_chance_has_them_are_measured_alike(server: str, unit: str) -> None:
    random = Random(f"postgres {unit}")
    several = Several(server, unit)
    answered = refused = 0
    for _ in range(4):
        people = [random.choice(drawn.PEOPLE) for _ in range(5)]
        rows = drawn.Rows(random)
        here, there = several.read(
            visits=rows.visits(people, 30), patients=rows.patients(people, 12)
        )
        for _ in range(10):
            text, question = drawn.accepted(random, drawn.schema(unit=unit))
            cells = None
            if not offered(there, question):
                refused += 1
                continue
            if question.selects_keys:
                found = contract.keys(here, question)
                assert found == contract.keys(there, question), text
                cells = cells_of(question, found)
            assert contract.measured(here, question, question.blocks, cells) == contract.measured(
                there, question, question.blocks, cells
            ), text
            answered += 1
        here.close()
    several.there.close()
    assert answered > 25 > refused


# ---------------------------------------------------------------------- prices and refusals

VISITS = {
    "patient": "bigint",
    "ward": "text",
    "stay": "double precision",
    "age": "integer",
    "smoker": "boolean",
    "diagnosis": "text",
    "admitted": "date",
}
ASKED = [
    "SELECT COUNT(*) AS n FROM visits",
    "SELECT ward, AVG(stay) AS m, COUNT(*) AS n FROM visits GROUP BY ward",
    "SELECT MEDIAN(age) AS m FROM visits WHERE smoker AND admitted > '2025-02-01'",
    "SELECT diagnosis, COUNT(*) AS n FROM visits GROUP BY diagnosis",
    "SELECT MONTH(admitted) AS m, SUM(stay) AS s FROM visits GROUP BY 1",
    "SELECT COUNT(DISTINCT diagnosis) AS n, MAX(stay) AS m FROM visits",
]
NOT_ANSWERED = [
    "SELECT stay FROM visits",
    "SELECT SUM(nothing) AS s FROM visits",
    "SELECT SUM(ward) AS s FROM visits",
    "SELECT COUNT(*) AS n FROM elsewhere",
    "SELECT COUNT(*) AS n FROM pg_catalog.pg_user",
    "SELECT pg_sleep(1) AS s FROM visits",
    "DROP TABLE visits",
]


@pytest.fixture(scope="module")
def hospitals(server: str) -> Iterator[tuple[dp.Table, dp.Table]]:
    """The same table, opened from memory and from PostgreSQL."""
    rows = [
        (one % 400, "ABC"[one % 3], one % 20 / 2, one % 90, one % 4 == 0, "flu", DAY)
        for one in range(2000)
    ]
    declared: dict[str, Any] = {
        "name": "visits",
        "unit": "patient",
        "budget": dp.Budget(epsilon=20, delta=1e-3),
        "columns": visits_columns(),
        "max_groups": 3,
        "max_rows": 6,
        "ledger": ":memory:",
    }
    address = new_table(server, VISITS, rows)
    with (
        dp.table(frame(VISITS, rows), **declared) as here,
        dp.table(address, **declared) as there,
    ):
        yield here, there


DAY = datetime.date(2025, 3, 1)


@pytest.mark.parametrize("text", ASKED)
def test_a_question_costs_the_same_and_is_answered(hospitals: Any, text: str) -> None:
    here, there = (table.ask(text) for table in hospitals)
    plans = [asking.plan(epsilon=3, delta=1e-6) for asking in (here, there)]
    assert plans[0].explain() == plans[1].explain()
    assert not there.release(epsilon=3, delta=1e-6).to_pandas().empty


@pytest.mark.parametrize("text", NOT_ANSWERED)
def test_a_refusal_is_the_same(hospitals: Any, text: str) -> None:
    said = []
    for table in hospitals:
        with pytest.raises(dp.DiscreetError) as caught:
            table.ask(text).plan(epsilon=1)
        said.append((type(caught.value), str(caught.value)))
    assert said[0] == said[1]


def test_bounds_and_caps_are_suggested(hospitals: Any) -> None:
    there = hospitals[1]
    assert there.suggest_caps("ward", epsilon=2).max_rows in (3, 4, 5, 6, 7, 8)
