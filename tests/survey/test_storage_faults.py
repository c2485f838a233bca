"""Where reports cannot be kept, nobody is told that they are, and whoever serves is told why.

The faults are real ones: a lock that another connection holds, a file that is moved, a database
that may not grow, a limit of the system on the size of files, a disk that is full.
"""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from discreet.survey.poll import read_poll
from discreet.survey.report_store import SqliteFile
from tests.survey.conftest import Sites
from tests.survey.hosts import Host, hosting, write_poll


def refused(response: Any) -> None:
    assert (response.status_code, response.json()["error"]) == (503, "unavailable")


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "discreet.web"]


def test_a_locked_database_is_told(
    site: Sites, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("discreet.survey.report_store._PATIENCE", 0.1)
    made = site()
    assert made.send(report=1).status_code == 201
    with closing(sqlite3.connect(made.poll.database, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        for _ in range(3):
            refused(made.send(report=1))
        other.execute("ROLLBACK")
    assert made.send(report=2).status_code == 201
    assert made.counted() == 2
    (line,) = [line for line in told(caplog) if "not taken" in line]
    assert line.startswith("discreet survey: 1 report not taken: ")
    assert "another program keeps it locked" in line
    assert "End the program" in line


def test_a_database_that_was_moved_is_told(site: Sites, caplog: pytest.LogCaptureFixture) -> None:
    made = site()
    assert made.send(report=1).status_code == 201
    place = Path(made.poll.database)
    for end in ("", "-wal", "-shm"):
        if Path(f"{place}{end}").exists():
            Path(f"{place}{end}").rename(f"{place}.away{end}")
    for _ in range(2):
        refused(made.send(report=1))
    for end in ("", "-wal", "-shm"):
        if Path(f"{place}.away{end}").exists():
            Path(f"{place}.away{end}").rename(f"{place}{end}")
    assert made.send(report=2).status_code == 201
    assert made.counted() == 2
    lines = [line for line in told(caplog) if "not taken" in line]
    assert lines  # whoever looks first finds it replaced, whoever looks again cannot open it
    for line in lines:
        assert "removed or replaced" in line or "cannot be opened" in line
        assert "Put it back" in line


def test_a_database_that_may_not_grow_is_told(
    site: Sites, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    connect = SqliteFile.connect

    def small(self: SqliteFile, *, write: bool) -> Any:
        connection = connect(self, write=write)
        connection.execute("PRAGMA max_page_count = 12")
        return connection

    monkeypatch.setattr(SqliteFile, "connect", small)
    made = site(scheme="unary", answers=[f"answer {number}" for number in range(1000)])
    report = "00" * 125
    sent = 0
    while made.send(report=report).status_code == 201:
        sent += 1
        assert sent < 1000
    refused(made.send(report=report))
    assert made.counted() == sent
    (line,) = [line for line in told(caplog) if "not taken" in line]
    assert "the disk is full. " in line
    assert "Make room" in line


def test_a_fault_that_nobody_foresaw_is_told_by_its_kind_only(
    site: Sites, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = site()

    def fails(*_: object) -> None:
        raise OSError("canary-north")

    monkeypatch.setattr("discreet.survey.report_store.ReportStore.add", fails)
    refused(made.send(report=1))
    (line,) = told(caplog)
    assert "OSError" in line
    assert "canary" not in line


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
from discreet.cli.main import main
sys.argv = ["discreet", "survey", "serve", sys.argv[1], "--port", "0"]
main()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_a_limit_of_the_system_is_told_and_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    pytest.importorskip("fastapi", reason="NO TESTS OF STORAGE FAULTS: no fastapi")
    path = write_poll(tmp_path, scheme="unary", answers=[f"answer {n}" for n in range(1000)])
    host = Host.started([sys.executable, "-c", LIMITED, str(path)])
    try:
        taken = fill(host, path)
    finally:
        said = host.stop()
    assert taken <= kept(path)
    assert "not taken: the poll's database cannot be used: the disk fails" in said
    assert "a limit is set on the size of files" in said


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a megabyte, which only an administrator may make."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("A DISK THAT IS FULL IS NOT TRIED: this user may not make one")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.mark.soak
def test_a_full_disk_is_told_and_nothing_acknowledged_is_lost(small_disk: Path) -> None:
    path = write_poll(small_disk, scheme="unary", answers=[f"answer {n}" for n in range(1000)])
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 300_000)
    with hosting(path) as host:
        taken = fill(host, path)
        ballast.unlink()
        assert host.post(body(path, 10**6)) == 201  # as soon as there is room
        said = host.stop()
    assert taken <= kept(path)
    assert "the disk is full. " in said


def body(path: Path, number: int) -> dict[str, Any]:
    scheme = read_poll(path).questions[0].scheme
    return {"scheme": scheme.identity, "report": "0" * 250, "id": f"{number:032x}"}


def fill(host: Host, path: Path) -> set[str]:
    """Send reports until they are refused; the ids of those that were acknowledged."""
    sent = body(path, 0)
    taken: set[str] = set()
    for number in range(20_000):
        identity = f"{number:032x}"
        if host.post({**sent, "id": identity}) != 201:
            break
        taken.add(identity)
    else:
        raise AssertionError("the disk never was full")
    assert taken
    return taken


def kept(path: Path) -> set[str]:
    with closing(sqlite3.connect(read_poll(path).database)) as connection:
        rows = connection.execute("SELECT id, report FROM survey_reports").fetchall()
    assert all(json.loads(report) for _, report in rows)
    return {identity for identity, _ in rows}
