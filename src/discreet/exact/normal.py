"""The normal law between integers, at any precision.

As in ``enclosure``, each function returns integers ``(low, high)`` with
``low ≤ 2**bits · value ≤ high``, by integer arithmetic alone.  Everything rests on the Mills
ratio R(x) = Q(x)/φ(x) of the upper tail Q(x) = P[N(0,1) > x] to the density φ.
Proof: docs/proofs/gaussian.md
"""

from fractions import Fraction
from functools import lru_cache
from math import log2, sqrt

from discreet.exact.enclosure import exp_minus, pi, square_root

_GUARD = 32


def upper_tail(point: Fraction, bits: int) -> tuple[int, int]:
    """Enclose ``2**bits · P[N(0,1) > point]`` for a rational point of either sign.

    >>> low, high = upper_tail(Fraction(196, 100), 64)
    >>> low / 2**64, high - low <= 2
    (0.024997895148220435, True)
    """
    if point < 0:
        low, high = upper_tail(-point, bits)
        return (1 << bits) - high, (1 << bits) - low
    work = bits + _GUARD
    ratio_low, ratio_high = mills_ratio(point, work)
    density_low, density_high = density(point, work)
    extra = bits - 2 * work
    return ratio_low * density_low >> -extra, -(-ratio_high * density_high >> -extra)


def gaussian_delta(
    epsilon: Fraction, distance: Fraction, sigma: Fraction, bits: int
) -> tuple[int, int]:
    """Enclose ``2**bits · δ``, the least δ at ε of N(0, sigma²) and its shift by ``distance``.

    δ = Q(a) - e^ε·Q(b) with a = ε·sigma/distance - distance/(2·sigma), b = a + distance/sigma
    (Balle and Wang 2018, theorem 8).  Since e^ε·φ(b) = φ(a), the second term is φ(a)·R(b): no
    e^ε is ever formed.

    >>> low, high = gaussian_delta(Fraction(1), Fraction(1), Fraction(42247, 10_000), 64)
    >>> round(low / 2**64, 9), high - low <= 2
    (1e-06, True)
    """
    shift = distance / sigma
    near = epsilon / shift - shift / 2
    work = bits + _GUARD
    density_low, density_high = density(abs(near), work)
    far_low, far_high = mills_ratio(near + shift, work)
    if near >= 0:
        near_low, near_high = mills_ratio(near, work)
        low = density_low * max(0, near_low - far_high)
        high = density_high * (near_high - far_low)
    else:
        tail_low, tail_high = upper_tail(near, work)
        low = max(0, (tail_low << work) - density_high * far_high)
        high = (tail_high << work) - density_low * far_low
    extra = 2 * work - bits
    return low >> extra, -(-high >> extra)


def density(point: Fraction, bits: int) -> tuple[int, int]:
    """Enclose ``2**bits · φ(point)``, the density e^(-point²/2)/√(2π)."""
    work = bits + 8
    low, high = exp_minus(point * point / 2, work)
    root_low, root_high = _inverse_root_two_pi(_round_precision(work))
    extra = _round_precision(work) + 8
    return low * root_low >> extra, -(-high * root_high >> extra)


def mills_ratio(point: Fraction, bits: int) -> tuple[int, int]:
    """Enclose ``2**bits · Q(point)/φ(point)`` for a rational point ≥ 0.

    >>> low, high = mills_ratio(Fraction(0), 64)
    >>> low / 2**64, high - low <= 2
    (1.2533141373155003, True)
    """
    if point < 0:
        raise ValueError("mills_ratio encloses Q(x)/φ(x) for x ≥ 0 only")
    if 4 * point * point <= bits:
        return _mills_by_series(point, bits)
    return _mills_by_fraction(point, bits)


def _mills_by_series(point: Fraction, bits: int) -> tuple[int, int]:
    """R(x) = √(π/2)·e^(x²/2) - Σ x^(2k+1)/(2k+1)!!, where the difference costs x²/ln 2 bits."""
    square = point * point
    work = _round_precision(bits + int(Fraction(3, 2) * square) + _GUARD)
    square_low = (square.numerator << work) // square.denominator
    square_high = square_low + 1
    low = sum_low = (point.numerator << work) // point.denominator
    high = sum_high = low + 1
    order = 1
    # Past order x² each term is less than half the one before, so the rest is below the last.
    while high > 1 or order < 2 * square:
        order += 2
        low = (low * square_low >> work) // order
        high = -(-high * square_high >> work)
        high = -(-high // order)
        sum_low += low
        sum_high += high
    sum_high += high
    decay_low, decay_high = exp_minus(square / 2, work)
    root_low, root_high = _inverse_root_two_pi(work)
    # √(π/2)·e^(x²/2) = 1/(2·decay·root)
    whole_low = (1 << 3 * work - 1) // (decay_high * root_high)
    whole_high = -(-(1 << 3 * work - 1) // (decay_low * root_low))
    extra = work - bits
    return max(0, whole_low - sum_high >> extra), -(-(whole_high - sum_low) >> extra)


def _mills_by_fraction(point: Fraction, bits: int) -> tuple[int, int]:
    """1/R(x) = x + 1/(x + 2/(x + 3/(x + …))), from the inside out.

    Each tail f(n) = x + (n+1)/f(n+1) lies between x and x + (n+1)/x and falls as f(n+1) grows,
    so the bounds swap places at every step and close in on each other.
    """
    work = bits + _GUARD
    x_low = (point.numerator << work) // point.denominator
    x_high = x_low + 1
    depth = _depth(float(min(point, Fraction(1 << 20))), work)
    low, high = x_low, x_high + ((depth + 1) << 2 * work) // x_low + 1
    for order in range(depth, 0, -1):
        low, high = (
            x_low + (order << 2 * work) // high,
            x_high - (-(order << 2 * work) // low),
        )
    extra = work + bits
    return (1 << extra) // high, -(-(1 << extra) // low)


def _depth(point: float, bits: int) -> int:
    """How many steps close the bounds to about 2^-bits; it only sets how narrow they are."""
    depth, gained = 1, 0.0
    while gained < bits:
        tail = (point + sqrt(point * point + 4 * depth)) / 2
        gained += 2 * log2(tail) - log2(depth)
        depth += 1
    return depth


@lru_cache(maxsize=64)
def _inverse_root_two_pi(bits: int) -> tuple[int, int]:
    """Enclose ``2**bits / √(2π)``."""
    pi_low, pi_high = pi(bits + 8)
    unit = 1 << bits + 8
    low, _ = square_root(Fraction(unit, 2 * pi_high), bits)
    _, high = square_root(Fraction(unit, 2 * pi_low), bits)
    return low, high


def _round_precision(bits: int) -> int:
    """The next multiple of 64, so that constants are computed for few precisions."""
    return -(-bits // 64) * 64
