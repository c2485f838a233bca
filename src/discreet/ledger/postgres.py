"""A ledger in a PostgreSQL database, for several hosts at once.

One connection per process, used by one thread at a time.  Appending locks the row that names the
head, so transactions of all hosts take turns; each is durable when its commit returns.  When
the connection breaks during a commit, the head is locked again on a new connection: what is
found then is final.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from os import open as open_descriptor
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from discreet.dependencies import install_extra
from discreet.errors import LedgerError, LedgerUnavailableError
from discreet.ledger.entries import Entry
from discreet.ledger.records import Execute, Records
from discreet.ledger.store import (
    POSTGRES,
    migrate,
    missing_ledger_error,
    must_migrate,
    postgres_error,
    postgres_faults,
    refuse,
    steps_taken,
    watch,
)

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

_MIGRATION_LOCK: Final = 0x6473_6372
_BEGIN: Final = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
_LOCK_HEAD: Final = "SELECT one FROM discreet_head FOR UPDATE"
# A host that dies in a transaction must not keep the others waiting for ever.
_SETTINGS: Final = {
    "lock_timeout": "60s",
    "statement_timeout": "120s",
    "idle_in_transaction_session_timeout": "60s",
    # Nor may its session go on as if it were alive.
    "tcp_keepalives_idle": "60",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "6",
}
# A charge that is worked on is an advisory lock of the session: the table, and the charge's number.
# It is shared, so that a session that replaces a broken one need not wait for the server to notice.
_TABLE: Final = "to_regclass('discreet_entries')::oid"
_HOLD: Final = f"SELECT pg_advisory_lock_shared({_TABLE}::int, :number::int)"
_LET_GO: Final = f"SELECT pg_advisory_unlock_shared({_TABLE}::int, :number::int)"
_RUNNING: Final = f"""
SELECT objid::bigint FROM pg_locks
WHERE locktype = 'advisory' AND granted AND classid = {_TABLE} AND objsubid = 2
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
AND objid::bigint = ANY(:numbers)
"""
_LARGEST: Final = 2**31
_inherited: list[object] = []
"""Connections of a parent process, which goes on using them: never used, never closed here."""


class PostgresStore:
    """Entries in one PostgreSQL database."""

    durable = True
    compares = False

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        self.place = shown_url(url)
        self._url = url
        self.read_only = read_only
        self.lock = RLock()
        self._process = os.getpid()
        self._connection: Connection | None = None
        self.holding: set[int] = set()
        self.lapses = 0
        watch(self)
        with self.lock, self._translated():
            self._connected()

    @contextmanager
    def transaction(self) -> Iterator[Records]:
        """Records that nobody else can append to; durable when the block ends."""
        with self.lock, self._translated():
            connection = self._begun()
            appended = _Appended(_executing(connection))
            try:
                yield appended
            except BaseException:
                self._undo(connection)
                raise
            self._commit(connection, appended.entries)

    def append_next(self, entry: Entry) -> bool:
        """Always False: on PostgreSQL every append locks the head first."""
        return False

    @contextmanager
    def reading(self) -> Iterator[Records]:
        """Records to read from."""
        with self.lock, self._translated():
            yield Records(_executing(self._alive()))

    def faults(self) -> list[str]:
        """What differs in its tables; the server checks its own pages."""
        with self.reading() as records:
            steps = steps_taken(records.execute, POSTGRES, self.place)
            return postgres_faults(records.execute, steps)

    def hold(self, number: int) -> None:
        """Say that a charge is being worked on, for as long as the session lives."""
        with self.lock, self._translated():
            _executing(self._connected())(_HOLD, {"number": number % _LARGEST})
            self.holding.add(number)

    def let_go(self, number: int, *, settled: bool) -> None:
        """Say that a charge is no longer worked on; a session that broke has said so itself."""
        with self.lock:
            if number not in self.holding:
                return
            self.holding.discard(number)
            self.lapses += not settled
            if self._connection is not None and not self._connection.closed:
                with suppress(_driver().Error):
                    _executing(self._connection)(_LET_GO, {"number": number % _LARGEST})

    def running(self, records: Records, numbers: Collection[int]) -> set[int]:
        """Those of the charges that a living session works on."""
        if not numbers:
            return set()
        asked = {number % _LARGEST: number for number in numbers}
        rows = records.execute(_RUNNING, {"numbers": list(asked)})
        return {asked[row[0]] for row in rows}

    def close(self) -> None:
        """Give back the connection.  What is still worked on through it counts as given up."""
        with self.lock:
            self.lapses += len(self.holding)
            self.holding.clear()
            self._disconnect()

    def _disconnect(self) -> None:
        with self.lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()

    def before_fork(self) -> None:
        """Let transactions end."""
        self.lock.acquire()

    def after_fork(self, *, child: bool) -> None:
        """Go on: the child with a connection of its own."""
        if child:
            self.lock = RLock()
            self._process = os.getpid()
            self.lapses += 1  # what the parent works on is not worked on here
            self.holding.clear()
            _leave(self._connection)
            self._connection = None
        else:
            self.lock.release()

    def _connected(self) -> "Connection":
        if self._process != os.getpid():
            raise LedgerError(
                f"the ledger {self.place} was opened by another process, from which this one was "
                "forked. The two would talk over one connection. Open the ledger after the fork."
            )
        if self._connection is None or self._connection.closed:
            self._connection = self._connect()
        return self._connection

    def _alive(self) -> "Connection":
        """A connection that answers; one that broke while nobody looked is opened again."""
        import psycopg

        connection = self._connected()
        try:
            connection.execute("SELECT 1")
        except psycopg.OperationalError:
            self._disconnect()
            connection = self._connected()
        return connection

    def _begun(self) -> "Connection":
        """A transaction that holds the head.  A lost connection is no loss yet: it is replaced."""
        import psycopg

        connection = self._connected()
        try:
            return self._lock_head(connection)
        except psycopg.OperationalError:
            if not connection.closed:
                raise
        return self._lock_head(self._connected())

    def _lock_head(self, connection: "Connection") -> "Connection":
        try:
            connection.execute(_BEGIN)
            connection.execute(_LOCK_HEAD)
            return connection
        except BaseException:
            self._undo(connection)
            raise

    def _commit(self, connection: "Connection", entries: list[Entry]) -> None:
        import psycopg

        try:
            connection.execute("COMMIT")
        except psycopg.OperationalError:
            self._undo(connection)
            # The server may have committed before the connection broke.  It holds the head until
            # it has decided, so after locking the head the answer is certain.
            again = self._begun()
            try:
                records = Records(_executing(again))
                found = [records.entry(entry.sequence) == entry for entry in entries]
            finally:
                self._undo(again)
            if not all(found):
                raise

    def _undo(self, connection: "Connection") -> None:
        import psycopg

        try:
            connection.execute("ROLLBACK")
        except psycopg.Error:
            with suppress(psycopg.Error):
                connection.close()

    def _connect(self) -> "Connection":
        psycopg = _driver()
        connection: Connection = psycopg.connect(
            self._url,
            autocommit=True,
            connect_timeout=10,
            application_name="discreet ledger",
        )
        try:
            execute = _executing(connection)
            for name, value in _SETTINGS.items():
                execute(f"SET {name} = '{value}'", {})
            if self.read_only:
                self._check_readable(execute)
            else:
                self._check_durable(execute)
                with connection.transaction():
                    execute(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})", {})
                    migrate(execute, POSTGRES, self.place)
                    refuse(self.place, postgres_faults(execute, len(POSTGRES)))
                for number in self.holding:  # an earlier session broke, and not the process
                    execute(_HOLD, {"number": number % _LARGEST})
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_durable(self, execute: Any) -> None:
        ((fsync, commit),) = execute(
            "SELECT current_setting('fsync'), current_setting('synchronous_commit')", {}
        )
        if fsync != "on":
            raise LedgerError(
                f"the server of {self.place} runs with fsync = {fsync}. A charge must survive a "
                "power cut before data are read. Set fsync = on in postgresql.conf."
            )
        if commit in {"off", "local", "remote_write"}:
            execute("SET synchronous_commit = on", {})

    def _check_readable(self, execute: Any) -> None:
        execute("SET default_transaction_read_only = on", {})
        ((table,),) = execute("SELECT to_regclass('discreet_migrations')::text", {})
        if table is None:
            raise missing_ledger_error(f"ledger in {self.place}")
        if must_migrate(POSTGRES[steps_taken(execute, POSTGRES, self.place) :]):
            raise LedgerError(
                f"the ledger {self.place} has an older format, and it was opened to be read only. "
                "Its tables must be brought up to date first. Open it once for writing."
            )

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """PostgreSQL's errors as the ledger's: fact, rule, remedy."""
        psycopg = _driver()
        try:
            yield
        except psycopg.Error as error:
            raise postgres_error(self.place, error) from error


class _Appended(Records):
    """Records that remember what was appended through them."""

    __slots__ = ("entries",)

    def __init__(self, execute: Any) -> None:
        super().__init__(execute)
        self.entries: list[Entry] = []

    def append(self, entry: Entry, answer: bytes | None = None) -> None:
        super().append(entry, answer)
        self.entries.append(entry)


def _leave(connection: "Connection | None") -> None:
    """Leave a parent's connection to the parent, in a process that was forked.

    It is never used and never closed here.  Its socket is: the server must see the parent's death.
    """
    if connection is None or connection.closed:
        return
    _inherited.append(connection)
    nothing = open_descriptor(os.devnull, os.O_RDWR)
    os.dup2(nothing, connection.fileno(), inheritable=False)
    os.close(nothing)


def _executing(connection: "Connection") -> Execute:
    def execute(
        statement: str, parameters: Mapping[str, object] | Sequence[object]
    ) -> list[tuple[Any, ...]]:
        cursor = connection.execute(_translation(statement), parameters or None)
        return cursor.fetchall() if cursor.description else []

    return execute


@lru_cache(maxsize=64)
def _translation(statement: str) -> Any:
    """Parameters as psycopg writes them."""
    return re.sub(r"(?<!:):(\w+)", r"%(\1)s", statement).replace("?", "%s")


def _driver() -> Any:
    try:
        import psycopg
    except ImportError:
        raise LedgerUnavailableError(
            "the package psycopg is not installed. A ledger in PostgreSQL is reached through it. "
            f"Run: {install_extra('postgres')}"
        ) from None
    return psycopg


def shown_url(url: str) -> str:
    """The address without its password.

    >>> shown_url("postgresql://ann:secret@db.example:5432/privacy?sslmode=require")
    'postgresql://ann@db.example:5432/privacy'
    >>> shown_url("postgresql://ann:se/c?re#t@db.example/privacy")
    'postgresql://ann@db.example/privacy'
    """
    scheme, mark, rest = url.partition("://")
    # A password may hold any sign, if it was not encoded: all before the last @ is left out.
    before, at, place = rest.rpartition("@")
    user = re.split("[:/?#]", before)[0]
    return f"{scheme}{mark}{user}{at}{re.split('[?#]', place)[0]}"
