"""Groupings: public groups, listed from declarations, or private ones."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from discreet.errors import DiscreetError, QueryError, Remedy
from discreet.plan.calendar import DAY_SECONDS, Dated, dated_text
from discreet.plan.expressions import Named, Node, expression_text, number_text
from discreet.plan.function_signatures import date_texts
from discreet.plan.listed_values import listed_values
from discreet.plan.schema import (
    LARGEST_KEY,
    MOST_KEYS,
    BooleanColumn,
    CategoryColumn,
    Column,
    NumberColumn,
    TextColumn,
)
from discreet.plan.types import COUNTED, DATES, Kind, check_expression
from discreet.question.query import GroupKey
from discreet.text_table import printable

_EDGES = {
    Dated.NOT: "numbers",
    Dated.DAYS: "dates",
    Dated.SECONDS: "datetimes",
    Dated.TIME: "times of day",
}
_EXAMPLE_EDGES: dict[Dated, list[object]] = {
    Dated.NOT: [0, 18, 65, 120],
    Dated.TIME: ["08:00", "12:00", "18:00"],
}
Label = str | int | float | bool | None
"""A group's name in one column; None is all of them, in a table of totals."""
ALL = "all"
"""What None is called where people read it."""


@dataclass(frozen=True, slots=True)
class ListedGrouping:
    """Public values: texts, numbers or days; a row with another value is in no group."""

    node: Node
    values: tuple[str | int | float, ...]
    dated: Dated = Dated.NOT

    @property
    def size(self) -> int:
        """How many groups there are."""
        return len(self.values)

    @property
    def labels(self) -> tuple[Label, ...]:
        """The groups in order."""
        if not self.dated:
            return self.values
        return tuple(dated_text(float(one), self.dated) for one in self.values)


@dataclass(frozen=True, slots=True)
class BooleanGrouping:
    """False and true, or one of them where the other is excluded."""

    node: Node
    values: tuple[bool, ...] = (False, True)

    @property
    def size(self) -> int:
        """How many groups there are."""
        return len(self.values)

    @property
    def labels(self) -> tuple[Label, ...]:
        """The groups in order."""
        return self.values


@dataclass(frozen=True, slots=True)
class IntegerGrouping:
    """Every whole number between two bounds."""

    node: Node
    low: int
    high: int
    dated: Dated = Dated.NOT

    @property
    def size(self) -> int:
        """How many groups there are."""
        return self.high - self.low + 1

    @property
    def labels(self) -> tuple[Label, ...]:
        """The groups in order."""
        if self.dated == Dated.DAYS:
            return tuple(date_texts(self.low, self.high))
        every = range(self.low, self.high + 1)
        return tuple(dated_text(one, self.dated) for one in every) if self.dated else tuple(every)


@dataclass(frozen=True, slots=True)
class BinGrouping:
    """Bins [a, b) between public edges, the last one closed; those at ``left_out`` are no groups.

    A bin is what it was, whichever others are left out: only the one before the last edge is
    closed.
    """

    node: Node
    edges: tuple[Fraction, ...]
    dated: Dated = Dated.NOT
    left_out: frozenset[int] = frozenset()
    totals: bool = False
    """Whether what is shown of each is a running total: of all that is below its upper end."""

    @property
    def bins(self) -> tuple[tuple[Fraction, Fraction, bool], ...]:
        """The ends of each bin in order, and whether the upper one is in it."""
        last = len(self.edges) - 2
        pairs = enumerate(pairwise(self.edges))
        return tuple((a, b, place == last) for place, (a, b) in pairs if place not in self.left_out)

    @property
    def size(self) -> int:
        """How many groups there are."""
        return len(self.edges) - 1 - len(self.left_out)

    @property
    def labels(self) -> tuple[Label, ...]:
        """The groups in order."""
        if self.totals:
            return tuple(
                f"{'at most' if closed else 'below'} {self._end(high)}"
                for _, high, closed in self.bins
            )
        return tuple(
            f"[{self._end(low)}, {self._end(high)}{']' if closed else ')'}"
            for low, high, closed in self.bins
        )

    def _end(self, edge: Fraction) -> str:
        return dated_text(edge, self.dated) if self.dated else number_text(edge)


@dataclass(frozen=True, slots=True)
class PrivateGrouping:
    """Texts that are not public: groups are found by private selection."""

    node: Node


PublicGrouping = ListedGrouping | BooleanGrouping | IntegerGrouping | BinGrouping
Grouping = PublicGrouping | PrivateGrouping


def grouping_of(key: GroupKey, columns: Mapping[str, Column]) -> Grouping:
    """The groups of a key, or a refusal that says how they could be listed."""
    try:
        return _grouping(key, key.of, columns)
    except DiscreetError as error:
        error.at(key.place)
        raise


def _grouping(key: GroupKey, node: Node, columns: Mapping[str, Column]) -> Grouping:
    typed = check_expression(node, columns)
    column = columns.get(node.name) if isinstance(node, Named) else None
    dated = DATES.get(typed.kind, Dated.NOT)
    if key.edges:
        if typed.kind not in COUNTED:
            raise QueryError(
                f"bins are asked of {expression_text(node)[:60]!r}, which is a {typed.kind}. Only "
                "numbers are cut into bins. Group by the column itself."
            )
        edges = key.edges
        if (key.dated, dated) == (Dated.DAYS, Dated.SECONDS):
            edges = tuple(edge * DAY_SECONDS for edge in edges)  # a date is its midnight
        elif key.dated != dated:
            kinds = [_EDGES[Dated(one)] for one in (key.dated, dated)]
            raise QueryError(
                f"the bins of {expression_text(node)[:60]!r} have {kinds[0]} for edges, and its "
                f"values are {kinds[1]}. Edges are of the column's own kind.",
                Remedy(
                    python="Write .bins([0, 18, 65, 120]), "
                    'or .bins(["2025-01-01", "2026-01-01"]) for dates.',
                    sql="Write BINS(x, 0, 18, 65, 120), or BINS(x, '2025-01-01', '2026-01-01') for "
                    "dates.",
                ),
            )
        return BinGrouping(typed.node, edges, dated)
    if isinstance(column, CategoryColumn):
        return ListedGrouping(node, column.values)
    if typed.kind is Kind.BOOLEAN:
        return BooleanGrouping(typed.node)
    if isinstance(column, NumberColumn) and typed.low is not None and typed.high is not None:
        low, high = int(typed.low), int(typed.high)
        if typed.whole and high - low < MOST_KEYS and max(abs(low), abs(high)) <= LARGEST_KEY:
            return IntegerGrouping(typed.node, low, high, dated)
    values = listed_values(typed.node, columns)
    if values == ():
        raise QueryError(
            f"groups are asked by {expression_text(node)[:60]!r}, which never has a value. Every "
            "row would be in no group. Group by a column, or by an expression of one."
        )
    if typed.kind is Kind.TEXT:
        return PrivateGrouping(typed.node) if values is None else ListedGrouping(typed.node, values)
    if values:
        return _numbered(typed.node, values, dated)
    kind = str(typed.kind)
    ends = _EXAMPLE_EDGES.get(dated, ["2025-01-01", "2026-01-01"])
    python = f"Cut it into bins: dp.col(…).bins([{', '.join(map(_text, ends))}])"
    sql = f"Cut it into bins: BINS({expression_text(node)[:60]}, {', '.join(map(repr, ends))})"
    if dated == Dated.SECONDS:
        python = f'Group by a part of it: dp.col(…).hour() or .truncate("day"). {python}'
        sql = f"Group by a part of it: HOUR(t) or DATE_TRUNC('day', t). {sql}"
    if dated == Dated.TIME:
        python = f"Group by a part of it: dp.col(…).hour(). {python}"
        sql = f"Group by a part of it: HOUR(t). {sql}"
    if typed.whole:
        unbounded = typed.low is None or typed.high is None
        bounds = ", or declare " + ("bounds" if unbounded else "narrower bounds")
        remedy = Remedy(python=f"{python}{bounds}.", sql=f"{sql}{bounds}.")
    elif column:
        remedy = Remedy(
            python=f"{python}, or declare whole numbers as dp.integer(0, 120).",
            sql=f"{sql}, or declare whole numbers as "
            '{ type = "integer", low = 0, high = 120 } in the policy.',
        )
    else:
        remedy = Remedy(python=f"{python}.", sql=f"{sql}.")
    raise QueryError(
        f"groups are asked by {expression_text(node)[:60]!r}, which is a {kind} with more values "
        "than can be listed. Groups must be public.",
        remedy,
    )


def _text(edge: object) -> str:
    return f'"{edge}"' if isinstance(edge, str) else str(edge)


def _numbered(node: Node, values: tuple[str | int | float, ...], dated: Dated) -> Grouping:
    """Public numbers in increasing order, as every whole number of a range where they are that."""
    first, last = values[0], values[-1]
    if isinstance(first, int) and isinstance(last, int) and last - first == len(values) - 1:
        return IntegerGrouping(node, first, last, dated)
    return ListedGrouping(node, values, dated)


def recorded_labels(grouping: PublicGrouping) -> tuple[Label, ...]:
    """The groups as records have them: bins by both ends, also where running totals are shown."""
    if isinstance(grouping, BinGrouping):
        grouping = replace(grouping, totals=False)
    return grouping.labels


def dated_labels(grouping: Grouping) -> Dated:
    """Whether the labels of a group are dates or datetimes."""
    if isinstance(grouping, IntegerGrouping | ListedGrouping):
        return Dated(grouping.dated)
    return Dated.NOT


def label_column(grouping: Grouping) -> Column:
    """The kind of a group's labels."""
    if isinstance(grouping, BooleanGrouping):
        return BooleanColumn()
    if isinstance(grouping, IntegerGrouping):
        return NumberColumn(whole=True, dated=grouping.dated)
    if isinstance(grouping, ListedGrouping) and not isinstance(grouping.values[0], str):
        return NumberColumn(dated=grouping.dated)
    return TextColumn()


def label_text(label: Label) -> str:
    """A group's name as one line: what no reader could see is marked, so that it hides nothing.

    >>> label_text(True), label_text(7), label_text("Ward" + chr(27) + "[2J")
    ('true', '7', 'Ward�[2J')
    """
    if label is None:
        return ALL
    text = str(label).lower() if isinstance(label, bool) else str(label)
    return text if text.isprintable() else printable(text)
