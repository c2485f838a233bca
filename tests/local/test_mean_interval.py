"""The guaranteed interval of a mean covers as often as it says, and is as narrow as is claimed."""

from fractions import Fraction
from math import inf, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from discreet.errors import BoundsError, DiscreetError
from discreet.local import Mean, choose
from discreet.local.mean import (
    bernstein,
    berry_esseen,
    hoeffding,
    mean_margin,
    sampled_bound,
)
from discreet.local.mean_law import KINDS, MeanLaw, derive_law
from discreet.local.scheme_choice import even_margin
from tests.support.trials import all_but

STEPS = 4
NUMBERS = [(0,), (2,), (4,), (0, 4), (0, 1, 2, 3, 4)]


def law_of_sum(law: MeanLaw, positions: tuple[int, ...], reports: int) -> NDArray[np.float64]:
    """The naive twin: the law of the sum of all cells, one respondent after another."""
    total = np.ones(1)
    for at in range(reports):
        chances = law.probabilities(positions[at % len(positions)])
        total = np.convolve(total, [float(chances[cell]) for cell in range(law.cells)])
    return total


def missed(law: MeanLaw, positions: tuple[int, ...], reports: int, wide: float) -> float:
    """The probability that the mean of the scores is further than this from the mean position."""
    shift, gain = (float(one) for one in law.cell_score)
    chances = law_of_sum(law, positions, reports)
    means = (np.arange(chances.size) / reports - shift) / gain
    truth = np.mean([positions[at % len(positions)] for at in range(reports)])
    return float(chances[np.abs(means - truth) >= wide].sum())


def mean_variance(law: MeanLaw, positions: tuple[int, ...], reports: int) -> float:
    each = [float(law.variance(positions[at % len(positions)])) for at in range(reports)]
    return float(np.mean(each))


@pytest.mark.parametrize("positions", NUMBERS, ids=str)
@pytest.mark.parametrize(("reports", "epsilon"), [(30, 1), (300, 1), (300, 3), (900, 2)])
def test_every_margin_holds_by_the_law_of_the_sum(
    positions: tuple[int, ...], reports: int, epsilon: int
) -> None:
    """Exactly, for fixed respondents and the variance that they have."""
    law = derive_law("piecewise", Fraction(epsilon), STEPS)
    deviation = sqrt(mean_variance(law, positions, reports))
    assert law.least_variance <= Fraction(deviation) ** 2 * (1 + Fraction(1, 10**9))
    for miss in (Fraction(1, 2), Fraction(1, 4), Fraction(1, 20)):
        found = [
            hoeffding(law, reports, miss),
            bernstein(law, reports, miss, deviation),
            berry_esseen(law, reports, miss, deviation),
            float(mean_margin(law, reports, 1 - miss)),
        ]
        for wide in found:
            assert missed(law, positions, reports, wide) <= miss
        normal = -NormalDist().inv_cdf(float(miss / 2)) * deviation / sqrt(reports)
        assert missed(law, positions, reports, 0.7 * normal) > miss  # the control


def test_the_normal_margin_is_only_taken_where_the_law_is_near_enough() -> None:
    law = derive_law("hybrid", Fraction(1), 1 << 24)
    miss = Fraction(1, 20)
    assert berry_esseen(law, 100, miss, 1.0) == inf
    assert berry_esseen(law, 10**9, miss, 1.0) * sqrt(10**9) == pytest.approx(1.96, abs=0.01)
    assert berry_esseen(law, 10**9, Fraction(1, 10**400), 1.0) == inf
    assert mean_margin(law, 10**6, 1 - Fraction(1, 10**400)) > 0


def population(name: str, size: int) -> NDArray[np.float64]:
    values = {"ends": [0.0, 10.0], "middle": [5.0], "spread": np.linspace(0, 10, 101)}
    return np.resize(values[name], size)


@pytest.mark.parametrize("name", all_but(["ends"], ["ends", "middle", "spread"], pytest.mark.slow))
@pytest.mark.parametrize(("kind", "epsilon"), [("piecewise", 4), ("hybrid", 1), ("hybrid", 4)])
def test_the_guaranteed_interval_covers_as_often_as_it_says(
    kind: str, epsilon: Any, name: str
) -> None:
    """Of 400 surveys of 2,000 people at 80%; a false alarm has a chance of at most 10^-6.

    The control is the same intervals, each a tenth as wide: over half of them miss.
    """
    scheme = Mean(low=0, high=10, epsilon=epsilon, kind=kind)  # type: ignore[arg-type]
    values, surveys = population(name, 2_000), 400
    most = binom.isf(1e-6, surveys, 0.2)
    misses = narrow = 0
    for _ in range(surveys):
        estimate = scheme.estimate(scheme.randomize(values))
        low, high = estimate.interval("4/5")
        misses += not low <= values.mean() <= high
        narrow += abs(estimate.value - values.mean()) > 0.05 * (high - low)
    assert misses <= most
    assert narrow > most


@pytest.mark.parametrize("name", ["ends", "spread"])
def test_a_sample_is_covered_too(name: str) -> None:
    """Of 400 random samples at 80%, the mean of the population; false alarms at most 10^-6."""
    scheme = Mean(low=0, high=10, epsilon=4, kind="hybrid")  # type: ignore[arg-type]
    values, surveys = population(name, 1_000), 400
    generator = np.random.default_rng(20)
    misses = narrow = 0
    for _ in range(surveys):
        estimate = scheme.estimate(scheme.randomize(generator.choice(values, 2_000)))
        low, high = estimate.interval("4/5")
        misses += not low <= values.mean() <= high
        narrow += abs(estimate.value - values.mean()) > 0.05 * (high - low)
    assert misses <= binom.isf(1e-6, surveys, 0.2) < narrow


def test_the_reports_own_variance_bounds_the_true_one() -> None:
    """By enumeration of every pair of reports: the bound fails no more often than it may."""
    law = derive_law("piecewise", Fraction(2), STEPS)
    _, gain = law.cell_score
    for first, second in [(0, 0), (2, 2), (0, 4), (1, 3)]:
        chances = law.probabilities(first), law.probabilities(second)
        true = sqrt(float(law.variance(first) + law.variance(second)) / 2)
        for miss in (Fraction(1, 2), Fraction(9, 10), Fraction(99, 100)):
            failing = Fraction(0)
            for one, chance in chances[0].items():
                for other, probability in chances[1].items():
                    sampled = ((one - other) / gain) ** 2 / 2
                    if sampled_bound(law, 2, miss, sampled) < true:
                        failing += chance * probability
            assert failing <= miss


@pytest.mark.parametrize(
    ("epsilon", "kind", "most"),
    [(1, "hybrid", 0.44), (1, "piecewise", 0.44), (4, "hybrid", 0.14), (4, "piecewise", 0.12)],
)
def test_the_interval_is_much_narrower_than_by_the_worst_variance(
    epsilon: Any, kind: str, most: float
) -> None:
    """Of 20,000 people between 0 and 24 hours; six deviations of the variance move it by 3%."""
    scheme = Mean(low=0, high=24, epsilon=epsilon, kind=kind)  # type: ignore[arg-type]
    printed = scheme.estimate(scheme.randomize(np.linspace(4, 11, 20_000))).margin
    assert printed is not None
    assert printed < most
    law, miss, step = scheme._law, Fraction(1, 20), 24 / scheme.steps
    worst = sqrt(float(law.worst_spread))
    before = min(hoeffding(law, 20_000, miss), bernstein(law, 20_000, miss, worst)) * step
    assert printed < 0.85 * before


# ---------------------------------------------------------------------- the choice by it


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("kind", KINDS)
def test_the_spread_of_even_numbers_is_that_of_enumeration(kind: str, steps: int) -> None:
    law = derive_law(kind, Fraction(2), steps)
    scores: list[tuple[Fraction, Fraction]] = []
    for position in range(steps + 1):
        for report, chance in law.probabilities(position).items():
            counts = law.count(np.array([report]))
            scores.append((chance / (steps + 1), law.moments(counts, 1)[0]))
    first = sum(chance * score for chance, score in scores)
    assert first == Fraction(steps, 2)
    assert law.even_spread == sum(chance * score**2 for chance, score in scores) - first**2
    assert law.least_variance < law.even_spread <= law.worst_spread


@pytest.mark.parametrize("people", [20, 500, 1_000, 10_000, 10**7])
@pytest.mark.parametrize("epsilon", ["1/2", 1, 2, 4, 6])
def test_the_narrowest_printed_interval_is_chosen(epsilon: Any, people: int) -> None:
    bounds: dict[str, Any] = {"low": 0, "high": 24, "epsilon": epsilon}
    offered = {kind: Mean(kind=kind, **bounds) for kind in KINDS}
    choice = choose(respondents=people, **bounds)
    wide = {kind: even_margin(one, people, Fraction(95, 100)) for kind, one in offered.items()}
    assert wide[choice.scheme.kind] == min(wide.values())
    assert [one.margin for one in choice.considered] == sorted(wide.values())
    if people == 1_000:
        assert choose(**bounds) == choice
        assert choice.scheme.kind == "duchi"
    if (epsilon, people) == (4, 10**7):  # where the variance decides
        assert choice.scheme.kind != "duchi"


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_compared_is_what_is_printed(kind: str) -> None:
    """Of 20,000 people at ε = 2: the root of the reports' variance is within 3% at six deviations.

    The control is another kind, whose interval is more than 3% wider or narrower.
    """
    numbers = np.linspace(0, 24, 20_000)
    scheme = Mean(low=0, high=24, epsilon=2, kind=kind)  # type: ignore[arg-type]
    printed = scheme.estimate(scheme.randomize(numbers)).margin
    assert printed == pytest.approx(even_margin(scheme, 20_000, Fraction(95, 100)), rel=0.03)
    other = Mean(low=0, high=24, epsilon=2, kind="piecewise" if kind == "duchi" else "duchi")  # type: ignore[arg-type]
    assert printed != pytest.approx(even_margin(other, 20_000, Fraction(95, 100)), rel=0.03)


def test_a_choice_for_numbers_says_what_its_margins_are_for() -> None:
    few = choose(low=0, high=40, epsilon=1, respondents=500)
    assert few.scheme.kind == "duchi"
    assert few.why.startswith("Mean (duchi): ±3.9, ")
    assert "the next is Mean (hybrid): ±5.9" in few.why
    assert "from 500 respondents" in few.why
    assert "By the variance alone it would be Mean (hybrid)" in few.why
    assert "By the variance" not in choose(low=0, high=24, epsilon="1/2").why
    for question in ({"categories": 3}, {"low": 0, "high": 1}):
        with pytest.raises(DiscreetError):
            choose(epsilon=1, respondents=0, **question)  # type: ignore[arg-type]
    with pytest.raises(BoundsError, match="only the choice for a number"):
        choose(categories=3, epsilon=1, respondents=500)
