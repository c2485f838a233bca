"""How many people a survey needs for its margin, and how little privacy a margin needs to cost.

Plans are made from a scheme's variance by the normal approximation: they say what to expect, not
what is guaranteed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt
from statistics import NormalDist
from typing import Any

from discreet.errors import DataError
from discreet.exact import decimal_text, rational
from discreet.local.choose import scheme_of
from discreet.privacy.parameters import read_count, read_positive

_CONFIDENCE = Fraction(95, 100)
_STEP = Fraction(1, 1000)
_MOST_EPSILON = Fraction(20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A scheme, how many people answer, and the margin to expect from them."""

    scheme: Any
    respondents: int
    margin: float
    """Half the width of the interval that these people give, at most what was asked for."""
    confidence: Fraction

    @property
    def epsilon(self) -> Fraction:
        """What one report may reveal."""
        epsilon: Fraction = self.scheme.loss.epsilon
        return epsilon

    def __str__(self) -> str:
        return (
            f"{self.respondents:,} respondents at ε = {decimal_text(self.epsilon)}: "
            f"±{self.margin:.3g} at {decimal_text(self.confidence)} confidence, if all answer"
        )


def respondents_for(
    scheme: Any, *, margin: object, confidence: object = _CONFIDENCE, at: object = None
) -> Plan:
    """The fewest respondents whose estimate is within ±margin at this confidence.

    ``at`` is the proportion or the number that is expected; without it, the one with the largest
    variance.  The margin is for the respondents themselves; where they are a sample, sampling
    adds its own error.

    >>> from discreet.local import RandomizedResponse
    >>> respondents_for(RandomizedResponse(epsilon=1), margin=0.03).respondents
    3930
    """
    width = read_positive(margin, "margin", "Use margin=0.03 for plus or minus 3 percent.")
    level = _read_confidence(confidence)
    scheme = scheme_of(scheme)
    spread = unit_variance(scheme, at)
    people = max(1, ceil(_quantile(level) ** 2 * spread / float(width) ** 2))
    while people > 1 and _margin(spread, people - 1, level) <= float(width):
        people -= 1
    while _margin(spread, people, level) > float(width):
        people += 1
    return _plan(scheme, people, level, spread)


def epsilon_for(
    make: Callable[[Fraction], Any],
    *,
    respondents: int,
    margin: object,
    confidence: object = _CONFIDENCE,
    at: object = None,
) -> Plan:
    """The least ε, to 1/1000, at which so many respondents give ±margin.

    ``make`` is the scheme for a given ε, or the choice of one.  It is the least where the variance
    falls with ε, as it does but for jumps of a scheme's form; at such a jump, 1/1000 less would
    still not do.

    >>> from discreet.local import RandomizedResponse
    >>> def poll(epsilon):
    ...     return RandomizedResponse(epsilon=epsilon)
    >>> epsilon_for(poll, respondents=10_000, margin=0.03).epsilon
    Fraction(643, 1000)
    """
    people = read_count(respondents, "respondents", "people who answer")
    width = read_positive(margin, "margin", "Use margin=0.03 for plus or minus 3 percent.")
    level = _read_confidence(confidence)

    def suffices(steps: int) -> bool:
        spread = unit_variance(scheme_of(make(steps * _STEP)), at)
        return _margin(spread, people, level) <= float(width)

    low, high = 0, int(_MOST_EPSILON / _STEP)
    if not suffices(high):
        raise DataError(
            f"no ε up to {_MOST_EPSILON} gives this margin with {people} respondents. The margin "
            "falls with the root of their number. Ask more people, or allow a wider margin."
        )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    scheme = scheme_of(make(high * _STEP))
    return _plan(scheme, people, level, unit_variance(scheme, at))


def unit_variance(scheme: Any, at: object = None) -> float:
    """The variance of one report's estimate: at a proportion or number, or the largest."""
    from discreet.local.mean import Mean

    if isinstance(getattr(scheme, "permanent", scheme), Mean):  # of a question that is repeated
        return float(scheme.variance(1, at))
    if at is not None:
        return float(scheme.variance(1, float(rational(at, "at"))))
    # The variance is linear in the proportion, so it is largest at an end.
    return max(float(scheme.variance(1, 0.0)), float(scheme.variance(1, 1.0)))


def _plan(scheme: Any, people: int, level: Fraction, spread: float) -> Plan:
    return Plan(
        scheme=scheme,
        respondents=people,
        margin=_margin(spread, people, level),
        confidence=level,
    )


def _margin(spread: float, people: int, confidence: Fraction) -> float:
    return _quantile(confidence) * sqrt(spread / people)


def _quantile(confidence: Fraction) -> float:
    """How many standard errors the margin is."""
    return -NormalDist().inv_cdf(float((1 - confidence) / 2))


def _read_confidence(confidence: object) -> Fraction:
    level = rational(confidence, "confidence")
    if not 0 < level < 1 or float((1 - level) / 2) == 0:
        raise DataError(
            "confidence is not between 0 and 1. It is the probability that the margin holds. "
            "Use confidence=0.95."
        )
    return level
