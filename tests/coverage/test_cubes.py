"""Intervals of cells, totals and what is computed of them hold the truth as often as is stated."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.question.builder import col, rows
from discreet.question.query import GroupingSets, RunningTotal
from tests.support.coverage import assert_covered
from tests.support.simulated_cubes import KEYS, Simulated, question, truth
from tests.support.trials import rounds

TRIALS = 10_000
TABLES = ((0, 1, 2), (0, 1), (1, 2), (0,), (1,), ())
COUNTS = np.random.default_rng(7).integers(0, 300, (2, 3, 4))
DAYS = np.random.default_rng(8).integers(0, 100, 30)

CELL, OTHER = ((0, 1, 2), (0, 1, 2)), ((0, 1, 2), (1, 1, 2))
MARGIN, TOTAL = ((0,), (0,)), ((), ())

Ask = Callable[[Mapping[Any, Any]], Any]
ASKED: dict[str, Ask] = {
    "a cell": lambda of: of[CELL],
    "a margin": lambda of: of[MARGIN],
    "the total": lambda of: of[TOTAL],
    "a difference of cells": lambda of: of[CELL] - of[OTHER],
    "a sum of cells": lambda of: of[CELL] + of[OTHER],
    "a cell of its total": lambda of: of[CELL] / of[MARGIN],
    "a cell and tables without it": lambda of: 2 * of[CELL] - of[(1, 2), (0, 3)] + of[TOTAL],
}


def judged(one: Simulated, true: Mapping[Any, float], most: float, usual: int = TRIALS) -> None:
    hits = dict.fromkeys(ASKED, 0)
    trials = rounds(usual)
    for _ in range(trials):
        found = one.released()
        for name, ask in ASKED.items():
            low, high = ask(found).interval()
            hits[name] += low <= ask(true) <= high
    for name, many in hits.items():
        assert_covered((many, trials), most=1.0 if "of its" in name else most)


@pytest.mark.slow
def test_counts_of_cells_and_totals() -> None:
    one = Simulated(question(KEYS, GroupingSets(TABLES), rows()), [COUNTS], Fraction(1, 5000))
    true = {(keys, place): truth(COUNTS, keys, place) for keys, place in one.places}
    judged(one, true, 0.98)


@pytest.mark.slow
def test_sums_of_cells_and_totals() -> None:
    asked = question(KEYS, GroupingSets(TABLES), col("stay").sum())
    values = COUNTS * 3
    one = Simulated(asked, [values.astype(object)], Fraction(1, 2000))
    true = {(keys, place): truth(values, keys, place) for keys, place in one.places}
    judged(one, true, 0.97)


@pytest.mark.slow
def test_means_of_cells_and_totals() -> None:
    """Each mean is covered by itself: of two means only both intervals together are known."""
    asked = question(KEYS, GroupingSets(TABLES), col("stay").mean())
    above = COUNTS * 3
    one = Simulated(asked, [above, COUNTS * 10 - above], Fraction(1, 100))
    trials, places = rounds(TRIALS // 5), [CELL, MARGIN, TOTAL]
    hits = dict.fromkeys(places, 0)
    for _ in range(trials):
        found = one.released()
        for place in places:
            low, high = found[place].interval()
            hits[place] += low <= 3.0 <= high
    for many in hits.values():
        assert_covered((many, trials), most=0.98)


@pytest.mark.slow
def test_running_totals_and_sums_of_intervals() -> None:
    one = Simulated(question(("day",), RunningTotal(0), rows()), [DAYS], Fraction(1, 5000))
    true = np.cumsum(DAYS)
    trials, hits = rounds(TRIALS), [0, 0, 0]
    for _ in range(trials):
        found = one.released()
        for number, (first, last) in enumerate([(None, 29), (4, 5), (3, 20)]):
            low, high = (
                found[(0,), (last,)]
                if first is None
                else found[(0,), (last,)] - found[(0,), (first,)]
            ).interval()
            exact = true[last] - (0 if first is None else true[first])
            hits[number] += low <= exact <= high
    for many in hits:
        assert_covered((many, trials), most=0.98)


def test_all_cells_are_of_one_noise_and_what_cancels_leaves_nothing() -> None:
    one = Simulated(question(KEYS, GroupingSets(TABLES), rows()), [COUNTS], Fraction(1, 50))
    found = one.released()
    cells = [found[(0, 1), (0, ward)] for ward in range(3)]
    rest = cells[0] + cells[1] + cells[2] - found[MARGIN]
    assert rest.value == 0
    assert rest.interval() == (0, 0)


def test_intervals_of_half_the_noise_do_not_cover() -> None:
    """The negative control: the judgment sees noise that is stated as half of what it is."""
    one = Simulated(question(KEYS, GroupingSets(TABLES), rows()), [COUNTS], Fraction(1, 5000))
    trials, hits = 600, 0
    for _ in range(trials):
        cell = one.released()[CELL]
        low, high = cell.interval()
        hits += low + (high - low) / 4 <= truth(COUNTS, *CELL) <= high - (high - low) / 4
    with pytest.raises(AssertionError, match="hold the truth"):
        assert_covered((hits, trials))
