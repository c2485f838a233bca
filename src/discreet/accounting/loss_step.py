"""One grid for several events: as coarse as the wanted accuracy allows.

Splitting an atom between two grid losses adds variance, about step²/6 for each event.  The step is
chosen so that all of it together moves ε by about TOLERANCE; where all losses lie on one lattice
nothing is split, and the lattice is the grid.  The choice has no part in the proof.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from math import floor, gcd, log2, sqrt

from discreet.accounting.loss_atoms import Atoms
from discreet.accounting.loss_grid import GridLosses
from discreet.accounting.rounding import short_above
from discreet.errors import PrivacyParameterError

TOLERANCE = 2e-5
_DEVIATIONS = 5.0  # how far out ε lies, for a small δ
_FEWEST_POINTS = 1 << 14  # in all: near the largest loss the error falls with the step only
_MOST_POINTS = 1 << 17  # for one standard deviation

MOST_CELLS = 1 << 20
"""For all events together: what a convolution has time for, about a second."""

MOST_EVENTS = 10**15
"""Beyond, the rounding of floats could no longer be bounded."""


def on_grid(groups: Sequence[tuple[Atoms, int]], step: float) -> list[tuple[GridLosses, int]]:
    """The groups, split on one grid."""
    return [(GridLosses.of(atoms, step), count) for atoms, count in groups]


def common_step(groups: Sequence[tuple[Atoms, int]], cells: int) -> float:
    """The step of a grid on which no event has more than about 4·``cells`` losses."""
    number = sum(count for _, count in groups)
    if number > MOST_EVENTS:
        raise PrivacyParameterError(
            "the batch has more than 10^15 events beside normal noise. What their rounding adds "
            "up to cannot be bounded in floats. Use renyi_epsilon, or compose fewer events."
        )
    variance = sum(count * atoms.moments()[1] for atoms, count in groups)
    deviation = sqrt(variance) + 1e-12
    widest = max(float(abs(atoms.losses).max(initial=0.0)) for atoms, _ in groups) + 1e-12
    step = sqrt(12 * TOLERANCE / (number * (1 + _DEVIATIONS / deviation)))
    support = sum(2 * count * float(abs(atoms.losses).max(initial=0.0)) for atoms, count in groups)
    step = min(step, deviation / 16, min(support, 16 * deviation) / _FEWEST_POINTS + 1e-12)
    step = max(step, deviation / _MOST_POINTS, widest / cells)
    lattice = _common_lattice([atoms.lattice for atoms, _ in groups])
    if lattice is not None and step * 1e-6 < lattice <= widest:
        step = float(lattice) * 2.0 ** max(0, floor(log2(step / float(lattice))))
        # A little more, so that losses that were rounded up stay below their place on the grid.
        step *= 1 + 2.0**-26
    return short_above(step)


def _common_lattice(lattices: Sequence[Fraction | None]) -> Fraction | None:
    """The largest number of which all are multiples; None if one is unknown."""
    known = [lattice for lattice in lattices if lattice is not None]
    if len(known) < len(lattices) or not known:
        return None
    return reduce(_common_divisor, known)


def _common_divisor(first: Fraction, second: Fraction) -> Fraction:
    denominator = first.denominator * second.denominator
    return Fraction(
        gcd(first.numerator * second.denominator, second.numerator * first.denominator),
        denominator,
    )
