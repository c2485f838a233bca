"""How often the intervals of quantiles hold them, and how often their ranks are as stated.

The law of both depends on the data, so that only the confidence that is stated is owed.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest

import discreet as dp
from discreet.mechanisms import quantile_intervals
from discreet.noise import UnsafeSeededBits
from tests.support.coverage import assert_covered, held

DRAWN = np.random.default_rng(20)
DATA = {
    "skewed": np.exp(DRAWN.normal(2, 1, 4_000)),
    "tied": DRAWN.integers(0, 6, 3_000) * 10.0,
    "tiny": DRAWN.uniform(0, 100, 9),
    "one": np.array([40.0]),
    "large": DRAWN.uniform(0, 100, 50_000),
    "two heaps": np.concatenate([DRAWN.normal(5, 0.01, 500), DRAWN.normal(95, 0.01, 500)]),
}
LEVELS = {"median": (0.5,), "quartiles": (0.25, 0.5, 0.75), "tails": (0.1, 0.9)}
USUAL = 200
"""Trials of each data set: in the soak ten times as many."""


def released(name: str, levels: str, epsilon: float) -> Iterator[dict[float, dp.Estimate]]:
    """One release after another."""
    values, bits = DATA[name], UnsafeSeededBits(sum(map(ord, name + levels)))
    while True:
        yield dict(
            dp.quantile(values, LEVELS[levels], bounds=(0, 100), epsilon=epsilon, source=bits)
        )


def true_values(name: str, level: float) -> tuple[float, float]:
    """Between what the quantile lies: every value of a gap is one."""
    ordered = np.sort(np.clip(DATA[name], 0, 100))
    rank = Fraction(str(level)) * len(ordered)
    return float(ordered[ceil(rank) - 1]), float(ordered[floor(rank)])


def rows_between(name: str, value: float, level: float) -> float:
    """How many rows lie between a value, or the half step of the grid around it, and a quantile."""
    clipped, step = np.clip(DATA[name], 0, 100), 1e-6
    rank = level * len(clipped)
    below, up_to = np.sum(clipped < value - step), np.sum(clipped <= value + step)
    return max(0.0, float(below - rank), float(rank - up_to))


@pytest.mark.parametrize(
    ("levels", "epsilon"), [("median", 0.1), ("median", 1.0), ("quartiles", 0.5), ("tails", 2.0)]
)
@pytest.mark.parametrize("name", DATA)
@pytest.mark.filterwarnings("ignore")
def test_intervals_hold_the_quantiles_and_ranks_are_as_stated(
    name: str, levels: str, epsilon: float
) -> None:
    releases = released(name, levels, epsilon)
    step = 1e-6  # of the grid: values are rounded to it
    found: list[dict[float, dp.Estimate]] = []

    def all_at_once() -> bool:
        found.append(next(releases))
        return True

    trials = held(all_at_once, USUAL)[1]
    for level in LEVELS[levels]:
        first, last = true_values(name, level)
        of_level = [one[level] for one in found]
        inside = sum(one.lower - step <= first and last <= one.upper + step for one in of_level)
        assert_covered((inside, trials))
        ranked = sum(
            rows_between(name, one.value, level) <= one.rank_error + 1e-3 for one in of_level
        )
        assert_covered((ranked, trials))


def test_an_interval_of_less_slack_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: aimed short of the quantile, intervals miss it too often."""
    monkeypatch.setattr(quantile_intervals, "_LOG_ODDS", Fraction(-40))
    releases = released("large", "median", 1.0)
    first, _ = true_values("large", 0.5)

    def holds() -> bool:
        one = next(releases)[0.5]
        return bool(one.lower <= first <= one.upper)

    with pytest.raises(AssertionError, match="hold the truth"):
        assert_covered(held(holds, USUAL))


def test_a_rank_that_leaves_noise_out_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: the noisy distance itself is too low half of the time."""
    monkeypatch.setattr(
        quantile_intervals.MeasuredRank,
        "at_most",
        lambda rank, noisy, confidence: max(0, noisy) / quantile_intervals.rank_units(1),
    )
    releases = released("large", "median", 1.0)

    def holds() -> bool:
        one = next(releases)[0.5]
        return rows_between("large", one.value, 0.5) <= one.rank_error

    with pytest.raises(AssertionError, match="hold the truth"):
        assert_covered(held(holds, USUAL))
