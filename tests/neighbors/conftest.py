"""What the runs of the fuzzer share: queries that are written once, and a server."""

from collections.abc import Iterator

import pytest

from tests.neighbors.postgres import postgres_store
from tests.neighbors.store import Store
from tests.neighbors.written_once import written_once


@pytest.fixture(autouse=True, scope="module")  # and no longer: other tests change what is written
def _written_once() -> Iterator[None]:
    with written_once():
        yield


@pytest.fixture(scope="session")
def postgres(server: str) -> Iterator[Store]:
    """Tables in PostgreSQL."""
    with postgres_store(server) as store:
        yield store
