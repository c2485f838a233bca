"""Where a quotient lies, given its two numbers with Laplace noise: by the law of both together.

Let two true numbers have the quotient r.  Then the released ones, a and b, satisfy
a - r·b = X - r·Y, whose law is known for each r.  The interval holds every r for which a - r·b is
no farther from 0 than X - r·Y is with the confidence asked for, so it covers the truth that often
(Fieller's argument with the true law in place of the normal one).

The distances are tables over cells of λ = |r|·σ₂/(σ₁ + |r|·σ₂), where σ₁ and σ₂ are the scales of
the two noises: one distance holds for a whole cell.  Proof: docs/proofs/ratio.md
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import exp, expm1, inf, isfinite, log, log1p

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Interval = tuple[float, float]

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


def read_steps(steps: Fraction) -> float:
    """A scale in steps as a float: a tiny one is made larger, one beyond all use infinite."""
    return float(max(steps, _LEAST_STEPS)) if steps < _MOST_STEPS else inf


def read_miss(miss: Fraction) -> float:
    """A chance as a float above 0."""
    return max(float(miss), _LEAST_MISS)


def share_cells(first: float, second: float, distances: Floats) -> Interval | None:
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
    first: float, second: float, steps: tuple[Fraction, Fraction], sizes: Interval, miss: Fraction
) -> Interval:
    """Bounds of the quotient of two true numbers, from the released ones.

    ``steps`` are the scales of their noises in steps of their grids, ``sizes`` in their own units.
    """
    if inf in map(read_steps, steps):
        return -inf, inf
    distances = pair_distances(*steps, miss)
    top, bottom, unit = first / sizes[0], second / sizes[1], sizes[0] / sizes[1]
    if not (isfinite(top) and isfinite(bottom) and 0 < unit < inf):
        return -inf, inf
    found = []
    for sign in (1, -1):  # of the quotient
        part = share_cells(top, sign * bottom, distances)
        if part is not None:
            found += [sign * unit * _odds(end) for end in part]
    return (min(found), max(found)) if found else (-inf, inf)


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
    found: Floats = reach * (1 + _PRECISION) + rounding
    return found


def rounding_steps(scale: float) -> float:
    """How many steps integer noise is at most from continuous noise of the same scale."""
    return 1 + scale * log1p(expm1(-1 / scale) / 2)


def _held_apart(weights: Floats) -> Floats:
    """Scales at least as large, of which no two of a row are nearly equal and none is nearly 0."""
    found = np.sort(weights, axis=1)
    least = np.maximum(found[:, -1], 1e-300) * _APART
    for place in range(found.shape[1]):
        found[:, place] = np.maximum(found[:, place], least)
        least = found[:, place] * (1 + _APART)
    return found


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
    found: Floats = np.minimum(
        _at_least(np.floor(above) + 1, scale) + _at_least(1 - np.ceil(below), scale), 1.0
    )
    return found


def _at_least(values: Floats, scale: float) -> Floats:
    """P[X ≥ value] for integer Laplace noise X: q^value/(1+q) from 1 up, by symmetry below."""
    norm = 1 + exp(-1 / scale)
    positive = np.exp(-np.clip(values, 1, inf) / scale) / norm
    negative = 1 - np.exp(-np.clip(1 - values, 1, inf) / scale) / norm
    return np.where(values >= 1, positive, negative)
