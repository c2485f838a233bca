"""What shuffling adds to randomized response, by the law of its own reports.

The shuffled reports of k-ary randomized response are the numbers of reports on each answer.  Of
two answers their exact law is compared for every number of others who have the first answer; of
more, what the others' lies hide is compared (Balle, Bell, Gascón and Nissim 2019).  Everything is
summed in integers, and every rounding enlarges δ.  Proof: docs/proofs/shuffle.md
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import islice
from math import exp, log
from operator import mul

from discreet.local.binomials import (
    BITS,
    UNIT,
    LowerBinomial,
    fair_tails,
    scaled_down,
    scaled_up,
    upper_binomial,
)

_MOST_CELLS = 128
_WORK = 1 << 23  # about so many terms are made for all cells
_GUARD = 24  # bits by which a probability is above what is lost, so that signs are sure
_FINE = 128  # the number of lies is rounded down by at most this part of it,
_COARSE = 16  # and by this one where it is as rare as
_RARE = UNIT >> 48


# ---------------------------------------------------------------------- two answers


def cells(near: Fraction, people: int) -> "Iterator[Cell]":
    """Cells that cover every number b of others with the second answer: those from b to b' have at
    least as many of either answer as the others of the cell, so they hide at least as well."""
    others, lie = people - 1, 1 / (near + 1)
    spread = 30 * (others * float(lie * (1 - lie))) ** 0.5 + 1  # about the terms of one law
    number = max(16, min(_MOST_CELLS, int(_WORK / (8 * spread))))
    width = 1 if others < number else -(-others // number)
    for low in range(0, others + 1, width):
        high = min(low + width - 1, others)
        yield Cell(lie, others - high, low)


class Cell:
    """One person among others, ``zeros`` of whom have the answer 0 and ``ones`` the answer 1.

    The number of reports 1 is ones + X - Y + the person's own, where X and Y are the lies of
    either group.  P[X - Y = v] = s(v) is log-concave, so at e^ε = F the answer 0 is told from 1 by
    δ = max over v of (1 - q - Fq)·s(v) - (F - 1)·P[X - Y < v], where q is the chance of a lie.
    """

    def __init__(self, lie: Fraction, zeros: int, ones: int) -> None:
        self.lie, self.zeros, self.ones = lie, zeros, ones

    def delta(self, far: Fraction) -> Fraction:
        """δ for the answer 0 against 1 at e^ε = ``far``, rounded up."""
        gain, pay = 1 - self.lie - far * self.lie, far * (1 - self.lie) - self.lie
        # In units: P[X - Y = v] lies between s(v)/whole and (s(v) + lost)/whole.
        whole, lost = self._whole, self._lost
        least = most = self._peak(gain, pay)
        if self._at(most) < lost << _GUARD:
            return gain * self._beyond(most, gain, pay) / whole
        while gain * (self._at(most + 1) + lost) > pay * self._at(most):
            most += 1  # where the sum may still rise
        while gain * self._at(least) < pay * (self._at(least - 1) + lost):
            least -= 1  # where the sum may have fallen already
        sums = (gain * self._at(v) - (far - 1) * self._below(v) for v in range(least, most + 1))
        return max(Fraction(0), (max(sums) + gain * lost) / whole)

    def _beyond(self, v: int, gain: Fraction, pay: Fraction) -> int:
        """All of P[X - Y ≤ w] from above, for a w that is surely not below the best one, v or so:
        it is searched for between v and the mean, where the law is far from its cut tails."""
        low, high = v, max(v, int(self.lie * (self.zeros - self.ones)))

        def sure(v: int) -> bool:
            risen = gain * (self._at(v + 1) + self._lost) > pay * self._at(v)
            return self._at(v) >= self._lost << _GUARD and not risen

        if not sure(high):
            return self._whole
        while high > low:
            middle = (low + high) // 2
            low, high = (low, middle) if sure(middle) else (middle + 1, high)
        return self._below(high + 1) + self._lost

    def _peak(self, gain: Fraction, pay: Fraction) -> int:
        """About the last v with gain·s(v) ≥ pay·s(v - 1); floats and the search only guess it."""
        lie, tilt = float(self.lie), max(log(pay / gain), 0.0)
        down, up = lie * exp(-tilt), lie * exp(min(tilt, 700.0))
        center = self.zeros * down / (1 - lie + down) - self.ones * up / (1 - lie + up)

        def rises(v: int) -> bool:
            return gain * self._at(v) >= pay * self._at(v - 1)

        x, y = self._x, self._y  # within what is kept of both
        lowest, highest = x.first - y.first - len(y.terms) + 1, x.first + len(x.terms) - 1 - y.first
        low = high = min(max(round(center), lowest), highest)
        step = 1
        while low > lowest and not rises(low):
            low, step = max(lowest, low - step), 2 * step
        step = 1
        while high < highest and rises(high + 1):
            high, step = min(highest, high + step), 2 * step
        while high > low:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if rises(middle) else (low, middle - 1)
        return low

    # ------------------------------------------------------------------ the law of X - Y

    @cached_property
    def _x(self) -> LowerBinomial:
        return LowerBinomial(self.zeros, self.lie)

    @cached_property
    def _y(self) -> LowerBinomial:
        return LowerBinomial(self.ones, self.lie)

    @cached_property
    def _whole(self) -> int:
        return self._x.total * self._y.total

    @cached_property
    def _lost(self) -> int:
        """All that the lower bounds of s lack together."""
        return self._whole - self._x.sums[-1] * self._y.sums[-1]

    @cached_property
    def _points(self) -> dict[int, int]:
        return {}

    def _at(self, v: int) -> int:
        """s(v) from below."""
        if v not in self._points:
            x, y = self._x, self._y
            shift = v + y.first - x.first  # the term i of Y meets the term i + shift of X
            terms = x.terms[shift:] if shift >= 0 else x.terms
            met = y.terms if shift >= 0 else islice(y.terms, -shift, None)
            self._points[v] = sum(map(mul, terms, met))
        return self._points[v]

    def _below(self, v: int) -> int:
        """P[X - Y < v] from below."""
        x, y = self._x, self._y
        size = len(x.terms)
        shift = v + y.first - x.first
        sums = (x.sums[min(max(i + shift, 0), size)] for i in range(len(y.terms)))
        return sum(map(mul, sums, y.terms))


# ---------------------------------------------------------------------- more answers


def blanket_delta(near: Fraction, categories: int, people: int, far: Fraction) -> Fraction:
    """δ of what lies hide, for k ≥ 2 answers; δ falls with their number, which is rounded down."""
    chance = categories / (near + categories - 1)  # of a report that does not depend on the answer
    first, weights, outside = upper_binomial(people - 1, chance)
    often = next(at for at, weight in enumerate(weights) if weight > _RARE)
    total, at = Fraction(outside), 0
    while at < len(weights):
        lies = first + at + 1  # with the person's own report
        part = lies // (_COARSE if weights[at] <= _RARE else _FINE)
        end = max(at + 1, min(at + part, often) if at < often else at + part)
        hidden = _hidden(near, categories, far, lies, chance)
        total += sum(weights[at:end]) * min(Fraction(1), hidden)
        at = end
    return min(total / UNIT, Fraction(1))


def _hidden(
    near: Fraction, categories: int, far: Fraction, lies: int, chance: Fraction
) -> Fraction:
    """δ given N = ``lies``: γ(E - 1)/N times the mean of the positive part of a - F·b - N·c, where
    (a, b) are the numbers of two of k equally likely answers among N and c = (F - 1)/(E - 1).

    Given a + b = t, a is binomial(t, 1/2), and with i the largest a that is not counted the mean is
    (F + 1)/2·(t - i)·P[a = i] - ((F - 1)·t/2 + N·c)·P[a > i].
    """
    start = lies * (far - 1) / ((near - 1) * (far + 1))
    slope = far / (far + 1)
    first, weights, outside = upper_binomial(lies, Fraction(2, categories))
    # Below this t no a is above the threshold: t ≤ ⌊t·slope + start⌋.
    least, most = max(first, int(start / (1 - slope)) + 1), first + len(weights) - 1
    total = outside * lies  # a is at most N
    if least > most:
        return chance * (near - 1) / lies * total / UNIT
    rise, fall = scaled_up((far + 1) / 2), scaled_down((far - 1) / 2)
    held = scaled_down(lies * (far - 1) / (near - 1))
    # From where P[a > i] is largest, so that no rounding is enlarged on the way.
    middle = min(max(int(2 * lies / (near - 1)), least), most)
    for counts in (range(middle, most + 1), range(middle - 1, least - 1, -1)):
        for count, (place, height, tail) in zip(
            counts, fair_tails(counts.start, slope, start, counts.step), strict=False
        ):
            lost = (fall * count + held) * tail >> BITS
            excess = -(-rise * (count - place) * height >> BITS) - lost
            if excess > 0:
                total += -(-weights[count - first] * excess >> BITS)
    return chance * (near - 1) / lies * total / UNIT
