"""Which groups an expression makes: public ones, listed from declarations, or private ones."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from discreet.errors import DiscreetError, QueryError, Remedy
from discreet.plan.columns import (
    LARGEST_KEY,
    MOST_KEYS,
    Boolean,
    Category,
    Column,
    Number,
    Text,
    date_text,
)
from discreet.plan.dates import date_texts
from discreet.plan.expressions import Named, Node, number_text, shown
from discreet.plan.types import Kind, check
from discreet.plan.values import listed
from discreet.question.query import Key

Label = str | int | float | bool
"""A group's name in one column."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Public values: texts, numbers or days; a row with another value is in no group."""

    node: Node
    values: tuple[str | int | float, ...]
    dated: bool = False

    @property
    def size(self) -> int:
        """How many groups there are."""
        return len(self.values)

    @property
    def labels(self) -> tuple[Label, ...]:
        """The groups in order."""
        return tuple(date_text(int(day)) for day in self.values) if self.dated else self.values


@dataclass(frozen=True, slots=True)
class Truth:
    """False and true."""

    node: Node

    @property
    def size(self) -> int:
        """How many groups there are."""
        return 2

    @property
    def labels(self) -> tuple[Label, ...]:
        """The groups in order."""
        return (False, True)


@dataclass(frozen=True, slots=True)
class Whole:
    """Every whole number between two bounds."""

    node: Node
    low: int
    high: int
    dated: bool = False

    @property
    def size(self) -> int:
        """How many groups there are."""
        return self.high - self.low + 1

    @property
    def labels(self) -> tuple[Label, ...]:
        """The groups in order."""
        if self.dated:
            return tuple(date_texts(self.low, self.high))
        return tuple(range(self.low, self.high + 1))


@dataclass(frozen=True, slots=True)
class Edges:
    """Bins [a, b) between public edges, the last one closed."""

    node: Node
    edges: tuple[Fraction, ...]
    dated: bool = False

    @property
    def size(self) -> int:
        """How many groups there are."""
        return len(self.edges) - 1

    @property
    def labels(self) -> tuple[Label, ...]:
        """The groups in order."""
        ends = [date_text(int(edge)) if self.dated else number_text(edge) for edge in self.edges]
        last = len(ends) - 2
        pairs = enumerate(pairwise(ends))
        return tuple(f"[{a}, {b}{']' if place == last else ')'}" for place, (a, b) in pairs)


@dataclass(frozen=True, slots=True)
class Unlisted:
    """Texts that are not public: groups are found by private selection."""

    node: Node


Grouping = Listed | Truth | Whole | Edges | Unlisted


def grouping_of(key: Key, columns: Mapping[str, Column]) -> Grouping:
    """The groups of a key, or a refusal that says how they could be listed."""
    try:
        return _grouping(key, key.of, columns)
    except DiscreetError as error:
        error.at(key.place)
        raise


def _grouping(key: Key, node: Node, columns: Mapping[str, Column]) -> Grouping:
    typed = check(node, columns)
    column = columns.get(node.name) if isinstance(node, Named) else None
    dated = typed.kind is Kind.DATE
    if key.edges:
        if typed.kind not in (Kind.NUMBER, Kind.DATE):
            raise QueryError(
                f"bins are asked of {shown(node)[:60]!r}, which is a {typed.kind}. Only numbers "
                "are cut into bins. Group by the column itself."
            )
        if key.dated != dated:
            kinds = ("dates", "numbers") if key.dated else ("numbers", "dates")
            raise QueryError(
                f"the bins of {shown(node)[:60]!r} have {kinds[0]} for edges, and its values are "
                f"{kinds[1]}. Edges are of the column's own kind.",
                Remedy(
                    python="Write .bins([0, 18, 65, 120]), "
                    'or .bins(["2025-01-01", "2026-01-01"]) for dates.',
                    sql="Write BINS(x, 0, 18, 65, 120), or BINS(x, '2025-01-01', '2026-01-01') for "
                    "dates.",
                ),
            )
        return Edges(typed.node, key.edges, dated)
    if isinstance(column, Category):
        return Listed(node, column.values)
    if typed.kind is Kind.BOOLEAN:
        return Truth(typed.node)
    if isinstance(column, Number) and typed.low is not None and typed.high is not None:
        low, high = int(typed.low), int(typed.high)
        if typed.whole and high - low < MOST_KEYS and max(abs(low), abs(high)) <= LARGEST_KEY:
            return Whole(typed.node, low, high, dated)
    values = listed(typed.node, columns)
    if values == ():
        raise QueryError(
            f"groups are asked by {shown(node)[:60]!r}, which never has a value. Every row "
            "would be in no group. Group by a column, or by an expression of one."
        )
    if typed.kind is Kind.TEXT:
        return Unlisted(typed.node) if values is None else Listed(typed.node, values)
    if values:
        return _numbered(typed.node, values, dated)
    kind = "a date" if dated else "a number"
    ends = ["2025-01-01", "2026-01-01"] if dated else [0, 18, 65, 120]
    python = f"Cut it into bins: dp.col(…).bins([{', '.join(map(_text, ends))}])"
    sql = f"Cut it into bins: BINS({shown(node)[:60]}, {', '.join(map(repr, ends))})"
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
        f"groups are asked by {shown(node)[:60]!r}, which is {kind} with more values than can be "
        "listed. Groups must be public.",
        remedy,
    )


def _text(edge: object) -> str:
    return f'"{edge}"' if isinstance(edge, str) else str(edge)


def _numbered(node: Node, values: tuple[str | int | float, ...], dated: bool) -> Grouping:
    """Public numbers in increasing order, as every whole number of a range where they are that."""
    first, last = values[0], values[-1]
    if isinstance(first, int) and isinstance(last, int) and last - first == len(values) - 1:
        return Whole(node, first, last, dated)
    return Listed(node, values, dated)


def is_dated(grouping: Grouping) -> bool:
    """Whether the labels of a group are dates."""
    return isinstance(grouping, Whole | Listed) and grouping.dated


def label_column(grouping: Grouping) -> Column:
    """The kind of a group's labels."""
    if isinstance(grouping, Truth):
        return Boolean()
    if isinstance(grouping, Whole):
        return Number(whole=True, dated=grouping.dated)
    if isinstance(grouping, Listed) and not isinstance(grouping.values[0], str):
        return Number(dated=grouping.dated)
    return Text()
