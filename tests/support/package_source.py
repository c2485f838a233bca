"""The source that the laws are read from."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "discreet"


@dataclass(frozen=True)
class SourceFile:
    """A file of the package: its path inside the package and its text."""

    path: PurePosixPath
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, filename=str(self.path))

    @property
    def room(self) -> str:
        """The first component of the path: `noise` for noise/entropy.py and for noise.py."""
        return PurePosixPath(self.path.parts[0]).stem


def made_up(path: str, text: str) -> SourceFile:
    """A file for a negative control."""
    return SourceFile(PurePosixPath(path), text)


@cache
def package_files() -> tuple[SourceFile, ...]:
    """The files of the package, each read and parsed once for all laws."""
    return tuple(
        SourceFile(PurePosixPath(path.relative_to(PACKAGE).as_posix()), path.read_text("utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    )


def imported_names(node: ast.AST, file: SourceFile) -> Iterator[str]:
    """The absolute names that an import statement brings in: `from a import b` brings in a.b."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        package = ("discreet", *file.path.parent.parts)
        ancestors = package[: len(package) + 1 - node.level] if node.level else ()
        module = (*ancestors, node.module) if node.module else ancestors
        yield from (".".join((*module, alias.name)) for alias in node.names)


def import_graph(files: Iterable[SourceFile]) -> dict[str, set[str]]:
    """The files that each file imports, by path; lazily or for types only as well.

    The package's own ``__init__.py`` has the public names, and stands outside of all rooms.
    """
    homes = {_module(file): str(file.path) for file in files if str(file.path) != "__init__.py"}
    graph: dict[str, set[str]] = {}
    for file in files:
        if str(file.path) == "__init__.py":
            continue
        names = [name for node in ast.walk(file.tree) for name in imported_names(node, file)]
        # `from a.b import c` imports the file a/b/c.py where there is one, else a/b.py.
        found = {homes.get(name) or homes.get(name.rpartition(".")[0]) for name in names}
        graph[str(file.path)] = {path for path in found if path not in (None, str(file.path))}
    return graph


def _module(file: SourceFile) -> str:
    parts = file.path.with_suffix("").parts
    return ".".join(("discreet", *(parts[:-1] if parts[-1] == "__init__" else parts)))
