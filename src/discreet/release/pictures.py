"""The pictures of an answer: what of it is a line over time, and what a bar or a point."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Protocol

from discreet.measures.measure import Statistic
from discreet.privacy.estimates import Estimate, IntervalKind
from discreet.privacy.number_text import NumberText
from discreet.question.groupings import ALL, label_text
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

    @property
    def none_found(self) -> str:
        """What is said where there is no row."""

    def column(self, name: str) -> Sequence[Estimate]:
        """The numbers of a column."""

    def adds_up(self, name: str) -> bool:
        """Whether the numbers of a column are parts of a whole."""

    def statistic(self, name: str) -> Statistic | None:
        """The statistic that a column is; None if it was computed from others."""

    def printed(self, name: str) -> Sequence[NumberText]:
        """The numbers of a column as people read them."""


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
        fact = release.none_found.partition(":")[0]
        return message_picture(title, f"{fact[0].upper()}{fact[1:]}.")
    finite = [place for place, one in enumerate(column) if _is_drawn(one)]
    remarks = []
    if len(finite) < len(column):
        remarks.append(f"{len(column) - len(finite):,} without a finite value are left out")
    if not finite:
        return message_picture(title, "No value is finite.")
    groups, cells = [release.groups[one] for one in finite], [column[one] for one in finite]
    if any(None in group for group in groups):
        return _tables(release, name, title, groups, cells, remarks)
    found = _axis(release.keys, groups)
    if found is not None:
        return _series(release, name, title, found, groups, cells, remarks)
    return _bars(release, name, title, groups, cells, remarks)


def _tables(
    release: Drawn,
    name: str,
    title: str,
    groups: Sequence[tuple["Label", ...]],
    cells: Sequence[Estimate],
    remarks: list[str],
) -> "Picture":
    """Tables whose totals agree: the first by two keys with its margins, else one by one key."""
    found = dict(zip(groups, cells, strict=True))
    by_keys: dict[tuple[int, ...], None] = {}
    for group in groups:
        by_keys[tuple(place for place, label in enumerate(group) if label is not None)] = None
    pair = next((keys for keys in by_keys if len(keys) == 2), None)
    if pair is None:
        some = next((keys for keys in by_keys if len(keys) == 1), max(by_keys, key=len))
        if len(by_keys) > 1:
            what = ", ".join(label_text(release.keys[key]) for key in some) or "the total"
            remarks.append(f"drawn is the table by {what}, of {len(by_keys):,} tables")
        own = [
            group
            for group in groups
            if tuple(place for place, label in enumerate(group) if label is not None) == some
        ]
        return _bars(release, name, title, own, [found[group] for group in own], remarks)
    if len(by_keys) > 4:
        what = " and ".join(label_text(release.keys[key]) for key in pair)
        remarks.append(f"drawn is the table by {what}, of {len(by_keys):,} tables")
    return _heat_map(release, name, title, found, pair, remarks)


def _heat_map(
    release: Drawn,
    name: str,
    title: str,
    found: Mapping[tuple["Label", ...], Estimate],
    pair: tuple[int, ...],
    remarks: list[str],
) -> "Picture":
    """The table by two keys, with the totals of each key and of all where they were asked for."""
    from discreet.plots import HeatCell, heat_map_picture
    from discreet.plots.heat_map import MOST_COLUMNS, MOST_ROWS

    others = {place: None for place in range(len(release.keys)) if place not in pair}

    def labels(key: int) -> list["Label"]:
        return list(dict.fromkeys(group[key] for group in found if group[key] is not None))

    def cell(down: "Label", across: "Label") -> Estimate | None:
        at: dict[int, Label] = {**others, rows: down, columns: across}
        return found.get(tuple(at[place] for place in range(len(release.keys))))

    rows, columns = sorted(pair, key=lambda key: -len(labels(key)))
    drawn = []
    for key, most in ((rows, MOST_ROWS), (columns, MOST_COLUMNS)):
        every = labels(key)
        if len(every) > most:
            remarks.append(f"the first {most} of {len(every):,} by {label_text(release.keys[key])}")
        drawn.append([*every[:most], None])
    margin = ALL
    while any(label_text(one) == margin for one in (*drawn[0][:-1], *drawn[1][:-1])):
        margin += " of them"
    written = dict(zip(release.groups, release.printed(name), strict=True))
    cells = []
    for down in drawn[0]:
        for across in drawn[1]:
            one = cell(down, across)
            if one is None:
                continue
            at: dict[int, Label] = {**others, rows: down, columns: across}
            text = written[tuple(at[place] for place in range(len(release.keys)))]
            cells.append(
                HeatCell(
                    margin if down is None else label_text(down),
                    margin if across is None else label_text(across),
                    float(one.value),
                    text.value,
                    text.error.partition(" counted")[0],
                    total=None in (down, across),
                )
            )
    names = label_text(release.keys[rows]), label_text(release.keys[columns])
    kinds = {one.kind for one in found.values()}
    counted = f" of the capped {_noun(release, name)}" if kinds - {IntervalKind.NOISE} else ""
    remarks.insert(0, f"± at {release.level_text}{counted}; the stronger the color, the larger")
    zero = release.adds_up(name)
    return heat_map_picture(cells, title, names, "; ".join(remarks), from_zero=zero)


def _noun(release: Drawn, name: str) -> str:
    """What a column holds."""
    statistic = release.statistic(name)
    return "count" if statistic is not None and statistic.counts else "number"


def _of_truth(release: Drawn, name: str, mark: str, ends: str) -> list[str]:
    """What a mark stands for, and what the interval at it, where caps may leave rows out."""
    kinds = {one.kind for one in release.column(name)}
    if not kinds - {IntervalKind.NOISE}:
        return []
    what = _noun(release, name)
    whole = "capped" if IntervalKind.COUNTED in kinds else "full"
    likely = " (likely)" if IntervalKind.LIKELY in kinds else ""
    interval = f"{release.level_text} interval for the {whole} {what}{likely}"
    return [f"{mark}: capped {what}; {ends}: {interval}"]


def _bars(
    release: Drawn,
    name: str,
    title: str,
    groups: Sequence[tuple["Label", ...]],
    cells: Sequence[Estimate],
    remarks: Sequence[str],
) -> "Picture":
    """A bar or a point for each group; those of several keys stand beside each other."""
    from discreet.plots import MOST_PANELS, estimates_picture

    mark = "bar" if release.adds_up(name) else "point"
    remarks = [*_of_truth(release, name, mark, "whisker"), *remarks]
    kept, names = list(range(len(groups))), list[str]()
    colored = _colored(groups)
    if colored is None:
        kept = kept[:_MOST_DRAWN]
        labels: Sequence[object] = _bar_labels(release, [groups[at] for at in kept]) or [name]
    else:
        few = list(dict.fromkeys(group[colored] for group in groups))[:MOST_PANELS]
        others = [(*group[:colored], *group[colored + 1 :]) for group in groups]
        distinct = list(dict.fromkeys(others))[: _MOST_DRAWN // len(few)]
        shown = dict(zip(distinct, unique_labels(distinct), strict=True))
        kept = [at for at in kept if groups[at][colored] in few and others[at] in shown]
        names = [label_text(groups[at][colored]) for at in kept]
        labels = [shown[others[at]] for at in kept]
    drawn = [cells[at] for at in kept]
    if len(drawn) < len(cells):
        remarks = [*remarks, f"the first {len(drawn):,} of {len(cells):,} groups"]
    return estimates_picture(
        labels,
        [cell.value for cell in drawn],
        *_bounds(release, drawn),
        title=title,
        bars=release.adds_up(name),
        remark="; ".join(remarks),
        level=release.level_text,
        names=names,
        texts=[cell.printed(release.confidence).text for cell in drawn],
    )


def _bar_labels(release: Drawn, groups: Sequence[tuple["Label", ...]]) -> list[object]:
    """What stands beside the bars of groups."""
    if len(release.keys) == 1 and not any(isinstance(group[0], str) for group in groups):
        return [_plain(group[0]) for group in groups]
    return list(unique_labels(groups)) if release.keys else []


def _colored(groups: Sequence[tuple["Label", ...]]) -> int | None:
    """The key of fewest values, if there are others beside it: each of its values has a color."""
    many = {key: len({group[key] for group in groups}) for key in range(len(groups[0]))}
    several = [key for key, values in many.items() if 1 < values < len(groups)]
    return min(several, key=lambda key: (many[key], -key)) if len(several) > 1 else None


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
    remarks = [*_of_truth(release, name, "line", "band"), *remarks]
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
        texts=[cell.printed(release.confidence).text for cell in shown],
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

    found = [
        (key, places)
        for key in range(len(keys))
        if (places := places_of([group[key] for group in groups])) is not None
        and _rises(places.starts, key, groups)
    ]
    dated = [key for key, places in found if places.dated]
    numbered = [key for key, places in found if not places.dated]
    return next(iter([*dated, *numbered]), None)


def _rises(starts: Sequence[int], key: int, groups: Sequence[tuple["Label", ...]]) -> bool:
    """Whether groups stand in order of a key, and not of a number that decides which are first."""
    last: dict[tuple[Label, ...], int] = {}
    for start, group in zip(starts, groups, strict=True):
        others = group[:key] + group[key + 1 :]
        if last.get(others, start) > start:
            return False
        last[others] = start
    return True


def _is_drawn(estimate: Estimate) -> bool:
    return isinstance(estimate.value, str) or isfinite(float(estimate.value))


def _plain(label: "Label") -> object:
    """A number as it is, which has a place among others; all else as it is shown."""
    return label if isinstance(label, int) and not isinstance(label, bool) else label_text(label)


def _without(keys: Sequence[str], one: int) -> list[str]:
    return [*keys[:one], *keys[one + 1 :]]


def _by(release: Drawn) -> str:
    return f" by {', '.join(release.keys)}" if release.keys else ""
