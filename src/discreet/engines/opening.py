"""The engine that a table's rows are read by: that of its source."""

from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.measuring import Engine
from discreet.engines.postgres.source import PostgresTable
from discreet.engines.sources import Sources
from discreet.plan.schema import Schema


def open_engine(sources: Sources, schema: Schema) -> Engine:
    """The engine of the source; names are compared with the declarations, no row is read."""
    if isinstance(sources.main, PostgresTable):
        from discreet.engines.postgres.engine import Postgres

        return Postgres(sources, schema)
    return DuckDB(sources, schema)
