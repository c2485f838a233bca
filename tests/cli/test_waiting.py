"""A command that takes long says so on a terminal, and how far it is; nowhere else."""

import io
import re
import sys
from collections.abc import Callable
from pathlib import Path
from threading import enumerate as threads

import pytest

from discreet.cli import terminal as shown
from discreet.cli.terminal import spinner
from tests.cli.conftest import Command
from tests.support.visits_policy import COUNT, write_visits
from tests.support.waits import until


class Screen(io.StringIO):
    """What a terminal was told."""

    def isatty(self) -> bool:
        return True


Opened = Callable[[], Screen]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Makes a terminal of the standard error, before which nobody is patient."""

    def opened() -> Screen:  # not sooner: pytest replaces the standard error before each test
        found = Screen()
        monkeypatch.setattr(sys, "stderr", found)
        return found

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(shown, "_PATIENCE", 0.05)
    monkeypatch.setattr(shown, "_PAUSE", 0.01)
    return opened


def shows(screen: Screen, text: str) -> None:
    """Wait until a terminal was told so."""
    until(lambda: text in screen.getvalue(), f"{text} is shown")


def test_what_takes_long_shows_how_far_it_is(terminal: Opened) -> None:
    screen = terminal()
    with spinner("asking") as tell:
        tell(lambda: 0.25)
        shows(screen, "asking, 25%")
        tell(lambda: 0.875)
        shows(screen, "asking, 88%")
    assert re.search(r"asking, 25%(?s:.*)asking, 88%", screen.getvalue())


@pytest.mark.parametrize("part", [0.0, 1.0])
def test_where_nothing_is_known_no_percentage_is_shown(terminal: Opened, part: float) -> None:
    screen = terminal()
    with spinner("asking") as tell:
        tell(lambda: part)
        shows(screen, "asking")
    assert "%" not in screen.getvalue()


def test_progress_that_cannot_be_told_does_no_harm(terminal: Opened) -> None:
    def fail() -> float:
        raise RuntimeError("closed")

    screen = terminal()
    with spinner("asking") as tell:
        tell(fail)
        shows(screen, "asking")
    assert "closed" not in screen.getvalue()


def test_what_is_quick_shows_nothing(terminal: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal()
    monkeypatch.setattr(shown, "_PATIENCE", 60.0)
    with spinner("asking") as tell:
        tell(lambda: 0.5)
    assert screen.getvalue() == ""


def test_a_pipe_gets_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shown, "_PATIENCE", 0.0)
    before = threads()
    with spinner("asking") as tell:
        tell(lambda: 0.5)
        assert threads() == before  # nobody who would tell anything, sooner or later
    assert capsys.readouterr().err == ""


def test_a_question_shows_how_much_of_the_table_is_read(
    command: Command, tmp_path: Path, terminal: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    from discreet.release import table
    from discreet.release.run import run_and_noise

    def slowly(*arguments: object) -> object:
        shows(screen, "asking, 50%")
        return run_and_noise(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("discreet.engines.duckdb.engine.DuckDB.progress", lambda _: 0.5)
    monkeypatch.setattr(table, "run_and_noise", slowly)
    screen = terminal()
    ended = command("ask", write_visits(tmp_path), COUNT, "--epsilon", "1")
    assert ended.code == 0
    assert "50%" not in ended.out.partition("cost")[0]
