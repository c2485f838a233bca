"""The life of a charge: written before data are read, then released or lost, once.

What only rows can show, such as a cell that nobody can decode, is seen when a question that was
paid for has no answer.  It is told once: the data set is suspended, and from then on every question
is refused, whatever it asks, until its keeper has looked, so that nobody can find out by many
questions whose row it was.
Why: docs/decisions/one_bit.md
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from json.encoder import encode_basestring as quoted
from time import monotonic, sleep
from typing import Any, Final, Literal, NamedTuple, get_args

from discreet.accounting.filters import Totals
from discreet.accounting.filters import charge as event_totals
from discreet.errors import (
    AnswerLostError,
    AnswerPendingError,
    DataError,
    DeclarationError,
    KeyReusedError,
    LedgerCorruptError,
    LedgerError,
    PrivacyParameterError,
    Remedy,
    UnsafeRandomnessError,
)
from discreet.ledger.accounts import (
    DatasetState,
    one_line,
    suspended_error,
)
from discreet.ledger.declarations import read_name
from discreet.ledger.declare import current_declaration, read_reason
from discreet.ledger.entries import Entry, canonical_json
from discreet.ledger.journal import Journal, JournalWriter
from discreet.ledger.records import KeyedCharge, Records
from discreet.privacy.events import Event, SampledEvent, event_counts, event_to_data
from discreet.privacy.sensitivity import Neighbors

LARGEST_ANSWER: Final = 64 << 20
LARGEST_NUMBER: Final = 2**63 - 1
"""The largest whole number that a store can hold."""
_POLL: Final = 0.02


LossReason = Literal["failed", "abandoned", "cancelled", "unrecorded"]
"""Why an answer is lost: its run ended in an error, nobody works on it any more, whoever asked
broke it off, or it was there and could not be written down."""
OUTSIDE: Final = frozenset({"cancelled", "unrecorded"})
"""The reasons that rows cannot have caused."""
_MOST_KNOWN: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """A question that is paid for.

    ``answer`` is there if the question was answered before; then the data must not be read again.
    """

    sequence: int
    dataset: str
    analyst: str
    key: str | None
    cost: Totals
    answer: bytes | None = field(default=None, repr=False)


class ChargeRequest(NamedTuple):
    """A request for a charge: data set, analyst, event, cost and digest of the question.

    ``digest`` stands for the question itself: two questions are the same if their digests and
    their events are.  ``keeps_answer`` is false where the answer is handed out elsewhere.
    ``neighbors`` is the relation that the price holds for, and ``details`` are the declarations;
    None if whoever asks vouches for them.
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
    details: Mapping[str, Any] | None

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
        details: Mapping[str, Any] | None = None,
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
            details,
        )

    def paid(self, standing: DatasetState, time: str) -> tuple[str, DatasetState]:
        """The body of the charge, in canonical JSON, and where it leads; or a refusal.

        Both caps bind, the price must be one for the neighbors that were declared, and nothing is
        asked of a data set that is suspended.
        """
        standing.check_open(self.dataset)
        if self.neighbors is not None and self.neighbors is not standing.neighbors:
            raise self._other_neighbors(standing.neighbors)
        if self.details is not None and self.details != standing.details:
            raise self._other_details()
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

    def _other_details(self) -> DeclarationError:
        return DeclarationError(
            f"what is declared of the data set {self.dataset!r} has changed since it was opened. "
            "Noise is measured by the declarations, and that of the old ones need not protect whom "
            "the new ones do. Open it again, and plan the question anew. Nothing was read or spent."
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
    written, sampled, cost = canonical_json(data), needs_add_remove(event), event_totals(event)
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


def pay(journal: Journal, question: ChargeRequest, wait: float) -> Charge:
    """Write the charge of a question, or find the answer that its key has already paid for."""
    deadline = monotonic() + _seconds(wait)
    while True:
        try:
            before = None if question.key is None else _answered_before(journal, question)
            return before or _charged(journal, question)
        except AnswerPendingError:
            if monotonic() >= deadline:
                raise
        sleep(_POLL)


def check_charge(journal: Journal, question: ChargeRequest) -> None:
    """Refuse a question that would be refused now; nothing is spent."""
    if question.key is not None and _answered_before(journal, question) is not None:
        return
    with journal.store.reading() as records:
        standing = journal.read_standing(records, question.dataset, question.analyst)
        dead = journal.dead(records, standing)
        if not dead and _replayed_or_refused(records, question, standing) is None:
            question.paid(standing, max(journal.clock(), records.head().time))
    if dead:  # whoever finds them writes it down
        with journal.writing() as pen:
            standing = journal.standing(pen, question.dataset, question.analyst)
            given_up, time = give_up_dead(journal, pen, standing), pen.time
        if given_up:
            raise suspended_error(question.dataset, time)


def release(journal: Journal, charge: Charge, answer: bytes, *, safe: bool) -> None:
    """Record the answer of a charge.  Only after this may anyone see it."""
    if type(safe) is not bool:
        raise DataError(
            f"safe is of the type {type(safe).__name__}. It says whether the noise came from bits "
            "that nobody can repeat: True or False. Pass that of the bit source."
        )
    if not safe:
        raise UnsafeRandomnessError(
            "the answer was made with seeded bits. Whoever knows the seed can subtract the noise, "
            "so it is not private and is not released. Ask again without a seed; the charge of "
            f"entry {charge.sequence} is not refunded."
        )
    if type(answer) is not bytes or len(answer) > LARGEST_ANSWER:
        raise DataError(
            f"the answer is not bytes, or longer than {LARGEST_ANSWER >> 20} MiB. It is kept with "
            "its charge, so that a retry gets it for free. Encode it, for example as JSON."
        )
    body = {"answer": sha256(answer).hexdigest(), "size": len(answer)}
    with journal.writing() as pen:
        entry = _unsettled(pen, charge.sequence)
        pen.append(
            "released",
            entry.dataset,
            body,
            analyst=entry.analyst,
            key=entry.key,
            charge=entry.sequence,
            answer=answer,
        )


def lose(journal: Journal, sequence: int, reason: LossReason) -> None:
    """Record that a charge has no answer and never will.  What it cost stays spent."""
    if reason not in get_args(LossReason):
        raise DataError(
            f"the reason is {str(reason)[:40]!r}. An answer is lost because its run ended in an "
            "error, nobody works on it any more, whoever asked broke it off, or it could not be "
            'written down. Use "failed", "abandoned", "cancelled" or "unrecorded".'
        )
    with journal.writing() as pen:
        give_up(pen, _unsettled(pen, sequence), reason)


def answer_once(journal: Journal, charge: Charge, run: Callable[[], bytes], *, safe: bool) -> bytes:
    """The stored answer, or that of ``run``, which is released.

    If the run fails, rows may be the cause, unless whoever asked broke it off.  Once there is an
    answer, whatever goes wrong depends on that, and it was paid for.  What cannot even be written
    down counts as a failure: the charge is pending, and nobody works on it.
    """
    if charge.answer is not None:
        return charge.answer
    reason: LossReason = "failed"
    try:
        try:
            new_answer = run()
        except KeyboardInterrupt:
            reason = "cancelled"
            raise
        reason = "unrecorded"
        release(journal, charge, new_answer, safe=safe)
        return new_answer
    except BaseException:
        with suppress(LedgerError):
            lose(journal, charge.sequence, reason)
        raise
    finally:
        journal.store.let_go(charge.sequence, settled=False)


def read_number(value: object, what: str, least: int) -> int:
    """A whole number that a store can hold."""
    if type(value) is int and least <= value <= LARGEST_NUMBER:
        return value
    raise DataError(
        f"{what} is {_shown(value)}. It is a whole number from {least} to 2^63 - 1. Use one such "
        "as 10."
    )


def _shown(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        return f"of the type {type(value).__name__}"
    return str(value) if abs(value) < 10**18 else "very large"


def _seconds(wait: object) -> float:
    if isinstance(wait, int | float) and 0 <= wait <= LARGEST_NUMBER:
        return wait
    raise DataError(
        "wait is not a number of seconds. For so long a retry waits for an answer that is "
        "pending. Write a number such as 30, or leave it out."
    )


def _answered_before(journal: Journal, question: ChargeRequest) -> Charge | None:
    """A retry needs no turn to write, unless its charge has no answer and never will."""
    with journal.store.reading() as records:
        try:
            return _replayed(records, question)
        except AnswerLostError:
            return None
        except AnswerPendingError:
            standing = journal.read_standing(records, question.dataset, question.analyst)
            if journal.dead(records, standing):
                return None
            raise


def _charged(journal: Journal, question: ChargeRequest) -> Charge:
    if question.key is None:
        written = journal.charge_next(
            question.dataset, question.analyst, question.paid, settled=not question.keeps_answer
        )
        if written is not None:
            return _charge(question, written.sequence, None)
    entry: Entry | None = None
    charge: Charge | None = None
    try:
        with journal.writing() as pen:
            standing = journal.standing(pen, question.dataset, question.analyst)
            dead = give_up_dead(journal, pen, standing)
            if not dead:
                charge = _replayed_or_refused(pen.records, question, standing)
            if not dead and charge is None:
                entry = _append(journal, pen, question, standing)
                charge = _charge(question, entry.sequence, None)
    except BaseException as error:
        if entry is not None:
            _doubt(journal, entry, cancelled=isinstance(error, KeyboardInterrupt))
        raise
    if charge is None:
        raise suspended_error(question.dataset, pen.time)
    return charge


def _append(
    journal: Journal, pen: JournalWriter, question: ChargeRequest, standing: DatasetState
) -> Entry:
    body, after = question.paid(standing, pen.time)
    entry = pen.append(
        "charge",
        question.dataset,
        body,
        analyst=question.analyst,
        key=question.key,
        # A charge whose answer is handed out elsewhere settles itself.
        charge=None if question.keeps_answer else pen.head.sequence + 1,
    )
    if question.keeps_answer:
        journal.store.hold(entry.sequence)  # before anyone can see that it is pending
        after = after.opened(entry.sequence)
    journal.learn(pen, question.dataset, question.analyst, after)
    return entry


def _doubt(journal: Journal, entry: Entry, *, cancelled: bool) -> None:
    """Give up a charge that may have been written or not.

    If whoever asked broke it off, nothing was read, and that can be said.
    """
    try:
        if cancelled and entry.charge is None:
            with suppress(LedgerError), journal.writing() as pen:
                there = pen.records.entry(entry.sequence)
                if there == entry and pen.records.settlement(entry.sequence) is None:
                    give_up(pen, entry, "cancelled")
    finally:
        journal.store.let_go(entry.sequence, settled=False)


def _replayed_or_refused(
    records: Records, question: ChargeRequest, standing: DatasetState
) -> Charge | None:
    try:
        return _replayed(records, question)
    except AnswerLostError:
        standing.check_open(question.dataset)
        raise


def _replayed(records: Records, question: ChargeRequest) -> Charge | None:
    if question.key is None:
        return None
    repetition = records.repetition(question.dataset, question.analyst, question.key)
    released = question.answered(repetition)
    if released is None or released.charge is None:
        return None
    answer = records.answer(released.sequence)
    if answer is None or sha256(answer).hexdigest() != released.data["answer"]:
        raise LedgerCorruptError(
            f"the answer that entry {released.sequence} released is not the one that is stored. "
            "Answers are never changed, so the ledger was damaged or edited. Run discreet ledger "
            "verify, and restore a backup that it accepts."
        )
    return _charge(question, released.charge, answer)


def _charge(question: ChargeRequest, sequence: int, answer: bytes | None) -> Charge:
    return Charge(
        sequence=sequence,
        dataset=question.dataset,
        analyst=question.analyst,
        key=question.key,
        cost=question.cost,
        answer=answer,
    )


def _unsettled(pen: JournalWriter, sequence: int) -> Entry:
    entry = pen.records.entry(sequence)
    if entry is None or entry.kind != "charge":
        raise LedgerError(
            f"entry {sequence} is not a charge. Only a charge can be released or lost.",
            Remedy(
                python="Pass what ledger.charge returned, or a number that discreet ledger pending "
                "shows.",
                command="Pass a number that discreet ledger pending shows.",
            ),
        )
    settled = pen.records.settlement(sequence)
    if settled is None:
        return entry
    if settled.kind == "lost":
        raise AnswerLostError(
            f"the charge of entry {sequence} was marked as lost in entry {settled.sequence}. One "
            "charge pays for one answer, and this one was given up. Ask again, which is charged."
        )
    raise LedgerError(
        f"the charge of entry {sequence} was settled in entry {settled.sequence}. One charge pays "
        "for one answer. Ask again, which is charged."
    )


def give_up(pen: JournalWriter, charge: Entry, reason: LossReason) -> None:
    """Write down that a charge has no answer; where rows may be the cause, that suspends."""
    pen.append(
        "lost",
        charge.dataset,
        {"reason": reason},
        analyst=charge.analyst,
        key=charge.key,
        charge=charge.sequence,
    )
    if reason not in OUTSIDE:
        pen.append("suspended", charge.dataset, {})


def give_up_dead(journal: Journal, pen: JournalWriter, standing: DatasetState) -> bool:
    """Give up each charge that is pending and that nobody works on; whether there was one.

    Its process died between the charge and the answer, and what it was reading may have been why.
    """
    dead = journal.dead(pen.records, standing)
    for sequence in dead:
        charge = pen.records.entry(sequence)
        if charge is None:
            raise LedgerCorruptError(
                f"entry {sequence} of the ledger is gone. A charge is never removed. Run discreet "
                "ledger verify, and restore a backup that it accepts."
            )
        give_up(pen, charge, "abandoned")
    return bool(dead)


def resume(journal: Journal, dataset: str, *, who: str, why: str) -> None:
    """Let questions be asked of a suspended data set again."""
    reason = read_reason(why, "a corrupt page was restored")
    with journal.writing() as pen:
        current_declaration(pen, dataset, new=False)
        standing = journal.read_standing(pen.records, dataset, "")
        if not give_up_dead(journal, pen, standing) and standing.suspended is None:
            raise LedgerError(
                f"the data set {dataset!r} is not suspended. Only one that is can be resumed. Look "
                "at it with discreet budget. Nothing was changed."
            )
        pen.append("resumed", dataset, {"who": who, "why": reason})
