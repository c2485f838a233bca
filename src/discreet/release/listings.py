"""SHOW TABLES, SHOW COLUMNS and DESCRIBE: what is declared, which is public and free."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from discreet.errors import Front, QueryError
from discreet.plan.schema import Column, Schema
from discreet.release.info import column_words
from discreet.sql.read.messages import did_you_mean, listed_names
from discreet.sql.read.parser import SHOWN_COLUMNS
from discreet.text_table import aligned

_PERSON: Final = "says whose row it is, and can only be counted"


@dataclass(frozen=True, slots=True, repr=False)
class Listing:
    """Declared tables or columns, a row of texts for each.  No row of a table is behind it."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> dict[str, list[str]]:
        """The columns by name."""
        return {name: [row[at] for row in self.rows] for at, name in enumerate(self.columns)}

    def to_pandas(self) -> Any:
        """A DataFrame."""
        return import_module("pandas").DataFrame(self.to_dict())

    def lines(self) -> list[str]:
        """A table in plain text."""
        return aligned([self.columns, *self.rows])

    def __repr__(self) -> str:
        return "\n".join(self.lines())


def read_listing(text: str, schema: Schema) -> Listing:
    """What SHOW TABLES, SHOW COLUMNS or DESCRIBE lists.

    >>> from discreet.plan.schema import number
    >>> visits = Schema(name="visits", columns={"stay": number(0, 60)}, unit="patient_id")
    >>> read_listing("DESCRIBE visits", visits)
    column      type    holds
    stay        number  a number from 0 to 60
    patient_id  id      says whose row it is, and can only be counted
    """
    asked = SHOWN_COLUMNS.fullmatch(text)
    if asked is None:
        return _tables(schema)
    written = asked[1] or asked[2]
    return _columns(schema, schema.name if written is None else _unquoted(written))


def _tables(schema: Schema) -> Listing:
    rows = [(schema.name, "private")]
    rows += [(name, "private, about the same people") for name in schema.private]
    rows += [(name, "public") for name in schema.public]
    return Listing(("table", "kind"), tuple(rows))


def _columns(schema: Schema, name: str) -> Listing:
    known = {schema.name: (schema.columns, schema.unit if schema.by_person else None)}
    known |= {name: (one.columns, one.unit) for name, one in schema.private.items()}
    known |= {name: (one.columns, None) for name, one in schema.public.items()}
    folded = {one.casefold(): one for one in known}
    if name.casefold() not in folded:
        names = list(known)
        raise QueryError(
            f"there is no table {name[:60]!r}.{did_you_mean(name, names)} Only declared tables are "
            f"described: {listed_names(names)}. Write DESCRIBE with one of them."
        ).caught_by(Front.SQL)
    columns, unit = known[folded[name.casefold()]]
    rows = [_row(column, declared) for column, declared in columns.items()]
    person: Sequence[tuple[str, str, str]] = [] if unit is None else [(unit, "id", _PERSON)]
    return Listing(("column", "type", "holds"), (*rows, *person))


def _row(name: str, column: Column) -> tuple[str, str, str]:
    return name, str(column.to_data()["kind"]), column_words(column)


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name
