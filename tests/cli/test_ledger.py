"""``discreet ledger`` verifies, anchors, exports and tells what happened."""

import json
import shutil
import sqlite3
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from discreet.cli.exits import run
from discreet.errors import AnswerLostError, BudgetExhaustedError
from discreet.ledger import Ledger
from discreet.privacy.events import PureEvent
from tests.cli.conftest import Command


def tamper(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER discreet_entries_update")
        connection.execute("UPDATE discreet_entries SET analyst = 'eve' WHERE sequence = 3")
    connection.close()


def test_a_sound_ledger_ends_with_0_and_a_forged_one_with_5(command: Command, path: Path) -> None:
    ended = command("ledger", "verify", path)
    assert ended.code == 0
    assert ended.out.startswith("✓ sound")
    assert "1 charge without an answer" in ended.out
    tamper(path)
    ended = command("ledger", "verify", path)
    assert ended.code == 5
    assert "✗ not sound" in ended.out
    assert "entry 3: it is not as it was written" in ended.out
    report = json.loads(command("ledger", "verify", path, "--json").out)
    assert report["sound"] is False
    assert report["problems"][0]["entry"] == 3


def test_an_anchor_finds_a_restored_backup(command: Command, path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "backup")
    with Ledger(path) as ledger:
        ledger.charge("visits", event=PureEvent(epsilon="0.1"), question="q", analyst="ann")
    anchor = tmp_path / "anchor.json"
    assert "the anchor of 10 entries" in command("ledger", "anchor", path, "--output", anchor).out
    assert json.loads(command("ledger", "anchor", path).out)["entries"] == 10
    assert command("ledger", "verify", path, "--anchor", anchor).code == 0
    shutil.copy(tmp_path / "backup", path)
    assert command("ledger", "verify", path).code == 0
    ended = command("ledger", "verify", path, "--anchor", anchor)
    assert ended.code == 5
    assert "restored from a backup" in ended.out


def test_a_wrong_anchor_ends_with_2_and_a_missing_one_with_1(
    command: Command, path: Path, tmp_path: Path
) -> None:
    (tmp_path / "anchor.json").write_text("{}")
    assert command("ledger", "verify", path, "--anchor", tmp_path / "anchor.json").code == 2
    ended = command("ledger", "verify", path, "--anchor", tmp_path / "none.json")
    assert (ended.code, "No such file" in ended.error) == (1, True)


def test_a_damaged_file_ends_with_5(command: Command, path: Path) -> None:
    path.write_bytes(b"x" * 10_000)
    ended = command("ledger", "verify", path)
    assert ended.code == 5
    assert "damaged" in ended.error


def test_export_can_be_checked_without_discreet(
    command: Command, path: Path, tmp_path: Path
) -> None:
    lines = command("ledger", "export", path).out.splitlines()
    assert len(lines) == 9
    previous = "0" * 64
    for line in lines:
        entry = json.loads(line)
        stated = entry.pop("hash")
        text = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert (entry["previous"], sha256(text.encode()).hexdigest()) == (previous, stated)
        previous = stated
    command("ledger", "export", path, "--output", tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text().splitlines() == lines


def test_history_tells_what_happened(command: Command, path: Path) -> None:
    lines = command("ledger", "history", path).out.splitlines()
    assert len(lines) == 10
    assert lines[1].endswith("ε = 3, δ = 0, add-remove")
    assert "charge    visits            ann         ε = 0.25   count [bold]0[/bold]" in lines[3]
    assert lines[4].endswith("entry 3: 2 bytes")
    assert lines[6].endswith("entry 5: abandoned")
    assert len(command("ledger", "history", path, "--last", "2").out.splitlines()) == 3
    assert len(command("ledger", "history", path, "--all").out.splitlines()) == 10
    assert len(command("ledger", "history", path, "--analyst", "bob").out.splitlines()) == 2
    exported = command("ledger", "export", path).out
    assert command("ledger", "history", path, "--all", "--json").out == exported


def test_the_version_and_the_help_are_there(command: Command) -> None:
    assert command("--version").out.startswith("discreet 0.")
    assert "5: a verification failed" in " ".join(command("--help").out.split())
    for words in (["budget"], ["budget", "set"], ["ledger"], ["ledger", "verify"]):
        assert command(*words, "--help").code == 0
    assert command("nonsense").code == 2


@pytest.mark.parametrize(("error", "code"), [(BudgetExhaustedError, 3), (AnswerLostError, 4)])
def test_a_refusal_has_a_code_of_its_own(
    error: type[Exception], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def command() -> None:
        raise error("the reason")

    with pytest.raises(SystemExit) as ending:
        run(command)
    assert ending.value.code == code
    assert capsys.readouterr().err == "discreet: The reason\n"


def test_a_reader_that_stops_early_is_no_fault_worth_a_word(path: Path) -> None:
    code = f"{sys.executable} -m discreet.cli ledger export {path} | head -c 1"
    ran = subprocess.run(code, shell=True, capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("{", "")
