"""The ledger: what was declared, what was asked and what it cost, for ever."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from getpass import getuser
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any

from discreet.accounting.filters import Filter
from discreet.accounting.spending import Spending
from discreet.accounting.spending import spending as tracked
from discreet.errors import NOTHING_SPENT, DeclarationError, UnsafeRandomnessError
from discreet.ledger import balances, charges, declare
from discreet.ledger.balances import Balance, PaidQuestion
from discreet.ledger.charges import LARGEST_NUMBER, Charge, ChargeRequest, LossReason, read_number
from discreet.ledger.declarations import (
    BudgetCap,
    DatasetDeclaration,
    Period,
    now,
    read_declaration,
    read_details,
    read_name,
)
from discreet.ledger.declare import BudgetScope, ScopeOrAnalyst
from discreet.ledger.entries import Anchor, Entry
from discreet.ledger.journal import Journal, open_store
from discreet.ledger.records import EntryFilter
from discreet.ledger.verification import Report, verify
from discreet.privacy.events import Event
from discreet.privacy.losses import Budget
from discreet.privacy.sensitivity import Neighbors


class Ledger:
    """The durable record of what was spent: a SQLite file, a PostgreSQL database, or memory.

    A question is charged before data are read, and the charge is on the disk when ``charge``
    returns.  It ends as released, with its answer, or as lost.  Nothing is ever refunded: there is
    no call that could.  Safe to share between threads, processes and, in PostgreSQL, hosts.

    >>> from discreet.privacy.events import PureEvent
    >>> ledger = Ledger(":memory:")
    >>> ledger.declare("visits", neighbors="add-remove", budget=Budget(epsilon=1))
    >>> charge = ledger.charge("visits", event=PureEvent(epsilon=0.1), question="how many?")
    >>> ledger.release(charge, b"42", safe=True)
    >>> ledger.balance("visits").left
    'ε = 0.9'
    """

    def __init__(
        self, place: str | Path, *, read_only: bool = False, clock: Callable[[], str] = now
    ) -> None:
        self._journal = Journal(open_store(place, read_only=read_only), clock)

    def __repr__(self) -> str:
        marked = "" if self.durable else ", gone when the process ends"
        return f"Ledger({self.place!r}{marked})"

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def place(self) -> str:
        """Where it is kept; without a password."""
        return self._journal.store.place

    @property
    def durable(self) -> bool:
        """Whether it outlives the process; false for ":memory:", which certificates must say."""
        return self._journal.store.durable

    def close(self) -> None:
        """Give back the connection.  A ledger in memory is gone.

        A charge that is not settled yet counts as abandoned from now on.
        """
        self._journal.store.close()

    # What is declared

    def declare(
        self,
        dataset: str,
        *,
        neighbors: Neighbors | str,
        budget: Budget,
        period: Period | str | None = None,
        analyst_budget: Budget | None = None,
        details: Mapping[str, Any] | None = None,
        who: str | None = None,
    ) -> None:
        """Declare a data set, once; declared again, it must be as it was.

        ``dataset`` is the identity that the budget belongs to, whatever the file is called.
        ``analyst_budget`` caps each analyst within it.  With a ``period`` ("month") both start
        again with the calendar, and the guarantee is per period.  ``details`` are any other
        declarations that must not change unnoticed.
        """
        span = Period.read(period)
        declaration = DatasetDeclaration(
            neighbors=Neighbors.read(neighbors),
            cap=BudgetCap(budget=budget, period=span),
            analyst_cap=None
            if analyst_budget is None
            else BudgetCap(budget=analyst_budget, period=span),
            details=read_details(details),
        )
        name = read_name(dataset, "the data set")
        declare.declare(self._journal, name, declaration, _who(who))

    def set_budget(
        self,
        dataset: str,
        budget: Budget | None,
        *,
        why: str,
        whose: ScopeOrAnalyst = BudgetScope.DATASET,
        period: Period | str | None = None,
        who: str | None = None,
    ) -> None:
        """Change a budget from now on: of the data set, of each analyst, or of one by name.

        ``None`` takes an analyst's budget back.  What was spent stays spent.
        """
        cap = None if budget is None else BudgetCap(budget=budget, period=Period.read(period))
        owner = read_name(whose, "the analyst") if isinstance(whose, str) else whose
        name = read_name(dataset, "the data set")
        declare.change_budget(self._journal, name, cap, whose=owner, who=_who(who), why=why)

    def set_details(
        self, dataset: str, details: Mapping[str, Any], *, why: str, who: str | None = None
    ) -> None:
        """Change the other declarations from now on."""
        plain = read_details(details)
        name = read_name(dataset, "the data set")
        declare.change_details(self._journal, name, plain, who=_who(who), why=why)

    # What is asked

    def charge(
        self,
        dataset: str,
        *,
        event: Event,
        question: bytes | str,
        analyst: str | None = None,
        key: str | None = None,
        summary: str | None = None,
        keeps_answer: bool = True,
        neighbors: Neighbors | str | None = None,
        details: Mapping[str, Any] | None = None,
        wait: float = 0,
    ) -> Charge:
        """Pay for a question.  Read the data only after this, and only if ``answer`` is None.

        ``question`` is all that determines the answer, apart from the data and the noise;
        ``summary`` is what people see of it.  With a ``key``, a retry of the same question gets
        the stored answer for free; for up to ``wait`` seconds it waits for one that is pending.
        ``neighbors`` is the relation that the event's price holds for: another one than that of
        the data set is refused, and so are ``details`` other than those declared now.  Without
        them, the caller vouches for it.
        """
        return charges.pay(
            self._journal,
            ChargeRequest.read(
                dataset=dataset,
                analyst=_who(analyst),
                event=event,
                question=question,
                key=key,
                summary=summary,
                keeps_answer=keeps_answer,
                neighbors=neighbors,
                details=None if details is None else read_details(details),
            ),
            wait,
        )

    def check(
        self,
        dataset: str,
        *,
        event: Event,
        question: bytes | str = "",
        analyst: str | None = None,
        key: str | None = None,
        neighbors: Neighbors | str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """Refuse what ``charge`` would refuse now, and spend nothing.

        It promises nothing: another process may spend what is left before the charge.
        """
        request = ChargeRequest.read(
            dataset=dataset,
            analyst=_who(analyst),
            event=event,
            question=question,
            key=key,
            summary=None,
            keeps_answer=True,
            neighbors=neighbors,
            details=None if details is None else read_details(details),
        )
        charges.check_charge(self._journal, request)

    def release(self, charge: Charge, answer: bytes, *, safe: bool) -> None:
        """Record the answer of a charge; hand it out only after this.

        ``safe`` says whether the noise came from bits that nobody can repeat: the ``safe`` of the
        bit source.  An answer made with seeded bits is refused.
        """
        charges.release(self._journal, charge, answer, safe=safe)

    def lose(self, charge: Charge | int, reason: LossReason = "abandoned") -> None:
        """Record that a charge has no answer, and never will.  What it cost stays spent.

        If rows may be the cause, the data set is suspended: so it is, unless whoever asked broke it
        off ("cancelled") or the answer was there and could not be recorded ("unrecorded").
        """
        sequence = charge.sequence if isinstance(charge, Charge) else charge
        charges.lose(self._journal, read_number(sequence, "the entry", 1), reason)

    def answer(self, charge: Charge, run: Callable[[], bytes], *, safe: bool) -> bytes:
        """The stored answer, or that of ``run``, which is released.

        If it fails, it is lost, and the data set is suspended: nothing more is asked of it before
        ``resume``.  A run that is broken off (KeyboardInterrupt) is lost, and suspends nothing.
        """
        return charges.answer_once(self._journal, charge, run, safe=safe)

    def resume(self, dataset: str, *, why: str, who: str | None = None) -> None:
        """Let questions be asked of a suspended data set again, once its keeper has looked."""
        name = read_name(dataset, "the data set")
        charges.resume(self._journal, name, who=_who(who), why=why)

    # What is known

    def declaration(self, dataset: str) -> DatasetDeclaration:
        """What a data set is declared to be now: its neighbors, caps and details."""
        name = read_name(dataset, "the data set")
        with self._journal.store.reading() as records:
            declared = records.situation(name, "").declared
            if declared is None:
                raise declare.unknown_dataset_error(name, records.datasets())
        return read_declaration(declared.body)

    def balance(self, dataset: str, analyst: str | None = None) -> Balance:
        """What was spent and what is left of a data set, or of one analyst's share."""
        name, who = read_name(dataset, "the data set"), _optional(analyst)
        return balances.balance(self._journal, name, who, self._journal.clock())

    def standing(
        self, dataset: str, *, analyst: str | None = None, key: str | None = None
    ) -> Filter:
        """The budget of a data set, and what counts against it now.

        With the ``key`` of a question that was asked before, it is what counted before that.
        """
        name, who = read_name(dataset, "the data set"), _who(analyst)
        return balances.standing(self._journal, name, who, key, self._journal.clock())

    def account_after(self, charge: Entry) -> dict[str, Any]:
        """The budget that held at a charge, and what was spent of it right after: as plain data."""
        return balances.account_after(self._journal, charge)

    def budgets(self, dataset: str, analyst: str) -> list[Balance]:
        """What an analyst's question counts against: the data set's budget, and one of their own.

        Who has no cap of their own has the data set's alone.
        """
        name, who = read_name(dataset, "the data set"), read_name(analyst, "the name")
        return balances.accounts_charged(self._journal, name, who, self._journal.clock())

    def balances(self, dataset: str | None = None) -> Iterator[Balance]:
        """Every account: each data set, followed by those who asked about it."""
        return balances.balances(self._journal, self._journal.clock(), _optional(dataset))

    def asked(
        self, count: int, dataset: str | None = None, analyst: str | None = None
    ) -> list[PaidQuestion]:
        """The last questions and what became of them, oldest first."""
        most = read_number(count, "the number of questions", 0)
        return balances.recent_questions(
            self._journal, most, _optional(dataset), _optional(analyst)
        )

    def pending(self) -> Iterator[PaidQuestion]:
        """The questions that are paid for and have no answer, oldest first: at work, or dead."""
        return balances.pending_questions(self._journal)

    def history(self, dataset: str | None = None, analyst: str | None = None) -> Iterator[Entry]:
        """All entries so far, oldest first, in little memory however many there are."""
        last = self._journal.head().sequence
        return self._journal.entries(EntryFilter(0, last, _optional(dataset), _optional(analyst)))

    def recent(
        self, count: int, dataset: str | None = None, analyst: str | None = None
    ) -> list[Entry]:
        """The last entries, oldest first."""
        most = read_number(count, "the number of entries", 0)
        last = self._journal.head().sequence
        selection = EntryFilter(0, last, _optional(dataset), _optional(analyst))
        with self._journal.store.reading() as records:
            entries = records.recent(selection, most)
        return entries[::-1]

    def entry(self, sequence: int) -> Entry | None:
        """The entry with that number, its hash checked; None if there is none."""
        if type(sequence) is int and not 0 < sequence <= LARGEST_NUMBER:
            return None
        number = read_number(sequence, "the entry", 1)
        with self._journal.store.reading() as records:
            return records.entry(number)

    def keyed(self, dataset: str, key: str, *, analyst: str | None = None) -> Entry | None:
        """The charge of the question that was asked with a key; None if none was."""
        name, who = read_name(dataset, "the data set"), _who(analyst)
        with self._journal.store.reading() as records:
            return records.repetition(name, who, read_name(key, "the idempotency key")).keyed

    def settled(self, charge: int) -> Entry | None:
        """What became of a charge: its released or lost entry; None while it is pending."""
        number = read_number(charge, "the entry", 1)
        with self._journal.store.reading() as records:
            return records.settlement(number)

    def stored(self, released: Entry) -> bytes | None:
        """The answer that an entry released; None if another one, or none, is stored with it."""
        with self._journal.store.reading() as records:
            answer = records.answer(released.sequence)
        fits = answer is not None and sha256(answer).hexdigest() == released.data.get("answer")
        return answer if fits else None

    def is_used(self, dataset: str, key: str) -> bool:
        """Whether anybody charged a question with a key, whatever became of it."""
        name, paid = read_name(dataset, "the data set"), read_name(key, "the idempotency key")
        with self._journal.store.reading() as records:
            return records.is_used(name, paid)

    def released(self, dataset: str, key: str) -> tuple[Entry, bytes] | None:
        """The last answer under a key, whoever asked for it, and the entry that released it."""
        name, paid = read_name(dataset, "the data set"), read_name(key, "the idempotency key")
        with self._journal.store.reading() as records:
            entry = records.released(name, paid)
        answer = None if entry is None else self.stored(entry)
        return None if entry is None or answer is None else (entry, answer)

    def suspensions(self, dataset: str, before: int | None = None) -> int:
        """How often a data set was suspended; with ``before``, up to the entry of that number."""
        name = read_name(dataset, "the data set")
        last = LARGEST_NUMBER if before is None else read_number(before, "the entry", 1)
        with self._journal.store.reading() as records:
            return records.suspensions(name, last)

    def export(self) -> Iterator[str]:
        """All entries so far as lines of JSON.  Whoever has them can check every hash."""
        return (entry.line() for entry in self.history())

    def anchor(self) -> Anchor:
        """The head, to be kept elsewhere: with it, a cut or restored ledger is found out."""
        return Anchor.of(self._journal.head(), self._journal.clock())

    def verify(
        self, anchor: Anchor | None = None, progress: Callable[[int, int], None] | None = None
    ) -> Report:
        """Recompute every hash, every sum and every state.

        ``progress`` is told how many entries of how many are checked.
        """
        return verify(self._journal, anchor, progress)


def _optional(name: str | None) -> str | None:
    return None if name is None else read_name(name, "the name")


def _who(name: str | None) -> str:
    """The given name, or that of the operating system's user."""
    if name is not None:
        return read_name(name, "the name of who acts")
    try:
        name = getuser()
    except (KeyError, OSError):  # a container without a user database
        return f"user {os.getuid()}"
    return read_name(name, "the name of the operating system's user")  # LOGNAME may hold anything


class LedgerAccount:
    """A data set of a ledger, for calls whose answers are handed out at once and not kept."""

    def __init__(self, ledger: Ledger, dataset: str, analyst: str | None) -> None:
        self._ledger = ledger
        self._dataset = dataset
        self._analyst = analyst

    def check(self, event: Event, *, safe: bool, neighbors: Neighbors | None) -> None:
        """Refuse what would be refused now."""
        _refuse_unsafe(safe)
        self._ledger.check(self._dataset, event=event, analyst=self._analyst, neighbors=neighbors)

    def charge(self, event: Event, *, safe: bool, neighbors: Neighbors | None) -> None:
        """Write the event down, durably, or refuse."""
        _refuse_unsafe(safe)
        self._ledger.charge(
            self._dataset,
            event=event,
            question="",
            analyst=self._analyst,
            keeps_answer=False,
            neighbors=neighbors,
        )


def _refuse_unsafe(safe: bool) -> None:
    if not safe:
        raise UnsafeRandomnessError(
            "the answer would be made with seeded bits. Whoever knows the seed can subtract "
            "the noise, so a ledger does not release it. Leave source out, or rehearse "
            "without a ledger.",
            NOTHING_SPENT,
        )


@contextmanager
def spending(
    budget: Budget,
    *,
    ledger: Ledger | str | Path | None = None,
    dataset: str | None = None,
    analyst: str | None = None,
    neighbors: Neighbors | str = Neighbors.ADD_REMOVE,
) -> Iterator[Spending]:
    """Track and cap every loss inside the block.

    The block admits what an account of a ledger with this budget would.  Without a δ that is the
    sum of ε.  With one, half of it (``conversion_delta``) lets many small questions cost less than
    their sum, and the other half is for the questions that have a δ of their own.

    A block inside another counts for both.  A thread that has opened no block of its own is
    charged to every block that is open: it may be working for any of them.

    With a ledger (a file, a postgresql:// address or a ``Ledger``) the budget is that of the data
    set, for all processes and for all time: it is declared on the first use, must be the same ever
    after, and each loss is on the disk before the data are read.  The account tells of the block,
    ``Ledger.balance`` of everything.

    A data set is declared with its neighbors, and a question under the other relation is refused.
    Mechanism functions such as ``dp.laplace`` know a sensitivity and no relation: that it is one
    for the declared neighbors is for the caller to vouch for.

    A block without a ledger counts in memory, so a forked process cannot spend from it.

    Blocks with different ledgers inside each other are asked first and then charged, from the
    outermost to the innermost.  If one refuses in spite of that, because another process has just
    spent the rest of it, the others keep their charge; the error says so, and nothing is read.

    >>> from discreet.privacy.losses import PureDP
    >>> with spending(Budget(epsilon=1)) as account:
    ...     account.charge(PureDP(epsilon=0.25))
    >>> account.left.epsilon
    Fraction(3, 4)
    """
    if ledger is None:
        with tracked(budget) as account:
            yield account
        return
    if dataset is None:
        raise DeclarationError(
            "the ledger is given without a data set. A budget belongs to a data set, whatever "
            'its file is called. Name it: dp.spending(budget, ledger="visits.ledger", '
            'dataset="visits").'
        )
    opened = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
    try:
        opened.declare(dataset, neighbors=neighbors, budget=budget)
        with tracked(budget, LedgerAccount(opened, dataset, analyst)) as account:
            yield account
    finally:
        if opened is not ledger:
            opened.close()
