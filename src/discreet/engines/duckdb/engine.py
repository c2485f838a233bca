"""DuckDB on one machine: files and frames, behind a connection that reaches nothing else."""

from sqlglot import exp

from discreet.engines.duckdb.connection import Connection
from discreet.engines.duckdb.sources import Local, unchanged
from discreet.engines.measuring import Engine
from discreet.engines.sources import Sources, Stored, not_in_the_data, stored_tables
from discreet.plan.schema import Schema
from discreet.sql.forms import DUCKDB


class DuckDB(Engine):
    """The rows of files and frames."""

    def __init__(self, sources: Sources, schema: Schema) -> None:
        tables = stored_tables(sources, schema)
        connection = Connection(*tables)
        super().__init__(connection, DUCKDB, _written, lambda: all(map(_unchanged, tables)))
        for table in tables:
            found = connection.columns[table.view]
            missing = [name for name in table.declared if name not in found]
            if missing:
                self.close()
                raise not_in_the_data(missing[0], table, found)


def _unchanged(table: Stored) -> bool:
    return isinstance(table.source, Local) and unchanged(table.source)


def _written(query: exp.Select) -> str:
    return query.sql("duckdb", copy=False)
