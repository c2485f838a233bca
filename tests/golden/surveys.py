"""Polls of every scheme: the form of their reports, their terms, what is kept and what is found."""

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from discreet.noise import UnsafeSeededBits
from discreet.survey import openapi
from discreet.survey.collector import Collector
from discreet.survey.poll import Poll, read_poll, write_template
from discreet.survey.poll_schemes import CHOOSE, KINDS, NUMBER_KINDS
from discreet.survey.question import Question
from discreet.survey.refusals import REASONS
from discreet.survey.report_store import ReceivedReport
from discreet.survey.results import Counted, as_csv, results
from discreet.survey.serving import open_poll_store
from tests.golden.comparing import parted
from tests.golden.numbers import steady

_NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
_REPORTS = 40
_HEAD = """\
title = "Lessons »1«"
question = "Did you skip a lesson?"
epsilon = 1.5
"""
_WORDS = 'answers = ["No", "Yes", "I’d rather not say"]\n'
_NUMBER = "low = -0.5\nhigh = 40\n"

POLLS: dict[str, str] = {
    **{
        f"{what}-{kind}": f'{_HEAD}{answers}scheme = "{kind}"\n'
        for what, answers, kinds in (("words", _WORDS, KINDS), ("number", _NUMBER, NUMBER_KINDS))
        for kind in (*kinds, CHOOSE)
    },
    "tokens": f'{_HEAD}{_WORDS}tokens = "one-time"\ncloses = 2026-12-31\nrate_limit = 7\n',
    "questions": f"""title = "Five questions"
epsilon = 3
results = "live"
[[questions]]
question = "Did you skip a lesson?"
kind = "yes-no"
[[questions]]
question = "How do you come?"
{_WORDS}shuffle = true
[[questions]]
question = "What do you like?"
kind = "several"
answers = ["Sport", "Music", "Art"]
[[questions]]
question = "How are the lessons?"
kind = "scale"
low = 1
high = 5
ends = ["boring", "exciting"]
[[questions]]
question = "How many hours?"
{_NUMBER}epsilon = 1
""",
}
"""A poll for each scheme that a page knows, and one with every other field."""


def files(folder: Path) -> dict[str, str]:
    """One file for each poll, and what does not depend on the poll."""
    found = {f"{name}.txt": _poll(folder / f"{name}.toml", text) for name, text in POLLS.items()}
    write_template(folder / "template.toml")
    shared = {name: getattr(openapi, name) for name in ("SCHEME", "POLL", "RESULTS", "EXPORT")}
    shared["REPORTS"] = openapi.report_operation(read_poll(folder / "tokens.toml"))
    return found | {
        "template.toml": (folder / "template.toml").read_text(),
        "documents.json": _json(shared),
        "refusals.txt": parted(
            {name: f"{one.status} {one.message}" for name, one in REASONS.items()}
        ),
        "tables.sql": _tables(folder / "tokens.db"),
    }


def _poll(path: Path, text: str) -> str:
    path.write_text(text)
    poll = read_poll(path)
    store = open_poll_store(poll)
    try:
        collector = Collector(poll, store, lambda: _NOON)
        sent = [_sent(poll, place) for place in range(_REPORTS)]
        entries = [collector.read(one.encode()) for one in sent]
        tally = poll.ballot.counted(None, [entry.report for entry in entries])
        found = results(poll, Counted(tally, {"malformed": 2}), closed=False)
        return parted(
            {
                "poll": text,
                "terms": "\n".join(map(str, _terms(path.with_suffix(".db")))),
                "scheme": poll.ballot.text,
                "first reports": "\n".join(sent[:3]),
                "first entries": "\n".join(map(_entry_text, entries[:3])),
                "document": _json(openapi.report_operation(poll)["openapi_extra"]),
                "results": steady(_json(found)),
                "table": steady(as_csv(found)),
                "limits": f"closes {poll.closes}\n{poll.rate_limit} reports a minute",
            }
        )
    finally:
        store.close()


def _sent(poll: Poll, place: int) -> str:
    bits = UnsafeSeededBits(place)
    parts = [_drawn(question, place, bits) for question in poll.questions]
    plain = poll.ballot.plain
    report = {
        "scheme" if plain else "survey": poll.ballot.identity,
        "report": parts[0] if plain else parts,
    }
    asked = {"question": poll.question_identity} if plain else {}
    named = {**asked, "id": f"{place:032x}"}
    token = {} if poll.tokens == "none" else {"token": f"token-{place}"}
    return json.dumps(report | named | token)


def _drawn(question: Question, place: int, bits: UnsafeSeededBits) -> Any:
    """A report to a question, of an answer that depends on its place."""
    scheme, answers = question.scheme, question.answers
    answer: Any = place % 41 if question.is_number else answers[place % len(answers)]
    if question.kind == "several":
        answer = [name for at, name in enumerate(answers) if place >> at & 1]
    reports = [
        json.loads(scheme.report_to_wire(scheme.randomize(value, source=bits)))["report"]
        for value in question.values(answer)
    ]
    return reports if question.kind == "several" else reports[0]


def _terms(database: Path) -> list[Any]:
    """What the database says of the poll: all of it is text and numbers that do not change."""
    connection = sqlite3.connect(database)
    try:
        return connection.execute("SELECT * FROM survey_poll").fetchall()
    finally:
        connection.close()


def _tables(database: Path) -> str:
    connection = sqlite3.connect(database)
    try:
        made = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY 1")
        return "".join(f"{row[0]};\n" for row in made)
    finally:
        connection.close()


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _entry_text(entry: ReceivedReport) -> str:
    """The fields of a report, as version 0.1.0 wrote them."""
    return f"Entry{str(entry).removeprefix(type(entry).__name__)}"
