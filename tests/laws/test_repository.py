"""What every file that is kept must be free of, and what a lock must hold."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.package_source import ROOT, SourceFile, made_up, package_files

LOCKS = sorted((ROOT / "requirements").glob("*.txt"))

# One letter in brackets keeps a pattern from finding itself.
UNWANTED = {
    "a path of one machine": r"(?<![\w.*/])/(hom[e]|op[t]|roo[t]|tm[p]|User[s]|wor[k])/",
    "the address of a package registry": r"pyp[i]\.|pythonhoste[d]|fil[e]://",
    "an option that names a registry": r"(?<!emit-)(index-ur[l]|find-link[s])",
    "how the work is organised": r"(?i)\b(?<!user-)agen[t]s?\b|\bissu[e] #?\d|\bCE[O]\b",
}


def kept_texts() -> dict[str, str]:
    """The text files that are tracked, or would be by `git add --all`."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    contents = {
        name: (ROOT / name).read_bytes()
        for name in listing.stdout.split("\0")
        if (ROOT / name).is_file()
    }
    return {name: data.decode() for name, data in contents.items() if b"\0" not in data}


def unwanted(text: str) -> list[str]:
    return [
        f"line {number} has {what}: {line.strip()}"
        for number, line in enumerate(text.splitlines(), start=1)
        for what, pattern in UNWANTED.items()
        if re.search(pattern, line)
    ]


def unlocked(lock: str) -> list[str]:
    """The requirements of a lock that lack an exact version or a hash."""
    requirements = re.sub(r"(?m)^\s*#.*\n?", "", lock).replace("\\\n", "").splitlines()
    pinned = re.compile(r"[\w.-]+==[^\s;]+( ;[^#]*?)?(\s+--hash=sha256:[0-9a-f]{64})+\s*")
    return [line for line in requirements if not pinned.fullmatch(line)]


def bare_asserts(file: SourceFile) -> list[str]:
    return [
        f"{file.path}:{node.lineno}" for node in ast.walk(file.tree) if isinstance(node, ast.Assert)
    ]


def test_kept_files_hold_nothing_unwanted() -> None:
    texts = kept_texts()
    assert "pyproject.toml" in texts
    assert {name: found for name, text in texts.items() if (found := unwanted(text))} == {}


@pytest.mark.parametrize(
    "pieces",
    [
        ("see /", "work/main"),
        ("/", "root/.cache"),
        ("open('/", "home/ann/ages.csv')"),
        ("/", "Users/ann"),
        ("/", "tmp/ages"),
        ("https://pyp", "i.org/simple"),
        ("https://files.pythonhoste", "d.org/x.whl"),
        ("--extra-index-ur", "l address"),
        ("fil", "e://wheels"),
        ("written by an Agen", "t"),
        ("as issu", "e 2 asks"),
        ("issu", "e #17"),
        ("the CE", "O said"),
    ],
)
def test_unwanted_text_is_seen(pieces: tuple[str, str]) -> None:
    assert unwanted("".join(pieces))


@pytest.mark.parametrize(
    "text",
    [
        "#!/usr/bin/env bash",
        "docs/home/index.md and ./work/out and */tmp/x",
        "the User-Agent header",
        "the reagent, and an issue of OpenDP (#414)",
    ],
)
def test_ordinary_text_is_let_through(text: str) -> None:
    assert unwanted(text) == []


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_a_lock_pins_every_requirement_by_hash(path: Path) -> None:
    assert unlocked(path.read_text("utf-8")) == []


def test_a_loose_requirement_is_seen() -> None:
    hashed = "numpy==2.1.0 \\\n    --hash=sha256:" + "0" * 64 + "\n    # via discreet\n"
    assert unlocked(hashed) == []
    assert unlocked(hashed + "scipy==1.17.0\n")
    assert unlocked(hashed.replace("==", ">="))
    assert unlocked(hashed + "--extra-option\n")
    assert unlocked("numpy @ somewhere/numpy.whl --hash=sha256:" + "0" * 64)


def test_no_guarantee_stands_under_an_assert() -> None:
    assert [line for file in package_files() for line in bare_asserts(file)] == []
    assert bare_asserts(made_up("exact.py", "def f(x):\n    assert x > 0"))
