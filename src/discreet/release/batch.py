"""Several questions against one budget: each gets what its margins need, or an equal share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.errors import BudgetExhaustedError, QueryError
from discreet.exact import named_number_text, rational
from discreet.privacy.losses import Budget
from discreet.release.plan import Plan
from discreet.release.release import Release
from discreet.release.table import QuestionBuilder
from discreet.text_table import aligned


@dataclass(frozen=True, eq=False, repr=False)
class BatchPlan:
    """The plans of a batch.  ``release`` pays and answers them one after another."""

    plans: tuple[Plan, ...]

    @property
    def epsilon(self) -> Fraction:
        """What all of them cost."""
        return sum((plan.epsilon for plan in self.plans), Fraction(0))

    @property
    def delta(self) -> Fraction:
        """The δ of all of them."""
        return sum((plan.delta for plan in self.plans), Fraction(0))

    def release(self, *, key: str | None = None, analyst: str | None = None) -> list[Release]:
        """The answers in order.

        Each is charged before it is read.  If the table's budget ends before the last one, the
        answers so far stay released; with a ``key`` they are free when the batch is asked again.
        """
        return [
            plan.release(key=None if key is None else f"{key} {place}", analyst=analyst)
            for place, plan in enumerate(self.plans, 1)
        ]

    def __repr__(self) -> str:
        rows = [("question", "output", "mechanism", "± (95%)", "ε")]
        for place, plan in enumerate(self.plans, 1):
            rows += [
                (
                    str(place),
                    line.output,
                    line.mechanism,
                    line.margin.text.removeprefix("± "),
                    line.price,
                )
                for line in plan.lines
            ]
        delta = "" if self.delta == 0 else f", {named_number_text('δ', self.delta)}"
        total = f"costs {named_number_text('ε', self.epsilon)}{delta} together"
        return "\n".join([*aligned(rows), f"{total}; nothing is spent until .release()"])


@dataclass(frozen=True, eq=False)
class Batch:
    """Questions that are planned together."""

    questions: tuple[QuestionBuilder, ...]

    def plan(
        self,
        *,
        budget: Budget,
        margins: Sequence[Mapping[str, object] | None] | None = None,
        weights: Sequence[object] | None = None,
        expect_rows: int | None = None,
    ) -> BatchPlan:
        """One plan per question, within one budget.

        A question with ``margins`` gets the least ε that meets them; the others share what is left,
        equally or by ``weights``.  The sum never exceeds the budget, and spends all of it where a
        question has no margins.
        """
        if budget.epsilon is None:
            raise QueryError(
                f"the budget of the batch is {budget}. The questions of a batch share an ε. Write "
                "budget=dp.Budget(epsilon=1)."
            )
        wanted = _aligned(margins, len(self.questions), "margins")
        shares = [_weight(one) for one in _aligned(weights, len(self.questions), "weights")]
        selects = [asking.question.selects_keys for asking in self.questions]
        delta = budget.question_delta / sum(selects) if any(selects) else Fraction(0)
        plans: dict[int, Plan] = {}
        for place, (asking, margin) in enumerate(zip(self.questions, wanted, strict=True)):
            if margin is None and asking.free:
                plans[place] = asking.plan()
            elif margin is not None:
                plans[place] = asking.plan(
                    margin=margin, delta=delta if selects[place] else 0, expect_rows=expect_rows
                )
        left = budget.epsilon - sum((plan.epsilon for plan in plans.values()), Fraction(0))
        rest = [place for place in range(len(self.questions)) if place not in plans]
        if left < 0 or (rest and left <= 0):
            needed = budget.epsilon - left
            raise BudgetExhaustedError(
                f"the margins need {named_number_text('ε', needed)} together, and the budget is "
                f"{budget}. A smaller error costs more privacy. Allow larger margins or a larger "
                "budget. Nothing was read or spent."
            )
        total = sum((shares[place] for place in rest), Fraction(0))
        for place in rest:
            asking = self.questions[place]
            plans[place] = asking.plan(
                epsilon=left * shares[place] / total,
                delta=delta if selects[place] else 0,
                expect_rows=expect_rows,
            )
        return BatchPlan(tuple(plans[place] for place in range(len(self.questions))))


def batch(questions: Sequence[QuestionBuilder]) -> Batch:
    """Questions that share one budget: ``dp.batch([…]).plan(budget=dp.Budget(epsilon=1))``.

    Nothing is read or spent until the plan is released.
    """
    listed = tuple(questions)
    if not listed or not all(isinstance(asking, QuestionBuilder) for asking in listed):
        raise QueryError(
            "a batch is not a list of questions. Each is asked of a table and not yet planned. "
            'Write dp.batch([visits.agg(n=dp.rows()), visits.group_by("ward").agg(n=dp.rows())]).'
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
