"""Shuffled randomized response by its own law: never below the truth, whatever others answer."""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import exp, factorial
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, binom

from discreet.local import RandomizedResponse, SubsetSelection, choose, shuffled, shuffled_delta
from discreet.local.shuffle import (
    BITS,
    BOUND,
    MORE_ANSWERS,
    TWO_ANSWERS,
    UNIT,
    LowerBinomial,
    answer_count_cells,
    blanket_delta,
    clones_delta,
    fair_tails,
    upper_binomial,
)

PARTS = (Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(19, 20))
TINY = Fraction(1, 1 << 100)
Law = dict[Any, Fraction]


def histograms(answers: tuple[int, ...], kinds: int, odds: Fraction) -> Law:
    """The naive twin: how many reports there are of each kind, one respondent after another."""
    law: Law = {(0,) * kinds: Fraction(1)}
    for answer in answers:
        longer: Law = {}
        for seen, chance in law.items():
            for told in range(kinds):
                more = (*seen[:told], seen[told] + 1, *seen[told + 1 :])
                weight = odds if told == answer else Fraction(1)
                longer[more] = longer.get(more, Fraction(0)) + chance * weight / (odds + kinds - 1)
        law = longer
    return law


def excess(first: Law, second: Law, far: Fraction) -> Fraction:
    return sum((max(Fraction(0), p - far * second[at]) for at, p in first.items()), Fraction(0))


def truths(kinds: int, people: int, near: Fraction, far: Fraction) -> dict[Any, Fraction]:
    """The true δ of the answer 0 against 1, for all answers of the others."""
    return {
        others: excess(*(histograms((*others, own), kinds, near) for own in (0, 1)), far)
        for others in combinations_with_replacement(range(kinds), people - 1)
    }


def blanket(kinds: int, people: int, near: Fraction, far: Fraction) -> Fraction:
    """The naive twin of what lies hide: (a, b, g) are the reports that do not depend on answers."""
    lie = 1 / (near + kinds - 1)
    others = people - 1

    def law(a: int, b: int, g: int) -> Fraction:
        rest = others - a - b - g
        if min(a, b, g, rest) < 0:
            return Fraction(0)
        ways = factorial(others) // (factorial(a) * factorial(b) * factorial(g) * factorial(rest))
        return ways * lie ** (a + b) * ((kinds - 2) * lie) ** g * (1 - kinds * lie) ** rest

    total = Fraction(0)
    for a in range(people + 1):
        for b in range(people + 1 - a):
            for g in range(people + 1 - a - b):
                same = (kinds - 2) * lie * law(a, b, g - 1)
                own, other = law(a - 1, b, g), law(a, b - 1, g)
                first = near * lie * own + lie * other + same
                total += max(Fraction(0), first - far * (lie * own + near * lie * other + same))
    return total


def two_answers(local: float, epsilon: float, zeros: int, ones: int) -> float:
    """δ of the answer 0 against 1 among so many others, by floats."""
    lie = 1 / (1 + exp(local))
    s = np.convolve(
        binom.pmf(np.arange(zeros + 1), zeros, lie), binom.pmf(np.arange(ones + 1), ones, 1 - lie)
    )
    here, before = np.append(s, 0), np.append(0, s)
    zero, one = (1 - lie) * here + lie * before, lie * here + (1 - lie) * before
    return float(np.maximum(zero - exp(epsilon) * one, 0).sum())


# ---------------------------------------------------------------------- exactly, for few people


@pytest.mark.parametrize("people", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("near", [Fraction(11, 10), Fraction(3), Fraction(20)])
def test_two_answers_have_exactly_their_worst_delta(people: int, near: Fraction) -> None:
    for part in PARTS:
        far = 1 + part * (near - 1)
        true = truths(2, people, near, far)
        found = max(cell.delta(far) for cell in answer_count_cells(near, people))
        assert max(true.values()) <= found <= max(true.values()) + TINY
        for cell in answer_count_cells(near, people):
            others = (0,) * cell.zeros + (1,) * cell.ones
            assert true[others] <= cell.delta(far) <= true[others] + TINY


@pytest.mark.parametrize(("kinds", "people"), [(2, 6), (3, 1), (3, 6), (4, 5), (7, 4)])
@pytest.mark.parametrize("near", [Fraction(11, 10), Fraction(3), Fraction(20)])
def test_more_answers_have_exactly_what_lies_hide(kinds: int, people: int, near: Fraction) -> None:
    for part in PARTS:
        far = 1 + part * (near - 1)
        twin = blanket(kinds, people, near, far)
        found = blanket_delta(near, kinds, people, far)
        assert twin <= found <= twin + TINY
        assert found <= clones_delta(near, people, far) + TINY


@pytest.mark.slow
@pytest.mark.parametrize(("kinds", "people"), [(3, 6), (4, 5), (5, 4)])
@pytest.mark.parametrize("near", [Fraction(11, 10), Fraction(2), Fraction(8)])
def test_it_is_never_below_the_truth_and_at_most_15_percent_above(
    kinds: int, people: int, near: Fraction
) -> None:
    for part in PARTS:
        far = 1 + part * (near - 1)
        true = max(truths(kinds, people, near, far).values())
        found = blanket_delta(near, kinds, people, far)
        assert true <= found <= Fraction(115, 100) * true + TINY


def test_fewer_lies_would_be_seen() -> None:
    """The negative control of both twins: with the chances of other odds they differ."""
    near, far = Fraction(3), Fraction(3, 2)
    wrong = max(cell.delta(far) for cell in answer_count_cells(Fraction(4), 6))
    assert abs(wrong - max(truths(2, 6, near, far).values())) > Fraction(1, 100)
    assert abs(blanket_delta(Fraction(4), 3, 6, far) - blanket(3, 6, near, far)) > Fraction(1, 100)


# ---------------------------------------------------------------------- for many people


@pytest.mark.parametrize(
    ("local", "epsilon", "people"), [(4, 1, 300), (1, 0.3, 200), (2, 0.1, 800)]
)
def test_no_answers_of_the_others_are_worse(local: int, epsilon: float, people: int) -> None:
    """Also where others who all answer alike are not the worst, as for (4, 1, 300)."""
    true = [two_answers(local, epsilon, people - 1 - ones, ones) for ones in range(people)]
    poll = RandomizedResponse(epsilon=local)
    found = float(shuffled_delta(poll, people, epsilon=epsilon))
    assert max(true) * (1 - 1e-9) <= found <= 1.15 * max(true)
    if local == 4:
        assert max(true) > 1.02 * max(true[0], true[-1])


@pytest.mark.parametrize(
    ("local", "people", "expected"),
    [(1, 10_000, 0.0358), (2, 10_000, 0.0874), (4, 10_000, 0.316), (1, 1_000, 0.127)],
)
def test_two_answers_cost_as_little_as_their_law(local: int, people: int, expected: float) -> None:
    """At δ = 10^-6; the others here answer alike, which is within 1% of the worst."""
    poll = RandomizedResponse(epsilon=local)
    found = shuffled(poll, people, delta=1e-6)
    epsilon = float(found.epsilon)
    assert epsilon == pytest.approx(expected, rel=0.01)
    assert two_answers(local, epsilon, people - 1, 0) <= 1e-6
    assert two_answers(local, 0.985 * epsilon, people - 1, 0) > 1e-6  # it is not much above
    assert shuffled_delta(poll, people, epsilon=found.epsilon) <= found.delta
    assert epsilon < 0.7 * float(shuffled(local, people, delta=1e-6).epsilon)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("local", "kinds", "expected"),
    [(1, 3, 0.0381), (1, 10, 0.0233), (4, 3, 0.407), (4, 10, 0.381)],
)
def test_more_answers_cost_less_than_any_scheme_may(
    local: int, kinds: int, expected: float
) -> None:
    poll = RandomizedResponse(epsilon=local, categories=kinds)
    found = shuffled(poll, 10_000, delta=1e-6)
    assert float(found.epsilon) == pytest.approx(expected, rel=0.005)
    assert shuffled_delta(poll, 10_000, epsilon=found.epsilon) <= found.delta
    assert shuffled_delta(poll, 10_000, epsilon=found.epsilon * Fraction(98, 100)) > found.delta


@pytest.mark.slow
def test_a_million_people_and_unusual_numbers() -> None:
    for kinds, expected in ((2, 0.00287), (4, 0.00277)):
        poll = RandomizedResponse(epsilon=1, categories=kinds)
        assert float(shuffled(poll, 10**6, delta=1e-6).epsilon) == pytest.approx(expected, rel=0.01)
    for kinds in (2, 3, 1000):
        for local in ("1/100", 8):
            poll = RandomizedResponse(epsilon=local, categories=kinds)
            curve = [shuffled_delta(poll, 500, epsilon=poll.epsilon * i / 4) for i in range(5)]
            assert curve == sorted(curve, reverse=True)
            assert curve[0] <= 1
            assert curve[4] == 0
            for delta in (0, "1e-30", "1e-3"):
                found = shuffled(poll, 500, delta=delta)
                assert 0 <= found.epsilon <= poll.epsilon
                assert shuffled_delta(poll, 500, epsilon=found.epsilon) <= found.delta


def test_reports_are_told_apart_no_better_than_stated() -> None:
    """By 40,000 shuffles of 40 people: the best test of the law, with a bound of chance 10^-6.

    The control is a tenth of the ε: that is exceeded for certain.
    """
    poll, people, runs = RandomizedResponse(epsilon=2), 40, 40_000
    found = shuffled(poll, people, delta="1/100")
    answers = np.zeros((2, runs, people), np.int64)
    answers[1, :, 0] = 1
    zero, one = (poll.randomize(side).sum(axis=1) for side in answers)
    for low in range(people):
        told, wrong = int((zero <= low).sum()), int((one <= low).sum())
        least = beta.ppf(1e-6 / (4 * people), told, runs - told + 1) if told else 0.0
        most = beta.isf(1e-6 / (4 * people), wrong + 1, runs - wrong) if wrong < runs else 1.0
        assert least <= exp(float(found.epsilon)) * most + 0.01
    gaps = [
        (zero <= low).mean() - exp(float(found.epsilon) / 10) * (one <= low).mean()
        for low in range(people)
    ]
    assert max(gaps) > 0.03


# ---------------------------------------------------------------------- what it stands on


def test_the_result_says_which_law_it_is_by() -> None:
    two, three = RandomizedResponse(epsilon=1), RandomizedResponse(epsilon=1, categories=3)
    subset = SubsetSelection(epsilon=1, categories=9)  # type: ignore[arg-type]
    for scheme, bound in ((two, TWO_ANSWERS), (three, MORE_ANSWERS), (subset, BOUND), (1, BOUND)):
        found = shuffled(scheme, 50, delta=1e-6)
        assert found.bound == bound
        assert bound in str(found)
    assert shuffled(choose(categories=2, epsilon=1), 50, delta=1e-6) == shuffled(
        two, 50, delta=1e-6
    )
    three_to_one = shuffled_delta(RandomizedResponse.two_coin(), 5, epsilon=0)
    assert abs(three_to_one - max(truths(2, 5, Fraction(3), Fraction(1)).values())) < TINY


@pytest.mark.parametrize("trials", [0, 1, 7, 300])
@pytest.mark.parametrize("chance", [Fraction(1, 9), Fraction(1, 2), Fraction(19, 20)])
def test_binomials_are_enclosed(trials: int, chance: Fraction) -> None:
    ways = [
        Fraction(factorial(trials), factorial(i) * factorial(trials - i))
        * chance**i
        * (1 - chance) ** (trials - i)
        for i in range(trials + 1)
    ]
    first, highs, outside = upper_binomial(trials, chance)
    kept = ways[first : first + len(highs)]
    for high, true in zip(highs, kept, strict=True):
        assert true * UNIT <= high <= true * UNIT * (1 + Fraction(1, 1 << 30)) + 1000
    assert (1 - sum(kept)) * UNIT <= outside < UNIT >> 130
    low = LowerBinomial(trials, chance)
    for term, true in zip(low.terms, ways[low.first :], strict=False):
        assert true * low.total * (1 - Fraction(1, 1 << 30)) - 1000 <= term <= true * low.total
    assert low.sums[-1] <= low.total <= low.sums[-1] * (1 + Fraction(1, 1 << 130))


@pytest.mark.parametrize("step", [1, -1])
def test_fair_tails_are_enclosed_in_both_directions(step: int) -> None:
    slope, start = Fraction(5, 9), Fraction(13, 7)
    counts = range(40, 90) if step == 1 else range(90, 39, -1)
    for count, (place, height, tail) in zip(
        counts, fair_tails(counts.start, slope, start, step), strict=False
    ):
        ways = [factorial(count) // (factorial(i) * factorial(count - i)) for i in range(count + 1)]
        assert place == int(count * slope + start)
        true, beyond = ways[place] << BITS, sum(ways[place + 1 :]) << BITS
        assert true <= height << count <= true + (1000 << count)
        assert beyond - (10_000 << count) <= tail << count <= beyond
