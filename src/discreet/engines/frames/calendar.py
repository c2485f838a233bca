"""Days and moments of frames: the years 1 to 9999, in UTC where there is a zone."""

import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

_EPOCH = datetime.date(1970, 1, 1).toordinal()
FIRST = datetime.date.min.toordinal() - _EPOCH
LAST = datetime.date.max.toordinal() - _EPOCH
_NANOSECONDS_PER_DAY = 86_400 * 10**9
# How many of a unit are in a day, or how many days it has.
_PER_DAY = {"D": 1, "h": 24, "m": 1440, "s": 86_400, "ms": 86_400 * 10**3, "us": 86_400 * 10**6}
_PER_DAY |= {"ns": _NANOSECONDS_PER_DAY, "ps": 86_400 * 10**12}
_PER_DAY |= {"fs": 86_400 * 10**15, "as": 86_400 * 10**18}
_MONTHS = {"Y": 12, "M": 1}
_FIRST_MONTH, _LAST_MONTH = (1 - 1970) * 12, (10_000 - 1970) * 12

Integers = NDArray[np.int64]


def split(counts: Integers, unit: str) -> tuple[Integers, Integers, NDArray[np.bool_]]:
    """Days since 1970, nanoseconds of the day, and what lies outside of the calendar."""
    per_day = _PER_DAY[unit]
    days, rest = np.divmod(counts, np.int64(per_day))
    outside = (days < FIRST) | (days > LAST)
    return days, rest * np.int64(_NANOSECONDS_PER_DAY // per_day), outside


def split_moment(moment: np.datetime64) -> tuple[int, int] | None:
    """The same of one of NumPy's moments, of whatever unit; None outside of the calendar."""
    if np.isnat(moment):
        return None
    unit, many = np.datetime_data(moment.dtype)
    count = int(moment.astype(np.int64)) * many
    if unit in _MONTHS:
        months = count * _MONTHS[unit]
        if not _FIRST_MONTH <= months < _LAST_MONTH:
            return None
        return int(np.datetime64(months, "M").astype("datetime64[D]").astype(np.int64)), 0
    per_day = 1 if unit == "W" else _PER_DAY[unit]
    days, rest = divmod(count * 7 if unit == "W" else count, per_day)
    if not FIRST <= days <= LAST:
        return None
    return days, rest * _NANOSECONDS_PER_DAY // per_day


def date_text(day: int) -> str:
    """A day as it is written."""
    return datetime.date.fromordinal(day + _EPOCH).isoformat()


def moment_text(day: int, nanoseconds: int, *, zoned: bool) -> str:
    """A moment as it is written: to the last digit that is not zero.

    >>> moment_text(0, 1_500_000_000, zoned=True)
    '1970-01-01 00:00:01.5+00'
    """
    seconds, rest = divmod(nanoseconds, 10**9)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    digits = f".{rest:09d}".rstrip("0") if rest else ""
    zone = "+00" if zoned else ""
    return f"{date_text(day)} {hours:02d}:{minutes:02d}:{seconds:02d}{digits}{zone}"


def midnights(days: Integers, missing: NDArray[np.bool_]) -> NDArray[Any]:
    """Days as moments that DuckDB reads; NaT where there is none."""
    found = np.where(missing, 0, days).astype("datetime64[D]").astype("datetime64[us]")
    found[missing] = np.datetime64("NaT")
    return found
