"""The noise of a measure at a price: Laplace for a part of ε, Gaussian for a part of ρ."""

from fractions import Fraction
from functools import lru_cache

from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.privacy.sensitivity import Sensitivity

CONFIDENCE = Fraction(95, 100)
"""At which the errors of two mechanisms are compared."""


def laplace_noise(moved: int | None, epsilon: Fraction) -> Laplace:
    """Laplace noise for integers with the L1 sensitivity ``moved``.

    Integers whose weights bound only their L2 norm have none: no Laplace noise protects them.
    """
    if moved is None:
        raise TypeError("weights in L2 bound no L1 sensitivity")
    return Laplace(scale=Fraction(moved) / epsilon)


@lru_cache(maxsize=256)
def gaussian_noise(squared: int, rho: Fraction) -> Gaussian:
    """Gaussian noise for integers that one unit moves by at most ``squared`` in squared L2."""
    return Gaussian.for_rho(sensitivity=Sensitivity(squared_l2=Fraction(squared)), rho=rho)
