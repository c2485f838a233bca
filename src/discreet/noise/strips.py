"""Exact sampling from tables: strips of equal width under an even, log-concave weight.

The integers are cut into cells [h·m, (h+1)·m) with m = 2^k.  A cell is drawn by inversion in
proportion to its largest weight, a place in the cell by k raw bits, and the place is kept with
probability weight/largest weight.  With k = 0 that is plain inversion.

Every decision compares an unbounded uniform with a real number.  Sixteen bits decide nearly
always, by table; then 64 bits against boundaries in floats, unless they are nearer than the
floats' proven error; then integers of any length.  Tables and floats only set how often the
next stage is needed, so the law is exactly the weight's.
Proof: docs/proofs/strips.md
"""

from itertools import accumulate
from math import ceil, floor, log2

import numpy as np
from numpy.typing import NDArray

from discreet.noise.bernoulli import bernoulli, decay
from discreet.noise.entropy import BitSource
from discreet.noise.weights import Integers, Weights, descending

_BLOCK = 1 << 14
_BATCH = 16 * _BLOCK  # draws between two rounds of settling what the tables left open
_DIRECT = 24  # up to this spread every integer is its own cell
_WIDEST = 32  # otherwise a cell is between 1/32 and 1/16 of the spread
_DEEPEST = 32  # the table ends where the weight falls below e^-32; integers go on from there
_BUCKETS = 1 << 16
_AMBIGUOUS = -(1 << 15)
_CELL_MARGIN = 2.0**-36  # bounds the error of the float CDF, its cut-off tail included
_KEEP_MARGIN = 2.0**-40  # bounds the error of the float that decides whether a place is kept

Words = NDArray[np.uint64]
Enclosures = list[tuple[int, int]]


class Strips:
    """A prepared sampler for one weight.  Immutable; shared by any number of releases."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        spread = weights.spread
        self.shift = max(0, ceil(log2(spread / _WIDEST))) if spread > _DIRECT else 0
        self.width = 1 << self.shift
        # A word holds 16 bits for the cell, the place, and what is left for keeping it.
        self.squeeze = 16 if self.shift <= 32 else 8
        self.second_word = self.shift > 40
        self._tables()

    def _tables(self) -> None:
        """Boundaries of the cells; per 16-bit prefix of U its cell and what of it is surely kept."""
        width = self.width
        self.reach = reach = 1 + floor(self.weights.depth(_DEEPEST) / width)
        cells = np.arange(-reach, reach)
        tops = np.where(cells >= 0, cells * width, cells * width + (width - 1))
        weight = np.exp(-self.weights.drop(tops, np.zeros_like(tops)))
        cumulative = np.concatenate([[0.0], np.cumsum(weight)])
        self.boundaries = cumulative / cumulative[-1]

        # A prefix is clear if no boundary, widened by the margin, touches its bucket.
        lowest, highest = (
            np.clip((self.boundaries + margin) * _BUCKETS, 0, _BUCKETS - 1).astype(np.int64)
            for margin in (-_CELL_MARGIN, _CELL_MARGIN)
        )
        touched = np.zeros(_BUCKETS, np.bool_)
        touched[lowest] = touched[highest] = True
        crossed = np.bincount(highest, minlength=_BUCKETS)
        cell = np.cumsum(crossed) - 1 - reach
        self.cell = np.where(touched, _AMBIGUOUS, cell).astype(np.int16)
        if self.shift:
            ends = np.where(cells >= 0, tops + (width - 1), tops - (width - 1))
            kept = np.exp(-self.weights.drop(ends, tops)) * (1 - 2.0**-30)
            # One less than what is sure to be kept, so that the cell fits in the low bits.
            sure = np.floor(kept * (1 << self.squeeze)).astype(np.int64) - 1
            index = np.minimum(cell + reach, 2 * reach - 1)
            entry = (sure[index] << (64 - self.squeeze)) | (cell & 0xFFFF)
            self.entry = np.where(touched, 0, entry).view(np.uint64)

    # ------------------------------------------------------------------ sampling

    def sample(self, out: Integers, source: BitSource) -> None:
        """Overwrite ``out`` with independent draws."""
        if self.shift == 0:
            self._sample_direct(out, source)
        else:
            self._sample_cells(out, source)

    def _sample_direct(self, out: Integers, source: BitSource) -> None:
        block = 2 * _BLOCK
        words = np.empty(min(block, out.size) // 4 + 1, np.uint64)
        index = np.empty(min(block, out.size), np.int64)
        drawn = np.empty(min(block, out.size), np.int16)
        for start in range(0, out.size, block):
            size = min(block, out.size - start)
            source.fill(words[: (size + 3) // 4])
            prefixes = words.view(np.uint16)[:size]
            index[:size] = prefixes
            self.cell.take(index[:size], out=drawn[:size], mode="clip")
            part = out[start : start + size]
            part[:] = drawn[:size]
            unclear = np.flatnonzero(drawn[:size] == _AMBIGUOUS)
            if unclear.size:
                part[unclear] = self._cells(prefixes[unclear].astype(np.uint64), source)

    def _sample_cells(self, out: Integers, source: BitSource) -> None:
        block = min(_BLOCK, out.size)
        words, entries, places = (np.empty(block, np.uint64) for _ in range(3))
        doubtful = np.empty(block, np.bool_)
        for first in range(0, out.size, _BATCH):
            batch = out[first : first + _BATCH]
            postponed = []
            for start in range(0, batch.size, block):
                part = batch[start : start + block]
                word, entry = words[: part.size], entries[: part.size]
                place, doubt = places[: part.size], doubtful[: part.size]
                source.fill(word)
                np.bitwise_and(word, np.uint64(0xFFFF), out=place)
                self.entry.take(place.view(np.int64), out=entry, mode="clip")
                np.greater_equal(word, entry, out=doubt)
                self._places(word, place, source)
                # The cell's sixteen bits, signed, times the width.
                np.left_shift(entry, np.uint64(48), out=entry)
                np.right_shift(entry.view(np.int64), 48 - self.shift, out=part)
                np.bitwise_or(part, place.view(np.int64), out=part)
                lanes = np.flatnonzero(doubt)
                postponed.append((lanes + start, word[lanes], place[lanes]))
            lanes, word, place = (np.concatenate(column) for column in zip(*postponed, strict=True))
            if lanes.size:
                value, kept = self._resolve(word, place.view(np.int64), source)
                again = np.flatnonzero(~kept)
                if again.size:
                    redrawn = np.empty(again.size, np.int64)
                    self._sample_cells(redrawn, source)
                    value[again] = redrawn
                batch[lanes] = value

    def _places(self, words: Words, places: Words, source: BitSource) -> None:
        """The place in the cell: bits 16 and up of the word, or of a second word."""
        if self.second_word:
            source.fill(places)
        else:
            np.right_shift(words, np.uint64(16), out=places)
        np.bitwise_and(places, np.uint64(self.width - 1), out=places)

    def _resolve(
        self, words: Words, places: Integers, source: BitSource
    ) -> tuple[Integers, NDArray[np.bool_]]:
        prefixes = words & np.uint64(0xFFFF)
        cells = self.cell[prefixes.view(np.int64)].astype(np.int64)
        unclear = np.flatnonzero(cells == _AMBIGUOUS)
        if unclear.size:
            cells[unclear] = self._cells(prefixes[unclear], source)
        base = cells << self.shift
        value = base + places
        top = np.where(cells >= 0, base, base + (self.width - 1))
        more = np.empty_like(words)
        source.fill(more)
        held = np.uint64(64 - self.squeeze)
        uniform = (words >> held << held) | (more >> np.uint64(self.squeeze))
        gap = uniform.astype(np.float64) * 2.0**-64 - np.exp(-self.weights.drop(value, top))
        kept = gap < 0
        for lane in np.flatnonzero(np.abs(gap) <= _KEEP_MARGIN):
            exponent = self.weights.exponent(int(value[lane]))
            exponent -= self.weights.exponent(int(top[lane]))
            kept[lane] = bernoulli(decay(exponent), source, int(uniform[lane]), 64)
        return value, kept

    def _cells(self, prefixes: Words, source: BitSource) -> Integers:
        """The cells of 16-bit prefixes that a boundary touches, from 48 bits more."""
        more = np.empty_like(prefixes)
        source.fill(more)
        uniform = (prefixes << np.uint64(48)) | (more >> np.uint64(16))
        place = uniform.astype(np.float64) * 2.0**-64
        below = np.searchsorted(self.boundaries, place - _CELL_MARGIN, "right")
        above = np.searchsorted(self.boundaries, place + _CELL_MARGIN, "right")
        cells = below - 1 - self.reach
        outside = (below == 0) | (below > 2 * self.reach)
        for lane in np.flatnonzero((below != above) | outside):
            cells[lane] = self._cell(int(uniform[lane]), 64, source)
        return cells

    # ------------------------------------------------------------------ beyond the tables

    def _cell(self, uniform: int, held: int, source: BitSource) -> int:
        """The cell of U, given its first bits, with as many more as it takes."""
        while True:
            below, above, reach = self._cumulative(2 * held + 64, held + 16)
            # The last boundary that is certainly not above U ...
            cell = -1
            for (_, high), (rest, _) in zip(below, above, strict=True):
                if (high << held) > uniform * (high + rest):
                    break
                cell += 1
            # ... is the cell's, if the next boundary is certainly above U.
            if 0 <= cell < 2 * reach:
                low, _ = below[cell + 1]
                _, rest = above[cell + 1]
                if (low << held) >= (uniform + 1) * (low + rest):
                    return cell - reach
            uniform, held = uniform << held | source.bits(held), 2 * held

    def _cumulative(self, bits: int, depth: int) -> tuple[Enclosures, Enclosures, int]:
        """Enclosures of the weight below and above every boundary, and the cells per side.

        Cells are listed until their weight is below 2^-depth; the rest is bounded by a
        geometric series, since the weight is log-concave.
        """
        right, right_tail = self._side(0, bits, depth)
        left, left_tail = self._side(1, bits, depth, len(right))
        cells = left[::-1] + right

        def sums(order: Enclosures, tail: int) -> Enclosures:
            lows = accumulate((low for low, _ in order), initial=0)
            highs = accumulate((high for _, high in order), initial=tail)
            return list(zip(lows, highs, strict=True))

        return sums(cells, left_tail), sums(cells[::-1], right_tail)[::-1], len(right)

    def _side(self, start: int, bits: int, depth: int, least: int = 0) -> tuple[Enclosures, int]:
        cells: Enclosures = []
        tiny = 1 << (bits - depth)
        for low, high, ratio in descending(self.weights, start, self.width, bits):
            if high < tiny and len(cells) >= least:
                # The ratio falls from here on, so the rest is at most high/(1 - ratio).
                return cells, -(-(high << bits) // ((1 << bits) - ratio))
            cells.append((low, high))
        raise AssertionError("unreachable: the weights fall below any bound")
