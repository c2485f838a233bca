"""Bounds of the δ of integer Gaussian noise at an ε, each an enclosure or rounded up.

Everything is counted in grid steps.  Proofs: docs/proofs/gaussian.md and
docs/proofs/gaussian-vectors.md
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, gcd, isqrt
from typing import NamedTuple

from discreet.exact import exp_minus, logarithm, square_root
from discreet.exact.discrete_normal import tail_weight, theta_excess, total_weight
from discreet.exact.normal import gaussian_delta
from discreet.mechanisms.gaussian_moves import Move

LARGEST_SUM = 300**2
"""Up to this variance δ is summed exactly; beyond, the lattice bound costs less than 3e-6 of σ."""

_ENOUGH = 1 << 15
"""From this variance on a family is not summed where there are many: the lattice bound costs less
than 1e-5 of σ there."""

_MOST_FAMILIES = 64

_EVEN = Fraction(1, 1 << 20)
_UNEVEN = Fraction(1, 4)
"""Up to this excess over a family's δ the family stands for its vectors exactly, or at all."""

_ROUNDINGS = tuple(Fraction(2) ** power for power in range(-2, 7))
_NEGLIGIBLE = Fraction(1, 1 << 24)


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

    >>> noise, move = Fraction(9), Move(2, 2)
    >>> round(float(lattice_delta(noise, move, Fraction(1, 2), Fraction(2), 64)), 7)
    5.3e-06
    """
    smoothing = Smoothing.of(variance, rounding, move.moving, bits)
    if smoothing is None or smoothing.cost >= epsilon:
        return Fraction(1)
    _, shift = square_root(move.squares / (variance - rounding), 2 * bits)
    if shift == 0:
        return Fraction(1)
    _, delta = gaussian_delta(
        epsilon - smoothing.cost, Fraction(shift, 1 << 2 * bits), Fraction(1), bits
    )
    return min(Fraction(1), Fraction(delta, 1 << bits) * smoothing.growth)


def best_lattice_delta(variance: Fraction, move: Move, epsilon: Fraction, bits: int) -> Fraction:
    """The least that any rounding proves."""
    found = (
        lattice_delta(variance, move, rounding, epsilon, bits)
        for rounding in roundings(variance, move, epsilon, bits)
    )
    return min(found, default=Fraction(1))


def roundings(variance: Fraction, move: Move, epsilon: Fraction, bits: int) -> Iterator[Fraction]:
    """The roundings worth trying: each takes variance away, and the finer ones cost ε as well."""
    for rounding in _ROUNDINGS:
        smoothing = Smoothing.of(variance, rounding, move.moving, bits)
        if smoothing is not None and 2 * smoothing.cost < epsilon:
            yield rounding
            if smoothing.cost < epsilon * _NEGLIGIBLE:
                return


@dataclass(frozen=True, slots=True)
class Families:
    """The moves, put together by what they give away, in a noise as wide as they are long.

    A vector is g·w, where the integers in w have no common divisor and squares that add up to n.
    It gives away as much as one coordinate of n times the variance that moves by n·g steps, up
    to the factor 1 + ``uneven``.  Of the vectors with one n the longest counts.  ``summed`` lists
    the n times variances and the steps; all further n are covered by one lattice bound, which
    costs less the larger n is: ``others`` is the first of them, if there are any.
    """

    summed: tuple[tuple[Fraction, int], ...]
    others: tuple[Fraction, Move] | None
    uneven: Fraction

    @property
    def are_even(self) -> bool:
        """Whether there is no need to look at the vectors of a family one by one."""
        return self.uneven <= _EVEN

    @staticmethod
    def of(variance: Fraction, move: Move) -> "Families | None":
        """The families of all moves; None where the vectors of one differ too much."""
        uneven = _unevenness(variance, move.squares)
        if uneven is None:
            return None
        few = move.squares * variance <= LARGEST_SUM
        enough = floor((LARGEST_SUM if few else _ENOUGH) / variance) + 1
        end = min(_MOST_FAMILIES, move.squares + 1, max(enough, 1 + (variance <= LARGEST_SUM)))
        summed = tuple(
            (n * variance, n * isqrt(move.squares // n))
            for n in range(1, end)
            if _is_sum_of_squares(n, move.moving)
        )
        others = (end * variance, Move(end * move.squares, 1)) if end <= move.squares else None
        return Families(summed, others, uneven)

    def delta(self, epsilon: Fraction, bits: int) -> Fraction:
        """An upper bound of δ."""
        most = Fraction(0)
        if self.others is not None:
            most = best_lattice_delta(*self.others, epsilon, bits)
        for variance, step in self.summed:
            # Most families are below the largest by far, and the lattice bound is quick.
            if best_lattice_delta(variance, Move(step * step, 1), epsilon, bits) > most:
                _, high = exact_delta(variance, step, epsilon, bits)
                most = max(most, Fraction(high, 1 << bits))
        return min(Fraction(1), (1 + self.uneven) * most)


def _unevenness(variance: Fraction, squares: int) -> Fraction | None:
    """An upper bound of n·P(T ≡ 0 modulo n) - 1 for the vectors of every family, if it is small.

    It is below (n - 1)·e^(-(2π²·variance - 4.0001)/n), and 2π² > 19.7392.
    """
    if variance < 1:
        return None
    bits = 64 + 2 * squares.bit_length()
    exponent = (Fraction(197_392, 10_000) * variance - Fraction(40_001, 10_000)) / squares
    _, decay = exp_minus(exponent, bits)
    uneven = Fraction((squares - 1) * decay, 1 << bits)
    return uneven if uneven <= _UNEVEN else None


def _is_sum_of_squares(number: int, coordinates: int, divisor: int = 0) -> bool:
    """Whether so many squares add up to it, their roots without a common divisor.

    Four or more are taken for granted: a family that has no vector only adds to a bound.
    """
    if coordinates >= 4:
        return True
    if coordinates == 1:
        root = isqrt(number)
        return root * root == number and gcd(divisor, root) == 1
    return any(
        _is_sum_of_squares(number - root * root, coordinates - 1, gcd(divisor, root))
        for root in range(isqrt(number) + 1)
    )
