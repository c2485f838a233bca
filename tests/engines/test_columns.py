"""A record is read by itself, whatever holds it and whatever stands beside it."""

import math
from collections import UserList, deque
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.engines.arrays import (
    is_missing,
    length,
    parse_number,
    read_flags,
    read_numbers,
    read_objects,
    read_presence,
)
from discreet.errors import DataError
from tests.support.cases import each
from tests.support.odd_records import ODD, SHOWN, watched

PLAIN: list[Any] = [3, 2.5, 2**60 + 1, None, -7, 0.0, math.inf]
EXPECTED = [3.0, 2.5, float(2**60 + 1), math.nan, -7.0, 0.0, math.inf]


def same(first: Any, second: Any) -> bool:
    return bool(np.array_equal(np.asarray(first), np.asarray(second), equal_nan=True))


# ---------------------------------------------------------------------- one record


@each(
    ("record", "expected"),
    [
        (3, 3.0),
        (True, 1.0),
        (2**53 + 1, 2.0**53),
        (10**400, math.inf),
        (-(10**400), -math.inf),
        (Fraction(-(10**400)), -math.inf),
        (Decimal("1e999999"), math.inf),
        (Fraction(1, 3), 1 / 3),
        ("7", 7.0),
        (" 7.5 ", 7.5),
        ("TRUE", 1.0),
        ("False", 0.0),
        (b"7", 7.0),
        (b"True", 1.0),
        (3 + 0j, 3.0),
        (np.complex64(3), 3.0),
        (np.float16(0.5), 0.5),
        (np.longdouble("1e4000"), math.inf),
        (np.uint64(2**64 - 1), 2.0**64),
    ],
    ids=repr,
)
def test_a_number_is_the_nearest_float_whatever_holds_it(record, expected):
    with watched():
        assert parse_number(record) == expected


@each(
    "record",
    [
        None,
        math.nan,
        "three",
        "",
        b"\xff",
        1j,
        Decimal("sNaN"),
        np.datetime64("2020-01-01"),
        np.timedelta64(5, "ns"),
        np.void(b"12345678"),
        np.ma.masked,
        np.zeros(1),
        [1],
        {},
        object(),
        pd.NA,
        pd.NaT,
        pd.Series([1.0]),
    ],
)
def test_what_is_no_number_is_missing(record):
    with watched():
        assert math.isnan(parse_number(record))


@each("which", range(len(ODD)), ids=SHOWN)
def test_an_odd_record_is_read_without_a_sound(which):
    with watched():
        assert isinstance(parse_number(ODD[which]), float)
        assert is_missing(ODD[which]) in (True, False)


def test_none_nan_and_na_have_no_value_and_text_has():
    missing = [None, math.nan, np.float32("nan"), Decimal("NaN"), pd.NA, pd.NaT, np.ma.masked]
    missing += ["nan", b"nan"]  # what NumPy makes of a NaN beside a word
    present = [0, False, "", "Nan", b"", [], {}, object(), np.zeros(2), math.inf]
    assert all(map(is_missing, missing))
    assert not any(map(is_missing, present))


# ---------------------------------------------------------------------- beside others


@each("which", range(len(ODD)), ids=SHOWN)
@each("place", [0, 3, 7])
def test_an_odd_record_does_not_change_how_the_others_are_read(which, place):
    odd = ODD[which]
    records = [*PLAIN[:place], odd, *PLAIN[place:]]
    array = np.empty(len(records), np.object_)
    for index, record in enumerate(records):
        array[index] = record
    with watched():
        for container in (records, tuple(records), array):
            numbers, present = read_numbers(container), read_presence(container)
            assert same(np.delete(numbers, place), EXPECTED)
            assert same(numbers[place], parse_number(odd))
            assert same(np.delete(present, place), [True, True, True, False, True, True, True])
            assert present[place] != is_missing(odd)


records = st.one_of(
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
    st.floats().map(np.float64),
    st.integers(-(2**63), 2**63 - 1).map(np.int64),
    st.integers(2**1023, 2**1030),
)


@given(st.lists(records, max_size=8))
def test_the_quick_ways_read_what_the_slow_way_reads(column):
    with watched():
        assert same(read_numbers(column), [parse_number(record) for record in column])
        assert same(read_presence(column), [not is_missing(record) for record in column])


@given(st.lists(st.floats(), max_size=8))
def test_an_array_is_read_as_the_list_of_its_records(column):
    array = np.array(column, np.float64)
    with watched():
        assert same(read_numbers(array), read_numbers(column))
        assert same(read_presence(array), read_presence(column))


@pytest.mark.parametrize("word", [None, "x", "2.5", 0.5, True, 2**70, Decimal(1)], ids=repr)
def test_numbers_survive_what_numpy_makes_of_a_mixed_list(word):
    """One record turns an array of integers into one of floats, texts or objects."""
    column = [2**60 + 1, 3, -1]
    mixed = np.array([*column, word])
    assert same(read_numbers(mixed)[:3], read_numbers(np.array(column)))


def test_flags_survive_what_numpy_makes_of_a_mixed_list():
    for word in ("x", 2, 0.5, None, 1j, b"x"):
        assert same(read_flags(np.array([True, False, word]))[:2], [1.0, 0.0])


def test_numbers_survive_what_a_csv_reader_makes_of_a_mixed_column():
    clean, mixed = pd.Series([1, 2, 2**60 + 1]), pd.Series(["1", "2", str(2**60 + 1), "x"])
    assert same(read_numbers(mixed)[:3], read_numbers(clean))


# ---------------------------------------------------------------------- containers


NUMBERS = [3.0, 1.5, None, -7.0, 0.0]
CONTAINERS = {
    "tuple": tuple(NUMBERS),
    "deque": deque(NUMBERS),
    "user list": UserList(NUMBERS),
    "objects": np.array(NUMBERS, np.object_),
    "floats": np.array(NUMBERS, np.float64),
    "float32": np.array(NUMBERS, np.float32),
    "big-endian": np.array(NUMBERS, ">f8"),
    "complex": np.array([3, 1.5, math.nan, -7, 0], np.complex128),
    "masked": np.ma.array([3.0, 1.5, 9.0, -7.0, 0.0], mask=[0, 0, 1, 0, 0]),
    "strided": np.array([[value, 0] for value in NUMBERS], np.float64)[:, 0],
    "pandas": pd.Series(NUMBERS),
    "pandas Float64": pd.Series(NUMBERS, dtype="Float64"),
    "pandas objects": pd.Series(NUMBERS, dtype="object"),
    "pandas index": pd.Index(NUMBERS),
    "pandas arrow": pd.Series(NUMBERS, dtype="float64[pyarrow]"),
    "pandas category": pd.Series(NUMBERS, dtype="category"),
    "polars": pl.Series(NUMBERS),
    "polars text": pl.Series(["3", "1.5", None, "-7", "0"]),
    "polars decimal": pl.Series([None if x is None else Decimal(str(x)) for x in NUMBERS]),
    "arrow": pa.array(NUMBERS),
    "arrow chunks": pa.chunked_array([NUMBERS[:2], NUMBERS[2:]]),
    "arrow text": pa.array(["3", "1.5", None, "-7", "0"]),
    "arrow decimal": pa.array([None if x is None else Decimal(str(x)) for x in NUMBERS]),
}


@each("name", CONTAINERS)
def test_every_container_holds_the_same_records(name):
    with watched():
        assert same(read_numbers(CONTAINERS[name]), [3.0, 1.5, math.nan, -7.0, 0.0])
        assert same(read_presence(CONTAINERS[name]), [True, True, False, True, True])
        assert length(CONTAINERS[name]) == 5


INTEGERS = {
    "list": [1, None, 2**60 + 1],
    "pandas": pd.Series([1, None, 2**60 + 1], dtype="Int64"),
    "polars": pl.Series([1, None, 2**60 + 1]),
    "polars 128": pl.Series([1, None, 2**60 + 1], dtype=pl.Int128),
    "arrow": pa.array([1, None, 2**60 + 1]),
    "arrow unsigned": pa.array([1, None, 2**60 + 1], pa.uint64()),
}


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_beside_a_null_are_read_alike_everywhere(name):
    assert same(read_numbers(INTEGERS[name]), [1.0, math.nan, float(2**60 + 1)])
    assert same(read_presence(INTEGERS[name]), [True, False, True])


FLAGS = {
    "list": [True, None, False],
    "pandas": pd.Series([True, None, False], dtype="boolean"),
    "polars": pl.Series([True, None, False]),
    "arrow": pa.array([True, None, False]),
    "masked": np.ma.array([True, True, False], mask=[0, 1, 0]),
    "numbers": [1.0, 0.5, 0],
    "text": ["true", "maybe", "0"],
}


@pytest.mark.parametrize("name", FLAGS)
def test_true_and_false_are_read_alike_everywhere(name):
    assert same(read_flags(FLAGS[name]), [1.0, math.nan, 0.0])


TIMES = {
    "numpy": np.array(["2020-01-01", "NaT"], "M8[ns]"),
    "pandas": pd.Series(pd.to_datetime(["2020-01-01", None])),
    "polars": pl.Series([pd.Timestamp("2020-01-01"), None]),
    "arrow": pa.array([10**18 + 1, None], pa.timestamp("ns")),
    "arrow beyond the calendar": pa.array([2**62, None], pa.timestamp("s")),
    "spans": np.array([5, "NaT"], "m8[s]"),
}


@pytest.mark.parametrize("name", TIMES)
def test_times_are_counted_and_are_no_numbers(name):
    with watched():
        assert same(read_presence(TIMES[name]), [True, False])
        assert np.isnan(read_numbers(TIMES[name])).all()
        assert len(read_objects(TIMES[name])) == 2


NESTED = {
    "list": [[1, 2], [3, 4]],
    "arrow": pa.array([[1, 2], [3, 4]]),
    "ragged arrow": pa.array([[1, 2], [3]]),
    "polars": pl.Series([[1, 2], [3, 4]]),
    "pandas": pd.Series([[1, 2], [3, 4]]),
}


@pytest.mark.parametrize("name", NESTED)
def test_lists_in_a_list_are_records_that_are_no_numbers(name):
    assert np.isnan(read_numbers(NESTED[name])).all()
    assert length(NESTED[name]) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        "text",
        b"bytes",
        {1: 2},
        {1},
        frozenset({1}),
        7,
        None,
        (value for value in (1, 2)),
        np.zeros((2, 2)),
        np.array(5.0),
        np.ma.zeros((2, 2)),
        np.zeros(2, dtype=[("a", "f8")]),
        pd.DataFrame({"a": [1]}),
        pl.DataFrame({"a": [1]}),
        pl.Series([{"a": 1}]),
        pa.table({"a": [1]}),
    ],
    ids=lambda wrong: type(wrong).__name__,
)
def test_what_is_not_one_column_is_refused_by_its_type(wrong):
    for read in (read_numbers, read_presence, read_flags, read_objects, length):
        with pytest.raises(DataError, match="Pass one column"):
            read(wrong)


def test_nothing_is_an_empty_column():
    for nothing in ([], (), np.zeros(0), pd.Series([], dtype=float), pl.Series([]), pa.array([])):
        assert read_numbers(nothing).shape == read_presence(nothing).shape == (0,)
        assert read_objects(nothing) == []
