"""Randomized response: the law that is claimed, drawn and verified."""

import pickle
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import (
    DataError,
    DiscreetError,
    PrivacyParameterError,
    PrivacyWarning,
    VerificationError,
)
from discreet.exact import exp_minus
from discreet.local import RandomizedResponse
from discreet.noise import Keystream, UnsafeSeededBits
from discreet.privacy.losses import PureDP
from discreet.privacy.sensitivity import Sensitive
from discreet.privacy.verification import verify
from tests.support.cases import each
from tests.support.evidence import fits
from tests.support.scripted_bits import ScriptedNumbers

FORMS = [
    RandomizedResponse.two_coin(),
    RandomizedResponse(epsilon=1),
    RandomizedResponse(epsilon="1/10"),
    RandomizedResponse(epsilon=1, categories=3),
    RandomizedResponse(epsilon=2, categories=5),
    RandomizedResponse(odds="5/2", categories=4),
]


def naive_law(odds: float, categories: int, value: int) -> dict[int, float]:
    """The same law, as the definition says it."""
    return {
        report: (odds if report == value else 1) / (odds + categories - 1)
        for report in range(categories)
    }


def odds_of(form: RandomizedResponse) -> float:
    return exp(form.epsilon) if form.odds is None else float(form.odds)


# ---------------------------------------------------------------------- the guarantee


def test_two_coins_keep_the_truth_with_three_quarters_and_a_ratio_of_exactly_three() -> None:
    form = RandomizedResponse.two_coin()
    assert form.keep_probability == Fraction(3, 4)
    assert form.law(1).probability(1) == 0.75
    assert form.law(1).probability(0) == 0.25
    assert verify(form, 0, 1).ratio == 3


def test_the_loss_of_two_coins_is_ln_3_rounded_up_by_at_most_1e_12() -> None:
    loss = RandomizedResponse.two_coin().loss
    low, high = exp_minus(loss.epsilon, 200)
    assert Fraction(high, 1 << 200) <= Fraction(1, 3)  # e^-ε ≤ 1/3, so ε ≥ ln 3
    low, _ = exp_minus(loss.epsilon - Fraction(1, 10**12), 200)
    assert Fraction(low, 1 << 200) > Fraction(1, 3)
    assert verify(RandomizedResponse.two_coin(), 0, 1).epsilon == loss.epsilon


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_every_pair_of_values_gives_away_exactly_epsilon(form: RandomizedResponse) -> None:
    for first, second in permutations(range(form.categories), 2):
        assert verify(form, first, second).epsilon == form.loss.epsilon


@pytest.mark.parametrize("epsilon", ["1/3", "0.1", "1", "7/2", "20"])
@pytest.mark.parametrize("categories", [2, 3, 7])
def test_the_loss_is_the_epsilon_that_was_written(epsilon: str, categories: int) -> None:
    form = RandomizedResponse(epsilon=epsilon, categories=categories)
    assert form.loss == PureDP(epsilon=Fraction(epsilon))
    found = verify(form, 0, categories - 1).epsilon
    below = Fraction(1, 10**12 if Fraction(epsilon) < 15 else 10**9)  # by chances out of 2^64
    assert -below <= found - Fraction(epsilon) <= Fraction(1, 10**12)


def test_less_is_not_enough() -> None:
    """The negative control: no smaller ε holds, so the claim is not loose."""
    form = RandomizedResponse(epsilon=1)
    assert verify(form, 0, 1).delta(epsilon=Fraction(999, 1000)) > 0
    assert verify(form, 0, 1).delta(epsilon=1) < Fraction(1, 10**40)


def test_one_respondent_of_many_gives_away_epsilon_and_two_values_twice_that() -> None:
    form = RandomizedResponse(epsilon="1/2", categories=3)
    assert verify(form, [0, 1, 2], [0, 2, 2]).epsilon == Fraction(1, 2)
    assert verify(form, [0, 1, 2], [1, 2, 2]).epsilon == form.loss.for_group(2).epsilon == 1


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_the_law_is_that_of_the_definition(form: RandomizedResponse) -> None:
    for value in range(form.categories):
        naive = naive_law(odds_of(form), form.categories, value)
        law = form.law(value)
        assert {y: law.probability(y) for y in naive} == pytest.approx(naive, rel=1e-14)
        assert form.keep_probability == pytest.approx(naive[value], rel=1e-14)


# ---------------------------------------------------------------------- the sampler


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_reports_follow_the_law(form: RandomizedResponse) -> None:
    for value in range(min(form.categories, 3)):
        reports = form(np.full(200_000, value)).tolist()
        law = form.law(value)
        assert fits(reports, {y: law.probability(y) for y in range(form.categories)})
        wrong = naive_law(odds_of(form) * 1.1, form.categories, value)
        assert not fits(reports, wrong)


def test_single_reports_follow_the_law_too() -> None:
    form = RandomizedResponse(epsilon=1, categories=3)
    reports = [form(2) for _ in range(20_000)]
    assert fits(reports, naive_law(exp(1), 3, 2))
    assert not fits(reports, naive_law(exp(1.2), 3, 2))


@pytest.mark.slow
def test_each_value_gets_a_fresh_draw() -> None:
    form = RandomizedResponse(epsilon=1, categories=3)
    reports = form(np.zeros(300_000, int)).reshape(-1, 2)
    one = naive_law(exp(1), 3, 0)
    pairs = {(a, b): one[a] * one[b] for a in one for b in one}
    assert fits(map(tuple, reports.tolist()), pairs)
    copied = np.repeat(reports[:, :1], 2, axis=1)
    assert not fits(map(tuple, copied.tolist()), pairs)


def words_of(prefixes: list[int]) -> list[int]:
    """The 64-bit words that hold these 16-bit prefixes."""
    filled = np.array(prefixes + [0] * (-len(prefixes) % 4), np.uint16)
    return filled.view(np.uint64).tolist()  # type: ignore[no-any-return]


def test_the_prefix_decides_a_coin_and_equality_is_the_lie() -> None:
    form = RandomizedResponse.two_coin()
    prefixes = [0, 49151, 49152, 65535]
    reports = form(np.zeros(4, int), source=ScriptedNumbers(words_of(prefixes)))
    assert reports.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_an_undecided_prefix_is_settled_by_more_bits(offset: int) -> None:
    """U is planted next to the boundary, which is a multiple of 2^-64."""
    form = RandomizedResponse(epsilon=1)
    planted = form.keep + offset
    prefix, rest = planted >> 48, planted & (1 << 48) - 1
    source = ScriptedNumbers(words_of([prefix]), [rest, 0, 0, 0])
    lied = form(0, source=source) == 1
    assert lied == (offset >= 0)
    assert len(source.asked) >= 1


def test_a_lie_is_uniform_over_the_others_and_the_last_word_is_drawn_again() -> None:
    form = RandomizedResponse(epsilon=1, categories=4)
    # 2^32 = 3·m + 1, so only the last word of 32 bits is drawn again.
    words = [*words_of([65535] * 4), 1 << 32, 2 | (2**32 - 1) << 32, 2**32 - 2]
    reports = form([1, 1, 1, 1], source=ScriptedNumbers(words))
    assert reports.tolist() == [2, 3, 0, 0]


def test_the_same_unsafe_seed_repeats_and_fresh_keys_do_not() -> None:
    form = RandomizedResponse(epsilon=1)
    bits = np.zeros(256, int)
    seeded = [form(bits, source=UnsafeSeededBits(7)).tolist() for _ in range(2)]
    assert seeded[0] == seeded[1]
    assert form(bits).tolist() != form(bits).tolist()
    assert len(form(bits, source=Keystream())) == 256


# ---------------------------------------------------------------------- shapes and kinds


def test_a_report_has_the_shape_of_its_value_and_never_its_type() -> None:
    form = RandomizedResponse(epsilon=1)
    for value in (1, True, np.bool_(True)):
        assert type(form(value)) is int
    assert form([True, False]).dtype == np.int64
    assert form([[0, 1], [1, 1], [0, 0]]).shape == (3, 2)
    assert form([]).tolist() == []
    assert form(np.array([0, 1], np.uint8)).dtype == np.int64


def test_more_values_than_a_block_are_all_randomized() -> None:
    form = RandomizedResponse(epsilon="1/1000", categories=3)
    reports = form(np.zeros(1 << 17, np.int64))
    assert np.abs(np.bincount(reports[-(1 << 16) :]) / (1 << 16) - 1 / 3).max() < 0.02


def test_the_input_is_left_as_it_was() -> None:
    values = np.zeros(1000, np.int64)
    RandomizedResponse(epsilon=1)(values)
    RandomizedResponse(epsilon=1, categories=3)(values)
    assert not values.any()


def test_a_form_is_written_as_it_is_read() -> None:
    assert repr(RandomizedResponse.two_coin()) == "RandomizedResponse.two_coin()"
    assert repr(RandomizedResponse(epsilon=0.1)) == "RandomizedResponse(epsilon=1/10)"
    assert repr(FORMS[4]) == "RandomizedResponse(epsilon=2, categories=5)"
    assert repr(FORMS[5]) == "RandomizedResponse(odds=5/2, categories=4)"
    assert replace(RandomizedResponse.two_coin(), categories=3).odds == 3
    assert RandomizedResponse(odds=3) == RandomizedResponse.two_coin()
    assert RandomizedResponse(epsilon=1) != RandomizedResponse(epsilon=1, categories=3)


@pytest.mark.parametrize("form", FORMS, ids=repr)
def test_a_form_can_be_sent_to_another_process(form: RandomizedResponse) -> None:
    assert pickle.loads(pickle.dumps(form)) == form


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), "abc", "1e-4000", None])
def test_an_epsilon_without_meaning_is_refused(epsilon: object) -> None:
    with pytest.raises(PrivacyParameterError):
        RandomizedResponse(epsilon=epsilon)  # type: ignore[arg-type]


def test_an_epsilon_that_protects_nobody_warns() -> None:
    with pytest.warns(PrivacyWarning, match="protects nobody") as caught:
        RandomizedResponse(epsilon=100)
    assert caught[0].filename == __file__
    with pytest.warns(PrivacyWarning, match="protects nobody"):
        RandomizedResponse(odds=10**10)


@pytest.mark.parametrize("odds", [1, "1/2", 0, -3, "x"])
def test_odds_without_meaning_are_refused(odds: object) -> None:
    with pytest.raises(PrivacyParameterError):
        RandomizedResponse(odds=odds)  # type: ignore[arg-type]


def test_epsilon_and_odds_that_disagree_are_refused() -> None:
    with pytest.raises(PrivacyParameterError, match="both given"):
        RandomizedResponse(epsilon=1, odds=3)


@pytest.mark.parametrize("categories", [1, 0, -5, 2**31 + 1, 2.0, "2", True, None])
def test_a_number_of_categories_without_meaning_is_refused(categories: object) -> None:
    with pytest.raises(DiscreetError):
        RandomizedResponse(epsilon=1, categories=categories)  # type: ignore[arg-type]


def test_a_number_of_categories_may_be_too_long_to_print() -> None:
    with pytest.raises(DiscreetError):
        RandomizedResponse(epsilon=1, categories=10**5000)
    with pytest.raises(DiscreetError):
        RandomizedResponse(epsilon=1, categories=-(10**5000))


def test_a_law_over_too_many_categories_is_refused_and_a_report_is_not() -> None:
    form = RandomizedResponse(epsilon=5, categories=2**31)
    assert 0 <= form(2**31 - 1) < 2**31
    with pytest.raises(VerificationError):
        form.law(0)


CANARY = 77_310_577
BAD: list[Callable[[object], object]] = [
    lambda value: value,
    lambda value: [0, value],
    lambda value: [[0], [0, value]],
    lambda value: {"key": value},
    lambda value: Sensitive([value]),
    lambda value: np.array([0, value], np.object_),
    lambda value: [None, value],
]


@each("wrap", BAD)
@each("value", [CANARY, -CANARY, CANARY + 0.5, str(CANARY), CANARY + 0j, float("nan"), 2**70])
@each("categories", [2, 3])
def test_what_is_no_value_is_refused_without_showing_it(
    wrap: Callable[[object], object], value: object, categories: int
) -> None:
    form = RandomizedResponse(epsilon=1, categories=categories)
    for take in (form, form.law):
        with pytest.raises(DataError) as refusal:
            take(wrap(value))
        error = refusal.value
        assert str(CANARY) not in str(error)
        assert error.__cause__ is None
        assert error.__suppress_context__ or error.__context__ is None


@pytest.mark.slow
@given(
    st.one_of(
        st.recursive(
            st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary()),
            lambda inner: st.lists(inner, max_size=4),
            max_leaves=8,
        ),
        st.complex_numbers(),
        st.dates(),
    )
)
def test_whatever_is_given_it_is_randomized_or_refused(value: object) -> None:
    for form in (RandomizedResponse.two_coin(), RandomizedResponse(epsilon=1, categories=3)):
        try:
            report = form(value)
        except DataError:
            continue
        assert np.shape(report) == np.shape(np.asarray(value))
        assert set(np.asarray(report).ravel().tolist()) <= set(range(form.categories))


def test_the_loss_of_odds_is_never_below_their_logarithm() -> None:
    for top, bottom in [(3, 1), (3, 2), (101, 100), (10**8, 1)]:
        form = RandomizedResponse(odds=Fraction(top, bottom))
        assert 0 <= float(form.epsilon) - log(top / bottom) < 1e-12
        ratio = verify(form, 0, 1).ratio
        assert Fraction(top, bottom) * (1 - Fraction(1, 1 << 36)) <= ratio <= Fraction(top, bottom)
