"""Keys of people who may hold many: a person's few keys weigh more than each of somebody's many.

Proof: docs/proofs/key-selection.md
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from discreet.errors import PrivacyParameterError
from discreet.mechanisms.additive_noise import exact_sum
from discreet.mechanisms.gaussian import Gaussian, least_reach
from discreet.mechanisms.gaussian_calibration import is_proved
from discreet.mechanisms.gaussian_moves import Move
from discreet.mechanisms.key_sieve import Sieve, drawn, least_count
from discreet.mechanisms.key_threshold import SPLITS, WHOLE, ChanceAbove, blocks
from discreet.mechanisms.optimal_key_selection import (
    SelectedKeys,
    held_units,
    keep_some,
    kept_law,
    key_share,
    moved_keys,
    read_selection,
    read_units,
)
from discreet.noise import BitSource, Keystream
from discreet.privacy.events import ApproximateEvent
from discreet.privacy.laws import ProductLaw
from discreet.privacy.losses import ApproximateDP, PureDP, read_count
from discreet.privacy.sensitivity import Neighbors, Sensitive, Sensitivity

SHARE = 1 << 30
"""The weight of the only key of a unit."""
_SINGLY = 16
"""Up to so many keys each number has its own threshold, beyond a sixteenth of them together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedThreshold:
    """Releases the keys whose weight, with Gaussian noise, reaches a threshold.

    A unit with t keys adds isqrt(share²//t) to each of them: the squares add up to share² at most,
    however many keys it has.  No weight is released.

    Guarantee: where one unit holds at most ``groups`` keys, the set of released keys is (ε,δ)-DP,
    and keys that one unit alone holds stay hidden together with probability 1 - δ or more.
    Proof: docs/proofs/key-selection.md

    >>> selection = WeightedThreshold.calibrated(epsilon=1, delta=1e-6, groups=64)
    >>> selection.people_for(Fraction(1, 2), keys=1), selection.people_for(Fraction(1, 2), keys=32)
    (24, 133)
    """

    noise: Gaussian
    """In steps of 1/share, as the threshold is."""
    threshold: int
    epsilon: Fraction
    delta: Fraction
    groups: int
    neighbors: Neighbors
    share: int = SHARE

    @classmethod
    def calibrated(
        cls,
        *,
        epsilon: object,
        delta: object,
        groups: int,
        neighbors: Neighbors = Neighbors.ADD_REMOVE,
        share: int = SHARE,
    ) -> "WeightedThreshold":
        """The noise and the threshold for an ε and a δ."""
        privacy, level, most, relation = read_selection(epsilon, delta, groups, neighbors)
        steps = read_count(share, "share", "steps that the only key of a unit weighs")
        if most > steps * steps:
            raise PrivacyParameterError(
                "groups is above share². A unit with so many keys would add nothing to any of "
                "them. Use a lower cap on groups."
            )
        noise, threshold = _calibrated(privacy, level, most, relation, steps)
        return cls(
            noise=noise,
            threshold=threshold,
            epsilon=privacy,
            delta=level,
            groups=most,
            neighbors=relation,
            share=steps,
        )

    def __repr__(self) -> str:
        return (
            f"WeightedThreshold(noise={self.noise}, threshold={self.threshold}, "
            f"epsilon={self.epsilon}, delta={self.delta}, groups={self.groups}, "
            f"neighbors={str(self.neighbors)!r}, share={self.share})"
        )

    @property
    def name(self) -> str:
        """What it is called in plans, answers and certificates."""
        return "WeightedThreshold"

    def weight(self, keys: int) -> int:
        """What a unit with so many keys adds to each of them."""
        return isqrt(self.share**2 // keys)

    def __call__(
        self,
        counts: Sensitive[NDArray[np.int64]],
        *,
        source: BitSource | None = None,
        sieve: Sieve | None = None,
    ) -> SelectedKeys:
        """Which candidates are released, given the weight of each.

        With a sieve they are those that passed it.
        """
        if sieve is not None:
            sieve.check(self._chance)
        weights, bits = read_units(counts), Keystream() if source is None else source
        held = np.flatnonzero(weights if sieve is None else weights >= sieve.sure)
        noisy = exact_sum(weights[held], self.noise.draw(held.size, bits))
        kept = held[np.asarray(noisy >= self.threshold, np.bool_)]
        if sieve is not None:
            rare = np.flatnonzero((weights > 0) & (weights < sieve.sure))
            kept = np.sort(
                np.concatenate((kept, keep_some(self._chance, weights, rare, sieve, bits)))
            )
        return SelectedKeys(kept=kept)

    def sieve(self, source: BitSource, *, bits: int = 64) -> Sieve:
        """What a cluster decides about its keys, so that few of them travel: for one release."""
        return drawn(self._chance, source, bits)

    @property
    def _chance(self) -> ChanceAbove:
        return ChanceAbove(self.noise, self.threshold)

    def loss(self) -> ApproximateDP:
        """What the release costs, whatever the weights are."""
        return ApproximateDP(epsilon=self.epsilon, delta=self.delta)

    def event(
        self,
        sensitivity: Sensitivity | None = None,
        loss: PureDP | ApproximateDP | None = None,
    ) -> ApproximateEvent:
        """What a ledger writes down: its own loss, whatever else was stated."""
        return ApproximateEvent(epsilon=self.epsilon, delta=self.delta)

    @property
    def usual_keys(self) -> int:
        """How many keys units are taken to have that it is compared with others for.

        Half of the cap: a public number, since how many they have is not.
        """
        return (self.groups + 1) // 2

    @property
    def half_point(self) -> int:
        """The least number of units at which a key appears with probability 1/2 or more.

        That is of units with half as many keys as one may have.
        """
        return -(-self.threshold // self.weight(self.usual_keys))

    def people_for(self, level: Fraction, keys: int | None = None) -> int:
        """The least number of units at which a key is released with at least this probability.

        Each has so many keys; half of the cap unless stated.
        """
        weight = self.weight(self.usual_keys if keys is None else keys)
        return -(-least_count(self._chance, level) // weight)

    def law(self, weights: object) -> ProductLaw:
        """The exact law of which keys are released, as one truth value per candidate."""
        return ProductLaw(tuple(kept_law(self._chance, one) for one in held_units(weights)))


@lru_cache(maxsize=256)
def _calibrated(
    epsilon: Fraction, delta: Fraction, groups: int, neighbors: Neighbors, share: int
) -> tuple[Gaussian, int]:
    """The noise and the threshold: both for the whole of δ where that is proved, or for parts."""
    units = moved_keys(1, neighbors)
    noise = _gaussian(units, groups, epsilon, delta, share)
    for part in WHOLE:
        if _covers(noise, part * delta, epsilon, delta, groups, units, share):
            return noise, _threshold(noise, part * delta, groups, 1, share)
    choices = []
    for part in SPLITS:
        noise = _gaussian(units, groups, epsilon, part * delta, share)
        left = 1 - (1 - delta) / (1 - part * delta)
        choices.append((noise, _threshold(noise, left, groups, units, share)))
    return min(choices, key=lambda choice: choice[1])


def _gaussian(units: int, groups: int, epsilon: Fraction, delta: Fraction, share: int) -> Gaussian:
    """Noise for weights of which the squares that move add up to share², for each unit."""
    return Gaussian.calibrated(
        sensitivity=Sensitivity(squared_l2=Fraction(units * share**2)),
        epsilon=epsilon,
        delta=delta,
        dimension=units * groups,
    )


def _threshold(noise: Gaussian, hidden: Fraction, groups: int, units: int, share: int) -> int:
    """The least T that hides the keys of one unit alone, but for ``hidden``, whatever their number.

    P[w + Z ≥ T] is at most the share of a key, for the weight w of each number of keys.  Of several
    numbers at once the weight is that of the least, and the share that of the largest.
    """

    def reach(keys: int) -> int:
        part = key_share(hidden, units * keys)
        return 0 if 2 * part >= 1 else least_reach(noise.sigma**2, 1 - 2 * part, 1)

    return max(isqrt(share**2 // least) + reach(most) + 1 for least, most in _numbers(groups))


def _numbers(groups: int) -> Iterator[tuple[int, int]]:
    """The numbers 1 … groups in blocks (least, most), of which the first have one each.

    >>> list(_numbers(20))[-4:]
    [(15, 15), (16, 16), (17, 18), (19, 20)]
    """
    least = 1
    while least <= groups:
        most = least if least <= _SINGLY else min(groups, least + least // _SINGLY)
        yield least, most
        least = most + 1


def _covers(
    noise: Gaussian,
    hidden: Fraction,
    epsilon: Fraction,
    delta: Fraction,
    groups: int,
    units: int,
    share: int,
) -> bool:
    """Whether every mixture of shared and lonely keys is (ε,δ)-DP, for certain.

    Of a unit's t keys some are shared: the squares that move are that part of share².  What a unit
    with other keys than those costs follows from the part, and not from t.
    """
    each = hidden / (1 - hidden)  # at least -ln(1 - hidden)
    vanished = Fraction(0) if units == 1 else each
    if vanished > epsilon:
        return False
    for least, most in blocks(units * groups):
        apart = min(Fraction(1), units - Fraction(max(least - 1, 1), groups))
        left, rest = delta - apart * each, epsilon - apart * vanished
        if left <= 0 or rest <= 0:
            return False
        move = Move.of(most * share**2 // groups, units * groups)
        if not is_proved(noise.sigma**2, move, rest, left):
            return False
    return True
