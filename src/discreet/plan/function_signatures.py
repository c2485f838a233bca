"""Functions of one value: what each takes and gives, its bounds, and the parts of dates."""

import datetime
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import partial
from math import floor
from typing import Literal, get_args

from discreet.errors import QueryError, Remedy
from discreet.exact.interval_arithmetic import (
    Interval,
    decimal_logarithm,
    exponential,
    floored,
    increasing,
    narrowed,
    natural_logarithm,
    powered,
    square_rooted,
)
from discreet.plan.calendar import DAY_SECONDS, FIRST_DAY, FIRST_SECOND, LAST_DAY, LAST_SECOND
from discreet.plan.expressions import (
    TIME_SECONDS,
    Applied,
    Constant,
    Converted,
    DatePart,
    Function,
    Node,
    TimePart,
)
from discreet.privacy.number_functions import LARGEST_POWER

DateUnit = Literal["year", "quarter", "month", "week", "day"]
DATE_UNITS: tuple[DateUnit, ...] = get_args(DateUnit)
_EPOCH = datetime.date(1970, 1, 1).toordinal()
DATE_PART_RANGES: dict[DatePart, tuple[int, int]] = {
    "YEAR": (1, 9999),
    "QUARTER": (1, 4),
    "MONTH": (1, 12),
    "DAY": (1, 31),
    "DAYOFWEEK": (0, 6),
    "ISODOW": (1, 7),
    "DAYOFYEAR": (1, 366),
    "WEEK": (1, 53),
}
"""Between which bounds a part of any date lies."""
TIME_PART_RANGES: dict[TimePart, tuple[int, int]] = {
    "HOUR": (0, 23),
    "MINUTE": (0, 59),
    "SECOND": (0, 59),
}
"""The same of the time of day."""
MOST_PLACES = 1_000_000
"""Characters of a text that can be counted off."""
_MOST_PATTERN = 200
CALENDAR = Interval(Fraction(FIRST_DAY), Fraction(LAST_DAY))
CLOCK = Interval(Fraction(FIRST_SECOND), Fraction(LAST_SECOND))
_DAY = Interval(Fraction(0), Fraction(DAY_SECONDS - 1))
_NOT_NEGATIVE = Interval(low=Fraction(0))
Parameters = tuple[Fraction | str, ...]
BoundsRule = Callable[[Interval, Parameters], Interval]


class Kind(StrEnum):
    """The kinds of value.

    A date is counted in days, a datetime in seconds of a wall clock, a time since midnight.
    """

    NUMBER = "number"
    DATE = "date"
    DATETIME = "datetime"
    TIME = "time of day"
    BOOLEAN = "true or false"
    TEXT = "text"
    NOTHING = "nothing"


_DAYS = [f"{number:02}" for number in range(32)]

DATE_PARTS: dict[DatePart, Callable[[datetime.date], int]] = {
    "YEAR": lambda date: date.year,
    "QUARTER": lambda date: (date.month + 2) // 3,
    "MONTH": lambda date: date.month,
    "DAY": lambda date: date.day,
    "DAYOFWEEK": lambda date: date.isoweekday() % 7,
    "ISODOW": datetime.date.isoweekday,
    "DAYOFYEAR": lambda date: date.timetuple().tm_yday,
    "WEEK": lambda date: date.isocalendar().week,
}


def part_of(part: DatePart, days: int) -> int:
    """A part of a date.

    >>> part_of("YEAR", 365), part_of("ISODOW", 0)
    (1971, 4)
    """
    return DATE_PARTS[part](datetime.date.fromordinal(days + _EPOCH))


def date_texts(low: int, high: int) -> Iterator[str]:
    """The dates from one day to another, as text, month by month: there may be very many.

    >>> list(date_texts(30, 32))
    ['1970-01-31', '1970-02-01', '1970-02-02']
    """
    day = low
    while day <= high:
        date = datetime.date.fromordinal(day + _EPOCH)
        month = date.isoformat()[:-2]
        last = monthrange(date.year, date.month)[1]
        yield from [
            month + number for number in _DAYS[date.day : min(last, date.day + high - day) + 1]
        ]
        day += last - date.day + 1


def truncated(unit: DateUnit, days: int) -> int:
    """The first day of the year, quarter, month or (from Monday) week that a day is in.

    >>> truncated("month", 40), truncated("week", 0)
    (31, -3)
    """
    date = datetime.date.fromordinal(days + _EPOCH)
    if unit == "day":
        return days
    if unit == "week":
        return days - date.weekday()
    month = {"year": 1, "quarter": date.month - (date.month - 1) % 3, "month": date.month}[unit]
    return date.replace(month=month, day=1).toordinal() - _EPOCH


def starts(unit: DateUnit, low: int, high: int) -> Iterator[int]:
    """The first days of all units that have a day between two."""
    longest = {"year": 366, "quarter": 92, "month": 31, "week": 7, "day": 1}[unit]
    current = truncated(unit, low)
    while current <= high:
        yield current
        if current + longest > LAST_DAY:
            return
        current = truncated(unit, current + longest)


@dataclass(frozen=True, slots=True)
class Signature:
    """The kinds that a function takes and gives, and where its value lies if its operand does.

    ``repeats`` is how often its SQL writes the operand.
    """

    takes: Kind
    gives: Kind
    bounds: BoundsRule = lambda _, __: Interval()
    whole: bool = False
    repeats: int = 1
    parameters: Callable[[Parameters], bool] = lambda found: not found
    example: str = ""


def _part(part: DatePart, inner: Interval, _: Parameters) -> Interval:
    low, high = DATE_PART_RANGES[part]
    whole = Interval(Fraction(low), Fraction(high))
    if part != "YEAR":
        return whole
    within = narrowed(inner, CALENDAR)
    return increasing(lambda end: Fraction(part_of("YEAR", floor(end))), within)


def _truncated(inner: Interval, parameters: Parameters) -> Interval:
    unit = date_unit(parameters)
    return increasing(lambda end: Fraction(truncated(unit, floor(end))), narrowed(inner, CALENDAR))


def _time_part(part: TimePart, _: Interval, __: Parameters) -> Interval:
    low, high = TIME_PART_RANGES[part]
    return Interval(Fraction(low), Fraction(high))


def _moments_truncated(inner: Interval, parameters: Parameters) -> Interval:
    size = TIME_SECONDS[str(parameters[0])]
    return increasing(lambda end: Fraction(end // size * size), narrowed(inner, CLOCK))


def _date_of(inner: Interval, _: Parameters) -> Interval:
    return increasing(lambda end: Fraction(end // DAY_SECONDS), narrowed(inner, CLOCK))


def _midnight(inner: Interval, _: Parameters) -> Interval:
    return increasing(lambda end: floor(end) * Fraction(DAY_SECONDS), narrowed(inner, CALENDAR))


def date_unit(parameters: Parameters) -> DateUnit:
    """The unit that a date is cut to."""
    return next(unit for unit in DATE_UNITS if unit == parameters[0])


def _number(parameter: Fraction | str) -> Fraction:
    if isinstance(parameter, str):
        raise TypeError("the parameter was checked to be a number")
    return parameter


def _places(found: Parameters) -> bool:
    whole = all(isinstance(one, Fraction) and one.denominator == 1 for one in found)
    return whole and all(0 <= _number(one) <= MOST_PLACES for one in found)


def _one_text(found: Parameters) -> bool:
    return len(found) == 1 and isinstance(found[0], str) and len(found[0]) <= _MOST_PATTERN


def _one_power(found: Parameters) -> bool:
    one = found[0] if len(found) == 1 else None
    return isinstance(one, Fraction) and abs(one) <= LARGEST_POWER and _short(one)


def _short(number: Fraction) -> bool:
    return number.denominator <= 1 << 53


_numeric = partial(Signature, Kind.NUMBER, Kind.NUMBER, repeats=2)
_textual = partial(Signature, Kind.TEXT, Kind.TEXT)
_matching = partial(Signature, Kind.TEXT, Kind.BOOLEAN, parameters=_one_text)

SIGNATURES: dict[Function, Signature] = {
    "SQRT": _numeric(lambda inner, _: square_rooted(inner)),
    "LN": _numeric(lambda inner, _: natural_logarithm(inner)),
    "LOG10": _numeric(lambda inner, _: decimal_logarithm(inner)),
    "EXP": _numeric(lambda inner, _: exponential(inner)),
    "POWER": _numeric(
        lambda inner, found: powered(inner, _number(found[0])),
        repeats=3,
        parameters=_one_power,
        example="POWER(x, 2)",
    ),
    "LOWER": _textual(),
    "UPPER": _textual(),
    "TRIM": _textual(),
    "LENGTH": Signature(Kind.TEXT, Kind.NUMBER, lambda _, __: _NOT_NEGATIVE, whole=True),
    "SUBSTRING": _textual(
        parameters=lambda found: len(found) in (1, 2) and _places(found) and found[0] != 0,
        example="SUBSTRING(x, 1, 3)",
    ),
    "RIGHT": _textual(
        parameters=lambda found: len(found) == 1 and _places(found), example="RIGHT(x, 3)"
    ),
    "LIKE": _matching(example="x LIKE 'A%'"),
    "ILIKE": _matching(example="x ILIKE 'a%'"),
    "CONTAINS": _matching(example="CONTAINS(x, 'A')"),
    "DATE_TRUNC": Signature(
        Kind.DATE,
        Kind.DATE,
        _truncated,
        whole=True,
        repeats=3,
        parameters=lambda found: len(found) == 1 and found[0] in DATE_UNITS,
        example="DATE_TRUNC('month', x)",
    ),
    "CALENDAR": Signature(
        Kind.DATE, Kind.DATE, lambda inner, _: floored(narrowed(inner, CALENDAR)), True, 3
    ),
    **{
        part: Signature(Kind.DATE, Kind.NUMBER, partial(_part, part), whole=True, repeats=3)
        for part in DATE_PART_RANGES
    },
    "DATE": Signature(Kind.DATETIME, Kind.DATE, _date_of, whole=True),
    "TIME": Signature(Kind.DATETIME, Kind.TIME, lambda _, __: _DAY, whole=True, repeats=2),
    "MIDNIGHT": Signature(Kind.DATE, Kind.DATETIME, _midnight, whole=True),
    "EPOCH": Signature(Kind.DATETIME, Kind.NUMBER, lambda inner, _: inner, whole=True),
    "MOMENT": Signature(
        Kind.NUMBER,
        Kind.DATETIME,
        lambda inner, _: floored(narrowed(inner, CLOCK)),
        whole=True,
        repeats=3,
    ),
    **{
        time_part: Signature(
            Kind.DATETIME, Kind.NUMBER, partial(_time_part, time_part), whole=True, repeats=2
        )
        for time_part in TIME_PART_RANGES
    },
}
_MOMENTS_TRUNCATED = Signature(
    Kind.DATETIME,
    Kind.DATETIME,
    _moments_truncated,
    whole=True,
    example="DATE_TRUNC('hour', x)",
)


def cuts_time(parameters: Parameters) -> bool:
    """Whether DATE_TRUNC is to a part of a day, which a date does not have."""
    return len(parameters) == 1 and parameters[0] in TIME_SECONDS


def in_calendar(node: Node) -> bool:
    """Whether a date is missing, by what it is made of, where no calendar has it."""
    if isinstance(node, Applied):
        return node.function in ("CALENDAR", "DATE_TRUNC")
    return isinstance(node, Converted | Constant)


def repeats(node: Applied) -> int:
    """How often the SQL of a function writes its operand."""
    asks = node.function != "CALENDAR" and SIGNATURES[node.function].takes is Kind.DATE
    return 1 if asks and in_calendar(node.operand) else SIGNATURES[node.function].repeats


def signature(node: Applied) -> Signature:
    """What a function takes and gives; refused where its written parameters do not fit."""
    rule = SIGNATURES[node.function]
    if node.function == "DATE_TRUNC" and cuts_time(node.parameters):
        return _MOMENTS_TRUNCATED
    if not rule.parameters(node.parameters):
        raise QueryError(
            f"the parameters of {node.function} are not those it takes. They are written out, as "
            "numbers or texts of ordinary size.",
            Remedy(
                python="Pass others.",
                sql=f"Write {rule.example or node.function + '(x)'}.",
            ),
        )
    return rule
