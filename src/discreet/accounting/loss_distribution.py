"""The privacy-loss accountant: the tightest ε or δ of a batch that was fixed in advance.

Every event is replaced by finitely many losses that dominate it; those are convolved, and every
numerical error is added to δ.  Normal noise alone has a closed form, which is evaluated exactly.
Proof: docs/proofs/privacy-loss-distribution.md
"""

from fractions import Fraction
from math import inf

from discreet.accounting.loss_composition import ComposedLosses, composed, saddle_tilt
from discreet.accounting.loss_rules import Batch, Direction
from discreet.accounting.normal_batch import normal_delta, normal_epsilon
from discreet.accounting.rounding import float_below
from discreet.errors import PrivacyParameterError
from discreet.exact import round_up
from discreet.privacy.events import Event, not_negative
from discreet.privacy.parameters import read_delta

_STEP = Fraction(1, 10**12)
_FARTHEST = Fraction(10**30)  # no grid reaches as far


def loss_distribution_delta(event: Event, *, epsilon: object) -> Fraction:
    """A δ at which the batch is (ε,δ)-DP.

    >>> from discreet.privacy.events import LaplaceEvent, RepeatedEvent
    >>> batch = RepeatedEvent(event=LaplaceEvent(scale=10), count=100)
    >>> round(float(loss_distribution_delta(batch, epsilon=4.7)), 8)
    9.6e-07
    """
    level = not_negative(epsilon, "epsilon")
    batch = Batch.of(event)
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
    batch = Batch.of(event)
    if not batch.others:
        return normal_epsilon(batch, level)
    target = float_below(level)
    return max(
        _least_epsilon(_composed(batch, direction, delta=target), target)
        for direction in _directions(batch)
    )


def _directions(batch: Batch) -> tuple[Direction, ...]:
    return tuple(Direction) if batch.is_directed else (Direction.REMOVE,)


def _composed(
    batch: Batch,
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
