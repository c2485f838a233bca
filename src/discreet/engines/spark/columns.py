"""A stored column as its declaration says, by the rule for stored cells, and without failing.

None of the conversions can fail on a value, nor depends on a setting.  A type that would need one
that can is refused when the table is opened, where nothing is known of the rows.  What a frame or a
scan does below can fail, and Spark decides for which rows it is done: by the conditions of a
question, unless something stands between that it does not look through.

Decision: docs/decisions/views_behind_a_fence.md
"""

from collections.abc import Iterable, Mapping

from discreet.engines.sources import Stored
from discreet.engines.units import are_mixed
from discreet.engines.writing import LONGEST_TEXT
from discreet.errors import Remedy, SourceError
from discreet.plan.columns import Boolean, Category, Column, Number
from discreet.plan.dates import FIRST_DAY, LAST_DAY

_WHOLE = ("tinyint", "smallint", "int", "bigint")
_FLOATS = ("float", "double")
_DATES = ("date", "timestamp", "timestamp_ntz")
_DAY = 86_400_000_000
_FENCE = "SPARK_PARTITION_ID() >= 0"
"""Always true, and not known to be before the rows are read: no condition is moved across it."""


def relation(
    table: Stored, types: Mapping[str, str], places: Mapping[str, str], *, mixed: bool = False
) -> dict[str, str]:
    """The columns of a table that are read, each as it is declared, by their names.

    ``types`` says how each is stored, ``places`` what it is called in Spark.  With ``mixed``, ids
    are texts.
    """
    found = {
        name: _read(places[name], types[name], declared, name)
        for name, declared in table.columns.items()
    }
    if table.unit is not None:
        found[table.unit] = _unit(places[table.unit], types[table.unit], mixed=mixed)
    return {name: f"IF({_FENCE}, {read}, NULL)" for name, read in found.items()}


def check_units(types: Iterable[tuple[str, str]]) -> bool:
    """Whether ids are to be compared as texts, since some are whole numbers and some texts.

    ``types`` are the names and types of the columns that say whose row it is, table by table.
    """
    families = []
    for name, kind in types:
        family = _family(kind)
        if family is None:
            raise SourceError(
                f"the unit {name[:60]!r} is stored as {_word(kind)}. Ids are compared, sorted and "
                "counted.",
                Remedy(
                    python="Cast it in a frame, and pass that: "
                    f"frame.withColumn({name[:60]!r}, F.col({name[:60]!r}).cast('string')).",
                    policy=f"Cast it in a view, by CAST(`{name[:60]}` AS STRING), and name the "
                    "view as the source.",
                ),
            )
        families.append(family)
    return are_mixed(families)


def _family(kind: str) -> str | None:
    if kind in _WHOLE:
        return "whole"
    if kind in _FLOATS:
        return "float"
    if _is_text(kind):
        return "text"
    if kind.startswith("decimal"):
        return kind
    return kind if kind in (*_DATES, "boolean", "binary") else None


def _unit(place: str, kind: str, *, mixed: bool) -> str:
    """Whose row it is.  A NaN names nobody, as a NULL does, and 0 is -0."""
    if kind in _FLOATS:
        return f"({_float(place)} + CAST('0.0' AS DOUBLE))"
    if kind in _WHOLE:
        whole = f"CAST({place} AS BIGINT)"
        return f"CAST({whole} AS STRING)" if mixed else whole
    if kind in _DATES:
        known = f"UNIX_MICROS({place})" if kind == "timestamp" else place
        return f"CASE WHEN {_days(place, kind)} IS NOT NULL THEN {known} END"
    if kind == "binary":
        return _short(place, f"HEX({place})")
    return _text(place, kind) if _is_text(kind) else place


def _read(place: str, kind: str, declared: Column, name: str) -> str:
    if isinstance(declared, Number) and declared.dated:
        if kind in _DATES:
            return f"CAST({_days(place, kind)} AS DOUBLE)"
        raise _unreadable(name, kind, "a date", "date")
    if isinstance(declared, Number) or (isinstance(declared, Category) and declared.numeric):
        if kind in _FLOATS:
            return _float(place)
        if kind in (*_WHOLE, "boolean") or kind.startswith("decimal"):
            return f"CAST({place} AS DOUBLE)"
        if kind in _DATES:
            raise SourceError(
                f"the column {name[:60]!r} is declared as a number, and Spark stores it as "
                f"{_word(kind)}. Dates have bounds of their own.",
                Remedy(
                    python='Declare it so: dp.date("2020-01-01", "2029-12-31").',
                    policy='Declare it so: { type = "date", low = "2020-01-01", high = '
                    '"2029-12-31" }.',
                ),
            )
        raise _unreadable(name, kind, "a number", "double")
    if isinstance(declared, Boolean):
        if kind == "boolean":
            return place
        if kind in (*_WHOLE, *_FLOATS):
            number = f"CAST({place} AS DOUBLE)"
            return f"CASE WHEN {number} = 1 THEN TRUE WHEN {number} = 0 THEN FALSE END"
        raise _unreadable(name, kind, "true or false", "boolean")
    if _is_text(kind) or kind == "binary":
        return _text(place, kind)
    if kind in (*_WHOLE, "boolean"):
        return f"CAST({place} AS STRING)"
    raise _unreadable(name, kind, "a text", "string")


def _is_text(kind: str) -> bool:
    return kind.partition(" ")[0].partition("(")[0] in ("string", "varchar", "char")


def _text(place: str, kind: str) -> str:
    """A text that is compared by its bytes, whatever collation its column has.

    Spark's texts may hold any bytes.  Those that are no text are missing.
    """
    text = f"COLLATE({place}, 'UTF8_BINARY')" if "collate" in kind.lower() else place
    if kind == "binary":
        text = f"CAST({place} AS STRING)"
    return _short(place, f"TRY_VALIDATE_UTF8({text})")


def _short(place: str, found: str) -> str:
    """What is made of a text or of bytes that are not too long: an operation on them could fail."""
    return f"CASE WHEN OCTET_LENGTH({place}) <= {LONGEST_TEXT} THEN {found} END"


def _float(place: str) -> str:
    """A float, and NULL for NaN."""
    return f"NANVL(CAST({place} AS DOUBLE), CAST(NULL AS DOUBLE))"


def _days(place: str, kind: str) -> str:
    """The number of days from 1970 in UTC, whatever the session's time zone is.

    What the calendar does not have is missing.
    """
    if kind == "timestamp":
        moment = f"UNIX_MICROS({place})"
        before = f"CASE WHEN {moment} < 0 AND PMOD({moment}, {_DAY}) <> 0 THEN 1 ELSE 0 END"
        days = f"(({moment} DIV {_DAY}) - {before})"
    else:
        days = f"UNIX_DATE({place if kind == 'date' else f'CAST({place} AS DATE)'})"
    return f"CASE WHEN {days} BETWEEN {FIRST_DAY} AND {LAST_DAY} THEN {days} END"


def _unreadable(name: str, kind: str, what: str, wanted: str) -> SourceError:
    return SourceError(
        f"the column {name[:60]!r} is declared as {what}, and Spark stores it as {_word(kind)}. A "
        "cast between them could fail on a row, and that would show it. Cast it as you mean it in "
        f"a view or a frame, by try_cast(`{name[:60]}` AS {wanted}), and name that as the source."
    )


def _word(kind: str) -> str:
    return kind if len(kind) <= 40 else f"{kind[:40]}…"
