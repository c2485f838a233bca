"""With each hole opened again, the short run finds it.

Of the pairs that it draws, so many show a hole that all of them miss it with the probability that
stands beside the hole.
"""

from collections.abc import Sequence

import pytest

from tests.neighbors.comparing import Counts, FoundError
from tests.neighbors.example import run
from tests.neighbors.holes import HOLES, reopened
from tests.neighbors.running import closely
from tests.neighbors.stores import STORES


@pytest.mark.parametrize("hole", HOLES)
def test_the_short_run_finds_a_hole_that_is_open(hole: str) -> None:
    with reopened(hole), pytest.raises(FoundError):
        _run_short(HOLES[hole])


def _run_short(stores: Sequence[str]) -> None:
    for number in closely():
        for store in stores:
            run(STORES[store], number, Counts(), 1)
