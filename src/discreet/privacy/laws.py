"""Output laws as exact objects, and how two of them are laid side by side.

A law knows the probability of every outcome as an enclosure: a function from a number of bits
to integers ``(low, high)`` with ``low ≤ 2**bits · probability ≤ high``.  To compare two laws of
one mechanism, ``first.against(second)`` groups the outcomes into atoms on which the ratio of
the two probabilities is constant; finitely many atoms then say everything about privacy.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import Protocol

from discreet.errors import VerificationError
from discreet.exact import exp_minus

Enclosure = Callable[[int], tuple[int, int]]

MAX_ATOMS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Atom:
    """Outcomes on which two laws keep one ratio, represented by one of them.

    ``log_ratio`` is ln(first/second) where that is a known rational, ``ratio`` is first/second
    where that is.  An atom that is not ``constant`` is a far tail: its ratio is unbounded, its
    probability negligible.
    """

    outcome: Hashable
    first: Enclosure
    second: Enclosure
    log_ratio: Fraction | None = None
    ratio: Fraction | None = None
    constant: bool = True

    def swapped(self) -> "Atom":
        """The atom with the two laws exchanged."""
        return Atom(
            outcome=self.outcome,
            first=self.second,
            second=self.first,
            log_ratio=None if self.log_ratio is None else -self.log_ratio,
            ratio=None if not self.ratio else 1 / self.ratio,
            constant=self.constant,
        )


class Law(Protocol):
    """The exact distribution of a mechanism's output on one input."""

    def probability(self, outcome: Hashable) -> float:
        """The probability of one outcome, to the nearest float."""

    def against(self, other: "Law") -> Sequence[Atom]:
        """The outcomes of both laws, grouped where their ratio is constant."""


@dataclass(frozen=True, slots=True)
class Weight:
    """The number coefficient · e^(-exponent), exactly."""

    coefficient: Fraction
    exponent: Fraction = Fraction(0)

    def enclose(self, bits: int) -> tuple[int, int]:
        low, high = exp_minus(self.exponent, bits)
        top, bottom = self.coefficient.numerator, self.coefficient.denominator
        return low * top // bottom, -(-high * top // bottom)


@dataclass(frozen=True)
class WeightedLaw:
    """A law on finitely many outcomes, in proportion to weights c·e^(-E) with rational c, E.

    Randomized response, the exponential mechanism and everything with rational
    probabilities are of this form.
    """

    weights: Mapping[Hashable, Weight]

    def enclose(self, outcome: Hashable, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P(outcome)."""
        if outcome not in self.weights:
            return 0, 0
        work = bits + 32
        low, high = self.weights[outcome].enclose(work)
        all_low, all_high = self._total(work)
        return (low << bits) // all_high, min(1 << bits, -(-(high << bits) // all_low))

    def _total(self, bits: int) -> tuple[int, int]:
        if self._whole is not None:
            scaled = self._whole.numerator << bits
            return scaled // self._whole.denominator, -(-scaled // self._whole.denominator)
        cached = self._totals.get(bits)
        if cached is None:
            pairs = [weight.enclose(bits) for weight in self.weights.values()]
            cached = sum(low for low, _ in pairs), sum(high for _, high in pairs)
            self._totals[bits] = cached
        return cached

    @cached_property
    def _totals(self) -> dict[int, tuple[int, int]]:
        return {}

    @cached_property
    def _whole(self) -> Fraction | None:
        """The sum of the weights where it is rational."""
        if any(weight.exponent for weight in self.weights.values()):
            return None
        return sum((weight.coefficient for weight in self.weights.values()), Fraction(0))

    def probability(self, outcome: Hashable) -> float:
        """The probability of one outcome, to the nearest float."""
        low, high = self.enclose(outcome, 128)
        return float(Fraction(low + high, 2 << 128))

    def against(self, other: Law) -> list[Atom]:
        """One atom per outcome of either law."""
        if not isinstance(other, WeightedLaw):
            raise VerificationError(
                "the two laws are of different kinds. Only two outputs of one mechanism can be "
                "compared. Verify a mechanism on two inputs of the same shape."
            )
        outcomes = dict.fromkeys([*self.weights, *other.weights])
        return [
            Atom(
                outcome=outcome,
                first=lambda bits, at=outcome: self.enclose(at, bits),  # type: ignore[misc]
                second=lambda bits, at=outcome: other.enclose(at, bits),  # type: ignore[misc]
                log_ratio=self._log_ratio(other, outcome),
                ratio=self._ratio(other, outcome),
            )
            for outcome in outcomes
        ]

    def _pair(
        self, other: "WeightedLaw", outcome: Hashable
    ) -> tuple[Weight, Weight, Fraction] | None:
        """Both weights and the factor between the totals, where that is known exactly."""
        nothing = Weight(Fraction(0))
        first = self.weights.get(outcome, nothing)
        second = other.weights.get(outcome, nothing)
        if self._whole is not None and other._whole is not None:
            return first, second, other._whole / self._whole
        if self._fingerprint == other._fingerprint:
            return first, second, Fraction(1)
        return None

    @cached_property
    def _fingerprint(self) -> tuple[tuple[Fraction, Fraction], ...]:
        return tuple(sorted((w.coefficient, w.exponent) for w in self.weights.values()))

    def _ratio(self, other: "WeightedLaw", outcome: Hashable) -> Fraction | None:
        pair = self._pair(other, outcome)
        if pair is None or pair[1].coefficient == 0 or pair[0].exponent != pair[1].exponent:
            return None
        return pair[0].coefficient / pair[1].coefficient * pair[2]

    def _log_ratio(self, other: "WeightedLaw", outcome: Hashable) -> Fraction | None:
        pair = self._pair(other, outcome)
        if pair is None or pair[1].coefficient == 0:
            return None
        if pair[0].coefficient * pair[2] != pair[1].coefficient:
            return None
        return pair[1].exponent - pair[0].exponent


@dataclass(frozen=True)
class EnclosedLaw:
    """A law on finitely many outcomes whose probabilities are computed to any precision."""

    outcomes: tuple[Hashable, ...]
    enclosures: Callable[[int], Sequence[tuple[int, int]]]

    @cached_property
    def _computed(self) -> dict[int, Sequence[tuple[int, int]]]:
        return {}

    def enclose(self, outcome: Hashable, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P(outcome)."""
        if bits not in self._computed:
            self._computed[bits] = self.enclosures(bits)
        return self._computed[bits][self.outcomes.index(outcome)]

    def probability(self, outcome: Hashable) -> float:
        """The probability of one outcome, to the nearest float."""
        low, high = self.enclose(outcome, 128)
        return float(Fraction(low + high, 2 << 128))

    def against(self, other: Law) -> list[Atom]:
        """One atom per outcome."""
        if not isinstance(other, EnclosedLaw) or other.outcomes != self.outcomes:
            raise VerificationError(
                "the two laws have different outcomes. Only two outputs of one mechanism can be "
                "compared. Verify a mechanism on two inputs of the same length."
            )
        return [
            Atom(
                outcome=outcome,
                first=lambda bits, at=outcome: self.enclose(at, bits),  # type: ignore[misc]
                second=lambda bits, at=outcome: other.enclose(at, bits),  # type: ignore[misc]
            )
            for outcome in self.outcomes
        ]


@dataclass(frozen=True)
class ProductLaw:
    """Independent coordinates, each with its own law."""

    parts: tuple[Law, ...]

    def probability(self, outcome: Hashable) -> float:
        """The probability of one tuple of outcomes."""
        if not isinstance(outcome, tuple) or len(outcome) != len(self.parts):
            return 0.0
        return prod(part.probability(at) for part, at in zip(self.parts, outcome, strict=True))

    def against(self, other: Law) -> list[Atom]:
        """Every combination of the coordinates' atoms."""
        if not isinstance(other, ProductLaw) or len(other.parts) != len(self.parts):
            raise VerificationError(
                "the two inputs have different lengths. Neighbors are compared coordinate by "
                "coordinate. Verify on two inputs of the same length."
            )
        columns = [a.against(b) for a, b in zip(self.parts, other.parts, strict=True) if a != b]
        count = prod(len(column) for column in columns)
        if count > MAX_ATOMS:
            raise VerificationError(
                f"the comparison has {count} combinations of outcomes, more than {MAX_ATOMS}. "
                "They are enumerated exactly. Verify inputs that differ in fewer coordinates."
            )
        return [_joined(combination) for combination in product(*columns)]


def _joined(atoms: Sequence[Atom]) -> Atom:
    def multiply(enclosures: Sequence[Enclosure]) -> Enclosure:
        def enclose(bits: int) -> tuple[int, int]:
            low = high = 1 << bits
            for enclosure in enclosures:
                factor_low, factor_high = enclosure(bits)
                low, high = low * factor_low >> bits, -(-high * factor_high >> bits)
            return low, high

        return enclose

    logs = [atom.log_ratio for atom in atoms]
    ratios = [atom.ratio for atom in atoms]
    return Atom(
        outcome=tuple(atom.outcome for atom in atoms),
        first=multiply([atom.first for atom in atoms]),
        second=multiply([atom.second for atom in atoms]),
        log_ratio=None if None in logs else sum((x for x in logs if x is not None), Fraction(0)),
        ratio=None
        if None in ratios
        else prod((x for x in ratios if x is not None), start=Fraction(1)),
        constant=all(atom.constant for atom in atoms),
    )
