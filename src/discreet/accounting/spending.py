"""Tracking and capping what one-off calls spend.

Losses on one data set add up (basic composition).  ``with spending(budget) as account:`` adds
every array function and mechanism function called inside, in exact arithmetic, and refuses
the call that would go over *before* it reads the data.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

from discreet.errors import BudgetExhaustedError
from discreet.privacy.budget import Budget
from discreet.privacy.losses import ApproximateDP, PureDP

_CURRENT: ContextVar["Spending | None"] = ContextVar("discreet_spending", default=None)


class Spending:
    """What has been spent of a budget so far.  Safe to share between threads."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._lock = Lock()
        self._history: list[PureDP | ApproximateDP] = []
        self._total = ApproximateDP(epsilon=0, delta=0)  # type: ignore[arg-type]

    @property
    def spent(self) -> ApproximateDP:
        """The sum of all losses so far."""
        return self._total

    @property
    def left(self) -> ApproximateDP:
        """What the budget still covers."""
        return ApproximateDP(
            epsilon=self.budget.epsilon - self._total.epsilon,
            delta=self.budget.delta - self._total.delta,
        )

    @property
    def history(self) -> tuple[PureDP | ApproximateDP, ...]:
        """The losses in the order they were spent."""
        return tuple(self._history)

    def charge(self, loss: PureDP | ApproximateDP) -> None:
        """Spend a loss, or refuse and spend nothing."""
        with self._lock:
            total = self._total + loss
            if not self.budget.covers(total):
                raise BudgetExhaustedError(
                    f"the question costs {loss}, and {self.left} is left of {self.budget}. Losses "
                    "on one data set add up, so the budget is a cap on all questions together. "
                    "Ask with a smaller epsilon, or stop here. Nothing was read or spent."
                )
            self._total = total
            self._history.append(loss)

    def __repr__(self) -> str:
        return f"Spending(spent {self.spent}; left {self.left})"


@contextmanager
def spending(budget: Budget) -> Iterator[Spending]:
    """Track and cap every loss inside the block.

    >>> with spending(Budget(epsilon=1)) as account:
    ...     spend(PureDP(epsilon=0.25))
    >>> account.left.epsilon
    Fraction(3, 4)
    """
    account = Spending(budget)
    token = _CURRENT.set(account)
    try:
        yield account
    finally:
        _CURRENT.reset(token)


def spend(loss: PureDP | ApproximateDP) -> None:
    """Charge the account of the surrounding ``spending`` block, if there is one."""
    account = _CURRENT.get()
    if account is not None:
        account.charge(loss)
