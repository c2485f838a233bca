"""Plans: as many people as the margin needs, and no more privacy than it costs."""

from collections.abc import Callable
from fractions import Fraction
from math import ceil, exp, floor, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from discreet.errors import DataError, PrivacyParameterError
from discreet.local import (
    HeavyHitters,
    Mean,
    RandomizedResponse,
    Repeated,
    SubsetSelection,
    UnaryEncoding,
)
from discreet.local.scheme_choice import printed_margin
from discreet.local.survey_planning import epsilon_for, respondents_for, unit_variance

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


# ---------------------------------------------------------------------- the guaranteed interval


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("margin", [0.2, 0.04])
def test_a_guaranteed_plan_is_what_is_printed_and_one_fewer_would_not_do(
    make: Callable[[Any], Any], margin: float
) -> None:
    scheme = make(2)
    plan = respondents_for(scheme, margin=margin, interval="guaranteed")
    people = plan.respondents
    assert plan.interval == "guaranteed"
    assert plan.margin == printed_margin(scheme, people, plan.confidence) <= margin
    assert printed_margin(scheme, people - 1, plan.confidence) > margin
    assert people > respondents_for(scheme, margin=margin).respondents
    back = epsilon_for(make, respondents=people, margin=margin, interval="guaranteed")
    assert back.margin <= margin
    assert Fraction(2) - Fraction(1, 20) < back.epsilon <= 2


@pytest.mark.parametrize("make", MAKERS[:4])
@pytest.mark.parametrize("at", [0.25, 0.5])
def test_the_planned_margin_of_a_proportion_is_printed_at_the_expected_count(
    make: Callable[[Any], Any], at: float
) -> None:
    scheme, people = make(1), 4_000
    truth, lie = scheme.pair
    count = (lie + (truth - lie) * Fraction(at)) * people
    level = Fraction(9, 10)
    printed = []
    for whole in {floor(count), ceil(count)}:
        low, high = scheme.channel.interval(whole, people, level)
        value = scheme.channel.debias(whole / people)
        printed.append(max(high - value, value - low))
    planned = printed_margin(scheme, people, level, at)
    assert planned == pytest.approx(max(printed), rel=1e-9)
    assert planned <= printed_margin(scheme, people, level) * (1 + 1e-6)
    assert planned != pytest.approx(printed_margin(scheme, people - 100, level, at), rel=1e-3)


@pytest.mark.parametrize("kind", ["piecewise", "hybrid"])
def test_no_reports_print_a_mean_wider_than_was_guaranteed(kind: str) -> None:
    """Also of those whom no randomizer would make: half of them at each end."""
    scheme = Mean(low=0, high=24, epsilon=1, kind=kind)  # type: ignore[arg-type]
    plan = respondents_for(scheme, margin=3, interval="guaranteed")
    half = plan.respondents // 2
    extreme = [0] * half + [scheme._law.cells - 1] * (plan.respondents - half)
    for reports in (extreme, scheme.randomize([12] * plan.respondents)):
        margin = scheme.estimate(reports).margin
        assert margin is not None
        assert margin <= plan.margin * (1 + 1e-9)
    short = scheme.estimate(extreme[:-20]).margin
    assert short is not None
    assert short > plan.margin


@pytest.mark.parametrize("kind", ["duchi", "piecewise", "hybrid"])
def test_a_guaranteed_plan_for_a_number_is_printed_to_a_few_percent(kind: str) -> None:
    """The margin of 100,000 reports deviates by 0.54% or less: 3% is more than five times that."""
    reports = 100_000
    scheme = Mean(low=0, high=24, epsilon=4, kind=kind)  # type: ignore[arg-type]
    planned = printed_margin(scheme, reports, Fraction(95, 100), at=6)
    printed = scheme.estimate(scheme.randomize([6] * reports)).margin
    assert printed == pytest.approx(planned, rel=0.03)
    assert planned < 0.9 * printed_margin(scheme, reports, Fraction(95, 100))


def test_a_plan_says_which_interval_is_meant() -> None:
    poll = RandomizedResponse(epsilon=1)
    assert "normal approximation" in str(respondents_for(poll, margin=0.05))
    assert "guaranteed, as" in str(respondents_for(poll, margin=0.05, interval="guaranteed"))
    one = respondents_for(Mean(low=0, high=1, epsilon=3), margin=50)  # type: ignore[arg-type]
    assert str(one).startswith("1 respondent at")
    with pytest.raises(DataError, match=r"neither 'normal'"):
        respondents_for(poll, margin=0.05, interval="exact")


def test_repeated_questions_are_planned_with_the_chances_of_both_stages() -> None:
    twice = Repeated(permanent=RandomizedResponse(epsilon=2), each=RandomizedResponse(epsilon=2))
    plan = respondents_for(twice, margin=0.05, interval="guaranteed")
    alone = respondents_for(twice.permanent, margin=0.05, interval="guaranteed")
    assert plan.respondents > 1.5 * alone.respondents


# ---------------------------------------------------------------------- refusals


@pytest.mark.parametrize("margin", [1, 3, 5, 250])
@pytest.mark.parametrize("interval", ["normal", "guaranteed"])
def test_a_margin_in_percent_is_refused_and_the_proportion_named(
    margin: int, interval: str
) -> None:
    named = r"margin=0\.05" if margin in (5, 250) else r"margin=0\.0[13] "
    with pytest.raises(DataError, match=named):
        respondents_for(RandomizedResponse(epsilon=1), margin=margin, interval=interval)
    with pytest.raises(DataError, match=named):
        epsilon_for(RandomizedResponse, respondents=100, margin=margin, interval=interval)
    assert respondents_for(Mean(low=0, high=900, epsilon=1), margin=margin).margin <= margin  # type: ignore[arg-type]


def test_what_is_no_scheme_is_refused_in_words() -> None:
    for given in (1, None, "x", RandomizedResponse):
        with pytest.raises(DataError, match=r"no scheme.*RandomizedResponse\(epsilon=1\)"):
            respondents_for(given, margin=0.05)
    tree = HeavyHitters(epsilon=1, length=3)  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"words\.first\(\)\.scheme"):
        respondents_for(tree, margin=0.05)
    for make in (RandomizedResponse(epsilon=1), 1, UnaryEncoding, lambda: None, lambda e: e):
        with pytest.raises(DataError, match=r"lambda epsilon: RandomizedResponse"):
            epsilon_for(make, respondents=1_000, margin=0.05)  # type: ignore[arg-type]
    by_class = epsilon_for(RandomizedResponse, respondents=1_000, margin=0.05)  # type: ignore[arg-type]
    assert by_class.epsilon == epsilon_for(MAKERS[0], respondents=1_000, margin=0.05).epsilon


@pytest.mark.parametrize("margin", ["1e-7", "1e-200", Fraction(1, 10**400)])
def test_a_margin_that_nobody_can_reach_is_refused(margin: object) -> None:
    with pytest.raises(DataError, match=r"2\^38"):
        respondents_for(RandomizedResponse(epsilon=1), margin=margin)


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
