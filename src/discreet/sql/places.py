"""Where in the analyst's text a part of the question stands, so that errors can point at it."""

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches

from sqlglot import exp

from discreet.errors import DiscreetError, Place

_START = "start"
"""Under which sqlglot notes where a word begins."""


def place_of(tree: exp.Expr, text: str) -> Place | None:
    """Where a part begins, or the expression around it if that is unknown; None if both are.

    It is noted with the part, as sqlglot does for words, so that the parts around it need not look
    further in.
    """
    start = _start(tree, text)
    if start is None:
        return place_of(tree.parent, text) if isinstance(tree.parent, exp.Condition) else None
    tree.meta[_START] = start
    return Place(start, text)


def _start(tree: exp.Expr, text: str) -> int | None:
    """The first of all characters that are known to belong to a part."""
    found: int | None = tree.meta.get(_START)
    if found is not None:  # a function begins with its name, and what is inside stands behind it
        return found
    stack = list(tree.iter_expressions())
    while stack:
        part = stack.pop()
        start = part.meta.get(_START)
        if start is None and type(part) is exp.Case:
            start = _start(part, text)
        if start is None:
            stack += part.iter_expressions()
        elif found is None or start < found:
            found = start
    # sqlglot does not say where CASE stands, only what is in it.
    case = text.upper().rfind("CASE", 0, found or 0) if type(tree) is exp.Case else -1
    return found if case < 0 else case


@contextmanager
def located(tree: exp.Expr, text: str) -> Iterator[None]:
    """Errors about a part of the question say where it stands; the innermost part is named."""
    try:
        yield
    except DiscreetError as error:
        error.at(place_of(tree, text))
        raise


def nearest(name: str, known: list[str]) -> str:
    """A question whether another name was meant, for an error message."""
    folded = {one.casefold(): one for one in known}
    found = get_close_matches(name.casefold(), folded, 1)
    return f" Did you mean {folded[found[0]]!r}?" if found else ""


def listed(names: list[str], most: int = 12) -> str:
    """The names that exist, for an error message."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")
