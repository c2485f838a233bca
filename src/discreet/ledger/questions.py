"""From a question to the charge that is written before it may be answered."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any

from discreet.accounting.totals import Totals, charge
from discreet.errors import (
    AnswerLostError,
    AnswerPendingError,
    DataError,
    KeyReusedError,
    PrivacyParameterError,
)
from discreet.ledger.entries import Entry
from discreet.ledger.records import Repetition
from discreet.ledger.standing import Standing
from discreet.ledger.terms import read_name
from discreet.privacy.event_data import event_to_data
from discreet.privacy.events import Event

LONGEST_SUMMARY = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, by whom, at what price.

    ``digest`` stands for the question itself: two questions are the same if their digests and
    their events are.  ``keeps_answer`` is false where the answer is handed out elsewhere.
    """

    dataset: str
    analyst: str
    event: Mapping[str, Any]
    cost: Totals
    cost_data: Mapping[str, Any]
    digest: str
    key: str | None
    summary: str | None
    keeps_answer: bool

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
    ) -> "Question":
        """Check what the caller wrote, and price it: nothing is read or spent."""
        if not isinstance(event, Event):
            raise PrivacyParameterError(
                f"the event is {type(event).__name__}. A ledger keeps events, whose meaning never "
                "changes, so that they can be priced again years later. Use a class of "
                "discreet.privacy.events, such as PureEvent(epsilon=0.1)."
            )
        if key is not None and not keeps_answer:
            raise DataError(
                f"the question has the key {str(key)[:40]!r}, and its answer is not kept. A key is "
                "for getting a kept answer again. Leave the key out, or keep the answer."
            )
        data, cost, cost_data = _priced(event)
        text = question.encode() if isinstance(question, str) else bytes(question)
        return Question(
            dataset=read_name(dataset, "the data set"),
            analyst=read_name(analyst, "the analyst"),
            event=data,
            cost=cost,
            cost_data=cost_data,
            digest=sha256(text).hexdigest(),
            key=None if key is None else read_name(key, "the idempotency key"),
            summary=None if summary is None else one_line(summary),
            keeps_answer=keeps_answer,
        )

    def paid(self, standing: Standing, time: str) -> tuple[dict[str, Any], Standing]:
        """The body of the charge and where it leads, or a refusal: both caps bind."""
        after = standing.after(self.cost, time)
        if not after.dataset.fits:
            raise standing.dataset.exhausted(f"the data set {self.dataset!r}", self.cost, time)
        if not after.analyst.fits:
            raise standing.analyst.exhausted(f"the analyst {self.analyst!r}", self.cost, time)
        spent = after.dataset.spent.to_data()
        shared = after.analyst.spent is after.dataset.spent
        body = {
            "event": self.event,
            "cost": self.cost_data,
            "question": self.digest,
            "summary": self.summary,
            "dataset_spent": spent,
            "analyst_spent": spent if shared else after.analyst.spent.to_data(),
        }
        return body, after

    def answered(self, repetition: Repetition) -> Entry | None:
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
                "Wait for it; or, if the process that ran it is dead, ask with a new key, which "
                "is charged again."
            )
        if settled.kind == "lost":
            raise AnswerLostError(
                f"the question with the key {self.key!r} was charged in entry {first.sequence}, "
                "and its answer was lost. Nothing is refunded, since the data may have been read, "
                "and one charge pays for one run. Ask with a new key, which is charged again."
            )
        return settled


@lru_cache(maxsize=1024)
def _priced(event: Event) -> tuple[dict[str, Any], Totals, dict[str, Any]]:
    cost = charge(event)
    return event_to_data(event), cost, cost.to_data()


def one_line(text: str) -> str:
    """A text as one line that a terminal can show.

    >>> one_line("SELECT 1\\n  FROM t")
    'SELECT 1 FROM t'
    """
    line = "".join(c if c.isprintable() else "�" for c in " ".join(text.split()))
    return line if len(line) <= LONGEST_SUMMARY else line[: LONGEST_SUMMARY - 1] + "…"
