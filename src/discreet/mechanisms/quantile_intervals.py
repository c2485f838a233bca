"""Quantiles with what is known of them: an interval around each, and how far off its rank is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil

import numpy as np

from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.quantiles import Quantiles, QuantileTask, level_ranges
from discreet.mechanisms.ranks import (
    BaseMeasure,
    Integers,
    WeightedPositions,
    greatest_depth,
    rank_units,
    read_share,
)
from discreet.noise import BitSource, Keystream, weighted_choice
from discreet.privacy.events import (
    ApproximateEvent,
    BoundedRangeEvent,
    ComposedEvent,
    Event,
    PureEvent,
    RepeatedEvent,
)
from discreet.privacy.laws import Weight, WeightedLaw
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.sensitivity import Neighbors, Sensitive, Sensitivity
from discreet.privacy.uncertainty import as_float

VALUES, INTERVALS, RANKS = Fraction(2, 3), Fraction(1, 6), Fraction(1, 6)
"""The parts of a price: for the values, the intervals around them, and their ranks."""

_ODDS = 19  # a drawn interval holds so many times as often as it misses
_LOG_ODDS = Fraction(2_944_439, 1_000_000)  # just above ln 19
_DOUBLINGS = 28  # the narrowest interval is about 2^-28 of the range
_EVEN = Fraction(1)  # the ε at which ways to draw several values are compared
_CONFIDENCE = Fraction(95, 100)


@lru_cache(maxsize=64)
def half_widths(width: int) -> tuple[int, ...]:
    """How far intervals reach to either side, in steps: 0, then two for every doubling.

    The last one is the whole range, wherever its middle is.

    >>> half_widths(10)
    (0, 1, 2, 3, 4, 6, 8, 10)
    """
    size = 1 << max(0, width.bit_length() - _DOUBLINGS)
    halves = [0]
    while size < width:
        halves += [half for half in dict.fromkeys((size, size + size // 2)) if half < width]
        size *= 2
    return (*halves, width)


@lru_cache(maxsize=64)
def wider(confidence: Fraction) -> int:
    """By how many sizes the drawn interval is too narrow to hold with this probability.

    >>> wider(Fraction(95, 100)), wider(Fraction(99, 100))
    (0, 3)
    """
    odds, more = confidence / (1 - confidence), 0
    while _ODDS << more < odds:
        more += 1
    return more


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantileInterval:
    """The size of an interval around a point that holds a quantile, by the exponential mechanism.

    The intervals around ``point`` that ``half_widths`` lists hold one another.  An interval's slack
    is how much weight it holds beyond the quantile on the side where that is less.  One is
    wanted whose slack is ``slack``, and each size weighs twice as much as the one before it.

    Guarantee: ε-DP, and a loss within a range of ε, for every point that was chosen without the
    records or released before.  Whatever the records are, the drawn interval misses a quantile
    of theirs with a probability of at most 1/20, and the one ``k`` sizes up with at most
    1/(1 + 19·2^k).  Proof: docs/proofs/quantile-intervals.md
    """

    probability: Fraction
    epsilon: Fraction
    width: int
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    share: int = 1

    def __post_init__(self) -> None:
        read_share(self.share)

    def loss(self) -> PureDP:
        """What one draw costs."""
        return PureDP(epsilon=self.epsilon)

    @property
    def slack(self) -> int:
        """How much weight beyond the quantile is wanted on either side, in units."""
        return ceil(_LOG_ODDS / self._rate)

    def ends(self, point: int, size: int, confidence: Fraction = _CONFIDENCE) -> tuple[int, int]:
        """The interval of a drawn size, or the wider one that holds with more confidence."""
        halves = half_widths(self.width)
        half = halves[min(size + wider(confidence), len(halves) - 1)]
        return max(0, point - half), min(self.width, point + half)

    def __call__(
        self,
        records: Sensitive[tuple[Integers, Integers]],
        point: int,
        *,
        source: BitSource | None = None,
    ) -> int:
        """The size of an interval around the point, as its place among ``half_widths``."""
        bits = Keystream() if source is None else source
        return self.draw(self._records(*records.open()), point, bits)

    def draw(self, records: WeightedPositions, point: int, source: BitSource) -> int:
        """The same on records whose ranks are known."""
        halves = half_widths(self.width)
        if 2 * self.slack >= greatest_depth(records.unit):
            return len(halves) - 1  # an ε so small says nothing about the records
        weights = [1 << size for size in range(len(halves))]
        return weighted_choice(self.depths(records, point), self._rate, source, weights)

    def depths(self, records: WeightedPositions, point: int) -> list[int]:
        """How far the wanted slack is from those that each interval has beyond the one before."""
        lacks = lacking(records, self._task.target(records.size), point, half_widths(self.width))
        least, most = -self.slack, greatest_depth(records.unit)
        depths = []
        for size, lack in enumerate(lacks):
            before = least - lacks[size - 1] if size else 0
            own = lack - least if size < len(lacks) - 1 else 0  # the whole range lacks nothing
            depths.append(min(max(0, before, own), most))
        return depths

    def law(self, values: Sequence[int], point: int) -> WeightedLaw:
        """The exact law of the size on records at these grid points, for small ranges."""
        places, counts = np.unique(np.asarray(values, np.int64), return_counts=True)
        depths = self.depths(self._records(places, counts.astype(np.int64)), point)
        return WeightedLaw(
            {
                size: Weight(Fraction(1 << size), self._rate * depth)
                for size, depth in enumerate(depths)
            }
        )

    @property
    def _task(self) -> QuantileTask:
        return QuantileTask((self.probability,), self.epsilon, unit=rank_units(self.share))

    @property
    def _rate(self) -> Fraction:
        """The weight of one unit of slack in the exponent."""
        return self._task.rate(self.neighbors) / self.share

    def _records(self, places: Integers, weights: Integers) -> WeightedPositions:
        return WeightedPositions(0, self.width, places, weights, rank_units(self.share))


def lacking(
    records: WeightedPositions, target: int, point: int, halves: Sequence[int]
) -> list[int]:
    """By how many units each interval around a point falls short of a rank.

    Negative where the weight below it is less than the rank, and that up to its end is more.
    """
    reach = np.asarray(halves, np.int64)
    below = records.ranks[np.searchsorted(records.places, point - reach, "left")]
    up_to = records.ranks[np.searchsorted(records.places, point + reach, "right")]
    off: list[int] = np.maximum(records.off(below, target), -records.off(up_to, target)).tolist()
    return off


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRank:
    """How far the rank of a released point is from a quantile's, with Laplace noise.

    Guarantee: ε-DP.  One record more or less moves the distance by at most max(q, 1-q), and one
    that changes its place by at most one.  Proof: docs/proofs/quantile-intervals.md
    """

    probability: Fraction
    epsilon: Fraction
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    share: int = 1

    @property
    def noise(self) -> Laplace:
        """The noise, in units of rank."""
        return Laplace(scale=self.reach / self.epsilon)

    @property
    def reach(self) -> int:
        """How far a person may move the distance, in units."""
        unit = rank_units(self.share)
        if self.neighbors is Neighbors.REPLACE:
            return unit * self.share
        return ceil(max(self.probability, 1 - self.probability) * unit) * self.share

    def distance(self, records: WeightedPositions, point: int) -> int:
        """The true distance in units: 0 for every value among which the quantile is."""
        target = QuantileTask((self.probability,), self.epsilon, unit=records.unit).target(
            records.size
        )
        return max(0, lacking(records, target, point, (0,))[0])

    def draw(self, records: WeightedPositions, point: int, source: BitSource) -> int:
        """The distance with fresh noise."""
        noisy: int = self.noise.release(Sensitive(self.distance(records, point)), source)
        return noisy

    def at_most(self, noisy: int, confidence: Fraction) -> float:
        """What the weight between point and quantile exceeds with at most this chance to miss.

        No distance is below 0: a noisy one that is counts as 0, and never hides what noise may.
        """
        hidden = int(self.noise.accuracy(1 - 2 * (1 - confidence)))  # on one side alone
        return as_float(Fraction(max(0, noisy) + hidden, rank_units(self.share)))


@lru_cache(maxsize=256)
def draws_apart(
    probabilities: tuple[Fraction, ...],
    width: int,
    measure: BaseMeasure | None,
    neighbors: Neighbors,
) -> bool:
    """Whether values drawn each by itself have the smaller guaranteed errors of rank in all.

    The other way is by recursive halving.  Both are compared at the same price, by what is known
    before any record is seen; one value is drawn alike by both.
    """
    count = len(probabilities)
    whole = Quantiles(
        probabilities=probabilities,
        epsilon=_EVEN,
        width=width,
        neighbors=neighbors,
        measure=measure,
    )
    each = 1 - (1 - _CONFIDENCE) / count
    alone = [
        replace(whole, probabilities=(level,), epsilon=_EVEN / count).rank_errors(each)[0]
        for level in probabilities
    ]
    return count > 1 and sum(alone) <= sum(whole.rank_errors(_CONFIDENCE))


@lru_cache(maxsize=256)
def equal_draws(
    probabilities: tuple[Fraction, ...], width: int, measure: BaseMeasure | None
) -> Fraction:
    """The number of draws of equal range that cost as much ρ as all that is drawn and measured.

    At least so many under either relation.  Laplace noise of an ε costs no more than a draw of
    range 2ε.

    >>> equal_draws((Fraction(1, 2),), 9, None)
    Fraction(12, 7)
    """
    count = len(probabilities)
    squares = Fraction(1, count)
    if not all(draws_apart(probabilities, width, measure, relation) for relation in Neighbors):
        ranges = level_ranges(count)
        squares = max(squares, Fraction(sum(one * one for one in ranges), sum(ranges) ** 2))
    return 1 / (VALUES**2 * squares + (INTERVALS**2 + 4 * RANKS**2) / count)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedQuantiles:
    """Quantiles on the grid points 0 … width, each with an interval that holds it, and its rank.

    Two thirds of ε find the values, by recursive halving or each by itself, whichever has the
    smaller guaranteed errors.  One sixth draws the intervals around them, and one measures their
    ranks.  ``share``, ``measure`` and the relation are those of ``Quantiles``.

    Released are the values in order, then the size of each one's interval, then how far each one
    is off in rank, with noise.

    Guarantee: ε-DP; ``event`` lists draws of bounded range and Laplace noise, one after the
    other.  Proof: docs/proofs/quantile-intervals.md
    """

    probabilities: tuple[Fraction, ...]
    epsilon: Fraction
    width: int
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    share: int = 1
    measure: BaseMeasure | None = None

    def __post_init__(self) -> None:
        read_share(self.share)

    def loss(self) -> PureDP:
        """What everything costs together."""
        return PureDP(epsilon=self.epsilon)

    def event(
        self, sensitivity: Sensitivity, loss: PureDP | ApproximateDP
    ) -> ComposedEvent | ApproximateEvent:
        """What a ledger writes down: the draws of values and intervals, and the noise on ranks.

        >>> mechanism = BoundedQuantiles(
        ...     probabilities=(Fraction(1, 2),), epsilon=Fraction(1), width=9
        ... )
        >>> for event in mechanism.event(Sensitivity(l1=1), PureDP(epsilon=1)).events:
        ...     print(event)
        BoundedRangeEvent(epsilon=Fraction(2, 3))
        BoundedRangeEvent(epsilon=Fraction(1, 6))
        PureEvent(epsilon=Fraction(1, 6))
        """
        if isinstance(loss, ApproximateDP) and loss.delta:
            return ApproximateEvent(epsilon=loss.epsilon, delta=loss.delta)
        whole, count = loss.epsilon, len(self.probabilities)
        found = self.values
        own = PureDP(epsilon=whole * VALUES / len(found))
        value = found[0].event(sensitivity, own)
        interval = BoundedRangeEvent(epsilon=whole * INTERVALS / count)
        rank = PureEvent(epsilon=whole * RANKS / count)
        return ComposedEvent(
            events=(_times(value, len(found)), _times(interval, count), _times(rank, count))
        )

    @property
    def values(self) -> tuple[Quantiles, ...]:
        """What finds the values: all at once, or one after the other."""
        levels = [self.probabilities]
        if draws_apart(self.probabilities, self.width, self.measure, self.neighbors):
            levels = [(level,) for level in self.probabilities]
        return tuple(
            Quantiles(
                probabilities=some,
                epsilon=self.epsilon * VALUES / len(levels),
                width=self.width,
                neighbors=self.neighbors,
                share=self.share,
                measure=self.measure,
            )
            for some in levels
        )

    def interval(self, place: int) -> QuantileInterval:
        """What draws the interval around one of the values."""
        return QuantileInterval(
            probability=self.probabilities[place],
            epsilon=self.epsilon * INTERVALS / len(self.probabilities),
            width=self.width,
            neighbors=self.neighbors,
            share=self.share,
        )

    def rank(self, place: int) -> MeasuredRank:
        """What measures the rank of one of the values."""
        return MeasuredRank(
            probability=self.probabilities[place],
            epsilon=self.epsilon * RANKS / len(self.probabilities),
            neighbors=self.neighbors,
            share=self.share,
        )

    def __call__(
        self, records: Sensitive[tuple[Integers, Integers]], *, source: BitSource | None = None
    ) -> list[int]:
        """The values as grid points in increasing order, their intervals, and their ranks."""
        bits = Keystream() if source is None else source
        places, weights = records.open()
        ordered = WeightedPositions(0, self.width, places, weights, rank_units(self.share))
        # Put in order, no value is farther off than the worst was: they may be drawn apart.
        points = sorted(point for values in self.values for point in values(records, source=bits))
        drawn = list(enumerate(points))
        sizes = [self.interval(place).draw(ordered, point, bits) for place, point in drawn]
        return [*points, *sizes, *(self.rank(n).draw(ordered, point, bits) for n, point in drawn)]

    def release(
        self, groups: Sequence[Sensitive[tuple[Integers, Integers]]], bits: BitSource
    ) -> tuple[int, ...]:
        """What is released of several groups, one after another."""
        return tuple(number for group in groups for number in self(group, source=bits))

    def described(self, step: Fraction) -> str:
        """How a plan names it."""
        return type(self).__name__

    def stated_rank(self, noisy: Sequence[int], place: int, confidence: Fraction) -> float:
        """How far off the rank of a released value is at most, as it was measured."""
        return self.rank(place).at_most(noisy[2 * len(self.probabilities) + place], confidence)

    def planned_rank(self, place: int, confidence: Fraction) -> tuple[float, bool]:
        """About how far off it will be stated to be, and that it is measured then."""
        return self.expected_rank_errors(confidence)[place], True

    def expected_rank_errors(self, confidence: Fraction) -> list[float]:
        """What the error of each rank will about be stated as, where values lie evenly.

        That is how far a value is off on average, and what the noise on its rank may hide.
        """
        hidden = [
            as_float(Fraction(int(self.rank(place).noise.accuracy(1 - 2 * (1 - confidence)))))
            / rank_units(self.share)
            for place in range(len(self.probabilities))
        ]
        own = [error for values in self.values for error in values.usual_rank_errors()]
        return [drawn + measured for drawn, measured in zip(own, hidden, strict=True)]


def _times(event: Event, many: int) -> Event:
    return event if many == 1 else RepeatedEvent(event=event, count=many)
