"""Proportions from randomized reports.

A report names a given category with probability ``keep`` if that is the truth and with
probability ``lie`` if it is not.  The share of reports that name it is then on average
lie + (keep - lie)·proportion, which is solved for the proportion.  Everything here is computed
from reports, so floats are good enough.  Proof: docs/proofs/randomized-response.md
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf, lgamma, log, log1p, sqrt

import numpy as np

_CHUNK = 1024
_NEGLIGIBLE = 1e-18


@dataclass(frozen=True, slots=True)
class Channel:
    """The chances that a report names a category: if it is the truth, and if it is not."""

    keep: float
    lie: float
    gain: float
    """keep - lie, which floats would lose where ε is small."""

    def debias(self, share: float) -> float:
        """The proportion for which this share of reports is the expected one.

        >>> Channel(keep=0.75, lie=0.25, gain=0.5).debias(0.5)
        0.5
        """
        return (share - self.lie) / self.gain

    def variance(self, reports: int, proportion: float) -> float:
        """The variance of the debiased share, for respondents of whom this proportion has it."""
        spread = self.lie * (1 - self.lie) + proportion * self.gain * (1 - self.keep - self.lie)
        return spread / (self.gain**2 * reports)

    def interval(self, count: int, reports: int, confidence: Fraction) -> tuple[float, float]:
        """Bounds for the proportion that hold with at least this probability, for any n ≥ 1."""
        low, high = binomial_interval(count, reports, confidence)
        return self.debias(low), self.debias(high)


@lru_cache(maxsize=4096)
def binomial_interval(count: int, trials: int, confidence: Fraction) -> tuple[float, float]:
    """The interval of Clopper and Pearson for the mean probability of success.

    It covers at least as often as it says, whether all trials have one probability or, as
    reports of fixed answers do, each its own; for that, the ends next to 0 and 1 are taken
    from the union bound, and a confidence below 1/2 counts as 1/2.

    >>> low, high = binomial_interval(0, 1, Fraction(95, 100))
    >>> low, round(high, 6)
    (0.0, 0.975)
    """
    each = min((1 - confidence) / 2, Fraction(1, 4))
    return 1 - _upper(trials - count, trials, each), _upper(count, trials, each)


def _upper(count: int, trials: int, level: Fraction) -> float:
    """The probability above which ``count`` successes or fewer are rarer than the level."""
    if count == trials:
        return 1.0
    if count == trials - 1:
        return 1 - float(level / trials) * (1 - 1e-9)
    # lgamma and logarithms round: aim a little lower, so that the bound still holds.
    target = log(level.numerator) - log(level.denominator) - 1e-9
    target -= trials * log(trials + 1) * 2.0**-48
    low = count / trials
    step = sqrt(max(low * (1 - low), 1 / trials) / trials)
    high = min(1.0, low + step)
    while high < 1 and _log_tail(count, trials, high) > target:
        low, step = high, 2 * step
        high = min(1.0, low + step)
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if _log_tail(count, trials, middle) > target:
            low = middle
        else:
            high = middle
    return high


def _log_tail(count: int, trials: int, probability: float) -> float:
    """ln P[Binomial(trials, probability) ≤ count] for probability > count/trials.

    The probabilities fall from ``count`` downwards by ratios below 1 that fall themselves, so
    the sum stops with a geometric bound of what is left.
    """
    if probability >= 1:
        return -inf
    odds = (1 - probability) / probability
    total, last, start = 1.0, 1.0, 0
    while start < count:
        index = np.arange(start, min(start + _CHUNK, count), dtype=np.float64)
        ratios = (count - index) / (trials - count + 1 + index) * odds
        terms = last * np.cumprod(ratios)
        total += float(terms.sum())
        last, ratio = float(terms[-1]), float(ratios[-1])
        start += index.size
        if last * ratio <= _NEGLIGIBLE * total * (1 - ratio):
            total += last * ratio / (1 - ratio)
            break
    at_count = (
        lgamma(trials + 1)
        - lgamma(count + 1)
        - lgamma(trials - count + 1)
        + count * log(probability)
        + (trials - count) * log1p(-probability)
    )
    return at_count + log(total)
