"""How far one unit can move the true answer."""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from discreet.errors import PrivacyParameterError
from discreet.exact import Grid, decimal_text, rational, round_up, square_root
from discreet.privacy.parameters import read_count

_BITS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """The largest move of a query between neighbors, in one or several norms.

    ``l1`` serves Laplace noise, ``l2`` Gaussian noise, ``linf`` selection.  A norm that is not
    given, or larger than need be, is taken from the others where that holds in every dimension:
    linf ≤ l2 ≤ l1.

    >>> Sensitivity(l1=1).l2
    Fraction(1, 1)
    """

    l1: Fraction | None = None
    l2: Fraction | None = None
    linf: Fraction | None = None

    def __post_init__(self) -> None:
        l1, l2, linf = (
            None if value is None else _read(value, name)
            for name, value in (("l1", self.l1), ("l2", self.l2), ("linf", self.linf))
        )
        if l1 is None and l2 is None and linf is None:
            raise PrivacyParameterError(
                "the sensitivity has no norm. It says how far one unit can move the answer. "
                "Give l1=, l2= or linf=, for example dp.Sensitivity(l1=1)."
            )
        l2 = _least(l2, l1)
        object.__setattr__(self, "l1", l1)
        object.__setattr__(self, "l2", l2)
        object.__setattr__(self, "linf", _least(linf, l2))

    def __repr__(self) -> str:
        norms = (("l1", self.l1), ("l2", self.l2), ("linf", self.linf))
        shown = ", ".join(f"{name}={value}" for name, value in norms if value is not None)
        return f"Sensitivity({shown})"

    def in_dimension(self, dimension: int) -> "Sensitivity":
        """The norms that follow for an answer with so many coordinates, rounded up.

        Besides linf ≤ l2 ≤ l1 these are l1 ≤ √d·l2, l2 ≤ √d·linf and l2² ≤ l1·linf.

        >>> Sensitivity(linf=1).in_dimension(4)
        Sensitivity(l1=4, l2=2, linf=1)
        """
        count = read_count(dimension, "dimension", "coordinates of the answer")
        wide = self.need("linf")
        squares = [count * wide**2]
        if self.l2 is not None:
            squares.append(self.l2**2)
        if self.l1 is not None:
            squares.append(self.l1 * wide)
        l2 = _root(min(squares))
        l1 = min(count * wide, _root(count * l2**2))
        return Sensitivity(l1=_least(self.l1, l1), l2=_least(self.l2, l2), linf=wide)

    def rounded(self, grid: Grid, dimension: int = 1) -> "Sensitivity":
        """The sensitivity after real values were rounded to a grid.

        Rounding is monotone and commutes with whole steps, so one coordinate that moves by at
        most d lands at most ceil(d/step) steps away; d coordinates together add at most one
        step each: d·step in L1, √d·step in L2.

        >>> Sensitivity(l1=1).rounded(Grid.of(1))
        Sensitivity(l1=1, l2=1, linf=1)
        >>> Sensitivity(l2=1).rounded(Grid.of("1/4"), dimension=4)
        Sensitivity(l1=3, l2=3/2, linf=1)
        """
        count, step = read_count(dimension, "dimension", "coordinates of the answer"), grid.step
        moved = Sensitivity(
            l1=None if self.l1 is None else self.l1 + count * step,
            l2=None if self.l2 is None else self.l2 + _root(count * step**2),
            linf=round_up(self.need("linf"), step),
        )
        return moved.in_dimension(count)

    @staticmethod
    def read(value: object) -> "Sensitivity":
        """The value itself, if it is a sensitivity."""
        if isinstance(value, Sensitivity):
            return value
        raise PrivacyParameterError(
            "the sensitivity is a bare value. A move is measured in a norm, and mechanisms differ "
            "in the one they need. Write dp.Sensitivity(l1=1), or l2= or linf=."
        )

    def need(self, norm: str) -> Fraction:
        """The norm a mechanism needs, or an error that asks for it."""
        value: Fraction | None = getattr(self, norm)
        if value is None:
            raise PrivacyParameterError(
                f"the sensitivity gives no {norm}, and it cannot be derived from the other norms "
                f"for every dimension. The mechanism needs it. Give {norm}= as well."
            )
        return value


def _least(first: Fraction | None, second: Fraction | None) -> Fraction | None:
    """The smaller of two bounds, of which either may be missing."""
    if first is None or second is None:
        return second if first is None else first
    return min(first, second)


def _root(square: Fraction) -> Fraction:
    """The square root: exact where it is rational, else rounded up to 64 bits or better."""
    roots = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    if roots * roots == square:
        return roots
    size = square.numerator.bit_length() - square.denominator.bit_length()
    bits = max(0, _BITS - size // 2)
    _, root = square_root(square, bits)
    return Fraction(root, 1 << bits)


def _read(value: object, name: str) -> Fraction:
    number = rational(value, f"sensitivity {name}")
    if number < 0:
        raise PrivacyParameterError(
            f"sensitivity {name} is {decimal_text(number)}. It is a distance, so it cannot be "
            f"negative. Use the largest move of the answer, for example {name}=1."
        )
    return number
