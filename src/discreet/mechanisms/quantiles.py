"""Quantiles by the exponential mechanism on a grid, and the exact law of the draws."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, inf, log

import numpy as np

from discreet.exact import exp_minus
from discreet.mechanisms.laplace import log_of
from discreet.mechanisms.ranks import (
    UNIT,
    BaseMeasure,
    CandidateRuns,
    Integers,
    PositionScale,
    WeightedPositions,
    divisions,
    greatest_depth,
    rank_units,
    read_share,
)
from discreet.noise import BitSource, Keystream, bernoulli, decay, weighted_choice
from discreet.privacy.events import (
    ApproximateEvent,
    BoundedRangeEvent,
    ComposedEvent,
    RepeatedEvent,
)
from discreet.privacy.laws import EnclosedLaw
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.sensitivity import Neighbors, Sensitive, Sensitivity
from discreet.privacy.uncertainty import as_float

Laws = dict[tuple[int, ...], tuple[int, int]]
"""Enclosures of 2^bits times the probability of each outcome."""


def point_law(runs: CandidateRuns, rate: Fraction, bits: int, scale: PositionScale) -> Laws:
    """The law of one point, chosen with probability proportional to e^(-rate·depth)."""
    chances = _chances(runs, rate, bits)
    return {
        (point,): (many * low, many * high)
        for start, size, (low, high) in zip(runs.starts, runs.sizes, chances, strict=True)
        for point, many in _pieces(int(start), int(size), scale)
    }


def divided_law(
    runs: CandidateRuns,
    rate: Fraction,
    bits: int,
    scale: PositionScale,
    halves: Callable[[int], list[Laws]],
) -> Laws:
    """The law of a position's point together with what is drawn on either side of it."""
    laws: dict[tuple[int, ...], list[int]] = {}
    chances = _chances(runs, rate, bits)
    for start, size, (low, high) in zip(runs.starts, runs.sizes, chances, strict=True):
        for first, many in _pieces(int(start), int(size), scale):
            left, right = halves(first)
            for before, (left_low, left_high) in left.items():
                for after, (right_low, right_high) in right.items():
                    total = laws.setdefault((*before, first // scale.parts, *after), [0, 0])
                    total[0] += many * low * left_low * right_low >> 2 * bits
                    total[1] += -(-many * high * left_high * right_high >> 2 * bits)
    return {outcome: (low, high) for outcome, (low, high) in laws.items()}


def _pieces(start: int, size: int, scale: PositionScale) -> Iterator[tuple[int, int]]:
    """The run cut where points meet: the first position of each piece and what it weighs.

    All positions of a piece lie in one point and have one rank, so they divide records equally.
    """
    while size > 0:
        end = (start // scale.parts + 1) * scale.parts
        many = end - start
        if scale.measure is not None:
            many *= scale.measure.at(start // scale.parts)
        many = min(size, many)
        yield start, many
        start, size = end, size - many


def _chances(runs: CandidateRuns, rate: Fraction, bits: int) -> list[tuple[int, int]]:
    """Enclosures of 2^bits times the probability of one candidate of each run."""
    least = int(runs.depths.min())
    weights = [exp_minus(rate * (int(depth) - least), bits + 64) for depth in runs.depths]
    sizes = [int(size) for size in runs.sizes]
    low = sum(size * weight for size, (weight, _) in zip(sizes, weights, strict=True))
    high = sum(size * weight for size, (_, weight) in zip(sizes, weights, strict=True))
    return [((lower << bits) // high, -(-(upper << bits) // low)) for lower, upper in weights]


@dataclass(frozen=True, slots=True)
class QuantileTask:
    """The quantiles to be found in one part, and the ε that may be spent on it and its halves.

    ``alone`` says that no record is in another part while this one is drawn from.
    """

    wanted: tuple[Fraction, ...]
    budget: Fraction
    alone: bool = True
    unit: int = UNIT

    @property
    def middle(self) -> Fraction:
        """The quantile to find first."""
        return self.wanted[len(self.wanted) // 2]

    @property
    def is_last(self) -> bool:
        """Whether nothing remains to be found in the halves."""
        return len(self.wanted) == 1

    @property
    def share(self) -> Fraction:
        """What the middle quantile may cost: the same on every level from here on."""
        return self.budget / len(self.wanted).bit_length()

    def target(self, records: int) -> int:
        """The rank that is aimed at, in units, rounded down."""
        return int(self.middle * records * self.unit)

    def rate(self, neighbors: Neighbors) -> Fraction:
        """The weight of one unit of depth in the exponent, where one record moves.

        One record more or less in the part moves a depth by at most max(q, 1-q) records, rounded
        up to a unit; a record that changes its place moves it by at most one record.  Under
        replace two parts may change by one record each.
        """
        reach = ceil(max(self.middle, 1 - self.middle) * self.unit)
        if neighbors is Neighbors.ADD_REMOVE:
            return self.share / (2 * reach)
        return self.share / (2 * self.unit if self.alone else 4 * reach)

    def halves(self) -> tuple["QuantileTask", "QuantileTask"]:
        """What is left to do on either side of the middle quantile, in ranks of that side."""
        left, right = _halved(self.wanted)
        alone = self.alone and not (left and right)
        rest = self.budget - self.share
        return QuantileTask(left, rest, alone, self.unit), QuantileTask(
            right, rest, alone, self.unit
        )


@lru_cache(maxsize=1024)
def _halved(wanted: tuple[Fraction, ...]) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """The quantiles before and after the middle one, in ranks of their own half.

    They are the same for every ε, of which a search for a margin tries many.
    """
    cut = len(wanted) // 2
    middle = wanted[cut]
    left = tuple(q / middle for q in wanted[:cut])
    return left, tuple((q - middle) / (1 - middle) for q in wanted[cut + 1 :])


@lru_cache(maxsize=256)
def level_ranges(count: int) -> tuple[int, ...]:
    """The ranges of the draws that one record is in, in equal parts of ε: of the worst path.

    So many quantiles take h levels of draws, one part of ε each.  A record whose half needs fewer
    levels than are left meets larger parts.  All that can happen is majorized by what is listed:
    some part is twice as large where one of four quantiles stands alone in its half.

    >>> level_ranges(1), level_ranges(3), level_ranges(4), level_ranges(9)
    ((1,), (1, 1), (2, 1), (2, 1, 1))
    """
    levels = count.bit_length()
    return (2, *(1,) * (levels - 2)) if _is_uneven(count) else (1,) * levels


def _is_uneven(count: int) -> bool:
    """Whether halving so many quantiles ever leaves four, of which two and one are left."""
    halves = ((count - 1) // 2, count // 2)
    return count == 4 or (count > 4 and any(map(_is_uneven, halves)))


@lru_cache(maxsize=256)
def _levels_event(
    epsilon: Fraction, count: int
) -> BoundedRangeEvent | RepeatedEvent | ComposedEvent:
    ranges = level_ranges(count)
    events = []
    for part in sorted(set(ranges), reverse=True):
        event = BoundedRangeEvent(epsilon=epsilon * part / sum(ranges))
        times = ranges.count(part)
        events.append(event if times == 1 else RepeatedEvent(event=event, count=times))
    return events[0] if len(events) == 1 else ComposedEvent(events=tuple(events))


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantiles:
    """Quantiles of records on the grid points 0 … width, ε-DP together.

    ``probabilities`` are distinct, in increasing order, strictly between 0 and 1.

    ``share`` is the most that one person's records weigh together.  Under add/remove a person
    adds or takes away so much; under replace, as much is taken away and as much added, at most,
    and the total weight need not stay.

    ``measure`` is how much each point weighs before any record is seen; all alike without it.

    Guarantee: ε-DP; a single quantile also has a loss within a range of ε, and several are the
    draws of such ranges that ``event`` lists, one after the other.  Proofs:
    docs/proofs/quantiles.md, docs/proofs/bounded-range.md
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
        """What all the quantiles cost together."""
        return PureDP(epsilon=self.epsilon)

    def event(
        self, sensitivity: Sensitivity, loss: PureDP | ApproximateDP
    ) -> BoundedRangeEvent | RepeatedEvent | ComposedEvent | ApproximateEvent:
        """What a ledger writes down: a draw of bounded range for every level of the recursion.

        A level is chosen by the draws before it, so that the levels together have no range of ε.
        The loss is the promised one: where a person may move from one group to another it is
        twice ``loss()``.

        >>> quantiles = Quantiles(probabilities=(Fraction(1, 2),), epsilon=Fraction(1), width=9)
        >>> quantiles.event(Sensitivity(l1=1), PureDP(epsilon=2))
        BoundedRangeEvent(epsilon=Fraction(2, 1))
        """
        if isinstance(loss, ApproximateDP) and loss.delta:
            return ApproximateEvent(epsilon=loss.epsilon, delta=loss.delta)
        return _levels_event(loss.epsilon, len(self.probabilities))

    def __call__(
        self, records: Sensitive[tuple[Integers, Integers]], *, source: BitSource | None = None
    ) -> list[int]:
        """The quantiles, as grid points in increasing order.

        The records are distinct places in increasing order, and the weight at each.
        """
        bits = Keystream() if source is None else source
        return self._draw(self._records(*records.open()), self._task, bits)

    def release(
        self, groups: Sequence[Sensitive[tuple[Integers, Integers]]], bits: BitSource
    ) -> tuple[int, ...]:
        """The quantiles of several groups, one after another."""
        return tuple(point for group in groups for point in self(group, source=bits))

    def described(self, step: Fraction) -> str:
        """How a plan names it."""
        return type(self).__name__

    @property
    def _task(self) -> QuantileTask:
        return QuantileTask(self.probabilities, self.epsilon, unit=rank_units(self.share))

    def _records(self, places: Integers, weights: Integers) -> WeightedPositions:
        return WeightedPositions(
            0, self.width, places, weights, rank_units(self.share), self.measure
        )

    def _rate(self, task: QuantileTask) -> Fraction:
        """The weight of one unit of depth in the exponent: a person moves ``share`` weights."""
        return task.rate(self.neighbors) / self.share

    def _draw(self, records: WeightedPositions, task: QuantileTask, source: BitSource) -> list[int]:
        if not task.wanted:
            return []
        target, rate = task.target(records.size), self._rate(task)
        if task.is_last:
            runs = records.points(target)
            run = weighted_choice(runs.depths, rate, source, runs.sizes)
            return [PositionScale(self.measure).pick(runs, run, source)]
        parts = divisions(self.width, self.measure)
        position = draw_position(records, target, parts, rate, source)
        (left, right), (before, after) = records.cut(position, parts), task.halves()
        return [
            *self._draw(left, before, source),
            position // parts,
            *self._draw(right, after, source),
        ]

    def rank_errors(self, confidence: Fraction) -> list[float]:
        """How much weight lies at most between each released value and its quantile.

        That is the number of records where each weighs 1; where a record weighs S unless its
        person has too many, divide by S.  All hold at once with the confidence.  A draw is off
        by more than ln(candidates/β)/rate with probability at most β, and inherits what the cuts
        around its part are off by.  Where over 2^20 of weight share a value, 2^-20 of it may
        come on top.  Infinite where an ε is so small that the error is beyond what is told
        apart.
        """
        miss = log(len(self.probabilities)) - log_of(1 - confidence)
        return self._errors(self._task, miss, 0.0, 0.0)

    def _errors(self, task: QuantileTask, miss: float, before: float, after: float) -> list[float]:
        """The errors in a part whose lower and upper cut are off by so much."""
        if not task.wanted:
            return []
        middle = float(task.middle)
        # How many times the weight of the lightest point, or position, all weigh together.
        candidates = self.width + 1
        if self.measure is not None:
            candidates = -(-self.measure.total // self.measure.least)
        if not task.is_last:
            candidates *= divisions(self.width, self.measure)
        depth = Fraction(miss + log(candidates)) / self._rate(task)
        drawn = as_float(depth / task.unit) if 2 * depth < greatest_depth(task.unit) else inf
        rounding = 1 / task.unit + (0 if task.is_last else 0.5)
        own = drawn + (1 - middle) * before + middle * after + rounding
        left, right = task.halves()
        return [
            *self._errors(left, miss, before, own),
            own,
            *self._errors(right, miss, own, after),
        ]

    def interval(self, place: int) -> None:
        """There is none around a value: only what ``BoundedQuantiles`` releases has one."""

    def stated_rank(self, noisy: Sequence[int], place: int, confidence: Fraction) -> float:
        """How far off the rank of a released value is at most: that is known beforehand."""
        return _known_errors(self, confidence)[place]

    def planned_rank(self, place: int, confidence: Fraction) -> tuple[float, bool]:
        """The same, and that it is not measured."""
        return _known_errors(self, confidence)[place], False

    def usual_rank_errors(self) -> list[float]:
        """How much weight lies on average between each value and its quantile.

        That is where records lie evenly and many: nothing is guaranteed.
        """
        return self._usual_errors(self._task, 0.0, 0.0)

    def _usual_errors(self, task: QuantileTask, before: float, after: float) -> list[float]:
        """The same in a part whose cuts are off by so much."""
        if not task.wanted:
            return []
        middle = float(task.middle)
        drawn = as_float(1 / (self._rate(task) * task.unit))
        own = drawn + (1 - middle) * before + middle * after
        left, right = task.halves()
        return [
            *self._usual_errors(left, before, own),
            own,
            *self._usual_errors(right, own, after),
        ]

    def law(self, values: Sequence[int]) -> EnclosedLaw:
        """The exact law of the output on records at these grid points, for small ranges.

        A record of weight 3 stands three times.
        """
        places, counts = np.unique(np.asarray(values, np.int64), return_counts=True)
        whole = self._records(places, counts.astype(np.int64))
        outcomes = tuple(self._law(whole, self._task, 1))

        def enclose(bits: int) -> list[tuple[int, int]]:
            found = self._law(whole, self._task, bits)
            return [found[outcome] for outcome in outcomes]

        return EnclosedLaw(outcomes, enclose)

    def _law(
        self, records: WeightedPositions, task: QuantileTask, bits: int
    ) -> dict[tuple[int, ...], tuple[int, int]]:
        if not task.wanted:
            return {(): (1 << bits, 1 << bits)}
        target, rate = task.target(records.size), self._rate(task)
        if task.is_last:
            return point_law(records.points(target), rate, bits, PositionScale(self.measure))
        before, after = task.halves()
        parts = divisions(self.width, self.measure)
        return divided_law(
            records.positions(target, parts),
            rate,
            bits,
            PositionScale(self.measure, parts),
            lambda position: [
                self._law(half, side, bits)
                for half, side in zip(records.cut(position, parts), (before, after), strict=True)
            ],
        )


@lru_cache(maxsize=64)
def _known_errors(mechanism: Quantiles, confidence: Fraction) -> list[float]:
    """The errors of all levels: each output asks for its own."""
    return mechanism.rank_errors(confidence)


def draw_position(
    records: WeightedPositions, target: int, parts: int, rate: Fraction, source: BitSource
) -> int:
    """A position, with probability proportional to e^(-rate·depth), exactly.

    It is proposed as if it were as good as the best of its run, and kept with the probability
    that makes up for it.
    """
    runs = records.runs(target, parts, rate)
    # The nearest rank may be half a record off; only differences of depths matter.
    depths = runs.depths - runs.depths.min()
    while True:
        run = weighted_choice(depths, rate, source, runs.sizes)
        position = PositionScale(records.measure, parts).pick(runs, run, source)
        behind = records.depth(position, target, parts) - int(runs.depths[run])
        if behind == 0 or bernoulli(decay(rate * behind), source):
            return position
