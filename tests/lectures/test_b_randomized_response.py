"""Section B of the mission: randomized response."""

from fractions import Fraction
from itertools import product
from math import exp, log, sqrt

import numpy as np
import pytest

import discreet as dp
from tests.support.evidence import agrees, at_most, frequency_agrees


def test_b1_the_two_coin_form_keeps_three_quarters_and_is_exactly_ln_3_private():
    mechanism = dp.RandomizedResponse.two_coin()
    for bit in (0, 1):
        assert mechanism.law(bit).probability(bit) == 0.75
        assert mechanism.law(bit).probability(1 - bit) == 0.25
    found = dp.verify(mechanism, 0, 1)
    assert found.ratio == 3
    assert 0 <= float(found.epsilon) - log(3) < 1e-12

    draws = 500_000
    for bit in (0, 1):
        kept = int(np.count_nonzero(mechanism(np.full(draws, bit)) == bit))
        assert frequency_agrees(kept, 0.75, draws)
        assert not frequency_agrees(kept, 0.74, draws), "the check can fail"


def test_b2_warners_form_keeps_the_bit_with_the_odds_e_to_the_epsilon():
    draws = 250_000
    for epsilon in (0.1, 1, 3):
        mechanism = dp.RandomizedResponse(epsilon=epsilon)
        kept = exp(epsilon) / (1 + exp(epsilon))
        assert mechanism.law(1).probability(1) == pytest.approx(kept, abs=1e-15)
        assert dp.verify(mechanism, 0, 1).epsilon == Fraction(str(epsilon))
        hits = int(np.count_nonzero(mechanism(np.ones(draws, np.int64))))
        assert frequency_agrees(hits, kept, draws)


def test_b2_n_respondents_of_whom_one_changes():
    # M(X) = (Y_1, …, Y_n).  For every y in {0,1}^n and every X, X' that differ in one record, all
    # factors of P(M(X) = y)/P(M(X') = y) but one cancel, and that one is at most e^ε.
    for n, epsilon in ((1, 1), (2, 1), (3, "1/2")):
        mechanism, bound = dp.RandomizedResponse(epsilon=epsilon), exp(Fraction(epsilon))
        for records in product((0, 1), repeat=n):
            law = mechanism.law(list(records))
            total = sum(law.probability(y) for y in product((0, 1), repeat=n))
            assert total == pytest.approx(1)
            for place in range(n):
                changed = [*records[:place], 1 - records[place], *records[place + 1 :]]
                other = mechanism.law(changed)
                for y in product((0, 1), repeat=n):
                    ratio = law.probability(y) / other.probability(y)
                    kept = y[place] == records[place]
                    assert ratio == pytest.approx(bound if kept else 1 / bound)
                # Every event, not only every y: the same ε, exactly, and every δ(ε') with it.
                found = dp.verify(mechanism, list(records), changed)
                assert found.epsilon == Fraction(epsilon)
                alone = dp.verify(mechanism, records[place], 1 - records[place])
                assert found.delta("1/4") == alone.delta("1/4")

    # However many they are: the others' answers are in both data sets.
    query = [age >= 18 for age in range(400)]
    changed = [*query[:7], not query[7], *query[8:]]
    assert dp.verify(dp.RandomizedResponse(epsilon=1), query, changed).epsilon == 1
    # Two changed records are a group of two.
    changed[300] = not changed[300]
    assert dp.verify(dp.RandomizedResponse(epsilon=1), query, changed).epsilon == 2


def test_b3_the_estimate_is_unbiased():
    # Exactly: E[Y] = X/2 + 1/4 for two coins, so 2·mean - 1/2 has expectation X.
    two_coin = dp.RandomizedResponse.two_coin()
    for bit in (0, 1):
        expected = two_coin.law(bit).probability(1)
        assert expected == bit / 2 + 1 / 4
        assert 2 * expected - 1 / 2 == bit
    # Exactly at general ε: ((e^ε + 1)·Y - 1)/(e^ε - 1) has expectation X.
    for epsilon in (0.5, 1, 2):
        law = dp.RandomizedResponse(epsilon=epsilon)
        for bit in (0, 1):
            mean = law.law(bit).probability(1)
            debiased = ((exp(epsilon) + 1) * mean - 1) / (exp(epsilon) - 1)
            assert debiased == pytest.approx(bit, abs=1e-12)

    # The shipped estimator applies these very constants.
    reports = [1, 1, 1, 0]
    assert dp.local.RandomizedResponse.two_coin().estimate(reports).value == pytest.approx(
        2 * 0.75 - 0.5
    )
    e = exp(1)
    assert dp.local.RandomizedResponse(epsilon=1).estimate(reports).value == pytest.approx(
        ((e + 1) * 0.75 - 1) / (e - 1)
    )

    # And on average it finds the truth.
    truth = np.array([1] * 300 + [0] * 700)
    poll = dp.local.RandomizedResponse.two_coin()
    trials = 375
    found = [poll.estimate(poll.randomize(truth)).value for _ in range(trials)]
    deviation = sqrt(4 * 0.25 * 0.75 / truth.size)
    assert agrees(float(np.mean(found)), 0.3, deviation, trials)


def test_b4_the_error_of_the_count_is_of_the_order_of_the_root_of_n():
    mechanism = dp.RandomizedResponse.two_coin()
    poll = dp.local.RandomizedResponse.two_coin()
    scaled = []
    for n in (100, 400, 1600, 6400):
        # Variance of the count estimate is n·4·(3/16) = 3n/4: O(n).
        assert poll.variance(n) == pytest.approx(0.75 / n)
        trials = 400
        truth = np.zeros(n, np.int64)
        errors = np.array(
            [abs(2 * mechanism(truth).sum() - n / 2) for _ in range(trials)], dtype=float
        )
        # Chebyshev with probability 0.99: at most sqrt(var/0.01) = 10·sqrt(3n/4).
        assert at_most(int(np.count_nonzero(errors > 10 * sqrt(0.75 * n))), 0.01, trials)
        # Anti-concentration: half the time at least a constant times sqrt(n).
        assert np.mean(errors >= 0.3 * sqrt(n)) > 0.5
        scaled.append(float(np.sqrt(np.mean(errors**2))) / sqrt(n))
    # The constant does not drift with n: between half and double of sqrt(3/4) everywhere.
    assert all(0.5 * sqrt(0.75) < value < 2 * sqrt(0.75) for value in scaled)

    # Every estimate comes with a standard error's worth of interval, and it covers.
    truth = np.array([1] * 50 + [0] * 150)
    trials = 500
    covered = 0
    for _ in range(trials):
        estimate = poll.estimate(poll.randomize(truth))
        assert estimate.lower is not None
        assert estimate.upper is not None
        covered += estimate.lower <= 0.25 <= estimate.upper
    assert at_most(trials - covered, 0.05, trials)


def test_b5_more_than_two_answers_by_k_ary_response():
    draws = 150_000
    for categories, epsilon in ((3, 1), (5, 2)):
        mechanism = dp.RandomizedResponse(epsilon=epsilon, categories=categories)
        keep = exp(epsilon) / (exp(epsilon) + categories - 1)
        other = 1 / (exp(epsilon) + categories - 1)
        reports = np.asarray(mechanism(np.full(draws, 1)))
        for answer in range(categories):
            expected = keep if answer == 1 else other
            assert mechanism.law(1).probability(answer) == pytest.approx(expected, abs=1e-15)
            assert frequency_agrees(int(np.count_nonzero(reports == answer)), expected, draws)
        assert dp.verify(mechanism, 0, categories - 1).epsilon == epsilon

    poll = dp.local.RandomizedResponse(epsilon=1, categories=["yes", "no", "unsure"])
    truth = ["yes"] * 500 + ["no"] * 300 + ["unsure"] * 200
    estimates = poll.estimate(poll.randomize(truth))
    assert list(estimates) == ["yes", "no", "unsure"]
    assert sum(estimate.value for estimate in estimates.values()) == pytest.approx(1)
