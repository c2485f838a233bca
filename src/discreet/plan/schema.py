"""A table as its custodian declares it: columns, whom it protects, and each person's caps."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import sha256
from itertools import pairwise
from typing import Any, Literal, NoReturn, TypeVar

from discreet.errors import BoundsError, PolicyError, Remedy, with_article
from discreet.exact import decimal_text, rational
from discreet.plan.calendar import DAY_SECONDS, Dated, dated_text, day, second, time_second
from discreet.plan.zones import check_zone, zone_offsets
from discreet.privacy.number_text import plural
from discreet.privacy.sensitivity import Neighbors

LARGEST_BOUND = 10**100
LARGEST_KEY = 1 << 53
MOST_KEYS = 1_000_000
MOST_BINS = 1_000
_MOST_WRITTEN = 200
_DATE_DIRECTIVES = "Ymd"
_TIME_DIRECTIVES = "HIpMSfz"
_LONGEST_FORMAT = 60

CategoryValue = str | int | bool
Declared = TypeVar("Declared")


ROW = "row"
LONGEST_VERSION = 60
MOST_ROWS = 1_000_000
"""The largest cap: a person's weights then fit in 64 bits."""
DECLARE_THE_UNIT = Remedy(
    python='Declare the column that says whose row it is: unit="patient_id".',
    policy='Declare the column that says whose row it is: unit = "patient_id" in the policy.',
)
"""What rows of several tables, or a person's rows, need to belong to someone."""


class Declarations(dict[str, Declared]):
    """What was declared by names: it stays so, whoever holds it."""

    __slots__ = ()

    def _refused(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("what was declared of a table is not changed. Open the table with it.")

    __setitem__ = __delitem__ = __ior__ = _refused
    clear = pop = popitem = setdefault = update = _refused

    def __reduce__(self) -> tuple[type, tuple[dict[str, Declared]]]:
        return type(self), (dict(self),)


def _keep(table: object, *names: str) -> None:
    """Let nobody change such mappings of a table that is declared."""
    for name in names:
        object.__setattr__(table, name, Declarations(getattr(table, name)))


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberColumn:
    """A numeric column; ``whole`` says that its values are integers.

    ``dated`` ones are days or seconds since 1970: dates, or datetimes of a wall clock; or seconds
    since midnight: times of day.  Without
    bounds it can be filtered by, and nothing else.
    """

    low: Fraction | None = None
    high: Fraction | None = None
    whole: bool = False
    dated: Dated = Dated.NOT
    default: Fraction | None = None
    zone: str | None = None
    """Whose wall clock it is, where cells say which moment of the world they are."""
    unit: Literal["s", "ms"] | None = None
    """What its cells count since 1970, where they are numbers."""
    format: str | None = None
    """How texts of it are written, where that is not as in ISO 8601."""
    decimal: Literal[","] | None = None
    """The comma before the fraction, where texts have it in the place of the point."""

    def to_data(self) -> dict[str, Any]:
        """Plain data, for the ledger and the certificate."""
        kinds = {Dated.DAYS: "date", Dated.SECONDS: "datetime", Dated.TIME: "time"}
        kind = kinds.get(self.dated, "integer" if self.whole else "number")
        ends = {"low": self.low, "high": self.high, "default": self.default}
        forms = {one: getattr(self, one) for one in CELL_FORMS if getattr(self, one) is not None}
        return (
            {"kind": kind}
            | forms
            | {name: _written(end, self.dated) for name, end in ends.items() if end is not None}
        )


CELL_FORMS = ("zone", "unit", "format", "decimal")
"""What a declaration may say of how the cells of a numeric column are written."""


@dataclass(frozen=True, slots=True)
class CategoryColumn:
    """A column with a public list of values: all texts, or all integers."""

    values: tuple[CategoryValue, ...]
    numeric: bool = field(init=False, repr=False, compare=False)
    """Whether records are compared as numbers rather than as texts."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "numeric", bool(self.values) and isinstance(self.values[0], int))

    def to_data(self) -> dict[str, Any]:
        """Plain data, for the ledger and the certificate."""
        if len(self.values) <= _MOST_WRITTEN:
            return {"kind": "category", "values": list(self.values)}
        text = json.dumps(self.values, ensure_ascii=False)
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return {"kind": "category", "values": len(self.values), "sha256": digest}


@dataclass(frozen=True, slots=True)
class BooleanColumn:
    """A column of true and false."""

    def to_data(self) -> dict[str, Any]:
        """Plain data, for the ledger and the certificate."""
        return {"kind": "boolean"}


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column whose values are private: they can be keys only through private selection."""

    def to_data(self) -> dict[str, Any]:
        """Plain data, for the ledger and the certificate."""
        return {"kind": "text"}


Column = NumberColumn | CategoryColumn | BooleanColumn | TextColumn


def number(
    low: object = None, high: object = None, *, default: object = None, decimal: str | None = None
) -> NumberColumn:
    """A numeric column, clipped to public bounds where it is aggregated.

    ``default`` stands for a missing value where the number of records is public; the middle of
    the bounds unless stated.  With ``decimal=","`` the text 2,5 is a number, and 2.5 is not.

    >>> number(0, 60).high
    Fraction(60, 1)
    """
    declared = _bounded("number", low, high, default, rational, whole=False)
    return replace(declared, decimal=_decimal(decimal))


def integer(
    low: object = None, high: object = None, *, default: object = None, decimal: str | None = None
) -> NumberColumn:
    """A column of whole numbers with public bounds.

    Sums, means and quantiles count in whole steps, so that a stored fraction is rounded there,
    halves up: 0.4 adds 0.  Conditions see 0.4, and it is in no group.  Declare a column with
    fractions as ``number``.

    >>> integer(0, 120).whole
    True
    """
    declared = _bounded("integer", low, high, default, rational, whole=True)
    for end in (declared.low, declared.high, declared.default):
        if end is not None and end.denominator != 1:
            raise BoundsError(
                f"a bound of an integer column is {decimal_text(end)}. Its values are whole "
                "numbers, so its bounds are.",
                Remedy(
                    python="Write dp.integer(0, 120), or dp.number(0, 1.5).",
                    policy="",
                ),
            )
    return replace(declared, decimal=_decimal(decimal))


def date(
    low: object = None, high: object = None, *, default: object = None, format: str | None = None
) -> NumberColumn:
    """A column of dates with public bounds; a time of day is dropped.

    ``format`` says how texts are written, as Python's ``strptime`` reads them: "%d/%m/%Y".

    >>> date("2020-01-01", "2026-12-31").low
    Fraction(18262, 1)
    """
    declared = _bounded("date", low, high, default, _days, whole=True, dated=Dated.DAYS)
    return replace(declared, format=_format(format, Dated.DAYS))


def datetime(
    low: object = None,
    high: object = None,
    *,
    default: object = None,
    zone: str | None = None,
    unit: str | None = None,
    format: str | None = None,
) -> NumberColumn:
    """A column of datetimes with public bounds, in whole seconds of a wall clock.

    Bounds, hours and days are those of the clock.  ``zone`` says whose it is: cells that say which
    moment of the world they are, such as 2026-01-31T10:00:00Z, are then shown by its clock.
    Without it such cells are missing, and a column whose type has a zone is refused.  ``unit`` is
    "s" or "ms" where cells are numbers since 1970 in UTC.  ``format`` says how texts are written,
    as Python's ``strptime`` reads them: "%d/%m/%Y %H:%M".

    >>> datetime("2026-01-01", "2026-12-31 23:59:59", zone="Europe/Paris").to_data()
    {'kind': 'datetime', 'zone': 'Europe/Paris', 'low': '2026-01-01 00:00:00',
     'high': '2026-12-31 23:59:59'}
    """
    declared = _bounded("datetime", low, high, default, _seconds, whole=True, dated=Dated.SECONDS)
    if unit is not None and unit not in ("s", "ms"):
        raise BoundsError(
            f"the unit {str(unit)[:40]!r} is not known. Numbers count seconds or milliseconds "
            "since 1970.",
            Remedy(python='Write unit="s" or unit="ms".', policy='Write unit = "s" or "ms".'),
        )
    if unit is not None and format is not None:
        raise BoundsError(
            "a datetime column has a unit and a format. Its cells are numbers since 1970, or "
            "texts. Leave one of them out."
        )
    if unit is not None and zone is None:
        raise BoundsError(
            "a datetime column has a unit and no zone. What is counted since 1970 is a moment of "
            "the world, and its hour and day are those of a zone, which is never chosen silently.",
            Remedy(
                python='Write zone="Europe/Paris", or zone="UTC".',
                policy='Write zone = "Europe/Paris", or zone = "UTC".',
            ),
        )
    if zone is None and format is not None and "%z" in str(format):
        raise BoundsError(
            "a datetime column has a format with %z and no zone. Its texts say which moment of the "
            "world they are, and the clock that shows it is never chosen silently.",
            Remedy(
                python='Write zone="Europe/Paris", or zone="UTC".',
                policy='Write zone = "Europe/Paris", or zone = "UTC".',
            ),
        )
    if zone is not None:
        check_zone(zone)
        if declared.low is None or declared.high is None:
            raise BoundsError(
                "a datetime column has a zone and no bounds. Its clocks are looked up between "
                "them.",
                _like("datetime", Dated.SECONDS),
            )
        zone_offsets(zone, int(declared.low), int(declared.high))
    return replace(
        declared,
        zone=zone,
        unit="s" if unit == "s" else "ms" if unit else None,
        format=_format(format, Dated.SECONDS),
    )


def time(low: object = None, high: object = None, *, default: object = None) -> NumberColumn:
    """A column of times of day with public bounds, in whole seconds since midnight.

    Cells are times without a zone, or texts such as 08:30 and 08:30:59.  A datetime is no time of
    day: declare it as ``datetime``, and ask for its hour.

    >>> time("08:00", "17:59:59").to_data()
    {'kind': 'time', 'low': '08:00:00', 'high': '17:59:59'}
    """
    return _bounded("time", low, high, default, _seconds_of_day, whole=True, dated=Dated.TIME)


def boolean() -> BooleanColumn:
    """A column of true and false.

    >>> boolean()
    BooleanColumn()
    """
    return BooleanColumn()


def text() -> TextColumn:
    """A column of texts that are not public, such as a diagnosis that anyone may write.

    >>> text()
    TextColumn()
    """
    return TextColumn()


def category(values: Sequence[object]) -> CategoryColumn:
    """A column with a public list of values; records with another value are in none of them.

    Grouping by it releases every value, whether or not it occurs, in this order.  A value that is
    not listed is not missing: ``COUNT(x)`` counts it.

    >>> category(["A", "B", "C"]).values
    ('A', 'B', 'C')
    """
    listed = isinstance(values, list | tuple)
    distinct_values = tuple(values) if listed else ()
    kinds = set(map(type, distinct_values))
    if kinds not in ({str}, {int}):
        raise BoundsError(
            "the values of a category are not a list of texts or a list of whole numbers. They "
            "are public and become the groups of a table, so each is written down.",
            Remedy(
                python='Write dp.category(["A", "B", "C"]) or dp.category([1, 2, 3]).',
                policy="",
            ),
        )
    if len(set(distinct_values)) != len(distinct_values):
        raise BoundsError(
            "a category lists a value twice. Each value is one group. Write every value once."
        )
    if kinds == {int} and any(abs(value) > LARGEST_KEY for value in distinct_values):  # type: ignore[arg-type]
        raise BoundsError(
            "a category lists a whole number beyond 2^53. Rows are compared in 64-bit floats, "
            "which do not tell such numbers apart. Declare the values as texts."
        )
    if len(distinct_values) > MOST_KEYS:
        raise BoundsError(
            f"a category lists more than {MOST_KEYS:,} values. Every one of them is released.",
            Remedy(
                python="Declare dp.text() and let the common ones be found privately.",
                policy='Declare { type = "text" } and let the common ones be found privately.',
            ),
        )
    if kinds == {str} and any(
        not name.isprintable() for name in distinct_values if isinstance(name, str)
    ):
        raise BoundsError(
            "a category has a value with a line break or another character that cannot be "
            "printed. Values stand in tables and reports. Write printable texts."
        )
    return CategoryColumn(distinct_values)  # type: ignore[arg-type]


def read_edges(edges: object) -> tuple[tuple[Fraction, ...], Dated]:
    """Increasing bin edges, at least two, and whether they are dates, datetimes or times.

    >>> read_edges([0, 18, 65])
    ((Fraction(0, 1), Fraction(18, 1), Fraction(65, 1)), False)
    """
    listed = list(edges) if isinstance(edges, list | tuple | range) else []
    times = [time_second(edge) for edge in listed]
    if listed and None not in times:
        return _increasing([Fraction(at) for at in times if at is not None]), Dated.TIME
    moments = [_moment(edge) for edge in listed]
    known = [at for at in moments if at is not None]
    dated = Dated.NOT
    if listed and len(known) == len(listed):
        dated = Dated.SECONDS if any(at % DAY_SECONDS for at in known) else Dated.DAYS
    elif known:
        raise BoundsError(
            "some bin edges are dates and some are not. Bins are cut out of one kind of value. "
            "Write all of them as dates, or all as numbers."
        )
    numbers = [
        Fraction(at, DAY_SECONDS if dated is Dated.DAYS else 1)
        if at is not None
        else rational(edge, "a bin edge")
        for edge, at in zip(listed, moments, strict=True)
    ]
    return _increasing(numbers), dated


def _increasing(numbers: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Edges of bins that can be answered."""
    exact_edges = tuple(numbers)
    if len(exact_edges) > MOST_BINS + 1:
        raise BoundsError(
            f"there are more than {MOST_BINS:,} bins. Every one of them is released, and compared "
            "with every row. Use wider bins."
        )
    if len(exact_edges) < 2 or any(a >= b for a, b in pairwise(exact_edges)):
        raise BoundsError(
            "the bins are not a list of increasing edges. Bins must be public, and are [a, b) "
            "between neighboring edges, the last one closed. Write for example 0, 18, 65 and 120."
        )
    if max(map(abs, exact_edges)) > LARGEST_BOUND:
        raise BoundsError(
            "a bin edge lies beyond 10^100. Edges are compared as floats. Use edges that the "
            "values can really have."
        )
    return exact_edges


def _moment(value: object) -> int | None:
    """The second of a date or a datetime, given as such or as its text."""
    found = second(value)
    days = day(value) if found is None and isinstance(value, str) else None
    return found if days is None else days * DAY_SECONDS


def _days(value: object, name: str) -> Fraction:
    days = day(value)
    if days is None:
        raise BoundsError(
            f"{name} of a date column is not a date. Dates are written as year, month and day.",
            _like("date", Dated.DAYS),
        )
    return Fraction(days)


def _seconds(value: object, name: str) -> Fraction:
    found = _moment(value)
    if found is None:
        raise BoundsError(
            f"{name} of a datetime column is not one. They are those of the column's own wall "
            "clock: year, month and day, and a time without a zone.",
            _like("datetime", Dated.SECONDS),
        )
    return Fraction(found)


def _seconds_of_day(value: object, name: str) -> Fraction:
    found = time_second(value)
    if found is None:
        raise BoundsError(
            f"{name} of a time column is not a time of day. Times are written with two digits each "
            "for hour and minute, and for the second if there is one.",
            _like("time", Dated.TIME),
        )
    return Fraction(found)


_EXAMPLES = {
    Dated.NOT: "0, 120",
    Dated.DAYS: '"2020-01-01", "2026-12-31"',
    Dated.SECONDS: '"2020-01-01 00:00:00", "2026-12-31 23:59:59"',
    Dated.TIME: '"00:00", "23:59:59"',
}


def _like(kind: str, dated: Dated) -> Remedy:
    """How a column of a kind is declared with bounds; a policy's reader adds its own line."""
    return Remedy(python=f"Write dp.{kind}({_EXAMPLES[dated]}).", policy="")


def _decimal(sign: str | None) -> Literal[","] | None:
    if sign is None or sign == ".":
        return None
    if sign != ",":
        raise BoundsError(
            f"decimal is {str(sign)[:40]!r}. It is what stands before the fraction of a number in "
            "a text: a point, unless it is a comma.",
            Remedy(python='Write decimal=",".', policy='Write decimal = ",".'),
        )
    return ","


def _format(written: str | None, dated: Dated) -> str | None:
    """A format that is read alike: each part of a date once, and no further sign of strptime."""
    if written is None:
        return None
    text = str(written)
    directives = [found[1:] for found in re.findall(r"%.?", text, re.DOTALL) if found != "%%"]
    known = _DATE_DIRECTIVES + (_TIME_DIRECTIVES if dated is Dated.SECONDS else "")
    clock = {"H", "I", "p"} & {*directives}
    if (
        not {*_DATE_DIRECTIVES} <= {*directives} <= {*known}
        or len({*directives}) < len(directives)
        or clock not in (set(), {"H"}, {"I", "p"})
        or not text.isprintable()
        or len(text) > _LONGEST_FORMAT
    ):
        listed = " ".join(f"%{one}" for one in known)
        together = ", where %I and %p stand together" if dated is Dated.SECONDS else ""
        example = "%d/%m/%Y" + (" %H:%M" if dated is Dated.SECONDS else "")
        raise BoundsError(
            f"the format {text[:60]!r} is not one that can be read. It has year, month and day "
            f"once each, and of the signs of strptime only {listed}{together}.",
            Remedy(python=f'Write format="{example}".', policy=f'Write format = "{example}".'),
        )
    return text


def _bounded(
    kind: str,
    low: object,
    high: object,
    default: object,
    read: Any,
    *,
    whole: bool,
    dated: Dated = Dated.NOT,
) -> NumberColumn:
    if (low is None) != (high is None):
        raise BoundsError(
            f"a {kind} column has one bound. Values are clipped to both.",
            _like(kind, dated),
            "A column that is only filtered by needs none.",
        )
    if low is None:
        return NumberColumn(whole=whole, dated=dated)
    least, most = read(low, "the lower bound"), read(high, "the upper bound")
    middle = None if default is None else read(default, "the default")
    if least >= most:
        raise BoundsError(
            f"the bounds of a {kind} column do not increase: {_written(least, dated)} and "
            f"{_written(most, dated)}. Every value is clipped between them.",
            _like(kind, dated),
        )
    if max(abs(least), abs(most)) > LARGEST_BOUND:
        raise BoundsError(
            "a bound lies beyond 10^100. Answers and their errors must fit in a number. Use "
            "bounds that the values can really have, such as 0 and 120."
        )
    if middle is not None and not least <= middle <= most:
        raise BoundsError(
            f"the default of a {kind} column lies outside its bounds. It stands for missing "
            "values. Choose a value between the bounds."
        )
    return NumberColumn(low=least, high=most, whole=whole, dated=dated, default=middle)


def _written(value: Fraction, dated: Dated) -> str:
    return dated_text(value, dated) if dated else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartnerTable:
    """Another private table about the same people, to join with: one budget covers them all.

    ``unit`` is the column that says whose row it is.  A person counts for at most ``max_rows`` of
    its rows in a question about it alone.  Nobody has more than ``at_most_rows`` of it, where that
    is publicly known.
    """

    columns: Mapping[str, Column]
    unit: str
    max_rows: int | None = None
    at_most_rows: int | None = None

    def __post_init__(self) -> None:
        _keep(self, "columns")

    def to_data(self) -> dict[str, Any]:
        """Plain data, for the ledger and the certificate."""
        data = {
            "unit": self.unit,
            "max_rows": self.max_rows,
            "columns": {name: column.to_data() for name, column in self.columns.items()},
        }
        return data if self.at_most_rows is None else data | {"at_most_rows": self.at_most_rows}


def about_people(table: str, unit: str) -> tuple[str, Remedy]:
    """The refusal of a public table with the column that says whose row it is, and the remedy."""
    shown = table[:60]
    return (
        f"the public table {shown!r} goes by {unit[:60]!r}, which says whose row it is. A table "
        "with rows of the same people is about them, and so is private: of a public one everything "
        "may be read.",
        Remedy(
            python=f"Declare it beside the other: private={{{shown!r}: dp.beside(…)}}. If it is "
            "about something else, give the column another name.",
            sql=f"It has to be declared under [private.{shown}].",
            policy=f"Declare it under [private.{shown}]. If it is about something else, give the "
            "column another name.",
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupTable:
    """A lookup table that is not sensitive: its columns, and how often each repeats a value."""

    columns: Mapping[str, Column]
    most: Mapping[str, int] = field(default_factory=dict)
    """By column, how many rows have its most common value."""

    def __post_init__(self) -> None:
        _keep(self, "columns", "most")


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """Declarations that a question is checked and priced against.  No data are behind it.

    ``unit`` is the column that names the person a row belongs to, or "row".  A person counts in
    at most ``max_groups`` groups and for at most ``max_rows`` rows, of which at most
    ``max_rows_per_group`` in one group, where that is declared; one with more counts for no more.
    ``private`` are further tables about the same people, ``public`` are lookup tables.

    ``at_most_rows`` and ``at_most_groups`` are public ceilings: nobody has more rows, or is in more
    groups of one column.  They are believed, so answers may say what the caps leave out by them;
    noise never counts on them.  ``version`` names the data, and changes when they do.
    """

    name: str
    columns: Mapping[str, Column]
    unit: str = ROW
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    max_groups: int | None = None
    max_rows: int | None = None
    max_rows_per_group: int | None = None
    at_most_rows: int | None = None
    at_most_groups: int | None = None
    version: str | None = None
    private: Mapping[str, PartnerTable] = field(default_factory=dict)
    public: Mapping[str, LookupTable] = field(default_factory=dict)
    by_person: bool = field(init=False, repr=False, compare=False)
    """Whether several rows may belong to one person."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_person", self.unit != ROW)
        _keep(self, "columns", "private", "public")
        _check_columns(self.columns, self.unit)
        for what in ("max_groups", "max_rows", "max_rows_per_group"):
            self._check_cap(what, getattr(self, what))
        for what in ("rows", "groups"):
            ceiling, cap = getattr(self, f"at_most_{what}"), getattr(self, f"max_{what}")
            self._check_ceiling(f"at_most_{what}", ceiling, cap)
        _check_version(self.version)
        for name, beside in self.private.items():
            _check_columns(beside.columns, beside.unit)
            self._check_cap("max_rows", beside.max_rows)
            self._check_ceiling("at_most_rows", beside.at_most_rows, beside.max_rows)
            if not self.by_person:
                raise PolicyError(
                    f"the private table {name[:60]!r} is to be joined, and the unit is the row. "
                    "Rows of two tables belong together by the person.",
                    DECLARE_THE_UNIT,
                )
        if self.by_person:
            units = {self.unit, *(beside.unit for beside in self.private.values())}
            for name, lookup in self.public.items():
                for column in sorted(units & set(lookup.columns)):
                    raise PolicyError(*about_people(name, column))
        tables = [self.name, *self.private, *self.public]
        folded = [table.casefold() for table in tables]
        for table in tables:
            if not _is_name(table) or folded.count(table.casefold()) > 1:
                raise PolicyError(
                    f"two tables are named {table[:60]!r}, or a table has no printable name. SQL "
                    "knows them by their names, whatever the capitals. Use another name."
                )

    @property
    def protected(self) -> str:
        """Whom the table protects, and for how much one of them counts."""
        return protected_text(self.unit, self.caps)

    @property
    def caps(self) -> dict[str, int]:
        """For how much one person counts, by the names of the caps."""
        return {name: cap for name in CAP_NAMES if (cap := getattr(self, name)) is not None}

    def to_data(self) -> dict[str, Any]:
        """Plain data, for the ledger and the certificate."""
        data = {
            "unit": self.unit,
            "max_groups": self.max_groups,
            "max_rows": self.max_rows,
            "columns": {name: column.to_data() for name, column in self.columns.items()},
        }
        if self.max_rows_per_group is not None:
            data["max_rows_per_group"] = self.max_rows_per_group
        further = ("at_most_rows", "at_most_groups", "version")
        data |= {name: told for name in further if (told := getattr(self, name)) is not None}
        if self.private:  # what is public may change, and is not part of the promise
            data["private"] = {name: table.to_data() for name, table in self.private.items()}
        return data

    def _check_ceiling(self, what: str, ceiling: object, cap: int | None) -> None:
        """A ceiling is a claim about the data, which a cap above it would only pay noise for."""
        self._check_cap(what, ceiling, "It says what one person can have at most.")
        if isinstance(ceiling, int) and cap is not None and ceiling < cap:
            name = what.replace("at_most", "max")
            raise PolicyError(
                f"{what} is {ceiling:,}, and {name} is {cap:,}. Nobody has more than the first, "
                "and noise is made for the second.",
                Remedy(python=f"Write {name}={ceiling}.", policy=f"Write {name} = {ceiling}."),
            )

    def _check_cap(
        self, what: str, cap: object, rule: str = "It caps how much one person can count."
    ) -> None:
        if cap is None:
            return
        if type(cap) is not int or not 1 <= cap <= MOST_ROWS:
            raise PolicyError(
                f"{what} is not a whole number from 1 to {MOST_ROWS:,}. {rule}",
                Remedy(python=f"Write {what}=10.", policy=f"Write {what} = 10."),
            )
        if not self.by_person:
            raise PolicyError(
                f"{what} is given, and the unit is the row. A row is in one group and counts once, "
                "so there is nothing to cap.",
                Remedy(
                    python=f"Leave {what} out, or name the column that says whose row it is: "
                    'unit="patient_id".',
                    policy=f"Leave {what} out, or name the column that says whose row it is: "
                    'unit = "patient_id".',
                ),
            )


CAP_NAMES = ("max_groups", "max_rows", "max_rows_per_group")
"""What a policy calls the caps on a person."""


def protected_text(unit: str, caps: Mapping[str, int]) -> str:
    """Whom a table protects, and for how much one of them counts.

    >>> protected_text("id", {"max_groups": 5, "max_rows": 40})
    'each id, with all its rows. An id counts for at most 40 rows in 5 groups'
    >>> protected_text("id", {"max_rows": 1}), protected_text(ROW, {})
    ('each id, with all its rows. An id counts for at most 1 row', 'each row')
    """
    if unit == ROW:
        return "each row"
    person = with_article(unit)
    groups, rows, in_a_group = map(caps.get, CAP_NAMES)
    within = plural(groups, "group") if groups else ""
    limits = []
    if rows:
        limits.append(f"for at most {plural(rows, 'row')}{f' in {within}' if within else ''}")
    elif within:
        limits.append(f"in at most {within}")
    if in_a_group:
        many = f"{plural(in_a_group, 'row')} in one group"
        limits.append(many if limits else f"for at most {many}")
    counts = f". {person[:1].upper()}{person[1:]} counts {', '.join(limits)}" if limits else ""
    return f"each {unit}, with all its rows{counts}"


def _check_version(version: object) -> None:
    if version is None:
        return
    text = str(version)
    if not _is_name(version) or len(text) > LONGEST_VERSION or text != text.strip():
        raise PolicyError(
            f"version is not a printable text of at most {LONGEST_VERSION} characters without "
            "blanks at its ends. It names the data, so that what was learned of them is not said "
            "of others.",
            Remedy(python='Write version="2026-11".', policy='Write version = "2026-11".'),
        )


def schema_from_data(data: Mapping[str, Any], now: Schema) -> Schema:
    """The declarations that ``Schema.to_data`` wrote, of a table that is ``now`` declared so.

    What was not written, public tables and the values of a long list, is taken from now.
    """
    return replace(
        now,
        columns=_columns_from_data(data["columns"], now.columns),
        max_groups=data["max_groups"],
        max_rows=data["max_rows"],
        max_rows_per_group=data.get("max_rows_per_group"),
        at_most_rows=data.get("at_most_rows"),
        at_most_groups=data.get("at_most_groups"),
        version=data.get("version"),
        private={
            name: PartnerTable(
                columns=_columns_from_data(
                    one["columns"], now.private[name].columns if name in now.private else {}
                ),
                unit=one["unit"],
                max_rows=one["max_rows"],
                at_most_rows=one.get("at_most_rows"),
            )
            for name, one in data.get("private", {}).items()
        },
    )


def _columns_from_data(
    data: Mapping[str, Mapping[str, Any]], now: Mapping[str, Column]
) -> dict[str, Column]:
    return {name: _column_from_data(one, now.get(name)) for name, one in data.items()}


def _column_from_data(data: Mapping[str, Any], now: Column | None) -> Column:
    if now is not None and now.to_data() == data:
        return now
    ends = [data[end] for end in ("low", "high") if end in data]
    forms = {form: data[form] for form in CELL_FORMS if form in data}
    match data["kind"]:
        case "number":
            return number(*ends, default=data.get("default"), **forms)
        case "integer":
            return integer(*ends, default=data.get("default"), **forms)
        case "date":
            return date(*ends, default=data.get("default"), **forms)
        case "datetime":
            return datetime(*ends, default=data.get("default"), **forms)
        case "boolean":
            return boolean()
        case "text":
            return text()
    return category(data["values"])


def _check_columns(columns: Mapping[str, Column], unit: str) -> None:
    for name, column in columns.items():
        if not _is_name(name):
            raise PolicyError(
                "a column has no printable name. Columns are named as in the data.",
                Remedy(
                    python='Write columns={"age": dp.integer(0, 120)}.',
                    policy="Write age = { low = 0, high = 120 }.",
                ),
            )
        if not isinstance(column, NumberColumn | CategoryColumn | BooleanColumn | TextColumn):
            raise PolicyError(
                f"column {name[:60]!r} is declared as {type(column).__name__}. A declaration "
                "says which values are public.",
                Remedy(
                    python="Write dp.number(0, 60), dp.integer(0, 120), "
                    'dp.category(["A", "B"]), dp.date("2020-01-01", "2026-12-31"), '
                    'dp.datetime("2020-01-01", "2026-12-31 23:59:59"), dp.boolean() or dp.text().',
                    policy='Write { low = 0, high = 60 }, { values = ["A", "B"] } or '
                    '{ type = "text" }.',
                ),
            )
    if not _is_name(unit):
        raise PolicyError(
            "unit is not a text. It says whom the table protects.",
            Remedy(
                python='Write unit="row", or the column that says whose row it is, such as '
                'unit="patient_id".',
                policy='Write unit = "row", or the column that says whose row it is, such as '
                'unit = "patient_id".',
            ),
        )
    if unit in columns:
        raise PolicyError(
            f"the unit {unit[:60]!r} is also declared as a column. What a person's id is "
            "can never be asked. Take it out of columns."
        )


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value) and value.isprintable()
