"""Rényi privacy: the moments of the privacy loss at every order add up."""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import ceil, comb

from discreet.accounting.composition import log_odds
from discreet.accounting.zcdp import (
    best_order,
    best_whole_order,
    epsilon_at,
    exp_rounded_up,
    log_delta_at,
)
from discreet.errors import PrivacyParameterError
from discreet.exact import exp_minus, logarithm
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
from discreet.privacy.losses import read_delta

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


_LARGEST_WHOLE_ORDER = 256


@lru_cache(maxsize=1 << 14)
def log_moment(event: SimpleEvent, order: Fraction) -> Fraction:
    """The bound for one release at an order above 1.

    >>> log_moment(GaussianEvent.of(sigma=2), Fraction(3))
    Fraction(3, 4)
    """
    match event:
        case PureEvent(epsilon=epsilon) | ApproximateEvent(epsilon=epsilon):
            return response_moment((epsilon, epsilon), 2, order)
        case RandomizedResponseEvent(categories=categories):
            return response_moment(log_odds(event), categories, order)
        case ConcentratedEvent(rho=rho):
            return concentrated_moment(rho, order)
        case LaplaceEvent(scale=scale):
            return laplace_moment(1 / scale, order)
        case DiscreteLaplaceEvent(scale=scale, sensitivity=sensitivity):
            return discrete_laplace_moment(scale, sensitivity, order)
        case GaussianEvent(variance=variance):
            return concentrated_moment(1 / (2 * variance), order)
        case DiscreteGaussianEvent(variance=variance, squared_sensitivity=squared):
            return concentrated_moment(squared / (2 * variance), order)
        case BoundedRangeEvent(epsilon=epsilon):
            return bounded_range_moment(epsilon, order)
        case SampledEvent():
            return _sampled(event, order)
        case _:
            raise no_rule_error(event, "the Rényi accountant")


def leak(event: Event) -> Fraction:
    """The sum of the δ that are set aside."""
    total = Fraction(0)
    for simple, count in event_counts(event).items():
        if isinstance(simple, ApproximateEvent):
            total += count * simple.delta
        elif isinstance(simple, SampledEvent):
            total += count * leak(simple.event)
    return min(total, Fraction(1))


def total_moment(event: Event, order: Fraction) -> Fraction:
    """The bound for everything that the event is composed of."""
    return sum(
        (count * log_moment(simple, order) for simple, count in event_counts(event).items()),
        Fraction(0),
    )


def renyi_epsilon(event: Event, *, delta: object) -> Fraction:
    """An ε at which the batch is (ε,δ)-DP, by the best order.

    >>> from discreet.privacy.events import RepeatedEvent
    >>> batch = RepeatedEvent(event=LaplaceEvent(scale=50), count=1000)
    >>> round(float(renyi_epsilon(batch, delta=1e-6)), 4)
    3.112
    """
    rest = read_delta(delta) - leak(event)
    if rest <= 0:
        raise PrivacyParameterError(
            "delta is not above what the events leak by themselves. Moments convert to ε only "
            "with a δ left over. Use a larger delta, such as 1e-6."
        )

    def bound(order: Fraction) -> Fraction:
        return epsilon_at(order, total_moment(event, order), rest)

    return bound(_order(event, bound))


def renyi_delta(event: Event, *, epsilon: object) -> Fraction:
    """A δ at which the batch is (ε,δ)-DP, by the best order."""
    level = not_negative(epsilon, "epsilon")

    def bound(order: Fraction) -> Fraction:
        return log_delta_at(order, total_moment(event, order), level)

    return min(Fraction(1), leak(event) + exp_rounded_up(bound(_order(event, bound))))


def _order(event: Event, bound: Callable[[Fraction], Fraction]) -> Fraction:
    if any(isinstance(simple, SampledEvent) for simple in event_counts(event)):
        return best_whole_order(bound, _LARGEST_WHOLE_ORDER)
    return best_order(bound)


def _sampled(event: SampledEvent, order: Fraction) -> Fraction:
    """Amplified where the event inside has a symmetric pair of laws and the order is whole."""
    plain = total_moment(event.event, order)
    parts = list(event_counts(event.event))
    if order.denominator != 1 or order > _LARGEST_WHOLE_ORDER or not all(map(_is_symmetric, parts)):
        return plain

    def inner(power: int) -> Fraction:
        return total_moment(event.event, Fraction(power))

    return min(plain, sampled_moment(inner, event.rate, int(order)))


def _is_symmetric(event: SimpleEvent) -> bool:
    """Whether one pair of laws that can be swapped by a bijection dominates the event."""
    return isinstance(
        event,
        PureEvent
        | RandomizedResponseEvent
        | LaplaceEvent
        | DiscreteLaplaceEvent
        | GaussianEvent
        | DiscreteGaussianEvent,
    )
