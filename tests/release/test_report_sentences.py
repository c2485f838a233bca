"""Every sentence of a report follows from the facts of its table and its answer.

All pages of both relations and both units are read, whole and empty: each of their sentences is on
the list below, with what it needs, and stands on the pages of which that is true and on no other.
"""

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from discreet.privacy.estimates import IntervalKind
from discreet.privacy.losses import Budget
from discreet.release.release import Release
from discreet.release.report import report_page
from tests.release.released import HOSTILE, WARDS, visits

READ = {"p", "li", "dt", "dd"}


class Sentences(HTMLParser):
    """The sentences of a page: not its table, SQL, facts and certificate, which are data."""

    def __init__(self, page: str, notes: list[str]) -> None:
        super().__init__()
        self.blocks: list[str] = []
        self._inside: list[str] = []
        self._skipped = 0
        self.feed(page)
        blocks = [" ".join(block.split()) for block in self.blocks]
        known = {" ".join(note.split()) for note in notes}
        told = " ".join(block for block in blocks if block and block not in known)
        self.all = re.split(r"(?<=[.?!]) (?=[A-Z“])", told)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        kind = str(dict(attributes).get("class"))
        data = tag in ("style", "pre", "table", "figure", "title", "code", "details")
        data = data or (tag == "dl" and kind != "reading")
        if self._skipped or data or kind in ("kicker", "lead", "asked"):
            self._skipped += tag not in ("meta", "circle", "rect", "line", "path", "br")
        elif tag in READ:
            self.blocks.append("")
            self._inside.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if self._skipped:
            self._skipped -= 1
        elif tag in READ:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if self._inside and not self._skipped:
            self.blocks[-1] += data


@dataclass(frozen=True)
class Facts:
    """What is true of a table and an answer, from their declarations and numbers alone."""

    release: Release
    neighbors: str
    unit: str
    period: bool
    durable: bool

    @property
    def numbers(self) -> list[Any]:
        return [one for found in self.release.columns.values() for one in found]

    @property
    def empty(self) -> bool:
        return not len(self.release)

    @property
    def free(self) -> bool:
        return self.release.price == "ε = 0"

    @property
    def ranges(self) -> bool:
        return any(one.bounded and not one.exact for one in self.numbers)

    @property
    def counted(self) -> bool:
        return any(one.kind is not IntervalKind.NOISE for one in self.numbers)

    @property
    def ranked(self) -> bool:
        return any(one.rank_error is not None for one in self.numbers)

    @property
    def drawn(self) -> bool:
        adds_up = any(map(self.release.adds_up, self.release.columns))
        return self.ranges and (bool(self.release.keys) or adds_up)

    @property
    def replaced(self) -> bool:
        return self.neighbors == "replace"

    @property
    def kind(self) -> str:
        """In what it was paid."""
        certificate = self.release.certificate
        if certificate.promise is not None:
            return "promise"
        return "rho" if certificate.epsilon is None else "free" if self.free else "epsilon"

    @property
    def delta(self) -> bool:
        return self.release.certificate.delta != "0"


Needs = Callable[[Facts], bool]
NUMBER = r"[0-9.,e-]+"
PRICE = rf"(?:[ερ] [=≈] {NUMBER}|nothing)(?:, δ [=≈] {NUMBER})?"
SENTENCES: dict[str, Needs] = {
    # The answer
    r"No row is left: a condition on the released numbers, LIMIT or OFFSET left out all\.": (
        lambda f: f.empty and "row is left" in f.release.none_found
    ),
    r"No group shown: a group needs about .*\.": lambda f: (
        f.empty and "group" in f.release.none_found
    ),
    r"A larger ε, or coarser groups, show more\.": lambda f: (
        f.empty and "group" in f.release.none_found
    ),
    r"These numbers are for people in \d groups? each\.|For .*\d\.|.*\bin no other group\b.*": (
        lambda f: f.empty and "These numbers" in f.release.none_found
    ),
    r"A ± beside “counted” is the noise of what was counted, at 95%\.": lambda f: f.counted,
    r"Each number stands with its error at 95%\.": lambda f: (
        not f.counted and not f.free and not f.empty
    ),
    r"Each number is exact\.": lambda f: f.free and not f.empty,
    r"The thin line below is where the truth lies, as far as it is known, on one scale per "
    r"(?:column|row)\.": lambda f: f.counted and f.drawn,
    r"The thin line below is that range, on one scale per (?:column|row)\.": lambda f: (
        not f.counted and f.drawn
    ),
    r"Where the line fades, no end is known on that side\.": lambda f: (
        f.drawn and any(str(one.interval()[1]) == "inf" for one in f.numbers if one.bounded)
    ),
    # What the ranges cover
    r"The exact number lies in the range in 95 of 100 answers\.": (lambda f: f.ranges),
    r"It knows nothing of errors in the table itself\.": lambda f: f.ranges,
    r"Where a number stands with “counted”, the ± is the noise of what was counted\.": lambda f: (
        f.counted
    ),
    r"Who has more rows than the cap counts for less, so the truth has a range of its own, in "
    r"95 of 100 answers too; “at least” where its upper end is not known\.": lambda f: (
        f.counted and f.unit != "row"
    ),
    r"Of a median or another quantile only the range of what was counted is known\.": lambda f: (
        f.counted
    ),
    # How to read this
    r"Why is it exact\?": lambda f: f.free,
    r"A row can be replaced by another, never added or removed\.": lambda f: f.free and f.replaced,
    r"So the number of rows is public\.": lambda f: f.free and f.replaced and f.unit == "row",
    r"Why was it paid for\?": lambda f: f.empty and not f.free,
    r"What is shown was decided by numbers with noise\.": lambda f: f.empty and not f.free,
    r"They were measured and paid for, shown or not\.": lambda f: f.empty and not f.free,
    r"Why are the numbers not exact\?": lambda f: not f.empty and not f.free,
    r"Random noise was added on purpose, so that nobody can work backward from a number to a "
    r"person\.": lambda f: not f.empty and not f.free and f.unit != "row",
    r"Random noise was added on purpose, so that nobody can work backward from a number to a "
    r"row\.": lambda f: not f.empty and not f.free and f.unit == "row",
    r"How much is public: it is the ± beside each number\.": lambda f: (
        not f.empty and not f.free and not f.ranked
    ),
    r"How much is public: it is what stands beside each number\.": lambda f: f.ranked,
    r"What is “rank ±”\?": lambda f: f.ranked,
    r"Put all rows in order: a median or another quantile lies at most so many places away from "
    r"the exact one, with 95% probability\.": lambda f: f.ranked,
    r"What does the price mean\?": lambda f: True,
    r"Nothing is learned about any row: the answer is the same whatever one row holds\.": (
        lambda f: f.free and f.replaced
    ),
    rf"Whether one (?:row|patient) is in the table or not changes how likely any answer was by a "
    rf"factor of at most {NUMBER} \(e to the power of ε [=≈] {NUMBER}\)"
    rf"(?:, and by no more than δ = {NUMBER} beyond that)?\.": lambda f: (
        not f.free and not f.replaced
    ),
    rf"What one (?:row|patient) holds changes how likely any answer was by a factor of at most "
    rf"{NUMBER} \(e to the power of ε [=≈] {NUMBER}\)"
    rf"(?:, and by no more than δ = {NUMBER} beyond that)?\.": lambda f: not f.free and f.replaced,
    rf"Somebody who was 50% sure that a certain (?:row|patient) is in the table, and knows all the "
    rf"others, can be at most {NUMBER}% sure after reading this\.": lambda f: (
        f.kind == "epsilon" and not f.delta and not f.replaced
    ),
    rf"Somebody who was 50% sure about which of two things a certain (?:row|patient) holds, and "
    rf"knows all the others, can be at most {NUMBER}% sure after reading this\.": lambda f: (
        f.kind == "epsilon" and not f.delta and f.replaced
    ),
    r"It was paid in ρ \(zCDP\)\.": lambda f: f.kind == "rho",
    rf"The noise was made for {PRICE}, which is what this answer promises by itself\.": lambda f: (
        f.kind == "promise"
    ),
    rf"The budget is charged {PRICE} for the same noise: in ρ \(zCDP\) many answers add up to less "
    r"than the sum of their ε\.": lambda f: f.kind == "promise",
    r"A smaller price protects more, and makes ranges wider\.": lambda f: not f.free,
    r"Do prices add up\?": lambda f: True,
    r"Yes\.": lambda f: True,
    r"Every answer from this table counts against its budget, which the ledger keeps\.": lambda f: (
        f.durable
    ),
    r"Every answer from this table counts against its budget, which the ledger keeps until the "
    r"process ends\.": lambda f: not f.durable,
    r"It starts again every month\.": lambda f: f.period,
    rf"After this answer {NUMBER}% of {PRICE}(?: per month)? was left: {PRICE}\.": (lambda f: True),
    r"Small questions cost less together than their sum\.": lambda f: "ρ" in f.release.report(),
    # What was paid
    rf"The whole answer cost {PRICE}(?: \({PRICE} by itself\))?\.": lambda f: True,
    r"It protects each row\.": lambda f: f.unit == "row",
    r"It protects each patient, with all its rows\.": lambda f: f.unit != "row",
    r"A patient counts for at most 5 rows in 2 groups\.": (
        lambda f: f.unit != "row" and not f.release.certificate.lowered
    ),
    r"A patient counts for at most 3 rows in 2 groups\.": (
        lambda f: f.unit != "row" and bool(f.release.certificate.lowered)
    ),
    r"Neighbors: add-remove\.": lambda f: not f.replaced,
    r"Neighbors: replace\.": lambda f: f.replaced,
    r"Outputs that share one measurement share its price\.": lambda f: any(
        one.get("epsilon", one.get("rho")) == "0"
        for one in f.release.certificate.mechanisms
        if not one["mechanism"].startswith(("computed", "none"))
    ),
    # Certificate
    r"Whoever has the ledger can check this: save what follows as certificate\.json and run": (
        lambda f: f.durable
    ),
    r"The ledger was in memory, so nobody else can check this\.": lambda f: not f.durable,
}
ALLOWED = {
    r"These numbers are for people in \d groups? each\.|For .*\d\.|.*\bin no other group\b.*",
    r"Small questions cost less together than their sum\.",
}
"""Which of these stand on a page is for the tests of their own rooms: here they may."""

QUESTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "by ward": ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", {"epsilon": 1}),
    "one number": ("SELECT COUNT(*) AS n FROM visits WHERE stay > 2", {"epsilon": 1}),
    "means": ("SELECT ward, AVG(stay) AS m, COUNT(*) AS n FROM visits GROUP BY 1", {"epsilon": 1}),
    "all rows": ("SELECT COUNT(*) AS n FROM visits", {"epsilon": 1}),
    "no total": ("SELECT COUNT(*) AS n FROM visits HAVING COUNT(*) > 1000000", {"epsilon": 1}),
    "no ward": (
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY 1 HAVING n > 1000000",
        {"epsilon": 1},
    ),
    "median": ("SELECT MEDIAN(stay) AS m FROM visits", {"epsilon": 1}),
    "cube": (
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY CUBE (ward)",
        {"epsilon": 1, "delta": "1e-6"},
    ),
    "in ρ": ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", {"rho": "0.01"}),
    "median in ρ": ("SELECT MEDIAN(stay) AS m FROM visits", {"rho": "0.01"}),
    "found": ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY 1", {"epsilon": 1, "delta": "1e-6"}),
    "none found": (
        "SELECT ward, COUNT(*) AS n FROM visits WHERE age = 7 AND stay = 7 GROUP BY ward",
        {"epsilon": "0.1", "delta": "1e-6"},
    ),
}


def answers(
    unit: str, neighbors: str, place: str, period: str | None
) -> Iterator[tuple[str, Facts]]:
    declared: dict[str, Any] = {"unit": unit, "neighbors": neighbors, "period": period}
    if unit != "row":
        declared |= {"max_groups": 2, "max_rows": 5}
    for name, (sql, price) in QUESTIONS.items():
        wards = HOSTILE if "found" in name else WARDS
        ledger = place if place == ":memory:" else f"{place}/{name}"
        with visits(wards, ledger, budget=Budget(epsilon=20, delta="1e-3"), **declared) as table:
            lowered = {"max_rows": 3} if name == "means" and unit != "row" else {}
            answer = table.sql(sql, **price, **lowered)
            assert isinstance(answer, Release)
            facts = (answer, neighbors, unit, period is not None, place != ":memory:")
            yield name, Facts(*facts)


def wrong(facts: Facts, sentences: list[str]) -> list[str]:
    """What stands on a page and is not so, and what is so and does not stand there."""
    problems = []
    for sentence in sentences:
        fitting = [one for one in SENTENCES if re.fullmatch(one, sentence)]
        if len(fitting) != 1:
            problems.append(f"{sentence!r} has {len(fitting)} conditions")
        elif fitting[0] not in ALLOWED and not SENTENCES[fitting[0]](facts):
            problems.append(f"{sentence!r} is not so")
    for pattern, needs in SENTENCES.items():
        stands = any(re.fullmatch(pattern, one) for one in sentences)
        if pattern not in ALLOWED and needs(facts) and not stands:
            problems.append(f"{pattern!r} is so and not said")
    return problems


@pytest.mark.parametrize("neighbors", ["add-remove", "replace"])
@pytest.mark.parametrize("unit", ["row", "patient"])
@pytest.mark.parametrize("period", [None, "month"])
def test_every_sentence_is_so(
    unit: str,
    neighbors: str,
    period: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)  # pictures are read elsewhere
    place = ":memory:" if period is None else str(tmp_path)
    for name, facts in answers(unit, neighbors, place, period):
        page = Sentences(report_page(facts.release), facts.release.notes)
        assert wrong(facts, page.all) == [], name
        if facts.free:
            assert (unit, neighbors) == ("row", "replace")


def test_a_sentence_that_is_not_so_is_found() -> None:
    """The control: what an earlier version wrote on the page of an empty answer."""
    with visits() as table:
        answer = table.sql("SELECT COUNT(*) AS n FROM visits HAVING COUNT(*) > 9999", epsilon=1)
    assert isinstance(answer, Release)
    facts = Facts(answer, "add-remove", "row", period=False, durable=False)
    said = ["Why is it exact?", "So the number of rows is public.", "Noise is small."]
    page = Sentences(report_page(answer), answer.notes)
    assert wrong(facts, page.all) == []
    assert len(wrong(facts, [*page.all, *said])) == 3
    assert len(wrong(facts, page.all[1:])) == 1
    other = Facts(replace(answer), "replace", "patient", period=True, durable=True)
    assert len(wrong(other, page.all)) > 5
