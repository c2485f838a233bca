"""From a question to the charge that is written before it may be answered."""

from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from json.encoder import encode_basestring as quoted
from typing import Any, NamedTuple

from discreet.accounting.totals import Totals, charge
from discreet.errors import (
    AnswerLostError,
    AnswerPendingError,
    DataError,
    DeclarationError,
    KeyReusedError,
    PrivacyParameterError,
)
from discreet.ledger.entries import Entry, canonical
from discreet.ledger.records import Repetition
from discreet.ledger.standing import Standing
from discreet.ledger.terms import read_name
from discreet.privacy.event_data import event_to_data
from discreet.privacy.events import Event, SampledEvent, counted
from discreet.privacy.neighbors import Neighbors

LONGEST_SUMMARY = 200
_MOST_KNOWN = 256


class Question(NamedTuple):
    """What is asked, by whom, at what price.

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
    ) -> "Question":
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
        return Question(
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

    def paid(self, standing: Standing, time: str) -> tuple[str, Standing]:
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
    found = _known.get(id(event))
    if found is not None and found[0] is event:  # it is held here, so its number is its own
        return found[1]
    price = _priced(event)
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[id(event)] = event, price
    return price


@lru_cache(maxsize=1024)
def _priced(event: Event) -> _Price:
    data = event_to_data(event)
    written, sampled, cost = canonical(data), needs_add_remove(event), charge(event)
    return _Price(data, cost, written, cost.to_json(), sampled)


def needs_add_remove(event: Event) -> bool:
    """Whether the price of an event holds for add/remove neighbors only.

    >>> from discreet.privacy.events import PureEvent
    >>> needs_add_remove(SampledEvent(event=PureEvent(epsilon=1), rate=0.5))
    True
    """
    return any(isinstance(simple, SampledEvent) for simple in counted(event))


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
