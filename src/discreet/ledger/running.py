"""Which charges are still being worked on: marks that the system drops when a process dies.

A mark is a shared lock on one byte of a file beside the ledger, the one whose place is the number
of the charge.  The kernel forgets it with the process, however that ends, and a fork does not copy
it.  Looking at a mark takes no lock, so that nobody is held up and nobody is misled.  The file is
there only while something runs, or since a process died: whoever finds nothing running removes it.
"""

import fcntl
import os
import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from os import open as open_descriptor
from struct import pack, unpack
from threading import Lock
from time import monotonic, sleep
from typing import Final
from weakref import WeakValueDictionary

from discreet.ledger.faults import PATIENCE

_PAUSE: Final = 0.0005
_FLOCK: Final = "qqihh" if sys.platform == "darwin" else "hhqqi"
"""How the system lays out its struct flock."""

_every: "WeakValueDictionary[str, Marks]" = WeakValueDictionary()
_guard = Lock()


def marks_beside(path: str) -> "Marks":
    """The marks of a ledger's file: one object for all who use it in this process.

    The system drops every lock of a process on a file as soon as the process closes it once, so it
    must be opened by one object only.
    """
    name = os.path.realpath(path)
    with _guard:
        found = _every.get(name)
        if found is None:
            found = _every[name] = Marks(name)
        return found


class Marks:
    """The marks of one ledger, as one process sees them.

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
            found = {number for number in numbers if number in self._held}
            others = [number for number in numbers if number not in self._held]
            if not others:
                return found
            if self._file is not None:
                if not self._is_there(self._file):
                    self._mark(self._held)  # somebody has removed the file under us
                return found | {number for number in others if _is_marked(self._file, number)}
            try:
                file = open_descriptor(self._path, (os.O_RDWR if tidy else os.O_RDONLY))
            except FileNotFoundError:
                return found
            try:
                found |= {number for number in others if _is_marked(file, number)}
                if tidy:
                    self._remove(file)
            finally:
                os.close(file)
            return found

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
        deadline = monotonic() + PATIENCE
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
    found = unpack(_FLOCK, fcntl.fcntl(file, fcntl.F_GETLK, pack(_FLOCK, *fields)))
    return bool(found[3 if sys.platform == "darwin" else 0] == fcntl.F_RDLCK)
