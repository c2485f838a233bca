"""Tables of counts by several keys whose totals agree, measured by their residuals in integers.

A marginal is the table of all cells by some of the keys.  What it adds to the marginals of fewer
keys is its residual: for a set A of keys r_A = (⊗ H_i) m_A, where H_i has the integer rows
(1, …, 1, -k, 0, …), k = 1 … n_i - 1.  Residuals are measured, each row times a whole number of its
own, with one discrete Gaussian noise.  Every marginal is made of the residuals of its keys, so that
all totals agree, whatever the noise is.

The strategy is an integer matrix: nothing is rounded before the noise.  After it, floats are fine.
Proof: docs/proofs/cubes.md
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import isqrt, lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Keys = tuple[int, ...]
"""Some of the keys, by their places in increasing order."""
Cell = tuple[Keys, Keys]
"""A cell of a marginal: its keys, and its place in each."""
Floats = NDArray[np.float64]

_FINE = 1 << 24
"""The square of what the row with the largest norm is multiplied by at least: rounding the factors
of the rows adds less than a part in 2000 to an error."""
_PRECISE = 120  # bits of a ratio of precisions
_SAFE = 1 << 62
_MOST_COMPARED = 1 << 16  # pairs of a block and a set of keys in which two cells differ


@dataclass(frozen=True, slots=True)
class Block:
    """The residual of a set of keys, with the precision at which it is measured.

    ``precision`` is that of the residual by rows of norm 1: the row of norm √(Π k(k+1)) is
    multiplied by the root of precision / Π k(k+1), rounded down.
    """

    keys: Keys
    precision: int
    part: Fraction
    """Π (1 - 1/n_i): the squared norm of every column of the residual by rows of norm 1."""


@dataclass(frozen=True)
class ResidualTables:
    """The strategy that measures marginals of keys with so many values each.

    ``tables`` are the marginals that are asked for, ``weights`` how much the variance of a cell of
    each counts.  Precisions are those of the least weighted sum of variances over all cells.

    Guarantee: if one unit adds integers to the finest cells whose absolute values add up to at most
    d, it moves ``measured`` by at most d²·``squared_norm()`` in squared L2.

    >>> strategy = ResidualTables((2, 3), ((0, 1), (0,), (1,), ()), (1, 1, 1, 1))
    >>> [block.keys for block in strategy.blocks]
    [(), (0,), (1,), (0, 1)]
    >>> strategy.cells, strategy.size
    (12, 6)
    """

    sizes: tuple[int, ...]
    tables: tuple[Keys, ...]
    weights: tuple[Fraction, ...]

    @cached_property
    def cells(self) -> int:
        """How many cells all tables have together."""
        return sum(map(self.cells_of, self.tables))

    @property
    def size(self) -> int:
        """How many integers are measured."""
        return sum(prod(self.sizes[key] - 1 for key in block.keys) for block in self.blocks)

    def cells_of(self, keys: Iterable[int]) -> int:
        """How many cells the marginal of these keys has."""
        return prod(self.sizes[key] for key in keys)

    @cached_property
    def largest(self) -> tuple[Keys, ...]:
        """The tables that are part of no other: all others are sums of them."""
        sets = [frozenset(keys) for keys in self.tables]
        return tuple(
            keys
            for keys, own in zip(self.tables, sets, strict=True)
            if not any(own < other for other in sets)
        )

    @cached_property
    def marginals(self) -> tuple[Keys, ...]:
        """All sets of keys of which the tables are made, those of few keys first."""
        found = {
            part
            for keys in self.largest
            for many in range(len(keys) + 1)
            for part in combinations(keys, many)
        }
        return tuple(sorted(found, key=lambda keys: (len(keys), keys)))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The residuals that are measured, in order; a key with one value has none.

        With v the weight of a block's variance in the sum, and p its squared norm, the sum Σ v·σ²
        is least for a given Σ p/σ² where 1/σ² is in proportion to √(v/p).
        """
        ratios = {}
        for keys in self.marginals:
            part = self._part(keys)
            if part:
                squared = self._counted(keys) / part
                ratios[keys] = isqrt((squared.numerator << _PRECISE) // squared.denominator)
        # The row of the largest norm is multiplied by the root of _FINE at least.
        least = max(
            Fraction(_FINE * prod(self.sizes[key] * (self.sizes[key] - 1) for key in keys), ratio)
            for keys, ratio in ratios.items()
        )
        return tuple(
            Block(keys, -(-ratio * least.numerator // least.denominator), self._part(keys))
            for keys, ratio in ratios.items()
        )

    def _part(self, keys: Keys) -> Fraction:
        """The squared norm of a column of the residual by rows of norm 1."""
        bottom = self.cells_of(keys)
        return Fraction(prod(self.sizes[key] - 1 for key in keys), bottom)

    def _counted(self, keys: Keys) -> Fraction:
        """How much the variance of a residual counts, in all cells of all tables together."""
        return self._weighed[keys]

    @cached_property
    def _weighed(self) -> dict[Keys, Fraction]:
        """Of each set A: p_A · Σ over tables B around it of weight · N_B · Π_{B∖A} n^-2."""
        sums: dict[Keys, Fraction] = dict.fromkeys(self.marginals, Fraction(0))
        for table, weight in zip(self.tables, self.weights, strict=True):
            cells = self.cells_of(table)
            for many in range(len(table) + 1):
                for part in combinations(table, many):
                    rest = cells // self.cells_of(part)
                    sums[part] += Fraction(weight) * Fraction(cells, rest * rest)
        return {keys: self._part(keys) * one for keys, one in sums.items()}

    # ------------------------------------------------------------------ what it costs

    @cached_property
    def _norm(self) -> Fraction:
        """The squared norm of a column: the same for every cell, but for factors rounded down."""
        return sum((block.precision * block.part for block in self.blocks), Fraction(0))

    def squared_norm(
        self, *, replaced: bool = False, signed: bool = False, several: bool = False
    ) -> Fraction:
        """How far a unit moves what is measured: in squared L2, for an L1 norm of 1.

        Replaced, what goes and what comes are each within the L1 norm: if neither is negative, the
        largest difference is a column or a difference of two.  ``signed`` ones may be opposite.
        With ``several`` sums of each cell, the two columns may be of two of them.
        """
        if not replaced:
            return self._norm
        if signed:
            return 4 * self._norm
        return max(self._farthest, 2 * self._norm if several else self._norm)

    @cached_property
    def _farthest(self) -> Fraction:
        """At least the largest squared distance of two columns.

        Of cells that differ in the keys D, the columns of a block have the inner product
        Π_{A∖D} (1 - 1/n) · Π_{A∩D} (-1/n).  Where there are too many D to look at each, every block
        is taken at its own worst, which is one key with few values.
        """
        used = sorted({key for block in self.blocks for key in block.keys})
        if len(self.blocks) << len(used) > _MOST_COMPARED:
            worst = Fraction(0)
            for block in self.blocks:
                if block.keys:
                    few = min(self.sizes[key] for key in block.keys)
                    worst += 2 * block.precision * block.part * Fraction(few, few - 1)
            return worst
        apart = [
            frozenset(keys) for many in range(1, len(used) + 1) for keys in combinations(used, many)
        ]
        # In whole numbers, since every denominator divides the product of all sizes.
        whole = lcm(*(self.cells_of(block.keys) for block in self.blocks))
        scaled = [
            (block.keys, block.precision * (whole // self.cells_of(block.keys)))
            for block in self.blocks
        ]

        def inner(other: frozenset[int]) -> int:
            return sum(
                size * prod(-1 if key in other else self.sizes[key] - 1 for key in keys)
                for keys, size in scaled
            )

        least = min((inner(other) for other in apart), default=inner(frozenset()))
        return 2 * (self._norm - Fraction(least, whole))

    # ------------------------------------------------------------------ before the noise

    def measured(self, tables: Mapping[Keys, NDArray[Any]]) -> NDArray[Any]:
        """The residuals of true integers, times the factors of their rows, block by block.

        ``tables`` are the ``largest`` marginals, each an array with an axis for each key.
        """
        whole = max(sum(map(abs, table.ravel().tolist())) for table in tables.values())
        # A row times its factor is within √precision · whole; before, within Π n · whole.
        within = max(isqrt(block.precision) + 1 for block in self.blocks) * whole
        widest = max(self.cells_of(keys) for keys in tables) * whole
        kind: type = np.int64 if max(within, widest) < _SAFE else np.object_
        known: dict[Keys, NDArray[Any]] = {
            keys: table.astype(kind) for keys, table in tables.items()
        }
        values: list[NDArray[Any]] = []
        for block in self.blocks:
            table = self._summed(known, block.keys)
            for axis in range(len(block.keys)):
                table = _residuals(table, axis)
            factors = self._factors(block, kind)
            values.append(np.asarray(table * factors, kind).reshape(-1))
        return np.concatenate(values)

    def _summed(self, known: Mapping[Keys, NDArray[Any]], keys: Keys) -> NDArray[Any]:
        """The marginal of some keys: a sum of one of the largest."""
        around = next(one for one in known if set(keys) <= set(one))
        others = tuple(axis for axis, key in enumerate(around) if key not in keys)
        table = known[around]
        return np.asarray(table.sum(axis=others), table.dtype) if others else table

    def _factors(self, block: Block, kind: type = np.object_) -> NDArray[Any]:
        """The factor of each row: the root of precision / Π k(k+1), rounded down."""
        squares = self._row_squares(block.keys)
        known, places = np.unique(squares.ravel(), return_inverse=True)
        factors = np.array([isqrt(block.precision // int(one)) for one in known], np.object_)
        return factors[places.ravel()].reshape(squares.shape).astype(kind)

    def _row_squares(self, keys: Keys) -> NDArray[Any]:
        """Π k(k+1) of every row of a block."""
        small = prod(self.sizes[key] ** 2 for key in keys) < _SAFE
        squares = np.ones(1, np.int64 if small else np.object_)
        for key in keys:
            own = np.array([k * (k + 1) for k in range(1, self.sizes[key])], squares.dtype)
            squares = np.multiply.outer(squares, own)
        return squares.reshape(tuple(self.sizes[key] - 1 for key in keys))

    # ------------------------------------------------------------------ after the noise

    def reconstructed(self, noisy: Sequence[int] | NDArray[Any]) -> dict[Keys, Floats]:
        """Every marginal, from the residuals as they were released.

        Only operations that IEEE 754 fixes are used, in a fixed order, so that every machine gets
        the same numbers.
        """
        values = np.array(noisy, np.float64)
        inner: dict[Keys, Floats] = {}
        start = 0
        for block in self.blocks:
            shape = tuple(self.sizes[key] - 1 for key in block.keys)
            size = prod(shape)
            found = values[start : start + size].reshape(shape)
            start += size
            weights = self._factors(block).astype(np.float64) * self._row_squares(
                block.keys
            ).astype(np.float64)
            found = found / weights
            for axis in range(len(shape)):
                found = _interactions(found, axis)
            inner[block.keys] = found
        return {keys: self._assembled(inner, keys) for keys in self.marginals}

    def _assembled(self, inner: Mapping[Keys, Floats], keys: Keys) -> Floats:
        """A marginal: what each set of its keys adds to it."""
        table = np.zeros(tuple(self.sizes[key] for key in keys))
        for many in range(len(keys) + 1):
            for part in combinations(keys, many):
                if part in inner:
                    shape = tuple(self.sizes[key] if key in part else 1 for key in keys)
                    rest = prod(self.sizes[key] for key in keys if key not in part)
                    table = table + inner[part].reshape(shape) / rest
        return table

    def variance(self, keys: Keys, place: Keys = ()) -> Fraction:
        """The variance of a cell of a marginal, for noise of variance 1; rounded up a little.

        It is the same in all cells.
        """
        return self._variances[keys]

    @cached_property
    def _variances(self) -> dict[Keys, Fraction]:
        blocks = {block.keys: block for block in self.blocks}
        sums = {}
        for keys in self.marginals:
            total = Fraction(0)
            for many in range(len(keys) + 1):
                for part in combinations(keys, many):
                    if part in blocks:
                        block = blocks[part]
                        rest = self.cells_of(keys) // self.cells_of(part)
                        total += block.part / block.precision / rest**2
            sums[keys] = total * ROUNDED_FACTORS
        return sums

    def before(self, place: Keys) -> Keys | None:
        """None: no cell is part of another one of its table."""
        return None

    def covariance(self, first: Mapping[Cell, float], second: Mapping[Cell, float]) -> float:
        """The covariance of two weighted sums of cells, for noise of variance 1.

        On a block A, a weighted sum is one of the cells of A by the projection ⊗ (I - J/n), which
        is the sum over the sets of its keys that are summed out, with alternating signs.
        """
        total = 0.0
        for block in self.blocks:
            one, other = self._on_block(first, block.keys), self._on_block(second, block.keys)
            if one and other:
                product = sum(
                    (-1) ** len(out)
                    / self.cells_of(out)
                    * _product(_summed_out(one, block.keys, out), other, block.keys, out)
                    for many in range(len(block.keys) + 1)
                    for out in combinations(block.keys, many)
                )
                total += product / block.precision
        return total * float(ROUNDED_FACTORS)

    def _on_block(self, cells: Mapping[Cell, float], keys: Keys) -> dict[Keys, float]:
        """The weights that a sum gives to the cells of a block, which each cell is made of."""
        found: dict[Keys, float] = {}
        for (own, place), weight in cells.items():
            if set(keys) <= set(own):
                rest = self.cells_of(own) // self.cells_of(keys)
                inner = tuple(at for key, at in zip(own, place, strict=True) if key in keys)
                found[inner] = found.get(inner, 0.0) + weight / rest
        return found

    # ------------------------------------------------------------------ whole numbers

    def rounded(self, tables: Mapping[Keys, Floats], step: float) -> dict[Keys, NDArray[np.int64]]:
        """The marginals in whole steps, of which all totals still agree.

        What is rounded is how much there is up to each cell, in all of its keys: at the end of a
        key that is what the table without it has, so that the tables agree.  A cell is a difference
        of these, and no farther from its number than 2^(keys - 1) steps, and neither is any range
        of cells.
        """
        reached: dict[Keys, NDArray[np.int64]] = {}
        cells: dict[Keys, NDArray[np.int64]] = {}
        for keys in self.marginals:
            upto = tables[keys] / step
            for axis in range(len(keys)):
                upto = np.cumsum(upto, axis=axis)
            whole = np.floor(upto + 0.5).astype(np.int64)
            for axis, key in enumerate(keys):
                end = [slice(None)] * len(keys)
                end[axis] = slice(-1, None)
                others = tuple(one for one in keys if one != key)
                whole[tuple(end)] = np.expand_dims(reached[others], axis)
            reached[keys] = whole
            for axis in range(len(keys)):
                whole = np.diff(whole, axis=axis, prepend=0)
            cells[keys] = whole
        return cells

    def slack(self, cells: Mapping[Cell, float]) -> float:
        """How many steps rounding moves a weighted sum of cells at most.

        Half a step for every number up to a cell that is rounded, times its weight in the sum.
        """
        corners: dict[Cell, float] = {}
        for (keys, place), weight in cells.items():
            for many in range(len(keys) + 1):
                for before in combinations(range(len(keys)), many):
                    ends = [at - 1 if axis in before else at for axis, at in enumerate(place)]
                    if min(ends, default=0) < 0:
                        continue
                    inside = [
                        (key, at)
                        for key, at in zip(keys, ends, strict=True)
                        if at < self.sizes[key] - 1
                    ]
                    corner = tuple(key for key, _ in inside), tuple(at for _, at in inside)
                    corners[corner] = corners.get(corner, 0.0) + (-1) ** many * weight
        return sum(map(abs, corners.values())) / 2


ROUNDED_FACTORS = (1 + Fraction(1, isqrt(_FINE) - 1)) ** 2
"""How much larger a variance can be because the factors of rows are rounded down."""


def _residuals(table: NDArray[Any], axis: int) -> NDArray[Any]:
    """Along an axis the rows (1, …, 1, -k, 0, …): the first k values, less k times the next."""
    moved = np.moveaxis(table, axis, -1)
    before = np.cumsum(moved, axis=-1)[..., :-1]
    times = np.arange(1, moved.shape[-1]).astype(table.dtype)
    return np.moveaxis(before - times * moved[..., 1:], -1, axis)


def _interactions(values: Floats, axis: int) -> Floats:
    """The transpose of ``_residuals``: cell x gets all rows k > x, less x times row x."""
    moved = np.moveaxis(values, axis, -1)
    size = moved.shape[-1] + 1
    above = np.zeros((*moved.shape[:-1], size))
    above[..., :-1] = np.cumsum(moved[..., ::-1], axis=-1)[..., ::-1]
    above[..., 1:] -= np.arange(1, size) * moved
    return np.moveaxis(above, -1, axis)


def _summed_out(cells: Mapping[Keys, float], keys: Keys, out: Keys) -> dict[Keys, float]:
    """The sums over some of the keys."""
    found: dict[Keys, float] = {}
    for place, weight in cells.items():
        rest = tuple(at for key, at in zip(keys, place, strict=True) if key not in out)
        found[rest] = found.get(rest, 0.0) + weight
    return found


def _product(
    one: Mapping[Keys, float], cells: Mapping[Keys, float], keys: Keys, out: Keys
) -> float:
    """Of two sums of cells, one has some of the keys summed out, and the other will have."""
    other = _summed_out(cells, keys, out)
    return sum(weight * other[place] for place, weight in one.items() if place in other)
