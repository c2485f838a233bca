"""The smallest and the largest value: ranks of the values as they are, not of rounded ones."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.engines import arrays
from discreet.exact import Grid, Range, Rounding
from discreet.noise import UnsafeSeededBits
from discreet.statistics.array_call import read_bounds
from tests.support.evidence import most_misses

DENSE = np.linspace(10.0085, 89.9915, 1_000_000)


def beyond(name: str, column: np.ndarray, value: float) -> int:
    return int(np.sum(column > value) if name == "max" else np.sum(column < value))


@given(
    values=st.lists(st.floats(-3, 12, allow_subnormal=False), min_size=1, max_size=8),
    exponent=st.integers(-8, 1),
)
def test_as_many_values_are_beyond_a_point_as_were_before_rounding(values, exponent):
    grid = Grid(exponent)
    low, high = grid.around(Fraction(0), Fraction(10))
    bounds, clipped = Range(grid=grid, low=low, high=high), np.clip(values, 0, 10)
    up = arrays.clip(values, bounds, keep_all=False, rounding=Rounding.UP).values
    down = arrays.clip(values, bounds, keep_all=False, rounding=Rounding.DOWN).values
    for point in range(bounds.width + 1):
        value = min(max(float(grid.value(low + point)), 0.0), 10.0)
        assert np.sum(clipped > value) <= np.sum(up > point)
        assert np.sum(clipped < value) <= np.sum(down < point)
        if 0 < value < 10:  # and no fewer
            assert np.sum(clipped > value) == np.sum(up > point)
            assert np.sum(clipped < value) == np.sum(down < point)


def test_only_what_underflows_counts_as_zero_steps():
    """On a coarse grid the least float is no step away from zero, and 2^-1074 steps are one."""
    bounds = Range(grid=Grid(40), low=-4, high=4)
    column = np.array([5e-324, -5e-324, 2.0**-1034, -(2.0**-1034), 1.0, -1.0])
    steps = {
        rounding: arrays.clip(column, bounds, keep_all=False, rounding=rounding).values - 4
        for rounding in (Rounding.UP, Rounding.DOWN)
    }
    assert steps[Rounding.UP].tolist() == [0, 0, 1, 0, 1, 0]
    assert steps[Rounding.DOWN].tolist() == [0, 0, 0, -1, 0, -1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["min", "max"])
def test_no_more_values_are_beyond_the_answer_than_it_says(name):
    """A million values between the points of a grid of 2^12, and of any other.

    A right error is missed at most once in twenty; the verdict is wrong once in a million.
    """
    trials, asked = 20, getattr(dp, name)
    answers = [asked(DENSE, bounds=(0, 100), epsilon=1) for _ in range(trials)]
    missed = sum(beyond(name, DENSE, one.value) > one.rank_error for one in answers)
    assert missed <= most_misses(trials, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["min", "max"])
def test_values_rounded_to_the_nearest_of_few_points_are_caught(name, monkeypatch):
    """The negative control."""
    clip = arrays.clip

    def nearest(*how: Any, **more: Any) -> arrays.ClippedColumn:
        return clip(*how, **{**more, "rounding": Rounding.NEAREST})

    monkeypatch.setattr(arrays, "clip", nearest)
    trials, asked = 20, getattr(dp, name)
    answers = [asked(DENSE, bounds=(0, 100), epsilon=1, grid=2**-6) for _ in range(trials)]
    missed = sum(beyond(name, DENSE, one.value) > one.rank_error for one in answers)
    assert missed > most_misses(trials, 0.05)
    monkeypatch.undo()
    answers = [asked(DENSE, bounds=(0, 100), epsilon=1, grid=2**-6) for _ in range(trials)]
    missed = sum(beyond(name, DENSE, one.value) > one.rank_error for one in answers)
    assert missed <= most_misses(trials, 0.05)


@pytest.mark.parametrize("bounds", [(0, 100), (Fraction(1, 3), Fraction(200, 3)), (0.1, 0.7)])
def test_an_answer_is_within_the_bounds_whatever_the_grid(bounds):
    for column in (np.full(500, 1e9), np.full(500, -1e9), np.full(0, 0.0)):
        for asked in (dp.min, dp.max):
            for grid in (None, 2**-3):
                value = asked(column, bounds=bounds, epsilon=3, grid=grid).value
                assert float(bounds[0]) <= value <= float(bounds[1])
    assert dp.max(np.full(5000, 1e9), bounds=(0.1, 0.7), epsilon=9, grid=2**-3).value == 0.7


@pytest.mark.parametrize("name", ["min", "max"])
def test_few_values_are_not_aimed_past(name):
    """100 values in [0, 60] at ε = 0.1 are 12 off on average; an aim below all of them, 48.

    No answer is off by more than 100, so that the mean of 400 is within 13.2 of what is expected
    but once in a million (Hoeffding).
    """
    column = np.linspace(0, 60, 100) if name == "max" else np.linspace(40, 100, 100)
    truth = 60 if name == "max" else 40
    asked = getattr(dp, name)
    errors = [abs(asked(column, bounds=(0, 100), epsilon=0.1).value - truth) for _ in range(400)]
    assert np.mean(errors) < 30


LOPSIDED = [(0, 99.37), (-3.21, 40), (12.5, 1000.01)]


@pytest.mark.parametrize(("low", "high"), LOPSIDED)
def test_the_least_value_has_the_law_of_the_largest_of_the_mirror_image(low, high):
    """Mechanisms are equal with all their weights, so that the laws are, on every column."""
    column = np.repeat([low, 20.0, 30.123], [3, 60, 940])
    least = dp.min(column, bounds=(low, high), epsilon=0.5, source=UnsafeSeededBits(5))
    mirrored = (-high, -low)
    largest = dp.max(-column, bounds=mirrored, epsilon=0.5, source=UnsafeSeededBits(5))
    assert least.mechanism.measure is not None
    assert least.mechanism == largest.mechanism
    assert least.value == -largest.value


@pytest.mark.parametrize(("low", "high"), LOPSIDED)
def test_a_round_number_weighs_as_much_for_the_least_value_as_for_the_largest(low, high):
    least, largest = (
        asked([20.0], bounds=(low, high), epsilon=1).mechanism.measure for asked in (dp.min, dp.max)
    )
    bounds = read_bounds((low, high), "max", 1 << 24, None, around=True).range
    for number in (20, 30):
        place = bounds.grid.index(Fraction(number))
        weight = least.at(bounds.high - place)
        assert weight == largest.at(place - bounds.low)
        assert weight > 1000 > least.at(bounds.high - place + 3)
