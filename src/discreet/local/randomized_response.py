"""Randomized response as a survey: randomize where the answer is given, estimate from reports."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from discreet import mechanisms
from discreet.errors import PrivacyParameterError
from discreet.exact import rational
from discreet.local.categories import MOST_CATEGORIES, Categories, Given
from discreet.local.chances import keep_chance, require_information
from discreet.local.kept_answer import KeptAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomizedResponse(KeptAnswer):
    """A poll in which every answer is randomized before anyone sees it.

    ``categories`` is how many answers there are, given as 0, …, k - 1, or their names.  With two
    of them the estimate is the proportion of the second: of 1, of True, of the second name.  An
    answer is kept with the chance ``keep``/2^64, which is e^ε/(e^ε + k - 1) rounded down, and
    else replaced by one of the others.

    Guarantee: local ε-DP.  Whatever one respondent's answer is changed to, no report becomes
    more than e^ε times as likely.  Intervals hold with at least the probability that they state,
    for any number of reports.  Proof: docs/proofs/randomized-response.md

    >>> poll = RandomizedResponse(epsilon=1)
    >>> reports = poll.randomize([True, False, False, True] * 250)
    >>> 0 < poll.estimate(reports).value < 1
    True
    >>> RandomizedResponse.two_coin().estimate([1, 1, 1, 0]).value
    1.0
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
        privacy = mechanisms.RandomizedResponse(
            epsilon=self.epsilon, odds=self.odds, categories=answers.size
        )
        keep = keep_chance(privacy.epsilon, 1, answers.size - 1, privacy.odds)
        object.__setattr__(self, "epsilon", privacy.epsilon)
        object.__setattr__(self, "odds", privacy.odds)
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
