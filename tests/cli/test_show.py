"""``discreet ledger show`` and ``discreet info`` are free, and read no row."""

import json
import re
from pathlib import Path

import pytest

from discreet.ledger import Ledger
from discreet.privacy.events import PureEvent
from tests.cli.conftest import Command
from tests.support.visits_policy import BY_WARD, COUNT, write_visits


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return write_visits(tmp_path)


class TestShow:
    def test_a_paid_answer_is_shown_again_in_any_form(self, command: Command, policy: Path) -> None:
        given = command("ask", policy, BY_WARD, "--epsilon", "0.5", "--json")
        first = json.loads(given.out)
        data = policy.parent / "visits.csv"
        data.write_text(data.read_text().partition("\n")[0] + '\n"broken')
        ledger = (policy.parent / "visits.ledger").read_bytes()

        again = json.loads(command("ledger", "show", policy, 2, "--json").out)
        assert again.pop("already_paid")["entry"] == 2
        assert again == first
        shown = command("ledger", "show", policy, 2)
        assert shown.code == 0
        numbers = re.findall(r"^[ABC] +(\d+) ± 12 counted, ", shown.out, re.M)
        assert list(map(int, numbers)) == [round(row["patients"]) for row in first["rows"]]
        assert "cost      already paid: entry 2, 20" in shown.out
        assert "record    entry 2 of visits.ledger" in shown.out
        table, page = policy.parent / "again.csv", policy.parent / "again.html"
        assert command("ledger", "show", policy, 2, "--csv", table, "--html", page).code == 0
        assert table.read_text().startswith("ward,patients")
        assert "Private statistics" in page.read_text("utf-8")
        saved = [policy.parent / f"again.{ending}" for ending in ("md", "json", "parquet", "xlsx")]
        options = [part for file in saved for part in ("--save", file)]
        told = command("ledger", "show", policy, 2, *options)
        assert told.out.count("written   ") == len(saved) == sum(file.exists() for file in saved)
        assert json.loads(saved[1].read_text("utf-8"))["rows"] == first["rows"]
        refused = command("ledger", "show", policy, 2, "--save", policy.parent / "again.doc")
        assert refused.code == 2
        assert "The ending of 'again.doc' is not known" in refused.error
        wide = command("ledger", "show", policy, 2, "--confidence", "0.99")
        assert "± (99%)" in wide.out
        assert (policy.parent / "visits.ledger").read_bytes() == ledger

    @pytest.mark.parametrize(
        ("entry", "code", "part"),
        [
            (1, 2, "is not a charge: it says 'dataset'"),
            (3, 2, "settles entry 2"),
            (99, 2, "is not there"),
            (4, 4, "was lost: it was never released"),
            (6, 4, "not answered yet"),
        ],
    )
    def test_what_was_not_released_is_refused(
        self, command: Command, policy: Path, entry: int, code: int, part: str
    ) -> None:
        assert command("ask", policy, COUNT, "--epsilon", "0.5").code == 0
        with Ledger(policy.parent / "visits.ledger") as ledger:
            lost = ledger.charge("visits", event=PureEvent(epsilon="0.1"), question="q")
            ledger.lose(lost, "cancelled")
            pending = ledger.charge("visits", event=PureEvent(epsilon="0.1"), question="q")
            assert (lost.sequence, pending.sequence) == (4, 6)
            ended = command("ledger", "show", policy, entry)
        assert (ended.code, ended.out) == (code, "")
        assert part in ended.error
        assert "table.ledger" not in ended.error

    def test_a_ledger_that_is_not_there_is_not_made(self, command: Command, policy: Path) -> None:
        assert command("ledger", "show", policy, 2).code == 2
        assert not (policy.parent / "visits.ledger").exists()


class TestInfo:
    def test_every_example_is_planned_as_it_is_printed(
        self, command: Command, policy: Path
    ) -> None:
        data = json.loads(command("info", policy, "--json").out)
        examples = [one["example"] for one in data["columns"]]
        assert len(examples) == 4
        for example in examples:
            delta = ("--delta", "1e-6") if example["needs_delta"] else ()
            assert command("plan", policy, example["sql"], "--epsilon", "0.1", *delta).code == 0

    def test_it_is_free_and_touches_nothing(self, command: Command, policy: Path) -> None:
        data = policy.parent / "visits.csv"
        data.write_text(data.read_text().partition("\n")[0] + '\n"broken')
        ended = command("info", policy)
        assert ended.code == 0
        for part in (
            "table         visits",
            "A patient_id counts for at most 4 rows in 2 groups",
            "one of 3 values: A, B, C",
            "SELECT ward, COUNT(DISTINCT patient_id) AS people FROM visits GROUP BY ward",
            "a number from 0 to 60",
            "true or false",
            "with --delta 1e-6",
            "not possible  Single rows, such as SELECT *",
        ):
            assert part in ended.out, part
        assert sorted(path.name for path in policy.parent.iterdir()) == [
            "visits.csv",
            "visits.toml",
        ]

    def test_it_says_what_is_left(self, command: Command, policy: Path) -> None:
        assert command("ask", policy, COUNT, "--epsilon", "0.5").code == 0
        assert "75%" in command("info", policy).out
        assert json.loads(command("info", policy, "--json").out)["share_left"] == 0.75
