"""Section A of the mission: what privacy means."""

import warnings
from fractions import Fraction
from itertools import combinations, product
from math import exp, inf

import numpy as np
import pytest

import discreet as dp
from tests.support.evidence import at_most, frequency_agrees


def events(outcomes):
    """Every subset of the outcomes."""
    outcomes = list(outcomes)
    for size in range(len(outcomes) + 1):
        yield from combinations(outcomes, size)


def test_a1_every_result_says_which_neighbors_it_is_for():
    ages = [20, 30, 40] * 100
    for relation in ("add-remove", "replace"):
        assert dp.count(ages, epsilon=1, neighbors=relation).neighbors == relation
        assert dp.mean(ages, bounds=(0, 120), epsilon=1, neighbors=relation).neighbors == relation
        cells = dp.histogram(ages, bins=[0, 25, 120], epsilon=1, neighbors=relation)
        assert {cell.neighbors for cell in cells.values()} == {relation}
    assert dp.count(ages, epsilon=1).neighbors == "add-remove"
    with pytest.raises(dp.PrivacyParameterError, match="add-remove"):
        dp.count(ages, epsilon=1, neighbors="swap")


def test_a2_epsilon_bounds_every_event_and_meaningless_epsilons_are_refused():
    # Exactly, over every event of randomized response at epsilon = 1.
    mechanism = dp.RandomizedResponse(epsilon=1)
    first, second = mechanism.law(0), mechanism.law(1)
    for event in events([0, 1]):
        left = sum(first.probability(y) for y in event)
        right = sum(second.probability(y) for y in event)
        assert left <= exp(1) * right + 1e-12
        assert right <= exp(1) * left + 1e-12
    assert dp.verify(mechanism, 0, 1).epsilon == 1

    for epsilon in (0, -1, float("nan"), inf, -inf):
        with pytest.raises(dp.PrivacyParameterError):
            dp.count([1, 2, 3], epsilon=epsilon)
    for epsilon in (100, Fraction(1, 2**80)):
        with pytest.warns(dp.PrivacyWarning, match="Meaningful values"):
            dp.count([1, 2, 3], epsilon=epsilon)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for epsilon in (0.1, 1):
            dp.count([1, 2, 3], epsilon=epsilon)


def test_a3_delta_is_added_to_the_bound_of_every_event():
    # The exact curve of a Gaussian calibrated to (1, 1e-2), on the pair it is calibrated for.
    mechanism = dp.Gaussian.calibrated(sensitivity=1, epsilon=1, delta="1/100")
    found = dp.verify(mechanism, 0, 1)
    assert found.epsilon == inf, "no pure epsilon holds"
    assert found.delta(epsilon=1) <= Fraction(1, 100)
    # Not by accident: a little less noise breaks it.
    less = dp.Gaussian(sigma=mechanism.sigma * Fraction(98, 100))
    assert dp.verify(less, 0, 1).delta(epsilon=1) > Fraction(1, 100)


def test_a4_total_variation_is_useless_when_small_and_not_private_when_large():
    # Small: n records, delta < 1/(2n). Any two data sets whatever, n swaps apart, give outputs
    # within total variation 1/2, so nothing can be learned from them.
    for n in (10, 100):
        delta = Fraction(1, 2 * n + 1)
        assert dp.TotalVariation(delta=delta).for_group(n).delta < Fraction(1, 2)

    # The group argument on the exact laws: all records differ, the distance is at most n·delta.
    n, delta = 4, Fraction(1, 9)
    shame = dp.NameAndShame(delta=delta)
    everyone = dp.verify(shame, [0] * n, [1] * n).total_variation
    one = dp.verify(shame, [0] * n, [1] + [0] * (n - 1)).total_variation
    assert one == delta
    assert everyone == 1 - (1 - delta) ** n
    assert everyone <= n * delta < Fraction(1, 2)

    # Large, indeed any: name and shame publishes records as they are, and satisfies delta-TV.
    for level in (Fraction(1, 100), Fraction(1, 8), Fraction(1, 2)):
        found = dp.verify(dp.NameAndShame(delta=level), [0, 0], [1, 0])
        assert found.total_variation == level
        assert found.epsilon == inf, "no epsilon at all holds"

    # On the shipped code: at delta = 1/(2n) somebody is published with constant probability.
    n, draws = 50, 5000
    shame = dp.NameAndShame(delta=Fraction(1, 2 * n))
    with pytest.warns(dp.PrivacyWarning):
        hits = sum(bool(shame(list(range(n)))) for _ in range(draws))
    expected = 1 - (1 - 1 / (2 * n)) ** n
    assert expected > 0.39
    assert frequency_agrees(hits, expected, draws)


def test_a5_local_privacy_holds_for_every_pair_of_one_users_values():
    for categories, epsilon in product((2, 3, 5), ("1/2", 1, 2)):
        mechanism = dp.RandomizedResponse(epsilon=epsilon, categories=categories)
        worst = max(
            dp.verify(mechanism, first, second).epsilon
            for first, second in combinations(range(categories), 2)
        )
        assert worst == Fraction(epsilon)

    # The randomizer takes one user's value and nothing else; the collector sees reports only.
    poll = dp.local.RandomizedResponse(epsilon=1)
    report = poll.randomize([True])
    assert len(report) == 1
    draws = 25_000
    kept = int(np.count_nonzero(np.asarray(poll.randomize([True] * draws))))
    assert frequency_agrees(kept, exp(1) / (1 + exp(1)), draws)


def test_a6_pointwise_ratios_suffice_and_verify_computes_the_worst_one():
    # For every event of a small law, the ratio is at most the worst ratio of single outcomes.
    mechanism = dp.Exponential(scale=2)
    scores, moved = [0, 3, 1, 2], [1, 3, 0, 2]
    first, second = mechanism.law(scores), mechanism.law(moved)
    points = [first.probability(y) / second.probability(y) for y in range(4)]
    for event in events(range(4)):
        left = sum(first.probability(y) for y in event)
        right = sum(second.probability(y) for y in event)
        assert left <= max(points) * right + 1e-12
    found = dp.verify(mechanism, scores, moved)
    worst = max(*points, 1 / min(points))
    assert exp(float(found.epsilon)) == pytest.approx(worst, rel=1e-11)

    # The whole curve: delta(epsilon) is the largest P(E) - e^epsilon Q(E) over all events.
    for epsilon in (0, 0.1, 0.3):
        best = max(
            max(
                sum(one.probability(y) for y in event)
                - exp(epsilon) * sum(other.probability(y) for y in event)
                for event in events(range(4))
            )
            for one, other in ((first, second), (second, first))
        )
        assert float(found.delta(epsilon=epsilon)) == pytest.approx(best, abs=1e-12)

    # Rationals where the lectures have rationals.
    assert dp.verify(dp.Laplace(scale=2), 0, 1).epsilon == Fraction(1, 2)
    assert dp.verify(dp.RandomizedResponse.two_coin(), 0, 1).ratio == 3


class Deterministic:
    """A mechanism without noise: the law of each input is one point."""

    def __init__(self, function):
        self.function = function

    def law(self, value):
        return {self.function(value): 1}


def test_a7_a_deterministic_mechanism_is_private_only_if_constant():
    universe = (0, 1, 2)
    for function in (lambda records: 7, len):
        # Constant, or constant for each n: private under replace.
        for records in product(universe, repeat=2):
            for other in product(universe, repeat=2):
                assert dp.verify(Deterministic(function), records, other).epsilon == 0
    for function in (sum, max, lambda records: records[0] == 1):
        assert dp.verify(Deterministic(function), (0, 0), (1, 0)).epsilon == inf
    # len is not constant under add/remove, and is not private there.
    assert dp.verify(Deterministic(len), (0,), (0, 0)).epsilon == inf


def test_a8_an_attackers_detections_are_bounded_by_false_alarms():
    mechanism = dp.Laplace(scale=1)
    curve = dp.tradeoff(mechanism, 0, 1)
    for false_alarms, detections in curve.points:
        # TPR ≤ e^ε·FPR, and with the hypotheses and the errors swapped.
        assert detections <= exp(1) * false_alarms + 1e-12
        assert 1 - false_alarms <= exp(1) * (1 - detections) + 1e-12
    # The best attack reaches the bound: at ratio e exactly.
    assert any(
        detections == pytest.approx(exp(1) * false_alarms)
        for false_alarms, detections in curve.points[1:-1]
    )

    # On the shipped code: the threshold attack "H1 if the answer is at least 1" of the two laws.
    draws = 250_000
    alarms = int(np.count_nonzero(mechanism(np.zeros(draws, np.int64)) >= 1))
    detected = int(np.count_nonzero(mechanism(np.ones(draws, np.int64)) >= 1))
    q = exp(-1)
    assert frequency_agrees(alarms, q / (1 + q), draws)
    assert frequency_agrees(detected, 1 / (1 + q), draws)
    # Negative control: against noise that is too small the same attack breaks the bound.
    weak = dp.Laplace(scale="1/2")
    weak_alarms = int(np.count_nonzero(weak(np.zeros(draws, np.int64)) >= 1))
    weak_detected = int(np.count_nonzero(weak(np.ones(draws, np.int64)) >= 1))
    assert not at_most(weak_detected, min(1.0, exp(1) * weak_alarms / draws), draws)
