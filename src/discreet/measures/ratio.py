"""Where a share or a variance lies, given two or three noisy sums.

If the true share is p, the noisy numbers satisfy part·(1-p) - rest·p = (1-p)·X1 - p·X2 with
independent Laplace X1, X2, whose law is known.  The interval holds every p for which that
combination is within its own quantile, so it covers the truth with the confidence asked for
(``privacy.pairs``).  Proof: docs/proofs/ratio.md, docs/proofs/variance.md
"""

from fractions import Fraction
from functools import lru_cache
from math import inf, isfinite

import numpy as np

from discreet.mechanisms.laplace import Laplace
from discreet.privacy.pairs import (
    FINE_CELLS,
    Floats,
    distance,
    pair_distances,
    read_miss,
    read_steps,
    share_cells,
)
from discreet.privacy.uncertainty import as_float, quotient

_MEAN_PART = Fraction(1, 16)  # of the chance to miss: where the mean is, which matters little
_NARROWINGS = 3
_ROUNDED = 2.0**-48

LARGEST = 0.25
"""The variance of values half at either end, in squared widths."""

Interval = tuple[float, float]


def share(part: int, rest: int) -> float:
    """part/(part + rest), kept within [0, 1]; one half where the noise left nothing."""
    return min(max(quotient(part, part + rest), 0.0), 1.0) if part + rest > 0 else 0.5


def share_interval(part: int, rest: int, mechanism: Laplace, confidence: Fraction) -> Interval:
    """Bounds of part/(part + rest), for two counts with independent noise of one mechanism."""
    if read_steps(mechanism.steps) == inf:
        return 0.0, 1.0
    distances = pair_distances(mechanism.steps, mechanism.steps, 1 - confidence)
    return _within(part, rest, mechanism, distances)


def share_of_squares(below: int, between: int, above: int) -> float:
    """Where the mean lies between the bounds, from the sums of (1-x)², 2x(1-x) and x²."""
    return share(2 * above + between, 2 * below + between)


def share_of_squares_interval(
    sums: tuple[int, int, int], mechanism: Laplace, confidence: Fraction
) -> Interval:
    """Bounds of that, for three sums with independent noise of one mechanism."""
    if read_steps(mechanism.steps) == inf:
        return 0.0, 1.0
    below, between, above = sums
    distances = _square_distances(mechanism, 1 - confidence)
    return _within(2 * above + between, 2 * below + between, mechanism, distances)


def triple_distance(weights: tuple[float, float, float], mechanism: Laplace, miss: float) -> float:
    """How many scales |Σ weight·X| exceeds with at most this probability, for three draws.

    Of a coarse grid, the distance at which all three may be at once is the lesser one.
    """
    steps, level = read_steps(mechanism.steps), 1 - Fraction(miss)
    corner = as_float(Fraction(mechanism.accuracy(level, cells=3)) / mechanism.grid.step) / steps
    return min(distance(weights, [steps] * 3, miss), sum(weights) * corner)


@lru_cache(maxsize=64)  # the groups of a table have one
def _square_distances(mechanism: Laplace, miss: Fraction) -> Floats:
    """By cell of the share p, for 2(1-p)·above + (1-2p)·between - 2p·below."""
    found = []
    for cell in range(FINE_CELLS):
        low, high = cell / FINE_CELLS, (cell + 1) / FINE_CELLS
        weights = (2 * (1 - low), max(abs(1 - 2 * low), abs(1 - 2 * high)), 2 * high)
        found.append(triple_distance(weights, mechanism, read_miss(miss)))
    return np.array(found)


def _within(first: int, second: int, mechanism: Laplace, distances: Floats) -> Interval:
    """The shares that the distances allow, with the one that is released; all, if none is."""
    steps = Fraction(read_steps(mechanism.steps))
    part, rest = as_float(first / steps), as_float(second / steps)
    found = share_cells(part, rest, distances) if isfinite(part + rest) else None
    if found is None:
        return 0.0, 1.0
    center = share(first, second)
    return max(min(found[0], center), 0.0), min(max(found[1], center), 1.0)


def variance_of(below: int, between: int, above: int) -> Fraction:
    """The variance that three sums say, in any unit; 0 where the noise left nothing."""
    whole = below + between + above
    return Fraction(4 * below * above - between**2, 4 * whole**2) if whole > 0 else Fraction(0)


def variance_interval(
    sums: tuple[int, int, int], mechanism: Laplace, confidence: Fraction
) -> Interval:
    """Bounds of the variance, for three sums with independent noise of one mechanism.

    If m is the mean and v the variance, m²·s0 - m(1-m)·s1 + (1-m)²·s2 = v·(s0 + s1 + s2).  Where
    the mean may be is found first, with a small part of the chance to miss.  Of a variance within
    bounds the noise of both sides together has a known law, which gives narrower bounds.
    """
    miss = 1 - confidence
    whole = sum(sums)
    if whole <= 0 or read_steps(mechanism.steps) == inf:
        return 0.0, LARGEST
    low, high = share_of_squares_interval(sums, mechanism, 1 - miss * _MEAN_PART)
    center = float(Fraction(sums[1] + 2 * sums[2], 2 * whole))
    found = float(variance_of(*sums))
    scales = as_float(Fraction(read_steps(mechanism.steps)) / whole)
    near, far = max(low - center, center - high, 0.0), max(abs(low - center), abs(high - center))
    least, most = 0.0, LARGEST
    for _ in range(_NARROWINGS):
        spread = 0.25 if low <= 0.5 <= high else max(low * (1 - low), high * (1 - high))
        weights = (
            max(abs(low * low - most), abs(high * high - least)),
            spread + most,
            max(abs((1 - high) ** 2 - most), abs((1 - low) ** 2 - least)),
        )
        slack = scales * triple_distance(weights, mechanism, read_miss(miss * (1 - _MEAN_PART)))
        least = max(least, min(found + near**2 - slack - _ROUNDED, most))
        most = min(most, max(found + far**2 + slack + _ROUNDED, least))
    return min(least, max(found, 0.0)), max(most, min(found, LARGEST))
