"""``discreet completion`` prints what a shell reads, and the shell's questions are answered."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("discreet")


def printed(shell: str) -> str:
    ended = subprocess.run(
        [COMMAND, "completion", shell], capture_output=True, check=True, text=True
    )
    return ended.stdout


def offered(*words: str) -> list[str]:
    """What the command offers when the last of these words is half typed."""
    typed = ["discreet", *words]
    asked = {
        "_DISCREET_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(typed),
        "COMP_CWORD": str(len(words)),
    }
    ended = subprocess.run(
        [COMMAND], capture_output=True, check=True, text=True, env=os.environ | asked
    )
    return [line.partition(",")[2] for line in ended.stdout.splitlines()]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_is_told_whom_to_ask(shell: str) -> None:
    assert f"_DISCREET_COMPLETE={shell}_complete" in printed(shell)


def test_commands_and_options_are_offered() -> None:
    assert offered("pl") == ["plan"]
    assert offered("ledger", "h") == ["history"]
    assert "--margin" in offered("ask", "visits.toml", "--m")


@pytest.mark.skipif(shutil.which("bash") is None, reason="NO BASH: its completion is not tried")
def test_bash_completes_what_is_half_typed(tmp_path: Path) -> None:
    script = tmp_path / "completion.sh"
    script.write_text(printed("bash"))
    typed = (
        f"source {script}; COMP_WORDS=(discreet pro); COMP_CWORD=1; "
        '_discreet_completion discreet pro; echo "${COMPREPLY[@]}"'
    )
    path = f"{COMMAND.parent}:{os.environ['PATH']}"
    ended = subprocess.run(
        ["bash", "-c", typed],
        capture_output=True,
        check=True,
        text=True,
        env=os.environ | {"PATH": path},
    )
    assert ended.stdout.split() == ["profile"]
