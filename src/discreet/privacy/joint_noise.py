"""Several draws of noise together: how far a weighted sum of them reaches.

Proof: docs/proofs/ratio.md
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, erfc, exp, expm1, inf, isfinite, log, log1p, pi, sqrt
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.exact import Grid

Floats = NDArray[np.float64]
FloatInterval = tuple[float, float]

CELLS = 128
"""Into how many cells shares are cut where the grid is coarse."""
FINE_CELLS = 256
"""The same where it is fine: there the largest weights of a cell are taken together."""
_LEAST_MISS = 1e-200
_LEAST_STEPS, _MOST_STEPS = Fraction(1, 1000), Fraction(10**150)
_STEPS = 60
_PRECISION = 1e-6
_APART = 1e-3  # scales are held apart by this part, since their differences are divided by
_HALVINGS = 30
_INWARD = 1e-9  # a lattice point this near to a bound is taken to be outside: floats round
_CUT = 1e-3  # the part of the miss that may lie beyond the points that are listed
_ULP = 2.0**-53
_TABLED = 4096  # up to this scale in steps the chances of Gaussian noise are listed
_SPARE = 1e-5  # the part of the miss that each of two neglected parts may have
_LEAST_SUMMED = 1e-8  # below this chance a sum of sines says nothing in floats
_SUMMED_ERROR = 1e-12  # above what adding up the sines rounds away
_MOST_TERMS = 1 << 16
_FARTHEST = 40  # scales beyond which floats see nothing of Gaussian noise


class NoiseFamily(Protocol):
    """The noises of one form, of every scale.  Scales and values are counted in steps."""

    coarse: ClassVar[float]
    """Up to this scale two noises are summed point by point; above, taken for continuous."""
    most: ClassVar[int | None]
    """Of how many noises it knows the distances; None for any number."""

    def chances(self, values: Floats, scale: float) -> Floats:
        """P[X = value] for each whole value from 0 up."""

    def at_least(self, values: Floats, scale: float) -> Floats:
        """P[X ≥ value] for each whole value, or a little more."""

    def reach(self, miss: float) -> float:
        """How many scales |X| exceeds with at most this probability, whatever the scale."""

    def rounding(self, scale: float) -> float:
        """How many steps a noise is at most from a continuous one of the same scale."""

    def distances(self, weights: Floats, miss: float) -> Floats:
        """For each row of weights a distance that |Σ weight·Z| exceeds with at most this chance.

        Z are continuous noises of scale 1.  The distance grows with each weight.
        """


class Noise(Protocol):
    """Symmetric noise on a grid with a known law."""

    family: ClassVar[NoiseFamily]
    """The noises of the same form."""

    def __hash__(self) -> int:
        """It is a value."""

    @property
    def grid(self) -> Grid:
        """The grid of the noise."""

    @property
    def steps(self) -> Fraction:
        """Its scale in steps of the grid."""

    @property
    def variance(self) -> float:
        """The variance of one draw."""

    def accuracy(self, confidence: object, /, *, cells: int = 1) -> int | float:
        """The least a with P[|noise| ≤ a in all cells at once] ≥ confidence."""

    def tail(self, distances: Floats, /) -> Floats:
        """P[|noise| > distance] for each distance."""


class _LaplaceFamily:
    """P(k) ∝ e^(-|k|/scale)."""

    coarse: ClassVar[float] = 16
    most: ClassVar[int | None] = 4  # partial fractions of more nearly equal scales lose all digits

    def chances(self, values: Floats, scale: float) -> Floats:
        """q^value·(1-q)/(1+q)."""
        law: Floats = np.exp(-values / scale) * ((1 - exp(-1 / scale)) / (1 + exp(-1 / scale)))
        return law

    def at_least(self, values: Floats, scale: float) -> Floats:
        """q^value/(1+q) from 1 up, by symmetry below."""
        norm = 1 + exp(-1 / scale)
        positive = np.exp(-np.clip(values, 1, inf) / scale) / norm
        negative = 1 - np.exp(-np.clip(1 - values, 1, inf) / scale) / norm
        return np.where(values >= 1, positive, negative)

    def reach(self, miss: float) -> float:
        """P[|X| ≥ k] = 2q^k/(1+q) is at most 2e^(-k/scale)."""
        return log(2 / miss)

    def rounding(self, scale: float) -> float:
        """|X| is |Z| plus at most a half, rounded down, so that the tails are the same."""
        return 1 + scale * log1p(expm1(-1 / scale) / 2)

    def distances(self, weights: Floats, miss: float) -> Floats:
        """From partial fractions of the characteristic function."""
        scales = _held_apart(weights)
        squares = scales * scales
        parts = np.ones_like(scales)
        for one in range(scales.shape[1]):
            for other in range(scales.shape[1]):
                if other != one:
                    parts[:, one] *= squares[:, one] / (squares[:, one] - squares[:, other])
        # The logarithm of the tail is concave: Newton's method comes down to the distance from
        # above.
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
        distances: Floats = reach * (1 + _PRECISION)
        return distances


class _GaussianFamily:
    """P(k) ∝ e^(-k²/(2·scale²))."""

    coarse: ClassVar[float] = 32
    most: ClassVar[int | None] = None

    def chances(self, values: Floats, scale: float) -> Floats:
        """The density, by what it adds up to."""
        places = np.arange(1, _FARTHEST * scale + 2)
        whole = 1 + 2 * float(_bell(places, scale).sum())
        return _bell(values, scale) / whole

    def at_least(self, values: Floats, scale: float) -> Floats:
        """Summed up; of a wide one the bound P[X ≥ k] ≤ P[Z ≥ k-1], and P[X ≥ k] ≥ P[Z ≥ k]."""
        upward = values >= 1
        if scale > _TABLED:
            reaches = np.where(upward, values - 1, 1 - values) / (sqrt(2) * scale)
            beyond: Floats = _erfc(reaches) / 2
        else:
            tails = _gaussian_tails(scale)
            places = np.clip(np.where(upward, values, 1 - values), 0, tails.size - 1)
            beyond = tails[places.astype(np.int64)]
        return np.where(upward, beyond, 1 - beyond)

    def reach(self, miss: float) -> float:
        """P[X ≥ k] ≤ e^(-k²/(2·scale²))."""
        return sqrt(2 * log(2 / miss))

    def rounding(self, scale: float) -> float:
        """P[|Z| ≥ k] ≤ P[|X| ≥ k] ≤ P[|Z| ≥ k-1], so that |X| is |Z| rounded up or down."""
        return 1.0

    def distances(self, weights: Floats, miss: float) -> Floats:
        """The sum is normal."""
        distances: Floats = np.sqrt((weights * weights).sum(1))
        return distances * (_normal_quantile(miss) * (1 + _PRECISION))


LAPLACE: NoiseFamily = _LaplaceFamily()
GAUSSIAN: NoiseFamily = _GaussianFamily()


def _bell(values: Floats, scale: float) -> Floats:
    bell: Floats = np.exp(-(values * values) / (2 * scale * scale))
    return bell


@lru_cache(maxsize=16)
def _gaussian_tails(scale: float) -> Floats:
    """P[X ≥ k] for k = 0, 1, … up to where floats see nothing."""
    values = np.arange(ceil(_FARTHEST * scale) + 2, dtype=np.float64)
    chances = GAUSSIAN.chances(values, scale)
    tails: Floats = np.append(np.cumsum(chances[::-1])[::-1], 0.0)
    return tails


def _erfc(values: Floats) -> Floats:
    beyond: Floats = np.fromiter(map(erfc, values.ravel()), np.float64, values.size)
    return beyond.reshape(values.shape)


@lru_cache(maxsize=64)
def _normal_quantile(miss: float) -> float:
    """The z with P[|N(0, 1)| > z] = miss, or a little more."""
    low, high = 0.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if erfc(middle / sqrt(2)) > miss else (low, middle)
    return high


def _held_apart(weights: Floats) -> Floats:
    """Scales at least as large, of which no two of a row are nearly equal and none is nearly 0."""
    scales = np.sort(weights, axis=1)
    least = np.maximum(scales[:, -1], 1e-300) * _APART
    for place in range(scales.shape[1]):
        scales[:, place] = np.maximum(scales[:, place], least)
        least = scales[:, place] * (1 + _APART)
    return scales


def read_steps(steps: Fraction) -> float:
    """A scale in steps as a float: a tiny one is made larger, one beyond all use infinite."""
    return float(max(steps, _LEAST_STEPS)) if steps < _MOST_STEPS else inf


def read_miss(miss: Fraction) -> float:
    """A chance as a float above 0."""
    return max(float(miss), _LEAST_MISS)


def are_known(noises: Sequence[Noise]) -> bool:
    """Whether floats can tell the scales of these draws."""
    return all(read_steps(noise.steps) < inf for noise in noises)


def have_own_distances(noises: Sequence[Noise]) -> bool:
    """Whether the distances of these draws are known together without adding up their laws.

    That is two draws, any of them few steps wide; or draws of one family on fine grids.
    """
    coarse = any(_is_coarse(noise) for noise in noises)
    if coarse or len(noises) < 2:
        return len(noises) <= 2
    families = {id(noise.family): noise.family for noise in noises}
    if len(families) > 1:
        return False
    (family,) = families.values()
    return family.most is None or len(noises) <= family.most


# ---------------------------------------------------------------------- distances


@lru_cache(maxsize=256)  # the groups of a table have one
def joint_distances(
    noises: tuple[Noise, ...], starts: tuple[float, ...], ends: tuple[float, ...], miss: Fraction
) -> Floats:
    """For each cell of λ in [0, 1] a distance that |Σ ((1-λ)·start + λ·end)·X/steps| exceeds with
    at most the probability ``miss``, whatever λ in the cell is.

    X are independent draws of the noises, and steps are the scales of these.
    """
    weighed = [
        (noise, start, end)
        for noise, start, end in zip(noises, starts, ends, strict=True)
        if start or end
    ]
    allowed = read_miss(miss)
    if len(weighed) == 2 and any(_is_coarse(noise) for noise, _, _ in weighed):
        wider, narrower = sorted(weighed, key=lambda one: one[0].steps, reverse=True)
        edges = np.arange(CELLS + 1) / CELLS
        weights = [start + (end - start) * edges for _, start, end in (wider, narrower)]
        return _lattice_distances((wider[0], narrower[0]), weights, allowed)
    edges = (np.arange(FINE_CELLS + 1) / FINE_CELLS)[:, None]
    first, last = (np.array([one[side] for one in weighed]) for side in (1, 2))
    at_edges = np.abs(first + (last - first) * edges)
    largest = np.maximum(at_edges[:-1], at_edges[1:])
    return _weighted_distances([noise for noise, _, _ in weighed], largest, allowed)


def weighted_distance(noises: Sequence[Noise], weights: Sequence[float], miss: Fraction) -> float:
    """A distance that |Σ weight·X/steps| exceeds with at most this probability."""
    rows = np.abs(np.array([weights], np.float64))
    return float(_weighted_distances(noises, rows, read_miss(miss))[0])


@lru_cache(maxsize=4096)  # those of public weights are asked for by every group
def sum_distance(noise: Noise, weights: tuple[float, ...], miss: Fraction) -> float:
    """The same for any number of draws of one noise, of which |weight|·X/steps are added up.

    It grows with each |weight|.
    """
    scale, allowed = read_steps(noise.steps), read_miss(miss)
    sizes = np.abs(np.array(weights, np.float64))
    sizes = sizes[sizes > 0]
    if not sizes.size:
        return 0.0
    if scale == inf or not np.isfinite(sizes).all():
        return inf
    rounding = float(sizes.sum()) * noise.family.rounding(scale) / scale
    if noise.family.most is None:
        return float(noise.family.distances(sizes[None, :], allowed)[0]) + rounding
    return laplace_sum_distance(sizes, allowed) + rounding


def laplace_sum_distance(sizes: Floats, miss: float) -> float:
    """A distance that |Σ size·Z| exceeds with at most this chance, for Laplace noises of scale 1.

    The chance to be inside comes from the characteristic function, a product of 1/(1 + size²u²),
    at equally spaced u.  What such a sum adds to it is the chance to be a whole period away, and
    what it leaves out is bounded by its last term: both are held below a part of the miss, so that
    the distance is never too short.  Proof: docs/proofs/relations-between-columns.md
    """
    unit = sqrt(2 * float((sizes * sizes).sum()))
    scaled = sizes / unit  # the sum has the variance 1
    farthest = _chernoff(scaled, miss)
    if miss < _LEAST_SUMMED:
        return farthest * unit
    spare = miss * _SPARE
    step = 2 * pi / (farthest + _chernoff(scaled, spare))
    largest, count = float(scaled.max()), 64
    while True:
        ends = scaled * (step * count)
        left = exp(-float(np.log1p(ends * ends).sum()))
        if left * (1 + 1 / (largest * step * count) ** 2) / pi <= spare:
            break
        if count >= _MOST_TERMS:
            return farthest * unit
        count *= 2
    places = np.arange(1, count + 1) * step
    logs = np.zeros(count)
    for size in scaled:
        logs -= np.log1p((size * places) ** 2)
    terms = np.exp(logs) / np.arange(1, count + 1)
    low, high = 0.0, farthest
    for _ in range(_HALVINGS + 10):
        middle = (low + high) / 2
        inside = (step * middle + 2 * float(np.sin(places * middle) @ terms)) / pi
        if 1 - inside + 2 * spare + _SUMMED_ERROR <= miss:
            high = middle
        else:
            low = middle
    return high * unit


def _chernoff(scaled: Floats, miss: float) -> float:
    """Where 2·E[e^(λS)]·e^(-λt) is this chance, for the best of a few λ."""
    rates = np.linspace(0.02, 0.98, 49) / float(scaled.max())
    powers = -np.log1p(-((rates[:, None] * scaled) ** 2)).sum(1)
    return float(((log(2 / miss) + powers) / rates).min()) * (1 + _PRECISION)


def _is_coarse(noise: Noise) -> bool:
    return read_steps(noise.steps) <= noise.family.coarse


@np.errstate(all="ignore")  # whatever else is to be raised: chances below all floats are 0
def _weighted_distances(noises: Sequence[Noise], weights: Floats, miss: float) -> Floats:
    """The distance for each row of weights, none of them negative.

    It is that of continuous noise, and what each noise is at most from a continuous one; or, on a
    coarse grid, the lesser distance at which all of them may be at once.  All noises are of one
    family.
    """
    (family,) = {id(noise.family): noise.family for noise in noises}.values()
    scales = [read_steps(noise.steps) for noise in noises]
    corners = [
        _corner(noise, len(noises), miss) / scale
        for noise, scale in zip(noises, scales, strict=True)
    ]
    corner: Floats = weights @ np.array(corners)
    rounding = weights @ np.array([family.rounding(scale) / scale for scale in scales])
    distances: Floats = np.minimum(family.distances(weights, miss) + rounding, corner)
    return distances


@lru_cache(maxsize=256)
def _corner(noise: Noise, cells: int, miss: float) -> float:
    """How many steps so many draws are at most at once, but for this chance."""
    reach = noise.accuracy(1 - Fraction(miss), cells=cells)
    return float(Fraction(reach) / noise.grid.step) if isfinite(reach) else inf


# ---------------------------------------------------------------------- coarse grids


@np.errstate(all="ignore")  # whatever else is to be raised: chances below all floats are 0
def _lattice_distances(
    noises: tuple[Noise, Noise], weights: Sequence[Floats], miss: float
) -> Floats:
    """The distances where the second noise takes few values: each is taken in turn.

    ``weights`` are those of either noise at the edges of the cells.
    """
    (first, second), (wide, narrow) = (read_steps(one.steps) for one in noises), noises
    reach = int(second * narrow.family.reach(_CUT * miss)) + 1
    values = np.arange(reach + 1, dtype=np.float64)
    chances = narrow.family.chances(values, second)
    chances[1:] *= 2  # a value and its opposite miss alike
    beyond = 2 * float(narrow.family.at_least(np.array([reach + 1.0]), second)[0])
    allowed = (miss - beyond) * (1 - 1e-9)
    signs = np.where(weights[0] < 0, -1.0, 1.0)
    shifts = (-signs * weights[1])[:, None] * (values / second)  # by edge and value
    steps = (first / np.abs(weights[0]))[:, None]
    farthest = max(one.family.reach(miss / 4) for one in noises) + 1 / second
    low = np.zeros(CELLS)
    high = np.full(CELLS, farthest * float((np.abs(weights[0]) + np.abs(weights[1])).max()))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        outside = _outside(middle, shifts, steps, wide) @ chances > allowed
        low, high = np.where(outside, middle, low), np.where(outside, high, middle)
    return high


def _outside(distances: Floats, shifts: Floats, steps: Floats, noise: Noise) -> Floats:
    """By cell and value of the second noise, how likely the first takes the sum too far.

    The sum is too far in a cell if it is at one of its ends: it is linear in λ.
    """
    above, below = np.full(shifts[1:].shape, inf), np.full(shifts[1:].shape, -inf)
    for ends in (slice(None, -1), slice(1, None)):
        shift, step = shifts[ends], steps[ends]
        reach = distances[:, None]
        high, low = step * (shift + reach), step * (shift - reach)
        only = np.isinf(step)  # the first noise does not count
        inside = np.abs(shift) <= reach
        high = np.where(only, np.where(inside, inf, -inf), high)
        low = np.where(only, np.where(inside, -inf, inf), low)
        above, below = np.minimum(above, high), np.maximum(below, low)
    above -= _INWARD * (1 + np.abs(above))
    below += _INWARD * (1 + np.abs(below))
    scale = read_steps(noise.steps)
    probabilities: Floats = np.minimum(
        noise.family.at_least(np.floor(above) + 1, scale)
        + noise.family.at_least(1 - np.ceil(below), scale),
        1.0,
    )
    return probabilities


# ---------------------------------------------------------------------- shares


def share_cells(first: float, second: float, distances: Floats) -> FloatInterval | None:
    """The least interval around all λ in [0, 1] with |first·(1-λ) - second·λ| within the distance
    of its cell; None if there is none.
    """
    low, high = cell_shares(first, second, distances)
    inside = low <= high
    return (float(low[inside].min()), float(high[inside].max())) if inside.any() else None


def cell_shares(first: float, second: float, distances: Floats) -> tuple[Floats, Floats]:
    """In each cell the least and the largest such λ; where there is none, the least is larger."""
    cells = distances.size
    low, high = np.arange(cells) / cells, np.arange(1, cells + 1) / cells
    whole = first + second
    if whole == 0:
        return low, np.where(np.abs(first) <= distances, high, -1.0)
    slack = 8 * _ULP * (abs(first) + abs(second)) / abs(whole)
    ends = ((first - distances) / whole, (first + distances) / whole)
    return np.maximum(low, np.minimum(*ends) - slack), np.minimum(high, np.maximum(*ends) + slack)
