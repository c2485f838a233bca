"""Privacy-loss distributions: figures, oracles, and what holds of every batch."""

from collections.abc import Callable
from fractions import Fraction
from math import erfc, exp, sqrt

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as peer
from dp_accounting.pld.common import DifferentialPrivacyParameters as PrivacyParameters
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from discreet.accounting import (
    loss_distribution_delta,
    loss_distribution_epsilon,
    optimal_epsilon,
    renyi_epsilon,
    zcdp_epsilon,
)
from discreet.accounting.loss_atoms import short_above
from discreet.accounting.loss_composition import GridLosses
from discreet.accounting.loss_distribution import Direction, simple_atoms
from discreet.errors import PrivacyParameterError
from discreet.mechanisms.gaussian_calibration import exact_delta
from discreet.privacy.events import (
    ApproximateEvent,
    BoundedRangeEvent,
    ComposedEvent,
    ConcentratedEvent,
    DiscreteGaussianEvent,
    DiscreteLaplaceEvent,
    Event,
    GaussianEvent,
    LaplaceEvent,
    PureEvent,
    RandomizedResponseEvent,
    RepeatedEvent,
    SampledEvent,
)
from tests.support.trials import examples

DELTA = Fraction(1, 10**6)


def repeated(event: Event, count: int) -> Event:
    return RepeatedEvent(event=event, count=count)


def epsilon(event: Event, delta: object = DELTA) -> float:
    return float(loss_distribution_epsilon(event, delta=delta))


def gaussian_curve(level: float, shift: float) -> float:
    near, far = level / shift - shift / 2, level / shift + shift / 2
    return (erfc(near / sqrt(2)) - exp(level) * erfc(far / sqrt(2))) / 2


def gaussian_truth(shift: float, delta: float = 1e-6) -> float:
    return float(brentq(lambda level: gaussian_curve(level, shift) - delta, 0, 100, xtol=1e-13))


def test_a_thousand_gaussians() -> None:
    found = epsilon(repeated(GaussianEvent.of(sigma=50), 1000))
    assert 2.92160059 <= found <= 2.9217
    assert found == pytest.approx(gaussian_truth(sqrt(1000) / 50), abs=1e-9)


def test_a_thousand_laplaces() -> None:
    # The truth is above 2.90539957 less what the finest grid adds, which is below 1e-7.
    found = epsilon(repeated(LaplaceEvent(scale=50), 1000))
    assert 2.9053995 <= found <= 2.9056


def test_a_thousand_different_gaussians() -> None:
    sigmas = [40 + Fraction(20 * place, 999) for place in range(1000)]
    batch = ComposedEvent(events=tuple(GaussianEvent.of(sigma=sigma) for sigma in sigmas))
    truth = gaussian_truth(sqrt(sum(float(1 / sigma**2) for sigma in sigmas)))
    found = epsilon(batch)
    assert truth - 1e-11 <= found <= truth + 1e-9
    assert found == pytest.approx(2.98868, abs=1e-4)


FINE = {"value_discretization_interval": 1e-5}
ORACLE: dict[str, tuple[Event, Callable[[], peer.PrivacyLossDistribution]]] = {
    "Laplace": (
        repeated(LaplaceEvent(scale=50), 1000),
        lambda: peer.from_laplace_mechanism(50).self_compose(1000),
    ),
    "one Laplace": (LaplaceEvent(scale="0.5"), lambda: peer.from_laplace_mechanism(0.5)),
    "integer Laplace": (
        repeated(DiscreteLaplaceEvent(scale=20, sensitivity=3), 10),
        lambda: peer.from_discrete_laplace_mechanism(0.05, 3, **FINE).self_compose(10),
    ),
    "response": (
        repeated(RandomizedResponseEvent(odds=9, categories=5), 5),
        # A random report with probability p: odds of (1 - p + p/5)/(p/5) = 9.
        lambda: peer.from_randomized_response(5 / 13, 5, **FINE).self_compose(5),
    ),
    "integer Gaussian": (
        repeated(DiscreteGaussianEvent(variance=9, squared_sensitivity=4), 10),
        lambda: peer.from_discrete_gaussian_mechanism(3, 2, **FINE).self_compose(10),
    ),
    "approximate": (
        repeated(ApproximateEvent(epsilon="0.1", delta="1e-9"), 100),
        lambda: peer.from_privacy_parameters(
            PrivacyParameters(0.1, 1e-9), value_discretization_interval=1e-4
        ).self_compose(100),
    ),
    "sampled Gaussian": (
        repeated(SampledEvent(event=GaussianEvent.of(sigma=1), rate="0.02"), 500),
        lambda: peer.from_gaussian_mechanism(1, sampling_prob=0.02).self_compose(500),
    ),
    "sampled Laplace": (
        repeated(SampledEvent(event=LaplaceEvent(scale=1), rate="0.05"), 200),
        lambda: peer.from_laplace_mechanism(1, sampling_prob=0.05).self_compose(200),
    ),
    "mixture": (
        ComposedEvent(
            events=(
                repeated(GaussianEvent.of(sigma=20), 40),
                repeated(LaplaceEvent(scale=10), 10),
            )
        ),
        lambda: (
            peer.from_gaussian_mechanism(20)
            .self_compose(40)
            .compose(peer.from_laplace_mechanism(10).self_compose(10))
        ),
    ),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=[pytest.mark.soak] * (one == "integer Gaussian")) for one in ORACLE],
)
def test_the_peer_agrees(name: str) -> None:
    ours, theirs = ORACLE[name]
    assert epsilon(ours) == pytest.approx(theirs().get_epsilon_for_delta(1e-6), abs=1e-4)


def test_integer_gaussians_add_up_to_an_integer_gaussian() -> None:
    # Sums are sufficient, and the sum of 1,000 has variance 1,000 times as large, to e^-20000.
    batch = repeated(DiscreteGaussianEvent(variance=64, squared_sensitivity=1), 100)
    level = loss_distribution_epsilon(batch, delta=DELTA)
    low, _ = exact_delta(Fraction(6400), 100, level, 128)
    high, _ = exact_delta(Fraction(6400), 100, level - Fraction(1, 10**4), 128)
    assert Fraction(low, 1 << 128) <= DELTA < Fraction(high, 1 << 128)


@pytest.mark.parametrize("coordinates", [2, 3])
def test_vectors_of_integer_gaussians_cost_a_little_more_than_continuous_ones(
    coordinates: int,
) -> None:
    event = DiscreteGaussianEvent(variance=2500, squared_sensitivity=3, coordinates=coordinates)
    found = epsilon(repeated(event, 100))
    truth = gaussian_truth(sqrt(300 / 2500))
    assert truth <= found <= truth * 1.001


def test_small_deltas_keep_their_digits() -> None:
    # Without the tilt the FFT's noise of 1e-15 would drown these.
    mixed = ComposedEvent(
        events=(repeated(GaussianEvent.of(sigma=30), 400), PureEvent(epsilon="1e-9"))
    )
    for delta in (1e-4, 1e-9, 1e-15, 1e-25, 1e-30):
        truth = gaussian_truth(20 / 30, delta)
        assert truth <= epsilon(mixed, delta) <= truth + 2e-4


def test_many_events_keep_their_digits() -> None:
    batch = repeated(RandomizedResponseEvent(epsilon="0.0005"), 10**6)
    shift = gaussian_truth(0.5)  # a million tiny answers are nearly one Gaussian
    assert epsilon(batch) == pytest.approx(shift, abs=1e-3)
    assert epsilon(repeated(LaplaceEvent(scale=2000), 10**6)) == pytest.approx(shift, abs=1e-3)


def test_nothing_costs_nothing() -> None:
    assert loss_distribution_epsilon(ComposedEvent(events=()), delta=DELTA) == 0
    assert loss_distribution_epsilon(PureEvent(epsilon=0), delta=DELTA) < Fraction(1, 10**9)
    never = SampledEvent(event=GaussianEvent.of(sigma=1), rate=0)
    assert loss_distribution_epsilon(never, delta=DELTA) < Fraction(1, 10**9)


def test_what_the_accountant_cannot_price_is_refused() -> None:
    with pytest.raises(PrivacyParameterError, match="no rule for ConcentratedEvent"):
        loss_distribution_epsilon(ConcentratedEvent(rho=1), delta=DELTA)
    narrow = DiscreteGaussianEvent(variance=2, squared_sensitivity=2, coordinates=2)
    with pytest.raises(PrivacyParameterError, match="several coordinates"):
        loss_distribution_epsilon(narrow, delta=DELTA)
    with pytest.raises(PrivacyParameterError, match="leak"):
        loss_distribution_epsilon(ApproximateEvent(epsilon=1, delta="1e-3"), delta=DELTA)
    with pytest.raises(PrivacyParameterError, match="delta is 0"):
        loss_distribution_epsilon(GaussianEvent.of(sigma=1), delta=0)


small = st.fractions("1/20", 2, max_denominator=50)
events = st.one_of(
    st.builds(lambda x: PureEvent(epsilon=x), small),
    st.builds(lambda x: LaplaceEvent(scale=1 / x), small),
    st.builds(
        lambda x, d: DiscreteLaplaceEvent(scale=d / x, sensitivity=d), small, st.integers(1, 5)
    ),
    st.builds(lambda x: BoundedRangeEvent(epsilon=x), small),
    st.builds(lambda x: RandomizedResponseEvent(epsilon=x, categories=4), small),
    st.builds(lambda x: GaussianEvent(variance=10 / x), small),
    st.builds(
        lambda x, rate: SampledEvent(event=LaplaceEvent(scale=1 / x), rate=rate),
        small,
        st.fractions("1/100", "1/2", max_denominator=100),
    ),
)


@pytest.mark.slow
@examples(25)
@given(
    st.lists(events, min_size=1, max_size=4), st.integers(1, 6), st.randoms(use_true_random=False)
)
def test_what_holds_of_every_batch(batch: list[Event], count: int, random: object) -> None:
    together = ComposedEvent(events=tuple(batch))
    shuffled = list(batch)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    level = loss_distribution_epsilon(together, delta=DELTA)
    # The order does not matter, more events cost more, a larger δ costs less.
    assert loss_distribution_epsilon(ComposedEvent(events=tuple(shuffled)), delta=DELTA) == level
    near = Fraction(1, 10**4)
    more = ComposedEvent(events=(repeated(together, count), PureEvent(epsilon="1/1000")))
    assert loss_distribution_epsilon(more, delta=DELTA) >= level - near
    assert loss_distribution_epsilon(together, delta=10 * DELTA) <= level + near
    # ε and δ are two views of one curve.
    assert loss_distribution_delta(together, epsilon=level) <= DELTA * (1 + Fraction(1, 1000))
    if level > near:
        # The curve may be nearly flat where it ends, so only the direction is certain.
        assert loss_distribution_delta(together, epsilon=level - near) >= DELTA * Fraction(
            999, 1000
        )


def test_the_grid_of_sampled_losses_is_not_confused_by_direction() -> None:
    # Removal is the worse direction here; the addition alone would understate it.
    event = SampledEvent(event=GaussianEvent.of(sigma="0.5"), rate="0.1")
    found = loss_distribution_delta(event, epsilon=1)
    outputs = np.linspace(-12, 13, 2_000_001)
    without = np.exp(-(outputs**2) / 0.5) / sqrt(2 * np.pi) / 0.5
    with_unit = np.exp(-((outputs - 1) ** 2) / 0.5) / sqrt(2 * np.pi) / 0.5
    mixture = 0.9 * without + 0.1 * with_unit
    width = outputs[1] - outputs[0]
    remove = float(np.maximum(mixture - np.e * without, 0).sum() * width)
    add = float(np.maximum(without - np.e * mixture, 0).sum() * width)
    assert add < remove
    assert remove * (1 - 1e-6) <= found <= remove * 1.001


def test_atoms_keep_both_probabilities() -> None:
    # Up to their margins the masses are those of P, and times e^-loss those of Q.
    for event in (
        PureEvent(epsilon=1),
        RandomizedResponseEvent(odds=3, categories=6),
        LaplaceEvent(scale="1/3"),
        DiscreteLaplaceEvent(scale=4, sensitivity=9),
        DiscreteLaplaceEvent(scale=4000, sensitivity=9001),
        BoundedRangeEvent(epsilon="5/2"),
        DiscreteGaussianEvent(variance=10, squared_sensitivity=9),
        SampledEvent(event=BoundedRangeEvent(epsilon="5/2"), rate="1/7"),
    ):
        for direction in Direction:
            atoms = simple_atoms(event, direction)
            first = float(atoms.masses.sum()) + atoms.infinite
            second = float((atoms.masses * np.exp(-atoms.losses)).sum())
            assert 1 <= first < 1 + 1e-11
            assert second == pytest.approx(1, abs=1e-10)
            grid = GridLosses.of(atoms, short_above(0.0123))
            assert float(grid.masses.sum()) == pytest.approx(first, abs=1e-10)
            kept = float((grid.masses * np.exp(-grid.losses)).sum())
            assert kept == pytest.approx(second, abs=1e-10)


def test_a_coarse_view_of_many_steps_is_above_the_exact_curve() -> None:
    # 9,001 steps, of which every ninth is a knot; the exact δ at a loss is 1 - e^((y-ε)/2).
    event = DiscreteLaplaceEvent(scale=4000, sensitivity=9001)
    for steps in (1, 901, 5001, 8999):
        level = Fraction(steps, 4000)
        truth = 1 - exp(float(level - Fraction(9001, 4000)) / 2)
        found = float(loss_distribution_delta(event, epsilon=level))
        assert truth <= found <= truth + 1e-4


@pytest.mark.parametrize("scale", ["1e-9", "1e9"])
def test_extreme_scales_are_priced_or_refused_but_never_too_low(scale: str) -> None:
    batch = repeated(LaplaceEvent(scale=scale), 3)
    level = 3 / Fraction(scale)
    if level > 600:
        assert loss_distribution_delta(batch, epsilon=100) > Fraction(99, 100)
    else:
        assert loss_distribution_delta(batch, epsilon=0) >= level / 8
        assert loss_distribution_epsilon(batch, delta="1e-20") <= level * Fraction(101, 100)


@pytest.mark.parametrize("count", [1, 10, 100, 1000, 4000])
@pytest.mark.parametrize("each", ["0.003", "0.1", "1", "4"])
def test_no_accountant_is_below_the_exact_composition_of_pure_events(count: int, each: str) -> None:
    # Optimal composition is exact to 1e-12 for the worst pure event, which is a response.
    rounding = Fraction(2, 10**12)
    batch = repeated(RandomizedResponseEvent(epsilon=each), count)
    for delta in ("1e-3", "1e-6", "1e-12", "1e-20", "1e-40"):
        truth = optimal_epsilon(batch, delta=delta)
        found = loss_distribution_epsilon(batch, delta=delta)
        assert truth - rounding <= found <= truth * (1 + Fraction(1, 10**4)) + Fraction(1, 10**5)
        for price in (zcdp_epsilon, renyi_epsilon):
            assert price(batch, delta=delta) >= truth - rounding
