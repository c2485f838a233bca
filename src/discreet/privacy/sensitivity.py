"""How far one unit can move the true answer."""

from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import PrivacyParameterError
from discreet.exact import Grid, decimal_text, rational, round_up, square_root


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """The largest move of a query between neighbors, in one or several norms.

    ``l1`` serves Laplace noise, ``l2`` Gaussian noise, ``linf`` selection.  A norm that is not
    given is filled in from the others where that is valid for every dimension:
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
        l2 = l1 if l2 is None else l2
        linf = l2 if linf is None else linf
        object.__setattr__(self, "l1", l1)
        object.__setattr__(self, "l2", l2)
        object.__setattr__(self, "linf", linf)

    def __repr__(self) -> str:
        norms = (("l1", self.l1), ("l2", self.l2), ("linf", self.linf))
        shown = ", ".join(f"{name}={value}" for name, value in norms if value is not None)
        return f"Sensitivity({shown})"

    def rounded(self, grid: Grid, dimension: int = 1) -> "Sensitivity":
        """The sensitivity after real values were rounded to a grid.

        Rounding is monotone and commutes with whole steps, so one coordinate that moves by at
        most d lands at most ceil(d/step) steps away; d coordinates together add at most one
        step each: d·step in L1, √d·step in L2.

        >>> Sensitivity(l1=1).rounded(Grid.of(1))
        Sensitivity(l1=1, l2=1, linf=1)
        >>> Sensitivity(l1=1).rounded(Grid.of("1/4"), dimension=4)
        Sensitivity(l1=2, l2=3/2, linf=1)
        """
        step = grid.step
        if dimension == 1:
            one = round_up(self.need("linf"), step)
            return Sensitivity(l1=one, l2=one, linf=one)
        _, root = square_root(Fraction(dimension), 64)
        return Sensitivity(
            l1=None if self.l1 is None else self.l1 + dimension * step,
            l2=None if self.l2 is None else self.l2 + Fraction(root, 1 << 64) * step,
            linf=None if self.linf is None else round_up(self.linf, step),
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


def _read(value: object, name: str) -> Fraction:
    number = rational(value, f"sensitivity {name}")
    if number < 0:
        raise PrivacyParameterError(
            f"sensitivity {name} is {decimal_text(number)}. It is a distance, so it cannot be "
            f"negative. Use the largest move of the answer, for example {name}=1."
        )
    return number
