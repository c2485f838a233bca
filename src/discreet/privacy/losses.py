"""Privacy losses as exact values, and the rules that turn one into another.

A loss is what one release may reveal of one unit.  Numbers are rationals; a conversion
that cannot be exact rounds the loss *up*.  Proofs: docs/proofs/losses.md
"""

from dataclasses import dataclass
from fractions import Fraction
from math import log, log1p

from discreet.errors import PrivacyParameterError
from discreet.exact import decimal_text, exp_minus, logarithm
from discreet.privacy.parameters import read_delta, read_positive

_BITS = 96


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
        return f"ε = {decimal_text(self.epsilon)}"

    def __add__(self, other: "PureDP") -> "PureDP":
        if not isinstance(other, PureDP):
            return NotImplemented
        return PureDP(epsilon=self.epsilon + other.epsilon)

    def for_group(self, size: int) -> "PureDP":
        """The loss of ``size`` units together."""
        return PureDP(epsilon=_group(size) * self.epsilon)

    def to_approximate(self) -> "ApproximateDP":
        """ε-DP is (ε, 0)-DP."""
        return ApproximateDP(epsilon=self.epsilon, delta=Fraction(0))

    def to_zcdp(self) -> "ZeroConcentratedDP":
        """ε-DP implies ε²/2-zCDP (Bun and Steinke 2016, Proposition 3.3)."""
        return ZeroConcentratedDP(rho=self.epsilon**2 / 2)

    def to_total_variation(self) -> "TotalVariation":
        """ε-DP implies δ-TV with δ = (e^ε - 1)/(e^ε + 1), rounded up.

        >>> round(float(PureDP(epsilon=1).to_total_variation().delta), 6)
        0.462117
        """
        low, _ = exp_minus(self.epsilon, _BITS)
        one = 1 << _BITS
        return TotalVariation(delta=Fraction(one - low, one + low))


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproximateDP:
    """(ε,δ)-differential privacy: P[M(x) ∈ E] ≤ e^ε · P[M(x') ∈ E] + δ.

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
        return f"ε = {decimal_text(self.epsilon)}, δ = {decimal_text(self.delta)}"

    def __add__(self, other: "ApproximateDP | PureDP") -> "ApproximateDP":
        if isinstance(other, PureDP):
            other = other.to_approximate()
        if not isinstance(other, ApproximateDP):
            return NotImplemented
        return ApproximateDP(epsilon=self.epsilon + other.epsilon, delta=self.delta + other.delta)

    __radd__ = __add__

    def for_group(self, size: int) -> "ApproximateDP":
        """The loss of ``size`` units: (kε, δ·(1 + e^ε + … + e^((k-1)ε))), δ rounded up."""
        total = Fraction(0)
        for step in range(_group(size)):
            low, _ = exp_minus(step * self.epsilon, _BITS)
            if low == 0 or total * self.delta >= 1:
                return ApproximateDP(epsilon=size * self.epsilon, delta=Fraction(1))
            total += Fraction(1 << _BITS, low)
        return ApproximateDP(epsilon=size * self.epsilon, delta=self.delta * total)

    def to_total_variation(self) -> "TotalVariation":
        """(ε,δ)-DP implies TV (e^ε - 1 + 2δ)/(e^ε + 1), rounded up."""
        low, _ = exp_minus(self.epsilon, _BITS)
        decay = Fraction(low, 1 << _BITS)
        bound = (1 - decay + 2 * self.delta * decay) / (1 + decay)
        # The bound falls as the decay grows when δ < 1, so the low end is the safe one.
        return TotalVariation(delta=bound)


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
        return f"ρ = {decimal_text(self.rho)}"

    def __add__(self, other: "ZeroConcentratedDP") -> "ZeroConcentratedDP":
        if not isinstance(other, ZeroConcentratedDP):
            return NotImplemented
        return ZeroConcentratedDP(rho=self.rho + other.rho)

    def for_group(self, size: int) -> "ZeroConcentratedDP":
        """The loss of ``size`` units together: k²ρ."""
        return ZeroConcentratedDP(rho=_group(size) ** 2 * self.rho)

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
        if self.rho == 0:
            return ApproximateDP(epsilon=Fraction(0), delta=level)
        order = _best_order(self.rho, level)
        _, first = logarithm(1 / (order * level), _BITS)
        _, second = logarithm(1 - 1 / order, _BITS)
        unit = 1 << _BITS
        epsilon = self.rho * order + Fraction(first, unit) / (order - 1) + Fraction(second, unit)
        return ApproximateDP(epsilon=max(epsilon, Fraction(0)), delta=level)


def _best_order(rho: Fraction, delta: Fraction) -> Fraction:
    """The order α that minimises the conversion bound, by golden-section search on ln(α - 1)."""
    rate = float(min(rho, Fraction(10) ** 300))
    log_delta = log(delta.numerator) - log(delta.denominator)

    def bound(logarithm_of_excess: float) -> float:
        excess = 2.0**logarithm_of_excess
        order = 1 + excess
        return rate * order - (log_delta + log(order)) / excess + log1p(-1 / order)

    low, high = -40.0, 1000.0
    ratio = (5**0.5 - 1) / 2
    for _ in range(120):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if bound(left) <= bound(right):
            high = right
        else:
            low = left
    return 1 + Fraction(2.0**low)


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
        return f"TV = {decimal_text(self.delta)}"

    def __add__(self, other: "TotalVariation") -> "TotalVariation":
        if not isinstance(other, TotalVariation):
            return NotImplemented
        return TotalVariation(delta=self.delta + other.delta)

    def for_group(self, size: int) -> "TotalVariation":
        """The distance of data sets that differ in ``size`` units: at most size·δ."""
        return TotalVariation(delta=_group(size) * self.delta)

    def to_approximate(self) -> ApproximateDP:
        """δ-TV is (0, δ)-DP."""
        return ApproximateDP(epsilon=Fraction(0), delta=self.delta)


Loss = PureDP | ApproximateDP | ZeroConcentratedDP | TotalVariation


def _not_negative(value: object, name: str) -> Fraction:
    if value == 0:
        return Fraction(0)
    return read_positive(value, name, "A loss of nothing is 0; there is no negative loss.")


def _group(size: int) -> int:
    if size < 1:
        raise PrivacyParameterError(
            f"the group has {size} members. A group has at least one. Use for_group(2)."
        )
    return size
