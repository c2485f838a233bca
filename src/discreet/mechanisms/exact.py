"""No mechanism at all, for what is the same on all neighboring tables."""

from dataclasses import dataclass
from fractions import Fraction

from discreet.noise import BitSource
from discreet.privacy.events import Event, PureEvent
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.sensitivity import Sensitivity


@dataclass(frozen=True, slots=True)
class Exact:
    """No noise.

    Guarantee: what is the same on all neighbors is 0-DP as it is.

    >>> Exact().release(7, None)
    (7,)
    """

    def release(self, public: int | None, bits: BitSource | None) -> tuple[int, ...]:
        """The number as it is."""
        return (public or 0,)

    def event(self, sensitivity: Sensitivity, loss: PureDP | ApproximateDP) -> Event:
        """What the ledger writes down: nothing was spent."""
        return PureEvent(epsilon=Fraction(0))

    def described(self, step: Fraction) -> str:
        """How a plan names it."""
        return "none: the number of rows is public"
