"""What type checkers are told of a constructor has the parameters that it has."""

import ast
import inspect
from importlib import import_module

import pytest

from tests.support.package_source import package_files


def told() -> dict[tuple[str, str], ast.FunctionDef]:
    """The ``__init__`` that stands under TYPE_CHECKING, by the module and the name of its class."""
    return {
        (".".join(("discreet", *file.path.with_suffix("").parts)), node.name): inner
        for file in package_files()
        for node in file.tree.body
        if isinstance(node, ast.ClassDef)
        for part in node.body
        if isinstance(part, ast.If) and ast.unparse(part.test) == "TYPE_CHECKING"
        for inner in part.body
        if isinstance(inner, ast.FunctionDef) and inner.name == "__init__"
    }


def test_there_are_some() -> None:
    assert ("discreet.privacy.losses", "Budget") in told()


@pytest.mark.parametrize("place", sorted(told()), ids=lambda place: place[1])
def test_a_constructor_is_told_as_it_is(place: tuple[str, str]) -> None:
    module, name = place
    arguments = told()[place].args
    assert [one.arg for one in arguments.args] == ["self"]
    typed = {
        one.arg: default is not None
        for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    }
    parameters = inspect.signature(getattr(import_module(module), name)).parameters.values()
    assert all(one.kind is one.KEYWORD_ONLY for one in parameters)
    assert typed == {one.name: one.default is not one.empty for one in parameters}
