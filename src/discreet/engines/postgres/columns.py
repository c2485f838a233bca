"""A stored column as its declaration says, by the rule for stored cells, and without failing.

None of the conversions can fail on a value.  A type that would need one that can is refused when
the table is opened, where nothing is known of the rows.  What a view computes can fail, and
PostgreSQL decides for which rows it does so: by the conditions of a question, unless all of it is
read before any of them.  So such a table stands behind a fence.

Decision: docs/decisions/views_behind_a_fence.md
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from discreet.engines.postgres.catalog import StoredColumn
from discreet.engines.postgres.numbers import INFINITY, literal
from discreet.engines.sources import Stored
from discreet.engines.writing import EXACT, LONGEST_TEXT
from discreet.errors import SourceError
from discreet.plan.columns import Boolean, Category, Column, Number

_WHOLE = ("int2", "int4", "int8")
_FLOATS = ("float4", "float8")
_NUMBERS = (*_WHOLE, *_FLOATS, "numeric")
_TEXTS = ("text", "varchar", "bpchar", "name", "enum")
_MOMENTS = {"date": "date", "timestamp": "timestamp", "timestamptz": "timestamptz"}
_IDS = (*_NUMBERS, *_TEXTS, *_MOMENTS, "uuid", "bool", "bytea")
# 2^1024 - 2^970 is the least number that is rounded to infinity, and 2^-1075 the largest to zero.
_BEYOND = f"'{2**1024 - 2**970}'::numeric"
_NOTHING = "'2.4703282292062327208e-324'::numeric"


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True, slots=True)
class Relation:
    """A private table as a query sees it: the declared columns, each as it is declared.

    ``computed``: some cell is made when it is read, so that the table is read to the end first.
    """

    place: str
    columns: Mapping[str, str]
    computed: bool

    def text(self, names: Iterable[str]) -> str:
        """The SELECT of some columns."""
        parts = [f"{self.columns[name]} AS {quoted(name)}" for name in names]
        return f"SELECT {', '.join(parts or ['1 AS one'])} FROM {self.place}"


def relation(
    table: Stored, place: str, columns: Sequence[StoredColumn], *, mixed: bool = False
) -> Relation:
    """The table at a place; with ``mixed``, ids are texts."""
    found = {column.name: column for column in columns}
    read = {
        name: _read(quoted(name), found[name].type, declared, name)
        for name, declared in table.columns.items()
    }
    if table.unit is not None:
        unit, kind = quoted(table.unit), found[table.unit].type
        read[table.unit] = (_text if mixed else _unit)(unit, kind) or unit
    computed = any(found[name].computed for name in read) or (not read and columns[0].computed)
    return Relation(place, read, computed)


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
        return f"{_float(column)} + {literal(0.0)}"
    if kind == "numeric":
        return f"TRIM_SCALE(NULLIF({column}, 'NaN'))"
    if kind in _MOMENTS:
        return _moment(column, kind)
    return column if kind in ("uuid", "bool", "bytea") else _text(column, kind)


# ---------------------------------------------------------------------- by what is declared


def _read(column: str, kind: str, declared: Column, name: str) -> str:
    if isinstance(declared, Number) and declared.dated:
        found, what, wanted = _date(column, kind), "a date", "date"
    elif isinstance(declared, Number) or (isinstance(declared, Category) and declared.numeric):
        found, what, wanted = _number(column, kind), "a number", "double precision"
    elif isinstance(declared, Boolean):
        found, what, wanted = _truth(column, kind), "true or false", "boolean"
    else:
        found, what, wanted = _text(column, kind), "a text", "text"
    if found is None:
        raise _unreadable(name, kind, what, wanted)
    return found


def _date(column: str, kind: str) -> str | None:
    if kind not in _MOMENTS:
        return None
    return f"({_moment(column, kind)}::date - DATE '1970-01-01')::double precision"


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
        found = _float_text(_float(column))
    elif kind == "numeric":
        infinite = f"REPLACE({column}::text, 'Infinity', 'inf')"
        digits = f"TRIM_SCALE(NULLIF({column}, 'NaN'))::text"
        found = f"CASE WHEN {column}::text LIKE '%Inf%' THEN {infinite} ELSE {digits} END"
    elif kind in _MOMENTS:
        found = f"{_moment(column, kind)}::text"
    elif kind in ("text", "varchar", "bpchar"):  # an operation on a longer one could fail
        found = f"CASE WHEN OCTET_LENGTH({column}) <= {LONGEST_TEXT} THEN {column}::text END"
    elif kind in (*_TEXTS, *_WHOLE, "bool", "uuid"):
        found = column
    else:
        return None
    return as_text(found)


# ---------------------------------------------------------------------- by what is stored


def _moment(column: str, kind: str) -> str:
    """A date or a moment of the calendar; NULL for any other, and for those without an end."""
    ends = [f"'{end}{'+00' * (kind == 'timestamptz')}'::{kind}" for end in _ENDS]
    return f"CASE WHEN {column} >= {ends[0]} AND {column} < {ends[1]} THEN {column} END"


_ENDS = ("0001-01-01 00:00:00", "10000-01-01 00:00:00")


def _float(column: str) -> str:
    """A float, and NULL for NaN."""
    return f"NULLIF({column}::double precision, 'NaN'::double precision)"


def _nearest(column: str) -> str:
    """A NUMERIC as the nearest float; beyond the floats it is infinite, and tiny ones are zero."""
    return (
        f"CASE WHEN {column} = 'NaN' THEN NULL "
        f"WHEN {column} >= {_BEYOND} THEN {INFINITY} "
        f"WHEN {column} <= -{_BEYOND} THEN -{INFINITY} "
        f"WHEN ABS({column}) <= {_NOTHING} THEN {literal(0.0)} "
        f"ELSE {column}::double precision END"
    )


def _float_text(value: str) -> str:
    """A float as its shortest digits; up to 2^53, a whole number as the integer that it is."""
    text = f"{value}::text"
    long = f"{text}::numeric::text"  # 16 digits before the point are written without an exponent
    return (
        f"CASE WHEN ABS({value}) <= {literal(float(EXACT))} AND FLOOR({value}) = {value} "
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
