"""The first k of many: the law of the ordered choice, and what one unit can change in it."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from discreet.accounting import charge
from discreet.errors import DataError, PrivacyParameterError
from discreet.exact import exp_minus
from discreet.mechanisms import TopK
from discreet.noise import Keystream
from discreet.privacy.events import BoundedRangeEvent, PureEvent, RepeatedEvent
from discreet.privacy.losses import PureDP
from discreet.privacy.sensitivity import Sensitive, Sensitivity
from discreet.privacy.verification import verify
from tests.mechanisms.test_bounded_range import concentrated, exceeds
from tests.support.trials import all_but, rounds

BITS = 192
ONE = Sensitivity(linf=1)
FALSE_ALARM = 1e-7
ROUNDING = Fraction(1, 1 << 100)
CASES = [(1, 3), (2, 3), (2, 4), (3, 4)]
"""How many are named, of how many."""


def naive_law(scores: list[int], count: int, scale: Fraction) -> dict[tuple[int, ...], Fraction]:
    """Draws without replacement, with weights e^((score - best)/scale) to very many digits."""
    best = max(scores)
    weights = [Fraction(exp_minus((best - one) / scale, 600)[0], 1 << 600) for one in scores]
    law = {}
    for order in permutations(range(len(scores)), min(count, len(scores))):
        left, chance = sum(weights), Fraction(1)
        for index in order:
            chance, left = chance * weights[index] / left, left - weights[index]
        law[order] = chance
    return law


def naive_flips(scores: list[int], count: int, scale: Fraction) -> dict[tuple[int, ...], Fraction]:
    """Of all orders of those left, the first that accepts with e^((score - best)/scale)."""

    def drawn(left: tuple[int, ...]) -> dict[int, Fraction]:
        best = max(scores[i] for i in left)
        accepts = {
            i: Fraction(exp_minus((best - scores[i]) / scale, 600)[0], 1 << 600) for i in left
        }
        found = dict.fromkeys(left, Fraction(0))
        orders = list(permutations(left))
        for order in orders:
            reached = Fraction(1, len(orders))
            for i in order:
                found[i] += reached * accepts[i]
                reached *= 1 - accepts[i]
        return found

    law = {(): Fraction(1)}
    for _ in range(min(count, len(scores))):
        law = {
            (*order, i): chance * part
            for order, chance in law.items()
            for i, part in drawn(tuple(i for i in range(len(scores)) if i not in order)).items()
        }
    return law


TWINS = {False: naive_law, True: naive_flips}


@pytest.mark.parametrize("flips", [False, True])
@pytest.mark.parametrize("scores", [[0], [0, 1, 5], [3, 3, -4, 2]])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_law_is_that_of_draws_without_replacement(
    scores: list[int], count: int, flips: bool
) -> None:
    law = TopK(count=count, scale="5/2", flips=flips).law(scores)
    twin = TWINS[flips](scores, count, Fraction(5, 2))
    assert set(law.outcomes) == set(twin)
    for order, chance in twin.items():
        low, high = law.enclose(order, BITS)
        assert low - 2 <= chance * (1 << BITS) <= high + 2
        assert high - low <= 4


def frequencies(mechanism: TopK, scores: list[int], trials: int) -> Counter[tuple[int, ...]]:
    bits = Keystream()
    return Counter(tuple(mechanism(scores, source=bits)) for _ in range(trials))


def rejected(found: Counter[Any], law: dict[tuple[int, ...], Fraction]) -> bool:
    expected = [float(chance) * found.total() for chance in law.values()]
    seen = [found[order] for order in law]
    return bool(
        chisquare(seen, np.array(expected) * sum(seen) / sum(expected)).pvalue < FALSE_ALARM
    )


SCORES = [4, 7, 5, 5]


def test_draws_have_the_law_that_is_stated() -> None:
    mechanism = TopK(count=2, scale=3)
    found = frequencies(mechanism, SCORES, rounds(10_000))
    assert not rejected(found, naive_law(SCORES, 2, Fraction(3)))
    # The negative control: another scale, and draws that may name a candidate twice.
    assert rejected(found, naive_law(SCORES, 2, Fraction(4)))


def test_flips_have_the_law_that_is_stated() -> None:
    found = frequencies(TopK(count=2, scale=3, flips=True), SCORES, rounds(10_000))
    assert not rejected(found, naive_flips(SCORES, 2, Fraction(3)))
    # The negative control: draws by weights, whose law is another at the same scale.
    assert rejected(found, naive_law(SCORES, 2, Fraction(3)))


def test_a_flip_is_as_likely_as_a_draw_to_be_near_the_best_of_those_left() -> None:
    for scores in product(range(4), repeat=3):
        weighed, flipped = (TopK(count=1, scale=1, flips=one).law(scores) for one in (False, True))
        for lag in range(4):
            near = [(i,) for i, score in enumerate(scores) if max(scores) - score <= lag]
            most = sum(weighed.enclose(one, BITS)[0] for one in near)
            assert sum(flipped.enclose(one, BITS)[1] for one in near) >= most


def test_one_shot_of_gumbel_noise_has_the_same_law() -> None:
    random, trials = np.random.default_rng(7), rounds(20_000)
    noisy = np.array(SCORES) / 3 + random.gumbel(size=(trials, len(SCORES)))
    order = np.argsort(-noisy, axis=1)[:, :2]
    found = Counter(map(tuple, order.tolist()))
    assert not rejected(found, naive_law(SCORES, 2, Fraction(3)))
    normal = np.array(SCORES) / 3 + random.normal(size=(trials, len(SCORES)))
    others = Counter(map(tuple, np.argsort(-normal, axis=1)[:, :2].tolist()))
    assert rejected(others, naive_law(SCORES, 2, Fraction(3)))


# ---------------------------------------------------------------------- privacy


def pairs(many: int, moves: tuple[int, ...]) -> list[tuple[list[int], list[int]]]:
    """All scores of a small domain with all that one unit can make of them."""
    return [
        (list(scores), [a + b for a, b in zip(scores, move, strict=True)])
        for scores in product(range(2), repeat=many)
        for move in product(moves, repeat=many)
    ]


ALL_CASES = [(*case, monotone) for case in CASES for monotone in (True, False)]
QUICK = [(1, 3, False), (2, 3, True), (2, 3, False)]


@pytest.mark.parametrize("case", all_but(QUICK, ALL_CASES, pytest.mark.slow))
def test_no_pair_of_neighbors_exceeds_what_the_draws_cost(case: tuple[int, int, bool]) -> None:
    exceeds_nowhere(*case, flips=False)


@pytest.mark.parametrize("case", all_but(QUICK, ALL_CASES, pytest.mark.soak))
def test_no_pair_of_neighbors_exceeds_what_flips_cost(case: tuple[int, int, bool]) -> None:
    exceeds_nowhere(*case, flips=True)


def exceeds_nowhere(count: int, many: int, monotone: bool, *, flips: bool) -> None:
    """Add/remove moves all scores one way, replacing moves them in both; all ordered outcomes."""
    mechanism = TopK.calibrated(
        count=count, sensitivity=1, epsilon=2, monotone=monotone, flips=flips
    )
    loss = mechanism.loss(ONE)
    assert loss == PureDP(epsilon=2)
    rho = charge(mechanism.event(ONE, loss)).rho
    if not flips:
        assert rho == Fraction(4, 8 * count)
    law = cache(lambda scores: mechanism.law(list(scores)))
    for scores, moved in pairs(many, (0, 1) if monotone else (-1, 0, 1)):
        first, second = law(tuple(scores)), law(tuple(moved))
        for atom in first.against(second):
            low, high = atom.enclose_log(BITS) or (0, 1 << 2 * BITS)
            assert -loss.epsilon - ROUNDING <= Fraction(low, 1 << BITS)
            assert Fraction(high, 1 << BITS) <= loss.epsilon + ROUNDING
        assert concentrated(first, second, rho)


def test_half_of_the_scale_is_too_little_where_units_are_replaced() -> None:
    """The negative control: a rate of ε/Δ where scores move in both directions."""
    daring = TopK.calibrated(count=2, sensitivity=1, epsilon=2, monotone=True)
    scores, moved = [0, 0, 1, 1], [1, 1, 0, 0]
    assert verify(daring, scores, moved).epsilon > 2
    first, second = daring.law(scores), daring.law(moved)
    assert exceeds(first, second, 2, charge(daring.event(ONE, PureDP(epsilon=2))).rho)[0]
    careful = TopK.calibrated(count=2, sensitivity=1, epsilon=2)
    assert verify(careful, scores, moved).epsilon <= 2


@pytest.mark.parametrize("count", [1, 2])
def test_flips_that_are_charged_as_draws_of_bounded_range_are_caught(count: int) -> None:
    """The negative control: flips keep their ε, and not a fourth of its ρ."""
    flips = TopK.calibrated(count=count, sensitivity=1, epsilon=2, monotone=True, flips=True)
    draws = replace(flips, flips=False)
    cheap = charge(draws.event(ONE, PureDP(epsilon=2))).rho
    assert charge(flips.event(ONE, PureDP(epsilon=2))).rho > cheap
    caught = []
    for scores, moved in pairs(3, (0, 1)):
        first, second = flips.law(scores), flips.law(moved)
        caught += [exceeds(first, second, order, cheap)[0] for order in (2, 8)]
        caught += [exceeds(second, first, order, cheap)[0] for order in (2, 8)]
    assert any(caught)


@pytest.mark.parametrize("flips", [False, True])
def test_several_draws_that_are_charged_once_are_caught(flips: bool) -> None:
    """The negative control: k draws as one of the range of each."""
    mechanism = TopK.calibrated(count=2, sensitivity=1, epsilon=2, monotone=True, flips=flips)
    assert verify(mechanism, [0, 0, 0, 0], [1, 1, 0, 0]).epsilon > 1
    if flips:
        return
    once = charge(BoundedRangeEvent(epsilon=1)).rho
    scores, moved = [0, 0, 0, 0], [1, 1, 0, 0]
    first, second = mechanism.law(scores), mechanism.law(moved)
    assert exceeds(first, second, 8, once)[0] or exceeds(second, first, 8, once)[0]


def test_a_coarser_grid_is_accounted_for() -> None:
    """Scores that move by 3 on a grid of 4 move by a step at most, as those that move by 4 do."""
    mechanism = TopK.calibrated(count=2, sensitivity=3, epsilon=1, monotone=True, grid=4)
    assert mechanism.scale == 8
    assert mechanism.loss(Sensitivity(linf=3)) == PureDP(epsilon=1)
    for scores in product(range(9), repeat=3):
        moved = [score + 3 for score in scores[:2]] + [scores[2]]
        assert verify(mechanism, list(scores), moved).epsilon <= 1


def test_the_event_is_a_draw_for_each_that_is_named() -> None:
    mechanism = TopK(count=5, scale=10, monotone=True)
    event = mechanism.event(ONE, mechanism.loss(ONE))
    assert event == RepeatedEvent(event=BoundedRangeEvent(epsilon="1/10"), count=5)
    assert charge(event).epsilon == Fraction(1, 2)
    assert charge(event).rho == 5 * Fraction(1, 100) / 8
    flips = replace(mechanism, flips=True)
    assert flips.event(ONE, flips.loss(ONE)) == RepeatedEvent(
        event=PureEvent(epsilon="1/10"), count=5
    )


# ---------------------------------------------------------------------- what is chosen


@pytest.mark.parametrize(
    "scores", [[5, 1, 9], np.array([5, 1, 9]), Sensitive(np.array([5, 1, 9], object))]
)
def test_with_hardly_any_noise_the_largest_are_named_in_order(scores: Any) -> None:
    for flips in (False, True):
        assert TopK(count=2, scale="1/1000", flips=flips)(scores) == [2, 0]
        assert sorted(TopK(count=7, scale=1, flips=flips)(scores)) == [0, 1, 2]


def test_scores_of_any_size_are_ranked() -> None:
    huge = [2**100, 2**100 + 2**40, -(2**90), 7]
    for flips in (False, True):
        assert TopK(count=2, scale=2**20, grid=2**10, flips=flips)(huge) == [1, 0]


def test_a_million_candidates_are_ranked_in_seconds() -> None:
    scores = np.zeros(10**6, np.int64)
    scores[:50] = 10**6
    assert set(TopK(count=50, scale=100)(scores)) == set(range(50))


@pytest.mark.parametrize("flips", [False, True])
@pytest.mark.parametrize(("count", "many"), CASES)
def test_a_candidate_left_out_is_not_far_above_one_that_is_named(
    count: int, many: int, flips: bool
) -> None:
    """The bound is met by the exact law where it is hardest: all the first ones lead by as much."""
    mechanism = TopK(count=count, scale=1, flips=flips)
    gap = mechanism.accuracy(0.95, candidates=many)
    for leading in range(1, many):
        scores = [int(gap) + 1] * leading + [0] * (many - leading)
        law = mechanism.law(scores)
        wrong = sum(
            law.enclose(order, BITS)[1]
            for order in law.outcomes
            if max((scores[i] for i in range(many) if i not in order), default=0)
            > min(scores[i] for i in order) + gap
        )
        assert wrong <= Fraction(1, 20) * (1 << BITS)
    fewer = mechanism.accuracy(0.95, candidates=count)
    assert fewer == 0


@pytest.mark.parametrize("scores", [[], 3, [1.5, 2.0], [True, False], [[1, 2]]])
def test_what_is_no_row_of_whole_numbers_is_refused(scores: object) -> None:
    with pytest.raises(DataError):
        TopK(count=1, scale=1)(scores)


def test_parameters_are_read() -> None:
    with pytest.raises(PrivacyParameterError, match="count"):
        TopK(count=0, scale=1)
    with pytest.raises(PrivacyParameterError, match="grid"):
        TopK(count=1, scale=1, grid=2**-3)
    with pytest.raises(PrivacyParameterError, match="flips"):
        TopK(count=1, scale=1, flips=1)  # type: ignore[arg-type]
    assert repr(TopK(count=3, scale=2, monotone=True)) == "TopK(count=3, scale=2, monotone=True)"
    assert repr(TopK(count=3, scale=2, flips=True)) == "TopK(count=3, scale=2, flips=True)"
