"""A fork must not share a connection.

SQLite counts its locks per process, in memory that a fork copies: a child would believe that it
holds locks which only its parent holds, and could go on writing to a file that the parent has
already taken away.  So every store lets its transactions end before a fork and gives back what
must not be copied; parent and child open their own connections afterwards.
"""

import os
from threading import Lock
from typing import Protocol
from weakref import WeakSet


class Forking(Protocol):
    """A store that is told of forks."""

    def before_fork(self) -> None:
        """No transaction may run from here on, and nothing stays open that must not be copied."""

    def after_fork(self, *, child: bool) -> None:
        """Transactions may run again."""


_guard = Lock()  # held through a fork, so that forks take turns and the child finds it free
_stores: "WeakSet[Forking]" = WeakSet()
_stopped: list[Forking] = []


def watch(store: Forking) -> None:
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
