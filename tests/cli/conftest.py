"""Running the command, and a ledger to run it on."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from discreet.cli.exit_codes import run_command
from discreet.cli.main import discreet
from discreet.ledger import Ledger
from discreet.privacy.events import PureEvent
from discreet.privacy.losses import Budget


@dataclass(frozen=True)
class Ended:
    """How a command ended and what it wrote."""

    code: int
    out: str
    error: str


Command = Callable[..., Ended]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs ``discreet`` with some words."""

    def call(*words: object) -> Ended:
        with pytest.raises(SystemExit) as ending:
            run_command(lambda: discreet(list(map(str, words)), prog_name="discreet"))
        captured = capsys.readouterr()
        code = ending.value.code
        assert isinstance(code, int)
        return Ended(code, captured.out, captured.err)

    return call


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger with two data sets and five questions."""
    path = tmp_path / "visits.ledger"
    with Ledger(path) as ledger:
        ledger.declare(
            "visits",
            neighbors="add-remove",
            budget=Budget(epsilon=3),
            analyst_budget=Budget(epsilon=2),
            who="cleo",
        )
        ledger.declare(
            "meters", neighbors="replace", budget=Budget(epsilon=1), period="month", who="cleo"
        )
        for number, analyst in enumerate(["ann", "ann", "bob", "eve"]):
            charge = ledger.charge(
                "visits",
                event=PureEvent(epsilon="0.25"),
                question=f"question {number}",
                analyst=analyst,
                summary=f"count [bold]{number}[/bold]",
            )
            if number == 1:
                ledger.lose(charge, "cancelled")
            elif number != 2:
                ledger.release(charge, b"42", safe=True)
    return path
