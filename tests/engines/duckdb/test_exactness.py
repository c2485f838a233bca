"""The same table gives the same integers on any number of threads, in any order and format."""

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

from discreet.engines.duckdb import connection
from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.sources import Sources, find_source
from discreet.errors import SourceError, UnansweredError
from discreet.plan.schema import Schema, boolean, category, number, text
from discreet.privacy.sensitivity import Neighbors
from discreet.question.builder import col, people, rows
from discreet.question.check import Question
from tests.support.measuring import Vector, asked, integers

DECLARED = Schema(
    name="t",
    columns={
        "x": number(-3, 7.5),
        "ward": category(["A", "B", "it's"]),
        "flag": boolean(),
        "tag": text(),
    },
    unit="id",
    max_rows=3,
    max_groups=2,
)


def plain(size: int = 20_000) -> pyarrow.Table:
    """Values that every format can hold: no NaN, which pandas calls missing, and no odd texts."""
    draw = np.random.default_rng(7)
    x = draw.normal(2, 5, size).tolist()
    return pyarrow.table(
        {
            "id": [f"p{place}" for place in draw.integers(0, size // 4, size)],
            "x": [None if place % 11 == 0 else x[place] for place in range(size)],
            "ward": [("A", "B", "it's", "elsewhere", None)[place % 5] for place in range(size)],
            "flag": [(True, False, None)[place % 3] for place in range(size)],
            "tag": [f'tag "{place % 97}", quoted' for place in range(size)],
        }
    )


def question(declared: Schema = DECLARED) -> Question:
    outputs = {"n": rows(), "u": people(), "v": col("x").var(), "q": col("x").median()}
    outputs |= {"d": col("tag").n_unique(), "t": col("flag").mean(), "c": col("tag").count()}
    return asked(declared, outputs, ("ward",), [(col("x") < 6) | col("flag")])


def measured(source: Any, table: str | None = None) -> list[Vector]:
    engine = DuckDB(Sources(find_source(source, table)), DECLARED)
    try:
        return list(integers(engine, question(), question().measures).values())
    finally:
        engine.close()


@pytest.fixture(scope="module")
def expected() -> list[Vector]:
    return measured(plain())


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_threads_change_nothing(
    threads: int, expected: list[Vector], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connection._CONFIGURATION, "threads", str(threads))
    assert measured(plain()) == expected


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_order_of_rows_changes_nothing(seed: int, expected: list[Vector]) -> None:
    order = np.random.default_rng(seed).permutation(plain().num_rows)
    assert measured(plain().take(pyarrow.array(order))) == expected


def test_a_row_less_is_told_apart(expected: list[Vector]) -> None:
    """Negative control."""
    assert measured(plain().slice(1)) != expected


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "jsonl", "duckdb", "pandas", "polars"])
def test_every_format_gives_the_same_integers(
    form: str, expected: list[Vector], tmp_path: Path
) -> None:
    table, path = plain(), tmp_path / f"t.{form}"
    source: Any = str(path)
    name = None
    if form in ("csv", "tsv"):
        table.to_pandas().to_csv(path, index=False, sep="," if form == "csv" else "\t")
    elif form == "parquet":
        pyarrow.parquet.write_table(table, path, row_group_size=1000)
    elif form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()), "utf-8")
    elif form == "duckdb":
        name = "visits"
        with duckdb.connect(str(path)) as file:
            file.register("frame", table)
            file.execute("CREATE TABLE visits AS SELECT * FROM frame")
    else:
        source = table.to_pandas() if form == "pandas" else polars.from_arrow(table)
    assert measured(source, name) == expected


def test_several_files_are_one_table(expected: list[Vector], tmp_path: Path) -> None:
    for place in range(3):
        part = plain().slice(place * 7000, 7000)
        pyarrow.parquet.write_table(part, tmp_path / f"{place}.parquet")
    assert measured(str(tmp_path / "*.parquet")) == expected


# ---------------------------------------------------------------------- one odd record in a file

NUMBERS = Schema(name="t", columns={"x": number(0, 10)})


def total(path: Path, text: str | bytes) -> int:
    """The sum of a file's column x in steps."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    engine = DuckDB(Sources(find_source(str(path))), NUMBERS)
    asks = asked(NUMBERS, {"s": col("x").sum()})
    try:
        return next(iter(integers(engine, asks, asks.measures).values()))[0]
    finally:
        engine.close()


@pytest.mark.parametrize("odd", ["abc", "true", "1e", "#4"])
def test_a_text_in_a_column_of_numbers_is_missing_in_a_csv_file(odd: str, tmp_path: Path) -> None:
    clean = total(tmp_path / "a.csv", "x,y\n4,1\n,1\n")
    assert total(tmp_path / "b.csv", f"x,y\n4,1\n{odd},1\n") == clean


@pytest.mark.parametrize("odd", ["", "nan", "NaN"])
def test_an_empty_field_or_nan_is_missing_in_a_csv_file(odd: str, tmp_path: Path) -> None:
    clean = total(tmp_path / "a.csv", "x,y\n4,1\n")
    assert total(tmp_path / "b.csv", f"x,y\n4,1\n{odd},1\n") == clean


@pytest.mark.parametrize("odd", ['"abc"', "null", '"nan"', '"true"', "[1]", '{"a": 1}'])
def test_what_is_no_number_is_missing_in_json_lines(odd: str, tmp_path: Path) -> None:
    clean = total(tmp_path / "a.jsonl", '{"x": 4}\n')
    assert total(tmp_path / "b.jsonl", f'{{"x": 4}}\n{{"x": {odd}}}\n') == clean


def test_one_line_of_json_that_is_no_object_changes_no_other_line(tmp_path: Path) -> None:
    lines = '{"x": 4}\n' * 100
    assert total(tmp_path / "b.jsonl", lines + "5\n") >= total(tmp_path / "a.jsonl", lines)


def test_a_broken_line_of_json_is_not_seen_before_the_charge(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"x": 4}\n{"x":\n{"x": 4}\n')
    DuckDB(Sources(find_source(str(path))), NUMBERS).close()


def test_a_broken_row_of_csv_is_not_seen_before_the_charge(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"x,y\n1,\xe9\n")
    DuckDB(Sources(find_source(str(path))), NUMBERS).close()


def test_a_line_break_in_quotes_is_part_of_a_value(tmp_path: Path) -> None:
    assert total(tmp_path / "a.csv", 'x,y\n4,"a\nb"\n') == total(tmp_path / "b.csv", "x,y\n4,a\n")


def test_a_column_without_a_name_is_left_alone(tmp_path: Path) -> None:
    assert total(tmp_path / "a.csv", ",x\n0,4\n") == total(tmp_path / "b.csv", "x\n4\n")


def test_a_broken_file_is_one_constant_error(tmp_path: Path) -> None:
    errors = set()
    for number_, body in enumerate(['x,y\n4,"a\n', "x,y\n1,2,3\n", 'x,y\n9,"secret']):
        with pytest.raises(UnansweredError) as found:
            total(tmp_path / f"{number_}.csv", body)
        errors.add(str(found.value))
        assert found.value.__cause__ is None
        assert found.value.__context__ is None
    assert len(errors) == 1
    assert "secret" not in errors.pop()


def test_a_row_whose_id_is_nan_has_no_id_in_any_frame() -> None:
    declared = Schema(name="t", columns={"x": number(0, 10)}, unit="id", max_rows=3)
    asks = asked(declared, {"n": rows()})
    found = []
    frame = {"id": [1.0, float("nan"), float("nan")], "x": [1.0, 1.0, 1.0]}
    for source in (pandas.DataFrame(frame), pyarrow.table(frame), polars.DataFrame(frame)):
        engine = DuckDB(Sources(find_source(source)), declared)
        found.append(integers(engine, asks, asks.measures))
        engine.close()
    assert found[0] == found[1] == found[2]


def test_opening_compares_names_only() -> None:
    with pytest.raises(SourceError, match="not in the data"):
        DuckDB(Sources(find_source(pyarrow.table({"y": [1]}))), NUMBERS)


def test_a_public_number_of_rows_is_the_number_of_lines(tmp_path: Path) -> None:
    declared = Schema(name="t", columns={"x": number(0, 10)}, neighbors=Neighbors.REPLACE)
    asks = asked(declared, {"m": col("x").mean()})
    for body in ("x\n1\n\n3\n", 'x\n1\n""\n3\n', "x\n1\nnan\n3\n"):
        path = tmp_path / "a.csv"
        path.write_text(body)
        engine = DuckDB(Sources(find_source(str(path))), declared)
        assert engine.measure(asks, asks.measures, None, asks.unit).rows == 3
        engine.close()
