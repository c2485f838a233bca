"""Selections: the exponential mechanism, permute-and-flip and report noisy max."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError, PrivacyParameterError
from discreet.exact import Grid, decimal_text, exp_minus, round_up
from discreet.exact.rational import WrittenNumber
from discreet.mechanisms.additive_noise import exact_sum
from discreet.mechanisms.argmax_laws import exponential_argmax, laplace_argmax
from discreet.mechanisms.law_plots import plot_choice
from discreet.noise import (
    BitSource,
    Keystream,
    exponential_race,
    laplace,
    uniform_below,
    weighted_choice,
)
from discreet.privacy.events import (
    ApproximateEvent,
    BoundedRangeEvent,
    PureEvent,
    loss_event,
    range_event,
)
from discreet.privacy.laws import EnclosedLaw, Weight, WeightedLaw
from discreet.privacy.losses import (
    ApproximateDP,
    PureDP,
    read_confidence,
    read_epsilon,
    read_positive,
)
from discreet.privacy.sensitivity import Sensitive, Sensitivity

Integers = NDArray[np.int64]

INTEGERS = Grid(0)
FARTHEST = (1 << 53) - 1
"""The largest lag, in steps: a candidate that is further behind counts as this far behind."""

_MOST_STEPS = 1 << 40
_SAFE = 1 << 62


class Selection(Protocol):
    """A choice of the best among several candidates, by their scores."""

    @property
    def scale(self) -> Fraction:
        """The scale of the noise, in the unit of the scores."""

    @property
    def monotone(self) -> bool:
        """Whether one unit moves all scores in one direction."""

    @property
    def grid(self) -> Grid:
        """The grid to which scores are rounded."""


# ---------------------------------------------------------------------- parameters


def read_parameters(
    scale: object, monotone: object, grid: object
) -> tuple[Fraction, Grid, Fraction]:
    """The scale, the grid, and the scale in steps of the grid."""
    size = read_positive(scale, "scale", "Use scale = 2·sensitivity/ε, for example 2.")
    steps = Grid.of(grid)
    if not isinstance(monotone, bool):
        raise PrivacyParameterError(
            "monotone is neither True nor False. It halves the noise, so it must be stated "
            "plainly. Use monotone=True only where one unit moves all scores in one direction."
        )
    if not Fraction(1, _MOST_STEPS) <= size / steps.step <= _MOST_STEPS:
        raise PrivacyParameterError(
            f"scale is {decimal_text(size)} on a grid of {decimal_text(steps.step)}. It must lie "
            f"between 2^-40 and 2^40 steps of the grid. Use grid=2**{Grid.below(size).exponent}."
        )
    return size, steps, size / steps.step


def calibrated_scale(sensitivity: object, epsilon: object, monotone: bool, grid: Grid) -> Fraction:
    """The scale that makes a selection with this sensitivity of each score ε-DP."""
    if not isinstance(sensitivity, Sensitivity):
        sensitivity = Sensitivity(
            linf=read_positive(
                sensitivity, "sensitivity", "Use the largest move of a score, for example 1."
            )
        )
    moved = round_up(sensitivity.need("linf"), grid.step)
    return (1 if monotone else 2) * moved / read_epsilon(epsilon, stacklevel=4)


def selection_loss(selection: Selection, sensitivity: Sensitivity) -> PureDP:
    """The loss when one unit moves each score by at most ``sensitivity.linf``."""
    moved = round_up(Sensitivity.read(sensitivity).need("linf"), selection.grid.step)
    return PureDP(epsilon=(1 if selection.monotone else 2) * moved / selection.scale)


def selection_text(selection: Selection) -> str:
    """The selection as it would be written."""
    monotone = ", monotone=True" if selection.monotone else ""
    grid = "" if selection.grid == INTEGERS else f", grid={selection.grid.step}"
    return f"{type(selection).__name__}(scale={selection.scale}{monotone}{grid})"


def read_candidates(candidates: object) -> int:
    """A number of candidates, at least one."""
    if isinstance(candidates, bool) or not isinstance(candidates, int | np.integer):
        raise PrivacyParameterError(
            "candidates is not an integer. It is the number of scores. Use candidates=100."
        )
    if candidates < 1:
        raise PrivacyParameterError(
            f"candidates is {decimal_text(Fraction(int(candidates)))}. There is at least one to "
            "choose from. Use candidates=100."
        )
    return int(candidates)


# ---------------------------------------------------------------------- scores


def read_lags(scores: object, grid: Grid) -> Integers:
    """How many grid steps each score is behind the best, at most ``FARTHEST``.

    >>> read_lags([3, 10, 9.6], INTEGERS)
    array([7, 0, 0])
    """
    if isinstance(scores, Sensitive):
        scores = scores.open()
    array = _numbers(scores)
    if array.dtype.kind == "f":
        steps = _rounded(array.astype(np.float64), grid)
    else:
        steps = _shifted(array, grid)
    if steps.dtype == np.int64:
        lags: Integers = np.minimum(steps.max() - steps, FARTHEST)
        return lags
    best = max(steps.tolist())
    return np.array([min(best - step, FARTHEST) for step in steps.tolist()], np.int64)


def _numbers(scores: object) -> NDArray[Any]:
    try:
        array = np.asarray(scores)
    except (TypeError, ValueError):
        raise _not_scores() from None
    if array.ndim != 1 or array.size == 0:
        raise DataError(
            "the scores are not one non-empty row of numbers. There is one score for each "
            "candidate. Give a list such as [120, 80, 33]."
        )
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise _not_scores()
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise DataError(
            "a score is NaN or infinite. A score is a finite number, whoever is in the data. "
            "Clip scores to public bounds first."
        )
    return array


def _not_scores() -> DataError:
    return DataError(
        "the scores are not plain numbers. They are integers, or floats of at most 64 bits, so "
        "that rounding them to the grid is exact. Give a list such as [120, 80, 33]."
    )


def _rounded(values: NDArray[np.float64], grid: Grid) -> NDArray[Any]:
    """floor(value/step + 1/2), exactly: int64, or Python integers where they are larger."""
    with np.errstate(over="ignore"):
        steps = np.ldexp(values, -grid.exponent)
    if np.abs(steps).max() < _SAFE:
        # steps - floor(steps) is exact where it decides; adding 1/2 first is not beyond 2^52.
        whole = np.floor(steps)
        return whole.astype(np.int64) + (steps - whole >= 0.5)
    return np.array([grid.index(Fraction(float(value))) for value in values], np.object_)


def _shifted(values: NDArray[Any], grid: Grid) -> NDArray[Any]:
    """floor(value/step + 1/2) for integers of at most 64 bits."""
    largest = max(abs(int(values.min())), abs(int(values.max())))
    if largest < _SAFE >> max(0, -grid.exponent):
        integers = values.astype(np.int64)
        if grid.exponent <= 0:
            return integers << -grid.exponent
        return (integers >> min(grid.exponent - 1, 63)) + 1 >> 1
    return np.array([grid.index(Fraction(int(value))) for value in values], np.object_)


# ---------------------------------------------------------------------- accuracy


def least_lag(covers: Callable[[int], bool]) -> int:
    """The least number of steps a ≥ 0 that covers, where larger ones do too."""
    low, high = -1, 0
    while not covers(high):
        low, high = high, 2 * high + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if covers(middle) else (middle, high)
    return high


@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential:
    """Names candidate i with probability proportional to e^(score_i/scale), exactly.

    Scores are rounded to the grid.  ``monotone`` states that one unit moves all scores in one
    direction, as it does counts of one data set under add/remove (not under replace).

    Guarantee: if one unit moves each score by at most d, which rounding makes ceil(d/grid)
    steps, the choice is (2d/scale)-DP, and (d/scale)-DP where scores are monotone.  The privacy
    loss has bounded range, so the choice is also ε²/8-zCDP for that ε: four times less than any
    ε-DP mechanism promises.  Proofs: docs/proofs/selection.md, docs/proofs/bounded-range.md

    >>> Exponential(scale=2).loss(Sensitivity(linf=1))
    PureDP(epsilon=1)
    >>> Exponential(scale=1)([3, 10_000, 7])
    1
    """

    scale: Fraction
    monotone: bool = False
    grid: Grid = INTEGERS
    _steps: Fraction = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            scale: WrittenNumber,
            monotone: bool = False,
            grid: Grid | WrittenNumber = INTEGERS,
        ) -> None: ...

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
    ) -> BoundedRangeEvent | ApproximateEvent:
        """What a ledger writes down: the promised loss, as the range that the loss stays within.

        >>> Exponential(scale=2).event(Sensitivity(linf=1), PureDP(epsilon=1))
        BoundedRangeEvent(epsilon=Fraction(1, 1))
        """
        return range_event(loss)

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
    the best, whatever the scores are.  Its range is not bounded by that ε: many choices from one
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

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            scale: WrittenNumber,
            monotone: bool = False,
            grid: Grid | WrittenNumber = INTEGERS,
        ) -> None: ...

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

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            scale: WrittenNumber,
            monotone: bool = False,
            grid: Grid | WrittenNumber = INTEGERS,
        ) -> None: ...

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
