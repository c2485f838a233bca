"""What integer Gaussian noise gives away: its least δ at an ε, its least ε at a δ, its least σ.

Everything is counted in grid steps.  Five bounds are known, and the best one counts:

- exact: one coordinate moves by whole steps, and δ is a sum over integers;
- families: in a noise about as wide as the moves are long, two numbers of a vector decide;
- vectors: every integer vector that one unit can move by, if they are few, each exactly;
- lattice: the noise is a randomized rounding of a continuous Gaussian, up to a factor near 1;
- concentrated: the noise is squares/(2·variance)-zCDP, which converts to (ε,δ).

Mechanisms and accountants both ask here, so one release has one price.  Floats propose; every
number that is returned was checked with enclosures.
Proofs: docs/proofs/gaussian.md, docs/proofs/gaussian-vectors.md
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from math import ceil, log2

from discreet.exact import square_root
from discreet.mechanisms import gaussian_proposals as proposals
from discreet.mechanisms.gaussian_bounds import (
    LARGEST_SUM,
    Families,
    best_lattice_delta,
    exact_delta,
    lattice_delta,
    roundings,
)
from discreet.mechanisms.gaussian_moves import FEW, MANY, Move, vectors_delta
from discreet.mechanisms.gaussian_proposals import Excess, decimal_above, least_argument
from discreet.privacy.conversions import concentrated_epsilon

_COARSE = 16**2
"""Up to this variance the conversion from zCDP may beat the lattice bound."""

_SIGMA_TOLERANCE = 2.0**-24
_EPSILON_TOLERANCE = 2.0**-40
_MOST_BITS = 4096
_NEAR = Fraction(129, 128)  # about how far the lattice bound is from the sums
_SLACK = 1 + Fraction(1, 1 << 30)  # so that the least ε of the least σ is not above the ε asked for


def summed_delta(
    variance: Fraction, move: Move, epsilon: Fraction, bits: int, most: int = MANY
) -> Fraction | None:
    """δ by the sums over integers, rounded up; None where they would be too long.

    At most so many vectors are looked at one by one.

    >>> round(float(summed_delta(Fraction(16), Move(4, 4), Fraction(9, 4), 64)), 9)
    1.008e-06
    """
    if move.step is not None:
        if variance > LARGEST_SUM:
            return None
        return Fraction(exact_delta(variance, move.step, epsilon, bits)[1], 1 << bits)
    families = Families.of(variance, move)
    if families is None or not families.are_even:
        found = vectors_delta(variance, move, epsilon, bits, most)
        if found is not None or families is None:
            return found
    return families.delta(epsilon, bits)


def least_delta(variance: Fraction, move: Move, epsilon: Fraction) -> Fraction:
    """A δ at which the noise is (ε,δ)-DP: by the sums, or else by the lattice bound.

    >>> round(float(least_delta(Fraction(16), Move(4, 4), Fraction(9, 4))), 9)
    1.008e-06
    """
    bits = 64
    while True:
        found = summed_delta(variance, move, epsilon, bits)
        if found is None:
            found = best_lattice_delta(variance, move, epsilon, bits)
        if found > Fraction(1, 1 << bits - 40) or bits >= _MOST_BITS:
            return found
        bits *= 2


def is_proved(variance: Fraction, move: Move, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether a bound proves (ε,δ)-DP; the quick one is asked first.

    >>> is_proved(Fraction(16), Move(4, 4), Fraction("2.2512"), Fraction(1, 10**6))
    True
    """
    bits = _precision(move, epsilon, delta)
    if best_lattice_delta(variance, move, epsilon, bits) <= delta:
        return True
    return _summed(variance, move, epsilon, delta, bits, FEW).proved


@lru_cache(maxsize=1024)
def least_epsilon(variance: Fraction, move: Move, delta: Fraction) -> Fraction:
    """The least ε that a bound proves at this δ, or at most about 1e-10 of it above."""
    best = concentrated_epsilon(Fraction(move.squares) / (2 * variance), delta)
    if best == 0:
        return best
    bits = _precision(move, best, delta)
    for rounding in roundings(variance, move, best, bits):

        def excess(epsilon: Fraction, rounding: Fraction = rounding) -> Excess:
            return Excess(lattice_delta(variance, move, rounding, epsilon, bits), delta)

        if excess(best).proved:
            best = least_argument(excess, best, _EPSILON_TOLERANCE)
    if move.step is not None:
        return _single_epsilon(variance, move.step, delta, best, bits)
    families = Families.of(variance, move)
    if families is not None and families.are_even:
        return min(best, _families_epsilon(families, delta, best, bits))

    def summed(epsilon: Fraction) -> Excess:
        return _summed(variance, move, epsilon, delta, bits, MANY)

    return _sought(summed, best)


def _single_epsilon(
    variance: Fraction, step: int, delta: Fraction, most: Fraction, bits: int
) -> Fraction:
    """The least ε of one coordinate by its exact sum, or ``most`` if that is less or too long."""
    if variance <= LARGEST_SUM:
        for epsilon in proposals.epsilons(variance, step, delta, most):
            _, high = exact_delta(variance, step, epsilon, bits)
            if high * delta.denominator <= delta.numerator << bits:
                return min(most, epsilon)
    return most


def _families_epsilon(families: Families, delta: Fraction, most: Fraction, bits: int) -> Fraction:
    """The least ε of all families: the largest of theirs, each of which has a falling δ."""
    level = delta / (1 + families.uneven)
    found = Fraction(0)
    for variance, step in families.summed:
        move = Move(step * step, 1)
        if not found or best_lattice_delta(variance, move, found, bits) > level:
            _, high = exact_delta(variance, step, found, bits)
            if high * level.denominator > level.numerator << bits:
                found = _single_epsilon(variance, step, level, most, bits)
    if families.others is None:
        return found
    variance, move = families.others

    def excess(epsilon: Fraction) -> Excess:
        return Excess(best_lattice_delta(variance, move, epsilon, bits), level)

    if found and excess(found).proved:
        return found
    return _sought(excess, most)


def _sought(excess: Callable[[Fraction], Excess], most: Fraction) -> Fraction:
    """The least ε at which a falling bound is proved, up to ``most``."""
    if excess(Fraction(0)).proved:
        return Fraction(0)
    if excess(most).proved:
        return least_argument(excess, most, _EPSILON_TOLERANCE, _NEAR)
    return most


@lru_cache(maxsize=1024)
def least_sigma(move: Move, epsilon: Fraction, delta: Fraction) -> Fraction:
    """The least σ that a bound proves to be (ε,δ)-DP, or a short decimal at most 1e-6 of it above.

    The exact δ is not monotone in σ where σ is small.  For one coordinate the first σ that is low
    enough is taken; for several, one at which δ falls to the target.
    """
    bits = _precision(move, epsilon, delta)
    _, distance = square_root(Fraction(move.squares), 64)
    best = Fraction(distance, 1 << 64) * proposals.rough_sigma(epsilon, delta)
    proved = False
    for rounding in roundings(best * best + 64, move, epsilon, bits):

        def excess(sigma: Fraction, rounding: Fraction = rounding) -> Excess:
            return Excess(lattice_delta(sigma * sigma, move, rounding, epsilon, bits), delta)

        if not proved or excess(best).proved:
            best, proved = _short_sigma(excess, best), True
    if not proved or best * best <= _COARSE:

        def converted(sigma: Fraction) -> Excess:
            rho = move.squares / (2 * sigma * sigma)
            return Excess(concentrated_epsilon(rho, delta), epsilon)

        if not proved or converted(best).proved:
            best = _short_sigma(converted, best)
    if best * best > LARGEST_SUM:
        return best
    for sigma in _summed_sigmas(move, epsilon, delta, best, bits):
        if _summed(sigma * sigma, move, epsilon, delta, bits, FEW).proved:
            return min(best, sigma)
    return best


def _summed_sigmas(
    move: Move, epsilon: Fraction, delta: Fraction, best: Fraction, bits: int
) -> Iterator[Fraction]:
    """Candidates for the least σ by the sums: decimals, the shortest first."""
    if move.step is not None:
        yield from proposals.sigmas(move.step, epsilon, delta, best)
        return

    def summed(sigma: Fraction) -> Excess:
        return _summed(sigma * sigma, move, epsilon, delta, bits, FEW)

    if summed(best).proved:
        least = least_argument(summed, best, _SIGMA_TOLERANCE, _NEAR)
        yield from (decimal_above(least * _SLACK, digits) for digits in range(7, 16))


def _summed(
    variance: Fraction, move: Move, epsilon: Fraction, delta: Fraction, bits: int, most: int
) -> Excess:
    found = summed_delta(variance, move, epsilon, bits, most)
    return Excess(Fraction(1) if found is None else found, delta)


def _short_sigma(excess: proposals.Bound, start: Fraction) -> Fraction:
    """A short decimal just above the least σ that the bound proves, and proved itself."""
    sigma = decimal_above(least_argument(excess, start, _SIGMA_TOLERANCE) * _SLACK, 7)
    while not excess(sigma).proved:
        sigma = decimal_above(sigma * _SLACK, 7)
    return sigma


def _precision(move: Move, epsilon: Fraction, delta: Fraction) -> int:
    """Bits enough for nine digits of δ, at a small ε and in many coordinates too."""
    sizes = (log2(number.denominator) - log2(number.numerator) for number in (epsilon, delta))
    return 64 + move.moving.bit_length() + sum(max(0, ceil(size)) for size in sizes)
