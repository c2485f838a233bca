"""The two databases that a poll may be kept in, and in what they differ."""

import os
import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from discreet.errors import SourceError
from discreet.packages import install_extra

_LOCK = 0x646973637265  # a number of our own among a server's advisory locks
_PATIENCE = 30  # seconds for another process to end its transaction
_INSTANT = 200  # milliseconds for whoever reads, before a tidying is put off
_COLUMNS = {
    "survey_reports": "id, day, report",
    "survey_tokens": "hash, used",
    "survey_poll": "one, scheme, question, tokens, tally",
}
_SQLITE = {
    "SQLITE_CANTOPEN": "the file cannot be opened or made",
    "SQLITE_READONLY": "the file or its folder may not be written",
    "SQLITE_PERM": "the file or its folder may not be written",
    "SQLITE_NOTADB": "the file is not a SQLite database",
    "SQLITE_CORRUPT": "the file is damaged",
    "SQLITE_FULL": "the disk is full",
    "SQLITE_BUSY": "another program keeps it locked",
    "SQLITE_IOERR": "the disk fails",
}
_POSTGRES = {
    "08": "the server does not answer",
    "28": "the server does not let this user in",
    "3D000": "the server has no database of this name",
    "42P01": "no poll was served from it yet",
    "42501": "this user may not write, or empty, the tables there",
    "53": "the server is full or out of memory",
    "55P03": "another program keeps it locked",
    "57014": "the server took too long",
    "57": "the server is shutting down",
}


def _rewritten(table: str, columns: str) -> tuple[str, ...]:
    """Every row of a table again, in the order of the first column, as of one transaction and in a
    new file.  A deleted row would stay in the old one as long as anybody might still read it."""
    return (
        "BEGIN",
        "LOCK TABLE survey_poll IN ACCESS EXCLUSIVE MODE",  # collectors wait
        f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE",
        f"CREATE TEMP TABLE survey_copy ON COMMIT DROP AS SELECT {columns} FROM {table}",
        f"TRUNCATE {table}",
        f"INSERT INTO {table} ({columns}) SELECT {columns} FROM survey_copy ORDER BY 1",
        "COMMIT",
    )


class Database(Protocol):
    """How to connect, and the words that the two databases write differently."""

    @property
    def begin(self) -> str:
        """How a transaction that writes begins."""

    @property
    def lock(self) -> str:
        """What makes two collectors take turns, after the SELECT of the tally."""

    @property
    def keyed(self) -> str:
        """What keeps rows in the order of their random keys, so that none tells when it came."""

    @property
    def turn(self) -> tuple[str, ...]:
        """What makes two processes take turns in making the tables."""

    @property
    def faults(self) -> tuple[type[Exception], ...]:
        """What its driver raises."""

    def make(self) -> None:
        """Make an empty database, if it is made here and there is none."""

    def mark(self) -> object:
        """What tells the database from another one at the same place."""

    def reason(self, error: Exception) -> str:
        """What went wrong, in words that hold nothing of a row or of the address."""

    def connect(self, *, write: bool) -> Any:
        """A connection on which a commit that has returned survives a loss of power."""

    def tidy(self, connection: Any) -> bool:
        """Write all rows anew, reports and tokens apart, in the order of their keys; whether
        nothing is left of how they lay before.  Nobody is waited for longer than an instant."""

    def drop(self, connection: Any) -> None:
        """Give up a connection, whatever state it is in."""

    def written(self, sql: str) -> str:
        """A statement with the driver's own placeholders."""


@dataclass(frozen=True, slots=True)
class SqliteFile:
    """A SQLite file, for the processes of one host."""

    path: str
    begin: str = "BEGIN IMMEDIATE"
    lock: str = ""
    keyed: str = " WITHOUT ROWID"
    turn: tuple[str, ...] = ()

    def make(self) -> None:
        """Make an empty file that nobody else on the machine may read."""
        with suppress(OSError):  # it is there, or sqlite says why it cannot be
            Path(self.path).touch(0o600, exist_ok=False)

    def mark(self) -> object:
        """Which file it is."""
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    @property
    def faults(self) -> tuple[type[Exception], ...]:
        """What its driver raises."""
        return (sqlite3.Error, OverflowError, ValueError)

    def reason(self, error: Exception) -> str:
        """What went wrong, in words that hold nothing of a row or of the address."""
        name = getattr(error, "sqlite_errorname", "")
        for start, words in _SQLITE.items():
            if name.startswith(start):
                return words
        missing = str(error).startswith("no such table")
        return _POSTGRES["42P01"] if missing else type(error).__name__

    def tidy(self, connection: Any) -> bool:
        """Write the file anew, and empty the one that is written ahead."""
        connection.execute(f"PRAGMA busy_timeout = {_INSTANT}")
        try:
            connection.execute("VACUUM")
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            connection.execute(f"PRAGMA busy_timeout = {1000 * _PATIENCE}")
        return not busy

    def connect(self, *, write: bool) -> Any:
        """A connection that writes ahead and waits for the disk at every commit."""
        connection = sqlite3.connect(
            f"{Path(self.path).resolve().as_uri()}?mode=rw",
            uri=True,
            timeout=_PATIENCE,
            isolation_level=None,
            check_same_thread=False,
        )
        if not write:
            return connection
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def drop(self, connection: Any) -> None:
        """Roll back and close."""
        with suppress(sqlite3.Error):
            connection.close()

    def written(self, sql: str) -> str:
        """A statement with the driver's own placeholders."""
        return sql


@dataclass(frozen=True, slots=True)
class PostgresDatabase:
    """A PostgreSQL database, for collectors on several hosts."""

    url: str
    begin: str = "BEGIN"
    lock: str = " FOR UPDATE"
    keyed: str = ""
    turn: tuple[str, ...] = (f"SELECT pg_advisory_xact_lock({_LOCK})",)

    def make(self) -> None:
        """A server's databases are made by its administrator."""

    def mark(self) -> object:
        """A server keeps a database that is in use."""
        return self.url

    @property
    def faults(self) -> tuple[type[Exception], ...]:
        """What its driver raises."""
        import psycopg

        return (psycopg.Error, OSError)

    def reason(self, error: Exception) -> str:
        """What went wrong, in words that hold nothing of a row or of the address."""
        state = getattr(error, "sqlstate", None) or ""
        for start, words in _POSTGRES.items():
            if state.startswith(start):
                return words
        said = str(error).lower()
        if not state and "does not exist" in said:
            return _POSTGRES["3D000"]
        if not state and ("password" in said or "authentication" in said or "role" in said):
            return _POSTGRES["28"]
        return _POSTGRES["08"] if not state else type(error).__name__

    def tidy(self, connection: Any) -> bool:
        """Write the tables into new files of the server."""
        connection.execute(f"SET lock_timeout = '{_INSTANT}ms'")
        connection.execute("SET statement_timeout = 0")
        for table, columns in _COLUMNS.items():
            for statement in _rewritten(table, columns):
                connection.execute(statement)
        self._patient(connection)
        return True

    def connect(self, *, write: bool) -> Any:
        """A connection whose commits wait for the server's disk."""
        import psycopg

        connection = psycopg.connect(
            self.url,
            autocommit=True,
            connect_timeout=_PATIENCE,
            tcp_user_timeout=1000 * _PATIENCE,
        )
        connection.execute("SET synchronous_commit = on")
        self._patient(connection)
        return connection

    def _patient(self, connection: Any) -> None:
        connection.execute(f"SET lock_timeout = '{_PATIENCE}s'")
        connection.execute(f"SET statement_timeout = '{_PATIENCE}s'")

    def drop(self, connection: Any) -> None:
        """Close; the server rolls back."""
        with suppress(Exception):
            connection.close()

    def written(self, sql: str) -> str:
        """A statement with the driver's own placeholders."""
        return sql.replace("?", "%s")


def database_at(place: str) -> Database:
    """The database that a poll names."""
    if place.startswith(("postgresql://", "postgres://")):
        from importlib.util import find_spec

        if find_spec("psycopg") is None:
            raise SourceError(
                "the poll's database is PostgreSQL, and psycopg is not installed. It is what "
                f"talks to the server. Run: {install_extra('postgres')}"
            )
        return PostgresDatabase(place)
    if not Path(place).parent.is_dir():
        raise SourceError(
            f"there is no folder {str(Path(place).parent)!r} for the poll's database. A file is "
            "made in a folder that exists. Make the folder, or correct database in the poll."
        )
    return SqliteFile(place)
