"""The exponential mechanism."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from discreet.exact import Grid, exp_minus
from discreet.mechanisms.drawing import plot_choice
from discreet.mechanisms.laplace import read_confidence
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
from discreet.noise import BitSource, Keystream, weighted_choice
from discreet.privacy.events import ApproximateEvent, PureEvent, loss_event
from discreet.privacy.laws import Weight, WeightedLaw
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.sensitivity import Sensitivity


@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential:
    """Names candidate i with probability proportional to e^(score_i/scale), exactly.

    Scores are rounded to the grid.  ``monotone`` states that one unit moves all scores in one
    direction, as it does counts of one data set under add/remove (not under replace).

    Guarantee: if one unit moves each score by at most d, which rounding makes ceil(d/grid)
    steps, the choice is (2d/scale)-DP, and (d/scale)-DP where scores are monotone.  The privacy
    loss has bounded range, so the choice is also ε²/8-zCDP for that ε: four times less than any
    ε-DP mechanism promises.  Proof: docs/proofs/selection.md

    >>> Exponential(scale=2).loss(Sensitivity(linf=1))
    PureDP(epsilon=1)
    >>> Exponential(scale=1)([3, 10_000, 7])
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
    ) -> "Exponential":
        """The choice that is ε-DP where one unit moves each score by this sensitivity at most.

        >>> Exponential.calibrated(sensitivity=1, epsilon=0.5)
        Exponential(scale=4)
        >>> Exponential.calibrated(sensitivity=1, epsilon=0.5, monotone=True)
        Exponential(scale=2, monotone=True)
        """
        steps = Grid.of(grid)
        scale = calibrated_scale(sensitivity, epsilon, monotone, steps)
        return cls(scale=scale, monotone=monotone, grid=steps)

    def __repr__(self) -> str:
        return selection_text(self)

    def __call__(self, scores: object, *, source: BitSource | None = None) -> int:
        """The index of the chosen candidate."""
        lags = read_lags(scores, self.grid)
        return weighted_choice(lags, 1 / self._steps, Keystream() if source is None else source)

    def loss(self, sensitivity: Sensitivity) -> PureDP:
        """The loss when one unit moves each score by at most ``sensitivity.linf``."""
        return selection_loss(self, sensitivity)

    def event(
        self, sensitivity: Sensitivity, loss: PureDP | ApproximateDP
    ) -> PureEvent | ApproximateEvent:
        """What a ledger writes down: the promised loss, and nothing about the choice.

        >>> Exponential(scale=2).event(Sensitivity(linf=1), PureDP(epsilon=1))
        PureEvent(epsilon=Fraction(1, 1))
        """
        return loss_event(loss)

    def law(self, scores: object) -> WeightedLaw:
        """The exact law of the index on these scores."""
        lags = read_lags(scores, self.grid).tolist()
        one = Fraction(1)
        return WeightedLaw({i: Weight(one, lag / self._steps) for i, lag in enumerate(lags)})

    def plot(self, *scores: object) -> Any:
        """A picture of the chance of each output on each input: ``.plot([3, 5], [4, 5])``."""
        return plot_choice(self, scores)

    def accuracy(self, confidence: object = 0.95, *, candidates: int) -> int | float:
        """The least a with P[best score - chosen score ≤ a] ≥ confidence for all scores, exactly.

        Scores are those on the grid; rounding them to it may add up to one step.

        >>> Exponential(scale=1).accuracy(0.95, candidates=100)
        7
        """
        level = read_confidence(confidence)
        others = read_candidates(candidates) - 1
        bits = 192 + level.denominator.bit_length()

        def covers(lag: int) -> bool:
            """Whether the odds of others that are all lag + 1 behind are small enough."""
            _, weight = exp_minus((lag + 1) / self._steps, bits)
            return others * Fraction(weight, 1 << bits) <= (1 - level) / level

        return self.grid.value(least_lag(covers))
