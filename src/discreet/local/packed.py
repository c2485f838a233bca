"""Reports that name a set of categories: packed bits, one row per report.

Bit i of a row, the most significant first, says whether the report names category i; the bits
beyond the last category are 0.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError

Packed = NDArray[np.uint8]

_CELLS = 1 << 22  # unpacked bits that are held at a time
_GROUP = 255  # rows whose bits add up within a byte


def width(size: int) -> int:
    """The bytes of one report over so many categories."""
    return (size + 7) // 8


def rows_at_a_time(size: int) -> int:
    """How many rows are unpacked at a time."""
    return max(1, _CELLS // size)


def read(reports: Any, size: int) -> Packed:
    """Reports as rows of packed bits; what is none is refused."""
    try:
        array = np.asarray(reports)
    except (TypeError, ValueError):
        raise _not_reports(size) from None
    if array.size == 0 and array.ndim <= 2:
        return np.empty((0, width(size)), np.uint8)
    if array.dtype != np.uint8 or array.ndim not in (1, 2) or array.shape[-1] != width(size):
        raise _not_reports(size)
    rows: Packed = array.reshape(-1, width(size))
    padding = -size % 8
    if padding and int(np.bitwise_or.reduce(rows[:, -1])) & ((1 << padding) - 1):
        raise _not_reports(size)
    return rows


def column_counts(rows: Packed, size: int) -> NDArray[np.int64]:
    """How many rows name each category."""
    counts = np.zeros(8 * width(size), np.int64)
    step = _GROUP * max(1, rows_at_a_time(size) // _GROUP)
    for start in range(0, len(rows), step):
        bits = np.unpackbits(rows[start : start + step], axis=1)
        whole = len(bits) // _GROUP * _GROUP
        groups = bits[:whole].reshape(-1, _GROUP, bits.shape[1])
        counts += np.add.reduce(groups, axis=1, dtype=np.uint8).sum(axis=0, dtype=np.int64)
        counts += bits[whole:].sum(axis=0, dtype=np.int64)
    return counts[:size]


def row_counts(rows: Packed) -> NDArray[np.int64]:
    """How many categories each row names."""
    counts: NDArray[np.int64] = np.bitwise_count(rows).sum(axis=1, dtype=np.int64)
    return counts


def one_row(indices: list[int], size: int) -> Packed:
    """The report that names these categories."""
    bits = np.zeros(size, np.uint8)
    bits[indices] = 1
    return np.packbits(bits)


def indices(row: Packed, size: int) -> list[int]:
    """The categories that one report names, in order."""
    found: list[int] = np.flatnonzero(np.unpackbits(row, count=size)).tolist()
    return found


def _not_reports(size: int) -> DataError:
    return DataError(
        f"the reports are not packed bits. A report over {size} categories is {width(size)} bytes "
        "of type uint8, as randomize() gives it. Stack several as the rows of one array."
    )
