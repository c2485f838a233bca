"""Privacy losses as exact values: ε, δ and ρ as they are read, conversions, and budgets."""

import warnings
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import floor, isqrt, log, log1p, log10
from operator import index
from typing import TYPE_CHECKING, Final, SupportsIndex, cast

import numpy as np

from discreet.errors import PrivacyParameterError, PrivacyWarning, Remedy
from discreet.exact import (
    decimal_text,
    exp_minus,
    logarithm,
    named_number_text,
    rational,
    short_text,
    square_root,
)
from discreet.exact.rational import MAX_BITS, WrittenNumber

LARGE_EPSILON = Fraction(20)
SMALL_EPSILON = Fraction(1, 10**6)
LEAST_EPSILON = Fraction(1, 10**100)
LARGE_RHO = Fraction(20)
SMALL_RHO = Fraction(1, 2 * 10**12)
LEAST_RHO = Fraction(1, 10**100)
_LOG10_E = Fraction(43429448190325, 10**14)
"""The decimal logarithm of e, rounded down."""
_LONGEST_POWER = 10**9
"""A power of ten that is longer than its digits are worth."""
_SMALL_CONSTANT: Final = Remedy(
    python="Use a small constant such as epsilon=1 or epsilon=0.1.",
    sql="Use a small constant: SET epsilon = 1 or SET epsilon = 0.1.",
    policy="Use a small constant such as epsilon = 1 or epsilon = 0.1.",
    command="Use a small constant such as --epsilon 1 or --epsilon 0.1.",
)
_SMALL_RHO_CONSTANT: Final = Remedy(
    python="Use a small constant such as rho=0.1 or rho=0.01.",
    sql="Use a small constant: SET rho = 0.1 or SET rho = 0.01.",
    policy="Use a small constant such as rho = 0.1 or rho = 0.01.",
    command="Use a small constant such as --rho 0.1 or --rho 0.01.",
)
_A_PART: Final = Remedy(
    python='Write spend="5%", or the part itself: spend=0.05.',
    sql="Write SET spend = '5%'.",
    command="Write --spend 5%.",
)
_EPSILON_OR_RHO: Final = Remedy(
    python="Write Budget(epsilon=1, delta=1e-6) or Budget(rho=0.1).",
    policy="Write epsilon = 1 and delta = 1e-6, or rho = 0.1.",
    command="Write --epsilon 1 --delta 1e-6, or --rho 0.1.",
)

_BITS = 96
_EPSILON_DIGITS = 5
_UNIT = 1 << _BITS


def read_number(value: object, name: str) -> Fraction:
    """A finite number, exactly as written; a Fraction or an int of ordinary length is that already.

    >>> read_number("0.1", "epsilon"), read_number(3, "count")
    (Fraction(1, 10), Fraction(3, 1))
    """
    if type(value) is Fraction:
        above, below = value.numerator, value.denominator
        if above.bit_length() <= MAX_BITS and below.bit_length() <= MAX_BITS:
            return value
    if type(value) is int and value.bit_length() <= MAX_BITS:
        return _whole(value)
    return rational(value, name)


_whole = lru_cache(maxsize=1024)(Fraction)
"""The same object for the same int: what is looked up by it is found without comparing."""


def read_epsilon(value: object, *, stacklevel: int = 3) -> Fraction:
    """A positive, finite ε, exactly as written.

    >>> read_epsilon(0.1)
    Fraction(1, 10)
    >>> read_epsilon(0)
    Traceback (most recent call last):
      ...
    discreet.errors.PrivacyParameterError: epsilon is 0. It bounds how much one person can \
change the odds of any answer, so it must be above 0. Use a small constant such as epsilon=1 \
or epsilon=0.1.
    """
    if value is None:
        raise PrivacyParameterError(
            "epsilon is not given. It says how much privacy the answer may cost: the most that one "
            "person can change the odds of any answer, as a logarithm.",
            Remedy(
                python="Add epsilon=1, or less for more privacy and more noise.",
                sql="Write SET epsilon = 1, or less for more privacy and more noise.",
                policy="Add epsilon = 1, or less for more privacy and more noise.",
                command="Add --epsilon 1, or less for more privacy and more noise.",
            ),
        )
    epsilon = read_number(value, "epsilon")
    if epsilon <= 0:
        raise PrivacyParameterError(
            f"epsilon is {decimal_text(epsilon)}. It bounds how much one person can change the "
            "odds of any answer, so it must be above 0.",
            _SMALL_CONSTANT,
        )
    if epsilon < LEAST_EPSILON:
        raise PrivacyParameterError(
            "epsilon is below 10^-100. Noise that large drowns every data set that can exist, and "
            "its error would not fit in a number.",
            _SMALL_CONSTANT,
        )
    if epsilon > LARGE_EPSILON:
        _warn(
            f"epsilon is {decimal_text(epsilon)}: one person may change the odds of an answer by "
            f"a factor of e^ε, here over {ten_to_text(epsilon)}, which protects nobody. Meaningful "
            "values are small constants such as 0.1 or 1.",
            stacklevel,
        )
    elif epsilon < SMALL_EPSILON:
        _warn(
            f"epsilon is {decimal_text(epsilon)}: the noise is over a million times one "
            "person's effect, so the answer says nothing about any data set of ordinary size. "
            "Meaningful values are small constants such as 0.1 or 1.",
            stacklevel,
        )
    return epsilon


def ten_to_text(exponent: Fraction) -> str:
    """The largest power of ten that e to this power exceeds.

    >>> ten_to_text(Fraction(21)), ten_to_text(Fraction(1000)), ten_to_text(Fraction(10**300))
    ('10^9', '10^434', '10^10^299')
    """
    power = int(exponent * _LOG10_E)
    return f"10^{power}" if power < _LONGEST_POWER else f"10^10^{len(str(power)) - 1}"


def read_rho(value: object, *, stacklevel: int = 3) -> Fraction:
    """A positive, finite ρ of zCDP, exactly as written.

    >>> read_rho("0.1")
    Fraction(1, 10)
    >>> read_rho(0)
    Traceback (most recent call last):
      ...
    discreet.errors.PrivacyParameterError: rho is 0. It bounds how much answers with Gaussian \
noise tell of one person, so it must be above 0. Use a small constant such as rho=0.1 or rho=0.01.
    """
    rho = read_number(value, "rho")
    if rho <= 0:
        raise PrivacyParameterError(
            f"rho is {decimal_text(rho)}. It bounds how much answers with Gaussian noise tell of "
            "one person, so it must be above 0.",
            _SMALL_RHO_CONSTANT,
        )
    if rho < LEAST_RHO:
        raise PrivacyParameterError(
            "rho is below 10^-100. Noise that large drowns every data set that can exist, and its "
            "error would not fit in a number.",
            _SMALL_RHO_CONSTANT,
        )
    # Gaussian noise of ρ has a loss around ρ, and a standard deviation of 1/√(2ρ) sensitivities.
    if rho > LARGE_RHO:
        _warn(
            f"rho is {decimal_text(rho)}: every other answer may change the odds that one person "
            f"took part by a factor of e^ρ, here over {ten_to_text(rho)}, which protects nobody. "
            "Meaningful values are small constants such as 0.01 or 0.1.",
            stacklevel,
        )
    elif rho < SMALL_RHO:
        _warn(
            f"rho is {decimal_text(rho)}: the noise is over a million times one person's effect, "
            "so the answer says nothing about any data set of ordinary size. Meaningful values "
            "are small constants such as 0.01 or 0.1.",
            stacklevel,
        )
    return rho


def read_spend(value: object) -> Fraction:
    """The part of a budget that a question may take, above 0 and at most 1.

    A text is in percent; a plain number below 1 is the part itself.  1 may be meant as 1%, so that
    the whole is written "100%".

    >>> read_spend("5%"), read_spend("0.5 %"), read_spend(0.05)
    (Fraction(1, 20), Fraction(1, 200), Fraction(1, 20))
    >>> read_spend(5)
    Traceback (most recent call last):
      ...
    discreet.errors.PrivacyParameterError: spend is 5, which is 500%. It is the part of the \
budget that a question may take, so it is above 0% and at most 100%. Write spend="5%", or the \
part itself: spend=0.05.
    """
    text = value.strip() if isinstance(value, str) else ""
    percent = text.endswith("%")
    try:
        number = read_number(text[:-1] if percent else value, "spend")
    except PrivacyParameterError:
        written = repr(text[:40]) if isinstance(value, str) else type(value).__name__
        raise PrivacyParameterError(
            f"spend is {written}. It is the part of the budget that a question may take, a number "
            "or a percentage above 0% and at most 100%.",
            _A_PART,
        ) from None
    part = number / 100 if percent else number
    if not percent and (isinstance(value, str) or (part == 1 and not isinstance(value, Fraction))):
        amount = decimal_text(number)
        raise PrivacyParameterError(
            f"spend is {amount}: {amount}% may be meant, or {decimal_text(100 * part)}%. "
            "It is the part of the budget that a question may take, above 0% and at most 100%.",
            _A_PART,
        )
    if not 0 < part <= 1:
        amount = decimal_text(number)
        fact = f"{amount}%" if percent else f"{amount}, which is {decimal_text(100 * part)}%"
        raise PrivacyParameterError(
            f"spend is {fact}. It is the part of the budget that a question may take, so it is "
            "above 0% and at most 100%.",
            _A_PART,
        )
    return part


def _warn(message: str, stacklevel: int) -> None:
    warnings.warn(message, PrivacyWarning, stacklevel=stacklevel + 1)


def read_delta(value: object) -> Fraction:
    """A δ with 0 ≤ δ < 1, exactly as written.

    >>> read_delta(1e-6)
    Fraction(1, 1000000)
    """
    delta = read_number(value, "delta")
    if not 0 <= delta < 1:
        raise PrivacyParameterError(
            f"delta is {decimal_text(delta)}. It is a probability of failure, so it must be at "
            "least 0 and below 1.",
            Remedy(
                python="Use something far below 1/(number of people), such as delta=1e-6.",
                sql="Use something far below 1/(number of people): SET delta = 1e-6.",
                policy="Use something far below 1/(number of people), such as delta = 1e-6.",
                command="Use something far below 1/(number of people), such as --delta 1e-6.",
            ),
        )
    return delta


def read_positive(value: object, name: str, remedy: str) -> Fraction:
    """A positive, finite parameter such as a scale, exactly as written."""
    number = read_number(value, name)
    if number <= 0:
        raise PrivacyParameterError(
            f"{name} is {decimal_text(number)}. It must be above 0. {remedy}"
        )
    return number


def read_confidence(confidence: object) -> Fraction:
    """A confidence strictly between 0 and 1."""
    level = read_number(confidence, "confidence")
    if not 0 < level < 1:
        raise PrivacyParameterError(
            f"confidence is {decimal_text(level)}. It is the probability that the bound holds, so "
            "it lies between 0 and 1. Use 0.95."
        )
    return level


def read_count(value: object, name: str, what: str) -> int:
    """A whole number above 0 that counts something.

    >>> read_count(3, "cells", "released numbers")
    3
    """
    try:
        count = 0 if isinstance(value, bool | np.bool_) else index(cast(SupportsIndex, value))
    except TypeError:
        count = 0
    if count < 1:
        raise PrivacyParameterError(
            f"{name} is not a whole number above 0. It is the number of {what}. Use 1, or more."
        )
    return count


def rounded_up(value: Fraction, bits: int = MAX_BITS // 2) -> Fraction:
    """The value, rounded up where it is not exact in so many significant bits: losses round up.

    >>> rounded_up(Fraction(1, 3)), rounded_up(Fraction(1, 300), 2)
    (Fraction(1, 3), Fraction(1, 256))
    """
    top, bottom = value.numerator.bit_length(), value.denominator.bit_length()
    if max(top, bottom) <= bits:
        return value
    shift = min(bits - (top - bottom), MAX_BITS - 2)
    if shift >= 0:
        return Fraction(-(-(value.numerator << shift) // value.denominator), 1 << shift)
    return Fraction(-(-value.numerator // (value.denominator << -shift)) << -shift)


def group_delta(epsilon: Fraction, delta: Fraction, size: int) -> Fraction:
    """δ·(1 + e^ε + … + e^((k-1)ε)) for a group of k and ε, δ > 0, rounded up; at most 1.

    The sum is (1 - e^(-kε))/(1 - e^(-ε)) · e^((k-1)ε), and at most k · e^((k-1)ε).
    """
    bits = _BITS + delta.denominator.bit_length() + size.bit_length()
    bits += max(0, epsilon.denominator.bit_length() - epsilon.numerator.bit_length())
    unit = 1 << bits
    decay, _ = exp_minus((size - 1) * epsilon, bits)
    if Fraction(decay, unit) <= delta:
        return Fraction(1)
    least, _ = exp_minus(size * epsilon, bits)
    _, most = exp_minus(epsilon, bits)
    terms = Fraction(size)
    if most < unit:
        terms = min(terms, Fraction(unit - least, unit - most))
    return min(Fraction(1), rounded_up(delta * terms * Fraction(unit, decay), _BITS))


def concentrated_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """The ε at which ρ-zCDP implies (ε,δ)-DP, for δ > 0, rounded up to 96 bits."""
    if rho == 0:
        return Fraction(0)
    excess = _best_excess(rho, delta)
    order = 1 + excess
    bits = _BITS + abs(excess.denominator.bit_length() - excess.numerator.bit_length())
    _, first = logarithm(1 / (order * delta), bits)
    _, second = logarithm(excess / order, bits)
    epsilon = rho * order + (first / excess + second) / (1 << bits)
    return rounded_up(max(epsilon, Fraction(0)), _BITS)


def bounded_range_epsilon(rho: Fraction, draws: Fraction | int = 1) -> Fraction:
    """The largest ε, rounded down, that so many draws of bounded range may share for ρ-zCDP.

    One draw of range ε costs ε²/8, so n draws of range ε/n each cost ε²/(8n).

    >>> bounded_range_epsilon(Fraction(1, 8)), bounded_range_epsilon(Fraction(1, 8), 4)
    (Fraction(1, 1), Fraction(2, 1))
    """
    square = 8 * rho * draws
    size = square.numerator.bit_length() - square.denominator.bit_length()
    scale = Fraction(10) ** (_EPSILON_DIGITS - floor(size * log10(2) / 2))
    return isqrt(floor(square * scale * scale)) / scale


def _best_excess(rho: Fraction, delta: Fraction) -> Fraction:
    """The α - 1 that minimizes the conversion bound, by golden-section search on its logarithm."""
    rate = float(min(rho, Fraction(10) ** 300))
    log_delta = log(delta.numerator) - log(delta.denominator)

    def bound(power: float) -> float:
        excess: float = 2.0**power
        return rate * excess - (log_delta + log1p(excess)) / excess - log1p(1 / excess)

    low, high = -500.0, 1000.0
    ratio = (5**0.5 - 1) / 2
    for _ in range(120):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if bound(left) <= bound(right):
            high = right
        else:
            low = left
    return Fraction(2.0**low)


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

    if TYPE_CHECKING:

        def __init__(self, *, epsilon: WrittenNumber) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _not_negative(self.epsilon, "epsilon"))

    def __repr__(self) -> str:
        return f"PureDP(epsilon={short_text(self.epsilon)})"

    def __str__(self) -> str:
        return f"{named_number_text('ε', self.epsilon)}"

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

    if TYPE_CHECKING:

        def __init__(self, *, epsilon: WrittenNumber, delta: WrittenNumber) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _not_negative(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", min(_not_negative(self.delta, "delta"), Fraction(1)))

    def __repr__(self) -> str:
        return f"ApproximateDP(epsilon={short_text(self.epsilon)}, delta={short_text(self.delta)})"

    def __str__(self) -> str:
        return f"{named_number_text('ε', self.epsilon)}, {named_number_text('δ', self.delta)}"

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

    With a ``delta`` it is δ-approximate ρ-zCDP: but for probability δ, the output is that of a
    mechanism that is ρ-zCDP (Bun and Steinke 2016, Definition 8.1).

    >>> ZeroConcentratedDP(rho=0.5) + ZeroConcentratedDP(rho=0.25)
    ZeroConcentratedDP(rho=3/4)
    >>> loss = ZeroConcentratedDP(rho=0.01).to_approximate(delta=1e-6)
    >>> round(float(loss.epsilon), 3)
    0.622
    >>> ZeroConcentratedDP(rho=0.5, delta=1e-9)
    ZeroConcentratedDP(rho=1/2, delta=1/1000000000)
    """

    rho: Fraction
    delta: Fraction = Fraction(0)

    if TYPE_CHECKING:

        def __init__(self, *, rho: WrittenNumber, delta: WrittenNumber = Fraction(0)) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", _not_negative(self.rho, "rho"))
        object.__setattr__(self, "delta", min(_not_negative(self.delta, "delta"), Fraction(1)))

    def __repr__(self) -> str:
        delta = f", delta={short_text(self.delta)}" if self.delta else ""
        return f"ZeroConcentratedDP(rho={short_text(self.rho)}{delta})"

    def __str__(self) -> str:
        delta = f", {named_number_text('δ', self.delta)}" if self.delta else ""
        return named_number_text("ρ", self.rho) + delta

    def __add__(self, other: "ZeroConcentratedDP") -> "ZeroConcentratedDP":
        if not isinstance(other, ZeroConcentratedDP):
            return NotImplemented
        return ZeroConcentratedDP(
            rho=rounded_up(self.rho + other.rho), delta=rounded_up(self.delta + other.delta)
        )

    def for_group(self, size: int) -> "ZeroConcentratedDP":
        """The loss of ``size`` units together: k²ρ."""
        count = read_count(size, "size", "members of the group")
        if self.delta and count > 1:
            raise PrivacyParameterError(
                f"the loss has {named_number_text('δ', self.delta)}. How δ-approximate zCDP grows "
                "with a group is not proved here. Convert it first: "
                ".to_approximate(delta=…).for_group(…)."
            )
        return ZeroConcentratedDP(rho=rounded_up(count**2 * self.rho), delta=self.delta)

    def to_approximate(self, *, delta: object) -> ApproximateDP:
        """The (ε,δ) that ρ-zCDP implies, by the best order α of the bound

        ε = ρα + ln(1/(αδ))/(α-1) + ln(1 - 1/α)

        (Canonne, Kamath and Steinke 2020, Proposition 12).  Any α > 1 is valid, so a float
        search picks α and exact arithmetic evaluates the bound there, rounded up.  A δ of its own
        is taken off ``delta`` first.
        """
        level = read_delta(delta)
        if level == 0:
            raise PrivacyParameterError(
                "delta is 0. zCDP bounds no pure ε, so the conversion needs a δ above 0. "
                "Use something far below 1/(number of people), such as delta=1e-6."
            )
        if level <= self.delta:
            raise PrivacyParameterError(
                f"delta is {decimal_text(level)}, and the loss has a δ of "
                f"{decimal_text(self.delta)} already. zCDP converts to ε only with a δ left over. "
                "Use a larger delta."
            )
        epsilon = concentrated_epsilon(self.rho, level - self.delta)
        return ApproximateDP(epsilon=epsilon, delta=level)

    def to_total_variation(self) -> "TotalVariation":
        """ρ-zCDP implies TV √(ρ/2) (Pinsker) and √(1 - e^(-ρ)) (Bretagnolle and Huber), δ more.

        >>> ZeroConcentratedDP(rho="1/8").to_total_variation()
        TotalVariation(delta=1/4)
        """
        low, _ = exp_minus(self.rho, _BITS)
        square = min(self.rho / 2, 1 - Fraction(low, _UNIT))
        _, root = square_root(square, _BITS + square.denominator.bit_length())
        distance = rounded_up(Fraction(root, _UNIT << square.denominator.bit_length()), _BITS)
        return TotalVariation(delta=rounded_up(distance + self.delta))


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalVariation:
    """δ-TV privacy: |P[M(x) ∈ E] - P[M(x') ∈ E]| ≤ δ.  Not a privacy guarantee worth having.

    With n people and δ < 1/(2n) any two data sets give outputs within 1/2 (useless); at any
    δ the name-and-shame mechanism satisfies it (not private).

    >>> TotalVariation(delta="1/100").for_group(100)
    TotalVariation(delta=1)
    """

    delta: Fraction

    if TYPE_CHECKING:

        def __init__(self, *, delta: WrittenNumber) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", min(_not_negative(self.delta, "delta"), Fraction(1)))

    def __repr__(self) -> str:
        return f"TotalVariation(delta={short_text(self.delta)})"

    def __str__(self) -> str:
        return f"{named_number_text('TV', self.delta)}"

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
    number = read_number(value, name)
    if number < 0:
        raise PrivacyParameterError(
            f"{name} is {decimal_text(number)}. A loss is at least 0, where nothing is revealed. "
            f"Use {name}=0 or a positive number."
        )
    return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A cap on the privacy loss of everything that is asked of one data set.

    It is stated in one of two ways.

    - ``epsilon``, with a ``delta``: all answers together are (ε,δ)-DP.  δ is split in advance:
      ``conversion_delta`` is for turning zCDP into ε, the rest is for the δ of the questions
      themselves.  The default is one half each.
    - ``rho``, with a ``delta``: all answers together are δ-approximate ρ-zCDP.  Nothing is turned
      into ε, so all of δ is for the questions; it may be 0 unless one of them has a δ.

    >>> Budget(epsilon=1, delta=1e-6)
    Budget(epsilon=1, delta=1/1000000)
    >>> Budget(epsilon=1, delta=1e-6, conversion_delta=9e-7).question_delta
    Fraction(1, 10000000)
    >>> Budget(epsilon=1).covers(PureDP(epsilon=1))
    True
    >>> Budget(rho=0.1), str(Budget(rho=0.1)), Budget(rho=0.1, delta=1e-6).question_delta
    (Budget(rho=1/10, delta=0), 'ρ = 0.1', Fraction(1, 1000000))
    """

    epsilon: Fraction | None = None
    rho: Fraction | None = None
    delta: Fraction = Fraction(0)
    conversion_delta: Fraction = None  # type: ignore[assignment]  # half of delta unless stated
    question_delta: Fraction = field(init=False, compare=False)
    """What the δ of all questions may add up to when asking is adaptive."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            epsilon: WrittenNumber | None = None,
            rho: WrittenNumber | None = None,
            delta: WrittenNumber = Fraction(0),
            conversion_delta: WrittenNumber | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        if (self.epsilon is None) == (self.rho is None):
            both = "both epsilon and rho" if self.rho is not None else "neither epsilon nor rho"
            raise PrivacyParameterError(
                f"the budget has {both}. It is counted in one of the two: all answers together "
                "are (ε, δ)-DP, or they are ρ-zCDP.",
                _EPSILON_OR_RHO,
            )
        if self.epsilon is not None:
            object.__setattr__(self, "epsilon", read_epsilon(self.epsilon))
        else:
            object.__setattr__(self, "rho", read_rho(self.rho))
        object.__setattr__(self, "delta", read_delta(self.delta))
        object.__setattr__(self, "conversion_delta", self._read_conversion_delta())
        object.__setattr__(self, "question_delta", self.delta - self.conversion_delta)

    def __repr__(self) -> str:
        amount = f"rho={self.rho}" if self.epsilon is None else f"epsilon={self.epsilon}"
        stated = "" if self.usual_split else f", conversion_delta={self.conversion_delta}"
        return f"Budget({amount}, delta={self.delta}{stated})"

    def __str__(self) -> str:
        return str(self.promise)

    @property
    def promise(self) -> "ApproximateDP | ZeroConcentratedDP":
        """What all answers together are, however they are asked."""
        if self.rho is not None:
            return ZeroConcentratedDP(rho=self.rho, delta=self.delta)
        return ApproximateDP(epsilon=cast(Fraction, self.epsilon), delta=self.delta)

    @property
    def usual_split(self) -> bool:
        """Whether δ is split as it is unless ``conversion_delta`` is stated."""
        return self.conversion_delta == self._usual_conversion_delta()

    def covers(self, loss: PureDP | ApproximateDP | ZeroConcentratedDP) -> bool:
        """Whether a total loss stays within the cap.

        >>> concentrated = Budget(rho=0.1)
        >>> concentrated.covers(ZeroConcentratedDP(rho=0.1)), concentrated.covers(PureDP(epsilon=1))
        (True, False)
        """
        delta = Fraction(0) if isinstance(loss, PureDP) else loss.delta
        if delta > self.delta:
            return False
        promise = self.promise
        if isinstance(promise, ZeroConcentratedDP):
            # (ε,δ)-DP is δ-approximate ε²/2-zCDP: docs/proofs/composition.md
            rho = loss.rho if isinstance(loss, ZeroConcentratedDP) else loss.epsilon**2 / 2
            return rho <= promise.rho
        if not isinstance(loss, ZeroConcentratedDP):
            return loss.epsilon <= promise.epsilon
        if delta == self.delta:  # no δ is left over to convert with
            return loss.rho == 0
        return loss.to_approximate(delta=self.delta).epsilon <= promise.epsilon

    def _usual_conversion_delta(self) -> Fraction:
        return Fraction(0) if self.epsilon is None else self.delta / 2

    def _read_conversion_delta(self) -> Fraction:
        # The field says Fraction for those who read it; None is what it is before it is set.
        if self.conversion_delta is None:
            return self._usual_conversion_delta()  # type: ignore[unreachable]
        part = rational(self.conversion_delta, "conversion_delta")
        if self.epsilon is None and part != 0:
            raise PrivacyParameterError(
                f"conversion_delta is {decimal_text(part)}, and the budget is in rho. Nothing is "
                "turned into ε, so all of delta is for the questions. Leave it out."
            )
        if not 0 <= part <= self.delta:
            raise PrivacyParameterError(
                f"conversion_delta is {decimal_text(part)}. It is the part of delta that is kept "
                f"for converting zCDP, so it lies between 0 and {decimal_text(self.delta)}. "
                "Leave it out for one half."
            )
        return part
