"""Several questions against one budget: each gets what its margins need, or an equal share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, log
from typing import Any

from discreet.accounting.filters import (
    Filter,
    SpendLimits,
    Totals,
    cost_text,
    ended_branch,
    share_left,
    spend_limits,
)
from discreet.errors import BudgetExhaustedError, QueryError
from discreet.exact import named_number_text, percent_text, rational
from discreet.privacy.losses import Budget, read_spend
from discreet.release.plan import Plan, make_plan, part_text
from discreet.release.price import error_ratio
from discreet.release.profile import Profile
from discreet.release.release import Release
from discreet.release.table import QuestionBuilder
from discreet.text_table import aligned


@dataclass(frozen=True, eq=False, repr=False)
class BatchPlan:
    """The plans of a batch.  ``release`` pays and answers them one after another."""

    plans: tuple[Plan, ...]

    @property
    def cost(self) -> Totals:
        """What all of them add to the sums of a budget."""
        return sum((plan.price.cost for plan in self.plans), Totals())

    @property
    def epsilon(self) -> Fraction | None:
        """The ε of all of them; None where one has Gaussian noise."""
        return self.cost.epsilon

    @property
    def delta(self) -> Fraction:
        """The δ of all of them."""
        return self.cost.delta

    def release(self, *, key: str | None = None, analyst: str | None = None) -> list[Release]:
        """The answers in order.

        Each is charged before it is read.  If the table's budget ends before the last one, the
        answers so far stay released; with a ``key`` they are free when the batch is asked again.
        """
        return [
            plan.release(key=None if key is None else _key(key, place), analyst=analyst)
            for place, plan in enumerate(self.plans, 1)
        ]

    def __repr__(self) -> str:
        priced = {plan.currency for plan in self.plans}
        rows = [("question", "output", "mechanism", "± (95%)", min(priced, key=len))]
        for place, plan in enumerate(self.plans, 1):
            rows += [
                (
                    str(place),
                    line.output,
                    line.mechanism,
                    line.margin_text,
                    line.price,
                )
                for line in plan.priced_lines
            ]
        first, cost = self.plans[0], self.cost
        state = first.standing
        total = f"costs {cost_text(cost, None if state is None else state.budget)} together"
        notes = [f"note: {note}" for plan in self.plans for note in plan.rows_notes()]
        if state is not None:
            left = share_left(state.budget, state.totals + cost)
            total += f", {part_text(share_left(state.budget, state.totals) - left)} of the budget"
            if ended_branch(state.budget, state.totals, cost) and cost.epsilon is None:
                notes.append(
                    "note: Gaussian noise has no ε: from this batch on the budget is counted by ρ "
                    f"alone. Afterwards {percent_text(left)} of it is left."
                )
        total += "; nothing is spent until .release()"
        return "\n".join([*aligned(rows), *notes, total])


@dataclass(frozen=True, eq=False)
class Batch:
    """Questions that are planned together."""

    questions: tuple[QuestionBuilder, ...]

    def plan(
        self,
        *,
        budget: Budget | None = None,
        spend: object = None,
        margins: Sequence[Mapping[str, object] | None] | None = None,
        weights: Sequence[object] | None = None,
        expect_rows: int | None = None,
        key: str | None = None,
        analyst: str | None = None,
    ) -> BatchPlan:
        """One plan per question, within one ``budget``, or one part of the table's: spend="20%".

        A question with ``margins`` gets the least price that meets them; the others share what is
        left, equally or by ``weights``.  All of it is shared in ε with Laplace noise, or in ρ with
        Gaussian noise, whichever has the smaller errors.  The sum never exceeds the budget, and
        spends all of it where a question has no margins.  With the ``key`` of a batch that was
        released before, a ``spend`` is planned as it was then.
        """
        wanted = _aligned(margins, len(self.questions), "margins")
        shares = [_weight(one) for one in _aligned(weights, len(self.questions), "weights")]
        limits, question_delta = self._limits(budget, spend, analyst, key)
        selects = sum(asking.question.selects_keys for asking in self.questions)
        asked = _AskedBatch(
            self.questions, wanted, shares, question_delta / max(selects, 1), expect_rows
        )
        plans = []
        refused: BudgetExhaustedError | QueryError | None = None
        for currency, limit in (("epsilon", limits.epsilon), ("rho", limits.rho)):
            if limit is None:
                continue
            try:
                plans.append(asked.within(currency, limit))
            except (BudgetExhaustedError, QueryError) as error:  # the other may offer it
                refused = refused or error
        if refused is not None and not plans:
            raise refused
        if len(plans) == 2 and _error_ratio(plans[1], plans[0]) < 1:
            return plans[1]
        return plans[0]

    def _limits(
        self, budget: Budget | None, spend: object, analyst: str | None, key: str | None
    ) -> tuple[SpendLimits, Fraction]:
        """The most that all may cost in ε and in ρ, and the δ for finding keys."""
        if (budget is None) == (spend is None):
            raise QueryError(
                "a batch is planned within a budget or a spend, one of the two. It is what all of "
                "its questions may cost together. Write budget=dp.Budget(epsilon=1), or "
                'spend="20%".'
            )
        if budget is not None:
            return spend_limits(budget, Totals(), Fraction(1)), budget.question_delta
        tables = {id(asking.table): asking.table for asking in self.questions}
        if len(tables) > 1:
            raise QueryError(
                "the questions of the batch are about several tables, which have budgets of their "
                "own. A spend is a part of one budget. Make a batch for each table."
            )
        [table] = tables.values()
        state = table.standing(analyst=analyst, key=None if key is None else _key(key, 1))
        part = read_spend(spend)
        delta = max(Fraction(0), state.budget.question_delta - state.totals.delta) * part
        return spend_limits(state.budget, state.totals, part), delta


@dataclass(frozen=True, slots=True)
class _OneCurrency:
    """An account of which nothing was spent, and which counts in ε alone or in ρ alone."""

    budget: Budget
    profile: Profile | None

    def standing(self, *, analyst: str | None = None, key: str | None = None) -> Filter:
        """The whole budget."""
        return Filter(budget=self.budget)

    def remembered_profile(self) -> Profile | None:
        """The profile of the table that is asked."""
        return self.profile


@dataclass(frozen=True, slots=True)
class _AskedBatch:
    """Questions with what is wanted of each, to be planned in one currency."""

    questions: tuple[QuestionBuilder, ...]
    margins: Sequence[Mapping[str, object] | None]
    shares: Sequence[Fraction]
    key_delta: Fraction
    """The δ of each question that finds keys."""
    expect_rows: int | None

    def within(self, currency: str, limit: Fraction) -> BatchPlan:
        """The plans that share what they may cost together."""
        plans: dict[int, Plan] = {}
        for place, (asking, margin) in enumerate(zip(self.questions, self.margins, strict=True)):
            if margin is None and asking.free:
                plans[place] = asking.plan()
            elif margin is not None:
                profile = asking.table.remembered_profile()
                own = _OneCurrency(Budget(**{currency: limit}), profile)
                met = make_plan(asking.question, margin=margin, account=own, **self._rest(asking))
                plans[place] = replace(met, table=asking.table, standing=asking.table.standing())
        left = limit - sum((_spent(plan, currency) for plan in plans.values()), Fraction(0))
        rest = [place for place in range(len(self.questions)) if place not in plans]
        if left < 0 or (rest and left <= 0):
            symbol = {"epsilon": "ε", "rho": "ρ"}[currency]
            raise BudgetExhaustedError(
                f"the margins need {named_number_text(symbol, limit - left)} together, and "
                f"{named_number_text(symbol, limit)} is there for all. A smaller error costs more "
                "privacy. Allow larger margins or a larger budget. Nothing was read or spent."
            )
        total = sum((self.shares[place] for place in rest), Fraction(0))
        for place in rest:
            asking = self.questions[place]
            price: dict[str, Any] = {currency: left * self.shares[place] / total}
            plans[place] = asking.plan(**price, **self._rest(asking))
        return BatchPlan(tuple(plans[place] for place in range(len(self.questions))))

    def _rest(self, asking: QuestionBuilder) -> dict[str, Any]:
        delta = self.key_delta if asking.question.selects_keys else Fraction(0)
        return {"delta": delta, "expect_rows": self.expect_rows}


def _key(key: str, place: int) -> str:
    """The key of one question of a batch."""
    return f"{key} {place}"


def _spent(plan: Plan, currency: str) -> Fraction:
    return plan.rho if currency == "rho" else plan.price.cost.epsilon or Fraction(0)


def _error_ratio(first: BatchPlan, second: BatchPlan) -> float:
    """How large the errors of one plan are beside those of another, over all questions."""
    ratios = [
        log(error_ratio(one.price, other.price))
        for one, other in zip(first.plans, second.plans, strict=True)
    ]
    return exp(sum(ratios) / len(ratios))


def batch(questions: Sequence[QuestionBuilder]) -> Batch:
    """Questions that share one budget: ``dp.batch([…]).plan(budget=dp.Budget(epsilon=1))``.

    Nothing is read or spent until the plan is released.
    """
    listed = tuple(questions)
    if not listed or not all(isinstance(asking, QuestionBuilder) for asking in listed):
        raise QueryError(
            "a batch is not a list of questions. Each is asked of a table and not yet planned. "
            'Write dp.batch([table.agg(n=dp.rows()), table.group_by("x").agg(n=dp.rows())]).'
        )
    return Batch(listed)


def _aligned(values: Sequence[Any] | None, many: int, what: str) -> list[Any]:
    found = [None] * many if values is None else list(values)
    if len(found) != many:
        raise QueryError(
            f"{what} has {len(found)} entries for {many} questions. Each question has one, or "
            "None. Give as many as there are questions."
        )
    return found


def _weight(value: object) -> Fraction:
    weight = Fraction(1) if value is None else rational(value, "a weight")
    if weight <= 0:
        raise QueryError(
            "a weight is not above 0. Every question needs some of ε. Use 1, or more for a smaller "
            "error."
        )
    return weight
