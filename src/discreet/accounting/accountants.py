"""The accountants of a batch that was fixed in advance, by name; loaded when first used."""

from discreet.accounting.batch import (
    batch_delta,
    batch_epsilon,
    integer_gaussian_delta,
    integer_gaussian_epsilon,
    largest_fitting,
    least_noise,
)
from discreet.accounting.composition import optimal_delta, optimal_epsilon
from discreet.accounting.filters import Odometer
from discreet.accounting.loss_distribution import (
    loss_distribution_delta,
    loss_distribution_epsilon,
)
from discreet.accounting.renyi import renyi_delta, renyi_epsilon

__all__ = [
    "Odometer",
    "batch_delta",
    "batch_epsilon",
    "integer_gaussian_delta",
    "integer_gaussian_epsilon",
    "largest_fitting",
    "least_noise",
    "loss_distribution_delta",
    "loss_distribution_epsilon",
    "optimal_delta",
    "optimal_epsilon",
    "renyi_delta",
    "renyi_epsilon",
]
