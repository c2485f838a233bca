"""Noisy counts of the keys that enough units hold.  Proof: docs/proofs/key-selection.md"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import VerificationError
from discreet.exact import exp_minus, logarithm, square_root
from discreet.mechanisms.additive_noise import AdditiveNoise, exact_sum, fitting
from discreet.mechanisms.gaussian import Gaussian, least_reach
from discreet.mechanisms.gaussian_calibration import is_proved
from discreet.mechanisms.gaussian_moves import Move
from discreet.mechanisms.key_sieve import Sieve, drawn, least_count
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.optimal_key_selection import (
    SelectedKeys,
    by_value,
    held_units,
    keep_some,
    key_share,
    moved_keys,
    read_selection,
    read_units,
)
from discreet.noise import BitSource, Keystream
from discreet.privacy.events import ApproximateEvent
from discreet.privacy.laws import MAX_ATOMS, Atom, Law, ProductLaw, nearest_float
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.sensitivity import Neighbors, Sensitive, Sensitivity

_LEAST = 2
"""A key of one unit needs noise above 0 to be released, so that it is not the likely case."""
_ROOT_BITS = 64


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


WHOLE = tuple(Fraction(part, 128) for part in (128, 127, 120, 96, 64))
"""Parts of δ for the keys of one unit alone while the noise has all of it too."""

SPLITS = tuple(Fraction(part, 16) for part in range(2, 16))
"""Parts of δ for the noise where the two must share it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """Releases the noisy counts that reach a threshold, of the keys that some unit holds.

    ``laplace`` and ``gaussian`` choose the noise and the threshold for an ε and a δ.

    Guarantee of what they make: where one unit holds at most ``groups`` keys, the released keys
    and counts together are (ε,δ)-DP, and a key of one unit alone is released with probability at
    most 1 - (1-δ)^(1/groups).  Proof: docs/proofs/key-selection.md

    >>> Threshold.laplace(epsilon=1, delta=1e-6, groups=1).threshold
    15
    """

    noise: AdditiveNoise
    threshold: int
    epsilon: Fraction
    delta: Fraction
    groups: int
    neighbors: Neighbors

    @classmethod
    def laplace(
        cls,
        *,
        epsilon: object,
        delta: object,
        groups: int,
        neighbors: Neighbors = Neighbors.ADD_REMOVE,
    ) -> "Threshold":
        """With Laplace noise: best where one unit holds few keys.

        >>> Threshold.laplace(epsilon=1, delta=1e-6, groups=1).noise
        Laplace(scale=1)
        """
        parameters = read_selection(epsilon, delta, groups, neighbors, stacklevel=4)
        return cls._of(_with_laplace(*parameters), *parameters)

    @classmethod
    def gaussian(
        cls,
        *,
        epsilon: object,
        delta: object,
        groups: int,
        neighbors: Neighbors = Neighbors.ADD_REMOVE,
    ) -> "Threshold":
        """With Gaussian noise: best where one unit holds many keys.

        >>> selection = Threshold.gaussian(epsilon=1, delta=1e-6, groups=64)
        >>> selection.noise, selection.threshold
        (Gaussian(sigma=33.79773), 189)
        """
        parameters = read_selection(epsilon, delta, groups, neighbors, stacklevel=4)
        return cls._of(_with_gaussian(*parameters), *parameters)

    @classmethod
    def _of(
        cls,
        calibrated: tuple[AdditiveNoise, int],
        epsilon: Fraction,
        delta: Fraction,
        groups: int,
        neighbors: Neighbors,
    ) -> "Threshold":
        noise, threshold = calibrated
        return cls(
            noise=noise,
            threshold=threshold,
            epsilon=epsilon,
            delta=delta,
            groups=groups,
            neighbors=neighbors,
        )

    def __repr__(self) -> str:
        return (
            f"Threshold(noise={self.noise}, threshold={self.threshold}, epsilon={self.epsilon}, "
            f"delta={self.delta}, groups={self.groups}, neighbors={str(self.neighbors)!r})"
        )

    @property
    def name(self) -> str:
        """What it is called in plans, answers and certificates.

        >>> Threshold.laplace(epsilon=1, delta=1e-6, groups=1).name
        'LaplaceThreshold'
        """
        return f"{type(self.noise).__name__}Threshold"

    def __call__(
        self,
        counts: Sensitive[NDArray[np.int64]],
        *,
        source: BitSource | None = None,
        sieve: Sieve | None = None,
    ) -> SelectedKeys:
        """The candidates released, with noisy counts, given the number of units of each.

        With a sieve they are those that passed it.
        """
        if sieve is not None:
            sieve.check(self._chance)
        units = read_units(counts)
        bits = Keystream() if source is None else source
        held = np.flatnonzero(units if sieve is None else units >= sieve.sure)
        noisy = exact_sum(units[held], self.noise.draw(held.size, bits))
        above = np.flatnonzero(noisy >= self.threshold)
        released_keys, released_counts = held[above], noisy[above]
        if sieve is not None:
            rare = np.flatnonzero((units > 0) & (units < sieve.sure))
            rare = keep_some(self._chance, units, rare, sieve, bits)
            released_keys = np.concatenate((released_keys, rare))
            released_counts = np.concatenate(
                (released_counts, self._counts_above(units[rare], bits))
            )
            order = np.argsort(released_keys)
            released_keys, released_counts = released_keys[order], released_counts[order]
        # The type of what is released must not depend on what is not.
        return SelectedKeys(
            kept=released_keys,
            counts=released_counts
            if released_counts.dtype == np.int64
            else fitting(released_counts),
        )

    def _counts_above(self, units: NDArray[np.int64], source: BitSource) -> NDArray[Any]:
        """Each number of units plus noise, given that the sum reaches the threshold.

        Where that is likely the noise is drawn until it does.  Elsewhere the excess is drawn.
        Proof: docs/proofs/sieve.md
        """
        noisy = np.empty(units.size, np.object_)
        near = units >= self.threshold - self.noise.near
        waiting = np.flatnonzero(near)
        while waiting.size:
            tried = exact_sum(units[waiting], self.noise.draw(waiting.size, source))
            reached = np.asarray(tried >= self.threshold, np.bool_)
            noisy[waiting[reached]] = tried[reached]
            waiting = waiting[~reached]
        for value, places in by_value(units, np.flatnonzero(~near)):
            missing = self.threshold - value
            noisy[places] = self.noise.draw_excess(missing, places.size, source) + self.threshold
        return fitting(noisy)

    def sieve(self, source: BitSource, *, bits: int = 64) -> Sieve:
        """What a cluster decides about its keys, so that few of them travel: for one release."""
        return drawn(self._chance, source, bits)

    @property
    def _chance(self) -> ChanceAbove:
        return ChanceAbove(self.noise, self.threshold)

    def loss(self) -> ApproximateDP:
        """What the release costs, whatever the counts are."""
        return ApproximateDP(epsilon=self.epsilon, delta=self.delta)

    def event(
        self,
        sensitivity: Sensitivity | None = None,
        loss: PureDP | ApproximateDP | None = None,
    ) -> ApproximateEvent:
        """What a ledger writes down: its own loss, whatever else was stated.

        >>> Threshold.laplace(epsilon=1, delta="1/8", groups=1).event()
        ApproximateEvent(epsilon=Fraction(1, 1), delta=Fraction(1, 8))
        """
        return ApproximateEvent(epsilon=self.epsilon, delta=self.delta)

    @property
    def half_point(self) -> int:
        """The least number of units at which a key is released with probability 1/2 or more."""
        return self.threshold

    def people_for(self, level: Fraction) -> int:
        """The least number of units at which a key is released with at least this probability.

        >>> Threshold.laplace(epsilon=1, delta=1e-6, groups=1).people_for(Fraction(95, 100))
        17
        """
        return least_count(self._chance, level)

    def law(self, counts: object) -> ProductLaw:
        """The exact law of what is released: per candidate its noisy count, or None."""
        return ProductLaw(
            tuple(ThresholdLaw(count, self.threshold, self.noise) for count in held_units(counts))
        )


# ---------------------------------------------------------------------- Laplace noise


def _with_laplace(
    epsilon: Fraction, delta: Fraction, groups: int, neighbors: Neighbors
) -> tuple[Laplace, int]:
    """The noise, and the least T with P[1 + noise ≥ T] within the share of one key.

    T is above that where it is undecided.  Under replace a vanished key, too, must be within
    e^(1/scale): either the probability is at most 1 - q, or twice as many keys share δ.
    """
    scale = moved_keys(groups, neighbors) / epsilon
    bits = 128 + ceil(scale).bit_length() + delta.denominator.bit_length()
    low, high = (Fraction(end, 1 << bits) for end in exp_minus(1 / scale, bits))
    share = key_share(delta, groups)
    if neighbors is Neighbors.REPLACE:
        share = max(min(share, 1 - high), key_share(delta, 2 * groups))
    # P[noise ≥ t] = q^t/(1+q) for t ≥ 1
    _, distance = logarithm(1 / (share * (1 + low)), bits)
    threshold = max(_LEAST, 1 + ceil(scale * Fraction(distance, 1 << bits)))
    return Laplace(scale=scale), threshold


# ---------------------------------------------------------------------- Gaussian noise


@lru_cache(maxsize=256)
def _with_gaussian(
    epsilon: Fraction, delta: Fraction, groups: int, neighbors: Neighbors
) -> tuple[Gaussian, int]:
    """The noise and the threshold.

    A key that a unit moves is held by others, and the noise protects it, or by nobody else, and
    the threshold does.  The more of one kind, the fewer of the other: mostly both may use the
    whole of δ.  Where that is not proved, they split it.
    """
    moved = moved_keys(groups, neighbors)
    noise = _gaussian(moved, epsilon, delta)
    for part in WHOLE:
        share = key_share(part * delta, groups)
        if _covers(noise, share, epsilon, delta, groups, neighbors):
            return noise, _gaussian_threshold(noise, share)
    choices = []
    for part in SPLITS:
        noise = _gaussian(moved, epsilon, part * delta)
        left = 1 - (1 - delta) / (1 - part * delta)
        choices.append((noise, _gaussian_threshold(noise, key_share(left, moved))))
    return min(choices, key=lambda choice: choice[1])


def _gaussian(moved: int, epsilon: Fraction, delta: Fraction) -> Gaussian:
    return Gaussian.calibrated(sensitivity=_root(moved), epsilon=epsilon, delta=delta)


def _root(keys: int) -> Fraction:
    """√keys, rounded up: how far so many counts move that each move by one."""
    return Fraction(square_root(Fraction(keys), _ROOT_BITS)[1], 1 << _ROOT_BITS)


def _gaussian_threshold(noise: Gaussian, share: Fraction) -> int:
    """The least T with P[1 + noise ≥ T] ≤ share, for certain: half of P[|noise| > T - 2]."""
    if 2 * share >= 1:
        return _LEAST
    return _LEAST + least_reach(noise.sigma**2, 1 - 2 * share, 1)


def _covers(
    noise: Gaussian,
    share: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    groups: int,
    neighbors: Neighbors,
) -> bool:
    """Whether every mixture of shared and lonely keys is (ε,δ)-DP, for certain.

    All keys shared: the noise was made for it.  All lonely: at most ``groups`` of them may show.
    Of those in between, ``blocks`` are proved at once: with the most of each kind.
    """
    moved = moved_keys(groups, neighbors)
    # A key that is missing in one data set and lonely in the other costs -ln(1 - share).
    vanished = Fraction(0) if neighbors is Neighbors.ADD_REMOVE else share / (1 - share)
    if groups * vanished > epsilon:
        return False
    for least, most in blocks(moved):
        lonely = min(groups, moved - least)
        left = delta - lonely * share
        rest = epsilon - lonely * vanished
        if left <= 0 or rest <= 0:
            return False
        if not is_proved(noise.sigma**2, Move(most, most), rest, left):
            return False
    return True


def blocks(moved: int) -> Iterator[tuple[int, int]]:
    """The numbers 1 … moved - 1 in blocks (least, most), short ones near both ends.

    >>> list(blocks(6))
    [(2, 3), (1, 1), (5, 5), (4, 4)]
    """
    half = most = moved // 2
    while most:
        yield most // 2 + 1, most
        most //= 2
    first = 1
    while moved - first > half:
        last = min(first + first // 8, moved - half - 1)
        yield moved - last, moved - first
        first = last + 1
