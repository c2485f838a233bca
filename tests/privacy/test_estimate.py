"""Errors, prices and warnings are carried through arithmetic."""

import itertools
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DataError
from discreet.mechanisms import Gaussian, Laplace
from discreet.privacy.estimates import Estimate, Payment, payments_loss
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.uncertainty import (
    BoundedError,
    LinearError,
    NoiseDraw,
    RankError,
    combined_margin,
)

LEVEL = Fraction(95, 100)
MARGIN = Laplace(scale=1).accuracy(0.95)


def estimate(value: Any, error: Any = None, **how: Any) -> Estimate:
    """A count with noise of its own, unless another error is given."""
    defaults = {
        "error": error or LinearError(((Fraction(1), NoiseDraw(Laplace(scale=1))),)),
        "releases": (Payment(PureDP(epsilon=1)),),
        "mechanism": Laplace(scale=1),
        "neighbors": "add-remove",
    }
    return Estimate(value=value, **{**defaults, **how})


def between(low: float, high: float) -> BoundedError:
    """An error whose bounds widen with the confidence."""
    return BoundedError(lambda level: (low - float(level), high + float(level)))


# ---------------------------------------------------------------------- what it says


def test_an_estimate_has_a_value_bounds_and_a_price():
    count = estimate(10_003)
    assert (count.value, count.lower, count.upper, count.margin) == (10_003, 10_000, 10_006, MARGIN)
    assert count.interval(0.99) == (9_999, 10_007)
    assert count.loss == PureDP(epsilon=1)
    assert (float(count), int(count), f"{count:.1f}", f"{count:,}") == (
        10_003.0,
        10_003,
        "10003.0",
        "10,003",
    )
    assert repr(count) == "10,003 ± 3 (95%)   ε = 1"
    assert f"{count}" == str(count)


def test_the_margin_is_the_larger_half_width():
    skewed = estimate(5.0, BoundedError(lambda _: (4.0, 8.0)))
    assert (skewed.lower, skewed.upper, skewed.margin) == (4.0, 8.0, 3.0)


def test_an_estimate_of_a_rank_has_no_interval_and_says_so():
    median = estimate(41.5, RankError(23.8))
    assert (median.lower, median.upper, median.margin, median.rank_error) == (
        None,
        None,
        None,
        23.8,
    )
    assert "41.5 rank ± 24 (95%)" in repr(median)
    with pytest.raises(DataError, match=r"Use \.rank_error"):
        median.interval()


def test_a_category_says_how_far_it_may_be_behind():
    assert "flu behind the fullest by at most 5 (95%)" in repr(
        estimate("flu", RankError(5, behind=True))
    )


@pytest.mark.parametrize("confidence", [0, 1, -1, 2, "95%", None, math.nan])
def test_a_confidence_without_meaning_is_refused(confidence):
    with pytest.raises((DataError, ValueError), match="confidence"):
        estimate(1).interval(confidence)


def test_seeded_noise_is_marked_whatever_is_made_of_it():
    unsafe, safe = estimate(1, safe=False), estimate(2)
    for made in (unsafe, unsafe + 1, 2 * unsafe, unsafe + safe, safe - unsafe, safe / unsafe):
        assert not made.safe
        assert "UNSAFE" in repr(made)
    assert (safe * safe).safe


# ---------------------------------------------------------------------- with numbers


NUMBERS = [3, 2.5, Decimal("2.5"), Fraction(1, 3), np.int64(4), np.float64(0.5), -2, 0]


@pytest.mark.parametrize("number", NUMBERS, ids=repr)
def test_a_number_moves_the_value_and_scales_the_margin(number):
    count, exact = estimate(12), Fraction(str(number))
    for made, value, factor in (
        (count + number, 12 + exact, 1),
        (number + count, 12 + exact, 1),
        (count - number, 12 - exact, 1),
        (number - count, exact - 12, 1),
        (count * number, 12 * exact, abs(exact)),
        (number * count, 12 * exact, abs(exact)),
    ):
        assert made.value == pytest.approx(float(value))
        assert made.margin == pytest.approx(float(MARGIN * factor))
        assert made.loss == count.loss
    if exact:
        divided = count / number
        assert divided.value == pytest.approx(float(12 / exact))
        assert divided.margin == pytest.approx(float(MARGIN / abs(exact)))


def test_integers_stay_integers():
    count = estimate(12)
    for made in (count + 1, count - Fraction(3), 5 - count, count * 2, -count, count + count):
        assert type(made.value) is int
        assert type(made.margin) is int
    assert type((count / 2).value) is float
    assert (estimate(10**30) + 1).value == 10**30 + 1
    assert (estimate(10**30) * Fraction(1, 3)).value == pytest.approx(10**30 / 3)


@pytest.mark.parametrize("wrong", ["3", None, True, [1], math.nan, math.inf, 1j, np.array([1, 2])])
def test_what_is_no_number_is_not_added(wrong):
    for combine in (
        lambda: estimate(1) + wrong,
        lambda: wrong - estimate(1),
        lambda: estimate(1) * wrong,
        lambda: wrong / estimate(1),
    ):
        with pytest.raises(TypeError):
            combine()


def test_dividing_by_zero_is_pythons_error():
    with pytest.raises(ZeroDivisionError):
        estimate(1) / 0


def test_categories_are_not_added_up():
    flu, cold = estimate("flu", RankError(5)), estimate("cold", RankError(5))
    for combine in (lambda: flu + cold, lambda: flu + 1, lambda: flu * 2, lambda: -flu):
        with pytest.raises(DataError, match="category"):
            combine()


# ---------------------------------------------------------------------- with each other


def test_independent_noises_add_up_as_their_convolution():
    first, second = estimate(5), estimate(8)
    together = combined_margin([(Fraction(1), Laplace(scale=1))] * 2, LEVEL)
    for made, value in ((first + second, 13), (first - second, -3), (second - first, 3)):
        assert (made.value, made.margin) == (value, together)
        assert made.loss == PureDP(epsilon=2)
        assert len(made.releases) == 2


def test_an_estimate_minus_itself_is_exactly_nothing():
    for one in (estimate(5), estimate(5.0, between(4, 6)), estimate(3) + estimate(4)):
        nothing = one - one
        assert (nothing.value, nothing.lower, nothing.upper) == (0, 0, 0)
        assert nothing.loss == one.loss


def test_a_draw_that_is_in_both_terms_is_counted_once():
    first, second, third = estimate(1), estimate(2), estimate(3)
    assert ((first + second) - second).margin == first.margin
    assert ((first + second) + (first - second)).margin == 2 * MARGIN
    chain = (first + second + third) - (second + third)
    assert (chain.value, chain.margin) == (1, MARGIN)
    assert (2 * (first + second) - 2 * first - 2 * second).margin == 0
    assert ((first + second) * 0).margin == 0


def test_builtin_sum_adds_estimates():
    total = sum(estimate(k) for k in range(100))
    assert (total.value, total.margin) == (4950, 27)
    assert total.loss == PureDP(epsilon=100)
    assert total.mechanism == Laplace(scale=1) or len(total.mechanism) <= 100


def test_cells_of_one_release_cost_it_once():
    release = Payment(PureDP(epsilon=1))
    cells = [estimate(k, releases=(release,)) for k in range(5)]
    assert sum(cells).loss == PureDP(epsilon=1)
    assert (cells[0] / cells[1] + estimate(1)).loss == PureDP(epsilon=2)


def test_losses_of_both_kinds_add_up():
    gaussian = Payment(ApproximateDP(epsilon=1, delta=Fraction(1, 10**6)))
    pure = Payment(PureDP(epsilon=Fraction(1, 2)))
    expected = ApproximateDP(epsilon=Fraction(3, 2), delta=Fraction(1, 10**6))
    assert payments_loss((gaussian, pure)) == payments_loss((pure, gaussian)) == expected
    assert payments_loss((pure, pure, gaussian, pure)) == expected
    assert payments_loss(()) == PureDP(epsilon=0)


def test_relations_are_not_mixed():
    with pytest.raises(DataError, match="under one relation"):
        estimate(1) + estimate(2, neighbors="replace")
    with pytest.raises(DataError, match="under one relation"):
        estimate(1) / estimate(2, neighbors="replace")


def test_notes_and_mechanisms_are_kept():
    first = estimate(1, note="Clipped.", mechanism="a")
    second = estimate(2, note="Rounded.", mechanism="b")
    made = first + second - first
    assert made.note == "Clipped. Rounded."
    assert made.mechanism == ("a", "b")


def test_noise_of_different_families_is_combined():
    normal = LinearError(((Fraction(1), NoiseDraw(Gaussian(sigma=4))),))
    together = estimate(5) + estimate(9, normal)
    assert Gaussian(sigma=4).accuracy(0.95) <= together.margin <= 12


# ---------------------------------------------------------------------- products and quotients


ends = st.tuples(st.floats(-100, 100), st.floats(0, 50)).map(lambda e: (e[0], e[0] + e[1]))


@given(first=ends, second=ends, x=st.floats(0, 1), y=st.floats(0, 1))
def test_bounds_of_products_and_quotients_hold_what_they_must(first, second, x, y):
    a, b = (
        estimate(sum(pair) / 2, BoundedError(lambda _, pair=pair: pair)) for pair in (first, second)
    )
    left, right = first[0] + x * (first[1] - first[0]), second[0] + y * (second[1] - second[0])
    slack = 1e-9 * (1 + abs(left)) * (1 + abs(right))
    assert (a * b).lower - slack <= left * right <= (a * b).upper + slack
    assert (a + b).lower - slack <= left + right <= (a + b).upper + slack
    assert (a - b).lower - slack <= left - right <= (a - b).upper + slack
    quotient = (a / b).interval()
    if second[0] < 0 < second[1] or second == (0, 0):
        assert quotient == (-math.inf, math.inf)
    elif abs(right) > 1e-3:
        slack /= right * right
        assert quotient[0] - slack <= left / right <= quotient[1] + slack


def test_both_sides_of_a_product_hold_at_once():
    asked = []

    def bounds(level: Fraction) -> tuple[float, float]:
        asked.append(level)
        return 1.0, 2.0

    side = BoundedError(bounds)
    (estimate(1.5, side) * estimate(1.5, side)).interval(0.9)
    assert asked == [Fraction(95, 100)] * 2


COMBINED: dict[str, Any] = {
    "x*y": lambda x, y: x * y,
    "x/y": lambda x, y: x / y,
    "x - 2y": lambda x, y: x - 2 * y,
    "x*y + x": lambda x, y: x * y + x,
    "(x+y)*(x-y)": lambda x, y: (x + y) * (x - y),
}


def coverage(truth: tuple[int, int], name: str, level: Fraction) -> float:
    """The chance that an interval holds the truth: the sum over every pair of draws."""
    q, reach = math.exp(-1), 18
    law = {k: (1 - q) / (1 + q) * q ** abs(k) for k in range(-reach, reach + 1)}
    exact = COMBINED[name](*map(Fraction, truth))
    held = 0.0
    for (first, one), (second, other) in itertools.product(law.items(), repeat=2):
        made = COMBINED[name](estimate(truth[0] + first), estimate(truth[1] + second))
        lower, upper = made.interval(level)
        held += one * other * (lower <= exact <= upper)
    return held


@pytest.mark.parametrize("truth", [(3, 5), (0, 4), (-2, 7), (20, 11)])
@pytest.mark.parametrize("name", COMBINED)
def test_the_chance_that_an_interval_holds_is_at_least_what_it_says(name, truth):
    level = Fraction(3, 4)
    assert coverage(truth, name, level) >= level


def test_intervals_that_are_too_narrow_do_not_hold_so_often():
    made_for, level = Fraction(1, 4), Fraction(3, 4)
    assert coverage((20, 11), "x - 2y", made_for) < level


def test_a_quotient_by_what_may_be_zero_has_no_bounds():
    quotient = estimate(5) / estimate(1)
    assert (quotient.value, quotient.lower, quotient.upper) == (5.0, -math.inf, math.inf)
    assert "∞" in repr(quotient)
    assert math.isnan((estimate(5) / estimate(0)).value)
    assert (1 / estimate(0)).interval() == (-math.inf, math.inf)


def test_a_number_over_an_estimate():
    rate = 100 / estimate(50)
    assert rate.value == 2.0
    assert rate.interval() == pytest.approx((100 / 53, 100 / 47))
    assert rate.loss == PureDP(epsilon=1)


def test_ranks_survive_a_change_of_unit_and_nothing_else():
    median = estimate(41.5, RankError(24))
    assert (median * 2).rank_error == (median + 1).rank_error == (-median).rank_error == 24
    assert (median - estimate(20.0, RankError(24))).rank_error == math.inf
    assert (median + estimate(3)).rank_error == math.inf


def test_ratios_of_counts_cover_the_truth_as_often_as_they_say():
    noise = Laplace(scale=2)
    draws = np.asarray(noise(np.tile([400, 900], 2000))).reshape(-1, 2).tolist()

    def misses(scale: object) -> int:
        error = Laplace(scale=scale)
        counted = 0
        for top, bottom in draws:
            sides = [
                estimate(value, LinearError(((Fraction(1), NoiseDraw(error)),)))
                for value in (top, bottom)
            ]
            low, high = (sides[0] / sides[1]).interval()
            counted += not low <= 400 / 900 <= high
        return counted

    assert misses(2) <= 151  # one in ten million if each misses with probability 5%
    assert misses("1/2") > 151  # the control: margins of too little noise


@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_numbers_beyond_the_floats_do_not_raise(value):
    big = estimate(value)
    assert (big + 1).value == value + 1
    assert abs((big * 0.5).value) == math.inf
    assert repr(big)
    assert (
        estimate(1.5, LinearError(((Fraction(10) ** 400, NoiseDraw(Laplace(scale=1))),)))
    ).interval() == (
        -math.inf,
        math.inf,
    )
