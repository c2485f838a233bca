"""Running totals: what is measured, what it costs, and what becomes of it."""

from fractions import Fraction
from itertools import product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.mechanisms.running_totals import RunningTotals
from tests.support.cases import each
from tests.support.table_twins import running_matrix, solved
from tests.support.trials import examples

LENGTHS = st.integers(1, 12)


def squared(vector: list[int]) -> int:
    return sum(one * one for one in vector)


def columns(one: RunningTotals) -> list[list[int]]:
    return [list(column) for column in zip(*running_matrix(one), strict=True)]


@given(LENGTHS, st.data())
def test_what_is_measured_is_the_matrix_times_the_cells(length: int, data: st.DataObject) -> None:
    one = RunningTotals((length,), 0)
    size = 10 ** data.draw(st.integers(1, 30))
    values = data.draw(st.lists(st.integers(-size, size), min_size=length, max_size=length))
    naive = [sum(a * b for a, b in zip(row, values, strict=True)) for row in running_matrix(one)]
    assert one.measured({(0,): np.array(values, np.object_)}).tolist() == naive


def test_every_group_of_the_other_keys_has_its_own_totals() -> None:
    one, values = RunningTotals((2, 5, 3), 1), np.arange(30).astype(object).reshape(2, 5, 3)
    found = one.reconstructed(one.measured({(0, 1, 2): values}))[0, 1, 2]
    assert found == pytest.approx(np.cumsum(values, axis=1).astype(float))


@given(LENGTHS, st.data())
@examples(40)
def test_totals_and_their_errors_are_those_of_the_matrix(length: int, data: st.DataObject) -> None:
    one, matrix = RunningTotals((length,), 0), running_matrix(RunningTotals((length,), 0))
    noisy = data.draw(st.lists(st.integers(-(10**6), 10**6), min_size=length, max_size=length))
    found = one.reconstructed(noisy)[0,]
    weights = [
        solved(matrix, [1] * (last + 1) + [0] * (length - last - 1)) for last in range(length)
    ]
    for last, own in enumerate(weights):
        naive = sum((w * y for w, y in zip(own, noisy, strict=True)), Fraction(0))
        assert found[last] == pytest.approx(float(naive), abs=1e-6)
        variance = float(sum(w * w for w in own))
        assert float(one.variance((0,), (last,))) == pytest.approx(variance)
    first, second = (data.draw(st.integers(0, length - 1)) for _ in range(2))
    between = [a - b for a, b in zip(weights[first], weights[second], strict=True)]
    asked = {((0,), (first,)): 1.0}
    asked[(0,), (second,)] = asked.get(((0,), (second,)), 0.0) - 1.0
    exact = float(sum(w * w for w in between))
    assert one.covariance(asked, asked) == pytest.approx(exact, abs=1e-18)


@given(LENGTHS)
def test_no_column_is_longer_than_is_priced_and_the_first_is_as_long(length: int) -> None:
    one = RunningTotals((length,), 0)
    assert max(map(squared, columns(one))) == one.squared_norm()


@given(LENGTHS)
def test_no_two_columns_are_farther_apart_than_is_priced(length: int) -> None:
    one, found = RunningTotals((length,), 0), columns(RunningTotals((length,), 0))
    differences = [[a - b for a, b in zip(x, y, strict=True)] for x, y in product(found, repeat=2)]
    farthest = max(map(squared, differences))
    assert one.squared_norm(replaced=True) == max(farthest, one.squared_norm())


def test_replaced_units_of_several_groups_or_sums_are_as_far_apart_as_two_columns() -> None:
    once = RunningTotals((6,), 0).squared_norm()
    assert RunningTotals((2, 6), 1).squared_norm(replaced=True) == 2 * once
    assert RunningTotals((6,), 0).squared_norm(replaced=True, several=True) == 2 * once
    assert RunningTotals((6,), 0).squared_norm(replaced=True, signed=True) == 4 * once


def test_a_norm_of_one_column_less_is_too_small() -> None:
    """The negative control: of the second column, which is a part of the first."""
    one = RunningTotals((6,), 0)
    assert squared(columns(one)[1]) < max(map(squared, columns(one)))


def test_shares_in_l2_would_cost_as_much_as_all_columns_together() -> None:
    """Weights in L2 let a person have a row in each group at full weight: √n in all."""
    one = RunningTotals((100,), 0)
    every = [sum(row) / 10 for row in running_matrix(one)]
    assert sum(value * value for value in every) > 10 * float(one.squared_norm())


@each("length, mean, most", [(365, 2.78, 2.94), (1_024, 3.11, 3.27), (4_096, 3.55, 3.71)])
def test_errors_grow_with_the_logarithm(length: int, mean: float, most: float) -> None:
    one = RunningTotals((length,), 0)
    variances = [one.variance((0,), (last,)) for last in range(length)]
    cost = one.squared_norm()
    assert sqrt(sum(variances) / length * cost) == pytest.approx(mean, rel=0.01)
    assert sqrt(max(variances) * cost) == pytest.approx(most, rel=0.01)


def test_coefficients_are_those_of_the_root_and_never_above() -> None:
    found = RunningTotals((300,), 0).coefficients
    exact = Fraction(1)
    for place, one in enumerate(found):
        if place:
            exact = exact * (2 * place - 1) / (2 * place)
        assert (
            exact - Fraction(1, RunningTotals.unit)
            < Fraction(int(one), RunningTotals.unit)
            <= exact
        )
