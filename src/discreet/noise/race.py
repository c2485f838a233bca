"""Exact random choices among many candidates.

``weighted_choice`` draws index i with probability proportional to count_i · e^(-rate·depth_i), by
inversion: the exponential mechanism.  ``exponential_race`` draws the argmax of
rate·score_i + E_i with independent standard exponential E_i = -ln U_i: permute-and-flip.

Floats find the winner; where they are nearer to a tie than their proven error, integers of any
length decide from more bits of the same uniforms.  Proof: docs/proofs/race.md
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.exact import exp_minus
from discreet.noise.entropy import BitSource

Integers = NDArray[np.int64]

_BLOCK = 1 << 16


def weighted_choice(
    depths: Sequence[int] | Integers,
    rate: Fraction,
    source: BitSource,
    counts: Sequence[int] | Integers | None = None,
) -> int:
    """Index i with probability proportional to counts[i] · e^(-rate·depths[i]), exactly.

    Depths are non-negative integers below 2^53 with at least one zero, so that the largest
    weight is near one; counts are positive integers.

    >>> from discreet.noise.entropy import Keystream
    >>> weighted_choice([0, 10**6], Fraction(1), Keystream())
    0
    """
    depth = np.asarray(depths, np.float64)
    weight = np.exp(-np.minimum(depth * float(rate), 800.0))
    if counts is not None:
        weight *= np.asarray(counts, np.float64)
    cumulative = np.cumsum(weight)
    total = float(cumulative[-1])
    uniform = source.bits(64)
    place = uniform * 2.0**-64 * total
    # Exponents up to 800 carry 2^-42 of relative error; each addition carries 2^-53.
    margin = total * (2.0**-40 + depth.size * 2.0**-52)
    first, last = np.searchsorted(cumulative, [place - margin, place + margin], "right")
    if first == last and first < depth.size:
        return int(first)
    return _choose_exactly(depths, rate, counts, uniform, source)


def _choose_exactly(
    depths: Sequence[int] | Integers,
    rate: Fraction,
    counts: Sequence[int] | Integers | None,
    uniform: int,
    source: BitSource,
) -> int:
    held = 64
    while True:
        work = held + 64
        weights = {depth: exp_minus(rate * depth, work) for depth in {int(d) for d in depths}}
        multiples = [1] * len(depths) if counts is None else [int(count) for count in counts]
        lows, highs = [0], [0]
        for depth, multiple in zip(depths, multiples, strict=True):
            low, high = weights[int(depth)]
            lows.append(lows[-1] + multiple * low)
            highs.append(highs[-1] + multiple * high)
        # U·total lies in [uniform·total_low, (uniform + 1)·total_high)/2^held.
        least, most = uniform * lows[-1], (uniform + 1) * highs[-1]
        for index in range(len(depths)):
            if highs[index] << held <= least and most <= lows[index + 1] << held:
                return index
        uniform, held = uniform << held | source.bits(held), 2 * held


def exponential_race(scores: Integers, rate: Fraction, source: BitSource) -> int:
    """The argmax of rate·scores[i] - ln U_i over independent uniforms, exactly.

    Scores are integers with |score| < 2^53.

    >>> from discreet.noise.entropy import Keystream
    >>> exponential_race(np.array([0, 10**6]), Fraction(1), Keystream())
    1
    """
    # Measured from the best score, so that floats are finest where it matters; a candidate
    # 2000/rate behind can win only if some -ln U exceeds 1900, and is then left to the margin.
    best = int(scores.max())
    lag = (best - scores).astype(np.float64) * float(rate)
    words = np.empty(scores.size, np.uint64)
    for start in range(0, words.size, _BLOCK):
        source.fill(words[start : start + _BLOCK])
    key = np.log(words.astype(np.float64) + 0.5)
    key -= 64 * np.log(2)
    key += lag
    key *= -1.0
    top = float(key.max())
    # A word stands for [word, word + 1), so -ln U may exceed its float by much when it is small.
    slack = 2.0**-40 + 2.0**-40 * np.minimum(lag, 2.0**20) + 2.0 / (words.astype(np.float64) + 0.5)
    unbounded = words == 0
    contenders = np.flatnonzero((key + slack >= top - 2.0**-20) | unbounded)
    if contenders.size == 1:
        return int(contenders[0])
    return _race_exactly(
        [int(index) for index in contenders],
        [best - int(scores[index]) for index in contenders],
        [int(words[index]) for index in contenders],
        rate,
        source,
    )


def _race_exactly(
    indices: list[int],
    lags: list[int],
    uniforms: list[int],
    rate: Fraction,
    source: BitSource,
) -> int:
    """The contender with the least U·e^(rate·lag): bits are added until one is certainly least."""
    held = 64
    while True:
        work = held + 64
        deepest = max(lags)
        # Compare U·e^(-rate·(deepest - lag)), which no exponent can overflow.
        enclosures = [exp_minus(rate * (deepest - lag), work) for lag in lags]
        lows = [uniform * low for uniform, (low, _) in zip(uniforms, enclosures, strict=True)]
        highs = [
            (uniform + 1) * high for uniform, (_, high) in zip(uniforms, enclosures, strict=True)
        ]
        bound = min(highs)
        alive = [place for place, low in enumerate(lows) if low < bound]
        if len(alive) == 1:
            return indices[alive[0]]
        indices, lags, uniforms = (
            [values[place] for place in alive] for values in (indices, lags, uniforms)
        )
        uniforms = [uniform << held | source.bits(held) for uniform in uniforms]
        held *= 2
