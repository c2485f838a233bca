"""A zone's clock in the SQL of every engine: the seconds of UTC ▶ those of the clock."""

from discreet.errors import Remedy, SourceError
from discreet.plan.calendar import FIRST_SECOND, LAST_SECOND
from discreet.plan.schema import NumberColumn
from discreet.plan.zones import ZoneOffsets, zone_offsets

MILLISECONDS = 1000


def clock_of(column: NumberColumn) -> ZoneOffsets | None:
    """The offsets of the zone that a datetime column is declared to be of, if it is."""
    if column.zone is None or column.low is None or column.high is None:
        return None
    return zone_offsets(column.zone, int(column.low), int(column.high))


def clock_sql(second: str, clock: ZoneOffsets) -> str:
    """The SQL of a second of UTC, which is written often, as a second of the clock.

    It is NULL where the calendar has no such second.
    """
    first = max(FIRST_SECOND, FIRST_SECOND - clock.offsets[0])
    last = min(LAST_SECOND, LAST_SECOND - clock.offsets[-1])
    shifted = f"{second} + {_offset(second, clock.changes, clock.offsets)}"
    return f"CASE WHEN {second} BETWEEN {first} AND {last} THEN {shifted} END"


def _offset(second: str, changes: tuple[int, ...], offsets: tuple[int, ...]) -> str:
    """The offset at a second, by halves: there may be hundreds of changes."""
    if not changes:
        return f"({offsets[0]})"
    half = len(changes) // 2
    before = _offset(second, changes[:half], offsets[: half + 1])
    after = _offset(second, changes[half + 1 :], offsets[half + 1 :])
    return f"CASE WHEN {second} < {changes[half]} THEN {before} ELSE {after} END"


def zoned_error(name: str, kind: str) -> SourceError:
    """The refusal of a column of moments of the world, declared without a zone."""
    return SourceError(
        f"the column {name[:60]!r} is declared as a datetime without a zone, and is stored as "
        f"{kind}, which says which moment of the world it is and not what a clock showed. No zone "
        "is chosen silently.",
        Remedy(
            python='Say whose clock is meant: dp.datetime(…, zone="Europe/Paris"), or zone="UTC".',
            policy='Say whose clock is meant: zone = "Europe/Paris", or zone = "UTC".',
        ),
    )
