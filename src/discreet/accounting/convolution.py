"""Convolving tilted losses by FFT, with a proven bound on what the rounding may have hidden.

Everything that is convolved is positive, so what falls out of the window and comes in again on
the other side only adds.  What rounding may have taken away is bounded frequency by frequency and
added to every point.  Proof: docs/proofs/privacy-loss-distribution.md
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, expm1, isfinite, log, log1p

import numpy as np
from numpy.typing import NDArray

from discreet.accounting.rounding import FUNCTION, ROUND, UNIT, Floats
from discreet.errors import PrivacyParameterError

_NEGLIGIBLE = 1e-40
"""Frequencies whose product is below this are left out, and the bound is raised by it."""

_LARGEST_GROWTH = 300.0
"""How much the rounding of the weights may add up to, as a logarithm."""

_PRODUCT = 4 * UNIT  # the error of a complex product


@dataclass(frozen=True, eq=False)
class Weights:
    """Positive numbers at start, start + 1, …, that take part ``count`` times."""

    start: int
    values: Floats
    count: int


def convolved(factors: Sequence[Weights], start: int, length: int) -> Floats:
    """The convolution at start … start + length - 1, plus what wraps around; never too small.

    ``length`` is a power of two.

    >>> coin = Weights(0, np.array([0.5, 0.5]), 2)
    >>> convolved([coin], 0, 4).round(12).tolist()
    [0.25, 0.5, 0.25, 0.0]
    """
    rounds = length.bit_length() + 1
    relative = expm1(rounds * log1p(ROUND))  # the FFT's error, relative to the sum of its input
    kept = np.arange(length // 2 + 1)
    product = np.ones(kept.size, np.complex128)
    error = np.zeros(kept.size)
    dropped = 0.0
    for factor in factors:
        values = _folded(factor, length)
        spectrum = np.fft.rfft(values)[kept]
        total = float(values.sum()) * (1 + length * UNIT)
        slack = relative * total
        largest = (np.abs(spectrum) * (1 + 8 * UNIT) + slack) * (1 + 8 * UNIT)
        exponent = float(factor.count)
        # Both halves of the spectrum count, so what is dropped counts twice.
        alive = largest > exp(log(_NEGLIGIBLE) / exponent)
        size = float(np.max(np.abs(product) + error, initial=0.0))
        growth = exponent * log(max(1.0, total + slack)) + FUNCTION
        if growth > _LARGEST_GROWTH:
            raise _unbounded()
        dropped *= exp(growth)
        dropped += 2.1 * size * _NEGLIGIBLE * np.count_nonzero(~alive)
        kept, product, error = kept[alive], product[alive], error[alive]
        spectrum, largest = spectrum[alive], largest[alive]
        margin = 1 + 2 * FUNCTION + 8 * exponent * UNIT
        lower = np.power(largest, exponent - 1) * margin
        bound = lower * largest * (1 + 4 * UNIT)
        change = exponent * slack * lower + bound * expm1(exponent * log1p(_PRODUCT))
        error = error * (bound + change) + np.abs(product) * (change + bound * 2 * _PRODUCT)
        error *= 1 + 64 * UNIT
        product = product * _power(spectrum, factor.count)
    full = np.zeros(length // 2 + 1, np.complex128)
    full[kept] = product
    values = np.roll(np.fft.irfft(full, length), -(start % length))
    lost = 2 * float(error.sum()) + 2 * relative * float(np.abs(product).sum()) + dropped
    if not isfinite(lost):
        raise _unbounded()
    above: Floats = np.maximum(values, 0.0) + (lost / length) * (1 + 4 * length * UNIT)
    return above


def _unbounded() -> PrivacyParameterError:
    return PrivacyParameterError(
        "the batch has so many events that the rounding of their losses cannot be bounded. A price "
        "is stated only with a proven bound. Use renyi_epsilon, or compose fewer events."
    )


def _folded(factor: Weights, length: int) -> Floats:
    """The values at their places modulo the length."""
    first = factor.start % length
    size = -(-(first + factor.values.size) // length) * length
    padded = np.zeros(size)
    padded[first : first + factor.values.size] = factor.values
    folds = size // length
    folded: Floats = padded.reshape(folds, length).sum(axis=0)
    return folded * (1 + 2 * folds * UNIT) if folds > 1 else folded


def _power(base: NDArray[np.complex128], exponent: int) -> NDArray[np.complex128]:
    """base^exponent by at most exponent - 1 products' worth of rounding."""
    result = None
    while True:
        if exponent & 1:
            result = base if result is None else result * base
        exponent >>= 1
        if not exponent:
            return base if result is None else result
        base = base * base
