"""The public names of a package, read from its stub, which lists each once for type checkers too.

A name is loaded when it is first used, so that importing the package costs next to nothing.
"""

import ast
from collections.abc import Callable
from importlib import import_module
from pkgutil import get_data


def listed(package: str) -> dict[str, str]:
    """The public names of a package, each with the module that defines it."""
    stub = ast.parse(get_data(package, "__init__.pyi") or b"")
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in imports for alias in node.names}


def loader(package: str, homes: dict[str, str]) -> Callable[[str], object]:
    """The ``__getattr__`` of a package: loads a name from its home, or the module of that name."""

    def load(name: str) -> object:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if home == package:
            return import_module(f"{package}.{name}")
        return getattr(import_module(home), name)

    return load
