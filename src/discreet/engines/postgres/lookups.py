"""Public lookup tables of files and frames, written into the query."""

from discreet.engines.lookups import is_numeric, public_rows, shown
from discreet.engines.postgres.columns import as_text, quoted
from discreet.engines.sources import Stored
from discreet.plan.columns import Boolean, Column


def lookup(table: Stored) -> str:
    """A public table as a query sees it, with its rows as they are when the table is opened."""
    rows = public_rows(table, "PostgreSQL")
    places = [f"v{place}" for place in range(len(table.columns))]
    columns = ", ".join(
        f"{_typed(place, column)} AS {quoted(one)}"
        for place, (one, column) in zip(places, table.columns.items(), strict=True)
    )
    written = rows or [(None,) * len(places)]
    values = ", ".join("(" + ", ".join(map(_text, row)) + ")" for row in written)
    none = "" if rows else " WHERE FALSE"
    return f"(SELECT {columns} FROM (VALUES {values}) AS listed({', '.join(places)}){none})"


def _typed(place: str, column: Column) -> str:
    if isinstance(column, Boolean):
        return f"CAST({place} AS BOOLEAN)"
    return f"CAST({place} AS DOUBLE PRECISION)" if is_numeric(column) else as_text(place)


def _text(value: object) -> str:
    text = shown(value)
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"
