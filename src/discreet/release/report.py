"""The answer as a page that can be kept and sent: no script, no address, one file.

What stands on it is in ``report.html``, how it looks in ``report.css``.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import isfinite
from typing import TYPE_CHECKING, Any, Protocol

from discreet.errors import DiscreetError
from discreet.exact import decimal_text, rational
from discreet.privacy.estimate import Estimate, error_text, value_text
from discreet.release.shown import label_text
from discreet.release.words import asked_in_words, price_in_words, protected
from discreet.web.templates import package_text, rendered

if TYPE_CHECKING:
    from discreet.measures.measure import Aggregate
    from discreet.plots import Picture
    from discreet.question.groupings import Label
    from discreet.release.certificate import Certificate

_MOST_ROWS = 1000
_MOST_IN_NOTEBOOK = 60
_SEVERAL = 20  # ranges, of which one can be expected to miss


class Answer(Protocol):
    """What a page shows: a release, as it is read here."""

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
    def certificate(self) -> "Certificate":
        """What was released, how, and at what price."""

    @property
    def asked(self) -> Sequence["Aggregate | None"]:
        """The statistics that the certificate lists."""

    @property
    def condition(self) -> str:
        """Which rows were counted, where not all were."""

    @property
    def price(self) -> str:
        """What it cost."""

    def adds_up(self, name: str) -> bool:
        """Whether the numbers of a column are parts of a whole."""

    def plot(self) -> "Picture":
        """The numbers with their ranges, as a picture."""

    def __len__(self) -> int:
        """How many groups there are."""


def page(release: Answer) -> str:
    """The whole page."""
    certificate = release.certificate
    by = f" by {', '.join(release.keys)}" if release.keys else ""
    scales = {
        name: Scale(found, release.adds_up(name), alone=not release.keys)
        for name, found in release.columns.items()
    }
    return rendered(
        "release/report.html",
        style=package_text("release/report.css"),
        title=f"{certificate.table}{by}",
        release=release,
        certificate=certificate,
        asked=asked_in_words(certificate, release.asked, release.keys, release.condition),
        facts=_facts(release),
        rows=_rows(release, _MOST_ROWS, scales),
        hidden=_hidden(release, _MOST_ROWS),
        drawn=any(scale.drawn for scale in scales.values()),
        figure=_figure(release),
        expected_misses=_expected_misses(release),
        exact=all(one.exact for found in release.columns.values() for one in found),
        ranked=any(found and _is_ranked(found[0]) for found in release.columns.values()),
        meaning=" ".join(price_in_words(certificate)),
        protected=protected(certificate),
        measured=[(one, _short(one["epsilon"])) for one in certificate.mechanisms],
    )


def notebook(release: Answer) -> str:
    """The table with its price and notes, in the colors of whatever shows it."""
    return rendered(
        "release/notebook.html",
        release=release,
        rows=_rows(release, _MOST_IN_NOTEBOOK),
        hidden=_hidden(release, _MOST_IN_NOTEBOOK),
    )


@dataclass(frozen=True, slots=True)
class Marks:
    """What is drawn in a cell: a bar from zero or a point, and the ends of the range over it.

    Places are percentages of the cell's width.
    """

    value: float
    zero: float | None
    ends: tuple[float, ...]


class Scale:
    """Where numbers of one column lie between its left and its right edge."""

    def __init__(self, column: Sequence[Estimate], from_zero: bool, alone: bool) -> None:
        ends = [place for one in column for place in (_number(one.value), *_bounds(one))]
        ends += [0.0] if from_zero else []
        self.bars = from_zero
        self.drawn = bool(column) and (from_zero or not alone)  # a point needs others beside it
        self.low, self.high = min(ends, default=0.0), max(ends, default=1.0)

    def marks(self, estimate: Estimate) -> Marks | None:
        """What is drawn for one number of the column."""
        if not self.drawn:
            return None
        return Marks(
            self._place(_number(estimate.value)),
            self._place(0.0) if self.bars else None,
            tuple(map(self._place, _bounds(estimate))),
        )

    def _place(self, number: float) -> float:
        width = self.high - self.low
        part = 0.5 if width <= 0 else (number - self.low) / width
        return 3 + 94 * part  # marks at the edges stay whole


@dataclass(frozen=True, slots=True)
class Cell:
    """A number of the table as it is shown."""

    value: str
    error: str
    marks: Marks | None


Row = tuple[list[str], list[Cell]]


def _rows(release: Answer, most: int, scales: dict[str, Scale] | None = None) -> list[Row]:
    """The labels and the numbers of each group, of no more than so many."""

    def cell(name: str, estimate: Estimate) -> Cell:
        marks = None if scales is None else scales[name].marks(estimate)
        return Cell(value_text(estimate), error_text(estimate), marks)

    return [
        (
            [label_text(label) for label in group],
            [cell(name, found[place]) for name, found in release.columns.items()],
        )
        for place, group in enumerate(release.groups[:most])
    ]


def _hidden(release: Answer, shown: int) -> str:
    """How many groups are not shown, if any."""
    return f"{len(release) - shown:,}" if len(release) > shown else ""


def _facts(release: Answer) -> list[tuple[str, str]]:
    return [
        ("Privacy price", release.price),
        ("Protects", f"each {release.certificate.unit}"),
        ("Groups", f"{len(release):,}" if release.keys else "none"),
        ("Released", release.certificate.time[:10]),
    ]


def _figure(release: Answer) -> tuple[str, str] | None:
    """The picture's title and SVG, if the extra that draws is installed and something is drawn."""
    if not release.keys:
        return None
    try:
        picture = release.plot()
        svg = re.sub(r' xmlns(?::\w+)?="[^"]*"', "", picture.svg)  # in a page, names need none
    except DiscreetError:
        return None
    return picture.title, svg


def _expected_misses(release: Answer) -> tuple[str, str] | None:
    """How many ranges there are and how many of them can be expected to miss, if several."""
    ranges = sum(not _is_ranked(one) for found in release.columns.values() for one in found)
    return (f"{ranges:,}", f"{ranges / _SEVERAL:,.0f}") if ranges >= _SEVERAL else None


def _short(epsilon: str) -> str:
    return decimal_text(rational(epsilon, "epsilon"))


def _is_ranked(estimate: Estimate) -> bool:
    return estimate.rank_error is not None


def _number(value: Any) -> float:
    return float(date.fromisoformat(value).toordinal() if isinstance(value, str) else value)


def _bounds(estimate: Estimate) -> tuple[float, ...]:
    if _is_ranked(estimate):
        return ()
    ends = tuple(map(float, estimate.interval()))
    return ends if all(map(isfinite, ends)) else ()
