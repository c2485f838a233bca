"""Exact integer aggregates of one column in memory.

A value is clipped to public bounds and rounded to the public grid row by row; everything
after that is integer arithmetic, so sums do not depend on order, chunks or threads, and one
record moves them by at most the sensitivity, exactly.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.columns import (
    Floats,
    read_flags,
    read_numbers,
    read_objects,
    read_presence,
)
from discreet.errors import DataError
from discreet.exact import Grid
from discreet.privacy.sensitive import Sensitive

Integers = NDArray[np.int64]

_SAFE = 1 << 62


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Public bounds in steps of a public grid."""

    grid: Grid
    low: int
    high: int

    @property
    def width(self) -> int:
        """The number of steps from the lower to the upper bound."""
        return self.high - self.low

    @property
    def farthest(self) -> int:
        """The steps from zero to the bound that is farther away."""
        return max(abs(self.low), abs(self.high))

    @property
    def middle(self) -> int:
        """The step that stands for a missing value where the number of records is public."""
        return self.low + self.width // 2


@dataclass(frozen=True, slots=True, repr=False)
class Steps:
    """A column clipped and rounded: per record, the steps above the lower bound."""

    values: Integers
    width: int


def clip(values: object, bounds: Range, *, keep_all: bool) -> Steps:
    """Clip and round a column.  A missing value is skipped, or takes the middle (``keep_all``)."""
    numbers = read_numbers(values)
    return _clip(numbers, bounds, keep_all=keep_all)


def flags(values: object, *, keep_all: bool) -> Steps:
    """A column of true and false as steps 1 and 0; what is neither is skipped, or taken as 0."""
    read = read_flags(values)
    present = np.nan_to_num(read, nan=0.0) if keep_all else read[~np.isnan(read)]
    return Steps(present.astype(np.int64), 1)


def _clip(numbers: Floats, bounds: Range, *, keep_all: bool) -> Steps:
    missing = np.isnan(numbers)
    with np.errstate(over="ignore", invalid="ignore"):
        places = np.floor(np.ldexp(numbers, -bounds.grid.exponent) + 0.5)
    if keep_all:
        places = np.where(missing, float(bounds.middle), places)
    elif missing.any():
        places = places[~missing]
    # Floats bring the places within reach of 64 bits; integers then clip exactly.
    np.clip(places, float(bounds.low), float(bounds.high), out=places)
    steps = np.clip(places.astype(np.int64), bounds.low, bounds.high) - bounds.low
    return Steps(steps, bounds.width)


# ---------------------------------------------------------------------- aggregates


def count(values: object, where: object = None) -> Sensitive[int]:
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
    return Sensitive(int(np.count_nonzero(present)))


def total(column: Steps, low: int) -> Sensitive[int]:
    """The sum of the column in steps from zero."""
    return Sensitive(_exact_sum(column.values, column.width) + low * column.values.size)


def distances(column: Steps) -> Sensitive[tuple[int, ...]]:
    """The summed distances from the lower and to the upper bound: one record adds its width."""
    above = _exact_sum(column.values, column.width)
    return Sensitive((above, column.width * column.values.size - above))


def squares(column: Steps) -> Sensitive[tuple[int, ...]]:
    """The sums of (w-x)², 2x(w-x) and x²: one record adds w² in all, whatever it is."""
    width = column.width
    first = _exact_sum(column.values, width)
    second = _exact_sum(column.values * column.values, width * width)
    records = column.values.size
    below = width * width * records - 2 * width * first + second
    return Sensitive((below, 2 * (width * first - second), second))


def moments(column: Steps) -> tuple[Sensitive[int], Sensitive[int]]:
    """The sums of x and of x(w-x)."""
    first = _exact_sum(column.values, column.width)
    second = _exact_sum(column.values * column.values, column.width * column.width)
    return Sensitive(first), Sensitive(column.width * first - second)


def ordered(column: Steps) -> Sensitive[tuple[Integers, Integers]]:
    """The distinct steps in order, and how many records are at each."""
    places, counts = np.unique(column.values, return_counts=True)
    return Sensitive((places, counts.astype(np.int64)))


def tally(column: Steps) -> Sensitive[Integers]:
    """How many records are at each step."""
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
    records = read_objects(values)
    try:
        found: Mapping[Any, int] = Counter(records)
    except Exception:  # a record that cannot be looked up is in no category
        found = Counter(record for record in records if _can_be_looked_up(record))
    return Sensitive(np.array([found.get(name, 0) for name in names], np.int64))


def _can_be_looked_up(record: object) -> bool:
    try:
        return record in {record}
    except Exception:
        return False


def _exact_sum(values: Integers, largest: int) -> int:
    """The sum in unbounded integers, by chunks that cannot overflow."""
    chunk = max(1, _SAFE // max(1, largest))
    if values.size <= chunk:
        return int(values.sum())
    return sum(int(values[start : start + chunk].sum()) for start in range(0, values.size, chunk))
