"""A stored column as it is declared, in PostgreSQL's SQL: each cell by itself, without failing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from discreet.engines.clocks import MILLISECONDS, clock_of, clock_sql, zoned_error
from discreet.engines.postgres.connection import PostgresConnection
from discreet.engines.postgres.numbers import INFINITY, computed_once, float_literal
from discreet.engines.postgres.source import PostgresTable
from discreet.engines.sources import TableView
from discreet.engines.writer import EXACT, LONGEST_TEXT
from discreet.errors import SourceError
from discreet.plan.calendar import DAY_SECONDS, Dated
from discreet.plan.schema import BooleanColumn, CategoryColumn, Column, NumberColumn
from discreet.plan.zones import ZoneOffsets

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
    "time": "TIME",
    "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMPTZ",
    "enum": "ENUM",
    **dict.fromkeys(("text", "varchar", "bpchar", "name", "uuid"), "VARCHAR"),
}
"""Types as every engine calls them."""


_WHOLE = ("int2", "int4", "int8")
_FLOATS = ("float4", "float8")
_NUMBERS = (*_WHOLE, *_FLOATS, "numeric")
_TEXTS = ("text", "varchar", "bpchar", "name", "enum")
_MOMENTS = {"date": "date", "timestamp": "timestamp", "timestamptz": "timestamptz"}
_IDS = (*_NUMBERS, *_TEXTS, *_MOMENTS, "uuid", "bool", "bytea")
# 2^1024 - 2^970 is the least number that is rounded to infinity, and 2^-1075 the largest to zero.
_BEYOND = f"'{2**1024 - 2**970}'::numeric"
_NOTHING = "'2.4703282292062327208e-324'::numeric"
_ENDS = ("0001-01-01 00:00:00", "10000-01-01 00:00:00")


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


def stored_columns(
    connection: PostgresConnection, table: PostgresTable
) -> tuple[StoredColumn, ...]:
    """The columns of a table or view, in their order; none if it is not there."""
    rows = connection.described(_COLUMNS, table.schema or "public", table.table)
    return tuple(StoredColumn(*row) for row in rows)


def described(table: PostgresTable) -> list[tuple[str, str | None]]:
    """The names and types of a table's columns, for a policy to be filled in."""
    connection = PostgresConnection(table.address, table.seconds)
    try:
        columns = stored_columns(connection, table)
    finally:
        connection.close()
    return [(column.name, _WORDS.get(column.type, "BLOB")) for column in columns]


def letter_cases(connection: PostgresConnection) -> str | None:
    """The collation that knows the small and the large letters of Unicode, if there is one."""
    collations = connection.described(_CASES)
    return collations[0][0] if collations else None


def quoted_identifier(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True, slots=True)
class PostgresRelation:
    """A private table as a query sees it: the declared columns, each as it is declared.

    ``computed``: some cell is made when it is read, so that the table is read to the end first.
    """

    place: str
    columns: Mapping[str, str]
    computed: bool

    def text(self, names: Iterable[str]) -> str:
        """The SELECT of some columns."""
        parts = [f"{self.columns[name]} AS {quoted_identifier(name)}" for name in names]
        return f"SELECT {', '.join(parts or ['1 AS one'])} FROM {self.place}"


def relation(
    table: TableView, place: str, columns: Sequence[StoredColumn], *, mixed: bool = False
) -> PostgresRelation:
    """The table at a place; with ``mixed``, ids are texts."""
    stored_columns = {column.name: column for column in columns}
    columns_sql = {
        name: _read(quoted_identifier(name), stored_columns[name].type, declared, name)
        for name, declared in table.columns.items()
    }
    if table.unit is not None:
        unit, kind = quoted_identifier(table.unit), stored_columns[table.unit].type
        columns_sql[table.unit] = (_text if mixed else _unit)(unit, kind) or unit
    computed = any(stored_columns[name].computed for name in columns_sql) or (
        not columns_sql and columns[0].computed
    )
    return PostgresRelation(place, columns_sql, computed)


def check_units(types: Iterable[tuple[str, str]]) -> bool:
    """Whether ids are to be compared as texts, since they are stored in several ways.

    ``types`` are the names and types of the columns that say whose row it is, table by table.
    """
    families = {}
    for name, kind in types:
        if kind not in _IDS:
            raise _no_id(name, kind)
        families[_family(kind)] = kind
    if "bytea" in families and len(families) > 1:
        raise SourceError(
            "the people's ids are of different types in the tables: "
            f"{', '.join(sorted(families.values()))}. Bytes are often a hash, which is no text, "
            "so that they are compared with bytes alone. Store them as one type."
        )
    return len(families) > 1


def as_text(column: str) -> str:
    """A value as a text that is compared by its characters; CHAR(n) without its padding."""
    return f'CAST({column} AS TEXT) COLLATE "C"'


def _family(kind: str) -> str:
    for family, kinds in (("whole", _WHOLE), ("float", _FLOATS), ("text", _TEXTS)):
        if kind in kinds:
            return family
    return kind


def _unit(column: str, kind: str) -> str | None:
    """Whose row it is, told apart as the texts would be.  A NaN names nobody, as a NULL does."""
    if kind in _WHOLE:
        return f"{column}::bigint"
    if kind in _FLOATS:  # 0 is -0
        return f"{_float(column)} + {float_literal(0.0)}"
    if kind == "numeric":
        return f"TRIM_SCALE(NULLIF({column}, 'NaN'))"
    if kind in _MOMENTS:
        return _moment(column, kind)
    return column if kind in ("uuid", "bool", "bytea") else _text(column, kind)


# ---------------------------------------------------------------------- by what is declared


def _read(column: str, kind: str, declared: Column, name: str) -> str:
    if isinstance(declared, NumberColumn) and declared.dated == Dated.DAYS:
        value_sql, what, wanted = _date(column, kind), "a date", "date"
    elif isinstance(declared, NumberColumn) and declared.dated == Dated.TIME:
        value_sql, what, wanted = _time(column, kind), "a time of day", "time"
    elif isinstance(declared, NumberColumn) and declared.dated:
        clock = clock_of(declared)
        if declared.unit is None and kind == "timestamptz" and clock is None:
            raise zoned_error(name, kind)
        what, wanted = "a datetime", "timestamp" if clock is None else "timestamptz"
        if declared.unit is not None:
            what, wanted = f"a datetime in {declared.unit} since 1970", "double precision"
        value_sql = _datetime(column, kind, declared.unit, clock)
    elif isinstance(declared, NumberColumn) or (
        isinstance(declared, CategoryColumn) and declared.numeric
    ):
        value_sql, what, wanted = _number(column, kind), "a number", "double precision"
    elif isinstance(declared, BooleanColumn):
        value_sql, what, wanted = _truth(column, kind), "true or false", "boolean"
    else:
        value_sql, what, wanted = _text(column, kind), "a text", "text"
    if value_sql is None:
        raise _unreadable(name, kind, what, wanted)
    return value_sql


def _date(column: str, kind: str) -> str | None:
    if kind not in _MOMENTS:
        return None
    return f"({_moment(column, kind)}::date - DATE '1970-01-01')::double precision"


def _time(column: str, kind: str) -> str | None:
    """Whole seconds since midnight; a day's end, which PostgreSQL writes 24:00, is missing."""
    if kind != "time":
        return None
    second = f"FLOOR(EXTRACT(EPOCH FROM {column}))::double precision"
    return f"CASE WHEN {column} < '24:00'::time THEN {second} END"


def _datetime(column: str, kind: str, unit: str | None, clock: ZoneOffsets | None) -> str | None:
    """Whole seconds of a clock since 1970.  Seconds of UTC are computed once, and then shown."""
    if unit is not None and clock is not None:
        number = _number(column, kind)
        # What is between -1 and 1 is floored first: PostgreSQL refuses quotients too near to 0.
        whole = f"FLOOR({number})"
        divided = f"FLOOR({whole} / {float_literal(MILLISECONDS)})" if unit == "ms" else whole
        return None if number is None else _shown(divided, clock)
    if kind not in _MOMENTS:
        return None
    moment = f"({_moment(column, kind)})"
    if kind == "timestamptz":
        moment = f"({moment} AT TIME ZONE 'UTC')"
    if kind == "date":
        return f"({moment} - DATE '1970-01-01')::double precision * {float_literal(DAY_SECONDS)}"
    second = f"EXTRACT(EPOCH FROM DATE_TRUNC('second', {moment}))::double precision"
    return _shown(second, clock) if kind == "timestamptz" and clock is not None else second


def _shown(second: str, clock: ZoneOffsets) -> str:
    return f"{computed_once({'u': second}, clock_sql('u', clock))}::double precision"


def _number(column: str, kind: str) -> str | None:
    if kind in _WHOLE:
        return f"{column}::double precision"
    if kind in _FLOATS:
        return _float(column)
    if kind == "numeric":
        return _nearest(column)
    return f"{column}::integer::double precision" if kind == "bool" else None


def _truth(column: str, kind: str) -> str | None:
    if kind in _NUMBERS:
        return f"CASE WHEN {column} = 1 THEN TRUE WHEN {column} = 0 THEN FALSE END"
    return column if kind == "bool" else None


def _text(column: str, kind: str) -> str | None:
    if kind in _FLOATS:
        text_sql = _float_text(_float(column))
    elif kind == "numeric":
        infinite = f"REPLACE({column}::text, 'Infinity', 'inf')"
        digits = f"TRIM_SCALE(NULLIF({column}, 'NaN'))::text"
        text_sql = f"CASE WHEN {column}::text LIKE '%Inf%' THEN {infinite} ELSE {digits} END"
    elif kind in _MOMENTS:
        text_sql = f"{_moment(column, kind)}::text"
    elif kind in ("text", "varchar", "bpchar"):  # an operation on a longer one could fail
        text_sql = f"CASE WHEN OCTET_LENGTH({column}) <= {LONGEST_TEXT} THEN {column}::text END"
    elif kind in (*_TEXTS, *_WHOLE, "bool", "uuid"):
        text_sql = column
    else:
        return None
    return as_text(text_sql)


# ---------------------------------------------------------------------- by what is stored


def _moment(column: str, kind: str) -> str:
    """A date or a moment of the calendar; NULL for any other, and for those without an end."""
    ends = [f"'{end}{'+00' * (kind == 'timestamptz')}'::{kind}" for end in _ENDS]
    return f"CASE WHEN {column} >= {ends[0]} AND {column} < {ends[1]} THEN {column} END"


def _float(column: str) -> str:
    """A float, and NULL for NaN."""
    return f"NULLIF({column}::double precision, 'NaN'::double precision)"


def _nearest(column: str) -> str:
    """A NUMERIC as the nearest float; beyond the floats it is infinite, and tiny ones are zero."""
    return (
        f"CASE WHEN {column} = 'NaN' THEN NULL "
        f"WHEN {column} >= {_BEYOND} THEN {INFINITY} "
        f"WHEN {column} <= -{_BEYOND} THEN -{INFINITY} "
        f"WHEN ABS({column}) <= {_NOTHING} THEN {float_literal(0.0)} "
        f"ELSE {column}::double precision END"
    )


def _float_text(value: str) -> str:
    """A float as its shortest digits; up to 2^53, a whole number as the integer that it is."""
    text = f"{value}::text"
    long = f"{text}::numeric::text"  # 16 digits before the point are written without an exponent
    return (
        f"CASE WHEN ABS({value}) <= {float_literal(float(EXACT))} AND FLOOR({value}) = {value} "
        f"THEN {value}::bigint::text "
        f"WHEN ABS({value}) = {INFINITY} THEN REPLACE({text}, 'Infinity', 'inf') "
        f"WHEN {text} LIKE '%e+15' AND {long} LIKE '%.%' THEN {long} "
        f"WHEN {text} LIKE '%e+15' THEN {long} || '.0' "
        f"ELSE {text} END"
    )


def _unreadable(name: str, kind: str, what: str, wanted: str) -> SourceError:
    stored = "a type that is not PostgreSQL's own" if kind == "other" else f"the type {kind}"
    return SourceError(
        f"the column {name[:60]!r} is declared as {what}, and PostgreSQL stores it with {stored}. "
        "A cast between them could fail on a row, and that would show it. Make a view that casts "
        f"as you mean it, CREATE VIEW … AS SELECT {quoted_identifier(name[:60])}::{wanted} …, and "
        "name the view as the table."
    )


def _no_id(name: str, kind: str) -> SourceError:
    stored = "a type that is not PostgreSQL's own" if kind == "other" else f"the type {kind}"
    return SourceError(
        f"the unit {name[:60]!r} is stored with {stored}. Ids are compared, sorted and counted. "
        f"Make a view that casts it, CREATE VIEW … AS SELECT {quoted_identifier(name[:60])}::text "
        "…, and name the view as the table."
    )
