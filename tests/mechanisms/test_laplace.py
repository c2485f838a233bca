"""Laplace noise on a grid: its law, its price, and how far it reaches."""

from fractions import Fraction
from itertools import product
from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import PrivacyParameterError, VerificationError
from discreet.exact import Grid
from discreet.mechanisms import Laplace
from discreet.mechanisms.laplace import LaplaceLaw, least_reach
from discreet.noise import UnsafeSeededBits
from discreet.privacy.sensitivity import Sensitive, Sensitivity
from discreet.privacy.verification import verify
from tests.support.evidence import fits

scales = st.fractions(min_value=Fraction(1, 20), max_value=50, max_denominator=50)


def chance(scale: Fraction, distance: int) -> float:
    q = exp(-1 / float(scale))
    return (1 - q) / (1 + q) * q ** abs(distance)


# ---------------------------------------------------------------------- the law


@given(scale=scales, distance=st.integers(-30, 30))
def test_the_law_is_the_two_sided_geometric_one(scale, distance):
    assert Laplace(scale=scale).pmf(distance) == pytest.approx(chance(scale, distance), rel=1e-12)


def test_the_law_is_exact_far_out():
    assert Laplace(scale=1).pmf(500) == pytest.approx(exp(-500) * (1 - exp(-1)) / (1 + exp(-1)))
    assert Laplace(scale=1).pmf(0.5) == 0.0


def test_the_law_on_a_grid_is_that_of_its_steps():
    fine = Laplace(scale=3, grid=2**-30)
    assert fine.pmf(2.0**-30) == pytest.approx(chance(Fraction(3 << 30), 1))
    assert fine.law(0.5).probability(0.5 + 2.0**-30) == fine.pmf(2.0**-30)


@pytest.mark.parametrize("scale", [Fraction(1, 2), 1, Fraction(7, 3), 12])
def test_what_is_drawn_follows_the_law_and_no_other(scale):
    mechanism = Laplace(scale=scale)
    sample = [int(noisy) - 5 for noisy in np.asarray(mechanism(np.full(200_000, 5)))]
    reach = mechanism.accuracy(1 - Fraction(1, 10**12))
    assert fits(sample, {k: chance(scale, k) for k in range(-reach, reach + 1)})
    assert not fits(sample, {k: chance(scale * 1.05, k) for k in range(-reach, reach + 1)})


@pytest.mark.parametrize("shape", ["number", "tuple", "array"])
def test_every_way_to_release_adds_the_noise_of_the_law(shape):
    mechanism, source = Laplace(scale=2), UnsafeSeededBits(11)
    true = {"number": 7, "tuple": (7, 7), "array": np.array([7, 7])}[shape]
    noisy = [
        int(number) - 7
        for _ in range(15_000)
        for number in np.atleast_1d(mechanism.release(Sensitive(true), source))
    ]
    assert fits(noisy, {k: chance(Fraction(2), k) for k in range(-60, 61)})
    assert not fits(noisy, {k: chance(Fraction(9, 4), k) for k in range(-60, 61)})


@given(scale=scales)
def test_moments_are_those_of_the_law(scale):
    mechanism = Laplace(scale=scale)
    reach = range(-int(80 * scale) - 2, int(80 * scale) + 3)
    absolute = sum(abs(k) * chance(scale, k) for k in reach)
    square = sum(k * k * chance(scale, k) for k in reach)
    assert mechanism.mean_absolute_error == pytest.approx(absolute, rel=1e-9, abs=1e-300)
    assert mechanism.variance == pytest.approx(square, rel=1e-9, abs=1e-300)


def test_moments_on_a_fine_grid_are_those_of_the_continuous_law():
    for grid in (2**-10, 2**-40, 2.0**-200):
        mechanism = Laplace(scale=3, grid=grid)
        assert mechanism.mean_absolute_error == pytest.approx(3, rel=1e-6)
        assert mechanism.variance == pytest.approx(18, rel=1e-6)


def test_the_count_of_one_epsilon_is_off_by_851_thousandths():
    q = exp(-1)
    assert Laplace(scale=1).mean_absolute_error == pytest.approx(2 * q / (1 - q * q), rel=1e-15)
    assert round(Laplace(scale=1).mean_absolute_error, 3) == 0.851


# ---------------------------------------------------------------------- privacy


@given(scale=scales, moved=st.integers(0, 12))
def test_the_loss_is_the_distance_over_the_scale_and_that_is_what_the_law_gives_away(scale, moved):
    mechanism = Laplace(scale=scale)
    loss = mechanism.loss(Sensitivity(l1=moved)).epsilon
    assert loss == moved / scale == verify(mechanism, 0, moved).epsilon


@pytest.mark.parametrize("scale", [1, Fraction(5, 2)])
def test_vectors_pay_for_their_l1_distance(scale):
    mechanism = Laplace(scale=scale)
    for first, second in product(product(range(3), repeat=2), repeat=2):
        distance = sum(abs(a - b) for a, b in zip(first, second, strict=True))
        assert verify(mechanism, first, second).epsilon == distance / Fraction(scale)


@pytest.mark.parametrize("sensitivity", ["0.25", 1, "7/2"])
def test_calibrated_noise_costs_what_was_asked(sensitivity):
    mechanism = Laplace.calibrated(sensitivity=sensitivity, epsilon="0.4", grid=2**-10)
    moved = Sensitivity(l1=sensitivity)
    assert mechanism.loss(moved).epsilon == Fraction(2, 5)
    assert Laplace.calibrated(sensitivity=moved, epsilon="0.4", grid=2**-10) == mechanism


def test_what_no_values_on_the_grid_move_by_is_refused_and_rounded_it_is_private():
    mean = Sensitivity.of("mean", bounds=(0, 10), neighbors="replace", records=4)
    for refused in (
        lambda: Laplace.calibrated(sensitivity=mean, epsilon=1),
        lambda: Laplace.calibrated(sensitivity="0.01", epsilon=1),
        lambda: Laplace(scale=1).loss(mean),
    ):
        with pytest.raises(PrivacyParameterError, match=r"rounded\(1, dimension=1\)"):
            refused()
    moved = mean.rounded(1)
    noise = Laplace.calibrated(sensitivity=moved, epsilon=1)
    tenths = [Fraction(number, 20) for number in range(60)]
    found = max(verify(noise, low, low + Fraction(5, 2)).epsilon for low in tenths)
    assert found == noise.loss(moved).epsilon == 1
    # The control: the move before rounding would cost more than is said.
    careless = Laplace(scale=Fraction(5, 2))
    assert max(verify(careless, low, low + Fraction(5, 2)).epsilon for low in tenths) > 1


def test_one_rounded_number_needs_no_surcharge_where_the_sensitivity_is_whole_steps():
    mechanism = Laplace(scale=1, grid=0.25)
    inputs = [Fraction(k, 16) for k in range(17)]
    worst = max(verify(mechanism, x, x + Fraction(1, 2)).epsilon for x in inputs)
    assert worst == Fraction(1, 2)
    assert max(verify(mechanism, x, x + Fraction(1, 3)).epsilon for x in inputs) == Fraction(1, 2)


def test_rounded_vectors_need_a_step_per_coordinate():
    mechanism, step = Laplace(scale=1, grid=1), Fraction(1)
    near, far = [Fraction(49, 100)] * 3, [Fraction(51, 100)] * 3
    moved = Sensitivity(l1=Fraction(6, 100))
    loss = verify(mechanism, near, far).epsilon
    assert loss == 3 > moved.need("l1")
    assert loss <= moved.rounded(Grid.of(step), 3).need("l1")


def test_laws_of_different_mechanisms_are_not_compared():
    with pytest.raises(VerificationError, match="different scales"):
        LaplaceLaw(0, Fraction(1), Grid(0)).against(LaplaceLaw(0, Fraction(2), Grid(0)))
    with pytest.raises(VerificationError, match="grid steps apart"):
        verify(Laplace(scale=1), 0, 10**6)


# ---------------------------------------------------------------------- accuracy


def covered(scale: Fraction, reach: int) -> float:
    q = exp(-1 / float(scale))
    return 1 - 2 * q ** (reach + 1) / (1 + q)


@given(
    scale=scales,
    level=st.fractions(min_value=Fraction(1, 100), max_value=Fraction(999_999, 10**6)),
    cells=st.integers(1, 10**6),
)
def test_the_accuracy_is_the_least_reach_that_covers(scale, level, cells):
    reach = least_reach(Fraction(scale), level, cells)
    assert covered(scale, reach) ** cells >= float(level) * (1 - 1e-9)
    if reach:
        assert covered(scale, reach - 1) ** cells <= float(level) * (1 + 1e-9)


def test_the_figures_of_the_lectures():
    one = Laplace(scale=1)
    assert [one.accuracy(0.95), one.accuracy(0.99)] == [3, 4]
    assert [one.accuracy(0.95, cells=100), one.accuracy(0.95, cells=10_000)] == [7, 12]


@pytest.mark.parametrize("steps", [2**45 + 1, 2**60, 10**30, Fraction(10) ** 400])
def test_wide_noise_reaches_as_far_as_the_continuous_law(steps):
    for level in (Fraction(95, 100), 1 - Fraction(1, 10**40)):
        reach = least_reach(Fraction(steps), level, 1)
        miss = 1 - level
        expected = steps * Fraction(log(miss.denominator) - log(miss.numerator))
        assert abs(reach / expected - 1) < Fraction(1, 10**9)


@pytest.mark.parametrize("confidence", [1 - Fraction(1, 10**60), Fraction(1, 10**60)])
def test_extreme_confidences_are_answered(confidence):
    assert 0 <= Laplace(scale=1).accuracy(confidence) < 150
    assert Laplace(scale=1).union_bound(confidence, cells=10**9) > 0


@given(
    scale=scales,
    level=st.fractions(min_value=Fraction(1, 2), max_value=Fraction(9999, 10000)),
    cells=st.integers(1, 10**5),
    exponent=st.integers(-10, 3),
)
def test_the_union_bound_holds_and_exceeds_the_lectures_by_half_a_step(
    scale, level, cells, exponent
):
    mechanism = Laplace(scale=scale, grid=Grid(exponent))
    step = 2.0**exponent
    bound = mechanism.union_bound(level, cells=cells)
    lectures = float(scale) * log(cells / float(1 - level))
    assert lectures <= bound <= lectures + step / 2 + 1e-9 * bound
    reached = np.ceil(bound * (1 - 1e-12) / step)  # the fewest steps that reach the bound
    tail = 2 * exp(-reached * step / float(scale)) / (1 + exp(-step / float(scale)))
    assert cells * tail <= float(1 - level) * (1 + 1e-9)


@given(scale=scales, distance=st.floats(-2, 60))
def test_the_tail_is_that_of_the_law(scale, distance):
    inside = sum(chance(scale, k) for k in range(-60, 61) if abs(k) <= distance)
    assert Laplace(scale=scale).tail(np.array([distance]))[0] == pytest.approx(
        1 - inside, abs=1e-12
    )


def test_95_percent_intervals_cover_95_percent():
    mechanism = Laplace(scale=4)
    noise = np.abs(np.asarray(mechanism(np.zeros(100_000, np.int64))))
    miss = 1 - covered(Fraction(4), mechanism.accuracy(0.95))
    spread = 5 * sqrt(miss * (1 - miss) * 100_000)
    missed = int((noise > mechanism.accuracy(0.95)).sum())
    assert abs(missed - 100_000 * miss) <= spread
    too_near = int((noise > Laplace(scale=3).accuracy(0.95)).sum())  # the margin of other noise
    assert abs(too_near - 100_000 * miss) > spread


@pytest.mark.parametrize("confidence", [0, 1, -1, 2, float("nan"), "x", None])
def test_a_confidence_without_meaning_is_refused(confidence):
    for ask in (Laplace(scale=1).accuracy, Laplace(scale=1).union_bound):
        with pytest.raises(PrivacyParameterError, match="confidence"):
            ask(confidence)


@pytest.mark.parametrize("cells", [0, -1, 1.5, "x", True])
def test_a_number_of_cells_without_meaning_is_refused(cells):
    for ask in (Laplace(scale=1).accuracy, Laplace(scale=1).union_bound):
        with pytest.raises(PrivacyParameterError, match="cells"):
            ask(0.95, cells=cells)
