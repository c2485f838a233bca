"""Zero-concentrated privacy: ρ adds up, also when later questions depend on earlier answers."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from discreet.accounting.composition import log_odds, simple_loss
from discreet.errors import PrivacyParameterError
from discreet.exact import exp_minus, logarithm, round_up
from discreet.privacy.events import (
    ApproximateEvent,
    BoundedRangeEvent,
    ConcentratedEvent,
    DiscreteGaussianEvent,
    DiscreteLaplaceEvent,
    Event,
    GaussianEvent,
    LaplaceEvent,
    PureEvent,
    RandomizedResponseEvent,
    SampledEvent,
    SimpleEvent,
    event_counts,
    no_rule_error,
    not_negative,
)
from discreet.privacy.losses import ZeroConcentratedDP, read_delta

_CONVERSION_BITS = 128
_CONVERSION_STEP = Fraction(1, 1 << 96)
_GOLDEN = Fraction(618034, 10**6)
_ROUNDS = 40


_BITS = 192
_STEP = Fraction(1, 1 << 128)


def epsilon_at(order: Fraction, moment: Fraction, delta: Fraction) -> Fraction:
    """The ε at δ that a bound at one order gives; never below 0."""
    _, first = logarithm(1 / (order * delta), _CONVERSION_BITS)
    _, second = logarithm(1 - 1 / order, _CONVERSION_BITS)
    bound = (moment + Fraction(first, 1 << _CONVERSION_BITS)) / (order - 1) + Fraction(
        second, 1 << _CONVERSION_BITS
    )
    return max(Fraction(0), round_up(bound, _CONVERSION_STEP))


def log_delta_at(order: Fraction, moment: Fraction, epsilon: Fraction) -> Fraction:
    """The logarithm of the δ at ε that a bound at one order gives."""
    first, _ = logarithm(order, _CONVERSION_BITS)
    _, second = logarithm(1 - 1 / order, _CONVERSION_BITS)
    unit = 1 << _CONVERSION_BITS
    bound = moment - Fraction(first, unit) + (order - 1) * (Fraction(second, unit) - epsilon)
    return round_up(bound, _CONVERSION_STEP)


def exp_rounded_up(log_delta: Fraction) -> Fraction:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Concentration:
    """δ-approximate ρ-zCDP."""

    rho: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)


@lru_cache(maxsize=4096)
def concentration(event: SimpleEvent) -> Concentration:
    """The ρ and δ of one release: δ-approximate ρ-zCDP.

    >>> concentration(GaussianEvent.of(sigma=2))
    Concentration(rho=Fraction(1, 8), delta=Fraction(0, 1))
    >>> concentration(BoundedRangeEvent(epsilon=1)).rho
    Fraction(1, 8)
    """
    match event:
        case PureEvent(epsilon=epsilon):
            return Concentration(rho=pure_rho(epsilon))
        case ApproximateEvent(epsilon=epsilon, delta=delta):
            return Concentration(rho=pure_rho(epsilon), delta=delta)
        case ConcentratedEvent(rho=rho):
            return Concentration(rho=rho)
        case LaplaceEvent(scale=scale):
            return Concentration(rho=_laplace_rho(1 / scale))
        case DiscreteLaplaceEvent(scale=scale, sensitivity=sensitivity):
            return Concentration(rho=_discrete_laplace_rho(scale, sensitivity))
        case GaussianEvent(variance=variance):
            return Concentration(rho=1 / (2 * variance))
        case DiscreteGaussianEvent(variance=variance, squared_sensitivity=squared):
            return Concentration(rho=squared / (2 * variance))
        case RandomizedResponseEvent():
            return Concentration(rho=_response_rho(event))
        case BoundedRangeEvent(epsilon=epsilon):
            return Concentration(rho=epsilon * epsilon / 8)
        case SampledEvent():
            return _sampled(event)
        case _:
            raise no_rule_error(event, "the zCDP accountant")


def total_concentration(event: Event) -> Concentration:
    """The sums of ρ and of δ over everything that the event is composed of."""
    rho = delta = Fraction(0)
    for simple, count in event_counts(event).items():
        each = concentration(simple)
        rho += count * each.rho
        delta += count * each.delta
    return Concentration(rho=rho, delta=min(delta, Fraction(1)))


def pure_rho(epsilon: Fraction) -> Fraction:
    """The least ρ that ε-DP implies, ε·tanh(ε/2), rounded up; never more than ε²/2.

    >>> round(float(pure_rho(Fraction(1))), 6), pure_rho(Fraction(1, 10**17)) * 10**34
    (0.462117, Fraction(1, 2))
    """
    low, _ = exp_minus(epsilon, _BITS)
    tight = epsilon * Fraction((1 << _BITS) - low, (1 << _BITS) + low)
    return min(epsilon * epsilon / 2, round_up(tight, _STEP))


def _laplace_rho(epsilon: Fraction) -> Fraction:
    """ε + e^(-ε) - 1, the divergence of order 1."""
    _, high = exp_minus(epsilon, _BITS)
    return min(pure_rho(epsilon), round_up(epsilon + Fraction(high, 1 << _BITS) - 1, _STEP))


def _discrete_laplace_rho(scale: Fraction, sensitivity: int) -> Fraction:
    """d/s - 2q(1 - q^d)/(s·(1 - q²)) with q = e^(-1/s), the divergence of order 1."""
    epsilon = sensitivity / scale
    most = pure_rho(epsilon)
    low, _ = exp_minus(1 / scale, _BITS)
    _, power = exp_minus(epsilon, _BITS)
    unit = 1 << _BITS
    # q/(1 - q²) rises with q, so the low end of q bounds the subtracted part from below.
    part = Fraction(low * (unit - power), unit * unit - low * low)
    tight = epsilon - 2 * part / scale
    return min(most, round_up(tight, _STEP))


def _response_rho(event: RandomizedResponseEvent) -> Fraction:
    """ε·(o - 1)/(o + k - 1), the divergence of order 1, where the k categories are few."""
    _, high = log_odds(event)
    others = event.categories - 2
    decay, _ = exp_minus(high, _BITS)
    inverse = Fraction(decay, 1 << _BITS)  # not above 1/o, and the bound falls with 1/o
    if others * others * inverse > 4 * (1 - Fraction(1, 1 << 64)):
        return pure_rho(high)  # the divergence over α is not known to fall with α
    tight = high * (1 - inverse) / (1 + (event.categories - 1) * inverse)
    return min(pure_rho(high), round_up(tight, _STEP))


def _sampled(event: SampledEvent) -> Concentration:
    """The better of the amplified ε, where there is one, and no amplification at all."""
    inner = total_concentration(event.event)
    loss = simple_loss(event)
    if loss is None or pure_rho(loss.epsilon) > inner.rho:
        return inner
    return Concentration(rho=pure_rho(loss.epsilon), delta=loss.delta)


def zcdp_epsilon(event: Event, *, delta: object) -> Fraction:
    """An ε at which everything together is (ε,δ)-DP, by the sums of ρ and δ.

    >>> from discreet.privacy.events import RepeatedEvent
    >>> hundred = RepeatedEvent(event=BoundedRangeEvent(epsilon=0.1), count=100)
    >>> round(float(zcdp_epsilon(hundred, delta=1e-6)), 2)
    2.42
    """
    total = total_concentration(event)
    rest = read_delta(delta) - total.delta
    if rest <= 0:
        raise PrivacyParameterError(
            "delta is not above the sum of the events' own δ. zCDP converts to ε only with a δ "
            "left over. Use a larger delta, such as 1e-6."
        )
    return ZeroConcentratedDP(rho=total.rho).to_approximate(delta=rest).epsilon


def zcdp_delta(event: Event, *, epsilon: object) -> Fraction:
    """A δ at which everything together is (ε,δ)-DP, by the sums of ρ and δ."""
    level, total = not_negative(epsilon, "epsilon"), total_concentration(event)

    def bound(order: Fraction) -> Fraction:
        return log_delta_at(order, order * (order - 1) * total.rho, level)

    rest = exp_rounded_up(bound(best_order(bound))) if total.rho else Fraction(0)
    return min(Fraction(1), total.delta + rest)
