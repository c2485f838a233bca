"""Parts of dates, and dates cut to the start of a year, a quarter, a month or a week.

A date is the number of days from 1970.  There are dates from the year 1 to 9999.
"""

import datetime
from calendar import monthrange
from collections.abc import Callable, Iterator
from typing import Literal, get_args

from discreet.plan.expressions import DatePart

Unit = Literal["year", "quarter", "month", "week", "day"]
UNITS: tuple[Unit, ...] = get_args(Unit)

_DAYS = [f"{number:02}" for number in range(32)]
_EPOCH = datetime.date(1970, 1, 1).toordinal()
FIRST_DAY = datetime.date.min.toordinal() - _EPOCH
LAST_DAY = datetime.date.max.toordinal() - _EPOCH

PARTS: dict[DatePart, Callable[[datetime.date], int]] = {
    "YEAR": lambda date: date.year,
    "QUARTER": lambda date: (date.month + 2) // 3,
    "MONTH": lambda date: date.month,
    "DAY": lambda date: date.day,
    "DAYOFWEEK": lambda date: date.isoweekday() % 7,
    "ISODOW": datetime.date.isoweekday,
    "DAYOFYEAR": lambda date: date.timetuple().tm_yday,
    "WEEK": lambda date: date.isocalendar().week,
}
RANGES: dict[DatePart, tuple[int, int]] = {
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


def part_of(part: DatePart, days: int) -> int:
    """A part of a date.

    >>> part_of("YEAR", 365), part_of("ISODOW", 0)
    (1971, 4)
    """
    return PARTS[part](datetime.date.fromordinal(days + _EPOCH))


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


def truncated(unit: Unit, days: int) -> int:
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


def starts(unit: Unit, low: int, high: int) -> Iterator[int]:
    """The first days of all units that have a day between two."""
    longest = {"year": 366, "quarter": 92, "month": 31, "week": 7, "day": 1}[unit]
    current = truncated(unit, low)
    while current <= high:
        yield current
        if current + longest > LAST_DAY:
            return
        current = truncated(unit, current + longest)
