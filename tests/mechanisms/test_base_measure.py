"""What points weigh before any record is seen: sums, round numbers, and ties held together."""

from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.exact import Grid, Range
from discreet.mechanisms.quantile_intervals import VALUES
from discreet.mechanisms.quantiles import Quantiles
from discreet.mechanisms.ranks import (
    BaseMeasure,
    Layer,
    PositionScale,
    round_numbers,
    toward_middle,
)
from discreet.noise import UnsafeSeededBits
from discreet.privacy.sensitivity import Neighbors, Sensitive
from discreet.privacy.verification import verify
from tests.mechanisms.test_quantile import neighbors
from tests.support.evidence import fits, most_misses

LAYERS = st.lists(
    st.builds(
        Layer,
        st.integers(0, 3),
        st.integers(4, 9),
        st.integers(1, 50),
        st.integers(0, 1 << 35),
        st.integers(0, (1 << 35) - 1),
        st.just(35),
    ),
    min_size=0,
    max_size=3,
)


def small(layers: list[Layer]) -> BaseMeasure:
    return BaseMeasure(9, (Layer(0, 9, 8), *layers))


def naive(measure: BaseMeasure, point: int) -> int:
    """The weight of a point, by the definition, in fractions."""

    def count(layer: Layer, end: int) -> int:
        return int(Fraction(layer.offset + end * layer.ratio, 1 << layer.bits).__floor__())

    return sum(
        layer.weight * (count(layer, point + 1) - count(layer, point))
        for layer in measure.layers
        if layer.first <= point <= layer.last
    )


@given(LAYERS)
def test_weights_are_those_of_the_definition_and_every_weight_falls_on_its_point(layers):
    measure = small(layers)
    weights = [naive(measure, point) for point in range(10)]
    assert [measure.at(point) for point in range(10)] == weights
    assert measure.below(np.arange(11)).tolist() == [sum(weights[:end]) for end in range(11)]
    assert measure.total == sum(weights)
    falls = [point for point, weight in enumerate(weights) for _ in range(weight)]
    assert [measure.point(weight) for weight in range(measure.total)] == falls


@given(LAYERS, st.integers(1, 5))
def test_positions_of_a_point_share_its_weight_evenly(layers, parts):
    measure = small(layers)
    scale = PositionScale(measure, parts)
    below = scale.below(np.arange(10 * parts + 1))
    each = [measure.at(point) for point in range(10) for _ in range(parts)]
    assert np.diff(below).tolist() == each
    falls = [position for position, weight in enumerate(each) for _ in range(weight)]
    assert [scale.position(weight) for weight in range(int(below[-1]))] == falls


BOUNDS = [
    (0, 100),
    (-20, 45),
    (Fraction(1, 10), Fraction(9, 10)),
    (10**6, 10**6 + 3),
    (-(10**40), 10**40),
    (0, Fraction(1, 10**12)),
]


def nearest(place: Fraction) -> int:
    return ceil(place - Fraction(1, 2))


@pytest.mark.parametrize(("kind", "rounded"), [(round_numbers, nearest), (toward_middle, ceil)])
@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_round_numbers_weigh_more_and_no_point_nothing(low, high, kind, rounded):
    """A round number weighs where its records are: at the nearest point, or rounded up for ends."""
    low, high = Fraction(low), Fraction(high)
    grid = Grid.below((high - low) / (1 << 24))
    bounds = Range(grid=grid, low=grid.index(low), high=grid.index(high))
    measure = kind(bounds)
    generator = np.random.default_rng(3)
    points = generator.integers(0, bounds.width + 1, 20_000)
    weights = measure.below(points + 1) - measure.below(points)
    assert weights.min() >= measure.least
    assert 0 < measure.total < 1 << 40
    power = Fraction(1)
    while power > (high - low) / 100:
        power /= 10
    while power < (high - low) / 1000:
        power *= 10
    first = -(-low // power)
    for number in range(first + 1, first + 50):
        place = number * power / grid.step
        point = rounded(place) - bounds.low
        near = abs(rounded(place - Fraction(1, 32)) - rounded(place))  # two points may be meant
        assert max(measure.at(point), near * measure.at(point - 1)) > 1000
        assert measure.at(point + 3) < 1000


def test_few_points_and_chosen_grids_have_no_layers():
    assert round_numbers(Range(grid=Grid(0), low=0, high=120)) is None
    assert toward_middle(Range(grid=Grid(0), low=0, high=1 << 60)) is None
    values = np.repeat([1.0, 2.0], 50)
    assert dp.median(values, bounds=(0, 10), epsilon=1, grid=2**-20).mechanism.measure is None
    assert dp.median(values, bounds=(0, 10), epsilon=1).mechanism.measure is not None


# ---------------------------------------------------------------------- privacy and the law


SKEWED = BaseMeasure(4, (Layer(0, 4, 1), Layer(1, 2, 40), Layer(0, 4, 7, 1, 1, 1)))


@pytest.mark.parametrize("relation", list(Neighbors))
@pytest.mark.parametrize("levels", ["1/2", "1/3 2/3"])
def test_no_pair_of_neighbors_gives_away_more_than_epsilon(levels, relation, monkeypatch):
    monkeypatch.setattr("discreet.mechanisms.quantiles.divisions", lambda width, measure: 4)
    mechanism = Quantiles(
        probabilities=tuple(map(Fraction, levels.split())),
        epsilon=Fraction(2),
        width=4,
        neighbors=relation,
        measure=SKEWED,
    )
    pairs = neighbors([0, 2, 4], 3, relation)
    assert max(verify(mechanism, *pair).epsilon for pair in pairs) <= 2


@pytest.mark.slow
@pytest.mark.parametrize("levels", ["1/2", "1/3 2/3"])
def test_what_is_drawn_follows_the_law_and_not_that_of_points_alike(levels, monkeypatch):
    """Both verdicts are wrong once in a million at most."""
    monkeypatch.setattr("discreet.mechanisms.quantiles.divisions", lambda width, measure=None: 4)
    common = {
        "probabilities": tuple(map(Fraction, levels.split())),
        "epsilon": Fraction(1),
        "width": 4,
    }
    mechanism, plain = Quantiles(**common, measure=SKEWED), Quantiles(**common)
    data, source = [0, 2, 2, 3], UnsafeSeededBits(8)
    records = Sensitive(np.unique(data, return_counts=True))
    sample = [tuple(mechanism(records, source=source)) for _ in range(4_000)]
    laws = [one.law(data) for one in (mechanism, plain)]
    chances = [{out: float(law.probability(out)) for out in law.outcomes} for law in laws]
    assert fits(sample, chances[0])
    assert not fits(sample, chances[1])


# ---------------------------------------------------------------------- ties


def off(data: np.ndarray, value: float, level: float) -> float:
    """How many ranks a value is from a quantile; the records within rounding of it are ties."""
    target, near = level * data.size, 1e-6
    below, above = np.sum(data < value - near), np.sum(data <= value + near)
    return max(0.0, below - target, target - above)


TIED = {
    "whole numbers": np.repeat([21.0, 34.0, 40.0, 47.0, 88.0], 60),
    "tenths": np.repeat([3.1, 3.4, 36.6, 36.7, 99.9], 60),
    "cents": np.repeat([0.99, 4.95, 9.99, 19.95, 49.99], 60),
}


EPSILON = {"whole numbers": Fraction(1, 2), "tenths": Fraction(3, 5), "cents": Fraction(3, 5)}
"""What the value is drawn with: a part of the price."""


def torn(name: str, level: float, trials: int) -> int:
    """How often the answer is none of the values: a gap is 30 ranks off."""
    data = TIED[name]
    answers = [
        dp.quantile(data, level, bounds=(0, 100), epsilon=EPSILON[name] / VALUES)
        for _ in range(trials)
    ]
    return sum(off(data, answer.value, level) > 0 for answer in answers)


@pytest.mark.parametrize("name", TIED)
@pytest.mark.parametrize("level", [0.3, 0.5])
def test_ties_without_a_grid_are_not_torn_apart(name, level):
    """60 records share each value.  The law gives the gaps less than 0.05; wrong once in 10^6."""
    assert torn(name, level, 150) <= most_misses(150, 0.05)


@pytest.mark.parametrize("name", TIED)
def test_points_that_weigh_alike_tear_ties_apart(name, monkeypatch):
    """The negative control: the gaps beside a tie outweigh it."""
    monkeypatch.setattr("discreet.measures.quantiles.round_numbers", lambda bounds: None)
    assert torn(name, 0.3, 150) > most_misses(150, 0.05)


def ends_missed(trials: int) -> int:
    """How often a tenth that 400 records share is not their largest or least value."""
    missed = 0
    for end in (dp.max, dp.min):
        for tenth in range(301, 310):
            data = np.full(400, tenth / 10)
            answers = [end(data, bounds=(0, 100), epsilon=0.8).value for _ in range(trials)]
            missed += sum(abs(value - tenth / 10) > 1e-5 for value in answers)
    return missed


def test_ends_are_found_at_ties_without_a_grid():
    """The law misses less than 0.1 of them.  Wrong once in 10^6."""
    assert ends_missed(10) <= most_misses(180, 0.1)


def test_round_numbers_that_are_rounded_to_the_nearest_point_miss_the_ends(monkeypatch):
    """The negative control: records are rounded up, so half of the tenths are a point away."""
    monkeypatch.setattr("discreet.measures.extremes.toward_middle", round_numbers)
    assert ends_missed(10) > most_misses(180, 0.1)
