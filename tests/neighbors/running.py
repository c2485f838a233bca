"""Runs of the fuzzer: a short one with every change, and long ones with fresh seeds in the soak."""

from secrets import randbelow
from time import monotonic

from tests.neighbors.comparing import Counts, FoundError
from tests.neighbors.example import PAIRS, run
from tests.neighbors.questions import CLOCKED
from tests.neighbors.store import Store
from tests.neighbors.written_once import forget

FAMILIES = 2
CLOSELY = 3
"""So many pairs of each family are asked one question about every column."""
WIDELY = 1
"""And so many are asked others too."""
QUESTIONS = 7
_FRESH = 10**9
_MOST_FOUND = 5


def short_run(store: Store, counts: Counts) -> None:
    """Few pairs, by the same numbers every time and in all stores, so that they share work."""
    for number in closely():
        run(store, number, counts, 1)
    for family in range(FAMILIES):
        for pair in range(WIDELY):
            run(store, family * PAIRS + CLOSELY + pair, counts, QUESTIONS)
    for pair in range(CLOSELY):
        run(store, CLOCKED * PAIRS + pair, counts, 1 if pair else QUESTIONS)


def closely() -> list[int]:
    """The examples of a short run that are asked about every column."""
    return [family * PAIRS + pair for family in range(FAMILIES) for pair in range(CLOSELY)]


def long_run(
    store: Store,
    counts: Counts,
    questions: int,
    seconds: float | None = None,
    of_a_pair: int | None = None,
) -> None:
    """As many questions, or as many as there is time for; all that is found, up to a few.

    ``of_a_pair`` is how many a pair is asked, if not a whole family.
    """
    until = None if seconds is None else monotonic() + seconds
    number = randbelow(_FRESH) * PAIRS
    found: list[FoundError] = []
    while counts.questions < questions if until is None else monotonic() < until:
        try:
            run(store, number, counts, of_a_pair)
        except FoundError as error:
            found.append(error)
            if len(found) == _MOST_FOUND:
                break
        number += 1
        if number % PAIRS == 0:
            forget()
    if found:
        raise ExceptionGroup(f"{store.name}: neighbors can be told apart", found)
