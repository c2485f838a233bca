"""Draws what somebody who suspects a person can come to believe, for several ε."""

from math import exp

from discreet.plots.picture import BLUE, GRAY, VERMILION, Picture, altair, finished

_EPSILONS = {"ε = 0.1": 0.1, "ε = 0.5": 0.5, "ε = 1": 1.0, "ε = 3": 3.0}
_COLORS = [GRAY, "#56b4e9", BLUE, VERMILION]
_WIDTH, _HEIGHT = 440, 360


def belief(before: float, epsilon: float) -> float:
    """The largest probability after the answers, for one before: its odds times e^ε.

    >>> round(belief(0.5, 1), 3)
    0.731
    """
    grown = before * exp(epsilon)
    return grown / (grown + 1 - before)


def odds_picture() -> Picture:
    """The largest belief after all answers over that before, with a line for each ε."""
    alt = altair()
    rows = [
        {"before": step / 100, "after": belief(step / 100, epsilon), "total": name}
        for name, epsilon in _EPSILONS.items()
        for step in range(101)
    ]
    ends = [
        {"before": 0.5, "after": belief(0.5, epsilon), "total": name, "text": f"{share:.0%}"}
        for name, epsilon in _EPSILONS.items()
        for share in [belief(0.5, epsilon)]
    ]
    x = alt.X("before:Q").axis(format=".0%", tickCount=6).title("belief before any answer")
    y = alt.Y("after:Q").axis(format=".0%", tickCount=6).title("largest belief after all answers")
    color = alt.Color("total:N").scale(domain=list(_EPSILONS), range=_COLORS)
    color = color.legend(orient="bottom", direction="horizontal").title("spent in all")
    lines = alt.Chart(alt.Data(values=rows)).mark_line(strokeWidth=2.5).encode(x, y, color)
    dots = alt.Chart(alt.Data(values=ends)).mark_circle(size=70, opacity=1).encode(x, y, color)
    texts = (
        alt.Chart(alt.Data(values=ends))
        .mark_text(align="left", dx=9, dy=9, fontSize=12)
        .encode(x, y, alt.Text("text:N"))
    )
    return finished(
        alt.layer(lines, dots, texts).properties(width=_WIDTH, height=_HEIGHT),
        "What somebody who suspects a person can come to believe",
        ["The numbers are for a suspicion of 50%. ε is the sum over all answers about the table."],
    )
