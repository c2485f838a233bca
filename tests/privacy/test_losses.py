"""Losses: what they mean, how they add up, and that every conversion errs on the safe side."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from itertools import product
from math import exp, log, sqrt
from operator import add
from time import process_time

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from discreet.errors import PrivacyParameterError
from discreet.exact.normal import gaussian_delta
from discreet.privacy.losses import (
    ApproximateDP,
    PureDP,
    TotalVariation,
    ZeroConcentratedDP,
    concentrated_epsilon,
    rounded_up,
)
from tests.support.cases import each

EPSILONS = st.fractions(0, 30, max_denominator=10**6)
DELTAS = st.one_of(
    st.fractions(0, 1, max_denominator=10**6),
    st.builds(lambda power: Fraction(1, 10**power), st.integers(1, 60)),
)
POSITIVE_DELTAS = DELTAS.filter(lambda delta: 0 < delta < 1)


def real(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def just_above(found: Fraction, truth: mpmath.mpf) -> bool:
    """Whether a rounded loss is not below the truth and not far above it."""
    return bool(truth <= real(found) * (1 + mpmath.mpf(2) ** -380)) and bool(
        real(found) <= truth + (truth + 1) * mpmath.mpf(2) ** -80
    )


# Adding up --------------------------------------------------------------------------------


def test_losses_add_up_exactly() -> None:
    tenth = PureDP(epsilon=0.1)
    assert reduce(add, [tenth] * 10) == PureDP(epsilon=1)
    tiny = PureDP(epsilon="1e-17")
    assert reduce(add, [tiny] * 30_000).epsilon == Fraction(3, 10**13)
    both = ApproximateDP(epsilon=1, delta="1e-6") + PureDP(epsilon=2)
    assert both == PureDP(epsilon=2) + ApproximateDP(epsilon=1, delta="1e-6")
    assert both == ApproximateDP(epsilon=3, delta="1e-6")
    half = ZeroConcentratedDP(rho="1/2")
    assert half + half == ZeroConcentratedDP(rho=1)
    assert TotalVariation(delta="0.7") + TotalVariation(delta="0.7") == TotalVariation(delta=1)


@pytest.mark.slow
@given(st.lists(st.fractions(0, 5, max_denominator=10**9), min_size=1, max_size=20))
def test_the_order_of_a_sum_does_not_matter(values: list[Fraction]) -> None:
    forward = reduce(add, [PureDP(epsilon=value) for value in values])
    backward = reduce(add, [PureDP(epsilon=value) for value in reversed(values)])
    assert forward == backward == PureDP(epsilon=sum(values, Fraction(0)))


def test_a_sum_that_grows_too_long_is_rounded_up() -> None:
    """Without rounding the denominator would be the product of all of them."""
    primes = [n for n in range(2, 6000) if all(n % d for d in range(2, int(n**0.5) + 1))]
    total = reduce(add, [PureDP(epsilon=Fraction(1, n)) for n in primes])
    truth = sum((Fraction(1, n) for n in primes), Fraction(0))
    assert truth <= total.epsilon <= truth * (1 + Fraction(1, 2**1000))
    assert total.epsilon.denominator.bit_length() <= 4096


@given(st.fractions(min_value=0).filter(bool), st.integers(1, 200))
def test_rounding_up_never_rounds_down(value: Fraction, bits: int) -> None:
    found = rounded_up(value, bits)
    assert value <= found <= value * (1 + Fraction(1, 2 ** (bits - 2)) if bits > 2 else 9)


def test_rounding_up_keeps_the_tiniest_above_zero() -> None:
    tiny = Fraction(1, 3**5000)
    assert 0 < tiny < rounded_up(tiny) <= Fraction(1, 2**4000)


def test_losses_of_different_kinds_do_not_add() -> None:
    losses = [
        PureDP(epsilon=1),
        ZeroConcentratedDP(rho=1),
        TotalVariation(delta="1/2"),
    ]
    for first, second in product(losses, losses):
        if type(first) is not type(second):
            with pytest.raises(TypeError):
                first + second  # type: ignore[operator]
    with pytest.raises(TypeError):
        ApproximateDP(epsilon=1, delta=0) + ZeroConcentratedDP(rho=1)  # type: ignore[operator]


# Conversions ------------------------------------------------------------------------------


@given(EPSILONS, DELTAS)
def test_total_variation_is_that_of_the_worst_pair(epsilon: Fraction, delta: Fraction) -> None:
    """(P, Q) with a revealing outcome of probability δ on each side and a bit kept with e^ε."""
    with mpmath.workprec(400):
        kept = mpmath.exp(real(epsilon)) / (1 + mpmath.exp(real(epsilon)))
        first = [real(delta), (1 - real(delta)) * kept, (1 - real(delta)) * (1 - kept), 0]
        distance = sum(abs(a - b) for a, b in zip(first, first[::-1], strict=True)) / 2
        found = ApproximateDP(epsilon=epsilon, delta=delta).to_total_variation().delta
        assert just_above(found, distance)
        pure = PureDP(epsilon=epsilon).to_total_variation().delta
        assert just_above(pure, 2 * kept - 1)


def test_conversions_that_lose_nothing_are_exact() -> None:
    assert PureDP(epsilon=0).to_total_variation() == TotalVariation(delta=0)
    assert PureDP(epsilon="1/3").to_approximate() == ApproximateDP(epsilon="1/3", delta=0)
    assert PureDP(epsilon="1/3").to_zcdp() == ZeroConcentratedDP(rho="1/18")
    assert TotalVariation(delta="1/3").to_approximate() == ApproximateDP(epsilon=0, delta="1/3")
    there = ApproximateDP(epsilon=0, delta="1/3").to_total_variation()
    assert there == TotalVariation(delta="1/3")


@given(st.fractions(Fraction(1, 1000), 8, max_denominator=1000), st.integers(2, 60))
def test_pure_privacy_is_concentrated_as_stated(epsilon: Fraction, tenths: int) -> None:
    """The worst ε-DP pair is randomized response; its Rényi divergence stays below ρ·α."""
    order = mpmath.mpf(1) + mpmath.mpf(tenths) / 10
    with mpmath.workprec(200):
        kept = mpmath.exp(real(epsilon)) / (1 + mpmath.exp(real(epsilon)))
        moment = kept**order * (1 - kept) ** (1 - order) + (1 - kept) ** order * kept ** (1 - order)
        divergence = mpmath.log(moment) / (order - 1)
        assert divergence <= real(PureDP(epsilon=epsilon).to_zcdp().rho) * order


@pytest.mark.slow
@given(
    st.one_of(
        st.fractions(Fraction(1, 10**6), 50, max_denominator=10**6),
        st.builds(lambda power: Fraction(1, 10**power), st.integers(1, 40)),
    ),
    POSITIVE_DELTAS,
)
def test_zcdp_never_promises_more_than_a_gaussian_keeps(rho: Fraction, delta: Fraction) -> None:
    """N(0, 1) and N(√(2ρ), 1) are exactly ρ-zCDP: their δ at the converted ε is at most δ."""
    epsilon = ZeroConcentratedDP(rho=rho).to_approximate(delta=delta).epsilon
    with mpmath.workprec(800):
        shift, e = mpmath.sqrt(2 * real(rho)), real(epsilon)
        tail = mpmath.erfc((e / shift - shift / 2) / mpmath.sqrt(2)) / 2
        other = mpmath.erfc((e / shift + shift / 2) / mpmath.sqrt(2)) / 2
        assert tail - mpmath.exp(e) * other <= real(delta)


@each("rho", [1e-6, 0.01, 0.02436, 0.5, 3.0, 40.0])
@each("delta", [0.1, 1e-3, 1e-6, 1e-15])
def test_zcdp_converts_at_the_best_order(rho: float, delta: float) -> None:
    def bound(power: float) -> float:
        order = 1 + 2.0**power
        return rho * order + log(1 / (order * delta)) / (order - 1) + log(1 - 1 / order)

    best = min(
        float(minimize_scalar(bound, bounds=(low, low + 6), method="bounded").fun)
        for low in range(-30, 40, 5)
    )
    found = ZeroConcentratedDP(rho=rho).to_approximate(delta=delta)
    assert found.delta == Fraction(str(delta))
    assert float(found.epsilon) == pytest.approx(max(0.0, best), rel=1e-9, abs=1e-12)
    simple = rho + 2 * sqrt(rho * log(1 / delta))
    assert float(found.epsilon) <= simple


def test_zcdp_conversion_stays_sound_far_out() -> None:
    million = Fraction(1, 10**6)
    for rho in (Fraction(10) ** 40, Fraction(10) ** 300, Fraction(10) ** 400):
        epsilon = concentrated_epsilon(rho, million)
        assert rho < epsilon < rho * (1 + Fraction(1, 1000))
    assert concentrated_epsilon(Fraction(1, 10**400), million) == 0
    assert concentrated_epsilon(Fraction(0), million) == 0
    assert (
        0 < concentrated_epsilon(Fraction(1, 10**400), Fraction(1, 10**300)) < Fraction(1, 10**90)
    )


@given(st.fractions(Fraction(1, 10**6), 40, max_denominator=10**6))
def test_zcdp_bounds_the_total_variation_of_a_gaussian(rho: Fraction) -> None:
    found = ZeroConcentratedDP(rho=rho).to_total_variation().delta
    with mpmath.workprec(400):
        distance = mpmath.erf(mpmath.sqrt(real(rho)) / 2)
        assert distance <= real(found)
        pinsker = mpmath.sqrt(real(rho) / 2)
        huber = mpmath.sqrt(1 - mpmath.exp(-real(rho)))
        assert just_above(found, min(pinsker, huber))


def test_a_rule_that_promised_too_much_would_be_seen() -> None:
    """The negative control: ε = ρ + √(ρ·ln(1/δ)), half of what is due, breaks the check."""
    rho, delta = Fraction(1, 2), Fraction(1, 10**6)
    wrong = rho + Fraction(sqrt(rho * log(10**6)))
    low, _ = gaussian_delta(wrong, Fraction(1), Fraction(1), 96)
    assert Fraction(low, 1 << 96) > delta


# Groups -----------------------------------------------------------------------------------


@given(EPSILONS, DELTAS, st.integers(1, 12))
def test_groups_lose_what_the_naive_sum_says(epsilon: Fraction, delta: Fraction, size: int) -> None:
    found = ApproximateDP(epsilon=epsilon, delta=delta).for_group(size)
    assert found.epsilon == size * epsilon
    with mpmath.workprec(400):
        truth = real(delta) * sum(mpmath.exp(real(epsilon) * step) for step in range(size))
        if truth >= 1:
            assert found.delta == 1
        else:
            assert just_above(found.delta, truth)


def test_groups_of_every_kind() -> None:
    assert PureDP(epsilon="0.1").for_group(30) == PureDP(epsilon=3)
    assert ZeroConcentratedDP(rho="0.1").for_group(10) == ZeroConcentratedDP(rho=10)
    assert TotalVariation(delta="0.01").for_group(30) == TotalVariation(delta="0.3")
    pure = ApproximateDP(epsilon=1, delta=0).for_group(10**6)
    assert pure == ApproximateDP(epsilon=10**6, delta=0), "no δ comes from no δ"
    tiny = ApproximateDP(epsilon="1e-300", delta="1e-20").for_group(10**6)
    assert Fraction(1, 10**14) <= tiny.delta <= Fraction(1, 10**14) * (1 + Fraction(1, 10**20))
    assert ApproximateDP(epsilon=1, delta="1e-300").for_group(10**9).delta == 1
    one = ApproximateDP(epsilon=2, delta="1e-6")
    assert one.for_group(1).delta == one.delta


def test_a_group_pays_no_more_than_its_bound_by_enumeration() -> None:
    """Three people, one after the other: the chain of worst (ε,δ) pairs stays within the bound."""
    epsilon, delta = 0.5, 0.01
    kernel = np.array([[1 - delta, delta, 0.0], [0.0, 1.0, 0.0]])
    kept = exp(epsilon)
    laws = [np.array([0.2, 0.8])]
    for _ in range(3):  # the most that each step may take away from the first outcome
        laws.append(np.array([(laws[-1][0] - delta) / kept, 1 - (laws[-1][0] - delta) / kept]))
    bound = ApproximateDP(epsilon=epsilon, delta=delta).for_group(3)
    assert laws[0][0] <= exp(float(bound.epsilon)) * laws[3][0] + float(bound.delta) + 1e-12
    assert laws[0][0] == pytest.approx(
        exp(float(bound.epsilon)) * laws[3][0] + float(bound.delta), rel=1e-12
    ), "and the bound is met with equality"
    assert kernel.sum() == 2


@pytest.mark.parametrize("size", [0, -1, 2.5, "2", None, True, np.array([1, 2])])
def test_a_group_has_a_whole_number_of_members(size: object) -> None:
    losses = (
        PureDP(epsilon=1),
        ApproximateDP(epsilon=1, delta=0),
        ZeroConcentratedDP(rho=1),
        TotalVariation(delta=0),
    )
    for loss in losses:
        with pytest.raises(PrivacyParameterError, match="whole number above 0"):
            loss.for_group(size)  # type: ignore[arg-type]


# Reading ----------------------------------------------------------------------------------

MAKERS: list[Callable[[object], object]] = [
    lambda value: PureDP(epsilon=value),  # type: ignore[arg-type]
    lambda value: ApproximateDP(epsilon=value, delta=0),  # type: ignore[arg-type]
    lambda value: ApproximateDP(epsilon=0, delta=value),  # type: ignore[arg-type]
    lambda value: ZeroConcentratedDP(rho=value),  # type: ignore[arg-type]
    lambda value: TotalVariation(delta=value),  # type: ignore[arg-type]
]


@each("make", MAKERS)
@each("zero", [0, 0.0, -0.0, "0", "0.0", Decimal(0), np.float64(0)])
def test_nothing_is_a_loss_however_it_is_written(
    make: Callable[[object], object], zero: object
) -> None:
    assert make(zero) == make(0)


@each("make", MAKERS)
@each(
    "bad", [-1, "-0.1", float("nan"), float("inf"), None, True, False, 0j, 1j, "abc", [0], 10**4000]
)
def test_what_is_not_a_loss_is_refused_quickly(
    make: Callable[[object], object], bad: object
) -> None:
    def seconds() -> float:
        start = process_time()
        with pytest.raises(PrivacyParameterError):
            make(bad)
        return process_time() - start

    assert min(seconds() for _ in range(3)) < 0.1  # once in a while garbage is collected meanwhile


def test_zcdp_needs_a_delta_to_convert() -> None:
    with pytest.raises(PrivacyParameterError, match="needs a δ above 0"):
        ZeroConcentratedDP(rho=1).to_approximate(delta=0)
    with pytest.raises(PrivacyParameterError, match="below 1"):
        ZeroConcentratedDP(rho=1).to_approximate(delta=1)


def test_losses_show_themselves() -> None:
    assert str(PureDP(epsilon=0.1)) == "ε = 0.1"
    assert str(ApproximateDP(epsilon=1, delta=1e-6)) == "ε = 1, δ = 1e-06"
    assert str(ZeroConcentratedDP(rho="1/8")) == "ρ = 0.125"
    assert str(TotalVariation(delta="1/3")) == "TV = 1/3"
    assert repr(TotalVariation(delta="1/3")) == "TotalVariation(delta=1/3)"
