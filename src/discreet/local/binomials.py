"""Binomial laws in integers out of 2^192, with every rounding to a known side.

A law is computed outwards from its mode by the ratios of successive probabilities, with the mode
at 1, and cut where a term is below 2^-144 of it.  Proof: docs/proofs/shuffle.md
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate

BITS = 192
UNIT = 1 << BITS

_TAIL = 144


def upper_binomial(trials: int, chance: Fraction) -> tuple[int, list[int], int]:
    """The law of binomial(trials, chance): the first value, upper bounds of the probabilities from
    it on, and an upper bound of the probability of all other values."""
    if chance >= 1:
        return trials, [UNIT], 0
    odds = chance / (1 - chance)
    mode = int((trials + 1) * chance)
    lows, highs = _outward(trials, mode, odds)
    below_low, below_high = _outward(trials, trials - mode, 1 / odds)
    # The total is at least the sum of the lower bounds, and beyond the last term kept on a side
    # ratios are below that of the last two.
    total = sum(lows) + sum(below_low) - UNIT
    rests = _rest(highs[-1], len(highs), trials, mode, odds)
    rests += _rest(below_high[-1], len(below_high), trials, trials - mode, 1 / odds)
    weights = [*reversed(below_high[1:]), *highs]
    scaled = [-(-(weight << BITS) // total) for weight in weights]
    return mode - len(below_high) + 1, scaled, -(-(rests << BITS) // total)


class LowerBinomial:
    """The law of binomial(trials, chance) from below: ``terms[i]/total`` is at most the probability
    of ``first`` + i, and ``sums`` are those of the terms before each."""

    __slots__ = ("first", "sums", "terms", "total")

    def __init__(self, trials: int, chance: Fraction) -> None:
        odds = chance / (1 - chance)
        mode = int((trials + 1) * chance)
        above = _outward_low(trials, mode, odds)
        below = _outward_low(trials, trials - mode, 1 / odds)
        self.first = mode - len(below) + 1
        self.terms = [*reversed(below[1:]), *above]
        self.sums = [0, *accumulate(self.terms)]
        # The j-th term of a side lacks at most j, as ratios are at most 1 and rounded once each.
        lacking = sum(len(side) * (len(side) - 1) // 2 for side in (above, below))
        rests = _rest(above[-1] + len(above), len(above), trials, mode, odds)
        rests += _rest(below[-1] + len(below), len(below), trials, trials - mode, 1 / odds)
        self.total = self.sums[-1] + lacking + rests


def fair_tails(
    first: int, slope: Fraction, start: Fraction, step: int = 1
) -> Iterator[tuple[int, int, int]]:
    """For c = first, first + step, …: the place i = ⌊c·slope + start⌋, an upper bound of b(i), its
    probability under binomial(c, 1/2), and a lower one of the tail beyond it.

    The slope lies in [1/2, 1) and every place between half of c and c.  From c to c + 1: b(i) is
    multiplied by (c+1)/(2(c+1-i)), and the tail after i grows by half of the old b(i); from i to
    i + 1: b is multiplied by (c-i)/(i+1), and the tail loses the new b.  The step is 1 or -1.
    """
    bottom = slope.denominator * start.denominator
    top, offset = slope.numerator * start.denominator, start.numerator * slope.denominator
    count, place = first, (first * top + offset) // bottom
    low, high, tail = _fair_start(count, place)
    while True:
        yield place, high, tail
        count += step
        moved = (count * top + offset) // bottom
        if step > 0:
            tail += low >> 1
            divisor = 2 * (count - place)
            low, high = low * count // divisor, -(-high * count // divisor)
            if moved > place:
                low = low * (count - place) // (place + 1)
                high = -(-high * (count - place) // (place + 1))
                tail = max(0, tail - high)
        else:
            if moved < place:
                tail += low
                divisor = count + 2 - place
                low, high = low * place // divisor, -(-high * place // divisor)
            factor, divisor = 2 * (count + 1 - moved), count + 1
            low, high = low * factor // divisor, -(-high * factor // divisor)
            tail = max(0, tail - -(-high // 2))
        place = moved


def scaled_up(value: Fraction) -> int:
    """A rational in units, rounded up."""
    return -(-(value.numerator << BITS) // value.denominator)


def scaled_down(value: Fraction) -> int:
    """A rational in units, rounded down."""
    return (value.numerator << BITS) // value.denominator


def _outward(trials: int, start: int, odds: Fraction) -> tuple[list[int], list[int]]:
    """Lower and upper bounds of P[start + j]/P[start], j = 0, 1, …, until they are negligible."""
    up, down = odds.numerator, odds.denominator
    low = high = UNIT
    lows, highs = [low], [high]
    for value in range(start, trials):
        top, bottom = (trials - value) * up, (value + 1) * down
        low, high = low * top // bottom, -(-high * top // bottom)
        lows.append(low)
        highs.append(high)
        if high < UNIT >> _TAIL and top < bottom:
            break
    return lows, highs


def _outward_low(trials: int, start: int, odds: Fraction) -> list[int]:
    """The lower bounds alone, from a mode on: half of the work."""
    up, down = odds.numerator, odds.denominator
    low = UNIT
    lows = [low]
    for value in range(start, trials):
        low = low * ((trials - value) * up) // ((value + 1) * down)
        lows.append(low)
        if low < UNIT >> _TAIL and value > start:
            break
    return lows


def _rest(last: int, count: int, trials: int, start: int, odds: Fraction) -> int:
    """An upper bound of all terms after the last of ``count`` ones: ratios fall, so a geometric
    series."""
    value = start + count - 1
    if value >= trials:
        return 0
    ratio = Fraction(trials - value, value + 1) * odds
    return int(last * ratio / (1 - ratio)) + 1


def _fair_start(count: int, place: int) -> tuple[int, int, int]:
    """Bounds of b(place), and a lower one of the tail after it, for binomial(count, 1/2)."""
    middle = count // 2
    lows, highs = _outward(count, middle, Fraction(1))
    rest = _rest(highs[-1], len(highs), count, middle, Fraction(1))
    # The law is symmetric: the total is twice the upper half, but for a middle that is its own.
    own = UNIT if count % 2 == 0 else 0
    low_total, high_total = 2 * sum(lows) - own, 2 * (sum(highs) + rest) - own
    if count % 2:  # start at the lower of two middles: that one is outside of the upper half
        low_total, high_total = low_total - 2 * UNIT, high_total - 2 * UNIT
    at = place - middle
    low = (lows[at] << BITS) // high_total if at < len(lows) else 0
    high = -(-((highs[at] if at < len(highs) else highs[-1] + rest) << BITS) // low_total)
    return low, high, (sum(lows[at + 1 :]) << BITS) // high_total
