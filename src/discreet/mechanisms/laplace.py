"""Laplace noise on a grid."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, log, log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import PrivacyParameterError, VerificationError
from discreet.exact import Grid, decimal_text, exp_minus, logarithm, rational
from discreet.mechanisms.additive import add_noise, exact_sum, grid_index, is_scalar
from discreet.noise import BitSource, Keystream, laplace, laplace_integer
from discreet.privacy.laws import MAX_ATOMS, Atom, Law, ProductLaw
from discreet.privacy.losses import PureDP
from discreet.privacy.parameters import read_epsilon, read_positive
from discreet.privacy.sensitive import Sensitive
from discreet.privacy.sensitivity import Sensitivity

_BITS = 128
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

        >>> Laplace.calibrated(sensitivity=1, epsilon=0.5)
        Laplace(scale=2)
        """
        distance = read_l1(sensitivity)
        return cls(scale=distance / read_epsilon(epsilon), grid=Grid.of(grid))

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
            lambda count, bits: laplace(steps, count, source=bits),
        )

    def release(self, steps: Sensitive[Any], source: BitSource) -> Any:
        """Fresh noise on values that are already counted in grid steps; the result is too.

        Takes an integer, a tuple of integers or an array of them, and gives back the same.
        """
        true = steps.open()
        if isinstance(true, int):
            return true + laplace_integer(self._steps, source)
        if isinstance(true, tuple):
            return tuple(value + laplace_integer(self._steps, source) for value in true)
        return exact_sum(true, laplace(self._steps, true.size, source=source))

    def loss(self, sensitivity: Sensitivity) -> PureDP:
        """The loss when one unit moves the input by at most ``sensitivity.l1``."""
        return PureDP(epsilon=sensitivity.need("l1") / self.scale)

    def law(self, value: object) -> Law:
        """The exact law of the output on this input."""
        if is_scalar(value):
            return LaplaceLaw(grid_index(value, self.grid), self._steps, self.grid)
        parts = np.asarray(value).ravel()
        return ProductLaw(
            tuple(LaplaceLaw(grid_index(part, self.grid), self._steps, self.grid) for part in parts)
        )

    def pmf(self, distance: object) -> float:
        """The probability that the noise is exactly ``distance``; 0 off the grid."""
        steps = rational(distance, "distance") / self.grid.step
        if steps.denominator != 1:
            return 0.0
        return LaplaceLaw(0, self._steps, self.grid).probability(self.grid.value(int(steps)))

    @property
    def variance(self) -> float:
        """2q/(1-q)² steps squared, with q = e^(-grid/scale)."""
        rate = float(1 / self._steps)
        q = exp(-rate)
        return 2 * q / (-np.expm1(-rate)) ** 2 * float(self.grid.step) ** 2

    @property
    def mean_absolute_error(self) -> float:
        """2q/(1-q²) steps, with q = e^(-grid/scale): 0.851 at scale 1 on integers."""
        rate = float(1 / self._steps)
        return 2 * exp(-rate) / -np.expm1(-2 * rate) * float(self.grid.step)

    def tail(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """P[|noise| > distance] = 2q^(m+1)/(1+q) with m whole steps within the distance."""
        rate = float(1 / self._steps)
        whole = np.floor(np.asarray(distances) / float(self.grid.step))
        inside = np.exp(-np.minimum((whole + 1) * rate, 800.0)) * 2 / (1 + exp(-rate))
        return np.where(whole < 0, 1.0, inside)

    def accuracy(self, confidence: object = 0.95, *, cells: int = 1) -> int | float:
        """The least a with P[|noise| ≤ a in all cells at once] ≥ confidence, exactly.

        >>> Laplace(scale=1).accuracy(0.95, cells=10_000)
        12
        """
        level = read_confidence(confidence)
        steps = max(0, int(self._continuous_bound(level, cells)) - 2)
        while not self._covers(steps, level, cells):
            steps += 1
        while steps and self._covers(steps - 1, level, cells):
            steps -= 1
        return self.grid.value(steps)

    def _covers(self, steps: int, level: Fraction, cells: int) -> bool:
        """Whether (1 - P[|noise| > steps])^cells ≥ level, for certain."""
        _, decay = exp_minus((steps + 1) / self._steps, _BITS)
        q_low, _ = exp_minus(1 / self._steps, _BITS)
        tail = Fraction(2 * decay, (1 << _BITS) + q_low)
        if tail >= 1:
            return False
        inside, _ = logarithm(1 - tail, _BITS)
        _, wanted = logarithm(level, _BITS)
        return cells * inside >= wanted

    def _continuous_bound(self, level: Fraction, cells: int) -> float:
        """Where the tail of |noise| falls to what each of the cells may miss, in steps."""
        each = -np.expm1(log(level) / cells) if cells > 1 else float(1 - level)
        size = float(self._steps)
        return size * (log(2 / each) - log1p(exp(-1 / size)))

    def union_bound(self, confidence: object = 0.95, *, cells: int = 1) -> float:
        """The lectures' bound scale·ln(cells/β) with β = 1 - confidence, made true on a grid.

        P[some |noise| ≥ bound] ≤ β by the union bound over the cells.  The grid adds
        scale·ln(2/(1+q)), at most half a step.

        >>> round(Laplace(scale=1, grid=2**-30).union_bound(0.95, cells=10_000), 1)
        12.2
        """
        beta = 1 - read_confidence(confidence)
        size = float(self._steps)
        bound = size * (log(cells) - log(beta) + log(2) - log1p(exp(-1 / size)))
        return bound * float(self.grid.step)


@dataclass(frozen=True, slots=True)
class LaplaceLaw:
    """P(x) = (1-q)/(1+q) · q^|x - center| on grid points, q = e^(-1/steps)."""

    center: int
    steps: Fraction
    grid: Grid

    def probability(self, outcome: Hashable) -> float:
        """The probability of a grid value."""
        place = rational(outcome, "outcome") / self.grid.step
        if place.denominator != 1:
            return 0.0
        low, high = self._times_power(abs(int(place) - self.center), self._one_minus_q, _BITS)
        return float(Fraction(low + high, 2 << _BITS))

    def against(self, other: Law) -> list[Atom]:
        """Two constant tails and the points between the centers."""
        if not isinstance(other, LaplaceLaw) or (other.steps, other.grid) != (
            self.steps,
            self.grid,
        ):
            raise VerificationError(
                "the two laws have different scales. Only two outputs of one mechanism can be "
                "compared. Verify one mechanism on two inputs."
            )
        if other.center < self.center:
            return [atom.swapped() for atom in other.against(self)]
        left, right = self.center, other.center
        apart = right - left
        if apart > MAX_ATOMS:
            raise VerificationError(
                f"the inputs are {apart} grid steps apart, more than {MAX_ATOMS}. Every point "
                "between them is compared exactly. Verify on a coarser grid: the loss is the same."
            )
        tails = [
            Atom(
                outcome=self.grid.value(left),
                first=lambda bits: self._times_power(0, _one, bits),
                second=lambda bits: self._times_power(apart, _one, bits),
                log_ratio=apart / self.steps,
            ),
            Atom(
                outcome=self.grid.value(right),
                first=lambda bits: self._times_power(apart, _one, bits),
                second=lambda bits: self._times_power(0, _one, bits),
                log_ratio=-apart / self.steps,
            ),
        ]
        if apart == 0:
            whole = lambda bits: (1 << bits, 1 << bits)  # noqa: E731
            return [
                Atom(
                    outcome=self.grid.value(left), first=whole, second=whole, log_ratio=Fraction(0)
                )
            ]
        between = [self._point(place, left, right) for place in range(left + 1, right)]
        return [tails[0], *between, tails[1]]

    def _point(self, place: int, left: int, right: int) -> Atom:
        return Atom(
            outcome=self.grid.value(place),
            first=lambda bits: self._times_power(place - left, self._one_minus_q, bits),
            second=lambda bits: self._times_power(right - place, self._one_minus_q, bits),
            log_ratio=(right - place - (place - left)) / self.steps,
        )

    def _one_minus_q(self, bits: int) -> tuple[int, int]:
        low, high = exp_minus(1 / self.steps, bits)
        return (1 << bits) - high, (1 << bits) - low

    def _times_power(self, power: int, factor: Any, bits: int) -> tuple[int, int]:
        """Enclose 2^bits · factor · q^power/(1+q)."""
        work = bits + 16
        low, high = exp_minus(power / self.steps, work)
        q_low, q_high = exp_minus(1 / self.steps, work)
        factor_low, factor_high = factor(work)
        one = 1 << work
        return (
            low * factor_low // (one + q_high) >> 16,
            -(-(-(-high * factor_high // (one + q_low))) >> 16),
        )


def _one(bits: int) -> tuple[int, int]:
    return 1 << bits, 1 << bits


def read_l1(sensitivity: object) -> Fraction:
    """An L1 sensitivity given as a number or as a Sensitivity."""
    if isinstance(sensitivity, Sensitivity):
        return sensitivity.need("l1")
    return read_positive(
        sensitivity, "sensitivity", "Use the largest move of the answer, for example 1."
    )


def read_confidence(confidence: object) -> Fraction:
    """A confidence strictly between 0 and 1."""
    level = rational(confidence, "confidence")
    if not 0 < level < 1:
        raise PrivacyParameterError(
            f"confidence is {decimal_text(level)}. It is the probability that the bound holds, so "
            "it lies between 0 and 1. Use 0.95."
        )
    return level
