"""Tracking and capping what one-off calls spend.

Losses on one data set add up (basic composition).  ``with spending(budget) as account:`` adds
every array function and mechanism function called inside, in exact arithmetic, and refuses
the call that would go over *before* it reads the data.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from threading import Lock
from types import FrameType
from typing import Final, Protocol

from discreet.errors import (
    BudgetExhaustedError,
    DiscreetError,
    LedgerError,
    PrivacyParameterError,
)
from discreet.exact import round_up
from discreet.privacy.budget import Budget
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.neighbors import Neighbors

_CURRENT: ContextVar[tuple["Spending", ...]] = ContextVar("discreet_spending", default=())
_OPEN: list["Spending"] = []
_LOCK = Lock()  # a charge checks and changes all accounts concerned at once

_MACHINERY: Final = {"contextlib", "discreet.accounting.spending", "discreet.ledger.spending"}
_NOTHING: Final = " Nothing was read or spent."
_MOST_BITS = 2048
_FINE = Fraction(1, 1 << 1024)


class Account(Protocol):
    """Where a loss is written down before data are read, such as a ledger."""

    def check(
        self, loss: PureDP | ApproximateDP, *, safe: bool, neighbors: Neighbors | None
    ) -> None:
        """Refuse what ``charge`` would refuse now, and spend nothing."""

    def charge(
        self, loss: PureDP | ApproximateDP, *, safe: bool, neighbors: Neighbors | None
    ) -> None:
        """Spend a loss, or refuse.

        ``safe`` says that nobody can repeat the noise; ``neighbors`` is the relation that the loss
        is for, or None where whoever asks vouches for it.
        """


class Spending:
    """What has been spent of a budget so far.  Safe to share between threads."""

    def __init__(self, budget: Budget, account: Account | None = None) -> None:
        self.budget = budget
        self._account = account
        self._process = os.getpid()
        self._frame: FrameType | None = None  # of the function whose block is open
        self._closed_elsewhere = False
        self._history: list[PureDP | ApproximateDP] = []
        self._epsilon = self._delta = Fraction(0)

    @property
    def spent(self) -> ApproximateDP:
        """The sum of all losses so far."""
        return ApproximateDP(epsilon=self._epsilon, delta=self._delta)

    @property
    def left(self) -> ApproximateDP:
        """What the budget still covers."""
        return ApproximateDP(
            epsilon=self.budget.epsilon - self._epsilon,
            delta=self.budget.delta - self._delta,
        )

    @property
    def history(self) -> tuple[PureDP | ApproximateDP, ...]:
        """The losses in the order they were spent."""
        return tuple(self._history)

    def charge(
        self,
        loss: PureDP | ApproximateDP,
        *,
        safe: bool = True,
        neighbors: Neighbors | None = None,
    ) -> None:
        """Spend a loss, or refuse and spend nothing."""
        _charge((self,), loss, safe, neighbors)

    def __repr__(self) -> str:
        return f"Spending(spent {self.spent}; left {self.left})"


def _charge(
    accounts: Sequence[Spending],
    loss: PureDP | ApproximateDP,
    safe: bool,
    neighbors: Neighbors | None,
) -> None:
    """Spend a loss in all the accounts, or refuse and spend it in none.

    Ledgers are charged one after the other, from the outermost block to the innermost, since no
    transaction spans two.  So all are asked first.  If one still refuses (its last ε went to
    another process in between, or its disk failed), what was charged before stays charged: the
    error says so, and nothing is read.
    """
    delta = loss.delta if isinstance(loss, ApproximateDP) else Fraction(0)
    with _LOCK:
        totals = [
            (_sum(account._epsilon, loss.epsilon), _sum(account._delta, delta))
            for account in accounts
        ]
        for account, (epsilon, total_delta) in zip(accounts, totals, strict=True):
            if epsilon > account.budget.epsilon or total_delta > account.budget.delta:
                raise BudgetExhaustedError(
                    f"the question costs {loss}, and {account.left} is left of {account.budget}. "
                    "Losses on one data set add up, so the budget is a cap on all questions "
                    f"together. {_remedy(account.budget, delta)}, or stop here.{_NOTHING}"
                )
        _refuse_forked(accounts)
        written = [account._account for account in accounts if account._account is not None]
        if len(written) > 1:  # one alone checks and charges in one transaction
            for ledger in written:
                ledger.check(loss, safe=safe, neighbors=neighbors)
        charged = 0
        sums = list(zip(accounts, totals, strict=True))
        # What is counted in memory comes last: it cannot refuse any more.
        for account, (epsilon, total_delta) in sorted(sums, key=_in_memory):
            if account._account is not None:
                try:
                    account._account.charge(loss, safe=safe, neighbors=neighbors)
                except DiscreetError as error:
                    if charged == 0:
                        raise
                    raise _kept(error, charged) from error
                charged += 1
            account._epsilon, account._delta = epsilon, total_delta
            account._history.append(loss)


def _remedy(budget: Budget, delta: Fraction) -> str:
    if delta > 0 == budget.delta:
        return "Ask without a delta, give the budget one"
    return "Ask with a smaller epsilon" + (" or delta" if delta > 0 else "")


def _in_memory(counted: tuple[Spending, object]) -> bool:
    return counted[0]._account is None


def _refuse_forked(accounts: Sequence[Spending]) -> None:
    for account in accounts:
        if account._account is None and account._process != os.getpid():
            raise LedgerError(
                "the budget is counted in the memory of another process, from which this one was "
                "forked. The two would count apart, and each could spend all of it. Open the block "
                'after the fork, or count in a file: dp.spending(budget, ledger="visits.ledger", '
                f'dataset="visits").{_NOTHING}'
            )


def _kept(error: DiscreetError, charged: int) -> DiscreetError:
    """A refusal that came after other ledgers were charged."""
    return type(error)(
        f"{str(error).removesuffix(_NOTHING)} Nothing was read. Ledgers of surrounding blocks that "
        f"were charged before this one refused: {charged}. Nothing is ever refunded."
    )


def _sum(spent: Fraction, more: Fraction) -> Fraction:
    """The sum, rounded up where odd denominators have made it very long."""
    total = spent + more if more else spent
    return total if total.denominator.bit_length() <= _MOST_BITS else round_up(total, _FINE)


@contextmanager
def spending(budget: Budget, account: Account | None = None) -> Iterator[Spending]:
    """Track and cap every loss inside the block.

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


def spend(
    loss: PureDP | ApproximateDP, *, safe: bool = True, neighbors: Neighbors | None = None
) -> None:
    """Charge the accounts of the surrounding ``spending`` blocks, if there are any."""
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
        _charge(accounts, loss, safe, neighbors)


def _around(blocks: list[Spending]) -> list[Spending]:
    """The blocks that this call stands inside of, though another thread opened them.

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
