"""Ranks on a stretch of the grid: weights in order, and a public measure of its points."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.errors import PrivacyParameterError
from discreet.exact import Range
from discreet.noise import BitSource, uniform_below

Integers = NDArray[np.int64]

_BITS = 62  # of a product
_LEAST, _MOST = 1 << 16, 1 << 27  # steps of a range that has layers
_FINE = 8  # the weight of a point that is in no other layer
_CHUNK = 1 << 13  # points at a time: all layers of them stay near the processor
_NEAREST = Fraction(1, 2)  # a value is rounded to a point at most half a step above it
_UP = Fraction(31, 32)  # or less than a step: what bits cut off of a multiple is below the rest
_CLOSEST = 8  # steps between the multiples of the finest power of ten


UNIT = 1 << 20
"""A weight of one, in the units that ranks are counted in where a record weighs one."""
_MOST_DIVISIONS = UNIT
_LARGEST = 61  # bits of the largest position
_FEW = 2048  # runs that cost less than finding stretches does
_DEEPEST = 1 << 62
_LARGEST_TOTAL = float(1 << 62)


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
        weights = np.empty_like(points)
        for start in range(0, points.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            weights[part] = self._below(points[part])
        return weights

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
        weight_below = 0
        for ratio, offset, bits, first, end, weight in self._rows:
            counted = offset + point * ratio >> bits
            if counted > first:
                weight_below += (counted - first if counted < end else end - first) * weight
        return weight_below

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
            weight_below = self.below_one(middle)
            if weight_below <= weight:
                low, least = middle, weight_below
            else:
                high, most = middle, weight_below
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


class CandidateRuns(NamedTuple):
    """Runs of candidates: first one, total weight, and distance from the best, in units.

    A candidate weighs one, unless there is a base measure of points.
    """

    starts: Integers
    sizes: Integers
    depths: Integers


@dataclass(frozen=True, slots=True)
class PositionScale:
    """The weight of positions, ``parts`` of them to a point: uniform, or by a base measure."""

    measure: BaseMeasure | None
    parts: int = 1

    def below(self, positions: Integers) -> Integers:
        """The weight of all positions below each."""
        if self.measure is None:
            return positions
        if self.parts == 1:
            return self.measure.below(positions)
        points, within = np.divmod(positions, self.parts)
        weights = self.measure.below(points)
        inside = np.flatnonzero(within)
        own = self.measure.below(points[inside] + 1) - weights[inside]
        weights *= self.parts
        weights[inside] += within[inside] * own
        return weights

    def position(self, weight: int) -> int:
        """The position that a weight falls on."""
        if self.measure is None:
            return weight
        point = self.measure.point(weight // self.parts)
        rest = weight - self.measure.below_one(point) * self.parts
        return point * self.parts + rest // self.measure.at(point)

    def between(self, starts: Integers, end: int, depths: Integers) -> CandidateRuns:
        """The runs that begin at these positions and end where the next one begins."""
        sizes = np.diff(self.below(np.append(starts, end)))
        real = sizes > 0
        return CandidateRuns(starts[real], sizes[real], depths[real])

    def pick(self, runs: CandidateRuns, run: int, source: BitSource) -> int:
        """A candidate of one run, each as often as it weighs."""
        first = int(self.below(runs.starts[run : run + 1])[0])
        return self.position(first + uniform_below(int(runs.sizes[run]), source))


def divisions(width: int, measure: BaseMeasure | None = None) -> int:
    """How many positions a point is divided into: 2^20, or what 64 bits leave on huge ranges."""
    total = width + 1 if measure is None else measure.total
    return min(_MOST_DIVISIONS, 1 << max(0, _LARGEST - total.bit_length()))


def rank_units(share: int) -> int:
    """The units of a weight of one where a person may weigh ``share``.

    Fewer where the share is large, so that depths are told apart up to 2^28 shares.
    """
    return 1 << min(20, max(6, 34 - share.bit_length()))


def greatest_depth(unit: int) -> int:
    """The greatest depth, in units: what is farther off counts as that far."""
    return _DEEPEST - unit


def read_share(share: object) -> None:
    """Refuse what is not a weight."""
    if isinstance(share, bool) or not isinstance(share, int) or share < 1:
        raise PrivacyParameterError(
            "the share is not a positive integer. It is the most that all records of one person "
            "weigh together. Write share=1 where a record weighs 1 and is a person's only one."
        )


@dataclass(frozen=True, slots=True, eq=False)
class WeightedPositions:
    """The weight at each position of a range low … high."""

    low: int
    high: int
    places: Integers
    counts: Integers
    unit: int = UNIT
    measure: BaseMeasure | None = None
    ranks: Integers = field(init=False)
    """0, and the running sums of the weights."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "ranks", _running(self.counts))

    @property
    def size(self) -> int:
        """All weight together: the number of records where each weighs one."""
        return int(self.ranks[-1])

    def off(self, ranks: Integers, target: int) -> Integers:
        """How far these ranks are beyond the target, in units, but never beyond ±deepest."""
        if max(abs(target), self.size * self.unit) < _DEEPEST // 4:
            return ranks * self.unit - target
        whole, rest = divmod(target, self.unit)
        far, most = _DEEPEST // self.unit, greatest_depth(self.unit)
        near = np.minimum(np.maximum(ranks - whole, -far), far).astype(np.int64, copy=False)
        return np.minimum(np.maximum(near * self.unit - rest, -most), most)

    def points(self, target: int, above: int = 1, below: int = 1) -> CandidateRuns:
        """Every point; its depth is the distance from the target to the ranks it covers.

        Distances count ``above`` times for points beyond the target, ``below`` times before it.
        """
        off = self.off(self.ranks, target)
        steepest = max(above, below)
        if steepest > 1:  # no product is beyond the deepest
            most = greatest_depth(self.unit) // steepest
            off = np.minimum(np.maximum(off, -most), most)
        depths = np.empty(2 * self.places.size + 1, np.int64)
        depths[0::2] = np.maximum(off * above, -off * below)
        depths[1::2] = np.maximum(np.maximum(off[:-1] * above, -off[1:] * below), 0)
        return PositionScale(self.measure).between(self._starts(1), self.high + 1, depths)

    def runs(self, target: int, parts: int, rate: Fraction) -> CandidateRuns:
        """The positions, gathered in the cheaper of two ways."""
        if self.size <= 2 * self.places.size + _FEW:
            return self.positions(target, parts)
        return self.stretches(target, parts, rate)

    def positions(self, target: int, parts: int) -> CandidateRuns:
        """Every position, with ``parts`` of them at a point; its rank is that of a cut there.

        One run for each rank: as many as all weight together.
        """
        ties = np.repeat(self.counts, self.counts)
        first = np.repeat(self.ranks[:-1], self.counts)
        order = np.arange(1, ties.size + 1) - first
        spread = -(-order * parts // (ties + 1))
        starts = np.empty(ties.size + 1, np.int64)
        starts[0] = self.low * parts
        starts[1:] = np.repeat(self.places, self.counts) * parts + spread
        depths = np.abs(self.off(np.arange(starts.size), target))
        return PositionScale(self.measure, parts).between(starts, (self.high + 1) * parts, depths)

    def stretches(self, target: int, parts: int, rate: Fraction) -> CandidateRuns:
        """The same positions in few runs, whatever the weights: two to a place, and some more.

        A run is a gap or lies within a point, and on one side of the target.  Its depth is the
        least of its positions'; rate·depth grows by at most a quarter in it, or doubles if that
        is more.
        """
        starts = self._starts(parts)
        off = self.off(self.ranks, target)
        first = np.repeat(off, 2)[:-1]
        last = first.copy()
        last[1::2] = self.off(self.ranks[:-1] + (self.counts - self.counts // parts), target)
        places, cuts = self._cuts(target, parts, rate)
        # Behind the start of its point a cut begins a run; the run before it ends at the cut.
        starts = np.insert(starts, 2 * places + 2, cuts)
        first = np.insert(first, 2 * places + 2, self.off(self.rank(cuts, parts), target))
        last = np.insert(last, 2 * places + 1, self.off(self.rank(cuts - 1, parts), target))
        depths = np.minimum(np.abs(first), np.abs(last))
        return PositionScale(self.measure, parts).between(starts, (self.high + 1) * parts, depths)

    def rank(self, positions: Integers, parts: int) -> Integers:
        """How much weight a cut at each position puts to the left."""
        if not self.places.size:
            return np.zeros_like(positions)
        points, within = np.divmod(positions, parts)
        place = np.searchsorted(self.places, points)
        index = np.minimum(place, self.places.size - 1)
        tied = np.where(self.places[index] == points, self.counts[index], 0)
        # within·(tied + 1) // parts, where the product may have more than 64 bits.
        whole, rest = np.divmod(tied, parts)
        part: Integers = self.ranks[place] + (within * whole + within * (rest + 1) // parts)
        return part

    def depth(self, position: int, target: int, parts: int) -> int:
        """How far the rank of one position is from the target, in units."""
        point, within = divmod(position, parts)
        place, tied = self._at(point)
        rank = int(self.ranks[place]) + within * (tied + 1) // parts
        return min(abs(rank * self.unit - target), greatest_depth(self.unit))

    def cut(self, position: int, parts: int) -> tuple["WeightedPositions", "WeightedPositions"]:
        """The records on either side of a position; the point it is in belongs to both sides."""
        point, within = divmod(position, parts)
        place, tied = self._at(point)
        left, right = self.counts[: place + (tied > 0)].copy(), self.counts[place:].copy()
        if tied:
            moved = within * (tied + 1) // parts
            left[-1], right[0] = moved, tied - moved
        return (
            self._held(self.low, point, self.places[: left.size], left),
            self._held(point, self.high, self.places[place:], right),
        )

    def _at(self, point: int) -> tuple[int, int]:
        """How many places are below a point, and the weight on it."""
        place = int(np.searchsorted(self.places, point))
        held = place < self.places.size and self.places[place] == point
        return place, int(self.counts[place]) if held else 0

    def _starts(self, parts: int) -> Integers:
        """Where a gap, a place with weight, the next gap and so on begin."""
        starts = np.empty(2 * self.places.size + 1, np.int64)
        starts[0], starts[1::2], starts[2::2] = self.low, self.places, self.places + 1
        starts *= parts
        return starts

    def _cuts(self, target: int, parts: int, rate: Fraction) -> tuple[Integers, Integers]:
        """The positions inside points, with the indices of these, at which depths grow much."""
        turns = [rank for rank in self._turns(target, rate) if 0 < rank <= self.size]
        places = np.searchsorted(self.ranks, np.array(turns, self.ranks.dtype)) - 1
        cuts = set()
        for turn, place in zip(turns, places.tolist(), strict=True):
            tied, above = int(self.counts[place]), turn - int(self.ranks[place])
            within = -(-above * parts // (tied + 1))
            if within < parts:
                cuts.add((place, int(self.places[place]) * parts + within))
        bounds = np.array(sorted(cuts), np.int64).reshape(-1, 2)
        return bounds[:, 0], bounds[:, 1]

    def _turns(self, target: int, rate: Fraction) -> list[int]:
        """The first rank beyond the target, and those beyond certain distances on either side.

        The distances are such that rate·distance is 1/4, 1/2, … 4, then 8, 16 and so on.
        """
        step = max(1, int(1 / (4 * rate)))
        lags = [step * quarter for quarter in range(17)]
        while lags[-1] < max(target, self.size * self.unit - target):
            lags.append(2 * lags[-1])
        distances = {sign * lag for lag in lags for sign in (-1, 1)}
        return sorted({(target + distance) // self.unit + 1 for distance in distances})

    def _held(self, low: int, high: int, places: Integers, counts: Integers) -> "WeightedPositions":
        """The places that hold weight."""
        held = counts > 0
        return WeightedPositions(low, high, places[held], counts[held], self.unit, self.measure)


def _running(counts: Integers) -> Integers:
    """0 and the running sums: in Python's integers where 64 bits might not hold them."""
    small = counts.sum(dtype=np.float64) <= _LARGEST_TOTAL
    ranks: Integers = np.zeros(counts.size + 1, np.int64 if small else np.object_)
    (counts if small else counts.astype(np.object_)).cumsum(out=ranks[1:])
    return ranks
