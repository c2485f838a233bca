"""Fresh bits: full of entropy, and never twice the same."""

import copy
import os
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.noise import BitSource, Keystream, UnsafeSeededBits, entropy, laplace
from tests.support.evidence import FALSE_ALARM, chi_square

SIZES = [0, 1, 2, 63, 64, 65, 66, 1000, 8191, 8192, 8193, 16384, 20_001]
"""Words around the limits: 64 words come from the operating system, 8192 fit in one update."""


def words(source: BitSource, size: int) -> NDArray[np.uint64]:
    filled = np.zeros(size, np.uint64)
    source.fill(filled)
    return filled


def has_full_entropy(drawn: NDArray[np.uint64]) -> bool:
    """No word twice, none zero, and the values of each byte place equally frequent."""
    if np.unique(drawn).size < drawn.size or not drawn.all():
        return False
    bytes_ = drawn.view(np.uint8).reshape(-1, 8)
    counts = (np.bincount(bytes_[:, place], minlength=256) for place in range(8))
    chances = [chi_square(count, np.full(256, 1 / 256)) for count in counts]
    return min(chances) >= FALSE_ALARM


@pytest.mark.parametrize("make", [Keystream, lambda: UnsafeSeededBits(1)])
def test_every_size_is_filled_to_the_last_word(make: type[Keystream]) -> None:
    source = make()
    drawn = np.concatenate([words(source, size) for size in SIZES * 4])
    assert has_full_entropy(drawn)


def test_the_test_for_entropy_sees_a_word_left_empty_or_repeated_or_a_bit_that_is_stuck() -> None:
    drawn = words(Keystream(), 20_000)
    assert has_full_entropy(drawn)
    for place in (0, 8192, -1):
        spoiled = drawn.copy()
        spoiled[place] = 0
        assert not has_full_entropy(spoiled)
        spoiled[place] = spoiled[100]
        assert not has_full_entropy(spoiled)
    assert not has_full_entropy(drawn | np.uint64(1 << 40))


def test_what_lies_around_the_array_is_left_alone() -> None:
    for size in SIZES:
        wide = np.zeros(size + 2, np.uint64)
        Keystream().fill(wide[1:-1])
        assert wide[0] == wide[-1] == 0


def test_an_array_with_gaps_is_refused_or_filled_but_never_left_stale() -> None:
    with pytest.raises(ValueError, match="contiguous"):
        Keystream().fill(np.zeros(1000, np.uint64)[::2])


@pytest.mark.parametrize("make", [Keystream, lambda: UnsafeSeededBits(2)])
def test_bits_lie_in_their_range_and_reach_both_ends(make: type[Keystream]) -> None:
    source = make()
    assert source.bits(0) == 0
    for count in (1, 2, 7, 8, 9, 16, 63, 64, 65, 1000):
        drawn = [source.bits(count) for _ in range(64)]
        assert max(drawn) < 1 << count
        top = sum(value >> (count - 1) for value in drawn)
        bottom = sum(value & 1 for value in drawn)
        # Of 64 fair bits, none or all are ones with probability 2^-63.
        assert 0 < top < 64
        assert 0 < bottom < 64


def test_single_draws_are_uniform() -> None:
    source = Keystream()
    for count in (3, 8, 11):
        drawn = np.array([source.bits(count) >> max(0, count - 8) for _ in range(50_000)])
        counts = np.bincount(drawn, minlength=1 << min(count, 8))
        assert chi_square(counts, np.ones(counts.size)) >= FALSE_ALARM
        assert chi_square(counts, np.linspace(1, 1.6, counts.size)) < FALSE_ALARM


def test_no_two_keystreams_are_alike() -> None:
    long = [bytes(words(Keystream(), 1000)) for _ in range(50)]
    short = [bytes(words(Keystream(), 2)) for _ in range(50)]
    assert len(set(long)) == len(set(short)) == 50
    assert len({Keystream().bits(128) for _ in range(50)}) == 50


def test_a_release_never_reads_a_counter_twice() -> None:
    """One key, and the cipher's position only moves forward: all 16-byte blocks differ."""
    source = Keystream()
    drawn = np.concatenate([words(source, size) for size in (66, 8193 + 7, 100, 65_536, 131_072)])
    even = drawn[: drawn.size // 2 * 2].reshape(-1, 2)
    assert np.unique(even, axis=0).shape == even.shape
    assert np.unique(drawn).size == drawn.size


def test_every_key_is_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[bytes] = []

    def urandom(size: int) -> bytes:
        drawn.append(os.urandom(size))
        return drawn[-1]

    monkeypatch.setattr(entropy, "os", type("os", (), {"urandom": staticmethod(urandom)}))
    for _ in range(5):
        source = Keystream()
        words(source, 1000)
        words(source, 1000)
    assert [len(key) for key in drawn] == [32] * 5
    assert len(set(drawn)) == 5


@pytest.mark.parametrize("spread", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_keystream_cannot_be_copied_or_leave_the_process(spread: object) -> None:
    for source in (Keystream(), Keystream()):
        words(source, 1000)
        with pytest.raises(TypeError, match="repeat its noise"):
            spread(source)  # type: ignore[operator]


def in_children(draw: object, children: int = 3) -> list[bytes]:
    """What ``draw`` returns in each of some forked children, and then in the parent."""
    results = []
    for _ in range(children):
        reading, writing = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # other tests' threads may linger
            child = os.fork()
        if child == 0:
            try:
                os.write(writing, draw())  # type: ignore[operator]
            finally:
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            results.append(pipe.read())
        assert os.waitpid(child, 0)[1] == 0
    return [*results, draw()]  # type: ignore[operator]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_after_a_fork_all_noise_is_distinct() -> None:
    held = Keystream()
    words(held, 1000)
    held.bits(1)
    draws = {
        "a release": lambda: laplace(2**40, 4).tobytes(),
        "a long release": lambda: laplace(2**40, 1000).tobytes()[:512],
        "a keystream held across the fork": lambda: words(held, 1000).tobytes()[:512],
        "its single bits": lambda: held.bits(256).to_bytes(32),
        "its short requests": lambda: words(held, 4).tobytes(),
    }
    for name, draw in draws.items():
        before = draw()
        results = [before, *in_children(draw)]
        assert min(map(len, results)) >= 32, name
        assert len(set(results)) == 5, name


def test_a_keystream_takes_a_new_key_when_a_fork_was_counted() -> None:
    held = Keystream()
    words(held, 1000)
    key = held._cipher
    words(held, 1000)
    assert held._cipher is key
    entropy._count_fork()  # what the operating system has run in a child
    words(held, 1000)
    assert held._cipher is not key


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_the_fork_test_sees_a_source_that_repeats() -> None:
    held = UnsafeSeededBits(1)
    results = in_children(lambda: words(held, 1000).tobytes()[:512])
    assert len(set(results)) == 1


def test_threads_that_share_a_keystream_never_get_the_same_bits() -> None:
    source = Keystream()
    barrier = Barrier(8)

    def draw(_: int) -> list[bytes]:
        barrier.wait()
        long = [words(source, 4096)[:2].tobytes() for _ in range(50)]
        return long + [source.bits(128).to_bytes(16) for _ in range(200)]

    with ThreadPoolExecutor(8) as pool:
        results = [piece for pieces in pool.map(draw, range(8)) for piece in pieces]
    assert len(set(results)) == len(results) == 8 * 250


def test_a_seeded_source_repeats_and_says_that_it_is_unsafe() -> None:
    first, second, other = UnsafeSeededBits(7), UnsafeSeededBits(7), UnsafeSeededBits(8)
    assert not first.safe
    assert Keystream().safe
    for size in SIZES[1:]:
        drawn = words(first, size)
        assert np.array_equal(drawn, words(second, size))
        assert not np.array_equal(drawn, words(other, size))
        assert first.bits(size) == second.bits(size)
