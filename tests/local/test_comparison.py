"""Differences of two groups: unbiased, covered, and paid for once."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from discreet.errors import DataError
from discreet.local import Mean, RandomizedResponse, SubsetSelection, UnaryEncoding
from discreet.local.group_difference import difference
from discreet.privacy.losses import PureDP

POLL = RandomizedResponse(epsilon=1)
NAMES = ("north", "south", "west")


@pytest.mark.parametrize("interval", ["guaranteed", "normal"])
def test_the_difference_of_two_proportions_is_found_and_costs_the_larger_loss(
    interval: str,
) -> None:
    other = RandomizedResponse(epsilon=2)
    first = POLL.tally(POLL.randomize([1] * 6_000 + [0] * 4_000))
    second = other.tally(other.randomize([1] * 2_000 + [0] * 8_000))
    found = difference(first, second, interval=interval)
    low, high = found.interval(1 - 1e-8)
    assert low < 0.4 < high
    assert low > 0
    assert found.loss == PureDP(epsilon=2)
    assert found.mechanism == (POLL, other)
    assert found.neighbors == "replace"
    backwards = difference(second, first, interval=interval)
    assert backwards.value == pytest.approx(-found.value)
    assert ("any number" in found.note) == (interval == "guaranteed")


def test_a_category_is_compared_across_schemes() -> None:
    answers = ["north"] * 6_000 + ["south"] * 3_000 + ["west"] * 1_000
    schemes = [
        RandomizedResponse(epsilon=1, categories=NAMES),
        UnaryEncoding(epsilon=1, categories=NAMES),
        SubsetSelection(epsilon=2, categories=NAMES),
    ]
    tallies = [scheme.tally(scheme.randomize(answers)) for scheme in schemes]
    for first, second in product(tallies, tallies):
        if first is not second:
            for name in NAMES:
                low, high = difference(first, second, category=name).interval(1 - 1e-8)
                assert low < 0 < high


def test_of_two_answers_either_can_be_named() -> None:
    poll = RandomizedResponse.two_coin(["no", "yes"])
    first, second = poll.tally(["yes", "no"]), poll.tally(["no", "no"])
    value = difference(first, second).value
    assert difference(first, second, category="yes").value == value
    assert difference(first, second, category="no").value == pytest.approx(-value)
    assert difference(first, second).mechanism == poll


@pytest.mark.parametrize("interval", ["guaranteed", "normal"])
def test_the_difference_of_two_means_is_found(interval: str) -> None:
    one = Mean(low=0, high=10, epsilon=1)  # type: ignore[arg-type]
    two = Mean(low=-5, high=20, epsilon=2, kind="duchi")  # type: ignore[arg-type]
    first = one.tally(one.randomize(np.full(20_000, 7)))
    second = two.tally(two.randomize(np.full(20_000, 3)))
    low, high = difference(first, second, interval=interval).interval(1 - 1e-8)
    assert low < 4 < high


def coverage(interval: str, people: int, level: Fraction, scheme: RandomizedResponse) -> Fraction:
    """By enumeration: everyone in both groups has the answer 0, so the difference is 0."""
    lie = scheme.pair[1]
    chances = [
        comb(people, ones) * lie**ones * (1 - lie) ** (people - ones) for ones in range(people + 1)
    ]
    tallies = [
        [scheme.tally([1] * ones + [0] * (people - ones)) for ones in range(people + 1)]
        for _ in range(2)
    ]
    covered = Fraction(0)
    for a, b in product(range(people + 1), repeat=2):
        low, high = difference(tallies[0][a], tallies[1][b], interval=interval).interval(level)
        covered += chances[a] * chances[b] * (low <= 0 <= high)
    return covered


def test_the_guaranteed_interval_covers_few_and_the_normal_one_need_not() -> None:
    scheme = RandomizedResponse(epsilon=4)
    for people in (1, 3, 8):
        assert coverage("guaranteed", people, Fraction(95, 100), scheme) >= Fraction(95, 100)
    # The negative control: among three people a single lie moves the normal interval off 0.
    assert coverage("normal", 3, Fraction(95, 100), scheme) < Fraction(92, 100)


def test_the_normal_interval_covers_many_about_as_often_as_it_says() -> None:
    found = float(coverage("normal", 40, Fraction(9, 10), POLL))
    assert found == pytest.approx(0.9, abs=0.02)


def of_two(first: str, second: str) -> RandomizedResponse:
    return RandomizedResponse(epsilon=20, categories=[first, second])  # type: ignore[arg-type]


def test_answers_in_another_order_are_compared_by_name() -> None:
    groups = [of_two("no", "yes").tally(["yes"] * 9), of_two("yes", "no").tally(["yes"] * 9)]
    assert abs(float(difference(*groups, category="yes").value)) < 0.01
    with pytest.raises(DataError, match="category='yes'"):
        difference(*groups)


def test_what_cannot_be_compared_is_refused() -> None:
    mean = Mean(low=0, high=1, epsilon=1)  # type: ignore[arg-type]
    wards = RandomizedResponse(epsilon=1, categories=NAMES)
    tally = POLL.tally([1, 0])
    for first, second, options in [
        (tally, tally, {}),
        (tally, [1, 0], {}),
        (None, tally, {}),
        (tally, mean.tally([5]), {}),
        (wards.tally(["west"]), wards.tally(["north"]), {}),
        (wards.tally(["west"]), wards.tally(["north"]), {"category": "east"}),
        (wards.tally(["west"]), wards.tally(["north"]), {"category": []}),
        (tally, POLL.tally([1]), {"category": 2}),
        (mean.tally([5]), mean.tally([6]), {"category": 1}),
        (tally, POLL.tally([1]), {"interval": "exact"}),
        (tally, POLL.tally(), {}),
        (of_two("no", "yes").tally(["yes"]), of_two("yes", "no").tally(["yes"]), {}),
        (of_two("no", "yes").tally(["yes"]), of_two("left", "right").tally(["left"]), {}),
    ]:
        with pytest.raises(DataError):
            difference(first, second, **options)  # type: ignore[arg-type]
