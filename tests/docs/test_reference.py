"""The reference holds the public names, all of them and no others; each named proof exists."""

import ast
import inspect
import re
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import pytest

import discreet

ROOT = Path(__file__).parents[2]
PAGES = {
    page.name: page.read_text("utf-8") for page in sorted((ROOT / "docs/reference").glob("*.md"))
}

sys.path.insert(0, str(ROOT / "docs" / "_extensions"))
try:
    import python_pages  # type: ignore[import-not-found]
finally:
    sys.path.pop(0)


def public_names(module: ModuleType, prefix: str = "") -> set[str]:
    """The names that a module offers; those of a module inside it with their path."""
    names = set()
    for name in module.__all__:
        thing = getattr(module, name)
        if isinstance(thing, ModuleType):
            names |= public_names(thing, f"{prefix}{name}.")
        else:
            names.add(prefix + name)
    return names


def test_every_public_name_stands_in_the_reference() -> None:
    documented = [name for text in PAGES.values() for name in python_pages.names_of(text)]
    assert len(documented) == len(set(documented))
    elsewhere = {"RandomizedResponse", "__version__"}  # the first is local.RandomizedResponse
    expected = {f"discreet.{name}" for name in public_names(discreet) - elsewhere}
    assert set(documented) == expected


@pytest.mark.parametrize("page", PAGES)
def test_what_the_reference_says_is_what_the_source_says(page: str) -> None:
    text = PAGES[page]
    assert python_pages.page(text) == text, "run python docs/_extensions/python_pages.py"


def undescribed(kind: type) -> list[str]:
    """The public methods and properties of a class that its documentation leaves out."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(body, ast.ClassDef)
    methods = [node.name for node in body.body if isinstance(node, ast.FunctionDef)]
    described = python_pages._members(kind)
    return [name for name in methods if not name.startswith("_") and name not in described]


def test_every_public_method_stands_in_the_reference() -> None:
    names = [name for text in PAGES.values() for name in python_pages.names_of(text)]
    things = {name: python_pages._thing(name) for name in names}
    kinds = {
        name: thing
        for name, thing in things.items()
        if inspect.isclass(thing) and thing.__module__.startswith("discreet")
    }
    assert len(kinds) > 80
    assert {name: found for name, kind in kinds.items() if (found := undescribed(kind))} == {}


class Half:
    def described(self) -> None:
        """This one is."""

    def bare(self) -> None: ...

    def _own(self) -> None: ...


def test_a_method_that_nobody_described_is_seen() -> None:
    assert undescribed(Half) == ["bare"]


def test_a_docstring_reads_well_as_markdown() -> None:
    written = python_pages.markdown("|``x``| * 2 of a_b.  So:\n>>> 1\n1\n\n>>> 2\n2")
    assert written == "|`x`| \\* 2 of a\\_b. So:\n\n```pycon\n>>> 1\n1\n\n>>> 2\n2\n```"


def test_every_proof_that_the_source_names_exists() -> None:
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    named = set(re.findall(r"docs/proofs/[\w-]+\.md", source))
    assert named
    assert {name for name in named if not (ROOT / name).is_file()} == set()
