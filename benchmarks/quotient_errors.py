"""Widths of intervals of products and quotients, beside the shortest that knows both numbers.

The shortest interval knows the law of the noise and both true numbers; two intervals at once are
taken at 97.5% each.  ``python benchmarks/quotient_errors.py 100`` makes so many releases of each.
"""

import sys
from fractions import Fraction
from statistics import median
from typing import Any

import numpy as np

from discreet.mechanisms import Gaussian, Laplace
from discreet.privacy.estimates import Estimate, LinearError, NoiseDraw, Payment
from discreet.privacy.losses import PureDP
from discreet.privacy.uncertainty import divided_bounds, multiplied_bounds
from timing import table

RELEASES, DRAWS = 400, 200_000
EACH = Fraction(975, 1000)
NARROW, WIDE = Laplace(scale=2), Laplace(scale=100)
SMOOTH = Gaussian(sigma=100)
CASES: dict[str, tuple[int, int, Any, Any]] = {
    "large, large, Laplace": (10**6, 10**6, NARROW, NARROW),
    "large, small, Laplace": (10**6, 10, NARROW, NARROW),
    "small, large, Laplace": (10, 10**6, NARROW, NARROW),
    "small, small, Laplace": (10, 10, NARROW, NARROW),
    "near 0, Laplace": (0, 0, NARROW, NARROW),
    "discrete, Laplace": (30, 30, Laplace(scale=1), Laplace(scale=1)),
    "large, large, Gaussian": (10**6, 10**6, SMOOTH, SMOOTH),
    "large, small, Gaussian": (10**5, 300, SMOOTH, SMOOTH),
    "small, small, Gaussian": (20, 20, Gaussian(sigma=5), Gaussian(sigma=5)),
    "large, one of each": (10**5, 10**5, WIDE, SMOOTH),
    "small, one of each": (300, 300, WIDE, SMOOTH),
}


def drawn(noise: Any, many: int) -> np.ndarray:
    return np.asarray(noise(np.zeros(many, np.int64)), float)


def number(value: float, noise: Any) -> Estimate:
    return Estimate(
        value=int(value),
        error=LinearError(((Fraction(1), NoiseDraw(noise, True)),)),
        releases=(Payment(PureDP(epsilon=Fraction(1))),),
        mechanism=noise,
        neighbors="add-remove",
    )


def shortest(errors: np.ndarray) -> float:
    """The width of the shortest interval that holds 95% of them."""
    ordered = np.sort(errors[np.isfinite(errors)])
    inside = int(0.95 * ordered.size)
    return float((ordered[inside:] - ordered[: ordered.size - inside]).min())


def measured_row(name: str, operator: str, releases: int) -> list[str]:
    first, second, noise, other = CASES[name]
    with np.errstate(all="ignore"):
        a, b = first + drawn(noise, DRAWS), second + drawn(other, DRAWS)
        least = shortest(a * b if operator == "*" else a / b)
    truth = first * second if operator == "*" else first / second
    joint, apart, held = [], [], 0
    for x, y in zip(drawn(noise, releases), drawn(other, releases), strict=True):
        one, two = number(first + x, noise), number(second + y, other)
        low, high = (one * two if operator == "*" else one / two).interval()
        held += low <= truth <= high
        corners = multiplied_bounds if operator == "*" else divided_bounds
        rectangle = corners(one.noise_interval(EACH), two.noise_interval(EACH))
        joint.append((high - low) / least)
        apart.append((rectangle[1] - rectangle[0]) / least)
    return [
        f"{name}, {operator}",
        f"{median(apart):.2f}",
        f"{median(joint):.2f}",
        f"{held / releases:.3f}",
    ]


def main(releases: int = RELEASES) -> None:
    print(f"\nWidths beside the shortest interval, median of {releases:,} releases:\n")
    rows = [
        measured_row(name, operator, releases)
        for operator in "*/"
        for name, (_, second, *_) in CASES.items()
        if operator == "*" or second
    ]
    print(table(["numbers", "two intervals", "joint law", "holds"], rows))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
