"""Runs of the truth fuzzer: a short one with every change, and long ones with fresh seeds."""

from secrets import randbelow

from tests.truth.comparing import Tally, UntrueError, check
from tests.truth.world import KINDS, Store, in_memory, world

IN_A_WORLD = 500
"""Questions after which the rows are others."""
_MOST_FOUND = 5


def short_run(questions: int, store: Store = in_memory, first: int = 0) -> Tally:
    """The same questions every time, as many of each kind of world."""
    tally = Tally()
    each = -(-questions // len(KINDS))
    for kind in KINDS:
        with world(kind, 1, store) as one:
            for number in range(first, first + each):
                check(one, f"{kind} {number}", tally)
    return tally


def long_run(questions: int, store: Store = in_memory) -> Tally:
    """Fresh ones; all that is found, up to a few."""
    tally, found = Tally(), []
    while tally.questions < questions and len(found) < _MOST_FOUND:
        seed = randbelow(10**9)
        many = min(IN_A_WORLD, questions - tally.questions)
        with world(KINDS[seed % len(KINDS)], seed, store) as one:
            for number in range(many):
                try:
                    check(one, f"{KINDS[seed % len(KINDS)]} {seed}/{number}", tally)
                except UntrueError as error:
                    found.append(error)
    if found:
        raise ExceptionGroup("answers differ from the truth", found)
    return tally
