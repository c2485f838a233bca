"""From moments of the privacy loss to (ε,δ).

A bound K ≥ ln E_P[e^((α-1)·loss)] at one order α > 1 gives, for every ε and δ with

    ln δ = K - ln α + (α-1)·(ln(1 - 1/α) - ε),

(ε,δ)-DP (Canonne, Kamath and Steinke 2020, Proposition 12).  The order is searched for, the bound
is evaluated in exact arithmetic and rounded up.  Proof: docs/proofs/composition.md
"""

from collections.abc import Callable
from fractions import Fraction

from discreet.exact import exp_minus, logarithm, round_up

_BITS = 128
_STEP = Fraction(1, 1 << 96)
_GOLDEN = Fraction(618034, 10**6)
_ROUNDS = 40


def epsilon_at(order: Fraction, moment: Fraction, delta: Fraction) -> Fraction:
    """The ε at δ that a bound at one order gives; never below 0."""
    _, first = logarithm(1 / (order * delta), _BITS)
    _, second = logarithm(1 - 1 / order, _BITS)
    bound = (moment + Fraction(first, 1 << _BITS)) / (order - 1) + Fraction(second, 1 << _BITS)
    return max(Fraction(0), round_up(bound, _STEP))


def log_delta_at(order: Fraction, moment: Fraction, epsilon: Fraction) -> Fraction:
    """The logarithm of the δ at ε that a bound at one order gives."""
    first, _ = logarithm(order, _BITS)
    _, second = logarithm(1 - 1 / order, _BITS)
    unit = 1 << _BITS
    bound = moment - Fraction(first, unit) + (order - 1) * (Fraction(second, unit) - epsilon)
    return round_up(bound, _STEP)


def exponential(log_delta: Fraction) -> Fraction:
    """e^log_delta, rounded up; never above 1 and never below e^-1024."""
    if log_delta >= 0:
        return Fraction(1)
    exponent = min(-log_delta, Fraction(1 << 10))
    bits = 64 + int(2 * exponent)
    return Fraction(exp_minus(exponent, bits)[1], 1 << bits)


def best_order(bound: Callable[[Fraction], Fraction]) -> Fraction:
    """An order from 1 + 2^-20 to 2^40 at which a bound that falls and then rises is about least."""

    def order(power: Fraction) -> Fraction:
        whole = power.__floor__()
        # 2^fraction by a chord: any rising function of the power will do.
        return 1 + Fraction(2) ** whole * (1 + power - whole)

    low, high = Fraction(-20), Fraction(40)
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = bound(order(left)), bound(order(right))
    for _ in range(_ROUNDS):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = _rounded(high - _GOLDEN * (high - low))
            at_left = bound(order(left))
        else:
            low, left, at_left = left, right, at_right
            right = _rounded(low + _GOLDEN * (high - low))
            at_right = bound(order(right))
    return order(left if at_left <= at_right else right)


def best_whole_order(bound: Callable[[Fraction], Fraction], most: int) -> Fraction:
    """A whole order from 2 to ``most`` at which such a bound is about least."""
    low, high = 2, most
    while high - low > 2:
        left = low + (high - low) // 2
        if bound(Fraction(left)) <= bound(Fraction(left + 1)):
            high = left
        else:
            low = left + 1
    return min((Fraction(order) for order in range(low, high + 1)), key=bound)


def _rounded(value: Fraction) -> Fraction:
    return Fraction(round(value * (1 << 32)), 1 << 32)
