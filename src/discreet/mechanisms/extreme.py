"""The largest value, privately."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.laplace import Laplace
from discreet.noise import BitSource, Keystream, uniform_below, weighted_choice
from discreet.privacy.laws import Weight, WeightedLaw
from discreet.privacy.losses import PureDP
from discreet.privacy.neighbors import Neighbors
from discreet.privacy.sensitive import Sensitive

Integers = NDArray[np.int64]

_MISS = Fraction(1, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMaximum:
    """A grid point with about ``rank`` records above it, by the exponential mechanism.

    Nothing between the largest record and the bound tells those points apart, so a draw aimed
    at the largest record itself would land anywhere in between.  Aiming a few ranks lower
    makes that improbable.

    Guarantee: ε-DP for either relation: one record moves a count above a point by at most one.
    Proof: docs/proofs/quantiles.md
    """

    epsilon: Fraction
    width: int

    @property
    def rank(self) -> int:
        """The rank aimed at: the bound's plateau is then chosen with probability below 5%."""
        return ceil((log(self.width + 1) - log(_MISS)) / float(self.epsilon / 2))

    def loss(self) -> PureDP:
        """What one draw costs."""
        return PureDP(epsilon=self.epsilon)

    def rank_error(self, confidence: Fraction) -> float:
        """How many records lie at most between the released value and the largest."""
        miss = log(self.width + 1) - log(1 - confidence)
        return self.rank + miss / float(self.epsilon / 2)

    def __call__(
        self, records: Sensitive[tuple[Integers, Integers]], *, source: BitSource | None = None
    ) -> int:
        """A grid point with about ``rank`` records above it."""
        bits = Keystream() if source is None else source
        starts, sizes, depths = self._candidates(*records.open())
        chosen = weighted_choice(depths - depths.min(), self.epsilon / 2, bits, sizes)
        return int(starts[chosen]) + uniform_below(int(sizes[chosen]), bits)

    def law(self, values: Sequence[int]) -> WeightedLaw:
        """The exact law of the output on records at these grid points, for small ranges."""
        places, counts = np.unique(np.asarray(values, np.int64), return_counts=True)
        starts, sizes, depths = self._candidates(places, counts.astype(np.int64))
        return WeightedLaw(
            {
                point: Weight(Fraction(1), self.epsilon / 2 * int(depth))
                for start, size, depth in zip(starts, sizes, depths, strict=True)
                for point in range(int(start), int(start + size))
            }
        )

    def _candidates(
        self, places: Integers, counts: Integers
    ) -> tuple[Integers, Integers, Integers]:
        """Runs of points with equal counts of records above: first point, size, depth."""
        above = np.concatenate([np.cumsum(counts[::-1])[::-1], [0]])
        starts = np.concatenate([[0], places])
        sizes = np.concatenate([places, [self.width + 1]]) - starts
        depths = np.abs(above - self.rank)
        real = sizes > 0
        return starts[real], sizes[real], depths[real]


@dataclass(frozen=True, slots=True, kw_only=True)
class HighestCell:
    """The highest grid point whose noisy count stands out, for ranges of few points.

    Guarantee: ε-DP, as a function of a noisy histogram.  Proof: docs/proofs/laplace.md
    """

    epsilon: Fraction
    width: int
    neighbors: Neighbors = Neighbors.ADD_REMOVE

    @property
    def noise(self) -> Laplace:
        """The noise on every cell: one record moves one cell, or two under replace."""
        moved = 1 if self.neighbors is Neighbors.ADD_REMOVE else 2
        return Laplace(scale=moved / self.epsilon)

    @property
    def threshold(self) -> int:
        """The least count that an empty cell's noise rarely reaches."""
        return ceil(log(self.width + 1) * float(self.noise.scale)) + 1

    def loss(self) -> PureDP:
        """What one draw costs."""
        return PureDP(epsilon=self.epsilon)

    def __call__(self, tally: Sensitive[Integers], *, source: BitSource | None = None) -> int:
        """The highest point whose noisy count reaches the threshold; the fullest if none does."""
        noisy = self.noise.release(tally, Keystream() if source is None else source)
        standing = np.flatnonzero(noisy >= self.threshold)
        return int(standing[-1]) if standing.size else int(np.argmax(noisy))

    def rank_error(self) -> float:
        """How many records lie at most above the released point, with probability 95%.

        Each of the points above holds fewer records than the threshold plus what the noise
        hides in all cells at once.
        """
        hidden = self.noise.accuracy(Fraction(95, 100), cells=self.width + 1)
        return float(self.width * (self.threshold + hidden))
