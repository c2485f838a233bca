"""Comparison of Laplace and Gaussian noise by the number of counts that one person moves."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import PrivacyParameterError
from discreet.exact.rational import WrittenNumber
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.privacy.losses import read_count, read_delta, read_epsilon
from discreet.privacy.sensitivity import Sensitivity

_CONFIDENCE = Fraction(95, 100)
_LEAST_SHOWN = 16
_MOST_POINTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseComparison:
    """Laplace beside Gaussian noise on k counts, for one ε, and a δ that Laplace does not need.

    One person may be in all of the counts: they move by k in L1, which Laplace noise must hide,
    and by √k in L2, which is all that Gaussian noise must hide.

    >>> comparison = NoiseComparison(epsilon=1, delta=1e-6)
    >>> comparison.laplace(4).accuracy(0.95), comparison.gaussian(4).accuracy(0.95)
    (12, 17)
    >>> comparison.crossover
    8
    """

    epsilon: Fraction
    delta: Fraction

    if TYPE_CHECKING:

        def __init__(self, *, epsilon: WrittenNumber, delta: WrittenNumber) -> None: ...

    def __post_init__(self) -> None:
        delta = read_delta(self.delta)
        if delta == 0:
            raise PrivacyParameterError(
                "delta is 0. Gaussian noise has no pure ε, so it needs a δ above 0. Use something "
                "far below 1/(number of people), such as delta=1e-6."
            )
        object.__setattr__(self, "epsilon", read_epsilon(self.epsilon, stacklevel=4))
        object.__setattr__(self, "delta", delta)

    def laplace(self, counts: int) -> Laplace:
        """The Laplace noise of each of so many counts, ε-DP together."""
        return _laplace(_read_counts(counts), self.epsilon)

    def gaussian(self, counts: int) -> Gaussian:
        """The Gaussian noise of each of so many counts, (ε,δ)-DP together."""
        return _gaussian(_read_counts(counts), self.epsilon, self.delta)

    def better(self, counts: int) -> Laplace | Gaussian:
        """The noise with the smaller margin at 95%; Laplace where they are equal: it has no δ.

        >>> NoiseComparison(epsilon=1, delta=1e-6).better(64)
        Gaussian(sigma=33.79773)
        """
        return self.gaussian(counts) if self._gaussian_wins(counts) else self.laplace(counts)

    def _gaussian_wins(self, counts: int) -> bool:
        gaussian, laplace = self.gaussian(counts), self.laplace(counts)
        return gaussian.accuracy(_CONFIDENCE) < laplace.accuracy(_CONFIDENCE)

    @property
    def crossover(self) -> int:
        """The least number of counts at which Gaussian noise has the smaller margin.

        Margins are whole numbers, so where they are small, a tie may follow once more.
        """
        counts = 1
        while not self._gaussian_wins(counts):  # k outgrows √k, so this ends
            counts += 1
        return counts

    def plot(self, most: int | None = None) -> Any:
        """A picture of both margins at 95%, for 1 to ``most`` counts."""
        from discreet.plots import comparison_picture

        crossover = self.crossover
        last = max(_LEAST_SHOWN, 2 * crossover) if most is None else _read_counts(most)
        shown = np.unique(np.linspace(1, last, _MOST_POINTS).round().astype(int)).tolist()
        if crossover <= last:
            shown = sorted({*shown, crossover})
        return comparison_picture(
            [
                (counts, noise.accuracy(_CONFIDENCE), name)
                for counts in shown
                for name, noise in (
                    ("Laplace", self.laplace(counts)),
                    ("Gaussian", self.gaussian(counts)),
                )
            ],
            epsilon=float(self.epsilon),
            delta=float(self.delta),
            crossover=crossover,
        )


@lru_cache(maxsize=1024)
def _laplace(counts: int, epsilon: Fraction) -> Laplace:
    return Laplace.calibrated(sensitivity=_moved(counts), epsilon=epsilon)


@lru_cache(maxsize=1024)
def _gaussian(counts: int, epsilon: Fraction, delta: Fraction) -> Gaussian:
    return Gaussian.calibrated(
        sensitivity=_moved(counts), epsilon=epsilon, delta=delta, dimension=counts
    )


def _moved(counts: int) -> Sensitivity:
    return Sensitivity.of("counts", counts=counts)


def _read_counts(counts: int) -> int:
    return read_count(counts, "counts", "counting queries")
