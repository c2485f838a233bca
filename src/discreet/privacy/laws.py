"""Output laws as exact objects.

A law knows the probability of every outcome as an enclosure: a function from a number of bits
to integers ``(low, high)`` with ``low ≤ 2**bits · probability ≤ high``.  To compare two laws of
one mechanism, ``first.against(second)`` groups the outcomes into atoms on which the ratio of
the two probabilities is constant; finitely many atoms then say everything about privacy.
Proof: docs/proofs/verification.md
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import product
from math import prod
from typing import Protocol, runtime_checkable

from discreet.errors import VerificationError
from discreet.privacy.atoms import MAX_ATOMS, Atom, Enclosure, Law, nearest_float
from discreet.privacy.weighted import Weight, WeightedLaw

__all__ = [
    "MAX_ATOMS",
    "Atom",
    "EnclosedLaw",
    "EnclosingLaw",
    "Enclosure",
    "Law",
    "ProductLaw",
    "Weight",
    "WeightedLaw",
    "enclosing",
    "nearest_float",
]


@dataclass(frozen=True)
class EnclosedLaw:
    """A law on finitely many outcomes whose probabilities are computed to any precision.

    ``enclosures(bits)`` gives one enclosure per outcome, in their order.
    """

    outcomes: tuple[Hashable, ...]
    enclosures: Callable[[int], Sequence[tuple[int, int]]]

    def __post_init__(self) -> None:
        if len(set(self.outcomes)) != len(self.outcomes):
            raise VerificationError(
                "an outcome of the law stands twice. Each outcome has one probability. Add the "
                "probabilities of equal outcomes first."
            )

    def enclose(self, outcome: Hashable, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P(outcome)."""
        place = self._places.get(outcome)
        return (0, 0) if place is None else self._at(place, bits)

    def probability(self, outcome: Hashable) -> float:
        """The probability of one outcome, to the nearest float."""
        return nearest_float(partial(self.enclose, outcome))

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
                first=partial(self._at, place),
                second=partial(other._at, place),
                single=True,
            )
            for place, outcome in enumerate(self.outcomes)
        ]

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {outcome: place for place, outcome in enumerate(self.outcomes)}

    @cached_property
    def _computed(self) -> Callable[[int], Sequence[tuple[int, int]]]:
        return cache(self.enclosures)

    def _at(self, place: int, bits: int) -> tuple[int, int]:
        return self._computed(bits)[place]


@runtime_checkable
class EnclosingLaw(Law, Protocol):
    """A law that encloses the probability of each single outcome."""

    def enclose(self, outcome: Hashable, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P(outcome)."""


def enclosing(law: Law) -> EnclosingLaw:
    """The law itself, if it encloses the probability of each single outcome."""
    if isinstance(law, EnclosingLaw):
        return law
    raise VerificationError(
        f"a {type(law).__name__} does not tell the probability of a single outcome to any "
        "precision. What follows from an output is computed from it. Give the law a method "
        "enclose(outcome, bits), or give a mapping from outcomes to probabilities."
    )


@dataclass(frozen=True)
class ProductLaw:
    """Independent coordinates, each with its own law."""

    parts: tuple[Law, ...]

    def probability(self, outcome: Hashable) -> float:
        """The probability of one tuple of outcomes."""
        if not isinstance(outcome, tuple) or len(outcome) != len(self.parts):
            return 0.0
        return prod(part.probability(at) for part, at in zip(self.parts, outcome, strict=True))

    def enclose(self, outcome: Hashable, bits: int) -> tuple[int, int]:
        """An enclosure of 2^bits · P(outcome), if every coordinate's law encloses its own."""
        if not isinstance(outcome, tuple) or len(outcome) != len(self.parts):
            return 0, 0
        pairs = zip(self.parts, outcome, strict=True)
        return _multiplied([partial(enclosing(part).enclose, at) for part, at in pairs])(bits)

    def against(self, other: Law) -> list[Atom]:
        """Every combination of the atoms of those coordinates whose laws differ.

        The others have ratio 1 whatever their outcome is, so they are left out.
        """
        if not isinstance(other, ProductLaw) or len(other.parts) != len(self.parts):
            raise VerificationError(
                "the two inputs have different lengths. Neighbors are compared coordinate by "
                "coordinate. Verify on two inputs of the same length."
            )
        different = [(a, b) for a, b in zip(self.parts, other.parts, strict=True) if a != b]
        columns = [[_remembering(atom) for atom in a.against(b)] for a, b in different]
        count = prod(len(column) for column in columns)
        if count > MAX_ATOMS:
            raise VerificationError(
                f"the comparison has {count} combinations of outcomes, more than {MAX_ATOMS}. "
                "They are enumerated exactly. Verify inputs that differ in fewer coordinates."
            )
        whole = len(different) == len(self.parts)
        return [_joined(combination, whole) for combination in product(*columns)]


def _remembering(atom: Atom) -> Atom:
    """The atom with enclosures that are computed once, for the many combinations it is in."""
    enclosure = atom.log_enclosure
    return replace(
        atom,
        first=cache(atom.first),
        second=cache(atom.second),
        log_enclosure=None if enclosure is None else cache(enclosure),
    )


def _joined(atoms: Sequence[Atom], whole: bool) -> Atom:
    """Independent atoms together; ``whole`` says that no coordinate was left out."""
    ratios = [atom.ratio for atom in atoms if atom.ratio is not None]
    logs = [atom.log_ratio for atom in atoms if atom.log_ratio is not None]
    pairs = [atom.probabilities for atom in atoms if atom.probabilities is not None]
    logarithms = [atom.log_enclosure for atom in atoms if atom.log_enclosure is not None]
    return Atom(
        outcome=tuple(atom.outcome for atom in atoms),
        first=_multiplied([atom.first for atom in atoms]),
        second=_multiplied([atom.second for atom in atoms]),
        ratio=prod(ratios, start=Fraction(1)) if len(ratios) == len(atoms) else None,
        log_ratio=sum(logs, Fraction(0)) if len(logs) == len(atoms) else None,
        constant=all(atom.constant for atom in atoms),
        single=whole and all(atom.single for atom in atoms),
        probabilities=(
            prod((pair[0] for pair in pairs), start=Fraction(1)),
            prod((pair[1] for pair in pairs), start=Fraction(1)),
        )
        if len(pairs) == len(atoms)
        else None,
        log_enclosure=_summed(logarithms) if len(logarithms) == len(atoms) else None,
    )


def _summed(enclosures: Sequence[Enclosure]) -> Enclosure:
    def enclose(bits: int) -> tuple[int, int]:
        pairs = [enclosure(bits) for enclosure in enclosures]
        return sum(low for low, _ in pairs), sum(high for _, high in pairs)

    return enclose


def _multiplied(enclosures: Sequence[Enclosure]) -> Enclosure:
    def enclose(bits: int) -> tuple[int, int]:
        low = high = 1 << bits
        for enclosure in enclosures:
            factor_low, factor_high = enclosure(bits)
            low, high = low * factor_low >> bits, -(-high * factor_high >> bits)
        return low, high

    return enclose
