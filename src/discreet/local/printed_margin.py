"""How wide the guaranteed interval will be that ``estimate`` prints, before anyone has answered."""

from fractions import Fraction
from math import ceil, floor
from typing import Any

from discreet.errors import DataError
from discreet.exact import rational
from discreet.local.mean import Mean
from discreet.local.mean_interval import margin as mean_margin
from discreet.local.proportions import binomial_interval

_HALF = Fraction(1, 2)


def printed_margin(scheme: Any, people: int, confidence: Fraction, at: object = None) -> float:
    """The larger distance from the estimate of so many reports to a bound of its interval.

    For reports that are counted it is that at the expected count, where ``at`` is the proportion
    or the number that everyone is expected to have; without it, at the expected count that is
    nearest to half of the reports, where intervals are widest but for its rounding.  For means of
    reports that are not counted it is that at the variance expected for ``at``; without it, the
    widest that any reports give.

    >>> from discreet.local import RandomizedResponse
    >>> round(printed_margin(RandomizedResponse(epsilon=1), 4_000, Fraction(95, 100)), 4)
    0.0338
    """
    permanent = getattr(scheme, "permanent", scheme)  # of a question that is repeated
    if isinstance(permanent, Mean):
        return _of_mean(permanent, people, confidence, at)
    truth, lie = scheme.pair
    share = min(max(_HALF, lie), truth)  # the nearest to 1/2 that is expected of any proportion
    if at is not None:
        share = lie + (truth - lie) * read_proportion(at)
    return _of_count(share, people, confidence) / float(truth - lie)


def even_margin(scheme: Mean, people: int, confidence: Fraction) -> float:
    """The margin that so many people print whose numbers are spread evenly between the bounds.

    >>> from fractions import Fraction
    >>> kinds = [Mean(low=0, high=24, epsilon=1, kind=kind) for kind in ("duchi", "hybrid")]
    >>> [round(even_margin(kind, 500, Fraction(95, 100)), 2) for kind in kinds]
    [2.32, 3.53]
    """
    law = scheme._law
    if law.mix == 0:
        return _of_bits(scheme, people, confidence, _HALF)
    return _of_scores(scheme, people, confidence, law.even_spread)


def read_proportion(at: object) -> Fraction:
    """A proportion that is expected."""
    proportion = rational(at, "at")
    if not 0 <= proportion <= 1:
        raise DataError(
            "at is not between 0 and 1. It is the proportion that is expected. Use at=0.5, or "
            "leave it out for the worst."
        )
    return proportion


def _of_mean(scheme: Mean, people: int, confidence: Fraction, at: object) -> float:
    law = scheme._law
    if law.mix == 0:
        place = _HALF if at is None else Fraction(scheme._position(at), scheme.steps)
        return _of_bits(scheme, people, confidence, place)
    sampled = law.worst_spread if at is None else law.variance(scheme._position(at))
    return _of_scores(scheme, people, confidence, sampled)


def _of_bits(scheme: Mean, people: int, confidence: Fraction, place: Fraction) -> float:
    """For people whose mean lies at this part of the way from low to high."""
    truth = Fraction(scheme._law.bit, 1 << 64)
    wide = _of_count(1 - truth + (2 * truth - 1) * place, people, confidence)
    return wide * float(scheme.report_range) + float(scheme.rounding)


def _of_scores(scheme: Mean, people: int, confidence: Fraction, sampled: Fraction) -> float:
    """For people whose reports have scores of this variance, in squared steps."""
    step = (scheme.high - scheme.low) / scheme.steps
    margin = mean_margin(scheme._law, people, confidence, sampled)
    return float(margin * step + scheme.rounding)


def _of_count(share: Fraction, people: int, confidence: Fraction) -> float:
    """The larger distance of a share of reports to its bounds, at the expected count."""
    expected = share * people
    found = 0.0
    for count in {floor(expected), ceil(expected)}:
        low, high = binomial_interval(count, people, confidence)
        found = max(found, high - count / people, count / people - low)
    return found
