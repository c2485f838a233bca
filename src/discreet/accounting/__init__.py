"""Composing losses: what many releases give away together.

- A batch that was fixed in advance: ``batch_epsilon``, the best of all accountants.
- Questions that depend on answers: ``Filter``; what was spent so far: ``Odometer``.
- One-off calls: ``spending``.
"""

from typing import TYPE_CHECKING

from discreet.accounting.composition import basic_loss, parallel_loss, total_loss
from discreet.accounting.filters import Filter, Totals, charge
from discreet.accounting.spending import Spending
from discreet.accounting.spending import spend as spend
from discreet.accounting.spending import spending as spending
from discreet.accounting.zcdp import zcdp_delta, zcdp_epsilon

if TYPE_CHECKING:
    from discreet.accounting.accountants import (
        Odometer,
        batch_delta,
        batch_epsilon,
        integer_gaussian_delta,
        integer_gaussian_epsilon,
        largest_fitting,
        least_noise,
        loss_distribution_delta,
        loss_distribution_epsilon,
        optimal_delta,
        optimal_epsilon,
        renyi_delta,
        renyi_epsilon,
    )

__all__ = [
    "Filter",
    "Odometer",
    "Spending",
    "Totals",
    "basic_loss",
    "batch_delta",
    "batch_epsilon",
    "charge",
    "integer_gaussian_delta",
    "integer_gaussian_epsilon",
    "largest_fitting",
    "least_noise",
    "loss_distribution_delta",
    "loss_distribution_epsilon",
    "optimal_delta",
    "optimal_epsilon",
    "parallel_loss",
    "renyi_delta",
    "renyi_epsilon",
    "total_loss",
    "zcdp_delta",
    "zcdp_epsilon",
]


def __getattr__(name: str) -> object:
    """The other accountants, loaded when first used: `import discreet` stays quick."""
    if name in __all__:
        from discreet.accounting import accountants

        return getattr(accountants, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
