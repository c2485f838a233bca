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

from discreet.accounting.filters import Totals, left_text, share_left, share_text
from discreet.errors import DiscreetError
from discreet.exact import named_number_text, percent_text, rational
from discreet.ledger.declarations import BudgetCap
from discreet.measures.measure import Aggregate, sentence_list
from discreet.plan.calendar import second, time_second
from discreet.privacy.estimates import Estimate, IntervalKind
from discreet.privacy.losses import ZeroConcentratedDP, ten_to_text
from discreet.privacy.number_text import NumberText
from discreet.question.groupings import label_text
from discreet.release.certificate import Certificate
from discreet.templates import package_text, rendered

if TYPE_CHECKING:
    from discreet.measures.measure import Aggregate
    from discreet.plots import Picture
    from discreet.question.groupings import Label
    from discreet.release.certificate import Certificate


_LARGEST_EPSILON = 20
_USUAL_DELTA = Fraction(1, 10**6)
_ROUNDED = 1 + Fraction(1, 10**4)  # a ρ is stated to so many digits; what it promises is not less


_ROUNDED_DIGITS = 6
_MOST_ROWS = 1000
_LONG = 40  # groups that stand on a screen; more of them scroll in a box
_MOST_BESIDE = 4  # columns that fit beside the keys; with more, the keys stay while they scroll
_EDGE = 3.0  # percent of a cell's width, so that marks at its edges stay whole
_FADED = 14.0  # percent that a range without an end takes beyond what is known
_PIECES = 5
_MOST_IN_NOTEBOOK = 60
_MOST_ANSWERS = 10**6


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


def price_in_words(certificate: Certificate) -> list[str]:
    """What ε, and δ where there is one, promise: true sentences, the simplest that are."""
    if certificate.promise is not None:
        return _promised_in_words(certificate, certificate.promise)
    if certificate.epsilon is None:
        return _concentrated_in_words(certificate)
    epsilon, unit = float(Fraction(certificate.epsilon.removeprefix("≈"))), certificate.unit
    if is_free(certificate):
        return [
            f"Nothing is learned about any {unit}: the answer is the same whatever one {unit} "
            "holds."
        ]
    added = certificate.neighbors == "add-remove"
    changes, power = _changes(certificate, epsilon), certificate.price.partition(",")[0]
    if certificate.delta != "0":
        return [
            f"{changes} (e to the power of {power}), and by no more than δ = {certificate.delta} "
            "beyond that."
        ]
    sentences = [f"{changes} (e to the power of {power})."]
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
    epsilon = float(loss.epsilon)
    return [
        f"It was paid in ρ (zCDP). {_changes(certificate, epsilon)} "
        f"(e to the power of ε = {_up(epsilon, 3)}), and by no more than δ = {float(level):g} "
        "beyond that."
    ]


def _promised_in_words(certificate: Certificate, promise: str) -> list[str]:
    """What an ε and a δ promise for which Gaussian noise was made that is charged in ρ."""
    epsilon, delta = promise.split(", ")
    number = float(Fraction(epsilon.split()[-1]) * (1 if "=" in epsilon else _ROUNDED))
    paid = certificate.price.partition(" (")[0]
    return [
        f"{_changes(certificate, number)} (e to the power of {epsilon}), and by no more than "
        f"{delta} beyond that.",
        f"The noise was made for {promise}, which is what this answer promises by itself. The "
        f"budget is charged {paid} for the same noise: in ρ (zCDP) many answers add up to less "
        "than the sum of their ε.",
    ]


def _changes(certificate: Certificate, epsilon: float) -> str:
    """By how much one unit changes how likely an answer was."""
    added, unit = certificate.neighbors == "add-remove", certificate.unit
    changed = f"Whether one {unit} is in the table or not" if added else f"What one {unit} holds"
    if epsilon > _LARGEST_EPSILON:
        factor = f"more than {ten_to_text(Fraction(epsilon))}, which protects nobody"
    else:
        factor = f"at most {_up(exp(epsilon), 3)}"
    return f"{changed} changes how likely any answer was by a factor of {factor}"


def is_free(certificate: Certificate) -> bool:
    """Whether all of the answer is public, so that it cost nothing."""
    return certificate.epsilon == certificate.delta == "0"


def budget_in_words(certificate: Certificate) -> str:
    """How prices add up, and what was left of the budget after this one."""
    kept = "" if certificate.durable else " until the process ends"
    rule = f"Every answer from this table counts against its budget, which the ledger keeps{kept}."
    if certificate.budget is None:
        return rule
    cap, spent = certificate.budget
    again = f" It starts again every {cap.period}." if cap.period else ""
    less = share_text(cap.budget, spent)
    left = f" After this answer {_share_left(cap, spent)} was left: {left_text(cap.budget, spent)}."
    return f"{rule}{again}{left}{f' {less[0].upper()}{less[1:]}.' if less else ''}"


def _share_left(cap: BudgetCap, spent: Totals) -> str:
    return f"{percent_text(share_left(cap.budget, spent))} of {cap}"


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
    numbers = [one for found in release.columns.values() for one in found]
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
        open_ended=any(map(_side, numbers)),
        rows=_rows(release, _MOST_ROWS, scales),
        hidden=_hidden(release, _MOST_ROWS),
        drawn=any(scale.drawn for scale in scales.values()),
        figures=_figures(release),
        expected_misses=_expected_misses(release),
        free=is_free(certificate),
        ranges=any(map(_has_range, numbers)),
        counted=any(one.kind is not IntervalKind.NOISE for one in numbers),
        likely=any(one.likely for one in numbers),
        ranked=any(found and _is_ranked(found[0]) for found in release.columns.values()),
        meaning=" ".join(price_in_words(certificate)),
        frequency=_frequency(release.confidence),
        budget=budget_in_words(certificate),
        measured=_measured(certificate),
        shared=any(", with " in one["mechanism"] for one in certificate.mechanisms),
    )


def _frequency(confidence: Fraction) -> str:
    """How often a range holds, as a number of answers.

    >>> _frequency(Fraction(95, 100)), _frequency(Fraction(999, 1000))
    ('95 of 100 answers', '999 of 1,000 answers')
    """
    many = 100
    while (confidence * many).denominator > 1 and many < _MOST_ANSWERS:
        many *= 10
    return f"{floor(confidence * many):,} of {many:,} answers"


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
        # A point needs others beside it, and a bar alone shows how large its error is.
        known = not any(map(_has_range, column))
        self.drawn = bool(column) and not (alone and (known or not from_zero))
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
    certificate, budget = release.certificate, release.certificate.budget
    left = [] if budget is None else [("Left of the budget", _share_left(*budget))]
    return [
        ("Privacy price", release.price),
        *left,
        ("Protects", f"each {certificate.unit}"),
        ("Groups", f"{len(release):,}" if release.keys else "none"),
        ("Released", certificate.time[:10]),
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
    ranges = sum(_has_range(one) for found in release.columns.values() for one in found)
    misses = ranges * (1 - release.confidence)
    return (f"{ranges:,}", f"{float(misses):,.0f}") if misses >= 1 else None


def _has_range(estimate: Estimate) -> bool:
    return estimate.bounded and not estimate.exact


def _measured(certificate: Certificate) -> list[tuple[str, str, str, str]]:
    """What was paid for: what it is, what it asks, by which noise, and its part of the price."""
    groups = [(one["step"], "", one["mechanism"], _part(one)) for one in certificate.groups or ()]
    return groups + [
        (one["output"], one["asks"], one["mechanism"], _part(one)) for one in certificate.mechanisms
    ]


def _part(paid: Mapping[str, str]) -> str:
    """A part of the price: its ε or its ρ, and its δ where it has one."""
    if "rho" in paid:  # a decimal that is not below it
        digits = len(paid["rho"].replace(".", "").lstrip("0"))
        text = f"ρ {'=' if digits < _ROUNDED_DIGITS else '≤'} {paid['rho']}"
    else:
        text = named_number_text("ε", rational(paid["epsilon"], "epsilon"))
    delta = paid.get("delta", "0")
    return text if delta == "0" else f"{text}, δ = {delta}"


def _is_ranked(estimate: Estimate) -> bool:
    return estimate.rank_error is not None


def _number(value: Any) -> float:
    """A number to place it by; dates and datetimes by their seconds, times by those of the day."""
    if not isinstance(value, str):
        return float(value)
    return float(time_second(value) or second(value) or 0)


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
