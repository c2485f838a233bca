"""What is believed after an output, with a person's data and without."""

from fractions import Fraction
from math import exp, inf

import pytest

from discreet.errors import VerificationError
from discreet.local import RandomizedResponse
from discreet.mechanisms import Gaussian, Laplace, NoisyMax, Processed
from discreet.privacy.experiment import experiment

TWO_COINS = {0: {0: "3/4", 1: "1/4"}, 1: {0: "1/4", 1: "3/4"}}


def test_beliefs_sum_to_one_and_differences_to_nothing():
    laws = {"a": (3, 2), "b": (0, 0), "c": (7, 6)}
    for mechanism in (Laplace(scale=2), Gaussian(sigma=3)):
        found = experiment(mechanism, laws).beliefs(4, {"a": "1/2", "b": "1/3", "c": "1/6"})
        for belief in (found.prior, found.excluded, found.included):
            assert abs(sum(belief.values()) - 1) < Fraction(1, 10**12)
        assert abs(sum(found.statistical.values())) < Fraction(1, 10**11)
        for at in laws:
            assert (
                found.prior[at] + found.statistical[at] + found.personal[at] == (found.included[at])
            )


def test_bayes_rule_by_hand():
    found = experiment(Laplace(scale=1), {"yes": (1, 0), "no": (0, 0)}).beliefs(
        5, {"yes": "1/4", "no": "3/4"}
    )
    expected = exp(-4) / (exp(-4) + 3 * exp(-5))
    assert abs(float(found.included["yes"]) - expected) < 1e-12
    rational = experiment(TWO_COINS, {"yes": (1, 0), "no": (0, 0)})
    found = rational.beliefs(0, {"yes": "1/4", "no": "3/4"})
    assert found.included == {"yes": Fraction(1, 10), "no": Fraction(9, 10)}


def test_outputs_far_out_and_off_the_grid():
    smokes = experiment(Laplace(scale=1), {"yes": (1, 0), "no": (0, 0)})
    far = smokes.beliefs(5000).included["yes"]  # its probability is below every float
    assert abs(float(far) - exp(1) / (1 + exp(1))) < 1e-12
    with pytest.raises(VerificationError, match="impossible under every hypothesis"):
        smokes.beliefs(0.5)
    with pytest.raises(VerificationError, match="too improbable"):
        smokes.beliefs(10**6)
    with pytest.raises(VerificationError, match="impossible"):
        experiment(TWO_COINS, {"yes": (1, 0)}).beliefs(2)


def test_every_law_of_the_product_serves():
    for mechanism, pairs, output in (
        (RandomizedResponse(epsilon=1), {"a": ([0, 1], [0, 0]), "b": ([1, 1], [1, 0])}, (0, 1)),
        (RandomizedResponse.two_coin(), {"a": ([0, 1], [0, 0]), "b": ([1, 1], [1, 0])}, (0, 1)),
        (NoisyMax(scale=1), {"a": ([3, 1], [2, 1]), "b": ([1, 3], [1, 2])}, 0),
        (Processed(Gaussian(sigma=2), abs, clamp=(-5, 5)), {"a": (3, 2), "b": (0, 0)}, 4),
    ):
        found = experiment(mechanism, pairs)
        beliefs = found.beliefs(output)
        assert 0 < beliefs.included["a"] < 1
        assert found.epsilon > 0


def test_a_law_without_single_outcomes_is_refused():
    class Half:
        def law(self, value):
            return self

        def against(self, other):
            return []

        def probability(self, outcome):
            return 0.5

    with pytest.raises(VerificationError, match="enclose"):
        experiment(Half(), {"a": (0, 1)}).beliefs(0)


@pytest.mark.parametrize(
    ("hypotheses", "prior", "message"),
    [
        ({}, None, "mapping to pairs"),
        ([("a", (0, 1))], None, "mapping to pairs"),
        ({"a": 3}, None, "mapping to pairs"),
        ({"a": (0, 1, 2)}, None, "mapping to pairs"),
        ({"a": (0, 1)}, {"b": 1}, "not about the hypotheses"),
        ({"a": (0, 1), "b": (1, 0)}, {"a": 1}, "not about the hypotheses"),
        ({"a": (0, 1), "b": (1, 0)}, {"a": "1/2", "b": "1/3"}, "sum to 5/6"),
        ({"a": (0, 1), "b": (1, 0)}, {"a": 2, "b": -1}, "below 0"),
    ],
)
def test_what_is_no_experiment_is_refused(hypotheses, prior, message):
    with pytest.raises(VerificationError, match=message):
        experiment(TWO_COINS, hypotheses).beliefs(0, prior)


def test_without_noise_no_epsilon_holds():
    assert experiment({0: {0: 1}, 1: {1: 1}}, {"yes": (1, 0), "no": (0, 0)}).epsilon == inf
