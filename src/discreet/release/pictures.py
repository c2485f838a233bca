"""The pictures of an answer: what of it is a line over time, and what a bar or a point."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Protocol

from discreet.privacy.estimates import Estimate, IntervalKind
from discreet.question.groupings import label_text
from discreet.release.exports import unique_labels

if TYPE_CHECKING:
    from discreet.plots import Picture, Places
    from discreet.question.groupings import Label

_MOST_DRAWN = 130
_MOST_PLACES = 3_660
"""Ten years of days."""


class Drawn(Protocol):
    """An answer, as it is drawn."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of what it is grouped by."""

    @property
    def groups(self) -> Sequence[tuple["Label", ...]]:
        """The groups, in order."""

    @property
    def columns(self) -> Mapping[str, Sequence[Estimate]]:
        """The numbers of every column."""

    @property
    def price(self) -> str:
        """What it cost."""

    @property
    def confidence(self) -> Fraction:
        """The probability with which each of its intervals holds."""

    @property
    def level_text(self) -> str:
        """The same as people write it."""

    def column(self, name: str) -> Sequence[Estimate]:
        """The numbers of a column."""

    def adds_up(self, name: str) -> bool:
        """Whether the numbers of a column are parts of a whole."""


def answer_picture(release: Drawn) -> "Picture":
    """The pictures of all columns below each other."""
    from discreet.plots import stacked

    title = f"{', '.join(release.columns)}{_by(release)}"
    return stacked([column_picture(release, name) for name in release.columns], label_text(title))


def column_picture(release: Drawn, name: str) -> "Picture":
    """The picture of one column."""
    from discreet.plots import message_picture

    column = release.column(name)
    title = f"{label_text(name + _by(release))}, {release.price}"
    if not column:
        return message_picture(title, "No group was found.")
    finite = [place for place, one in enumerate(column) if _is_drawn(one)]
    remarks = _of_truth(column)
    if len(finite) < len(column):
        remarks.append(f"{len(column) - len(finite):,} without a finite value are left out")
    if not finite:
        return message_picture(title, "No value is finite.")
    groups, cells = [release.groups[one] for one in finite], [column[one] for one in finite]
    found = _axis(release.keys, groups)
    if found is not None:
        return _series(release, name, title, found, groups, cells, remarks)
    return _bars(release, name, title, groups, cells, remarks)


def _of_truth(column: Sequence[Estimate]) -> list[str]:
    """That what is drawn was counted, and that intervals hold more than noise."""
    kinds = {one.kind for one in column}
    if IntervalKind.COUNTED in kinds:
        return ["drawn is what was counted, and its intervals are of that"]
    if not kinds - {IntervalKind.NOISE}:
        return []
    likely = ", likely" if IntervalKind.LIKELY in kinds else ""
    return [f"drawn is what was counted; intervals are of the truth{likely}"]


def _bars(
    release: Drawn,
    name: str,
    title: str,
    groups: Sequence[tuple["Label", ...]],
    cells: Sequence[Estimate],
    remarks: Sequence[str],
) -> "Picture":
    """A bar or a point for each group."""
    from discreet.plots import estimates_picture

    if len(cells) > _MOST_DRAWN:
        remarks = [*remarks, f"the first {_MOST_DRAWN} of {len(cells):,} groups"]
    shown = cells[:_MOST_DRAWN]
    labels: Sequence[object] = [name]
    if release.keys:
        labels = unique_labels(groups[:_MOST_DRAWN])
        if len(release.keys) == 1 and not any(isinstance(group[0], str) for group in groups):
            labels = [_plain(group[0]) for group in groups[:_MOST_DRAWN]]
    return estimates_picture(
        labels,
        [cell.value for cell in shown],
        *_bounds(release, shown),
        title=title,
        bars=release.adds_up(name),
        remark="; ".join(remarks),
        level=release.level_text,
    )


def _series(
    release: Drawn,
    name: str,
    title: str,
    along: int,
    groups: Sequence[tuple["Label", ...]],
    cells: Sequence[Estimate],
    remarks: list[str],
) -> "Picture":
    """A line for each group of the other keys, along the dates or numbers of one."""
    from discreet.plots import MOST_PANELS, places_of, series_picture

    others = [(*group[:along], *group[along + 1 :]) for group in groups]
    distinct = list(dict.fromkeys(others))
    names = dict(zip(distinct, unique_labels(distinct), strict=True))
    lines = set(distinct[:MOST_PANELS])
    if len(distinct) > MOST_PANELS:
        of = ", ".join(_without(release.keys, along))
        remarks.append(f"the first {MOST_PANELS} of {len(distinct):,} groups by {label_text(of)}")
    first = list(dict.fromkeys(group[along] for group in groups))
    if len(first) > _MOST_PLACES:
        what = label_text(release.keys[along])
        remarks.append(f"the first {_MOST_PLACES:,} of {len(first):,} values of {what}")
    placed = set(first[:_MOST_PLACES])
    kept = [
        place
        for place, group in enumerate(groups)
        if others[place] in lines and group[along] in placed
    ]
    places: Places | None = places_of([groups[one][along] for one in kept])
    if places is None:  # few of many numbers remained
        return _bars(release, name, title, groups, cells, remarks)
    shown = [cells[one] for one in kept]
    return series_picture(
        places,
        unique_labels([groups[one] for one in kept]),
        [names[others[one]] for one in kept],
        [cell.value for cell in shown],
        *_bounds(release, shown),
        title,
        from_zero=release.adds_up(name),
        axis="" if places.dated else label_text(release.keys[along]),
        remark="; ".join(remarks),
        level=release.level_text,
    )


def _bounds(
    release: Drawn, cells: Sequence[Estimate]
) -> tuple[list[float | None], list[float | None]]:
    """The lower and the upper ends of the intervals; None where only a rank is guaranteed."""
    ends = [cell.interval(release.confidence) if cell.bounded else (None, None) for cell in cells]
    return [lower for lower, _ in ends], [upper for _, upper in ends]


def _axis(keys: Sequence[str], groups: Sequence[tuple["Label", ...]]) -> int | None:
    """The key along which lines go: the first of dates, else the first of many whole numbers."""
    from discreet.plots import places_of

    found = [(key, places_of([group[key] for group in groups])) for key in range(len(keys))]
    dated = [key for key, places in found if places is not None and places.dated]
    numbered = [key for key, places in found if places is not None and not places.dated]
    return next(iter([*dated, *numbered]), None)


def _is_drawn(estimate: Estimate) -> bool:
    return isinstance(estimate.value, str) or isfinite(float(estimate.value))


def _plain(label: "Label") -> object:
    """A number as it is, which has a place among others; all else as it is shown."""
    return label if isinstance(label, int) and not isinstance(label, bool) else label_text(label)


def _without(keys: Sequence[str], one: int) -> list[str]:
    return [*keys[:one], *keys[one + 1 :]]


def _by(release: Drawn) -> str:
    return f" by {', '.join(release.keys)}" if release.keys else ""
