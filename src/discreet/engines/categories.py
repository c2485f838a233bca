"""Which public category a record is in.

A record is in the category that equals it.  A number and its text (1, 1.0, "1", True, "true") are
one category, and numbers are compared as 64-bit floats, so that a record does not change its
category when another one changes the dtype of the container: one word makes texts of a column
of numbers.
A category that is None, NaN or "nan" takes the missing values.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.columns import (
    is_missing,
    is_number,
    number,
    read_numbers,
    read_objects,
)

Integers = NDArray[np.int64]

_MISSING = object()
_PLAIN_TYPES = frozenset({str, int, float, bool, type(None)})


def category_key(name: object) -> Hashable:
    """What tells categories apart: two with one key would hold the same records.

    >>> category_key(1) == category_key(True) == category_key("1"), category_key("a")
    (True, 'a')
    """
    if is_missing(name):
        return _MISSING
    if isinstance(name, bytes):
        name = name.decode("utf-8", "replace")
    key = number(name)
    if not isnan(key):
        return key
    return _MISSING if isinstance(name, str) and name == "nan" else name


def count_categories(values: object, names: Sequence[Hashable]) -> Integers:
    """How many records have each of the distinct names; records with another one are dropped."""
    places = {category_key(name): place for place, name in enumerate(names)}
    if all(is_number(key) for key in places):
        return _count_numbers(read_numbers(values), np.array(list(places), np.float64))
    records = read_objects(values)
    # The plain types hash and compare as they should, so equal records are looked up once.
    plain = set(map(type, records)) <= _PLAIN_TYPES
    found = Counter(records).items() if plain else ((record, 1) for record in records)
    counts = np.zeros(len(names), np.int64)
    for record, many in found:
        place = _place(record, places)
        if place >= 0:
            counts[place] += many
    return counts


def _count_numbers(records: NDArray[np.float64], names: NDArray[np.float64]) -> Integers:
    order = np.argsort(names)
    after = np.minimum(np.searchsorted(names[order], records), names.size - 1)
    chosen = order[after]
    return _counted(np.where(names[chosen] == records, chosen, -1), names.size)


def _place(record: Any, places: dict[Hashable, int]) -> int:
    """The place of one record's category, or -1."""
    try:
        return places.get(category_key(record), -1)
    except Exception:  # a record that cannot be looked up is in no category
        return -1


def _counted(places: Integers, cells: int) -> Integers:
    return np.bincount(places[places >= 0], minlength=cells).astype(np.int64)
