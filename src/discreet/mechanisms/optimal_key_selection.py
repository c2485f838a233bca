"""Keys that nobody listed, released as often as privacy allows: the optimal selection.

What it shares with thresholds: parameters, shares of δ, the result.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError, PrivacyParameterError
from discreet.exact import exp_minus, logarithm
from discreet.mechanisms.key_sieve import Chance, Sieve, drawn, least_count
from discreet.noise import BitSource, Keystream, bernoulli_array
from discreet.noise.bernoulli import Probability
from discreet.privacy.events import ApproximateEvent
from discreet.privacy.laws import EnclosedLaw, ProductLaw
from discreet.privacy.losses import ApproximateDP, PureDP, read_count, read_delta, read_epsilon
from discreet.privacy.sensitivity import Neighbors, Sensitive, Sensitivity

_LARGEST_EPSILON = Fraction(40)
_BITS = 128
_MOST_BITS = 1 << 10
_ONE, _HALF = Fraction(1), Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SelectedKeys:
    """The keys to be released, as indices of the candidates in increasing order.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimalSelection:
    """Releases each key with the largest probability that its number of units allows.

    No (ε',δ')-DP choice about one key releases it more often, at any count (Desfontaines, Voss,
    Gipson and Mandayam 2022).  No count is released.

    Guarantee: where one unit holds at most ``groups`` keys, the set of released keys is
    (ε,δ)-DP.  With m = groups moved keys, or 2·groups under replace, a key of one unit alone is
    released with probability 1 - (1-δ)^(1/m), rounded down.  Proof: docs/proofs/key-selection.md

    >>> selection = OptimalSelection(epsilon=1, delta=1e-6, groups=1)
    >>> selection.half_point, selection.sure_point
    (14, 28)
    """

    epsilon: Fraction
    delta: Fraction
    groups: int
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    _curve: "KeepCurve" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        read = read_selection(self.epsilon, self.delta, self.groups, self.neighbors)
        for name, value in zip(("epsilon", "delta", "groups", "neighbors"), read, strict=True):
            object.__setattr__(self, name, value)
        moved = moved_keys(self.groups, self.neighbors)
        # The curve of a smaller ε promises more; beyond this one it is the same in all its digits.
        curve = KeepCurve.of(
            min(self.epsilon / moved, _LARGEST_EPSILON), key_share(self.delta, moved)
        )
        object.__setattr__(self, "_curve", curve)

    def __repr__(self) -> str:
        return (
            f"OptimalSelection(epsilon={self.epsilon}, delta={self.delta}, groups={self.groups}, "
            f"neighbors={str(self.neighbors)!r})"
        )

    @property
    def name(self) -> str:
        """What it is called in plans, answers and certificates."""
        return "OptimalSelection"

    def __call__(
        self,
        counts: Sensitive[NDArray[np.int64]],
        *,
        source: BitSource | None = None,
        sieve: Sieve | None = None,
    ) -> SelectedKeys:
        """Which candidates are released, given the number of units that hold each.

        With a sieve they are those that passed it.
        """
        if sieve is not None:
            sieve.check(self._curve.enclose)
        units, bits = read_units(counts), Keystream() if source is None else source
        keeps = units >= self.sure_point
        undecided = np.flatnonzero(~keeps & (units > 0))
        keeps[keep_some(self._curve.enclose, units, undecided, sieve, bits)] = True
        return SelectedKeys(kept=np.flatnonzero(keeps))

    def sieve(self, source: BitSource, *, bits: int = 64) -> Sieve:
        """What a cluster decides about its keys, so that few of them travel: for one release."""
        return drawn(self._curve.enclose, source, bits)

    def loss(self) -> ApproximateDP:
        """What the release costs, whatever the counts are."""
        return ApproximateDP(epsilon=self.epsilon, delta=self.delta)

    def event(
        self,
        sensitivity: Sensitivity | None = None,
        loss: PureDP | ApproximateDP | None = None,
    ) -> ApproximateEvent:
        """What a ledger writes down: its own loss, whatever else was stated.

        >>> OptimalSelection(epsilon=1, delta="1/8", groups=1).event()
        ApproximateEvent(epsilon=Fraction(1, 1), delta=Fraction(1, 8))
        """
        return ApproximateEvent(epsilon=self.epsilon, delta=self.delta)

    @property
    def half_point(self) -> int:
        """The least number of units at which a key is released with probability 1/2 or more."""
        return self._curve.half_point

    def people_for(self, level: Fraction) -> int:
        """The least number of units at which a key is released with at least this probability.

        >>> OptimalSelection(epsilon=1, delta=1e-6, groups=1).people_for(Fraction(95, 100))
        16
        """
        return least_count(self._curve.enclose, level)

    @property
    def sure_point(self) -> int:
        """The number of units from which a key is always released."""
        return self._curve.sure

    def law(self, counts: object) -> ProductLaw:
        """The exact law of which keys are released, as one truth value per candidate."""
        return ProductLaw(
            tuple(kept_law(self._curve.enclose, count) for count in held_units(counts))
        )


@dataclass(frozen=True, slots=True)
class KeepCurve:
    """The largest π with π_0 = 0 and, in both directions, (ε,δ)-DP between n and n+1 units.

    π_(n+1) = min(e^ε·π_n + δ, 1 - e^(-ε)·(1 - π_n - δ), 1).  The first rules up to ``turn``, the
    second up to ``sure``; both have closed forms, which are enclosed and not approximated.
    """

    epsilon: Fraction
    delta: Fraction
    turn: int
    sure: int

    @staticmethod
    def of(epsilon: Fraction, delta: Fraction) -> "KeepCurve":
        """The curve, with the two places where its rule changes."""
        return _curve(epsilon, delta)

    def enclose(self, count: int, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · π_count."""
        if count == 0:
            return 0, 0
        if count >= self.sure:
            return 1 << bits, 1 << bits
        low, high = _keep(self.epsilon, self.delta, self.turn, count, bits)
        return floor(low * (1 << bits)), ceil(high * (1 << bits))

    @property
    def half_point(self) -> int:
        """The least count with π ≥ 1/2."""
        low, high = 0, self.sure
        while high - low > 1:
            middle = (low + high) // 2
            if self.enclose(middle, _BITS)[1] >> _BITS - 1:
                high = middle
            else:
                low = middle
        return high


@lru_cache(maxsize=4096)
def kept_law(chance: Chance, count: int) -> EnclosedLaw:
    """Whether a key is released.  Cached, so that equal laws are one object."""

    def enclosures(bits: int) -> tuple[tuple[int, int], tuple[int, int]]:
        low, high = chance(count, bits)
        return ((1 << bits) - high, (1 << bits) - low), (low, high)

    return EnclosedLaw((False, True), enclosures)


@lru_cache(maxsize=256)
def _curve(epsilon: Fraction, delta: Fraction) -> KeepCurve:
    bits = _BITS
    while True:
        # The first rule gives the smaller value while π_n ≤ (1-δ)/(1+e^ε).
        low, high = _decay(epsilon, delta, 1, bits)
        bounds = [_ONE + (1 - delta) / delta * (1 - q) / (1 + q) for q in (high, low)]
        first, last = (floor(end) for end in _steps(epsilon, bounds, bits))
        if first == last:
            turn = first + 1
            break
        bits *= 2
    while True:
        low, high = _decay(epsilon, delta, 1, bits)
        reached = _keep(epsilon, delta, turn, turn, bits)
        rest = (
            (1 - reached[1]) / delta * (1 - high) / high,
            (1 - reached[0]) / delta * (1 - low) / low,
        )
        first, last = (ceil(end) for end in _steps(epsilon, [1 + part for part in rest], bits))
        # Undecided only if π is 1 to so many digits; then a draw decides, whose law is exact.
        if first == last or bits >= _MOST_BITS:
            return KeepCurve(epsilon, delta, turn, turn + last)
        bits *= 2


def _steps(epsilon: Fraction, bounds: list[Fraction], bits: int) -> tuple[Fraction, Fraction]:
    """An enclosure of ln(x)/ε for an x between the bounds."""
    work = bits + max(0, -floor_log2(epsilon))
    low, _ = logarithm(bounds[0], work)
    _, high = logarithm(bounds[1], work)
    return Fraction(low, 1 << work) / epsilon, Fraction(high, 1 << work) / epsilon


def _decay(epsilon: Fraction, delta: Fraction, count: int, bits: int) -> tuple[Fraction, Fraction]:
    """An enclosure of e^(-count·ε), with bits to spare for small ε and δ."""
    work = bits + 40 - 2 * min(0, floor_log2(epsilon)) - 2 * floor_log2(delta)
    low, high = exp_minus(count * epsilon, work)
    return Fraction(low, 1 << work), Fraction(high, 1 << work)


def floor_log2(value: Fraction) -> int:
    """⌊log2(value)⌋, or one less."""
    return value.numerator.bit_length() - value.denominator.bit_length() - 1


@lru_cache(maxsize=1 << 16)
def _keep(
    epsilon: Fraction, delta: Fraction, turn: int, count: int, bits: int
) -> tuple[Fraction, Fraction]:
    """An enclosure of π_count for 1 ≤ count ≤ sure."""
    if count == 1:
        return delta, delta
    low, high = _decay(epsilon, delta, 1, bits)
    unit = low / (1 - low), high / (1 - high)  # q/(1-q) grows with q
    if count <= turn:
        # δ·(e^(nε) - 1)/(e^ε - 1)
        least, most = _decay(epsilon, delta, count, bits)
        return delta * (1 - most) / most * unit[0], min(_ONE, delta * (1 - least) / least * unit[1])
    # 1 - π_n = q^m·(1 - π_turn) - δ·(q + … + q^m)
    least, most = _decay(epsilon, delta, count - turn, bits)
    reached = _keep(epsilon, delta, turn, turn, bits)
    gap_high = most * (1 - reached[0]) - delta * (1 - most) * unit[0]
    gap_low = least * (1 - reached[1]) - delta * (1 - least) * unit[1]
    return 1 - min(_ONE, gap_high), 1 - max(Fraction(0), gap_low)
