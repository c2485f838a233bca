"""A table as its custodian declares it: columns, whom it protects, and each person's caps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from discreet.errors import PolicyError, Remedy
from discreet.plan.columns import BooleanColumn, CategoryColumn, Column, NumberColumn, TextColumn
from discreet.plan.expressions import constant_text, quoted_name
from discreet.privacy.sensitivity import Neighbors

ROW = "row"
_LONGEST = 60
"""Characters of a name or a value that is an example in a message."""
MOST_ROWS = 1_000_000
"""The largest cap: a person's weights then fit in 64 bits."""
DECLARE_THE_UNIT = Remedy(
    python='Declare the column that says whose row it is: unit="patient_id".',
    policy='Declare the column that says whose row it is: unit = "patient_id" in the policy.',
)
"""What rows of several tables, or a person's rows, need to belong to someone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartnerTable:
    """Another private table about the same people, to join with: one budget covers them all.

    ``unit`` is the column that says whose row it is.  Joined, a person keeps ``max_rows`` of it.
    """

    columns: Mapping[str, Column]
    unit: str
    max_rows: int | None = None

    def to_data(self) -> dict[str, Any]:
        """Plain data, for the ledger and the certificate."""
        return {
            "unit": self.unit,
            "max_rows": self.max_rows,
            "columns": {name: column.to_data() for name, column in self.columns.items()},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupTable:
    """A lookup table that is not sensitive: its columns, and how often each repeats a value."""

    columns: Mapping[str, Column]
    most: Mapping[str, int] = field(default_factory=dict)
    """By column, how many rows have its most common value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """Declarations that a question is checked and priced against.  No data are behind it.

    ``unit`` is the column that names the person a row belongs to, or "row".  A person counts in
    at most ``max_groups`` groups and for at most ``max_rows`` rows; one with more is weighed down.
    ``private`` are further tables about the same people, ``public`` are lookup tables.
    """

    name: str
    columns: Mapping[str, Column]
    unit: str = ROW
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    max_groups: int | None = None
    max_rows: int | None = None
    private: Mapping[str, PartnerTable] = field(default_factory=dict)
    public: Mapping[str, LookupTable] = field(default_factory=dict)
    by_person: bool = field(init=False, repr=False, compare=False)
    """Whether several rows may belong to one person."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_person", self.unit != ROW)
        _check_columns(self.columns, self.unit)
        for what in ("max_groups", "max_rows"):
            self._check_cap(what, getattr(self, what))
        for name, beside in self.private.items():
            _check_columns(beside.columns, beside.unit)
            self._check_cap("max_rows", beside.max_rows)
            if not self.by_person:
                raise PolicyError(
                    f"the private table {name[:60]!r} is to be joined, and the unit is the row. "
                    "Rows of two tables belong together by the person.",
                    DECLARE_THE_UNIT,
                )
        tables = [self.name, *self.private, *self.public]
        folded = [table.casefold() for table in tables]
        for table in tables:
            if not _is_name(table) or folded.count(table.casefold()) > 1:
                raise PolicyError(
                    f"two tables are named {table[:60]!r}, or a table has no printable name. SQL "
                    "knows them by their names, whatever the capitals. Use another name."
                )

    def to_data(self) -> dict[str, Any]:
        """Plain data, for the ledger and the certificate."""
        data = {
            "unit": self.unit,
            "max_groups": self.max_groups,
            "max_rows": self.max_rows,
            "columns": {name: column.to_data() for name, column in self.columns.items()},
        }
        if self.private:  # what is public may change, and is not part of the promise
            data["private"] = {name: table.to_data() for name, table in self.private.items()}
        return data

    def _check_cap(self, what: str, cap: object) -> None:
        if cap is None:
            return
        if type(cap) is not int or not 1 <= cap <= MOST_ROWS:
            raise PolicyError(
                f"{what} is not a whole number from 1 to {MOST_ROWS:,}. It caps how much one "
                "person can count.",
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
                    'dp.category(["A", "B"]), dp.date("2020-01-01", "2026-12-31"), dp.boolean() '
                    "or dp.text().",
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


def example_condition(columns: Mapping[str, Column]) -> str:
    """A condition on a row of these columns, in SQL, for a message."""
    for name, column in columns.items():
        if isinstance(column, NumberColumn) and not column.dated and len(name) <= _LONGEST:
            return f"{quoted_name(name)} > 2"
    return example_equality(columns)


def example_equality(columns: Mapping[str, Column]) -> str:
    """A condition that chooses one group of rows, in SQL, for a message."""
    for name, column in columns.items():
        if isinstance(column, CategoryColumn) and len(name) <= _LONGEST:
            value = column.values[0]
            text = constant_text(value) if isinstance(value, str) else str(value)
            if len(text) <= _LONGEST:
                return f"{quoted_name(name)} = {text}"
    truths = (name for name, one in columns.items() if isinstance(one, BooleanColumn))
    return next((quoted_name(name) for name in truths if len(name) <= _LONGEST), "x = 'a'")
