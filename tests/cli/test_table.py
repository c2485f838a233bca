"""Changing what a table is declared to be is an entry of its ledger."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import discreet as dp
from discreet.cli.demo import write_hospital
from discreet.cli.main import discreet
from discreet.ledger import Ledger
from discreet.policy.policy_file import PolicyFile
from discreet.privacy.events import PureEvent
from tests.cli.conftest import Command

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


def test_new_data_get_another_name_and_a_profile_of_their_own(policy: Path) -> None:
    declared = "at_most_rows = 12"
    rewritten(policy, declared, 'version = "2026-11"\nat_most_rows = 11')
    assert typed("profile", policy).exit_code != 0
    changed = typed("table", "update", policy, "--why", "the data have a name")
    assert changed.output.startswith("Changed from now on: at_most_rows, version.")
    assert "paid now" in typed("profile", policy, "--spend", "5%").output
    assert "already paid" in typed("profile", policy).output
    rewritten(policy, "2026-11", "2026-12")
    changed = typed("table", "update", policy, "--why", "another month")
    assert changed.output.startswith("Changed from now on: version.")
    refused = typed("profile", policy)
    assert "a profile has one price" in str(refused.exception)
    assert "paid now" in typed("profile", policy, "--spend", "5%").output
    with Ledger(policy.parent / "visits.ledger") as ledger:
        assert ledger.balance("visits").charges == 3
        assert ledger.verify().sound


def test_a_cap_on_rows_in_a_group_is_declared_and_taken_back(policy: Path) -> None:
    declared, cap = "max_rows   = 5", "max_rows_per_group = 2"
    rewritten(policy, declared, f"{cap}\n{declared}")
    refused = typed("ask", policy, SQL, "--epsilon", "0.1")
    assert "max_rows_per_group" in str(refused.exception)
    changed = typed("table", "update", policy, "--why", "visits are spread")
    assert changed.output.startswith("Changed from now on: max_rows_per_group.")
    asked = typed("ask", policy, SQL, "--epsilon", "0.1")
    assert "5 rows in 2 groups, 2 rows in one group" in " ".join(asked.output.split())
    rewritten(policy, f"{cap}\n", "")
    assert typed("ask", policy, SQL, "--epsilon", "0.1").exit_code != 0
    changed = typed("table", "update", policy, "--why", "they are not")
    assert changed.output.startswith("Changed from now on: max_rows_per_group.")
    assert typed("ask", policy, SQL, "--epsilon", "0.1").exit_code == 0
    with Ledger(policy.parent / "visits.ledger") as ledger:
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


class TestSuspended:
    @pytest.fixture
    def suspended(self, policy: Path) -> Path:
        with Ledger(policy.parent / "visits.ledger") as ledger:
            event = PureEvent(epsilon="0.1")
            ledger.lose(ledger.charge("visits", event=event, question="?", analyst="ann"), "failed")
        return policy

    def test_it_is_refused_with_code_4_until_it_is_resumed(
        self, command: Command, suspended: Path
    ) -> None:
        ended = command("ask", suspended, SQL, "--epsilon", "0.1")
        assert (ended.code, ended.out) == (4, "")
        text = " ".join(ended.error.split())
        assert "The data set 'visits' is suspended since 20" in text
        assert "until whoever keeps the data has looked at them" in text
        assert 'discreet table resume POLICY --why "…". Nothing was read or spent.' in text
        assert "in Python" not in text
        assert command("plan", suspended, SQL, "--epsilon", "0.1").code == 0
        shown = command("budget", suspended).out
        assert "suspended since 20" in shown
        assert "the 1st time: see discreet table resume" in shown
        resumed = command("table", "resume", suspended, "--why", "a page was mended")
        assert (resumed.code, resumed.out) == (
            0,
            "visits can be asked again. It was suspended 1 time in all.\n",
        )
        assert command("ask", suspended, SQL, "--epsilon", "0.1").code == 0
        assert "was suspended 1 time" in command("budget", suspended).out
        history = command("ledger", "history", suspended).out
        assert "suspended  visits" in history
        assert "a page was mended" in history
        assert command("ledger", "verify", suspended).code == 0

    def test_resuming_needs_a_reason_and_a_suspension(
        self, command: Command, suspended: Path
    ) -> None:
        assert command("table", "resume", suspended).code == 2
        ended = command("table", "resume", suspended, "--why", " ")
        assert (ended.code, "has no reason" in ended.error) == (2, True)
        assert 'State it: --why "a corrupt page was restored".' in ended.error
        assert command("ask", suspended, SQL, "--epsilon", "0.1").code == 4
        words = ("table", "resume", suspended, "--why", "mended", "--who", "cleo", "--json")
        assert json.loads(command(*words).out)["suspensions"] == 1
        ended = command(*words)
        assert (ended.code, "is not suspended" in ended.error) == (2, True)

    def test_a_ledger_without_a_policy_is_resumed_by_name(
        self, command: Command, suspended: Path
    ) -> None:
        ledger = suspended.parent / "visits.ledger"
        ended = command("table", "resume", ledger, "--why", "mended")
        assert (ended.code, "Add --dataset" in ended.error) == (2, True)
        ended = command("table", "resume", ledger, "--why", "mended", "--dataset", "nope")
        known = "It knows: 'visits'. Use one of these names."
        assert (ended.code, ended.error.strip().endswith(known)) == (2, True)
        assert command("table", "resume", ledger, "--why", "x", "--dataset", "visits").code == 0


def test_suggested_caps_are_written_and_in_force(policy: Path) -> None:
    """The lines keep their places and remarks, and the next question is asked under them."""
    before = policy.read_text().splitlines()
    shown = typed("profile", policy, "--epsilon", "0.5", "--write", "--for-epsilon", "0.1")
    assert shown.exit_code == 0
    assert "written into the policy, and in force" in shown.output
    after = policy.read_text().splitlines()
    assert len(after) == len(before)
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert all(line.startswith(("max_groups = ", "max_rows   = ")) for line in changed)
    assert all("# " in line for line in changed)
    with Ledger(policy.parent / "visits.ledger") as ledger:
        declared = ledger.declaration("visits").details
        assert ledger.verify().sound
    with dp.table(str(policy)) as table:
        assert declared["max_rows"] == table.schema.max_rows
        assert declared["max_groups"] == table.schema.max_groups
    assert typed("ask", policy, SQL, "--epsilon", "0.1").exit_code == 0


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a = 1\n[b]\nmax_rows = 3\n", "a = 1\nmax_rows = 7\n[b]\nmax_rows = 3\n"),
        ("# max_rows = 10  # many\na = 1", "max_rows = 7  # many\na = 1"),
        ("# max_rows = 9\nmax_rows=4 # few", "# max_rows = 9\nmax_rows=7 # few"),
    ],
)
def test_a_number_is_written_above_the_first_table(tmp_path: Path, text: str, written: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(text)
    assert PolicyFile.read(path).with_numbers({"max_rows": 7}) == written


def test_what_cannot_be_written_by_lines_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text('a = """\nmax_rows = 3\n"""\n')
    with pytest.raises(dp.PolicyError, match="cannot be written into it"):
        PolicyFile.read(path).with_numbers({"max_rows": 7})
