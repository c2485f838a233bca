"""Reading a caller's array, list or series by one public rule per value.

Whether a value is present, and which number it is, depends on that value alone: never on the
dtype the container happens to have, which one strange record could change for all the others.
Every number is therefore read as a 64-bit float, whatever held it; NaN, None, NULL and what is
not a number are *missing*; ±inf stay and are clipped later.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError

Floats = NDArray[np.float64]

_NUMBERS = "biuf"
_PLAIN_TYPES = frozenset({int, float, bool, type(None)})


def read_numbers(values: object) -> Floats:
    """One float per record; NaN where the value is missing."""
    container = _container(values)
    if isinstance(container, np.ndarray) and container.dtype.kind in _NUMBERS:
        return container.astype(np.float64, copy=False)
    if set(map(type, container)) <= _PLAIN_TYPES:
        # NumPy converts these exactly as float() does, so no record changes another's value.
        try:
            return np.array(container, np.float64)
        except OverflowError:
            pass
    return np.fromiter((_number(value) for value in container), np.float64, len(container))


def length(values: object) -> int:
    """The number of records."""
    return len(_container(values))


def read_presence(values: object) -> NDArray[np.bool_]:
    """Whether each record has a value."""
    container = _container(values)
    if isinstance(container, np.ndarray) and container.dtype.kind in _NUMBERS:
        return ~np.isnan(container.astype(np.float64, copy=False))
    kinds = set(map(type, container))
    if kinds <= _PLAIN_TYPES and int not in kinds:
        return ~np.isnan(np.array(container, np.float64))
    return np.fromiter((not is_missing(value) for value in container), np.bool_, len(container))


def read_flags(values: object) -> Floats:
    """1 for true, 0 for false, NaN for anything that is neither."""
    numbers = read_numbers(values)
    return np.where((numbers == 0) | (numbers == 1), numbers, np.nan)


def read_objects(values: object) -> list[Any]:
    """The records as Python values, None where missing."""
    container = _container(values)
    return container.tolist() if isinstance(container, np.ndarray) else list(container)


def is_missing(value: object) -> bool:
    """Whether a record's value counts as missing."""
    # Every NaN and NaT is unequal to itself; pandas' NA and stranger objects refuse to say.
    try:
        return value is None or bool(value != value)
    except Exception:
        return True


def _container(values: object) -> Any:
    """Something one-dimensional with a length, without looking at any record."""
    if isinstance(values, np.ma.MaskedArray):
        values = values.astype(np.object_).filled(None)
    elif hasattr(values, "to_numpy") and not hasattr(values, "columns"):
        values = _series(values)
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise _refused(f"an array with {values.ndim} dimensions")
        if values.dtype.kind in "cmMV":
            raise _refused(f"an array of {values.dtype.name}")
        return values
    if isinstance(values, str | bytes | dict | set | frozenset) or hasattr(values, "columns"):
        raise _refused(f"a {type(values).__name__}")
    if hasattr(values, "__len__") and hasattr(values, "__getitem__"):
        return values
    raise _refused(f"a {type(values).__name__}")


def _series(values: Any) -> NDArray[Any]:
    """A pandas, Polars or Arrow column as an array, nulls included."""
    if type(values).__module__.startswith("pyarrow"):
        return np.array(values.to_pylist(), dtype=np.object_)
    return np.asarray(values.to_numpy())


def _number(value: object) -> float:
    if isinstance(value, complex | np.ndarray):
        return np.nan
    # Whatever a strange record does when it is read, it must not show outside: it is missing.
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return np.inf if value > 0 else -np.inf  # type: ignore[operator]
    except Exception:
        return np.nan


def _refused(found: str) -> DataError:
    return DataError(
        f"the data are {found}. One value per record is needed. Pass one column: a list, a "
        "one-dimensional NumPy array, or a pandas, Polars or Arrow column such as table['age']."
    )
