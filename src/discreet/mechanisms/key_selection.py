"""Private key selection, where no keys were listed: the best of four mechanisms.

Proof: docs/proofs/key-selection.md
"""

from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.additive_noise import Mechanism
from discreet.mechanisms.key_sieve import Sieve
from discreet.mechanisms.key_threshold import Threshold
from discreet.mechanisms.key_weights import WeightedThreshold
from discreet.mechanisms.optimal_key_selection import OptimalSelection, SelectedKeys, read_selection
from discreet.noise import BitSource
from discreet.privacy.events import ApproximateEvent
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.sensitivity import Neighbors, Sensitive, Sensitivity

__all__ = ["KeySelection", "SelectedKeys", "Sieve", "WeightedThreshold", "best_selection"]

_MOST_WEIGHED = 1 << 40
"""Beyond so many keys the weight of each is a few steps, and rounding would show."""


class KeySelection(Mechanism, Protocol):
    """A mechanism that releases some of the keys that units hold."""

    @property
    def name(self) -> str:
        """What it is called in plans, answers and certificates."""

    @property
    def epsilon(self) -> Fraction: ...
    @property
    def delta(self) -> Fraction: ...
    @property
    def groups(self) -> int: ...
    @property
    def neighbors(self) -> Neighbors: ...

    @property
    def half_point(self) -> int:
        """The least number of units at which a key is released with probability 1/2 or more."""

    def people_for(self, level: Fraction) -> int:
        """The least number of units at which a key is released with at least this probability."""

    def __call__(
        self,
        counts: Sensitive[NDArray[np.int64]],
        *,
        source: BitSource | None = None,
        sieve: Sieve | None = None,
    ) -> SelectedKeys:
        """Which candidates are released, given the number of distinct units of each.

        ``WeightedThreshold`` takes their weights instead.

        With a sieve the candidates are those that passed it, and all others were decided by it.
        """

    def sieve(self, source: BitSource, *, bits: int = 64) -> Sieve:
        """What a cluster decides about its keys, so that few of them travel: for one release."""

    def loss(self) -> ApproximateDP:
        """What the release costs."""

    def event(
        self,
        sensitivity: Sensitivity | None = None,
        loss: PureDP | ApproximateDP | None = None,
    ) -> ApproximateEvent:
        """What a ledger writes down: the selection knows both, so neither need be stated."""


def best_selection(
    *,
    epsilon: object,
    delta: object,
    groups: int,
    neighbors: Neighbors = Neighbors.ADD_REMOVE,
    counts: bool,
    weights: bool = True,
) -> OptimalSelection | Threshold | WeightedThreshold:
    """The mechanism that releases a key half of the time at the lowest number of units.

    With ``counts`` only those that release noisy counts too, at no further cost.  The choice
    depends on the parameters alone, so it costs nothing either.  Where units with few keys may
    weigh more (``weights``), units with half as many keys as one may have are compared.

    >>> best_selection(epsilon=1, delta=1e-6, groups=1, counts=False).half_point
    14
    >>> best_selection(epsilon=1, delta=1e-6, groups=10, counts=False).name
    'WeightedThreshold'
    """
    privacy, level, most, relation = read_selection(epsilon, delta, groups, neighbors)
    made = [Threshold.laplace, Threshold.gaussian]
    choices: list[OptimalSelection | Threshold | WeightedThreshold] = [
        kind(epsilon=privacy, delta=level, groups=most, neighbors=relation) for kind in made
    ]
    if not counts:
        choices.insert(
            0, OptimalSelection(epsilon=privacy, delta=level, groups=most, neighbors=relation)
        )
    if weights and not counts and most <= _MOST_WEIGHED:
        choices.append(
            WeightedThreshold.calibrated(
                epsilon=privacy, delta=level, groups=most, neighbors=relation
            )
        )
    return min(choices, key=lambda choice: choice.half_point)
