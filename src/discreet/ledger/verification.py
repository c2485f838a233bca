"""Checking a ledger from its first entry to its last.

Every hash is computed again, every entry is held against the state that the entries before it
lead to, and every stored answer against the digest that was released.  A ledger whose tail was cut
off cleanly, or that was restored from a backup, is sound in itself: the anchor finds those out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

from discreet.errors import LedgerCorruptError
from discreet.ledger.anchors import Anchor
from discreet.ledger.entries import Entry, Head
from discreet.ledger.journal import Journal
from discreet.ledger.records import Records, Selection
from discreet.ledger.replay import Replay

_PAGE = 1_000
MOST_PROBLEMS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong; ``entry`` is None where it is about the ledger as a whole."""

    entry: int | None
    fact: str

    def __str__(self) -> str:
        return self.fact if self.entry is None else f"entry {self.entry}: {self.fact}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What verification found.  ``pending`` charges have no answer: they count as lost."""

    entries: int
    hash: str
    pending: int
    anchor: Anchor | None
    problems: tuple[Problem, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def verify(
    journal: Journal, anchor: Anchor | None, progress: Callable[[int, int], None] | None = None
) -> Report:
    """Check everything; ``progress`` is told how many entries of how many are done."""
    check = _Check()
    try:
        for fault in journal.store.faults():
            check.found(None, f"the store is damaged: {fault}")
        _entries(journal, check, anchor, progress)
    except LedgerCorruptError as error:
        check.found(None, str(error))
    check.end(anchor)
    return Report(
        entries=check.head.sequence,
        hash=check.head.hash,
        pending=len(check.replay.pending),
        anchor=anchor,
        problems=tuple(check.problems),
    )


def _entries(
    journal: Journal,
    check: "_Check",
    anchor: Anchor | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    with journal.store.reading() as records:
        last = _last(records, check)
        repeated = records.repeated_keys()
    for sequence in repeated:
        check.found(sequence, "its idempotency key was charged before")
    selection = Selection(0, last)
    while selection.after < last and not check.full:
        with journal.store.reading() as records:
            page = records.page(selection, _PAGE)
            for entry in page:
                check.entry(entry, anchor)
            check.answers(records, page)
        if not page:
            break
        selection = Selection(page[-1].sequence, last)
        if progress is not None:
            progress(selection.after, last)


class _Check:
    """What was found so far."""

    def __init__(self) -> None:
        self.head = Head()
        self.replay = Replay()
        self.problems: list[Problem] = []

    @property
    def full(self) -> bool:
        return len(self.problems) >= MOST_PROBLEMS

    def found(self, entry: int | None, fact: str) -> None:
        self.problems.append(Problem(entry=entry, fact=fact))

    def entry(self, entry: Entry, anchor: Anchor | None) -> None:
        if entry.sequence != self.head.sequence + 1:
            self.found(entry.sequence, f"it follows entry {self.head.sequence}: some are missing")
        if not entry.intact:
            self.found(entry.sequence, "it is not as it was written: its hash does not fit")
        if entry.previous != self.head.hash:
            self.found(entry.sequence, "it was not written after the entry before it")
        if (problem := self.replay.take(entry)) is not None:
            self.found(entry.sequence, problem)
        if anchor is not None and entry.sequence == anchor.entries and entry.hash != anchor.hash:
            self.found(entry.sequence, f"it is not the one that was anchored on {anchor.time}")
        self.head = entry.head

    def answers(self, records: Records, page: list[Entry]) -> None:
        if not page:
            return
        first, last = page[0].sequence, page[-1].sequence
        stored = set(records.answers(first, last))
        released = {entry.sequence: entry for entry in page if entry.kind == "released"}
        for sequence in sorted(stored - released.keys()):
            self.found(sequence, "an answer is stored with it that was not released")
        for sequence, entry in released.items():
            try:
                answer = records.answer(sequence) if sequence in stored else None
                body = entry.data
                fits = answer is not None and (body["answer"], body["size"]) == (
                    sha256(answer).hexdigest(),
                    len(answer),
                )
            except (LedgerCorruptError, ValueError, KeyError, TypeError):
                fits = False
            if not fits:
                self.found(sequence, "the answer that is stored is not the one it released")

    def end(self, anchor: Anchor | None) -> None:
        if self.full:
            return
        if anchor is not None and anchor.entries > self.head.sequence:
            self.found(
                None,
                f"there were {anchor.entries} entries on {anchor.time}, and there are "
                f"{self.head.sequence} now: it was cut, or restored from a backup",
            )


def _last(records: Records, check: _Check) -> int:
    """The number of the last entry."""
    lowest, highest, answers = records.extent()
    if lowest < 1:
        check.found(None, "there are entries before the first")
    if answers:
        check.found(None, f"{answers} stored answers belong to no entry")
    return highest
