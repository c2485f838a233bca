"""Events: what a release did, as permanent values that any accountant can price.

An event says how the noise was made, not what it costs: a ledger stores events, and a better
accountant re-prices them years later.  So the meaning of a kind never changes; a new meaning
is a new kind.  ``privacy.event_data`` writes and reads them as plain data.

Each class states the promise that its author makes about the mechanism, for every pair of
neighbors.  Proof of what follows from it: docs/proofs/composition.md
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import PrivacyParameterError
from discreet.exact import decimal_text
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.parameters import read_number, read_positive

MAX_DEPTH = 16
"""How deep events stand in one another at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PureEvent:
    """The release is ε-DP; nothing else is known.

    >>> PureEvent(epsilon=0.1).epsilon
    Fraction(1, 10)
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        set_field(self, "epsilon", not_negative(self.epsilon, "epsilon"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproximateEvent:
    """The release is (ε,δ)-DP; nothing else is known."""

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        set_field(self, "epsilon", not_negative(self.epsilon, "epsilon"))
        set_field(self, "delta", probability(self.delta, "delta"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcentratedEvent:
    """The release is ρ-zCDP; nothing else is known."""

    rho: Fraction

    def __post_init__(self) -> None:
        set_field(self, "rho", not_negative(self.rho, "rho"))


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceEvent:
    """Continuous Laplace noise whose scale is ``scale`` times the L1 sensitivity, any dimension.

    Integer noise is *not* such an event: its least ε is the same, its δ below that is larger.

    >>> LaplaceEvent(scale=50)
    LaplaceEvent(scale=Fraction(50, 1))
    """

    scale: Fraction

    def __post_init__(self) -> None:
        set_field(self, "scale", positive(self.scale, "scale"))


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteLaplaceEvent:
    """Integer noise P(k) ∝ e^(-|k|/scale) in every coordinate; one unit moves the vector by at
    most ``sensitivity`` in L1.  Both are counted in steps of the grid.
    """

    scale: Fraction
    sensitivity: int

    def __post_init__(self) -> None:
        set_field(self, "scale", positive(self.scale, "scale"))
        set_field(self, "sensitivity", whole(self.sensitivity, "sensitivity"))


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianEvent:
    """Continuous normal noise; ``variance`` is σ²/Δ², Δ the L2 sensitivity, any dimension.

    The variance, because σ/Δ is rarely rational: Δ = √k where one unit is in k counts.

    >>> GaussianEvent.of(sigma=50)
    GaussianEvent(variance=Fraction(2500, 1))
    """

    variance: Fraction

    def __post_init__(self) -> None:
        set_field(self, "variance", positive(self.variance, "variance"))

    @staticmethod
    def of(*, sigma: object, sensitivity: object = 1) -> "GaussianEvent":
        """The event of noise N(0, sigma²) on an answer with this L2 sensitivity."""
        ratio = positive(sigma, "sigma") / positive(sensitivity, "sensitivity")
        return GaussianEvent(variance=ratio * ratio)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteGaussianEvent:
    """Integer noise P(k) ∝ e^(-k²/(2·variance)) in every coordinate.

    One unit moves the vector in at most ``coordinates`` coordinates, by integers whose squares
    add up to at most ``squared_sensitivity``; all are counted in steps of the grid.
    """

    variance: Fraction
    squared_sensitivity: int
    coordinates: int = 1

    def __post_init__(self) -> None:
        set_field(self, "variance", positive(self.variance, "variance"))
        set_field(
            self, "squared_sensitivity", whole(self.squared_sensitivity, "squared_sensitivity")
        )
        set_field(self, "coordinates", whole(self.coordinates, "coordinates"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomizedResponseEvent:
    """One of ``categories`` values is reported; the truth is e^ε (or ``odds``) times as likely
    as each of the others.  Exactly one of ``epsilon`` and ``odds`` is given.

    >>> RandomizedResponseEvent(odds=3)
    RandomizedResponseEvent(categories=2, epsilon=None, odds=Fraction(3, 1))
    """

    categories: int = 2
    epsilon: Fraction | None = None
    odds: Fraction | None = None

    def __post_init__(self) -> None:
        set_field(self, "categories", whole(self.categories, "categories", least=2))
        if (self.epsilon is None) == (self.odds is None):
            raise PrivacyParameterError(
                "randomized response is given by epsilon or by odds, one of the two. The odds of "
                "the truth against a given lie are e^ε. Write epsilon=1, or odds=3."
            )
        if self.epsilon is not None:
            set_field(self, "epsilon", not_negative(self.epsilon, "epsilon"))
        else:
            odds = positive(self.odds, "odds")
            if odds < 1:
                raise PrivacyParameterError(
                    f"odds is {decimal_text(odds)}. The truth is at least as likely as a lie, so "
                    "odds are at least 1. Write odds=3 for the two-coin form."
                )
            set_field(self, "odds", odds)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedRangeEvent:
    """The privacy loss on any pair of neighbors stays within an interval of length ε: the
    exponential mechanism.  Implies ε-DP.
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        set_field(self, "epsilon", not_negative(self.epsilon, "epsilon"))


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledEvent:
    """The event, run on a secret Poisson sample: each unit takes part with probability ``rate``.

    Neighbors are add/remove here, outside and inside: one unit more or less.
    """

    event: "Event"
    rate: Fraction

    def __post_init__(self) -> None:
        _nested(self.event)
        set_field(self, "rate", probability(self.rate, "rate"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedEvent:
    """The event, ``count`` times with fresh noise."""

    event: "Event"
    count: int

    def __post_init__(self) -> None:
        _nested(self.event)
        set_field(self, "count", whole(self.count, "count"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposedEvent:
    """All of the events, each with fresh noise, on the same data."""

    events: tuple["Event", ...]

    def __post_init__(self) -> None:
        set_field(self, "events", tuple(self.events))
        for event in self.events:
            _nested(event)


SimpleEvent = (
    PureEvent
    | ApproximateEvent
    | ConcentratedEvent
    | LaplaceEvent
    | DiscreteLaplaceEvent
    | GaussianEvent
    | DiscreteGaussianEvent
    | RandomizedResponseEvent
    | BoundedRangeEvent
    | SampledEvent
)
"""An event that is one release."""

Event = SimpleEvent | RepeatedEvent | ComposedEvent


def loss_event(loss: PureDP | ApproximateDP) -> PureEvent | ApproximateEvent:
    """The event of a release of which nothing but a loss is known.

    >>> loss_event(PureDP(epsilon="1/2"))
    PureEvent(epsilon=Fraction(1, 2))
    """
    if isinstance(loss, PureDP):
        return PureEvent(epsilon=loss.epsilon)
    return ApproximateEvent(epsilon=loss.epsilon, delta=loss.delta)


def counted(event: Event) -> Counter[SimpleEvent]:
    """How often each simple event takes place: the one place where counts are multiplied.

    Every accountant prices this, so three times an event and a count of three cannot differ.

    >>> a, b = PureEvent(epsilon=1), PureEvent(epsilon=2)
    >>> twice = RepeatedEvent(event=ComposedEvent(events=(a, b)), count=2)
    >>> counted(ComposedEvent(events=(twice, a))) == {a: 3, b: 2}
    True
    """
    counts: Counter[SimpleEvent] = Counter()
    for simple, count in _simple_events(event, 1):
        counts[simple] += count
    return counts


def _simple_events(event: Event, count: int) -> Iterator[tuple[SimpleEvent, int]]:
    if isinstance(event, RepeatedEvent):
        yield from _simple_events(event.event, count * event.count)
    elif isinstance(event, ComposedEvent):
        for part in event.events:
            yield from _simple_events(part, count)
    else:
        yield event, count


def refused(event: object, accountant: str) -> PrivacyParameterError:
    """The error of an accountant that has no rule for an event."""
    return PrivacyParameterError(
        f"{accountant} has no rule for {type(event).__name__}. An event without a proven rule "
        "is never guessed at. Price it as a PureEvent, ApproximateEvent or ConcentratedEvent "
        "that the mechanism guarantees."
    )


def _depth(event: object) -> int:
    if isinstance(event, RepeatedEvent | SampledEvent):
        return 1 + _depth(event.event)
    if isinstance(event, ComposedEvent):
        return 1 + max(map(_depth, event.events), default=0)
    return 0


def _nested(event: object) -> None:
    if not isinstance(event, Event):
        raise PrivacyParameterError(
            f"{type(event).__name__} is not an event. Only events are sampled, repeated or "
            "composed, because their meaning is fixed. Use one of the classes in privacy.events."
        )
    if _depth(event) >= MAX_DEPTH:
        raise PrivacyParameterError(
            f"events stand more than {MAX_DEPTH} deep in one another. They are kept as records "
            "that people can read. Compose them in one ComposedEvent."
        )


def set_field(event: object, name: str, value: object) -> None:
    """Set a field of a frozen event while it is being made."""
    object.__setattr__(event, name, value)


def not_negative(value: object, name: str) -> Fraction:
    """A loss: 0 or more."""
    number = read_number(value, name)
    if number < 0:
        raise PrivacyParameterError(
            f"{name} is {decimal_text(number)}. A loss of nothing is 0; there is no negative "
            f"loss. Use the bound that the mechanism guarantees, for example {name}=1."
        )
    return number


def positive(value: object, name: str) -> Fraction:
    """The size of noise: above 0."""
    return read_positive(value, name, f"Noise has a size, for example {name}=1.")


def probability(value: object, name: str) -> Fraction:
    """A number from 0 to 1."""
    number = read_number(value, name)
    if not 0 <= number <= 1:
        raise PrivacyParameterError(
            f"{name} is {decimal_text(number)}. It is a probability, so it lies between 0 and 1. "
            f"Use for example {name}=1e-6."
        )
    return number


def whole(value: object, name: str, least: int = 1) -> int:
    """An integer, not below ``least``.

    >>> whole(3.0, "count")
    3
    """
    number = read_number(value, name)
    if number.denominator != 1 or number < least:
        raise PrivacyParameterError(
            f"{name} is {decimal_text(number)}. It counts whole things, at least {least}. "
            f"Use for example {name}={least}."
        )
    return int(number)
