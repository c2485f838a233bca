"""The rows of public lookup tables, to be written into queries: they are not sensitive."""

from math import isnan
from typing import Any

from discreet.engines.duckdb.connection import DuckDBConnection
from discreet.engines.sources import TableView
from discreet.errors import SourceError
from discreet.plan.schema import CategoryColumn, Column, NumberColumn
from discreet.sql.write.expressions import column_name, read_column

MOST_ROWS = 10_000


def public_rows(table: TableView, engine: str) -> list[tuple[Any, ...]]:
    """The rows of a public table of files or frames, as they are when the table is opened."""
    if not table.columns:
        raise SourceError(
            f"the public table {table.view[:60]!r} has no columns. It is joined by one of them. "
            "Take the table out."
        )
    read = [
        read_column(column_name(one), column).sql("duckdb") for one, column in table.columns.items()
    ]
    query = f"SELECT {', '.join(read)} FROM {table.view} LIMIT {MOST_ROWS + 1}"
    connection = DuckDBConnection(table)
    try:
        rows = connection.rows(query)
    finally:
        connection.close()
    if len(rows) > MOST_ROWS:
        raise SourceError(
            f"the public table {table.view[:60]!r} has more than {MOST_ROWS:,} rows. Beside "
            f"{engine} it is written into the query. Keep those that are joined with."
        )
    return rows


def is_numeric(column: Column) -> bool:
    """Whether a column's values are floats."""
    return isinstance(column, NumberColumn) or (
        isinstance(column, CategoryColumn) and column.numeric
    )


def round_trip_text(value: object) -> str | None:
    """A value as a text that a database reads back as the same value, or None for a missing one."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return None
    return repr(value).replace("inf", "Infinity") if isinstance(value, float) else str(value)
