"""Two laws laid side by side: the atoms on which their ratio is constant."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Protocol

from discreet.exact import logarithm

Enclosure = Callable[[int], tuple[int, int]]
"""From a number of bits to integers (low, high) around 2**bits · value: the more, the narrower."""

MAX_ATOMS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Atom:
    """Outcomes on which two laws keep one ratio, represented by one of them.

    At least one of the laws gives the atom a probability above 0.  A tail is represented by its
    innermost outcome; ``single`` says that the atom is one outcome.  What is known about the
    ratio first/second is stated: ``ratio`` where it is a known rational, ``log_ratio`` where its
    logarithm is, ``log_enclosure`` where that is found without dividing (the first two imply
    it); ``probabilities`` where both are known rationals.

    An atom that is not ``constant`` is a far tail: its ratio is unbounded, its probability
    negligible, and its enclosures need only bound that from above.
    """

    outcome: Hashable
    first: Enclosure
    second: Enclosure
    log_ratio: Fraction | None = None
    ratio: Fraction | None = None
    constant: bool = True
    single: bool = False
    probabilities: tuple[Fraction, Fraction] | None = None
    log_enclosure: Enclosure | None = None

    def __post_init__(self) -> None:
        if self.log_ratio == 0:
            object.__setattr__(self, "ratio", Fraction(1))
        elif self.ratio == 1:
            object.__setattr__(self, "log_ratio", Fraction(0))
        if self.log_ratio is not None:
            object.__setattr__(self, "log_enclosure", partial(_scaled, self.log_ratio))
        elif self.ratio:
            object.__setattr__(self, "log_enclosure", partial(logarithm, self.ratio))

    def enclose_log(self, bits: int) -> tuple[int, int] | None:
        """An enclosure of 2^bits · ln(first/second); None where that takes more bits."""
        if self.log_enclosure is not None:
            return self.log_enclosure(bits)
        first_low, first_high = self.first(bits)
        second_low, second_high = self.second(bits)
        if first_low <= 0 or second_low <= 0:
            return None
        low, _ = logarithm(Fraction(first_low, second_high), bits)
        _, high = logarithm(Fraction(first_high, second_low), bits)
        return low, high

    def swapped(self) -> "Atom":
        """The atom with the two laws exchanged."""
        forward, both = self.log_enclosure, self.probabilities
        return Atom(
            outcome=self.outcome,
            first=self.second,
            second=self.first,
            log_ratio=None if self.log_ratio is None else -self.log_ratio,
            ratio=1 / self.ratio if self.ratio else None,
            constant=self.constant,
            single=self.single,
            probabilities=None if both is None else (both[1], both[0]),
            log_enclosure=None if forward is None else lambda bits: _negative(*forward(bits)),
        )


def _scaled(value: Fraction, bits: int) -> tuple[int, int]:
    scaled = value * (1 << bits)
    return scaled.__floor__(), scaled.__ceil__()


def _negative(low: int, high: int) -> tuple[int, int]:
    return -high, -low


class Law(Protocol):
    """The exact distribution of a mechanism's output on one input."""

    def probability(self, outcome: Hashable) -> float:
        """The probability of one outcome, to the nearest float."""

    def against(self, other: "Law") -> Sequence[Atom]:
        """The outcomes of both laws, grouped where their ratio is constant."""


def nearest_float(enclosure: Enclosure) -> float:
    """The float nearest to an enclosed probability, however small it is.

    >>> from discreet.exact import exp_minus
    >>> nearest_float(lambda bits: exp_minus(Fraction(700), bits))
    9.85967654375977e-305
    """
    bits = 128
    while True:
        low, high = (float(Fraction(end, 1 << bits)) for end in enclosure(bits))
        # A number half way between two floats is never decided, so there is a last try.
        if low == high or bits > 2048:
            return low
        bits *= 2
