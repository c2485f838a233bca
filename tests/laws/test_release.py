"""Only release/ makes a Release."""

import ast

import pytest

from tests.support.package_source import SourceFile, imported_names, made_up, package_files

RELEASE = "discreet.release.release.Release"


def makings(file: SourceFile) -> list[str]:
    """The calls that make a Release outside of its room, by whatever name it was imported."""
    if file.room == "release":
        return []
    known = {
        alias.asname or alias.name
        for node in ast.walk(file.tree)
        if isinstance(node, ast.ImportFrom)
        for alias, name in zip(node.names, imported_names(node, file), strict=True)
        if name == RELEASE
    }
    return [
        f"{file.path}:{node.lineno}"
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Call)
        and (ast.unparse(node.func) in known or ast.unparse(node.func).endswith("answer.Release"))
    ]


def test_only_release_makes_a_release() -> None:
    files = package_files()
    assert files
    assert [making for file in files for making in makings(file)] == []


@pytest.mark.parametrize(
    "text",
    [
        "from discreet.release.release import Release\nRelease((), (), {}, None)",
        "from discreet.release.release import Release as Made\nMade((), (), {}, None)",
        "from discreet.release import answer\nanswer.Release((), (), {}, None)",
    ],
)
def test_a_release_made_elsewhere_is_seen(text: str) -> None:
    assert makings(made_up("cli/ask.py", text))


def test_a_release_that_is_only_shown_is_let_through() -> None:
    text = "from discreet.release.release import Release\ndef show(release: Release): ..."
    assert makings(made_up("cli/ask.py", text)) == []
    made = "from discreet.release.release import Release\nRelease((), (), {}, None)"
    assert makings(made_up("release/table.py", made)) == []
