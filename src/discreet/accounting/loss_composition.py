"""Many losses together: their convolution on a common grid, tilted so that no tail is lost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from math import ceil, exp, expm1, floor, fsum, gcd, inf, isfinite, log, log1p, log2, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from discreet.accounting.loss_atoms import (
    FUNCTION,
    MOST_STEPS,
    ROUND,
    UNIT,
    Atoms,
    Floats,
    short_above,
)
from discreet.errors import PrivacyParameterError

_SUMMARY = 4096
_TINY = 1e-300


TOLERANCE = 2e-5
_DEVIATIONS = 5.0  # how far out ε lies, for a small δ
_FEWEST_POINTS = 1 << 14  # in all: near the largest loss the error falls with the step only
_MOST_POINTS = 1 << 17  # for one standard deviation
MOST_CELLS = 1 << 20
"""For all events together: what a convolution has time for, about a second."""
MOST_EVENTS = 10**15
"""Beyond, the rounding of floats could no longer be bounded."""
_NEGLIGIBLE = 1e-40
"""Frequencies whose product is below this are left out, and the bound is raised by it."""
_LARGEST_GROWTH = 300.0
"""How much the rounding of the weights may add up to, as a logarithm."""
_PRODUCT = 4 * UNIT  # the error of a complex product
_FAR = 1e-24
_CUT = 34.0  # a tail of e^-34 beside the part that counts is cut off, and added to δ
_SPREADS = (3.0, 4.5, 6.0, 8.0, 10.0)
_FEWEST_CELLS = 1 << 15  # for one event, however many there are
_ATTEMPTS = 4


@dataclass(frozen=True, eq=False)
class GridLosses:
    """Masses, rounded up, at the losses (start + 0, 1, 2, …)·step."""

    step: float
    start: int
    masses: Floats
    infinite: float

    @staticmethod
    def of(atoms: Atoms, step: float) -> "GridLosses":
        """The atoms, split between the grid losses around them."""
        cells = np.floor(atoms.losses / step)
        parts = atoms.losses - cells * step
        # The quotient was rounded, so the cell may be off by one.
        cells += (parts >= step).astype(np.float64) - (parts < 0)
        parts = np.clip(atoms.losses - cells * step, 0.0, step)
        whole = -np.expm1(-step)
        upper = atoms.masses * (-np.expm1(-parts) / whole)
        lower = atoms.masses * (np.exp(-parts) * -np.expm1(parts - step) / whole)
        start = int(cells.min())
        places = (cells - start).astype(np.int64)
        size = int(places.max()) + 2
        masses: Floats = np.zeros(size)
        masses += np.bincount(places, lower, size)
        masses += np.bincount(places + 1, upper, size)
        masses *= 1 + 8 * FUNCTION + 2 * (atoms.losses.size + 8) * UNIT
        return GridLosses(step, start, masses + _TINY, atoms.infinite)

    @property
    def indices(self) -> Floats:
        """The grid losses, counted in steps."""
        return np.arange(self.start, self.start + self.masses.size, dtype=np.float64)

    @property
    def losses(self) -> Floats:
        """The grid losses; exact."""
        return self.indices * self.step

    @property
    def end(self) -> int:
        """The index of the highest loss."""
        return self.start + self.masses.size - 1

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """ln Σ mass·e^(tilt·loss), and its first two derivatives by the tilt; roughly."""
        losses, masses = self._summary
        exponents = tilt * losses
        largest = float(exponents.max())
        weights = masses * np.exp(exponents - largest)
        total = float(weights.sum())
        mean = float((weights * losses).sum()) / total
        variance = float((weights * (losses - mean) ** 2).sum()) / total
        return largest + log(total), mean, variance

    @cached_property
    def _summary(self) -> tuple[Floats, Floats]:
        """Losses and masses, neighbors put together where there are very many."""
        block = max(1, self.masses.size // _SUMMARY)
        size = -(-self.masses.size // block) * block
        masses = np.zeros(size)
        masses[: self.masses.size] = self.masses
        places = np.arange(size // block, dtype=np.float64) * block
        losses: Floats = (places + (self.start + (block - 1) / 2)) * self.step
        return losses, masses.reshape(-1, block).sum(axis=1)

    def tilted(self, tilt: float) -> tuple[Floats, float]:
        """Weights w and a number c with w ≥ mass·e^(tilt·loss - c); the weights sum to about 1."""
        products = tilt * self.losses
        largest = float(products.max())
        level = largest + log(float((self.masses * np.exp(products - largest)).sum()))
        size = float(np.abs(products).max()) + abs(level)
        weights = self.masses * np.exp(products - level)
        weights *= 1 + 2 * FUNCTION + 8 * (size + 1) * UNIT
        return weights + _TINY, level


def log_sum_above(weights: Floats, exponents: Floats) -> float:
    """An upper bound of ln Σ weight·e^exponent."""
    largest = float(exponents.max())
    total = float((weights * np.exp(exponents - largest)).sum()) + _TINY
    size = float(np.abs(exponents).max())
    margin = 2 * FUNCTION + (8 * size + 2 * weights.size + 8) * UNIT
    return largest + log(total) + margin + (abs(largest) + abs(log(total))) * 8 * UNIT


def on_grid(groups: Sequence[tuple[Atoms, int]], step: float) -> list[tuple[GridLosses, int]]:
    """The groups, split on one grid."""
    return [(GridLosses.of(atoms, step), count) for atoms, count in groups]


def common_step(groups: Sequence[tuple[Atoms, int]], cells: int) -> float:
    """The step of a grid on which no event has more than about 4·``cells`` losses."""
    number = sum(count for _, count in groups)
    if number > MOST_EVENTS:
        raise PrivacyParameterError(
            "the batch has more than 10^15 events beside normal noise. What their rounding adds "
            "up to cannot be bounded in floats. Use renyi_epsilon, or compose fewer events."
        )
    variance = sum(count * atoms.moments()[1] for atoms, count in groups)
    deviation = sqrt(variance) + 1e-12
    widest = max(float(abs(atoms.losses).max(initial=0.0)) for atoms, _ in groups) + 1e-12
    step = sqrt(12 * TOLERANCE / (number * (1 + _DEVIATIONS / deviation)))
    support = sum(2 * count * float(abs(atoms.losses).max(initial=0.0)) for atoms, count in groups)
    step = min(step, deviation / 16, min(support, 16 * deviation) / _FEWEST_POINTS + 1e-12)
    step = max(step, deviation / _MOST_POINTS, widest / cells)
    lattice = _common_lattice([atoms.lattice for atoms, _ in groups])
    if lattice is not None and step * 1e-6 < lattice <= widest:
        step = float(lattice) * 2.0 ** max(0, floor(log2(step / float(lattice))))
        # A little more, so that losses that were rounded up stay below their place on the grid.
        step *= 1 + 2.0**-26
    return short_above(step)


def _common_lattice(lattices: Sequence[Fraction | None]) -> Fraction | None:
    """The largest number of which all are multiples; None if one is unknown."""
    known = [lattice for lattice in lattices if lattice is not None]
    if len(known) < len(lattices) or not known:
        return None
    return reduce(_common_divisor, known)


def _common_divisor(first: Fraction, second: Fraction) -> Fraction:
    denominator = first.denominator * second.denominator
    return Fraction(
        gcd(first.numerator * second.denominator, second.numerator * first.denominator),
        denominator,
    )


@dataclass(frozen=True, eq=False)
class GridMasses:
    """Positive numbers at start, start + 1, …, that take part ``count`` times."""

    start: int
    values: Floats
    count: int


def convolved(factors: Sequence[GridMasses], start: int, length: int) -> Floats:
    """The convolution at start … start + length - 1, plus what wraps around; never too small.

    ``length`` is a power of two.

    >>> coin = GridMasses(0, np.array([0.5, 0.5]), 2)
    >>> convolved([coin], 0, 4).round(12).tolist()
    [0.25, 0.5, 0.25, 0.0]
    """
    rounds = length.bit_length() + 1
    relative = expm1(rounds * log1p(ROUND))  # the FFT's error, relative to the sum of its input
    kept = np.arange(length // 2 + 1)
    product = np.ones(kept.size, np.complex128)
    error = np.zeros(kept.size)
    dropped = 0.0
    for factor in factors:
        values = _folded(factor, length)
        spectrum = np.fft.rfft(values)[kept]
        total = float(values.sum()) * (1 + length * UNIT)
        slack = relative * total
        largest = (np.abs(spectrum) * (1 + 8 * UNIT) + slack) * (1 + 8 * UNIT)
        exponent = float(factor.count)
        # Both halves of the spectrum count, so what is dropped counts twice.
        alive = largest > exp(log(_NEGLIGIBLE) / exponent)
        size = float(np.max(np.abs(product) + error, initial=0.0))
        growth = exponent * log(max(1.0, total + slack)) + FUNCTION
        if growth > _LARGEST_GROWTH:
            raise _unbounded()
        dropped *= exp(growth)
        dropped += 2.1 * size * _NEGLIGIBLE * np.count_nonzero(~alive)
        kept, product, error = kept[alive], product[alive], error[alive]
        spectrum, largest = spectrum[alive], largest[alive]
        margin = 1 + 2 * FUNCTION + 8 * exponent * UNIT
        lower = np.power(largest, exponent - 1) * margin
        bound = lower * largest * (1 + 4 * UNIT)
        change = exponent * slack * lower + bound * expm1(exponent * log1p(_PRODUCT))
        error = error * (bound + change) + np.abs(product) * (change + bound * 2 * _PRODUCT)
        error *= 1 + 64 * UNIT
        product = product * _power(spectrum, factor.count)
    full = np.zeros(length // 2 + 1, np.complex128)
    full[kept] = product
    values = np.roll(np.fft.irfft(full, length), -(start % length))
    lost = 2 * float(error.sum()) + 2 * relative * float(np.abs(product).sum()) + dropped
    if not isfinite(lost):
        raise _unbounded()
    above: Floats = np.maximum(values, 0.0) + (lost / length) * (1 + 4 * length * UNIT)
    return above


def _unbounded() -> PrivacyParameterError:
    return PrivacyParameterError(
        "the batch has so many events that the rounding of their losses cannot be bounded. A price "
        "is stated only with a proven bound. Use renyi_epsilon, or compose fewer events."
    )


def _folded(factor: GridMasses, length: int) -> Floats:
    """The values at their places modulo the length."""
    first = factor.start % length
    size = -(-(first + factor.values.size) // length) * length
    padded = np.zeros(size)
    padded[first : first + factor.values.size] = factor.values
    folds = size // length
    folded: Floats = padded.reshape(folds, length).sum(axis=0)
    return folded * (1 + 2 * folds * UNIT) if folds > 1 else folded


def _power(base: NDArray[np.complex128], exponent: int) -> NDArray[np.complex128]:
    """base^exponent by at most exponent - 1 products' worth of rounding."""
    result = None
    while True:
        if exponent & 1:
            result = base if result is None else result * base
        exponent >>= 1
        if not exponent:
            return base if result is None else result
        base = base * base


CountedLosses = tuple[GridLosses, int]


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


def saddle_tilt(
    groups: Sequence[CountedLosses], epsilon: float | None, delta: float | None
) -> float:
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
    tilt_of: Callable[[Sequence[CountedLosses]], float],
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


def _placed(groups: Sequence[CountedLosses], tilt: float) -> tuple[int, int]:
    """Where the window around the tilted mean starts, and its length: a power of two."""
    step = groups[0][0].step
    lowest = sum(count * grid.start for grid, count in groups) - 2
    highest = sum(count * grid.end for grid, count in groups)
    low, high = _window(groups, tilt)
    bottom, top = max(lowest, floor(low / step) - 4), min(highest, ceil(high / step) + 4)
    return bottom, 1 << max(2, (top - bottom).bit_length())


def _convolved(
    groups: Sequence[CountedLosses], tilt: float, bottom: int, length: int
) -> ComposedLosses:
    step = groups[0][0].step
    tilted = [_Tilted(grid, count, *grid.tilted(tilt)) for grid, count in groups]
    level = fsum(losses.count * losses.level for losses in tilted)
    level += 4 * UNIT * fsum(losses.count * abs(losses.level) for losses in tilted)
    highest = sum(count * grid.end for grid, count in groups)
    if max(-bottom, bottom + length) > MOST_STEPS:
        raise PrivacyParameterError(
            "the losses of this batch are too far from zero for its grid. Their place on the grid "
            "is kept exactly, up to 2^28 steps. Use renyi_epsilon, or compose fewer events."
        )
    factors = [GridMasses(losses.grid.start, losses.weights, losses.count) for losses in tilted]
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


def _window(groups: Sequence[CountedLosses], tilt: float) -> tuple[float, float]:
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
    most = _largest_tilt([(losses.grid, losses.count) for losses in tilted])
    variance = fsum(losses.count * losses.grid.cumulants(tilt)[2] for losses in tilted)
    exponents = []
    for spread in _SPREADS:
        extra = min(spread / sqrt(variance + 1e-18), most)
        sums = [
            losses.count * log_sum_above(losses.weights, extra * losses.grid.losses)
            for losses in tilted
        ]
        size = fsum(map(abs, sums)) + abs(level) + (tilt + extra) * abs(top)
        exponents.append(level + fsum(sums) - (tilt + extra) * top + 16 * size * UNIT)
    return min(1.0, exp(min(0.0, *exponents)) * (1 + 2 * FUNCTION))


def _largest_tilt(groups: Sequence[CountedLosses]) -> float:
    widest = max(max(abs(grid.start), abs(grid.end)) for grid, _ in groups)
    return 100 / (widest * groups[0][0].step + _TINY)


def _cumulants(groups: Sequence[CountedLosses], tilt: float) -> tuple[float, float, float]:
    sums = [0.0, 0.0, 0.0]
    for grid, count in groups:
        for place, value in enumerate(grid.cumulants(tilt)):
            sums[place] += count * value
    return sums[0], sums[1], sums[2]
