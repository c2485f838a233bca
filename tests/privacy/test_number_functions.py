"""Functions of released numbers: their values, and intervals that hold that of the truth."""

import math
import random
from collections.abc import Callable
from fractions import Fraction
from math import inf, isnan, nextafter
from typing import Any

import pytest

import discreet as dp
from discreet.errors import DataError
from discreet.privacy.estimates import Estimate, LinearError, NoiseDraw, Payment
from discreet.privacy.losses import PureDP
from discreet.privacy.number_functions import (
    ABSOLUTE,
    DECIMAL_LOGARITHM,
    EXPONENTIAL,
    FLOOR,
    LOGARITHM,
    SQUARE_ROOT,
    NumberFunction,
    clipping,
    power,
    rounding,
)

Twin = Callable[[float], float]
FUNCTIONS: dict[str, tuple[NumberFunction, Twin]] = {
    "abs": (ABSOLUTE, abs),
    "floor": (FLOOR, math.floor),
    "sqrt": (SQUARE_ROOT, math.sqrt),
    "ln": (LOGARITHM, math.log),
    "log10": (DECIMAL_LOGARITHM, math.log10),
    "exp": (EXPONENTIAL, math.exp),
    "clip": (clipping(Fraction(-1), Fraction(7, 2)), lambda x: min(max(x, -1.0), 3.5)),
    "round": (rounding(1), lambda x: math.floor(Fraction(x) * 10 + Fraction(1, 2)) / 10),
    "tens": (rounding(-1), lambda x: math.floor(x / 10 + 0.5) * 10),
    "square": (power(Fraction(2)), lambda x: x**2),
    "cube": (power(Fraction(3)), lambda x: x**3),
    "inverse": (power(Fraction(-1)), lambda x: 1 / x),
    "inverse square": (power(Fraction(-2)), lambda x: x**-2),
    "3/2": (power(Fraction(3, 2)), lambda x: math.pow(x, 1.5)),
    "-1/2": (power(Fraction(-1, 2)), lambda x: math.pow(x, -0.5)),
}


def twin_value(twin: Twin, number: float) -> float | None:
    try:
        return float(twin(number))
    except (ValueError, ZeroDivisionError):
        return None


@pytest.mark.parametrize("name", FUNCTIONS)
def test_bounds_hold_the_function_of_every_number_between_them_and_no_more(name: str) -> None:
    function, twin = FUNCTIONS[name]
    drawn = random.Random(name)
    for _ in range(300):
        low = drawn.choice([0.0, drawn.uniform(-20, 20), float(drawn.randrange(-9, 9))])
        high = low + drawn.choice([0.0, drawn.uniform(0, 30)])
        least, most = function.bounds((low, high))
        inside = [low, high, *(drawn.uniform(low, high) for _ in range(60))]
        inside += [at for at in (0.0, math.floor(high)) if low <= at <= high]
        values = [one for at in inside if (one := twin_value(twin, at)) is not None]
        for value in values:
            slack = 4 * math.ulp(value)  # the twin's own error
            assert least - slack <= value <= most + slack
        if low > 0:  # each is monotone there, so that the ends are reached
            assert least == pytest.approx(min(values), rel=1e-12)
            assert most == pytest.approx(max(values), rel=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_value_is_the_nearest_float_and_lies_within_the_bounds_of_its_point(name: str) -> None:
    function, twin = FUNCTIONS[name]
    drawn = random.Random(name)
    for _ in range(300):
        number = drawn.choice([drawn.uniform(-20, 20), drawn.randrange(-9, 700)])
        value, expected = function.value(number), twin_value(twin, number)
        if expected is None:
            assert isnan(value)
            continue
        assert value == pytest.approx(expected, rel=1e-14)
        least, most = function.bounds((number, number))
        assert least <= value <= most
        assert most <= nextafter(nextafter(least, inf), inf)


def test_roots_and_logarithms_are_rounded_outward() -> None:
    least, most = SQUARE_ROOT.bounds((2.0, 2.0))
    assert Fraction(least) ** 2 < 2 < Fraction(most) ** 2
    assert SQUARE_ROOT.bounds((4.0, 9.0)) == (2.0, 3.0)
    assert LOGARITHM.bounds((1.0, 1.0)) == (0.0, 0.0)
    nearest = (math.sqrt(2.0), math.sqrt(2.0))  # the control: one of both sides is missed
    assert not Fraction(nearest[0]) ** 2 < 2 < Fraction(nearest[1]) ** 2


def test_where_nothing_is_known_nothing_is_said() -> None:
    assert LOGARITHM.bounds((-3.0, 5.0))[0] == -inf
    assert LOGARITHM.bounds((-3.0, -1.0)) == (-inf, inf)
    assert SQUARE_ROOT.bounds((-3.0, 4.0)) == (0.0, 2.0)
    assert power(Fraction(-1)).bounds((-3.0, 4.0)) == (-inf, inf)
    assert power(Fraction(-1)).bounds((0.0, 4.0)) == (0.25, inf)
    assert power(Fraction(2)).bounds((-3.0, 2.0)) == (0.0, 9.0)
    assert ABSOLUTE.bounds((-3.0, 2.0)) == (0.0, 3.0)
    assert EXPONENTIAL.bounds((-inf, inf)) == (0.0, inf)
    assert EXPONENTIAL.bounds((0.0, 1e9))[1] == inf
    assert EXPONENTIAL.value(1e9) == inf


def measured(value: float) -> Estimate:
    mechanism = dp.Laplace(scale=10)
    return Estimate(
        value=value,
        error=LinearError(((Fraction(1), NoiseDraw(mechanism)),)),
        releases=(Payment(PureDP(epsilon=Fraction(1, 10))),),
        mechanism=mechanism,
        neighbors="add-remove",
    )


@pytest.mark.parametrize(
    ("made", "twin"),
    [
        (lambda one: one.sqrt(), math.sqrt),
        (lambda one: one.log(), math.log),
        (lambda one: one.log10(), math.log10),
        (lambda one: (one / 50).exp(), lambda x: math.exp(x / 50)),
        (lambda one: one**2, lambda x: x**2),
        (lambda one: one**-1, lambda x: 1 / x),
        (lambda one: abs(one - 90), lambda x: abs(x - 90)),
        (lambda one: (one / 7).round(1), lambda x: math.floor(x / 0.7 + 0.5) / 10),
        (lambda one: (one / 7).floor(), lambda x: math.floor(x / 7)),
        (lambda one: one.clip(80, 120), lambda x: min(max(x, 80), 120)),
    ],
)
def test_the_interval_holds_the_function_of_the_truth_as_often_as_it_says(
    made: Callable[[Estimate], Any], twin: Twin
) -> None:
    """Over the exact law of the noise: no draw, no chance of a false alarm."""
    truth, law = 100, dp.Laplace(scale=10)
    held = missed_without_noise = 0.0
    for noise in range(-400, 401):
        estimate, chance = made(measured(truth + noise)), float(law.pmf(noise))
        low, high = estimate.interval()
        held += chance * (low <= twin(truth) <= high or isnan(estimate.value))
        missed_without_noise += chance * (estimate.value != pytest.approx(twin(truth), rel=1e-9))
    assert held >= 0.95 - 1e-9
    assert missed_without_noise > 0.05  # the control: the value by itself is no interval


def test_a_function_costs_nothing_and_keeps_what_was_known() -> None:
    one = measured(100)
    assert one.sqrt().loss == one.loss
    assert (one - one).exp().exact
    assert (one - one).exp().value == 1
    assert one.log().interval(0.5) == LOGARITHM.bounds(one.interval(0.5))


def test_ranks_stay_where_the_order_does() -> None:
    largest = dp.max([1.0, 2.0, 3.0], bounds=(0, 9), epsilon=1)
    assert largest.sqrt().rank_error == largest.rank_error
    assert (largest**2).rank_error == inf
    assert largest.round(1).rank_error == inf
    middle = dp.median(list(range(100)), bounds=(0, 100), epsilon=1)
    assert middle.sqrt().rank_error == middle.rank_error
    assert middle.round().rank_error is None


@pytest.mark.parametrize(
    "asked",
    [
        lambda one: one.round(0.5),
        lambda one: one.round(99),
        lambda one: one.clip(3, 3),
        lambda one: one**101,
    ],
)
def test_what_has_no_meaning_is_refused_with_a_remedy(asked: Callable[[Estimate], Any]) -> None:
    with pytest.raises(DataError, match=r"Write (estimate \*\* 2|\.round|\.clip)"):
        asked(measured(100))


def test_texts_have_no_functions() -> None:
    common = dp.most_common(["a", "b", "a"], categories=["a", "b"], epsilon=5)
    with pytest.raises(DataError, match="is a text"):
        common.log()
