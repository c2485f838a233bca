"""The columns of a pandas frame.

One missing value makes floats of integers, one integer makes integers of booleans, one complex
number makes complex numbers of floats, one word makes objects of anything.  So whole numbers from
2^53 on, which floats merge, are missing in every column of pandas, true and false are 1 and 0, and
a number is read the same whichever type holds it.
"""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.frames import from_arrow
from discreet.engines.frames.cells import split
from discreet.engines.frames.columns import (
    BooleanCells,
    DateTimeCells,
    FloatCells,
    FrameCells,
    IntegerCells,
    ObjectCells,
    UnreadableCells,
    take_cells,
)

_COPIES_WHEN_WRITTEN = 3


def snapshot(frame: Any) -> Any:
    """The frame as it is now, whatever becomes of it; rows are copied only where they must be."""
    version = sys.modules["pandas"].__version__.partition(".")[0]
    return frame.copy(deep=not version.isdecimal() or int(version) < _COPIES_WHEN_WRITTEN)


def names(frame: Any) -> list[str]:
    """What the columns are called."""
    return [str(name) for name in frame.columns]


def column(frame: Any, place: int) -> FrameCells:
    """The cells of a column."""
    return _stored(frame.iloc[:, place])


def empty(frame: Any) -> Any:
    """The frame without its rows."""
    return frame.iloc[:0]


def _stored(held: Any) -> FrameCells:
    """The cells of a series or an index."""
    dtype, array = held.dtype, held.array
    if isinstance(dtype, np.dtype):
        return _numpy(np.asarray(held.to_numpy()))
    match type(dtype).__name__:
        case "CategoricalDtype":
            codes = np.asarray(array.codes, np.int64)
            return take_cells(_stored(array.categories), codes)
        case "SparseDtype":
            return _numpy(np.asarray(array.to_dense()))
        case "DatetimeTZDtype":
            moments = np.asarray(array, f"datetime64[{dtype.unit}]")
            return _moments(moments, zoned=True)
        case "BooleanDtype":
            missing = np.asarray(array.isna(), np.bool_)
            return BooleanCells(array.to_numpy(np.bool_, na_value=False), missing)
        case "StringDtype" if dtype.storage != "pyarrow":
            return _numpy(array.to_numpy(np.object_, na_value=None))
        case "StringDtype" | "ArrowDtype":
            return from_arrow.stored(array.__arrow_array__())
        case "PeriodDtype" | "IntervalDtype":
            return UnreadableCells(len(array))
    number = getattr(dtype, "numpy_dtype", None)
    if isinstance(number, np.dtype) and number.kind in "iuf":
        missing = np.asarray(array.isna(), np.bool_)
        values = _numpy(array.to_numpy(number, na_value=0))
        if isinstance(values, IntegerCells):
            return IntegerCells(values.values, missing)
        if isinstance(values, FloatCells):
            return FloatCells(np.where(missing, np.nan, values.values))
    return _numpy(_items(array))


def _numpy(array: NDArray[Any]) -> FrameCells:
    with np.errstate(all="ignore"):
        match array.dtype.kind:
            case "b":
                return BooleanCells(array, np.zeros(array.size, np.bool_))
            case "i" | "u":
                return IntegerCells(array, np.zeros(array.size, np.bool_))
            case "f":
                return FloatCells(array.astype(np.float64, copy=False))
            case "c":
                real = array.real.astype(np.float64)
                return FloatCells(np.where(array.imag == 0, real, np.nan))
            case "M":
                return _moments(array, zoned=False)
            case "O" | "U" | "S":
                return ObjectCells(array.astype(np.object_, copy=False))
    return UnreadableCells(array.size)


def _moments(array: NDArray[Any], *, zoned: bool) -> DateTimeCells:
    days, rest, outside = split(array.astype(np.int64), np.datetime_data(array.dtype)[0])
    return DateTimeCells(days, rest, outside | np.isnat(array), zoned)


def _items(array: Any) -> NDArray[Any]:
    """The cells of an array that nothing is known of, each asked for by itself."""
    cells = np.empty(len(array), np.object_)
    for place in range(len(array)):
        try:
            cells[place] = array[place]
        except Exception:  # what cannot be had is missing
            cells[place] = None
    return cells
