"""Tables whose totals agree and running totals, done again in Fractions and one by one."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import prod

from discreet.measures.strategies import Strategy
from discreet.mechanisms.residual_tables import Keys, ResidualTables
from discreet.mechanisms.running_totals import RunningTotals

Vector = list[Fraction]
Matrix = list[Vector]


def places(sizes: Sequence[int], keys: Iterable[int]) -> list[Keys]:
    """All cells of a marginal, in order."""
    return list(product(*(range(sizes[key]) for key in keys)))


def marginal(values: Mapping[Keys, int], sizes: Sequence[int], keys: Keys) -> dict[Keys, int]:
    """The sums of the finest cells by some of the keys."""
    sums = dict.fromkeys(places(sizes, keys), 0)
    for place, value in values.items():
        sums[tuple(place[key] for key in keys)] += value
    return sums


def helmert(size: int) -> list[list[int]]:
    """The rows (1, …, 1, -k, 0, …)."""
    return [[1] * k + [-k] + [0] * (size - k - 1) for k in range(1, size)]


def strategy_matrix(strategy: ResidualTables) -> list[list[int]]:
    """Row by row what is measured of the finest cells, as the strategy's blocks say it."""
    finest = places(strategy.sizes, range(len(strategy.sizes)))
    rows = []
    for block in strategy.blocks:
        for numbers in product(*(range(1, strategy.sizes[key]) for key in block.keys)):
            squared = prod(k * (k + 1) for k in numbers)
            factor = _root(block.precision // squared)
            rows.append(
                [
                    factor
                    * prod(
                        helmert(strategy.sizes[key])[k - 1][cell[key]]
                        for key, k in zip(block.keys, numbers, strict=True)
                    )
                    for cell in finest
                ]
            )
    return rows


def running_matrix(strategy: RunningTotals) -> list[list[int]]:
    """The same of running totals: a row for each cell, of the cells before it in its series."""
    cells, axis = places(strategy.sizes, range(len(strategy.sizes))), strategy.axis
    first = [int(one) for one in strategy.coefficients]

    def entry(row: Keys, column: Keys) -> int:
        same = row[:axis] + row[axis + 1 :] == column[:axis] + column[axis + 1 :]
        return first[row[axis] - column[axis]] if same and row[axis] >= column[axis] else 0

    return [[entry(row, column) for column in cells] for row in cells]


@cache
def matrix(strategy: Strategy) -> list[list[int]]:
    """What a strategy measures of the finest cells, row by row."""
    if isinstance(strategy, ResidualTables):
        return strategy_matrix(strategy)
    if isinstance(strategy, RunningTotals):
        return running_matrix(strategy)
    raise TypeError("a strategy without a twin")


def _root(number: int) -> int:
    """The largest whole number whose square is at most this, by halving."""
    low, high = 0, number + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle * middle <= number else (low, middle)
    return low


def queries(strategy: ResidualTables) -> dict[tuple[Keys, Keys], list[int]]:
    """Each cell of each table as a sum of finest cells."""
    finest = places(strategy.sizes, range(len(strategy.sizes)))
    return {
        (keys, place): [int(tuple(cell[key] for key in keys) == place) for cell in finest]
        for keys in strategy.marginals
        for place in places(strategy.sizes, keys)
    }


def least_squares(matrix: Sequence[Sequence[int]], wanted: Sequence[int]) -> Vector:
    """The weights of the rows, of least norm, by which they add up to what is wanted.

    The rows of different blocks, and of one, are orthogonal to each other, so that they are
    projections.
    """
    weights = []
    for row in matrix:
        norm = sum(one * one for one in row)
        weights.append(Fraction(sum(a * b for a, b in zip(row, wanted, strict=True)), norm))
    rebuilt = [
        sum((weight * row[place] for weight, row in zip(weights, matrix, strict=True)), Fraction(0))
        for place in range(len(wanted))
    ]
    assert rebuilt == list(wanted), "the rows do not make it"
    return weights


def solved(matrix: Sequence[Sequence[int]], wanted: Sequence[int]) -> Vector:
    """The weights of a lower triangular matrix's rows by which they add up to what is wanted."""
    size = len(matrix)
    weights = [Fraction(0)] * size
    for column in reversed(range(size)):
        known = sum(
            (weights[row] * matrix[row][column] for row in range(column + 1, size)), Fraction(0)
        )
        weights[column] = (wanted[column] - known) / matrix[column][column]
    return weights


def persons(cells: int, most: int) -> list[tuple[int, ...]]:
    """All persons with up to so many rows: how many of them are in each cell."""
    found = []
    for many in range(most + 1):
        for rows in product(range(cells), repeat=many):
            if tuple(sorted(rows)) == rows:
                found.append(tuple(rows.count(cell) for cell in range(cells)))
    return found


def subsets(keys: int) -> list[Keys]:
    """All sets of so many keys."""
    return [one for many in range(keys + 1) for one in combinations(range(keys), many)]
