"""Reading the fields of events: exact, as written, within their range."""

from fractions import Fraction

from discreet.errors import PrivacyParameterError
from discreet.exact import decimal_text, rational
from discreet.privacy.parameters import read_positive


def set_field(event: object, name: str, value: object) -> None:
    """Set a field of a frozen event while it is being made."""
    object.__setattr__(event, name, value)


def not_negative(value: object, name: str) -> Fraction:
    """A loss: 0 or more."""
    number = rational(value, name)
    if number < 0:
        raise PrivacyParameterError(
            f"{name} is {decimal_text(number)}. A loss of nothing is 0; there is no negative "
            f"loss. Use the bound that the mechanism guarantees, for example {name}=1."
        )
    return number


def positive(value: object, name: str) -> Fraction:
    """The size of noise: above 0."""
    return read_positive(value, name, f"Noise has a size, for example {name}=1.")


def probability(value: object, name: str) -> Fraction:
    """A number from 0 to 1."""
    number = rational(value, name)
    if not 0 <= number <= 1:
        raise PrivacyParameterError(
            f"{name} is {decimal_text(number)}. It is a probability, so it lies between 0 and 1. "
            f"Use for example {name}=1e-6."
        )
    return number


def whole(value: object, name: str, least: int = 1) -> int:
    """An integer, not below ``least``.

    >>> whole(3.0, "count")
    3
    """
    number = rational(value, name)
    if number.denominator != 1 or number < least:
        raise PrivacyParameterError(
            f"{name} is {decimal_text(number)}. It counts whole things, at least {least}. "
            f"Use for example {name}={least}."
        )
    return int(number)
