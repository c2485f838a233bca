"""The local scheme of a poll, and the estimates from its tally."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any, Final

from discreet.local import (
    HadamardResponse,
    Mean,
    ProjectiveGeometryResponse,
    RandomizedResponse,
    SubsetSelection,
    UnaryEncoding,
    choose,
)
from discreet.privacy.estimates import Estimate

CHOOSE: Final = "choose"
KINDS: Final[dict[str, Any]] = {
    one.name: one
    for one in (
        RandomizedResponse,
        UnaryEncoding,
        SubsetSelection,
        HadamardResponse,
        ProjectiveGeometryResponse,
    )
}
"""The schemes for answers to choose from, the simplest first."""
NUMBER_KINDS: Final = ("duchi", "piecewise", "hybrid")
"""The schemes for a number."""


def scheme_for(kind: str, answers: tuple[str, ...], epsilon: Fraction) -> Any:
    """The scheme of this kind for these answers; the one with the lowest variance if asked to.

    >>> scheme_for("choose", ("no", "yes"), Fraction(1)).name
    'randomized-response'
    """
    if kind == CHOOSE:
        return choose(epsilon=epsilon, categories=answers).scheme
    return KINDS[kind](epsilon=epsilon, categories=answers)


def number_scheme_for(kind: str, low: Fraction, high: Fraction, epsilon: Fraction) -> Mean:
    """The scheme of this kind for a number; the one with the narrowest interval if asked to.

    >>> number_scheme_for("choose", Fraction(0), Fraction(24), Fraction(1)).kind
    'duchi'
    """
    if kind == CHOOSE:
        scheme: Mean = choose(epsilon=epsilon, low=low, high=high).scheme
        return scheme
    return Mean(epsilon=epsilon, low=low, high=high, kind=kind)


@dataclass(frozen=True, slots=True)
class SurveyEstimate:
    """An estimate of one answer's share, or of the mean, with its 95% interval."""

    answer: str
    value: float
    error: float
    lower: float
    upper: float


def estimated_mean(scheme: Mean, tally: Any) -> SurveyEstimate:
    """The mean of the respondents' numbers."""
    error = scheme.standard_error(tally) if tally.reports > 1 else sqrt(scheme.variance(1))
    value, lower, upper = _bounds(scheme.estimate(tally))
    return SurveyEstimate("mean", value, error, lower, upper)


def estimated_shares(scheme: Any, answers: tuple[str, ...], tally: Any) -> list[SurveyEstimate]:
    """The share of every answer, in the poll's order."""
    estimate = scheme.estimate(tally)
    if isinstance(estimate, Estimate):  # of two answers, the second
        estimates = {answers[1]: _bounds(estimate)}
        value, lower, upper = estimates[answers[1]]
        estimates[answers[0]] = 1 - value, 1 - upper, 1 - lower
    else:
        cells: Mapping[Any, Estimate] = estimate
        estimates = {str(name): _bounds(one) for name, one in cells.items()}
    return [
        SurveyEstimate(answer, value, _error(scheme, tally, value), lower, upper)
        for answer, (value, lower, upper) in ((name, estimates[name]) for name in answers)
    ]


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
