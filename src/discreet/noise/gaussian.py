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
from discreet.noise.strip_tables import Draws, GaussianWeights, Integers, Strips

_TABLE_COUNT = 256  # draws from which a table pays for its preparation
_WIDE = 1 << 112  # up to this variance draws fit in 64 bits but for one in e^8192


def gaussian(
    variance: Fraction | int,
    count: int,
    *,
    out: Integers | None = None,
    source: BitSource | None = None,
) -> NDArray[np.int64] | NDArray[np.object_]:
    """``count`` independent integers with P(x) ∝ e^(-x²/(2·variance)), exactly.

    The result is an int64 array, or ``out`` if given.  If a draw does not fit in 64 bits (beyond
    a standard deviation of 2^56), all come as Python integers in an object array; with ``out``
    that is an OverflowError.

    >>> gaussian(Fraction(1, 10**6), 3)
    array([0, 0, 0])
    """
    variance = _positive(Fraction(variance))
    source = Keystream() if source is None else source
    draws = Draws.prepare(count, out)
    if count < _TABLE_COUNT or variance > _WIDE:
        for lane in range(count):
            draws.put(lane, gaussian_integer(variance, source))
    else:
        _strips(variance).sample(draws, source)
    return draws.result(out)


def gaussian_integer(variance: Fraction, source: BitSource) -> int:
    """One integer with P(x) ∝ e^(-x²/(2·variance)), exactly."""
    scale, slope, offset, denominator = _proposal(variance)
    while True:
        value = laplace_integer(scale, source)
        # (|x| - variance/scale)²/(2·variance), with the fractions cleared.
        if bernoulli_decay((abs(value) * slope - offset) ** 2, denominator, source):
            return value


@lru_cache(maxsize=256)
def _proposal(variance: Fraction) -> tuple[Fraction, int, int, int]:
    """The scale of the Laplace noise, and what turns a draw into its exponent."""
    numerator, denominator = _positive(variance).numerator, variance.denominator
    scale = isqrt(numerator // denominator) + 1
    slope = denominator * scale
    return Fraction(scale), slope, numerator, 2 * numerator * denominator * scale**2


def _positive(variance: Fraction) -> Fraction:
    if variance <= 0:
        raise ValueError("the variance of noise must be positive")
    return variance


@lru_cache(maxsize=2)
def _strips(variance: Fraction) -> Strips:
    return Strips(GaussianWeights(variance))
