"""Budgets for one-off calls, with or without a ledger."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from discreet.accounting.spending import Spending
from discreet.accounting.spending import spending as tracked
from discreet.errors import DeclarationError, UnsafeRandomnessError
from discreet.ledger.book import Ledger
from discreet.privacy.budget import Budget
from discreet.privacy.events import Event
from discreet.privacy.neighbors import Neighbors


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
            "without a ledger. Nothing was read or spent."
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
