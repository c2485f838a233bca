"""What a ledger needs of the place where it is kept, and the errors of such places."""

import os
import re
import sqlite3
from collections.abc import Collection
from contextlib import AbstractContextManager
from threading import Lock
from typing import TYPE_CHECKING, Final, Protocol
from weakref import WeakSet

from discreet.errors import (
    LedgerCorruptError,
    LedgerError,
    LedgerMissingError,
    LedgerUnavailableError,
)
from discreet.ledger.entries import Entry
from discreet.ledger.records import Records

if TYPE_CHECKING:
    import psycopg


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
