"""Promises 2 and 11: sums do not depend on order or rounding, and losses add up."""

import math
from fractions import Fraction
from threading import Thread

import pytest

import discreet as dp
from discreet.engines import arrays
from tests.promises.aggregates import bounded
from tests.support import array_sums

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
    return array_sums.total(arrays.clip(values, bounds, keep_all=False), bounds.low).open()


@pytest.mark.parametrize("edge", [2**53, 2**63 - 1, 2**53 + 1, 1.7e308, -1.7e308, -(2**63)])
def test_promise_2_neighbors_differ_by_at_most_the_sensitivity_at_the_extremes(edge):
    for low, high in ((0, 10), (-(2**40), 2**40), (Fraction(-1, 3), Fraction(2, 3))):
        bounds = bounded(low, high, Fraction(1, 2**10))
        data = [edge] * 40 + [1, 2]
        gap = aggregates_of_sum([*data, edge], bounds) - aggregates_of_sum(data, bounds)
        assert abs(gap) <= bounds.farthest


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
