"""``discreet ledger`` verifies, anchors, exports and tells what happened."""

import json
import shutil
import sqlite3
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

import discreet as dp
from discreet.cli.exit_codes import run_command
from discreet.errors import AnswerLostError, BudgetExhaustedError, SuspendedError
from discreet.ledger import Entry, Ledger
from discreet.privacy.events import PureEvent
from tests.cli.conftest import Command
from tests.support.visits_policy import write_visits


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
    assert 3 in [problem["entry"] for problem in report["problems"]]


def test_an_anchor_finds_a_restored_backup(command: Command, path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "backup")
    with Ledger(path) as ledger:
        ledger.charge("meters", event=PureEvent(epsilon="0.1"), question="q", analyst="ann")
    anchor = tmp_path / "anchor.json"
    assert "the anchor of 10 entries" in command("ledger", "anchor", path, "--output", anchor).out
    assert json.loads(command("ledger", "anchor", path).out)["entries"] == 10
    assert command("ledger", "verify", path, "--anchor", anchor).code == 0
    verified = json.loads(command("ledger", "verify", path, "--anchor", anchor, "--json").out)
    assert (verified["sound"], verified["anchor"]) == (True, json.loads(anchor.read_text("utf-8")))
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
    (tmp_path / "anchor.json").write_bytes(b"\xff\xfe{}")
    ended = command("ledger", "verify", path, "--anchor", tmp_path / "anchor.json")
    assert (ended.code, "not text in UTF-8" in ended.error) == (2, True)
    ended = command("ledger", "verify", path, "--anchor", tmp_path / "none.json")
    assert (ended.code, "No such file" in ended.error) == (1, True)
    assert "Check the path, or verify without --anchor." in ended.error


def forge(path: Path, **fields: object) -> None:
    """Append an entry that no call would write, with a hash that fits."""
    with Ledger(path) as ledger:
        head = ledger.recent(1)[0].head
    entry = Entry.after(head, **{"time": head.time} | fields)  # type: ignore[arg-type]
    with sqlite3.connect(path) as connection:
        marks = ", ".join("?" * len(entry))
        connection.execute(f"INSERT INTO discreet_entries VALUES ({marks})", entry)
    connection.close()


def test_nothing_in_a_ledger_controls_the_terminal(command: Command, path: Path) -> None:
    evil = "x\x1b[2J\x9b31m\r\nforged line"
    with Ledger(path) as ledger:
        charge, declared = ledger.entry(3), ledger.entry(1)
        assert charge is not None
        assert declared is not None
    body = charge.data | {"summary": evil}
    forge(path, kind="charge", dataset="visits", analyst=evil, body=body)
    forge(path, kind="dataset", dataset=evil, body=declared.data | {"who": evil})
    forge(path, kind="nonsense", dataset="visits", body={"why": evil})
    for words in (
        ["ledger", "history"],
        ["ledger", "verify"],
        ["ledger", "pending"],
        ["budget"],
    ):
        ended = command(*words, path)
        out = ended.out + ended.error
        assert out
        assert not {"\x1b", "\x9b", "\r"} & set(out), words
        assert "\nforged line" not in out


def test_a_missing_table_ends_with_5(command: Command, path: Path) -> None:
    for table in ("answers", "migrations"):
        with sqlite3.connect(path) as connection:
            connection.execute(f"DROP TABLE discreet_{table}")
        connection.close()
        ended = command("ledger", "verify", path)
        assert ended.code == 5
        assert "damaged" in ended.out + ended.error


def test_a_file_of_another_kind_is_no_ledger(command: Command, tmp_path: Path) -> None:
    other = tmp_path / "people.csv"
    other.write_text("name,age\nann,23\n" * 100)
    for words in (["budget"], ["ledger", "history"]):
        ended = command(*words, other)
        assert (ended.code, "is not a ledger" in ended.error) == (2, True)
    assert command("ledger", "verify", other).code == 5


def test_a_certificate_is_compared_with_the_ledger(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = write_visits(tmp_path)
    monkeypatch.chdir(tmp_path)
    with dp.table(policy) as table:
        certificate = table.sql("SELECT COUNT(*) AS n FROM visits", epsilon=0.5).certificate
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(certificate.to_json())
    bad.write_text(certificate.to_json().replace(certificate.answer, "0" * 64))
    ledger = tmp_path / "visits.ledger"
    ended = command("ledger", "verify", ledger, "--certificate", good)
    assert (ended.code, "✓ genuine" in ended.out) == (0, True)
    assert "about visits; rows beside it in a file are not compared" in ended.out
    ended = command("ledger", "verify", ledger, "--certificate", bad)
    assert (ended.code, "digest of the answer" in ended.out) == (5, True)
    report = json.loads(command("ledger", "verify", ledger, "--certificate", bad, "--json").out)
    assert (report["sound"], report["certificate"]["genuine"]) == (True, False)
    assert command("ledger", "verify", ledger, "--certificate", tmp_path / "none").code == 1
    (tmp_path / "none").write_bytes(b"\xff")
    assert command("ledger", "verify", ledger, "--certificate", tmp_path / "none").code == 2


def test_a_damaged_file_ends_with_5(command: Command, path: Path) -> None:
    path.write_bytes(b"x" * 10_000)
    ended = command("ledger", "verify", path)
    assert ended.code == 5
    assert "it is damaged" in ended.error


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
    assert "charge     visits            ann         ε = 0.25   count [bold]0[/bold]" in lines[3]
    assert lines[4].endswith("entry 3: 2 bytes")
    assert lines[6].endswith("entry 5: cancelled")
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


@pytest.mark.parametrize(
    ("error", "code"), [(BudgetExhaustedError, 3), (AnswerLostError, 4), (SuspendedError, 4)]
)
def test_a_refusal_has_a_code_of_its_own(
    error: type[Exception], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def command() -> None:
        raise error("the reason")

    with pytest.raises(SystemExit) as ending:
        run_command(command)
    assert ending.value.code == code
    assert capsys.readouterr().err == "discreet: The reason\n"


def test_a_reader_that_stops_early_is_no_fault_worth_a_word(path: Path) -> None:
    code = f"{sys.executable} -m discreet ledger export {path} | head -c 1"
    ran = subprocess.run(code, shell=True, capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("{", "")


def test_a_pending_charge_is_shown_and_can_be_given_up(command: Command, path: Path) -> None:
    shown = command("ledger", "pending", path)
    assert shown.code == 0
    (_, line) = shown.out.splitlines()
    assert line.split()[0] == "7"
    assert " dead " in line
    assert "bob" in line
    assert json.loads(command("ledger", "pending", path, "--json").out)["sequence"] == 7
    ended = command("ledger", "lose", path, 7)
    assert ended.code == 0
    assert ended.out.startswith("Entry 7 is lost. What it cost stays spent, and its data set is ")
    assert "Every charge" in command("ledger", "pending", path).out
    with Ledger(path) as ledger:
        assert ledger.balance("visits", "bob").lost == 1
        assert ledger.balance("visits").suspensions == 1  # giving up is no way around it
        assert ledger.balance("visits").spent.epsilon == 1
        assert ledger.verify().sound


def test_only_a_pending_charge_can_be_given_up(command: Command, path: Path) -> None:
    before = len(command("ledger", "export", path).out)
    for entry, code, fact in (
        (1, 2, "Entry 1 is not a charge"),
        (3, 2, "was settled in entry 4"),
        (5, 4, "was marked as lost in entry 6"),
        (99, 2, "Entry 99 is not a charge"),
    ):
        ended = command("ledger", "lose", path, entry)
        assert ended.code == code
        assert fact in ended.error
    assert command("ledger", "lose", path).code == 2
    assert len(command("ledger", "export", path).out) == before
