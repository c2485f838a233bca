"""Appending to a store and reading from it: what every part of the ledger rests on."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from discreet.errors import (
    BudgetExhaustedError,
    DataError,
    LedgerCorruptError,
    LedgerUnavailableError,
)
from discreet.ledger.accounts import DatasetState, StateCache
from discreet.ledger.declarations import checked_clock, now
from discreet.ledger.entries import Entry, EntryKind, Head
from discreet.ledger.records import EntryFilter, Records
from discreet.ledger.sqlite import SqliteStore
from discreet.ledger.store import Store
from discreet.privacy.number_text import plural

_PAGE: Final = 1_000
_POSTGRES: Final = ("postgresql://", "postgres://")


class JournalWriter:
    """A turn to append entries, with the head that they follow."""

    __slots__ = ("forgets", "head", "learned", "records", "settled", "time")

    def __init__(self, records: Records, head: Head, time: str) -> None:
        self.records = records
        self.head = head
        self.time = time
        self.learned: dict[tuple[str, str], DatasetState] = {}
        self.settled: list[tuple[str, int]] = []
        self.forgets = False

    def append(
        self,
        kind: EntryKind,
        dataset: str,
        body: Mapping[str, object] | str,
        *,
        analyst: str | None = None,
        key: str | None = None,
        charge: int | None = None,
        answer: bytes | None = None,
    ) -> Entry:
        """Write the next entry."""
        entry = Entry.after(
            self.head,
            time=self.time,
            kind=kind,
            dataset=dataset,
            body=body,
            analyst=analyst,
            key=key,
            charge=charge,
        )
        self.records.append(entry, answer)
        self.head = entry.head
        self.forgets |= kind in {"dataset", "budget", "details", "suspended", "resumed"}
        if charge is not None and charge != entry.sequence:
            self.settled.append((dataset, charge))
        return entry


class Journal:
    """A store, and the last entry that this process has seen in it."""

    def __init__(self, store: Store, clock: Callable[[], str] = now) -> None:
        self.store = store
        self.clock = checked_clock(clock)
        self._seen = Head()
        self._memory = StateCache()
        self._lapses = 0

    @contextmanager
    def writing(self) -> Iterator[JournalWriter]:
        """A turn to append; what was appended is durable when the block ends."""
        if self.store.read_only:
            raise LedgerUnavailableError(
                f"the ledger {self.store.place} was opened to be read only. Nothing can be charged "
                "or changed this way, so nothing was released. Open it for writing."
            )
        with self.store.lock:
            with self.store.transaction() as records:
                head = self._never_back(records)
                pen = JournalWriter(records, head, max(self.clock(), head.time))
                yield pen
            # Only here is it certain; nobody else in this process had a turn in between.
            self._saw(pen.head)
            if pen.forgets:
                self._memory.forget()
            else:
                self._memory.follow(head.hash, pen.head.hash, pen.learned, pen.settled)
            for _, charge in pen.settled:
                self.store.let_go(charge, settled=True)

    def charge_next(
        self,
        dataset: str,
        analyst: str,
        pay: Callable[[DatasetState, str], tuple[str, DatasetState]],
        *,
        settled: bool,
    ) -> Entry | None:
        """Append a charge to what this process remembers; None if it must have a turn instead.

        One statement compares the head with the one that the sums are of, and appends: if anyone
        has written since, it appends nothing.  So it is as safe as a turn, and quicker.
        """
        with self.store.lock:
            head = self._seen
            standing = self._remembered(head, dataset, analyst)
            if standing is None or not self.store.compares:
                return None
            time = max(self.clock(), head.time)
            try:
                body, after = pay(standing, time)
            except BudgetExhaustedError:  # unless another process has raised the budget
                return None
            entry = Entry.after(
                head,
                time=time,
                kind="charge",
                dataset=dataset,
                body=body,
                analyst=analyst,
                charge=head.sequence + 1 if settled else None,
            )
            appended = False
            if not settled:
                self.store.hold(entry.sequence)
                after = after.opened(entry.sequence)
            try:
                appended = self.store.append_next(entry)
            finally:
                if not appended:
                    self.store.let_go(entry.sequence, settled=False)
            if not appended:
                return None
            self._seen = entry.head
            self._memory.follow(head.hash, entry.hash, {(dataset, analyst): after})
            return entry

    def standing(self, pen: JournalWriter, dataset: str, analyst: str) -> DatasetState:
        """The current state of a data set's account and of an analyst's."""
        known = self._remembered(pen.head, dataset, analyst)
        return known or self.read_standing(pen.records, dataset, analyst)

    def read_standing(self, records: Records, dataset: str, analyst: str) -> DatasetState:
        """The state of a data set's account and of an analyst's, read from the entries."""
        situation = records.situation(dataset, analyst)
        pending = records.unsettled(dataset, situation.spent)
        return DatasetState.read(situation, dataset, pending)

    def dead(self, records: Records, standing: DatasetState) -> list[int]:
        """The charges that are pending and that nobody works on any more."""
        others = [charge for charge in standing.pending if charge not in self.store.holding]
        running = self.store.running(records, others) if others else set()
        return [charge for charge in others if charge not in running]

    def learn(self, pen: JournalWriter, dataset: str, analyst: str, standing: DatasetState) -> None:
        """Remember where a charge leads, unless others work on what is pending: they may die."""
        if all(charge in self.store.holding for charge in standing.pending):
            pen.learned[dataset, analyst] = standing
        else:
            pen.forgets = True

    def _remembered(self, head: Head, dataset: str, analyst: str) -> DatasetState | None:
        if self._lapses != self.store.lapses:
            self._lapses = self.store.lapses
            self._memory.forget()
        return self._memory.known(head.hash, dataset, analyst)

    def head(self) -> Head:
        """The last entry."""
        with self.store.reading() as records:
            head = self._never_back(records)
        self._saw(head)
        return head

    def entries(self, selection: EntryFilter) -> Iterator[Entry]:
        """Entries in order, a page at a time: nothing is ever removed, so pages fit together."""
        while True:
            with self.store.reading() as records:
                page = records.page(selection, _PAGE)
            yield from page
            if len(page) < _PAGE:
                return
            selection = replace(selection, after=page[-1].sequence)

    def _saw(self, head: Head) -> None:
        if head.sequence > self._seen.sequence:
            self._seen = head

    def _never_back(self, records: Records) -> Head:
        """The last entry.  A ledger only grows: what was seen in it once must still be there."""
        seen, head = self._seen, records.head()
        if head.hash == seen.hash or seen.sequence == 0:
            return head
        there = records.entry(seen.sequence) if head.sequence > seen.sequence else None
        if there is not None and there.hash == seen.hash:
            return head
        raise LedgerCorruptError(
            f"the ledger {self.store.place} had {plural(seen.sequence, 'entry', 'entries')} and "
            f"now has {head.sequence}, or others. It only grows, so it was replaced by an older "
            "copy or another ledger, which forgets what was spent. Restore the newest copy, and "
            "check it with discreet ledger verify --anchor."
        )


def open_store(place: str | Path, *, read_only: bool = False) -> Store:
    """The store at a path, a postgresql:// address, or ":memory:"."""
    if isinstance(place, str) and place.startswith(_POSTGRES):
        from discreet.ledger.postgres import PostgresStore

        return PostgresStore(place, read_only=read_only)
    scheme = str(place).partition(":")[0]
    if "://" in str(place) or not str(place) or scheme in ("postgres", "postgresql"):
        raise DataError(
            f"the ledger's place is {scheme[:20]!r}. A ledger is a SQLite "
            'file, a PostgreSQL database or memory. Use "visits.ledger", '
            '"postgresql://host/database" or ":memory:".'
        )
    return SqliteStore(place, read_only=read_only)
