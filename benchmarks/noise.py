"""Time per sample of exact noise, beside NumPy's unsafe noise and opendp's exact noise."""

from collections.abc import Callable

import numpy as np
import opendp.prelude as opendp

from discreet.noise import gaussian, laplace
from timing import best_times, table

SAMPLES = 1_000_000
OPENDP_SAMPLES = 5_000
ROUNDS = 15
SCALES = {"1": 1, "1000": 1000, "2^40": 2**40}
DEVIATIONS = {"1": 1, "1000": 1000}

opendp.enable_features("contrib")


def laplace_samplers(scale: int) -> list[Callable[[], object]]:
    generator = np.random.default_rng()
    return [
        lambda: laplace(scale, SAMPLES),
        lambda: generator.laplace(scale=scale, size=SAMPLES),
        opendp_sampler(opendp.m.make_laplace, opendp.l1_distance(T="i64"), scale),
    ]


def gaussian_samplers(deviation: int) -> list[Callable[[], object]]:
    generator = np.random.default_rng()
    return [
        lambda: gaussian(deviation**2, SAMPLES),
        lambda: generator.normal(scale=deviation, size=SAMPLES),
        opendp_sampler(opendp.m.make_gaussian, opendp.l2_distance(T="i64"), deviation),
    ]


def opendp_sampler(make: Callable, metric: object, scale: int) -> Callable[[], object]:
    mechanism = make(opendp.vector_domain(opendp.atom_domain(T="i64")), metric, float(scale))
    zeros = [0] * OPENDP_SAMPLES
    return lambda: mechanism(zeros)


def row(law: str, samplers: list[Callable[[], object]]) -> list[str]:
    """Nanoseconds per sample, and how many times longer the others take."""
    seconds = best_times(samplers, ROUNDS)
    sizes = (SAMPLES, SAMPLES, OPENDP_SAMPLES)
    times = [time / size * 1e9 for time, size in zip(seconds, sizes, strict=True)]
    ours, numpy, peer = times
    return [
        law,
        *(f"{time:,.1f}" for time in times),
        f"{numpy / ours:.2f}×",
        f"{peer / ours:,.0f}×",
    ]


def main() -> None:
    print(f"Nanoseconds per sample: the quickest of {ROUNDS} rounds of {SAMPLES:,} samples")
    print(f"({OPENDP_SAMPLES:,} of opendp's), each round timing all three in turn.\n")
    header = ["law", "discreet", "NumPy", "opendp", "NumPy / discreet", "opendp / discreet"]
    rows = [row(f"Laplace, scale {name}", laplace_samplers(n)) for name, n in SCALES.items()]
    rows += [row(f"Gaussian, σ = {name}", gaussian_samplers(n)) for name, n in DEVIATIONS.items()]
    print(table(header, rows))


if __name__ == "__main__":
    main()
