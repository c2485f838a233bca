"""Private statistics of columns in memory.

Each function computes its sensitivity from the public bounds and the neighboring relation,
picks the mechanism with the lowest error, and returns an ``Estimate``.  One-off calls keep no
account: losses on one data set add up.  Track and cap them with
``with discreet.spending(discreet.Budget(epsilon=1)):``.
"""

from discreet.statistics.counts import count, histogram, most_common, proportion
from discreet.statistics.mechanism_functions import gaussian, laplace, noisy_max
from discreet.statistics.moments import mean, std, sum, var
from discreet.statistics.quantiles import max, median, min, quantile
from discreet.statistics.relations import corr, cov, regression

__all__ = [
    "corr",
    "count",
    "cov",
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
    "regression",
    "std",
    "sum",
    "var",
]
