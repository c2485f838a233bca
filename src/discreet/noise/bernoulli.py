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

_BLOCK = 1 << 14
_MARGIN = 2.0**-40  # far above the error of exp and of rounding its argument (below 2^-50)


def ratio(probability: Fraction) -> Probability:
    """Enclosures of a rational probability."""
    numerator, denominator = probability.numerator, probability.denominator

    def enclose(bits: int) -> tuple[int, int]:
        scaled = numerator << bits
        return scaled // denominator, -(-scaled // denominator)

    return enclose


def decay(exponent: Fraction) -> Probability:
    """Enclosures of e^(-exponent), exponent ≥ 0."""
    return lambda bits: exp_minus(exponent, bits)


def logistic(epsilon: Fraction, others: int = 1) -> Probability:
    """Enclosures of 1/(others + e^ε): the chance that k-ary response names a given other value."""

    def enclose(bits: int) -> tuple[int, int]:
        work = bits + 8
        low, high = exp_minus(epsilon, work)
        one = 1 << work
        return (low << bits) // (one + others * low), -((-high << bits) // (one + others * high))

    return enclose


def bernoulli(probability: Probability, source: BitSource, prefix: int = 0, held: int = 0) -> bool:
    """True with the given probability; the first ``held`` bits of U may be given as ``prefix``."""
    bits = max(64, held)
    uniform = prefix << (bits - held) | source.bits(bits - held)
    while True:
        low, high = probability(bits)
        if uniform < low:  # U < (uniform + 1)/2^bits ≤ p
            return True
        if uniform >= high:
            return False
        uniform = uniform << bits | source.bits(bits)
        bits *= 2


def bernoulli_decay(exponent: Fraction, source: BitSource) -> bool:
    """True with probability e^(-exponent): a float decides unless U is within 2^-40 of it."""
    uniform = source.bits(64)
    # Beyond 2^10 the decay is below any 64-bit uniform's margin; min keeps float() finite.
    gap = uniform * 2.0**-64 - exp(-float(min(exponent, Fraction(1024))))
    if abs(gap) > _MARGIN:
        return gap < 0
    return bernoulli(decay(exponent), source, uniform, 64)


def bernoulli_array(probability: Probability, count: int, source: BitSource) -> NDArray[np.bool_]:
    """``count`` independent bits.  Sixteen random bits decide each, but for one in 65,536."""
    out = np.empty(count, np.bool_)
    low, high = probability(16)
    words = np.empty(min(_BLOCK, count) // 4 + 1, np.uint64)
    for start in range(0, count, _BLOCK):
        size = min(_BLOCK, count - start)
        source.fill(words[: (size + 3) // 4])
        prefixes = words.view(np.uint16)[:size]
        part = out[start : start + size]
        np.less(prefixes, low, out=part)
        undecided = (prefixes >= low) & (prefixes < high)
        for index in np.flatnonzero(undecided):
            part[index] = bernoulli(probability, source, int(prefixes[index]), 16)
    return out


def uniform_below(bound: int, source: BitSource) -> int:
    """A uniform integer in [0, bound), by rejection.

    >>> from discreet.noise.entropy import Keystream
    >>> uniform_below(1, Keystream())
    0
    """
    bits = (bound - 1).bit_length()
    while (draw := source.bits(bits)) >= bound:
        pass
    return draw
