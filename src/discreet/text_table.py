"""Tables in plain text, and how a table is laid out where a line is short: no colors, no package.

What does not fit beside the keys is stacked: blocks of columns, each with the keys repeated, cells
on several lines, or one line for each row and column.  Keys may be wrapped and are never left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from unicodedata import category, combining, east_asian_width

_LEAST_KEY = 8
_LEAST_LABEL = 12
_LEAST_CELL = 28
"""Less beside the keys does not hold a number and its error: they stand below the keys then."""


def text_width(text: str) -> int:
    """How many places of a terminal the longest line of a text takes.

    >>> text_width("ward"), text_width("外科"), text_width("n\\n± (95%)")
    (4, 4, 7)
    """
    return max(
        (len(line) if line.isascii() else sum(map(_places, line)) for line in text.split("\n")),
        default=0,
    )


def printable(text: str) -> str:
    """The text with a mark for all that no reader could see, so that it hides and commands nothing.

    Blanks stay, those that break no line too.

    >>> printable("ann" + chr(27) + "[2J"), "�" in printable("ε" + chr(160) + "= 1")
    ('ann�[2J', False)
    """
    if text.isprintable():
        return text
    return "".join(letter if _is_seen(letter) else "�" for letter in text)


def _is_seen(letter: str) -> bool:
    return letter.isprintable() or category(letter) == "Zs"


def padded(column: Sequence[str]) -> list[str]:
    """The texts of a column, filled up with blanks to the width of the longest."""
    width = max(map(text_width, column), default=0)
    return [text + " " * (width - text_width(text)) for text in column]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table: columns are padded to one width, with two blanks between them.

    >>> print("\\n".join(aligned([("ward", "n"), ("surgery", "12 ± 3")])))
    ward     n
    surgery  12 ± 3
    """
    columns = map(padded, zip(*rows, strict=True))
    return ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]


def wrapped(text: str, width: int) -> str:
    """The text in lines that are no wider; a word that is wider is broken.

    >>> wrapped("Internal medicine", 10), wrapped("Gastroenterology", 8)
    ('Internal\\nmedicine', 'Gastroen\\nterology')
    """
    if text_width(text) <= width:
        return text
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if text_width(joined) <= width:
            lines[-1] = joined
            continue
        lines += [""] if lines[-1] else []
        for letter in word:
            if lines[-1] and text_width(lines[-1] + letter) > width:
                lines.append("")
            lines[-1] += letter
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class TextTable:
    """A header and rows of texts, of which the first columns are keys; cells may have lines."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    keys: int

    def widths(self) -> list[int]:
        """How wide each column is."""
        columns = zip(self.header, *self.rows, strict=True)
        return [max(map(text_width, column)) for column in columns]

    def lines(self) -> list[str]:
        """The table in plain text."""
        return aligned([line for row in (self.header, *self.rows) for line in _lines(row)])

    def fitted(self, width: int, gap: int = 2) -> "list[TextTable]":
        """The same in tables that are no wider, each with all of the keys.

        >>> wide = TextTable(("ward", "patients", "visits"), (("A", "12 ± 3", "40 ± 9"),), 1)
        >>> [table.header for table in wide.fitted(18)]
        [('ward', 'patients'), ('ward', 'visits')]
        """
        widths = self.widths()
        if sum(widths) + gap * (len(widths) - 1) <= width:
            return [self]
        if not self.keys:
            return self._turned().fitted(width, gap)
        own, rest = widths[: self.keys], widths[self.keys :]
        between = gap * (self.keys - 1)
        room = width - gap - max(rest, default=0) - between
        wanted = min(sum(own), room if len(rest) == 1 else min(room, width // 2 - between))
        least = sum(min(one, _LEAST_KEY) for one in own)
        if wanted < least:
            kept = min(sum(own), width // 2 - between)
            most = width - gap - between - kept
            if kept < least or most < _LEAST_CELL:
                return [self._listed(width, gap)]
            return self._narrowed(most).fitted(width, gap)
        own = _within(own, wanted)
        rows = [
            (
                *(wrapped(text, most) for text, most in zip(row, own, strict=False)),
                *row[self.keys :],
            )
            for row in (self.header, *self.rows)
        ]
        blocks, taken = [[0]], rest[0]
        for place, one in enumerate(rest[1:], 1):
            if sum(own) + between + gap + taken + gap + one <= width:
                blocks[-1].append(place)
                taken += gap + one
            else:
                blocks.append([place])
                taken = one
        cut = [
            [(*row[: self.keys], *(row[self.keys + place] for place in block)) for row in rows]
            for block in blocks
        ]
        return [TextTable(header, tuple(body), self.keys) for header, *body in cut]

    def _narrowed(self, most: int) -> "TextTable":
        """The same with cells on several lines where they are wider."""
        header, *rows = (
            (*row[: self.keys], *(_below(text, most) for text in row[self.keys :]))
            for row in (self.header, *self.rows)
        )
        return TextTable(header, tuple(rows), self.keys)

    def _turned(self) -> "TextTable":
        """A line for each column of a table without keys."""
        lines = [
            (wrapped(name.replace("\n", " "), 30), text)
            for row in self.rows
            for name, text in zip(self.header, row, strict=True)
        ]
        return TextTable(("", ""), tuple(lines), 1)

    def _listed(self, width: int, gap: int) -> "TextTable":
        """A line for each row and column, below a line with the keys."""
        names = [name.replace("\n", " ") for name in self.header]
        widest = max(self.widths()[self.keys :], default=0)
        room = max(_LEAST_LABEL, width - gap - widest)
        lines = []
        for row in self.rows:
            for name, text in zip(names[: self.keys], row, strict=False):
                lines.append((wrapped(f"{name}: {text}" if name else text, room), ""))
            for name, text in zip(names[self.keys :], row[self.keys :], strict=True):
                label = wrapped(name, room - 2).replace("\n", "\n  ")
                lines.append((f"  {label}", wrapped(text, width - gap - room)))
        return TextTable(("", ""), tuple(lines), 1)


def _below(text: str, most: int) -> str:
    """A cell in lines that begin where its text does."""
    lead = " " * min(len(text) - len(text.lstrip()), most // 2)
    parts = [wrapped(line, most - len(lead)) for line in text.lstrip().split("\n")]
    return "\n".join(lead + line for part in parts for line in part.split("\n"))


def _places(letter: str) -> int:
    if combining(letter):
        return 0
    return 2 if east_asian_width(letter) in "WF" else 1


def _lines(row: Sequence[str]) -> list[tuple[str, ...]]:
    """The lines of a row of which some cells have several."""
    return list(zip_longest(*(text.split("\n") for text in row), fillvalue=""))


def _within(widths: Sequence[int], most: int) -> list[int]:
    """The widths, the widest of them cut so that all together take no more."""
    limit = max(widths)
    while sum(min(one, limit) for one in widths) > most and limit > 1:
        limit -= 1
    return [min(one, limit) for one in widths]
