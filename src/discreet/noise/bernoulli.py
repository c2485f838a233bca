"""Exact biased bits.

A probability is given by its enclosures: a function from a number of bits to integers
``(low, high)`` with ``low ≤ 2**bits · p ≤ high``.  A draw compares an unbounded uniform U with
p, looking at as many bits of U as it takes; U < p is decided as soon as the enclosure allows,
so the bit is one with probability exactly p.  Proof: docs/proofs/bernoulli.md
"""

from collections.abc import Callable
from fractions import Fraction
from math import exp

import numpy as np
from numpy.typing import NDArray

from discreet.exact import exp_minus
from discreet.noise.entropy import BitSource

Probability = Callable[[int], tuple[int, int]]

_ONE = Fraction(1)
_BLOCK = 1 << 14
_MARGIN = 2.0**-40  # far above the error of exp and of rounding its argument (below 2^-50)


def ratio(probability: Fraction) -> Probability:
    """Enclosures of a rational probability."""
    numerator, denominator = probability.numerator, probability.denominator
    if not 0 <= numerator <= denominator:
        raise ValueError("a probability lies between 0 and 1")

    def enclose(bits: int) -> tuple[int, int]:
        scaled = numerator << bits
        return scaled // denominator, -(-scaled // denominator)

    return enclose


def decay(exponent: Fraction, factor: Fraction = _ONE) -> Probability:
    """Enclosures of factor·e^(-exponent), exponent ≥ 0, factor > 0."""
    if factor == 1:
        return lambda bits: exp_minus(exponent, bits)
    numerator, denominator = factor.numerator, factor.denominator
    extra = max(0, numerator.bit_length() - denominator.bit_length()) + 2

    def enclose(bits: int) -> tuple[int, int]:
        low, high = exp_minus(exponent, bits + extra)
        divisor = denominator << extra
        return low * numerator // divisor, -(-high * numerator // divisor)

    return enclose


def bernoulli(probability: Probability, source: BitSource, prefix: int = 0, held: int = 0) -> bool:
    """True with the given probability; the first ``held`` bits of U may be given as ``prefix``."""
    bits = max(64, held)
    uniform = prefix << (bits - held) | source.bits(bits - held)
    while True:
        low, high = probability(bits)
        if uniform < low:  # U < (uniform + 1)/2^bits ≤ p
            return True
        if uniform >= high:  # U ≥ uniform/2^bits ≥ p
            return False
        uniform = uniform << bits | source.bits(bits)
        bits *= 2


def bernoulli_decay(numerator: int, denominator: int, source: BitSource) -> bool:
    """True with probability e^(-numerator/denominator), numerator ≥ 0: a float decides, unless
    U is within 2^-40 of it."""
    uniform = source.bits(64)
    # Python divides integers of any length with one rounding.  Beyond 2^10 the decay is below
    # 2^-1000 whatever it is, which keeps the quotient finite.
    exponent = numerator / denominator if numerator < denominator << 10 else 1024.0
    gap = uniform * 2.0**-64 - exp(-exponent)
    if abs(gap) > _MARGIN:
        return gap < 0
    return bernoulli(decay(Fraction(numerator, denominator)), source, uniform, 64)


def bernoulli_array(probability: Probability, count: int, source: BitSource) -> NDArray[np.bool_]:
    """``count`` independent bits.  Sixteen random bits decide each, but for one in 65,536."""
    out = np.empty(count, np.bool_)
    low, high = probability(16)
    words = np.empty(min(_BLOCK, count) // 4 + 1, np.uint64)
    for start in range(0, count, _BLOCK):
        part = out[start : start + _BLOCK]
        used = words[: (part.size + 3) // 4]
        source.fill(used)
        prefixes = used.view(np.uint16)[: part.size]
        np.less(prefixes, low, out=part)
        for lane in np.flatnonzero((prefixes >= low) & (prefixes < high)):
            part[lane] = bernoulli(probability, source, int(prefixes[lane]), 16)
    return out


def uniform_below(bound: int, source: BitSource) -> int:
    """A uniform integer in [0, bound), by rejection.

    >>> from discreet.noise.entropy import Keystream
    >>> uniform_below(1, Keystream())
    0
    """
    if bound < 1:
        raise ValueError("there is no integer in [0, bound) for bound < 1")
    bits = (bound - 1).bit_length()
    while (draw := source.bits(bits)) >= bound:
        pass
    return draw
