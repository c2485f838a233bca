"""Exact sampling from tables: strips of equal width under an even, log-concave weight."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from math import ceil, floor, log2, sqrt
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.exact import exp_minus
from discreet.noise.bernoulli import bernoulli, decay
from discreet.noise.entropy import BitSource, MachineWords

Integers = NDArray[np.int64]


Floats = NDArray[np.float64]
TINY = Fraction(1, 1 << 20)
"""A scale or variance below this counts as this in floats, which decide the same: the weight of
±1 is below e^(-2^19) either way, far below any margin.  Smaller ones could vanish as floats."""
PREFIX = 16
"""How many bits of U the table takes."""
CLEAR = -(1 << 14)
"""An entry of the table is a cell if it is not below this.  Otherwise a boundary is in or near
the prefix's stretch, and the entry is -2^15 plus the number of boundaries below the stretch."""
_BUCKETS = 1 << PREFIX
_BIAS = 1 << 15
_DEEPEST = 32  # the table ends where the weight falls below e^-32; integers go on from there
_UNDERFLOW = 700.0
_CELL_MARGIN = 2.0**-38  # bounds the error of the boundaries in floats, the cut-off tail included
_SPACE = 1 << 21  # bits of a block's words: its arrays stay in the cache
_POSTPONED = 1 << 15  # lanes that the tables left open and that are settled together
_WIDEST = 64  # the spread is at most 64 cells, and more than 32 unless a cell is an integer
_LEAST_KEEP = 10  # bits of V that a word must have room for
_KEEP_MARGIN = 2.0**-40  # bounds the error of the float that decides whether a place is kept
Unsigned = NDArray[np.unsignedinteger]


@dataclass(frozen=True, slots=True)
class Draws:
    """An array of draws and, by lane, those beyond 64 bits.

    No noise law ends at 2^63.  To redraw or cut off what lies beyond would be another law, so it
    is kept as it is and the array becomes one of Python integers.
    """

    array: Integers
    wide: dict[int, int] = field(default_factory=dict)

    @staticmethod
    def prepare(count: int, out: Integers | None) -> "Draws":
        """Room for ``count`` draws: ``out`` if given, which may have gaps between its lanes."""
        if out is None:
            return Draws(np.empty(count, np.int64))
        if out.dtype != np.int64 or out.shape != (count,) or not out.flags.writeable:
            raise ValueError(f"out must be a writable int64 array of shape ({count},)")
        return Draws(out)

    def put(self, lane: int, value: int) -> None:
        """Write one draw of any size."""
        self.wide.pop(lane, None)
        if -(1 << 63) <= value < 1 << 63:
            self.array[lane] = value
        else:
            self.wide[lane] = value

    def put_all(self, lanes: Integers, draws: "Draws") -> None:
        """Write the draws of a smaller batch into the given lanes."""
        self.array[lanes] = draws.array
        if self.wide or draws.wide:
            for index, lane in enumerate(lanes):
                self.put(int(lane), draws.wide.get(index, int(draws.array[index])))

    def result(self, out: Integers | None) -> NDArray[np.int64] | NDArray[np.object_]:
        """The array, of Python integers if one of them does not fit in 64 bits."""
        if not self.wide:
            return self.array
        if out is not None:
            raise OverflowError("the noise does not fit in 64 bits; call without out=")
        exact: NDArray[np.object_] = self.array.astype(np.object_)
        for lane, value in self.wide.items():
            exact[lane] = value
        return exact


class Weights(Protocol):
    """An even, log-concave weight on the integers."""

    @property
    def spread(self) -> float:
        """The scale in steps: what the samplers size their cells by."""

    def depth(self, exponent: float) -> float:
        """Where E reaches ``exponent``."""

    def exponent(self, at: int) -> Fraction:
        """E(at), exactly."""

    def drop(self, at: Integers, top: Integers) -> Floats:
        """E(at) - E(top) in floats, for |top| ≤ |at| of one sign."""


@dataclass(frozen=True, slots=True)
class LaplaceWeights:
    """E(x) = |x|/scale."""

    scale: Fraction

    @property
    def spread(self) -> float:
        return float(max(self.scale, TINY))

    def depth(self, exponent: float) -> float:
        return exponent * self.spread

    def exponent(self, at: int) -> Fraction:
        return abs(at) / self.scale

    def drop(self, at: Integers, top: Integers) -> Floats:
        distance: Floats = np.abs(at - top).astype(np.float64)
        distance /= self.spread
        return distance


@dataclass(frozen=True, slots=True)
class GaussianWeights:
    """E(x) = x²/(2·variance)."""

    variance: Fraction

    @property
    def spread(self) -> float:
        return sqrt(max(self.variance, TINY))

    def depth(self, exponent: float) -> float:
        return sqrt(2 * exponent * max(self.variance, TINY))

    def exponent(self, at: int) -> Fraction:
        return at * at / (2 * self.variance)

    def drop(self, at: Integers, top: Integers) -> Floats:
        # (a - t)(a + t)/(2·variance): the difference is an exact integer before it is rounded.
        distance: Floats = np.abs(at - top).astype(np.float64)
        total = np.abs(at).astype(np.float64)
        total += np.abs(top)
        total /= 2 * float(max(self.variance, TINY))
        distance *= total
        return distance


def descending(
    weights: Weights, start: int, step: int, bits: int
) -> Iterator[tuple[int, int, int]]:
    """Enclosures of 2^bits · e^(-E(x)) at x = start, start + step, … on one side of zero.

    E has constant second differences there, so two multiplications lead from one weight to
    the next; each rounds outward, so every pair is a proven enclosure.  The third number is
    an upper bound of 2^bits times the ratio of the next weight to this one.
    """
    here, next_, after = (weights.exponent(start + step * index) for index in range(3))
    low, high = exp_minus(here, bits)
    ratio_low, ratio_high = exp_minus(next_ - here, bits)
    bend_low, bend_high = exp_minus(after - 2 * next_ + here, bits)
    while True:
        yield low, high, ratio_high
        low, high = low * ratio_low >> bits, -(-high * ratio_high >> bits)
        ratio_low, ratio_high = ratio_low * bend_low >> bits, -(-ratio_high * bend_high >> bits)


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
            for margin in (-_CELL_MARGIN, _CELL_MARGIN)
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
        near = uniform - self.boundaries.take(above - 1) <= _CELL_MARGIN
        near |= self.boundaries.take(above) - uniform <= _CELL_MARGIN
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


class Strips:
    """A prepared sampler for one weight.  Immutable; shared by any number of releases.

    From the top, a word holds the first bits of V, the place in the cell, and the first 16 bits
    of the cell's U.  Wide cells need a second word for the place.
    """

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.shift = shift = max(0, ceil(log2(weights.spread / _WIDEST)))
        self.cells = Cells(weights, 1 << shift)
        self.apart = PREFIX + shift + _LEAST_KEEP > 64
        self.bits = 32 if PREFIX + shift + _LEAST_KEEP <= 32 else 64
        self.keep = 16 if self.apart else min(16, self.bits - PREFIX - shift)
        if shift:
            self._bounds()

    def _bounds(self) -> None:
        """Per prefix the cell, and above it what the word must be below to keep every place."""
        cells, width = self.cells, self.cells.width
        clear = cells.table >= CLEAR
        cell = np.where(clear, cells.table, 0).astype(np.int64)
        tops = cells.tops(cell)
        last = tops + np.where(cell < 0, 1 - width, width - 1)
        chance = np.exp(-self.weights.drop(last, tops)) * (1 - 2.0**-30)
        # One less than what is sure to be kept, as the cell in the low bits takes up to one.
        sure = np.floor(chance * (1 << self.keep)).astype(np.uint64) - np.uint64(1)
        entries = sure << np.uint64(self.bits - self.keep)
        entries |= (cell & ((1 << PREFIX) - 1)).astype(np.uint64)
        self.entries = (entries * clear).astype(f"u{self.bits // 8}")

    def sample(self, draws: Draws, source: BitSource) -> None:
        """Overwrite ``draws`` with independent draws."""
        if self.shift:
            self._sample_cells(draws, source)
        else:
            self._sample_integers(draws.array, source)

    def _sample_integers(self, out: Integers, source: BitSource) -> None:
        step = _SPACE // 64
        block = min(step, out.size)
        space = np.empty(block // 4 + 1, np.uint64)
        index, cell = np.empty(block, np.int64), np.empty(block, np.int16)
        postponed, waiting = [], 0
        for start in range(0, out.size, step):
            part = out[start : start + step]
            size = part.size
            prefixes = _fresh(space, 16, size, source)
            np.copyto(index[:size], prefixes)
            self.cells.table.take(index[:size], out=cell[:size], mode="clip")
            np.copyto(part, cell[:size])
            lanes = np.flatnonzero(cell[:size] < CLEAR)
            postponed.append((lanes + start, index[lanes]))
            waiting += lanes.size
            if waiting > _POSTPONED or start + size == out.size:
                lanes, prefix = (np.concatenate(column) for column in zip(*postponed, strict=True))
                out[lanes] = self.cells.settle(out[lanes], prefix, source)
                postponed, waiting = [], 0

    def _sample_cells(self, draws: Draws, source: BitSource) -> None:
        out, bits, spare = draws.array, self.bits, self.bits - PREFIX
        step = _SPACE // bits
        block = min(step, out.size)
        space, index = (np.empty(block, np.uint64) for _ in range(2))
        entries, places = (np.empty(block, self.entries.dtype) for _ in range(2))
        doubtful = np.empty(block, np.bool_)
        postponed, waiting = [], 0
        for start in range(0, out.size, step):
            part = out[start : start + step]
            size = part.size
            entry, place, doubt = entries[:size], places[:size], doubtful[:size]
            word = _fresh(space, bits, size, source)
            np.bitwise_and(word, (1 << PREFIX) - 1, out=index[:size])
            self.entries.take(index[:size].view(np.int64), out=entry, mode="clip")
            np.greater_equal(word, entry, out=doubt)
            if self.apart:
                source.fill(place)
            else:
                np.right_shift(word, PREFIX, out=place)
            np.bitwise_and(place, self.cells.width - 1, out=place)
            # The cell's sixteen bits with their sign, times the width, and the place.
            np.left_shift(entry, spare, out=entry)
            base = entry.view(f"i{bits // 8}")
            np.right_shift(base, max(0, spare - self.shift), out=base)
            if self.shift > spare:
                np.left_shift(base, self.shift - spare, out=base)
            np.bitwise_or(base, place.view(base.dtype), out=part)

            lanes = np.flatnonzero(doubt)
            postponed.append((lanes + start, word[lanes], place[lanes]))
            waiting += lanes.size
            if waiting > _POSTPONED or start + size == out.size:
                lanes, words, spots = (np.concatenate(c) for c in zip(*postponed, strict=True))
                self._settle(draws, lanes, words, spots, source)
                postponed, waiting = [], 0

    def _settle(
        self, draws: Draws, lanes: Integers, word: Unsigned, place: Unsigned, source: BitSource
    ) -> None:
        """Draw the lanes that the tables left open, from their bits and as many as it takes."""
        if lanes.size == 0:
            return
        table, reach = self.cells.table, self.cells.reach
        prefix = (word & ((1 << PREFIX) - 1)).astype(np.int64)
        cell = table.take(prefix).astype(np.int64)
        unclear = np.flatnonzero(cell < CLEAR)
        cell[unclear] = self.cells.settle(cell[unclear], prefix[unclear], source)
        inside = cell.clip(-reach, reach - 1)
        settled = Draws((inside << self.shift) + place.astype(np.int64))

        uniform = np.empty(lanes.size, np.uint64)
        source.fill(uniform)
        uniform >>= np.uint64(self.keep)
        first = (word >> (self.bits - self.keep)).astype(np.uint64)
        uniform |= first << np.uint64(64 - self.keep)
        chance = np.exp(-self.weights.drop(settled.array, self.cells.tops(inside)))
        gap = uniform.astype(np.float64) * 2.0**-64 - chance
        kept = gap < 0
        for lane in np.flatnonzero((np.abs(gap) <= _KEEP_MARGIN) | (cell != inside)):
            base = int(cell[lane]) << self.shift
            value = base + int(place[lane])
            top = base if base >= 0 else base + self.cells.width - 1
            exponent = self.weights.exponent(value) - self.weights.exponent(top)
            kept[lane] = bernoulli(decay(exponent), source, int(uniform[lane]), 64)
            settled.put(int(lane), value)

        again = np.flatnonzero(~kept)
        if again.size:
            redrawn = Draws(np.empty(again.size, np.int64))
            self._sample_cells(redrawn, source)
            settled.put_all(again, redrawn)
        draws.put_all(lanes, settled)


def _fresh(space: MachineWords, bits: int, count: int, source: BitSource) -> Unsigned:
    """Fresh unsigned integers of 16, 32 or 64 bits, in the space given."""
    words = space[: (count * bits + 63) // 64]
    source.fill(words)
    return words.view(f"u{bits // 8}")[:count]
