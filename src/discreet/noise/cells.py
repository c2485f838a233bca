"""Drawing a cell: the integers cut into cells of equal width, each as likely as its largest weight.

The cell is the one whose stretch of [0, 1) holds an unbounded uniform U; the stretches lie side
by side in the order of the cells, their lengths in proportion to the largest weights.  Sixteen
bits of U decide nearly always, by table.  Then 64 bits do, against boundaries in floats, unless
they are nearer than the floats' proven error.  Then integers of any length.  The float stages
only decide what is certain, so a cell has exactly its probability.
Proof, with the error budget: docs/proofs/strips.md
"""

from bisect import bisect_right
from itertools import accumulate
from math import floor

import numpy as np

from discreet.noise.draws import Integers
from discreet.noise.entropy import BitSource
from discreet.noise.weights import Weights, descending

PREFIX = 16
"""How many bits of U the table takes."""

CLEAR = -(1 << 14)
"""An entry of the table is a cell if it is not below this.  Otherwise a boundary is in or near
the prefix's stretch, and the entry is -2^15 plus the number of boundaries below the stretch."""

_BUCKETS = 1 << PREFIX
_BIAS = 1 << 15
_DEEPEST = 32  # the table ends where the weight falls below e^-32; integers go on from there
_UNDERFLOW = 700.0
_MARGIN = 2.0**-38  # bounds the error of the boundaries in floats, the cut-off tail included


class Cells:
    """The prepared law of the cell.  Immutable; shared by any number of releases.

    Cell h is [h·width, (h + 1)·width); its top is the integer in it that is nearest to zero.
    """

    def __init__(self, weights: Weights, width: int) -> None:
        self.weights, self.width = weights, width
        self.reach = reach = 1 + floor(weights.depth(_DEEPEST) / width)
        tops = self.tops(np.arange(-reach, reach))
        # Cells next to zero may lie far below e^-32 if the spread is tiny: no float underflows.
        drop = np.minimum(weights.drop(tops, np.zeros_like(tops)), _UNDERFLOW)
        weight = np.exp(-drop)
        cumulative = np.concatenate([[0.0], np.cumsum(weight)])
        self.boundaries = cumulative / cumulative[-1]

        # A prefix is clear if no boundary, widened by the margin, touches its stretch.
        lowest, highest = (
            np.clip((self.boundaries + margin) * _BUCKETS, 0, _BUCKETS - 1).astype(np.int64)
            for margin in (-_MARGIN, _MARGIN)
        )
        passed = np.concatenate([[0], np.cumsum(np.bincount(highest, minlength=_BUCKETS))])
        clear = np.ones(_BUCKETS, np.bool_)
        clear[lowest] = clear[highest] = False
        self.table = np.where(clear, passed[1:] - 1 - reach, passed[:-1] - _BIAS).astype(np.int16)

    def tops(self, cells: Integers) -> Integers:
        """The integer nearest to zero in each cell."""
        return cells * self.width + (self.width - 1) * (cells < 0)

    def settle(self, entries: Integers, prefixes: Integers, source: BitSource) -> Integers:
        """The cells of prefixes that are not clear, from 48 bits more or as many as it takes."""
        words = np.empty(prefixes.size, np.uint64)
        source.fill(words)
        words >>= np.uint64(PREFIX)
        words |= prefixes.astype(np.uint64) << np.uint64(64 - PREFIX)
        uniform = words.astype(np.float64) * 2.0**-64
        # The first boundary above U: usually one of the first two that may touch the stretch.
        above = entries + _BIAS
        above += self.boundaries.take(above) <= uniform
        above = above.clip(max=2 * self.reach)
        crowded = np.flatnonzero(self.boundaries.take(above) <= uniform)
        above[crowded] = np.searchsorted(self.boundaries[:-1], uniform[crowded], "right")
        near = uniform - self.boundaries.take(above - 1) <= _MARGIN
        near |= self.boundaries.take(above) - uniform <= _MARGIN
        cells: Integers = above - (1 + self.reach)
        for lane in np.flatnonzero(near):
            cells[lane] = self.settle_exactly(int(words[lane]), 64, source)
        return cells

    def settle_exactly(self, uniform: int, held: int, source: BitSource) -> int:
        """The cell of U, given its first bits, with as many more as it takes."""
        while True:
            left, lows, highs = self.enclose(held)
            # U is in [uniform, uniform + 1)/2^held, so this many boundaries are certainly not
            # above it; the cell is theirs if the next one certainly is.
            passed = bisect_right(highs, uniform)
            if 0 < passed < len(lows) and lows[passed] > uniform:
                return passed - 1 - left
            uniform, held = uniform << held | source.bits(held), 2 * held

    def enclose(self, bits: int) -> tuple[int, list[int], list[int]]:
        """The number of cells listed left of zero, and all boundaries between two integers each:
        low ≤ 2^bits · boundary ≤ high.  Cells are listed until U's first bits can hardly lie
        beyond; what weight is left there has an upper bound.
        """
        left, left_tail = self._side(1, bits)
        right, right_tail = self._side(0, bits)
        cells = left[::-1] + right
        below_low = list(accumulate((low for low, _ in cells), initial=0))
        below_high = list(accumulate((high for _, high in cells), initial=left_tail))
        above_low = list(accumulate((low for low, _ in cells[::-1]), initial=0))[::-1]
        above_high = list(accumulate((high for _, high in cells[::-1]), initial=right_tail))[::-1]
        # A boundary is below/(below + above), which grows with the one and falls with the other.
        lows = [
            (below << bits) // (below + above)
            for below, above in zip(below_low, above_high, strict=True)
        ]
        highs = [
            -((-below << bits) // (below + above))
            for below, above in zip(below_high, above_low, strict=True)
        ]
        return len(left), lows, highs

    def _side(self, start: int, bits: int) -> tuple[list[tuple[int, int]], int]:
        """Enclosures of the cells' largest weights on one side of zero, and a bound on the rest."""
        work = 2 * bits + 64
        tiny = 1 << (work - bits - 16)
        weights = descending(self.weights, start, self.width, work)
        cells: list[tuple[int, int]] = []
        while True:
            low, high, ratio = next(weights)
            if high < tiny:
                # The ratio only falls from here on: the rest is at most high/(1 - ratio).
                return cells, -((-high << work) // ((1 << work) - ratio))
            cells.append((low, high))
