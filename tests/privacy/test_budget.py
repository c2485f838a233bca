"""A budget is a cap, exact to the last digit."""

from fractions import Fraction

import pytest

from discreet.errors import PrivacyParameterError, PrivacyWarning
from discreet.privacy.losses import ApproximateDP, Budget, PureDP


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
