"""How far the truth may be from a released number, carried through arithmetic.

The error of a quotient comes from the joint law of its two numbers.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, gcd, inf, isfinite, lcm, log, sqrt
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.privacy.joint_noise import (
    FloatInterval,
    Floats,
    Noise,
    are_joint,
    joint_distances,
    read_steps,
    share_cells,
)

NoiseTerms = Sequence[tuple[Fraction, Noise]]
SharedTerm = tuple[Noise, Fraction, Fraction]
"""A draw of noise, with its weights in two numbers."""

_NEGLIGIBLE = 1e-15
_FLOAT_ERROR = 1e-9  # far above what the transforms round away and what they lap,
_NOISE_ERROR = 1e-11  # and what is neglected of each noise
_LARGEST_LATTICE = 1 << 14  # lattice points per standard deviation that are worth keeping
_FINE, _COARSE = 256, 96
_MANY = 8  # kinds of terms, beyond which a coarser lattice saves seconds and costs a few percent
_LARGEST_EXPONENT = 1000
_TAIL_BITS = 160
_FAR = 1 - Fraction(1, 10**9)
_RATES = (0.7, 1.2, 2.0, 3.5, 6.0, 9.0)  # for Chernoff's bound, per standard deviation


RealNumber = int | float


def combined_margin(terms: NoiseTerms, confidence: Fraction) -> int | float:
    """An a with P[|Σ weight·noise| ≤ a] ≥ confidence, for independent noises."""
    return _combined_margin(tuple(terms), confidence)


@lru_cache(maxsize=1024)  # the groups of a table have one margin
def _combined_margin(
    terms: tuple[tuple[Fraction, Noise], ...], confidence: Fraction
) -> int | float:
    together = _sum_of_margins(terms, 1 - (1 - confidence) / max(1, len(terms)))
    if together is None:
        return inf
    convolved = _convolved_margin(terms, confidence) if len(terms) > 1 else None
    if convolved is not None:
        together = min(together, convolved)
    try:
        return int(together) if together.denominator == 1 else float(together)
    except OverflowError:
        return inf


def _sum_of_margins(terms: NoiseTerms, confidence: Fraction) -> Fraction | None:
    """The sum of the margins that each term has by itself; None if one is beyond the floats."""
    total = Fraction(0)
    for (weight, noise), many in Counter((abs(weight), noise) for weight, noise in terms).items():
        reach = noise.accuracy(confidence)
        if reach == inf:
            return None
        total += many * weight * Fraction(reach)
    return total


def _convolved_margin(terms: NoiseTerms, confidence: Fraction) -> Fraction | None:
    """The margin of the convolved laws; None where floats cannot tell it."""
    deviation = sqrt(sum(_variance(weight, noise) for weight, noise in terms))
    allowed = float(1 - confidence) - _FLOAT_ERROR - len(terms) * _NOISE_ERROR
    if not 0 < deviation < inf or allowed <= 0:
        return None
    lattice = _common_step([abs(weight) * noise.grid.step for weight, noise in terms])
    exact = lattice * _LARGEST_LATTICE >= Fraction(deviation)
    kinds = Counter((abs(weight), noise) for weight, noise in terms)
    points = _FINE if len(kinds) <= _MANY else _COARSE
    exact = exact and len(kinds) <= _MANY
    step = lattice if exact else Fraction(deviation / (points * sqrt(len(terms))))
    laws = [_rounded_law(step / weight, noise) for weight, noise in kinds]
    beyond = _beyond(laws, list(kinds.values()), deviation / float(step))
    inside = int(np.argmax(beyond <= allowed))
    return step * (inside if exact else inside + Fraction(len(terms), 2))


def _variance(weight: Fraction, noise: Noise) -> float:
    try:
        return float(weight) * float(weight) * noise.variance
    except OverflowError:
        return inf


def _common_step(steps: Sequence[Fraction]) -> Fraction:
    """The coarsest grid that holds all the grids."""
    bottom = lcm(*(step.denominator for step in steps))
    return Fraction(gcd(*(int(step * bottom) for step in steps)), bottom)


def _rounded_law(step: Fraction, noise: Noise) -> Floats:
    """P[round(noise/step) = k] for k from -reach to reach, with a negligible rest."""
    width, reach = np.float64(step), 1
    while noise.tail(np.array([reach * width]))[0] > _NEGLIGIBLE:
        reach *= 2
    tails = noise.tail((np.arange(reach + 1) + 0.5) * width)
    positive = -np.diff(tails[: int(np.argmax(tails <= _NEGLIGIBLE)) + 1]) / 2
    return np.concatenate([positive[::-1], [1 - tails[0]], positive])


def _beyond(laws: Sequence[Floats], counts: Sequence[int], deviation: float) -> Floats:
    """P[|sum| > k] for k = 0, 1, …, but for a negligible error.

    The laws are wound around a circle on which the sum hardly ever laps itself.
    """
    length = 1 << (2 * _reach(laws, counts, deviation) + 1).bit_length()
    spectrum = np.ones(length // 2 + 1, np.complex128)
    for law, count in zip(laws, counts, strict=True):
        wound = np.zeros(length)
        np.add.at(wound, _places(law) % length, law)
        spectrum *= np.fft.rfft(wound) ** count
    together = np.fft.irfft(spectrum, length)[: length // 2]
    inside: Floats = together[0] + 2 * np.concatenate([[0.0], np.cumsum(together[1:])])
    return 1 - inside


def _reach(laws: Sequence[Floats], counts: Sequence[int], deviation: float) -> int:
    """An a with P[|sum| > a] negligible: P[sum ≥ a] ≤ E[e^(t·sum)]/e^(t·a) for every t > 0."""
    best = float(sum(count * (law.size // 2) for law, count in zip(laws, counts, strict=True)))
    for rate in np.array(_RATES) / deviation:
        if rate * max(law.size for law in laws) < _LARGEST_EXPONENT:
            growth = sum(
                count * log(float(law @ np.exp(rate * _places(law))))
                for law, count in zip(laws, counts, strict=True)
            )
            best = min(best, (growth - log(_NEGLIGIBLE)) / rate)
    return ceil(best)


def _places(law: Floats) -> NDArray[np.int64]:
    return np.arange(law.size) - law.size // 2


class Uncertainty(Protocol):
    """The error of a released value: how far the truth may be from it."""

    def interval(self, value: RealNumber, confidence: Fraction) -> FloatInterval:
        """Bounds that hold with at least this probability."""


@dataclass(frozen=True, eq=False)
class NoiseDraw:
    """One draw of noise; draws are compared by identity."""

    noise: Noise


@dataclass(frozen=True)
class LinearError:
    """The error is a weighted sum of independent draws."""

    terms: tuple[tuple[Fraction, NoiseDraw], ...]

    def interval(self, value: RealNumber, confidence: Fraction) -> FloatInterval:
        """The value plus and minus the margin of the sum."""
        terms = [(weight, source.noise) for weight, source in self.terms]
        margin = combined_margin(terms, confidence)
        try:
            return value - margin, value + margin
        except OverflowError:  # one is a float, the other an integer beyond the floats
            return -inf, inf

    def times(self, factor: Fraction) -> "LinearError":
        """The error of factor times the number."""
        terms = ((factor * weight, source) for weight, source in self.terms)
        return LinearError(tuple(terms) if factor else ())

    def plus(self, own: Fraction, other: "LinearError", others: Fraction) -> "LinearError":
        """The error of own·this + others·other; a draw that is in both is counted once."""
        weights: dict[NoiseDraw, Fraction] = {}
        for error, factor in ((self, own), (other, others)):
            for weight, source in error.terms:
                weights[source] = weights.get(source, Fraction(0)) + factor * weight
        return LinearError(tuple((weight, source) for source, weight in weights.items() if weight))

    def beside(self, other: "LinearError") -> list[SharedTerm]:
        """The noises of both numbers, each with its weight in either."""
        own, others = ({source: weight for weight, source in one.terms} for one in (self, other))
        return [
            (source.noise, own.get(source, Fraction(0)), others.get(source, Fraction(0)))
            for source in dict.fromkeys((*own, *others))
        ]


@dataclass(frozen=True)
class BoundedError:
    """The error is known through a function from confidence to bounds."""

    bounds: Callable[[Fraction], FloatInterval]

    def interval(self, value: RealNumber, confidence: Fraction) -> FloatInterval:
        """The bounds at this confidence."""
        return self.bounds(confidence)


class TailNoise(Noise, Protocol):
    """Noise on integers of which each tail is enclosed."""

    def quick_upper_tail(self, start: int, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P[noise ≥ start], in steps."""


@dataclass(frozen=True)
class ThresholdError:
    """The error of count + noise that is only seen because it reached a threshold.

    Who looks at such numbers alone sees more noise that lifts than noise that lowers.  So the
    bounds are right given that the threshold was reached, for each true count of 1 or more: those
    counts are within them for which the number is not among the rarest.
    Proof: docs/proofs/key-selection.md
    """

    noise: TailNoise
    threshold: int

    def interval(self, value: RealNumber, confidence: Fraction) -> FloatInterval:
        """The least and the largest true count that are not rejected."""
        return _counts_accepted(self.noise, self.threshold, int(value), confidence)

    @property
    def far(self) -> int:
        """From this number on the threshold changes nothing: but for 10^-9, by its noise alone."""
        return self.threshold + 2 * (int(self.noise.accuracy(_FAR)) + 1)


@lru_cache(maxsize=4096)  # many groups have the same small number
def _counts_accepted(
    noise: TailNoise, threshold: int, released: int, confidence: Fraction
) -> tuple[int, int]:
    """The least and the largest count n at which the released number is likely enough.

    It is if the numbers that are nearer to n, and reach the threshold, have less than the
    confidence of all that reach it.  Where 160 bits leave that open, the count is accepted.
    """
    top, bottom = confidence.as_integer_ratio()

    def tail(start: int) -> tuple[int, int]:
        return noise.quick_upper_tail(start, _TAIL_BITS)

    def accepted(count: int) -> bool:
        distance = abs(released - count)
        if distance == 0:
            return True
        begin = max(threshold - count, 1 - distance)
        (_, reached), start, end = tail(threshold - count), tail(begin), tail(distance)
        return bottom * (start[0] - end[1]) < top * reached

    step = 1
    while step < released and accepted(released - step):
        step *= 2
    least = _first(max(1, released - step), released, accepted)
    step = 1
    while accepted(released + step):
        step *= 2
    return least, _first(released, released + step, lambda count: not accepted(count)) - 1


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The least number from low to high for which it holds, as it does for all above; or high."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


@dataclass(frozen=True)
class RankError:
    """The value's error depends on the data; what is guaranteed is counted in records.

    With probability 95% at most so many records lie between the released value and the quantile
    that was asked for, or are missing from a chosen category to make it the fullest.
    """

    records: float


# ---------------------------------------------------------------------- interval arithmetic


def as_float(number: Fraction) -> float:
    """The nearest float; infinite beyond the largest."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def scaled_bounds(inner: FloatInterval, factor: Fraction) -> FloatInterval:
    """The bounds of a number times a constant."""
    if factor == 0:
        return 0.0, 0.0
    low, high = (as_float(factor) * end for end in inner)
    return min(low, high), max(low, high)


def added_bounds(first: FloatInterval, second: FloatInterval) -> FloatInterval:
    """The bounds of a sum."""
    return first[0] + second[0], first[1] + second[1]


def multiplied_bounds(first: FloatInterval, second: FloatInterval) -> FloatInterval:
    """The bounds of a product; 0·∞ is 0, since the ends of an interval are not both reached."""
    corners = [a * b if a and b else 0.0 for a in first for b in second]
    return min(corners), max(corners)


def divided_bounds(first: FloatInterval, second: FloatInterval) -> FloatInterval:
    """The bounds of a quotient: none where the divisor may be 0."""
    if second[0] <= 0 <= second[1]:
        return -inf, inf
    return multiplied_bounds(first, (1 / second[1], 1 / second[0]))


def quotient(top: RealNumber, bottom: RealNumber) -> float:
    """The quotient of two released numbers, NaN if the divisor is 0."""
    try:
        return top / bottom if bottom else float("nan")
    except OverflowError:
        return inf if (top > 0) == (bottom > 0) else -inf


def quotient_interval(
    first: float, second: float, terms: Sequence[SharedTerm], miss: Fraction
) -> FloatInterval:
    """Bounds of the quotient of two true numbers, from the released ones.

    ``terms`` are the draws of noise in both: each with its weight in the first number and its
    weight in the second.
    """
    noises = tuple(noise for noise, _, _ in terms)
    if not are_joint(noises):
        return -inf, inf
    sizes = [Fraction(read_steps(noise.steps)) * noise.grid.step for noise in noises]
    tops = [as_float(own * size) for (_, own, _), size in zip(terms, sizes, strict=True)]
    bottoms = [as_float(own * size) for (_, _, own), size in zip(terms, sizes, strict=True)]
    units = tuple(max(map(abs, weights), default=0.0) for weights in (tops, bottoms))
    if not all(0 < unit < inf for unit in units):
        return -inf, inf
    top, bottom, unit = first / units[0], second / units[1], units[0] / units[1]
    if not (isfinite(top) and isfinite(bottom) and 0 < unit < inf):
        return -inf, inf
    intervals = []
    for sign in (1, -1):  # of the quotient
        pairs = [
            _canonical(one / units[0], -sign * other / units[1])
            for one, other in zip(tops, bottoms, strict=True)
        ]
        starts, ends = (tuple(pair[side] for pair in pairs) for side in (0, 1))
        part = share_cells(top, sign * bottom, joint_distances(noises, starts, ends, miss))
        if part is not None:
            intervals += [sign * unit * _odds(end) for end in part]
    return (min(intervals), max(intervals)) if intervals else (-inf, inf)


def _canonical(start: float, end: float) -> FloatInterval:
    """The weights of a draw, whose sign does not matter: it is as often its own opposite."""
    negative = start < 0 or (start == 0 and end > 0)
    return (-start, -end) if negative else (start, end)


def _odds(share: float) -> float:
    return share / (1 - share) if share < 1 else inf
