"""Intervals of counts that are moved to be non-negative hold the truth as often as is stated."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.privacy.estimates import summed
from discreet.question.arrangements import subsets
from discreet.question.builder import rows
from discreet.question.query import GroupingSets, RunningTotal
from discreet.release.consistent import nearest_shares
from tests.support.coverage import assert_covered
from tests.support.simulated_cubes import KEYS, Simulated, question, truth
from tests.support.trials import rounds

TRIALS = 1_000
RHO = Fraction(1, 5000)
SPARSE = np.zeros((2, 3, 4), dtype=np.int64)
SPARSE[0, 0, 0], SPARSE[1, 2, 3], SPARSE[0, 1, 2] = 300, 40, 5
DAYS = np.where(np.arange(30) % 10 == 9, 200, 0)

FINEST = (0, 1, 2)
FULL, SMALL, EMPTY = (FINEST, (0, 0, 0)), (FINEST, (1, 2, 3)), (FINEST, (1, 0, 0))
FIRST, LAST, TOTAL = ((0,), (1,)), ((2,), (1,)), ((), ())
WITHOUT = [(FINEST, place) for place in np.ndindex(2, 3, 4) if not SPARSE[place]]
"""The cells without anybody."""

Ask = Callable[[Mapping[Any, Any]], Any]
ASKED: dict[str, Ask] = {
    "a full cell": lambda of: of[FULL],
    "a small cell": lambda of: of[SMALL],
    "an empty cell": lambda of: of[EMPTY],
    "a margin of the first key": lambda of: of[FIRST],
    "an empty margin of the last key": lambda of: of[LAST],
    "the total": lambda of: of[TOTAL],
    "a difference": lambda of: of[FULL] - of[SMALL],
    "a difference of margins": lambda of: of[(2,), (0,)] - of[LAST],
    "the sum of the empty cells": lambda of: sum((of[one] for one in WITHOUT[1:]), of[WITHOUT[0]]),
    "a cell of the total": lambda of: of[FULL] / of[TOTAL],
}


def cube(*, nonnegative: bool) -> Simulated:
    asked = question(KEYS, GroupingSets(subsets(3)), rows(), nonnegative=nonnegative)
    return Simulated(asked, [SPARSE], RHO)


def test_cells_totals_and_what_is_computed_of_them() -> None:
    one = cube(nonnegative=True)
    true = {(keys, place): truth(SPARSE, keys, place) for keys, place in one.places}
    hits, trials = dict.fromkeys(ASKED, 0), rounds(TRIALS)
    for _ in range(trials):
        found = one.released()
        for name, ask in ASKED.items():
            low, high = ask(found).interval()
            hits[name] += low <= ask(true) <= high
    for many in hits.values():
        assert_covered((many, trials))


def test_running_totals_and_their_differences() -> None:
    asked = question(("day",), RunningTotal(0), rows(), nonnegative=True)
    one, true = Simulated(asked, [DAYS], RHO), np.cumsum(DAYS)
    days = [0, 8, 9, 18, 29]
    trials, hits = rounds(TRIALS), np.zeros((2, len(days)))
    for _ in range(trials):
        found = one.released()
        for place, day in enumerate(days):
            total, earlier = found[(0,), (day,)], found[(0,), (days[place - 1],)]
            for row, (number, exact) in enumerate(
                [(total, true[day]), (total - earlier, true[day] - true[days[place - 1]])]
            ):
                low, high = number.interval()
                hits[row, place] += low <= exact <= high
    for many in hits.ravel():
        assert_covered((int(many), trials))


WIDE_KEYS, WIDE_TABLES = ("ward", "age", "day"), (FINEST, (0,), ())


def wide(cells: Any, *, nonnegative: bool) -> Simulated:
    asked = question(WIDE_KEYS, GroupingSets(WIDE_TABLES), rows(), nonnegative=nonnegative)
    return Simulated(asked, [cells], RHO)


def test_the_margin_of_the_measurement_around_a_moved_sum_does_not_cover() -> None:
    """The negative control: empty cells lean upward together, which their noise does not know."""
    cells = np.random.default_rng(3).integers(0, 2, (3, 4, 30)) * 1000
    empty = [(FINEST, place) for place in np.ndindex(cells.shape) if not cells[place]]
    measured = wide(cells, nonnegative=False).released()
    margin = summed([measured[one] for one in empty]).margin
    assert margin is not None
    one, trials, hits, held = wide(cells, nonnegative=True), rounds(60), 0, 0
    for _ in range(trials):
        found = one.released()
        total = summed([found[place] for place in empty])
        hits += abs(total.value) <= margin
        held += total.interval()[0] <= 0 <= total.interval()[1]
    assert_covered((held, trials))
    with pytest.raises(AssertionError, match="hold the truth"):
        assert_covered((hits, trials))


def test_margins_are_nearer_than_if_all_cells_were_moved_at_once() -> None:
    """Why the total is shared out key by key: docs/decisions/nonnegative_counts.md."""
    cells = np.zeros((3, 4, 30), dtype=np.int64)
    cells[0, 0, :10], cells[1, 2, 3:6] = 400, 100
    measured, moved = wide(cells, nonnegative=False), wide(cells, nonnegative=True)
    at_once = by_keys = 0.0
    for _ in range(rounds(20)):
        found, other = measured.released(), moved.released()
        row = np.array([[found[FINEST, place].value for place in np.ndindex(cells.shape)]])
        margins = nearest_shares(row, row.sum(axis=1)).reshape(3, -1).sum(axis=1)
        for ward, exact in enumerate(cells.sum(axis=(1, 2))):
            at_once += float(margins[ward] - exact) ** 2
            by_keys += (other[(0,), (ward,)].value - exact) ** 2
    assert at_once > 4 * by_keys
