"""The public grid."""

from decimal import Decimal
from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DiscreetError
from discreet.exact import Grid
from tests.support.cases import each

exponents = st.integers(-300, 300)


@given(exponents)
def test_a_step_is_read_in_every_way_of_writing_it(exponent: int) -> None:
    grid = Grid(exponent)
    assert grid.step == Fraction(2) ** exponent
    assert Grid.of(grid) is grid
    assert Grid.of(grid.step) == grid
    assert Grid.of(2.0**exponent) == grid
    assert Grid.of(np.float64(2.0**exponent)) == grid
    assert Grid.of(str(grid.step)) == grid
    if exponent >= 0:
        assert Grid.of(2**exponent) == grid


def test_floats_of_other_sizes_are_the_binary_fractions_they_are() -> None:
    assert Grid.of(np.float32(2**-30)) == Grid(-30)
    assert Grid.of(np.float16(2**-10)) == Grid(-10)
    assert Grid.of(np.longdouble(2**-40)) == Grid(-40)
    assert Grid.of(Decimal("0.25")) == Grid(-2)
    assert Grid.of(5e-324) == Grid(-1074)


@each(
    "step",
    [
        0,
        -1,
        -2.0,
        3,
        0.1,
        "0.1",
        1.5,
        Fraction(2, 3),
        np.float64(0.3),
        float("nan"),
        inf,
        None,
        "two",
        [1],
        True,
        1 + 2 ** (-52),
        Decimal("sNaN"),
    ],
    ids=repr,
)
def test_any_other_step_is_refused(step: object) -> None:
    with pytest.raises(DiscreetError, match="grid"):
        Grid.of(step)


@given(st.fractions(min_value=Fraction(1, 10**30), max_value=10**30))
def test_below_is_the_coarsest_grid_not_above(size: Fraction) -> None:
    grid = Grid.below(size)
    assert grid.step <= size < 2 * grid.step


@pytest.mark.parametrize("size", [Fraction(0), Fraction(-1)])
def test_no_grid_lies_below_zero(size: Fraction) -> None:
    with pytest.raises(ValueError, match="zero or less"):
        Grid.below(size)


@given(exponents, st.fractions())
def test_a_value_goes_to_the_nearest_point_and_halves_go_up(exponent: int, value: Fraction) -> None:
    grid = Grid(exponent)
    offset = value - grid.index(value) * grid.step
    assert -grid.step / 2 <= offset < grid.step / 2


@given(exponents, st.integers())
def test_an_index_is_decoded_to_its_point(exponent: int, index: int) -> None:
    point = Grid(exponent).value(index)
    if exponent >= 0:
        assert point == index << exponent
        assert isinstance(point, int)
    else:
        assert point == float(index * Fraction(2) ** exponent)


def test_decoding_is_total() -> None:
    assert Grid(-1).value(10**400) == inf
    assert Grid(-1).value(-(10**400)) == -inf
    assert Grid(-2000).value(1) == 0.0
    assert Grid(60).value(np.int64(2**40)) == 2**100  # type: ignore[arg-type]
