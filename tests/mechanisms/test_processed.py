"""A function of outputs: its law is the sum over the outputs, and what cannot be is refused."""

from copy import copy
from datetime import datetime
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from itertools import product
from math import exp
from typing import NamedTuple

import numpy as np
import pytest

from discreet.errors import DataError, PrivacyParameterError, VerificationError
from discreet.local import ApproximateResponse, RandomizedResponse
from discreet.mechanisms import (
    Exponential,
    Gaussian,
    Laplace,
    NameAndShame,
    NoisyMax,
    Processed,
)
from discreet.noise import UnsafeSeededBits
from discreet.privacy.losses import ApproximateDP, PureDP, ZeroConcentratedDP
from discreet.privacy.sensitivity import Sensitivity
from discreet.privacy.verification import verify
from tests.support.evidence import fits


def same(output):
    return output


class TestTheLaw:
    @pytest.mark.parametrize("center", [-9, -2, 0, 3, 12])
    @pytest.mark.parametrize("noise", [Laplace(scale="3/2"), Gaussian(sigma="5/2")])
    def test_clamping_adds_up_the_sides(self, noise, center):
        low, high = -2, 3
        law = Processed(noise, same, clamp=(low, high)).law(center)
        points = {at: noise.pmf(at - center) for at in range(-80, 81)}
        for at in range(low + 1, high):
            assert law.probability(at) == pytest.approx(points[at], rel=1e-12)
        below = sum(chance for at, chance in points.items() if at <= low)
        above = sum(chance for at, chance in points.items() if at >= high)
        assert law.probability(low) == pytest.approx(below, abs=1e-14)
        assert law.probability(high) == pytest.approx(above, abs=1e-14)

    @pytest.mark.parametrize("noise", [Laplace(scale=2), Gaussian(sigma=2)])
    def test_one_point_is_certain(self, noise):
        law = Processed(noise, same, clamp=(4, 4)).law(0)
        assert law.probability(4) == 1

    def test_a_grid_is_kept(self):
        fine = Processed(Laplace(scale=1, grid="1/4"), same, clamp=(0, 0.5)).law(0)
        assert fine.outcomes == (0, 0.25, 0.5)
        assert verify(
            Processed(Laplace(scale=1, grid="1/4"), same, clamp=(0, 0.5)), 0, 0.25
        ).epsilon

    def test_ratios_that_are_powers_of_e_are_found_exactly(self):
        flipped = Processed(RandomizedResponse(epsilon=1), lambda bit: 1 - bit)
        assert verify(flipped, 0, 1).epsilon == 1
        merged = Processed(Exponential(scale=3), lambda index: index % 2)
        assert verify(merged, [0, 0, 1, 1], [1, 1, 0, 0]).epsilon == 0

    def test_a_law_that_is_only_enclosed_is_processed_too(self):
        scores, moved = [3, 1, 2], [2, 2, 2]
        first = Processed(NoisyMax(scale=2), lambda index: index > 0)
        alone = NoisyMax(scale=2).law(scores)
        expected = alone.probability(1) + alone.probability(2)
        assert first.law(scores).probability(True) == pytest.approx(expected, rel=1e-12)
        assert (
            verify(first, scores, moved).epsilon <= verify(NoisyMax(scale=2), scores, moved).epsilon
        )
        mixed = Processed(
            [NoisyMax(scale=2), RandomizedResponse(epsilon=1)], lambda i, bit: (i, bit)
        )
        assert mixed.law([scores, 1]).probability((0, 1)) == pytest.approx(
            alone.probability(0) * exp(1) / (1 + exp(1)), rel=1e-12
        )

    def test_many_coordinates_come_as_a_tuple(self):
        total = Processed(RandomizedResponse.two_coin(), sum)
        assert total.law([1, 1, 0]).known(3) == Fraction(9, 64)
        assert sum(total.law([1, 1, 0]).known(at) for at in range(4)) == 1
        assert total([1, 1, 0]) in range(4)

    def test_processing_can_be_nested(self):
        inner = Processed(Laplace(scale=2), lambda output: output // 2, clamp=(-4, 5))
        outer = Processed([inner, inner], lambda x, y: {max(x, y): "2/3", 9: "1/3"})
        assert verify(outer, (0, 0), (1, 1)).epsilon <= 1
        assert outer.loss(Sensitivity(l1=1), Sensitivity(l1=2)) == PureDP(epsilon="3/2")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("processed", "value"),
    [
        (Processed(Laplace(scale=2), lambda y: {y % 3: "1/2", 3: "1/2"}, clamp=(-4, 6)), 1),
        (Processed(Gaussian(sigma=2), abs, clamp=(-4, 6)), 1),
        (Processed([RandomizedResponse(epsilon=1)] * 2, lambda x, y: x + y), [1, 0]),
    ],
    ids=["laplace", "gaussian", "pair"],
)
def test_draws_are_of_the_law(processed, value):
    source = UnsafeSeededBits(3)
    draws = [processed(value, source=source) for _ in range(20_000)]
    law = processed.law(value)
    chances = {outcome: law.probability(outcome) for outcome in law.outcomes}
    assert fits(draws, chances)
    first, second = sorted(chances, key=chances.get)[-2:]
    swapped = chances | {first: chances[second], second: chances[first]}
    assert not fits(draws, swapped), "the check can fail"


class Named(NamedTuple):
    at: float


class Level(IntEnum):
    ONE = 1


LOOKALIKES = [
    (-0.0, 0.0),
    (True, 1),
    (1, 1.0),
    (Fraction(1), 1),
    (Fraction(1, 2), 0.5),
    (Decimal("0.1"), Fraction(1, 10)),
    (np.float64(-0.0), 0),
    (np.longdouble(2), 2),
    (1 + 0j, 1),
    (complex(-0.0, 1), 1j),
    (complex("nan+1j"), float("nan")),
    (float("nan"), -float("nan")),
    (Decimal("NaN"), float("nan")),
    (float("inf"), Decimal("Infinity")),
    (Level.ONE, 1),
    (Named(2.0), (2,)),
    ((1, (True, -0.0)), (1.0, (1, 0))),
    (np.array([1.0, 2.0]), (1, 2)),
    (frozenset([0, 8]), frozenset([8, False])),
    (np.str_("yes"), "yes"),
]


def looks(value):
    """All that can be seen of an outcome: its type and how it is written, and those of parts."""
    parts = tuple(map(looks, value)) if isinstance(value, tuple | frozenset) else ()
    return type(value), repr(value), parts


@pytest.mark.parametrize(("one", "other"), LOOKALIKES)
def test_an_output_shows_no_more_than_the_law_tells_apart(one, other):
    """The function tells the sign of the noise by values that compare equal, or by fresh NaNs."""
    noise = Laplace(scale="1/9")  # within 10 of its center but with a chance of 10^-38
    told = Processed(noise, lambda y: copy(one) if y < 0 else copy(other), clamp=(-3, 3))
    assert verify(told, -10, 10).epsilon == 0
    assert looks(told(-10)) == looks(told(10)) == looks(told.law(0).outcomes[0])
    nested = Processed(noise, lambda y: ("a", one if y < 0 else other), clamp=(-3, 3))
    assert looks(nested(-10)) == looks(nested(10)) == looks(nested.law(0).outcomes[0])


def test_what_differs_is_told_apart():
    """The negative control: 1 and 2 are two outcomes, and so are 0.1 and one tenth."""
    noise = Laplace(scale=2)
    for one, other in [(1, 2), (0.1, Fraction(1, 10)), ("1", 1), (None, 0), ((1,), 1)]:
        told = Processed(noise, lambda y, pair=(one, other): pair[y < 0], clamp=(-3, 3))
        assert verify(told, 0, 1).epsilon > 0
        assert set(map(looks, told.law(0).outcomes)) == {looks(one), looks(other)}


def test_chances_of_outcomes_of_one_form_add_up():
    nans = Processed(
        RandomizedResponse(epsilon=1),
        lambda bit: {float("nan"): "1/4", -float("nan"): "1/4", float(bit): "1/2"},
    )
    law = nans.law(1)
    shown = {repr(outcome): law.probability(outcome) for outcome in law.outcomes}
    assert len(law.outcomes) == len(shown) == 3
    assert shown["nan"] == 0.5


@pytest.mark.parametrize("noise", [Laplace(scale=1, grid="1/4"), Laplace(scale=1)])
def test_the_function_sees_of_a_draw_what_it_sees_of_the_law(noise):
    """An end of the clamp is an int and an output on a fine grid a float: both are written alike.

    Each output has a chance of 0.01 or more: one is missing in 5,000 draws with less than 10^-20.
    """
    written = Processed(noise, repr, clamp=(-1, 0.5 if noise.grid.step < 1 else 1))
    source = UnsafeSeededBits(4)
    drawn = {written(0, source=source) for _ in range(5_000)}
    assert drawn == set(written.law(0).outcomes)


def test_losses_of_different_kinds_add_up():
    both = Processed([Gaussian(sigma=2), RandomizedResponse(epsilon=1)], lambda x, y: x)
    assert both.loss(Sensitivity(l2=1)) == ZeroConcentratedDP(rho="5/8")


def test_losses_that_have_no_sum_are_refused_and_the_remedy_works():
    gaussian, response = Gaussian(sigma=2), ApproximateResponse(epsilon=1, delta=1e-6)
    shamed, unit = NameAndShame(delta=0.01), Sensitivity(l2=1)
    for mechanisms, given in [
        ([gaussian, response], [unit]),
        ([response, gaussian, RandomizedResponse(epsilon=1)], [unit]),
        ([shamed, gaussian], [unit]),
        ([shamed, RandomizedResponse(epsilon=1)], []),
        ([Processed([response], abs), gaussian], [unit]),
    ]:
        mixed = Processed(mechanisms, lambda *outputs: 0)
        with pytest.raises(PrivacyParameterError, match=r"have no sum.*to_approximate\("):
            mixed.loss(*given)
    parts = gaussian.loss(unit).to_approximate(delta=1e-6), response.loss
    assert parts[0] + parts[1] == ApproximateDP(
        epsilon=parts[0].epsilon + 1, delta=Fraction(2, 10**6)
    )
    plain = Processed([response, RandomizedResponse(epsilon=1)], lambda x, y: x)
    assert plain.loss() == ApproximateDP(epsilon=2, delta=1e-6)


def test_it_is_written_as_it_was_made():
    assert repr(Processed(Laplace(scale=2), abs, clamp=(0, 9))) == (
        "Processed(Laplace(scale=2), abs, clamp=(0, 9))"
    )
    two = Processed([Laplace(scale=2), RandomizedResponse(epsilon=1)], max)
    assert repr(two) == "Processed([Laplace(scale=2), RandomizedResponse(epsilon=1)], max)"


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Processed([], same), PrivacyParameterError, "a mechanism is missing"),
        (lambda: Processed(3, same), PrivacyParameterError, "has no exact law"),
        (lambda: Processed(Laplace(scale=2), 3), PrivacyParameterError, "cannot be called"),
        (lambda: Processed(Laplace(scale=2), abs, clamp=3), PrivacyParameterError, "not a pair"),
        (lambda: Processed(Laplace(scale=2), abs, clamp=(2, 1)), PrivacyParameterError, "above"),
        (lambda: Processed(Laplace(scale=2), abs).law(0), VerificationError, "no clamp is given"),
        (
            lambda: Processed(Laplace(scale=2), abs, clamp=(0, "1/2")).law(0),
            VerificationError,
            "not on the grid",
        ),
        (
            lambda: Processed(Laplace(scale=2), abs, clamp=(0, 10**9)).law(0),
            VerificationError,
            "a narrower clamp",
        ),
        (
            lambda: Processed([RandomizedResponse(epsilon=1)] * 2, max).law(1),
            DataError,
            "one input for each",
        ),
        (
            lambda: Processed(RandomizedResponse(epsilon=1), lambda x: [x]).law(1),
            DataError,
            "cannot be hashed",
        ),
        (
            lambda: Processed(RandomizedResponse(epsilon=1), lambda x: (x, datetime.now())).law(1),
            DataError,
            "may look different",
        ),
        (
            lambda: Processed(RandomizedResponse(epsilon=1), lambda x: {x: "1/3"}).law(1),
            VerificationError,
            "sum to 1/3",
        ),
        (lambda: Processed(Laplace(scale=2), abs).loss(), PrivacyParameterError, "no sensitivity"),
        (
            lambda: Processed(RandomizedResponse(epsilon=1), abs).loss(Sensitivity(l1=1)),
            PrivacyParameterError,
            "Leave out the others",
        ),
    ],
)
def test_what_cannot_be_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_outputs_come_as_plain_numbers():
    seen = []
    kept = Processed(RandomizedResponse(epsilon=1), lambda output: seen.append(output) or 0)
    for value in (1, np.int64(1), [1, 0]):
        kept(value)
    assert [type(output) for output in seen] == [int, int, tuple]
    assert all(type(part) is int for part, _ in product(seen[2], [0]))
