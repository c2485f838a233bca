"""What somebody with a text editor, a linker or a database shell tried, and what stops it."""

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from discreet.errors import (
    DataError,
    DeclarationError,
    DiscreetError,
    LedgerCorruptError,
    LedgerError,
)
from discreet.exact import named_number_text
from discreet.ledger import BudgetScope, Ledger
from discreet.ledger.declarations import BudgetCap
from discreet.ledger.entries import COLUMNS, Entry, Head
from discreet.ledger.store import SQLITE
from discreet.privacy.events import (
    ComposedEvent,
    PureEvent,
    RepeatedEvent,
    SampledEvent,
)
from discreet.privacy.losses import Budget, ZeroConcentratedDP
from tests.support.cases import each

ONE = Budget(epsilon=1)
TENTH = PureEvent(epsilon="0.1")
SAMPLED = SampledEvent(event=PureEvent(epsilon=1), rate="0.1")
AGES = [23, 35, 41] * 100


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger with ten entries, closed."""
    path = tmp_path / "visits.ledger"
    with Ledger(path) as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=ONE)
        for number in range(4):
            charge = ask(ledger, key=f"key {number}")
            ledger.release(charge, f"answer {number}".encode(), safe=True)
        ask(ledger)
    return path


def ask(ledger: Ledger, **options: Any) -> Any:
    """A charge; one without a key is settled at once."""
    asked = {"event": TENTH, "question": "how many?", "analyst": "ann"} | options
    return ledger.charge("visits", keeps_answer="key" in options, **asked)


def edit(path: Path, *statements: str, values: tuple[object, ...] = ()) -> None:
    """Change a ledger as an SQLite shell can, and put its own triggers back."""
    connection = sqlite3.connect(path, isolation_level=None)
    triggers = [step for step in SQLITE[0] if step.startswith("CREATE TRIGGER")]
    for trigger in triggers:
        connection.execute(f"DROP TRIGGER {trigger.split()[2]}")
    for statement in statements:
        connection.execute(statement, values if "?" in statement else ())
    for trigger in triggers:
        connection.execute(trigger)
    connection.close()


def facts(path: Path) -> str:
    with Ledger(path, read_only=True) as ledger:
        return "; ".join(map(str, ledger.verify().problems))


# ---------------------------------------------------------------------- the file


def test_a_second_name_of_the_file_is_refused_at_once_and_in_use(path: Path) -> None:
    other = path.with_name("other.ledger")
    with Ledger(path) as ledger:
        os.link(path, other)
        for use in (lambda: ask(ledger), lambda: Ledger(other), lambda: Ledger(path)):
            with pytest.raises(LedgerError, match="has 2 names"):
                use()
        with pytest.raises(LedgerError, match="has 2 names"):
            Ledger(other, read_only=True)
        other.unlink()
        ask(ledger)
    other.symlink_to(path)  # another path to the one name is harmless
    with Ledger(path) as first, Ledger(other) as second:
        ask(first)
        ask(second)
        assert first.balance("visits").charges == 8


def test_another_longer_ledger_in_its_place_is_found_out(path: Path, tmp_path: Path) -> None:
    with Ledger(tmp_path / "cheap") as cheap:
        cheap.declare("visits", neighbors="add-remove", budget=ONE)
        for _ in range(20):
            ask(cheap, event=PureEvent(epsilon="0.001"))
    ledger = Ledger(path)
    ask(ledger)
    ledger.close()
    shutil.copy(tmp_path / "cheap", path)
    for use in (lambda: ask(ledger), ledger.anchor, lambda: next(ledger.history())):
        with pytest.raises(LedgerCorruptError, match="another ledger"):
            use()


def test_a_ledger_that_others_wrote_to_is_still_the_same(path: Path) -> None:
    with Ledger(path) as first, Ledger(path) as second:
        ask(first)
        ask(second)
        ask(second)
        assert first.anchor().entries == 13
        assert first.verify().sound
        ask(first)


# ---------------------------------------------------------------------- the tables

SCHEMA = {
    "a trigger that swallows charges": "CREATE TRIGGER evil BEFORE INSERT ON discreet_entries"
    " WHEN NEW.kind = 'charge' BEGIN SELECT RAISE(IGNORE); END",
    "a key may pay twice": "DROP INDEX discreet_keys",
    "a charge may be settled twice": "DROP INDEX discreet_settlements",
    "an index that is not unique": "DROP INDEX discreet_keys; CREATE INDEX discreet_keys"
    " ON discreet_entries (dataset, analyst, key)",
    "a view": "CREATE VIEW people AS SELECT analyst FROM discreet_entries",
    "a table": "CREATE TABLE notes (text)",
    "no answers": "DROP TABLE discreet_answers",
    "no entries": "DROP TABLE discreet_entries",
    "no triggers": "DROP TRIGGER discreet_entries_update",
    "a view for a table": "ALTER TABLE discreet_entries RENAME TO hidden;"
    "CREATE VIEW discreet_entries AS SELECT * FROM hidden",
    "another collation": "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql ="
    " replace(sql, 'dataset TEXT', 'dataset TEXT COLLATE NOCASE') WHERE name = 'discreet_entries'",
}


@pytest.mark.parametrize("change", SCHEMA)
def test_tables_that_are_not_as_they_were_made_are_not_sound_and_not_used(
    path: Path, change: str
) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA[change])
    connection.close()
    assert "the store is damaged: the " in facts(path)
    with pytest.raises(LedgerCorruptError, match="not as they were made"):
        Ledger(path)


def test_an_analyzed_ledger_is_sound(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript("ANALYZE; VACUUM; REINDEX; PRAGMA user_version = 7")
    connection.close()
    with Ledger(path) as ledger:
        ask(ledger)
    assert facts(path) == ""


@pytest.mark.parametrize(
    "trigger",
    [
        "BEFORE INSERT ON discreet_{table} BEGIN SELECT RAISE(IGNORE); END",
        "AFTER INSERT ON discreet_{table} BEGIN INSERT INTO discreet_answers VALUES (-9, x''); END",
    ],
)
@pytest.mark.parametrize("table", ["entries", "answers"])
def test_a_row_that_is_swallowed_while_the_ledger_is_open_is_noticed(
    path: Path, trigger: str, table: str
) -> None:
    with Ledger(path) as ledger:
        ask(ledger)
        connection = sqlite3.connect(path)
        connection.execute(f"CREATE TRIGGER evil {trigger.format(table=table)}")
        connection.close()
        if "IGNORE" in trigger:
            with pytest.raises(LedgerCorruptError, match="is not in the table"):
                ledger.release(ask(ledger, key="new"), b"42", safe=True)
        assert not ledger.verify().sound


@pytest.mark.parametrize(
    "numbers", ["VALUES (2), (1), (-5)", "VALUES ('abc')", "SELECT 1 WHERE 0", None]
)
def test_a_ledger_that_does_not_know_its_format_is_damaged(path: Path, numbers: str | None) -> None:
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE discreet_migrations")
    if numbers:
        connection.execute("CREATE TABLE discreet_migrations (number)")
        connection.execute(f"INSERT INTO discreet_migrations {numbers}")
    connection.commit()
    connection.close()
    with pytest.raises(LedgerCorruptError):
        Ledger(path)
    with pytest.raises(LedgerError):
        Ledger(path, read_only=True)


POSTGRES = [
    "CREATE TRIGGER evil BEFORE INSERT ON discreet_entries FOR EACH ROW"
    " EXECUTE FUNCTION discreet_append_only()",
    "ALTER TABLE discreet_entries DISABLE TRIGGER ALL",
    "DROP TRIGGER discreet_answers_kept ON discreet_answers",
    "DROP INDEX discreet_keys",
    "DROP INDEX discreet_keys; CREATE INDEX discreet_keys ON discreet_entries"
    " (dataset, analyst, key) WHERE kind = 'charge' AND key IS NOT NULL",
    "DROP INDEX discreet_settlements; CREATE UNIQUE INDEX discreet_settlements"
    " ON discreet_entries (charge) WHERE charge > 1000",
    'ALTER TABLE discreet_entries ALTER COLUMN dataset TYPE text COLLATE "C"',
    "ALTER TABLE discreet_entries ALTER COLUMN hash DROP NOT NULL",
    "ALTER TABLE discreet_entries ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE discreet_entries SET UNLOGGED",
    "CREATE RULE evil AS ON INSERT TO discreet_entries DO INSTEAD NOTHING",
    "CREATE OR REPLACE FUNCTION discreet_append_only() RETURNS trigger LANGUAGE plpgsql AS"
    " $$BEGIN RETURN NULL; END$$",
    "CREATE TABLE more () INHERITS (discreet_entries)",
    "DROP TABLE discreet_answers",
    "INSERT INTO discreet_migrations VALUES (-5)",
]


@pytest.mark.parametrize("change", POSTGRES)
def test_tables_on_a_server_are_held_against_what_was_made(
    new_postgres: Callable[[], str], change: str
) -> None:
    import psycopg

    place = new_postgres()
    with Ledger(place) as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=ONE)
        ask(ledger)
        assert ledger.verify().sound
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute(change)
    with pytest.raises(LedgerCorruptError):
        Ledger(place)
    if "migrations" not in change:
        with Ledger(place, read_only=True) as ledger:
            assert not ledger.verify().sound


def test_a_rule_that_swallows_rows_on_a_server_is_noticed_at_once(
    new_postgres: Callable[[], str],
) -> None:
    with Ledger(new_postgres()) as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=ONE)
        connection = ledger._journal.store._connection  # type: ignore[attr-defined]
        connection.execute("CREATE RULE evil AS ON INSERT TO discreet_entries DO INSTEAD NOTHING")
        with pytest.raises(LedgerCorruptError, match="is not in the table"):
            ask(ledger)


# ---------------------------------------------------------------------- the rows


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE discreet_entries SET body = replace(body, 'null', '\"x\"') WHERE sequence = 10",
        "UPDATE discreet_entries SET time = x'00' WHERE sequence = 10",
        "UPDATE discreet_entries SET hash = x'00' WHERE sequence = 10",
        "UPDATE discreet_entries SET time = 'zzzz' WHERE sequence = 10",
        "UPDATE discreet_entries SET dataset = CAST(x'ff' AS TEXT) WHERE sequence = 10",
    ],
)
def test_the_last_entry_is_checked_before_another_is_written(path: Path, statement: str) -> None:
    with Ledger(path) as ledger:  # the last entry is about another data set than the question
        ledger.declare("wards", neighbors="add-remove", budget=ONE)
    edit(path, statement.replace("= 10", "= 11"))
    with Ledger(path) as ledger:
        for use in (lambda: ask(ledger), lambda: ledger.lose(10), ledger.anchor):
            with pytest.raises(LedgerCorruptError):
                use()
    assert facts(path)


def test_a_forged_last_time_that_is_no_time_is_refused(path: Path) -> None:
    with Ledger(path) as ledger:
        first, last = ledger.entry(9), ledger.entry(10)
    assert first is not None
    assert last is not None
    forged = Entry.after(
        Head(9, first.hash, first.time),
        time="9999-99-99T99:99:99.000000Z",
        kind="charge",
        dataset="visits",
        body=last.body,
        analyst="ann",
        key="key 4",
    )
    marks = ", ".join("?" * len(COLUMNS))
    edit(
        path,
        "DELETE FROM discreet_entries WHERE sequence = 10",
        f"INSERT INTO discreet_entries VALUES ({marks})",
        values=tuple(forged),
    )
    with Ledger(path) as ledger, pytest.raises(LedgerCorruptError, match="time"):
        ask(ledger)
    assert "its time cannot be read" in facts(path)


@pytest.mark.parametrize("content", ["5", "4611686018427387904", "'abc'", "CAST(content AS TEXT)"])
def test_a_stored_answer_of_another_type_is_found(path: Path, content: str) -> None:
    edit(path, f"UPDATE discreet_answers SET content = {content} WHERE sequence = 3")
    assert facts(path) == "entry 3: the answer that is stored is not the one it released"
    with Ledger(path) as ledger, pytest.raises(LedgerCorruptError, match="answer of entry 3"):
        ask(ledger, key="key 0")


@pytest.mark.parametrize(
    "body", ["[" * 100_000, "[]", "1" * 10_000, '{"who":' * 5_000, '{"event":1e999}', "\x00"]
)
def test_a_body_that_nobody_wrote_is_a_clean_verdict(path: Path, body: str) -> None:
    for sequence in (1, 2, 3):
        edit(
            path,
            "UPDATE discreet_entries SET body = ? WHERE sequence = " + str(sequence),
            values=(body,),
        )
    found = facts(path)
    for sequence in (1, 2):
        assert f"entry {sequence}: its body cannot be read" in found or (
            f"entry {sequence}: it is not" in found
        )
    with Ledger(path) as ledger, pytest.raises(LedgerCorruptError):
        ask(ledger, key="key 0")


# ---------------------------------------------------------------------- what is asked


def test_an_answer_under_other_neighbors_than_declared_is_refused(ledger: Ledger) -> None:
    for name, other in (("add-remove", "replace"), ("replace", "add-remove")):
        with dp.spending(ONE, ledger=ledger, dataset=name, neighbors=name) as account:
            with pytest.raises(DeclarationError, match=f"declared with {name} neighbors"):
                dp.mean(AGES, bounds=(0, 120), epsilon="0.5", neighbors=other)
            with pytest.raises(DeclarationError, match="Nothing was read or spent"):
                dp.histogram(AGES, bins=[0, 50, 120], epsilon="0.5", neighbors=other)
            assert account.spent.epsilon == 0
            assert ledger.balance(name).charges == 0
            dp.mean(AGES, bounds=(0, 120), epsilon="0.25", neighbors=name)
            dp.laplace(3, sensitivity=1, epsilon="0.25")  # no relation: the caller vouches
        assert ledger.balance(name).spent.epsilon == Fraction(1, 2)
        with pytest.raises(DeclarationError):
            ledger.check(name, event=TENTH, neighbors=other)
        with pytest.raises(DeclarationError):
            ledger.charge(name, event=TENTH, question="q", neighbors=other)


def test_of_two_ledgers_with_different_neighbors_neither_is_charged() -> None:
    with (
        Ledger(":memory:") as outer,
        Ledger(":memory:") as inner,
        dp.spending(ONE, ledger=outer, dataset="a"),
        dp.spending(ONE, ledger=inner, dataset="b", neighbors="replace"),
    ):
        for relation in ("add-remove", "replace"):
            with pytest.raises(DeclarationError):
                dp.count(AGES, epsilon="0.5") if relation == "add-remove" else dp.mean(
                    AGES, bounds=(0, 120), epsilon="0.5", neighbors="replace"
                )
        assert outer.balance("a").charges == inner.balance("b").charges == 0


@pytest.mark.parametrize(
    "event",
    [
        SAMPLED,
        RepeatedEvent(event=SAMPLED, count=3),
        ComposedEvent(events=(TENTH, RepeatedEvent(event=SAMPLED, count=1))),
    ],
)
def test_a_sampled_event_has_no_price_under_replace(ledger: Ledger, event: Any) -> None:
    ledger.declare("rows", neighbors="replace", budget=ONE)
    ledger.declare("people", neighbors="add-remove", budget=ONE)
    for _ in range(2):
        with pytest.raises(DeclarationError, match="add-remove"):
            ledger.charge("rows", event=event, question="q", analyst="ann")
        ledger.charge(
            "rows", event=TENTH, question="q", analyst="ann"
        )  # what it stands at is known
    with pytest.raises(DeclarationError, match="add-remove"):
        ledger.charge("people", event=event, question="q", neighbors="replace")
    ledger.charge("people", event=event, question="q")
    assert ledger.balance("rows").charges == 2


def test_a_recorded_sampled_event_under_replace_is_not_sound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from discreet.ledger import charges

    with Ledger(":memory:") as ledger:
        ledger.declare("rows", neighbors="replace", budget=ONE)
        with monkeypatch.context() as careless:
            careless.setattr(charges, "needs_add_remove", lambda event: False)
            charges._priced.cache_clear()
            charges._known.clear()
            ledger.charge("rows", event=SAMPLED, question="q")
        charges._priced.cache_clear()
        charges._known.clear()
        (problem,) = ledger.verify().problems
        assert "priced for other neighbors" in problem.fact


@each(
    "call",
    [
        lambda ledger: ask(ledger, question="\ud800"),
        lambda ledger: ask(ledger, question=None),
        lambda ledger: ask(ledger, question=5),
        lambda ledger: ask(ledger, summary=5),
        lambda ledger: ask(ledger, key="k", wait=float("nan")),
        lambda ledger: ask(ledger, key="k", wait=-1),
        lambda ledger: ask(ledger, key="k", wait="long"),
        lambda ledger: ask(ledger, analyst="\x1b[31m"),
        lambda ledger: ledger.lose(10**30),
        lambda ledger: ledger.lose(True),
        lambda ledger: ledger.lose(-1),
        lambda ledger: ledger.lose(None),
        lambda ledger: ledger.lose(10, "refunded"),
        lambda ledger: ledger.recent(10**30),
        lambda ledger: ledger.recent(-1),
        lambda ledger: ledger.recent(1.5),
        lambda ledger: ledger.asked(-1),
        lambda ledger: ledger.entry("1"),
        lambda ledger: ledger.release(ledger.asked(1), b"1", safe="no"),
        lambda ledger: declare(ledger, {"a": "\ud800"}),
        lambda ledger: declare(ledger, {"\ud800": 1}),
        lambda ledger: declare(ledger, nested(20_000)),
        lambda ledger: declare(ledger, nested(51)),
        lambda ledger: declare(ledger, {"a": 0.5}),
    ],
)
def test_what_is_not_what_it_should_be_is_refused_in_words(
    path: Path, call: Callable[[Ledger], object]
) -> None:
    with Ledger(path) as ledger:
        with pytest.raises(DataError, match=r"\. .*\. "):
            call(ledger)
        assert ledger.anchor().entries == 10


def nested(depth: int) -> dict[str, Any]:
    details: dict[str, Any] = {}
    for _ in range(depth):
        details = {"in": details}
    return details


def declare(ledger: Ledger, details: dict[str, Any]) -> None:
    ledger.declare("new", neighbors="add-remove", budget=ONE, details=details)


def test_an_entry_is_found_by_its_number_and_checked(path: Path) -> None:
    with Ledger(path) as ledger:
        assert ledger.entry(2) == list(ledger.history())[1]
        assert [ledger.entry(number) for number in (0, -1, 11, 10**30)] == [None] * 4
    edit(path, "UPDATE discreet_entries SET analyst = 'eve' WHERE sequence = 2")
    with Ledger(path) as ledger, pytest.raises(LedgerCorruptError, match="entry 2"):
        ledger.entry(2)


def test_a_declaration_can_be_read_back(path: Path) -> None:
    with Ledger(path) as ledger:
        assert ledger.declaration("visits").cap.budget == ONE
        with pytest.raises(DeclarationError, match="It knows: 'visits'"):
            ledger.declaration("nothing")


@pytest.mark.parametrize("time", ["garbage", "2026-13-01T00:00:00.000000Z", None, 5])
def test_a_clock_that_tells_no_time_is_refused(time: Any) -> None:
    with Ledger(":memory:", clock=lambda: time) as ledger:
        for use in (lambda: declare(ledger, {}), ledger.anchor):
            with pytest.raises(DataError, match="clock"):
                use()


@pytest.mark.parametrize("name", ["\x1b[31mroot", "a\nb", "\udcff", " "])
def test_the_systems_name_of_a_user_is_read_like_any_other(
    path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("discreet.ledger.ledger.getuser", lambda: name)
    with Ledger(path) as ledger:
        with pytest.raises(DataError, match="operating system's user"):
            ask(ledger, analyst=None)
        ask(ledger, analyst="ann")


# ---------------------------------------------------------------------- what is promised


def test_a_lowered_budget_does_not_lower_what_was_promised() -> None:
    with Ledger(":memory:") as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=Budget(epsilon=3))
        assert "ε = 3" in str(ledger.balance("visits").guarantee)
        ledger.set_budget("visits", Budget(epsilon=2), why="nobody has asked yet")
        assert ledger.balance("visits").guarantee == ledger.balance("visits").cap.guarantee  # type: ignore[union-attr]
        ask(ledger, event=PureEvent(epsilon=1))
        ledger.set_budget("visits", Budget(epsilon="0.5"), why="less")
        promise = str(ledger.balance("visits").guarantee)
        assert "(ε, δ)-DP with ε = 2, δ = 0" in promise
        assert (
            "From now on no question is answered that would bring all answers over ε = 0.5"
            in promise
        )
        ledger.set_budget("visits", Budget(epsilon=3), why="a slip, taken back at once")
        ledger.set_budget("visits", Budget(epsilon="0.5"), why="less")
        assert "(ε, δ)-DP with ε = 3, δ = 0" in str(ledger.balance("visits").guarantee)
        ledger.set_budget("visits", Budget(epsilon=4), why="more")
        assert ledger.balance("visits").guarantee == ledger.balance("visits").cap.guarantee  # type: ignore[union-attr]


def test_splits_of_delta_that_do_not_nest_promise_their_sum() -> None:
    first = Budget(epsilon=1, delta="1e-6", conversion_delta="9e-7")
    second = Budget(epsilon=1, delta="1e-6", conversion_delta="1e-7")
    with Ledger(":memory:") as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=first)
        ask(ledger)
        ledger.set_budget("visits", second, why="questions with a δ")
        assert "ε = 1, δ = 1.8e-06" in str(ledger.balance("visits").guarantee)


def promised(*budgets: Budget) -> str:
    """What is promised after a question under the first budget, and these changes."""
    with Ledger(":memory:") as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=budgets[0])
        ask(ledger, event=PureEvent(epsilon="0.01"))
        for budget in budgets[1:]:
            ledger.set_budget("visits", budget, why="another")
        balance = ledger.balance("visits")
        assert balance.cap is not None
        promise = str(balance.guarantee)
        return "the budget" if promise == balance.cap.guarantee else promise


def test_budgets_in_rho_promise_the_largest_of_them() -> None:
    low, high = Budget(rho="1/10", delta="1e-6"), Budget(rho="1/5", delta="1e-9")
    assert "are δ-approximate ρ-zCDP with ρ = 0.2, δ = 1e-06." in promised(low, high)
    assert promised(low, Budget(rho="1/5", delta="1e-6")) == "the budget"
    assert "bring all answers over ρ = 0.1." in promised(high, Budget(rho="1/10"))


def test_a_budget_that_was_of_the_other_kind_is_promised_for_what_it_implies() -> None:
    one, small, large = Budget(epsilon=1, delta="1e-6"), Budget(rho="0.02"), Budget(rho="0.1")
    # ρ = 0.02 converts to less than ε = 1 at the half of δ that is kept for that, ρ = 0.1 to more.
    assert promised(small, one) == "the budget"
    more = ZeroConcentratedDP(rho="0.1").to_approximate(delta=one.conversion_delta).epsilon
    stated = f"are (ε, δ)-DP with {named_number_text('ε', more)}, δ = 1e-06."
    assert stated in promised(large, one)
    # ε = 1 implies ρ = tanh(1/2), and all questions' δ.
    assert "are δ-approximate ρ-zCDP with ρ ≈ 0.462117, δ = 5e-07." in promised(one, large)
    assert promised(one, Budget(rho="1/2", delta="1e-6")) == "the budget"
    # Without a δ to convert with, nothing in ε follows from ρ.
    assert "are ρ-zCDP with ρ ≈ 0.462117." in promised(large, Budget(epsilon=1))
    # What could not be asked under, before the first question, is no part of it.
    with Ledger(":memory:") as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=one)
        ledger.set_budget("visits", large, why="nobody has asked yet")
        assert str(ledger.balance("visits").guarantee).endswith("are ρ-zCDP with ρ = 0.1.")


@pytest.mark.parametrize(
    "cap",
    [
        {"rho": "1/10", "delta": "0/1"},
        {"rho": "1/10", "delta": "0/1", "conversion_delta": "0/1", "period": None},
        {"rho": "1/10", "epsilon": "1/1", "delta": "0/1", "period": None},
        {"rho": "0/1", "delta": "0/1", "period": None},
        {"rho": "-1/10", "delta": "0/1", "period": None},
        {"rho": "1/10", "delta": "1/1", "period": None},
        {"rho": None, "delta": "0/1", "period": None},
        {"delta": "0/1", "period": None},
    ],
)
def test_a_cap_in_doubt_is_refused(cap: dict[str, object]) -> None:
    with pytest.raises(DiscreetError):
        BudgetCap.from_data(cap)


def test_a_change_of_period_or_an_analyst_without_a_cap_promises_nothing_for_the_past() -> None:
    with Ledger(":memory:") as ledger:
        ledger.declare("visits", neighbors="add-remove", budget=ONE, period="month")
        ask(ledger)
        ledger.set_budget("visits", ONE, why="for ever", period=None)
        assert "Nothing is promised of all answers" in str(ledger.balance("visits").guarantee)
        ledger.set_budget("visits", ONE, whose=BudgetScope.EACH_ANALYST, why="fair")
        assert "no such budget" in str(ledger.balance("visits", "ann").guarantee)
        assert ledger.balance("visits", "bob").guarantee is not None
        ledger.set_budget("visits", None, whose=BudgetScope.EACH_ANALYST, why="trust")
        assert ledger.balance("visits", "ann").guarantee is None


# ---------------------------------------------------------------------- forks


def forks_inside_a_block(place: str) -> list[int]:
    count = dp.count  # loaded: a fork in the middle of another thread's import waits for ever
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            count(AGES, epsilon="0.001")

    codes = []
    with dp.spending(Budget(epsilon=10), ledger=place, dataset="visits"):
        count(AGES, epsilon="0.001")
        thread = threading.Thread(target=work)
        thread.start()
        for _ in range(15):
            child = os.fork()
            if child == 0:
                import signal

                signal.alarm(30)
                try:
                    count(AGES, epsilon="0.001")
                    os._exit(0)
                finally:
                    os._exit(1)
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        stop.set()
        thread.join()
    return codes


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_while_a_thread_spends_does_not_hang(durable_place: str) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(forks_inside_a_block, durable_place).result() == [0] * 15
    with Ledger(durable_place) as ledger:
        assert ledger.verify().sound


@pytest.mark.slow
def test_two_processes_under_two_names_cannot_both_spend(path: Path) -> None:
    code = """
import sys
from discreet.ledger import Ledger
from discreet.privacy.events import PureEvent
with Ledger(sys.argv[1]) as ledger:
    ledger.charge("visits", event=PureEvent(epsilon="0.5"), question="q")
"""
    os.link(path, path.with_name("b"))
    for name in (path, path.with_name("b")):
        ran = subprocess.run(
            [sys.executable, "-c", code, str(name)], capture_output=True, text=True, check=False
        )
        assert "has 2 names" in ran.stderr
