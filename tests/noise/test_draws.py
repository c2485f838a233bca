"""Draws beyond 64 bits are neither cut off nor drawn anew; work space and caches are bounded."""

import tracemalloc
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from discreet.noise import gaussian, geometric, laplace
from discreet.noise.bernoulli import bernoulli_array, ratio
from discreet.noise.entropy import Keystream
from discreet.noise.strip_tables import Draws


def test_a_wide_draw_makes_the_array_one_of_python_integers() -> None:
    draws = Draws.prepare(3, None)
    for lane, value in enumerate([-(2**63), 2**63 - 1, 5]):
        draws.put(lane, value)
    assert draws.result(None) is draws.array
    draws.put(1, 2**63)
    draws.put(2, -(2**63) - 1)
    assert draws.result(None).tolist() == [-(2**63), 2**63, -(2**63) - 1]
    with pytest.raises(OverflowError):
        draws.result(draws.array)
    draws.put(1, 4)  # a draw that is drawn anew leaves nothing behind
    draws.put(2, 6)
    assert draws.result(draws.array).tolist() == [-(2**63), 4, 6]


def test_a_batch_takes_its_wide_draws_along_and_clears_old_ones() -> None:
    draws, batch = Draws(np.zeros(5, np.int64)), Draws(np.array([7, 8, 9]))
    draws.put(4, 2**70)
    draws.put(1, 2**80)
    batch.put(2, -(2**90))
    draws.put_all(np.array([0, 1, 3]), batch)
    assert draws.result(None).tolist() == [7, 8, 0, -(2**90), 2**70]
    draws.put_all(np.array([3, 4]), Draws(np.array([1, 2])))
    assert draws.result(draws.array).tolist() == [7, 8, 0, 1, 2]


@pytest.mark.parametrize(
    "draw",
    [
        lambda count: laplace(1, count),
        lambda count: laplace(1000, count),
        lambda count: laplace(2**40, count),
        lambda count: laplace(2**50, count),
        lambda count: gaussian(1, count),
        lambda count: gaussian(10**6, count),
        lambda count: gaussian(2**80, count),
        lambda count: geometric(1000, count),
        lambda count: bernoulli_array(ratio(Fraction(1, 3)), count, Keystream()),
    ],
)
def test_work_space_is_at_most_8_mib_however_many_are_drawn(draw: Callable[[int], object]) -> None:
    tracemalloc.start()
    try:
        drawn = draw(3_000_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(drawn, np.ndarray)
    assert peak - drawn.nbytes <= 8 << 20


def test_tables_are_kept_for_few_scales_only() -> None:
    tracemalloc.start()
    try:
        for scale in range(100, 140):
            laplace(scale, 20_000)
            gaussian(scale**2, 20_000)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held <= 8 << 20
