"""Where in the analyst's text a part of the question stands, so that errors can point at it."""

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import islice

from sqlglot import exp

from discreet.errors import BoundsError, PolicyError, PrivacyParameterError, QueryError

_MOST_LOOKED_AT = 200
_START = "line "

_LOCATED = (QueryError, BoundsError, PolicyError, PrivacyParameterError)


def place_of(tree: exp.Expr, text: str) -> str:
    """The line and column at which a part begins, both counted from 1; nothing if unknown."""
    starts = [
        start
        for part in islice(tree.walk(), _MOST_LOOKED_AT)
        if isinstance(start := part.meta.get("start"), int)
    ]
    if not starts:
        return ""
    # sqlglot does not say where CASE stands, only what is in it.
    case = text.upper().rfind("CASE", 0, min(starts)) if type(tree) is exp.Case else -1
    return place_at(min(starts) if case < 0 else case, text)


def place_at(start: int, text: str) -> str:
    """The line and column of a position in the text.

    >>> place_at(7, "SELECT 1")
    'line 1, column 8: '
    """
    line = text.count("\n", 0, start) + 1
    return f"{_START}{line}, column {start - text.rfind(chr(10), 0, start)}: "


@contextmanager
def located(tree: exp.Expr, text: str) -> Iterator[None]:
    """Errors about a part of the question say where it stands; the innermost part is named."""
    try:
        yield
    except _LOCATED as error:
        found = error
    else:
        return
    raise found if str(found).startswith(_START) else found.at(place_of(tree, text)) from None


def nearest(name: str, known: list[str]) -> str:
    """A question whether another name was meant, for an error message."""
    folded = {one.casefold(): one for one in known}
    found = get_close_matches(name.casefold(), folded, 1)
    return f" Did you mean {folded[found[0]]!r}?" if found else ""


def listed(names: list[str], most: int = 12) -> str:
    """The names that exist, for an error message."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")
