"""How well a report protects, in words."""

from fractions import Fraction
from typing import Final, Literal

Protection = Literal["well", "some", "little"]
_WELL: Final = 1
_SOME: Final = 2


def protection(epsilon: Fraction) -> Protection:
    """To ε = 1 a report protects well, to 2 some, above 2 little.

    The page has the same scale, of the ratio that it computes from the scheme.

    >>> protection(Fraction(1)), protection(Fraction(3, 2)), protection(Fraction(29, 10))
    ('well', 'some', 'little')
    """
    if epsilon <= _WELL:
        return "well"
    return "some" if epsilon <= _SOME else "little"


WORDS: Final[dict[Protection, str]] = {
    "well": "protects well",
    "some": "protects some",
    "little": "protects little",
}
