"""Intervals cover the truth as often as they say, and margins asked for are met."""

import warnings
from collections.abc import Iterator
from functools import cache
from math import sqrt
from typing import Any

import pandas
import pytest
from scipy.stats import binom

from discreet.errors import PrivacyWarning
from discreet.plan.build import col, people, rows
from discreet.plan.columns import category, number
from discreet.privacy.budget import Budget
from discreet.privacy.estimate import Estimate
from discreet.release.table import Table, table

RELEASES, KEYS = 100, 10
TRIALS = RELEASES * KEYS
"""Every key of every release has a draw of its own."""
ALLOWANCE = 1e-6
STAYS = (3.0, 7.5, 25.0, 90.0)
"""Of the people of each ward; the last is clipped to 60."""


def visits() -> Table:
    """Ten wards, each with 40 rows of 40 people, of whom the first has three rows of weight 2/3."""
    wards = [f"w{place}" for place in range(KEYS)]
    records = [
        {"ward": ward, "patient": f"{ward} {place}", "stay": STAYS[place % 4]}
        for ward in wards
        for place in range(40)
    ]
    records += [{"ward": ward, "patient": f"{ward} 0", "stay": STAYS[0]} for ward in wards * 2]
    return table(
        pandas.DataFrame(records),
        name="visits",
        unit="patient",
        max_rows=2,
        max_groups=1,
        budget=Budget(epsilon=10**9),
        columns={"ward": category(wards), "stay": number(0, 60)},
        ledger=":memory:",
    )


# The first patient's three rows weigh 2/3 each: two rows in all, of the same stay.
WEIGHTS = [2.0] + [1.0] * 39
VALUES = [min(STAYS[place % 4], 60.0) for place in range(40)]
COUNT = sum(WEIGHTS)
SUM = sum(weight * value for weight, value in zip(WEIGHTS, VALUES, strict=True))
MEAN = SUM / COUNT
VARIANCE = sum(w * (v - MEAN) ** 2 for w, v in zip(WEIGHTS, VALUES, strict=True)) / COUNT
TRUTHS = {
    "n": COUNT,
    "u": 40.0,
    "total": SUM,
    "present": COUNT,
    "mean": MEAN,
    "var": VARIANCE,
    "std": sqrt(VARIANCE),
}
ASKED = {
    "n": rows(),
    "u": people(),
    "total": col("stay").sum(),
    "present": col("stay").count(),
    "mean": col("stay").mean(),
    "var": col("stay").var(),
    "std": col("stay").std(),
}
SLACK = 1e-3
"""Rounding to the grid, and weights rounded down: far below every interval's width."""


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        yield


@cache
def estimates(name: str) -> tuple[Estimate, ...]:
    """The same question asked of each key in each of many releases, on its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        with visits() as opened:
            asks = opened.group_by("ward").agg(**{name: ASKED[name]})
            plan = asks.plan(epsilon=5)
            found = [plan.release(analyst="ann").column(name) for _ in range(RELEASES)]
    return tuple(cell for column in found for cell in column)


def covered(name: str, part: float = 1.0) -> int:
    """In how many trials the interval, or a part of it around the value, covers the truth."""
    hits = 0
    for one in estimates(name):
        lower = one.value - part * (one.value - one.lower) - SLACK
        upper = one.value + part * (one.upper - one.value) + SLACK
        hits += lower <= TRUTHS[name] <= upper
    return hits


@pytest.mark.parametrize("name", TRUTHS)
def test_95_percent_intervals_cover_at_least_95_percent(name: str) -> None:
    assert binom.cdf(covered(name), TRIALS, 0.95) > ALLOWANCE


@pytest.mark.parametrize("name", ["n", "u", "total", "present"])
def test_intervals_of_sums_cover_no_more_often_than_the_law_says(name: str) -> None:
    """One Laplace draw on a fine grid: exactly 95%; on whole people a little more."""
    chance = float(chance_of(name))
    assert binom.cdf(covered(name), TRIALS, chance) > ALLOWANCE / 2
    assert binom.sf(covered(name) - 1, TRIALS, chance) > ALLOWANCE / 2


def chance_of(name: str) -> float:
    """P[|noise| ≤ reach] by the law of the noise that ships."""
    one: Any = estimates(name)[0]
    noise, reach = one.mechanism, one.mechanism.accuracy(0.95)
    scale = float(noise.scale)
    if scale > 1e6:
        return 0.95
    return sum(noise.pmf(step) for step in range(-int(reach), int(reach) + 1))


@pytest.mark.parametrize("name", ["n", "u", "total", "present"])
def test_intervals_of_60_percent_of_the_width_are_found_out(name: str) -> None:
    """Negative control: they cover 1 - 0.05^0.6 = 83%."""
    assert binom.cdf(covered(name, 0.6), TRIALS, 0.95) < ALLOWANCE


def test_margins_asked_for_are_met_in_95_percent() -> None:
    wanted = {"n": 4, "u": 2, "total": 200}
    with visits() as opened:
        asks = opened.group_by("ward").agg(**{name: ASKED[name] for name in wanted})
        plan = asks.plan(margin=wanted)
        assert all(margin <= wanted[name] for name, margin in plan.margins().items())
        answers = [plan.release(analyst="ann") for _ in range(30)]
    for name, margin in wanted.items():
        errors = [abs(one.value - TRUTHS[name]) for r in answers for one in r.column(name)]
        met = sum(error <= margin + SLACK for error in errors)
        assert binom.cdf(met, len(errors), 0.95) > ALLOWANCE
        assert all(one.margin <= margin for r in answers for one in r.column(name))


def test_a_margin_costs_no_more_than_it_needs() -> None:
    """One tenth less ε, which is a step of two digits or more, misses the margin."""
    with visits() as opened:
        asks = opened.group_by("ward").agg(n=rows())
        plan = asks.plan(margin={"n": 5})
        assert plan.margins()["n"] <= 5
        cheaper = asks.plan(epsilon=plan.epsilon * 9 / 10)
        assert cheaper.margins()["n"] > 5
