"""Exact sampling of many draws: strips of equal width under an even, log-concave weight.

The integers are cut into cells of 2^k integers.  A cell is drawn in proportion to its largest
weight (``cells``), a place in it by k raw bits, and the place is kept with probability
weight/largest weight; otherwise everything is drawn anew.  With k = 0 a cell is an integer.

Keeping compares an unbounded uniform V with e^(-drop).  Its first bits decide nearly always, by
table; then 64 bits against a float, unless it is nearer than its proven error; then integers of
any length.  Tables and floats only decide what is certain, so the law is exactly the weight's.
Proof, with the error budget: docs/proofs/strips.md
"""

from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from discreet.noise.bernoulli import bernoulli, decay
from discreet.noise.cells import CLEAR, PREFIX, Cells
from discreet.noise.draws import Draws, Integers
from discreet.noise.entropy import BitSource, Words
from discreet.noise.weights import Weights

_SPACE = 1 << 21  # bits of a block's words: its arrays stay in the cache
_POSTPONED = 1 << 15  # lanes that the tables left open and that are settled together
_WIDEST = 64  # the spread is at most 64 cells, and more than 32 unless a cell is an integer
_LEAST_KEEP = 10  # bits of V that a word must have room for
_MARGIN = 2.0**-40  # bounds the error of the float that decides whether a place is kept

Unsigned = NDArray[np.unsignedinteger]


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
        for lane in np.flatnonzero((np.abs(gap) <= _MARGIN) | (cell != inside)):
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


def _fresh(space: Words, bits: int, count: int, source: BitSource) -> Unsigned:
    """Fresh unsigned integers of 16, 32 or 64 bits, in the space given."""
    words = space[: (count * bits + 63) // 64]
    source.fill(words)
    return words.view(f"u{bits // 8}")[:count]
