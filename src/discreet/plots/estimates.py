"""The picture of several estimates with their intervals."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

from discreet.errors import DataError
from discreet.plots.picture import Picture
from discreet.plots.style import BLUE, DARK, MIDDLE_BLUE, altair, finished

_WIDTH = 460
_HEIGHT = 300
_LONG_LABEL = 12
_MOST_COLUMNS = 14


def estimates_picture(
    labels: Sequence[object],
    values: Sequence[float],
    lowers: Sequence[float | None],
    uppers: Sequence[float | None],
    title: str,
    *,
    bars: bool = True,
) -> Picture:
    """A bar (or a point) per estimate, with its 95% interval where that is finite.

    Few short labels stand below columns, many or long ones beside rows.
    """
    alt = altair()
    rows = _rows([str(label) for label in labels], values, lowers, uppers)
    longest = max(len(row["label"]) for row in rows)
    upright = len(rows) <= _MOST_COLUMNS and longest <= _LONG_LABEL

    across = alt.X if upright else alt.Y
    along, along_2 = (alt.Y, alt.Y2) if upright else (alt.X, alt.X2)
    order = [row["label"] for row in rows]
    names = across("label:N", sort=None).title(None).scale(domain=order)
    names = names.axis(labelAngle=0, grid=False, ticks=False, labelLimit=220, labelPadding=8)
    value = along("value:Q").title(None).scale(zero=bars, nice=True)
    tooltip = [alt.Tooltip(f"{name}:N") for name in ("label", "value", "lower", "upper")]

    chart = alt.Chart(alt.Data(values=rows))
    marks = chart.mark_bar(color=MIDDLE_BLUE) if bars else chart.mark_circle(color=BLUE, size=80)
    interval = chart.transform_filter("isValid(datum.lower) && isValid(datum.upper)")
    whisker = interval.mark_rule(color=DARK, strokeWidth=1.6)
    cap = interval.mark_tick(color=DARK, thickness=1.6, size=12, opacity=1)
    layers = [
        whisker.encode(names, along("lower:Q"), along_2("upper:Q")),
        cap.encode(names, along("lower:Q")),
        cap.encode(names, along("upper:Q")),
    ]
    # A wide bar goes below its interval, a small point on top of it.
    layers.insert(
        0 if bars else len(layers),
        marks.encode(names, value, opacity=alt.value(1), tooltip=tooltip),
    )
    size: dict[str, Any]
    if upright:
        size = {"width": max(240, min(_WIDTH, 90 * len(rows))), "height": _HEIGHT}
    else:
        size = {"width": _WIDTH, "height": {"step": max(8, min(34, 1200 // len(rows)))}}
    whole = all(None not in (row["lower"], row["upper"]) for row in rows)
    subtitle = "with 95% intervals" if whole else "with 95% intervals where they are known"
    return finished(alt.layer(*layers).properties(**size), title, [subtitle])


def _rows(
    labels: Sequence[str],
    values: Sequence[float],
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
    if not all(isfinite(value) for value in values):
        raise DataError(
            "an estimate is NaN or infinite. It has no place in the picture. Leave it out."
        )
    return [
        {
            "label": label,
            "value": float(value),
            "lower": None if lower is None or not isfinite(lower) else float(lower),
            "upper": None if upper is None or not isfinite(upper) else float(upper),
        }
        for label, value, lower, upper in zip(labels, values, lowers, uppers, strict=True)
    ]
