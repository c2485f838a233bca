"""Proportions from reports: unbiased, with the variance and the coverage that are claimed."""

from fractions import Fraction
from itertools import product
from math import comb, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import beta, norm

from discreet.local import RandomizedResponse
from discreet.local.proportions import Channel, binomial_interval

LEVEL = Fraction(95, 100)
CHANNELS = [(0.75, 0.25), (0.731, 0.269), (0.9999, 0.0001), (0.0011, 0.001), (0.02, 0.001)]


def channel(keep: float, lie: float) -> Channel:
    return Channel(keep=keep, lie=lie, gain=keep - lie)


def law_of_count(chances: list[float]) -> NDArray[np.float64]:
    """The law of a sum of independent bits."""
    law = np.ones(1)
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    return law


def clopper_pearson(count: int, trials: int, level: float) -> tuple[float, float]:
    """The textbook interval, by SciPy."""
    each = (1 - level) / 2
    low = beta.ppf(each, count, trials - count + 1) if count else 0.0
    high = beta.isf(each, count + 1, trials - count) if count < trials else 1.0
    return float(low), float(high)


# ---------------------------------------------------------------------- estimate and variance


@pytest.mark.parametrize(("keep", "lie"), CHANNELS)
def test_the_estimate_is_unbiased_and_has_the_stated_variance(keep: float, lie: float) -> None:
    """By enumeration of every number of reports."""
    one = channel(keep, lie)
    for size, holders in [(1, 0), (1, 1), (5, 2), (12, 12)]:
        law = law_of_count([keep] * holders + [lie] * (size - holders))
        values = np.array([one.debias(count / size) for count in range(size + 1)])
        mean = float(law @ values)
        variance = float(law @ (values - mean) ** 2)
        assert mean == pytest.approx(holders / size, abs=1e-9)
        assert variance == pytest.approx(one.variance(size, holders / size), rel=1e-9)


def test_two_coins_are_twice_the_share_minus_one_half() -> None:
    poll = RandomizedResponse.two_coin()
    for reports in ([0], [1], [1, 0, 0, 1, 1]):
        assert poll.estimate(reports).value == pytest.approx(2 * np.mean(reports) - 0.5)  # type: ignore[union-attr]


@pytest.mark.parametrize("epsilon", ["1/10", 1, 3])
def test_one_report_is_worth_what_the_lectures_say(epsilon: object) -> None:
    poll = RandomizedResponse(epsilon=epsilon)  # type: ignore[arg-type]
    grown = np.exp(float(Fraction(str(epsilon))))
    for report in (0, 1):
        expected = ((grown + 1) * report - 1) / (grown - 1)
        assert poll.estimate([report]).value == pytest.approx(expected)  # type: ignore[union-attr]
    assert poll.variance(100) == pytest.approx(grown / (grown - 1) ** 2 / 100)
    assert poll.variance(100, 0.7) == pytest.approx(poll.variance(100))


@pytest.mark.parametrize(("categories", "expected"), [(2, 0.921), (4, 1.60), (10, 3.63)])
def test_the_variance_of_a_rare_category_is_that_of_the_literature(
    categories: int, expected: float
) -> None:
    poll = RandomizedResponse(epsilon=1, categories=categories)
    assert poll.variance(1) == pytest.approx(expected, abs=0.005)
    assert poll.variance(1000) == pytest.approx(poll.variance(1) / 1000)


# ---------------------------------------------------------------------- the interval


@pytest.mark.parametrize("trials", [1, 2, 3, 10, 97, 1000])
@pytest.mark.parametrize("level", [Fraction(1, 2), LEVEL, Fraction(999, 1000)])
def test_the_interval_is_that_of_clopper_and_pearson_or_a_hair_wider(
    trials: int, level: Fraction
) -> None:
    for count in {0, 1, 2, trials // 3, trials - 2, trials - 1, trials}:
        if not 0 <= count <= trials:
            continue
        low, high = binomial_interval(count, trials, level)
        low_twin, high_twin = clopper_pearson(count, trials, float(level))
        assert low <= low_twin + 1e-12
        assert high >= high_twin - 1e-12
        slack = 0.16 / trials if count in (1, trials - 1) else 1e-7
        assert low_twin - low < slack
        assert high - high_twin < slack


def test_large_numbers_of_reports_are_no_trouble() -> None:
    for trials in (10**5, 10**7, 10**9):
        low, high = binomial_interval(trials // 3, trials, LEVEL)
        low_twin, high_twin = clopper_pearson(trials // 3, trials, 0.95)
        width = high_twin - low_twin
        assert low_twin - 1e-3 * width < low <= low_twin + 1e-9 * width
        assert high_twin - 1e-9 * width <= high < high_twin + 1e-3 * width
    assert binomial_interval(0, 10**9, LEVEL)[0] == 0
    assert binomial_interval(10**9, 10**9, LEVEL)[1] == 1


def coverage(size: int, holders: int, keep: float, lie: float, level: Fraction) -> float:
    """The exact probability that the interval holds the respondents' proportion."""
    one = channel(keep, lie)
    law = law_of_count([keep] * holders + [lie] * (size - holders))
    bounds = [one.interval(count, size, level) for count in range(size + 1)]
    truth = holders / size
    return float(sum(p for p, (low, high) in zip(law, bounds, strict=True) if low <= truth <= high))


@pytest.mark.parametrize(("keep", "lie"), CHANNELS)
def test_the_interval_covers_what_it_says_for_every_few_respondents(
    keep: float, lie: float
) -> None:
    for size in (1, 2, 3, 5, 8, 13, 40):
        for holders in range(size + 1):
            for level in (Fraction(1, 2), LEVEL, Fraction(99, 100)):
                assert coverage(size, holders, keep, lie, level) >= level - Fraction(1, 10**12)


def test_a_low_confidence_is_not_promised_less_than_a_half() -> None:
    assert binomial_interval(3, 10, Fraction(1, 10)) == binomial_interval(3, 10, Fraction(1, 2))


@pytest.mark.parametrize(("keep", "lie"), [(0.75, 0.25), (0.55, 0.45)])
def test_it_covers_a_population_too(keep: float, lie: float) -> None:
    for size, truth in product((1, 4, 30), (0.0, 0.01, 0.5, 0.9, 1.0)):
        chance = lie + (keep - lie) * truth
        one = channel(keep, lie)
        covered = sum(
            comb(size, count) * chance**count * (1 - chance) ** (size - count)
            for count in range(size + 1)
            if one.interval(count, size, LEVEL)[0] <= truth <= one.interval(count, size, LEVEL)[1]
        )
        assert covered >= 0.95


def test_the_normal_approximation_would_not_cover() -> None:
    """The negative control: the textbook interval misses its 95% among few respondents."""
    keep, lie, size = 0.98, 0.02, 20
    one = channel(keep, lie)
    law = law_of_count([lie] * size)
    covered = 0.0
    for count in range(size + 1):
        share = count / size
        margin = norm.isf(0.025) * sqrt(share * (1 - share) / size) / one.gain
        covered += law[count] * (abs(one.debias(share)) <= margin)
    assert covered < 0.5
    assert coverage(size, 0, keep, lie, LEVEL) >= 0.95


def test_the_margin_is_of_the_order_of_one_over_the_root() -> None:
    poll = RandomizedResponse(epsilon=1)
    for size in (100, 10_000, 10**6):
        estimate = poll.estimate(np.arange(size) % 2)
        assert 1.9 < estimate.margin / sqrt(poll.variance(size)) < 2.6  # type: ignore[union-attr,operator]
