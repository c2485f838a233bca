"""Exact verification: what two laws give away about which of them was drawn from.

It suffices to bound the ratio of the probabilities point by point, so a mechanism with a known
law is verified by looking at its atoms.  Numbers are rationals that are never below the truth
and at most 1e-12 above it.  Proof: docs/proofs/verification.md
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any, Protocol

from discreet.errors import VerificationError
from discreet.exact import decimal_text, exp_minus, logarithm, rational, round_up
from discreet.privacy.laws import Atom, Law

TOLERANCE = Fraction(1, 10**12)

_BITS = 160
_MOST_BITS = 20_480
_STEP = TOLERANCE / 4


class Verifiable(Protocol):
    """Anything that knows the exact law of its output on an input."""

    def law(self, value: Any, /) -> Law:
        """The law of the output on this input."""


def verify(mechanism: Verifiable, first: object, second: object) -> "Verification":
    """Compare a mechanism's laws on two inputs, exactly.

    >>> from discreet.mechanisms import Laplace, RandomizedResponse
    >>> verify(Laplace(scale=2), 0, 1).epsilon
    Fraction(1, 2)
    >>> verify(RandomizedResponse.two_coin(), 0, 1).ratio
    Fraction(3, 1)
    """
    return Verification(atoms=tuple(_law(mechanism, first).against(_law(mechanism, second))))


def _law(mechanism: Verifiable, value: object) -> Law:
    try:
        find = mechanism.law
    except AttributeError:
        raise VerificationError(
            f"{type(mechanism).__name__} has no exact law. Only a mechanism whose output law is "
            "known can be verified. Give an object with a method law(value)."
        ) from None
    return find(value)


@dataclass(frozen=True)
class Verification:
    """What a pair of inputs gives away, in either direction."""

    atoms: tuple[Atom, ...]

    def __repr__(self) -> str:
        shown = "∞" if self.epsilon == inf else decimal_text(Fraction(self.epsilon))
        total = decimal_text(round_up(self.total_variation, Fraction(1, 10**6)))
        return f"Verification(epsilon={shown}, total_variation={total})"

    @cached_property
    def epsilon(self) -> Fraction | float:
        """The least ε of pure differential privacy on this pair; infinity if there is none."""
        worst: Fraction | float = Fraction(0)
        for atom in self._both_ways():
            worst = max(worst, _log_ratio(atom))
        return worst

    @cached_property
    def ratio(self) -> Fraction | float | None:
        """The worst ratio of two probabilities where it is rational; None where it is not."""
        ratios = [1 if atom.log_ratio == 0 else atom.ratio for atom in self._both_ways()]
        if self.epsilon == inf:
            return inf
        if any(ratio is None for ratio in ratios):
            return None
        return max(Fraction(ratio) for ratio in ratios if ratio is not None)

    @cached_property
    def total_variation(self) -> Fraction:
        """The largest difference of the probabilities of any event: δ(0)."""
        return self.delta(epsilon=0)

    def delta(self, epsilon: object) -> Fraction:
        """The least δ of (ε,δ)-differential privacy on this pair, for ε ≥ 0.

        >>> from discreet.mechanisms import RandomizedResponse
        >>> verify(RandomizedResponse.two_coin(), 0, 1).delta(epsilon=0)
        Fraction(1, 2)
        """
        level = rational(epsilon, "epsilon")
        if level < 0:
            raise VerificationError(
                f"epsilon is {decimal_text(level)}. The curve δ(ε) is drawn for ε ≥ 0. "
                "Use epsilon=0 for the total variation."
            )
        decay = exp_minus(level, _BITS)
        swapped = [atom.swapped() for atom in self.atoms]
        return max(_hockey_stick(side, decay) for side in (self.atoms, swapped))

    def _both_ways(self) -> Iterator[Atom]:
        for atom in self.atoms:
            yield atom
            yield atom.swapped()


def _log_ratio(atom: Atom) -> Fraction | float:
    """An upper bound of ln(first/second), exact where it is known, else within the tolerance."""
    if not atom.constant:
        return inf
    if atom.log_ratio is not None:
        return atom.log_ratio
    bits = _BITS
    while bits <= _MOST_BITS:
        first_low, first_high = atom.first(bits)
        second_low, second_high = atom.second(bits)
        if first_high == 0:
            return -inf
        if second_high == 0:
            return inf
        if second_low > 0 and first_low > 0:
            _, upper = logarithm(Fraction(first_high, second_low), _BITS)
            lower, _ = logarithm(Fraction(first_low, second_high), _BITS)
            if Fraction(upper - lower, 1 << _BITS) < _STEP:
                return round_up(Fraction(upper, 1 << _BITS), _STEP)
        bits *= 2
    raise VerificationError(
        "an outcome is too improbable to compare: its probability is below 2^-20000. Ratios are "
        "computed from enclosures of both probabilities. Verify inputs that are nearer."
    )


def _hockey_stick(atoms: Sequence[Atom], decay: tuple[int, int]) -> Fraction:
    """An upper bound of Σ max(0, first - e^ε·second), given an enclosure of 2^bits·e^-ε."""
    _, decay_high = decay
    total = 0
    for atom in atoms:
        _, high = atom.first(_BITS)
        if atom.constant:
            low, _ = atom.second(_BITS)
            high -= (low << _BITS) // decay_high
        total += max(0, high)
    return min(Fraction(total, 1 << _BITS), Fraction(1))
