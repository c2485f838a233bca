"""Section E of the mission: post-processing and composition."""

from fractions import Fraction
from itertools import product

import pytest

import discreet as dp


class Processed:
    """A function of another mechanism's output."""

    def __init__(self, mechanism, function):
        self.mechanism, self.function = mechanism, function

    def law(self, value):
        law = self.mechanism.law(value)
        weights = {}
        for outcome in (0, 1, 2):
            probability = Fraction(law.probability(outcome)).limit_denominator(10**15)
            image = self.function(outcome)
            weights[image] = weights.get(image, 0) + probability
        total = sum(weights.values())
        return {image: weight / total for image, weight in weights.items()}


def test_e1_post_processing_costs_nothing():
    # Exactly, for every function on the outputs of a ternary response.
    mechanism = dp.RandomizedResponse(epsilon=1, categories=3)
    for images in product((0, 1, 2), repeat=3):
        for first, second in ((0, 1), (0, 2), (1, 2)):
            found = dp.verify(Processed(mechanism, images.__getitem__), first, second)
            assert found.epsilon <= 1 + Fraction(1, 10**9)

    # In the product: arithmetic on an estimate keeps its loss, and rounding or scaling is free.
    with dp.spending(dp.Budget(epsilon=1)) as account:
        answer = dp.count([1] * 100, epsilon=1)
        processed = 3 * answer - 7
        assert processed.loss == answer.loss == dp.PureDP(epsilon=1)
        assert account.spent.epsilon == 1


def test_e2_losses_add_up_over_questions_and_data_sets():
    # Exactly: two independent answers about one bit, on the product law.
    mechanism = dp.RandomizedResponse(epsilon="1/2")
    assert dp.verify(mechanism, [0, 0], [1, 1]).epsilon == 1
    laplace = dp.Laplace(scale=2)
    assert dp.verify(laplace, [0, 0, 0], [1, 1, 1]).epsilon == Fraction(3, 2)

    # (ε_i, δ_i) add up, and the δ of the pair of Gaussians is within the sum.
    first = dp.ApproximateDP(epsilon=1, delta="1/100")
    second = dp.ApproximateDP(epsilon="1/2", delta="1/50")
    assert first + second == dp.ApproximateDP(epsilon="3/2", delta="3/100")

    # Over several data sets and several questions.
    ages, heights = [30] * 50, [170] * 50
    with dp.spending(dp.Budget(epsilon=1)) as account:
        a = dp.count(ages, epsilon="0.25")
        b = dp.count(heights, epsilon="0.25")
        assert (a - b).loss == dp.PureDP(epsilon="1/2")
        dp.mean(ages, bounds=(0, 120), epsilon="0.5")
        with pytest.raises(dp.BudgetExhaustedError, match="add up"):
            dp.count(ages, epsilon="0.001")
    assert account.spent == dp.ApproximateDP(epsilon=1, delta=0)


def test_e3_gaussian_noise_is_accounted_by_zcdp():
    mechanism = dp.Gaussian(sigma=10)
    loss = mechanism.loss(dp.Sensitivity(l2=1))
    assert loss == dp.ZeroConcentratedDP(rho=Fraction(1, 200))
    hundred = dp.ZeroConcentratedDP(rho=100 * loss.rho)
    assert sum([loss] * 99, start=loss) == hundred
    # A hundred Gaussians by zCDP cost far less than by adding up their (ε, δ).
    together = hundred.to_approximate(delta=1e-6)
    single = loss.to_approximate(delta=1e-8)
    assert float(together.epsilon) < 0.2 * 100 * float(single.epsilon)
    # zCDP follows from pure privacy, too: ε²/2.
    assert dp.PureDP(epsilon=1).to_zcdp() == dp.ZeroConcentratedDP(rho="1/2")
