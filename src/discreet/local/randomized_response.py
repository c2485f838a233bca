"""Randomized response as a survey: randomize where the answer is given, estimate from reports."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, expm1
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet import mechanisms
from discreet.errors import BoundsError, DataError
from discreet.local import wire
from discreet.local.proportions import Channel
from discreet.noise import BitSource
from discreet.privacy.estimate import BoundedError, Estimate, Release
from discreet.privacy.estimates import Estimates
from discreet.privacy.losses import PureDP
from discreet.privacy.neighbors import Neighbors

_SCHEME = "randomized-response"
_NOTE = (
    "The interval is for the respondents; it is for a population if they are a random sample of it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomizedResponse:
    """A poll in which every answer is randomized before anyone sees it.

    ``categories`` is how many answers there are, given as 0, …, k - 1, or their names.  With two
    of them the estimate is the proportion of the second: of 1, of True, of the second name.

    Guarantee: local ε-DP.  Whatever one respondent's answer is changed to, no report becomes
    more than e^ε times as likely.  Intervals hold with at least the probability that they state,
    for any number of reports.  Proof: docs/proofs/randomized-response.md

    >>> poll = RandomizedResponse(epsilon=1)
    >>> reports = poll.randomize([True, False, False, True] * 250)
    >>> 0 < poll.estimate(reports).value < 1
    True
    >>> RandomizedResponse.two_coin().estimate([1, 1, 1, 0]).value
    1.0
    """

    epsilon: Fraction = None  # type: ignore[assignment]
    categories: int | tuple[str, ...] = 2
    odds: Fraction | None = None
    _mechanism: mechanisms.RandomizedResponse = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        categories = _read_categories(self.categories)
        mechanism = mechanisms.RandomizedResponse(
            epsilon=self.epsilon,
            odds=self.odds,
            categories=len(categories) if isinstance(categories, tuple) else categories,
        )
        object.__setattr__(self, "epsilon", mechanism.epsilon)
        object.__setattr__(self, "odds", mechanism.odds)
        object.__setattr__(self, "categories", categories)
        object.__setattr__(self, "_mechanism", mechanism)

    @classmethod
    def two_coin(cls, categories: object = 2) -> "RandomizedResponse":
        """The classic with odds 3 : 1, exactly ln 3-DP."""
        return cls(odds=Fraction(3), categories=categories)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        if self.odds == 3 and self.categories == 2:
            return "RandomizedResponse.two_coin()"
        categories = self.categories
        shown = list(categories) if isinstance(categories, tuple) else categories
        stated = f"epsilon={self.epsilon}" if self.odds is None else f"odds={self.odds}"
        return f"RandomizedResponse({stated}{'' if shown == 2 else f', categories={shown}'})"

    @property
    def loss(self) -> PureDP:
        """What one report may reveal of one answer."""
        return self._mechanism.loss()

    # ------------------------------------------------------------------ at the respondent

    def randomize(self, values: object, *, source: BitSource | None = None) -> Any:
        """A report for the answer, or for each of several; names come back as names."""
        if not isinstance(self.categories, tuple):
            return self._mechanism(values, source=source)
        reports = self._mechanism(self._codes(values), source=source)
        if isinstance(reports, np.ndarray):
            return np.array(self.categories)[reports]
        return self.categories[reports]

    # ------------------------------------------------------------------ at the collector

    def estimate(self, reports: object) -> Estimate | Estimates:
        """The proportion of the second answer, or of each of more than two, from reports alone.

        The value is unbiased, so it may lie outside of 0 and 1.
        """
        codes = self._codes(reports)
        if codes.size == 0:
            raise DataError(
                "there are no reports. A proportion is estimated from at least one. "
                "Collect reports made by randomize()."
            )
        size = self._mechanism.categories
        counts = np.bincount(codes.ravel().astype(np.int64), minlength=size).tolist()
        release = Release(self.loss)
        if size == 2:
            return self._estimate(counts[1], codes.size, release)
        names = self.categories if isinstance(self.categories, tuple) else range(size)
        return Estimates(
            "category",
            {
                name: self._estimate(count, codes.size, release)
                for name, count in zip(names, counts, strict=True)
            },
        )

    def variance(self, reports: int, proportion: float = 0.0) -> float:
        """The variance of an estimate from so many reports, at a true proportion.

        With two answers it is e^ε/(e^ε - 1)²/n whatever the proportion is.

        >>> round(RandomizedResponse(epsilon=1).variance(1), 3)
        0.921
        """
        if reports < 1 or not 0 <= proportion <= 1:
            raise DataError(
                "the variance is for at least one report and a proportion from 0 to 1. "
                "Use poll.variance(1_000)."
            )
        return self._channel.variance(reports, proportion)

    def _estimate(self, count: int, reports: int, release: Release) -> Estimate:
        channel = self._channel
        return Estimate(
            value=channel.debias(count / reports),
            error=BoundedError(lambda level: channel.interval(count, reports, level)),
            releases=(release,),
            mechanism=self._mechanism,
            neighbors=Neighbors.REPLACE.value,
            note=_NOTE,
        )

    @property
    def _channel(self) -> Channel:
        others = self._mechanism.categories - 1
        if self.odds is not None:
            all_odds = self.odds + others
            return Channel(
                keep=float(self.odds / all_odds),
                lie=float(1 / all_odds),
                gain=float((self.odds - 1) / all_odds),
            )
        epsilon = float(min(self.epsilon, Fraction(2000)))  # e^-2000 is 0 in floats already
        decay = exp(-epsilon)
        total = 1 + others * decay
        return Channel(keep=1 / total, lie=decay / total, gain=-expm1(-epsilon) / total)

    # ------------------------------------------------------------------ on the wire

    def to_json(self) -> str:
        """The scheme as text, for the respondent's device.

        >>> RandomizedResponse(epsilon=0.1).to_json()
        '{"format": "discreet.local", "version": 1, "scheme": "randomized-response", \
"epsilon": "1/10", "categories": 2}'
        """
        privacy = {"epsilon": self.epsilon} if self.odds is None else {"odds": self.odds}
        return wire.write(_SCHEME, {**privacy, "categories": self.categories})

    @classmethod
    def from_json(cls, text: str | bytes) -> "RandomizedResponse":
        """The scheme that ``to_json`` wrote; anything else is refused.

        >>> RandomizedResponse.from_json(RandomizedResponse.two_coin().to_json())
        RandomizedResponse.two_coin()
        """
        fields = wire.read(text, _SCHEME)
        stated = "odds" if "odds" in fields else "epsilon"
        value = wire.take_rational(fields, stated)
        categories = wire.take(fields, "categories")
        wire.finish(fields)
        if type(categories) is not int and not isinstance(categories, list):
            raise _bad_categories()
        if stated == "odds":
            return cls(odds=value, categories=categories)  # type: ignore[arg-type]
        return cls(epsilon=value, categories=categories)  # type: ignore[arg-type]

    # ------------------------------------------------------------------ answers

    def _codes(self, values: object) -> NDArray[Any]:
        """Answers or reports as an array of 0, …, k - 1."""
        if not isinstance(self.categories, tuple):
            return self._mechanism.read(values)
        codes = {name: code for code, name in enumerate(self.categories)}
        several = isinstance(values, Iterable) and not isinstance(values, str)
        answers = list(values) if isinstance(values, Iterable) and several else [values]
        found = [_looked_up(codes, value) for value in answers]
        if None in found:
            raise DataError(
                f"an answer is not a category. The poll's answers are {_listed(self.categories)}. "
                "Give answers by these names, or declare the missing one in categories=."
            )
        return np.array(found if several else found[0], np.int64)


def _looked_up(codes: dict[str, int], value: object) -> int | None:
    try:
        return codes.get(value)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        return None


def _read_categories(categories: object) -> int | tuple[str, ...]:
    """A number of categories, or their names."""
    if isinstance(categories, int | np.integer):
        return categories  # type: ignore[return-value]
    if isinstance(categories, str | bytes) or not isinstance(categories, Sequence):
        raise _bad_categories()
    names = tuple(categories)
    if len(names) < 2 or not all(isinstance(name, str) and _is_name(name) for name in names):
        raise _bad_categories()
    if len(set(names)) != len(names):
        raise BoundsError(
            "a category stands twice. Each answer has one name. Remove the second one."
        )
    return names


def _is_name(name: str) -> bool:
    """Whether a name survives a NumPy array and the wire: NumPy drops trailing NULs."""
    return (
        bool(name)
        and "\0" not in name
        and not any("\ud800" <= letter <= "\udfff" for letter in name)
    )


def _bad_categories() -> BoundsError:
    return BoundsError(
        "categories is neither a number nor names. It is how many answers there are, or a list "
        "of at least two names. Use categories=4 or categories=['north', 'south']."
    )


def _listed(names: Sequence[str]) -> str:
    """A few names for people."""
    shown = ", ".join(
        repr(name) if len(name) <= 40 else repr(name[:37] + "...") for name in names[:5]
    )
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
