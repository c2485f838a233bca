"""Data sets that differ in one record, and how far apart vectors are."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

Data = tuple[Any, ...]


def removals(records: Data) -> Iterable[Data]:
    """Every data set with one record less."""
    return (records[:place] + records[place + 1 :] for place in range(len(records)))


def replacements(records: Data, universe: Iterable[Any]) -> Iterable[Data]:
    """Every data set with one record swapped for another of the universe."""
    return (
        (*records[:place], value, *records[place + 1 :])
        for place in range(len(records))
        for value in universe
    )


def neighbors(universe: Sequence[Any], size: int, relation: str) -> Iterator[tuple[Data, Data]]:
    """Every pair of neighbors with 1 to ``size`` records of a small universe."""
    for many in range(1, size + 1):
        for data in combinations_with_replacement(universe, many):
            if relation == "add-remove":
                yield data[1:], data
            else:
                yield from ((data, other) for other in replacements(data, universe))


def l1(first: Iterable[float], second: Iterable[float]) -> float:
    """The L1 distance of two vectors."""
    return float(np.abs(np.asarray(list(first)) - np.asarray(list(second))).sum())
