"""What the mechanisms that release unlisted keys share: parameters, shares of δ, the result."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError, PrivacyParameterError
from discreet.exact import exp_minus, logarithm
from discreet.mechanisms.sieve import Chance, Sieve
from discreet.noise import BitSource, bernoulli_array
from discreet.noise.bernoulli import Probability
from discreet.privacy.neighbors import Neighbors
from discreet.privacy.parameters import read_count, read_delta, read_epsilon
from discreet.privacy.sensitive import Sensitive


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Selected:
    """The keys that may be known, as places among the candidates, in increasing order.

    Look the keys up and publish those, sorted: a place itself tells how many candidates, hidden
    ones too, stand before it.

    ``counts`` are their noisy numbers of units, in the same order, or None where the mechanism
    releases none.  They are int64, or Python integers where one does not fit.
    """

    kept: NDArray[np.int64]
    counts: NDArray[Any] | None = None


def read_selection(
    epsilon: object, delta: object, groups: object, neighbors: object, *, stacklevel: int = 5
) -> tuple[Fraction, Fraction, int, Neighbors]:
    """The parameters that every selection of keys has."""
    level = read_delta(delta)
    if level == 0:
        raise PrivacyParameterError(
            "delta is 0. A key that one person alone holds is released with a probability above 0 "
            "or never, so keys that nobody listed need a δ above 0. Use something far below "
            "1/(number of people), such as delta=1e-6, or list the keys."
        )
    return (
        read_epsilon(epsilon, stacklevel=stacklevel),
        level,
        read_count(groups, "groups", "keys that one unit holds at most"),
        Neighbors.read(neighbors),
    )


def moved_keys(groups: int, neighbors: Neighbors) -> int:
    """How many counts one unit moves by one: its own, and under replace those of its successor."""
    return groups if neighbors is Neighbors.ADD_REMOVE else 2 * groups


def key_share(delta: Fraction, keys: int) -> Fraction:
    """1 - (1-δ)^(1/keys), rounded down: what each of so many independent keys may take of δ.

    >>> key_share(Fraction(1, 10), 1)
    Fraction(1, 10)
    >>> float(key_share(Fraction(19, 100), 2))
    0.1
    """
    if keys == 1:
        return delta
    bits = 96 + keys.bit_length() + delta.denominator.bit_length()
    _, high = logarithm(1 - delta, bits)
    _, most = exp_minus(Fraction(-high, keys << bits), bits)
    return max(Fraction((1 << bits) - most, 1 << bits), delta / keys)


def read_units(counts: Sensitive[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The number of units per candidate.  The messages say nothing about the values."""
    array: object = counts.open()
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype != np.int64:
        raise DataError(
            "the counts are not a row of 64-bit integers. There is one number of distinct units "
            "per candidate key. Pass Sensitive(np.array(counts, np.int64))."
        )
    if array.size and array.min() < 0:
        raise DataError(
            "a number of units is below 0. Each candidate key is held by 0 units or more. "
            "Count the distinct units per key."
        )
    return array


def keep_some(
    chance: Chance,
    units: NDArray[np.int64],
    places: NDArray[np.int64],
    sieve: Sieve | None,
    source: BitSource,
) -> NDArray[np.int64]:
    """Those of the places that are kept, in some order; what the sieve did is done."""
    probability: Callable[[int], Probability] = (
        partial(partial, chance) if sieve is None else partial(sieve.rest, chance)
    )
    kept = [
        group[bernoulli_array(probability(value), group.size, source)]
        for value, group in by_value(units, places)
    ]
    return np.concatenate((places[:0], *kept))


def by_value(
    units: NDArray[np.int64], places: NDArray[np.int64]
) -> list[tuple[int, NDArray[np.int64]]]:
    """The places with their number of units, in groups of one number, in order of it."""
    ordered = places[np.argsort(units[places], kind="stable")]
    values, starts = np.unique(units[ordered], return_index=True)
    return list(zip(values.tolist(), np.split(ordered, starts[1:]), strict=False))


def read_held(count: object) -> int:
    """A made-up number of units that hold a key, 0 or more."""
    if isinstance(count, int) and count == 0:
        return 0
    return read_count(count, "count", "units that hold the key, or 0")


def held_units(counts: object) -> list[int]:
    """Made-up numbers of units, one per candidate, for a law."""
    return [read_held(count) for count in np.asarray(counts, np.int64).ravel().tolist()]
