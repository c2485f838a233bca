"""The interval of a share, from two sums and from three.  Its law: tests/privacy/test_pairs.py"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.measures.moments import (
    share,
    share_interval,
    share_of_squares,
    share_of_squares_interval,
)
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.privacy.joint_noise import joint_distances

LEVEL = Fraction(95, 100)
KINDS = [lambda scale: Laplace(scale=scale), lambda scale: Gaussian(sigma=scale)]


@given(
    part=st.integers(-50, 2000),
    rest=st.integers(-50, 2000),
    scale=st.sampled_from([Fraction(1, 4), Fraction(1), Fraction(30)]),
    kind=st.sampled_from(KINDS),
)
def test_the_interval_holds_its_middle_and_every_share_that_is_inside(part, rest, scale, kind):
    noise = kind(scale)
    low, high = share_interval(part, rest, noise, LEVEL)
    assert 0 <= low <= share(part, rest) <= high <= 1
    distances = float(scale) * joint_distances((noise,) * 2, (1.0, 0.0), (0.0, -1.0), 1 - LEVEL)
    for at in np.linspace(0, 1, 41):
        cell = min(int(at * distances.size), distances.size - 1)
        if abs(part - (part + rest) * at) <= distances[cell]:
            assert low - 1e-9 <= at <= high + 1e-9


def test_nothing_is_known_where_the_noise_left_nothing():
    mechanism = Laplace(scale=1)
    for part, rest in ((0, 0), (-3, -2), (5, -5), (-400, 10)):
        low, high = share_interval(part, rest, mechanism, LEVEL)
        assert (low, high) == (0.0, 1.0) or high - low > 0.5
    assert share(0, 0) == share(-3, -2) == 0.5
    assert (share(-3, 10), share(10, -3)) == (0.0, 1.0)


@pytest.mark.parametrize("scale", [Fraction(10) ** 400, Fraction(1, 10**400), Fraction(10) ** 190])
@pytest.mark.parametrize("kind", KINDS)
def test_extreme_scales_are_answered(scale, kind):
    low, high = share_interval(300, 700, kind(scale), LEVEL)
    assert 0 <= low <= 0.3 <= high <= 1


@given(
    sums=st.tuples(*[st.integers(-50, 2000)] * 3),
    scale=st.sampled_from([Fraction(1, 4), Fraction(1), Fraction(30)]),
    kind=st.sampled_from(KINDS),
)
def test_three_sums_give_an_interval_around_their_share(sums, scale, kind):
    low, high = share_of_squares_interval(sums, kind(scale), LEVEL)
    assert 0 <= low <= share_of_squares(*sums) <= high <= 1
    if (low, high) == (0, 1):  # also where the sums are too far from all shares
        return
    wider = share_of_squares_interval(sums, kind(scale), Fraction(999, 1000))
    assert wider[0] <= low
    assert high <= wider[1]
