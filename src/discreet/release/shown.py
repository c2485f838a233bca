"""The numbers of an answer as texts: a value, and beside it what its error is."""

from collections.abc import Sequence
from math import inf

from discreet.privacy.estimate import Estimate
from discreet.privacy.rounding import margin_text, number_text
from discreet.question.groupings import Label

_LOPSIDED = 4 / 5


def label_text(label: Label) -> str:
    """A group's name as one line: what no reader could see is marked, so that it hides nothing.

    >>> label_text(True), label_text(7), label_text("Ward" + chr(27) + "[2J")
    ('true', '7', 'Ward�[2J')
    """
    text = str(label).lower() if isinstance(label, bool) else str(label)
    return "".join(letter if letter.isprintable() else "�" for letter in text)


def value_text(estimate: Estimate) -> str:
    """The value alone, to two digits of its margin; negative ones as they are."""
    if not isinstance(estimate.value, int | float):
        return str(estimate.value)
    text = number_text(estimate.value, estimate.margin)
    return text if text.strip("-0.,") else text.removeprefix("-")  # a rounded -0.3 is 0


def error_text(estimate: Estimate) -> str:
    """What stands beside the value: ± where both ends are about equally far, else both ends."""
    if estimate.exact:
        return "exact"
    if estimate.rank_error is not None:
        records = f"{estimate.rank_error:,.0f}" if estimate.rank_error < inf else "∞"
        text = f"rank ± {records}"
    else:
        lower, upper = estimate.interval()
        below, above = estimate.value - lower, upper - estimate.value
        margin = max(below, above)
        if margin < inf and min(below, above) < _LOPSIDED * margin:
            text = f"between {number_text(lower, margin)} and {number_text(upper, margin)}"
        else:
            text = f"± {margin_text(margin)}"
    return text if estimate.safe else f"{text} UNSAFE: seeded noise"


def cell_text(estimate: Estimate) -> str:
    """Both."""
    return f"{value_text(estimate)} {error_text(estimate)}"


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
