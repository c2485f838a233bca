"""Where reports are kept: a SQLite file or a PostgreSQL database, behind one small interface."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from threading import Lock
from typing import Any, Final, Protocol

from discreet.dependencies import install_extra
from discreet.errors import DataError, DiscreetError, SourceError
from discreet.survey.poll_terms import (
    MODES,
    PollTerms,
    check_results,
    check_terms,
    outdated_poll_error,
    taken_over_error,
)

_LOCK = 0x646973637265  # a number of our own among a server's advisory locks
_PATIENCE = 30  # seconds for another process to end its transaction
_INSTANT = 200  # milliseconds for whoever reads, before a tidying is put off
_COLUMNS = {
    "survey_reports": "id, day, report",
    "survey_tokens": "hash, used",
    "survey_poll": "one, scheme, question, tokens, tally",
}
_MAY_NOT: Final = "Let the user who serves the poll write the file and its folder"
_ROOM: Final = "Make room on the disk; reports are taken again as soon as there is some"
_LOCKED: Final = "End the program that keeps it, or wait for it"
_SQLITE: Final = {
    "SQLITE_CANTOPEN": (
        "the file cannot be opened or made",
        "Put it back where the poll names it, or let this user open it and its folder",
    ),
    "SQLITE_READONLY": ("the file or its folder may not be written", _MAY_NOT),
    "SQLITE_PERM": ("the file or its folder may not be written", _MAY_NOT),
    "SQLITE_NOTADB": (
        "the file is not a SQLite database",
        "Name the poll's own database, or another one that is not there yet",
    ),
    "SQLITE_CORRUPT": ("the file is damaged", "Stop serving, and put a backup in its place"),
    "SQLITE_FULL": ("the disk is full", _ROOM),
    "SQLITE_BUSY": ("another program keeps it locked", _LOCKED),
    "SQLITE_IOERR": (
        "the disk fails",
        "Look whether it is full, damaged or a network's, and whether a limit is set on the size "
        "of files",
    ),
}
_NO_TABLES: Final = ("no poll was served from it yet", "Serve the poll first, or name its database")
_POSTGRES: Final = {
    "08": (
        "the server does not answer",
        "Start it, or correct its address in the poll; reports are taken again as soon as it does",
    ),
    "28": (
        "the server does not let this user in",
        "Correct the user or the password of its address",
    ),
    "3D000": (
        "the server has no database of this name",
        "Make it with createdb, or correct the name",
    ),
    "42P01": _NO_TABLES,
    "42501": ("this user may not write, or empty, the tables there", "GRANT the user these rights"),
    "53": ("the server is full or out of memory", "Make room on the server"),
    "55P03": ("another program keeps it locked", _LOCKED),
    "57014": ("the server took too long", "Look what keeps it busy"),
    "57": ("the server is shutting down", "Start it again"),
}
_UNKNOWN: Final = "Check its path or address, its disk and its rights"


_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS survey_poll (one INTEGER PRIMARY KEY, scheme TEXT NOT NULL, "
    "question TEXT NOT NULL, tokens TEXT NOT NULL, tally TEXT)",
    "CREATE TABLE IF NOT EXISTS survey_reports (id TEXT PRIMARY KEY, day TEXT NOT NULL, "
    "report TEXT NOT NULL){keyed}",
    "CREATE TABLE IF NOT EXISTS survey_tokens (hash TEXT PRIMARY KEY, used INTEGER NOT NULL)"
    "{keyed}",
    "CREATE TABLE IF NOT EXISTS survey_refusals (reason TEXT PRIMARY KEY, number BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS survey_shown (one INTEGER PRIMARY KEY, closed INTEGER NOT NULL, "
    "shown TEXT, refused TEXT NOT NULL, coming TEXT)",
    "CREATE TABLE IF NOT EXISTS survey_results (one INTEGER PRIMARY KEY, mode TEXT NOT NULL)",
)
_COUNTED: Final = (
    "INSERT INTO survey_refusals (reason, number) VALUES (?, ?) ON CONFLICT (reason) "
    "DO UPDATE SET number = survey_refusals.number + excluded.number"
)
_SHOWN: Final = "SELECT closed, shown, refused, coming FROM survey_shown"
_TERMS: Final = "SELECT scheme, question, tokens FROM survey_poll"
_PAGE: Final = 1000


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

    def reason(self, error: Exception) -> tuple[str, str]:
        """What went wrong, and what helps, in words that hold nothing of a row or the address."""

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
            status = os.stat(self.path)
        except OSError:
            return None
        return status.st_dev, status.st_ino

    @property
    def faults(self) -> tuple[type[Exception], ...]:
        """What its driver raises."""
        return (sqlite3.Error, OverflowError, ValueError)

    def reason(self, error: Exception) -> tuple[str, str]:
        """What went wrong, and what helps, in words that hold nothing of a row or the address."""
        name = getattr(error, "sqlite_errorname", "")
        for start, words in _SQLITE.items():
            if name.startswith(start):
                return words
        missing = str(error).startswith("no such table")
        return _NO_TABLES if missing else (type(error).__name__, _UNKNOWN)

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

    def reason(self, error: Exception) -> tuple[str, str]:
        """What went wrong, and what helps, in words that hold nothing of a row or the address."""
        state = getattr(error, "sqlstate", None) or ""
        for start, words in _POSTGRES.items():
            if state.startswith(start):
                return words
        said = str(error).lower()
        if not state and "does not exist" in said:
            return _POSTGRES["3D000"]
        if not state and ("password" in said or "authentication" in said or "role" in said):
            return _POSTGRES["28"]
        return _POSTGRES["08"] if not state else (type(error).__name__, _UNKNOWN)

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


class Outcome(Enum):
    """The outcome of storing one report."""

    STORED = "stored"
    AGAIN = "again"  # the same report with the same id is there: it counts once
    ID_TAKEN = "id-taken"
    TOKEN_UNKNOWN = "token-unknown"
    TOKEN_USED = "token-used"
    CHANGED = "changed"  # the poll was changed while it was served
    CLOSED = "closed"  # whoever asks has closed the poll


@dataclass(frozen=True, slots=True)
class ReceivedReport:
    """A report to be kept: its random id, its day, its JSON text, and the hash of its token."""

    id: str
    day: str
    report: str
    token: str | None = None


@dataclass(frozen=True, slots=True)
class ShownResults:
    """What everyone may see: the tally of whole batches, with the refusals of that time; and
    whether whoever asks has closed the poll."""

    closed: bool
    tally: bytes | None
    refused: dict[str, int]


Count = Callable[[bytes | None, list[ReceivedReport]], bytes]
"""The tally with more entries, from the tally without them."""


class ReportStore:
    """The reports of one poll.

    As long as there are none, the poll may change in any way, if ``renew`` is true.  Afterwards its
    scheme is fixed, and its question and who is admitted change only if that is meant
    (``reworded``).  ``results``, when they are shown, may then only become later.  With
    ``make=False`` the database is read and left as it is.
    """

    def __init__(
        self,
        place: str,
        terms: PollTerms,
        *,
        results: str = MODES[0],
        reworded: bool = False,
        renew: bool = True,
        make: bool = True,
    ) -> None:
        self._database: Database = database_at(place)
        self._lock = Lock()
        self._connection: Any = None
        self._terms = terms
        self._mark: object = None
        if make:
            self._make(results, reworded, renew)
            return
        with self._reading() as execute:
            self._terms = PollTerms(*execute(_TERMS).fetchone())
            check_terms(self._terms, terms, _number(execute), reworded)

    def _make(self, results: str, reworded: bool, renew: bool) -> None:
        terms = self._terms
        self._database.make()
        with self._writing() as execute:
            for statement in self._database.turn:
                execute(statement)
            for table in _TABLES:
                execute(table.format(keyed=self._database.keyed))
            execute(
                "INSERT INTO survey_shown (one, closed, shown, refused, coming) "
                "VALUES (1, 0, NULL, '{}', NULL) ON CONFLICT (one) DO NOTHING"
            )
            expected = (terms.scheme, terms.question, terms.tokens)
            execute(
                "INSERT INTO survey_poll (one, scheme, question, tokens) VALUES (1, ?, ?, ?) "
                "ON CONFLICT (one) DO NOTHING",
                *expected,
            )
            # Whoever writes takes turns, so that no report comes in between.
            stored_terms = PollTerms(*execute(_TERMS + self._database.lock).fetchone())
            reports = _number(execute)
            check_terms(stored_terms, terms, reports, reworded)
            _keep_results(execute, results, reports)
            if stored_terms == terms:
                return
            if not renew:
                raise outdated_poll_error()
            execute("UPDATE survey_poll SET scheme = ?, question = ?, tokens = ?", *expected)
            if stored_terms.scheme != terms.scheme:  # there are no reports
                execute("UPDATE survey_shown SET shown = NULL, coming = NULL")

    def add(
        self, entries: Sequence[ReceivedReport], count: Count, refusals: Mapping[str, int]
    ) -> list[Outcome]:
        """Keep a batch in one transaction; what became of each, once it is on the disk."""
        with self._writing() as execute:
            *terms, tally = execute(
                "SELECT scheme, question, tokens, tally FROM survey_poll" + self._database.lock
            ).fetchone()
            if PollTerms(*terms) != self._terms:
                return [Outcome.CHANGED] * len(entries)
            if entries and self._shown(execute).closed:
                outcomes = [Outcome.CLOSED] * len(entries)
            else:
                outcomes = [_kept(execute, entry) for entry in entries]
            stored = [
                entry
                for entry, outcome in zip(entries, outcomes, strict=True)
                if outcome is Outcome.STORED
            ]
            if stored:
                counted = count(None if tally is None else _bytes(tally), stored)
                execute("UPDATE survey_poll SET tally = ?", counted.hex())
            for reason, number in refusals.items():
                execute(_COUNTED, reason, number)
        return outcomes

    def add_tokens(self, hashes: Sequence[str]) -> None:
        """Admit the respondents who have these tokens, each once."""
        with self._writing() as execute:
            for one in hashes:
                execute("INSERT INTO survey_tokens (hash, used) VALUES (?, 0)", one)

    def tidy(self) -> bool:
        """Write all rows anew, so that nothing tells when each came and with which token; whether
        that could be done."""
        with self._lock, self._translated():
            connection = self._connected()
            try:
                return self._database.tidy(connection)
            except BaseException:
                self._forget()
                raise

    # ------------------------------------------------------------------ what everyone sees

    def show(self, batch: int, number: Callable[[bytes], int], *, to_end: bool) -> None:
        """Let everyone see one more batch of reports, if there is one.

        What was shown, and what is shown next, differ by at least ``batch`` reports at any time,
        whenever the poll is closed (``to_end``) and opened again: the tally that is coming is
        fixed a batch after that which is shown, and shown when a batch more is there; and all is
        shown at the end if that is a batch.  ``number`` is that of a tally's reports.
        """
        with self._writing() as execute:
            *terms, tally = execute(
                "SELECT scheme, question, tokens, tally FROM survey_poll" + self._database.lock
            ).fetchone()
            if PollTerms(*terms) != self._terms or tally is None:
                return
            _, shown, _, coming = execute(_SHOWN).fetchone()
            there, shown_reports, coming_reports = (
                0 if one is None else number(_bytes(one)) for one in (tally, shown, coming)
            )
            if to_end:
                if there - shown_reports < batch:
                    return
                shown, coming = tally, tally
            elif there - max(coming_reports, shown_reports) < batch:
                return
            else:
                shown, coming = coming or shown, tally
            refused = json.dumps(self._refused(execute))
            execute(
                "UPDATE survey_shown SET shown = ?, refused = ?, coming = ?", shown, refused, coming
            )

    def shown(self) -> ShownResults:
        """What everyone may see."""
        with self._reading() as execute:
            if PollTerms(*execute(_TERMS).fetchone()) != self._terms:
                raise taken_over_error()
            return self._shown(execute)

    def is_closed(self) -> bool:
        """Whether whoever asks has closed the poll; one that was served by version 0.1 is open."""
        with self._reading() as execute:
            try:
                return self._shown(execute).closed
            except self._database.faults as error:
                if self._database.reason(error) == _NO_TABLES:
                    return False
                raise

    def close_poll(self, closed: bool = True) -> None:
        """Take no more reports, or take them again."""
        with self._writing() as execute:
            execute(_TERMS + self._database.lock).fetchone()  # whoever writes takes turns
            execute("UPDATE survey_shown SET closed = ?", int(closed))

    def _shown(self, execute: Callable[..., Any]) -> ShownResults:
        closed, shown, refused, _ = execute(_SHOWN).fetchone()
        return ShownResults(
            bool(closed), None if shown is None else _bytes(shown), json.loads(refused)
        )

    def _refused(self, execute: Callable[..., Any]) -> dict[str, int]:
        rows = execute("SELECT reason, number FROM survey_refusals ORDER BY reason").fetchall()
        return {str(reason): int(number) for reason, number in rows}

    def tally(self) -> tuple[bytes | None, dict[str, int]]:
        """The tally of all reports, and how many were refused for which reason."""
        with self._reading() as execute:
            *terms, tally = execute(
                "SELECT scheme, question, tokens, tally FROM survey_poll"
            ).fetchone()
            if PollTerms(*terms) != self._terms:
                raise taken_over_error()
            refused = self._refused(execute)
        return None if tally is None else _bytes(tally), refused

    def tokens(self) -> tuple[int, int]:
        """How many tokens there are, and how many of them were used."""
        with self._reading() as execute:
            counts, used = execute("SELECT count(*), sum(used) FROM survey_tokens").fetchone()
        return int(counts), int(used or 0)

    def reports(self) -> Iterator[list[tuple[str, str]]]:
        """The day and the report of each, in the order of their random ids, some at a time."""
        last = ""
        while True:
            with self._reading() as execute:
                if PollTerms(*execute(_TERMS).fetchone()) != self._terms:
                    raise taken_over_error()
                rows = execute(
                    "SELECT id, day, report FROM survey_reports WHERE id > ? ORDER BY id LIMIT ?",
                    last,
                    _PAGE,
                ).fetchall()
            if not rows:
                return
            yield [(str(day), str(report)) for _, day, report in rows]
            last = str(rows[-1][0])

    def close(self) -> None:
        """Give back the connection."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def _writing(self) -> Iterator[Callable[..., Any]]:
        """Statements of one transaction; another thread waits for its turn."""
        with self._lock, self._translated():
            connection = self._connected()
            try:
                connection.execute(self._database.begin)
                yield lambda sql, *values: connection.execute(self._database.written(sql), values)
                connection.execute("COMMIT")
            except BaseException:
                self._forget()
                raise

    def _connected(self) -> Any:
        if self._connection is not None and self._database.mark() != self._mark:
            self._forget()
            raise SourceError(
                "the poll's database was removed or replaced while it was used. Nothing is kept in "
                "a file that nobody can find. Put it back, or serve the poll again."
            )
        if self._connection is None:
            self._connection = self._database.connect(write=True)
            self._mark = self._database.mark()
        return self._connection

    def _forget(self) -> None:
        """Give up the connection: a new one knows nothing of what this one had begun."""
        connection, self._connection = self._connection, None
        self._database.drop(connection)

    @contextmanager
    def _reading(self) -> Iterator[Callable[..., Any]]:
        with self._translated(), closing(self._database.connect(write=False)) as connection:
            yield lambda sql, *values: connection.execute(self._database.written(sql), values)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except DiscreetError:  # has its own words
            raise
        except self._database.faults as error:
            fact, remedy = self._database.reason(error)
            raise SourceError(
                f"the poll's database cannot be used: {fact}. Reports are only taken once they are "
                f"on its disk. {remedy}."
            ) from None


def _bytes(tally: str) -> bytes:
    try:
        return bytes.fromhex(tally)
    except ValueError:
        raise DataError(
            "the database's tally is damaged. Results are made from it. Put a backup in its place."
        ) from None


def _keep_results(execute: Callable[..., Any], results: str, reports: int) -> None:
    """When results are shown: as stated, but for reports that came when it was later."""
    stored = execute("SELECT mode FROM survey_results").fetchone()
    if stored is not None:
        check_results(stored[0], results, reports)
    execute(
        "INSERT INTO survey_results (one, mode) VALUES (1, ?) "
        "ON CONFLICT (one) DO UPDATE SET mode = excluded.mode",
        results,
    )


def _number(execute: Callable[..., Any]) -> int:
    (number,) = execute("SELECT count(*) FROM survey_reports").fetchone()
    return int(number)


def _kept(execute: Callable[..., Any], entry: ReceivedReport) -> Outcome:
    row = execute("SELECT report FROM survey_reports WHERE id = ?", entry.id).fetchone()
    if row is not None:
        return Outcome.AGAIN if row[0] == entry.report else Outcome.ID_TAKEN
    if entry.token is not None:
        spent = execute(
            "UPDATE survey_tokens SET used = 1 WHERE hash = ? AND used = 0", entry.token
        )
        if spent.rowcount == 0:
            known = execute("SELECT used FROM survey_tokens WHERE hash = ?", entry.token)
            return Outcome.TOKEN_UNKNOWN if known.fetchone() is None else Outcome.TOKEN_USED
    execute(
        "INSERT INTO survey_reports (id, day, report) VALUES (?, ?, ?)",
        entry.id,
        entry.day,
        entry.report,
    )
    return Outcome.STORED
