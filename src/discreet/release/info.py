"""What may be asked of a table, from its declarations alone: free, and no row is read.

Every example was planned before it is shown, so that it is accepted as it stands.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import Any, Final

from discreet.accounting.filters import Filter, left_text, share_left
from discreet.errors import DiscreetError, Front
from discreet.exact import decimal_text, percent_text
from discreet.plan.calendar import Dated, dated_text
from discreet.plan.expressions import constant_text, quoted_name
from discreet.plan.schema import (
    BooleanColumn,
    CategoryColumn,
    Column,
    NumberColumn,
    Schema,
    TextColumn,
)
from discreet.privacy.number_text import plural
from discreet.question.check import checked_question
from discreet.question.groupings import label_text
from discreet.release.plan import make_plan
from discreet.templates import table_html
from discreet.text_table import TextTable, wrapped

_CONSTANTS: Final = {
    Dated.DAYS: "'2025-01-01'",
    Dated.SECONDS: "'2025-01-01 12:00'",
    Dated.TIME: "'12:00'",
}
_KINDS: Final = {Dated.DAYS: "date", Dated.SECONDS: "datetime", Dated.TIME: "time of day"}
_WIDTH: Final = 80
_MOST_VALUES: Final = 8
_LONGEST_VALUE: Final = 30
_MOST_PAIRS: Final = 200
_LEAST_WIDTH: Final = 40
_DELTA: Final = Fraction(1, 10**6)
_HOW: Final = {
    Front.PYTHON: 'table.ask("SELECT …").plan(epsilon=0.1) is free, table.sql("SELECT …", '
    "epsilon=0.1) pays.",
    Front.COMMAND: 'discreet plan POLICY "SELECT …" --epsilon 0.1 is free, discreet ask … pays.',
}
_DELTA_TOO: Final = {Front.PYTHON: "with delta=1e-6", Front.COMMAND: "with --delta 1e-6"}


@dataclass(frozen=True, slots=True)
class ExampleQuestion:
    """A question that is accepted as it stands; ``needs_delta`` where groups are found by it."""

    sql: str
    needs_delta: bool = False

    def told(self, front: Front) -> str:
        """As a front shows it."""
        return f"{self.sql}   {_DELTA_TOO[front]}" if self.needs_delta else self.sql


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """A column: what it is declared to hold, and a question about it, if any can be asked."""

    name: str
    holds: str
    declared: Mapping[str, Any]
    example: ExampleQuestion | None


@dataclass(frozen=True, slots=True)
class JoinInfo:
    """Another table that can be joined: what it is, its columns, and a question with it."""

    name: str
    kind: str
    columns: Mapping[str, str]
    example: ExampleQuestion | None


@dataclass(frozen=True, repr=False)
class TableInfo:
    """What may be asked of a table, and what not; ``visits.info()`` shows it."""

    name: str
    protects: str
    neighbors: str
    caps: Mapping[str, int | None]
    budget: str | None
    left: str | None
    share_left: Fraction | None
    columns: tuple[ColumnInfo, ...]
    tables: tuple[JoinInfo, ...]
    not_possible: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""

        def example(one: ExampleQuestion | None) -> dict[str, Any] | None:
            return None if one is None else {"sql": one.sql, "needs_delta": one.needs_delta}

        return {
            "table": self.name,
            "protects": self.protects,
            "neighbors": self.neighbors,
            "caps": dict(self.caps),
            "budget": self.budget,
            "left": self.left,
            "share_left": None if self.share_left is None else float(self.share_left),
            "columns": [
                {
                    "column": one.name,
                    "holds": one.holds,
                    **one.declared,
                    "example": example(one.example),
                }
                for one in self.columns
            ],
            "tables": [
                {
                    "table": one.name,
                    "kind": one.kind,
                    "columns": dict(one.columns),
                    "example": example(one.example),
                }
                for one in self.tables
            ],
            "not_possible": list(self.not_possible),
        }

    def text(self, width: int = _WIDTH, front: Front = Front.PYTHON) -> str:
        """For people: topics, each with its lines, no wider than that."""
        blocks = list(self._blocks(front))
        labels = max(len(label) for block in blocks for label, _ in block) + 2
        labels = min(labels, max(10, width // 3))
        room = max(_LEAST_WIDTH, width) - labels
        return "\n\n".join(
            "\n".join(
                line
                for label, words in block
                for line in _beside(wrapped(label, labels - 2), wrapped(words, room), labels)
            )
            for block in blocks
        )

    def _blocks(self, front: Front) -> Iterator[list[tuple[str, str]]]:
        about = [
            ("table", self.name),
            ("protects", self.protects),
            ("neighbors", self.neighbors),
        ]
        if self.budget is not None and self.share_left is not None:
            left = f"{self.left} is left, {percent_text(self.share_left)}"
            about.append(("budget", f"{self.budget}; {left}"))
        yield [*about, ("ask", _HOW[front])]
        for column in self.columns:
            shown = "" if column.example is None else column.example.told(front)
            yield [(column.name, column.holds), *([("", shown)] if shown else [])]
        for table in self.tables:
            holds = "; ".join(f"{name}: {one}" for name, one in table.columns.items())
            shown = "" if table.example is None else table.example.told(front)
            lines = [(table.name, f"{table.kind}. {holds}"), *([("", shown)] if shown else [])]
            yield lines
        if self.not_possible:
            yield [
                ("" if place else "not possible", line)
                for place, line in enumerate(self.not_possible)
            ]

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        lines = [line for block in self._blocks(Front.PYTHON) for line in block]
        return table_html(TextTable(("", ""), tuple(lines), 1))


def table_info(schema: Schema, standing: Filter | None) -> TableInfo:
    """What may be asked, by the declarations; ``standing`` is the budget and what is spent."""
    examples = _Examples(schema, standing)
    columns = tuple(
        ColumnInfo(name, column_words(column), _declared(column), examples.about(name, column))
        for name, column in schema.columns.items()
    )
    private = [
        JoinInfo(name, "private, about the same people", _held(one.columns), examples.beside(name))
        for name, one in schema.private.items()
    ]
    public = [
        JoinInfo(name, "public, to look things up in", _held(one.columns), examples.looked_up(name))
        for name, one in schema.public.items()
    ]
    caps = {
        "max_groups": schema.max_groups,
        "max_rows": schema.max_rows,
        "max_rows_per_group": schema.max_rows_per_group,
    }
    known = standing is not None
    return TableInfo(
        name=schema.name,
        protects=schema.protected,
        neighbors=schema.neighbors.value,
        caps=caps if schema.by_person else {},
        budget=str(standing.budget) if standing is not None else None,
        left=left_text(standing.budget, standing.totals) if standing is not None else None,
        share_left=share_left(standing.budget, standing.totals) if standing is not None else None,
        columns=columns,
        tables=(*private, *public),
        not_possible=tuple(_not_possible(schema, finds_groups=examples.delta > 0 or not known)),
    )


class _Examples:
    """Questions about a table of which each was planned before it is shown."""

    def __init__(self, schema: Schema, standing: Filter | None) -> None:
        self._schema = schema
        self._table = _name(schema.name)
        self.delta = Fraction(0)
        if standing is not None:
            self.delta = min(_DELTA, standing.budget.question_delta)
        one = f"COUNT(DISTINCT {_name(schema.unit)}) AS people"
        self._counts = [one, "COUNT(*) AS n"] if schema.by_person else ["COUNT(*) AS n"]

    def about(self, name: str, column: Column) -> ExampleQuestion | None:
        """A question about one column, the most telling one that is accepted."""
        return self._first(self._candidates(name, column))

    def beside(self, table: str) -> ExampleQuestion | None:
        """A question about the rows of two private tables that belong to the same people."""
        partner, unit = self._schema.private[table], _name(self._schema.unit)
        on = f"{self._table}.{unit} = {_name(table)}.{_name(partner.unit)}"
        joined = f"{self._table} JOIN {_name(table)} ON {on}"
        people = f"COUNT(DISTINCT {self._table}.{unit}) AS people"
        return self._first(f"SELECT {one} FROM {joined}" for one in (people, "COUNT(*) AS n"))

    def looked_up(self, table: str) -> ExampleQuestion | None:
        """A question about rows with what a public table says of them."""
        own, others = self._schema.columns, self._schema.public[table].columns
        pairs = [
            (left, right)
            for left, right in product(own, others)
            if _joins(left, own[left], right, others[right])
        ]
        return self._first(
            f"SELECT {one} FROM {self._table} JOIN {_name(table)} "
            f"ON {self._table}.{_name(left)} = {_name(table)}.{_name(right)}"
            for left, right in islice(pairs, _MOST_PAIRS)
            for one in self._unit_counts()
        )

    def _unit_counts(self) -> list[str]:
        unit = f"COUNT(DISTINCT {self._table}.{_name(self._schema.unit)}) AS people"
        return [unit, "COUNT(*) AS n"] if self._schema.by_person else ["COUNT(*) AS n"]

    def _candidates(self, name: str, column: Column) -> Iterator[str]:
        asked, table = _name(name), self._table
        groups = [f"SELECT {asked}, {one} FROM {table} GROUP BY {asked}" for one in self._counts]
        match column:
            case CategoryColumn(values):
                yield from groups
                yield from self._where(f"{asked} = {_constant(values[0])}")
            case BooleanColumn():
                yield from groups
                yield from self._where(asked)
            case NumberColumn(dated=Dated.SECONDS | Dated.TIME):
                taken = {other.lower() for other in self._schema.columns}
                hour = "hour_of_day" if "hour" in taken else "hour"
                yield from (
                    f"SELECT HOUR({asked}) AS {hour}, {one} FROM {table} GROUP BY {hour}"
                    for one in self._counts
                )
                yield from self._where(f"{asked} > {_middle(column)}")
            case NumberColumn(low=None):
                yield from self._where(f"{asked} > {_middle(column)}")
            case NumberColumn():
                average = f"MEDIAN({asked}) AS middle" if column.dated else f"AVG({asked}) AS mean"
                yield f"SELECT {average} FROM {table}"
                yield from self._where(f"{asked} > {_middle(column)}")
            case TextColumn():
                if self.delta:
                    yield from groups
                yield f"SELECT COUNT(DISTINCT {asked}) AS different FROM {table}"
                yield from self._where(f"{asked} LIKE 'A%'")

    def _where(self, condition: str) -> list[str]:
        return [f"SELECT {one} FROM {self._table} WHERE {condition}" for one in self._counts]

    def _first(self, candidates: Iterable[str]) -> ExampleQuestion | None:
        for sql in candidates:
            for delta in (Fraction(0), self.delta):
                if self._accepted(sql, delta):
                    return ExampleQuestion(sql, needs_delta=delta > 0)
        return None

    def _accepted(self, sql: str, delta: Fraction) -> bool:
        from discreet.sql.read.select import parse_select

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                question = checked_question(parse_select(sql, self._schema), self._schema)
                make_plan(question, epsilon=1, delta=delta)
        except DiscreetError:
            return False
        return True


def _joins(name: str, column: Column, other_name: str, other: Column) -> bool:
    """Whether two columns look as if they held the same: by their names, and their public values.

    >>> texts, numbers = CategoryColumn(("A", "B")), CategoryColumn((1, 2))
    >>> _joins("ward", texts, "Ward", texts), _joins("ward", texts, "name", texts)
    (True, False)
    >>> _joins("ward", texts, "ward", numbers)
    False
    """
    if _folded(name) != _folded(other_name):
        return False
    if isinstance(column, CategoryColumn) and isinstance(other, CategoryColumn):
        return not set(column.values).isdisjoint(other.values)
    return True


def _folded(name: str) -> str:
    """A name without what only its writing decides: ward_id and WardID are one."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def column_words(column: Column) -> str:
    """What a column is declared to hold, in words; a long list is cut."""
    match column:
        case CategoryColumn(values):
            listed = [label_text(one)[:_LONGEST_VALUE] for one in values[:_MOST_VALUES]]
            more = ", …" if len(values) > _MOST_VALUES else ""
            several = plural(len(values), "value")
            return f"one of {several}: {', '.join(listed)}{more}"
        case BooleanColumn():
            return "true or false"
        case TextColumn():
            return "text; its values are private"
        case NumberColumn():
            kind = _KINDS.get(column.dated, "whole number" if column.whole else "number")
            if column.low is None or column.high is None:
                return f"a {kind} without bounds"
            low, high = (_end(end, column.dated) for end in (column.low, column.high))
            clock = f", by the clock of {column.zone}" if column.zone else ""
            return f"a {kind} from {low} to {high}{clock}"


def _declared(column: Column) -> dict[str, Any]:
    """The declaration as plain data, as the ledger has it; a long list is cut."""
    data = column.to_data()
    if isinstance(column, CategoryColumn):
        values = list(column.values[:_MOST_VALUES])
        return {"kind": "category", "values": values, "number_of_values": len(column.values)}
    return data


def _held(columns: Mapping[str, Column]) -> dict[str, str]:
    return {name: column_words(column) for name, column in columns.items()}


def _not_possible(schema: Schema, *, finds_groups: bool) -> Iterator[str]:
    yield "Single rows, such as SELECT *: only statistics of groups are released."
    yield "Columns that are not listed here."
    if schema.by_person:
        yield f"{schema.unit}, but to count: COUNT(DISTINCT {_name(schema.unit)})."
    if schema.by_person and schema.max_rows is None:
        yield "COUNT(*), sums, means, quantiles and joins: max_rows is not declared."
    if schema.by_person and schema.max_groups is None:
        yield "GROUP BY: max_groups is not declared."
    unbounded = [
        name
        for name, column in schema.columns.items()
        if isinstance(column, NumberColumn) and column.low is None
    ]
    if unbounded:
        yield (
            f"Sums, means and quantiles of {', '.join(unbounded)}, which have no bounds, unless "
            "the question gives them: CLIP(x, 0, 120)."
        )
    texts = [name for name, one in schema.columns.items() if isinstance(one, TextColumn)]
    if texts and not finds_groups:
        yield f"GROUP BY {', '.join(texts)}: groups are found privately, and the budget has no δ."


def _beside(label: str, words: str, width: int) -> Iterator[str]:
    left, right = label.split("\n"), words.split("\n")
    for place in range(max(len(left), len(right))):
        start = left[place] if place < len(left) else ""
        yield f"{start:<{width}}{right[place] if place < len(right) else ''}".rstrip()


def _middle(column: NumberColumn) -> str:
    """A constant between the bounds; without any, one that may be met."""
    if column.low is None or column.high is None:
        return _CONSTANTS.get(column.dated, "0")
    middle = Fraction(int(column.low + (column.high - column.low) / 2))
    return constant_text(middle, column.dated)


def _end(value: Fraction, dated: Dated) -> str:
    return dated_text(value, dated) if dated else decimal_text(value)


def _constant(value: str | int) -> str:
    return constant_text(value if isinstance(value, str) else Fraction(value))


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if "." in name else quoted_name(name)
