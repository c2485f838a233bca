"""JSON that means one thing, read as the shape that is expected of it.

Two packages share the work.  The standard library reads the text, since of a field that stands
twice msgspec would take the last; msgspec then compares what was read with the shape.  What either
of them has to say may quote the text, so none of it is passed on: whoever asks gets None, and
states fact, rule and remedy in words of their own.
"""

import json
from typing import Annotated, Any, Final, NoReturn, TypeVar

from msgspec import Meta, Struct, convert

T = TypeVar("T")

Digest = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
"""A SHA-256 as text.  A pattern is searched for, so that it states both of its ends."""


class Shape(Struct, frozen=True, forbid_unknown_fields=True):
    """A JSON object with exactly these fields, each of its own type: 1.0 and true are no integers.

    A field that may be left out has a default.
    """


def decoded(text: object, shape: type[T]) -> T | None:
    """What a JSON text says; None if it says anything but the shape, or could be read in two ways.

    Bytes are UTF-8.

    >>> decoded('{"a": 1}', dict[str, int])
    {'a': 1}
    >>> decoded('{"a": 1, "a": 1}', dict[str, int]) is decoded("NaN", float) is None
    True
    """
    try:
        plain = _STRICT.decode(text.decode() if isinstance(text, bytes) else text)  # type: ignore[arg-type]
        return convert(plain, shape)
    except (TypeError, ValueError, RecursionError):  # a ValidationError is a ValueError
        return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field stands twice")
    return fields


def _refuse(constant: str) -> NoReturn:
    raise ValueError("NaN and Infinity are not JSON")


_STRICT: Final = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refuse)
