"""A room imports only rooms above it, no file itself by way of others; lazy imports included."""

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.support.cases import each
from tests.support.package_source import (
    SourceFile,
    import_graph,
    imported_names,
    made_up,
    package_files,
)

ROOMS = (
    "errors",
    "dependencies",
    "public_names",
    "text_table",
    "templates",
    "strict_json",
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
    "learn",
    "audit",
    "dbapi",
    "server",
    "cli",
    "__main__",
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
    if file.room in ("__init__", "public_names"):  # which load what the stubs list
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


def cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """Files that import each other in a ring, if any; the first is named again at the end."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def test_no_file_imports_itself_by_way_of_others() -> None:
    graph = import_graph(package_files())
    assert sum(map(len, graph.values())) > len(graph)
    assert cycle(graph) == []


@pytest.mark.parametrize(
    "back",
    [
        "from discreet.noise.laplace import draw",
        "from discreet.noise import laplace",
        "from .laplace import draw",
        "import discreet.noise.laplace",
        "def sample():\n    from discreet.noise.laplace import draw",
        "if TYPE_CHECKING:\n    from discreet.noise.laplace import Laplace",
    ],
)
def test_a_ring_of_imports_is_seen(back: str) -> None:
    ring = [
        made_up("noise/__init__.py", ""),
        made_up("noise/laplace.py", "from discreet.noise.strip_tables import Table"),
        made_up("noise/strip_tables.py", "from discreet.noise.entropy import bits"),
        made_up("noise/entropy.py", back),
    ]
    found = cycle(import_graph(ring))
    assert set(found) == {"noise/laplace.py", "noise/strip_tables.py", "noise/entropy.py"}
    assert found[0] == found[-1]
    assert cycle(import_graph(ring[:3])) == []
