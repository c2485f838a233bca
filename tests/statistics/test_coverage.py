"""95% intervals hold the truth at least 95 times in a hundred, on few records and on many."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet.mechanisms.laplace import Laplace
from discreet.privacy import uncertainty
from tests.support.evidence import fewest_misses, most_misses

RELATIONS = ["add-remove", "replace"]
TRIALS = 500
GENERATOR = np.random.default_rng(12)
COLUMNS = {
    "few": np.array([0.0, 4.0, 4.0, 10.0, 7.0]),
    "many": GENERATOR.beta(0.5, 2, 400) * 10,
    "at one end": np.zeros(30),
    "at both ends": np.repeat([0.0, 10.0], 40),
}


def ask(name: str, relation: str) -> tuple[Callable[[np.ndarray], Any], Callable[..., Any]]:
    """The truth of a column, and the question about it."""
    common: dict[str, Any] = {"epsilon": Fraction(1, 2), "neighbors": relation}
    bounds = {**common, "bounds": (0, 10)}
    return {
        "count": (np.size, lambda column: dp.count(column, **common)),
        "sum": (np.sum, lambda column: dp.sum(column, **bounds)),
        "mean": (np.mean, lambda column: dp.mean(column, **bounds)),
        "proportion": (
            lambda column: np.mean(column > 5),
            lambda column: dp.proportion(column > 5, **common),
        ),
        "var": (np.var, lambda column: dp.var(column, **bounds)),
        "std": (np.std, lambda column: dp.std(column, **bounds)),
        "bin": (
            lambda column: np.sum(column < 5),
            lambda column: dp.histogram(column, bins=[0, 5, 10], **common)[0, 5],
        ),
        "quotient": (
            np.mean,
            lambda column: dp.sum(column, **bounds) / dp.count(column, **common),
        ),
        "ratio of bins": (
            lambda column: np.sum(column < 5) - np.sum(column >= 5),
            lambda column: difference(dp.histogram(column, bins=[0, 5, 10], **common)),
        ),
    }[name]


def difference(cells: dp.Estimates) -> dp.Estimate:
    return cells[0, 5] - cells[5, 10]


NAMES = ["count", "sum", "mean", "proportion", "var", "std", "bin", "ratio of bins", "quotient"]
ONE_DRAW = ["count", "sum", "bin"]
"""What is the truth and one draw of a mechanism: how often it is missed hangs on no record."""
CASES = [
    pytest.param(name, column, marks=[pytest.mark.slow] * (column not in ("few", "at both ends")))
    for name in NAMES
    for column in COLUMNS
    if name not in ONE_DRAW or column in ("few", "many")
]


def misses(name: str, relation: str, column: np.ndarray, trials: int = TRIALS) -> int:
    true, question = ask(name, relation)
    truth, missed = float(true(column)), 0
    slack = 1e-6 * (1 + abs(truth))  # values are rounded to the grid
    for _ in range(trials):
        low, high = question(column).interval()
        missed += not low - slack <= truth <= high + slack
    return missed


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("name", "column"), CASES)
def test_intervals_cover_as_often_as_they_say(name, column, relation):
    assert misses(name, relation, COLUMNS[column]) <= most_misses(TRIALS, 0.05)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("name", ONE_DRAW)
def test_the_reach_of_an_interval_covers_the_noise_as_often_as_it_says(name, relation):
    """Both verdicts are wrong once in ten million at most."""
    answer, draws = ask(name, relation)[1](COLUMNS["many"]), 100_000
    low, high = answer.interval()
    reach = min(answer.value - low, high - answer.value) * (1 + 1e-9)
    noise = np.abs(np.asarray(answer.mechanism(np.zeros(draws, np.int64)), dtype=float))
    assert np.count_nonzero(noise > reach) <= most_misses(draws, 0.05)
    # The negative control: nine tenths of it miss 7 times in a hundred.
    assert np.count_nonzero(noise > 0.9 * reach) > most_misses(draws, 0.05)


@pytest.fixture
def fresh_margins() -> Iterator[None]:
    """Margins are remembered: those of made-up noise must not be, nor be forestalled."""
    uncertainty._combined_margin.cache_clear()
    yield
    uncertainty._combined_margin.cache_clear()


@pytest.mark.usefixtures("fresh_margins")
@pytest.mark.parametrize("name", NAMES)
def test_intervals_made_for_less_noise_are_caught(name, monkeypatch):
    """The negative control: a third of the scale is reported, and the misses show it."""
    monkeypatch.setattr(Laplace, "accuracy", thirded(Laplace.accuracy))
    monkeypatch.setattr(Laplace, "tail", sharpened(Laplace.tail))
    narrowed(monkeypatch)
    assert misses(name, "add-remove", COLUMNS["many"]) > most_misses(TRIALS, 0.05)


def thirded(accuracy: Any) -> Any:
    return lambda self, *level, **how: accuracy(self, *level, **how) // 4


def sharpened(tail: Any) -> Any:
    return lambda self, distances: tail(self, 4 * distances)


def narrowed(monkeypatch: pytest.MonkeyPatch) -> None:
    from discreet import statistics
    from discreet.measures import moments
    from discreet.privacy import joint_noise

    joint, single = joint_noise.joint_distances, joint_noise.weighted_distance
    for module in (uncertainty, moments):
        monkeypatch.setattr(module, "joint_distances", lambda *how: joint(*how) / 4)
    for module in (statistics.moments, moments):
        monkeypatch.setattr(module, "weighted_distance", lambda *how: single(*how) / 4)


@pytest.mark.slow
def test_intervals_are_not_much_wider_than_they_must_be():
    """Where the law is known exactly, a right interval misses nearly as often as it may."""
    column, trials = COLUMNS["many"], 1500
    exact = {"mean": 0.04, "sum": 0.045, "quotient": 0.035, "var": 0.03, "proportion": 0.025}
    for name, least in exact.items():
        assert misses(name, "add-remove", column, trials) >= fewest_misses(trials, least)


@pytest.mark.parametrize("name", ["count", "sum", "mean", "var"])
def test_intervals_widen_with_the_confidence(name):
    _, question = ask(name, "add-remove")
    answer = question(COLUMNS["many"])
    bounds = [answer.interval(level) for level in ("0.5", "0.9", "0.99", "0.999999999999")]
    lows, highs = zip(*bounds, strict=True)
    assert list(lows) == sorted(lows, reverse=True)
    assert list(highs) == sorted(highs)
    assert all(low <= answer.value <= high for low, high in bounds)
