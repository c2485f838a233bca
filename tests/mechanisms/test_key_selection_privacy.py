"""Unknown keys: the exact loss on neighbors of small data sets, and that less would break it."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import exp

import numpy as np
import pytest

import discreet.mechanisms.key_threshold as threshold_module
from discreet.exact import exp_minus
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.key_threshold import Threshold, blocks
from discreet.mechanisms.optimal_key_selection import KeepCurve, OptimalSelection, key_share
from discreet.privacy.sensitivity import Neighbors
from discreet.privacy.verification import TOLERANCE, verify

ADD_REMOVE, REPLACE = Neighbors.ADD_REMOVE, Neighbors.REPLACE
LAPLACE, GAUSSIAN = Threshold.laplace, Threshold.gaussian
KINDS = [OptimalSelection, LAPLACE, GAUSSIAN]
Pair = tuple[tuple[int, ...], tuple[int, ...]]


def pairs(levels: list[int], groups: int, relation: Neighbors) -> Iterator[Pair]:
    """The counts that one unit moves, before and after; others hold each key ``level`` times."""
    falling = [(n + 1, n) for n in levels]
    if relation is ADD_REMOVE:
        for keys in combinations_with_replacement(falling, groups):
            yield tuple(a for a, _ in keys), tuple(b for _, b in keys)
        return
    many = list(combinations_with_replacement(falling, groups))
    for ours, theirs in product(many, many):
        first = tuple(a for a, _ in ours) + tuple(b for _, b in theirs)
        yield first, tuple(b for _, b in ours) + tuple(a for a, _ in theirs)


def excess(mechanism, pair: Pair) -> Fraction:
    """By how much the exact δ at ε is above the claim."""
    return verify(mechanism, *pair).delta(mechanism.epsilon) - mechanism.delta


def levels(mechanism, most: int) -> list[int]:
    """Nobody else, a few others, and around the place where keys begin to show."""
    half = mechanism.half_point
    return sorted({0, 1, half // 2, half - 1, half})[:most] if most < 5 else list(range(half + 3))


# ---------------------------------------------------------------------- the claim


@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
@pytest.mark.parametrize("groups", [1, 2, 3])
@pytest.mark.parametrize("kind", [OptimalSelection, LAPLACE])
@pytest.mark.parametrize(("epsilon", "delta"), [(3, "1/100"), ("1/2", "2/5")])
def test_no_neighbors_lose_more_than_is_claimed(kind, groups, relation, epsilon, delta):
    mechanism = kind(epsilon=epsilon, delta=delta, groups=groups, neighbors=relation)
    few = {1: 5, 2: 3, 3: 2}[groups] if relation is REPLACE else {1: 5, 2: 5, 3: 4}[groups]
    if kind is LAPLACE:
        few = min(few, 4)
    worst = max(excess(mechanism, pair) for pair in pairs(levels(mechanism, few), groups, relation))
    assert worst <= TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "delta"), [(3, "1/100"), (1, "1/5")])
@pytest.mark.parametrize(("groups", "relation"), [(1, ADD_REMOVE), (2, ADD_REMOVE), (1, REPLACE)])
def test_gaussian_noise_and_its_threshold_both_within_one_delta(groups, relation, epsilon, delta):
    mechanism = GAUSSIAN(epsilon=epsilon, delta=delta, groups=groups, neighbors=relation)
    near = [0, 1, mechanism.half_point, mechanism.half_point + 3]
    worst = max(excess(mechanism, pair) for pair in pairs(near, groups, relation))
    assert -mechanism.delta < worst <= TOLERANCE


def naive_law(mechanism: Threshold, count: int, size: int) -> np.ndarray:
    """Not released, T, T + 1, …, and all beyond, in floats."""
    if count == 0:
        return np.eye(1, size)[0]
    variance, start = float(mechanism.noise.sigma) ** 2, mechanism.threshold - count
    places = np.arange(-60, 61)
    weights = np.exp(-(places**2) / (2 * variance))
    weights /= weights.sum()
    shown = [weights[places == start + k].sum() for k in range(size - 2)]
    return np.array(
        [weights[places < start].sum(), *shown, weights[places >= start + size - 2].sum()]
    )


def naive_delta(mechanism: Threshold, pair: Pair, size: int) -> float:
    laws = []
    for counts in pair:
        joint = np.ones(1)
        for count in counts:
            joint = np.multiply.outer(joint, naive_law(mechanism, count, size)).ravel()
        laws.append(joint)
    growth = exp(mechanism.epsilon)
    return max(float(np.maximum(a - growth * b, 0).sum()) for a, b in (laws, laws[::-1]))


@pytest.mark.parametrize(("groups", "relation"), [(3, ADD_REMOVE), (2, REPLACE), (3, REPLACE)])
def test_many_keys_with_gaussian_noise(groups, relation):
    mechanism = GAUSSIAN(epsilon=8, delta="1/50", groups=groups, neighbors=relation)
    size = {3: 24, 4: 12, 6: 8}[groups if relation is ADD_REMOVE else 2 * groups]
    chosen = [0, 1] if groups == 3 and relation is REPLACE else [0, 1, mechanism.threshold]
    found = [naive_delta(mechanism, pair, size) for pair in pairs(chosen, groups, relation)]
    assert max(found) <= mechanism.delta
    if relation is ADD_REMOVE:  # the noise is not far more than it takes
        common = (mechanism.threshold + 4,) * groups, (mechanism.threshold + 3,) * groups
        assert naive_delta(mechanism, common, size) > mechanism.delta / 10


# ---------------------------------------------------------------------- less would break it


@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
@pytest.mark.parametrize("groups", [1, 2, 3])
def test_a_threshold_one_lower_breaks_the_laplace_claim(groups, relation):
    mechanism = LAPLACE(epsilon=3, delta="1/100", groups=groups, neighbors=relation)
    lonely = (1,) * groups, (0,) * groups
    assert excess(mechanism, lonely) <= 0
    object.__setattr__(mechanism, "threshold", mechanism.threshold - 1)
    assert excess(mechanism, lonely) > 0


@pytest.mark.parametrize("groups", [1, 2])
def test_a_threshold_one_lower_breaks_the_gaussian_claim(groups):
    mechanism = GAUSSIAN(epsilon=3, delta="1/100", groups=groups)
    lonely = (1,) * groups, (0,) * groups
    assert excess(mechanism, lonely) <= 0
    object.__setattr__(mechanism, "threshold", mechanism.threshold - 1)
    assert excess(mechanism, lonely) > 0


def test_less_gaussian_noise_breaks_the_claim():
    mechanism = GAUSSIAN(epsilon=3, delta="1/100", groups=1)
    shared = (mechanism.threshold + 3,), (mechanism.threshold + 2,)
    assert excess(mechanism, shared) <= TOLERANCE
    sigma = mechanism.noise.sigma * Fraction(95, 100)
    object.__setattr__(mechanism, "noise", Gaussian(sigma=sigma))
    assert excess(mechanism, shared) > 0


@pytest.mark.parametrize("groups", [1, 2, 3])
def test_a_slightly_larger_share_or_rate_breaks_the_optimal_claim(groups):
    mechanism = OptimalSelection(epsilon=3, delta="1/100", groups=groups)
    epsilon, share = Fraction(3, groups), key_share(Fraction(1, 100), groups)
    lonely = (1,) * groups, (0,) * groups
    assert excess(mechanism, lonely) <= TOLERANCE
    object.__setattr__(mechanism, "_curve", KeepCurve.of(epsilon, share * Fraction(1001, 1000)))
    assert excess(mechanism, lonely) > TOLERANCE
    object.__setattr__(mechanism, "_curve", KeepCurve.of(epsilon * Fraction(6, 5), share))
    half = mechanism.half_point
    near = pairs([half - 2, half - 1, half], groups, ADD_REMOVE)
    assert max(excess(mechanism, pair) for pair in near) > TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_what_holds_for_add_remove_is_not_enough_for_replace(kind):
    mechanism = kind(epsilon=1, delta="1/20", groups=1)
    half = mechanism.half_point
    near = (0, 1, half - 1, half, half + 3)
    found = (excess(mechanism, ((a + 1, b), (a, b + 1))) for a in near for b in near)
    assert max(found) > TOLERANCE


def test_keys_beyond_the_cap_break_the_claim():
    mechanism = OptimalSelection(epsilon=3, delta="1/100", groups=1)
    assert excess(mechanism, ((1, 1), (0, 0))) > 0


# ---------------------------------------------------------------------- π and T by their definition


@pytest.mark.parametrize(
    "delta", [Fraction(1, 10**6), Fraction(1, 7), Fraction(1, 2), Fraction(9, 10)]
)
@pytest.mark.parametrize("epsilon", [Fraction(1, 20), Fraction(1), Fraction(7, 2), Fraction(30)])
def test_the_closed_form_is_the_recursion(epsilon, delta):
    """Fractions below and above e^ε: every step of the recursion grows with it."""
    curve, bits = KeepCurve.of(epsilon, delta), 100
    low, high = (Fraction(end, 1 << 900) for end in exp_minus(epsilon, 900))
    under = over = Fraction(0)
    for count in range(curve.sure + 2):
        least, most = curve.enclose(count, bits)
        assert most - least <= 2
        assert Fraction(least, 1 << bits) <= over
        assert under <= Fraction(most, 1 << bits)
        assert over - under < Fraction(1, 1 << 200)
        under = min(under / high + delta, 1 - high * (1 - under - delta), Fraction(1))
        over = min(over / low + delta, 1 - low * (1 - over - delta), Fraction(1))
        under, over = (Fraction(int(x * 2**800) + up, 2**800) for x, up in ((under, 0), (over, 1)))
        over = min(over, Fraction(1))
    assert curve.enclose(curve.sure, bits) == (1 << bits, 1 << bits)
    assert curve.enclose(curve.sure - 1, 4096)[0] < 1 << 4096


@pytest.mark.parametrize("keys", [1, 2, 3, 50])
@pytest.mark.parametrize("delta", [Fraction(1, 10**6), Fraction(1, 3), Fraction(99, 100)])
def test_shares_leave_together_what_is_allowed_and_no_more_fits(keys, delta):
    share = key_share(delta, keys)
    assert (1 - share) ** keys >= 1 - delta
    assert (1 - share * (1 + Fraction(1, 1 << 60))) ** keys < 1 - delta


@pytest.mark.parametrize("groups", [1, 3, 20])
@pytest.mark.parametrize("delta", ["1e-9", "1/50", "9/10"])
def test_thresholds_are_the_least_that_hide_a_lonely_key(groups, delta):
    allowed = float(key_share(Fraction(delta), groups))
    laplace = LAPLACE(epsilon=1, delta=delta, groups=groups)
    q = exp(-1 / groups)
    gauss = GAUSSIAN(epsilon=10, delta=delta, groups=groups)
    places = np.arange(-200, 201)
    weights = np.exp(-(places**2) / (2 * float(gauss.noise.sigma) ** 2))
    is_whole = delta == "1e-9" or groups == 1  # else δ is split, and T may be larger
    for chosen, tail, is_least in (
        (laplace.threshold, lambda t: q**t / (1 + q), True),
        (gauss.threshold, lambda t: weights[places >= t].sum() / weights.sum(), is_whole),
    ):
        assert tail(chosen - 1) <= allowed
        assert chosen == 2 or tail(chosen - 2) > allowed or not is_least


def test_blocks_cover_every_mixture_once():
    for moved in range(1, 300):
        covered = [n for least, most in blocks(moved) for n in range(least, most + 1)]
        assert sorted(covered) == list(range(1, moved))


@pytest.mark.slow
def test_mixtures_that_are_not_covered_make_the_noise_and_the_threshold_split_delta(monkeypatch):
    """Both could use the whole of a small δ; sharing it, they need a higher threshold."""
    threshold_module._with_gaussian.cache_clear()
    whole = GAUSSIAN(epsilon=1, delta=1e-6, groups=4)
    threshold_module._with_gaussian.cache_clear()
    monkeypatch.setattr(threshold_module, "_covers", lambda *_: False)
    split = GAUSSIAN(epsilon=1, delta=1e-6, groups=4)
    threshold_module._with_gaussian.cache_clear()
    assert (whole.threshold, split.threshold) == (44, 47)
    assert split.noise.sigma > whole.noise.sigma
