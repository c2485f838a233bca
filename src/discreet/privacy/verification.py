"""Exact verification: what two laws give away about which of them was drawn from.

Laws that cannot be what they say are refused: no number about them would be right.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from math import inf
from typing import Any, NamedTuple, Protocol

from discreet.errors import VerificationError
from discreet.exact import decimal_text, exp_minus, logarithm, rational, round_up
from discreet.privacy.laws import Atom, Law, WeightedLaw

LARGEST_TAIL = Fraction(1, 10**13)


TOLERANCE = Fraction(1, 10**12)
_BITS = 160
_MOST_BITS = 20_480
_STEP = TOLERANCE / 4
LawTable = Mapping[Any, "Law | Mapping[Any, object]"]
"""A mechanism written out: the law of the output for each input."""


class EnclosedAtom(NamedTuple):
    """Enclosures of 2^bits times the two probabilities of an atom."""

    first_low: int
    first_high: int
    second_low: int
    second_high: int

    @property
    def width(self) -> int:
        """How far the two probabilities together are from being known."""
        return self.first_high - self.first_low + self.second_high - self.second_low

    def swapped(self) -> "EnclosedAtom":
        """The enclosures with the two laws exchanged."""
        return EnclosedAtom(self.second_low, self.second_high, self.first_low, self.first_high)


def enclose(atoms: Sequence[Atom], bits: int) -> list[EnclosedAtom]:
    """The probabilities of all atoms, of two laws that each sum to 1."""
    rows = [EnclosedAtom(*atom.first(bits), *atom.second(bits)) for atom in atoms]
    _check_total(sum(row.first_low for row in rows), sum(row.first_high for row in rows), bits)
    _check_total(sum(row.second_low for row in rows), sum(row.second_high for row in rows), bits)
    tails = 0
    for atom, row in zip(atoms, rows, strict=True):
        if not atom.constant:
            tails += row.first_high + row.second_high
        elif not _is_consistent(atom, row, bits):
            raise VerificationError(
                "a ratio that the law states is not that of its probabilities. Losses are "
                "computed from it. Correct ratio, log_ratio or probabilities in the law."
            )
    if tails > LARGEST_TAIL * (1 << bits):
        raise VerificationError(
            f"the far tails of the laws hold {tails / (1 << bits):.3g}. They are counted as "
            "fully revealing, so they must be negligible. Let the law list more outcomes."
        )
    return rows


def _check_total(low: int, high: int, bits: int) -> None:
    if not low <= 1 << bits <= high:
        raise VerificationError(
            f"the probabilities of the law sum to {low / (1 << bits):.6g}. They must sum to 1: an "
            "outcome is missing or counted twice. Correct the law."
        )


def _is_consistent(atom: Atom, row: EnclosedAtom, bits: int) -> bool:
    """Whether what the atom states can be true of the enclosed probabilities."""
    if atom.probabilities is not None:
        first, second = (probability * (1 << bits) for probability in atom.probabilities)
        if not row.first_low <= first <= row.first_high:
            return False
        if not row.second_low <= second <= row.second_high:
            return False
    if atom.ratio is not None:
        top, bottom = atom.ratio.numerator, atom.ratio.denominator
        if row.first_low * bottom > row.second_high * top:
            return False
        if row.first_high * bottom < row.second_low * top:
            return False
    if not atom.log_ratio:
        return True
    large = row if atom.log_ratio > 0 else row.swapped()
    low, high = exp_minus(abs(atom.log_ratio), 64)
    return (
        large.first_low * low >> 64 <= large.second_high
        and -(-large.first_high * high >> 64) >= large.second_low
    )


class Verifiable(Protocol):
    """A mechanism that knows the exact law of its output on an input.

    The law may be a plain mapping from outcomes to probabilities that sum to 1.
    """

    def law(self, value: Any, /) -> "Law | Mapping[Any, object]":
        """The law of the output on this input."""


def verify(mechanism: Verifiable | LawTable, first: object, second: object) -> "Verification":
    """Compare a mechanism's laws on two inputs, exactly.

    The mechanism is anything with a method ``law(value)``, or a table of laws written by hand.

    >>> from discreet.mechanisms import Laplace
    >>> verify(Laplace(scale=2), 0, 1).epsilon
    Fraction(1, 2)
    >>> two_coins = {0: {0: "3/4", 1: "1/4"}, 1: {0: "1/4", 1: "3/4"}}
    >>> verify(two_coins, 0, 1).ratio
    Fraction(3, 1)
    >>> verify({0: {"a": 1}, 1: {"b": 1}}, 0, 1).epsilon
    inf
    """
    return Verification(atoms=tuple(law_of(mechanism, first).against(law_of(mechanism, second))))


def law_of(mechanism: Verifiable | LawTable, value: object) -> Law:
    """The exact law of a mechanism's output on an input."""
    law: object
    if isinstance(mechanism, Mapping):
        try:
            law = mechanism[value]
        except (KeyError, TypeError):
            raise VerificationError(
                "the table has no law for one of the inputs. It maps every input to the law of "
                "the output. Add that input, or verify two inputs that stand in the table."
            ) from None
    elif hasattr(mechanism, "law"):
        law = mechanism.law(value)
    else:
        raise VerificationError(
            f"{type(mechanism).__name__} has no exact law. Only a mechanism whose output law is "
            "known can be verified. Give an object with a method law(value)."
        )
    if isinstance(law, Mapping):
        return WeightedLaw.of_probabilities(law)
    if not hasattr(law, "against"):
        raise VerificationError(
            f"the law is a {type(law).__name__}. A law is a mapping from outcomes to "
            'probabilities, or has a method against(other). Return {"yes": "3/4", "no": "1/4"}.'
        )
    return law


@dataclass(frozen=True, eq=False)
class Verification:
    """What a pair of inputs gives away, in either direction."""

    atoms: tuple[Atom, ...]

    def __repr__(self) -> str:
        return (
            f"Verification({parameter_text('epsilon', self.epsilon)}, "
            f"{parameter_text('total_variation', self.total_variation)})"
        )

    @cached_property
    def epsilon(self) -> Fraction | float:
        """The least ε of pure differential privacy on this pair; infinity if there is none."""
        worst: Fraction | float = Fraction(0)
        for atom, enclosed in self.enclosed_atoms():
            if atom.log_ratio is not None and atom.constant:
                worst = max(worst, abs(atom.log_ratio))
            elif not atom.constant or enclosed.first_high == 0 or enclosed.second_high == 0:
                return inf
            else:
                worst = max(worst, _size_of_log(atom))
        return worst

    @cached_property
    def ratio(self) -> Fraction | float | None:
        """The worst ratio of two probabilities where it is a known rational, else None.

        It is infinite where an outcome of one law is impossible under the other.
        """
        if self.epsilon == inf:
            return inf
        ratios = [atom.ratio for atom in self.atoms if atom.ratio]
        worst = max((max(ratio, 1 / ratio) for ratio in ratios), default=Fraction(1))
        size, _ = logarithm(worst, _BITS)
        least = Fraction(size, 1 << _BITS)
        others = (atom for atom, _ in self.enclosed_atoms() if atom.ratio is None)
        return worst if all(_size_of_log(atom) <= least for atom in others) else None

    @cached_property
    def total_variation(self) -> Fraction:
        """The largest difference of the probabilities of any event: δ(0)."""
        return self.delta(epsilon=0)

    def delta(self, epsilon: object) -> Fraction:
        """The least δ of (ε,δ)-differential privacy on this pair, for ε ≥ 0.

        >>> from discreet.mechanisms import Laplace
        >>> check = verify(Laplace(scale=2), 0, 1)
        >>> round(float(check.delta(epsilon=0.3)), 6), check.delta(epsilon=0.5)
        (0.112833, Fraction(0, 1))
        >>> verify({0: {"a": 1}, 1: {"a": "2/3", "b": "1/3"}}, 0, 1).delta(epsilon=0)
        Fraction(1, 3)
        """
        level = read_level(epsilon)
        if level >= self.epsilon:
            return Fraction(0)
        if level == 0 and self.is_rational:
            pairs = [atom.probabilities for atom in self.atoms if atom.probabilities is not None]
            return sum((max(Fraction(0), p - q) for p, q in pairs), Fraction(0))
        bits = _BITS
        while bits <= _MOST_BITS:
            bounds = [self._hockey_stick(level, bits, swapped) for swapped in (False, True)]
            low, high = max(low for low, _ in bounds), max(high for _, high in bounds)
            if high - low <= TOLERANCE * (1 << bits):
                return min(Fraction(high, 1 << bits), Fraction(1))
            bits *= 2
        raise _too_improbable()

    @cached_property
    def is_rational(self) -> bool:
        """Whether every probability is a known rational."""
        return all(atom.probabilities is not None for atom in self.atoms)

    def enclosed_atoms(self, bits: int = _BITS) -> Iterator[tuple[Atom, EnclosedAtom]]:
        """The possible atoms, each with its enclosed probabilities, once the laws add up."""
        for atom, row in zip(self.atoms, self._rows(bits), strict=True):
            if row.first_high or row.second_high:
                yield atom, row

    def narrow_atoms(self) -> tuple[int, list[tuple[Atom, EnclosedAtom]]]:
        """``(bits, atoms)``: enclosed so narrowly that even all widths together are negligible."""
        bits = _BITS
        while bits <= _MOST_BITS:
            atoms = list(self.enclosed_atoms(bits))
            widths = [row.width for atom, row in atoms if atom.constant]
            if sum(widths) <= _STEP * (1 << bits):
                return bits, atoms
            bits *= 2
        raise _too_improbable()

    @cached_property
    def _rows(self) -> Callable[[int], list[EnclosedAtom]]:
        return cache(partial(enclose, self.atoms))

    def _hockey_stick(self, level: Fraction, bits: int, swapped: bool) -> tuple[int, int]:
        """An enclosure of 2^bits · Σ max(0, first - e^level · second)."""
        decay = exp_minus(level, bits)
        total_low = total_high = 0
        for atom, forward in self.enclosed_atoms(bits):
            row = forward.swapped() if swapped else forward
            if not atom.constant:
                low, high = 0, row.first_high
            elif atom.log_ratio is None:
                low, high = _excess(row, decay, bits)
            else:
                log_ratio = -atom.log_ratio if swapped else atom.log_ratio
                low, high = _known_excess(row, log_ratio - level, bits)
            total_low += low
            total_high += high
        return total_low, total_high


def read_level(epsilon: object) -> Fraction:
    """An ε ≥ 0 at which the curve δ(ε) is read."""
    level = rational(epsilon, "epsilon")
    if level < 0:
        raise VerificationError(
            f"epsilon is {decimal_text(level)}. The curve δ(ε) is drawn for ε ≥ 0. "
            "Use epsilon=0 for the total variation."
        )
    return level


def parameter_text(name: str, value: Fraction | float) -> str:
    """A short text for a number and its name: ``epsilon=1/2``, ``epsilon≈1.09861``."""
    shown = "∞" if value == inf else decimal_text(Fraction(value))
    return f"{name}{shown}" if shown.startswith("≈") else f"{name}={shown}"


def _size_of_log(atom: Atom) -> Fraction:
    """An upper bound of |ln(first/second)|, within half of the tolerance."""
    bits = _BITS
    while bits <= _MOST_BITS:
        enclosure = atom.enclose_log(bits)
        if enclosure is not None:
            low, high = enclosure
            if Fraction(high - low, 1 << bits) < _STEP:
                return round_up(Fraction(max(high, -low), 1 << bits), _STEP)
        bits *= 2
    raise _too_improbable()


def _known_excess(row: EnclosedAtom, gain: Fraction, bits: int) -> tuple[int, int]:
    """An enclosure of 2^bits · first · max(0, 1 - e^(-gain))."""
    if gain <= 0:
        return 0, 0
    low, high = exp_minus(gain, bits)
    one = 1 << bits
    return row.first_low * (one - high) >> bits, -(-row.first_high * (one - low) >> bits)


def _excess(row: EnclosedAtom, decay: tuple[int, int], bits: int) -> tuple[int, int]:
    """An enclosure of 2^bits · max(0, first - second/decay), given one of the decay e^(-level)."""
    decay_low, decay_high = decay
    low = row.first_low
    if row.second_high:
        low = low - -(-(row.second_high << bits) // decay_low) if decay_low else 0
    return max(0, low), max(0, row.first_high - (row.second_low << bits) // decay_high)


def _too_improbable() -> VerificationError:
    return VerificationError(
        f"an outcome is too improbable to compare: below 2^-{_MOST_BITS}. Ratios are computed from "
        "enclosures of both probabilities. Verify inputs that are nearer."
    )
