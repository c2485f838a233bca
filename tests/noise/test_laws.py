"""Ten million draws have the law that is claimed, and not one half a percent beside it.

Every test here accepts the right law and, as its negative control, rejects a wrong one with the
same statistic on the same draws: a scale 0.5% off by χ², 1% off by Kolmogorov's distance, which
sees less.  False alarms: below 10^-8 per test.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr

from discreet.noise import Keystream, bernoulli_array, gaussian, laplace, ratio
from tests.support.evidence import FALSE_ALARM, chi_square, kolmogorov, normal
from tests.support.trials import all_but

COUNT = 10**7
BINS = 41

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Law:
    """A noise of some scale: how it is drawn, and P[X ≤ x] for integers x."""

    name: str
    scale: float
    draw: Callable[[], Integers]
    below: Callable[[Integers, float], Floats]

    def __repr__(self) -> str:
        return self.name


def laplace_below(at: Integers, scale: float) -> Floats:
    q = np.exp(-1 / scale)
    distance = np.where(at >= 0, at + 1, -at) / scale
    tail = np.exp(-distance) / (1 + q)
    return np.where(at >= 0, 1 - tail, tail)


def gaussian_below(at: Integers, scale: float) -> Floats:
    if scale > 20:  # the discrete law is the continuous one of the cell, up to e^(-2π²·400)
        return ndtr((at + 0.5) / scale) + _edge(at, scale)
    reach = np.arange(-400, 401)
    weight = np.exp(-((reach / scale) ** 2) / 2)
    cumulative = np.cumsum(weight / weight.sum())
    return cumulative[np.clip(at + 400, 0, 800)]


def _edge(at: Integers, scale: float) -> Floats:
    """The midpoint rule's error, f'(x)/24 per step: the sum up to x is not quite the integral."""
    z = (at + 0.5) / scale
    slope = -z * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) / scale**2
    return -slope / 24


def scaled(name: str, family: str, scale: int) -> Law:
    if family == "laplace":
        return Law(name, float(scale), lambda: laplace(scale, COUNT), laplace_below)
    return Law(name, float(scale), lambda: gaussian(scale**2, COUNT), gaussian_below)


LAWS = [
    scaled("laplace-1", "laplace", 1),
    scaled("laplace-30", "laplace", 30),
    scaled("laplace-1000", "laplace", 1000),
    scaled("laplace-2^40", "laplace", 2**40),
    scaled("gaussian-1", "gaussian", 1),
    scaled("gaussian-1000", "gaussian", 1000),
    scaled("gaussian-2^40", "gaussian", 2**40),
]
every_law = pytest.mark.parametrize(
    "law",
    all_but([LAWS[0], LAWS[5]], LAWS, pytest.mark.slow),
    ids=repr,
    scope="module",  # each is drawn once
)


@lru_cache(maxsize=1)  # 80 MB
def drawn(law: Law) -> Integers:
    values = law.draw()
    values.flags.writeable = False
    return values


@every_law
def test_chi_square_accepts_the_law_and_rejects_half_a_percent(law: Law) -> None:
    values = drawn(law)
    edges = np.unique(np.quantile(values[:100_000], np.linspace(0, 1, BINS)).astype(np.int64))
    edges = edges[1:-1]
    # The bins do not depend on most of the draws; leave out those that made them.
    seen = np.bincount(np.searchsorted(edges, values[100_000:]), minlength=edges.size + 1)

    def verdict(scale: float) -> float:
        cumulative = np.concatenate([[0.0], law.below(edges, scale), [1.0]])
        return chi_square(seen, np.diff(cumulative))

    assert verdict(law.scale) >= FALSE_ALARM
    assert verdict(law.scale * 1.005) < FALSE_ALARM
    assert verdict(law.scale / 1.005) < FALSE_ALARM


@every_law
def test_kolmogorov_accepts_the_law_and_rejects_one_percent(law: Law) -> None:
    """The law is discrete, for which the bound on false alarms holds as well."""
    values, counts = np.unique(drawn(law), return_counts=True)
    upto = np.cumsum(counts) / COUNT
    before = upto - counts / COUNT

    def verdict(scale: float, at: slice = slice(None)) -> float:
        above = np.abs(upto[at] - law.below(values[at], scale)).max()
        below = np.abs(before[at] - law.below(values[at] - 1, scale)).max()
        return kolmogorov(max(above, below), COUNT)

    assert verdict(law.scale) >= FALSE_ALARM
    # A distance that is too large at some of the values is too large.
    some = slice(None, None, max(1, values.size // 10_000))
    assert verdict(law.scale * 1.01, some) < FALSE_ALARM
    assert verdict(law.scale / 1.01, some) < FALSE_ALARM


@every_law
def test_neighbors_are_independent(law: Law) -> None:
    """Correlations of draws, of their signs and of their sizes with those that follow, and of a
    draw's sign with its size; draws of which one in 100 repeats its neighbor are rejected."""

    def standardized(values: Integers) -> list[float]:
        centered = values.astype(np.float64)
        sign = np.sign(centered)
        size = np.abs(centered)
        size -= size.mean()
        pairs = [(sign, size)]
        for lag in (1, 2, 3, 16_384, 65_536):
            pairs += [(centered[lag:], centered[:-lag]), (size[lag:], size[:-lag])]
            pairs += [(sign[lag:], sign[:-lag]), (sign[lag:], size[:-lag])]
        return [
            float(np.dot(a, b) / np.sqrt(np.dot(a, a) * np.dot(b, b) / a.size)) for a, b in pairs
        ]

    values = drawn(law)[: COUNT // 5]
    assert min(map(normal, standardized(values))) >= FALSE_ALARM
    repeating = values.copy()
    again = np.flatnonzero(bernoulli_array(ratio(Fraction(1, 100)), values.size - 1, Keystream()))
    repeating[again + 1] = repeating[again]
    assert min(map(normal, standardized(repeating))) < FALSE_ALARM


@pytest.mark.parametrize("law", LAWS[3:4] + LAWS[6:], ids=repr)
def test_the_low_bits_are_as_uniform_as_the_law_makes_them(law: Law) -> None:
    """At scale 2^40 the lowest 20 bits are uniform up to 2^-40, and independent of the rest."""
    values = drawn(law)
    low, other = values & 0xFF, values >> 12 & 0xFF
    joint = (low & 15) << 4 | other & 15
    for bits in (low, other, joint):
        assert chi_square(np.bincount(bits, minlength=256), np.ones(256)) >= FALSE_ALARM
    stuck = low | low >> 1 & 1
    assert chi_square(np.bincount(stuck, minlength=256), np.ones(256)) < FALSE_ALARM
