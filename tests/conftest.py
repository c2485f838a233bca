"""What tests of every room share."""

import gc
from collections.abc import Generator, Iterator
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.support.postgres_server import NoServerError, running

if TYPE_CHECKING:
    from tests.neighbors.comparing import Counts

settings.register_profile("default", deadline=None)
settings.register_profile("soak", deadline=None, max_examples=1_000)
settings.register_profile("hours", deadline=None, max_examples=5_000)
settings.load_profile("default")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", metavar="SEED", help="run the tests in another order")
    parser.addoption("--replay", metavar="EXAMPLE", help="an example of tests/neighbors, again")
    parser.addoption("--minutes", metavar="N", help="how long the soak of tests/neighbors takes")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the collector of garbage from what stays: it took about a tenth of the tests' time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_unconfigure() -> None:
    gc.unfreeze()  # for libraries that look at what is left when a process ends


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle the tests by a seed: in every process alike, and a file's stay together."""
    seed = config.getoption("shuffle")
    if seed is None:
        return

    def drawn(*names: object) -> float:
        return Random(f"{seed} {names}").random()

    items.sort(key=lambda item: (drawn(item.path), drawn(item.path, item.nodeid)))


@pytest.fixture
def counts(request: pytest.FixtureRequest) -> "Iterator[Counts]":
    """What the fuzzer of tests/neighbors asks in a test."""
    from tests.neighbors.comparing import Counts

    found = Counts()
    yield found
    request.node.user_properties.append(("neighbors", found.to_data()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What the fuzzer of tests/neighbors asked in the soak, store by store."""
    reports = [report for listed in terminalreporter.stats.values() for report in listed]
    found = {
        report.nodeid.partition("::")[2]: counted
        for report in reports
        if getattr(report, "when", None) == "teardown" and "soak" in report.keywords
        for name, counted in report.user_properties
        if name == "neighbors"
    }
    for test, counted in sorted(found.items()):
        blocks = ", ".join(f"{name} {many:,}" for name, many in sorted(counted["blocks"].items()))
        terminalreporter.write_line(
            f"{test}: {counted['questions']:,} questions of {counted['pairs']:,} pairs "
            f"({counted['refused']:,} refused by writers or when opened); {blocks}"
        )
    if found:
        asked = sum(counted["questions"] for counted in found.values())
        terminalreporter.write_line(f"{asked:,} questions were asked of neighbors")


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a PostgreSQL server."""
    yield from _address(full=False)


@pytest.fixture(scope="session")
def full_server() -> Iterator[str]:
    """The address of a PostgreSQL server with extensions and collations of other languages."""
    yield from _address(full=True)


def _address(*, full: bool) -> Iterator[str]:
    pytest.importorskip("psycopg", reason="NO POSTGRESQL TESTS: psycopg is not installed")
    try:
        with running(full=full) as address:
            yield address
    except NoServerError as error:
        pytest.skip(f"NO POSTGRESQL TESTS: {error}")
