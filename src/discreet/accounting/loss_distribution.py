"""The privacy-loss accountant: the tightest ε or δ of a batch that was fixed in advance."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from math import ceil, erfc, exp, inf, isqrt, log, log2, sqrt

import numpy as np

from discreet.accounting import loss_atoms
from discreet.accounting.composition import log_odds
from discreet.accounting.loss_atoms import (
    FUNCTION,
    RIPPLE,
    ROUNDING,
    UNIT,
    Atoms,
    Floats,
    float_above,
    float_below,
)
from discreet.accounting.loss_composition import MOST_CELLS, ComposedLosses, composed, saddle_tilt
from discreet.errors import PrivacyParameterError
from discreet.exact import exp_minus, round_up, square_root
from discreet.exact.normal import gaussian_delta
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
    event_counts,
    no_rule_error,
    not_negative,
)
from discreet.privacy.losses import ZeroConcentratedDP, read_delta

_LARGEST_SUM = 1 << 20
"""Up to this variance integer noise has an atom for each integer; beyond, it counts as rounded
normal noise, which costs less than 1e-6 of ε."""

_LEAST_ROUNDED = 4
_EDGE = Fraction(1, 10**200)  # rates nearer to 0 or 1 have no logarithm in floats
_PRECISION_STEP = Fraction(1, 1 << 192)


COST = Fraction(41 * RIPPLE) / 10
GROWTH = Fraction(21 * RIPPLE) / 10
_STEP = Fraction(1, 10**12)
_ROOT_BITS = 192
_LARGEST = 10**9
_MOST_GROWTH = 32  # e^32 beside the 96 bits below δ
_FARTHEST = Fraction(10**30)  # no grid reaches as far


class Direction(Enum):
    """Which of the two neighbors has the unit: the first one (it is removed) or the second."""

    REMOVE = "remove"
    ADD = "add"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventBatch:
    """Normal noise of a total ``precision`` Δ²/σ², and all other events with their counts.

    ``roundings`` counts the coordinates in which integer noise was taken for rounded normal noise.
    Each costs at most COST in ε and multiplies δ by at most e^GROWTH.
    """

    precision: Fraction
    roundings: int
    others: tuple[tuple[SimpleEvent, int], ...]

    @staticmethod
    def of(event: Event) -> "EventBatch":
        """The batch of everything that the event is composed of."""
        precision, roundings, others = Fraction(0), 0, []
        for simple, count in event_counts(event).items():
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
        return EventBatch(precision=precision, roundings=roundings, others=tuple(others))

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
            return _sampled(_together(EventBatch.of(inner).atoms(direction)), rate, direction)
        case _:
            raise no_rule_error(event, "the privacy-loss accountant")


def _moving(event: DiscreteGaussianEvent) -> int:
    """The number of coordinates that one unit can move, given the sum of squared moves."""
    return min(event.coordinates, event.squared_sensitivity)


def _has_atoms(event: DiscreteGaussianEvent) -> bool:
    return _moving(event) == 1 and event.variance <= _LARGEST_SUM


def _rounded_variance(event: DiscreteGaussianEvent) -> Fraction:
    if event.variance < _LEAST_ROUNDED:
        raise no_rule_error(
            event, "the privacy-loss accountant (variance below 4, several coordinates)"
        )
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


def normal_delta(batch: EventBatch, epsilon: Fraction) -> Fraction:
    """The δ of the batch at ε, rounded up.

    >>> from discreet.privacy.events import GaussianEvent
    >>> one = EventBatch.of(GaussianEvent.of(sigma="4.2247"))
    >>> round(float(normal_delta(one, Fraction(1))), 9)
    1e-06
    """
    return _delta(batch, epsilon, 128)


def normal_epsilon(batch: EventBatch, delta: Fraction) -> Fraction:
    """The least ε of the batch at δ, rounded up to a multiple of 10^-12."""
    if batch.precision == 0:
        return Fraction(0)
    if delta == 0:
        raise PrivacyParameterError(
            "delta is 0. Normal noise bounds no pure ε, so it needs a δ above 0. Use something "
            "far below 1/(number of people), such as delta=1e-6."
        )
    if batch.growth > _MOST_GROWTH:
        raise PrivacyParameterError(
            "the batch has too many releases of integer noise of a large variance. Each counts as "
            "rounded normal noise, which costs about 1e-16 of ε. Use zcdp_epsilon, or compose "
            "fewer events."
        )
    bits = 96 + max(0, ceil(-_log2(delta)))
    if _delta(batch, Fraction(0), bits) <= delta:
        return Fraction(0)
    for proposal in _proposals(batch, delta):
        if _delta(batch, proposal, bits) <= delta:
            return proposal
    concentrated = ZeroConcentratedDP(rho=batch.precision / 2).to_approximate(delta=delta)
    high = round_up(concentrated.epsilon + batch.cost, _STEP)
    while _delta(batch, high, bits) > delta:  # the roundings may take a little more
        high *= 2
    return _bisected(batch, delta, high, bits)


def _proposals(batch: EventBatch, delta: Fraction) -> Iterator[Fraction]:
    """Multiples of 10^-12 a little above the ε that floats find; none where they fail."""
    if batch.precision > _LARGEST:
        return
    shift = sqrt(batch.precision)

    def float_delta(epsilon: float) -> float:
        near = (epsilon / shift - shift / 2) / sqrt(2)
        far = (epsilon / shift + shift / 2) / sqrt(2)
        return (erfc(near) - exp(epsilon) * erfc(far)) / 2

    low, high = 0.0, 600.0
    if float_delta(high) > delta or delta < 1e-200:
        return
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if float_delta(middle) > delta else (low, middle)
    least = Fraction(high) + batch.cost
    yield from (round_up(least + margin * _STEP, _STEP) for margin in (0, 1, 8, 64, 1024))


def _bisected(batch: EventBatch, delta: Fraction, high: Fraction, bits: int) -> Fraction:
    low = Fraction(0)
    while high - low > max(_STEP, high * _STEP):
        middle = round_up((low + high) / 2, _STEP)
        if middle == high:
            break
        low, high = (low, middle) if _delta(batch, middle, bits) <= delta else (middle, high)
    return high


def _delta(batch: EventBatch, epsilon: Fraction, bits: int) -> Fraction:
    if batch.precision == 0:
        return Fraction(0)
    if epsilon < batch.cost:
        return Fraction(1)
    _, shift = square_root(batch.precision, _ROOT_BITS)
    _, high = gaussian_delta(
        epsilon - batch.cost, Fraction(shift, 1 << _ROOT_BITS), Fraction(1), bits
    )
    shrink, _ = exp_minus(batch.growth, bits)
    return min(Fraction(1), Fraction(high, shrink)) if shrink else Fraction(1)


def _log2(value: Fraction) -> float:
    return log2(value.numerator) - log2(value.denominator)


def loss_distribution_delta(event: Event, *, epsilon: object) -> Fraction:
    """A δ at which the batch is (ε,δ)-DP.

    >>> from discreet.privacy.events import LaplaceEvent, RepeatedEvent
    >>> batch = RepeatedEvent(event=LaplaceEvent(scale=10), count=100)
    >>> round(float(loss_distribution_delta(batch, epsilon=4.7)), 8)
    9.6e-07
    """
    level = not_negative(epsilon, "epsilon")
    batch = EventBatch.of(event)
    if not batch.others:
        return normal_delta(batch, level)
    target = float_below(min(level, _FARTHEST))
    return max(
        Fraction(_composed(batch, direction, epsilon=target).delta(target))
        for direction in _directions(batch)
    )


def loss_distribution_epsilon(event: Event, *, delta: object) -> Fraction:
    """An ε at which the batch is (ε,δ)-DP.

    >>> from discreet.privacy.events import LaplaceEvent, RepeatedEvent
    >>> batch = RepeatedEvent(event=LaplaceEvent(scale=10), count=100)
    >>> round(float(loss_distribution_epsilon(batch, delta=1e-6)), 3)
    4.693
    """
    level = read_delta(delta)
    batch = EventBatch.of(event)
    if not batch.others:
        return normal_epsilon(batch, level)
    target = float_below(level)
    return max(
        _least_epsilon(_composed(batch, direction, delta=target), target)
        for direction in _directions(batch)
    )


def _directions(batch: EventBatch) -> tuple[Direction, ...]:
    return tuple(Direction) if batch.is_directed else (Direction.REMOVE,)


def _composed(
    batch: EventBatch,
    direction: Direction,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
) -> ComposedLosses:
    return composed(batch.atoms(direction), lambda groups: saddle_tilt(groups, epsilon, delta))


def _least_epsilon(losses: ComposedLosses, delta: float) -> Fraction:
    """About the least ε whose bound is at most δ; the bound of what is returned was computed."""
    proposal, margin = max(0.0, losses.epsilon_near(delta)), 1e-12
    while proposal < inf and margin < 4:
        if losses.delta(proposal) <= delta:
            return round_up(Fraction(proposal), _STEP)
        proposal, margin = proposal * (1 + margin) + margin * losses.step, 4 * margin
    raise PrivacyParameterError(
        "no ε was found at this delta. The events leak with a probability of their own, and below "
        "it no ε exists. Use a larger delta, or events with a smaller one."
    )
