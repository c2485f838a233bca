"""Biased bits have exactly the probability they are given."""

from collections import Counter
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.noise import (
    Keystream,
    UnsafeSeededBits,
    bernoulli,
    bernoulli_array,
    decay,
    ratio,
    uniform_below,
)
from discreet.noise.bernoulli import Probability, bernoulli_decay
from tests.noise import reference
from tests.noise.reference import PRECISION, real
from tests.support.evidence import FALSE_ALARM, chi_square, two_samples
from tests.support.scripted_bits import NeedMoreBits, Repeating, ScriptedBits, binary

PROBABILITIES: list[tuple[str, Probability, mpmath.mpf]] = []
with mpmath.workprec(PRECISION):
    for top, bottom in [(0, 1), (1, 1), (1, 2), (1, 3), (2, 7), (999, 1000), (1, 2**70 + 1)]:
        value = Fraction(top, bottom)
        PROBABILITIES.append((f"{value}", ratio(value), real(value)))
    for text in ["1/10", "1", "7/3", "30", "100", "1/1000000007"]:
        value = Fraction(text)
        PROBABILITIES.append((f"e^-{text}", decay(value), mpmath.exp(-real(value))))
        PROBABILITIES.append(
            (
                f"2/7·e^-{text}",
                decay(value, Fraction(2, 7)),
                real(Fraction(2, 7)) * mpmath.exp(-real(value)),
            )
        )
    PROBABILITIES.append(
        ("e^90·e^-100", decay(Fraction(100), Fraction(2**129)), 2**129 * mpmath.exp(-100))
    )

every_probability = pytest.mark.parametrize(
    ("probability", "value"),
    [(probability, value) for _, probability, value in PROBABILITIES],
    ids=[name for name, _, _ in PROBABILITIES],
)


@every_probability
def test_enclosures_hold_the_probability_and_are_narrow(
    probability: Probability, value: mpmath.mpf
) -> None:
    with mpmath.workprec(PRECISION):
        for bits in (0, 1, 16, 64, 200):
            low, high = probability(bits)
            assert 0 <= low <= mpmath.ldexp(value, bits) <= high <= low + 3
            assert high <= 1 << bits


@every_probability
def test_the_law_is_exact_by_enumeration(probability: Probability, value: mpmath.mpf) -> None:
    """The outcome is monotone in U, so the words at which it turns are its whole law.

    A draw sees 64 bits of U, then 128, then 256.  As it returns True only for words below some
    bound, and False only from some bound on, bisection finds how many of the 2^bits words are
    decided either way.  P[True] is at least the share decided True, and at most that plus the
    share not decided.  If p is between the two at every stage and the undecided share vanishes
    with the bits, P[True] = p.
    """

    def outcome(word: int, bits: int) -> bool | None:
        try:
            return bernoulli(probability, ScriptedBits(bits=binary(word, bits)))
        except NeedMoreBits:
            return None

    def first(bits: int, passed: object) -> int:
        low, high = 0, 1 << bits
        while low < high:
            middle = (low + high) // 2
            if passed(outcome(middle, bits)):  # type: ignore[operator]
                high = middle
            else:
                low = middle + 1
        return low

    with mpmath.workprec(PRECISION):
        for bits in (64, 128, 256):
            true = first(bits, lambda result: result is not True)
            open_ = first(bits, lambda result: result is False) - true
            assert true <= mpmath.ldexp(value, bits) <= true + open_
            assert open_ <= 3


@every_probability
def test_words_planted_at_the_boundary_are_decided_as_the_reference_decides(
    probability: Probability, value: mpmath.mpf
) -> None:
    with mpmath.workprec(PRECISION):
        centre = int(mpmath.floor(mpmath.ldexp(value, 64)))
        for word in range(centre - 8, centre + 9):
            if 0 <= word < 1 << 64:
                for pattern in ("0", "1", "0110"):
                    uniform = (word << 256 | Repeating(pattern).bits(256)) / mpmath.mpf(2) ** 320
                    script = ScriptedBits(bits=binary(word, 64), then=Repeating(pattern))
                    assert bernoulli(probability, script) == (uniform < value)


@given(st.fractions(0, 1), st.integers(0, 64), st.data())
def test_a_prefix_is_the_beginning_of_the_uniform(
    chance: Fraction, held: int, data: st.DataObject
) -> None:
    word = data.draw(st.integers(0, 2**64 - 1))
    prefix, rest = word >> (64 - held), word & ((1 << (64 - held)) - 1)
    script = ScriptedBits(bits=binary(rest, 64 - held), then=Repeating("0"))
    assert bernoulli(ratio(chance), script, prefix, held) == (Fraction(word, 2**64) < chance)


@pytest.mark.parametrize(
    "exponent", ["0", "1/10", "1", "7/3", "27", "28", "44", "45", "700", "1023", "1024", "9999999"]
)
def test_a_decay_in_floats_decides_as_the_reference_also_at_its_margin(exponent: str) -> None:
    gamma = Fraction(exponent)
    margin = 1 << 24  # 2^-40 of 2^64
    with mpmath.workprec(PRECISION):
        value = mpmath.exp(-real(gamma))
        centre = int(mpmath.floor(mpmath.ldexp(value, 64)))
        near = [centre + offset for offset in range(-5, 6)]
        far = [
            centre + sign * (margin + offset)
            for sign in (-1, 1)
            for offset in range(-3000, 3000, 37)
        ]
        for word in near + far:
            if 0 <= word < 1 << 64:
                for pattern in ("0110", "1"):
                    uniform = (word << 64 | Repeating(pattern).bits(64)) / mpmath.mpf(2) ** 128
                    script = ScriptedBits(bits=binary(word, 64), then=Repeating(pattern))
                    drawn = bernoulli_decay(gamma.numerator, gamma.denominator, script)
                    assert drawn == (uniform < value)


def test_a_huge_exponent_is_refused_by_neither_float_nor_time() -> None:
    for word in (0, 1, 2**64 - 1):
        script = ScriptedBits(bits=binary(word, 64), then=Repeating("1"))
        assert not bernoulli_decay(10**5000, 3, script)
    assert bernoulli_decay(3, 10**5000, ScriptedBits(bits="1" * 63 + "0"))


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 7, 8, 37, 64, 100])
def test_uniform_below_is_uniform_by_enumeration(bound: int) -> None:
    """Every word of the first request leads to a value of its own or asks for another word."""
    bits = (bound - 1).bit_length()
    outcomes: Counter[int | None] = Counter()
    for word in range(1 << bits):
        try:
            outcomes[uniform_below(bound, ScriptedBits(bits=binary(word, bits)))] += 1
        except NeedMoreBits:
            outcomes[None] += 1
    again = outcomes.pop(None, 0)
    assert outcomes == dict.fromkeys(range(bound), 1)
    assert again == (1 << bits) - bound < bound
    redrawn = ScriptedBits(bits="1" * bits * again + binary(bound - 1, bits), then=Repeating("1"))
    assert uniform_below(bound, redrawn) == bound - 1


@pytest.mark.parametrize("bound", [0, -1])
def test_there_is_nothing_below_zero(bound: int) -> None:
    with pytest.raises(ValueError, match="bound < 1"):
        uniform_below(bound, Keystream())


@pytest.mark.parametrize("chance", [Fraction(-1, 10), Fraction(11, 10)])
def test_a_probability_outside_the_unit_interval_is_refused(chance: Fraction) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        ratio(chance)


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 16383, 16384, 16385, 50_000])
def test_an_array_has_the_length_asked_for(count: int) -> None:
    assert bernoulli_array(ratio(Fraction(1)), count, Keystream()).sum() == count
    assert bernoulli_array(ratio(Fraction(0)), count, Keystream()).sum() == 0


@every_probability
def test_an_array_decides_each_prefix_as_a_single_draw_does(
    probability: Probability, value: mpmath.mpf
) -> None:
    """All 65,536 prefixes in one array: those that do not decide are continued by the script."""
    prefixes = np.arange(65_536, dtype=np.uint16)
    low, high = probability(16)
    for pattern in ("0", "1", "0110"):
        fills = [part.view(np.uint64) for part in np.split(prefixes, 4)]
        drawn = bernoulli_array(
            probability, prefixes.size, ScriptedBits(fills, then=Repeating(pattern))
        )
        assert drawn[:low].all()
        assert not drawn[high:].any()
        for prefix in range(low, min(high, 65_536)):
            assert drawn[prefix] == bernoulli(probability, Repeating(pattern), prefix, 16)


@pytest.mark.parametrize(
    ("probability", "value"),
    [
        (ratio(Fraction(1, 3)), 1 / 3),
        (ratio(Fraction(65_535, 65_536)), 65_535 / 65_536),
        (ratio(Fraction(1, 65_537)), 1 / 65_537),
        (decay(Fraction(1, 2)), float(np.exp(-0.5))),
    ],
)
def test_ten_million_bits_have_their_frequency(probability: Probability, value: float) -> None:
    """False alarms: below 10^-6 each.  A probability that is 16 standard errors off is rejected."""
    count = 10**7
    ones = int(bernoulli_array(probability, count, Keystream()).sum())
    observed = np.array([ones, count - ones])

    def verdict(chance: float) -> float:
        return chi_square(observed, np.array([chance, 1 - chance]))

    assert verdict(value) >= FALSE_ALARM
    off = 16 * (value * (1 - value) / count) ** 0.5
    assert verdict(value + off if value < 0.5 else value - off) < FALSE_ALARM


@pytest.mark.parametrize("exponent", ["1/3", "1", "5/2"])
def test_the_frequency_is_that_of_the_sampler_without_exponentials(exponent: str) -> None:
    gamma, count = Fraction(exponent), 20_000
    source = UnsafeSeededBits(20)
    slow = sum(reference.bernoulli_decay(gamma, source) for _ in range(count))
    ones = int(bernoulli_array(decay(gamma), count, Keystream()).sum())
    singles = sum(
        bernoulli_decay(gamma.numerator, gamma.denominator, Keystream()) for _ in range(count)
    )
    expected = np.array([slow, count - slow])
    for drawn in (ones, singles):
        assert two_samples(expected, np.array([drawn, count - drawn])) >= FALSE_ALARM
    wrong = int(bernoulli_array(decay(gamma * 5 / 4), count, Keystream()).sum())
    assert two_samples(expected, np.array([wrong, count - wrong])) < FALSE_ALARM
