"""Mean absolute error at ε = 1 on 10,000 values in [0, 100], beside theory and peers.

The values are the quantiles of a lognormal law, clipped: the same on every machine. discreet and
python-dp keep the number of values private; the other peers' means take it as public.
"""

from collections.abc import Callable
from math import exp, sqrt
from statistics import NormalDist, fmean, median, stdev

import diffprivlib
from pydp.algorithms import laplacian

import discreet as dp
import key_discovery
import quotient_errors
import rank_errors
import table_errors
import top_errors
from timing import table

TRIALS = 1_000
SIZE = 10_000
HIGH = 100
VALUES = [
    min(exp(3 + 0.71 * NormalDist().inv_cdf((i + 0.5) / SIZE)), float(HIGH)) for i in range(SIZE)
]
MEAN = fmean(VALUES)
DECAY = exp(-1)
SHARE = MEAN / HIGH
BOUNDS = (0, HIGH)
ENDS = {"lower_bound": 0, "upper_bound": HIGH}

TRUTH = {"count": float(SIZE), "mean": MEAN, "median": median(VALUES)}
THEORY = {
    "count": 2 * DECAY / (1 - DECAY**2),
    "mean": (SHARE**2 + SHARE * (1 - SHARE) + (1 - SHARE) ** 2) * HIGH / SIZE,
}
RELEASES: dict[str, dict[str, Callable[[], object]]] = {
    "discreet": {
        "count": lambda: dp.count(VALUES, epsilon=1),
        "mean": lambda: dp.mean(VALUES, bounds=BOUNDS, epsilon=1),
        "median": lambda: dp.median(VALUES, bounds=BOUNDS, epsilon=1),
    },
    "python-dp": {
        "count": lambda: laplacian.Count(epsilon=1, dtype="float").quick_result(VALUES),
        "mean": lambda: laplacian.BoundedMean(epsilon=1, dtype="float", **ENDS).quick_result(
            VALUES
        ),
        "median": lambda: laplacian.Median(epsilon=1, dtype="float", **ENDS).quick_result(VALUES),
    },
    "diffprivlib": {
        "mean": lambda: diffprivlib.tools.mean(VALUES, epsilon=1, bounds=BOUNDS),
        "median": lambda: diffprivlib.tools.median(VALUES, epsilon=1, bounds=BOUNDS),
    },
}
# Measured earlier, on values of the same kind, through each peer's ordinary interface.
EARLIER = {
    "diffprivlib": {"count": 0.843, "mean": 0.0100, "median": 0.0085},
    "opendp": {"count": 0.864, "mean": 0.0097, "median": 0.013},
    "pipeline-dp": {"count": 0.955, "mean": 0.0122, "median": 0.158},
    "python-dp": {"count": 0.939, "mean": 0.0115, "median": 0.0156},
    "smartnoise-sql": {"count": 1.014},
}


def absolute_errors(release: Callable[[], object], truth: float) -> list[float]:
    return [abs(float(release()) - truth) for _ in range(TRIALS)]


def measured_row(library: str, what: str, release: Callable[[], object]) -> list[str]:
    """The mean error, its standard error, and where there is a theory how far off it is."""
    errors = absolute_errors(release, TRUTH[what])
    error, uncertainty = fmean(errors), stdev(errors) / sqrt(TRIALS)
    theory, distance = "", ""
    if library == "discreet" and what in THEORY:
        theory = f"{THEORY[what]:.4f}"
        distance = f"{(error - THEORY[what]) / uncertainty:+.1f}"
    return [f"{what}, {library}", f"{error:.4f}", f"{uncertainty:.4f}", theory, distance]


def main() -> None:
    print(f"Mean absolute error of {TRIALS:,} releases at ε = 1; the values' mean is {MEAN:.2f}.\n")
    header = ["release", "error", "standard error", "theory", "standard errors off"]
    rows = [
        measured_row(library, what, release)
        for what in TRUTH
        for library, releases in RELEASES.items()
        if (release := releases.get(what))
    ]
    print(table(header, rows))
    print("\nMeasured earlier, on values of the same kind:\n")
    earlier = [
        [library, *(str(errors.get(what, "")) for what in TRUTH)]
        for library, errors in EARLIER.items()
    ]
    print(table(["library", *TRUTH], earlier))
    rank_errors.main()
    table_errors.main()
    top_errors.main()
    key_discovery.main()
    quotient_errors.main()


if __name__ == "__main__":
    main()
