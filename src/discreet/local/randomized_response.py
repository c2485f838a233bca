"""Randomized response: each answer is kept or replaced by a uniform lie, before anyone sees it."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from discreet.accounting.spending import spend
from discreet.errors import PrivacyParameterError, VerificationError
from discreet.exact import decimal_text, exp_minus, logarithm, rational, round_up
from discreet.exact.rational import WrittenNumber
from discreet.local import wire
from discreet.local.categories import (
    MOST_CATEGORIES,
    REPORT,
    Categories,
    GivenCategories,
    WrittenCategories,
)
from discreet.local.probabilities import (
    WHOLE,
    bernoulli_bits,
    keep_chance,
    require_information,
    uniform,
)
from discreet.local.scheme import CategoricalScheme, register_scheme
from discreet.mechanisms.law_plots import plot_choice
from discreet.noise import BitSource, Keystream
from discreet.privacy.laws import MAX_ATOMS, Law, ProductLaw, WeightedLaw
from discreet.privacy.losses import ApproximateDP, PureDP, read_delta, read_epsilon
from discreet.privacy.verification import TOLERANCE

_BLOCK = 1 << 16


_LOG_BITS = 160
_LOG_STEP = TOLERANCE / 4
_DELTA_STEP = Fraction(1, 4 * 10**12)
_MOST_EPSILON = Fraction(128)


class KeptAnswer(CategoricalScheme):
    """A scheme that keeps an answer with the chance ``keep``/2^64, and else replaces it by one of
    the others, uniformly.  A subclass says which chance that is, and what it protects."""

    __slots__ = ()

    keep: int

    @property
    def derived(self) -> dict[str, str | int]:
        """The chance that an answer is kept."""
        return {"keep": str(self.keep)}

    @property
    def pair(self) -> tuple[Fraction, Fraction]:
        """The chances that a report names the true answer, and a given other one."""
        return Fraction(self.keep, WHOLE), Fraction(WHOLE - self.keep, WHOLE * (self.domain - 1))

    @property
    def message_bits(self) -> int:
        """A report names one category."""
        return (self.domain - 1).bit_length()

    @property
    def cells(self) -> int:
        """One counter per category."""
        return self.domain

    def law(self, value: Any, /) -> Law:
        """The exact law of the report on an answer, or of the tuple of reports on several."""
        if self.domain > MAX_ATOMS:
            raise VerificationError(
                f"there are {self.domain} categories, more than {MAX_ATOMS}. The law holds a "
                "probability for each. Verify with fewer categories."
            )
        codes = self._answers.codes(value)
        if codes.ndim == 0:
            return self._law(int(codes))
        laws = {code: self._law(code) for code in set(codes.ravel().tolist())}
        return ProductLaw(tuple(laws[code] for code in codes.ravel().tolist()))

    def _law(self, kept: int) -> WeightedLaw:
        truth, lie = self.pair
        return WeightedLaw.of_probabilities(
            {key: truth if at == kept else lie for at, key in enumerate(self._answers.keys)}
        )

    # ------------------------------------------------------------------ at the respondent

    def randomize(self, values: object, *, source: BitSource | None = None) -> Any:
        """A report for the answer, or for each of several; names come back as names."""
        source = Keystream() if source is None else source
        codes = self._answers.codes(values)
        reports = codes.ravel().copy()
        for start in range(0, reports.size, _BLOCK):
            self._randomize(reports[start : start + _BLOCK], source)
        if not codes.ndim:
            return self._answers.keys[int(reports[0])]
        shaped = reports.reshape(codes.shape)
        return np.array(self.categories)[shaped] if isinstance(self.categories, tuple) else shaped

    def _randomize(self, part: NDArray[np.int64], source: BitSource) -> None:
        kept = bernoulli_bits(self.keep, part.size, source)
        if self.domain == 2:
            part ^= ~kept
            return
        # A lie is a shift by 1 to k - 1.  It is drawn for all, so that time does not tell who lied.
        shift = uniform(self.domain - 1, part.size, source)
        shift += 1
        shift *= ~kept
        part += shift
        part[part >= self.domain] -= self.domain

    # ------------------------------------------------------------------ at the collector

    def count(self, reports: Any) -> tuple[NDArray[np.int64], int]:
        """How many reports name each category."""
        codes = self._answers.codes(reports, REPORT).ravel()
        return np.bincount(codes, minlength=self.domain).astype(np.int64, copy=False), codes.size

    def possible(self, counts: NDArray[np.int64], reports: int) -> bool:
        """Whether every report names one category."""
        return int(counts.min()) >= 0 and sum(counts.tolist()) == reports

    # ------------------------------------------------------------------ on the wire

    def _to_plain(self, report: Any) -> object:
        return int(self._answers.codes(report, REPORT))

    def _from_plain(self, plain: Any) -> Any:
        if type(plain) is not int or not 0 <= plain < self.domain:
            return None
        return self._answers.keys[plain]


@register_scheme
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
    categories: GivenCategories = 2
    odds: Fraction | None = None
    keep: int = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            epsilon: WrittenNumber | None = None,
            categories: WrittenCategories = 2,
            odds: WrittenNumber | None = None,
        ) -> None: ...

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


@register_scheme
@dataclass(frozen=True, slots=True, kw_only=True)
class ApproximateResponse(KeptAnswer):
    """Randomized response that is local (ε, δ)-DP: the truth is told as often as δ > 0 allows.

    An answer of k is kept with the chance ``keep``/2^64, which is (e^ε + (k - 1)·δ)/(e^ε + k - 1)
    rounded down, and else replaced by one of the others.  Nobody's answer is ever shown for
    certain: a report is also pure ε'-DP, for the larger ε' of ``pure_loss``.

    Guarantee: for all answers x, x' and every set E of reports, P[report on x in E] is at most
    e^ε·P[report on x' in E] + δ.  Accounts, memos and shuffling add up ε alone and refuse it.
    Proof: docs/proofs/approximate-response.md

    >>> poll = ApproximateResponse(epsilon=1, delta="1/100", categories=["no", "yes"])
    >>> poll.loss
    ApproximateDP(epsilon=1, delta=1/100)
    >>> round(float(poll.pair[0]), 4), round(float(poll.pure_loss.epsilon), 4)
    (0.7337, 1.0137)
    """

    name: ClassVar[str] = "approximate-response"
    most: ClassVar[int] = MOST_CATEGORIES
    chosen: ClassVar[tuple[str, ...]] = ("delta",)

    epsilon: Fraction
    delta: Fraction
    categories: GivenCategories = 2
    keep: int = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:

        def __init__(
            self, *, epsilon: WrittenNumber, delta: WrittenNumber, categories: WrittenCategories = 2
        ) -> None: ...

    def __post_init__(self) -> None:
        answers = Categories.read(self.categories, self.most)
        epsilon, delta = read_epsilon(self.epsilon), read_delta(self.delta)
        if delta == 0:
            raise PrivacyParameterError(
                "delta is 0. Then the scheme is randomized response. Use RandomizedResponse("
                "epsilon=1), or a delta above 0."
            )
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", delta)
        object.__setattr__(self, "categories", answers.given)
        object.__setattr__(self, "keep", _keep_chance(epsilon, delta, answers.size - 1))
        truth, lie = self.pair
        require_information(truth - lie, answers.size)

    def __repr__(self) -> str:
        stated = f"epsilon={self.epsilon}, delta={self.delta}"
        shown = self._answers.shown
        return f"ApproximateResponse({stated}{'' if shown == 2 else f', categories={shown}'})"

    @property
    def loss(self) -> ApproximateDP:
        """What one report may reveal of one answer."""
        return ApproximateDP(epsilon=self.epsilon, delta=self.delta)

    @property
    def pure_loss(self) -> PureDP:
        """The ε' of a report without any δ, rounded up by less than 10^-12."""
        truth, lie = self.pair
        _, above = logarithm(truth / lie, _LOG_BITS)
        return PureDP(epsilon=round_up(Fraction(above, 1 << _LOG_BITS), _DELTA_STEP))

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The scheme that ``to_json`` wrote; anything else is refused."""
        wire.take_rational(wire.read_scheme_fields(text, cls.name), "delta")  # in its one form
        return super(ApproximateResponse, cls).from_json(text)


@lru_cache(maxsize=256)
def _keep_chance(epsilon: Fraction, delta: Fraction, others: int) -> int:
    """The largest N < 2^64 with N·others ≤ e^ε·(2^64 - N) + δ·others·2^64."""
    bits = 256
    while True:
        # N·(1 + others·e^-ε) ≤ 2^64·(1 + δ·others·e^-ε), whose bound falls as e^-ε rises.
        enclosed = (others * Fraction(end, 1 << bits) for end in exp_minus(_capped(epsilon), bits))
        most, least = (int(WHOLE * (1 + delta * part) / (1 + part)) for part in enclosed)
        if least == most:
            return min(WHOLE - 1, least)
        bits *= 2  # e^ε is irrational, so the bound is no integer and some enclosure decides


def _capped(epsilon: Fraction) -> Fraction:
    return min(epsilon, _MOST_EPSILON)  # beyond it no chance changes: e^-128 is below 2^-184
