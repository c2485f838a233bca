"""Public lookup tables of files and frames, written into the query."""

from discreet.engines.lookups import is_numeric, public_rows, shown
from discreet.engines.sources import Stored
from discreet.engines.spark.texts import literal
from discreet.plan.columns import Boolean, Column


def lookup(table: Stored) -> tuple[str, dict[str, str]]:
    """A public table as a query sees it, and how each of its columns is read."""
    rows = public_rows(table, "Spark")
    written = ", ".join(f"ARRAY({', '.join(map(_text, row))})" for row in rows)
    # An empty list has no type of its own.
    listed = f"ARRAY({written})" if rows else "CAST(ARRAY() AS ARRAY<ARRAY<STRING>>)"
    columns = {
        name: f"CAST(row[{place}] AS {_type(column)})"
        for place, (name, column) in enumerate(table.columns.items())
    }
    return f"(SELECT EXPLODE({listed}) AS row)", columns


def _type(column: Column) -> str:
    if isinstance(column, Boolean):
        return "BOOLEAN"
    return "DOUBLE" if is_numeric(column) else "STRING"


def _text(value: object) -> str:
    text = shown(value)
    return "CAST(NULL AS STRING)" if text is None else literal(text)
