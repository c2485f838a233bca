"""Mechanisms as functions: a value in, a private value out."""

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.accounting.spending import spend
from discreet.errors import BudgetExhaustedError, DataError, PrivacyParameterError
from discreet.exact import Grid
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.selection import Exponential, NoisyMax, PermuteAndFlip
from discreet.noise import BitSource
from discreet.privacy.events import Event
from discreet.privacy.losses import (
    ApproximateDP,
    PureDP,
    read_delta,
    read_epsilon,
    read_positive,
)
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
    privacy = read_epsilon(epsilon)
    distance, chosen = _exactly(sensitivity, grid)
    rounded = _coordinates(value, grid is not None)
    mechanism, event = _laplace(distance, privacy, chosen, rounded)
    spend(event, safe=source is None or source.safe)
    return mechanism(value, source=source)


def gaussian(
    value: object,
    *,
    sensitivity: object,
    epsilon: object = None,
    delta: object = None,
    rho: object = None,
    grid: object = None,
    source: BitSource | None = None,
) -> int | float | NDArray[Any]:
    """The value, or an array of values, with Gaussian noise that makes it (ε,δ)-DP, or ρ-zCDP.

    ``sensitivity`` is how far one unit moves the value, in L2 for an array.  The grid is as for
    ``laplace``; rounding an array of d reals here adds √d grid steps to the sensitivity.

    In a ``dp.spending`` block it costs its own ρ, which is far below what ε and δ imply.  Where
    that no longer fits, it is charged as the ε and δ that were asked for.

    >>> abs(gaussian(42, sensitivity=1, epsilon=1, delta=1e-6) - 42) < 60
    True
    >>> abs(gaussian(42, sensitivity=1, rho="1/32") - 42) < 60
    True
    """
    levels = _levels(epsilon, delta, rho)
    dimension = int(np.size(value)) if np.ndim(value) else 1  # type: ignore[arg-type]
    distance, chosen = _exactly(sensitivity, grid)
    rounded = _coordinates(value, grid is not None)
    mechanism, event, promise = _gaussian(distance, levels, chosen, rounded, dimension)
    safe = source is None or source.safe
    try:
        spend(event, safe=safe)
    except BudgetExhaustedError:
        if promise is None:
            raise
        spend(promise, safe=safe)
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
    distance, chosen = _exactly(sensitivity, grid)
    moved = Sensitivity(linf=distance)
    mechanism = _SELECTIONS[noise].calibrated(
        sensitivity=moved, epsilon=privacy, monotone=monotone, grid=chosen
    )
    event = mechanism.event(moved, PureDP(epsilon=privacy))
    spend(event, safe=source is None or source.safe)
    return mechanism(scores, source=source)


def _levels(epsilon: object, delta: object, rho: object) -> tuple[Fraction, ...]:
    """What the caller asks for: ε and δ, or ρ alone."""
    if rho is not None:
        if epsilon is not None or delta is not None:
            raise PrivacyParameterError(
                "both rho and epsilon or delta are given. Each of them fixes the noise. Write "
                "rho=0.01, or epsilon=1 and delta=1e-6."
            )
        return (read_positive(rho, "rho", "Use for example rho=0.01."),)
    privacy = read_epsilon(epsilon, stacklevel=4)
    level = read_delta(0 if delta is None else delta)
    if level == 0:
        raise PrivacyParameterError(
            "delta is 0 or not given. Gaussian noise has no pure ε, so it needs a δ above 0. Use "
            "something far below 1/(number of people), such as delta=1e-6, or dp.laplace."
        )
    return privacy, level


def _exactly(sensitivity: object, grid: object) -> tuple[Fraction, Grid]:
    distance = read_positive(
        sensitivity, "sensitivity", "Use the largest move of the answer, for example 1."
    )
    if grid is not None:
        return distance, Grid.of(grid)
    if distance.denominator == 1:
        return distance, Grid(0)
    return distance, Grid.below(distance / _FINE)


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


def _moved(distance: Fraction, norm: str, grid: Grid, rounded: int) -> Sensitivity:
    """The sensitivity of the value on the grid."""
    moved = Sensitivity(**{norm: distance})
    return moved.of_steps(grid) if rounded == 0 else moved.rounded(grid, rounded)


@lru_cache(maxsize=256)
def _laplace(
    distance: Fraction, epsilon: Fraction, grid: Grid, rounded: int
) -> tuple[Laplace, Event]:
    moved = _moved(distance, "l1", grid, rounded)
    mechanism = Laplace(scale=moved.need("l1") / epsilon, grid=grid)
    return mechanism, mechanism.event(moved, PureDP(epsilon=epsilon))


@lru_cache(maxsize=256)
def _gaussian(
    distance: Fraction, levels: tuple[Fraction, ...], grid: Grid, rounded: int, dimension: int
) -> tuple[Gaussian, Event, ApproximateDP | None]:
    """The noise, its event, and the ε and δ that it was made for."""
    moved = _moved(distance, "l2", grid, rounded)
    if len(levels) == 1:
        loss, (rho,) = None, levels
        mechanism = Gaussian.for_rho(sensitivity=moved, rho=rho, grid=grid, dimension=dimension)
    else:
        epsilon, delta = levels
        loss = ApproximateDP(epsilon=epsilon, delta=delta)
        mechanism = Gaussian.calibrated(
            sensitivity=moved, epsilon=epsilon, delta=delta, grid=grid, dimension=dimension
        )
    return mechanism, mechanism.event(moved, dimension=dimension), loss
