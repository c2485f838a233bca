"""The answer as a page that can be kept and sent: no script, no address, one file.

Its words are in ``report.html``, its style in ``report.css``.  It says what was asked and what the
price means in words that need no course in privacy.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, floor, isfinite, log10
from typing import TYPE_CHECKING, Any, Protocol

from discreet.errors import DiscreetError
from discreet.exact import decimal_text, named_number_text, rational
from discreet.measures.measure import Aggregate, sentence_list
from discreet.number_text import NumberText, plural
from discreet.plan.calendar import second
from discreet.privacy.estimates import Estimate, IntervalKind
from discreet.privacy.losses import ZeroConcentratedDP, ten_to_text
from discreet.question.groupings import label_text
from discreet.release.certificate import Certificate
from discreet.web.templates import package_text, rendered

if TYPE_CHECKING:
    from discreet.measures.measure import Aggregate
    from discreet.plots import Picture
    from discreet.question.groupings import Label
    from discreet.release.certificate import Certificate


_LARGEST_EPSILON = 20
_USUAL_DELTA = Fraction(1, 10**6)
_ROUNDED = 1 + Fraction(1, 10**4)  # a ρ is stated to so many digits; what it promises is not less


_MOST_ROWS = 1000
_LONG = 40  # groups that stand on a screen; more of them scroll in a box
_MOST_BESIDE = 4  # columns that fit beside the keys; with more, the keys stay while they scroll
_EDGE = 3.0  # percent of a cell's width, so that marks at its edges stay whole
_FADED = 14.0  # percent that a range without an end takes beyond what is known
_PIECES = 5
_MOST_IN_NOTEBOOK = 60


def asked_in_words(
    certificate: Certificate,
    asked: Sequence[Aggregate | None],
    keys: Sequence[str],
    condition: str,
) -> str:
    """The question as a sentence; ``asked`` are the statistics of what the certificate lists."""
    phrases = [
        one["asks"] if aggregate is None else aggregate.in_words(certificate.unit)
        for one, aggregate in zip(certificate.mechanisms, asked, strict=True)
    ]
    listed = sentence_list(list(dict.fromkeys(phrases)))
    each = f", for each {sentence_list(keys)}" if keys else ""
    where = f", counting only rows where {condition}" if condition else ""
    return f"{listed[:1].upper()}{listed[1:]} in {certificate.table}{each}{where}."


def protected_in_words(certificate: Certificate) -> str:
    """Whom the price protects, with the caps that it counts on."""
    if certificate.unit == "row":
        return "each single row of the table"
    limits = []
    if certificate.max_groups is not None:
        limits.append(f"in at most {plural(certificate.max_groups, 'group')}")
    if certificate.max_rows is not None:
        limits.append(f"for at most {plural(certificate.max_rows, 'row')}")
    if certificate.max_rows_per_group is not None:
        limits.append(f"at most {certificate.max_rows_per_group:,} of them in one group")
    caps = (
        f". One counts {sentence_list(limits)}; who has more counts for no more" if limits else ""
    )
    return f"each {certificate.unit}, all rows of one together{caps}"


def price_in_words(certificate: Certificate) -> list[str]:
    """What ε, and δ where there is one, promise: true sentences, the simplest that are."""
    if certificate.epsilon is None:
        return _concentrated_in_words(certificate)
    epsilon = float(Fraction(certificate.epsilon.removeprefix("≈")))
    if epsilon == 0 and certificate.delta == "0":
        return ["Nothing is learned about any row: the answer is the same whatever one row holds."]
    unit = "row" if certificate.unit == "row" else certificate.unit
    added = certificate.neighbors == "add-remove"
    changed = f"Whether one {unit} is in the table or not" if added else f"What one {unit} holds"
    if epsilon > _LARGEST_EPSILON:
        power_of_ten = ten_to_text(Fraction(epsilon))
        factor = f"by a factor of more than {power_of_ten}, which protects nobody"
    else:
        factor = f"by a factor of at most {_up(exp(epsilon), 3)}"
    power = f"e to the power of {certificate.price.partition(',')[0]}"
    if certificate.delta != "0":
        return [
            f"{changed} changes how likely any answer was {factor} ({power}), and by no more than "
            f"δ = {certificate.delta} beyond that."
        ]
    sentences = [f"{changed} changes how likely any answer was {factor} ({power})."]
    if epsilon <= _LARGEST_EPSILON:
        most = _up(100 * exp(epsilon) / (1 + exp(epsilon)), 3 if epsilon > 2.2 else 2)
        about = (
            f"that a certain {unit} is in the table"
            if added
            else f"about which of two things a certain {unit} holds"
        )
        sentences.append(
            f"Somebody who was 50% sure {about}, and knows all the others, can be at most {most}% "
            "sure after reading this."
        )
    return sentences


def _concentrated_in_words(certificate: Certificate) -> list[str]:
    """What ρ promises, as the ε of a δ that people use."""
    rho, leak = (
        Fraction((text or "0").removeprefix("≈")) for text in (certificate.rho, certificate.delta)
    )
    level = leak + _USUAL_DELTA
    loss = ZeroConcentratedDP(rho=rho * _ROUNDED, delta=leak).to_approximate(delta=level)
    unit = "row" if certificate.unit == "row" else certificate.unit
    added = certificate.neighbors == "add-remove"
    changed = f"Whether one {unit} is in the table or not" if added else f"What one {unit} holds"
    epsilon = float(loss.epsilon)
    if epsilon > _LARGEST_EPSILON:
        power_of_ten = ten_to_text(loss.epsilon)
        factor = f"a factor of more than {power_of_ten}, which protects nobody"
    else:
        factor = f"a factor of at most {_up(exp(epsilon), 3)}"
    return [
        f"The noise is Gaussian, and ρ is what it costs (zCDP). {changed} changes how likely any "
        f"answer was by {factor} (e to the power of ε = {_up(epsilon, 3)}), and by no more "
        f"than δ = {float(level):g} beyond that."
    ]


def _up(number: float, digits: int) -> str:
    """So many digits, never below the number: a promise is not rounded in its own favor.

    >>> _up(2.71828, 3), _up(1.1051709, 3), _up(22026.46, 3)
    ('2.72', '1.11', '22,100')
    """
    step = Fraction(10) ** (floor(log10(number)) - digits + 1)
    rounded = -(-Fraction(number) // step) * step
    return f"{float(rounded):,.{max(0, digits - 1 - floor(log10(number)))}f}"


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
    def written(self) -> str:
        """The question in SQL as it was typed, if it was."""

    @property
    def price(self) -> str:
        """What it cost."""

    @property
    def confidence(self) -> Fraction:
        """The probability with which each range holds."""

    def printed(self, name: str, most: int | None = None) -> Sequence[NumberText]:
        """The numbers of a column as people read them, each with its error."""

    def adds_up(self, name: str) -> bool:
        """Whether the numbers of a column are parts of a whole."""

    def plot(self, column: str | None = None) -> "Picture":
        """The numbers of a column with their ranges, as a picture."""

    def __len__(self) -> int:
        """How many groups there are."""


def report_page(release: Answer) -> str:
    """The whole page."""
    certificate = release.certificate
    by = f" by {', '.join(release.keys)}" if release.keys else ""
    scales = {
        name: Scale(found, release.confidence, release.adds_up(name), alone=not release.keys)
        for name, found in release.columns.items()
    }
    return rendered(
        "release/report.html",
        style=package_text("release/report.css") + package_text("plots/picture.css"),
        title=f"{certificate.table}{by}",
        release=release,
        certificate=certificate,
        asked=asked_in_words(certificate, release.asked, release.keys, release.condition),
        written=release.written.expandtabs().strip().splitlines(),
        facts=_facts(release),
        long=len(release) > _LONG,
        pinned=len(release.columns) > _MOST_BESIDE,
        open_ended=any(_side(one) for found in release.columns.values() for one in found),
        rows=_rows(release, _MOST_ROWS, scales),
        hidden=_hidden(release, _MOST_ROWS),
        drawn=any(scale.drawn for scale in scales.values()),
        figures=_figures(release),
        expected_misses=_expected_misses(release),
        exact=all(one.exact for found in release.columns.values() for one in found),
        counted=any(
            one.kind is not IntervalKind.NOISE
            for found in release.columns.values()
            for one in found
        ),
        likely=any(one.likely for found in release.columns.values() for one in found),
        ranked=any(found and _is_ranked(found[0]) for found in release.columns.values()),
        meaning=" ".join(price_in_words(certificate)),
        protected=protected_in_words(certificate),
        measured=[(one, _part(one)) for one in certificate.mechanisms],
        currency="price" if any("rho" in one for one in certificate.mechanisms) else "ε",
    )


def notebook_html(release: Answer) -> str:
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
    line: tuple[float, float] | None
    """From where to where the range is drawn."""
    caps: tuple[float, ...]
    """The ends that are known."""
    fading: tuple[tuple[float, float, float], ...]
    """What is drawn where no end is known: from, to, and how opaque."""


class Scale:
    """Where numbers of one column lie between its left and its right edge."""

    def __init__(
        self, column: Sequence[Estimate], confidence: Fraction, from_zero: bool, alone: bool
    ) -> None:
        self._confidence = confidence
        ends = [place for one in column for place in (_number(one.value), *_known(one, confidence))]
        ends = [end for end in ends if isfinite(end)] + ([0.0] if from_zero else [])
        self.bars = from_zero
        self.drawn = bool(column) and (from_zero or not alone)  # a point needs others beside it
        self.low, self.high = min(ends, default=0.0), max(ends, default=1.0)
        sides = {_side(one) for one in column}
        self.left = _EDGE + (_FADED if "down" in sides else 0.0)
        self.right = 100 - _EDGE - (_FADED if "up" in sides else 0.0)

    def marks(self, estimate: Estimate) -> Marks | None:
        """What is drawn for one number of the column."""
        value, known = _number(estimate.value), _known(estimate, self._confidence)
        if not self.drawn or not isfinite(value):
            return None
        ends = sorted(self._place(end) for end in (*known, *([value] if _side(estimate) else [])))
        return Marks(
            self._place(value),
            self._place(0.0) if self.bars else None,
            (ends[0], ends[-1]) if ends else None,
            tuple(map(self._place, known)),
            _fading(_side(estimate), ends),
        )

    def _place(self, number: float) -> float:
        width = self.high - self.low
        part = 0.5 if width <= 0 else (number - self.low) / width
        return self.left + (self.right - self.left) * part


def _fading(side: str, ends: Sequence[float]) -> tuple[tuple[float, float, float], ...]:
    """The pieces of a range beyond its last known place, each fainter than the one before."""
    if not side:
        return ()
    step = _FADED / _PIECES if side == "up" else -_FADED / _PIECES
    start = ends[-1] if side == "up" else ends[0]
    return tuple(
        (start + step * piece, start + step * (piece + 1), 1 - (piece + 0.5) / _PIECES)
        for piece in range(_PIECES)
    )


@dataclass(frozen=True, slots=True)
class Cell:
    """A number of the table as it is shown."""

    value: str
    error: str
    marks: Marks | None


Row = tuple[list[str], list[Cell]]


def _rows(release: Answer, most: int, scales: dict[str, Scale] | None = None) -> list[Row]:
    """The labels and the numbers of each group, of no more than so many."""

    texts = {name: release.printed(name, most) for name in release.columns}

    def cell(name: str, place: int) -> Cell:
        estimate, text = release.columns[name][place], texts[name][place]
        marks = None if scales is None else scales[name].marks(estimate)
        return Cell(text.value, text.error, marks)

    return [
        (
            [label_text(label) for label in group],
            [cell(name, place) for name in release.columns],
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


def _figures(release: Answer) -> list[tuple[str, str]]:
    """The title and the SVG of the picture of each column, if the extra that draws is installed."""
    figures: list[tuple[str, str]] = []
    if not release.keys or not release.groups:
        return figures
    for name in release.columns:
        try:
            picture = release.plot(name)
            svg = re.sub(r' xmlns(?::\w+)?="[^"]*"', "", picture.svg)  # in a page, names need none
        except DiscreetError:
            return []
        number = len(figures)
        # Each picture counts its names from 0, and those of a page are all different.
        svg = re.sub(r'(\bid="|url\(#)([A-Za-z])', rf"\g<1>f{number}-\2", svg)
        figures.append((picture.title, svg))
    return figures


def _expected_misses(release: Answer) -> tuple[str, str] | None:
    """How many ranges there are and how many of them can be expected to miss, if several."""
    ranges = sum(one.bounded for found in release.columns.values() for one in found)
    misses = ranges * (1 - release.confidence)
    return (f"{ranges:,}", f"{float(misses):,.0f}") if misses >= 1 else None


def _part(mechanism: Mapping[str, str]) -> str:
    """What a mechanism cost: its ε, or its ρ by name."""
    if "rho" in mechanism:
        return named_number_text("ρ", rational(mechanism["rho"], "rho"))
    return decimal_text(rational(mechanism["epsilon"], "epsilon"))


def _is_ranked(estimate: Estimate) -> bool:
    return estimate.rank_error is not None


def _number(value: Any) -> float:
    """A number to place it by; dates and datetimes by their seconds."""
    return float(second(value) or 0) if isinstance(value, str) else float(value)


def _known(estimate: Estimate, confidence: Fraction) -> tuple[float, ...]:
    """The ends of the range that are known."""
    if not estimate.bounded:
        return ()
    ends = map(_number, estimate.interval(confidence))
    return tuple(end for end in ends if isfinite(end))


def _side(estimate: Estimate) -> str:
    """On which side the range has no known end, where it has one on the other."""
    if not estimate.bounded:
        return ""
    lower, upper = (isfinite(_number(end)) for end in estimate.interval())
    return "" if lower == upper else "up" if lower else "down"
