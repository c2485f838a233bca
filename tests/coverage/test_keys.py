"""Counts that are released with their keys: bounds hold the truth of the keys that are seen.

A count is seen only where it and its noise reach a threshold.  So trials go on until the key was
released, and those are counted.
"""

from fractions import Fraction
from math import ceil

import numpy as np
import pytest

from discreet.mechanisms.key_threshold import Threshold
from discreet.noise import UnsafeSeededBits
from discreet.privacy.estimates import LinearError, NoiseDraw
from discreet.privacy.sensitivity import Sensitive
from discreet.privacy.uncertainty import ThresholdError
from tests.mechanisms.key_twins import keep_probability
from tests.support.coverage import STATED, assert_covered, fewest_held
from tests.support.trials import rounds

LEVEL = Fraction(95, 100)
USUAL = 2_000
LAPLACE = Threshold.laplace(epsilon=1, delta=1e-6, groups=1)
WIDE = Threshold.laplace(epsilon="1/10", delta=1e-6, groups=4)
GAUSSIAN = Threshold.gaussian(epsilon=1, delta=1e-6, groups=64)
SELECTIONS = [LAPLACE, WIDE, GAUSSIAN]
LEAST_CHANCE = 1e-3
"""Keys that are released less often are drawn as a cluster's are: given that they are."""


def released_counts(selection: Threshold, count: int, wanted: int, seed: int) -> list[int]:
    """So many noisy counts of a key that was released."""
    bits, found = UnsafeSeededBits(seed), []
    chance = keep_probability(selection, count)
    if chance < LEAST_CHANCE:
        return selection._counts_above(np.full(wanted, count), bits).tolist()
    while len(found) < wanted:
        many = np.full(ceil(1.2 * wanted / chance), count)
        found += selection(Sensitive(many), source=bits).counts.tolist()
    return found[:wanted]


def error_of(selection: Threshold) -> ThresholdError:
    return ThresholdError(selection.noise, selection.threshold)


def hits(selection: Threshold, count: int, seed: int) -> tuple[int, int]:
    trials, held = rounds(USUAL), 0
    for value in released_counts(selection, count, trials, seed):
        low, high = error_of(selection).interval(value, LEVEL)
        held += low <= count <= high
    return held, trials


def exact_coverage(selection: Threshold, count: int) -> tuple[float, float]:
    """How often bounds hold a count, given that it is released, and the rarest number they hold.

    By the law of each noisy count, one by one, up to where no more than 10^-12 is left.
    """
    noise, start = selection.noise, selection.threshold
    end = max(start, count) + int(noise.accuracy(1 - Fraction(1, 10**12)))
    numbers = range(start, end)
    chances = [noise.pmf(number - count) for number in numbers]
    bounds = [error_of(selection).interval(number, LEVEL) for number in numbers]
    held = [
        chance for chance, (low, high) in zip(chances, bounds, strict=True) if low <= count <= high
    ]
    return sum(held) / sum(chances), min(held) / sum(chances)


@pytest.mark.parametrize("selection", SELECTIONS, ids=["laplace", "wide", "gaussian"])
@pytest.mark.parametrize("part", ["0", "1/2", "3/4", "1", "5/4", "2", "10"])
def test_bounds_hold_the_truth_of_released_keys(selection: Threshold, part: str) -> None:
    """Tiny groups that hardly ever appear, those near the threshold, and large ones.

    One number more or less is held or not, so the most that is enough is what the law says.
    """
    count = max(1, int(selection.threshold * Fraction(part)))
    exact, _ = exact_coverage(selection, count)
    assert_covered(hits(selection, count, seed=count), most=max(0.98, exact))


@pytest.mark.parametrize("selection", SELECTIONS, ids=["laplace", "wide", "gaussian"])
def test_bounds_hold_each_count_as_often_as_stated_and_no_number_too_many(
    selection: Threshold,
) -> None:
    """Exactly, by the law: without the rarest numbers that hold it, a count would be held less."""
    step = max(1, selection.threshold // 12)
    for count in range(1, 2 * selection.threshold, step):
        exact, rarest = exact_coverage(selection, count)
        assert exact >= STATED
        assert exact - 2 * rarest < STATED
        if selection is not LAPLACE:  # whose single numbers are a tenth and more
            assert exact < 0.98


def test_bounds_of_the_noise_alone_miss_groups_that_are_seen_by_its_grace() -> None:
    """The control: 0 of all cells of 11 people at a threshold of 15."""
    held, count = 0, 11
    trials = rounds(USUAL)
    for value in released_counts(LAPLACE, count, trials, seed=4):
        error = LinearError(((Fraction(1), NoiseDraw(LAPLACE.noise)),))
        low, high = error.interval(value, LEVEL)
        held += low <= count <= high
    assert held < fewest_held(trials)
    assert held == 0


def test_far_above_the_threshold_bounds_are_those_of_the_noise() -> None:
    for selection in SELECTIONS:
        error, margin = error_of(selection), selection.noise.accuracy(LEVEL)
        assert error.interval(error.far, LEVEL) == (error.far - margin, error.far + margin)
