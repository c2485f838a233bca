"""Arrays in memory: one column read by one public rule per value, and its exact integer sums."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isnan
from numbers import Real
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError
from discreet.exact import Grid, Range, Rounding
from discreet.measures.measure import GroupSums, Jointly, Measure, Steps
from discreet.privacy.sensitivity import Sensitive

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


Integers = NDArray[np.int64]
_MISSING = object()
_NAME_TYPES = frozenset({str, int, float, bool, type(None)})
_SAFE = 1 << 62
_EXACT = 1 << 53
_LOW_HALF = (1 << 32) - 1
_CHUNK = 1 << 24


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
        return np.fromiter(map(parse_number, container), np.float64, len(container))


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
    """Whether a record is a number, rather than the text of one."""
    try:
        return _is_numeric(value) and not isinstance(value, str | bytes)
    except Exception:
        return False


def parse_number(value: object) -> float:
    """The number of a record, or of its text; NaN if it is not a number.

    >>> [parse_number(value) for value in (3, "3.5", "True", "three", 10**400)]
    [3.0, 3.5, 1.0, nan, inf]
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


def category_key(name: object) -> Hashable:
    """What tells categories apart: two with one key would hold the same records.

    >>> category_key(1) == category_key(True) == category_key("1"), category_key("a")
    (True, 'a')
    """
    if is_missing(name):
        return _MISSING
    if isinstance(name, bytes):
        name = name.decode("utf-8", "replace")
    key = parse_number(name)
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
    plain = set(map(type, records)) <= _NAME_TYPES
    record_counts = Counter(records).items() if plain else ((record, 1) for record in records)
    counts = np.zeros(len(names), np.int64)
    for record, many in record_counts:
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


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ClippedColumn:
    """A column clipped and rounded: per record, the steps above the lower bound."""

    values: Integers
    width: int

    def flipped(self) -> "ClippedColumn":
        """The steps below the upper bound."""
        return ClippedColumn(self.width - self.values, self.width)


def clip(
    values: object, bounds: Range, *, keep_all: bool, rounding: Rounding = Rounding.NEAREST
) -> ClippedColumn:
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
    return ClippedColumn(steps, bounds.width)


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


def clip_together(
    columns: Sequence[object], values: Sequence[Steps], *, keep_all: bool
) -> list[ClippedColumn]:
    """Several columns of the same records; a record counts only if it has a value of each."""
    numbers = [read_numbers(one) for one in columns]
    if len({one.size for one in numbers}) > 1:
        raise DataError(
            "the columns are of different lengths. They are several values of the same records. "
            "Pass one value of each per record, in the same order."
        )
    if not keep_all:
        present = np.logical_and.reduce([~np.isnan(one) for one in numbers])
        numbers = [one[present] for one in numbers]
    return [
        clip(one, steps.range, keep_all=keep_all)
        for one, steps in zip(numbers, values, strict=True)
    ]


def flags(values: object, *, keep_all: bool) -> ClippedColumn:
    """A boolean column as steps 1 and 0; other values are skipped, or taken as 0."""
    read = read_flags(values)
    present = np.nan_to_num(read, nan=0.0) if keep_all else read[~np.isnan(read)]
    return ClippedColumn(present.astype(np.int64), 1)


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


def sums(measure: Measure, column: ClippedColumn) -> Sensitive[tuple[int, ...]]:
    """The integers of a measure that is made of sums."""
    records = column.values.size
    squares = _sum_of_squares(column) if measure.reading.squares else 0  # type: ignore[union-attr]
    return Sensitive(tuple(measure.vector(GroupSums(records, records, _sum(column), squares))))


def products(measure: Measure, columns: Sequence[ClippedColumn]) -> Sensitive[tuple[int, ...]]:
    """The integers of a measure that is made of sums of products of powers."""
    records = columns[0].values.size
    summed = []
    value = measure.reading.value  # type: ignore[union-attr]
    for powers in value.powers if isinstance(value, Jointly) else ():
        terms, largest = np.ones(records, np.int64), 1
        for column, power in zip(columns, powers, strict=True):
            for _ in range(power):
                terms, largest = terms * column.values, largest * column.width
        summed.append(_exact_sum(terms, largest))
    return Sensitive(tuple(measure.vector(GroupSums(records, products=tuple(summed)))))


def moments(column: ClippedColumn) -> tuple[Sensitive[int], Sensitive[int]]:
    """The sums of x and of x(w-x)."""
    first = _sum(column)
    return Sensitive(first), Sensitive(column.width * first - _sum_of_squares(column))


def ordered(column: ClippedColumn) -> Sensitive[tuple[Integers, Integers]]:
    """The distinct steps in order, and how many records are at each."""
    places, counts = np.unique(column.values, return_counts=True)
    return Sensitive((places, counts.astype(np.int64)))


def tally(column: ClippedColumn) -> Sensitive[Integers]:
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


def _sum(column: ClippedColumn) -> int:
    return _exact_sum(column.values, column.width)


def _sum_of_squares(column: ClippedColumn) -> int:
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
