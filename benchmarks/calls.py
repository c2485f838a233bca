"""Time of one release through the ordinary interface, and of an import in a fresh process.

python-dp takes lists and diffprivlib works on arrays, so each is compared on its own ground.
"""

import subprocess
import sys
from collections.abc import Callable

import diffprivlib
import numpy as np
from pydp.algorithms import laplacian, numerical_mechanisms

import discreet as dp
from timing import best_times, repeated, table

CALLS = 50
ROUNDS = 15
LIST = [float(37 * i % 101) for i in range(1_000)]
ARRAY = np.array(LIST)
BOUNDS = (0, 100)
ENDS = {"lower_bound": 0, "upper_bound": 100}

# For each release: discreet and python-dp on a list, discreet and diffprivlib on an array.
RELEASES: dict[str, list[Callable[[], object]]] = {
    "count": [
        lambda: dp.count(LIST, epsilon=1),
        lambda: laplacian.Count(epsilon=1, dtype="float").quick_result(LIST),
        lambda: dp.count(ARRAY, epsilon=1),
        lambda: diffprivlib.tools.count_nonzero(ARRAY, epsilon=1),
    ],
    "sum": [
        lambda: dp.sum(LIST, bounds=BOUNDS, epsilon=1),
        lambda: laplacian.BoundedSum(epsilon=1, dtype="float", **ENDS).quick_result(LIST),
        lambda: dp.sum(ARRAY, bounds=BOUNDS, epsilon=1),
        lambda: diffprivlib.tools.sum(ARRAY, epsilon=1, bounds=BOUNDS),
    ],
    "mean": [
        lambda: dp.mean(LIST, bounds=BOUNDS, epsilon=1),
        lambda: laplacian.BoundedMean(epsilon=1, dtype="float", **ENDS).quick_result(LIST),
        lambda: dp.mean(ARRAY, bounds=BOUNDS, epsilon=1),
        lambda: diffprivlib.tools.mean(ARRAY, epsilon=1, bounds=BOUNDS),
    ],
    "median": [
        lambda: dp.median(LIST, bounds=BOUNDS, epsilon=1),
        lambda: laplacian.Median(epsilon=1, dtype="float", **ENDS).quick_result(LIST),
        lambda: dp.median(ARRAY, bounds=BOUNDS, epsilon=1),
        lambda: diffprivlib.tools.median(ARRAY, epsilon=1, bounds=BOUNDS),
    ],
    "one number": [
        lambda: dp.laplace(42, sensitivity=1, epsilon=1),
        lambda: numerical_mechanisms.LaplaceMechanism(epsilon=1, sensitivity=1).add_noise(42),
        lambda: dp.laplace(42, sensitivity=1, epsilon=1),
        lambda: diffprivlib.mechanisms.Laplace(epsilon=1, sensitivity=1).randomise(42),
    ],
}


def release_row(what: str, releases: list[Callable[[], object]]) -> list[str]:
    """Microseconds of each call, and how many times longer the peers take."""
    seconds = best_times([repeated(release, CALLS) for release in releases], ROUNDS)
    on_list, python_dp, on_array, diffprivlib_ = (time / CALLS * 1e6 for time in seconds)
    return [
        what,
        *(f"{time:,.1f}" for time in (on_list, python_dp)),
        f"{python_dp / on_list:.2f}×",
        *(f"{time:,.1f}" for time in (on_array, diffprivlib_)),
        f"{diffprivlib_ / on_array:.2f}×",
    ]


def import_rows() -> list[list[str]]:
    """Seconds of a process that imports a module, less those of a process that does nothing."""

    def process(code: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    modules = ["discreet", "numpy", "pydp", "opendp.prelude", "diffprivlib"]
    nothing, *seconds = best_times(
        [process("pass"), *(process(f"import {module}") for module in modules)], rounds=5
    )
    return [
        [module, f"{time - nothing:.3f}"] for module, time in zip(modules, seconds, strict=True)
    ]


def main() -> None:
    print(f"Microseconds of one release on {len(LIST):,} values; the ratios are peer / discreet.\n")
    header = ["release", "list: discreet", "python-dp", "", "array: discreet", "diffprivlib", ""]
    print(table(header, [release_row(what, calls) for what, calls in RELEASES.items()]))
    print()
    print(table(["import", "seconds"], import_rows()))


if __name__ == "__main__":
    main()
