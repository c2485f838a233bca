"""The engine that a table's rows are read by: that of its source."""

from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.measuring import Engine
from discreet.engines.sources import Sources
from discreet.plan.schema import Schema


def open_engine(sources: Sources, schema: Schema) -> Engine:
    """The engine of the source; names are compared with the declarations, no row is read."""
    return DuckDB(sources, schema)
