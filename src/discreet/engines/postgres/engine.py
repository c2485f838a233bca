"""PostgreSQL, where the data live: its tables are measured by its own server."""

from collections.abc import Sequence
from contextlib import suppress

from discreet.engines.measuring import Engine
from discreet.engines.postgres.catalog import StoredColumn, letter_cases, stored_columns
from discreet.engines.postgres.columns import Relation, check_units, quoted, relation
from discreet.engines.postgres.connection import Connection, Query
from discreet.engines.postgres.lookups import lookup
from discreet.engines.postgres.source import PostgresTable
from discreet.engines.postgres.writing import Writing
from discreet.engines.sources import Sources, Stored, not_in_the_data, stored_tables
from discreet.errors import SourceError
from discreet.measures.measure import Measure
from discreet.plan.schema import Schema
from discreet.question.check import Question
from discreet.sql.forms import POSTGRES


class Postgres(Engine):
    """The rows of tables and views of one PostgreSQL database."""

    def __init__(self, sources: Sources, schema: Schema) -> None:
        private, public = _divided(stored_tables(sources, schema))
        first = private[0][1]
        connection = Connection(first.address, first.seconds)
        try:
            found = {one: _columns(connection, table, one) for table, one in private}
            mixed = check_units(
                (table.unit, _type(found[one], table.unit))
                for table, one in private
                if table.unit is not None
            )
            relations: dict[str, Relation | str] = {
                table.view: relation(table, _place(one), found[one], mixed=mixed)
                for table, one in private
            }
            relations |= {table.view: lookup(table) for table in public}
            writing = Writing(relations, letter_cases(connection))
        except BaseException:
            connection.close()
            raise
        super().__init__(
            connection,
            POSTGRES,
            writing.text,
            lambda: all(stored_columns(connection, one) == found[one] for one in found),
        )

    def texts(self, question: Question, measures: Sequence[Measure]) -> list[str]:
        """The SQL that would run: names and public values, nothing from rows."""
        found = []
        for query in super().texts(question, measures):
            found += [*(query.before if isinstance(query, Query) else ()), str(query)]
        return found


def _divided(tables: list[Stored]) -> tuple[list[tuple[Stored, PostgresTable]], list[Stored]]:
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
    connection: Connection, table: Stored, place: PostgresTable
) -> tuple[StoredColumn, ...]:
    """The columns of a private table, all of whose declared ones must be there and readable."""
    found: tuple[StoredColumn, ...] = ()
    with suppress(Exception):
        found = stored_columns(connection, place)
    if not found:
        raise SourceError(
            f"there is no table or view {place.table[:60]!r} with columns in the schema "
            f"{(place.schema or 'public')[:60]!r} of the PostgreSQL database. "
            "A table is looked up in the schema that its address names, or else in public. Write "
            "table=schema.name in the address."
        )
    names = [column.name for column in found]
    for name in table.declared:
        if name not in names:
            raise not_in_the_data(name, table, names)
    unreadable = [one.name for one in found if one.name in table.declared and not one.readable]
    if unreadable:
        raise SourceError(
            f"the role may not read the column {unreadable[0][:60]!r} of {place.text}. Rights are "
            f"looked up before anything is spent. GRANT SELECT ON {_place(place)} to it, and USAGE "
            "on the schema."
        )
    return found


def _type(columns: tuple[StoredColumn, ...], name: str) -> str:
    return next(column.type for column in columns if column.name == name)


def _place(table: PostgresTable) -> str:
    return f"{quoted(table.schema or 'public')}.{quoted(table.table)}"
