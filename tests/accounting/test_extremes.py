"""Extreme parameters: every call ends soon, with a safe price or a refusal that says why."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb
from time import process_time

import numpy as np
import pytest
from mpmath import mp, mpf, workdps

from discreet.accounting import (
    Filter,
    Odometer,
    batch_delta,
    batch_epsilon,
    fixed_batch,
    largest_fitting,
    least_noise,
    loss_distribution_delta,
    loss_distribution_epsilon,
    renyi_delta,
    renyi_epsilon,
    zcdp_epsilon,
)
from discreet.accounting.loss_atoms import Atoms
from discreet.accounting.loss_distribution import Direction, simple_atoms
from discreet.accounting.renyi import log_moment
from discreet.errors import BudgetExhaustedError, PrivacyParameterError
from discreet.privacy.events import (
    ApproximateEvent,
    BoundedRangeEvent,
    ComposedEvent,
    ConcentratedEvent,
    DiscreteGaussianEvent,
    DiscreteLaplaceEvent,
    Event,
    GaussianEvent,
    LaplaceEvent,
    PureEvent,
    RandomizedResponseEvent,
    RepeatedEvent,
    SampledEvent,
    SimpleEvent,
)
from discreet.privacy.losses import Budget
from tests.accounting import loss_twins as twins
from tests.support.trials import all_but

DELTA = Fraction(1, 10**6)
HUGE = 10**400
TINY = Fraction(1, HUGE)
SECONDS = 8.0
"""Of processor time: a call takes 2 at most on a quiet machine."""


def repeated(event: Event, count: int) -> Event:
    return RepeatedEvent(event=event, count=count)


def together(*events: Event) -> Event:
    return ComposedEvent(events=events)


def sampled(event: Event, rate: object) -> Event:
    return SampledEvent(event=event, rate=Fraction(rate))  # type: ignore[arg-type]


one = PureEvent(epsilon=1)
normal = GaussianEvent(variance=1)
EXTREMES: dict[str, Event] = {
    "ε = 150": PureEvent(epsilon=150),
    "ε = 200": PureEvent(epsilon=200),
    "ε beyond the largest loss": PureEvent(epsilon=700),
    "narrow integer Gaussian": DiscreteGaussianEvent(variance="1/100", squared_sensitivity=9),
    "integer Gaussian, every loss too large": DiscreteGaussianEvent(
        variance=1, squared_sensitivity=3600
    ),
    "rate near 0": sampled(one, TINY),
    "rate near 1": sampled(one, 1 - TINY),
    "normal, rate near 0": sampled(normal, TINY),
    "normal, rate near 1": sampled(normal, 1 - TINY),
    "rate in the subnormal range": sampled(one, Fraction(1, 10**320)),
    "ε = 0": PureEvent(epsilon=0),
    "ε of 1e-400": PureEvent(epsilon=TINY),
    "ε of 1e400": PureEvent(epsilon=HUGE),
    "Laplace, narrow": LaplaceEvent(scale=TINY),
    "Laplace, wide": LaplaceEvent(scale=HUGE),
    "integer Laplace, narrow": DiscreteLaplaceEvent(scale=TINY, sensitivity=3),
    "integer Laplace, wide": DiscreteLaplaceEvent(scale=HUGE, sensitivity=3),
    "integer Laplace, far": DiscreteLaplaceEvent(scale=1, sensitivity=HUGE),
    "integer Laplace, wide and far": DiscreteLaplaceEvent(scale=HUGE, sensitivity=HUGE),
    "categories": RandomizedResponseEvent(categories=HUGE, epsilon=1),
    "odds": RandomizedResponseEvent(odds=HUGE),
    "categories and odds": RandomizedResponseEvent(categories=HUGE, odds=HUGE),
    "bounded range, wide": BoundedRangeEvent(epsilon=HUGE),
    "bounded range, narrow": BoundedRangeEvent(epsilon=TINY),
    "integer Gaussian, very narrow": DiscreteGaussianEvent(variance=TINY, squared_sensitivity=1),
    "integer Gaussian, very far": DiscreteGaussianEvent(variance=1, squared_sensitivity=HUGE**2),
    "integer Gaussian, very often": repeated(
        DiscreteGaussianEvent(variance=1 << 21, squared_sensitivity=1), 10**20
    ),
    "normal, narrow": GaussianEvent(variance=TINY),
    "normal, wide": GaussianEvent(variance=HUGE),
    "normal beside pure, narrow": together(GaussianEvent(variance=TINY), one),
    "normal beside pure, wide": together(GaussianEvent(variance=HUGE), one),
    "count": repeated(one, HUGE),
    "count of tiny ones": repeated(PureEvent(epsilon=TINY), HUGE),
    "10^12 small ones": repeated(PureEvent(epsilon="1e-7"), 10**12),
    "10^15 sampled ones": repeated(sampled(normal, "1/100"), 10**15),
    "small beside large": together(PureEvent(epsilon="1e-7"), PureEvent(epsilon=300)),
    "tiny beside large": together(PureEvent(epsilon="1e-11"), PureEvent(epsilon=590)),
    "rarely the unit": repeated(sampled(PureEvent(epsilon=20), "1/10"), 3),
    "nearly always the unit": repeated(sampled(PureEvent(epsilon=20), "9/10"), 3),
    "a sample of many": sampled(repeated(PureEvent(epsilon=20), 30), "1/10"),
    "scales of all sizes": together(
        *(repeated(LaplaceEvent(scale=Fraction(10**power, 7)), 10**power) for power in range(9))
    ),
    "leaks for certain": ApproximateEvent(epsilon=1, delta=1),
    "leaks hardly": ApproximateEvent(epsilon=HUGE, delta=TINY),
    "concentrated, hardly": ConcentratedEvent(rho=HUGE),
}


def ended(call: Callable[[], Fraction]) -> Fraction | None:
    """What the call gives, None for a refusal; anything else, or a long wait, is a failure."""
    start = process_time()
    try:
        found = call()
    except PrivacyParameterError:
        return None
    finally:
        assert process_time() - start < SECONDS
    return found


LONG = (
    "a sample of many",
    "10^12 small ones",
    "nearly always the unit",
    "rarely the unit",
    "small beside large",
    "categories and odds",
    "scales of all sizes",
)


@pytest.mark.parametrize(
    "name", all_but([one for one in EXTREMES if one not in LONG], EXTREMES, pytest.mark.slow)
)
def test_every_price_of_an_extreme_event_is_found_soon_or_refused(name: str) -> None:
    event = EXTREMES[name]
    simple = ended(lambda: zcdp_epsilon(event, delta=DELTA))
    loss = ended(lambda: loss_distribution_epsilon(event, delta=DELTA))
    best = ended(lambda: batch_epsilon(event, delta=DELTA))
    for other in (simple, loss):
        assert other is None or (best is not None and best <= other)
    for level in (Fraction(1, 3), Fraction(HUGE)):
        found = ended(lambda level=level: batch_delta(event, epsilon=level))
        assert found is not None
        assert 0 <= found <= 1
        alone = ended(lambda level=level: loss_distribution_delta(event, epsilon=level))
        assert alone is None or found <= alone <= 1


@pytest.mark.parametrize(
    ("event", "truth"),
    [
        # P(loss = ε) = 1/(1 + e^-ε) is nearly 1, so δ = 1e-6 leaves ε nearly whole.
        (PureEvent(epsilon=150), 150),
        (PureEvent(epsilon=200), 200),
        (together(PureEvent(epsilon="1e-7"), PureEvent(epsilon=300)), 300),
        # A loss of -ln(1 - rate) at most, or of ln(1 + rate·(e^20 - 1)) at most.
        (sampled(one, 1 - TINY), 1),
        (sampled(PureEvent(epsilon=20), "1/10"), 17.697),
        (repeated(sampled(PureEvent(epsilon=20), "9/10"), 3), 59.684),
    ],
)
def test_a_large_epsilon_is_found_to_three_digits(event: Event, truth: float) -> None:
    for price in (batch_epsilon, loss_distribution_epsilon):
        assert truth * 0.999 <= float(price(event, delta=DELTA)) <= truth * 1.001


def test_what_costs_almost_nothing_is_not_free() -> None:
    for event in (PureEvent(epsilon=TINY), LaplaceEvent(scale=HUGE), sampled(one, TINY)):
        assert 0 < loss_distribution_delta(event, epsilon=0) < Fraction(1, 10**9)
    for event in (PureEvent(epsilon=TINY), DiscreteLaplaceEvent(scale=HUGE, sensitivity=3)):
        assert float(simple_atoms(event, Direction.REMOVE).losses.max()) > 0


def test_losses_that_are_all_too_large_are_infinite() -> None:
    atoms = Atoms.above(np.array([601.0, 700.0]), np.array([0.25, 0.75]))
    assert atoms.losses.tolist() == [0.0]
    assert atoms.masses.tolist() == [0.0]
    assert 1 <= atoms.infinite <= 1 + 1e-9


def test_one_accountant_that_breaks_does_not_break_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object, **__: object) -> Fraction:
        raise OverflowError

    expected = zcdp_epsilon(one, delta=DELTA)
    for name in ("renyi_epsilon", "loss_distribution_epsilon", "renyi_delta", "zcdp_delta"):
        monkeypatch.setattr(fixed_batch, name, broken)
    assert batch_epsilon(one, delta=DELTA) == min(expected, 1)
    assert batch_delta(one, epsilon=1) == 0


def test_a_refusal_states_the_remedy() -> None:
    for event in (repeated(one, HUGE), repeated(PureEvent(epsilon="1e-7"), 10**14)):
        with pytest.raises(PrivacyParameterError, match=r"Use renyi_epsilon"):
            loss_distribution_epsilon(event, delta=DELTA)


# Samples, written out: pairs of laws in 50 digits, composed by enumeration.

Law = list[tuple[mpf, mpf]]
RATES = ["1/100", "1/10", "1/2", "9/10"]
DIGITS = 50


def response_law() -> Law:
    total = mpf(3) + 2
    return [(3 / total, 1 / total), (1 / total, 3 / total), (1 / total, 1 / total)]


def laplace_law() -> Law:
    q = mp.exp(mpf(-1) / 2)
    places = range(-120, 123)
    return [
        ((1 - q) / (1 + q) * q ** abs(place), (1 - q) / (1 + q) * q ** abs(place - 2))
        for place in places
    ]


def gaussian_law() -> Law:
    weights = {place: mp.exp(-mpf(place * place) / 3) for place in range(-11, 13)}
    total = mp.fsum(weights.values())
    return [(weights[place] / total, weights.get(place - 1, 0) / total) for place in weights]


LAWS: dict[str, tuple[SimpleEvent, Callable[[], Law]]] = {
    "response": (RandomizedResponseEvent(odds=3, categories=3), response_law),
    "integer Laplace": (DiscreteLaplaceEvent(scale=2, sensitivity=2), laplace_law),
    "integer Gaussian": (
        DiscreteGaussianEvent(variance="3/2", squared_sensitivity=1),
        gaussian_law,
    ),
}


def directed(name: str, rate: str) -> Iterator[Law]:
    """The pairs of laws with the unit removed and with the unit added."""
    share = mpf(Fraction(rate).numerator) / Fraction(rate).denominator
    mixed = [(share * first + (1 - share) * second, second) for first, second in LAWS[name][1]()]
    yield mixed
    yield [(second, first) for first, second in mixed]


@cache
def composed_laws(name: str, rate: str, count: int) -> list[list[tuple[mpf, mpf]]]:
    """For each direction the losses of ``count`` outcomes, and their probabilities."""
    found = []
    for law in directed(name, rate):
        total: dict[str, tuple[mpf, mpf]] = {"": (mpf(0), mpf(1))}
        for _ in range(count):
            following: dict[str, tuple[mpf, mpf]] = {}
            for (loss, mass), (first, second) in product(total.values(), law):
                if first and second:
                    sum_of = loss + mp.log(first / second)
                    key = mp.nstr(sum_of, 30)
                    old = following.get(key, (sum_of, mpf(0)))
                    following[key] = (sum_of, old[1] + mass * first)
            total = following
        found.append(list(total.values()))
    return found


def exact_delta(name: str, rate: str, count: int, level: Fraction) -> mpf:
    """The least δ at ε, of the worse direction; short of the tails: a lower bound."""
    point = mpf(level.numerator) / level.denominator
    return max(
        mp.fsum(mass * -mp.expm1(point - loss) for loss, mass in losses if loss > point)
        for losses in composed_laws(name, rate, count)
    )


def number(value: Fraction) -> mpf:
    return mpf(value.numerator) / value.denominator


@pytest.mark.parametrize("rate", all_but(["1/10"], RATES, pytest.mark.soak))
@pytest.mark.parametrize("name", LAWS)
def test_no_price_of_a_sample_is_below_the_exact_one(name: str, rate: str) -> None:
    with workdps(DIGITS):
        for count in (1, 2):
            event = repeated(sampled(LAWS[name][0], rate), count)
            for level in (Fraction(0), Fraction(1, 7), Fraction(2, 3), Fraction(3, 2)):
                truth = exact_delta(name, rate, count, level)
                found = number(loss_distribution_delta(event, epsilon=level))
                assert truth <= found <= truth + mpf("1e-4")
                assert truth <= number(renyi_delta(event, epsilon=level))
                assert truth <= number(batch_delta(event, epsilon=level))
            for delta in (Fraction(1, 50), DELTA):
                for price in (loss_distribution_epsilon, renyi_epsilon, batch_epsilon):
                    level = price(event, delta=delta)
                    assert exact_delta(name, rate, count, level) <= number(delta)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("name", LAWS)
def test_no_moment_of_a_sample_is_below_the_exact_one(name: str, rate: str) -> None:
    event = sampled(LAWS[name][0], rate)
    with workdps(DIGITS):
        for law in directed(name, rate):
            for order in (2, 3, 4, 8, 17, Fraction(5, 2), Fraction(11, 10)):
                power = number(Fraction(order))
                truth = mp.log(
                    mp.fsum(first**power * second ** (1 - power) for first, second in law if second)
                )
                bound = number(log_moment(event, Fraction(order)))
                assert truth <= bound


# Budgets: what was admitted or returned, against laws written out.


def response_delta(epsilon: Fraction, leak: Fraction, count: int, level: Fraction) -> mpf:
    """The least δ of ``count`` answers that are each (ε,δ)-DP and no better: binomial sums."""
    each, point = number(epsilon), number(level)
    inside = mp.fsum(
        comb(count, lies)
        * mp.exp(-lies * each)
        / (1 + mp.exp(-each)) ** count
        * -mp.expm1(point - (count - 2 * lies) * each)
        for lies in range(count + 1)
        if (count - 2 * lies) * each > point
    )
    return 1 - (1 - number(leak)) ** count * (1 - inside)


@pytest.mark.parametrize("leak", ["0", "1e-9", "1e-8", "1e-7"])
@pytest.mark.parametrize("epsilon", ["1/50", "1/10", "2/5", "1"])
def test_a_filter_never_admits_more_than_its_budget(epsilon: str, leak: str) -> None:
    budget = Budget(epsilon=1, delta="1e-6")
    event = ApproximateEvent(epsilon=Fraction(epsilon), delta=Fraction(leak))
    state, count = Filter(budget=budget), 0
    while state.admits(event):
        state, count = state.after(event), count + 1
    assert leak != "0" or count >= 1 // Fraction(epsilon)
    with pytest.raises(BudgetExhaustedError):
        state.after(event)
    seen = Odometer.of(state)
    assert seen.guaranteed is not None
    with workdps(DIGITS):
        for promise in (seen.guaranteed, seen.certified):
            truth = response_delta(event.epsilon, event.delta, count, promise.epsilon)
            assert truth <= number(promise.delta) + mpf("1e-45")


def test_a_filter_of_events_of_several_kinds_never_admits_more_than_its_budget() -> None:
    budget = Budget(epsilon=2, delta="1e-3")
    kinds: list[tuple[Event, list[twins.Pair]]] = []
    for epsilon, leak in (("1/4", "1e-5"), ("1/2", "1e-4"), ("3/4", "0")):
        pair = twins.leaking(twins.response(twins.growth(Fraction(epsilon))), Fraction(leak))
        plain = ApproximateEvent(epsilon=Fraction(epsilon), delta=Fraction(leak))
        mixed = twins.sampled(pair, Fraction(1, 3))
        kinds += [(plain, [pair]), (sampled(plain, "1/3"), [mixed, twins.swapped(mixed)])]
    for first in range(len(kinds)):
        state, admitted = Filter(budget=budget), []
        for event, pairs in kinds[first:] + kinds[:first]:
            if state.admits(event):
                state = state.after(event)
                admitted.append(pairs)
        guaranteed = Odometer.of(state).guaranteed
        assert guaranteed is not None
        assert len(admitted) >= 4
        for direction in (0, -1):
            law = twins.composed(pairs[direction] for pairs in admitted)
            for promise in (guaranteed, Odometer.of(state).certified):
                truth = twins.delta(law, promise.epsilon)
                assert truth <= promise.delta + twins.NEGLIGIBLE


@pytest.mark.parametrize("leak", ["0", "1e-9"])
@pytest.mark.parametrize("count", all_but([1], [1, 7, 60], pytest.mark.slow))
def test_the_largest_epsilon_that_fits_does_fit(count: int, leak: str) -> None:
    budget = Budget(epsilon=1, delta="1e-6")
    found = largest_fitting(
        lambda each: repeated(ApproximateEvent(epsilon=each, delta=Fraction(leak)), count), budget
    )
    with workdps(DIGITS):
        truth = response_delta(found, Fraction(leak), count, budget.epsilon)
        assert truth <= number(budget.delta)
        more = response_delta(found * Fraction(1001, 1000), Fraction(leak), count, budget.epsilon)
        assert more > number(budget.delta)


@pytest.mark.parametrize("delta", ["1e-3", "1e-6", "1e-12"])
@pytest.mark.parametrize("count", [1, 40])
def test_the_least_noise_is_enough(count: int, delta: str) -> None:
    budget = Budget(epsilon=1, delta=delta)
    sigma = least_noise(lambda scale: repeated(GaussianEvent.of(sigma=scale), count), budget)
    with workdps(DIGITS):

        def truth(scale: mpf) -> mpf:
            shift = mp.sqrt(count) / scale
            return mp.ncdf(shift / 2 - 1 / shift) - mp.e * mp.ncdf(-shift / 2 - 1 / shift)

        assert truth(number(sigma)) <= number(budget.delta) < truth(number(sigma) * mpf("0.9999"))
