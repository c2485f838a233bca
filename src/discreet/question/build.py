"""What users write in Python: ``dp.col("stay").mean()``, ``dp.when(…).then(…).otherwise(…)``."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.errors import QueryError
from discreet.exact import rational
from discreet.measures.measure import Aggregate, Statistic
from discreet.measures.table import (
    COUNT,
    DEVIATION,
    DISTINCT,
    LEAST,
    MEAN,
    MOST,
    PEOPLE,
    QUANTILE,
    ROWS,
    SUM,
    VARIANCE,
)
from discreet.plan import compose
from discreet.plan.columns import day, read_edges
from discreet.plan.compose import any_of
from discreet.plan.expressions import (
    Arithmetic,
    Both,
    Calculation,
    Chosen,
    Compared,
    Comparison,
    Constant,
    Either,
    Joined,
    Named,
    Negated,
    Node,
    read_size,
    shown,
)
from discreet.question.methods import RowValue, constant_number


@dataclass(frozen=True, eq=False, repr=False)
class Expression(RowValue):
    """A value of every row, made of columns, constants and operators."""

    def __repr__(self) -> str:
        return _brief(self.node)

    __hash__ = None  # type: ignore[assignment]  # == makes an expression

    def __bool__(self) -> bool:
        raise QueryError(
            f"{_brief(self.node)[:80]!r} has no truth value of its own: every row has one. "
            "Python's and, or, not and chained comparisons ask for one. Use &, | and ~, with each "
            "comparison in parentheses."
        )

    def __add__(self, other: object) -> "Expression":
        return self._calculated("+", other)

    def __radd__(self, other: object) -> "Expression":
        return expression(other)._calculated("+", self)

    def __sub__(self, other: object) -> "Expression":
        return self._calculated("-", other)

    def __rsub__(self, other: object) -> "Expression":
        return expression(other)._calculated("-", self)

    def __mul__(self, other: object) -> "Expression":
        return self._calculated("*", other)

    def __rmul__(self, other: object) -> "Expression":
        return expression(other)._calculated("*", self)

    def __truediv__(self, other: object) -> "Expression":
        return self._calculated("/", other)

    def __rtruediv__(self, other: object) -> "Expression":
        return expression(other)._calculated("/", self)

    def __floordiv__(self, other: object) -> "Expression":
        return Expression(compose.floor_divided(self.node, expression(other).node))

    def __rfloordiv__(self, other: object) -> "Expression":
        return expression(other) // self

    def __mod__(self, other: object) -> "Expression":
        return self._calculated("%", other)

    def __rmod__(self, other: object) -> "Expression":
        return expression(other)._calculated("%", self)

    def __neg__(self) -> "Expression":
        return Expression(compose.negative(self.node))

    def __abs__(self) -> "Expression":
        return self.abs()

    def __eq__(self, other: object) -> "Expression":  # type: ignore[override]
        return self._compared("=", other)

    def __ne__(self, other: object) -> "Expression":  # type: ignore[override]
        return self._compared("<>", other)

    def __lt__(self, other: object) -> "Expression":
        return self._compared("<", other)

    def __le__(self, other: object) -> "Expression":
        return self._compared("<=", other)

    def __gt__(self, other: object) -> "Expression":
        return self._compared(">", other)

    def __ge__(self, other: object) -> "Expression":
        return self._compared(">=", other)

    def __and__(self, other: object) -> "Expression":
        return Expression(Both(self.node, expression(other).node))

    def __rand__(self, other: object) -> "Expression":
        return expression(other) & self

    def __or__(self, other: object) -> "Expression":
        return Expression(Either(self.node, expression(other).node))

    def __ror__(self, other: object) -> "Expression":
        return expression(other) | self

    def __invert__(self) -> "Expression":
        return Expression(Negated(self.node))

    def fill_null(self, value: object) -> "Expression":
        """The value, or another one where it is missing."""
        return Expression(compose.coalesced([self.node, expression(value).node]))

    def concat(self, *others: object) -> "Expression":
        """A text with others after it; missing if any of them is."""
        found = self.node
        for other in others:
            found = Joined(found, expression(other).node)
        return Expression(found)

    def is_in(self, values: object) -> "Expression":
        """Whether the value is one of a public list."""
        if not isinstance(values, list | tuple) or not values:
            raise QueryError(
                "is_in takes a list of values and got none. A row is kept if its value is one of "
                'them. Write dp.col("ward").is_in(["A", "B"]).'
            )
        return Expression(any_of([self._compared("=", value).node for value in values]))

    def is_between(self, low: object, high: object) -> "Expression":
        """Whether the value lies between two others, or equals one of them."""
        return (self >= low) & (self <= high)

    def bins(self, edges: Sequence[object]) -> "Binned":
        """Groups [a, b) between public edges, the last one closed; other rows are in none."""
        found, dated = read_edges(edges)
        return Binned(self.node, found, dated)

    # Aggregates

    def count(self) -> "Asked":
        """How many rows have a value."""
        return self._asked(COUNT)

    def sum(self) -> "Asked":
        """The sum, clipped to the column's bounds."""
        return self._asked(SUM)

    def mean(self) -> "Asked":
        """The mean; of a condition, the proportion of rows for which it is true."""
        return self._asked(MEAN)

    def var(self) -> "Asked":
        """The variance: the mean squared distance from the mean."""
        return self._asked(VARIANCE)

    def std(self) -> "Asked":
        """The standard deviation."""
        return self._asked(DEVIATION)

    def min(self) -> "Asked":
        """A value near the smallest one."""
        return self._asked(LEAST)

    def max(self) -> "Asked":
        """A value near the largest one."""
        return self._asked(MOST)

    def median(self) -> "Asked":
        """The middle value."""
        return Asked(Aggregate(QUANTILE, self.node, (Fraction(1, 2),)))

    def quantile(self, levels: object) -> "Asked":
        """One quantile, or several that share one ε: ``quantile([0.25, 0.5, 0.75])``."""
        many = isinstance(levels, Sequence) and not isinstance(levels, str)
        wanted = list(levels) if many else [levels]  # type: ignore[call-overload]
        found = tuple(rational(level, "a quantile's level") for level in wanted)
        if not found or any(not 0 < level < 1 for level in found) or len({*found}) < len(found):
            raise QueryError(
                "the levels of a quantile are not distinct numbers between 0 and 1. Each is the "
                "share of rows below the value. Write .quantile(0.9) or .quantile([0.25, 0.75])."
            )
        return Asked(Aggregate(QUANTILE, self.node, tuple(sorted(found))))

    def n_unique(self) -> "Asked":
        """How many different values there are."""
        return self._asked(DISTINCT)

    def alias(self, name: str) -> "Labeled":
        """The expression under a name, as a group."""
        return Labeled(self.node, name)

    def _calculated(self, operator: Arithmetic, other: object) -> "Expression":
        return Expression(Calculation(operator, self.node, expression(other).node))

    def _compared(self, operator: Comparison, other: object) -> "Expression":
        return Expression(Compared(operator, self.node, expression(other).node))

    def _asked(self, statistic: Statistic) -> "Asked":
        return Asked(Aggregate(statistic, self.node))


@dataclass(frozen=True)
class Labeled:
    """A group's expression under a name of its own."""

    node: Node
    name: str


@dataclass(frozen=True)
class Binned:
    """A number cut into bins, to group by."""

    node: Node
    edges: tuple[Fraction, ...]
    dated: bool = False
    name: str | None = None

    def alias(self, name: str) -> "Binned":
        """The bins under another name."""
        return Binned(self.node, self.edges, self.dated, name)


@dataclass(frozen=True, repr=False)
class Asked:
    """An aggregate, to be given to ``agg``; ``alias`` names it."""

    aggregate: Aggregate
    name: str | None = None

    def __repr__(self) -> str:
        of = self.aggregate.of
        return f"{self.aggregate.statistic}(…)" if of and _brief(of) == "…" else self.aggregate.text

    def alias(self, name: str) -> "Asked":
        """The aggregate under this name."""
        return Asked(self.aggregate, name)


def _brief(node: Node) -> str:
    """An expression as text, and three dots for one that is too large to be read."""
    try:
        return shown(read_size(node))
    except QueryError:
        return "…"


def col(name: object) -> Expression:
    """A declared column, or one derived by ``with_columns``.

    >>> (col("stay") > 2) & ~col("smoker")
    (stay > 2) AND (NOT smoker)
    """
    if not isinstance(name, str) or not name:
        raise QueryError(
            f"a column's name is {type(name).__name__}, not a text. Columns are named as they were "
            'declared. Write dp.col("stay").'
        )
    return Expression(Named(name))


def people(condition: object = None) -> Asked:
    """How many different people there are; rows, where the unit is the row.

    With a condition, those who have a row for which it is true.

    >>> people(), people(col("stay") > 2)
    (people(), people(stay > 2))
    """
    return Asked(Aggregate(PEOPLE, None if condition is None else expression(condition).node))


def rows() -> Asked:
    """How many rows there are; a person over the cap counts as the cap.

    >>> rows()
    rows()
    """
    return Asked(Aggregate(ROWS))


@dataclass(frozen=True)
class When:
    """The start of a choice: ``dp.when(condition).then(…).otherwise(…)``."""

    condition: Node

    def then(self, value: object) -> "Then":
        """The value where the condition is true."""
        return Then(self.condition, expression(value).node)


@dataclass(frozen=True)
class Then:
    """A choice that lacks the value for the other rows."""

    condition: Node
    value: Node

    def otherwise(self, value: object) -> Expression:
        """The value where the condition is false or missing."""
        return Expression(Chosen(self.condition, self.value, expression(value).node))


def when(condition: object) -> When:
    """One value where a condition is true, another elsewhere.

    >>> when(col("stay") > 7).then(1).otherwise(0)
    CASE WHEN stay > 7 THEN 1 ELSE 0 END
    """
    return When(expression(condition).node)


def expression(value: Any) -> Expression:
    """An expression, or a constant as one."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, Asked | Binned | When | Then | Labeled):
        raise QueryError(
            f"a {type(value).__name__.lower()} expression stands where a value of each row is "
            "needed. Aggregates are given to agg, bins to group_by, and a choice ends in "
            ".otherwise(…). Combine released numbers after the release."
        )
    if value is None or isinstance(value, bool | str):
        return Expression(Constant(value))
    if isinstance(value, datetime.date):
        return Expression(Constant(Fraction(day(value) or 0), dated=True))
    return Expression(Constant(constant_number(value)))
