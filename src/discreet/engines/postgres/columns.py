"""A stored column as its declaration says: what PostgreSQL's types decide, and nothing else.

A number has no NaN, a date is its day, a text is compared by its characters.  None of the
conversions can fail on a value.  A type that would need one that can is refused when the table is
opened, where nothing is known of the rows.
"""

from collections.abc import Iterable, Sequence

from discreet.engines.postgres.catalog import StoredColumn
from discreet.engines.postgres.numbers import INFINITY, literal
from discreet.engines.sources import Stored
from discreet.engines.units import are_mixed
from discreet.errors import SourceError
from discreet.plan.columns import Boolean, Category, Column, Number

_WHOLE = ("int2", "int4", "int8")
_FLOATS = ("float4", "float8")
_TEXTS = ("text", "varchar", "bpchar", "name", "enum")
_DATES = ("date", "timestamp", "timestamptz")
_IDS = (*_WHOLE, *_FLOATS, "numeric", *_TEXTS, *_DATES, "uuid", "bool", "bytea")
# 2^1024 - 2^970 is the least number that is rounded to infinity, and 2^-1075 the largest to zero.
_BEYOND = f"'{2**1024 - 2**970}'::numeric"
_NOTHING = "'2.4703282292062327208e-324'::numeric"


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def relation(
    table: Stored, place: str, columns: Sequence[StoredColumn], *, mixed: bool = False
) -> str:
    """The table at a place as a query sees it: the declared columns, each as it is declared.

    With ``mixed``, ids are texts.
    """
    types = {column.name: column.type for column in columns}
    parts = [
        f"{_read(quoted(one), types[one], declared, one)} AS {quoted(one)}"
        for one, declared in table.columns.items()
    ]
    if table.unit is not None:
        unit = quoted(table.unit)
        whose = as_text(unit) if mixed else _unit(unit, types[table.unit])
        parts.append(f"{whose} AS {unit}")
    return f"(SELECT {', '.join(parts or ['1 AS one'])} FROM {place})"


def check_units(types: Iterable[tuple[str, str]]) -> bool:
    """Whether ids are to be compared as texts, since some are whole numbers and some texts.

    ``types`` are the names and types of the columns that say whose row it is, table by table.
    """
    families = []
    for name, kind in types:
        if kind not in _IDS:
            raise _no_id(name, kind)
        families.append(_family(kind))
    return are_mixed(families)


def as_text(column: str) -> str:
    """A value as a text that is compared by its characters; CHAR(n) without its padding."""
    return f'CAST({column} AS TEXT) COLLATE "C"'


def _family(kind: str) -> str:
    for family, kinds in (("whole", _WHOLE), ("float", _FLOATS), ("text", _TEXTS)):
        if kind in kinds:
            return family
    return kind


def _unit(column: str, kind: str) -> str:
    """Whose row it is.  A NaN names nobody, as a NULL does, and 0 is -0."""
    if kind in _FLOATS:
        return f"NULLIF({column}::double precision, 'NaN') + {literal(0.0)}"
    if kind == "numeric":
        return f"TRIM_SCALE(NULLIF({column}, 'NaN'))"
    if kind in _TEXTS:
        return as_text(column)
    return f"{column}::bigint" if kind in _WHOLE else column


def _read(column: str, kind: str, declared: Column, name: str) -> str:
    if isinstance(declared, Number) and declared.dated:
        if kind in _DATES:
            days = f"({column}::date - DATE '1970-01-01')::double precision"
            return f"CASE WHEN ISFINITE({column}) THEN {days} END"
        raise _unreadable(name, kind, "a date", "date")
    if isinstance(declared, Number) or (isinstance(declared, Category) and declared.numeric):
        if kind in _WHOLE or kind in _FLOATS:
            value = f"{column}::double precision"
            return value if kind in _WHOLE else f"NULLIF({value}, 'NaN')"
        if kind == "numeric":
            return _float(column)
        raise _unreadable(name, kind, "a number", "double precision")
    if isinstance(declared, Boolean):
        if kind == "bool":
            return column
        raise _unreadable(name, kind, "true or false", "boolean")
    if kind in (*_TEXTS, *_WHOLE, "bool", "uuid"):
        return as_text(column)
    raise _unreadable(name, kind, "a text", "text")


def _float(column: str) -> str:
    """A NUMERIC as the nearest float; beyond the floats it is infinite, and tiny ones are zero."""
    return (
        f"CASE WHEN {column} = 'NaN' THEN NULL "
        f"WHEN {column} >= {_BEYOND} THEN {INFINITY} "
        f"WHEN {column} <= -{_BEYOND} THEN -{INFINITY} "
        f"WHEN ABS({column}) <= {_NOTHING} THEN {literal(0.0)} "
        f"ELSE {column}::double precision END"
    )


def _unreadable(name: str, kind: str, what: str, wanted: str) -> SourceError:
    stored = "a type that is not PostgreSQL's own" if kind == "other" else f"the type {kind}"
    return SourceError(
        f"the column {name[:60]!r} is declared as {what}, and PostgreSQL stores it with {stored}. "
        "A cast between them could fail on a row, and that would show it. Make a view that casts "
        f"as you mean it, CREATE VIEW … AS SELECT {quoted(name[:60])}::{wanted} …, and name the "
        "view as the table."
    )


def _no_id(name: str, kind: str) -> SourceError:
    stored = "a type that is not PostgreSQL's own" if kind == "other" else f"the type {kind}"
    return SourceError(
        f"the unit {name[:60]!r} is stored with {stored}. Ids are compared, sorted and counted. "
        f"Make a view that casts it, CREATE VIEW … AS SELECT {quoted(name[:60])}::text …, and name "
        "the view as the table."
    )
