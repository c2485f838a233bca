"""The exact law of Laplace noise on a grid, and how far it reaches."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil, exp, expm1, floor, log, log1p

from discreet.errors import VerificationError
from discreet.exact import Grid, exp_minus, logarithm
from discreet.mechanisms.additive import steps_of
from discreet.privacy.laws import MAX_ATOMS, Atom, Law, nearest_float
from discreet.privacy.summed import SummedLaw, Terms, added

_BITS = 128
_RARE = Fraction(1, 1 << 30)
_WIDE = 1 << 45


@dataclass(frozen=True, slots=True)
class LaplaceLaw:
    """P(x) = (1-q)/(1+q) · q^|x - center| on grid points, q = e^(-1/steps)."""

    center: int
    steps: Fraction
    grid: Grid

    def probability(self, outcome: Hashable) -> float:
        """The probability of a grid value."""
        return nearest_float(partial(self.enclose, outcome))

    def enclose(self, outcome: Hashable, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P(outcome); 0 off the grid."""
        place = steps_of(outcome, self.grid, "outcome")
        if place.denominator != 1:
            return 0, 0
        return point(self.steps, int(place) - self.center, bits)

    def clamped(self, low: int, high: int) -> SummedLaw:
        """The law of the output, moved to the nearer of two grid points where it is outside.

        In weights that sum to 1 + q a point has q^d - q^(d+1), and a side that starts d ≥ 0
        steps away from the center has q^d.
        """
        sums: dict[Hashable, Terms] = {
            self.grid.value(place): self._weight(abs(place - self.center))
            for place in range(low, high + 1)
        }
        sums[self.grid.value(low)] = self._side(self.center - low)
        sums[self.grid.value(high)] = self._side(high - self.center)
        if low == high:
            sums = {self.grid.value(low): {Fraction(0): Fraction(1)}}
        return SummedLaw(sums)

    def _weight(self, distance: int) -> Terms:
        return {distance / self.steps: Fraction(1), (distance + 1) / self.steps: Fraction(-1)}

    def _side(self, distance: int) -> Terms:
        """1 + q times the probability of being so far to one given side, or farther."""
        if distance >= 0:
            return {distance / self.steps: Fraction(1)}
        other = {Fraction(0): Fraction(1), 1 / self.steps: Fraction(1)}
        return added([other, {(1 - distance) / self.steps: Fraction(-1)}])

    def against(self, other: Law) -> list[Atom]:
        """Two constant tails and the points between the centers."""
        if not isinstance(other, LaplaceLaw) or (other.steps, other.grid) != (
            self.steps,
            self.grid,
        ):
            raise VerificationError(
                "the two laws have different scales. Only two outputs of one mechanism can be "
                "compared. Verify one mechanism on two inputs."
            )
        if other.center < self.center:
            return [atom.swapped() for atom in other.against(self)]
        left, right = self.center, other.center
        apart = right - left
        if apart == 0:
            return [self._atom(left, _one, _one, 0)]
        if apart > MAX_ATOMS:
            raise VerificationError(
                f"the inputs are {apart} grid steps apart, more than {MAX_ATOMS}. Every point "
                "between them is compared exactly. Verify on a coarser grid: the loss is the same."
            )
        near, far = partial(_side, self.steps, 0), partial(_side, self.steps, apart)
        between = [
            self._atom(
                place,
                partial(point, self.steps, place - left),
                partial(point, self.steps, right - place),
                right + left - 2 * place,
            )
            for place in range(left + 1, right)
        ]
        return [self._atom(left, near, far, apart), *between, self._atom(right, far, near, -apart)]

    def _atom(
        self,
        place: int,
        first: Callable[[int], tuple[int, int]],
        second: Callable[[int], tuple[int, int]],
        nearer: int,
    ) -> Atom:
        """Outcomes that lie ``nearer`` steps nearer to the first center than to the second."""
        return Atom(
            outcome=self.grid.value(place),
            first=first,
            second=second,
            log_ratio=nearer / self.steps,
        )


@lru_cache(maxsize=4096)
def point(steps: Fraction, place: int, bits: int) -> tuple[int, int]:
    """An enclosure of 2^bits · P[noise = place]: (1-q)/(1+q) · q^|place|."""
    work = bits + 16
    low, high = _side(steps, abs(place), work)
    q_low, q_high = exp_minus(1 / steps, work)
    one = 1 << work
    shift = work + 16
    return low * (one - q_high) >> shift, -(-high * (one - q_low) >> shift)


@lru_cache(maxsize=4096)
def upper_tail(steps: Fraction, start: int, bits: int) -> tuple[int, int]:
    """An enclosure of 2^bits · P[noise ≥ start]."""
    if start >= 1:
        return _side(steps, start, bits)
    low, high = _side(steps, 1 - start, bits)
    return (1 << bits) - high, (1 << bits) - low


def _side(steps: Fraction, distance: int, bits: int) -> tuple[int, int]:
    """Enclose 2^bits times the probability of being so far to one given side, or farther.

    That is q^distance/(1+q) for a distance of 0 or more.
    """
    work = bits + 16
    low, high = exp_minus(distance / steps, work)
    q_low, q_high = exp_minus(1 / steps, work)
    return (low << bits) // ((1 << work) + q_high), -((-high << bits) // ((1 << work) + q_low))


def _one(bits: int) -> tuple[int, int]:
    return 1 << bits, 1 << bits


# ---------------------------------------------------------------------- reach


@lru_cache(maxsize=256)
def least_reach(steps: Fraction, level: Fraction, cells: int) -> int:
    """An a with P[|noise| ≤ a steps in all cells at once] ≥ level, for certain.

    It is the least one, or in spreads beyond 2^45 steps at most one part in 2^40 above it.
    """
    if steps > _WIDE:
        # P[|noise| ≥ k·b] ≤ P[|noise of scale steps/b| ≥ k], so whole blocks of b steps cover.
        block = 1 << (floor(steps).bit_length() - _WIDE.bit_length() + 1)
        return block * (least_reach(steps / block, level, cells) + 1) - 1
    high = max(0, _estimated_reach(steps, level, cells))
    low, stride = high - 1, 1
    # The estimate is a float's: double the stride until one end covers and the other does not.
    while not _covers(high, steps, level, cells):
        low, high, stride = high, high + stride, 2 * stride
    while low >= 0 and _covers(low, steps, level, cells):
        low, high, stride = low - stride, low, 2 * stride
    low = max(low, -1)
    while high - low > 1:
        middle = (low + high) // 2
        if _covers(middle, steps, level, cells):
            high = middle
        else:
            low = middle
    return high


def _covers(reach: int, steps: Fraction, level: Fraction, cells: int) -> bool:
    """Whether (1 - P[|noise| > reach])^cells ≥ level, for certain."""
    miss = 1 - level
    bits = _BITS + cells.bit_length() + miss.denominator.bit_length()
    _, decay = exp_minus((reach + 1) / steps, bits)
    q_low, _ = exp_minus(1 / steps, bits)
    tail = Fraction(2 * decay, (1 << bits) + q_low)
    if tail >= 1:
        return False
    inside, _ = logarithm(1 - tail, bits)
    _, wanted = logarithm(level, bits)
    return cells * inside >= wanted


def _estimated_reach(steps: Fraction, level: Fraction, cells: int) -> int:
    """ceil(steps·ln(2/((1+q)·β))) - 1, where β is what each of the cells may miss."""
    miss = 1 - level
    log_miss = log_of(miss) - log(cells) if miss < _RARE else log(-expm1(log_of(level) / cells))
    q = exp(-float(min(1 / steps, Fraction(1000))))
    return ceil(steps * Fraction(log(2) - log1p(q) - log_miss)) - 1


def log_of(value: Fraction) -> float:
    """ln(value) for a rational that may be beyond the floats."""
    return log(value.numerator) - log(value.denominator)
