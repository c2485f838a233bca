"""The life of a charge: written before data are read, then released or lost, once."""

from dataclasses import dataclass, field
from hashlib import sha256
from time import monotonic, sleep
from typing import Final, Literal, get_args

from discreet.accounting.totals import Totals
from discreet.errors import (
    AnswerLostError,
    AnswerPendingError,
    DataError,
    LedgerCorruptError,
    LedgerError,
    UnsafeRandomnessError,
)
from discreet.ledger.entries import Entry
from discreet.ledger.journal import Journal, Pen
from discreet.ledger.questions import Question
from discreet.ledger.records import Records
from discreet.ledger.standing import Standing

LARGEST_ANSWER: Final = 64 << 20
LARGEST_NUMBER: Final = 2**63 - 1
"""The largest whole number that a store can hold."""
_POLL: Final = 0.02

Reason = Literal["failed", "abandoned"]
"""Why an answer is lost: its run ended in an error, or somebody gave up waiting for it."""


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


def pay(journal: Journal, question: Question, wait: float) -> Charge:
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


def check(journal: Journal, question: Question, time: str) -> None:
    """Refuse a question that would be refused now; nothing is written."""
    with journal.store.reading() as records:
        situation, head = records.situation(question.dataset, question.analyst), records.head()
    question.paid(Standing.read(situation, question.dataset), max(time, head.time))


def release(journal: Journal, charge: Charge, answer: bytes, *, safe: bool) -> None:
    """Record the answer of a charge.  Only after this may anyone see it."""
    if type(safe) is not bool:
        raise DataError(
            f"safe is of the type {type(safe).__name__}. It says whether the noise came from bits "
            "that nobody can repeat: True or False. Pass that of the bit source: safe=source.safe."
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


def lose(journal: Journal, sequence: int, reason: Reason) -> None:
    """Record that a charge has no answer and never will.  What it cost stays spent."""
    if reason not in get_args(Reason):
        raise DataError(
            f"the reason is {str(reason)[:40]!r}. An answer is lost because its run ended in an "
            'error, or because somebody gave up waiting. Use "failed" or "abandoned".'
        )
    with journal.writing() as pen:
        entry = _unsettled(pen, sequence)
        pen.append(
            "lost",
            entry.dataset,
            {"reason": reason},
            analyst=entry.analyst,
            key=entry.key,
            charge=entry.sequence,
        )


def read_number(value: object, what: str, least: int) -> int:
    """A whole number that a store can hold."""
    if type(value) is int and least <= value <= LARGEST_NUMBER:
        return value
    raise DataError(
        f"{what} is {_shown(value)}. It is a whole number from {least} to 2^63 - 1. Use a number "
        "that discreet ledger history shows, or one such as 10."
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
        "pending. Write wait=30, or leave it out."
    )


def _answered_before(journal: Journal, question: Question) -> Charge | None:
    """A retry needs no turn to write."""
    with journal.store.reading() as records:
        return _replayed(records, question)


def _charged(journal: Journal, question: Question) -> Charge:
    if question.key is None:
        written = journal.charge_next(
            question.dataset, question.analyst, question.paid, settled=not question.keeps_answer
        )
        if written is not None:
            return _charge(question, written.sequence, None)
    with journal.writing() as pen:
        replayed = _replayed(pen.records, question)
        if replayed is not None:
            return replayed
        standing = journal.standing(pen, question.dataset, question.analyst)
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
        pen.learned[question.dataset, question.analyst] = after
    return _charge(question, entry.sequence, None)


def _replayed(records: Records, question: Question) -> Charge | None:
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


def _charge(question: Question, sequence: int, answer: bytes | None) -> Charge:
    return Charge(
        sequence=sequence,
        dataset=question.dataset,
        analyst=question.analyst,
        key=question.key,
        cost=question.cost,
        answer=answer,
    )


def _unsettled(pen: Pen, sequence: int) -> Entry:
    entry = pen.records.entry(sequence)
    if entry is None or entry.kind != "charge":
        raise LedgerError(
            f"entry {sequence} is not a charge. Only a charge can be released or lost. Pass what "
            "ledger.charge returned, or a number that discreet ledger pending shows."
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
