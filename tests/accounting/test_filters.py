"""The filter: exact sums, the split of δ, adversaries, and what a ledger stores."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.accounting import Filter, Odometer, Totals, charge
from discreet.accounting.filters import (
    cost_text,
    left_text,
    rho_allowance,
    share_left,
    share_text,
    within_budget,
)
from discreet.accounting.zcdp import pure_rho
from discreet.errors import BudgetExhaustedError, PrivacyParameterError
from discreet.exact import square_root
from discreet.exact.normal import gaussian_delta
from discreet.privacy.events import (
    ApproximateEvent,
    BoundedRangeEvent,
    ComposedEvent,
    ConcentratedEvent,
    Event,
    GaussianEvent,
    LaplaceEvent,
    PureEvent,
    RandomizedResponseEvent,
    RepeatedEvent,
    SampledEvent,
)
from discreet.privacy.losses import ApproximateDP, Budget, ZeroConcentratedDP
from tests.accounting import loss_twins as twins
from tests.support.trials import examples

ONE = Budget(epsilon=1, delta="1e-6")
BITS = 160


def run(events: list[Event], budget: Budget = ONE) -> Filter:
    state = Filter(budget=budget)
    for event in events:
        state = state.after(event)
    return state


def test_a_million_charges_of_a_tiny_epsilon_are_counted_exactly() -> None:
    state = Filter(budget=Budget(epsilon="1e-6"))
    tiny = PureEvent(epsilon="1e-17")
    one = charge(tiny)
    total = Totals()
    for _ in range(10**4):  # the million is made of these in a ledger's way: sum by sum
        total += one
    assert total.epsilon == Fraction(1, 10**13)
    thousand = state.after(RepeatedEvent(event=tiny, count=10**6))
    assert thousand.totals.epsilon == Fraction(1, 10**11)
    assert thousand.totals.rho == Fraction(10**6, 2 * 10**34)


def test_a_tenth_ten_times_is_exactly_one() -> None:
    state = run([PureEvent(epsilon=0.1)] * 10, Budget(epsilon=1))
    assert state.totals.epsilon == 1
    assert not state.admits(PureEvent(epsilon="1e-300"))
    with pytest.raises(BudgetExhaustedError, match="beyond the budget"):
        state.after(PureEvent(epsilon="1e-300"))


def test_either_view_suffices_and_the_delta_of_questions_is_capped() -> None:
    # 70 small Gaussians fit by ρ alone; pure ones by Σε alone.
    each = ConcentratedEvent(rho=rho_allowance(ONE) / 70)
    state = run([each] * 70)
    assert state.totals.epsilon is None
    assert not state.admits(ConcentratedEvent(rho="1e-9"))
    assert run([PureEvent(epsilon="1/2")] * 2).totals.rho > rho_allowance(ONE)
    # Many small pure ones go far beyond Σε = 1.
    many = run([RepeatedEvent(event=PureEvent(epsilon="1/1000"), count=40_000)])
    assert many.totals.epsilon == 40
    # Σδ ≤ δ/2, whatever the rest.
    assert Filter(budget=ONE).admits(ApproximateEvent(epsilon="1/100", delta="5e-7"))
    assert not Filter(budget=ONE).admits(ApproximateEvent(epsilon="1/100", delta="5.1e-7"))
    wide = Budget(epsilon=1, delta="1e-6", conversion_delta="1e-7")
    assert Filter(budget=wide).admits(ApproximateEvent(epsilon="1/100", delta="9e-7"))


def test_a_pure_budget_admits_pure_events_only() -> None:
    state = Filter(budget=Budget(epsilon=1))
    assert state.admits(LaplaceEvent(scale=1))
    assert not state.admits(GaussianEvent.of(sigma=1000))
    assert not state.admits(ApproximateEvent(epsilon="1/10", delta="1e-12"))


def test_the_allowance_converts_and_a_little_more_does_not() -> None:
    for budget in (ONE, Budget(epsilon="1/100", delta="1e-9"), Budget(epsilon=10, delta="1e-3")):
        rho = rho_allowance(budget)
        level = budget.conversion_delta
        assert ZeroConcentratedDP(rho=rho).to_approximate(delta=level).epsilon <= budget.epsilon
        more = rho * (1 + Fraction(1, 10**9))
        assert ZeroConcentratedDP(rho=more).to_approximate(delta=level).epsilon > budget.epsilon


def test_long_denominators_are_rounded_up() -> None:
    total = Totals()
    truth = Fraction(0)
    for number in range(3, 400):
        total += charge(ConcentratedEvent(rho=Fraction(1, number)))
        truth += Fraction(1, number)
    assert truth <= total.rho <= truth + Fraction(1, 10**300)
    assert total.rho.denominator.bit_length() <= 1025


@pytest.mark.parametrize(
    "event",
    [
        SampledEvent(event=GaussianEvent.of(sigma=1), rate="1/100"),
        SampledEvent(event=ApproximateEvent(epsilon=1, delta="1e-8"), rate="1/100"),
        SampledEvent(event=PureEvent(epsilon=1), rate="1/100"),
        BoundedRangeEvent(epsilon=1),
        RandomizedResponseEvent(odds=3, categories=4),
        ComposedEvent(events=(PureEvent(epsilon=1), GaussianEvent.of(sigma=1))),
        ComposedEvent(events=()),
    ],
    ids=repr,
)
def test_every_event_has_a_charge_and_totals_survive_a_ledger(event: Event) -> None:
    total = charge(event)
    assert total.rho >= 0
    assert Totals.from_data(json.loads(json.dumps(total.to_data()))) == total
    assert charge(RepeatedEvent(event=event, count=5)) == total + total + total + total + total


def test_leaky_events_charge_one_and_the_same_part() -> None:
    # ρ must hold of the same part of weight 1 - δ as ε does.
    event = SampledEvent(event=ApproximateEvent(epsilon=1, delta="1e-4"), rate="1/10")
    total = charge(event)
    assert total.delta == Fraction(1, 10**5)
    assert total.epsilon is not None
    assert total.rho == pure_rho(total.epsilon)


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"version": 2, "epsilon": "0/1", "delta": "0/1", "rho": "0/1"},
        {"version": 1, "epsilon": "0/1", "delta": "0/1"},
        {"version": 1, "epsilon": "0", "delta": "0/1", "rho": "0/1"},
        {"version": 1, "epsilon": "-1/1", "delta": "0/1", "rho": "0/1"},
        {"version": 1, "epsilon": "0/1", "delta": None, "rho": "0/1"},
        {"version": 1, "epsilon": "0/1", "delta": "0/1", "rho": "0/1", "more": 1},
    ],
)
def test_totals_in_doubt_are_refused(data: object) -> None:
    with pytest.raises(PrivacyParameterError):
        Totals.from_data(data)


def test_the_split_is_stated_with_the_budget() -> None:
    assert repr(ONE) == "Budget(epsilon=1, delta=1/1000000)"
    assert Budget(epsilon=1, delta="1e-6", conversion_delta="5e-7") == ONE
    assert "conversion_delta=1/10000000" in repr(
        Budget(epsilon=1, delta="1e-6", conversion_delta="1e-7")
    )
    for part in ("2e-6", "-1e-9"):
        with pytest.raises(PrivacyParameterError, match="conversion_delta"):
            Budget(epsilon=1, delta="1e-6", conversion_delta=part)


def test_the_odometer_calls_only_the_sums_a_guarantee() -> None:
    view = Odometer.of(run([PureEvent(epsilon="1/4"), ApproximateEvent(epsilon=0, delta="1e-7")]))
    assert view.guaranteed is not None
    assert (view.guaranteed.epsilon, view.guaranteed.delta) == (Fraction(1, 4), Fraction(1, 10**7))
    assert view.epsilon_left == Fraction(3, 4)
    assert view.delta_left == Fraction(4, 10**7)
    assert view.descriptive_epsilon is not None
    assert view.descriptive_epsilon > 1
    assert "descriptive only" in str(view)
    gaussian = Odometer.of(run([GaussianEvent.of(sigma=20)]))
    assert gaussian.guaranteed is None
    assert gaussian.certified.epsilon == 1
    assert "guaranteed so far: no ε" in str(gaussian)
    pure = Odometer.of(Filter(budget=Budget(epsilon=1)))
    assert pure.descriptive_epsilon is None


# The adversary ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Adversary:
    """Asks ``steps`` times for a randomized response of ``epsilon``, and watches the loss.

    As soon as leaking everything with the probability that is left promises more, it does that;
    at the end it spends the ρ that is left on one Gaussian.
    """

    epsilon: Fraction
    steps: int
    leak: Fraction
    rho: Fraction  # in all

    def least_delta(self, level: Fraction) -> Fraction:
        """A lower bound of the true δ at ε = ``level``, by dynamic programming, in Fraction."""
        truth = 1 / (1 + twins.decay(self.epsilon))
        left = self.rho - self.steps * pure_rho(self.epsilon)
        sigma = 1 / _root_below(2 * left)
        values = [
            max(self.leak, self._gaussian(level - (2 * truths - self.steps) * self.epsilon, sigma))
            for truths in range(self.steps + 1)
        ]
        for step in range(self.steps, 0, -1):
            values = [
                max(self.leak, truth * values[place + 1] + (1 - truth) * values[place])
                for place in range(step)
            ]
            values = [Fraction(int(value * (1 << BITS)), 1 << BITS) for value in values]
        return values[0]

    @staticmethod
    def _gaussian(level: Fraction, sigma: Fraction) -> Fraction:
        low, _ = gaussian_delta(level, Fraction(1), sigma, BITS)
        return Fraction(low, 1 << BITS)

    def events(self, state: Callable[[Event], None], leaks_after: int | None) -> None:
        """What it asks on a path that leaks after so many answers, or never."""
        for _ in range(self.steps if leaks_after is None else leaks_after):
            state(PureEvent(epsilon=self.epsilon))
        if leaks_after is None:
            state(ConcentratedEvent(rho=self.rho - self.steps * pure_rho(self.epsilon)))
        else:
            state(ApproximateEvent(epsilon=0, delta=self.leak))


def _root_below(value: Fraction) -> Fraction:
    """A rational not above the root of the value, so that the noise is not too small."""
    return Fraction(square_root(value, 64)[0], 1 << 64)


def unsplit_admits(totals: Totals, budget: Budget) -> bool:
    """The tempting rule: all of δ for the leaks, or all that is left of it for the conversion."""
    by_sums = totals.epsilon is not None and totals.epsilon <= budget.epsilon
    if by_sums and totals.delta <= budget.delta:
        return True
    rest = budget.delta - totals.delta
    if rest <= 0:
        return False
    converted = ZeroConcentratedDP(rho=totals.rho).to_approximate(delta=rest)
    return converted.epsilon <= budget.epsilon


def test_without_the_split_an_adversary_exceeds_delta() -> None:
    whole = Budget(epsilon=1, delta="1e-6", conversion_delta="1e-6")
    adversary = Adversary(Fraction(1, 40), 40, ONE.delta, rho_allowance(whole))
    # The tempting rule admits every path of the adversary …
    for leaks_after in (None, 0, 1, 7, 20, 40):
        totals = Totals()

        def ask(event: Event) -> None:
            nonlocal totals
            totals += charge(event)
            assert unsplit_admits(totals, ONE)

        adversary.events(ask, leaks_after)
    # … and yet the truth is beyond the budget.
    truth = adversary.least_delta(ONE.epsilon)
    assert Fraction(113, 10**8) < truth < Fraction(121, 10**8)


def test_with_the_split_the_same_adversary_stays_within_delta() -> None:
    adversary = Adversary(Fraction(1, 40), 40, ONE.question_delta, rho_allowance(ONE))
    for leaks_after in (None, 0, 1, 7, 20, 40):
        state = Filter(budget=ONE)

        def ask(event: Event) -> None:
            nonlocal state
            state = state.after(event)

        adversary.events(ask, leaks_after)
    assert adversary.least_delta(ONE.epsilon) < ONE.delta
    # The greedier one, which uses all of δ twice, is refused.
    greedy = Adversary(Fraction(1, 40), 40, ONE.delta, rho_allowance(ONE))
    state = Filter(budget=ONE)
    with pytest.raises(BudgetExhaustedError):
        greedy.events(ask, 3)


MENU: list[tuple[Event, twins.Pair]] = [
    (PureEvent(epsilon="1/4"), twins.response(twins.growth(Fraction(1, 4)))),
    (PureEvent(epsilon="1/2"), twins.response(twins.growth(Fraction(1, 2)))),
    (RandomizedResponseEvent(odds=2, categories=3), twins.response(Fraction(2), 3)),
    (
        ApproximateEvent(epsilon="1/4", delta="1/50"),
        twins.leaking(twins.response(twins.growth(Fraction(1, 4))), Fraction(1, 50)),
    ),
    (
        ApproximateEvent(epsilon=0, delta="1/20"),
        twins.leaking([(Fraction(1), Fraction(1))], Fraction(1, 20)),
    ),
]


def spent(
    state: Filter, first: Fraction, second: Fraction, choose: Callable[[], int], depth: int
) -> Fraction:
    """Σ max(0, P - e^ε·Q) over all transcripts of an adversary that chooses at every node."""
    event, pair = MENU[choose()]
    if depth == 0 or not state.admits(event):
        return max(Fraction(0), first - twins.growth(state.budget.epsilon) * second)
    following = state.after(event)
    return sum(
        (spent(following, first * p, second * q, choose, depth - 1) for p, q in pair),
        Fraction(0),
    )


@examples(40)
@given(st.data())
def test_no_adaptive_adversary_exceeds_the_budget(data: st.DataObject) -> None:
    budget = Budget(epsilon="3/4", delta="1/5", conversion_delta="1/10")
    random = data.draw(st.randoms(use_true_random=False))
    truth = spent(
        Filter(budget=budget),
        Fraction(1),
        Fraction(1),
        lambda: random.randrange(len(MENU)),
        5,
    )
    assert truth <= budget.delta


# Budgets in ρ ----------------------------------------------------------------------------------


def test_a_budget_in_rho_counts_rho_and_nothing_else() -> None:
    budget = Budget(rho="1/10")
    assert rho_allowance(budget) == Fraction(1, 10)
    state = run([ConcentratedEvent(rho="1/100")] * 9 + [BoundedRangeEvent(epsilon="1/5")], budget)
    assert state.totals.rho == Fraction(9, 100) + Fraction(1, 200)
    assert state.admits(ConcentratedEvent(rho="1/200"))
    assert not state.admits(ConcentratedEvent(rho="1/199"))
    # However small Σε is: a pure event of ε = 1/2 costs more than 1/10.
    assert not Filter(budget=budget).admits(PureEvent(epsilon="1/2"))
    # A hundred thousand of ε = 1/1000 fit, whose Σε is 100.
    many = RepeatedEvent(event=PureEvent(epsilon="1/1000"), count=100_000)
    assert Filter(budget=budget).admits(many)


def test_all_delta_of_a_budget_in_rho_is_for_questions() -> None:
    leak = ApproximateEvent(epsilon="1/100", delta="1e-6")
    assert Filter(budget=Budget(rho="1/10", delta="1e-6")).admits(leak)
    assert not Filter(budget=Budget(rho="1/10", delta="9e-7")).admits(leak)
    assert not Filter(budget=Budget(rho="1/10")).admits(leak)


def test_what_is_left_of_a_budget_in_rho_is_told_in_rho() -> None:
    budget = Budget(rho="1/10", delta="1e-6")
    spent = charge(ApproximateEvent(epsilon="1/5", delta="1e-7"))
    assert share_left(budget, spent) == 1 - spent.rho / Fraction(1, 10)
    assert share_text(budget, spent) == ""
    assert left_text(budget, spent).startswith("ρ ≈ 0.0800")
    assert left_text(budget, spent).endswith("δ = 9e-07")
    assert cost_text(spent, budget).startswith("ρ ≈ 0.0199")
    assert cost_text(spent) == "ε = 0.2, δ = 1e-07"
    assert left_text(budget, Totals(rho=Fraction(1, 10))) == "nothing"
    with pytest.raises(BudgetExhaustedError, match=r"beyond the budget of ρ = 0\.1, δ = 1e-06"):
        Filter(budget=budget).after(ConcentratedEvent(rho=1))


def test_the_odometer_of_a_budget_in_rho_certifies_rho() -> None:
    view = Odometer.of(run([PureEvent(epsilon="1/4")], Budget(rho="1/10", delta="1e-6")))
    assert view.certified == ZeroConcentratedDP(rho="1/10", delta="1e-6")
    assert view.guaranteed == ApproximateDP(epsilon="1/4", delta=0)
    assert (view.epsilon_left, view.descriptive_epsilon) == (None, None)
    assert view.rho_left == Fraction(1, 10) - view.rho
    assert "certified whatever follows: ρ = 0.1, δ = 1e-06" in str(view)


@dataclass(frozen=True)
class Question:
    """An event, a pair that it may be, and the probability of its second part."""

    event: Event
    first_part: twins.Pair
    delta: Fraction = Fraction(0)


def merged(pair: twins.Pair, cells: int) -> twins.Pair:
    """The pair with its outcomes put together into a few cells: what it was is not undone."""
    size = -(-len(pair) // cells)
    groups = [pair[start : start + size] for start in range(0, len(pair), size)]
    return [(sum(p for p, _ in group), sum(q for _, q in group)) for group in groups]


QUARTER = Fraction(1, 4)
QUESTIONS = [
    Question(PureEvent(epsilon=QUARTER), twins.response(twins.growth(QUARTER))),
    Question(
        BoundedRangeEvent(epsilon="1/2"), twins.exponential([0, 1, 1], [1, 0, 1], Fraction(1, 4))
    ),
    Question(
        ApproximateEvent(epsilon=QUARTER, delta="1/50"),
        twins.response(twins.growth(QUARTER)),
        Fraction(1, 50),
    ),
    Question(ConcentratedEvent(rho="1/18"), merged(twins.discrete_gaussian(Fraction(9), 1, 30), 4)),
]


@dataclass(frozen=True)
class ConcentratedAdversary:
    """Chooses at every node among questions, under a rule for what they cost."""

    budget: Budget
    order: int
    charged: Callable[[Event], Totals]
    choose: Callable[[], Question]

    def worst(self, totals: Totals, depth: int) -> tuple[Fraction, Fraction]:
        """E_Q[(P/Q)^α] over the first parts of all transcripts, and the least weight they have."""
        question = self.choose()
        after = totals + self.charged(question.event)
        if depth == 0 or not within_budget(self.budget, after):
            return Fraction(1), Fraction(1)
        moment, weight = Fraction(0), Fraction(1)
        for first, second in question.first_part:
            inner, kept = self.worst(after, depth - 1)
            moment += first**self.order / second ** (self.order - 1) * inner
            weight = min(weight, (1 - question.delta) * kept)
        return moment, weight


def like_a_bounded_range(event: Event) -> Totals:
    """A quarter of what a pure event costs."""
    if isinstance(event, PureEvent):
        return charge(BoundedRangeEvent(epsilon=event.epsilon))
    return charge(event)


@examples(40)
@given(st.data(), st.sampled_from([2, 3, 8]))
def test_no_adaptive_adversary_exceeds_a_budget_in_rho(data: st.DataObject, order: int) -> None:
    budget = Budget(rho="3/20", delta="1/25")
    random = data.draw(st.randoms(use_true_random=False))
    adversary = ConcentratedAdversary(budget, order, charge, lambda: random.choice(QUESTIONS))
    moment, weight = adversary.worst(Totals(), 5)
    assert budget.rho is not None
    assert moment <= twins.growth(order * (order - 1) * budget.rho) + twins.NEGLIGIBLE
    assert weight >= 1 - budget.delta


@examples(30)
@given(st.data(), st.sampled_from([2, 3, 8]))
def test_a_budget_in_epsilon_promises_its_rho_too(data: st.DataObject, order: int) -> None:
    budget = Budget(epsilon="1/2", delta="1/20", conversion_delta="1/100")
    assert budget.epsilon is not None
    rho = max(rho_allowance(budget), pure_rho(budget.epsilon))
    random = data.draw(st.randoms(use_true_random=False))
    adversary = ConcentratedAdversary(budget, order, charge, lambda: random.choice(QUESTIONS))
    moment, weight = adversary.worst(Totals(), 4)
    assert moment <= twins.growth(order * (order - 1) * rho) + twins.NEGLIGIBLE
    assert weight >= 1 - budget.question_delta


def test_a_filter_that_charges_too_little_exceeds_a_budget_in_rho() -> None:
    budget = Budget(rho="1/20")
    most = twins.growth(Fraction(2, 20))
    for charged, holds in ((charge, True), (like_a_bounded_range, False)):
        adversary = ConcentratedAdversary(budget, 2, charged, lambda: QUESTIONS[0])
        moment, _ = adversary.worst(Totals(), 8)
        assert (moment <= most) is holds
