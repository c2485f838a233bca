"""Additive noise: a value on the grid plus an integer number of steps."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError
from discreet.exact import Grid, rational
from discreet.noise import BitSource
from discreet.privacy.events import Event, PureEvent
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.sensitivity import Sensitive, Sensitivity

Draw = Callable[[int, BitSource], NDArray[Any]]
DrawOne = Callable[[BitSource], int]
_SAFE = 1 << 62
_NORMAL = (
    1022  # powers of two up to this exponent, and their inverses, are floats of full precision
)
_BLOCK = 1 << 15  # numbers whose arrays stay in the cache


class Mechanism(Protocol):
    """A mechanism that knows what a ledger writes down for it."""

    def event(self, sensitivity: Sensitivity, loss: PureDP | ApproximateDP) -> Event:
        """The event of one release.

        ``sensitivity`` is how far one unit moves the true answer, in the norm that the mechanism
        needs, and ``loss`` is what the release was promised to cost.  A mechanism whose event
        says how its noise was made uses the first, others the second.

        >>> from discreet.mechanisms.laplace import Laplace
        >>> from discreet.mechanisms.selection import NoisyMax
        >>> promised = PureDP(epsilon="1/2")
        >>> Laplace(scale=2).event(Sensitivity(l1=1), promised)
        DiscreteLaplaceEvent(scale=Fraction(2, 1), sensitivity=1)
        >>> NoisyMax(scale=4).event(Sensitivity(linf=1), promised)
        PureEvent(epsilon=Fraction(1, 2))
        """


class MeasureMechanism(Mechanism, Protocol):
    """A mechanism that answers a measure of a table: it takes true integers and gives others."""

    def release(self, true: Any, bits: BitSource, /) -> Any:
        """Integers with fresh noise, or points that were chosen, for all groups."""

    def described(self, step: Fraction) -> str:
        """How a plan names it, where a step of its integers is so much of the answer's unit."""


@dataclass(frozen=True, slots=True)
class Exact:
    """The mechanism that releases a public number as it is.

    Guarantee: what is the same on all neighbors is 0-DP as it is.

    >>> Exact().release(7, None)
    (7,)
    """

    def release(self, public: int | None, bits: BitSource | None) -> tuple[int, ...]:
        """The number as it is."""
        return (public or 0,)

    def event(self, sensitivity: Sensitivity, loss: PureDP | ApproximateDP) -> Event:
        """What the ledger writes down: nothing was spent."""
        return PureEvent(epsilon=Fraction(0))

    def described(self, step: Fraction) -> str:
        """How a plan names it."""
        return "none: the number of rows is public"


class AdditiveNoise(Protocol):
    """Integer noise in steps of a grid, the same on either side of 0.

    Whatever depends on the kind of noise is asked of the noise.  Places, distances and what is
    drawn are counted in steps; ``tail`` and ``accuracy`` are in the unit of the grid.
    """

    @property
    def grid(self) -> Grid:
        """The grid on which values lie."""

    def described(self, step: Fraction) -> str:
        """How a plan names it, where a step of its integers is so much of the answer's unit."""

    def __call__(
        self, value: object, *, source: BitSource | None = None
    ) -> int | float | NDArray[Any]:
        """The value, or every value of an array, rounded to the grid, plus fresh noise."""

    def release(self, steps: Sensitive[Any], source: BitSource) -> Any:
        """Fresh noise on values that are already counted in steps; the result is too."""

    def draw(self, count: int, source: BitSource) -> NDArray[Any]:
        """So many independent draws: int64, or Python integers where one does not fit."""

    def draw_excess(self, missing: int, count: int, source: BitSource) -> NDArray[np.object_]:
        """So many draws of ``noise - missing``, given that it is 0 or more, for missing ≥ 1."""

    @property
    def near(self) -> int:
        """A distance that the noise reaches with a probability above 1/8."""

    def point(self, place: int, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P[noise = place]."""

    def upper_tail(self, start: int, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P[noise ≥ start]."""

    def quick_upper_tail(self, start: int, bits: int) -> tuple[int, int]:
        """An enclosure of ``upper_tail`` for a draw: wider where that takes less time."""

    def log_ratio(self, first: int, second: int) -> Fraction:
        """ln(P[noise = first] / P[noise = second])."""

    @property
    def tail_ratio_is_constant(self) -> bool:
        """Whether the odds between two inputs stay the same beyond both of them."""

    @property
    def tail_start(self) -> int:
        """How far beyond both inputs all further outputs are compared as one.

        0 where their odds are the same; else what the noise hardly ever reaches.
        """

    def tail(self, distances: NDArray[np.float64], /) -> NDArray[np.float64]:
        """P[|noise| > distance], in floats."""

    def accuracy(self, confidence: object = 0.95, *, cells: int = 1) -> int | float:
        """An a with P[|noise| ≤ a in all cells at once] ≥ confidence."""

    def event(self, sensitivity: Sensitivity, loss: PureDP | ApproximateDP) -> Event:
        """What a ledger writes down when the noise is added."""


def add_noise(
    value: object, grid: Grid, source: BitSource, draw_one: DrawOne, draw: Draw
) -> int | float | NDArray[Any]:
    """The value rounded to the grid, plus noise in steps, decoded once.

    A number gives a number; a sequence or an array gives an array of the same shape.
    """
    if isinstance(value, Sensitive):
        value = value.open()
    if isinstance(value, int) and grid.exponent <= 0:
        return grid.value((value << -grid.exponent) + draw_one(source))
    if is_scalar(value):
        return grid.value(grid_index(value, grid) + draw_one(source))
    indices = grid_indices(value, grid)
    noise = draw(indices.size, source).reshape(indices.shape)
    return decode(exact_sum(indices, noise), grid)


def is_scalar(value: object) -> bool:
    """Whether the value is one number rather than many."""
    return value.ndim == 0 if isinstance(value, np.ndarray) else not hasattr(value, "__len__")


def grid_index(value: object, grid: Grid) -> int:
    """The grid point nearest to a number, halves up; ±inf and NaN have none."""
    if isinstance(value, np.ndarray):
        value = value[()]
    exact = _exact(value)
    if exact is None:
        raise DataError(
            "a value is not a number. Noise is added to numbers of at most 64 bits. Pass a number, "
            "or an array or list of numbers."
        )
    return grid.index(exact)


def _exact(value: object) -> Fraction | None:
    """A true value as a rational.  Not by way of a parser that would remember it."""
    if isinstance(value, float | np.floating) and not isinstance(value, np.longdouble):
        nearest = float(value)
        if not np.isfinite(nearest):
            raise _not_finite()
        return Fraction(nearest)
    if isinstance(value, int | np.integer | np.bool_):
        return Fraction(int(value))
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise _not_finite()
        return Fraction(value)
    return None


def steps_of(value: object, grid: Grid, name: str) -> Fraction:
    """A number in grid steps; a float is the binary fraction that it is, as the grid makes it."""
    binary = isinstance(value, float | np.floating) and np.isfinite(value)
    exact = Fraction(float(value)) if binary else rational(value, name)  # type: ignore[arg-type]
    return exact / grid.step


def grid_indices(values: object, grid: Grid) -> NDArray[Any]:
    """The grid points nearest to many numbers, as int64 or, where they are larger, as objects."""
    if isinstance(values, np.ma.MaskedArray):
        raise DataError(
            "the values are a masked array. Noise is added to numbers, and a masked one is none. "
            "Fill the masked values by a public rule first, for example values.filled(0)."
        )
    # A list is read element by element: NumPy would round its integers to fit its floats.
    array = values if isinstance(values, np.ndarray) else np.asarray(values, np.object_)
    if array.dtype.kind in "iub":
        if grid.exponent == 0 and array.dtype != np.uint64:
            return array.astype(np.int64, copy=False)
        exact = [grid.index(Fraction(int(number))) for number in array.ravel()]
    elif array.dtype.kind == "f" and array.dtype.itemsize <= 8:
        floats = array.astype(np.float64, copy=False)
        nearest = _nearest(floats.ravel(), grid)
        if nearest is not None:
            return nearest.reshape(array.shape)
        if not np.isfinite(floats).all():
            raise _not_finite()
        exact = [grid.index(Fraction(float(number))) for number in floats.ravel()]
    else:
        exact = [grid_index(number, grid) for number in array.ravel()]
    return np.array(exact, np.object_).reshape(array.shape)


def _nearest(floats: NDArray[np.float64], grid: Grid) -> NDArray[np.int64] | None:
    """The grid points nearest to floats, halves up; none if one may lie beyond 64 bits."""
    indices = np.empty(floats.size, np.int64)
    with np.errstate(all="ignore"):
        for start in range(0, floats.size, _BLOCK):
            part = indices[start : start + _BLOCK]
            steps = _scaled(floats[start : start + _BLOCK], -grid.exponent)
            if not (steps.max() < _SAFE and steps.min() > -_SAFE):  # NaN is neither
                return None
            # The difference is exact where it decides; adding 1/2 would not be, beyond 2^52.
            whole = np.floor(steps)
            np.copyto(part, whole, casting="unsafe")
            steps -= whole
            part += steps >= 0.5
    return indices


def _scaled(floats: NDArray[np.float64], exponent: int) -> NDArray[np.float64]:
    """Floats times a power of two, rounded once: as ldexp, which takes many times as long."""
    if abs(exponent) > _NORMAL:
        return np.ldexp(floats, exponent)
    return floats * 2.0**exponent


def exact_sum(indices: NDArray[Any], noise: NDArray[Any]) -> NDArray[Any]:
    """The sum of two integer arrays: int64 where every sum fits, else Python integers.

    Which of the two is decided by the sums alone, never by the terms: a type that told how large
    a true value is would be released without noise.  The sum may take the place of the noise: a
    third array of a million numbers takes longer to get than to fill.
    """
    if indices.dtype == np.int64 and noise.dtype == np.int64:
        sums: NDArray[np.int64] = np.add(indices, noise, out=noise)
        if _surely_fitted(indices, sums):
            return sums
        noise = sums - indices  # wraps back to what it was
        # A sum that wrapped around has another sign than both of its terms.
        if not np.any((indices ^ sums) & (noise ^ sums) < 0):
            return sums
    return fitting(indices.astype(np.object_) + noise.astype(np.object_))


def _surely_fitted(terms: NDArray[np.int64], sums: NDArray[np.int64]) -> bool:
    """Whether no sum can have wrapped around, whatever 64 bits were added to the terms.

    A sum beyond 2^63 - 1 wraps to one that is at least 2^63 below its term, and a sum below -2^63
    to one at least 2^63 above.  The latter takes a negative term.
    """
    if not terms.size:
        return True
    least = int(terms.min())
    if int(terms.max()) - int(sums.min()) >= 1 << 63:
        return False
    return least >= 0 or int(sums.max()) - least < 1 << 63


def fitting(integers: NDArray[np.object_]) -> NDArray[Any]:
    """Python integers as int64 where all of them fit."""
    fits = all(-(1 << 63) <= integer < 1 << 63 for integer in integers.ravel())
    return integers.astype(np.int64) if fits else integers


def decode(indices: NDArray[Any], grid: Grid) -> NDArray[Any]:
    """The numbers at grid points: integers on integer grids, else the nearest floats."""
    if grid.exponent == 0:
        return indices
    if grid.exponent < 0 and indices.dtype == np.int64:
        return _decoded(indices, grid)
    values = [grid.value(int(index)) for index in indices.ravel()]
    if grid.exponent < 0:
        return np.array(values, np.float64).reshape(indices.shape)
    return fitting(np.array(values, np.object_)).reshape(indices.shape)


def _decoded(indices: NDArray[np.int64], grid: Grid) -> NDArray[np.float64]:
    """The nearest floats to grid points: an integer is rounded once, a step is a power of two."""
    values = np.empty(indices.shape, np.float64)
    flat, steps = values.reshape(-1), indices.reshape(-1)
    for start in range(0, flat.size, _BLOCK):
        rounded = steps[start : start + _BLOCK].astype(np.float64)
        flat[start : start + _BLOCK] = _scaled(rounded, grid.exponent)
    return values


def _not_finite() -> DataError:
    return DataError(
        "a value is NaN or infinite. Noise is added to a finite number on the grid. Clip the "
        "value to public bounds first, or use dp.sum and dp.mean, which do."
    )
