"""Variances from sums, and the extremes of what sums in a box allow."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.statistics.spread import extreme_variances, variance_of
from tests.statistics.tape import tape

__all__ = ["tape"]

columns = st.lists(st.floats(0, 10), min_size=1, max_size=20)


@given(columns)
def test_the_three_sums_say_the_variance(column):
    x = [Fraction(value) / 10 for value in column]
    sums = [
        sum((1 - value) ** 2 for value in x),
        sum(2 * value * (1 - value) for value in x),
        sum(value**2 for value in x),
    ]
    assert sum(sums) == len(x)
    assert float(variance_of(*sums)) == pytest.approx(np.var(column) / 100, abs=1e-12)
    assert variance_of(*sums) == variance_of(*(7 * one for one in sums))  # in any unit


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_without_noise_the_answer_is_the_variance(tape, relation):
    column = np.random.default_rng(3).beta(2, 5, 300) * 10
    for ask, truth in ((dp.var, column.var()), (dp.std, column.std())):
        answer = ask(column, bounds=(0, 10), epsilon=1, neighbors=relation)
        assert answer.value == pytest.approx(float(truth), rel=1e-5)
        assert answer.lower <= answer.value <= answer.upper


boxes = st.lists(
    st.tuples(st.integers(-5, 30), st.integers(0, 12)).map(lambda e: (e[0], e[0] + e[1])),
    min_size=3,
    max_size=3,
)


@given(boxes)
def test_no_sums_in_the_box_say_a_variance_outside_the_extremes(box):
    least, most = extreme_variances(box)
    sides = [np.linspace(max(low, 0), max(high, 0), 7) for low, high in box]
    for sums in product(*sides):
        if sum(sums) > 0:
            found = float((sums[0] * sums[2] - sums[1] ** 2 / 4) / sum(sums) ** 2)
            assert float(least) - 1e-12 <= found <= float(most) + 1e-12


@given(boxes)
def test_the_extremes_are_reached(box):
    """Not wider than they must be: a fine search comes near both."""
    least, most = extreme_variances(box)
    sides = [np.linspace(max(low, 0), max(high, 0), 25) for low, high in box]
    grid = np.meshgrid(*sides, indexing="ij")
    whole = sum(grid)
    with np.errstate(all="ignore"):
        found = np.where(whole > 0, (grid[0] * grid[2] - grid[1] ** 2 / 4) / whole**2, 0.0)
    assert found.max() >= float(most) - 0.02
    assert found.min() <= float(least) + 0.02


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("bounds", [(-1e99, 1e99), (1e-300, 2e-300), (0, 5e-324), (1e15, 1e15 + 1)])
@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_extreme_bounds_are_answered_without_nan(name, bounds, relation):
    answer = getattr(dp, name)([0.0, 1e308, 5e-324], bounds=bounds, epsilon=1, neighbors=relation)
    low, high = answer.interval()
    assert 0 <= low <= answer.value <= high


def test_a_variance_is_never_negative_nor_beyond_what_bounds_allow():
    for _ in range(200):
        for relation in ("add-remove", "replace"):
            answer = dp.var([1, 2], bounds=(0, 4), epsilon=0.1, neighbors=relation)
            assert 0 <= answer.lower <= answer.value <= answer.upper <= 4
