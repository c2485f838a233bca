"""Exact random choices among many candidates.

``weighted_choice`` draws index i with probability proportional to count_i · e^(-rate·depth_i): the
exponential mechanism.  ``exponential_race`` draws the argmax of rate·score_i + E_i with independent
standard exponential E_i = -ln U_i: permute-and-flip.

Floats only propose and rule out; what they leave open, integers of any length decide for the
few candidates in question.  Proof: docs/proofs/race.md
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import frexp, inf

import numpy as np
from numpy.typing import NDArray

from discreet.exact import exp_minus
from discreet.noise.bernoulli import bernoulli, decay, uniform_below
from discreet.noise.entropy import BitSource
from discreet.noise.strip_tables import Floats, Integers

_BLOCK = 1 << 15
_FAST = Fraction(1 << 60)  # to floats, a greater rate is as decisive as this one
_HOPELESS = 700.0  # a candidate that lags by more is proposed as if it lagged by this
_PRECISION = 62  # bits of the proposals of a block together
_EXCESS = 1 + 2.0**-38  # lifts a weight in floats, wrong by less than 2^-40 of it, above the true
_SURE = 1 << 36  # a candidate proposed this strongly is kept but for less than 2^-32
_KEEP = 32
_MARGIN = 2.0**-40  # bounds the error of a racer's key in floats


def weighted_choice(
    depths: Sequence[int] | Integers,
    rate: Fraction,
    source: BitSource,
    counts: Sequence[int] | Integers | None = None,
) -> int:
    """Index i with probability proportional to counts[i] · e^(-rate·depths[i]), exactly.

    Depths are 64-bit integers, counts positive 64-bit integers.

    >>> from discreet.noise.entropy import Keystream
    >>> weighted_choice([0, 10**6], Fraction(1), Keystream())
    0
    """
    candidates = _Candidates.read(depths, rate, counts)
    starts = range(0, candidates.depths.size, _BLOCK)
    blocks = [candidates.propose(start) for start in starts]
    finest = max(block.power for block in blocks)
    ends = list(accumulate(int(block.ends[-1]) << finest - block.power for block in blocks))
    while True:
        # A candidate is drawn in proportion to its proposal, exactly, since those are integers ...
        place = uniform_below(ends[-1], source)
        number = bisect_right(ends, place)
        block = blocks[number]
        place = place - (ends[number - 1] if number else 0) >> finest - block.power
        lane = int(np.searchsorted(block.ends, place, "right"))
        proposal = int(block.ends[lane]) - (int(block.ends[lane - 1]) if lane else 0)
        # ... and kept in proportion to weight/proposal, which leaves the weight.
        index = starts[number] + lane
        if candidates.keeps(index, proposal, block.power, source):
            return index


@dataclass(frozen=True, slots=True)
class _Block:
    """Proposals for a block of candidates, as running sums: each is at least 2^power · weight."""

    ends: Integers
    power: int


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Candidates with the weights count · e^(-rate·(depth - least))."""

    depths: Integers
    counts: Integers | None
    least: int
    rate: Fraction

    @staticmethod
    def read(
        depths: Sequence[int] | Integers,
        rate: Fraction,
        counts: Sequence[int] | Integers | None,
    ) -> "_Candidates":
        if rate < 0:
            raise ValueError("the rate of a choice must not be negative")
        read_depths = _integers(depths)
        read_counts = None if counts is None else _integers(counts)
        if read_counts is not None and (
            read_counts.shape != read_depths.shape or read_counts.min() < 1
        ):
            raise ValueError("every candidate needs a positive count")
        return _Candidates(read_depths, read_counts, int(read_depths.min()), rate)

    def propose(self, start: int) -> _Block:
        """The proposals: weights in floats, lifted above the true ones, as integers."""
        span = slice(start, start + _BLOCK)
        lag = _lag(self.depths[span].view(np.uint64) - _modular(self.least), self.rate)
        weight = np.exp(np.negative(lag, out=lag), out=lag)
        if self.counts is not None:
            weight *= self.counts[span]
        power = _PRECISION - max(0, frexp(float(weight.sum()))[1])
        weight *= 2.0**power * _EXCESS
        return _Block(np.cumsum(weight.astype(np.int64) + 2), power)

    def keeps(self, index: int, proposal: int, power: int, source: BitSource) -> bool:
        """True with probability 2^power · weight / proposal."""
        prefix = source.bits(_KEEP)
        if proposal > _SURE and prefix < (1 << _KEEP) - 1:
            return True
        count = 1 if self.counts is None else int(self.counts[index])
        exponent = self.rate * (int(self.depths[index]) - self.least)
        factor = count * Fraction(2) ** power / proposal
        return bernoulli(decay(exponent, factor), source, prefix, _KEEP)


def exponential_race(scores: Sequence[int] | Integers, rate: Fraction, source: BitSource) -> int:
    """The argmax of rate·scores[i] - ln U_i over independent uniforms, exactly.

    Scores are 64-bit integers.

    >>> from discreet.noise.entropy import Keystream
    >>> exponential_race([0, 10**6], Fraction(1), Keystream())
    1
    """
    if rate < 0:
        raise ValueError("the rate of a choice must not be negative")
    scores = _integers(scores)
    best = int(scores.max())
    bound = -inf
    contenders: list[tuple[float, _Racer]] = []
    for start in range(0, scores.size, _BLOCK):
        block = scores[start : start + _BLOCK]
        words = np.empty(block.size, np.uint64)
        source.fill(words)
        low, high = _keys(words, _lag(_modular(best) - block.view(np.uint64), rate))
        bound = max(bound, float(low.max()))
        for lane in np.flatnonzero(high >= bound):
            racer = _Racer(start + int(lane), best - int(block[lane]), int(words[lane]))
            contenders.append((float(high[lane]), racer))
    winner, *others = [racer for high, racer in contenders if high >= bound]
    for racer in others:
        if racer.beats(winner, rate, source):
            winner = racer
    return winner.index


def _keys(words: NDArray[np.uint64], lag: Floats) -> tuple[Floats, Floats]:
    """Bounds of -ln(2^64·U) - lag, where U starts with the bits of a word."""
    middle = words.astype(np.float64)
    middle += 0.5
    key = -np.log(middle)
    key -= lag
    # Half of what the word leaves open, and what floats get wrong.
    slack = 1 / middle
    slack += _MARGIN
    high = key + slack
    high[words == 0] = inf
    key -= slack
    return key, high


@dataclass(slots=True)
class _Racer:
    """A candidate that may have won, and the bits of its U that are known so far."""

    index: int
    lag: int
    uniform: int
    held: int = 64

    def beats(self, other: "_Racer", rate: Fraction, source: BitSource) -> bool:
        """Whether U·e^(rate·lag) is less than the other's: bits are added until it is certain."""
        if self.lag > other.lag:
            return not other.beats(self, rate, source)
        held = max(self.held, other.held)
        while True:
            self.know(held, source)
            other.know(held, source)
            work = held + 64
            low, high = exp_minus(rate * (other.lag - self.lag), work)
            if (self.uniform + 1) * high <= other.uniform << work:
                return True
            if self.uniform * low >= (other.uniform + 1) << work:
                return False
            held *= 2

    def know(self, held: int, source: BitSource) -> None:
        """Add bits until ``held`` are known."""
        more = held - self.held
        self.uniform, self.held = self.uniform << more | source.bits(more), held


def _lag(distance: NDArray[np.uint64], rate: Fraction) -> Floats:
    """rate·distance in floats, but not more than hopeless."""
    lag = distance.astype(np.float64)
    lag *= float(min(rate, _FAST))
    return np.minimum(lag, _HOPELESS, out=lag)


def _integers(values: Sequence[int] | Integers) -> Integers:
    read = np.asarray(values)
    if read.dtype.kind not in "iu" or read.ndim != 1 or read.size == 0:
        raise ValueError("candidates are given by a list or an array of integers, not empty")
    if read.dtype == np.uint64 and read.max() >> np.uint64(63):
        raise ValueError("candidates are given by integers below 2^63")
    return read.astype(np.int64, copy=False)


def _modular(value: int) -> np.uint64:
    """The integer modulo 2^64, in which a difference of 64-bit integers cannot overflow."""
    return np.uint64(value % (1 << 64))
