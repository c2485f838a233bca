"""Mechanisms as functions: a value in, a private value out."""

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.accounting.spending import spend
from discreet.errors import DataError, PrivacyParameterError
from discreet.exact import Grid
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.selection import Exponential, NoisyMax, PermuteAndFlip
from discreet.noise import BitSource
from discreet.privacy.losses import ApproximateDP, PureDP, read_delta, read_epsilon, read_positive
from discreet.privacy.sensitivity import Sensitivity

_FINE = 1 << 20
_SELECTIONS: dict[str, type[PermuteAndFlip | Exponential | NoisyMax]] = {
    "permute-and-flip": PermuteAndFlip,
    "exponential": Exponential,
    "laplace": NoisyMax,
}


def laplace(
    value: object,
    *,
    sensitivity: object,
    epsilon: object = None,
    grid: object = None,
    source: BitSource | None = None,
) -> int | float | NDArray[Any]:
    """The value, or an array of values, with Laplace noise that makes it ε-DP.

    ``sensitivity`` is how far one unit moves the value, in L1 for an array.  The grid is 1 for a
    whole sensitivity, else a power of two below a millionth of it, unless given.  An array with
    a grid is rounded to it here, which adds one grid step per coordinate to the sensitivity;
    an array of whole numbers without one, and single numbers, need no surcharge.

    >>> abs(laplace(42, sensitivity=1, epsilon=1) - 42) < 60
    True
    """
    read_epsilon(epsilon)
    distance, privacy, chosen = _exactly(sensitivity, epsilon, grid)
    rounded = _coordinates(value, grid is not None)
    mechanism, loss = _laplace(distance, privacy, chosen, rounded)
    spend(loss, safe=source is None or source.safe)
    return mechanism(value, source=source)


def gaussian(
    value: object,
    *,
    sensitivity: object,
    epsilon: object = None,
    delta: object = None,
    grid: object = None,
    source: BitSource | None = None,
) -> int | float | NDArray[Any]:
    """The value, or an array of values, with Gaussian noise that makes it (ε,δ)-DP.

    ``sensitivity`` is how far one unit moves the value, in L2 for an array.  The grid is as for
    ``laplace``; rounding an array of d reals here adds √d grid steps to the sensitivity.

    >>> abs(gaussian(42, sensitivity=1, epsilon=1, delta=1e-6) - 42) < 60
    True
    """
    read_epsilon(epsilon)
    level = read_delta(0 if delta is None else delta)
    if level == 0:
        raise PrivacyParameterError(
            "delta is 0 or not given. Gaussian noise has no pure ε, so it needs a δ above 0. Use "
            "something far below 1/(number of people), such as delta=1e-6, or dp.laplace."
        )
    dimension = int(np.size(value)) if np.ndim(value) else 1  # type: ignore[arg-type]
    distance, privacy, chosen = _exactly(sensitivity, epsilon, grid)
    rounded = _coordinates(value, grid is not None)
    mechanism, loss = _gaussian(distance, privacy, chosen, rounded, level, dimension)
    spend(loss, safe=source is None or source.safe)
    return mechanism(value, source=source)


def noisy_max(
    scores: object,
    *,
    sensitivity: object,
    epsilon: object = None,
    monotone: bool = False,
    noise: str = "permute-and-flip",
    grid: object = None,
    source: BitSource | None = None,
) -> int:
    """The index of one of the highest scores, ε-DP whatever the number of scores.

    ``sensitivity`` is how far one unit moves any single score; ``monotone=True`` if one unit moves
    all scores in one direction together, as it does counts under add/remove, which halves the
    noise.  ``noise`` is "permute-and-flip" (the most accurate), "exponential" (the exponential
    mechanism) or "laplace" (report noisy max).

    >>> noisy_max([3, 90, 5], sensitivity=1, epsilon=1, monotone=True)
    1
    """
    if noise not in _SELECTIONS:
        raise PrivacyParameterError(
            f"noise is {str(noise)[:40]!r}. It names the mechanism that chooses. Use "
            '"permute-and-flip", "exponential" or "laplace".'
        )
    privacy = read_epsilon(epsilon)
    distance, _, chosen = _exactly(sensitivity, epsilon, grid)
    mechanism = _SELECTIONS[noise].calibrated(
        sensitivity=distance, epsilon=privacy, monotone=monotone, grid=chosen
    )
    spend(PureDP(epsilon=privacy), safe=source is None or source.safe)
    return mechanism(scores, source=source)


def _exactly(sensitivity: object, epsilon: object, grid: object) -> tuple[Fraction, Fraction, Grid]:
    distance = read_positive(
        sensitivity, "sensitivity", "Use the largest move of the answer, for example 1."
    )
    if grid is not None:
        chosen = Grid.of(grid)
    elif distance.denominator == 1:
        chosen = Grid(0)
    else:
        chosen = Grid.below(distance / _FINE)
    return distance, read_positive(epsilon, "epsilon", "Use epsilon=1."), chosen


def _coordinates(value: object, given: bool) -> int:
    """How many coordinates are rounded here: one number, or with a grid all of an array.

    The noise depends on what the caller declared, never on the type of the values: an array
    without a grid is one of whole numbers, and one of another type is refused.
    """
    if not np.ndim(value):  # type: ignore[arg-type]
        return 1
    array = np.asarray(value)
    if given:
        return max(1, array.size)
    if array.dtype.kind not in "iub" and array.size:
        raise DataError(
            "the values are an array of real numbers and no grid is given. They are rounded to a "
            "grid first, which adds a step per coordinate to the sensitivity. Pass grid=2**-20, "
            "or an array of integers."
        )
    return 0


def _moved(distance: Fraction, norm: str, grid: Grid, rounded: int) -> Fraction:
    """The sensitivity of the value on the grid."""
    moved = Sensitivity(**{norm: distance})
    return (moved.of_steps(grid) if rounded == 0 else moved.rounded(grid, rounded)).need(norm)


@lru_cache(maxsize=256)
def _laplace(
    distance: Fraction, epsilon: Fraction, grid: Grid, rounded: int
) -> tuple[Laplace, PureDP]:
    moved = _moved(distance, "l1", grid, rounded)
    return Laplace(scale=moved / epsilon, grid=grid), PureDP(epsilon=epsilon)


@lru_cache(maxsize=256)
def _gaussian(
    distance: Fraction, epsilon: Fraction, grid: Grid, rounded: int, delta: Fraction, dimension: int
) -> tuple[Gaussian, ApproximateDP]:
    mechanism = Gaussian.calibrated(
        sensitivity=_moved(distance, "l2", grid, rounded),
        epsilon=epsilon,
        delta=delta,
        grid=grid,
        dimension=dimension,
    )
    return mechanism, ApproximateDP(epsilon=epsilon, delta=delta)
