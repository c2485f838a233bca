"""Public lookup tables of files and frames, written into the query."""

from collections.abc import Sequence
from contextlib import suppress

from discreet.engines.base import Engine
from discreet.engines.lookups import is_numeric, public_rows, round_trip_text
from discreet.engines.postgres.columns import (
    PostgresRelation,
    StoredColumn,
    as_text,
    check_units,
    letter_cases,
    quoted_identifier,
    relation,
    stored_columns,
)
from discreet.engines.postgres.connection import PostgresConnection, PreparedQuery
from discreet.engines.postgres.source import PostgresTable
from discreet.engines.postgres.writer import PostgresWriter
from discreet.engines.sources import Sources, TableView, not_in_the_data, stored_tables
from discreet.errors import SourceError
from discreet.measures.measure import Measure, Unit
from discreet.plan.schema import BooleanColumn, Column, Schema
from discreet.question.check import Question
from discreet.sql.write.rows import POSTGRES


def lookup(table: TableView) -> str:
    """A public table as a query sees it, with its rows as they are when the table is opened."""
    rows = public_rows(table, "PostgreSQL")
    places = [f"v{place}" for place in range(len(table.columns))]
    columns = ", ".join(
        f"{_typed(place, column)} AS {quoted_identifier(one)}"
        for place, (one, column) in zip(places, table.columns.items(), strict=True)
    )
    written = rows or [(None,) * len(places)]
    values = ", ".join("(" + ", ".join(map(_text, row)) + ")" for row in written)
    none = "" if rows else " WHERE FALSE"
    return f"(SELECT {columns} FROM (VALUES {values}) AS listed({', '.join(places)}){none})"


def _typed(place: str, column: Column) -> str:
    if isinstance(column, BooleanColumn):
        return f"CAST({place} AS BOOLEAN)"
    return f"CAST({place} AS DOUBLE PRECISION)" if is_numeric(column) else as_text(place)


def _text(value: object) -> str:
    text = round_trip_text(value)
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"


class Postgres(Engine):
    """The rows of tables and views of one PostgreSQL database."""

    def __init__(self, sources: Sources, schema: Schema) -> None:
        private, public = _divided(stored_tables(sources, schema))
        first = private[0][1]
        connection = PostgresConnection(first.address, first.seconds)
        try:
            columns_of = {one: _columns(connection, table, one) for table, one in private}
            mixed = check_units(
                (table.unit, _type(columns_of[one], table.unit))
                for table, one in private
                if table.unit is not None
            )
            relations: dict[str, PostgresRelation | str] = {
                table.view: relation(table, _place(one), columns_of[one], mixed=mixed)
                for table, one in private
            }
            relations |= {table.view: lookup(table) for table in public}
            writing = PostgresWriter(relations, letter_cases(connection))
        except BaseException:
            connection.close()
            raise
        super().__init__(
            connection,
            POSTGRES,
            writing.text,
            lambda: all(stored_columns(connection, one) == columns_of[one] for one in columns_of),
        )

    def texts(
        self,
        question: Question,
        measures: Sequence[Measure],
        unit: Unit,
        *,
        share: int | None = None,
        score: Measure | None = None,
    ) -> list[str]:
        """The SQL that would run: names and public values, nothing from rows."""
        statements = []
        for query in super().texts(question, measures, unit, share=share, score=score):
            statements += [*(query.before if isinstance(query, PreparedQuery) else ()), str(query)]
        return statements


def _divided(
    tables: list[TableView],
) -> tuple[list[tuple[TableView, PostgresTable]], list[TableView]]:
    """The private tables, which are all of one database, and the public ones, which are not."""
    private, public = [], []
    for table in tables:
        if isinstance(table.source, PostgresTable):
            private.append((table, table.source))
        else:
            public.append(table)
    addresses = {one.address for _, one in private}
    if len(addresses) > 1 or any(table.unit is not None for table in public):
        raise SourceError(
            "the private tables are not all in one PostgreSQL database. What is joined is read in "
            "one place, in one transaction. Put the tables into one database, and write the same "
            "address for all of them."
        )
    return private, public


def _columns(
    connection: PostgresConnection, table: TableView, place: PostgresTable
) -> tuple[StoredColumn, ...]:
    """The columns of a private table, all of whose declared ones must be there and readable."""
    columns: tuple[StoredColumn, ...] = ()
    with suppress(Exception):
        columns = stored_columns(connection, place)
    if not columns:
        raise SourceError(
            f"there is no table or view {place.table[:60]!r} with columns in the schema "
            f"{(place.schema or 'public')[:60]!r} of the PostgreSQL database. "
            "A table is looked up in the schema that its address names, or else in public. Write "
            "table=schema.name in the address."
        )
    names = [column.name for column in columns]
    for name in table.declared:
        if name not in names:
            raise not_in_the_data(name, table, names)
    unreadable = [one.name for one in columns if one.name in table.declared and not one.readable]
    if unreadable:
        raise SourceError(
            f"the role may not read the column {unreadable[0][:60]!r} of {place.text}. Rights are "
            f"looked up before anything is spent. GRANT SELECT ON {_place(place)} to it, and USAGE "
            "on the schema."
        )
    return columns


def _type(columns: tuple[StoredColumn, ...], name: str) -> str:
    return next(column.type for column in columns if column.name == name)


def _place(table: PostgresTable) -> str:
    return f"{quoted_identifier(table.schema or 'public')}.{quoted_identifier(table.table)}"
