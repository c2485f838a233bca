"""Rows in PostgreSQL."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import psycopg
from psycopg import sql

_names = count()


def new_table(
    server: str, types: Mapping[str, str], rows: Sequence[Sequence[Any]], name: str | None = None
) -> str:
    """A table with these rows on the server; its address."""
    name = name or f"made_{next(_names)}"
    columns = sql.SQL(", ").join(
        sql.SQL("{} {}").format(sql.Identifier(one), sql.SQL(kind)) for one, kind in types.items()
    )
    with psycopg.connect(server) as connection:
        connection.execute(
            sql.SQL("CREATE TABLE public.{} ({})").format(sql.Identifier(name), columns)
        )
        fill(connection, name, types, rows)
    return f"{server}&table={name}"


def fill(
    connection: Any, name: str, types: Mapping[str, str], rows: Sequence[Sequence[Any]]
) -> None:
    """Put rows into a table."""
    listed = sql.SQL(", ").join(map(sql.Identifier, types))
    query = sql.SQL("COPY public.{} ({}) FROM STDIN").format(sql.Identifier(name), listed)
    with connection.cursor() as cursor, cursor.copy(query) as copy:
        for row in rows:
            copy.write_row(row)
