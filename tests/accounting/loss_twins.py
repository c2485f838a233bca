"""Naive twins: pairs of laws written out, and composed by enumeration in Fraction.

A pair is a list of outcomes (probability on the first input, probability on the second).  Where a
probability is not rational it is taken to 300 bits, and a loss to 142: no δ moves by 1e-38.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import prod

from discreet.exact import exp_minus, logarithm
from discreet.exact.normal import upper_tail

Pair = list[tuple[Fraction, Fraction]]

BITS = 300
LOSS_BITS = 150
NEGLIGIBLE = Fraction(1, 10**38)


def decay(exponent: Fraction) -> Fraction:
    """e^(-exponent) to 300 significant bits."""
    if exponent < 0:
        return 1 / decay(-exponent)
    bits = BITS + int(2 * exponent)
    return Fraction(exp_minus(Fraction(exponent), bits)[0], 1 << bits)


def growth(exponent: Fraction) -> Fraction:
    return decay(-exponent)


def response(odds: Fraction, categories: int = 2) -> Pair:
    total = odds + categories - 1
    same = [(1 / total, 1 / total)] * (categories - 2)
    return [(odds / total, 1 / total), (1 / total, odds / total), *same]


def leaking(pair: Pair, delta: Fraction) -> Pair:
    """With probability δ the input is shown."""
    kept = [((1 - delta) * first, (1 - delta) * second) for first, second in pair]
    return [*kept, (delta, Fraction(0)), (Fraction(0), delta)]


def discrete_laplace(scale: Fraction, shift: int) -> Pair:
    """P(k) ∝ e^(-|k|/scale) at 0 and at ``shift``; tails are lumped where the ratio is constant."""
    q = decay(1 / Fraction(scale))
    return [
        (1 / (1 + q), q**shift / (1 + q)),
        *(
            ((1 - q) * q**place / (1 + q), (1 - q) * q ** (shift - place) / (1 + q))
            for place in range(1, shift)
        ),
        (q**shift / (1 + q), 1 / (1 + q)),
    ]


def discrete_gaussian(variance: Fraction, shift: int, reach: int) -> Pair:
    """One outcome per integer; what is beyond ``reach`` is left out on both sides."""
    weights = {
        place: decay(Fraction(place * place) / (2 * Fraction(variance)))
        for place in range(-reach - shift, reach + shift + 1)
    }
    total = sum(weights.values())
    return [
        (weights[place] / total, weights.get(place - shift, Fraction(0)) / total)
        for place in weights
    ]


def laplace(epsilon: Fraction, cells: int) -> Pair:
    """Continuous Laplace noise that moves by ε scales, seen in cells: it has no larger δ."""
    ends = [epsilon * place / cells for place in range(cells + 1)]
    inside = [
        ((decay(a) - decay(b)) / 2, (decay(epsilon - b) - decay(epsilon - a)) / 2)
        for a, b in pairwise(ends)
    ]
    tail = decay(epsilon) / 2
    return [(Fraction(1, 2), tail), *inside, (tail, Fraction(1, 2))]


def gaussian(sigma: Fraction, reach: int, cells: int) -> Pair:
    """Continuous normal noise that moves by 1, seen in cells between -reach and reach + 1."""
    ends = [Fraction(place, cells) for place in range(-reach * cells, (reach + 1) * cells + 1)]

    def between(low: Fraction, high: Fraction) -> Fraction:
        first, second = (Fraction(upper_tail(end, 600)[0], 1 << 600) for end in (low, high))
        return first - second

    return [
        (between(a / sigma, b / sigma), between((a - 1) / sigma, (b - 1) / sigma))
        for a, b in pairwise(ends)
    ]


def exponential(scores: Sequence[int], others: Sequence[int], rate: Fraction) -> Pair:
    """P(i) ∝ e^(rate·score) on two score vectors."""
    first = [growth(rate * score) for score in scores]
    second = [growth(rate * score) for score in others]
    return [(a / sum(first), b / sum(second)) for a, b in zip(first, second, strict=True)]


def sampled(pair: Pair, rate: Fraction) -> Pair:
    """With the unit in the sample with probability ``rate`` against without it: removal."""
    return [(rate * first + (1 - rate) * second, second) for first, second in pair]


def swapped(pair: Pair) -> Pair:
    return [(second, first) for first, second in pair]


Losses = dict[int | None, int]
"""Probability on the first input, in units of 2^-300, by privacy loss in units of 2^-150."""


def losses(pair: Pair) -> Losses:
    """The privacy losses ln(first/second) of a pair; None is an infinite one."""
    found: Losses = {}
    for first, second in pair:
        if first:
            loss = None
            if second:
                low, high = logarithm(first / second, BITS)
                loss = _rounded(low + high, BITS + 1 - LOSS_BITS)
            found[loss] = found.get(loss, 0) + int(first * (1 << BITS))
    return found


def composed(pairs: Iterable[Pair]) -> Losses:
    """The losses of independent outcomes of all pairs: sums, and products of probabilities."""
    total: Losses = {0: 1 << BITS}
    for pair in pairs:
        following: Losses = {}
        for loss, mass in losses(pair).items():
            for sofar, rest in total.items():
                # Equal losses, summed in another order, differ in the last digits: round them off.
                joined = None if loss is None or sofar is None else _rounded(sofar + loss, 8) << 8
                following[joined] = following.get(joined, 0) + mass * rest
        total = {loss: mass >> BITS for loss, mass in following.items()}
    return total


def delta(law: Losses, epsilon: Fraction) -> Fraction:
    """The least δ at ε of these losses."""
    level = int(epsilon * (1 << LOSS_BITS))
    factor = growth(epsilon)
    total = Fraction(law.get(None, 0))
    for loss, mass in law.items():
        if loss is not None and loss > level:
            total += mass - int(factor * mass * _second(loss) / (1 << BITS))
    return total / (1 << BITS)


@cache
def _second(loss: int) -> int:
    """2^300·e^(-loss)."""
    return int(growth(-Fraction(loss, 1 << LOSS_BITS)) * (1 << BITS))


def _rounded(value: int, bits: int) -> int:
    return (value + (1 << bits - 1)) >> bits


def joint(pairs: Sequence[Pair]) -> Pair:
    """All combinations of outcomes, written out: for a handful of small pairs."""
    return [
        (prod(first for first, _ in outcomes), prod(second for _, second in outcomes))
        for outcomes in product(*pairs)
    ]
