"""Chances out of 2^64: rounded towards protection, and drawn with exactly that probability."""

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.exact import exp_minus
from discreet.local.probabilities import WHOLE, bernoulli_bits, fresh_bytes, keep_chance, uniform
from discreet.noise import Keystream
from tests.support.evidence import fits


class Script:
    """Bits that were written down: words for the vector, then whole numbers."""

    safe = False

    def __init__(self, words: list[int], numbers: list[int]) -> None:
        self.words, self.numbers = words, numbers

    def fill(self, words: Any) -> None:
        for at in range(words.size):
            words[at] = self.words.pop(0)

    def bits(self, count: int) -> int:
        drawn = self.numbers.pop(0)
        assert 0 <= drawn < 1 << count
        return drawn


@given(
    st.fractions(min_value=Fraction(1, 1000), max_value=100, max_denominator=10**6),
    st.integers(1, 1 << 40),
    st.integers(1, 1 << 40),
)
def test_a_chance_is_the_largest_that_protects(epsilon: Fraction, truth: int, others: int) -> None:
    keep = keep_chance(epsilon, truth, others)
    low, high = exp_minus(epsilon, 600)

    def protects(chance: int) -> bool | None:
        """Whether chance·others ≤ e^ε·(2^64 - chance)·truth."""
        mine, bound = chance * others, (WHOLE - chance) * truth << 600
        return mine * high <= bound if mine * high <= bound or mine * low > bound else None

    assert 0 <= keep < WHOLE
    assert protects(keep) is True
    assert keep == WHOLE - 1 or protects(keep + 1) is False


@given(st.fractions(min_value=Fraction(101, 100), max_value=10**6), st.integers(1, 1 << 31))
def test_rational_odds_are_kept_as_stated(odds: Fraction, others: int) -> None:
    keep = keep_chance(Fraction(1), 1, others, odds)
    assert keep * others <= odds * (WHOLE - keep)
    assert (keep + 1) * others > odds * (WHOLE - keep - 1) or keep == WHOLE - 1


def test_weights_without_meaning_are_refused() -> None:
    for truth, others in [(0, 1), (1, 0), (-1, 1), (1 << 101, 1)]:
        with pytest.raises(ValueError, match="above 0"):
            keep_chance(Fraction(1), truth, others)


@pytest.mark.parametrize("chance", [1, (1 << 48) + 1, 3 << 62, keep_chance(Fraction(1)), WHOLE - 1])
def test_a_draw_compares_a_64_bit_integer_with_the_chance(chance: int) -> None:
    """U < N to the last bit, at the two integers where it changes."""
    for uniform_word, expected in [(chance - 1, True), (chance, False)]:
        prefix, rest = uniform_word >> 48, uniform_word & ((1 << 48) - 1)
        source = Script([prefix], [rest])
        assert bernoulli_bits(chance, 1, source).tolist() == [expected]


@pytest.mark.parametrize("bound", [1, 2, 3, 99, 1 << 16, (1 << 16) + 1, (1 << 40) + 7])
def test_uniform_integers_stay_below_their_bound(bound: int) -> None:
    drawn = uniform(bound, 5000, Keystream())
    assert drawn.dtype == np.int64
    assert 0 <= drawn.min() <= drawn.max() < bound
    assert bound > 99 or set(drawn.tolist()) == set(range(bound))


def test_words_beyond_the_last_whole_multiple_are_drawn_again() -> None:
    top = (1 << 32) - 1  # 2^32 mod 3 is 1, so this word alone is rejected
    assert uniform(3, 2, Script([top | 5 << 32, 4], [])).tolist() == [1, 2]


def test_uniform_integers_fit_their_law_and_another_does_not() -> None:
    drawn = uniform(7, 70_000, Keystream()).tolist()
    assert fits(drawn, dict.fromkeys(range(7), 1 / 7))
    assert not fits([min(at, 5) for at in drawn], dict.fromkeys(range(7), 1 / 7))
    assert fits(fresh_bytes(100_000, Keystream()).tolist(), dict.fromkeys(range(256), 1 / 256))


def test_draws_fit_their_chance_and_another_does_not() -> None:
    chance = keep_chance(Fraction(1))
    found = Counter(bernoulli_bits(chance, 100_000, Keystream()).tolist())
    law = {True: chance / WHOLE, False: 1 - chance / WHOLE}
    assert fits(found.elements(), law)
    assert not fits(found.elements(), {True: 0.70, False: 0.30})
