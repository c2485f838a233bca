"""Basic composition: ε and δ add up, whatever was asked and however it was chosen.

- ``simple_loss`` is the one rule per event: the (ε,δ) that it guarantees.
- ``basic_loss`` adds them up over one data set.
- ``total_loss`` adds up what several data sets give away about the people whom they share.
- ``parallel_loss`` is for disjoint parts of one data set.
- What is computed from releases alone costs nothing more: post-processing has no event.

Proof: docs/proofs/composition.md
"""

from collections.abc import Sequence
from fractions import Fraction

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
    counted,
    refused,
)
from discreet.privacy.losses import ApproximateDP
from discreet.privacy.neighbors import Neighbors

_BITS = 160
_STEP = Fraction(1, 1 << 128)
_NOTHING = ApproximateDP(epsilon=Fraction(0), delta=Fraction(0))


def simple_loss(event: SimpleEvent) -> ApproximateDP | None:
    """The (ε,δ) of one release; None where a δ has to be chosen first, as for Gaussian noise.

    >>> simple_loss(DiscreteLaplaceEvent(scale=10, sensitivity=3))
    ApproximateDP(epsilon=3/10, delta=0)
    >>> simple_loss(GaussianEvent.of(sigma=1)) is None
    True
    """
    match event:
        case PureEvent(epsilon=epsilon) | BoundedRangeEvent(epsilon=epsilon):
            return _pure(epsilon)
        case ApproximateEvent(epsilon=epsilon, delta=delta):
            return ApproximateDP(epsilon=epsilon, delta=delta)
        case LaplaceEvent(scale=scale):
            return _pure(1 / scale)
        case DiscreteLaplaceEvent(scale=scale, sensitivity=sensitivity):
            return _pure(sensitivity / scale)
        case RandomizedResponseEvent():
            return _pure(log_odds(event)[1])
        case SampledEvent(event=inner, rate=rate):
            loss = basic_loss(inner)
            return None if loss is None else amplified(loss, rate)
        case ConcentratedEvent() | GaussianEvent() | DiscreteGaussianEvent():
            return None
        case _:
            raise refused(event, "basic composition")


def basic_loss(event: Event) -> ApproximateDP | None:
    """The sum of all ε and the sum of all δ; None where some event has no ε.

    >>> basic_loss(PureEvent(epsilon=0.1))
    ApproximateDP(epsilon=1/10, delta=0)
    """
    epsilon = delta = Fraction(0)
    for simple, count in counted(event).items():
        loss = simple_loss(simple)
        if loss is None:
            return None
        epsilon += count * loss.epsilon
        delta += count * loss.delta
    return ApproximateDP(epsilon=epsilon, delta=min(delta, Fraction(1)))


def total_loss(losses: Sequence[ApproximateDP]) -> ApproximateDP:
    """The loss of a person who is in all of several data sets: the sum.

    >>> total_loss([ApproximateDP(epsilon=1, delta="1e-6")] * 3)
    ApproximateDP(epsilon=3, delta=3/1000000)
    """
    return ApproximateDP(
        epsilon=sum((loss.epsilon for loss in losses), Fraction(0)),
        delta=min(sum((loss.delta for loss in losses), Fraction(0)), Fraction(1)),
    )


def parallel_loss(losses: Sequence[ApproximateDP], neighbors: Neighbors) -> ApproximateDP:
    """The loss of releases that each see one part of a data set, the parts being disjoint.

    Under add/remove a unit is in one part, so the largest ε and the largest δ count; under
    replace it may leave one part and enter another, so the two largest add up.  The parts must
    be cut by public rules that look at one record at a time.

    >>> each = [ApproximateDP(epsilon=epsilon, delta=0) for epsilon in (1, 2, 3)]
    >>> parallel_loss(each, Neighbors.ADD_REMOVE).epsilon
    Fraction(3, 1)
    >>> parallel_loss(each, Neighbors.REPLACE).epsilon
    Fraction(5, 1)
    """
    touched = 1 if neighbors is Neighbors.ADD_REMOVE else 2
    epsilons = sorted((loss.epsilon for loss in losses), reverse=True)[:touched]
    deltas = sorted((loss.delta for loss in losses), reverse=True)[:touched]
    return ApproximateDP(
        epsilon=sum(epsilons, Fraction(0)), delta=min(sum(deltas, Fraction(0)), Fraction(1))
    )


def amplified(loss: ApproximateDP, rate: Fraction) -> ApproximateDP:
    """The loss on a secret Poisson sample: (ln(1 + rate·(e^ε - 1)), rate·δ), ε rounded up.

    >>> round(float(amplified(ApproximateDP(epsilon=1, delta=0), Fraction(1, 100)).epsilon), 6)
    0.017037
    """
    if rate == 0:
        return _NOTHING
    # ln(1 + rate·(e^ε - 1)) = ε + ln(rate + (1 - rate)·e^(-ε)): no e^ε is formed.
    _, decay = exp_minus(loss.epsilon, _BITS)
    _, shrink = logarithm(rate + (1 - rate) * Fraction(decay, 1 << _BITS), _BITS)
    epsilon = round_up(loss.epsilon + Fraction(shrink, 1 << _BITS), _STEP)
    return ApproximateDP(epsilon=min(loss.epsilon, epsilon), delta=rate * loss.delta)


def log_odds(event: RandomizedResponseEvent) -> tuple[Fraction, Fraction]:
    """Bounds of the ε of randomized response: equal where ε was stated, else around ln(odds)."""
    if event.epsilon is not None:
        return event.epsilon, event.epsilon
    if event.odds is None:
        raise refused(event, "randomized response without odds")
    low, high = logarithm(event.odds, 128)
    return Fraction(low, 1 << 128), Fraction(high, 1 << 128)


def _pure(epsilon: Fraction) -> ApproximateDP:
    return ApproximateDP(epsilon=epsilon, delta=Fraction(0))
