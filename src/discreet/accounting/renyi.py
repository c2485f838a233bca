"""Rényi privacy: the moments of the privacy loss at every order add up.

``log_moment`` is the one rule per event: an upper bound of ln E_P[e^((α-1)·loss)] = (α-1)·D_α(P‖Q)
over all neighbors, once a leak of probability ``leak`` is set aside.
Proof: docs/proofs/composition.md
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from discreet.accounting import moments
from discreet.accounting.composition import log_odds
from discreet.accounting.conversion import (
    best_order,
    best_whole_order,
    epsilon_at,
    exponential,
    log_delta_at,
)
from discreet.errors import PrivacyParameterError
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
    counted,
    not_negative,
    refused,
)
from discreet.privacy.parameters import read_delta

_LARGEST_WHOLE_ORDER = 256


@lru_cache(maxsize=1 << 14)
def log_moment(event: SimpleEvent, order: Fraction) -> Fraction:
    """The bound for one release at an order above 1.

    >>> log_moment(GaussianEvent.of(sigma=2), Fraction(3))
    Fraction(3, 4)
    """
    match event:
        case PureEvent(epsilon=epsilon) | ApproximateEvent(epsilon=epsilon):
            return moments.response_moment((epsilon, epsilon), 2, order)
        case RandomizedResponseEvent(categories=categories):
            return moments.response_moment(log_odds(event), categories, order)
        case ConcentratedEvent(rho=rho):
            return moments.concentrated_moment(rho, order)
        case LaplaceEvent(scale=scale):
            return moments.laplace_moment(1 / scale, order)
        case DiscreteLaplaceEvent(scale=scale, sensitivity=sensitivity):
            return moments.discrete_laplace_moment(scale, sensitivity, order)
        case GaussianEvent(variance=variance):
            return moments.concentrated_moment(1 / (2 * variance), order)
        case DiscreteGaussianEvent(variance=variance, squared_sensitivity=squared):
            return moments.concentrated_moment(squared / (2 * variance), order)
        case BoundedRangeEvent(epsilon=epsilon):
            return moments.bounded_range_moment(epsilon, order)
        case SampledEvent():
            return _sampled(event, order)
        case _:
            raise refused(event, "the Rényi accountant")


def leak(event: Event) -> Fraction:
    """The sum of the δ that are set aside."""
    total = Fraction(0)
    for simple, count in counted(event).items():
        if isinstance(simple, ApproximateEvent):
            total += count * simple.delta
        elif isinstance(simple, SampledEvent):
            total += count * leak(simple.event)
    return min(total, Fraction(1))


def total_moment(event: Event, order: Fraction) -> Fraction:
    """The bound for everything that the event is composed of."""
    return sum(
        (count * log_moment(simple, order) for simple, count in counted(event).items()),
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

    return min(Fraction(1), leak(event) + exponential(bound(_order(event, bound))))


def _order(event: Event, bound: Callable[[Fraction], Fraction]) -> Fraction:
    if any(isinstance(simple, SampledEvent) for simple in counted(event)):
        return best_whole_order(bound, _LARGEST_WHOLE_ORDER)
    return best_order(bound)


def _sampled(event: SampledEvent, order: Fraction) -> Fraction:
    """Amplified where the event inside has a symmetric pair of laws and the order is whole."""
    plain = total_moment(event.event, order)
    parts = list(counted(event.event))
    if order.denominator != 1 or order > _LARGEST_WHOLE_ORDER or not all(map(_is_symmetric, parts)):
        return plain

    def inner(power: int) -> Fraction:
        return total_moment(event.event, Fraction(power))

    return min(plain, moments.sampled_moment(inner, event.rate, int(order)))


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
