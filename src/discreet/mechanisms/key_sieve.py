"""A sieve on a cluster: a hash with a secret decides which keys are sent to the driver.

A cluster lets a key pass if its hash is below a limit L(n) that depends on n, how many units
hold it, and the driver keeps what passed with probability P(n)·2^bits/L(n).  The product is P(n).
Proof: docs/proofs/sieve.md
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

from discreet.errors import PrivacyParameterError
from discreet.noise import BitSource
from discreet.noise.bernoulli import Probability

Chance = Callable[[int, int], tuple[int, int]]
"""From a count and a number of bits to integers around 2**bits · P(count); P grows with it."""

MOST_LIMITS = 4096
_GUARD = 16
_POINT_BITS = 64
_SECRET_BITS = 256


@dataclass(frozen=True, slots=True, repr=False)
class Sieve:
    """A secret and a limit per count, for one release: a key passes if its hash is below it.

    ``limits[i]`` is for the counts from i·step + 1 to (i + 1)·step; beyond the last, every key
    passes.  The secret is noise: whoever sees the release must not see it.

    >>> Sieve(bytes(32), (1, 128), 5, 8)
    Sieve(sure=11, step=5, bits=8)
    """

    secret: bytes
    limits: tuple[int, ...]
    step: int
    bits: int

    def __post_init__(self) -> None:
        if len(self.secret) * 8 != _SECRET_BITS:
            raise ValueError("the secret of a sieve has 32 bytes")
        if self.step < 1 or not _is_length(self.bits):
            raise ValueError("a sieve has a step of 1 or more, and 4, 8, … or 256 bits")

    def __repr__(self) -> str:
        return f"Sieve(sure={self.sure}, step={self.step}, bits={self.bits})"

    def __reduce__(self) -> str:
        raise TypeError("a sieve does not leave the process as a whole: it would be kept with it")

    @property
    def sure(self) -> int:
        """The least count from which every key passes."""
        return len(self.limits) * self.step + 1

    def limit(self, count: int) -> int:
        """What the hash of a key must be below that so many units hold; 2^bits if it always is."""
        if count < 1:
            return 0
        return 1 << self.bits if count >= self.sure else self.limits[(count - 1) // self.step]

    def rest(self, chance: Chance, count: int) -> Probability:
        """Enclosures of P(count)·2^bits/L(count): how often a key is kept that passed."""
        limit = self.limit(count)

        def enclose(bits: int) -> tuple[int, int]:
            low, high = chance(count, bits + self.bits)
            return low // limit, min(-(-high // limit), 1 << bits)

        return enclose

    def check(self, chance: Chance) -> None:
        """Refuse the sieve of another mechanism, whose limits may be too low for this one."""
        if (self.limits, self.step) != _table(chance, self.bits):
            raise PrivacyParameterError(
                "the sieve is that of another selection. Its limits follow from the mechanism and "
                "its parameters. Use selection.sieve(source) of the selection that decides."
            )


def least_count(chance: Chance, level: Fraction) -> int:
    """The least count that is released with at least this probability, as far as 64 bits tell."""
    wanted = level * (1 << _POINT_BITS)
    low, high = 0, 1
    while chance(high, _POINT_BITS)[0] < wanted:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if chance(middle, _POINT_BITS)[0] >= wanted else (middle, high)
    return high


def drawn(chance: Chance, source: BitSource, bits: int = 64) -> Sieve:
    """A sieve with a fresh secret, for keys that are released with these probabilities."""
    if not _is_length(bits):
        raise ValueError("a sieve has 4, 8, … or 256 bits: whole hexadecimal digits of a hash")
    limits, step = _table(chance, bits)
    return Sieve(source.bits(_SECRET_BITS).to_bytes(_SECRET_BITS // 8), limits, step, bits)


def _is_length(bits: int) -> bool:
    return bits % 4 == 0 and 4 <= bits <= _SECRET_BITS


@lru_cache(maxsize=16)
def _table(chance: Chance, bits: int) -> tuple[tuple[int, ...], int]:
    """The limits and the step.  A limit is that of the largest count it is for."""
    one = 1 << bits

    def limit(count: int) -> int:
        _, high = chance(count, bits + _GUARD)
        return min(one, -(-high >> _GUARD))

    low, high = 0, 1
    while limit(high) < one:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if limit(middle) < one:
            low = middle
        else:
            high = middle
    step = max(1, -(-low // MOST_LIMITS))
    # P grows with the count, the ends of its enclosures need not.
    limits = accumulate((limit(count) for count in range(step, high, step)), max)
    return tuple(entry for entry in limits if entry < one), step
