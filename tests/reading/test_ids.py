"""Whose row it is: by the id's own cell, the same in one table and in several that are joined."""

import datetime
from decimal import Decimal
from math import inf, nan
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pyarrow
import pyarrow.parquet
import pytest

import discreet as dp
from discreet.plan.schema import NumberColumn
from tests.reading.rule import BYTES, DECIMALS, FLOATS, INTEGERS, NOT_UTF8, TEXTS, ZONED, read_id
from tests.reading.stores import csv_file, json_file, read_back, texts

IDS: dict[str, tuple[Any, list[Any]]] = {
    "integers": (pyarrow.int64(), INTEGERS),
    "floats": (pyarrow.float64(), FLOATS),
    "decimals": (pyarrow.decimal128(5, 2), DECIMALS),
    "texts": (pyarrow.string(), TEXTS),
    "bytes": (pyarrow.binary(), [*BYTES, *NOT_UTF8]),
    "truths": (pyarrow.bool_(), [True, False, None]),
    "moments": (pyarrow.timestamp("us", "UTC"), ZONED),
    "dates": (pyarrow.date32(), [datetime.date(2020, 1, 2), None]),
}


def stored(path: Path, array: Any, **more: Any) -> str:
    table = {"id": array, "place": list(range(len(array))), **more}
    pyarrow.parquet.write_table(pyarrow.table(table), path)
    return str(path)


@pytest.mark.parametrize("name", IDS)
def test_an_id_is_its_own_cell(name: str, tmp_path: Path) -> None:
    kind, cells = IDS[name]
    path = stored(tmp_path / "a.parquet", pyarrow.array(cells, kind))
    found = dict(read_back(path, {"place": NumberColumn()}, "id"))
    for place, cell in enumerate(cells):
        whose, wanted = found[place], read_id(cell)
        assert (None if whose is None else str(whose)) == wanted, cell


def test_ids_that_are_not_utf8_are_nobody(tmp_path: Path) -> None:
    path = stored(tmp_path / "a.parquet", texts([*NOT_UTF8, "a", "?"]))
    whose = [one for _, one in read_back(path, {"place": NumberColumn()}, "id")]
    assert whose == [None] * len(NOT_UTF8) + ["a", "?"]


def test_ids_of_a_duckdb_table(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    ids = {"h": f"{2**127 - 1}::HUGEINT", "u": f"'{UUID(int=255)}'::UUID"}
    with duckdb.connect(str(path)) as made:
        for table, id_ in (ids | {"l": "[7]", "t": "TIME '01:00'"}).items():
            made.execute(f"CREATE TABLE {table} AS SELECT 0 AS place, {id_} AS id")
    for table, cell in (("h", 2**127 - 1), ("u", UUID(int=255))):
        ((_, whose),) = read_back(path, {"place": NumberColumn()}, "id", table)
        assert str(whose) == read_id(cell)
    for table in ("l", "t"):
        with pytest.raises(dp.SourceError, match="Ids are compared"):
            read_back(path, {"place": NumberColumn()}, "id", table)


SEVENS: dict[str, Any] = {
    "int64": pyarrow.array([7, 8, None], pyarrow.int64()),
    "uint8": pyarrow.array([7, 8, None], pyarrow.uint8()),
    "float64": pyarrow.array([7.0, 8.0, nan], pyarrow.float64()),
    "float32": pyarrow.array([7.0, 8.0, nan], pyarrow.float32()),
    "decimal": pyarrow.array([Decimal("7.00"), Decimal("8.00"), None], pyarrow.decimal128(9, 2)),
    "string": pyarrow.array(["7", "8", None]),
}


def joined(first: str, second: str) -> int:
    """How many rows of two tables are of the same person."""
    table = dp.table(
        first,
        name="visits",
        unit="id",
        max_rows=1,
        max_groups=1,
        budget=dp.Budget(epsilon=1),
        columns={"place": dp.number(0, 9)},
        private={"others": dp.beside(second, columns={"place": dp.number(0, 9)}, max_rows=1)},
        ledger=":memory:",
    )
    with table:
        text = "SELECT COUNT(*) AS n FROM visits AS v JOIN others AS o ON v.id = o.id"
        question = table.ask(text).plan(epsilon=1).question
        measured = table.engine().measure(question, question.measures, None, question.unit)
    (vector,) = measured.of.values()
    return round(int(vector.open()[0]) / (1 << 30))


@pytest.mark.slow
def test_the_same_person_in_tables_of_different_types(tmp_path: Path) -> None:
    paths = {name: stored(tmp_path / f"{name}.parquet", ids) for name, ids in SEVENS.items()}
    paths["csv"] = str(tmp_path / "a.csv")
    Path(paths["csv"]).write_text("id,place\n7,0\n8,1\n,2\n")
    paths["json"] = str(tmp_path / "a.jsonl")
    Path(paths["json"]).write_text(
        '{"id": 7.0, "place": 0}\n{"id": "8", "place": 1}\n{"place": 2}\n'
    )
    for first in ("int64", "float64", "csv"):
        for second, path in paths.items():
            if first != second:
                assert joined(paths[first], path) == 2, (first, second)


def test_bytes_are_no_texts(tmp_path: Path) -> None:
    one = stored(tmp_path / "a.parquet", pyarrow.array([b"7", b"8"], pyarrow.binary()))
    two = stored(tmp_path / "b.parquet", pyarrow.array(["7", "8"]))
    with pytest.raises(dp.SourceError, match="different types"):
        joined(one, two)
    three = stored(tmp_path / "c.parquet", pyarrow.array([b"8", b"\xff"], pyarrow.binary()))
    assert joined(one, three) == 1


def test_no_id_is_infinite_by_chance(tmp_path: Path) -> None:
    """Numbers that floats do not tell apart stay apart where they are integers or texts."""
    ids = [2**53, 2**53 + 1, 2**63 - 1, 2**63 - 2]
    path = stored(tmp_path / "a.parquet", pyarrow.array(ids, pyarrow.int64()))
    assert len({whose for _, whose in read_back(path, {"place": NumberColumn()}, "id")}) == 4
    path = stored(tmp_path / "b.parquet", pyarrow.array([inf, -inf, 1e308], pyarrow.float64()))
    whose = {one for _, one in read_back(path, {"place": NumberColumn()}, "id")}
    assert whose == {"inf", "-inf", "1e+308"}


def test_text_files(tmp_path: Path) -> None:
    cells = ["7", "7.0", "a", None]
    path = csv_file(cells, tmp_path / "a.csv")
    assert [one for _, one in read_back(path, {"place": NumberColumn()}, "c0")] == cells
    path = json_file([7, 7.0, "7.0", True, None], tmp_path / "a.jsonl")
    found = [one for _, one in read_back(path, {"place": NumberColumn()}, "c0")]
    assert found == ["7", "7", "7.0", "true", None]
