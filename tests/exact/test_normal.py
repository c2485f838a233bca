"""The enclosures of the normal law hold the real number and are narrow."""

from fractions import Fraction
from math import factorial

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.exact.enclosure import pi, square_root
from discreet.exact.normal import (
    _mills_by_fraction,
    _mills_by_series,
    density,
    gaussian_delta,
    mills_ratio,
    point_weights,
    tail_between,
    tail_weight,
    tail_weights,
    theta_excess,
    total_weight,
    upper_tail,
)
from tests.support.trials import examples

BITS = st.integers(8, 200)


def points(largest: int) -> st.SearchStrategy[Fraction]:
    """Rationals of either sign and of every size up to ``largest``."""
    tiny = st.builds(
        lambda n, power: Fraction(n, 10**power), st.integers(-99, 99), st.integers(0, 60)
    )
    plain = st.fractions(-largest, largest, max_denominator=10**9)
    return st.one_of(plain, tiny.filter(lambda x: abs(x) <= largest))


def real(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def holds(enclosure: tuple[int, int], value: mpmath.mpf, bits: int) -> bool:
    return bool(enclosure[0] <= mpmath.ldexp(value, bits) <= enclosure[1])


def oracle_tail(x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.erfc(x / mpmath.sqrt(2)) / 2


@given(points(40), BITS)
def test_upper_tail_holds_the_tail(point: Fraction, bits: int) -> None:
    with mpmath.workprec(2000):
        low, high = upper_tail(point, bits)
        assert holds((low, high), oracle_tail(real(point)), bits)
        assert 0 <= low <= high <= low + 2


@pytest.mark.parametrize("point", [Fraction(1, 3), Fraction(-1, 3), Fraction(2), Fraction(-9, 5)])
def test_upper_tail_agrees_with_a_taylor_series_in_fractions(point: Fraction) -> None:
    bits, terms = 100, 90
    series = sum(
        (
            (-1) ** k * point ** (2 * k + 1) / (2**k * factorial(k) * (2 * k + 1))
            for k in range(terms)
        ),
        Fraction(0),
    )
    rest = abs(point) ** (2 * terms + 1) / (2**terms * factorial(terms))
    root = [Fraction(end, 1 << 200) for end in square_root(2 * Fraction(pi(300)[0], 1 << 300), 200)]
    ends = [Fraction(1, 2) - (series + sign * rest) / r for sign in (-1, 1) for r in root]
    low, high = upper_tail(point, bits)
    assert low <= min(ends) * 2**bits
    assert max(ends) * 2**bits <= high


def test_the_oracle_sees_an_enclosure_that_is_off_by_one() -> None:
    with mpmath.workprec(1000):
        low, high = upper_tail(Fraction(7, 3), 150)
        value = oracle_tail(real(Fraction(7, 3)))
        assert holds((low, high), value, 150)
        assert not holds((high, high + 2), value, 150)
        assert not holds((low - 2, low), value, 150)


def test_far_tails_cost_nothing() -> None:
    assert upper_tail(Fraction(10) ** 300, 64) == (0, 1)
    assert upper_tail(-(Fraction(10) ** 300), 64) == (2**64 - 1, 2**64)
    assert upper_tail(Fraction(0), 64)[0] <= 2**63 <= upper_tail(Fraction(0), 64)[1]


@given(points(30).map(abs), BITS)
def test_mills_ratio_and_density_hold_theirs(point: Fraction, bits: int) -> None:
    with mpmath.workprec(1500):
        x = real(point)
        weight = mpmath.exp(-x * x / 2) / mpmath.sqrt(2 * mpmath.pi)
        assert holds(density(point, bits), weight, bits)
        low, high = mills_ratio(point, bits)
        assert holds((low, high), oracle_tail(x) / weight, bits)
        assert high <= low + 2


@pytest.mark.slow
@given(st.fractions(2, 12, max_denominator=10**6), BITS)
def test_both_ways_to_the_mills_ratio_agree(point: Fraction, bits: int) -> None:
    first, second = _mills_by_series(point, bits), _mills_by_fraction(point, bits)
    assert max(first[0], second[0]) <= min(first[1], second[1])
    assert max(first[1], second[1]) - min(first[0], second[0]) <= 3


def test_the_mills_ratio_is_for_the_right_side_only() -> None:
    with pytest.raises(ValueError, match="x ≥ 0"):
        mills_ratio(Fraction(-1), 64)


@pytest.mark.slow
@given(
    st.fractions(0, 60, max_denominator=10**6),
    st.fractions(Fraction(1, 50), 50, max_denominator=10**4),
    st.fractions(Fraction(1, 50), 50, max_denominator=10**4),
    BITS,
)
def test_gaussian_delta_holds_the_formula_of_balle_and_wang(
    epsilon: Fraction, distance: Fraction, sigma: Fraction, bits: int
) -> None:
    with mpmath.workprec(1800):
        e, shift = real(epsilon), real(distance / sigma)
        if e / shift + shift / 2 > 45:
            return
        value = oracle_tail(e / shift - shift / 2)
        value -= mpmath.exp(e) * oracle_tail(e / shift + shift / 2)
        low, high = gaussian_delta(epsilon, distance, sigma, bits)
        assert holds((low, high), value, bits)
        assert 0 <= low <= high <= low + 3


@pytest.mark.parametrize(
    ("epsilon", "distance", "sigma", "least", "most"),
    [
        ("1e-300", 1, 1, "0.382924", "0.382925"),
        ("1e6", 1, "1e-3", "0", "1e-30"),
        (1, "1e300", 1, "0.999999", "1"),
        ("1e300", 1, 1, "0", "1e-30"),
        (1, 1, "1e300", "0", "1e-30"),
    ],
)
def test_gaussian_delta_is_quick_at_the_extremes(epsilon, distance, sigma, least, most) -> None:
    low, high = gaussian_delta(Fraction(epsilon), Fraction(distance), Fraction(sigma), 128)
    assert Fraction(least) * 2**128 <= high
    assert low <= Fraction(most) * 2**128
    assert high - low <= 2


def naive_weight(variance: Fraction, place: int) -> mpmath.mpf:
    return mpmath.exp(-(real(Fraction(place * place) / (2 * variance))))


VARIANCES = st.one_of(
    st.fractions(Fraction(1, 10**4), 2, max_denominator=10**6),
    st.fractions(Fraction(1, 10), 60, max_denominator=10**6),
).filter(lambda v: v > 0)


@given(VARIANCES, st.integers(8, 130), st.integers(1, 30))
@examples(60)
def test_sums_over_integers_hold_theirs(variance: Fraction, bits: int, start: int) -> None:
    with mpmath.workprec(400):
        reach = int(mpmath.sqrt(2 * real(variance) * 250)) + 3
        weights = [naive_weight(variance, place) for place in range(start + reach)]
        total = weights[0] + 2 * sum(weights[1:])
        tail = sum(weights[start:])
        low, high = total_weight(variance, bits)
        assert holds((low, high), total, bits)
        assert high - low <= 2
        low, high = tail_weight(variance, start, bits)
        assert holds((low, high), tail, bits)
        assert high - low <= 2
        tails = tail_weights(variance, bits)
        low, high = tails[min(start, len(tails)) - 1]
        assert holds((low, high), tail, bits)
        assert high - low <= 2
        raised = Fraction(start * start) / (3 * variance)
        enclosure = tail_weight(variance, start, bits, raised)
        assert holds(enclosure, tail * mpmath.exp(real(raised)), bits)
        for place, enclosure in enumerate(point_weights(variance, 12, bits)):
            assert holds(enclosure, naive_weight(variance, place), bits)
        enclosure = tail_between(variance, start, bits)
        assert holds(enclosure, tail / mpmath.sqrt(2 * mpmath.pi * real(variance)), bits)


@given(st.fractions(Fraction(1, 6), 6, max_denominator=10**6), st.integers(8, 200))
def test_theta_excess_holds_the_waves_of_poisson(variance: Fraction, bits: int) -> None:
    with mpmath.workprec(400):
        exponent = 2 * mpmath.pi**2 * real(variance)
        waves = 2 * sum(mpmath.exp(-exponent * k * k) for k in range(1, 40))
        assert holds(theta_excess(variance, bits), waves, bits)


def test_integrals_are_as_near_to_the_tail_as_they_say() -> None:
    variance, start, bits = Fraction(10**6), 2500, 96
    low, high = tail_between(variance, start, bits)
    value = mpmath.exp(-(mpmath.mpf(start) ** 2) / (2 * 10**6)) / mpmath.sqrt(2 * mpmath.pi * 10**6)
    assert high - low <= value * start / 10**6 / 8 * 2**bits * 2


def test_integrals_are_near_where_the_weight_is_not_convex_too() -> None:
    variance, bits = Fraction(10**6), 96
    for start in (1, 300, 1000):
        low, high = tail_between(variance, start, bits)
        exact = tail_weight(variance, start, bits)
        root = mpmath.sqrt(2 * mpmath.pi * 10**6)
        assert low <= exact[1] / root
        assert exact[0] / root <= high
        assert high - low <= 2**bits / (4 * 10**6)


def test_all_tails_at_once_are_as_narrow_as_one() -> None:
    variance = Fraction(10**6)
    tails = tail_weights(variance, 96)
    assert all(high - low <= 2 for low, high in tails)
    assert tails[-1] == (0, 1)
    for start in (1, 700, 5000, len(tails)):
        low, high = tail_weight(variance, start, 96)
        assert max(low, tails[start - 1][0]) <= min(high, tails[start - 1][1])


def test_sums_refuse_what_they_are_not_for() -> None:
    with pytest.raises(ValueError, match="positive integers"):
        tail_weight(Fraction(1), 0, 64)
    with pytest.raises(ValueError, match="1/6"):
        theta_excess(Fraction(1, 7), 64)
