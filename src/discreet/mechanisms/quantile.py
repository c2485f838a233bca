"""Quantiles by the exponential mechanism on a grid.

A candidate is scored by how far its rank is from the one asked for; a candidate that records
sit on covers all their ranks, so ties are answered exactly.  Several quantiles are drawn by
recursive halving: the middle one first, then each half by itself, its ranks rescaled.

Guarantee: ε-DP for the neighbors stated.  Proof: docs/proofs/quantiles.md
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from discreet.exact import exp_minus
from discreet.noise import BitSource, Keystream, uniform_below, weighted_choice
from discreet.privacy.laws import EnclosedLaw
from discreet.privacy.losses import PureDP
from discreet.privacy.neighbors import Neighbors
from discreet.privacy.sensitive import Sensitive

Integers = NDArray[np.int64]
Step = tuple[int, Integers, Integers, Fraction]

_UNIT = 1 << 20
"""A record's weight.  Ranks are whole numbers of units, and records on a cut are shared."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the grid, the records in it, and the quantiles still to be found there."""

    low: int
    high: int
    places: Integers
    weights: Integers
    wanted: tuple[tuple[int, Fraction], ...]

    def candidates(self, target: int) -> tuple[Integers, Integers, Integers]:
        """First point, number of points and depth of every run of equally good candidates.

        The depth is the distance, in units, from the target rank to the ranks that a
        candidate covers.
        """
        above = np.cumsum(self.weights)
        below = above - self.weights
        ends = np.concatenate([[self.low - 1], self.places])
        starts_gap = ends + 1
        counts_gap = np.concatenate([self.places, [self.high + 1]]) - starts_gap
        reached = np.concatenate([[0], above])
        depth_gap = np.abs(reached - target)
        depth_place = np.maximum(0, np.maximum(below - target, target - above))
        starts = np.concatenate([starts_gap, self.places])
        counts = np.concatenate([counts_gap, np.ones_like(self.places)])
        depths = np.concatenate([depth_gap, depth_place])
        real = counts > 0
        return starts[real], counts[real], depths[real]

    @property
    def weight(self) -> int:
        return int(self.weights.sum())

    def middle(self) -> tuple[int, Fraction]:
        """The quantile to find first."""
        return self.wanted[len(self.wanted) // 2]

    def halves(self, found: int) -> tuple["Part", "Part"]:
        """What is left to find on either side of the middle one.

        Records on the cut are shared between the halves in proportion to the rank; a record's
        weight is never counted twice.
        """
        _, probability = self.middle()
        place = len(self.wanted) // 2
        left = self.places <= found
        right = self.places >= found
        left_weights, right_weights = self.weights[left].copy(), self.weights[right].copy()
        if left_weights.size and self.places[left][-1] == found:
            share = int(left_weights[-1] * probability)
            right_weights[0] -= share
            left_weights[-1] = share
        return (
            Part(
                self.low,
                found,
                self.places[left],
                left_weights,
                tuple((key, q / probability) for key, q in self.wanted[:place]),
            ),
            Part(
                found,
                self.high,
                self.places[right],
                right_weights,
                tuple(
                    (key, (q - probability) / (1 - probability))
                    for key, q in self.wanted[place + 1 :]
                ),
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantiles:
    """Quantiles of records on the grid points 0 … width, ε-DP together.

    ``probabilities`` are distinct, in increasing order, strictly between 0 and 1.
    """

    probabilities: tuple[Fraction, ...]
    epsilon: Fraction
    width: int
    neighbors: Neighbors = Neighbors.ADD_REMOVE

    @property
    def levels(self) -> int:
        """How often the range is halved; each level costs the same share of ε."""
        return len(self.probabilities).bit_length()

    def loss(self) -> PureDP:
        """What all the quantiles cost together."""
        return PureDP(epsilon=self.epsilon)

    def rate(self, probability: Fraction, parts: int) -> Fraction:
        """The weight of one unit of depth in the exponent, in a level of so many parts.

        A record of weight w moves a depth by at most w·max(q, 1-q), and by one unit more since
        the target rank is rounded.  Under replace two records move.
        """
        reach = ceil(max(probability, 1 - probability) * _UNIT) + parts
        share = self.epsilon / self.levels
        if self.neighbors is Neighbors.ADD_REMOVE:
            return share / (2 * reach)
        if parts == 1:
            return share / (2 * _UNIT)  # the number of records is fixed: ranks move by one record
        return share / (4 * reach)

    def __call__(
        self, records: Sensitive[tuple[Integers, Integers]], *, source: BitSource | None = None
    ) -> list[int]:
        """The quantiles, as grid points in increasing order."""
        bits = Keystream() if source is None else source
        places, counts = records.open()
        found: dict[int, int] = {}
        level = [self._whole(places, counts)]
        while level:
            following: list[Part] = []
            for part in level:
                key, probability = part.middle()
                starts, sizes, depths = part.candidates(int(probability * part.weight))
                rate = self.rate(probability, len(level))
                chosen = weighted_choice(depths, rate, bits, sizes)
                found[key] = int(starts[chosen]) + uniform_below(int(sizes[chosen]), bits)
                following += [half for half in part.halves(found[key]) if half.wanted]
            level = following
        return [found[key] for key in range(len(self.probabilities))]

    def _whole(self, places: Integers, counts: Integers) -> Part:
        return Part(0, self.width, places, counts * _UNIT, tuple(enumerate(self.probabilities)))

    def rank_errors(self, confidence: Fraction) -> list[float]:
        """How many records lie at most between each released value and its quantile.

        All hold at once with the confidence.  A draw misses its target rank by more than
        ln(points/β)/rate with probability at most β, and inherits the miss of the draws that
        cut its part.  Records that share a value with a cut may add as many as they are.
        """
        miss = log(self.width + 1) + log(len(self.probabilities)) - log(1 - confidence)
        errors: dict[int, float] = {}
        nothing = np.empty(0, np.int64)
        level = [(self._whole(nothing, nothing), 0.0)]
        while level:
            following = []
            for part, inherited in level:
                key, probability = part.middle()
                rate = self.rate(probability, len(level)) * _UNIT
                errors[key] = inherited + miss / float(rate) + 1 / _UNIT
                halves = (half for half in part.halves(part.low) if half.wanted)
                following += [(half, errors[key]) for half in halves]
            level = following
        return [errors[key] for key in range(len(self.probabilities))]

    def law(self, values: Sequence[int]) -> EnclosedLaw:
        """The exact law of the output on records at these grid points, for small ranges."""
        places, counts = np.unique(np.asarray(values, np.int64), return_counts=True)
        whole = self._whole(places, counts.astype(np.int64))
        paths = list(self._paths([whole], {}))
        outcomes = sorted({tuple(path[0]) for path in paths})

        def enclose(bits: int) -> list[tuple[int, int]]:
            sums = {outcome: [0, 0] for outcome in outcomes}
            for outcome, steps in paths:
                low = high = 1 << bits
                for index, depths, sizes, rate in steps:
                    part_low, part_high = _probability(index, depths, sizes, rate, bits)
                    low, high = low * part_low >> bits, -(-high * part_high >> bits)
                sums[tuple(outcome)][0] += low
                sums[tuple(outcome)][1] += high
            return [(low, high) for low, high in sums.values()]

        return EnclosedLaw(tuple(outcomes), enclose)

    def _paths(
        self, level: list[Part], found: dict[int, int]
    ) -> Iterator[tuple[list[int], list[Step]]]:
        """Every way through the recursion: the outcome, and the choices that lead to it."""
        if not level:
            yield [found[key] for key in range(len(self.probabilities))], []
            return
        yield from self._choices(level, 0, [], found)

    def _choices(
        self, level: list[Part], index: int, following: list[Part], found: dict[int, int]
    ) -> Iterator[tuple[list[int], list[Step]]]:
        if index == len(level):
            yield from self._paths(following, found)
            return
        part = level[index]
        key, probability = part.middle()
        starts, sizes, depths = part.candidates(int(probability * part.weight))
        rate = self.rate(probability, len(level))
        for chosen in range(len(starts)):
            for point in range(int(starts[chosen]), int(starts[chosen] + sizes[chosen])):
                halves = [half for half in part.halves(point) if half.wanted]
                for outcome, steps in self._choices(
                    level, index + 1, following + halves, {**found, key: point}
                ):
                    yield outcome, [(chosen, depths, sizes, rate), *steps]


def _probability(
    index: int, depths: Integers, sizes: Integers, rate: Fraction, bits: int
) -> tuple[int, int]:
    """Enclose 2^bits times the probability of one point of one run of candidates."""
    weights = [exp_minus(rate * int(depth), bits + 32) for depth in depths]
    low = sum(int(size) * weight for size, (weight, _) in zip(sizes, weights, strict=True))
    high = sum(int(size) * weight for size, (_, weight) in zip(sizes, weights, strict=True))
    return (weights[index][0] << bits) // high, -(-(weights[index][1] << bits) // low)
