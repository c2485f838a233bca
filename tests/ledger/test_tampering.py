"""Verification finds every edit, gap and swap; with an anchor, a cut or restored ledger too."""

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from discreet.errors import LedgerCorruptError
from discreet.ledger import BudgetScope, Ledger
from discreet.ledger.accounts import DatasetState
from discreet.ledger.entries import COLUMNS, GENESIS, Anchor, Entry, canonical_json
from discreet.ledger.journal import Journal
from discreet.ledger.verification import verify
from discreet.privacy.events import GaussianEvent, PureEvent
from discreet.privacy.losses import Budget
from tests.support.trials import all_but

ENTRIES = 100


def filled(ledger: Ledger) -> Ledger:
    """A ledger of 100 entries of every kind."""
    ledger.declare(
        "visits",
        neighbors="add-remove",
        budget=Budget(epsilon=3, delta=1e-6),
        analyst_budget=Budget(epsilon=2, delta=1e-6),
        details={"unit": "patient_id"},
    )
    ledger.declare("wards", neighbors="replace", budget=Budget(epsilon=1), period="year")
    ledger.set_budget("visits", Budget(epsilon=4, delta=1e-6), why="more", who="cleo")
    ledger.set_budget("visits", Budget(epsilon=3), whose="bob", why="senior", who="cleo")
    whose = BudgetScope.EACH_ANALYST
    ledger.set_budget("visits", Budget(epsilon=1, delta=1e-6), whose=whose, why="all", who="cleo")
    ledger.set_details("visits", {"unit": "row"}, why="a new file", who="cleo")
    number = 0
    while ledger.anchor().entries < ENTRIES - 4:
        number += 1
        event = GaussianEvent.of(sigma=100) if number % 5 == 0 else PureEvent(epsilon="1/100")
        dataset = "wards" if number % 7 == 0 and number % 5 else "visits"
        charge = ledger.charge(
            dataset,
            event=event,
            question=f"question {number}",
            analyst="bob" if number % 3 == 0 and dataset == "wards" else "ann",
            key=f"key {number}" if number % 2 else None,
            summary=f"count {number}",
        )
        if number % 4 == 0:
            ledger.lose(charge, "failed")
            ledger.resume(dataset, why="a page was mended", who="cleo")
        elif number % 4 < 3:
            ledger.release(charge, f"answer {number}".encode(), safe=True)
    while ledger.anchor().entries < ENTRIES:
        ledger.charge("visits", event=PureEvent(epsilon="1/100"), question="last", analyst="ann")
    return ledger


class Vault:
    """A ledger in memory that somebody else writes to; every change is undone."""

    def __init__(self) -> None:
        self.ledger = filled(Ledger(":memory:"))
        self.anchor = self.ledger.anchor()
        connection = self.ledger._journal.store._connection  # type: ignore[attr-defined]
        assert isinstance(connection, sqlite3.Connection)
        self.connection = connection
        for table in ("entries", "answers"):
            for action in ("update", "delete"):
                connection.execute(f"DROP TRIGGER discreet_{table}_{action}")
        for index in ("keys", "settlements"):
            connection.execute(f"DROP INDEX discreet_{index}")
        self.entries = list(self.ledger.history())

    @contextmanager
    def changed(self, *statements: str, values: tuple[Any, ...] = ()) -> Iterator[Ledger]:
        self.connection.execute("SAVEPOINT honest")
        try:
            for statement in statements:
                self.connection.execute(statement, values)
            yield self.ledger
        finally:
            self.connection.execute("ROLLBACK TO honest")
            self.connection.execute("RELEASE honest")

    @contextmanager
    def rewritten(self, change: Callable[[list[dict[str, Any]]], object]) -> Iterator[Ledger]:
        """All entries, changed and with hashes that fit: what a patient forger would write."""
        rows = [
            {name: getattr(entry, name) for name in COLUMNS} | {"body": entry.data}
            for entry in self.entries
        ]
        change(rows)
        with self.changed("DELETE FROM discreet_entries") as ledger:
            previous = GENESIS
            for row in rows:
                fields = row | {
                    "previous": previous,
                    "body": canonical_json(row["body"]),
                    "hash": "",
                }
                entry = Entry(**fields)
                previous = entry.computed_hash()
                marks = ", ".join("?" * len(COLUMNS))
                values = [getattr(entry, name) for name in COLUMNS[:-1]]
                self.connection.execute(
                    f"INSERT INTO discreet_entries VALUES ({marks})", (*values, previous)
                )
            yield ledger


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    vault = Vault()
    yield vault
    vault.ledger.close()


def problems(ledger: Ledger, anchor: Anchor | None = None) -> list[str]:
    """What is wrong, but for what the tests took away so that they can tamper."""
    return [text for text in map(str, ledger.verify(anchor).problems) if not TAKEN.search(text)]


TAKEN = re.compile(
    r"the trigger 'discreet_(entries|answers)_((update|delete)' is missing|kept' was changed)"
    r"|the index 'discreet_(keys|settlements)' is missing"
)


def test_an_honest_ledger_is_sound(vault: Vault) -> None:
    assert len(vault.entries) == ENTRIES
    assert {entry.kind for entry in vault.entries} == {
        "dataset", "budget", "details", "charge", "released", "lost", "suspended", "resumed",
    }  # fmt: skip
    assert problems(vault.ledger, vault.anchor) == []
    with vault.rewritten(lambda rows: None) as ledger:
        assert problems(ledger, vault.anchor) == []


@pytest.mark.parametrize("column", all_but(["body"], COLUMNS, pytest.mark.slow))
def test_every_edit_of_every_field_is_found(vault: Vault, column: str) -> None:
    for entry in vault.entries:
        old = getattr(entry, column)
        if column == "sequence":
            edits: list[object] = [old + 1000]
        elif column == "charge":
            edits = [(old or 0) + 1, None if old else 1]
        else:
            text = old or ""
            edits = [text + "x", None if old else "y"]
        for new in edits:
            if new == old or (new is None and column not in ("analyst", "key", "charge")):
                continue
            statement = f'UPDATE discreet_entries SET "{column}" = ? WHERE sequence = ?'
            with vault.changed(statement, values=(new, entry.sequence)) as ledger:
                assert problems(ledger), (entry.sequence, column, new)


def test_a_field_of_another_type_is_found(vault: Vault) -> None:
    for column in ("body", "analyst", "time"):
        statement = (
            f"UPDATE discreet_entries SET {column} = CAST({column} AS BLOB) WHERE sequence = 9"
        )
        with vault.changed(statement) as ledger:
            assert problems(ledger)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to every value in nested data."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from leaves(part, (*path, name))
    else:
        yield path


def edited(value: Any) -> Any:
    if isinstance(value, int):
        return value + 1
    return "x" if value is None else value + "0" if value[-1:].isdigit() else value + "x"


def test_every_edit_inside_a_body_is_found(vault: Vault) -> None:
    seen: set[tuple[Any, ...]] = set()
    for entry in vault.entries:
        for path in leaves(entry.data):
            if (entry.kind, path) in seen:
                continue
            seen.add((entry.kind, path))
            data = entry.data
            inner = data
            for name in path[:-1]:
                inner = inner[name]
            inner[path[-1]] = edited(inner[path[-1]])
            statement = "UPDATE discreet_entries SET body = ? WHERE sequence = ?"
            with vault.changed(statement, values=(canonical_json(data), entry.sequence)) as ledger:
                assert problems(ledger), (entry.sequence, path)
    assert len(seen) > 60


def test_a_blank_in_a_body_is_found(vault: Vault) -> None:
    spaced = json.dumps(vault.entries[50].data, sort_keys=True)
    statement = "UPDATE discreet_entries SET body = ? WHERE sequence = 51"
    with vault.changed(statement, values=(spaced,)) as ledger:
        assert problems(ledger)


def test_every_deletion_is_found(vault: Vault) -> None:
    for sequence in range(1, ENTRIES + 1):
        with vault.changed(f"DELETE FROM discreet_entries WHERE sequence = {sequence}") as ledger:
            assert problems(ledger, vault.anchor), sequence
            assert problems(ledger) or sequence == ENTRIES


def test_every_deletion_that_is_closed_up_is_found(vault: Vault) -> None:
    for sequence in range(1, ENTRIES):
        with vault.changed(
            f"DELETE FROM discreet_entries WHERE sequence = {sequence}",
            "UPDATE discreet_entries SET sequence = -sequence",
            "UPDATE discreet_entries SET sequence = -sequence"
            f" - (CASE WHEN -sequence > {sequence} THEN 1 ELSE 0 END)",
        ) as ledger:
            assert problems(ledger), sequence


@pytest.mark.slow
def test_every_swap_is_found(vault: Vault) -> None:
    for first in range(1, ENTRIES):
        for second in (first + 1, ENTRIES):
            if first == second:
                continue
            with vault.changed(
                f"UPDATE discreet_entries SET sequence = -1 WHERE sequence = {first}",
                f"UPDATE discreet_entries SET sequence = {first} WHERE sequence = {second}",
                f"UPDATE discreet_entries SET sequence = {second} WHERE sequence = -1",
            ) as ledger:
                assert problems(ledger), (first, second)


def test_every_cut_is_found_with_the_anchor(vault: Vault) -> None:
    for last in range(ENTRIES):
        with vault.changed(
            f"DELETE FROM discreet_entries WHERE sequence > {last}",
            f"DELETE FROM discreet_answers WHERE sequence > {last}",
        ) as ledger:
            assert problems(ledger) == [], "a clean cut is sound in itself"
            (problem,) = problems(ledger, vault.anchor)
            assert f"it had 100 entries on {vault.anchor.time}, and has {last} now" in problem


def test_a_restored_backup_that_grew_again_is_found_with_the_anchor(vault: Vault) -> None:
    with vault.changed(
        "DELETE FROM discreet_entries WHERE sequence > 60",
        "DELETE FROM discreet_answers WHERE sequence > 60",
    ):
        fresh = Journal(vault.ledger._journal.store)
        # Savepoints and transactions do not mix, so the entries are written by hand.
        head = fresh.head()
        for number in range(50):
            entry = Entry.after(
                head,
                time="2099-01-01T00:00:00.000000Z",
                kind="dataset",
                dataset=f"new {number}",
                body={"who": "x", "why": None, "from": None, "to": vault.entries[0].data["to"]},
            )
            with fresh.store.reading() as records:
                records.append(entry)
            head = entry.head
        assert all(TAKEN.search(problem.fact) for problem in verify(fresh, None).problems)
        assert any("anchored" in problem.fact for problem in verify(fresh, vault.anchor).problems)


def test_answers_are_held_against_their_digests(vault: Vault) -> None:
    released = next(entry.sequence for entry in vault.entries if entry.kind == "released")
    for statement in (
        f"UPDATE discreet_answers SET content = x'00' WHERE sequence = {released}",
        f"DELETE FROM discreet_answers WHERE sequence = {released}",
        f"UPDATE discreet_answers SET sequence = 100 WHERE sequence = {released}",
        "INSERT INTO discreet_answers VALUES (100, x'00')",
        "INSERT INTO discreet_answers VALUES (1000, x'00')",
    ):
        with vault.changed(statement) as ledger:
            assert problems(ledger), statement


def nth(rows: list[dict[str, Any]], kind: str, number: int = 5) -> dict[str, Any]:
    return [row for row in rows if row["kind"] == kind][number]


def cheaper(rows: list[dict[str, Any]]) -> None:
    nth(rows, "charge")["body"]["cost"]["epsilon"] = "1/1000"


def smaller_sum(rows: list[dict[str, Any]]) -> None:
    nth(rows, "charge")["body"]["dataset_spent"]["lifetime"]["rho"] = "0/1"


def smaller_share(rows: list[dict[str, Any]]) -> None:
    nth(rows, "charge")["body"]["analyst_spent"]["lifetime"]["rho"] = "0/1"


def dearer_event(rows: list[dict[str, Any]]) -> None:
    nth(rows, "charge")["body"]["event"]["epsilon"] = "1/2"


def lower_budget(rows: list[dict[str, Any]]) -> None:
    for row in rows[:6]:
        if row["dataset"] == "visits" and row["analyst"] is None:
            for side in ("from", "to"):
                if row["body"][side]:
                    row["body"][side]["cap"] |= {"epsilon": "1/10", "delta": "0/1"}
                    row["body"][side]["cap"]["conversion_delta"] = "0/1"


def lower_share(rows: list[dict[str, Any]]) -> None:
    for row in rows[:6]:
        for side in ("from", "to"):
            if row["analyst"] is None and row["body"][side] and row["body"][side]["analyst_cap"]:
                row["body"][side]["analyst_cap"]["epsilon"] = "1/10"
                row["body"][side]["analyst_cap"]["delta"] = "0/1"
                row["body"][side]["analyst_cap"]["conversion_delta"] = "0/1"


def second_release(rows: list[dict[str, Any]]) -> None:
    first, second = nth(rows, "released", 0), nth(rows, "released", 3)
    for name in ("charge", "dataset", "analyst", "key"):
        second[name] = first[name]


def release_of_nothing(rows: list[dict[str, Any]]) -> None:
    nth(rows, "released")["charge"] = 1


def release_to_another(rows: list[dict[str, Any]]) -> None:
    nth(rows, "released")["analyst"] = "eve"


def lost_and_released(rows: list[dict[str, Any]]) -> None:
    lost, released = nth(rows, "lost", 0), nth(rows, "released")
    for name in ("charge", "dataset", "analyst", "key"):
        lost[name] = released[name]


def repeated_key(rows: list[dict[str, Any]]) -> None:
    keyed = [row for row in rows if row["kind"] == "charge" and row["key"]]
    keyed[-1]["key"] = keyed[0]["key"]


def turned_back_clock(rows: list[dict[str, Any]]) -> None:
    rows[50]["time"] = "2020-01-01T00:00:00.000000Z"


def no_reason(rows: list[dict[str, Any]]) -> None:
    nth(rows, "budget", 0)["body"]["why"] = ""


def other_past(rows: list[dict[str, Any]]) -> None:
    nth(rows, "budget", 0)["body"]["from"]["cap"]["epsilon"] = "5/1"


def undeclared(rows: list[dict[str, Any]]) -> None:
    nth(rows, "charge")["dataset"] = "somewhere"


def declared_twice(rows: list[dict[str, Any]]) -> None:
    nth(rows, "dataset", 1)["dataset"] = "visits"


def other_neighbors(rows: list[dict[str, Any]]) -> None:
    nth(rows, "details", 0)["body"]["to"]["neighbors"] = "replace"


def unknown_kind(rows: list[dict[str, Any]]) -> None:
    nth(rows, "lost", 0)["kind"] = "refunded"


def nobody(rows: list[dict[str, Any]]) -> None:
    nth(rows, "charge")["analyst"] = None


def never_suspended(rows: list[dict[str, Any]]) -> None:
    """The failure is there, and what it led to is of another data set."""
    for kind in ("suspended", "resumed"):
        one = nth(rows, kind, 0)
        one["dataset"] = "wards" if one["dataset"] == "visits" else "visits"


def never_resumed(rows: list[dict[str, Any]]) -> None:
    nth(rows, "resumed", 0)["dataset"] = "wards"


def resumed_for_nothing(rows: list[dict[str, Any]]) -> None:
    nth(rows, "resumed", 0)["body"]["why"] = ""


def telling_suspension(rows: list[dict[str, Any]]) -> None:
    nth(rows, "suspended", 0)["body"]["column"] = "age"


def nothing_pending(rows: list[dict[str, Any]]) -> None:
    pending = [row for row in rows if row["kind"] == "charge" and row["body"]["pending"]]
    pending[-1]["body"]["pending"] = None


@pytest.mark.parametrize(
    ("forgery", "found"),
    [
        (never_suspended, "not suspended after a failure"),
        (never_resumed, "its data set was suspended"),
        (resumed_for_nothing, "no reason"),
        (telling_suspension, "other fields"),
        (nothing_pending, "what was pending before it"),
        (cheaper, "cost less than its event"),
        (smaller_sum, "the sums of its data set"),
        (smaller_share, "the sums of its analyst"),
        (dearer_event, "cost less than its event"),
        (lower_budget, "over the budget of its data set"),
        (lower_share, "over the budget of its analyst"),
        (second_release, "settled before"),
        (release_of_nothing, "settles no charge"),
        (release_to_another, "settles another's charge"),
        (lost_and_released, "settle"),
        (repeated_key, "key was charged before"),
        (turned_back_clock, "older than the entry before"),
        (no_reason, "no reason"),
        (other_past, "another budget than there was"),
        (undeclared, "not declared"),
        (declared_twice, "declared twice"),
        (other_neighbors, "more than details"),
        (unknown_kind, "unknown kind"),
        (nobody, "who asked"),
        (lambda rows: rows.pop(40), "some are missing"),
    ],
)
def test_a_forged_ledger_whose_hashes_all_fit_must_still_add_up(
    vault: Vault, forgery: Callable[[list[dict[str, Any]]], object], found: str
) -> None:
    with vault.rewritten(forgery) as ledger:
        assert any(found in problem for problem in problems(ledger)), problems(ledger)


def test_a_question_is_refused_where_the_sums_were_edited(vault: Vault) -> None:
    last = max(entry.sequence for entry in vault.entries if entry.kind == "charge")
    lower = "UPDATE discreet_entries SET body = REPLACE(body, '1/', '0/') WHERE sequence = ?"
    with (
        vault.changed(lower, values=(last,)) as ledger,
        ledger._journal.store.reading() as records,
        pytest.raises(LedgerCorruptError, match="hash"),
    ):
        records.situation("visits", "ann")


@pytest.mark.parametrize("pending", [-1, 2**63, 2**70, ENTRIES + 1, 1.0, True, "1", [1]])
def test_a_question_is_refused_where_what_is_pending_cannot_be(vault: Vault, pending: Any) -> None:
    def forged(rows: list[dict[str, Any]]) -> None:
        charges = [row for row in rows if (row["kind"], row["dataset"]) == ("charge", "visits")]
        charges[-1]["body"]["pending"] = pending

    with (
        vault.rewritten(forged) as ledger,
        ledger._journal.store.reading() as records,
        pytest.raises(LedgerCorruptError, match="does not say what was pending before it"),
    ):
        records.unsettled("visits", records.situation("visits", "ann").spent)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("neighbors", "others"),
        ("neighbors", []),
        ("cap", None),
        ("cap", {"epsilon": 1}),
        ("analyst_cap", 5),
        ("analyst_cap", "5"),
        ("details", ["unit"]),
        ("more", 1),
    ],
)
def test_a_declaration_of_another_form_is_damage(vault: Vault, field: str, value: Any) -> None:
    def forged(rows: list[dict[str, Any]]) -> None:
        nth(rows, "details", 0)["body"]["to"][field] = value

    with vault.rewritten(forged) as ledger:
        assert any("cannot be read" in problem for problem in problems(ledger))
        with pytest.raises(LedgerCorruptError, match="in the ledger cannot be read"):
            ledger.declaration("visits")


@pytest.mark.parametrize("value", [5, "5", [], {"epsilon": "1/1"}])
def test_a_budget_of_another_form_is_damage(vault: Vault, value: Any) -> None:
    def forged(rows: list[dict[str, Any]]) -> None:
        budgets = [row for row in rows if row["kind"] == "budget" and row["analyst"] == "bob"]
        budgets[0]["body"]["to"] = value

    with (
        vault.rewritten(forged) as ledger,
        ledger._journal.store.reading() as records,
        pytest.raises(LedgerCorruptError, match="in the ledger cannot be read"),
    ):
        DatasetState.read(records.situation("visits", "bob"), "visits")


def test_postgresql_is_verified_by_the_same_rules(new_postgres: Callable[[], str]) -> None:
    with filled(Ledger(new_postgres())) as ledger:
        connection = ledger._journal.store._connection  # type: ignore[attr-defined]
        anchor = ledger.anchor()
        assert problems(ledger, anchor) == []
        for table in ("entries", "answers"):
            connection.execute(f"ALTER TABLE discreet_{table} DISABLE TRIGGER ALL")
        for statement in (
            "UPDATE discreet_entries SET time = time || ' ' WHERE sequence = 50",
            "DELETE FROM discreet_entries WHERE sequence = 50",
            "UPDATE discreet_entries SET sequence = 1000 WHERE sequence = 50",
            "UPDATE discreet_answers SET content = 'x'",
            "DELETE FROM discreet_entries WHERE sequence > 90",
        ):
            with connection.transaction(force_rollback=True):
                connection.execute(statement)
                assert problems(ledger, anchor), statement
        assert problems(ledger, anchor) == []
        assert not ledger.verify(anchor).sound, "its triggers are switched off"


@pytest.mark.parametrize("field", ["dataset_spent", "analyst_spent"])
@pytest.mark.parametrize("sums", [None, [], {}, {"lifetime": None}, "0", 0])
def test_sums_that_cannot_be_read_are_never_taken_for_none(field: str, sums: object) -> None:
    ledger = Ledger(":memory:")
    ledger.declare("visits", neighbors="add-remove", budget=Budget(epsilon=1))
    ledger.charge("visits", event=PureEvent(epsilon=0.1), question="q", analyst="ann")
    with ledger._journal.store.reading() as records:
        honest = records.situation("visits", "ann")
    assert honest.spent is not None
    body = canonical_json(honest.spent.data | {field: sums})
    both = canonical_json(honest.spent.data | {"dataset_spent": sums, "analyst_spent": sums})
    for damaged in (body, both):
        entry = honest.spent._replace(body=damaged)
        with pytest.raises(LedgerCorruptError, match="cannot be read"):
            DatasetState.read(replace(honest, spent=entry, asked=entry), "visits")
