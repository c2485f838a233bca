"""What Laplace and Gaussian noise share: a value on the grid plus an integer number of steps."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError, PrivacyParameterError
from discreet.exact import Grid, rational
from discreet.noise import BitSource
from discreet.privacy.sensitive import Sensitive

Draw = Callable[[int, BitSource], NDArray[Any]]
DrawOne = Callable[[BitSource], int]

_SAFE = 1 << 62


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
    return not hasattr(value, "__len__") and not (isinstance(value, np.ndarray) and value.ndim)


def grid_index(value: object, grid: Grid) -> int:
    """The grid point nearest to a number, halves up; ±inf and NaN have none."""
    if isinstance(value, float | np.floating):
        if not np.isfinite(value):
            raise _not_finite()
        return grid.index(Fraction(float(value)))
    try:
        return grid.index(rational(value))
    except PrivacyParameterError:
        raise DataError(
            "a value is not a number. Noise is added to numbers. Pass a number, or an array or "
            "list of numbers."
        ) from None


def grid_indices(values: object, grid: Grid) -> NDArray[Any]:
    """The grid points nearest to many numbers, as int64 or, where they are larger, as objects."""
    array = np.asarray(values)
    if array.dtype.kind in "iub":
        if grid.exponent == 0 and array.dtype != np.uint64:
            return array.astype(np.int64)
        exact = [grid.index(Fraction(int(number))) for number in array.ravel()]
    elif array.dtype.kind == "f":
        if not np.isfinite(array).all():
            raise _not_finite()
        with np.errstate(over="ignore"):
            steps = np.floor(np.ldexp(array.astype(np.float64), -grid.exponent) + 0.5)
        if np.abs(steps).max(initial=0.0) < _SAFE:
            return steps.astype(np.int64)
        exact = [grid.index(Fraction(float(number))) for number in array.ravel()]
    else:
        exact = [grid_index(number, grid) for number in array.ravel()]
    return np.array(exact, np.object_).reshape(array.shape)


def exact_sum(indices: NDArray[Any], noise: NDArray[Any]) -> NDArray[Any]:
    """The sum of two integer arrays, in Python integers where 64 bits might not hold it."""
    if indices.dtype == np.int64 and noise.dtype == np.int64:
        largest = max(
            abs(int(edge(array, initial=0)))
            for array in (indices, noise)
            for edge in (np.min, np.max)
        )
        if largest < _SAFE:
            return indices + noise
    return indices.astype(np.object_) + noise.astype(np.object_)


def decode(indices: NDArray[Any], grid: Grid) -> NDArray[Any]:
    """The numbers at grid points: integers on integer grids, else the nearest floats."""
    if grid.exponent == 0:
        return indices
    if grid.exponent < 0 and indices.dtype == np.int64:
        return np.ldexp(indices.astype(np.float64), grid.exponent)
    values = np.array([grid.value(int(index)) for index in indices.ravel()])
    return values.reshape(indices.shape)


def _not_finite() -> DataError:
    return DataError(
        "a value is NaN or infinite. Noise is added to a finite number on the grid. Clip the "
        "value to public bounds first, or use dp.sum and dp.mean, which do."
    )
