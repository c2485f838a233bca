"""What users write in Python: ``dp.col("stay").mean()``, ``dp.when(…).then(…).otherwise(…)``."""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Generic, NoReturn, Self, TypeVar

from discreet.errors import QueryError
from discreet.exact import rational
from discreet.measures.measure import Aggregate, Statistic
from discreet.measures.registry import (
    COUNT,
    DEVIATION,
    DISTINCT,
    MAX,
    MEAN,
    MIN,
    PEOPLE,
    QUANTILE,
    ROWS,
    SUM,
    VARIANCE,
)
from discreet.plan import expressions
from discreet.plan.calendar import DAY_SECONDS, Dated, day, second, time_second
from discreet.plan.expressions import (
    TIME_SECONDS,
    Absolute,
    Applied,
    Arithmetic,
    Both,
    Calculation,
    CastTarget,
    Chosen,
    Clipped,
    Compared,
    Comparison,
    Constant,
    Converted,
    Either,
    Floored,
    Function,
    Joined,
    Missing,
    Named,
    Negated,
    Node,
    any_of,
    expression_text,
    read_size,
    together,
)
from discreet.plan.function_signatures import DATE_UNITS
from discreet.plan.schema import read_edges

_LARGEST_CONSTANT = 10**308  # what a 64-bit float holds
_TARGETS: dict[str, CastTarget] = {
    "number": "DOUBLE",
    "integer": "INTEGER",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "time": "TIME",
    "text": "VARCHAR",
}


Made = TypeVar("Made")


class NumberFunctions(Generic[Made]):
    """The functions of one number: of that of each row, or of one that is released."""

    def _made(self, change: Callable[[Node], Node]) -> Made:
        raise NotImplementedError

    def abs(self) -> Made:
        """The distance from zero."""
        return self._made(Absolute)

    def floor(self) -> Made:
        """The largest whole number not above the value."""
        return self._made(Floored)

    def ceil(self) -> Made:
        """The smallest whole number not below the value."""
        return self._made(expressions.ceiling)

    def round(self, digits: int = 0) -> Made:
        """The nearest number with so many digits after the point; halves go up."""
        places = int(_whole(digits))
        return self._made(lambda node: expressions.rounded(node, places))

    def sign(self) -> Made:
        """1, 0 or -1."""
        return self._made(expressions.sign)

    def sqrt(self) -> Made:
        """The square root; missing below 0."""
        return self._made(partial(Applied, "SQRT"))

    def log(self) -> Made:
        """The natural logarithm; missing at 0 and below."""
        return self._made(partial(Applied, "LN"))

    def log10(self) -> Made:
        """The logarithm to base 10; missing at 0 and below."""
        return self._made(partial(Applied, "LOG10"))

    def exp(self) -> Made:
        """The exponential."""
        return self._made(partial(Applied, "EXP"))

    def pow(self, exponent: object) -> Made:
        """The value to a written power; missing where that is undefined."""
        power = constant_number(exponent)
        return self._made(lambda node: Applied("POWER", node, (power,)))

    def __abs__(self) -> Made:
        return self.abs()

    def __pow__(self, exponent: object) -> Made:
        return self.pow(exponent)

    def clip(self, low: object, high: object) -> Made:
        """The value moved between public bounds, which are then those of the expression."""
        least, most = constant_number(low), constant_number(high)
        return self._made(lambda node: Clipped(node, least, most))

    def width_bucket(self, low: object, high: object, count: object) -> Made:
        """The number of one of so many equal parts between two ends; 0 below, count + 1 above."""
        ends = constant_number(low), constant_number(high), constant_number(count)
        return self._made(lambda node: expressions.bucket(node, *ends))


@dataclass(frozen=True, eq=False, repr=False)
class RowValue(NumberFunctions["Expression"]):
    """A value of every row, and what can be computed of it alone."""

    node: Node

    def _made(self, change: Callable[[Node], Node]) -> "Expression":
        return Expression(change(self.node))

    # Texts

    def like(self, pattern: str) -> Self:
        """Whether a text matches a pattern: % stands for any characters, _ for one."""
        return self._applied("LIKE", _text(pattern))

    def ilike(self, pattern: str) -> Self:
        """Whether a text matches a pattern in capitals or not."""
        return self._applied("ILIKE", _text(pattern))

    def lower(self) -> Self:
        """The text in small letters."""
        return self._applied("LOWER")

    def upper(self) -> Self:
        """The text in capitals."""
        return self._applied("UPPER")

    def trim(self) -> Self:
        """The text without spaces at its ends."""
        return self._applied("TRIM")

    def length(self) -> Self:
        """The number of characters of a text."""
        return self._applied("LENGTH")

    def substring(self, start: int, length: int | None = None) -> Self:
        """So many characters of a text, from a place on that is counted from 1."""
        places = (start,) if length is None else (start, length)
        return self._applied("SUBSTRING", *map(_whole, places))

    def left(self, count: int) -> Self:
        """The first characters of a text."""
        return type(self)(expressions.first_characters(self.node, _whole(count)))

    def right(self, count: int) -> Self:
        """The last characters of a text."""
        return self._applied("RIGHT", _whole(count))

    def starts_with(self, text: str) -> Self:
        """Whether a text begins with another."""
        return type(self)(expressions.starts_with(self.node, _text(text)))

    def ends_with(self, text: str) -> Self:
        """Whether a text ends with another."""
        return type(self)(expressions.ends_with(self.node, _text(text)))

    def contains(self, text: str) -> Self:
        """Whether another text is in a text."""
        return self._applied("CONTAINS", _text(text))

    # Dates

    def year(self) -> Self:
        """The year of a date."""
        return self._applied("YEAR")

    def quarter(self) -> Self:
        """The quarter of a date, 1 to 4."""
        return self._applied("QUARTER")

    def month(self) -> Self:
        """The month of a date, 1 to 12."""
        return self._applied("MONTH")

    def week(self) -> Self:
        """The ISO week of a date, 1 to 53."""
        return self._applied("WEEK")

    def day(self) -> Self:
        """The day of the month of a date."""
        return self._applied("DAY")

    def weekday(self) -> Self:
        """The day of the week of a date, 1 (Monday) to 7 (Sunday)."""
        return self._applied("ISODOW")

    def ordinal_day(self) -> Self:
        """The day of the year of a date, 1 to 366."""
        return self._applied("DAYOFYEAR")

    def hour(self) -> Self:
        """The hour of a datetime or a time of day, 0 to 23."""
        return self._applied("HOUR")

    def minute(self) -> Self:
        """The minute of a datetime or a time of day, 0 to 59."""
        return self._applied("MINUTE")

    def second(self) -> Self:
        """The second of a datetime or a time of day, 0 to 59."""
        return self._applied("SECOND")

    def epoch(self) -> Self:
        """The seconds of a datetime's clock since 1970, or of a time of day since midnight."""
        return self._applied("EPOCH")

    def truncate(self, unit: str) -> Self:
        """The first day of a date's year, quarter, month or (from Monday) week.

        Of a datetime also its day, or the datetime at which its hour, minute or second begins.
        """
        if unit not in DATE_UNITS and unit not in TIME_SECONDS:
            raise QueryError(
                f"truncate got {str(unit)[:60]!r}. A date is cut to a {', '.join(DATE_UNITS)}, a "
                f"datetime also to a {', '.join(TIME_SECONDS)}. Write "
                '.truncate("month").'
            )
        return self._applied("DATE_TRUNC", unit)

    # Any value

    def is_null(self) -> Self:
        """Whether the value is missing."""
        return type(self)(Missing(self.node))

    def is_not_null(self) -> Self:
        """Whether there is a value."""
        return type(self)(Negated(Missing(self.node)))

    def cast(self, to: str) -> Self:
        """The value as a number, integer, boolean, date, datetime, time or text, or missing."""
        if to not in _TARGETS:
            raise QueryError(
                f"cast got {str(to)[:60]!r}. Values are cast to {', '.join(_TARGETS)}. Write "
                '.cast("integer").'
            )
        return type(self)(Converted(self.node, _TARGETS[to]))

    def _applied(self, function: Function, *parameters: Fraction | str) -> Self:
        return type(self)(Applied(function, self.node, parameters))


def constant_number(value: object) -> Fraction:
    """A constant that a 64-bit float can stand for."""
    number = rational(value, "a constant")
    if abs(number) > _LARGEST_CONSTANT:
        raise QueryError(
            "a constant lies beyond 10^308. Rows are compared in 64-bit floats. Use one that the "
            "values can really have."
        )
    return number


def _second(value: datetime.datetime) -> int:
    found = second(value)
    if found is None:
        raise QueryError(
            "a datetime with a zone is compared with. Those of a column are of its declared zone's "
            "clock. Write one without: value.astimezone(zone).replace(tzinfo=None)."
        )
    return found


def _time(value: datetime.time) -> int:
    found = time_second(value)
    if found is None:
        raise QueryError(
            "a time of day with a zone is compared with. Those of a column have none. Write one "
            "without: value.replace(tzinfo=None)."
        )
    return found


def _whole(value: object) -> Fraction:
    number = constant_number(value)
    if number.denominator != 1:
        raise QueryError(
            "a place or a number of digits is not whole. Characters and digits are counted. Write "
            ".substring(1, 3) or .round(2)."
        )
    return number


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise QueryError(
            f"a pattern is {type(value).__name__}, not a text. It is written out, so that it is "
            'public. Write .like("A%").'
        )
    return value


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
        return as_expression(other)._calculated("+", self)

    def __sub__(self, other: object) -> "Expression":
        return self._calculated("-", other)

    def __rsub__(self, other: object) -> "Expression":
        return as_expression(other)._calculated("-", self)

    def __mul__(self, other: object) -> "Expression":
        return self._calculated("*", other)

    def __rmul__(self, other: object) -> "Expression":
        return as_expression(other)._calculated("*", self)

    def __truediv__(self, other: object) -> "Expression":
        return self._calculated("/", other)

    def __rtruediv__(self, other: object) -> "Expression":
        return as_expression(other)._calculated("/", self)

    def __floordiv__(self, other: object) -> "Expression":
        return Expression(expressions.floor_divided(self.node, as_expression(other).node))

    def __rfloordiv__(self, other: object) -> "Expression":
        return as_expression(other) // self

    def __mod__(self, other: object) -> "Expression":
        return self._calculated("%", other)

    def __rmod__(self, other: object) -> "Expression":
        return as_expression(other)._calculated("%", self)

    def __neg__(self) -> "Expression":
        return Expression(expressions.negative(self.node))

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
        return Expression(Both(self.node, as_expression(other).node))

    def __rand__(self, other: object) -> "Expression":
        return as_expression(other) & self

    def __or__(self, other: object) -> "Expression":
        return Expression(Either(self.node, as_expression(other).node))

    def __ror__(self, other: object) -> "Expression":
        return as_expression(other) | self

    def __invert__(self) -> "Expression":
        return Expression(Negated(self.node))

    def fill_null(self, value: object) -> "Expression":
        """The value, or another one where it is missing."""
        return Expression(expressions.coalesced([self.node, as_expression(value).node]))

    def concat(self, *others: object) -> "Expression":
        """A text with others after it; missing if any of them is."""
        node = self.node
        for other in others:
            node = Joined(node, as_expression(other).node)
        return Expression(node)

    def is_in(self, values: object) -> "Expression":
        """Whether the value is one of a public list."""
        if not isinstance(values, list | tuple) or not values:
            raise QueryError(
                "is_in takes a list of values and got none. A row is kept if its value is one of "
                'them. Write dp.col("x").is_in(["A", "B"]).'
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

    def count(self) -> "AggregateExpression":
        """How many rows have a value."""
        return self._asked(COUNT)

    def sum(self) -> "AggregateExpression":
        """The sum, clipped to the column's bounds."""
        return self._asked(SUM)

    def mean(self) -> "AggregateExpression":
        """The mean; of a condition, the proportion of rows for which it is true."""
        return self._asked(MEAN)

    def var(self) -> "AggregateExpression":
        """The variance: the mean squared distance from the mean."""
        return self._asked(VARIANCE)

    def std(self) -> "AggregateExpression":
        """The standard deviation."""
        return self._asked(DEVIATION)

    def min(self) -> "AggregateExpression":
        """A value near the smallest one."""
        return self._asked(MIN)

    def max(self) -> "AggregateExpression":
        """A value near the largest one."""
        return self._asked(MAX)

    def median(self) -> "AggregateExpression":
        """The middle value."""
        return AggregateExpression(Aggregate(QUANTILE, self.node, (Fraction(1, 2),)))

    def quantile(self, levels: object) -> "AggregateExpression":
        """One quantile, or several that share one ε: ``quantile([0.25, 0.5, 0.75])``."""
        many = isinstance(levels, Sequence) and not isinstance(levels, str)
        wanted = list(levels) if many else [levels]  # type: ignore[call-overload]
        levels_read = tuple(rational(level, "a quantile's level") for level in wanted)
        if (
            not levels_read
            or any(not 0 < level < 1 for level in levels_read)
            or len({*levels_read}) < len(levels_read)
        ):
            raise QueryError(
                "the levels of a quantile are not distinct numbers between 0 and 1. Each is the "
                "share of rows below the value. Write .quantile(0.9) or .quantile([0.25, 0.75])."
            )
        return AggregateExpression(Aggregate(QUANTILE, self.node, tuple(sorted(levels_read))))

    def cdf(self, step: object) -> "Distribution":
        """The share of rows below the end of each step between the column's bounds.

        The last step has the upper bound, and each of whole numbers in steps of 1 has its number.
        It is asked alone, ``agg(share=dp.col("age").cdf(step=1))``, and priced as running totals.
        """
        width = rational(step, "the step of a distribution")
        if width <= 0:
            raise QueryError(
                f"the step of a distribution is {step!r:.40}. It is the width of the bins, of "
                'which each is added to those before it. Write dp.col("x").cdf(step=1).'
            )
        return Distribution(self.node, width)

    def n_unique(self) -> "AggregateExpression":
        """How many different values there are."""
        return self._asked(DISTINCT)

    def alias(self, name: str) -> "Labeled":
        """The expression under a name, as a group."""
        return Labeled(self.node, name)

    def _calculated(self, operator: Arithmetic, other: object) -> "Expression":
        return Expression(Calculation(operator, self.node, as_expression(other).node))

    def _compared(self, operator: Comparison, other: object) -> "Expression":
        node = as_expression(other).node
        if node == Constant(None):
            test = "is_not_null" if operator == "<>" else "is_null"
            raise QueryError(
                f"{_brief(self.node)[:80]!r} is compared with None. No comparison with what is "
                f"missing is ever true. Write .{test}()."
            )
        return Expression(Compared(operator, self.node, node))

    def _asked(self, statistic: Statistic) -> "AggregateExpression":
        return AggregateExpression(Aggregate(statistic, self.node))


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
    dated: Dated = Dated.NOT
    name: str | None = None

    def alias(self, name: str) -> "Binned":
        """The bins under another name."""
        return Binned(self.node, self.edges, self.dated, name)


@dataclass(frozen=True)
class Distribution:
    """The share of rows up to each value of a column, in steps."""

    node: Node
    step: Fraction

    def __add__(self, other: object) -> NoReturn:
        raise _alone()

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __add__
    __lt__ = __le__ = __gt__ = __ge__ = __add__

    def __neg__(self) -> NoReturn:
        raise _alone()

    __abs__ = __neg__


def _alone() -> QueryError:
    return QueryError(
        "a distribution is computed with before it is released. It is measured as running totals, "
        'in a question of its own. Write .agg(share=dp.col("x").cdf(step=1)), and compute with '
        "the answer."
    )


class ReleasedNumber(NumberFunctions["ComputedNumber"]):
    """A number of each group that is released, and what can be computed from it for free."""

    def _as_computed(self) -> "ComputedNumber":
        raise NotImplementedError

    def _made(self, change: Callable[[Node], Node]) -> "ComputedNumber":
        number = self._as_computed()
        return ComputedNumber(read_size(change(number.node)), number.aggregates)

    def __bool__(self) -> bool:
        raise QueryError(
            f"{self!r:.80} has no truth value: it is a number that is released. Python's and, or "
            "and not ask for one. Give every aggregate a name of its own: "
            ".agg(n=dp.rows(), people=dp.people())."
        )

    def __lt__(self, other: object) -> NoReturn:
        raise self._compared()

    __le__ = __gt__ = __ge__ = __lt__

    def _compared(self) -> QueryError:
        return QueryError(
            f"{self!r:.80} is compared with another number. It is known when it is released, and "
            "conditions in Python are about single rows. Choose from the answer: "
            'answer.to_pandas().query("n > 100").'
        )

    def __add__(self, other: object) -> "ComputedNumber":
        return _computed("+", self, other)

    def __radd__(self, other: object) -> "ComputedNumber":
        return _computed("+", other, self)

    def __sub__(self, other: object) -> "ComputedNumber":
        return _computed("-", self, other)

    def __rsub__(self, other: object) -> "ComputedNumber":
        return _computed("-", other, self)

    def __mul__(self, other: object) -> "ComputedNumber":
        return _computed("*", self, other)

    def __rmul__(self, other: object) -> "ComputedNumber":
        return _computed("*", other, self)

    def __truediv__(self, other: object) -> "ComputedNumber":
        return _computed("/", self, other)

    def __rtruediv__(self, other: object) -> "ComputedNumber":
        return _computed("/", other, self)


@dataclass(frozen=True, repr=False)
class AggregateExpression(ReleasedNumber):
    """An aggregate, to be given to ``agg``; ``alias`` names it."""

    aggregate: Aggregate
    name: str | None = None

    def __repr__(self) -> str:
        of = self.aggregate.of
        return f"{self.aggregate.statistic}(…)" if of and _brief(of) == "…" else self.aggregate.text

    def alias(self, name: str) -> "AggregateExpression":
        """The aggregate under this name."""
        return AggregateExpression(self.aggregate, name)

    def _as_computed(self) -> "ComputedNumber":
        if len(self.aggregate.columns("")) > 1:
            raise QueryError(
                f"{self!r} is several numbers, and one is computed with. Ask for one of them: "
                '.quantile(0.9). Or combine what was released: answer["stay_0.9"] - 1.'
            )
        return ComputedNumber(Named(self.aggregate.text), (self.aggregate,))


@dataclass(frozen=True, repr=False)
class ComputedNumber(ReleasedNumber):
    """A number computed from aggregates after their release: ``dp.rows(paid) / dp.rows()``.

    Aggregates stand in ``node`` under their texts.
    """

    node: Node
    aggregates: tuple[Aggregate, ...]
    name: str | None = None

    def __repr__(self) -> str:
        return _brief(self.node)

    def alias(self, name: str) -> "ComputedNumber":
        """The number under this name."""
        return ComputedNumber(self.node, self.aggregates, name)

    def _as_computed(self) -> "ComputedNumber":
        return self


def _computed(operator: Arithmetic, first: object, second: object) -> ComputedNumber:
    sides = [
        one._as_computed() if isinstance(one, ReleasedNumber) else _constant_beside(one)
        for one in (first, second)
    ]
    if operator == "/" and sides[1].node == Constant(Fraction(0)):
        raise QueryError(
            f"{first!r:.80} is divided by 0. There is no such number, and nothing would be "
            "released for the price. Divide by another one."
        )
    node = Calculation(operator, sides[0].node, sides[1].node)
    return ComputedNumber(
        read_size(node), tuple(dict.fromkeys((*sides[0].aggregates, *sides[1].aggregates)))
    )


def _constant_beside(value: object) -> ComputedNumber:
    """A constant that is computed with beside aggregates."""
    if isinstance(value, Expression):
        raise QueryError(
            f"{value!r:.80} stands beside an aggregate. Aggregates are one number of each group, "
            'and it has a value in every row. Use an aggregate of it: dp.col("x").sum().'
        )
    if isinstance(value, Distribution):
        raise _alone()
    return ComputedNumber(Constant(constant_number(value)), ())


def _brief(node: Node) -> str:
    """An expression as text, and three dots for one that is too large to be read."""
    try:
        return expression_text(read_size(node))
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
            'declared. Write dp.col("x").'
        )
    return Expression(Named(name))


def people(condition: object = None) -> AggregateExpression:
    """How many different people there are; rows, where the unit is the row.

    With a condition, those who have a row for which it is true.

    >>> people(), people(col("stay") > 2)
    (people(), people(stay > 2))
    """
    return AggregateExpression(
        Aggregate(PEOPLE, None if condition is None else as_expression(condition).node)
    )


def rows(condition: object = None) -> AggregateExpression:
    """How many rows there are; a person over the cap counts as the cap.

    With a condition, those for which it is true.  Conditions that exclude each other, and all rows
    beside them, are measured together and cost one ε.

    >>> rows(), rows(col("stay") > 2)
    (rows(), count(CASE WHEN stay > 2 THEN 1 ELSE NULL END))
    """
    if condition is None:
        return AggregateExpression(Aggregate(ROWS))
    counted = Chosen(as_expression(condition).node, Constant(Fraction(1)), Constant(None))
    return AggregateExpression(Aggregate(COUNT, counted))


def related(statistic: Statistic, *values: object) -> AggregateExpression:
    """A relation between columns: a statistic of several values of each row."""
    return AggregateExpression(
        Aggregate(statistic, together([as_expression(value).node for value in values]))
    )


@dataclass(frozen=True)
class When:
    """The start of a choice: ``dp.when(condition).then(…).otherwise(…)``."""

    condition: Node

    def then(self, value: object) -> "Then":
        """The value where the condition is true."""
        return Then(self.condition, as_expression(value).node)


@dataclass(frozen=True)
class Then:
    """A choice that lacks the value for the other rows."""

    condition: Node
    value: Node

    def otherwise(self, value: object) -> Expression:
        """The value where the condition is false or missing."""
        return Expression(Chosen(self.condition, self.value, as_expression(value).node))


def when(condition: object) -> When:
    """One value where a condition is true, another elsewhere.

    >>> when(col("stay") > 7).then(1).otherwise(0)
    CASE WHEN stay > 7 THEN 1 ELSE 0 END
    """
    return When(as_expression(condition).node)


def as_expression(value: Any) -> Expression:
    """An expression, or a constant as one."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, ReleasedNumber | Distribution | Binned | When | Then | Labeled):
        raise QueryError(
            "an aggregate, bins or an unfinished choice stands where a value of each row is "
            "needed. Aggregates are given to agg, also those that are computed with, as in "
            "share=dp.rows(paid) / dp.rows(); bins are given to group_by, and a choice ends in "
            ".otherwise(…). Write it there."
        )
    if value is None or isinstance(value, bool | str):
        return Expression(Constant(value))
    if isinstance(value, datetime.datetime):
        return Expression(Constant(Fraction(_second(value)), Dated.SECONDS))
    if isinstance(value, datetime.time):
        return Expression(Constant(Fraction(_time(value)), Dated.TIME))
    if isinstance(value, datetime.date):
        return Expression(Constant(Fraction(day(value) or 0), Dated.DAYS))
    if isinstance(value, datetime.timedelta):
        return Expression(Constant(Fraction(value // datetime.timedelta(seconds=1), DAY_SECONDS)))
    return Expression(Constant(constant_number(value)))
