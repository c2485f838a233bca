"""Runs of the fuzzer: short ones with every change, long ones in the soak."""

from collections.abc import Iterable
from secrets import randbelow
from time import monotonic

from tests.neighbors.comparing import Counts
from tests.neighbors.example import PAIRS, run
from tests.neighbors.stores import Store
from tests.neighbors.written_once import forget

FAMILIES = 5
"""How many a short run draws; each is asked of two pairs of tables in every store."""
_LARGEST = 10**9
_FIRST = randbelow(_LARGEST) * PAIRS


def short_numbers(families: int = FAMILIES) -> Iterable[int]:
    """The examples of a short run: fresh ones, the same in all stores, so that they share work."""
    return [_FIRST + family * PAIRS + pair for family in range(families) for pair in range(2)]


def short_run(store: Store, counts: Counts, families: int = FAMILIES) -> None:
    """Few pairs, and of each family the question about every column and two others."""
    for number in short_numbers(families):
        run(store, number, counts, 3)


def long_run(store: Store, counts: Counts, questions: int, seconds: float | None) -> None:
    """As many questions, or as many as there is time for."""
    until = None if seconds is None else monotonic() + seconds
    number = randbelow(_LARGEST) * PAIRS
    while counts.questions < questions if until is None else monotonic() < until:
        run(store, number, counts)
        number += 1
        if number % PAIRS == 0:
            forget()
