"""What docs/architecture.md asks of an engine is what engines provide, and it is enough."""

import re
from collections.abc import Iterator
from contextlib import closing
from inspect import signature
from typing import Any

import duckdb
import pytest

from discreet.engines.base import Engine, EngineConnection
from discreet.engines.duckdb.connection import DuckDBConnection
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.source import FrameSource
from discreet.engines.postgres.connection import PostgresConnection
from discreet.engines.postgres.engine import Postgres
from discreet.engines.sources import ENGINES, Sources
from discreet.engines.spark.connection import SparkConnection
from discreet.engines.spark.engine import Spark
from discreet.errors import SourceError
from discreet.plan.schema import ROW
from discreet.sql.write.rows import DUCKDB
from tests.support import engine_contract as contract
from tests.support.arrow_frames import frame
from tests.support.measuring import schema
from tests.support.package_source import PACKAGE
from tests.support.recipes import listed_files, section

RECIPE = section("Add an engine")
CLASSES = (DuckDB, Postgres, Spark)
QUESTIONS = contract.questions(quick=True)[::9]
"""Of the questions that every engine is asked, enough for each unit and for keys nobody listed."""
CONNECTIONS = (DuckDBConnection, PostgresConnection, SparkConnection)


def listed(heading: str) -> list[str]:
    """The names in the first column of a table of the recipe."""
    table = re.search(rf"^\| {heading} \| \|\n.*\n((?:\|.*\n)+)", RECIPE, re.MULTILINE)
    assert table is not None
    return re.findall(r"^\| `(\w+)` \|", table[1], re.MULTILINE)


def own_members(kind: type) -> set[str]:
    """What a class defines itself."""
    return {name for name in vars(kind) if not name.startswith("__")}


def test_every_connection_provides_what_is_listed() -> None:
    wanted = {name for name in own_members(EngineConnection) if not name.startswith("_")}
    assert set(listed("connection")) == wanted
    for connection in CONNECTIONS:
        assert wanted <= own_members(connection)


def test_an_engine_hands_on_what_is_listed() -> None:
    assert listed("argument") == list(signature(Engine.__init__).parameters)[1:]
    for engine in CLASSES:
        assert list(signature(engine.__init__).parameters)[1:] == ["sources", "schema"]


def test_engines_override_what_is_listed_and_nothing_else() -> None:
    overridden = [own_members(engine) & own_members(Engine) for engine in CLASSES]
    assert set(listed("member")) == set().union(*overridden)


def test_every_engine_has_the_files_that_are_listed() -> None:
    for engine in ENGINES:
        without = {"writer.py"} if engine == "duckdb" else set()
        files = {path.name for path in (PACKAGE / "engines" / engine).glob("*.py")}
        assert set(listed_files(RECIPE)) - without <= files


class SmallestConnection:
    """A connection that provides what is listed, and nothing else."""

    def __init__(self, rows: Any) -> None:
        self._connection = duckdb.connect()
        self._connection.register("source", rows)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(query).fetchall()

    def arrays(self, query: str) -> dict[str, Any]:
        return self._connection.execute(query).fetchnumpy()

    def bind(self, query: str) -> None:
        self._connection.execute(f"EXPLAIN {query}")

    def forget(self, query: str) -> None:
        pass

    def progress(self) -> float:
        return 0.0

    @property
    def software(self) -> tuple[str, str]:
        return "duckdb", duckdb.__version__

    def close(self) -> None:
        self._connection.close()


@pytest.fixture(scope="module")
def engines() -> Iterator[dict[str, tuple[Engine, Engine]]]:
    """DuckDB and an engine with the smallest connection, on the same odd rows, for each unit."""
    rows = frame(contract.TYPES, contract.adversarial())
    pairs = {}
    for unit in (ROW, "id"):
        connection = SmallestConnection(rows)
        smallest = Engine(connection, DUCKDB, lambda query: query.sql("duckdb"))
        pairs[unit] = DuckDB(Sources(FrameSource(rows)), schema(unit=unit)), smallest
    yield pairs
    for pair in pairs.values():
        for engine in pair:
            engine.close()


@pytest.mark.slow
def test_a_connection_with_no_more_than_that_gives_the_same_integers(engines: Any) -> None:
    assert own_members(SmallestConnection) == set(listed("connection"))
    assert {declared.unit for _, declared, _, _, _ in QUESTIONS} == set(engines)
    assert any(question.selects_keys for _, _, question, _, _ in QUESTIONS)
    for _, declared, question, blocks, cells in QUESTIONS:
        pair = engines[declared.unit]
        with pair[1].prepared(question, question.measures, question.unit):
            contract.check_alike(pair, question, blocks, cells)


def test_a_question_that_cannot_run_is_refused_by_binding_it() -> None:
    rows = frame({"id": "text"}, [("a",)])
    with closing(SmallestConnection(rows)) as connection:
        engine = Engine(connection, DUCKDB, lambda query: query.sql("duckdb"))
        question = QUESTIONS[0][2]
        with (
            pytest.raises(SourceError, match="Nothing was spent"),
            engine.prepared(question, question.measures, question.unit),
        ):
            pytest.fail("it was bound")
