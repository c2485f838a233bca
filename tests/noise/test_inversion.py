"""Magnitudes of Laplace and geometric noise: the floor of a logarithm, decided exactly."""

from collections.abc import Iterator
from fractions import Fraction
from math import log

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.noise import UnsafeSeededBits
from discreet.noise.laplace import Inversion, inversion
from tests.noise.reference import PRECISION, inverted, tail
from tests.support.scripted_bits import NeedMoreBits, Repeating, ScriptedBits, binary

SCALES = [Fraction(1, 1000), *map(Fraction, ["1/3", "1", "7/2", "24", "25", "1000", "65536"])]
SIDES = pytest.mark.parametrize("two_sided", [True, False], ids=["two-sided", "geometric"])


def decided(inverse: Inversion, word: int, held: int) -> int:
    """The draw whose U starts with ``held`` bits, if they decide."""
    first, rest = word >> (held - 63), word & ((1 << (held - 63)) - 1)
    return inverse.magnitude(first, ScriptedBits(bits=binary(rest, held - 63)))


def planted(scale: Fraction, two_sided: bool) -> Iterator[int]:
    """63-bit words within a few units of the true boundaries, and of the margins around them."""
    margin = 2.0**-40 * (1 + 1 / float(scale))  # of ln U
    deepest = int(float(scale) * 43) + 2
    levels = {1, 2, 3, 10, deepest, *np.unique(np.geomspace(1, deepest, 20).astype(int))}
    for level in sorted(levels):
        boundary = mpmath.ldexp(tail(scale, int(level), two_sided=two_sided), 63)
        for edge in (-margin, 0, margin):
            centre = int(mpmath.floor(boundary * mpmath.exp(edge)))
            step = max(1, int(boundary) >> 52)  # a word further than floats can tell
            for offset in (-3 * step, -step, -2, -1, 0, 1, 2, step, 3 * step):
                if 0 <= centre + offset < 1 << 63:
                    yield centre + offset


@pytest.mark.slow
@SIDES
@pytest.mark.parametrize("scale", SCALES[1:], ids=str)
def test_words_planted_at_true_boundaries_are_decided_as_the_reference_decides(
    scale: Fraction, two_sided: bool
) -> None:
    """The same function of the bits, one by one and as an array, whatever bits follow."""
    inverse = inversion(scale, two_sided)
    with mpmath.workprec(PRECISION):
        words = sorted(set(planted(scale, two_sided)))
        assert len(words) > 20
        for pattern in ("0", "1", "0110"):
            if pattern == "0":
                words = [word for word in words if word]  # U = 0 is never decided
            source = Repeating(pattern)
            followed = [Fraction(word << 300 | source.bits(300), 1 << 363) for word in words]
            truth = [inverted(scale, uniform, two_sided=two_sided) for uniform in followed]
            assert [inverse.magnitude(word, source) for word in words] == truth
            assert inverse.magnitudes(np.array(words, np.uint64), source).tolist() == truth


@SIDES
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_law_is_exact_by_enumeration(scale: Fraction, two_sided: bool) -> None:
    """The draw falls as U grows, so the words at which it falls are its whole law.

    A draw is given 128 bits of U.  Bisection finds the least word whose draw is not certainly k or
    more, and the least whose draw is certainly less than k.  P[draw ≥ k] lies between the two,
    over 2^128.  They are at most two words apart and hold the true probability, for every k that
    128 bits tell apart: so the law of the code that ships, the float path included, is the true
    one up to 2^-126, and the same argument with more bits leaves nothing.
    """
    inverse = inversion(scale, two_sided)

    def reaches(word: int, level: int) -> bool | None:
        try:
            return decided(inverse, word, 128) >= level
        except NeedMoreBits:
            return None

    def first(level: int, below: bool) -> int:
        low, high = 0, 1 << 128
        while low < high:
            middle = (low + high) // 2
            outcome = reaches(middle, level)
            if outcome is False or (outcome is None and not below):
                high = middle
            else:
                low = middle + 1
        return low

    with mpmath.workprec(PRECISION):
        # Not so deep that 128 bits would leave several draws open at once.
        deepest = int(float(scale) * (80 - log(max(1, scale))))
        for level in sorted({1, 2, 3, 7, deepest // 20, deepest // 3, deepest} - {0}):
            boundary = mpmath.ldexp(tail(scale, level, two_sided=two_sided), 128)
            certain, excluded = first(level, below=False), first(level, below=True)
            assert certain <= boundary <= excluded
            assert excluded - certain <= 3


@SIDES
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_random_words_are_decided_as_the_reference_decides(
    scale: Fraction, two_sided: bool
) -> None:
    inverse = inversion(scale, two_sided)
    words = np.empty(300, np.uint64)
    UnsafeSeededBits(3).fill(words)
    words >>= np.arange(words.size, dtype=np.uint64) % np.uint64(60) + np.uint64(1)
    source = Repeating("10")
    with mpmath.workprec(PRECISION):
        truth = [
            inverted(
                scale, Fraction(int(word) << 300 | source.bits(300), 1 << 363), two_sided=two_sided
            )
            for word in words
        ]
    assert inverse.magnitudes(words, source).tolist() == truth
    assert [inverse.magnitude(int(word), source) for word in words] == truth


@SIDES
def test_the_float_path_asks_for_no_more_bits_and_the_doubtful_ones_do(two_sided: bool) -> None:
    inverse = inversion(Fraction(10), two_sided)
    assert inverse.magnitude(3 << 61, ScriptedBits()) == inverse.magnitudes(
        np.array([3 << 61], np.uint64), ScriptedBits()
    )
    for tiny in (0, 1, (1 << 43) - 1):
        with pytest.raises(NeedMoreBits):
            inverse.magnitude(tiny, ScriptedBits())
        with pytest.raises(NeedMoreBits):
            inverse.magnitudes(np.array([tiny], np.uint64), ScriptedBits())
    assert inverse.magnitude(1 << 43, ScriptedBits()) > 100


@pytest.mark.parametrize("zeros", [63, 64, 127, 128, 300, 1000])
@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_a_uniform_that_starts_with_many_zeros_reaches_far_into_the_tail(
    scale: Fraction, zeros: int
) -> None:
    inverse = inversion(scale, two_sided=True)
    script = ScriptedBits(bits="0" * (zeros - 63) + "1", then=Repeating("0110"))
    drawn = inverse.magnitude(0, script)
    with mpmath.workprec(zeros + PRECISION):
        assert tail(scale, drawn, two_sided=True) > mpmath.ldexp(1, -zeros - 1)
        assert tail(scale, drawn + 1, two_sided=True) < mpmath.ldexp(1, -zeros)


@given(
    st.fractions(min_value=Fraction(1, 2**25), max_value=2**16),
    st.integers(1, 2**63 - 1),
    st.booleans(),
)
def test_any_scale_and_word_agree_with_the_reference(
    scale: Fraction, word: int, two_sided: bool
) -> None:
    source = Repeating("011")
    with mpmath.workprec(PRECISION):
        uniform = Fraction(word << 300 | source.bits(300), 1 << 363)
        truth = inverted(scale, uniform, two_sided=two_sided)
    inverse = inversion(scale, two_sided)
    assert inverse.magnitude(word, source) == truth
    assert inverse.magnitudes(np.array([word], np.uint64), source) == [truth]


@pytest.mark.parametrize("scale", [Fraction(1, 10**400), Fraction(1, 2**20), Fraction(1, 2**200)])
@SIDES
def test_a_tiny_scale_draws_zero_without_more_bits(scale: Fraction, two_sided: bool) -> None:
    inverse = inversion(scale, two_sided)
    assert inverse.magnitude(1 << 43, ScriptedBits()) == 0
    assert inverse.magnitudes(np.full(3, 1 << 43, np.uint64), ScriptedBits()).tolist() == [0] * 3
    assert inverse.magnitude(0, Repeating("0110")) == 0


@pytest.mark.parametrize("scale", [0, -1, 2**16 + Fraction(1, 10**9)])
def test_scales_outside_the_proof_are_refused(scale: Fraction) -> None:
    with pytest.raises(ValueError, match="scale must be positive"):
        inversion(Fraction(scale), True)
