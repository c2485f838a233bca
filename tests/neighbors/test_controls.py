"""With each hole opened again, the short run finds it."""

from collections.abc import Sequence

import pytest

from tests.neighbors.comparing import Counts, FoundError
from tests.neighbors.example import run
from tests.neighbors.holes import HOLES, PLANNING, reopened
from tests.neighbors.planning import plan_many
from tests.neighbors.running import closely
from tests.neighbors.stores import STORES
from tests.neighbors.test_planning import IN_THE_SHORT_RUN


@pytest.mark.parametrize("hole", HOLES)
def test_the_short_run_finds_a_hole_that_is_open(hole: str) -> None:
    with reopened(hole), pytest.raises(FoundError):
        _run_short(HOLES[hole])


def test_the_short_run_finds_a_planner_that_is_kept_busy() -> None:
    with pytest.raises(FoundError):
        plan_many(1, IN_THE_SHORT_RUN, PLANNING)


def _run_short(stores: Sequence[str]) -> None:
    for number in closely():
        for store in stores:
            run(STORES[store], number, Counts(), 1)
