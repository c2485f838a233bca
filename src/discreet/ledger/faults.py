"""The errors of the stores in the words of the ledger: fact, rule, remedy."""

import re
import sqlite3
from typing import TYPE_CHECKING, Final

from discreet.errors import (
    LedgerCorruptError,
    LedgerError,
    LedgerMissingError,
    LedgerUnavailableError,
)

if TYPE_CHECKING:
    import psycopg

PATIENCE: Final = 60.0
"""Seconds that one process waits for another to finish."""

SQLITE_FAULTS: Final = (sqlite3.DatabaseError, UnicodeError, OSError)
"""What may go wrong in SQLite; its own message about a damaged file may not be UTF-8."""

BUSY: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}

_MISSING: Final = re.compile("^no such |has no column|it is a view|^malformed")
"""What SQLite says of a table that is not as it was made."""

_HELD: Final = f"another process has held it for over {PATIENCE:.0f} seconds. Find it and end it"
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
        return unavailable(place, f"{error.strerror}. Check the file and its folder")
    code = sqlite_code(error)
    if isinstance(error, sqlite3.ProgrammingError):
        return unavailable(place, "it was closed in the middle of a transaction. Ask again")
    if code == sqlite3.SQLITE_NOTADB:
        return no_ledger(place)
    if code in {sqlite3.SQLITE_CORRUPT, None} or _MISSING.search(str(error)):
        return damaged(place)
    name = getattr(error, "sqlite_errorname", "an error")
    return unavailable(place, _SQLITE.get(code or 0, f"SQLite reports {name}. Check the file"))


def sqlite_code(error: Exception) -> int | None:
    """SQLite's primary result code; None for what is not UTF-8 or not a number."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def postgres_error(place: str, error: "psycopg.Error") -> LedgerError:
    """What PostgreSQL or the connection to it reports."""
    state = error.sqlstate or ""
    if state in {"XX001", "XX002", "42P01", "42703"}:  # damage; no such table, no such column
        return damaged(place)
    if state in _POSTGRES:
        return unavailable(place, _POSTGRES[state])
    if not state or state.startswith(("08", "57", "25P03")):
        return unavailable(place, _CUT)
    return unavailable(place, f"the server reports {state}. Look it up in the server's log")


def unavailable(place: str, fact: str) -> LedgerUnavailableError:
    """The error of a store that cannot be used now."""
    return LedgerUnavailableError(
        f"the ledger {place} cannot be used: {fact}. A question is charged before it is answered, "
        "so nothing was released."
    )


def damaged(place: str) -> LedgerCorruptError:
    """The error of a store that cannot be read."""
    return LedgerCorruptError(
        f"the ledger {place} is damaged. What cannot be read cannot be added "
        "to, so nothing was released. Restore a backup and check it with discreet ledger verify "
        "--anchor."
    )


def no_ledger(place: str) -> LedgerError:
    """The error of a file of another kind."""
    return LedgerError(
        f"{place} is not a ledger: it does not begin as a SQLite file does. What is not a ledger "
        "is neither read nor written. Check the path; if it was a ledger, it is damaged: restore a "
        "backup, and check it with discreet ledger verify --anchor."
    )


def missing(what: str) -> LedgerMissingError:
    """The error of a ledger that should be there."""
    return LedgerMissingError(
        f"there is no {what}. Only declaring a data set makes one. Check the path or the address."
    )


def no_folder(place: str) -> LedgerMissingError:
    """The error of a ledger that should be made where nothing is."""
    return LedgerMissingError(
        f"there is no folder for the ledger {place}. A ledger is made only in a folder that is "
        "there, so that a slip in its path does not start a new account. Make the folder, or "
        "correct the path. Nothing was spent."
    )
