"""The promises about the guarantee itself, each with the test that would catch its breach."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product
from threading import Thread

import numpy as np
import pytest

import discreet as dp
from discreet.engines import arrays
from discreet.exact import Grid, Range

ODD = (math.nan, math.inf, -math.inf, -0.0, 5e-324, None, 2.0**53, 2**63 - 1, -1.8e308, "x", [])


def bounded(low=0, high=10, step=1):
    grid = Grid.of(step)
    return Range(grid=grid, low=grid.index(Fraction(low)), high=grid.index(Fraction(high)))


def aggregates(values, keep_all, bounds):
    """Every un-noised aggregate of a column as one dictionary of integer vectors."""
    column = arrays.clip(values, bounds, keep_all=keep_all)
    return {
        "sum": [arrays.total(column, bounds.low).open()],
        "mean": list(arrays.distances(column).open()),
        "var": list(arrays.squares(column).open()),
        "moments": [part.open() for part in arrays.moments(column)],
        "tally": arrays.tally(column).open().tolist(),
        "bins": arrays.bins(values, [0, 5, 10]).open().tolist(),
        "categories": arrays.categories(values, [0, 1, 2, 3]).open().tolist(),
        "count": [arrays.count(values).open()],
    }


def limits(bounds, replace):
    """How far one record may move each aggregate in L1."""
    width = bounds.width
    return {
        "sum": width if replace else bounds.farthest,
        "mean": 2 * width if replace else width,
        "var": 2 * width**2 if replace else width**2,
        "tally": 2 if replace else 1,
        "bins": 2 if replace else 1,
        "categories": 2 if replace else 1,
        "count": 1,
    }


def moved(first, second):
    return sum(abs(int(a) - int(b)) for a, b in zip(first, second, strict=True))


# ---------------------------------------------------------------------- 1


def test_promise_1_the_reachable_outputs_do_not_depend_on_the_true_value():
    mechanism = dp.Laplace(scale=3, grid=2**-4)
    reached = {0: set(), 1: set()}
    for true in reached:
        outputs = np.asarray(mechanism(np.full(200_000, float(true))))
        steps = outputs * 2**4
        assert np.all(steps == np.floor(steps)), "every output is on the grid"
        reached[true] = set(outputs[np.abs(outputs - 0.5) < 4].tolist())
    # Within reach both values reach every grid point, and no other number.
    everywhere = {k / 2**4 for k in range(-55, 72)}
    assert reached[0] == reached[1] == everywhere

    # Negative control: float noise on floats is told apart by its reachable outputs.
    uniform = np.arange(1, 4097) / 4097
    noise = -3 * np.log(uniform)
    assert set((0.1 + noise).tolist()) != set((1.1 + noise - 1).tolist())


# ---------------------------------------------------------------------- 2


def test_promise_2_sums_do_not_depend_on_order_or_on_float_rounding():
    values = [1e16, 1.0, -1e16, 0.1, 3.7, 2**53 + 2.0, -0.0] * 50
    bounds = bounded(-(10**17), 10**17, Fraction(1, 8))
    forward = aggregates_of_sum(values, bounds)
    shuffled = aggregates_of_sum(values[::-1], bounds)
    parts = sum(aggregates_of_sum(values[k : k + 7], bounds) for k in range(0, len(values), 7))
    assert forward == shuffled == parts
    assert sum(values) != math.fsum(values), "a float sum would depend on the order"


def aggregates_of_sum(values, bounds):
    return arrays.total(arrays.clip(values, bounds, keep_all=False), bounds.low).open()


@pytest.mark.parametrize("edge", [2**53, 2**63 - 1, 2**53 + 1, 1.7e308, -1.7e308, -(2**63)])
def test_promise_2_neighbors_differ_by_at_most_the_sensitivity_at_the_extremes(edge):
    for low, high in ((0, 10), (-(2**40), 2**40), (Fraction(-1, 3), Fraction(2, 3))):
        bounds = bounded(low, high, Fraction(1, 2**10))
        data = [edge] * 40 + [1, 2]
        gap = aggregates_of_sum([*data, edge], bounds) - aggregates_of_sum(data, bounds)
        assert abs(gap) <= bounds.farthest


# ---------------------------------------------------------------------- 3


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_promise_3_an_odd_record_follows_one_rule_and_moves_no_more_than_any_other(odd):
    data = [1, 2.5, 9, 3]
    bounds = bounded()
    for replace in (False, True):
        before = aggregates(data if not replace else [*data, 4], replace, bounds)
        after = aggregates([*data, odd], replace, bounds)
        for name, limit in limits(bounds, replace).items():
            assert moved(before[name], after[name]) <= limit, name


# ---------------------------------------------------------------------- 5


def test_promise_5_what_is_missing_is_refused_and_shapes_tell_nothing():
    data = [1, 2, 3]
    for ask in (dp.sum, dp.mean, dp.var, dp.std, dp.min, dp.max, dp.median):
        with pytest.raises(dp.BoundsError, match="never reads them from the data"):
            ask(data, epsilon=1)
    for ask in (dp.histogram, dp.most_common):
        with pytest.raises(dp.BoundsError, match="public"):
            ask(data, epsilon=1)
    neighbors = ([], [5], ["x"], [1e9] * 1000)
    shapes = set()
    for values in neighbors:
        cells = dp.histogram(values, categories=["b", "a", 5], epsilon=1)
        answer = dp.sum(values, bounds=(0, 10), epsilon=1)
        shapes.add(
            (
                tuple(cells),
                cells.loss,
                type(answer.value),
                answer.mechanism,
                answer.margin,
                answer.note,
            )
        )
    assert len(shapes) == 1


# ---------------------------------------------------------------------- 8 and 9


def every_data_set(universe, sizes):
    for size in sizes:
        yield from combinations_with_replacement(universe, size)


def neighbors_of(records, universe, replace):
    if replace:
        for place, value in product(range(len(records)), universe):
            yield (*records[:place], value, *records[place + 1 :])
    else:
        for value in universe:
            yield (*records, value)


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_promise_8_and_9_no_pair_of_neighbors_costs_more_than_the_claim(relation):
    # Laplace noise on integer vectors: the loss on a pair is Σ |difference|/scale, exactly.
    replace = relation == "replace"
    bounds = bounded(1, 4)
    universe = (1, 2, 3, 4, None)
    epsilon = Fraction(1)
    worst = dict.fromkeys(("sum", "mean", "var"), Fraction(0))
    width = bounds.width
    for records in every_data_set(universe, (1, 2, 3)):
        before = aggregates(list(records), replace, bounds)
        for other in neighbors_of(records, universe, replace):
            after = aggregates(list(other), replace, bounds)
            loss = {
                "sum": Fraction(
                    moved(before["sum"], after["sum"]), width if replace else bounds.farthest
                ),
                "mean": Fraction(moved(before["mean"], after["mean"]), width)
                if not replace
                else Fraction(moved(before["sum"], after["sum"]), width),
                "var": Fraction(moved(before["var"], after["var"]), width**2)
                if not replace
                else Fraction(abs(before["moments"][0] - after["moments"][0]) * 8, 9 * width)
                + Fraction(abs(before["moments"][1] - after["moments"][1]) * 16, 9 * width**2),
            }
            for name, value in loss.items():
                worst[name] = max(worst[name], value * epsilon)
    assert all(value <= epsilon for value in worst.values())
    assert worst["sum"] == worst["mean"] == epsilon, "and the claim is reached"

    # The shipped functions use these very scales.
    data = [1, 2, 3, 4]
    scale = dp.sum(data, bounds=(1, 4), grid=1, epsilon=1, neighbors=relation).mechanism.scale
    assert scale == (3 if replace else 4)
    spread = dp.var(data, bounds=(1, 4), epsilon=1, neighbors=relation).mechanism
    assert isinstance(spread, tuple) == replace


# ---------------------------------------------------------------------- 10


def test_promise_10_a_thousand_empty_cells_get_a_thousand_draws():
    names = list(range(1000))
    first = np.array(
        [cell.value for cell in dp.histogram([], categories=names, epsilon="0.01").values()]
    )
    again = np.array(
        [cell.value for cell in dp.histogram([], categories=names, epsilon="0.01").values()]
    )
    # Scale 100: two cells agree with probability about 1/400, so 1,000 cells hold many values.
    assert len(set(first.tolist())) > 250
    assert (first == again).mean() < 0.05
    # Neighboring cells are uncorrelated: six standard errors, and one draw for all is found out.
    for left, right in ((first[:-1], first[1:]), (first, again)):
        assert abs(np.corrcoef(left, right)[0, 1]) < 6 / math.sqrt(len(left))
    shared = np.full(1000, first[0]) + np.arange(1000) % 2
    assert len(set(shared.tolist())) <= 250


# ---------------------------------------------------------------------- 11


def test_promise_11_arithmetic_of_losses_is_exact():
    with dp.spending(dp.Budget(epsilon=1)) as account:
        for _ in range(10):
            dp.count([1], epsilon=0.1)
        with pytest.raises(dp.BudgetExhaustedError):
            dp.count([1], epsilon="1e-6")
    assert account.spent.epsilon == 1
    assert sum([0.1] * 10) != 1, "floats would have lost it"


def test_promise_11_threads_do_not_overspend():
    with dp.spending(dp.Budget(epsilon=1)) as account:

        def ask():
            for _ in range(20):
                try:
                    account.charge(dp.PureDP(epsilon="0.01"))
                except dp.BudgetExhaustedError:
                    return

        threads = [Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert account.spent.epsilon == 1


# ---------------------------------------------------------------------- 15


def test_promise_15_a_seed_is_only_taken_by_an_object_that_says_it_is_unsafe():
    def ask(seed):
        return dp.count(range(100), epsilon=1, source=dp.UnsafeSeededBits(seed))

    assert ask(7).value == ask(7).value
    assert len({ask(seed).value for seed in range(30)}) > 3
    assert not ask(7).safe
    assert "UNSAFE" in repr(ask(7))
    derived = ask(7) + dp.count(range(100), epsilon=1)
    assert not derived.safe, "what is made from it is marked, too"
    assert dp.count(range(100), epsilon=1).safe
    with pytest.raises(TypeError):
        dp.count(range(100), epsilon=1, seed=7)
