"""Time per number of exact noise, beside NumPy's unsafe noise and opendp's exact noise.

The public call adds the noise to an array of integers; the sampler makes the noise alone.
"""

from collections.abc import Callable

import numpy as np
import opendp.prelude as opendp

import discreet as dp
from discreet.noise import gaussian, laplace
from timing import best_times, table

SAMPLES = 1_000_000
OPENDP_SAMPLES = 5_000
ROUNDS = 40
VALUES = np.arange(SAMPLES)
SCALES = {"1": 1, "1000": 1000, "2^40": 2**40}
DEVIATIONS = {"1": 1, "1000": 1000}

opendp.enable_features("contrib")


def laplace_samplers(scale: int) -> list[Callable[[], object]]:
    generator = np.random.default_rng()
    return [
        lambda: laplace(scale, SAMPLES),
        lambda: dp.laplace(VALUES, sensitivity=scale, epsilon=1),
        lambda: VALUES + generator.laplace(scale=scale, size=SAMPLES),
        opendp_sampler(opendp.m.make_laplace, opendp.l1_distance(T="i64"), scale),
    ]


def gaussian_samplers(deviation: int) -> list[Callable[[], object]]:
    generator = np.random.default_rng()
    return [
        lambda: gaussian(deviation**2, SAMPLES),
        lambda: dp.Gaussian(sigma=deviation)(VALUES),
        lambda: VALUES + generator.normal(scale=deviation, size=SAMPLES),
        opendp_sampler(opendp.m.make_gaussian, opendp.l2_distance(T="i64"), deviation),
    ]


def opendp_sampler(make: Callable, metric: object, scale: int) -> Callable[[], object]:
    mechanism = make(opendp.vector_domain(opendp.atom_domain(T="i64")), metric, float(scale))
    zeros = [0] * OPENDP_SAMPLES
    return lambda: mechanism(zeros)


def row(law: str, samplers: list[Callable[[], object]]) -> list[str]:
    """Nanoseconds per number, and how many times as long as others the public call takes."""
    seconds = best_times(samplers, ROUNDS)
    sizes = (SAMPLES, SAMPLES, SAMPLES, OPENDP_SAMPLES)
    times = [time / size * 1e9 for time, size in zip(seconds, sizes, strict=True)]
    sampler, public, numpy, peer = times
    return [
        law,
        *(f"{time:,.1f}" for time in times),
        f"{public / sampler:.2f}×",
        f"{numpy / public:.2f}×",
        f"{peer / public:,.0f}×",
    ]


def main() -> None:
    print(f"Nanoseconds per number: the quickest of {ROUNDS} rounds of {SAMPLES:,} numbers")
    print(f"({OPENDP_SAMPLES:,} of opendp's), each round timing all four in turn.\n")
    header = ["law", "sampler", "public call", "NumPy", "opendp"]
    header += ["public / sampler", "NumPy / public", "opendp / public"]
    rows = [row(f"Laplace, scale {name}", laplace_samplers(n)) for name, n in SCALES.items()]
    rows += [row(f"Gaussian, σ = {name}", gaussian_samplers(n)) for name, n in DEVIATIONS.items()]
    print(table(header, rows))


if __name__ == "__main__":
    main()
