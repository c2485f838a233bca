"""Checking a ledger from its first entry to its last, by living through it again."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as changed
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final, get_args

from discreet.accounting.filters import Totals, charge
from discreet.errors import DiscreetError, LedgerCorruptError
from discreet.ledger.accounts import AccountTotals, fits_cap
from discreet.ledger.charges import OUTSIDE, LossReason, needs_add_remove
from discreet.ledger.declarations import BudgetCap, DatasetDeclaration, is_time
from discreet.ledger.entries import Anchor, Entry, Head, parse_body
from discreet.ledger.journal import Journal
from discreet.ledger.records import EntryFilter, Records
from discreet.privacy.events import event_from_data
from discreet.privacy.sensitivity import Neighbors

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_CHANGE: Final = {"who", "why", "from", "to"}
_CHARGE_0_1: Final = {"event", "cost", "question", "summary", "dataset_spent", "analyst_spent"}
_CHARGE: Final = _CHARGE_0_1 | {"pending"}


class UnsoundEntry(Exception):  # noqa: N818 - never leaves verification
    """The reason why an entry is not sound."""


@dataclass(slots=True)
class Replay:
    """The state of a ledger after some of its entries."""

    time: str = ""
    declarations: dict[str, DatasetDeclaration] = field(default_factory=dict)
    own_caps: dict[tuple[str, str], BudgetCap | None] = field(default_factory=dict)
    spent: dict[str, tuple[AccountTotals, str]] = field(default_factory=dict)
    asked: dict[tuple[str, str], tuple[AccountTotals, str]] = field(default_factory=dict)
    pending: dict[int, tuple[str, str | None, str | None]] = field(default_factory=dict)
    unsettled: dict[str, dict[int, bool]] = field(default_factory=dict)
    suspended: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)

    def take(self, entry: Entry) -> str | None:
        """Go on to the next entry; what is wrong with it, or None."""
        rules: dict[str, Callable[[Entry, Mapping[str, Any]], None]] = {
            "dataset": self._dataset,
            "budget": self._budget,
            "details": self._details,
            "charge": self._charge,
            "released": self._released,
            "lost": self._lost,
            "suspended": self._suspended,
            "resumed": self._resumed,
        }
        try:
            _must(entry.kind in rules, f"it is of an unknown kind, {entry.kind[:20]!r}")
            _must(is_time(entry.time), "its time cannot be read")
            _must(entry.time >= self.time, "it is older than the entry before it")
            self.time = entry.time
            rules[entry.kind](entry, parse_body(entry.body))
        except UnsoundEntry as problem:
            return str(problem)
        except _UNREADABLE:
            return "its body cannot be read"
        return None

    def _dataset(self, entry: Entry, body: Mapping[str, Any]) -> None:
        _must(entry.dataset not in self.declarations, "its data set is declared twice")
        _must(set(body) == _CHANGE and body["from"] is None, "it is not a declaration")
        _must((entry.analyst, entry.key, entry.charge) == (None, None, None), "it has other fields")
        self.declarations[entry.dataset] = DatasetDeclaration.from_data(body["to"])

    def _budget(self, entry: Entry, body: Mapping[str, Any]) -> None:
        current = self._declared(entry, body)
        if entry.analyst is not None:
            account = (entry.dataset, entry.analyst)
            before = self.own_caps.get(account)
            _must(
                body["from"] == (None if before is None else before.to_data()),
                "it changes another budget than there was",
            )
            self.own_caps[account] = None if body["to"] is None else BudgetCap.from_data(body["to"])
            return
        _must(body["from"] == current.to_data(), "it changes another budget than there was")
        new = DatasetDeclaration.from_data(body["to"])
        _must(
            changed(new, cap=current.cap, analyst_cap=current.analyst_cap) == current,
            "it changes more than a budget",
        )
        self.declarations[entry.dataset] = new

    def _details(self, entry: Entry, body: Mapping[str, Any]) -> None:
        current = self._declared(entry, body)
        _must(entry.analyst is None, "it has other fields")
        _must(body["from"] == current.to_data(), "it changes other details than there were")
        new = DatasetDeclaration.from_data(body["to"])
        _must(changed(new, details=current.details) == current, "it changes more than details")
        self.declarations[entry.dataset] = new

    def _charge(self, entry: Entry, body: Mapping[str, Any]) -> None:
        _must(entry.dataset in self.declarations, "its data set is not declared")
        _must(set(body) in (_CHARGE, _CHARGE_0_1), "it is not a charge")
        _must(_DIGEST.fullmatch(body["question"]) is not None, "its question cannot be read")
        if entry.analyst is None:
            raise UnsoundEntry("it does not say who asked")
        _must(entry.charge in {None, entry.sequence}, "it settles another charge")
        unasked = self._unasked(entry, body)
        if entry.charge is None:
            self.pending[entry.sequence] = (entry.dataset, entry.analyst, entry.key)
            self.unsettled.setdefault(entry.dataset, {})[entry.sequence] = "pending" in body
        cost = _cost(tuple(body["cost"].items()))
        price, add_remove_only = _price(body["event"])
        declaration = self.declarations[entry.dataset]
        _must(_covers(cost, price), "it cost less than its event")
        _must(
            not (add_remove_only and declaration.neighbors is Neighbors.REPLACE),
            "its event is priced for other neighbors than its data set is declared with",
        )
        asking = (entry.dataset, entry.analyst)
        own = self.own_caps.get(asking)
        self.spent[entry.dataset], problem = _grown(
            self.spent.get(entry.dataset, _NEW), cost, declaration.cap, entry, body["dataset_spent"]
        )
        self.asked[asking], other = _grown(
            self.asked.get(asking, _NEW),
            cost,
            own or declaration.analyst_cap,
            entry,
            body["analyst_spent"],
        )
        _must(not unasked, unasked)
        _must(not problem, f"{problem} data set")
        _must(not other, f"{other} analyst")

    def _unasked(self, entry: Entry, body: Mapping[str, Any]) -> str:
        """Why a charge could not be made when it was; nothing, if it could."""
        if entry.dataset in self.suspended:
            return "its data set was suspended"
        if entry.dataset in self.failed:
            return "its data set was not suspended after a failure"
        first = next(iter(self.unsettled.get(entry.dataset, ())), None)
        if "pending" in body and body["pending"] != first:
            return "it does not say what was pending before it"
        return ""

    def _released(self, entry: Entry, body: Mapping[str, Any]) -> None:
        self._settle(entry)
        _must(set(body) == {"answer", "size"}, "it is not a release")
        _must(_DIGEST.fullmatch(body["answer"]) is not None, "its answer's digest cannot be read")

    def _lost(self, entry: Entry, body: Mapping[str, Any]) -> None:
        suspends = self._settle(entry)
        _must(body.keys() == {"reason"} and body["reason"] in _REASONS, _NO_REASON)
        if suspends and body["reason"] not in OUTSIDE:
            self.failed.add(entry.dataset)

    def _suspended(self, entry: Entry, body: Mapping[str, Any]) -> None:
        self._halt(entry)
        _must(not body, "it has other fields")
        self.suspended.add(entry.dataset)
        self.failed.discard(entry.dataset)

    def _resumed(self, entry: Entry, body: Mapping[str, Any]) -> None:
        self._halt(entry)
        _must(set(body) == {"who", "why"} and bool(body["who"]) and bool(body["why"]), _NO_REASON)
        _must(entry.dataset in self.suspended, "its data set was not suspended")
        self.suspended.discard(entry.dataset)

    def _halt(self, entry: Entry) -> None:
        _must(entry.dataset in self.declarations, "its data set is not declared")
        _must((entry.analyst, entry.key, entry.charge) == (None, None, None), "it has other fields")

    def _settle(self, entry: Entry) -> bool:
        """Whether the charge would suspend its data set if it failed: not so in 0.1.0."""
        charged = self.pending.pop(entry.charge or 0, None)
        _must(charged is not None, "it settles no charge, or one that was settled before")
        _must(charged == (entry.dataset, entry.analyst, entry.key), "it settles another's charge")
        return self.unsettled[entry.dataset].pop(entry.charge or 0, False)

    def _declared(self, entry: Entry, body: Mapping[str, Any]) -> DatasetDeclaration:
        _must(entry.dataset in self.declarations, "its data set is not declared")
        _must(set(body) == _CHANGE and bool(body["who"]) and bool(body["why"]), "it has no reason")
        _must((entry.key, entry.charge) == (None, None), "it has other fields")
        return self.declarations[entry.dataset]


_MISCOUNTED: Final = "its cost is not what was added to the sums of its"
_UNREADABLE: Final = (
    DiscreetError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError,
)  # fmt: skip
_NEW: Final = (AccountTotals(), "")
_REASONS: Final = frozenset(get_args(LossReason))
_NO_REASON: Final = "it has no reason"


def _grown(
    before: tuple[AccountTotals, str],
    cost: Totals,
    cap: BudgetCap | None,
    entry: Entry,
    stated: Mapping[str, Any],
) -> tuple[tuple[AccountTotals, str], str]:
    """The sums after a charge, as it states them, and what is wrong with them if anything is."""
    spent, last = before
    due = spent.plus(cost, cap, entry.time, last)
    if due.to_data() != stated:
        return (AccountTotals.from_data(stated), entry.time), _MISCOUNTED
    return (due, entry.time), "" if fits_cap(cap, due.counted) else "it goes over the budget of its"


@lru_cache(maxsize=4096)
def _cost(fields: tuple[tuple[str, Any], ...]) -> Totals:
    return Totals.from_data(dict(fields))


def _price(event: Mapping[str, Any]) -> tuple[Totals, bool]:
    """What an event costs today, and whether for add/remove neighbors only.

    Most ledgers hold the same few events again and again.
    """
    try:
        return _flat_price(tuple(event.items()))
    except TypeError:  # events within events
        return _priced(event)


@lru_cache(maxsize=4096)
def _flat_price(fields: tuple[tuple[str, Any], ...]) -> tuple[Totals, bool]:
    return _priced(dict(fields))


def _priced(data: Mapping[str, Any]) -> tuple[Totals, bool]:
    event = event_from_data(data)
    return charge(event), needs_add_remove(event)


def _covers(cost: Totals, price: Totals) -> bool:
    """Whether at least today's price was paid; an older version may have priced higher."""
    if cost.epsilon is not None and (price.epsilon is None or cost.epsilon < price.epsilon):
        return False
    return cost.delta >= price.delta and cost.rho >= price.rho


def _must(condition: bool, otherwise: str) -> None:
    if not condition:
        raise UnsoundEntry(otherwise)


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
    check = _Verifier()
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
    check: "_Verifier",
    anchor: Anchor | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    with journal.store.reading() as records:
        last = _last(records, check)
        repeated = records.repeated_keys()
    for sequence in repeated:
        check.found(sequence, "its idempotency key was charged before")
    selection = EntryFilter(0, last)
    while selection.after < last and not check.full:
        with journal.store.reading() as records:
            page = records.page(selection, _PAGE)
            for entry in page:
                check.entry(entry, anchor)
            check.answers(records, page)
        if not page:
            break
        selection = EntryFilter(page[-1].sequence, last)
        if progress is not None:
            progress(selection.after, last)


class _Verifier:
    """A verification in progress: the last head, the replayed state, and the problems found."""

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


def _last(records: Records, check: _Verifier) -> int:
    """The number of the last entry."""
    lowest, highest, answers = records.extent()
    if lowest < 1:
        check.found(None, "there are entries before the first")
    if answers:
        check.found(None, f"{answers} stored answers belong to no entry")
    return highest
