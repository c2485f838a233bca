"""A budget is a cap, exact to the last digit."""

from fractions import Fraction

import pytest

from discreet.errors import Front, PrivacyParameterError, PrivacyWarning
from discreet.privacy.losses import ApproximateDP, Budget, PureDP, ZeroConcentratedDP
from tests.support.cases import each


def test_a_budget_is_what_was_written():
    budget = Budget(epsilon=0.1, delta="1e-6")
    assert (budget.epsilon, budget.delta) == (Fraction(1, 10), Fraction(1, 10**6))
    assert Budget(epsilon=1) == Budget(epsilon="1.0")
    assert str(budget) == "ε = 0.1, δ = 1e-06"


def test_it_covers_exactly_up_to_the_cap():
    budget = Budget(epsilon=1, delta="1e-6")
    for loss, covered in (
        (PureDP(epsilon=1), True),
        (PureDP(epsilon=1 + Fraction(1, 10**30)), False),
        (ApproximateDP(epsilon=1, delta=Fraction(1, 10**6)), True),
        (ApproximateDP(epsilon=1, delta=Fraction(1, 10**6) + Fraction(1, 10**40)), False),
        (PureDP(epsilon=0), True),
    ):
        assert budget.covers(loss) is covered
    assert not Budget(epsilon=1).covers(ApproximateDP(epsilon=0, delta=Fraction(1, 10**300)))


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), "x", None])
def test_a_budget_without_meaning_is_refused(epsilon):
    with pytest.raises(PrivacyParameterError):
        Budget(epsilon=epsilon)


def test_a_budget_that_protects_nobody_is_warned_of():
    with pytest.warns(PrivacyWarning, match="protects nobody"):
        Budget(epsilon=100)


# Budgets in ρ


def test_a_budget_in_rho_is_what_was_written():
    budget = Budget(rho=0.1, delta="1e-6")
    assert (budget.epsilon, budget.rho) == (None, Fraction(1, 10))
    assert (budget.conversion_delta, budget.question_delta) == (0, Fraction(1, 10**6))
    assert str(budget) == "ρ = 0.1, δ = 1e-06"
    assert str(Budget(rho=0.1)) == "ρ = 0.1"
    assert repr(budget) == "Budget(rho=1/10, delta=1/1000000)"
    assert budget == Budget(rho="1/10", delta=1e-6)
    assert len({budget, Budget(rho="0.10", delta="1e-6"), Budget(rho=1), Budget(epsilon=1)}) == 3
    assert budget.promise == ZeroConcentratedDP(rho="1/10", delta="1e-6")
    assert Budget(epsilon=1).promise == ApproximateDP(epsilon=1, delta=0)


@each(
    ("given", "fact"),
    [
        ({}, "the budget has neither epsilon nor rho."),
        ({"delta": 1e-6}, "the budget has neither epsilon nor rho."),
        ({"epsilon": 1, "rho": 0.1}, "the budget has both epsilon and rho."),
    ],
)
def test_a_budget_is_in_one_of_the_two(given, fact):
    with pytest.raises(PrivacyParameterError) as refusal:
        Budget(**given)
    for front, remedy in (
        (Front.PYTHON, "Write Budget(epsilon=1, delta=1e-6) or Budget(rho=0.1)."),
        (Front.POLICY, "Write epsilon = 1 and delta = 1e-6, or rho = 0.1."),
        (Front.COMMAND, "Write --epsilon 1 --delta 1e-6, or --rho 0.1."),
    ):
        text = refusal.value.text(front)
        assert text.startswith(fact)
        assert text.endswith(remedy)


@pytest.mark.parametrize("rho", [0, -1, float("nan"), float("inf"), "x", "1e-101", True])
def test_a_rho_without_meaning_is_refused(rho):
    with pytest.raises(PrivacyParameterError, match="rho is"):
        Budget(rho=rho)


def test_a_rho_that_is_rarely_meant_is_warned_of():
    with pytest.warns(PrivacyWarning, match="protects nobody"):
        Budget(rho=21)
    with pytest.warns(PrivacyWarning, match="says nothing"):
        Budget(rho="1e-13")
    Budget(rho=20)
    Budget(rho="5e-13")


def test_a_budget_in_rho_converts_nothing():
    assert Budget(rho=1, delta=1e-6, conversion_delta=0) == Budget(rho=1, delta=1e-6)
    with pytest.raises(PrivacyParameterError, match="the budget is in rho"):
        Budget(rho=1, delta=1e-6, conversion_delta=1e-7)


def test_it_covers_exactly_up_to_its_rho():
    budget = Budget(rho="1/8", delta="1e-6")
    for loss, covered in (
        (ZeroConcentratedDP(rho="1/8"), True),
        (ZeroConcentratedDP(rho="1/8", delta="1e-6"), True),
        (ZeroConcentratedDP(rho="1/8", delta="1.1e-6"), False),
        (ZeroConcentratedDP(rho=Fraction(1, 8) + Fraction(1, 10**40)), False),
        (PureDP(epsilon="1/2"), True),
        (PureDP(epsilon="0.51"), False),
        (ApproximateDP(epsilon="1/2", delta="1e-6"), True),
    ):
        assert budget.covers(loss) is covered


def test_a_budget_in_epsilon_covers_the_rho_that_converts_to_it():
    budget = Budget(epsilon=1, delta="1e-6")
    assert budget.covers(ZeroConcentratedDP(rho="0.023"))
    assert not budget.covers(ZeroConcentratedDP(rho="0.03"))
    assert not budget.covers(ZeroConcentratedDP(rho="0.0001", delta="1e-6"))
    assert budget.covers(ZeroConcentratedDP(rho=0, delta="1e-6"))
    assert not Budget(epsilon=1).covers(ZeroConcentratedDP(rho="1e-9"))


def test_approximate_zcdp_adds_up_and_converts_what_is_left_of_delta():
    loss = ZeroConcentratedDP(rho="0.01", delta="1e-7")
    assert loss + loss == ZeroConcentratedDP(rho="0.02", delta="2e-7")
    assert str(loss) == "ρ = 0.01, δ = 1e-07"
    converted = loss.to_approximate(delta="1.1e-6")
    assert converted.epsilon == ZeroConcentratedDP(rho="0.01").to_approximate(delta="1e-6").epsilon
    assert converted.delta == Fraction(11, 10**7)
    with pytest.raises(PrivacyParameterError, match="a δ left over"):
        loss.to_approximate(delta="1e-7")
    assert loss.for_group(1) == loss
    with pytest.raises(PrivacyParameterError, match="is not proved here"):
        loss.for_group(2)
    pure = ZeroConcentratedDP(rho="0.01").to_total_variation().delta
    assert loss.to_total_variation().delta == pure + Fraction(1, 10**7)


def test_what_stands_in_a_notebook_is_short() -> None:
    long = Fraction(10**60 + 1, 3**120)
    for loss in (
        PureDP(epsilon=long),
        ApproximateDP(epsilon=long, delta=Fraction(1, 3**50)),
        ZeroConcentratedDP(rho=long, delta=Fraction(1, 3**50)),
    ):
        assert len(repr(loss)) < 64
        assert "≈" in repr(loss)
    assert repr(ZeroConcentratedDP(rho=Fraction(3, 8))) == "ZeroConcentratedDP(rho=3/8)"
