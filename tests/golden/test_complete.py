"""Every kind of entry, event, scheme and statistic has a golden file; a new one is noticed here."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from discreet.engines.sources import ENGINES
from discreet.ledger import Entry, Ledger
from discreet.ledger.charges import LossReason
from discreet.ledger.entries import KINDS as ENTRY_KINDS
from discreet.local import scheme
from discreet.local.scheme import _SCHEMES, Scheme
from discreet.measures.measure import Measure
from discreet.measures.registry import STATISTICS
from discreet.privacy.events import KINDS as EVENT_KINDS
from discreet.privacy.events import Event, event_from_data, event_to_data
from discreet.release.certificate import Certificate
from discreet.survey.poll_schemes import KINDS as SURVEY_KINDS
from discreet.survey.poll_schemes import NUMBER_KINDS
from tests.golden.comparing import FOLDER
from tests.golden.questions import QUESTIONS
from tests.sql.corpus.facts import cases


@cache
def entries() -> list[Entry]:
    """The entries as they are kept, whose bodies stand in their lines as they are."""
    found = []
    for line in (FOLDER / "ledger" / "entries.jsonl").read_text().splitlines():
        fields = json.loads(line)
        start, end = line.index('"body":') + len('"body":'), line.index(',"charge":')
        found.append(Entry(**fields | {"body": line[start:end]}))
    return found


def kinds_in(event: Any) -> set[str]:
    """The kinds of an event and of all that are in it."""
    inner = [event["event"]] if "event" in event else event.get("events", [])
    return {event["kind"]}.union(*map(kinds_in, inner))


class TestLedger:
    def test_every_kind_of_entry_is_kept(self) -> None:
        assert {entry.kind for entry in entries()} == ENTRY_KINDS
        lost = {entry.data["reason"] for entry in entries() if entry.kind == "lost"}
        assert lost == set(get_args(LossReason))

    def test_every_kind_of_event_is_kept(self) -> None:
        charged = [entry.data["event"] for entry in entries() if entry.kind == "charge"]
        assert set().union(*map(kinds_in, charged)) == set(EVENT_KINDS)
        assert set(EVENT_KINDS.values()) == set(get_args(Event))
        assert [event_to_data(event_from_data(one)) for one in charged] == charged

    def test_every_line_is_an_entry_as_it_was_written(self) -> None:
        lines = (FOLDER / "ledger" / "entries.jsonl").read_text().splitlines()
        assert [entry.line() for entry in entries()] == lines
        assert all(entry.intact for entry in entries())
        assert not entries()[3]._replace(dataset="visit").intact

    def test_a_ledger_of_these_entries_is_sound(self, tmp_path: Path) -> None:
        kept = (FOLDER / "ledger" / "answers.txt").read_text().splitlines()
        answers = {int(one.split(" ", 1)[0]): one.split(" ", 1)[1].encode() for one in kept}
        with Ledger(tmp_path / "kept.ledger") as ledger:
            with ledger._journal.store.transaction() as records:
                for entry in entries():
                    records.append(entry, answers.get(entry.sequence))
            assert ledger.verify().problems == ()


@pytest.fixture(scope="module")
def certificates() -> dict[str, Certificate]:
    """The certificates as they are kept; what stands for a digest is made one."""
    found = {}
    for path in (FOLDER / "tables" / "certificates").iterdir():
        text = path.read_text().replace("DIGEST", "0" * 64)
        found[path.stem] = Certificate.read(text)
        assert found[path.stem].to_json() == text.rstrip("\n")
    return found


class TestTables:
    def test_every_statistic_is_asked_for(self, certificates: dict[str, Certificate]) -> None:
        assert set(certificates) == set(QUESTIONS)
        asked = {one["asks"] for kept in certificates.values() for one in kept.mechanisms}
        assert {words.partition("(")[0] for words in asked} >= {str(one) for one in STATISTICS}

    def test_every_measure_is_planned(self) -> None:
        plans = [path.read_text() for path in (FOLDER / "tables" / "plans").iterdir()]
        hashed = "".join(text.partition("=== hashed\n")[2].split("\n")[0] for text in plans)
        measures = {one.__name__ for one in get_args(Measure)}
        assert {name for name in measures if f'["{name}(' in hashed} == measures
        assert '["Nothing(' not in hashed

    def test_every_mechanism_is_used(self, certificates: dict[str, Certificate]) -> None:
        used = {one["mechanism"] for kept in certificates.values() for one in kept.mechanisms}
        names = {re.split("[(,]", words)[0] for words in used}
        ranked = {"BoundedQuantiles", "NearMaximum"}
        assert names >= {"Laplace", "Gaussian", "GaussianThreshold"} | ranked


class TestSchemes:
    def test_every_scheme_is_kept_and_read(self) -> None:
        found = set()
        for path in (FOLDER / "local").iterdir():
            head, _, rest = path.read_text().partition("\n")
            if head != "=== scheme":
                continue
            text, reports = rest.split("\n")[0], rest.partition("=== reports\n")[2]
            read = scheme(text)
            assert isinstance(read, Scheme)
            assert read.to_json() == text
            for report in reports.partition("\n\n")[0].splitlines():
                assert read.report_to_wire(read.report_from_wire(report)) == report
            found.add(read.name)
        assert found == set(_SCHEMES)

    def test_every_poll_is_kept(self) -> None:
        found = {path.stem for path in (FOLDER / "surveys").glob("*.txt")}
        assert {f"words-{kind}" for kind in SURVEY_KINDS} <= found
        assert {f"number-{kind}" for kind in NUMBER_KINDS} <= found


@pytest.mark.parametrize("engine", ENGINES)
def test_every_question_of_the_corpus_has_its_sql(engine: str) -> None:
    text = (FOLDER / "sql" / f"{engine}.sql").read_text()
    headings = [line[4:] for line in text.splitlines() if line.startswith("=== ")]
    assert headings == [str(case) for case in cases("accepted")]
