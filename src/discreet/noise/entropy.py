"""The only place where randomness is made.

A release opens one ``Keystream`` and drops it.  A keystream holds no state that outlives the
release, so a fork, a thread or a snapshot of the process cannot repeat its noise: short
requests read the operating system's generator directly, long ones expand a fresh 256-bit key
from it with AES-256 in counter mode.
"""

import os
from collections.abc import Callable
from hashlib import shake_256
from typing import Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

Words = NDArray[np.uint64]

_ZEROS = memoryview(bytes(1 << 16))
_SHORT = 512  # bytes: below this the operating system's generator is quicker than a new key
_RESERVE = 64  # bytes fetched at a time for single draws


class BitSource(Protocol):
    """An unbounded stream of independent, uniform bits; ``safe`` if nobody can repeat it."""

    @property
    def safe(self) -> bool:
        """Whether the bits come from the operating system's entropy."""

    def fill(self, words: Words) -> None:
        """Overwrite an array of 64-bit words with fresh bits."""

    def bits(self, count: int) -> int:
        """The next ``count`` bits as an integer in [0, 2**count)."""


class _Reserve:
    """Single draws served from bytes that are fetched a few at a time."""

    __slots__ = ("_fetch", "_held", "_pool")

    def __init__(self, fetch: Callable[[int], bytes]) -> None:
        self._fetch = fetch
        self._pool = 0
        self._held = 0

    def take(self, count: int) -> int:
        while self._held < count:
            size = max(_RESERVE, (count + 7) // 8)
            self._pool = self._pool << 8 * size | int.from_bytes(self._fetch(size), "big")
            self._held += 8 * size
        self._held -= count
        result = self._pool >> self._held
        self._pool &= (1 << self._held) - 1
        return result


class Keystream:
    """Fresh bits for one release, from the operating system's entropy.

    >>> stream = Keystream()
    >>> 0 <= stream.bits(10) < 1024
    True
    """

    __slots__ = ("_cipher", "_reserve")

    safe = True

    def __init__(self) -> None:
        self._cipher: CipherContext | None = None
        self._reserve = _Reserve(os.urandom)

    def fill(self, words: Words) -> None:
        """Overwrite a contiguous array of 64-bit words with fresh bits."""
        if words.nbytes <= _SHORT:
            words[:] = np.frombuffer(os.urandom(words.nbytes), np.uint64)
            return
        if self._cipher is None:
            # The key is used once, so the counter may start at zero.
            self._cipher = Cipher(algorithms.AES(os.urandom(32)), modes.CTR(bytes(16))).encryptor()
        target = memoryview(words).cast("B")
        for start in range(0, len(target), len(_ZEROS)):
            part = target[start : start + len(_ZEROS)]
            self._cipher.update_into(_ZEROS[: len(part)], part)

    def bits(self, count: int) -> int:
        """The next ``count`` bits as an integer in [0, 2**count)."""
        return self._reserve.take(count)

    def __reduce__(self) -> str:
        raise TypeError("a keystream does not leave the process: a copy would repeat its noise")


class UnsafeSeededBits:
    """A repeatable bit source for rehearsals and teaching.  NOT PRIVATE.

    Whoever knows the seed can subtract the noise.  Every result made with it is marked, and
    a ledger or a server refuses it.

    >>> UnsafeSeededBits(7).bits(16) == UnsafeSeededBits(7).bits(16)
    True
    """

    __slots__ = ("_position", "_reserve", "_seed")

    safe = False

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._position = 0
        self._reserve = _Reserve(self._next)

    def _next(self, size: int) -> bytes:
        self._position += 1
        return shake_256(f"discreet unsafe {self._seed} {self._position}".encode()).digest(size)

    def fill(self, words: Words) -> None:
        """Overwrite an array of 64-bit words with the next bits."""
        words[:] = np.frombuffer(self._next(words.nbytes), np.uint64)

    def bits(self, count: int) -> int:
        """The next ``count`` bits as an integer in [0, 2**count)."""
        return self._reserve.take(count)
