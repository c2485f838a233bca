"""Noisy counts of the keys that enough units hold, with Gaussian noise."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from discreet.exact import square_root
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.gaussian_law import least_reach
from discreet.mechanisms.gaussian_moves import Move
from discreet.mechanisms.gaussian_privacy import is_proved
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

_ROOT_BITS = 64
_WHOLE = tuple(Fraction(part, 128) for part in (128, 127, 120, 96, 64))
"""Parts of δ for the keys of one unit alone while the noise has all of it too."""

_SPLITS = tuple(Fraction(part, 16) for part in range(2, 16))
"""Parts of δ for the noise where the two must share it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianThreshold:
    """Releases the noisy counts that reach a threshold, of the keys that some unit holds.

    Guarantee: where one unit holds at most ``groups`` keys, the released keys and counts
    together are (ε,δ)-DP, and a key of one unit alone is released with probability at most
    1 - (1-δ)^(1/groups).  Proof: docs/proofs/key-selection.md

    >>> selection = GaussianThreshold(epsilon=1, delta=1e-6, groups=64)
    >>> selection.noise, selection.threshold
    (Gaussian(sigma=33.79773), 189)
    """

    epsilon: Fraction
    delta: Fraction
    groups: int
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    noise: Gaussian = field(init=False, repr=False, compare=False)
    threshold: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        read = read_selection(self.epsilon, self.delta, self.groups, self.neighbors)
        for name, value in zip(("epsilon", "delta", "groups", "neighbors"), read, strict=True):
            object.__setattr__(self, name, value)
        noise, threshold = _calibrated(*read)
        object.__setattr__(self, "noise", noise)
        object.__setattr__(self, "threshold", threshold)

    def __repr__(self) -> str:
        return (
            f"GaussianThreshold(epsilon={self.epsilon}, delta={self.delta}, groups={self.groups}, "
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


@lru_cache(maxsize=256)
def _calibrated(
    epsilon: Fraction, delta: Fraction, groups: int, neighbors: Neighbors
) -> tuple[Gaussian, int]:
    """The noise and the threshold.

    A key that a unit moves is held by others, and the noise protects it, or by nobody else, and
    the threshold does.  The more of one kind, the fewer of the other: mostly both may use the
    whole of δ.  Where that is not proved, they split it.
    """
    moved = moved_keys(groups, neighbors)
    noise = _noise(moved, epsilon, delta)
    for part in _WHOLE:
        share = key_share(part * delta, groups)
        if _covers(noise, share, epsilon, delta, groups, neighbors):
            return noise, _threshold(noise, share)
    choices = []
    for part in _SPLITS:
        noise = _noise(moved, epsilon, part * delta)
        left = 1 - (1 - delta) / (1 - part * delta)
        choices.append((noise, _threshold(noise, key_share(left, moved))))
    return min(choices, key=lambda choice: choice[1])


def _noise(moved: int, epsilon: Fraction, delta: Fraction) -> Gaussian:
    return Gaussian.calibrated(sensitivity=_root(moved), epsilon=epsilon, delta=delta)


def _root(keys: int) -> Fraction:
    """√keys, rounded up: how far so many counts move that each move by one."""
    return Fraction(square_root(Fraction(keys), _ROOT_BITS)[1], 1 << _ROOT_BITS)


def _threshold(noise: Gaussian, share: Fraction) -> int:
    """The least T with P[1 + noise ≥ T] ≤ share, for certain: half of P[|noise| > T - 2]."""
    if 2 * share >= 1:
        return LEAST_THRESHOLD
    return LEAST_THRESHOLD + least_reach(noise.sigma**2, 1 - 2 * share, 1)


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
