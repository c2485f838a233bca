"""The law of one noisy count that is released only from a threshold on."""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil, isqrt

from discreet.errors import VerificationError
from discreet.exact import exp_minus
from discreet.exact.discrete_normal import (
    tail_between,
    tail_weight,
    tail_weights,
    total_weight,
)
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.privacy.atoms import MAX_ATOMS, Atom, Law, nearest_float

_NEGLIGIBLE = 112  # e^-112 < 2^-161
_GUARD = 16
_TABLED = 1 << 26  # the variance up to which all tails are summed up at once
_QUICK = 320  # the bits up to which, beyond that variance, integrals enclose a chance


@dataclass(frozen=True, slots=True)
class ThresholdLaw:
    """``count + noise`` where that reaches the threshold, else None; None where the count is 0."""

    count: int
    threshold: int
    noise: Laplace | Gaussian

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
        end = max(self.threshold, self.count, other.count)
        if isinstance(self.noise, Gaussian):
            end += isqrt(ceil(2 * self.noise.sigma**2 * _NEGLIGIBLE)) + 1
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
        is_laplace = isinstance(self.noise, Laplace)
        rest = Atom(
            outcome=end,
            first=partial(self._from, end),
            second=partial(other._from, end),
            log_ratio=self._log_ratio(other, end) if is_laplace else None,
            constant=is_laplace,
        )
        hidden = Atom(outcome=None, first=self._hidden, second=other._hidden, single=True)
        return [hidden, *points, rest]

    def _log_ratio(self, other: "ThresholdLaw", place: int) -> Fraction | None:
        if self.count == 0 or other.count == 0:
            return None
        near, far = abs(place - self.count), abs(place - other.count)
        if isinstance(self.noise, Laplace):
            return (far - near) / self.noise.scale
        return (far * far - near * near) / (2 * self.noise.sigma**2)

    def _at(self, place: int, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P(place)."""
        return (0, 0) if self.count == 0 else _point(self.noise, abs(place - self.count), bits)

    def _from(self, place: int, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P[released and at least place]."""
        return (0, 0) if self.count == 0 else _tail(self.noise, place - self.count, bits)

    def _hidden(self, bits: int) -> tuple[int, int]:
        low, high = self._from(self.threshold, bits)
        return (1 << bits) - high, (1 << bits) - low


@dataclass(frozen=True, slots=True)
class ChanceAbove:
    """Encloses P[count + noise ≥ threshold]; it is 0 for a key that nobody holds."""

    noise: Laplace | Gaussian
    threshold: int

    def __call__(self, count: int, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits times the probability.

        Beyond σ = 2^13 it comes from integrals and may be 2^bits·2/(5σ) wide, up to 320 bits; so
        the sum, whose time grows with σ, decides one draw in σ at most.
        """
        if count == 0:
            return 0, 0
        start, noise = self.threshold - count, self.noise
        if bits > _QUICK or isinstance(noise, Laplace) or noise.sigma**2 <= _TABLED:
            return _tail(noise, start, bits)
        # All weights add up to √(2π·variance), but for less than 2^-(10^9) of it.
        low, high = tail_between(noise.sigma**2, max(start, 1 - start), bits)
        low, one = max(0, low - 1), 1 << bits
        return (low, high) if start >= 1 else (one - high, one - low)


def _one(bits: int) -> tuple[int, int]:
    return 1 << bits, 1 << bits


@lru_cache(maxsize=4096)
def _point(noise: Laplace | Gaussian, distance: int, bits: int) -> tuple[int, int]:
    """Enclose ``2**bits · P[noise = distance]``."""
    work = bits + _GUARD
    one = 1 << work
    if isinstance(noise, Gaussian):
        variance = noise.sigma**2
        low, high = exp_minus(distance * distance / (2 * variance), work)
        least, most = total_weight(variance, work)
        return (low << bits) // most, -(-(high << bits) // least)
    low, high = exp_minus(distance / noise.scale, work)
    near, far = exp_minus(1 / noise.scale, work)
    # (1-q)/(1+q) falls as q grows.
    return (
        (low * (one - far) << bits) // (one + far) >> work,
        -(-(high * (one - near) << bits) // (one + near) >> work),
    )


@lru_cache(maxsize=4096)
def _tail(noise: Laplace | Gaussian, start: int, bits: int) -> tuple[int, int]:
    """Enclose ``2**bits · P[noise ≥ start]``."""
    if start < 1:
        low, high = _tail(noise, 1 - start, bits)
        return (1 << bits) - high, (1 << bits) - low
    work = bits + _GUARD
    if isinstance(noise, Gaussian):
        variance = noise.sigma**2
        if variance <= _TABLED:
            tails = tail_weights(variance, work)
            low, high = tails[min(start, len(tails)) - 1]
        else:
            low, high = tail_weight(variance, start, work)
        least, most = total_weight(variance, work)
    else:
        low, high = exp_minus(start / noise.scale, work)
        near, far = exp_minus(1 / noise.scale, work)
        least, most = (1 << work) + near, (1 << work) + far
    return (low << bits) // most, -(-(high << bits) // least)
