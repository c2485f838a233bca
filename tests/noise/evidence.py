"""Does a sample come from a law?  Tests whose false alarms are rarer than one in a hundred million.

Each function returns a p-value, so that a test can ask for acceptance of the right law and for
rejection of a wrong one with the same statistic.
"""

from math import erfc, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

FALSE_ALARM = 1e-8
"""A p-value below this rejects: a right sampler fails one such test in 10^8."""


def chi_square(counts: NDArray[np.int64], chances: NDArray[np.float64]) -> float:
    """The p-value of Pearson's test; bins that expect fewer than 50 are pooled."""
    expected = counts.sum() * chances / chances.sum()
    rare = expected < 50
    if rare.any():
        counts = np.append(counts[~rare], counts[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    if expected[-1] < 50:  # even together: add them to the largest bin
        largest = int(expected[:-1].argmax())
        counts[largest] += counts[-1]
        expected[largest] += expected[-1]
        counts, expected = counts[:-1], expected[:-1]
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return float(chi2.sf(statistic, max(1, len(counts) - 1)))


def two_samples(first: NDArray[np.int64], second: NDArray[np.int64]) -> float:
    """The p-value for two arrays of counts being from one law; bins with few are pooled."""
    together = first + second
    rare = together < 50
    first = np.append(first[~rare], first[rare].sum())
    second = np.append(second[~rare], second[rare].sum())
    first, second = first[first + second > 0], second[first + second > 0]
    ratio = sqrt(second.sum() / first.sum())
    statistic = float(((first * ratio - second / ratio) ** 2 / (first + second)).sum())
    return float(chi2.sf(statistic, max(1, len(first) - 1)))


def kolmogorov(distance: float, count: int) -> float:
    """An upper bound of P[sup |F_n - F| ≥ distance] (Dvoretzky, Kiefer, Wolfowitz, Massart)."""
    return min(1.0, 2 * float(np.exp(-2 * count * distance**2)))


def normal(standardized: float) -> float:
    """The two-sided p-value of a standard normal."""
    return erfc(abs(standardized) / sqrt(2))
