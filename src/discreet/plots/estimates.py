"""The picture of several estimates with their intervals."""

import re
from collections.abc import Sequence
from math import isfinite
from typing import Any

from discreet.errors import DataError
from discreet.plots.picture import BLUE, DARK, MIDDLE_BLUE, Picture, altair, finished

_WIDTH = 460
_HEIGHT = 300
_LONG_LABEL = 12
_MOST_COLUMNS = 14
_MOST_NUMBERED = 130
_NUMBERED = re.compile(r"-?[0-9]+")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def estimates_picture(
    labels: Sequence[object],
    values: Sequence[float | str],
    lowers: Sequence[float | None],
    uppers: Sequence[float | None],
    title: str,
    *,
    bars: bool = True,
    level: str = "95%",
) -> Picture:
    """A bar (or a point) per estimate, with its interval where that is finite.

    Few short labels stand below columns, many or long ones beside rows; a long run of whole
    numbers stands below columns too, with some of them written.  Values are numbers, or dates
    such as "2026-11-15", which are points on a calendar.
    """
    alt = altair()
    rows = _rows([str(label) for label in labels], values, lowers, uppers)
    dated = isinstance(rows[0]["value"], str)
    bars = bars and not dated
    longest = max(len(row["label"]) for row in rows)
    numbered = all(_NUMBERED.fullmatch(row["label"]) for row in rows)
    crowded = len(rows) > _MOST_COLUMNS
    upright = len(rows) <= _MOST_NUMBERED if numbered else not crowded and longest <= _LONG_LABEL
    upright = upright and not dated

    across = alt.X if upright else alt.Y
    along, along_2 = (alt.Y, alt.Y2) if upright else (alt.X, alt.X2)
    order = [row["label"] for row in rows]
    names = across("label:N", sort=None).title(None).scale(domain=order)
    names = names.axis(
        labelAngle=0,
        grid=False,
        ticks=False,
        labelLimit=220,
        labelPadding=8,
        labelOverlap=numbered and crowded,
        labelFontSize=11 if crowded else 12,
    )
    type_ = "T" if dated else "Q"
    value = along(f"value:{type_}").title(None)
    if dated:
        value = value.axis(
            format="%Y-%m-%d", tickCount=5, labelOverlap=True, labelSeparation=24
        ).scale(padding=24)
    else:
        value = value.scale(zero=bars, nice=True)
    tooltip = [alt.Tooltip(f"{name}:N") for name in ("label", "value", "lower", "upper")]

    chart = alt.Chart(alt.Data(values=rows))
    marks = chart.mark_bar(color=MIDDLE_BLUE) if bars else chart.mark_circle(color=BLUE, size=80)
    layers = [marks.encode(names, value, opacity=alt.value(1), tooltip=tooltip)]
    known = [None not in (row["lower"], row["upper"]) for row in rows]
    if any(known):
        thin = crowded and upright
        interval = chart.transform_filter("isValid(datum.lower) && isValid(datum.upper)")
        whisker = interval.mark_rule(color=DARK, strokeWidth=1 if thin else 1.6)
        cap = interval.mark_tick(color=DARK, thickness=1.6, size=3 if thin else 12, opacity=1)
        drawn = [
            whisker.encode(names, along("lower:Q"), along_2("upper:Q")),
            cap.encode(names, along("lower:Q")),
            cap.encode(names, along("upper:Q")),
        ]
        # A wide bar goes below its interval, a small point on top of it.
        layers = [*layers, *drawn] if bars else [*drawn, *layers]
    size: dict[str, Any]
    if upright:
        size = {"width": max(240, min(_WIDTH, 90 * len(rows))), "height": _HEIGHT}
        if crowded:
            size["width"] = max(_WIDTH, 6 * len(rows))
    else:
        size = {"width": _WIDTH, "height": {"step": max(15, min(34, 1200 // len(rows)))}}
    return finished(alt.layer(*layers).properties(**size), title, [_subtitle(known, level)])


def _subtitle(known: Sequence[bool], level: str) -> str:
    if all(known):
        return f"with {level} intervals"
    return f"with {level} intervals where they are known" if any(known) else "without intervals"


def _rows(
    labels: Sequence[str],
    values: Sequence[float | str],
    lowers: Sequence[float | None],
    uppers: Sequence[float | None],
) -> list[dict[str, Any]]:
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
    if len(set(labels)) < len(labels):
        raise DataError(
            "a label stands twice. Each estimate has its own row in the picture. Give each "
            "estimate another label."
        )
    days = [isinstance(value, str) and _DAY.fullmatch(value) is not None for value in values]
    if any(isinstance(value, str) for value in values) and not all(days):
        raise DataError(
            "an estimate is a text, and not all of them are dates. A picture has one axis for all. "
            'Give numbers, or dates such as "2026-11-15".'
        )
    if not any(days) and not all(isfinite(float(value)) for value in values):
        raise DataError(
            "an estimate is NaN or infinite. It has no place in the picture. Leave it out."
        )
    return [
        {
            "label": label,
            "value": value if isinstance(value, str) else float(value),
            "lower": None if lower is None or not isfinite(lower) else float(lower),
            "upper": None if upper is None or not isfinite(upper) else float(upper),
        }
        for label, value, lower, upper in zip(labels, values, lowers, uppers, strict=True)
    ]
