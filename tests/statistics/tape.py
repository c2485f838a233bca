"""What a statistic releases of its true values, before noise."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.mechanisms.laplace import Laplace


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
