"""Time zones: how far their clocks are from UTC, and when that changes.

All engines are told the same offsets, found here in one data base (the package tzdata), whatever
that of the machine, of DuckDB, PostgreSQL or Java may say.  They are facts about the world and
the declared bounds, and not about any row.
"""

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import resources
from io import BytesIO
from zoneinfo import ZoneInfo

from discreet.errors import BoundsError, Remedy
from discreet.plan.calendar import DAY_SECONDS, FIRST_SECOND, LAST_SECOND

MOST_CHANGES = 1_000
"""How often a zone's offset may change where it is declared: each is written into the query."""
AROUND = 366 * DAY_SECONDS
"""How long before and after the declared bounds the offsets are those of the zone."""
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_EDGE = 2 * DAY_SECONDS  # so far from the ends of the calendar no offset leads beyond them


@dataclass(frozen=True, slots=True)
class ZoneOffsets:
    """The seconds to add to UTC: ``offsets[0]`` before ``changes[0]``, and so on.

    Before the first change and after the last one, the first and the last offset hold for ever.
    """

    changes: tuple[int, ...]
    offsets: tuple[int, ...]


def check_zone(name: object) -> str:
    """The name of a zone that is known.

    >>> check_zone("Europe/Paris")
    'Europe/Paris'
    """
    if isinstance(name, str) and name in _names():
        return name
    near = get_close_matches(name, _names(), 1) if isinstance(name, str) else []
    meant = near[0] if near else "Europe/Paris"
    raise BoundsError(
        f"the zone {str(name)[:60]!r} is not known. A zone has a name of the IANA data base, with "
        "its rules for summer time.",
        Remedy(python=f'Write zone="{meant}".', policy=f'Write zone = "{meant}".'),
    )


def zone_offsets(name: str, low: int, high: int) -> ZoneOffsets:
    """The offsets of a zone from a year before one second of its clock to a year after another.

    >>> from discreet.plan.calendar import second
    >>> summer = second("2025-07-01") or 0
    >>> zone_offsets("Asia/Kolkata", summer, summer + 1)
    ZoneOffsets(changes=(), offsets=(19800,))
    """
    first = max(low - AROUND, FIRST_SECOND + _EDGE)
    last = min(high + AROUND, LAST_SECOND - _EDGE)
    return _offsets(name, min(first, last), max(first, last))


@cache
def _offsets(name: str, first: int, last: int) -> ZoneOffsets:
    zone = _zone(name)
    changes: list[int] = []
    offsets = [_offset(zone, first)]
    for change in _changes(zone, first, last):
        changes.append(change)
        offsets.append(_offset(zone, change))
        if len(changes) > MOST_CHANGES:
            raise BoundsError(
                f"the clocks of {name} change more than {MOST_CHANGES:,} times between the bounds "
                "of the column. Every change is written into each question. Declare narrower "
                "bounds."
            )
    return ZoneOffsets(tuple(changes), tuple(offsets))


def _changes(zone: ZoneInfo, first: int, last: int) -> Iterator[int]:
    """The seconds of UTC at which the offset changes.  No zone changes twice within a day."""
    before, offset = first, _offset(zone, first)
    while before < last:
        after = min(before + DAY_SECONDS, last)
        if _offset(zone, after) != offset:
            low, high = before, after
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if _offset(zone, middle) == offset else (low, middle)
            yield high
            offset = _offset(zone, after)
        before = after


def _offset(zone: ZoneInfo, second: int) -> int:
    moment = (_EPOCH + datetime.timedelta(seconds=second)).astimezone(zone)
    offset = moment.utcoffset()
    return 0 if offset is None else offset.days * DAY_SECONDS + offset.seconds


@cache
def _zone(name: str) -> ZoneInfo:
    place = resources.files("tzdata").joinpath("zoneinfo", *name.split("/"))
    return ZoneInfo.from_file(BytesIO(place.read_bytes()), name)


@cache
def _names() -> frozenset[str]:
    listed = resources.files("tzdata").joinpath("zones").read_text("utf-8")
    return frozenset(listed.split())
