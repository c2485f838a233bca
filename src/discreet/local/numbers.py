"""Reading a respondent's numbers and the public bounds; no refusal shows what was read."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import BoundsError, DataError, DiscreetError, Remedy
from discreet.exact import rational

ZERO_TO_HUNDRED = Remedy(
    python="Use low=0, high=100 for a number from 0 to 100.",
    policy="Write low = 0 and high = 100 for a number from 0 to 100.",
)


def read_numbers(values: object) -> NDArray[np.float64]:
    """Numbers as floats; what is not a number is refused without showing it."""
    array = array_of(values)
    if array is not None and array.dtype.kind == "O":
        array = _exact_numbers(array)
    if array is None or array.dtype.kind not in "iuf" or np.isnan(array).any():
        if array is not None and array.size == 0:
            return np.empty(array.shape)
        raise DataError(
            "a value is not a number. A mean is of numbers. Leave out those who gave none."
        )
    with np.errstate(over="ignore"):  # a longer float than any is clipped, and not told of
        return array.astype(np.float64)


def _exact_numbers(array: NDArray[Any]) -> NDArray[np.float64] | None:
    """Fractions, decimals and integers of any length as the nearest floats."""
    most = Fraction(np.finfo(np.float64).max)
    flat = array.ravel().tolist()
    if any(isinstance(value, str) for value in flat):
        return None
    try:
        numbers = [
            value if isinstance(value, float) else float(max(-most, min(most, rational(value))))
            for value in flat
        ]
    except DiscreetError:
        return None
    return np.array(numbers).reshape(array.shape)


def array_of(values: object) -> NDArray[Any] | None:
    """One value or several as an array, or None where there is none."""
    if isinstance(values, Iterable) and not isinstance(values, np.ndarray | str | bytes | dict):
        values = values if hasattr(values, "__array__") else list(values)
    try:
        return np.asarray(values)
    except (TypeError, ValueError):
        return None


def read_bound(value: object, name: str) -> Fraction:
    """A finite bound, exactly as written."""
    try:
        bound = rational(value, name)
        float(bound)
    except (DiscreetError, OverflowError):
        raise bad_bound(name) from None
    return bound


def bad_bound(name: str) -> BoundsError:
    """The error for a bound that is none."""
    return BoundsError(
        f"{name} is not a finite number, or too large. The bounds are public and every number is "
        "clipped to them.",
        ZERO_TO_HUNDRED,
    )
