"""What every mechanism that a release uses has in common."""

from fractions import Fraction
from typing import Any, Protocol

from discreet.noise import BitSource
from discreet.privacy.events import Event
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.sensitivity import Sensitivity


class Mechanism(Protocol):
    """A mechanism that knows what a ledger writes down for it."""

    def event(self, sensitivity: Sensitivity, loss: PureDP | ApproximateDP) -> Event:
        """The event of one release.

        ``sensitivity`` is how far one unit moves the true answer, in the norm that the mechanism
        needs, and ``loss`` is what the release was promised to cost.  A mechanism whose event
        says how its noise was made uses the first, others the second.

        >>> from discreet.mechanisms.laplace import Laplace
        >>> from discreet.mechanisms.noisy_max import NoisyMax
        >>> promised = PureDP(epsilon="1/2")
        >>> Laplace(scale=2).event(Sensitivity(l1=1), promised)
        DiscreteLaplaceEvent(scale=Fraction(2, 1), sensitivity=1)
        >>> NoisyMax(scale=4).event(Sensitivity(linf=1), promised)
        PureEvent(epsilon=Fraction(1, 2))
        """


class Releasing(Mechanism, Protocol):
    """A mechanism that answers a measure of a table: it takes true integers and gives others."""

    def release(self, true: Any, bits: BitSource, /) -> Any:
        """Integers with fresh noise, or points that were chosen, for all groups."""

    def described(self, step: Fraction) -> str:
        """How a plan names it, where a step of its integers is so much of the answer's unit."""
