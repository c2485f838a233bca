"""The largest value, privately."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, log

import numpy as np

from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.laplace_law import log_of
from discreet.mechanisms.ranks import Integers, Records, Runs, deepest, read_share, unit_of
from discreet.noise import BitSource, Keystream, weighted_choice
from discreet.privacy.laws import Weight, WeightedLaw
from discreet.privacy.losses import PureDP
from discreet.privacy.neighbors import Neighbors
from discreet.privacy.sensitive import Sensitive
from discreet.privacy.uncertainty import as_float

_MISS = Fraction(1, 20)
_LARGEST_RANK = 1 << 32  # of shares: more people than there are
_LARGEST_WEIGHT = 1 << 60


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMaximum:
    """A grid point with a weight of about ``rank`` above it, by the exponential mechanism.

    Nothing between the largest record and the bound tells those points apart, so a draw aimed
    at the largest record itself would land anywhere in between.  Aiming a few ranks lower
    makes that improbable.  ``share`` is the most that one person's records weigh together; where
    a record weighs 1, weights are numbers of records.

    Guarantee: ε-DP for either relation: one person moves the weight above a point by at most the
    share, and the rank aimed at is fixed.  Proof: docs/proofs/quantiles.md
    """

    epsilon: Fraction
    width: int
    share: int = 1

    def __post_init__(self) -> None:
        read_share(self.share)

    @property
    def rank(self) -> int:
        """The rank aimed at: the bound's plateau is then chosen with probability below 5%."""
        return min(ceil(self._reach(_MISS)), _LARGEST_RANK * self.share, _LARGEST_WEIGHT)

    def loss(self) -> PureDP:
        """What one draw costs."""
        return PureDP(epsilon=self.epsilon)

    def rank_error(self, confidence: Fraction) -> float:
        """How much weight is at most above the released value.

        Infinite where ε is so small that this is beyond what is told apart.
        """
        reach, unit = self._reach(1 - confidence), unit_of(self.share)
        return as_float(self.rank + reach) if 2 * reach * unit < deepest(unit) else inf

    def _reach(self, miss: Fraction) -> Fraction:
        """By how much weight a draw is farther off than the best point, but for this chance."""
        return Fraction(log(self.width + 1) - log_of(miss)) * 2 * self.share / self.epsilon

    def __call__(
        self, records: Sensitive[tuple[Integers, Integers]], *, source: BitSource | None = None
    ) -> int:
        """A grid point with a weight of about ``rank`` above it.

        The records are distinct places in increasing order, and the weight at each.
        """
        bits = Keystream() if source is None else source
        runs = self._runs(*records.open())
        return runs.pick(weighted_choice(runs.depths, self._rate, bits, runs.sizes), bits)

    def law(self, values: Sequence[int]) -> WeightedLaw:
        """The exact law of the output on records at these grid points, for small ranges."""
        places, counts = np.unique(np.asarray(values, np.int64), return_counts=True)
        runs = self._runs(places, counts.astype(np.int64))
        return WeightedLaw(
            {
                point: Weight(Fraction(1), self._rate * int(depth))
                for start, size, depth in zip(*runs, strict=True)
                for point in range(int(start), int(start + size))
            }
        )

    @property
    def _rate(self) -> Fraction:
        """The weight of one unit of depth in the exponent."""
        return self.epsilon / (2 * unit_of(self.share) * self.share)

    def _runs(self, places: Integers, counts: Integers) -> Runs:
        records = Records(0, self.width, places, counts, unit_of(self.share))
        starts, sizes, depths = records.points((records.size - self.rank) * records.unit)
        return Runs(starts, sizes, depths - depths.min())


@dataclass(frozen=True, slots=True, kw_only=True)
class HighestCell:
    """The highest grid point whose noisy count stands out, for ranges of few points.

    ``share`` is the most that one person's records weigh together; counts are then weights.

    Guarantee: ε-DP, as a function of a noisy histogram.  Proof: docs/proofs/laplace.md
    """

    epsilon: Fraction
    width: int
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    share: int = 1

    def __post_init__(self) -> None:
        read_share(self.share)

    @property
    def noise(self) -> Laplace:
        """The noise on every cell: a person moves all cells by a share, or two under replace."""
        moved = self.share if self.neighbors is Neighbors.ADD_REMOVE else 2 * self.share
        return Laplace(scale=moved / self.epsilon)

    @property
    def threshold(self) -> int:
        """The least count that an empty cell's noise rarely reaches."""
        return ceil(Fraction(log(self.width + 1)) * self.noise.scale) + 1

    def loss(self) -> PureDP:
        """What one draw costs."""
        return PureDP(epsilon=self.epsilon)

    def __call__(self, tally: Sensitive[Integers], *, source: BitSource | None = None) -> int:
        """The highest point whose noisy count reaches the threshold; the fullest if none does."""
        noisy = self.noise.release(tally, Keystream() if source is None else source)
        standing = np.flatnonzero(noisy >= self.threshold)
        return int(standing[-1]) if standing.size else int(np.argmax(noisy))

    def rank_error(self, point: int, confidence: Fraction) -> float:
        """How much weight is at most above the released point.

        Each cell above it has a noisy count below the threshold, so it holds less weight than
        the threshold plus what the noise hides in all cells at once.
        """
        hidden = int(self.noise.accuracy(confidence, cells=self.width + 1))
        return as_float(Fraction((self.width - point) * (self.threshold - 1 + hidden)))
