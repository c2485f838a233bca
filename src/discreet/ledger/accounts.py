"""Accounts: what a data set or an analyst has spent, and whether a question still fits the cap."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from discreet.accounting.filters import Totals, cost_text, left_text, within_budget
from discreet.errors import (
    NOTHING_SPENT,
    BudgetExhaustedError,
    DeclarationError,
    LedgerCorruptError,
    PrivacyParameterError,
    Remedy,
    SuspendedError,
)
from discreet.exact import decimal_text
from discreet.ledger.declarations import BudgetCap, read_cap, read_declaration
from discreet.ledger.entries import canonical_json, parse_body
from discreet.ledger.records import DecidingEntries
from discreet.privacy.sensitivity import Neighbors
from discreet.text_table import printable

_MOST_REMEMBERED: Final = 10_000
LONGEST_SUMMARY = 200


class AccountTotals(NamedTuple):
    """The sums of an account.  ``window`` is the period that ``within`` is about, if any."""

    lifetime: Totals = Totals()
    window: str | None = None
    within: Totals | None = None

    def of(self, cap: BudgetCap | None, time: str, last_time: str) -> Totals:
        """What counts against the cap at a time; ``last_time`` is when the sums last grew.

        A budget that was for all time, or for another period, until now has no sums of the present
        period alone: if it was spent from in this period, all of it counts, which is never less.
        """
        if cap is None or cap.period is None:
            return self.lifetime
        window = cap.period.window(time)
        if self.window == window and self.within is not None:
            return self.within
        if last_time and cap.period.window(last_time) == window:
            return self.lifetime
        return Totals()

    def plus(
        self, cost: Totals, cap: BudgetCap | None, time: str, last_time: str
    ) -> "AccountTotals":
        """The sums with one more question in them."""
        lifetime = self.lifetime + cost
        if cap is None or cap.period is None:
            return AccountTotals(lifetime)
        return AccountTotals(
            lifetime=lifetime,
            window=cap.period.window(time),
            within=self.of(cap, time, last_time) + cost,
        )

    @property
    def counted(self) -> Totals:
        """What counts against the cap with which the sums last grew."""
        return self.lifetime if self.within is None else self.within

    def to_data(self) -> dict[str, Any]:
        """Plain data, for an entry."""
        data: dict[str, Any] = {"lifetime": self.lifetime.to_data()}
        if self.within is not None:
            data |= {"window": self.window, "within": self.within.to_data()}
        return data

    def to_json(self) -> str:
        """What ``to_data`` gives, in canonical JSON; written for every question, so it is quick."""
        if self.within is None:
            return f'{{"lifetime":{self.lifetime.to_json()}}}'
        return (
            f'{{"lifetime":{self.lifetime.to_json()},"window":{canonical_json(self.window)},'
            f'"within":{self.within.to_json()}}}'
        )

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> "AccountTotals":
        """The sums that ``to_data`` wrote."""
        lifetime = Totals.from_data(data["lifetime"])
        if set(data) == {"lifetime"}:
            return AccountTotals(lifetime=lifetime)
        if set(data) == {"lifetime", "window", "within"} and isinstance(data["window"], str):
            within = Totals.from_data(data["within"])
            return AccountTotals(lifetime=lifetime, window=data["window"], within=within)
        raise LedgerCorruptError(
            "the sums of an account cannot be read. A record counts only if its meaning is "
            "certain. Run discreet ledger verify; if a newer discreet wrote it, use that one."
        )


def fits_cap(cap: BudgetCap | None, totals: Totals) -> bool:
    """Whether the totals are within the cap; an analyst without a cap is not bound."""
    return cap is None or within_budget(cap.budget, totals)


def exhausted_error(
    whose: str, cap: BudgetCap | None, before: Totals, cost: Totals
) -> BudgetExhaustedError:
    """The refusal of a question that does not fit."""
    left = again = ""
    costs = cost_text(cost, None if cap is None else cap.budget)
    counted = "ρ" if cap is not None and cap.budget.epsilon is None else "ε"
    smaller = "ε" if costs.startswith("ε") else "ε, ρ"
    if cap is not None and cost.delta > 0 == cap.budget.delta:
        return BudgetExhaustedError(
            f"the question costs {costs}, and the budget {cap} of {whose} has no δ. Without a δ, "
            f"groups cannot be found privately, however much {counted} is left. Declare the "
            "values of the column, so that the groups are public; or let whoever keeps the data "
            "set a δ, by discreet budget set.",
            NOTHING_SPENT,
        )
    if cap is not None:
        there = left_text(cap.budget, before, concentrated=cost.epsilon is None)
        left = f", and {there} is left of the budget {cap} of {whose}"
        again = f" until the next {cap.period}" if cap.period else ""
        if cap.budget.conversion_delta and before.delta + cost.delta > cap.budget.question_delta:
            part = decimal_text(cap.budget.question_delta)
            again += f"; of its δ, {part} is for questions and the rest for their sum"
    return BudgetExhaustedError(
        f"the question costs {costs}{left}. The budget caps all questions together, and nothing "
        f"that was spent comes back{again}. Ask with a smaller {smaller} or δ, or stop here; only "
        "whoever keeps the data can raise the budget, by discreet budget set.",
        NOTHING_SPENT,
    )


class AccountState(NamedTuple):
    """An account: its totals, when they last grew, and its cap if it has one."""

    cap: BudgetCap | None
    spent: AccountTotals = AccountTotals()
    time: str = ""

    def after(self, cost: Totals, time: str) -> "AccountState":
        """The tally with one more question in it."""
        return AccountState(self.cap, self.spent.plus(cost, self.cap, time, self.time), time)

    @property
    def fits(self) -> bool:
        """Whether the sums, as they last grew, are within the cap."""
        return self.cap is None or fits_cap(self.cap, self.spent.counted)

    def counted(self, time: str) -> Totals:
        """What counts against the cap at a time."""
        return self.spent.of(self.cap, time, self.time)

    def exhausted(self, whose: str, cost: Totals, time: str) -> BudgetExhaustedError:
        """The refusal of a question that does not fit."""
        return exhausted_error(whose, self.cap, self.counted(time), cost)


class DatasetState(NamedTuple):
    """The accounts of a data set and of one analyst of it, and what is declared of the data set.

    ``pending`` are the charges of the data set that are worked on, ``suspended`` is since when
    nothing may be asked of it.
    """

    dataset: AccountState
    analyst: AccountState
    neighbors: Neighbors
    details: Mapping[str, Any]
    pending: tuple[int, ...] = ()
    suspended: str | None = None

    def after(self, cost: Totals, time: str) -> "DatasetState":
        """The standing with one more question in it."""
        dataset, cap = self.dataset.after(cost, time), self.analyst.cap
        plain = dataset.spent.within is None and (cap is None or cap.period is None)
        if plain and self.analyst.spent is self.dataset.spent:
            # One analyst has asked everything so far: there is one sum to grow.
            analyst = AccountState(cap, dataset.spent, time)
        else:
            analyst = self.analyst.after(cost, time)
        return self._replace(dataset=dataset, analyst=analyst)

    def check_open(self, dataset: str) -> None:
        """Refuse a question about a data set that is suspended."""
        if self.suspended is not None:
            raise suspended_error(dataset, self.suspended)

    def opened(self, charge: int) -> "DatasetState":
        """The standing with one more charge that is worked on."""
        return self._replace(pending=(*self.pending, charge))

    @staticmethod
    def read(
        situation: DecidingEntries, dataset: str, pending: tuple[int, ...] = ()
    ) -> "DatasetState":
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
        return DatasetState(
            total, share, declaration.neighbors, declaration.details, pending, suspended
        )


class StateCache:
    """States that were read or reached, as of one head.

    A hash stands for all entries up to it, so as long as the head is the one that this process
    wrote last, nobody else wrote, and the sums need not be read again.  Remembered is only where
    all that is pending is worked on by this process, and nothing is suspended.
    """

    def __init__(self) -> None:
        self._hash = ""
        self._datasets: dict[str, DatasetState] = {}
        self._analysts: dict[tuple[str, str], AccountState] = {}

    def known(self, hash_: str, dataset: str, analyst: str) -> DatasetState | None:
        """The standing at the head with that hash, if it is remembered."""
        if hash_ != self._hash:
            return None
        whole, share = self._datasets.get(dataset), self._analysts.get((dataset, analyst))
        if whole is None or share is None:
            return None
        return whole._replace(analyst=share)

    def follow(
        self,
        before: str,
        after: str,
        learned: Mapping[tuple[str, str], DatasetState],
        settled: Sequence[tuple[str, int]] = (),
    ) -> None:
        """Go on from one head to the next: to where its entries lead, without what they settle."""
        if before != self._hash or len(self._analysts) > _MOST_REMEMBERED:
            self.forget()
        for (dataset, analyst), standing in learned.items():
            self._datasets[dataset] = standing
            self._analysts[dataset, analyst] = standing.analyst
        for dataset, sequence in settled:
            if dataset in self._datasets:
                known = self._datasets[dataset]
                rest = tuple(one for one in known.pending if one != sequence)
                self._datasets[dataset] = known._replace(pending=rest)
        self._hash = after

    def forget(self) -> None:
        """Read everything again."""
        self._hash = ""
        self._datasets.clear()
        self._analysts.clear()


def suspended_error(dataset: str, time: str) -> SuspendedError:
    """The error of any question about a suspended data set."""
    return SuspendedError(
        f"the data set {dataset!r} is suspended since {time}: a question was paid for and has no "
        "answer, and rows may be the cause. What only rows can show is told once, so nothing more "
        "is asked until whoever keeps the data has looked at them outside of discreet.",
        Remedy(
            python=f'They resume it by ledger.resume({dataset!r}, why="…").',
            sql='They resume it by discreet table resume POLICY --why "…".',
        ),
        NOTHING_SPENT,
    )


def _tallies(
    situation: DecidingEntries, cap: BudgetCap, own: BudgetCap | None
) -> tuple[AccountState, AccountState]:
    """The sums that the last charges recorded, of the data set and of the analyst."""
    spent, asked, whole = situation.spent, situation.asked, None
    total, share = AccountState(cap), AccountState(own)
    try:
        if spent is not None:
            whole = parse_body(spent.body)["dataset_spent"]
            total = AccountState(cap, AccountTotals.from_data(whole), spent.time)
        if asked is not None:
            part = parse_body(asked.body)["analyst_spent"]
            # Where one analyst has asked everything so far, there is one sum to read and to grow.
            shared = spent is not None and part == whole
            share = AccountState(
                own, total.spent if shared else AccountTotals.from_data(part), asked.time
            )
        return total, share
    except (KeyError, TypeError, PrivacyParameterError):
        raise LedgerCorruptError(
            "the sums in the last charge cannot be read. What was spent must be certain before "
            "more is. Run discreet ledger verify; if a newer discreet wrote it, use that one."
        ) from None


def one_line(text: str) -> str:
    """A text as one line that a terminal can show.

    >>> one_line("SELECT 1\\n  FROM t")
    'SELECT 1 FROM t'
    """
    line = " ".join(text.split())
    line = line if line.isprintable() else printable(line)
    return line if len(line) <= LONGEST_SUMMARY else line[: LONGEST_SUMMARY - 1] + "…"
