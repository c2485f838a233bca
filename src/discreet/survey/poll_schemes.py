"""The local scheme of a question, by the name that a poll gives it."""

from fractions import Fraction
from typing import Any, Final

from discreet.local import (
    HadamardResponse,
    Mean,
    ProjectiveGeometryResponse,
    RandomizedResponse,
    SubsetSelection,
    UnaryEncoding,
    choose,
)

CHOOSE: Final = "choose"
KINDS: Final[dict[str, Any]] = {
    one.name: one
    for one in (
        RandomizedResponse,
        UnaryEncoding,
        SubsetSelection,
        HadamardResponse,
        ProjectiveGeometryResponse,
    )
}
"""The schemes for answers to choose from, the simplest first."""
NUMBER_KINDS: Final = ("duchi", "piecewise", "hybrid")
"""The schemes for a number."""


def scheme_for(kind: str, answers: tuple[str, ...], epsilon: Fraction) -> Any:
    """The scheme of this kind for these answers; the one with the lowest variance if asked to.

    >>> scheme_for("choose", ("no", "yes"), Fraction(1)).name
    'randomized-response'
    """
    if kind == CHOOSE:
        return choose(epsilon=epsilon, categories=answers).scheme
    return KINDS[kind](epsilon=epsilon, categories=answers)


def number_scheme_for(kind: str, low: Fraction, high: Fraction, epsilon: Fraction) -> Mean:
    """The scheme of this kind for a number; the one with the narrowest interval if asked to.

    >>> number_scheme_for("choose", Fraction(0), Fraction(24), Fraction(1)).kind
    'duchi'
    """
    if kind == CHOOSE:
        scheme: Mean = choose(epsilon=epsilon, low=low, high=high).scheme
        return scheme
    return Mean(epsilon=epsilon, low=low, high=high, kind=kind)
