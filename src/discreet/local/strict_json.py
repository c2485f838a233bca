"""JSON that means one thing: no field twice, no NaN and no Infinity."""

import json
from typing import Any, NoReturn


def parsed(text: str | bytes) -> Any:
    """What a JSON text says; a ValueError if it is none, or could be read in two ways.

    >>> parsed('{"a": 1}')
    {'a': 1}
    """
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field stands twice")
    return fields


def _refuse(constant: str) -> NoReturn:
    raise ValueError("NaN and Infinity are not JSON")
