"""The picture of several estimates with their intervals."""

import re
from collections.abc import Sequence
from math import isfinite
from typing import Any

from discreet.errors import DataError
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
    DARK,
    MIDDLE_BLUE,
    Picture,
    altair,
    colored_names,
    finished,
    in_panels,
)
from discreet.plots.series import are_whole_numbers, places_of, series_picture

_WIDTH = 460
_BESIDE = 380
"""The width beside names of groups. On a phone a picture is made smaller, its letters too."""
_NARROWEST = 280
_HEIGHT = 300
_LONG_LABEL = 12
_MOST_COLUMNS = 14
_PANEL_WIDTH = 130
_BEHIND = 0.55
"""How opaque a colored bar is, on which its interval is seen."""
_BESIDE_EACH_OTHER = 13
"""How high a bar is that stands beside others of its group."""
_TIME = "[0-9]{2}:[0-9]{2}:[0-9]{2}"
_DATED = re.compile(f"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}( {_TIME})?|{_TIME}")


def estimates_picture(
    labels: Sequence[object],
    values: Sequence[float | str],
    lowers: Sequence[End],
    uppers: Sequence[End],
    title: str,
    *,
    bars: bool = True,
    axis: str = "",
    remark: str = "",
    level: str = "95%",
    names: Sequence[str] = (),
    texts: Sequence[str] = (),
) -> Picture:
    """A bar (or a point) per estimate, with its interval where one is known.

    With ``names``, those of one label stand beside each other, each name in its color; more names
    than there are colors have a panel each.  ``texts`` are what the pointer shows.

    Few short labels stand below columns, many or long ones beside rows.  Dates, bins of dates and
    many whole numbers are a line with a band, and whole numbers are in order.  Values are numbers,
    or dates such as "2026-11-15" or datetimes such as "2026-11-15 10:00:00", which are points on a
    calendar.  An interval without an end fades, and the scale is that of the finite numbers.
    """
    shown = [str(label) for label in labels]
    names = names or [""] * len(shown)
    _check(shown, names, values, lowers, uppers)
    places = places_of(labels)
    if places is not None:
        return series_picture(
            places,
            shown,
            names,
            values,
            lowers,
            uppers,
            title,
            from_zero=bars,
            axis=axis,
            remark=remark,
            level=level,
            texts=texts,
        )
    texts = texts or [""] * len(shown)
    rows: list[Row] = [
        {"label": label, "name": name} | estimate_row(value, lower, upper, text)
        for label, name, value, lower, upper, text in zip(
            shown, names, values, lowers, uppers, texts, strict=True
        )
    ]
    if are_whole_numbers(labels):
        rows.sort(key=lambda row: int(row["label"]))
    bars = bars and not isinstance(values[0], str)
    subtitle = [*interval_words(rows, level=level), *([remark] if remark else [])]
    return finished(_chart(altair(), rows, bars), title, subtitle)


def _chart(alt: Any, rows: list[Row], bars: bool) -> Any:
    labels, order = (list(dict.fromkeys(row[one] for row in rows)) for one in ("label", "name"))
    panels = len(order) > len(COLORS)
    beside = len(order) if 1 < len(order) <= len(COLORS) else 1
    dated = isinstance(rows[0]["value"], str)
    crowded = panels or len(rows) > _MOST_COLUMNS
    upright = not crowded and max(map(len, labels)) <= _LONG_LABEL and not dated
    height = _row_height(len(labels))
    across = alt.X if upright else alt.Y
    along, along_2 = (alt.Y, alt.Y2) if upright else (alt.X, alt.X2)
    place = across("label:N", sort=None).title(None)
    place = place.scale(domain=labels, **({"paddingInner": 0.25} if beside > 1 else {})).axis(
        labelAngle=0,
        grid=False,
        ticks=False,
        labelLimit=220,
        labelPadding=8,
        labelFontSize=11 if height < 18 else 12,
    )
    channels = [place]
    if beside > 1:
        channels.append((alt.XOffset if upright else alt.YOffset)("name:N", sort=order))
    if dated:
        value = along("value:T").title(None).scale(type="utc", padding=24)
        value = value.axis(
            format=calendar_format(rows), tickCount=5, labelOverlap=True, labelSeparation=24
        )
        ends = (0.0, 0.0)
    else:
        ends = scale_ends(rows, bars)
        value = along("value:Q").title(None)
        value = value.axis(tickCount=3 if panels else 6, labelOverlap=True, labelSeparation=8)
        value = value.scale(domain=list(ends), nice=True, zero=False)
    chart = alt.Chart()
    marks = chart.mark_bar(color=MIDDLE_BLUE) if bars else chart.mark_circle(color=BLUE, size=80)
    strength = 1.0
    if beside > 1:
        strength = _BEHIND if bars else 1.0
        symbol = "square" if bars else "circle"
        channels.append(colored_names(alt, order, symbol, strength))
    marks = marks.encode(*channels, value, opacity=alt.value(strength), tooltip=tooltips(alt, rows))
    drawn = _whiskers(alt, rows, ends, channels[: 1 + (beside > 1)], along, along_2)
    # A wide bar goes below its interval, a small point on top of it.
    layers = [marks, *drawn] if bars else [*drawn, marks]
    data = alt.Data(values=rows)
    if panels:
        layered = alt.layer(*layers).properties(width=_PANEL_WIDTH, height={"step": 18})
        return in_panels(alt, layered, order, data, _PANEL_WIDTH)
    step = _BESIDE_EACH_OTHER if beside > 1 else height
    size: dict[str, Any] = {"width": _BESIDE, "height": {"step": step}}
    if upright:
        size = {"width": max(_NARROWEST, min(_WIDTH, 90 * len(rows))), "height": _HEIGHT}
    return alt.layer(*layers, data=data).properties(**size)


def _row_height(rows: int) -> int:
    return max(15, min(34, 1200 // rows))


def _whiskers(
    alt: Any,
    rows: list[Row],
    ends: tuple[float, float],
    channels: Sequence[Any],
    along: Any,
    along_2: Any,
) -> list[Any]:
    """The intervals: a line with a cap at each end that is known, and fading where none is."""
    if not any(row["high"] is not None for row in rows):
        return []
    kind = "T" if isinstance(rows[0]["value"], str) else "Q"
    size = 12 if len(channels) == 1 else 7
    interval = alt.Chart().transform_filter("isValid(datum.low) && isValid(datum.high)")
    whisker = interval.mark_rule(color=DARK, strokeWidth=1.6)
    low, high = along(f"low:{kind}").title(None), along_2(f"high:{kind}")
    drawn = [whisker.encode(*channels, low, high)]
    for end in ("lower", "upper"):
        known = interval.transform_filter(f"isValid(datum.{end})")
        cap = known.mark_tick(color=DARK, thickness=1.6, size=size, opacity=1)
        drawn.append(cap.encode(*channels, along(f"{end}:{kind}").title(None)))
    for piece, near, far, opacity in fading_layers(alt, rows, ends):
        faint = piece.mark_rule(color=DARK, strokeWidth=1.6, opacity=opacity)
        drawn.append(faint.encode(*channels, along(f"{near}:Q").title(None), along_2(f"{far}:Q")))
    return drawn


def _check(
    labels: Sequence[str],
    names: Sequence[str],
    values: Sequence[float | str],
    lowers: Sequence[End],
    uppers: Sequence[End],
) -> None:
    if not len(labels) == len(values) == len(lowers) == len(uppers):
        raise DataError(
            f"there are {len(labels)} labels, {len(values)} values, {len(lowers)} lower and "
            f"{len(uppers)} upper ends. Each estimate has one of each. Give lists of one length."
        )
    if not labels:
        raise DataError(
            "there are no estimates, so there is nothing to draw. A picture shows at least one. "
            "Give lists that are not empty."
        )
    if len(set(zip(labels, names, strict=True))) < len(labels):
        raise DataError(
            "a label stands twice. Each estimate has its own row in the picture. Give each "
            "estimate another label."
        )
    days = [isinstance(value, str) and _DATED.fullmatch(value) is not None for value in values]
    if any(isinstance(value, str) for value in values) and not all(days):
        raise DataError(
            "an estimate is a text, and not all of them are dates. A picture has one axis for all. "
            'Give numbers, or dates such as "2026-11-15" or "2026-11-15 10:00:00", or times such '
            'as "10:00:00".'
        )
    if not any(days) and not all(isfinite(float(value)) for value in values):
        raise DataError(
            "an estimate is NaN or infinite. It has no place in the picture. Leave it out."
        )
