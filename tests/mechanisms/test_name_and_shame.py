"""Name and shame: it satisfies total variation, and it is not private."""

from fractions import Fraction
from itertools import product
from math import inf

import numpy as np
import pytest

from discreet.errors import DataError, PrivacyParameterError, PrivacyWarning, VerificationError
from discreet.mechanisms import NameAndShame
from discreet.privacy.losses import TotalVariation
from discreet.privacy.sensitivity import Sensitive
from discreet.privacy.verification import verify
from tests.support.evidence import fits

TENTH = NameAndShame(delta=0.1)


def test_its_loss_is_total_variation_delta() -> None:
    assert TENTH.loss() == TotalVariation(delta=Fraction(1, 10))


def test_every_pair_of_neighbors_is_delta_apart_and_has_no_epsilon() -> None:
    for rest in product("ab", repeat=2):
        found = verify(TENTH, ["a", *rest], ["b", *rest])
        assert found.total_variation == Fraction(1, 10)
        assert found.epsilon == inf
        assert found.delta(epsilon=50) > Fraction(9, 100)  # nobody is protected at any ε


def test_the_group_argument_makes_a_small_delta_useless() -> None:
    """With δ < 1/(2n) any two data sets whatever are within 1/2."""
    size = 4
    shy = NameAndShame(delta=Fraction(1, 2 * size + 1))
    found = verify(shy, ["a"] * size, ["b"] * size)
    assert found.total_variation <= shy.loss().for_group(size).delta < Fraction(1, 2)
    # Negative control: with a larger δ two data sets can be told apart.
    bold = NameAndShame(delta=Fraction(1, 2))
    assert verify(bold, ["a"] * size, ["b"] * size).total_variation > Fraction(1, 2)


def test_what_is_published_follows_the_law() -> None:
    third = NameAndShame(delta="1/3")
    law = third.law(["ann", "bob"])
    with pytest.warns(PrivacyWarning):
        sample = [third(["ann", "bob"]) for _ in range(20_000)]
    assert fits(sample, {outcome: law.probability(outcome) for outcome in law.weights})
    other = NameAndShame(delta="3/8").law(["ann", "bob"])
    assert not fits(sample, {outcome: other.probability(outcome) for outcome in other.weights})


def test_using_it_says_plainly_that_it_is_not_private() -> None:
    with pytest.warns(PrivacyWarning, match="is not private") as caught:
        TENTH(["ann"])
    assert caught[0].filename == __file__
    assert "NOT PRIVATE" in (NameAndShame.__doc__ or "")


@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
def test_it_takes_lists_arrays_and_sensitive_values() -> None:
    always = NameAndShame(delta=1 - Fraction(1, 2**200))
    assert always(["ann", "bob"]) == ((0, "ann"), (1, "bob"))
    assert always(np.array([5, 6])) == ((0, 5), (1, 6))
    assert always(Sensitive([5])) == ((0, 5),)
    assert always([]) == ()
    assert NameAndShame(delta=0).law(["ann"]).probability(()) == 1


@pytest.mark.parametrize("delta", [-0.1, 1, 2, float("nan"), "x", None])
def test_a_delta_without_meaning_is_refused(delta: object) -> None:
    with pytest.raises(PrivacyParameterError):
        NameAndShame(delta=delta)  # type: ignore[arg-type]


def test_what_is_no_data_set_is_refused() -> None:
    for bad in (5, "ann", None):
        with pytest.raises(DataError):
            TENTH.law(bad)
    with pytest.raises(DataError, match="hashed") as refusal:
        TENTH.law([["secret"]])
    assert "secret" not in str(refusal.value)
    with pytest.raises(VerificationError):
        TENTH.law(range(13))
