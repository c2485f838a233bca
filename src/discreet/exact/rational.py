"""Exact numbers: rationals as they were written, their texts, and grids of power-of-two steps."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal, InvalidOperation
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, inf, isfinite
from numbers import Rational

import numpy as np

from discreet.errors import BoundsError, PrivacyParameterError, Remedy

MAX_BITS = 4096
"""The longest numerator or denominator: beyond any use, yet short enough to compute with."""
_MAX_EXPONENT = 1200
_LEAST_FLOAT_TEXT = Fraction(1, 10**300)
_SHOWN_DIGITS = 6
_SHORT = 16
_LONGEST_DECIMAL = 20
_PARSED_TYPES = frozenset({int, float, str, Decimal, Fraction})

WrittenNumber = int | float | str | Decimal | Fraction
"""A number as a caller writes it.

Values of many classes are rationals, which they read from a number as it is written.  Their
``__init__`` for type checkers says so; a data class alone would say that it takes rationals only.
"""


def rational(value: object, name: str = "the value") -> Fraction:
    """The rational number that a caller wrote: a float means its shortest decimal.

    >>> rational(0.1), rational("1e-6"), rational(3)
    (Fraction(1, 10), Fraction(1, 1000000), Fraction(3, 1))
    >>> rational("1/3")
    Fraction(1, 3)
    >>> rational(float("nan"), "epsilon")
    Traceback (most recent call last):
      ...
    discreet.errors.PrivacyParameterError: epsilon is nan, which is not a number one can \
compute with. It must be a finite number. Write it as 1, 0.5, "0.1" or Fraction(1, 10).
    """
    if type(value) in _PARSED_TYPES:
        # Not for the cache: a very long text would stay in it, and a signaling NaN has no hash.
        if isinstance(value, str) and len(value) > MAX_BITS:
            raise _too_long(name)
        if isinstance(value, Decimal) and not value.is_finite():
            raise _not_a_number(value, name)
        return _parse(value, name)
    if isinstance(value, np.floating | np.integer):
        return _parse(str(value), name)
    if isinstance(value, bool) or not isinstance(value, Rational):
        raise _not_a_number(value, name)
    return _checked_length(Fraction(int(value.numerator), int(value.denominator)), name)


def round_up(value: Fraction, step: Fraction) -> Fraction:
    """The least multiple of ``step`` that is not below ``value``: losses round up.

    >>> round_up(Fraction(1, 3), Fraction(1, 100))
    Fraction(17, 50)
    """
    return -(-value // step) * step


def decimal_text(value: Fraction) -> str:
    """A number as a short text: exact where that is short, else rounded and marked with ≈.

    >>> decimal_text(Fraction(1, 10)), decimal_text(Fraction(1, 3)), decimal_text(Fraction(2))
    ('0.1', '1/3', '2')
    >>> decimal_text(Fraction(10**30 + 1, 10**30)), decimal_text(Fraction(1, 3**1000))
    ('≈1', '≈7.56389e-478')
    """
    if value.denominator == 1 and abs(value.numerator) < 10**12:
        return str(value.numerator)
    if _LEAST_FLOAT_TEXT < abs(value) < 1 / _LEAST_FLOAT_TEXT:
        rounded = f"{float(value):.{_SHOWN_DIGITS}g}"
    else:  # a float would be 0, or overflow
        numerator, denominator = Decimal(value.numerator), Decimal(value.denominator)
        quotient = Context(prec=_SHOWN_DIGITS).divide(numerator, denominator).normalize()
        rounded = f"{quotient:e}"
    if Fraction(rounded) == value:
        return rounded
    if max(abs(value.numerator), value.denominator) < 10**4:
        return f"{value.numerator}/{value.denominator}"
    return f"≈{rounded}"


def short_text(value: Fraction) -> str:
    """A number in a repr: as a fraction where that is short, else as a decimal.

    >>> short_text(Fraction(3, 8)), short_text(Fraction(10**30 + 1, 10**31))
    ('3/8', '≈0.1')
    """
    text = str(value)
    return text if len(text) <= _SHORT else decimal_text(value)


def decimal_above(value: Fraction) -> str:
    """A number as a decimal that programs read: itself where that is short, else rounded up.

    >>> [decimal_above(Fraction(text)) for text in ("1/10", "1/3", "200", "1e-30")]
    ['0.1', '0.333334', '200', '1e-30']
    """
    shown = Context(prec=_SHOWN_DIGITS, rounding=ROUND_CEILING)
    number = shown.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize()
    return f"{number:f}" if abs(number.adjusted()) < _LONGEST_DECIMAL else f"{number:e}"


def exact_text(value: Fraction) -> str:
    """A number as a text that reads back as it: a short decimal if that is exact, else a fraction.

    >>> exact_text(Fraction(1, 10)), exact_text(Fraction(10**30 + 1, 10**30))[:10]
    ('0.1', '1000000000')
    """
    text = decimal_text(value)
    return str(value) if text.startswith("≈") else text


def named_number_text(name: str, value: Fraction) -> str:
    """The text of a number after its name, with = where it is exact and ≈ where it is rounded.

    >>> named_number_text("ε", Fraction(1, 10))
    'ε = 0.1'
    >>> named_number_text("ε", Fraction(10**30 + 1, 10**30))
    'ε ≈ 1'
    """
    text = decimal_text(value)
    return f"{name} ≈ {text[1:]}" if text.startswith("≈") else f"{name} = {text}"


def percent_text(share: Fraction) -> str:
    """A share in percent, to two digits or more if it is whole, rounded down.

    >>> percent_text(Fraction(1)), percent_text(Fraction(1, 3)), percent_text(Fraction(6, 10**5))
    ('100%', '33%', '0.006%')
    """
    percent = 100 * share
    if percent >= 10 or percent <= 0:
        return f"{floor(percent)}%"
    digits = 1  # behind the point
    while percent * 10**digits < 10:
        digits += 1
    text = f"{Decimal(floor(percent * 10**digits)).scaleb(-digits):f}"
    return f"{text.rstrip('0').rstrip('.')}%"


class Rounding(StrEnum):
    """The grid point that a value is rounded to: the nearest, or the next one up or down."""

    NEAREST = "nearest"
    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Grid:
    """The multiples of a power of two.

    >>> Grid.of(2**-20).step
    Fraction(1, 1048576)
    >>> Grid.of(1).index(Fraction(5, 2))
    3
    """

    exponent: int

    @staticmethod
    def of(step: object) -> "Grid":
        """The grid with this step, which must be a power of two."""
        if isinstance(step, Grid):
            return step
        if isinstance(step, float | np.floating) and isfinite(step):
            # A float is taken as the binary fraction that it is: 2**-40 has no short decimal.
            exact_step = Fraction(*step.as_integer_ratio())
        else:
            exact_step = rational(step, "grid")
        numerator, denominator = exact_step.numerator, exact_step.denominator
        if numerator <= 0 or numerator & (numerator - 1) or denominator & (denominator - 1):
            raise BoundsError(
                "grid is not a power of two. Values are rounded to a power-of-two grid so that "
                "floats divide by it exactly. Use grid=1, grid=2**-20 or Fraction(1, 1024)."
            )
        return Grid(numerator.bit_length() - denominator.bit_length())

    @staticmethod
    def below(size: Fraction) -> "Grid":
        """The coarsest grid whose step is not above ``size``.

        >>> Grid.below(Fraction(1, 10)).step
        Fraction(1, 16)
        """
        if size <= 0:
            raise ValueError("no grid has a step of zero or less")
        exponent = size.numerator.bit_length() - size.denominator.bit_length()
        return Grid(exponent if Fraction(2) ** exponent <= size else exponent - 1)

    @property
    def step(self) -> Fraction:
        """The distance between neighboring grid points."""
        return Fraction(2) ** self.exponent

    def index(self, value: Fraction) -> int:
        """The index of the grid point nearest to ``value``: floor(value/step + 1/2)."""
        return (2 * value / self.step + 1).__floor__() // 2

    def around(self, low: Fraction, high: Fraction) -> tuple[int, int]:
        """The indices of the last grid point not above ``low`` and the first not below ``high``.

        >>> Grid.of(1).around(Fraction(1, 2), Fraction(5, 2))
        (0, 3)
        """
        return floor(low / self.step), ceil(high / self.step)

    def value(self, index: int) -> int | float:
        """The number at a grid point: an int on integer grids, else the nearest float."""
        exact = int(index)  # a NumPy int64 would overflow without an error
        if self.exponent >= 0:
            return exact << self.exponent
        try:
            return exact / (1 << -self.exponent)
        except OverflowError:  # beyond the largest float
            return inf if exact > 0 else -inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Public bounds, as numbers of steps of a public grid; fewer than 2^61 from zero."""

    grid: Grid
    low: int
    high: int

    @property
    def width(self) -> int:
        """The number of steps from the lower to the upper bound."""
        return self.high - self.low

    @property
    def farthest(self) -> int:
        """The number of steps from zero to the bound that is farther away."""
        return max(abs(self.low), abs(self.high))

    @property
    def middle(self) -> int:
        """The steps that stand for a missing value where the number of records is public."""
        return self.low + self.width // 2

    @property
    def flipped(self) -> "Range":
        """The range of the negated values: its upper bound becomes the lower one."""
        return Range(grid=self.grid, low=-self.high, high=-self.low)


@lru_cache(maxsize=1024, typed=True)
def _parse(value: object, name: str) -> Fraction:
    if isinstance(value, int):
        return _checked_length(Fraction(value), name)
    if isinstance(value, Fraction):
        return _checked_length(value, name)
    # str of a float is the shortest decimal that reads back as it: what was written.
    text = value.strip() if isinstance(value, str) else str(value)
    numerator, slash, denominator = text.partition("/")
    parsed = _parse_decimal(numerator, value, name)
    if slash:
        divisor = _parse_decimal(denominator, value, name)
        if divisor == 0:
            raise _not_a_number(value, name)
        parsed /= divisor
    return _checked_length(parsed, name)


def _parse_decimal(text: str, value: object, name: str) -> Fraction:
    if len(text) > MAX_BITS:
        raise _too_long(name)
    try:
        parsed = Decimal(text)
    except InvalidOperation:
        raise _not_a_number(value, name) from None
    if not parsed.is_finite():
        raise _not_a_number(value, name)
    if parsed and abs(parsed.adjusted()) > _MAX_EXPONENT:
        raise _too_long(name)
    return Fraction(parsed)


def _checked_length(value: Fraction, name: str) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise _too_long(name)
    return value


def _not_a_number(value: object, name: str) -> PrivacyParameterError:
    value_text = type(value).__name__
    if isinstance(value, int | float | Decimal):
        value_text = _shortened(str(value))
    if isinstance(value, str):
        value_text = repr(_shortened(value))
    return PrivacyParameterError(
        f"{name} is {value_text}, which is not a number one can compute with. It must be a finite "
        "number.",
        Remedy(
            python='Write it as 1, 0.5, "0.1" or Fraction(1, 10).',
            sql="Write it as 1, 0.5 or 1e-6.",
            policy='Write it as 1, 0.5 or "1/3".',
            command="Write it as 1, 0.5 or 1/3.",
        ),
    )


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


def _too_long(name: str) -> PrivacyParameterError:
    return PrivacyParameterError(
        f"{name} has more than {MAX_BITS} bits. Parameters are kept exactly, so their length "
        "is limited. Round it to a few significant digits."
    )
