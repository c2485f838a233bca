"""Differential privacy: answer statistical questions about people without giving anyone away.

>>> import discreet as dp
>>> answer = dp.mean([30, 40, 50] * 1000, bounds=(0, 120), epsilon=1)
>>> 39 < answer.value < 41
True
"""

from discreet import local
from discreet.accounting import spending
from discreet.errors import (
    BoundsError,
    BudgetExhaustedError,
    DataError,
    DiscreetError,
    PrivacyParameterError,
    PrivacyWarning,
    VerificationError,
)
from discreet.mechanisms import (
    Exponential,
    Gaussian,
    Laplace,
    NameAndShame,
    NoisyMax,
    PermuteAndFlip,
    RandomizedResponse,
)
from discreet.noise import UnsafeSeededBits
from discreet.privacy.budget import Budget
from discreet.privacy.estimate import Estimate
from discreet.privacy.estimates import Estimates
from discreet.privacy.losses import ApproximateDP, PureDP, TotalVariation, ZeroConcentratedDP
from discreet.privacy.sensitivity import Sensitivity
from discreet.privacy.tradeoff import Tradeoff, tradeoff
from discreet.privacy.verification import Verification, verify
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
    randomized_response,
    std,
    sum,
    var,
)

__version__ = "0.1.0"

__all__ = [
    "ApproximateDP",
    "BoundsError",
    "Budget",
    "BudgetExhaustedError",
    "DataError",
    "DiscreetError",
    "Estimate",
    "Estimates",
    "Exponential",
    "Gaussian",
    "Laplace",
    "NameAndShame",
    "NoisyMax",
    "PermuteAndFlip",
    "PrivacyParameterError",
    "PrivacyWarning",
    "PureDP",
    "RandomizedResponse",
    "Sensitivity",
    "TotalVariation",
    "Tradeoff",
    "UnsafeSeededBits",
    "Verification",
    "VerificationError",
    "ZeroConcentratedDP",
    "count",
    "gaussian",
    "histogram",
    "laplace",
    "local",
    "max",
    "mean",
    "median",
    "min",
    "most_common",
    "noisy_max",
    "proportion",
    "quantile",
    "randomized_response",
    "spending",
    "std",
    "sum",
    "tradeoff",
    "var",
    "verify",
]
