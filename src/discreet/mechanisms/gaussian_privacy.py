"""What integer Gaussian noise gives away: its least δ at an ε, its least ε at a δ, its least σ.

Everything is counted in grid steps.  Three bounds are known, and the best one counts:

- exact: one coordinate moves by whole steps, and δ is a sum over integers;
- lattice: the noise is a randomized rounding of a continuous Gaussian, up to a factor near 1;
- concentrated: the noise is distance²/(2·variance)-zCDP, which converts to (ε,δ).

Floats propose; every number that is returned was checked with enclosures.
Proof: docs/proofs/gaussian.md
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, log2
from typing import NamedTuple

from discreet.exact import logarithm, square_root
from discreet.exact.discrete_normal import tail_weight, theta_excess, total_weight
from discreet.exact.normal import gaussian_delta
from discreet.mechanisms import gaussian_proposals as proposals
from discreet.mechanisms.gaussian_proposals import Excess, decimal_above, least_argument
from discreet.privacy.conversions import concentrated_epsilon

_LARGEST_SUM = 300**2
"""Up to this variance δ is summed exactly; beyond, the lattice bound costs less than 3e-6 of σ."""

_COARSE = 16**2
"""Up to this variance the conversion from zCDP may beat the lattice bound."""

_ROUNDINGS = tuple(Fraction(2) ** power for power in range(-2, 7))
_NEGLIGIBLE = Fraction(1, 1 << 24)
_SIGMA_TOLERANCE = 2.0**-24
_EPSILON_TOLERANCE = 2.0**-40
_SLACK = 1 + Fraction(1, 1 << 30)  # so that the least ε of the least σ is not above the ε asked for


class Move(NamedTuple):
    """How one unit moves the input: by at most ``distance`` steps in L2, in few coordinates."""

    distance: Fraction
    coordinates: int

    @staticmethod
    def of(distance: Fraction, dimension: int | None) -> "Move":
        """The moves on the grid of a vector with that many coordinates, or with any number.

        A single number moves by whole steps.  A vector of integers that moves by a distance d
        has at most d² coordinates that move at all, and no computer holds more than 2^64.

        >>> Move.of(Fraction(5, 2), 1) == Move(Fraction(3), 1)
        True
        >>> Move.of(Fraction(7, 5), None) == Move(Fraction(1), 1)
        True
        >>> Move.of(Fraction(3), None) == Move(Fraction(3), 9)
        True
        """
        if dimension == 1:
            return Move(Fraction(max(1, ceil(distance))), 1)
        most = max(1, floor(distance * distance))
        coordinates = min(most, 1 << 64 if dimension is None else dimension)
        return Move(Fraction(1) if most == 1 else distance, coordinates)


def exact_delta(variance: Fraction, shift: int, epsilon: Fraction, bits: int) -> tuple[int, int]:
    """Enclose ``2**bits · δ`` for noise in one coordinate that moves by at most ``shift`` steps.

    δ = P[X ≥ k] - e^ε·P[X ≥ k + shift] with k = ⌈ε·variance/shift - shift/2⌉.  A shorter move
    has no larger δ.

    >>> low, high = exact_delta(Fraction(42247, 10_000) ** 2, 1, Fraction(1), 64)
    >>> round(low / 2**64, 9), high - low <= 4
    (1.02e-06, True)
    """
    work = bits + 16
    start = ceil(epsilon * variance / shift - Fraction(shift, 2))
    total_low, total_high = total_weight(variance, work)
    far_low, far_high = tail_weight(variance, start + shift, work, epsilon)
    near_low, near_high = tail_weight(variance, max(start, 1 - start), work)
    if start <= 0:
        near_low, near_high = total_low - near_high, total_high - near_low
    low, high = max(0, near_low - far_high), near_high - far_low
    return (low << bits) // total_high, min(1 << bits, -(-(high << bits) // total_low))


class Smoothing(NamedTuple):
    """What the randomized rounding costs: from (ε₀,δ₀) to (ε₀ + cost, δ₀·growth), rounded up."""

    cost: Fraction
    growth: Fraction

    @staticmethod
    def of(
        variance: Fraction, rounding: Fraction, coordinates: int, bits: int
    ) -> "Smoothing | None":
        """The cost of a rounding by N_Z(y, rounding) to a noise of this variance, if it is finite.

        The continuous noise has the rest of the variance.
        """
        if variance <= rounding:
            return None
        kept = rounding + (variance - rounding) * rounding / variance
        # Rounded down, so that a search over the variance meets few values.
        return _smoothing(rounding, Fraction(floor(64 * kept), 64), coordinates, bits)


@lru_cache(maxsize=256)
def _smoothing(rounding: Fraction, kept: Fraction, coordinates: int, bits: int) -> Smoothing | None:
    unit = 1 << bits
    wave = Fraction(theta_excess(rounding, bits)[1], unit)
    mean = Fraction(theta_excess(kept, bits)[1], unit)
    if 2 * wave >= 1 or 2 * coordinates * mean >= 1:
        return None
    least, most = 1 - mean, 1 + mean + wave * wave / (1 - wave)
    _, cost = logarithm(most / least, bits)
    # least^coordinates ≥ 1 - coordinates·mean
    return Smoothing(Fraction(coordinates * cost, unit), 1 / (1 - coordinates * mean))


def lattice_delta(
    variance: Fraction, move: Move, rounding: Fraction, epsilon: Fraction, bits: int
) -> Fraction:
    """An upper bound of δ from a rounding of continuous noise; 1 where it says nothing.

    >>> noise, move = Fraction(9), Move(Fraction(3, 2), 2)
    >>> round(float(lattice_delta(noise, move, Fraction(1, 2), Fraction(2), 64)), 7)
    1.59e-05
    """
    smoothing = Smoothing.of(variance, rounding, move.coordinates, bits)
    if smoothing is None or smoothing.cost >= epsilon:
        return Fraction(1)
    sigma, _ = square_root(variance - rounding, 96)
    if sigma == 0:
        return Fraction(1)
    _, delta = gaussian_delta(
        epsilon - smoothing.cost, move.distance, Fraction(sigma, 1 << 96), bits
    )
    return min(Fraction(1), Fraction(delta, 1 << bits) * smoothing.growth)


@lru_cache(maxsize=1024)
def least_epsilon(variance: Fraction, move: Move, delta: Fraction) -> Fraction:
    """The least ε that a bound proves at this δ, or at most about 1e-10 of it above."""
    best = concentrated_epsilon(move.distance**2 / (2 * variance), delta)
    if best == 0:
        return best
    bits = _precision(move, best, delta)
    for rounding in _roundings(variance, move, best, bits):

        def excess(epsilon: Fraction, rounding: Fraction = rounding) -> Excess:
            return Excess(lattice_delta(variance, move, rounding, epsilon, bits), delta)

        if excess(best).proved:
            best = least_argument(excess, best, _EPSILON_TOLERANCE)
    if move.coordinates == 1 and variance <= _LARGEST_SUM:
        shift = int(move.distance)
        for epsilon in proposals.epsilons(variance, shift, delta, best):
            if _sum_proves(variance, shift, epsilon, delta, bits):
                return min(best, epsilon)
    return best


@lru_cache(maxsize=1024)
def least_sigma(move: Move, epsilon: Fraction, delta: Fraction) -> Fraction:
    """The least σ that a bound proves to be (ε,δ)-DP, or a short decimal at most 1e-6 of it above.

    The exact δ is not monotone in σ where σ is small; the first σ that is low enough is taken.
    """
    bits = _precision(move, epsilon, delta)
    best = move.distance * proposals.rough_sigma(epsilon, delta)
    proved = False
    for rounding in _roundings(best * best + 64, move, epsilon, bits):

        def excess(sigma: Fraction, rounding: Fraction = rounding) -> Excess:
            return Excess(lattice_delta(sigma * sigma, move, rounding, epsilon, bits), delta)

        if not proved or excess(best).proved:
            best, proved = _short_sigma(excess, best), True
    if not proved or best * best <= _COARSE:

        def converted(sigma: Fraction) -> Excess:
            rho = move.distance**2 / (2 * sigma * sigma)
            return Excess(concentrated_epsilon(rho, delta), epsilon)

        if not proved or converted(best).proved:
            best = _short_sigma(converted, best)
    if move.coordinates == 1 and best * best <= _LARGEST_SUM:
        shift = int(move.distance)
        for sigma in proposals.sigmas(shift, epsilon, delta, best):
            if _sum_proves(sigma * sigma, shift, epsilon, delta, bits):
                return min(best, sigma)
    return best


def _roundings(variance: Fraction, move: Move, epsilon: Fraction, bits: int) -> Iterator[Fraction]:
    """The roundings worth trying: each takes variance away, and the finer ones cost ε as well."""
    for rounding in _ROUNDINGS:
        smoothing = Smoothing.of(variance, rounding, move.coordinates, bits)
        if smoothing is not None and 2 * smoothing.cost < epsilon:
            yield rounding
            if smoothing.cost < epsilon * _NEGLIGIBLE:
                return


def _short_sigma(excess: proposals.Bound, start: Fraction) -> Fraction:
    """A short decimal just above the least σ that the bound proves, and proved itself."""
    sigma = decimal_above(least_argument(excess, start, _SIGMA_TOLERANCE) * _SLACK, 7)
    while not excess(sigma).proved:
        sigma = decimal_above(sigma * _SLACK, 7)
    return sigma


def _sum_proves(
    variance: Fraction, shift: int, epsilon: Fraction, delta: Fraction, bits: int
) -> bool:
    """Whether the exact δ is at most ``delta``, for certain."""
    _, high = exact_delta(variance, shift, epsilon, bits)
    return high * delta.denominator <= delta.numerator << bits


def _precision(move: Move, epsilon: Fraction, delta: Fraction) -> int:
    """Bits enough for nine digits of δ, at a small ε and in many coordinates too."""
    sizes = (log2(number.denominator) - log2(number.numerator) for number in (epsilon, delta))
    return 64 + move.coordinates.bit_length() + sum(max(0, ceil(size)) for size in sizes)
