"""Amplification by shuffling: the clones' δ, exactly, and never below the truth."""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, exp
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from discreet.errors import PrivacyParameterError
from discreet.local import HeavyHitters
from discreet.local.shuffle import Shuffled, clones_delta, shuffled, shuffled_delta
from discreet.privacy.losses import ApproximateDP, PureDP

MILLIONTH = Fraction(1, 10**6)


def brute_force(near: Fraction, far: Fraction, people: int) -> Fraction:
    """The naive twin: both laws over all (first, second), enumerated from C, A and D."""
    success, told = 1 / near, near / (near + 1)
    laws: tuple[dict[tuple[int, int], Fraction], ...] = ({}, {})
    for clones in range(people):
        weight = comb(people - 1, clones) * success**clones * (1 - success) ** (people - 1 - clones)
        for heads in range(clones + 1):
            chance = weight * comb(clones, heads) / 2**clones
            for one, part in ((1, told), (0, 1 - told)):
                pair = heads + one, clones - heads + 1 - one
                for law, at in zip(laws, (pair, pair[::-1]), strict=True):
                    law[at] = law.get(at, Fraction(0)) + chance * part
    first, second = laws
    excess = [chance - far * second.get(at, Fraction(0)) for at, chance in first.items()]
    return sum((one for one in excess if one > 0), Fraction(0))


def by_floats(local: float, epsilon: float, people: int) -> float:
    """The same δ by SciPy's binomial tails."""
    near, far = exp(local), exp(epsilon)
    clones = np.arange(people)
    place = np.floor((clones + 1) * (near * far - 1) / ((near - 1) * (far + 1)))
    excess = (near - far) / (near + 1) * binom.pmf(place, clones, 0.5)
    excess -= (far - 1) * binom.sf(place, clones, 0.5)
    return float(binom.pmf(clones, people - 1, 1 / near) @ np.maximum(excess, 0))


def randomized_response(local: float, epsilon: float, people: int) -> float:
    """The exact δ of shuffled bits, if everyone else has the answer 0: no bound can be below."""
    lie = 1 / (1 + exp(local))
    ones = np.arange(people + 1)
    without = binom.pmf(ones, people - 1, lie)
    shifted = np.concatenate([[0.0], without[:-1]])
    zero, one = (1 - lie) * without + lie * shifted, lie * without + (1 - lie) * shifted
    sides = (zero - exp(epsilon) * one, one - exp(epsilon) * zero)
    return max(float(np.maximum(side, 0).sum()) for side in sides)


# ---------------------------------------------------------------------- δ


@pytest.mark.parametrize("people", range(1, 13))
@pytest.mark.parametrize("near", [Fraction(11, 10), Fraction(2), Fraction(19, 7), Fraction(50)])
def test_delta_is_that_of_brute_force_rounded_up(people: int, near: Fraction) -> None:
    for part in (Fraction(0), Fraction(1, 10), Fraction(1, 3), Fraction(2, 3), Fraction(99, 100)):
        far = 1 + part * (near - 1)
        true = brute_force(near, far, people)
        assert true <= clones_delta(near, people, far) <= true + Fraction(1, 1 << 120)


def test_a_wrong_chance_of_clones_would_be_seen() -> None:
    """The negative control: with half as many clones the sum is another."""
    near, far = Fraction(3), Fraction(3, 2)
    assert abs(clones_delta(near, 12, far) - brute_force(near, far, 6)) > Fraction(1, 100)


@pytest.mark.parametrize(("local", "people"), [(1, 1000), (1, 10_000), (4, 10_000), ("1/2", 3001)])
def test_delta_is_that_of_floats(local: object, people: int) -> None:
    for part in (0.0, 0.01, 0.05, 0.2, 0.5):
        epsilon = part * float(Fraction(local))  # type: ignore[arg-type]
        expected = by_floats(float(Fraction(local)), epsilon, people)  # type: ignore[arg-type]
        found = float(shuffled_delta(local, people, epsilon=epsilon))
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-20)


def test_one_person_is_hidden_by_nobody() -> None:
    """Alone, the pair is that of a bit told with e^ε₀ : 1."""
    for epsilon in (Fraction(0), Fraction(1, 2)):
        decay = exp(-1.0)
        expected = (1 - exp(float(epsilon)) * decay) / (1 + decay)
        assert float(shuffled_delta(1, 1, epsilon=epsilon)) == pytest.approx(expected, rel=1e-12)
    assert float(shuffled(1, 1, delta=1e-6).epsilon) == pytest.approx(1, abs=1e-3)


# ---------------------------------------------------------------------- ε


@pytest.mark.parametrize(
    ("local", "people", "expected"), [(1, 10_000, 0.053), (4, 10_000, 0.601), (1, 10**6, 0.00433)]
)
def test_epsilon_is_that_of_the_literature(local: int, people: int, expected: float) -> None:
    found = shuffled(local, people, delta=1e-6)
    assert float(found.epsilon) == pytest.approx(expected, rel=0.003)
    assert shuffled_delta(local, people, epsilon=found.epsilon) <= MILLIONTH
    assert shuffled_delta(local, people, epsilon=found.epsilon * Fraction(999, 1000)) > MILLIONTH


@pytest.mark.parametrize(("local", "people"), [(1, 10_000), (4, 10_000), ("1/2", 500), (2, 50)])
def test_it_is_never_below_what_randomized_response_reveals(local: object, people: int) -> None:
    number = float(Fraction(local))  # type: ignore[arg-type]
    for part in (0.001, 0.03, 0.1, 0.3, 0.7):
        lower = randomized_response(number, part * number, people)
        assert float(shuffled_delta(local, people, epsilon=part * number)) >= lower * (1 - 1e-9)
    found = float(shuffled(local, people, delta=1e-6).epsilon)
    assert randomized_response(number, found, people) <= 1e-6
    if people == 10_000:  # and the sharper value that holds only for bits is not promised
        assert randomized_response(number, 0.7 * found, people) < 1e-6


def test_more_people_more_delta_and_less_local_loss_protect_more() -> None:
    people = [float(shuffled(1, count, delta=1e-6).epsilon) for count in (1, 10, 100, 1000, 10_000)]
    assert people == sorted(people, reverse=True)
    assert people[0] <= 1
    deltas = [float(shuffled(1, 1000, delta=d).epsilon) for d in (0, 1e-12, 1e-6, 1e-2, 0.5)]
    assert deltas == sorted(deltas, reverse=True)
    assert deltas[-1] == 0
    assert deltas[0] == pytest.approx(1, abs=1e-3)
    local = [float(shuffled(e, 1000, delta=1e-6).epsilon) for e in ("1/10", "1/2", 1, 2, 4, 8)]
    assert local == sorted(local)
    curve = [shuffled_delta(2, 300, epsilon=Fraction(i, 20)) for i in range(42)]
    assert curve == sorted(curve, reverse=True)
    assert curve[40:] == [0, 0]


# ---------------------------------------------------------------------- the result


def test_the_result_states_what_it_rests_on() -> None:
    found = shuffled(1, 5_000, delta="1e-6")
    assert isinstance(found, Shuffled)
    assert found.local == PureDP(epsilon=1)
    assert found.loss == ApproximateDP(epsilon=found.epsilon, delta=MILLIONTH)
    assert found.people == 5_000
    for words in ("trusted shuffler", "one report per person", "without names", "clones"):
        assert words in str(found)


@pytest.mark.parametrize(
    ("local", "people", "delta"),
    [
        (0, 9, 0.1),
        (31, 9, 0.1),
        (1, 0, 0.1),
        (1, 2.5, 0.1),
        (1, 10**10, 0.1),
        (1, 9, 1),
        (1, 9, -1),
    ],
)
@pytest.mark.filterwarnings("ignore:epsilon is 31")
def test_numbers_without_meaning_are_refused(local: object, people: int, delta: object) -> None:
    with pytest.raises(PrivacyParameterError):
        shuffled(local, people, delta=delta)


def test_people_of_different_levels_do_not_hide_each_other() -> None:
    """Who is in which level is public, so all the people together would promise too much."""
    words = HeavyHitters(epsilon=2, length=8)  # type: ignore[arg-type]
    for ask in (
        lambda: shuffled(words, 8_000, delta=1e-6),
        lambda: shuffled_delta(words, 8_000, epsilon=1),
    ):
        with pytest.raises(PrivacyParameterError, match="level"):
            ask()
    one = shuffled(words.first().scheme, 1_000, delta=1e-6)
    assert one.epsilon == shuffled(2, 1_000, delta=1e-6).epsilon


def histograms(answers: tuple[int, ...], kinds: int, odds: Fraction) -> dict[Any, Fraction]:
    """The law of the shuffled reports: how many there are of each kind, by enumeration."""
    law = {(0,) * kinds: Fraction(1)}
    for answer in answers:
        longer: dict[Any, Fraction] = {}
        for seen, chance in law.items():
            for told in range(kinds):
                more = (*seen[:told], seen[told] + 1, *seen[told + 1 :])
                weight = odds if told == answer else Fraction(1)
                longer[more] = longer.get(more, Fraction(0)) + chance * weight / (odds + kinds - 1)
        law = longer
    return law


@pytest.mark.slow
@pytest.mark.parametrize(("kinds", "most"), [(2, 8), (3, 6), (4, 5)])
@pytest.mark.parametrize("near", [Fraction(11, 10), Fraction(2), Fraction(7, 2), Fraction(20)])
def test_it_is_never_below_the_truth_whatever_the_others_answer(
    kinds: int, most: int, near: Fraction
) -> None:
    """Exactly, for randomized response and every answer of the others."""
    for people in range(1, most + 1):
        laws = [
            tuple(histograms((*others, own), kinds, near) for own in (0, 1))
            for others in combinations_with_replacement(range(kinds), people - 1)
        ]
        for part in (Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(19, 20)):
            far = 1 + part * (near - 1)
            true = max(
                sum(
                    (max(Fraction(0), p - far * second[at]) for at, p in first.items()), Fraction(0)
                )
                for first, second in laws
            )
            assert true <= clones_delta(near, people, far)


def test_a_negative_epsilon_is_refused() -> None:
    with pytest.raises(PrivacyParameterError):
        shuffled_delta(1, 10, epsilon=-1)
