"""The choice of a scheme: of categories never one of higher variance than another of its length."""

import pickle
from copy import copy, deepcopy
from fractions import Fraction
from typing import Any

import pytest

from discreet.errors import BoundsError, DiscreetError, PrivacyParameterError
from discreet.local import (
    Account,
    HadamardResponse,
    Mean,
    Memo,
    ProjectiveGeometryResponse,
    RandomizedResponse,
    Repeated,
    SubsetSelection,
    choose,
    difference,
    epsilon_for,
    respondents_for,
    shuffled,
)
from tests.local.scheme_twins import EPSILONS, schemes

SIZES = [2, 3, 4, 8, 16, 60, 1000, 70_000]
LENGTHS = [None, 1, 2, 4, 8, 11, 12, 16, 17, 19, 60, 1000, 100_000]


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [*EPSILONS, Fraction(8)], ids=str)
@pytest.mark.parametrize("size", SIZES)
def test_no_offered_scheme_of_the_length_has_a_lower_variance(epsilon: Fraction, size: int) -> None:
    offered = schemes(epsilon, size)
    for length in LENGTHS:
        short = [one for one in offered if length is None or one.message_bits <= length]
        if not short:
            with pytest.raises(BoundsError, match="shortest"):
                choose(categories=size, epsilon=epsilon, message_bits=length)
            continue
        choice = choose(categories=size, epsilon=epsilon, message_bits=length)
        assert choice.scheme in short
        assert choice.scheme.variance(1) == min(one.variance(1) for one in short)
        # Symmetric bits are offered by nobody: optimised ones of the same length are never worse.
        considered = [one for one in short if getattr(one, "kind", None) != "symmetric"]
        assert len(choice.considered) == len(considered)
        assert type(choice.scheme).__name__ in choice.why
        assert f"variance {choice.scheme.variance(1):.4g}/n" in choice.why


def test_the_usual_choices() -> None:
    assert choose(categories=2, epsilon=1).scheme == RandomizedResponse(epsilon=1)
    assert choose(categories=4, epsilon=2).scheme == RandomizedResponse(epsilon=2, categories=4)
    assert isinstance(choose(categories=100, epsilon=1).scheme, SubsetSelection)
    short = choose(categories=100_000, epsilon=4, message_bits=20)
    assert isinstance(short.scheme, ProjectiveGeometryResponse)
    assert "Without the limit" in short.why
    assert "shorter message" in choose(categories=1000, epsilon=1).why
    named = choose(categories=["a", "b", "c"], epsilon=1).scheme
    assert named.categories == ("a", "b", "c")
    assert repr(choose(categories=3, epsilon=1)).startswith("RandomizedResponse(")


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ({"categories": ["a", "b", "c"]}, ["a", "b", "a"]),
        ({"categories": 100}, [1, 99, 0]),
        ({"low": 0, "high": 10}, [1.0, 9.5, 3.0]),
    ],
)
def test_a_choice_is_used_as_its_scheme(question: dict[str, Any], values: list[Any]) -> None:
    choice = choose(epsilon=1, **question)
    picked = choice.scheme
    assert choice.to_json() == picked.to_json()
    assert (choice.loss, choice.identity) == (picked.loss, picked.identity)
    tally = choice.tally(choice.randomize(values))
    assert str(choice.estimate(tally)) == str(picked.estimate(tally))
    other = picked.tally(picked.randomize(values))
    category = None if "low" in question else values[0]
    assert difference(tally, other, category=category).loss == picked.loss
    message = choice.report_to_wire(choice.randomize(values[0]))
    assert choice.report_to_wire(choice.report_from_wire(message)) == message

    assert respondents_for(choice, margin=0.9) == respondents_for(picked, margin=0.9)
    assert (
        epsilon_for(
            lambda epsilon: choose(epsilon=epsilon, **question), respondents=10_000, margin=0.5
        ).scheme.loss.epsilon
        < 10
    )
    assert shuffled(choice, people=1000, delta=1e-6) == shuffled(picked, people=1000, delta=1e-6)
    assert Repeated(permanent=choice) == Repeated(permanent=picked)
    if "low" not in question:  # numbers are kept by coarse steps only
        memo = Memo()
        memo.answer("?", choice, values[0])
        assert memo.holds("?", picked, values[0])
    account = Account(cap=2)
    account.answer("?", choice, values[0])
    assert account.charges[0].scheme == picked.identity
    assert copy(choice) == deepcopy(choice) == pickle.loads(pickle.dumps(choice)) == choice
    with pytest.raises(AttributeError):
        _ = choice.nonsense


def test_more_categories_than_a_scheme_takes_leave_the_others() -> None:
    huge = choose(categories=10**7, epsilon=1)
    assert {type(one.scheme) for one in huge.considered} == {
        RandomizedResponse,
        ProjectiveGeometryResponse,
        HadamardResponse,
    }
    assert choose(categories=10**9, epsilon=1).why.endswith("It is the only scheme.")


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_a_number_that_may_take_one_bit_is_sent_as_one(epsilon: Fraction) -> None:
    for people in (100, 10**7):
        one_bit = choose(low=0, high=9, epsilon=epsilon, message_bits=1, respondents=people)
        assert one_bit.scheme.message_bits == 1
        assert one_bit.scheme.variance(1) == Mean(
            low=Fraction(0), high=Fraction(9), epsilon=epsilon, kind="duchi"
        ).variance(1)


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"low": 0},
        {"high": 1},
        {"categories": 3, "low": 0},
        {"categories": 3, "low": 0, "high": 1},
        {"categories": 3, "message_bits": 0},
        {"categories": 3, "message_bits": 1.5},
        {"categories": 3, "message_bits": True},
        {"categories": 1},
        {"categories": "ab"},
        {"low": 1, "high": 0},
        {"low": "x", "high": 0},
    ],
)
def test_an_unclear_question_is_refused(question: dict[str, object]) -> None:
    with pytest.raises(DiscreetError):
        choose(epsilon=1, **question)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
def test_an_epsilon_below_the_rounding_is_refused() -> None:
    with pytest.raises(PrivacyParameterError, match="too small"):
        choose(categories=5, epsilon="1e-40")
    for epsilon in (0, -1, None, "x"):
        with pytest.raises(PrivacyParameterError):
            choose(categories=5, epsilon=epsilon)
