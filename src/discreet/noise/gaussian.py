"""Exact integer Gaussian noise: P(x) ∝ e^(-x²/(2·variance)).

Many draws come from strips.  A single draw is taken from Laplace noise of nearly the same
spread and kept with probability e^(-(|x| - variance/scale)²/(2·variance)), which leaves the
Gaussian exactly (Canonne, Kamath and Steinke 2020, algorithm 3).
"""

from fractions import Fraction
from functools import lru_cache
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from discreet.noise.bernoulli import bernoulli_decay
from discreet.noise.entropy import BitSource, Keystream
from discreet.noise.laplace import laplace_integer
from discreet.noise.strips import Strips
from discreet.noise.weights import GaussianWeights
from discreet.noise.draws import Draws, Integers

_FEW = 64
_LARGEST_SPREAD = 1 << 56


def gaussian(
    variance: Fraction | int,
    count: int,
    *,
    out: Integers | None = None,
    source: BitSource | None = None,
) -> NDArray[np.int64] | NDArray[np.object_]:
    """``count`` independent integers with P(x) ∝ e^(-x²/(2·variance)), exactly.

    The result is an int64 array, or ``out`` if given.  Draws that do not fit in 64 bits (a
    standard deviation beyond 2^56) come as Python integers in an object array.

    >>> gaussian(Fraction(1, 10**6), 3)
    array([0, 0, 0])
    """
    variance = Fraction(variance)
    source = Keystream() if source is None else source
    large = variance > _LARGEST_SPREAD**2
    if count < _FEW or large:
        values = [gaussian_integer(variance, source) for _ in range(count)]
        if large and not all(-(1 << 63) <= value < 1 << 63 for value in values):
            if out is not None:
                raise OverflowError("the noise does not fit in 64 bits; call without out=")
            return np.array(values, np.object_)
        drawn = np.array(values, np.int64)
        if out is None:
            return drawn
        out[:] = drawn
        return out
    drawn = np.empty(count, np.int64) if out is None else out
    _strips(variance).sample(Draws(drawn), source)
    return drawn


def gaussian_integer(variance: Fraction, source: BitSource) -> int:
    """One integer with P(x) ∝ e^(-x²/(2·variance)), exactly."""
    scale = isqrt(variance.numerator // variance.denominator) + 1
    centre = variance / scale
    while True:
        value = laplace_integer(Fraction(scale), source)
        if bernoulli_decay((abs(value) - centre) ** 2 / (2 * variance), source):
            return value


@lru_cache(maxsize=2)
def _strips(variance: Fraction) -> Strips:
    return Strips(GaussianWeights(variance))
