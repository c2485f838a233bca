"""Every cell that Spark can read is read by the rule, or its type is refused at once."""

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow
import pytest

from discreet.engines.sources import TableView, find_source
from discreet.engines.spark.columns import relation
from discreet.errors import SourceError
from discreet.plan.schema import NumberColumn
from tests.reading import rule
from tests.reading.stores import PLACE, arrow, moments, parquet_files, read_back, texts

DATES = {"date", "datetime"}
BY_TEXT = {"number", "integer", "numeric category", "boolean", "milliseconds", "decimal comma"}
BY_TEXT |= DATES
TIME = {"time of day"}
"""What texts can say, too."""
TEXT = {"text", "text category"}
DATED = set(rule.DECLARED) - DATES
EVERY = set(rule.DECLARED)
MICROS = [0, 1, -1, 10**15, 2**62, -(2**62), 2**63 - 1, -(2**63) + 1, 253402300800 * 10**6 - 1]
MICROS += [253402300800 * 10**6, -62135596800 * 10**6, -62135596800 * 10**6 - 1]


def moment_cells() -> list[Any]:
    found: list[Any] = []
    for micros in MICROS:
        try:
            found.append(datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=micros))
        except OverflowError:
            found.append(None)
    return found


# Cells, how they are stored, and the declarations that the type is refused for.
STORED: dict[str, tuple[Sequence[Any], Any, set[str]]] = {
    "bigint": (rule.INTEGERS, pyarrow.int64(), DATES | TIME),
    "tinyint": ([None, 0, 1, 7, -128], pyarrow.int8(), DATES | TIME),
    "double": (rule.FLOATS, pyarrow.float64(), DATES | TEXT | TIME),
    "float": (rule.SMALL_FLOATS, pyarrow.float32(), DATES | TEXT | TIME),
    "decimal(5,2)": (rule.DECIMALS, pyarrow.decimal128(5, 2), {"boolean"} | DATES | TEXT | TIME),
    "decimal(38,10)": (
        rule.WIDE_DECIMALS,
        pyarrow.decimal128(38, 10),
        {"boolean"} | DATES | TEXT | TIME,
    ),
    "boolean": (rule.BOOLEANS, pyarrow.bool_(), DATES | TIME),
    "string": (rule.TEXTS, pyarrow.string(), BY_TEXT),
    "not UTF-8": ([*rule.NOT_UTF8, *rule.TEXTS], texts, BY_TEXT),
    "binary": ([*rule.BYTES, *rule.NOT_UTF8], pyarrow.binary(), BY_TEXT),
    "date": (rule.DATES, pyarrow.date32(), DATED),
    "timestamp_ntz": (moment_cells(), moments(MICROS, "us"), DATED),
    "timestamp": (
        [one and one.replace(tzinfo=datetime.UTC) for one in moment_cells()],
        moments(MICROS, "us", "UTC"),
        DATED,
    ),
    "array<bigint>": ([None], pyarrow.list_(pyarrow.int64()), EVERY),
    "struct<a:bigint>": ([None], pyarrow.struct([("a", pyarrow.int64())]), EVERY),
    "time(6)": ([None], pyarrow.time64("us"), EVERY),
    "interval day to second": ([None], pyarrow.duration("us"), EVERY),
    "void": ([None], pyarrow.null(), EVERY),
}


def made(kind: str) -> tuple[pyarrow.Table, Sequence[Any]]:
    cells, how, _ = STORED[kind]
    if isinstance(how, pyarrow.Array):
        return arrow(how), cells
    return arrow(how(cells) if how is texts else pyarrow.array(cells, how)), cells


def by_spark(path: object) -> str:
    return f"spark://?path={quote(str(path))}"


def check(source: object, kind: str, what: str, but: str | None = None) -> None:
    """Compare cell by cell, for every declaration, and name those that differ."""
    cells, _, refused = STORED[kind]
    refused = refused | {but}  # type: ignore[arg-type]
    copies = {
        name: (f"c{copy}", declared)
        for copy, (name, declared) in enumerate(rule.DECLARED.items())
        if name not in refused
    }
    rows = read_back(source, {PLACE: NumberColumn(), **dict(copies.values())})
    found = {int(row[0]): row[1:] for row in rows}
    assert len(found) == len(cells), (kind, what)
    wrong = [
        f"{kind}, {what}: {cell!r} as {name}: {value!r}, not {expected!r}"
        for place, cell in enumerate(cells)
        for (name, (_, declared)), value in zip(copies.items(), found[place], strict=True)
        for expected in [rule.read(declared, cell)]
        if value != expected or type(value) is not type(expected)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("kind", STORED)
def test_a_type_without_a_total_way_is_refused(kind: str) -> None:
    stored = kind if kind != "not UTF-8" else "string"
    for name in STORED[kind][2]:
        table = TableView(find_source(pyarrow.table({})), {"c": rule.DECLARED[name]})
        with pytest.raises(SourceError, match=r"could fail on a row|bounds of their own"):
            relation(table, {"c": stored}, {"c": "c0"})


@pytest.mark.parametrize("kind", [kind for kind in STORED if STORED[kind][2] != EVERY])
def test_a_cell_is_read_by_the_rule(local_cluster: Any, tmp_path: Path, kind: str) -> None:
    table, _ = made(kind)
    tmp_path.chmod(0o755)
    layouts = dict(parquet_files(table, tmp_path))
    for layout in ("pyarrow", "in row groups of 3", "several files"):
        check(by_spark(layouts[layout]), kind, f"Parquet of pyarrow, {layout}")
    place = tmp_path / "written_by_spark"
    local_cluster.read.parquet(str(tmp_path / "pyarrow.parquet")).write.parquet(str(place))
    check(by_spark(place), kind, "Parquet of Spark")
    if kind != "not UTF-8":  # PySpark itself looks at what is called text
        # PySpark itself makes moments of the world of Arrow's moments without a zone.
        but = "datetime" if kind == "timestamp_ntz" else None
        check(local_cluster.createDataFrame(table), kind, "a frame", but)
