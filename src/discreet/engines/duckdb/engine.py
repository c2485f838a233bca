"""DuckDB on one machine: files and frames, behind a connection that reaches nothing else."""

from typing import Any

from sqlglot import exp

from discreet.engines.base import Engine
from discreet.engines.duckdb.connection import DuckDBConnection
from discreet.engines.sources import Sources, not_in_the_data, stored_tables
from discreet.mechanisms.key_sieve import Sieve
from discreet.plan.schema import Schema
from discreet.question.check import Question
from discreet.sql.write.expressions import select_columns, table_reference
from discreet.sql.write.rows import DUCKDB, named_rows


class DuckDB(Engine):
    """The rows of files and frames."""

    def __init__(self, sources: Sources, schema: Schema) -> None:
        tables = stored_tables(sources, schema)
        connection = DuckDBConnection(*tables)
        self._views = set(connection.columns)
        for table in tables:
            stored_names = connection.columns[table.view]
            missing = [name for name in table.declared if name not in stored_names]
            if missing:
                connection.close()
                raise not_in_the_data(missing[0], table, stored_names)
        super().__init__(connection, DUCKDB, _written)

    def _found_keys(
        self, question: Question, sieve: Sieve | None, share: int | None
    ) -> list[tuple[Any, ...]]:
        # Where no key is found, no other column is looked at any more.
        self._read_through(named_rows(question), once=True)
        return super()._found_keys(question, sieve, share)

    def _read_through(self, query: exp.Select, *, once: bool = False) -> None:
        """As for every engine; ``once`` reads also through what a query names of one table."""
        scans = [one for one in query.find_all(exp.Select) if self._scanned(one)]
        for scan in scans if len(scans) > 1 or once else ():
            read = [column.unalias() for column in scan.expressions if column.find(exp.Column)]
            if read:
                counted = select_columns(*(exp.Count(this=column.copy()) for column in read))
                source = table_reference(self._scanned(scan) or "")
                self._connection.rows(_written(counted.from_(source, copy=False)))

    def _scanned(self, query: exp.Select) -> str | None:
        """The table that a query reads itself."""
        source = query.args.get("from_")
        table = None if source is None else source.this
        if isinstance(table, exp.Table) and table.name in self._views:
            return table.name
        return None


def _written(query: exp.Select) -> str:
    return query.sql("duckdb", copy=False)
