"""The privacy filter: what was spent so far, and whether a question may still be asked.

``Totals`` are sums of losses, ``Filter`` admits questions within a budget, and ``Odometer`` shows
what a run of questions has cost.

A budget in ε has two branches, the sum of ε and the sum of ρ, and what is left of it is what the
better of them leaves; a budget in ρ has the second alone.  ``spend_limits`` says what a question
may cost in each branch that takes a part of the whole.  Proof: docs/proofs/filters.md
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import lcm

from discreet.accounting.composition import simple_loss
from discreet.accounting.zcdp import concentration, pure_rho
from discreet.errors import NOTHING_SPENT, BudgetExhaustedError, PrivacyParameterError, Remedy
from discreet.exact import decimal_text, named_number_text, percent_text, round_up, short_text
from discreet.privacy.events import (
    Data,
    Event,
    SimpleEvent,
    event_counts,
    rational_from_text,
    rational_to_text,
)
from discreet.privacy.losses import ApproximateDP, Budget, ZeroConcentratedDP, read_spend

_MOST_BITS = 1024
_LONG_DENOMINATOR = 1 << (_MOST_BITS - 1)
_FINEST_STEP = Fraction(1, 1 << _MOST_BITS)
_HALVINGS = 48
_VERSION = 1
_MOST_QUESTIONS = 10**9
_HARDLY_ANYTHING = Fraction(1, 10**4)
_SHORT_BITS = 512
_LIMIT_BITS = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Sums of ε, δ and ρ; ``epsilon`` is None once an event took part that bounds no ε.

    Sums are exact.  Only a denominator of more than 1024 bits is rounded, and then upward.

    >>> Totals(epsilon=Fraction(1, 10)) + Totals(epsilon=Fraction(2, 10))
    Totals(epsilon=3/10, delta=0, rho=0)
    """

    epsilon: Fraction | None = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        epsilon = self.epsilon
        signs = (self.delta.numerator, self.rho.numerator, epsilon.numerator if epsilon else 0)
        if min(signs) < 0:
            raise PrivacyParameterError(
                "a total is negative. Nothing that was spent comes back. Start from Totals()."
            )

    def __repr__(self) -> str:
        epsilon = None if self.epsilon is None else short_text(self.epsilon)
        delta, rho = short_text(self.delta), short_text(self.rho)
        return f"Totals(epsilon={epsilon}, delta={delta}, rho={rho})"

    def __add__(self, other: "Totals") -> "Totals":
        epsilon = None
        if self.epsilon is not None and other.epsilon is not None:
            epsilon = _sum(self.epsilon, other.epsilon)
        total = object.__new__(Totals)  # sums of what is not negative need no check
        _set_epsilon(total, epsilon)
        _set_delta(total, _sum(self.delta, other.delta))
        _set_rho(total, _sum(self.rho, other.rho))
        return total

    def times(self, count: int) -> "Totals":
        """These totals multiplied by ``count``."""
        epsilon = None if self.epsilon is None else _rounded_up(count * self.epsilon)
        return Totals(
            epsilon=epsilon,
            delta=_rounded_up(count * self.delta),
            rho=_rounded_up(count * self.rho),
        )

    def to_data(self) -> Data:
        """The totals as plain data, for a ledger.

        >>> Totals(epsilon=None, rho=Fraction(1, 8)).to_data()
        {'version': 1, 'epsilon': None, 'delta': '0/1', 'rho': '1/8'}
        """
        epsilon = None if self.epsilon is None else rational_to_text(self.epsilon)
        return {
            "version": _VERSION,
            "epsilon": epsilon,
            "delta": rational_to_text(self.delta),
            "rho": rational_to_text(self.rho),
        }

    def to_json(self) -> str:
        """The totals as JSON: what ``to_data`` gives, with sorted keys and no blanks.

        >>> Totals(epsilon=None, rho=Fraction(1, 8)).to_json()
        '{"delta":"0/1","epsilon":null,"rho":"1/8","version":1}'
        """
        epsilon = "null" if self.epsilon is None else f'"{rational_to_text(self.epsilon)}"'
        delta, rho = rational_to_text(self.delta), rational_to_text(self.rho)
        return f'{{"delta":"{delta}","epsilon":{epsilon},"rho":"{rho}","version":{_VERSION}}}'

    @staticmethod
    def from_data(data: object) -> "Totals":
        """The totals that ``to_data`` wrote; anything else is refused."""
        names = {"version", "epsilon", "delta", "rho"}
        if not isinstance(data, Mapping) or set(data) != names or data["version"] != _VERSION:
            raise PrivacyParameterError(
                "these are not totals that this version wrote. A record is read only if its "
                "meaning is certain. Add the events up again, or use a newer discreet."
            )
        epsilon_text = data["epsilon"]
        return Totals(
            epsilon=None if epsilon_text is None else rational_from_text(epsilon_text, "epsilon"),
            delta=rational_from_text(data["delta"], "delta"),
            rho=rational_from_text(data["rho"], "rho"),
        )


_set_epsilon, _set_delta, _set_rho = (
    getattr(Totals, name).__set__ for name in ("epsilon", "delta", "rho")
)
_NOTHING_SPENT = Totals()


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A budget and what has been spent of it; ``after`` is the state after one more event.

    Guarantee: every adaptive sequence of events, each of which the filter admitted before it took
    place, is in total what ``budget.promise`` says: (ε, δ)-DP, or δ-approximate ρ-zCDP.
    Proof: docs/proofs/filters.md

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
    totals: Totals = _NOTHING_SPENT

    @property
    def holds(self) -> bool:
        """Whether the totals are within the budget."""
        return within_budget(self.budget, self.totals)

    def admits(self, event: Event) -> bool:
        """Whether the event may take place."""
        return self._with(event).holds

    def after(self, event: Event) -> "Filter":
        """The filter after the event; an event that may not take place is refused."""
        filter_after = self._with(event)
        if not filter_after.holds:
            raise BudgetExhaustedError(
                f"the question would bring the total to {_sums_text(filter_after.totals)}, beyond "
                f"the budget of {self.budget}. The budget caps all questions together, and nothing "
                "that was spent comes back. Ask for less precision, or stop here. Nothing was "
                "read or spent."
            )
        return filter_after

    def _with(self, event: Event) -> "Filter":
        return replace(self, totals=self.totals + charge(event))


@dataclass(frozen=True, slots=True, kw_only=True)
class Odometer:
    """What a run of questions has cost, seen in several ways.

    ``guaranteed`` is the sum of ε and δ, None where an event bounds no ε; ``certified`` is the
    budget, which holds however the run goes on; ``descriptive_epsilon`` is converted from ρ.  Of a
    budget in ρ there is no ε left, and nothing is converted.

    >>> from discreet.privacy.losses import Budget
    >>> from discreet.privacy.events import GaussianEvent, PureEvent
    >>> start = Filter(budget=Budget(epsilon=1, delta=1e-6))
    >>> print(Odometer.of(start.after(PureEvent(epsilon="1/8"))))
    guaranteed so far: ε = 0.125, δ = 0
    certified whatever follows: ε = 1, δ = 1e-06
    Σρ ≈ 0.00780234, of which ≈0.0151351 is left
    descriptive only: ε ≈ 0.563612 if Σρ had been fixed in advance
    >>> print(Odometer.of(start.after(GaussianEvent.of(sigma=10))).guaranteed)
    None
    """

    guaranteed: ApproximateDP | None
    certified: ApproximateDP | ZeroConcentratedDP
    rho: Fraction
    delta: Fraction
    descriptive_epsilon: Fraction | None
    epsilon_left: Fraction | None
    rho_left: Fraction
    delta_left: Fraction

    @staticmethod
    def of(state: Filter) -> "Odometer":
        """The odometer of a filter's state."""
        totals, budget = state.totals, state.budget
        guaranteed = epsilon_left = descriptive = None
        if totals.epsilon is not None:
            guaranteed = ApproximateDP(epsilon=totals.epsilon, delta=totals.delta)
            if budget.epsilon is not None:
                epsilon_left = max(Fraction(0), budget.epsilon - totals.epsilon)
        if budget.conversion_delta:
            concentrated = ZeroConcentratedDP(rho=totals.rho)
            descriptive = concentrated.to_approximate(delta=budget.conversion_delta).epsilon
        return Odometer(
            guaranteed=guaranteed,
            certified=budget.promise,
            rho=totals.rho,
            delta=totals.delta,
            descriptive_epsilon=descriptive,
            epsilon_left=epsilon_left,
            rho_left=max(Fraction(0), rho_allowance(budget) - totals.rho),
            delta_left=max(Fraction(0), budget.question_delta - totals.delta),
        )

    def __str__(self) -> str:
        lines = [
            f"guaranteed so far: {self.guaranteed or 'no ε (zCDP events took part)'}",
            f"certified whatever follows: {self.certified}",
            f"{named_number_text('Σρ', self.rho)}, of which {decimal_text(self.rho_left)} is left",
        ]
        if self.descriptive_epsilon is not None:
            lines.append(
                f"descriptive only: {named_number_text('ε', self.descriptive_epsilon)} if Σρ had "
                "been fixed in advance"
            )
        return "\n".join(lines)


def charge(event: Event) -> Totals:
    """The totals that an event adds.

    >>> from discreet.privacy.events import GaussianEvent, PureEvent, RepeatedEvent
    >>> charge(RepeatedEvent(event=PureEvent(epsilon="1/1000"), count=10)).epsilon
    Fraction(1, 100)
    >>> charge(GaussianEvent.of(sigma=2))
    Totals(epsilon=None, delta=0, rho=1/8)
    """
    total = Totals()
    for simple, count in event_counts(event).items():
        total += _simple_charge(simple).times(count)
    return total


def within_budget(budget: Budget, totals: Totals) -> bool:
    """Whether totals are within a budget: the rule of the filter.

    >>> within_budget(Budget(epsilon=1), Totals(epsilon=Fraction(1), rho=Fraction(1, 2)))
    True
    >>> within_budget(Budget(rho=1), Totals(epsilon=Fraction(9), rho=Fraction(1)))
    True
    """
    if totals.delta.numerator and totals.delta > budget.question_delta:
        return False
    if totals.epsilon is not None and budget.epsilon is not None:
        spent_top, spent_bottom = totals.epsilon.as_integer_ratio()
        budget_top, budget_bottom = budget.epsilon.as_integer_ratio()
        # Fraction's own <= takes twice as long.
        if spent_top * budget_bottom <= budget_top * spent_bottom:
            return True
    return totals.rho <= rho_allowance(budget)


@lru_cache(maxsize=256)
def rho_allowance(budget: Budget) -> Fraction:
    """The most that Σρ may be: of a budget in ρ that ρ, of one in ε what converts to it.

    The latter is the largest ρ, rounded down, whose zCDP is (epsilon, conversion_delta)-DP.

    >>> round(float(rho_allowance(Budget(epsilon=1, delta=2e-6))), 6)
    0.024356
    >>> rho_allowance(Budget(rho=0.1))
    Fraction(1, 10)
    """
    most = budget.epsilon
    if most is None:
        return budget.rho or Fraction(0)
    if budget.conversion_delta == 0:
        return Fraction(0)

    def converts(rho: Fraction) -> bool:
        loss = ZeroConcentratedDP(rho=rho).to_approximate(delta=budget.conversion_delta)
        return loss.epsilon <= most

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
    """The share of a budget that is left, from 0 to 1: by ε or by ρ, whichever leaves more.

    >>> share_left(Budget(epsilon=2), Totals(epsilon=Fraction(1, 2)))
    Fraction(3, 4)
    >>> share_left(Budget(rho=2), Totals(epsilon=Fraction(2), rho=Fraction(1, 2)))
    Fraction(3, 4)
    """
    if totals.delta > budget.question_delta:
        return Fraction(0)
    return max(Fraction(0), _share_of_epsilon(budget, totals), _share_of_rho(budget, totals))


def share_text(budget: Budget, totals: Totals) -> str:
    """A text that explains why more is left than the sum of ε says; empty where no more is.

    With a δ, questions are also counted by ρ, and small ones cost less together than their sum.

    >>> many = Totals(epsilon=Fraction(1), rho=Fraction(1, 20))
    >>> share_text(Budget(epsilon=10, delta="1e-4"), many)
    'small questions cost less together than their sum'
    >>> share_text(Budget(epsilon=10), many), share_text(Budget(rho=1), many)
    ('', '')
    """
    left_by_sum, left = _share_of_epsilon(budget, totals), share_left(budget, totals)
    more_left = left_by_sum > 0 and int(100 * left_by_sum) < int(
        100 * left
    )  # in whole percent, as shown
    return "small questions cost less together than their sum" if more_left else ""


def left_text(budget: Budget, totals: Totals, *, concentrated: bool = False) -> str:
    """The text of what is left of a budget, by the sum of which more is left: of ε, or of ρ.

    ``concentrated`` asks for ρ.
    What is left of a budget in ρ is always in ρ.

    >>> left_text(Budget(epsilon=2), Totals(epsilon=Fraction(1, 2)))
    'ε = 1.5'
    >>> left_text(Budget(rho=2), Totals(epsilon=Fraction(1), rho=Fraction(1, 2)))
    'ρ = 1.5'
    """
    delta = budget.question_delta - totals.delta
    if delta < 0:
        return "nothing"
    epsilon = None if concentrated else _rest(budget.epsilon, totals.epsilon)
    if epsilon is not None and epsilon > 0 and not counted_in_rho(budget, totals):
        amount_text = named_number_text("ε", epsilon)
    elif totals.rho < rho_allowance(budget):
        amount_text = named_number_text("ρ", rho_allowance(budget) - totals.rho)
    elif concentrated and (rest := _rest(budget.epsilon, totals.epsilon)) and rest > 0:
        return f"nothing in ρ, and {named_number_text('ε', rest)} for noise that has an ε,"
    else:
        return "nothing"
    return amount_text + (f", {named_number_text('δ', delta)}" if budget.question_delta else "")


def spent_text(budget: Budget, totals: Totals) -> str:
    """The text of what counts against a budget, by the sum by which more is left.

    >>> spent_text(Budget(epsilon=2), Totals(epsilon=Fraction(1, 2), rho=Fraction(1, 8)))
    'ε = 0.5'
    """
    in_rho = counted_in_rho(budget, totals)
    return cost_text(replace(totals, epsilon=None) if in_rho else totals)


def counted_in_rho(budget: Budget, totals: Totals) -> bool:
    """Whether the sum of ρ decides what is left of a budget: more is left by it than by ε."""
    return _share_of_rho(budget, totals) > _share_of_epsilon(budget, totals)


def cost_text(cost: Totals, budget: Budget | None = None) -> str:
    """The text of the price of a question, in ε if it has one; in ρ where the budget is in ρ.

    >>> cost_text(Totals(epsilon=Fraction(1, 2), rho=Fraction(1, 10)))
    'ε = 0.5'
    >>> cost_text(Totals(epsilon=None, rho=Fraction(1, 10)))
    'ρ = 0.1'
    >>> cost_text(Totals(epsilon=Fraction(1, 2), rho=Fraction(1, 10)), Budget(rho=1))
    'ρ = 0.1'
    """
    if cost.epsilon is None or (budget is not None and budget.epsilon is None):
        amount_text = named_number_text("ρ", cost.rho)
    else:
        amount_text = named_number_text("ε", cost.epsilon)
    return amount_text + (f", {named_number_text('δ', cost.delta)}" if cost.delta else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendLimits:
    """The largest ε, and the largest ρ, of a question that takes a part of a budget.

    A question whose ε is at most ``epsilon``, *or* whose ρ is at most ``rho``, lowers what is left
    by at most that part.  None is a branch that cannot do it; one of them always can.
    """

    epsilon: Fraction | None
    rho: Fraction | None


def spend_limits(budget: Budget, totals: Totals, part: Fraction) -> SpendLimits:
    """What a question may cost after ``totals`` that takes ``part`` of the budget.

    Refused if less than that is left.  The δ of questions is counted apart.

    >>> spend_limits(Budget(epsilon=2), Totals(epsilon=Fraction(1)), Fraction(1, 20))
    SpendLimits(epsilon=Fraction(1, 10), rho=None)
    >>> spend_limits(Budget(rho=2), Totals(epsilon=None, rho=Fraction(1)), Fraction(1, 20))
    SpendLimits(epsilon=None, rho=Fraction(1, 10))
    """
    share, left = read_spend(part), share_left(budget, totals)
    if share > left:
        raise _overspent(share, left)
    used = 1 - (left - share)  # what the better branch may have used up afterwards
    return SpendLimits(
        epsilon=_limit(budget.epsilon, totals.epsilon, used),
        rho=_limit(rho_allowance(budget), totals.rho, used),
    )


def questions_left(budget: Budget, totals: Totals, cost: Totals) -> int:
    """How many more questions of the same cost fit the budget after ``totals``; 10^9 at most.

    >>> tenth = Totals(epsilon=Fraction(1, 10), rho=Fraction(1, 200))
    >>> questions_left(Budget(epsilon=1), Totals(), tenth)
    10
    >>> questions_left(Budget(rho=1), Totals(), tenth)
    200
    >>> small = Totals(epsilon=Fraction(1, 100), rho=Fraction(1, 20000))
    >>> questions_left(Budget(epsilon=1, delta=1e-6), Totals(), small)
    458
    """
    if not within_budget(budget, totals):
        return 0
    by_epsilon = _fitting(_rest(budget.epsilon, totals.epsilon), cost.epsilon)
    by_rho = _fitting(rho_allowance(budget) - totals.rho, cost.rho)
    return min(max(by_epsilon, by_rho), _fitting(budget.question_delta - totals.delta, cost.delta))


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedBranch:
    """A branch of a budget in ε that a question ends for good, and what the other one leaves.

    ``share`` is what the ended branch had left before, ``share_left`` what is left afterwards.

    >>> print(EndedBranch(branch="ε", other="ρ", share=Fraction(3, 5), share_left=Fraction(19, 20)))
    it ends counting by ε: by ε 60% would be left, by ρ 95% is
    """

    branch: str
    other: str
    share: Fraction
    share_left: Fraction

    def __str__(self) -> str:
        before, after = percent_text(self.share), percent_text(self.share_left)
        return (
            f"it ends counting by {self.branch}: by {self.branch} {before} would be left, by "
            f"{self.other} {after} is"
        )


def ended_branch(budget: Budget, totals: Totals, cost: Totals) -> EndedBranch | None:
    """The branch that a question ends which fits by the other one; None if it ends none.

    A question without an ε, such as one with Gaussian noise, ends the sum of ε; one with a large ε
    ends the sum of ρ.

    >>> before = Totals(epsilon=Fraction(2, 5), rho=Fraction(1, 100))
    >>> gaussian = Totals(epsilon=None, rho=Fraction(1, 1000))
    >>> print(ended_branch(Budget(epsilon=1, delta=1e-6), before, gaussian))
    it ends counting by ε: by ε 60% would be left, by ρ 52% is
    """
    after = totals + cost
    epsilon, rho = _share_of_epsilon(budget, totals), _share_of_rho(budget, totals)
    epsilon_after, rho_after = _share_of_epsilon(budget, after), _share_of_rho(budget, after)
    if epsilon > 0 >= epsilon_after and rho_after > 0:
        return EndedBranch(branch="ε", other="ρ", share=epsilon, share_left=rho_after)
    if rho > 0 >= rho_after and epsilon_after > 0:
        return EndedBranch(branch="ρ", other="ε", share=rho, share_left=epsilon_after)
    return None


@lru_cache(maxsize=4096)
def _simple_charge(event: SimpleEvent) -> Totals:
    loss, concentrated = simple_loss(event), concentration(event)
    if loss is None:
        return Totals(epsilon=None, delta=concentrated.delta, rho=concentrated.rho)
    if loss.delta == 0 and concentrated.delta == 0:  # both bounds hold for the whole law
        return Totals(epsilon=loss.epsilon, rho=concentrated.rho)
    # But for probability δ the event is ε-DP; the ρ that follows from ε holds for the same part.
    return Totals(epsilon=loss.epsilon, delta=loss.delta, rho=pure_rho(loss.epsilon))


def _share_of_epsilon(budget: Budget, totals: Totals) -> Fraction:
    if totals.epsilon is None or budget.epsilon is None:
        return Fraction(0)
    return 1 - totals.epsilon / budget.epsilon


def _share_of_rho(budget: Budget, totals: Totals) -> Fraction:
    allowance = rho_allowance(budget)
    return 1 - totals.rho / allowance if allowance > 0 else Fraction(0)


def _rest(most: Fraction | None, spent: Fraction | None) -> Fraction | None:
    """What a branch has left; None where it does not count."""
    return None if most is None or spent is None else most - spent


def _limit(most: Fraction | None, spent: Fraction | None, used: Fraction) -> Fraction | None:
    """What a branch of ``most`` may grow by until that share of it is used; None if not at all.

    A sum of which nothing is rounded up may use the share exactly.  Where numbers are long, sums
    are rounded up by less than a step, so a step is left for that.
    """
    if most is None or spent is None:
        return None
    end = used * most
    limit = end - spent
    if max(end.denominator.bit_length(), spent.denominator.bit_length()) > _SHORT_BITS:
        limit = _rounded_down(limit - _FINEST_STEP)
    return limit if limit > 0 else None


def _rounded_down(value: Fraction) -> Fraction:
    """The value to 128 significant bits, rounded down."""
    exponent = value.numerator.bit_length() - value.denominator.bit_length() - _LIMIT_BITS
    step = Fraction(2) ** exponent
    return value // step * step


def _fitting(rest: Fraction | None, each: Fraction | None) -> int:
    """How many of ``each`` fit into what is left; none where they do not count."""
    if rest is None or each is None or rest < 0:
        return 0
    return min(_MOST_QUESTIONS, int(rest // each)) if each else _MOST_QUESTIONS


def _overspent(part: Fraction, left: Fraction) -> BudgetExhaustedError:
    """The refusal of a part of a budget that is not left any more."""
    rule = "It is a part of the whole budget, and nothing that was spent comes back."
    asked = f"spend is {decimal_text(100 * part)}%"
    if left < _HARDLY_ANYTHING:
        return BudgetExhaustedError(
            f"{asked}, and nothing is left of the budget. {rule} Stop here; only whoever keeps the "
            "data can raise the budget, by discreet budget set.",
            NOTHING_SPENT,
        )
    most = percent_text(left)
    return BudgetExhaustedError(
        f"{asked}, and {most} is left of the budget. {rule}",
        Remedy(
            python=f'Ask for what is left, spend="{most}", or for less.',
            sql=f"Ask for what is left, SET spend = '{most}', or for less.",
            command=f"Ask for what is left, --spend {most}, or for less.",
        ),
        NOTHING_SPENT,
    )


def _sum(first: Fraction, second: Fraction) -> Fraction:
    """The sum, rounded up if its denominator is long.

    A ledger adds for every question, most of which have no δ; Fraction's own + takes longer.
    """
    second_top, second_bottom = second.as_integer_ratio()
    if not second_top:
        return first
    first_top, first_bottom = first.as_integer_ratio()
    common = lcm(first_bottom, second_bottom)
    top = first_top * (common // first_bottom) + second_top * (common // second_bottom)
    total = Fraction(top, common)
    return total if common < _LONG_DENOMINATOR else _rounded_up(total)


def _rounded_up(value: Fraction) -> Fraction:
    """The value, rounded up if its denominator has more than 1024 bits."""
    return value if value.denominator.bit_length() <= _MOST_BITS else round_up(value, _FINEST_STEP)


def _sums_text(totals: Totals) -> str:
    """The sums of ε, δ and ρ as text."""
    sums = [named_number_text("Σδ", totals.delta), named_number_text("Σρ", totals.rho)]
    if totals.epsilon is not None:
        sums.insert(0, named_number_text("Σε", totals.epsilon))
    return ", ".join(sums)
