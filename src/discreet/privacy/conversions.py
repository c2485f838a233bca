"""The arithmetic of conversions between losses: exact where it can be, else rounded up.

Proofs: docs/proofs/losses.md
"""

from fractions import Fraction
from math import log, log1p

from discreet.exact import exp_minus, logarithm
from discreet.exact.rational import MAX_BITS

_BITS = 96


def rounded_up(value: Fraction, bits: int = MAX_BITS // 2) -> Fraction:
    """The value, rounded up where it is not exact in so many significant bits: losses round up.

    >>> rounded_up(Fraction(1, 3)), rounded_up(Fraction(1, 300), 2)
    (Fraction(1, 3), Fraction(1, 256))
    """
    top, bottom = value.numerator.bit_length(), value.denominator.bit_length()
    if max(top, bottom) <= bits:
        return value
    shift = min(bits - (top - bottom), MAX_BITS - 2)
    if shift >= 0:
        return Fraction(-(-(value.numerator << shift) // value.denominator), 1 << shift)
    return Fraction(-(-value.numerator // (value.denominator << -shift)) << -shift)


def group_delta(epsilon: Fraction, delta: Fraction, size: int) -> Fraction:
    """δ·(1 + e^ε + … + e^((k-1)ε)) for a group of k and ε, δ > 0, rounded up; at most 1.

    The sum is (1 - e^(-kε))/(1 - e^(-ε)) · e^((k-1)ε), and at most k · e^((k-1)ε).
    """
    bits = _BITS + delta.denominator.bit_length() + size.bit_length()
    bits += max(0, epsilon.denominator.bit_length() - epsilon.numerator.bit_length())
    unit = 1 << bits
    decay, _ = exp_minus((size - 1) * epsilon, bits)
    if Fraction(decay, unit) <= delta:
        return Fraction(1)
    least, _ = exp_minus(size * epsilon, bits)
    _, most = exp_minus(epsilon, bits)
    terms = Fraction(size)
    if most < unit:
        terms = min(terms, Fraction(unit - least, unit - most))
    return min(Fraction(1), rounded_up(delta * terms * Fraction(unit, decay), _BITS))


def concentrated_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """The ε at which ρ-zCDP implies (ε,δ)-DP, for δ > 0, rounded up to 96 bits."""
    if rho == 0:
        return Fraction(0)
    excess = _best_excess(rho, delta)
    order = 1 + excess
    bits = _BITS + abs(excess.denominator.bit_length() - excess.numerator.bit_length())
    _, first = logarithm(1 / (order * delta), bits)
    _, second = logarithm(excess / order, bits)
    epsilon = rho * order + (first / excess + second) / (1 << bits)
    return rounded_up(max(epsilon, Fraction(0)), _BITS)


def _best_excess(rho: Fraction, delta: Fraction) -> Fraction:
    """The α - 1 that minimizes the conversion bound, by golden-section search on its logarithm."""
    rate = float(min(rho, Fraction(10) ** 300))
    log_delta = log(delta.numerator) - log(delta.denominator)

    def bound(power: float) -> float:
        excess: float = 2.0**power
        return rate * excess - (log_delta + log1p(excess)) / excess - log1p(1 / excess)

    low, high = -500.0, 1000.0
    ratio = (5**0.5 - 1) / 2
    for _ in range(120):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if bound(left) <= bound(right):
            high = right
        else:
            low = left
    return Fraction(2.0**low)
