"""Reading ε, δ and ρ: refuse what has no meaning, warn about what is rarely meant."""

import warnings
from fractions import Fraction
from operator import index
from typing import Final, SupportsIndex, cast

import numpy as np

from discreet.errors import PrivacyParameterError, PrivacyWarning, Remedy
from discreet.exact import decimal_text, rational
from discreet.exact.rational import MAX_BITS

LARGE_EPSILON = Fraction(20)
SMALL_EPSILON = Fraction(1, 10**6)
LEAST_EPSILON = Fraction(1, 10**100)
_SMALL_CONSTANT: Final = Remedy(
    python="Use a small constant such as epsilon=1 or epsilon=0.1.",
    sql="Use a small constant: SET epsilon = 1 or SET epsilon = 0.1.",
    policy="Use a small constant such as epsilon = 1 or epsilon = 0.1.",
    command="Use a small constant such as --epsilon 1 or --epsilon 0.1.",
)


def read_number(value: object, name: str) -> Fraction:
    """A finite number, exactly as written; a Fraction or an int of ordinary length is that already.

    >>> read_number("0.1", "epsilon"), read_number(3, "count")
    (Fraction(1, 10), Fraction(3, 1))
    """
    if type(value) is Fraction or type(value) is int:
        above, below = value.as_integer_ratio()
        if max(above.bit_length(), below.bit_length()) <= MAX_BITS:
            return Fraction(value)
    return rational(value, name)


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
            "a factor of e^ε, here over 480 million, which protects nobody. Meaningful values "
            "are small constants such as 0.1 or 1.",
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
