"""The Rényi accountant: log-moments of the privacy loss, which add up at every order α.

A log-moment is (α-1) times the Rényi divergence of order α; all are bounds, rounded up.
"""

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
_SAMPLED_BITS = 96
_SAMPLED_UNIT = 1 << _SAMPLED_BITS
_LARGEST_WHOLE_ORDER = 256


def renyi_epsilon(event: Event, *, delta: object) -> Fraction:
    """An ε at which the event is (ε,δ)-DP, by the best order.

    >>> from discreet.privacy.events import RepeatedEvent
    >>> batch = RepeatedEvent(event=LaplaceEvent(scale=50), count=1000)
    >>> round(float(renyi_epsilon(batch, delta=1e-6)), 4)
    3.112
    """
    delta_left = read_delta(delta) - leaked_delta(event)
    if delta_left <= 0:
        raise PrivacyParameterError(
            "delta is not above what the events leak by themselves. Moments convert to ε only "
            "with a δ left over. Use a larger delta, such as 1e-6."
        )

    def bound(order: Fraction) -> Fraction:
        return epsilon_at(order, total_moment(event, order), delta_left)

    return bound(_best_order(event, bound))


def renyi_delta(event: Event, *, epsilon: object) -> Fraction:
    """A δ at which the event is (ε,δ)-DP, by the best order."""
    level = not_negative(epsilon, "epsilon")

    def bound(order: Fraction) -> Fraction:
        return log_delta_at(order, total_moment(event, order), level)

    return min(Fraction(1), leaked_delta(event) + exp_rounded_up(bound(_best_order(event, bound))))


def leaked_delta(event: Event) -> Fraction:
    """The sum of the events' own δ, which no log-moment covers."""
    total = Fraction(0)
    for simple, count in event_counts(event).items():
        if isinstance(simple, ApproximateEvent):
            total += count * simple.delta
        elif isinstance(simple, SampledEvent):
            total += count * leaked_delta(simple.event)
    return min(total, Fraction(1))


def total_moment(event: Event, order: Fraction) -> Fraction:
    """A bound of the log-moment of an event: the sum over all that it is composed of."""
    return sum(
        (count * log_moment(simple, order) for simple, count in event_counts(event).items()),
        Fraction(0),
    )


@lru_cache(maxsize=1 << 14)
def log_moment(event: SimpleEvent, order: Fraction) -> Fraction:
    """A bound of the log-moment of one event, at an order above 1.

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
            return _sampled_event_moment(event, order)
        case _:
            raise no_rule_error(event, "the Rényi accountant")


# ---------------------------------------------------------------------- one kind of event


def concentrated_moment(rho: Fraction, order: Fraction) -> Fraction:
    """The log-moment of ρ-zCDP: α(α-1)·ρ."""
    return order * (order - 1) * rho


def response_moment(
    epsilon: tuple[Fraction, Fraction], categories: int, order: Fraction
) -> Fraction:
    """The log-moment of randomized response with k categories and an ε between two bounds:

    (α-1)ε + ln((1 + e^(-(2α-1)ε) + (k-2)·e^(-αε))/(1 + (k-1)·e^(-ε)))
    """
    low, high = epsilon
    numerator = 1 + _exp_up((2 * order - 1) * low) + (categories - 2) * _exp_up(order * low)
    denominator = 1 + (categories - 1) * _exp_down(high)
    return (order - 1) * high + _log_up(numerator / denominator)


def laplace_moment(epsilon: Fraction, order: Fraction) -> Fraction:
    """The log-moment of Laplace noise: (α-1)ε + ln((α + (α-1)·e^(-(2α-1)ε))/(2α-1))."""
    twice = 2 * order - 1
    ratio = (order + (order - 1) * _exp_up(twice * epsilon)) / twice
    return (order - 1) * epsilon + _log_up(ratio)


def discrete_laplace_moment(scale: Fraction, sensitivity: int, order: Fraction) -> Fraction:
    """The log-moment of integer Laplace noise that neighbors shift by d steps:

    (α-1)ε + ln((1 + w^d + (1-q)·w·(1-w^(d-1))/(1-w))/(1+q)) with q = e^(-1/scale), w = q^(2α-1)
    """
    epsilon, twice = sensitivity / scale, 2 * order - 1
    q_low = _exp_down(1 / scale)
    w_high = _exp_up(twice / scale)
    if sensitivity == 1 or w_high == 1:
        return response_moment((epsilon, epsilon), 2, order)
    power_high = 1 - _exp_down(twice * (sensitivity - 1) / scale)  # 1 - w^(d-1)
    between_high = (1 - q_low) * w_high * power_high / (1 - w_high)
    numerator = 1 + _exp_up(twice * epsilon) + between_high
    return (order - 1) * epsilon + _log_up(numerator / (1 + q_low))


def bounded_range_moment(epsilon: Fraction, order: Fraction) -> Fraction:
    """The log-moment of bounded range: the largest over all positions of an interval of length ε.

    (α-1)·(ln(1-1/α) + ε + ln A - ln B) + ln A - ln α - ln C with A = 1 - e^(-αε),
    B = 1 - e^(-(α-1)ε), C = 1 - e^(-ε); never above that of ε²/8-zCDP.
    """
    zcdp_moment = concentrated_moment(epsilon * epsilon / 8, order)
    low_b = 1 - _exp_up((order - 1) * epsilon)
    low_c = 1 - _exp_up(epsilon)
    if low_b <= 0 or low_c <= 0:
        return zcdp_moment
    high_a = 1 - _exp_down(order * epsilon)
    position = _log_up((1 - 1 / order) * high_a / low_b) + epsilon
    return min(zcdp_moment, (order - 1) * position + _log_up(high_a / (order * low_c)))


def sampled_moment(inner_moment: Callable[[int], Fraction], rate: Fraction, order: int) -> Fraction:
    """The log-moment, at a whole order, of an event with a symmetric pair on a Poisson sample:

    ln Σ C(α,l)·(1-rate)^(α-l)·rate^l·e^(inner_moment(l)), without the last factor for l = 0, 1.
    """
    if rate in (0, 1):
        return inner_moment(order) if rate else Fraction(0)
    log_unsampled, log_sampled = (
        logarithm(chance, _SAMPLED_BITS)[1] for chance in (1 - rate, rate)
    )
    terms = [
        logarithm(Fraction(comb(order, power)), _SAMPLED_BITS)[1]
        + (order - power) * log_unsampled
        + power * log_sampled
        + (ceil(inner_moment(power) * _SAMPLED_UNIT) if power > 1 else 0)
        for power in range(order + 1)
    ]
    largest = max(terms)
    total = sum(
        exp_minus(Fraction(largest - term, _SAMPLED_UNIT), _SAMPLED_BITS)[1] for term in terms
    )
    log_total = logarithm(Fraction(total, _SAMPLED_UNIT), _SAMPLED_BITS)[1]
    return Fraction(largest + log_total, _SAMPLED_UNIT)


def _sampled_event_moment(event: SampledEvent, order: Fraction) -> Fraction:
    """A bound of the log-moment of a sampled event.

    It is amplified if the order is whole and all events inside have symmetric pairs of laws.
    """
    unamplified = total_moment(event.event, order)
    simple_events = list(event_counts(event.event))
    if (
        order.denominator != 1
        or order > _LARGEST_WHOLE_ORDER
        or not all(map(_is_symmetric, simple_events))
    ):
        return unamplified

    def inner_moment(power: int) -> Fraction:
        return total_moment(event.event, Fraction(power))

    return min(unamplified, sampled_moment(inner_moment, event.rate, int(order)))


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


# ---------------------------------------------------------------------- rounding and orders


def _best_order(event: Event, bound: Callable[[Fraction], Fraction]) -> Fraction:
    if any(isinstance(simple, SampledEvent) for simple in event_counts(event)):
        return best_whole_order(bound, _LARGEST_WHOLE_ORDER)
    return best_order(bound)


def _exp_up(exponent: Fraction) -> Fraction:
    """e^(-exponent), rounded up."""
    return Fraction(exp_minus(exponent, _BITS)[1], _UNIT)


def _exp_down(exponent: Fraction) -> Fraction:
    """e^(-exponent), rounded down."""
    return Fraction(exp_minus(exponent, _BITS)[0], _UNIT)


def _log_up(value: Fraction) -> Fraction:
    """ln(value), rounded up."""
    return Fraction(logarithm(value, _BITS)[1], _UNIT)
