"""Laws that cannot be what they say are refused: no number about them would be right."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from discreet.errors import VerificationError
from discreet.exact import exp_minus
from discreet.privacy.laws import Atom

LARGEST_TAIL = Fraction(1, 10**13)


class Enclosed(NamedTuple):
    """Enclosures of 2^bits times the two probabilities of an atom."""

    first_low: int
    first_high: int
    second_low: int
    second_high: int

    @property
    def width(self) -> int:
        """How far the two probabilities together are from being known."""
        return self.first_high - self.first_low + self.second_high - self.second_low

    def swapped(self) -> "Enclosed":
        """The enclosures with the two laws exchanged."""
        return Enclosed(self.second_low, self.second_high, self.first_low, self.first_high)


def enclose(atoms: Sequence[Atom], bits: int) -> list[Enclosed]:
    """The probabilities of all atoms, of two laws that each sum to 1."""
    rows = [Enclosed(*atom.first(bits), *atom.second(bits)) for atom in atoms]
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


def _is_consistent(atom: Atom, row: Enclosed, bits: int) -> bool:
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
