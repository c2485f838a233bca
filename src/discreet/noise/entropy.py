"""Sources of random bits: the only place where randomness is made.

A release opens one ``Keystream`` and drops it, so no generator's state outlives a release or is
shared by two.  Short requests read the operating system's generator and keep nothing;
long ones expand a fresh 256-bit key from it with AES-256 in counter mode.  A keystream that is
held across a fork takes a new key in the child, and one that threads share serves them in turn.
"""

import os
from collections.abc import Callable
from hashlib import shake_256
from threading import Lock
from typing import Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

MachineWords = NDArray[np.uint64]

_ZERO_BLOCK = memoryview(bytes(1 << 16))  # encrypted zeros are the keystream itself
_URANDOM_BYTES = 512  # up to this, the operating system's generator is quicker than a new key

_fork_count = 0  # how many forks lie between this process and the one that imported the module


def _count_fork() -> None:
    global _fork_count  # noqa: PLW0603 - only memory of the child itself tells that it was forked
    _fork_count += 1


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_count_fork)


class BitSource(Protocol):
    """An unbounded stream of independent, uniform bits; ``safe`` if nobody can repeat it."""

    @property
    def safe(self) -> bool:
        """Whether the bits come from the operating system's entropy."""

    def fill(self, words: MachineWords) -> None:
        """Overwrite a contiguous array of 64-bit words with fresh bits."""

    def bits(self, count: int) -> int:
        """The next ``count`` bits as an integer in [0, 2**count)."""


class Keystream:
    """Fresh bits for one release, from the operating system's entropy.

    >>> stream = Keystream()
    >>> 0 <= stream.bits(10) < 1024
    True
    """

    __slots__ = ("_cipher", "_forks_at_start", "_lock")

    safe = True

    def __init__(self) -> None:
        self._renew()

    def _renew(self) -> None:
        self._cipher: CipherContext | None = None
        self._lock = Lock()
        self._forks_at_start = _fork_count

    def fill(self, words: MachineWords) -> None:
        """Overwrite a contiguous array of 64-bit words with fresh bits."""
        if words.nbytes <= _URANDOM_BYTES:
            words[:] = np.frombuffer(os.urandom(words.nbytes), np.uint64)
            return
        if self._forks_at_start != _fork_count:
            self._renew()
        target = words.view(np.uint8).data
        with self._lock:
            cipher = self._cipher
            if cipher is None:
                # The key is used once, so the counter may start at zero.
                key = algorithms.AES(os.urandom(32))
                cipher = self._cipher = Cipher(key, modes.CTR(bytes(16))).encryptor()
            for start in range(0, len(target), len(_ZERO_BLOCK)):
                block = target[start : start + len(_ZERO_BLOCK)]
                cipher.update_into(_ZERO_BLOCK[: len(block)], block)

    def bits(self, count: int) -> int:
        """The next ``count`` bits as an integer in [0, 2**count)."""
        return _first_bits(count, os.urandom)

    def __reduce__(self) -> str:
        raise TypeError("a keystream does not leave the process: a copy would repeat its noise")


class UnsafeSeededBits:
    """A repeatable bit source for rehearsals and teaching.  NOT PRIVATE.

    Whoever knows the seed can subtract the noise.  Every ``Estimate`` made with it is marked.

    >>> UnsafeSeededBits(7).bits(16) == UnsafeSeededBits(7).bits(16)
    True
    """

    __slots__ = ("_position", "_seed")

    safe = False

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._position = 0

    def _next_bytes(self, size: int) -> bytes:
        self._position += 1
        return shake_256(f"discreet unsafe {self._seed} {self._position}".encode()).digest(size)

    def fill(self, words: MachineWords) -> None:
        """Overwrite an array of 64-bit words with the next bits of the stream."""
        words[:] = np.frombuffer(self._next_bytes(words.nbytes), np.uint64)

    def bits(self, count: int) -> int:
        """The next ``count`` bits as an integer in [0, 2**count)."""
        return _first_bits(count, self._next_bytes)


def _first_bits(count: int, fetch: Callable[[int], bytes]) -> int:
    """The first ``count`` bits of freshly fetched bytes; what is left of the last is dropped."""
    size = (count + 7) // 8
    return int.from_bytes(fetch(size)) >> 8 * size - count
