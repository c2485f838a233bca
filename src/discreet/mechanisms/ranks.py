"""Records in order on a stretch of the grid, and how far the rank of a point is from a target.

Ranks are counted in units of 2^-20 records, so that a target such as a third of all records is a
whole number.  There are two ways to score the points of a stretch.

*Points*: a point covers every rank of the records that sit on it, so ties are answered exactly.

*Positions*: every point is divided into many positions and the records that sit on it are
spread evenly over them.  A cut at a position then says how many of the equal records go to
either side, and each record goes to one side only.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.noise import BitSource, uniform_below

Integers = NDArray[np.int64]

UNIT = 1 << 20
"""A record, in the units that ranks are counted in."""

_MOST_DIVISIONS = UNIT
_LARGEST = 61  # bits of the largest position


class Runs(NamedTuple):
    """Stretches of equally good candidates: first one, how many, and how far off in units."""

    starts: Integers
    sizes: Integers
    depths: Integers

    @staticmethod
    def between(starts: Integers, end: int, depths: Integers) -> "Runs":
        """The runs that begin at these places and end where the next one begins."""
        sizes = np.diff(starts, append=end)
        real = sizes > 0
        return Runs(starts[real], sizes[real], depths[real])

    def pick(self, run: int, source: BitSource) -> int:
        """A uniform candidate of one run."""
        return int(self.starts[run]) + uniform_below(int(self.sizes[run]), source)


def divisions(width: int) -> int:
    """How many positions a point is divided into: 2^20, or what 64 bits leave on huge ranges."""
    return min(_MOST_DIVISIONS, 1 << max(0, _LARGEST - (width + 1).bit_length()))


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """How many records sit at which places of the stretch low … high."""

    low: int
    high: int
    places: Integers
    counts: Integers

    @property
    def size(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    def points(self, target: int) -> Runs:
        """Every point; its depth is the distance from the target to the ranks it covers."""
        above = np.cumsum(self.counts) * UNIT
        below = above - self.counts * UNIT
        inside = np.maximum(0, np.maximum(below - target, target - above))
        between = np.abs(np.concatenate([[0], above]) - target)
        # A gap, a place with records, the next gap, and so on.
        starts = np.empty(2 * self.places.size + 1, np.int64)
        starts[0], starts[1::2], starts[2::2] = self.low, self.places, self.places + 1
        depths = np.empty_like(starts)
        depths[0::2], depths[1::2] = between, inside
        return Runs.between(starts, self.high + 1, depths)

    def positions(self, target: int, parts: int) -> Runs:
        """Every position, with ``parts`` of them at a point; its rank is that of a cut there."""
        ties = np.repeat(self.counts, self.counts)
        first = np.repeat(np.cumsum(self.counts) - self.counts, self.counts)
        order = np.arange(1, ties.size + 1) - first
        spread = -(-order * parts // (ties + 1))
        starts = np.empty(ties.size + 1, np.int64)
        end = (self.high + 1) * parts
        starts[0] = self.low * parts
        starts[1:] = np.minimum(np.repeat(self.places, self.counts) * parts + spread, end)
        depths = np.abs(np.arange(starts.size) * UNIT - target)
        return Runs.between(starts, end, depths)

    def cut(self, position: int, parts: int) -> tuple["Records", "Records"]:
        """The records on either side of a position; the point it is in belongs to both sides."""
        point, within = divmod(position, parts)
        place = int(np.searchsorted(self.places, point))
        left, right = self.counts[: place + 1].copy(), self.counts[place:].copy()
        if place < self.places.size and self.places[place] == point:
            moved = within * (int(left[-1]) + 1) // parts
            left[-1], right[0] = moved, right[0] - moved
        else:
            left = left[:place]
        return (
            _without_empty(self.low, point, self.places[: left.size], left),
            _without_empty(point, self.high, self.places[place:], right),
        )


def _without_empty(low: int, high: int, places: Integers, counts: Integers) -> Records:
    held = counts > 0
    return Records(low, high, places[held], counts[held])
