"""``discreet budget`` shows what is left, and changes it by an entry."""

import json
import re
import shlex
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.ledger import Ledger
from discreet.privacy.events import PureEvent
from discreet.privacy.losses import Budget
from tests.cli.conftest import Command
from tests.support.visits_policy import COUNT, write_visits


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


def test_json_holds_decimals_that_are_never_less_than_what_was_spent(
    command: Command, path: Path
) -> None:
    accounts = json.loads(command("budget", path, "--json").out)["accounts"]
    assert [(one["dataset"], one["analyst"]) for one in accounts] == [
        ("visits", None),
        ("visits", "ann"),
        ("visits", "bob"),
        ("visits", "eve"),
        ("meters", None),
    ]
    first = accounts[0]
    assert first["spent"]["epsilon"] == "1"
    with Ledger(path, read_only=True) as ledger:
        exact = ledger.balance("visits").spent
    for name in ("epsilon", "delta", "rho"):
        shown = first["spent"][name]
        assert re.fullmatch(r"[0-9.e-]{1,13}", shown), name
        assert getattr(exact, name) <= Fraction(shown) <= getattr(exact, name) * Fraction("1.0001")
    assert first["budget"]["epsilon"] == "3/1"
    assert first["questions"] == {"charged": 4, "released": 2, "lost": 1, "pending": 1}
    assert (first["suspended"], first["suspensions"]) == (None, 0)


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
        (
            ["--epsilon", "1", "--rho", "1", "--why", "x"],
            "--delta 1e-6, or --rho 0.1",
        ),
        (["--rho", "0", "--why", "x"], "such as --rho 0.1"),
        (["--rho", "0.1", "--none", "--why", "x"], "the change is not clear"),
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


@pytest.fixture
def policy(tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A policy of which one question was asked, and whose ε was raised afterwards."""
    monkeypatch.chdir(tmp_path)
    found = write_visits(tmp_path)
    assert command("ask", found, COUNT, "--epsilon", "0.5").code == 0
    found.write_text(found.read_text().replace("epsilon = 2", "epsilon = 3"))
    return found


def test_what_is_not_stated_is_as_the_policy_says(command: Command, policy: Path) -> None:
    for words in (["--epsilon", "3"], [], ["--delta", "1e-6"]):
        ended = command("budget", "set", policy, *words, "--why", "more")
        assert ended.out.startswith("visits  ε = 3, δ = 1e-06\n"), ended
        assert command("ask", policy, COUNT, "--epsilon", "0.1").code == 0


def test_a_changed_policy_is_told_the_command_that_writes_the_change_down(
    command: Command, policy: Path
) -> None:
    policy.write_text(
        'period = "month"\nanalyst_budget = { epsilon = "4/3" }\n' + policy.read_text()
    )
    error = command("ask", policy, COUNT, "--epsilon", "0.1").error
    commands = error.strip().partition("with its reason: ")[2].split(", and ")
    ledger = shlex.quote(str(policy.parent / "visits.ledger"))
    assert commands == [
        f"discreet budget set {ledger} --dataset visits --epsilon 3 --delta 1e-06 --period month "
        '--why "…"',
        f"discreet budget set {ledger} --dataset visits --each-analyst --epsilon 4/3 --delta 0 "
        '--period month --why "…"',
    ]
    for line in commands:
        assert command(*shlex.split(line)[1:]).code == 0
    assert command("ask", policy, COUNT, "--epsilon", "0.1").code == 0
    policy.write_text(policy.read_text().partition("\n")[2].partition("\n")[2])
    error = command("ask", policy, COUNT, "--epsilon", "0.1").error
    for line in error.strip().partition("with its reason: ")[2].split(", and "):
        assert "--period never" in line or "--each-analyst --none" in line
        assert command(*shlex.split(line)[1:]).code == 0
    assert command("ask", policy, COUNT, "--epsilon", "0.1").code == 0


def test_without_a_policy_what_is_not_stated_stays(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "visits.ledger"
    split = Budget(epsilon=3, delta="1e-6", conversion_delta="9e-7")
    with Ledger(path) as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=split)
    common = ("budget", "set", path, "--dataset", "visits", "--why", "more", "--json")
    budget = json.loads(command(*common, "--epsilon", "5").out)["budget"]
    assert (budget["epsilon"], budget["delta"]) == ("5/1", "1/1000000")
    assert budget["conversion_delta"] == "9/10000000"
    budget = json.loads(command(*common, "--delta", "1e-5").out)["budget"]
    assert (budget["epsilon"], budget["conversion_delta"]) == ("5/1", "1/200000")
    assert json.loads(command(*common, "--delta", "0").out)["budget"]["delta"] == "0/1"
    missing = command(*common, "--each-analyst", "--delta", "0")
    assert (missing.code, "there is no budget yet" in missing.error) == (2, True)


def test_a_share_that_is_more_than_the_sum_says_why(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "visits.ledger"
    with Ledger(path) as ledger:
        for name, delta in (("visits", "1e-4"), ("meters", "0")):
            budget = Budget(epsilon=10, delta=delta)
            ledger.declare(name, neighbors="add-remove", budget=budget)
            for number in range(10):
                charge = ledger.charge(name, event=PureEvent(epsilon="0.1"), question=f"{number}")
                ledger.release(charge, b"1", safe=True)
    visits, meters = command("budget", path).out.split("\nmeters")
    why = "left ρ ≈ 1.95402, δ = 5e-05   small questions cost less together than their sum"
    assert "97% left" in visits
    assert why in visits
    assert "90% left   spent ε = 1   left ε = 9\n" in meters


def test_what_only_reads_leaves_no_file_behind(command: Command, policy: Path) -> None:
    before = sorted(policy.parent.iterdir())
    for words in (["budget"], ["ledger", "verify"], ["ledger", "history"], ["ledger", "pending"]):
        assert command(*words, policy).code == 0
        assert sorted(policy.parent.iterdir()) == before
    with Ledger(policy.parent / "visits.ledger") as used:
        assert command("budget", policy).code == 0
        assert used.balance("visits").charges == 1
        assert used.verify().sound


def test_a_budget_in_rho_is_shown_in_rho(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "visits.ledger"
    with Ledger(path) as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=Budget(rho="0.1"))
        event = PureEvent(epsilon="0.1")
        charge = ledger.charge("visits", event=event, question="q", analyst="ann", summary="n")
        ledger.release(charge, b"1", safe=True)
    out = command("budget", path).out
    for part in (
        "visits  ρ = 0.1\n",
        " 95% left   spent ρ ≈ 0.00499584   left ρ ≈ 0.0950042\n",
        "ann         ρ ≈ 0.00499584  released",
    ):
        assert part in out, out
    account = json.loads(command("budget", path, "--json").out)["accounts"][0]
    assert account["budget"] == {"rho": "1/10", "delta": "0/1", "period": None}


def test_set_takes_a_budget_from_one_kind_to_the_other(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "visits.ledger"
    split = Budget(epsilon=1, delta="1e-6", conversion_delta="9e-7")
    with Ledger(path) as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=split)
    common = ("budget", "set", path, "--dataset", "visits", "--why", "another")
    ended = command(*common, "--rho", "0.1")
    assert ended.out.startswith("visits  ρ = 0.1, δ = 1e-06\n"), ended
    assert "are δ-approximate ρ-zCDP with ρ = 0.1, δ = 1e-06." in ended.out
    history = command("ledger", "history", path, "--last", "1").out
    assert "ε = 1, δ = 1e-06 → ρ = 0.1, δ = 1e-06: another" in history
    for words, budget in (
        (["--delta", "0"], {"rho": "1/10", "delta": "0/1", "period": None}),
        (["--period", "year"], {"rho": "1/10", "delta": "0/1", "period": "year"}),
        (
            ["--epsilon", "2", "--delta", "1e-6", "--period", "never"],
            {
                "epsilon": "2/1",
                "delta": "1/1000000",
                "conversion_delta": "1/2000000",
                "period": None,
            },
        ),
    ):
        assert json.loads(command(*common, *words, "--json").out)["budget"] == budget
    each = command(*common, "--each-analyst", "--rho", "0.01")
    assert each.code == 0
    assert command("ledger", "verify", path).code == 0


def test_a_policy_in_rho_is_asked_and_told_how_to_change_its_kind(
    command: Command, policy: Path
) -> None:
    policy.write_text(policy.read_text().replace("epsilon = 3", "rho = 0.5"))
    error = command("ask", policy, COUNT, "--epsilon", "0.1").error
    (line,) = error.strip().partition("with its reason: ")[2].split(", and ")
    assert "--rho 0.5 --delta 1e-06 --why" in line
    assert command(*shlex.split(line)[1:]).code == 0
    ended = command("ask", policy, COUNT, "--epsilon", "0.1")
    assert ended.code == 0
    assert "of ρ = 0.5, δ = 1e-06" in ended.out
