"""The picture of two kinds of noise, for more and more counts."""

from collections.abc import Sequence
from typing import Any

from discreet.plots.picture import Picture
from discreet.plots.style import BLUE, DARK, GRAY, VERMILION, altair, finished, rounded_up

_WIDTH = 400
_HEIGHT = 300


def comparison_picture(
    margins: Sequence[tuple[int, float, str]], *, epsilon: float, delta: float, crossover: int
) -> Picture:
    """The margin of each count by the number of counts, a line for each kind of noise.

    ``margins`` are (number of counts, margin, kind of noise).
    """
    alt = altair()
    names = list(dict.fromkeys(name for _, _, name in margins))
    rows = [
        {"counts": counts, "margin": float(end), "noise": name} for counts, end, name in margins
    ]
    last = max(counts for counts, _, _ in margins)
    x = alt.X("counts:Q").title("number of counts that one person is in")
    x = x.axis(grid=False, tickMinStep=1, tickCount=8, labelFlush=False).scale(
        domain=[0, last], nice=False
    )
    y = alt.Y("margin:Q").title("margin of each count, ± at 95%").axis(tickCount=6)
    color = alt.Color("noise:N").scale(domain=names, range=[BLUE, VERMILION])
    color = color.legend(orient="bottom", direction="horizontal", symbolType="stroke", offset=8)
    tooltip = ["noise:N", "counts:Q", "margin:Q"]
    lines = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(strokeWidth=2.5, point={"size": 40, "filled": True})
        .encode(x, y, color, tooltip=tooltip)
    )
    layers: list[Any] = [lines]
    if crossover <= last:
        place = alt.Chart(alt.Data(values=[{"counts": crossover, "text": f"{crossover} counts"}]))
        layers = [
            place.mark_rule(color=GRAY, strokeDash=[5, 4], strokeWidth=1.5).encode(
                alt.X("counts:Q")
            ),
            lines,
            place.mark_text(
                color=DARK, align="left", baseline="top", dx=6, dy=2, fontSize=12.5
            ).encode(alt.X("counts:Q"), alt.Text("text:N"), y=alt.value(0)),
        ]
    return finished(
        alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT),
        f"Gaussian noise first beats Laplace at {crossover} counts",
        [
            f"All counts together: ε = {rounded_up(epsilon)}, and δ = {rounded_up(delta)} for "
            "Gaussian noise"
        ],
    )
