"""The picture of estimates over time, or along whole numbers: lines with bands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any

from discreet.plots.intervals import (
    End,
    Row,
    calendar_format,
    estimate_row,
    fading_layers,
    interval_words,
    scale_ends,
    tooltips,
)
from discreet.plots.picture import (
    BLUE,
    COLORS,
    Picture,
    altair,
    colored_names,
    finished,
    in_panels,
)

_FEWEST_NUMBERS = 8
"""Fewer whole numbers than these are columns, as categories are."""
_WIDTH = 560
_HEIGHT = 280
_PANEL_WIDTH = 165
_PANEL_HEIGHT = 110
_DOTTED = 62
"""Up to so many places, each is a dot on its line."""
_MOST_BOLD = 130
"""A line along more places is thinner."""
_LARGEST = 10**15
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DAYS = re.compile(r"\[([0-9]{4}-[0-9]{2}-[0-9]{2}), ([0-9]{4}-[0-9]{2}-[0-9]{2})[)\]]")
_BELOW = re.compile(r"(?:below|at most) ([0-9]{4}-[0-9]{2}-[0-9]{2})")
_MOST_TICKS = 8
_YEARS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
_MILLISECONDS = 86_400_000


@dataclass(frozen=True, slots=True)
class Places:
    """Where estimates are along an axis: days since 1970, or whole numbers."""

    dated: bool
    starts: tuple[int, ...]
    ends: tuple[int, ...] | None = None
    """Where each bin ends, if they are bins."""

    @property
    def step(self) -> int:
        """The least distance between neighbors: months are not all equally long."""
        found = sorted(set(self.starts))
        return min((later - earlier for earlier, later in pairwise(found)), default=1)

    def follows(self, first: int, second: int, step: int) -> bool:
        """Whether nothing is missing between one estimate and the next."""
        if self.ends is not None:
            return self.ends[first] == self.starts[second]
        return self.starts[second] - self.starts[first] <= 1.5 * step


def places_of(labels: Sequence[object]) -> Places | None:
    """The places that labels name, if they are dates, bins of dates or many whole numbers.

    >>> places_of(["1970-01-02", "1970-01-05"])
    Places(dated=True, starts=(1, 4), ends=None)
    >>> places_of(["[1970-01-01, 1970-02-01)", "[1970-02-01, 1970-03-01]"]).ends
    (31, 59)
    >>> places_of(["below 1970-02-01", "at most 1970-03-01"]).starts
    (31, 59)
    >>> places_of(["ICU", "Surgery"]), places_of([1, 2, 3]), places_of(range(8)).dated
    (None, None, False)
    """
    texts = [str(label) for label in labels]
    if not texts:
        return None
    if all(map(_DAY.fullmatch, texts)):
        days = [_day(text) for text in texts]
        known = tuple(day for day in days if day is not None)
        return Places(True, known) if len(known) == len(days) else None
    ends = [_day(found[1]) for text in texts if (found := _BELOW.fullmatch(text)) is not None]
    if len(ends) == len(texts) and None not in ends:
        return Places(True, tuple(day for day in ends if day is not None))
    bins = [found for text in texts if (found := _DAYS.fullmatch(text)) is not None]
    if len(bins) == len(texts):
        starts, ends = ([_day(found[side]) for found in bins] for side in (1, 2))
        if None in (*starts, *ends):
            return None
        return Places(
            True,
            tuple(day for day in starts if day is not None),
            tuple(day for day in ends if day is not None),
        )
    if len(set(texts)) >= _FEWEST_NUMBERS and are_whole_numbers(labels):
        return Places(False, tuple(map(int, texts)))
    return None


def are_whole_numbers(labels: Sequence[object]) -> bool:
    """Whether labels are numbers, and not texts of digits, such as the codes of places."""
    return all(isinstance(one, int) and abs(one) < _LARGEST for one in labels) and not any(
        isinstance(one, bool) for one in labels
    )


def series_picture(
    places: Places,
    labels: Sequence[str],
    names: Sequence[str],
    values: Sequence[float | str],
    lowers: Sequence[End],
    uppers: Sequence[End],
    title: str,
    *,
    from_zero: bool,
    axis: str = "",
    remark: str = "",
    level: str = "95%",
    texts: Sequence[str] = (),
) -> Picture:
    """A line for each name with its intervals as a band; above six of them, a panel each.

    A line is broken where a place is missing.  ``axis`` is written below the places, ``remark``
    after what is said of the intervals.
    """
    alt = altair()
    order = list(dict.fromkeys(names))
    rows = _rows(places, labels, names, values, lowers, uppers, texts)
    panels = len(order) > len(COLORS)
    single = len(order) == 1
    width = _PANEL_WIDTH if panels else _WIDTH
    x = _places_axis(alt, places, 3 if panels else _MOST_TICKS).title(axis or None)
    chart = _chart(alt, rows, order, x, from_zero, colored=not single and not panels)
    subtitle = [
        *interval_words(rows, "intervals as a band", level=level),
        *([remark] if remark else []),
    ]
    data = alt.Data(values=rows)
    chart = chart.properties(width=width, height=_PANEL_HEIGHT if panels else _HEIGHT)
    if not panels:
        return finished(chart.properties(data=data), title, subtitle)
    return finished(in_panels(alt, chart, order, data, _PANEL_WIDTH), title, subtitle)


def _chart(
    alt: Any, rows: Sequence[Row], order: Sequence[str], x: Any, from_zero: bool, colored: bool
) -> Any:
    """Bands below, lines above them, and the dots of what stands alone."""
    dated = isinstance(rows[0]["value"], str)
    kind = "T" if dated else "Q"
    color = colored_names(alt, order) if colored else alt.value(BLUE)
    if dated:
        y = alt.Y("value:T").scale(type="utc", zero=False, padding=8)
        y = y.axis(format=calendar_format(rows), tickCount=5).title(None)
        ends = (0.0, 0.0)
    else:
        ends = scale_ends(rows, from_zero)
        y = alt.Y("value:Q").scale(domain=list(ends), nice=True, zero=False)
        y = y.axis(tickCount=5).title(None)
    at = alt.Detail("run:N")
    layers = []
    if any(row["high"] is not None for row in rows):
        band = alt.Chart().transform_filter("isValid(datum.low) && isValid(datum.high)")
        strength = 0.3 if not colored else 0.18
        covered = alt.Detail("covered:N")
        layers += [
            band.mark_area(opacity=strength, line=False).encode(
                x,
                alt.Y(f"low:{kind}").title(None),
                alt.Y2(f"high:{kind}"),
                color=color,
                detail=covered,
            ),
            band.transform_filter("datum.alone")
            .mark_rule(strokeWidth=1.6, opacity=0.6)
            .encode(x, alt.Y(f"low:{kind}").title(None), alt.Y2(f"high:{kind}"), color=color),
        ]
        for piece, near, far, opacity in fading_layers(alt, rows, ends):
            layers += [
                piece.mark_area(opacity=strength * opacity, line=False).encode(
                    x,
                    alt.Y(f"{near}:Q").title(None),
                    alt.Y2(f"{far}:Q"),
                    color=color,
                    detail=covered,
                ),
                piece.transform_filter("datum.alone")
                .mark_rule(strokeWidth=1.6, opacity=0.6 * opacity)
                .encode(x, alt.Y(f"{near}:Q").title(None), alt.Y2(f"{far}:Q"), color=color),
            ]
    tooltip = tooltips(alt, rows)
    marks = alt.Chart()
    places = len({row["place"] for row in rows})
    layers.append(
        marks.mark_line(strokeWidth=1.8 if places <= _MOST_BOLD else 1.1).encode(
            x, y, color=color, detail=at, order=alt.Order("place:Q")
        )
    )
    dots = marks if places <= _DOTTED else marks.transform_filter("datum.alone")
    layers.append(dots.mark_circle(size=26, opacity=1).encode(x, y, color=color, tooltip=tooltip))
    return alt.layer(*layers)


def _rows(
    places: Places,
    labels: Sequence[str],
    names: Sequence[str],
    values: Sequence[float | str],
    lowers: Sequence[End],
    uppers: Sequence[End],
    texts: Sequence[str],
) -> list[Row]:
    """The rows of each line in the order of its places, with the unbroken runs that they are in."""
    scale = _MILLISECONDS if places.dated else 1
    rank = {name: place for place, name in enumerate(dict.fromkeys(names))}
    order = sorted(range(len(labels)), key=lambda one: (rank[names[one]], places.starts[one]))
    rows: list[Row] = []
    run, covered, step = 0, 0, places.step
    for before, one in zip([None, *order], order, strict=False):
        row = estimate_row(values[one], lowers[one], uppers[one], texts[one] if texts else "")
        follows = before is not None and names[before] == names[one]
        follows = follows and before is not None and places.follows(before, one, step)
        run += not follows
        last = rows[-1] if follows else None
        joined = last is not None and last["fades"] == row["fades"] and _has_band(last, row)
        covered += not joined
        rows.append(
            row
            | {
                "label": labels[one],
                "name": names[one],
                "place": places.starts[one] * scale,
                "run": run,
                "covered": covered,
            }
        )
    sizes: dict[int, int] = {}
    for row in rows:
        sizes[row["covered"]] = sizes.get(row["covered"], 0) + 1
    return [row | {"alone": sizes[row["covered"]] == 1} for row in rows]


def _has_band(first: Row, second: Row) -> bool:
    """Whether both have an interval, or neither has."""
    return (first["high"] is None) == (second["high"] is None)


def _places_axis(alt: Any, places: Places, most: int) -> Any:
    low, high = min(places.starts), max(places.starts)
    if not places.dated:
        x = alt.X("place:Q").scale(domain=[low, high], nice=False, zero=False, padding=6)
        return x.axis(format="d", tickMinStep=1, tickCount=most, grid=False, labelFlush=False)
    ticks, form = _ticks(low, high, most)
    first = f"utcFormat(datum.value, '{form}')"
    label = first
    if form != "%Y":  # the year stands once below the first tick that is in it
        label = (
            f"datum.index == 0 || {_new_year(ticks)} ? "
            f"[{first}, utcFormat(datum.value, '%Y')] : {first}"
        )
    domain = [day * _MILLISECONDS for day in (low, high)]
    if low == high:
        domain = [domain[0] - _MILLISECONDS, domain[1] + _MILLISECONDS]
    x = alt.X("place:T").scale(type="utc", domain=domain, nice=False, padding=6)
    return x.axis(
        values=[day * _MILLISECONDS for day in ticks],
        labelExpr=label,
        grid=False,
        labelFlush=False,
        labelOverlap=False,
    )


def _new_year(ticks: Sequence[int]) -> str:
    """The condition that a tick is the first one in its year."""
    first = [
        later * _MILLISECONDS
        for earlier, later in pairwise(ticks)
        if _date(earlier).year != _date(later).year
    ]
    return f"indexof({first}, +datum.value) >= 0"


def _ticks(low: int, high: int, most: int) -> tuple[list[int], str]:
    """Days, Mondays, months or years from one day to another, no more than ``most``, as needed.

    >>> [str(_date(day)) for day in _ticks(0, 364, 4)[0]]
    ['1970-01-01', '1970-04-01', '1970-07-01', '1970-10-01']
    >>> _ticks(0, 6, 8)[1], _ticks(0, 200, 8)[1], _ticks(0, 9000, 8)[1]
    ('%-d %b', '%b', '%Y')
    """
    for step in (1, 2, 7, 14):
        first = low if step < 7 else low + -(low - 4) % step  # the 5th of January 1970 was a Monday
        days = list(range(first, high + 1, step))
        if len(days) <= most:
            return days, "%-d %b"
    for months in (1, 2, 3, 4, 6):
        days = _firsts(low, high, months)
        if 2 <= len(days) <= most:
            return days, "%b"
    for years in _YEARS:
        days = _firsts(low, high, 12 * years)
        if 2 <= len(days) <= most:
            return days, "%Y"
    return [low, high], "%-d %b"


def _firsts(low: int, high: int, months: int) -> list[int]:
    """The first days of every so many months."""
    first, last = _date(low), _date(high)
    start = first.year * 12 + first.month - 1
    start = -(-(start + (first.day > 1)) // months) * months
    return [
        date(month // 12, month % 12 + 1, 1).toordinal() - _EPOCH
        for month in range(start, last.year * 12 + last.month, months)
    ]


_EPOCH = date(1970, 1, 1).toordinal()


def _date(day: int) -> date:
    return date.fromordinal(day + _EPOCH)


def _day(text: str) -> int | None:
    """The days since 1970 of a date; None of a text that only looks like one."""
    try:
        return date.fromisoformat(text).toordinal() - _EPOCH
    except ValueError:
        return None
