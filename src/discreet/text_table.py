"""Columns of plain text, for whatever shows itself in Python: no width, no colors, no package."""

from collections.abc import Sequence


def padded(column: Sequence[str]) -> list[str]:
    """Texts that are all as wide as the widest of them."""
    wide = max(map(len, column), default=0)
    return [text.ljust(wide) for text in column]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines, with their columns below each other and two blanks between them.

    >>> print("\\n".join(aligned([("ward", "n"), ("surgery", "12 ± 3")])))
    ward     n
    surgery  12 ± 3
    """
    columns = map(padded, zip(*rows, strict=True))
    return ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]
