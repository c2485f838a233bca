"""The public power-of-two grid on which every released value lies.

A value is rounded to the grid row by row, before it is added to any other; noise is an
exact number of grid steps; the result is decoded once.  The grid comes from parameters
alone, never from the data.
"""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import ceil, floor, inf, isfinite

import numpy as np

from discreet.errors import BoundsError
from discreet.exact.rational import rational


class Rounding(StrEnum):
    """To which grid point a value is rounded: to the nearest, or to the next one up or down."""

    NEAREST = "nearest"
    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Grid:
    """The multiples of a power of two.

    >>> Grid.of(2**-20).step
    Fraction(1, 1048576)
    >>> Grid.of(1).index(Fraction(5, 2))
    3
    """

    exponent: int

    @staticmethod
    def of(step: object) -> "Grid":
        """The grid with the step that was written, which must be a power of two."""
        if isinstance(step, Grid):
            return step
        if isinstance(step, float | np.floating) and isfinite(step):
            # A float is taken as the binary fraction that it is: 2**-40 has no short decimal.
            size = Fraction(*step.as_integer_ratio())
        else:
            size = rational(step, "grid")
        numerator, denominator = size.numerator, size.denominator
        if numerator <= 0 or numerator & (numerator - 1) or denominator & (denominator - 1):
            raise BoundsError(
                "grid is not a power of two. Values are rounded to a power-of-two grid so that "
                "floats divide by it exactly. Use grid=1, grid=2**-20 or Fraction(1, 1024)."
            )
        return Grid(numerator.bit_length() - denominator.bit_length())

    @staticmethod
    def below(size: Fraction) -> "Grid":
        """The coarsest grid whose step is not above ``size``.

        >>> Grid.below(Fraction(1, 10)).step
        Fraction(1, 16)
        """
        if size <= 0:
            raise ValueError("no grid has a step of zero or less")
        exponent = size.numerator.bit_length() - size.denominator.bit_length()
        return Grid(exponent if Fraction(2) ** exponent <= size else exponent - 1)

    @property
    def step(self) -> Fraction:
        """The distance between neighboring grid points."""
        return Fraction(2) ** self.exponent

    def index(self, value: Fraction) -> int:
        """The grid point nearest to ``value``, halves up: floor(value/step + 1/2)."""
        return (2 * value / self.step + 1).__floor__() // 2

    def around(self, low: Fraction, high: Fraction) -> tuple[int, int]:
        """The last grid point not above ``low`` and the first one not below ``high``.

        >>> Grid.of(1).around(Fraction(1, 2), Fraction(5, 2))
        (0, 3)
        """
        return floor(low / self.step), ceil(high / self.step)

    def value(self, index: int) -> int | float:
        """The number at a grid point: an int on integer grids, else the nearest float."""
        exact = int(index)  # an int64 would overflow in silence
        if self.exponent >= 0:
            return exact << self.exponent
        try:
            return exact / (1 << -self.exponent)
        except OverflowError:  # the nearest float to a number beyond the largest
            return inf if exact > 0 else -inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Public bounds in steps of a public grid, less than 2^61 steps from zero."""

    grid: Grid
    low: int
    high: int

    @property
    def width(self) -> int:
        """The number of steps from the lower to the upper bound."""
        return self.high - self.low

    @property
    def farthest(self) -> int:
        """The steps from zero to the bound that is farther away."""
        return max(abs(self.low), abs(self.high))

    @property
    def middle(self) -> int:
        """The step that stands for a missing value where the number of records is public."""
        return self.low + self.width // 2

    @property
    def flipped(self) -> "Range":
        """The same points seen from the upper bound, each with its sign changed."""
        return Range(grid=self.grid, low=-self.high, high=-self.low)
