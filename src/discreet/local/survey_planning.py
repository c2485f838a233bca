"""Planning a survey: respondents needed for a margin, and the least ε for a margin.

Two intervals can be planned for.  The *normal* one is what to expect of the estimate's error, from
the scheme's variance.  The *guaranteed* one is what ``estimate`` prints: it holds for any number
of reports, and is wider.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, sqrt
from statistics import NormalDist
from typing import Any

from discreet.errors import DataError, DiscreetError
from discreet.exact import decimal_text, rational
from discreet.local.heavy_hitters import HeavyHitters
from discreet.local.mean import Mean
from discreet.local.repeated import Repeated
from discreet.local.scheme import CategoricalScheme
from discreet.local.scheme_choice import printed_margin, read_proportion, scheme_of
from discreet.privacy.losses import read_count, read_positive
from discreet.privacy.number_text import margin_text, plural

_DEFAULT_CONFIDENCE = Fraction(95, 100)
_EPSILON_STEP = Fraction(1, 1000)
_MOST_EPSILON = Fraction(20)
_MOST_RESPONDENTS = 1 << 38
_INTERVAL_TEXTS = {
    "normal": "by the normal approximation (what estimate() guarantees is wider)",
    "guaranteed": "guaranteed, as estimate() prints it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyPlan:
    """A plan for a survey: a scheme, the number of respondents, and the margin they give.

    ``interval`` says which margin is meant: "normal", what the estimate's error is expected to
    stay within, or "guaranteed", half the width of the interval that ``estimate`` prints.

    >>> from discreet.local import RandomizedResponse
    >>> print(respondents_for(RandomizedResponse(epsilon=1), margin=0.05, interval="guaranteed"))
    1,840 respondents at ε = 1: ±0.050 at 0.95 confidence, guaranteed, as estimate() prints it, \
if all answer
    """

    scheme: Any
    respondents: int
    margin: float
    """Half the width of the interval from these respondents, at most what was asked for."""
    confidence: Fraction
    interval: str = "normal"

    @property
    def epsilon(self) -> Fraction:
        """The ε of one report."""
        epsilon: Fraction = self.scheme.loss.epsilon
        return epsilon

    def __str__(self) -> str:
        return (
            f"{plural(self.respondents, 'respondent')} at {self.scheme.loss}: "
            f"±{margin_text(self.margin)} at {decimal_text(self.confidence)} confidence, "
            f"{_INTERVAL_TEXTS[self.interval]}, if all answer"
        )


def respondents_for(
    scheme: Any,
    *,
    margin: object,
    confidence: object = _DEFAULT_CONFIDENCE,
    at: object = None,
    interval: str = "normal",
) -> SurveyPlan:
    """The fewest respondents whose estimate is within ±margin at this confidence.

    ``at`` is the proportion or the number that is expected; the default is the worst case.  The
    margin is for the respondents themselves; where they are a sample, sampling adds its own
    error.  ``interval`` is which margin is meant:

    - "normal": the estimate's error stays within it with about this probability, by the scheme's
      variance.  The interval that ``estimate`` prints is wider, as it holds for certain.
    - "guaranteed": the interval that ``estimate`` prints reaches no further.  Of proportions and
      of means sent as bits ("duchi") that is so at the expected number of reports of each kind,
      which chance moves a little; of other means without ``at`` it is so whatever is reported,
      and with ``at`` if the reports vary as expected of people who all have that number.

    One respondent fewer does not suffice.

    >>> from discreet.local import RandomizedResponse
    >>> respondents_for(RandomizedResponse(epsilon=1), margin=0.03).respondents
    3930
    >>> respondents_for(
    ...     RandomizedResponse(epsilon=1), margin=0.03, interval="guaranteed"
    ... ).respondents
    5067
    """
    scheme = _read_scheme(scheme)
    target, level = _read_margin(margin, scheme), _read_confidence(confidence)
    margin_of = _margin_function(interval)
    unit_margin = _quantile(level) * sqrt(unit_variance(scheme, at))
    if unit_margin > target * sqrt(_MOST_RESPONDENTS):
        raise DataError(
            "the margin takes more than 2^38 respondents. It falls with the root of their number. "
            "Allow a wider margin or a larger epsilon."
        )
    guess = max(1, ceil((unit_margin / target) ** 2))

    def suffices(people: int) -> bool:
        return margin_of(scheme, people, level, at) <= target

    low, high = guess // 2, guess
    if low and suffices(low):
        low = 0
    while not suffices(high):
        low, high = high, high + high // 2 + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return _survey_plan(scheme, high, level, at, interval)


def epsilon_for(
    make: Callable[..., Any],
    *,
    respondents: int,
    margin: object,
    confidence: object = _DEFAULT_CONFIDENCE,
    at: object = None,
    interval: str = "normal",
) -> SurveyPlan:
    """The least ε, to 1/1000, at which this number of respondents gives ±margin.

    ``make`` is called with an ε and gives the scheme for it, or the choice of one; a class is
    called as ``make(epsilon=…)``.  The ε found is the least if the variance falls with ε.  It does,
    except where a scheme changes its form; then 1/1000 less still does not suffice.
    ``interval`` is "normal" or "guaranteed", as for ``respondents_for``: the second plans for the
    interval that ``estimate`` prints.

    >>> from discreet.local import RandomizedResponse
    >>> epsilon_for(RandomizedResponse, respondents=10_000, margin=0.03).epsilon
    Fraction(643, 1000)
    >>> def regions(epsilon):
    ...     return RandomizedResponse(epsilon=epsilon, categories=4)
    >>> epsilon_for(regions, respondents=10_000, margin=0.03, interval="guaranteed").epsilon
    Fraction(271, 250)
    """
    people = read_count(respondents, "respondents", "people who answer")
    maker: object = scheme_of(make)
    if isinstance(maker, CategoricalScheme) or not callable(maker):  # a poll is callable too
        raise _not_a_maker()
    largest = _scheme_for(make, _MOST_EPSILON)
    target, level = _read_margin(margin, largest), _read_confidence(confidence)
    margin_of = _margin_function(interval)

    def suffices(steps: int) -> bool:
        return margin_of(_scheme_for(make, steps * _EPSILON_STEP), people, level, at) <= target

    low, high = 0, int(_MOST_EPSILON / _EPSILON_STEP)
    if not suffices(high):
        raise DataError(
            f"no ε up to {_MOST_EPSILON} gives this margin with {plural(people, 'respondent')}. "
            "The margin falls with the root of their number. Ask more people, or allow a wider "
            "margin."
        )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return _survey_plan(_scheme_for(make, high * _EPSILON_STEP), people, level, at, interval)


def unit_variance(scheme: Any, at: object = None) -> float:
    """The variance of an estimate from one report, at a proportion or number; the default is the
    worst case."""
    if _is_mean(scheme):
        return float(scheme.variance(1, at))
    if at is not None:
        return float(scheme.variance(1, float(read_proportion(at))))
    # The variance is linear in the proportion, so it is largest at 0 or 1.
    return max(float(scheme.variance(1, 0.0)), float(scheme.variance(1, 1.0)))


# ---------------------------------------------------------------------- margins


def _survey_plan(
    scheme: Any, people: int, level: Fraction, at: object, interval: str
) -> SurveyPlan:
    return SurveyPlan(
        scheme=scheme,
        respondents=people,
        margin=_margin_function(interval)(scheme, people, level, at),
        confidence=level,
        interval=interval,
    )


def _margin_function(interval: str) -> Callable[[Any, int, Fraction, object], float]:
    """The margin as a function of scheme, respondents, confidence and expected proportion."""
    if interval not in _INTERVAL_TEXTS:
        raise DataError(
            "interval is neither 'normal', the margin to expect, nor 'guaranteed', the one that "
            "estimate() prints. Use interval='guaranteed' for the second."
        )
    return _normal_margin if interval == "normal" else printed_margin


def _normal_margin(scheme: Any, people: int, confidence: Fraction, at: object) -> float:
    return _quantile(confidence) * sqrt(unit_variance(scheme, at) / people)


def _quantile(confidence: Fraction) -> float:
    """The margin in standard errors, by the normal distribution."""
    return -NormalDist().inv_cdf(float((1 - confidence) / 2))


# ---------------------------------------------------------------------- arguments


def _is_mean(scheme: Any) -> bool:
    return isinstance(getattr(scheme, "permanent", scheme), Mean)


def _read_scheme(given: Any) -> Any:
    """The scheme that a caller means, if a margin can be planned for it."""
    scheme = scheme_of(given)
    if isinstance(scheme, HeavyHitters):
        raise DataError(
            "a search by levels has no single margin. Every level asks a question of its own. Plan "
            "for one: respondents_for(words.first().scheme, margin=0.03), times words.levels."
        )
    if not isinstance(scheme, CategoricalScheme | Mean | Repeated):
        raise DataError(
            "there is no scheme to plan for. A plan is made from a scheme's chances. Use "
            "respondents_for(RandomizedResponse(epsilon=1), margin=0.03)."
        )
    return scheme


def _scheme_for(make: Any, epsilon: Fraction) -> Any:
    """The scheme that ``make`` gives for an ε."""
    try:
        scheme = scheme_of(make(epsilon=epsilon) if isinstance(make, type) else make(epsilon))
    except DiscreetError:
        raise
    except TypeError:
        raise _not_a_maker() from None
    if not isinstance(scheme, CategoricalScheme | Mean | Repeated):
        raise _not_a_maker()
    return scheme


def _not_a_maker() -> DataError:
    return DataError(
        "make does not give a scheme for an ε. It is called with one number, the ε, and returns a "
        "scheme. Use epsilon_for(lambda epsilon: RandomizedResponse(epsilon=epsilon, "
        "categories=4), respondents=1_000, margin=0.05)."
    )


def _read_margin(margin: object, scheme: Any) -> float:
    target = read_positive(margin, "margin", "Use margin=0.03 for plus or minus 3 percent.")
    if target >= 1 and not _is_mean(scheme):
        suggested = decimal_text(target / 100) if target < 100 else "0.05"
        raise DataError(
            f"margin is {decimal_text(target)}. A proportion lies between 0 and 1, so that plus or "
            f"minus 1 says nothing of it. Use margin={suggested} for {suggested} on either side."
        )
    return float(target)


def _read_confidence(confidence: object) -> Fraction:
    level = rational(confidence, "confidence")
    if not 0 < level < 1 or float((1 - level) / 2) == 0:
        raise DataError(
            "confidence is not between 0 and 1. It is the probability that the margin holds. "
            "Use confidence=0.95."
        )
    return level
