"""Before and while rows are read: binding, progress, and processes that were forked."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.sources import find
from discreet.errors import SourceError
from discreet.plan.build import col, people, rows
from discreet.plan.check import Question
from discreet.plan.columns import category, number, text
from discreet.plan.schema import Schema
from tests.engines.duckdb.measuring import asked

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


@pytest.mark.parametrize("key", ["ward", "tag"])
def test_a_question_is_bound_without_reading_a_row(tmp_path: Path, key: str) -> None:
    engine = DuckDB(find(stored(tmp_path / "t.parquet")), SCHEMA)
    engine.prepare(question(key), question(key).blocks)
    engine.close()


def test_a_source_that_has_lost_a_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    engine = DuckDB(find(stored(path)), SCHEMA)
    pyarrow.parquet.write_table(pyarrow.table({"id": [1, 2]}), path)
    with pytest.raises(SourceError, match="Nothing was spent"):
        engine.prepare(question(), question().blocks)
    engine.close()


def test_progress_is_a_part_of_one_and_ends_at_one(tmp_path: Path) -> None:
    engine = DuckDB(find(stored(tmp_path / "t.parquet")), SCHEMA)
    assert 0 <= engine.progress() <= 1
    engine.measure(question(), question().blocks)
    assert engine.progress() == 1
    engine.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_opens_the_source_again(tmp_path: Path) -> None:
    """And leaves what the other one has put aside."""
    engine = DuckDB(find(stored(tmp_path / "t.parquet")), SCHEMA)
    before = engine.measure(question(), question().blocks)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            again = engine.measure(question(), question().blocks)
            same = all(
                list(again.sums[block].open()) == list(before.sums[block].open())
                for block in before.sums
            )
            os.write(writing, b"same" if same else b"other")
            engine.close()
        finally:
            os._exit(0)
    os.close(writing)
    assert os.read(reading, 10) == b"same"
    assert os.waitpid(child, 0)[1] == 0
    engine.measure(question(), question().blocks)
    engine.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_python_ends_well_in_a_forked_process_that_never_asks(tmp_path: Path) -> None:
    path = stored(tmp_path / "t.parquet")
    code = f"""
import os, sys
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.duckdb.sources import find
from discreet.plan.schema import Schema
engine = DuckDB(find({path!r}), Schema(name="t", columns={{}}))
child = os.fork()
if child:
    sys.exit(os.waitpid(child, 0)[1])
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert ran.returncode == 0
