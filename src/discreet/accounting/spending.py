"""Tracking and capping what one-off calls spend.

``with spending(budget) as account:`` adds up what every array function and mechanism function
called inside costs, in exact arithmetic, and refuses the call that would go over *before* it
reads the data.  The rule is the filter that a ledger uses, so that a block admits exactly what an
account of a ledger with the same budget would.  Proof: docs/proofs/filters.md
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import lru_cache
from threading import Lock
from types import FrameType
from typing import Final, Protocol

from discreet.accounting.filters import (
    Filter,
    Odometer,
    Totals,
    charge,
    cost_text,
    left_text,
    within_budget,
)
from discreet.errors import (
    NOTHING_SPENT,
    BudgetExhaustedError,
    DiscreetError,
    LedgerError,
    PrivacyParameterError,
)
from discreet.exact import decimal_text
from discreet.privacy.events import Event, loss_event
from discreet.privacy.losses import ApproximateDP, Budget, PureDP, ZeroConcentratedDP
from discreet.privacy.sensitivity import Neighbors

_CURRENT: ContextVar[tuple["Spending", ...]] = ContextVar("discreet_spending", default=())
_OPEN: list["Spending"] = []
_LOCK = Lock()  # a charge checks and changes all accounts concerned at once

_MACHINERY: Final = {"contextlib", "discreet.accounting.spending", "discreet.ledger.ledger"}

LossOrEvent = PureDP | ApproximateDP | Event
"""What a release costs: a loss, or an event that says how its noise was made."""


class ChargeableAccount(Protocol):
    """Protocol of what an event is charged to before data are read, such as a ledger."""

    def check(self, event: Event, *, safe: bool, neighbors: Neighbors | None) -> None:
        """Refuse what ``charge`` would refuse now, and spend nothing."""

    def charge(self, event: Event, *, safe: bool, neighbors: Neighbors | None) -> None:
        """Spend what an event costs, or refuse.

        ``safe`` says that nobody can repeat the noise; ``neighbors`` is the relation that the
        event is for, or None where whoever asks vouches for it.
        """


class Spending:
    """The account of a ``spending`` block.  Safe to share between threads."""

    def __init__(self, budget: Budget, account: ChargeableAccount | None = None) -> None:
        self.budget = budget
        self._account = account
        self._process = os.getpid()
        self._frame: FrameType | None = None  # of the function whose block is open
        self._closed_elsewhere = False
        self._history: list[LossOrEvent] = []
        self._totals = Totals()

    @property
    def spent(self) -> ApproximateDP | ZeroConcentratedDP:
        """The sums of ε and δ so far; the whole budget once an event took part that bounds no ε.

        With a δ in the budget the sum of ε may be above the budget's: many small questions cost
        less together than their sum.  Of a budget in ρ it is the sums of ρ and δ.
        """
        totals = self._totals
        if self.budget.epsilon is None:
            return ZeroConcentratedDP(rho=totals.rho, delta=totals.delta)
        if totals.epsilon is None:
            return self.budget.promise
        return ApproximateDP(epsilon=totals.epsilon, delta=totals.delta)

    @property
    def left(self) -> ApproximateDP | ZeroConcentratedDP:
        """What the budget surely covers: its ε less the sum, and its δ for questions less theirs.

        With a δ in the budget smaller questions may be covered beyond that: ``odometer`` tells of
        the ρ that is left.  Of a budget in ρ it is that ρ less the sum.
        """
        odometer = self.odometer
        if self.budget.epsilon is None:
            return ZeroConcentratedDP(rho=odometer.rho_left, delta=odometer.delta_left)
        epsilon = odometer.epsilon_left or Fraction(0)
        return ApproximateDP(epsilon=epsilon, delta=odometer.delta_left)

    @property
    def odometer(self) -> Odometer:
        """What has been spent, and what is left, by each of the two sums that may admit."""
        return Odometer.of(Filter(budget=self.budget, totals=self._totals))

    @property
    def history(self) -> tuple[LossOrEvent, ...]:
        """What was spent, in order: the losses and events as they were stated."""
        return tuple(self._history)

    def charge(
        self, charged: LossOrEvent, *, safe: bool = True, neighbors: Neighbors | None = None
    ) -> None:
        """Spend a loss or what an event costs, or refuse and spend nothing."""
        _charge((self,), charged, safe, neighbors)

    def __repr__(self) -> str:
        left = left_text(self.budget, self._totals)
        return f"Spending(spent {cost_text(self._totals, self.budget)}; left {left})"


def _charge(
    accounts: Sequence[Spending], charged: LossOrEvent, safe: bool, neighbors: Neighbors | None
) -> None:
    """Spend a loss or an event in all the accounts, or refuse and spend it in none.

    Ledgers are charged one after the other, from the outermost block to the innermost, since no
    transaction spans two.  So all are asked first.  If one still refuses (its last ε went to
    another process in between, or its disk failed), what was charged before stays charged: the
    error says so, and nothing is read.
    """
    event, cost = _priced(charged)
    with _LOCK:
        totals = [account._totals + cost for account in accounts]
        for account, total in zip(accounts, totals, strict=True):
            if not within_budget(account.budget, total):
                raise _exhausted(account.budget, account._totals, cost)
        _refuse_forked(accounts)
        written = [account._account for account in accounts if account._account is not None]
        if len(written) > 1:  # one alone checks and charges in one transaction
            for ledger in written:
                ledger.check(event, safe=safe, neighbors=neighbors)
        written_to = 0
        sums = list(zip(accounts, totals, strict=True))
        # What is counted in memory comes last: it cannot refuse any more.
        for account, total in sorted(sums, key=_in_memory):
            if account._account is not None:
                try:
                    account._account.charge(event, safe=safe, neighbors=neighbors)
                except DiscreetError as error:
                    if written_to == 0:
                        raise
                    raise _kept(error, written_to) from error
                written_to += 1
            account._totals = total
            account._history.append(charged)


@lru_cache(maxsize=1024)
def _priced(charged: LossOrEvent) -> tuple[Event, Totals]:
    """The event, and what it adds to the sums."""
    event = loss_event(charged) if isinstance(charged, PureDP | ApproximateDP) else charged
    return event, charge(event)


def _exhausted(budget: Budget, before: Totals, cost: Totals) -> BudgetExhaustedError:
    """The refusal of a question that does not fit."""
    split_note = ""
    if budget.conversion_delta and before.delta + cost.delta > budget.question_delta > 0:
        share = decimal_text(budget.question_delta)
        split_note = f" Of its δ, {share} is for questions and the rest for their sum."
    asked = "rho" if cost.epsilon is None else "epsilon"
    remedy = f"Ask with a smaller {asked}" + (" or delta" if cost.delta > 0 else "")
    if cost.delta > 0 == budget.delta:
        remedy = "Ask without a delta, give the budget one"
    left = left_text(budget, before, concentrated=cost.epsilon is None)
    return BudgetExhaustedError(
        f"the question costs {cost_text(cost, budget)}, and {left} is left of {budget}. Losses on "
        f"one data set add up, so the budget is a cap on all questions together.{split_note} "
        f"{remedy}, or stop here.",
        NOTHING_SPENT,
    )


def _in_memory(counted: tuple[Spending, object]) -> bool:
    return counted[0]._account is None


def _refuse_forked(accounts: Sequence[Spending]) -> None:
    for account in accounts:
        if account._account is None and account._process != os.getpid():
            raise LedgerError(
                "the budget is counted in the memory of another process, from which this one was "
                "forked. The two would count apart, and each could spend all of it. Open the block "
                'after the fork, or count in a file: dp.spending(budget, ledger="visits.ledger", '
                'dataset="visits").',
                NOTHING_SPENT,
            )


def _kept(error: DiscreetError, charged: int) -> DiscreetError:
    """A refusal that came after other ledgers were charged."""
    return type(error)(
        *(part for part in error.args if part != NOTHING_SPENT),
        "Nothing was read. Ledgers of surrounding blocks that were charged before this one "
        f"refused: {charged}. Nothing is ever refunded.",
    )


@contextmanager
def spending(budget: Budget, account: ChargeableAccount | None = None) -> Iterator[Spending]:
    """Track and cap every loss inside the block, by the filter that a ledger uses.

    A block inside another counts for both.  A thread that has opened no block of its own is
    charged to every block that is open: it may be working for any of them.  The block of a
    generator goes with it, whichever thread resumes it.  An ``account`` is charged too, before the
    data are read; without one, the count is in memory, and a forked process cannot spend from it.

    >>> with spending(Budget(epsilon=1)) as account:
    ...     spend(PureDP(epsilon=0.25))
    >>> account.left.epsilon
    Fraction(3, 4)
    """
    if not isinstance(budget, Budget):
        raise PrivacyParameterError(
            "the budget is not a Budget. It caps what all the questions inside the block may cost "
            "together. Write with dp.spending(dp.Budget(epsilon=1)) as account:"
        )
    block = Spending(budget, account)
    block._frame = _opening_frame()
    _CURRENT.set((*_CURRENT.get(), block))
    with _LOCK:
        _OPEN.append(block)
    try:
        yield block
    finally:
        block._frame = None
        with _LOCK:
            _OPEN.remove(block)
        # By identity: blocks of generators need not close in the order they were opened in, nor in
        # the thread that opened them, which then must be told.
        blocks = _CURRENT.get()
        block._closed_elsewhere = block not in blocks
        _CURRENT.set(tuple(other for other in blocks if other is not block))


def _opening_frame() -> FrameType | None:
    """The function that opens a block, behind the machinery of context managers."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") in _MACHINERY:
        frame = frame.f_back
    return frame


def spend(charged: LossOrEvent, *, safe: bool = True, neighbors: Neighbors | None = None) -> None:
    """Charge a loss or an event to the surrounding ``spending`` blocks, if there are any."""
    accounts = _CURRENT.get()
    if any(block._closed_elsewhere for block in accounts):
        accounts = tuple(block for block in accounts if not block._closed_elsewhere)
        _CURRENT.set(accounts)
    if _OPEN:
        with _LOCK:
            elsewhere = [block for block in _OPEN if block not in accounts]
        if elsewhere:
            accounts = (*accounts, *(_around(elsewhere) if accounts else elsewhere))
    if accounts:
        _charge(accounts, charged, safe, neighbors)


def _around(blocks: list[Spending]) -> list[Spending]:
    """The ``spending`` blocks that this call is inside of, also those of another thread.

    A generator takes its block along to the thread that resumes it, and its thread's own blocks
    stay behind.
    """
    frames: set[FrameType | None] = set()
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        frames.add(frame)
        frame = frame.f_back
    return [block for block in blocks if block._frame in frames]


def _renew_lock() -> None:
    """A child has none of its parent's threads, so nobody would give the parent's lock back."""
    global _LOCK  # noqa: PLW0603 - a process has one
    _LOCK = Lock()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_renew_lock)
