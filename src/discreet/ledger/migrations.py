"""The tables of a ledger, as numbered steps from nothing to today.

A step is never edited once it was released: a ledger remembers the last one it took and takes
the others when it is opened.  One that took a step this version does not know is refused.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from discreet.errors import LedgerCorruptError, LedgerError


class Execute(Protocol):
    """Runs one statement, with parameters by name (:name) or by place (?), and returns its rows."""

    def __call__(
        self, statement: str, parameters: Mapping[str, object] | Sequence[object], /
    ) -> list[tuple[Any, ...]]: ...


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

APPEND_ONLY: Final = "BEGIN RAISE EXCEPTION 'a ledger is append-only'; END"
"""What PostgreSQL runs when an entry is about to be changed or removed."""

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

# Whoever does not know of suspensions must not charge to a ledger that may hold one.
_SUSPENSIONS: Final = (
    "CREATE INDEX discreet_suspensions ON discreet_entries (dataset, sequence)"
    " WHERE kind IN ('suspended', 'resumed')",
)

SQLITE: Final[Sequence[Sequence[str]]] = (_SQLITE_FIRST, _SUSPENSIONS)
POSTGRES: Final[Sequence[Sequence[str]]] = (_POSTGRES_FIRST, _SUSPENSIONS)


def migrate(execute: Execute, steps: Sequence[Sequence[str]], place: str) -> None:
    """Take the steps that the ledger has not taken.  Runs inside one transaction."""
    execute("CREATE TABLE IF NOT EXISTS discreet_migrations (number INTEGER PRIMARY KEY)", {})
    for number in range(taken(execute, steps, place) + 1, len(steps) + 1):
        for statement in steps[number - 1]:
            execute(statement, {})
        execute("INSERT INTO discreet_migrations (number) VALUES (:number)", {"number": number})


def taken(execute: Execute, steps: Sequence[Sequence[str]], place: str) -> int:
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
