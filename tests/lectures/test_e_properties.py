"""Section E of the mission: post-processing and composition."""

from fractions import Fraction
from itertools import product
from math import inf

import pytest

import discreet as dp
from tests.support.evidence import frequency_agrees


def test_e1_post_processing_costs_nothing():
    # Exactly, for every function on the outputs of a ternary response.
    mechanism = dp.RandomizedResponse(epsilon=1, categories=3)
    for images in product((0, 1, 2), repeat=3):
        for first, second in ((0, 1), (0, 2), (1, 2)):
            processed = dp.Processed(mechanism, images.__getitem__)
            assert dp.verify(processed, first, second).epsilon <= 1

    # In the product: arithmetic on an estimate keeps its loss, and rounding or scaling is free.
    with dp.spending(dp.Budget(epsilon=1)) as account:
        answer = dp.count([1] * 100, epsilon=1)
        processed = 3 * answer - 7
        assert processed.loss == answer.loss == dp.PureDP(epsilon=1)
        assert account.spent.epsilon == 1


@pytest.mark.slow
def test_e1_randomized_post_processing_costs_nothing():
    # g tosses coins of its own: P[g(A(D)) = w] = Σ_z P[A(D) = z]·P[g(z) = w], exactly.
    mechanism = dp.RandomizedResponse(epsilon=1, categories=3)
    laws = [{"a": 1}, {"a": "1/3", "b": "2/3"}, {"b": "1/7", "c": "6/7"}]
    for chosen in product(laws, repeat=3):
        processed = dp.Processed(mechanism, chosen.__getitem__)
        for first, second in ((0, 1), (1, 2)):
            law, source = processed.law(first), mechanism.law(first)
            for w in "abc":
                expected = sum(
                    source.probability(z) * float(Fraction(chosen[z].get(w, 0))) for z in range(3)
                )
                assert law.probability(w) == pytest.approx(expected, abs=1e-15)
            found = dp.verify(processed, first, second)
            assert found.epsilon <= 1
            alone = dp.verify(mechanism, first, second).delta("1/2")
            assert found.delta("1/2") <= alone + Fraction(1, 10**12), "each is so far rounded up"
    # Rationals stay rationals: a second flip of 1/10 on top of the two coins.
    again = dp.Processed(
        dp.RandomizedResponse.two_coin(), lambda bit: {bit: "9/10", 1 - bit: "1/10"}
    )
    assert dp.verify(again, 0, 1).ratio == Fraction(7, 3) < 3
    assert again.loss() == dp.RandomizedResponse.two_coin().loss

    # Noise on a grid, clamped, and a threshold with a coin: no more than the noise alone.
    noise = dp.Laplace(scale=2)
    clamped = dp.Processed(noise, lambda output: output, clamp=(-3, 5))
    assert dp.verify(clamped, 0, 1).epsilon == Fraction(1, 2)
    coin = dp.Processed(
        noise, lambda output: {output >= 1: "3/4", output < 1: "1/4"}, clamp=(-3, 5)
    )
    assert 0 < dp.verify(coin, 0, 1).epsilon < Fraction(1, 2)
    bell = dp.Processed(dp.Gaussian(sigma=2), lambda output: output > 0, clamp=(-9, 9))
    assert dp.verify(bell, 0, 1).delta(1) <= dp.verify(dp.Gaussian(sigma=2), 0, 1).delta(1)

    # On the shipped code, and a control: the draws are of this law and not of the unprocessed one.
    draws = 20_000
    kept = sum(again(1) for _ in range(draws))
    assert frequency_agrees(kept, float(again.law(1).known(1)), draws)
    assert not frequency_agrees(kept, 0.75, draws)

    # Negative control: a function that looks at the data is no post-processing, and is found out.
    cheating = {bit: {(bit, "report"): 1} for bit in (0, 1)}
    assert dp.verify(cheating, 0, 1).epsilon == inf


@pytest.mark.slow
def test_e2_a_function_of_two_outputs_costs_at_most_the_sum():
    # g(M₁(D), M₂(D)): for every function of the two outputs on a small range, exactly.
    first = dp.RandomizedResponse(epsilon=1)
    second = dp.RandomizedResponse(epsilon="1/2")
    for images in product((0, 1, 2), repeat=4):
        together = dp.Processed([first, second], lambda x, y, images=images: images[2 * x + y])
        found = dp.verify(together, (0, 0), (1, 1))
        assert found.epsilon <= Fraction(3, 2)
        assert together.loss() == dp.PureDP(epsilon="3/2")
    # The pair itself reaches the sum; a mechanism whose input is the same costs nothing.
    pair = dp.Processed([first, second], lambda x, y: (x, y))
    assert dp.verify(pair, (0, 0), (1, 1)).epsilon == Fraction(3, 2)
    assert dp.verify(pair, (0, 0), (1, 0)).epsilon == 1
    assert dp.verify(pair, (0, 0), (0, 0)).epsilon == 0
    assert pair.law((1, 1)).probability((1, 1)) == pytest.approx(
        first.law(1).probability(1) * second.law(1).probability(1)
    )

    # Two noisy counts and their sum, clamped: less is told than by both.
    noise = dp.Laplace(scale=2)
    added = dp.Processed([noise, noise], lambda x, y: x + y, clamp=(-6, 6))
    assert 0 < dp.verify(added, (0, 0), (1, 1)).epsilon <= 1
    assert added.loss(dp.Sensitivity(l1=1), dp.Sensitivity(l1=1)) == dp.PureDP(epsilon=1)
    # A function that tosses a coin over which of the two to give.
    either = dp.Processed([first, second], lambda x, y: {x: 1} if x == y else {x: "1/2", y: "1/2"})
    assert 0 < dp.verify(either, (0, 0), (1, 1)).epsilon <= Fraction(3, 2)
    draws = 20_000
    ones = sum(either((1, 1)) for _ in range(draws))
    expected = (first.law(1).probability(1) + second.law(1).probability(1)) / 2
    assert frequency_agrees(ones, expected, draws)
    assert not frequency_agrees(ones, expected - 0.03, draws)


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
