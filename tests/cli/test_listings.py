"""SHOW and DESCRIBE on the command line: free, and without a ledger."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.support.visits_policy import write_visits


@pytest.mark.parametrize("verb", ["ask", "plan"])
def test_the_command_lists(command: Command, tmp_path: Path, verb: str) -> None:
    policy = write_visits(tmp_path)
    done = command(verb, str(policy), "SHOW COLUMNS FROM visits")
    assert done.code == 0
    assert "one of 3 values: A, B, C" in done.out
    data = command(verb, str(policy), "SHOW TABLES", "--json")
    assert json.loads(data.out) == {"table": ["visits"], "kind": ["private"]}
    assert command(verb, str(policy), "DESCRIBE other").code == 2
    assert not (tmp_path / "visits.ledger").exists()
