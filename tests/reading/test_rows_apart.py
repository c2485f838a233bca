"""One person's row changes nobody else's reading: the holes that once let it, and their kin."""

import datetime
import struct
from collections.abc import Callable
from contextlib import closing
from math import inf, nan
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow
import pyarrow.parquet
import pytest

from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.sources import Sources, find_source
from discreet.plan.schema import Column, Schema, boolean, number, text
from discreet.question.builder import Expression, col, rows
from tests.reading.rule import NOT_UTF8
from tests.reading.stores import arrow, read_cells, texts
from tests.support.measuring import asked, integers

Writer = Callable[[pyarrow.Table, Path], object]


def _by_duckdb(table: pyarrow.Table, path: Path) -> None:
    with duckdb.connect() as made:
        made.register("given", table)
        made.execute(f"COPY (FROM given) TO '{path}' (FORMAT parquet)")


def _as_duckdb(table: pyarrow.Table, path: Path) -> None:
    with duckdb.connect(str(path)) as made:
        made.register("given", table)
        made.execute("CREATE TABLE t AS FROM given")


WRITERS: dict[str, Writer] = {
    "pyarrow": pyarrow.parquet.write_table,
    "without statistics": lambda table, path: pyarrow.parquet.write_table(
        table, path, write_statistics=False
    ),
    "small row groups": lambda table, path: pyarrow.parquet.write_table(
        table, path, row_group_size=64
    ),
    "Polars": lambda table, path: polars.from_arrow(table).write_parquet(path),
    "pandas": lambda table, path: table.to_pandas().to_parquet(path),
    "DuckDB": _by_duckdb,
    "a DuckDB table": _as_duckdb,
}


def counted(
    path: Path, column: Column, where: tuple[Expression, ...], unit: str = "row"
) -> list[int]:
    """Rows, values and, of numbers, the sum, before the noise."""
    caps = {} if unit == "row" else {"max_rows": 2, "max_groups": 1}
    schema = Schema(name="t", columns={"v": column}, unit=unit, **caps)
    outputs = {"n": rows(), "c": col("v").count()}
    if column == number(0, 100):
        outputs["s"] = col("v").sum()
    source = find_source(path, "t" if path.suffix == ".duckdb" else None)
    numbers = []
    with closing(DuckDB(Sources(source), schema)) as engine:
        for name, aggregate in outputs.items():  # each alone: together they are measured jointly
            question = asked(schema, {name: aggregate}, (), where)
            found = integers(engine, question, question.measures)
            numbers += [one for block in question.measures for one in found[block].values()]
    return numbers


@pytest.mark.parametrize("writer", WRITERS)
def test_an_infinity_beside_nan(writer: str, tmp_path: Path) -> None:
    """Files leave NaN out of their least and largest value; conditions were folded by those."""
    path = tmp_path / ("a.duckdb" if writer == "a DuckDB table" else "a.parquet")
    for where in ((), (col("v") >= 41,), (col("v") <= 50,), (col("v").is_null(),)):
        found = []
        for more in ([], [inf]):
            values = [nan] * 900 + [42.0] * 897 + more
            path.unlink(missing_ok=True)
            WRITERS[writer](pyarrow.table({"v": pyarrow.array(values, pyarrow.float64())}), path)
            found.append(counted(path, number(0, 100), where))
        before, after = found
        assert after[0] - before[0] in (0, 1)
        assert after[1] - before[1] in (0, 1)
    path.unlink()
    WRITERS[writer](pyarrow.table({"v": pyarrow.array([nan] * 9 + [42.0])}), path)
    assert counted(path, number(0, 100), ())[:2] == [10, 1]
    assert counted(path, number(0, 100), (col("v") >= 41,))[:2] == [1, 1]


@pytest.mark.parametrize("writer", WRITERS)
def test_nan_is_nobody(writer: str, tmp_path: Path) -> None:
    path = tmp_path / ("a.duckdb" if writer == "a DuckDB table" else "a.parquet")
    ids = pyarrow.array([nan] * 50 + [1.0, 2.0, -0.0, 0.0], pyarrow.float64())
    WRITERS[writer](pyarrow.table({"id": ids, "v": [5.0] * 54}), path)
    share = 1 << 30
    assert counted(path, number(0, 100), (), "id")[0] == 4 * share


def test_one_missing_value_of_pandas(tmp_path: Path) -> None:
    """It makes floats of integers, and other objects of truths."""
    path = tmp_path / "a.parquet"
    for values, column, condition in (
        ([7] * 1000, text(), col("v") == "7"),
        ([1] * 900 + [0] * 100, boolean(), col("v")),
        ([True] * 900 + [False] * 100, boolean(), col("v")),
        ([True] * 1000, text(), col("v") == "true"),
    ):
        found = []
        for more in ([], [None]):
            pyarrow.table({"v": pyarrow.array([*values, *more])}).to_pandas().to_parquet(path)
            found.append(counted(path, column, (condition,)))
        assert found[0] == found[1]
        assert found[0][0] in (900, 1000)


HOSTILE: dict[str, tuple[list[Any], list[Any]]] = {
    "float64": ([nan, 1.0, 7.0, None, 0.0], [inf, -inf, 1e300, -0.0, 5e-324]),
    "int64": ([1, 7, None, 0], [2**63 - 1, -(2**63), 2**53 + 1]),
    "string": (["7", "1", "true", None, "", "a"], ["x" * 10_000, "\0", "nan", "1e999"]),
    "timestamp[us]": (
        [datetime.datetime(2020, 1, 2, 3), None],
        [datetime.datetime.min, datetime.datetime.max],
    ),
    "date32[day]": ([datetime.date(2020, 1, 2), None], [datetime.date.min, datetime.date.max]),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_cell_changes_another(kind: str, tmp_path: Path) -> None:
    usual, hostile = HOSTILE[kind]
    path = tmp_path / "a.parquet"
    kinds = {"float64": pyarrow.float64(), "int64": pyarrow.int64(), "string": pyarrow.string()}
    kinds |= {"timestamp[us]": pyarrow.timestamp("us"), "date32[day]": pyarrow.date32()}
    pyarrow.parquet.write_table(arrow(pyarrow.array(usual, kinds[kind])), path)
    alone = read_cells(path)
    for cell in hostile:
        pyarrow.parquet.write_table(arrow(pyarrow.array([*usual, cell], kinds[kind])), path)
        beside = read_cells(path)
        del beside[len(usual)]
        assert beside == alone, cell


def test_text_that_is_not_utf8_changes_no_other(tmp_path: Path) -> None:
    path, usual = tmp_path / "a.parquet", ["a", "?", "", None, "7", "Ä", "a?b", "\ufffd"]
    pyarrow.parquet.write_table(arrow(texts(usual)), path)
    alone = read_cells(path)
    for cell in NOT_UTF8:
        pyarrow.parquet.write_table(arrow(texts([*usual, cell])), path)
        beside = read_cells(path)
        assert set(beside.pop(len(usual))) == {None}, cell
        assert beside == alone, cell


def test_what_is_not_utf8_is_asked_about_by_any_condition(tmp_path: Path) -> None:
    """Once, a question failed exactly if somebody with such a text passed its condition."""
    path = tmp_path / "a.parquet"
    table = pyarrow.table({"v": texts(["abcd"] * 500 + [b"ab\xffcd"]), "age": list(range(501))})
    for options in ({}, {"row_group_size": 100}, {"write_statistics": False}):
        pyarrow.parquet.write_table(table, path, **options)
        schema = Schema(name="t", columns={"v": text(), "age": number(0, 600)})
        for least in (0, 499, 500, 600):
            long = (col("age") >= least, col("v").length() > 3)
            question = asked(schema, {"n": rows()}, (), long)
            with closing(DuckDB(Sources(find_source(path)), schema)) as engine:
                (found,) = integers(engine, question, question.measures).values()
            assert found[0] == max(500 - least, 0)


@pytest.mark.slow
def test_a_file_that_lies_about_its_least_and_largest_values_is_read_all_the_same(
    tmp_path: Path,
) -> None:
    path = tmp_path / "planted.parquet"
    values = pyarrow.array([9.0 if place % 2 else 1.0 for place in range(2000)])
    pyarrow.parquet.write_table(pyarrow.table({"v": values}), path, row_group_size=500)
    written = path.read_bytes()
    footer = len(written) - 8 - struct.unpack("<I", written[-8:-4])[0]
    told = written[footer:].replace(struct.pack("<d", 9.0), struct.pack("<d", 3.0))
    path.write_bytes(written[:footer] + told)
    with duckdb.connect() as plain:  # the control: what is planted is believed elsewhere
        found = plain.execute(f"SELECT COUNT(*) FROM '{path}' WHERE v > 5").fetchall()
    assert found == [(0,)]
    for where, rows_left in (((), 2000), ((col("v") > 5,), 1000), ((col("v") <= 5,), 1000)):
        assert counted(path, number(0, 100), where)[0] == rows_left
