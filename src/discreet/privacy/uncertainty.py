"""How far the truth may be from a released number, carried through arithmetic.

The error of a quotient comes from the joint law of its two numbers.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, expm1, gcd, inf, isfinite, lcm, log, log1p, sqrt
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.exact import Grid

Floats = NDArray[np.float64]
NoiseTerms = Sequence[tuple[Fraction, "Noise"]]

_NEGLIGIBLE = 1e-15
_FLOAT_ERROR = 1e-9  # far above what the transforms round away and what they lap,
_NOISE_ERROR = 1e-11  # and what is neglected of each noise
_LARGEST_LATTICE = 1 << 14  # lattice points per standard deviation that are worth keeping
_FINE = 256
_LARGEST_EXPONENT = 1000
_RATES = (0.7, 1.2, 2.0, 3.5, 6.0, 9.0)  # for Chernoff's bound, per standard deviation


RealNumber = int | float
FloatInterval = tuple[float, float]


CELLS = 128
"""Into how many cells shares are cut where the grid is coarse."""
FINE_CELLS = 256
"""The same where it is fine: there the largest weights of a cell are taken together."""
_COARSE = 16  # steps: a scale above this is taken for continuous, and what that neglects is added
_LEAST_MISS = 1e-200
_LEAST_STEPS, _MOST_STEPS = Fraction(1, 1000), Fraction(10**150)
_STEPS = 60
_PRECISION = 1e-6
_APART = 1e-3  # scales are held apart by this part, since their differences are divided by
_HALVINGS = 30
_INWARD = 1e-9  # a lattice point this near to a bound is taken to be outside: floats round
_CUT = 1e-3  # the part of the miss that may lie beyond the points that are listed
_ULP = 2.0**-53


class Noise(Protocol):
    """Symmetric noise on a grid with a known law."""

    @property
    def grid(self) -> Grid:
        """The grid of the noise."""

    @property
    def variance(self) -> float:
        """The variance of one draw."""

    def accuracy(self, confidence: object, /) -> int | float:
        """The least a with P[|noise| ≤ a] ≥ confidence."""

    def tail(self, distances: Floats, /) -> Floats:
        """P[|noise| > distance] for each distance."""


def combined_margin(terms: NoiseTerms, confidence: Fraction) -> int | float:
    """An a with P[|Σ weight·noise| ≤ a] ≥ confidence, for independent noises."""
    return _combined_margin(tuple(terms), confidence)


@lru_cache(maxsize=1024)  # the groups of a table have one margin
def _combined_margin(
    terms: tuple[tuple[Fraction, "Noise"], ...], confidence: Fraction
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
    step = lattice if exact else Fraction(deviation / (_FINE * sqrt(len(terms))))
    kinds = Counter((abs(weight), noise) for weight, noise in terms)
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


@dataclass(frozen=True)
class BoundedError:
    """The error is known through a function from confidence to bounds."""

    bounds: Callable[[Fraction], FloatInterval]

    def interval(self, value: RealNumber, confidence: Fraction) -> FloatInterval:
        """The bounds at this confidence."""
        return self.bounds(confidence)


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


def read_steps(steps: Fraction) -> float:
    """A scale in steps as a float: a tiny one is made larger, one beyond all use infinite."""
    return float(max(steps, _LEAST_STEPS)) if steps < _MOST_STEPS else inf


def read_miss(miss: Fraction) -> float:
    """A chance as a float above 0."""
    return max(float(miss), _LEAST_MISS)


def share_cells(first: float, second: float, distances: Floats) -> FloatInterval | None:
    """The least interval around all λ in [0, 1] with |first·(1-λ) - second·λ| within the distance
    of its cell; None if there is none.
    """
    cells = distances.size
    low, high = np.arange(cells) / cells, np.arange(1, cells + 1) / cells
    whole = first + second
    if whole == 0:
        inside = np.abs(first) <= distances
    else:
        slack = 8 * _ULP * (abs(first) + abs(second)) / abs(whole)
        ends = ((first - distances) / whole, (first + distances) / whole)
        low = np.maximum(low, np.minimum(*ends) - slack)
        high = np.minimum(high, np.maximum(*ends) + slack)
        inside = low <= high
    return (float(low[inside].min()), float(high[inside].max())) if inside.any() else None


def quotient_interval(
    first: float,
    second: float,
    steps: tuple[Fraction, Fraction],
    sizes: FloatInterval,
    miss: Fraction,
) -> FloatInterval:
    """Bounds of the quotient of two true numbers, from the released ones.

    ``steps`` are the scales of their noises in steps of their grids, ``sizes`` in their own units.
    """
    if inf in map(read_steps, steps):
        return -inf, inf
    distances = pair_distances(*steps, miss)
    top, bottom, unit = first / sizes[0], second / sizes[1], sizes[0] / sizes[1]
    if not (isfinite(top) and isfinite(bottom) and 0 < unit < inf):
        return -inf, inf
    intervals = []
    for sign in (1, -1):  # of the quotient
        part = share_cells(top, sign * bottom, distances)
        if part is not None:
            intervals += [sign * unit * _odds(end) for end in part]
    return (min(intervals), max(intervals)) if intervals else (-inf, inf)


def _odds(share: float) -> float:
    return share / (1 - share) if share < 1 else inf


@lru_cache(maxsize=256)  # the groups of a table have one
def pair_distances(first: Fraction, second: Fraction, miss: Fraction) -> Floats:
    """For each cell of λ a distance that |(1-λ)·X/first - λ·Y/second| exceeds with at most the
    probability ``miss``, whatever λ in the cell is; X, Y have these scales in steps.
    """
    allowed, scales = read_miss(miss), [read_steps(first), read_steps(second)]
    if min(scales) > _COARSE:
        cells = np.arange(FINE_CELLS) / FINE_CELLS
        largest = np.column_stack((1 - cells, cells + 1 / FINE_CELLS))
        return _distances(largest, scales, allowed)
    if scales[0] < scales[1]:
        return _lattice_distances(scales[1], scales[0], allowed)[::-1]
    return _lattice_distances(scales[0], scales[1], allowed)


# ---------------------------------------------------------------------- fine grids


def distance(weights: Sequence[float], steps: Sequence[float], miss: float) -> float:
    """A distance that |Σ weight·X/steps| exceeds with at most this probability."""
    return float(_distances(np.array([weights], float), steps, miss)[0])


@np.errstate(all="ignore")  # whatever else is to be raised: chances below all floats are 0
def _distances(weights: Floats, steps: Sequence[float], miss: float) -> Floats:
    """The distance for each row of weights.

    It is that of continuous noise, and what each noise is at most from a continuous one.
    """
    scales = _held_apart(weights)
    squares = scales * scales
    parts = np.ones_like(scales)
    for one in range(scales.shape[1]):
        for other in range(scales.shape[1]):
            if other != one:
                parts[:, one] *= squares[:, one] / (squares[:, one] - squares[:, other])
    # The logarithm of the tail is concave: Newton's method comes down to the distance from above.
    reach = scales.sum(1) * log(4 * scales.shape[1] / miss)
    going = np.ones(reach.shape, bool)
    for _ in range(_STEPS):
        terms = parts * np.exp(-reach[:, None] / scales)
        tail, slope = terms.sum(1), (terms / scales).sum(1)
        going &= (tail > 0) & (tail < miss) & (slope > 0)
        if not going.any():
            break
        step = np.where(going, np.log(miss / tail) * tail / slope, 0.0)
        reach -= step
        going &= step > _PRECISION * reach
    rounding = weights @ np.array([rounding_steps(scale) / scale for scale in steps])
    distances: Floats = reach * (1 + _PRECISION) + rounding
    return distances


def rounding_steps(scale: float) -> float:
    """How many steps integer noise is at most from continuous noise of the same scale."""
    return 1 + scale * log1p(expm1(-1 / scale) / 2)


def _held_apart(weights: Floats) -> Floats:
    """Scales at least as large, of which no two of a row are nearly equal and none is nearly 0."""
    scales = np.sort(weights, axis=1)
    least = np.maximum(scales[:, -1], 1e-300) * _APART
    for place in range(scales.shape[1]):
        scales[:, place] = np.maximum(scales[:, place], least)
        least = scales[:, place] * (1 + _APART)
    return scales


# ---------------------------------------------------------------------- coarse grids


@np.errstate(all="ignore")  # whatever else is to be raised: chances below all floats are 0
def _lattice_distances(first: float, second: float, miss: float) -> Floats:
    """The distances where the second noise takes few values: each is taken in turn."""
    edges = np.arange(CELLS + 1) / CELLS
    reach = int(second * log(2 / (_CUT * miss))) + 1
    values = np.arange(reach + 1)
    chances = np.exp(-values / second) * ((1 - exp(-1 / second)) / (1 + exp(-1 / second)))
    chances[1:] *= 2  # a value and its opposite miss alike
    beyond = 2 * exp(-(reach + 1) / second) / (1 + exp(-1 / second))
    allowed = (miss - beyond) * (1 - 1e-9)
    shifts = edges[:, None] * (values / second)  # of (1-λ)·X/first, by edge and value
    with np.errstate(divide="ignore"):
        steps = (first / (1 - edges))[:, None]
    low, high = np.zeros(CELLS), np.full(CELLS, log(8 / miss) + 1 / second)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        outside = _outside(middle, shifts, steps, first) @ chances > allowed
        low, high = np.where(outside, middle, low), np.where(outside, high, middle)
    return high


def _outside(distances: Floats, shifts: Floats, steps: Floats, scale: float) -> Floats:
    """By cell and value of the second noise, how likely the first takes the sum too far.

    The sum is too far in a cell if it is at one of its ends: it is linear in λ.
    """
    above, below = np.full(shifts[1:].shape, inf), np.full(shifts[1:].shape, -inf)
    for ends in (slice(None, -1), slice(1, None)):
        shift, step = shifts[ends], steps[ends]
        reach = distances[:, None]
        high, low = step * (shift + reach), step * (shift - reach)
        only = np.isinf(step)  # λ = 1: the first noise does not count
        high = np.where(only, np.where(shift <= reach, inf, -inf), high)
        low = np.where(only, np.where(shift <= reach, -inf, inf), low)
        above, below = np.minimum(above, high), np.maximum(below, low)
    above -= _INWARD * (1 + np.abs(above))
    below += _INWARD * (1 + np.abs(below))
    probabilities: Floats = np.minimum(
        _at_least(np.floor(above) + 1, scale) + _at_least(1 - np.ceil(below), scale), 1.0
    )
    return probabilities


def _at_least(values: Floats, scale: float) -> Floats:
    """P[X ≥ value] for integer Laplace noise X: q^value/(1+q) from 1 up, by symmetry below."""
    norm = 1 + exp(-1 / scale)
    positive = np.exp(-np.clip(values, 1, inf) / scale) / norm
    negative = 1 - np.exp(-np.clip(1 - values, 1, inf) / scale) / norm
    return np.where(values >= 1, positive, negative)
