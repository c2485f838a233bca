"""No acknowledged report is lost and none counts twice, under load and under kill -9."""

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from discreet.survey.poll import Poll, read_poll
from discreet.survey.serving import open_poll_store
from discreet.survey.tokens import new_id
from tests.support.waits import PATIENCE, until
from tests.survey.hosts import Host, hosting, write_poll

pytest.importorskip("fastapi", reason="NO TESTS OF THE SURVEY'S LOAD: no fastapi")
pytestmark = pytest.mark.slow

RATE = 500


def loading(host: Host, poll: Poll, ids: list[str]) -> "subprocess.Popen[str]":
    """A second process that sends a report for each id."""
    sender = subprocess.Popen(
        [sys.executable, Path(__file__).with_name("load.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    order = {
        "address": host.address,
        "scheme": poll.questions[0].scheme.identity,
        "rate": RATE,
        "ids": ids,
    }
    assert sender.stdin is not None
    sender.stdin.write(json.dumps(order))
    sender.stdin.close()
    return sender


def ended(sender: "subprocess.Popen[str]") -> dict[str, Any]:
    assert sender.stdout is not None
    with sender.stdout as stream:
        found: dict[str, Any] = json.load(stream)
    assert sender.wait(PATIENCE) == 0
    return found


def kept(poll: Poll) -> set[str]:
    """The ids in the database, whose tally must count each of them once."""
    with closing(sqlite3.connect(poll.database)) as connection:
        rows = connection.execute("SELECT id, report FROM survey_reports").fetchall()
    store = open_poll_store(poll)
    data, _ = store.tally()
    store.close()
    (tally,) = poll.ballot.tallies(data)
    counts = [sum(report == str(place) for _, report in rows) for place in range(3)]
    assert tally.counts.tolist() == counts
    return {identity for identity, _ in rows}


def steady(folder: Path, seconds: int) -> None:
    """Send for so long; every report must be acknowledged and kept."""
    path = write_poll(folder, scheme="randomized-response")
    poll = read_poll(path)
    ids = [new_id() for _ in range(RATE * seconds)]
    with hosting(path) as host:
        host.get("/api/poll")  # it is awake
        found = ended(loading(host, poll, ids))
        assert host.stop() == ""
    assert set(found["acknowledged"]) == set(ids)
    assert len(found["acknowledged"]) == len(ids)
    assert kept(poll) == set(ids)
    print(f"{len(ids) / found['seconds']:.0f} reports/s, the longest took {found['longest']:.3f} s")


def test_every_report_is_acknowledged_and_kept(tmp_path: Path) -> None:
    steady(tmp_path, 3)


@pytest.mark.soak
def test_a_minute_of_load_loses_nothing(tmp_path: Path) -> None:
    """The rate that was held is printed (``-rP``), not asserted: it is that of the machine."""
    steady(tmp_path, 60)


def killed(folder: Path, seconds: float, times: int) -> None:
    """Kill the collector in the midst of a load, again and again.

    The load lasts a minute longer than it takes until the kill, however slow the machine is; what
    was not sent by then is left.
    """
    path = write_poll(folder, scheme="randomized-response")
    poll = read_poll(path)
    everyone: set[str] = set()
    for _ in range(times):
        ids = [new_id() for _ in range(int(RATE * (seconds + 60)))]
        with hosting(path) as host:
            sender = loading(host, poll, ids)
            enough = len(everyone) + seconds * RATE / 2
            until(
                lambda host=host, enough=enough: host.get("/api/results")["reports"] >= enough,  # type: ignore[misc]
                "half of the load has come",
            )
            host.process.send_signal(signal.SIGKILL)
            host.process.wait()
            found = ended(sender)
        acknowledged, sent = set(found["acknowledged"]), set(found["sent"])
        assert acknowledged
        assert acknowledged <= sent < set(ids)  # it was killed in the midst of them
        stored = kept(poll)
        assert everyone | acknowledged <= stored
        assert stored <= everyone | sent
        # Whoever got no answer sends the same report again, and it counts once; others come.
        others = [one for one in ids if one not in sent][: int(RATE * seconds)]
        ids = [*(one for one in ids if one in sent - acknowledged), *others]
        with hosting(path) as host:
            again = ended(loading(host, poll, ids))
        assert set(again["acknowledged"]) == set(ids)
        everyone |= acknowledged | set(ids)
        assert kept(poll) == everyone


def test_a_kill_in_mid_load_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    killed(tmp_path, 1.5, 1)


@pytest.mark.soak
def test_many_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    killed(tmp_path, 1.0, 20)
