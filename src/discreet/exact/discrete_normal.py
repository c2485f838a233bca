"""Sums of e^(-x²/(2·variance)) over integers, between integers, at any precision.

As in ``enclosure``, each function returns integers ``(low, high)`` with
``low ≤ 2**bits · value ≤ high``.  Proof: docs/proofs/gaussian.md
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import isqrt

from discreet.exact.enclosure import exp_minus, pi, square_root
from discreet.exact.normal import upper_tail

_GUARD = 32
_SMALL = Fraction(1, 6)


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
    f(start)·start/variance/8 where start > √variance + 1/2, and as f(start) elsewhere.  There
    the weight f is convex: a term is at most the integral around it, and a trapezoid is at least
    the integral below it.  Elsewhere f is only known to fall.
    """
    unit = 1 << bits + _GUARD
    low_sigma, high_sigma = (Fraction(root, unit) for root in square_root(variance, bits + _GUARD))
    low, _ = upper_tail(start / low_sigma, bits)
    if (start - Fraction(1, 2)) ** 2 < variance:
        _, high = upper_tail((start - 1) / high_sigma, bits)
        return low, high
    _, high = upper_tail((start - Fraction(1, 2)) / high_sigma, bits)
    value_low, _ = exp_minus(start * start / (2 * variance), bits)
    # Half of f(start) over √(2π·variance), with √(2π) < 2.506629.
    half = value_low * Fraction(500_000, 2_506_629) / high_sigma
    return low + int(half), high
