"""Pictures of laws and of noise: they show the law itself, and are whole."""

import re
import struct
from xml.etree import ElementTree

import pytest

from discreet.errors import DataError, PrivacyParameterError
from discreet.local import RandomizedResponse
from discreet.mechanisms import (
    Exponential,
    Gaussian,
    Laplace,
    NoiseComparison,
    NoisyMax,
    PermuteAndFlip,
)
from discreet.privacy.tradeoff import Region, tradeoff
from tests.support import drawn

PICTURES = {
    "two shifted laws": lambda: Laplace(scale=2).plot(0, 1),
    "on a fine grid": lambda: Laplace(scale=2, grid=2**-20).plot(0, 1),
    "two Gaussians": lambda: Gaussian(sigma=4).plot(0, 1),
    "many steps": lambda: Gaussian(sigma=1000).plot(0, 500, 700, 900),
    "one law": lambda: Laplace(scale=2).plot(),
    "beside": lambda: Laplace(scale=2).plot(beside=Gaussian(sigma=2)),
    "two answers": lambda: RandomizedResponse.two_coin().plot(0, 1),
    "a choice": lambda: Exponential(scale=2).plot([3, 5, 4], [4, 5, 3]),
    "another choice": lambda: NoisyMax(scale=2).plot([3, 5, 4]),
    "a third": lambda: PermuteAndFlip(scale=2).plot([3, 5, 4], [4, 5, 3]),
    "a region": lambda: Region(epsilon=1, delta="0.1").plot(),
    "a pure region": lambda: Region(epsilon=1).plot(),
    "all of it": lambda: Region(epsilon=0, delta=1).plot(),
    "left": lambda: tradeoff(Gaussian(sigma=1), 0, 1).plot(epsilon=1, delta="0.01"),
    "comparison": lambda: NoiseComparison(epsilon=1, delta="1/100").plot(),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_it_is_drawn_and_fits_a_page(name):
    picture = PICTURES[name]()
    root = ElementTree.fromstring(picture.svg)
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", picture.svg)
    width, height = struct.unpack(">II", picture.png[16:24])
    assert 700 < width < 1100, "half of it in points: narrow enough to be read on a phone"
    assert height < 1300
    # No letter that the font lacks, which would be shown in another.
    texts = "".join(root.itertext())
    assert not re.search("[⁰-₟]", texts)


def test_chances_are_those_of_the_law():
    mechanism = RandomizedResponse(epsilon=1, categories=3)
    for row in drawn.rows(mechanism.plot(0, 2).spec, "probability"):
        given = int(row["law"].removeprefix("on "))
        assert row["probability"] == mechanism.law(given).probability(int(row["output"]))


@pytest.mark.slow
def test_many_points_are_thinned_and_the_peak_is_among_them():
    noise = Laplace(scale=10_000)
    rows = drawn.rows(noise.plot(3, 70_001).spec, "height")
    assert len(rows) < 2 * 260
    assert {row["output"] for row in rows if row["height"] == noise.pmf(0)} == {3, 70_001}


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: Laplace(scale=2).plot(0, 0), "two of the laws are the same"),
        (lambda: Laplace(scale=2).plot(*range(5)), "one to 4"),
        (lambda: Laplace(scale=2).plot([0, 1]), "not a single number"),
        (lambda: Laplace(scale=2).plot(0, 1, beside=Gaussian(sigma=2)), "on one input"),
        (lambda: Laplace(scale=2).plot(beside=Gaussian(sigma=2, grid="1/2")), "the same grid="),
        (lambda: Laplace(scale=2).plot(beside=RandomizedResponse(epsilon=1)), "beside each other"),
        (lambda: Laplace(scale=2).plot(beside=Laplace(scale=2)), "two of the laws are the same"),
        (lambda: RandomizedResponse(epsilon=1).plot(), "one to 4"),
        (lambda: RandomizedResponse(epsilon=1).plot([0, 1]), "single inputs"),
        (lambda: RandomizedResponse(epsilon=1, categories=25).plot(0), "more than 24"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, message):
    with pytest.raises(DataError, match=message):
        draw()


def test_a_comparison_needs_a_delta():
    with pytest.raises(PrivacyParameterError, match="delta is 0"):
        NoiseComparison(epsilon=1, delta=0)
    with pytest.raises(PrivacyParameterError, match="whole number"):
        NoiseComparison(epsilon=1, delta=1e-6).laplace(0)
