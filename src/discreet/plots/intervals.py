"""What the pictures of estimates share: their rows, their scale, and intervals without an end."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from math import isfinite
from typing import Any

_PIECES = 6
"""How many pieces an interval without an end has, each fainter than the one before."""
_LENGTH = 0.14
"""How long they are together, as a part of the scale."""
_ONE_DAY = "1970-01-01"
"""On which times of day are drawn."""
_FEW_DAYS = 5
"""On an axis of fewer days a date alone would stand at several places."""

Row = dict[str, Any]


End = float | str | None
"""An end of an interval: a number or a date, as its estimate is; None where there is none."""


def estimate_row(value: float | str, lower: End, upper: End, text: str = "") -> Row:
    """An estimate as a picture has it: finite ends, and whether it is open below or above.

    ``text`` is what the pointer shows of it: unless stated, the value with its interval.

    Where only one end is known, the interval is drawn from it to the value, and fades from there.

    >>> estimate_row(5, 3, float("inf"))["fades"], estimate_row(5, None, None)["fades"]
    ('up', '')
    >>> [estimate_row(5, 3, float("inf"))[name] for name in ("lower", "upper", "low", "high")]
    [3.0, None, 3.0, 5.0]
    """
    number = _moment(value) if isinstance(value, str) else float(value)
    low, high = _finite(lower), _finite(upper)
    row: Row = {"value": number, "lower": low, "upper": high, "fades": "", "low": low, "high": high}
    row["estimate"] = text or _row_text(value, lower, upper)
    if None in (lower, upper):
        return row | {"low": None, "high": None}
    if isinstance(number, str):
        return row
    if low is not None and high is None:
        return row | {"fades": "up", "high": max(number, low)}
    if high is not None and low is None:
        return row | {"fades": "down", "low": min(number, high)}
    return row


def _row_text(value: float | str, lower: End, upper: End) -> str:
    return f"{value}" if None in (lower, upper) else f"{value}, {lower} to {upper}"


def _finite(end: End) -> float | str | None:
    if isinstance(end, str):
        return _moment(end)
    return None if end is None or not isfinite(end) else float(end)


def _moment(text: str) -> str:
    """A date as it is, and a datetime so that no reader takes it for one of its own zone.

    A time of day is drawn as one of the first day of the calendar of computers.

    >>> _moment("2026-11-15"), _moment("2026-11-15 10:00:00"), _moment("10:00:00")
    ('2026-11-15', '2026-11-15T10:00:00Z', '1970-01-01T10:00:00Z')
    """
    if ":" not in text:
        return text
    return f"{text.replace(' ', 'T')}Z" if "-" in text else f"{_ONE_DAY}T{text}Z"


def tooltips(alt: Any, rows: Sequence[Row]) -> list[Any]:
    """What is shown of an estimate below the pointer: its names, and its value with its error."""
    shown = ["label", *(["name"] if rows[0]["name"] else []), "estimate"]
    return [alt.Tooltip(f"{name}:N") for name in shown]


def calendar_format(rows: Sequence[Row]) -> str:
    """How an axis of dates is labelled: with the time of day where datetimes are near each other.

    >>> calendar_format([estimate_row("2026-11-15 10:00:00", None, None)])
    '%Y-%m-%d %H:%M'
    """
    found = {row[name] for row in rows for name in ("value", "low", "high")} - {None}
    moments = [datetime.fromisoformat(text) for text in found]
    timed = any(":" in text for text in found)
    if all(text.startswith(_ONE_DAY) for text in found):
        return "%H:%M"
    near = max(moments) - min(moments) < timedelta(days=_FEW_DAYS)
    return "%Y-%m-%d %H:%M" if timed and near else "%Y-%m-%d"


def scale_ends(rows: Sequence[Row], from_zero: bool) -> tuple[float, float]:
    """Where the scale of numbers begins and ends: finite numbers alone decide."""
    places = [0.0] if from_zero else []
    for row in rows:
        places += [row[name] for name in ("value", "low", "high") if row[name] is not None]
    low, high = min(places), max(places)
    room = (high - low or abs(high) or 1.0) * _LENGTH
    for row in rows:
        if row["fades"] == "up":
            high = max(high, row["high"] + room)
        elif row["fades"] == "down":
            low = min(low, row["low"] - room)
    if low == high:
        return low - room, high + room
    if not from_zero:  # a point at an edge would be cut
        low, high = low - 0.2 * room, high + 0.2 * room
    return low, high


def fading_layers(
    alt: Any, rows: Sequence[Row], ends: tuple[float, float]
) -> Iterator[tuple[Any, str, str, float]]:
    """For each piece of the open ends: a chart with its two fields, and how opaque it is."""
    step = (ends[1] - ends[0]) * _LENGTH / (1 + _LENGTH) / _PIECES
    for side, edge, sign in (("up", "high", 1), ("down", "low", -1)):
        if not any(row["fades"] == side for row in rows):
            continue
        for piece in range(_PIECES):
            near, far = f"{side}_{piece}", f"{side}_{piece + 1}"
            chart = alt.Chart().transform_filter(f"datum.fades == '{side}'")
            chart = chart.transform_calculate(
                **{
                    near: f"datum.{edge} + {sign * piece * step!r}",
                    far: f"datum.{edge} + {sign * (piece + 1) * step!r}",
                }
            )
            yield chart, near, far, 1 - (piece + 0.5) / _PIECES


def interval_words(
    rows: Sequence[Row], shown: str = "intervals", *, level: str = "95%"
) -> list[str]:
    """What the picture says of its intervals, line by line."""
    known = [row["low"] is not None and row["high"] is not None for row in rows]
    if not any(known):
        return ["without intervals"]
    words = [f"with {level} {shown}" + ("" if all(known) else " where they are known")]
    sides = {row["fades"] for row in rows if row["fades"]}
    if sides:
        side = {"up": "upper ", "down": "lower "}[sides.pop()] if len(sides) == 1 else ""
        words.append(f"where one fades, no {side}end is known{'' if side else ' on that side'}")
    return words
