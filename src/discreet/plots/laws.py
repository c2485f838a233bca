"""Pictures of probability laws: noise, chances of a few outcomes, Laplace beside Gaussian."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Any

from discreet.plots.picture import (
    BLUE,
    DARK,
    GRAY,
    GREEN,
    PURPLE,
    VERMILION,
    Picture,
    altair,
    finished,
    rounded_up,
)

_WIDTH = 400
_HEIGHT = 250
_RATIO_HEIGHT = 120
_COMPARISON_HEIGHT = 300
_LONG_NAME = 20
_COLORS = (BLUE, VERMILION, GREEN, PURPLE)


def noise_picture(
    outputs: Sequence[float],
    laws: Mapping[str, Sequence[float]],
    *,
    title: str,
    subtitle: Sequence[str],
    height_title: str,
    dots: bool,
    ratios: Sequence[float | None] | None = None,
    epsilon: Fraction | None = None,
) -> Picture:
    """Laws of noise over the same outputs; with ``ratios``, two of them and their log-ratio below.

    ``dots`` says that the outputs are all the whole numbers in the picture: the law is points, and
    the lines between them only guide the eye.  ``epsilon`` bounds the log-ratio.
    """
    alt = altair()
    draw_points = dots and len(outputs) <= 60
    x = alt.X("output:Q").scale(nice=False, domain=[outputs[0], outputs[-1]])
    unlabeled_x = x.axis(grid=False, tickCount=8, labelFlush=False)
    labeled_x = unlabeled_x.title("output")
    color = _color(alt, list(laws), "stroke")
    rows = [
        {"output": output, "height": height, "law": name}
        for name, row in laws.items()
        for output, height in zip(outputs, row, strict=True)
    ]
    y = alt.Y("height:Q").title(height_title).axis(tickCount=5)
    tooltip = ["law:N", "output:Q", alt.Tooltip("height:Q", format=".4g", title=height_title)]
    upper = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(strokeWidth=2, point={"size": 30, "filled": True} if draw_points else False)
        .encode(unlabeled_x.title(None) if ratios else labeled_x, y, color, tooltip=tooltip)
        .properties(width=_WIDTH, height=_HEIGHT)
    )
    if ratios is None:
        return finished(upper, title, list(subtitle))
    lower = _ratio_chart(alt, outputs, ratios, list(laws), labeled_x, draw_points, epsilon)
    return finished(alt.vconcat(upper, lower, spacing=14), title, list(subtitle))


def chances_picture(
    outcomes: Sequence[str],
    laws: Mapping[str, Sequence[float]],
    *,
    title: str,
    subtitle: Sequence[str],
) -> Picture:
    """Bars with the chance of each of a few outcomes, one for each law."""
    alt = altair()
    rows: list[dict[str, Any]] = [
        {"output": outcome, "probability": chance, "law": name}
        for name, row in laws.items()
        for outcome, chance in zip(outcomes, row, strict=True)
    ]
    highest = ceil(10 * max(row["probability"] for row in rows) - 1e-9) / 10
    x = alt.X("output:N", sort=None).scale(domain=list(outcomes), paddingInner=0.3)
    x = x.axis(labelAngle=0, grid=False, ticks=False, labelPadding=8).title("output")
    y = (
        alt.Y("probability:Q")
        .title("probability")
        .axis(tickCount=5, format="~p")
        .scale(domain=[0, highest])
    )
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x,
            y,
            alt.XOffset("law:N", sort=list(laws)),
            _color(alt, list(laws), "square"),
            tooltip=["law:N", "output:N", alt.Tooltip("probability:Q", format=".4~p")],
        )
    )
    return finished(chart.properties(width=_WIDTH, height=_HEIGHT), title, list(subtitle))


def comparison_picture(
    margins: Sequence[tuple[int, float, str]], *, epsilon: float, delta: float, crossover: int
) -> Picture:
    """Lines of the margin of each count by the number of counts, one for each kind of noise.

    ``margins`` are (number of counts, margin, kind of noise); ``crossover`` is the number of counts
    at which Gaussian noise first has the smaller margin.
    """
    alt = altair()
    names = list(dict.fromkeys(name for _, _, name in margins))
    rows = [
        {"counts": counts, "margin": float(margin), "noise": name}
        for counts, margin, name in margins
    ]
    most_counts = max(counts for counts, _, _ in margins)
    x = alt.X("counts:Q").title("number of counts that one person is in")
    x = x.axis(grid=False, tickMinStep=1, tickCount=8, labelFlush=False).scale(
        domain=[0, most_counts], nice=False
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
    if crossover <= most_counts:
        crossover_data = {"counts": crossover, "text": f"{crossover} counts"}
        crossover_mark = alt.Chart(alt.Data(values=[crossover_data]))
        layers = [
            crossover_mark.mark_rule(color=GRAY, strokeDash=[5, 4], strokeWidth=1.5).encode(
                alt.X("counts:Q")
            ),
            lines,
            crossover_mark.mark_text(
                color=DARK, align="left", baseline="top", dx=6, dy=2, fontSize=12.5
            ).encode(alt.X("counts:Q"), alt.Text("text:N"), y=alt.value(0)),
        ]
    return finished(
        alt.layer(*layers).properties(width=_WIDTH, height=_COMPARISON_HEIGHT),
        f"Gaussian noise first beats Laplace at {crossover} counts",
        [
            f"All counts together: ε = {rounded_up(epsilon)}, and δ = {rounded_up(delta)} for "
            "Gaussian noise"
        ],
    )


def _ratio_chart(
    alt: Any,
    outputs: Sequence[float],
    ratios: Sequence[float | None],
    names: Sequence[str],
    x: Any,
    draw_points: bool,
    epsilon: Fraction | None,
) -> Any:
    """The log-ratio of two laws by output, with dashed lines at its bounds ±ε."""
    first, second = names
    rows = [
        {"output": output, "ratio": ratio}
        for output, ratio in zip(outputs, ratios, strict=True)
        if ratio is not None
    ]
    y = alt.Y("ratio:Q").title(f"ln({first} / {second})").axis(tickCount=5)
    if epsilon is not None:
        y = y.scale(domain=[-1.5 * float(epsilon), 1.5 * float(epsilon)], nice=False)
    line = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(
            strokeWidth=2, color=DARK, point={"size": 30, "color": DARK} if draw_points else False
        )
        .encode(
            x,
            y,
            tooltip=[
                "output:Q",
                alt.Tooltip("ratio:Q", format=".4g", title=f"ln({first} / {second})"),
            ],
        )
    )
    layers = [line]
    if epsilon is not None:
        bounds = [
            {"ratio": sign * float(epsilon), "text": f"{sign_text}ε"}
            for sign, sign_text in ((1, "+"), (-1, "−"))
        ]
        bound_marks = alt.Chart(alt.Data(values=bounds))
        layers = [
            bound_marks.mark_rule(color=GRAY, strokeDash=[5, 4], strokeWidth=1.5).encode(
                alt.Y("ratio:Q")
            ),
            line,
            bound_marks.mark_text(
                color=DARK, align="right", baseline="bottom", dx=-4, dy=-3, fontSize=12.5
            ).encode(alt.Y("ratio:Q"), alt.Text("text:N"), x=alt.value(_WIDTH)),
        ]
    return alt.layer(*layers).properties(width=_WIDTH, height=_RATIO_HEIGHT)


def _color(alt: Any, names: Sequence[str], symbol: str) -> Any:
    """The color of each law, with a legend."""
    colors = alt.Color("law:N").scale(domain=list(names), range=list(_COLORS[: len(names)]))
    columns = 1 if max(map(len, names)) > _LONG_NAME else 4
    return colors.legend(
        orient="bottom", direction="horizontal", symbolType=symbol, offset=8, columns=columns
    )
