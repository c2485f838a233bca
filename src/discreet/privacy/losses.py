"""Privacy losses as exact values, and the rules that turn one into another.

A loss is what one release may reveal of one unit.  Numbers are rationals; a conversion
that cannot be exact rounds the loss *up*.  Proofs: docs/proofs/losses.md

    PureDP ──▶ ApproximateDP ──▶ TotalVariation ──▶ ApproximateDP (ε = 0)
       └─────▶ ZeroConcentratedDP ──▶ ApproximateDP (needs a δ), TotalVariation
"""

from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import PrivacyParameterError
from discreet.exact import decimal_text, exp_minus, rational, square_root, stated
from discreet.privacy.conversions import concentrated_epsilon, group_delta, rounded_up
from discreet.privacy.parameters import read_count, read_delta

_BITS = 96
_UNIT = 1 << _BITS


@dataclass(frozen=True, slots=True, kw_only=True)
class PureDP:
    """ε-differential privacy: P[M(x) ∈ E] ≤ e^ε · P[M(x') ∈ E] for neighbors x, x'.

    >>> PureDP(epsilon=1) + PureDP(epsilon=0.5)
    PureDP(epsilon=3/2)
    >>> PureDP(epsilon=1).for_group(3)
    PureDP(epsilon=3)
    >>> PureDP(epsilon=0.5).to_zcdp()
    ZeroConcentratedDP(rho=1/8)
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _not_negative(self.epsilon, "epsilon"))

    def __repr__(self) -> str:
        return f"PureDP(epsilon={self.epsilon})"

    def __str__(self) -> str:
        return f"{stated('ε', self.epsilon)}"

    def __add__(self, other: "PureDP") -> "PureDP":
        if not isinstance(other, PureDP):
            return NotImplemented
        return PureDP(epsilon=rounded_up(self.epsilon + other.epsilon))

    def for_group(self, size: int) -> "PureDP":
        """The loss of ``size`` units together: kε."""
        return PureDP(
            epsilon=rounded_up(read_count(size, "size", "members of the group") * self.epsilon)
        )

    def to_approximate(self) -> "ApproximateDP":
        """ε-DP is (ε, 0)-DP."""
        return ApproximateDP(epsilon=self.epsilon, delta=Fraction(0))

    def to_zcdp(self) -> "ZeroConcentratedDP":
        """ε-DP implies ε²/2-zCDP (Bun and Steinke 2016, Proposition 3.3)."""
        return ZeroConcentratedDP(rho=rounded_up(self.epsilon**2 / 2))

    def to_total_variation(self) -> "TotalVariation":
        """ε-DP implies δ-TV with δ = (e^ε - 1)/(e^ε + 1), rounded up.

        >>> round(float(PureDP(epsilon=1).to_total_variation().delta), 6)
        0.462117
        """
        return self.to_approximate().to_total_variation()


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproximateDP:
    """(ε,δ)-differential privacy: P[M(x) ∈ E] ≤ e^ε · P[M(x') ∈ E] + δ.

    A δ of 1 or more promises nothing and is kept as 1.

    >>> ApproximateDP(epsilon=1, delta=1e-6) + ApproximateDP(epsilon=2, delta=1e-6)
    ApproximateDP(epsilon=3, delta=1/500000)
    """

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _not_negative(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", min(_not_negative(self.delta, "delta"), Fraction(1)))

    def __repr__(self) -> str:
        return f"ApproximateDP(epsilon={self.epsilon}, delta={self.delta})"

    def __str__(self) -> str:
        return f"{stated('ε', self.epsilon)}, {stated('δ', self.delta)}"

    def __add__(self, other: "ApproximateDP | PureDP") -> "ApproximateDP":
        if isinstance(other, PureDP):
            other = other.to_approximate()
        if not isinstance(other, ApproximateDP):
            return NotImplemented
        return ApproximateDP(
            epsilon=rounded_up(self.epsilon + other.epsilon),
            delta=rounded_up(self.delta + other.delta),
        )

    __radd__ = __add__

    def for_group(self, size: int) -> "ApproximateDP":
        """The loss of ``size`` units: (kε, δ·(1 + e^ε + … + e^((k-1)ε))), δ rounded up.

        >>> ApproximateDP(epsilon=0, delta=1e-6).for_group(3)
        ApproximateDP(epsilon=0, delta=3/1000000)
        """
        count = read_count(size, "size", "members of the group")
        epsilon = rounded_up(count * self.epsilon)
        if self.delta == 0 or self.epsilon == 0:
            return ApproximateDP(epsilon=epsilon, delta=rounded_up(count * self.delta))
        return ApproximateDP(epsilon=epsilon, delta=group_delta(self.epsilon, self.delta, count))

    def to_total_variation(self) -> "TotalVariation":
        """(ε,δ)-DP implies TV (e^ε - 1 + 2δ)/(e^ε + 1), rounded up.

        >>> ApproximateDP(epsilon=0, delta=0.01).to_total_variation()
        TotalVariation(delta=1/100)
        """
        # In q = e^-ε the bound is (1 - q + 2δq)/(1 + q), which falls as q grows: take q low.
        low, _ = exp_minus(self.epsilon, _BITS)
        decay = Fraction(low, _UNIT)
        return TotalVariation(delta=rounded_up((1 - decay + 2 * self.delta * decay) / (1 + decay)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ZeroConcentratedDP:
    """ρ-zCDP: the Rényi divergence of order α is at most ρ·α for every α > 1.

    >>> ZeroConcentratedDP(rho=0.5) + ZeroConcentratedDP(rho=0.25)
    ZeroConcentratedDP(rho=3/4)
    >>> loss = ZeroConcentratedDP(rho=0.01).to_approximate(delta=1e-6)
    >>> round(float(loss.epsilon), 3)
    0.622
    """

    rho: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", _not_negative(self.rho, "rho"))

    def __repr__(self) -> str:
        return f"ZeroConcentratedDP(rho={self.rho})"

    def __str__(self) -> str:
        return f"{stated('ρ', self.rho)}"

    def __add__(self, other: "ZeroConcentratedDP") -> "ZeroConcentratedDP":
        if not isinstance(other, ZeroConcentratedDP):
            return NotImplemented
        return ZeroConcentratedDP(rho=rounded_up(self.rho + other.rho))

    def for_group(self, size: int) -> "ZeroConcentratedDP":
        """The loss of ``size`` units together: k²ρ."""
        return ZeroConcentratedDP(
            rho=rounded_up(read_count(size, "size", "members of the group") ** 2 * self.rho)
        )

    def to_approximate(self, *, delta: object) -> ApproximateDP:
        """The (ε,δ) that ρ-zCDP implies, by the best order α of the bound

        ε = ρα + ln(1/(αδ))/(α-1) + ln(1 - 1/α)

        (Canonne, Kamath and Steinke 2020, Proposition 12).  Any α > 1 is valid, so a float
        search picks α and exact arithmetic evaluates the bound there, rounded up.
        """
        level = read_delta(delta)
        if level == 0:
            raise PrivacyParameterError(
                "delta is 0. zCDP bounds no pure ε, so the conversion needs a δ above 0. "
                "Use something far below 1/(number of people), such as delta=1e-6."
            )
        return ApproximateDP(epsilon=concentrated_epsilon(self.rho, level), delta=level)

    def to_total_variation(self) -> "TotalVariation":
        """ρ-zCDP implies TV √(ρ/2) (Pinsker) and √(1 - e^(-ρ)) (Bretagnolle and Huber).

        >>> ZeroConcentratedDP(rho="1/8").to_total_variation()
        TotalVariation(delta=1/4)
        """
        low, _ = exp_minus(self.rho, _BITS)
        square = min(self.rho / 2, 1 - Fraction(low, _UNIT))
        _, root = square_root(square, _BITS + square.denominator.bit_length())
        return TotalVariation(
            delta=rounded_up(Fraction(root, _UNIT << square.denominator.bit_length()), _BITS)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalVariation:
    """δ-TV privacy: |P[M(x) ∈ E] - P[M(x') ∈ E]| ≤ δ.  Not a privacy guarantee worth having.

    With n people and δ < 1/(2n) any two data sets give outputs within 1/2 (useless); at any
    δ the name-and-shame mechanism satisfies it (not private).

    >>> TotalVariation(delta="1/100").for_group(100)
    TotalVariation(delta=1)
    """

    delta: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", min(_not_negative(self.delta, "delta"), Fraction(1)))

    def __repr__(self) -> str:
        return f"TotalVariation(delta={self.delta})"

    def __str__(self) -> str:
        return f"{stated('TV', self.delta)}"

    def __add__(self, other: "TotalVariation") -> "TotalVariation":
        if not isinstance(other, TotalVariation):
            return NotImplemented
        return TotalVariation(delta=rounded_up(self.delta + other.delta))

    def for_group(self, size: int) -> "TotalVariation":
        """The distance of data sets that differ in ``size`` units: at most size·δ."""
        return TotalVariation(
            delta=rounded_up(read_count(size, "size", "members of the group") * self.delta)
        )

    def to_approximate(self) -> ApproximateDP:
        """δ-TV is (0, δ)-DP."""
        return ApproximateDP(epsilon=Fraction(0), delta=self.delta)


def _not_negative(value: object, name: str) -> Fraction:
    number = rational(value, name)
    if number < 0:
        raise PrivacyParameterError(
            f"{name} is {decimal_text(number)}. A loss is at least 0, where nothing is revealed. "
            f"Use {name}=0 or a positive number."
        )
    return number
