"""What a selection of keys and a sieve compute, for one key at a time."""

from collections.abc import Sequence
from functools import partial
from hashlib import sha256

from discreet.mechanisms.key_selection import KeySelection
from discreet.mechanisms.key_sieve import Sieve
from discreet.mechanisms.key_threshold import Threshold
from discreet.mechanisms.optimal_key_selection import OptimalSelection
from discreet.privacy.laws import nearest_float


def keep_probability(selection: KeySelection, count: int) -> float:
    """The probability that a key is released which so many units hold."""
    assert isinstance(selection, OptimalSelection | Threshold)
    optimal = isinstance(selection, OptimalSelection)
    chance = selection._curve.enclose if optimal else selection._chance
    return nearest_float(partial(chance, count))


def passes(sieve: Sieve, labels: Sequence[str], count: int) -> bool:
    """Whether a cluster lets a key pass: what it computes, in Python."""
    key = "".join(f"{len(label)}:{label}" for label in labels)
    digits = sha256(f"{sieve.secret.hex()}{key}".encode()).hexdigest()[: sieve.bits // 4]
    return int(digits, 16) < sieve.limit(count)
