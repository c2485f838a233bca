"""Where every attack on an (ε,δ)-private mechanism must stay."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from discreet.errors import VerificationError
from discreet.exact import decimal_text, exp_minus, rational
from discreet.privacy.verification import TOLERANCE, read_level

_BITS = 160
_MOST_BITS = 20_480


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """The rates of false (FPR) and true positives (TPR) that (ε,δ)-differential privacy allows.

    An attack says "second" on an event E: its FPR is P[E] on the first input, its TPR is P[E]
    on the second.  The definition for E and for its complement, in both directions, is

        TPR ≤ e^ε·FPR + δ        1 - FPR ≤ e^ε·(1 - TPR) + δ
        FPR ≤ e^ε·TPR + δ        1 - TPR ≤ e^ε·(1 - FPR) + δ

    A bound that is not rational is rounded so that the region is never too small.
    Proof: docs/proofs/verification.md

    >>> region = Region(epsilon=0, delta="1/4")
    >>> region.highest("1/2"), region.lowest("1/2"), region.contains("1/2", 0.8)
    (Fraction(3, 4), Fraction(1, 4), False)
    >>> Region(epsilon=0, delta="1/4").upper_corners[0]  # δ detections without a false alarm
    (Fraction(0, 1), Fraction(1, 4))
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", read_level(self.epsilon))
        object.__setattr__(self, "delta", read_rate(self.delta, "delta"))

    def __repr__(self) -> str:
        return f"Region(epsilon={self.epsilon}, delta={self.delta})"

    def highest(self, false_positive_rate: object) -> Fraction:
        """The largest true positive rate that is allowed at a false positive rate."""
        return self._highest(read_rate(false_positive_rate, "the false positive rate"))

    def lowest(self, false_positive_rate: object) -> Fraction:
        """The least true positive rate that is allowed: the opposite attack is bounded too."""
        return 1 - self._highest(1 - read_rate(false_positive_rate, "the false positive rate"))

    def contains(self, false_positive_rate: object, true_positive_rate: object) -> bool:
        """Whether an attack with these rates, each known to 1e-12, may be allowed."""
        rate = read_rate(true_positive_rate, "the true positive rate")
        lowest, highest = self.lowest(false_positive_rate), self.highest(false_positive_rate)
        return lowest - TOLERANCE <= rate <= highest + TOLERANCE

    def plot(self) -> Any:
        """A picture of the region; with a δ, around the region that ε alone would allow."""
        from discreet.plots import region_picture

        pure = Region(epsilon=self.epsilon)
        return region_picture(
            epsilon=float(self.epsilon),
            delta=float(self.delta),
            edges=(_floats(self.upper_corners), _floats(self.lower_corners)),
            pure=(_floats(pure.upper_corners), _floats(pure.lower_corners)),
        )

    @property
    def upper_corners(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The corners (FPR, TPR) of the upper edge, from left to right."""
        decay = self._decay()
        middle = (1 - self.delta) * decay / (1 + decay)
        corners = [(Fraction(0), self.delta), (middle, 1 - middle), (1 - self.delta, Fraction(1))]
        return tuple(dict.fromkeys([*corners, (Fraction(1), Fraction(1))]))

    @property
    def lower_corners(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The corners (FPR, TPR) of the lower edge, from left to right."""
        return tuple((1 - rate, 1 - other) for rate, other in reversed(self.upper_corners))

    def _highest(self, rate: Fraction) -> Fraction:
        decay = self._decay()
        swapped = 1 - decay * (1 - rate - self.delta)
        if decay:
            return min(rate / decay + self.delta, swapped, Fraction(1))
        return min(swapped, Fraction(1)) if rate else self.delta

    def _decay(self) -> Fraction:
        """A lower bound of e^(-ε), relatively close unless ε is beyond all meaning."""
        bits = min(_BITS + 2 * ceil(self.epsilon), _MOST_BITS)
        low, _ = exp_minus(self.epsilon, bits)
        return Fraction(low, 1 << bits)


def _floats(corners: Sequence[tuple[Fraction, Fraction]]) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in corners]


def read_rate(value: object, name: str) -> Fraction:
    """A probability, exactly as written."""
    rate = rational(value, name)
    if not 0 <= rate <= 1:
        raise VerificationError(
            f"{name} is {decimal_text(rate)}. It is a probability, so it lies between 0 and 1. "
            "Use 0.05 for one in twenty."
        )
    return rate
