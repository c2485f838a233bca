"""What a ledger writes down for each mechanism that a release uses."""

from fractions import Fraction

import pytest

from discreet.accounting import charge
from discreet.errors import PrivacyParameterError
from discreet.mechanisms import Exponential, Gaussian, Laplace, NoisyMax, PermuteAndFlip
from discreet.mechanisms.additive_noise import Mechanism
from discreet.mechanisms.extremes import HighestCell, NearMaximum
from discreet.mechanisms.key_selection import best_selection
from discreet.mechanisms.quantiles import Quantiles
from discreet.privacy.events import (
    ApproximateEvent,
    DiscreteLaplaceEvent,
    Event,
    PureEvent,
    loss_event,
)
from discreet.privacy.losses import ApproximateDP, PureDP
from discreet.privacy.sensitivity import Neighbors, Sensitivity

HALF = Fraction(1, 2)
TINY = Fraction(1, 10**6)
PURE = PureDP(epsilon=HALF)
APPROXIMATE = ApproximateDP(epsilon=HALF, delta=TINY)
CHOICES = [Exponential(scale=4), NoisyMax(scale=4), PermuteAndFlip(scale=4)]
DRAWS = [
    Quantiles(probabilities=(HALF,), epsilon=HALF, width=9),
    NearMaximum(epsilon=HALF, width=9),
    HighestCell(epsilon=HALF, width=9, neighbors=Neighbors.REPLACE),
]


@pytest.mark.parametrize("mechanism", [*CHOICES, *DRAWS], ids=lambda one: type(one).__name__)
def test_a_choice_is_kept_as_the_loss_that_was_promised(mechanism: Mechanism) -> None:
    moved = Sensitivity(l1=1)
    assert mechanism.event(moved, PURE) == PureEvent(epsilon=HALF)
    assert mechanism.event(moved, PureDP(epsilon=3)) == PureEvent(epsilon=3)
    assert mechanism.event(moved, APPROXIMATE) == ApproximateEvent(epsilon=HALF, delta=TINY)


@pytest.mark.parametrize("grid", [1, 4, "1/8"])
@pytest.mark.parametrize("moved", [4, 12, 4000])
def test_laplace_noise_is_kept_as_it_was_made_and_costs_what_it_states(
    grid: object, moved: int
) -> None:
    noise = Laplace.calibrated(sensitivity=moved, epsilon=HALF, grid=grid)
    steps = moved / Fraction(grid)
    event = noise.event(Sensitivity(l1=moved), PURE)
    assert event == DiscreteLaplaceEvent(scale=2 * steps, sensitivity=int(steps))
    assert charge(event).epsilon == noise.loss(Sensitivity(l1=moved)).epsilon == HALF


def test_a_move_between_grid_points_has_no_event() -> None:
    with pytest.raises(PrivacyParameterError, match="not a whole number of steps"):
        Laplace(scale=2).event(Sensitivity(l1=HALF), PURE)


def test_gaussian_noise_is_kept_as_its_promise_and_never_as_a_pure_one() -> None:
    noise = Gaussian.calibrated(sensitivity=1, epsilon=HALF, delta=TINY)
    kept = noise.event(Sensitivity(l2=1), APPROXIMATE)
    assert kept == ApproximateEvent(epsilon=HALF, delta=TINY)
    for pure in (PURE, ApproximateDP(epsilon=HALF, delta=0)):
        with pytest.raises(PrivacyParameterError, match="no pure ε"):
            noise.event(Sensitivity(l2=1), pure)


@pytest.mark.parametrize(("groups", "counts"), [(1, False), (1, True), (8, True)])
def test_a_selection_of_keys_knows_its_own_event(groups: int, counts: bool) -> None:
    mechanism = best_selection(epsilon=HALF, delta=TINY, groups=groups, counts=counts)
    own = ApproximateEvent(epsilon=HALF, delta=TINY)
    assert mechanism.event() == own == loss_event(mechanism.loss())
    asked: Mechanism = mechanism  # as a release asks any mechanism
    assert asked.event(Sensitivity(l1=1), PureDP(epsilon=9)) == own


@pytest.mark.parametrize(
    ("loss", "event"),
    [
        (PURE, PureEvent(epsilon=HALF)),
        (APPROXIMATE, ApproximateEvent(epsilon=HALF, delta=TINY)),
        (ApproximateDP(epsilon=HALF, delta=0), ApproximateEvent(epsilon=HALF, delta=0)),
    ],
)
def test_a_loss_alone_makes_an_event_of_its_kind(
    loss: PureDP | ApproximateDP, event: Event
) -> None:
    assert loss_event(loss) == event
