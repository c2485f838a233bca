"""Exact noise: the law drawn from is the law that was proved, whatever floats do."""

from discreet.noise.bernoulli import (
    bernoulli,
    bernoulli_array,
    decay,
    ratio,
    uniform_below,
)
from discreet.noise.entropy import BitSource, Keystream, UnsafeSeededBits
from discreet.noise.gaussian import gaussian, gaussian_integer
from discreet.noise.laplace import geometric, geometric_integer, laplace, laplace_integer
from discreet.noise.weighted_choice import exponential_race, weighted_choice

__all__ = [
    "BitSource",
    "Keystream",
    "UnsafeSeededBits",
    "bernoulli",
    "bernoulli_array",
    "decay",
    "exponential_race",
    "gaussian",
    "gaussian_integer",
    "geometric",
    "geometric_integer",
    "laplace",
    "laplace_integer",
    "ratio",
    "uniform_below",
    "weighted_choice",
]
