"""The interval of a quotient holds the truth as often as it says, by the exact law of both noises.

No verdict here is by chance: coverage is summed over all values that the noises take.
"""

from fractions import Fraction
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.privacy import uncertainty
from discreet.privacy.uncertainty import (
    CELLS,
    FINE_CELLS,
    distance,
    pair_distances,
    quotient_interval,
    rounding_steps,
    share_cells,
)

MISS = Fraction(5, 100)
SCALES = [Fraction(1, 5), Fraction(1, 3), Fraction(1), Fraction(7, 2)]


def law(scale: Fraction, rest: float = 1e-10) -> tuple[np.ndarray, np.ndarray]:
    """All integers of Laplace noise but a negligible rest, and their chances."""
    q = exp(-1 / float(scale))
    reach = int(float(scale) * log(2 / rest)) + 1
    values = np.arange(-reach, reach + 1)
    return values, (1 - q) / (1 + q) * q ** np.abs(values).astype(float)


def beyond(at: float, first: Fraction, second: Fraction, reach: float) -> float:
    """The naive twin: P[|(1-λ)·X/first - λ·Y/second| > reach], value by value."""
    (x, p), (y, r) = law(first), law(second)
    far = np.abs((1 - at) * x[:, None] / float(first) - at * y / float(second)) > reach
    return float((p[:, None] * r * far).sum())


@pytest.mark.parametrize("miss", [MISS, Fraction(1, 1000)])
@pytest.mark.parametrize("first", SCALES)
@pytest.mark.parametrize("second", [Fraction(1, 3), Fraction(1), Fraction(7, 2)])
def test_no_noise_goes_beyond_its_distance_more_often_than_it_says(first, second, miss):
    distances = pair_distances(first, second, miss)
    places = np.random.default_rng(4).random(40)
    for at in [0.0, 0.25, 0.5, 1.0, *places]:
        cell = min(int(at * CELLS), CELLS - 1)
        assert beyond(at, first, second, distances[cell]) <= miss * (1 + 1e-6)
    # The negative control: a tenth less is too little somewhere.
    assert any(
        beyond(at, first, second, 0.9 * distances[min(int(at * CELLS), CELLS - 1)]) > miss
        for at in [0.0, 0.25, 0.5, 1.0, *places]
    )


@pytest.mark.parametrize("scale", SCALES[1:])
def test_distances_are_hardly_larger_than_they_must_be(scale):
    """In the middle of a cell, a little less than its distance is too little."""
    distances = pair_distances(scale, scale, MISS)
    tight = 0
    for cell in range(0, CELLS, 7):
        at = (cell + 0.5) / CELLS
        tight += beyond(at, scale, scale, 0.95 * distances[cell]) > MISS
    assert tight >= 15


@pytest.mark.parametrize("scale", [Fraction(17), Fraction(40)])
def test_fine_grids_are_continuous_with_what_that_neglects(scale):
    distances = pair_distances(scale, scale, MISS)
    for at in (0.0, 0.1, 0.37, 0.5, 0.9, 1.0):
        cell = min(int(at * FINE_CELLS), FINE_CELLS - 1)
        chance = beyond(at, scale, scale, distances[cell])
        assert 0.7 * MISS <= chance <= MISS


@pytest.mark.parametrize("weights", [(1.0, 0.0, 0.0), (0.5, 0.5, 0.5), (2.0, 1.0, 0.25)])
def test_three_noises_go_beyond_as_often_as_they_may(weights):
    """False alarm: 10^6 draws leave a mean within 5.5 sigmas but for 4e-8."""
    draws = np.random.default_rng(8).laplace(size=(3, 10**6))
    reach = distance(weights, [1e12] * 3, 0.05)
    missed = np.mean(np.abs(np.array(weights) @ draws) > reach)
    assert 0.048 - 0.0012 <= missed <= 0.05 + 0.0012
    assert np.mean(np.abs(np.array(weights) @ draws) > 0.9 * reach) > 0.05 + 0.0012


@pytest.mark.parametrize("truth", [(0, 3), (1, 1), (3, 40), (200, 300), (7, 1000)])
@pytest.mark.parametrize("scale", SCALES)
def test_the_interval_of_a_share_covers_every_true_pair(truth, scale):
    covered, _width = coverage(truth, scale, 1.0)
    assert covered >= 1 - float(MISS) - 1e-9
    # Where intervals do not end at 0 or 1, and both noises are not 0 with 95% anyway.
    if min(truth) >= 3 and Fraction(1, 4) < scale <= 1:
        assert coverage(truth, scale, 0.45)[0] < 1 - float(MISS), "the negative control"


def coverage(truth: tuple[int, int], scale: Fraction, part: float) -> tuple[float, float]:
    """P[the interval holds the true share], summed over the noises; and its mean width."""
    distances = part * pair_distances(scale, scale, MISS)
    share, (values, chances) = truth[0] / sum(truth), law(scale, 1e-7)
    covered = width = 0.0
    for x, p in zip(values, chances, strict=True):
        for y, r in zip(values, chances, strict=True):
            found = share_cells(
                (truth[0] + x) / float(scale), (truth[1] + y) / float(scale), distances
            )
            low, high = (0.0, 1.0) if found is None else found
            covered += p * r * (low <= share <= high)
            width += p * r * (high - low)
    return covered, width


def test_intervals_of_proportions_are_half_as_wide_as_the_corners_made_them():
    """At ε = 3: a step of rounding and the continuous law took 1.47 where 0.51 suffices."""
    assert pair_distances(Fraction(1, 3), Fraction(1, 3), MISS)[CELLS // 2] / 3 < 0.52


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second"), [((300, 1), (700, 1)), ((-50, 4), (30, 1)), ((5, 1), (40, 10))]
)
def test_the_interval_of_a_quotient_covers_the_truth(first, second):
    """By the exact law of both, with grids of their own."""
    (a, a_scale), (b, b_scale) = first, second
    (x, p), (y, r) = law(Fraction(a_scale), 1e-7), law(Fraction(b_scale), 1e-7)
    covered = narrow = 0.0
    for move, chance in zip(x, p, strict=True):
        for other, rest in zip(y, r, strict=True):
            low, high = quotient_interval(
                a + move,
                b + other,
                (Fraction(a_scale), Fraction(b_scale)),
                (float(a_scale), float(b_scale)),
                MISS,
            )
            covered += chance * rest * (low <= a / b <= high)
            middle = (a + move) / (b + other) if b + other else 0.0
            inside = abs(a / b - middle) <= 0.5 * min(high - middle, middle - low)
            narrow += chance * rest * inside
    assert covered >= 0.95 - 1e-9
    assert narrow < 0.95, "the negative control: half of it covers less"


def test_a_divisor_that_may_be_0_bounds_nothing():
    one = (Fraction(1), Fraction(1))
    assert quotient_interval(100.0, 1.0, one, (1.0, 1.0), MISS) == (-inf, inf)
    assert quotient_interval(0.0, 0.0, one, (1.0, 1.0), MISS) == (-inf, inf)
    low, high = quotient_interval(-30.0, 100.0, one, (1.0, 1.0), MISS)
    assert -0.4 < low < -0.3 < high < -0.2


@given(
    first=st.integers(-(10**6), 10**6),
    second=st.integers(-(10**6), 10**6),
    scale=st.sampled_from([Fraction(1, 3), Fraction(1), Fraction(10**6)]),
)
def test_the_interval_holds_the_quotient_that_is_released(first, second, scale):
    low, high = quotient_interval(
        float(first), float(second), (scale, scale), (float(scale), float(scale)), MISS
    )
    assert low <= high
    if second:
        assert low <= first / second * (1 + 1e-12) + 1e-15
        assert high >= first / second * (1 - 1e-12) - 1e-15


@pytest.mark.parametrize("scale", [Fraction(1, 10), Fraction(1), Fraction(7, 2), Fraction(1000)])
def test_integer_noise_is_near_the_continuous_one_that_has_the_same_tail(scale):
    """|X| = floor(|Z| + c) with c ≤ 1/2, so the two are at most 1 - c apart."""
    c = 1 - rounding_steps(float(scale))
    q = exp(-1 / float(scale))
    assert 0 < c <= 0.5
    for k in range(1, 40):
        assert exp(-(k - c) / float(scale)) == pytest.approx(2 * q**k / (1 + q), rel=1e-9)


def test_tables_are_made_once():
    pair_distances(Fraction(2), Fraction(2), MISS)
    before = uncertainty.pair_distances.cache_info().hits
    pair_distances(Fraction(2), Fraction(2), MISS)
    assert uncertainty.pair_distances.cache_info().hits == before + 1
