"""Events: what a release did, as permanent values that any accountant can price.

They are also plain data, for a ledger that is read years later.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from discreet.errors import PrivacyParameterError
from discreet.exact import decimal_text
from discreet.exact.rational import MAX_BITS, WrittenNumber
from discreet.privacy.losses import ApproximateDP, PureDP, read_number, read_positive

MAX_DEPTH = 16
"""How deep events stand in one another at most."""


Data = dict[str, Any]
"""What JSON can hold: texts, integers, lists and mappings of them."""
VERSION = 1
_WHOLE = {"categories", "coordinates", "count", "sensitivity", "squared_sensitivity"}
_OPTIONAL = {"epsilon", "odds"}
_RATIONAL = re.compile(r"(-?(?:0|[1-9][0-9]*))/([1-9][0-9]*)", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class PureEvent:
    """The release is ε-DP; nothing else is known.

    >>> PureEvent(epsilon=0.1).epsilon
    Fraction(1, 10)
    """

    epsilon: Fraction

    if TYPE_CHECKING:

        def __init__(self, *, epsilon: WrittenNumber) -> None: ...

    def __post_init__(self) -> None:
        set_field(self, "epsilon", not_negative(self.epsilon, "epsilon"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproximateEvent:
    """The release is (ε,δ)-DP; nothing else is known."""

    epsilon: Fraction
    delta: Fraction

    if TYPE_CHECKING:

        def __init__(self, *, epsilon: WrittenNumber, delta: WrittenNumber) -> None: ...

    def __post_init__(self) -> None:
        set_field(self, "epsilon", not_negative(self.epsilon, "epsilon"))
        set_field(self, "delta", probability(self.delta, "delta"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcentratedEvent:
    """The release is ρ-zCDP; nothing else is known."""

    rho: Fraction

    if TYPE_CHECKING:

        def __init__(self, *, rho: WrittenNumber) -> None: ...

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

    if TYPE_CHECKING:

        def __init__(self, *, scale: WrittenNumber) -> None: ...

    def __post_init__(self) -> None:
        set_field(self, "scale", positive(self.scale, "scale"))


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteLaplaceEvent:
    """Integer noise P(k) ∝ e^(-|k|/scale) in every coordinate; one unit moves the vector by at
    most ``sensitivity`` in L1.  Both are counted in steps of the grid.
    """

    scale: Fraction
    sensitivity: int

    if TYPE_CHECKING:

        def __init__(self, *, scale: WrittenNumber, sensitivity: int) -> None: ...

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

    if TYPE_CHECKING:

        def __init__(self, *, variance: WrittenNumber) -> None: ...

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

    if TYPE_CHECKING:

        def __init__(
            self, *, variance: WrittenNumber, squared_sensitivity: int, coordinates: int = 1
        ) -> None: ...

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

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            categories: int = 2,
            epsilon: WrittenNumber | None = None,
            odds: WrittenNumber | None = None,
        ) -> None: ...

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

    if TYPE_CHECKING:

        def __init__(self, *, epsilon: WrittenNumber) -> None: ...

    def __post_init__(self) -> None:
        set_field(self, "epsilon", not_negative(self.epsilon, "epsilon"))


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledEvent:
    """The event, run on a secret Poisson sample: each unit takes part with probability ``rate``.

    Neighbors are add/remove here, outside and inside: one unit more or less.
    """

    event: "Event"
    rate: Fraction

    if TYPE_CHECKING:

        def __init__(self, *, event: "Event", rate: WrittenNumber) -> None: ...

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


def range_event(loss: PureDP | ApproximateDP) -> BoundedRangeEvent | ApproximateEvent:
    """The event of one draw of the exponential mechanism for which a loss was promised.

    A promise with a δ says nothing about the range of the loss, and is kept as it is.

    >>> range_event(PureDP(epsilon="1/2"))
    BoundedRangeEvent(epsilon=Fraction(1, 2))
    """
    if isinstance(loss, ApproximateDP) and loss.delta:
        return ApproximateEvent(epsilon=loss.epsilon, delta=loss.delta)
    return BoundedRangeEvent(epsilon=loss.epsilon)


def event_counts(event: Event) -> Counter[SimpleEvent]:
    """How often each simple event takes place: the one place where counts are multiplied.

    Every accountant prices this, so three times an event and a count of three cannot differ.

    >>> a, b = PureEvent(epsilon=1), PureEvent(epsilon=2)
    >>> twice = RepeatedEvent(event=ComposedEvent(events=(a, b)), count=2)
    >>> event_counts(ComposedEvent(events=(twice, a))) == {a: 3, b: 2}
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


def no_rule_error(event: object, accountant: str) -> PrivacyParameterError:
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


KINDS: dict[str, type[Event]] = {
    "pure": PureEvent,
    "approximate": ApproximateEvent,
    "zcdp": ConcentratedEvent,
    "laplace": LaplaceEvent,
    "discrete-laplace": DiscreteLaplaceEvent,
    "gaussian": GaussianEvent,
    "discrete-gaussian": DiscreteGaussianEvent,
    "randomized-response": RandomizedResponseEvent,
    "bounded-range": BoundedRangeEvent,
    "poisson-sampled": SampledEvent,
    "repeated": RepeatedEvent,
    "composed": ComposedEvent,
}
"""The name of each kind.  A name is never given another meaning and never taken away."""

_NAMES = {cls: name for name, cls in KINDS.items()}


def event_to_data(event: Event) -> Data:
    """The event as plain data.

    >>> event_to_data(RepeatedEvent(event=PureEvent(epsilon=0.1), count=3))
    {'kind': 'repeated', 'version': 1, 'event': {'kind': 'pure', 'version': 1, \
'epsilon': '1/10'}, 'count': 3}
    """
    data: Data = {"kind": _NAMES[type(event)], "version": VERSION}
    for field in fields(event):
        value = getattr(event, field.name)
        if value is not None:
            data[field.name] = _written(value)
    return data


def event_from_data(data: object) -> Event:
    """The event that was written.

    >>> event_from_data({"kind": "pure", "version": 1, "epsilon": "1/10"})
    PureEvent(epsilon=Fraction(1, 10))
    """
    return _event(data, MAX_DEPTH)


def rational_to_text(value: Fraction) -> str:
    """A rational in lowest terms.

    >>> rational_to_text(Fraction(1, 2)), rational_to_text(Fraction(3))
    ('1/2', '3/1')
    """
    return f"{value.numerator}/{value.denominator}"


def rational_from_text(text: object, name: str) -> Fraction:
    """The rational that ``rational_to_text`` wrote."""
    if isinstance(text, str) and len(text) <= MAX_BITS:
        parts = _RATIONAL.fullmatch(text)
        if parts:
            value = Fraction(int(parts[1]), int(parts[2]))
            if rational_to_text(value) == text:
                return value
    raise _unreadable(f"{name} is not a rational in lowest terms", 'for example "1/10"')


def _written(value: object) -> object:
    if isinstance(value, Fraction):
        return rational_to_text(value)
    if isinstance(value, int):
        return value
    if isinstance(value, tuple):
        return [event_to_data(part) for part in value]
    return event_to_data(value)  # type: ignore[arg-type]  # the only fields left are events


def _event(data: object, depth: int) -> Event:
    if not isinstance(data, Mapping):
        raise _unreadable("an event is not a mapping", '{"kind": "pure", ...}')
    if depth < 0:
        raise _unreadable("events stand too deep in one another", f"at most {MAX_DEPTH} deep")
    kind, version = data.get("kind"), data.get("version")
    cls = KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise _unreadable(f"the kind {_shown(kind)} is unknown", f"one of {', '.join(KINDS)}")
    if type(version) is not int or version != VERSION:
        raise _unreadable(f"version {_shown(version)} of {kind} is unknown", f"version {VERSION}")
    names = {field.name for field in fields(cls)}
    given = set(data) - {"kind", "version"}
    optional = _OPTIONAL if cls is RandomizedResponseEvent else set()
    if given - names or names - given - optional:
        raise _unreadable(f"{kind} has other fields", f"exactly {', '.join(sorted(names))}")
    return cls(**{name: _read(name, data[name], depth) for name in given})


def _read(name: str, value: object, depth: int) -> Any:
    if name == "event":
        return _event(value, depth - 1)
    if name == "events":
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise _unreadable("events is not a list", "[...]")
        return tuple(_event(part, depth - 1) for part in value)
    if name in _WHOLE:
        if type(value) is not int:
            raise _unreadable(f"{name} is not an integer", "for example 1")
        return value
    return rational_from_text(value, name)


def _shown(value: object) -> str:
    return repr(value[:40]) if isinstance(value, str) else type(value).__name__


def _unreadable(fact: str, remedy: str) -> PrivacyParameterError:
    return PrivacyParameterError(
        f"{fact}. A recorded event is read only if its meaning is certain. It should be: {remedy}; "
        "if it was written by a newer discreet, read it with that one."
    )
