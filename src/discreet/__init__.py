"""Differential privacy: answer statistical questions about people without giving anyone away.

>>> import discreet as dp
>>> answer = dp.mean([30, 40, 50] * 1000, bounds=(0, 120), epsilon=1)
>>> 39 < answer.value < 41
True

The public names and nothing else.  The stub ``__init__.pyi`` lists each once, with its home, for
type checkers and for this file.  Each is loaded when it is first used, so that importing the
package costs next to nothing.
"""

from discreet.public_names import listed, loader

__version__ = "0.2.0"

_HOMES = listed(__name__)
_load = loader(__name__, _HOMES)
__all__ = sorted(_HOMES)  # noqa: PLE0605


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    value = globals()[name] = _load(name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
