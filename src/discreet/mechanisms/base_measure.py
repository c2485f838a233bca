"""How much each grid point weighs before any record is seen: a public base measure.

The exponential mechanism draws among all points between the bounds.  On a fine grid a value that
many records share is one point among a billion, and the gaps beside it outweigh it.  Ties are at
round numbers: whole ones, tenths, cents.  So the measure has layers: every point, and for each
power of ten the points nearest to its multiples, each layer of powers with as much weight as any
other.  A round number then weighs as much as it is round, and a gap hardly less than before.

Nothing here depends on a record: the layers follow from the bounds and the grid.

Proof: docs/proofs/rounding-in-ranks.md
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor

import numpy as np
from numpy.typing import NDArray

from discreet.exact import Range

Integers = NDArray[np.int64]

_BITS = 62  # of the fraction of a multiple that one step is
_HALF = 31
_LOW = (1 << _HALF) - 1
_LEAST, _MOST = 1 << 16, 1 << _HALF  # steps of a range that has layers
_FINE = 8  # the weight of a point that is in no other layer
_CLOSEST = 8  # steps between the multiples of the finest power of ten


@dataclass(frozen=True, slots=True)
class Layer:
    """Points at even distances between two points, each of the same weight.

    ``ratio`` and ``offset`` are in units of 2^-62: below the point s there are
    floor(offset + s·ratio) of them.
    """

    first: int
    last: int
    weight: int
    ratio: int = 1 << _BITS
    offset: int = 0

    def below(self, points: Integers) -> Integers:
        """The weight of this layer's points below each point."""
        inside = np.minimum(np.maximum(points, self.first), self.last + 1)
        return (self._count(inside) - self._count(np.array(self.first))) * self.weight

    def _count(self, points: Integers) -> Integers:
        """(offset + s·ratio) >> 62, whose product has up to 93 bits, in two halves of 31."""
        low = points * (self.ratio & _LOW) + (self.offset & _LOW)
        high = points * (self.ratio >> _HALF) + (self.offset >> _HALF) + (low >> _HALF)
        counted: Integers = high >> _HALF
        return counted


@dataclass(frozen=True, slots=True)
class BaseMeasure:
    """The weight of every point 0 … width; at least ``least``."""

    width: int
    layers: tuple[Layer, ...]
    least: int = _FINE

    @property
    def total(self) -> int:
        """The weight of all points."""
        return int(self.below(np.array(self.width + 1)))

    def below(self, points: Integers) -> Integers:
        """The weight of all points below each point."""
        found = self.layers[0].below(points)
        for layer in self.layers[1:]:
            found = found + layer.below(points)
        return found

    def at(self, points: Integers) -> Integers:
        """The weight of each point."""
        return self.below(points + 1) - self.below(points)

    def point(self, weight: int) -> int:
        """The point that this weight falls on, of weights laid side by side."""
        low, high = 0, self.width
        while low < high:
            middle = (low + high + 1) // 2
            if int(self.below(np.array(middle))) <= weight:
                low = middle
            else:
                high = middle - 1
        return low


@lru_cache(maxsize=256)
def round_numbers(bounds: Range) -> BaseMeasure | None:
    """Half of the weight on all points alike, half on round numbers; None on a range of few points.

    On few points every value has weight enough, and on a grid that someone chose so too.
    """
    if not _LEAST <= bounds.width <= _MOST:
        return None
    return BaseMeasure(bounds.width, (Layer(0, bounds.width, _FINE), *_decimals(bounds)))


@lru_cache(maxsize=256)
def toward_middle(bounds: Range) -> BaseMeasure | None:
    """Round numbers, and more weight in the middle: for the ends, on which few records bear.

    Where the records say next to nothing, the middle is off by the least.
    """
    plain = round_numbers(bounds)
    if plain is None:
        return None
    quarter, eighth = bounds.width // 4, bounds.width // 8
    middle = (
        Layer(quarter, bounds.width - quarter, 6 * _FINE),
        Layer(3 * eighth, bounds.width - 3 * eighth, 10 * _FINE),
    )
    return BaseMeasure(bounds.width, (*plain.layers, *middle))


def _decimals(bounds: Range) -> list[Layer]:
    """A layer for the multiples of each power of ten that has room between the bounds."""
    step, width = bounds.grid.step, bounds.width
    power = Fraction(1)
    while power <= width * step:
        power *= 10
    while power > width * step:
        power /= 10
    powers = []
    while power >= _CLOSEST * step:
        powers.append(power)
        power /= 10
    return [_layer(bounds, power, _FINE * (width + 1) // len(powers)) for power in powers]


def _layer(bounds: Range, power: Fraction, weight: int) -> Layer:
    """The points nearest to the multiples of a power, of this weight together."""
    ratio = bounds.grid.step / power
    start = (bounds.low - Fraction(1, 2)) * ratio
    whole = Layer(
        0, bounds.width, 1, floor(ratio * (1 << _BITS)), floor((start % 1) * (1 << _BITS))
    )
    many = max(1, int(whole.below(np.array(bounds.width + 1))))
    return Layer(0, bounds.width, max(1, weight // many), whole.ratio, whole.offset)
