"""Many losses together: a window of their convolution, tilted so that the tail is not lost.

Tilting multiplies every mass by e^(tilt·loss).  The δ that matters may be 1e-10 of the whole; under
the right tilt it is most of it, and the FFT's rounding is as small beside it as beside the whole.
Proof: docs/proofs/privacy-loss-distribution.md
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, exp, floor, fsum, inf, log, pi, sqrt

import numpy as np

from discreet.accounting.convolution import Weights, convolved
from discreet.accounting.loss_atoms import Atoms
from discreet.accounting.loss_grid import GridLosses, log_sum_above
from discreet.accounting.loss_step import MOST_CELLS, common_step, on_grid
from discreet.accounting.rounding import FUNCTION, MOST_STEPS, UNIT, Floats
from discreet.errors import PrivacyParameterError

_TINY = 1e-300
_FAR = 1e-24
_CUT = 34.0  # a tail of e^-34 beside the part that counts is cut off, and added to δ
_SPREADS = (3.0, 4.5, 6.0, 8.0, 10.0)

_FEWEST_CELLS = 1 << 15  # for one event, however many there are
_ATTEMPTS = 4

Group = tuple[GridLosses, int]


@dataclass(frozen=True, eq=False)
class ComposedLosses:
    """Masses e^(level - tilt·loss)·weight at the losses (start + 0, 1, 2, …)·step, rounded up.

    ``rest`` bounds the probability of higher losses, finite or not.
    """

    step: float
    start: int
    weights: Floats
    tilt: float
    level: float
    rest: float

    def delta(self, epsilon: float) -> float:
        """An upper bound of δ at ε; 1 if ε is below the window."""
        if epsilon >= (self.start + self.weights.size) * self.step:
            return self.rest
        first = floor(epsilon / self.step) - self.start - 1
        if first < 0:
            return 1.0
        weights = self.weights[first : first + self._reach]
        places = np.arange(self.start + first, self.start + first + weights.size)
        above = np.maximum(places * self.step - epsilon, 0.0)
        terms = weights * np.exp(-self.tilt * above) * -np.expm1(-above)
        inside = float(terms.sum()) + float(self.weights[first + self._reach :].sum()) * _FAR
        inside = inside * (1 + 4 * FUNCTION + (self.weights.size + 4096) * UNIT) + _TINY
        # e^(level - tilt·ε) may overflow where what it multiplies is as small.
        scale = self.level - self.tilt * epsilon
        exponent = scale + log(inside)
        margin = 4 * (abs(self.level) + abs(self.tilt * epsilon) + abs(exponent)) * UNIT
        finite = exp(min(0.0, exponent + margin + 1000 * FUNCTION))
        return min(1.0, finite * (1 + 4 * FUNCTION) + self.rest)

    @property
    def _reach(self) -> int:
        """In how many steps e^(-tilt·loss) falls below _FAR."""
        return int(min(-1.01 * log(_FAR) / (self.tilt * self.step + _TINY), 2.0**40)) + 4

    def epsilon_near(self, delta: float) -> float:
        """Roughly the ε whose bound is δ; infinity if there is none in the window."""
        wanted = delta - self.rest
        if wanted <= 0:
            return inf
        losses = np.arange(self.start, self.start + self.weights.size) * self.step
        masses = self.weights * np.exp(np.clip(self.level - self.tilt * losses, -700.0, 700.0))
        first = np.cumsum(masses[::-1])[::-1]
        # From here on only losses around the ε that is looked for matter: P(loss ≥ ε) ≥ δ.
        size = min(int(np.searchsorted(-first, -wanted)) + 1, masses.size)
        losses, first = losses[:size], first[:size]
        decay = np.exp(losses[-1] - losses) if losses[-1] - losses[0] < 600 else np.ones(size)
        tail = float(
            (masses[size:] * np.exp(-self.step * np.arange(1, masses.size - size + 1))).sum()
        )
        second = np.cumsum((masses[:size] * decay)[::-1])[::-1] + tail
        # δ at every grid loss but the last, by the masses above it.  Where masses fall by many
        # digits a step, lower sums have no digits left: look from above.
        curve = first[1:] - second[1:] / decay[:-1]
        (higher,) = np.nonzero(curve > wanted)
        cell = int(higher[-1]) + 1 if higher.size else 0
        if cell >= size:
            return float(losses[-1] + self.step)
        ratio = (first[cell] - wanted) / second[cell]
        return float(losses[-1] + log(ratio)) if ratio > 0 else float(losses[cell])

    def atoms(self) -> Atoms:
        """All of it as atoms, for a composition without a tilt."""
        places = np.arange(self.start, self.start + self.weights.size, dtype=np.float64)
        masses = self.weights * exp(self.level + 4 * (abs(self.level) + 1) * UNIT)
        return Atoms.above(places * self.step, masses, self.rest)


def saddle_tilt(groups: Sequence[Group], epsilon: float | None, delta: float | None) -> float:
    """The tilt under which the mean loss is ε, or that ε at which δ is about ``delta``."""

    def too_small(tilt: float) -> bool:
        level, mean, variance = _cumulants(groups, tilt)
        if epsilon is not None:
            return mean < epsilon
        spread = sqrt(2 * pi * variance) + 1e-9
        guess = level - tilt * mean - log(tilt * (1 + tilt) * spread + 1)
        return guess > log(delta or _TINY)

    _, _, variance = _cumulants(groups, 0.0)
    low, high = 0.0, 1 / sqrt(variance + 1e-18)
    most = _largest_tilt(groups)
    while high < most and too_small(high):
        low, high = high, 2 * high
    high = min(high, most)
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if too_small(middle) else (low, middle)
    return high


def composed(
    atoms: Sequence[tuple[Atoms, int]],
    tilt_of: Callable[[Sequence[Group]], float],
    most: int = MOST_CELLS,
) -> ComposedLosses:
    """The convolution of all atoms on a grid so coarse that it takes at most ``most`` cells.

    A coarser grid is above a finer one, so this may cost accuracy and nothing else.
    """
    cells = max(_FEWEST_CELLS, most // len(atoms))
    step = common_step(atoms, cells)
    for _ in range(_ATTEMPTS):
        groups = on_grid(atoms, step)
        tilt = tilt_of(groups)
        bottom, length = _placed(groups, tilt)
        if length <= 2 * cells:
            return _convolved(groups, tilt, bottom, length)
        step *= 1 << (length // (2 * cells)).bit_length()  # by a power of two: the step stays short
    raise PrivacyParameterError(
        "the losses of this batch spread over too many cells of a grid. A grid has a bounded "
        "size, so that every price is found in seconds. Use renyi_epsilon, or compose fewer events."
    )


def _placed(groups: Sequence[Group], tilt: float) -> tuple[int, int]:
    """Where the window around the tilted mean starts, and its length: a power of two."""
    step = groups[0][0].step
    lowest = sum(count * grid.start for grid, count in groups) - 2
    highest = sum(count * grid.end for grid, count in groups)
    low, high = _window(groups, tilt)
    bottom, top = max(lowest, floor(low / step) - 4), min(highest, ceil(high / step) + 4)
    return bottom, 1 << max(2, (top - bottom).bit_length())


def _convolved(groups: Sequence[Group], tilt: float, bottom: int, length: int) -> ComposedLosses:
    step = groups[0][0].step
    tilted = [_Tilted(grid, count, *grid.tilted(tilt)) for grid, count in groups]
    level = fsum(part.count * part.level for part in tilted)
    level += 4 * UNIT * fsum(part.count * abs(part.level) for part in tilted)
    highest = sum(count * grid.end for grid, count in groups)
    if max(-bottom, bottom + length) > MOST_STEPS:
        raise PrivacyParameterError(
            "the losses of this batch are too far from zero for its grid. Their place on the grid "
            "is kept exactly, up to 2^28 steps. Use renyi_epsilon, or compose fewer events."
        )
    factors = [Weights(part.grid.start, part.weights, part.count) for part in tilted]
    weights = convolved(factors, bottom, length)[: highest - bottom + 1]
    rest = fsum(count * grid.infinite for grid, count in groups) * (1 + 8 * UNIT)
    if bottom + length <= highest:
        rest += _tail(tilted, level, tilt, (bottom + length) * step)
    return ComposedLosses(step, bottom, weights, tilt, level, min(1.0, rest))


@dataclass(frozen=True, eq=False)
class _Tilted:
    grid: GridLosses
    count: int
    weights: Floats
    level: float


def _window(groups: Sequence[Group], tilt: float) -> tuple[float, float]:
    """Losses outside of which the tilted convolution is negligible, by Chernoff's bound."""
    level, mean, variance = _cumulants(groups, tilt)
    most = _largest_tilt(groups)
    low, high = -inf, inf
    for spread in _SPREADS:
        extra = min(spread / sqrt(variance + 1e-18), most)
        above, _, _ = _cumulants(groups, tilt + extra)
        below, _, _ = _cumulants(groups, tilt - extra)
        high = min(high, (above - level + _CUT) / extra)
        low = max(low, (level - below - _CUT) / extra)
    return min(low, mean), max(high, mean)


def _tail(tilted: Sequence[_Tilted], level: float, tilt: float, top: float) -> float:
    """An upper bound of the probability of a finite loss of ``top`` or more."""
    most = _largest_tilt([(part.grid, part.count) for part in tilted])
    variance = fsum(part.count * part.grid.cumulants(tilt)[2] for part in tilted)
    exponents = []
    for spread in _SPREADS:
        extra = min(spread / sqrt(variance + 1e-18), most)
        sums = [
            part.count * log_sum_above(part.weights, extra * part.grid.losses) for part in tilted
        ]
        size = fsum(map(abs, sums)) + abs(level) + (tilt + extra) * abs(top)
        exponents.append(level + fsum(sums) - (tilt + extra) * top + 16 * size * UNIT)
    return min(1.0, exp(min(0.0, *exponents)) * (1 + 2 * FUNCTION))


def _largest_tilt(groups: Sequence[Group]) -> float:
    widest = max(max(abs(grid.start), abs(grid.end)) for grid, _ in groups)
    return 100 / (widest * groups[0][0].step + _TINY)


def _cumulants(groups: Sequence[Group], tilt: float) -> tuple[float, float, float]:
    sums = [0.0, 0.0, 0.0]
    for grid, count in groups:
        for place, value in enumerate(grid.cumulants(tilt)):
            sums[place] += count * value
    return sums[0], sums[1], sums[2]
