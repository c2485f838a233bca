"""What PostgreSQL's catalog says of a table: names and types, and no row."""

from dataclasses import dataclass

from discreet.engines.postgres.connection import Connection
from discreet.engines.postgres.source import PostgresTable

# A domain has the values of the type that it is made of; an enumeration has a type of its own.
# A cell is computed where it is read if a view, another server, a generated column that is not
# stored or a policy about rows stands before it, in the table or in a part of it.
_COLUMNS = """
WITH RECURSIVE family AS (
    SELECT c.oid AS relation, c.oid AS part
    FROM pg_catalog.pg_class AS c
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = %s AND c.relname = %s
    UNION
    SELECT f.relation, i.inhrelid
    FROM family AS f JOIN pg_catalog.pg_inherits AS i ON i.inhparent = f.part
), stored AS (
    SELECT c.oid AS relation, a.attnum, a.attname, a.atttypid AS kind,
           has_schema_privilege(n.oid, 'USAGE')
           AND has_column_privilege(c.oid, a.attnum, 'SELECT') AS readable,
           row_security_active(c.oid) OR EXISTS (
               SELECT FROM family AS f
               JOIN pg_catalog.pg_class AS o ON o.oid = f.part
               LEFT JOIN pg_catalog.pg_attribute AS b
               ON b.attrelid = o.oid AND b.attname = a.attname
               WHERE f.relation = c.oid
                 AND (o.relkind NOT IN ('r', 'm', 'p') OR b.attgenerated NOT IN ('', 's'))
           ) AS computed
    FROM pg_catalog.pg_class AS c
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid
    WHERE c.oid IN (SELECT relation FROM family) AND c.relkind IN ('r', 'v', 'm', 'p', 'f')
      AND a.attnum > 0 AND NOT a.attisdropped
), based AS (
    SELECT *, kind AS base FROM stored
    UNION ALL
    SELECT b.relation, b.attnum, b.attname, b.kind, b.readable, b.computed, t.typbasetype
    FROM based AS b JOIN pg_catalog.pg_type AS t ON t.oid = b.base WHERE t.typtype = 'd'
)
SELECT b.relation::bigint, b.attname::text, b.readable, b.computed, b.kind::bigint,
       CASE WHEN t.typtype = 'e' THEN 'enum'
            WHEN t.typtype = 'b' AND n.nspname = 'pg_catalog' THEN t.typname::text
            ELSE 'other' END
FROM based AS b
JOIN pg_catalog.pg_type AS t ON t.oid = b.base
JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
WHERE t.typtype <> 'd'
ORDER BY b.attnum
"""
_CASES = """
SELECT collname::text FROM pg_catalog.pg_collation
WHERE collnamespace = 'pg_catalog'::regnamespace AND collname IN ('pg_c_utf8', 'C.utf8')
  AND collencoding IN (-1, 6)
ORDER BY collname DESC
"""
_WORDS = {
    "int2": "SMALLINT",
    "int4": "INTEGER",
    "int8": "BIGINT",
    "float4": "FLOAT",
    "float8": "DOUBLE",
    "numeric": "DECIMAL",
    "bool": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMP",
    "enum": "ENUM",
    **dict.fromkeys(("text", "varchar", "bpchar", "name", "uuid"), "VARCHAR"),
}
"""Types as every engine calls them."""


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """A column: the relation it is of, its name, whether the role may read it, and its type.

    ``computed``: its cells are, or may be, made when they are read, which can fail on a row.
    ``type`` is the name of the type that a domain is made of.
    """

    relation: int
    name: str
    readable: bool
    computed: bool
    declared_type: int
    type: str


def stored_columns(connection: Connection, table: PostgresTable) -> tuple[StoredColumn, ...]:
    """The columns of a table or view, in their order; none if it is not there."""
    found = connection.described(_COLUMNS, table.schema or "public", table.table)
    return tuple(StoredColumn(*row) for row in found)


def described(table: PostgresTable) -> list[tuple[str, str | None]]:
    """The names and types of a table's columns, for a policy to be filled in."""
    connection = Connection(table.address, table.seconds)
    try:
        found = stored_columns(connection, table)
    finally:
        connection.close()
    return [(column.name, _WORDS.get(column.type, "BLOB")) for column in found]


def letter_cases(connection: Connection) -> str | None:
    """The collation that knows the small and the large letters of Unicode, if there is one."""
    found = connection.described(_CASES)
    return found[0][0] if found else None
