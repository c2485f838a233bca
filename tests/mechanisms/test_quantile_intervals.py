"""Intervals around quantiles: losses, ranges and coverage, exactly on small domains."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.accounting import charge
from discreet.mechanisms import quantile_intervals
from discreet.mechanisms.quantile_intervals import (
    VALUES,
    BoundedQuantiles,
    MeasuredRank,
    QuantileInterval,
    draws_apart,
    equal_draws,
    half_widths,
    lacking,
    wider,
)
from discreet.mechanisms.quantiles import Quantiles, QuantileTask
from discreet.mechanisms.ranks import UNIT, WeightedPositions, rank_units
from discreet.noise import UnsafeSeededBits
from discreet.privacy.losses import ApproximateDP, PureDP, bounded_range_epsilon
from discreet.privacy.sensitivity import Neighbors, Sensitive, Sensitivity
from discreet.privacy.verification import verify
from tests.mechanisms.test_bounded_range import loss_range
from tests.mechanisms.test_quantile import neighbors
from tests.mechanisms.test_quantile_weights import neighbors as weighted_neighbors
from tests.support.coverage import assert_covered

ADD_REMOVE, REPLACE = Neighbors.ADD_REMOVE, Neighbors.REPLACE
ONE = Sensitivity(l1=1)
USUAL, RARE = Fraction(95, 100), Fraction(99, 100)
LEVELS = ["1/2", "9/10", "1/100"]
Pair = tuple[tuple[int, ...], tuple[int, ...]]


def interval(
    level: str, width: int, relation: Neighbors = ADD_REMOVE, epsilon: int = 2, share: int = 1
) -> QuantileInterval:
    return QuantileInterval(
        probability=Fraction(level),
        epsilon=Fraction(epsilon),
        width=width,
        neighbors=relation,
        share=share,
    )


def bounded(levels: str, width: int, epsilon: str = "1", **more: object) -> BoundedQuantiles:
    wanted = tuple(map(Fraction, levels.split()))
    return BoundedQuantiles(
        probabilities=wanted,
        epsilon=Fraction(epsilon),
        width=width,
        **more,  # type: ignore[arg-type]
    )


def worst_loss(drawn: QuantileInterval, pairs: Sequence[Pair], point: int) -> float:
    laws = {data: drawn.law(data, point) for pair in pairs for data in pair}
    return max(float(verify(laws, *pair).epsilon) for pair in pairs)


# ---------------------------------------------------------------------- privacy of the interval


@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
@pytest.mark.parametrize("level", LEVELS)
def test_no_pair_of_neighbors_gives_away_more_than_epsilon(level: str, relation: Neighbors) -> None:
    drawn = interval(level, 4, relation)
    pairs = list(neighbors(list(range(5)), 4, relation))
    for point in range(5):
        assert worst_loss(drawn, pairs, point) <= 2


@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
@pytest.mark.parametrize("share", [1, 2, 3])
def test_neither_does_a_person_of_many_weights(share: int, relation: Neighbors) -> None:
    drawn = interval("1/4", 3, relation, share=share)
    pairs = list(weighted_neighbors([0, 1, 3], 3, share, relation))
    for point in (0, 2):
        assert worst_loss(drawn, pairs, point) <= 2


@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
@pytest.mark.parametrize("level", LEVELS)
def test_losses_stay_within_a_range_of_epsilon(level: str, relation: Neighbors) -> None:
    drawn = interval(level, 4, relation)
    pairs = list(neighbors([0, 1, 4], 4, relation))
    for point in (0, 2):
        laws = {data: drawn.law(data, point) for pair in pairs for data in pair}
        assert all(loss_range(laws[one], laws[other])[0] <= 2 for one, other in pairs)


TIGHT = [(30 * [0] + 30 * [60], point) for point in (0, 30)]


def test_a_larger_rate_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: the check above sees a mechanism that spends more than it says."""
    drawn = interval("1/2", 4)
    pairs = list(neighbors([0, 4], 8, ADD_REMOVE))
    assert worst_loss(drawn, pairs, 2) <= 2
    rate = QuantileTask.rate
    monkeypatch.setattr(QuantileTask, "rate", lambda task, relation: rate(task, relation) * 2)
    assert worst_loss(drawn, pairs, 2) > 2


def test_an_epsilon_beyond_all_depths_reads_nothing() -> None:
    drawn = QuantileInterval(probability=Fraction(1, 2), epsilon=Fraction(1, 10**30), width=9)
    records = Sensitive((np.array([3]), np.array([10**6])))
    assert drawn(records, 3, source=UnsafeSeededBits(1)) == len(half_widths(9)) - 1


# ---------------------------------------------------------------------- the twin


def twin_depths(drawn: QuantileInterval, values: Sequence[int], point: int) -> list[Fraction]:
    """The depths as the proof states them, in records."""
    unit = rank_units(drawn.share)
    target = Fraction(floor(drawn.probability * len(values) * unit), unit)
    slack = Fraction(drawn.slack, unit)
    halves = half_widths(drawn.width)
    lacks = [
        max(
            sum(value < point - half for value in values) - target,
            target - sum(value <= point + half for value in values),
        )
        for half in halves
    ]
    depths = []
    for size in range(len(halves)):
        ways = [Fraction(0)]
        ways += [-slack - lacks[size - 1]] if size else []
        ways += [lacks[size] + slack] if size < len(halves) - 1 else []
        depths.append(max(ways))
    return depths


@given(
    st.lists(st.integers(0, 40), max_size=30),
    st.integers(0, 40),
    st.sampled_from(LEVELS),
    st.integers(1, 40),
)
def test_depths_are_those_of_the_proof(
    values: list[int], point: int, level: str, epsilon: int
) -> None:
    drawn = interval(level, 40, epsilon=epsilon)
    places, counts = np.unique(np.array(values, np.int64), return_counts=True)
    records = WeightedPositions(0, 40, places, counts.astype(np.int64))
    found = [Fraction(depth, UNIT) for depth in drawn.depths(records, point)]
    assert found == twin_depths(drawn, values, point)


def test_half_widths_hold_one_another_and_the_range() -> None:
    for width in (1, 2, 9, 100, 1 << 26, (1 << 60) + 5):
        halves = half_widths(width)
        assert halves[0] == 0
        assert halves[-1] == width
        assert all(low < high <= max(2 * low, 1 << 34) for low, high in pairwise(halves))
        assert sum(1 << size for size in range(len(halves))) < 1 << 62


# ---------------------------------------------------------------------- coverage


def miss(drawn: QuantileInterval, values: Sequence[int], point: int, confidence: Fraction) -> float:
    """The probability that the interval does not hold all values of the quantile."""
    law, ordered = drawn.law(values, point), sorted(values)
    rank = drawn.probability * len(values)
    first, last = ordered[ceil(rank) - 1], ordered[floor(rank)]
    missed = 0.0
    for size in range(len(half_widths(drawn.width))):
        low, high = drawn.ends(point, size, confidence)
        missed += 0 if low <= first and last <= high else law.probability(size)
    return missed


def hard(count: int) -> Iterator[tuple[list[int], int]]:
    """Data on which intervals that are too small are as likely as they can be."""
    for far in (1, 2, 3, 40, 100):
        for point in (0, 20, 200):
            yield [min(200, point + far)] * count, point
            yield sorted([point] * (count // 2) + [200] * (count - count // 2)), point
            yield list(range(count)), point


@pytest.mark.parametrize("confidence", [USUAL, RARE])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
def test_the_quantile_is_held_whatever_the_records_are(
    level: str, relation: Neighbors, confidence: Fraction
) -> None:
    for epsilon in (1, 4):
        drawn = interval(level, 200, relation, epsilon)
        for count in (1, 2, 7, 60, 200):
            for values, point in hard(count):
                assert miss(drawn, values, point, confidence) <= 1 - confidence


@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=40),
    st.integers(0, 60),
    st.sampled_from(LEVELS),
    st.integers(1, 20),
)
def test_also_on_any_records(values: list[int], point: int, level: str, epsilon: int) -> None:
    assert miss(interval(level, 60, epsilon=epsilon), values, point, USUAL) <= 0.05


def test_less_slack_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: with half of the slack there are data that are missed more often."""
    drawn = interval("1/2", 200)

    def worst() -> float:
        cases = [(values, point) for many in (7, 60, 200) for values, point in hard(many)]
        return max(miss(drawn, values, point, USUAL) for values, point in cases)

    assert 0.02 < worst() <= 0.05
    monkeypatch.setattr(quantile_intervals, "_LOG_ODDS", Fraction(1))
    assert worst() > 0.05


@given(st.fractions(Fraction(1, 2), Fraction(9999, 10000)))
def test_an_interval_is_as_much_wider_as_confidence_needs(confidence: Fraction) -> None:
    more = wider(confidence)
    assert 1 - Fraction(1, 1 + 19 * 2**more) >= confidence
    assert more == 0 or 1 - Fraction(1, 1 + 19 * 2 ** (more - 1)) < confidence


# ---------------------------------------------------------------------- ranks


@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("share", [1, 2])
def test_a_distance_moves_no_farther_than_stated(
    level: str, relation: Neighbors, share: int
) -> None:
    rank = MeasuredRank(
        probability=Fraction(level), epsilon=Fraction(1), neighbors=relation, share=share
    )
    farthest = 0
    for pair in weighted_neighbors([0, 1, 3], 3, share, relation):
        for point in range(4):
            moved = [distance(rank, values, point) for values in pair]
            farthest = max(farthest, abs(moved[0] - moved[1]))
    assert rank.reach * 9 // 20 < farthest <= rank.reach


def distance(rank: MeasuredRank, values: Sequence[int], point: int) -> int:
    places, counts = np.unique(np.array(values, np.int64), return_counts=True)
    unit = rank_units(rank.share)
    return rank.distance(WeightedPositions(0, 3, places, counts.astype(np.int64), unit), point)


def test_a_rank_is_stated_too_low_as_often_as_it_may_be() -> None:
    rank = MeasuredRank(probability=Fraction(1, 2), epsilon=Fraction(1, 2))
    places = np.arange(1000)
    records = WeightedPositions(0, 999, places, np.ones(1000, np.int64))
    bits = UnsafeSeededBits(5)
    held = sum(rank.at_most(rank.draw(records, 520, bits), USUAL) >= 20 for _ in range(4000))
    assert_covered((held, 4000), most=0.952)


def test_no_rank_is_stated_nearer_than_noise_can_tell() -> None:
    rank = MeasuredRank(probability=Fraction(1, 2), epsilon=Fraction(1, 100))
    records = WeightedPositions(0, 999, np.arange(1000), np.ones(1000, np.int64))
    bits = UnsafeSeededBits(5)
    stated = [rank.at_most(rank.draw(records, 510, bits), USUAL) for _ in range(500)]
    assert 114 < min(stated) == rank.at_most(-(10**6), USUAL) < 116  # ln(10) / 2 / 0.01
    assert min(stated) < max(stated)


# ---------------------------------------------------------------------- all together


def test_two_values_together_are_never_worse_than_apart_at_half_the_price() -> None:
    for levels in ("1/4 3/4", "1/2 9/10", "9/10 99/100", "1/100 1/50"):
        for width in (9, 1000, 1 << 26):
            mechanism = bounded(levels, width)
            together = errors(mechanism.values, USUAL)
            half = Fraction(3, 10)
            apart = [
                error
                for level in mechanism.probabilities
                for error in Quantiles(
                    probabilities=(level,), epsilon=half, width=width
                ).rank_errors(Fraction(39, 40))
            ]
            assert sum(together) <= sum(apart) * (1 + 1e-9)


def errors(values: Sequence[Quantiles], confidence: Fraction) -> list[float]:
    each = 1 - (1 - confidence) / len(values)
    return [error for one in values for error in one.rank_errors(each)]


@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
@pytest.mark.parametrize(
    "levels",
    ["1/2", "1/4 3/4", "1/4 1/2 3/4", "1/5 2/5 3/5 4/5", " ".join(f"{n}/10" for n in range(1, 10))],
)
def test_the_way_with_the_smaller_guarantee_is_taken(levels: str, relation: Neighbors) -> None:
    mechanism = bounded(levels, 1 << 20, neighbors=relation)
    wanted, count = mechanism.probabilities, len(mechanism.probabilities)

    def guaranteed(groups: Sequence[tuple[Fraction, ...]]) -> float:
        ways = [
            Quantiles(
                probabilities=some,
                epsilon=VALUES / len(groups),
                width=1 << 20,
                neighbors=relation,
            )
            for some in groups
        ]
        return sum(errors(ways, USUAL))

    together, apart = guaranteed([wanted]), guaranteed([(level,) for level in wanted])
    chosen = sum(errors(mechanism.values, USUAL))
    assert chosen == pytest.approx(min(together, apart))
    assert draws_apart(wanted, 1 << 20, None, relation) == (len(mechanism.values) > 1)
    assert count > 2 or apart <= together


@pytest.mark.parametrize("levels", ["1/2", "1/4 3/4", "1/4 1/2 3/4", "1/5 2/5 3/5 4/5"])
def test_draws_of_equal_range_cost_as_much(levels: str) -> None:
    mechanism = bounded(levels, 1 << 20, "2")
    draws = equal_draws(mechanism.probabilities, 1 << 20, None)
    cost = charge(mechanism.event(ONE, PureDP(epsilon=2)))
    assert Fraction(19, 20) < cost.rho / (Fraction(4) / (8 * draws)) <= 1
    assert cost.epsilon == 2
    within = bounded_range_epsilon(Fraction(1, 10), draws)
    spent = charge(bounded(levels, 1 << 20, str(within)).event(ONE, PureDP(epsilon=within)))
    assert Fraction(95, 1000) < spent.rho <= Fraction(1, 10)


def test_a_delta_is_charged_as_it_was_promised() -> None:
    event = bounded("1/2", 9).event(ONE, ApproximateDP(epsilon=1, delta="1e-6"))
    assert (charge(event).epsilon, charge(event).delta) == (1, Fraction(1, 10**6))


def test_what_is_released_is_in_order_and_of_one_length() -> None:
    mechanism = bounded("1/4 3/4", 100, "20")
    records = Sensitive((np.arange(101), np.full(101, 5)))
    bits = UnsafeSeededBits(3)
    for _ in range(20):
        found = mechanism.release([records, records], bits)
        assert len(found) == 12
        assert found[0] <= found[1]
        assert abs(found[0] - 25) < 20
        assert abs(found[1] - 75) < 20
        assert all(0 <= size < len(half_widths(100)) for size in found[2:4])


def test_an_interval_of_no_width_is_one_too() -> None:
    """Where more records share a value than noise can hide, the value is known."""
    mechanism = bounded("1/2", 100, "2")
    records = Sensitive((np.array([10, 50, 90]), np.array([100, 800, 100])))
    bits = UnsafeSeededBits(4)
    found = [mechanism(records, source=bits) for _ in range(50)]
    assert all(one[0] == 50 for one in found)
    assert sum(mechanism.interval(0).ends(50, one[1]) == (50, 50) for one in found) > 45


def test_expected_ranks_are_about_what_is_stated() -> None:
    mechanism = bounded("1/4 1/2 3/4", 1 << 20, "1/2")
    records = Sensitive((np.arange(5000) * 200, np.ones(5000, np.int64)))
    bits, stated = UnsafeSeededBits(6), []
    for _ in range(300):
        found = mechanism(records, source=bits)
        stated.append([mechanism.rank(n).at_most(found[6 + n], USUAL) for n in range(3)])
    for mean, expected in zip(
        np.mean(stated, 0), mechanism.expected_rank_errors(USUAL), strict=True
    ):
        assert 0.7 < mean / expected < 1.4


def test_lacks_fall_as_intervals_grow() -> None:
    records = WeightedPositions(0, 100, np.array([3, 50]), np.array([4, 6]))
    lacks = lacking(records, 5 * UNIT, 20, half_widths(100))
    assert lacks == sorted(lacks, reverse=True)
