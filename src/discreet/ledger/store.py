"""What the places of a ledger share: tables and migrations, errors in its own words, forks."""

import os
import re
import sqlite3
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, closing
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Protocol
from weakref import WeakSet

from discreet.errors import (
    LedgerCorruptError,
    LedgerError,
    LedgerMissingError,
    LedgerUnavailableError,
)
from discreet.ledger.entries import Entry
from discreet.ledger.records import Execute, Records

if TYPE_CHECKING:
    import psycopg


TIMEOUT_SECONDS: Final = 60.0
"""Seconds that one process waits for another to finish."""

SQLITE_FAULTS: Final = (sqlite3.DatabaseError, UnicodeError, OSError)
"""What may go wrong in SQLite; its own message about a damaged file may not be UTF-8."""

BUSY: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}


_MISSING: Final = re.compile("^no such |has no column|it is a view|^malformed")
"""What SQLite says of a table that is not as it was made."""
_HELD: Final = (
    f"another process has held it for over {TIMEOUT_SECONDS:.0f} seconds. Find it and end it"
)
_FULL: Final = "disk is full. Make room and ask again"
_SQLITE: Final = {
    **dict.fromkeys(BUSY, _HELD),
    sqlite3.SQLITE_FULL: f"the {_FULL}",
    sqlite3.SQLITE_IOERR: "the disk reports an error. Check it, and ask again",
    sqlite3.SQLITE_READONLY: "it may only be read. Make the file and its folder writable",
    sqlite3.SQLITE_PERM: "access is denied. Make the file and its folder writable",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened. Check that its folder exists and is writable",
}
_POSTGRES: Final = {
    "25006": "the server only reads: it is a standby, or set to read only. Use the primary",
    "42501": "the user may not read or write its tables. Grant it the rights",
    "53100": f"the server's {_FULL}",
    "55P03": _HELD,
    "57014": "a statement took over 120 seconds. Look at the server's load",
}
_CUT: Final = "the connection failed or was cut. Check the server and ask again"
SQLITE_APPLICATION: Final = 0x6473_6372
"""What marks a SQLite file as a ledger: "dscr"."""
_INDEXES: Final = (
    "CREATE INDEX discreet_declarations ON discreet_entries (dataset, analyst, sequence)"
    " WHERE kind IN ('dataset', 'budget', 'details')",
    "CREATE INDEX discreet_spent ON discreet_entries (dataset, sequence) WHERE kind = 'charge'",
    "CREATE INDEX discreet_asked ON discreet_entries (dataset, analyst, sequence)"
    " WHERE kind = 'charge'",
    # A key pays once.
    'CREATE UNIQUE INDEX discreet_keys ON discreet_entries (dataset, analyst, "key")'
    " WHERE kind = 'charge' AND \"key\" IS NOT NULL",
    # A charge is settled once: released or lost, never both and never twice.
    "CREATE UNIQUE INDEX discreet_settlements ON discreet_entries (charge)"
    " WHERE charge IS NOT NULL",
)
APPEND_ONLY: Final = "BEGIN RAISE EXCEPTION 'a ledger is append-only'; END"
"""What PostgreSQL runs when an entry is about to be changed or removed."""
# Whoever does not know of suspensions must not charge to a ledger that may hold one.
_SUSPENSIONS: Final = (
    "CREATE INDEX discreet_suspensions ON discreet_entries (dataset, sequence)"
    " WHERE kind IN ('suspended', 'resumed')",
)
SchemaObjects = frozenset[tuple[str, str, str]]
"""What there is: of which sort, by which name, and how it was made."""
_SQLITE_SCHEMA: Final = (
    "SELECT type, name, sql FROM sqlite_master"
    " WHERE name NOT LIKE 'sqlite^_stat%' ESCAPE '^'"  # what ANALYZE keeps for the planner
)
_TABLES: Final = ("discreet_entries", "discreet_answers", "discreet_head", "discreet_migrations")
_DECLARING: Final = "kind = ANY (ARRAY['dataset', 'budget', 'details'])"
_POSTGRES_INDEXES: Final = {
    "discreet_entries_pkey": "UNIQUE INDEX {} ON discreet_entries USING btree (sequence)",
    "discreet_answers_pkey": "UNIQUE INDEX {} ON discreet_answers USING btree (sequence)",
    "discreet_head_pkey": "UNIQUE INDEX {} ON discreet_head USING btree (one)",
    "discreet_migrations_pkey": "UNIQUE INDEX {} ON discreet_migrations USING btree (number)",
    "discreet_declarations": "INDEX {} ON discreet_entries USING btree (dataset, analyst, sequence)"
    f" WHERE {_DECLARING}",
    "discreet_spent": "INDEX {} ON discreet_entries USING btree (dataset, sequence)"
    " WHERE kind = 'charge'",
    "discreet_asked": "INDEX {} ON discreet_entries USING btree (dataset, analyst, sequence)"
    " WHERE kind = 'charge'",
    "discreet_keys": "UNIQUE INDEX {} ON discreet_entries USING btree (dataset, analyst, key)"
    " WHERE kind = 'charge' AND key IS NOT NULL",
    "discreet_settlements": "UNIQUE INDEX {} ON discreet_entries USING btree (charge)"
    " WHERE charge IS NOT NULL",
    "discreet_suspensions": "INDEX {} ON discreet_entries USING btree (dataset, sequence)"
    " WHERE kind = ANY (ARRAY['suspended', 'resumed'])",
}
_SINCE: Final = {"discreet_suspensions": 2}
"""The step that made an index, where it was not the first."""
_COLUMNS: Final = {
    "discreet_entries": "sequence bigint t, previous text t, time text t, kind text t,"
    " dataset text t, analyst text f, key text f, charge bigint f, body text t, hash text t",
    "discreet_answers": "sequence bigint t, content bytea t",
    "discreet_head": "one integer t",
    "discreet_migrations": "number integer t",
}
_BEFORE_EVERY_CHANGE: Final = 0b111010  # pg_trigger.tgtype: BEFORE, DELETE, UPDATE, TRUNCATE


class Store(Protocol):
    """The store of a ledger's entries: a SQLite file, a PostgreSQL database, or memory."""

    @property
    def place(self) -> str:
        """Where it is, as a user would write it; without a password."""

    @property
    def durable(self) -> bool:
        """Whether what was committed survives the process and the machine."""

    @property
    def read_only(self) -> bool:
        """Whether it was opened to be read only."""

    @property
    def lock(self) -> AbstractContextManager[bool]:
        """Held by the one thread that has a turn; a fork waits for it."""

    def transaction(self) -> AbstractContextManager[Records]:
        """Records that nobody else can append to.

        When the block ends, what was appended is durable and everyone sees it; when it is left
        by an exception, nothing was appended.
        """

    @property
    def compares(self) -> bool:
        """Whether it has ``append_next``."""

    def append_next(self, entry: Entry) -> bool:
        """Append an entry if it follows the head, in one statement that is a whole transaction.

        False means that it does not follow the head, and nothing was appended; true means that it
        was, durably.
        """

    @property
    def lapses(self) -> int:
        """How often charges that this process worked on were given up without being settled."""

    @property
    def holding(self) -> Collection[int]:
        """The charges that are worked on through this very store."""

    def hold(self, number: int) -> None:
        """Say that a charge is being worked on, before it is durable.

        It holds until ``let_go`` or ``close``, and at the latest until the process dies.
        """

    def let_go(self, number: int, *, settled: bool) -> None:
        """Say that a charge is no longer worked on."""

    def running(self, records: Records, numbers: Collection[int]) -> set[int]:
        """Those of the charges that somebody works on now, here or elsewhere."""

    def reading(self) -> AbstractContextManager[Records]:
        """Records to read from, for a moment: others may append meanwhile."""

    def faults(self) -> list[str]:
        """What the store itself finds wrong with its own structure."""

    def close(self) -> None:
        """Give back the connection.  The store opens it again when it is used."""


def sqlite_error(place: str, error: Exception) -> LedgerError:
    """What SQLite or the system reports."""
    if isinstance(error, OSError):
        return unavailable_error(place, f"{error.strerror}. Check the file and its folder")
    code = sqlite_code(error)
    if isinstance(error, sqlite3.ProgrammingError):
        return unavailable_error(place, "it was closed in the middle of a transaction. Ask again")
    if code == sqlite3.SQLITE_NOTADB:
        return not_a_ledger_error(place)
    if code in {sqlite3.SQLITE_CORRUPT, None} or _MISSING.search(str(error)):
        return damaged_error(place)
    name = getattr(error, "sqlite_errorname", "an error")
    return unavailable_error(
        place, _SQLITE.get(code or 0, f"SQLite reports {name}. Check the file")
    )


def sqlite_code(error: Exception) -> int | None:
    """SQLite's primary result code; None for what is not UTF-8 or not a number."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def postgres_error(place: str, error: "psycopg.Error") -> LedgerError:
    """What PostgreSQL or the connection to it reports."""
    state = error.sqlstate or ""
    if state in {"XX001", "XX002", "42P01", "42703"}:  # damage; no such table, no such column
        return damaged_error(place)
    if state in _POSTGRES:
        return unavailable_error(place, _POSTGRES[state])
    if not state or state.startswith(("08", "57", "25P03")):
        return unavailable_error(place, _CUT)
    return unavailable_error(place, f"the server reports {state}. Look it up in the server's log")


def unavailable_error(place: str, fact: str) -> LedgerUnavailableError:
    """The error of a store that cannot be used now."""
    return LedgerUnavailableError(
        f"the ledger {place} cannot be used: {fact}. A question is charged before it is answered, "
        "so nothing was released."
    )


def damaged_error(place: str) -> LedgerCorruptError:
    """The error of a store that cannot be read."""
    return LedgerCorruptError(
        f"the ledger {place} is damaged. What cannot be read cannot be added "
        "to, so nothing was released. Restore a backup and check it with discreet ledger verify "
        "--anchor."
    )


def not_a_ledger_error(place: str) -> LedgerError:
    """The error of a file of another kind."""
    return LedgerError(
        f"{place} is not a ledger: it does not begin as a SQLite file does. What is not a ledger "
        "is neither read nor written. Check the path; if it was a ledger, it is damaged: restore a "
        "backup, and check it with discreet ledger verify --anchor."
    )


def missing_ledger_error(what: str) -> LedgerMissingError:
    """The error of a ledger that should be there."""
    return LedgerMissingError(
        f"there is no {what}. Only declaring a data set makes one. Check the path or the address."
    )


def no_folder_error(place: str) -> LedgerMissingError:
    """The error of a ledger that should be made where nothing is."""
    return LedgerMissingError(
        f"there is no folder for the ledger {place}. A ledger is made only in a folder that is "
        "there, so that a slip in its path does not start a new account. Make the folder, or "
        "correct the path. Nothing was spent."
    )


class ForkAware(Protocol):
    """A store that is told of forks."""

    def before_fork(self) -> None:
        """No transaction may run from here on, and nothing stays open that must not be copied."""

    def after_fork(self, *, child: bool) -> None:
        """Transactions may run again."""


_guard = Lock()  # held through a fork, so that forks take turns and the child finds it free
_stores: "WeakSet[ForkAware]" = WeakSet()
_stopped: list[ForkAware] = []


def watch(store: ForkAware) -> None:
    """Tell the store of every fork of this process from now on."""
    with _guard:
        _stores.add(store)


def _before() -> None:
    _guard.acquire()
    for store in list(_stores):
        store.before_fork()
        _stopped.append(store)


def _after(child: bool) -> None:
    while _stopped:
        _stopped.pop().after_fork(child=child)
    if (
        _guard.locked()
    ):  # unless the fork was made in C, past Python: stores see that for themselves
        _guard.release()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(
        before=_before,
        after_in_parent=lambda: _after(child=False),
        after_in_child=lambda: _after(child=True),
    )


_SQLITE_FIRST: Final = (
    """CREATE TABLE discreet_entries (
        sequence INTEGER PRIMARY KEY, previous TEXT NOT NULL, time TEXT NOT NULL,
        kind TEXT NOT NULL, dataset TEXT NOT NULL, analyst TEXT, "key" TEXT, charge INTEGER,
        body TEXT NOT NULL, hash TEXT NOT NULL)""",
    "CREATE TABLE discreet_answers (sequence INTEGER PRIMARY KEY, content BLOB NOT NULL)",
    *_INDEXES,
    *(
        f"CREATE TRIGGER discreet_{table}_{action.lower()} BEFORE {action} ON discreet_{table}"
        " BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END"
        for table in ("entries", "answers")
        for action in ("UPDATE", "DELETE")
    ),
    f"PRAGMA application_id = {SQLITE_APPLICATION}",
)


_POSTGRES_FIRST: Final = (
    """CREATE TABLE discreet_entries (
        sequence BIGINT PRIMARY KEY, previous TEXT NOT NULL, time TEXT NOT NULL,
        kind TEXT NOT NULL, dataset TEXT NOT NULL, analyst TEXT, "key" TEXT, charge BIGINT,
        body TEXT NOT NULL, hash TEXT NOT NULL)""",
    "CREATE TABLE discreet_answers (sequence BIGINT PRIMARY KEY, content BYTEA NOT NULL)",
    # Whoever appends holds this row: it stands for the head, so that writers take turns.
    "CREATE TABLE discreet_head (one INTEGER PRIMARY KEY CHECK (one = 1))",
    "INSERT INTO discreet_head (one) VALUES (1)",
    *_INDEXES,
    f"CREATE FUNCTION discreet_append_only() RETURNS trigger LANGUAGE plpgsql AS $${APPEND_ONLY}$$",
    *(
        f"CREATE TRIGGER discreet_{table}_kept BEFORE UPDATE OR DELETE OR TRUNCATE"
        f" ON discreet_{table} FOR EACH STATEMENT EXECUTE FUNCTION discreet_append_only()"
        for table in ("entries", "answers")
    ),
)


SQLITE: Final[Sequence[Sequence[str]]] = (_SQLITE_FIRST, _SUSPENSIONS)
POSTGRES: Final[Sequence[Sequence[str]]] = (_POSTGRES_FIRST, _SUSPENSIONS)


def migrate(execute: Execute, steps: Sequence[Sequence[str]], place: str) -> None:
    """Take the steps that the ledger has not taken.  Runs inside one transaction."""
    execute("CREATE TABLE IF NOT EXISTS discreet_migrations (number INTEGER PRIMARY KEY)", {})
    for number in range(steps_taken(execute, steps, place) + 1, len(steps) + 1):
        for statement in steps[number - 1]:
            execute(statement, {})
        execute("INSERT INTO discreet_migrations (number) VALUES (:number)", {"number": number})


def steps_taken(execute: Execute, steps: Sequence[Sequence[str]], place: str) -> int:
    """How many steps the ledger has taken."""
    rows = execute("SELECT number FROM discreet_migrations ORDER BY number", {})
    numbers = [row[0] for row in rows]
    whole = all(type(number) is int for number in numbers)
    if not whole or numbers != list(range(1, len(rows) + 1)):
        raise LedgerCorruptError(
            f"the ledger {place} does not say which format it has. Its steps are counted from 1, "
            "so somebody or something else wrote to it. Restore a backup, and check it with "
            "discreet ledger verify --anchor."
        )
    if len(numbers) > len(steps):
        raise LedgerError(
            f"the ledger {place} has format {len(numbers)}, and this discreet knows formats up to "
            f"{len(steps)}. An entry that is not understood cannot be counted. Install the "
            "version of discreet that wrote it, or a newer one."
        )
    return len(numbers)


def must_migrate(steps: Sequence[Sequence[str]]) -> bool:
    """Whether a ledger that has not taken these steps cannot be read: an index is no need."""
    return any(not one.startswith("CREATE INDEX") for step in steps for one in step)


def sqlite_faults(execute: Execute, steps: Sequence[Sequence[str]]) -> list[str]:
    """In what a SQLite file differs from what the steps make."""
    return _differences(_texts(execute(_SQLITE_SCHEMA, {})), _sqlite_made(tuple(map(tuple, steps))))


@lru_cache(maxsize=8)
def _sqlite_made(steps: tuple[tuple[str, ...], ...]) -> SchemaObjects:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as scratch:
        migrate(lambda *call: scratch.execute(*call).fetchall(), steps, "in memory")
        return _texts(scratch.execute(_SQLITE_SCHEMA).fetchall())


def _texts(rows: list[tuple[Any, ...]]) -> SchemaObjects:
    return frozenset((str(sort), str(name), str(text)) for sort, name, text in rows)


_OURS: Final = ", ".join(f"to_regclass('{name}')" for name in _TABLES)
# Definitions that the server writes out differ in blanks and brackets, so those are left out.
_POSTGRES_SCHEMA: Final = f"""
SELECT 'table', c.relname::text, concat_ws(' ', c.relkind, c.relpersistence, c.relrowsecurity,
  (SELECT COUNT(*) FROM pg_rewrite WHERE ev_class = c.oid),
  (SELECT COUNT(*) FROM pg_inherits WHERE c.oid IN (inhparent, inhrelid)))
FROM pg_class AS c WHERE c.oid IN ({_OURS})
UNION ALL
SELECT 'column', c.relname || '.' || a.attname, concat_ws(' ',
  format_type(a.atttypid, a.atttypmod), a.attnotnull, a.atthasdef, a.attcollation = t.typcollation)
FROM pg_attribute AS a
JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_type AS t ON t.oid = a.atttypid
WHERE c.oid IN ({_OURS}) AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT 'index', c.relname::text, i.indisvalid || pg_get_indexdef(i.indexrelid)
FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid WHERE i.indrelid IN ({_OURS})
UNION ALL
SELECT 'trigger', g.tgname::text,
  concat_ws(' ', c.relname, g.tgenabled, g.tgtype, p.proname, p.prosrc)
FROM pg_trigger AS g JOIN pg_class AS c ON c.oid = g.tgrelid JOIN pg_proc AS p ON p.oid = g.tgfoid
WHERE c.oid IN ({_OURS}) AND NOT g.tgisinternal
"""


def postgres_faults(execute: Execute, steps: int) -> list[str]:
    """The differences of a PostgreSQL database from what its migration steps make."""
    objects = frozenset(
        (sort, name, _bare(text)) for sort, name, text in execute(_POSTGRES_SCHEMA, {})
    )
    return _differences(objects, _postgres_made(steps))


@lru_cache(maxsize=8)
def _postgres_made(steps: int) -> SchemaObjects:
    made = [("table", name, "r p f 0 0") for name in _TABLES]
    for table, columns in _COLUMNS.items():
        for column in columns.split(", "):
            name, kind, needed = column.split()
            made.append(("column", f"{table}.{name}", f"{kind} {needed} f t"))
    made += [
        ("index", name, f"trueCREATE {text.format(name)}")
        for name, text in _POSTGRES_INDEXES.items()
        if steps >= _SINCE.get(name, 1)
    ]
    made += [
        (
            "trigger",
            f"{table}_kept",
            f"{table} O {_BEFORE_EVERY_CHANGE} discreet_append_only {APPEND_ONLY}",
        )
        for table in ("discreet_entries", "discreet_answers")
    ]
    return frozenset((sort, name, _bare(text)) for sort, name, text in made)


def _bare(text: str) -> str:
    """A definition without blanks, brackets, casts and schemas."""
    return re.sub(r'\s+|[()"]|::text|(?<=ON )\S+\.(?=discreet_)', "", text)


def _differences(found: SchemaObjects, made: SchemaObjects) -> list[str]:
    def names(rows: SchemaObjects) -> set[tuple[str, str]]:
        return {row[:2] for row in rows}

    there, wanted = names(found), names(made)
    changed = names(found ^ made) & there & wanted
    return sorted(
        [f"the {sort} {name[:80]!r} is missing" for sort, name in wanted - there]
        + [f"the {sort} {name[:80]!r} was added" for sort, name in there - wanted]
        + [f"the {sort} {name[:80]!r} was changed" for sort, name in changed]
    )


def refuse(place: str, faults: list[str]) -> None:
    """Refuse a ledger whose tables are not as they were made."""
    if faults:
        more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise LedgerCorruptError(
            f"the tables of the ledger {place} are not as they were made: {faults[0]}{more}. A "
            "trigger can swallow a charge and a view can hide one, so nothing is written to it. "
            "Run discreet ledger verify, and restore a backup that it accepts."
        )
