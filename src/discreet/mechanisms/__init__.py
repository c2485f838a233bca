"""Mechanisms: frozen values that know their guarantee, their exact law and their accuracy.

A mechanism on numbers states ``loss(sensitivity)``: what one unit costs that moves them so far.
One on a person's own record, which may change to anything, states ``loss()``.  What a release
uses also states ``event(sensitivity, loss)``: what a ledger writes down for it.
"""

from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.name_and_shame import NameAndShame
from discreet.mechanisms.noise_crossover import NoiseComparison
from discreet.mechanisms.post_processing import Processed
from discreet.mechanisms.selection import Exponential, NoisyMax, PermuteAndFlip
from discreet.mechanisms.top_k import TopK

__all__ = [
    "Exponential",
    "Gaussian",
    "Laplace",
    "NameAndShame",
    "NoiseComparison",
    "NoisyMax",
    "PermuteAndFlip",
    "Processed",
    "TopK",
]
