"""Real numbers enclosed between integers.

Each function returns integers ``(low, high)`` with ``low ≤ 2**bits · value ≤ high``.  Only
integer arithmetic is used, so the enclosure is a proof, not an estimate; more bits make it
narrower.  Proof of the error bounds: docs/proofs/enclosures.md
"""

from fractions import Fraction
from functools import lru_cache
from math import isqrt


def exp_minus(exponent: Fraction, bits: int) -> tuple[int, int]:
    """Enclose ``2**bits · e**(-exponent)`` for a rational exponent ≥ 0.

    The exponent is halved until it is below 2^-8, the alternating Taylor series is summed in
    fixed point, and the result is squared back.

    >>> low, high = exp_minus(Fraction(1), 64)
    >>> low / 2**64, high - low <= 4
    (0.36787944117144233, True)
    """
    numerator, denominator = exponent.numerator, exponent.denominator
    if numerator < 0:
        raise ValueError("exp_minus encloses e^(-x) for x ≥ 0 only")
    if numerator == 0:
        return 1 << bits, 1 << bits
    whole = numerator // denominator
    if whole > bits:  # e > 2, so 2^bits · e^-whole < 1
        return 0, 1
    halvings = whole.bit_length() + 8
    work = bits + halvings + 24
    reduced = (numerator << work) // (denominator << halvings)
    term = total = 1 << work
    order = 0
    while term:
        order += 1
        term = ((term * reduced) >> work) // order
        total += -term if order & 1 else term
    # Every term is short by less than 3 units, the exponent by 1, and the tail is below 3.
    slack = 3 * order + 4
    low, high = max(0, total - slack), min(1 << work, total + slack)
    for _ in range(halvings):
        low = (low * low) >> work
        high = -((-high * high) >> work)
    extra = work - bits
    return low >> extra, -(-high >> extra)


def logarithm(value: Fraction, bits: int) -> tuple[int, int]:
    """Enclose ``2**bits · ln(value)`` for a rational value > 0.

    value = 2^k · m with m in (1/2, 2), and ln m = 2·artanh((m-1)/(m+1)).

    >>> low, high = logarithm(Fraction(3), 64)
    >>> low / 2**64, high - low <= 2
    (1.0986122886681098, True)
    """
    if value <= 0:
        raise ValueError("logarithm encloses ln(x) for x > 0 only")
    if value == 1:
        return 0, 0
    power = value.numerator.bit_length() - value.denominator.bit_length()
    mantissa = value / Fraction(2) ** power
    work = bits + abs(power).bit_length() + 24
    low, high = _artanh(mantissa - 1, mantissa + 1, work)
    if power:
        two_low, two_high = _artanh(Fraction(1), Fraction(3), work)
        low += power * (two_low if power > 0 else two_high)
        high += power * (two_high if power > 0 else two_low)
    extra = work - bits - 1  # artanh is half of the logarithm
    return low >> extra, -(-high >> extra)


def _artanh(top: Fraction, bottom: Fraction, work: int) -> tuple[int, int]:
    """Enclose 2^work · artanh(top/bottom) for |top/bottom| ≤ 1/3 and bottom > 0."""
    ratio = top / bottom
    if ratio < 0:
        low, high = _artanh(-top, bottom, work)
        return -high, -low
    argument = (ratio.numerator << work) // ratio.denominator
    square = (argument * argument) >> work
    power, total, order = argument, 0, 1
    while power:
        total += power // order
        power = (power * square) >> work
        order += 2
    # There are (order - 1)/2 terms, each short by less than 3 units, and a tail of less than 2.
    return total, total + 2 * order + 8


def square_root(value: Fraction, bits: int) -> tuple[int, int]:
    """Enclose ``2**bits · √value`` for a rational value ≥ 0.

    >>> square_root(Fraction(4), 8)
    (512, 512)
    """
    scaled = value.numerator << (2 * bits)
    low = isqrt(scaled // value.denominator)
    exact = low * low * value.denominator == scaled
    return low, low if exact else low + 1


@lru_cache(maxsize=8)
def pi(bits: int) -> tuple[int, int]:
    """Enclose ``2**bits · π`` by Machin's formula 16·arctan(1/5) - 4·arctan(1/239).

    >>> low, high = pi(64)
    >>> low / 2**64, high - low <= 2
    (3.141592653589793, True)
    """
    work = bits + 24
    total = 16 * _arctan_inverse(5, work) - 4 * _arctan_inverse(239, work)
    # Each arctangent has at most work/4 + 2 terms, each off by less than 1.5 units, and a tail
    # of less than 2, so both are off by less than `work` units.
    slack = 20 * work
    return (total - slack) >> 24, -(-(total + slack) >> 24)


def _arctan_inverse(inverse: int, work: int) -> int:
    power = (1 << work) // inverse
    total, order, sign = 0, 1, 1
    while power:
        total += sign * (power // order)
        power //= inverse * inverse
        order, sign = order + 2, -sign
    return total
