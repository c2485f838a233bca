"""Section A of the mission: what privacy means."""

import json
import warnings
from fractions import Fraction
from itertools import combinations, product
from math import exp, inf

import numpy as np
import pytest

import discreet as dp
from tests.support import drawn
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


def test_a1_records_from_the_universe_of_d_binary_attributes():
    # Each record is d answers of yes or no: there are 2^d different people.
    d = 3
    universe = list(product((0, 1), repeat=d))
    assert len(universe) == 2**d
    people = [(0, 1, 1)] * 40 + [(1, 1, 0)] * 25 + [(1, 0, 0)] * 10

    def cells(records):
        return [records.count(kind) for kind in universe]

    def attributes(records):
        return [sum(record[at] for record in records) for at in range(d)]

    for relation, moved in (("add-remove", 1), ("replace", 2)):
        # How many of each kind there are, over the whole universe: what the product calibrates to
        # is what all pairs of neighbors say.
        found = dp.Sensitivity.over(cells, universe, records=2, neighbors=relation)
        assert found.l1 == moved == dp.Sensitivity.of("histogram", neighbors=relation).l1
        answer = dp.histogram(people, categories=universe, epsilon=1, neighbors=relation)
        assert list(answer) == universe
        assert {cell.mechanism.scale for cell in answer.values()} == {moved}
        assert all(abs(answer[kind].value - people.count(kind)) < 60 for kind in universe)
        # How many have each attribute: a record may be in all d counts.
        found = dp.Sensitivity.over(attributes, universe, records=2, neighbors=relation)
        assert found == dp.Sensitivity.of("counts", counts=d, neighbors=relation)
        assert (found.l1, found.linf) == (d, 1)

    # One person's own record, reported over the universe: every pair of records is ε apart.
    report = dp.RandomizedResponse(epsilon=1, categories=2**d)
    for first, second in combinations(range(2**d), 2):
        assert dp.verify(report, first, second).epsilon == 1


def test_a1_statistical_information_would_be_learned_without_the_person():
    # All hands have four fingers, the adversary believes, Sasho's too.  A study counts the people
    # with five.  It teaches the adversary better, about Sasho too, whether or not he took part.
    n, mechanism = 100, dp.Laplace(scale=1)
    fingers = dp.experiment(mechanism, {"four": (0, 0), "five": (n, n - 1)})
    prior = {"four": "0.9", "five": "0.1"}
    for output in (n - 5, n - 1, n, n + 3):
        found = fingers.beliefs(output, prior)
        assert found.excluded["five"] > 1 - Fraction(1, 10**30)
        assert found.included["five"] > 1 - Fraction(1, 10**30)
        assert found.statistical["five"] > Fraction(89, 100)
        assert abs(found.personal["five"]) < Fraction(1, 10**30)

    # A link between smoking and cancer: the adversary knows that Sasho smokes, and that 30 of 60
    # others who smoke fell ill if there is a link, 6 if there is none.
    link = dp.experiment(mechanism, {"link": (31, 30), "no link": (6, 6)})
    found = link.beliefs(30, {"link": "0.01", "no link": "0.99"})
    assert found.excluded["link"] > Fraction(999, 1000)
    assert abs(found.personal["link"]) < Fraction(1, 10**6)


def test_a1_personal_information_is_bounded_by_epsilon_for_every_prior_and_output():
    # Nothing but Sasho's own record tells whether he smokes: without it, no output teaches
    # anything; with it, the odds move by e^ε at most, which is reached.
    for epsilon in (Fraction(1, 10), Fraction(1)):
        mechanism = dp.Laplace(scale=1 / epsilon)
        smokes = dp.experiment(mechanism, {"yes": (31, 30), "no": (30, 30)})
        assert smokes.epsilon == epsilon
        most = 0.0
        for chance, output in product(("1/2", "0.01", "0.9"), range(20, 42)):
            found = smokes.beliefs(output, {"yes": chance, "no": 1 - Fraction(chance)})
            assert found.excluded == found.prior, "without him, nothing is learned"
            odds = found.included["yes"] / found.included["no"]
            change = float(odds / (found.prior["yes"] / found.prior["no"]))
            assert change == pytest.approx(exp(epsilon if output > 30 else -epsilon))
            most = max(most, change)
        assert most == pytest.approx(exp(epsilon))

    # In general, both at once: the belief with him is within e^(2ε) of the belief without.
    both = dp.experiment(
        dp.RandomizedResponse(epsilon=1, categories=4),
        {"a": (0, 1), "b": (1, 0), "c": (2, 2), "d": (3, 0)},
    )
    assert both.epsilon == 1
    worst = 1.0
    for weights, output in product(product((1, 7, 50), repeat=4), range(4)):
        prior = {name: Fraction(w, sum(weights)) for name, w in zip("abcd", weights, strict=True)}
        found = both.beliefs(output, prior)
        ratios = [float(found.included[name] / found.excluded[name]) for name in "abcd"]
        assert all(exp(-2) * (1 - 1e-9) <= ratio <= exp(2) * (1 + 1e-9) for ratio in ratios)
        worst = max(worst, *ratios)
    assert worst > exp(1), "a bound of e^ε alone would be wrong"

    # Negative control: without noise, his record is all that is learned from.
    certain = dp.experiment({0: {0: 1}, 1: {1: 1}}, {"yes": (1, 0), "no": (0, 0)})
    assert certain.epsilon == inf
    assert certain.beliefs(0).personal["yes"] == Fraction(-1, 2)


def test_a1_the_experiment_on_the_shipped_code():
    # The same experiment by drawing: of the runs that gave this output, how many were "yes"?
    mechanism, draws = dp.RandomizedResponse(epsilon=1), 100_000
    truth = np.arange(draws) % 2
    expected = dp.experiment(mechanism, {"yes": (1, 0), "no": (0, 0)}).beliefs(1)
    seen = np.asarray(mechanism(truth)) == 1
    hits = int(np.count_nonzero(seen & (truth == 1)))
    assert frequency_agrees(hits, float(expected.included["yes"]), int(seen.sum()))
    assert not frequency_agrees(hits, float(expected.excluded["yes"]), int(seen.sum()))


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


@pytest.mark.slow
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


def test_a8_the_region_with_delta_and_the_best_attacks_in_it():
    # Every test of H0 against H1 from a Gaussian's output, at several ε with their least δ.
    mechanism = dp.Gaussian(sigma=2)
    curve = dp.tradeoff(mechanism, 0, 1)
    for epsilon in (0, "1/10", "1/2", 1):
        delta = curve.delta(epsilon)
        region = dp.Region(epsilon=epsilon, delta=delta)
        assert delta > 0
        assert all(region.contains(*point) for point in curve.points)
        # The border comes from the law: with a little less δ some attack is outside.
        less = dp.Region(epsilon=epsilon, delta=delta * Fraction(99, 100))
        assert not all(less.contains(*point) for point in curve.points)
        assert curve.satisfies(epsilon, delta)
        assert not curve.satisfies(epsilon, delta * Fraction(99, 100))

    # The four inequalities, at every corner and between: TPR ≤ e^ε·FPR + δ, and so on.
    region = dp.Region(epsilon=1, delta="1/10")
    for rate in (Fraction(k, 40) for k in range(41)):
        for other in (region.highest(rate), region.lowest(rate)):
            pairs = ((other, rate), (rate, other), (1 - rate, 1 - other), (1 - other, 1 - rate))
            assert all(float(a) <= exp(1) * float(b) + 0.1 + 1e-12 for a, b in pairs)
            assert any(
                float(a) == pytest.approx(exp(1) * float(b) + 0.1) for a, b in pairs
            ) or other in (0, 1)
    assert region.upper_corners[0] == (0, Fraction(1, 10)), "δ detections without a false alarm"

    # On the shipped code: the best attack is as good as stated, and no better.
    draws, attack = 250_000, curve.best_attack()
    alarms = int(np.count_nonzero(mechanism(np.zeros(draws, np.int64)) >= 1))
    detected = int(np.count_nonzero(mechanism(np.ones(draws, np.int64)) >= 1))
    assert attack.rule == "say 1 when the output is 1 or more, else 0"
    assert frequency_agrees(alarms, float(attack.false_positive_rate), draws)
    assert frequency_agrees(detected, float(attack.true_positive_rate), draws)
    assert not frequency_agrees(detected, float(attack.true_positive_rate) - 0.01, draws)


def test_a8_the_region_is_drawn():
    picture = dp.Region(epsilon=1, delta="0.1").plot()
    shown = json.dumps(picture.spec, ensure_ascii=False)
    for text in ("ε = 1, δ = 0.1", "type I error", "detections ≤ e^ε · false alarms + δ"):
        assert text in shown
    # The drawn border is the exact one: its corner is at (1 - δ)/(1 + e^ε).
    corners = drawn.rows(picture.spec, "lowest")
    corner = min(corners, key=lambda row: abs(row["false alarms"] - 0.9 / (1 + exp(1))))
    assert corner["false alarms"] == pytest.approx(0.9 / (1 + exp(1)), abs=1e-12)
    assert corner["detections"] == pytest.approx(1 - 0.9 / (1 + exp(1)), abs=1e-12)

    # The best attacks of a mechanism, in the region or out of it.
    curve = dp.tradeoff(dp.Gaussian(sigma=2), 0, 1)
    inside, outside = curve.plot(epsilon="1/2", delta="1/10"), curve.plot("1/2", "1/1000")
    assert "attacks leave the region" not in json.dumps(inside.spec)
    assert "attacks leave the region" in json.dumps(outside.spec)
