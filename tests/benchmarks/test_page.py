"""A benchmark's record on the page is what a run of it printed, and a run replaces only its own."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import copytree

import pytest

from tests.support.clone import ROOT

MARKED = re.compile(
    r"^<!-- bench (?P<name>\w+) -->\n(?P<record>.*?)^<!-- end of bench -->$", re.M | re.S
)
MARKS = re.compile(r"<!-- (?:bench|end of)")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with the benchmarks and their page, which a run may write to."""
    copytree(ROOT / "benchmarks", tmp_path / "benchmarks")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "benchmarks.md").write_text(page(ROOT), "utf-8")
    return tmp_path


def page(root: Path) -> str:
    return (root / "docs" / "benchmarks.md").read_text("utf-8")


def records(text: str) -> dict[str, str]:
    return {found["name"]: found["record"] for found in MARKED.finditer(text)}


def write(clone: Path, name: str, command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """Run a command as ./dev bench --write does."""
    return subprocess.run(
        [sys.executable, clone / "benchmarks" / "page.py", name, sys.executable, *command],
        cwd=clone,
        check=False,
        capture_output=True,
        text=True,
    )


def test_the_page_has_a_record_of_every_benchmark() -> None:
    told = subprocess.run([ROOT / "dev", "help"], capture_output=True, check=True, text=True).stdout
    names = re.search(r"NumPy and peers: (.*) \(default", told)
    assert names is not None
    assert sorted(records(page(ROOT))) == sorted(names[1].split())
    assert len(MARKS.findall(page(ROOT))) == 2 * len(records(page(ROOT)))
    for name in names[1].split():
        assert (ROOT / "benchmarks" / f"{name}.py").is_file(), name


@pytest.mark.slow
def test_a_run_replaces_its_own_record_and_nothing_else(clone: Path) -> None:
    ended = write(clone, "walk", ["benchmarks/walk.py"])
    assert ended.returncode == 0, ended.stderr
    before, after = records(page(ROOT)), records(page(clone))
    assert before | {"walk": after["walk"]} == after
    assert MARKED.sub("", page(clone)) == MARKED.sub("", page(ROOT))
    facts, printed = re.fullmatch(r"(.*)\n\n```text\n(.*)\n```\n", after["walk"], re.S).groups()
    assert ended.stdout == f"{printed}\n\nwritten to docs/benchmarks.md\n"
    assert "SELECT ward, COUNT(*)" in printed
    for fact in (r"^`\./dev bench walk`, \d{4}-\d\d-\d\d \d\d:\d\d UTC", "discreet ", "Python 3"):
        assert re.search(fact, facts), fact


def test_a_run_that_fails_leaves_the_page_as_it_is(clone: Path) -> None:
    ended = write(clone, "walk", ["-c", "print('half of it'); raise SystemExit(3)"])
    assert ended.returncode != 0
    assert "half of it" in ended.stdout
    assert "ended with 3" in ended.stderr
    assert page(clone) == page(ROOT)


def test_a_name_without_a_place_is_refused_before_it_runs(clone: Path) -> None:
    ended = write(clone, "nonsense", ["-c", "print('it ran')"])
    assert ended.returncode != 0
    assert "0 places for 'nonsense'" in ended.stderr
    assert "it ran" not in ended.stdout


@pytest.mark.parametrize(
    ("name", "modules"),
    [("noise", {"discreet", "numpy", "opendp"}), ("errors", {"discreet", "diffprivlib", "polars"})],
)
def test_a_record_states_the_versions_of_what_the_benchmark_imports(
    monkeypatch: pytest.MonkeyPatch, name: str, modules: set[str]
) -> None:
    """Also of what a file beside it imports, such as Polars."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import page as writer  # type: ignore[import-not-found]

    assert modules <= writer._imported(name)
    assert "walk" not in writer._imported(name)
