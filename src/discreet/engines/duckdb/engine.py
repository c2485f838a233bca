"""DuckDB on one machine: files and frames, behind a connection that reaches nothing else."""

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from discreet.engines.duckdb.connection import Connection
from discreet.engines.duckdb.sources import Local, unchanged
from discreet.engines.measuring import Engine, Measured
from discreet.engines.sources import Sources, Stored, not_in_the_data, stored_tables
from discreet.measures.measure import Measure
from discreet.mechanisms.sieve import Sieve
from discreet.plan.schema import Schema
from discreet.question.check import Question
from discreet.question.relations import Scan
from discreet.sql.forms import DUCKDB
from discreet.sql.rows import Cells, named_rows
from discreet.sql.shape import chosen, relation


class DuckDB(Engine):
    """The rows of files and frames."""

    def __init__(self, sources: Sources, schema: Schema) -> None:
        tables = stored_tables(sources, schema)
        connection = Connection(*tables)
        super().__init__(connection, DUCKDB, _written, lambda: all(map(_unchanged, tables)))
        self._views = set(connection.columns)
        for table in tables:
            found = connection.columns[table.view]
            missing = [name for name in table.declared if name not in found]
            if missing:
                self.close()
                raise not_in_the_data(missing[0], table, found)

    def guarded_rows(self, query: exp.Select) -> list[tuple[Any, ...]]:
        """What a query finds, which is sensitive."""

        def run() -> list[tuple[Any, ...]]:
            self._read_through(query)
            return self._connection.rows(self._written(query))

        return self._guarded(run)

    def _found_keys(self, question: Question, sieve: Sieve | None) -> list[tuple[Any, ...]]:
        # Where no key is found, no other column is looked at any more.
        self._read_through(named_rows(question), once=True)
        return super()._found_keys(question, sieve)

    def _measure(
        self, question: Question, measures: Sequence[Measure], cells: Cells, many: int
    ) -> Measured:
        if not isinstance(question.source, Scan):  # one table is read through in any case
            self._read_through(named_rows(question))
        return super()._measure(question, measures, cells, many)

    def _read_through(self, query: exp.Select, *, once: bool = False) -> None:
        """Read all that a query names of several tables, so that it fails now if one cannot be.

        A join does not look at one side where the other has no rows: whether a row that cannot be
        read is met would depend on the question's conditions.  A query of one table reads all
        of what it names in any case; ``once`` reads it through as well.
        """
        scans = [one for one in query.find_all(exp.Select) if self._scanned(one)]
        for scan in scans if len(scans) > 1 or once else ():
            read = [column.unalias() for column in scan.expressions if column.find(exp.Column)]
            if read:
                counted = chosen(*(exp.Count(this=column.copy()) for column in read))
                source = relation(self._scanned(scan) or "")
                self._connection.rows(_written(counted.from_(source, copy=False)))

    def _scanned(self, query: exp.Select) -> str | None:
        """The table that a query reads itself."""
        source = query.args.get("from_")
        table = None if source is None else source.this
        if isinstance(table, exp.Table) and table.name in self._views:
            return table.name
        return None


def _unchanged(table: Stored) -> bool:
    return isinstance(table.source, Local) and unchanged(table.source)


def _written(query: exp.Select) -> str:
    return query.sql("duckdb", copy=False)
