"""Randomized response: each answer is kept or replaced by a uniform lie, before anyone sees it."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from numpy.typing import NDArray

from discreet.accounting import spend
from discreet.errors import PrivacyParameterError
from discreet.exact import decimal_text, logarithm, rational, round_up
from discreet.local.categories import MOST_CATEGORIES, Categories, Given
from discreet.local.chances import keep_chance, require_information
from discreet.local.kept_answer import KeptAnswer
from discreet.local.scheme import on_the_wire
from discreet.mechanisms.drawing import plot_choice
from discreet.noise import BitSource
from discreet.privacy.losses import PureDP
from discreet.privacy.parameters import read_epsilon
from discreet.privacy.verification import TOLERANCE

_LOG_BITS = 160
_LOG_STEP = TOLERANCE / 4


@on_the_wire
@dataclass(frozen=True, slots=True, kw_only=True)
class RandomizedResponse(KeptAnswer):
    """A poll in which every answer is randomized before anyone sees it.

    ``categories`` is how many answers there are, given as 0, …, k - 1, or their names.  With two
    of them the estimate is the proportion of the second: of 1, of True, of the second name.  An
    answer is kept with the chance ``keep``/2^64, which is e^ε/(e^ε + k - 1) rounded down, and
    else replaced by one of the others.  ``odds=`` in place of ``epsilon=`` states a rational e^ε;
    ε is then its logarithm, rounded up by at most 1e-12.

    Guarantee: local ε-DP.  Whatever one respondent's answer is changed to, no report becomes
    more than e^ε times as likely.  Intervals hold with at least the probability that they state,
    for any number of reports.  m answers of one person together cost ``loss.for_group(m)``.
    Proof: docs/proofs/randomized-response.md

    >>> poll = RandomizedResponse(epsilon=1)
    >>> reports = poll.randomize([True, False, False, True] * 250)
    >>> 0 < poll.estimate(reports).value < 1
    True
    >>> RandomizedResponse.two_coin().estimate([1, 1, 1, 0]).value
    1.0
    >>> RandomizedResponse.two_coin().keep_probability
    Fraction(3, 4)
    >>> RandomizedResponse(epsilon=0.1).to_json()
    '{"format": "discreet.local", "version": 2, "scheme": "randomized-response", \
"epsilon": "1/10", "categories": 2, "keep": "9684156715447991831"}'
    """

    name: ClassVar[str] = "randomized-response"
    most: ClassVar[int] = MOST_CATEGORIES

    epsilon: Fraction = None  # type: ignore[assignment]
    categories: Given = 2
    odds: Fraction | None = None
    keep: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        answers = Categories.read(self.categories, self.most)
        if self.odds is None:
            epsilon = read_epsilon(self.epsilon, stacklevel=4)
        else:
            odds = _read_odds(self.odds)
            epsilon = read_epsilon(_log_above(odds), stacklevel=4)
            if self.epsilon not in (None, epsilon):
                raise PrivacyParameterError(
                    "epsilon and odds are both given. The odds are e^ε, so one says the other. "
                    "Use RandomizedResponse(epsilon=1) or RandomizedResponse(odds=3)."
                )
            object.__setattr__(self, "odds", odds)
        keep = keep_chance(epsilon, 1, answers.size - 1, self.odds)
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "categories", answers.given)
        object.__setattr__(self, "keep", keep)
        truth, lie = self.pair
        require_information(truth - lie, answers.size)

    @classmethod
    def two_coin(cls, categories: object = 2) -> "RandomizedResponse":
        """The classic with odds 3 : 1, exactly ln 3-DP."""
        return cls(odds=Fraction(3), categories=categories)  # type: ignore[arg-type]

    @classmethod
    def warner(cls, truth: object, categories: object = 2) -> "RandomizedResponse":
        """Warner's form of 1965, stated by the probability that the truth is told.

        >>> RandomizedResponse.warner("3/4")
        RandomizedResponse.two_coin()
        """
        chance, size = rational(truth, "truth"), Categories.read(categories).size
        if not Fraction(1, size) < chance < 1:
            raise PrivacyParameterError(
                f"truth is not between 1/{size} and 1. It is the probability that the truth is "
                f"told; at 1/{size} a report says nothing, at 1 everything. Use "
                "RandomizedResponse.warner(0.75)."
            )
        return cls(odds=chance * (size - 1) / (1 - chance), categories=categories)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        shown = self._answers.shown
        if self.odds == 3 and shown == 2:
            return "RandomizedResponse.two_coin()"
        stated = f"epsilon={self.epsilon}" if self.odds is None else f"odds={self.odds}"
        return f"RandomizedResponse({stated}{'' if shown == 2 else f', categories={shown}'})"

    def __call__(self, values: object, *, source: BitSource | None = None) -> Any:
        """A report for the answer, or for each of several; the same as ``randomize``."""
        return self.randomize(values, source=source)

    @property
    def loss(self) -> PureDP:
        """What one report may reveal of one answer."""
        return PureDP(epsilon=self.epsilon)

    def plot(self, *values: object) -> Any:
        """A picture of the chance of each report on each answer: ``.plot(0, 1)``."""
        return plot_choice(self, values)

    @property
    def keep_probability(self) -> Fraction:
        """The probability that the truth is told, exactly."""
        return self.pair[0]


def randomized_response(
    bits: object,
    *,
    epsilon: object = None,
    source: BitSource | None = None,
) -> int | NDArray[Any]:
    """Each bit kept with probability e^ε/(1 + e^ε), else flipped: ε-DP for each respondent.

    >>> set(randomized_response([0, 1, 1], epsilon=1).tolist()) <= {0, 1}
    True
    """
    privacy = read_epsilon(epsilon)
    spend(PureDP(epsilon=privacy), safe=source is None or source.safe)
    reports: int | NDArray[Any] = RandomizedResponse(epsilon=privacy)(bits, source=source)
    return reports


def _log_above(odds: Fraction) -> Fraction:
    """ln(odds) rounded up as verification rounds it, so that both agree to the last digit."""
    _, above = logarithm(odds, _LOG_BITS)
    return round_up(Fraction(above, 1 << _LOG_BITS), _LOG_STEP)


def _read_odds(odds: object) -> Fraction:
    value = rational(odds, "odds")
    if value <= 1:
        raise PrivacyParameterError(
            f"odds is {decimal_text(value)}. It is e^ε, the odds of the truth against a given "
            "lie, so it must be above 1. Use odds=3 for the two-coin form."
        )
    return value
