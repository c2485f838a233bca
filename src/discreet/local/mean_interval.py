"""How wide an interval for a mean must be so that it holds for any number of reports.

Scores are independent, lie in a known range and have a variance between two known bounds; the
reports themselves bound it once more.  With the least upper bound, the narrowest of three margins
is taken: Hoeffding's, Bernstein's, and the normal one widened by the most that Berry and Esseen
allow a law to differ from it.  Proof: docs/proofs/local-mean.md
"""

from fractions import Fraction
from math import inf, log, sqrt
from statistics import NormalDist

from discreet.local.mean_law import MeanLaw

BERRY_ESSEEN = 0.56  # Shevtsova 2010, for independent summands that may differ in law
_FOR_VARIANCE = Fraction(1, 20)  # of the chance to miss, for the bound from the reports
_ROUNDING = 1e-9


def margin(
    law: MeanLaw, reports: int, confidence: Fraction, sampled: Fraction | None = None
) -> Fraction:
    """Half the width in steps, from the reports' own variance of scores if it is given."""
    miss = 1 - confidence
    deviation = sqrt(float(law.worst_spread))
    if sampled is not None and reports > 1:
        for_variance = miss * _FOR_VARIANCE
        miss -= for_variance
        deviation = min(deviation, sampled_bound(law, reports, for_variance, sampled))
    found = min(
        hoeffding(law, reports, miss),
        bernstein(law, reports, miss, deviation),
        berry_esseen(law, reports, miss, deviation),
    )
    return Fraction(found * (1 + _ROUNDING))


def sampled_bound(law: MeanLaw, reports: int, miss: Fraction, sampled: Fraction) -> float:
    """A deviation that the true one exceeds with at most this chance (Maurer and Pontil 2009)."""
    low, high = law.score_range
    wider = float(high - low) * sqrt(2 * _level(miss) / (reports - 1))
    return sqrt(float(sampled)) * (1 + _ROUNDING) + wider


def hoeffding(law: MeanLaw, reports: int, miss: Fraction) -> float:
    """The margin from the range of the scores alone."""
    low, high = law.score_range
    return float(high - low) * sqrt(_level(miss / 2) / (2 * reports))


def bernstein(law: MeanLaw, reports: int, miss: Fraction, deviation: float) -> float:
    """The margin t with n·t² = 2·ln(2/miss)·(variance + most·t/3)."""
    level = _level(miss / 2)
    linear = level * _most(law) / (3 * reports)
    return linear + sqrt(linear**2 + 2 * level * deviation**2 / reports)


def berry_esseen(law: MeanLaw, reports: int, miss: Fraction, deviation: float) -> float:
    """The normal margin for what is left of the chance to miss, or infinity if nothing is.

    A third moment is at most the largest distance times the variance, so the law of the mean
    differs from the normal one by at most 0.56·most/(least deviation·√n) anywhere.
    """
    least = sqrt(float(law.least_variance))
    if least == 0:
        return inf
    apart = BERRY_ESSEEN * _most(law) / (least * sqrt(reports)) * (1 + _ROUNDING)
    left = float(miss / 2) * (1 - _ROUNDING) - apart
    if left <= 0:
        return inf
    return -NormalDist().inv_cdf(left) * deviation / sqrt(reports)


def _most(law: MeanLaw) -> float:
    """The largest distance of a score from its mean, which lies between the ends."""
    low, high = law.score_range
    return float(max(high, law.steps - low))


def _level(miss: Fraction) -> float:
    """ln(1/miss), also where a float would be 0."""
    return log(miss.denominator) - log(miss.numerator)
