"""Slow twins, written for being right: rejection samplers in integers, and inversion at 400 bits.

The rejection samplers are those of Canonne, Kamath and Steinke, "The discrete Gaussian for
differential privacy" (2020): algorithms 1 to 3.  They never compute an exponential.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate, count
from math import isqrt

import mpmath

from discreet.noise import BitSource

PRECISION = 400
"""Bits of the oracle's reals: far beyond the 128 bits that a decision is planted at."""


def below(bound: int, source: BitSource) -> int:
    """A uniform integer in [0, bound): the first try that fits."""
    while True:
        value = source.bits(bound.bit_length())
        if value < bound:
            return value


def bernoulli(probability: Fraction, source: BitSource) -> bool:
    return below(probability.denominator, source) < probability.numerator


def bernoulli_decay(exponent: Fraction, source: BitSource) -> bool:
    """True with probability e^(-exponent): algorithm 1."""
    while exponent > 1:
        if not bernoulli_decay(Fraction(1), source):
            return False
        exponent -= 1
    for trial in count(1):
        if not bernoulli(exponent / trial, source):
            return trial % 2 == 1
    raise AssertionError


def laplace(scale: Fraction, source: BitSource) -> int:
    """P(x) ∝ e^(-|x|/scale): algorithm 2."""
    top, bottom = scale.numerator, scale.denominator
    while True:
        low = below(top, source)
        if not bernoulli_decay(Fraction(low, top), source):
            continue
        high = 0
        while bernoulli_decay(Fraction(1), source):
            high += 1
        magnitude = (low + top * high) // bottom
        negative = source.bits(1)
        if magnitude or not negative:
            return -magnitude if negative else magnitude


def gaussian(variance: Fraction, source: BitSource) -> int:
    """P(x) ∝ e^(-x²/(2·variance)): algorithm 3."""
    scale = isqrt(variance.numerator // variance.denominator) + 1
    while True:
        value = laplace(Fraction(scale), source)
        if bernoulli_decay((abs(value) - variance / scale) ** 2 / (2 * variance), source):
            return value


def real(value: Fraction | int) -> mpmath.mpf:
    value = Fraction(value)
    return mpmath.mpf(value.numerator) / value.denominator


def tail(scale: Fraction, least: int, *, two_sided: bool) -> mpmath.mpf:
    """P[|X| ≥ least] of integer Laplace noise, or P[X ≥ least] of geometric noise."""
    q = mpmath.exp(-1 / real(scale))
    if least <= 0:
        return mpmath.mpf(1)
    return 2 * q**least / (1 + q) if two_sided else q**least


def inverted(scale: Fraction, uniform: Fraction, *, two_sided: bool) -> int:
    """The largest k with uniform ≤ P[≥ k]: what a magnitude is, as a function of U."""
    q = mpmath.exp(-1 / real(scale))
    level = real(uniform) * (1 + q) / 2 if two_sided else real(uniform)
    largest = int(mpmath.floor(-real(scale) * mpmath.log(level)))
    # The floor above may be off by one at a boundary: settle it by the definition.
    while tail(scale, largest + 1, two_sided=two_sided) >= real(uniform):
        largest += 1
    while tail(scale, largest, two_sided=two_sided) < real(uniform):
        largest -= 1
    return largest


def laplace_boundaries(scale: Fraction, width: int, reach: int) -> list[mpmath.mpf]:
    """The cumulative probability at each boundary of the cells -reach … reach, in closed form."""
    ratio = mpmath.exp(-width / real(scale))
    first = mpmath.exp(-1 / real(scale))
    side = 1 / (1 - ratio)  # of the cells 0, 1, 2, …; those left of zero weigh `first` times that
    total = side * (1 + first)
    left = [first * side * ratio**cell / total for cell in range(reach, -1, -1)]
    right = [1 - side * ratio**cell / total for cell in range(1, reach + 1)]
    return left + right


def gaussian_boundaries(variance: Fraction, width: int, reach: int) -> list[mpmath.mpf]:
    """The same for Gaussian noise, summed until nothing changes at this precision."""

    def weights(start: int) -> Iterator[mpmath.mpf]:
        spread = 2 * real(variance)
        for cell in count():
            weight = mpmath.exp(-((start + cell * width) ** 2) / spread)
            if cell > reach and weight < mpmath.ldexp(1, -PRECISION):
                return
            yield weight

    left, right = list(weights(1)), list(weights(0))
    total = mpmath.fsum(left) + mpmath.fsum(right)
    below_cells = list(accumulate(reversed(left), initial=mpmath.mpf(0)))
    above_cells = list(accumulate(reversed(right), initial=mpmath.mpf(0)))[::-1]
    return [part / total for part in below_cells[len(left) - reach :]] + [
        1 - part / total for part in above_cells[1 : reach + 1]
    ]
