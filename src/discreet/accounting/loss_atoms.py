"""The privacy loss of one release as finitely many atoms, none of them too small."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import exp, expm1, inf, isqrt, nextafter, pi, sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

UNIT = 2.0**-53
FUNCTION = 2.0**-44
ROUND = 16 * UNIT

STEP_BITS = 25
"""Binary digits of a grid's step …"""

MOST_STEPS = 1 << 28
"""… so that its multiples up to this one are exact floats."""


KNOTS = 1024
"""Into how many pieces a continuous curve of δ is cut: adds about 3e-7 of the loss's variance."""
LARGEST_LOSS = 600.0
"""A higher loss counts as infinite, and a lower one than -600 as -600."""
CERTAIN = 4000
"""From this ε on, every loss of Laplace noise and its like counts as infinite: what is below
LARGEST_LOSS has a probability of less than e^-1000."""
CERTAIN_PRECISION = 10**5
"""The same for normal noise, by its Δ²/σ²."""
TAIL = 90.0
"""A Gaussian tail of e^-90 counts as an infinite loss."""
ROUNDING = 2
"""The variance, in steps², by which continuous normal noise is wider than the integer noise
that dominates it."""
RIPPLE = 2.01 * exp(-2 * pi * pi * 1.9)
"""How far a sum of normal densities of variance 1.9 or more, one step apart, is from flat."""
_LOSS_MARGIN = 2.0**-48
_MASS_MARGIN = 2.0**-40
_TINY = 1e-300  # more than anything that underflowed
_LEAST_RANGE = Fraction(1, 10**200)
_MOST_OTHERS = 10**300


def float_above(value: Fraction | int) -> float:
    """A float that is not below the value, and the nearest or next to it.

    >>> float_above(Fraction(1, 3)) >= Fraction(1, 3) > float_below(Fraction(1, 3))
    True
    """
    try:
        nearest = float(value)
    except OverflowError:
        return inf if value > 0 else -np.finfo(np.float64).max
    return nearest if Fraction(nearest) >= value else nextafter(nearest, inf)


def float_below(value: Fraction | int) -> float:
    """A float that is not above the value, and the nearest or next to it."""
    return -float_above(-value)


def short_above(value: float, bits: int = STEP_BITS) -> float:
    """The least float of a given number of binary digits that is not below a positive value.

    Products with integers of up to 53 - bits digits are then exact.

    >>> short_above(0.1, 4)
    0.1015625
    """
    exponent = np.frexp(value)[1] - bits
    return float(np.ldexp(np.ceil(np.ldexp(value, -exponent)), exponent))


@dataclass(frozen=True, eq=False)
class Atoms:
    """Losses, their probabilities and the probability of an infinite loss, all rounded up.

    ``lattice`` is a number of which all losses are multiples, but for rounding, if one is known.
    """

    losses: Floats
    masses: Floats
    infinite: float = 0.0
    lattice: Fraction | None = None

    @staticmethod
    def above(
        losses: Floats, masses: Floats, infinite: float = 0.0, lattice: Fraction | None = None
    ) -> "Atoms":
        """Atoms from floats that are each off by less than the margins, relatively."""
        losses = losses + np.abs(losses) * _LOSS_MARGIN + _TINY
        masses = masses * (1 + _MASS_MARGIN) + _TINY
        beyond = losses > LARGEST_LOSS
        if beyond.any():
            infinite += float(masses[beyond].sum()) * (1 + masses.size * UNIT)
            losses, masses = losses[~beyond], masses[~beyond]
        if not losses.size:
            losses, masses = np.zeros(1), np.zeros(1)
        return Atoms(
            losses=np.maximum(losses, -LARGEST_LOSS),
            masses=masses,
            infinite=infinite * (1 + _MASS_MARGIN),
            lattice=lattice,
        )

    @staticmethod
    def certain() -> "Atoms":
        """Everything is revealed: these atoms dominate whatever there is."""
        return Atoms(losses=np.zeros(1), masses=np.zeros(1), infinite=1.0)

    def raised(self, cost: float, growth: float) -> "Atoms":
        """Every loss higher by ``cost`` and every mass larger by the factor ``growth``."""
        return Atoms.above(self.losses + cost, self.masses * growth, self.infinite * growth)

    def moments(self) -> tuple[float, float]:
        """The mean and the variance, roughly: steps and windows are chosen by them."""
        total = float(self.masses.sum()) or 1.0
        mean = float((self.losses * self.masses).sum()) / total
        return mean, float(((self.losses - mean) ** 2 * self.masses).sum()) / total


def pure_atoms(epsilon: Fraction, delta: Fraction = Fraction(0)) -> Atoms:
    """(ε,δ)-DP: randomized response with two values, after a leak of probability δ."""
    return response_atoms((epsilon, epsilon), 2, float_above(delta))


def response_atoms(epsilon: tuple[Fraction, Fraction], categories: int, leak: float = 0.0) -> Atoms:
    """Randomized response with an ε between two bounds: losses ε, -ε and, else, 0."""
    if epsilon[1] > CERTAIN:
        return Atoms.certain()
    low, high = float_below(epsilon[0]), float_above(epsilon[1])
    # Fewer categories have larger masses, except for the losses of 0.
    others = float(min(categories - 1, _MOST_OTHERS))
    lie = exp(-low) / (1 + others * exp(-low))
    same = (others - 1) * lie if categories <= _MOST_OTHERS else 1.0
    losses = np.array([high, -low, 0.0])
    masses = np.array([1 / (1 + others * exp(-high)), lie, same])
    used = 3 if categories > 2 else 2
    kept = 1 - leak + 4 * UNIT
    return Atoms.above(losses[:used], kept * masses[:used], leak, epsilon[1] or None)


def laplace_atoms(epsilon: Fraction) -> Atoms:
    """Continuous Laplace noise: δ(y) = 1 - e^((y-ε)/2), with chords between knots."""
    if epsilon > CERTAIN:
        return Atoms.certain()
    losses = _even_losses(epsilon)
    masses = _chord_masses(losses[0] - losses, -np.diff(losses) / 2)
    return Atoms.above(losses, masses, 0.0, 2 * epsilon / KNOTS)


def discrete_laplace_atoms(scale: Fraction, sensitivity: int) -> Atoms:
    """Integer Laplace noise: chords of the same curve between the losses (d - 2k)/scale.

    Where there are too many of them, chords between every m-th one are above those.
    """
    if sensitivity > CERTAIN * scale:
        return Atoms.certain()
    stride = -(-sensitivity // KNOTS)
    places = [*range(0, sensitivity, stride), sensitivity]
    losses = np.array([float((sensitivity - 2 * place) / scale) for place in places])
    depths = np.array([float(2 * place / scale) for place in places])
    gaps = np.array([float((after - place) / scale) for place, after in pairwise(places)])
    even = stride == 1 and sensitivity % 2 == 0
    lattice = (2 if even else 1) / scale if stride == 1 else None
    return Atoms.above(losses, _chord_masses(depths, gaps), 0.0, lattice)


def bounded_range_atoms(epsilon: Fraction) -> Atoms:
    """Bounded range: δ(y) = (e^(ε/2) - e^(y/2))²/(e^ε - 1), with chords between knots."""
    if epsilon == 0:
        return pure_atoms(epsilon)
    if epsilon > CERTAIN:
        return Atoms.certain()
    epsilon = max(epsilon, _LEAST_RANGE)
    losses = _even_losses(epsilon)
    gaps = -np.diff(losses) / 2
    inside = -expm1(-losses[0])
    masses = _chord_masses(losses[0] - losses, gaps) * (2 / inside)
    masses[0] = -expm1(-gaps[0]) / (1 + exp(-gaps[0])) / inside
    masses[-1] = -expm1(-gaps[-1]) / (1 + exp(-gaps[-1])) / inside * exp(-losses[0])
    return Atoms.above(losses, masses, 0.0, 2 * epsilon / KNOTS)


def _even_losses(epsilon: Fraction) -> Floats:
    high = float_above(epsilon)
    return np.linspace(high, -high, KNOTS + 1)


def _chord_masses(depths: Floats, gaps: Floats) -> Floats:
    """The masses under chords of δ(y) = 1 - e^((y-ε)/2) at the losses ε - depth.

    Depths rise from 0 to 2ε; ``gaps`` are half of their differences.
    """
    fall = np.exp(-gaps)
    rise = -np.expm1(-gaps)
    masses = np.exp(-depths / 2)
    masses[1:-1] *= (rise[:-1] + fall[:-1] * rise[1:]) / ((1 + fall[:-1]) * (1 + fall[1:]))
    masses[0] /= 1 + fall[0]
    masses[-1] /= 1 + fall[-1]
    return masses


def discrete_gaussian_atoms(variance: Fraction, shift: int) -> Atoms:
    """Integer noise of that variance in one coordinate that moves by at most ``shift`` steps."""
    if shift * shift > CERTAIN_PRECISION * variance:
        return Atoms.certain()
    size = float(variance)
    reach = isqrt(int(2 * TAIL * variance)) + 2
    places = np.arange(-reach, reach + 1, dtype=np.float64)
    masses = np.exp(-places * places / (2 * size))
    # The sum of all weights is above √(2π·variance), and nearly equal from a variance of 64 on.
    masses /= masses.sum() if size < 64 else sqrt(2 * pi * size)
    rest = exp(-reach * reach / (2 * size)) / 2
    masses[-1] += rest
    losses = shift * (shift - 2 * places) / (2 * size)
    return Atoms.above(losses, masses, rest, Fraction(shift, 1 + shift % 2) / variance)


def gaussian_atoms(precision: Fraction) -> Atoms:
    """Continuous normal noise with Δ²/σ² = ``precision``, by integer noise on a fine lattice.

    Integer noise of variance v plus N(0, 2) is N(0, v + 2) up to a factor of 1 ± RIPPLE.
    """
    if precision > CERTAIN_PRECISION:
        return Atoms.certain()
    shift = int(KNOTS * sqrt(precision)) + 1
    variance = shift * shift / max(precision, Fraction(1, 1 << 28)) - ROUNDING
    return discrete_gaussian_atoms(variance, shift).raised(4.1 * RIPPLE, 1 + 2.1 * RIPPLE)
