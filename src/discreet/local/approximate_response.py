"""Randomized response with a δ: a little more often the truth than ε alone allows."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Self

from discreet.errors import PrivacyParameterError
from discreet.exact import exp_minus, logarithm, round_up
from discreet.local import wire
from discreet.local.categories import MOST_CATEGORIES, Categories, Given
from discreet.local.chances import WHOLE, require_information
from discreet.local.kept_answer import KeptAnswer
from discreet.local.scheme import on_the_wire
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.parameters import read_delta, read_epsilon

_LOG_BITS = 160
_LOG_STEP = Fraction(1, 4 * 10**12)
_MOST_EPSILON = Fraction(128)


@on_the_wire
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
    categories: Given = 2
    keep: int = field(init=False, repr=False, compare=False)

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
        return PureDP(epsilon=round_up(Fraction(above, 1 << _LOG_BITS), _LOG_STEP))

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The scheme that ``to_json`` wrote; anything else is refused."""
        wire.take_rational(wire.read(text, cls.name), "delta")  # in its one form
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
