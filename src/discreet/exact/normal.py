"""The normal law and its discrete twin on the integers, between integers, at any precision."""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import ceil, isqrt, log2, sqrt

from discreet.exact.enclosure import exp_minus, pi, square_root

_GUARD = 32


_SMALL = Fraction(1, 6)


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


@lru_cache(maxsize=256)
def total_weight(variance: Fraction, bits: int) -> tuple[int, int]:
    """Enclose ``2**bits · Σ e^(-x²/(2·variance))`` over all integers x.

    By Poisson summation that is √(2π·variance)·(1 + 2·Σ e^(-2π²·variance·k²)) over k ≥ 1.
    Whichever of the two sums falls faster is taken.

    >>> low, high = total_weight(Fraction(1), 64)
    >>> low / 2**64, high - low <= 2
    (2.5066282880429056, True)
    """
    if variance < _SMALL:
        low, high = tail_weight(variance, 1, bits + 4)
        one = 1 << bits + 4
        return one + 2 * low >> 4, -(-(one + 2 * high) >> 4)
    work = bits + _GUARD + isqrt(int(variance)).bit_length()
    wave_low, wave_high = theta_excess(variance, work)
    pi_low, pi_high = pi(work)
    root_low, _ = square_root(2 * variance * Fraction(pi_low, 1 << work), work)
    _, root_high = square_root(2 * variance * Fraction(pi_high, 1 << work), work)
    extra = 2 * work - bits
    one = 1 << work
    return root_low * (one + wave_low) >> extra, -(-root_high * (one + wave_high) >> extra)


def theta_excess(variance: Fraction, bits: int) -> tuple[int, int]:
    """Enclose ``2**bits · 2·Σ e^(-2π²·variance·k²)`` over k ≥ 1, for a variance ≥ 1/6.

    >>> low, high = theta_excess(Fraction(1), 64)
    >>> low / 2**64, high - low <= 8
    (5.35057598206011e-09, True)
    """
    if variance < _SMALL:
        raise ValueError("theta_excess is for variances from 1/6 up")
    pi_low, pi_high = pi(bits + 8)
    least = 2 * variance * Fraction(pi_low, 1 << bits + 8) ** 2
    most = 2 * variance * Fraction(pi_high, 1 << bits + 8) ** 2
    low = high = 0
    for order in range(1, bits + 2):
        _, term = exp_minus(order * order * least, bits)
        if term <= 1:
            # Each term is less than a twentieth of the one before: the rest is below 2 units.
            return 2 * low, 2 * (high + 2)
        low += exp_minus(order * order * most, bits)[0]
        high += term
    raise AssertionError("unreachable: the terms fall below any bound")


def tail_weight(
    variance: Fraction, start: int, bits: int, raised: Fraction = Fraction(0)
) -> tuple[int, int]:
    """Enclose ``2**bits · Σ e^(raised - x²/(2·variance))`` over x ≥ start, for start ≥ 1.

    The first term must not exceed 1.  One term after the other is added up, about
    √(2·variance·bits) of them; the rest is bounded by a geometric series.

    >>> low, high = tail_weight(Fraction(1), 1, 64)
    >>> low / 2**64, high - low <= 2
    (0.7533141440214528, True)
    """
    if start < 1:
        raise ValueError("tail_weight sums over positive integers only")
    guard = _GUARD + 2 * int(variance).bit_length()
    work = bits + guard
    sum_low = sum_high = 0
    for low, high, ratio in _falling(variance, start, work, raised):
        sum_low += low
        sum_high += high
        if high >> guard // 2 == 0:
            # From here on each term is at most `ratio` times the one before.
            sum_high += -(-high * ratio // ((1 << work) - ratio))
            break
    return sum_low >> guard, -(-sum_high >> guard)


@lru_cache(maxsize=8)
def tail_weights(variance: Fraction, bits: int) -> tuple[tuple[int, int], ...]:
    """Enclose ``2**bits · Σ e^(-x²/(2·variance))`` over x ≥ 1, 2, …; the last is for all further.

    Each in the time of one term, where all of them are needed.

    >>> tail_weights(Fraction(1), 64)[0] == tail_weight(Fraction(1), 1, 64)
    True
    """
    guard = _GUARD + 2 * int(variance).bit_length()
    work = bits + guard
    terms = []
    for low, high, ratio in _falling(variance, 1, work, Fraction(0)):
        terms.append((low, high))
        if high >> guard // 2 == 0:
            # From here on each term is at most `ratio` times the one before.
            terms.append((0, -(-high * ratio // ((1 << work) - ratio))))
            break
    sums = accumulate(reversed(terms), lambda total, term: (total[0] + term[0], total[1] + term[1]))
    return tuple((low >> guard, -(-high >> guard)) for low, high in sums)[::-1]


def point_weights(variance: Fraction, count: int, bits: int) -> list[tuple[int, int]]:
    """Enclose ``2**bits · e^(-x²/(2·variance))`` for x = 0 … count - 1."""
    guard = _GUARD + 2 * count.bit_length()
    terms = _falling(variance, 0, bits + guard, Fraction(0))
    return [
        (low >> guard, -(-high >> guard))
        for _, (low, high, _) in zip(range(count), terms, strict=False)
    ]


def _falling(
    variance: Fraction, start: int, bits: int, raised: Fraction
) -> Iterator[tuple[int, int, int]]:
    """Enclosures of 2^bits times the terms from ``start`` on, each with the next one's ratio.

    The exponent has constant second differences, so two multiplications lead from one term to
    the next; each rounds outward.
    """
    double = 2 * variance
    low, high = exp_minus(start * start / double - raised, bits)
    ratio_low, ratio_high = exp_minus((2 * start + 1) / double, bits)
    bend_low, bend_high = exp_minus(1 / variance, bits)
    while True:
        yield low, high, ratio_high
        low, high = low * ratio_low >> bits, -(-high * ratio_high >> bits)
        ratio_low, ratio_high = ratio_low * bend_low >> bits, -(-ratio_high * bend_high >> bits)


def tail_between(variance: Fraction, start: int, bits: int) -> tuple[int, int]:
    """Enclose ``2**bits · Σ e^(-x²/(2·variance))/√(2π·variance)`` over x ≥ start by integrals.

    For start ≥ 1, at a cost that does not grow with the variance, but only as near as
    f(start)·start/variance/8 where start > √variance + 1/2, and as 1/(4·variance) elsewhere.
    There the weight f is convex: a term is at most the integral around it, and a trapezoid is at
    least the integral below it.  Elsewhere f falls, and each term is within ∫|f''|/8 of the
    integral around it: over all of them that is less than 0.1211/variance.
    """
    unit = 1 << bits + _GUARD
    low_sigma, high_sigma = (Fraction(root, unit) for root in square_root(variance, bits + _GUARD))
    low, _ = upper_tail(start / low_sigma, bits)
    if (start - Fraction(1, 2)) ** 2 < variance:
        _, high = upper_tail((start - 1) / high_sigma, bits)
        least, _ = upper_tail((start - Fraction(1, 2)) / low_sigma, bits)
        _, most = upper_tail((start - Fraction(1, 2)) / high_sigma, bits)
        apart = ceil(Fraction(1211, 10_000) * (1 << bits) / variance)
        return max(low, least - apart), min(high, most + apart)
    _, high = upper_tail((start - Fraction(1, 2)) / high_sigma, bits)
    value_low, _ = exp_minus(start * start / (2 * variance), bits)
    # Half of f(start) over √(2π·variance), with √(2π) < 2.506629.
    half = value_low * Fraction(500_000, 2_506_629) / high_sigma
    return low + int(half), high
