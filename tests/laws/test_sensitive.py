"""Only a mechanism opens a Sensitive value.

Whatever is called `open` counts, unless it is the builtin: a value's type cannot be read from
the source, and a file is opened as well by `open(path)`.
"""

import ast

import pytest

from tests.support.package_source import SourceFile, made_up, package_files


def openings(file: SourceFile) -> list[str]:
    if file.room == "mechanisms":
        return []
    return [f"{file.path}:{node.lineno}" for node in ast.walk(file.tree) if opens(node)]


def opens(node: ast.AST) -> bool:
    """Whether the node reads an attribute `open`, or its name as text, as getattr takes it."""
    match node:
        case ast.Attribute(attr="open") | ast.Constant(value="open"):
            return True
        case _:
            return False


def test_only_mechanisms_open_a_sensitive_value() -> None:
    files = package_files()
    assert files
    assert [opening for file in files for opening in openings(file)] == []


@pytest.mark.parametrize(
    "text",
    [
        "total.open()",
        "def answer(total):\n    return (lambda: total.open())()",
        "show = total.open",
        "list(map(Sensitive.open, totals))",
        "getattr(total, 'open')()",
        "operator.methodcaller('open')(total)",
    ],
)
def test_an_opening_outside_mechanisms_is_seen(text: str) -> None:
    assert openings(made_up("release/release.py", text))


def test_mechanisms_and_the_builtin_are_let_through() -> None:
    assert openings(made_up("mechanisms/laplace.py", "total.open()")) == []
    assert openings(made_up("policy.py", "with open(path) as file:\n    file.read()")) == []
    assert openings(made_up("privacy/sensitivity.py", "def open(self): ...")) == []
