"""How much may be spent."""

from dataclasses import dataclass, field
from fractions import Fraction

from discreet.errors import PrivacyParameterError
from discreet.exact import decimal_text, rational, stated
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.parameters import read_delta, read_epsilon


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A cap on the privacy loss of everything that is asked of one data set.

    δ is split in advance: ``conversion_delta`` is for turning zCDP into ε, the rest is for the
    δ of the questions themselves.  The default is one half each.

    >>> Budget(epsilon=1, delta=1e-6)
    Budget(epsilon=1, delta=1/1000000)
    >>> Budget(epsilon=1, delta=1e-6, conversion_delta=9e-7).question_delta
    Fraction(1, 10000000)
    >>> Budget(epsilon=1).covers(PureDP(epsilon=1))
    True
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    conversion_delta: Fraction = None  # type: ignore[assignment]  # half of delta unless stated
    question_delta: Fraction = field(init=False, compare=False)
    """What the δ of all questions may add up to when asking is adaptive."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", read_epsilon(self.epsilon))
        object.__setattr__(self, "delta", read_delta(self.delta))
        object.__setattr__(self, "conversion_delta", self._read_conversion_delta())
        object.__setattr__(self, "question_delta", self.delta - self.conversion_delta)

    def __repr__(self) -> str:
        split = self.conversion_delta
        stated = "" if 2 * split == self.delta else f", conversion_delta={split}"
        return f"Budget(epsilon={self.epsilon}, delta={self.delta}{stated})"

    def __str__(self) -> str:
        return f"{stated('ε', self.epsilon)}, {stated('δ', self.delta)}"

    def covers(self, loss: PureDP | ApproximateDP) -> bool:
        """Whether a total loss stays within the cap."""
        delta = loss.delta if isinstance(loss, ApproximateDP) else Fraction(0)
        return loss.epsilon <= self.epsilon and delta <= self.delta

    def _read_conversion_delta(self) -> Fraction:
        # The field says Fraction for those who read it; None is what it is before it is set.
        if self.conversion_delta is None:
            return self.delta / 2  # type: ignore[unreachable]
        part = rational(self.conversion_delta, "conversion_delta")
        if not 0 <= part <= self.delta:
            raise PrivacyParameterError(
                f"conversion_delta is {decimal_text(part)}. It is the part of delta that is kept "
                f"for converting zCDP, so it lies between 0 and {decimal_text(self.delta)}. "
                "Leave it out for one half."
            )
        return part
