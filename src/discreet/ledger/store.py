"""What a ledger needs of the place where it is kept."""

from collections.abc import Collection
from contextlib import AbstractContextManager
from typing import Protocol

from discreet.ledger.entries import Entry
from discreet.ledger.records import Records


class Store(Protocol):
    """A place that keeps entries: a SQLite file, a PostgreSQL database, or memory."""

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
