"""The recipes of docs/architecture.md, followed on a copy of the source."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from filecmp import cmp
from pathlib import Path

from tests.support.package_source import PACKAGE, ROOT

PAGE = ROOT / "docs" / "architecture.md"
_BLOCK = re.compile(r"^```diff\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_PATH = re.compile(r"`([\w/]+\.py)`")


def section(title: str) -> str:
    """What the page says under a heading, up to the next one of its rank."""
    heading = re.search(rf"^(#+) {re.escape(title)}$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert heading is not None, f"the page has no heading {title!r}"
    after = heading.string[heading.end() :]
    return re.split(rf"^#{{1,{len(heading[1])}}} ", after, maxsplit=1, flags=re.MULTILINE)[0]


def listed_files(text: str) -> list[str]:
    """The files that a recipe says it touches, in the order of their names."""
    listed = [part for part in text.split("\n\n") if part.lstrip().startswith("Files:")]
    assert len(listed) == 1, "a recipe has one list of files"
    return sorted(_PATH.findall(listed[0]))


def edits(text: str) -> Iterator[tuple[str, str, str]]:
    """For each edit that a recipe shows: the file, what stands there and what takes its place."""
    for block in _BLOCK.findall(text):
        for part in re.split(r"^\+\+\+ ", block, flags=re.MULTILINE)[1:]:
            path, _, body = part.partition("\n")
            for hunk in re.split(r"^@@\n", body, flags=re.MULTILINE):
                lines = hunk.splitlines()
                assert all(line[:1] in {" ", "+", "-", ""} for line in lines), hunk
                old = [line[1:] for line in lines if line[:1] != "+"]
                new = [line[1:] for line in lines if line[:1] != "-"]
                yield path, "\n".join(old) + "\n", "\n".join(new) + "\n"


def source_copy(folder: Path) -> Path:
    """A copy of the package, in a folder to import it from."""
    copy = folder / "discreet"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def follow(text: str, copy: Path) -> None:
    """Make the edits of a recipe; what is replaced must stand in its file once."""
    for path, old, new in edits(text):
        source = (copy / path).read_text("utf-8")
        assert source.count(old) == 1, f"{path} has this {source.count(old)} times:\n{old}"
        (copy / path).write_text(source.replace(old, new), "utf-8")


def changed_files(copy: Path) -> list[str]:
    """The files in which a copy differs from the package."""
    names = {
        file.relative_to(root).as_posix()
        for root in (PACKAGE, copy)
        for file in root.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    return sorted(
        name
        for name in names
        if not (PACKAGE / name).exists()
        or not (copy / name).exists()
        or not cmp(PACKAGE / name, copy / name, shallow=False)
    )


def run_with(copy: Path, script: str) -> str:
    """What a script prints that imports the copy, and the tests' own modules."""
    found = f"import discreet\nassert discreet.__file__.startswith({str(copy)!r})\n"
    ran = subprocess.run(
        [sys.executable, "-c", found + script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(copy.parent), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
