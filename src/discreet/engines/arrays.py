"""Exact integer aggregates of one column in memory.

A value is clipped to public bounds and rounded to the public grid row by row; everything
after that is integer arithmetic, so sums do not depend on order, chunks or threads, and one
record moves them by at most the sensitivity, exactly.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.engines.categories import count_categories
from discreet.engines.columns import Floats, read_flags, read_numbers, read_presence
from discreet.errors import DataError
from discreet.exact import Grid, Range, Rounding
from discreet.measures.measure import Measure
from discreet.measures.reading import Summed
from discreet.privacy.sensitive import Sensitive

Integers = NDArray[np.int64]

_SAFE = 1 << 62
_EXACT = 1 << 53
_LOW_HALF = (1 << 32) - 1
_CHUNK = 1 << 24


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Steps:
    """A column clipped and rounded: per record, the steps above the lower bound."""

    values: Integers
    width: int

    def flipped(self) -> "Steps":
        """The steps below the upper bound."""
        return Steps(self.width - self.values, self.width)


def clip(
    values: object, bounds: Range, *, keep_all: bool, rounding: Rounding = Rounding.NEAREST
) -> Steps:
    """Clip and round a column.  A missing value is skipped, or takes the middle (``keep_all``)."""
    numbers = read_numbers(values)
    missing = np.isnan(numbers)
    places = _places(numbers, bounds.grid, rounding)
    if keep_all:
        places = np.where(missing, float(bounds.middle), places)
    elif missing.any():
        places = places[~missing]
    np.maximum(places, float(bounds.low), out=places)
    np.minimum(places, float(bounds.high), out=places)
    steps = places.astype(np.int64)
    if bounds.farthest > _EXACT:  # the bounds were rounded to floats: integers clip exactly
        np.clip(steps, bounds.low, bounds.high, out=steps)
    steps -= bounds.low
    return Steps(steps, bounds.width)


def _places(numbers: Floats, grid: Grid, rounding: Rounding) -> Floats:
    """floor(x/step + 1/2) in floats, the rule of every engine; ±inf and NaN stay.

    Rounding up or down leaves out the 1/2: what a power of two divides has no error.
    """
    # Whoever asked NumPy to warn or raise must not learn from it which numbers overflow.
    with np.errstate(all="ignore"):
        places = np.ldexp(numbers, -grid.exponent)
        if rounding is Rounding.UP:
            return np.ceil(places, out=places)
        if rounding is Rounding.NEAREST:
            places += 0.5
        return np.floor(places, out=places)


def flags(values: object, *, keep_all: bool) -> Steps:
    """A column of true and false as steps 1 and 0; what is neither is skipped, or taken as 0."""
    read = read_flags(values)
    present = np.nan_to_num(read, nan=0.0) if keep_all else read[~np.isnan(read)]
    return Steps(present.astype(np.int64), 1)


# ---------------------------------------------------------------------- aggregates


def count(values: object, where: object = None) -> Sensitive[tuple[int, ...]]:
    """How many records have a value, and satisfy the condition if there is one."""
    present = read_presence(values)
    if where is not None:
        condition = read_flags(where)
        if condition.size != present.size:
            raise DataError(
                "where has another length than the data. It says for every record whether it "
                "counts. Pass one true or false per record, for example where=ages > 64."
            )
        present &= condition == 1
    return Sensitive((int(np.count_nonzero(present)),))


def sums(measure: Measure, column: Steps) -> Sensitive[tuple[int, ...]]:
    """The integers of a measure that is made of sums."""
    records = column.values.size
    squares = _sum_of_squares(column) if measure.reading.squares else 0  # type: ignore[union-attr]
    return Sensitive(tuple(measure.vector(Summed(records, records, _sum(column), squares))))


def moments(column: Steps) -> tuple[Sensitive[int], Sensitive[int]]:
    """The sums of x and of x(w-x)."""
    first = _sum(column)
    return Sensitive(first), Sensitive(column.width * first - _sum_of_squares(column))


def ordered(column: Steps) -> Sensitive[tuple[Integers, Integers]]:
    """The distinct steps in order, and how many records are at each."""
    places, counts = np.unique(column.values, return_counts=True)
    return Sensitive((places, counts.astype(np.int64)))


def tally(column: Steps) -> Sensitive[Integers]:
    """How many records are at each step, for few steps."""
    return Sensitive(np.bincount(column.values, minlength=column.width + 1).astype(np.int64))


def bins(values: object, edges: Sequence[float]) -> Sensitive[Integers]:
    """How many records fall in each bin [a, b), the last one closed; others are dropped."""
    numbers = read_numbers(values)
    numbers = numbers[~np.isnan(numbers)]
    place = np.searchsorted(np.asarray(edges, np.float64), numbers, "right") - 1
    place[numbers == edges[-1]] = len(edges) - 2
    inside = (place >= 0) & (place < len(edges) - 1)
    counted = np.bincount(place[inside], minlength=len(edges) - 1)
    return Sensitive(counted.astype(np.int64))


def categories(values: object, names: Sequence[Hashable]) -> Sensitive[Integers]:
    """How many records have each of the public categories; others are dropped."""
    return Sensitive(count_categories(values, names))


def _sum(column: Steps) -> int:
    return _exact_sum(column.values, column.width)


def _sum_of_squares(column: Steps) -> int:
    if column.width >= 1 << 31:
        return sum(step * step for step in column.values.tolist())
    return _exact_sum(column.values * column.values, column.width**2)


def _exact_sum(values: Integers, largest: int) -> int:
    """The sum of non-negative integers in unbounded ones: no partial sum overflows 64 bits."""
    if largest * values.size < _SAFE:
        return int(values.sum())
    return sum(
        (int((part >> 32).sum()) << 32) + int((part & _LOW_HALF).sum())
        for start in range(0, values.size, _CHUNK)
        for part in [values[start : start + _CHUNK]]
    )
