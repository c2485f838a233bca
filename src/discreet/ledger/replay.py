"""Living through a ledger again: what every entry must say, given the entries before it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as changed
from functools import lru_cache
from typing import Any, Final, get_args

from discreet.accounting.totals import Totals, charge
from discreet.errors import DiscreetError
from discreet.ledger.entries import Entry, parsed
from discreet.ledger.payments import OUTSIDE, Reason
from discreet.ledger.periods import is_time
from discreet.ledger.questions import needs_add_remove
from discreet.ledger.spent import Spent, fits
from discreet.ledger.terms import Cap, Declaration
from discreet.privacy.event_data import event_from_data
from discreet.privacy.neighbors import Neighbors

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_CHANGE: Final = {"who", "why", "from", "to"}
_CHARGE_0_1: Final = {"event", "cost", "question", "summary", "dataset_spent", "analyst_spent"}
_CHARGE: Final = _CHARGE_0_1 | {"pending"}


class Unsound(Exception):  # noqa: N818 - never leaves verification
    """What is wrong with an entry."""


@dataclass(slots=True)
class Replay:
    """The state of a ledger after some of its entries."""

    time: str = ""
    declarations: dict[str, Declaration] = field(default_factory=dict)
    own_caps: dict[tuple[str, str], Cap | None] = field(default_factory=dict)
    spent: dict[str, tuple[Spent, str]] = field(default_factory=dict)
    asked: dict[tuple[str, str], tuple[Spent, str]] = field(default_factory=dict)
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
            rules[entry.kind](entry, parsed(entry.body))
        except Unsound as problem:
            return str(problem)
        except _UNREADABLE:
            return "its body cannot be read"
        return None

    def _dataset(self, entry: Entry, body: Mapping[str, Any]) -> None:
        _must(entry.dataset not in self.declarations, "its data set is declared twice")
        _must(set(body) == _CHANGE and body["from"] is None, "it is not a declaration")
        _must((entry.analyst, entry.key, entry.charge) == (None, None, None), "it has other fields")
        self.declarations[entry.dataset] = Declaration.from_data(body["to"])

    def _budget(self, entry: Entry, body: Mapping[str, Any]) -> None:
        current = self._declared(entry, body)
        if entry.analyst is not None:
            account = (entry.dataset, entry.analyst)
            before = self.own_caps.get(account)
            _must(
                body["from"] == (None if before is None else before.to_data()),
                "it changes another budget than there was",
            )
            self.own_caps[account] = None if body["to"] is None else Cap.from_data(body["to"])
            return
        _must(body["from"] == current.to_data(), "it changes another budget than there was")
        new = Declaration.from_data(body["to"])
        _must(
            changed(new, cap=current.cap, analyst_cap=current.analyst_cap) == current,
            "it changes more than a budget",
        )
        self.declarations[entry.dataset] = new

    def _details(self, entry: Entry, body: Mapping[str, Any]) -> None:
        current = self._declared(entry, body)
        _must(entry.analyst is None, "it has other fields")
        _must(body["from"] == current.to_data(), "it changes other details than there were")
        new = Declaration.from_data(body["to"])
        _must(changed(new, details=current.details) == current, "it changes more than details")
        self.declarations[entry.dataset] = new

    def _charge(self, entry: Entry, body: Mapping[str, Any]) -> None:
        _must(entry.dataset in self.declarations, "its data set is not declared")
        _must(set(body) in (_CHARGE, _CHARGE_0_1), "it is not a charge")
        _must(_DIGEST.fullmatch(body["question"]) is not None, "its question cannot be read")
        if entry.analyst is None:
            raise Unsound("it does not say who asked")
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

    def _declared(self, entry: Entry, body: Mapping[str, Any]) -> Declaration:
        _must(entry.dataset in self.declarations, "its data set is not declared")
        _must(set(body) == _CHANGE and bool(body["who"]) and bool(body["why"]), "it has no reason")
        _must((entry.key, entry.charge) == (None, None), "it has other fields")
        return self.declarations[entry.dataset]


_MISCOUNTED: Final = "its cost is not what was added to the sums of its"
_UNREADABLE: Final = (
    DiscreetError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError,
)  # fmt: skip
_NEW: Final = (Spent(), "")
_REASONS: Final = frozenset(get_args(Reason))
_NO_REASON: Final = "it has no reason"


def _grown(
    before: tuple[Spent, str],
    cost: Totals,
    cap: Cap | None,
    entry: Entry,
    stated: Mapping[str, Any],
) -> tuple[tuple[Spent, str], str]:
    """The sums after a charge, as it states them, and what is wrong with them if anything is."""
    spent, last = before
    due = spent.plus(cost, cap, entry.time, last)
    if due.to_data() != stated:
        return (Spent.from_data(stated), entry.time), _MISCOUNTED
    return (due, entry.time), "" if fits(cap, due.counted) else "it goes over the budget of its"


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
        raise Unsound(otherwise)
