"""The pages about formats name every field that is written, and no other."""

import ast
import asyncio
import json
import re
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import httpx
import pandas
import pytest

import discreet as dp
from discreet.cli.main import discreet
from discreet.ledger.entries import KINDS as ENTRY_KINDS
from discreet.ledger.entries import Entry
from discreet.local.scheme import _SCHEMES
from discreet.privacy.estimates import IntervalKind
from discreet.privacy.events import KINDS as EVENT_KINDS
from discreet.privacy.events import PureEvent
from discreet.release.certificate import Certificate
from discreet.survey.app import application
from discreet.survey.collector import Collector, _unforeseen
from discreet.survey.export import csv_lines, json_lines
from discreet.survey.poll import _SHARED, read_poll
from discreet.survey.question import QUESTION_FIELDS
from discreet.survey.refusals import REASONS
from discreet.survey.serving import open_poll_store
from tests.golden.commands import shown
from tests.golden.comparing import FOLDER

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"

sys.path.insert(0, str(ROOT / "docs" / "_extensions"))
try:
    import command_page  # type: ignore[import-not-found]
finally:
    sys.path.pop(0)


def section(heading: str, page: str = "formats") -> str:
    """What stands below a heading, up to the next one of any level."""
    text = (REFERENCE / f"{page}.md").read_text("utf-8")
    (found,) = re.findall(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", text, re.M | re.S)
    return str(found)


def rows(heading: str, page: str = "formats") -> list[list[str]]:
    """The rows of the tables in a section: cells as they are written, without the heads."""
    tables = re.sub(r"^.*\n(?=\| --- )", "", section(heading, page), flags=re.M)
    lines = [line for line in tables.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def code(text: str) -> list[str]:
    """What stands in a text as code."""
    return re.findall(r"`([^`]+)`", text)


def named(heading: str, page: str = "formats") -> set[str]:
    """What the first cells of a section's tables name."""
    found = [name for row in rows(heading, page) for name in code(row[0])]
    assert len(found) == len(set(found))
    return set(found)


def each(heading: str, page: str = "formats") -> dict[str, set[str]]:
    """What the second cells name, by the first ones."""
    return {code(row[0])[0]: set(code(row[1])) for row in rows(heading, page)}


# ---------------------------------------------------------------------- answers


@pytest.fixture(scope="module")
def answers() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """An answer with every kind of column, and the same given again."""
    people = pandas.DataFrame(
        {"person": range(500), "ward": ["A", "B"] * 250, "stay": [one % 30 for one in range(500)]}
    )
    with dp.table(
        people,
        name="visits",
        unit="person",
        budget=dp.Budget(epsilon=9),
        columns={"ward": dp.category(["A", "B"]), "stay": dp.integer(0, 30)},
        max_groups=1,
        max_rows=2,
        max_rows_per_group=2,
        ledger=":memory:",
    ) as visits:
        groups = visits.group_by("ward", consistent="non-negative")
        question = groups.agg(n=dp.rows(), m=dp.col("stay").median())
        first, again = (question.release(epsilon=1, key="once") for _ in range(2))
        yield json.loads(first.to_json()), json.loads(again.to_json())


def test_the_fields_of_an_answer(answers: tuple[dict[str, Any], dict[str, Any]]) -> None:
    first, again = answers
    stated = {name for name in named("An answer") if not re.fullmatch(r"n(_\w+)?", name)}
    assert set(again) == stated
    assert set(first) == stated - {"already_paid"}


def test_the_columns_of_an_answer(answers: tuple[dict[str, Any], dict[str, Any]]) -> None:
    written = {name for name in answers[0]["rows"][0] if name not in ("ward", "n")}
    stated = {name[1:] for name in named("An answer") if name.startswith("n_")}
    assert {name[1:] for name in written} - {""} == stated


def test_what_an_interval_rests_on() -> None:
    assert named("What an interval rests on") == {one.value for one in IntervalKind}


def test_the_fields_of_a_certificate(answers: tuple[dict[str, Any], dict[str, Any]]) -> None:
    stated = named("A certificate")
    assert stated == {"certificate", *(field.name for field in fields(Certificate))}
    left_out = stated - set(answers[0]["certificate"])
    of_a_declaration = {"written", "lowered", "at_most_rows", "at_most_groups", "profile", "groups"}
    assert left_out == {"rho", "promise", *of_a_declaration}


# --------------------------------------------------------------------- commands

LINES = {"ledger export", "ledger history", "ledger pending"}
"""Commands that write an object in each line."""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """What every command with --json writes."""
    found: dict[str, list[Any]] = {}

    def run(name: str, *words: object) -> None:
        text = shown(*name.split(), *words, "--json")
        lines = text.splitlines() if name in LINES else [text]
        found[f"discreet {name}"] = [json.loads(line) for line in lines]

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("commands"))
        shown("demo", "--folder", "h")
        policy, poll = "h/visits.toml", "poll.toml"
        question = (policy, "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward")
        run("plan", *question, "--epsilon", "0.1")
        run("ask", *question, "--epsilon", "0.1")
        Path("answer.json").write_text(json.dumps(*found["discreet ask"]), "utf-8")
        run("info", policy)
        run("profile", policy, "--suggest")
        run("budget set", policy, "--epsilon", "3", "--why", "a test")
        run("budget show", policy)
        run("ledger anchor", policy, "--output", "anchor.json")
        checked = ("--anchor", "anchor.json", "--certificate", "answer.json")
        run("ledger verify", policy, *checked)
        run("ledger export", policy)
        run("ledger history", policy)
        run("ledger show", policy, 4)
        with dp.Ledger("h/visits.ledger") as ledger:  # as if a process died before its answer
            event = PureEvent(epsilon="1/100")
            charge = ledger.charge("visits", event=event, question="", analyst="ann")
        run("ledger pending", policy)
        run("ledger lose", policy, charge.sequence)
        run("table resume", policy, "--why", "a test")
        run("doctor")
        shown("survey", "new", poll)
        open_poll_store(read_poll(poll)).close()
        run("survey results", poll)
        run("survey status", poll)
    return found


def test_every_command_that_writes_json_is_listed(written: dict[str, list[Any]]) -> None:
    context = click.Context(discreet, info_name="discreet")
    with_json = {
        name
        for name, _, command in command_page.commands(context)
        if any("--json" in option.opts for option in command.params)
    }
    assert set(written) == with_json
    assert named("What commands write") | {"discreet ask", "discreet plan"} == with_json


def test_the_fields_that_commands_write(written: dict[str, list[Any]]) -> None:
    stated = each("What commands write")
    for command, page in {
        "discreet ask": "An answer",
        "discreet plan": "A plan",
        "discreet budget set": "An account",
        "discreet ledger anchor": "An anchor",
        "discreet ledger export": "An entry",
        "discreet ledger history": "An entry",
        "discreet ledger show": "An answer",
        "discreet survey results": "Results",
    }.items():
        assert stated.get(command, set()) == set(), f"{command} is described elsewhere"
        stated[command] = {name for name in named(page) if not re.fullmatch(r"n(_\w+)?", name)}
    left_out = {"already_paid", "choosing_groups", "rho_exact", "invited", "suggested"}
    for command, names in stated.items():
        for written_object in written[command]:
            assert set(written_object) <= names, command
            assert names - set(written_object) <= left_out, command
    (budget,) = written["discreet budget show"]
    assert {name for one in budget["accounts"] for name in one} == named("An account")


# ---------------------------------------------------------------------- ledgers


def columns(place: Path) -> dict[str, set[str]]:
    """The tables of a SQLite file with their columns."""
    with sqlite3.connect(place) as opened:
        tables = opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: {row[1] for row in opened.execute(f"PRAGMA table_info({name})")}
            for (name,) in tables
        }


def test_the_tables_of_a_ledger(tmp_path: Path) -> None:
    dp.Ledger(tmp_path / "new.ledger").close()
    found = columns(tmp_path / "new.ledger")
    assert found.pop("discreet_entries") == named("An entry") == set(Entry._fields)
    stated = each("A ledger")
    assert stated.pop("discreet_entries") == set()
    assert stated == found


def entries() -> list[dict[str, Any]]:
    """Entries of every kind, and charges of every event."""
    text = (FOLDER / "ledger" / "entries.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_every_kind_of_entry_with_what_it_holds() -> None:
    kept: dict[str, set[str]] = {}
    for entry in entries():
        kept.setdefault(entry["kind"], set()).update(entry["body"])
    assert set(kept) == ENTRY_KINDS
    stated = {code(row[0])[0]: set(code(row[2])) for row in rows("Entries", "ledger")}
    assert stated == kept
    reasons = {one["body"]["reason"] for one in entries() if one["kind"] == "lost"}
    (lost,) = [row for row in rows("Entries", "ledger") if row[0] == "`lost`"]
    assert set(code(lost[3])) == reasons


def test_every_event_with_its_fields() -> None:
    declared = {kind: {field.name for field in fields(one)} for kind, one in EVENT_KINDS.items()}
    assert each("An event") == declared


# ---------------------------------------------------------------------- surveys


def test_every_field_of_a_poll() -> None:
    assert named("The poll", "survey") == {*QUESTION_FIELDS, *_SHARED} - {"questions"}
    assert "[[questions]]" in section("The poll", "survey")


def test_every_address_of_a_survey(tmp_path: Path) -> None:
    place = tmp_path / "poll.toml"
    shown("survey", "new", place)
    poll = read_poll(place)
    store = open_poll_store(poll)
    collector = Collector(poll, store)
    served: Any = httpx.ASGITransport(app=application(collector))

    async def ask(path: str) -> httpx.Response:
        async with httpx.AsyncClient(transport=served, base_url="http://survey.test") as client:
            return await client.get(path)

    document = asyncio.run(ask("/openapi.json")).json()
    described = {
        f"{method.upper()} {path}" for path, ways in document["paths"].items() for method in ways
    }
    stated = {name.partition("?")[0] for name in named("The addresses", "survey")}
    assert stated == described | {"GET /", "GET /results", "GET /openapi.json"}
    for name in stated - described:
        assert asyncio.run(ask(name.removeprefix("GET "))).status_code == 200
    store.close()


def test_every_reason_of_a_refusal_with_its_status() -> None:
    stated = {
        reason: int(row[1]) for row in rows("What is refused", "survey") for reason in code(row[0])
    }
    assert stated == {name: reason.status for name, reason in REASONS.items()}


def test_the_tables_of_a_survey(tmp_path: Path) -> None:
    place = tmp_path / "poll.toml"
    shown("survey", "new", place)
    open_poll_store(read_poll(place)).close()
    assert each("A survey's database") == columns(tmp_path / "poll.db")


def test_an_export(tmp_path: Path) -> None:
    place = tmp_path / "poll.toml"
    shown("survey", "new", place)
    poll = read_poll(place)
    store = open_poll_store(poll)
    words = set(code(section("An export")))
    assert set(json.loads("".join(json_lines(store, poll.ballot)))) <= words
    assert set(next(csv_lines(store, poll.ballot)).strip().split(",")) <= words
    store.close()


def told() -> set[str]:
    """How the lines begin that a server writes, as they stand in the source."""
    found = set()
    for path in sorted((ROOT / "src" / "discreet").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("notices.tell"):
                text = node.args[1]
                first = text.values[0] if isinstance(text, ast.JoinedStr) else text
                if isinstance(first, ast.Constant):
                    found.add(str(first.value).rstrip(" :"))
    return found


def test_every_line_on_the_terminal_begins_as_the_page_says() -> None:
    unforeseen = _unforeseen(ValueError()).partition(":")[0]
    assert len(told()) == 3
    assert named("What is told on the terminal", "survey") == {*told(), unforeseen}


# ---------------------------------------------------------------- local privacy


def test_every_scheme_on_the_wire_with_its_fields() -> None:
    written: dict[str, set[str]] = {}
    for path in (FOLDER / "local").iterdir():
        head, _, rest = path.read_text("utf-8").partition("\n")
        if head == "=== scheme":
            found = json.loads(rest.split("\n")[0])
            written.setdefault(found.pop("scheme"), set()).update(found)
    assert set(written) == set(_SCHEMES)
    every, own = {"format", "version"}, {"epsilon", "odds", "categories"}
    stated = each("On the wire", "local")
    assert set(stated) == set(written)
    for name, found in written.items():
        assert found - own - every == stated[name] - own, name


def test_the_files_of_a_device() -> None:
    poll = dp.local.RandomizedResponse(epsilon=1, categories=["No", "Yes"])
    memo, account = dp.local.Memo(), dp.local.Account(cap=2)
    memo.answer("Which?", poll, "Yes")
    account.charge("Which?", poll)
    kept = [json.loads(one.to_json()) for one in (memo, account)]
    assert set().union(*kept) == named("Files of a respondent's device")
    inner = {*kept[0]["answers"][0], *kept[1]["charges"][0]}
    assert inner <= set(code(section("Files of a respondent's device")))
