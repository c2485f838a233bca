"""Reading a caller's array, list or series by one public rule per value.

Whether a record has a value, and which number it is, depends on that record alone: never on the
dtype that the container happens to have, which one strange record could change for all others.
So every number is read as a 64-bit float, whatever held it: an integer, a Decimal, or its text,
which is what NumPy and CSV readers make of a column of numbers with one word in it.  NaN, None,
NULL and whatever is not a number are *missing*; ±inf stay and are clipped later.

A record that cannot be read is missing as well.  It raises nothing and warns of nothing.
"""

from collections.abc import Iterable
from decimal import Decimal
from numbers import Real
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError

Floats = NDArray[np.float64]

_NUMERIC = (Real, Decimal, np.bool_, str, bytes)
_NUMERIC_KINDS = "biuf"
_WHOLE_TYPES = frozenset({int, bool, np.int64, np.int32, np.bool_})
_PLAIN_TYPES = _WHOLE_TYPES | {float, np.float64, np.float32, type(None)}
_USUAL_TYPES = frozenset({int, float, str})
_FLAGS = {"true": 1.0, "false": 0.0, b"true": 1.0, b"false": 0.0}
_NAN = frozenset({"nan", b"nan"})
_ARROW_NUMBERS = frozenset(
    f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)
) | {"halffloat", "float", "double"}


def read_numbers(values: object) -> Floats:
    """One float per record; NaN where the value is missing."""
    container = _container(values)
    with np.errstate(all="ignore"):
        if isinstance(container, np.ndarray):
            kind = container.dtype.kind
            if kind in _NUMERIC_KINDS:
                return container.astype(np.float64, copy=False)
            if kind == "c":
                real = container.real.astype(np.float64)
                return np.where(container.imag == 0, real, np.nan)
            if kind in "mM":
                return np.full(container.size, np.nan)
        if set(map(type, container)) <= _PLAIN_TYPES:
            # NumPy converts these exactly as float() does, so no record changes another's value.
            try:
                return np.fromiter(container, np.float64, len(container))
            except OverflowError:
                pass
        return np.fromiter(map(number, container), np.float64, len(container))


def read_presence(values: object) -> NDArray[np.bool_]:
    """Whether each record has a value."""
    container = _container(values)
    with np.errstate(all="ignore"):
        if isinstance(container, np.ndarray):
            kind = container.dtype.kind
            if kind in "biu":
                return np.ones(container.size, np.bool_)
            if kind in "fc":
                return ~np.isnan(container)
            if kind in "mM":
                return ~np.isnat(container)
        kinds = set(map(type, container))
        if kinds <= _WHOLE_TYPES:
            return np.ones(len(container), np.bool_)
        if kinds <= _PLAIN_TYPES:
            try:
                return ~np.isnan(np.fromiter(container, np.float64, len(container)))
            except OverflowError:
                pass
        return ~np.fromiter(map(is_missing, container), np.bool_, len(container))


def read_flags(values: object) -> Floats:
    """1 for true, 0 for false, NaN for anything that is neither."""
    numbers = read_numbers(values)
    return np.where((numbers == 0) | (numbers == 1), numbers, np.nan)


def read_objects(values: object) -> list[Any]:
    """The records as Python values."""
    container = _container(values)
    if not isinstance(container, np.ndarray):
        return list(container)
    if container.dtype.kind in "mM":
        # Microseconds come out as Python's dates and times; what Python has none for, as integers.
        moments = container.astype(f"{container.dtype.kind}8[us]").tolist()
        return [None if isinstance(moment, int) else moment for moment in moments]
    records: list[Any] = container.tolist()
    return records


def length(values: object) -> int:
    """The number of records."""
    return len(_container(values))


# ---------------------------------------------------------------------- one record


def is_missing(value: object) -> bool:
    """Whether a record's value counts as missing.

    >>> is_missing(None), is_missing(float("nan")), is_missing("nan"), is_missing(0)
    (True, True, True, False)
    """
    if value is None or value is np.ma.masked:
        return True
    # Every NaN and NaT is unequal to itself; pandas' NA and stranger objects refuse to say.
    try:
        if isinstance(value, str | bytes):  # what NumPy makes of a NaN beside a word
            return value in _NAN
        return not isinstance(value, np.ndarray) and bool(value != value)  # noqa: PLR0124
    except Exception:
        return True


def is_number(value: object) -> bool:
    """Whether a record is a number as it stands, rather than the text of one."""
    try:
        return _is_numeric(value) and not isinstance(value, str | bytes)
    except Exception:
        return False


def number(value: object) -> float:
    """The number that a record is, or that its text says; NaN where it is none.

    >>> number(3), number("3.5"), number("True"), number("three"), number(10**400)
    (3.0, 3.5, 1.0, nan, inf)
    """
    # Whatever a strange record does when it is read, it must not show outside: it is missing.
    try:
        if type(value) in _USUAL_TYPES or _is_numeric(value):
            return _float(value)
        if isinstance(value, complex | np.complexfloating):
            return float(value.real) if value.imag == 0 else np.nan
    except Exception:
        pass
    return np.nan


def _is_numeric(value: object) -> bool:
    # NumPy counts its time spans as integers, in whatever unit they are.
    return isinstance(value, _NUMERIC) and not isinstance(value, np.timedelta64)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf
    except ValueError:
        return _FLAGS.get(value.strip().lower(), np.nan)


# ---------------------------------------------------------------------- the container


def _container(values: object) -> Any:
    """An array or a list with one entry per record, without looking at any record."""
    if isinstance(values, np.ma.MaskedArray):
        mask, values = np.ma.getmaskarray(values), np.ma.getdata(values).astype(np.object_)
        values[mask] = None
    elif hasattr(values, "to_numpy") and not hasattr(type(values), "columns"):
        values = _series(values)
    if isinstance(values, np.ndarray):
        array = np.asarray(values)
        if array.ndim != 1:
            raise _refused(f"an array with {array.ndim} dimensions")
        if array.dtype.kind == "V":
            raise _refused("an array of records with several fields")
        return array
    if isinstance(values, list):
        return values
    if isinstance(values, str | bytes | dict | set | frozenset) or hasattr(type(values), "columns"):
        raise _refused(f"a {type(values).__name__}")
    if hasattr(values, "__len__") and hasattr(values, "__getitem__"):
        return list(cast(Iterable[object], values))
    raise _refused(f"a {type(values).__name__}")


def _series(values: Any) -> NDArray[Any] | list[Any]:
    """A pandas, Polars or Arrow column, nulls included.  Only its declared type decides how."""
    library = type(values).__module__.partition(".")[0]
    if library == "pyarrow":
        if str(values.type) in _ARROW_NUMBERS:
            whole = hasattr(values, "chunks")
            return np.asarray(values.to_numpy() if whole else values.to_numpy(zero_copy_only=False))
        return [_python_value(scalar) for scalar in values]
    if library == "polars" and str(values.dtype).endswith("Int128"):
        return list(values.to_list())
    return np.asarray(values.to_numpy())


def _python_value(scalar: Any) -> object:
    try:
        return scalar.as_py()
    except Exception:  # a time that Python's calendar does not reach: it is there, and no number
        return scalar


def _refused(found: str) -> DataError:
    return DataError(
        f"the data are {found}. One value per record is needed. Pass one column: a list, a "
        "one-dimensional NumPy array, or a pandas, Polars or Arrow column such as table['age']."
    )
