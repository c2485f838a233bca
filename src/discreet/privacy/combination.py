"""The margin of a weighted sum of independent noise.

The laws are convolved on a common grid.  Where the noises share a lattice, as counts do, the
grid is that lattice and nothing is rounded; otherwise every draw is rounded to a fine grid,
which moves the sum by at most half a step per draw, and those half steps are added.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm, sqrt
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.exact import Grid

Floats = NDArray[np.float64]

_NEGLIGIBLE = 1e-15
_FLOAT_ERROR = 1e-9  # far above the negligible tails and what the transforms round away
_LARGEST_LATTICE = 1 << 12  # lattice points per standard deviation that are worth keeping
_MOST_POINTS = 1 << 21


class Noise(Protocol):
    """Symmetric noise on a grid with a known law."""

    @property
    def grid(self) -> Grid:
        """The grid of the noise."""

    @property
    def variance(self) -> float:
        """The variance of one draw."""

    def accuracy(self, confidence: object, /) -> int | float:
        """The least a with P[|noise| ≤ a] ≥ confidence."""

    def tail(self, distances: Floats, /) -> Floats:
        """P[|noise| > distance] for each distance."""


def combined_margin(terms: Sequence[tuple[Fraction, Noise]], confidence: Fraction) -> int | float:
    """An a with P[|Σ weight·noise| ≤ a] ≥ confidence, for independent noises."""
    if not terms:
        return 0
    if len(terms) == 1:
        weight, noise = terms[0]
        reach = noise.accuracy(confidence)
        margin = abs(weight) * Fraction(reach)
        whole = margin.denominator == 1 and isinstance(reach, int)
        return int(margin) if whole else float(margin)
    deviation = sqrt(sum(float(weight) ** 2 * noise.variance for weight, noise in terms))
    lattice = _common_step([abs(weight) * noise.grid.step for weight, noise in terms])
    exact = float(lattice) * _LARGEST_LATTICE >= deviation
    step = float(lattice) if exact else deviation / (512 * sqrt(len(terms)))
    kinds = Counter((abs(weight), noise) for weight, noise in terms)
    while True:
        parts = [_rounded_law(float(w), noise, step) for w, noise in kinds]
        size = sum(
            (part.size - 1) * count for part, count in zip(parts, kinds.values(), strict=True)
        )
        if exact or size <= _MOST_POINTS:
            break
        step *= 2
    beyond = _beyond(parts, list(kinds.values()), size + 1)
    allowed = float(1 - confidence) - _FLOAT_ERROR
    inside = int(np.argmax(beyond <= max(allowed, 0.0)))
    return inside * step if exact else (inside + len(terms) / 2) * step


def _common_step(steps: Sequence[Fraction]) -> Fraction:
    """The coarsest grid that holds all the grids."""
    bottom = lcm(*(step.denominator for step in steps))
    return Fraction(gcd(*(int(step * bottom) for step in steps)), bottom)


def _rounded_law(weight: float, noise: Noise, step: float) -> Floats:
    """P[round(weight·noise/step) = k] for k from -reach to reach, with a negligible rest."""
    reach = 1
    while noise.tail(np.array([reach * step / weight]))[0] > _NEGLIGIBLE:
        reach *= 2
    tails = noise.tail((np.arange(reach + 1) + 0.5) * (step / weight))
    positive = -np.diff(tails) / 2
    return np.concatenate([positive[::-1], [1 - tails[0]], positive])


def _beyond(parts: Sequence[Floats], counts: Sequence[int], size: int) -> Floats:
    """P[|sum| > k] for k = 0, 1, …"""
    length = 1 << (size - 1).bit_length()
    spectrum = np.ones(length // 2 + 1, np.complex128)
    for part, count in zip(parts, counts, strict=True):
        spectrum *= np.fft.rfft(part, length) ** count
    law = np.fft.irfft(spectrum, length)[:size]
    middle = size // 2
    return 1 - (law[middle] + 2 * np.concatenate([[0.0], np.cumsum(law[middle + 1 :])]))
