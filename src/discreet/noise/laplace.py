"""Floors of logarithms of a uniform, decided exactly: the magnitude of integer Laplace noise.

floor(c - scale·ln U) is at least k iff U ≤ e^((c-k)/scale).  A float decides it from 63 bits of U
unless it is too near an integer or U is tiny; then integers of any length do, with more bits.
Proof, with the error budget: docs/proofs/laplace-sampler.md
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import expm1, floor, log, log1p

import numpy as np
from numpy.typing import NDArray

from discreet.exact import exp_minus
from discreet.noise.bernoulli import bernoulli, decay
from discreet.noise.entropy import BitSource, Keystream, MachineWords
from discreet.noise.strip_tables import TINY, Draws, Integers, LaplaceWeights, Strips

LARGEST = 1 << 16
"""The largest scale: beyond, the float would be in doubt too often."""

BITS = 63
"""How many bits of U are given at first."""

_ERROR = 2.0**-40  # bounds the error of -ln U computed from 63 bits, for U ≥ 2^-20
_SMALLEST = 2.0 ** (BITS - 20)  # a word below this stands for U < 2^-20
_LN2 = log(2)


_BLOCK = 1 << 13
_WIDE = 1 << 57  # up to this scale draws fit in 64 bits but for one in e^64
_TABLE_COUNT = 20_000  # draws from which a table pays for its preparation
_MASK = (1 << BITS) - 1
_KEEP = 16  # bits that decide, nearly always, whether low digits are kept


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

    def magnitudes(self, words: MachineWords, source: BitSource) -> Integers:
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


def laplace(
    scale: Fraction | int,
    count: int,
    *,
    out: Integers | None = None,
    source: BitSource | None = None,
) -> NDArray[np.int64] | NDArray[np.object_]:
    """``count`` independent integers with P(x) ∝ e^(-|x|/scale), exactly.

    The result is an int64 array, or ``out`` if given.  If a draw does not fit in 64 bits (at scale
    2^57 one in e^64 does not, far beyond it most), all come as Python integers in an object array;
    with ``out`` that is an OverflowError.

    >>> laplace(Fraction(1, 2**20), 3)
    array([0, 0, 0])
    """
    scale = _positive(Fraction(scale))
    source = Keystream() if source is None else source
    draws = Draws.prepare(count, out)
    if scale > _WIDE:
        _sample_wide(_split(scale), draws, source)
    elif count >= _TABLE_COUNT:
        _strips(scale).sample(draws, source)
    elif scale > LARGEST:
        _sample_split(_split(scale), draws, source)
    else:
        _sample_whole(inversion(scale, two_sided=True), draws.array, source)
    return draws.result(out)


def laplace_integer(scale: Fraction, source: BitSource) -> int:
    """One integer with P(x) ∝ e^(-|x|/scale), exactly."""
    if scale > LARGEST:
        return _signed(_split(scale), source)
    word = source.bits(BITS + 1)
    magnitude = inversion(scale, True).magnitude(word & _MASK, source)
    return -magnitude if word >> BITS else magnitude


def geometric(
    scale: Fraction | int, count: int, *, source: BitSource | None = None
) -> NDArray[np.int64] | NDArray[np.object_]:
    """``count`` independent integers k ≥ 0 with P(k) ∝ e^(-k/scale), exactly.

    >>> geometric(Fraction(1, 2**20), 3)
    array([0, 0, 0])
    """
    scale = _positive(Fraction(scale))
    source = Keystream() if source is None else source
    draws = Draws.prepare(count, None)
    if scale > LARGEST:
        for lane in range(count):
            draws.put(lane, geometric_integer(scale, source))
    else:
        _sample_whole(inversion(scale, two_sided=False), draws.array, source)
    return draws.result(None)


def geometric_integer(scale: Fraction, source: BitSource) -> int:
    """One integer k ≥ 0 with P(k) ∝ e^(-k/scale), exactly."""
    if scale > LARGEST:
        return _split_word(_split(scale), source)[0]
    return inversion(scale, False).magnitude(source.bits(BITS), source)


def _positive(scale: Fraction) -> Fraction:
    if scale <= 0:
        raise ValueError("the scale of noise must be positive")
    return scale


# ---------------------------------------------------------------------- in one piece


def _sample_whole(inverse: Inversion, out: Integers, source: BitSource) -> None:
    words = np.empty(min(_BLOCK, out.size), np.uint64)
    for start in range(0, out.size, _BLOCK):
        part = out[start : start + _BLOCK]
        signs, part[:] = _signs_and_magnitudes(inverse, words[: part.size], source)
        if inverse.two_sided:
            part ^= signs
            part -= signs


def _signs_and_magnitudes(
    inverse: Inversion, words: NDArray[np.uint64], source: BitSource
) -> tuple[Integers, Integers]:
    """From one word each: the sign, 0 or -1, and the magnitude."""
    source.fill(words)
    signs = words.view(np.int64) >> BITS
    words &= np.uint64(_MASK)
    return signs, inverse.magnitudes(words, source)


@lru_cache(maxsize=2)
def _strips(scale: Fraction) -> Strips:
    return Strips(LaplaceWeights(scale))


# ---------------------------------------------------------------------- in two digits


@dataclass(frozen=True, slots=True)
class _Split:
    """Scale 2^shift·s with s in [2^15, 2^16): the low digit L of ``shift`` raw bits is kept with
    probability e^(-L/scale), at least ``sure``/2^16; the high digit has scale s."""

    scale: Fraction
    shift: int
    sure: int
    high: Inversion

    def keeps(self, low: int, prefix: int, source: BitSource) -> bool:
        """Whether the low digit is kept, given the first 16 bits of the uniform that decides."""
        return prefix < self.sure or bernoulli(decay(low / self.scale), source, prefix, _KEEP)


@lru_cache(maxsize=256)
def _split(scale: Fraction) -> _Split:
    shift = floor(scale).bit_length() - LARGEST.bit_length() + 1
    sure = floor((1 << _KEEP) * (1 - (1 << shift) / scale))
    return _Split(scale, shift, sure, inversion(scale / (1 << shift), two_sided=False))


def _split_word(split: _Split, source: BitSource) -> tuple[int, int]:
    """A geometric draw and one more bit."""
    while True:
        word = source.bits(BITS + 1 + _KEEP + split.shift)
        low = word & ((1 << split.shift) - 1)
        prefix = word >> split.shift & ((1 << _KEEP) - 1)
        if split.keeps(low, prefix, source):
            word >>= split.shift + _KEEP
            high = split.high.magnitude(word & _MASK, source)
            return high << split.shift | low, word >> BITS


def _signed(split: _Split, source: BitSource) -> int:
    while True:
        magnitude, negative = _split_word(split, source)
        if magnitude or not negative:  # zero has one sign
            return -magnitude if negative else magnitude


def _sample_split(split: _Split, draws: Draws, source: BitSource) -> None:
    words = np.empty(min(_BLOCK, draws.array.size), np.uint64)
    for start in range(0, draws.array.size, _BLOCK):
        part = draws.array[start : start + _BLOCK]
        used = words[: part.size]
        signs, high = _signs_and_magnitudes(split.high, used, source)
        source.fill(used)
        prefixes = used >> np.uint64(64 - _KEEP)
        low = (used & np.uint64((1 << split.shift) - 1)).view(np.int64)
        part[:] = high << split.shift | low
        again = (part == 0) & (signs != 0)
        part ^= signs
        part -= signs
        for lane in np.flatnonzero(high >> (63 - split.shift)):  # too wide for 64 bits
            magnitude = int(high[lane]) << split.shift | int(low[lane])
            draws.put(start + int(lane), -magnitude if signs[lane] else magnitude)
        for lane in np.flatnonzero(prefixes >= split.sure):
            again[lane] |= not split.keeps(int(low[lane]), int(prefixes[lane]), source)
        for lane in np.flatnonzero(again):
            draws.put(start + int(lane), _signed(split, source))


def _sample_wide(split: _Split, draws: Draws, source: BitSource) -> None:
    """The same with a low digit of several words: both digits are Python's integers."""
    words = np.empty(min(_BLOCK, draws.array.size), np.uint64)
    for start in range(0, draws.array.size, _BLOCK):
        used = words[: draws.array.size - start]
        signs, high = _signs_and_magnitudes(split.high, used, source)
        low, missing = np.zeros(used.size, np.object_), split.shift
        while missing:
            bits = min(missing, 64 - _KEEP)
            source.fill(used)
            low = low << bits | (used & np.uint64((1 << bits) - 1)).astype(np.object_)
            missing -= bits
        # The bits that no digit took decide whether the low one is kept.
        prefixes = (used >> np.uint64(64 - _KEEP)).tolist()
        magnitudes = high.astype(np.object_) << split.shift | low
        lanes = zip(signs.tolist(), magnitudes, low, prefixes, strict=True)
        for lane, (sign, magnitude, digit, prefix) in enumerate(lanes, start):
            if not split.keeps(digit, prefix, source) or (sign and not magnitude):
                draws.put(lane, _signed(split, source))
            else:
                draws.put(lane, -magnitude if sign else magnitude)
