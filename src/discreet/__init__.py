"""Differential privacy: answer statistical questions about people without giving anyone away.

>>> import discreet as dp
>>> answer = dp.mean([30, 40, 50] * 1000, bounds=(0, 120), epsilon=1)
>>> 39 < answer.value < 41
True

The public names and nothing else.  Each is loaded when it is first used, so that importing the
package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet import accounting, dbapi, ledger, local
    from discreet.errors import (
        AnswerLostError,
        AnswerPendingError,
        BoundsError,
        BudgetExhaustedError,
        DataError,
        DeclarationError,
        DiscreetError,
        KeyReusedError,
        LedgerCorruptError,
        LedgerError,
        LedgerMissingError,
        LedgerUnavailableError,
        PolicyError,
        PrivacyParameterError,
        PrivacyWarning,
        QueryError,
        SourceError,
        SuspendedError,
        UnansweredError,
        UnsafeRandomnessError,
        VerificationError,
    )
    from discreet.ledger import Ledger, spending
    from discreet.local.randomized_response import RandomizedResponse, randomized_response
    from discreet.mechanisms import (
        Exponential,
        Gaussian,
        Laplace,
        NameAndShame,
        NoiseComparison,
        NoisyMax,
        PermuteAndFlip,
        Processed,
    )
    from discreet.noise import UnsafeSeededBits
    from discreet.plan.columns import boolean, category, date, integer, number, text
    from discreet.policy.beside import beside
    from discreet.privacy.budget import Budget
    from discreet.privacy.estimate import Estimate
    from discreet.privacy.estimates import Estimates
    from discreet.privacy.experiment import Beliefs, Experiment, experiment
    from discreet.privacy.losses import ApproximateDP, PureDP, TotalVariation, ZeroConcentratedDP
    from discreet.privacy.region import Region
    from discreet.privacy.sensitivity import Sensitivity
    from discreet.privacy.tradeoff import Tradeoff, tradeoff
    from discreet.privacy.verification import Verification, verify
    from discreet.question.build import col, people, rows, when
    from discreet.release.answer import Release
    from discreet.release.batch import batch
    from discreet.release.opening import table
    from discreet.release.table import Table
    from discreet.statistics import (
        count,
        gaussian,
        histogram,
        laplace,
        max,
        mean,
        median,
        min,
        most_common,
        noisy_max,
        proportion,
        quantile,
        std,
        sum,
        var,
    )

__version__ = "0.1.0"

__all__ = [
    "AnswerLostError",
    "AnswerPendingError",
    "ApproximateDP",
    "Beliefs",
    "BoundsError",
    "Budget",
    "BudgetExhaustedError",
    "DataError",
    "DeclarationError",
    "DiscreetError",
    "Estimate",
    "Estimates",
    "Experiment",
    "Exponential",
    "Gaussian",
    "KeyReusedError",
    "Laplace",
    "Ledger",
    "LedgerCorruptError",
    "LedgerError",
    "LedgerMissingError",
    "LedgerUnavailableError",
    "NameAndShame",
    "NoiseComparison",
    "NoisyMax",
    "PermuteAndFlip",
    "PolicyError",
    "PrivacyParameterError",
    "PrivacyWarning",
    "Processed",
    "PureDP",
    "QueryError",
    "RandomizedResponse",
    "Region",
    "Release",
    "Sensitivity",
    "SourceError",
    "SuspendedError",
    "Table",
    "TotalVariation",
    "Tradeoff",
    "UnansweredError",
    "UnsafeRandomnessError",
    "UnsafeSeededBits",
    "Verification",
    "VerificationError",
    "ZeroConcentratedDP",
    "accounting",
    "batch",
    "beside",
    "boolean",
    "category",
    "col",
    "count",
    "date",
    "dbapi",
    "experiment",
    "gaussian",
    "histogram",
    "integer",
    "laplace",
    "ledger",
    "local",
    "max",
    "mean",
    "median",
    "min",
    "most_common",
    "noisy_max",
    "number",
    "people",
    "proportion",
    "quantile",
    "randomized_response",
    "rows",
    "spending",
    "std",
    "sum",
    "table",
    "text",
    "tradeoff",
    "var",
    "verify",
    "when",
]

_HOMES = {
    "discreet.errors": (
        "AnswerLostError",
        "AnswerPendingError",
        "BoundsError",
        "BudgetExhaustedError",
        "DataError",
        "DeclarationError",
        "DiscreetError",
        "KeyReusedError",
        "LedgerCorruptError",
        "LedgerError",
        "LedgerMissingError",
        "LedgerUnavailableError",
        "PolicyError",
        "PrivacyParameterError",
        "PrivacyWarning",
        "QueryError",
        "SourceError",
        "SuspendedError",
        "UnansweredError",
        "UnsafeRandomnessError",
        "VerificationError",
    ),
    "discreet.ledger": ("Ledger", "spending"),
    "discreet.local.randomized_response": ("RandomizedResponse", "randomized_response"),
    "discreet.mechanisms": (
        "Exponential",
        "Gaussian",
        "Laplace",
        "NameAndShame",
        "NoiseComparison",
        "NoisyMax",
        "PermuteAndFlip",
        "Processed",
    ),
    "discreet.noise": ("UnsafeSeededBits",),
    "discreet.question.build": ("col", "people", "rows", "when"),
    "discreet.plan.columns": ("boolean", "category", "date", "integer", "number", "text"),
    "discreet.privacy.budget": ("Budget",),
    "discreet.privacy.estimate": ("Estimate",),
    "discreet.privacy.estimates": ("Estimates",),
    "discreet.privacy.experiment": ("Beliefs", "Experiment", "experiment"),
    "discreet.privacy.region": ("Region",),
    "discreet.privacy.losses": ("ApproximateDP", "PureDP", "TotalVariation", "ZeroConcentratedDP"),
    "discreet.privacy.sensitivity": ("Sensitivity",),
    "discreet.privacy.tradeoff": ("Tradeoff", "tradeoff"),
    "discreet.privacy.verification": ("Verification", "verify"),
    "discreet.release.answer": ("Release",),
    "discreet.release.batch": ("batch",),
    "discreet.policy.beside": ("beside",),
    "discreet.release.opening": ("table",),
    "discreet.release.table": ("Table",),
    "discreet.statistics": (
        "count",
        "gaussian",
        "histogram",
        "laplace",
        "max",
        "mean",
        "median",
        "min",
        "most_common",
        "noisy_max",
        "proportion",
        "quantile",
        "std",
        "sum",
        "var",
    ),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in __all__:
        value = import_module(f"discreet.{name}")
    else:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
