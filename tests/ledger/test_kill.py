"""A process that is killed loses no charge, whenever it happens."""

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.ledger import workers

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def elsewhere(call: Callable[..., list[str]], *arguments: object) -> list[str]:
    """Run in a process of its own, which has no threads and may fork."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(call, *arguments).result()


def test_a_kill_at_every_statement_loses_nothing(durable_place: str) -> None:
    assert elsewhere(workers.killed_at_every_statement, durable_place) == []


@pytest.mark.slow
def test_forty_kills_at_random_lose_nothing(tmp_path: Path) -> None:
    assert elsewhere(workers.rounds_in_files, str(tmp_path), 40, 1) == []


@pytest.mark.slow
def test_a_process_that_hands_out_before_it_records_is_found_out(tmp_path: Path) -> None:
    wrong = elsewhere(workers.rounds_in_files, str(tmp_path), 40, 1, True)
    assert any("was handed out and is not released" in problem for problem in wrong)


@pytest.mark.slow
def test_kills_of_a_client_of_postgresql_lose_nothing(new_postgres: Callable[[], str]) -> None:
    assert elsewhere(workers.rounds_in_one_place, [new_postgres()], 20, 2) == []


@pytest.mark.soak
def test_2000_kills_at_random_lose_nothing(tmp_path: Path, new_postgres: Callable[[], str]) -> None:
    assert elsewhere(workers.rounds_in_files, str(tmp_path), 1_600, 3) == []
    places = [new_postgres() for _ in range(20)]
    assert elsewhere(workers.rounds_in_one_place, places, 400, 4) == []
