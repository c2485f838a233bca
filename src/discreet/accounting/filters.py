"""The privacy filter: may this question still be asked?

Questions may depend on earlier answers, and so may the decision to stop.  With δ = δ₁ + δ₂ split
when the budget is made, asking goes on while

    Σδ ≤ δ₁   and   ( Σε ≤ ε   or   Σρ ≤ allowance ),

where the allowance is the largest ρ whose zCDP converts to ε at δ₂.  Whoever asks, whatever they
ask next, and whenever they stop: all answers together are (ε,δ)-DP.
Proof: docs/proofs/filters.md
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from discreet.accounting.totals import Totals, charge
from discreet.errors import BudgetExhaustedError
from discreet.exact import stated
from discreet.privacy.budget import Budget
from discreet.privacy.events import Event
from discreet.privacy.losses import ZeroConcentratedDP

_HALVINGS = 48
_NOTHING = Totals()


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A budget and what has been spent of it: a state, and the rule that leads to the next one.

    Guarantee: every adaptive sequence of events, each of which the filter admitted before it took
    place, is (budget.epsilon, budget.delta)-DP in total.  Proof: docs/proofs/filters.md

    >>> from discreet.privacy.events import GaussianEvent, PureEvent
    >>> start = Filter(budget=Budget(epsilon=1, delta=1e-6))
    >>> after = start.after(PureEvent(epsilon=0.75))
    >>> after.totals.epsilon, after.admits(PureEvent(epsilon=0.25))
    (Fraction(3, 4), True)
    >>> after.admits(PureEvent(epsilon=0.5))
    False
    >>> start.admits(GaussianEvent.of(sigma=10)), start.admits(GaussianEvent.of(sigma=1))
    (True, False)
    """

    budget: Budget
    totals: Totals = _NOTHING

    @property
    def holds(self) -> bool:
        """Whether the totals are within the budget."""
        return within(self.budget, self.totals)

    def admits(self, event: Event) -> bool:
        """Whether the event may take place."""
        return self._with(event).holds

    def after(self, event: Event) -> "Filter":
        """The filter once the event took place, or an error if it may not."""
        following = self._with(event)
        if not following.holds:
            raise BudgetExhaustedError(
                f"the question would bring the total to {_shown(following.totals)}, beyond the "
                f"budget of {self.budget}. The budget caps all questions together, and nothing "
                "that was spent comes back. Ask for less precision, or stop here. Nothing was "
                "read or spent."
            )
        return following

    def _with(self, event: Event) -> "Filter":
        return replace(self, totals=self.totals + charge(event))


def within(budget: Budget, totals: Totals) -> bool:
    """Whether totals are within a budget: the rule of the filter.

    >>> within(Budget(epsilon=1), Totals(epsilon=Fraction(1), rho=Fraction(1, 2)))
    True
    """
    if totals.delta.numerator and totals.delta > budget.question_delta:
        return False
    if totals.epsilon is not None:
        spent, parts = totals.epsilon.as_integer_ratio()
        most, into = budget.epsilon.as_integer_ratio()
        if spent * into <= most * parts:  # as Fraction's <=, in half the time
            return True
    return totals.rho <= allowance(budget)


@lru_cache(maxsize=256)
def allowance(budget: Budget) -> Fraction:
    """The largest ρ, rounded down, whose zCDP is (budget.epsilon, budget.conversion_delta)-DP.

    >>> round(float(allowance(Budget(epsilon=1, delta=2e-6))), 6)
    0.024356
    """
    if budget.conversion_delta == 0:
        return Fraction(0)

    def converts(rho: Fraction) -> bool:
        loss = ZeroConcentratedDP(rho=rho).to_approximate(delta=budget.conversion_delta)
        return loss.epsilon <= budget.epsilon

    low, high = Fraction(0), Fraction(1)
    while converts(high):
        low, high = high, 2 * high
    while low == 0 and not converts(high / 2):
        high /= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if converts(middle):
            low = middle
        else:
            high = middle
    return low


def share_left(budget: Budget, totals: Totals) -> Fraction:
    """How much of a budget is left, from 0 to 1: by the better of the two filters.

    >>> share_left(Budget(epsilon=2), Totals(epsilon=Fraction(1, 2)))
    Fraction(3, 4)
    """
    if totals.delta > budget.question_delta:
        return Fraction(0)
    return max(Fraction(0), _share_of_epsilon(budget, totals), _share_of_rho(budget, totals))


def share_text(budget: Budget, totals: Totals) -> str:
    """Why more is left than the sum of ε says, where it is; otherwise nothing.

    With a δ, questions are also counted by ρ, and small ones cost less together than their sum.

    >>> many = Totals(epsilon=Fraction(1), rho=Fraction(1, 20))
    >>> share_text(Budget(epsilon=10, delta="1e-4"), many)
    'small questions cost less together than their sum'
    >>> share_text(Budget(epsilon=10), many)
    ''
    """
    by_sum, left = _share_of_epsilon(budget, totals), share_left(budget, totals)
    differ = by_sum > 0 and int(100 * by_sum) < int(100 * left)  # in whole percent, as shown
    return "small questions cost less together than their sum" if differ else ""


def _share_of_epsilon(budget: Budget, totals: Totals) -> Fraction:
    return Fraction(0) if totals.epsilon is None else 1 - totals.epsilon / budget.epsilon


def _share_of_rho(budget: Budget, totals: Totals) -> Fraction:
    most = allowance(budget)
    return 1 - totals.rho / most if most > 0 else Fraction(0)


def left_text(budget: Budget, totals: Totals, *, concentrated: bool = False) -> str:
    """What is left, in words: as a sum of ε, or of ρ where that is asked for or all there is.

    >>> left_text(Budget(epsilon=2), Totals(epsilon=Fraction(1, 2)))
    'ε = 1.5'
    """
    delta = budget.question_delta - totals.delta
    if delta < 0:
        return "nothing"
    if not concentrated and totals.epsilon is not None and totals.epsilon < budget.epsilon:
        shown = stated("ε", budget.epsilon - totals.epsilon)
    elif totals.rho < allowance(budget):
        shown = stated("ρ", allowance(budget) - totals.rho)
    else:
        return "nothing"
    return shown + (f", {stated('δ', delta)}" if budget.question_delta else "")


def cost_text(cost: Totals) -> str:
    """The price of a question, in words.

    >>> cost_text(Totals(epsilon=Fraction(1, 2), rho=Fraction(1, 10)))
    'ε = 0.5'
    >>> cost_text(Totals(epsilon=None, rho=Fraction(1, 10)))
    'ρ = 0.1'
    """
    main = stated("ρ", cost.rho) if cost.epsilon is None else stated("ε", cost.epsilon)
    return main + (f", {stated('δ', cost.delta)}" if cost.delta else "")


def _shown(totals: Totals) -> str:
    sums = [f"{stated('Σδ', totals.delta)}", f"{stated('Σρ', totals.rho)}"]
    if totals.epsilon is not None:
        sums.insert(0, f"{stated('Σε', totals.epsilon)}")
    return ", ".join(sums)
