"""The groups and the columns of an answer as texts."""

from collections.abc import Sequence

from discreet.privacy.estimate import Estimate, error_text, value_text
from discreet.question.groupings import Label


def label_text(label: Label) -> str:
    """A group's name as one line: what no reader could see is marked, so that it hides nothing.

    >>> label_text(True), label_text(7), label_text("Ward" + chr(27) + "[2J")
    ('true', '7', 'Ward�[2J')
    """
    text = str(label).lower() if isinstance(label, bool) else str(label)
    return "".join(letter if letter.isprintable() else "�" for letter in text)


def text_columns(column: Sequence[Estimate]) -> list[str]:
    """A column for a terminal: values stand with their decimal points below each other."""
    parts = [value_text(estimate).partition(".") for estimate in column]
    whole = max((len(before) for before, _, _ in parts), default=0)
    rest = max((len(point + after) for _, point, after in parts), default=0)
    return [
        f"{before:>{whole}}{point + after:<{rest}} {error_text(estimate)}"
        for (before, point, after), estimate in zip(parts, column, strict=True)
    ]


def unique(labels: Sequence[tuple[Label, ...]]) -> list[str]:
    """One name for each group, no two the same."""
    names = [", ".join(map(label_text, group)) for group in labels]
    if len(set(names)) < len(names):  # ("a, b", "c") and ("a", "b, c")
        names = [", ".join(repr(part) for part in group) for group in labels]
    return names
