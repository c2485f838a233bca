"""The exact law of a draw among runs of candidates, and of the draws that follow it."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from discreet.exact import exp_minus
from discreet.mechanisms.ranks import Runs, Scale

Laws = dict[tuple[int, ...], tuple[int, int]]
"""Enclosures of 2^bits times the probability of each outcome."""


def point_law(runs: Runs, rate: Fraction, bits: int, scale: Scale) -> Laws:
    """The law of one point, chosen with probability proportional to e^(-rate·depth)."""
    chances = _chances(runs, rate, bits)
    return {
        (point,): (many * low, many * high)
        for start, size, (low, high) in zip(runs.starts, runs.sizes, chances, strict=True)
        for point, many in _pieces(int(start), int(size), scale)
    }


def divided_law(
    runs: Runs, rate: Fraction, bits: int, scale: Scale, halves: Callable[[int], list[Laws]]
) -> Laws:
    """The law of a position's point together with what is drawn on either side of it."""
    laws: dict[tuple[int, ...], list[int]] = {}
    chances = _chances(runs, rate, bits)
    for start, size, (low, high) in zip(runs.starts, runs.sizes, chances, strict=True):
        for first, many in _pieces(int(start), int(size), scale):
            left, right = halves(first)
            for before, (left_low, left_high) in left.items():
                for after, (right_low, right_high) in right.items():
                    total = laws.setdefault((*before, first // scale.parts, *after), [0, 0])
                    total[0] += many * low * left_low * right_low >> 2 * bits
                    total[1] += -(-many * high * left_high * right_high >> 2 * bits)
    return {outcome: (low, high) for outcome, (low, high) in laws.items()}


def _pieces(start: int, size: int, scale: Scale) -> Iterator[tuple[int, int]]:
    """The run cut where points meet: the first position of each piece and what it weighs.

    All positions of a piece lie in one point and have one rank, so they divide records equally.
    """
    while size > 0:
        end = (start // scale.parts + 1) * scale.parts
        many = end - start
        if scale.measure is not None:
            many *= scale.measure.at(start // scale.parts)
        many = min(size, many)
        yield start, many
        start, size = end, size - many


def _chances(runs: Runs, rate: Fraction, bits: int) -> list[tuple[int, int]]:
    """Enclosures of 2^bits times the probability of one candidate of each run."""
    least = int(runs.depths.min())
    weights = [exp_minus(rate * (int(depth) - least), bits + 64) for depth in runs.depths]
    sizes = [int(size) for size in runs.sizes]
    low = sum(size * weight for size, (weight, _) in zip(sizes, weights, strict=True))
    high = sum(size * weight for size, (_, weight) in zip(sizes, weights, strict=True))
    return [((lower << bits) // high, -(-(upper << bits) // low)) for lower, upper in weights]
