"""A small JSON file on the respondent's device: locked while it is used, written whole or not."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from os import open as open_descriptor
from pathlib import Path
from typing import TypeVar

from discreet.decoding import Shape, decoded
from discreet.errors import DataError

S = TypeVar("S", bound=Shape)

MOST_CHARACTERS = 1 << 24


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the file for this process; others wait.  The lock is a file beside it."""
    import fcntl

    try:
        handle = open_descriptor(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(
            "the folder of the file is not there. What is kept on the device is written to a file "
            "in a folder that exists. Make the folder first, or give another path=."
        ) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)  # which gives the lock back


def write_whole(path: Path, text: str) -> None:
    """Replace the file at once, and only when the new one is on the disk.  Hold the lock."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)  # what a crash left
    handle = open_descriptor(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)
    folder = open_descriptor(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read_whole(text: object, shape: type[S], form: str) -> S:
    """What a file of this format says, which names its format and version among its fields."""
    found = None
    if isinstance(text, str | bytes) and len(text) <= MOST_CHARACTERS:
        found = decoded(text, shape)
    if found is None:
        raise malformed(form)
    return found


def malformed(form: str) -> DataError:
    """The error for a file that is not what was written; it shows nothing of it."""
    return DataError(
        f"the text is not a {form!r} of this version. What it means must be certain, so nothing "
        "is guessed. Use a file that this version wrote, unchanged."
    )
