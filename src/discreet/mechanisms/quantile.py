"""Quantiles by the exponential mechanism on a grid.

A point is scored by how far its rank is from the one asked for.  Several quantiles are drawn by
recursive halving: the middle one first, then each half by itself, its ranks rescaled to the
records that are in it.  A record is in one half only, so both halves together cost what one
does.  Records that equal the cut are divided by a position within the point, which is drawn
with it: the ranks of the halves are then right whatever the ties.

Guarantee: ε-DP for the neighbors stated.  Proof: docs/proofs/quantiles.md
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log

import numpy as np

from discreet.mechanisms.laplace_law import log_of
from discreet.mechanisms.quantile_law import divided_law, point_law
from discreet.mechanisms.ranks import UNIT, Integers, Records, divisions
from discreet.noise import BitSource, Keystream, weighted_choice
from discreet.privacy.laws import EnclosedLaw
from discreet.privacy.losses import PureDP
from discreet.privacy.neighbors import Neighbors
from discreet.privacy.sensitive import Sensitive
from discreet.privacy.uncertainty import as_float


@dataclass(frozen=True, slots=True)
class Task:
    """The quantiles to be found in one part, and the ε that may be spent on it and its halves.

    ``alone`` says that no record is in another part while this one is drawn from.
    """

    wanted: tuple[Fraction, ...]
    budget: Fraction
    alone: bool = True

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
        return int(self.middle * records * UNIT)

    def rate(self, neighbors: Neighbors) -> Fraction:
        """The weight of one unit of depth in the exponent.

        One record more or less in the part moves a depth by at most max(q, 1-q) records, rounded
        up to a unit; a record that changes its place moves it by at most one record.  Under
        replace two parts may change by one record each.
        """
        reach = ceil(max(self.middle, 1 - self.middle) * UNIT)
        if neighbors is Neighbors.ADD_REMOVE:
            return self.share / (2 * reach)
        return self.share / (2 * UNIT if self.alone else 4 * reach)

    def halves(self) -> tuple["Task", "Task"]:
        """What is left to do on either side of the middle quantile, in ranks of that side."""
        cut = len(self.wanted) // 2
        before, after = self.wanted[:cut], self.wanted[cut + 1 :]
        alone = self.alone and not (before and after)
        left = tuple(q / self.middle for q in before)
        right = tuple((q - self.middle) / (1 - self.middle) for q in after)
        rest = self.budget - self.share
        return Task(left, rest, alone), Task(right, rest, alone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantiles:
    """Quantiles of records on the grid points 0 … width, ε-DP together.

    ``probabilities`` are distinct, in increasing order, strictly between 0 and 1.
    """

    probabilities: tuple[Fraction, ...]
    epsilon: Fraction
    width: int
    neighbors: Neighbors = Neighbors.ADD_REMOVE

    def loss(self) -> PureDP:
        """What all the quantiles cost together."""
        return PureDP(epsilon=self.epsilon)

    def __call__(
        self, records: Sensitive[tuple[Integers, Integers]], *, source: BitSource | None = None
    ) -> list[int]:
        """The quantiles, as grid points in increasing order."""
        bits = Keystream() if source is None else source
        return self._draw(Records(0, self.width, *records.open()), self._task, bits)

    @property
    def _task(self) -> Task:
        return Task(self.probabilities, self.epsilon)

    def _draw(self, records: Records, task: Task, source: BitSource) -> list[int]:
        if not task.wanted:
            return []
        target, rate = task.target(records.size), task.rate(self.neighbors)
        if task.is_last:
            runs = records.points(target)
            return [runs.pick(weighted_choice(runs.depths, rate, source, runs.sizes), source)]
        parts = divisions(self.width)
        runs = records.positions(target, parts)
        # The nearest rank may be half a record off; only differences of depths matter.
        depths = runs.depths - runs.depths.min()
        position = runs.pick(weighted_choice(depths, rate, source, runs.sizes), source)
        (left, right), (before, after) = records.cut(position, parts), task.halves()
        return [
            *self._draw(left, before, source),
            position // parts,
            *self._draw(right, after, source),
        ]

    def rank_errors(self, confidence: Fraction) -> list[float]:
        """How many records lie at most between each released value and its quantile.

        All hold at once with the confidence.  A draw is off by more than ln(candidates/β)/rate
        with probability at most β, and inherits what the cuts around its part are off by.
        Where over 2^20 records share a value, 2^-20 of them may come on top.
        """
        miss = log(len(self.probabilities)) - log_of(1 - confidence)
        return self._errors(self._task, miss, 0.0, 0.0)

    def _errors(self, task: Task, miss: float, before: float, after: float) -> list[float]:
        """The errors in a part whose lower and upper cut are off by so many records."""
        if not task.wanted:
            return []
        middle = float(task.middle)
        candidates = (self.width + 1) * (1 if task.is_last else divisions(self.width))
        drawn = as_float(Fraction(miss + log(candidates)) / (task.rate(self.neighbors) * UNIT))
        rounding = 1 / UNIT + (0 if task.is_last else 0.5)
        own = drawn + (1 - middle) * before + middle * after + rounding
        left, right = task.halves()
        return [
            *self._errors(left, miss, before, own),
            own,
            *self._errors(right, miss, own, after),
        ]

    def law(self, values: Sequence[int]) -> EnclosedLaw:
        """The exact law of the output on records at these grid points, for small ranges."""
        places, counts = np.unique(np.asarray(values, np.int64), return_counts=True)
        whole = Records(0, self.width, places, counts.astype(np.int64))
        outcomes = tuple(self._law(whole, self._task, 1))

        def enclose(bits: int) -> list[tuple[int, int]]:
            found = self._law(whole, self._task, bits)
            return [found[outcome] for outcome in outcomes]

        return EnclosedLaw(outcomes, enclose)

    def _law(
        self, records: Records, task: Task, bits: int
    ) -> dict[tuple[int, ...], tuple[int, int]]:
        if not task.wanted:
            return {(): (1 << bits, 1 << bits)}
        target, rate = task.target(records.size), task.rate(self.neighbors)
        if task.is_last:
            return point_law(records.points(target), rate, bits)
        before, after = task.halves()
        parts = divisions(self.width)
        return divided_law(
            records.positions(target, parts),
            rate,
            bits,
            parts,
            lambda position: [
                self._law(half, side, bits)
                for half, side in zip(records.cut(position, parts), (before, after), strict=True)
            ],
        )
