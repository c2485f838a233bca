"""Python of every page and every example is what an editor accepts, by the types as they are."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.test_code_blocks import FROM_SOURCE, PAGES, blocks
from tests.support.clone import ROOT

# An answer is one number or several, by what was asked, and an end may be unknown: an editor cannot
# know which.  What it says about that is quiet.  A name that is not there fails where blocks run.
QUIET = [
    "reportAttributeAccessIssue",
    "reportIndexIssue",
    "reportOperatorIssue",
    "reportOptionalMemberAccess",
    "reportOptionalOperand",
]
WRONG = """\
import discreet as dp

dp.count([1, 2], epsilom=1)
dp.Budget(epsilon=[1])
dp.Budget(1)
dp.Laplace(scale=2, grid=None)
dp.local.RandomizedResponse(epsilon=1, categories=2.5)
dp.Budget(epsilon="0.1", delta=1e-6)
"""
"""A mistake in each line but the last."""


def python_of(text: str) -> str:
    """The Python of a page, each line where it stands there."""
    text = FROM_SOURCE.sub(lambda part: "\n" * part[0].count("\n"), text)
    lines: list[str] = []
    for block in blocks(text):
        if block.language == "python":
            lines += [""] * (block.line - len(lines)) + block.text.splitlines()
    return "\n".join(lines) + "\n"


def errors(folder: Path) -> list[str]:
    """What the type checker says of the files in a folder: the file, the line and the message."""
    settings: dict[str, Any] = {"include": ["."], "typeCheckingMode": "standard"}
    settings |= dict.fromkeys(QUIET, False)
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    checker = Path(sys.executable).with_name("basedpyright")
    ended = subprocess.run(
        [checker, "--project", folder, "--pythonpath", sys.executable, "--outputjson"],
        capture_output=True,
        check=False,
        text=True,
    )
    found = json.loads(ended.stdout)
    assert found["summary"]["filesAnalyzed"] == len(list(folder.glob("*.py")))
    return [
        f"{Path(one['file']).name}:{one['range']['start']['line'] + 1} {one['message']}"
        for one in found["generalDiagnostics"]
        if one["severity"] == "error" and not vague(one)
    ]


def vague(said: dict[str, Any]) -> bool:
    """Whether an error is about what a dictionary may hold, or a number that may be unknown."""
    start, end = said["range"]["start"], said["range"]["end"]
    line = Path(said["file"]).read_text("utf-8").splitlines()[start["line"]]
    argument = line[start["character"] : end["character"]]
    unpacked = f"**{argument}" in line
    return unpacked or re.match(r'Argument of type "\w+ \| None"', said["message"]) is not None


def test_pages_and_examples_are_typed_as_they_are_written(tmp_path: Path) -> None:
    for page in PAGES:
        if code := python_of(page.read_text("utf-8")).strip("\n"):
            name = re.sub(r"\W", "_", str(page.relative_to(ROOT).with_suffix("")))
            (tmp_path / f"{name}.py").write_text(python_of(page.read_text("utf-8")), "utf-8")
            compile(code, name, "exec")
    for example in (ROOT / "examples").glob("*.py"):
        (tmp_path / f"examples_{example.name}").write_text(example.read_text("utf-8"), "utf-8")
    assert len(list(tmp_path.glob("*.py"))) > 20
    assert errors(tmp_path) == []


def test_mistakes_are_seen(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG, "utf-8")
    lines = {int(re.match(r"wrong\.py:(\d+)", one)[1]) for one in errors(tmp_path)}  # type: ignore[index]
    assert lines == {3, 4, 5, 6, 7}


@pytest.mark.parametrize("text", ["```python\nx = 1\n```\nA word.\n\n```python\ny = 2\n```\n"])
def test_lines_are_those_of_the_page(text: str) -> None:
    assert python_of(text).splitlines() == ["", "x = 1", "", "", "", "", "y = 2"]
