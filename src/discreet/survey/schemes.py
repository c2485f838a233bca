"""Which local scheme a poll uses, and what its tally says about the answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any, Final

from discreet.local import (
    HadamardResponse,
    RandomizedResponse,
    SubsetSelection,
    UnaryEncoding,
    choose,
)
from discreet.privacy.estimate import Estimate

CHOOSE: Final = "choose"
KINDS: Final[dict[str, Any]] = {
    one.name: one for one in (RandomizedResponse, UnaryEncoding, SubsetSelection, HadamardResponse)
}
"""The schemes that the page's randomizer knows, the simplest first."""


def scheme_for(kind: str, answers: tuple[str, ...], epsilon: Fraction) -> Any:
    """The scheme of this kind for these answers; the one with the lowest variance if asked to.

    >>> scheme_for("choose", ("no", "yes"), Fraction(1)).name
    'randomized-response'
    """
    if kind != CHOOSE:
        return KINDS[kind](epsilon=epsilon, categories=answers)
    considered = choose(epsilon=epsilon, categories=answers).considered  # the best first
    return next(one.scheme for one in considered if one.scheme.name in KINDS)


@dataclass(frozen=True, slots=True)
class Share:
    """The estimated share of one answer among the respondents, with its 95% interval."""

    answer: str
    value: float
    error: float
    lower: float
    upper: float


def shares(scheme: Any, answers: tuple[str, ...], tally: Any) -> list[Share]:
    """The share of every answer, in the poll's order."""
    estimate = scheme.estimate(tally)
    if isinstance(estimate, Estimate):  # of two answers, the second
        found = {answers[1]: _bounds(estimate)}
        value, lower, upper = found[answers[1]]
        found[answers[0]] = 1 - value, 1 - upper, 1 - lower
    else:
        cells: Mapping[Any, Estimate] = estimate
        found = {str(name): _bounds(one) for name, one in cells.items()}
    return [
        Share(answer, value, _error(scheme, tally, value), lower, upper)
        for answer, (value, lower, upper) in ((name, found[name]) for name in answers)
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
    less q, over p - q.  Replacing one report moves that share by at most 1/n.

    >>> from discreet.local import RandomizedResponse
    >>> round(leverage(RandomizedResponse.two_coin()), 6)
    2.0
    """
    named, other = scheme.pair
    return float(1 / (named - other))
