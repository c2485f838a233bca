"""Changing what a table is declared to be is an entry of its ledger."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from discreet.cli.hospital import write_hospital
from discreet.cli.main import discreet
from discreet.ledger import Ledger

SQL = "SELECT COUNT(*) AS n FROM visits"


def typed(*words: str) -> Result:
    return CliRunner().invoke(discreet, [str(word) for word in words])


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    found = write_hospital(tmp_path)
    assert typed("ask", found, SQL, "--epsilon", "0.1").exit_code == 0
    return found


def rewritten(policy: Path, old: str, new: str) -> None:
    text = policy.read_text("utf-8")
    assert old in text
    policy.write_text(text.replace(old, new), "utf-8")


def test_changed_bounds_are_refused_until_they_are_declared(policy: Path) -> None:
    rewritten(policy, "high = 30", "high = 40")
    refused = typed("ask", policy, SQL, "--epsilon", "0.1")
    assert refused.exit_code != 0
    changed = typed("table", "update", policy, "--why", "longer stays are known")
    assert changed.exit_code == 0
    assert "columns" in changed.output
    assert typed("ask", policy, SQL, "--epsilon", "0.1").exit_code == 0
    with Ledger(policy.parent / "visits.ledger") as ledger:
        assert ledger.balance("visits").spent.epsilon is not None
        assert [entry.kind for entry in ledger.history()].count("details") == 1
        assert ledger.verify().sound


def test_an_unchanged_table_makes_no_entry(policy: Path) -> None:
    result = typed("table", "update", policy, "--why", "nothing")
    assert result.exit_code == 0
    assert "Nothing was changed" in result.output


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('unit       = "patient_id"', 'unit       = "smoker"', "unit"),
        ('neighbors  = "add-remove"', 'neighbors  = "replace"', "neighbors"),
    ],
)
def test_what_was_spent_is_in_terms_of_the_unit_and_the_neighbors(
    policy: Path, old: str, new: str, says: str
) -> None:
    rewritten(policy, old, new)
    if says == "unit":
        rewritten(policy, 'smoker   = { type = "boolean" }\n', "")
    result = typed("table", "update", policy, "--why", "a try")
    assert result.exit_code != 0
    assert says in str(result.exception)
