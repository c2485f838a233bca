"""How far the truth may be from a released number, carried through arithmetic.

The error of a quotient comes from the joint law of its two numbers.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from math import ceil, gcd, inf, isfinite, lcm, log, sqrt
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.privacy.joint_noise import (
    FINE_CELLS,
    FloatInterval,
    Floats,
    Noise,
    are_known,
    cell_shares,
    have_own_distances,
    joint_distances,
    read_miss,
    read_steps,
    share_cells,
)

NoiseTerms = Iterable[tuple[Fraction, Noise]]
NoiseKinds = Counter[tuple[Fraction, Noise]]
"""How many draws there are of a noise with a weight, which is not negative."""
SharedTerms = Counter[tuple[Noise, Fraction, Fraction]]
"""How many draws there are of a noise with its weights in two numbers."""

_NEGLIGIBLE = 1e-15
_FLOAT_ERROR = 1e-9  # far above what the transforms round away and what they lap,
_NOISE_ERROR = 1e-11  # and what is neglected of each noise
_LARGEST_LATTICE = 1 << 14  # lattice points per standard deviation that are worth keeping
_FINE, _COARSE = 256, 96
_MANY = 8  # kinds of terms, beyond which a coarser lattice saves seconds and costs a few percent
BOX = Fraction(1, 16)
"""The part of the chance to miss that bounds two numbers of a product one by one."""
_PIECES = 512
_ROUNDED = 2.0**-52
_ENDS = Fraction(1, 1000)  # of the chance to miss: how far a sum moves within a cell
_LARGEST_EXPONENT = 1000
_TAIL_BITS = 160
_FAR = 1 - Fraction(1, 10**9)
_MOST_TIMES = 1000  # how many times more would be needed says nothing beyond
_BLOCKS = 1 << 12  # of a law, which are moved outwards where a bound of the sum will do
_RATES = (0.7, 1.2, 2.0, 3.5, 6.0, 9.0)  # for Chernoff's bound, per standard deviation


RealNumber = int | float


def combined_margin(terms: NoiseTerms, confidence: Fraction) -> int | float:
    """An a with P[|Σ weight·noise| ≤ a] ≥ confidence, for independent noises."""
    return _margin_of(Counter((abs(weight), noise) for weight, noise in terms), confidence)


def _margin_of(kinds: NoiseKinds, confidence: Fraction) -> int | float:
    """The same for noises with their weights, each so many times."""
    return _combined_margin(tuple(kinds.items()), confidence)


@lru_cache(maxsize=1024)  # the groups of a table have one margin
def _combined_margin(
    items: tuple[tuple[tuple[Fraction, Noise], int], ...], confidence: Fraction
) -> int | float:
    kinds = Counter(dict(items))
    many = kinds.total()
    together = _sum_of_margins(kinds, 1 - (1 - confidence) / max(1, many))
    if together is None:
        return inf
    convolved = _convolved_margin(kinds, confidence) if many > 1 else None
    if convolved is not None:
        together = min(together, convolved)
    try:
        return int(together) if together.denominator == 1 else float(together)
    except OverflowError:
        return inf


def _sum_of_margins(kinds: NoiseKinds, confidence: Fraction) -> Fraction | None:
    """The sum of the margins that each term has by itself; None if one is beyond the floats."""
    total = Fraction(0)
    for (weight, noise), many in kinds.items():
        reach = noise.accuracy(confidence)
        if reach == inf:
            return None
        total += many * weight * Fraction(reach)
    return total


def _convolved_margin(kinds: NoiseKinds, confidence: Fraction) -> Fraction | None:
    """The margin of the convolved laws; None where floats cannot tell it."""
    many = kinds.total()
    deviation = sqrt(sum(count * _variance(*one) for one, count in kinds.items()))
    allowed = float(1 - confidence) - _FLOAT_ERROR - many * _NOISE_ERROR
    if not 0 < deviation < inf or allowed <= 0:
        return None
    lattice = _common_step([weight * noise.grid.step for weight, noise in kinds])
    exact = lattice * _LARGEST_LATTICE >= Fraction(deviation)
    points = _FINE if len(kinds) <= _MANY else _COARSE
    exact = exact and len(kinds) <= _MANY
    step = lattice if exact else Fraction(deviation / (points * sqrt(many)))
    laws = [_rounded_law(step / weight, noise) for weight, noise in kinds]
    beyond = _beyond(laws, list(kinds.values()), deviation / float(step))
    inside = int(np.argmax(beyond <= allowed))
    return step * (inside if exact else inside + Fraction(many, 2))


def _variance(weight: Fraction, noise: Noise) -> float:
    try:
        return float(weight) * float(weight) * noise.variance
    except OverflowError:
        return inf


def _common_step(steps: Sequence[Fraction]) -> Fraction:
    """The coarsest grid that holds all the grids."""
    bottom = lcm(*(step.denominator for step in steps))
    return Fraction(gcd(*(int(step * bottom) for step in steps)), bottom)


@lru_cache(maxsize=64)  # of a column most noises are the same in every cell
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
    blocks = [_blocks(law) for law in laws]
    for rate in np.array(_RATES) / deviation:
        if rate * max(law.size for law in laws) < _LARGEST_EXPONENT:
            growth = sum(
                count * log(float(shares @ np.exp(rate * ends)))
                for (ends, shares), count in zip(blocks, counts, strict=True)
            )
            best = min(best, (growth - log(_NEGLIGIBLE)) / rate)
    return ceil(best)


def _blocks(law: Floats) -> tuple[NDArray[np.int64], Floats]:
    """The largest place in each of some blocks of neighboring places, and the share of each."""
    starts = np.arange(0, law.size, -(-law.size // _BLOCKS))
    ends = np.append(starts[1:], law.size) - 1 - law.size // 2
    return ends, np.add.reduceat(law, starts)


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
    nonnegative: bool = False
    """Whether the number that it is added to is never below 0, whatever the data are."""
    parts_of: "list[PartOf]" = field(default_factory=list, repr=False)
    """What else is known of that number: numbers that are at least as large."""


Weighted = Mapping[Hashable, Fraction]
"""A weighted sum of numbers that have one noise together."""


class JointNoise(Protocol):
    """The noise of many numbers that were measured together: sums of them are normal.

    ``slack`` is how far rounding moves such a sum at most.
    """

    def covariance(self, first: Weighted, second: Weighted) -> float:
        """The covariance of two weighted sums of the numbers."""

    def slack(self, weighted: Weighted) -> float:
        """How far a weighted sum is at most from what it was before the numbers were rounded."""

    def normal(self, deviation: float) -> Noise:
        """Normal noise with this standard deviation, on a fine grid."""


class JointDraw(NamedTuple):
    """The noise of one of these numbers; draws are compared by their noise and place."""

    together: JointNoise
    place: Hashable

    @property
    def nonnegative(self) -> bool:
        """That is not known of them."""
        return False

    @property
    def parts_of(self) -> "tuple[PartOf, ...]":
        """Neither is this."""
        return ()


@dataclass(frozen=True)
class LinearError:
    """The error is a weighted sum of draws, which are independent or of numbers with one noise."""

    terms: tuple[tuple[Fraction, NoiseDraw | JointDraw], ...]
    shift: Fraction = Fraction(0)
    """What was added to the weighted sum of the numbers that the draws belong to."""

    @property
    def independent(self) -> list[tuple[Fraction, Noise]]:
        """The noises of the sum: those of numbers that were measured together are one."""
        plain = [(weight, one.noise) for weight, one in self.terms if isinstance(one, NoiseDraw)]
        for together, weighted in self._together.items():
            deviation = sqrt(max(0.0, together.covariance(weighted, weighted)))
            if deviation:
                plain.append((Fraction(1), together.normal(deviation)))
        return plain

    @cached_property
    def _together(self) -> dict[JointNoise, dict[Hashable, Fraction]]:
        """The terms that are numbers of one noise, by noise."""
        found: dict[JointNoise, dict[Hashable, Fraction]] = {}
        for weight, one in self.terms:
            if isinstance(one, JointDraw):
                found.setdefault(one.together, {})[one.place] = weight
        return found

    @property
    def slack(self) -> float:
        """How far rounding moves it at most."""
        return sum(together.slack(weighted) for together, weighted in self._together.items())

    def interval(self, value: RealNumber, confidence: Fraction) -> FloatInterval:
        """The value plus and minus the margin of the sum."""
        margin = combined_margin(self.independent, confidence)
        slack = self.slack
        margin = margin + slack if slack else margin
        try:
            return value - margin, value + margin
        except OverflowError:  # one is a float, the other an integer beyond the floats
            return -inf, inf

    def times(self, factor: Fraction, shift: Fraction = Fraction(0)) -> "LinearError":
        """The error of factor times the number, and a constant."""
        if factor == 1 and not shift:
            return self
        terms = ((factor * weight, source) for weight, source in self.terms)
        return LinearError(tuple(terms) if factor else (), factor * self.shift + shift)

    def plus(self, own: Fraction, other: "LinearError", others: Fraction) -> "LinearError":
        """The error of own·this + others·other; a draw that is in both is counted once."""
        weights: dict[NoiseDraw | JointDraw, Fraction] = {}
        for error, factor in ((self, own), (other, others)):
            for weight, source in error.terms:
                weights[source] = weights.get(source, Fraction(0)) + factor * weight
        shift = own * self.shift + others * other.shift
        terms = ((weight, source) for source, weight in weights.items() if weight)
        return LinearError(tuple(terms), shift)

    @property
    def nonnegative(self) -> bool:
        """Whether the number is never below 0, whatever the data are."""
        return self.shift >= 0 and all(
            weight >= 0 and draw.nonnegative for weight, draw in self.terms
        )

    def beside(self, other: "LinearError") -> SharedTerms:
        """The noises of both numbers, each with its weight in either."""
        if len(other.weights) < len(self.weights):
            turned = other.beside(self)
            return Counter({(noise, a, b): many for (noise, b, a), many in turned.items()})
        nothing = Fraction(0)
        terms = Counter(
            {(noise, nothing, weight): many for (noise, weight), many in other._kinds.items()}
        )
        for draw, weight in self.weights.items():
            if not isinstance(draw, NoiseDraw):
                continue
            others = other.weights.get(draw, nothing)
            if others:
                terms[draw.noise, nothing, others] -= 1
            terms[draw.noise, weight, others] += 1
        first, second = self._together, other._together
        for together in dict.fromkeys((*first, *second)):
            terms.update(
                _as_independent(together, first.get(together, {}), second.get(together, {}))
            )
        return +terms

    @cached_property
    def weights(self) -> Mapping[NoiseDraw | JointDraw, Fraction]:
        """The weight of each draw."""
        return {source: weight for weight, source in self.terms}

    @cached_property
    def _kinds(self) -> Counter[tuple[Noise, Fraction]]:
        """How many draws of its own noise there are of each weight."""
        return Counter(
            (one.noise, weight) for weight, one in self.terms if isinstance(one, NoiseDraw)
        )

    @cached_property
    def of_nonnegative(self) -> bool:
        """Whether it is a sum of numbers that are never below 0, and of nothing else."""
        return not self.shift and all(draw.nonnegative for _, draw in self.terms)

    @cached_property
    def least_weight(self) -> Fraction | None:
        """The least weight of a draw."""
        return min(self.weights.values(), default=None)


def summed_errors(errors: Sequence[LinearError]) -> LinearError:
    """The error of a sum; a draw that is in several is counted once, with all of its weights."""
    weights: dict[NoiseDraw | JointDraw, Fraction] = {}
    for error in errors:
        for weight, source in error.terms:
            weights[source] = weights.get(source, Fraction(0)) + weight
    shift = sum((error.shift for error in errors), Fraction(0))
    terms = ((weight, source) for source, weight in weights.items() if weight)
    return LinearError(tuple(terms), shift)


def _as_independent(
    together: JointNoise, first: Weighted, second: Weighted
) -> list[tuple[Noise, Fraction, Fraction]]:
    """Two sums of numbers with one noise, as sums of two independent normal draws.

    The second is a multiple of the first, and a rest.  Rounding is added to the deviations, which
    covers it wherever an interval is of one deviation or more.
    """
    deviation = sqrt(max(0.0, together.covariance(first, first)))
    shared = together.covariance(first, second) / deviation if deviation else 0.0
    rest = sqrt(max(0.0, together.covariance(second, second) - shared * shared))
    unit = together.normal(1.0)
    terms = [
        (unit, Fraction(deviation + together.slack(first)), Fraction(shared)),
        (unit, Fraction(0), Fraction(rest + together.slack(second))),
    ]
    return [term for term in terms if term[1] or term[2]]


@dataclass(frozen=True, eq=False)
class PartOf:
    """A number that is never larger than another one, of other draws: both are not negative."""

    part: LinearError
    whole: LinearError

    def declare(self) -> None:
        """Let the draws of the smaller one know."""
        for _, draw in self.part.terms:
            if isinstance(draw, NoiseDraw):
                draw.parts_of.append(self)

    def quotient(self, top: LinearError, bottom: LinearError) -> FloatInterval | None:
        """Where top/bottom lies, if these are parts of the one and a multiple of the other."""
        own, others = (
            {draw: one for one, draw in error.terms} for error in (self.part, self.whole)
        )
        if {draw for _, draw in bottom.terms} != set(others):
            return None
        times = {weight / others[draw] for weight, draw in bottom.terms}
        if len(times) > 1 or not all(draw in own for _, draw in top.terms):
            return None
        ratios = [weight / own[draw] / max(times) for weight, draw in top.terms]
        return as_float(min(*ratios, Fraction(0))), as_float(max(*ratios, Fraction(0)))


class Counted(Protocol):
    """What is known of the rows, or people, that caps left out."""

    def least_share(self, number: RealNumber, error: LinearError, miss: Fraction) -> float:
        """The part of so many rows that is counted at least, but for this chance."""


@dataclass(frozen=True)
class SumTruth:
    """Where a sum lies in truth, of which the caps may have left a part out.

    A row that is left out adds between ``low`` and ``high``.
    """

    bounds: Callable[[Fraction], FloatInterval]
    counted: Counted
    low: Fraction
    high: Fraction

    def interval(self, value: RealNumber, confidence: Fraction) -> FloatInterval:
        """The bounds at this confidence."""
        return self.bounds(confidence)


@dataclass(frozen=True)
class BoundedError:
    """The error is known through a function from confidence to bounds."""

    bounds: Callable[[Fraction], FloatInterval]
    times: float = 1.0
    """Where noise leaves the value open: about how many times ε, or the rows, would bound it."""
    possible: FloatInterval | None = None
    """Between which numbers any value lies, where that is known without the rows."""

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


def left_open(errors: Sequence[object]) -> str:
    """Which values noise leaves open, of one in each group, and what would bound them."""
    times = [one.times for one in errors if isinstance(one, BoundedError) and one.times > 1]
    if not times:
        return ""
    where = f" in {len(times):,} of {len(errors):,} groups" if len(errors) > 1 else ""
    more = "A larger ε, or more rows, would give one."
    if (largest := max(times)) < _MOST_TIMES:
        many = max(2, ceil(largest))
        more = f"About {many:,} times the ε, or as many times the rows, would give one."
    return (
        f"the noise may be as large as the variance of the columns{where}, so no interval is "
        f"known. {more} The value is shrunk toward zero (ridge)."
    )


@dataclass(frozen=True)
class RankError:
    """The value's error depends on the data; what is guaranteed is counted in records.

    With probability 95% at most so many records lie between the released value and the quantile
    that was asked for, or are missing from a chosen category to make it the fullest.
    """

    records: float
    behind: bool = False
    """Whether it is of a chosen category."""


@dataclass(frozen=True)
class MeasuredRankError:
    """The error of a value whose rank was measured, and which has an interval that was drawn.

    ``records`` is that of ``RankError``.  The bounds are of the kind of the value: dates are texts.
    """

    records: float
    bounds: Callable[[Fraction], tuple[Any, Any]]
    whole: bool = False
    """Whether the interval is the whole range: of so few rows no narrower one is known."""

    def interval(self, value: Any, confidence: Fraction) -> tuple[Any, Any]:
        """The bounds at this confidence: at 95% as drawn, and as narrow at any lower one."""
        return self.bounds(confidence)


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
    """The bounds of a quotient: none where the divisor may be on either side of 0."""
    low, high = second
    if low < 0 < high or low == high == 0:
        return -inf, inf
    least = 1 / high if high else -inf
    return multiplied_bounds(first, (least, 1 / low if low else inf))


def possible_quotient(top: LinearError, bottom: LinearError) -> FloatInterval:
    """Between which numbers the quotient of two true numbers lies, whatever the data are.

    Both are weighted sums of numbers, of which none is negative: the quotient lies between the
    least and the largest quotient of the weights.  A number that is known to be a part of the
    divisor is not larger than that, and a multiple of it has that quotient.
    Proof: docs/proofs/ratio.md
    """
    own, others = top.weights, bottom.weights
    if not top.shift and not bottom.shift and own and own.keys() == others.keys():
        times = {weight / others[draw] for draw, weight in own.items()}
        if len(times) == 1:  # one is a multiple of the other
            return as_float(*times), as_float(*times)
    if not (top.of_nonnegative and bottom.of_nonnegative):
        return -inf, inf
    if bottom.least_weight is None or bottom.least_weight < 0:
        return -inf, inf
    for known in next(iter(own)).parts_of if own else ():
        apart = known.quotient(top, bottom)
        if apart is not None:
            return apart
    beyond = [weight for draw, weight in own.items() if draw not in others]
    ratios = [weight / others[draw] for draw, weight in own.items() if draw in others]
    if len(ratios) < len(others):
        ratios.append(Fraction(0))
    low = -inf if min(beyond, default=0) < 0 else as_float(min(ratios))
    high = inf if max(beyond, default=0) > 0 else as_float(max(ratios))
    return low, high


def possible_value(top: RealNumber, bottom: RealNumber, possible: FloatInterval) -> float:
    """The quotient of two released numbers, moved to the nearest possible one.

    Where the noise left nothing of a divisor that is positive in truth, it is in the middle of what
    is possible, and not a number where that has no middle.
    """
    if possible == (-inf, inf):
        return quotient(top, bottom)
    low, high = possible
    if bottom > 0:
        return min(max(quotient(top, bottom), low), high)
    return low / 2 + high / 2 if isfinite(low) and isfinite(high) else float("nan")


def within_bounds(interval: FloatInterval, possible: FloatInterval) -> FloatInterval:
    """What of an interval is possible; all that is possible, if nothing of it is."""
    low, high = max(interval[0], possible[0]), min(interval[1], possible[1])
    return (low, high) if low <= high else possible


def quotient(top: RealNumber, bottom: RealNumber) -> float:
    """The quotient of two released numbers, NaN if the divisor is 0."""
    try:
        return top / bottom if bottom else float("nan")
    except OverflowError:
        return inf if (top > 0) == (bottom > 0) else -inf


def quotient_interval(
    first: float,
    second: float,
    terms: SharedTerms,
    miss: Fraction,
    possible: FloatInterval = (-inf, inf),
) -> FloatInterval:
    """Bounds of the quotient of two true numbers, from the released ones.

    ``terms`` are the draws of noise in both: each with its weight in the first number and its
    weight in the second.  ``possible`` is where the quotient lies whatever the data are.
    """
    scaled = _ScaledPair.of(first, second, terms)
    if scaled is None:
        return possible
    unit = scaled.units[0] / scaled.units[1]
    if not 0 < unit < inf:
        return possible
    intervals = []
    for sign in (1, -1):  # of the quotient
        if possible[0] >= 0 > sign or possible[1] <= 0 < sign:
            continue
        part = _shares(scaled.first, sign * scaled.second, scaled.draws(-sign, miss))
        if part is not None:
            intervals += [sign * unit * _odds(end) for end in part]
    return within_bounds((min(intervals), max(intervals)), possible) if intervals else possible


def widest_quotient(
    first: LinearError, second: LinearError, bottom: RealNumber, confidence: Fraction
) -> float | None:
    """How far a quotient may be from the truth if that many are counted in its divisor.

    None where it may be any number.  The noise matters most at the ends of what is possible: the
    squares of its weights are convex in the quotient.
    """
    possible = possible_quotient(first, second)
    if not all(map(isfinite, possible)) or bottom <= 0:
        return None
    terms, farthest = first.beside(second), 0.0
    for end in possible:
        low, high = quotient_interval(end * bottom, float(bottom), terms, 1 - confidence, possible)
        farthest = max(farthest, end - low, high - end)
    return farthest


@dataclass(frozen=True, slots=True)
class WeighedDraws:
    """Draws of noise in (1-λ)·first - λ·second, each with its weight at λ = 0 and at λ = 1.

    Weights are those of draws in scales of their noise.
    """

    noises: tuple[Noise, ...]
    starts: tuple[float, ...]
    ends: tuple[float, ...]
    counts: tuple[int, ...]
    miss: Fraction

    def distances(self) -> Floats | None:
        """Those of all cells, where they are known without adding up the laws."""
        each = [place for place, many in enumerate(self.counts) for _ in range(many)]
        noises = tuple(self.noises[place] for place in each)
        if not have_own_distances(noises):
            return None
        starts, ends = (tuple(one[place] for place in each) for one in (self.starts, self.ends))
        return joint_distances(noises, starts, ends, self.miss)

    def at(self, share: float) -> NoiseKinds:
        """The draws with their weights at a λ."""
        return self._weighed((1 - share) * a + share * b for a, b in self._ends)

    @property
    def change(self) -> NoiseKinds:
        """The draws with what is added to their weights from λ = 0 to λ = 1."""
        return self._weighed(b - a for a, b in self._ends)

    @property
    def _ends(self) -> list[FloatInterval]:
        return list(zip(self.starts, self.ends, strict=True))

    def _weighed(self, weights: Iterable[float]) -> NoiseKinds:
        kinds: NoiseKinds = Counter()
        for weight, noise, many in zip(weights, self.noises, self.counts, strict=True):
            if weight:
                scale = Fraction(read_steps(noise.steps)) * noise.grid.step
                kinds[abs(Fraction(weight)) / scale, noise] += many
        return kinds


@dataclass(frozen=True, slots=True)
class _ScaledPair:
    """Two released numbers, each counted in the largest scale of its draws."""

    first: float
    second: float
    units: FloatInterval
    noises: tuple[Noise, ...]
    weights: tuple[FloatInterval, ...]
    counts: tuple[int, ...]

    @staticmethod
    def of(first: float, second: float, terms: SharedTerms) -> "_ScaledPair | None":
        """The pair; None where floats cannot tell it."""
        noises = tuple(noise for noise, _, _ in terms)
        if not are_known(noises):
            return None
        sizes = [Fraction(read_steps(noise.steps)) * noise.grid.step for noise in noises]
        tops = [as_float(own * size) for (_, own, _), size in zip(terms, sizes, strict=True)]
        bottoms = [as_float(own * size) for (_, _, own), size in zip(terms, sizes, strict=True)]
        one, two = (max(map(abs, weights), default=0.0) for weights in (tops, bottoms))
        if not (0 < one < inf and 0 < two < inf):
            return None
        if not (isfinite(first / one) and isfinite(second / two)):
            return None
        weights = tuple((a / one, b / two) for a, b in zip(tops, bottoms, strict=True))
        counts = tuple(terms.values())
        return _ScaledPair(first / one, second / two, (one, two), noises, weights, counts)

    def draws(self, sign: int, miss: Fraction) -> "WeighedDraws":
        """The noise of (1-λ)·first + sign·λ·second."""
        pairs = [_canonical(a, sign * b) for a, b in self.weights]
        starts, ends = (tuple(pair[side] for pair in pairs) for side in (0, 1))
        return WeighedDraws(self.noises, starts, ends, self.counts, miss)


def product_interval(
    first: float,
    second: float,
    ends: tuple[FloatInterval, FloatInterval],
    terms: SharedTerms,
    miss: Fraction,
) -> FloatInterval:
    """Bounds of the product of two true numbers, from the released ones.

    ``ends`` are where each of them lies, and together they miss with a probability of at most
    BOX·miss: that bounds what the noise of one does to that of the other.  What the noise of both
    does together has the rest of the miss.  Proof: docs/proofs/ratio.md
    """
    scaled = _ScaledPair.of(first, second, terms)
    corners = multiplied_bounds(*ends)
    if scaled is None or not all(map(isfinite, corners)):
        return corners
    one, two = scaled.units
    products = [0.0] if all(low <= 0 <= high for low, high in ends) else []
    for own, other in product((1, -1), (1, -1)):  # the signs of the true numbers
        box = tuple(
            _distance_from_0(sign, (low / unit, high / unit))
            for sign, (low, high), unit in zip((own, other), ends, (one, two), strict=True)
        )
        known = scaled.draws(own * other, miss * (1 - BOX))
        values = (own * scaled.first, other * scaled.second)
        if box[0] is not None and box[1] is not None:
            part = _products(values, box[0], box[1], known)
            products += [own * other * one * two * end for end in part]
    if not products:
        return corners
    slack = 16 * _ROUNDED * max(map(abs, products))
    return max(min(products) - slack, corners[0]), min(max(products) + slack, corners[1])


def _distance_from_0(sign: int, ends: FloatInterval) -> FloatInterval | None:
    """Between which ends a number of this sign is, without it; None where it is none."""
    low, high = sorted(sign * end for end in ends)
    return (max(low, 0.0), high) if high >= 0 else None


@np.errstate(all="ignore")  # 0 times infinity and the like are no bound at all
def _products(
    values: FloatInterval, first: FloatInterval, second: FloatInterval, draws: WeighedDraws
) -> list[float]:
    """Bounds of A·B for A and B, both not negative, within their ends; empty if there are none.

    A·b + B·a - 2·A·B is the noise of both in the direction of (A, B), whose distance is known.
    """
    (low, high), (least, most) = first, second
    start = low / (low + most) if low else 0.0
    end = high / (high + least) if least else 1.0
    shares = np.linspace(max(start - _ROUNDED, 0.0), min(end + _ROUNDED, 1.0), _PIECES + 1)
    left, right = shares[:-1], shares[1:]
    reach = _reaches(draws, left, right) + 16 * _ROUNDED * (abs(values[0]) + abs(values[1]))
    middle = values[1] * shares + values[0] * (1 - shares)
    nearest = np.maximum(np.minimum(middle[:-1], middle[1:]) - reach, 0.0)
    farthest = np.maximum(middle[:-1], middle[1:]) + reach
    spread = shares * (1 - shares)
    widest = np.where((left <= 0.5) & (right >= 0.5), 0.25, np.maximum(spread[:-1], spread[1:]))
    lower = [
        nearest**2 / (4 * widest),
        low**2 * (1 - right) / right,
        least**2 * left / (1 - left),
        np.full(left.shape, low * least),
    ]
    upper = [
        farthest**2 / (4 * np.minimum(spread[:-1], spread[1:])),
        high**2 * (1 - left) / left,
        most**2 * right / (1 - right),
        np.full(left.shape, high * most),
    ]
    bottom = np.fmax.reduce(lower)
    top = np.fmin.reduce(upper)
    inside = (bottom <= top * (1 + 16 * _ROUNDED)) & (farthest >= 0)
    return [float(bottom[inside].min()), float(top[inside].max())] if inside.any() else []


def _reaches(draws: WeighedDraws, left: Floats, right: Floats) -> Floats:
    """The largest distance of the cells that each piece of [0, 1] is in."""
    known = draws.distances()
    if known is None:
        found = _found_distances(draws)
        known = found.distances
        found.sharpened(range(_cell(left[0], known.size), _cell(right[-1], known.size) + 1))
    pairs = [(_cell(a, known.size), _cell(b, known.size)) for a, b in zip(left, right, strict=True)]
    return np.array([known[a : b + 1].max() for a, b in pairs])


def _cell(share: float, cells: int) -> int:
    return min(int(share * cells), cells - 1)


def _shares(first: float, second: float, draws: WeighedDraws) -> FloatInterval | None:
    """The least interval around the λ that the noise allows; None if there is none.

    Where the distances are those of added-up laws, only those of the outer cells are looked for.
    """
    known = draws.distances()
    if known is not None:
        return share_cells(first, second, known)
    found = _found_distances(draws)
    while True:
        low, high = cell_shares(first, second, found.distances)
        (places,) = np.nonzero(low <= high)
        if places.size == 0:
            return None
        if not found.sharpened((int(places[0]), int(places[-1]))):
            return float(low[places].min()), float(high[places].max())


@dataclass(frozen=True, slots=True, eq=False)
class _FoundDistances:
    """The distances of cells, of which those of added-up laws are found when they are needed."""

    draws: WeighedDraws
    distances: Floats
    found: NDArray[np.bool_]

    def sharpened(self, places: Iterable[int]) -> bool:
        """Whether any of these distances was not found before; now all are."""
        new = [place for place in places if not self.found[place]]
        for place in new:
            summed = _summed_distance(self.draws, place)
            self.distances[place] = min(self.distances[place], summed)
            self.found[place] = True
        return bool(new)


@lru_cache(maxsize=64)  # the groups of a table have one
def _found_distances(draws: WeighedDraws) -> _FoundDistances:
    return _FoundDistances(draws, _rough_distances(draws), np.zeros(FINE_CELLS, np.bool_))


def _rough_distances(draws: WeighedDraws) -> Floats:
    """A distance for each cell by the variance: P[|W| > s] ≤ Var[W]/s², which is convex in λ."""
    spreads = [
        sum(many * _variance(*one) for one, many in draws.at(place / FINE_CELLS).items())
        for place in range(FINE_CELLS + 1)
    ]
    largest = np.maximum(spreads[:-1], spreads[1:])
    distances: Floats = np.sqrt(largest / read_miss(draws.miss)) * (1 + _FLOAT_ERROR)
    return distances


def _summed_distance(draws: WeighedDraws, place: int) -> float:
    """The distance of one cell by the laws added up in its middle, and how far its ends may be."""
    middle = _margin_of(draws.at((place + 0.5) / FINE_CELLS), 1 - draws.miss * (1 - _ENDS))
    change = _change_margin(draws)
    return (float(middle) + change / (2 * FINE_CELLS)) * (1 + _FLOAT_ERROR)


@lru_cache(maxsize=256)
def _change_margin(draws: WeighedDraws) -> float:
    """How far the sum moves from λ = 0 to λ = 1 at most, but for a small part of the miss."""
    return float(_margin_of(draws.change, 1 - draws.miss * _ENDS))


def _canonical(start: float, end: float) -> FloatInterval:
    """The weights of a draw, whose sign does not matter: it is as often its own opposite."""
    negative = start < 0 or (start == 0 and end > 0)
    return (-start, -end) if negative else (start, end)


def _odds(share: float) -> float:
    return share / (1 - share) if share < 1 else inf
