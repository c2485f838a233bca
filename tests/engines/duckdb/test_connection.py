"""Before and while rows are read: binding, progress, and processes that were forked."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from sqlglot import parse_one

from discreet.engines.base import Measurements
from discreet.engines.duckdb.connection import DuckDBConnection
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.sources import Sources, TableView, find_source
from discreet.errors import SourceError
from discreet.measures.measure import Measure
from discreet.plan.schema import Schema, category, number, text
from discreet.question.builder import col, people, rows
from discreet.question.check import Question
from tests.support.measuring import asked

SCHEMA = Schema(
    name="t",
    unit="id",
    columns={"ward": category(["a", "b"]), "tag": text(), "x": number(0, 10)},
    max_rows=2,
    max_groups=1,
)


def question(key: str = "ward") -> Question:
    asking = {"n": people(), "r": rows(), "s": col("x").sum(), "m": col("x").median()}
    return asked(SCHEMA, asking, (key,))


def stored(path: Path) -> str:
    given = {"id": [1, 2], "ward": ["a", "b"], "tag": ["c", "d"], "x": [1.0, 2.0]}
    pyarrow.parquet.write_table(pyarrow.table(given), path)
    return str(path)


def names(engine: DuckDB) -> list[str]:
    """The queries that are bound on an engine's connection."""
    found = engine._connection.rows("SELECT name FROM duckdb_prepared_statements()")
    return [str(name) for (name,) in found]


def sums(measured: Measurements) -> dict[Measure, list[int]]:
    """Of what is summed; places in order are compared elsewhere."""
    return {
        measure: list(vector.open())
        for measure, vector in measured.of.items()
        if not isinstance(vector, tuple)
    }


@pytest.mark.parametrize("key", ["ward", "tag"])
def test_a_question_is_bound_without_reading_a_row(tmp_path: Path, key: str) -> None:
    engine = DuckDB(Sources(find_source(stored(tmp_path / "t.parquet"))), SCHEMA)
    with engine.prepared(question(key), question(key).measures, question(key).unit):
        assert names(engine)
    engine.close()


@pytest.mark.parametrize("key", ["ward", "tag"])
def test_what_is_bound_runs_as_it_was_bound_and_is_then_forgotten(tmp_path: Path, key: str) -> None:
    engine = DuckDB(Sources(find_source(stored(tmp_path / "t.parquet"))), SCHEMA)
    asking, cells = question(key), None if key == "ward" else [("c",), ("d",)]
    unbound = engine.measure(asking, asking.measures, cells, asking.unit)
    for _ in range(3):
        with engine.prepared(asking, asking.measures, asking.unit):
            prepared = names(engine)
            assert prepared
            bound = engine.measure(asking, asking.measures, cells, asking.unit)
            assert sums(bound) == sums(unbound)
            # What was bound for a made-up group is never run.
            assert len(names(engine)) == (0 if cells is None else len(prepared))
        assert names(engine) == []
    engine.close()


def test_what_was_bound_and_never_run_is_given_back(tmp_path: Path) -> None:
    """Also of a question whose last query cannot be bound, or that is refused afterwards."""
    engine = DuckDB(Sources(find_source(stored(tmp_path / "t.parquet"))), SCHEMA)
    asking = question()
    prepared = engine.prepared(asking, asking.measures, asking.unit)
    with pytest.raises(ZeroDivisionError, match="bound"), prepared:
        raise ZeroDivisionError(names(engine))  # as a charge that is refused
    assert names(engine) == []
    known, unknown = (parse_one(f"SELECT {name} FROM source") for name in ("x", "missing"))
    with (
        pytest.raises(SourceError, match="Nothing was spent"),
        engine.prepared_queries([known, known, unknown]),
    ):
        pytest.fail("it was bound")
    assert names(engine) == []
    engine.close()


def test_a_bound_query_that_fails_is_forgotten_too(tmp_path: Path) -> None:
    connection = DuckDBConnection(TableView(find_source(stored(tmp_path / "t.parquet"))))
    failing = "SELECT CAST(ward AS INT) FROM source"
    connection.bind(failing)
    for _ in range(2):
        with pytest.raises(Exception, match="INT32"):
            connection.rows(failing)
    assert connection.rows("SELECT name FROM duckdb_prepared_statements()") == []
    connection.close()


def test_threads_that_ask_over_one_connection_never_mix_questions(tmp_path: Path) -> None:
    connection = DuckDBConnection(TableView(find_source(stored(tmp_path / "t.parquet"))))

    def ask(place: int) -> bool:
        query = f"SELECT {place % 5} FROM source"
        connection.bind(query)
        return connection.rows(query) == [(place % 5,)] * 2

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(ask, range(200)))
    assert connection.rows("SELECT name FROM duckdb_prepared_statements()") == []
    connection.close()


def test_a_source_that_has_lost_a_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    engine = DuckDB(Sources(find_source(stored(path))), SCHEMA)
    pyarrow.parquet.write_table(pyarrow.table({"id": [1, 2]}), path)
    with (
        pytest.raises(SourceError, match="Nothing was spent"),
        engine.prepared(question(), question().measures, question().unit),
    ):
        pytest.fail("it was bound")
    engine.close()


def test_a_file_whose_header_has_changed_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,x\n1,2\n")
    connection = DuckDBConnection(TableView(find_source(path), {"x": number(0, 10)}, "id"))
    query = "SELECT x FROM source"
    connection.bind(query)
    assert connection.rows(query) == [(2.0,)]
    path.write_text("x,id\n1,2\n")  # what was the id is now read as x
    for ask in (connection.rows, connection.arrays, connection.bind):
        with pytest.raises(ValueError, match="not as they were opened"):
            ask(query)
    path.write_text("id,x\n1,3\n")
    assert connection.rows(query) == [(3.0,)]
    connection.close()


def test_what_was_read_while_the_header_changed_is_not_handed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,x\n1,2\n")
    connection = DuckDBConnection(TableView(find_source(path), {"x": number(0, 10)}, "id"))
    once = connection._once

    def meanwhile(*arguments: Any, **named: Any) -> Any:
        path.write_text("x,id\n1,2\n")
        return once(*arguments, **named)

    monkeypatch.setattr(connection, "_once", meanwhile)
    with pytest.raises(ValueError, match="not as they were opened"):
        connection.rows("SELECT x FROM source")
    connection.close()


def test_progress_is_a_part_of_one_and_ends_at_one(tmp_path: Path) -> None:
    engine = DuckDB(Sources(find_source(stored(tmp_path / "t.parquet"))), SCHEMA)
    assert 0 <= engine.progress() <= 1
    engine.measure(question(), question().measures, None, question().unit)
    assert engine.progress() == 1
    engine.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_opens_the_source_again(tmp_path: Path) -> None:
    """And leaves what the other one has put aside, or bound."""
    engine = DuckDB(Sources(find_source(stored(tmp_path / "t.parquet"))), SCHEMA)
    asking = question()
    before = engine.measure(asking, asking.measures, None, asking.unit)
    with engine.prepared(asking, asking.measures, asking.unit):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                again = engine.measure(asking, asking.measures, None, asking.unit)
                os.write(writing, b"same" if sums(again) == sums(before) else b"other")
                engine.close()
            finally:
                os._exit(0)
        os.close(writing)
    assert os.read(reading, 10) == b"same"
    assert os.waitpid(child, 0)[1] == 0
    assert sums(engine.measure(asking, asking.measures, None, asking.unit)) == sums(before)
    engine.close()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_python_ends_well_in_a_forked_process_that_never_asks(tmp_path: Path) -> None:
    path = stored(tmp_path / "t.parquet")
    code = f"""
import os, sys
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.sources import Sources, find_source
from discreet.plan.schema import Schema
engine = DuckDB(Sources(find_source({path!r})), Schema(name="t", columns={{}}))
child = os.fork()
if child:
    sys.exit(os.waitpid(child, 0)[1])
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert ran.returncode == 0
