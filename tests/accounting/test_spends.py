"""Parts of a budget: what is left never falls by more than was asked, and parts of 1 all fit."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.accounting import Filter, Totals, charge
from discreet.accounting.filters import (
    SpendLimits,
    ended_branch,
    questions_left,
    rho_allowance,
    share_left,
    spend_limits,
    within_budget,
)
from discreet.accounting.zcdp import pure_rho
from discreet.errors import BudgetExhaustedError, Front, PrivacyParameterError
from discreet.privacy.events import (
    ApproximateEvent,
    BoundedRangeEvent,
    ConcentratedEvent,
    Event,
    GaussianEvent,
    LaplaceEvent,
    PureEvent,
)
from discreet.privacy.losses import Budget
from tests.support.cases import each
from tests.support.trials import examples

ONE = Budget(epsilon=1, delta="1e-6")
BUDGETS = [
    ONE,
    Budget(epsilon=3),
    Budget(epsilon="1/7", delta="1e-9", conversion_delta="1e-10"),
    Budget(epsilon=8, delta="1e-3"),
    Budget(rho="1/10"),
    Budget(rho="3/7", delta="1e-6"),
    # Numbers so long that sums and limits are rounded.
    Budget(epsilon=1 + Fraction(1, 3**500), delta="1e-6"),
    Budget(rho=1 + Fraction(1, 3**500)),
]

Rule = Callable[[Budget, Totals, Fraction], SpendLimits]


@dataclass
class Asker:
    """Asks one question after another, each for a part of the budget, of any kind that it may."""

    budget: Budget
    random: Random
    rule: Rule = spend_limits

    def problem(self, parts: list[Fraction]) -> str | None:
        """What is wrong with a run of questions for these parts; None if nothing is."""
        state = Filter(budget=self.budget)
        for number, part in enumerate(parts):
            left = share_left(self.budget, state.totals)
            event = self._event(self.rule(self.budget, state.totals, part))
            if not state.admits(event):
                return f"question {number} is refused"
            state = state.after(event)
            if share_left(self.budget, state.totals) < left - part:
                return f"question {number} takes more than {part}"
        return None

    def _event(self, limits: SpendLimits) -> Event:
        """A question that uses one of the limits up, or a part of it."""
        events = []
        if limits.epsilon is not None:
            epsilon = self._part(limits.epsilon)
            events = [
                PureEvent(epsilon=epsilon),
                BoundedRangeEvent(epsilon=epsilon),
                LaplaceEvent(scale=1 / epsilon),
            ]
            if self.budget.question_delta:
                leak = self.budget.question_delta / 10**6
                events.append(ApproximateEvent(epsilon=epsilon, delta=leak))
        if limits.rho is not None:
            rho = self._part(limits.rho)
            events += [
                ConcentratedEvent(rho=rho),
                GaussianEvent(variance=1 / (2 * rho)),
                BoundedRangeEvent(epsilon=_root_below(8 * rho)),
                PureEvent(epsilon=_root_below(2 * rho)),
            ]
        return self.random.choice(events)

    def _part(self, limit: Fraction) -> Fraction:
        if self.random.random() < 0.7:
            return limit
        return _short(limit * Fraction(self.random.randint(1, 1000), 1000))


def _short(value: Fraction) -> Fraction:
    """The value to some 100 bits, rounded down."""
    bits = 100 - (value.numerator.bit_length() - value.denominator.bit_length())
    return Fraction(int(value * (1 << bits)), 1 << bits)


def _root_below(value: Fraction) -> Fraction:
    return Fraction(isqrt(int(value * (1 << 400))), 1 << 200)


parts_of_one = st.lists(st.integers(1, 1000), min_size=1, max_size=40).map(
    lambda weights: [Fraction(weight, sum(weights)) for weight in weights]
)


@examples(150)
@given(st.sampled_from(BUDGETS), parts_of_one, st.integers(0, 2**32))
def test_parts_that_add_up_to_one_all_fit_and_none_takes_more_than_it_asked(
    budget: Budget, parts: list[Fraction], seed: int
) -> None:
    assert Asker(budget, Random(seed)).problem(parts) is None


def swapped(budget: Budget, totals: Totals, part: Fraction) -> SpendLimits:
    """The limit of each branch given to the other one."""
    limits = spend_limits(budget, totals, part)
    return SpendLimits(epsilon=limits.rho, rho=limits.epsilon)


def in_its_own_currency(budget: Budget, totals: Totals, part: Fraction) -> SpendLimits:
    """Each question pays its part in ε or in ρ, and the parts of both are added up."""
    assert budget.epsilon is not None
    epsilon = None if totals.epsilon is None else part * budget.epsilon
    return SpendLimits(epsilon=epsilon, rho=part * rho_allowance(budget))


def from_the_worse_branch(budget: Budget, totals: Totals, part: Fraction) -> SpendLimits:
    """What the branch has left that used more, in place of what is left."""
    assert budget.epsilon is not None
    allowance = rho_allowance(budget)
    by_rho = max(Fraction(0), 1 - totals.rho / allowance)
    by_epsilon = Fraction(0) if totals.epsilon is None else 1 - totals.epsilon / budget.epsilon
    used = 1 - min(by_rho, by_epsilon) + part
    epsilon = None if totals.epsilon is None else used * budget.epsilon - totals.epsilon
    return SpendLimits(epsilon=epsilon, rho=used * allowance - totals.rho)


@pytest.mark.parametrize("rule", [swapped, in_its_own_currency, from_the_worse_branch])
def test_limits_of_another_rule_are_found_out(rule: Rule) -> None:
    problems = [
        Asker(ONE, Random(seed), rule).problem([Fraction(1, 10)] * 10) for seed in range(20)
    ]
    assert any(problems)


# The twin: the share by its definition, and the largest cost by halving.


def naive_share(budget: Budget, totals: Totals) -> Fraction:
    shares = [Fraction(0)]
    if budget.epsilon is not None and totals.epsilon is not None:
        shares.append(1 - totals.epsilon / budget.epsilon)
    allowance = rho_allowance(budget)
    if allowance:
        shares.append(1 - totals.rho / allowance)
    return max(shares) if totals.delta <= budget.question_delta else Fraction(0)


def naive_limit(budget: Budget, totals: Totals, part: Fraction, branch: str) -> Fraction:
    """The largest ε (or ρ) that takes no more than the part, if the other one is beyond all."""
    left = naive_share(budget, totals)
    beyond = Fraction(10**9)

    def fits(cost: Fraction) -> bool:
        if branch == "epsilon":
            after = Totals(epsilon=(totals.epsilon or 0) + cost, rho=totals.rho + beyond)
        else:
            after = Totals(epsilon=None, rho=totals.rho + cost)
        return within_budget(budget, after) and naive_share(budget, after) >= left - part

    low, high = Fraction(0), Fraction(64)
    for _ in range(120):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


@examples(60)
@given(
    st.sampled_from(BUDGETS[:6]),
    st.fractions(0, 1, max_denominator=1000),
    st.fractions(0, "1/2", max_denominator=10**6) | st.none(),
    st.fractions(0, 1, max_denominator=1000),
)
def test_the_limits_are_the_largest_costs_that_take_the_part(
    budget: Budget, of_rho: Fraction, epsilon: Fraction | None, part: Fraction
) -> None:
    totals = Totals(epsilon=epsilon, rho=of_rho * (rho_allowance(budget) or 1))
    left = naive_share(budget, totals)
    assert share_left(budget, totals) == left
    if not 0 < part <= left:
        error = PrivacyParameterError if part == 0 else BudgetExhaustedError
        with pytest.raises(error):
            spend_limits(budget, totals, part)
        return
    limits = spend_limits(budget, totals, part)
    assert limits != SpendLimits(epsilon=None, rho=None)
    for branch, limit in (("epsilon", limits.epsilon), ("rho", limits.rho)):
        if branch == "epsilon" and (epsilon is None or budget.epsilon is None):
            assert limit is None
            continue
        if branch == "rho" and not rho_allowance(budget):
            assert limit is None
            continue
        twin = naive_limit(budget, totals, part, branch)
        assert abs((limit or 0) - twin) <= Fraction(1, 2**100)


def test_one_large_part_is_its_epsilon_and_a_hundred_small_ones_their_rho() -> None:
    large = spend_limits(ONE, Totals(), Fraction(85, 100))
    assert large.epsilon == Fraction(85, 100)
    allowance = rho_allowance(ONE)
    state = Filter(budget=ONE)
    for number in range(100):
        limits = spend_limits(ONE, state.totals, Fraction(1, 100))
        assert limits.rho == allowance / 100
        assert (limits.epsilon is None) == (number > 0)
        state = state.after(ConcentratedEvent(rho=limits.rho))
    assert state.totals.rho == allowance
    assert share_left(ONE, state.totals) == 0


def test_sums_that_are_rounded_leave_the_limits_a_step() -> None:
    budget = Budget(epsilon=Fraction(1, 3))
    totals = Totals()
    for prime in (10**40 + number for number in range(60)):
        totals += charge(PureEvent(epsilon=Fraction(1, prime)))
    assert totals.epsilon is not None
    assert totals.epsilon.denominator.bit_length() > 1000
    left = share_left(budget, totals)
    limits = spend_limits(budget, totals, left)
    assert limits.epsilon is not None
    after = totals + charge(PureEvent(epsilon=limits.epsilon))
    assert within_budget(budget, after)
    assert share_left(budget, after) < Fraction(1, 10**30)
    # The limit by its formula alone takes more than the half that was asked, by the rounding.
    assert budget.epsilon is not None
    exact = budget.epsilon * (1 - left / 2) - totals.epsilon
    half = spend_limits(budget, totals, left / 2).epsilon
    assert half is not None
    for limit, holds in ((exact, False), (half, True)):
        after = totals + Totals(epsilon=limit, rho=Fraction(1))
        assert (share_left(budget, after) >= left - left / 2) is holds


@each(
    ("front", "words"),
    [
        (Front.PYTHON, 'Ask for what is left, spend="3.2%", or for less.'),
        (Front.SQL, "Ask for what is left, SET spend = '3.2%', or for less."),
        (Front.COMMAND, "Ask for what is left, --spend 3.2%, or for less."),
    ],
)
def test_more_than_is_left_is_refused_with_what_is_left(front: Front, words: str) -> None:
    totals = Totals(epsilon=Fraction(96_750, 100_000), rho=Fraction(1))
    with pytest.raises(BudgetExhaustedError) as refusal:
        spend_limits(Budget(epsilon=1), totals, Fraction(1, 10))
    text = refusal.value.text(front)
    assert "spend is 10%, and 3.2% is left of the budget" in text
    assert words in text
    assert text.endswith("Nothing was read or spent.")
    assert spend_limits(Budget(epsilon=1), totals, Fraction(32, 1000)).epsilon


def test_of_nothing_no_part_is_left() -> None:
    spent = Totals(epsilon=Fraction(1), rho=Fraction(1, 2))
    for budget, totals in (
        (Budget(epsilon=1), spent),
        (Budget(rho="1/2"), spent),
        (ONE, Totals(delta=ONE.delta)),
        (Budget(epsilon="1/2"), spent),
    ):
        with pytest.raises(BudgetExhaustedError, match="nothing is left of the budget"):
            spend_limits(budget, totals, Fraction(1, 10**9))


# How many questions are left, and which branch one ends.


@examples(80)
@given(
    st.sampled_from(BUDGETS[:6]),
    st.fractions("1/300", 1, max_denominator=300),
    st.booleans(),
    st.booleans(),
    st.integers(0, 3),
)
def test_as_many_questions_are_left_as_fit_one_by_one(
    budget: Budget, size: Fraction, gaussian: bool, leaks: bool, before: int
) -> None:
    rho = size * (rho_allowance(budget) or 1) if gaussian else pure_rho(size)
    delta = budget.question_delta / 37 if leaks else Fraction(0)
    cost = Totals(epsilon=None if gaussian else size, delta=delta, rho=rho)
    totals = cost.times(before)
    left = questions_left(budget, totals, cost)
    fitting = [within_budget(budget, totals + cost.times(number)) for number in (left, left + 1)]
    if not within_budget(budget, totals):
        assert left == 0
        return
    count, total = 0, totals
    while count < 2000 and within_budget(budget, total + cost):
        count, total = count + 1, total + cost
    assert min(left, 2000) == count
    assert fitting == [True, False]


def test_free_questions_are_left_without_end() -> None:
    assert questions_left(ONE, Totals(), Totals()) == 10**9
    tiny = Totals(epsilon=Fraction(1, 10**50), rho=Fraction(1, 10**100))
    assert questions_left(ONE, Totals(), tiny) == 10**9
    assert questions_left(Budget(epsilon=1), Totals(), Totals(epsilon=None, rho=tiny.rho)) == 0


def test_a_question_without_an_epsilon_ends_a_branch_and_says_what_is_lost() -> None:
    before = charge(PureEvent(epsilon="4/10"))
    gaussian = charge(ConcentratedEvent(rho="1/10000"))
    budget = Budget(epsilon=1, delta="1e-1")
    ended = ended_branch(budget, before, gaussian)
    assert ended is not None
    assert (ended.branch, ended.share) == ("ε", Fraction(6, 10))
    assert ended.share_left == share_left(budget, before + gaussian)
    assert str(ended).startswith("it ends counting by ε: by ε 60% would be left, by ρ ")
    # Afterwards there is no such branch to end.
    assert ended_branch(budget, before + gaussian, gaussian) is None


def test_a_large_question_ends_the_sum_of_rho() -> None:
    ended = ended_branch(ONE, Totals(), charge(PureEvent(epsilon="1/2")))
    assert ended is not None
    assert str(ended) == "it ends counting by ρ: by ρ 100% would be left, by ε 50% is"
    assert ended_branch(ONE, Totals(), charge(PureEvent(epsilon="1/1000"))) is None


def test_a_budget_with_one_branch_has_none_to_end() -> None:
    gaussian, half = charge(ConcentratedEvent(rho="1/100")), charge(PureEvent(epsilon="1/2"))
    for budget in (Budget(rho=1), Budget(rho="1/10", delta="1e-6")):
        assert ended_branch(budget, Totals(), gaussian) is None
        assert ended_branch(budget, half, gaussian) is None
    assert ended_branch(Budget(epsilon=1), Totals(), half) is None
