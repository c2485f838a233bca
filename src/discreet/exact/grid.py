"""The public power-of-two grid on which every released value lies.

A value is rounded to the grid row by row, before it is added to any other; noise is an
exact number of grid steps; the result is decoded once.  The grid comes from parameters
alone, never from the data.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isfinite

from discreet.errors import BoundsError
from discreet.exact.rational import rational


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
        return step if isinstance(step, Grid) else _grid(step)

    @staticmethod
    def below(size: Fraction) -> "Grid":
        """The coarsest grid whose step is not above ``size``.

        >>> Grid.below(Fraction(1, 10)).step
        Fraction(1, 16)
        """
        exponent = size.numerator.bit_length() - size.denominator.bit_length()
        return Grid(exponent if Fraction(2) ** exponent <= size else exponent - 1)

    @property
    def step(self) -> Fraction:
        """The distance between neighbouring grid points."""
        return Fraction(2) ** self.exponent

    def index(self, value: Fraction) -> int:
        """The grid point nearest to ``value``, halves up: floor(value/step + 1/2)."""
        return (2 * value / self.step + 1).__floor__() // 2

    def value(self, index: int) -> int | float:
        """The number at a grid point: an int on integer grids, else the nearest float."""
        if self.exponent >= 0:
            return index << self.exponent
        return float(Fraction(index, 1 << -self.exponent))


@lru_cache(maxsize=256, typed=True)
def _grid(step: object) -> Grid:
    # A float is taken as the binary fraction that it is: 2**-40 has no short decimal.
    exact = isinstance(step, float) and isfinite(step)
    size = Fraction(step) if exact else rational(step, "grid")  # type: ignore[arg-type]
    for exponent in (size.numerator.bit_length() - 1, 1 - size.denominator.bit_length()):
        if size > 0 and Fraction(2) ** exponent == size:
            return Grid(exponent)
    raise BoundsError(
        "grid is not a power of two. Values are rounded to a power-of-two grid so that floats "
        "divide by it exactly. Use grid=1, grid=2**-20 or Fraction(1, 1024)."
    )
