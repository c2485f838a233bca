"""Draws the pictures of the course, from exact laws: none of them depends on a draw."""

from fractions import Fraction
from math import erf, log, sqrt
from typing import Any

import discreet as dp
from discreet.plots.picture import BLUE, GREEN, LIGHT_BLUE, VERMILION, Picture, altair, finished

_WIDTH, _HEIGHT = 440, 320


def trust_picture() -> Picture:
    """The margin of a share over the number of people: two coins, and one noisy count."""
    laplace = dp.Laplace.calibrated(sensitivity=1, epsilon=Fraction("1.098"))
    within = float(laplace.accuracy(0.95))
    coins, office = "two coins at each person", "noise added once"
    rows = []
    for step in range(21):
        people = 10 ** (2 + step / 5)
        rows += [
            {"people": people, "margin": 1.96 * sqrt(0.75 / people), "who": coins},
            {"people": people, "margin": within / people, "who": office},
        ]
    return finished(
        _lines(
            rows,
            "people:Q",
            "margin:Q",
            "who:N",
            {coins: VERMILION, office: BLUE},
            ("people", "margin of a share, at 95%"),
        ),
        "What it costs to trust nobody",
        [
            "Both are private at ε = ln 3. With ten times the people, noise that is added "
            "once has a tenth of its error, and coins have a third of theirs.",
        ],
    )


def _lines(
    rows: list[dict[str, Any]],
    x: str,
    y: str,
    color: str,
    colors: dict[str, str],
    titles: tuple[str, str],
    percent: bool = True,
    share: bool = False,
) -> Any:
    """A line for each name of a color, on logarithmic axes, but for shares from one half up."""
    alt = altair()
    across = alt.X(x).scale(type="log").axis(format="~s", tickCount=5).title(titles[0])
    up = alt.Y(y).title(titles[1]).axis(format="~%" if percent else "~g", tickCount=5)
    up = up.scale(domain=[0.5, 1]) if share else up.scale(type="log")
    shade = alt.Color(color).scale(domain=list(colors), range=list(colors.values()))
    shade = shade.legend(orient="bottom", direction="horizontal")
    chart = alt.Chart(alt.Data(values=rows)).mark_line(strokeWidth=2.5)
    return chart.encode(across, up, shade).properties(width=_WIDTH, height=_HEIGHT)


def by_hand_picture() -> Picture:
    """The rules "at least t" against honest noise and half of it, in the region of ε = 1."""
    alt = altair()
    region = dp.Region(epsilon=1)
    rates = [step / 200 for step in range(201)]
    allowed = [
        {"false": rate, "low": float(region.lowest(rate)), "high": float(region.highest(rate))}
        for rate in rates
    ]
    names = {"noise for ε = 1": BLUE, "half of that noise": VERMILION}
    points = [
        {"false": float(one), "detected": float(other), "noise": name}
        for name, scale in zip(names, (Fraction(1), Fraction(1, 2)), strict=True)
        for one, other in _thresholds(dp.Laplace(scale=scale))
    ]
    x = alt.X("false:Q").axis(format=".0%", tickCount=6).title("false alarms")
    y = alt.Y("low:Q").axis(format=".0%", tickCount=6).title("detections")
    color = alt.Color("noise:N").scale(domain=list(names), range=list(names.values()))
    color = color.legend(orient="bottom", direction="horizontal")
    area = alt.Chart(alt.Data(values=allowed)).mark_area(color=LIGHT_BLUE)
    dots = alt.Chart(alt.Data(values=points)).mark_circle(size=90, opacity=1)
    return finished(
        alt.layer(
            area.encode(x, y, alt.Y2("high:Q")), dots.encode(x, alt.Y("detected:Q"), color)
        ).properties(width=400, height=400),
        "Rules of the form “say ill from t on”",
        ["Shaded: what ε = 1 allows. Each dot is a rule, for one t."],
    )


def _thresholds(mechanism: dp.Laplace) -> list[tuple[float, float]]:
    """False alarms and detections of the rules, for t from -2 to 3, exactly."""
    far = range(-60, 61)
    return [
        (
            sum(mechanism.pmf(k) for k in far if k >= t),
            sum(mechanism.pmf(k - 1) for k in far if k >= t),
        )
        for t in range(-2, 4)
    ]


def combs_picture() -> Picture:
    """What can come out on 0 and on 1: from floats of four digits, and on a grid."""
    alt = altair()
    rows = []
    for count in (0, 1):
        noise = [log(step / 16) for step in range(1, 17)]
        floats = {count + sign * one for one in noise for sign in (1, -1)}
        grid = [step / 4 for step in range(-8, 13)]
        name = f"count {count}"
        rows += [{"answer": one, "row": f"floats, {name}", "count": name} for one in floats]
        rows += [{"answer": one, "row": f"grid, {name}", "count": name} for one in grid]
    rows = [row for row in rows if -2 <= row["answer"] <= 3]
    rows.sort(key=lambda row: (row["row"], row["answer"]))
    x = alt.X("answer:Q").axis(grid=False, tickCount=6).title("answer")
    y = alt.Y("row:N").axis(domain=False, ticks=False, grid=False, labelPadding=8).title(None)
    color = alt.Color("count:N").scale(domain=["count 0", "count 1"], range=[BLUE, VERMILION])
    ticks = alt.Chart(alt.Data(values=rows)).mark_tick(thickness=2, height=34)
    return finished(
        ticks.encode(x, y, color.legend(None)).properties(width=_WIDTH, height=200),
        "Which answers can come out at all",
        [
            "Floats with 4 binary digits: two combs whose teeth rarely meet.",
            "On a grid of quarters both combs have the same teeth.",
        ],
    )


def averaging_picture() -> Picture:
    """The standard error of an average of k answers: each for ε = 1, or all for ε = 1."""
    more, shared = "ε = 1 for each answer", "ε = 1 for all of them"
    rows = []
    for step in range(25):
        answers = round(10 ** (step / 8))
        one, part = dp.Laplace(scale=1).variance, dp.Laplace(scale=answers).variance
        rows += [
            {"answers": answers, "error": sqrt(one / answers), "price": more},
            {"answers": answers, "error": sqrt(part / answers), "price": shared},
        ]
    return finished(
        _lines(
            rows,
            "answers:Q",
            "error:Q",
            "price:N",
            {more: VERMILION, shared: BLUE},
            ("answers", "standard error of their average"),
            percent=False,
        ),
        "What averaging does to the noise of a count",
        ["An average that is off by less than one half, rounded, is the truth."],
    )


def farthest_picture() -> Picture:
    """The error that all of k numbers keep: of a histogram, and of counts that overlap."""
    both = dp.NoiseComparison(epsilon=1, delta=1e-6)
    colors = {
        "overlapping, Laplace": VERMILION,
        "overlapping, Gaussian": GREEN,
        "histogram": BLUE,
    }
    rows = []
    for step in range(13):
        numbers = round(10 ** (step / 4))
        noises = (both.laplace(numbers), both.gaussian(numbers), dp.Laplace(scale=1))
        rows += [
            {"numbers": numbers, "error": float(noise.accuracy(0.95, cells=numbers)), "kind": kind}
            for kind, noise in zip(colors, noises, strict=True)
        ]
    titles = ("how many numbers", "error that all of them keep, 95%")
    return finished(
        _lines(rows, "numbers:Q", "error:Q", "kind:N", colors, titles, percent=False),
        "How far off is the worst of many counts?",
        ["All for ε = 1; Gaussian noise with δ = 10⁻⁶."],
    )


def rebuilt_picture() -> Picture:
    """The share of 100 secrets that least squares gets right, over the noise of each answer.

    With m random groups of n people, least squares is off by 2·σ/√(m - n) per secret, normally.
    """
    people = 100
    colors = {"2,000 counts": VERMILION, "500 counts": BLUE, "200 counts": GREEN}
    rows = []
    for name, questions in zip(colors, (2_000, 500, 200), strict=True):
        for step in range(51):
            sigma = 10 ** (step / 25)
            off = 2 * sigma / sqrt(questions - people)
            right = (1 + erf(0.5 / off / sqrt(2))) / 2
            rows.append({"noise": sigma, "right": right, "asked": name})
    titles = ("standard deviation of the noise in each count", "secrets rebuilt")
    return finished(
        _lines(rows, "noise:Q", "right:Q", "asked:N", colors, titles, share=True),
        "More counts defeat more noise",
        ["Records of 100 people from counts of random groups. Guessing gives 50%."],
    )
