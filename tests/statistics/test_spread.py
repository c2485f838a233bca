"""Variances from sums, and the extremes of what sums in a box allow."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.measures.moments import variance_interval, variance_of
from discreet.mechanisms.laplace import Laplace
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


@given(
    values=st.lists(st.floats(0, 1), min_size=1, max_size=8),
    noise=st.tuples(*[st.integers(-40, 40)] * 3),
)
def test_the_interval_holds_every_variance_that_its_noise_allows(values, noise):
    """Where each noise is within a reach that all three keep, the truth is inside."""
    width, scale = 1000, 300
    steps = [round(value * width) for value in values]
    true = [
        sum((width - x) ** 2 for x in steps),
        sum(2 * x * (width - x) for x in steps),
        sum(x * x for x in steps),
    ]
    sums = tuple(one + move for one, move in zip(true, noise, strict=True))
    low, high = variance_interval(sums, Laplace(scale=scale), Fraction(95, 100))
    assert 0 <= low <= high <= 0.25
    assert low - 1e-12 <= np.var(np.array(steps) / width) <= high + 1e-12
    assert low <= min(max(float(variance_of(*sums)), 0.0), 0.25) <= high


def test_nothing_is_known_where_the_noise_left_nothing():
    assert variance_interval((-3, 1, 1), Laplace(scale=1), Fraction(95, 100)) == (0.0, 0.25)
    assert variance_interval((3, 1, 1), Laplace(scale=10**200), Fraction(95, 100)) == (0.0, 0.25)


def test_the_interval_is_half_of_what_the_corners_of_a_box_made_it():
    """1,000 values with variance 1/50 and noise of scale 1/ε = 1: ± 0.0021, by corners ± 0.004."""
    unit = 2**30
    sums = (480 * unit, 410 * unit, 110 * unit)
    low, high = variance_interval(sums, Laplace(scale=unit), Fraction(95, 100))
    assert (high - low) / 2 < 0.0022


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
