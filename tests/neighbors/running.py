"""Runs of the fuzzer: short ones with every change, long ones in the soak."""

from secrets import randbelow
from time import monotonic

from tests.neighbors.comparing import Counts
from tests.neighbors.example import PAIRS, run
from tests.neighbors.stores import Store
from tests.neighbors.written_once import forget

_LARGEST = 10**9
_FIRST = randbelow(_LARGEST) * PAIRS
FAMILIES = 2
CLOSELY = 8
"""So many pairs of each family are asked one question about every column."""
WIDELY = 1
"""And so many are asked others too."""


def short_run(store: Store, counts: Counts) -> None:
    """Few pairs: fresh ones, by the same numbers in all stores, so that they share work."""
    for number in closely():
        run(store, number, counts, 1)
    for family in range(FAMILIES):
        for pair in range(WIDELY):
            run(store, _FIRST + family * PAIRS + CLOSELY + pair, counts, 5)


def closely() -> list[int]:
    """The examples of a short run that are asked about every column."""
    return [_FIRST + family * PAIRS + pair for family in range(FAMILIES) for pair in range(CLOSELY)]


def long_run(store: Store, counts: Counts, questions: int, seconds: float | None) -> None:
    """As many questions, or as many as there is time for."""
    until = None if seconds is None else monotonic() + seconds
    number = randbelow(_LARGEST) * PAIRS
    while counts.questions < questions if until is None else monotonic() < until:
        run(store, number, counts)
        number += 1
        if number % PAIRS == 0:
            forget()
