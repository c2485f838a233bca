"""Rényi moments against numerical integrals, and the best ρ of pure events."""

from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.accounting import renyi_epsilon, zcdp_epsilon
from discreet.accounting.renyi import log_moment
from discreet.accounting.zcdp import concentration, pure_rho
from discreet.errors import PrivacyParameterError
from discreet.privacy.events import (
    ApproximateEvent,
    BoundedRangeEvent,
    ConcentratedEvent,
    DiscreteGaussianEvent,
    DiscreteLaplaceEvent,
    GaussianEvent,
    LaplaceEvent,
    PureEvent,
    RandomizedResponseEvent,
    RepeatedEvent,
    SampledEvent,
    SimpleEvent,
)
from discreet.privacy.losses import ZeroConcentratedDP
from tests.support.trials import all_but, examples

ORDERS = [Fraction(101, 100), Fraction(3, 2), Fraction(2), Fraction(5), Fraction(37)]
mp = mpmath.mp.clone()
mp.dps = 40


def number(value: Fraction | int) -> mpmath.mpf:
    return mp.mpf(Fraction(value).numerator) / Fraction(value).denominator


def summed(pair: list[tuple[mpmath.mpf, mpmath.mpf]], order: Fraction) -> mpmath.mpf:
    power = number(order)
    return mp.log(mp.fsum(p**power * q ** (1 - power) for p, q in pair))


def response(epsilon: mpmath.mpf, categories: int) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    odds = mp.exp(epsilon)
    total = odds + categories - 1
    return [
        (odds / total, 1 / total),
        (1 / total, odds / total),
        *[(1 / total, 1 / total)] * (categories - 2),
    ]


def laplace(epsilon: mpmath.mpf, order: Fraction) -> mpmath.mpf:
    power = number(order)

    def density(x: mpmath.mpf) -> mpmath.mpf:
        return mp.exp(-power * abs(x) - (1 - power) * abs(x - epsilon)) / 2

    return mp.log(mp.quad(density, [-mp.inf, 0, epsilon, mp.inf]))


def discrete_laplace(scale: int, shift: int) -> list[tuple[mpmath.mpf, mpmath.mpf]]:
    q = mp.exp(-mp.mpf(1) / scale)
    weight = (1 - q) / (1 + q)
    return [(weight * q ** abs(k), weight * q ** abs(k - shift)) for k in range(-1500, 1500)]


def gaussian(sigma: int, order: Fraction) -> mpmath.mpf:
    power = number(order)

    def density(x: mpmath.mpf) -> mpmath.mpf:
        exponent = -power * x**2 - (1 - power) * (x - 1) ** 2
        return mp.exp(exponent / (2 * sigma**2)) / mp.sqrt(2 * mp.pi) / sigma

    return mp.log(mp.quad(density, mp.linspace(-60, 60, 25)))


def sampled_gaussian(order: Fraction, *, add: bool) -> mpmath.mpf:
    power = number(order)

    def density(x: mpmath.mpf) -> mpmath.mpf:
        plain = mp.npdf(x, 0, 2)
        mixed = plain * mp.mpf("0.9") + mp.npdf(x, 1, 2) * mp.mpf("0.1")
        first, second = (plain, mixed) if add else (mixed, plain)
        return first**power * second ** (1 - power)

    return mp.log(mp.quad(density, mp.linspace(-50, 50, 51)))


TRUTHS: dict[str, tuple[SimpleEvent, Callable[[Fraction], mpmath.mpf]]] = {
    "pure": (PureEvent(epsilon="3/2"), lambda a: summed(response(mp.mpf("1.5"), 2), a)),
    "response": (
        RandomizedResponseEvent(odds=3, categories=7),
        lambda a: summed(response(mp.log(3), 7), a),
    ),
    "Laplace": (LaplaceEvent(scale=2), lambda a: laplace(mp.mpf("0.5"), a)),
    "integer Laplace": (
        DiscreteLaplaceEvent(scale=5, sensitivity=4),
        lambda a: summed(discrete_laplace(5, 4), a),
    ),
    "Gaussian": (GaussianEvent.of(sigma=3), lambda a: gaussian(3, a)),
}


@pytest.mark.parametrize("name", all_but(["pure", "response", "Laplace"], TRUTHS, pytest.mark.slow))
def test_moments_are_the_integrals(name: str) -> None:
    event, truth = TRUTHS[name]
    for order in ORDERS[:-1]:
        bound = log_moment(event, order)
        assert number(bound) >= truth(order) - mp.mpf("1e-20")
        assert number(bound) == pytest.approx(truth(order), rel=1e-12)


@pytest.mark.slow
def test_sampled_moments_cover_both_directions() -> None:
    event = SampledEvent(event=GaussianEvent.of(sigma=2), rate="0.1")
    for order in (Fraction(2), Fraction(5), Fraction(16)):
        bound = number(log_moment(event, order))
        remove, add = sampled_gaussian(order, add=False), sampled_gaussian(order, add=True)
        assert remove >= add
        assert bound >= remove - mp.mpf("1e-20")
        assert bound == pytest.approx(remove, rel=1e-9)


def test_the_moments_of_a_range_cover_every_position() -> None:
    epsilon = mp.mpf("1.5")
    event = BoundedRangeEvent(epsilon="3/2")
    for order in ORDERS[:-1]:
        worst = mp.mpf(0)
        for step in range(1, 100):
            top = epsilon * step / 100
            upper = (mp.exp(epsilon) - mp.exp(top)) / (mp.exp(epsilon) - 1)
            pair = [(upper, upper * mp.exp(-top)), (1 - upper, (1 - upper) * mp.exp(epsilon - top))]
            worst = max(worst, summed(pair, order))
        bound = number(log_moment(event, order))
        assert worst <= bound <= worst * mp.mpf("1.01")
        assert bound <= number(order * (order - 1)) * epsilon**2 / 8


CONCENTRATED = [
    PureEvent(epsilon="1/10"),
    PureEvent(epsilon=1),
    PureEvent(epsilon=5),
    LaplaceEvent(scale="1/4"),
    LaplaceEvent(scale=1),
    LaplaceEvent(scale=20),
    DiscreteLaplaceEvent(scale=1, sensitivity=1),
    DiscreteLaplaceEvent(scale=2, sensitivity=7),
    DiscreteLaplaceEvent(scale=3, sensitivity=4),
    DiscreteLaplaceEvent(scale="1/3", sensitivity=2),
    RandomizedResponseEvent(odds=3),
    RandomizedResponseEvent(odds=9, categories=6),
    RandomizedResponseEvent(odds=9, categories=8),
    RandomizedResponseEvent(odds=2, categories=500),
    BoundedRangeEvent(epsilon=3),
    GaussianEvent.of(sigma=2),
    DiscreteGaussianEvent(variance=3, squared_sensitivity=2, coordinates=2),
]


@pytest.mark.parametrize("event", CONCENTRATED, ids=repr)
def test_rho_bounds_the_divergence_of_every_order(event: SimpleEvent) -> None:
    rho = concentration(event).rho
    slack = Fraction(1, 10**30)
    for power in range(-40, 41):
        order = 1 + Fraction(4, 3) ** power
        assert log_moment(event, order) <= order * (order - 1) * rho + slack


@pytest.mark.parametrize("event", CONCENTRATED[:12], ids=repr)
def test_rho_is_the_least_one(event: SimpleEvent) -> None:
    order = 1 + Fraction(1, 10**9)
    divergence = log_moment(event, order) / (order - 1)
    assert concentration(event).rho <= divergence * (1 + Fraction(1, 10**7))


def test_pure_events_cost_less_than_half_the_square() -> None:
    assert float(pure_rho(Fraction(1))) == pytest.approx(0.4621171573)
    assert pure_rho(Fraction(1, 10**20)) == Fraction(1, 2 * 10**40)
    assert pure_rho(Fraction(0)) == 0


@examples(30)
@given(st.fractions("1/1000", 5, max_denominator=10**4))
def test_pure_rho_lies_between_the_truth_and_half_the_square(epsilon: Fraction) -> None:
    rho = number(pure_rho(epsilon))
    truth = number(epsilon) * mp.tanh(number(epsilon) / 2)
    assert truth <= rho <= truth * (1 + mp.mpf("1e-15"))
    assert rho <= number(epsilon) ** 2 / 2


def test_conversions_agree() -> None:
    # The Rényi accountant on a zCDP event is the zCDP accountant.
    for rho in (Fraction(1, 1000), Fraction(1, 2), Fraction(20)):
        event = ConcentratedEvent(rho=rho)
        direct = ZeroConcentratedDP(rho=rho).to_approximate(delta=1e-6).epsilon
        assert zcdp_epsilon(event, delta=1e-6) == direct
        assert float(renyi_epsilon(event, delta=1e-6)) == pytest.approx(float(direct), rel=1e-9)


def test_the_peer_finds_the_same_moments_bound() -> None:
    batch = RepeatedEvent(event=GaussianEvent.of(sigma=50), count=1000)
    assert float(renyi_epsilon(batch, delta=1e-6)) == pytest.approx(3.13107, abs=5e-5)
    batch = RepeatedEvent(event=LaplaceEvent(scale=50), count=1000)
    assert float(renyi_epsilon(batch, delta=1e-6)) == pytest.approx(3.11203, abs=5e-5)


def test_no_epsilon_where_the_leak_takes_all() -> None:
    event = ApproximateEvent(epsilon=1, delta="1e-6")
    for price in (zcdp_epsilon, renyi_epsilon):
        with pytest.raises(PrivacyParameterError, match="delta is not above"):
            price(event, delta="1e-6")
