"""Name and shame: what total variation calls private and nobody should."""

import warnings
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from discreet.errors import DataError, PrivacyWarning, VerificationError
from discreet.exact.rational import WrittenNumber
from discreet.noise import BitSource, Keystream, bernoulli_array, ratio
from discreet.privacy.laws import Weight, WeightedLaw
from discreet.privacy.losses import TotalVariation, read_delta
from discreet.privacy.sensitivity import Sensitive

_MOST_RECORDS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class NameAndShame:
    """Publishes each record, with its place, with probability δ.  NOT PRIVATE: for teaching only.

    It satisfies δ-TV under replace (n fixed), which shows that δ-TV is no privacy: of n records
    δ·n are published in full, and no ε covers a single one.

    Guarantee: swapping one record changes the probability of every event by at most δ, and that
    is reached; no finite ε exists.  Proof: docs/proofs/name-and-shame.md

    >>> NameAndShame(delta=0.01).loss()
    TotalVariation(delta=1/100)
    """

    delta: Fraction

    if TYPE_CHECKING:

        def __init__(self, *, delta: WrittenNumber) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", read_delta(self.delta))

    def __repr__(self) -> str:
        return f"NameAndShame(delta={self.delta})"

    def __call__(
        self, dataset: object, *, source: BitSource | None = None
    ) -> tuple[tuple[int, Any], ...]:
        """The published records with their places.  Warns: this gives people away."""
        warnings.warn(
            "name and shame is not private: it publishes each record in full with probability δ. "
            "It exists to show that total variation does not protect anyone. Use a mechanism "
            "with a finite ε, such as dp.RandomizedResponse.",
            PrivacyWarning,
            stacklevel=2,
        )
        records = _records(dataset)
        source = Keystream() if source is None else source
        published = bernoulli_array(ratio(self.delta), len(records), source)
        return tuple((place, records[place]) for place in published.nonzero()[0].tolist())

    def loss(self) -> TotalVariation:
        """δ-TV for one swapped record; n swapped records give min(1, n·δ)."""
        return TotalVariation(delta=self.delta)

    def law(self, dataset: object) -> WeightedLaw:
        """The exact law of what is published, on at most 12 records.

        >>> NameAndShame(delta=0.1).law(["ann"]).probability(((0, "ann"),))
        0.1
        """
        records = _records(dataset)
        if len(records) > _MOST_RECORDS:
            raise VerificationError(
                f"the data set has more than {_MOST_RECORDS} records. The law has one outcome "
                "for each subset of them. Verify on a few records: the others change nothing."
            )
        places: tuple[tuple[int, Hashable], ...] = tuple(enumerate(records))
        weights: dict[Hashable, Weight] = {}
        for chosen in product((False, True), repeat=len(places)):
            outcome = tuple(pair for pair, shown in zip(places, chosen, strict=True) if shown)
            weight = self.delta ** len(outcome) * (1 - self.delta) ** (len(places) - len(outcome))
            try:
                weights[outcome] = Weight(weight)
            except TypeError:
                raise DataError(
                    "a record cannot be hashed. The law is a table of outcomes made of records. "
                    "Give records as numbers, strings or tuples."
                ) from None
        return WeightedLaw(weights)


def _records(dataset: object) -> list[Any]:
    if isinstance(dataset, Sensitive):
        dataset = dataset.open()
    if isinstance(dataset, str | bytes) or not isinstance(dataset, Iterable):
        raise DataError(
            "the data set is not a row of records. Each person has one. "
            "Give a list such as ['ann', 'bob']."
        )
    return list(dataset)
