"""The atoms of every kind of event: one rule each.

Sampling treats a unit that is removed and a unit that is added differently, so there are two
directions; all other events have the same atoms in both.  What is normal noise in the end is not
turned into atoms one by one but collected: precisions add up exactly.
Proof: docs/proofs/privacy-loss-distribution.md
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from math import exp, isqrt, log

import numpy as np

from discreet.accounting import loss_atoms
from discreet.accounting.composition import log_odds
from discreet.accounting.loss_atoms import RIPPLE, ROUNDING, Atoms
from discreet.accounting.loss_composition import composed
from discreet.accounting.loss_step import MOST_CELLS
from discreet.accounting.rounding import FUNCTION, UNIT, Floats, float_above
from discreet.exact import round_up
from discreet.privacy.events import (
    ApproximateEvent,
    BoundedRangeEvent,
    DiscreteGaussianEvent,
    DiscreteLaplaceEvent,
    Event,
    GaussianEvent,
    LaplaceEvent,
    PureEvent,
    RandomizedResponseEvent,
    SampledEvent,
    SimpleEvent,
    counted,
    refused,
)

_LARGEST_SUM = 1 << 20
"""Up to this variance integer noise has an atom for each integer; beyond, it counts as rounded
normal noise, which costs less than 1e-6 of ε."""

_LEAST_ROUNDED = 4
_EDGE = Fraction(1, 10**200)  # rates nearer to 0 or 1 have no logarithm in floats
_PRECISION_STEP = Fraction(1, 1 << 192)


class Direction(Enum):
    """Which of the two neighbors has the unit: the first one (it is removed) or the second."""

    REMOVE = "remove"
    ADD = "add"


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Normal noise of a total ``precision`` Δ²/σ², and all other events with their counts.

    ``roundings`` counts the coordinates in which integer noise was taken for rounded normal noise.
    Each costs at most COST in ε and multiplies δ by at most e^GROWTH.
    """

    precision: Fraction
    roundings: int
    others: tuple[tuple[SimpleEvent, int], ...]

    @staticmethod
    def of(event: Event) -> "Batch":
        """The batch of everything that the event is composed of."""
        precision, roundings, others = Fraction(0), 0, []
        for simple, count in counted(event).items():
            match simple:
                case GaussianEvent(variance=variance):
                    precision += round_up(count / variance, _PRECISION_STEP)
                case DiscreteGaussianEvent() if not _has_atoms(simple):
                    narrower = _rounded_variance(simple)
                    each = simple.squared_sensitivity / narrower
                    precision += round_up(count * each, _PRECISION_STEP)
                    roundings += count * _moving(simple)
                case _:
                    others.append((simple, count))
        others.sort(key=lambda group: (repr(group[0]), group[1]))
        return Batch(precision=precision, roundings=roundings, others=tuple(others))

    @property
    def is_directed(self) -> bool:
        """Whether the two directions differ."""
        return any(isinstance(simple, SampledEvent) for simple, _ in self.others)

    @property
    def cost(self) -> Fraction:
        """What the roundings add to ε."""
        return self.roundings * COST

    @property
    def growth(self) -> Fraction:
        """The logarithm of the factor by which the roundings multiply δ."""
        return self.roundings * GROWTH

    def atoms(self, direction: Direction) -> list[tuple[Atoms, int]]:
        """Dominating atoms of everything, with their counts."""
        groups = [(simple_atoms(simple, direction), count) for simple, count in self.others]
        if self.precision:
            normal = loss_atoms.gaussian_atoms(self.precision)
            if self.growth > 1:  # nothing is left of the bound
                normal = Atoms.certain()
            elif self.roundings:
                growth = exp(float_above(self.growth)) * (1 + FUNCTION)
                normal = normal.raised(float_above(self.cost), growth)
            groups.append((normal, 1))
        return groups


COST = Fraction(41 * RIPPLE) / 10
GROWTH = Fraction(21 * RIPPLE) / 10


@lru_cache(maxsize=64)
def simple_atoms(event: SimpleEvent, direction: Direction) -> Atoms:
    """Atoms that dominate one event."""
    match event:
        case PureEvent(epsilon=epsilon):
            return loss_atoms.pure_atoms(epsilon)
        case ApproximateEvent(epsilon=epsilon, delta=delta):
            return loss_atoms.pure_atoms(epsilon, delta)
        case LaplaceEvent(scale=scale):
            return loss_atoms.laplace_atoms(1 / scale)
        case DiscreteLaplaceEvent(scale=scale, sensitivity=sensitivity):
            return loss_atoms.discrete_laplace_atoms(scale, sensitivity)
        case DiscreteGaussianEvent(variance=variance, squared_sensitivity=squared):
            return loss_atoms.discrete_gaussian_atoms(variance, isqrt(squared))
        case RandomizedResponseEvent(categories=categories):
            return loss_atoms.response_atoms(log_odds(event), categories)
        case BoundedRangeEvent(epsilon=epsilon):
            return loss_atoms.bounded_range_atoms(epsilon)
        case SampledEvent(event=inner, rate=rate):
            return _sampled(_together(Batch.of(inner).atoms(direction)), rate, direction)
        case _:
            raise refused(event, "the privacy-loss accountant")


def _moving(event: DiscreteGaussianEvent) -> int:
    """How many coordinates one unit can move: integers whose squares add up to so much."""
    return min(event.coordinates, event.squared_sensitivity)


def _has_atoms(event: DiscreteGaussianEvent) -> bool:
    return _moving(event) == 1 and event.variance <= _LARGEST_SUM


def _rounded_variance(event: DiscreteGaussianEvent) -> Fraction:
    if event.variance < _LEAST_ROUNDED:
        raise refused(event, "the privacy-loss accountant (variance below 4, several coordinates)")
    return event.variance - ROUNDING


def _together(groups: Sequence[tuple[Atoms, int]]) -> Atoms:
    """One set of atoms that dominates all groups together."""
    if not groups:
        return loss_atoms.pure_atoms(Fraction(0))
    if len(groups) == 1 and groups[0][1] == 1:
        return groups[0][0]
    return composed(groups, lambda _: 0.0, MOST_CELLS >> 3).atoms()


def _sampled(atoms: Atoms, rate: Fraction, direction: Direction) -> Atoms:
    """The pair (A, B) becomes (rate·A + (1-rate)·B, B), or (A, (1-rate)·A + rate·B) in reverse."""
    if rate == 0:
        return loss_atoms.pure_atoms(Fraction(0))
    # A higher rate dominates a lower one: a part of the time its answer is drawn without the unit.
    rate = max(rate, _EDGE)
    if 1 - rate < _EDGE:
        return atoms
    share, rest = float(rate), float(1 - rate)
    if direction is Direction.ADD:
        # An infinite loss becomes -ln(1 - rate).
        losses = np.append(-_mixed(-atoms.losses, share, rest), -log(rest))
        return _raised(losses, np.append(atoms.masses, atoms.infinite), share, rest)
    second = atoms.masses * np.exp(-atoms.losses)
    covered = float(second.sum()) * (1 - 2 * (second.size + 8) * UNIT - 4 * FUNCTION)
    # Where B has mass and A has none the loss is ln(1 - rate).
    masses = np.append(rest * second + share * atoms.masses, rest * max(0.0, 1 - covered))
    losses = np.append(_mixed(atoms.losses, share, rest), log(rest))
    return _raised(losses, masses, share, rest, share * atoms.infinite)


def _mixed(losses: Floats, share: float, rest: float) -> Floats:
    """ln(rest + share·e^loss), where share + rest = 1."""
    change = share * np.expm1(losses)
    near = np.log1p(np.clip(change, -0.5, 0.5))
    far = np.logaddexp(log(rest), log(share) + losses)
    return np.where(np.abs(change) <= 0.5, near, far)


def _raised(
    losses: Floats, masses: Floats, share: float, rest: float, infinite: float = 0.0
) -> Atoms:
    """Atoms from losses that ``_mixed`` gave: off by 16·FUNCTION relatively, more if far from 0."""
    size = 1 - log(share) - log(rest)
    margin = np.abs(losses) * (16 * FUNCTION) + np.where(
        np.abs(losses) > 0.3, 8 * FUNCTION * (size + np.abs(losses)), 0.0
    )
    return Atoms.above(losses + margin, masses, infinite)
