"""What the selections share: scores on a grid, and how far one unit can move them.

A selection sees its scores only through their lags, the distances from the best score in grid
steps.  Rounding is monotone and commutes with whole steps, so a score that moves by at most d
lands at most ceil(d/step) steps away, and scores that move up together still do.
Proof: docs/proofs/selection.md
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError, PrivacyParameterError
from discreet.exact import Grid, decimal_text, round_up
from discreet.privacy.losses import PureDP
from discreet.privacy.parameters import read_epsilon, read_positive
from discreet.privacy.sensitive import Sensitive
from discreet.privacy.sensitivity import Sensitivity

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
    """The same for integers of at most 64 bits."""
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
