"""How the lectures' statements are checked by drawing from the shipped code."""

from collections.abc import Iterable
from math import sqrt

import numpy as np
from scipy.stats import binom

SIGMAS = 5.5
"""A sound statement is called false with probability below 4e-8 (two-sided normal tail)."""
FALSE_ALARM = 1e-7
"""The same for a bound on a few misses, whose law is far from normal."""


def agrees(average: float, expected: float, deviation: float, draws: int) -> bool:
    """Whether an average of independent draws is within so many standard errors of its mean."""
    return abs(average - expected) <= SIGMAS * deviation / sqrt(draws)


def frequency_agrees(hits: int, probability: float, draws: int) -> bool:
    """Whether a frequency is within so many standard errors of a probability."""
    deviation = sqrt(probability * (1 - probability))
    return agrees(hits / draws, probability, deviation, draws)


def at_most(hits: int, probability: float, draws: int) -> bool:
    """Whether a frequency is compatible with a probability of at most this."""
    return bool(hits <= binom.isf(FALSE_ALARM, draws, probability))


def removals(records: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
    """Every data set with one record less."""
    return (records[:place] + records[place + 1 :] for place in range(len(records)))


def replacements(records: tuple[int, ...], universe: Iterable[int]) -> Iterable[tuple[int, ...]]:
    """Every data set with one record swapped for another of the universe."""
    return (
        (*records[:place], value, *records[place + 1 :])
        for place in range(len(records))
        for value in universe
    )


def l1(first: Iterable[float], second: Iterable[float]) -> float:
    """The L1 distance of two vectors."""
    return float(np.abs(np.asarray(list(first)) - np.asarray(list(second))).sum())
