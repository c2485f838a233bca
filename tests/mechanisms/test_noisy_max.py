"""Report noisy max: its law by summing over noise, ties, and what it claims."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pytest

import discreet.mechanisms.selection as module
from discreet.errors import VerificationError
from discreet.mechanisms import NoisyMax
from discreet.noise import BitSource
from discreet.privacy.sensitivity import Sensitivity
from discreet.privacy.verification import verify
from tests.support.evidence import fits
from tests.support.scripted_bits import ScriptedNumbers


def naive_law(scores: list[int], scale: float) -> list[float]:
    """Sum over the winning value and over who is tied there."""
    q = exp(-1 / scale)

    def at(distance: int) -> float:
        return (1 - q) / (1 + q) * q ** abs(distance)

    def below(distance: int) -> float:
        """P[noise < distance]."""
        return 1 - q**distance / (1 + q) if distance > 0 else q ** (1 - distance) / (1 + q)

    chances = [0.0] * len(scores)
    reach = int(40 * scale) + 2
    for value in range(min(scores) - reach, max(scores) + reach):
        for tied in product((False, True), repeat=len(scores)):
            together = 1.0
            for score, here in zip(scores, tied, strict=True):
                together *= at(value - score) if here else below(value - score)
            for index in np.flatnonzero(tied):
                chances[index] += together / sum(tied)
    return chances


@pytest.mark.parametrize("scale", ["1/4", "1", "5/2"])
def test_the_law_is_that_of_adding_noise_and_breaking_ties_at_random(scale: str) -> None:
    for scores in ([0], [1, 0], [0, 0], [0, 3, 1], [2, 2, 0, 5]):
        law = NoisyMax(scale=scale).law(scores)  # type: ignore[arg-type]
        found = [law.probability(i) for i in range(len(scores))]
        assert found == pytest.approx(naive_law(scores, float(Fraction(scale))), rel=1e-11)


def test_enclosures_hold_the_law_and_narrow() -> None:
    law = NoisyMax(scale=7).law([0, 3, 3, 9])
    for bits in (64, 200, 500):
        pairs = [law.enclose(i, bits) for i in range(4)]
        assert all(0 <= low <= high <= low + 2 for low, high in pairs)
        assert sum(low for low, _ in pairs) <= 1 << bits <= sum(high for _, high in pairs)
    coarse, fine = law.enclose(0, 64), law.enclose(0, 500)
    assert coarse[0] << 436 <= fine[0] <= fine[1] <= coarse[1] << 436


def test_the_cost_of_the_law_does_not_depend_on_the_scale() -> None:
    small, large = (NoisyMax(scale=scale).law([0, 2 * scale, scale]) for scale in (10**3, 10**9))
    for index in range(3):
        assert small.probability(index) == pytest.approx(large.probability(index), abs=1e-3)


def test_two_candidates_lose_with_the_closed_form() -> None:
    q, distance = exp(-1 / 3), 5
    expected = q**distance * (1 + distance * (1 - q) / (1 + q)) / 2
    assert NoisyMax(scale=3).law([0, distance]).probability(0) == pytest.approx(expected)


# ---------------------------------------------------------------------- ties


@pytest.fixture
def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise of zero, so that equal scores are tied for certain."""

    def silent(scale: Fraction, count: int, *, source: BitSource) -> np.ndarray:
        return np.zeros(count, np.int64)

    monkeypatch.setattr(module, "laplace", silent)


@pytest.mark.usefixtures("no_noise")
@pytest.mark.parametrize(("draw", "winner"), [(0, 1), (1, 2), (2, 4)])
def test_a_tie_is_decided_by_a_fresh_draw(draw: int, winner: int) -> None:
    source = ScriptedNumbers(numbers=[draw])
    assert NoisyMax(scale=1)([0, 7, 7, 3, 7], source=source) == winner
    assert source.asked == [2]  # the draw below 3 takes two bits


@pytest.mark.usefixtures("no_noise")
def test_without_a_tie_nothing_more_is_drawn() -> None:
    assert NoisyMax(scale=1)([0, 7, 3], source=ScriptedNumbers()) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("no_noise")
def test_ties_are_broken_uniformly() -> None:
    winners = [NoisyMax(scale=1)([5, 5, 0, 5]) for _ in range(20_000)]
    assert fits(winners, {0: 1 / 3, 1: 1 / 3, 3: 1 / 3})
    first_wins = [min(winner, 1) for winner in winners]
    assert not fits(first_wins, {0: 1 / 2, 1: 1 / 2})


def test_ties_are_common_on_integers_and_the_law_counts_them() -> None:
    """At a small scale all noise is zero: whoever broke ties by position would be seen."""
    law = NoisyMax(scale="1/20").law([0, 0, 0])  # type: ignore[arg-type]
    assert [law.probability(i) for i in range(3)] == pytest.approx([1 / 3] * 3, rel=1e-15)
    counts = Counter(NoisyMax(scale="1/20")([0, 0, 0]) for _ in range(3_000))  # type: ignore[arg-type]
    assert min(counts[i] for i in range(3)) > 800


def test_breaking_ties_by_the_data_would_break_the_claim() -> None:
    """The negative control for the proof: the order must not depend on the scores.

    If ties went to the larger true score, the smaller of (0, 1) would have to be ahead by two.
    """
    mechanism, q = NoisyMax(scale="1/4", monotone=True), exp(-4)  # type: ignore[arg-type]
    claimed = exp(mechanism.loss(Sensitivity(linf=1)).epsilon)
    honest = mechanism.law([0, 1]).probability(0)
    tie = ((1 - q) / (1 + q)) ** 2 * q * (1 + (1 + q * q) / (1 - q * q))
    biased = honest - tie / 2
    assert 0.5 / honest <= claimed < 0.5 / biased


# ---------------------------------------------------------------------- claims


def test_counts_under_add_remove_need_half_the_noise() -> None:
    mechanism = NoisyMax.calibrated(sensitivity=1, epsilon=1, monotone=True)
    assert mechanism.scale == 1
    assert mechanism.loss(Sensitivity(linf=1)).epsilon == 1
    for candidates in (2, 5, 20):  # however many there are
        counts = [3] + [1] * (candidates - 1)
        for added in product((0, 1), repeat=2):
            more = [a + b for a, b in zip(counts, [*added] + [1] * (candidates - 2), strict=True)]
            assert verify(mechanism, counts, more).epsilon <= 1


def test_wide_scores_and_noise_beyond_64_bits_do_not_overflow() -> None:
    mechanism = NoisyMax(scale=2**40)
    assert mechanism(np.array([0, 2**62])) == 1
    assert mechanism(np.array([-(2**63), 2**63 - 1])) == 1


def test_a_law_that_would_take_too_long_is_refused() -> None:
    with pytest.raises(VerificationError, match="distinct scores"):
        NoisyMax(scale=1).law(range(200))
    NoisyMax(scale=1).law([0] * 300)
