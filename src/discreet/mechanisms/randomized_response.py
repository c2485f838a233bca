"""Randomized response: each value is kept or replaced by a uniform lie, before anyone sees it."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError, PrivacyParameterError, VerificationError
from discreet.exact import decimal_text, exp_minus, logarithm, rational, round_up
from discreet.mechanisms.drawing import plot_choice
from discreet.noise import BitSource, Keystream, bernoulli_array
from discreet.privacy.laws import (
    MAX_ATOMS,
    Law,
    ProductLaw,
    Weight,
    WeightedLaw,
    nearest_float,
)
from discreet.privacy.losses import PureDP
from discreet.privacy.parameters import read_epsilon
from discreet.privacy.sensitive import Sensitive
from discreet.privacy.verification import TOLERANCE

_LOG_BITS = 160
_LOG_STEP = TOLERANCE / 4
_MOST_CATEGORIES = 1 << 31
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomizedResponse:
    """Keeps a value with odds e^ε : 1 against each of the other ``categories`` - 1 values, exactly.

    Values are 0 and 1 (or False and True), or 0, …, k - 1 for k = ``categories``.  A value is
    kept with probability e^ε/(e^ε + k - 1) and else replaced by one of the others, uniformly.
    ``odds=`` in place of ``epsilon=`` states a rational e^ε; ε is then its logarithm, rounded up
    by at most 1e-12.

    Guarantee: local ε-DP.  For every two values that one person may have, the probabilities of
    every report differ by a factor of at most e^ε, and that factor is reached.  A value may
    change arbitrarily, so ``loss()`` takes no sensitivity; m values of one person together cost
    ``loss().for_group(m)``.  Proof: docs/proofs/randomized-response.md

    >>> RandomizedResponse(epsilon=1).loss()
    PureDP(epsilon=1)
    >>> RandomizedResponse.two_coin().keep_probability
    Fraction(3, 4)
    >>> round(RandomizedResponse(epsilon=1, categories=4).keep_probability, 4)
    0.4754
    """

    epsilon: Fraction = None  # type: ignore[assignment]
    categories: int = 2
    odds: Fraction | None = None

    def __post_init__(self) -> None:
        categories = _read_categories(self.categories)
        if self.odds is None:
            epsilon = read_epsilon(self.epsilon, stacklevel=4)
        else:
            odds = _read_odds(self.odds)
            epsilon = read_epsilon(_log_above(odds), stacklevel=4)
            if self.epsilon not in (None, epsilon):
                raise PrivacyParameterError(
                    "epsilon and odds are both given. The odds are e^ε, so one says the other. "
                    "Use RandomizedResponse(epsilon=1) or RandomizedResponse(odds=3)."
                )
            object.__setattr__(self, "odds", odds)
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "categories", categories)

    @classmethod
    def two_coin(cls) -> "RandomizedResponse":
        """The classic: on heads tell the truth, on tails answer by a second coin.

        The truth is told with probability 3/4, so the odds are 3 and the loss is exactly ln 3.

        >>> RandomizedResponse.two_coin()
        RandomizedResponse.two_coin()
        """
        return cls(odds=Fraction(3))

    def __repr__(self) -> str:
        if self.odds == 3 and self.categories == 2:
            return "RandomizedResponse.two_coin()"
        categories = "" if self.categories == 2 else f", categories={self.categories}"
        stated = f"epsilon={self.epsilon}" if self.odds is None else f"odds={self.odds}"
        return f"RandomizedResponse({stated}{categories})"

    def __call__(self, values: object, *, source: BitSource | None = None) -> int | NDArray[Any]:
        """A report for the value, or for each value of an array; every one gets a fresh draw."""
        source = Keystream() if source is None else source
        array = self.read(values)
        reports = array.ravel().copy()
        for start in range(0, reports.size, _BLOCK):
            self._randomize(reports[start : start + _BLOCK], source)
        shaped = reports.reshape(array.shape)
        return shaped if array.ndim else shaped.item()

    def _randomize(self, part: NDArray[Any], source: BitSource) -> None:
        others = self.categories - 1
        lies = bernoulli_array(self._lie, part.size, source)
        if others == 1:
            part ^= lies
            return
        # A lie is a shift by 1 to k - 1.  It is drawn for all, so that time does not tell who lied.
        shift = 1 + _uniform_array(others, part.size, source)
        part += np.where(lies, shift, 0)
        part %= self.categories

    def _lie(self, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits times the chance of a lie, others/(others + e^ε)."""
        others = self.categories - 1
        if self.odds is not None:
            exact = others / (others + self.odds)
            scaled = exact.numerator << bits
            return scaled // exact.denominator, -(-scaled // exact.denominator)
        work = bits + 8 + others.bit_length()
        low, high = (others * end for end in exp_minus(self.epsilon, work))
        one = 1 << work
        return (low << bits) // (one + low), -((-high << bits) // (one + high))

    def loss(self) -> PureDP:
        """The loss of one value, whatever it is changed to."""
        return PureDP(epsilon=self.epsilon)

    @property
    def keep_probability(self) -> Fraction | float:
        """The probability that the truth is told: a rational if the odds are, else a float."""
        if self.odds is not None:
            return self.odds / (self.odds + self.categories - 1)
        return nearest_float(lambda bits: _complement(self._lie(bits), bits))

    def law(self, value: object) -> Law:
        """The exact law of the report on a value, or of the tuple of reports on an array."""
        if self.categories > MAX_ATOMS:
            raise VerificationError(
                f"there are {self.categories} categories, more than {MAX_ATOMS}. The law holds a "
                "probability for each. Verify with fewer categories: the loss is the same."
            )
        array = self.read(value)
        if array.ndim == 0:
            return self._law(int(array))
        kept = array.ravel().tolist()
        laws = {at: self._law(int(at)) for at in set(kept)}
        return ProductLaw(tuple(laws[at] for at in kept))

    def _law(self, kept: int) -> WeightedLaw:
        truth, lie = Weight(Fraction(1)), Weight(Fraction(1), self.epsilon)
        if self.odds is not None:
            truth, lie = Weight(self.odds), Weight(Fraction(1))
        return WeightedLaw({at: truth if at == kept else lie for at in range(self.categories)})

    def plot(self, *values: object) -> Any:
        """A picture of the chance of each output on each input: ``.plot(0, 1)``."""
        return plot_choice(self, values)

    def read(self, values: object) -> NDArray[Any]:
        """The values as an array of integers in [0, categories)."""
        if isinstance(values, Sensitive):
            values = values.open()
        array = _array(values)
        if array is None:
            raise self._not_values()
        if array.size == 0 and array.dtype.kind in "biuf":
            return array.astype(np.int64)
        if array.dtype.kind == "b" and self.categories == 2:
            return array.astype(np.int64)  # the type of a report must not tell that of the value
        if array.dtype.kind not in "iu":
            raise self._not_values()
        if array.min() < 0 or array.max() >= self.categories:
            raise self._not_values()
        return array.astype(np.int64)

    def _not_values(self) -> DataError:
        if self.categories == 2:
            return DataError(
                "a value is not a bit. Randomized response takes 0 and 1, or False and True. "
                "Encode the answers first, for example [answer == 'yes' for answer in answers]."
            )
        return DataError(
            f"a value is not a category. Randomized response over {self.categories} categories "
            f"takes integers from 0 to {self.categories - 1}. Encode the answers first, for "
            "example [names.index(answer) for answer in answers]."
        )


def _log_above(odds: Fraction) -> Fraction:
    """ln(odds) rounded up as verification rounds it, so that both agree to the last digit."""
    _, above = logarithm(odds, _LOG_BITS)
    return round_up(Fraction(above, 1 << _LOG_BITS), _LOG_STEP)


def _array(values: object) -> NDArray[Any] | None:
    try:
        return np.asarray(values)
    except (TypeError, ValueError):
        return None


def _complement(enclosed: tuple[int, int], bits: int) -> tuple[int, int]:
    return (1 << bits) - enclosed[1], (1 << bits) - enclosed[0]


def _uniform_array(bound: int, count: int, source: BitSource) -> NDArray[np.int64]:
    """Uniform integers in [0, bound): words above the last whole multiple are drawn again."""
    words = np.empty(count, np.uint64)
    pending = np.arange(count)
    while pending.size:
        fresh = np.empty(pending.size, np.uint64)
        source.fill(fresh)
        words[pending] = fresh
        pending = pending[fresh > np.uint64((1 << 64) - 1 - (1 << 64) % bound)]
    return (words % np.uint64(bound)).astype(np.int64)


def _read_categories(categories: object) -> int:
    if isinstance(categories, bool) or not isinstance(categories, int | np.integer):
        raise PrivacyParameterError(
            "categories is not an integer. It is how many values there are to report. "
            "Use categories=2 for a yes or no."
        )
    if not 2 <= categories <= _MOST_CATEGORIES:
        raise PrivacyParameterError(
            f"categories is {decimal_text(Fraction(int(categories)))}. A report names one of at "
            "least 2 and at most 2^31 values. Use categories=2 for a yes or no."
        )
    return int(categories)


def _read_odds(odds: object) -> Fraction:
    value = rational(odds, "odds")
    if value <= 1:
        raise PrivacyParameterError(
            f"odds is {decimal_text(value)}. It is e^ε, the odds of the truth against a given "
            "lie, so it must be above 1. Use odds=3 for the two-coin form."
        )
    return value
