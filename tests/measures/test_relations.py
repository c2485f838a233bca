"""Tables of two columns: exactly as far moved as is priced, and intervals that hold the truth."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import inf, isfinite
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.engines import arrays
from discreet.exact import Grid, Range
from discreet.measures.measure import Aggregate, GroupSums, Output, Steps, Unit
from discreet.measures.noise_choice import gaussian_noise
from discreet.measures.noisy_moments import moment_weights
from discreet.measures.registry import CORRELATION, COVARIANCE, REGRESSION
from discreet.measures.relations import Relations
from discreet.plan.expressions import Named, together
from discreet.privacy.joint_noise import laplace_sum_distance, sum_distance
from discreet.privacy.sensitivity import Neighbors
from tests.support.coverage import assert_covered
from tests.support.trials import examples, rounds

ADDED, REPLACED = (Unit(neighbors=one) for one in Neighbors)


def steps(name: str, width: int, low: int = 0) -> Steps:
    return Steps(Named(name), Range(grid=Grid(0), low=low, high=low + width))


def relations(*widths: int) -> Relations:
    return Relations(tuple(steps(f"c{place}", width) for place, width in enumerate(widths)))


def vector(measure: Relations, rows: Sequence[Sequence[int]]) -> list[int]:
    """What the shipped code makes of rows in memory."""
    columns = [list(column) for column in zip(*rows, strict=True)] or [[]] * len(measure.values)
    clipped = arrays.clip_together(columns, measure.values, keep_all=False)
    return list(arrays.products(measure, clipped).open())


def naive(measure: Relations, rows: Sequence[Sequence[int]]) -> list[Fraction]:
    """The same by plain fractions, row by row and cell by cell, each table as part of a row."""
    found = []
    for a, b in measure.pairs:
        widths = [Fraction(measure.values[place].range.width) for place in (a, b)]
        for p, q in product(range(3), repeat=2):
            total = Fraction(0)
            for row in rows:
                x, y = (Fraction(row[place]) / width for place, width in zip((a, b), widths))  # noqa: B905
                ways = [((1 - one) ** 2, 2 * one * (1 - one), one**2) for one in (x, y)]
                total += ways[0][p] * ways[1][q]
            found.append(total)
    return found


@pytest.mark.parametrize("widths", [(1, 1), (2, 3), (4096, 5), (2, 3, 1), (7, 4, 2, 3)])
def test_the_tables_are_those_of_plain_fractions(widths: tuple[int, ...]) -> None:
    measure = relations(*widths)
    random = np.random.default_rng(len(widths))
    rows = [[int(random.integers(0, width + 1)) for width in widths] for _ in range(20)]
    sizes = [size for size in measure.row_sizes for _ in range(9)]
    expected = [size * one for size, one in zip(sizes, naive(measure, rows), strict=True)]
    assert vector(measure, rows) == expected
    assert max(measure.row_sizes) - min(measure.row_sizes) <= max(measure.row_sizes) // 256


# ---------------------------------------------------------------------- sensitivity


def moved(measure: Relations, first: Any, second: Any) -> tuple[int, int]:
    ends = [vector(measure, [one] if one is not None else []) for one in (first, second)]
    moves = [abs(a - b) for a, b in zip(*ends, strict=True)]
    return sum(moves), sum(one * one for one in moves)


@pytest.mark.parametrize("widths", [(1, 1), (2, 3), (4, 4), (1, 2, 2), (1, 1, 1, 2)])
def test_the_worst_row_moves_the_tables_by_exactly_what_is_priced(widths: tuple[int, ...]) -> None:
    """Of all rows of a small box, one more or less, and one in the place of another."""
    measure = relations(*widths)
    box = list(product(*(range(width + 1) for width in widths)))
    added = [moved(measure, None, one) for one in box]
    priced = measure.sensitivity(ADDED)
    assert max(one for one, _ in added) == priced.l1
    assert max(two for _, two in added) == priced.squared_l2
    replaced = [moved(measure, a, b) for a, b in combinations_with_replacement([*box, None], 2)]
    priced = measure.sensitivity(REPLACED)
    assert max(one for one, _ in replaced) == priced.l1
    assert max(two for _, two in replaced) == priced.squared_l2


def test_a_price_without_the_corners_is_caught() -> None:
    """Negative control: in the middle of the box a row moves the tables by less in L2."""
    measure = relations(4, 4)
    _, middle = moved(measure, None, (2, 2))
    assert middle < measure.sensitivity(ADDED).squared_l2
    assert moved(measure, (0, 0), (4, 4))[0] > (measure.sensitivity(ADDED).l1 or 0)


def test_a_row_without_one_of_the_values_counts_for_nothing() -> None:
    measure = relations(4, 4)
    clipped = arrays.clip_together([[1, None, 4], [2, 3, None]], measure.values, keep_all=False)
    assert list(arrays.products(measure, clipped).open()) == vector(measure, [(1, 2)])


# ---------------------------------------------------------------------- moments


def test_moments_are_those_of_the_rows() -> None:
    """Of columns from -1 to 1: the weights give back the sums of products."""
    widths, random = (8, 16, 4, 2), np.random.default_rng(3)
    measure = relations(*widths)
    rows = [[int(random.integers(0, width + 1)) for width in widths] for _ in range(50)]
    sizes = [size for size in measure.row_sizes for _ in range(9)]
    cells = np.array([a / b for a, b in zip(vector(measure, rows), sizes, strict=True)])
    centered = np.array(rows) * 2 / np.array(widths) - 1
    padded = np.column_stack([np.ones(len(rows)), centered])
    assert np.allclose(moment_weights(4) @ cells, padded.T @ padded)


# ---------------------------------------------------------------------- how far sums reach


def tail(weights: Sequence[float], distance: float) -> float:
    """P[|Σ w·Z| > distance] by partial fractions, in rationals: for weights that differ."""
    squares = [Fraction(one) ** 2 for one in weights]
    chance = Fraction(0)
    for place, one in enumerate(squares):
        part = Fraction(1)
        for other, two in enumerate(squares):
            if other != place:
                part *= one / (one - two)
        chance += part * Fraction(np.exp(-distance / weights[place]))
    return float(chance)


@examples(60)
@given(
    st.lists(st.integers(1, 400), min_size=1, max_size=9, unique=True),
    st.sampled_from([0.3, 0.05, 0.003, 1e-5, 1e-7]),
)
def test_a_sum_of_laplace_noise_reaches_as_far_as_partial_fractions_say(
    weights: list[int], miss: float
) -> None:
    found = laplace_sum_distance(np.array(weights, float), miss)
    at = [tail(list(map(float, weights)), found * part) for part in (1, 0.99)]
    assert at[0] <= miss * (1 + 1e-9)
    assert at[1] > miss or len(weights) == 1


def test_a_rare_miss_is_bounded_as_well() -> None:
    found = laplace_sum_distance(np.ones(3), 1e-12)
    assert 30 < found < 45
    assert tail([1, 0.999, 0.998], found) < 1e-12


def test_gaussian_noise_is_normal() -> None:
    noise = gaussian_noise(10**24, Fraction(1, 2))
    assert sum_distance(noise, (3.0, -4.0), Fraction(5, 100)) == pytest.approx(5 * 1.96, rel=1e-3)
    assert sum_distance(noise, (0.0,), Fraction(5, 100)) == 0


# ---------------------------------------------------------------------- intervals


class World:
    """Rows of columns within [0, 1], their tables, and noise on them, again and again."""

    def __init__(self, columns: Any, epsilon: str, *, gaussian: bool = False, seed: int = 0):
        self.random = np.random.default_rng(seed)
        self.measure = Relations(
            tuple(
                Steps(Named(f"c{place}"), Range(grid=Grid(-12), low=0, high=1 << 12))
                for place in range(len(columns))
            )
        )
        clipped = arrays.clip_together(columns, self.measure.values, keep_all=False)
        self.true = arrays.products(self.measure, clipped).open()
        self.places = np.array([one.values for one in clipped]) / 4096
        moved = self.measure.sensitivity(ADDED)
        self.noise: Any = (
            gaussian_noise(moved.squared_l2, Fraction(epsilon))
            if gaussian
            else self.measure.mechanism(ADDED, Fraction(epsilon))
        )
        self.gaussian = gaussian
        self.of = together([one.node for one in self.measure.values])

    def noisy(self) -> list[int]:
        scale, many = float(self.noise.steps), len(self.true)
        draw = self.random.normal if self.gaussian else self.random.laplace
        return [one + round(e) for one, e in zip(self.true, draw(0, scale, many), strict=True)]

    def truths(self) -> dict[str, float]:
        explained, *others = self.places
        design = np.column_stack([np.ones(explained.size), *others])
        found = np.linalg.lstsq(design, explained, rcond=None)[0]
        left = explained - design @ found
        names = ["intercept", *(f"c{place}" for place in range(1, len(found)))]
        truths = dict(zip(names, map(float, found), strict=True))
        truths["r2"] = float(1 - left.var() / explained.var())
        if len(others) == 1:
            truths["cov"] = float(np.cov(self.places, bias=True)[0, 1])
            truths["corr"] = float(np.corrcoef(self.places)[0, 1])
        return truths

    def decoder(self, name: str) -> Any:
        named = {"cov": COVARIANCE, "corr": CORRELATION}.get(name)
        aggregate = Aggregate(named or REGRESSION, self.of)
        part = "" if named else name
        output = Output(name, aggregate, self.measure, node=self.of, part=part)
        return self.measure.decoder(output, self.noise, ADDED, None)

    def covered(self, name: str, trials: int, confidence: str = "0.95") -> tuple[int, int]:
        decoder, truth, hits = self.decoder(name), self.truths()[name], 0
        for _ in range(trials):
            value, error = decoder(self.noisy())
            low, high = error.interval(value, Fraction(confidence))
            hits += low <= truth <= high
        return hits, trials


def line(rows: int, spread: float, noise: float, seed: int = 1) -> list[Any]:
    random = np.random.default_rng(seed)
    x = np.clip(random.normal(0.4, spread, rows), 0, 1)
    y = np.clip(0.2 + 0.5 * x + random.normal(0, noise, rows), 0, 1)
    return [y, x]


WORLDS = {
    "many rows": (line(20_000, 0.2, 0.1), "1", False),
    "many rows, Gaussian": (line(20_000, 0.2, 0.1), "1/2", True),
    "few rows": (line(800, 0.2, 0.1), "1", False),
    "hardly any spread": (line(2_000, 0.03, 0.05), "1", False),
    "at a bound": ([np.r_[np.full(899, 1.0), 0], np.r_[np.zeros(899), 0.01]], "1", False),
}


@pytest.mark.parametrize("name", ["c1", "intercept", "r2", "cov", "corr"])
@pytest.mark.parametrize("world", [one for one in WORLDS if one != "at a bound"])
def test_the_truth_is_in_the_interval_as_often_as_is_said(world: str, name: str) -> None:
    columns, epsilon, gaussian = WORLDS[world]
    one = World(columns, epsilon, gaussian=gaussian)
    most = 0.98 if world.startswith("many rows") else 1.0
    assert_covered(one.covered(name, rounds(600)), most=most)


@pytest.mark.parametrize("name", ["c1", "c2", "c3", "intercept", "r2"])
def test_so_is_that_of_several_columns(name: str) -> None:
    random = np.random.default_rng(5)
    y, x = line(20_000, 0.2, 0.1)
    columns = [y, x, np.clip(x / 2 + random.uniform(0, 0.5, x.size), 0, 1), random.random(x.size)]
    assert_covered(World(columns, "2").covered(name, rounds(150)))


@pytest.mark.parametrize("confidence", ["0.5", "0.999"])
def test_at_other_confidences_as_well(confidence: str) -> None:
    found = World(WORLDS["many rows"][0], "1").covered("c1", rounds(400), confidence)
    assert_covered(found, stated=float(confidence))


def test_where_columns_hardly_vary_the_bounds_are_still_right() -> None:
    one = World(WORLDS["at a bound"][0], "1")
    decoder = one.decoder("cov")
    truth = one.truths()["cov"]
    hits = 0
    for _ in range(rounds(200)):
        value, error = decoder(one.noisy())
        low, high = error.interval(value, Fraction(95, 100))
        hits += low <= truth <= high
    assert_covered((hits, rounds(200)))


def plugged_in(one: World, noisy: list[int]) -> tuple[float, float]:
    """Negative control: the noisy slope, and its error to first order at the noisy moments."""
    size = one.measure.row_sizes[0]
    weights, cells = moment_weights(2), np.array(noisy, float) / size
    sums = weights @ cells
    rows, means = sums[0, 0], sums[0] / sums[0, 0]
    spread = sums[2, 2] - rows * means[2] ** 2
    slope = (sums[1, 2] - rows * means[1] * means[2]) / spread
    across = weights[1, 2] - means[1] * weights[0, 2] - means[2] * weights[0, 1]
    across = across + means[1] * means[2] * weights[0, 0]
    own = weights[2, 2] - 2 * means[2] * weights[0, 2] + means[2] ** 2 * weights[0, 0]
    error = (across - slope * own) / spread * float(one.noise.steps) / size
    return float(slope), 1.96 * float(np.sqrt(2 * (error**2).sum()))


def test_a_plug_in_error_misses_where_the_noise_is_as_large_as_the_spread() -> None:
    """Negative control, to which the interval of the same numbers is compared."""
    random = np.random.default_rng(1)
    x = np.clip(random.normal(0.95, 0.2, 100), 0, 1)
    one = World([np.clip(3 * (x - 0.95) + 0.5, 0, 1), x], "1", seed=7)
    truth, decoder, trials = one.truths()["c1"], one.decoder("c1"), rounds(500)
    plain = ours = 0
    for _ in range(trials):
        noisy = one.noisy()
        slope, margin = plugged_in(one, noisy)
        plain += abs(slope - truth) <= margin
        value, error = decoder(noisy)
        low, high = error.interval(value, Fraction(95, 100))
        ours += low <= truth <= high
    assert_covered((ours, trials))
    with pytest.raises(AssertionError):
        assert_covered((plain, trials))


def test_what_noise_leaves_open_is_unbounded_and_says_what_it_would_take() -> None:
    wages, years = list(range(100)) * 2, [10] * 200
    fit = dp.regression(wages, years, bounds=[(0, 100), (0, 20)], epsilon="0.1")
    slope = fit["x1"]
    assert slope.interval() == (-inf, inf)
    assert isfinite(slope.value)
    assert "ridge" in slope.note
    assert "more rows, would give one" in slope.note or "times the ε" in slope.note
    assert fit["r2"].interval() == (0, 1)
    assert fit["count"].margin < 1000
    assert dp.corr(wages, years, bounds=[(0, 100), (0, 20)], epsilon="0.1").interval() == (-1, 1)


def test_nothing_but_noise_is_no_error() -> None:
    for neighbors in ("add-remove", "replace"):
        fit = dp.regression([], [], bounds=[(0, 1), (0, 1)], epsilon="0.001", neighbors=neighbors)
        assert all(isfinite(one.value) for one in fit.values())
        assert -1 <= dp.corr([], [], bounds=[(0, 1)] * 2, epsilon=1, neighbors=neighbors).value <= 1


@pytest.mark.parametrize("bounds", [(0, 1), (-3, 7), (1e-9, 2e-9), (-1e80, 1e90)])
def test_a_coefficient_is_in_the_columns_own_units(bounds: tuple[float, float]) -> None:
    low, high = bounds
    x = [low + (high - low) * place / 200 for place in range(201)] * 400
    y = [3 + 2 * place / 200 for place in range(201)] * 400
    fit = dp.regression(y, x, bounds=[(0, 10), bounds], epsilon=5)
    slope = 2 / (high - low)
    assert fit["x1"].value == pytest.approx(slope, rel=2e-2)
    assert fit["intercept"].value == pytest.approx(3 - slope * low, rel=3e-2, abs=0.03)
    assert fit["r2"].value == pytest.approx(1, abs=2e-2)
    found = dp.cov(y, x, bounds=[(0, 10), bounds], epsilon=5)
    assert found.value == pytest.approx(np.var(x) * slope, rel=2e-2)


def test_sums_of_a_group_without_rows_are_zero() -> None:
    assert relations(3, 4).vector(GroupSums(0)) == [0] * 9


def test_what_cannot_be_asked_is_refused() -> None:
    column = [1.0, 2.0]
    with pytest.raises(dp.QueryError, match="at least one"):
        dp.regression(column, bounds=[(0, 1)], epsilon=1)  # type: ignore[call-overload]
    with pytest.raises(dp.QueryError, match="8 at most"):
        dp.regression(column, *[column] * 9, bounds=[(0, 1)] * 10, epsilon=1)
    with pytest.raises(dp.BoundsError, match="pair for each"):
        dp.cov(column, column, bounds=(0, 1), epsilon=1)
    with pytest.raises(dp.DataError, match="different lengths"):
        dp.cov(column, [1.0], bounds=[(0, 1)] * 2, epsilon=1)
