"""The server as it is started: what it believes, what it writes, and how it ends."""

import signal
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from discreet.survey.poll import read_poll
from discreet.web.headers import HEADERS
from tests.survey.hosts import hosting, write_poll

pytest.importorskip("fastapi", reason="NO TESTS OF THE SURVEY'S SERVER: no fastapi")
pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), [201, 429, 429, 429, 429]),
        (("--proxy", "127.0.0.1"), [201, 201, 201, 201, 201]),
        (("--proxy", "192.0.2.200"), [201, 429, 429, 429, 429]),
    ],
    ids=["none", "this", "another"],
)
def test_only_the_proxy_that_is_named_is_believed_about_an_address(
    tmp_path: Path, options: tuple[str, ...], expected: list[int]
) -> None:
    """One report a minute: a second one would be taken only if all of this took a minute."""
    path = write_poll(tmp_path, rate_limit=1)
    report = f'{{"scheme": "{read_poll(path).questions[0].scheme.identity}", "report": 0}}'.encode()
    found = []
    with hosting(path, *options) as host:
        for number in range(5):
            headers = {
                "Content-Type": "application/json",
                "X-Forwarded-For": f"192.0.2.{number}",
                "Forwarded": f"for=192.0.2.{number}",
            }
            try:
                with urlopen(Request(f"{host.address}/reports", report, headers)) as response:
                    found.append(response.status)
            except HTTPError as error:
                with error:
                    found.append(error.code)
    assert found == expected


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM], ids=lambda by: by.name)
def test_the_server_ends_quietly_and_keeps_what_it_took(tmp_path: Path, by: signal.Signals) -> None:
    path = write_poll(tmp_path)
    identity = read_poll(path).questions[0].scheme.identity
    with hosting(path) as host:
        assert host.post({"scheme": identity, "report": 0}) == 201
        assert host.post({"scheme": identity, "report": 77}) == 400
        with urlopen(f"{host.address}/") as response:
            assert {name: response.headers[name] for name in HEADERS} == HEADERS
            assert response.headers["Server"] is None
        assert host.stop(by) == ""  # no address, no report, no trace
    with hosting(path) as host:
        found = host.get("/api/results")
    assert found["reports"] == 1
    assert found["refused"] == {"malformed": 1}
