"""Running totals, measured by the root of the matrix that adds up, in integers.

The lower triangular matrix of ones is the square of one whose diagonals are c_0 = 1 and
c_k = c_(k-1)·(2k-1)/(2k).  That one is measured: times 2^20 and rounded down, so that it is a
matrix of whole numbers.  Every total, and the sum of any interval, follows with an error that grows
with the logarithm of the number of values.

Nothing is rounded before the noise.  Proof: docs/proofs/cubes.md
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.residual_tables import Cell, Floats, Keys

_UNIT = 1 << 20
"""What the diagonal is: other entries are off by less than a part in 2^20 of it."""
_GUARD = 64  # bits in which the entries are computed one from the other
_SAFE = 1 << 62


@dataclass(frozen=True)
class RunningTotals:
    """The strategy that measures the running totals along one key, for each value of the others.

    Guarantee: if one unit adds integers to the cells whose absolute values add up to at most d, it
    moves ``measured`` by at most d²·``squared_norm()`` in squared L2.

    >>> (RunningTotals((2, 4), 1).coefficients / RunningTotals.unit).tolist()
    [1.0, 0.5, 0.375, 0.3125]
    """

    sizes: tuple[int, ...]
    axis: int
    unit = _UNIT

    @property
    def tables(self) -> tuple[Keys, ...]:
        """The one table, by all keys."""
        return (tuple(range(len(self.sizes))),)

    @property
    def largest(self) -> tuple[Keys, ...]:
        """The same."""
        return self.tables

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return prod(self.sizes)

    @property
    def size(self) -> int:
        """How many integers are measured."""
        return self.cells

    @property
    def length(self) -> int:
        """How many values are added up."""
        return self.sizes[self.axis]

    @cached_property
    def coefficients(self) -> NDArray[np.int64]:
        """The first column of the matrix, in whole numbers."""
        found, finest = [], _UNIT << _GUARD
        for place in range(self.length):
            if place:
                finest = finest * (2 * place - 1) // (2 * place)
            found.append(finest >> _GUARD)
        return np.array(found, np.int64)

    # ------------------------------------------------------------------ what it costs

    @cached_property
    def _norm(self) -> int:
        """The squared norm of the first column: the others are parts of it."""
        return int((self.coefficients**2).sum())

    def squared_norm(
        self, *, replaced: bool = False, signed: bool = False, several: bool = False
    ) -> Fraction:
        """How far a unit moves what is measured: in squared L2, for an L1 norm of 1.

        Replaced, what goes and what comes may be in columns of different rows, or opposite.
        """
        if not replaced:
            return Fraction(self._norm)
        if signed:
            return Fraction(4 * self._norm)
        if several or self.cells > self.length:
            return Fraction(2 * self._norm)
        return Fraction(max(self._farthest, self._norm))

    @cached_property
    def _farthest(self) -> int:
        """The largest squared distance of two columns: all pairs, by how far they are apart."""
        first = self.coefficients
        norms = np.cumsum(first**2)[::-1]  # of the columns, the first of which is the longest
        farthest = 0
        for apart in range(1, self.length):
            shared = np.cumsum(first[: self.length - apart] * first[apart:])[::-1]
            distances = norms[: self.length - apart] + norms[apart:] - 2 * shared
            farthest = max(farthest, int(distances.max()))
        return farthest

    # ------------------------------------------------------------------ before the noise

    def measured(self, tables: Mapping[Keys, NDArray[Any]]) -> NDArray[Any]:
        """The matrix times the true integers."""
        [table] = tables.values()
        rows = np.moveaxis(table, self.axis, -1)
        whole = int(np.abs(rows).sum(dtype=object))
        kind: type = np.int64 if whole * _UNIT < _SAFE else np.object_
        rows, first = rows.astype(kind), self.coefficients.tolist()
        sums: NDArray[Any] = np.zeros(rows.shape, kind)
        for apart in range(self.length):
            sums[..., apart:] += first[apart] * rows[..., : self.length - apart]
        return np.moveaxis(sums, -1, self.axis).ravel()

    # ------------------------------------------------------------------ after the noise

    @cached_property
    def _decoding(self) -> Floats:
        """The first column of the matrix that makes totals of what is measured.

        Its sums are made one after the other, so that every machine gets the same.
        """
        first = self.coefficients.astype(np.float64)
        found = np.zeros(self.length)
        found[0] = 1 / first[0]
        for place in range(1, self.length):
            known = np.cumsum(first[1 : place + 1] * found[:place][::-1])[-1]
            found[place] = (1 - known) / first[0]
        return found

    def reconstructed(self, noisy: Sequence[int] | NDArray[Any]) -> dict[Keys, Floats]:
        """The running totals, from what was released."""
        values = np.moveaxis(np.array(noisy, np.float64).reshape(self.sizes), self.axis, -1)
        totals = np.zeros(values.shape)
        for apart in range(self.length):
            totals[..., apart:] += self._decoding[apart] * values[..., : self.length - apart]
        return {self.tables[0]: np.moveaxis(totals, -1, self.axis)}

    def variance(self, keys: Keys, place: Keys = ()) -> Fraction:
        """The variance of a total, for noise of variance 1; without a place, of the last one."""
        last = place[self.axis] if place else self.length - 1
        return Fraction(float(self._squares[last]))

    @cached_property
    def _squares(self) -> Floats:
        squares: Floats = np.cumsum(self._decoding**2)
        return squares

    def before(self, place: Keys) -> Keys | None:
        """The total up to the group before; None of the first."""
        if place[self.axis] == 0:
            return None
        return (*place[: self.axis], place[self.axis] - 1, *place[self.axis + 1 :])

    def covariance(self, first: Mapping[Cell, float], second: Mapping[Cell, float]) -> float:
        """The covariance of two weighted sums of totals, for noise of variance 1."""
        one, other = self._by_row(first), self._by_row(second)
        return float(sum((one[row] * other[row]).sum() for row in one if row in other))

    def _by_row(self, cells: Mapping[Cell, float]) -> dict[Keys, Floats]:
        """The weights that sums of totals give to what was measured."""
        found: dict[Keys, Floats] = {}
        for (_, place), weight in cells.items():
            row = place[: self.axis] + place[self.axis + 1 :]
            weights = found.setdefault(row, np.zeros(self.length))
            last = place[self.axis]
            weights[: last + 1] += weight * self._decoding[: last + 1][::-1]
        return found

    # ------------------------------------------------------------------ whole numbers

    def rounded(self, tables: Mapping[Keys, Floats], step: float) -> dict[Keys, NDArray[np.int64]]:
        """The totals in whole steps."""
        return {
            keys: np.floor(table / step + 0.5).astype(np.int64) for keys, table in tables.items()
        }

    def slack(self, cells: Mapping[Cell, float]) -> float:
        """How many steps rounding moves a weighted sum of totals at most: half a step each."""
        return sum(map(abs, cells.values())) / 2
