"""Noise and measures answer for themselves: nobody asks them of which kind they are."""

import ast

import pytest

from tests.support.package_source import SourceFile, made_up, package_files

NOISE = {
    "Laplace": "mechanisms/laplace.py",
    "Gaussian": "mechanisms/gaussian.py",
    "Quantiles": "mechanisms/quantiles.py",
    "NearMaximum": "mechanisms/extremes.py",
    "HighestCell": "mechanisms/extremes.py",
    "Exact": "mechanisms/additive_noise.py",
}


MADE_UP = {"Moments": "measures/moments.py"}


def measures(files: list[SourceFile]) -> dict[str, str]:
    """The classes that the measures' files define which say how far one unit moves them."""
    return {
        node.name: str(file.path)
        for file in files
        if file.room == "measures" and file.path.name != "measure.py"
        for node in file.tree.body
        if isinstance(node, ast.ClassDef)
        if any(
            isinstance(part, ast.FunctionDef) and part.name == "sensitivity" for part in node.body
        )
    }


def asks_for_the_kind(file: SourceFile, homes: dict[str, str]) -> list[int]:
    """The lines that test, outside of its home, of which kind noise or a measure is."""
    foreign = {name for name, home in homes.items() if home != str(file.path)}
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
            (isinstance(name, ast.Name) and name.id in foreign)
            or (isinstance(name, ast.Attribute) and name.attr in foreign and not _of_sql(name))
            for name in ast.walk(kind)
        )
    ]


def _of_sql(name: ast.Attribute) -> bool:
    """Whether it is a node of the parser of SQL, such as exp.Distinct."""
    return isinstance(name.value, ast.Name) and name.value.id == "exp"


def test_nobody_asks_noise_or_a_measure_of_which_kind_it_is() -> None:
    files = package_files()
    homes = NOISE | measures(files)
    assert homes.keys() >= {"People", "Rows", "Total", "Moments", "Ranks", "Extreme", "Distinct"}
    names = {str(file.path) for file in files}
    assert set(homes.values()) <= names
    assert [
        f"{file.path}:{line}"
        for file in files
        if file.path.name != "__init__.py" or file.room != "__init__"
        for line in asks_for_the_kind(file, homes)
        if not (file.room == "engines" and "frames" in str(file.path))  # other Moments: of time
    ] == []


@pytest.mark.parametrize(
    "text",
    [
        "isinstance(noise, Laplace)",
        "isinstance(noise, Laplace | Gaussian)",
        "isinstance(noise, (int, mechanisms.Gaussian))",
        "issubclass(kind, Laplace)",
        "type(noise) is Gaussian",
        "match noise:\n    case Laplace(scale=scale):\n        pass",
        "isinstance(measure, Moments)",
        "match measure:\n    case Rows() | Moments():\n        pass",
    ],
)
def test_a_question_of_the_kind_is_seen(text: str) -> None:
    assert asks_for_the_kind(made_up("mechanisms/made_up.py", text), NOISE | MADE_UP)


def test_other_questions_are_not() -> None:
    law = made_up("mechanisms/made_up.py", "isinstance(law, LaplaceLaw)")
    assert not asks_for_the_kind(law, NOISE)
    home = made_up("mechanisms/laplace.py", "isinstance(noise, Laplace)")
    assert not asks_for_the_kind(home, NOISE)
