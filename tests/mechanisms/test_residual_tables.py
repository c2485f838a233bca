"""Tables whose totals agree: what is measured, what it costs, and what becomes of it."""

from fractions import Fraction
from itertools import combinations, product
from math import prod, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.mechanisms.residual_tables import ROUNDED_FACTORS, Cell, Keys, ResidualTables
from tests.support.cases import each
from tests.support.table_twins import (
    least_squares,
    marginal,
    persons,
    places,
    queries,
    strategy_matrix,
    subsets,
)
from tests.support.trials import examples

ADULT = (100, 100, 100, 99, 85, 42, 16, 15, 9, 7, 6, 5, 2, 2)
"""How many values the columns of the Adult table have, as papers count them."""


def strategy(sizes: tuple[int, ...], tables: list[Keys] | None = None) -> ResidualTables:
    asked = tuple(subsets(len(sizes)) if tables is None else tables)
    return ResidualTables(sizes, asked, (Fraction(1),) * len(asked))


@st.composite
def strategies(draw: st.DrawFn) -> ResidualTables:
    sizes = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    tables = draw(st.lists(st.sampled_from(subsets(len(sizes))), min_size=1, unique=True))
    weights = draw(
        st.lists(st.integers(1, 9), min_size=len(tables), max_size=len(tables)).map(tuple)
    )
    return ResidualTables(sizes, tuple(tables), tuple(map(Fraction, weights)))


def drawn_cells(one: ResidualTables, data: st.DataObject, most: int = 9) -> dict[Keys, int]:
    finest = places(one.sizes, range(len(one.sizes)))
    numbers = data.draw(
        st.lists(st.integers(-most, most), min_size=len(finest), max_size=len(finest))
    )
    return dict(zip(finest, numbers, strict=True))


def arrays(one: ResidualTables, cells: dict[Keys, int]) -> dict[Keys, np.ndarray]:
    """The largest marginals, as an engine hands them over."""
    found = {}
    for keys in one.largest:
        shape = tuple(one.sizes[key] for key in keys)
        sums = list(marginal(cells, one.sizes, keys).values())
        found[keys] = np.array(sums, np.object_).reshape(shape)
    return found


@given(strategies(), st.data())
def test_what_is_measured_is_the_matrix_times_the_cells(
    one: ResidualTables, data: st.DataObject
) -> None:
    cells = drawn_cells(one, data)
    values = list(cells.values())
    naive = [sum(a * b for a, b in zip(row, values, strict=True)) for row in strategy_matrix(one)]
    assert one.measured(arrays(one, cells)).tolist() == naive
    assert len(naive) == one.size


@given(strategies(), st.data())
def test_integers_beyond_64_bits_are_measured_as_exactly(
    one: ResidualTables, data: st.DataObject
) -> None:
    cells = drawn_cells(one, data, most=10**25)
    values = list(cells.values())
    naive = [sum(a * b for a, b in zip(row, values, strict=True)) for row in strategy_matrix(one)]
    assert one.measured(arrays(one, cells)).tolist() == naive


@given(strategies(), st.data())
def test_every_cell_is_made_of_what_was_measured_as_least_squares_make_it(
    one: ResidualTables, data: st.DataObject
) -> None:
    noisy = data.draw(st.lists(st.integers(-(10**6), 10**6), min_size=one.size, max_size=one.size))
    matrix, found = strategy_matrix(one), one.reconstructed(noisy)
    for (keys, place), wanted in queries(one).items():
        weights = least_squares(matrix, wanted)
        naive = sum((w * y for w, y in zip(weights, noisy, strict=True)), Fraction(0))
        assert found[keys][place] == pytest.approx(float(naive), abs=1e-9)


@given(strategies(), st.data())
@examples(30)
def test_variances_and_covariances_are_those_of_the_matrix(
    one: ResidualTables, data: st.DataObject
) -> None:
    matrix, asked = strategy_matrix(one), queries(one)
    names = list(asked)
    sums: list[dict[Cell, float]] = []
    vectors = []
    for _ in range(2):
        chosen = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True))
        weights = {name: data.draw(st.integers(-3, 3)) for name in chosen}
        wanted = [
            sum(weight * asked[name][place] for name, weight in weights.items())
            for place in range(prod(one.sizes))
        ]
        sums.append({name: float(weight) for name, weight in weights.items()})
        vectors.append(least_squares(matrix, wanted))
    exact = float(sum(a * b for a, b in zip(*vectors, strict=True)))
    scale = sqrt(prod(float(sum(a * a for a in vector)) for vector in vectors))
    # What is stated takes the factors of rows as if nothing were rounded down, and adds a little.
    assert abs(one.covariance(*sums) - exact) <= 1e-3 * scale + 1e-15
    for vector, of in zip(vectors, sums, strict=True):
        own = float(sum(a * a for a in vector))
        assert own - 1e-18 <= one.covariance(of, of) <= own * float(ROUNDED_FACTORS) ** 2 + 1e-18
    for keys, place in names:
        assert float(one.variance(keys, place)) == pytest.approx(
            one.covariance({(keys, place): 1.0}, {(keys, place): 1.0}), rel=1e-9
        )


# ---------------------------------------------------------------------- what it costs


def squared(vector: list[int]) -> int:
    return sum(one * one for one in vector)


def columns(one: ResidualTables) -> list[list[int]]:
    return [list(column) for column in zip(*strategy_matrix(one), strict=True)]


@given(strategies())
def test_no_column_is_longer_than_the_norm_that_is_priced(one: ResidualTables) -> None:
    norm = one.squared_norm()
    longest = max(map(squared, columns(one)))
    assert longest <= norm
    assert longest >= norm * (1 - Fraction(1, 1000))


@given(strategies())
def test_no_two_columns_are_farther_apart_than_is_priced_for_replaced_units(
    one: ResidualTables,
) -> None:
    found = columns(one)
    pairs = product(found, repeat=2)
    farthest = max(squared([a - b for a, b in zip(*pair, strict=True)]) for pair in pairs)
    priced = one.squared_norm(replaced=True)
    longest = max(map(squared, found))
    assert max(farthest, longest) <= priced
    if max(one.sizes) > 1:  # and no more is paid than the worst pair needs
        assert priced <= max(farthest, longest) * (1 + Fraction(1, 500))


def test_of_too_many_keys_each_block_is_taken_at_its_worst(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exact = strategy((2, 3, 2)).squared_norm(replaced=True)
    monkeypatch.setattr("discreet.mechanisms.residual_tables._MOST_COMPARED", 1)
    assert strategy((2, 3, 2)).squared_norm(replaced=True) >= exact


@each("neighbors", ["add-remove", "replace", "replace-signed"])
@each("asked", [[(0, 1), (0,), (1,), ()], [(0, 1)], [(0,), (1,)]])
def test_no_person_moves_the_vector_farther_than_is_priced(
    neighbors: str, asked: list[Keys]
) -> None:
    """All persons with up to three rows, weighed by L1 shares, in all pairs of neighbors."""
    one, cap, share = strategy((2, 2), asked), 2, 6
    matrix = strategy_matrix(one)
    held = []
    for rows in persons(4, 3):
        weight = share * cap // max(sum(rows), cap)
        signs = product((1, -1), repeat=4) if neighbors == "replace-signed" else [(1,) * 4]
        for sign in signs:
            cells = [weight * many * way for many, way in zip(rows, sign, strict=True)]
            held.append([sum(a * b for a, b in zip(row, cells, strict=True)) for row in matrix])
    nobody = [[0] * len(matrix)]
    others = nobody if neighbors == "add-remove" else held
    farthest = max(
        squared([a - b for a, b in zip(first, second, strict=True)])
        for first, second in product(held, others)
    )
    priced = (share * cap) ** 2 * one.squared_norm(
        replaced=neighbors != "add-remove", signed=neighbors == "replace-signed"
    )
    assert farthest <= priced
    assert farthest >= priced * (1 - Fraction(1, 500))


def test_a_column_that_is_one_short_is_seen() -> None:
    """The negative control: what the tests above compare tells a norm that is too small."""
    one = strategy((2, 3))
    assert max(map(squared, columns(one))) > one.squared_norm() * (1 - Fraction(1, 100))


def test_replacing_costs_more_than_adding() -> None:
    one = strategy((3, 3))
    found = columns(one)
    farthest = max(
        squared([a - b for a, b in zip(x, y, strict=True)]) for x in found for y in found
    )
    assert farthest > one.squared_norm()


def test_shares_in_l2_would_cost_far_more() -> None:
    """Of a person with a row in each cell, weights in L2 add up to more than the cap."""
    one = strategy((4, 4))
    every, cap = [4.0**-1 * 4] * 16, 4.0  # 16 rows, √(cap²/16) = 1 each
    moved = [sum(a * b for a, b in zip(row, every, strict=True)) for row in strategy_matrix(one)]
    assert sum(a * a for a in moved) > cap**2 * float(one.squared_norm())


@each("cell", [0, 1, 3])
@each("order", [1.5, 2.0, 16.0])
def test_renyi_divergence_of_the_noise_is_within_the_price(cell: int, order: float) -> None:
    """By summing the law: of each coordinate of a tiny strategy, for a person in one cell."""
    one = strategy((2, 2))
    variance = 2.0 * float(one.squared_norm())
    column = columns(one)[cell]
    total = 0.0
    for moved in column:
        reach = int(40 * sqrt(variance)) + int(order) * abs(moved)
        values = np.arange(-reach, reach + 1, dtype=np.float64)
        powers = -(order * values**2 + (1 - order) * (values - moved) ** 2) / (2 * variance)
        largest = float(powers.max())
        whole = np.exp(-(values**2) / (2 * variance)).sum()
        total += (largest + float(np.log(np.exp(powers - largest).sum() / whole))) / (order - 1)
    priced = order * float(one.squared_norm()) / (2 * variance)
    assert priced * (1 - 1e-3) <= total <= priced * (1 + 1e-9)


# ---------------------------------------------------------------------- how exact it is


@each("ways, stated", [((1,), 3.047), ((2,), 6.359), ((3,), 10.515), ((0, 1, 2, 3), 10.665)])
def test_errors_are_those_of_the_best_strategies_that_are_known(
    ways: tuple[int, ...], stated: float
) -> None:
    """The root of the mean variance of a cell, at the price of one count of variance 1."""
    tables = [keys for many in ways for keys in combinations(range(len(ADULT)), many)]
    one = strategy(ADULT, tables)
    total = sum(one.cells_of(keys) * one.variance(keys) for keys in one.tables)
    assert sqrt(total / one.cells * one.squared_norm()) == pytest.approx(stated, rel=0.01)


@given(strategies(), st.data())
@examples(30)
def test_no_other_precisions_have_a_smaller_sum_of_variances(
    one: ResidualTables, data: st.DataObject
) -> None:
    """Precisions that differ, at the same price, in the same closed form."""

    def variances(precisions: dict[Keys, Fraction]) -> Fraction:
        sums = Fraction(0)
        parts = {block.keys: block.part for block in one.blocks}
        for table, weight in zip(one.tables, one.weights, strict=True):
            for many in range(len(table) + 1):
                for keys in combinations(table, many):
                    if keys in parts:
                        rest = one.cells_of(table) // one.cells_of(keys)
                        cell = parts[keys] / precisions[keys] / rest**2
                        sums += weight * one.cells_of(table) * cell
        price = sum((parts[keys] * one for keys, one in precisions.items()), Fraction(0))
        return sums * price

    own = {block.keys: Fraction(block.precision) for block in one.blocks}
    other = {keys: value * data.draw(st.integers(1, 40)) / 20 for keys, value in own.items()}
    assert variances(own) <= variances(other) * (1 + Fraction(1, 10**6))


# ---------------------------------------------------------------------- whole numbers


@given(strategies(), st.data())
def test_totals_of_whole_numbers_agree_and_none_is_far_from_its_own(
    one: ResidualTables, data: st.DataObject
) -> None:
    noisy = data.draw(st.lists(st.integers(-(10**6), 10**6), min_size=one.size, max_size=one.size))
    tables = one.reconstructed(noisy)
    whole = one.rounded(tables, 1.0)
    for keys in one.marginals:
        for axis, key in enumerate(keys):
            rest = tuple(other for other in keys if other != key)
            assert (whole[keys].sum(axis=axis) == whole[rest]).all()
        for place in np.ndindex(*whole[keys].shape):
            off = abs(float(whole[keys][place]) - float(tables[keys][place]))
            assert off <= one.slack({(keys, place): 1.0}) + 1e-6
            assert one.slack({(keys, place): 1.0}) <= 2.0 ** (len(keys) - 1)


@given(strategies(), st.data())
@examples(30)
def test_sums_of_cells_are_no_farther_off_than_is_stated(
    one: ResidualTables, data: st.DataObject
) -> None:
    noisy = data.draw(st.lists(st.integers(-999, 999), min_size=one.size, max_size=one.size))
    tables = one.reconstructed(noisy)
    whole, names = one.rounded(tables, 1.0), list(queries(one))
    chosen = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=6, unique=True))
    weights = {name: float(data.draw(st.integers(-3, 3))) for name in chosen}
    off = sum(
        weight * (float(whole[keys][place]) - float(tables[keys][place]))
        for (keys, place), weight in weights.items()
    )
    assert abs(off) <= one.slack(weights) + 1e-6


def test_a_whole_row_of_cells_is_as_close_as_its_total() -> None:
    one = strategy((5, 7))
    row = {((0, 1), (2, at)): 1.0 for at in range(7)}
    assert one.slack(row) == one.slack({((0,), (2,)): 1.0}) == 1.0
