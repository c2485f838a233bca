"""Differential privacy: answer statistical questions about people without giving anyone away.

>>> import discreet as dp
>>> answer = dp.mean([30, 40, 50] * 1000, bounds=(0, 120), epsilon=1)
>>> 39 < answer.value < 41
True

The public names and nothing else.  The stub ``__init__.pyi`` lists each once, with its home, for
type checkers and for this file.  Each is loaded when it is first used, so that importing the
package costs next to nothing.
"""

import ast
from importlib import import_module
from pkgutil import get_data

__version__ = "0.1.0"


def _listed() -> dict[str, str]:
    """The public names, each with the module that defines it."""
    stub = ast.parse(get_data(__name__, "__init__.pyi") or b"")
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in imports for alias in node.names}


_HOMES = _listed()
__all__ = [*sorted(_HOMES)]


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    module = import_module(f"discreet.{name}" if home == "discreet" else home)
    value = module if home == "discreet" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
