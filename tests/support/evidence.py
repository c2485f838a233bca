"""Do draws come from the law that is claimed?  Every verdict's rate of false alarms is stated.

The first functions return a p-value, so that a test can ask for acceptance of the right law and for
rejection of a wrong one with the same statistic.  The others say yes or no, or how many misses are
too many.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from math import erfc, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, chi2

FALSE_ALARM = 1e-8
"""A p-value below this rejects: a right sampler fails one such test in 10^8."""
WRONG_VERDICT = 1e-7
"""A yes or no is wrong about the right law so often, and so is a bound on misses."""
SIGMAS = 5.5
"""A sound mean is called false with probability below 4e-8 (two-sided normal tail)."""
_LEAST = 50.0
"""A cell of a χ² test expects as many."""


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


def fits(sample: Iterable[Hashable], law: Mapping[Hashable, float]) -> bool:
    """Whether the sample is compatible with the probabilities; rare outcomes are pooled.

    At the stated level in the limit; a cell that expects few has a longer tail, so both are set
    with room: of two cells, one of which expects 50, a right sample is rejected 8 times in ten
    million."""
    counts = Counter(sample)
    if set(counts) - set(law):
        return False
    size = counts.total()
    pairs = [(counts[outcome], size * chance) for outcome, chance in law.items()]
    rare = [pair for pair in pairs if pair[1] < _LEAST]
    cells = [pair for pair in pairs if pair[1] >= _LEAST]
    pooled = (sum(seen for seen, _ in rare), sum(expected for _, expected in rare))
    if pooled[1] >= _LEAST:
        cells.append(pooled)
    elif pooled[0] > pooled[1] + 12 * _LEAST**0.5 + 30:  # beyond any Poisson with this mean
        return False
    statistic = sum((seen - expected) ** 2 / expected for seen, expected in cells)
    return float(chi2.sf(statistic, max(1, len(cells) - 1))) > WRONG_VERDICT


def agrees(average: float, expected: float, deviation: float, draws: int) -> bool:
    """Whether an average of independent draws is within so many standard errors of its mean."""
    return abs(average - expected) <= SIGMAS * deviation / sqrt(draws)


def frequency_agrees(hits: int, probability: float, draws: int) -> bool:
    """Whether a frequency is within so many standard errors of a probability."""
    deviation = sqrt(probability * (1 - probability))
    return agrees(hits / draws, probability, deviation, draws)


def at_most(hits: int, probability: float, draws: int) -> bool:
    """Whether a frequency is compatible with a probability of at most this."""
    return hits <= most_misses(draws, probability)


def most_misses(trials: int, chance: float) -> int:
    """More misses than this are seen but once in ten million if each has at most this chance."""
    return int(binom.isf(WRONG_VERDICT, trials, chance))


def fewest_misses(trials: int, chance: float) -> int:
    """Fewer misses than this are seen but once in ten million if each has at least this chance."""
    return int(binom.ppf(WRONG_VERDICT, trials, chance))
