"""Plans: as many people as the margin needs, and no more privacy than it costs."""

from collections.abc import Callable
from fractions import Fraction
from math import exp, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from discreet.errors import DataError, PrivacyParameterError
from discreet.local import Mean, RandomizedResponse, SubsetSelection, UnaryEncoding
from discreet.local.planning import epsilon_for, respondents_for, unit_variance

MAKERS: list[Callable[[Any], Any]] = [
    lambda epsilon: RandomizedResponse(epsilon=epsilon),
    lambda epsilon: RandomizedResponse(epsilon=epsilon, categories=10),
    lambda epsilon: UnaryEncoding(epsilon=epsilon, categories=10),
    lambda epsilon: SubsetSelection(epsilon=epsilon, categories=10),
    lambda epsilon: Mean(low=0, high=1, epsilon=epsilon, kind="duchi"),  # type: ignore[arg-type]
    lambda epsilon: Mean(low=0, high=1, epsilon=epsilon, kind="piecewise"),  # type: ignore[arg-type]
    lambda epsilon: Mean(low=0, high=1, epsilon=epsilon),  # type: ignore[arg-type]
]


def test_the_textbook_number_of_respondents() -> None:
    grown = exp(1)
    for margin, confidence in [(0.03, 0.95), (0.01, 0.99), (0.1, 0.5)]:
        found = respondents_for(RandomizedResponse(epsilon=1), margin=margin, confidence=confidence)  # type: ignore[arg-type]
        expected = norm.isf((1 - confidence) / 2) ** 2 * grown / (grown - 1) ** 2 / margin**2
        assert found.respondents == np.ceil(expected)
        assert found.epsilon == 1


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("epsilon", ["1/2", 1, 3])
def test_the_fewest_respondents_and_the_least_epsilon_are_each_others_inverse(
    make: Callable[[Any], Any], epsilon: object
) -> None:
    # The worst proportion of subset selection jumps where the size of its subsets does.
    at = 0 if isinstance(make(1), SubsetSelection) else None
    for margin in (0.02, 0.005):
        needed = respondents_for(make(epsilon), margin=margin, at=at)
        people = needed.respondents
        assert needed.margin <= margin
        assert 1.96 * sqrt(unit_variance(make(epsilon), at) / (people - 1)) > margin * 0.9999
        back = epsilon_for(make, respondents=people, margin=margin, at=at)
        assert back.epsilon <= Fraction(epsilon)  # type: ignore[arg-type]
        assert back.epsilon > Fraction(epsilon) - Fraction(3, 1000)  # type: ignore[arg-type]
        assert back.margin <= margin
        assert respondents_for(back.scheme, margin=margin, at=at).respondents <= people
        less = make(back.epsilon - Fraction(1, 1000))
        assert respondents_for(less, margin=margin, at=at).respondents > people


@pytest.mark.parametrize("make", MAKERS)
def test_without_an_expectation_the_plan_is_for_the_worst(make: Callable[[Any], Any]) -> None:
    scheme = make(1)
    worst = respondents_for(scheme, margin=0.01).respondents
    others = [respondents_for(scheme, margin=0.01, at=at).respondents for at in (0, 0.3, 0.5, 1)]
    assert worst == max(others)


def test_a_plan_keeps_its_word() -> None:
    """Of 2,000 surveys, as many as the confidence says are within the margin, to 6 deviations."""
    scheme = RandomizedResponse(epsilon=1)
    plan = respondents_for(scheme, margin=0.1, confidence=0.9)
    answers = np.zeros(plan.respondents, np.int64)
    answers[: plan.respondents // 4] = 1
    truth = answers.mean()
    found = [float(scheme.estimate(scheme.randomize(answers))) for _ in range(2_000)]  # type: ignore[arg-type]
    inside = float(np.mean(np.abs(np.array(found) - truth) <= 0.1))
    assert inside == pytest.approx(0.9, abs=0.05)
    control = float(np.mean(np.abs(np.array(found) - truth) <= 0.07))
    assert control != pytest.approx(0.9, abs=0.05)


def test_a_plan_says_what_it_expects() -> None:
    text = str(respondents_for(RandomizedResponse(epsilon=1), margin=0.03))
    assert "3,930 respondents at ε = 1" in text
    assert "0.95" in text


def test_what_cannot_be_is_refused() -> None:
    poll = RandomizedResponse(epsilon=1)
    for margin in (0, -1, "x"):
        with pytest.raises(PrivacyParameterError):
            respondents_for(poll, margin=margin)
    for confidence in (0, 1, 2):
        with pytest.raises(DataError):
            respondents_for(poll, margin=0.1, confidence=confidence)
    with pytest.raises(DataError, match="no ε"):
        epsilon_for(lambda e: Mean(low=0, high=1, epsilon=e), respondents=1, margin=1e-4)
    with pytest.raises(PrivacyParameterError):
        epsilon_for(MAKERS[0], respondents=0, margin=0.1)
    with pytest.raises(DataError):
        respondents_for(poll, margin=0.1, at=2)
