"""The interval of a share: the law of its pivot, its convexity, and its edges."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.mechanisms.laplace import Laplace
from discreet.statistics.ratio import _quantile, _tail, share, share_interval

LEVEL = Fraction(95, 100)
MISSES = [0.9, 0.5, 0.05, 1e-3, 1e-9]


@pytest.mark.parametrize("part", [0.0, 0.1, 0.35, 0.49999, 0.5, 0.8, 1.0])
def test_the_tail_is_that_of_two_laplace_noises(part):
    generator = np.random.default_rng(2)
    draws = generator.laplace(size=(2, 200_000))
    combined = np.abs((1 - part) * draws[0] - part * draws[1])
    for distance in (0.0, 0.3, 1.0, 3.0):
        expected, _ = _tail(distance, 1 - part, part)
        assert np.mean(combined > distance) == pytest.approx(expected, abs=0.006)


@given(part=st.floats(0, 1), distance=st.floats(0.01, 8))
def test_the_density_is_the_slope_of_the_tail(part, distance):
    step = 1e-5
    ends = [_tail(distance + side * step, 1 - part, part)[0] for side in (-1, 1)]
    assert _tail(distance, 1 - part, part)[1] == pytest.approx(
        (ends[0] - ends[1]) / (2 * step), abs=2e-4
    )


@given(part=st.floats(0, 1), miss=st.sampled_from(MISSES), scale=st.floats(1e-3, 1e12))
def test_the_quantile_is_exceeded_as_often_as_it_says(part, miss, scale):
    reach = _quantile((1 - part) * scale, part * scale, miss)
    tail, _ = _tail(reach, (1 - part) * scale, part * scale)
    assert miss * (1 - 1e-6) <= tail <= miss * (1 + 1e-9)


@pytest.mark.parametrize("miss", MISSES)
def test_the_reach_is_convex_in_the_share(miss):
    """So that the shares inside are one interval on either side (proved in docs/proofs)."""
    reaches = [_quantile(1 - part, part, miss) for part in np.linspace(0, 1, 501)]
    assert np.diff(reaches, 2).min() > -1e-9


@pytest.mark.parametrize("steps", [Fraction(1, 10), Fraction(1), Fraction(7, 2), Fraction(1000)])
def test_integer_noise_is_near_the_continuous_one_that_has_the_same_tail(steps):
    """|X| = floor(|Z| + c) with c ≤ 1/2, so the two are at most 1 - c apart."""
    scale = float(steps)
    q = np.exp(-1 / scale)
    c = scale * np.log(2 / (1 + q))
    assert 0 < c <= 0.5
    for k in range(1, 40):
        exact = 2 * q**k / (1 + q)
        assert np.exp(-(k - c) / scale) == pytest.approx(exact, rel=1e-9)


@given(
    part=st.integers(-50, 2000),
    rest=st.integers(-50, 2000),
    scale=st.sampled_from([Fraction(1, 4), Fraction(1), Fraction(30)]),
)
def test_the_interval_holds_its_middle_and_every_share_that_is_inside(part, rest, scale):
    low, high = share_interval(part, rest, Laplace(scale=scale), LEVEL)
    assert 0 <= low <= share(part, rest) <= high <= 1
    for at in np.linspace(0, 1, 41):
        reach = _quantile(float(1 - at) * float(scale), float(at) * float(scale), 0.05)
        if abs(part - (part + rest) * at) <= reach:
            assert low - 1e-9 <= at <= high + 1e-9


def test_nothing_is_known_where_the_noise_left_nothing():
    mechanism = Laplace(scale=1)
    for part, rest in ((0, 0), (-3, -2), (5, -5), (-400, 10)):
        low, high = share_interval(part, rest, mechanism, LEVEL)
        assert (low, high) == (0.0, 1.0) or high - low > 0.5
    assert share(0, 0) == share(-3, -2) == 0.5
    assert (share(-3, 10), share(10, -3)) == (0.0, 1.0)


@pytest.mark.parametrize("scale", [Fraction(10) ** 400, Fraction(1, 10**400), Fraction(10) ** 190])
def test_extreme_scales_are_answered(scale):
    low, high = share_interval(300, 700, Laplace(scale=scale), LEVEL)
    assert 0 <= low <= 0.3 <= high <= 1
