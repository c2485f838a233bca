"""``discreet profile`` pays once, shows what was learned, and suggests caps for nothing."""

import json
import re
from pathlib import Path

import pytest

from discreet.ledger import Ledger
from tests.cli.conftest import Command
from tests.support.visits_policy import COUNT, write_visits


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """400 people, most with one visit and fifty with three."""
    found = write_visits(tmp_path)
    lines = [f"p{person},A,1,Bonn,true" for person in range(50) for _ in range(2)]
    with open(tmp_path / "visits.csv", "a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return found


def spent(policy: Path) -> int:
    with Ledger(policy.parent / "visits.ledger") as ledger:
        return ledger.balance("visits").charges


def test_it_is_paid_for_once_and_shown_ever_after(command: Command, policy: Path) -> None:
    first = command("profile", policy, "--epsilon", "0.5")
    assert first.code == 0
    assert re.search(r"^paid now: entry \d+ of the ledger$", first.out, re.M)
    assert "each is protected like a person, and no answer counts it" in first.out
    again = command("profile", policy, "--spend", "50%", "--analyst", "bob")
    assert "already paid" in again.out
    assert spent(policy) == 1
    assert first.out.partition("paid")[0] == again.out.partition("already")[0]
    assert "paid now" in command("profile", policy, "--epsilon", "0.1", "--again").out
    assert spent(policy) == 2


def test_a_price_is_asked_for_in_the_words_of_the_command(command: Command, policy: Path) -> None:
    refused = command("profile", policy)
    assert refused.code != 0
    assert "Add --spend 5%, or --epsilon or --rho." in refused.error
    assert "table.profile" not in refused.error


def test_caps_are_suggested_for_nothing(command: Command, policy: Path) -> None:
    command("profile", policy, "--epsilon", "1")
    shown = command("profile", policy, "--suggest", "--for-epsilon", "0.5")
    assert re.search(r"^max_rows = \d+$", shown.out, re.M)
    assert "discreet table update" in shown.out
    data = json.loads(command("profile", policy, "--suggest", "--json").out)
    assert data["paid_now"] is False
    assert data["suggested"]["epsilon"] == "1/5"  # a tenth of the budget
    assert set(data["groups"]) == {"ward", "town"}
    assert spent(policy) == 1


def test_columns_are_chosen_by_name(command: Command, policy: Path) -> None:
    unknown = command("profile", policy, "--epsilon", "0.1", "--by", "sward")
    assert unknown.code != 0
    assert "sward" in unknown.error
    assert not (policy.parent / "visits.ledger").exists() or spent(policy) == 0
    words = ("profile", policy, "--rho", "0.01", "--by", "ward, town", "--rows-in-a-group")
    data = json.loads(command(*words, "--json").out)
    assert list(data["groups"]) == list(data["rows_in_a_group"]) == ["ward", "town"]


def test_a_lower_cap_is_another_question(command: Command, policy: Path) -> None:
    usual = command("plan", policy, COUNT, "--epsilon", "0.5")
    lower = command("plan", policy, COUNT, "--epsilon", "0.5", "--max-rows", "1")
    assert lower.code == 0
    margins = [
        float(re.search(r"^n .* (\d+\.?\d*) +0\.5$", ended.out, re.M).group(1))  # type: ignore[union-attr]
        for ended in (usual, lower)
    ]
    assert margins[1] < margins[0]
    assert "counts for 1" in lower.out
    refused = command("plan", policy, COUNT, "--epsilon", "0.5", "--max-rows", "5")
    assert refused.code != 0
    assert "Write --max-rows 4, or less." in refused.error
    assert command("plan", policy, COUNT, "--epsilon", "0.5", "--max-groups", "3").code != 0
    asked = command("ask", policy, COUNT, "--epsilon", "0.5", "--max-rows", "1", "--key", "k")
    assert asked.code == 0
    for cap in ("2", "4"):
        again = command("ask", policy, COUNT, "--epsilon", "0.5", "--max-rows", cap, "--key", "k")
        assert again.code != 0
    again = command("ask", policy, COUNT, "--epsilon", "0.5", "--max-rows", "1", "--key", "k")
    assert again.code == 0
    assert spent(policy) == 1


def test_plans_and_answers_say_what_the_profile_knows(command: Command, policy: Path) -> None:
    before = command("plan", policy, COUNT, "--epsilon", "0.5", "--max-rows", "1")
    assert "How many rows that leaves out is not known" in before.out.replace("\n", " ")
    command("profile", policy, "--epsilon", "1")
    after = command("ask", policy, COUNT, "--epsilon", "0.5", "--max-rows", "1")
    text = " ".join(after.out.split())
    assert "of all rows are counted" in text
    assert "in truth (likely)" in text


def test_a_suggestion_that_is_refused_does_not_hide_a_paid_profile(
    command: Command, policy: Path
) -> None:
    words = ("profile", policy, "--epsilon", "0.1", "--suggest", "--for-epsilon", "abc")
    assert command(*words).code != 0
    before = spent(policy)
    shown = command("profile", policy, "--epsilon", "0.00001", "--suggest")
    assert shown.code == 0
    assert "No caps are suggested" in shown.out or "max_rows = " in shown.out
    assert "paid now" in shown.out
    assert spent(policy) == before + 1
