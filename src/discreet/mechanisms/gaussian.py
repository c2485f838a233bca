"""Gaussian noise on a grid, its exact law and how far it reaches."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil, erfc, floor, isqrt, log, log2, nextafter, pi, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import PrivacyParameterError, VerificationError
from discreet.exact import Grid, exp_minus, logarithm, rational, square_root
from discreet.exact.normal import (
    point_weights,
    tail_between,
    tail_weight,
    tail_weights,
    theta_excess,
    total_weight,
)
from discreet.exact.rational import WrittenNumber
from discreet.mechanisms.additive_noise import add_noise, exact_sum, grid_index, is_scalar
from discreet.mechanisms.gaussian_calibration import (
    concentrated_sigma,
    least_epsilon,
    least_sigma,
)
from discreet.mechanisms.gaussian_moves import Move
from discreet.mechanisms.law_plots import plot_noise
from discreet.noise import BitSource, Keystream, gaussian, gaussian_integer, geometric
from discreet.noise.bernoulli import bernoulli_decay
from discreet.privacy.events import DiscreteGaussianEvent
from discreet.privacy.joint_noise import GAUSSIAN, NoiseFamily
from discreet.privacy.laws import MAX_ATOMS, Atom, EnclosedLaw, Law, ProductLaw, nearest_float
from discreet.privacy.losses import (
    ApproximateDP,
    PureDP,
    ZeroConcentratedDP,
    read_confidence,
    read_count,
    read_delta,
    read_epsilon,
    read_positive,
    rounded_up,
)
from discreet.privacy.sensitivity import Sensitive, Sensitivity

LARGEST_EXACT = 10_000**2
"""Up to this variance the accuracy is exact; beyond, it may be one step above the least."""

_WIDE = 1 << 40  # beyond this spread the accuracy is found on this scale
_SMALL = 64  # up to this variance a tail is summed at once; beyond, integrals are tried first
_NEGLIGIBLE = 112  # e^-112 < 2^-161
_TABLED = 1 << 26  # the variance up to which all tails are summed up at once
_QUICK = 320  # the bits up to which, beyond that variance, integrals enclose a chance


_INTEGERS = Grid(0)
_SUMMED = 1000  # up to this spread in steps, moments and tails are sums over the integers


@dataclass(frozen=True, slots=True)
class GaussianLaw:
    """P(x) ∝ e^(-(x - center)²/(2·variance)) on grid points; the variance is in steps."""

    center: int
    variance: Fraction
    grid: Grid

    def probability(self, outcome: Hashable) -> float:
        """The probability of a grid value."""
        place = steps_of(outcome, self.grid, "outcome")
        if place.denominator != 1:
            return 0.0
        return noise_probability(self.variance, int(place) - self.center)

    def enclose(self, outcome: Hashable, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P(outcome); 0 off the grid."""
        place = steps_of(outcome, self.grid, "outcome")
        if place.denominator != 1:
            return 0, 0
        return point(self.variance, int(place) - self.center, bits)

    def clamped(self, low: int, high: int) -> EnclosedLaw:
        """The law of the output, moved to the nearer of two grid points where it is outside."""

        def enclosures(bits: int) -> list[tuple[int, int]]:
            if low == high:
                return [_one(bits)]
            inside = range(low + 1, high)
            points = [point(self.variance, at - self.center, bits) for at in inside]
            return [
                self._side(self.center - low, bits),
                *points,
                self._side(high - self.center, bits),
            ]

        outcomes = tuple(self.grid.value(place) for place in range(low, high + 1))
        return EnclosedLaw(outcomes, enclosures)

    def _side(self, distance: int, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P[so far to one given side, or farther]."""
        if distance >= 1:
            return _tail(self.variance, distance, bits)
        least, most = _tail(self.variance, 1 - distance, bits)
        return (1 << bits) - most, (1 << bits) - least

    def against(self, other: Law) -> list[Atom]:
        """Every point around the two centers, and two far tails."""
        if not isinstance(other, GaussianLaw) or (self.variance, self.grid) != (
            other.variance,
            other.grid,
        ):
            raise VerificationError(
                "the two laws have different spreads. Only two outputs of one mechanism can be "
                "compared. Verify one mechanism on two inputs."
            )
        left, right = sorted((self.center, other.center))
        if left == right:
            return [Atom(outcome=self.grid.value(left), first=_one, second=_one, ratio=Fraction(1))]
        reach = negligible_reach(self.variance)
        low, high = left - reach, right + reach
        if high - low > MAX_ATOMS:
            raise VerificationError(
                f"the comparison has {high - low} outcomes, more than {MAX_ATOMS}. They are "
                "enumerated exactly. Verify on a coarser grid: the loss is nearly the same."
            )
        size = high - low + 1
        points = [
            Atom(
                outcome=self.grid.value(place),
                first=partial(_point, self.variance, size, abs(place - self.center)),
                second=partial(_point, self.variance, size, abs(place - other.center)),
                log_ratio=self._log_ratio(other, place),
                single=True,
            )
            for place in range(low, high + 1)
        ]
        tails = [
            Atom(
                outcome=self.grid.value(place),
                first=partial(_tail, self.variance, abs(place - self.center)),
                second=partial(_tail, self.variance, abs(place - other.center)),
                constant=False,
            )
            for place in (low - 1, high + 1)
        ]
        return [tails[0], *points, tails[1]]

    def _log_ratio(self, other: "GaussianLaw", place: int) -> Fraction:
        near, far = place - self.center, place - other.center
        return (far * far - near * near) / (2 * self.variance)


def steps_of(value: object, grid: Grid, name: str) -> Fraction:
    """A number in grid steps; a float is the binary fraction that it is, as the grid makes it."""
    exact = Fraction(value) if isinstance(value, float) else rational(value, name)
    return exact / grid.step


def noise_probability(variance: Fraction, place: int) -> float:
    """P(X = place), to the nearest float."""
    return nearest_float(partial(point, variance, place))


@lru_cache(maxsize=4096)
def point(variance: Fraction, place: int, bits: int) -> tuple[int, int]:
    """An enclosure of 2^bits · P(X = place)."""
    low, high = exp_minus(place * place / (2 * variance), bits + 8)
    least, most = total_weight(variance, bits + 8)
    return (low << bits) // most, -(-(high << bits) // least)


@lru_cache(maxsize=4)
def _points(variance: Fraction, size: int, bits: int) -> list[tuple[int, int]]:
    """Enclosures of 2^bits · P(X = x) for x = 0 … size - 1."""
    least, most = total_weight(variance, bits + 8)
    return [
        ((low << bits) // most, -(-(high << bits) // least))
        for low, high in point_weights(variance, size, bits + 8)
    ]


def _point(variance: Fraction, size: int, place: int, bits: int) -> tuple[int, int]:
    return _points(variance, size, bits)[place]


def _tail(variance: Fraction, start: int, bits: int) -> tuple[int, int]:
    """An enclosure of 2^bits · P[X ≥ start], for start ≥ 1."""
    low, high = tail_weight(variance, start, bits + 8)
    least, most = total_weight(variance, bits + 8)
    return (low << bits) // most, -(-(high << bits) // least)


@lru_cache(maxsize=4096)
def upper_tail(variance: Fraction, start: int, bits: int) -> tuple[int, int]:
    """An enclosure of 2^bits · P[X ≥ start], made for many starts: their sums are made at once."""
    if start < 1:
        low, high = upper_tail(variance, 1 - start, bits)
        return (1 << bits) - high, (1 << bits) - low
    if variance > _TABLED:
        return _tail(variance, start, bits)
    tails = tail_weights(variance, bits + 16)
    low, high = tails[min(start, len(tails)) - 1]
    least, most = total_weight(variance, bits + 16)
    return (low << bits) // most, -(-(high << bits) // least)


def quick_upper_tail(variance: Fraction, start: int, bits: int) -> tuple[int, int]:
    """An enclosure of ``upper_tail``, by integrals beyond σ = 2^13.

    It may then be 2^bits/(4σ²) wide, up to 320 bits.  So the sum, whose time grows with σ,
    decides one draw in 4σ² at most.
    """
    if bits > _QUICK or variance <= _TABLED:
        return upper_tail(variance, start, bits)
    # All weights add up to √(2π·variance), but for less than 2^-(10^9) of it.
    low, high = tail_between(variance, max(start, 1 - start), bits)
    low, one = max(0, low - 1), 1 << bits
    return (low, high) if start >= 1 else (one - high, one - low)


def _one(bits: int) -> tuple[int, int]:
    return 1 << bits, 1 << bits


def negligible_reach(variance: Fraction) -> int:
    """A distance that the noise exceeds with probability below 2^-160: P[X ≥ a] ≤ e^(-a²/2v)."""
    return isqrt(ceil(2 * variance * _NEGLIGIBLE)) + 1


@lru_cache(maxsize=1024)
def least_reach(variance: Fraction, level: Fraction, cells: int) -> int:
    """The least a with P[|X| ≤ a]^cells ≥ level, or a little above it where the noise is wide."""
    if variance > _WIDE**2:
        # P[|X| > a] ≤ P[|N(0, variance)| > a], and a normal law may be measured on any scale.
        _, spread = square_root(variance, 0)
        return -(-spread * (least_reach(Fraction(_WIDE**2), level, cells) + 1) // _WIDE)
    bits = 96 + cells.bit_length() + ceil(log2(level.denominator))
    allowed = _allowed(level, cells, bits)
    spread, _ = square_root(variance, 64)
    guess = int(_quantile(float(Fraction(allowed[0], 1 << bits))) * Fraction(spread, 1 << 64))
    step = 1
    if _covers(variance, guess, allowed, bits):
        low, high = guess - 1, guess
        while low >= 0 and _covers(variance, low, allowed, bits):
            low, high, step = low - 2 * step, low, 2 * step
        low = max(low, -1)
    else:
        low, high = guess, guess + 1
        while not _covers(variance, high, allowed, bits):
            low, high, step = high, high + 2 * step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _covers(variance, middle, allowed, bits) else (middle, high)
    return high


def _allowed(level: Fraction, cells: int, bits: int) -> tuple[int, int]:
    """Enclose ``2**bits · (1 - level^(1/cells))``: what each cell may miss."""
    one = 1 << bits
    if cells == 1:
        missed = (1 - level) * one
        return missed.__floor__(), missed.__ceil__()
    low, high = logarithm(level, bits)
    _, most = exp_minus(Fraction(-high, cells << bits), bits)
    least, _ = exp_minus(Fraction(-low, cells << bits), bits)
    return one - most, one - least


def _covers(variance: Fraction, reach: int, allowed: tuple[int, int], bits: int) -> bool:
    """Whether P[|X| > reach] is at most what is allowed, for certain."""
    if variance > _SMALL:
        low, high = tail_between(variance, reach + 1, bits)
        if 2 * high <= allowed[0]:
            return True
        _, wave = theta_excess(variance, bits)
        if 2 * (low << bits) > allowed[1] * ((1 << bits) + wave) or variance > LARGEST_EXACT:
            return False
    _, high = _tail(variance, reach + 1, bits)
    return 2 * high <= allowed[0]


def _quantile(missed: float) -> Fraction:
    """About the z with P[|N(0,1)| > z] = missed."""
    low, high = 0.0, 40.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if erfc(middle / sqrt(2)) > missed else (low, middle)
    return Fraction(high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian:
    """Integer Gaussian noise in steps of a grid: P(k steps) ∝ e^(-(k·grid)²/(2·sigma²)), exactly.

    Guarantee: if one unit moves the input, rounded to the grid, by at most d in L2, the output
    is d²/(2·sigma²)-zCDP, and (ε,δ)-DP for the ε and δ that ``loss`` states.
    Proofs: docs/proofs/gaussian.md, docs/proofs/gaussian-vectors.md

    >>> Gaussian(sigma=2).loss(Sensitivity(l2=1))
    ZeroConcentratedDP(rho=1/8)
    >>> Gaussian(sigma=2).accuracy(0.95)
    4
    """

    sigma: Fraction
    grid: Grid = _INTEGERS
    family: ClassVar[NoiseFamily] = GAUSSIAN
    _variance: Fraction = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:

        def __init__(
            self, *, sigma: WrittenNumber, grid: Grid | WrittenNumber = _INTEGERS
        ) -> None: ...

    def __post_init__(self) -> None:
        sigma = read_positive(self.sigma, "sigma", "Use Gaussian.calibrated(…), or for example 2.")
        grid = Grid.of(self.grid)
        object.__setattr__(self, "sigma", sigma)
        object.__setattr__(self, "grid", grid)
        object.__setattr__(self, "_variance", (sigma / grid.step) ** 2)

    @classmethod
    def calibrated(
        cls,
        *,
        sensitivity: object,
        epsilon: object,
        delta: object,
        grid: object = 1,
        dimension: int | None = None,
    ) -> "Gaussian":
        """The noise that makes an answer with this L2 sensitivity on the grid (ε,δ)-DP.

        The sensitivity is that of the rounded answer, the root of a whole number of steps: for
        real numbers ``dp.Sensitivity(l2=…).rounded(grid, dimension)``.  ``dimension`` is the
        number of coordinates of the answer.  Without it the noise is right for any number of
        them, which costs a single number at most a few percent, and nothing where the sensitivity
        is one step or many.  A single number, ``dimension=1``, may be real: it is rounded up.

        >>> Gaussian.calibrated(sensitivity=1, epsilon=1, delta=1e-6)
        Gaussian(sigma=4.230779)
        """
        privacy, level, steps = read_epsilon(epsilon), _read_delta(delta), Grid.of(grid)
        coordinates = _read_dimension(dimension)
        squares = _read_l2(sensitivity).squared_in_steps(steps, coordinates)
        move = Move.of(squares, coordinates)
        return cls(sigma=least_sigma(move, privacy, level) * steps.step, grid=steps)

    @classmethod
    def for_rho(
        cls, *, sensitivity: object, rho: object, grid: object = 1, dimension: int | None = None
    ) -> "Gaussian":
        """The least noise that makes an answer with this L2 sensitivity on the grid ρ-zCDP.

        Its sigma is a short decimal above the least one, so that it costs ρ or a little less.
        The sensitivity and ``dimension`` are as for ``calibrated``.

        >>> Gaussian.for_rho(sensitivity=1, rho="1/8")
        Gaussian(sigma=2)
        >>> Gaussian.for_rho(sensitivity=Sensitivity(squared_l2=20), rho="1/8").sigma ** 2 >= 80
        True
        """
        level, steps = read_positive(rho, "rho", "Use for example rho=0.01."), Grid.of(grid)
        squares = _read_l2(sensitivity).squared_in_steps(steps, _read_dimension(dimension))
        return cls(sigma=concentrated_sigma(squares, level) * steps.step, grid=steps)

    def __repr__(self) -> str:
        grid = "" if self.grid == _INTEGERS else f", grid={self.grid.step}"
        return f"Gaussian(sigma={_shown(self.sigma)}{grid})"

    def __call__(
        self, value: object, *, source: BitSource | None = None
    ) -> int | float | NDArray[Any]:
        """The value, or every value of an array, rounded to the grid, plus fresh noise."""
        variance = self._variance
        return add_noise(
            value,
            self.grid,
            Keystream() if source is None else source,
            lambda bits: gaussian_integer(variance, bits),
            self.draw,
        )

    def described(self, step: Fraction) -> str:
        """How a plan names it: its sigma in the answer's own unit, of which a step is so much.

        >>> Gaussian(sigma=2).described(Fraction(1, 2))
        'Gaussian(sigma=1)'
        """
        return f"Gaussian(sigma={float(self.sigma * step):.6g})"

    def release(self, steps: Sensitive[Any], source: BitSource) -> Any:
        """Fresh noise on values that are already counted in grid steps; the result is too.

        Takes an integer, a tuple of integers or an array of them, and gives back the same.
        """
        true = steps.open()
        if isinstance(true, int):
            return true + gaussian_integer(self._variance, source)
        if isinstance(true, tuple):
            return tuple(value + gaussian_integer(self._variance, source) for value in true)
        return exact_sum(true, self.draw(true.size, source))

    def draw(self, count: int, source: BitSource) -> NDArray[Any]:
        """So many independent draws of the noise, in steps."""
        return gaussian(self._variance, count, source=source)

    def draw_excess(self, missing: int, count: int, source: BitSource) -> NDArray[np.object_]:
        """``noise - missing`` in steps, given that it is 0 or more, for missing ≥ 1.

        e^(-(missing+k)²/(2·variance)) is, up to a constant, e^(-k·missing/variance), which is
        geometric, times e^(-k²/(2·variance)), with which probability it is kept.
        Proof: docs/proofs/sieve.md
        """
        variance = self._variance
        excesses = np.empty(count, np.object_)
        waiting = np.arange(count)
        while waiting.size:
            tried = geometric(variance / missing, waiting.size, source=source).astype(np.object_)
            kept = np.fromiter(
                (
                    bernoulli_decay(k * k * variance.denominator, 2 * variance.numerator, source)
                    for k in tried
                ),
                np.bool_,
                tried.size,
            )
            excesses[waiting[kept]] = tried[kept]
            waiting = waiting[~kept]
        return excesses

    def loss(
        self, sensitivity: Sensitivity, *, delta: object = None, dimension: int | None = None
    ) -> ZeroConcentratedDP | ApproximateDP:
        """The loss when one unit moves the rounded input by at most this L2 sensitivity.

        Without ``delta`` it is the exact zCDP.  With it, the least ε that is proved at this δ,
        rounded up; ``dimension`` is the number of coordinates of the input, or any if not given.

        >>> noise = Gaussian.calibrated(sensitivity=1, epsilon=1, delta=1e-6)
        >>> round(float(noise.loss(Sensitivity(l2=1), delta=1e-6).epsilon), 6)
        1.0
        """
        coordinates = _read_dimension(dimension)
        squares = Sensitivity.read(sensitivity).squared_in_steps(self.grid, coordinates)
        if delta is None:
            return ZeroConcentratedDP(rho=rounded_up(squares / (2 * self._variance)))
        level = _read_delta(delta)
        if squares == 0:
            return ApproximateDP(epsilon=Fraction(0), delta=Fraction(0))
        move = Move.of(squares, coordinates)
        return ApproximateDP(epsilon=least_epsilon(self._variance, move, level), delta=level)

    def event(
        self,
        sensitivity: Sensitivity,
        loss: PureDP | ApproximateDP | None = None,
        *,
        dimension: int | None = None,
    ) -> DiscreteGaussianEvent:
        """What a ledger writes down: how the noise was made, from which its loss follows.

        So a promised ``loss`` is not written, and need not be there.  Each coordinate that moves
        does so by a step at least, so that no more of them move than the norms, or a known
        ``dimension``, allow.

        >>> Gaussian(sigma=4).event(Sensitivity(l1=8, squared_l2=20))
        DiscreteGaussianEvent(variance=Fraction(16, 1), squared_sensitivity=20, coordinates=8)
        >>> Gaussian(sigma=4).event(Sensitivity(squared_l2=20))
        DiscreteGaussianEvent(variance=Fraction(16, 1), squared_sensitivity=20, coordinates=20)
        """
        norms, count = Sensitivity.read(sensitivity), _read_dimension(dimension)
        squares = norms.squared_in_steps(self.grid, count)
        coordinates = Move.of(squares, count).coordinates
        if norms.l1 is not None:
            coordinates = min(coordinates, max(1, floor(norms.l1 / self.grid.step)))
        return DiscreteGaussianEvent(
            variance=self._variance, squared_sensitivity=squares, coordinates=coordinates
        )

    def law(self, value: object) -> Law:
        """The exact law of the output on this input."""
        if is_scalar(value):
            return GaussianLaw(grid_index(value, self.grid), self._variance, self.grid)
        parts = np.asarray(value).ravel()
        return ProductLaw(
            tuple(
                GaussianLaw(grid_index(part, self.grid), self._variance, self.grid)
                for part in parts
            )
        )

    def pmf(self, distance: object) -> float:
        """The probability that the noise is exactly ``distance``; 0 off the grid."""
        steps = steps_of(distance, self.grid, "distance")
        return noise_probability(self._variance, int(steps)) if steps.denominator == 1 else 0.0

    def point(self, place: int, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P[noise = place], in steps."""
        return point(self._variance, place, bits)

    def upper_tail(self, start: int, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P[noise ≥ start], in steps."""
        return upper_tail(self._variance, start, bits)

    def quick_upper_tail(self, start: int, bits: int) -> tuple[int, int]:
        """The same, for a draw: beyond sigma = 2^13 steps it may be wider, up to 320 bits."""
        return quick_upper_tail(self._variance, start, bits)

    def log_ratio(self, first: int, second: int) -> Fraction:
        """ln(P[noise = first] / P[noise = second]), in steps."""
        return (second * second - first * first) / (2 * self._variance)

    @property
    def tail_ratio_is_constant(self) -> bool:
        """Whether the odds between two inputs stay the same beyond both of them: they grow."""
        return False

    @property
    def tail_start(self) -> int:
        """How far beyond both inputs all further outputs are compared as one, in steps.

        The noise is farther with a probability below 2^-160.
        """
        return negligible_reach(self._variance)

    @property
    def near(self) -> int:
        """A distance in steps that the noise reaches with a probability above 1/8."""
        return isqrt(int(self._variance))

    def plot(self, *values: object, beside: object = None) -> Any:
        """A picture of the law of the output on each value, or beside other noise on one.

        ``.plot()`` shows the noise around 0; ``.plot(0, 1)`` how the law shifts from one input to
        another, and the logarithm of the ratio of the two, which grows without end;
        ``.plot(beside=dp.Laplace(scale=2))`` shows both kinds of noise.
        """
        return plot_noise(self, values, beside)

    @property
    def steps(self) -> Fraction:
        """Sigma, counted in steps of the grid."""
        return self.sigma / self.grid.step

    @property
    def variance(self) -> float:
        """The noise's own variance: sigma² on a fine grid, a little less on a coarse one.

        It is sigma² to one part in 10^30 once sigma is two steps.
        """
        if self._variance > 4:
            return float(self.sigma) * float(self.sigma)
        places, weights = self._right_side()
        return 2 * float(places**2 @ weights) * float(self.grid.step) ** 2

    @property
    def mean_absolute_error(self) -> float:
        """E|noise|: sigma·√(2/π) on a fine grid."""
        spread = float(self.sigma / self.grid.step)
        if spread > _SUMMED:
            # Euler and Maclaurin: Σ x·e^(-x²/(2s²)) over x ≥ 1 is s² - 1/12 + O(1/s²).
            steps = spread * sqrt(2 / pi) * (1 - 1 / spread / spread / 12)
        else:
            places, weights = self._right_side()
            steps = 2 * float(places @ weights)
        return steps * float(self.grid.step)

    def tail(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """P[|noise| > distance], in floats."""
        whole = np.floor(np.asarray(distances) / float(self.grid.step))
        spread = float(self.sigma / self.grid.step)
        if spread > _SUMMED:
            # By the midpoint rule and its first correction: off by less than 1/spread⁴.
            reaches = (whole + 0.5) / spread
            beyond = np.array([erfc(reach / sqrt(2)) for reach in reaches.ravel()])
            excess = reaches * np.exp(-(reaches**2) / 2) / (12 * sqrt(2 * pi) * spread * spread)
            inside = beyond.reshape(whole.shape) - excess
        else:
            _, weights = self._right_side()
            beyond = 2 * np.append(np.cumsum(weights[::-1])[::-1], 0.0)
            inside = beyond[np.clip(whole, 0, weights.size).astype(np.int64)]
        return np.where(whole < 0, 1.0, inside)

    def _right_side(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The positive places as far as floats see them, and their probabilities."""
        square = max(float(self._variance), 1e-6)
        places = np.arange(1, ceil(sqrt(1500 * square)) + 2, dtype=np.float64)
        weights = np.exp(-(places**2) / (2 * square))
        return places, weights / (1 + 2 * weights.sum())

    def accuracy(self, confidence: object = 0.95, *, cells: int = 1) -> int | float:
        """The least a with P[|noise| ≤ a in all cells at once] ≥ confidence.

        It is exact where sigma is at most 10,000 steps.  Beyond, it may be one step above the
        least, and beyond 2^40 steps also one part in 10^11.

        >>> Gaussian(sigma=1).accuracy(0.95), Gaussian(sigma=1).accuracy(0.95, cells=10_000)
        (2, 4)
        """
        level = read_confidence(confidence)
        return self.grid.value(least_reach(self._variance, level, _read_cells(cells)))

    def union_bound(self, confidence: object = 0.95, *, cells: int = 1) -> float:
        """The bound sigma·√(2·ln(2·cells/β)) with β = 1 - confidence, on every grid.

        P[some |noise| ≥ bound] ≤ β by the union bound over the cells and P[noise ≥ t] ≤
        e^(-t²/(2·sigma²)).

        >>> round(Gaussian(sigma=1).union_bound(0.95, cells=10_000), 2)
        5.08
        """
        beta = 1 - read_confidence(confidence)
        logarithm = log(2 * _read_cells(cells) * beta.denominator) - log(beta.numerator)
        bound = float(self.sigma) * sqrt(2 * logarithm)
        return nextafter(bound * (1 + 2.0**-50), float("inf"))


def _shown(sigma: Fraction) -> str:
    """The number as one would write it: as a decimal where that is short."""
    if sigma.denominator == 1 or sigma.numerator.bit_length() > 53:
        return str(sigma)
    decimal = repr(float(sigma))
    return decimal if Fraction(decimal) == sigma else str(sigma)


def _read_l2(sensitivity: object) -> Sensitivity:
    """A positive L2 sensitivity given as a number or as a Sensitivity."""
    given = isinstance(sensitivity, Sensitivity)
    distance = read_positive(
        sensitivity.need("l2") if given else sensitivity,  # type: ignore[attr-defined]
        "sensitivity",
        "Use the largest move of the answer in L2, for example 1.",
    )
    return sensitivity if given else Sensitivity(l2=distance)  # type: ignore[return-value]


def _read_delta(delta: object) -> Fraction:
    level = read_delta(delta)
    if level == 0:
        raise PrivacyParameterError(
            "delta is 0. Gaussian noise has no pure ε, so it needs a δ above 0. Use something far "
            "below 1/(number of people), such as delta=1e-6, or Laplace noise."
        )
    return level


def _read_dimension(dimension: int | None) -> int | None:
    return None if dimension is None else read_count(dimension, "dimension", "coordinates")


def _read_cells(cells: int) -> int:
    return read_count(cells, "cells", "released numbers")
