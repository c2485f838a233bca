"""Exact choices: the exponential mechanism by proposals, permute-and-flip by a race."""

from fractions import Fraction
from itertools import permutations
from time import thread_time

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.noise import Keystream, UnsafeSeededBits, exponential_race, weighted_choice
from discreet.noise.weighted_choice import _Candidates
from tests.noise.reference import PRECISION, real
from tests.support.evidence import FALSE_ALARM, chi_square
from tests.support.scripted_bits import Answering, NeedMoreBits, Repeating, ScriptedBits, binary

RATES = [Fraction(0), Fraction(1, 10**400), Fraction(1, 7), Fraction(1), Fraction(40)]
RATES += [Fraction(10**400)]
CANDIDATES: dict[str, tuple[list[int], list[int] | None]] = {
    "one": ([0], None),
    "equal": ([3, 3, 3], None),
    "few": ([0, 1, 5, 2, 0, 40, 700, 10**6], None),
    "counted": ([0, 1, 5, 2, 0, 40, 700, 10**6], [1, 2**50, 3, 10**9, 7, 2**60, 2**62, 1]),
    "no zero": ([900, 901, 950], None),
    "negative": ([-(2**62), 2**62, -(2**62) + 3], None),
    "extremes": ([-(2**63), 2**63 - 1], [2**63 - 1, 2**63 - 1]),
    "far": ([0, 2**62], [1, 2**62]),
}
every_choice = pytest.mark.parametrize("name", CANDIDATES)
every_rate = pytest.mark.parametrize("rate", RATES, ids=lambda r: mpmath.nstr(real(r), 3))


# ---------------------------------------------------------------------- weighted choice


def truth(depths: list[int], rate: Fraction, counts: list[int] | None) -> list[mpmath.mpf]:
    """The weights count·e^(-rate·(depth - least)) at 400 bits."""
    least = min(depths)
    return [
        count * mpmath.exp(-real(rate * (depth - least)))
        for depth, count in zip(depths, counts or [1] * len(depths), strict=True)
    ]


def first(low: int, high: int, turned: object) -> int:
    """The first integer from which on ``turned`` holds."""
    while low < high:
        middle = (low + high) // 2
        if turned(middle):  # type: ignore[operator]
            high = middle
        else:
            low = middle + 1
    return low


@every_rate
@every_choice
def test_the_law_of_a_choice_is_exact_by_enumeration(name: str, rate: Fraction) -> None:
    """A choice draws a place below the sum of the proposals, uniformly, and keeps the candidate
    there with some probability.  The candidate grows with the place, so bisection over the places
    finds how many belong to each: its proposal.  Keeping is monotone in V, so bisection over 128
    bits of V finds its probability.  The law is the normalized product, and equals the weights'.
    """
    depths, counts = CANDIDATES[name]
    block = _Candidates.read(depths, rate, counts).propose(0)
    total = int(block.ends[-1])
    size = (total - 1).bit_length()

    def chosen(place: int, v: int) -> int | None:
        """What this place and these 128 bits of V lead to; None if the candidate is not kept."""
        bits = binary(place, size) + binary(v, 128)
        try:
            return weighted_choice(depths, rate, ScriptedBits(bits=bits), counts)
        except NeedMoreBits:
            return None

    def candidate(place: int) -> int:
        return int(np.searchsorted(block.ends, place, "right"))

    with mpmath.workprec(PRECISION + 2000):
        weights = truth(depths, rate, counts)
        ends = [0, *(int(end) for end in block.ends)]
        products = []
        for index, weight in enumerate(weights):
            place, last = ends[index], ends[index + 1] - 1
            assert candidate(place) == candidate(last) == index
            kept = first(0, 1 << 128, lambda v, place=place: chosen(place, v) is None)
            assert chosen(place, 0) in (index, None)
            assert all(chosen(end, kept // 2) in (index, None) for end in (place, last))
            # Kept with probability 2^power·weight/proposal, up to what 128 bits can tell.
            chance = mpmath.ldexp(weight, block.power) / (last + 1 - place)
            assert chance <= 1
            assert abs(kept - mpmath.ldexp(chance, 128)) <= 4
            products.append((last + 1 - place) * chance)
        assert total < 2**63
        for product, weight in zip(products, weights, strict=True):
            assert mpmath.almosteq(product / sum(products), weight / sum(weights), 1e-90)
        # Little is proposed in vain.
        assert sum(products) > total * (1 - 2.0**-37) - 3 * len(depths)


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=20),
    st.fractions(min_value=0),
    st.data(),
)
def test_proposals_are_never_below_the_weights(
    depths: list[int], rate: Fraction, data: st.DataObject
) -> None:
    counts = data.draw(
        st.none() | st.lists(st.integers(1, 2**63 - 1), min_size=len(depths), max_size=len(depths))
    )
    block = _Candidates.read(depths, rate, counts).propose(0)
    proposals = np.diff(block.ends, prepend=0).tolist()
    with mpmath.workprec(PRECISION):
        scaled = [mpmath.ldexp(weight, block.power) for weight in truth(depths, rate, counts)]
        assert all(low <= high for low, high in zip(scaled, proposals, strict=True))
        assert sum(proposals) < 2**63


def test_a_candidate_that_is_not_kept_is_followed_by_a_new_draw() -> None:
    depths = [0, 10**6]
    ends = _Candidates.read(depths, Fraction(1), None).propose(0).ends
    size = (int(ends[-1]) - 1).bit_length()
    far, near = int(ends[-1]) - 1, 0
    # V is asked for in two pieces where its first 32 bits do not decide.
    source = Answering({size: [far, far, near], 32: [5, 0, 2**32 - 1, 0, 0]})
    assert weighted_choice(depths, Fraction(1), source) == 0
    assert source.finished
    # Where every bit of V is zero, even e^(-1000) is above it, once enough bits are known.
    source = Answering({size: [far]}, pattern="0")
    assert weighted_choice([0, 1000], Fraction(1), source) == 1


@pytest.mark.slow
def test_candidates_in_many_blocks_keep_their_weights() -> None:
    """100,000 candidates in four blocks of very different weights; the heavy ones are few."""
    depths = np.full(100_000, 30)
    depths[[5, 40_000, 99_999]] = [2, 1, 0]
    counts = np.ones(100_000, np.int64)
    counts[50_000] = 10**13
    weights = counts * np.exp(-depths.astype(float))
    drawn = [weighted_choice(depths, Fraction(1), Keystream(), counts) for _ in range(800)]
    groups = {5: 0, 40_000: 1, 50_000: 2, 99_999: 3}
    seen = np.bincount([groups.get(index, 4) for index in drawn], minlength=5)
    chances = weights[list(groups)]
    chances = np.append(chances, weights.sum() - chances.sum())
    assert chi_square(seen, chances) >= FALSE_ALARM
    assert chi_square(seen, chances * [1, 5, 1, 1, 1]) < FALSE_ALARM


@pytest.mark.parametrize("counted", [False, True])
def test_a_choice_has_the_frequencies_of_its_weights(counted: bool) -> None:
    """False alarms: 10^-8; a rate 40% off is rejected."""
    depths = [0, 3, 1, 7, 0, 2]
    counts = [1, 9, 2, 100, 1, 3] if counted else None
    stream = Keystream()
    drawn = [weighted_choice(depths, Fraction(1, 2), stream, counts) for _ in range(15_000)]
    seen = np.bincount(drawn, minlength=len(depths))

    def verdict(rate: float) -> float:
        return chi_square(seen, np.exp(-rate * np.array(depths)) * np.array(counts or [1] * 6))

    assert verdict(0.5) >= FALSE_ALARM
    assert verdict(0.7) < FALSE_ALARM


def test_the_slow_path_of_many_candidates_is_quick() -> None:
    """Only the candidate in question is computed in integers, so nothing hangs."""
    depths = np.arange(100_000)
    begun = thread_time()
    for _ in range(3):
        source = Answering({32: [2**32 - 1, 0] * 4}, pattern="0101")
        assert 0 <= weighted_choice(depths, Fraction(1, 50), source) < depths.size
    assert thread_time() - begun < 2


# ---------------------------------------------------------------------- the race


def winner(scores: list[int], rate: Fraction, uniforms: list[Fraction]) -> int:
    """The argmax by definition, at a precision that holds scores of 64 bits."""
    keys = [
        real(rate * score) - mpmath.log(real(uniform))
        for score, uniform in zip(scores, uniforms, strict=True)
    ]
    return max(range(len(keys)), key=keys.__getitem__)


@pytest.mark.parametrize("rate", RATES[1:-1], ids=lambda r: mpmath.nstr(real(r), 3))
@pytest.mark.parametrize("gap", [0, 1, 2, 30, 300, 2**62])
def test_words_planted_at_a_tie_are_decided_as_the_reference_decides(
    gap: int, rate: Fraction
) -> None:
    """Two candidates tie where U' = U·e^(rate·gap): words within a few units of that, for U of
    every size, followed by bits of every kind."""
    with mpmath.workprec(PRECISION):
        ratio = mpmath.exp(-real(min(rate * gap, Fraction(2000))))
        compared = 0
        for power in range(1, 64, 3):
            # The candidate behind has the smaller U: behind = ahead·e^(-rate·gap).
            behind = min(1 << power | 12345 % (1 << power), int(ratio * (2**64 - 5)))
            ahead = int(mpmath.floor(behind / ratio)) if behind else 2**63
            for offset in range(-3, 4):
                words = [max(0, min(2**64 - 1, ahead + offset)), behind]
                for pattern in ("0110", "1001"):
                    more = Repeating(pattern).bits(300)
                    uniforms = [Fraction(word << 300 | more, 1 << 364) for word in words]
                    if rate * gap == 0 and words[0] == words[1]:
                        continue  # the same bits for ever: a tie that never ends
                    expected = winner([gap, 0], rate, uniforms)
                    source = ScriptedBits([words], then=Repeating(pattern))
                    assert exponential_race([gap, 0], rate, source) == expected
                    source = ScriptedBits([words[::-1]], then=Repeating(pattern))
                    assert exponential_race([0, gap], rate, source) == 1 - expected
                    compared += 1
        assert compared > 200


@given(
    st.lists(
        st.tuples(
            st.integers(-(2**63), 2**63 - 1) | st.integers(0, 50),
            st.integers(0, 2**64 - 1) | st.integers(0, 5),
        ),
        min_size=1,
        max_size=12,
        unique_by=lambda pair: pair[1],
    ),
    st.fractions(min_value=0, max_value=100),
)
def test_any_scores_and_words_have_the_winner_of_the_reference(
    racers: list[tuple[int, int]], rate: Fraction
) -> None:
    scores = [score for score, _ in racers]
    words = [word for _, word in racers]
    more = Repeating("0110").bits(300)
    with mpmath.workprec(PRECISION + 100):
        expected = winner(scores, rate, [Fraction(word << 300 | more, 1 << 364) for word in words])
    source = ScriptedBits([words], then=Repeating("0110"))
    assert exponential_race(scores, rate, source) == expected


def test_a_clear_winner_needs_no_more_bits() -> None:
    assert exponential_race([0, 0], Fraction(1), ScriptedBits([[2**63, 2**62]])) == 1
    assert exponential_race([0, 5], Fraction(1), ScriptedBits([[2**62, 2**63]])) == 1


def test_a_word_of_zero_may_win_from_any_lag_and_is_settled_at_once() -> None:
    """Its U may be as small as can be; a lag of 2^63 still costs no time."""
    far = [2**62, -(2**62)]
    assert exponential_race(far, Fraction(1), ScriptedBits([[2**63, 0]], then=Repeating("01"))) == 0
    # U = 2^-128·(0.11…) beats U' = 1/2 from a lag of 80, not from one of 90: e^-87.5 = 2^-126.2.
    for lag, wins in ((80, True), (90, False)):
        source = ScriptedBits([[2**63, 0]], bits="1" * 64 + "0" * 63 + "1", then=Repeating("1"))
        assert (exponential_race([lag, 0], Fraction(1), source) == 1) == (lag < 88) == wins


def test_a_leader_with_a_tiny_word_does_not_hide_who_may_beat_it() -> None:
    """The word 1 stands for U in [1, 2)/2^64, a factor of two: the word 1 of a candidate one step
    behind at rate 1/2 may win or lose, by the bits that follow."""
    for leader, other, expected in (("1", "0", 1), ("0", "1", 0)):
        source = ScriptedBits([[1, 1]], bits=leader * 64 + other * 64)
        assert exponential_race([1, 0], Fraction(1, 2), source) == expected


@pytest.mark.slow
def test_racers_in_many_blocks_all_take_part() -> None:
    scores = np.zeros(100_000, np.int64)
    words = [np.full(size, 2**63, np.uint64) for size in (32_768, 32_768, 32_768, 1_696)]
    for block, lane in ((0, 0), (1, 17), (3, 1_695)):
        smaller = [part.copy() for part in words]
        smaller[block][lane] = 2**40
        assert exponential_race(scores, Fraction(1), ScriptedBits(smaller)) == 32_768 * block + lane
    tied = [part.copy() for part in words]
    tied[0][3] = tied[2][9] = 2**40
    source = ScriptedBits(tied, bits="0" * 64 + "1" * 64)  # the later one's bits are asked first
    assert exponential_race(scores, Fraction(1), source) == 2 * 32_768 + 9


def permute_and_flip(scores: list[int], rate: float) -> NDArray[np.float64]:
    """The law of the mechanism by its definition: in random order, flip a coin for each."""
    chances = np.exp(-rate * (max(scores) - np.array(scores)))
    law = np.zeros(len(scores))
    orders = list(permutations(range(len(scores))))
    for order in orders:
        left = 1.0
        for index in order:
            law[index] += left * chances[index] / len(orders)
            left *= 1 - chances[index]
    return law


def test_the_race_has_the_law_of_permute_and_flip() -> None:
    """False alarms: 10^-8; a rate 40% off is rejected."""
    scores = [0, 3, 5, 5, 4]
    stream = Keystream()
    drawn = [exponential_race(scores, Fraction(1, 2), stream) for _ in range(15_000)]
    seen = np.bincount(drawn, minlength=len(scores))
    assert chi_square(seen, permute_and_flip(scores, 0.5)) >= FALSE_ALARM
    assert chi_square(seen, permute_and_flip(scores, 0.7)) < FALSE_ALARM


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    "values",
    [[], [0.5], [[1]], ["a"], [2**63], [True], [None], [2**70, 0], np.array([2**63], np.uint64)],
    ids=repr,
)
def test_what_are_not_64_bit_integers_is_refused(values: object) -> None:
    for draw in (
        lambda: exponential_race(values, Fraction(1), Keystream()),  # type: ignore[arg-type]
        lambda: weighted_choice(values, Fraction(1), Keystream()),  # type: ignore[arg-type]
    ):
        with pytest.raises(ValueError, match="candidates are given by"):
            draw()


def test_small_integer_types_are_read() -> None:
    for dtype in (np.int8, np.uint8, np.int32, np.uint64):
        values = np.array([0, 100], dtype)
        assert exponential_race(values, Fraction(1), UnsafeSeededBits(1)) == 1  # type: ignore[arg-type]
        assert weighted_choice(values, Fraction(1), UnsafeSeededBits(1)) == 0  # type: ignore[arg-type]


@pytest.mark.parametrize("counts", [[1], [1, 0], [1, -1], [1, 1, 1], [0, 0]])
def test_every_candidate_needs_a_positive_count(counts: list[int]) -> None:
    with pytest.raises(ValueError, match="positive count"):
        weighted_choice([0, 1], Fraction(1), Keystream(), counts)


def test_a_negative_rate_is_refused() -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        weighted_choice([0, 1], Fraction(-1), Keystream())
    with pytest.raises(ValueError, match="must not be negative"):
        exponential_race([0, 1], Fraction(-1), Keystream())
