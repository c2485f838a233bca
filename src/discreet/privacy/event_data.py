"""Events as plain data, for a ledger that is read years later.

An event is a mapping with its ``kind``, the ``version`` of that kind and its fields; a rational
is the text "p/q" in lowest terms.  There is exactly one way to write an event, and anything else
is refused: an unknown kind, version or field, a missing one, a number written in another way.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any

from discreet.errors import PrivacyParameterError
from discreet.exact.rational import MAX_BITS
from discreet.privacy import events
from discreet.privacy.events import MAX_DEPTH, Event

Data = dict[str, Any]
"""What JSON can hold: texts, integers, lists and mappings of them."""

VERSION = 1

KINDS: dict[str, type[Event]] = {
    "pure": events.PureEvent,
    "approximate": events.ApproximateEvent,
    "zcdp": events.ConcentratedEvent,
    "laplace": events.LaplaceEvent,
    "discrete-laplace": events.DiscreteLaplaceEvent,
    "gaussian": events.GaussianEvent,
    "discrete-gaussian": events.DiscreteGaussianEvent,
    "randomized-response": events.RandomizedResponseEvent,
    "bounded-range": events.BoundedRangeEvent,
    "poisson-sampled": events.SampledEvent,
    "repeated": events.RepeatedEvent,
    "composed": events.ComposedEvent,
}
"""The name of each kind.  A name is never given another meaning and never taken away."""

_NAMES = {cls: name for name, cls in KINDS.items()}
_WHOLE = {"categories", "coordinates", "count", "sensitivity", "squared_sensitivity"}
_OPTIONAL = {"epsilon", "odds"}
_RATIONAL = re.compile(r"(-?(?:0|[1-9][0-9]*))/([1-9][0-9]*)", re.ASCII)


def event_to_data(event: Event) -> Data:
    """The event as plain data.

    >>> event_to_data(events.RepeatedEvent(event=events.PureEvent(epsilon=0.1), count=3))
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
    optional = _OPTIONAL if cls is events.RandomizedResponseEvent else set()
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
