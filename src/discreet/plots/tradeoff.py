"""The picture of the best attacks on a mechanism."""

from collections.abc import Mapping, Sequence
from math import inf
from textwrap import wrap
from typing import Any

import numpy as np

from discreet.plots.picture import (
    BLUE,
    DARK,
    GRAY,
    LIGHT_BLUE,
    MIDDLE_BLUE,
    VERMILION,
    Picture,
    altair,
    finished,
    rounded_up,
)

Corners = Sequence[tuple[float, float]]

_SIZE = 420
_MOST_POINTS = 400
_MOST_DOTS = 30
_LONG_NAME = 12


def tradeoff_picture(
    curve: Mapping[str, Any],
    *,
    epsilon: float,
    delta: float,
    upper: Corners,
    lower: Corners,
    inside: bool = True,
) -> Picture:
    """The best attacks, in the region that (ε,δ)-differential privacy allows.

    ``curve`` is what ``Tradeoff.to_dict()`` gives; ``upper`` and ``lower`` are the edges of the
    region at ``epsilon`` and ``delta``, from left to right; ``inside``: no attack leaves it.
    """
    alt = altair()
    first, second = _names(curve["first"], curve["second"])
    attack = curve["best_attack"]
    allowed = f"allowed by {_guarantee(epsilon, delta)}"
    colors = {"best attacks": BLUE, "largest gap": VERMILION, allowed: LIGHT_BLUE, "guessing": GRAY}
    largest = [_rates(attack)] if curve["advantage"] else []
    if not largest:
        del colors["largest gap"]

    x, y, color = _scales(
        alt,
        f"false alarms: says {second}, but the input is {first}",
        f"detections: says {second}, and the input is {second}",
        colors,
    )
    region = _area(alt, upper, lower, allowed).encode(x, y, alt.Y2("lowest:Q"), color)
    diagonal = _diagonal(alt).encode(x, y, color)
    points = _thinned(curve["points"])
    dots = len(points) <= _MOST_DOTS
    line = (
        alt.Chart(alt.Data(values=_rows(points, "best attacks")))
        .mark_line(strokeWidth=2.5, point={"size": 45, "filled": True} if dots else False)
        .encode(x, y, color, order=alt.Order("place:Q"), tooltip=_TOOLTIP)
    )
    gap = (
        alt.Chart(alt.Data(values=_rows(largest, "largest gap")))
        .mark_circle(size=130, opacity=1)
        .encode(x, y, color, tooltip=_TOOLTIP)
    )
    shown = inf if curve["epsilon"] is None else curve["epsilon"]
    return finished(
        alt.layer(region, diagonal, line, gap).properties(width=_SIZE, height=_SIZE),
        f"{curve['mechanism']}: {_guarantee(shown)}",
        [
            *(_subtitle(attack) if largest else ["No attack does better than guessing"]),
            *(
                []
                if inside
                else [f"Not private at {_guarantee(epsilon, delta)}: attacks leave the region"]
            ),
        ],
    )


def region_picture(
    *,
    epsilon: float,
    delta: float,
    edges: tuple[Corners, Corners],
    pure: tuple[Corners, Corners],
) -> Picture:
    """Where the attacks on any mechanism may be that is (ε,δ)-differentially private.

    ``edges`` are the upper and the lower edge of the region, from left to right; ``pure`` are
    those of the region that ε alone allows, which is drawn inside it.
    """
    alt = altair()
    allowed, inner = f"allowed by {_guarantee(epsilon, delta)}", f"by {_guarantee(epsilon)} alone"
    colors = {allowed: LIGHT_BLUE, inner: MIDDLE_BLUE, "guessing": GRAY}
    if not delta:
        del colors[inner]
    x, y, color = _scales(
        alt,
        "false alarms: says H1 when H0 is true (type I error)",
        "detections: says H1 when H1 is true (1 − type II error)",
        colors,
    )
    layers = [_area(alt, *edges, allowed).encode(x, y, alt.Y2("lowest:Q"), color)]
    if delta:
        layers.append(_area(alt, *pure, inner).encode(x, y, alt.Y2("lowest:Q"), color))
    layers.append(_diagonal(alt).encode(x, y, color))
    plus = " + δ" if delta else ""
    for text, align, at in (
        (f"detections ≤ e^ε · false alarms{plus}", "left", (0.02, 0.97)),
        (f"false alarms ≤ e^ε · detections{plus}", "right", (0.98, 0.03)),
    ):
        row = {"false alarms": at[0], "detections": at[1], "text": text}
        mark = alt.Chart(alt.Data(values=[row])).mark_text(align=align, color=DARK, fontSize=12.5)
        layers.append(mark.encode(x, y, alt.Text("text:N")))
    corner, top = max(edges[0], key=lambda at: at[1] - at[0])
    return finished(
        alt.layer(*layers).properties(width=_SIZE, height=_SIZE),
        f"Tests of one person's record: {_guarantee(epsilon, delta)}",
        [f"At most {top:.1%} detections at {corner:.1%} false alarms, where the gap is largest"],
    )


def _scales(alt: Any, across: str, up: str, colors: Mapping[str, str]) -> tuple[Any, Any, Any]:
    x = alt.X("false alarms:Q").scale(domain=[0, 1]).axis(format=".0%", values=_TICKS).title(across)
    y = alt.Y("detections:Q").scale(domain=[0, 1]).axis(format=".0%", values=_TICKS).title(up)
    color = alt.Color("kind:N").scale(domain=list(colors), range=list(colors.values()))
    color = color.legend(
        orient="bottom", direction="horizontal", symbolType="square", offset=12, columns=2
    )
    return x, y, color


def _area(alt: Any, upper: Corners, lower: Corners, kind: str) -> Any:
    return alt.Chart(alt.Data(values=_between(upper, lower, kind))).mark_area(opacity=1)


def _diagonal(alt: Any) -> Any:
    rows = _rows([(0, 0), (1, 1)], "guessing")
    return alt.Chart(alt.Data(values=rows)).mark_line(strokeDash=[5, 4], strokeWidth=1.5)


_TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1]
_TOOLTIP = [
    {"field": "false alarms", "type": "quantitative", "format": ".3%"},
    {"field": "detections", "type": "quantitative", "format": ".3%"},
]


def _names(first: str, second: str) -> tuple[str, str]:
    """The inputs as they stand at the axes, where long ones do not fit."""
    short = max(len(first), len(second)) <= _LONG_NAME
    return (first, second) if short else ("the first", "the second")


def _guarantee(epsilon: float, delta: float = 0) -> str:
    shown = "∞" if epsilon == inf else rounded_up(epsilon)
    return f"ε = {shown}" + (f", δ = {rounded_up(delta)}" if delta else "")


def _rates(attack: Mapping[str, float]) -> tuple[float, float]:
    return attack["false_positive_rate"], attack["true_positive_rate"]


def _subtitle(attack: Mapping[str, Any]) -> list[str]:
    alarms, detections = _rates(attack)
    return [
        *wrap(f"Best attack: {attack['rule']}", 70),
        f"{detections:.1%} detections at {alarms:.1%} false alarms",
    ]


def _rows(points: Corners, kind: str) -> list[dict[str, Any]]:
    return [
        {"false alarms": x, "detections": y, "kind": kind, "place": place}
        for place, (x, y) in enumerate(points)
    ]


def _between(upper: Corners, lower: Corners, kind: str) -> list[dict[str, Any]]:
    """Both edges of the region at each corner of either."""
    places = sorted({x for x, _ in (*upper, *lower)})
    highest = np.interp(places, [x for x, _ in upper], [y for _, y in upper])
    lowest = np.interp(places, [x for x, _ in lower], [y for _, y in lower])
    return [
        {"false alarms": x, "detections": float(high), "lowest": float(low), "kind": kind}
        for x, high, low in zip(places, highest, lowest, strict=True)
    ]


def _thinned(points: Corners) -> Corners:
    """At most so many points that a picture shows, the ends among them."""
    if len(points) <= _MOST_POINTS:
        return points
    kept = np.unique(np.linspace(0, len(points) - 1, _MOST_POINTS).round().astype(int))
    return [points[place] for place in kept]
