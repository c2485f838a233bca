"""Integer Gaussian noise: every path gives the law, whatever the variance."""

import sys
from fractions import Fraction
from math import isqrt

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.noise import BitSource, Keystream, UnsafeSeededBits, gaussian, gaussian_integer
from tests.noise import reference
from tests.noise.reference import PRECISION, real
from tests.support.cases import each
from tests.support.evidence import FALSE_ALARM, normal, two_samples
from tests.support.scripted_bits import Repeating, ScriptedBits, binary

VARIANCES = [Fraction(1, 10**9), Fraction(1, 9), Fraction(1), Fraction(7, 2), Fraction(1000)]
VARIANCES += map(Fraction, [10**6, 2**40, 2**80, 2**112, 2**112 + 1, 2**400, 10**800])


def shown(variance: Fraction) -> str:
    return mpmath.nstr(real(variance), 3)


every_variance = pytest.mark.parametrize("variance", VARIANCES, ids=shown)


@every_variance
def test_proposals_planted_at_the_boundary_of_keeping_are_decided_right(
    variance: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proposal x is kept iff V < e^(-(|x| - variance/scale)²/(2·variance)); what is not kept is
    followed by a new proposal, here one that is always kept."""
    scale = isqrt(int(variance)) + 1
    sure = round(variance / scale)
    proposals: list[int] = []

    def propose(asked: Fraction, source: BitSource) -> int:
        assert asked == scale
        return proposals.pop(0)

    module = sys.modules["discreet.noise.gaussian"]  # the function of that name hides it
    monkeypatch.setattr(module, "laplace_integer", propose)
    kept = rejected = 0
    with mpmath.workprec(PRECISION + 3000):
        for steps in (Fraction(k, 4) for k in range(-24, 25)):
            value = round(steps * scale)
            offset = abs(value) - real(variance) / scale
            chance = mpmath.exp(-(offset**2) / (2 * real(variance)))
            boundary = int(mpmath.floor(mpmath.ldexp(chance, 64)))
            for v in {boundary + near + far for near in (-1, 0, 1) for far in (-(2**24), 0, 2**24)}:
                if 0 <= v < 2**64:
                    uniform = mpmath.ldexp(v << 300 | Repeating("0110").bits(300), -364)
                    proposals[:] = [value, sure]
                    source = ScriptedBits(bits=binary(v, 64), then=Repeating("0110"))
                    drawn = gaussian_integer(variance, source)
                    assert drawn == (value if uniform < chance else sure)
                    kept += len(proposals) == 1
                    rejected += len(proposals) == 0
    assert kept > 20
    assert rejected > 20


@each("count", [0, 1, 255, 256, 3000])
@every_variance
def test_every_variance_and_count_gives_that_many_integers(variance: Fraction, count: int) -> None:
    count = count if variance <= 2**112 else min(count, 50)
    drawn = gaussian(variance, count)
    assert drawn.shape == (count,)
    assert drawn.dtype == np.int64 or variance > 2**112
    assert all(type(value) is int for value in drawn.tolist())


def moments(variance: Fraction) -> tuple[float, float]:
    """E X² and E X⁴ of the discrete law, for variances up to 100; beyond, the real Gaussian's,
    from which they differ by less than e^(-1900)."""
    if variance > 100:
        return float(variance), 3 * float(variance) ** 2
    at = np.arange(-200, 201)
    weight = np.exp(-(at**2) / (2 * float(variance)))
    weight /= weight.sum()
    return float((weight * at**2).sum()), float((weight * at**4.0).sum())


@pytest.mark.parametrize("count", [200, 20_000])
@pytest.mark.parametrize("variance", VARIANCES[1:-2], ids=shown)
def test_every_path_has_its_second_moment(variance: Fraction, count: int) -> None:
    """False alarms: 10^-6, as a small sample is not quite normal; 4 times that is rejected."""
    square, fourth = moments(variance)
    repeats = 20 if count == 200 else 1
    drawn = np.concatenate([gaussian(variance, count) for _ in range(repeats)]).astype(float)
    error = ((fourth - square**2) / drawn.size) ** 0.5
    found = float((drawn**2).mean())
    assert normal((found - square) / error) >= FALSE_ALARM
    assert normal((found - 4 * square) / error) < FALSE_ALARM
    assert normal(drawn.mean() / (square / drawn.size) ** 0.5) >= FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("variance", ["1/9", "1", "7/2", "1000", "1000000"])
def test_draws_are_those_of_the_sampler_without_exponentials(variance: str) -> None:
    """Two samples, in 40 bins.  False alarms: 10^-8; the sampler at twice the variance differs."""
    wanted, count = Fraction(variance), 2_500
    source = UnsafeSeededBits(40)
    slow = np.array([reference.gaussian(wanted, source) for _ in range(count)])
    edges = np.unique(np.quantile(slow, np.linspace(0, 1, 41))).astype(np.int64)

    def binned(values: object) -> NDArray[np.int64]:
        places = np.searchsorted(edges, np.asarray(values), "right")
        return np.bincount(places, minlength=edges.size + 1)

    stream = Keystream()
    singles = [gaussian_integer(wanted, stream) for _ in range(count)]
    for drawn in (singles, gaussian(wanted, count)):
        assert two_samples(binned(slow), binned(drawn)) >= FALSE_ALARM
    assert two_samples(binned(slow), binned(gaussian(2 * wanted, count))) < FALSE_ALARM


@pytest.mark.parametrize("count", [10, 1000])
@pytest.mark.parametrize("variance", [1, 10**6, 2**80])
def test_out_is_filled_and_returned_also_with_gaps(variance: int, count: int) -> None:
    expected = gaussian(variance, count, source=UnsafeSeededBits(1))
    out = np.zeros(count, np.int64)
    assert gaussian(variance, count, out=out, source=UnsafeSeededBits(1)) is out
    assert np.array_equal(out, expected)
    wide = np.full((count, 2), 77, np.int64)
    gaussian(variance, count, out=wide[:, 1], source=UnsafeSeededBits(1))
    assert np.array_equal(wide[:, 1], expected)
    assert (wide[:, 0] == 77).all()
    with pytest.raises(ValueError, match="out must be"):
        gaussian(variance, count, out=np.zeros(count + 1, np.int64))


def test_noise_beyond_64_bits_comes_as_python_integers_or_not_at_all() -> None:
    drawn = gaussian(2**400, 20)
    assert drawn.dtype == object
    assert max(abs(value) for value in drawn) > 2**190
    with pytest.raises(OverflowError, match="without out="):
        gaussian(2**400, 20, out=np.zeros(20, np.int64))


@pytest.mark.parametrize("variance", [0, -1, Fraction(-1, 3)])
def test_a_variance_that_is_not_positive_is_refused(variance: Fraction) -> None:
    for count in (1, 1000):
        with pytest.raises(ValueError, match="must be positive"):
            gaussian(variance, count)
    with pytest.raises(ValueError, match="must be positive"):
        gaussian_integer(Fraction(variance), Keystream())
