"""The margin of a sum of noises covers, and hardly more than it must."""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import exp, inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.mechanisms import Gaussian, Laplace
from discreet.privacy.uncertainty import (
    _FLOAT_ERROR,
    _NOISE_ERROR,
    _beyond,
    _rounded_law,
    combined_margin,
)

LEVEL = Fraction(95, 100)
ONE = Fraction(1)


def convolved(terms: list[tuple[int, Fraction]], level: float) -> int:
    """The least margin of Σ weight·noise for integer Laplace noise, by adding up products."""
    law = np.ones(1)
    for weight, scale in terms:
        reach = int(45 * scale) + 2
        places = np.arange(-reach, reach + 1)
        q = exp(-1 / float(scale))
        spread = np.zeros(2 * reach * abs(weight) + 1)
        spread[:: abs(weight)] = (1 - q) / (1 + q) * q ** np.abs(places)
        law = np.convolve(law, spread)
    middle = law.size // 2
    inside = law[middle] + 2 * np.concatenate([[0.0], np.cumsum(law[middle + 1 :])])
    return int(np.argmax(inside >= level))


@given(
    terms=st.lists(
        st.tuples(st.sampled_from([1, -1, 2, 5]), st.sampled_from([Fraction(1, 2), 1, 3])),
        min_size=2,
        max_size=5,
    ),
    level=st.sampled_from([Fraction(1, 2), LEVEL, Fraction(999, 1000)]),
)
def test_sums_of_counts_have_the_least_margin(terms, level):
    noises = [(Fraction(weight), Laplace(scale=scale)) for weight, scale in terms]
    found = combined_margin(noises, level)
    assert isinstance(found, int)
    assert found in (convolved(terms, float(level)), convolved(terms, float(level) + 2e-9))


def exactly_beyond(scales: list[Fraction]) -> list[Decimal]:
    """P[|sum| > k] of integer Laplace noises, to some 50 digits, by adding up products."""
    with localcontext() as context:
        context.prec = 60
        together = {0: Decimal(1)}
        for scale in scales:
            q = (Decimal(-scale.denominator) / Decimal(scale.numerator)).exp()
            law = {k: (1 - q) / (1 + q) * q ** abs(k) for k in range(-120, 121)}
            sums: dict[int, Decimal] = {}
            for place, chance in together.items():
                for k, other in law.items():
                    sums[place + k] = sums.get(place + k, Decimal(0)) + chance * other
            together = sums
        inside = together[0]
        beyond = [1 - inside]
        for k in range(1, 100):
            inside += together[k] + together[-k]
            beyond.append(1 - inside)
        return beyond


@pytest.mark.parametrize("scales", [["1/2", "1/2"], ["1", "2"], ["1/3", "1", "2"]])
def test_what_floats_neglect_is_far_below_what_is_allowed_for(scales: list[str]) -> None:
    noises = [Laplace(scale=scale) for scale in scales]
    laws = [_rounded_law(ONE, noise) for noise in noises]
    deviation = sqrt(sum(noise.variance for noise in noises))
    found = _beyond(laws, [1] * len(laws), deviation)[:100]
    exact = exactly_beyond([Fraction(scale) for scale in scales])
    errors = [abs(Decimal(float(a)) - b) for a, b in zip(found, exact, strict=False)]
    assert len(errors) > 20
    assert max(errors) < _FLOAT_ERROR / 1000


@pytest.mark.parametrize(("sigma", "count"), [(1500, 4), (1001, 100), (5000, 2)])
def test_sums_of_wide_gaussians_are_gaussian(sigma: int, count: int) -> None:
    """But for e^(-π²σ²): the law of the sum is known without a transform."""
    spread = sigma * sqrt(count)
    found = _beyond([_rounded_law(ONE, Gaussian(sigma=sigma))], [count], spread)
    places = np.arange(1, int(40 * spread), dtype=np.float64)
    weights = np.exp(-(places**2) / (2 * spread * spread))
    exact = np.cumsum(weights[::-1])[::-1] * 2 / (1 + 2 * weights.sum())
    many = min(found.size, exact.size)
    assert np.max(np.abs(found[:many] - exact[:many])) < (_FLOAT_ERROR + count * _NOISE_ERROR) / 100


def test_a_hundred_counts_are_off_by_27():
    assert combined_margin([(ONE, Laplace(scale=1))] * 100, LEVEL) == 27


def test_ten_thousand_counts_are_off_by_what_the_normal_law_says():
    margin = combined_margin([(ONE, Laplace(scale=1))] * 10_000, LEVEL)
    assert margin == pytest.approx(1.96 * 100 * sqrt(Laplace(scale=1).variance), rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 10, 100])
def test_noises_without_a_common_lattice_have_nearly_the_least_margin(count):
    terms = [(Fraction(1, 1000 + k), Laplace(scale=120, grid=2**-24)) for k in range(count)]
    margin = combined_margin(terms, LEVEL)
    generator = np.random.default_rng(5)
    sample = sum(float(w) * generator.laplace(0, 120, 200_000) for w, _ in terms)
    exact = np.quantile(np.abs(sample), 0.95)
    assert 0.99 * exact < margin < 1.04 * exact


@pytest.mark.parametrize(
    "terms",
    [
        [(ONE, Laplace(scale=3)), (Fraction(-7, 3), Laplace(scale="1/2"))],
        [(ONE, Laplace(scale=2)), (ONE, Gaussian(sigma=3))],
        [(Fraction(1, 10**9), Laplace(scale=1)), (ONE, Laplace(scale=1))],
        [(Fraction(10**6), Laplace(scale=1)), (ONE, Laplace(scale=1))],
    ],
    ids=["odd weights", "two families", "one is nothing", "one is all"],
)
def test_the_margin_covers_as_often_as_it_says_and_a_smaller_one_does_not(terms):
    margin = combined_margin(terms, LEVEL)
    draws = 40_000
    sums = sum(
        float(weight) * np.asarray(noise(np.zeros(draws, np.int64))).astype(float)
        for weight, noise in terms
    )
    spread = 5.5 * sqrt(0.05 * 0.95 / draws)
    assert np.mean(np.abs(sums) > margin) < 0.05 + spread
    assert np.mean(np.abs(sums) > 0.8 * margin) > 0.05 + spread  # the control


def test_gaussians_add_up_as_they_should():
    four = combined_margin([(ONE, Gaussian(sigma=1000))] * 4, LEVEL)
    assert four == pytest.approx(2 * 1.959964 * 1000, rel=0.005)


@pytest.mark.parametrize("digits", [8, 9, 12, 40])
def test_a_confidence_that_floats_cannot_tell_from_one_is_answered(digits):
    """Beyond what a transform can tell, the single margins are added: never a margin of 0."""
    terms, level = [(ONE, Laplace(scale=1))] * 2, 1 - Fraction(1, 10**digits)
    margin = combined_margin(terms, level)
    alone = Laplace(scale=1).accuracy(level)
    assert alone <= margin <= 2 * Laplace(scale=1).accuracy(1 - Fraction(1, 2 * 10**digits))


def test_margins_grow_with_the_confidence():
    terms = [(ONE, Laplace(scale=2)), (Fraction(2), Laplace(scale=1))]
    levels = [Fraction(k, 100) for k in range(50, 100, 7)] + [1 - Fraction(1, 10**9)]
    margins = [combined_margin(terms, level) for level in levels]
    assert margins == sorted(margins)


def test_one_noise_has_its_own_margin_exactly():
    noise = Laplace(scale=4, grid="1/8")
    assert combined_margin([(Fraction(-3), noise)], LEVEL) == 3 * noise.accuracy(LEVEL)
    assert combined_margin([(Fraction(1, 3), Laplace(scale=1))], LEVEL) == 1.0
    assert isinstance(combined_margin([(Fraction(5), Laplace(scale=1))], LEVEL), int)


def test_nothing_is_off_by_nothing():
    assert combined_margin([], LEVEL) == 0
    assert combined_margin([(ONE, Laplace(scale=Fraction(1, 10**6)))] * 3, LEVEL) == 0


def test_extreme_scales_and_weights_are_answered():
    wide = Laplace(scale=Fraction(10) ** 200)
    assert combined_margin([(ONE, wide)] * 3, LEVEL) > 10**200
    assert combined_margin([(Fraction(10) ** 200, wide)] * 2, LEVEL) > 10**400
    fine = Laplace(scale=Fraction(10) ** 400, grid=0.5)
    assert combined_margin([(ONE, fine)] * 2, LEVEL) == inf
