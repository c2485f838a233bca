"""What the tests of statistics share: bounds on chance, neighbors, and what was released."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from discreet.mechanisms.laplace import Laplace

FALSE_ALARM = 1e-7

Data = tuple[Any, ...]


def most_misses(trials: int, chance: float) -> int:
    """So many misses or fewer are seen but once in ten million if each has at most this chance."""
    return int(binom.isf(FALSE_ALARM, trials, chance))


def fewest_misses(trials: int, chance: float) -> int:
    """So many misses or more are seen but once in ten million if each has at least this chance."""
    return int(binom.ppf(FALSE_ALARM, trials, chance))


def neighbors(universe: Sequence[Any], size: int, relation: str) -> Iterator[tuple[Data, Data]]:
    """Every pair of neighbors with 1 to ``size`` records of a small universe."""
    for many in range(1, size + 1):
        for data in combinations_with_replacement(universe, many):
            if relation == "add-remove":
                yield data[1:], data
            else:
                yield from (
                    (data, (*data[:place], new, *data[place + 1 :]))
                    for place in range(many)
                    for new in universe
                )


@dataclass
class Tape:
    """The true values that reached Laplace noise, with its scale in steps, and no noise added."""

    seen: list[tuple[list[int], Fraction]] = field(default_factory=list)

    def play(self, ask: Callable[[], object]) -> list[tuple[list[int], Fraction]]:
        """What one question releases."""
        self.seen.clear()
        ask()
        return list(self.seen)

    def loss(self, first: Callable[[], object], second: Callable[[], object]) -> Fraction:
        """The loss of a pair of data sets: the noise of a question is Laplace's, so it is
        Σ |difference|/scale exactly, and infinite where the questions are not alike."""
        tapes = self.play(first), self.play(second)
        total = Fraction(0)
        for (left, scale), (right, other) in zip(*tapes, strict=True):
            assert scale == other
            total += sum(abs(a - b) for a, b in zip(left, right, strict=True)) / scale
        return total


@pytest.fixture
def tape(monkeypatch: pytest.MonkeyPatch) -> Tape:
    """Listens at the one place where true values meet noise."""
    heard = Tape()

    def release(self: Laplace, steps: Any, source: object) -> Any:
        true = steps.open()
        heard.seen.append(([int(x) for x in np.atleast_1d(true)], self.scale / self.grid.step))
        return true

    monkeypatch.setattr(Laplace, "release", release)
    return heard
