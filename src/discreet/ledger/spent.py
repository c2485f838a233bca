"""What was spent by one account, and whether a question still fits its cap.

An account is a data set, or one analyst's questions about it.  Its sums are kept for all time; an
account whose cap starts again with every period has the sums of the present period beside them.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from discreet.accounting.filters import cost_text, left_text, within
from discreet.accounting.totals import Totals
from discreet.errors import BudgetExhaustedError, LedgerCorruptError
from discreet.exact import decimal_text
from discreet.ledger.entries import canonical
from discreet.ledger.terms import Cap


class Spent(NamedTuple):
    """The sums of an account.  ``window`` is the period that ``within`` is about, if any."""

    lifetime: Totals = Totals()
    window: str | None = None
    within: Totals | None = None

    def of(self, cap: Cap | None, time: str, last_time: str) -> Totals:
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

    def plus(self, cost: Totals, cap: Cap | None, time: str, last_time: str) -> "Spent":
        """The sums with one more question in them."""
        lifetime = self.lifetime + cost
        if cap is None or cap.period is None:
            return Spent(lifetime)
        return Spent(
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
            f'{{"lifetime":{self.lifetime.to_json()},"window":{canonical(self.window)},'
            f'"within":{self.within.to_json()}}}'
        )

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> "Spent":
        """The sums that ``to_data`` wrote."""
        lifetime = Totals.from_data(data["lifetime"])
        if set(data) == {"lifetime"}:
            return Spent(lifetime=lifetime)
        if set(data) == {"lifetime", "window", "within"} and isinstance(data["window"], str):
            within = Totals.from_data(data["within"])
            return Spent(lifetime=lifetime, window=data["window"], within=within)
        raise LedgerCorruptError(
            "the sums of an account cannot be read. A record counts only if its meaning is "
            "certain. Run discreet ledger verify; if a newer discreet wrote it, use that one."
        )


def fits(cap: Cap | None, totals: Totals) -> bool:
    """Whether the totals are within the cap; whoever has no cap of their own is not bound by it."""
    return cap is None or within(cap.budget, totals)


def exhausted(whose: str, cap: Cap | None, before: Totals, cost: Totals) -> BudgetExhaustedError:
    """The refusal of a question that does not fit."""
    left = again = ""
    if cap is not None and cost.delta > 0 == cap.budget.delta:
        return BudgetExhaustedError(
            f"the question costs {cost_text(cost)}, and the budget {cap} of {whose} has no δ. "
            "Without a δ, groups cannot be found privately, however much ε is left. Declare the "
            "values of the column, so that the groups are public; or let whoever keeps the data "
            "set a δ, by discreet budget set. Nothing was read or spent."
        )
    if cap is not None:
        there = left_text(cap.budget, before, concentrated=cost.epsilon is None)
        left = f", and {there} is left of the budget {cap} of {whose}"
        again = f" until the next {cap.period}" if cap.period else ""
        if before.delta + cost.delta > cap.budget.question_delta:
            part = decimal_text(cap.budget.question_delta)
            again += f"; of its δ, {part} is for questions and the rest for their sum"
    return BudgetExhaustedError(
        f"the question costs {cost_text(cost)}{left}. The budget caps all questions together, and "
        f"nothing that was spent comes back{again}. Ask with a smaller ε or δ, or stop here; only "
        "whoever keeps the data can raise the budget, by discreet budget set. Nothing was read or "
        "spent."
    )
