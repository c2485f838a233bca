"""Enclosures hold the real number, are narrow, and only tighten."""

from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.exact import exp_minus, logarithm, square_root
from discreet.exact.enclosure import pi

PRECISION = 300
Enclose = Callable[[Fraction, int], tuple[int, int]]


def fractions(largest: int, smallest: int = 1) -> st.SearchStrategy[Fraction]:
    """Positive rationals of every size up to ``largest``, down to 1/largest and near integers."""
    size = st.integers(min_value=smallest, max_value=largest)
    plain = st.builds(Fraction, size, size)
    near_one = st.builds(
        lambda n, sign: 1 + Fraction(sign, n), size.map(lambda n: n + 1), st.sampled_from([-1, 1])
    )
    tiny = st.builds(lambda n, power: Fraction(n, n * 2**power + 1), size, st.integers(0, 400))
    return st.one_of(plain, near_one, tiny)


def real(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def holds(enclosure: tuple[int, int], value: mpmath.mpf, bits: int) -> bool:
    """Whether low ≤ 2^bits·value ≤ high, with room for the oracle's own last bits."""
    low, high = enclosure
    scaled = mpmath.ldexp(value, bits)
    doubt = mpmath.ldexp(abs(value) + mpmath.ldexp(1, -bits), bits - PRECISION + 16)
    return bool(low <= scaled + doubt and scaled - doubt <= high)


@given(fractions(10**30), st.integers(0, 200))
def test_exp_minus_holds_the_exponential(exponent: Fraction, bits: int) -> None:
    with mpmath.workprec(PRECISION + 200):
        low, high = exp_minus(exponent, bits)
        assert holds((low, high), mpmath.exp(-real(exponent)), bits)
        assert 0 <= low <= high <= low + 2
        assert high <= 1 << bits


def test_the_oracle_sees_an_enclosure_that_is_off_by_one() -> None:
    with mpmath.workprec(PRECISION + 200):
        low, high = exp_minus(Fraction(1, 3), 200)
        value = mpmath.exp(-real(Fraction(1, 3)))
        assert holds((low, high), value, 200)
        assert not holds((high, high + 2), value, 200)
        assert not holds((low - 2, low), value, 200)


@given(st.integers(0, 400), st.integers(1, 300))
def test_exp_minus_holds_the_exponential_of_integers(exponent: int, bits: int) -> None:
    with mpmath.workprec(PRECISION + 800):
        enclosure = exp_minus(Fraction(exponent), bits)
        assert holds(enclosure, mpmath.exp(-exponent), bits)


@given(fractions(10**40), st.integers(0, 200))
def test_logarithm_holds_the_logarithm(value: Fraction, bits: int) -> None:
    with mpmath.workprec(PRECISION + 400):
        low, high = logarithm(value, bits)
        assert holds((low, high), mpmath.log(real(value)), bits)
        assert low <= high <= low + 2


@given(st.integers(0, 10**40), st.integers(1, 10**40), st.integers(0, 200))
def test_square_root_holds_the_root_in_integers_alone(top: int, bottom: int, bits: int) -> None:
    value = Fraction(top, bottom)
    low, high = square_root(value, bits)
    assert low**2 <= value * 4**bits <= high**2
    assert high - low <= 1
    assert (low == high) == (value * 4**bits == low**2)


@given(st.integers(0, 2000))
def test_pi_is_held(bits: int) -> None:
    with mpmath.workprec(2100):
        low, high = pi(bits)
        assert low <= mpmath.ldexp(mpmath.pi, bits) <= high <= low + 2


@pytest.mark.parametrize("enclose", [exp_minus, logarithm, square_root])
@given(value=fractions(10**12), bits=st.integers(0, 150), more=st.integers(1, 150))
def test_more_bits_narrow_the_enclosure_around_the_same_number(
    enclose: Enclose, value: Fraction, bits: int, more: int
) -> None:
    low, high = enclose(value, bits)
    finer_low, finer_high = enclose(value, bits + more)
    assert low << more <= finer_high
    assert finer_low <= high << more
    assert finer_high - finer_low <= 2


@pytest.mark.parametrize("bits", [1, 64, 5000])
def test_extremes(bits: int) -> None:
    assert exp_minus(Fraction(0), bits) == (1 << bits, 1 << bits)
    assert exp_minus(Fraction(10**4000), bits) == (0, 1)
    low, high = exp_minus(Fraction(1, 10**4000), bits)
    assert low <= (1 << bits) - 1 <= high == 1 << bits
    assert logarithm(Fraction(1), bits) == (0, 0)
    low, high = logarithm(1 + Fraction(1, 10**4000), bits)
    assert low <= 0 < high <= 1
    low, high = logarithm(Fraction(10) ** 4000, bits)
    with mpmath.workprec(bits + 100):
        assert low <= mpmath.ldexp(4000 * mpmath.log(10), bits) <= high <= low + 2
    assert square_root(Fraction(0), bits) == (0, 0)


def test_what_has_no_enclosure_is_refused() -> None:
    with pytest.raises(ValueError, match="x ≥ 0"):
        exp_minus(Fraction(-1, 10**9), 64)
    for value in (Fraction(0), Fraction(-1)):
        with pytest.raises(ValueError, match="x > 0"):
            logarithm(value, 64)
    with pytest.raises(ValueError, match="nonnegative"):
        square_root(Fraction(-1), 64)
