"""Sensitivity: three norms, what follows from each, and what rounding to a grid adds."""

from fractions import Fraction
from itertools import product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import PrivacyParameterError
from discreet.exact import Grid
from discreet.privacy.sensitivity import Neighbors, Sensitivity

SIZES = st.fractions(0, 1000, max_denominator=1000)
VECTORS = st.lists(st.fractions(-20, 20, max_denominator=64), min_size=1, max_size=6)


def norms(vector: list[Fraction]) -> tuple[Fraction, float, Fraction]:
    sizes = [abs(x) for x in vector]
    return sum(sizes, Fraction(0)), sqrt(sum(x * x for x in sizes)), max(sizes)


def covers(sensitivity: Sensitivity, vector: list[Fraction]) -> bool:
    l1, l2, linf = norms(vector)
    pairs = ((l1, sensitivity.l1), (l2, sensitivity.l2), (linf, sensitivity.linf))
    return all(bound is None or float(size) <= float(bound) * (1 + 1e-12) for size, bound in pairs)


def test_a_norm_follows_from_a_larger_one() -> None:
    assert Sensitivity(l1=3) == Sensitivity(l1=3, l2=3, linf=3)
    assert Sensitivity(l2=3) == Sensitivity(l2=3, linf=3)
    assert Sensitivity(linf=3).l2 is None
    assert Sensitivity(l1=1, l2=5, linf=9) == Sensitivity(l1=1), "a loose bound is tightened"
    assert Sensitivity(l1=9, l2=3, linf=1).l2 == 3


def test_a_missing_norm_is_asked_for() -> None:
    for given_, missing in (({"l2": 1}, "l1"), ({"linf": 1}, "l1"), ({"linf": 1}, "l2")):
        with pytest.raises(PrivacyParameterError, match=f"no {missing}"):
            Sensitivity(**given_).need(missing)  # type: ignore[arg-type]
    with pytest.raises(PrivacyParameterError, match="no norm"):
        Sensitivity()


def test_a_function_without_a_value_for_no_records_is_told_what_to_write() -> None:
    with pytest.raises(PrivacyParameterError, match=r"the empty data set .ValueError.*default=0"):
        Sensitivity.over(max, [0, 1, 5], records=2)
    assert Sensitivity.over(max, [0, 1, 5], records=2, neighbors="replace").l1 == 5
    assert Sensitivity.over(lambda all_: max(all_, default=0), [0, 1, 5], records=2).l1 == 5


@given(VECTORS)
def test_every_norm_that_is_filled_in_covers_the_vector(vector: list[Fraction]) -> None:
    l1, l2, linf = norms(vector)
    above = Fraction(l2).limit_denominator(10**9) + Fraction(1, 10**8)
    for known in (
        Sensitivity(l1=l1),
        Sensitivity(l2=above),
        Sensitivity(linf=linf),
        Sensitivity(l1=l1, linf=linf),
    ):
        filled = known.in_dimension(len(vector))
        assert filled.l1 is not None
        assert filled.l2 is not None
        assert covers(filled, vector)


def test_dimension_gives_the_missing_norms() -> None:
    assert Sensitivity(linf=1).in_dimension(9) == Sensitivity(l1=9, l2=3, linf=1)
    assert Sensitivity(l2=3).in_dimension(9) == Sensitivity(l1=9, l2=3, linf=3)
    assert Sensitivity(l1=4, linf=1).in_dimension(100).l2 == 2
    root = Sensitivity(linf=1).in_dimension(2).need("l2")
    assert 0 < root * root - 2 < Fraction(1, 2**60), "an irrational norm is rounded up"


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.fractions(-8, 8, max_denominator=97), st.fractions(-3, 3, max_denominator=97)),
        min_size=1,
        max_size=5,
    ),
    st.integers(-4, 3),
)
def test_rounding_never_moves_further_than_stated(
    pairs: list[tuple[Fraction, Fraction]], exponent: int
) -> None:
    grid = Grid(exponent)
    before = [move for _, move in pairs]
    after = [(grid.index(value + move) - grid.index(value)) * grid.step for value, move in pairs]
    l1, l2, linf = norms(before)
    above = Fraction(l2) + Fraction(1, 10**9)
    for known in (
        Sensitivity(l1=l1),
        Sensitivity(l2=above),
        Sensitivity(linf=linf),
        Sensitivity(l1=l1, l2=above, linf=linf),
    ):
        assert covers(known.rounded(grid, len(pairs)), after)


def test_one_number_pays_nothing_for_whole_steps() -> None:
    one = Sensitivity(l1=1)
    assert one.rounded(Grid.of(1)) == one
    assert one.rounded(Grid.of("1/1024")) == one
    assert Sensitivity(l1="1.5").rounded(Grid.of(1)) == Sensitivity(l1=2)
    assert Sensitivity(l1="0.1").rounded(Grid.of(1)) == one
    assert Sensitivity(l1=0).rounded(Grid.of(1)) == Sensitivity(l1=0)


def test_a_vector_pays_a_step_per_coordinate_and_no_more_than_its_box() -> None:
    fine = Grid.of("1/4")
    assert Sensitivity(l1=1).rounded(fine, 4).l1 == 2
    assert Sensitivity(l2=1).rounded(fine, 4).l2 == Fraction(3, 2)
    box = Sensitivity(l1=4, linf=1).rounded(Grid.of(1), 4)
    assert box.l1 == 4, "four coordinates that move by at most one step each"


def test_the_surcharge_is_needed() -> None:
    """The negative control: the move before rounding does not cover the move after it."""
    grid = Grid.of(1)
    vectors = product((Fraction(49, 100), Fraction(51, 100)), repeat=3)
    origin = [Fraction(49, 100)] * 3
    moved = [
        [grid.index(x) - grid.index(y) for x, y in zip(v, origin, strict=True)] for v in vectors
    ]
    assert max(sum(abs(x) for x in move) for move in moved) == 3
    assert Sensitivity(l1="0.06").rounded(grid, 3).l1 == 3


@pytest.mark.parametrize("bad", [-1, float("nan"), float("inf"), "abc", True, None, 1j, 10**4000])
def test_what_is_not_a_distance_is_refused(bad: object) -> None:
    with pytest.raises(PrivacyParameterError):
        Sensitivity(l1=bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [0, -3, 1.5, "2", None, True])
def test_a_dimension_counts_coordinates(bad: object) -> None:
    with pytest.raises(PrivacyParameterError, match="coordinates of the answer"):
        Sensitivity(l1=1).in_dimension(bad)  # type: ignore[arg-type]
    with pytest.raises(PrivacyParameterError, match="coordinates of the answer"):
        Sensitivity(l1=1).rounded(Grid.of(1), bad)  # type: ignore[arg-type]


@given(SIZES, SIZES, SIZES)
def test_the_norms_are_always_in_order(l1: Fraction, l2: Fraction, linf: Fraction) -> None:
    found = Sensitivity(l1=l1, l2=l2, linf=linf)
    assert found.need("linf") <= found.need("l2") <= found.need("l1")


def test_it_shows_the_norms_it_has() -> None:
    assert repr(Sensitivity(l2="1/2")) == "Sensitivity(l2=1/2, linf=1/2)"


def test_a_squared_norm_is_kept_as_it_is() -> None:
    moved = Sensitivity(squared_l2=20)
    assert moved.squared_l2 == 20
    assert moved.need("l2") ** 2 > 20 > moved.need("l2") ** 2 - Fraction(1, 2**50)
    assert moved.linf == moved.l2
    assert moved.l1 is None
    assert repr(moved) == f"Sensitivity(squared_l2=20, linf={moved.l2})"
    assert Sensitivity(l2=3) == Sensitivity(squared_l2=9)
    assert Sensitivity(l1=4, squared_l2=20) == Sensitivity(l1=4)
    assert Sensitivity(l1=9, l2=5, squared_l2=20).squared_l2 == 20
    assert Sensitivity(l1=9, l2=4, squared_l2=20).squared_l2 == 16
    assert Sensitivity(linf=1).squared_l2 is None


def test_squares_stay_rational_wherever_they_go() -> None:
    assert Sensitivity(linf=1).in_dimension(20).squared_l2 == 20
    assert Sensitivity(squared_l2=20).in_dimension(5).l1 == 10
    assert Sensitivity(squared_l2="81/4").of_steps(1).squared_l2 == 20
    assert Sensitivity(squared_l2=5).of_steps("1/2").squared_in_steps(Grid.of("1/2")) == 20
    assert Sensitivity(squared_l2=20).in_steps("l2", Grid.of(1)) ** 2 > 20
    counts = Sensitivity.over(lambda rows: [len(rows)] * 5, [0], records=2)
    assert counts.squared_l2 == 5
    with pytest.raises(PrivacyParameterError, match="not the root of a whole number"):
        Sensitivity(squared_l2="41/2").squared_in_steps(Grid.of(1))
    with pytest.raises(PrivacyParameterError, match="no l2"):
        Sensitivity(linf=1).squared_in_steps(Grid.of(1))


# Neighbors --------------------------------------------------------------------------------


def test_neighbors_are_read_by_name() -> None:
    assert Neighbors.read("add-remove") is Neighbors.ADD_REMOVE
    assert Neighbors.read("replace") is Neighbors.REPLACE
    assert Neighbors.read(Neighbors.REPLACE) is Neighbors.REPLACE
    assert str(Neighbors.REPLACE) == f"{Neighbors.REPLACE}" == "replace"


@pytest.mark.parametrize("bad", ["add/remove", "", None, 1, [], {"a": 1}, b"replace"])
def test_unknown_neighbors_are_refused_with_both_names(bad: object) -> None:
    with pytest.raises(PrivacyParameterError, match=r"add-remove.*replace"):
        Neighbors.read(bad)


def test_data_in_the_wrong_place_is_not_shown() -> None:
    with pytest.raises(PrivacyParameterError) as failure:
        Neighbors.read(np.array([41, 42, 43]))
    assert "42" not in str(failure.value)
    assert "ndarray" in str(failure.value)
