"""Exact sampling of many draws: strips of equal width under an even, log-concave weight.

The integers are cut into cells of 2^k integers.  A cell is drawn in proportion to its largest
weight (``cells``), a place in it by k raw bits, and the place is kept with probability
weight/largest weight; otherwise everything is drawn anew.  With k = 0 a cell is an integer.

Keeping compares an unbounded uniform V with e^(-drop).  Sixteen bits of V decide nearly always,
by table; then 64 bits against a float, unless it is nearer than its proven error; then integers
of any length.  Tables and floats only decide what is certain, so the law is exactly the
weight's.  Proof, with the error budget: docs/proofs/strips.md
"""

from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.noise.bernoulli import bernoulli, decay
from discreet.noise.cells import AMBIGUOUS, Cells
from discreet.noise.draws import Draws, Integers
from discreet.noise.entropy import BitSource, Words
from discreet.noise.weights import Weights

_BLOCK = 1 << 14
_POSTPONED = 1 << 15  # lanes that the tables left open and that are settled together
_WIDEST = 64  # the spread is at most 64 cells, and more than 32 unless a cell is an integer
_MARGIN = 2.0**-40  # bounds the error of the float that decides whether a place is kept

Halves = NDArray[np.uint16]


class Strips:
    """A prepared sampler for one weight.  Immutable; shared by any number of releases."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.shift = max(0, ceil(log2(weights.spread / _WIDEST)))
        self.cells = cells = Cells(weights, 1 << self.shift)
        if self.shift:
            # Per prefix, a bound: a V whose first 16 bits are below it keeps every place.
            clear = cells.table != AMBIGUOUS
            tops = cells.tops(np.where(clear, cells.table, 0).astype(np.int64))
            last = tops + np.where(tops < 0, 1 - cells.width, cells.width - 1)
            kept = np.exp(-weights.drop(last, tops)) * (1 - 2.0**-30)
            self.sure = (kept * clear * (1 << 16)).astype(np.uint16)
            self.place_bits = next(bits for bits in (16, 32, 64) if bits >= self.shift)

    def sample(self, draws: Draws, source: BitSource) -> None:
        """Overwrite ``draws`` with independent draws."""
        if self.shift == 0:
            self._sample_integers(draws.array, source)
        else:
            self._sample_cells(draws, source)

    def _sample_integers(self, out: Integers, source: BitSource) -> None:
        block = min(2 * _BLOCK, out.size)
        words = np.empty(block // 4 + 1, np.uint64)
        index, cells = np.empty(block, np.int64), np.empty(block, np.int16)
        for start in range(0, out.size, 2 * _BLOCK):
            part = out[start : start + 2 * _BLOCK]
            size = part.size
            prefixes = _fresh(words, 16, size, source)
            np.copyto(index[:size], prefixes)
            self.cells.table.take(index[:size], out=cells[:size], mode="clip")
            np.copyto(part, cells[:size])
            unclear = np.flatnonzero(cells[:size] == AMBIGUOUS)
            if unclear.size:
                part[unclear] = self.cells.settle(prefixes[unclear], source)

    def _sample_cells(self, draws: Draws, source: BitSource) -> None:
        out = draws.array
        block = min(_BLOCK, out.size)
        words, index, place = (np.empty(block + 1, dtype) for dtype in ("u8", "i8", "i8"))
        cells, sure = np.empty(block, np.int16), np.empty(block, np.uint16)
        doubtful = np.empty(block, np.bool_)
        postponed, waiting = [], 0
        for start in range(0, out.size, _BLOCK):
            part = out[start : start + _BLOCK]
            size = part.size
            halves = _fresh(words, 16, 2 * size, source)
            prefixes, keeps = halves[:size], halves[size:]
            np.copyto(index[:size], prefixes)
            self.cells.table.take(index[:size], out=cells[:size], mode="clip")
            self.sure.take(index[:size], out=sure[:size], mode="clip")
            np.greater_equal(keeps, sure[:size], out=doubtful[:size])
            lanes = np.flatnonzero(doubtful[:size])
            open_prefixes, open_keeps = prefixes[lanes], keeps[lanes]

            raw = _fresh(words, self.place_bits, size, source)
            np.right_shift(raw, self.place_bits - self.shift, out=raw)
            np.copyto(place[:size], raw)
            np.copyto(part, cells[:size])
            np.left_shift(part, self.shift, out=part)
            np.bitwise_or(part, place[:size], out=part)

            postponed.append((lanes + start, open_prefixes, open_keeps, place[lanes]))
            waiting += lanes.size
            if waiting > _POSTPONED or start + size == out.size:
                columns = (np.concatenate(column) for column in zip(*postponed, strict=True))
                self._settle(draws, *columns, source)
                postponed.clear()
                waiting = 0

    def _settle(
        self,
        draws: Draws,
        lanes: Integers,
        prefixes: Halves,
        keeps: Halves,
        places: Integers,
        source: BitSource,
    ) -> None:
        """Draw the lanes that the tables left open, from their bits and as many as it takes."""
        table, reach = self.cells.table, self.cells.reach
        cells = table[prefixes].astype(np.int64)
        unclear = np.flatnonzero(cells == AMBIGUOUS)
        cells[unclear] = self.cells.settle(prefixes[unclear], source)
        inside = cells.clip(-reach, reach - 1)
        settled = Draws((inside << self.shift) + places)

        words = np.empty(lanes.size, np.uint64)
        source.fill(words)
        words >>= np.uint64(16)
        words |= keeps.astype(np.uint64) << np.uint64(48)
        chance = np.exp(-self.weights.drop(settled.array, self.cells.tops(inside)))
        gap = words.astype(np.float64) * 2.0**-64 - chance
        kept = gap < 0
        for lane in np.flatnonzero((np.abs(gap) <= _MARGIN) | (cells != inside)):
            top = int(cells[lane]) << self.shift
            value = top + int(places[lane])
            top += self.cells.width - 1 if top < 0 else 0
            exponent = self.weights.exponent(value) - self.weights.exponent(top)
            kept[lane] = bernoulli(decay(exponent), source, int(words[lane]), 64)
            settled.put(lane, value)

        again = np.flatnonzero(~kept)
        if again.size:
            redrawn = Draws(np.empty(again.size, np.int64))
            self._sample_cells(redrawn, source)
            settled.put_all(again, redrawn)
        draws.put_all(lanes, settled)


def _fresh(words: Words, bits: int, count: int, source: BitSource) -> NDArray[Any]:
    """Fresh unsigned integers of 16, 32 or 64 bits, in the space of ``words``."""
    used = words[: (count * bits + 63) // 64]
    source.fill(used)
    return used.view(f"u{bits // 8}")[:count]
