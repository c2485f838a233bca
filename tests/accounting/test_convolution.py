"""The convolution by FFT is never below the exact one, and its proven slack is small."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.accounting.loss_atoms import ROUND
from discreet.accounting.loss_composition import GridMasses, convolved
from tests.support.trials import examples


def exact(factors: list[GridMasses], start: int, length: int) -> list[Fraction]:
    """The convolution in Fraction, wrapped around as the FFT does."""
    total = {0: Fraction(1)}
    for factor in factors:
        for _ in range(factor.count):
            following: dict[int, Fraction] = {}
            for place, mass in total.items():
                for index, value in enumerate(factor.values):
                    at = place + factor.start + index
                    following[at] = following.get(at, Fraction(0)) + mass * Fraction(value)
            total = following
    wrapped = [Fraction(0)] * length
    for place, mass in total.items():
        wrapped[(place - start) % length] += mass
    return wrapped


weights = st.builds(
    lambda start, values, count: GridMasses(start, np.array(values) / max(1.0, sum(values)), count),
    st.integers(-40, 40),
    st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=9),
    st.integers(1, 6),
)


@pytest.mark.slow
@examples(60)
@given(
    st.lists(weights, min_size=1, max_size=3), st.integers(-50, 50), st.sampled_from([4, 16, 64])
)
def test_the_convolution_is_never_below_the_exact_one(
    factors: list[GridMasses], start: int, length: int
) -> None:
    found = convolved(factors, start, length)
    for above, truth in zip(found, exact(factors, start, length), strict=True):
        assert truth <= Fraction(float(above)) <= truth + Fraction(1, 10**12)


def test_without_the_slack_it_would_be_below() -> None:
    # The negative control: a plain FFT is below the truth somewhere.
    factor = GridMasses(0, np.array([0.1, 0.2, 0.3, 0.4]), 6)
    truth = exact([factor], 0, 64)
    padded = np.zeros(64)
    padded[:4] = factor.values
    plain = np.fft.irfft(np.fft.rfft(padded) ** 6, 64)
    assert any(Fraction(float(a)) < b for a, b in zip(plain, truth, strict=True))


@pytest.mark.parametrize("count", [1, 1000, 10**6])
def test_the_slack_grows_slowly_with_the_count(count: int) -> None:
    generator = np.random.default_rng(1)
    values = generator.random(101) ** 8
    factor = GridMasses(-50, values / values.sum() * (1 - 1e-9), count)
    found = convolved([factor], 0, 1 << 17)
    padded = np.zeros(1 << 17)
    padded[np.arange(-50, 51)] = factor.values
    plain = np.fft.irfft(np.fft.rfft(padded) ** count, 1 << 17)
    slack = float((found - np.maximum(plain, 0)).max())
    assert slack < 1e-10


@pytest.mark.parametrize("power", [4, 8, 12, 17, pytest.param(20, marks=pytest.mark.slow)])
def test_the_fft_errs_far_less_than_is_assumed(power: int) -> None:
    # Against sums in extended precision at some frequencies.
    if np.finfo(np.longdouble).eps > 1e-18:
        pytest.skip("no extended precision here")
    length = 1 << power
    values = np.random.default_rng(power).random(length) ** 4
    spectrum = np.fft.rfft(values)
    places = np.arange(length)
    pi = np.longdouble("3.14159265358979323846264338327950288")
    worst = 0.0
    for frequency in (0, 1, 3, length // 4 + 1, length // 3, length // 2):
        turns = ((places * frequency) % length).astype(np.longdouble) / length
        angle = 2 * pi * turns
        wide = values.astype(np.longdouble)
        truth = (wide * np.cos(angle)).sum(), -(wide * np.sin(angle)).sum()
        error = np.hypot(spectrum[frequency].real - truth[0], spectrum[frequency].imag - truth[1])
        worst = max(worst, float(error))
    assert worst * 8 <= ROUND * (power + 2) * values.sum()
