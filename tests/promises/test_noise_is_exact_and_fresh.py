"""Promises 1, 10 and 15: noise on a grid, a fresh draw for each cell, and seeds that say so."""

import math

import numpy as np
import pandas
import pytest

import discreet as dp
from discreet.plan.schema import category
from discreet.privacy.losses import Budget
from discreet.question.builder import rows
from discreet.release.open_table import table

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


def test_promise_10_a_thousand_empty_keys_get_independent_noise() -> None:
    declared = {"key": category([f"k{place}" for place in range(1000)])}
    empty = pandas.DataFrame({"key": ["elsewhere"]})
    with table(
        empty, name="t", unit="row", budget=Budget(epsilon=9), columns=declared, ledger=":memory:"
    ) as opened:
        asks = opened.group_by("key").agg(n=rows())
        one, two = (asks.release(epsilon="1/10").column("n") for _ in range(2))
    first, second = (np.array([cell.value for cell in cells], float) for cells in (one, two))
    assert not np.array_equal(first, second)
    for noise in (first, second):
        # Laplace noise of scale 10 on integers: E|X| = 9.98 with deviation 10; 6 standard errors.
        assert abs(noise.mean()) < 6 * np.sqrt(200 / 1000)
        assert abs(np.abs(noise).mean() - 9.98) < 6 * np.sqrt(100 / 1000)
        neighbors = np.corrcoef(noise[:-1], noise[1:])[0, 1]
        assert abs(neighbors) < 6 / np.sqrt(1000)
    assert abs(np.corrcoef(first, second)[0, 1]) < 6 / np.sqrt(1000)
    # Negative control: one draw for all keys is seen.
    assert np.full(1000, first[0]).var() == 0


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
