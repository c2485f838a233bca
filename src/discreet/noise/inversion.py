"""Floors of logarithms of a uniform, decided exactly: the magnitude of integer Laplace noise.

floor(c - scale·ln U) is at least k iff U ≤ e^((c-k)/scale).  A float decides it from 63 bits of U
unless it is too near an integer or U is tiny; then integers of any length do, with more bits.
Proof, with the error budget: docs/proofs/laplace-sampler.md
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import expm1, log, log1p

import numpy as np

from discreet.exact import exp_minus
from discreet.noise.draws import Integers
from discreet.noise.entropy import BitSource, Words
from discreet.noise.weights import TINY

LARGEST = 1 << 16
"""The largest scale: beyond, the float would be in doubt too often."""

BITS = 63
"""How many bits of U are given at first."""

_ERROR = 2.0**-40  # bounds the error of -ln U computed from 63 bits, for U ≥ 2^-20
_SMALLEST = 2.0 ** (BITS - 20)  # a word below this stands for U < 2^-20
_LN2 = log(2)


@dataclass(frozen=True, slots=True)
class Inversion:
    """floor(c - scale·ln U): with c = 0 a geometric draw, P(k) ∝ q^k with q = e^(-1/scale), and
    with c = scale·ln(2/(1+q)) the magnitude of two-sided noise, P(|X| ≥ k) = 2q^k/(1+q)."""

    scale: Fraction
    two_sided: bool
    size: float
    constant: float
    margin: float

    def magnitude(self, word: int, source: BitSource) -> int:
        """The draw whose U starts with the 63 bits of ``word``."""
        if word >= _SMALLEST:
            value = self.constant - self.size * log(word)
            whole = int(value)
            if self.margin < value - whole < 1 - self.margin:
                return whole
        return self._decide(word, source)

    def magnitudes(self, words: Words, source: BitSource) -> Integers:
        """The draws of 63-bit words; the same function of the words as ``magnitude``."""
        value = words.astype(np.float64)
        doubtful = value < _SMALLEST
        np.maximum(value, 1.0, out=value)
        np.log(value, out=value)
        value *= -self.size
        value += self.constant
        doubtful |= np.abs(value - np.rint(value)) <= self.margin
        drawn = value.astype(np.int64)
        for lane in np.flatnonzero(doubtful):
            drawn[lane] = self._decide(int(words[lane]), source)
        return drawn

    def _decide(self, word: int, source: BitSource) -> int:
        """The draw in integers: bits are added until it is at least k, and not k + 1, for sure."""
        more, held = BITS + 2, BITS
        while True:
            word, held = word << more | source.bits(more), held + more
            # Right but for rounding and c, so only a few steps are taken from here.
            whole = int(self.size * (held * _LN2 - log(word + 1)))
            while (reached := self._reaches(whole, word, held)) is False:
                whole -= 1
            if reached:
                while reached := self._reaches(whole + 1, word, held):
                    whole += 1
                if reached is False:
                    return whole
            more = held

    def _reaches(self, whole: int, word: int, held: int) -> bool | None:
        """Whether the draw is at least ``whole``; None if the bits held do not tell."""
        if whole <= 0:
            return True
        work = held + 32
        low, high = exp_minus(whole / self.scale, work)
        if self.two_sided:
            one = 1 << work
            q_low, q_high = exp_minus(1 / self.scale, work)
            low = (low << work + 1) // (one + q_high)
            high = -((-high << work + 1) // (one + q_low))
        if word + 1 <= low >> 32:  # U < (word + 1)/2^held ≤ the bound
            return True
        if word >= -(-high >> 32):  # U ≥ word/2^held ≥ the bound
            return False
        return None


@lru_cache(maxsize=256)
def inversion(scale: Fraction, two_sided: bool) -> Inversion:
    """The prepared function for a scale in (0, 2^16]."""
    if not 0 < scale <= LARGEST:
        raise ValueError("scale must be positive, and at most 2^16 to be inverted in one piece")
    # Below 2^-20 the float path only has to say 0, and says it for the larger scale as well.
    size = float(max(scale, TINY))
    offset = -size * log1p(expm1(-1 / size) / 2) if two_sided else 0.0
    constant = size * (BITS * _LN2) + offset
    return Inversion(scale, two_sided, size, constant, margin=(size + 1) * _ERROR)
