"""Balances of accounts: loss up to now, budget left and guarantee, for people to read.

Each charge fitted the cap that held when it was made.  From the first answer on, what is asked may
depend on answers, so a cap that was lowered later says nothing of what was, or might have been,
asked before.  What holds is the promise of the smallest budget that every cap since then fits
into: the largest ε, the largest δ of the questions and the largest δ for the conversion; of budgets
in ρ the largest ρ.  Where some were in ε and some in ρ, each is taken for one of the other kind.
Proof: docs/proofs/filters.md
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from discreet.accounting.filters import (
    Filter,
    Totals,
    cost_text,
    left_text,
    rho_allowance,
    share_left,
    share_text,
    spent_text,
)
from discreet.accounting.zcdp import pure_rho
from discreet.exact import percent_text
from discreet.ledger.accounts import AccountTotals, DatasetState
from discreet.ledger.declarations import BudgetCap, exact_budget, read_cap, read_declaration
from discreet.ledger.declare import unknown_dataset_error
from discreet.ledger.entries import Entry
from discreet.ledger.journal import Journal
from discreet.ledger.records import EntryFilter, Records
from discreet.privacy.losses import Budget, concentrated_epsilon
from discreet.templates import table_html
from discreet.text_table import TextTable

_PAGE: Final = 1_000
_STATES: Final = {"charge": "handed out", None: "pending"}
_AT_MOST = Fraction(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """One account: a data set, or one analyst's questions about it.

    ``spent`` is what counts against the cap now, ``lifetime`` what was spent since the data set
    was declared; they differ where the budget starts again with every period.  ``guarantee`` is
    what is promised of all answers, also where the budget was changed on the way.  ``suspended`` is
    since when the data set is suspended, ``suspensions`` how often it was.
    """

    dataset: str
    analyst: str | None
    cap: BudgetCap | None
    guarantee: str | None
    window: str | None
    spent: Totals
    lifetime: Totals
    released: int
    lost: int
    pending: int
    suspended: str | None
    suspensions: int

    @property
    def charges(self) -> int:
        """How many questions were paid for."""
        return self.released + self.lost + self.pending

    @property
    def share_left(self) -> Fraction:
        """How much of the cap is left, from 0 to 1."""
        return Fraction(1) if self.cap is None else share_left(self.cap.budget, self.spent)

    @property
    def share_text(self) -> str:
        """Why the share is more than ``left`` is of the cap, where it is."""
        return "" if self.cap is None else share_text(self.cap.budget, self.spent)

    @property
    def spent_text(self) -> str:
        """What counts against the cap now, in words: by the sum of which more is left."""
        if self.cap is None:
            return cost_text(self.spent)
        return spent_text(self.cap.budget, self.spent)

    @property
    def left(self) -> str:
        """The part of the budget that is left, in words."""
        return "no cap of their own" if self.cap is None else left_text(self.cap.budget, self.spent)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        lines = {
            "data set": self.dataset,
            "analyst": self.analyst or "",
            "budget": "" if self.cap is None else str(self.cap),
            "spent": self.spent_text,
            "left": self.left + (f" ({percent_text(self.share_left)})" if self.cap else ""),
            "": self.share_text,
            "questions": f"{self.charges:,}",
            "suspended": "" if self.suspended is None else f"since {self.suspended}",
            "promise": self.guarantee or "",
        }
        told = tuple((topic, line) for topic, line in lines.items() if line)
        return table_html(TextTable(("", ""), told, 1))

    def __str__(self) -> str:
        whose = f"{self.dataset}, {self.analyst}" if self.analyst else self.dataset
        of = f" of {self.cap} ({percent_text(self.share_left)})" if self.cap else ""
        return f"{whose}: spent {self.spent_text}; left {self.left}{of}"


def balance(journal: Journal, dataset: str, analyst: str | None, time: str) -> Balance:
    """The account of a data set, or of one analyst."""
    with journal.store.reading() as records:
        standing = _standing(records, dataset, analyst or "")
        return _account(records, standing, dataset, analyst, time)


def standing(journal: Journal, dataset: str, analyst: str, key: str | None, time: str) -> Filter:
    """The budget of a data set and what counts against it now.

    With the ``key`` of a question that was charged, it is what counted before that: whoever repeats
    the question gets the plan that was paid for.
    """
    with journal.store.reading() as records:
        first = None if key is None else records.repetition(dataset, analyst, key).keyed
        if first is not None:
            return _standing_before(records, dataset, first)
        state = _standing(records, dataset, "").dataset
        spent = state.counted(max(time, records.head().time))
    return Filter(budget=_capped(state.cap).budget, totals=spent)


def _standing_before(records: Records, dataset: str, charge: Entry) -> Filter:
    cap = _capped(read_declaration(_declared_before(records, charge).body).cap)
    before = EntryFilter(0, charge.sequence - 1, dataset, None, "charge")
    totals = Totals()
    for last in records.recent(before, 1):
        spent = AccountTotals.from_data(last.data["dataset_spent"])
        totals = spent.of(cap, charge.time, last.time)
    return Filter(budget=cap.budget, totals=totals)


def account_after(journal: Journal, charge: Entry) -> dict[str, Any]:
    """The budget that held at a charge, and what counted against it then: as the entries say."""
    with journal.store.reading() as records:
        declared = _declared_before(records, charge)
    spent = charge.data["dataset_spent"]
    return {"budget": declared.data["to"]["cap"], "spent": spent.get("within", spent["lifetime"])}


def _declared_before(records: Records, charge: Entry) -> Entry:
    declared = records.declared(charge.dataset, None)
    return [one for one in declared if one.sequence < charge.sequence][-1]


def _capped(cap: BudgetCap | None) -> BudgetCap:
    if cap is None:
        raise TypeError("a data set is declared with a budget")
    return cap


def accounts_charged(journal: Journal, dataset: str, analyst: str, time: str) -> list[Balance]:
    """The accounts that an analyst's question counts against: of the data set, and their own."""
    with journal.store.reading() as records:
        standing = _standing(records, dataset, analyst)
        whose = [None] if standing.analyst.cap is None else [None, analyst]
        return [_account(records, standing, dataset, one, time) for one in whose]


def _standing(records: Records, dataset: str, analyst: str) -> DatasetState:
    situation = records.situation(dataset, analyst)
    if situation.declared is None:
        raise unknown_dataset_error(dataset, records.datasets())
    return DatasetState.read(situation, dataset)


def _account(
    records: Records, standing: DatasetState, dataset: str, analyst: str | None, time: str
) -> Balance:
    counts = records.counts(dataset, analyst)
    head = records.head()
    time, suspensions = max(time, head.time), records.suspensions(dataset, head.sequence + 1)
    tally = standing.dataset if analyst is None else standing.analyst
    cap = tally.cap
    promise = None if cap is None else guarantee(records, dataset, analyst, cap)
    return Balance(
        dataset=dataset,
        analyst=analyst,
        cap=cap,
        guarantee=promise,
        window=cap.period.window(time) if cap is not None and cap.period else None,
        spent=tally.counted(time),
        lifetime=tally.spent.lifetime,
        released=counts.get("released", 0) + counts.get("charge", 0),
        lost=counts.get("lost", 0),
        pending=counts.get(None, 0),
        suspended=standing.suspended,
        suspensions=suspensions,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidQuestion:
    """A question that was charged, with its cost and its state."""

    sequence: int
    time: str
    dataset: str
    analyst: str
    summary: str | None
    cost: Totals
    state: str


def recent_questions(
    journal: Journal, count: int, dataset: str | None = None, analyst: str | None = None
) -> list[PaidQuestion]:
    """The last questions, oldest first."""
    with journal.store.reading() as records:
        last = records.head().sequence
        charges = records.recent(EntryFilter(0, last, dataset, analyst, "charge"), count)[::-1]
        if not charges:
            return []
        ends = records.settlements(charges[0].sequence, charges[-1].sequence)
    return [_asked(entry, ends.get(entry.sequence)) for entry in charges]


def pending_questions(journal: Journal) -> Iterator[PaidQuestion]:
    """The questions that have no answer yet, oldest first: somebody works on them, or died."""
    after = 0
    while True:
        with journal.store.reading() as records:
            page = records.pending(after, _PAGE)
            running = journal.store.running(records, [entry.sequence for entry in page])
        for entry in page:
            yield _asked(entry, "running" if entry.sequence in running else "dead")
        if len(page) < _PAGE:
            return
        after = page[-1].sequence


def _asked(entry: Entry, end: str | None) -> PaidQuestion:
    data = entry.data
    return PaidQuestion(
        sequence=entry.sequence,
        time=entry.time,
        dataset=entry.dataset,
        analyst=entry.analyst or "",
        summary=data["summary"],
        cost=Totals.from_data(data["cost"]),
        state=_STATES.get(end) or str(end),
    )


def balances(journal: Journal, time: str, dataset: str | None = None) -> Iterator[Balance]:
    """Every account: each data set, followed by those who asked about it."""
    with journal.store.reading() as records:
        datasets = records.datasets()
    if dataset is not None and dataset not in datasets:
        raise unknown_dataset_error(dataset, datasets)
    for name in datasets if dataset is None else [dataset]:
        yield balance(journal, name, None, time)
        with journal.store.reading() as records:
            analysts = records.analysts(name)
        for analyst in analysts:
            yield balance(journal, name, analyst, time)


def guarantee(records: Records, dataset: str, analyst: str | None, cap: BudgetCap) -> str:
    """The guarantee of an account whose cap is ``cap`` now."""
    held = [cap, *_caps_since_the_first_charge(records, dataset, analyst)]
    if None in held:
        return (
            "Nothing is promised of all answers together: there was no such budget when some could "
            f"be given. {_from_now_on(cap)}"
        )
    return cap_guarantee(cap, [one for one in held if one is not None])


def cap_guarantee(cap: BudgetCap, held: Sequence[BudgetCap]) -> str:
    """The promise of a cap, given all the caps that held since the first charge.

    >>> low, high = BudgetCap(budget=Budget(epsilon=1)), BudgetCap(budget=Budget(epsilon=3))
    >>> cap_guarantee(high, [low]) == high.guarantee
    True
    >>> cap_guarantee(low, [high]).split(". ")[0]
    'All answers together, for all time, are (ε, δ)-DP with ε = 3, δ = 0'
    >>> cap_guarantee(BudgetCap(budget=Budget(rho=0.1)), [low]).split(". ")[0]
    'All answers together, for all time, are ρ-zCDP with ρ ≈ 0.462117'
    """
    caps = {cap, *held}
    if any(one.period is not cap.period for one in caps):
        return (
            "Nothing is promised of all answers together: the budget started again at other times "
            f"when some could be given. {_from_now_on(cap)}"
        )
    covering = _covering(cap.budget, [one.budget for one in caps])
    if covering is None:
        return f"Nothing is promised of all answers together. {_from_now_on(cap)}"
    whole = BudgetCap(budget=covering, period=cap.period)
    if whole == cap:
        return cap.guarantee
    return (
        f"{whole.guarantee} That is more than the budget says, since others held after the first "
        f"question. {_from_now_on(cap)}"
    )


def _covering(now: Budget, held: Sequence[Budget]) -> Budget | None:
    """A budget whose promise holds of all answers where each was admitted by one of those held.

    It is of the kind of the budget now, or in ρ where some were and no δ is left to convert it.
    """
    question_delta = max(one.question_delta for one in held)
    conversion_delta = max(one.conversion_delta for one in held)
    in_rho = [one.rho for one in held if one.rho is not None]
    if now.epsilon is None or (in_rho and not conversion_delta):
        return exact_budget(rho=max(map(_implied_rho, held)), delta=question_delta)
    delta = question_delta + conversion_delta
    if delta >= _AT_MOST:
        return None
    epsilons = [one.epsilon for one in held if one.epsilon is not None]
    epsilons += [concentrated_epsilon(rho, conversion_delta) for rho in in_rho]
    return exact_budget(epsilon=max(epsilons), delta=delta, conversion_delta=conversion_delta)


def _implied_rho(budget: Budget) -> Fraction:
    """The ρ of the zCDP that a budget promises, but for the δ of the questions."""
    allowance = rho_allowance(budget)
    return allowance if budget.epsilon is None else max(allowance, pure_rho(budget.epsilon))


def _from_now_on(cap: BudgetCap) -> str:
    together = "all answers" if cap.period is None else f"the answers of one {cap.period}"
    return f"From now on no question is answered that would bring {together} over {cap.budget}."


def _caps_since_the_first_charge(
    records: Records, dataset: str, analyst: str | None
) -> Iterator[BudgetCap | None]:
    """The caps under which anything could be charged after an answer; None where there was none."""
    entries = records.declared(dataset, analyst)
    ends = [*(entry.sequence for entry in entries[1:]), records.head().sequence + 1]
    own: BudgetCap | None = None
    declared: Entry | None = None
    begun = False
    for entry, end in zip(entries, ends, strict=True):
        if entry.analyst is None:
            declared = entry
        else:
            own = read_cap(entry.body)
        begun = begun or records.charged(dataset, analyst, entry.sequence, end)
        if declared is not None and begun:
            declaration = read_declaration(declared.body)
            yield declaration.cap if analyst is None else own or declaration.analyst_cap
