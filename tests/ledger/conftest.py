"""Ledgers in every kind of store."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from discreet.ledger import Ledger

_numbers = itertools.count()


def new_database(server: str) -> str:
    """The address of an empty place for tables on the server."""
    import psycopg

    name = f"ledger{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{server}&options=-csearch_path%3D{name}"


@pytest.fixture
def new_postgres(server: str) -> Callable[[], str]:
    """Makes empty places for tables on the server."""
    return lambda: new_database(server)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def durable_place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a ledger can be kept that outlives its process."""
    if request.param == "postgres":
        return new_database(request.getfixturevalue("server"))
    return str(tmp_path / "visits.ledger")


@pytest.fixture(params=["sqlite", "postgres", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a ledger can be kept."""
    if request.param == "postgres":
        return new_database(request.getfixturevalue("server"))
    return ":memory:" if request.param == "memory" else str(tmp_path / "visits.ledger")


@pytest.fixture
def ledger(place: str) -> Iterator[Ledger]:
    """An empty ledger."""
    with Ledger(place) as ledger:
        yield ledger
