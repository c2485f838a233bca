"""Values in which one part was changed by hand, past every check of a constructor."""

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

Change = tuple[str, Any]
"""Where something was changed, and the whole with the change."""


def changed_parts(value: Any, path: str = "", seen: set[str] | None = None) -> Iterator[Change]:
    """The value again and again, with another leaf of it changed each time.

    A part that is a dataclass, a tuple or a mapping is entered; all else is a leaf.  So is a field
    that is not compared, since it is for people to read; of each kind of part it is changed once.
    """
    seen = set() if seen is None else seen
    if is_dataclass(value):
        for one in fields(value):
            inner, here = getattr(value, one.name), f"{path}.{one.name}"
            parts = changed_parts(inner, here, seen)
            if not one.compare:
                name = f"{type(value).__name__}.{one.name}"
                parts = iter(()) if name in seen else _leaves(inner, here)
                seen.add(name)
            for where, changed in parts:
                yield where, _with(value, one.name, changed)
    elif isinstance(value, tuple):
        for place, one in enumerate(value):
            for where, changed in changed_parts(one, f"{path}[{place}]", seen):
                yield where, (*value[:place], changed, *value[place + 1 :])
        yield f"{path} shorter" if value else f"{path} longer", value[:-1] if value else (1,)
        if value:
            yield f"{path} doubled", (*value, value[-1])
    elif isinstance(value, Mapping):
        for key, one in value.items():
            for where, changed in changed_parts(one, f"{path}[{key!r}]", seen):
                yield where, {**value, key: changed}
            yield f"{path} without {key!r}", {k: v for k, v in value.items() if k != key}
    else:
        yield from _leaves(value, path)


def _leaves(value: Any, path: str) -> Iterator[Change]:
    for changed in _others(value):
        yield f"{path} → {changed!r:.40}", changed


def _with(value: Any, name: str, changed: Any) -> Any:
    """A copy with one field changed, which nothing checks and which remembers nothing."""
    made = copy(value)
    for remembered in set(getattr(made, "__dict__", ())) - {one.name for one in fields(made)}:
        del made.__dict__[remembered]
    object.__setattr__(made, name, changed)
    return made


def _others(leaf: Any) -> list[Any]:
    """Other values of the same kind, and of none."""
    match leaf:
        case None:
            return [1, Fraction(1), "ward", True]
        case Enum():
            return [one for one in type(leaf) if one is not leaf]
        case bool():
            return [not leaf]
        case int():
            return [leaf + 1, 0 if leaf else 10**6]
        case Fraction():
            return [leaf * 2, Fraction(0)] if leaf else [Fraction(1, 2)]
        case str():
            return [f"{leaf}x"]
        case frozenset():
            return [leaf | {0}, leaf - {0}]
    return [None]
