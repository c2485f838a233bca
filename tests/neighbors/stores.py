"""Every store that DuckDB reads, each as its own writer makes it, with what can stand in it."""

import csv
import json
from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet

from tests.neighbors.kinds import EVERY, NUMERIC, OBJECTS, ONLY_DUCKDB, WITHIN_A_DAY, Cell, Kind
from tests.neighbors.people import Held
from tests.neighbors.store import Store, Written


def _but(*names: str) -> dict[str, Kind]:
    return {name: kind for name, kind in EVERY.items() if name not in names}


def _in_files(kinds: Mapping[str, Kind]) -> dict[str, Kind]:
    """What DuckDB can scan: times within a day, and moments that it can count in microseconds.

    Others end its scan, whatever is asked of the column: ``test_failures.py``.
    """

    def fits(cell: Cell) -> bool:
        if not isinstance(cell, np.datetime64) or np.datetime_data(cell)[0] == "ns":
            return True
        most = np.datetime64((1 << 63) - 1, "us").astype("datetime64[s]")
        return bool(abs(cell.astype("datetime64[s]").astype(int)) < int(most.astype(int)))

    found = {
        name: replace(kind, odd=[cell for cell in kind.odd if fits(cell)])
        for name, kind in kinds.items()
    }
    return found | ({"time": WITHIN_A_DAY} if "time" in kinds else {})


def _only(*names: str) -> dict[str, Kind]:
    return {name: EVERY[name] for name in names}


# ---------------------------------------------------------------------- Parquet


def _parquet_by_pyarrow(held: Held, folder: Path, name: str, layout: Random) -> Written:
    options = {
        "write_statistics": layout.random() < 0.8,
        "use_dictionary": layout.random() < 0.5,
        "row_group_size": layout.choice([3, None, None, None]),
        "write_page_index": layout.random() < 0.3,
        "data_page_version": layout.choice(["1.0", "2.0"]),
        "compression": layout.choice(["snappy", "none", "zstd"]),
    }
    table, files = held.arrow, layout.choice([1, 1, 1, 3])
    if table.num_rows > 1000:
        options["row_group_size"] = None
    if files == 1:
        path = folder / f"{name}.parquet"
        pyarrow.parquet.write_table(table, path, **options)
        return path, None
    part = -(-table.num_rows // files)
    for place in range(files):
        cut = table.slice(place * part, part)
        pyarrow.parquet.write_table(cut, folder / f"{name}-{place}.parquet", **options)
    return str(folder / f"{name}-*.parquet"), None


def _parquet_by_polars(held: Held, folder: Path, name: str, layout: Random) -> Written:
    path = folder / f"{name}.parquet"
    statistics: Any = layout.choice([True, True, False, "full"])
    size = layout.choice([4, None, None]) if len(held.places) < 1000 else None
    _polars_frame(held).write_parquet(path, statistics=statistics, row_group_size=size)
    return path, None


def _parquet_by_pandas(held: Held, folder: Path, name: str, layout: Random) -> Written:
    path = folder / f"{name}.parquet"
    _inferred(held).to_parquet(path, index=False)
    return path, None


def _parquet_by_duckdb(held: Held, folder: Path, name: str, layout: Random) -> Written:
    path = folder / f"{name}.parquet"
    bloom = layout.choice(["true", "false"])
    with duckdb.connect(config={"threads": 1}) as made:
        made.register("given", held.arrow)
        made.execute(
            f"COPY (FROM given) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 2048, "
            f"WRITE_BLOOM_FILTER {bloom}, DICTIONARY_SIZE_LIMIT {layout.choice([1, 100000])})"
        )
    return path, None


# ---------------------------------------------------------------------- text files and databases


def _csv(held: Held, folder: Path, name: str, layout: Random) -> Written:
    path = folder / f"{name}.csv"
    ending, delimiter = layout.choice(["\n", "\r\n"]), layout.choice([",", ";", "\t"])
    always = layout.random() < 0.3
    with open(path, "w", newline="", encoding="utf-8", errors="surrogateescape") as file:
        quoting = csv.QUOTE_ALL if always else csv.QUOTE_MINIMAL
        writer = csv.writer(file, delimiter=delimiter, lineterminator=ending, quoting=quoting)
        writer.writerow(held.kinds)
        lines = [[_line_cell(row[name]) for name in held.kinds] for row in held.rows]
        writer.writerows(lines[place] for place in held.places)
    return path, None


def _line_cell(cell: str | bytes | None) -> str:
    return cell.decode(errors="surrogateescape") if isinstance(cell, bytes) else cell or ""


def _in_csv(cell: Cell) -> str | bytes | None:
    """A cell as the text that CSV has for it; bytes that are not UTF-8 stay what they are."""
    if isinstance(cell, bytes):
        try:
            return _in_csv(cell.decode())
        except UnicodeDecodeError:
            return cell
    return None if cell is None else str(cell).replace("\0", "") or None


def _csv_kind(kind: Kind) -> Kind:
    odd = [_in_csv(cell) for cell in kind.odd]
    return Kind(kind.name, odd, lambda value: _in_csv(kind.made(value)), text=True)


def _json(held: Held, folder: Path, name: str, layout: Random) -> Written:
    path = folder / f"{name}.jsonl"
    lines = [json.dumps({name: row[name] for name in held.kinds}) for row in held.rows]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines[place] + "\n" for place in held.places)
    return path, None


def _in_json(cell: Cell) -> bool:
    return not isinstance(cell, float) or isfinite(cell)


def _duckdb_table(held: Held, folder: Path, name: str, layout: Random) -> Written:
    path = folder / f"{name}.duckdb"
    read = ", ".join(
        f'"{name}"' if kind.duckdb is None else f'CAST("{name}" AS {_cast(kind)}) AS "{name}"'
        for name, kind in held.kinds.items()
    )
    with duckdb.connect(str(path), config={"threads": 1}) as made:
        made.register("given", held.arrow)
        made.execute(f"CREATE TABLE kept AS SELECT {read} FROM given LIMIT 0")
        for column, kind in held.kinds.items():
            if kind.duckdb and "COLLATE" in kind.duckdb:
                made.execute(f'ALTER TABLE kept ALTER "{column}" TYPE {kind.duckdb}')
        made.execute(f"INSERT INTO kept SELECT {read} FROM given")
        made.execute("CHECKPOINT")
    return path, "kept"


def _cast(kind: Kind) -> str:
    return str(kind.duckdb).removesuffix(" COLLATE NOCASE")


# ---------------------------------------------------------------------- frames


def _inferred(held: Held) -> pandas.DataFrame:
    """A frame whose types pandas finds out from the rows."""
    columns = {name: pandas.Series(_python(held.cells(name))) for name in held.kinds}
    return pandas.DataFrame(columns).iloc[held.places].reset_index(drop=True)


def _python(cells: list[Cell]) -> list[Cell]:
    """Moments as Python has them, where it has them."""

    def plain(cell: Cell) -> Cell:
        item = cell.item() if isinstance(cell, np.datetime64) else cell
        return cell if isinstance(cell, np.datetime64) and isinstance(item, int) else item

    return list(map(plain, cells))


def _pandas(held: Held, folder: Path, name: str, layout: Random) -> Written:
    return _inferred(held), None


def _pandas_nullable(held: Held, folder: Path, name: str, layout: Random) -> Written:
    return _inferred(held).convert_dtypes(), None


def _pandas_arrow(held: Held, folder: Path, name: str, layout: Random) -> Written:
    return held.arrow.to_pandas(types_mapper=pandas.ArrowDtype), None


def _pandas_objects(held: Held, folder: Path, name: str, layout: Random) -> Written:
    columns = {}
    for column in held.kinds:
        cells = np.empty(len(held.rows), np.object_)
        cells[:] = held.cells(column)
        columns[column] = pandas.Series(cells, dtype=object)
    return pandas.DataFrame(columns).iloc[held.places].reset_index(drop=True), None


def _pandas_categories(held: Held, folder: Path, name: str, layout: Random) -> Written:
    columns = {
        name: pandas.Series(_python(held.cells(name)), dtype="category") for name in held.kinds
    }
    return pandas.DataFrame(columns).iloc[held.places].reset_index(drop=True), None


def _polars_frame(held: Held) -> polars.DataFrame:
    found = polars.from_arrow(held.arrow)
    assert isinstance(found, polars.DataFrame)
    return found


def _polars(held: Held, folder: Path, name: str, layout: Random) -> Written:
    frame, shrunk = _polars_frame(held), layout.random() < 0.5
    if shrunk:  # integers as small as the values allow
        frame = frame.with_columns(
            frame[name].shrink_dtype() for name in frame.columns if frame[name].dtype.is_integer()
        )
    return frame, None


def _arrow(held: Held, folder: Path, name: str, layout: Random) -> Written:
    """Chunks of several sizes, texts as views or large ones."""
    views, large, size = layout.random() < 0.3, layout.random() < 0.3, layout.choice([1, 7, 10**6])
    columns = {}
    for column, kind in held.kinds.items():
        array = held.arrow.column(column)
        if kind.name == "text" and views:
            array = array.cast(pyarrow.string_view())
        elif kind.name == "text" and large:
            array = array.cast(pyarrow.large_string())
        elif kind.name == "bytes" and views:
            array = array.cast(pyarrow.binary_view())
        whole = array.combine_chunks() if isinstance(array, pyarrow.ChunkedArray) else array
        if len(whole) > 1000 or size > len(whole):
            columns[column] = array
        else:
            cut = [whole.slice(place, size) for place in range(0, len(whole), size)]
            columns[column] = pyarrow.chunked_array(cut, whole.type)
    return pyarrow.table(columns), None


# ---------------------------------------------------------------------- all of them

_TEXT_FILE = {
    name: _csv_kind(kind)
    for name, kind in _only(*NUMERIC, "text", "text of bytes", "bool", "date", "bytes").items()
}
_JSON_CELLS = {
    name: replace(kind, odd=[cell for cell in kind.odd if _in_json(cell)])
    for name, kind in _only("text", "int64", "float64", "bool", "list", "struct").items()
}
_SMALL_INTEGERS = [cell for cell in EVERY["int64"].odd if cell is None or abs(cell) < 1 << 53]
_KEPT_BY_PANDAS = _only("float64", "float32", "bool", "text", "bytes", "date", "decimal") | {
    "int64": replace(EVERY["int64"], odd=_SMALL_INTEGERS)
}
_TAME = _but("text of bytes", "null") | {"time": WITHIN_A_DAY}
_IN_TABLES = {
    name: kind if pyarrow.types.is_timestamp(kind.arrow) and kind.arrow.tz is None else scanned
    for (name, scanned), kind in zip(_in_files(_TAME).items(), _TAME.values(), strict=True)
}
_FRAME_CELLS = _but("text of bytes", "null", "dictionary") | {"time": OBJECTS}
_HASHABLE = {name: one for name, one in _FRAME_CELLS.items() if name not in ("list", "struct")}

STORES = {
    store.name: store
    for store in (
        Store("Parquet by pyarrow", _parquet_by_pyarrow, _in_files(EVERY)),
        Store("Parquet by Polars", _parquet_by_polars, _in_files(_TAME)),
        Store("Parquet by pandas", _parquet_by_pandas, _KEPT_BY_PANDAS),
        Store("Parquet by DuckDB", _parquet_by_duckdb, _in_files(_TAME)),
        Store("CSV", _csv, _TEXT_FILE, mixes=True),
        Store("JSON lines", _json, _JSON_CELLS, mixes=True),
        Store("DuckDB table", _duckdb_table, _IN_TABLES | ONLY_DUCKDB),
        Store("pandas", _pandas, _FRAME_CELLS, mixes=True, merges=True),
        Store("pandas, nullable", _pandas_nullable, _FRAME_CELLS, mixes=True, merges=True),
        Store("pandas, Arrow", _pandas_arrow, _but("null"), merges=True),
        Store("pandas, objects", _pandas_objects, _FRAME_CELLS, mixes=True, merges=True),
        Store("pandas, categories", _pandas_categories, _HASHABLE, mixes=True, merges=True),
        Store("Polars", _polars, _TAME),
        Store("Arrow", _arrow, EVERY),
    )
}
