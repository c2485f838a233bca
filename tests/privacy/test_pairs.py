"""The interval of a quotient holds the truth as often as it says, by the exact law of both noises.

No verdict here is by chance: coverage is summed over all values that the noises take.
"""

from collections import Counter
from fractions import Fraction
from math import erfc, exp, inf, log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.privacy.estimates import Estimate, LinearError, NoiseDraw, Payment
from discreet.privacy.joint_noise import (
    CELLS,
    FINE_CELLS,
    GAUSSIAN,
    LAPLACE,
    joint_distances,
    share_cells,
    weighted_distance,
)
from discreet.privacy.losses import PureDP
from discreet.privacy.uncertainty import (
    BOX,
    PartOf,
    possible_quotient,
    possible_value,
    product_interval,
    quotient_interval,
)
from tests.support.trials import all_but

MISS = Fraction(5, 100)
SCALES = [Fraction(1, 5), Fraction(1, 3), Fraction(1), Fraction(7, 2)]
KINDS = ["laplace", "gaussian"]


def noise(kind: str, scale: Fraction) -> Any:
    return Laplace(scale=scale) if kind == "laplace" else Gaussian(sigma=scale)


def pair_distances(first: Fraction, second: Fraction, miss: Fraction, kind: str = "laplace") -> Any:
    """By cell of λ, for (1-λ)·X/first - λ·Y/second."""
    return joint_distances((noise(kind, first), noise(kind, second)), (1.0, 0.0), (0.0, -1.0), miss)


def law(
    scale: Fraction, rest: float = 1e-10, kind: str = "laplace"
) -> tuple[np.ndarray, np.ndarray]:
    """All integers of a noise but a negligible rest, and their chances."""
    if kind == "gaussian":
        reach = int(float(scale) * sqrt(2 * log(2 / rest))) + 2
        values = np.arange(-reach, reach + 1)
        weights = np.exp(-(values.astype(float) ** 2) / (2 * float(scale) ** 2))
        return values, weights / weights.sum()
    q = exp(-1 / float(scale))
    reach = int(float(scale) * log(2 / rest)) + 1
    values = np.arange(-reach, reach + 1)
    return values, (1 - q) / (1 + q) * q ** np.abs(values).astype(float)


def beyond(
    at: float, first: Fraction, second: Fraction, reach: float, kind: str = "laplace"
) -> float:
    """The naive twin: P[|(1-λ)·X/first - λ·Y/second| > reach], value by value."""
    (x, p), (y, r) = law(first, kind=kind), law(second, kind=kind)
    far = np.abs((1 - at) * x[:, None] / float(first) - at * y / float(second)) > reach
    return float((p[:, None] * r * far).sum())


@pytest.mark.parametrize("miss", [MISS, Fraction(1, 1000)])
@pytest.mark.parametrize("first", SCALES)
@pytest.mark.parametrize("second", [Fraction(1, 3), Fraction(1), Fraction(7, 2)])
@pytest.mark.parametrize("kind", KINDS)
def test_no_noise_goes_beyond_its_distance_more_often_than_it_says(first, second, miss, kind):
    distances = pair_distances(first, second, miss, kind)
    places = np.random.default_rng(4).random(40)
    for at in [0.0, 0.25, 0.5, 1.0, *places]:
        cell = min(int(at * CELLS), CELLS - 1)
        assert beyond(at, first, second, distances[cell], kind) <= miss * (1 + 1e-6)
    if kind == "gaussian" and max(first, second) < Fraction(1, 2) and miss == MISS:
        return  # both are 0 with 95%
    # The negative control: a tenth less is too little somewhere.
    assert any(
        beyond(at, first, second, 0.9 * distances[min(int(at * CELLS), CELLS - 1)], kind) > miss
        for at in [0.0, 0.25, 0.5, 1.0, *places]
    )


@pytest.mark.parametrize(
    ("kind", "scale"),
    [  # Gaussian noise of less than half a step is 0 but for 2%
        (kind, scale)
        for kind in KINDS
        for scale in SCALES[1:]
        if kind != "gaussian" or scale >= Fraction(1, 2)
    ],
)
def test_distances_are_hardly_larger_than_they_must_be(scale, kind):
    """In the middle of a cell, a little less than its distance is too little."""
    distances = pair_distances(scale, scale, MISS, kind)
    tight = 0
    for cell in range(0, CELLS, 7):
        at = (cell + 0.5) / CELLS
        tight += beyond(at, scale, scale, 0.95 * distances[cell], kind) > MISS
    assert tight >= 15


@pytest.mark.parametrize(
    ("kind", "scale"), [("laplace", 17), ("laplace", 40), ("gaussian", 33), ("gaussian", 60)]
)
def test_fine_grids_are_continuous_with_what_that_neglects(scale, kind):
    scale = Fraction(scale)
    distances = pair_distances(scale, scale, MISS, kind)
    for at in (0.0, 0.1, 0.37, 0.5, 0.9, 1.0):
        cell = min(int(at * FINE_CELLS), FINE_CELLS - 1)
        chance = beyond(at, scale, scale, distances[cell], kind)
        assert 0.7 * MISS <= chance <= MISS


@pytest.mark.parametrize("sigma", [0.05, 0.3, 0.5, 0.8, 1, 1.7, 3, 10, 50])
def test_integer_gaussian_noise_is_the_normal_one_rounded_up_or_down(sigma):
    """P[|Z| ≥ k] ≤ P[|X| ≥ k] ≤ P[|Z| ≥ k-1], from k = 1 as far as floats see anything."""
    values, chances = law(Fraction(sigma), 1e-300, "gaussian")
    for k in range(1, min(values[-1], int(35 * sigma) + 1)):
        inside = float(chances[values >= k].sum() * 2)
        low, high = (erfc(end / sigma / sqrt(2)) for end in (k, k - 1))
        assert low * (1 - 1e-12) <= inside <= high * (1 + 1e-12)
    assert GAUSSIAN.rounding(float(sigma)) == 1.0


@pytest.mark.parametrize("sigma", [Fraction(1), Fraction(2), Fraction(9, 2)])
@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (2.0, 1.0, 0.25), (1.0, 0.0, 0.0)])
@pytest.mark.parametrize("kind", KINDS)
def test_three_draws_on_a_coarse_grid_go_beyond_no_more_often_than_they_may(kind, sigma, weights):
    """By exact convolution; without what rounding takes, the distance is exceeded more often."""
    reach = weighted_distance([noise(kind, sigma)] * 3, weights, MISS)
    assert convolved(kind, sigma, weights, reach) <= MISS
    family = LAPLACE if kind == "laplace" else GAUSSIAN
    continuous = float(family.distances(np.array([weights]), float(MISS))[0])
    if kind == "gaussian" and sigma == 1 and weights[1] == 0:
        assert convolved(kind, sigma, weights, continuous) > MISS, "the negative control"


def convolved(kind: str, scale: Fraction, weights: Any, reach: float) -> float:
    """P[|Σ weight·X|/scale > reach], value by value."""
    values, chances = law(scale, 1e-8, kind)
    first, second, third = (weight * values / float(scale) for weight in weights)
    sums = first[:, None, None] + second[:, None] + third
    far = np.abs(sums) > reach * (1 + 1e-12)
    return float((chances[:, None, None] * chances[:, None] * chances * far).sum())


@pytest.mark.parametrize("weights", [(1.0, 0.0, 0.0), (0.5, 0.5, 0.5), (2.0, 1.0, 0.25)])
@pytest.mark.parametrize("kind", KINDS)
def test_three_noises_go_beyond_as_often_as_they_may(weights, kind):
    """False alarm: 10^6 draws leave a mean within 5.5 sigmas but for 4e-8."""
    generator = np.random.default_rng(8)
    drawn = generator.laplace if kind == "laplace" else generator.normal
    draws = drawn(size=(3, 10**6))
    reach = weighted_distance([noise(kind, Fraction(10**12))] * 3, weights, MISS)
    missed = np.mean(np.abs(np.array(weights) @ draws) > reach)
    assert 0.048 - 0.0012 <= missed <= 0.05 + 0.0012
    assert np.mean(np.abs(np.array(weights) @ draws) > 0.9 * reach) > 0.05 + 0.0012


@pytest.mark.parametrize("truth", [(0, 3), (1, 1), (3, 40), (200, 300), (7, 1000)])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_interval_of_a_share_covers_every_true_pair(truth, scale, kind):
    covered, _width = coverage(truth, scale, 1.0, kind)
    assert covered >= 1 - float(MISS) - 1e-9
    # Where intervals do not end at 0 or 1, and both noises are not 0 with 95% anyway.
    if min(truth) >= 3 and (Fraction(1, 4) if kind == "laplace" else Fraction(1, 2)) < scale <= 1:
        assert coverage(truth, scale, 0.45, kind)[0] < 1 - float(MISS), "the negative control"


def coverage(
    truth: tuple[int, int], scale: Fraction, part: float, kind: str
) -> tuple[float, float]:
    """P[the interval holds the true share], summed over the noises; and its mean width."""
    distances = part * pair_distances(scale, scale, MISS, kind)
    share, (values, chances) = truth[0] / sum(truth), law(scale, 1e-7, kind)
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
@pytest.mark.parametrize("kind", KINDS)
def test_the_interval_of_a_quotient_covers_the_truth(first, second, kind):
    """By the exact law of both, with grids of their own."""
    (a, a_scale), (b, b_scale) = first, second
    (x, p), (y, r) = (law(Fraction(scale), 1e-7, kind) for scale in (a_scale, b_scale))
    terms = apart(noise(kind, Fraction(a_scale)), noise(kind, Fraction(b_scale)))
    covered = narrow = 0.0
    for move, chance in zip(x, p, strict=True):
        for other, rest in zip(y, r, strict=True):
            low, high = quotient_interval(a + move, b + other, terms, MISS)
            covered += chance * rest * (low <= a / b <= high)
            middle = (a + move) / (b + other) if b + other else 0.0
            inside = abs(a / b - middle) <= 0.5 * min(high - middle, middle - low)
            narrow += chance * rest * inside
    assert covered >= 0.95 - 1e-9
    assert narrow < 0.95, "the negative control: half of it covers less"


def apart(first: Any, second: Any) -> Counter[Any]:
    """Two numbers with a draw of noise each."""
    return Counter([(first, Fraction(1), Fraction(0)), (second, Fraction(0), Fraction(1))])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("truth", [(3, 40), (30, 70), (200, 300)])
@pytest.mark.parametrize("scale", [Fraction(1), Fraction(3)])
def test_a_part_of_a_whole_that_shares_its_noise_is_covered(kind, truth, scale):
    """part/(part + rest) where the whole is the sum of two noisy parts, by their exact law."""
    one = noise(kind, scale)
    terms = Counter([(one, Fraction(1), Fraction(1)), (one, Fraction(0), Fraction(1))])
    values, chances = law(scale, 1e-5, kind)
    covered = halved = 0.0
    for x, p in zip(values, chances, strict=True):
        for y, r in zip(values, chances, strict=True):
            part, whole = truth[0] + x, sum(truth) + x + y
            low, high = quotient_interval(float(part), float(whole), terms, MISS)
            covered += p * r * (low <= truth[0] / sum(truth) <= high)
            middle = part / whole if whole else 0.0
            near = min(high - middle, middle - low) / 2
            halved += p * r * (abs(truth[0] / sum(truth) - middle) <= near)
    assert covered >= 0.95 - 1e-4
    assert halved < 0.95, "the negative control: half of it covers less"


def test_a_mean_of_shared_noise_is_as_narrow_as_that_of_its_own_measure():
    """sum/count of the sums (x, w - x) is a share of them, whichever way it is computed."""
    draws = [NoiseDraw(Laplace(scale=2**20)) for _ in range(2)]
    paid = (Payment(PureDP(epsilon=1)),)

    def made(value: float, *weights: int) -> Estimate:
        terms = tuple((Fraction(one), draw) for one, draw in zip(weights, draws, strict=True))
        return Estimate(
            value=value,
            error=LinearError(tuple(one for one in terms if one[0])),
            releases=paid,
            mechanism=draws[0].noise,
            neighbors="add-remove",
        )

    above, below = 300 << 20, 700 << 20
    low, high = (made(above, 1, 0) / made(above + below, 1, 1)).interval()
    distances = joint_distances((draws[0].noise,) * 2, (1.0, 0.0), (0.0, -1.0), MISS)
    least, most = share_cells(300.0, 700.0, distances)
    assert (low, high) == (pytest.approx(least, rel=1e-2), pytest.approx(most, rel=1e-2))


def test_noises_of_two_families_share_the_chance_to_miss():
    terms = apart(Laplace(scale=100), Gaussian(sigma=200))
    low, high = quotient_interval(3000.0, 10_000.0, terms, MISS)
    assert 0.24 < low < 0.3 < high < 0.36


@pytest.mark.parametrize("kind", KINDS)
def test_a_divisor_that_may_be_0_bounds_nothing(kind):
    one = apart(noise(kind, Fraction(1)), noise(kind, Fraction(1)))
    assert quotient_interval(100.0, 1.0, one, MISS) == (-inf, inf)
    assert quotient_interval(0.0, 0.0, one, MISS) == (-inf, inf)
    low, high = quotient_interval(-30.0, 100.0, one, MISS)
    assert -0.4 < low < -0.3 < high < -0.2


@given(
    first=st.integers(-(10**6), 10**6),
    second=st.integers(-(10**6), 10**6),
    scale=st.sampled_from([Fraction(1, 3), Fraction(1), Fraction(10**6)]),
    kind=st.sampled_from(KINDS),
)
def test_the_interval_holds_the_quotient_that_is_released(first, second, scale, kind):
    one = noise(kind, scale)
    low, high = quotient_interval(float(first), float(second), apart(one, one), MISS)
    assert low <= high
    if second:
        slack = 1e-12 * abs(first / second) + 1e-15
        assert low - slack <= first / second <= high + slack


@pytest.mark.parametrize("scale", [Fraction(1, 10), Fraction(1), Fraction(7, 2), Fraction(1000)])
def test_integer_noise_is_near_the_continuous_one_that_has_the_same_tail(scale):
    """|X| = floor(|Z| + c) with c ≤ 1/2, so the two are at most 1 - c apart."""
    c = 1 - LAPLACE.rounding(float(scale))
    q = exp(-1 / float(scale))
    assert 0 < c <= 0.5
    for k in range(1, 40):
        assert exp(-(k - c) / float(scale)) == pytest.approx(2 * q**k / (1 + q), rel=1e-9)


def test_tables_are_made_once():
    pair_distances(Fraction(2), Fraction(2), MISS)
    before = joint_distances.cache_info().hits
    pair_distances(Fraction(2), Fraction(2), MISS)
    assert joint_distances.cache_info().hits == before + 1


# ---------------------------------------------------------------------- what is possible


@given(
    parts=st.lists(st.integers(0, 20), min_size=3, max_size=3),
    own=st.lists(st.integers(-5, 5), min_size=3, max_size=3),
    others=st.lists(st.integers(0, 5), min_size=3, max_size=3),
)
def test_a_quotient_of_sums_is_where_it_can_be_and_anywhere_there(parts, own, others):
    """The quotient of every part alone is possible, so that nothing narrower would hold."""
    draws = [NoiseDraw(Laplace(scale=1), True) for _ in parts]
    top, bottom = (
        LinearError(tuple((Fraction(w), d) for w, d in zip(one, draws, strict=True) if w))
        for one in (own, others)
    )
    low, high = possible_quotient(top, bottom)
    whole = sum(w * n for w, n in zip(others, parts, strict=True))
    if whole:
        true = sum(w * n for w, n in zip(own, parts, strict=True)) / whole
        assert low - 1e-12 <= true <= high + 1e-12
    reached = [a / b for a, b in zip(own, others, strict=True) if b]
    if reached:
        assert low in (min(reached), -inf)
        assert high in (max(reached), inf)
        assert (low == -inf) == any(a < 0 and not b for a, b in zip(own, others, strict=True))
        assert (high == inf) == any(a > 0 and not b for a, b in zip(own, others, strict=True))


def test_what_may_be_negative_or_was_moved_by_a_constant_says_nothing():
    part, rest, signed = (NoiseDraw(Laplace(scale=1), kind) for kind in (True, True, False))
    whole = LinearError(((Fraction(1), part), (Fraction(1), rest)))
    assert possible_quotient(LinearError(((Fraction(1), part),)), whole) == (0, 1)
    assert possible_quotient(LinearError(((Fraction(100), part),)), whole) == (0, 100)
    assert possible_quotient(LinearError(((Fraction(1), signed),)), whole) == (-inf, inf)
    moved = whole.times(Fraction(1), Fraction(-5))
    assert possible_quotient(LinearError(((Fraction(1), part),)), moved) == (-inf, inf)


def test_a_part_that_was_measured_apart_is_not_larger_than_its_whole():
    part, whole, other = (
        LinearError(((Fraction(1), NoiseDraw(Laplace(scale=1), True)),)) for _ in range(3)
    )
    assert possible_quotient(part, whole) == (0, inf)
    PartOf(part, whole).declare()
    assert possible_quotient(part, whole) == (0, 1)
    assert possible_quotient(part.times(Fraction(100)), whole.times(Fraction(2))) == (0, 50)
    assert possible_quotient(part, other) == (0, inf)
    assert possible_quotient(whole, part) == (0, inf)


@pytest.mark.parametrize(
    ("top", "bottom", "possible", "value"),
    [(3, 10, (0, 1), 0.3), (12, 10, (0, 1), 1.0), (-2, 10, (0, 1), 0.0), (3, -1, (0, 100), 50.0)],
)
def test_a_value_is_moved_to_the_nearest_possible_one(top, bottom, possible, value):
    assert possible_value(top, bottom, possible) == value


def test_a_value_without_a_middle_is_none():
    assert str(possible_value(3, 0, (0, inf))) == "nan"


# ---------------------------------------------------------------------- many draws, and products


@pytest.mark.slow
@pytest.mark.parametrize("truth", [(3, 40), (30, 70)])
def test_three_coarse_draws_are_covered_by_their_exact_law(truth):
    """part/(part + two others), by all values that three draws take."""
    one = Laplace(scale=Fraction(1))
    terms = Counter({(one, Fraction(1), Fraction(1)): 1, (one, Fraction(0), Fraction(1)): 2})
    values, chances = law(Fraction(1), 1e-3)
    twice = np.convolve(chances, chances)
    others = np.arange(2 * values[0], 2 * values[-1] + 1)
    covered = halved = 0.0
    for x, p in zip(values, chances, strict=True):
        for y, r in zip(others, twice, strict=True):
            part, whole = float(truth[0] + x), float(sum(truth) + x + y)
            low, high = quotient_interval(part, whole, terms, MISS)
            covered += p * r * (low <= truth[0] / sum(truth) <= high)
            middle = part / whole if whole else 0.0
            near = min(high - middle, middle - low) / 2
            halved += p * r * (abs(truth[0] / sum(truth) - middle) <= near)
    assert 0.95 - 2e-3 <= covered <= 0.98
    assert halved < 0.95, "the negative control: half of it covers less"


def product_bounds(a: float, b: float, first: Any, second: Any) -> tuple[float, float]:
    ends = tuple(
        (value - one.accuracy(1 - MISS * BOX / 2), value + one.accuracy(1 - MISS * BOX / 2))
        for value, one in ((a, first), (b, second))
    )
    return product_interval(a, b, (ends[0], ends[1]), apart(first, second), MISS)


NUMBERS = [(300, 400), (300, 5), (-40, 30), (0, 50), (0, 0), (3, -2)]


@pytest.mark.parametrize("truth", all_but(NUMBERS[:1], NUMBERS, pytest.mark.slow))
@pytest.mark.parametrize("kind", KINDS)
def test_the_interval_of_a_product_covers_the_truth(truth, kind):
    """By the exact law of both draws; half of it does not, where both numbers are large."""
    first, second = noise(kind, Fraction(1)), noise(kind, Fraction(2))
    (x, p), (y, r) = law(Fraction(1), 1e-3, kind), law(Fraction(2), 1e-3, kind)
    covered = halved = 0.0
    for move, chance in zip(x, p, strict=True):
        for other, rest in zip(y, r, strict=True):
            a, b = float(truth[0] + move), float(truth[1] + other)
            low, high = product_bounds(a, b, first, second)
            assert low <= a * b <= high
            covered += chance * rest * (low <= truth[0] * truth[1] <= high)
            near = min(high - a * b, a * b - low) / 2
            halved += chance * rest * (abs(truth[0] * truth[1] - a * b) <= near)
    assert covered >= 0.95 - 3e-3  # what is not in the lists of either law
    if min(map(abs, truth)) > 20:
        assert covered <= 0.98
        assert halved < 0.95, "the negative control"
