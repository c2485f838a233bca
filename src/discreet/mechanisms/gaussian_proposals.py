"""Where to look for the least ε or σ of integer Gaussian noise: floats that only propose."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import ceil, floor, inf, log, log2, log10, sqrt
from typing import NamedTuple

import numpy as np

from discreet.exact import round_up

_SMALLEST = Fraction(1, 10**280)
_LARGEST = 10**9
"""Below this δ and beyond this ε the sums propose nothing: their floats would mislead."""

_HALVINGS = 45


class Excess(NamedTuple):
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


Bound = Callable[[Fraction], Excess]


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
