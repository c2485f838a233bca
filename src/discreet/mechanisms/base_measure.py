"""How much each grid point weighs before any record is seen: a public base measure.

The exponential mechanism draws among all points between the bounds.  On a fine grid a value that
many records share is one point among a billion, and the gaps beside it outweigh it.  Ties are at
round numbers: whole ones, tenths, cents.  So the measure has layers: every point, and for each
power of ten the points nearest to its multiples, each layer of powers with as much weight as any
other.  A round number then weighs as much as it is round, and a gap hardly less than before.

Nothing here depends on a record: the layers follow from the bounds and the grid.

Proof: docs/proofs/rounding-in-ranks.md
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from math import floor

import numpy as np
from numpy.typing import NDArray

from discreet.exact import Range

Integers = NDArray[np.int64]

_BITS = 62  # of a product
_LEAST, _MOST = 1 << 16, 1 << 27  # steps of a range that has layers
_FINE = 8  # the weight of a point that is in no other layer
_CHUNK = 1 << 13  # points at a time: all layers of them stay near the processor
_NEAREST = Fraction(1, 2)  # a value is rounded to a point at most half a step above it
_UP = Fraction(31, 32)  # or less than a step: what bits cut off of a multiple is below the rest
_CLOSEST = 8  # steps between the multiples of the finest power of ten


@dataclass(frozen=True, slots=True)
class Layer:
    """Points at even distances between two points, each of the same weight.

    Below the point s there are floor((offset + s·ratio) / 2^bits) of them.
    """

    first: int
    last: int
    weight: int
    ratio: int = 1
    offset: int = 0
    bits: int = 0

    def numbers(self) -> tuple[int, ...]:
        """Ratio, offset, bits, the counts below its first point and up to its last, and weight."""
        first, end = (
            self.offset + point * self.ratio >> self.bits for point in (self.first, self.last + 1)
        )
        return self.ratio, self.offset, self.bits, first, end, self.weight


@dataclass(frozen=True, slots=True)
class BaseMeasure:
    """The weight of every point 0 … width; at least ``least``."""

    width: int
    layers: tuple[Layer, ...]
    least: int = _FINE
    total: int = field(init=False)
    """The weight of all points."""
    _rows: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)
    """Of every layer its ratio, offset, bits, counts at both ends, and weight."""
    _columns: Integers = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rows = tuple(layer.numbers() for layer in self.layers)
        object.__setattr__(self, "_rows", rows)
        object.__setattr__(self, "_columns", np.array(rows, np.int64).T[:, :, None])
        object.__setattr__(self, "total", self.below_one(self.width + 1))

    def below(self, points: Integers) -> Integers:
        """The weight of all points below each point."""
        found = np.empty_like(points)
        for start in range(0, points.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            found[part] = self._below(points[part])
        return found

    def _below(self, points: Integers) -> Integers:
        """All layers at once, one row for each."""
        ratio, offset, bits, first, end, weight = self._columns
        counted = points * ratio
        counted += offset
        counted >>= bits
        np.minimum(counted, end, out=counted)
        np.maximum(counted, first, out=counted)
        counted -= first
        counted *= weight
        below: Integers = counted.sum(axis=0)
        return below

    def below_one(self, point: int) -> int:
        """The weight of all points below one."""
        found = 0
        for ratio, offset, bits, first, end, weight in self._rows:
            counted = offset + point * ratio >> bits
            if counted > first:
                found += (counted - first if counted < end else end - first) * weight
        return found

    def at(self, point: int) -> int:
        """The weight of a point."""
        return self.below_one(point + 1) - self.below_one(point)

    def point(self, weight: int) -> int:
        """The point that this weight falls on, of weights laid side by side."""
        low, high = 0, self.width + 1  # below low is not more than the weight, below high is more
        least, most = 0, self.total
        by_share = True
        while high - low > 1:
            # Weight is spread nearly evenly: a share of it is near that share of the points.
            ahead = (high - low) * (weight - least) // (most - least) if by_share else 0
            by_share = not by_share
            middle = min(max(low + ahead, low + 1), high - 1) if ahead else (low + high) // 2
            found = self.below_one(middle)
            if found <= weight:
                low, least = middle, found
            else:
                high, most = middle, found
        return low


@lru_cache(maxsize=256)
def round_numbers(bounds: Range) -> BaseMeasure | None:
    """Half of the weight on all points alike, half on round numbers; None on a range of few points.

    On few points every value has weight enough, and on a grid that someone chose so too.
    """
    return _rounded(bounds, _NEAREST)


@lru_cache(maxsize=256)
def toward_middle(bounds: Range) -> BaseMeasure | None:
    """Round numbers, and more weight in the middle: for the ends, on which few records bear.

    Where the records say next to nothing, the middle is off by the least.  Points are counted from
    the lower bound; the least value is the largest of the flipped range.  Values are rounded up
    here, and so are the round numbers.
    """
    quarter, eighth = bounds.width // 4, bounds.width // 8
    middle = (
        Layer(quarter, bounds.width - quarter, 9 * _FINE),
        Layer(3 * eighth, bounds.width - 3 * eighth, 9 * _FINE),
    )
    return _rounded(bounds, _UP, middle)


def _rounded(bounds: Range, ahead: Fraction, more: tuple[Layer, ...] = ()) -> BaseMeasure | None:
    """All points alike, round numbers, and more layers; None on a range of few points."""
    if not _LEAST <= bounds.width <= _MOST:
        return None
    layers = (Layer(0, bounds.width, _FINE), *_decimals(bounds, ahead), *more)
    return BaseMeasure(bounds.width, layers)


def _decimals(bounds: Range, ahead: Fraction) -> list[Layer]:
    """A layer for the multiples of each power of ten of which ten or more fit into the range."""
    step, width = bounds.grid.step, bounds.width
    power = Fraction(1)
    while 10 * power <= width * step:
        power *= 10
    while 10 * power > width * step:
        power /= 10
    powers = []
    while power >= _CLOSEST * step:
        powers.append(power)
        power /= 10
    weight = _FINE * (width + 1) // len(powers)
    return [_layer(bounds, power, ahead, weight) for power in powers]


def _layer(bounds: Range, power: Fraction, ahead: Fraction, weight: int) -> Layer:
    """The points that the multiples of a power are rounded to, of this weight together.

    That point is less than ``ahead`` steps above its multiple, or at most 1 - ahead below it.
    """
    ratio = bounds.grid.step / power
    start = (bounds.low - ahead) * ratio % 1
    # As many bits as a product has room for: what they cut off moves no multiple by 2^-5 steps.
    bits = _BITS - int((bounds.width + 1) * ratio + 1).bit_length()
    whole = Layer(0, bounds.width, 1, floor(ratio * (1 << bits)), floor(start * (1 << bits)), bits)
    many = max(1, BaseMeasure(bounds.width, (whole,)).total)
    return replace(whole, weight=max(1, weight // many))
