"""What tests of every room share."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.servers import NoServerError, running

settings.register_profile("default", deadline=None)
settings.register_profile("soak", deadline=None, max_examples=4_000)
settings.load_profile("default")


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a PostgreSQL server."""
    pytest.importorskip("psycopg", reason="NO POSTGRESQL TESTS: psycopg is not installed")
    try:
        with running() as address:
            yield address
    except NoServerError as error:
        pytest.skip(f"NO POSTGRESQL TESTS: {error}")
