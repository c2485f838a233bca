"""Verifying a ledger: every entry, from the first to the last, is replayed and checked."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
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
from discreet.privacy.number_text import plural
from discreet.privacy.sensitivity import Neighbors

_PAGE = 1_000
MOST_PROBLEMS = 100
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_CHANGE_FIELDS: Final = {"who", "why", "from", "to"}
_CHARGE_FIELDS_0_1: Final = {
    "event",
    "cost",
    "question",
    "summary",
    "dataset_spent",
    "analyst_spent",
}
_CHARGE_FIELDS: Final = _CHARGE_FIELDS_0_1 | {"pending"}
_REASONS: Final = frozenset(get_args(LossReason))
_NOTHING_SPENT: Final = (AccountTotals(), "")
_NO_REASON: Final = "it has no reason"
_WRONG_SUM: Final = "its cost is not what was added to the sums of its"
_UNREADABLE: Final = (
    DiscreetError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with an entry, or, if ``entry`` is None, with the whole ledger."""

    entry: int | None
    fact: str

    def __str__(self) -> str:
        return self.fact if self.entry is None else f"entry {self.entry}: {self.fact}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The result of a verification; ``pending`` charges have no outcome and count as lost."""

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
    """Verify a whole ledger; ``progress`` is called with the entries done and their number."""
    verifier = _Verifier()
    try:
        for fault in journal.store.faults():
            verifier.add_problem(None, f"the store is damaged: {fault}")
        _check_entries(journal, verifier, anchor, progress)
    except LedgerCorruptError as error:
        verifier.add_problem(None, str(error))
    verifier.check_length(anchor)
    return Report(
        entries=verifier.head.sequence,
        hash=verifier.head.hash,
        pending=len(verifier.replay.pending),
        anchor=anchor,
        problems=tuple(verifier.problems),
    )


def _check_entries(
    journal: Journal,
    verifier: "_Verifier",
    anchor: Anchor | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Check all entries, page by page."""
    with journal.store.reading() as records:
        last_sequence = _last_sequence(records, verifier)
        repeated_keys = records.repeated_keys()
    for sequence in repeated_keys:
        verifier.add_problem(sequence, "its idempotency key was charged before")
    selection = EntryFilter(0, last_sequence)
    while selection.after < last_sequence and not verifier.is_full:
        with journal.store.reading() as records:
            page = records.page(selection, _PAGE)
            for entry in page:
                verifier.check_entry(entry, anchor)
            verifier.check_answers(records, page)
        if not page:
            break
        selection = EntryFilter(page[-1].sequence, last_sequence)
        if progress is not None:
            progress(selection.after, last_sequence)


def _last_sequence(records: Records, verifier: "_Verifier") -> int:
    """The sequence number of the last entry; what lies outside of the sequence is a problem."""
    lowest, highest, answers = records.extent()
    if lowest < 1:
        verifier.add_problem(None, "there are entries before the first")
    if answers:
        verifier.add_problem(None, f"{answers} stored answers belong to no entry")
    return highest


class _Verifier:
    """A verification in progress: the last head, the replayed state, and the problems so far."""

    def __init__(self) -> None:
        self.head = Head()
        self.replay = Replay()
        self.problems: list[Problem] = []

    @property
    def is_full(self) -> bool:
        """Whether there are so many problems that no more are looked for."""
        return len(self.problems) >= MOST_PROBLEMS

    def add_problem(self, entry: int | None, fact: str) -> None:
        self.problems.append(Problem(entry=entry, fact=fact))

    def check_entry(self, entry: Entry, anchor: Anchor | None) -> None:
        """Check an entry's place in the chain of hashes, and replay it."""
        if entry.sequence != self.head.sequence + 1:
            gap = f"it follows entry {self.head.sequence}: some are missing"
            self.add_problem(entry.sequence, gap)
        if not entry.intact:
            self.add_problem(entry.sequence, "it is not as it was written: its hash does not fit")
        if entry.previous != self.head.hash:
            self.add_problem(entry.sequence, "it was not written after the entry before it")
        if (problem := self.replay.apply(entry)) is not None:
            self.add_problem(entry.sequence, problem)
        if anchor is not None and entry.sequence == anchor.entries and entry.hash != anchor.hash:
            self.add_problem(
                entry.sequence, f"it is not the one that was anchored on {anchor.time}"
            )
        self.head = entry.head

    def check_answers(self, records: Records, page: list[Entry]) -> None:
        """Check that the answers stored with these entries are those that they released."""
        if not page:
            return
        first_sequence, last_sequence = page[0].sequence, page[-1].sequence
        stored = set(records.answers(first_sequence, last_sequence))
        released = {entry.sequence: entry for entry in page if entry.kind == "released"}
        for sequence in sorted(stored - released.keys()):
            self.add_problem(sequence, "an answer is stored with it that was not released")
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
                self.add_problem(sequence, "the answer that is stored is not the one it released")

    def check_length(self, anchor: Anchor | None) -> None:
        """Check that no fewer entries are left than were anchored."""
        if self.is_full:
            return
        if anchor is not None and anchor.entries > self.head.sequence:
            self.add_problem(
                None,
                f"it had {plural(anchor.entries, 'entry', 'entries')} on {anchor.time}, and has "
                f"{self.head.sequence} now: it was cut, or restored from a backup",
            )


# ---------------------------------------------------------------------- replay


class UnsoundEntry(Exception):  # noqa: N818 - never leaves verification
    """An entry that is not sound, with the reason."""


@dataclass(slots=True)
class Replay:
    """The state of a ledger after some of its entries.

    ``spent_by_dataset`` and ``spent_by_analyst`` hold sums and the time of the last charge.
    ``pending`` holds, for each charge without an outcome, its data set, analyst and key; and
    ``unsettled``, by data set, whether each such charge suspends the data set if it fails.
    """

    time: str = ""
    declarations: dict[str, DatasetDeclaration] = field(default_factory=dict)
    own_caps: dict[tuple[str, str], BudgetCap | None] = field(default_factory=dict)
    spent_by_dataset: dict[str, tuple[AccountTotals, str]] = field(default_factory=dict)
    spent_by_analyst: dict[tuple[str, str], tuple[AccountTotals, str]] = field(default_factory=dict)
    pending: dict[int, tuple[str, str | None, str | None]] = field(default_factory=dict)
    unsettled: dict[str, dict[int, bool]] = field(default_factory=dict)
    suspended: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)

    def apply(self, entry: Entry) -> str | None:
        """Apply the next entry; the problem with it, or None."""
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
            _require(entry.kind in rules, f"it is of an unknown kind, {entry.kind[:20]!r}")
            _require(is_time(entry.time), "its time cannot be read")
            _require(entry.time >= self.time, "it is older than the entry before it")
            self.time = entry.time
            rules[entry.kind](entry, parse_body(entry.body))
        except UnsoundEntry as problem:
            return str(problem)
        except _UNREADABLE:
            return "its body cannot be read"
        return None

    def _dataset(self, entry: Entry, body: Mapping[str, Any]) -> None:
        _require(entry.dataset not in self.declarations, "its data set is declared twice")
        _require(set(body) == _CHANGE_FIELDS and body["from"] is None, "it is not a declaration")
        _require(
            (entry.analyst, entry.key, entry.charge) == (None, None, None), "it has other fields"
        )
        self.declarations[entry.dataset] = DatasetDeclaration.from_data(body["to"])

    def _budget(self, entry: Entry, body: Mapping[str, Any]) -> None:
        current = self._declared_before(entry, body)
        if entry.analyst is not None:
            account = (entry.dataset, entry.analyst)
            before = self.own_caps.get(account)
            _require(
                body["from"] == (None if before is None else before.to_data()),
                "it changes another budget than there was",
            )
            self.own_caps[account] = None if body["to"] is None else BudgetCap.from_data(body["to"])
            return
        _require(body["from"] == current.to_data(), "it changes another budget than there was")
        new = DatasetDeclaration.from_data(body["to"])
        _require(
            replace(new, cap=current.cap, analyst_cap=current.analyst_cap) == current,
            "it changes more than a budget",
        )
        self.declarations[entry.dataset] = new

    def _details(self, entry: Entry, body: Mapping[str, Any]) -> None:
        current = self._declared_before(entry, body)
        _require(entry.analyst is None, "it has other fields")
        _require(body["from"] == current.to_data(), "it changes other details than there were")
        new = DatasetDeclaration.from_data(body["to"])
        _require(replace(new, details=current.details) == current, "it changes more than details")
        self.declarations[entry.dataset] = new

    def _charge(self, entry: Entry, body: Mapping[str, Any]) -> None:
        _require(entry.dataset in self.declarations, "its data set is not declared")
        _require(set(body) in (_CHARGE_FIELDS, _CHARGE_FIELDS_0_1), "it is not a charge")
        _require(_DIGEST.fullmatch(body["question"]) is not None, "its question cannot be read")
        if entry.analyst is None:
            raise UnsoundEntry("it does not say who asked")
        _require(entry.charge in {None, entry.sequence}, "it settles another charge")
        refusal = self._refusal_reason(entry, body)
        if entry.charge is None:
            self.pending[entry.sequence] = (entry.dataset, entry.analyst, entry.key)
            self.unsettled.setdefault(entry.dataset, {})[entry.sequence] = "pending" in body
        cost = _cached_cost(tuple(body["cost"].items()))
        price, add_remove_only = _price_now(body["event"])
        declaration = self.declarations[entry.dataset]
        _require(_covers(cost, price), "it cost less than its event")
        _require(
            not (add_remove_only and declaration.neighbors is Neighbors.REPLACE),
            "its event is priced for other neighbors than its data set is declared with",
        )
        account = (entry.dataset, entry.analyst)
        own_cap = self.own_caps.get(account)
        self.spent_by_dataset[entry.dataset], problem = _added(
            self.spent_by_dataset.get(entry.dataset, _NOTHING_SPENT),
            cost,
            declaration.cap,
            entry,
            body["dataset_spent"],
        )
        self.spent_by_analyst[account], analyst_problem = _added(
            self.spent_by_analyst.get(account, _NOTHING_SPENT),
            cost,
            own_cap or declaration.analyst_cap,
            entry,
            body["analyst_spent"],
        )
        _require(not refusal, refusal)
        _require(not problem, f"{problem} data set")
        _require(not analyst_problem, f"{analyst_problem} analyst")

    def _refusal_reason(self, entry: Entry, body: Mapping[str, Any]) -> str:
        """Why a charge should have been refused at the time; empty if it was rightly made."""
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
        _require(set(body) == {"answer", "size"}, "it is not a release")
        _require(
            _DIGEST.fullmatch(body["answer"]) is not None, "its answer's digest cannot be read"
        )

    def _lost(self, entry: Entry, body: Mapping[str, Any]) -> None:
        suspends = self._settle(entry)
        _require(body.keys() == {"reason"} and body["reason"] in _REASONS, _NO_REASON)
        if suspends and body["reason"] not in OUTSIDE:
            self.failed.add(entry.dataset)

    def _suspended(self, entry: Entry, body: Mapping[str, Any]) -> None:
        self._require_dataset_only(entry)
        _require(not body, "it has other fields")
        self.suspended.add(entry.dataset)
        self.failed.discard(entry.dataset)

    def _resumed(self, entry: Entry, body: Mapping[str, Any]) -> None:
        self._require_dataset_only(entry)
        _require(
            set(body) == {"who", "why"} and bool(body["who"]) and bool(body["why"]), _NO_REASON
        )
        _require(entry.dataset in self.suspended, "its data set was not suspended")
        self.suspended.discard(entry.dataset)

    def _require_dataset_only(self, entry: Entry) -> None:
        """Require an entry about a declared data set, and about nothing else."""
        _require(entry.dataset in self.declarations, "its data set is not declared")
        _require(
            (entry.analyst, entry.key, entry.charge) == (None, None, None), "it has other fields"
        )

    def _settle(self, entry: Entry) -> bool:
        """Remove the charge that an entry settles from those that are pending.

        Whether the charge suspends its data set if it fails, which it does not in 0.1.0.
        """
        pending_charge = self.pending.pop(entry.charge or 0, None)
        _require(pending_charge is not None, "it settles no charge, or one that was settled before")
        _require(
            pending_charge == (entry.dataset, entry.analyst, entry.key),
            "it settles another's charge",
        )
        return self.unsettled[entry.dataset].pop(entry.charge or 0, False)

    def _declared_before(self, entry: Entry, body: Mapping[str, Any]) -> DatasetDeclaration:
        """The declaration that an entry changes, before the change."""
        _require(entry.dataset in self.declarations, "its data set is not declared")
        _require(
            set(body) == _CHANGE_FIELDS and bool(body["who"]) and bool(body["why"]),
            "it has no reason",
        )
        _require((entry.key, entry.charge) == (None, None), "it has other fields")
        return self.declarations[entry.dataset]


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise UnsoundEntry(reason)


def _added(
    before: tuple[AccountTotals, str],
    cost: Totals,
    cap: BudgetCap | None,
    entry: Entry,
    stated: Mapping[str, Any],
) -> tuple[tuple[AccountTotals, str], str]:
    """The sums and the time after a charge, as it states them, and the problem with them or ""."""
    spent, last_time = before
    sums = spent.plus(cost, cap, entry.time, last_time)
    if sums.to_data() != stated:
        return (AccountTotals.from_data(stated), entry.time), _WRONG_SUM
    return (sums, entry.time), "" if fits_cap(
        cap, sums.counted
    ) else "it goes over the budget of its"


# ---------------------------------------------------------------------- prices


def _covers(cost: Totals, price: Totals) -> bool:
    """Whether a cost is at least today's price; an older version may have priced higher."""
    if cost.epsilon is not None and (price.epsilon is None or cost.epsilon < price.epsilon):
        return False
    return cost.delta >= price.delta and cost.rho >= price.rho


@lru_cache(maxsize=4096)
def _cached_cost(fields: tuple[tuple[str, Any], ...]) -> Totals:
    return Totals.from_data(dict(fields))


def _price_now(event: Mapping[str, Any]) -> tuple[Totals, bool]:
    """The price of an event today, and whether it is one for add/remove neighbors only.

    It is cached, since most ledgers hold the same few events again and again.
    """
    try:
        return _cached_price(tuple(event.items()))
    except TypeError:  # events within events have no hash
        return _event_price(event)


@lru_cache(maxsize=4096)
def _cached_price(fields: tuple[tuple[str, Any], ...]) -> tuple[Totals, bool]:
    return _event_price(dict(fields))


def _event_price(data: Mapping[str, Any]) -> tuple[Totals, bool]:
    event = event_from_data(data)
    return charge(event), needs_add_remove(event)
