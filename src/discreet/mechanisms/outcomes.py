"""Outcomes in one form each: what compares equal looks equal.

A law is a table, and a table takes values that compare equal for one.  If they look different, as
-0.0 and 0.0, True and 1, or 1 and 1.0 do, the table hides what the output shows.  So every
outcome is brought into one form before it is looked up or given back.
"""

from cmath import isnan
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np

from discreet.errors import DataError


def canonical(value: Any) -> Any:
    """The one form of an outcome.

    A number is an int if it is whole, a float if a float is exactly that number, and otherwise a
    Fraction; there is one zero and one NaN.  Arrays are tuples, with their parts in this form too.

    >>> canonical(-0.0), canonical(True), canonical((1.0, Fraction(1, 2), "yes"))
    (0, 1, (1, 0.5, 'yes'))
    """
    if isinstance(value, np.ndarray):
        return tuple(canonical(part) for part in value.ravel().tolist())
    if isinstance(value, np.generic) and not isinstance(value, np.longdouble | np.clongdouble):
        return canonical(value.item())
    if isinstance(value, complex):
        return _complex(value)
    if isinstance(value, int | float | Fraction | Decimal | np.longdouble):
        return _number(value)
    if isinstance(value, tuple):
        return tuple(map(canonical, value))
    if isinstance(value, frozenset):  # equal sets may list their members in different orders
        return frozenset(sorted(map(canonical, value), key=repr))
    if isinstance(value, str):
        return str.__str__(value)
    if type(value) in (bytes, date) or _equals_only_itself(value):
        return value
    raise DataError(
        "an outcome is of a kind that cannot be hashed, or whose equal values may look different. "
        "The law is a table of outcomes, each in one form. Let the function give numbers, strings "
        "or tuples, or a mapping from those to probabilities."
    )


def _number(value: Any) -> int | float | Fraction:
    try:
        exact = Fraction(*value.as_integer_ratio())
    except ValueError:
        return nan
    except OverflowError:
        return inf if value > 0 else -inf
    if exact.denominator == 1:
        return int(exact)
    try:
        near = float(exact)
    except OverflowError:
        return exact
    return near if Fraction(near) == exact else exact


def _complex(value: complex) -> int | float | complex | Fraction:
    if isnan(value):
        return nan
    if value.imag == 0:
        return _number(value.real)
    return complex(value.real + 0.0, value.imag)  # adding zero leaves no -0.0


def _equals_only_itself(value: Any) -> bool:
    """Whether nothing else compares equal, as for None, or a member of an enumeration."""
    kind: Any = type(value)
    return bool(kind.__eq__ is object.__eq__ and kind.__hash__ is not None)
