"""Weights on a grid: few runs, exact whatever the weights, and drawn from as the law says."""

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.mechanisms import ranks
from discreet.mechanisms.extremes import NearMaximum
from discreet.mechanisms.quantiles import Quantiles, draw_position
from discreet.mechanisms.ranks import UNIT, WeightedPositions, greatest_depth, rank_units
from discreet.noise import UnsafeSeededBits
from discreet.privacy.sensitivity import Neighbors, Sensitive
from tests.mechanisms.test_quantile_weights import weighted
from tests.support.cases import each
from tests.support.evidence import fits, most_misses
from tests.support.trials import all_but

HUGE = st.one_of(st.integers(0, 9), st.integers(0, 1 << 40), st.integers(0, (1 << 63) - 1))
WEIGHTS = st.lists(HUGE, min_size=1, max_size=5)
PARTS = st.sampled_from([1, 2, 8, 64])
UNITS = st.sampled_from([UNIT, 1 << 10, 1 << 6])
SHARES = st.fractions(0, 1)
RATES = st.tuples(st.integers(1, 99), st.integers(0, 90)).map(lambda r: Fraction(r[0], 1 << r[1]))


def held(weights: Sequence[int], unit: int = UNIT) -> WeightedPositions:
    places = np.flatnonzero(np.array(weights, np.int64))
    return WeightedPositions(0, len(weights) - 1, places, np.array(weights, np.int64)[places], unit)


def naive_rank(weights: Sequence[int], position: int, parts: int) -> int:
    point, within = divmod(position, parts)
    return sum(weights[:point]) + within * (weights[point] + 1) // parts


def naive_depth(rank: int, target: int, unit: int) -> int:
    return min(abs(rank * unit - target), greatest_depth(unit))


# ---------------------------------------------------------------------- exact at every size


@pytest.mark.slow
@given(weights=WEIGHTS, parts=PARTS, unit=UNITS, at=SHARES, rate=RATES)
def test_stretches_hold_every_position_once_at_the_depth_of_the_best(
    weights, parts, unit, at, rate
):
    records = held(weights, unit)
    assert records.size == sum(weights)
    target = int(at * records.size * unit)
    runs = records.stretches(target, parts, rate)
    assert runs.starts.tolist() == sorted(set(runs.starts.tolist()))
    assert runs.starts[0] == 0
    assert (runs.starts + runs.sizes).tolist() == [*runs.starts[1:].tolist(), len(weights) * parts]
    step = max(1, int(1 / (4 * rate)))
    for start, size, best in zip(*(part.tolist() for part in runs), strict=True):
        found = [records.depth(position, target, parts) for position in range(start, start + size)]
        assert min(found) == best
        assert max(found) - best <= max(step, best)
    for position in range(len(weights) * parts):
        rank = naive_rank(weights, position, parts)
        assert (
            records.rank(np.array([position]), parts)[0]
            == rank
            == records.cut(position, parts)[0].size
        )
        assert records.depth(position, target, parts) == naive_depth(rank, target, unit)


@given(weights=st.lists(st.integers(0, 40), min_size=1, max_size=5), parts=PARTS, at=SHARES)
def test_runs_of_one_rank_hold_the_same_positions_as_stretches(weights, parts, at):
    records = held(weights)
    target = int(at * records.size * UNIT)
    runs = records.positions(target, parts)
    starts = runs.starts.tolist()
    for position in range(len(weights) * parts):
        run = bisect_right(starts, position) - 1
        assert runs.depths[run] == records.depth(position, target, parts)


@given(weights=WEIGHTS, unit=UNITS, at=SHARES)
def test_a_point_covers_the_ranks_of_the_weight_on_it_at_every_size(weights, unit, at):
    records = held(weights, unit)
    target = int(at * records.size * unit)
    runs = records.points(target)
    for point in range(len(weights)):
        run = bisect_right(runs.starts.tolist(), point) - 1
        below, above = sum(weights[:point]) * unit, sum(weights[: point + 1]) * unit
        depth = min(max(0, below - target, target - above), greatest_depth(unit))
        assert runs.depths[run] == depth


@pytest.mark.parametrize("unit", [UNIT, 1 << 6])
@pytest.mark.parametrize("bits", range(58, 65))
def test_depths_grow_up_to_the_deepest_and_no_farther(bits, unit):
    for weight in ((1 << bits) // unit + step for step in (-1, 0, 1)):
        records = held([0, weight, 0], unit)
        for target in (0, 1, unit - 1, weight * unit // 2, weight * unit):
            for runs in (records.points(target), records.stretches(target, 4, Fraction(1))):
                assert runs.depths[0] == naive_depth(0, target, unit)
                assert runs.depths[-1] == naive_depth(weight, target, unit)


@given(
    weights=WEIGHTS,
    place=st.integers(0, 4),
    parts=PARTS,
    share=st.sampled_from([1, 10 << 20, 10 << 40]),
    q=st.fractions(Fraction(1, 100), Fraction(99, 100)),
)
def test_one_weight_more_moves_no_depth_by_more_than_the_reach(weights, place, parts, share, q):
    place %= len(weights)
    weights[place] = min(weights[place], (1 << 63) - 2)
    more = [weight + (index == place) for index, weight in enumerate(weights)]
    unit = rank_units(share)
    reach = -(-max(q, 1 - q) * unit // 1)
    old, new = (held(data, unit) for data in (weights, more))
    targets = [int(q * records.size * unit) for records in (old, new)]
    for position in range(len(weights) * parts):
        before, after = (
            records.depth(position, target, parts)
            for records, target in zip((old, new), targets, strict=True)
        )
        assert abs(after - before) <= reach
    for point in range(len(weights)):
        before, after = (
            int(runs.depths[bisect_right(runs.starts.tolist(), point) - 1])
            for runs in (r.points(t) for r, t in zip((old, new), targets, strict=True))
        )
        assert abs(after - before) <= reach


@pytest.mark.slow
def test_the_work_grows_with_the_places_and_not_with_the_weights():
    places = np.arange(0, 3_000_000, 3)
    records = WeightedPositions(0, 1 << 30, places, np.full(places.size, (1 << 62) // places.size))
    for rate in (Fraction(1, 1 << 60), Fraction(1), Fraction(1 << 20)):
        runs = records.runs(records.size * UNIT // 3, UNIT, rate)
        assert runs.starts.size <= 2 * places.size + 1 + 200


@each("share", [1, 7, 10 << 20, 1 << 62])
@each("relation", list(Neighbors))
@each(
    ("places", "weights", "width"),
    [
        ([], [], 0),
        ([], [], 1 << 61),
        ([0], [1 << 62], 0),
        ([0], [(1 << 63) - 1], 0),
        ([3], [(1 << 63) - 1], 9),
        ([0, 1 << 61], [1 << 61, 1 << 61], 1 << 61),
        ([0, 4, 5, 9], [(1 << 63) - 1] * 4, 9),
        ([0, 9], [1, (1 << 62) - 1], 9),
    ],
)
def test_the_extremes_are_answered_within_the_range(places, weights, width, relation, share):
    records = Sensitive((np.array(places, np.int64), np.array(weights, np.int64)))
    source = UnsafeSeededBits(1)
    found = weighted("1/4 1/2 3/4", width, share, relation)(records, source=source)
    assert found == sorted(found)
    assert 0 <= found[0] <= found[-1] <= width
    near = NearMaximum(epsilon=Fraction(1), width=width, share=share)
    assert 0 <= near(records, source=source) <= width


# ---------------------------------------------------------------------- what is drawn


CASES = {  # weights, share, units of a weight, quantile
    "one person near the cap": ([0, 1 << 61, 0, 1 << 61], 1 << 60, 1, "1/2"),
    "all weight at one place": ([0, 0, 1 << 62, 0], 1 << 59, 1, "1/3"),
    "more than 63 bits": ([(1 << 63) - 1] * 4, 1 << 62, 1, "2/5"),
    "depths beyond 62 bits": ([1 << 61] * 4, 1 << 57, 1 << 3, "2/5"),
    "a heavy and a light place": ([1 << 50, 3, 0, 1 << 30], 1 << 49, 1 << 6, "9/10"),
    "many a share": ([10 << 22, 4 << 20, 0, 9 << 20], 10 << 20, 1 << 10, "1/2"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    all_but(
        [
            "all weight at one place",
            "more than 63 bits",
            "depths beyond 62 bits",
            "a heavy and a light place",
        ],
        CASES,
        pytest.mark.soak,
    ),
)
def test_positions_are_drawn_by_the_exponential_mechanism_at_every_size(name):
    weights, share, unit, level = CASES[name]
    parts, q = 16, Fraction(level)
    records, rate = held(weights, unit), Fraction(4, share * unit)
    target, source = int(q * sum(weights) * unit), UnsafeSeededBits(6)
    sample = [draw_position(records, target, parts, rate, source) for _ in range(3_000)]
    for factor, right in ((1, True), (3, False)):
        depths = [
            naive_depth(naive_rank(weights, position, parts), target, unit)
            for position in range(len(weights) * parts)
        ]
        chances = [exp(-float(factor * rate * (depth - min(depths)))) for depth in depths]
        law = {position: chance / sum(chances) for position, chance in enumerate(chances)}
        assert fits(sample, law) is right


@pytest.mark.slow
@pytest.mark.parametrize(
    ("levels", "data", "few"),
    [
        ("1/4 1/2 3/4", [0] * 3 + [1] * 5 + [3] * 2, -(10**6)),
        ("1/3 2/3", [0] * 150 + [2] * 200 + [3] * 120 + [4], 20),
    ],
)
def test_weighted_quantiles_follow_the_law_of_their_share_and_no_other(
    levels, data, few, monkeypatch
):
    monkeypatch.setattr(ranks, "_FEW", few)
    share = 2 if few < 0 else 60
    mechanism, other = weighted(levels, 4, share), weighted(levels, 4, share * 2)
    places, counts = np.unique(np.array(data), return_counts=True)
    records, source = Sensitive((places, counts)), UnsafeSeededBits(12)
    sample = [tuple(mechanism(records, source=source)) for _ in range(3_000)]
    for made, right in ((mechanism, True), (other, False)):
        law = made.law(data)
        assert fits(sample, {one: law.probability(one) for one in law.outcomes}) is right


@pytest.mark.parametrize("relation", list(Neighbors))
@pytest.mark.parametrize("name", ["spread", "tied", "one person"])
def test_rank_errors_hold_in_weights_all_at_once(name, relation):
    generator = np.random.default_rng(3)
    scale, share = 1 << 20, 10 << 20
    places, weights = {
        "spread": (np.arange(0, 6000, 2), generator.integers(1, scale + 1, 3000)),
        "tied": (np.array([5, 6, 3000, 8000]), np.array([900, 1, 700, 400]) * scale),
        "one person": (np.array([17]), np.array([share])),
    }[name]
    mechanism = Quantiles(
        probabilities=tuple(map(Fraction, ("1/10", "1/2", "3/5", "9/10"))),
        epsilon=Fraction(4),
        width=8000,
        neighbors=relation,
        share=share,
    )
    allowed, source, trials = mechanism.rank_errors(Fraction(95, 100)), UnsafeSeededBits(2), 150
    above = np.concatenate([[0], np.cumsum(weights)])
    missed = 0
    for _ in range(trials):
        found = mechanism(Sensitive((places, weights)), source=source)
        target = np.array(mechanism.probabilities, np.float64) * above[-1]
        low = above[np.searchsorted(places, found, "left")] - target
        high = target - above[np.searchsorted(places, found, "right")]
        missed += bool((np.maximum(low, high) > allowed).any())
    assert missed <= most_misses(trials, 0.05)
