"""A connection to PostgreSQL that reads and never writes, whatever its role may do.

Every query runs in a read-only transaction of its own, at REPEATABLE READ, behind a cursor on the
server.  What the role, the database or the address say about names, time zones and the form of
numbers is overruled.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.dependencies import install_extra
from discreet.errors import SourceError

if TYPE_CHECKING:
    import psycopg

    Session = psycopg.Connection[tuple[Any, ...]]

_AT_ONCE = 10_000
_OLDEST = 130_000
_SETTINGS = {
    "default_transaction_read_only": "on",
    "default_transaction_isolation": "repeatable read",
    "idle_in_transaction_session_timeout": "60s",
    "lock_timeout": "60s",
    # Names are those of PostgreSQL itself; tables are written with their schema.
    "search_path": "pg_catalog, pg_temp",
    "client_encoding": "UTF8",
    "standard_conforming_strings": "on",
    "timezone": "UTC",
    "datestyle": "ISO, YMD",
    "extra_float_digits": "3",
    # Results are read to the end: a plan that is fast for the first rows only is no use.
    "cursor_tuple_fraction": "1",
    "transform_null_equals": "off",
    "bytea_output": "hex",
}

_inherited: list[object] = []
"""Connections of a parent process, which goes on using them: never used, never closed here."""


class PreparedQuery(str):
    """A query with what is run before it in its transaction, so that failures come first."""

    __slots__ = ("before",)
    before: tuple[str, ...]

    def __new__(cls, text: str, before: tuple[str, ...] = ()) -> "PreparedQuery":
        """``before`` are queries whose results are not looked at."""
        found = super().__new__(cls, text)
        found.before = before
        return found


class PostgresConnection:
    """A read-only session.  One that was lost is opened again for the next question.

    A process that was forked opens a session of its own when it first asks.
    """

    def __init__(self, address: str, seconds: int) -> None:
        self._address = address
        self._seconds = seconds
        self._numbers = count()
        self._session: Session | None = None
        self._start()
        self._checked()

    def close(self) -> None:
        """Give back the session."""
        session, self._session = self._session, None
        if session is not None and self._process == os.getpid():
            with suppress(Exception):
                session.close()

    @property
    def software(self) -> tuple[str, str]:
        """What runs the queries, and its version."""
        with self._transaction() as session:
            number = session.info.server_version
        return "postgresql", f"{number // 10_000}.{number % 10_000}"

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The result as Python values: integers of any size."""
        return [tuple(map(_plain, row)) for row in self._fetched(query)[1]]

    def arrays(self, query: str) -> dict[str, Any]:
        """The result by columns: integers of 64 bits."""
        names, rows = self._fetched(query)
        found = np.array(rows, np.int64).reshape(-1, len(names))
        return {name: found[:, place] for place, name in enumerate(names)}

    def bind(self, query: str) -> None:
        """Find the columns and functions of a query, without running it."""
        name = f"bound_{next(self._numbers)}"
        with self._transaction() as session:
            session.execute(f"PREPARE {name} AS {query}".encode())
            session.execute(f"DEALLOCATE {name}".encode())

    def described(self, query: str, *parameters: object) -> list[tuple[Any, ...]]:
        """What the catalog says; a session that was lost in between is opened again.

        No row of a table is read, so that this may be asked twice.
        """
        try:
            with self._transaction() as session:
                return session.execute(query.encode(), parameters).fetchall()
        except Exception:
            if self._session is None or not self._session.closed:
                raise
        with self._transaction() as session:
            return session.execute(query.encode(), parameters).fetchall()

    def forget(self, query: str) -> None:
        """Nothing: what is bound is given back at once."""

    def progress(self) -> float:
        """Always 0: PostgreSQL does not report the progress of a query."""
        return 0.0

    def _fetched(self, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The names and the rows of a result, which the server hands over a part at a time."""
        before = query.before if isinstance(query, PreparedQuery) else ()
        with self._transaction() as session:
            for text in (*before, query):
                # By a cursor each, since PostgreSQL plans what has one in another way.
                with session.cursor(f"rows_{next(self._numbers)}") as cursor:
                    cursor.itersize = _AT_ONCE
                    cursor.execute(text.encode())
                    rows = list(cursor)
                    names = [column.name for column in cursor.description or ()]
            return names, rows

    @contextmanager
    def _transaction(self) -> Iterator["Session"]:
        """A transaction that has ended when the block has, whatever happened."""
        if self._process != os.getpid():
            _inherited.append(self._session)
            self._start()
        with self._turn:
            if self._session is None or self._session.closed:
                self._session = self._connect()
            session = self._session
            try:
                yield session
            finally:
                with suppress(Exception):
                    session.rollback()

    def _start(self) -> None:
        self._process = os.getpid()
        self._turn = Lock()  # one query at a time
        self._session = None

    def _connect(self) -> "Session":
        import psycopg

        session = psycopg.connect(
            self._address,
            prepare_threshold=None,
            connect_timeout=30,
            application_name="discreet",
        )
        try:
            settings = {**_SETTINGS, "statement_timeout": f"{self._seconds}s"}
            for name, value in settings.items():
                session.execute("SELECT pg_catalog.set_config(%s, %s, false)", (name, value))
            session.commit()
            session.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            session.read_only = True
        except BaseException:
            session.close()
            raise
        return session

    def _checked(self) -> None:
        """Refuse a server that cannot be reached, is too old, or whose texts are not UTF-8."""
        encoding, version, installed = "", 0, True
        try:
            settings = "current_setting('server_encoding'), current_setting('server_version_num')"
            encoding, number = self.described(f"SELECT {settings}")[0]
            version = int(number)
        except ModuleNotFoundError:
            installed = False
        except Exception:
            pass
        if encoding == "UTF8" and version >= _OLDEST:
            return
        self.close()
        if not installed:
            raise SourceError(
                "the source is a PostgreSQL database and psycopg is not installed. It is what "
                f"talks to the server. Run: {install_extra('postgres')}"
            )
        if not encoding:
            raise SourceError(
                "the PostgreSQL database cannot be reached, or does not let the role in. The "
                "address names host and database; user and password may come from PGUSER, "
                "PGPASSWORD or a password file. Try the same with psql."
            )
        raise SourceError(
            "the PostgreSQL server is older than version 13, or the database does not store its "
            "texts as UTF-8. Texts and numbers would be others here than there. Put the table into "
            "a database with ENCODING 'UTF8' on a newer server."
        )


def _plain(value: object) -> object:
    """Whole numbers as Python's: sums are NUMERIC on the server."""
    return int(value) if isinstance(value, Decimal) else value
