"""Time in a ledger, and budgets that start again with every period.

The time of an entry is never before that of the entry before it: a clock that is set back does
not open a period again, and one that was set ahead only delays the next.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from time import time_ns
from typing import Final

from discreet.errors import DataError, PrivacyParameterError

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)


class Period(StrEnum):
    """How often a budget starts again, by the calendar, in UTC."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"

    @staticmethod
    def read(value: object) -> "Period | None":
        """The period with that name; None is a budget for all time."""
        if value is None:
            return None
        try:
            return Period(str(value))
        except ValueError:
            raise PrivacyParameterError(
                f"period is {str(value)[:40]!r}. A budget starts again with the calendar: every "
                f"{', '.join(Period)}. Leave it out for a budget that holds for all time."
            ) from None

    def window(self, time: str) -> str:
        """The period that a time is in.

        >>> [str(period.window("2026-11-15T09:30:00.000000Z")) for period in Period]
        ['2026-11-15', 'week of 2026-11-09', '2026-11', '2026 quarter 4', '2026']
        """
        day = date.fromisoformat(time[:10])
        match self:
            case Period.DAY:
                return day.isoformat()
            case Period.WEEK:
                return f"week of {day - timedelta(days=day.weekday())}"
            case Period.MONTH:
                return f"{day:%Y-%m}"
            case Period.QUARTER:
                return f"{day:%Y} quarter {(day.month + 2) // 3}"
            case Period.YEAR:
                return f"{day:%Y}"


def now() -> str:
    """The time in UTC, to the microsecond, in a form whose order as text is that of time."""
    seconds, rest = divmod(time_ns(), 10**9)
    return f"{_second(seconds)}.{rest // 1000:06}Z"


def is_time(time: object) -> bool:
    """Whether it is a time as ``now`` writes it.

    >>> is_time("2026-11-15T09:30:00.000000Z"), is_time("2026-11-31T09:30:00.000000Z")
    (True, False)
    """
    if not isinstance(time, str) or _TIME.fullmatch(time) is None:
        return False
    try:
        datetime.fromisoformat(time)
    except ValueError:
        return False
    return True


def checked(clock: Callable[[], str]) -> Callable[[], str]:
    """A clock whose times are looked at before they stand in the ledger for ever."""

    def tell() -> str:
        time = clock()
        if is_time(time):
            return time
        raise DataError(
            "the clock does not tell a time in UTC to the microsecond. Times stand in the ledger "
            'for ever and order its periods. Let it return texts such as "2026-11-15T09:30:00.'
            '000000Z", or leave it out.'
        )

    return clock if clock is now else tell


@lru_cache(maxsize=2)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
