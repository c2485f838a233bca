"""What an engine makes of the cells of a frame, and what the rule says of them."""

from contextlib import closing
from decimal import Decimal
from math import isfinite
from typing import Any

import numpy as np

from discreet.engines.duckdb.connection import DuckDBConnection
from discreet.engines.duckdb.source import FrameSource
from discreet.engines.frames.frame import FrameReader
from discreet.engines.sources import TableView
from discreet.plan.schema import Column
from discreet.sql.write.expressions import column_name, read_column
from tests.reading.rule import DECLARED, EXACT, Value, read, read_id

ID = "id"
KINDS: dict[str, Column | None] = {**DECLARED, ID: None}
"""What a column can be declared as; None stands for the one that says whose row it is."""


def held(*frames: Any) -> Any:
    """The cells of a frame's columns as a question would see them; a list for several frames.

    Each column has the name of the kind that it is declared as.
    """
    tables = [
        TableView(FrameSource(frame), DECLARED, ID, f"source_{place}")
        for place, frame in enumerate(frames)
    ]
    columns = [
        read_column(column_name(kind), declared).sql("duckdb")
        for kind, declared in DECLARED.items()
    ]
    columns.append(f"CAST({column_name(ID).sql('duckdb')} AS VARCHAR)")
    queries = [f"SELECT {', '.join(columns)} FROM {table.view}" for table in tables]
    with closing(DuckDBConnection(*tables)) as connection:
        connection.bind(queries[0])
        found = [
            {kind: [_plain(row[place]) for row in rows] for place, kind in enumerate(KINDS)}
            for rows in map(connection.rows, queries)
        ]
    return found if len(frames) > 1 else found[0]


def given(frame: Any) -> dict[str, list[Value]]:
    """What the rule says of the cells that DuckDB is given in the place of a frame's."""
    arrays = FrameReader(frame, DECLARED, ID).arrays()
    return {
        kind: [
            _plain(ruled(declared, None if cell is np.ma.masked else cell)) for cell in arrays[kind]
        ]
        for kind, declared in KINDS.items()
    }


def _plain(value: Any) -> Value:
    """NaN is missing wherever it is used, and −0.0 is used as 0."""
    if isinstance(value, float):
        return None if value != value else value + 0.0  # noqa: PLR0124
    found: Value = value
    return found


def ruled(declared: Column | None, cell: Any, *, pandas: bool = False) -> Value:
    """What the rule says of a cell."""
    if isinstance(cell, bytearray | memoryview):
        cell = bytes(cell)
    if pandas and is_merged(cell):
        return None
    if pandas and isinstance(cell, bool | np.bool_):  # one integer makes integers of booleans
        cell = int(cell)
    return read_id(cell) if declared is None else read(declared, cell)


def is_merged(cell: Any) -> bool:
    """Whether pandas may hold another number instead, were one cell of the column missing."""
    if isinstance(cell, np.timedelta64):
        return False
    if isinstance(cell, np.integer | np.floating):
        cell = cell.item()
    if not isinstance(cell, int | float | Decimal):
        return False
    return (isinstance(cell, int) or isfinite(cell)) and abs(cell) >= EXACT
