"""Polls and collectors inside the test's own process."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from discreet.survey.collector import Collector
from discreet.survey.poll import read_poll
from discreet.survey.serving import open_poll_store
from discreet.web.one_time_link import OneTimeLink
from tests.survey.hosts import write_poll

NOON = datetime(2030, 1, 2, 12, 0, tzinfo=UTC)


class Site:
    """A poll's application, called without a network."""

    def __init__(self, poll: Path, clock: Callable[[], datetime], link: OneTimeLink | None) -> None:
        httpx = pytest.importorskip("httpx", reason="NO TESTS OF THE SURVEY'S SITE: no httpx")
        pytest.importorskip("fastapi", reason="NO TESTS OF THE SURVEY'S SITE: no fastapi")
        from discreet.survey.app import application

        self.poll = read_poll(poll)
        self.store = open_poll_store(self.poll)
        self.collector = Collector(self.poll, self.store, clock, pause=0.02)
        self.application = application(self.collector, fresh=True, link=link)
        self._transport = httpx.ASGITransport(self.application, client=("192.0.2.7", 1))
        self._client = httpx.AsyncClient

    def ask(self, method: str, path: str, **options: Any) -> Any:
        """One request, and its response."""
        import asyncio

        async def asked() -> Any:
            async with self._client(
                transport=self._transport, base_url="http://survey.test"
            ) as client:
                return await client.request(method, path, **options)

        return asyncio.run(asked())

    def send(self, **fields: Any) -> Any:
        """A report with these fields; the scheme or the survey is stated if nothing else is."""
        name = "scheme" if self.poll.ballot.plain else "survey"
        return self.ask("POST", "/reports", json={name: self.poll.ballot.identity} | fields)

    def counted(self) -> int:
        """How many reports are in the tally."""
        return self.poll.ballot.number(self.store.tally()[0])

    def close(self) -> None:
        self.collector.stop()


Sites = Callable[..., Site]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Sites]:
    """Makes sites of polls with some fields of their own."""
    made: list[Site] = []

    def make(
        questions: Sequence[Mapping[str, object]] = (),
        clock: Callable[[], datetime] = lambda: NOON,
        link: OneTimeLink | None = None,
        **fields: object,
    ) -> Site:
        made.append(Site(write_poll(tmp_path, questions, **fields), clock, link))
        return made[-1]

    yield make
    for one in made:
        one.close()
