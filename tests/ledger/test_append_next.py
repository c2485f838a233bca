"""A charge that is one statement sees what others wrote, and is written like any other."""

import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import BudgetExhaustedError, LedgerCorruptError, LedgerError
from discreet.ledger import Charge, Ledger
from discreet.ledger.entries import canonical_json
from discreet.ledger.journal import Journal
from discreet.ledger.sqlite import SqliteStore
from discreet.privacy.events import GaussianEvent, PureEvent, RepeatedEvent
from discreet.privacy.losses import Budget

TENTH = PureEvent(epsilon="1/10")


def ask(ledger: Ledger, **others: Any) -> Charge:
    asked = {"event": TENTH, "question": "q", "analyst": "ann"} | others
    return ledger.charge("visits", **asked)


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every turn to write that anybody takes."""
    taken: list[str] = []
    original = Journal.writing

    def writing(self: Journal) -> Any:
        taken.append("turn")
        return original(self)

    monkeypatch.setattr(Journal, "writing", writing)
    return taken


@pytest.fixture
def two(tmp_path: Path) -> tuple[Ledger, Ledger]:
    """Two ledgers in one file, as two processes have them."""
    first, second = Ledger(tmp_path / "visits.ledger"), Ledger(tmp_path / "visits.ledger")
    first.declare("visits", neighbors="add-remove", budget=Budget(epsilon=1, delta=1e-6))
    return first, second


def test_a_process_alone_needs_one_turn(two: tuple[Ledger, Ledger], turns: list[str]) -> None:
    for _ in range(5):
        ask(two[0])
    assert len(turns) == 1
    assert two[1].balance("visits").spent.epsilon == Fraction(1, 2)


def test_what_another_process_spent_is_seen(two: tuple[Ledger, Ledger], turns: list[str]) -> None:
    for number in range(10):
        ask(two[number % 2])
    assert len(turns) == 10
    for ledger in two:
        with pytest.raises(BudgetExhaustedError, match="nothing is left"):
            ask(ledger)
    assert two[0].balance("visits").spent.epsilon == 1
    assert two[0].verify().sound


def test_a_budget_that_another_process_raised_is_seen(two: tuple[Ledger, Ledger]) -> None:
    ask(two[0], event=PureEvent(epsilon=1))
    two[1].set_budget("visits", Budget(epsilon=2), why="more is asked")
    ask(two[0])
    assert two[0].verify().sound


def test_a_budget_that_another_process_cut_is_seen(two: tuple[Ledger, Ledger]) -> None:
    ask(two[0])
    two[1].set_budget("visits", Budget(epsilon="0.15"), why="less may be asked")
    with pytest.raises(BudgetExhaustedError):
        ask(two[0])


def test_an_older_copy_in_the_same_file_is_found_out(tmp_path: Path) -> None:
    place = tmp_path / "visits.ledger"
    with Ledger(place) as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=Budget(epsilon=1))
        ledger.release(ask(ledger), b"1", safe=True)
        ledger.close()
        shutil.copy(place, tmp_path / "copy")
        ledger.release(ask(ledger), b"1", safe=True)
        ledger.close()
        place.write_bytes((tmp_path / "copy").read_bytes())  # the same file to the system
        with pytest.raises(LedgerCorruptError, match="only grows"):
            ask(ledger)


def test_a_charge_within_a_transaction_is_not_taken_for_durable(tmp_path: Path) -> None:
    """As a signal's handler might make one: the transaction around it could still be undone."""
    with Ledger(tmp_path / "visits.ledger") as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=Budget(epsilon=1))
        ask(ledger)
        store = ledger._journal.store
        with pytest.raises(LedgerError), store.transaction():
            ask(ledger)
        assert ledger.balance("visits").charges == 1
        ask(ledger)
        assert ledger.verify().sound


def test_an_entry_that_does_not_follow_the_head_is_not_appended(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "visits.ledger")
    with Ledger(tmp_path / "visits.ledger") as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=Budget(epsilon=1))
        ask(ledger)
        first, last = ledger.history()
        assert not store.append_next(first)
        assert not store.append_next(last)
        assert ledger.anchor().entries == 2


@pytest.mark.parametrize("period", [None, "month"])
@pytest.mark.parametrize("summary", [None, 'a "quoted" \\ ü 人 \u2028 text'])
@pytest.mark.parametrize(
    "event",
    [TENTH, GaussianEvent.of(sigma=50), RepeatedEvent(event=GaussianEvent.of(sigma=99), count=3)],
)
def test_a_body_is_canonical_json(period: str | None, summary: str | None, event: Any) -> None:
    with Ledger(":memory:") as ledger:
        budget = Budget(epsilon=1, delta=1e-6)
        ledger.declare(
            "visits", neighbors="add-remove", budget=budget, period=period, analyst_budget=budget
        )
        for analyst in ("ann", "bob", "ann", "ann"):
            ask(ledger, event=event, summary=summary, analyst=analyst)
        for entry in ledger.history():
            assert canonical_json(entry.data) == entry.body
        assert ledger.verify().sound
