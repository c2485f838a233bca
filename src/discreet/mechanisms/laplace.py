"""Laplace noise on a grid."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, expm1, inf, log, log1p, nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.exact import Grid
from discreet.mechanisms.additive import add_noise, exact_sum, grid_index, is_scalar
from discreet.mechanisms.drawing import plot_noise
from discreet.mechanisms.laplace_law import LaplaceLaw, least_reach, log_of, point, upper_tail
from discreet.noise import BitSource, Keystream, geometric, laplace, laplace_integer
from discreet.privacy.events import DiscreteLaplaceEvent
from discreet.privacy.laws import Law, ProductLaw
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.parameters import (
    read_confidence,
    read_count,
    read_epsilon,
    read_positive,
)
from discreet.privacy.sensitive import Sensitive
from discreet.privacy.sensitivity import Sensitivity

_CONTINUOUS = 2.0**-30  # grid/scale below which floats do not tell the grid from the continuum
_INTEGERS = Grid(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Laplace:
    """Integer Laplace noise in steps of a grid: P(k steps) ∝ e^(-k·grid/scale), exactly.

    Guarantee: if one unit moves the input, rounded to the grid, by at most d in L1, the output
    is (d/scale)-DP.  Proof: docs/proofs/laplace.md

    >>> Laplace(scale=2).loss(Sensitivity(l1=1))
    PureDP(epsilon=1/2)
    >>> Laplace(scale=1).accuracy(0.95)
    3
    """

    scale: Fraction
    grid: Grid = _INTEGERS
    _steps: Fraction = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        scale = read_positive(self.scale, "scale", "Use scale = sensitivity/ε, for example 2.")
        grid = Grid.of(self.grid)
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "grid", grid)
        object.__setattr__(self, "_steps", scale / grid.step)

    @classmethod
    def calibrated(cls, *, sensitivity: object, epsilon: object, grid: object = 1) -> "Laplace":
        """The noise that makes an answer with this L1 sensitivity on the grid ε-DP.

        The sensitivity is that of the rounded answer, a whole number of steps: for real numbers
        ``dp.Sensitivity(l1=…).rounded(grid, dimension)``.

        >>> Laplace.calibrated(sensitivity=1, epsilon=0.5)
        Laplace(scale=2)
        """
        steps = Grid.of(grid)
        distance = _read_l1(sensitivity).in_steps("l1", steps) * steps.step
        return cls(scale=distance / read_epsilon(epsilon), grid=steps)

    def __repr__(self) -> str:
        grid = "" if self.grid == _INTEGERS else f", grid={self.grid.step}"
        return f"Laplace(scale={self.scale}{grid})"

    def __call__(
        self, value: object, *, source: BitSource | None = None
    ) -> int | float | NDArray[Any]:
        """The value, or every value of an array, rounded to the grid, plus fresh noise."""
        steps = self._steps
        return add_noise(
            value,
            self.grid,
            Keystream() if source is None else source,
            lambda bits: laplace_integer(steps, bits),
            self.draw,
        )

    def described(self, step: Fraction) -> str:
        """How a plan names it: its scale in the answer's own unit, of which a step is so much.

        >>> Laplace(scale=2).described(Fraction(1, 2))
        'Laplace(scale=1)'
        """
        return f"Laplace(scale={float(self.scale * step):.6g})"

    def release(self, steps: Sensitive[Any], source: BitSource) -> Any:
        """Fresh noise on values that are already counted in grid steps; the result is too.

        Takes an integer, a tuple of integers or an array of them, and gives back the same.
        """
        true = steps.open()
        if isinstance(true, int):
            return true + laplace_integer(self._steps, source)
        if isinstance(true, tuple):
            return tuple(value + laplace_integer(self._steps, source) for value in true)
        return exact_sum(true, self.draw(true.size, source))

    def draw(self, count: int, source: BitSource) -> NDArray[Any]:
        """So many independent draws of the noise, in steps."""
        return laplace(self._steps, count, source=source)

    def draw_excess(self, missing: int, count: int, source: BitSource) -> NDArray[np.object_]:
        """``noise - missing`` in steps, given that it is 0 or more, for missing ≥ 1: geometric.

        Proof: docs/proofs/sieve.md
        """
        return geometric(self._steps, count, source=source).astype(np.object_)

    @property
    def steps(self) -> Fraction:
        """The scale, counted in steps of the grid."""
        return self._steps

    def loss(self, sensitivity: Sensitivity) -> PureDP:
        """The loss when one unit moves the rounded input by at most ``sensitivity.l1``."""
        moved = Sensitivity.read(sensitivity).in_steps("l1", self.grid)
        return PureDP(epsilon=moved / self._steps)

    def event(self, sensitivity: Sensitivity, loss: PureDP | ApproximateDP) -> DiscreteLaplaceEvent:
        """What a ledger writes down: how the noise was made, from which its loss follows.

        So the promised ``loss`` is not written.

        >>> Laplace(scale=4).event(Sensitivity(l1=2), PureDP(epsilon="1/2"))
        DiscreteLaplaceEvent(scale=Fraction(4, 1), sensitivity=2)
        """
        moved = Sensitivity.read(sensitivity).in_steps("l1", self.grid)
        return DiscreteLaplaceEvent(scale=self._steps, sensitivity=int(moved))

    def law(self, value: object) -> Law:
        """The exact law of the output on this input."""
        if is_scalar(value):
            return LaplaceLaw(grid_index(value, self.grid), self._steps, self.grid)
        parts = np.asarray(value).ravel()
        return ProductLaw(
            tuple(LaplaceLaw(grid_index(part, self.grid), self._steps, self.grid) for part in parts)
        )

    def pmf(self, distance: Hashable) -> float:
        """The probability that the noise is exactly ``distance``; 0 off the grid."""
        return LaplaceLaw(0, self._steps, self.grid).probability(distance)

    def point(self, place: int, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P[noise = place], in steps."""
        return point(self._steps, place, bits)

    def upper_tail(self, start: int, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P[noise ≥ start], in steps."""
        return upper_tail(self._steps, start, bits)

    quick_upper_tail = upper_tail

    def log_ratio(self, first: int, second: int) -> Fraction:
        """ln(P[noise = first] / P[noise = second]), in steps."""
        return (abs(second) - abs(first)) / self._steps

    @property
    def tail_ratio_is_constant(self) -> bool:
        """Whether the odds between two inputs stay the same beyond both of them: yes."""
        return True

    @property
    def tail_start(self) -> int:
        """How far beyond both inputs all further outputs are compared as one: at once."""
        return 0

    @property
    def near(self) -> int:
        """A distance in steps that the noise reaches with a probability above 1/8: none."""
        return 0

    def plot(self, *values: object, beside: object = None) -> Any:
        """A picture of the law of the output on each value, or beside other noise on one.

        ``.plot()`` shows the noise around 0; ``.plot(0, 1)`` how the law shifts from one input to
        another, and the logarithm of the ratio of the two, which stays between ±ε;
        ``.plot(beside=dp.Gaussian(sigma=2))`` shows both kinds of noise.
        """
        return plot_noise(self, values, beside)

    @property
    def variance(self) -> float:
        """2q/(1-q)² steps squared, with q = e^(-grid/scale)."""
        rate = self._rate
        if rate < _CONTINUOUS:
            return 2 * float(self.scale) * float(self.scale)
        return 2 * exp(-rate) / expm1(-rate) ** 2 * float(self.grid.step) ** 2

    @property
    def mean_absolute_error(self) -> float:
        """2q/(1-q²) steps, with q = e^(-grid/scale): 0.851 at scale 1 on integers."""
        rate = self._rate
        if rate < _CONTINUOUS:
            return float(self.scale)
        return 2 * exp(-rate) / -expm1(-2 * rate) * float(self.grid.step)

    def tail(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """P[|noise| > distance] = 2q^(m+1)/(1+q) with m whole steps within the distance."""
        rate = self._rate
        whole = np.floor(np.ldexp(np.asarray(distances, np.float64), -self.grid.exponent))
        inside = np.exp(-np.minimum((whole + 1) * rate, 800.0)) * 2 / (1 + exp(-rate))
        return np.where(whole < 0, 1.0, inside)

    @property
    def _rate(self) -> float:
        """grid/scale as a float; beyond 1000 its exponential is 0 in floats anyway."""
        return float(min(1 / self._steps, Fraction(1000)))

    def accuracy(self, confidence: object = 0.95, *, cells: int = 1) -> int | float:
        """The least a with P[|noise| ≤ a in all cells at once] ≥ confidence.

        It is exact up to a scale of 2^45 steps, and beyond at most one part in 2^40 too large.

        >>> Laplace(scale=1).accuracy(0.95, cells=10_000)
        12
        """
        level, many = read_confidence(confidence), read_count(cells, "cells", "released numbers")
        return self.grid.value(least_reach(self._steps, level, many))

    def union_bound(self, confidence: object = 0.95, *, cells: int = 1) -> float:
        """The lectures' bound scale·ln(cells/β) with β = 1 - confidence, made true on a grid.

        P[some |noise| ≥ bound] ≤ β by the union bound over the cells.  The grid adds
        scale·ln(2/(1+q)), at most half a step.

        >>> round(Laplace(scale=1, grid=2**-30).union_bound(0.95, cells=10_000), 1)
        12.2
        """
        miss = log_of(1 - read_confidence(confidence))
        many = read_count(cells, "cells", "released numbers")
        factor = log(many) - miss - log1p(expm1(-self._rate) / 2)
        return nextafter(float(self.scale) * factor * (1 + 2.0**-50), inf)


def _read_l1(sensitivity: object) -> Sensitivity:
    """An L1 sensitivity given as a number or as a Sensitivity."""
    if isinstance(sensitivity, Sensitivity):
        return sensitivity
    distance = read_positive(
        sensitivity, "sensitivity", "Use the largest move of the answer, for example 1."
    )
    return Sensitivity(l1=distance)
