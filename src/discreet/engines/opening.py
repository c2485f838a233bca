"""The engine that a table's rows are read by: that of its source."""

from discreet.engines.duckdb.engine import DuckDB
from discreet.engines.measuring import Engine
from discreet.engines.sources import Sources, engine_of
from discreet.plan.schema import Schema


def open_engine(sources: Sources, schema: Schema) -> Engine:
    """The engine of the source; names are compared with the declarations, no row is read."""
    match engine_of(sources.main):
        case "postgres":
            from discreet.engines.postgres.engine import Postgres

            return Postgres(sources, schema)
        case "spark":
            from discreet.engines.spark.engine import Spark

            return Spark(sources, schema)
        case _:
            return DuckDB(sources, schema)
