"""The runbook for backups of a ledger, followed as it is printed."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.errors import BudgetExhaustedError
from discreet.ledger import Ledger
from discreet.privacy.events import PureEvent
from discreet.privacy.losses import Budget

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "keep_a_ledger.md"
PROGRAMS = {
    "discreet": f"{shlex.quote(sys.executable)} -m discreet",
    "python": shlex.quote(sys.executable),
}


def printed(heading: str) -> list[list[str]]:
    """The commands of a section, block by block."""
    section = PAGE.read_text("utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    blocks = re.findall(r"```text\n(.*?)```", section, re.DOTALL)
    return [
        [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
        for block in blocks
    ]


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    program, _, rest = line.partition(" ")
    return subprocess.run(
        f"{PROGRAMS.get(program, program)} {rest}",
        shell=True,
        check=False,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )


def follow(lines: list[str], folder: Path) -> str:
    """Run commands that all succeed; what they wrote."""
    written = ""
    for line in lines:
        done = run(line, folder)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        written += done.stdout
    return written


def spend(path: Path, epsilon: str) -> None:
    with Ledger(path) as ledger:
        charge = ledger.charge(
            "survey", event=PureEvent(epsilon=epsilon), question=f"{epsilon}?", analyst="ann"
        )
        ledger.release(charge, b"17", safe=True)


def left(path: Path) -> str:
    with Ledger(path, read_only=True) as ledger:
        cap = ledger.declaration("survey").cap
        assert cap is not None
        return str(cap.budget.epsilon - (ledger.balance("survey").spent.epsilon or 0))


@pytest.mark.slow
def test_a_restored_backup_is_found_by_the_anchor_and_by_nothing_else(tmp_path: Path) -> None:
    (take, compare), (restore, settle, again) = printed("Back it up"), printed("After a restore")
    anchor, spent, backup = take
    path = tmp_path / "survey.ledger"
    with Ledger(path) as ledger:
        ledger.declare("survey", neighbors="add-remove", budget=Budget(epsilon=1), who="cleo")
    spend(path, "1/4")
    follow([anchor, spent, backup], tmp_path)
    follow(compare, tmp_path)
    spend(path, "1/2")
    follow([anchor, spent], tmp_path)  # as it is taken regularly
    assert left(path) == "1/4"

    *put_back, verify = restore
    follow(put_back, tmp_path)
    assert left(path) == "3/4"  # refilled

    unnoticed = run("discreet ledger verify survey.ledger", tmp_path)
    assert (unnoticed.returncode, "sound" in unnoticed.stdout) == (0, True)
    noticed = run(verify, tmp_path)
    assert noticed.returncode == 5
    assert "it was cut, or restored from a backup" in " ".join(noticed.stdout.split())
    accounts = json.loads((tmp_path / "spent.json").read_text())["accounts"]
    assert accounts[0]["spent"]["epsilon"] == "0.75"

    follow(settle, tmp_path)
    assert left(path) == "1/4"  # as before the restore
    follow(again, tmp_path)
    closed = "discreet budget set survey.ledger --dataset survey --epsilon 0.25 --why unknown"
    follow([closed], tmp_path)
    with pytest.raises(BudgetExhaustedError):
        spend(path, "1/100")


def test_a_backup_from_before_the_first_anchor_was_moved_is_no_alarm(tmp_path: Path) -> None:
    """The control: a ledger that has only grown since the anchor passes."""
    (take, compare) = printed("Back it up")
    path = tmp_path / "survey.ledger"
    with Ledger(path) as ledger:
        ledger.declare("survey", neighbors="add-remove", budget=Budget(epsilon=1), who="cleo")
    follow(take, tmp_path)
    spend(path, "1/2")
    follow(compare, tmp_path)
