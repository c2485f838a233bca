"""How much may be spent."""

from dataclasses import dataclass
from fractions import Fraction

from discreet.exact import decimal_text
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.parameters import read_delta, read_epsilon


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A cap on the privacy loss of everything that is asked of one data set.

    >>> Budget(epsilon=1, delta=1e-6)
    Budget(epsilon=1, delta=1/1000000)
    >>> Budget(epsilon=1).covers(PureDP(epsilon=1))
    True
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", read_epsilon(self.epsilon))
        object.__setattr__(self, "delta", read_delta(self.delta))

    def __repr__(self) -> str:
        return f"Budget(epsilon={self.epsilon}, delta={self.delta})"

    def __str__(self) -> str:
        return f"ε = {decimal_text(self.epsilon)}, δ = {decimal_text(self.delta)}"

    def covers(self, loss: PureDP | ApproximateDP) -> bool:
        """Whether a total loss stays within the cap."""
        delta = loss.delta if isinstance(loss, ApproximateDP) else Fraction(0)
        return loss.epsilon <= self.epsilon and delta <= self.delta
