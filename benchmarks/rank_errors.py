"""Mean absolute error of the ends and the median, beside python-dp, from few records to many.

Every column is the quantiles of a law, clipped to [0, 100]: the same on every machine.
``python benchmarks/rank_errors.py 100 10000`` measures these numbers of records alone.
"""

import sys
from collections.abc import Callable, Iterator
from math import sqrt

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


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:] if size.isdigit()] or list(RELEASES)
    print("\nEnds and medians of values in [0, 100], mean absolute error:\n")
    header = ["", "discreet", "python-dp", "ratio", "standard errors beyond 1.05"]
    print(table(header, list(rows(sizes))), flush=True)


if __name__ == "__main__":
    main()
