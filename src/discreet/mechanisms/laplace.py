"""Laplace noise on a grid, its exact law and how far it reaches."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil, exp, expm1, floor, inf, log, log1p, nextafter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import VerificationError
from discreet.exact import Grid, exp_minus, logarithm
from discreet.exact.rational import WrittenNumber
from discreet.mechanisms.additive_noise import add_noise, exact_sum, grid_index, is_scalar, steps_of
from discreet.mechanisms.law_plots import plot_noise
from discreet.noise import BitSource, Keystream, geometric, laplace, laplace_integer
from discreet.privacy.events import DiscreteLaplaceEvent
from discreet.privacy.joint_noise import LAPLACE, NoiseFamily
from discreet.privacy.laws import (
    MAX_ATOMS,
    Atom,
    ExponentialTerms,
    Law,
    ProductLaw,
    SummedLaw,
    nearest_float,
    sum_of_terms,
)
from discreet.privacy.losses import (
    ApproximateDP,
    PureDP,
    read_confidence,
    read_count,
    read_epsilon,
    read_positive,
)
from discreet.privacy.sensitivity import Sensitive, Sensitivity

_BITS = 128
_RARE = Fraction(1, 1 << 30)
_WIDE = 1 << 45


_CONTINUOUS = 2.0**-30  # grid/scale below which floats do not tell the grid from the continuum
_INTEGERS = Grid(0)


@dataclass(frozen=True, slots=True)
class LaplaceLaw:
    """P(x) = (1-q)/(1+q) · q^|x - center| on grid points, q = e^(-1/steps)."""

    center: int
    steps: Fraction
    grid: Grid

    def probability(self, outcome: Hashable) -> float:
        """The probability of a grid value."""
        return nearest_float(partial(self.enclose, outcome))

    def enclose(self, outcome: Hashable, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P(outcome); 0 off the grid."""
        place = steps_of(outcome, self.grid, "outcome")
        if place.denominator != 1:
            return 0, 0
        return point(self.steps, int(place) - self.center, bits)

    def clamped(self, low: int, high: int) -> SummedLaw:
        """The law of the output, moved to the nearer of two grid points where it is outside.

        In weights that sum to 1 + q a point has q^d - q^(d+1), and a side that starts d ≥ 0
        steps away from the center has q^d.
        """
        sums: dict[Hashable, ExponentialTerms] = {
            self.grid.value(place): self._weight(abs(place - self.center))
            for place in range(low, high + 1)
        }
        sums[self.grid.value(low)] = self._side(self.center - low)
        sums[self.grid.value(high)] = self._side(high - self.center)
        if low == high:
            sums = {self.grid.value(low): {Fraction(0): Fraction(1)}}
        return SummedLaw(sums)

    def _weight(self, distance: int) -> ExponentialTerms:
        return {distance / self.steps: Fraction(1), (distance + 1) / self.steps: Fraction(-1)}

    def _side(self, distance: int) -> ExponentialTerms:
        """1 + q times the probability of being so far to one given side, or farther."""
        if distance >= 0:
            return {distance / self.steps: Fraction(1)}
        other = {Fraction(0): Fraction(1), 1 / self.steps: Fraction(1)}
        return sum_of_terms([other, {(1 - distance) / self.steps: Fraction(-1)}])

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
        if apart == 0:
            return [self._atom(left, _one, _one, 0)]
        if apart > MAX_ATOMS:
            raise VerificationError(
                f"the inputs are {apart} grid steps apart, more than {MAX_ATOMS}. Every point "
                "between them is compared exactly. Verify on a coarser grid: the loss is the same."
            )
        near, far = partial(_side, self.steps, 0), partial(_side, self.steps, apart)
        between = [
            self._atom(
                place,
                partial(point, self.steps, place - left),
                partial(point, self.steps, right - place),
                right + left - 2 * place,
            )
            for place in range(left + 1, right)
        ]
        return [self._atom(left, near, far, apart), *between, self._atom(right, far, near, -apart)]

    def _atom(
        self,
        place: int,
        first: Callable[[int], tuple[int, int]],
        second: Callable[[int], tuple[int, int]],
        nearer: int,
    ) -> Atom:
        """Outcomes that lie ``nearer`` steps nearer to the first center than to the second."""
        return Atom(
            outcome=self.grid.value(place),
            first=first,
            second=second,
            log_ratio=nearer / self.steps,
        )


@lru_cache(maxsize=4096)
def point(steps: Fraction, place: int, bits: int) -> tuple[int, int]:
    """An enclosure of 2^bits · P[noise = place]: (1-q)/(1+q) · q^|place|."""
    work = bits + 16
    low, high = _side(steps, abs(place), work)
    q_low, q_high = exp_minus(1 / steps, work)
    one = 1 << work
    shift = work + 16
    return low * (one - q_high) >> shift, -(-high * (one - q_low) >> shift)


@lru_cache(maxsize=4096)
def upper_tail(steps: Fraction, start: int, bits: int) -> tuple[int, int]:
    """An enclosure of 2^bits · P[noise ≥ start]."""
    if start >= 1:
        return _side(steps, start, bits)
    low, high = _side(steps, 1 - start, bits)
    return (1 << bits) - high, (1 << bits) - low


def _side(steps: Fraction, distance: int, bits: int) -> tuple[int, int]:
    """Enclose 2^bits times the probability of being so far to one given side, or farther.

    That is q^distance/(1+q) for a distance of 0 or more.
    """
    work = bits + 16
    low, high = exp_minus(distance / steps, work)
    q_low, q_high = exp_minus(1 / steps, work)
    return (low << bits) // ((1 << work) + q_high), -((-high << bits) // ((1 << work) + q_low))


def _one(bits: int) -> tuple[int, int]:
    return 1 << bits, 1 << bits


# ---------------------------------------------------------------------- reach


@lru_cache(maxsize=256)
def least_reach(steps: Fraction, level: Fraction, cells: int) -> int:
    """An a with P[|noise| ≤ a steps in all cells at once] ≥ level, for certain.

    It is the least one, or in spreads beyond 2^45 steps at most one part in 2^40 above it.
    """
    if steps > _WIDE:
        # P[|noise| ≥ k·b] ≤ P[|noise of scale steps/b| ≥ k], so whole blocks of b steps cover.
        block = 1 << (floor(steps).bit_length() - _WIDE.bit_length() + 1)
        return block * (least_reach(steps / block, level, cells) + 1) - 1
    high = max(0, _estimated_reach(steps, level, cells))
    low, stride = high - 1, 1
    # The estimate is a float's: double the stride until one end covers and the other does not.
    while not _covers(high, steps, level, cells):
        low, high, stride = high, high + stride, 2 * stride
    while low >= 0 and _covers(low, steps, level, cells):
        low, high, stride = low - stride, low, 2 * stride
    low = max(low, -1)
    while high - low > 1:
        middle = (low + high) // 2
        if _covers(middle, steps, level, cells):
            high = middle
        else:
            low = middle
    return high


def _covers(reach: int, steps: Fraction, level: Fraction, cells: int) -> bool:
    """Whether (1 - P[|noise| > reach])^cells ≥ level, for certain."""
    miss = 1 - level
    bits = _BITS + cells.bit_length() + miss.denominator.bit_length()
    _, decay = exp_minus((reach + 1) / steps, bits)
    q_low, _ = exp_minus(1 / steps, bits)
    tail = Fraction(2 * decay, (1 << bits) + q_low)
    if tail >= 1:
        return False
    inside, _ = logarithm(1 - tail, bits)
    _, wanted = logarithm(level, bits)
    return cells * inside >= wanted


def _estimated_reach(steps: Fraction, level: Fraction, cells: int) -> int:
    """ceil(steps·ln(2/((1+q)·β))) - 1, where β is what each of the cells may miss."""
    miss = 1 - level
    log_miss = log_of(miss) - log(cells) if miss < _RARE else log(-expm1(log_of(level) / cells))
    q = exp(-float(min(1 / steps, Fraction(1000))))
    return ceil(steps * Fraction(log(2) - log1p(q) - log_miss)) - 1


def log_of(value: Fraction) -> float:
    """ln(value) for a rational that may be beyond the floats."""
    return log(value.numerator) - log(value.denominator)


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
    family: ClassVar[NoiseFamily] = LAPLACE
    _steps: Fraction = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:

        def __init__(
            self, *, scale: WrittenNumber, grid: Grid | WrittenNumber = _INTEGERS
        ) -> None: ...

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
