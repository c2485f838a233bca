"""Draws what a cap leaves out of the demo's table, beside the noise that it asks for."""

from collections import Counter
from math import log

from discreet.cli.demo import COLUMNS, visits
from discreet.plots.picture import BLUE, GRAY, VERMILION, Picture, altair, finished

_EPSILON, _CEILING = 0.1, 12
_LEFT, _NOISE, _BOTH = "rows that the cap leaves out", "± of the noise", "both together"
_WIDTH, _HEIGHT = 440, 300


def sizes() -> list[int]:
    """How many visits each patient of the demo's table has."""
    place = COLUMNS.index("patient_id")
    return sorted(Counter(row[place] for row in visits() if row[place]).values())


def left_out(cap: int) -> int:
    """How many rows a cap leaves out of the table.

    >>> left_out(1), left_out(5), left_out(12)
    (1605, 111, 0)
    """
    return sum(max(0, size - cap) for size in sizes())


def noise(cap: int, epsilon: float = _EPSILON) -> float:
    """The 95% error of a number of rows, in which a patient counts for at most ``cap``.

    >>> round(noise(5)), round(noise(5, epsilon=0.5))
    (150, 30)
    """
    return cap * log(20) / epsilon


def caps_picture() -> Picture:
    """What is left out and the noise over the cap, and their sum, which has a least point."""
    alt = altair()
    rows = [
        {"cap": cap, "rows": value, "what": what}
        for cap in range(1, _CEILING + 1)
        for what, value in {
            _LEFT: left_out(cap),
            _NOISE: noise(cap),
            _BOTH: left_out(cap) + noise(cap),
        }.items()
    ]
    x = alt.X("cap:Q").axis(tickCount=_CEILING).title("max_rows").scale(domain=[1, _CEILING])
    y = alt.Y("rows:Q").title("rows")
    color = alt.Color("what:N").scale(domain=[_LEFT, _NOISE, _BOTH], range=[GRAY, BLUE, VERMILION])
    color = color.legend(orient="bottom", direction="horizontal").title(None)
    lines = alt.Chart(alt.Data(values=rows)).mark_line(strokeWidth=2.5, point=True)
    return finished(
        lines.encode(x, y, color).properties(width=_WIDTH, height=_HEIGHT),
        "A low cap leaves much out, a high one needs much noise",
        [f"The number of visits in the demo's table at ε = {_EPSILON}: 3,605 in truth."],
    )
