"""Waiting for a condition, however long a busy machine takes."""

from collections.abc import Callable
from time import monotonic, sleep
from typing import TypeVar

Found = TypeVar("Found")

PATIENCE = 300.0
"""Seconds after which something is broken: no test waits so long for what works."""


def until(condition: Callable[[], Found], what: str, patience: float = PATIENCE) -> Found:
    """What the condition gives, once that is true; it is asked again and again."""
    last = monotonic() + patience
    while not (found := condition()):
        if monotonic() > last:
            raise TimeoutError(f"{what}: not within {patience:g} s")
        sleep(0.01)
    return found
