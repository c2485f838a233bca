"""Quantiles: every pair of neighbors on small ranges, exactly; ties; and how far off ranks are."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.mechanisms.quantiles import Quantiles, QuantileTask
from discreet.mechanisms.ranks import UNIT, WeightedPositions, divisions
from discreet.noise import UnsafeSeededBits
from discreet.privacy.sensitivity import Neighbors, Sensitive
from discreet.privacy.verification import verify
from tests.support.evidence import fits, most_misses

ADD_REMOVE, REPLACE = Neighbors.ADD_REMOVE, Neighbors.REPLACE
Data = tuple[int, ...]


def quantiles(
    levels: str, width: int, relation: Neighbors = ADD_REMOVE, epsilon: int = 2
) -> Quantiles:
    return Quantiles(
        probabilities=tuple(map(Fraction, levels.split())),
        epsilon=Fraction(epsilon),
        width=width,
        neighbors=relation,
    )


def neighbors(points: list[int], size: int, relation: Neighbors) -> Iterator[tuple[Data, Data]]:
    """Every pair of neighbors with at most ``size`` records on the points."""
    for many in range(size + 1):
        for data in combinations_with_replacement(points, many):
            if relation is ADD_REMOVE and many < size:
                for more in points:
                    yield data, tuple(sorted((*data, more)))
            if relation is REPLACE:
                for place, old in enumerate(data):
                    for new in points:
                        if old < new:
                            rest = data[:place] + data[place + 1 :]
                            yield data, tuple(sorted((*rest, new)))


def worst_loss(mechanism: Quantiles, points: list[int], size: int) -> float:
    pairs = list(neighbors(points, size, mechanism.neighbors))
    laws = {data: mechanism.law(data) for data in {one for pair in pairs for one in pair}}
    return max(float(verify(laws, *pair).epsilon) for pair in pairs)


# ---------------------------------------------------------------------- privacy


EXHAUSTIVE = {
    "1/2": (3, 4),
    "9/10": (3, 4),
    "1/100": (3, 4),
    "1/4 3/4": (2, 4),
    "1/4 1/2 3/4": (2, 3),
    "1/100 1/50 9/10": (2, 3),
    "1/5 2/5 3/5 4/5": (1, 4),
    "1/100 1/50 3/100 1/25 9/10": (1, 4),
}


@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
@pytest.mark.parametrize("levels", EXHAUSTIVE)
def test_no_pair_of_neighbors_gives_away_more_than_epsilon(levels, relation):
    width, size = EXHAUSTIVE[levels]
    mechanism = quantiles(levels, width, relation)
    assert worst_loss(mechanism, list(range(width + 1)), size) <= 2


@pytest.mark.parametrize(
    ("levels", "relation", "pair"),
    [
        ("1/2", ADD_REMOVE, ((1, 150, 150), (1, 1, 150, 150))),
        ("1/2", REPLACE, ((149, 150), (0, 149))),
        ("1/4", ADD_REMOVE, ((149, 149, 149), (0, 149, 149, 149))),
        ("3/4", ADD_REMOVE, ((1, 1, 1), (1, 1, 1, 150))),
    ],
)
def test_a_wide_gap_uses_up_nearly_all_of_epsilon(levels, relation, pair):
    assert 1.9 < verify(quantiles(levels, 150, relation), *pair).epsilon <= 2


CONTROLS = {
    "1/2": (60, [1, 60], 4),
    "1/4 1/2 3/4": (8, [1, 8], 4),
    "1/3 2/3": (14, [0, 13], 3),
}


@pytest.mark.parametrize("levels", CONTROLS)
def test_a_larger_rate_is_caught(levels, monkeypatch):
    """The negative control: the check above sees a mechanism that spends more than it says."""
    width, points, size = CONTROLS[levels]
    honest = quantiles(levels, width)
    assert worst_loss(honest, points, size) <= 2
    rate = QuantileTask.rate
    monkeypatch.setattr(QuantileTask, "rate", lambda task, relation: rate(task, relation) * 3 / 2)
    assert worst_loss(honest, points, size) > 2


def test_the_rate_of_add_or_remove_is_too_large_under_replace(monkeypatch):
    """The control for two parts that change at once: half the noise in them is too little."""
    mechanism, pair = quantiles("1/4 1/2 3/4", 9, REPLACE), ((0, 1, 1, 8), (1, 1, 8, 8))
    assert verify(mechanism, *pair).epsilon <= 2
    rate = QuantileTask.rate

    def careless(task: QuantileTask, relation: Neighbors) -> Fraction:
        return rate(task, relation if task.alone else ADD_REMOVE)

    monkeypatch.setattr(QuantileTask, "rate", careless)
    assert verify(mechanism, *pair).epsilon > 2


@pytest.mark.slow
@given(
    levels=st.sets(st.fractions(Fraction(1, 100), Fraction(99, 100)), min_size=1, max_size=9),
    relation=st.sampled_from([ADD_REMOVE, REPLACE]),
)
def test_every_path_through_the_recursion_spends_epsilon(levels, relation):
    def paths(task: QuantileTask) -> Iterator[Fraction]:
        if not task.wanted:
            return
        branches = [list(paths(half)) for half in task.halves()]
        for rest in [one for branch in branches for one in branch] or [Fraction(0)]:
            yield task.share + rest

    spent = list(paths(QuantileTask(tuple(sorted(levels)), Fraction(1))))
    assert set(spent) == {1}


@given(
    counts=st.lists(st.integers(0, 5), min_size=1, max_size=6),
    place=st.integers(0, 5),
    position=st.integers(0, 6 * UNIT - 1),
)
def test_a_record_goes_to_one_side_of_a_cut_and_moves_no_other(counts, place, position):
    place %= len(counts)
    position %= len(counts) * UNIT
    more = [count + (index == place) for index, count in enumerate(counts)]
    before, after = (halves(data, position) for data in (counts, more))
    moved = [
        {spot: count - old.get(spot, 0) for spot, count in new.items() if count != old.get(spot, 0)}
        for old, new in zip(before, after, strict=True)
    ]
    assert sorted(moved, key=len) == [{}, {place: 1}]


def halves(counts: list[int], position: int) -> list[dict[int, int]]:
    places = np.flatnonzero(counts)
    records = WeightedPositions(0, len(counts) - 1, places, np.array(counts)[places])
    cut = records.cut(position, UNIT)
    return [dict(zip(half.places.tolist(), half.counts.tolist(), strict=True)) for half in cut]


@given(
    counts=st.lists(st.integers(0, 4), min_size=1, max_size=5),
    parts=st.sampled_from([1, 2, 4, 64]),
    target=st.integers(0, 20 * UNIT),
)
def test_the_rank_of_a_position_is_the_number_of_records_that_a_cut_there_puts_to_the_left(
    counts, parts, target
):
    places = np.flatnonzero(counts)
    records = WeightedPositions(0, len(counts) - 1, places, np.array(counts)[places])
    runs = records.positions(target, parts)
    for position in range(len(counts) * parts):
        run = int(np.searchsorted(runs.starts, position, "right")) - 1
        left, right = records.cut(position, parts)
        assert left.size + right.size == records.size
        assert runs.depths[run] == abs(left.size * UNIT - target)
    assert runs.starts[0] == 0
    assert int(runs.sizes.sum()) == len(counts) * parts


@given(counts=st.lists(st.integers(0, 4), min_size=1, max_size=6), target=st.integers(0, 24 * UNIT))
def test_a_point_covers_the_ranks_of_the_records_on_it(counts, target):
    places = np.flatnonzero(counts)
    runs = WeightedPositions(0, len(counts) - 1, places, np.array(counts)[places]).points(target)
    for point in range(len(counts)):
        run = int(np.searchsorted(runs.starts, point, "right")) - 1
        below, above = sum(counts[:point]) * UNIT, sum(counts[: point + 1]) * UNIT
        assert runs.depths[run] == max(0, below - target, target - above)
    assert int(runs.sizes.sum()) == len(counts)


# ---------------------------------------------------------------------- what is drawn


def drawn(mechanism: Quantiles, data: list[int], trials: int, seed: int = 3) -> list[Data]:
    places, counts = np.unique(np.array(data, np.int64), return_counts=True)
    records, source = Sensitive((places, counts)), UnsafeSeededBits(seed)
    return [tuple(mechanism(records, source=source)) for _ in range(trials)]


@pytest.mark.parametrize(
    ("levels", "data"),
    [
        ("1/2", [0, 1, 1, 4]),
        pytest.param("1/4 1/2 3/4", [0, 0, 0, 1, 3], marks=pytest.mark.slow),
        pytest.param("1/3 2/3", [], marks=pytest.mark.soak),
    ],
)
def test_what_is_drawn_follows_the_law_and_no_other(levels, data):
    mechanism, other = quantiles(levels, 4), quantiles(levels, 4, epsilon=3)
    sample = drawn(mechanism, data, 6_000)
    law = mechanism.law(data)
    assert fits(sample, {outcome: law.probability(outcome) for outcome in law.outcomes})
    if data:
        law = other.law(data)
        assert not fits(sample, {outcome: law.probability(outcome) for outcome in law.outcomes})


@given(data=st.lists(st.integers(0, 6), max_size=8), numerator=st.integers(1, 9))
def test_the_law_of_one_quantile_is_that_of_the_exponential_mechanism(data, numerator):
    q = Fraction(numerator, 10)
    mechanism = quantiles(str(q), 6)
    target = int(q * len(data) * UNIT) / UNIT
    rate = 2 / (2 * np.ceil(float(max(q, 1 - q)) * UNIT) / UNIT)
    weights = []
    for point in range(7):
        below, above = sum(x < point for x in data), sum(x <= point for x in data)
        weights.append(exp(-rate * max(0, below - target, target - above)))
    law = mechanism.law(data)
    for point, weight in enumerate(weights):
        assert law.probability((point,)) == pytest.approx(weight / sum(weights), rel=1e-9)


def test_quantiles_come_in_order_and_within_the_range():
    mechanism = quantiles("1/10 1/4 1/2 3/4 9/10", 50)
    for outcome in drawn(mechanism, [3, 9, 9, 9, 40], 300):
        assert list(outcome) == sorted(outcome)
        assert 0 <= outcome[0] <= outcome[-1] <= 50


def test_no_records_give_uniform_points():
    assert fits(
        [one for (one,) in drawn(quantiles("1/2", 3), [], 2000)], dict.fromkeys(range(4), 0.25)
    )


def test_ranges_beyond_what_positions_can_divide_are_answered():
    width = 2**61
    assert divisions(width) == 1
    mechanism = quantiles("1/4 1/2 3/4", width, epsilon=10)
    (outcome,) = drawn(mechanism, [0, 5, 2**60, width], 1)
    assert 0 <= outcome[0] <= outcome[1] <= outcome[2] <= width


# ---------------------------------------------------------------------- ranks


def rank_errors(data: np.ndarray, levels: tuple[Fraction, ...], outcome: Data) -> list[float]:
    """How many records lie between each value and the ranks that its quantile asks for."""
    ordered = np.sort(data)
    errors = []
    for level, value in zip(levels, outcome, strict=True):
        target = float(level) * ordered.size
        below, above = (int(np.searchsorted(ordered, value, side)) for side in ("left", "right"))
        errors.append(max(0.0, below - target, target - above))
    return errors


def adversarial(name: str) -> np.ndarray:
    generator = np.random.default_rng(8)
    return {
        "spread": generator.integers(0, 1 << 20, 600),
        "tied": np.repeat([5, 6, 1 << 19, (1 << 20) - 1], [150, 150, 150, 150]),
        "one value": np.full(600, 77),
        "zeros": np.where(generator.random(600) < 0.6, 0, generator.integers(0, 1 << 20, 600)),
        "ends": np.repeat([0, 1 << 20], [300, 300]),
        "cluster beside a gap": np.concatenate([np.arange(300), (1 << 20) - np.arange(300)]),
    }[name]


@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
@pytest.mark.parametrize(
    "name", ["spread", "tied", "one value", "zeros", "ends", "cluster beside a gap"]
)
def test_rank_errors_hold_all_at_once_whatever_the_ties(name, relation):
    data = adversarial(name)
    mechanism = quantiles("1/10 1/2 3/5 9/10", 1 << 20, relation, epsilon=4)
    allowed = mechanism.rank_errors(Fraction(95, 100))
    trials = 150
    missed = sum(
        any(
            error > most
            for error, most in zip(
                rank_errors(data, mechanism.probabilities, outcome), allowed, strict=True
            )
        )
        for outcome in drawn(mechanism, data.tolist(), trials)
    )
    assert missed <= most_misses(trials, 0.05)


def test_the_rank_error_of_one_quantile_is_that_of_the_exponential_mechanism():
    mechanism = quantiles("1/2", (1 << 20) - 1, epsilon=1)
    (error,) = mechanism.rank_errors(Fraction(95, 100))
    assert error == pytest.approx(20 * np.log(2) + np.log(20), abs=1e-4)


@pytest.mark.parametrize(("many", "expected"), [(1, 0.95), (3, 2.1), (9, 6.0)])
def test_ranks_are_off_by_what_the_literature_says(many, expected):
    generator = np.random.default_rng(4)
    levels = " ".join(str(Fraction(k, many + 1)) for k in range(1, many + 1))
    mechanism, found = quantiles(levels, 1 << 30, epsilon=1), []
    for _ in range(200):
        data = generator.integers(0, 1 << 30, 1000)
        (outcome,) = drawn(mechanism, data.tolist(), 1, seed=len(found))
        found.append(np.mean(rank_errors(data, mechanism.probabilities, outcome)))
    assert np.mean(found) < 1.5 * expected


def test_heavy_ties_do_not_bend_the_quantiles_beyond_them():
    """Six records in ten are 0: the upper quartile is where it is without them."""
    data = adversarial("zeros")
    mechanism = quantiles("1/4 1/2 3/4", 1 << 20, epsilon=4)
    found = [
        rank_errors(data, mechanism.probabilities, one)
        for one in drawn(mechanism, data.tolist(), 100)
    ]
    assert np.mean(found) < 2
    middles = Counter(outcome[1] for outcome in drawn(mechanism, data.tolist(), 100))
    assert middles[0] > 95
