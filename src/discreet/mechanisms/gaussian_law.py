"""The law of integer Gaussian noise: its probabilities and its tails, exactly.

P(x) = e^(-x²/(2·variance)) / Σ, in grid steps.  Proof: docs/proofs/gaussian.md
"""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil, erfc, isqrt, log2, sqrt

from discreet.errors import VerificationError
from discreet.exact import Grid, exp_minus, logarithm, rational, square_root
from discreet.exact.discrete_normal import (
    point_weights,
    tail_between,
    tail_weight,
    tail_weights,
    theta_excess,
    total_weight,
)
from discreet.privacy.atoms import MAX_ATOMS, Atom, Law, nearest_float
from discreet.privacy.laws import EnclosedLaw

LARGEST_EXACT = 10_000**2
"""Up to this variance the accuracy is exact; beyond, it may be one step above the least."""

_WIDE = 1 << 40  # beyond this spread the accuracy is found on this scale
_SMALL = 64  # up to this variance a tail is summed at once; beyond, integrals are tried first
_NEGLIGIBLE = 112  # e^-112 < 2^-161
_TABLED = 1 << 26  # the variance up to which all tails are summed up at once
_QUICK = 320  # the bits up to which, beyond that variance, integrals enclose a chance


@dataclass(frozen=True, slots=True)
class GaussianLaw:
    """P(x) ∝ e^(-(x - center)²/(2·variance)) on grid points; the variance is in steps."""

    center: int
    variance: Fraction
    grid: Grid

    def probability(self, outcome: Hashable) -> float:
        """The probability of a grid value."""
        place = steps_of(outcome, self.grid, "outcome")
        if place.denominator != 1:
            return 0.0
        return noise_probability(self.variance, int(place) - self.center)

    def enclose(self, outcome: Hashable, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P(outcome); 0 off the grid."""
        place = steps_of(outcome, self.grid, "outcome")
        if place.denominator != 1:
            return 0, 0
        return point(self.variance, int(place) - self.center, bits)

    def clamped(self, low: int, high: int) -> EnclosedLaw:
        """The law of the output, moved to the nearer of two grid points where it is outside."""

        def enclosures(bits: int) -> list[tuple[int, int]]:
            if low == high:
                return [_one(bits)]
            inside = range(low + 1, high)
            points = [point(self.variance, at - self.center, bits) for at in inside]
            return [
                self._side(self.center - low, bits),
                *points,
                self._side(high - self.center, bits),
            ]

        outcomes = tuple(self.grid.value(place) for place in range(low, high + 1))
        return EnclosedLaw(outcomes, enclosures)

    def _side(self, distance: int, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P[so far to one given side, or farther]."""
        if distance >= 1:
            return _tail(self.variance, distance, bits)
        least, most = _tail(self.variance, 1 - distance, bits)
        return (1 << bits) - most, (1 << bits) - least

    def against(self, other: Law) -> list[Atom]:
        """Every point around the two centers, and two far tails."""
        if not isinstance(other, GaussianLaw) or (self.variance, self.grid) != (
            other.variance,
            other.grid,
        ):
            raise VerificationError(
                "the two laws have different spreads. Only two outputs of one mechanism can be "
                "compared. Verify one mechanism on two inputs."
            )
        left, right = sorted((self.center, other.center))
        if left == right:
            return [Atom(outcome=self.grid.value(left), first=_one, second=_one, ratio=Fraction(1))]
        reach = negligible_reach(self.variance)
        low, high = left - reach, right + reach
        if high - low > MAX_ATOMS:
            raise VerificationError(
                f"the comparison has {high - low} outcomes, more than {MAX_ATOMS}. They are "
                "enumerated exactly. Verify on a coarser grid: the loss is nearly the same."
            )
        size = high - low + 1
        points = [
            Atom(
                outcome=self.grid.value(place),
                first=partial(_point, self.variance, size, abs(place - self.center)),
                second=partial(_point, self.variance, size, abs(place - other.center)),
                log_ratio=self._log_ratio(other, place),
                single=True,
            )
            for place in range(low, high + 1)
        ]
        tails = [
            Atom(
                outcome=self.grid.value(place),
                first=partial(_tail, self.variance, abs(place - self.center)),
                second=partial(_tail, self.variance, abs(place - other.center)),
                constant=False,
            )
            for place in (low - 1, high + 1)
        ]
        return [tails[0], *points, tails[1]]

    def _log_ratio(self, other: "GaussianLaw", place: int) -> Fraction:
        near, far = place - self.center, place - other.center
        return (far * far - near * near) / (2 * self.variance)


def steps_of(value: object, grid: Grid, name: str) -> Fraction:
    """A number in grid steps; a float is the binary fraction that it is, as the grid makes it."""
    exact = Fraction(value) if isinstance(value, float) else rational(value, name)
    return exact / grid.step


def noise_probability(variance: Fraction, place: int) -> float:
    """P(X = place), to the nearest float."""
    return nearest_float(partial(point, variance, place))


@lru_cache(maxsize=4096)
def point(variance: Fraction, place: int, bits: int) -> tuple[int, int]:
    """An enclosure of 2^bits · P(X = place)."""
    low, high = exp_minus(place * place / (2 * variance), bits + 8)
    least, most = total_weight(variance, bits + 8)
    return (low << bits) // most, -(-(high << bits) // least)


@lru_cache(maxsize=4)
def _points(variance: Fraction, size: int, bits: int) -> list[tuple[int, int]]:
    """Enclosures of 2^bits · P(X = x) for x = 0 … size - 1."""
    least, most = total_weight(variance, bits + 8)
    return [
        ((low << bits) // most, -(-(high << bits) // least))
        for low, high in point_weights(variance, size, bits + 8)
    ]


def _point(variance: Fraction, size: int, place: int, bits: int) -> tuple[int, int]:
    return _points(variance, size, bits)[place]


def _tail(variance: Fraction, start: int, bits: int) -> tuple[int, int]:
    """An enclosure of 2^bits · P[X ≥ start], for start ≥ 1."""
    low, high = tail_weight(variance, start, bits + 8)
    least, most = total_weight(variance, bits + 8)
    return (low << bits) // most, -(-(high << bits) // least)


@lru_cache(maxsize=4096)
def upper_tail(variance: Fraction, start: int, bits: int) -> tuple[int, int]:
    """An enclosure of 2^bits · P[X ≥ start], made for many starts: their sums are made at once."""
    if start < 1:
        low, high = upper_tail(variance, 1 - start, bits)
        return (1 << bits) - high, (1 << bits) - low
    if variance > _TABLED:
        return _tail(variance, start, bits)
    tails = tail_weights(variance, bits + 16)
    low, high = tails[min(start, len(tails)) - 1]
    least, most = total_weight(variance, bits + 16)
    return (low << bits) // most, -(-(high << bits) // least)


def quick_upper_tail(variance: Fraction, start: int, bits: int) -> tuple[int, int]:
    """The same, by integrals beyond σ = 2^13.

    It may then be 2^bits·2/(5σ) wide, up to 320 bits.  So the sum, whose time grows with σ,
    decides one draw in σ at most.
    """
    if bits > _QUICK or variance <= _TABLED:
        return upper_tail(variance, start, bits)
    # All weights add up to √(2π·variance), but for less than 2^-(10^9) of it.
    low, high = tail_between(variance, max(start, 1 - start), bits)
    low, one = max(0, low - 1), 1 << bits
    return (low, high) if start >= 1 else (one - high, one - low)


def _one(bits: int) -> tuple[int, int]:
    return 1 << bits, 1 << bits


def negligible_reach(variance: Fraction) -> int:
    """A distance that the noise exceeds with probability below 2^-160: P[X ≥ a] ≤ e^(-a²/2v)."""
    return isqrt(ceil(2 * variance * _NEGLIGIBLE)) + 1


@lru_cache(maxsize=1024)
def least_reach(variance: Fraction, level: Fraction, cells: int) -> int:
    """The least a with P[|X| ≤ a]^cells ≥ level, or a little above it where the noise is wide."""
    if variance > _WIDE**2:
        # P[|X| > a] ≤ P[|N(0, variance)| > a], and a normal law may be measured on any scale.
        _, spread = square_root(variance, 0)
        return -(-spread * (least_reach(Fraction(_WIDE**2), level, cells) + 1) // _WIDE)
    bits = 96 + cells.bit_length() + ceil(log2(level.denominator))
    allowed = _allowed(level, cells, bits)
    spread, _ = square_root(variance, 64)
    guess = int(_quantile(float(Fraction(allowed[0], 1 << bits))) * Fraction(spread, 1 << 64))
    step = 1
    if _covers(variance, guess, allowed, bits):
        low, high = guess - 1, guess
        while low >= 0 and _covers(variance, low, allowed, bits):
            low, high, step = low - 2 * step, low, 2 * step
        low = max(low, -1)
    else:
        low, high = guess, guess + 1
        while not _covers(variance, high, allowed, bits):
            low, high, step = high, high + 2 * step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _covers(variance, middle, allowed, bits) else (middle, high)
    return high


def _allowed(level: Fraction, cells: int, bits: int) -> tuple[int, int]:
    """Enclose ``2**bits · (1 - level^(1/cells))``: what each cell may miss."""
    one = 1 << bits
    if cells == 1:
        missed = (1 - level) * one
        return missed.__floor__(), missed.__ceil__()
    low, high = logarithm(level, bits)
    _, most = exp_minus(Fraction(-high, cells << bits), bits)
    least, _ = exp_minus(Fraction(-low, cells << bits), bits)
    return one - most, one - least


def _covers(variance: Fraction, reach: int, allowed: tuple[int, int], bits: int) -> bool:
    """Whether P[|X| > reach] is at most what is allowed, for certain."""
    if variance > _SMALL:
        low, high = tail_between(variance, reach + 1, bits)
        if 2 * high <= allowed[0]:
            return True
        _, wave = theta_excess(variance, bits)
        if 2 * (low << bits) > allowed[1] * ((1 << bits) + wave) or variance > LARGEST_EXACT:
            return False
    _, high = _tail(variance, reach + 1, bits)
    return 2 * high <= allowed[0]


def _quantile(missed: float) -> Fraction:
    """About the z with P[|N(0,1)| > z] = missed."""
    low, high = 0.0, 40.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if erfc(middle / sqrt(2)) > missed else (low, middle)
    return Fraction(high)
