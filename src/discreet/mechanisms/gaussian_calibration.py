"""Calibration of integer Gaussian noise: its least δ at an ε, its least ε at a δ, its least σ.

Floats only propose; bounds that are enclosed or rounded up decide.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, gcd, inf, isqrt, log, log2, log10, sqrt
from typing import NamedTuple

import numpy as np

from discreet.errors import PrivacyParameterError
from discreet.exact import exp_minus, logarithm, round_up, square_root
from discreet.exact.normal import gaussian_delta, tail_weight, theta_excess, total_weight
from discreet.mechanisms.gaussian_moves import FEW, MANY, Move, vectors_delta
from discreet.privacy.losses import concentrated_epsilon

_SMALLEST = Fraction(1, 10**280)
_LARGEST = 10**9
"""Below this δ and beyond this ε the sums propose nothing: their floats would mislead."""

_HALVINGS = 45


LARGEST_SUM = 300**2
"""Up to this variance δ is summed exactly; beyond, the lattice bound costs less than 3e-6 of σ."""
_ENOUGH = 1 << 15
"""From this variance on a family is not summed where there are many: the lattice bound costs less
than 1e-5 of σ there."""
_MOST_FAMILIES = 64
_EVEN = Fraction(1, 1 << 20)
_UNEVEN = Fraction(1, 4)
"""Up to this excess over a family's δ the family stands for its vectors exactly, or at all."""
_NEGLIGIBLE = Fraction(1, 1 << 24)
_COARSE_PART = Fraction(1, 1 << 10)
_COARSE = 16**2
"""Up to this variance the conversion from zCDP may beat the lattice bound."""
_SIGMA_TOLERANCE = 2.0**-24
_EPSILON_TOLERANCE = 2.0**-40
_MOST_BITS = 4096
_NEAR = Fraction(129, 128)  # about how far the lattice bound is from the sums
_SLACK = 1 + Fraction(1, 1 << 30)  # so that the least ε of the least σ is not above the ε asked for


class BoundExcess(NamedTuple):
    """A bound beside what it must not exceed: ``proved`` is exact, ``log`` leads a search."""

    bound: Fraction
    target: Fraction

    @property
    def proved(self) -> bool:
        return self.bound <= self.target

    @property
    def log(self) -> float:
        """About ln(bound/target)."""
        return log(2) * (_log2(self.bound) - _log2(self.target)) if self.bound else -inf


Bound = Callable[[Fraction], BoundExcess]
JointBound = Callable[[Sequence[Fraction]], BoundExcess]
"""The same of several variances at once."""


def least_argument(
    excess: Bound, start: Fraction, tolerance: float, reach: Fraction = Fraction(5, 4)
) -> Fraction:
    """The least argument at which a falling bound is proved, or a little above it.

    Brackets it, at first within a factor of ``reach``, then draws secants against the logarithm
    of the argument (the Illinois rule) until ln(bound/target) is between -tolerance and 0.  What
    is returned is proved.
    """
    low = high = start
    below = above = excess(start)
    while not above.proved:
        low, below = high, above
        high, reach = high * reach, reach * reach
        above = excess(high)
    while below.proved:
        high, above = low, below
        if above.log >= -tolerance:
            return low
        low, reach = low / reach, reach * reach
        below = excess(low)
    height, depth, side = below.log, above.log, 0
    while above.log < -tolerance and (width := _log2(high / low)) > tolerance / 64:
        slope = height - depth
        place = (height + tolerance / 2) / slope if 0 < slope < inf else 0.5
        middle = _rounded(low * Fraction(2 ** (min(max(place, 0.01), 0.99) * width)))
        value = excess(middle)
        if value.proved:
            high, above, depth = middle, value, value.log
            height, side = height / (2 if side < 0 else 1), -1
        else:
            low, height = middle, value.log
            depth, side = depth / (2 if side > 0 else 1), 1
    return high


def rough_sigma(epsilon: Fraction, delta: Fraction) -> Fraction:
    """About a σ per distance that is enough for (ε,δ).

    zCDP converts by ε = ρ + 2√(ρL) with L = ln(1/δ), so 1/σ = √2·(√(L+ε) - √L) =
    √2·ε/(√(L+ε) + √L); and at 1/σ = √(2π)·δ the total variation is already δ.
    """
    level = log(delta.denominator) - log(delta.numerator)
    root = sqrt(level) + sqrt(level + min(epsilon, Fraction(10) ** 300))
    return min(Fraction(root * sqrt(0.5)) / epsilon, Fraction(2, 5) / delta)


def sigmas(shift: int, epsilon: Fraction, delta: Fraction, most: Fraction) -> Iterator[Fraction]:
    """Candidates for the least σ up to about ``most``: decimals, the shortest first.

    δ dips where ε·σ²/shift - shift/2 is a whole number k, and the dips fall as k grows.  So the
    first dip that is low enough is found by bisection over k, and then the place before it
    where δ has just fallen to the target.
    """
    if delta < _SMALLEST or epsilon > _LARGEST:
        return
    level, target = float(epsilon), float(delta)

    def dip(place: int) -> float:
        return (place + shift / 2) * shift / level

    def low_enough(variance: float) -> bool:
        return delta_float(variance, shift, level) <= target

    first = -((shift - 1) // 2)
    last = floor(epsilon * most * most / shift - Fraction(shift, 2)) + 1
    place = _first(first, last, lambda k: low_enough(dip(k)))
    end = float(most) ** 2 if place == last else dip(place)
    start = dip(place - 1) if place > first else end * 2.0**-_HALVINGS
    for _ in range(_HALVINGS):
        middle = sqrt(start * end)
        start, end = (start, middle) if low_enough(middle) else (middle, end)
    for digits in range(7, 16):
        # A little above where there is room, so that the least ε of this σ is not above ε.
        yield decimal_above(Fraction(sqrt(end) * (1 + 10.0 ** (-digits - 2))), digits)


def epsilons(variance: Fraction, shift: int, delta: Fraction, most: Fraction) -> Iterator[Fraction]:
    """Candidates for the least ε up to about ``most``, the smallest first."""
    yield Fraction(0)
    if delta < _SMALLEST or most > _LARGEST:
        return
    size, target = float(variance), float(delta)
    start, end = 0.0, float(most)
    for _ in range(_HALVINGS):
        middle = (start + end) / 2
        inside = delta_float(size, shift, middle) <= target
        start, end = (start, middle) if inside else (middle, end)
    for digits in (11, 9, 7, 5):
        yield decimal_above(Fraction(end), digits)


def delta_float(variance: float, shift: int, epsilon: float) -> float:
    """δ of integer noise that moves by ``shift`` steps, term by term without cancellation."""
    start = ceil(epsilon * variance / shift - shift / 2)
    end = ceil(sqrt(max(start, 0) ** 2 + 80 * variance)) + 2
    places = np.arange(start, end, dtype=np.float64)
    log_ratio = (2 * places * shift + shift * shift) / (2 * variance)
    kept = -np.expm1(np.minimum(epsilon - log_ratio, 0.0))
    reach = np.arange(1, ceil(sqrt(80 * variance)) + 2, dtype=np.float64)
    total = 1 + 2 * np.exp(-(reach**2) / (2 * variance)).sum()
    return float(np.exp(-(places**2) / (2 * variance)) @ kept / total)


def decimal_above(value: Fraction, digits: int) -> Fraction:
    """The least decimal with about so many significant digits that is not below the value.

    >>> decimal_above(Fraction(4_224_680_123, 10**9), 7)
    Fraction(4224681, 1000000)
    """
    power = floor(_log2(value) * log10(2))
    return round_up(value, Fraction(10) ** (power + 1 - digits))


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The first integer from ``low`` where a monotone claim holds; ``high`` if there is none."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _log2(value: Fraction) -> float:
    return log2(value.numerator) - log2(value.denominator)


def _rounded(value: Fraction) -> Fraction:
    """The value to 80 bits, so that a search does not make numbers ever longer."""
    scale = Fraction(2) ** (80 - int(_log2(value)))
    return round(value * scale) / scale


_ROUNDINGS = tuple(Fraction(2) ** power for power in range(-2, 7))


def exact_delta(variance: Fraction, shift: int, epsilon: Fraction, bits: int) -> tuple[int, int]:
    """Enclose ``2**bits · δ`` for noise in one coordinate that moves by at most ``shift`` steps.

    δ = P[X ≥ k] - e^ε·P[X ≥ k + shift] with k = ⌈ε·variance/shift - shift/2⌉.  A shorter move
    has no larger δ.

    >>> low, high = exact_delta(Fraction(42247, 10_000) ** 2, 1, Fraction(1), 64)
    >>> round(low / 2**64, 9), high - low <= 4
    (1.02e-06, True)
    """
    work = bits + 16
    start = ceil(epsilon * variance / shift - Fraction(shift, 2))
    total_low, total_high = total_weight(variance, work)
    far_low, far_high = tail_weight(variance, start + shift, work, epsilon)
    near_low, near_high = tail_weight(variance, max(start, 1 - start), work)
    if start <= 0:
        near_low, near_high = total_low - near_high, total_high - near_low
    low, high = max(0, near_low - far_high), near_high - far_low
    return (low << bits) // total_high, min(1 << bits, -(-(high << bits) // total_low))


class Smoothing(NamedTuple):
    """What the randomized rounding costs: from (ε₀,δ₀) to (ε₀ + cost, δ₀·growth), rounded up."""

    cost: Fraction
    growth: Fraction

    @staticmethod
    def of(
        variance: Fraction, rounding: Fraction, coordinates: int, bits: int
    ) -> "Smoothing | None":
        """The cost of a rounding by N_Z(y, rounding) to a noise of this variance, if it is finite.

        The continuous noise has the rest of the variance.
        """
        if variance <= rounding:
            return None
        kept = rounding + (variance - rounding) * rounding / variance
        # Rounded down, so that a search over the variance meets few values.
        return _smoothing(rounding, Fraction(floor(64 * kept), 64), coordinates, bits)


@lru_cache(maxsize=256)
def _smoothing(rounding: Fraction, kept: Fraction, coordinates: int, bits: int) -> Smoothing | None:
    unit = 1 << bits
    wave = Fraction(theta_excess(rounding, bits)[1], unit)
    mean = Fraction(theta_excess(kept, bits)[1], unit)
    if 2 * wave >= 1 or 2 * coordinates * mean >= 1:
        return None
    least, most = 1 - mean, 1 + mean + wave * wave / (1 - wave)
    _, cost = logarithm(most / least, bits)
    # least^coordinates ≥ 1 - coordinates·mean
    return Smoothing(Fraction(coordinates * cost, unit), 1 / (1 - coordinates * mean))


class RoundedNoise(NamedTuple):
    """Integer noise of a variance, how one unit moves it, and the rounding that stands for it."""

    variance: Fraction
    move: Move
    rounding: Fraction

    def smoothing(self, bits: int) -> Smoothing | None:
        """What that rounding costs, if it is finite."""
        return Smoothing.of(self.variance, self.rounding, self.move.moving, bits)


def lattice_delta(
    variance: Fraction, move: Move, rounding: Fraction, epsilon: Fraction, bits: int
) -> Fraction:
    """An upper bound of δ from a rounding of continuous noise; 1 where it says nothing.

    >>> noise, move = Fraction(9), Move(2, 2)
    >>> round(float(lattice_delta(noise, move, Fraction(1, 2), Fraction(2), 64)), 7)
    5.3e-06
    """
    return joint_lattice_delta([RoundedNoise(variance, move, rounding)], epsilon, bits)


def joint_lattice_delta(parts: Sequence[RoundedNoise], epsilon: Fraction, bits: int) -> Fraction:
    """The same for several vectors that are moved at once, each with noise of its own.

    >>> parts = [RoundedNoise(Fraction(9 * n), Move(n, n), Fraction(1, 2)) for n in (1, 4)]
    >>> round(float(joint_lattice_delta(parts, Fraction(2), 64)), 7)
    4.3e-06
    """
    cost, growth, ratio = Fraction(0), Fraction(1), Fraction(0)
    for part in parts:
        smoothing = part.smoothing(bits)
        if smoothing is None:
            return Fraction(1)
        cost += smoothing.cost
        growth *= smoothing.growth
        ratio += part.move.squares / (part.variance - part.rounding)
    if cost >= epsilon:
        return Fraction(1)
    _, shift = square_root(ratio, 2 * bits)
    if shift == 0:
        return Fraction(1)
    _, delta = gaussian_delta(epsilon - cost, Fraction(shift, 1 << 2 * bits), Fraction(1), bits)
    return min(Fraction(1), Fraction(delta, 1 << bits) * growth)


def best_lattice_delta(variance: Fraction, move: Move, epsilon: Fraction, bits: int) -> Fraction:
    """The least that any rounding proves."""
    deltas = (
        lattice_delta(variance, move, rounding, epsilon, bits)
        for rounding in roundings(variance, move, epsilon, bits)
    )
    return min(deltas, default=Fraction(1))


def roundings(variance: Fraction, move: Move, epsilon: Fraction, bits: int) -> Iterator[Fraction]:
    """The roundings worth trying: each takes variance away, and the finer ones cost ε as well."""
    for rounding in _ROUNDINGS:
        smoothing = Smoothing.of(variance, rounding, move.moving, bits)
        if smoothing is not None and 2 * smoothing.cost < epsilon:
            yield rounding
            if smoothing.cost < epsilon * _NEGLIGIBLE:
                return


@dataclass(frozen=True, slots=True)
class MoveFamilies:
    """The moves, put together by what they give away, in a noise as wide as they are long.

    A vector is g·w, where the integers in w have no common divisor and squares that add up to n.
    It gives away as much as one coordinate of n times the variance that moves by n·g steps, up
    to the factor 1 + ``uneven``.  Of the vectors with one n the longest counts.  ``summed`` lists
    the n times variances and the steps; all further n are covered by one lattice bound, which
    costs less the larger n is: ``others`` is the first of them, if there are any.
    """

    summed: tuple[tuple[Fraction, int], ...]
    others: tuple[Fraction, Move] | None
    uneven: Fraction

    @property
    def are_even(self) -> bool:
        """Whether there is no need to look at the vectors of a family one by one."""
        return self.uneven <= _EVEN

    @staticmethod
    def of(variance: Fraction, move: Move) -> "MoveFamilies | None":
        """The families of all moves; None where the vectors of one differ too much."""
        uneven = _unevenness(variance, move.squares)
        if uneven is None:
            return None
        few = move.squares * variance <= LARGEST_SUM
        enough = floor((LARGEST_SUM if few else _ENOUGH) / variance) + 1
        end = min(_MOST_FAMILIES, move.squares + 1, max(enough, 1 + (variance <= LARGEST_SUM)))
        summed = tuple(
            (n * variance, n * isqrt(move.squares // n))
            for n in range(1, end)
            if _is_sum_of_squares(n, move.moving)
        )
        others = (end * variance, Move(end * move.squares, 1)) if end <= move.squares else None
        return MoveFamilies(summed, others, uneven)

    def delta(self, epsilon: Fraction, bits: int) -> Fraction:
        """An upper bound of δ."""
        most = Fraction(0)
        if self.others is not None:
            most = best_lattice_delta(*self.others, epsilon, bits)
        for variance, step in self.summed:
            # Most families are below the largest by far, and the lattice bound is quick.
            if best_lattice_delta(variance, Move(step * step, 1), epsilon, bits) > most:
                _, high = exact_delta(variance, step, epsilon, bits)
                most = max(most, Fraction(high, 1 << bits))
        return min(Fraction(1), (1 + self.uneven) * most)


def _unevenness(variance: Fraction, squares: int) -> Fraction | None:
    """An upper bound of n·P(T ≡ 0 modulo n) - 1 for the vectors of every family, if it is small.

    It is below (n - 1)·e^(-(2π²·variance - 4.0001)/n), and 2π² > 19.7392.
    """
    if variance < 1:
        return None
    bits = 64 + 2 * squares.bit_length()
    exponent = (Fraction(197_392, 10_000) * variance - Fraction(40_001, 10_000)) / squares
    _, decay = exp_minus(exponent, bits)
    uneven = Fraction((squares - 1) * decay, 1 << bits)
    return uneven if uneven <= _UNEVEN else None


def _is_sum_of_squares(number: int, coordinates: int, divisor: int = 0) -> bool:
    """Whether so many squares add up to it, their roots without a common divisor.

    Four or more are taken for granted: a family that has no vector only adds to a bound.
    """
    if coordinates >= 4:
        return True
    if coordinates == 1:
        root = isqrt(number)
        return root * root == number and gcd(divisor, root) == 1
    return any(
        _is_sum_of_squares(number - root * root, coordinates - 1, gcd(divisor, root))
        for root in range(isqrt(number) + 1)
    )


def summed_delta(
    variance: Fraction, move: Move, epsilon: Fraction, bits: int, most: int = MANY
) -> Fraction | None:
    """δ by the sums over integers, rounded up; None where they would be too long.

    At most so many vectors are looked at one by one.

    >>> round(float(summed_delta(Fraction(16), Move(4, 4), Fraction(9, 4), 64)), 9)
    1.008e-06
    """
    if move.step is not None:
        if variance > LARGEST_SUM:
            return None
        return Fraction(exact_delta(variance, move.step, epsilon, bits)[1], 1 << bits)
    families = MoveFamilies.of(variance, move)
    if families is None or not families.are_even:
        delta = vectors_delta(variance, move, epsilon, bits, most)
        if delta is not None or families is None:
            return delta
    return families.delta(epsilon, bits)


def least_delta(variance: Fraction, move: Move, epsilon: Fraction) -> Fraction:
    """A δ at which the noise is (ε,δ)-DP: by the sums, or else by the lattice bound.

    >>> round(float(least_delta(Fraction(16), Move(4, 4), Fraction(9, 4))), 9)
    1.008e-06
    """
    bits = 64
    while True:
        delta = summed_delta(variance, move, epsilon, bits)
        if delta is None:
            delta = best_lattice_delta(variance, move, epsilon, bits)
        if delta > Fraction(1, 1 << bits - 40) or bits >= _MOST_BITS:
            return delta
        bits *= 2


def is_proved(variance: Fraction, move: Move, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether a bound proves (ε,δ)-DP; the quick one is asked first.

    >>> is_proved(Fraction(16), Move(4, 4), Fraction("2.2512"), Fraction(1, 10**6))
    True
    """
    bits = _precision(move, epsilon, delta)
    if best_lattice_delta(variance, move, epsilon, bits) <= delta:
        return True
    return _summed(variance, move, epsilon, delta, bits, FEW).proved


@lru_cache(maxsize=1024)
def least_epsilon(variance: Fraction, move: Move, delta: Fraction) -> Fraction:
    """The least ε that a bound proves at this δ, or at most about 1e-10 of it above."""
    best = concentrated_epsilon(Fraction(move.squares) / (2 * variance), delta)
    if best == 0:
        return best
    bits = _precision(move, best, delta)
    for rounding in roundings(variance, move, best, bits):

        def excess(epsilon: Fraction, rounding: Fraction = rounding) -> BoundExcess:
            return BoundExcess(lattice_delta(variance, move, rounding, epsilon, bits), delta)

        if excess(best).proved:
            best = least_argument(excess, best, _EPSILON_TOLERANCE)
    if move.step is not None:
        return _single_epsilon(variance, move.step, delta, best, bits)
    families = MoveFamilies.of(variance, move)
    if families is not None and families.are_even:
        return min(best, _families_epsilon(families, delta, best, bits))

    def summed(epsilon: Fraction) -> BoundExcess:
        return _summed(variance, move, epsilon, delta, bits, MANY)

    return _sought(summed, best)


def _single_epsilon(
    variance: Fraction, step: int, delta: Fraction, most: Fraction, bits: int
) -> Fraction:
    """The least ε of one coordinate by its exact sum, or ``most`` if that is less or too long."""
    if variance <= LARGEST_SUM:
        for epsilon in epsilons(variance, step, delta, most):
            _, high = exact_delta(variance, step, epsilon, bits)
            if high * delta.denominator <= delta.numerator << bits:
                return min(most, epsilon)
    return most


def _families_epsilon(
    families: MoveFamilies, delta: Fraction, most: Fraction, bits: int
) -> Fraction:
    """The least ε of all families: the largest of theirs, each of which has a falling δ."""
    level = delta / (1 + families.uneven)
    least = Fraction(0)
    for variance, step in families.summed:
        move = Move(step * step, 1)
        if not least or best_lattice_delta(variance, move, least, bits) > level:
            _, high = exact_delta(variance, step, least, bits)
            if high * level.denominator > level.numerator << bits:
                least = _single_epsilon(variance, step, level, most, bits)
    if families.others is None:
        return least
    variance, move = families.others

    def excess(epsilon: Fraction) -> BoundExcess:
        return BoundExcess(best_lattice_delta(variance, move, epsilon, bits), level)

    if least and excess(least).proved:
        return least
    return _sought(excess, most)


def _sought(excess: Callable[[Fraction], BoundExcess], most: Fraction) -> Fraction:
    """The least ε at which a falling bound is proved, up to ``most``."""
    if excess(Fraction(0)).proved:
        return Fraction(0)
    if excess(most).proved:
        return least_argument(excess, most, _EPSILON_TOLERANCE, _NEAR)
    return most


@lru_cache(maxsize=1024)
def least_sigma(move: Move, epsilon: Fraction, delta: Fraction) -> Fraction:
    """The least σ that a bound proves to be (ε,δ)-DP, or a short decimal at most 1e-6 of it above.

    The exact δ is not monotone in σ where σ is small.  For one coordinate the first σ that is low
    enough is taken; for several, one at which δ falls to the target.
    """
    bits = _precision(move, epsilon, delta)
    _, distance = square_root(Fraction(move.squares), 64)
    best = Fraction(distance, 1 << 64) * rough_sigma(epsilon, delta)
    proved = False
    for rounding in roundings(best * best + 64, move, epsilon, bits):

        def excess(sigma: Fraction, rounding: Fraction = rounding) -> BoundExcess:
            return BoundExcess(lattice_delta(sigma * sigma, move, rounding, epsilon, bits), delta)

        if not proved or excess(best).proved:
            best, proved = _short_sigma(excess, best), True
    if not proved or best * best <= _COARSE:

        def converted(sigma: Fraction) -> BoundExcess:
            rho = move.squares / (2 * sigma * sigma)
            return BoundExcess(concentrated_epsilon(rho, delta), epsilon)

        if not proved or converted(best).proved:
            best = _short_sigma(converted, best)
    if best * best > LARGEST_SUM:
        return best
    for sigma in _summed_sigmas(move, epsilon, delta, best, bits):
        if _summed(sigma * sigma, move, epsilon, delta, bits, FEW).proved:
            return min(best, sigma)
    return best


def concentrated_sigma(squares: int, rho: Fraction) -> Fraction:
    """A short decimal just above the least σ with squares/(2σ²) ≤ ρ, or that itself.

    >>> concentrated_sigma(20, Fraction(1, 8))
    Fraction(559017, 62500)
    """
    sigma = decimal_above(_root_above(squares / (2 * rho)), 7)
    while squares > 2 * rho * sigma * sigma:  # where floats took the logarithm too low
        sigma = decimal_above(sigma * _SLACK, 7)
    return sigma


def joint_gaussian_variances(
    squares: Sequence[int], weights: Sequence[Fraction], epsilon: Fraction, delta: Fraction
) -> tuple[Fraction, ...]:
    """Variances of integer noise on several vectors that make all of them together (ε,δ)-DP.

    One unit moves the i-th vector by integers whose squares add up to at most ``squares[i]``, and
    may move all of them at once.  Noises are independent, and the questions are fixed in advance.
    ``squares[i]/variance[i]``, of which Σ/2 is ρ, is in proportion to ``weights[i]``, but for what
    rounding takes: each variance is the square of a short decimal.  A single vector gets the
    noise that ``least_sigma`` finds, and so do several of one variance.  Proof:
    docs/proofs/gaussian-vectors.md

    >>> third, level = Fraction(1, 3), Fraction(1, 10**6)
    >>> first, second = joint_gaussian_variances((1, 10**6), (third, 2 * third), Fraction(1), level)
    >>> round(float(first) ** 0.5, 3), round(float(second) ** 0.5)
    (7.329, 5182)
    """
    if not squares or len(squares) != len(weights) or min(squares) < 1 or min(weights) <= 0:
        raise PrivacyParameterError(
            "the vectors have no squared sensitivities and weights above 0, one of each for every "
            "vector. They say how far one unit moves each, and how the noise is shared out. Leave "
            "a vector out that nobody moves."
        )
    return _joint_variances(tuple(squares), tuple(weights), epsilon, delta)


@lru_cache(maxsize=256)
def _joint_variances(
    squares: tuple[int, ...], weights: tuple[Fraction, ...], epsilon: Fraction, delta: Fraction
) -> tuple[Fraction, ...]:
    # Where Σ squares/variance is 1/σ², a vector has the variance σ² times its spread.
    spreads = [
        count * sum(weights) / weight for count, weight in zip(squares, weights, strict=True)
    ]
    if len(set(spreads)) == 1:
        sigma = least_sigma(Move.of(sum(squares), None), epsilon, delta)
        return (sigma * sigma,) * len(squares)
    moves = [Move.of(count, None) for count in squares]
    everything = Move(sum(squares), sum(move.moving for move in moves))
    bits = _precision(everything, epsilon, delta)

    def converted(variances: Sequence[Fraction]) -> BoundExcess:
        ratios = (n / variance for n, variance in zip(squares, variances, strict=True))
        return BoundExcess(concentrated_epsilon(sum(ratios, Fraction(0)) / 2, delta), epsilon)

    claim: JointBound = converted
    best, proved = rough_sigma(epsilon, delta), False
    for chosen in _joint_roundings(_spread_out(best, spreads), moves, epsilon):

        def smoothed(
            variances: Sequence[Fraction], roundings: Sequence[Fraction] = chosen
        ) -> BoundExcess:
            parts = [*map(RoundedNoise, variances, moves, roundings)]
            return BoundExcess(joint_lattice_delta(parts, epsilon, bits), delta)

        if not proved or smoothed(_spread_out(best, spreads)).proved:
            best, claim, proved = _least_spread(smoothed, best, spreads), smoothed, True
    coarse = best * best * min(spreads) <= _COARSE
    if not proved or (coarse and converted(_spread_out(best, spreads)).proved):
        best, claim = _least_spread(converted, best, spreads), converted
    sigmas = [decimal_above(best * _SLACK * _root_above(spread), 7) for spread in spreads]
    while not claim([sigma * sigma for sigma in sigmas]).proved:
        sigmas = [decimal_above(sigma * _SLACK, 7) for sigma in sigmas]
    return tuple(sigma * sigma for sigma in sigmas)


def _joint_roundings(
    variances: Sequence[Fraction], moves: Sequence[Move], epsilon: Fraction
) -> list[tuple[Fraction, ...]]:
    """The roundings worth trying for all vectors at once.

    Each vector gets the finest one whose cost is a given part of ε: that of a narrow noise may
    differ from that of a wide one, which is moved in many coordinates.
    """
    found = []
    for part in (_UNEVEN, _COARSE_PART, _NEGLIGIBLE):
        allowed = epsilon * part / len(moves)
        bits = (
            64 + ceil(max(0.0, -_log2(allowed))) + max(move.moving for move in moves).bit_length()
        )
        chosen = []
        for variance, move in zip(variances, moves, strict=True):
            for rounding in _ROUNDINGS:
                smoothing = Smoothing.of(variance + 64, rounding, move.moving, bits)
                if smoothing is not None and smoothing.cost <= allowed:
                    chosen.append(rounding)
                    break
        if len(chosen) == len(moves) and tuple(chosen) not in found:
            found.append(tuple(chosen))
    return found


def _spread_out(sigma: Fraction, spreads: Sequence[Fraction]) -> list[Fraction]:
    return [sigma * sigma * spread for spread in spreads]


def _least_spread(claim: JointBound, start: Fraction, spreads: Sequence[Fraction]) -> Fraction:
    """The least σ at which a claim about the variances is proved, or a little above it."""
    return least_argument(lambda sigma: claim(_spread_out(sigma, spreads)), start, _SIGMA_TOLERANCE)


def _root_above(square: Fraction) -> Fraction:
    """The square root, rounded up to 64 bits or better."""
    bits = 64 + max(0, square.denominator.bit_length() - square.numerator.bit_length())
    return Fraction(square_root(square, bits)[1], 1 << bits)


def _summed_sigmas(
    move: Move, epsilon: Fraction, delta: Fraction, best: Fraction, bits: int
) -> Iterator[Fraction]:
    """Candidates for the least σ by the sums: decimals, the shortest first."""
    if move.step is not None:
        yield from sigmas(move.step, epsilon, delta, best)
        return

    def summed(sigma: Fraction) -> BoundExcess:
        return _summed(sigma * sigma, move, epsilon, delta, bits, FEW)

    if summed(best).proved:
        least = least_argument(summed, best, _SIGMA_TOLERANCE, _NEAR)
        yield from (decimal_above(least * _SLACK, digits) for digits in range(7, 16))


def _summed(
    variance: Fraction, move: Move, epsilon: Fraction, delta: Fraction, bits: int, most: int
) -> BoundExcess:
    proved_delta = summed_delta(variance, move, epsilon, bits, most)
    return BoundExcess(Fraction(1) if proved_delta is None else proved_delta, delta)


def _short_sigma(excess: Bound, start: Fraction) -> Fraction:
    """A short decimal just above the least σ that the bound proves, and proved itself."""
    sigma = decimal_above(least_argument(excess, start, _SIGMA_TOLERANCE) * _SLACK, 7)
    while not excess(sigma).proved:
        sigma = decimal_above(sigma * _SLACK, 7)
    return sigma


def _precision(move: Move, epsilon: Fraction, delta: Fraction) -> int:
    """Bits enough for nine digits of δ, at a small ε and in many coordinates too."""
    sizes = (log2(number.denominator) - log2(number.numerator) for number in (epsilon, delta))
    return 64 + move.moving.bit_length() + sum(max(0, ceil(size)) for size in sizes)
