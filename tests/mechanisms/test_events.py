"""What a ledger writes down for each mechanism that a release uses."""

from fractions import Fraction

import pytest

from discreet.accounting import Totals, charge
from discreet.errors import PrivacyParameterError
from discreet.mechanisms import Exponential, Gaussian, Laplace, NoisyMax, PermuteAndFlip
from discreet.mechanisms.additive_noise import Mechanism
from discreet.mechanisms.extremes import HighestCell, NearMaximum
from discreet.mechanisms.key_selection import best_selection
from discreet.mechanisms.quantiles import Quantiles
from discreet.privacy.events import (
    ApproximateEvent,
    BoundedRangeEvent,
    DiscreteGaussianEvent,
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
CHOICES = [NoisyMax(scale=4), PermuteAndFlip(scale=4)]
DRAWS = [
    Exponential(scale=4),
    Quantiles(probabilities=(HALF,), epsilon=HALF, width=9),
    NearMaximum(epsilon=HALF, width=9),
]


@pytest.mark.parametrize("mechanism", CHOICES, ids=lambda one: type(one).__name__)
def test_a_choice_is_kept_as_the_loss_that_was_promised(mechanism: Mechanism) -> None:
    moved = Sensitivity(l1=1)
    assert mechanism.event(moved, PURE) == PureEvent(epsilon=HALF)
    assert mechanism.event(moved, PureDP(epsilon=3)) == PureEvent(epsilon=3)
    assert mechanism.event(moved, APPROXIMATE) == ApproximateEvent(epsilon=HALF, delta=TINY)


@pytest.mark.parametrize("mechanism", DRAWS, ids=lambda one: type(one).__name__)
def test_a_draw_is_kept_as_the_range_that_was_promised(mechanism: Mechanism) -> None:
    moved = Sensitivity(l1=1)
    assert mechanism.event(moved, PURE) == BoundedRangeEvent(epsilon=HALF)
    assert mechanism.event(moved, PureDP(epsilon=3)) == BoundedRangeEvent(epsilon=3)
    assert mechanism.event(moved, ApproximateDP(epsilon=3, delta=0)) == BoundedRangeEvent(epsilon=3)
    assert mechanism.event(moved, APPROXIMATE) == ApproximateEvent(epsilon=HALF, delta=TINY)
    assert charge(mechanism.event(moved, PURE)).rho == HALF**2 / 8


@pytest.mark.parametrize(("relation", "moved"), [(Neighbors.ADD_REMOVE, 3), (Neighbors.REPLACE, 6)])
def test_what_is_read_off_a_noisy_histogram_is_kept_as_its_noise(
    relation: Neighbors, moved: int
) -> None:
    mechanism = HighestCell(epsilon=HALF, width=9, neighbors=relation, share=3)
    event = mechanism.event(Sensitivity(l1=1), PURE)
    assert event == DiscreteLaplaceEvent(scale=2 * moved, sensitivity=moved)
    assert charge(event).epsilon == HALF


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


@pytest.mark.parametrize("loss", [PURE, APPROXIMATE, None])
@pytest.mark.parametrize("grid", [1, 4, "1/8"])
def test_gaussian_noise_is_kept_as_it_was_made(
    loss: PureDP | ApproximateDP | None, grid: object
) -> None:
    step = Fraction(grid)
    noise = Gaussian(sigma=12 * step, grid=grid)
    event = noise.event(Sensitivity(squared_l2=20 * step**2), loss)
    assert event == DiscreteGaussianEvent(variance=144, squared_sensitivity=20, coordinates=20)
    assert charge(event) == Totals(epsilon=None, rho=Fraction(20, 288))
    assert charge(event).rho == noise.loss(Sensitivity(squared_l2=20 * step**2)).rho


def test_no_more_coordinates_move_than_the_norms_allow() -> None:
    noise = Gaussian(sigma=12)
    assert noise.event(Sensitivity(l1=8, squared_l2=20), PURE).coordinates == 8
    assert noise.event(Sensitivity(squared_l2=20), PURE, dimension=3).coordinates == 3
    assert noise.event(Sensitivity(squared_l2=2**80), PURE).coordinates == 2**64
    one = noise.event(Sensitivity(l2="5/2"), PURE, dimension=1)
    assert (one.squared_sensitivity, one.coordinates) == (9, 1)
    with pytest.raises(PrivacyParameterError, match="not the root of a whole number"):
        noise.event(Sensitivity(l2="5/2"), PURE)


def test_a_gaussian_count_is_charged_its_own_rho_and_not_that_of_its_promise() -> None:
    noise = Gaussian.calibrated(sensitivity=1, epsilon=1, delta=TINY)
    promised = ApproximateDP(epsilon=1, delta=TINY)
    assert round(float(charge(noise.event(Sensitivity(l2=1), promised)).rho), 4) == 0.0279
    assert round(float(charge(loss_event(promised)).rho), 3) == 0.462


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
