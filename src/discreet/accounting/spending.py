"""Tracking and capping what one-off calls spend.

Losses on one data set add up (basic composition).  ``with spending(budget) as account:`` adds
every array function and mechanism function called inside, in exact arithmetic, and refuses
the call that would go over *before* it reads the data.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from threading import Lock
from typing import Protocol

from discreet.errors import BudgetExhaustedError, PrivacyParameterError
from discreet.exact import round_up
from discreet.privacy.budget import Budget
from discreet.privacy.losses import ApproximateDP, PureDP

_CURRENT: ContextVar[tuple["Spending", ...]] = ContextVar("discreet_spending", default=())
_OPEN: list["Spending"] = []
_LOCK = Lock()  # a charge checks and changes all accounts concerned at once

_MOST_BITS = 2048
_FINE = Fraction(1, 1 << 1024)


class Account(Protocol):
    """Where a loss is written down before data are read, such as a ledger."""

    def charge(self, loss: PureDP | ApproximateDP, *, safe: bool) -> None:
        """Spend a loss, or refuse; ``safe`` says that nobody can repeat the noise."""


class Spending:
    """What has been spent of a budget so far.  Safe to share between threads."""

    def __init__(self, budget: Budget, account: Account | None = None) -> None:
        self.budget = budget
        self._account = account
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

    def charge(self, loss: PureDP | ApproximateDP, *, safe: bool = True) -> None:
        """Spend a loss, or refuse and spend nothing."""
        _charge((self,), loss, safe)

    def __repr__(self) -> str:
        return f"Spending(spent {self.spent}; left {self.left})"


def _charge(accounts: Sequence[Spending], loss: PureDP | ApproximateDP, safe: bool) -> None:
    """Spend a loss in all the accounts, or refuse and spend it in none."""
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
                    "together. Ask with a smaller epsilon, or stop here. Nothing was read or spent."
                )
        for account in accounts:
            if account._account is not None:
                account._account.charge(loss, safe=safe)
        for account, (account._epsilon, account._delta) in zip(accounts, totals, strict=True):
            account._history.append(loss)


def _sum(spent: Fraction, more: Fraction) -> Fraction:
    """The sum, rounded up where odd denominators have made it very long."""
    total = spent + more if more else spent
    return total if total.denominator.bit_length() <= _MOST_BITS else round_up(total, _FINE)


@contextmanager
def spending(budget: Budget, account: Account | None = None) -> Iterator[Spending]:
    """Track and cap every loss inside the block.

    A block inside another counts for both.  A thread that has opened no block of its own is
    charged to every block that is open: it may be working for any of them.  An ``account`` is
    charged too, before the data are read.

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
    _CURRENT.set((*_CURRENT.get(), block))
    with _LOCK:
        _OPEN.append(block)
    try:
        yield block
    finally:
        with _LOCK:
            _OPEN.remove(block)
        # By identity: blocks of generators need not close in the order they were opened in.
        _CURRENT.set(tuple(other for other in _CURRENT.get() if other is not block))


def spend(loss: PureDP | ApproximateDP, *, safe: bool = True) -> None:
    """Charge the accounts of the surrounding ``spending`` blocks, if there are any."""
    accounts = _CURRENT.get()
    if not accounts and _OPEN:
        with _LOCK:
            accounts = tuple(_OPEN)
    if accounts:
        _charge(accounts, loss, safe)
