"""Intervals cover the truth as often as they say, and margins asked for are met."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import sqrt
from typing import Any

import pandas
import pytest
from scipy.stats import binom

import discreet as dp
from discreet.errors import PrivacyWarning
from discreet.plan.schema import category, number
from discreet.privacy.estimates import Estimate, FloatInterval
from discreet.privacy.losses import Budget
from discreet.question.builder import col, people, rows
from discreet.release.plan import Plan

KEYS = 50
"""Groups of each release: as many draws."""
ALLOWANCE = 1e-6
"""How often a test of this file may fail without a fault."""
STAYS = (3.0, 7.5, 25.0, 90.0)
"""Of the people of each ward; the last is clipped to 60."""


def visits() -> dp.Table:
    """Wards, each with 40 rows of 40 people, of whom the first has three rows of weight 2/3."""
    wards = [f"w{place}" for place in range(KEYS)]
    records = [
        {"ward": ward, "patient": f"{ward} {place}", "stay": STAYS[place % 4]}
        for ward in wards
        for place in range(40)
    ]
    records += [{"ward": ward, "patient": f"{ward} 0", "stay": STAYS[0]} for ward in wards * 2]
    return dp.table(
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
MARGINS = {"n": 4, "u": 2, "total": 200}
"""What is asked for with a margin; everything else is asked for at a price."""
SLACK = 1e-3
"""Rounding to the grid, and weights rounded down: far below every interval's width."""


@dataclass(frozen=True)
class Question:
    """Outputs that are asked for together, with a block of noise each, and how often."""

    names: tuple[str, ...]
    releases: int

    def plan(self, opened: dp.Table) -> Plan:
        asks = opened.group_by("ward").agg(**{name: ASKED[name] for name in self.names})
        return asks.plan(margin=MARGINS) if self.names == tuple(MARGINS) else asks.plan(epsilon=5)


QUESTIONS = (
    Question(tuple(MARGINS), 40),
    Question(("mean",), 40),
    Question(("present", "var", "std"), 20),
)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        yield


@cache
def released(question: Question) -> dict[str, tuple[Estimate, ...]]:
    """Every estimate of each output: every key of every release has a draw of its own."""
    with visits() as opened:
        plan = question.plan(opened)
        answers = [plan.release(analyst="ann") for _ in range(question.releases)]
    return {
        name: tuple(cell for answer in answers for cell in answer.column(name))
        for name in question.names
    }


def estimates(name: str) -> tuple[Estimate, ...]:
    return next(released(one)[name] for one in QUESTIONS if name in one.names)


@cache
def intervals(name: str) -> tuple[tuple[float, FloatInterval], ...]:
    return tuple((one.value, one.noise_interval()) for one in estimates(name))


def covered(name: str, part: float = 1.0) -> int:
    """In how many trials the interval, or a part of it around the value, covers the truth."""
    truth = TRUTHS[name]
    return sum(
        value - part * (value - lower) - SLACK <= truth <= value + part * (upper - value) + SLACK
        for value, (lower, upper) in intervals(name)
    )


def met(name: str, margin: float) -> int:
    """In how many trials the value is that near to the truth."""
    return sum(abs(one.value - TRUTHS[name]) <= margin + SLACK for one in estimates(name))


def believed(hits: int, name: str, chance: float = 0.95) -> bool:
    """Whether so few hits are likelier than one in a million, if each has this chance."""
    return bool(binom.cdf(hits, len(estimates(name)), chance) > ALLOWANCE)


@pytest.mark.parametrize("name", TRUTHS)
def test_95_percent_intervals_cover_at_least_95_percent(name: str) -> None:
    assert len(estimates(name)) >= 1_000
    assert believed(covered(name), name)


@pytest.mark.parametrize("name", ["n", "u", "total"])
def test_intervals_of_sums_cover_as_often_as_the_law_says(name: str) -> None:
    """One Laplace draw on a fine grid: exactly 95%; on whole people a little more."""
    chance, trials = chance_of(name), len(estimates(name))
    assert chance >= 0.95
    assert binom.cdf(covered(name), trials, chance) > ALLOWANCE / 2
    assert binom.sf(covered(name) - 1, trials, chance) > ALLOWANCE / 2


def chance_of(name: str) -> float:
    """P[|noise| ≤ reach] by the law of the noise that ships."""
    one: Any = estimates(name)[0]
    noise, reach = one.mechanism, one.mechanism.accuracy(0.95)
    if float(noise.scale) > 1e6:
        return 0.95
    return float(sum(noise.pmf(step) for step in range(-int(reach), int(reach) + 1)))


@pytest.mark.parametrize(("name", "part"), [("n", 0.7), ("u", 0.7), ("total", 0.7), ("mean", 0.4)])
def test_intervals_that_are_too_narrow_are_found_out(name: str, part: float) -> None:
    """Negative control: 0.7 of a Laplace interval covers 1 - 0.05^0.7 = 88%."""
    assert not believed(covered(name, part), name)


@pytest.mark.parametrize("name", MARGINS)
def test_a_margin_that_was_asked_for_is_met_in_95_percent(name: str) -> None:
    wanted = MARGINS[name]
    assert all(one.noise_margin <= wanted for one in estimates(name))
    assert believed(met(name, wanted), name)


@pytest.mark.parametrize("name", MARGINS)
def test_half_of_the_margin_is_not_met_in_95_percent(name: str) -> None:
    """Negative control."""
    assert not believed(met(name, MARGINS[name] / 2), name)


def test_a_plan_for_margins_shows_them() -> None:
    with visits() as opened:
        shown = QUESTIONS[0].plan(opened).margins()
    assert all(0 < (shown[name] or 0) <= wanted for name, wanted in MARGINS.items())


def test_a_margin_costs_no_more_than_it_needs() -> None:
    """One tenth less ε, which is a step of two digits or more, misses the margin."""
    with visits() as opened:
        asks = opened.group_by("ward").agg(n=rows())
        plan = asks.plan(margin={"n": 5})
        assert plan.margins()["n"] <= 5
        cheaper = asks.plan(epsilon=plan.epsilon * 9 / 10)
        assert cheaper.margins()["n"] > 5
