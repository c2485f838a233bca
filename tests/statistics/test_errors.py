"""How far answers are off, on 10,000 clipped lognormal values at ε = 1."""

from math import exp, sqrt
from statistics import NormalDist, fmean, median, stdev

import numpy as np
import pytest

import discreet as dp

SIZE, TRIALS = 10_000, 4_000
VALUES = np.array(
    [min(exp(3 + 0.71 * NormalDist().inv_cdf((k + 0.5) / SIZE)), 100.0) for k in range(SIZE)]
)
SHARE = float(VALUES.mean()) / 100


def mean_absolute_error(ask, truth: float, trials: int = TRIALS) -> tuple[float, float]:
    """The average of |error| and its standard error."""
    errors = [abs(float(ask()) - truth) for _ in range(trials)]
    return fmean(errors), stdev(errors) / sqrt(trials)


def test_the_values_are_those_of_the_comparison():
    assert VALUES.mean() == pytest.approx(25.5, abs=0.3)


def test_a_count_is_off_by_what_the_best_law_allows():
    error, uncertainty = mean_absolute_error(lambda: dp.count(VALUES, epsilon=1), SIZE, 10_000)
    best = 2 * exp(-1) / (1 - exp(-2))
    assert abs(error - best) <= 5.5 * uncertainty
    assert abs(error - 1.0) > 5.5 * uncertainty  # the control: rounded continuous noise


def test_a_mean_is_off_by_81_ten_thousandths_with_a_private_number_of_records():
    ask = lambda: dp.mean(VALUES, bounds=(0, 100), epsilon=1)  # noqa: E731
    error, uncertainty = mean_absolute_error(ask, float(VALUES.mean()))
    theory = (SHARE**2 + SHARE * (1 - SHARE) + (1 - SHARE) ** 2) * 100 / SIZE
    assert theory == pytest.approx(0.0081, abs=0.0001)
    assert abs(error - theory) <= 5.5 * uncertainty
    assert error + 5 * uncertainty < 0.0097  # the best peer, which takes the number as public


@pytest.mark.slow
def test_a_median_is_not_worse_than_the_best_peer():
    ask = lambda: dp.median(VALUES, bounds=(0, 100), epsilon=1)  # noqa: E731
    error, uncertainty = mean_absolute_error(ask, median(VALUES), 1000)
    assert error + 5 * uncertainty < 0.0085


def test_a_variance_is_off_by_what_the_three_sums_allow():
    ask = lambda: dp.var(VALUES, bounds=(0, 100), epsilon=1)  # noqa: E731
    error, uncertainty = mean_absolute_error(ask, float(VALUES.var()), 1000)
    # Σ (∂variance/∂sum)² · 2/ε², in units of the squared width.
    x = VALUES / 100
    below, between, above = ((1 - x) ** 2).sum(), (2 * x * (1 - x)).sum(), (x**2).sum()
    variance = float(x.var())
    slopes = [
        above / SIZE**2 - 2 * variance / SIZE,
        -between / 2 / SIZE**2 - 2 * variance / SIZE,
        below / SIZE**2 - 2 * variance / SIZE,
    ]
    deviation = sqrt(2 * sum(slope**2 for slope in slopes)) * 100**2
    assert 0.7 * deviation - 5 * uncertainty < error < 0.8 * deviation + 5 * uncertainty


def test_a_variance_of_a_public_number_of_records_is_off_by_what_the_two_sums_allow():
    ask = lambda: dp.var(VALUES, bounds=(0, 100), epsilon=1, neighbors="replace")  # noqa: E731
    error, uncertainty = mean_absolute_error(ask, float(VALUES.var()), 1000)
    deviation = sqrt(2 * ((1 - 2 * SHARE) ** 2 * (9 / 8) ** 2 + (9 / 16) ** 2)) / SIZE * 100**2
    assert 0.7 * deviation - 5 * uncertainty < error < 0.8 * deviation + 5 * uncertainty
