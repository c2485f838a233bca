"""The two families of integer noise, as unnormalized weights e^(-E(x)) with a rational E.

E is even, convex and polynomial on each side of zero, of degree one (Laplace) or two
(Gaussian); everything the samplers and the laws need follows from E.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.exact import exp_minus
from discreet.noise.draws import Integers

Floats = NDArray[np.float64]

TINY = Fraction(1, 1 << 20)
"""A scale or variance below this counts as this in floats, which decide the same: the weight of
±1 is below e^(-2^19) either way, far below any margin.  Smaller ones could vanish as floats."""


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
        """E(at) - E(top) in floats, for |top| ≤ |at| of one sign."""


@dataclass(frozen=True, slots=True)
class LaplaceWeights:
    """E(x) = |x|/scale."""

    scale: Fraction

    @property
    def spread(self) -> float:
        return float(max(self.scale, TINY))

    def depth(self, exponent: float) -> float:
        return exponent * self.spread

    def exponent(self, at: int) -> Fraction:
        return abs(at) / self.scale

    def drop(self, at: Integers, top: Integers) -> Floats:
        distance: Floats = np.abs(at - top).astype(np.float64)
        distance /= self.spread
        return distance


@dataclass(frozen=True, slots=True)
class GaussianWeights:
    """E(x) = x²/(2·variance)."""

    variance: Fraction

    @property
    def spread(self) -> float:
        return sqrt(max(self.variance, TINY))

    def depth(self, exponent: float) -> float:
        return sqrt(2 * exponent * max(self.variance, TINY))

    def exponent(self, at: int) -> Fraction:
        return at * at / (2 * self.variance)

    def drop(self, at: Integers, top: Integers) -> Floats:
        # (a - t)(a + t)/(2·variance): the difference is an exact integer before it is rounded.
        distance: Floats = np.abs(at - top).astype(np.float64)
        total = np.abs(at).astype(np.float64)
        total += np.abs(top)
        total /= 2 * float(max(self.variance, TINY))
        distance *= total
        return distance


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
