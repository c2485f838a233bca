"""The pages say which errors there are, with which code a command ends, and what doctor finds."""

import ast
import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest

import discreet as dp
from discreet.cli import exit_codes
from discreet.cli.doctor import State
from discreet.cli.exit_codes import code_of

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
ERRORS = (REFERENCE / "errors.md").read_text("utf-8")
CODES = {
    int(code): set(re.findall(r"`(\w+)`", names))
    for code, names in re.findall(r"^\| (\d) \|[^|]*\|([^|]*)\|$", ERRORS, re.MULTILINE)
}


def descendants(source: str, roots: set[str]) -> set[str]:
    """The classes in a source that are made from these, or from such as are."""
    bases = {
        node.name: {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef)
    }
    found = set(roots)
    while more := {name for name, own in bases.items() if own & found} - found:
        found |= more
    return found


def test_every_error_that_is_raised_on_purpose_stands_on_the_page() -> None:
    source = "\n".join(
        path.read_text("utf-8")
        for path in sorted((ROOT / "src" / "discreet").rglob("*.py"))
        if path.parent.name != "dbapi"
    )
    raised = descendants(source, {"DiscreetError", "PrivacyWarning"})
    assert len(raised) > 15
    described = set(re.findall(r"^### dp\.(\w+)$", ERRORS, re.MULTILINE))
    assert described <= raised
    assert {name for name in raised - described if f"raises `{name}`" not in ERRORS} == set()


def test_every_error_of_a_connection_stands_on_its_page() -> None:
    source = (ROOT / "src" / "discreet" / "dbapi" / "errors.py").read_text("utf-8")
    page = (REFERENCE / "dbapi.md").read_text("utf-8")
    raised = descendants(source, {"Error"})
    assert len(raised) > 5
    assert {name for name in raised if f"dp.dbapi.{name}\n" not in page} == set()


def test_a_new_error_is_seen() -> None:
    text = "class A(DiscreetError): ...\nclass B(errors.A): ...\nclass C(Exception): ..."
    assert descendants(text, {"DiscreetError"}) == {"DiscreetError", "A", "B"}


def test_every_exit_code_stands_on_the_page() -> None:
    known = {value for name, value in vars(exit_codes).items() if name.isupper() and name[0] != "_"}
    assert set(CODES) == {0, *known}


@pytest.mark.parametrize("name", re.findall(r"^### dp\.(\w+Error)$", ERRORS, re.MULTILINE))
def test_a_command_ends_with_the_code_on_the_page(name: str) -> None:
    stated = [code for code, names in CODES.items() if name in names] or [exit_codes.WRONG]
    assert stated == [code_of(getattr(dp, name)("it is so."))]


def test_every_state_that_doctor_tells_stands_on_its_page() -> None:
    page = (REFERENCE / "doctor.md").read_text("utf-8")
    assert set(re.findall(r"^\| `([\w ]+)` \|", page, re.MULTILINE)) == set(get_args(State))


def test_every_extra_stands_on_the_page_of_doctor() -> None:
    page = (REFERENCE / "doctor.md").read_text("utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert {one for one in project["optional-dependencies"] if f"`{one}`" not in page} == set()
