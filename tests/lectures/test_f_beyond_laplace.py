"""Section F of the mission: beyond adding Laplace noise."""

from fractions import Fraction
from itertools import product
from math import log, sqrt

import numpy as np
import pytest

import discreet as dp
from tests.support.evidence import at_most


def test_f1_the_gaussian_mechanism_needs_less_noise_than_the_classic_formula():
    delta = Fraction(1, 10**6)
    for epsilon in (Fraction(1, 10), Fraction(1, 2), Fraction(1)):
        classic = sqrt(2 * log(1.25 / float(delta))) / float(epsilon)
        ours = dp.Gaussian.calibrated(sensitivity=1, epsilon=epsilon, delta=delta)
        assert float(ours.sigma) < 0.85 * classic
        assert dp.verify(ours, 0, 1).delta(epsilon=epsilon) <= delta
    # Right at every ε: the classic formula fails far above 1, the calibration does not.
    epsilon, grid = Fraction(16), Fraction(1, 64)
    classic = Fraction(sqrt(2 * log(1.25 / float(delta))) / 16).limit_denominator(10**6)
    ours = dp.Gaussian.calibrated(sensitivity=1, epsilon=epsilon, delta=delta, grid=grid)
    assert dp.verify(ours, 0, 1).delta(epsilon=epsilon) <= delta
    assert dp.verify(dp.Gaussian(sigma=classic, grid=grid), 0, 1).delta(epsilon=epsilon) > delta

    # L2 sensitivity: k counts that one person is in cost √k, not k.
    one = dp.Gaussian.calibrated(sensitivity=1, epsilon=1, delta=delta, dimension=64)
    many = dp.Gaussian.calibrated(sensitivity=8, epsilon=1, delta=delta, dimension=64)
    assert float(many.sigma / one.sigma) == pytest.approx(8, rel=0.02)


def test_f2_report_noisy_max_is_private_however_many_counts_there_are():
    # Exactly: all count vectors on a small domain, one record added to any subset of k counts.
    for k in (2, 3):
        mechanism = dp.NoisyMax.calibrated(sensitivity=1, epsilon=1, monotone=True)
        assert mechanism.scale == 1, "Lap(1/ε) on each count, whatever k is"
        worst = 0.0
        for counts in product(range(3), repeat=k):
            for moved in product((0, 1), repeat=k):
                neighbor = [count + move for count, move in zip(counts, moved, strict=True)]
                worst = max(worst, float(dp.verify(mechanism, list(counts), neighbor).epsilon))
        assert worst <= 1
        assert worst > 0.5, "the bound is not idle"


def test_f2_report_noisy_max_is_more_accurate_than_releasing_the_counts():
    # k counting queries (one record in all of them): the counts need Lap(k/ε) each, RNM Lap(1/ε).
    k, trials = 20, 2000
    counts = np.arange(100, 100 + k)
    index = [
        dp.noisy_max(counts, sensitivity=1, epsilon=1, monotone=True, noise="laplace")
        for _ in range(trials)
    ]
    released = dp.Laplace.calibrated(sensitivity=k, epsilon=1)
    noisy = np.asarray(released(np.tile(counts, (trials, 1))))
    lost_by_rnm = counts.max() - counts[index]
    lost_by_release = counts.max() - counts[noisy.argmax(axis=1)]
    assert lost_by_rnm.mean() + 5 * lost_by_rnm.std() / sqrt(trials) < lost_by_release.mean()
    assert lost_by_rnm.mean() < 4

    # The stated accuracy holds: the chosen count is that close to the best, 95% of the time.
    mechanism = dp.NoisyMax.calibrated(sensitivity=1, epsilon=1, monotone=True)
    behind = mechanism.accuracy(0.95, candidates=k)
    assert at_most(int(np.count_nonzero(lost_by_rnm > behind)), 0.05, trials)
