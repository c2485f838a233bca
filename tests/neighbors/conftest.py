"""What the runs of the fuzzer share: queries that are written once, and counts."""

from collections.abc import Iterator

import pytest

from tests.neighbors.comparing import Counts
from tests.neighbors.postgres import postgres_store
from tests.neighbors.stores import Store
from tests.neighbors.written_once import written_once


@pytest.fixture(autouse=True, scope="session")
def _written_once() -> Iterator[None]:
    with written_once():
        yield


@pytest.fixture
def counts(request: pytest.FixtureRequest) -> Iterator[Counts]:
    """What a test asks, which is shown when all of them have ended."""
    found = Counts()
    yield found
    request.node.user_properties.append(("neighbors", found.to_data()))


@pytest.fixture(scope="session")
def postgres(server: str) -> Iterator[Store]:
    """Tables in PostgreSQL."""
    with postgres_store(server) as store:
        yield store
