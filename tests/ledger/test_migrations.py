"""A ledger takes the steps it has not taken, and refuses those it does not know."""

import pytest

from discreet.errors import LedgerError
from discreet.ledger import Ledger, postgres, sqlite, store
from discreet.privacy.losses import Budget

STEP = ("CREATE TABLE discreet_notes (sequence INTEGER PRIMARY KEY, note TEXT)",)


def with_another_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "SQLITE", (*store.SQLITE, STEP))
    monkeypatch.setattr(postgres, "POSTGRES", (*store.POSTGRES, STEP))


def test_an_older_ledger_takes_the_next_step(
    durable_place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger(durable_place) as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=Budget(epsilon=1))
    with_another_step(monkeypatch)
    with pytest.raises(LedgerError, match="older format"):
        Ledger(durable_place, read_only=True)
    for _ in range(2):
        with Ledger(durable_place) as ledger, ledger._journal.store.reading() as records:
            assert records.execute("SELECT COUNT(*) FROM discreet_notes", {}) == [(0,)]
            assert ledger.verify().sound


def test_a_newer_ledger_is_refused(durable_place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as newer:
        with_another_step(newer)
        Ledger(durable_place).close()
    with pytest.raises(LedgerError, match="has format 3, and this discreet knows formats up to 2"):
        Ledger(durable_place)
    with pytest.raises(LedgerError, match="has format 3"):
        Ledger(durable_place, read_only=True)


def test_a_step_that_fails_leaves_the_ledger_as_it_was(
    durable_place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Ledger(durable_place).close()
    broken = (*STEP, "CREATE NONSENSE")
    with monkeypatch.context() as failing:
        failing.setattr(sqlite, "SQLITE", (*store.SQLITE, broken))
        failing.setattr(postgres, "POSTGRES", (*store.POSTGRES, broken))
        with pytest.raises(LedgerError):
            Ledger(durable_place)
    with_another_step(monkeypatch)
    Ledger(durable_place).close()
