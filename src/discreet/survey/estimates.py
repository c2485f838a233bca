"""Estimates from the tallies of a poll."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, sqrt
from typing import Any, Final

from discreet.local import Mean, respondents_for
from discreet.privacy.estimates import Estimate
from discreet.survey.question import Question

_TWO_SIDED: Final = 1.959964  # standard deviations that hold 95%
_MANY: Final = 100_000


@dataclass(frozen=True, slots=True)
class SurveyEstimate:
    """An estimate of one answer's share, or of the mean, with its 95% interval.

    ``value`` is unbiased; ``consistent`` is nearer to the truth and biased: shares that are at
    least 0 and sum to 1, or a mean between the bounds.
    """

    answer: str
    value: float
    consistent: float
    error: float
    lower: float
    upper: float

    def shown(self, low: float, high: float) -> tuple[float, float]:
        """The interval as a page shows it: within these bounds, and around ``consistent``.

        Cut off alone, an interval that lies beyond a bound would be a point and look certain.  As
        wide as it is, it is also put around ``consistent``, and both together are shown; whatever
        holds the truth as often as it did does so still.

        >>> SurveyEstimate("a", -0.25, 0.0, 0.125, -0.5, -0.125).shown(0.0, 1.0)
        (0.0, 0.125)
        """
        below, above = self.value - self.lower, self.upper - self.value
        least = max(low, min(self.lower, self.consistent - below))
        most = min(high, max(self.upper, self.consistent + above))
        return min(least, high), max(most, low)


def estimated_mean(scheme: Mean, tally: Any) -> SurveyEstimate:
    """The mean of the respondents' numbers."""
    error = scheme.standard_error(tally) if tally.reports > 1 else sqrt(scheme.variance(1))
    value, lower, upper = _bounds(scheme.estimate(tally))
    inside = min(float(scheme.high), max(float(scheme.low), value))
    return SurveyEstimate("mean", value, inside, error, lower, upper)


def estimated_shares(scheme: Any, answers: tuple[str, ...], tally: Any) -> list[SurveyEstimate]:
    """The share of every answer, in the poll's order."""
    estimate = scheme.estimate(tally)
    if isinstance(estimate, Estimate):  # of two answers, the second
        value, lower, upper = _bounds(estimate)
        estimates = {answers[0]: (1 - value, 1 - upper, 1 - lower), answers[1]: _bounds(estimate)}
        consistent = {name: min(1.0, max(0.0, one[0])) for name, one in estimates.items()}
    else:
        cells: Mapping[Any, Estimate] = estimate
        estimates = {str(name): _bounds(one) for name, one in cells.items()}
        consistent = {str(name): one for name, one in estimate.consistent().items()}
    return [
        SurveyEstimate(name, value, consistent[name], _error(scheme, tally, value), lower, upper)
        for name, (value, lower, upper) in ((name, estimates[name]) for name in answers)
    ]


def estimated(question: Question, tallies: list[Any]) -> list[SurveyEstimate]:
    """What the reports to a question say, from the tally of each of its parts."""
    if question.is_number:
        return [estimated_mean(question.scheme, tallies[0])]
    if question.kind != "several":
        return estimated_shares(question.scheme, question.answers, tallies[0])
    return [
        replace(estimated_shares(question.scheme, ("no", "yes"), tally)[1], answer=answer)
        for answer, tally in zip(question.answers, tallies, strict=True)
    ]


def split_tallies(questions: Sequence[Question], tallies: Sequence[Any]) -> list[list[Any]]:
    """The tallies of a ballot's parts by question."""
    parts = iter(tallies)
    return [[next(parts) for _ in range(one.parts)] for one in questions]


@lru_cache(maxsize=256)
def respondents_needed(scheme: Any) -> int:
    """From how many reports on the interval of every share is at most ten points wide to each
    side, or that of a mean a tenth of its scale.

    Of few it is the number for the interval that is printed.  Where it takes many, the one by the
    normal approximation is as good, and found at once whatever ε is.

    >>> from discreet.local import RandomizedResponse
    >>> respondents_needed(RandomizedResponse(epsilon=1))
    469
    >>> respondents_needed(RandomizedResponse(epsilon="0.01"))
    3841427
    """
    part = Fraction(1, 10)
    if isinstance(scheme, Mean):
        margin = part * (scheme.high - scheme.low)
        spread = scheme.variance(1)
    else:
        margin = part
        spread = max(scheme.variance(1, share) for share in (0.0, 0.5, 1.0))
    rough = ceil((_TWO_SIDED / float(margin)) ** 2 * spread)
    if rough > _MANY:
        return rough
    return respondents_for(scheme, margin=margin, interval="guaranteed").respondents


def _bounds(estimate: Estimate) -> tuple[float, float, float]:
    lower, upper = estimate.interval()
    return float(estimate.value), float(lower), float(upper)


def _error(scheme: Any, tally: Any, share: float) -> float:
    variance: float = scheme.variance(tally.reports, min(1.0, max(0.0, share)))
    return sqrt(variance)


def leverage(scheme: Any) -> float:
    """How far n reports together could shift an estimate: each of them by at most this over n.

    A report names an answer or does not, and the estimate is the share of reports that name it,
    less q, over p - q.  Replacing one report moves that share by at most 1/n.  A mean is the mean
    of what each report stands for; replacing one moves it by at most their range over n.

    >>> from discreet.local import RandomizedResponse
    >>> round(leverage(RandomizedResponse.two_coin()), 6)
    2.0
    >>> round(leverage(Mean(low=0, high=1, epsilon=1, kind="duchi")), 4)
    2.164
    """
    if isinstance(scheme, Mean):
        return float(scheme.report_range)
    named, other = scheme.pair
    return float(1 / (named - other))
