"""Tests of one input against another, in the order of Neyman and Pearson.

The best tests say "second" on the outcomes whose likelihood ratio second/first is largest.
Proof: docs/proofs/verification.md
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import accumulate, groupby
from numbers import Real
from typing import Any

from discreet.privacy.consistency import Enclosed
from discreet.privacy.laws import Atom
from discreet.privacy.verification import Verification

_BITS = 160
_MOST_LISTED = 4


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Atoms of one likelihood ratio, and ``unit`` times their probabilities on either input."""

    atoms: tuple[Atom, ...]
    first: int | Fraction
    second: int | Fraction


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """All atoms, those with the largest ratio second/first first, equal ratios together.

    Where the laws are not rational, ``first`` is rounded down and ``second`` up.
    """

    steps: tuple[Step, ...]
    unit: int

    @staticmethod
    def of(verification: Verification) -> "Order":
        """The order in which the best tests take the outcomes."""
        if verification.is_rational:
            return Order(_sorted(_rational_steps(verification)), 1)
        bits, rows = verification.narrow_atoms()
        # A far tail is counted as if the first input could not give it.
        steps = [
            Step((atom,), row.first_low if atom.constant else 0, row.second_high)
            for atom, row in rows
        ]
        return Order(_sorted(steps), 1 << bits)

    def corners(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The probabilities of the first 0, 1, 2, … steps together, on either input."""
        first = accumulate((step.first for step in self.steps), initial=0)
        second = accumulate((step.second for step in self.steps), initial=0)
        return tuple(
            (Fraction(x) / self.unit, Fraction(y) / self.unit)
            for x, y in zip(first, second, strict=True)
        )


def best_rule(verification: Verification, first: str, second: str) -> str:
    """In words: the test that says "second" on the outcomes that are more likely on it."""
    accepted: list[Atom] = []
    rejected: list[Atom] = []
    for atom, row in verification.enclosed_atoms():
        if atom.constant:
            (accepted if _favors_second(atom, row) else rejected).append(atom)
    if not accepted:
        return f"guess: no output is more likely on {second} than on {first}"
    where = _where(accepted, rejected) or f"is more likely on {second} than on {first}"
    return f"say {second} when the output {where}, else {first}"


def _favors_second(atom: Atom, row: Enclosed) -> bool:
    if not row.first_high or not row.second_high:
        return not row.first_high
    logarithm = atom.enclose_log(_BITS)
    return logarithm is not None and logarithm[1] < 0


def _rational_steps(verification: Verification) -> Iterator[Step]:
    for atom, _ in verification.enclosed_atoms():
        if atom.probabilities is not None:
            yield Step((atom,), *atom.probabilities)


def _sorted(steps: Sequence[Step] | Iterator[Step]) -> tuple[Step, ...]:
    together: dict[Hashable, list[Step]] = {}
    for step in steps:
        together.setdefault(_known_ratio(step.atoms[0]), []).append(step)
    merged = [_merged(equal) for equal in together.values()]
    ordered = sorted((step for step in merged if step.second), key=_STEEPEST_FIRST)
    distinct = [_merged(list(equal)) for _, equal in groupby(ordered, key=_STEEPEST_FIRST)]
    impossible = [step for step in merged if not step.second]
    return (*distinct, _merged(impossible)) if impossible else tuple(distinct)


def _known_ratio(atom: Atom) -> Hashable:
    """A value that only atoms of the same known ratio share."""
    if atom.constant and (atom.ratio is not None or atom.log_ratio is not None):
        return atom.ratio, atom.log_ratio
    return id(atom)


def _merged(steps: Sequence[Step]) -> Step:
    return Step(
        tuple(atom for step in steps for atom in step.atoms),
        sum(step.first for step in steps),
        sum(step.second for step in steps),
    )


def _compare(one: Step, other: Step) -> int:
    """Negative where the first step has the larger ratio second/first."""
    ahead, behind = one.second * other.first, other.second * one.first
    return (ahead < behind) - (ahead > behind)


_STEEPEST_FIRST = cmp_to_key(_compare)


def _where(accepted: Sequence[Atom], rejected: Sequence[Atom]) -> str | None:
    """The accepted outcomes in words: a short list or a threshold, if they are one."""
    if len(accepted) <= _MOST_LISTED and all(atom.single for atom in accepted):
        return "is " + " or ".join(str(atom.outcome) for atom in accepted)
    inside, outside = _numbers(accepted), _numbers(rejected)
    if not inside or not outside:
        return None
    if min(inside) > max(outside):
        return f"is {min(inside)} or more"
    if max(inside) < min(outside):
        return f"is {max(inside)} or less"
    return None


def _numbers(atoms: Sequence[Atom]) -> list[Any] | None:
    """The outcomes that represent the atoms, if all of them are numbers."""
    outcomes: list[Any] = [atom.outcome for atom in atoms]
    return outcomes if all(isinstance(outcome, Real) for outcome in outcomes) else None
