"""Public lookup tables of files and frames, written into the query: they are not sensitive."""

from math import isnan
from typing import Any

from discreet.engines.duckdb.connection import Connection
from discreet.engines.postgres.columns import as_text, quoted
from discreet.engines.sources import Stored
from discreet.errors import SourceError
from discreet.plan.columns import Boolean, Category, Column, Number
from discreet.sql.expressions import column_name, read_column

MOST_ROWS = 10_000


def lookup(name: str, table: Stored) -> str:
    """A public table as a query sees it, with its rows as they are when the table is opened."""
    if not table.columns:
        raise SourceError(
            f"the public table {name[:60]!r} has no columns. It is joined by one of them. Take the "
            "table out."
        )
    rows = _rows(name, table)
    places = [f"v{place}" for place in range(len(table.columns))]
    shown = ", ".join(
        f"{_typed(place, column)} AS {quoted(one)}"
        for place, (one, column) in zip(places, table.columns.items(), strict=True)
    )
    written = rows or [(None,) * len(places)]
    values = ", ".join("(" + ", ".join(map(_text, row)) + ")" for row in written)
    none = "" if rows else " WHERE FALSE"
    return f"(SELECT {shown} FROM (VALUES {values}) AS listed({', '.join(places)}){none})"


def _rows(name: str, table: Stored) -> list[tuple[Any, ...]]:
    read = [
        read_column(column_name(one), column).sql("duckdb") for one, column in table.columns.items()
    ]
    query = f"SELECT {', '.join(read)} FROM {table.view} LIMIT {MOST_ROWS + 1}"
    connection = Connection(table)
    try:
        rows = connection.rows(query)
    finally:
        connection.close()
    if len(rows) > MOST_ROWS:
        raise SourceError(
            f"the public table {name[:60]!r} has more than {MOST_ROWS:,} rows. Beside PostgreSQL "
            "it is written into the query. Keep those that are joined with."
        )
    return rows


def _typed(place: str, column: Column) -> str:
    if isinstance(column, Boolean):
        return f"CAST({place} AS BOOLEAN)"
    numeric = isinstance(column, Number) or (isinstance(column, Category) and column.numeric)
    return f"CAST({place} AS DOUBLE PRECISION)" if numeric else as_text(place)


def _text(value: object) -> str:
    if value is None or (isinstance(value, float) and isnan(value)):
        return "NULL"
    text = repr(value).replace("inf", "Infinity") if isinstance(value, float) else str(value)
    return "'" + text.replace("'", "''") + "'"
