"""Integer Laplace and geometric noise: every path gives the law, whatever the scale."""

from fractions import Fraction
from math import floor

import mpmath
import numpy as np
import pytest

from discreet.noise import (
    Keystream,
    UnsafeSeededBits,
    geometric,
    geometric_integer,
    laplace,
    laplace_integer,
)
from tests.noise import reference
from tests.noise.reference import PRECISION, inverted, real
from tests.support.cases import each
from tests.support.evidence import FALSE_ALARM, normal, two_samples
from tests.support.scripted_bits import Answering, Repeating, ScriptedBits, binary

SCALES = ["1/1048576", "1/3", "1", "7/2", "32", "33", "1000", "65536", "65537", "2^20", "2^40"]
SCALES += ["2^57", "2^57+1/3", "2^200", "10^400"]


def number(text: str) -> Fraction:
    base, caret, rest = text.partition("^")
    power, _, more = rest.partition("+")
    return Fraction(int(base) ** int(power)) + Fraction(more or 0) if caret else Fraction(text)


def split_shift(scale: Fraction) -> int:
    return floor(scale).bit_length() - 16


# ---------------------------------------------------------------------- one draw


@pytest.mark.parametrize("scale", ["1/3", "1", "1000", "65536"])
def test_one_word_is_a_sign_and_63_bits_of_the_uniform(scale: str) -> None:
    t = number(scale)
    words = [int.from_bytes(UnsafeSeededBits(i).bits(64).to_bytes(8)) for i in range(50)]
    with mpmath.workprec(PRECISION):
        for word in words:
            low = word & ((1 << 63) - 1)
            magnitude = inverted(t, Fraction(2 * low + 1, 1 << 64), two_sided=True)
            drawn = laplace_integer(t, ScriptedBits(bits=binary(word, 64)))
            assert drawn == (-magnitude if word >> 63 else magnitude)
            single = geometric_integer(t, ScriptedBits(bits=binary(low, 63)))
            assert single == inverted(t, Fraction(2 * low + 1, 1 << 64), two_sided=False)


@pytest.mark.parametrize("scale", ["65537", "2^20", "2^40", "2^57", "10^30"])
def test_words_planted_at_the_boundary_of_keeping_low_digits_are_decided_right(scale: str) -> None:
    """Above 2^16 a draw is a sign and a high digit (64 bits), 16 bits of V, and a low digit L,
    which is kept iff V < e^(-L/scale)."""
    t = number(scale)
    shift = split_shift(t)
    size = 80 + shift

    def word(uniform: Fraction, prefix: int, low: int) -> int:
        return (floor(uniform * 2**63) << 16 | prefix) << shift | low

    with mpmath.workprec(PRECISION):
        half, other = (
            inverted(t / (1 << shift), Fraction(top, 2**63), two_sided=False) << shift
            for top in (2 * 2**61 + Fraction(1, 2), 3 * 2**61 + Fraction(1, 2))
        )
        kept = rejected = 0
        for low in {0, 1, 1 << (shift - 1), (1 << shift) - 1}:
            chance = mpmath.exp(-low / real(t))
            centre = int(mpmath.floor(mpmath.ldexp(chance, 64)))
            for v in range(centre - 9, min(centre + 9, 1 << 64)):
                for follow in ("01", "10"):
                    uniform = (v << 64 | Repeating(follow).bits(64)) / mpmath.mpf(2) ** 128
                    draws = [word(Fraction(1, 2), v >> 48, low), word(Fraction(3, 4), 0, 0)]
                    source = Answering({size: draws, 48: [v & (2**48 - 1)]}, follow)
                    assert laplace_integer(t, source) == (half | low if uniform < chance else other)
                    kept += len(draws)
                    rejected += 1 - len(draws)
        assert kept > 10
        assert rejected > 10


def test_zero_has_one_sign_in_two_digits() -> None:
    """Minus zero is drawn anew; without that zero would be twice as likely."""
    t = Fraction(2**20)
    shift = split_shift(t)
    zero = (2**63 - 2**40) << 16 << shift
    minus_zero = zero | 1 << (79 + shift)
    minus_one = minus_zero | 1
    assert laplace_integer(t, Answering({80 + shift: [zero]})) == 0
    assert laplace_integer(t, Answering({80 + shift: [minus_one]})) == -1
    again = Answering({80 + shift: [minus_zero, minus_zero, minus_one]})
    assert laplace_integer(t, again) == -1
    assert again.finished
    assert geometric_integer(t, Answering({80 + shift: [minus_zero]})) == 0


# ---------------------------------------------------------------------- many draws


@pytest.mark.parametrize("scale", ["1/3", "1", "1000", "65536"])
def test_an_array_is_the_same_function_of_its_words_as_single_draws(scale: str) -> None:
    t = number(scale)
    words = np.empty(9000, np.uint64)
    UnsafeSeededBits(5).fill(words)
    words[::100] &= np.uint64(2**63 + 2**40)  # some with a tiny U, which takes the slow path
    then = Repeating("0110")
    drawn = laplace(t, words.size, source=ScriptedBits([words[:8192], words[8192:]], then=then))
    single = [
        laplace_integer(t, ScriptedBits(bits=binary(int(word), 64), then=then))
        for word in words[::20]
    ]
    assert drawn[::20].tolist() == single
    drawn = geometric(t, words.size, source=ScriptedBits([words[:8192], words[8192:]], then=then))
    single = [
        geometric_integer(t, ScriptedBits(bits=binary(int(word) & (2**63 - 1), 63), then=then))
        for word in words[::20]
    ]
    assert drawn[::20].tolist() == single


@pytest.mark.parametrize("scale", ["2^20", "2^40", "2^57"])
def test_an_array_in_two_digits_takes_every_branch(scale: str) -> None:
    """Lanes: as usual; negative; minus zero; V in doubt, kept; V in doubt, not kept; far out."""
    t = number(scale)
    shift = split_shift(t)
    half, nearly_one, negative = 2**62, 2**63 - 2**40, 2**63
    in_doubt = 0xFFFF << 48
    source = Answering(
        {
            65: [0],  # the wide lane's U starts with 128 zeros ...
            128: [2**128 - 1],  # ... and goes on with 128 ones
            48: [0, 2**48 - 1],  # V is below e^(-7/scale) in the fourth lane; not in the fifth
            80 + shift: [half << 16 << shift | 11, half << 16 << shift | 12],
        },
        fills=[
            [half, half | negative, nearly_one | negative, half, half, 0],
            [5, 6, 0, in_doubt | 7, in_doubt | 8, 9],
        ],
    )
    with mpmath.workprec(PRECISION):
        usual, wide = (
            inverted(t / (1 << shift), uniform, two_sided=False) << shift
            for uniform in (Fraction(2**63 + 1, 2**64), Fraction(2**128 - 1, 2**256))
        )
    drawn = laplace(t, 6, source=source)
    assert source.finished
    assert drawn.tolist() == [
        usual | 5,
        -(usual | 6),
        usual | 11,
        usual | 7,
        usual | 12,
        wide | 9,
    ]
    assert (drawn.dtype == object) == (wide >= 2**63)


def test_a_low_digit_of_several_words_takes_every_branch() -> None:
    """Lanes: as usual; negative; minus zero; V in doubt, kept; V in doubt, not kept."""
    t = Fraction(2**100)
    shift = split_shift(t)
    assert shift == 85  # 48 bits, then the 37 bits at the end of the next word, which has V on top
    half, nearly_one, negative = 2**62, 2**63 - 2**40, 2**63
    in_doubt, ignored = 0xFFFF << 48, 0x7FF << 37
    source = Answering(
        {
            48: [0, 2**48 - 1],
            80 + shift: [half << 16 << shift | 11, half << 16 << shift | 12],
        },
        fills=[
            [half, half | negative, nearly_one | negative, half, half],
            [1, 2**48 - 1, 0, 3, 4],
            [5 | ignored, 6, 0, in_doubt | 7, in_doubt | 8],
        ],
    )
    with mpmath.workprec(PRECISION):
        uniform = Fraction(2**63 + 1, 2**64)
        usual = inverted(t / (1 << shift), uniform, two_sided=False) << shift
    drawn = laplace(t, 5, source=source)
    assert source.finished
    assert drawn.tolist() == [
        usual | 1 << 37 | 5,
        -(usual | (2**48 - 1) << 37 | 6),
        usual | 11,
        usual | 3 << 37 | 7,
        usual | 12,
    ]


# ---------------------------------------------------------------------- what is asked for


@pytest.mark.slow
@each("count", [0, 1, 7, 8193, 20_000])
@each("scale", SCALES)
def test_every_scale_and_count_gives_that_many_integers(scale: str, count: int) -> None:
    count = count if number(scale) <= 2**57 else min(count, 50)
    for draw in (laplace, geometric):
        drawn = draw(number(scale), count)
        assert drawn.shape == (count,)
        assert drawn.dtype == np.int64 or number(scale) > 2**57
        assert all(type(value) is int for value in drawn.tolist())


@pytest.mark.parametrize("count", [4000, 30_000])
@pytest.mark.parametrize("scale", SCALES)
def test_every_path_has_the_mean_magnitude_of_its_scale(scale: str, count: int) -> None:
    """E|X| = 2q/(1-q²), nearly the scale.  False alarms: below 10^-6; twice that is rejected."""
    t = number(scale)
    if t > 2**57:
        count = 1000
    drawn = laplace(t, count)
    if t < Fraction(1, 100):
        assert not drawn.any()
        return
    with mpmath.workprec(PRECISION + 3000):
        q = mpmath.exp(-1 / real(t))
        mean, square = 2 * q / (1 - q**2), 2 * q / (1 - q) ** 2
        error = mpmath.sqrt((square - mean**2) / count)
        found = mpmath.mpf(sum(abs(value) for value in drawn.tolist())) / count
        assert normal(float((found - mean) / error)) >= FALSE_ALARM
        assert normal(float((found - mean * 2) / error)) < FALSE_ALARM
        # The sign is fair: as many above zero as below.
        signs = sum((value > 0) - (value < 0) for value in drawn.tolist())
        nonzero = sum(value != 0 for value in drawn.tolist())
        assert normal(signs / nonzero**0.5) >= FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("scale", ["1/3", "1", "7/2", "33", "1000", "70000"])
def test_draws_are_those_of_the_sampler_without_logarithms(scale: str) -> None:
    """Two samples, in 40 bins.  False alarms: 10^-8; the sampler at 1.5 times the scale differs."""
    t, count = number(scale), 6_000
    source = UnsafeSeededBits(40)
    slow = np.array([reference.laplace(t, source) for _ in range(count)])
    edges = np.unique(np.quantile(slow, np.linspace(0, 1, 41))).astype(np.int64)

    def binned(values: object) -> np.ndarray:
        places = np.searchsorted(edges, np.asarray(values), "right")
        return np.bincount(places, minlength=edges.size + 1)

    stream = Keystream()
    singles = [laplace_integer(t, stream) for _ in range(count)]
    for drawn in (singles, laplace(t, count), laplace(t, 20_000)):
        assert two_samples(binned(slow), binned(drawn)) >= FALSE_ALARM
    assert two_samples(binned(slow), binned(laplace(t * 3 / 2, count))) < FALSE_ALARM


@pytest.mark.parametrize("count", [10, 20_000])
@pytest.mark.parametrize("scale", ["1", "1000", "2^40"])
def test_out_is_filled_and_returned_also_with_gaps(scale: str, count: int) -> None:
    t = number(scale)
    expected = laplace(t, count, source=UnsafeSeededBits(1))
    out = np.zeros(count, np.int64)
    assert laplace(t, count, out=out, source=UnsafeSeededBits(1)) is out
    assert np.array_equal(out, expected)
    wide = np.full((count, 3), 77, np.int64)
    laplace(t, count, out=wide[:, 1], source=UnsafeSeededBits(1))
    assert np.array_equal(wide[:, 1], expected)
    assert (wide[:, [0, 2]] == 77).all()
    backwards = np.zeros(count, np.int64)
    laplace(t, count, out=backwards[::-1], source=UnsafeSeededBits(1))
    assert np.array_equal(backwards[::-1], expected)


def test_an_out_that_does_not_fit_is_refused() -> None:
    frozen = np.zeros(5, np.int64)
    frozen.flags.writeable = False
    wrong = [np.zeros(4, np.int64), np.zeros(6, np.int64), np.zeros(5, np.int32), frozen]
    wrong += [np.zeros(5), np.zeros(5, object), np.zeros((5, 1), np.int64), np.zeros(5, ">i8")]
    for out in wrong:
        with pytest.raises(ValueError, match="out must be a writable int64 array"):
            laplace(1, 5, out=out)  # type: ignore[arg-type]


def test_noise_beyond_64_bits_comes_as_python_integers_or_not_at_all() -> None:
    drawn = laplace(2**200, 20)
    assert drawn.dtype == object
    assert max(abs(value) for value in drawn) > 2**150
    with pytest.raises(OverflowError, match="without out="):
        laplace(2**200, 20, out=np.zeros(20, np.int64))
    assert geometric(2**200, 20).dtype == object


@pytest.mark.parametrize("scale", [0, -1, Fraction(-1, 3)])
def test_a_scale_that_is_not_positive_is_refused(scale: Fraction) -> None:
    for draw in (laplace, geometric):
        for count in (1, 20_000):
            with pytest.raises(ValueError, match="must be positive"):
                draw(scale, count)
    for single in (laplace_integer, geometric_integer):
        with pytest.raises(ValueError, match="must be positive"):
            single(Fraction(scale), Keystream())
