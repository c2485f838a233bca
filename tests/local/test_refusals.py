"""What a first user tries is answered in words: the fact, the rule and the remedy."""

from typing import Any

import pytest

from discreet.errors import DataError, PrivacyParameterError
from discreet.local import (
    Account,
    HeavyHitters,
    Mean,
    Memo,
    Proportions,
    RandomizedResponse,
    difference,
    shuffled,
)
from discreet.local.proportions import TOGETHER
from discreet.privacy.estimates import Estimate
from tests.local.scheme_twins import schemes

CANARY = "canary-77310577"
NAMES = ["north", "south", "west"]


# ---------------------------------------------------------------------- what is printed


def test_proportions_print_a_table() -> None:
    poll = RandomizedResponse(epsilon=1, categories=NAMES)  # type: ignore[arg-type]
    found = poll.proportions(["north"] * 60 + ["south"] * 40)
    lines = str(found).splitlines()
    assert repr(found) == str(found)
    assert [line.split()[0] for line in lines] == [*NAMES, "together"]
    assert all("(95%)" in line for line in lines[:3])
    assert lines[3] == "together ε = 1"


def test_intervals_that_hold_at_once_say_so_and_others_do_not() -> None:
    poll = RandomizedResponse(epsilon=1, categories=NAMES)  # type: ignore[arg-type]
    alone = poll.proportions(["north"] * 100)
    together = poll.proportions(["north"] * 100, simultaneous=True)
    assert str(together).splitlines()[-1] == TOGETHER
    assert TOGETHER in together["north"].note
    assert TOGETHER not in str(alone)
    assert TOGETHER not in alone["north"].note


@pytest.mark.parametrize("form", schemes(1, ["no", "yes"]), ids=repr)
def test_of_two_categories_every_scheme_estimates_the_second(form: Any) -> None:
    reports = form.randomize(["yes"] * 300 + ["no"] * 700)
    one, both = form.estimate(reports), form.proportions(reports)
    assert isinstance(one, Estimate)
    assert isinstance(both, Proportions)
    assert list(both) == ["no", "yes"]
    assert one.value == both["yes"].value
    assert one.interval() == both["yes"].interval()


def test_a_rounded_epsilon_is_written_with_one_sign() -> None:
    text = str(shuffled(1, 10_000, delta=1e-6))
    assert text.startswith("ε ≈ 0.05")
    assert "= ≈" not in text


# ---------------------------------------------------------------------- what is refused


def test_a_category_that_is_not_there_is_named_by_those_that_are() -> None:
    found = RandomizedResponse(epsilon=1, categories=NAMES).proportions(["north"])  # type: ignore[arg-type]
    with pytest.raises(KeyError, match=r"^there is no such category.*'north', 'south'"):
        found["east"]
    with pytest.raises(KeyError, match=r"^there is no such category"):
        found.consistent()["east"]
    assert "east" not in found
    assert found.get("east") is None
    with pytest.raises(DataError):
        found[["east"]]  # type: ignore[index]


@pytest.mark.parametrize("form", [*schemes(1, 2), *schemes(1, NAMES)], ids=repr)
def test_a_mapping_is_not_randomized_by_its_keys(form: Any) -> None:
    with pytest.raises(DataError, match=r"mapping.*answers\.values\(\)") as refusal:
        form.randomize({0: CANARY, "north": CANARY})
    assert CANARY not in str(refusal.value)


@pytest.mark.parametrize("categories", [2, 4, NAMES])
def test_bad_reports_are_called_reports(categories: Any) -> None:
    poll = RandomizedResponse(epsilon=1, categories=categories)
    for reports in ([7, CANARY], [9, 9], [0.5]):
        with pytest.raises(DataError, match=r"^a report is not .*randomize\(\)") as refusal:
            poll.estimate(reports)
        assert CANARY not in str(refusal.value)
    with pytest.raises(DataError, match=r"^an answer is not|^a value is not"):
        poll.randomize([CANARY])


def test_a_difference_without_its_category_asks_for_one() -> None:
    poll = RandomizedResponse(epsilon=1, categories=NAMES)  # type: ignore[arg-type]
    first, second = poll.tally(["north"]), poll.tally(["south"])
    with pytest.raises(DataError, match=r"not given.*category='north'"):
        difference(first, second)
    with pytest.raises(DataError, match=r"not one of both.*'north', 'south', 'west'"):
        difference(first, second, category="east")
    hours = Mean(low=0, high=1, epsilon=1)  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"category= out"):
        difference(hours.tally([5]), hours.tally([5]), category="north")


@pytest.mark.parametrize("given", [1, None, HeavyHitters(epsilon=1, length=3)], ids=str)  # type: ignore[arg-type]
def test_an_answer_without_a_scheme_is_refused_before_it_is_paid_for(given: Any) -> None:
    account, memo = Account(cap=5), Memo()
    for answer in (
        lambda: account.answer("Do you smoke?", given, CANARY),
        lambda: account.answer("Do you smoke?", given, CANARY, memo=memo),
        lambda: account.charge("Do you smoke?", given),
        lambda: memo.answer("Do you smoke?", given, CANARY),
    ):
        with pytest.raises(DataError, match=r"no scheme.*Give Random") as refusal:
            answer()
        assert CANARY not in str(refusal.value)
    assert account.left == 5


@pytest.mark.parametrize("cap", [-1, 0, "x"])
def test_a_cap_without_meaning_is_called_a_cap(cap: object) -> None:
    with pytest.raises(PrivacyParameterError, match=r"^cap is"):
        Account(cap=cap)
