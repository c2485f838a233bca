"""Section C of the mission: sensitivity and the Laplace mechanism."""

from fractions import Fraction
from itertools import product
from math import exp

import numpy as np
import pytest

import discreet as dp
from tests.support import drawn
from tests.support.evidence import agrees, frequency_agrees
from tests.support.neighbors import l1, removals, replacements

UNIVERSE = (0, 1, 2, 3)


def largest_move(query, neighbors, sizes=(1, 2, 3), universe=UNIVERSE):
    """The global sensitivity of a query by looking at every pair of neighbors."""
    worst = 0.0
    for size in sizes:
        for records in product(universe, repeat=size):
            others = (
                removals(records) if neighbors == "add-remove" else replacements(records, universe)
            )
            for other in others:
                worst = max(worst, l1(query(records), query(other)))
    return worst


def noise_per_unit(mechanism, epsilon=1):
    """The sensitivity that a Laplace mechanism was calibrated to."""
    return mechanism.scale * epsilon


def count_of_ones(records):
    return [sum(value == 1 for value in records)]


def histogram(records):
    return [sum(value == cell for value in records) for cell in UNIVERSE]


def two_counts(records):
    return [sum(value >= 1 for value in records), sum(value >= 2 for value in records)]


@pytest.mark.parametrize(
    ("query", "add_remove", "replace"),
    [(count_of_ones, 1, 1), (histogram, 1, 2), (two_counts, 2, 2)],
    ids=["count", "histogram", "k counts"],
)
def test_c1_counting_queries_by_every_pair_of_neighbors(query, add_remove, replace):
    assert largest_move(query, "add-remove") == add_remove
    assert largest_move(query, "replace") == replace


def test_c1_the_table_is_what_the_product_computes():
    data = list(range(1, 11)) * 10

    # count of records with a property: 1 and 1
    for relation in ("add-remove", "replace"):
        flags = [value > 5 for value in data]
        answer = dp.count(data, where=flags, epsilon=1, neighbors=relation)
        assert noise_per_unit(answer.mechanism) == 1

    # proportion with a property: 1/n under replace
    answer = dp.proportion([value > 5 for value in data], epsilon=1, neighbors="replace")
    ((weight, source),) = answer.error.terms
    assert weight * noise_per_unit(source.noise) == Fraction(1, len(data))

    # histogram over disjoint cells: 1 and 2, the factor 2 of swapping
    for relation, expected in (("add-remove", 1), ("replace", 2)):
        cells = dp.histogram(data, categories=range(1, 11), epsilon=1, neighbors=relation)
        assert {noise_per_unit(cell.mechanism) for cell in cells.values()} == {expected}

    # k arbitrary counting queries: k and k
    counts = dp.Laplace.calibrated(sensitivity=dp.Sensitivity(l1=5), epsilon=1)
    assert noise_per_unit(counts) == 5

    # sum of integers in [1, 10], no filter, no missing values: 10 and 9
    for relation, expected in (("add-remove", 10), ("replace", 9)):
        answer = dp.sum(data, bounds=(1, 10), grid=1, epsilon=1, neighbors=relation)
        assert noise_per_unit(answer.mechanism) == expected

    # average of heights in [1, 300]: 299/n under replace
    heights = [150, 160, 170, 180]
    answer = dp.mean(heights, bounds=(1, 300), epsilon=1, neighbors="replace")
    ((weight, source),) = answer.error.terms
    assert weight * noise_per_unit(source.noise) == Fraction(299, len(heights))


def test_c1_sum_max_and_average_by_every_pair_of_neighbors():
    tens = (1, 2, 10)
    assert largest_move(lambda r: [sum(r)], "add-remove", universe=tens) == 10
    assert largest_move(lambda r: [sum(r)], "replace", universe=tens) == 9

    def highest(records):
        return [max(records, default=1)]  # the empty set has the lower bound

    heights = (1, 150, 300)
    assert largest_move(highest, "add-remove", universe=heights) == 299
    assert largest_move(highest, "replace", universe=heights) == 299

    def average(records):
        return [sum(records) / len(records)]

    for n in (1, 2, 3):
        moved = largest_move(average, "replace", sizes=(n,), universe=heights)
        assert moved == pytest.approx(299 / n)


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_c1_the_products_own_function_says_299_for_the_largest_height(relation):
    # The highest of heights from 1 to 300 centimeters moves by 299, the average by 299/n.
    heights = (1, 150, 300)
    stated = dp.Sensitivity.of("max", bounds=(1, 300), neighbors=relation)
    assert stated.l1 == 299
    searched = dp.Sensitivity.over(
        lambda records: max(records, default=1), heights, records=3, neighbors=relation
    )
    assert searched == stated
    lowest = dp.Sensitivity.of("min", bounds=(1, 300), neighbors=relation)
    assert lowest == dp.Sensitivity.over(
        lambda records: min(records, default=300), heights, records=3, neighbors=relation
    )
    # The lectures' answer: the highest, with Laplace noise of scale 299/ε.
    naive = dp.Laplace.calibrated(sensitivity=stated, epsilon=1)
    assert naive.scale == 299
    assert dp.verify(naive, 1, 300).epsilon == 1
    # dp.max aims at ranks instead.  It is as private where the highest moves by 299, and nearer.
    crowd = [150] * 200
    answer = dp.max(crowd, bounds=(1, 300), grid=1, epsilon=1, neighbors=relation)
    assert answer.loss == dp.PureDP(epsilon=1)
    first, second = [149] * 20, [149] * 19 + [299]  # grid points above the lower bound
    assert dp.verify(answer.mechanism, first, second).epsilon <= 1
    assert dp.verify(answer.mechanism, first, [149] * 19 + [0]).epsilon <= 1


def test_c1_every_line_of_the_table_is_the_largest_move_of_all_neighbors():
    tens, n = (1, 4, 10), 3

    def average(records):
        return Fraction(sum(records), len(records))

    for relation in ("add-remove", "replace"):
        for name, query in (("sum", sum), ("count", len), ("histogram", histogram)):
            known = {"neighbors": relation, **({"bounds": (1, 10)} if name == "sum" else {})}
            universe = tens if name == "sum" else UNIVERSE
            found = dp.Sensitivity.over(query, universe, records=n, neighbors=relation)
            stated = dp.Sensitivity.of(name, **known)
            if (name, relation) == ("count", "replace"):
                assert found.l1 == 0, "of all records: their number does not change"
            else:
                assert found.l1 == stated.l1, name
        marked = dp.Sensitivity.over(count_of_ones, UNIVERSE, records=n, neighbors=relation)
        assert marked == dp.Sensitivity.of("count", neighbors=relation)
        # What the array functions calibrate to is the same.
        summed = dp.sum([1, 4, 10], bounds=(1, 10), grid=1, epsilon=1, neighbors=relation)
        stated = dp.Sensitivity.of("sum", bounds=(1, 10), neighbors=relation)
        assert noise_per_unit(summed.mechanism) == stated.l1
    fixed = {"neighbors": "replace", "records": n}
    found = dp.Sensitivity.over(average, tens, **fixed)
    assert found == dp.Sensitivity.of("mean", bounds=(1, 10), **fixed)
    assert found.l1 == Fraction(9, n)
    share = dp.Sensitivity.over(lambda r: average([v == 1 for v in r]), tens, **fixed)
    assert share == dp.Sensitivity.of("proportion", **fixed)
    for name in ("mean", "proportion"):
        with pytest.raises(dp.PrivacyParameterError, match="must be public"):
            dp.Sensitivity.of(name, bounds=(1, 10))
    for name in ("sum", "max", "min", "mean"):
        with pytest.raises(dp.BoundsError, match="needs bounds"):
            dp.Sensitivity.of(name, **fixed)


def test_c1_unbounded_data_are_refused_and_bounds_asked_for():
    for statistic in (dp.sum, dp.mean, dp.max, dp.min, dp.var, dp.std, dp.median):
        with pytest.raises(dp.BoundsError, match=r"bounds=\(0, 120\)"):
            statistic([1, 2, 3], epsilon=1)


def test_c2_the_law_of_laplace_noise_on_integers_and_on_a_fine_grid():
    # On integers: E|X| = 2q/(1 - q²) and P(|X| ≥ a) = 2q^a/(1 + q).
    for b in (1, 2, 5):
        mechanism = dp.Laplace(scale=b)
        q = exp(-1 / b)
        assert mechanism.mean_absolute_error == pytest.approx(2 * q / (1 - q * q))
        total = sum(mechanism.pmf(k) for k in range(-60 * b, 60 * b + 1))
        assert total == pytest.approx(1)
        for a in (1, 2, 7):
            beyond = 2 * sum(mechanism.pmf(k) for k in range(a, 60 * b))
            assert beyond == pytest.approx(2 * q**a / (1 + q))
    assert dp.Laplace(scale=1).mean_absolute_error == pytest.approx(0.851, abs=5e-4)

    # On a fine grid the lectures' formulas return: density, E|Z| = b and variance 2b².
    b, grid = 2.0, 2.0**-20
    fine = dp.Laplace(scale=2, grid=grid)
    for z in (0, 1, -3):
        assert fine.pmf(z) / grid == pytest.approx(exp(-abs(z) / b) / (2 * b), rel=1e-6)
    assert fine.mean_absolute_error == pytest.approx(b, rel=1e-6)
    assert fine.variance == pytest.approx(2 * b * b, rel=1e-6)

    draws = 500_000
    noise = np.asarray(dp.Laplace(scale=2)(np.zeros(draws, np.int64)))
    q = exp(-1 / 2)
    mean, square = 2 * q / (1 - q * q), 2 * q / (1 - q) ** 2
    assert agrees(float(np.abs(noise).mean()), mean, (square - mean**2) ** 0.5, draws)
    assert frequency_agrees(int(np.count_nonzero(np.abs(noise) >= 4)), 2 * q**4 / (1 + q), draws)
    assert not frequency_agrees(int(np.count_nonzero(np.abs(noise) >= 4)), q**4, draws), (
        "the check tells the integer law from the continuous one"
    )


def test_c3_the_laplace_mechanism_is_private_for_numbers_and_vectors():
    # The sliding property h(y)/h(y + d) ≤ exp(ε·|d|/GS), point by point.
    mechanism = dp.Laplace.calibrated(sensitivity=3, epsilon=1)
    for y, d in product(range(-10, 11), range(-3, 4)):
        assert mechanism.pmf(y) <= exp(abs(d) / 3) * mechanism.pmf(y + d) * (1 + 1e-12)
    for d in (1, 2, 3):
        assert dp.verify(mechanism, 0, d).epsilon == Fraction(d, 3)
    # Vectors, coordinate by coordinate: the L1 distance is what counts.
    for moved in ([3, 0], [1, 2], [-1, 1], [0, -3]):
        found = dp.verify(mechanism, [5, 5], [5 + moved[0], 5 + moved[1]])
        assert found.epsilon == Fraction(abs(moved[0]) + abs(moved[1]), 3)
    assert dp.verify(mechanism, [0, 0], [3, 3]).epsilon == 2, "more than GS apart costs more"


def test_c4_private_max_sum_and_histogram_of_integers_from_1_to_10():
    data = [3] * 40 + [7] * 40 + [10] * 20
    trials = 375
    highest = [dp.max(data, bounds=(1, 10), grid=1, epsilon=1).value for _ in range(trials)]
    assert set(highest) <= set(range(1, 11))
    assert np.mean(np.array(highest) == 10) > 0.9

    sums = np.array([dp.sum(data, bounds=(1, 10), grid=1, epsilon=1).value for _ in range(trials)])
    assert agrees(float(sums.mean()), sum(data), 10 * 2**0.5, trials)

    cells = dp.histogram(data, categories=range(1, 11), epsilon=1)
    assert list(cells) == list(range(1, 11))
    assert cells.loss == dp.PureDP(epsilon=1)
    assert all(abs(cells[value].value - data.count(value)) < 40 for value in cells)


def test_c3_changing_one_point_translates_the_curve():
    # The picture of the proof: two shifted laws, and the logarithm of their ratio within ±ε.
    mechanism = dp.Laplace.calibrated(sensitivity=1, epsilon="1/2")
    picture = mechanism.plot(0, 1)
    rows = drawn.rows(picture.spec, "height")
    heights = {(row["law"], row["output"]): row["height"] for row in rows}
    assert len(heights) == len(rows) > 40
    for (law, output), height in heights.items():
        center = 0 if law == "on 0" else 1
        assert height == mechanism.pmf(int(output) - center)
        if law == "on 0" and ("on 1", output + 1) in heights:
            assert heights["on 1", output + 1] == height, "translated"
    ratios = [row["ratio"] for row in drawn.rows(picture.spec, "ratio")]
    assert len(ratios) > 20
    assert all(abs(ratio) == pytest.approx(0.5, abs=1e-12) for ratio in ratios)
    assert "ε = 0.5" in str(picture.spec["title"])

    # Gaussian noise has no such bound: the logarithm of the ratio is a line that goes on.
    bell = dp.Gaussian(sigma=2).plot(0, 1)
    assert "No factor bounds the ratio" in str(bell.spec["title"])
    rows = drawn.rows(bell.spec, "ratio")
    assert len(rows) > 10
    for row in rows:
        assert row["ratio"] == pytest.approx((1 - 2 * row["output"]) / 8, abs=1e-9)


def test_c2_laplace_beside_gaussian():
    laplace, gaussian = dp.Laplace(scale=2), dp.Gaussian(sigma=2)
    picture = laplace.plot(beside=gaussian)
    rows = drawn.rows(picture.spec, "height")
    for row in rows:
        noise = laplace if row["law"].startswith("Laplace") else gaussian
        assert row["height"] == noise.pmf(int(row["output"]))
    assert {row["law"] for row in rows} == {"Laplace(scale=2)", "Gaussian(sigma=2)"}
    # On a fine grid the heights are the lectures' densities.
    rows = drawn.rows(dp.Laplace(scale=2, grid=2**-20).plot().spec, "height")
    assert len(rows) > 200
    assert all(
        row["height"] == pytest.approx(exp(-abs(row["output"]) / 2) / 4, rel=1e-6) for row in rows
    )
