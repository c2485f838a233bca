"""A way to keep rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.neighbors.kinds import Kind
from tests.neighbors.people import Held

Written = tuple[Any, str | None]
"""A source, and the name of a table in it."""
Write = Callable[[Held, Path, str, Random], Written]


@dataclass(frozen=True)
class Store:
    """A way to keep rows, and what can stand in it.

    ``write`` keeps a table in a folder by a name; its ``Random`` draws a layout, and is in the
    same state for both neighbors.
    """

    name: str
    write: Write = field(repr=False)
    kinds: Mapping[str, Kind] = field(repr=False)
    mixes: bool = False
    """Whether a column may hold cells of several types."""
    merges: bool = False
    """Whether it makes floats of integers, as pandas does."""
    fits: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)
    """By what is declared, the types that its engine does not refuse, where it does refuse some."""
    replayed: str = "tests/neighbors/test_replay.py"
    """The test that asks an example of it again."""
