"""Inverse problems: what is returned fits, and a little more does not."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from discreet.accounting import batch_delta, largest_fitting, least_noise
from discreet.errors import PrivacyParameterError
from discreet.privacy.events import (
    ComposedEvent,
    Event,
    GaussianEvent,
    LaplaceEvent,
    PureEvent,
    RepeatedEvent,
)
from discreet.privacy.losses import Budget

BUDGET = Budget(epsilon=1, delta="1e-6")


def many(make: Callable[[Fraction], Event], count: int) -> Callable[[Fraction], Event]:
    return lambda value: RepeatedEvent(event=make(value), count=count)


def pure(epsilon: Fraction) -> Event:
    return PureEvent(epsilon=epsilon)


@pytest.mark.parametrize(
    "make",
    [
        many(pure, 10),
        many(lambda epsilon: LaplaceEvent(scale=1 / epsilon), 25),
        lambda epsilon: ComposedEvent(
            events=(PureEvent(epsilon=epsilon), LaplaceEvent(scale=1 / (2 * epsilon)))
        ),
    ],
)
def test_the_largest_epsilon_fits_and_a_little_more_does_not(
    make: Callable[[Fraction], Event],
) -> None:
    found = largest_fitting(make, BUDGET)
    assert batch_delta(make(found), epsilon=1) <= BUDGET.delta
    assert batch_delta(make(found * Fraction(10001, 10000)), epsilon=1) > BUDGET.delta


def test_a_pure_budget_is_shared_exactly() -> None:
    assert largest_fitting(many(pure, 8), Budget(epsilon=1)) == Fraction(1, 8)
    third = largest_fitting(many(pure, 3), Budget(epsilon=1))
    assert third == Fraction(333333, 10**6)


def test_the_least_noise_is_the_analytic_one() -> None:
    sigma = least_noise(lambda value: GaussianEvent.of(sigma=value), BUDGET)
    assert float(sigma) == pytest.approx(4.22468, abs=1e-5)
    hundred = least_noise(many(lambda value: GaussianEvent.of(sigma=value), 100), BUDGET)
    assert float(hundred) == pytest.approx(42.2468, abs=1e-4)
    assert batch_delta(GaussianEvent.of(sigma=sigma), epsilon=1) <= BUDGET.delta


def test_a_search_without_an_answer_is_refused() -> None:
    with pytest.raises(PrivacyParameterError, match="Either everything fits or nothing does"):
        largest_fitting(lambda _: PureEvent(epsilon=2), BUDGET)
    with pytest.raises(PrivacyParameterError, match="Either everything fits or nothing does"):
        largest_fitting(lambda _: PureEvent(epsilon="1/2"), BUDGET)
