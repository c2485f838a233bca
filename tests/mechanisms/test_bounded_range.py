"""Draws whose loss stays within a range: exactly, on every pair of neighbors of small domains."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.accounting import batch_delta, charge
from discreet.accounting.renyi import bounded_range_moment
from discreet.exact import exp_minus
from discreet.measures.measure import Unit
from discreet.measures.quantiles import rank_price
from discreet.mechanisms import Exponential, NoisyMax, PermuteAndFlip
from discreet.mechanisms.extremes import NearMaximum
from discreet.mechanisms.quantiles import Quantiles, QuantileTask, level_ranges
from discreet.mechanisms.ranks import BaseMeasure, Layer
from discreet.privacy.events import (
    BoundedRangeEvent,
    ComposedEvent,
    Event,
    PureEvent,
    RepeatedEvent,
    event_counts,
)
from discreet.privacy.laws import Law
from discreet.privacy.losses import PureDP, bounded_range_epsilon
from discreet.privacy.sensitivity import Neighbors, Sensitivity
from tests.mechanisms.test_extreme import TIGHT, Aimed
from tests.mechanisms.test_quantile import EXHAUSTIVE, neighbors, quantiles
from tests.mechanisms.test_quantile_weights import neighbors as weighted_neighbors

ADD_REMOVE, REPLACE = Neighbors.ADD_REMOVE, Neighbors.REPLACE
BITS = 192
ROUNDING = Fraction(1, 1 << 120)
ORDERS = (2, 3, 8)
ONE = Sensitivity(l1=1)
TWO = PureDP(epsilon=2)
LAYERS = (Layer(0, 4, 8), Layer(1, 3, 5), Layer(0, 4, 30, ratio=1, offset=1, bits=1))


def loss_range(first: Law, second: Law) -> tuple[Fraction, Fraction]:
    """Bounds of the length of the interval that all logarithms of the ratio lie in."""
    logs = [atom.enclose_log(BITS) for atom in first.against(second)]
    lows, highs = zip(*(log for log in logs if log is not None), strict=True)
    assert None not in logs
    return Fraction(max(lows) - min(highs), 1 << BITS), Fraction(max(highs) - min(lows), 1 << BITS)


def exceeds(first: Law, second: Law, order: int, rho: Fraction) -> tuple[bool, bool]:
    """Whether the Rényi divergence of a whole order is above order·rho: surely, and possibly."""
    least = most = Fraction(0)
    for atom in first.against(second):
        (low, high), (other_low, other_high) = atom.first(BITS), atom.second(BITS)
        least += Fraction(low**order, other_high ** (order - 1)) / (1 << BITS)
        most += Fraction(high**order, other_low ** (order - 1)) / (1 << BITS)
    low, high = exp_minus(order * (order - 1) * rho, BITS)
    return least * low > 1 << BITS, most * high > 1 << BITS


def concentrated(first: Law, second: Law, rho: Fraction) -> bool:
    """Whether no divergence of some whole orders, in either direction, is above order·rho."""
    return not any(
        exceeds(*pair, order, rho)[1]
        for pair in ((first, second), (second, first))
        for order in ORDERS
    )


def rho_of(event: Event) -> Fraction:
    return charge(event).rho


# ---------------------------------------------------------------------- single draws


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("epsilon", ["1/2", 2])
def test_the_exponential_mechanism_stays_within_its_range(monotone: bool, epsilon: object) -> None:
    mechanism = Exponential.calibrated(sensitivity=1, epsilon=epsilon, monotone=monotone)
    level = mechanism.loss(Sensitivity(linf=1)).epsilon
    moves = (0, 1) if monotone else (-1, 0, 1)
    widest = Fraction(0)
    for scores, move in product(product(range(3), repeat=3), product(moves, repeat=3)):
        moved = [a + b for a, b in zip(scores, move, strict=True)]
        widest = max(widest, loss_range(mechanism.law(scores), mechanism.law(moved))[1])
    assert level - ROUNDING <= widest <= level + ROUNDING
    assert mechanism.event(ONE, PureDP(epsilon=level)) == BoundedRangeEvent(epsilon=level)


def single(relation: Neighbors, share: int) -> dict[str, Quantiles | NearMaximum]:
    """One draw each, of ε = 2, and the grid that it is made on."""
    measure = BaseMeasure(4, LAYERS)
    two = Fraction(2)
    return {
        "median": Quantiles(
            probabilities=(Fraction(1, 2),), epsilon=two, width=4, neighbors=relation, share=share
        ),
        "a ninth": Quantiles(
            probabilities=(Fraction(1, 9),),
            epsilon=two,
            width=4,
            neighbors=relation,
            share=share,
            measure=measure,
        ),
        "largest": NearMaximum(epsilon=two, width=4, share=share),
        "largest but one": Aimed(epsilon=two, width=4, share=share),
        "weighted": Aimed(epsilon=two, width=4, share=share, measure=measure),
    }


def ranges_by_weight(mechanism: Quantiles | NearMaximum, share: int, relation: Neighbors) -> dict:
    """The widest range of all pairs, by how much of the share was moved."""
    points, most = [0, 2, 4], 3
    widest: dict[int, Fraction] = {}
    laws: dict[tuple[int, ...], Law] = {}
    for moved in range(1, share + 1):
        for pair in weighted_neighbors(points, most, moved, relation):
            for data in pair:
                laws.setdefault(data, mechanism.law(data))
            wide = loss_range(*(laws[data] for data in pair))[1]
            widest[moved] = max(widest.get(moved, Fraction(0)), wide)
    return widest


@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
@pytest.mark.parametrize("share", [1, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["median", "a ninth", "largest", "largest but one", "weighted"])
def test_a_draw_stays_within_a_range_in_proportion_to_what_was_moved(
    kind: str, share: int, relation: Neighbors
) -> None:
    mechanism = single(relation, share)[kind]
    widest = ranges_by_weight(mechanism, share, relation)
    for moved, wide in widest.items():
        assert wide <= Fraction(2 * moved, share) + ROUNDING
    assert mechanism.event(ONE, TWO) == BoundedRangeEvent(epsilon=2)
    # So a person who is in several groups, or leaves one and enters another, moves all draws
    # together within the sum of the ranges.
    if share == 3:
        assert widest[1] + widest[2] <= 2 + ROUNDING
        assert 3 * widest[1] <= 2 + ROUNDING


def test_replacing_between_groups_costs_both_of_their_ranges() -> None:
    """A person leaves one group and enters another: ε/2 for each, and what is kept is ε."""
    unit = Unit(neighbors=REPLACE, keyed=True, cells=2)
    level, relation = rank_price(unit, Fraction(2))
    assert (level, relation) == (1, ADD_REMOVE)
    mechanism = Aimed(epsilon=level, width=300)
    left, entered = TIGHT[ADD_REMOVE][::-1], TIGHT[ADD_REMOVE]
    both = sum(loss_range(*map(mechanism.law, pair))[0] for pair in (left, entered))
    assert 1 < both <= 2  # the event of one group alone, ε = 1, would be too small
    assert mechanism.event(ONE, TWO) == BoundedRangeEvent(epsilon=2)


@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
def test_a_larger_rate_leaves_the_range(
    relation: Neighbors, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negative control: the checks above see a draw that moves further than it says."""
    median = quantiles("1/2", 150, relation)
    gap = ((1, 150, 150), (1, 1, 150, 150)) if relation is ADD_REMOVE else ((149, 150), (0, 149))
    aimed = Aimed(epsilon=Fraction(2), width=300)
    assert loss_range(*map(median.law, gap))[1] <= 2 + ROUNDING
    assert loss_range(*map(aimed.law, TIGHT[relation]))[1] <= 2 + ROUNDING
    rate, steep = QuantileTask.rate, aimed._rate * Fraction(11, 10)
    monkeypatch.setattr(QuantileTask, "rate", lambda *task: rate(*task) * Fraction(11, 10))
    monkeypatch.setattr(NearMaximum, "_rate", property(lambda self: steep))
    assert loss_range(*map(median.law, gap))[0] > 2
    assert loss_range(*map(aimed.law, TIGHT[relation]))[0] > 2


@pytest.mark.parametrize(
    ("kind", "scores", "moved"),
    [(PermuteAndFlip, [0, 3], [1, 2]), (NoisyMax, [0, 1, 2, 2, 1], [0, 2, 2, 1, 1])],
)
def test_the_loss_of_other_choices_leaves_the_range(
    kind: type[PermuteAndFlip | NoisyMax], scores: list[int], moved: list[int]
) -> None:
    """The counterexamples: ε = 1, and the loss takes values that are further apart."""
    mechanism = kind.calibrated(sensitivity=1, epsilon=1)
    first, second = mechanism.law(scores), mechanism.law(moved)
    assert loss_range(first, second)[0] > Fraction(11, 10)
    event = mechanism.event(Sensitivity(linf=1), PureDP(epsilon=1))
    assert event == PureEvent(epsilon=1)
    assert concentrated(first, second, rho_of(event))


def test_permute_and_flip_exceeds_the_concentration_of_a_range() -> None:
    mechanism = PermuteAndFlip.calibrated(sensitivity=1, epsilon=1)
    first, second = mechanism.law([1, 2]), mechanism.law([0, 3])
    assert any(exceeds(first, second, order, Fraction(1, 8))[0] for order in ORDERS)


# ---------------------------------------------------------------------- several quantiles


def paths(task: QuantileTask) -> Iterator[tuple[Fraction, ...]]:
    """What is spent on the draws that one record may be in, one after the other."""
    if task.is_last:
        yield (task.share,)
    else:
        for half in task.halves():
            for rest in paths(half) if half.wanted else [()]:
                yield (task.share, *rest)


def task_of(count: int) -> QuantileTask:
    wanted = tuple(Fraction(place, count + 1) for place in range(1, count + 1))
    return QuantileTask(wanted, Fraction(1))


def sums_of_largest(parts: tuple[Fraction, ...], count: int) -> list[Fraction]:
    ordered = sorted(parts, reverse=True) + [Fraction(0)] * (count - len(parts))
    return [sum(ordered[:many], Fraction(0)) for many in range(count + 1)]


@pytest.mark.parametrize("count", range(1, 70))
def test_no_path_has_larger_ranges_than_the_event_lists(count: int) -> None:
    """Majorization: the k largest draws of a path never add up to more, for any k."""
    parts = level_ranges(count)
    listed = tuple(Fraction(part, sum(parts)) for part in parts)
    levels = count.bit_length()
    largest = sums_of_largest(listed, levels)
    all_paths = set(paths(task_of(count)))
    for path in all_paths:
        assert len(path) <= levels
        below = sums_of_largest(path, levels)
        assert all(less <= most for less, most in zip(below, largest, strict=True))
    assert any(sorted(path, reverse=True) == list(listed) for path in all_paths)


@pytest.mark.parametrize(
    ("count", "event"),
    [
        (1, BoundedRangeEvent(epsilon=2)),
        (3, RepeatedEvent(event=BoundedRangeEvent(epsilon=1), count=2)),
        (
            4,
            ComposedEvent(
                events=(BoundedRangeEvent(epsilon="4/3"), BoundedRangeEvent(epsilon="2/3"))
            ),
        ),
        (7, RepeatedEvent(event=BoundedRangeEvent(epsilon="2/3"), count=3)),
        (
            9,
            ComposedEvent(
                events=(
                    BoundedRangeEvent(epsilon=1),
                    RepeatedEvent(event=BoundedRangeEvent(epsilon="1/2"), count=2),
                )
            ),
        ),
    ],
)
def test_the_event_has_a_draw_for_every_level(count: int, event: Event) -> None:
    mechanism = Quantiles(probabilities=task_of(count).wanted, epsilon=Fraction(2), width=9)
    assert mechanism.event(ONE, TWO) == event
    assert charge(event).epsilon == 2


@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
@pytest.mark.parametrize("levels", EXHAUSTIVE)
def test_no_pair_of_neighbors_exceeds_the_concentration_of_the_levels(
    levels: str, relation: Neighbors
) -> None:
    width, size = EXHAUSTIVE[levels]
    mechanism = quantiles(levels, width, relation)
    rho = rho_of(mechanism.event(ONE, TWO))
    pairs = list(neighbors(list(range(width + 1)), size, relation))
    laws = {data: mechanism.law(data) for data in {data for pair in pairs for data in pair}}
    assert all(concentrated(laws[first], laws[second], rho) for first, second in pairs)


def test_a_recursion_that_is_charged_once_is_caught() -> None:
    """The negative control: quartiles as one draw of one level's range, ε/2."""
    mechanism, pair = quantiles("1/4 1/2 3/4", 6), ((2, 4, 6), (0, 2, 4, 6))
    first, second = map(mechanism.law, pair)
    once = rho_of(BoundedRangeEvent(epsilon=1))
    assert exceeds(first, second, 2, once)[0] or exceeds(second, first, 2, once)[0]
    assert concentrated(first, second, rho_of(mechanism.event(ONE, TWO)))


def test_levels_of_one_size_are_too_little_where_halves_are_uneven() -> None:
    """The negative control: four quantiles as three draws of ε/3; the last one alone has 2ε/3."""
    mechanism = quantiles("1/8 1/4 1/2 41/44", 8)
    data = (0,) * 18 + (3, 3)
    first, second = mechanism.law(data), mechanism.law((*data, 8))
    even = rho_of(RepeatedEvent(event=BoundedRangeEvent(epsilon="2/3"), count=3))
    assert exceeds(first, second, 2, even)[0] or exceeds(second, first, 2, even)[0]
    assert concentrated(first, second, rho_of(mechanism.event(ONE, TWO)))


@pytest.mark.parametrize("count", [4, 8, 9, 16])
def test_the_listed_draws_cost_at_least_what_any_path_does_in_every_accountant(count: int) -> None:
    """By the loss distributions too, which are not a matter of ρ alone."""
    mechanism = Quantiles(probabilities=task_of(count).wanted, epsilon=Fraction(3), width=9)
    listed = mechanism.event(ONE, PureDP(epsilon=3))
    for path in {tuple(sorted(path)) for path in paths(task_of(count))}:
        walked = ComposedEvent(events=tuple(BoundedRangeEvent(epsilon=3 * part) for part in path))
        for epsilon in ("1/10", "1/2", 1, 2):
            most = batch_delta(listed, epsilon=epsilon)
            assert batch_delta(walked, epsilon=epsilon) <= most * (1 + Fraction(1, 10**5))
        for order in map(Fraction, ("1.01", "2", "7/2", "40")):
            moments = [
                sum(
                    times * bounded_range_moment(one.epsilon, order)
                    for one, times in event_counts(event).items()
                )
                for event in (walked, listed)
            ]
            assert moments[0] <= moments[1] + Fraction(1, 10**30)


# ---------------------------------------------------------------------- for a ρ


@given(st.fractions(Fraction(1, 10**9), 50), st.integers(1, 40))
def test_the_epsilon_for_a_rho_is_the_largest_that_it_pays_for(rho: Fraction, count: int) -> None:
    def cost(epsilon: Fraction) -> Fraction:
        mechanism = Quantiles(probabilities=task_of(count).wanted, epsilon=epsilon, width=9)
        return rho_of(mechanism.event(ONE, mechanism.loss()))

    ranges = level_ranges(count)
    draws = Fraction(sum(ranges) ** 2, sum(part * part for part in ranges))
    epsilon = bounded_range_epsilon(rho, draws)
    assert cost(epsilon) <= rho < cost(epsilon * (1 + Fraction(1, 10**3)))
