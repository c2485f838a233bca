"""Slow twins in Fraction, which look at every event of a small law, and random laws for them."""

from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import inf

from hypothesis import strategies as st

from discreet.privacy.laws import Weight, WeightedLaw

Probabilities = Mapping[Hashable, Fraction]


def power(value: Fraction) -> tuple[Fraction, Fraction]:
    """Two rationals around e^value for |value| ≤ 20, by Taylor's series and its tail."""
    term = total = Fraction(1)
    order = 0
    while order < 2 * abs(value) or term > Fraction(1, 2**220):
        order += 1
        term = term * abs(value) / order
        total += term
    low, high = total, total + 2 * term  # from here on, each term is less than half of the last
    return rounded(low, high) if value >= 0 else rounded(1 / high, 1 / low)


def rounded(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """A pair around the pair with short denominators, which keep the twin quick."""
    unit = 2**200
    return Fraction((low * unit).__floor__(), unit), Fraction((high * unit).__ceil__(), unit)


def events(first: Probabilities, second: Probabilities) -> Iterator[tuple[Fraction, Fraction]]:
    """The probabilities of every event under the two laws."""
    pairs = [
        (first.get(at, Fraction(0)), second.get(at, Fraction(0))) for at in {**first, **second}
    ]
    for chosen in product((0, 1), repeat=len(pairs)):
        inside = [pair for pair, take in zip(pairs, chosen, strict=True) if take]
        yield sum((p for p, _ in inside), Fraction(0)), sum((q for _, q in inside), Fraction(0))


def worst_ratio(first: Probabilities, second: Probabilities) -> Fraction | float:
    """The largest ratio of the probabilities of an event, in either direction."""
    worst: Fraction | float = Fraction(1)
    for p, q in events(first, second):
        for one, other in ((p, q), (q, p)):
            if one:
                worst = max(worst, one / other if other else inf)
    return worst


def least_delta(first: Probabilities, second: Probabilities, growth: Fraction) -> Fraction:
    """The largest P[E] - growth·Q[E] of an event, in either direction."""
    return max(one_way(first, second, growth), one_way(second, first, growth))


def one_way(first: Probabilities, second: Probabilities, growth: Fraction) -> Fraction:
    """The largest P[E] - growth·Q[E] of an event."""
    return max(p - growth * q for p, q in events(first, second))


def best_rate(first: Probabilities, second: Probabilities, rate: Fraction) -> Fraction:
    """The largest true positive rate at a false positive rate, over all coins between events."""
    points = set(events(first, second))
    best = max(high for left, high in points if left == 0)
    for left, low in points:
        for right, high in points:
            if left <= rate <= right and left < right:
                best = max(best, low + (high - low) * (rate - left) / (right - left))
            elif left == rate:
                best = max(best, low)
    return best


@st.composite
def probabilities(draw: st.DrawFn, least: int = 0) -> dict[str, Fraction]:
    """A law on up to five outcomes; with ``least=0`` some of them are impossible."""
    outcomes = "abcde" if least else "abcde"[: draw(st.integers(1, 5))]
    count = len(outcomes)
    parts = draw(st.lists(st.integers(least, 9), min_size=count, max_size=count).filter(any))
    return {at: Fraction(part, sum(parts)) for at, part in zip(outcomes, parts, strict=True)}


@st.composite
def weighted_laws(draw: st.DrawFn) -> WeightedLaw:
    """A law on four outcomes with weights c·e^(-E)."""
    coefficients = st.fractions(Fraction(1, 9), 9, max_denominator=9)
    exponents = st.fractions(-3, 3, max_denominator=4)
    return WeightedLaw({at: Weight(draw(coefficients), draw(exponents)) for at in "abcd"})


def approximate(law: WeightedLaw) -> tuple[Probabilities, Probabilities]:
    """Numbers just below and just above the probabilities of a weighted law, by slow series."""
    ends = {
        at: [weight.coefficient * end for end in power(-weight.exponent)]
        for at, weight in law.weights.items()
    }
    least, most = (sum((pair[end] for pair in ends.values()), Fraction(0)) for end in (0, 1))
    pairs = {at: rounded(low / most, high / least) for at, (low, high) in ends.items()}
    return {at: low for at, (low, _) in pairs.items()}, {
        at: high for at, (_, high) in pairs.items()
    }
