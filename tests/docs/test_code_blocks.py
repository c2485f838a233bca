"""Every code block in the documentation runs.

A block is Python, which is executed; a shell session, which is executed in a clone, by a shell that
knows nothing of the tests; or plain text. Any other block fails: none is skipped by accident, and
no directive stands on a page, which a code host would show as it is.
TOML whose first line is a comment with nothing but the name of a file is written into that file.
What a shell session says that would run the tests themselves, or install from a network, is looked
up instead; a soak test installs, too.
"""

import re
import shlex
import subprocess
import textwrap
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.support.clone import ROOT, strangers_variables, write_clone, write_environment
from tests.support.trials import all_but

PAGES = [
    *sorted(ROOT.glob("*.md")),
    *(page for page in sorted(ROOT.glob("docs/**/*.md")) if "_build" not in page.parts),
]
README = ROOT / "README.md"
READERS = [
    README,
    *(page for page in PAGES if page.parent.name in ("tutorials", "how-to")),
    ROOT / "docs" / "reference" / "doctor.md",
    ROOT / "docs" / "reference" / "survey.md",
]
"""Those that are followed one after another, and make files."""
LONG = [
    ROOT / page
    for page in (
        "README.md",
        "docs/how-to/choose_a_mechanism.md",
        "docs/how-to/collect_without_seeing_answers.md",
        "docs/reference/doctor.md",
        "docs/reference/local.md",
        "docs/reference/survey.md",
        "docs/tutorials/first_table.md",
        "docs/tutorials/survey.md",
    )
]
"""Those that start many processes, or draw much."""
PLAIN = {"diff", "text", "toml"}
SHELL = {"console", "sh"}
NAMED_FILE = re.compile(r"# (?P<name>[\w-]+\.toml)\n")
FROM_SOURCE = re.compile(r"<!-- python\n.*?<!-- end of python -->", re.DOTALL)
"""Written from docstrings, whose examples run where they stand."""
FENCE = re.compile(r"^(?P<indent>\s*)(?P<fence>`{3,}|~{3,}|:{3,})[ \t]*(?P<language>\S*).*$")


@dataclass(frozen=True)
class Block:
    """A fenced block: the line of its first fence, its language and what stands between."""

    line: int
    language: str
    text: str


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a page."""
    lines = enumerate(text.splitlines(), start=1)
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
        yield Block(number, language, textwrap.dedent("\n".join(inside)))


@cache
def subcommands() -> set[str]:
    listing = subprocess.run(
        [ROOT / "dev", "help"], capture_output=True, check=True, text=True
    ).stdout
    return set(re.findall(r"^\./dev (\w+)", listing, flags=re.MULTILINE))


@dataclass
class Shell:
    """A shell in a folder: what one line changes, such as the PATH, the next one finds."""

    folder: Path
    variables: dict[str, str]
    installs: bool = False
    """Whether it is let install from a network."""

    def type(self, line: str) -> int:
        """Run a line; its exit code."""
        keep = self.folder / ".variables"
        ended = subprocess.run(
            ["bash", "-c", f'eval "$1"; code=$?; env -0 >{keep.name}; exit $code', "bash", line],
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            check=False,
        )
        text = keep.read_text("utf-8")
        self.variables = dict(one.split("=", 1) for one in text.split("\0") if one)
        keep.unlink()
        return ended.returncode


def failing_commands(session: str, shell: Shell) -> list[str]:
    """The commands of a shell session that end with an error, or are not there."""
    failing = []
    for line in session.replace("\\\n", "").splitlines():
        typed = line.removeprefix("$ ")
        match shlex.split(typed, comments=True):
            case []:
                pass
            case ["./dev", name, *_] if name in subcommands() - {"demo"}:
                pass
            case ["bash", script] if (ROOT / script).is_file():
                pass
            case [program, "install", what] if program.endswith("/pip") and not shell.installs:
                if what not in installable():
                    failing.append(line)
            case _:
                status = shell.type(typed)
                if status != 0:
                    failing.append(f"{line}: exit {status}")
    return failing


def installable() -> set[str]:
    """What pip can install in a clone."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return {".", *(f".[{extra}]" for extra in extras["optional-dependencies"])}


def run(page: str, text: str, shell: Shell) -> None:
    """Execute or check every block of a page, in order and in one namespace."""
    namespace: dict[str, object] = {"__name__": page}
    for block in blocks(FROM_SOURCE.sub(lambda part: "\n" * part[0].count("\n"), text)):
        place = f"{page}, line {block.line}"
        if block.language == "python":
            code = compile("\n" * block.line + block.text, page, "exec")
            exec(code, namespace)
        elif block.language in SHELL:
            assert failing_commands(block.text, shell) == [], place
        else:
            assert block.language in PLAIN, f"{place}: {block.language!r} is not known"
            write_named(block, shell)


def write_named(block: Block, shell: Shell) -> None:
    """Write a block that says which file it is."""
    if block.language == "toml" and (file := NAMED_FILE.match(block.text)):
        (shell.folder / file["name"]).write_text(block.text, "utf-8")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("environment")
    write_environment(folder)
    return folder


@pytest.fixture
def shell(environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The shell of a reader in a clone whose environment is there."""
    write_clone(tmp_path, environment)
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, strangers_variables())


ACTIVATE = ". .venv/bin/activate"


def follow(path: Path, shell: Shell) -> None:
    """Read a page; the shell knows discreet, but for the README, which has to see to that."""
    if path != README:
        assert shell.type(ACTIVATE) == 0
    run(str(path.relative_to(ROOT)), path.read_text("utf-8"), shell)


@pytest.mark.parametrize(
    "path",
    all_but([page for page in PAGES if page not in LONG], PAGES, pytest.mark.slow),
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_every_block_of_a_page_runs(path: Path, shell: Shell) -> None:
    follow(path, shell)


@pytest.mark.slow
def test_tutorials_that_are_followed_in_one_folder_do_not_collide(shell: Shell) -> None:
    for path in READERS:
        if path.parent.name == "tutorials":
            follow(path, shell)


@pytest.mark.soak
def test_pages_that_are_followed_in_one_folder_do_not_collide(shell: Shell) -> None:
    for path in READERS:
        follow(path, shell)


@pytest.mark.soak
def test_the_readme_starts_from_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clone, a network, and what the page says; Python blocks are for another test."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    monkeypatch.chdir(clone)
    shell = Shell(clone, strangers_variables(), installs=True)
    for block in blocks(README.read_text("utf-8")):
        write_named(block, shell)
        if block.language in SHELL:
            assert failing_commands(block.text, shell) == [], f"line {block.line}"
    assert shell.type("elsewhere/bin/discreet doctor") == 0


def test_discreet_is_not_there_before_it_is_made_so(shell: Shell) -> None:
    assert shell.type("discreet --version") == 127
    assert shell.type(ACTIVATE) == 0
    assert shell.type("discreet --version") == 0


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("```python\n1 / 0\n```", ZeroDivisionError),
        ("1. so\n\n   ```python\n   1 / 0\n   ```\n", ZeroDivisionError),
        ("~~~python\n1 / 0\n~~~", ZeroDivisionError),
        ("````{note}\n```python\n1\n```\n````", AssertionError),
        (":::{note}\n```python\n1\n```\n:::", AssertionError),
        ("```python\nx = 1\n```\n```python\nx / 0\n```", ZeroDivisionError),
        ("```python\n1", ValueError),
        ("```py\n1\n```", AssertionError),
        ("```\n1\n```", AssertionError),
        ("```{code-block} python\n1\n```", AssertionError),
        ("```{eval-rst}\n.. code-block:: python\n\n   1\n```", AssertionError),
        ("```sh\n./dev nonsense\n```", AssertionError),
        ("```console\n$ bash .ci/nonsense\n```", AssertionError),
        ("```console\n$ nonsense\n```", AssertionError),
        ("```sh\nelsewhere/bin/pip install discreet\n```", AssertionError),
        ("```sh\nelsewhere/bin/pip install '.[pictures]'\n```", AssertionError),
        ("```sh\ndiscreet nonsense\n```", AssertionError),
        ("```sh\ndiscreet budget nowhere.toml\n```", AssertionError),
        ("```sh\ndiscreet budget \\\n    nowhere.toml\n```", AssertionError),
    ],
)
def test_a_broken_or_unknown_block_fails(text: str, error: type[Exception], shell: Shell) -> None:
    assert shell.type(ACTIVATE) == 0
    with pytest.raises(error):
        run("made-up page", text, shell)


def test_toml_that_begins_with_the_name_of_a_file_is_that_file(shell: Shell) -> None:
    look = "```sh\ngrep -q unit here.toml\n```\n"
    with pytest.raises(AssertionError):
        run("made-up page", "```toml\nunit = 1 # here.toml\n```\n" + look, shell)
    run("made-up page", "```toml\n# here.toml\nunit = 1\n```\n" + look, shell)


def test_the_readme_is_short() -> None:
    assert len(README.read_text("utf-8").splitlines()) < 200


def test_an_error_names_the_line_of_the_page(shell: Shell) -> None:
    with pytest.raises(ZeroDivisionError) as failure:
        run("made-up page", "# Title\n\n```python\nx = 1\nx / 0\n```\n", shell)
    assert failure.traceback[-1].lineno + 1 == 5
