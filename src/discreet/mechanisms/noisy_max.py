"""Report noisy max with Laplace noise."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.exact import Grid, exp_minus
from discreet.mechanisms.additive import exact_sum
from discreet.mechanisms.argmax import laplace_argmax
from discreet.mechanisms.drawing import plot_choice
from discreet.mechanisms.selection import (
    INTEGERS,
    calibrated_scale,
    least_lag,
    read_candidates,
    read_lags,
    read_parameters,
    selection_loss,
    selection_text,
)
from discreet.noise import BitSource, Keystream, laplace, uniform_below
from discreet.privacy.events import ApproximateEvent, PureEvent, loss_event
from discreet.privacy.laws import EnclosedLaw
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.parameters import read_confidence
from discreet.privacy.sensitivity import Sensitivity


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyMax:
    """Names the candidate with the largest score plus Laplace noise; only the index is released.

    The noise is an exact integer number of grid steps.  Ties, which integers have, are broken
    uniformly at random.

    Scores are rounded to the grid.  ``monotone`` states that one unit moves all scores in one
    direction, as it does counts of one data set under add/remove (not under replace).

    Guarantee: if one unit moves each score by at most d, which rounding makes ceil(d/grid)
    steps, the choice is (2d/scale)-DP, and (d/scale)-DP where scores are monotone, however many
    candidates there are.  Proof: docs/proofs/selection.md

    >>> NoisyMax(scale=2).loss(Sensitivity(linf=1))
    PureDP(epsilon=1)
    >>> NoisyMax(scale=2, monotone=True).loss(Sensitivity(linf=1))
    PureDP(epsilon=1/2)
    >>> NoisyMax(scale=1)([3, 10_000, 7])
    1
    """

    scale: Fraction
    monotone: bool = False
    grid: Grid = INTEGERS
    _steps: Fraction = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        scale, grid, steps = read_parameters(self.scale, self.monotone, self.grid)
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "grid", grid)
        object.__setattr__(self, "_steps", steps)

    @classmethod
    def calibrated(
        cls, *, sensitivity: object, epsilon: object, monotone: bool = False, grid: object = 1
    ) -> "NoisyMax":
        """The choice that is ε-DP where one unit moves each score by this sensitivity at most.

        >>> NoisyMax.calibrated(sensitivity=1, epsilon=1, monotone=True)
        NoisyMax(scale=1, monotone=True)
        """
        steps = Grid.of(grid)
        scale = calibrated_scale(sensitivity, epsilon, monotone, steps)
        return cls(scale=scale, monotone=monotone, grid=steps)

    def __repr__(self) -> str:
        return selection_text(self)

    def __call__(self, scores: object, *, source: BitSource | None = None) -> int:
        """The index of the chosen candidate."""
        source = Keystream() if source is None else source
        lags = read_lags(scores, self.grid)
        noisy = exact_sum(-lags, laplace(self._steps, lags.size, source=source))
        winners = np.flatnonzero(noisy == noisy.max())
        return int(winners[uniform_below(winners.size, source)])

    def loss(self, sensitivity: Sensitivity) -> PureDP:
        """The loss when one unit moves each score by at most ``sensitivity.linf``."""
        return selection_loss(self, sensitivity)

    def event(
        self, sensitivity: Sensitivity, loss: PureDP | ApproximateDP
    ) -> PureEvent | ApproximateEvent:
        """What a ledger writes down: the promised loss, and nothing about the choice.

        >>> NoisyMax(scale=2).event(Sensitivity(linf=1), PureDP(epsilon=1))
        PureEvent(epsilon=Fraction(1, 1))
        """
        return loss_event(loss)

    def law(self, scores: object) -> EnclosedLaw:
        """The exact law of the index on these scores."""
        return laplace_argmax(read_lags(scores, self.grid).tolist(), self._steps)

    def plot(self, *scores: object) -> Any:
        """A picture of the chance of each output on each input: ``.plot([3, 5], [4, 5])``."""
        return plot_choice(self, scores)

    def accuracy(self, confidence: object = 0.95, *, candidates: int) -> int | float:
        """An a with P[best score - chosen score ≤ a] ≥ confidence for all scores.

        The least one for two candidates; for more, a union bound over the others.  Scores are
        those on the grid; rounding them to it may add up to one step.

        >>> NoisyMax(scale=1).accuracy(0.95, candidates=100)
        8
        """
        level = read_confidence(confidence)
        others = read_candidates(candidates) - 1
        bits = 192 + level.denominator.bit_length()
        unit = 1 << bits
        q_low, _ = exp_minus(1 / self._steps, bits)
        slope = Fraction(unit - q_low, unit + q_low)  # (1-q)/(1+q) falls as q grows

        def covers(lag: int) -> bool:
            """Whether others that are all t = lag + 1 behind win rarely enough.

            One of them beats the best with probability q^t·(1 + t·(1-q)/(1+q))/2.
            """
            _, decay = exp_minus((lag + 1) / self._steps, bits)
            return others * Fraction(decay, 2 * unit) * (1 + (lag + 1) * slope) <= 1 - level

        return self.grid.value(least_lag(covers))
