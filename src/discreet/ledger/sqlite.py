"""A ledger in a SQLite file, or in memory.

Marks that the system drops when a process dies say which charges are being worked on.
"""

import fcntl
import os
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from os import open as open_descriptor
from pathlib import Path
from struct import pack, unpack
from threading import Lock, RLock
from time import monotonic, sleep
from typing import Final, TypeVar
from urllib.parse import quote
from weakref import WeakValueDictionary

from discreet.errors import LedgerCorruptError, LedgerError
from discreet.ledger.entries import Entry
from discreet.ledger.records import APPEND_NEXT, Execute, Records
from discreet.ledger.store import (
    BUSY,
    SQLITE,
    SQLITE_APPLICATION,
    SQLITE_FAULTS,
    TIMEOUT_SECONDS,
    migrate,
    missing_ledger_error,
    must_migrate,
    no_folder_error,
    refuse,
    sqlite_code,
    sqlite_error,
    sqlite_faults,
    steps_taken,
    watch,
)

_PAUSE: Final = 0.0005
_FLOCK: Final = "qqihh" if sys.platform == "darwin" else "hhqqi"
"""How the system lays out its struct flock."""

_every: "WeakValueDictionary[str, LivenessMarks]" = WeakValueDictionary()
_guard = Lock()


MEMORY: Final = ":memory:"


def marks_beside(path: str) -> "LivenessMarks":
    """The marks of a ledger's file: one object for all who use it in this process.

    The system drops every lock of a process on a file as soon as the process closes it once, so it
    must be opened by one object only.
    """
    name = os.path.realpath(path)
    with _guard:
        marks = _every.get(name)
        if marks is None:
            marks = _every[name] = LivenessMarks(name)
        return marks


class LivenessMarks:
    """The liveness marks of one ledger, as one process sees them.

    Each method is called by a thread that holds the lock of a store, so that no fork comes between.
    """

    def __init__(self, ledger: str) -> None:
        self._ledger = ledger
        self._path = f"{ledger}-running"
        self._lock = Lock()
        self._process = os.getpid()
        self._held: Counter[int] = Counter()  # two stores of one process may name one charge
        self._file: int | None = None

    def hold(self, number: int) -> None:
        """Mark a charge as being worked on by this process."""
        with self._lock:
            self._here()
            self._held[number] += 1
            try:
                self._mark([number])
            except BaseException:
                self._drop(number)
                raise

    def let_go(self, number: int) -> None:
        """Take the mark back."""
        with self._lock:
            self._here()
            if number in self._held:
                self._drop(number)

    def running(self, numbers: Iterable[int], *, tidy: bool) -> set[int]:
        """Those that somebody works on; ``tidy`` removes the file if it is of dead processes."""
        with self._lock:
            self._here()
            alive = {number for number in numbers if number in self._held}
            others = [number for number in numbers if number not in self._held]
            if not others:
                return alive
            if self._file is not None:
                if not self._is_there(self._file):
                    self._mark(self._held)  # somebody has removed the file under us
                return alive | {number for number in others if _is_marked(self._file, number)}
            try:
                file = open_descriptor(self._path, (os.O_RDWR if tidy else os.O_RDONLY))
            except FileNotFoundError:
                return alive
            try:
                alive |= {number for number in others if _is_marked(file, number)}
                if tidy:
                    self._remove(file)
            finally:
                os.close(file)
            return alive

    def forked(self) -> None:
        """Forget what the parent works on: its marks are its own."""
        self._lock = Lock()
        self._here()

    def _here(self) -> None:
        if self._process != os.getpid():
            self._process = os.getpid()
            self._held.clear()
            self._close()

    def _mark(self, numbers: Iterable[int]) -> None:
        """Lock the bytes in the file that everyone sees, which others may be removing."""
        deadline = monotonic() + TIMEOUT_SECONDS
        while True:
            if self._file is None:
                self._file, numbers = self._opened(), self._held
            try:
                for number in numbers:
                    fcntl.lockf(self._file, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, number)
                if self._is_there(self._file):
                    return
            except (BlockingIOError, PermissionError):  # EAGAIN or EACCES: it is being removed
                if monotonic() > deadline:
                    raise
            self._close()
            sleep(_PAUSE)

    def _opened(self) -> int:
        mode = os.stat(self._ledger).st_mode & 0o666  # whoever may use the ledger may use its marks
        with suppress(FileExistsError):
            made = open_descriptor(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
            with suppress(OSError):
                os.fchmod(made, mode)
            return made
        return open_descriptor(self._path, os.O_RDWR | os.O_CREAT, mode)

    def _drop(self, number: int) -> None:
        self._held[number] -= 1
        if self._held[number] > 0:
            return
        del self._held[number]
        if self._file is None:
            return
        with suppress(OSError):
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, number)
        if not self._held:
            self._remove(self._file)
            self._close()

    def _remove(self, file: int) -> None:
        """Remove the file if nobody has a mark in it; whoever opened it meanwhile will notice."""
        with suppress(OSError):
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if self._is_there(file):
                os.unlink(self._path)

    def _is_there(self, file: int) -> bool:
        """Whether the open file is the one that others find."""
        try:
            there, here = os.stat(self._path), os.fstat(file)
        except FileNotFoundError:
            return False
        return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)

    def _close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            os.close(file)


def _is_marked(file: int, number: int) -> bool:
    """Whether another process has a mark at a place.

    An exclusive lock is of somebody who removes the file, since nobody has a mark in it.
    """
    asked = (fcntl.F_WRLCK, os.SEEK_SET)
    place = (number, 1, 0)
    fields = (*place, *asked) if sys.platform == "darwin" else (*asked, *place)
    lock = unpack(_FLOCK, fcntl.fcntl(file, fcntl.F_GETLK, pack(_FLOCK, *fields)))
    return bool(lock[3 if sys.platform == "darwin" else 0] == fcntl.F_RDLCK)


_Result = TypeVar("_Result")


class SqliteStore:
    """Entries in one SQLite file."""

    compares = True

    def __init__(self, place: str | Path, *, read_only: bool = False) -> None:
        self.place = str(place)
        self.durable = self.place != MEMORY
        self.read_only = read_only
        self._path = Path(place).absolute()
        self._name = str(self._path)
        self.lock = RLock()
        self._process = os.getpid()
        self._closed = False
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._made_log = False
        self._marks: LivenessMarks | None = marks_beside(self._name) if self.durable else None
        self.holding: set[int] = set()
        self.lapses = 0
        watch(self)
        with self.reading():
            pass

    @contextmanager
    def transaction(self) -> Iterator[Records]:
        """Records that nobody else can append to; durable when the block ends."""
        with self.lock:
            try:
                connection = self._connected()
                records = Records(_executing(connection))
                _patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
                try:
                    yield records
                    connection.execute("COMMIT")
                finally:
                    if connection.in_transaction:
                        with suppress(sqlite3.Error):  # what led here is the error to report
                            connection.execute("ROLLBACK")
            except SQLITE_FAULTS as error:
                raise sqlite_error(self.place, error) from error

    def append_next(self, entry: Entry) -> bool:
        """Append an entry if it follows the head; durable if it was appended."""
        row = (entry.sequence, entry.previous, *entry[1:])
        with self.lock:
            try:
                connection = self._connected()
                if connection.in_transaction:  # a signal's handler: the statement must be its own
                    return False
                return _patiently(lambda: connection.execute(APPEND_NEXT, row).rowcount == 1)
            except SQLITE_FAULTS as error:
                raise sqlite_error(self.place, error) from error

    @contextmanager
    def reading(self) -> Iterator[Records]:
        """Records to read from."""
        with self.lock:
            try:
                yield Records(_patient(_executing(self._connected())))
            except SQLITE_FAULTS as error:
                raise sqlite_error(self.place, error) from error

    def faults(self) -> list[str]:
        """What SQLite finds wrong with its pages and indexes."""
        with self.reading() as records:
            rows = records.execute("PRAGMA integrity_check(10)", {})
            steps = steps_taken(records.execute, SQLITE, self.place)
            tables = sqlite_faults(records.execute, SQLITE[:steps])
        return [str(row[0]) for row in rows if row[0] != "ok"] + tables

    def hold(self, number: int) -> None:
        """Say that a charge is being worked on."""
        with self.lock:
            if self._marks is not None:
                try:
                    self._marks.hold(number)
                except OSError as error:
                    raise sqlite_error(self.place, error) from error
            self.holding.add(number)

    def let_go(self, number: int, *, settled: bool) -> None:
        """Say that a charge is no longer worked on."""
        with self.lock:
            if number in self.holding:
                self.holding.discard(number)
                self.lapses += not settled
                if self._marks is not None:
                    self._marks.let_go(number)

    def running(self, records: Records, numbers: Collection[int]) -> set[int]:
        """Those of the charges that a living process works on."""
        with self.lock:
            if self._marks is None:
                return self.holding.intersection(numbers)
            try:
                return self._marks.running(numbers, tidy=not self.read_only)
            except PermissionError:  # of another user: who only reads need not know
                if self.read_only:
                    return set(numbers)
                raise

    def close(self) -> None:
        """Give back the connection; a ledger in memory is gone with it.

        What is still worked on through it counts as given up.
        """
        with self.lock:
            for number in list(self.holding):
                self.let_go(number, settled=False)
            self._disconnect()

    def _disconnect(self) -> None:
        with self.lock:
            connection, self._connection = self._connection, None
            self._closed = True
            if connection is not None:
                connection.close()
                if self._made_log:
                    self._remove_log()

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()

    def before_fork(self) -> None:
        """Let transactions end, then close the file: SQLite's locks must not be copied."""
        self.lock.acquire()
        if self.durable:
            self._disconnect()

    def after_fork(self, *, child: bool) -> None:
        """Go on with a connection of one's own."""
        if child:
            self.lock = RLock()
            self.lapses += 1  # what the parent works on is not worked on here
            self.holding.clear()
            if self._marks is not None:
                self._process = os.getpid()
                self._marks.forked()
        else:
            self.lock.release()

    def _connected(self) -> sqlite3.Connection:
        if self._closed and not self.durable:
            raise LedgerError(
                "the ledger in memory was closed, and is gone with all that was spent. A new one "
                "would count from nothing. Make it anew, or use a file."
            )
        if self._process != os.getpid():
            raise LedgerError(
                f"the ledger {self.place} was opened by another process, from which this one was "
                "forked. The two would count apart. Use a file, or open the ledger after the fork."
            )
        if self._connection is None:
            self._connection = self._connect()
        elif self.durable and self._file != self._identity():
            raise LedgerError(
                f"the file {self.place} was replaced or removed while it was in use. Charges to "
                "the old file would be lost. Put it back, check it with discreet ledger verify "
                "--anchor, and start again."
            )
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        if not self.durable:
            connection = _connection(MEMORY)
        elif self.read_only:
            self._file = self._identity()
            return self._connect_to_read()
        else:
            self._create_file()
            self._file = self._identity()
            connection = _connection(_uri(self._path, "mode=rw"))
        try:
            _patiently(lambda: self._prepare(connection))
        except BaseException:
            connection.close()
            raise
        return connection

    def _identity(self) -> tuple[int, int] | None:
        """Which file it is, whatever it is called; None if there is none."""
        try:
            status = os.stat(self._name)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if status.st_nlink > 1:
            raise LedgerError(
                f"the file {self.place} has {status.st_nlink} names (hard links). SQLite keeps a "
                "log beside each name, so charges made under one would be lost under another. "
                "Keep one name and remove the others; to back it up, copy it."
            )
        return status.st_dev, status.st_ino

    def _create_file(self) -> None:
        """Make the file, readable by its owner only, and its name durable."""
        if not self._path.exists():
            if not self._path.parent.is_dir():
                raise no_folder_error(self.place)
            if Path(f"{self._path}-wal").exists():
                raise LedgerCorruptError(
                    f"the ledger {self.place} is gone, and its log {self._path.name}-wal is still "
                    "there. The two belong together, and a new ledger would start from nothing. "
                    "Put the file back, or move the log away."
                )
            self._path.touch(mode=0o600)
            folder = open_descriptor(self._path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _prepare(self, connection: sqlite3.Connection) -> None:
        (tables,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        if tables:
            self._check_application(connection)
        for setting in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "fullfsync = ON",
            "trusted_schema = OFF",
        ):
            connection.execute(f"PRAGMA {setting}")
        connection.execute("BEGIN IMMEDIATE")
        try:
            execute = _executing(connection)
            if connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone() != (0,):
                steps = steps_taken(execute, SQLITE, self.place)
                refuse(self.place, sqlite_faults(execute, SQLITE[:steps]))
            migrate(execute, SQLITE, self.place)
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise

    def _connect_to_read(self) -> sqlite3.Connection:
        if not self._path.is_file():
            raise missing_ledger_error(f"ledger {self.place}")
        self._made_log = not Path(f"{self._path}-wal").exists()
        try:
            return self._check_readable("mode=ro")
        except sqlite3.OperationalError:
            # A write-ahead log needs a writable folder, unless nobody can be writing.
            if Path(f"{self._path}-wal").exists():
                raise
            return self._check_readable("mode=ro&immutable=1")

    def _remove_log(self) -> None:
        """Let SQLite remove the empty log that reading made, unless somebody else uses it.

        Who may only read may make a log, and not remove it; whoever writes does so at the end.
        """
        self._made_log = False
        with suppress(sqlite3.Error, OSError, LedgerError):
            if self._file == self._identity():
                with closing(_connection(_uri(self._path, "mode=rw"))) as connection:
                    connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()

    def _check_readable(self, options: str) -> sqlite3.Connection:
        connection = _connection(_uri(self._path, options))
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            _patiently(lambda: self._check_application(connection))
            return connection
        except BaseException:
            connection.close()
            raise

    def _check_application(self, connection: sqlite3.Connection) -> None:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        if application != SQLITE_APPLICATION:
            raise LedgerError(
                f"{self.place} is a SQLite file, and not a ledger. A ledger is a file of its own. "
                "Name another file."
            )
        steps = steps_taken(_executing(connection), SQLITE, self.place)
        if self.read_only and must_migrate(SQLITE[steps:]):
            raise LedgerError(
                f"the ledger {self.place} has an older format, and it was opened to be read only. "
                "Its tables must be brought up to date first. Open it once for writing."
            )


def _executing(connection: sqlite3.Connection) -> Execute:
    run = connection.execute
    return lambda statement, parameters: run(statement, parameters).fetchall()


def _patient(execute: Execute) -> Execute:
    return lambda statement, parameters: _patiently(lambda: execute(statement, parameters))


def _patiently(call: Callable[[], _Result]) -> _Result:
    """Call again while another process holds the file."""
    deadline = None
    while True:
        try:
            return call()
        except sqlite3.OperationalError as error:
            deadline = deadline or monotonic() + TIMEOUT_SECONDS
            if sqlite_code(error) not in BUSY or monotonic() > deadline:
                raise
        sleep(_PAUSE)


def _connection(address: str) -> sqlite3.Connection:
    return sqlite3.connect(
        address, timeout=0, isolation_level=None, check_same_thread=False, uri=True
    )


def _uri(path: Path, options: str) -> str:
    return f"file:{quote(str(path))}?{options}"
