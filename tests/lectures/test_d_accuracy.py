"""Section D of the mission: how accurate the answers are."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

import discreet as dp
from tests.support.evidence import at_most, frequency_agrees


def test_d1_the_tail_of_laplace_noise_falls_exponentially():
    # On a fine grid P[|X| ≥ t·b] = e^-t.
    b, grid = 4, Fraction(1, 2**20)
    fine = dp.Laplace(scale=b, grid=grid)
    for t in (0.5, 1, 2, 5):
        beyond = fine.tail(np.array([t * b - float(grid) / 2]))[0]
        assert beyond == pytest.approx(exp(-t), rel=1e-5)
    draws = 250_000
    noise = np.abs(np.asarray(fine(np.zeros(draws))))
    for t in (1, 2, 4):
        assert frequency_agrees(int(np.count_nonzero(noise >= t * b)), exp(-t), draws)
    assert not frequency_agrees(int(np.count_nonzero(noise >= b)), exp(-1.06), draws)


@pytest.mark.slow
@pytest.mark.parametrize("grid", [1, 2**-20])
@pytest.mark.parametrize(("cells", "beta"), [(1, 0.05), (10, 0.05), (100, 0.2), (50, 1e-3)])
def test_d2_the_largest_error_of_k_answers_is_bounded(grid, cells, beta):
    mechanism = dp.Laplace.calibrated(sensitivity=2, epsilon=1, grid=grid)
    bound = mechanism.union_bound(1 - Fraction(str(beta)), cells=cells)
    lectures = log(cells / beta) * 2
    # The lectures' bound, and at most half a grid step more.
    assert lectures <= bound <= lectures + grid / 2
    # Exactly: the union of the cells' tails is at most beta.
    tail = mechanism.tail(np.array([bound - 1e-9 * grid]))[0]
    assert cells * tail <= beta * (1 + 1e-6)
    # The exact simultaneous bound is never above it, and no smaller step would do.
    accuracy = mechanism.accuracy(1 - Fraction(str(beta)), cells=cells)
    assert accuracy <= bound
    assert (1 - mechanism.tail(np.array([float(accuracy)]))[0]) ** cells >= 1 - beta - 1e-9
    assert (1 - mechanism.tail(np.array([accuracy - grid]))[0]) ** cells < 1 - beta

    trials = 1000 if beta > 0.01 else 4000
    noise = np.abs(np.asarray(mechanism(np.zeros((trials, cells), np.int64)), dtype=float))
    misses = int(np.count_nonzero(noise.max(axis=1) >= bound))
    assert at_most(misses, beta, trials)


def test_d3_ten_thousand_first_names_are_all_within_12_2():
    assert log(10_000 / 0.05) == pytest.approx(12.2, abs=0.01)
    census = dp.Laplace.calibrated(sensitivity=1, epsilon=1)
    assert census.accuracy(0.95, cells=10_000) == 12
    assert dp.Laplace(scale=1, grid=2**-20).union_bound(0.95, cells=10_000) == pytest.approx(
        12.2, abs=0.01
    )

    # The shipped histogram has this noise.  In how many censuses is some name off by more?
    cells = dp.histogram([], categories=list(range(10_000)), epsilon=1)
    assert {cell.mechanism for cell in cells.values()} == {census}
    trials = 500
    farthest = np.abs(np.asarray(census(np.zeros((trials, 10_000), np.int64)))).max(axis=1)
    assert at_most(int(np.count_nonzero(farthest > 12.2)), 0.05, trials)
    # The control: some name is off by 11 or more in 22 of 100.
    assert not at_most(int(np.count_nonzero(farthest > 10.2)), 0.05, trials)


def test_d4_k_counts_cost_k_times_the_noise_and_a_histogram_does_not():
    data = list(range(50))
    k = 50
    together = dp.Laplace.calibrated(sensitivity=k, epsilon=1)
    assert together.scale == k
    for cells in (2, 50, 1000):
        one = dp.histogram(data, categories=range(cells), epsilon=1)
        assert {cell.mechanism.scale for cell in one.values()} == {1}
        swap = dp.histogram(data, categories=range(cells), epsilon=1, neighbors="replace")
        assert {cell.mechanism.scale for cell in swap.values()} == {2}
    # k separate questions at ε/k each come to the same: Lap(k/ε) each, ε in all.
    with dp.spending(dp.Budget(epsilon=1)) as account:
        answers = [
            dp.count(data, where=[v >= t for v in data], epsilon=Fraction(1, k)) for t in range(k)
        ]
    assert {answer.mechanism.scale for answer in answers} == {k}
    assert account.spent.epsilon == 1
