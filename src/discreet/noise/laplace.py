"""Exact integer Laplace noise: P(x) = (1-q)/(1+q) · q^|x| with q = e^(-1/scale).

|X| ≥ k has probability 2q^k/(1+q), so |X| = floor(c - scale·ln U) for a uniform U in (0,1) and
c = scale·ln(2/(1+q)); the sign is a fair bit.  One 64-bit word gives the sign and 63 bits of U.
A float decides the floor unless it is too near an integer; then integers of any length do.

Above scale 2^16 the magnitude is split in digits: a geometric G = 2^k·H + L has independent H
(geometric, scale/2^k) and L in [0, 2^k) with weight e^(-L/scale).

Proof, with the error budget of the float path: docs/proofs/laplace-sampler.md
"""

from fractions import Fraction
from functools import lru_cache
from math import expm1, floor, log, log1p

import numpy as np
from numpy.typing import NDArray

from discreet.exact import exp_minus
from discreet.noise.bernoulli import bernoulli, decay
from discreet.noise.entropy import BitSource, Keystream
from discreet.noise.strips import Strips
from discreet.noise.weights import LaplaceWeights
from discreet.noise.draws import Draws, Integers

_BLOCK = 1 << 14
_WHOLE = 1 << 16  # largest scale whose magnitude is drawn in one piece
_LARGEST = 1 << 57  # largest scale whose draws fit in 64 bits but once in e^64
_TABLE_COUNT = 20_000  # draws from which a table pays for its preparation
_LOG_ERROR = 2.0**-40  # bounds the error of -ln U computed from 63 bits, for U ≥ 2^-20
_SMALLEST = 2.0**43  # a 63-bit word below this stands for U < 2^-20
_WORD = 63 * log(2)


def laplace(
    scale: Fraction | int,
    count: int,
    *,
    out: Integers | None = None,
    source: BitSource | None = None,
) -> NDArray[np.int64] | NDArray[np.object_]:
    """``count`` independent integers with P(x) ∝ e^(-|x|/scale), exactly.

    The result is an int64 array, or ``out`` if given.  Draws that do not fit in 64 bits (scales
    beyond 2^57, or one draw in e^64) come as Python integers in an object array.

    >>> laplace(Fraction(1, 2**20), 3)
    array([0, 0, 0])
    """
    scale = Fraction(scale)
    source = Keystream() if source is None else source
    if scale > _LARGEST:
        return _python_integers(scale, count, out, source)
    drawn = np.empty(count, np.int64) if out is None else out
    if count >= _TABLE_COUNT:
        _strips(scale).sample(Draws(drawn), source)
        return drawn
    try:
        if scale <= _WHOLE:
            _draw_whole(scale, drawn, source)
        else:
            _draw_split(scale, drawn, source)
    except OverflowError:
        return _python_integers(scale, count, out, source)
    return drawn


def laplace_integer(scale: Fraction, source: BitSource) -> int:
    """One integer with P(x) ∝ e^(-|x|/scale), exactly."""
    if scale <= _WHOLE:
        negative = source.bits(1)
        size, offset = _parameters(scale)
        magnitude = _scalar(scale, size, offset, source)
        return -magnitude if negative else magnitude
    while True:
        negative = source.bits(1)
        magnitude = geometric_integer(scale, source)
        if magnitude or not negative:  # zero has one sign
            return -magnitude if negative else magnitude


def geometric_integer(scale: Fraction, source: BitSource) -> int:
    """One integer k ≥ 0 with P(k) ∝ e^(-k/scale), exactly."""
    shift = _split(scale)
    reduced = scale / (1 << shift)
    size = float(reduced)
    while True:
        low = source.bits(shift)
        if not shift or bernoulli(decay(low / scale), source):
            return _scalar(reduced, size, None, source) << shift | low


def geometric(
    scale: Fraction | int, count: int, *, source: BitSource | None = None
) -> NDArray[np.int64] | NDArray[np.object_]:
    """``count`` independent integers k ≥ 0 with P(k) ∝ e^(-k/scale), exactly.

    >>> geometric(Fraction(1, 2**20), 3)
    array([0, 0, 0])
    """
    scale = Fraction(scale)
    source = Keystream() if source is None else source
    drawn = np.empty(count, np.int64)
    if scale <= _WHOLE:
        _Logarithm(scale, None, min(_BLOCK, count)).sample(drawn, source, signed=False)
        return drawn
    return _fitting([geometric_integer(scale, source) for _ in range(count)])


# ---------------------------------------------------------------------- many draws


class _Logarithm:
    """floor(c - scale·ln U) for blocks of words, with its work space."""

    def __init__(self, scale: Fraction, offset: float | None, block: int) -> None:
        self.scale = scale
        self.two_sided = offset is not None
        self.size = float(scale)
        self.constant = self.size * _WORD + (offset or 0.0)
        self.margin = (self.size + 1) * _LOG_ERROR
        self.words = np.empty(block, np.uint64)
        self.signs = np.empty(block, np.int64)
        self.value, self.nearest = np.empty(block), np.empty(block)
        self.doubtful, self.near = np.empty(block, np.bool_), np.empty(block, np.bool_)

    def draw(self, part: Integers, source: BitSource) -> Integers:
        """Overwrite ``part`` with magnitudes; returns the signs, 0 or -1."""
        size = part.size
        source.fill(self.words[:size])
        word, sign = self.words[:size].view(np.int64), self.signs[:size]
        value, nearest = self.value[:size], self.nearest[:size]
        doubtful, near = self.doubtful[:size], self.near[:size]
        np.right_shift(word, 63, out=sign)
        np.bitwise_and(word, (1 << 63) - 1, out=word)
        value[:] = word
        np.less(value, _SMALLEST, out=doubtful)
        np.maximum(value, 1.0, out=value)
        np.log(value, out=value)
        np.multiply(value, -self.size, out=value)
        np.add(value, self.constant, out=value)
        np.rint(value, out=nearest)
        np.subtract(value, nearest, out=nearest)
        np.abs(nearest, out=nearest)
        np.less(nearest, self.margin, out=near)
        np.logical_or(doubtful, near, out=doubtful)
        np.copyto(part, value, casting="unsafe")
        for lane in np.flatnonzero(doubtful):
            part[lane] = _magnitude(self.scale, int(word[lane]), self.two_sided, source)
        return sign

    def sample(self, out: Integers, source: BitSource, *, signed: bool) -> None:
        for start in range(0, out.size, _BLOCK):
            part = out[start : start + _BLOCK]
            sign = self.draw(part, source)
            if signed:
                np.bitwise_xor(part, sign, out=part)
                np.subtract(part, sign, out=part)


def _draw_whole(scale: Fraction, out: Integers, source: BitSource) -> None:
    _, offset = _parameters(scale)
    _Logarithm(scale, offset, min(_BLOCK, out.size)).sample(out, source, signed=True)


def _draw_split(scale: Fraction, out: Integers, source: BitSource) -> None:
    shift = _split(scale)
    block = min(_BLOCK, out.size)
    high = _Logarithm(scale / (1 << shift), None, block)
    words = np.empty(block, np.uint64)
    doubtful = np.empty(block, np.bool_)
    # The low digits are kept with probability e^(-L/scale) ≥ 1 - 2^shift/scale.
    sure = floor((1 << 16) * (1 - (1 << shift) / scale))
    threshold, mask = np.uint64(sure << 48), np.uint64((1 << shift) - 1)
    for start in range(0, out.size, block):
        part = out[start : start + block]
        sign = high.draw(part, source)
        word, doubt = words[: part.size], doubtful[: part.size]
        source.fill(word)
        np.greater_equal(word, threshold, out=doubt)
        low = (word & mask).view(np.int64)
        if part.max(initial=0) >= 1 << (63 - shift):
            raise OverflowError
        np.left_shift(part, shift, out=part)
        np.bitwise_or(part, low, out=part)
        again = [
            lane
            for lane in np.flatnonzero(doubt)
            if not bernoulli(decay(int(low[lane]) / scale), source, int(word[lane]) >> 48, 16)
        ]
        again.extend(np.flatnonzero((part == 0) & (sign != 0)))
        np.bitwise_xor(part, sign, out=part)
        np.subtract(part, sign, out=part)
        for lane in again:
            part[lane] = laplace_integer(scale, source)


def _python_integers(
    scale: Fraction, count: int, out: Integers | None, source: BitSource
) -> NDArray[np.int64] | NDArray[np.object_]:
    drawn = _fitting([laplace_integer(scale, source) for _ in range(count)])
    if out is None:
        return drawn
    if drawn.dtype == np.object_:
        raise OverflowError("the noise does not fit in 64 bits; call without out=")
    out[:] = drawn
    return out


def _fitting(values: list[int]) -> NDArray[np.int64] | NDArray[np.object_]:
    fits = all(-(1 << 63) <= value < 1 << 63 for value in values)
    return np.array(values, np.int64 if fits else np.object_)


@lru_cache(maxsize=2)
def _strips(scale: Fraction) -> Strips:
    return Strips(LaplaceWeights(scale))


# ---------------------------------------------------------------------- one draw


@lru_cache(maxsize=256)
def _parameters(scale: Fraction) -> tuple[float, float]:
    """The scale and c = scale·ln(2/(1+q)) in floats."""
    size = float(scale)
    return size, -size * log1p(expm1(-1 / size) / 2)


@lru_cache(maxsize=256)
def _split(scale: Fraction) -> int:
    """How many low bits to split off so that the rest has a scale of at most 2^16."""
    return max(0, floor(scale).bit_length() - 16)


def _scalar(scale: Fraction, size: float, offset: float | None, source: BitSource) -> int:
    word = source.bits(63)
    if word >= _SMALLEST:
        value = size * (_WORD - log(word)) + (offset or 0.0)
        if abs(value - round(value)) >= (size + 1) * _LOG_ERROR:
            return int(value)
    return _magnitude(scale, word, offset is not None, source)


def _magnitude(scale: Fraction, word: int, two_sided: bool, source: BitSource) -> int:
    """floor(c - scale·ln U), or floor(-scale·ln U), given the first 63 bits of U, exactly.

    The answer is at least k iff U ≤ 2q^k/(1+q), or U ≤ q^k.  Bits are added until the answer
    is at least k and not at least k + 1 for certain.
    """
    held = 63
    while True:
        more = 64 if held == 63 else held
        word, held = word << more | source.bits(more), held + more
        guess = int(float(scale) * (held * log(2) - log(word + 1))) if word.bit_length() else 0
        low = max(0, guess - 2)
        while low and _at_least(low, scale, word, held, two_sided) is False:
            low = max(0, 2 * low - guess - 2)
        reached: bool | None = True
        while reached:
            low += 1
            reached = _at_least(low, scale, word, held, two_sided)
        if reached is False:
            return low - 1


def _at_least(size: int, scale: Fraction, word: int, held: int, two_sided: bool) -> bool | None:
    """Whether the answer is at least ``size``; None if the bits held do not tell."""
    work = held + 32
    low, high = exp_minus(size / scale, work)
    if two_sided:
        q_low, q_high = exp_minus(1 / scale, work)
        low = (low << work + 1) // ((1 << work) + q_high)
        high = -((-high << work + 1) // ((1 << work) + q_low))
    if word + 1 <= low >> 32:
        return True
    if word >= -(-high >> 32):
        return False
    return None
