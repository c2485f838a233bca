"""Where a data set and an analyst stand: their caps and their sums, read or remembered."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from discreet.accounting.totals import Totals
from discreet.errors import (
    BudgetExhaustedError,
    DeclarationError,
    LedgerCorruptError,
    PrivacyParameterError,
    Remedy,
    SuspendedError,
)
from discreet.ledger.entries import parsed
from discreet.ledger.records import Situation
from discreet.ledger.spent import Spent, exhausted, fits
from discreet.ledger.terms import Cap, read_cap, read_declaration
from discreet.privacy.neighbors import Neighbors

_MOST_REMEMBERED: Final = 10_000


class Tally(NamedTuple):
    """The sums of an account, when they last grew, and the cap that binds them if there is one."""

    cap: Cap | None
    spent: Spent = Spent()
    time: str = ""

    def after(self, cost: Totals, time: str) -> "Tally":
        """The tally with one more question in it."""
        return Tally(self.cap, self.spent.plus(cost, self.cap, time, self.time), time)

    @property
    def fits(self) -> bool:
        """Whether the sums, as they last grew, are within the cap."""
        return self.cap is None or fits(self.cap, self.spent.counted)

    def counted(self, time: str) -> Totals:
        """What counts against the cap at a time."""
        return self.spent.of(self.cap, time, self.time)

    def exhausted(self, whose: str, cost: Totals, time: str) -> BudgetExhaustedError:
        """The refusal of a question that does not fit."""
        return exhausted(whose, self.cap, self.counted(time), cost)


class Standing(NamedTuple):
    """The tallies of a data set and of one analyst's questions about it, and its neighbors.

    ``pending`` are the charges of the data set that are worked on, ``suspended`` is since when
    nothing may be asked of it.
    """

    dataset: Tally
    analyst: Tally
    neighbors: Neighbors
    pending: tuple[int, ...] = ()
    suspended: str | None = None

    def after(self, cost: Totals, time: str) -> "Standing":
        """The standing with one more question in it."""
        dataset, cap = self.dataset.after(cost, time), self.analyst.cap
        plain = dataset.spent.within is None and (cap is None or cap.period is None)
        if plain and self.analyst.spent is self.dataset.spent:
            # One analyst has asked everything so far: there is one sum to grow.
            analyst = Tally(cap, dataset.spent, time)
        else:
            analyst = self.analyst.after(cost, time)
        return self._replace(dataset=dataset, analyst=analyst)

    def check_open(self, dataset: str) -> None:
        """Refuse whatever is asked of a data set that is suspended."""
        if self.suspended is not None:
            raise suspended(dataset, self.suspended)

    def opened(self, charge: int) -> "Standing":
        """The standing with one more charge that is worked on."""
        return self._replace(pending=(*self.pending, charge))

    @staticmethod
    def read(situation: Situation, dataset: str, pending: tuple[int, ...] = ()) -> "Standing":
        """The standing that the entries say."""
        if situation.declared is None:
            raise DeclarationError(
                f"the data set {dataset!r} is not declared in this ledger. A budget belongs to a "
                "declared data set.",
                Remedy(
                    python=f"Declare it: ledger.declare({dataset!r}, "
                    'neighbors="add-remove", budget=dp.Budget(epsilon=1)).',
                    sql="Ask its first question, which declares it.",
                ),
            )
        declaration = read_declaration(situation.declared.body)
        own = None if situation.allotted is None else read_cap(situation.allotted.body)
        total, share = _tallies(situation, declaration.cap, own or declaration.analyst_cap)
        halted = situation.halted
        suspended = halted.time if halted is not None and halted.kind == "suspended" else None
        return Standing(total, share, declaration.neighbors, pending, suspended)


class Memory:
    """Standings as of one head.

    A hash stands for all entries up to it, so as long as the head is the one that this process
    wrote last, nobody else wrote, and the sums need not be read again.  Remembered is only where
    all that is pending is worked on by this process, and nothing is suspended.
    """

    def __init__(self) -> None:
        self._hash = ""
        self._datasets: dict[str, tuple[Tally, Neighbors, tuple[int, ...]]] = {}
        self._analysts: dict[tuple[str, str], Tally] = {}

    def known(self, hash_: str, dataset: str, analyst: str) -> Standing | None:
        """The standing at the head with that hash, if it is remembered."""
        if hash_ != self._hash:
            return None
        whole, share = self._datasets.get(dataset), self._analysts.get((dataset, analyst))
        if whole is None or share is None:
            return None
        tally, neighbors, pending = whole
        return Standing(tally, share, neighbors, pending)

    def follow(
        self,
        before: str,
        after: str,
        learned: Mapping[tuple[str, str], Standing],
        settled: Sequence[tuple[str, int]] = (),
    ) -> None:
        """Go on from one head to the next: to where its entries lead, without what they settle."""
        if before != self._hash or len(self._analysts) > _MOST_REMEMBERED:
            self.forget()
        for (dataset, analyst), standing in learned.items():
            self._datasets[dataset] = standing.dataset, standing.neighbors, standing.pending
            self._analysts[dataset, analyst] = standing.analyst
        for dataset, charge in settled:
            if dataset in self._datasets:
                tally, neighbors, pending = self._datasets[dataset]
                rest = tuple(one for one in pending if one != charge)
                self._datasets[dataset] = tally, neighbors, rest
        self._hash = after

    def forget(self) -> None:
        """Read everything again."""
        self._hash = ""
        self._datasets.clear()
        self._analysts.clear()


def suspended(dataset: str, time: str) -> SuspendedError:
    """The refusal of every question about a suspended data set, whatever it asks."""
    return SuspendedError(
        f"the data set {dataset!r} is suspended since {time}: a question was paid for and has no "
        "answer, and rows may be the cause. What only rows can show is told once, so nothing more "
        "is asked until whoever keeps the data has looked at them outside of discreet.",
        Remedy(
            python=f'They resume it by ledger.resume({dataset!r}, why="…").',
            sql='They resume it by discreet table resume POLICY --why "…".',
        ),
        "Nothing was read or spent.",
    )


def _tallies(situation: Situation, cap: Cap, own: Cap | None) -> tuple[Tally, Tally]:
    """The sums that the last charges recorded, of the data set and of the analyst."""
    spent, asked, whole = situation.spent, situation.asked, None
    total, share = Tally(cap), Tally(own)
    try:
        if spent is not None:
            whole = parsed(spent.body)["dataset_spent"]
            total = Tally(cap, Spent.from_data(whole), spent.time)
        if asked is not None:
            part = parsed(asked.body)["analyst_spent"]
            # Where one analyst has asked everything so far, there is one sum to read and to grow.
            shared = spent is not None and part == whole
            share = Tally(own, total.spent if shared else Spent.from_data(part), asked.time)
        return total, share
    except (KeyError, TypeError, PrivacyParameterError):
        raise LedgerCorruptError(
            "the sums in the last charge cannot be read. What was spent must be certain before "
            "more is. Run discreet ledger verify; if a newer discreet wrote it, use that one."
        ) from None
