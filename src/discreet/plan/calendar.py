"""Dates and datetimes as whole numbers: days, or seconds of a wall clock, since 1970.

A time of day is a number of seconds since midnight.
"""

import datetime
import re
from enum import IntEnum
from fractions import Fraction

_EPOCH = datetime.date(1970, 1, 1).toordinal()
FIRST_DAY = datetime.date.min.toordinal() - _EPOCH
LAST_DAY = datetime.date.max.toordinal() - _EPOCH
DAY_SECONDS = 86_400
FIRST_SECOND = FIRST_DAY * DAY_SECONDS
LAST_SECOND = LAST_DAY * DAY_SECONDS + DAY_SECONDS - 1
_WRITTEN = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})([ T](?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d)"
    r"(:(?P<second>[0-5]\d)(\.\d+)?)?)?",
    re.ASCII,
)
_TIME = re.compile(
    r"(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d)(:(?P<second>[0-5]\d)(\.\d+)?)?", re.ASCII
)


class Dated(IntEnum):
    """What numbers are read as: numbers, dates, datetimes or times of day.

    Dates are counted in days, datetimes and times of day in seconds.

    It is written as it stands in the texts that the ledger keeps hashes of: the same in every
    version.
    """

    NOT = 0
    DAYS = 1
    SECONDS = 2
    TIME = 3

    def __repr__(self) -> str:
        return ("False", "True", "'datetime'", "'time'")[self]


def day(value: object) -> int | None:
    """The days from 1970 to a date, given as a date or as its text; None if it is neither.

    >>> day("1970-01-02"), day("soon")
    (1, None)
    """
    try:
        parsed = datetime.date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return None
    if not isinstance(parsed, datetime.date):
        return None
    return parsed.toordinal() - _EPOCH


def second(value: object) -> int | None:
    """The seconds from 1970 to a datetime without a zone, or to the midnight of a date.

    It is given as such or as its text; None if it is neither.  A fraction of a second is dropped,
    as it is from what is stored.

    >>> second("1970-01-02 00:01"), second("1970-01-02"), second("1970-01-01T00:00:00+01:00")
    (86460, 86400, None)
    """
    if isinstance(value, datetime.datetime):
        value = None if value.tzinfo is not None else value.isoformat(" ", "seconds")
    if isinstance(value, datetime.date):
        value = value.isoformat()
    written = _WRITTEN.fullmatch(value) if isinstance(value, str) else None
    days = None if written is None else day(written["day"])
    if written is None or days is None:
        return None
    hour, minute, rest = (int(written[part] or 0) for part in ("hour", "minute", "second"))
    return days * DAY_SECONDS + hour * 3600 + minute * 60 + rest


def time_second(value: object) -> int | None:
    """The seconds from midnight to a time of day without a zone; None if it is none.

    It is given as such or as its text.  A fraction of a second is dropped.

    >>> time_second("08:30"), time_second("08:30:59.9"), time_second("24:00")
    (30600, 30659, None)
    """
    if isinstance(value, datetime.time):
        value = None if value.tzinfo is not None else value.isoformat("seconds")
    written = _TIME.fullmatch(value) if isinstance(value, str) else None
    if written is None:
        return None
    hour, minute, rest = (int(written[part] or 0) for part in ("hour", "minute", "second"))
    return hour * 3600 + minute * 60 + rest


def date_text(days: int) -> str:
    """The date that is so many days from 1970.

    >>> date_text(1)
    '1970-01-02'
    """
    return datetime.date.fromordinal(days + _EPOCH).isoformat()


def datetime_text(seconds: int) -> str:
    """The datetime that is so many seconds from 1970.

    >>> datetime_text(-1)
    '1969-12-31 23:59:59'
    """
    days, rest = divmod(seconds, DAY_SECONDS)
    return f"{date_text(days)} {rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"


def dated_text(number: float | Fraction, dated: Dated) -> str:
    """The date, the datetime or the time of day that a number stands for.

    >>> dated_text(1, Dated.DAYS), dated_text(1, Dated.SECONDS), dated_text(1, Dated.TIME)
    ('1970-01-02', '1970-01-01 00:00:01', '00:00:01')
    """
    whole = int(number)
    if dated == Dated.TIME:
        return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
    return datetime_text(whole) if dated == Dated.SECONDS else date_text(whole)


def dated_number(text: object, dated: Dated) -> int | None:
    """The number that stands for a date, a datetime or a time, given as such or as its text."""
    return _NUMBERS[dated](text)


def released_number(text: str) -> int | None:
    """The number of a date, a datetime or a time of day that was released as text.

    >>> released_number("1970-01-02"), released_number("00:01:00")
    (1, 60)
    """
    if ":" not in text:
        return day(text)
    return second(text) if "-" in text else time_second(text)


_NUMBERS = {Dated.DAYS: day, Dated.SECONDS: second, Dated.TIME: time_second}
