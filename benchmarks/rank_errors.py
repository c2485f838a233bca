"""Mean absolute error of the ends and the median, beside python-dp, from few records to many.

Every column is the quantiles of a law, clipped to [0, 100]: the same on every machine.
``python benchmarks/rank_errors.py 100 10000`` measures these numbers of records alone.

Then quantiles with their intervals and ranks, which no peer states, and two of them together
beside each at half of the price.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from math import ceil, floor, sqrt

import numpy as np
from pydp.algorithms import laplacian

import discreet as dp
from timing import table

BOUNDS = (0, 100)
RELEASES = {100: 1_000, 10_000: 300, 1_000_000: 30}
EPSILONS = (0.1, 1, 3)
NORMAL = np.linspace(-6, 6, 1_200_001)
"""Deviates whose law is summed up: accurate to 10^-5, which no error here is near."""
PEER = {"max": laplacian.Max, "min": laplacian.Min, "median": laplacian.Median}
OURS = {"max": dp.max, "min": dp.min, "median": dp.median}
TRUE = {"max": np.max, "min": np.min, "median": np.median}


def columns(size: int) -> dict[str, np.ndarray]:
    share = (np.arange(size) + 0.5) / size
    law = np.cumsum(np.exp(-NORMAL * NORMAL / 2))
    deviates = np.interp(share, law / law[-1], NORMAL)
    return {
        "uniform": 100 * share,
        "uniform to 60": 60 * share,
        "lognormal": np.minimum(np.exp(3 + 0.71 * deviates), 100),
        "narrow": 40 + 20 * share,
    }


def errors(release: Callable[[], float], truth: float, releases: int) -> np.ndarray:
    return np.array([abs(release() - truth) for _ in range(releases)])


def rows(sizes: list[int]) -> Iterator[list[str]]:
    for size in sizes:
        for law, column in columns(size).items():
            values = column.tolist()
            for epsilon in EPSILONS:
                for what in OURS:
                    yield row(size, law, column, values, epsilon, what)


def row(
    size: int, law: str, column: np.ndarray, values: list[float], epsilon: float, what: str
) -> list[str]:
    truth = float(TRUE[what](column))

    def ours() -> float:
        return float(OURS[what](column, bounds=BOUNDS, epsilon=epsilon).value)

    def theirs() -> float:
        asked = PEER[what](epsilon=epsilon, dtype="float", lower_bound=0, upper_bound=100)
        return float(asked.quick_result(values))

    many = RELEASES.get(size, 100)
    first, second = errors(ours, truth, many), errors(theirs, truth, many)
    spread = sqrt((first.var() + second.var()) / many)
    apart = (first.mean() - 1.05 * second.mean()) / spread if spread else 0.0
    return [
        f"{what}, {law}, n = {size:,}, ε = {epsilon}",
        f"{first.mean():.4g}",
        f"{second.mean():.4g}",
        f"{first.mean() / second.mean():.2f}" if second.mean() > 1e-9 else "",
        f"{apart:+.1f}",
    ]


TOGETHER = {"median": (0.5,), "quartiles": (0.25, 0.5, 0.75), "tails": (0.1, 0.9)}


def interval_rows(sizes: list[int]) -> Iterator[list[str]]:
    for size in sizes:
        for law, column in (columns(size) | {"tied": np.sort(np.arange(size) % 6 * 20.0)}).items():
            for epsilon in EPSILONS:
                for asked, levels in TOGETHER.items():
                    yield interval_row(size, law, column, epsilon, (asked, levels))


def interval_row(
    size: int, law: str, column: np.ndarray, epsilon: float, asked: tuple[str, Sequence[float]]
) -> list[str]:
    """Of the first level: how often it is held, how wide its interval is, and its rank."""
    what, levels = asked
    level, many = levels[0], RELEASES.get(size, 100)
    found = [
        dp.quantile(column, levels, bounds=BOUNDS, epsilon=epsilon)[level] for _ in range(many)
    ]
    first, last = column[ceil(level * size) - 1], column[floor(level * size)]
    held = [one.lower - STEP <= first and last <= one.upper + STEP for one in found]
    inside = [((column >= one.lower) & (column <= one.upper)).sum() / 2 for one in found]
    off = np.array([rows_off(column, one.value, level) for one in found])
    stated = np.array([one.rank_error for one in found])
    return [
        f"{what}, {law}, n = {size:,}, ε = {epsilon}",
        f"{np.mean(held):.3f}",
        f"± {np.median([(one.upper - one.lower) / 2 for one in found]):.3g}",
        f"± {np.median(inside):,.0f} rows",
        f"{np.mean(off <= stated + 0.001):.3f}",
        f"{np.mean(stated):,.0f}",
        f"{np.quantile(off, 0.95):,.0f}",
    ]


STEP = 1e-6
"""Of the grid, to which values are rounded."""


def rows_off(column: np.ndarray, value: float, level: float) -> float:
    rank = level * column.size
    below, up_to = np.searchsorted(column, [value - STEP, value + STEP], "right")
    return max(0.0, below - rank, rank - up_to)


def pair_rows() -> Iterator[list[str]]:
    """Two levels at once, and each alone at half of the price: mean distances of rank."""
    for size in (1_000, 10_000):
        column = columns(size)["lognormal"]
        for levels in ((0.25, 0.75), (0.5, 0.9), (0.9, 0.99)):
            for epsilon in EPSILONS:
                together, apart = [], []
                for _ in range(300):
                    both = dp.quantile(column, levels, bounds=BOUNDS, epsilon=epsilon)
                    for level in levels:
                        alone = dp.quantile(column, level, bounds=BOUNDS, epsilon=epsilon / 2)
                        together.append(rows_off(column, both[level].value, level))
                        apart.append(rows_off(column, alone.value, level))
                yield [
                    f"{levels[0]} and {levels[1]}, n = {size:,}, ε = {epsilon}",
                    f"{np.mean(together):.2f}",
                    f"{np.mean(apart):.2f}",
                ]


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:] if size.isdigit()] or list(RELEASES)
    print("\nEnds and medians of values in [0, 100], mean absolute error:\n")
    header = ["", "discreet", "python-dp", "ratio", "standard errors beyond 1.05"]
    print(table(header, list(rows(sizes))), flush=True)
    print("\nThe lowest quantile asked for, its interval and its rank, at 95%:\n")
    header = ["", "held", "interval", "holds", "rank as stated", "stated", "95% are within"]
    print(table(header, list(interval_rows(sizes))), flush=True)
    print("\nTwo quantiles together, and each alone at half of the price, rows off:\n")
    print(table(["", "together", "apart"], list(pair_rows())), flush=True)


if __name__ == "__main__":
    main()
