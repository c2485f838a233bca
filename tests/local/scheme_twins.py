"""Naive twins of the schemes, in Fraction: their laws and their counts, by definition."""

from collections.abc import Hashable, Iterable
from fractions import Fraction
from itertools import combinations, product
from math import comb
from typing import Any

from discreet.exact import exp_minus
from discreet.local import (
    HadamardResponse,
    ProjectiveGeometryResponse,
    RandomizedResponse,
    SubsetSelection,
    UnaryEncoding,
)
from discreet.local.scheme import CategoricalScheme
from discreet.local.subsets import indices

WHOLE = Fraction(1 << 64)
EPSILONS = [Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4)]
Twin = dict[Hashable, Fraction]


def schemes(epsilon: object, categories: object) -> list[CategoricalScheme]:
    """Every scheme that is offered."""
    both: Any = {"epsilon": epsilon, "categories": categories}
    return [
        RandomizedResponse(**both),
        UnaryEncoding(**both),
        UnaryEncoding(**both, kind="symmetric"),
        SubsetSelection(**both),
        HadamardResponse(**both),
        ProjectiveGeometryResponse(**both),
    ]


def grows_to(ratio: Fraction, epsilon: Fraction) -> tuple[bool, bool]:
    """Whether a ratio is at most e^ε, and whether it is above e^ε·(1 - 2^-40)."""
    low, high = exp_minus(epsilon, 300)
    return ratio * high <= 1 << 300, ratio * low > (1 - Fraction(1, 1 << 40)) * (1 << 300)


def twin_law(scheme: CategoricalScheme, true: int) -> Twin:
    """The law of one report from the chances on the wire, by enumeration."""
    chances = {name: int(value) / WHOLE for name, value in scheme.derived.items()}
    size = scheme.domain
    if isinstance(scheme, RandomizedResponse):
        lie = (1 - chances["keep"]) / (size - 1)
        return {at: chances["keep"] if at == true else lie for at in range(size)}
    if isinstance(scheme, UnaryEncoding):
        law: Twin = {}
        for bits in product((0, 1), repeat=size):
            chance = Fraction(1)
            for at, bit in enumerate(bits):
                one = chances["one"] if at == true else chances["other"]
                chance *= one if bit else 1 - one
            law[bits] = chance
        return law
    keep = chances["keep"]
    if isinstance(scheme, SubsetSelection):
        size_of = scheme.size
        every = list(combinations(range(size), size_of))
        inside = keep / comb(size - 1, size_of - 1)
        outside = (1 - keep) / comb(size - 1, size_of)
        return {one: inside if true in one else outside for one in every}
    if isinstance(scheme, HadamardResponse):
        matrix = sylvester(scheme.rows)
        return {
            (row, bit): (keep if matrix[row][true + 1] == bit else 1 - keep) / scheme.rows
            for row in range(scheme.rows)
            for bit in (0, 1)
        }
    if isinstance(scheme, ProjectiveGeometryResponse):
        every_point = points(scheme.prime, scheme.dimension)
        near = [dot(one, every_point[true]) % scheme.prime == 0 for one in every_point]
        inside, outside = keep / sum(near), (1 - keep) / (len(near) - sum(near))
        return {at: inside if fits else outside for at, fits in enumerate(near)}
    raise TypeError(type(scheme).__name__)


def named(scheme: CategoricalScheme, report: Any) -> set[int]:
    """The categories that one report speaks for, by definition."""
    size = scheme.domain
    if isinstance(scheme, RandomizedResponse):
        return {int(report)}
    if isinstance(scheme, HadamardResponse):
        row, bit = (int(one) for one in report)
        return {at for at in range(size) if bin(row & (at + 1)).count("1") % 2 == bit}
    if isinstance(scheme, ProjectiveGeometryResponse):
        every = points(scheme.prime, scheme.dimension)
        own = every[int(report)]
        return {at for at in range(size) if dot(own, every[at]) % scheme.prime == 0}
    return set(indices(report, size))


def outcome(scheme: CategoricalScheme, report: Any) -> Hashable:
    """A report as its law names it."""
    if isinstance(scheme, UnaryEncoding):
        held = set(indices(report, scheme.domain))
        return tuple(int(at in held) for at in range(scheme.domain))
    if isinstance(scheme, SubsetSelection):
        return tuple(indices(report, scheme.domain))
    if isinstance(scheme, HadamardResponse):
        return int(report[0]), int(report[1])
    return int(report)


def sylvester(rows: int) -> list[list[int]]:
    """The Hadamard matrix by doubling, 1 in the place of -1."""
    matrix = [[0]]
    while len(matrix) < rows:
        matrix = [[*row, *row] for row in matrix] + [
            [*row, *(1 - bit for bit in row)] for row in matrix
        ]
    return matrix


def points(prime: int, dimension: int) -> list[tuple[int, ...]]:
    """The vectors whose first digit that is not 0 is 1, in the order of their numbers."""
    every = product(range(prime), repeat=dimension)
    return [one for one in every if next((digit for digit in one if digit), 0) == 1]


def dot(first: Iterable[int], second: Iterable[int]) -> int:
    return sum(a * b for a, b in zip(first, second, strict=True))
