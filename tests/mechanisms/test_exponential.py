"""The exponential mechanism: its law, and the bounded range that makes it cheap to repeat."""

from fractions import Fraction
from itertools import product
from math import exp, log

import pytest

from discreet.accounting.zcdp import concentration
from discreet.mechanisms import Exponential, PermuteAndFlip
from discreet.privacy.events import BoundedRangeEvent
from discreet.privacy.sensitivity import Sensitivity
from discreet.privacy.verification import verify

ONE = Sensitivity(linf=1)
ORDERS = (1.01, 1.5, 2, 4, 16, 64)


def naive_law(scores: list[int], scale: float) -> list[float]:
    weights = [exp(score / scale) for score in scores]
    return [weight / sum(weights) for weight in weights]


def divergence(first: list[float], second: list[float], order: float) -> float:
    """The Rényi divergence of two laws."""
    logs = [order * log(p) + (1 - order) * log(q) for p, q in zip(first, second, strict=True)]
    top = max(logs)
    return (top + log(sum(exp(one - top) for one in logs))) / (order - 1)


def test_probabilities_are_in_proportion_to_the_exponential_of_the_score() -> None:
    for scores in ([0], [0, 1, 5], [3, 3, -4, 2]):
        law = Exponential(scale="5/2").law(scores)
        found = [law.probability(i) for i in range(len(scores))]
        assert found == pytest.approx(naive_law(scores, 2.5), rel=1e-14)


def test_exchanged_scores_give_away_exactly_their_distance() -> None:
    """The totals are equal, so the ratio is e^(1/scale) exactly."""
    assert verify(Exponential(scale=3), [0, 1], [1, 0]).epsilon == Fraction(1, 3)


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("epsilon", [0.5, 2, 6])
def test_no_pair_of_neighbors_exceeds_the_concentration_of_a_bounded_range(
    monotone: bool, epsilon: float
) -> None:
    mechanism = Exponential.calibrated(sensitivity=1, epsilon=epsilon, monotone=monotone)
    rho = float(concentration(BoundedRangeEvent(epsilon=mechanism.loss(ONE).epsilon)).rho)
    moves = (0, 1) if monotone else (-1, 0, 1)
    for scores in product(range(3), repeat=3):
        for move in product(moves, repeat=3):
            moved = [a + b for a, b in zip(scores, move, strict=True)]
            pair = [naive_law(list(s), float(mechanism.scale)) for s in (scores, moved)]
            for order in ORDERS:
                for first, second in (pair, pair[::-1]):
                    assert divergence(first, second, order) <= rho * order * (1 + 1e-9)


def test_the_eighth_cannot_be_made_smaller() -> None:
    """Two outcomes that are equally likely at first use up the range as far as it goes."""
    epsilon = 0.01
    first, second = naive_law([0, 0], 2 / epsilon), naive_law([1, -1], 2 / epsilon)
    assert divergence(first, second, 2) > 0.9999 * 2 * epsilon**2 / 8


def test_permute_and_flip_has_no_such_range() -> None:
    """The negative control: ε²/8 would be a false promise for it."""
    mechanism = PermuteAndFlip.calibrated(sensitivity=1, epsilon=1)
    laws = [mechanism.law(scores) for scores in ([0, 3], [1, 2])]
    first, second = ([law.probability(i) for i in range(2)] for law in laws)
    exceeded = [divergence(second, first, order) > order / 8 for order in ORDERS]
    assert any(exceeded)
