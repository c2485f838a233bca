"""``discreet budget`` shows what is left, and changes it by an entry."""

import json
from pathlib import Path

import pytest

from discreet.ledger import Ledger
from tests.cli.conftest import Command


def test_it_shows_a_bar_who_asked_and_for_what(command: Command, path: Path) -> None:
    ended = command("budget", path)
    assert ended.code == 0
    for part in (
        "visits  ε = 3, δ = 0",
        "█" * 16 + "░" * 8 + " 66% left   spent ε = 1   left ε = 2",
        "4 questions, 1 lost, 1 pending",
        "ann   ε = 0.5",
        "released    count [bold]3[/bold]",
        "lost        count [bold]1[/bold]",
        "pending     count [bold]2[/bold]",
        "meters  ε = 1, δ = 0 per month",
        "100% left",
        "The guarantee is per month",
    ):
        assert part in ended.out, part
    assert command("budget", path, "--dataset", "meters").out.startswith("meters")


def test_json_holds_exact_numbers(command: Command, path: Path) -> None:
    accounts = json.loads(command("budget", path, "--json").out)["accounts"]
    assert [(one["dataset"], one["analyst"]) for one in accounts] == [
        ("visits", None),
        ("visits", "ann"),
        ("visits", "bob"),
        ("visits", "eve"),
        ("meters", None),
    ]
    first = accounts[0]
    assert first["spent"]["epsilon"] == "1/1"
    assert first["budget"]["epsilon"] == "3/1"
    assert first["questions"] == {"charged": 4, "released": 2, "lost": 1, "pending": 1}


@pytest.mark.parametrize("order", ["budget set LEDGER", "budget LEDGER set"])
def test_set_writes_an_entry_and_says_what_it_means(
    command: Command, path: Path, order: str
) -> None:
    words = [path if word == "LEDGER" else word for word in order.split()]
    reason = ("--why", "a second survey", "--who", "cleo")
    ended = command(*words, "--dataset", "visits", "--epsilon", "5", "--delta", "1e-6", *reason)
    assert ended.code == 0
    assert "for all time, are (ε, δ)-DP with ε = 5, δ = 1e-06" in ended.out
    history = command("ledger", "history", path, "--last", "1").out
    assert "ε = 3, δ = 0 → ε = 5, δ = 1e-06: a second survey" in history
    assert command("ledger", "verify", path).code == 0


def test_a_lowered_budget_is_not_stated_as_a_guarantee_of_what_was_answered(
    command: Command, path: Path
) -> None:
    lower = ("budget", "set", path, "--dataset", "visits", "--epsilon", "0.5", "--why", "less")
    out = command(*lower).out
    assert "for all time, are (ε, δ)-DP with ε = 3, δ = 0" in out
    assert "over ε = 0.5, δ = 0." in out
    guarantee = json.loads(command(*lower, "--json").out)["guarantee"]
    assert "ε = 3" in guarantee
    assert command("ledger", "verify", path).code == 0


def test_a_missing_policy_says_what_to_do(command: Command, tmp_path: Path) -> None:
    ended = command("budget", tmp_path / "none.toml")
    assert (ended.code, ended.error.count(". ") >= 1) == (2, True)


def test_a_budget_keeps_its_period_unless_another_is_stated(command: Command, path: Path) -> None:
    common = ("budget", "set", path, "--dataset", "meters", "--why", "more")
    assert "per month" in command(*common, "--epsilon", "2").out
    assert "per year" in command(*common, "--epsilon", "2", "--period", "year").out
    assert "for all time" in command(*common, "--epsilon", "2", "--period", "never").out


def test_set_of_one_analyst_and_of_each(command: Command, path: Path) -> None:
    common = ("budget", "set", path, "--dataset", "visits", "--why", "fair", "--json")
    assert command(*common, "--analyst", "ann", "--epsilon", "0.5").code == 0
    assert command(*common, "--each-analyst", "--epsilon", "1").code == 0
    with Ledger(path, read_only=True) as ledger:
        assert ledger.balance("visits", "ann").left == "nothing"
        assert ledger.balance("visits", "bob").left == "ε = 0.75"
    assert command(*common, "--analyst", "ann", "--none").code == 0
    assert command(*common, "--each-analyst", "--none").code == 0
    with Ledger(path, read_only=True) as ledger:
        assert ledger.balance("visits", "ann").cap is None
        assert ledger.verify().sound


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--epsilon", "5"], "Missing option '--why'"),
        (["--epsilon", "-1", "--why", "x"], "must be above 0"),
        (["--epsilon", "many", "--why", "x"], "not a number"),
        (["--why", "x"], "the change is not clear"),
        (["--none", "--why", "x"], "must have a budget"),
        (["--epsilon", "1", "--none", "--why", "x"], "the change is not clear"),
        (["--epsilon", "1", "--why", " "], "no reason"),
        (["--epsilon", "1", "--why", "x", "--period", "decade"], "decade"),
        (["--dataset", "visit", "--epsilon", "1", "--why", "x"], "It knows: 'visits', 'meters'"),
    ],
)
def test_a_wrong_request_ends_with_2_and_changes_nothing(
    command: Command, path: Path, words: list[str], message: str
) -> None:
    ended = command("budget", "set", path, "--dataset", "visits", *words)
    assert ended.code == 2
    assert message.lower() in ended.error.lower()
    with Ledger(path, read_only=True) as ledger:
        assert ledger.anchor().entries == 9


def test_a_ledger_that_is_not_there_ends_with_2_and_is_not_made(
    command: Command, tmp_path: Path
) -> None:
    path = tmp_path / "slip.ledger"
    for words in (["budget", path], ["budget", "set", path, "--dataset", "a", "--epsilon", "1"]):
        ended = command(*words, *(["--why", "x"] if "set" in words else []))
        assert (ended.code, ended.error.count("\n")) == (2, 1)
        assert ended.error.startswith(f"discreet: There is no ledger {path}.")
    assert not path.exists()


def test_a_toml_file_names_the_ledger_and_the_data_set(
    command: Command, path: Path, tmp_path: Path
) -> None:
    toml = tmp_path / "meters.toml"
    toml.write_text('source = "meters.parquet"\nname = "meters"\nledger = "visits.ledger"\n')
    assert command("budget", toml).out.startswith("meters")
    assert command("budget", "set", toml, "--epsilon", "2", "--why", "x").code == 0
    assert command("ledger", "verify", toml).code == 0
    toml.write_text('ledger = ":memory:"')
    assert "names no ledger" in command("budget", toml).error
    toml.write_text("ledger = ")
    assert "is not TOML" in command("budget", toml).error
    assert command("budget", tmp_path / "none.toml").code == 2


def test_an_empty_ledger_says_so(command: Command, tmp_path: Path) -> None:
    Ledger(tmp_path / "new.ledger").close()
    assert "declares no data set yet" in command("budget", tmp_path / "new.ledger").out
