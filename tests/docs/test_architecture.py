"""The page "How the source is laid out" is true of the source: its way, rooms, laws and places."""

import ast
import re
import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from tests.support.package_source import PACKAGE, ROOT, package_files
from tests.support.recipes import PAGE, section

NAMED = re.compile(r"`([\w/]+\.py)`: `([\w.]+)`")
FILE = re.compile(r"`([\w/]+/[\w-]+\.\w+)`")
CELL = re.compile(r"^\| `([\w.]+)` \|", re.MULTILINE)


@cache
def defined(path: str) -> set[str]:
    """The functions, classes, methods and constants of a file of the package."""
    tree = ast.parse((PACKAGE / path).read_text("utf-8"))
    names = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            methods = [inner for inner in node.body if isinstance(inner, ast.FunctionDef)]
            names |= {f"{node.name}.{method.name}" for method in methods}
    return names


def undefined(text: str) -> list[str]:
    """The names that a text places in a file that does not have them."""
    return [f"{path}: {name}" for path, name in NAMED.findall(text) if name not in defined(path)]


def test_every_name_is_defined_where_the_page_says() -> None:
    page = PAGE.read_text("utf-8")
    assert len(NAMED.findall(page)) > 30
    assert undefined(page) == []


def test_a_name_that_has_moved_is_seen() -> None:
    moved = "`plan/types.py`: `unknown_column` and `plan/schema.py`: `unknown_column`"
    assert undefined(moved) == ["plan/schema.py: unknown_column"]


def test_every_file_on_the_page_exists() -> None:
    new = {"measures/geometric_mean.py"}  # a recipe makes it
    found = set(FILE.findall(PAGE.read_text("utf-8"))) - new
    assert [
        name for name in sorted(found) if not (PACKAGE / name).exists() | (ROOT / name).exists()
    ] == []


def test_the_way_of_a_question_is_the_one_it_takes(tmp_path: Path) -> None:
    spec = spec_from_file_location("walk", ROOT / "benchmarks" / "walk.py")
    assert spec is not None
    assert spec.loader is not None
    walk = module_from_spec(spec)
    sys.modules["walk"] = walk  # where a data class looks its module up
    spec.loader.exec_module(walk)
    entered = list(walk.ask(tmp_path).functions)
    shown = NAMED.findall(section("The way of one question"))
    assert [step for step in shown if step not in entered] == []
    assert shown == sorted(shown, key=entered.index)


def test_every_room_is_on_the_page_with_what_it_is_for() -> None:
    text = section("The rooms")
    rooms = {file.path.parts[0] for file in package_files() if len(file.path.parts) > 1}
    files = {file.path.name for file in package_files() if len(file.path.parts) == 1}
    assert set(CELL.findall(text)) == rooms
    picture = re.search(r"!\[(.*)\]\(figures/rooms.svg\)", PAGE.read_text("utf-8"))
    assert picture is not None
    assert {room for room in rooms if not re.search(rf"\b{room}\b", picture[1])} == set()
    assert set(re.findall(r"`(\w+\.py)`", text)) == files - {"__init__.py"}


def test_every_law_is_on_the_page() -> None:
    held = re.findall(r"\| `(test_\w+\.py)` \|$", section("The laws"), re.MULTILINE)
    assert sorted(held) == sorted(path.name for path in (ROOT / "tests" / "laws").glob("test_*.py"))
