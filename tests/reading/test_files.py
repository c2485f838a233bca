"""Every cell of every kind of file is read by the rule, whatever wrote it, in every layout."""

import datetime
import gzip
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.sources import Sources, find_source
from discreet.errors import SourceError
from discreet.plan.schema import NumberColumn, Schema, TextColumn
from discreet.question.query import Scan
from discreet.sql.write.rows import short_names, source_rows
from tests.reading import rule
from tests.reading.stores import (
    PLACE,
    arrow,
    check_cells,
    csv_file,
    duckdb_file,
    in_json,
    json_file,
    moments,
    other_writers,
    parquet_files,
    read_back,
    read_cells,
    stored_moment,
    texts,
)

Made = tuple[pyarrow.Array, Sequence[Any]]


def made(cells: Sequence[Any], kind: pyarrow.DataType) -> Made:
    return pyarrow.array(cells, kind), cells


def invalid(cells: Sequence[Any], kind: Any = None) -> Made:
    return texts(cells, kind), cells


EDGES = [0, 1, -1, 10**15, 2**62, -(2**62), 2**63 - 1, -(2**63) + 1, 253402300799 * 10**6]
EDGES += [253402300800 * 10**6 - 1, 253402300800 * 10**6, -62135596800 * 10**6]
EDGES += [-62135596800 * 10**6 - 1, 2**63 - 2, -(2**63)]


def moment_cells(unit: str, zone: str | None = None) -> Made:
    """Moments within and outside of the calendar; those of a zone are texts with +00."""
    cells: list[Any] = [
        None if number == -(2**63) else stored_moment(number, unit) for number in EDGES
    ]
    if zone is not None:
        cells = [
            None
            if cell is None or not rule._in_calendar(cell)
            else cell.astype("datetime64[us]").item().replace(tzinfo=datetime.UTC)
            for cell in cells
        ]
    return moments(EDGES, unit, zone), cells


SMALL = [None, 0, 1, 7, 100]
WORDS: list[Any] = [cell for cell in rule.TEXTS if cell is not None]
ARROW: dict[str, Callable[[], Made]] = {
    "int64": lambda: made(rule.INTEGERS, pyarrow.int64()),
    "int8": lambda: made(SMALL, pyarrow.int8()),
    "uint16": lambda: made(SMALL, pyarrow.uint16()),
    "uint64": lambda: made([*SMALL, 2**64 - 1, 2**53 + 1], pyarrow.uint64()),
    "float64": lambda: made(rule.FLOATS, pyarrow.float64()),
    "float32": lambda: made(rule.SMALL_FLOATS, pyarrow.float32()),
    "decimal": lambda: made(rule.DECIMALS, pyarrow.decimal128(5, 2)),
    "wide decimal": lambda: made(rule.WIDE_DECIMALS, pyarrow.decimal128(38, 10)),
    "bool": lambda: made(rule.BOOLEANS, pyarrow.bool_()),
    "string": lambda: made(rule.TEXTS, pyarrow.string()),
    "dictionary": lambda: (pyarrow.array(rule.TEXTS).dictionary_encode(), rule.TEXTS),
    "binary": lambda: made([*rule.BYTES, *rule.NOT_UTF8], pyarrow.binary()),
    "date32": lambda: made(rule.DATES, pyarrow.date32()),
    "timestamp us": lambda: moment_cells("us"),
    "timestamp ns": lambda: moment_cells("ns"),
    "timestamp us with a zone": lambda: moment_cells("us", "UTC"),
    "moments": lambda: made(rule.MOMENTS, pyarrow.timestamp("us")),
    "moments in ms": lambda: made(
        [None, *(m.replace(microsecond=500_000) for m in rule.MOMENTS if m)],
        pyarrow.timestamp("ms"),
    ),
    "zoned": lambda: made(rule.ZONED, pyarrow.timestamp("us", "Asia/Tokyo")),
}
ONLY_ARROW: dict[str, Callable[[], Made]] = {
    "not UTF-8": lambda: invalid([*rule.NOT_UTF8, *rule.TEXTS]),
    "not UTF-8, large": lambda: invalid([*rule.NOT_UTF8, "ok", "?", "a?b"], pyarrow.large_string()),
    "float16": lambda: made(
        [None, *map(np.float16, ["nan", "inf", "7", "-0.0", "0.1", "65504"])], pyarrow.float16()
    ),
    "null": lambda: made([None, None, None], pyarrow.null()),
    "list": lambda: ([[7], None, []], [None] * 3),  # type: ignore[return-value,dict-item]
    "struct": lambda: ([{"a": 7}, None], [None] * 2),  # type: ignore[return-value,dict-item]
    "time": lambda: (
        pyarrow.array(
            [0, 30_659_999_999, 86_399_999_999, 86_400_000_000, None], pyarrow.int64()
        ).view(pyarrow.time64("us")),
        [datetime.time(0), datetime.time(8, 30, 59), datetime.time.max, None, None],
    ),
    "dates beyond the calendar": lambda: (
        pyarrow.array([2**31 - 1, -(2**31), -(2**31) + 1, 2932896, 2932897, -719162, -719163])
        .cast(pyarrow.int32())
        .view(pyarrow.date32()),
        [None, None, None, datetime.date.max, None, datetime.date.min, None],
    ),
}


@pytest.mark.parametrize("name", [*ARROW, *ONLY_ARROW])
def test_parquet(name: str, tmp_path: Path) -> None:
    array, cells = (ARROW | ONLY_ARROW)[name]()
    if isinstance(array, list):
        array = pyarrow.array(array)
    for layout, path in parquet_files(arrow(array), tmp_path):
        check_cells(read_cells(path), cells, f"{name}, {layout}")


def test_the_old_timestamps_of_parquet(tmp_path: Path) -> None:
    """Spark and Impala wrote moments as days and nanoseconds in 96 bits."""
    path = tmp_path / "a.parquet"
    table = arrow(pyarrow.array(rule.MOMENTS, pyarrow.timestamp("us")))
    pyarrow.parquet.write_table(table, path, use_deprecated_int96_timestamps=True)
    check_cells(read_cells(path), rule.MOMENTS, "96 bits")


@pytest.mark.slow
@pytest.mark.parametrize("name", ARROW)
def test_parquet_of_other_writers(name: str, tmp_path: Path) -> None:
    array, cells = ARROW[name]()
    table, odd = arrow(array), name.startswith("timestamp")
    if odd or name in ("moments", "zoned"):  # others have no such moments
        cells = [cell for cell in cells if cell is not None][:2]
        table = arrow(pyarrow.array(cells, table.schema.field("c0").type))
    if name == "dictionary":
        table = arrow(array.cast(pyarrow.string()))
    for writer, path in other_writers(table, tmp_path):
        if writer == "pandas" and None in cells and name.startswith(("int", "uint", "moments in")):
            continue  # pandas makes floats of them, which are other cells
        check_cells(read_cells(path), cells, f"{name}, {writer}")


def test_pandas_makes_floats_of_integers_with_one_missing(tmp_path: Path) -> None:
    """And they are read as the integers were, up to 2^53."""
    cells = [cell for cell in rule.INTEGERS if cell is None or abs(cell) <= 2**53]
    path = tmp_path / "a.parquet"
    arrow(pyarrow.array(cells, pyarrow.int64())).to_pandas().to_parquet(path)
    check_cells(read_cells(path), cells, "pandas")


def test_csv(tmp_path: Path) -> None:
    cells = [cell for cell in rule.TEXTS if cell is None or "\0" not in cell]
    wanted = [None if cell == "" else cell for cell in cells]
    check_cells(read_cells(csv_file(cells, tmp_path / "a.csv")), wanted, "CSV")


def test_csv_that_is_not_utf8(tmp_path: Path) -> None:
    """Only the cells that are none are missing; every byte is tried, and texts of several bytes."""
    cells: list[bytes] = [bytes([byte]) for byte in range(1, 256) if byte not in b'"\r\n,']
    cells += [b"a" + bytes([byte]) + b"z" for byte in range(128, 256)]
    cells += rule.NOT_UTF8
    cells += [cell.encode() for cell in WORDS if not set(cell) & set('\0",\n\r') and cell]
    path = tmp_path / "a.csv"
    names = [PLACE, *(f"c{copy}" for copy in range(len(rule.DECLARED)))]
    lines = [",".join(names).encode()]
    for place, cell in enumerate(cells):
        lines.append(b",".join([str(place).encode(), *[cell] * len(rule.DECLARED)]))
    path.write_bytes(b"\n".join(lines) + b"\n")
    check_cells(read_cells(path), cells, "CSV that is not UTF-8")


def test_csv_that_is_not_utf8_compressed_and_changed(tmp_path: Path) -> None:
    """A private character that marks bad bytes in a copy is itself read as it is."""
    path = tmp_path / "a.csv.gz"
    schema = Schema(name="t", columns={"c": TextColumn(), PLACE: NumberColumn()})
    names = short_names(schema.columns, schema.columns)
    rows = source_rows(Scan(None), schema, names)
    with gzip.open(path, "wb") as file:
        file.write(b"place,c\n0,\xff\n1,ok\n2,\xee\x80\x80" + b"1\n3,\xee\x80\x80" + b"0\n")
    with closing(DuckDB(Sources(find_source(path)), schema)) as engine:
        found = sorted(engine.guarded_rows(rows), key=lambda row: row[1])
        assert [row[0] for row in found] == [None, "ok", "\ue0001", "\ue0000"]
        with gzip.open(path, "wb") as file:
            file.write("place,c\n0,é\n".encode())
        assert [row[0] for row in engine.guarded_rows(rows)] == ["é"]


@pytest.mark.parametrize("damage", [slice(12, 30), slice(15, None), slice(0, 4)])
def test_csv_whose_compression_is_damaged(tmp_path: Path, damage: slice) -> None:
    whole = bytearray(gzip.compress(b"place,c\n" + b"0,ok\n" * 1000))
    whole[damage] = b"\xff" * (18 if damage.stop == 30 else 0)
    (tmp_path / "a.csv.gz").write_bytes(whole)
    with pytest.raises(SourceError, match="the first line of 'a"):
        find_source(tmp_path / "a.csv.gz")


def test_csv_with_blanks_quotes_and_line_breaks(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    names = [PLACE, *(f"c{copy}" for copy in range(len(rule.DECLARED)))]
    stored = ["7", '"7"', " 7", '"a""b"', '""', "", '"a\nb"', '"a,b"', "NULL", "é"]
    wanted = ["7", "7", " 7", 'a"b', None, None, "a\nb", "a,b", "NULL", "é"]
    for ending, mark in (("\n", ""), ("\r\n", "\ufeff")):
        lines = [
            f"{place}," + ",".join([cell] * len(rule.DECLARED)) for place, cell in enumerate(stored)
        ]
        path.write_bytes((mark + ending.join([",".join(names), *lines, ""])).encode())
        check_cells(read_cells(path), wanted, "CSV")


def test_json_lines(tmp_path: Path) -> None:
    every = [*rule.INTEGERS, *rule.FLOATS, *rule.BOOLEANS, *rule.TEXTS, *rule.HUGE]
    cells: list[Any] = [cell for cell in every if in_json(cell)] + [[7], {"a": 7}, []]
    check_cells(read_cells(json_file(cells, tmp_path / "a.jsonl")), cells, "JSON lines")


def test_json_lines_that_are_odd(tmp_path: Path) -> None:
    """A line that is no object, or no JSON, has no values and changes no other."""
    path = json_file(["a", 7, 7.0], tmp_path / "a.jsonl")
    copies = b", ".join(b'"c%d": %%s' % copy for copy in range(len(rule.DECLARED)))
    odd = [b'{"place": 3, ' + copies.replace(b"%s", b'"\xff"') + b"}", b"[1]", b"nonsense", b"7"]
    odd += [b'{"place": 4, ' + copies.replace(b"%s", b"1e400") + b"}"]
    odd += [b'{"place": 5, ' + copies.replace(b"%s", b'"\\ud800"') + b"}", b'{"place": 6}']
    with open(path, "ab") as file:
        file.write(b"\n".join(odd) + b"\n")
    with open(path, "rb") as file:
        assert len(file.readlines()) == 10
    found = read_lines(path)
    check_cells({place: found[place] for place in range(3)}, ["a", 7, 7.0], "JSON lines")
    assert found[4] == tuple(rule.read(one, float("inf")) for one in rule.DECLARED.values())
    assert set(found[6]) == {None}


def read_lines(path: Path) -> dict[int, tuple[Any, ...]]:
    columns = {
        PLACE: NumberColumn(),
        **{f"c{at}": one for at, one in enumerate(rule.DECLARED.values())},
    }
    rows = read_back(path, columns)
    return {int(row[0]): row[1:] for row in rows if row[0] is not None}


STORED: dict[str, Sequence[Any]] = {
    "BIGINT": rule.INTEGERS,
    "UTINYINT": SMALL,
    "HUGEINT": rule.HUGE,
    "UHUGEINT": [None, 7, 2**128 - 1],
    "DOUBLE": rule.FLOATS,
    "FLOAT": rule.SMALL_FLOATS,
    "DECIMAL(5,2)": rule.DECIMALS,
    "DECIMAL(38,10)": rule.WIDE_DECIMALS,
    "DECIMAL(38,38)": [None, *map(rule.Decimal, ["0.5", "-0.01", "0"])],
    "BOOLEAN": rule.BOOLEANS,
    "VARCHAR": rule.TEXTS,
    "VARCHAR COLLATE NOCASE": rule.TEXTS,
    "BLOB": [*rule.BYTES, *rule.NOT_UTF8],
    "DATE": rule.DATES,
    "TIMESTAMP": rule.MOMENTS,
    "TIMESTAMP_S": [None, datetime.datetime(2020, 1, 2, 3, 4, 5)],
    "TIMESTAMP_MS": [None, datetime.datetime(2020, 1, 2, 3, 4, 5, 500_000)],
    "TIMESTAMP_NS": [None, datetime.datetime(2020, 1, 2, 3, 4, 5, 1)],
    "TIMESTAMPTZ": rule.ZONED,
    "TIME": rule.TIMES,
    "TIME_NS": rule.TIMES,
    "UUID": [None, UUID(int=255), UUID(int=2**128 - 1)],
    "ENUM('a', '7', '7.0', 'true', 'it''s', '2020-01-02')": [None, "a", "7", "7.0", "true", "it's"],
}


@pytest.mark.parametrize("kind", STORED)
def test_duckdb_tables(kind: str, tmp_path: Path) -> None:
    cells = STORED[kind]
    check_cells(read_cells(duckdb_file(cells, kind, tmp_path / "a.duckdb"), "t"), cells, kind)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("TIME", "TIME '24:00:00'"),
        ("TIME_NS", "'24:00:00'::TIME_NS"),
        ("TIMETZ", "'01:02:03+00'::TIMETZ"),
        ("INTERVAL", "INTERVAL 1 DAY"),
        ("INTEGER[]", "[7]"),
        ("INTEGER[2]", "[7, 7]"),
        ("STRUCT(a INTEGER)", "{'a': 7}"),
        ("MAP(INTEGER, INTEGER)", "MAP {7: 7}"),
        ("UNION(n INTEGER, s VARCHAR)", "7"),
        ("BIT", "'111'::BIT"),
        ("VARIANT", "7"),
        ("DATE", "'infinity'::DATE"),
        ("DATE", "'10000-01-01'::DATE"),
        ("DATE", "'0001-01-01 (BC)'::DATE"),
        ("TIMESTAMP", "'-infinity'::TIMESTAMP"),
        ("TIMESTAMP", "'290000-01-01'::TIMESTAMP"),
        ("TIMESTAMP_S", "'290000-01-01'::TIMESTAMP_S"),
        ("TIMESTAMP_MS", "'10000-01-01'::TIMESTAMP_MS"),
        ("TIMESTAMP_NS", "'infinity'::TIMESTAMP_NS"),
        ("TIMESTAMPTZ", "'infinity'::TIMESTAMPTZ"),
        ("TIMESTAMPTZ", "'290000-01-01'::TIMESTAMPTZ"),
    ],
)
def test_what_has_no_value_is_missing(kind: str, value: str, tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    copies = ", ".join(f"c{place} {kind}" for place in range(len(rule.DECLARED)))
    values = ", ".join([value] * len(rule.DECLARED))
    nothing = ", ".join(["NULL"] * len(rule.DECLARED))
    with duckdb.connect(str(path)) as made:
        made.execute(f"CREATE TABLE t (place INTEGER, {copies})")
        made.execute(f"INSERT INTO t VALUES (0, {values}), (1, {nothing})")
    check_cells(read_cells(path, "t"), [None, None], f"{kind} {value}")


def test_a_text_that_is_too_long_is_missing(tmp_path: Path) -> None:
    """So that no condition decides whether what a question makes of it fits into memory."""
    most = rule.LONGEST
    cells = ["a" * most, "a" * (most + 1), "ä" * (most // 2), "ä" * (most // 2 + 1), "a"]
    assert [rule.read(TextColumn(), cell) is None for cell in cells] == [
        False,
        True,
        False,
        True,
        False,
    ]
    for kind in ("VARCHAR", "BLOB"):
        stored = [cell.encode() if kind == "BLOB" else cell for cell in cells]
        path = duckdb_file(stored, kind, tmp_path / f"{kind}.duckdb")
        check_cells(read_cells(path, "t"), stored, kind)


def test_json_in_a_duckdb_table(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    copies = ", ".join(f"c{place} JSON" for place in range(len(rule.DECLARED)))
    stored = ['"a"', "7", "7.0", "2.5", "true", '"7.0"', "null", "[7]", '{"a": 7}', None]
    with duckdb.connect(str(path)) as made:
        made.execute(f"CREATE TABLE t (place INTEGER, {copies})")
        marks = ", ".join("?" * (len(rule.DECLARED) + 1))
        for place, cell in enumerate(stored):
            made.execute(f"INSERT INTO t VALUES ({marks})", [place, *[cell] * len(rule.DECLARED)])
    cells = ["a", 7, 7.0, 2.5, True, "7.0", None, None, None, None]
    check_cells(read_cells(path, "t"), cells, "JSON")


def test_views_and_generated_columns_of_a_duckdb_file(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    copies = ", ".join(f"c{place} AS (stored)" for place in range(len(rule.DECLARED)))
    with duckdb.connect(str(path)) as made:
        made.execute(f"CREATE TABLE t (place INTEGER, stored DOUBLE, {copies})")
        made.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(rule.FLOATS)))
        made.execute("CREATE VIEW v AS SELECT * FROM t")
    check_cells(read_cells(path, "t"), rule.FLOATS, "generated columns")
    check_cells(read_cells(path, "v"), rule.FLOATS, "a view")
