"""Gaussian noise: the guarantee by enumeration, the calibration, and what it is compared with."""

from fractions import Fraction
from itertools import product
from math import ceil, erfc, exp, isqrt, log, sqrt
from time import process_time

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm

from discreet.errors import PrivacyParameterError, PrivacyWarning, VerificationError
from discreet.exact import Grid
from discreet.mechanisms import Gaussian
from discreet.mechanisms.gaussian_calibration import (
    Smoothing,
    delta_float,
    exact_delta,
    lattice_delta,
    least_epsilon,
    least_sigma,
)
from discreet.mechanisms.gaussian_moves import Move
from discreet.noise import Keystream
from discreet.privacy.losses import ApproximateDP, ZeroConcentratedDP
from discreet.privacy.sensitivity import Sensitive, Sensitivity
from discreet.privacy.verification import verify
from tests.support.cases import each
from tests.support.trials import examples

MILLIONTH = Fraction(1, 10**6)
ONE = Sensitivity(l2=1)


def continuous_delta(sigma: float, distance: float, epsilon: float) -> float:
    """Balle and Wang's δ of continuous noise."""
    shift = distance / sigma
    return float(
        norm.sf(epsilon / shift - shift / 2) - exp(epsilon) * norm.sf(epsilon / shift + shift / 2)
    )


def continuous_sigma(distance: float, epsilon: float, delta: float) -> float:
    return float(
        brentq(lambda s: continuous_delta(s, distance, epsilon) - delta, 0.05, 1e5, xtol=1e-12)
    )


def naive_delta(variance: Fraction, shift: int, epsilon: Fraction) -> mpmath.mpf:
    """Σ max(0, P(x) - e^ε·P(x - shift)), term by term, with no thought about where to start."""
    with mpmath.workprec(300):
        double = 2 * mpmath.mpf(variance.numerator) / variance.denominator
        reach = int(mpmath.sqrt(double * 150)) + shift + 2
        weights = {x: mpmath.exp(-(x * x) / double) for x in range(-2 * reach, 2 * reach + 1)}
        factor = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
        excess = (weights[x] - factor * weights[x - shift] for x in range(-reach, reach + 1))
        return sum(max(mpmath.mpf(0), term) for term in excess) / sum(weights.values())


def vector_delta(sigma: float, vector: tuple[int, ...], epsilon: float) -> float:
    """The exact δ of integer noise on a vector that moves by ``vector``, in floats.

    The ratio of the laws depends on x·vector only, whose law is a convolution.
    """
    reach = ceil(9 * sigma) + 2
    places = np.arange(-reach, reach + 1)
    weights = np.exp(-(places**2) / (2 * sigma**2))
    weights /= weights.sum()
    law = np.ones(1)
    for step in (abs(step) for step in vector if step):
        stretched = np.zeros(2 * reach * step + 1)
        stretched[::step] = weights
        law = np.convolve(law, stretched)
    inner = np.arange(law.size) - law.size // 2
    square = sum(step * step for step in vector)
    log_ratio = (2 * inner + square) / (2 * sigma**2)  # ln P(x)/P(x + vector)
    return float(law @ np.maximum(0, -np.expm1(np.minimum(700, epsilon - log_ratio))))


# The calibration --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "figure"), [("0.5", 8.06), ("1", 4.2247), ("2", 2.230), ("4", 1.194)]
)
def test_on_a_fine_grid_the_noise_is_the_analytic_one(epsilon: str, figure: float) -> None:
    noise = Gaussian.calibrated(sensitivity=1, epsilon=epsilon, delta=1e-6, grid=2**-20)
    assert float(noise.sigma) == pytest.approx(figure, abs=0.005 if epsilon != "1" else 5e-5)
    analytic = continuous_sigma(1, float(epsilon), 1e-6)
    assert analytic <= float(noise.sigma) <= analytic * (1 + 2e-6)


def test_what_other_calibrations_would_cost() -> None:
    classic = sqrt(2 * log(1.25 / 1e-6))
    level = log(1e6)
    simple = (sqrt(level) + sqrt(level + 1)) / sqrt(2)
    assert classic == pytest.approx(5.30, abs=0.005)
    assert simple == pytest.approx(5.35, abs=0.005)

    def converted(sigma: float) -> float:
        rho = Fraction(1) / (2 * Fraction(sigma) ** 2)
        return float(ZeroConcentratedDP(rho=rho).to_approximate(delta=1e-6).epsilon) - 1

    assert brentq(converted, 3, 6) == pytest.approx(4.531, abs=5e-4)
    assert 4.2247 < Gaussian.calibrated(sensitivity=1, epsilon=1, delta=1e-6).sigma < 4.24


@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "2", "4"])
@pytest.mark.parametrize("shift", [1, 2, 3])
def test_integer_noise_is_near_the_analytic_one(epsilon: str, shift: int) -> None:
    noise = Gaussian.calibrated(sensitivity=shift, epsilon=epsilon, delta=1e-6, dimension=1)
    analytic = continuous_sigma(shift, float(epsilon), 1e-6)
    assert float(noise.sigma) == pytest.approx(analytic, rel=0.01 if epsilon != "4" else 0.021)


@pytest.mark.parametrize(("epsilon", "violation"), [("1", 1.02e-6), ("2", 1.10e-6)])
def test_integer_noise_with_the_analytic_sigma_is_not_private(
    epsilon: str, violation: float
) -> None:
    """The negative control: the verification sees δ above what was asked for."""
    sigma = Fraction(continuous_sigma(1, float(epsilon), 1e-6))
    delta = verify(Gaussian(sigma=sigma), 0, 1).delta(epsilon=epsilon)
    assert delta > MILLIONTH
    assert float(delta) == pytest.approx(violation, abs=5e-9)


@pytest.mark.parametrize("epsilon", ["0.3", "1", "3", "7", "12"])
@pytest.mark.parametrize("delta", ["0.2", "1e-3", "1e-6", "1e-12"])
@pytest.mark.parametrize("shift", [1, 2, pytest.param(5, marks=pytest.mark.slow)])
def test_calibrated_noise_is_private_by_enumeration(epsilon: str, delta: str, shift: int) -> None:
    noise = Gaussian.calibrated(sensitivity=shift, epsilon=epsilon, delta=delta, dimension=1)
    for smaller in range(1, shift + 1):
        # The verification is an upper bound that may be 1e-12 too high.
        slack = Fraction(1, 10**12) if Fraction(delta) < Fraction(1, 10**9) else 0
        assert verify(noise, 0, smaller).delta(epsilon=epsilon) <= Fraction(delta) + slack
        assert verify(noise, smaller, 0).delta(epsilon=epsilon) <= Fraction(delta) + slack
    # The sum is exact at every δ.
    _, high = exact_delta(noise.sigma**2, shift, Fraction(epsilon), 128)
    assert Fraction(high, 1 << 128) <= Fraction(delta)


@pytest.mark.parametrize("epsilon", ["0.2", "1", "2.5", "6", "9", "14"])
@pytest.mark.parametrize("shift", [1, 2, 3])
def test_no_smaller_sigma_would_do(epsilon: str, shift: int) -> None:
    noise = Gaussian.calibrated(sensitivity=shift, epsilon=epsilon, delta=1e-4, dimension=1)
    sigma = float(noise.sigma)
    smaller = [*np.linspace(0.05, sigma * (1 - 3e-6), 3000), sigma * (1 - 2e-6)]
    least = min(delta_float(s * s, shift, float(epsilon)) for s in smaller)
    assert least > 1e-4


def test_more_noise_is_not_always_more_private() -> None:
    """The exact δ dips where ε·σ²/Δ - Δ/2 is whole; the calibration takes the first dip."""
    noise = Gaussian.calibrated(sensitivity=1, epsilon=6, delta=1e-6)
    assert float(noise.sigma) == pytest.approx(0.7636, abs=1e-4)
    assert verify(noise, 0, 1).delta(epsilon=6) <= MILLIONTH
    wider = Gaussian(sigma="0.8")
    assert verify(wider, 0, 1).delta(epsilon=6) > MILLIONTH
    assert wider.loss(ONE, delta=1e-6).epsilon > 6


@given(
    st.fractions(Fraction(1, 4), 30, max_denominator=1000),
    st.integers(1, 6),
    st.fractions(0, 12, max_denominator=100),
)
@examples(60)
def test_the_exact_delta_is_the_sum_over_all_integers(
    variance: Fraction, shift: int, epsilon: Fraction
) -> None:
    low, high = exact_delta(variance, shift, epsilon, 100)
    with mpmath.workprec(300):
        naive = mpmath.ldexp(naive_delta(variance, shift, epsilon), 100)
        assert low - 1 <= naive <= high + 1
        assert high - low <= 4
    assert float(Fraction(high, 1 << 100)) == pytest.approx(
        delta_float(float(variance), shift, float(epsilon)), rel=1e-6, abs=1e-25
    )


@given(
    st.fractions(Fraction(1, 4), 400, max_denominator=1000),
    st.integers(1, 12),
    st.fractions(0, 12, max_denominator=100),
)
@examples(60)
def test_a_shorter_move_has_no_larger_delta(
    variance: Fraction, shift: int, epsilon: Fraction
) -> None:
    shorter, longer = (exact_delta(variance, move, epsilon, 100) for move in (shift, shift + 1))
    assert shorter[0] <= longer[1]


# Vectors ----------------------------------------------------------------------------------


@given(
    st.fractions(Fraction(1, 100), 40, max_denominator=100),
    st.sampled_from([Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2)]),
    st.integers(1, 5),
    st.fractions(Fraction(1, 10), 8, max_denominator=100),
)
@examples(150)
def test_the_lattice_bound_is_never_below_the_exact_sum(
    continuous: Fraction, rounding: Fraction, shift: int, epsilon: Fraction
) -> None:
    variance = continuous + rounding
    bound = lattice_delta(variance, Move(shift**2, 1), rounding, epsilon, 128)
    low, _ = exact_delta(variance, shift, epsilon, 128)
    assert bound >= Fraction(low, 1 << 128)


@pytest.mark.parametrize("variance", [Fraction(1, 3), Fraction(1), Fraction(4), Fraction(50)])
@pytest.mark.parametrize("rounding", [Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2)])
def test_the_smoothing_covers_the_rounded_law_point_by_point(
    variance: Fraction, rounding: Fraction
) -> None:
    """The law of a rounded continuous Gaussian, by quadrature, beside the integer one."""
    smoothing = Smoothing.of(variance, rounding, 1, 96)
    if smoothing is None:
        assert variance <= rounding
        return
    spread = sqrt(rounding)
    step = 1 / 256
    reals = np.arange(-14 * sqrt(variance) - 14, 14 * sqrt(variance) + 14, step)
    wide = float(variance - rounding)
    density = np.exp(-(reals**2) / (2 * wide)) / sqrt(2 * np.pi * wide)
    integers = np.arange(-60, 61)
    normalizer = sum(np.exp(-((reals - x) ** 2) / (2 * spread**2)) for x in range(-130, 131))
    total = sum(exp(-(x * x) / (2 * float(variance))) for x in range(-400, 401))
    ratios = []
    for place in integers[abs(integers) < 5 * sqrt(variance)]:
        kernel = np.exp(-((reals - place) ** 2) / (2 * spread**2)) / normalizer
        rounded = float((density * kernel).sum() * step)
        ratios.append(exp(-(place**2) / (2 * float(variance))) / total / rounded)
    assert log(max(ratios) / min(ratios)) <= float(smoothing.cost) + 1e-9
    assert max(ratios) <= float(smoothing.growth) + 1e-9
    assert wide < 0.2 or smoothing.cost < Fraction(1, 100) * (1 if rounding < 1 else MILLIONTH)


@pytest.mark.parametrize("epsilon", ["0.5", "2", "5"])
@pytest.mark.parametrize("delta", ["1e-2", "1e-5"])
@pytest.mark.parametrize("square", [2, 3, 4, 5])
def test_vectors_are_private_by_enumeration_of_every_move(
    epsilon: str, delta: str, square: int
) -> None:
    distance = Sensitivity(linf=1).in_dimension(square).need("l2")
    noise = Gaussian.calibrated(sensitivity=distance, epsilon=epsilon, delta=delta)
    for dimension in (1, 2, 3, 4, 5):
        steps = range(isqrt(square) + 1)  # a law and a move may be mirrored and reordered
        for vector in product(steps, repeat=dimension):
            if 0 < sum(x * x for x in vector) <= square and list(vector) == sorted(vector):
                found = vector_delta(float(noise.sigma), vector, float(epsilon))
                assert found <= float(delta) * (1 + 1e-9)


@pytest.mark.slow
def test_two_coordinates_are_verified_on_the_shipped_law() -> None:
    noise = Gaussian.calibrated(sensitivity=sqrt(2), epsilon=2, delta=1e-3, dimension=2)
    for first, second in [((0, 0), (1, 1)), ((5, 7), (6, 6)), ((0, 0), (0, 1))]:
        found = verify(noise, list(first), list(second)).delta(epsilon=2)
        assert found <= Fraction(1, 1000)
        moved = tuple(b - a for a, b in zip(first, second, strict=True))
        assert float(found) == pytest.approx(vector_delta(float(noise.sigma), moved, 2), rel=1e-9)
    # The negative control: the analytic σ of a single step is not enough for a diagonal move.
    weak = Gaussian(sigma=Fraction(continuous_sigma(1, 2, 1e-3)))
    assert verify(weak, [0, 0], [1, 1]).delta(epsilon=2) > Fraction(1, 1000)


def test_one_step_is_one_step_in_any_dimension() -> None:
    single = Gaussian.calibrated(sensitivity=1, epsilon=1, delta=1e-6, dimension=1)
    for dimension in (None, 2, 10**6):
        many = Gaussian.calibrated(sensitivity=1, epsilon=1, delta=1e-6, dimension=dimension)
        assert many == single
    two = Gaussian.calibrated(sensitivity="1.41", epsilon=1, delta=1e-6, dimension=1)
    assert two == Gaussian.calibrated(sensitivity=2, epsilon=1, delta=1e-6, dimension=1)


@pytest.mark.slow
def test_what_no_vector_of_integers_moves_by_is_refused() -> None:
    for refused in (
        lambda: Gaussian.calibrated(sensitivity=1.4, epsilon=1, delta=1e-6),
        lambda: Gaussian.calibrated(sensitivity=1.4, epsilon=1, delta=1e-6, dimension=2),
        lambda: Gaussian(sigma=1).loss(Sensitivity(l2="1/100")),
        lambda: Gaussian(sigma=1).loss(Sensitivity(l2="1/100"), delta=1e-6),
    ):
        with pytest.raises(PrivacyParameterError, match=r"the root of a whole number of steps"):
            refused()
    moved = Sensitivity(l2="1.4").rounded(1, 2)
    noise = Gaussian.calibrated(sensitivity=moved, epsilon=4, delta=1e-4, dimension=2)
    assert verify(noise, (0.49, 0.49), (1.47, 1.47)).delta(epsilon=4) <= Fraction(1, 10**4)
    # The control: noise for a move of one step is too little for numbers that are rounded.
    careless = Gaussian.calibrated(sensitivity=1, epsilon=4, delta=1e-4)
    assert verify(careless, (0.49, 0.49), (1.47, 1.47)).delta(epsilon=4) > Fraction(1, 100)


@pytest.mark.parametrize("dimension", [2, 9, 10**6, None])
def test_vectors_cost_hardly_more_than_continuous_noise(dimension: int | None) -> None:
    noise = Gaussian.calibrated(sensitivity=3, epsilon=1, delta=1e-6, dimension=dimension)
    # On integers the difference has either sign, also where all vectors are looked at.
    assert float(noise.sigma) == pytest.approx(continuous_sigma(3, 1, 1e-6), rel=1e-3)
    for vector in ((3,), (2, 2), (2, 2, 1), (2, 1, 1, 1, 1, 1), (1,) * 9):
        if dimension is None or len(vector) <= dimension:
            assert vector_delta(float(noise.sigma), vector, 1) <= 1e-6 * (1 + 1e-9)
    narrower = float(noise.sigma) * (1 - 1e-5)
    assert max(vector_delta(narrower, vector, 1) for vector in ((3,), (2, 2), (1,) * 9)) > 1e-6


def test_a_real_move_of_one_number_is_a_whole_number_of_steps() -> None:
    steps = Grid(0)
    for real, whole in (("5/2", 9), ("1/9", 1), (3, 9), (0, 0)):
        assert Sensitivity(l2=real).squared_in_steps(steps, dimension=1) == whole
    assert Move.of(6, 4) == Move(6, 4)
    assert Move.of(6, 40) == Move.of(6, None) == Move(6, 6)


# The loss ---------------------------------------------------------------------------------


def test_the_zcdp_is_exact_in_the_limit_and_holds_at_every_order() -> None:
    noise = Gaussian(sigma=2)
    assert noise.loss(Sensitivity(l2=3)) == ZeroConcentratedDP(rho=Fraction(9, 8))
    places = np.arange(-80, 81)
    first = np.array([noise.pmf(int(x)) for x in places])
    second = np.array([noise.pmf(int(x) - 3) for x in places])
    for order in (1.5, 2.0, 3.7, 10.0):
        keep = (first > 0) & (second > 0)
        terms = np.exp(order * np.log(first[keep]) + (1 - order) * np.log(second[keep]))
        assert log(terms.sum()) / (order - 1) <= order * 9 / 8 + 1e-9
    # Tight: at a whole order every shift of the sum is a whole number of steps.
    near = abs(places) < 40
    assert log((first[near] ** 2 / second[near]).sum()) == pytest.approx(2 * 9 / 8, rel=1e-9)


@pytest.mark.parametrize("epsilon", ["0.05", "1/3", "1", "2", "6", "11"])
@each("delta", ["1e-2", "1e-6", "1e-10"])
@each(("distance", "dimension"), [(1, None), (2, 1), (3, None), (2**20, 7)])
def test_the_loss_of_calibrated_noise_is_what_was_asked_for(
    epsilon: str, delta: str, distance: int, dimension: int | None
) -> None:
    noise = Gaussian.calibrated(
        sensitivity=distance, epsilon=epsilon, delta=delta, dimension=dimension
    )
    loss = noise.loss(Sensitivity(l2=distance), delta=delta, dimension=dimension)
    assert isinstance(loss, ApproximateDP)
    assert loss.delta == Fraction(delta)
    assert loss.epsilon <= Fraction(epsilon)
    assert loss.epsilon >= Fraction(epsilon) * (1 - Fraction(3, 10**6))


@pytest.mark.parametrize("sigma", ["0.3", "1", "4.2", "60", "500"])
@pytest.mark.parametrize("shift", [1, 2, 9])
def test_the_least_epsilon_is_enough_and_hardly_less_would_be(sigma: str, shift: int) -> None:
    variance = Fraction(sigma) ** 2
    epsilon = least_epsilon(variance, Move(shift**2, 1), MILLIONTH)
    _, high = exact_delta(variance, shift, epsilon, 96)
    assert Fraction(high, 1 << 96) <= MILLIONTH
    low, _ = exact_delta(variance, shift, epsilon * (1 - Fraction(1, 10**4)), 96)
    assert Fraction(low, 1 << 96) > MILLIONTH


def test_a_loss_may_be_nothing() -> None:
    assert Gaussian(sigma=10**9).loss(ONE, delta=1e-6).epsilon == 0
    assert Gaussian(sigma=1).loss(Sensitivity(l2=0), delta=1e-6) == ApproximateDP(
        epsilon=Fraction(0), delta=Fraction(0)
    )
    assert least_epsilon(Fraction(1), Move(1, 1), Fraction(2, 5)) == 0


@pytest.mark.slow
def test_the_loss_is_never_above_the_conversion_from_zcdp() -> None:
    for sigma, distance in product(("0.1", "0.7", "3", "1000"), (1, 2, 10)):
        noise = Gaussian(sigma=sigma)
        sensitivity = Sensitivity(l2=distance)
        converted = noise.loss(sensitivity).to_approximate(delta=1e-6)
        assert noise.loss(sensitivity, delta=1e-6).epsilon <= converted.epsilon


# The law ----------------------------------------------------------------------------------


@pytest.mark.parametrize("sigma", ["0.2", "0.5", "1", "3.3", "40"])
def test_probabilities_sum_to_one_and_have_the_stated_moments(sigma: str) -> None:
    noise = Gaussian(sigma=sigma)
    places = np.arange(-int(12 * noise.sigma) - 12, int(12 * noise.sigma) + 13)
    law = np.array([noise.pmf(int(place)) for place in places])
    assert law.sum() == pytest.approx(1, abs=1e-13)
    assert noise.variance == pytest.approx(float(law @ places**2), rel=1e-12)
    assert noise.mean_absolute_error == pytest.approx(float(law @ abs(places)), rel=1e-12)
    distances = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, 7.5])
    beyond = [law[abs(places) > distance].sum() for distance in distances]
    assert noise.tail(distances) == pytest.approx(np.array(beyond), abs=1e-13)


@pytest.mark.parametrize("sigma", [1001, 1500, 4000])
def test_tails_of_wide_noise_are_those_of_its_law(sigma: int) -> None:
    """Where they are no longer summed: margins of sums rest on them."""
    places = np.arange(1, 40 * sigma, dtype=np.float64)
    weights = np.exp(-(places**2) / (2 * sigma * sigma))
    beyond = np.cumsum(weights[::-1])[::-1] * 2 / (1 + 2 * weights.sum())
    tails = Gaussian(sigma=sigma).tail(places[:-1])
    assert np.max(np.abs(tails - beyond[1:])) < 1e-12


def test_moments_and_tails_do_not_jump_where_the_formula_changes() -> None:
    below, above = Gaussian(sigma="999.999999"), Gaussian(sigma="1000.000001")
    assert below.variance == pytest.approx(above.variance, rel=1e-8)
    assert below.mean_absolute_error == pytest.approx(above.mean_absolute_error, rel=3e-9)
    distances = np.array([0.0, 10.0, 1500.0, 5000.0])
    assert below.tail(distances) == pytest.approx(above.tail(distances), rel=1e-5)
    two = Gaussian(sigma=2), Gaussian(sigma="2.0000001")
    assert two[0].variance == pytest.approx(two[1].variance, rel=2e-7)


def test_far_probabilities_are_not_lost() -> None:
    assert Gaussian(sigma=1).pmf(30) == pytest.approx(exp(-450) / 2.5066282880429056, rel=1e-12)
    assert Gaussian(sigma=1).pmf(100) == 0.0
    assert Gaussian(sigma=1).pmf("1/2") == 0.0


def test_a_fine_grid_is_the_same_law_in_smaller_steps() -> None:
    coarse, fine = Gaussian(sigma=3), Gaussian(sigma=Fraction(3, 2**40), grid=2.0**-40)
    assert fine.pmf(5 * 2.0**-40) == coarse.pmf(5)
    assert fine.law(0.0).probability(5 * 2.0**-40) == coarse.pmf(5)
    assert fine.accuracy() == coarse.accuracy() * 2.0**-40
    scaled = Sensitivity(l2=Fraction(1, 2**40))
    assert fine.loss(scaled) == coarse.loss(ONE)
    assert fine.loss(scaled, delta=1e-6) == coarse.loss(ONE, delta=1e-6)
    assert verify(fine, 0.0, 2.0**-40).delta(epsilon=1) == verify(coarse, 0, 1).delta(epsilon=1)


def test_a_verification_that_would_be_too_long_says_so() -> None:
    with pytest.raises(VerificationError, match="coarser grid"):
        verify(Gaussian(sigma=10**5), 0, 1)
    with pytest.raises(VerificationError, match="different spreads"):
        Gaussian(sigma=1).law(0).against(Gaussian(sigma=2).law(0))


def test_equal_inputs_give_nothing_away() -> None:
    assert verify(Gaussian(sigma=2), 4, 4).epsilon == 0
    assert verify(Gaussian(sigma=2), 4, 5).epsilon == float("inf")


# Accuracy ---------------------------------------------------------------------------------


def naive_reach(sigma: Fraction, level: Fraction, cells: int) -> int:
    with mpmath.workprec(200):
        double = 2 * mpmath.mpf(sigma.numerator) ** 2 / sigma.denominator**2
        last = int(40 * sigma) + 40
        weights = [mpmath.exp(-mpmath.mpf(x * x) / double) for x in range(last)]
        total = weights[0] + 2 * sum(weights[1:])
        wanted = mpmath.mpf(level.numerator) / level.denominator
        inside, reach = weights[0], 0
        while (inside / total) ** cells < wanted:
            reach += 1
            inside += 2 * weights[reach]
        return reach


@pytest.mark.parametrize("sigma", ["0.05", "0.4", "1", "4.230779", "9", "37.5", "300"])
@pytest.mark.parametrize("level", ["0.3", "0.5", "0.95", "0.999999"])
@pytest.mark.parametrize("cells", [1, 10, 10_000])
def test_accuracy_is_exact(sigma: str, level: str, cells: int) -> None:
    expected = naive_reach(Fraction(sigma), Fraction(level), cells)
    assert Gaussian(sigma=sigma).accuracy(level, cells=cells) == expected


@pytest.mark.parametrize("sigma", [20_000, 2**40, 10**30])
@pytest.mark.parametrize("cells", [1, 10_000])
def test_accuracy_of_wide_noise_is_on_the_safe_side(sigma: int, cells: int) -> None:
    reach = Gaussian(sigma=sigma).accuracy(0.95, cells=cells)
    least = norm.isf((1 - 0.95 ** (1 / cells)) / 2)
    assert least * (1 - 1e-12) <= reach / sigma + 1 / sigma
    assert reach / sigma <= least * (1 + 1e-11) + 2 / sigma


def test_the_union_bound_holds_and_is_above_the_exact_one() -> None:
    for sigma, cells in product(("0.3", "1", "50"), (1, 100, 10_000)):
        noise = Gaussian(sigma=sigma)
        bound = noise.union_bound(0.95, cells=cells)
        assert bound >= noise.accuracy(0.95, cells=cells)
        below = bound - 1e-9  # P[|noise| ≥ bound] = P[|noise| > bound - 0]
        assert cells * float(noise.tail(np.array([below]))[0]) <= 0.05
    assert Gaussian(sigma=1).union_bound(0.95) == pytest.approx(sqrt(2 * log(40)))


# The shipped code path --------------------------------------------------------------------

FALSE_ALARM = 1e-7
"""Ten times below what is allowed, as rare places are not quite normal."""


def chi_square(drawn: np.ndarray, sigma: float) -> float:
    """The p-value of integers as noise of this σ; rare places are pooled."""
    reach = int(4 * sigma) + 2
    seen = np.bincount(np.clip(drawn, -reach, reach) + reach, minlength=2 * reach + 1)
    places = np.arange(-60 * reach, 60 * reach + 1)
    law = np.exp(-(places**2) / (2 * sigma**2))
    law /= law.sum()
    pooled = np.bincount(np.clip(places, -reach, reach) + reach, weights=law) * drawn.size
    keep = pooled > 50
    statistic = float(((seen - pooled)[keep] ** 2 / pooled[keep]).sum())
    degrees = int(keep.sum()) - 1
    # A normal approximation of χ², by Wilson and Hilferty.
    score = ((statistic / degrees) ** (1 / 3) - 1 + 2 / (9 * degrees)) * sqrt(9 * degrees / 2)
    return erfc(score / sqrt(2)) / 2


@pytest.mark.parametrize("sigma", ["1.5", "4.230779", "30"])
def test_drawn_noise_has_the_stated_law(sigma: str) -> None:
    """False alarm below 1e-6 per case; the control, off by 1% in σ, must be seen."""
    noise = Gaussian(sigma=sigma)
    drawn = np.asarray(noise(np.full(4 * 10**6, 7))) - 7
    assert chi_square(drawn, float(noise.sigma)) > FALSE_ALARM
    assert chi_square(drawn, float(noise.sigma) * 1.01) < FALSE_ALARM


def test_single_draws_have_the_stated_law() -> None:
    noise = Gaussian(sigma=2)
    drawn = np.array([noise(0) for _ in range(20_000)])
    assert chi_square(drawn, 2) > FALSE_ALARM
    assert chi_square(drawn, 2.2) < FALSE_ALARM


def binomial_at_least(seen: int, trials: int, chance: float) -> float:
    """An upper bound of P[Binomial(trials, chance) ≥ seen] by Hoeffding and Chernoff."""
    share = seen / trials
    if share <= chance:
        return 1.0
    gap = share * log(share / chance) + (1 - share) * log((1 - share) / (1 - chance))
    return exp(-trials * gap)


@pytest.mark.parametrize(("weakened", "caught"), [(Fraction(1), False), (Fraction(1, 2), True)])
def test_the_best_attack_does_no_better_than_promised(weakened: Fraction, caught: bool) -> None:
    """P[X ≥ k] ≤ e^ε·P[X ≥ k+1] + δ for the best event, on drawn noise; false alarm ≤ 1e-6."""
    epsilon, delta, trials = 1.0, 0.01, 10**6
    honest = Gaussian.calibrated(sensitivity=1, epsilon=epsilon, delta=delta)
    noise = Gaussian(sigma=honest.sigma * weakened)
    start = ceil(epsilon * float(noise.sigma) ** 2 - 0.5)
    near = int(np.count_nonzero(np.asarray(noise(np.ones(trials, np.int64))) >= start + 1))
    # The claim bounds the rate of `near` by e^ε times the other rate, which the law gives.
    law = np.array([noise.pmf(place) for place in range(start + 1, start + 60)])
    allowed = exp(epsilon) * law.sum() + delta
    assert (binomial_at_least(near, trials, allowed) < 1e-6) == caught


def test_arrays_keep_their_shape_and_numbers_their_kind() -> None:
    noise = Gaussian(sigma=2)
    assert isinstance(noise(41), int)
    assert isinstance(Gaussian(sigma=2, grid="1/4")(41.3), float)
    assert np.asarray(noise(np.zeros((3, 4), np.int64))).shape == (3, 4)
    assert np.asarray(noise([1, 2, 3])).dtype == np.int64
    values = np.asarray(Gaussian(sigma=2, grid="1/4")([0.1, 0.2])) * 4
    assert (values == np.floor(values)).all()


def test_a_release_in_steps_keeps_its_kind() -> None:
    noise, source = Gaussian(sigma=2, grid="1/4"), Keystream()
    assert isinstance(noise.release(Sensitive(10**30), source), int)
    assert [type(x) for x in noise.release(Sensitive((1, 2)), source)] == [int, int]
    many = noise.release(Sensitive(np.zeros(100_000, np.int64)), source)
    assert chi_square(many, 8) > FALSE_ALARM, "sigma is 8 steps"
    assert chi_square(many, 8.4) < FALSE_ALARM


def test_both_inputs_reach_the_same_outputs() -> None:
    noise = Gaussian(sigma="0.8", grid="1/2")
    first = {float(x) for x in np.asarray(noise(np.zeros(20_000)))}
    second = {float(x) for x in np.asarray(noise(np.full(20_000, 0.3)))}
    assert {x for x in first | second if abs(x) < 2} <= first & second


# Parameters -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"epsilon": 0}, "epsilon is 0"),
        ({"epsilon": float("nan")}, "nan"),
        ({"delta": 0}, "no pure ε"),
        ({"delta": 1}, "below 1"),
        ({"delta": -1e-6}, "at least 0"),
        ({"delta": "abc"}, "abc"),
        ({"sensitivity": 0}, "above 0"),
        ({"sensitivity": Sensitivity(l2=0)}, "above 0"),
        ({"sensitivity": Sensitivity(linf=1)}, "no l2"),
        ({"dimension": 0}, "whole number above 0"),
        ({"dimension": 2.5}, "whole number above 0"),
        ({"dimension": True}, "whole number above 0"),
    ],
)
def test_parameters_without_meaning_are_refused(changes: dict[str, object], words: str) -> None:
    parameters: dict[str, object] = {"sensitivity": 1, "epsilon": 1, "delta": 1e-6}
    with pytest.raises(PrivacyParameterError, match=words):
        Gaussian.calibrated(**{**parameters, **changes})  # type: ignore[arg-type]


def test_sigma_cells_and_confidence_are_checked() -> None:
    for sigma in (0, -1, float("inf"), None, "abc"):
        with pytest.raises(PrivacyParameterError):
            Gaussian(sigma=sigma)  # type: ignore[arg-type]
    with pytest.raises(PrivacyParameterError, match="cells"):
        Gaussian(sigma=1).accuracy(0.95, cells=0)
    with pytest.raises(PrivacyParameterError, match="confidence"):
        Gaussian(sigma=1).accuracy(1)
    with pytest.raises(PrivacyParameterError, match="no pure ε"):
        Gaussian(sigma=1).loss(ONE, delta=0)


@pytest.mark.parametrize("epsilon", ["1e-20", "1e-6", "30", "1000", "1e300"])
def test_absurd_parameters_are_answered_soundly(epsilon: str) -> None:
    sigma = least_sigma(Move(1, 1), Fraction(epsilon), MILLIONTH)
    if sigma <= 300:
        _, high = exact_delta(sigma**2, 1, Fraction(epsilon), 96)
        assert Fraction(high, 1 << 96) <= MILLIONTH
    else:
        assert continuous_delta(float(sigma), 1, float(epsilon)) <= 1e-6 * (1 + 1e-6)


def test_an_epsilon_that_is_rarely_meant_warns() -> None:
    with pytest.warns(PrivacyWarning, match="protects nobody"):
        Gaussian.calibrated(sensitivity=1, epsilon=50, delta=1e-6)


def test_it_shows_itself_as_it_was_written() -> None:
    assert repr(Gaussian(sigma=3)) == "Gaussian(sigma=3)"
    assert repr(Gaussian(sigma=0.1, grid=0.25)) == "Gaussian(sigma=0.1, grid=1/4)"
    assert repr(Gaussian(sigma="1/3")) == "Gaussian(sigma=1/3)"
    assert Gaussian(sigma=0.1).sigma == Fraction(1, 10)


def test_the_classic_formula_holds_up_to_one_and_fails_at_large_epsilon() -> None:
    def classic(epsilon: float) -> float:
        return sqrt(2 * log(1.25 / 1e-6)) / epsilon

    for epsilon in (0.1, 0.5, 1.0):
        sigma = Fraction(classic(epsilon)).limit_denominator(10**6)
        assert verify(Gaussian(sigma=sigma), 0, 1).delta(epsilon=Fraction(epsilon)) < MILLIONTH
    assert continuous_delta(classic(9), 1, 9) > 1e-6


def test_crossover_with_laplace_noise_is_at_nine_counts() -> None:
    """One unit in all of k counts: Laplace needs 2k²/ε² of variance, Gaussian noise kσ²."""
    sigma = float(Gaussian.calibrated(sensitivity=1, epsilon=1, delta=1e-6, grid=2**-20).sigma)
    better = [k for k in range(1, 20) if k * sigma**2 < 2 * k * k]
    assert better[0] == 9


def test_calibration_is_quick() -> None:
    def seconds() -> float:
        start = process_time()
        least_sigma.__wrapped__(Move(9, 9), Fraction(1), MILLIONTH)
        least_sigma.__wrapped__(Move(1, 1), Fraction(1), MILLIONTH)
        return process_time() - start

    assert min(seconds() for _ in range(5)) < 0.1, "50 ms each; about 30 ms both on an idle core"
