"""A room imports only rooms above it, lazy imports included."""

import ast
from collections.abc import Iterator

import pytest

from tests.support.cases import each
from tests.support.package_source import SourceFile, imported_names, made_up, package_files

ROOMS = (
    "errors",
    "packages",
    "text_table",
    "decoding",
    "exact",
    "privacy",
    "noise",
    "mechanisms",
    "accounting",
    "ledger",
    "plan",
    "measures",
    "question",
    "sql",
    "engines",
    "policy",
    "web",
    "plots",
    "statistics",
    "release",
    "local",
    "survey",
    "audit",
    "dbapi",
    "server",
    "cli",
)
UNREADABLE = "discreet by a name that is not written out"


def loaded_names(node: ast.AST, file: SourceFile) -> Iterator[str]:
    """The names that a statement imports, or that a call of import_module loads."""
    yield from imported_names(node, file)
    if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in (
        "import_module",
        "__import__",
    ):
        match node.args:
            case [ast.Constant(value=str(name)), *_] if not name.startswith("."):
                yield name
            case _:
                yield UNREADABLE


def lazy_nodes(tree: ast.Module) -> set[ast.AST]:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return {
        inner
        for outer in ast.walk(tree)
        if isinstance(outer, functions)
        for inner in ast.walk(outer)
    }


def allowed(name: str, room: str, lazy: bool) -> bool:
    package, _, rest = name.partition(".")
    target = rest.partition(".")[0]
    if package != "discreet":
        return name != UNREADABLE
    if target not in ROOMS:
        return False
    return ROOMS.index(target) <= ROOMS.index(room) or (target == "plots" and lazy)


def broken_arrows(file: SourceFile) -> list[str]:
    if file.room == "__init__":
        return []
    if file.room not in ROOMS:
        return [f"{file.path} stands in no room"]
    tree = file.tree
    lazy = lazy_nodes(tree)
    return [
        f"{file.path}:{node.lineno} imports {name}"
        for node in ast.walk(tree)
        for name in loaded_names(node, file)
        if not allowed(name, file.room, node in lazy)
    ]


def test_every_room_imports_only_rooms_above_it() -> None:
    files = package_files()
    assert files
    assert [arrow for file in files for arrow in broken_arrows(file)] == []


@each(
    ("path", "text"),
    [
        ("noise/laplace.py", "import discreet.mechanisms"),
        ("noise/laplace.py", "import numpy, discreet.mechanisms.laplace as m"),
        ("noise/laplace.py", "from discreet.mechanisms import Laplace"),
        ("noise/laplace.py", "from discreet import mechanisms"),
        ("noise/laplace.py", "def draw():\n    from discreet.mechanisms import Laplace"),
        ("noise/laplace.py", "def draw():\n    if True:\n        import discreet.release.table"),
        ("noise/laplace.py", "from ..mechanisms import Laplace"),
        ("noise/laplace.py", "from .. import mechanisms"),
        ("noise/__init__.py", "from ..mechanisms.laplace import Laplace"),
        ("noise/fast/laplace.py", "from ...mechanisms import Laplace"),
        ("exact.py", "from .privacy import Sensitivity"),
        ("exact.py", "if TYPE_CHECKING:\n    from .privacy import Sensitivity"),
        ("exact.py", "import discreet"),
        ("exact.py", "from discreet import count"),
        ("exact.py", "from . import count"),
        ("exact.py", "importlib.import_module('discreet.privacy')"),
        ("exact.py", "import_module('.privacy', __package__)"),
        ("exact.py", "__import__(name)"),
        ("privacy/verify.py", "from ..plots import draw"),
        ("plots/tradeoff.py", "def draw():\n    from ..statistics import count"),
        ("utilities.py", ""),
    ],
)
def test_a_back_arrow_is_seen(path: str, text: str) -> None:
    assert broken_arrows(made_up(path, text))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("noise/laplace.py", "from discreet.exact import Grid\nimport numpy as np"),
        ("noise/laplace.py", "from ..exact import Grid\nfrom .entropy import keystream"),
        ("noise/laplace.py", "from . import entropy\nfrom .. import errors"),
        ("privacy/verify.py", "def plot(self):\n    from ..plots import draw"),
        ("privacy/verify.py", "def plot(self):\n    return import_module('altair')"),
        ("cli/main.py", "def serve():\n    import discreet.server"),
        ("__init__.py", "from discreet.statistics import count"),
    ],
)
def test_a_forward_arrow_is_let_through(path: str, text: str) -> None:
    assert broken_arrows(made_up(path, text)) == []
