"""Tables in plain text, for the repr and str of objects: no wrapping, no colors, no package."""

from collections.abc import Sequence


def padded(column: Sequence[str]) -> list[str]:
    """The texts of a column, filled up with blanks to the width of the longest."""
    width = max(map(len, column), default=0)
    return [text.ljust(width) for text in column]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table: columns are padded to one width, with two blanks between them.

    >>> print("\\n".join(aligned([("ward", "n"), ("surgery", "12 ± 3")])))
    ward     n
    surgery  12 ± 3
    """
    columns = map(padded, zip(*rows, strict=True))
    return ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]
