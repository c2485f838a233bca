"""What floats may get wrong, and how it is put on the safe side.

The assumptions, in one place; the proofs in docs/proofs/privacy-loss-distribution.md use no others:

- + - × ÷ and √ of floats round to the nearest (IEEE 754), so they are off by a factor within
  1 ± UNIT, where nothing underflows;
- NumPy's exp, expm1, log, log1p and power are off by a factor within 1 ± FUNCTION.  That is
  256 times what their implementations promise;
- NumPy's FFT of a power-of-two length takes at most log2(length) + 2 rounds, and each round
  multiplies every number by a factor within 1 ± ROUND at most.  That is twice the sum of an
  addition, a complex multiplication and an error of two units in a root of unity.
"""

from fractions import Fraction
from math import inf, nextafter

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

UNIT = 2.0**-53
FUNCTION = 2.0**-44
ROUND = 16 * UNIT

STEP_BITS = 25
"""Binary digits of a grid's step …"""

MOST_STEPS = 1 << 28
"""… so that its multiples up to this one are exact floats."""


def float_above(value: Fraction | int) -> float:
    """A float that is not below the value, and the nearest or next to it.

    >>> float_above(Fraction(1, 3)) >= Fraction(1, 3) > float_below(Fraction(1, 3))
    True
    """
    try:
        nearest = float(value)
    except OverflowError:
        return inf if value > 0 else -np.finfo(np.float64).max
    return nearest if Fraction(nearest) >= value else nextafter(nearest, inf)


def float_below(value: Fraction | int) -> float:
    """A float that is not above the value, and the nearest or next to it."""
    return -float_above(-value)


def short_above(value: float, bits: int = STEP_BITS) -> float:
    """The least float with so many binary digits that is not below a positive value.

    Products with integers of up to 53 - bits digits are then exact.

    >>> short_above(0.1, 4)
    0.1015625
    """
    exponent = np.frexp(value)[1] - bits
    return float(np.ldexp(np.ceil(np.ldexp(value, -exponent)), exponent))
