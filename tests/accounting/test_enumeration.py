"""Every accountant against exact enumeration on small domains: never on the unsafe side."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest

from discreet.accounting import (
    basic_loss,
    batch_delta,
    batch_epsilon,
    loss_distribution_delta,
    loss_distribution_epsilon,
    optimal_delta,
    optimal_epsilon,
    renyi_delta,
    renyi_epsilon,
    zcdp_delta,
    zcdp_epsilon,
)
from discreet.errors import PrivacyParameterError
from discreet.privacy.events import (
    ApproximateEvent,
    BoundedRangeEvent,
    ComposedEvent,
    DiscreteGaussianEvent,
    DiscreteLaplaceEvent,
    Event,
    GaussianEvent,
    LaplaceEvent,
    PureEvent,
    RandomizedResponseEvent,
    RepeatedEvent,
    SampledEvent,
)
from tests.accounting import loss_twins as twins

DELTAS: dict[str, Callable[..., Fraction]] = {
    "zcdp": zcdp_delta,
    "renyi": renyi_delta,
    "optimal": optimal_delta,
    "loss distribution": loss_distribution_delta,
    "batch": batch_delta,
}
EPSILONS: dict[str, Callable[..., Fraction]] = {
    "zcdp": zcdp_epsilon,
    "renyi": renyi_epsilon,
    "optimal": optimal_epsilon,
    "loss distribution": loss_distribution_epsilon,
    "batch": batch_epsilon,
}
COUNTS = (1, 2, 5)
LEVELS = [Fraction(number, 8) for number in (0, 1, 3, 5, 8, 11, 16, 24)]
TOLERATED = [Fraction(1, 10**exponent) for exponent in (1, 2, 4, 6, 9, 15)]

third, half, one = Fraction(1, 3), Fraction(1, 2), Fraction(1)
coin = twins.response(twins.growth(half))
mixture = Fraction(1, 4)

# An event, and the pairs of laws that it stands for: all of them have to be covered.
CASES: dict[str, tuple[Event, list[twins.Pair]]] = {
    "pure": (PureEvent(epsilon=half), [coin]),
    "pure, large": (PureEvent(epsilon=2), [twins.response(twins.growth(Fraction(2)))]),
    "approximate": (
        ApproximateEvent(epsilon=half, delta="1e-7"),
        [twins.leaking(coin, Fraction(1, 10**7))],
    ),
    "two coins": (RandomizedResponseEvent(odds=3), [twins.response(Fraction(3))]),
    "five categories": (
        RandomizedResponseEvent(odds=3, categories=5),
        [twins.response(Fraction(3), 5)],
    ),
    "thirty categories": (
        RandomizedResponseEvent(epsilon=1, categories=30),
        [twins.response(twins.growth(one), 30)],
    ),
    "integer Laplace, one step": (
        DiscreteLaplaceEvent(scale=2, sensitivity=1),
        [twins.discrete_laplace(Fraction(2), 1)],
    ),
    "integer Laplace, three steps": (
        DiscreteLaplaceEvent(scale=3, sensitivity=3),
        [
            twins.discrete_laplace(Fraction(3), 3),
            twins.discrete_laplace(Fraction(3), 2),
            twins.joint([twins.discrete_laplace(Fraction(3), 1)] * 3),
            twins.joint([twins.discrete_laplace(Fraction(3), d) for d in (1, 2)]),
        ],
    ),
    "integer Laplace, narrow": (
        DiscreteLaplaceEvent(scale="1/2", sensitivity=2),
        [
            twins.discrete_laplace(half, 2),
            twins.joint([twins.discrete_laplace(half, 1)] * 2),
        ],
    ),
    "Laplace, in cells": (LaplaceEvent(scale=1), [twins.laplace(one, 12)]),
    "Gaussian, in cells": (GaussianEvent.of(sigma=1), [twins.gaussian(one, 7, 2)]),
    "sampled Gaussian, in cells": (
        SampledEvent(event=GaussianEvent.of(sigma=1), rate=mixture),
        [twins.sampled(twins.gaussian(one, 7, 1), mixture)],
    ),
    "integer Gaussian": (
        DiscreteGaussianEvent(variance=2, squared_sensitivity=1),
        [twins.discrete_gaussian(Fraction(2), 1, 24)],
    ),
    "integer Gaussian, narrow": (
        DiscreteGaussianEvent(variance="1/4", squared_sensitivity=1),
        [twins.discrete_gaussian(Fraction(1, 4), 1, 8)],
    ),
    "integer Gaussian, five": (
        DiscreteGaussianEvent(variance=6, squared_sensitivity=5, coordinates=1),
        [twins.discrete_gaussian(Fraction(6), shift, 36) for shift in (1, 2)],
    ),
    "integer Gaussian, two coordinates": (
        DiscreteGaussianEvent(variance=5, squared_sensitivity=2, coordinates=2),
        [twins.joint([twins.discrete_gaussian(Fraction(5), 1, 26)] * 2)],
    ),
    "exponential": (
        BoundedRangeEvent(epsilon=1),
        [
            twins.exponential(
                (0, 1, 2), tuple(a + b for a, b in zip((0, 1, 2), move, strict=True)), half
            )
            for move in product((-1, 0, 1), repeat=3)
        ],
    ),
    "monotone exponential": (
        BoundedRangeEvent(epsilon=1),
        [
            twins.exponential((0, 3), tuple(a + b for a, b in zip((0, 3), move, strict=True)), one)
            for move in product((0, 1), repeat=2)
        ],
    ),
    "sampled response": (
        SampledEvent(event=PureEvent(epsilon=2), rate=mixture),
        [twins.sampled(twins.response(twins.growth(Fraction(2))), mixture)],
    ),
    "sampled Laplace": (
        SampledEvent(event=DiscreteLaplaceEvent(scale=2, sensitivity=3), rate=mixture),
        [twins.sampled(twins.discrete_laplace(Fraction(2), 3), mixture)],
    ),
    "sampled leak": (
        SampledEvent(event=ApproximateEvent(epsilon=1, delta="1e-5"), rate=mixture),
        [
            twins.sampled(
                twins.leaking(twins.response(twins.growth(one)), Fraction(1, 10**5)), mixture
            )
        ],
    ),
    "sampled twice": (
        SampledEvent(event=SampledEvent(event=PureEvent(epsilon=2), rate=half), rate=half),
        [twins.sampled(twins.response(twins.growth(Fraction(2))), mixture)],
    ),
    "sampled pair": (
        SampledEvent(event=RepeatedEvent(event=PureEvent(epsilon=1), count=2), rate=mixture),
        [twins.sampled(twins.joint([twins.response(twins.growth(one))] * 2), mixture)],
    ),
    "sampled exponential": (
        SampledEvent(event=BoundedRangeEvent(epsilon=1), rate=mixture),
        [twins.sampled(twins.exponential((0, 3), (1, 3), one), mixture)],
    ),
}


QUICK = (
    "pure",
    "approximate",
    "five categories",
    "integer Laplace, three steps",
    "Laplace, in cells",
    "integer Gaussian",
    "exponential",
    "sampled Gaussian, in cells",
)
"""One of every family."""
FIVEFOLD = ("pure", "approximate", "two coins", "integer Laplace, narrow", "sampled response")
"""Those of which five together are enumerated on every change; of the others two, which are priced
as one is and then composed, and more in a soak."""


def repeated(names: Iterable[str]) -> list[Any]:
    """Every case by itself and with itself."""
    found = []
    for name, count in product(names, COUNTS):
        quick = pytest.param(name, count)
        slow = pytest.param(name, count, marks=pytest.mark.slow)
        soak = pytest.param(name, count, marks=pytest.mark.soak)
        if count == 5:
            found.append(slow if name in FIVEFOLD else soak)
        elif name in QUICK:
            found.append(quick)
        else:
            found.append(slow if count == 2 else soak)
    return found


@cache
def truths(name: str, count: int) -> list[twins.Losses]:
    """The composed laws of every pair with itself, in both directions."""
    _, pairs = CASES[name]
    if "in cells" in name:
        count = min(count, 2)  # without a lattice of losses there are too many; fewer have less δ
    both = [direction for pair in pairs for direction in (pair, twins.swapped(pair))]
    return [twins.composed([pair] * count) for pair in both]


@pytest.mark.parametrize(("name", "count"), repeated(CASES))
def test_no_accountant_is_below_the_enumeration(name: str, count: int) -> None:
    event = RepeatedEvent(event=CASES[name][0], count=count)
    laws = truths(name, count)
    for epsilon in LEVELS:
        truth = max(twins.delta(law, epsilon) for law in laws) - twins.NEGLIGIBLE
        for accountant, price in DELTAS.items():
            try:
                claimed = price(event, epsilon=epsilon)
            except PrivacyParameterError:
                assert accountant == "optimal"
                assert basic_loss(event) is None
                continue
            assert claimed >= truth, (accountant, float(epsilon))
    for delta in TOLERATED:
        for accountant, price in EPSILONS.items():
            try:
                claimed = price(event, delta=delta)
            except PrivacyParameterError:
                continue  # no ε exists, or none is provable
            truth = max(twins.delta(law, claimed) for law in laws) - twins.NEGLIGIBLE
            assert truth <= delta, (accountant, float(delta))
    loss = basic_loss(event)
    if loss is not None:
        assert max(twins.delta(law, loss.epsilon) for law in laws) - twins.NEGLIGIBLE <= loss.delta


TIGHT = [
    "pure",
    "pure, large",
    "approximate",
    "two coins",
    "five categories",
    "thirty categories",
    "integer Laplace, one step",
    "integer Laplace, three steps",
    "integer Laplace, narrow",
    "integer Gaussian",
    "integer Gaussian, narrow",
    "integer Gaussian, five",
    "sampled response",
    "sampled Laplace",
    "sampled leak",
    "sampled twice",
    "sampled pair",
]


@pytest.mark.parametrize(("name", "count"), repeated(TIGHT))
def test_loss_distributions_are_close_to_the_enumeration(name: str, count: int) -> None:
    event = RepeatedEvent(event=CASES[name][0], count=count)
    laws = truths(name, count)
    near = Fraction(1, 5000)
    for epsilon in LEVELS[1:]:
        claimed = loss_distribution_delta(event, epsilon=epsilon)
        nearby = max(twins.delta(law, epsilon - near) for law in laws)
        assert claimed <= nearby * (1 + near) + Fraction(1, 10**12)


@pytest.mark.parametrize("count", COUNTS)
def test_optimal_composition_is_the_enumeration(count: int) -> None:
    for name in ("pure", "approximate", "pure, large"):
        event = RepeatedEvent(event=CASES[name][0], count=count)
        law = twins.composed([CASES[name][1][0]] * count)
        for epsilon in LEVELS:
            truth = twins.delta(law, epsilon)
            assert abs(optimal_delta(event, epsilon=epsilon) - truth) < twins.NEGLIGIBLE


@pytest.mark.slow
def test_different_events_together_are_not_below_the_enumeration() -> None:
    names = ("pure", "two coins", "integer Laplace, three steps", "sampled response", "approximate")
    event = ComposedEvent(events=tuple(CASES[name][0] for name in names))
    pairs = [CASES[name][1][0] for name in names]
    laws = [twins.composed(pairs), twins.composed([twins.swapped(pair) for pair in pairs])]
    for epsilon in LEVELS:
        truth = max(twins.delta(law, epsilon) for law in laws) - twins.NEGLIGIBLE
        for price in (zcdp_delta, renyi_delta, loss_distribution_delta, batch_delta):
            assert price(event, epsilon=epsilon) >= truth
        nearby = max(twins.delta(law, epsilon - Fraction(1, 2000)) for law in laws)
        assert loss_distribution_delta(event, epsilon=epsilon) <= nearby * Fraction(1001, 1000)


def test_continuous_laplace_would_understate_integer_noise() -> None:
    # Why integer noise has an event of its own: one step at scale 2 is randomized response.
    truth = twins.delta(twins.composed([twins.discrete_laplace(Fraction(2), 1)]), Fraction(1, 4))
    assert loss_distribution_delta(LaplaceEvent(scale=2), epsilon=0.25) < truth
    assert (
        loss_distribution_delta(DiscreteLaplaceEvent(scale=2, sensitivity=1), epsilon=0.25) >= truth
    )
