"""The law of one report on a bounded number: chances, moments and draws, all exact.

A number is a position 0, …, steps on a public grid.  A report is made in one of two ways, and
which one is drawn independently of the position:

- a bit (Duchi, Jordan and Wainwright 2013): the position is rounded to one of its ends by chance,
  in proportion to how near it is, and the end is told with the chance ``bit``, else the other;
- a cell (Wang et al. 2019, the piecewise mechanism on a grid): of steps + window cells, one of
  the ``window`` cells from the position on with the chance ``keep``, else one of the others.

Chances are integers out of 2^64.  Proof: docs/proofs/local-mean.md
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.errors import PrivacyParameterError, Remedy
from discreet.exact import exp_minus
from discreet.local.probabilities import WHOLE, bernoulli_bits, keep_chance, uniform
from discreet.noise import BitSource

KINDS = ("duchi", "piecewise", "hybrid")

_BITS = 256
_BLOCK = 1 << 16
_MOST_REPORTS = 1 << 38  # whose sums are below 2^63
_LIMB = 25  # a cell is below 2^25, so its square is two numbers below 2^25

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class MeanLaw:
    """The chances of one scheme, and what follows from them.

    Cells are the reports 0, …, cells - 1; the bits 0 and 1 are the reports cells and cells + 1.
    """

    steps: int
    mix: int
    """The chance of a cell; that of a bit is the rest."""
    bit: int
    window: int
    cells: int
    keep: int

    # ------------------------------------------------------------------ probabilities

    def probabilities(self, position: int) -> dict[int, Fraction]:
        """The probability of every report on a position, exactly."""
        law: dict[int, Fraction] = {}
        if self.mix:
            mix, (inside, outside) = Fraction(self.mix, WHOLE), self._densities
            for cell in range(self.cells):
                within = position <= cell < position + self.window
                law[cell] = mix * (inside if within else outside)
        if self.mix < WHOLE:
            rest, truth = 1 - Fraction(self.mix, WHOLE), Fraction(self.bit, WHOLE)
            one = 1 - truth + (2 * truth - 1) * Fraction(position, self.steps)
            law[self.cells] = rest * (1 - one)
            law[self.cells + 1] = rest * one
        return law

    def ratio(self) -> Fraction:
        """The worst ratio of the probabilities of a report on two positions, in closed form."""
        worst = Fraction(1)
        if self.mix:
            inside, outside = self._densities
            worst = max(worst, inside / outside)
        if self.mix < WHOLE:
            worst = max(worst, Fraction(self.bit, WHOLE - self.bit))
        return worst

    @property
    def reports(self) -> range:
        """The reports that can occur."""
        return range(0 if self.mix else self.cells, self.cells + (2 if self.mix < WHOLE else 0))

    @cached_property
    def _densities(self) -> tuple[Fraction, Fraction]:
        """The probability of one cell inside of the window, and of one outside."""
        keep = Fraction(self.keep, WHOLE)
        return keep / self.window, (1 - keep) / self.steps

    # ------------------------------------------------------------------ scores

    @cached_property
    def cell_score(self) -> tuple[Fraction, Fraction]:
        """(shift, gain): a cell stands for the position (cell - shift)/gain, without bias."""
        inside, outside = self._densities
        more = inside - outside
        shift = outside * self.cells * (self.cells - 1) / 2
        return shift + more * self.window * (self.window - 1) / 2, more * self.window

    @cached_property
    def bit_scores(self) -> tuple[Fraction, Fraction]:
        """The positions that the bits 0 and 1 stand for, without bias."""
        truth = Fraction(self.bit, WHOLE)
        gain = 2 * truth - 1
        return self.steps * (truth - 1) / gain, self.steps * truth / gain

    @cached_property
    def score_range(self) -> tuple[Fraction, Fraction]:
        """The least and the largest position that a report can stand for."""
        ends = list(self.bit_scores) if self.mix < WHOLE else []
        if self.mix:
            shift, gain = self.cell_score
            ends += [-shift / gain, (self.cells - 1 - shift) / gain]
        return min(ends), max(ends)

    # ------------------------------------------------------------------ variance

    def variance(self, position: int) -> Fraction:
        """The variance of one report's score on a position, in squared steps."""
        total = Fraction(0)
        if self.mix:
            shift, gain = self.cell_score
            inside, outside = self._densities
            second = outside * _squares(self.cells) + (inside - outside) * (
                _squares(position + self.window) - _squares(position)
            )
            total += Fraction(self.mix, WHOLE) * (second / gain**2 - (position + shift / gain) ** 2)
        if self.mix < WHOLE:
            zero, one = self.bit_scores
            total += (1 - Fraction(self.mix, WHOLE)) * (one - position) * (position - zero)
        return total

    @cached_property
    def worst_variance(self) -> Fraction:
        """The largest variance: a quadratic that is symmetric about the middle is largest at an
        end or next to the middle."""
        places = (0, self.steps // 2, (self.steps + 1) // 2, self.steps)
        return max(self.variance(place) for place in places)

    @cached_property
    def least_variance(self) -> Fraction:
        """The least variance, at an end or next to the middle as well."""
        places = (0, self.steps // 2, (self.steps + 1) // 2, self.steps)
        return min(self.variance(place) for place in places)

    @cached_property
    def worst_spread(self) -> Fraction:
        """The largest mean square of score - middle: a bound of the variance in a population."""
        middle = Fraction(self.steps, 2)
        places = (0, self.steps // 2, (self.steps + 1) // 2, self.steps)
        return max(self.variance(place) + (place - middle) ** 2 for place in places)

    @cached_property
    def even_spread(self) -> Fraction:
        """The variance of the scores of people whose positions are spread evenly: the mean of the
        variances, which are a quadratic about the middle, and the variance of the positions."""
        ends, near = self.variance(0), self.variance(self.steps // 2)
        distances = Fraction(self.steps, 2) ** 2, (Fraction(self.steps, 2) - self.steps // 2) ** 2
        apart = Fraction(self.steps * (self.steps + 2), 12)  # the mean of (position - middle)²
        if distances[0] == distances[1]:
            return ends + apart
        bend = (ends - near) / (distances[0] - distances[1])
        return ends + bend * (apart - distances[0]) + apart

    # ------------------------------------------------------------------ counters

    def count(self, codes: Integers) -> Integers:
        """The counters of reports: bits, ones among them, the sum of the cells, and that of their
        squares in two parts, which together stay below 2^63 for up to 2^38 reports."""
        bits, cells = codes[codes >= self.cells], codes[codes < self.cells]
        squares = cells * cells
        high, low = squares >> _LIMB, squares & (1 << _LIMB) - 1
        ones = np.count_nonzero(bits > self.cells)
        sums = [bits.size, ones, int(cells.sum()), int(high.sum()), int(low.sum())]
        return np.array(sums, np.int64)

    def possible(self, counts: Integers, reports: int) -> bool:
        """Whether so many reports can have these counters, as far as bounds can tell."""
        bits, ones, total, high, low = counts.tolist()
        windows, most = reports - bits, max(self.cells - 1, 0)
        squares = (high << _LIMB) + low
        return bool(
            0 <= ones <= bits <= reports <= _MOST_REPORTS
            and (bits == 0 or self.mix < WHOLE)
            and (windows == 0 or self.mix > 0)
            and 0 <= total <= windows * most
            and high >= 0
            and 0 <= low < max(windows, 1) << _LIMB
            and total <= squares <= most * total
            and total**2 <= windows * squares
        )

    def moments(self, counts: Integers, reports: int) -> tuple[Fraction, Fraction]:
        """The sum of the reports' unbiased scores, and of their squares, in steps."""
        bits, ones, total, high, low = counts.tolist()
        first = second = Fraction(0)
        if bits:
            zero, one = self.bit_scores
            first += ones * one + (bits - ones) * zero
            second += ones * one**2 + (bits - ones) * zero**2
        if windows := reports - bits:
            shift, gain = self.cell_score
            squares = (high << _LIMB) + low
            first += (total - windows * shift) / gain
            second += (squares - 2 * shift * total + windows * shift**2) / gain**2
        return first, second

    # ------------------------------------------------------------------ draws

    def draw(self, positions: Integers, source: BitSource) -> Integers:
        """A report for every position.  Whatever the position, the same draws are made."""
        reports = np.empty(positions.size, np.int64)
        for start in range(0, positions.size, _BLOCK):
            part = slice(start, start + _BLOCK)
            reports[part] = self._draw(positions[part], source)
        return reports

    def _draw(self, positions: Integers, source: BitSource) -> Integers:
        if self.mix == 0:
            return self._draw_bits(positions, source)
        if self.mix == WHOLE:
            return self._draw_cells(positions, source)
        chosen = bernoulli_bits(self.mix, positions.size, source)
        cells = self._draw_cells(positions, source)
        return np.where(chosen, cells, self._draw_bits(positions, source))

    def _draw_bits(self, positions: Integers, source: BitSource) -> Integers:
        ends = uniform(self.steps, positions.size, source) < positions
        told = bernoulli_bits(self.bit, positions.size, source)
        reports: Integers = (ends == told).astype(np.int64)
        reports += self.cells
        return reports

    def _draw_cells(self, positions: Integers, source: BitSource) -> Integers:
        inside = bernoulli_bits(self.keep, positions.size, source)
        near = positions + uniform(self.window, positions.size, source)
        far = uniform(self.steps, positions.size, source)
        far[far >= positions] += self.window
        return np.where(inside, near, far)


# ---------------------------------------------------------------------- chances


def derive_law(kind: str, epsilon: Fraction, steps: int) -> MeanLaw:
    """The chances of a kind: as near to e^ε as 2^-64 allows, and never beyond."""
    bit = 0 if kind == "piecewise" else keep_chance(epsilon, 1, 1)
    window, keep = 0, 0
    if kind != "duchi":
        low, _ = exp_minus(epsilon / 2, _BITS)
        window = max(1, (low * steps + (1 << _BITS - 1)) >> _BITS)
        keep = keep_chance(epsilon, window, steps)
    if (window and keep * steps <= (WHOLE - keep) * window) or (bit and 2 * bit <= WHOLE):
        raise PrivacyParameterError(
            "epsilon is so small that no chance out of 2^64 differs from a coin's. The reports "
            "would say nothing.",
            Remedy(python="Use epsilon=0.01 or more.", policy="Use epsilon = 0.01 or more."),
        )
    if kind == "duchi":
        return MeanLaw(steps=steps, mix=0, bit=bit, window=0, cells=0, keep=0)
    cells = steps + window
    if kind == "piecewise":
        return MeanLaw(steps=steps, mix=WHOLE, bit=0, window=window, cells=cells, keep=keep)
    _, high = exp_minus(epsilon / 2, _BITS)
    mix = ((1 << _BITS) - high) >> _BITS - 64
    mixed = MeanLaw(steps=steps, mix=mix, bit=bit, window=window, cells=cells, keep=keep)
    bits = MeanLaw(steps=steps, mix=0, bit=bit, window=0, cells=0, keep=0)
    return mixed if mix and mixed.worst_variance < bits.worst_variance else bits


def _squares(count: int) -> int:
    """0² + 1² + … + (count - 1)²."""
    return (count - 1) * count * (2 * count - 1) // 6
