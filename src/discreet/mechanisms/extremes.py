"""The largest value, privately."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, log

import numpy as np

from discreet.mechanisms.laplace import Laplace, log_of
from discreet.mechanisms.ranks import (
    BaseMeasure,
    CandidateRuns,
    Integers,
    PositionScale,
    WeightedPositions,
    greatest_depth,
    rank_units,
    read_share,
)
from discreet.noise import BitSource, Keystream, weighted_choice
from discreet.privacy.events import (
    ApproximateEvent,
    BoundedRangeEvent,
    DiscreteLaplaceEvent,
    range_event,
)
from discreet.privacy.laws import Weight, WeightedLaw
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.sensitivity import Neighbors, Sensitive, Sensitivity
from discreet.privacy.uncertainty import as_float

_RANKS, _DRAWS = 33, 2  # aimed at: so many records, and so many times 1/ε, from the end
_FARTHEST = 53  # times 1/ε: what is farther is no longer needed to leave the bound alone
_PART = 12  # of all records at most one in so many is above the rank aimed at
_BEYOND, _BEFORE = 6, 5  # how steep the weights fall on either side of it
_LARGEST_RANK = 1 << 32  # of shares: more people than there are
_LARGEST_WEIGHT = 1 << 60


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMaximum:
    """A grid point with a weight of about ``rank`` above it, by the exponential mechanism.

    Nothing between the largest record and the bound tells those points apart, so a draw aimed
    at the largest record itself would land anywhere in between.  Aiming some ranks lower makes
    that less probable: ``rank`` of them, but never more than a twelfth of all weight.  ``share``
    is the most that one person's records weigh together; where a record weighs 1, weights are
    numbers of records.  ``measure`` is how much each point weighs before any record is seen.

    Guarantee: ε-DP for either relation: one record more moves the weight above a point by 0 or 1
    and the rank aimed at by 0 to 1/12; a record that changes its place moves the weight above all
    points one way, by 0 or 1.  The loss stays within a range of ε.  Proofs:
    docs/proofs/rounding-in-ranks.md, docs/proofs/bounded-range.md
    """

    epsilon: Fraction
    width: int
    share: int = 1
    measure: BaseMeasure | None = None

    def __post_init__(self) -> None:
        read_share(self.share)

    @property
    def rank(self) -> int:
        """The rank aimed at where there are many records."""
        wanted = min(_RANKS + _DRAWS / self.epsilon, _FARTHEST / self.epsilon) * self.share
        return min(ceil(wanted), _LARGEST_RANK * self.share, _LARGEST_WEIGHT)

    def loss(self) -> PureDP:
        """What one draw costs."""
        return PureDP(epsilon=self.epsilon)

    def event(
        self, sensitivity: Sensitivity, loss: PureDP | ApproximateDP
    ) -> BoundedRangeEvent | ApproximateEvent:
        """What a ledger writes down: the promised loss, as the range that the loss stays within.

        Where a person may move from one group to another it is twice ``loss()``.

        >>> mechanism = NearMaximum(epsilon=Fraction(1), width=9)
        >>> mechanism.event(Sensitivity(l1=1), PureDP(epsilon=2))
        BoundedRangeEvent(epsilon=Fraction(2, 1))
        """
        return range_event(loss)

    def rank_error(self, confidence: Fraction) -> float:
        """How much weight is at most above the released value.

        Infinite where ε is so small that this is beyond what is told apart.
        """
        candidates = self.width + 1
        if self.measure is not None:
            candidates = -(-self.measure.total // self.measure.least)
        depth = Fraction(log(candidates) - log_of(1 - confidence)) / self._rate
        if 2 * depth >= greatest_depth(rank_units(self.share)):
            return inf
        return as_float(self.rank + depth / (_BEFORE * rank_units(self.share)))

    def __call__(
        self, records: Sensitive[tuple[Integers, Integers]], *, source: BitSource | None = None
    ) -> int:
        """A grid point with a weight of about ``rank`` above it.

        The records are distinct places in increasing order, and the weight at each.
        """
        bits = Keystream() if source is None else source
        runs = self._runs(*records.open())
        run = weighted_choice(runs.depths, self._rate, bits, runs.sizes)
        return PositionScale(self.measure).pick(runs, run, bits)

    def release(
        self, groups: Sequence[Sensitive[tuple[Integers, Integers]]], bits: BitSource
    ) -> tuple[int, ...]:
        """A point of each of several groups."""
        return tuple(self(group, source=bits) for group in groups)

    def described(self, step: Fraction) -> str:
        """How a plan names it."""
        return type(self).__name__

    def law(self, values: Sequence[int]) -> WeightedLaw:
        """The exact law of the output on records at these grid points, for small ranges."""
        places, counts = np.unique(np.asarray(values, np.int64), return_counts=True)
        runs = self._runs(places, counts.astype(np.int64))
        ends = [*runs.starts[1:].tolist(), self.width + 1]
        return WeightedLaw(
            {
                point: Weight(self._weight(point), self._rate * int(depth))
                for start, end, depth in zip(runs.starts, ends, runs.depths, strict=True)
                for point in range(int(start), end)
            }
        )

    def _weight(self, point: int) -> Fraction:
        if self.measure is None:
            return Fraction(1)
        return Fraction(self.measure.at(point))

    @property
    def _rate(self) -> Fraction:
        """The weight of one unit of depth in the exponent.

        The weights above all points move one way, so that a steeper slope on one side of the rank
        aimed at is paid by the other: the slopes add up.
        """
        return self.epsilon / ((_BEYOND + _BEFORE) * rank_units(self.share) * self.share)

    def _runs(self, places: Integers, counts: Integers) -> CandidateRuns:
        records = WeightedPositions(
            0, self.width, places, counts, rank_units(self.share), self.measure
        )
        whole = records.size * records.unit
        aimed = min(self.rank * records.unit, whole // _PART)
        starts, sizes, depths = records.points(whole - aimed, _BEYOND, _BEFORE)
        return CandidateRuns(starts, sizes, depths - depths.min())


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
        """The noise on every cell."""
        return Laplace(scale=self._moved / self.epsilon)

    @property
    def _moved(self) -> int:
        """A person moves all cells by a share, or two under replace."""
        return self.share if self.neighbors is Neighbors.ADD_REMOVE else 2 * self.share

    @property
    def threshold(self) -> int:
        """The least count that an empty cell's noise rarely reaches."""
        return ceil(Fraction(log(self.width + 1)) * self.noise.scale) + 1

    def loss(self) -> PureDP:
        """What one draw costs."""
        return PureDP(epsilon=self.epsilon)

    def event(self, sensitivity: Sensitivity, loss: PureDP | ApproximateDP) -> DiscreteLaplaceEvent:
        """What a ledger writes down: the noise of the histogram, of which the rest is a function.

        >>> mechanism = HighestCell(epsilon=Fraction(1, 2), width=9, neighbors=Neighbors.REPLACE)
        >>> mechanism.event(Sensitivity(l1=2), PureDP(epsilon="1/2"))
        DiscreteLaplaceEvent(scale=Fraction(4, 1), sensitivity=2)
        """
        return self.noise.event(Sensitivity(l1=Fraction(self._moved)), loss)

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
