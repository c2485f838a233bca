"""Accounts: what a data set or an analyst has spent, and whether a question still fits the cap."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from json.encoder import encode_basestring as quoted
from typing import Any, Final, NamedTuple

from discreet.accounting.filters import Totals, charge, cost_text, left_text, within_budget
from discreet.errors import (
    NOTHING_SPENT,
    AnswerLostError,
    AnswerPendingError,
    BudgetExhaustedError,
    DataError,
    DeclarationError,
    KeyReusedError,
    LedgerCorruptError,
    PrivacyParameterError,
    Remedy,
    SuspendedError,
)
from discreet.exact import decimal_text
from discreet.ledger.declarations import BudgetCap, read_cap, read_declaration, read_name
from discreet.ledger.entries import Entry, canonical_json, parse_body
from discreet.ledger.records import DecidingEntries, KeyedCharge
from discreet.privacy.events import Event, SampledEvent, event_counts, event_to_data
from discreet.privacy.sensitivity import Neighbors


class AccountTotals(NamedTuple):
    """The sums of an account.  ``window`` is the period that ``within`` is about, if any."""

    lifetime: Totals = Totals()
    window: str | None = None
    within: Totals | None = None

    def of(self, cap: BudgetCap | None, time: str, last_time: str) -> Totals:
        """What counts against the cap at a time; ``last_time`` is when the sums last grew.

        A budget that was for all time, or for another period, until now has no sums of the present
        period alone: if it was spent from in this period, all of it counts, which is never less.
        """
        if cap is None or cap.period is None:
            return self.lifetime
        window = cap.period.window(time)
        if self.window == window and self.within is not None:
            return self.within
        if last_time and cap.period.window(last_time) == window:
            return self.lifetime
        return Totals()

    def plus(
        self, cost: Totals, cap: BudgetCap | None, time: str, last_time: str
    ) -> "AccountTotals":
        """The sums with one more question in them."""
        lifetime = self.lifetime + cost
        if cap is None or cap.period is None:
            return AccountTotals(lifetime)
        return AccountTotals(
            lifetime=lifetime,
            window=cap.period.window(time),
            within=self.of(cap, time, last_time) + cost,
        )

    @property
    def counted(self) -> Totals:
        """What counts against the cap with which the sums last grew."""
        return self.lifetime if self.within is None else self.within

    def to_data(self) -> dict[str, Any]:
        """Plain data, for an entry."""
        data: dict[str, Any] = {"lifetime": self.lifetime.to_data()}
        if self.within is not None:
            data |= {"window": self.window, "within": self.within.to_data()}
        return data

    def to_json(self) -> str:
        """What ``to_data`` gives, in canonical JSON; written for every question, so it is quick."""
        if self.within is None:
            return f'{{"lifetime":{self.lifetime.to_json()}}}'
        return (
            f'{{"lifetime":{self.lifetime.to_json()},"window":{canonical_json(self.window)},'
            f'"within":{self.within.to_json()}}}'
        )

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> "AccountTotals":
        """The sums that ``to_data`` wrote."""
        lifetime = Totals.from_data(data["lifetime"])
        if set(data) == {"lifetime"}:
            return AccountTotals(lifetime=lifetime)
        if set(data) == {"lifetime", "window", "within"} and isinstance(data["window"], str):
            within = Totals.from_data(data["within"])
            return AccountTotals(lifetime=lifetime, window=data["window"], within=within)
        raise LedgerCorruptError(
            "the sums of an account cannot be read. A record counts only if its meaning is "
            "certain. Run discreet ledger verify; if a newer discreet wrote it, use that one."
        )


def fits_cap(cap: BudgetCap | None, totals: Totals) -> bool:
    """Whether the totals are within the cap; an analyst without a cap is not bound."""
    return cap is None or within_budget(cap.budget, totals)


def exhausted_error(
    whose: str, cap: BudgetCap | None, before: Totals, cost: Totals
) -> BudgetExhaustedError:
    """The refusal of a question that does not fit."""
    left = again = ""
    if cap is not None and cost.delta > 0 == cap.budget.delta:
        return BudgetExhaustedError(
            f"the question costs {cost_text(cost)}, and the budget {cap} of {whose} has no δ. "
            "Without a δ, groups cannot be found privately, however much ε is left. Declare the "
            "values of the column, so that the groups are public; or let whoever keeps the data "
            "set a δ, by discreet budget set.",
            NOTHING_SPENT,
        )
    if cap is not None:
        there = left_text(cap.budget, before, concentrated=cost.epsilon is None)
        left = f", and {there} is left of the budget {cap} of {whose}"
        again = f" until the next {cap.period}" if cap.period else ""
        if before.delta + cost.delta > cap.budget.question_delta:
            part = decimal_text(cap.budget.question_delta)
            again += f"; of its δ, {part} is for questions and the rest for their sum"
    return BudgetExhaustedError(
        f"the question costs {cost_text(cost)}{left}. The budget caps all questions together, and "
        f"nothing that was spent comes back{again}. Ask with a smaller ε or δ, or stop here; only "
        "whoever keeps the data can raise the budget, by discreet budget set.",
        NOTHING_SPENT,
    )


_MOST_REMEMBERED: Final = 10_000


class AccountState(NamedTuple):
    """An account: its totals, when they last grew, and its cap if it has one."""

    cap: BudgetCap | None
    spent: AccountTotals = AccountTotals()
    time: str = ""

    def after(self, cost: Totals, time: str) -> "AccountState":
        """The tally with one more question in it."""
        return AccountState(self.cap, self.spent.plus(cost, self.cap, time, self.time), time)

    @property
    def fits(self) -> bool:
        """Whether the sums, as they last grew, are within the cap."""
        return self.cap is None or fits_cap(self.cap, self.spent.counted)

    def counted(self, time: str) -> Totals:
        """What counts against the cap at a time."""
        return self.spent.of(self.cap, time, self.time)

    def exhausted(self, whose: str, cost: Totals, time: str) -> BudgetExhaustedError:
        """The refusal of a question that does not fit."""
        return exhausted_error(whose, self.cap, self.counted(time), cost)


class DatasetState(NamedTuple):
    """The accounts of a data set and of one analyst of it, and the data set's neighbors.

    ``pending`` are the charges of the data set that are worked on, ``suspended`` is since when
    nothing may be asked of it.
    """

    dataset: AccountState
    analyst: AccountState
    neighbors: Neighbors
    pending: tuple[int, ...] = ()
    suspended: str | None = None

    def after(self, cost: Totals, time: str) -> "DatasetState":
        """The standing with one more question in it."""
        dataset, cap = self.dataset.after(cost, time), self.analyst.cap
        plain = dataset.spent.within is None and (cap is None or cap.period is None)
        if plain and self.analyst.spent is self.dataset.spent:
            # One analyst has asked everything so far: there is one sum to grow.
            analyst = AccountState(cap, dataset.spent, time)
        else:
            analyst = self.analyst.after(cost, time)
        return self._replace(dataset=dataset, analyst=analyst)

    def check_open(self, dataset: str) -> None:
        """Refuse a question about a data set that is suspended."""
        if self.suspended is not None:
            raise suspended_error(dataset, self.suspended)

    def opened(self, charge: int) -> "DatasetState":
        """The standing with one more charge that is worked on."""
        return self._replace(pending=(*self.pending, charge))

    @staticmethod
    def read(
        situation: DecidingEntries, dataset: str, pending: tuple[int, ...] = ()
    ) -> "DatasetState":
        """The standing that the entries say."""
        if situation.declared is None:
            raise DeclarationError(
                f"the data set {dataset!r} is not declared in this ledger. A budget belongs to a "
                "declared data set.",
                Remedy(
                    python=f"Declare it: ledger.declare({dataset!r}, "
                    'neighbors="add-remove", budget=dp.Budget(epsilon=1)).',
                    sql="Ask its first question, which declares it.",
                ),
            )
        declaration = read_declaration(situation.declared.body)
        own = None if situation.allotted is None else read_cap(situation.allotted.body)
        total, share = _tallies(situation, declaration.cap, own or declaration.analyst_cap)
        halted = situation.halted
        suspended = halted.time if halted is not None and halted.kind == "suspended" else None
        return DatasetState(total, share, declaration.neighbors, pending, suspended)


class StateCache:
    """States that were read or reached, as of one head.

    A hash stands for all entries up to it, so as long as the head is the one that this process
    wrote last, nobody else wrote, and the sums need not be read again.  Remembered is only where
    all that is pending is worked on by this process, and nothing is suspended.
    """

    def __init__(self) -> None:
        self._hash = ""
        self._datasets: dict[str, tuple[AccountState, Neighbors, tuple[int, ...]]] = {}
        self._analysts: dict[tuple[str, str], AccountState] = {}

    def known(self, hash_: str, dataset: str, analyst: str) -> DatasetState | None:
        """The standing at the head with that hash, if it is remembered."""
        if hash_ != self._hash:
            return None
        whole, share = self._datasets.get(dataset), self._analysts.get((dataset, analyst))
        if whole is None or share is None:
            return None
        tally, neighbors, pending = whole
        return DatasetState(tally, share, neighbors, pending)

    def follow(
        self,
        before: str,
        after: str,
        learned: Mapping[tuple[str, str], DatasetState],
        settled: Sequence[tuple[str, int]] = (),
    ) -> None:
        """Go on from one head to the next: to where its entries lead, without what they settle."""
        if before != self._hash or len(self._analysts) > _MOST_REMEMBERED:
            self.forget()
        for (dataset, analyst), standing in learned.items():
            self._datasets[dataset] = standing.dataset, standing.neighbors, standing.pending
            self._analysts[dataset, analyst] = standing.analyst
        for dataset, sequence in settled:
            if dataset in self._datasets:
                tally, neighbors, pending = self._datasets[dataset]
                rest = tuple(one for one in pending if one != sequence)
                self._datasets[dataset] = tally, neighbors, rest
        self._hash = after

    def forget(self) -> None:
        """Read everything again."""
        self._hash = ""
        self._datasets.clear()
        self._analysts.clear()


def suspended_error(dataset: str, time: str) -> SuspendedError:
    """The error of any question about a suspended data set."""
    return SuspendedError(
        f"the data set {dataset!r} is suspended since {time}: a question was paid for and has no "
        "answer, and rows may be the cause. What only rows can show is told once, so nothing more "
        "is asked until whoever keeps the data has looked at them outside of discreet.",
        Remedy(
            python=f'They resume it by ledger.resume({dataset!r}, why="…").',
            sql='They resume it by discreet table resume POLICY --why "…".',
        ),
        NOTHING_SPENT,
    )


def _tallies(
    situation: DecidingEntries, cap: BudgetCap, own: BudgetCap | None
) -> tuple[AccountState, AccountState]:
    """The sums that the last charges recorded, of the data set and of the analyst."""
    spent, asked, whole = situation.spent, situation.asked, None
    total, share = AccountState(cap), AccountState(own)
    try:
        if spent is not None:
            whole = parse_body(spent.body)["dataset_spent"]
            total = AccountState(cap, AccountTotals.from_data(whole), spent.time)
        if asked is not None:
            part = parse_body(asked.body)["analyst_spent"]
            # Where one analyst has asked everything so far, there is one sum to read and to grow.
            shared = spent is not None and part == whole
            share = AccountState(
                own, total.spent if shared else AccountTotals.from_data(part), asked.time
            )
        return total, share
    except (KeyError, TypeError, PrivacyParameterError):
        raise LedgerCorruptError(
            "the sums in the last charge cannot be read. What was spent must be certain before "
            "more is. Run discreet ledger verify; if a newer discreet wrote it, use that one."
        ) from None


LONGEST_SUMMARY = 200
_MOST_KNOWN = 256


class ChargeRequest(NamedTuple):
    """A request for a charge: data set, analyst, event, cost and digest of the question.

    ``digest`` stands for the question itself: two questions are the same if their digests and
    their events are.  ``keeps_answer`` is false where the answer is handed out elsewhere.
    ``neighbors`` is the relation that the price holds for; None if whoever asks vouches for it.
    """

    dataset: str
    analyst: str
    event: Mapping[str, Any]
    cost: Totals
    event_json: str
    cost_json: str
    digest: str
    key: str | None
    summary: str | None
    keeps_answer: bool
    neighbors: Neighbors | None

    @staticmethod
    def read(
        *,
        dataset: str,
        analyst: str,
        event: Event,
        question: bytes | str,
        key: str | None,
        summary: str | None,
        keeps_answer: bool,
        neighbors: Neighbors | str | None = None,
    ) -> "ChargeRequest":
        """Check what the caller wrote, and price it: nothing is read or spent."""
        if not isinstance(event, Event):
            raise PrivacyParameterError(
                f"the event is {type(event).__name__}. A ledger keeps events, whose meaning never "
                "changes, so that they can be priced again years later. Use a class of "
                "discreet.privacy.events, such as PureEvent."
            )
        if key is not None and not keeps_answer:
            raise DataError(
                f"the question has the key {str(key)[:40]!r}, and its answer is not kept. A key is "
                "for getting a kept answer again. Leave the key out, or keep the answer."
            )
        price = _known_price(event)
        relation = None if neighbors is None else Neighbors.read(neighbors)
        if price.sampled and relation is Neighbors.REPLACE:
            raise DeclarationError(
                "the event is sampled, and the question is asked with replace neighbors. The price "
                "of sampling holds for add-remove neighbors only. Price it without the sampling, "
                "or ask a data set that is declared with add-remove neighbors."
            )
        return ChargeRequest(
            read_name(dataset, "the data set"),
            read_name(analyst, "the analyst"),
            price.data,
            price.cost,
            price.event_json,
            price.cost_json,
            _digest(question),
            None if key is None else read_name(key, "the idempotency key"),
            None if summary is None else _summary(summary),
            keeps_answer,
            Neighbors.ADD_REMOVE if price.sampled else relation,
        )

    def paid(self, standing: DatasetState, time: str) -> tuple[str, DatasetState]:
        """The body of the charge, in canonical JSON, and where it leads; or a refusal.

        Both caps bind, the price must be one for the neighbors that were declared, and nothing is
        asked of a data set that is suspended.
        """
        standing.check_open(self.dataset)
        if self.neighbors is not None and self.neighbors is not standing.neighbors:
            raise self._other_neighbors(standing.neighbors)
        after = standing.after(self.cost, time)
        if not after.dataset.fits:
            raise standing.dataset.exhausted(f"the data set {self.dataset!r}", self.cost, time)
        if not after.analyst.fits:
            raise standing.analyst.exhausted(f"the analyst {self.analyst!r}", self.cost, time)
        spent = after.dataset.spent.to_json()
        shared = after.analyst.spent is after.dataset.spent
        share = spent if shared else after.analyst.spent.to_json()
        summary = "null" if self.summary is None else quoted(self.summary)
        # Put together by hand: an encoder would write the same event and cost again and again.
        pending = standing.pending[0] if standing.pending else "null"
        body = (
            f'{{"analyst_spent":{share},"cost":{self.cost_json},"dataset_spent":{spent},'
            f'"event":{self.event_json},"pending":{pending},"question":"{self.digest}",'
            f'"summary":{summary}}}'
        )
        return body, after

    def _other_neighbors(self, declared: Neighbors) -> DeclarationError:
        return DeclarationError(
            f"the data set {self.dataset!r} is declared with {declared.value} neighbors, and the "
            f"question is priced for {self.neighbors} neighbors. A loss under one relation says "
            "nothing of the other, so the sum would mean nothing. Ask with "
            f"{declared.value} neighbors, and without sampling where that is replace. Nothing "
            "was read or spent."
        )

    def answered(self, repetition: KeyedCharge) -> Entry | None:
        """The released entry of this very question, asked before with the same key.

        A key pays once.  While its answer is pending or if it was lost, it gets no second run on
        the data: neither for free, since then one charge would pay for two, nor for another
        charge, since whoever repeats a key does not expect to pay again.
        """
        first, settled = repetition.keyed, repetition.settled
        if first is None:
            return None
        recorded = first.data
        if (recorded["question"], recorded["event"]) != (self.digest, self.event):
            raise KeyReusedError(
                f"the idempotency key {self.key!r} was used in entry {first.sequence} for another "
                "question, or for the same at another price. A key stands for one question, so "
                "that a retry cannot get the wrong answer. Use a new key."
            )
        if settled is None:
            raise AnswerPendingError(
                f"the question with the key {self.key!r} was charged in entry {first.sequence} at "
                f"{first.time}, and is not answered yet. One charge pays for one run on the data. "
                "Wait for it; or, if it will never end, mark it with discreet ledger lose LEDGER "
                f"{first.sequence}, which suspends the data set."
            )
        if settled.kind == "lost":
            raise AnswerLostError(
                f"the question with the key {self.key!r} was charged in entry {first.sequence}, "
                "and its answer was lost. Nothing is refunded, since the data may have been read, "
                "and one charge pays for one run. Ask with a new key, which is charged again."
            )
        return settled


class _Price(NamedTuple):
    data: dict[str, Any]
    cost: Totals
    event_json: str
    cost_json: str
    sampled: bool


_known: dict[int, tuple[Event, _Price]] = {}


def _known_price(event: Event) -> _Price:
    """The price of an event; of the same object again at once, since comparing events is slow."""
    cached = _known.get(id(event))
    if cached is not None and cached[0] is event:  # it is held here, so its number is its own
        return cached[1]
    price = _priced(event)
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[id(event)] = event, price
    return price


@lru_cache(maxsize=1024)
def _priced(event: Event) -> _Price:
    data = event_to_data(event)
    written, sampled, cost = canonical_json(data), needs_add_remove(event), charge(event)
    return _Price(data, cost, written, cost.to_json(), sampled)


def needs_add_remove(event: Event) -> bool:
    """Whether the price of an event holds for add/remove neighbors only.

    >>> from discreet.privacy.events import PureEvent
    >>> needs_add_remove(SampledEvent(event=PureEvent(epsilon=1), rate=0.5))
    True
    """
    return any(isinstance(simple, SampledEvent) for simple in event_counts(event))


def _digest(question: object) -> str:
    try:
        if isinstance(question, str):
            return sha256(question.encode()).hexdigest()
        if isinstance(question, bytes):
            return sha256(question).hexdigest()
    except UnicodeEncodeError:
        pass
    raise DataError(
        f"the question is {_kind(question)}. Its digest stands in the ledger, so that a retry is "
        "known by it. Pass the text of the question, or its bytes."
    )


def _summary(summary: object) -> str:
    if isinstance(summary, str):
        return one_line(summary)
    raise DataError(
        f"the summary is {_kind(summary)}. It is what people see of a question in the ledger. Pass "
        "a short text, or leave it out."
    )


def _kind(value: object) -> str:
    if isinstance(value, str):
        return "a text with half a character"
    return f"of the type {type(value).__name__}"


def one_line(text: str) -> str:
    """A text as one line that a terminal can show.

    >>> one_line("SELECT 1\\n  FROM t")
    'SELECT 1 FROM t'
    """
    line = "".join(c if c.isprintable() else "�" for c in " ".join(text.split()))
    return line if len(line) <= LONGEST_SUMMARY else line[: LONGEST_SUMMARY - 1] + "…"
