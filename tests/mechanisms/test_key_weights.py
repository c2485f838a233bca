"""Keys found by weight: the exact loss for every number of keys, and that less would break it."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import isqrt, sqrt

import numpy as np
import pytest
from scipy.stats import norm

import discreet.mechanisms.key_weights as weights_module
from discreet.errors import PrivacyParameterError
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.key_selection import best_selection
from discreet.mechanisms.key_threshold import Threshold
from discreet.mechanisms.key_weights import SHARE, WeightedThreshold
from discreet.noise import UnsafeSeededBits
from discreet.privacy.sensitivity import Neighbors, Sensitive
from discreet.privacy.verification import TOLERANCE, verify
from tests.mechanisms.key_twins import passes
from tests.support.evidence import fits

ADD_REMOVE, REPLACE = Neighbors.ADD_REMOVE, Neighbors.REPLACE
Pair = tuple[tuple[int, ...], tuple[int, ...]]
STEPS = 4
"""The weight of the only key of a unit, where laws are enumerated."""
MANY = 20_000


def made(**changed) -> WeightedThreshold:
    given = {"epsilon": 1, "delta": "1/20", "groups": 3, "share": STEPS}
    return WeightedThreshold.calibrated(**(given | changed))


def levels(mechanism: WeightedThreshold) -> list[int]:
    """What others add to a key: nothing, a little, and so much that it begins to show."""
    half = mechanism.threshold
    return [0, mechanism.weight(mechanism.groups), half - STEPS, half]


def pairs(mechanism: WeightedThreshold) -> Iterator[Pair]:
    """The weights that one unit moves, of each number of keys, before and after."""
    numbers, around = range(1, mechanism.groups + 1), levels(mechanism)
    if mechanism.neighbors is ADD_REMOVE:
        for keys in numbers:
            weight = mechanism.weight(keys)
            for others in combinations_with_replacement(around, keys):
                yield tuple(n + weight for n in others), others
        return
    for keys, later in product(numbers, repeat=2):
        weight, other = mechanism.weight(keys), mechanism.weight(later)
        for both in range(min(keys, later) + 1):
            apart = (keys - both, both, later - both)
            moves = (*[(weight, 0)] * apart[0], *[(weight, other)] * both, *[(0, other)] * apart[2])
            for others in product(around[:3], repeat=len(moves)):
                yield (
                    tuple(n + move[0] for n, move in zip(others, moves, strict=True)),
                    tuple(n + move[1] for n, move in zip(others, moves, strict=True)),
                )


def excess(mechanism: WeightedThreshold, pair: Pair) -> Fraction:
    """By how much the exact δ at ε is above the claim."""
    return verify(mechanism, *pair).delta(mechanism.epsilon) - mechanism.delta


# ---------------------------------------------------------------------- the claim


@pytest.mark.parametrize("groups", [1, 2, 3])
@pytest.mark.parametrize(("epsilon", "delta"), [(3, "1/100"), ("1/2", "1/10")])
def test_no_neighbors_lose_more_than_is_claimed(groups, epsilon, delta):
    mechanism = made(epsilon=epsilon, delta=delta, groups=groups)
    assert max(excess(mechanism, pair) for pair in pairs(mechanism)) <= TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "delta"), [(3, "1/100"), (1, "1/5")])
@pytest.mark.parametrize("groups", [1, 2])
def test_nor_do_those_of_replaced_people(groups, epsilon, delta):
    mechanism = made(epsilon=epsilon, delta=delta, groups=groups, neighbors=REPLACE)
    assert max(excess(mechanism, pair) for pair in pairs(mechanism)) <= TOLERANCE


def noisy_law(mechanism: WeightedThreshold, weight: int, size: int) -> np.ndarray:
    """Not released, and each noisy weight from the threshold on, which is more than is shown."""
    if weight == 0:
        return np.eye(1, size)[0]
    sigma, start = float(mechanism.noise.sigma), mechanism.threshold - weight
    places = np.arange(-200, 201)
    law = np.exp(-(places**2) / (2 * sigma**2))
    law /= law.sum()
    shown = [law[places == start + k].sum() for k in range(size - 2)]
    return np.array([law[places < start].sum(), *shown, law[places >= start + size - 2].sum()])


def noisy_delta(mechanism: WeightedThreshold, pair: Pair, size: int) -> float:
    """δ at ε if the noisy weights were shown too, which the proof allows for, in floats."""
    laws = []
    for weights in pair:
        joint = np.ones(1)
        for weight in weights:
            joint = np.multiply.outer(joint, noisy_law(mechanism, weight, size)).ravel()
        laws.append(joint)
    growth = np.exp(float(mechanism.epsilon))
    return max(float(np.maximum(a - growth * b, 0).sum()) for a, b in (laws, laws[::-1]))


@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
def test_the_noisy_weights_themselves_would_be_within_the_claim(relation):
    mechanism = made(epsilon=4, delta="1/50", groups=2, neighbors=relation)
    size = 50 if relation is ADD_REMOVE else 14
    found = [noisy_delta(mechanism, pair, size) for pair in pairs(mechanism)]
    assert max(found) <= mechanism.delta + 1e-12


# ---------------------------------------------------------------------- less would break it


def common(mechanism: WeightedThreshold, keys: int, weight: int) -> Pair:
    """Keys that many others hold: all are released, so that the noise alone protects."""
    far = mechanism.threshold + 3 * int(mechanism.noise.sigma)
    return (far + weight,) * keys, (far,) * keys


def test_keys_that_all_have_the_full_weight_break_the_claim():
    mechanism = made(epsilon=4, delta="1/50", groups=2)
    assert noisy_delta(mechanism, common(mechanism, 2, mechanism.weight(2)), 60) <= mechanism.delta
    assert noisy_delta(mechanism, common(mechanism, 2, STEPS), 60) > mechanism.delta


def test_less_noise_breaks_the_claim():
    mechanism = made(epsilon=4, delta="1/50", groups=1)
    shared = common(mechanism, 1, STEPS)
    assert noisy_delta(mechanism, shared, 80) <= mechanism.delta
    less = replace(mechanism, noise=Gaussian(sigma=mechanism.noise.sigma * Fraction(95, 100)))
    assert noisy_delta(less, shared, 80) > mechanism.delta


@pytest.mark.parametrize("groups", [1, 2, 3])
def test_a_threshold_one_step_lower_breaks_the_claim(groups):
    """For some number of keys it does: for which is the most, depends on ε and δ."""
    mechanism = made(epsilon=3, delta="1/100", groups=groups)
    lower = replace(mechanism, threshold=mechanism.threshold - 1)
    lonely = [((mechanism.weight(t),) * t, (0,) * t) for t in range(1, groups + 1)]
    assert max(excess(mechanism, pair) for pair in lonely) <= 0
    assert max(excess(lower, pair) for pair in lonely) > 0


def test_the_threshold_of_people_with_one_key_is_not_enough_for_those_with_many():
    mechanism, alone = made(epsilon="1/2", groups=8), made(epsilon="1/2", groups=1)
    assert mechanism.noise == alone.noise
    lonely = (mechanism.weight(8),) * 8, (0,) * 8
    assert excess(mechanism, lonely) <= 0
    assert excess(replace(mechanism, threshold=alone.threshold), lonely) > 0


def test_more_keys_than_the_cap_break_the_claim():
    """The squares still add up to share², and yet the threshold is too low: the cut is needed."""
    mechanism = made(epsilon="1/2", groups=2)
    weight = mechanism.weight(12)
    assert 12 * weight**2 <= STEPS**2
    assert excess(mechanism, ((weight,) * 12, (0,) * 12)) > 0


@pytest.mark.slow
def test_what_holds_for_add_remove_is_not_enough_for_replace():
    mechanism = made(epsilon=1, delta="1/20", groups=1)
    swapped = replace(mechanism, neighbors=REPLACE)
    assert max(excess(mechanism, pair) for pair in pairs(swapped)) > TOLERANCE


# ---------------------------------------------------------------------- by definition


@pytest.mark.parametrize("share", [1, 4, 1000])
@pytest.mark.parametrize("keys", [1, 2, 3, 7, 100])
def test_the_squares_of_a_unit_add_up_to_no_more_than_the_share(share, keys):
    if keys > share**2:
        with pytest.raises(PrivacyParameterError, match="groups is above share²"):
            made(share=share, groups=keys)
        return
    weight = made(share=share, groups=keys).weight(keys)
    assert keys * weight**2 <= share**2 < keys * (weight + 1) ** 2


@pytest.mark.parametrize(("epsilon", "delta"), [(1, "1e-6"), ("1/10", "1e-9"), (3, "1/1000")])
@pytest.mark.parametrize("relation", [ADD_REMOVE, REPLACE])
@pytest.mark.parametrize("groups", [1, 2, 10, 64])
def test_the_threshold_is_the_largest_that_a_number_of_keys_needs(groups, relation, epsilon, delta):
    """T = max over t of 1/√t + σ·Φ^-1((1 - δ)^(1/t)), where both may use all of δ."""
    mechanism = made(epsilon=epsilon, delta=delta, groups=groups, neighbors=relation, share=SHARE)
    sigma = float(mechanism.noise.sigma) / SHARE

    def needed(level: float) -> float:
        return max(
            1 / sqrt(t) + sigma * norm.isf(-np.expm1(np.log1p(-level) / t))
            for t in range(1, groups + 1)
        )

    level, found = float(Fraction(delta)), mechanism.threshold / SHARE
    assert needed(level) * (1 - 1e-9) <= found <= needed(level / 2) * 1.005
    if relation is ADD_REMOVE:  # of which every mixture may have all of it
        assert found <= needed(level * 31 / 32) * 1.005


def test_mixtures_that_are_not_covered_make_the_noise_and_the_threshold_split_delta(monkeypatch):
    whole = made(delta=1e-6, groups=4, share=SHARE)
    weights_module._calibrated.cache_clear()
    monkeypatch.setattr(weights_module, "_covers", lambda *_: False)
    split = made(delta=1e-6, groups=4, share=SHARE)
    weights_module._calibrated.cache_clear()
    assert split.noise.sigma > whole.noise.sigma
    assert split.threshold > whole.threshold


@pytest.mark.parametrize("hidden", [Fraction(1, 10**6), Fraction(1, 25)])
@pytest.mark.parametrize("units", [1, 2])
def test_every_mixture_of_every_number_of_keys_is_in_a_block_that_was_proved(hidden, units):
    """What blocks of parts stand for: the twin goes through all numbers of keys, one by one."""
    asked: list[tuple[Fraction, Fraction, Fraction]] = []
    groups, epsilon, delta = 6, Fraction(1), Fraction(1, 20)

    def proved(variance, move, rest, left) -> bool:
        asked.append((Fraction(move.squares, 10**6), rest, left))
        return True

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(weights_module, "is_proved", proved)
        noise = Gaussian(sigma=1)
        assert weights_module._covers(noise, hidden, epsilon, delta, groups, units, 1000)
    share = hidden / (1 - hidden)
    numbers = range(1, groups + 1)
    for keys, later in product(numbers, numbers if units == 2 else (1,)):
        gone = [Fraction(lonely, keys) for lonely in range(keys + 1)]
        come = [Fraction(one, later) for one in range(later + 1)] if units == 2 else [Fraction(0)]
        for lonely, vanished in product(gone, come):
            part = units - lonely - vanished
            if part in (0, units):
                continue
            spared = Fraction(0) if units == 1 else vanished * share
            assert any(
                squares >= part - Fraction(1, 1000)
                and rest <= epsilon - spared
                and left <= delta - lonely * share
                for squares, rest, left in asked
            )


# ---------------------------------------------------------------------- what is released


def test_people_with_fewer_keys_are_enough_where_they_are_fewer():
    mechanism = made(delta=1e-6, groups=64, share=SHARE)
    points = [mechanism.people_for(Fraction(1, 2), keys) for keys in (1, 4, 32, 64)]
    assert points == [24, 48, 133, 189]
    assert mechanism.half_point == points[2]
    assert (
        mechanism.people_for(Fraction(1, 100)) < points[2] < mechanism.people_for(Fraction(19, 20))
    )
    # Nobody needs more people than the unweighted threshold of the same cap.
    assert points[-1] <= Threshold.gaussian(epsilon=1, delta=1e-6, groups=64).half_point


@pytest.mark.parametrize(
    ("groups", "counts", "name"),
    [
        (1, False, "OptimalSelection"),
        (2, False, "WeightedThreshold"),
        (64, False, "WeightedThreshold"),
        (64, True, "GaussianThreshold"),
    ],
)
def test_it_is_chosen_by_people_with_half_as_many_keys_as_they_may_have(groups, counts, name):
    asked = {"epsilon": 1, "delta": 1e-6, "groups": groups, "counts": counts}
    assert best_selection(**asked).name == name
    assert best_selection(**asked, weights=False).name != "WeightedThreshold"


def chances(mechanism: WeightedThreshold, weight: int) -> dict[bool, float]:
    """How often a key of this weight is released, and how often not: within 2^-60."""
    released = mechanism._chance(weight, 64)[0] / 2**64
    return {True: released, False: 1 - released}


@pytest.mark.parametrize("share", [STEPS, SHARE])
def test_keys_are_released_as_often_as_stated_and_not_otherwise(share):
    mechanism, source = made(share=share), UnsafeSeededBits(5)
    for part in (Fraction(1, 2), Fraction(1)):
        weight = int(part * mechanism.threshold)
        kept = mechanism(Sensitive(np.full(MANY, weight)), source=source).kept.size
        sample = [True] * kept + [False] * (MANY - kept)
        assert fits(sample, chances(mechanism, weight))
        assert not fits(sample, chances(mechanism, weight + isqrt(share**2 // 2)))


@pytest.mark.parametrize("share", [STEPS, SHARE])
def test_a_cluster_and_the_driver_release_a_key_as_often_as_one_machine(share):
    """A share of 2^30 gives each key a weight of its own; limits are for steps of them."""
    mechanism, source = made(share=share), UnsafeSeededBits(6)
    weight = 3 * mechanism.threshold // 4
    sieve = mechanism.sieve(source)
    assert sieve.sure > weight
    passed = sum(passes(sieve, [str(place)], weight) for place in range(MANY))
    assert 0 < passed < MANY
    kept = mechanism(Sensitive(np.full(passed, weight)), source=source, sieve=sieve).kept.size
    sample = [True] * kept + [False] * (MANY - kept)
    assert fits(sample, chances(mechanism, weight))
    surely = Sensitive(np.array([0, 10 * sieve.sure, 0], np.int64))
    assert mechanism(surely, source=source, sieve=sieve).kept.tolist() == [1]


def test_a_selection_is_a_value_with_its_price():
    mechanism = made(neighbors="replace")
    assert mechanism == made(neighbors=REPLACE)
    assert hash(mechanism) == hash(made(neighbors=REPLACE))
    assert mechanism.loss().epsilon == mechanism.event().epsilon == 1
    assert repr(mechanism).startswith("WeightedThreshold(noise=Gaussian(sigma=")
    assert repr(mechanism).endswith(
        "epsilon=1, delta=1/20, groups=3, neighbors='replace', share=4)"
    )
