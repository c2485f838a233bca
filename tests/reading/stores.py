"""Cells written into stores of every kind, and read back through the engine's own SQL."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from math import isfinite
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow
import pyarrow.parquet

from discreet.engines.sources import Sources, find_source
from discreet.plan.expressions import Named
from discreet.plan.schema import ROW, Column, NumberColumn, Schema
from discreet.question.query import Scan
from discreet.release.open_table import open_engine
from discreet.sql.write.expressions import (
    UNIT,
    column_name,
    expression_sql,
    select_columns,
    subquery,
)
from discreet.sql.write.rows import short_names, source_rows
from tests.reading.rule import DECLARED, read

PLACE = "place"
Read = dict[int, tuple[Any, ...]]


def read_back(
    source: object, columns: Mapping[str, Column], unit: str = ROW, table: str | None = None
) -> list[tuple[Any, ...]]:
    """The values of some columns, row by row, and whose row each is where that is asked for."""
    caps = {} if unit == ROW else {"max_rows": 1, "max_groups": 1}
    schema = Schema(name="t", columns=dict(columns), unit=unit, **caps)
    names = short_names(columns, schema.columns)
    rows = source_rows(Scan(None), schema, names)
    values = [expression_sql(Named(name), names) for name in columns]
    whose = [] if unit == ROW else [column_name(UNIT)]
    query = select_columns(*values, *whose).from_(subquery(rows, "read"), copy=False)
    with closing(open_engine(Sources(find_source(source, table)), schema)) as engine:
        return engine.guarded_rows(query)


def read_cells(source: object, table: str | None = None) -> Read:
    """What every copy of a stored column is read as, each declared in another way, by its place."""
    columns = {
        PLACE: NumberColumn(),
        **{f"c{place}": one for place, one in enumerate(DECLARED.values())},
    }
    return {int(row[0]): row[1:] for row in read_back(source, columns, table=table)}


def expected(cells: Sequence[Any]) -> Read:
    """What the rule says."""
    return {
        place: tuple(read(one, cell) for one in DECLARED.values())
        for place, cell in enumerate(cells)
    }


def check_cells(found: Read, cells: Sequence[Any], what: str) -> None:
    """Compare cell by cell, and name those that differ."""
    wanted = expected(cells)
    assert found.keys() == wanted.keys(), what
    wrong = [
        f"{what}: {cells[place]!r} as {name} is {one!r}, and should be {two!r}"
        for place in wanted
        for name, one, two in zip(DECLARED, found[place], wanted[place], strict=True)
        if one != two or type(one) is not type(two)
    ]
    assert not wrong, "\n".join(wrong)


# ---------------------------------------------------------------------- Arrow and Parquet


def arrow(array: pyarrow.Array, places: Sequence[int] | None = None) -> pyarrow.Table:
    """A table of the rows' places and copies of a column."""
    copies = {f"c{place}": array for place in range(len(DECLARED))}
    return pyarrow.table({PLACE: list(range(len(array)) if places is None else places), **copies})


def texts(cells: Sequence[bytes | str | None], kind: Any = None) -> pyarrow.Array:
    """An array that calls any bytes text."""
    raw = [cell.encode() if isinstance(cell, str) else cell for cell in cells]
    if kind == pyarrow.large_string():
        return pyarrow.array(raw, pyarrow.large_binary()).view(kind)
    return pyarrow.array(raw, pyarrow.binary()).view(pyarrow.string())


def moments(numbers: Sequence[int | None], unit: str, zone: str | None = None) -> pyarrow.Array:
    """Moments by their numbers of units since 1970, whatever calendar has them."""
    return pyarrow.array(numbers, pyarrow.int64()).view(pyarrow.timestamp(unit, zone))


def parquet_files(table: pyarrow.Table, folder: Path) -> Iterator[tuple[str, Any]]:
    """A table as Parquet, by every writer and in every layout."""
    write = pyarrow.parquet.write_table
    layouts: dict[str, dict[str, Any]] = {
        "pyarrow": {},
        "without statistics": {"write_statistics": False},
        "without dictionaries": {"use_dictionary": False},
        "in row groups of 3": {"row_group_size": 3, "write_page_index": True},
        "data pages of version 2": {"data_page_version": "2.0", "compression": "zstd"},
    }
    for name, options in layouts.items():
        path = folder / f"{name}.parquet"
        write(table, path, **options)
        yield name, path
    several = folder / "several"
    several.mkdir(exist_ok=True)
    for place in range(0, max(table.num_rows, 1), 5):
        write(table.slice(place, 5), several / f"{place:03d}.parquet")
    yield "several files", str(several / "*.parquet")


def other_writers(table: pyarrow.Table, folder: Path) -> Iterator[tuple[str, Any]]:
    """A table as Parquet by pandas, Polars and DuckDB."""
    import polars  # Spark's tests do without it

    path = folder / "pandas.parquet"
    table.to_pandas(types_mapper=None).to_parquet(path)
    yield "pandas", path
    for statistics in (True, False):
        path = folder / f"polars {statistics}.parquet"
        polars.from_arrow(table).write_parquet(path, statistics=statistics, row_group_size=4)
        yield f"Polars, statistics {statistics}", path
    yield "DuckDB", by_duckdb(table, folder)


def by_duckdb(table: pyarrow.Table, folder: Path) -> Path:
    """A table as Parquet with bloom filters, which DuckDB writes for what has a dictionary."""
    path = folder / "duckdb.parquet"
    with duckdb.connect() as made:
        made.register("given", table)
        made.execute(
            f"COPY (FROM given) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 2048, "
            "WRITE_BLOOM_FILTER true, DICTIONARY_SIZE_LIMIT 100000)"
        )
    return path


# ---------------------------------------------------------------------- text files and databases


def csv_file(cells: Sequence[Any], path: Path) -> Path:
    """Cells as CSV writers write them: as texts, quoted where they have to be."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([PLACE, *(f"c{place}" for place in range(len(DECLARED)))])
        for place, cell in enumerate(cells):
            writer.writerow([place, *["" if cell is None else cell] * len(DECLARED)])
    return path


def json_file(cells: Sequence[Any], path: Path) -> Path:
    """Cells as JSON lines."""
    with open(path, "w", encoding="utf-8") as file:
        for place, cell in enumerate(cells):
            copies = {f"c{copy}": cell for copy in range(len(DECLARED))}
            file.write(json.dumps({PLACE: place, **copies}) + "\n")
    return path


def duckdb_file(cells: Sequence[Any], kind: str, path: Path) -> Path:
    """Cells as a column of a DuckDB table."""
    with duckdb.connect(str(path)) as made:
        copies = ", ".join(f"c{place} {kind}" for place in range(len(DECLARED)))
        made.execute(f"CREATE TABLE t (place INTEGER, {copies})")
        marks = ", ".join(f"CAST(? AS {kind.removesuffix(' COLLATE NOCASE')})" for _ in DECLARED)
        for place, cell in enumerate(cells):
            made.execute(f"INSERT INTO t VALUES (?, {marks})", [place, *[cell] * len(DECLARED)])
        made.execute("CHECKPOINT")
    return path


def in_json(cell: Any) -> bool:
    """Whether JSON can hold a cell as it is."""
    return (
        cell is None
        or isinstance(cell, bool | str | int)
        or (isinstance(cell, float) and isfinite(cell))
    )


def stored_moment(number: int | None, unit: str) -> np.datetime64 | None:
    """A moment as the rule's function takes it; what DuckDB calls infinite is none."""
    if number is None or abs(number) >= 2**63 - 1:
        return None
    return np.datetime64(number, unit)
