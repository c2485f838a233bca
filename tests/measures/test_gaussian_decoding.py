"""95% intervals of all that sums answer hold under Gaussian noise, too, as often as they say.

A column is summed once; each trial adds fresh noise by the exact sampler and decodes it.
"""

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from discreet.exact import Grid, Range
from discreet.measures.counts import COUNT, ROWS, Rows
from discreet.measures.measure import Aggregate, GroupSums, Measure, Output, Statistic, Steps, Unit
from discreet.measures.moments import DEVIATION, MEAN, VARIANCE, Moments
from discreet.measures.sums import SUM, Total
from discreet.mechanisms.gaussian import Gaussian
from discreet.noise import Keystream
from discreet.plan.expressions import Named
from tests.support.evidence import most_misses

ROW_UNIT = Unit()
VALUES = np.random.default_rng(3).beta(1, 3, 400)
FINE = Steps(Named("x"), Range(grid=Grid(-20), low=-(3 << 20), high=7 << 20))
FLAGS = Steps(Named("x"), Range(grid=Grid(0), low=0, high=1))
TRIALS = 10_000


def column(value: Steps) -> np.ndarray[Any, Any]:
    """The places of all records above the lower bound."""
    if value is FLAGS:
        return (VALUES < 0.4).astype(np.int64)
    return (VALUES * value.range.width).astype(np.int64)


def sums(measure: Measure, value: Steps) -> list[int]:
    places = [int(place) for place in column(value)]
    squares = sum(place * place for place in places)
    return measure.vector(GroupSums(len(places) + 20, len(places), sum(places), squares))


def truth(statistic: Statistic, value: Steps) -> float:
    steps = column(value) + value.range.low
    numbers = steps * float(value.range.grid.step)
    return {
        "rows": numbers.size + 20,
        "count": numbers.size,
        "sum": numbers.sum(),
        "mean": numbers.mean(),
        "var": numbers.var(),
        "std": numbers.std(),
    }[statistic.name]


MOMENTS, SQUARES = Moments(FINE, rows=True), Moments(FINE, squares=True)
CASES: dict[str, tuple[Measure, Statistic, Steps]] = {
    "rows": (Rows(), ROWS, FINE),
    "rows of moments": (MOMENTS, ROWS, FINE),
    "count": (MOMENTS, COUNT, FINE),
    "sum": (Total(FINE), SUM, FINE),
    "sum of moments": (MOMENTS, SUM, FINE),
    "mean": (MOMENTS, MEAN, FINE),
    "mean beside a variance": (SQUARES, MEAN, FINE),
    "var": (SQUARES, VARIANCE, FINE),
    "std": (SQUARES, DEVIATION, FINE),
    "proportion": (Moments(FLAGS), MEAN, FLAGS),
}


@cache
def misses(name: str, sigma: Fraction, said: Fraction) -> int:
    """How often the truth is outside of intervals that are made for ``said`` times the noise."""
    measure, statistic, value = CASES[name]
    moved = measure.sensitivity(ROW_UNIT).l1
    noise, told = (Gaussian(sigma=part * sigma * moved) for part in (1, said))
    output = Output("", Aggregate(statistic, Named("x")), measure)
    decoded = measure.decoder(output, told, ROW_UNIT, None)
    true, answer = sums(measure, value), truth(statistic, value)
    draws = noise.draw(TRIALS * len(true), Keystream()).reshape(TRIALS, len(true))
    slack = 1e-9 * (1 + abs(answer))
    missed = 0
    for moves in draws.tolist():
        number, error = decoded([one + move for one, move in zip(true, moves, strict=True)])
        low, high = error.interval(number, Fraction(95, 100))
        missed += not low - slack <= answer <= high + slack
    return missed


SIGMAS = {name: Fraction(1, 8) if name in ("var", "std") else Fraction(8) for name in CASES}
"""In rows: the interval of a variance is a wide one where there are few rows for the noise."""
NAMED = [pytest.param(name, marks=[pytest.mark.slow] * (name == "std")) for name in CASES]


@pytest.mark.parametrize("name", NAMED)
def test_intervals_cover_as_often_as_they_say(name: str) -> None:
    """False alarms: below one in a million each."""
    assert misses(name, SIGMAS[name], Fraction(1)) <= most_misses(TRIALS, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_intervals_of_much_noise_cover_as_often_as_they_say(name: str) -> None:
    assert misses(name, Fraction(3, 2), Fraction(1)) <= most_misses(TRIALS, 0.05)


@pytest.mark.parametrize("name", NAMED)
def test_intervals_that_are_made_for_less_noise_are_caught(name: str) -> None:
    """The negative control: nine tenths of sigma."""
    assert misses(name, SIGMAS[name], Fraction(9, 10)) > most_misses(TRIALS, 0.05)
