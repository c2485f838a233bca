"""Aggregates are exact integers that one record moves by at most the sensitivity."""

import math
import re
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.engines import arrays
from discreet.engines.arrays import ClippedColumn, clip, parse_number
from discreet.errors import DataError
from discreet.exact import Grid, Range
from tests.support import array_sums
from tests.support.cases import each
from tests.support.odd_records import ODD, SHOWN, watched

RANGES = {
    "ages": Range(grid=Grid(0), low=0, high=120),
    "negative": Range(grid=Grid(-3), low=-37, high=-2),
    "tiny": Range(grid=Grid(-1030), low=1 << 20, high=1 << 21),
    "huge": Range(grid=Grid(994), low=-(1 << 29), high=1 << 29),
    "far": Range(grid=Grid(-30), low=10**9 << 30, high=(10**9 + 1) << 30),
    "beyond 2^53": Range(grid=Grid(0), low=-(2**61) + 1, high=2**61 - 1),
    "all integers": Range(grid=Grid(2), low=-(2**61) + 3, high=2**61 - 3),
}
bounded = pytest.mark.parametrize("bounds", RANGES.values(), ids=RANGES)
BESIDE: list[Any] = [3, 2.5, -7.0, 10**9 + 0.5, 1.5e-304, -1e300, 2**60]


def twin(record: Any, bounds: Range) -> int | None:
    """The steps of one record above the lower bound, in rationals; None if it is missing."""
    read = parse_number(record)
    if math.isnan(read):
        return None
    if math.isinf(read):
        return 0 if read < 0 else bounds.width
    place = math.floor(Fraction(read) / bounds.grid.step + Fraction(1, 2))
    return min(max(place, bounds.low), bounds.high) - bounds.low


def opened(values: object, bounds: Range, keep_all: bool = False) -> list[int]:
    with watched():
        return clip(values, bounds, keep_all=keep_all).values.tolist()


# ---------------------------------------------------------------------- clipping


@bounded
@given(column=st.lists(st.floats(), max_size=10))
def test_values_are_rounded_and_clipped_as_rationals_are(bounds, column):
    expected = [steps for record in column if (steps := twin(record, bounds)) is not None]
    found = opened(column, bounds)
    assert len(found) == len(expected)
    for ours, exact in zip(found, expected, strict=True):
        assert 0 <= ours <= bounds.width
        # Beyond 2^52 steps the floats' own rounding shows, always in the record alone.
        assert abs(ours - exact) <= max(1, (abs(exact + bounds.low) >> 52) * 2)


@given(column=st.lists(st.floats(-(2.0**50), 2.0**50), max_size=10))
def test_halves_go_up_and_nothing_else_is_moved(column):
    wide = Range(grid=Grid(-1), low=-(1 << 55), high=1 << 55)
    exact = [twin(value, wide) for value in column]
    near = [abs(Fraction(value) * 2 % 1 - Fraction(1, 2)) < 2.0**-50 for value in column]
    for ours, theirs, halfway in zip(opened(column, wide), exact, near, strict=True):
        assert ours == theirs or halfway


@bounded
def test_the_ends_and_beyond(bounds):
    low, high = (float(bounds.grid.step * end) for end in (bounds.low, bounds.high))
    ends = [low, high, -math.inf, math.inf, -1.7e308, 1.7e308]
    found = opened(ends, bounds)
    assert found[2:4] == [0, bounds.width]
    assert found[4] <= found[0] <= found[1] <= found[5]
    assert abs(found[0]) <= bounds.farthest >> 52
    assert bounds.width - found[1] <= bounds.farthest >> 52


def test_missing_values_are_skipped_or_take_the_middle():
    ages = RANGES["ages"]
    assert opened([1, None, math.nan, "x", 7], ages) == [1, 7]
    assert opened([1, None, math.nan, "x", 7], ages, keep_all=True) == [1, 60, 60, 60, 7]


def test_columns_of_the_caller_are_left_as_they_were():
    column = np.array([1.0, math.nan, 500.0])
    before = column.copy()
    for keep_all in (True, False):
        opened(column, RANGES["ages"], keep_all)
    assert np.array_equal(column, before, equal_nan=True)


# ---------------------------------------------------------------------- sums


columns = st.lists(st.integers(0, 2**62 - 1), max_size=12)


@given(steps=columns)
def test_sums_do_not_overflow(steps):
    column = ClippedColumn(np.array(steps, np.int64), 2**62 - 1)
    low = -(2**61)
    assert array_sums.total(column, low).open() == sum(steps) + low * len(steps)
    above, below = array_sums.distances(column).open()
    assert (above, above + below) == (sum(steps), column.width * len(steps))


@given(steps=columns)
def test_squares_do_not_overflow(steps):
    width = 2**62 - 1
    column = ClippedColumn(np.array(steps, np.int64), width)
    below, between, above = array_sums.squares(column).open()
    assert below == sum((width - step) ** 2 for step in steps)
    assert between == sum(2 * step * (width - step) for step in steps)
    assert above == sum(step**2 for step in steps)
    first, second = (part.open() for part in arrays.moments(column))
    assert (first, second) == (sum(steps), sum(step * (width - step) for step in steps))


def test_long_columns_are_summed_in_pieces_that_fit():
    largest = 2**61
    column = ClippedColumn(np.full(1 << 16, largest, np.int64), largest)
    assert array_sums.total(column, 0).open() == largest << 16
    narrow = ClippedColumn(np.full(1 << 16, 2**31 - 1, np.int64), 2**31 - 1)
    assert array_sums.squares(narrow).open()[2] == (2**31 - 1) ** 2 << 16


@pytest.mark.parametrize("name", ["total", "distances", "squares", "tally", "bins", "count"])
@given(column=st.lists(st.one_of(st.floats(), st.none()), max_size=20), random=st.randoms())
def test_aggregates_depend_neither_on_order_nor_on_chunks(name, column, random):
    shuffled = list(column)
    random.shuffle(shuffled)
    cut = random.randint(0, len(column))
    whole = aggregate(name, column)
    assert aggregate(name, shuffled) == whole
    pieces = zip(aggregate(name, column[:cut]), aggregate(name, column[cut:]), strict=True)
    assert [a + b for a, b in pieces] == whole


def aggregate(name: str, column: list[Any], keep_all: bool = False) -> list[int]:
    """Any aggregate as a vector of integers."""
    with watched():
        if name == "count":
            return list(arrays.count(column).open())
        if name == "bins":
            return arrays.bins(column, EDGES).open().tolist()
        if name == "flags":
            return list(array_sums.distances(arrays.flags(column, keep_all=keep_all)).open())
        bounds = RANGES["ages"]
        steps = clip(column, bounds, keep_all=keep_all)
        if name == "total":
            return [array_sums.total(steps, bounds.low).open()]
        if name == "moments":
            return [part.open() for part in arrays.moments(steps)]
        if name == "tally":
            return arrays.tally(steps).open().tolist()
        found = {"distances": array_sums.distances, "squares": array_sums.squares}[name](
            steps
        ).open()
        return list(found)


EDGES = [0.0, 3.0, 3.5, 120.0]
WIDTH = RANGES["ages"].width
ADD_OR_REMOVE = {
    "count": 1,
    "flags": 1,
    "bins": 1,
    "tally": 1,
    "total": 120,
    "distances": WIDTH,
    "squares": WIDTH**2,
}
REPLACE = {"count": 1, "flags": 2, "bins": 2, "tally": 2, "total": WIDTH}


@each("which", range(len(ODD)), ids=SHOWN)
@pytest.mark.parametrize("name", ADD_OR_REMOVE)
def test_an_odd_record_moves_an_aggregate_by_at_most_its_sensitivity(which, name):
    before = aggregate(name, BESIDE)
    for place in (0, 4, len(BESIDE)):
        after = aggregate(name, [*BESIDE[:place], ODD[which], *BESIDE[place:]])
        assert distance(before, after) <= ADD_OR_REMOVE[name]


@each("which", range(len(ODD)), ids=SHOWN)
@pytest.mark.parametrize("name", REPLACE)
def test_an_odd_record_in_place_of_another_moves_it_by_at_most_its_sensitivity(which, name):
    before = aggregate(name, BESIDE, keep_all=True)
    for place in range(len(BESIDE)):
        swapped = [*BESIDE[:place], ODD[which], *BESIDE[place + 1 :]]
        after = aggregate(name, swapped, keep_all=True)
        assert distance(before, after) <= REPLACE[name]


def distance(first: list[int], second: list[int]) -> int:
    return sum(abs(a - b) for a, b in zip(first, second, strict=True))


@bounded
@each("which", range(len(ODD)), ids=SHOWN)
def test_an_odd_record_moves_a_sum_by_at_most_the_farther_bound(which, bounds):
    with watched():
        before, after = (
            array_sums.total(clip(column, bounds, keep_all=False), bounds.low).open()
            for column in (BESIDE, [*BESIDE, ODD[which]])
        )
    assert abs(after - before) <= bounds.farthest


@pytest.mark.parametrize("start", [2**53, 2**63 - 1, 1.7976931348623157e308, 5e-324, 0.1])
def test_neighbors_at_the_extremes_of_integers_and_floats_differ_by_the_sensitivity_at_most(start):
    for bounds in RANGES.values():
        sums = [
            array_sums.total(clip([start] * many, bounds, keep_all=False), bounds.low).open()
            for many in range(6)
        ]
        assert all(abs(b - a) <= bounds.farthest for a, b in pairwise(sums))
        assert len({b - a for a, b in pairwise(sums)}) == 1  # a record adds the same to any sum


# ---------------------------------------------------------------------- cells and conditions


def test_bins_hold_their_lower_edge_and_the_last_one_both():
    column = [-0.1, 0, -0.0, 2.9, 3, 3.5, 119, 120, 120.1, math.inf, -math.inf, None, "3.2"]
    assert aggregate("bins", column) == [3, 2, 3]


@given(column=st.lists(st.floats(), max_size=20))
def test_bins_are_those_of_comparing_every_record(column):
    expected = [
        sum(low <= value < high or value == high == EDGES[-1] for value in column)
        for low, high in pairwise(EDGES)
    ]
    assert aggregate("bins", column) == expected


def test_a_condition_says_for_every_record_whether_it_counts():
    assert arrays.count([1, None, 3, 4], [True, True, False, 1]).open() == (2,)
    assert arrays.count([1, 2, 3], ["true", None, 0.5]).open() == (1,)
    with pytest.raises(DataError, match="another length"):
        arrays.count([1, 2, 3], [True])


def test_what_leaves_the_engine_does_not_show_itself():
    column = clip([86, 75, 30], RANGES["ages"], keep_all=False)
    hidden = [column, arrays.count([1]), array_sums.total(column, 0), arrays.tally(column)]
    shown = " ".join(f"{thing!r} {thing!s} {thing}" for thing in hidden)
    without_addresses = re.sub(r"0x[0-9a-f]+", "", shown)
    assert "86" not in without_addresses
    assert "86" in str(column.values)  # what would be seen
