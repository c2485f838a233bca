"""The noise of a measure: Laplace or Gaussian, whichever has the lower error at the price."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any

from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.privacy.sensitivity import Sensitivity

CONFIDENCE = Fraction(95, 100)
"""At which the errors of two mechanisms are compared."""


@dataclass(frozen=True, slots=True)
class NoiseChoice:
    """The mechanism with the lowest error at a price, the δ it takes, and the one not chosen."""

    mechanism: Any
    delta: Fraction = Fraction(0)
    instead: Laplace | Gaussian | None = None


def laplace_mechanism(moved: int | None, epsilon: Fraction) -> NoiseChoice:
    """Laplace noise for integers with the L1 sensitivity ``moved``.

    Integers whose weights bound only their L2 norm have none: no Laplace noise protects them.
    """
    if moved is None:
        raise TypeError("weights in L2 bound no L1 sensitivity")
    return NoiseChoice(Laplace(scale=Fraction(moved) / epsilon))


def laplace_or_gaussian(
    moved: int | None, squared: int, epsilon: Fraction, delta: Fraction
) -> NoiseChoice:
    """Laplace or, with a δ, Gaussian noise, whichever has the lower error.

    One unit moves the integers by at most ``moved`` in L1 and by ``squared`` in squared L2.
    """
    laplace = laplace_mechanism(moved, epsilon).mechanism
    if delta == 0:
        return NoiseChoice(laplace)
    gaussian = _gaussian(squared, epsilon, delta)
    if gaussian.accuracy(CONFIDENCE) < laplace.accuracy(CONFIDENCE):
        return NoiseChoice(gaussian, delta, laplace)
    return NoiseChoice(laplace, instead=gaussian)


@lru_cache(maxsize=256)
def _gaussian(squared: int, epsilon: Fraction, delta: Fraction) -> Gaussian:
    root = isqrt(squared - 1) + 1
    return Gaussian.calibrated(
        sensitivity=Sensitivity(l2=Fraction(root)), epsilon=epsilon, delta=delta
    )
