"""Normal noise alone: precisions Δ²/σ² add up, and δ has a closed form that is enclosed exactly.

Proof: docs/proofs/privacy-loss-distribution.md
"""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, erfc, exp, log2, sqrt

from discreet.accounting.loss_rules import Batch
from discreet.errors import PrivacyParameterError
from discreet.exact import exp_minus, round_up, square_root
from discreet.exact.normal import gaussian_delta
from discreet.privacy.losses import ZeroConcentratedDP

_STEP = Fraction(1, 10**12)
_ROOT_BITS = 192
_LARGEST = 10**9
_MOST_GROWTH = 32  # e^32 beside the 96 bits below δ


def normal_delta(batch: Batch, epsilon: Fraction) -> Fraction:
    """The δ of the batch at ε, rounded up.

    >>> from discreet.privacy.events import GaussianEvent
    >>> one = Batch.of(GaussianEvent.of(sigma="4.2247"))
    >>> round(float(normal_delta(one, Fraction(1))), 9)
    1e-06
    """
    return _delta(batch, epsilon, 128)


def normal_epsilon(batch: Batch, delta: Fraction) -> Fraction:
    """The least ε of the batch at δ, rounded up to a multiple of 10^-12."""
    if batch.precision == 0:
        return Fraction(0)
    if delta == 0:
        raise PrivacyParameterError(
            "delta is 0. Normal noise bounds no pure ε, so it needs a δ above 0. Use something "
            "far below 1/(number of people), such as delta=1e-6."
        )
    if batch.growth > _MOST_GROWTH:
        raise PrivacyParameterError(
            "the batch has too many releases of integer noise of a large variance. Each counts as "
            "rounded normal noise, which costs about 1e-16 of ε. Use zcdp_epsilon, or compose "
            "fewer events."
        )
    bits = 96 + max(0, ceil(-_log2(delta)))
    if _delta(batch, Fraction(0), bits) <= delta:
        return Fraction(0)
    for proposal in _proposals(batch, delta):
        if _delta(batch, proposal, bits) <= delta:
            return proposal
    concentrated = ZeroConcentratedDP(rho=batch.precision / 2).to_approximate(delta=delta)
    high = round_up(concentrated.epsilon + batch.cost, _STEP)
    while _delta(batch, high, bits) > delta:  # the roundings may take a little more
        high *= 2
    return _bisected(batch, delta, high, bits)


def _proposals(batch: Batch, delta: Fraction) -> Iterator[Fraction]:
    """Multiples of 10^-12 a little above the ε that floats find; none where they fail."""
    if batch.precision > _LARGEST:
        return
    shift = sqrt(batch.precision)

    def float_delta(epsilon: float) -> float:
        near = (epsilon / shift - shift / 2) / sqrt(2)
        far = (epsilon / shift + shift / 2) / sqrt(2)
        return (erfc(near) - exp(epsilon) * erfc(far)) / 2

    low, high = 0.0, 600.0
    if float_delta(high) > delta or delta < 1e-200:
        return
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if float_delta(middle) > delta else (low, middle)
    least = Fraction(high) + batch.cost
    yield from (round_up(least + margin * _STEP, _STEP) for margin in (0, 1, 8, 64, 1024))


def _bisected(batch: Batch, delta: Fraction, high: Fraction, bits: int) -> Fraction:
    low = Fraction(0)
    while high - low > max(_STEP, high * _STEP):
        middle = round_up((low + high) / 2, _STEP)
        if middle == high:
            break
        low, high = (low, middle) if _delta(batch, middle, bits) <= delta else (middle, high)
    return high


def _delta(batch: Batch, epsilon: Fraction, bits: int) -> Fraction:
    if batch.precision == 0:
        return Fraction(0)
    if epsilon < batch.cost:
        return Fraction(1)
    _, shift = square_root(batch.precision, _ROOT_BITS)
    _, high = gaussian_delta(
        epsilon - batch.cost, Fraction(shift, 1 << _ROOT_BITS), Fraction(1), bits
    )
    shrink, _ = exp_minus(batch.growth, bits)
    return min(Fraction(1), Fraction(high, shrink)) if shrink else Fraction(1)


def _log2(value: Fraction) -> float:
    return log2(value.numerator) - log2(value.denominator)
