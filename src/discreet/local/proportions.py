"""Proportions from randomized reports.

A report names a given category with probability ``keep`` if that is the truth and with
probability ``lie`` if it is not.  The share of reports that name it is then on average
lie + (keep - lie)·proportion, which is solved for the proportion.  Everything here is computed
from reports, so floats are good enough.  Proof: docs/proofs/randomized-response.md
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf, lgamma, log, log1p, sqrt
from typing import Any

import numpy as np

from discreet.errors import DataError
from discreet.local.categories import names_text
from discreet.privacy.estimates import BoundedError, Estimate, Estimates, Payment
from discreet.privacy.sensitivity import Neighbors
from discreet.text_table import aligned

NOTE = (
    "The interval is for the respondents; it is for a population if they are a random sample of it."
)
TOGETHER = "All these intervals hold at once with the probability stated."
BIASED = (
    "Moved to the nearest proportions that are at least 0 and sum to 1. This biases them: those "
    "near 0 are too high on average and the others too low. They have no intervals."
)
_CHUNK = 1024
_NEGLIGIBLE = 1e-18


@dataclass(frozen=True, slots=True)
class Channel:
    """The chances that a report names a category: if it is the truth, and if it is not."""

    keep: float
    lie: float
    gain: float
    """keep - lie, which floats would lose where ε is small."""

    @classmethod
    def of(cls, keep: Fraction, lie: Fraction) -> "Channel":
        """The channel with these exact chances."""
        return cls(keep=float(keep), lie=float(lie), gain=float(keep - lie))

    def debias(self, share: float) -> float:
        """The proportion for which this share of reports is the expected one.

        >>> Channel(keep=0.75, lie=0.25, gain=0.5).debias(0.5)
        0.5
        """
        return (share - self.lie) / self.gain

    def variance(self, reports: int, proportion: float) -> float:
        """The variance of the debiased share, for respondents of whom this proportion has it."""
        spread = self.lie * (1 - self.lie) + proportion * self.gain * (1 - self.keep - self.lie)
        return spread / (self.gain**2 * reports)

    def interval(self, count: int, reports: int, confidence: Fraction) -> tuple[float, float]:
        """Bounds for the proportion that hold with at least this probability, for any n ≥ 1."""
        low, high = binomial_interval(count, reports, confidence)
        return self.debias(low), self.debias(high)


class UnknownCategoryError(DataError, KeyError):
    """A category that no estimate is keyed by; `in` and get() work as of any mapping."""

    __str__ = Exception.__str__  # a KeyError would quote its message


@dataclass(frozen=True, eq=False, repr=False)
class Proportions(Estimates):
    """The estimated proportion of each category, unbiased, each with its error.

    >>> channel = Channel(keep=0.75, lie=0.25, gain=0.5)
    >>> estimated({"a": 4_100, "b": 3_000, "c": 2_900}, 10_000, channel, None)
    a  0.320 ± 0.020 (95%)
    b  0.100 ± 0.019 (95%)
    c  0.080 ± 0.019 (95%)
    together ε = 0
    """

    reports: int
    channel: Channel
    note: str = ""
    """What holds for all of them, such as that their intervals hold at once."""

    def __getitem__(self, key: Hashable) -> Estimate:
        try:
            return self.cells[key]
        except (KeyError, TypeError):
            raise UnknownCategoryError(_unknown(self.label, list(self.cells))) from None

    @property
    def _below(self) -> list[str]:
        return [*super()._below, *([self.note] if self.note else [])]

    @property
    def standard_errors(self) -> dict[Any, float]:
        """The standard deviation of each value, at the proportion that was estimated."""
        return {
            name: sqrt(self.channel.variance(self.reports, min(1.0, max(0.0, float(one)))))
            for name, one in self.items()
        }

    def consistent(self) -> "ConsistentProportions":
        """The nearest proportions that are at least 0 and sum to 1: tidier, but biased.

        >>> channel = Channel(keep=0.75, lie=0.25, gain=0.5)
        >>> estimated({"a": 4, "b": 1, "c": 1}, 4, channel, None).consistent().to_dict()
        {'a': 1.0, 'b': 0.0, 'c': 0.0}
        """
        moved = on_simplex([float(one) for one in self.values()])
        return ConsistentProportions(dict(zip(self, moved, strict=True)))


@dataclass(frozen=True, eq=False)
class ConsistentProportions(Mapping[Any, float]):
    """Proportions after they were made to sum to 1, which biases them."""

    values_by_name: Mapping[Hashable, float]
    note: str = BIASED

    def __getitem__(self, name: Hashable) -> float:
        try:
            return self.values_by_name[name]
        except (KeyError, TypeError):
            raise UnknownCategoryError(_unknown("category", list(self.values_by_name))) from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)

    def to_dict(self) -> dict[Any, float]:
        """The values by category."""
        return dict(self)

    def __repr__(self) -> str:
        rows = [(str(name), f"{value:.4f}") for name, value in self.items()]
        return "\n".join([*aligned(rows), self.note])


def estimated(
    counts: Mapping[Hashable, int],
    reports: int,
    channel: Channel,
    scheme: Any,
    simultaneous: bool = False,
) -> Proportions:
    """The proportion of each category from how many reports name it."""
    releases = () if scheme is None else (Payment(scheme.loss),)
    share = len(counts) if simultaneous else 1
    together = TOGETHER if simultaneous else ""

    def one(count: int) -> Estimate:
        return Estimate(
            value=channel.debias(count / reports),
            error=BoundedError(
                lambda level: channel.interval(count, reports, 1 - (1 - level) / share)
            ),
            releases=releases,
            mechanism=scheme,
            neighbors=Neighbors.REPLACE.value,
            note=f"{together} {NOTE}" if together else NOTE,
        )

    cells = {name: one(count) for name, count in counts.items()}
    return Proportions("category", cells, reports, channel, together)


def _unknown(label: str, keys: list[Any]) -> str:
    if not keys:
        return (
            f"there is no such {label}, nor any other: none was told from noise. A proportion is "
            "looked up by what was found. Use list(found) first."
        )
    return (
        f"there is no such {label}. A proportion is looked up by one of {names_text(keys)}. Use "
        f"found[{keys[0]!r}]."
    )


def on_simplex(values: Any) -> list[float]:
    """The point of the simplex that is nearest to these values, by one sort.

    >>> on_simplex([0.5, 0.7, -0.4])
    [0.4, 0.6, 0.0]
    """
    array = np.asarray(values, np.float64)
    if array.size == 0:
        return []
    falling = np.sort(array)[::-1]
    shifts = (np.cumsum(falling) - 1) / np.arange(1, array.size + 1)
    shift = shifts[np.flatnonzero(falling > shifts)[-1]]
    return [round(value, 15) for value in np.maximum(array - shift, 0.0).tolist()]


@lru_cache(maxsize=4096)
def binomial_interval(count: int, trials: int, confidence: Fraction) -> tuple[float, float]:
    """The interval of Clopper and Pearson for the mean probability of success.

    It covers at least as often as it says, whether all trials have one probability or, as
    reports of fixed answers do, each its own; for that, the ends next to 0 and 1 are taken
    from the union bound, and a confidence below 1/2 counts as 1/2.

    >>> low, high = binomial_interval(0, 1, Fraction(95, 100))
    >>> low, round(high, 6)
    (0.0, 0.975)
    """
    each = min((1 - confidence) / 2, Fraction(1, 4))
    return 1 - _upper(trials - count, trials, each), _upper(count, trials, each)


def _upper(count: int, trials: int, level: Fraction) -> float:
    """The probability above which ``count`` successes or fewer are rarer than the level."""
    if count == trials:
        return 1.0
    if count == trials - 1:
        return 1 - float(level / trials) * (1 - 1e-9)
    # lgamma and logarithms round: aim a little lower, so that the bound still holds.
    target = log(level.numerator) - log(level.denominator) - 1e-9
    target -= trials * log(trials + 1) * 2.0**-48
    low = count / trials
    step = sqrt(max(low * (1 - low), 1 / trials) / trials)
    high = min(1.0, low + step)
    while high < 1 and _log_tail(count, trials, high) > target:
        low, step = high, 2 * step
        high = min(1.0, low + step)
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if _log_tail(count, trials, middle) > target:
            low = middle
        else:
            high = middle
    return high


def _log_tail(count: int, trials: int, probability: float) -> float:
    """ln P[Binomial(trials, probability) ≤ count] for probability > count/trials.

    The probabilities fall from ``count`` downwards by ratios below 1 that fall themselves, so
    the sum stops with a geometric bound of what is left.
    """
    if probability >= 1:
        return -inf
    odds = (1 - probability) / probability
    total, last, start = 1.0, 1.0, 0
    while start < count:
        index = np.arange(start, min(start + _CHUNK, count), dtype=np.float64)
        ratios = (count - index) / (trials - count + 1 + index) * odds
        terms = last * np.cumprod(ratios)
        total += float(terms.sum())
        last, ratio = float(terms[-1]), float(ratios[-1])
        start += index.size
        if last * ratio <= _NEGLIGIBLE * total * (1 - ratio):
            total += last * ratio / (1 - ratio)
            break
    at_count = (
        lgamma(trials + 1)
        - lgamma(count + 1)
        - lgamma(trials - count + 1)
        + count * log(probability)
        + (trials - count) * log1p(-probability)
    )
    return at_count + log(total)
