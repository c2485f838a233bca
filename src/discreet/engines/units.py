"""People's ids in several tables: who is the same person must not depend on the tables' types."""

from collections.abc import Iterable

from discreet.errors import SourceError


def are_mixed(families: Iterable[str]) -> bool:
    """Whether ids are to be compared as texts, since some are whole numbers and some texts.

    ``families`` are the kinds of ids, table by table.

    >>> are_mixed(["whole", "text"]), are_mixed(["text", "text"])
    (True, False)
    """
    found = set(families)
    if len(found) > 1 and not found <= {"whole", "text"}:
        raise SourceError(
            f"the people's ids are of different types in the tables: {', '.join(sorted(found))}. "
            "Who is the same person must not depend on how an id is written, and bytes are often a "
            "hash, which is no text. Store them as one type."
        )
    return len(found) > 1
