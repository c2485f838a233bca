"""Which category a record is in is its own affair."""

import math
from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.engines.arrays import category_key, count_categories
from tests.support.cases import each
from tests.support.odd_records import ODD, SHOWN, watched

NAMES: list[Any] = ["a", "b", 1, 2.5, None, "1e3", ("x", 1)]
COLUMN: list[Any] = ["a", "b", "b", 1, True, 1.0, Decimal(1), 2.5, None, math.nan, "c", ("x", 1)]
COUNTS = [1, 2, 4, 1, 2, 0, 1]


def counted(values: object, names: list[Any]) -> list[int]:
    with watched():
        return [int(count) for count in count_categories(values, names)]


def test_records_are_in_the_category_that_equals_them():
    assert counted(COLUMN, NAMES) == COUNTS


def test_a_number_and_its_text_are_one_category():
    # A reader makes numbers of a column, or texts of all of it for one word: neither may tell.
    for names in ([1, 2], ["1", "2"], ["01", 2.0]):
        assert counted(["1", " 1 ", "1.0", "True", "01", 1], names) == [6, 0]
    assert counted(["01234", "A"], ["01234", "A"]) == counted([1234, "A"], ["01234", "A"]) == [1, 1]


def test_missing_values_are_in_the_category_none():
    missing = [None, math.nan, np.nan, pd.NA, pd.NaT, np.ma.masked, Decimal("NaN")]
    assert counted(missing, ["a", None]) == [0, 7]
    assert counted(missing, [math.nan, 1]) == [7, 0]
    assert counted([*missing, "nan"], ["nan", 0]) == [8, 0]
    assert counted([None, "nan", "Nan"], ["Nan", 0]) == [1, 0], "Nan is a first name"


@each("which", range(len(ODD)), ids=SHOWN)
@each("place", [0, 6, 12])
@each("names", [NAMES, ["a", "b"], [1, 2.5, 7]], ids=["mixed", "text", "numbers"])
def test_an_odd_record_moves_one_count_by_one_at_most(which, place, names):
    column = [*COLUMN[:place], ODD[which], *COLUMN[place:]]
    before, after = counted(COLUMN, names), counted(column, names)
    assert sum(abs(a - b) for a, b in zip(before, after, strict=True)) <= 1


def test_a_record_that_equals_all_others_does_not_gather_them():
    class Everything:
        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return hash(-1)  # which is also the hash of -2

    column = [-1, -1, -2]
    assert counted([Everything(), *column], [-1, -2]) == counted(column, [-1, -2]) == [2, 1]


names = st.lists(
    st.one_of(st.text(max_size=2), st.integers(-2, 2), st.floats(-2, 2), st.none()),
    min_size=1,
    max_size=5,
    unique_by=category_key,
)
columns = st.lists(
    st.one_of(st.text(max_size=2), st.integers(-2, 2), st.floats(-2, 2), st.none(), st.booleans()),
    max_size=12,
)


@given(columns, names)
def test_counts_are_those_of_looking_up_every_record(column, names):
    keys = [category_key(name) for name in names]

    def place(record: Any) -> int | None:
        key = category_key(record)
        if key in keys:
            return keys.index(key)
        if isinstance(record, str):
            try:
                return keys.index(float(record))
            except ValueError:
                return None
        return None

    found = Counter(map(place, column))
    assert counted(column, names) == [found[index] for index in range(len(names))]


@given(st.lists(st.floats(allow_nan=False), max_size=10), st.randoms())
def test_the_order_of_records_does_not_matter(column, random):
    names = [0, 1, -0.5, math.inf]
    shuffled = list(column)
    random.shuffle(shuffled)
    assert counted(shuffled, names) == counted(np.array(column), names) == counted(column, names)


TEXTS = ["a", None, "b", "a"]
CONTAINERS = {
    "tuple": tuple(TEXTS),
    "objects": np.array(TEXTS, np.object_),
    "pandas": pd.Series(TEXTS),
    "pandas category": pd.Series(TEXTS, dtype="category"),
    "polars": pl.Series(TEXTS),
    "polars category": pl.Series(TEXTS, dtype=pl.Categorical),
    "arrow": pa.array(TEXTS),
    "arrow dictionary": pa.array(TEXTS).dictionary_encode(),
    "masked": np.ma.array(["a", "a", "b", "a"], mask=[0, 1, 0, 0]),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_every_container_has_the_same_counts(name):
    assert counted(CONTAINERS[name], ["a", "b", None]) == [2, 1, 1]


def test_dates_are_categories():
    days = np.array(["2020-01-01", "2020-01-02", "NaT"], "M8[ns]")
    names = [pd.Timestamp("2020-01-01").to_pydatetime(), None]
    assert counted(days, names) == counted(pd.Series(days), names) == [1, 1]


def test_names_that_are_one_number_have_one_key():
    assert category_key(1) == category_key(1.0) == category_key(True) == category_key(Decimal(1))
    assert category_key(2**53) == category_key(2**53 + 1)
    assert category_key(None) == category_key(math.nan) == category_key(pd.NA)
    assert category_key(1) == category_key("1") == category_key("01")
    assert len({category_key(name) for name in (1, None, "None", "a")}) == 4
