"""The law of one noisy count that is released only from a threshold on."""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from discreet.errors import VerificationError
from discreet.mechanisms.additive import AdditiveNoise
from discreet.privacy.atoms import MAX_ATOMS, Atom, Law, nearest_float


@dataclass(frozen=True, slots=True)
class ThresholdLaw:
    """``count + noise`` where that reaches the threshold, else None; None where the count is 0."""

    count: int
    threshold: int
    noise: AdditiveNoise

    def probability(self, outcome: Hashable) -> float:
        """The probability of a noisy count, or of None."""
        if outcome is None:
            return nearest_float(self._hidden)
        if not isinstance(outcome, int) or outcome < self.threshold:
            return 0.0
        return nearest_float(partial(self._at, outcome))

    def against(self, other: Law) -> list[Atom]:
        """None, every noisy count around the two true ones, and the rest."""
        if not isinstance(other, ThresholdLaw) or (self.threshold, self.noise) != (
            other.threshold,
            other.noise,
        ):
            raise VerificationError(
                "the two laws have different noise or thresholds. Only two outputs of one "
                "mechanism can be compared. Verify one mechanism on two inputs."
            )
        if self.count == other.count:
            return [Atom(outcome=None, first=_one, second=_one, ratio=Fraction(1))]
        end = max(self.threshold, self.count, other.count) + self.noise.tail_start
        if end - self.threshold > MAX_ATOMS:
            raise VerificationError(
                f"the comparison has more than {MAX_ATOMS} outcomes. They are enumerated exactly. "
                "Verify counts that are nearer to the threshold: the loss is the same."
            )
        points = [
            Atom(
                outcome=place,
                first=partial(self._at, place),
                second=partial(other._at, place),
                log_ratio=self._log_ratio(other, place),
                single=True,
            )
            for place in range(self.threshold, end)
        ]
        constant = self.noise.tail_ratio_is_constant
        rest = Atom(
            outcome=end,
            first=partial(self._from, end),
            second=partial(other._from, end),
            log_ratio=self._log_ratio(other, end) if constant else None,
            constant=constant,
        )
        hidden = Atom(outcome=None, first=self._hidden, second=other._hidden, single=True)
        return [hidden, *points, rest]

    def _log_ratio(self, other: "ThresholdLaw", place: int) -> Fraction | None:
        if self.count == 0 or other.count == 0:
            return None
        return self.noise.log_ratio(place - self.count, place - other.count)

    def _at(self, place: int, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P(place)."""
        return (0, 0) if self.count == 0 else self.noise.point(place - self.count, bits)

    def _from(self, place: int, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P[released and at least place]."""
        return (0, 0) if self.count == 0 else self.noise.upper_tail(place - self.count, bits)

    def _hidden(self, bits: int) -> tuple[int, int]:
        low, high = self._from(self.threshold, bits)
        return (1 << bits) - high, (1 << bits) - low


@dataclass(frozen=True, slots=True)
class ChanceAbove:
    """Encloses P[count + noise ≥ threshold]; it is 0 for a key that nobody holds."""

    noise: AdditiveNoise
    threshold: int

    def __call__(self, count: int, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits times the probability, for a draw."""
        if count == 0:
            return 0, 0
        return self.noise.quick_upper_tail(self.threshold - count, bits)


def _one(bits: int) -> tuple[int, int]:
    return 1 << bits, 1 << bits
