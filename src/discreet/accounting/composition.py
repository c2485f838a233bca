"""Basic composition: ε and δ add up, whatever was asked and however it was chosen.

- ``simple_loss`` is the one rule per event: the (ε,δ) that it guarantees.
- ``basic_loss`` adds them up over one data set.
- ``total_loss`` adds up what several data sets give away about the people whom they share.
- ``parallel_loss`` is for disjoint parts of one data set.
- What is computed from releases alone costs nothing more: post-processing has no event.

Proof: docs/proofs/composition.md
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

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
from discreet.privacy.losses import ApproximateDP, read_delta
from discreet.privacy.sensitivity import Neighbors

_BITS = 160
_STEP = Fraction(1, 1 << 128)
_NOTHING = ApproximateDP(epsilon=Fraction(0), delta=Fraction(0))


MOST_REPETITIONS = 10_000
"""The most repetitions: the sum has a term for each."""
_EPSILON_STEP = Fraction(1, 10**12)
_DECAY_BITS = 256


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
            raise no_rule_error(event, "basic composition")


def basic_loss(event: Event) -> ApproximateDP | None:
    """The sum of all ε and the sum of all δ; None where some event has no ε.

    >>> basic_loss(PureEvent(epsilon=0.1))
    ApproximateDP(epsilon=1/10, delta=0)
    """
    epsilon = delta = Fraction(0)
    for simple, count in event_counts(event).items():
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
        raise no_rule_error(event, "randomized response without odds")
    low, high = logarithm(event.odds, 128)
    return Fraction(low, 1 << 128), Fraction(high, 1 << 128)


def _pure(epsilon: Fraction) -> ApproximateDP:
    return ApproximateDP(epsilon=epsilon, delta=Fraction(0))


def optimal_epsilon(event: Event, *, delta: object) -> Fraction:
    """The least ε' of a repeated (ε,δ) event, rounded up to a multiple of 10^-12.

    >>> from discreet.privacy.events import PureEvent, RepeatedEvent
    >>> hundred = RepeatedEvent(event=PureEvent(epsilon=0.1), count=100)
    >>> round(float(optimal_epsilon(hundred, delta=1e-6)), 3)
    4.775
    """
    response = _Response.of(event)
    level = read_delta(delta)
    kept = response.kept
    if kept == 0 or 1 - level > kept:
        raise PrivacyParameterError(
            "delta is below what the events leak by themselves. No ε exists there. Use a larger "
            "delta, or events with a smaller one."
        )
    # 1 - δ' = kept·(1 - inside), so what the finite losses may take is:
    inside = 1 - (1 - level) / kept
    return round_up(response.least_epsilon(inside), _EPSILON_STEP)


def optimal_delta(event: Event, *, epsilon: object) -> Fraction:
    """The least δ' of a repeated (ε,δ) event, rounded up."""
    response = _Response.of(event)
    inside = response.delta(not_negative(epsilon, "epsilon"))
    return min(Fraction(1), 1 - response.kept * (1 - inside))


@dataclass(frozen=True, slots=True)
class _Response:
    """``count`` answers of two-valued randomized response; none leaks with probability ``kept``."""

    epsilon: Fraction
    count: int
    kept: Fraction

    @staticmethod
    def of(event: Event) -> "_Response":
        groups = event_counts(event)
        if not groups:
            return _Response(Fraction(0), 1, Fraction(1))
        (simple, count), *others = groups.items()
        loss = simple_loss(simple)
        if others or loss is None:
            raise no_rule_error(event, "optimal composition of one repeated (ε,δ) event")
        if count > MOST_REPETITIONS:
            raise PrivacyParameterError(
                f"the event is repeated more than {MOST_REPETITIONS} times. Optimal composition "
                "adds up a term for each. Use loss_distribution_epsilon, which is as tight."
            )
        return _Response(loss.epsilon, count, _power_below(1 - loss.delta, count))

    def loss(self, lies: int) -> Fraction:
        """The privacy loss of answers with so many lies among them."""
        return (self.count - 2 * lies) * self.epsilon

    def sums(self, lies: int, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """Σ P(i) from above and Σ P(i)·e^(epsilon - loss(i)) from below, over i ≤ ``lies``.

        ε is not above the loss with that many lies.
        """
        bits, table = _lies(self.epsilon, self.count)
        decay, _ = exp_minus(self.loss(lies) - epsilon, _DECAY_BITS)
        step, _ = exp_minus(2 * self.epsilon, _DECAY_BITS)
        first = second = 0
        for below, above in reversed(table[: lies + 1]):
            first += above
            second += below * decay >> _DECAY_BITS
            decay = decay * step >> _DECAY_BITS
        return Fraction(first, 1 << bits), Fraction(second, 1 << bits)

    def delta(self, epsilon: Fraction) -> Fraction:
        """Σ P(i)·(1 - e^(ε' - loss(i)))₊ over the numbers i of lies, rounded up."""
        if epsilon >= self.loss(0):
            return Fraction(0)
        if self.epsilon == 0 or epsilon < self.loss(self.count):
            return Fraction(1)
        lies = ((self.count - epsilon / self.epsilon) / 2).__floor__()
        first, second = self.sums(lies, epsilon)
        return min(Fraction(1), first - second)

    def least_epsilon(self, delta: Fraction) -> Fraction:
        """About the least ε' ≥ 0 with delta(ε') ≤ δ."""
        if self.epsilon == 0 or self.delta(Fraction(0)) <= delta:
            return Fraction(0)
        low, high = 0, self.count // 2
        while high > low:  # the most lies at whose loss δ' is small enough
            middle = -(-(low + high) // 2)
            if self.delta(self.loss(middle)) <= delta:
                low = middle
            else:
                high = middle - 1
        # Between that loss and the next lower one δ' = A - e^(ε' - loss)·B is a line in e^ε'.
        first, second = self.sums(low, self.loss(low))
        next_lower = max(Fraction(0), self.loss(low + 1))
        if first <= delta:
            return next_lower
        _, excess = logarithm((first - delta) / second, _DECAY_BITS)
        epsilon = self.loss(low) + Fraction(excess, 1 << _DECAY_BITS)
        return min(max(epsilon, next_lower), self.loss(low))


@lru_cache(maxsize=2)  # a table takes some 25 MB where the event is repeated most often
def _lies(epsilon: Fraction, count: int) -> tuple[int, list[tuple[int, int]]]:
    """A number of bits, and enclosures of 2^bits · P(i lies) for every i.

    P(0) = (1+q)^-k ≥ 2^-k and P(i+1) = P(i)·q·(k-i)/(i+1) with q = e^(-ε).
    """
    bits = count + _DECAY_BITS
    low, high = exp_minus(epsilon, bits)
    one = 1 << bits
    below, above = (one << bits) // (one + high), -((-one << bits) // (one + low))
    first_below, first_above = one, one
    for digit in format(count, "b"):
        first_below, first_above = first_below**2 >> bits, -(-(first_above**2) >> bits)
        if digit == "1":
            first_below, first_above = first_below * below >> bits, -(-first_above * above >> bits)
    ratio_low, ratio_high = exp_minus(epsilon, _DECAY_BITS)
    table = [(first_below, first_above)]
    for lies in range(count):
        least, most = table[-1]
        least = (least * ratio_low * (count - lies) // (lies + 1)) >> _DECAY_BITS
        most = -(-most * ratio_high * (count - lies) // (lies + 1) >> _DECAY_BITS)
        table.append((least, most))
    return bits, table


def _power_below(value: Fraction, exponent: int) -> Fraction:
    """value^exponent for a value from 0 to 1, rounded down."""
    unit = 1 << _DECAY_BITS
    base = int(value * unit)
    result = unit
    for digit in format(exponent, "b"):
        result = result * result >> _DECAY_BITS
        if digit == "1":
            result = result * base >> _DECAY_BITS
    return Fraction(result, unit) if value < 1 else Fraction(1)
