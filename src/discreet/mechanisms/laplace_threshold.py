"""Noisy counts of the keys that enough units hold, with Laplace noise."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from discreet.exact import exp_minus, logarithm
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.selected_keys import (
    LEAST_THRESHOLD,
    Selected,
    chance_above,
    held_units,
    key_share,
    moved_keys,
    read_selection,
    release_above,
)
from discreet.mechanisms.sieve import Sieve, drawn
from discreet.mechanisms.threshold_law import ChanceAbove, ThresholdLaw
from discreet.noise import BitSource
from discreet.privacy.events import ApproximateEvent
from discreet.privacy.laws import ProductLaw
from discreet.privacy.losses import ApproximateDP
from discreet.privacy.neighbors import Neighbors
from discreet.privacy.sensitive import Sensitive


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceThreshold:
    """Releases the noisy counts that reach a threshold, of the keys that some unit holds.

    Guarantee: where one unit holds at most ``groups`` keys, the released keys and counts
    together are (ε,δ)-DP, and a key of one unit alone is released with probability at most
    1 - (1-δ)^(1/groups).  Proof: docs/proofs/key-selection.md

    >>> selection = LaplaceThreshold(epsilon=1, delta=1e-6, groups=1)
    >>> selection.noise, selection.threshold
    (Laplace(scale=1), 15)
    """

    epsilon: Fraction
    delta: Fraction
    groups: int
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    noise: Laplace = field(init=False, repr=False, compare=False)
    threshold: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        read = read_selection(self.epsilon, self.delta, self.groups, self.neighbors)
        for name, value in zip(("epsilon", "delta", "groups", "neighbors"), read, strict=True):
            object.__setattr__(self, name, value)
        scale = moved_keys(self.groups, self.neighbors) / self.epsilon
        object.__setattr__(self, "noise", Laplace(scale=scale))
        object.__setattr__(
            self, "threshold", _least_threshold(scale, self.delta, self.groups, self.neighbors)
        )

    def __repr__(self) -> str:
        return (
            f"LaplaceThreshold(epsilon={self.epsilon}, delta={self.delta}, groups={self.groups}, "
            f"neighbors={str(self.neighbors)!r})"
        )

    def __call__(
        self,
        counts: Sensitive[NDArray[np.int64]],
        *,
        source: BitSource | None = None,
        sieve: Sieve | None = None,
    ) -> Selected:
        """The candidates released, with noisy counts, given the number of units of each.

        With a sieve they are those that passed it.
        """
        return release_above(self.noise, self.threshold, counts, source, sieve)

    def sieve(self, source: BitSource, *, bits: int = 64) -> Sieve:
        """What a cluster decides about its keys, so that few of them travel: for one release."""
        return drawn(ChanceAbove(self.noise, self.threshold), source, bits)

    def loss(self) -> ApproximateDP:
        """What the release costs, whatever the counts are."""
        return ApproximateDP(epsilon=self.epsilon, delta=self.delta)

    def event(self) -> ApproximateEvent:
        """The release as the ledger keeps it."""
        return ApproximateEvent(epsilon=self.epsilon, delta=self.delta)

    @property
    def half_point(self) -> int:
        """The least number of units at which a key is released with probability 1/2 or more."""
        return self.threshold

    def keep_probability(self, count: int) -> float:
        """The probability that a key is released which so many units hold, in floats."""
        return chance_above(self.noise, self.threshold, count)

    def law(self, counts: object) -> ProductLaw:
        """The exact law of what is released: per candidate its noisy count, or None."""
        return ProductLaw(
            tuple(ThresholdLaw(count, self.threshold, self.noise) for count in held_units(counts))
        )


def _least_threshold(scale: Fraction, delta: Fraction, groups: int, neighbors: Neighbors) -> int:
    """The least T with P[1 + noise ≥ T] within the share of one key; above it where undecided.

    Under replace a vanished key, too, must be within e^(1/scale): either the probability is at
    most 1 - q, or twice as many keys share δ.
    """
    bits = 128 + ceil(scale).bit_length() + delta.denominator.bit_length()
    low, high = (Fraction(end, 1 << bits) for end in exp_minus(1 / scale, bits))
    share = key_share(delta, groups)
    if neighbors is Neighbors.REPLACE:
        share = max(min(share, 1 - high), key_share(delta, 2 * groups))
    # P[noise ≥ t] = q^t/(1+q) for t ≥ 1
    _, distance = logarithm(1 / (share * (1 + low)), bits)
    return max(LEAST_THRESHOLD, 1 + ceil(scale * Fraction(distance, 1 << bits)))
