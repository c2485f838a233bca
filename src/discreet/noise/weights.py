"""The two families of integer noise, as unnormalised weights e^(-E(x)) with a rational E.

E is even, convex and polynomial on each side of zero, of degree one (Laplace) or two
(Gaussian); everything the samplers and the laws need follows from E.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.exact import exp_minus

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Weights(Protocol):
    """An even, log-concave weight on the integers."""

    @property
    def spread(self) -> float:
        """The scale in steps: what the samplers size their cells by."""

    def depth(self, exponent: float) -> float:
        """Where E reaches ``exponent``."""

    def exponent(self, at: int) -> Fraction:
        """E(at), exactly."""

    def drop(self, at: Integers, top: Integers) -> Floats:
        """E(at) - E(top) in floats, for |top| ≤ |at| in one cell."""


@dataclass(frozen=True, slots=True)
class LaplaceWeights:
    """E(x) = |x|/scale."""

    scale: Fraction

    @property
    def spread(self) -> float:
        return float(self.scale)

    def depth(self, exponent: float) -> float:
        return exponent * float(self.scale)

    def exponent(self, at: int) -> Fraction:
        return abs(at) / self.scale

    def drop(self, at: Integers, top: Integers) -> Floats:
        return np.abs(at - top).astype(np.float64) / float(self.scale)


@dataclass(frozen=True, slots=True)
class GaussianWeights:
    """E(x) = x²/(2·variance)."""

    variance: Fraction

    @property
    def spread(self) -> float:
        return float(self.variance) ** 0.5

    def depth(self, exponent: float) -> float:
        return (2 * exponent * float(self.variance)) ** 0.5

    def exponent(self, at: int) -> Fraction:
        return at * at / (2 * self.variance)

    def drop(self, at: Integers, top: Integers) -> Floats:
        distance = np.abs(at - top).astype(np.float64)
        total = np.abs(at).astype(np.float64) + np.abs(top)
        return distance * (total / (2 * float(self.variance)))


def descending(
    weights: Weights, start: int, step: int, bits: int
) -> Iterator[tuple[int, int, int]]:
    """Enclosures of 2^bits · e^(-E(x)) at x = start, start + step, … on one side of zero.

    E has constant second differences there, so two multiplications lead from one weight to
    the next; each rounds outward, so every pair is a proven enclosure.  The third number is
    an upper bound of 2^bits times the ratio of the next weight to this one.
    """
    here, next_, after = (weights.exponent(start + step * index) for index in range(3))
    low, high = exp_minus(here, bits)
    ratio_low, ratio_high = exp_minus(next_ - here, bits)
    bend_low, bend_high = exp_minus(after - 2 * next_ + here, bits)
    while True:
        yield low, high, ratio_high
        low, high = low * ratio_low >> bits, -(-high * ratio_high >> bits)
        ratio_low, ratio_high = ratio_low * bend_low >> bits, -(-ratio_high * bend_high >> bits)
