"""Neighboring tables in every store are told apart by no more than is priced.

A short run by the same numbers every time; the soak draws fresh ones.  What is found is printed
with how to have it again.
"""

import pytest

from tests.neighbors.comparing import Counts
from tests.neighbors.running import long_run, short_run
from tests.neighbors.store import Store
from tests.neighbors.stores import STORES
from tests.support.trials import all_but

IN_THE_SOAK = 100_000
IN_THE_SOAK_ON_POSTGRES = 10_000
BLOCKS = {
    "Rows",
    "People",
    "Present",
    "Partition",
    "Total",
    "Distinct",
    "Ranks",
    "Extreme",
    "Moments",
    "Keys",
    "Keys by weight",
}


@pytest.mark.parametrize("store", all_but(["CSV"], STORES, pytest.mark.slow))
def test_neighbors_are_told_apart_by_no_more_than_is_priced(store: str, counts: Counts) -> None:
    short_run(STORES[store], counts)
    assert counts.pairs > counts.refused, "too many tables are refused by their writer"


@pytest.mark.slow
def test_neighbors_in_postgres(postgres: Store, counts: Counts) -> None:
    short_run(postgres, counts)
    assert counts.pairs > counts.refused


@pytest.mark.soak
@pytest.mark.parametrize("store", STORES)
def test_many_neighbors(store: str, counts: Counts, request: pytest.FixtureRequest) -> None:
    seconds = _seconds(request, len(STORES) + 1)
    # To decode JSON takes three times as long as anything else.
    questions = 3_000 if store == "JSON lines" else (IN_THE_SOAK - 3_000) // (len(STORES) - 1) + 1
    long_run(STORES[store], counts, questions, seconds)
    assert seconds is not None or counts.blocks.keys() >= BLOCKS


@pytest.mark.soak
def test_many_neighbors_in_postgres(
    postgres: Store, counts: Counts, request: pytest.FixtureRequest
) -> None:
    long_run(postgres, counts, IN_THE_SOAK_ON_POSTGRES, _seconds(request, len(STORES) + 1))


def _seconds(request: pytest.FixtureRequest, parts: int) -> float | None:
    """The part of ``--minutes`` that one store gets, where two processes share them."""
    minutes = request.config.getoption("minutes")
    workers = int(getattr(request.config, "workerinput", {}).get("workercount", 1))
    return None if minutes is None else 60 * float(minutes) * workers / parts
