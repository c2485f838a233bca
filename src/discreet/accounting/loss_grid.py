"""Losses on a common grid, and tilted on it.

An atom between two grid losses is split between them so that its probabilities under P and under
Q are both kept: the chord between the two points is above the curve of δ, so the split dominates.
The grid's step has few binary digits, so that its multiples are exact floats.
Proof: docs/proofs/privacy-loss-distribution.md
"""

from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np

from discreet.accounting.loss_atoms import Atoms
from discreet.accounting.rounding import FUNCTION, UNIT, Floats

_SUMMARY = 4096
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class GridLosses:
    """Masses, rounded up, at the losses (start + 0, 1, 2, …)·step."""

    step: float
    start: int
    masses: Floats
    infinite: float

    @staticmethod
    def of(atoms: Atoms, step: float) -> "GridLosses":
        """The atoms, split between the grid losses around them."""
        cells = np.floor(atoms.losses / step)
        parts = atoms.losses - cells * step
        # The quotient was rounded, so the cell may be off by one.
        cells += (parts >= step).astype(np.float64) - (parts < 0)
        parts = np.clip(atoms.losses - cells * step, 0.0, step)
        whole = -np.expm1(-step)
        upper = atoms.masses * (-np.expm1(-parts) / whole)
        lower = atoms.masses * (np.exp(-parts) * -np.expm1(parts - step) / whole)
        start = int(cells.min())
        places = (cells - start).astype(np.int64)
        size = int(places.max()) + 2
        masses: Floats = np.zeros(size)
        masses += np.bincount(places, lower, size)
        masses += np.bincount(places + 1, upper, size)
        masses *= 1 + 8 * FUNCTION + 2 * (atoms.losses.size + 8) * UNIT
        return GridLosses(step, start, masses + _TINY, atoms.infinite)

    @property
    def indices(self) -> Floats:
        """The grid losses, counted in steps."""
        return np.arange(self.start, self.start + self.masses.size, dtype=np.float64)

    @property
    def losses(self) -> Floats:
        """The grid losses; exact."""
        return self.indices * self.step

    @property
    def end(self) -> int:
        """The index of the highest loss."""
        return self.start + self.masses.size - 1

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """ln Σ mass·e^(tilt·loss), and its first two derivatives by the tilt; roughly."""
        losses, masses = self._summary
        exponents = tilt * losses
        largest = float(exponents.max())
        weights = masses * np.exp(exponents - largest)
        total = float(weights.sum())
        mean = float((weights * losses).sum()) / total
        variance = float((weights * (losses - mean) ** 2).sum()) / total
        return largest + log(total), mean, variance

    @cached_property
    def _summary(self) -> tuple[Floats, Floats]:
        """Losses and masses, neighbors put together where there are very many."""
        block = max(1, self.masses.size // _SUMMARY)
        size = -(-self.masses.size // block) * block
        masses = np.zeros(size)
        masses[: self.masses.size] = self.masses
        places = np.arange(size // block, dtype=np.float64) * block
        losses: Floats = (places + (self.start + (block - 1) / 2)) * self.step
        return losses, masses.reshape(-1, block).sum(axis=1)

    def tilted(self, tilt: float) -> tuple[Floats, float]:
        """Weights w and a number c with w ≥ mass·e^(tilt·loss - c); the weights sum to about 1."""
        products = tilt * self.losses
        largest = float(products.max())
        level = largest + log(float((self.masses * np.exp(products - largest)).sum()))
        size = float(np.abs(products).max()) + abs(level)
        weights = self.masses * np.exp(products - level)
        weights *= 1 + 2 * FUNCTION + 8 * (size + 1) * UNIT
        return weights + _TINY, level


def log_sum_above(weights: Floats, exponents: Floats) -> float:
    """An upper bound of ln Σ weight·e^exponent."""
    largest = float(exponents.max())
    total = float((weights * np.exp(exponents - largest)).sum()) + _TINY
    size = float(np.abs(exponents).max())
    margin = 2 * FUNCTION + (8 * size + 2 * weights.size + 8) * UNIT
    return largest + log(total) + margin + (abs(largest) + abs(log(total))) * 8 * UNIT
