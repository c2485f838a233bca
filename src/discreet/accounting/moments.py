"""Closed forms of ln E_P[e^((α-1)·loss)] for pairs of laws P, Q, each rounded up.

The order α > 1 is any rational.  Proof: docs/proofs/composition.md
"""

from collections.abc import Callable
from fractions import Fraction
from math import ceil, comb

from discreet.exact import exp_minus, logarithm

_BITS = 192
_UNIT = 1 << _BITS
_SHORT = 96


def concentrated_moment(rho: Fraction, order: Fraction) -> Fraction:
    """ρ-zCDP: α(α-1)·ρ."""
    return order * (order - 1) * rho


def response_moment(
    epsilon: tuple[Fraction, Fraction], categories: int, order: Fraction
) -> Fraction:
    """Randomized response with k categories and an ε between two bounds.

    (α-1)ε + ln((1 + e^(-(2α-1)ε) + (k-2)·e^(-αε))/(1 + (k-1)·e^(-ε)))
    """
    low, high = epsilon
    top = 1 + _decay((2 * order - 1) * low) + (categories - 2) * _decay(order * low)
    bottom = 1 + (categories - 1) * _low_decay(high)
    return (order - 1) * high + _log_above(top / bottom)


def laplace_moment(epsilon: Fraction, order: Fraction) -> Fraction:
    """Continuous Laplace noise: (α-1)ε + ln((α + (α-1)·e^(-(2α-1)ε))/(2α-1))."""
    twice = 2 * order - 1
    inside = (order + (order - 1) * _decay(twice * epsilon)) / twice
    return (order - 1) * epsilon + _log_above(inside)


def discrete_laplace_moment(scale: Fraction, sensitivity: int, order: Fraction) -> Fraction:
    """Integer Laplace noise that moves by d steps, with q = e^(-1/scale) and w = q^(2α-1):

    (α-1)ε + ln((1 + w^d + (1-q)·w·(1-w^(d-1))/(1-w))/(1+q))
    """
    epsilon, twice = sensitivity / scale, 2 * order - 1
    q_low = _low_decay(1 / scale)
    w_high = _decay(twice / scale)
    if sensitivity == 1 or w_high == 1:
        return response_moment((epsilon, epsilon), 2, order)
    rest = 1 - _low_decay(twice * (sensitivity - 1) / scale)
    between = (1 - q_low) * w_high * rest / (1 - w_high)
    return (order - 1) * epsilon + _log_above((1 + _decay(twice * epsilon) + between) / (1 + q_low))


def bounded_range_moment(epsilon: Fraction, order: Fraction) -> Fraction:
    """Bounded range: the largest moment over all positions of the interval of length ε.

    (α-1)·(ln(1-1/α) + ε + ln A - ln B) + ln A - ln α - ln C with A = 1 - e^(-αε),
    B = 1 - e^(-(α-1)ε), C = 1 - e^(-ε); never above that of ε²/8-zCDP.
    """
    simple = concentrated_moment(epsilon * epsilon / 8, order)
    low_b = 1 - _decay((order - 1) * epsilon)
    low_c = 1 - _decay(epsilon)
    if low_b <= 0 or low_c <= 0:
        return simple
    high_a = 1 - _low_decay(order * epsilon)
    position = _log_above((1 - 1 / order) * high_a / low_b) + epsilon
    return min(simple, (order - 1) * position + _log_above(high_a / (order * low_c)))


def sampled_moment(inner: Callable[[int], Fraction], rate: Fraction, order: int) -> Fraction:
    """A pair that is symmetric, on a Poisson sample, at a whole order:

    ln Σ C(α,l)·(1-rate)^(α-l)·rate^l·e^(inner(l)), where inner(0) = inner(1) = 0.
    """
    if rate in (0, 1):
        return inner(order) if rate else Fraction(0)
    out, into = (logarithm(part, _SHORT)[1] for part in (1 - rate, rate))
    terms = [
        logarithm(Fraction(comb(order, power)), _SHORT)[1]
        + (order - power) * out
        + power * into
        + (ceil(inner(power) * (1 << _SHORT)) if power > 1 else 0)
        for power in range(order + 1)
    ]
    largest = max(terms)
    total = sum(exp_minus(Fraction(largest - term, 1 << _SHORT), _SHORT)[1] for term in terms)
    return Fraction(largest + logarithm(Fraction(total, 1 << _SHORT), _SHORT)[1], 1 << _SHORT)


def _decay(exponent: Fraction) -> Fraction:
    """e^(-exponent), rounded up."""
    return Fraction(exp_minus(exponent, _BITS)[1], _UNIT)


def _low_decay(exponent: Fraction) -> Fraction:
    """e^(-exponent), rounded down."""
    return Fraction(exp_minus(exponent, _BITS)[0], _UNIT)


def _log_above(value: Fraction) -> Fraction:
    return Fraction(logarithm(value, _BITS)[1], _UNIT)
