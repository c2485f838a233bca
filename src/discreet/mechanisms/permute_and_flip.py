"""Permute-and-flip: the noisy maximum with exponential noise."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from discreet.exact import Grid, exp_minus
from discreet.mechanisms.argmax import exponential_argmax
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
from discreet.noise import BitSource, Keystream, exponential_race
from discreet.privacy.events import ApproximateEvent, PureEvent, loss_event
from discreet.privacy.laws import EnclosedLaw
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.parameters import read_confidence
from discreet.privacy.sensitivity import Sensitivity


@dataclass(frozen=True, slots=True, kw_only=True)
class PermuteAndFlip:
    """Names the candidate with the largest score plus exponential noise of mean ``scale``, exactly.

    The same law as taking the candidates in random order and accepting each with probability
    e^((score - best)/scale) (McKenna and Sheldon 2020; Ding et al. 2021).

    Scores are rounded to the grid.  ``monotone`` states that one unit moves all scores in one
    direction, as it does counts of one data set under add/remove (not under replace).

    Guarantee: if one unit moves each score by at most d, which rounding makes ceil(d/grid)
    steps, the choice is (2d/scale)-DP, and (d/scale)-DP where scores are monotone.  At the same
    loss it is at least as likely as ``Exponential`` to choose a candidate within any distance of
    the best, whatever the scores are.  Its range is not bounded: many choices from one
    data set are cheaper with ``Exponential``.  Proof: docs/proofs/selection.md

    >>> PermuteAndFlip(scale=2).loss(Sensitivity(linf=1))
    PureDP(epsilon=1)
    >>> PermuteAndFlip(scale=1)([3, 10_000, 7])
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
    ) -> "PermuteAndFlip":
        """The choice that is ε-DP where one unit moves each score by this sensitivity at most.

        >>> PermuteAndFlip.calibrated(sensitivity=1, epsilon=0.5)
        PermuteAndFlip(scale=4)
        """
        steps = Grid.of(grid)
        scale = calibrated_scale(sensitivity, epsilon, monotone, steps)
        return cls(scale=scale, monotone=monotone, grid=steps)

    def __repr__(self) -> str:
        return selection_text(self)

    def __call__(self, scores: object, *, source: BitSource | None = None) -> int:
        """The index of the chosen candidate."""
        lags = read_lags(scores, self.grid)
        return exponential_race(-lags, 1 / self._steps, Keystream() if source is None else source)

    def loss(self, sensitivity: Sensitivity) -> PureDP:
        """The loss when one unit moves each score by at most ``sensitivity.linf``."""
        return selection_loss(self, sensitivity)

    def event(
        self, sensitivity: Sensitivity, loss: PureDP | ApproximateDP
    ) -> PureEvent | ApproximateEvent:
        """What a ledger writes down: the promised loss, and nothing about the choice.

        >>> PermuteAndFlip(scale=2).event(Sensitivity(linf=1), PureDP(epsilon=1))
        PureEvent(epsilon=Fraction(1, 1))
        """
        return loss_event(loss)

    def law(self, scores: object) -> EnclosedLaw:
        """The exact law of the index on these scores."""
        return exponential_argmax(read_lags(scores, self.grid).tolist(), self._steps)

    def plot(self, *scores: object) -> Any:
        """A picture of the chance of each output on each input: ``.plot([3, 5], [4, 5])``."""
        return plot_choice(self, scores)

    def accuracy(self, confidence: object = 0.95, *, candidates: int) -> int | float:
        """The least a with P[best score - chosen score ≤ a] ≥ confidence for all scores, exactly.

        Scores are those on the grid; rounding them to it may add up to one step.

        >>> PermuteAndFlip(scale=1).accuracy(0.95, candidates=100)
        6
        """
        level = read_confidence(confidence)
        count = read_candidates(candidates)
        bits = 192 + 2 * (count.bit_length() + level.denominator.bit_length())
        unit = 1 << bits

        def covers(lag: int) -> bool:
            """Whether the best wins often enough over others that are all lag + 1 behind.

            It wins with probability (1 - (1-w)^k)/(k·w) for k candidates and w = q^(lag + 1).
            """
            low, high = exp_minus((lag + 1) / self._steps, bits)
            losing = _power_above(unit - low, count, bits)
            return Fraction(losing, unit) <= 1 - level * count * Fraction(high, unit)

        return self.grid.value(0 if count == 1 else least_lag(covers))


def _power_above(base: int, exponent: int, bits: int) -> int:
    """An upper bound of 2^bits · (base/2^bits)^exponent, by squaring."""
    result = 1 << bits
    while exponent:
        if exponent & 1:
            result = -(-result * base >> bits)
        base = -(-base * base >> bits)
        exponent >>= 1
    return result
