"""Noise answers for itself: nobody asks it of which kind it is."""

import ast

import pytest

from tests.support.package_source import SourceFile, made_up, package_files

NOISE = {"Laplace", "Gaussian"}
WAITING = {"release/accuracy.py", "release/price.py", "release/run.py"}
"""Files that still ask: each leaves this list for good."""


def asks_for_the_kind(file: SourceFile) -> list[int]:
    """The lines that test whether something is Laplace or Gaussian noise."""
    asked: list[tuple[int, ast.AST]] = []
    for node in ast.walk(file.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("isinstance", "issubclass"):
                asked += [(node.lineno, kind) for kind in node.args[1:]]
        elif isinstance(node, ast.MatchClass):
            asked.append((node.cls.lineno, node.cls))
        elif isinstance(node, ast.Compare):
            called = [part for part in (node.left, *node.comparators) if isinstance(part, ast.Call)]
            if any(isinstance(c.func, ast.Name) and c.func.id == "type" for c in called):
                asked += [(node.lineno, part) for part in (node.left, *node.comparators)]
    return [
        line
        for line, kind in asked
        if any(
            (isinstance(name, ast.Name) and name.id in NOISE)
            or (isinstance(name, ast.Attribute) and name.attr in NOISE)
            for name in ast.walk(kind)
        )
    ]


def test_nobody_asks_noise_of_which_kind_it_is() -> None:
    found = {str(file.path) for file in package_files() if asks_for_the_kind(file)}
    assert found == WAITING


@pytest.mark.parametrize(
    "text",
    [
        "isinstance(noise, Laplace)",
        "isinstance(noise, Laplace | Gaussian)",
        "isinstance(noise, (int, mechanisms.Gaussian))",
        "issubclass(kind, Laplace)",
        "type(noise) is Gaussian",
        "match noise:\n    case Laplace(scale=scale):\n        pass",
    ],
)
def test_a_question_of_the_kind_is_seen(text: str) -> None:
    assert asks_for_the_kind(made_up("mechanisms/made_up.py", text))


def test_other_questions_are_not() -> None:
    assert not asks_for_the_kind(made_up("mechanisms/made_up.py", "isinstance(law, LaplaceLaw)"))
