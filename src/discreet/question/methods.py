"""The functions of one value, as users write them in Python: ``dp.col("admitted").year()``.

They make the same nodes as the functions of SQL.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from discreet.errors import QueryError
from discreet.exact import rational
from discreet.plan import compose
from discreet.plan.dates import UNITS
from discreet.plan.expressions import (
    Absolute,
    Applied,
    Clipped,
    Converted,
    Floored,
    Function,
    Missing,
    Negated,
    Node,
    Target,
)

_LARGEST_CONSTANT = 10**308  # what a 64-bit float holds
_TARGETS: dict[str, Target] = {
    "number": "DOUBLE",
    "integer": "INTEGER",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "text": "VARCHAR",
}


@dataclass(frozen=True, eq=False, repr=False)
class RowValue:
    """A value of every row, and what can be computed of it alone."""

    node: Node

    # Numbers

    def abs(self) -> Self:
        """The distance from zero."""
        return type(self)(Absolute(self.node))

    def floor(self) -> Self:
        """The largest whole number not above the value."""
        return type(self)(Floored(self.node))

    def ceil(self) -> Self:
        """The smallest whole number not below the value."""
        return type(self)(compose.ceiling(self.node))

    def round(self, digits: int = 0) -> Self:
        """The nearest number with so many digits after the point; halves go up."""
        return type(self)(compose.rounded(self.node, int(_whole(digits))))

    def sign(self) -> Self:
        """1, 0 or -1."""
        return type(self)(compose.sign(self.node))

    def sqrt(self) -> Self:
        """The square root; missing below 0."""
        return self._applied("SQRT")

    def log(self) -> Self:
        """The natural logarithm; missing up to 0."""
        return self._applied("LN")

    def log10(self) -> Self:
        """The logarithm to base 10; missing up to 0."""
        return self._applied("LOG10")

    def exp(self) -> Self:
        """The exponential."""
        return self._applied("EXP")

    def pow(self, exponent: object) -> Self:
        """The value to a written power; missing where that is undefined."""
        return self._applied("POWER", constant_number(exponent))

    def __pow__(self, exponent: object) -> Self:
        return self.pow(exponent)

    def clip(self, low: object, high: object) -> Self:
        """The value moved between public bounds, which are then those of the expression."""
        return type(self)(Clipped(self.node, constant_number(low), constant_number(high)))

    def width_bucket(self, low: object, high: object, count: object) -> Self:
        """The number of one of so many equal parts between two ends; 0 below, count + 1 above."""
        ends = constant_number(low), constant_number(high)
        return type(self)(compose.bucket(self.node, *ends, constant_number(count)))

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
        return type(self)(compose.first_characters(self.node, _whole(count)))

    def right(self, count: int) -> Self:
        """The last characters of a text."""
        return self._applied("RIGHT", _whole(count))

    def starts_with(self, text: str) -> Self:
        """Whether a text begins with another."""
        return type(self)(compose.starts_with(self.node, _text(text)))

    def ends_with(self, text: str) -> Self:
        """Whether a text ends with another."""
        return type(self)(compose.ends_with(self.node, _text(text)))

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

    def truncate(self, unit: str) -> Self:
        """The first day of a date's year, quarter, month or (from Monday) week."""
        if unit not in UNITS:
            raise QueryError(
                f"truncate got {str(unit)[:60]!r}. A date is cut to a {', '.join(UNITS)}. Write "
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
        """The value as a number, integer, boolean, date or text; missing where it is none."""
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
