"""Noisy counts, given that they reach a threshold.  Proof: docs/proofs/sieve.md"""

from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.additive import exact_sum, fitting
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.noise import BitSource, gaussian, geometric, laplace
from discreet.noise.bernoulli import bernoulli_decay


def noise_array(noise: Laplace | Gaussian, count: int, source: BitSource) -> NDArray[Any]:
    """So many independent draws of the noise, in integers."""
    if isinstance(noise, Laplace):
        return laplace(noise.scale, count, source=source)
    return gaussian(noise.sigma**2, count, source=source)


def counts_above(
    noise: Laplace | Gaussian, threshold: int, units: NDArray[np.int64], source: BitSource
) -> NDArray[Any]:
    """Each number of units plus noise, given that the sum reaches the threshold.

    Where that is likely the noise is drawn until it does.  Elsewhere the excess is drawn.
    """
    noisy = np.empty(units.size, np.object_)
    near = units >= threshold - near_distance(noise)
    waiting = np.flatnonzero(near)
    while waiting.size:
        tried = exact_sum(units[waiting], noise_array(noise, waiting.size, source))
        reached = np.asarray(tried >= threshold, np.bool_)
        noisy[waiting[reached]] = tried[reached]
        waiting = waiting[~reached]
    for value, places in by_value(units, np.flatnonzero(~near)):
        noisy[places] = excess(noise, threshold - value, places.size, source) + threshold
    return fitting(noisy)


def near_distance(noise: Laplace | Gaussian) -> int:
    """What the noise reaches with a probability above 1/8: nothing, or the spread rounded down."""
    return isqrt(int(noise.sigma**2)) if isinstance(noise, Gaussian) else 0


def excess(
    noise: Laplace | Gaussian, missing: int, count: int, source: BitSource
) -> NDArray[np.object_]:
    """``noise - missing`` given that it is 0 or more, for missing ≥ 1.

    For Laplace noise that is geometric.  For Gaussian noise e^(-(missing+k)²/(2·variance)) is, up
    to a constant, e^(-k·missing/variance), which is geometric, times e^(-k²/(2·variance)), with
    which probability it is kept.
    """
    if isinstance(noise, Laplace):
        return geometric(noise.scale, count, source=source).astype(np.object_)
    variance = noise.sigma**2
    found = np.empty(count, np.object_)
    waiting = np.arange(count)
    while waiting.size:
        tried = geometric(variance / missing, waiting.size, source=source).astype(np.object_)
        kept = np.fromiter(
            (
                bernoulli_decay(k * k * variance.denominator, 2 * variance.numerator, source)
                for k in tried
            ),
            np.bool_,
            tried.size,
        )
        found[waiting[kept]] = tried[kept]
        waiting = waiting[~kept]
    return found


def by_value(
    units: NDArray[np.int64], places: NDArray[np.int64]
) -> list[tuple[int, NDArray[np.int64]]]:
    """The places with their number of units, in groups of one number, in order of it."""
    ordered = places[np.argsort(units[places], kind="stable")]
    values, starts = np.unique(units[ordered], return_index=True)
    return list(zip(values.tolist(), np.split(ordered, starts[1:]), strict=False))
