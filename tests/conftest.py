"""What tests of every room share."""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import settings

from tests.support.postgres_server import NoServerError, running

settings.register_profile("default", deadline=None)
settings.register_profile("soak", deadline=None, max_examples=1_000)
settings.register_profile("hours", deadline=None, max_examples=5_000)
settings.load_profile("default")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", metavar="SEED", help="run the tests in another order")
    parser.addoption("--replay", metavar="EXAMPLE", help="an example of tests/neighbors, again")
    parser.addoption("--minutes", metavar="N", help="how long the soak of tests/neighbors takes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle the tests by a seed: in every process alike, and a file's stay together."""
    seed = config.getoption("shuffle")
    if seed is None:
        return

    def drawn(*names: object) -> float:
        return Random(f"{seed} {names}").random()

    items.sort(key=lambda item: (drawn(item.path), drawn(item.path, item.nodeid)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What the fuzzer of tests/neighbors asked, store by store."""
    found = [
        (report, counted)
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, counted in getattr(report, "user_properties", ())
        if name == "neighbors" and report.when == "teardown"
    ]
    for report, counted in sorted(found, key=lambda one: one[0].nodeid):
        blocks = ", ".join(f"{name} {many:,}" for name, many in sorted(counted["blocks"].items()))
        terminalreporter.write_line(
            f"{report.nodeid.partition('::')[2]}: {counted['questions']:,} questions of "
            f"{counted['pairs']:,} pairs ({counted['refused']:,} not storable); {blocks}"
        )


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
