"""Every code block in the documentation runs.

A block is Python, which is executed; a shell session, whose commands must exist, and are executed
where they are ours; plain text; or a directive that is known to hold no code. Any other block
fails, so none is skipped by accident.
"""

import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.support.trials import all_but

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *(page for page in sorted(ROOT.glob("docs/**/*.md")) if "_build" not in page.parts),
]
LONG = [
    ROOT / page
    for page in (
        "README.md",
        "docs/reference/doctor.md",
        "docs/reference/local.md",
        "docs/tutorials/first_table.md",
    )
]
"""Those that start many processes, or draw much."""
PLAIN = {"text", "toml", "{math}", "{toctree}"}
NESTING = {"{admonition}", "{caution}", "{important}", "{note}", "{tip}", "{warning}"}
SHELL = {"console", "sh"}
FENCE = re.compile(r"^(?P<indent>\s*)(?P<fence>`{3,}|~{3,}|:{3,})[ \t]*(?P<language>\S*).*$")


@dataclass(frozen=True)
class Block:
    """A fenced block: the line of its first fence, its language and what stands between."""

    line: int
    language: str
    text: str


def blocks(text: str, first_line: int = 1) -> Iterator[Block]:
    """The blocks of a page, with those nested in a directive after it."""
    lines = enumerate(text.splitlines(), start=first_line)
    for number, line in lines:
        if not (opening := FENCE.match(line)):
            continue
        fence, language = opening["fence"], opening["language"]
        inside = []
        for _, inner in lines:
            closing = FENCE.match(inner)
            if closing and not closing["language"] and closing["fence"].startswith(fence):
                break
            inside.append(inner)
        else:
            raise ValueError(f"line {number}: the block is never closed")
        content = textwrap.dedent("\n".join(inside))
        yield Block(number, language, content)
        if language in NESTING:
            yield from blocks(content, number + 1)


@cache
def subcommands() -> set[str]:
    listing = subprocess.run(
        [ROOT / "dev", "help"], capture_output=True, check=True, text=True
    ).stdout
    return set(re.findall(r"^\./dev (\w+)", listing, flags=re.MULTILINE))


def unknown_commands(session: str) -> list[str]:
    """The commands of a shell session that a reader could not run."""
    known = {"cd", "git", "python", "python3", "pip"}
    unknown = []
    for line in session.splitlines():
        match shlex.split(line.removeprefix("$ "), comments=True):
            case []:
                pass
            case ["./dev", name, *_] if name in subcommands():
                pass
            case ["discreet", *arguments]:
                status = execute(arguments)
                if status != 0:
                    unknown.append(f"{line}: exit {status}")
            case ["bash", script] if (ROOT / script).is_file():
                pass
            case [command, *_] if command in known:
                pass
            case _:
                unknown.append(line)
    return unknown


def execute(arguments: list[str]) -> int:
    """Run a command of ours in the current folder; its exit code."""
    command = [sys.executable, "-m", "discreet.cli", *arguments]
    return subprocess.run(command, capture_output=True, check=False).returncode


def run(page: str, text: str) -> None:
    """Execute or check every block of a page, in order and in one namespace."""
    namespace: dict[str, object] = {"__name__": page}
    for block in blocks(text):
        place = f"{page}, line {block.line}"
        if block.language == "python":
            code = compile("\n" * block.line + block.text, page, "exec")
            exec(code, namespace)
        elif block.language in SHELL:
            assert unknown_commands(block.text) == [], place
        elif block.language == "{eval-rst}":
            directives = [line for line in block.text.splitlines() if line[:1].strip()]
            assert all(line.startswith(".. auto") for line in directives), place
        else:
            assert block.language in PLAIN | NESTING, f"{place}: {block.language!r} is not known"


@pytest.mark.parametrize(
    "path",
    all_but([page for page in PAGES if page not in LONG], PAGES, pytest.mark.slow),
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_every_block_of_a_page_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(str(path.relative_to(ROOT)), path.read_text("utf-8"))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("```python\n1 / 0\n```", ZeroDivisionError),
        ("1. so\n\n   ```python\n   1 / 0\n   ```\n", ZeroDivisionError),
        ("~~~python\n1 / 0\n~~~", ZeroDivisionError),
        ("````{note}\n```python\n1 / 0\n```\n````", ZeroDivisionError),
        (":::{note}\n```python\n1 / 0\n```\n:::", ZeroDivisionError),
        ("```python\nx = 1\n```\n```python\nx / 0\n```", ZeroDivisionError),
        ("```python\n1", ValueError),
        ("```py\n1\n```", AssertionError),
        ("```\n1\n```", AssertionError),
        ("```{code-block} python\n1\n```", AssertionError),
        ("```{eval-rst}\n.. code-block:: python\n\n   1\n```", AssertionError),
        ("```sh\n./dev nonsense\n```", AssertionError),
        ("```console\n$ bash .ci/nonsense\n```", AssertionError),
        ("```console\n$ nonsense\n```", AssertionError),
        ("```sh\ndiscreet nonsense\n```", AssertionError),
        ("```sh\ndiscreet budget nowhere.toml\n```", AssertionError),
    ],
)
def test_a_broken_or_unknown_block_fails(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        run("made-up page", text)


def test_an_error_names_the_line_of_the_page() -> None:
    with pytest.raises(ZeroDivisionError) as failure:
        run("made-up page", "# Title\n\n```python\nx = 1\nx / 0\n```\n")
    assert failure.traceback[-1].lineno + 1 == 5
